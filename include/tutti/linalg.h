/* tutti/linalg.h - linear algebra on matrices, the last two dims of a value; dims before them are a batch.
 *
 * Of float32, float64 and complex numbers; integers become float32. Large matrices are computed by LAPACK where
 * liblapacke is installed. All have derivatives, forward and backward, where the result is a smooth function: of
 * distinct eigenvalues, of singular values that are distinct and not zero, of pivots that do not change. Batch dims
 * may be on a mesh; a matrix is gathered. A' is the conjugate transpose. */
#include <tutti.h>
#ifndef TUTTI_LINALG_H
#define TUTTI_LINALG_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tt_matrix_opts { TT_OPTION_HEAD int upper TT_DEFAULT, full TT_DEFAULT; } tt_matrix_opts;
#define TT_MATRIX_(f, at, v, ...) f(at, v, TT_OPTS(tt_matrix_opts, __VA_ARGS__))
/* L with L L' = v, lower; .upper: U with U' U = v. v is first made Hermitian, (v + v') / 2. NaN where v is not positive
 * definite. */
#define tt_cholesky(...)     TT_MATRIX_(tt_cholesky_at, TT_AT("tt_cholesky(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* (lu, pivots, permutation): v[permutation] = L U, L below a diagonal of ones and U in one matrix; row i was
 * exchanged with row pivots[i]. */
#define tt_lu(v)             tt_lu_at(TT_AT("tt_lu(" #v ")"), v)
/* (Q, R), Q with min(m, n) orthonormal columns; .full: m. */
#define tt_qr(...)           TT_MATRIX_(tt_qr_at, TT_AT("tt_qr(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* (w, V): eigenvalues, rising, and eigenvectors in columns, of v made Hermitian. */
#define tt_eigh(v)           tt_eigh_at(TT_AT("tt_eigh(" #v ")"), v)
/* (U, s, V'): v = U diag(s) V', s falling; .full: all columns of U and V. */
#define tt_svd(...)          TT_MATRIX_(tt_svd_at, TT_AT("tt_svd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_svdvals(v)        tt_svdvals_at(TT_AT("tt_svdvals(" #v ")"), v)       /* s alone */
/* (Q, R, p): v[:, p] = Q R, p such that R's diagonal falls in size; .full as tt_qr. */
#define tt_qr_pivoted(...)   TT_MATRIX_(tt_qr_pivoted_at, TT_AT("tt_qr_pivoted(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* (w, V): eigenvalues and eigenvectors in columns, complex, of any square matrix, in no order; columns have norm 1 and
 * a largest number that is real. Their derivative keeps that, as JAX's with enable_eigvec_derivs. */
#define tt_eig(v)            tt_eig_at(TT_AT("tt_eig(" #v ")"), v)
#define tt_eigvals(v)        tt_eigvals_at(TT_AT("tt_eigvals(" #v ")"), v)       /* w alone */
/* Forms v = Z T Z' with Z' Z = 1, without derivatives, as in JAX. schur: (T, Z), T upper triangular, for a real v with
 * blocks of two rows for pairs of complex eigenvalues. hessenberg: (T, Z), T zero below its subdiagonal. tridiagonal:
 * (d, e, Z), T's diagonal and off-diagonal, real, of v made Hermitian. */
#define tt_schur(v)          tt_schur_at(TT_AT("tt_schur(" #v ")"), v)
#define tt_hessenberg(v)     tt_hessenberg_at(TT_AT("tt_hessenberg(" #v ")"), v)
#define tt_tridiagonal(v)    tt_tridiagonal_at(TT_AT("tt_tridiagonal(" #v ")"), v)
TT_API tt_val tt_qr_pivoted_at(const char *site, tt_val v, const tt_matrix_opts *);
TT_API tt_val tt_cholesky_at(const char *site, tt_val v, const tt_matrix_opts *),
    tt_qr_at(const char *site, tt_val v, const tt_matrix_opts *),
    tt_svd_at(const char *site, tt_val v, const tt_matrix_opts *);

/* x with a x = b; .right: x a = b. Of a one triangle is read: the upper one, or .lower. .transpose: of a's transpose;
 * .adjoint: of a'; .unit: a's diagonal is ones and not read. b of rank 1 is a vector. */
typedef struct tt_triangular_opts {
    TT_OPTION_HEAD
    int lower TT_DEFAULT, transpose TT_DEFAULT, adjoint TT_DEFAULT, unit TT_DEFAULT, right TT_DEFAULT;
} tt_triangular_opts;
#define tt_triangular_solve(...) \
    TT_TRIANGULAR_(TT_AT("tt_triangular_solve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRIANGULAR_(at, a, b, ...) tt_triangular_solve_at(at, a, b, TT_OPTS(tt_triangular_opts, __VA_ARGS__))
TT_API tt_val tt_triangular_solve_at(const char *site, tt_val a, tt_val b, const tt_triangular_opts *);

/* x with T x = b, b [.., n, k], T by its diagonals, each [.., n]: row i is low[i], mid[i], high[i]; low[0] and the last
 * of high are not read. NaN where T is singular; .perturb: pivots near 0 are moved off it, which inverse iteration asks
 * for. */
typedef struct tt_tridiagonal_opts { TT_OPTION_HEAD int perturb TT_DEFAULT; } tt_tridiagonal_opts;
#define tt_tridiagonal_solve(...) \
    TT_TRIDIAGONAL_(TT_AT("tt_tridiagonal_solve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRIDIAGONAL_(at, low, mid, high, b, ...) \
    tt_tridiagonal_solve_at(at, low, mid, high, b, TT_OPTS(tt_tridiagonal_opts, __VA_ARGS__))
TT_API tt_val tt_tridiagonal_solve_at(const char *site, tt_val low, tt_val mid, tt_val high, tt_val b,
                                      const tt_tridiagonal_opts *);

/* Compositions of these, as numpy.linalg's. solve: x with a x = b, by LU; b of rank 1 is a vector. lstsq: the x of
 * least norm that makes a x - b least, by SVD; pinv likewise: singular values below the largest times 10 max(m, n)
 * epsilon are zero. slogdet: (sign, log |det|). */
#define tt_solve(a, b)       tt_solve_at(TT_AT("tt_solve(" #a ", " #b ")"), a, b)
#define tt_lstsq(a, b)       tt_lstsq_at(TT_AT("tt_lstsq(" #a ", " #b ")"), a, b)
#define tt_inv(v)            tt_inv_at(TT_AT("tt_inv(" #v ")"), v)
#define tt_pinv(v)           tt_pinv_at(TT_AT("tt_pinv(" #v ")"), v)
#define tt_det(v)            tt_det_at(TT_AT("tt_det(" #v ")"), v)
#define tt_slogdet(v)        tt_slogdet_at(TT_AT("tt_slogdet(" #v ")"), v)
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
