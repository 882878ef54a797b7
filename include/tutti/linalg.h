/* tutti/linalg.h - linear algebra on matrices, the last two dims of a value; the other dims are batch dims.
 *
 * For float32, float64 and complex numbers; integers become float32. Large matrices are computed by LAPACK where
 * liblapacke is installed. All functions have derivatives, forward and reverse, where the result is smooth: at distinct
 * eigenvalues; at distinct, nonzero singular values; at pivots that do not change. Batch dims may be sharded over a
 * mesh; a matrix is gathered. A' is the conjugate transpose. */
#include <tutti.h>
#ifndef TUTTI_LINALG_H
#define TUTTI_LINALG_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tt_matrix_opts { TT_OPTION_HEAD int upper TT_DEFAULT, full TT_DEFAULT; } tt_matrix_opts;
#define TT_MATRIX_(f, at, v, ...) f(at, v, TT_OPTS(tt_matrix_opts, __VA_ARGS__))
/* L, lower, with L L' = v; .upper: U with U' U = v. v is first symmetrised, (v + v') / 2. NaN if v is not positive
 * definite.
 *     tt_val L = tt_cholesky(a), U = tt_cholesky(a, .upper = 1); */
#define tt_cholesky(...)     TT_MATRIX_(tt_cholesky_at, TT_AT("tt_cholesky(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* (lu, pivots, permutation): v[permutation] = L U. lu holds U and, below the diagonal, L, whose diagonal is ones; row i
 * was exchanged with row pivots[i].
 *     tt_unpack(tt_lu(a), &lu, &pivots, &order); */
#define tt_lu(v)             tt_lu_at(TT_AT("tt_lu(" #v ")"), v)
/* (Q, R), Q with min(m, n) orthonormal columns; .full: m.
 *     tt_unpack(tt_qr(a), &q, &r), tt_unpack(tt_qr_pivoted(a), &q, &r, &order); */
#define tt_qr(...)           TT_MATRIX_(tt_qr_at, TT_AT("tt_qr(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* (w, V): eigenvalues in rising order, and eigenvectors in columns, of (v + v') / 2.
 *     tt_unpack(tt_eigh(a), &w, &v); */
#define tt_eigh(v)           tt_eigh_at(TT_AT("tt_eigh(" #v ")"), v)
/* (U, s, V'): v = U diag(s) V', s in falling order; .full: all columns of U and V.
 *     tt_unpack(tt_svd(a), &u, &s, &v), s = tt_svdvals(a); */
#define tt_svd(...)          TT_MATRIX_(tt_svd_at, TT_AT("tt_svd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_svdvals(v)        tt_svdvals_at(TT_AT("tt_svdvals(" #v ")"), v)       /* s alone */
/* (Q, R, p): v[:, p] = Q R, where p orders R's diagonal by falling magnitude; .full as in tt_qr.
 *     tt_unpack(tt_qr_pivoted(a), &q, &r, &order); */
#define tt_qr_pivoted(...)   TT_MATRIX_(tt_qr_pivoted_at, TT_AT("tt_qr_pivoted(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* (w, V): eigenvalues and eigenvectors in columns, complex, of any square matrix, in no particular order. Columns have
 * norm 1, and their largest element is real. Their derivative keeps this normalisation, as JAX's with
 * enable_eigvec_derivs.
 *     tt_unpack(tt_eig(a), &w, &v), w = tt_eigvals(a); */
#define tt_eig(v)            tt_eig_at(TT_AT("tt_eig(" #v ")"), v)
#define tt_eigvals(v)        tt_eigvals_at(TT_AT("tt_eigvals(" #v ")"), v)       /* w alone */
/* Decompositions v = Z T Z' with Z' Z = 1, without derivatives, as in JAX. schur: (T, Z), T upper triangular; for a
 * real v with 2 x 2 blocks for pairs of complex eigenvalues. hessenberg: (T, Z), T zero below its subdiagonal.
 * tridiagonal: (d, e, Z), T's diagonal and off-diagonal, real, of (v + v') / 2.
 *     tt_unpack(tt_schur(a), &t_part, &z), tt_unpack(tt_hessenberg(a), &t_part, &z);
 *     tt_unpack(tt_tridiagonal(a), &d, &e, &z); */
#define tt_schur(v)          tt_schur_at(TT_AT("tt_schur(" #v ")"), v)
#define tt_hessenberg(v)     tt_hessenberg_at(TT_AT("tt_hessenberg(" #v ")"), v)
#define tt_tridiagonal(v)    tt_tridiagonal_at(TT_AT("tt_tridiagonal(" #v ")"), v)
TT_API tt_val tt_qr_pivoted_at(const char *site, tt_val v, const tt_matrix_opts *);
TT_API tt_val tt_cholesky_at(const char *site, tt_val v, const tt_matrix_opts *),
    tt_qr_at(const char *site, tt_val v, const tt_matrix_opts *),
    tt_svd_at(const char *site, tt_val v, const tt_matrix_opts *);

/* x with a x = b; .right: x a = b. One triangle of a is read: the upper, or with .lower the lower one. .transpose: with
 * a's transpose; .adjoint: with a'; .unit: a's diagonal is taken as ones and not read. b of rank 1 is a vector.
 *     x = tt_triangular_solve(a, b, .lower = 1); */
typedef struct tt_triangular_opts {
    TT_OPTION_HEAD
    int lower TT_DEFAULT, transpose TT_DEFAULT, adjoint TT_DEFAULT, unit TT_DEFAULT, right TT_DEFAULT;
} tt_triangular_opts;
#define tt_triangular_solve(...) \
    TT_TRIANGULAR_(TT_AT("tt_triangular_solve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRIANGULAR_(at, a, b, ...) tt_triangular_solve_at(at, a, b, TT_OPTS(tt_triangular_opts, __VA_ARGS__))
TT_API tt_val tt_triangular_solve_at(const char *site, tt_val a, tt_val b, const tt_triangular_opts *);

/* x with T x = b, b [.., n, k], T given by its diagonals, each [.., n]: row i is low[i], mid[i], high[i]; low[0] and
 * high[n - 1] are not read. NaN where T is singular; .perturb moves pivots near 0 away from 0, as inverse iteration
 * needs.
 *     x = tt_tridiagonal_solve(low, mid, high, b); */
typedef struct tt_tridiagonal_opts { TT_OPTION_HEAD int perturb TT_DEFAULT; } tt_tridiagonal_opts;
#define tt_tridiagonal_solve(...) \
    TT_TRIDIAGONAL_(TT_AT("tt_tridiagonal_solve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRIDIAGONAL_(at, low, mid, high, b, ...) \
    tt_tridiagonal_solve_at(at, low, mid, high, b, TT_OPTS(tt_tridiagonal_opts, __VA_ARGS__))
TT_API tt_val tt_tridiagonal_solve_at(const char *site, tt_val low, tt_val mid, tt_val high, tt_val b,
                                      const tt_tridiagonal_opts *);

/* Compositions of the functions above, as in numpy.linalg. solve: x with a x = b, by LU; b of rank 1 is a vector.
 * lstsq: the x of least norm that minimises |a x - b|, by SVD. pinv: likewise by SVD. Both treat singular values below
 * the largest times 10 max(m, n) epsilon as zero. slogdet: (sign, log |det|).
 *     tt_solve(a, b), tt_lstsq(a, b), tt_inv(a), tt_pinv(a), tt_det(a);
 *     tt_unpack(tt_slogdet(a), &sign, &log_size); */
#define tt_solve(a, b)       tt_solve_at(TT_AT("tt_solve(" #a ", " #b ")"), a, b)
#define tt_lstsq(a, b)       tt_lstsq_at(TT_AT("tt_lstsq(" #a ", " #b ")"), a, b)
#define tt_inv(v)            tt_inv_at(TT_AT("tt_inv(" #v ")"), v)
#define tt_pinv(v)           tt_pinv_at(TT_AT("tt_pinv(" #v ")"), v)
#define tt_det(v)            tt_det_at(TT_AT("tt_det(" #v ")"), v)
#define tt_slogdet(v)        tt_slogdet_at(TT_AT("tt_slogdet(" #v ")"), v)
/* numpy.linalg.norm. ord of vectors: "2" (default), "1", "inf", "-inf", "0" (the number of elements that are not 0), or
 * any other number p: (sum |x|^p)^(1/p). Of matrices: "fro" (default), "nuc" (the sum of the singular values), "2",
 * "-2" (the largest, the smallest), "1", "-1" (the largest, smallest sum of a column's |x|), "inf", "-inf" (of a
 * row's). dims: one for vectors, two for matrices, rows first. Without .dims: of v itself if its rank is 1 or 2;
 * without .ord too, of all elements as one vector.
 *     tt_norm(v), tt_norm(v, .ord = "1"), tt_norm(a, .ord = "nuc"), tt_norm(x, .dims = "-1", .keepdims = 1); */
typedef struct tt_ord_opts {
    TT_OPTION_HEAD
    const char *ord TT_DEFAULT, *dims TT_DEFAULT; int keepdims TT_DEFAULT;
} tt_ord_opts;
#define tt_norm(...)         TT_ORD_(TT_AT("tt_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ORD_(at, v, ...) tt_norm_at(at, v, TT_OPTS(tt_ord_opts, __VA_ARGS__))
TT_API tt_val tt_norm_at(const char *site, tt_val v, const tt_ord_opts *);

/* clang-format off */
#define TT_LINALG1(name) TT_API tt_val tt_##name##_at(const char *site, tt_val v); \
    TT_UNUSED static inline tt_val (tt_##name)(tt_val v) { return tt_##name##_at(0, v); }
#define TT_LINALG2(name) TT_API tt_val tt_##name##_at(const char *site, tt_val a, tt_val b); \
    TT_UNUSED static inline tt_val (tt_##name)(tt_val a, tt_val b) { return tt_##name##_at(0, a, b); }
TT_LINALG1(eig) TT_LINALG1(eigvals) TT_LINALG1(schur) TT_LINALG1(hessenberg) TT_LINALG1(tridiagonal)
TT_LINALG1(lu) TT_LINALG1(eigh) TT_LINALG1(svdvals) TT_LINALG1(inv) TT_LINALG1(pinv) TT_LINALG1(det) TT_LINALG1(slogdet)
TT_LINALG2(solve) TT_LINALG2(lstsq)
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
