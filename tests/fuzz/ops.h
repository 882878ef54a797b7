/* fuzz/ops.h - one equation at random: elementwise, sums, contractions, moves. */
#ifndef TUTTI_TESTS_FUZZ_OPS_H
#define TUTTI_TESTS_FUZZ_OPS_H

#include "facts.h"

/* ---- a value of a wanted type ---- */

static inline ir_id converted(gen *g, ir_id v, tt_dtype to)
{
    const ir_type *t = type_of(g, v);
    if (!v || t->dtype == to) return v;
    const fact x = fact_of(g, v);
    const ir_id y = op_convert(g->b, v, to);
    if (!y) return 0;
    const ir_class from = ir_dtype_of(t->dtype)->cls;
    const bool whole = x.kind == WHOLE && x.bound <= exact_to(to);
    const bool wraps = ir_dtype_of(to)->cls == IR_UINT_CLASS && from != IR_UINT_CLASS && from != IR_BOOL_CLASS;
    const bool parts = is_complex(t) || is_complex(type_of(g, y));
    const bool loose = parts || (fuzz_elsewhere && is_coarse(to));
    set_fact(g, y, (fact){ whole ? WHOLE : loose ? LOOSE : meet(x.kind, SURE), wraps ? exact_to(to) : x.bound });
    return y;
}

static inline ir_id flattened(gen *g, ir_id v, int64_t count)    /* cut or filled with zeros to so many elements */
{
    const int64_t has = ir_count(type_of(g, v)), zero = 0, one = 1, more = count - has;
    v = noted(g, op_reshape(g->b, v, 1, &has));
    if (has > count) v = op_slice(g->b, v, (ir_dims){ 1, &zero }, (ir_dims){ 1, &count }, (ir_dims){ 1, &one });
    if (has < count) v = op_pad(g->b, v, (ir_dims){ 1, &zero }, (ir_dims){ 1, &more }, (ir_dims){ 1, &zero });
    return noted(g, v);
}

/* No value of the pool can be LOOSE and become an integer: those are passed over. */
static inline ir_id of_type(gen *g, const ir_type *t)
{
    for (int tries = 0; tries < 6; tries++) {
        ir_id v = any(g);
        const ir_type *x = type_of(g, v);
        if (x == t) return v;
        if (tries < 3 && x->dtype != t->dtype) continue;
        if (!is_float(t) && is_float(x) && fact_of(g, v).kind == LOOSE) continue;
        v = converted(g, v, t->dtype);
        x = v ? type_of(g, v) : NULL;
        if (!x) continue;
        for (int d = 0; x->rank == 1 && d < t->rank; d++)
            if (x->dim[0] == t->dim[d] && pick(2)) return noted(g, op_broadcast(g->b, v, t, 1, (const int64_t[]){ d }));
        if (x->rank == 0 && t->rank) return noted(g, op_broadcast(g->b, v, t, 0, NULL));
        v = flattened(g, v, ir_count(t));
        return noted(g, op_reshape(g->b, v, t->rank, t->dim));
    }
    const double n = (double)pick(5);
    const bool flags = t->dtype == TT_BOOL, counts = t->rank && pick(2) && !is_float(t) && !flags;
    const ir_id v = counts ? op_iota(g->b, t, (int)pick((uint32_t)t->rank)) : op_splat(g->b, t, flags ? pick(2) : n);
    if (v) set_fact(g, v, (fact){ WHOLE, 12 });
    return v;
}

static inline ir_id number(gen *g, tt_dtype d, double n)
{
    const ir_id v = op_splat(g->b, ir_type_of(d, 0, NULL), n);
    if (v) set_fact(g, v, (fact){ WHOLE, fabs(n) });
    return v;
}

/* ---- elementwise ---- */

static inline ir_id make_map(gen *g)
{
    static const op_prim *const two[] = { &prim_add, &prim_sub, &prim_mul, &prim_max, &prim_min, &prim_and, &prim_or,
        &prim_xor,
                                         &prim_div, &prim_rem, &prim_pow, &prim_atan2 };
    static const op_prim *const one[] = { &prim_neg, &prim_abs, &prim_sign, &prim_not, &prim_tanh, &prim_exp, &prim_sin,
                                         &prim_logistic, &prim_floor, &prim_sqrt, &prim_log, &prim_cos,
                                             &prim_is_finite };
    const ir_id x = any(g);
    const bool real = is_float(type_of(g, x));
    switch (pick(6)) {
    case 0: case 1: case 2: {
        const ir_id in[2] = { x, of_type(g, type_of(g, x)) };
        return ir_emit(g->b, two[pick(once_in(3) ? 12 : 5)], NULL, 2, in, 0, NULL);
    }
    case 3: return ir_emit(g->b, one[real ? pick(13) : pick(4)], NULL, 1, &x, 0, NULL);
    case 4: {
        const ir_id s = any_such(g, is_sure), y = s ? of_type(g, type_of(g, s)) : 0;
        if (!y || !is_sure(g, y)) return 0;
        const ir_id p = noted(g, op_compare(g->b, (op_cmp)pick(6), s, y));
        return !p || once_in(3) ? p : op_select(g->b, p, of_type(g, type_of(g, s)), s);
    }
    default: {
        const ir_id v = once_in(2) ? x : any_such(g, is_sure);
        const tt_dtype to = some_dtype();
        if (!v || (!is_float(ir_type_of(to, 0, NULL)) && !is_sure(g, v))) return 0;
        const ir_id y = converted(g, v, to);
        if (y && y != v) offer(g, y);
        return 0;
    }
    }
}

/* ---- sums ---- */

static inline const op_prim *some_monoid(tt_dtype d)
{
    static const op_prim *const any[] = { &prim_add, &prim_max, &prim_add, &prim_min, &prim_mul },
                        *const bits[] = { &prim_or, &prim_and, &prim_xor };
    if (d == TT_BOOL) return bits[pick(2)];
    return ir_dtype_of(d)->cls != IR_FLOAT_CLASS && once_in(5) ? bits[pick(3)] : any[pick(5)];
}

/* Of an initial value: where nothing is reduced an infinity may stay, or an integer's first or last. */
static inline fact start_fact(const op_prim *m, tt_dtype t, bool empty)
{
    if (!empty || (m->monoid != MESH_MAX && m->monoid != MESH_MIN)) return (fact){ WHOLE, 3 };
    return ir_is_float(t) ? (fact){ SURE, WILD } : (fact){ WHOLE, exact_to(t) };
}

static inline ir_id make_reduce(gen *g)
{
    const ir_id x = any(g);
    int64_t dims[IR_RANK];
    int n = 0;
    for (int d = 0; d < type_of(g, x)->rank; d++) if (pick(2)) dims[n++] = d;
    if (!n) return 0;
    const tt_dtype t = type_of(g, x)->dtype;
    const op_prim *m = some_monoid(t);
    ir_fn *f = op_reducer(g->b, m, t);
    const ir_id in[2] = { x, once_in(4) ? number(g, t, t == TT_BOOL ? 1 : 3) : op_identity(g->b, m->monoid, t) };
    const bool empty = dims_of(type_of(g, x), (ir_dims){ n, dims }) == 0;
    if (in[1]) set_fact(g, in[1], start_fact(m, t, empty));
    return f ? ir_emit(g->b, &prim_reduce, &(op_reduce_attr){ { n, dims } }, 2, in, 1, &f) : 0;
}

/* Of a product of such numbers: their type, or a wider one. */
static inline tt_dtype some_result(tt_dtype t)
{
    if (pick(3)) return t;
    switch (ir_dtype_of(t)->cls) {
    case IR_FLOAT_CLASS: return t == TT_F64 ? TT_F64 : pick(2) ? TT_F32 : TT_F64;
    case IR_INT_CLASS:   return t == TT_I64 ? TT_I64 : TT_I32;
    case IR_UINT_CLASS:  return t == TT_U64 ? TT_U64 : TT_U32;
    default:             return t;
    }
}

static inline ir_id make_dot(gen *g)
{
    const ir_id x = any(g);
    const ir_type *t = type_of(g, x);
    int64_t lb[IR_RANK], rb[IR_RANK], lc[IR_RANK], rc[IR_RANK], dim[IR_RANK], n = 0, count = 1;
    int nb = 0, nc = 0;
    if (t->rank > 4) return 0;
    for (int d = 0; d < t->rank; d++) {                  /* a second operand that fits */
        const uint32_t role = pick(3);
        if (role == 2) lb[nb] = d, rb[nb++] = n, dim[n++] = t->dim[d];
        else if (role == 1) lc[nc] = d, rc[nc++] = n, dim[n++] = t->dim[d];
    }
    const int free = (int)pick(3);
    for (int i = 0; i < free && n < 5; i++) dim[n++] = some_dim();
    for (int d = 0; d < n; d++) count *= dim[d];
    if (count > FUZZ_COUNT) return 0;
    int64_t other[IR_RANK], to[IR_RANK];                 /* its dims in any order, as einsum writes them */
    for (int d = 0; d < n; d++) to[d] = d;
    for (int d = (int)n; d > 1 && pick(3) == 2; d--) {
        const uint32_t k = pick((uint32_t)d);
        const int64_t s = to[d - 1];
        to[d - 1] = to[k], to[k] = s;
    }
    for (int d = 0; d < n; d++) other[to[d]] = dim[d];
    for (int k = 0; k < nb; k++) rb[k] = to[rb[k]];
    for (int k = 0; k < nc; k++) rc[k] = to[rc[k]];
    const ir_id y = of_type(g, ir_type_of(t->dtype, (int)n, other));
    const op_dot_attr a = { { nb, lb }, { nb, rb }, { nc, lc }, { nc, rc }, some_result(t->dtype), (nb + nc) % 3 };
    return y ? op_dot(g->b, x, y, &a) : 0;
}

/* ---- moves ---- */

static inline ir_id make_slice(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    int64_t lo[IR_RANK], hi[IR_RANK], st[IR_RANK];
    for (int d = 0; d < t->rank; d++) {
        lo[d] = pick(2) ? pick((uint32_t)t->dim[d] + 1) : 0;
        hi[d] = t->dim[d] - (pick(2) ? pick((uint32_t)(t->dim[d] - lo[d]) + 1) : 0);
        st[d] = 1 + (once_in(3) ? pick(4) : 0);
    }
    return op_slice(g->b, x, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, st });
}

static inline ir_id make_pad(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    int64_t v[3][IR_RANK];
    for (int d = 0; d < t->rank; d++) {
        v[0][d] = (int64_t)pick(4) - (once_in(4) ? 3 : 0);
        v[1][d] = (int64_t)pick(4) - (once_in(4) ? 3 : 0);
        v[2][d] = once_in(4) ? pick(3) : 0;
    }
    const op_pad_attr a = { { t->rank, v[0] }, { t->rank, v[1] }, { t->rank, v[2] } };
    const ir_id in[2] = { x, number(g, t->dtype, pick(2)) };
    return in[1] ? ir_emit(g->b, &prim_pad, &a, 2, in, 0, NULL) : 0;
}

static inline ir_id make_concatenate(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    const int at = (int)pick((uint32_t)t->rank), n = 1 + (int)pick(3);
    ir_id in[4] = { x };
    for (int i = 1; i <= n; i++) {
        int64_t dim[IR_RANK];
        memcpy(dim, t->dim, sizeof *dim * (size_t)t->rank);
        if (pick(2)) dim[at] = some_dim();
        if (!(in[i] = pick(3) ? of_type(g, ir_type_of(t->dtype, t->rank, dim)) : x)) return 0;
    }
    const uint32_t first = pick((uint32_t)n + 1);
    in[0] = in[first], in[first] = x;
    return op_concatenate(g->b, n + 1, in, at);
}

static inline ir_id make_reshape(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    int64_t dim[IR_RANK], left = ir_count(t);
    int n = 0;
    if (!left) return 0;
    for (int64_t p = 2; left > 1 && n < 4; p++)
        while (left % p == 0 && left > 1 && n < 4) {     /* prime by prime, some joined */
            left /= p;
            if (n && pick(2)) dim[n - 1] *= p;
            else dim[n++] = p;
        }
    if (left > 1) {
        if (n < 4) dim[n++] = left;
        else dim[n - 1] *= left;
    }
    if (once_in(3)) dim[n++] = 1;
    for (int i = n; i > 1 && pick(2); i--) {
        const uint32_t k = pick((uint32_t)i);
        const int64_t s = dim[i - 1];
        dim[i - 1] = dim[k], dim[k] = s;
    }
    return op_reshape(g->b, x, n, dim);
}

static inline ir_id make_broadcast(gen *g, ir_id x)
{
    const ir_type *t = type_of(g, x);
    int64_t dim[IR_RANK], to[IR_RANK] = { 0 };
    int n = 0;
    if (t->rank > 4) return 0;
    for (int d = 0; d <= t->rank; d++) {
        if (once_in(3)) dim[n++] = 1 + pick(4);
        if (d == t->rank) break;
        to[d] = n;
        dim[n++] = t->dim[d] == 1 && pick(2) ? 1 + pick(5) : t->dim[d];
    }
    const ir_type *y = ir_type_of(t->dtype, n, dim);
    return ir_count(y) > FUZZ_COUNT ? 0 : op_broadcast(g->b, x, y, t->rank, to);
}

static inline ir_id make_transpose(gen *g, ir_id x, bool turn)
{
    const int rank = type_of(g, x)->rank;
    int64_t p[IR_RANK] = { 0 };
    int n = 0;
    for (int d = 0; turn && d < rank; d++) if (pick(2)) p[n++] = d;
    if (turn) return op_reverse(g->b, x, (ir_dims){ n, p });
    for (int d = 0; d < rank; d++) p[d] = d;
    for (int d = rank; d > 1; d--) {
        const uint32_t k = pick((uint32_t)d);
        const int64_t s = p[d - 1];
        p[d - 1] = p[k], p[k] = s;
    }
    return op_transpose(g->b, x, p);
}

static inline ir_id make_move(gen *g)
{
    const ir_id x = any_such(g, has_dims);
    if (!x) return 0;
    switch (pick(8)) {
    case 0: return make_transpose(g, x, false);
    case 1: return make_slice(g, x);
    case 2: return make_pad(g, x);
    case 3: return make_concatenate(g, x);
    case 4: return make_transpose(g, x, true);
    case 5: return make_broadcast(g, x);
    case 6: return of_type(g, some_type());
    default: return make_reshape(g, x);
    }
}

#endif
