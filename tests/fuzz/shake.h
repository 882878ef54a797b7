/* fuzz/shake.h - what rounding may do to a program: the reference evaluator with every inexact sum shaken.
 *
 * Kernels give the reference's bits but for sums, whose terms are added in another order, in parts that are rounded, or
 * in another width; sums and products of parts that are still open are rounded part by part. So a program is evaluated
 * again with terms and results of these off by an ulp or two. One value of the program is still one number, whoever
 * reads it: a shake is a function of equation, element and bits. What is far from all shaken results is wrong; where
 * these are far from each other, the program is ill conditioned there.
 *
 * What an infinity or NaN becomes is not settled everywhere: times a part of an unreduced sum that is 0, times the
 * zeros that pad a convolution, in a Fourier transform. There every second shake is NaN.
 *
 * A shaken function is a copy whose primitives have another .ref (and .group). What is exact in any order is left
 * alone. */
#ifndef TUTTI_TESTS_FUZZ_SHAKE_H
#define TUTTI_TESTS_FUZZ_SHAKE_H

#include "choices.h"

static uint64_t shake_seed;

static inline double ulp_of(tt_dtype d)
{
    if (ir_is_narrow(d) && ir_is_float(d)) return ldexp(1, -ir_dtype_of(d)->mant - 1);
    if (d == TT_F64 || d == TT_C128) return 0x1p-53;
    return d == TT_F32 || d == TT_C64 ? 0x1p-24 : d == TT_F16 ? 0x1p-11 : 0x1p-8;
}

static inline double shaken_number(double v, tt_dtype d, const op_prim *who, uint64_t at)
{
    const ir_num n = { .f = v };
    uint64_t s = shake_seed ^ base_hash(0, who->name, strlen(who->name)) * 0x9E3779B97F4A7C15u ^ n.u * 31 ^ at;
    return v * (1 + 2 * ulp_of(d) * ((double)(fuzz_mix(&s) >> 11) * 0x1p-52 - 1));
}

static inline void shake_box(const ir_box *from, const ir_box *to, tt_dtype d, const op_prim *who)
{
    int64_t i[IR_RANK];
    uint64_t at = 0;
    for (bool go = ir_first(from, i); go; go = ir_next(from, i)) {
        ir_num v = ir_load(from, i);
        v.c.re = shaken_number(v.c.re, d, who, ++at);    /* .f is there, too */
        if (ir_dtype_of(from->dtype)->cls == IR_COMPLEX_CLASS) v.c.im = shaken_number(v.c.im, d, who, ++at);
        ir_store(to, i, v);
    }
}

static inline bool is_inexact(tt_dtype d) { return ir_is_float(d) || ir_dtype_of(d)->cls == IR_COMPLEX_CLASS; }

/* ---- which sums are exact ---- */

typedef struct { int low, high; } bits;                  /* exponents: of the lowest bit, above the highest */

static inline void widen(bits *b, double v)
{
    int e;
    if (v == 0 || !isfinite(v)) return;
    const uint64_t m = (uint64_t)ldexp(frexp(fabs(v), &e), 53);
    const int low = e - 53 + __builtin_ctzll(m);
    if (low < b->low) b->low = low;
    if (e > b->high) b->high = e;
}

/* True if every sum of at most `terms` products of one element of each box is exact in dtype d, in any order. */
static inline bool sums_are_exact(uint32_t n, const ir_box *x, double terms, tt_dtype d)
{
    double width = log2(terms > 1 ? terms : 1);
    for (uint32_t k = 0; k < n; k++) {
        bits b = { 1 << 12, -(1 << 12) };
        int64_t i[IR_RANK];
        if (!is_inexact(x[k].dtype)) continue;
        const bool two = !ir_is_float(x[k].dtype);       /* a complex product is a sum of two */
        for (bool go = ir_first(&x[k], i); go; go = ir_next(&x[k], i)) {
            const ir_num v = ir_load(&x[k], i);
            widen(&b, v.c.re);
            if (two) widen(&b, v.c.im);
        }
        if (b.high > b.low) width += b.high - b.low + two;
    }
    return width <= -log2(ulp_of(d));
}

static inline bool sums_up(const op_prim *prim, const ir_eqn *e)
{
    static const op_prim *const rows[] = { &prim_dot_general, &prim_scaled_dot, &prim_convolution, &prim_cumsum,
                                          &prim_cumprod, &prim_psum, &prim_reduce_scatter, &prim_select_and_scatter,
                                          &prim_fft };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) if (rows[i] == prim) return true;
    if (prim != &prim_reduce && prim != &prim_reduce_window && prim != &prim_scatter) return false;
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    return reduce == MESH_SUM || reduce == MESH_PROD;
}

/* ---- rows ---- */

static inline ir_eqn unshaken(const ir_eqn *e)
{
    ir_eqn plain = *e;
    for (int r = 0; op_prims[r]; r++) if (op_prims[r]->name == e->op->name) plain.op = op_prims[r];
    return plain;
}

static inline void shake_terms(uint32_t n, const ir_box *x, base_arena *a, tt_dtype d, const op_prim *who, ir_box *in)
{
    for (uint32_t k = 0; k < n; k++) {
        in[k] = x[k];
        if (!is_inexact(x[k].dtype)) continue;
        void *mem = base_new(a, (size_t)ir_box_count(&x[k]) * ir_dtype_of(x[k].dtype)->bytes + 16);
        in[k] = ir_box_of(mem, x[k].dtype, x[k].rank, x[k].lo, x[k].n);
        shake_box(&x[k], &in[k], d, who);
    }
}

static inline bool wild(const ir_box *x)
{
    int64_t i[IR_RANK];
    for (bool go = is_inexact(x->dtype) && ir_first(x, i); go; go = ir_next(x, i)) {
        const ir_num v = ir_load(x, i);
        if (!isfinite(v.f) || (!ir_is_float(x->dtype) && !isfinite(v.c.im))) return true;
    }
    return false;
}

static inline void fill_odd(const ir_box *y, bool finite_too, double v)
{
    int64_t i[IR_RANK];
    for (bool go = ir_first(y, i); go; go = ir_next(y, i))
        if (finite_too || !isfinite(ir_load(y, i).f) || (!ir_is_float(y->dtype) && !isfinite(ir_load(y, i).c.im)))
            ir_store(y, i, (ir_num){ .c = { v, v } });
}

/* A root of one is rounded, too: what should cancel in a transform is some ulp of all that is added. */
static inline void shake_roots(const ir_box *x, const ir_box *y, const op_prim *who)
{
    int64_t i[IR_RANK];
    double all = 0;
    uint64_t at = 1 << 20;
    for (bool go = ir_first(x, i); go; go = ir_next(x, i)) {
        const ir_num v = ir_load(x, i);
        all += fabs(v.c.re) + (ir_is_float(x->dtype) ? 0 : fabs(v.c.im));
    }
    for (bool go = isfinite(all) && ir_first(y, i); go; go = ir_next(y, i)) {
        ir_num v = ir_load(y, i);
        v.c.re += shaken_number(all, y->dtype, who, ++at) - all;
        if (!ir_is_float(y->dtype)) v.c.im += shaken_number(all, y->dtype, who, ++at) - all;
        ir_store(y, i, v);
    }
}

static inline bool shaken_sum(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_eqn plain = unshaken(e);
    double terms = 1;
    for (uint32_t k = 0; k < e->nin; k++) terms = fmax(terms, (double)ir_box_count(&x[k]));
    if (plain.op == &prim_scaled_dot) terms *= 128;      /* codes of 8 bits are factors, too */
    const bool fourier = plain.op == &prim_fft, padded = plain.op == &prim_convolution || fourier;
    const bool odd = (padded || plain.op == &prim_dot_general) && (wild(&x[0]) || (!fourier && wild(&x[1])));
    const bool blocks = plain.op == &prim_scaled_dot && e->nin == 2;     /* which have any scales */
    if (!is_inexact(y->dtype) || (!odd && !fourier && !blocks && sums_are_exact(e->nin, x, terms, y->dtype)))
        return plain.op->ref(&plain, x, y);
    ir_box in[e->nin + 1];
    base_arena *a = base_open();
    shake_terms(e->nin, x, a, y->dtype, e->op, in);
    const bool ok = plain.op->ref(&plain, in, y);
    for (uint32_t j = 0; ok && j < e->nout; j++) if (is_inexact(y[j].dtype)) shake_box(&y[j], &y[j], y->dtype, e->op);
    if (ok && fourier) shake_roots(x, y, e->op);
    if (ok && odd && (fourier || shake_seed & 1)) fill_odd(y, padded, shake_seed & 1 ? NAN : 0);
    base_close(a);
    return ok;
}

static inline bool shaken_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    const ir_eqn plain = unshaken(e);
    ir_box in[n + 1];
    base_arena *a = base_open();
    memcpy(in, x, (size_t)n * sizeof *in);
    if (is_inexact(y->dtype)) shake_terms((uint32_t)n, x, a, y->dtype, e->op, in);
    const bool ok = plain.op->group(&plain, n, me, in, y);
    base_close(a);
    return ok;
}

static inline bool shaken_map(const ir_eqn *e, const ir_box *x, const ir_box *y)       /* of two operands */
{
    const ir_eqn plain = unshaken(e);
    int64_t i[IR_RANK];
    uint64_t at = 0;
    if (ir_dtype_of(y->dtype)->cls == IR_COMPLEX_CLASS) return shaken_sum(e, x, y);
    if (!plain.op->ref(&plain, x, y)) return false;
    for (bool go = ir_is_float(y->dtype) && ir_first(y, i); go; go = ir_next(y, i)) {
        const double u = ir_load(&x[0], i).f, v = ir_load(&x[1], i).f, z = ir_load(y, i).f;
        const bool exact = plain.op == &prim_div ? fma(z, v, -u) == 0 : plain.op == &prim_mul ? fma(u, v, -z) == 0
                         : z == (plain.op == &prim_add ? u + v : u - v);
        at++;
        if (shake_seed & 1 && (!isfinite(u) || !isfinite(v))) ir_store(y, i, (ir_num){ .f = NAN });
        else if (!exact) ir_store(y, i, (ir_num){ .f = shaken_number(z, y->dtype, e->op, at) });
    }
    return true;
}

/* Of a function that another compiler has in its own form. Whole numbers are what no form misses. */
static inline bool shaken_result(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_eqn plain = unshaken(e);
    int64_t i[IR_RANK];
    uint64_t at = 0;
    if (!plain.op->ref(&plain, x, y)) return false;
    for (bool go = ir_first(y, i); go; go = ir_next(y, i)) {
        ir_num v = ir_load(y, i);
        double *const part[] = { &v.c.re, &v.c.im };
        for (int k = 0; k < 1 + !ir_is_float(y->dtype); k++)
            if (*part[k] != rint(*part[k])) *part[k] = shaken_number(*part[k], y->dtype, e->op, ++at);
        ir_store(y, i, v);
    }
    return true;
}

static inline const op_prim *shaken_prim(base_arena *a, const ir_eqn *e)
{
    const bool map = e->op == &prim_add || e->op == &prim_sub || e->op == &prim_mul || e->op == &prim_div;
    const bool inexact = e->op->kernel == OP_MAP && e->op->ref && is_inexact(IR_OUT(e, 0)->dtype);
    const bool other = fuzz_elsewhere && !map && inexact;
    if (!map && !other && !sums_up(e->op, e)) return e->op;
    op_prim *prim = BASE_COPY(a, e->op, 1);
    if (map) prim->ref = shaken_map;
    else if (other) prim->ref = shaken_result;
    else if (prim->kernel == OP_EXCHANGE) prim->group = shaken_group;
    else prim->ref = shaken_sum;
    return prim;
}

/* For ir_eval alone. f has no primitives that are evaluated as others (no scans): those equations would outlive the
 * primitives. */
static inline ir_fn *shaken(base_arena *a, const ir_fn *f)
{
    ir_fn *g = BASE_COPY(a, f, 1);
    g->eqn = BASE_COPY(a, f->eqn, f->neqn);
    for (uint32_t k = 0; k < f->neqn; k++) {
        ir_eqn *e = &g->eqn[k];
        e->fn = g;
        if (!e->op->edges) {
            e->op = shaken_prim(a, &f->eqn[k]);
            continue;
        }
        ir_fn **sub = BASE_NEW(a, ir_fn *, e->nsub + 1);
        for (uint32_t s = 0; s < e->nsub; s++) sub[s] = shaken(a, e->sub[s]);
        e->sub = sub;
    }
    return g;
}

#endif
