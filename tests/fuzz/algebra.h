/* fuzz/algebra.h - linear algebra and Fourier transforms of any size over batches, draws from keys. */
#ifndef TUTTI_TESTS_FUZZ_ALGEBRA_H
#define TUTTI_TESTS_FUZZ_ALGEBRA_H

#include "indices.h"

/* "f32[2, 3, 4]": some batch, then n by m (m < 0: n alone). */
static inline const char *matrices(gen *g, const char *type, const int64_t *batch, int nbatch, int64_t n, int64_t m)
{
    base_text s = { .arena = g->a };
    base_appendf(&s, "%s[", type);
    for (int d = 0; d < nbatch; d++) base_appendf(&s, "%lld, ", (long long)batch[d]);
    base_appendf(&s, "%lld", (long long)n);
    if (m >= 0) base_appendf(&s, ", %lld", (long long)m);
    base_appendf(&s, "]");
    return s.s;
}

/* Whole numbers, symmetric and positive: x x^T and something on the diagonal. */
static inline ir_id positive(gen *g, const ir_type *t)
{
    const int r = t->rank, n = r - 2;
    const int64_t batch[] = { 0, 1, 2, 3 }, last = r - 1;
    const ir_id x = of_type(g, t);
    if (!x || fact_of(g, x).kind != WHOLE || fact_of(g, x).bound > 100) return 0;
    const op_dot_attr a = { { n, batch }, { n, batch }, { 1, &last }, { 1, &last }, t->dtype, OP_DEFAULT };
    const ir_type *whole = ir_type_of(TT_I32, r, t->dim);
    const ir_id p = op_compare(g->b, OP_CMP_EQ, op_iota(g->b, whole, r - 2), op_iota(g->b, whole, r - 1));
    const ir_id y = noted(g, op_dot(g->b, x, x, &a));
    return y ? noted(g, op_add(g->b, y, noted(g, op_select(g->b, p, op_splat(g->b, t, 7), op_splat(g->b, t, 0))))) : 0;
}

static inline ir_id make_linalg(gen *g)
{
    static const char *const types[] = { "f32", "f64", "c64", "c128" }, *const flags[] = { "false", "true" },
                      *const turns[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
    static const op_prim *const one[] = { &prim_eig, &prim_schur, &prim_hessenberg, &prim_eigh, &prim_tridiagonal,
        &prim_lu,
                                         &prim_geqrf, &prim_qr, &prim_svd, &prim_svdvals, &prim_pinv };
    const uint32_t which = pick(14);
    const int nb = (int)pick(3);
    const int64_t batch[2] = { 1 + pick(5), 1 + pick(4) }, n = 1 + pick(5), k = 1 + pick(4);
    const int64_t m = which < 5 || which >= 11 || pick(2) ? n : 1 + pick(5);
    const char *type = types[pick(once_in(4) ? 4 : 2)], *x = matrices(g, type, batch, nb, n, m), *words = "";
    const char *p = flags[pick(2)], *q = flags[pick(2)];
    if (which == 11) {
        const tt_dtype d = pick(2) ? TT_F32 : TT_F64;
        const int64_t dim[4] = { nb ? batch[0] : n, nb > 1 ? batch[1] : n, nb > 1 ? n : n, n };
        const ir_id s = positive(g, ir_type_of(d, nb + 2, dim));
        return s ? ir_emit(g->b, &prim_cholesky, &(op_lower_attr){ pick(2) }, 1, &s, 0, NULL) : 0;
    }
    if (which == 12) {
        const bool left = pick(2);
        const char *b = matrices(g, type, batch, nb, left ? n : k, left ? k : n);
        return fed(g, &prim_triangular_solve, base_format(g->a, "triangular_solve %s, %s {left_side=%s, lower=%s, "
                   "unit_diagonal=%s, transpose_a=%s}", x, b, flags[left], p, q, turns[pick(3)]));
    }
    if (which == 13) {
        const char *d = matrices(g, type, batch, nb, n, -1), *b = matrices(g, type, batch, nb, n, k);
        return fed(g, &prim_tridiagonal_solve, base_format(g->a, "tridiagonal_solve %s, %s, %s, %s "
                   "{perturb_singular=%s}", b, d, d, d, p));
    }
    const op_prim *prim = one[which];
    if (prim == &prim_eig) words = base_format(g->a, " {compute_left_eigenvectors=%s, compute_right_eigenvectors=%s}",
                                               p, q);
    if (prim == &prim_eigh || prim == &prim_tridiagonal) words = base_format(g->a, " {lower=%s}", p);
    if (prim == &prim_qr || prim == &prim_svd) words = base_format(g->a, " {full_matrices=%s}", p);
    return fed(g, prim, base_format(g->a, "%s %s%s", prim->name, x, words));
}

static inline ir_id make_fft(gen *g)
{
    static const char *const kinds[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
    const uint32_t kind = pick(4);
    const int nb = (int)pick(3), n = 1 + (int)pick(3);
    const bool wide = once_in(3);
    base_text dims = { .arena = g->a }, lengths = { .arena = g->a };
    for (int d = 0; d < nb; d++) base_appendf(&dims, "%s%u", d ? ", " : "", 1 + pick(5));
    for (int d = 0; d < n; d++) {
        const uint32_t full = 1 + pick(7), has = kind == OP_IRFFT && d == n - 1 ? full / 2 + 1 : full;
        base_appendf(&dims, "%s%u", nb + d ? ", " : "", has);
        base_appendf(&lengths, "%s%u", d ? ", " : "", full);
    }
    const char *type = kind == OP_RFFT ? (wide ? "f64" : "f32") : wide ? "c128" : "c64";
    return fed(g, &prim_fft, base_format(g->a, "fft %s[%s] {fft_type=%s, fft_length=[%s]}", type, dims.s, kinds[kind],
                                         lengths.s));
}

static inline ir_id make_bits(gen *g)
{
    static const char *const layouts[] = { "partitionable", "original" };
    const int nb = (int)pick(3), n = (int)pick(3);
    base_text keys = { .arena = g->a }, shape = { .arena = g->a };
    for (int d = 0; d < nb; d++) base_appendf(&keys, "%u, ", 1 + pick(4));
    base_appendf(&shape, "%s", "");
    for (int d = 0; d < n; d++) base_appendf(&shape, "%s%u", d ? ", " : "", 1 + pick(7));
    return fed(g, &prim_random_bits, base_format(g->a, "random_bits u32[%s2] {shape=[%s], bit_width=%d, layout=%s}",
                                                 keys.n ? keys.s : "", shape.s, 8 << pick(4), layouts[pick(2)]));
}

static inline ir_id make_algebra(gen *g)
{
    switch (pick(4)) {
    case 0: return make_fft(g);
    case 1: return make_bits(g);
    default: return make_linalg(g);
    }
}

#endif
