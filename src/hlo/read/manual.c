/* hlo/read/manual.c - reads manual computations: a region that computes on one device's part of each operand.
 *
 * The text does not say which values vary, so regions are unchecked. Collectives: collective.c. */
#include "../inner.h"
#include "groups.h"
#include "../../op/ops.h"

#include <string.h>

static const mesh_layout *only(const mesh_layout *l, const mesh *m, int rank, mesh_set manual)
{
    mesh_list dim[IR_RANK] = { 0 };
    for (int d = 0; l && d < rank; d++)
        for (int i = 0; i < mesh_list_n(l->dim[d].atoms); i++)
            if (manual >> mesh_list_at(l->dim[d].atoms, i) & 1)
                dim[d] = mesh_list_push(dim[d], mesh_list_at(l->dim[d].atoms, i));
    return mesh_layout_dims(m, rank, dim);
}

static const mesh_layout **layouts(hlo_reader *r, const hlo_op *o, const char *key, const hlo_types *t, int more)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    const mesh_layout **const l = BASE_NEW(r->p->arena, const mesh_layout *, t->n + more + 1);
    int *const rank = BASE_NEW(r->p->arena, int, t->n + 1);
    for (int i = 0; i < t->n; i++) rank[i] = t->v[i].type ? t->v[i].type->rank : 0;
    if (!a) return hlo_refuse(r, o, TT_EARG, "%s is missing", key), NULL;
    /* the older form, from legacy_manual.c: one sharding each */
    for (int i = 0; a->form == HLO_ARRAY && i < t->n; i++)
        if (!hlo_gspmd(r, &a->item.v[i], rank[i], &l[i])) return NULL;
    if (a->form == HLO_ARRAY) return l;
    return hlo_read_shardings(r, a->text, t->n, rank, l) ? l : NULL;
}

static hlo_span named_in(const hlo_op *o)                /* a list of shardings that names a mesh */
{
    static const char *const keys[] = { "in_shardings", "out_shardings" };
    for (int i = 0; i < 2; i++) {
        const hlo_attr *const a = hlo_find(&o->attr, keys[i]);
        if (a && a->form != HLO_ARRAY && memchr(a->text.at, '@', a->text.n)) return a->text;
    }
    return (hlo_span){ "", 0 };
}

static bool manual(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attr *const over = hlo_find(&o->attr, "manual_axes");
    const mesh_set outer = r->manual;
    mesh_set set = r->mesh ? (mesh_set)((1u << r->mesh->natom) - 1) : 0;
    hlo_captures c;
    if (!r->mesh || o->region.n != 1 || o->in.n != o->from.n)
        return hlo_refuse(r, o, TT_EARG, !r->mesh ? "there is no mesh" : o->region.n != 1 ? "expected one region"
                                                          : "expected the types of the operands");
    if (over && (set = 0, !hlo_read_axes(r, over->text, named_in(o), &set))) return false;
    if (set != mesh_named(r->mesh, hlo_axes_named(r, set).n, hlo_axes_named(r, set).v))
        return hlo_refuse(r, o, TT_EMESH, "manual_axes names a part of an axis of the program's first mesh");
    if (!hlo_capture(r, o, &c)) return false;
    if (set & outer) return hlo_refuse(r, o, TT_EARG, "manual_axes names an axis that is manual already");
    r->unreduced = false;
    const mesh_layout **const in = layouts(r, o, "in_shardings", &o->from, c.n),
                      **const out = in ? layouts(r, o, "out_shardings", &o->to, 0) : NULL;
    if (!out) return false;
    if (r->unreduced) return hlo_refuse(r, o, TT_ESPEC,
                                        "unreduced axes of operands or results are not supported");
    for (int i = 0; i < o->in.n; i++) in[i] = only(in[i], r->mesh, o->from.v[i].type->rank, set);
    for (int i = 0; i < c.n; i++) in[o->in.n + i] = mesh_replicated(r->mesh, ir_typeof(r->b, c.id[i])->rank);
    for (int j = 0; j < o->to.n; j++) out[j] = only(out[j], r->mesh, hlo_result(o, j)->rank, set);
    r->manual |= set;
    ir_fn *const body = hlo_body(r, o, 0, &c, false);
    r->manual = outer;
    if (!body) return false;
    const op_manual_attr a = { hlo_axes_named(r, set), { o->in.n + c.n, in }, { o->to.n, out }, true };
    ir_id *const all = BASE_NEW(r->p->arena, ir_id, o->in.n + c.n + 1);
    memcpy(all, x, (size_t)o->in.n * sizeof *all);
    memcpy(all + o->in.n, c.id, (size_t)c.n * sizeof *all);
    const ir_id first = ir_emit(r->b, &prim_manual, &a, (uint32_t)(o->in.n + c.n), all, 1, &body);
    for (int j = 0; j < o->to.n; j++) y[j] = first + (ir_id)j;
    return first != 0;
}

static bool process_id(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const bool replica = hlo_is(o->name, "stablehlo.replica_id");
    const int from = replica ? 0 : r->nreplica, to = replica ? r->nreplica : r->mesh ? r->mesh->naxis : 0;
    int n = 0;                                           /* axes of size 1 do not count, and need not be manual */
    (void)x;
    base_name *const v = BASE_NEW(r->p->arena, base_name, to + 1);
    for (int i = from; i < to; i++) if (r->mesh->axis[i].size > 1) v[n++] = r->mesh->axis[i].name;
    if (n && !r->manual) return hlo_refuse(r, o, TT_EARG, "stands outside of a manual computation");
    if (n && mesh_named(r->mesh, n, v) & ~r->manual)
        return hlo_refuse(r, o, TT_EARG, "expected all axes of the mesh to be manual here");
    if (!n) return (y[0] = op_int(r->b, TT_U32, 0)) != 0;
    const op_axis_attr a = { { n, v }, true };
    return (y[0] = op_convert(r->b, ir_emit(r->b, &prim_axis_index, &a, 0, NULL, 0, NULL), TT_U32)) != 0;
}

const hlo_rule hlo_manuals[] = {
    { "sdy.manual_computation", manual },
    { "stablehlo.partition_id", process_id },
    { "stablehlo.replica_id", process_id },
    { NULL, NULL },
};
