/* api/collective.c - collectives over named axes that compute or exchange values, leafwise on trees; with device groups
 * as compositions.
 *
 * Over a vmapped axis, and under pmap, collectives are unchecked: psum's transpose is psum. With groups, every device
 * gathers all operands and selects its group's by a static table. */
#include "coll.h"
#include "../op/ops.h"

typedef enum { PSUM, PMEAN, PMAX, PMIN } reduce_kind;
static const struct { const char *name; const op_prim *prim, *reduce;
} reducer[] = {
    { "psum", &prim_psum, &prim_add },
    { "pmean", &prim_psum, &prim_add },
    { "pmax", &prim_pmax, &prim_max },
    { "pmin", &prim_pmin, &prim_min },
};

/* multiplied by 1/n, as in XLA */
static ir_id divided(ir_build *b, ir_id x, int64_t n)
{
    const ir_type *t = ir_typeof(b, x);
    return t ? op_mul(b, x, op_splat(b, ir_type_of(t->dtype, t->rank, t->dim), 1 / (double)n)) : 0;
}

/* The type of a mean of integers: f64 of 64 bits with TUTTI=x64, else f32. */
static tt_dtype mean_type(tt_dtype t) { return trace_x64() && ir_dtype_of(t)->bits == 64 ? TT_F64 : TT_F32; }

static bool reduce_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const coll *c = *(const coll *const *)env;
    const ir_type *t = ir_typeof(b, in[0]);
    const bool integer = !ir_is_float(t->dtype) && ir_dtype_of(t->dtype)->cls != IR_COMPLEX_CLASS;
    ir_id x = in[0];
    if ((c->kind == PSUM || c->kind == PMEAN) && t->dtype == TT_BOOL) x = op_convert(b, x, TT_I32);
    if (c->group) {
        ir_id *m = IR_NEW(b, ir_id, c->each);
        if (!coll_members(b, x, c, m)) return false;
        x = m[0];
        for (int k = 1; k < c->each; k++) x = ir_emit(b, reducer[c->kind].reduce, NULL, 2, (ir_id[]){ x, m[k] }, 0,
            NULL);
    } else {
        const op_reduce_axes_attr a = { coll_names(c), c->unchecked };
        x = coll_each_own(b, x, c);
        x = ir_emit(b, reducer[c->kind].prim, &a, 1, &x, 0, NULL);
    }
    if (c->kind == PMEAN && integer) x = op_convert(b, x, mean_type(t->dtype));
    if (c->kind == PMEAN) x = divided(b, x, c->group ? c->each : c->size);
    return (out[0] = x) != 0;
}

static trace_value *reduce_leaf(base_site site, trace_value *v, const void *env)
{
    return coll_with(site, reduce_body, env, v);
}

static tt_val collective_reduce(base_site site, int kind, tt_val v, const char *axis, const tt_reduce_axes_opts *o)
{
    const char *what = reducer[kind].name;
    coll *c = BASE_NEW(trace_temp(), coll, 1);
    trace_value *x = trace_get(site, v);
    c->kind = kind;
    if (!x || !API_OPTIONS(site, what, tt_reduce_axes_opts, o) || !coll_axes(site, what, axis, c) ||
        !coll_groups(site, what, o->groups, c))
        return trace_poison;
    return api_handle(trace_leafwise(site, x, reduce_leaf, c));
}

VAL3(tt_psum, tt_val, v, const char *, axis, const tt_reduce_axes_opts *,
    o) { return collective_reduce(site, PSUM, v, axis, o); }
VAL3(tt_pmean, tt_val, v, const char *, axis, const tt_reduce_axes_opts *, o)
{
    return collective_reduce(site, PMEAN, v, axis, o);
}
VAL3(tt_pmax, tt_val, v, const char *, axis, const tt_reduce_axes_opts *,
    o) { return collective_reduce(site, PMAX, v, axis, o); }
VAL3(tt_pmin, tt_val, v, const char *, axis, const tt_reduce_axes_opts *,
    o) { return collective_reduce(site, PMIN, v, axis, o); }

/* ---- gather, scatter ---- */

static ir_id collective_concatenate(ir_build *b, const ir_id *m, int n, int64_t dim, bool stack)
{
    ir_id *x = IR_NEW(b, ir_id, n);
    for (int k = 0; k < n; k++) {
        const ir_type *t = ir_typeof(b, m[k]);
        int64_t d[IR_RANK];
        x[k] = m[k];
        if (!stack) continue;
        for (int i = 0, q = 0; i <= t->rank; i++) d[i] = i == dim ? 1 : t->dim[q++];
        x[k] = op_reshape(b, m[k], t->rank + 1, d);
    }
    return op_concatenate(b, n, x, (int)dim);
}

static bool gather_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const coll *c = *(const coll *const *)env;
    if (!c->group) return (out[0] = coll_gathered(b, in[0], c, c->dim, c->stack)) != 0;
    ir_id *m = IR_NEW(b, ir_id, c->each);
    return coll_members(b, in[0], c, m) && (out[0] = collective_concatenate(b, m, c->each, c->dim,
        c->stack)) != 0;
}

/* Part i of n along dim; stack: dim has size n and is removed. */
static ir_id collective_part(ir_build *b, ir_id x, int64_t dim, int64_t n, ir_id i, bool stack)
{
    const ir_type *t = ir_typeof(b, x);
    ir_id at[IR_RANK];
    int64_t size[IR_RANK], d[IR_RANK];
    if (!t) return 0;
    const ir_id zero = op_int(b, TT_I32, 0);
    for (int k = 0; k < t->rank; k++)
        size[k] = k == dim ? t->dim[k] / n : t->dim[k],
        at[k] = k == dim ? op_mul(b, i, op_int(b, TT_I32, t->dim[k] / n)) : zero;
    const ir_id y = op_dynamic_slice(b, x, at, (ir_dims){ t->rank, size });
    int r = 0;
    for (int k = 0; k < t->rank; k++) if (k != dim) d[r++] = size[k];
    return stack ? op_reshape(b, y, r, d) : y;
}

static bool scatter_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const coll *c = *(const coll *const *)env;
    const ir_type *t = ir_typeof(b, in[0]);
    int64_t d[IR_RANK];
    int r = 0;
    if (c->group) {
        ir_id *m = IR_NEW(b, ir_id, c->each);
        if (!coll_members(b, in[0], c, m)) return false;
        ir_id sum = m[0];
        for (int k = 1; k < c->each; k++) sum = op_add(b, sum, m[k]);
        return (out[0] = collective_part(b, sum, c->dim, c->each, coll_rank_in_group(b, c), c->stack)) != 0;
    }
    const op_gather_axes_attr a = { coll_names(c), c->dim, c->size, c->unchecked };
    const ir_id x = coll_each_own(b, in[0], c), y = ir_emit(b, &prim_reduce_scatter, &a, 1, &x, 0, NULL);
    for (int k = 0; k < t->rank; k++) if (k != c->dim) d[r++] = t->dim[k];
    return (out[0] = c->stack ? op_reshape(b, y, r, d) : y) != 0;
}

static bool divides(base_site site, const char *what, const trace_value *v, int64_t dim, const coll *c, bool stack)
{
    const int64_t n = c->group ? c->each : c->size, size = v->type->dim[dim];
    if (stack ? size == n : size % n == 0) return true;
    base_fail(TT_ESHAPE, site,
              stack ? "%s: dim %lld has %lld elements, not one per device (%lld)"
                    : "%s: dim %lld has %lld elements, which do not divide over %lld devices",
              what, (long long)dim, (long long)size, (long long)n);
    return trace_cite(v);
}

/* Dims relative to each leaf: negative ones count from its end. */
static trace_value *gather_leaf(base_site site, trace_value *v, const void *env)
{
    coll c = *(const coll *)env;
    const int capacity = v->type->rank + c.stack, d = (int)(c.dim < 0 ? c.dim + capacity : c.dim);
    if (d < 0 || d >= capacity) {
        base_fail(TT_ESHAPE, site, "all_gather: no dim %lld in a value of rank %d", (long long)c.dim, v->type->rank);
        trace_cite(v);
        if (!v->type->rank) base_hint("give .stack = 1 to gather scalars into a new dim");
        return NULL;
    }
    c.dim = d;
    return coll_with(site, gather_body, &c, v);
}

static trace_value *scatter_leaf(base_site site, trace_value *v, const void *env)
{
    coll c = *(const coll *)env;
    const int d = api_dim(site, "psum_scatter", v, (int)c.dim);
    if (d < 0 || !divides(site, "psum_scatter", v, d, &c, c.stack)) return NULL;
    c.dim = d;
    return coll_with(site, scatter_body, &c, v);
}

static tt_val gather_like(base_site site, const char *what, trace_each *leaf, tt_val v, const char *axis,
                          const tt_gather_axes_opts *o)
{
    coll *c = BASE_NEW(trace_temp(), coll, 1);
    trace_value *x = trace_get(site, v);
    if (!x || !API_OPTIONS(site, what, tt_gather_axes_opts, o) || !coll_axes(site, what, axis, c) ||
        !coll_groups(site, what, o->groups, c))
        return trace_poison;
    c->dim = o->dim;
    c->stack = o->stack != 0;
    return api_handle(trace_leafwise(site, x, leaf, c));
}

VAL3(tt_all_gather, tt_val, v, const char *, axis, const tt_gather_axes_opts *, o)
{
    return gather_like(site, "all_gather", gather_leaf, v, axis, o);
}
VAL3(tt_psum_scatter, tt_val, v, const char *, axis, const tt_gather_axes_opts *, o)
{
    return gather_like(site, "psum_scatter", scatter_leaf, v, axis, o);
}

/* ---- all to all ---- */

/* Untiled: dim `split` (one entry per device) is removed, and a dim of that size is added at `concat`. */
static bool all_to_all_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const coll *c = *(const coll *const *)env;
    ir_id x = in[0];
    int64_t split = c->split, concat = c->concat;
    if (c->stack) { /* separate split: [.., n, ..] -> n tiled along a new dim */
        const ir_type *t = ir_typeof(b, x);
        x = op_move(b, x, (int)split, 0);
        int64_t d[IR_RANK];
        for (int i = 0, k = 1; i <= t->rank; i++)
            d[i] = i == 0 ? c->group ? c->each : c->size : i == concat + 1 ? 1 : ir_typeof(b, x)->dim[k++];
        x = op_reshape(b, x, t->rank + 1, d);            /* [n, ..., 1 at concat + 1, ...] */
        split = 0;
        concat = concat + 1;
    }
    if (c->group) {
        ir_id *m = IR_NEW(b, ir_id, c->each);
        if (!coll_members(b, x, c, m)) return false;
        const ir_id me = coll_rank_in_group(b, c);
        for (int k = 0; k < c->each; k++) m[k] = collective_part(b, m[k], split, c->each, me, false);
        x = collective_concatenate(b, m, c->each, concat, false);
    } else {
        x = op_all_to_all(b, coll_each_own(b, x, c), coll_names(c), (int)split, (int)concat, c->size, c->unchecked);
    }
    if (c->stack && x) {                                 /* [1, ..., n at concat, ...]: remove the first dim */
        const ir_type *t = ir_typeof(b, x);
        x = op_reshape(b, x, t->rank - 1, t->dim + 1);
    }
    return (out[0] = x) != 0;
}

static trace_value *all_to_all_leaf(base_site site, trace_value *v, const void *env)
{
    coll c = *(const coll *)env;
    const int s = api_dim(site, "all_to_all", v, (int)c.split),
              d = s < 0 ? -1 : api_dim(site, "all_to_all", v, (int)c.concat);
    if (d < 0 || !divides(site, "all_to_all", v, s, &c, c.stack)) return NULL;
    c.split = s;
    c.concat = d;
    return coll_with(site, all_to_all_body, &c, v);
}

VAL3(tt_all_to_all, tt_val, v, const char *, axis, const tt_all_to_all_opts *, o)
{
    coll *c = BASE_NEW(trace_temp(), coll, 1);
    trace_value *x = trace_get(site, v);
    if (!x || !API_OPTIONS(site, "all_to_all", tt_all_to_all_opts, o) || !coll_axes(site, "all_to_all", axis, c) ||
        !coll_groups(site, "all_to_all", o->groups, c))
        return trace_poison;
    c->split = o->split;
    c->concat = o->concat;
    c->stack = o->stack != 0;
    return api_handle(trace_leafwise(site, x, all_to_all_leaf, c));
}
