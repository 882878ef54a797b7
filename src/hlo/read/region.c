/* hlo/read/region.c - reads operations that reduce or map by a region: reduce, reduce_window, select_and_scatter, map.
 * sort: sort.c.
 *
 * A cumulative reduce_window (window as long as the dim, padded on one side) becomes cumsum, cumprod, cummax or
 * cummin. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

static bool fold(hlo_reader *r, const hlo_op *o, const op_prim *prim, const void *attr, const ir_id *x, ir_id *y)
{
    ir_fn *const f = hlo_closed(r, o, 0);
    const ir_id first = f ? ir_emit(r->b, prim, attr, (uint32_t)o->in.n, x, 1, &f) : 0;
    for (int j = 0; j < o->in.n / 2; j++) y[j] = first + (ir_id)j;
    return first != 0;
}

static bool region_reduce(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_reduce_attr a = { hlo_dims(r, o, &o->attr, "dimensions", 0, 0) };
    if (o->in.n != 2 * o->to.n)
        return hlo_refuse(r, o, TT_EARG,
                          "%d operands for %d results; expected as many arrays, and as many initial values", o->in.n,
                              o->to.n);
    return !r->bad && fold(r, o, &prim_reduce, &a, x, y);
}

static bool region_window(hlo_reader *r, const hlo_op *o, int n, op_window_attr *a)
{
    *a = (op_window_attr){ .window_dimensions = hlo_dims(r, o, &o->attr, "window_dimensions", n, 1),
                           .window_strides = hlo_dims(r, o, &o->attr, "window_strides", n, 1),
                           .base_dilations = hlo_dims(r, o, &o->attr, "base_dilations", n, 1),
                           .window_dilations = hlo_dims(r, o, &o->attr, "window_dilations", n, 1) };
    return hlo_pairs(r, o, "padding", n, &a->padding_low, &a->padding_high) && !r->bad;
}

/* The dim along which each window holds all preceding elements (*back: all following ones); -1: not such a window. */
static int cumulative(const ir_type *t, const op_window_attr *a, bool *back)
{
    int dim = -1;
    for (int d = 0; d < t->rank; d++) {
        const int64_t w = a->window_dimensions.v[d], lo = a->padding_low.v[d], hi = a->padding_high.v[d];
        if (a->window_strides.v[d] != 1 || a->base_dilations.v[d] != 1 || a->window_dilations.v[d] != 1) return -1;
        if (w == 1 && !lo && !hi) continue;
        if (dim >= 0 || w != t->dim[d] || lo + hi != w - 1 || (lo && hi)) return -1;
        dim = d, *back = lo == 0;
    }
    return dim;
}

/* True if each element has a window of its own, as in a cumulative reduction along a dim of size 1. */
static bool of_one(const ir_type *t, const op_window_attr *a)
{
    for (int d = 0; d < t->rank; d++)
        if (a->window_dimensions.v[d] != 1 || a->window_strides.v[d] != 1 || a->base_dilations.v[d] != 1 ||
            a->padding_low.v[d] || a->padding_high.v[d])
            return false;
    return true;
}

static bool is_identity(hlo_reader *r, ir_id id, mesh_reduce reduce)
{
    const ir_eqn *const e = ir_def(r->b, id);
    int64_t zero[1] = { 0 };
    if (!e || e->op != &prim_const) return false;
    const tt_dtype d = IR_ATTR(e, op_const_attr)->dtype;
    const ir_box box = ir_box_of((void *)(uintptr_t)IR_ATTR(e, op_const_attr)->data.p, d, 0, NULL, NULL);
    const ir_num v = ir_load(&box, zero), want = op_identity_num(reduce, d);
    return ir_dtype_of(d)->cls == IR_FLOAT_CLASS ? v.f == want.f : ir_dtype_of(d)->cls == IR_BOOL_CLASS ? v.b == want.b
           : v.u == want.u;
}

/* A cumulative reduction by any region: x = f(x shifted by d, x) for d = 1, 2, 4 ... The reducer is associative and the
 * initial value its identity, as StableHLO requires of reduce_window. */
static bool doubling(hlo_reader *r, const ir_fn *f, int dim, bool back, ir_id x, ir_id *y)
{
    const ir_type *const t = ir_typeof(r->b, x);
    int64_t zero[IR_RANK] = { 0 }, one[IR_RANK], from[IR_RANK], to[IR_RANK], part[IR_RANK];
    const ir_dims low = { t->rank, zero }, step = { t->rank, one }, high = { t->rank, t->dim };
    for (int d = 0; d < t->rank; d++) one[d] = 1, from[d] = 0, to[d] = part[d] = t->dim[d];
    for (int64_t by = 1; by < t->dim[dim]; by *= 2) {
        from[dim] = by, to[dim] = part[dim] = t->dim[dim] - by;
        const ir_id first = op_slice(r->b, x, low, (ir_dims){ t->rank, to }, step);      /* all but the last `by` */
        const ir_id last = op_slice(r->b, x, (ir_dims){ t->rank, from }, high, step);
        const ir_type *const moved = ir_type_of(t->dtype, t->rank, part);
        ir_id met;
        if (!hlo_apply(r, f, moved, back ? (ir_id[]){ last, first } : (ir_id[]){ first, last }, &met)) return false;
        if (back) {                                      /* elements without a successor are unchanged */
            from[dim] = t->dim[dim] - by;
            const ir_id stays = op_slice(r->b, x, (ir_dims){ t->rank, from }, high, step);
            x = op_concatenate(r->b, 2, (ir_id[]){ met, stays }, dim);
        } else {
            to[dim] = by;
            const ir_id stays = op_slice(r->b, x, low, (ir_dims){ t->rank, to }, step);
            x = op_concatenate(r->b, 2, (ir_id[]){ stays, met }, dim);
        }
        if (!x) return false;
    }
    y[0] = x;
    return true;
}

static bool elementwise(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].nin && f->eqn[k].op->batch != op_batch_map) return false;
    return f->narg == 2 && f->nret == 1;
}

static bool reduce_window(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const struct { mesh_reduce reduce; const op_prim *prim; } kinds[] = {
        { MESH_SUM, &prim_cumsum }, { MESH_PROD, &prim_cumprod }, { MESH_MAX, &prim_cummax },
            { MESH_MIN, &prim_cummin } };
    op_window_attr a;
    if (!o->in.n || o->in.n != 2 * o->to.n)
        return hlo_refuse(r, o, TT_EARG,
                          "%d operands for %d results; expected as many arrays, and as many initial values", o->in.n,
                              o->to.n);
    const ir_type *const t = ir_typeof(r->b, x[0]);
    const int n = t->rank;
    if (!region_window(r, o, n, &a)) return false;
    const op_window_attr all[] = { a };
    if (all->window_dimensions.n != n || all->window_strides.n != n || all->base_dilations.n != n ||
        all->window_dilations.n != n)
        return hlo_refuse(r, o, TT_ESHAPE, "the lists of the window must have %d entries, one per dim", n);
    bool back = false;
    const int dim = o->in.n == 2 ? cumulative(t, &a, &back) : -1;
    const bool one = o->in.n == 2 && of_one(t, &a);
    if (dim < 0 && !one) return fold(r, o, &prim_reduce_window, &a, x, y);
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (!f) return false;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (op_monoid(f) == kinds[k].reduce && t->dtype != TT_BOOL && is_identity(r, x[1], kinds[k].reduce))
            return one ? (y[0] = x[0]) != 0 : hlo_emit(r, kinds[k].prim, &(op_cum_attr){ dim, back }, 1, x, y);
    if (op_monoid(f) == MESH_NONE && one && elementwise(f))
        return hlo_apply(r, f, t, (ir_id[]){ op_broadcast(r->b, x[1], t, 0, NULL), x[0] }, y);
    if (op_monoid(f) == MESH_NONE && elementwise(f)) return doubling(r, f, dim, back, x[0], y);
    return fold(r, o, &prim_reduce_window, &a, x, y);
}

static bool select_and_scatter(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    op_window_attr a;
    if (o->in.n != 3) return hlo_refuse(r, o, TT_EARG, "expected three operands, not %d", o->in.n);
    const int n = ir_typeof(r->b, x[0])->rank;
    if (n && !hlo_find(&o->attr, "window_dimensions"))
        return hlo_refuse(r, o, TT_ESHAPE, "window_dimensions is missing; expected %d numbers", n);
    if (!region_window(r, o, n, &a)) return false;
    ir_fn *const sub[] = { hlo_closed(r, o, 0), hlo_closed(r, o, 1) };
    y[0] = sub[0] && sub[1] ? ir_emit(r->b, &prim_select_and_scatter, &a, 3, x, 2, sub) : 0;
    return y[0] != 0;
}

/* Applies a region of scalars to arrays: each equation is emitted on operands of that shape. */
bool hlo_apply(hlo_reader *r, const ir_fn *f, const ir_type *shape, const ir_id *x, ir_id *y)
{
    ir_id *const map = BASE_NEW(r->p->arena, ir_id, f->nvalue + 1);
    for (uint32_t i = 0; i < f->narg; i++) map[i + 1] = x[i];
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const in = BASE_NEW(r->p->arena, ir_id, e->nin + 1);
        if (e->nin && e->op->batch != op_batch_map)
            return base_fail(TT_EARG, e->site, "%s stands in a region that must be elementwise", e->op->name);
        for (uint32_t i = 0; i < e->nin; i++) in[i] = map[e->in[i]];
        ir_id first = ir_clone(r->b, e, in);
        if (!first) return false;
        if (!e->nin) {
            const ir_type *const t = ir_typeof(r->b, first);
            first = op_broadcast(r->b, first, ir_type_of(t->dtype, shape->rank, shape->dim), 0, NULL);
        }
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = first + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) y[j] = map[f->ret[j]];
    return true;
}

static bool map(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (!f) return false;
    if ((int)f->narg != o->in.n || f->nret != 1 || !o->in.n)
        return hlo_refuse(r, o, TT_EARG, "a region of %u parameters and %u results; expected %d and 1", f->narg,
                          f->nret, o->in.n);
    for (uint32_t i = 0; i < f->narg; i++)
        if (f->type[i + 1] != ir_type_of(ir_typeof(r->b, x[i])->dtype, 0, NULL))
            return hlo_refuse(r, o, TT_ETYPE, "parameter %u of the region has not the type of operand %u", i + 1,
                              i + 1);
    const ir_dims over = hlo_dims(r, o, &o->attr, "dimensions", 0, 0);
    bool all = !hlo_find(&o->attr, "dimensions") || over.n == ir_typeof(r->b, x[0])->rank;
    for (int d = 0; all && d < over.n; d++) all = over.v[d] == d;
    if (r->bad || !all)
        return r->bad ? false : hlo_refuse(r, o, TT_ESHAPE, "dimensions: expected all dims, in their order");
    return hlo_apply(r, f, ir_typeof(r->b, x[0]), x, y);
}

const hlo_rule hlo_regions[] = {
    { "stablehlo.reduce", region_reduce },
    { "stablehlo.reduce_window", reduce_window },
    { "stablehlo.select_and_scatter", select_and_scatter },
    { "stablehlo.sort", hlo_sort },
    { "chlo.top_k", hlo_top_k },
    { "stablehlo.map", map },
    { NULL, NULL },
};
