/* tutti/scipy.h - jax.scipy.linalg beyond tutti/linalg.h, and the iterative solvers of jax.scipy.sparse.linalg. The
 * special functions are in tutti/special.h, distributions in tutti/stats.h, minimisation in tutti/optim.h.
 *
 *     static tt_val apply(tt_val x, tt_val a) { return tt_matmul(a, x); }
 *     tt_val x = tt_cg(apply, b, .with = a, .tol = 1e-6);       // a x = b
 *
 * Matrices are the last two dims, other dims are batch dims. */
#include <tutti.h>
#ifndef TUTTI_SCIPY_H
#define TUTTI_SCIPY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- functions of a square matrix ---- */

/* e^v, by Pade approximants and squaring (Higham, 2005; degree 7 for float32, 13 for float64), with derivatives; NaN
 * where more than 16 squarings are needed, as in JAX.
 *     tt_val propagator = tt_expm(a); */
#define tt_expm(v)           tt_expm_at(TT_AT("tt_expm(" #v ")"), v)
/* The principal square root, complex, by the Schur form (Bjorck and Hammarling, 1983); no derivatives, as in JAX.
 *     tt_val root = tt_sqrtm(a); */
#define tt_sqrtm(v)          tt_sqrtm_at(TT_AT("tt_sqrtm(" #v ")"), v)
/* (U, P) with v = U P, U with orthonormal columns and P positive semidefinite; v [.., m, n], m >= n.
 *     tt_unpack(tt_polar(a), &u, &p); */
#define tt_polar(v)          tt_polar_at(TT_AT("tt_polar(" #v ")"), v)
TT_NUM1(expm) TT_NUM1(sqrtm) TT_NUM1(polar)

/* ---- solving with a factor, and matrices by rule ---- */

/* x with v x = b from the factor of tt_cholesky(v): lower, or with .upper upper. b of rank 1 is a vector.
 *     x = tt_cho_solve(tt_cholesky(a), b); */
#define tt_cho_solve(...)    TT_CHO_(TT_AT("tt_cho_solve(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CHO_(at, factor, b, ...) tt_cho_solve_at(at, factor, b, TT_OPTS(tt_matrix_opts, __VA_ARGS__))
TT_API tt_val tt_cho_solve_at(const char *site, tt_val factor, tt_val b, const tt_matrix_opts *);
/* x with v x = b from the tuple of tt_lu(v)
 *     x = tt_lu_solve(tt_lu(a), b); */
#define tt_lu_solve(lu, b)   tt_lu_solve_at(TT_AT("tt_lu_solve(" #lu ", " #b ")"), lu, b)
/* Matrices along the diagonal of a matrix of zeros; rank 1: one row, rank 0: [1, 1].
 *     tt_val big = tt_block_diag(a, b, tt_f(1)); */
#define tt_block_diag(...) \
    tt_block_diag_at(TT_AT("tt_block_diag(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_block_diag_at(const char *site, const tt_val *v);
/* Constant along diagonals: first column c [m], first row r [n], whose r[0] is not read.
 *     tt_val stripes = tt_toeplitz(c, c); */
#define tt_toeplitz(c, r)    tt_toeplitz_at(TT_AT("tt_toeplitz(" #c ", " #r ")"), c, r)
TT_NUM2(lu_solve) TT_NUM2(toeplitz)

/* ---- A x = b, where A is a function ---- */

/* f is the linear map: f(x); with .with = w, f(x, w), w a tree of its parameters. b: an array of floats of any shape;
 * the result has its shape. The iteration ends when |b - A x| <= max(tol |b|, atol), or after maxiter iterations (10
 * times b's number of elements); it reports no failure, as in JAX. Reverse mode differentiates by b and by w without
 * the iterations: the transposed system is solved in the same way. Parameters that f does not get from .with have no
 * derivative.
 * - cg: A symmetric and positive definite (Hestenes and Stiefel, 1952);
 * - bicgstab: any A (van der Vorst, 1992);
 * - gmres: any A (Saad and Schultz, 1986); after `restart` directions (20) the iteration restarts, and maxiter counts
 *   restarts.
 *
 * x0: where to begin; default 0. Options not given: tol 1e-5, atol 0.
 *     x = tt_cg(map_of, b, .with = a), x = tt_bicgstab(map_of, b, .with = a, .x0 = x);
 *     x = tt_gmres(map_of, b, .with = a, .restart = 30); */
typedef struct tt_krylov_opts {
    TT_OPTION_HEAD
    tt_val with TT_DEFAULT, x0 TT_DEFAULT; double tol TT_DEFAULT, atol TT_DEFAULT;
    int64_t maxiter TT_FROM_1, restart TT_FROM_1;
} tt_krylov_opts;
#define TT_KRYLOV_(name, at, f, b, ...) name(at, TT_FN(f), b, TT_OPTS(tt_krylov_opts, __VA_ARGS__))
#define tt_cg(...)           TT_KRYLOV_(tt_cg_at, TT_AT("tt_cg(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_bicgstab(...)     TT_KRYLOV_(tt_bicgstab_at, TT_AT("tt_bicgstab(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gmres(...)        TT_KRYLOV_(tt_gmres_at, TT_AT("tt_gmres(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_cg_at(const char *site, tt_fn f, tt_val b, const tt_krylov_opts *),
    tt_bicgstab_at(const char *site, tt_fn f, tt_val b, const tt_krylov_opts *),
    tt_gmres_at(const char *site, tt_fn f, tt_val b, const tt_krylov_opts *);

#ifdef __cplusplus
}
#endif
#endif
