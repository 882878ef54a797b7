/* fuzz/facts.h - what is known of an equation's results from what is known of its operands. */
#ifndef TUTTI_TESTS_FUZZ_FACTS_H
#define TUTTI_TESTS_FUZZ_FACTS_H

#include "choices.h"

typedef enum {
    JUMPS,                                               /* or not known: LOOSE operands are refused */
    KEEPS, ADDS, MULTIPLIES, FMA, SELECTS, UNIT, EXPONENT, REDUCTIONS, WINDOWS, CONTRACTS, SCANS, SCATTERS, ROUNDS,
    ALGEBRA                                              /* matrices: jumps, and its derivative has other sums */
} fuzz_class;
static const struct { const op_prim *prim; fuzz_class how; } fuzz_classes[] = {
    { &prim_neg, KEEPS }, { &prim_abs, KEEPS }, { &prim_max, KEEPS }, { &prim_min, KEEPS }, { &prim_clamp, KEEPS },
    { &prim_slice, KEEPS }, { &prim_pad, KEEPS }, { &prim_concatenate, KEEPS }, { &prim_reverse, KEEPS },
    { &prim_transpose, KEEPS }, { &prim_reshape, KEEPS }, { &prim_broadcast_in_dim, KEEPS }, { &prim_gather, KEEPS },
    { &prim_dynamic_slice, KEEPS }, { &prim_dynamic_update_slice, KEEPS }, { &prim_barrier, KEEPS },
    { &prim_propagation_barrier, KEEPS },
    { &prim_constrain, KEEPS }, { &prim_reshard, KEEPS }, { &prim_cummax, KEEPS }, { &prim_cummin, KEEPS },
    { &prim_all_gather, KEEPS }, { &prim_all_to_all, KEEPS }, { &prim_ppermute, KEEPS }, { &prim_pmax, KEEPS },
    { &prim_pmin, KEEPS }, { &prim_add, ADDS }, { &prim_sub, ADDS }, { &prim_mul, MULTIPLIES }, { &prim_fma, FMA },
    { &prim_select, SELECTS }, { &prim_tanh, UNIT }, { &prim_sin, UNIT }, { &prim_cos, UNIT }, { &prim_logistic, UNIT },
    { &prim_erf, UNIT }, { &prim_exp, EXPONENT }, { &prim_reduce, REDUCTIONS }, { &prim_reduce_window, WINDOWS },
    { &prim_dot_general, CONTRACTS }, { &prim_scaled_dot, CONTRACTS }, { &prim_convolution, CONTRACTS },
    { &prim_cumsum, SCANS },
    { &prim_complex, KEEPS }, { &prim_real, KEEPS }, { &prim_imag, KEEPS },
    { &prim_psum, SCANS }, { &prim_reduce_scatter, SCANS }, { &prim_scatter, SCATTERS }, { &prim_cumprod, ROUNDS },
    { &prim_fft, SCANS },
    { &prim_cholesky, ALGEBRA }, { &prim_eig, ALGEBRA }, { &prim_eigh, ALGEBRA }, { &prim_geqp3, ALGEBRA },
    { &prim_geqrf, ALGEBRA }, { &prim_hessenberg, ALGEBRA }, { &prim_householder_product, ALGEBRA },
        { &prim_lu, ALGEBRA },
    { &prim_pinv, ALGEBRA }, { &prim_qr, ALGEBRA }, { &prim_schur, ALGEBRA }, { &prim_svd, ALGEBRA },
    { &prim_svdvals, ALGEBRA }, { &prim_triangular_solve, ALGEBRA }, { &prim_tridiagonal, ALGEBRA },
    { &prim_tridiagonal_solve, ALGEBRA },
};

static inline fuzz_class class_of(const op_prim *prim)
{
    for (size_t i = 0; i < sizeof fuzz_classes / sizeof *fuzz_classes; i++)
        if (fuzz_classes[i].prim == prim) return fuzz_classes[i].how;
    return JUMPS;
}

static inline fuzz_kind meet(fuzz_kind a, fuzz_kind b) { return a < b ? a : b; }

/* A sum of `n` terms of f: exact, or rounded in some order. */
static inline fact summed(fact f, double n, tt_dtype d)
{
    const double bound = f.bound * (n > 1 ? n : 1);
    return (fact){ f.kind == WHOLE && bound <= exact_to(d) ? WHOLE : LOOSE, bound };
}

static inline double dims_of(const ir_type *t, ir_dims d)
{
    double n = 1;
    for (int i = 0; i < d.n; i++) n *= (double)t->dim[d.v[i]];
    return n;
}

static inline double terms_of(const ir_eqn *e)           /* how many a sum has at most */
{
    double n = 1;
    if (e->op == &prim_reduce) return 1 + dims_of(IR_IN(e, 0), IR_ATTR(e, op_reduce_attr)->dimensions);
    if (e->op == &prim_dot_general) return dims_of(IR_IN(e, 0), IR_ATTR(e, op_dot_attr)->lhs_contracting_dimensions);
    if (e->op == &prim_convolution)
        return (double)ir_count(IR_IN(e, 1));
    if (e->op == &prim_scaled_dot) return (double)IR_IN(e, 0)->dim[IR_IN(e, 0)->rank - 1];
    if (e->op == &prim_reduce_window) {
        const ir_dims w = IR_ATTR(e, op_window_attr)->window_dimensions;
        for (int i = 0; i < w.n; i++) n *= (double)w.v[i];
        return n + 1;
    }
    if (e->op == &prim_cumsum) return (double)ir_count(IR_IN(e, 0));
    if (e->op == &prim_fft) {
        const ir_dims l = IR_ATTR(e, op_fft_attr)->fft_length;
        for (int i = 0; i < l.n; i++) n *= (double)l.v[i];
        return n;
    }
    if (e->op == &prim_psum || e->op == &prim_reduce_scatter) return 24 * 4;
    return n;
}

static inline fact fold_fact(const ir_eqn *e, fact x, tt_dtype d)
{
    switch (e->nsub ? op_monoid(e->sub[0]) : MESH_SUM) {
    case MESH_SUM: return summed(x, terms_of(e), d);
    case MESH_MAX: case MESH_MIN: return x;
    default:       return (fact){ LOOSE, WILD };
    }
}

/* Complex numbers have an order in reductions on one device alone. */
static inline bool orders_complex(const ir_eqn *e)
{
    const mesh_reduce reduce = e->nsub && !e->op->edges ? op_monoid(e->sub[e->nsub - 1]) : e->op->monoid;
    const bool order = reduce == MESH_MAX || reduce == MESH_MIN || e->op == &prim_pmax || e->op == &prim_pmin;
    return order && e->nin && is_complex(IR_IN(e, 0));
}

/* Of matrices that are the same bits everywhere: the primitive's own kernel gives the same bits, but a derivative's
 * rule computes the values again, in sums that may be cut, and so is pinv written, by products. Of singular matrices (a
 * constant one, say) one order of a sum leaves 0 where another leaves 1e-7, and a reflection or a rank is another then:
 * nothing may be computed from such numbers, least of all compared. */
static inline fact algebra_fact(const gen *g, const ir_eqn *e)
{
    const bool same = !g->derived && e->op != &prim_pinv;
    return same ? (fact){ SURE, WILD } : (fact){ LOOSE, e->op == &prim_pinv && !g->derived ? 1e5 : WILD };
}

/* How the parts of a complex number are put together is not said, but where they are moved as they are. */
static inline bool keeps_parts(const ir_eqn *e)
{
    const fuzz_class how = class_of(e->op);
    return how == ALGEBRA || (how == KEEPS && e->op->kernel != OP_MAP) || e->op == &prim_select;
}

/* True if the equation's results have bits of its operands, on any engine. */
static inline bool is_moved(const ir_eqn *e)
{
    return class_of(e->op) == KEEPS || e->op == &prim_select || e->op == &prim_sort;
}

static inline bool judged(const gen *g, const ir_eqn *e, fact *y);

/* False: these operands are no good for this equation. */
static inline bool judge(const gen *g, const ir_eqn *e, fact *y)
{
    const bool good = judged(g, e, y);
    if (is_complex(IR_OUT(e, 0)) && !keeps_parts(e)) y->kind = LOOSE;
    if (fuzz_elsewhere && y->kind == SURE && is_float(IR_OUT(e, 0)) && !is_moved(e)) y->kind = LOOSE;
    return good;
}

static inline bool judged(const gen *g, const ir_eqn *e, fact *y)
{
    const fuzz_class how = class_of(e->op);
    fact x[4] = { { WHOLE, 0 }, { WHOLE, 0 }, { WHOLE, 0 }, { WHOLE, 0 } }, all = { WHOLE, 1 };
    bool loose = false;
    if (orders_complex(e)) return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        const fact f = fact_of(g, e->in[i]);
        const bool data = i || how != SELECTS;
        if (i < 4) x[i] = f;
        loose |= f.kind == LOOSE;
        if (!data || (!is_float(IR_IN(e, i)) && is_float(IR_OUT(e, 0)) && e->nin > 1)) continue; /* flags, indices */
        all.kind = meet(all.kind, f.kind);
        all.bound = fmax(all.bound, f.bound);
    }
    const bool traps = g->traps || all.bound >= WILD;    /* what 0 padding times NaN is, none says */
    if (e->op == &prim_convolution && all.kind != WHOLE && traps) return false;
    if (how == ALGEBRA) return *y = algebra_fact(g, e), !loose;
    *y = (fact){ SURE, WILD };
    if (how == JUMPS || (e->nout > 1 && e->op != &prim_barrier)) return !loose;
    switch (how) {
    case KEEPS: case SELECTS: *y = all; break;
    case ADDS:       *y = (fact){ all.kind, x[0].bound + x[1].bound }; break;
    case MULTIPLIES: *y = (fact){ all.kind, x[0].bound * x[1].bound }; break;
    case FMA:        *y = (fact){ all.kind, x[0].bound * x[1].bound + x[2].bound }; break;
    case ROUNDS:     *y = (fact){ LOOSE, WILD }; break;
    case UNIT:       *y = (fact){ meet(all.kind, SURE), 1 }; break;
    case EXPONENT:   *y = (fact){ meet(all.kind, SURE), all.bound < 7 ? exp(all.bound) : WILD }; break;
    case CONTRACTS: {
        /* Codes: of 8 bits at most; the scale in a block is any number of f16, and none. */
        const double weight = e->op != &prim_scaled_dot ? x[1].bound : e->nin == 2 ? WILD : 128 * x[2].bound;
        *y = summed((fact){ all.kind, x[0].bound * weight }, terms_of(e), IR_OUT(e, 0)->dtype);
        break;
    }
    case REDUCTIONS: case WINDOWS: *y = fold_fact(e, all, IR_OUT(e, 0)->dtype); break;
    case SCANS:
        *y = summed(all, terms_of(e), IR_OUT(e, 0)->dtype);
        if (e->op == &prim_fft) y->kind = LOOSE;
        break;
    case SCATTERS: {
        const mesh_reduce m = op_monoid(e->sub[0]);
        *y = m == MESH_SUM ? summed(all, (double)ir_count(IR_IN(e, 2)) + 1, IR_OUT(e, 0)->dtype)
           : m == MESH_PROD ? (fact){ LOOSE, WILD } : all;
        break;
    }
    default: break;
    }
    const ir_type *t = IR_OUT(e, 0);
    const bool wraps = ir_dtype_of(t->dtype)->cls == IR_UINT_CLASS && (e->op == &prim_sub || e->op == &prim_neg);
    if (wraps) y->bound = exact_to(t->dtype);            /* below zero is laid out the largest */
    if (!is_float(t)) return true;
    if (e->op == &prim_abs && is_complex(IR_IN(e, 0))) y->kind = meet(y->kind, SURE), y->bound *= 2; /* a root */
    if (y->kind == WHOLE && y->bound > exact_to(t->dtype)) y->kind = SURE;
    if (e->op == &prim_convolution && y->kind != WHOLE) y->kind = LOOSE;
    return true;
}

static inline bool is_known(const gen *g, ir_id v) { return fact_of(g, v).kind != LOOSE || fact_of(g, v).bound < WILD; }

/* The facts of the equation that has just been emitted; its results are offered. */
static inline void take(gen *g, ir_id first)
{
    base_clear_error();
    const ir_eqn *e = first ? ir_def(g->b, first) : NULL;
    fact f;
    if (!e || e->out != first || is_known(g, first) || !judge(g, e, &f)) return;
    for (uint32_t j = 0; j < e->nout; j++) {
        set_fact(g, first + j, e->op == &prim_barrier || e->op == &prim_sort ? fact_of(g, e->in[j]) : f);
        offer(g, first + j);
    }
}

/* For intermediates that generators make on their way; some builders give back what they got. */
static inline ir_id noted(gen *g, ir_id v)
{
    const ir_eqn *e = v ? ir_def(g->b, v) : NULL;
    fact f;
    if (e && !is_known(g, v) && judge(g, e, &f)) set_fact(g, v, f);
    return v;
}

#endif
