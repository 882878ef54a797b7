/* op/coll/axes.c - common to collectives: the axes that they name.
 *
 * A name stands for a mesh axis inside a manual region, or for an axis that vmap is mapping; a collective may name
 * several, the first the most major. Names that the mesh does not have are resolved by an enclosing transform; values
 * do not vary over them here. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

op_axes op_axes_split(ir_build *b, ir_names n)
{
    base_name *const rest = IR_NEW(b, base_name, n.n + 1);
    op_axes s = { .at = -1 };
    for (int i = 0; i < n.n; i++) if (n.v[i] == op_axis(b)) s.at = i;
    if (s.at < 0) {
        s.rest = s.major = n;
        return s;
    }
    s.major = (ir_names){ s.at, n.v };
    s.minor = (ir_names){ n.n - s.at - 1, n.v + s.at + 1 };
    for (int i = 0, k = 0; i < n.n; i++) if (i != s.at) rest[k++] = n.v[i];
    s.rest = (ir_names){ n.n - 1, rest };
    return s;
}

static mesh_set axes_over(const mesh *m, ir_names axes) { return m ? mesh_named(m, axes.n, axes.v) : 0; }

mesh_set op_over(const ir_eqn *e, ir_names axes) { return axes_over(e->fn->mesh, axes); }

static bool all_named(const mesh *m, ir_names axes)
{
    for (int i = 0; i < axes.n; i++) if (!m || !mesh_list_n(mesh_axis_list(m, axes.v[i]))) return false;
    return true;
}

int64_t op_part(ir_build *b, ir_names axes, int64_t fallback)
{
    const mesh *const m = ir_build_fn(b)->mesh;
    if (!axes.n) return 1;
    return all_named(m, axes) ? mesh_set_size(m, axes_over(m, axes)) : fallback;
}

/* Sets the numbers of members over the major and over the minor axes. rest: the number over all axes but the mapped
 * one. */
bool op_axes_sizes(ir_build *b, const ir_eqn *e, const op_axes *s, int64_t rest, int64_t *major, int64_t *minor)
{
    *minor = s->major.n ? op_part(b, s->minor, 0) : rest;
    *major = s->minor.n ? op_part(b, s->major, *minor ? rest / *minor : 0) : rest;
    if (!*minor && *major) *minor = rest / *major;
    if (*major && *minor) return true;
    base_fail(TT_ETRACE, e->site, "%s over three or more axes of vmap at once is not supported", e->op->name);
    return base_hint("call the collective for one axis after the other");
}

const mesh_layout *op_layout_wider(ir_build *b, const mesh_layout *l, bool open)
{
    mesh_layout wide = *l;
    mesh_dim *const dim = IR_NEW(b, mesh_dim, l->rank + 1);
    if (l->rank) memcpy(dim + 1, l->dim, (size_t)l->rank * sizeof *dim);
    dim[0].open = open;
    wide.rank = l->rank + 1;
    wide.dim = dim;
    return mesh_intern(&wide);
}

bool op_check_group_size(const ir_eqn *e, ir_names axes, int64_t size)
{
    const mesh *const m = e->fn->mesh;
    if (size < 1)
        return base_fail(TT_EARG, e->site, "%s: a group of %lld members; expected 1 or more", e->op->name,
                         (long long)size);
    if (!all_named(m, axes) || mesh_set_size(m, axes_over(m, axes)) == size) return true;
    return base_fail(TT_EARG, e->site, "%s: a group of %lld members; the axes have %lld", e->op->name, (long long)size,
                     (long long)mesh_set_size(m, axes_over(m, axes)));
}

bool op_must_vary(const ir_eqn *e, const ir_type *t, ir_names axes, bool unchecked)
{
    const mesh_set want = op_over(e, axes);
    if (unchecked || !(want & ~(t->vary | t->partial))) return true;
    for (int i = 0; i < axes.n; i++)
        if (mesh_named(e->fn->mesh, 1, &axes.v[i]) & ~(t->vary | t->partial)) {
            base_fail(TT_ETYPE, e->site, "%s over axis \"%s\", along which the value does not vary", e->op->name,
                      axes.v[i]);
            break;
        }
    return base_hint("each device has the same value, which would be counted once per device; tt_pvary() says that "
                     "this is meant");
}

bool op_exchange_over(const ir_eqn *e, ir_names axes, op_exchange *x)
{
    *x = (op_exchange){ .over = op_over(e, axes), .from_dim = -1, .to_dim = -1 };
    for (int i = 0; i < axes.n; i++) {
        const mesh_list atoms = e->fn->mesh ? mesh_axis_list(e->fn->mesh, axes.v[i]) : 0;
        if (!mesh_list_n(atoms)) {
            base_fail(TT_ETRACE, e->site, "%s over axis \"%s\", which is not bound here", e->op->name, axes.v[i]);
            return base_hint("name an axis of tt_pmap, tt_shard_map or tt_vmap");
        }
        for (int k = 0; k < mesh_list_n(atoms); k++) x->order = mesh_list_push(x->order, mesh_list_at(atoms, k));
    }
    return true;
}

/* If split is concat: the parts become a separate dim, which is exchanged with a new dim of size 1. */
ir_id op_all_to_all(ir_build *b, ir_id x, ir_names axes, int split, int concat, int64_t size, bool unchecked)
{
    const ir_type *const t = ir_typeof(b, x);
    int64_t dim[IR_RANK + 2];
    op_all_to_all_attr a = { axes, split, concat, size, unchecked };
    if (split != concat) return ir_emit(b, &prim_all_to_all, &a, 1, &x, 0, NULL);
    const bool exact = t->dim[split] == size;            /* no dim is needed for the rest of a part */
    if (t->rank + 2 - exact > IR_RANK || t->dim[split] % size)
        return base_fail(TT_ESHAPE, ir_site(b, ir_site(b, NULL)),
                         "all_to_all: dim %d of size %lld does not divide by %lld members", split,
                         (long long)t->dim[split], (long long)size),
               0;
    for (int d = 0, k = 0; d < t->rank; d++) {           /* [.., size, 1, part, ..] */
        if (d == split) dim[k++] = size, dim[k++] = 1;
        if (d != split || !exact) dim[k++] = d == split ? t->dim[d] / size : t->dim[d];
    }
    const ir_id v = op_reshape(b, x, t->rank + 2 - exact, dim);
    a.concat_dimension = split + 1;
    return op_reshape(b, ir_emit(b, &prim_all_to_all, &a, 1, &v, 0, NULL), t->rank, t->dim);
}

bool op_ref_group(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    (void)x; (void)y;
    base_fail(TT_ETRACE, e->site, "%s outside the function that has the axis", e->op->name);
    return base_hint("collectives work inside tt_pmap, tt_shard_map or tt_vmap over a named axis");
}
