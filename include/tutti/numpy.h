/* tutti/numpy.h - more functions of NumPy, besides those of num.h: arrays by rule, rearrangement, order, counts,
 * statistics. All are compositions of primitives: they can be differentiated, vmapped and laid out.
 *
 *     tt_val lower = tt_tril(tt_ones(TT_F32, 4, 4), 0);
 *     tt_val best  = tt_argsort(score, -1, .descending = 1);
 *     tt_val half  = tt_quantile(v, 0.5, .dims = "0");
 *
 * Names and results are NumPy's; negative dims count from the end. A wrong dim, rank or size is an error that names it.
 */
#include <tutti.h>
#ifndef TUTTI_NUMPY_H
#define TUTTI_NUMPY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays by rule ---- */

/* n x columns (default n), 1 where column - row = diagonal, else 0 */
typedef struct tt_eye_opts { TT_OPTION_HEAD int64_t columns TT_DEFAULT, diagonal TT_DEFAULT; } tt_eye_opts;
#define tt_eye(...)          TT_EYE_(TT_AT("tt_eye(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_EYE_(at, dtype, n, ...) tt_eye_at(at, dtype, n, TT_OPTS(tt_eye_opts, __VA_ARGS__))
TT_API tt_val tt_eye_at(const char *site, tt_dtype dtype, int64_t n, const tt_eye_opts *);
/* n numbers from `from` to `to`, both included; of f32 and f64 rounded as in JAX */
#define tt_linspace(dtype, from, to, n) \
    tt_linspace_at(TT_AT("tt_linspace(" #dtype ", " #from ", " #to ", " #n ")"), dtype, from, to, n)
TT_API tt_val tt_linspace_at(const char *site, tt_dtype dtype, double from, double to, int64_t n);
/* From x [a], y [b], ... (rank 1): a tuple of arrays [a, b, ...]; array i varies along dim i only (indexing "ij"). */
#define tt_meshgrid(...)     tt_meshgrid_at(TT_AT("tt_meshgrid(" #__VA_ARGS__ ")"), \
                                            TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_meshgrid_at(const char *site, const tt_val *rows);
/* Of the last two dims: zeros above (tril) or below (triu) the k-th diagonal. */
#define tt_tril(v, k)        tt_tril_at(TT_AT("tt_tril(" #v ", " #k ")"), v, k)
#define tt_triu(v, k)        tt_triu_at(TT_AT("tt_triu(" #v ", " #k ")"), v, k)
TT_API tt_val tt_tril_at(const char *site, tt_val v, int64_t k), tt_triu_at(const char *site, tt_val v, int64_t k);
/* Rank 1: the matrix with v as k-th diagonal. Rank 2: the k-th diagonal. trace: the sum of the main diagonal. */
#define tt_diag(v, k)        tt_diag_at(TT_AT("tt_diag(" #v ", " #k ")"), v, k)
#define tt_trace(v)          tt_trace_at(TT_AT("tt_trace(" #v ")"), v)
TT_API tt_val tt_diag_at(const char *site, tt_val v, int64_t k), tt_trace_at(const char *site, tt_val v);
/* outer: a_i b_j of the flattened arrays. kron: [m, n] and [p, q] give [m p, n q]. */
#define tt_outer(a, b)       tt_outer_at(TT_AT("tt_outer(" #a ", " #b ")"), a, b)
#define tt_kron(a, b)        tt_kron_at(TT_AT("tt_kron(" #a ", " #b ")"), a, b)
TT_NUM2(outer) TT_NUM2(kron)

/* ---- rearrangement ---- */

/* Element i goes to (i + shift) mod size, along dim */
#define tt_roll(v, shift, dim) tt_roll_at(TT_AT("tt_roll(" #v ", " #shift ", " #dim ")"), v, shift, dim)
TT_API tt_val tt_roll_at(const char *site, tt_val v, int64_t shift, int dim);
#define tt_repeat(v, n, dim) tt_repeat_at(TT_AT("tt_repeat(" #v ", " #n ", " #dim ")"), v, n, dim)
TT_API tt_val tt_repeat_at(const char *site, tt_val v, int64_t n, int dim);      /* a b -> a a b b */
/* a b -> a b a b: number of copies per dim, aligned at the last dim */
#define tt_tile(...)         TT_DIMS_(tt_tile_at, TT_AT("tt_tile(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
TT_API tt_val tt_tile_at(const char *site, tt_val v, const int64_t *copies);
#define tt_swapaxes(v, i, j) tt_swapaxes_at(TT_AT("tt_swapaxes(" #v ", " #i ", " #j ")"), v, i, j)
#define tt_moveaxis(v, from, to) tt_moveaxis_at(TT_AT("tt_moveaxis(" #v ", " #from ", " #to ")"), v, from, to)
TT_API tt_val tt_swapaxes_at(const char *site, tt_val v, int i, int j),
    tt_moveaxis_at(const char *site, tt_val v, int from, int to);
/* Differences of neighbours along dim, in v's type (of bools: true if they differ): one element fewer */
#define tt_diff(v, dim)      tt_diff_at(TT_AT("tt_diff(" #v ", " #dim ")"), v, dim)
TT_API tt_val tt_diff_at(const char *site, tt_val v, int dim);

/* ---- selection, order, counts ---- */

/* v[..., index[..., j, ...], ...] along dim: index has v's rank and the same other dims. Out of range: as in
 * tt_take. */
#define tt_take_along_axis(v, index, dim) \
    tt_take_along_axis_at(TT_AT("tt_take_along_axis(" #v ", " #index ", " #dim ")"), v, index, dim)
TT_API tt_val tt_take_along_axis_at(const char *site, tt_val v, tt_val index, int dim);
/* The indices, i32, that sort v along dim; stable */
#define tt_argsort(...)      TT_ARGSORT_(TT_AT("tt_argsort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ARGSORT_(at, v, dim, ...) tt_argsort_at(at, v, dim, TT_OPTS(tt_sort_opts, __VA_ARGS__))
TT_API tt_val tt_argsort_at(const char *site, tt_val v, int dim, const tt_sort_opts *);
/* The number of occurrences of each of 0 .. n-1 among v's integers, i32. As in JAX a negative number counts as 0, and
 * numbers from n on are ignored. */
#define tt_bincount(v, n)    tt_bincount_at(TT_AT("tt_bincount(" #v ", " #n ")"), v, n)
TT_API tt_val tt_bincount_at(const char *site, tt_val v, int64_t n);
/* Row i of [n, ...]: the sum of those rows of v [m, ...] whose id (i32[m]) is i. */
#define tt_segment_sum(v, ids, n) tt_segment_sum_at(TT_AT("tt_segment_sum(" #v ", " #ids ", " #n ")"), v, ids, n)
TT_API tt_val tt_segment_sum_at(const char *site, tt_val v, tt_val ids, int64_t n);
/* The piecewise linear function through (xs, ys), xs rising, at x; outside the range: the end values. */
#define tt_interp(x, xs, ys) tt_interp_at(TT_AT("tt_interp(" #x ", " #xs ", " #ys ")"), x, xs, ys)
TT_API tt_val tt_interp_at(const char *site, tt_val x, tt_val xs, tt_val ys);
/* p_0 x^(n-1) + ... + p_(n-1), by Horner's rule; p has rank 1 */
#define tt_polyval(p, x)     tt_polyval_at(TT_AT("tt_polyval(" #p ", " #x ")"), p, x)
TT_NUM2(polyval)

/* ---- NaN and infinities ---- */

#define tt_isnan(v)          tt_isnan_at(TT_AT("tt_isnan(" #v ")"), v)
#define tt_isinf(v)          tt_isinf_at(TT_AT("tt_isinf(" #v ")"), v)
/* NaN becomes 0; an infinity becomes the largest finite number of its sign */
#define tt_nan_to_num(v)     tt_nan_to_num_at(TT_AT("tt_nan_to_num(" #v ")"), v)
TT_NUM1(isnan) TT_NUM1(isinf) TT_NUM1(nan_to_num)
/* True where |a - b| <= atol + rtol |b| (1e-8, 1e-5); infinities are close to equal ones, NaNs if equal_nan */
typedef struct tt_close_opts {
    TT_OPTION_HEAD
    double rtol TT_DEFAULT, atol TT_DEFAULT; int equal_nan TT_DEFAULT;
} tt_close_opts;
#define tt_isclose(...)      TT_CLOSE_(TT_AT("tt_isclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CLOSE_(at, a, b, ...) tt_isclose_at(at, a, b, TT_OPTS(tt_close_opts, __VA_ARGS__))
TT_API tt_val tt_isclose_at(const char *site, tt_val a, tt_val b, const tt_close_opts *);

/* ---- statistics. dims: "0, 2" (default: all); quantile and median take at most one ---- */

#define tt_nansum(...)       TT_REDUCE_(tt_nansum_at, TT_AT("tt_nansum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nanmean(...)      TT_REDUCE_(tt_nanmean_at, TT_AT("tt_nanmean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_median(...)       TT_REDUCE_(tt_median_at, TT_AT("tt_median(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_nansum_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_nanmean_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_median_at(const char *site, tt_val v, const tt_reduce_opts *);
/* 0 <= q <= 1; linear interpolation between neighbours; NaN if v has a NaN */
#define tt_quantile(...)     TT_QUANTILE_(TT_AT("tt_quantile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_QUANTILE_(at, v, q, ...) tt_quantile_at(at, v, q, TT_OPTS(tt_reduce_opts, __VA_ARGS__))
TT_API tt_val tt_quantile_at(const char *site, tt_val v, double q, const tt_reduce_opts *);
/* sum(v w) / sum(w) with weights w of v's shape */
#define tt_average(...)      TT_AVERAGE_(TT_AT("tt_average(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_AVERAGE_(at, v, w, ...) tt_average_at(at, v, w, TT_OPTS(tt_reduce_opts, __VA_ARGS__))
TT_API tt_val tt_average_at(const char *site, tt_val v, tt_val w, const tt_reduce_opts *);
/* Of [variables, observations]: covariances (divided by observations - 1); correlations: covariances divided by the
 * standard deviations. Of one variable, rank 1 or [1, observations], the result is a scalar, as in NumPy. */
#define tt_cov(v)            tt_cov_at(TT_AT("tt_cov(" #v ")"), v)
#define tt_corrcoef(v)       tt_corrcoef_at(TT_AT("tt_corrcoef(" #v ")"), v)
TT_NUM1(cov) TT_NUM1(corrcoef)

#ifdef __cplusplus
}
#endif
#endif
