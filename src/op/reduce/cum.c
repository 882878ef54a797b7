/* op/reduce/cum.c - shared by cumsum, cumprod, cummax and cummin: y[i] = x[0] op .. op x[i] along one dim, or from its
 * end.
 *
 * The derivatives of the nonlinear three use parallel prefixes by doubling, on pairs (value, tangent): after the round
 * of step 2^j, element i combines 2^(j+1) elements, so log2(n) rounds of slice and combine suffice; their tangents are
 * linear. */
#include "../build.h"

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
        return base_fail(TT_ESHAPE, e->site, "%s: dim %lld of an operand of rank %d", e->op->name, (long long)d,
                         x[0]->rank);
    if (c == IR_BOOL_CLASS || (c == IR_COMPLEX_CLASS && e->op != &prim_cumsum && e->op != &prim_cumprod)) {
        base_fail(TT_ETYPE, e->site, "%s: its operand must be a number, not %s", e->op->name,
                  ir_dtype_of(x[0]->dtype)->name);
        return c == IR_BOOL_CLASS && base_hint("convert it to an integer");
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

/* In the direction of the sum: the first `step` elements, the later ones, or those `step` places before the later
 * ones. An element without one before it takes part in no round: an inserted identity would tie with equal values. */
typedef enum { CUM_FIRST, CUM_LATER, CUM_BEFORE } cum_side;
static ir_id cum_part(ir_build *b, const op_cum_attr *a, ir_id x, int64_t step, cum_side side)
{
    const ir_type *t = x ? ir_typeof(b, x) : NULL;
    int64_t from[IR_RANK] = { 0 }, to[IR_RANK], one[IR_RANK];
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) to[d] = t->dim[d], one[d] = 1;
    const int k = (int)a->dimension;
    const int64_t n = to[k], lo = side == CUM_LATER ? step : 0, hi = side == CUM_FIRST ? step : lo + n - step;
    from[k] = a->reverse ? n - hi : lo;
    to[k] = a->reverse ? n - lo : hi;
    return op_slice(b, x, (ir_dims){ t->rank, from }, (ir_dims){ t->rank, to }, (ir_dims){ t->rank, one });
}

static ir_id cum_joined(ir_build *b, const op_cum_attr *a, ir_id first, ir_id later)
{
    const ir_id part[] = { a->reverse ? later : first, a->reverse ? first : later };
    return first && later ? op_concatenate(b, 2, part, (int)a->dimension) : 0;
}

void op_cum_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const op_cum_attr *a = IR_ATTR(e, op_cum_attr);
    const ir_type *t = IR_IN(e, 0);
    const op_prim *by = op_cum_monoid(e);
    ir_id v = x[0], d = dx[0];
    (void)y;
    for (int64_t step = 1; d && step < t->dim[a->dimension]; step *= 2) {
        const ir_id before = cum_part(b, a, v, step, CUM_BEFORE), dbefore = cum_part(b, a, d, step, CUM_BEFORE);
        const ir_id later = cum_part(b, a, v, step, CUM_LATER), dlater = cum_part(b, a, d, step, CUM_LATER);
        ir_id most, dmost;
        if (by == &prim_mul) {                           /* d(u v) = u dv + v du */
            dmost = op_add(b, op_mul(b, before, dlater), op_mul(b, later, dbefore));
            most = op_mul(b, before, later);
        } else {
            most = ir_emit(b, by, NULL, 2, (const ir_id[]){ before, later }, 0, NULL);
            const ir_id old = op_convert(b, op_equal(b, before, most), t->dtype),
                        new = op_convert(b, op_equal(b, later, most), t->dtype);
            /* equal values get half of the tangent each, as in max */
            const ir_id both = op_mul(b, op_mul(b, old, new), op_splat(b, ir_typeof(b, old), 0.5));
            dmost = op_add(b, op_mul(b, op_sub(b, new, both), dlater), op_mul(b, op_sub(b, old, both), dbefore));
        }
        d = cum_joined(b, a, cum_part(b, a, d, step, CUM_FIRST), dmost);
        v = cum_joined(b, a, cum_part(b, a, v, step, CUM_FIRST), most);
    }
    dy[0] = d;
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
