/* spmd/local/parts.c - places of devices, and their parts of values. */
#include "local.h"
#include "../../op/ops.h"

#include <string.h>

bool spmd_local_none(const ir_eqn *e, const char *why)
{
    return base_fail(TT_EENGINE, e->site, "%s has no form on one device's part: %s", e->op->name, why);
}

ir_names spmd_local_axes(const spmd_local_fn *l, mesh_list atoms)
{
    const int n = mesh_list_n(atoms);
    base_name *const v = BASE_NEW(l->a, base_name, n + 1);
    for (int i = 0; i < n; i++) v[i] = l->to->axis[mesh_list_at(atoms, i)].name;
    return (ir_names){ n, v };
}

const mesh_layout *spmd_local_layout(const spmd_local_fn *l, const mesh_layout *from)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int d = 0; d < from->rank; d++) dim[d] = from->dim[d].atoms;
    return mesh_layout_dims(l->to, from->rank, dim);
}

void spmd_local_place_at(const mesh *m, mesh_list l, int64_t place, uint32_t *at)
{
    for (int i = mesh_list_n(l) - 1; i >= 0; i--) {
        const int a = mesh_list_at(l, i);
        at[a] = (uint32_t)(place % m->atom[a]);
        place /= m->atom[a];
    }
}

ir_id spmd_local_place(spmd_local_part *p, mesh_list atoms)
{
    for (int i = 0; i < p->nplace; i++) if (p->place[i].atoms == atoms) return p->place[i].id;
    const op_axis_attr a = { spmd_local_axes(p->l, atoms), true };
    const ir_id y = mesh_list_size(p->l->from, atoms) == 1 ? op_int(p->b, TT_I32, 0)
                                                           : ir_emit(p->b, &prim_axis_index, &a, 0, NULL, 0, NULL);
    if (p->nplace < SPMD_LOCAL_PLACES) p->place[p->nplace].atoms = atoms, p->place[p->nplace++].id = y;
    return y;
}

ir_id spmd_local_affine(spmd_local_part *p, mesh_list atoms, int64_t first, int64_t by)
{
    if (!by || mesh_list_size(p->l->from, atoms) == 1) return op_int(p->b, TT_I32, first);
    ir_id y = spmd_local_place(p, atoms);
    if (by != 1) y = op_mul(p->b, y, op_int(p->b, TT_I32, by));
    return first ? op_add(p->b, y, op_int(p->b, TT_I32, first)) : y;
}

ir_id spmd_local_table(spmd_local_part *p, mesh_list atoms, const int64_t *v)
{
    const int64_t n = mesh_list_size(p->l->from, atoms), one = 1;
    int32_t *const row = BASE_NEW(p->l->a, int32_t, n);
    bool same = true;
    for (int64_t i = 0; i < n; i++) row[i] = (int32_t)v[i], same &= v[i] == v[0];
    if (same) return op_int(p->b, TT_I32, v[0]);
    const ir_id all = op_const(p->b, ir_type_of(TT_I32, 1, &n), row), at = spmd_local_place(p, atoms);
    return op_reshape(p->b, op_dynamic_slice(p->b, all, &at, (ir_dims){ 1, &one }), 0, NULL);
}

const ir_type *spmd_local_type(const spmd_local_part *p, base_site site, const ir_type *t, const spmd_sharding *x)
{
    int64_t dim[IR_RANK + 1];
    for (int d = 0; d < t->rank; d++) {
        dim[d] = spmd_local_most(p, x->dim[d], t->dim[d]);
        if (t->dim[d] > INT32_MAX) {
            base_fail(TT_EENGINE, site, "dim %d of %s is longer than 2^31 - 1", d, ir_type_text(p->l->a, t));
            return NULL;
        }
    }
    return ir_type_of(t->dtype, t->rank, dim);
}

/* True if the local value is a constant whose elements are all the identity. */
static bool is_identity(spmd_local_part *p, ir_id x, mesh_reduce kind)
{
    const ir_eqn *d = ir_def(p->b, x);
    while (d && (d->op == &prim_broadcast_in_dim || d->op == &prim_reshape)) d = ir_def(p->b, d->in[0]);
    if (!d || d->op != &prim_const) return false;
    const op_const_attr *const c = IR_ATTR(d, op_const_attr);
    const ir_type *const t = IR_OUT(d, 0);
    if (!c->splat && ir_count(t) != 1) return false;
    const ir_num v = ir_number(t->dtype, c->data.p), one = op_identity_num(kind, t->dtype);
    switch (ir_dtype_of(t->dtype)->cls) {
    case IR_BOOL_CLASS: return v.b == one.b;
    case IR_FLOAT_CLASS: return v.f == one.f;
    case IR_COMPLEX_CLASS: return v.c.re == one.c.re && v.c.im == one.c.im;
    default: return v.u == one.u;
    }
}

ir_id spmd_local_once(spmd_local_part *p, ir_id x, mesh_set over, mesh_reduce kind)
{
    const ir_type *const t = ir_typeof(p->b, x);
    if (!t || mesh_set_size(p->l->from, over) == 1 || is_identity(p, x, kind)) return x;
    if (kind == MESH_MAX || kind == MESH_MIN || kind == MESH_AND || kind == MESH_OR) return x;
    const ir_type *const truth = ir_type_of(TT_BOOL, t->rank, t->dim);
    const ir_id first = op_equal(p->b, spmd_local_place(p, mesh_set_list(over)), op_int(p->b, TT_I32, 0));
    return op_select(p->b, op_broadcast(p->b, first, truth, 0, NULL), x,
                     op_broadcast(p->b, op_identity(p->b, kind, t->dtype), t, 0, NULL));
}

ir_id spmd_local_positions(spmd_local_part *p, const ir_type *t, int d, ir_id first)
{
    const ir_type *const i = ir_type_of(TT_I32, t->rank, t->dim);
    return op_add(p->b, op_iota(p->b, i, d), op_broadcast(p->b, first, i, 0, NULL));
}

ir_id spmd_local_inside(spmd_local_part *p, ir_id v, int64_t n)
{
    const ir_type *const t = ir_typeof(p->b, v);
    if (!t) return 0;
    return op_and(p->b, op_compare(p->b, OP_CMP_GE, v, op_zeros(p->b, t)),
                  op_compare(p->b, OP_CMP_LT, v, op_broadcast(p->b, op_int(p->b, t->dtype, n), t, 0, NULL)));
}
