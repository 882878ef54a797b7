/* op/reduce/cum.c - shared by cumsum, cumprod, cummax and cummin: y[i] = x[0] op .. op x[i] along one dim, or from its
 * end.
 *
 * The derivatives of the nonlinear three are those of JAX's associative_scan, on pairs (value, tangent): neighbours are
 * combined, then the prefixes of the combined pairs are computed in the same way. This takes 2 n combinations, whose
 * tangents are linear; the order of combinations decides how equal elements share a maximum's tangent. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef struct { const op_prim *cum, *by; } pair;

const op_prim *op_cum_monoid(const ir_eqn *e)
{
    static const pair table[] = {
        { &prim_cumsum, &prim_add }, { &prim_cumprod, &prim_mul }, { &prim_cummax, &prim_max },
            { &prim_cummin, &prim_min },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) if (table[i].cum == e->op) return table[i].by;
    return NULL;
}

bool op_cum_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const int64_t d = IR_ATTR(e, op_cum_attr)->dimension;
    const ir_class c = ir_dtype_of(x[0]->dtype)->cls;
    if (d < 0 || d >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "%s: no dim %lld in an operand of rank %d", e->op->name, (long long)d,
                         x[0]->rank);
    if (c == IR_BOOL_CLASS || (c == IR_COMPLEX_CLASS && e->op != &prim_cumsum && e->op != &prim_cumprod)) {
        base_fail(TT_ETYPE, e->site, "%s: the operand must be a number, not %s", e->op->name,
                  ir_dtype_of(x[0]->dtype)->name);
        return c == IR_BOOL_CLASS && base_hint("tt_cast(v, TT_I32) makes numbers of bools");
    }
    y[0] = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

void op_cum_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const bool along = d == IR_ATTR(e, op_cum_attr)->dimension;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], along ? OP_NEED_REPLICATION : OP_PASS_THROUGH);
        op_dim(r, 0, d, f);
        op_dim(r, 1, d, f);
    }
}

void op_cum_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    op_cum_attr a = *IR_ATTR(e, op_cum_attr);
    (void)mapped; (void)n; (void)out;
    a.dimension++;
    y[0] = ir_emit(b, e->op, &a, 1, x, 0, NULL);
}

bool op_cum_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)    /* a window as long as the dim */
{
    const op_cum_attr *a = IR_ATTR(e, op_cum_attr);
    const ir_type *t = IR_IN(e, 0);
    const op_prim *by = op_cum_monoid(e);
    int64_t ones[IR_RANK], window[IR_RANK], lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 };
    for (int d = 0; d < t->rank; d++) ones[d] = window[d] = 1;
    if (!ir_count(t)) {
        y[0] = x[0];
        return true;
    }
    window[a->dimension] = t->dim[a->dimension];
    (a->reverse ? hi : lo)[a->dimension] = t->dim[a->dimension] - 1;
    const ir_dims one = { t->rank, ones };
    const op_window_attr w = { { t->rank, window }, one, one, one, { t->rank, lo }, { t->rank, hi } };
    ir_fn *f = op_reducer(b, by, t->dtype);
    const ir_id in[] = { x[0], op_identity(b, by->monoid, t->dtype) };
    y[0] = f ? ir_emit(b, &prim_reduce_window, &w, 2, in, 1, &f) : 0;
    return y[0] != 0;
}

/* Values and their tangents. */
typedef struct { ir_id v, d; } dual;

/* `n` elements from `from` on by `step` along dim k. */
static ir_id cum_part(ir_build *b, int k, ir_id x, int64_t from, int64_t n, int64_t step)
{
    const ir_type *t = x ? ir_typeof(b, x) : NULL;
    int64_t start[IR_RANK] = { 0 }, limit[IR_RANK], by[IR_RANK];
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) limit[d] = t->dim[d], by[d] = 1;
    start[k] = from;
    limit[k] = from + (n - 1) * step + 1;
    by[k] = step;
    return op_slice(b, x, (ir_dims){ t->rank, start }, (ir_dims){ t->rank, limit }, (ir_dims){ t->rank, by });
}

static dual cum_parts(ir_build *b, int k, dual x, int64_t from, int64_t n, int64_t step)
{
    return (dual){ cum_part(b, k, x.v, from, n, step), cum_part(b, k, x.d, from, n, step) };
}

/* first[0], then later[0], later[1], ... */
static ir_id cum_joined(ir_build *b, int k, ir_id first, ir_id later)
{
    return first && later ? op_concatenate(b, 2, (const ir_id[]){ first, later }, k) : 0;
}

/* even[0], odd[0], even[1], odd[1], ...: a sum of both with zeros between their elements. */
static ir_id cum_interleaved(ir_build *b, int k, ir_id even, ir_id odd)
{
    if (!even || !odd) return 0;
    const int rank = ir_typeof(b, even)->rank;
    const bool more = ir_typeof(b, even)->dim[k] > ir_typeof(b, odd)->dim[k];
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, between[IR_RANK] = { 0 };
    between[k] = 1;
    hi[k] = !more;
    even = op_pad(b, even, (ir_dims){ rank, lo }, (ir_dims){ rank, hi }, (ir_dims){ rank, between });
    lo[k] = 1;
    hi[k] = more;
    odd = op_pad(b, odd, (ir_dims){ rank, lo }, (ir_dims){ rank, hi }, (ir_dims){ rank, between });
    return even && odd ? op_add(b, even, odd) : 0;
}

static dual cum_combined(ir_build *b, const op_prim *by, dual before, dual later)
{
    if (!before.v || !before.d || !later.v || !later.d) return (dual){ 0, 0 };
    if (by == &prim_mul)                                 /* d(u v) = u dv + v du */
        return (dual){ op_mul(b, before.v, later.v),
                       op_add(b, op_mul(b, before.v, later.d), op_mul(b, later.v, before.d)) };
    const ir_id most = ir_emit(b, by, NULL, 2, (const ir_id[]){ before.v, later.v }, 0, NULL);
    const tt_dtype t = ir_typeof(b, before.v)->dtype;
    const ir_id old = op_convert(b, op_equal(b, before.v, most), t), new = op_convert(b, op_equal(b, later.v, most), t);
    /* equal values get half of the tangent each, as in max */
    const ir_id both = op_mul(b, op_mul(b, old, new), op_splat(b, ir_typeof(b, old), 0.5));
    return (dual){ most, op_add(b, op_mul(b, op_sub(b, new, both), later.d),
                                op_mul(b, op_sub(b, old, both), before.d)) };
}

/* The prefixes of x along dim k. Those that end at odd elements are the prefixes of the combined pairs; those that end
 * at even elements are these, each combined with the next even element. */
static dual cum_scan(ir_build *b, const op_prim *by, int k, dual x)
{
    const int64_t n = x.d ? ir_typeof(b, x.d)->dim[k] : 0, half = n / 2, later = (n - 1) / 2;
    if (n < 2) return x;
    const dual odd = cum_scan(b, by, k, cum_combined(b, by, cum_parts(b, k, x, 0, half, 2),
                                                     cum_parts(b, k, x, 1, half, 2)));
    dual even = cum_parts(b, k, x, 0, 1, 1);
    if (later) {
        const dual rest = cum_combined(b, by, cum_parts(b, k, odd, 0, later, 1), cum_parts(b, k, x, 2, later, 2));
        even = (dual){ cum_joined(b, k, even.v, rest.v), cum_joined(b, k, even.d, rest.d) };
    }
    return (dual){ cum_interleaved(b, k, even.v, odd.v), cum_interleaved(b, k, even.d, odd.d) };
}

void op_cum_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const op_cum_attr *a = IR_ATTR(e, op_cum_attr);
    const ir_dims along = { a->reverse, &a->dimension };
    (void)y;
    if (!dx[0]) return;
    const dual z = { op_reverse(b, x[0], along), op_reverse(b, dx[0], along) };
    const ir_id d = cum_scan(b, op_cum_monoid(e), (int)a->dimension, z).d;
    dy[0] = d ? op_reverse(b, d, along) : 0;
}

bool op_cum_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_cum_attr *a = IR_ATTR(e, op_cum_attr);
    const mesh_reduce reduce = op_cum_monoid(e)->monoid;
    const int k = (int)a->dimension;
    ir_box first = *y;
    int64_t i[IR_RANK];
    if (!y->n[k]) return true;
    first.n[k] = 1;
    for (bool more = ir_first(&first, i); more; more = ir_next(&first, i)) {
        int64_t j[IR_RANK];
        ir_num acc = { .c = { 0, 0 } };
        memcpy(j, i, sizeof j);
        for (int64_t n = 0; n < y->n[k]; n++) {
            j[k] = y->lo[k] + (a->reverse ? y->n[k] - 1 - n : n);
            acc = n ? op_combine_wide(reduce, x->dtype, acc, ir_load(x, j)) : ir_load(x, j);
            ir_store(y, j, acc);
        }
    }
    return true;
}

const ir_field op_cum_fields[] = { IR_FIELD(op_cum_attr, dimension, IR_INT),
                                   IR_FIELD(op_cum_attr, reverse, IR_BOOL),
                                   { 0 } };
