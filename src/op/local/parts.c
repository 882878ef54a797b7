/* op/local/parts.c - places of devices, their parts of values, and equations on them. */
#include "local.h"
#include "../build.h"
#include "../ops.h"

#include <string.h>

bool op_local_none(const ir_eqn *e, const char *why)
{
    return base_fail(TT_EENGINE, e->site, "%s has no form on one device's part: %s", e->op->name, why);
}

ir_names op_local_axes(const op_local_fn *p, mesh_list atoms)
{
    const int n = mesh_list_n(atoms);
    base_name *const v = BASE_NEW(p->a, base_name, n + 1);
    for (int i = 0; i < n; i++) v[i] = p->to->axis[mesh_list_at(atoms, i)].name;
    return (ir_names){ n, v };
}

ir_id op_local_place(op_local_fn *p, mesh_list atoms)
{
    for (int i = 0; i < p->nplace; i++) if (p->place[i].atoms == atoms) return p->place[i].id;
    const op_axis_attr a = { op_local_axes(p, atoms), true };
    const ir_id y = mesh_list_size(p->from, atoms) == 1 ? op_int(p->b, TT_I32, 0)
                                                        : ir_emit(p->b, &prim_axis_index, &a, 0, NULL, 0, NULL);
    if (p->nplace < OP_LOCAL_PLACES) p->place[p->nplace].atoms = atoms, p->place[p->nplace++].id = y;
    return y;
}

ir_id op_local_affine(op_local_fn *p, mesh_list atoms, int64_t first, int64_t by)
{
    if (!by || mesh_list_size(p->from, atoms) == 1) return op_int(p->b, TT_I32, first);
    ir_id y = op_local_place(p, atoms);
    if (by != 1) y = op_mul(p->b, y, op_int(p->b, TT_I32, by));
    return first ? op_add(p->b, y, op_int(p->b, TT_I32, first)) : y;
}

ir_id op_local_table(op_local_fn *p, mesh_list atoms, const int64_t *v)
{
    const int64_t n = mesh_list_size(p->from, atoms), one = 1;
    int32_t *const row = BASE_NEW(p->a, int32_t, n);
    bool same = true;
    for (int64_t i = 0; i < n; i++) row[i] = (int32_t)v[i], same &= v[i] == v[0];
    if (same) return op_int(p->b, TT_I32, v[0]);
    const ir_id all = op_const(p->b, ir_type_of(TT_I32, 1, &n), row), at = op_local_place(p, atoms);
    return op_reshape(p->b, op_dynamic_slice(p->b, all, &at, (ir_dims){ 1, &one }), 0, NULL);
}

const ir_type *op_local_type(const op_local_fn *p, base_site site, const ir_type *t, const mesh_list *at)
{
    int64_t dim[IR_RANK + 1];
    for (int d = 0; d < t->rank; d++) {
        dim[d] = op_local_most(p->from, at[d], t->dim[d]);
        if (t->dim[d] > INT32_MAX) {
            base_fail(TT_EENGINE, site, "dim %d of %s is longer than 2^31 - 1", d, ir_type_text(p->a, t));
            return NULL;
        }
    }
    return ir_type_of(t->dtype, t->rank, dim);
}

const ir_type *op_local_result(const op_local *e)
{
    return op_local_type(e->p, e->e->site, IR_OUT(e->e, 0), e->need[e->e->nin]);
}

bool op_local_cut(const op_local *e, int t, int d) { return mesh_list_size(e->p->from, e->need[t][d]) > 1; }

mesh_set op_local_summed(const op_local *e)
{
    mesh_set s = 0;
    for (int k = 0; k < e->c.rule->nfactor; k++)
        if (e->c.rule->factor[k].kind == OP_REDUCTION) s |= mesh_list_set(e->c.atoms[k]);
    return s;
}

/* True if the local value is a constant whose elements are all the identity. */
static bool is_identity(op_local_fn *p, ir_id x, mesh_reduce kind)
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

ir_id op_local_once(op_local_fn *p, ir_id x, mesh_set over, mesh_reduce kind)
{
    const ir_type *const t = ir_typeof(p->b, x);
    if (!t || mesh_set_size(p->from, over) == 1 || is_identity(p, x, kind)) return x;
    if (kind == MESH_MAX || kind == MESH_MIN || kind == MESH_AND || kind == MESH_OR) return x;
    const ir_type *const truth = ir_type_of(TT_BOOL, t->rank, t->dim);
    const ir_id first = op_equal(p->b, op_local_place(p, mesh_set_list(over)), op_int(p->b, TT_I32, 0));
    return op_select(p->b, op_broadcast(p->b, first, truth, 0, NULL), x,
                     op_broadcast(p->b, op_identity(p->b, kind, t->dtype), t, 0, NULL));
}

ir_id op_local_positions(op_local_fn *p, const ir_type *t, int d, ir_id first)
{
    const ir_type *const i = ir_type_of(TT_I32, t->rank, t->dim);
    return op_add(p->b, op_iota(p->b, i, d), op_broadcast(p->b, first, i, 0, NULL));
}

ir_id op_local_inside(op_local_fn *p, ir_id v, int64_t n)
{
    const ir_type *const t = ir_typeof(p->b, v);
    if (!t) return 0;
    return op_and(p->b, op_compare(p->b, OP_CMP_GE, v, op_zeros(p->b, t)),
                  op_compare(p->b, OP_CMP_LT, v, op_broadcast(p->b, op_int(p->b, t->dtype, n), t, 0, NULL)));
}

ir_fn *op_local_scalars(op_local_fn *p, const ir_fn *f)
{
    ir_build *const b = ir_region(p->b, f->name);
    op_local_fn q = { .a = p->a, .from = p->from, .to = p->to, .b = b };
    ir_id *const ret = BASE_NEW(p->a, ir_id, f->nret + 1), *const map = BASE_NEW(p->a, ir_id, f->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++)
        map[i] = ir_arg(b, ir_type_of(f->type[i]->dtype, f->type[i]->rank, f->type[i]->dim));
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const x = BASE_NEW(p->a, ir_id, e->nin + 1);
        ir_fn **const sub = BASE_NEW(p->a, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        for (uint32_t s = 0; s < e->nsub; s++) if (!(sub[s] = op_local_scalars(&q, e->sub[s]))) return NULL;
        ir_site(b, e->site);
        const ir_id y = ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, sub);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    return ir_end(b, f->nret, ret);
}

bool op_local_emit(op_local *e, const void *attr, ir_id *y)
{
    op_local_fn *const p = e->p;
    ir_fn **const sub = BASE_NEW(p->a, ir_fn *, e->e->nsub + 1);
    for (uint32_t s = 0; s < e->e->nsub; s++) if (!(sub[s] = op_local_scalars(p, e->e->sub[s]))) return false;
    const ir_id first = ir_emit(p->b, e->e->op, attr, e->e->nin, e->x, e->e->nsub, sub);
    for (uint32_t j = 0; j < e->e->nout; j++) y[j] = first + j;
    return first || (!e->e->nout && !base_failed());
}

bool op_local_as_is(op_local *e, ir_id *y) { return op_local_emit(e, e->e->attr, y); }

ir_id op_local_all_gather(op_local_fn *p, ir_id x, mesh_list over, int d)
{
    const op_gather_axes_attr a = { op_local_axes(p, over), d, mesh_list_size(p->from, over), true };
    return ir_emit(p->b, &prim_all_gather, &a, 1, &x, 0, NULL);
}
