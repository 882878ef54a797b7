/* hlo/read/group_axes.c - groups of devices that a collective names by axes of a mesh, as JAX prints them since 0.12:
 *
 *     replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
 *     axis_ref<name = "y", sub_axis_info = (2)4>           the axis divided into 2, 4 and the rest: the part of 4
 *     mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>, <name = "y", size = 4>]>      instead of a mesh's name
 *
 * Members of a group are in row-major order over the axes as named. The axes are expanded into a table of devices;
 * groups.c then treats it like any other table and recognises the axes of the program's mesh. */
#include "../inner.h"
#include "groups.h"

typedef struct { int64_t step, size; } digit;            /* device / step % size is a coordinate along the axis */

/* A record of the text, or one written without its name: <name = "x", size = 2>. NULL with the error set. */
static const hlo_attrs *fields(hlo_reader *r, const hlo_attr *a, hlo_attrs *storage)
{
    if (a->form == HLO_DICT) return &a->item;
    hlo_parser q = hlo_within(r, a->text);
    if (a->form != HLO_OPAQUE) return hlo_fail(r->p, a->text.at, TT_EARG, "expected an axis: <name = ...>"), NULL;
    return hlo_read_dict(&q, "<", ">", storage) ? storage : NULL;
}

static const mesh *written_out(hlo_reader *r, const hlo_op *o, const hlo_attr *a)
{
    const hlo_attr *const axes = hlo_find(&a->item, "axes"), *const ids = hlo_find(&a->item, "device_ids");
    base_text t = { .arena = r->p->arena };
    int64_t total = 1, n = 0, *id = NULL;
    if (!axes || axes->form != HLO_ARRAY || !axes->item.n)
        return hlo_refuse(r, o, TT_EMESH, "a mesh has no axes; expected 1 or more"), NULL;
    for (int i = 0; i < axes->item.n; i++) {
        hlo_attrs storage = { 0 };
        const hlo_attrs *const f = fields(r, &axes->item.v[i], &storage);
        if (!f) return NULL;
        const int64_t size = hlo_int(r, o, f, "size", 0);
        if (size < 1 || size > 1 << 20 || total > (1 << 20) / size)
            return hlo_refuse(r, o, TT_EMESH, "an axis of size %lld; expected 1 or more, and at most 2^20 devices",
                              (long long)size), NULL;
        total *= size;
        base_appendf(&t, "%s%s:%lld", i ? ", " : "", hlo_axis_name(r, hlo_choice(f, "name")), (long long)size);
    }
    if (!ids) return mesh_of(r->p->file, t.s);
    const ir_dims given = hlo_dims(r, o, &a->item, "device_ids", 0, 0);
    if (r->bad) return NULL;
    if (given.n != total)
        return hlo_refuse(r, o, TT_EMESH, "device_ids has %d numbers; expected %lld, one per device", given.n,
                          (long long)total), NULL;
    id = BASE_NEW(r->p->arena, int64_t, total);
    for (; n < total; n++) id[n] = given.v[n];
    return mesh_ordered(r->p->file, t.s, id);
}

static const mesh *mesh_named_in(hlo_reader *r, const hlo_op *o, const hlo_attr *groups)
{
    const hlo_attr *const a = hlo_find(&groups->item, "mesh");
    const hlo_mesh *const known = a && a->form == HLO_SYMBOL ? hlo_mesh_called(r, a->text) : NULL;
    if (!a || (a->form != HLO_SYMBOL && a->form != HLO_DICT))
        return hlo_refuse(r, o, TT_EMESH, "replica_groups names no mesh"), NULL;
    if (a->form == HLO_SYMBOL && !known)
        return hlo_fail(r->p, a->text.at, TT_EMESH, "there is no mesh @%.*s", HLO_SPAN(a->text)), NULL;
    const mesh *const m = known ? known->mesh : written_out(r, o, a);
    if (!m && !known) return NULL;
    if (m && mesh_same_devices(m, r->mesh)) return m;         /* NULL: the mesh of a single device */
    return hlo_fail(r->p, a->text.at, TT_EMESH,
                    "groups over a mesh that has other devices than the first mesh, or another order"), NULL;
}

/* The axis that `a` names, or a part of it. */
static bool group_axes_named(hlo_reader *r, const hlo_op *o, const mesh *m, const hlo_attr *a, digit *to)
{
    hlo_attrs storage = { 0 };
    const hlo_attrs *const f = fields(r, a, &storage);
    const hlo_attr *const part = f ? hlo_find(f, "sub_axis_info") : NULL;
    if (!f) return false;
    const base_name name = hlo_axis_name(r, hlo_choice(f, "name"));
    int64_t below = mesh_size(m);
    int i = 0;
    for (; i < m->naxis; i++) {
        below /= m->axis[i].size;
        if (m->axis[i].name == name) break;
    }
    if (i == m->naxis) return hlo_refuse(r, o, TT_EMESH, "the mesh has no axis \"%s\"", name);
    *to = (digit){ below, m->axis[i].size };
    if (!part) return true;
    const int64_t all = m->axis[i].size, pre = part->item.n == 2 ? part->item.v[0].i : 0,
                  size = part->item.n == 2 ? part->item.v[1].i : 0;
    if (part->form != HLO_ARRAY || pre < 1 || size < 1 || pre > all || size > all || all % (pre * size))
        return hlo_fail(r->p, part->text.at, TT_EMESH, "axis \"%s\" of size %lld has no part (%lld)%lld", name,
                        (long long)all, (long long)pre, (long long)size);
    *to = (digit){ below * (all / pre / size), size };
    return true;
}

bool hlo_axes_table(hlo_reader *r, const hlo_op *o, const hlo_attr *groups, int64_t *rows, int64_t *cols,
                    const int64_t **v)
{
    const hlo_attr *const axes = hlo_find(&groups->item, "axes");
    const mesh *const m = mesh_named_in(r, o, groups);
    int64_t each = 1, at = 0;
    digit d[MESH_ATOMS + 1];
    int n = 0;
    if (!m) return false;
    if (!axes || axes->form != HLO_ARRAY || axes->item.n > MESH_ATOMS)
        return hlo_refuse(r, o, TT_EARG, "replica_groups: expected a list of axes");
    for (; n < axes->item.n; n++) {
        if (!group_axes_named(r, o, m, &axes->item.v[n], &d[n])) return false;
        for (int k = 0; k < n; k++)
            if (d[n].step < d[k].step * d[k].size && d[k].step < d[n].step * d[n].size)
                return hlo_refuse(r, o, TT_EARG, "replica_groups names the same places of an axis twice");
        each *= d[n].size;
    }
    const int64_t all = mesh_size(m);
    int64_t *const to = BASE_NEW(r->p->arena, int64_t, all + 1);
    for (int64_t p = 0; p < all; p++) {
        bool first = true;                               /* p is the first member of its group */
        for (int k = 0; k < n; k++) first &= p / d[k].step % d[k].size == 0;
        for (int64_t i = 0; first && i < each; i++) {
            int64_t place = p, rest = i;
            for (int k = n - 1; k >= 0; rest /= d[k--].size) place += rest % d[k].size * d[k].step;
            to[at++] = place;
        }
    }
    *rows = all / each, *cols = each, *v = to;
    return true;
}
