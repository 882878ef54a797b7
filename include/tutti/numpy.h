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

/* n x columns (default n), 1 where column - row = diagonal, else 0
 *     tt_eye(TT_F32, 3), tt_eye(TT_F32, 3, .columns = 4, .diagonal = 1); */
typedef struct tt_eye_opts { TT_OPTION_HEAD int64_t columns TT_DEFAULT, diagonal TT_DEFAULT; } tt_eye_opts;
#define tt_eye(...)          TT_EYE_(TT_AT("tt_eye(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_EYE_(at, dtype, n, ...) tt_eye_at(at, dtype, n, TT_OPTS(tt_eye_opts, __VA_ARGS__))
TT_API tt_val tt_eye_at(const char *site, tt_dtype dtype, int64_t n, const tt_eye_opts *);
/* n numbers from `from` to `to`, both included; of f32 and f64 rounded as in JAX
 *     tt_val grid = tt_linspace(TT_F32, 0, 1, 11); */
#define tt_linspace(dtype, from, to, n) \
    tt_linspace_at(TT_AT("tt_linspace(" #dtype ", " #from ", " #to ", " #n ")"), dtype, from, to, n)
TT_API tt_val tt_linspace_at(const char *site, tt_dtype dtype, double from, double to, int64_t n);
/* From x [a], y [b], ... (rank 1): a tuple of arrays [a, b, ...]; array i varies along dim i only (indexing "ij").
 *     tt_unpack(tt_meshgrid(xs, ys), &x, &y); */
#define tt_meshgrid(...)     tt_meshgrid_at(TT_AT("tt_meshgrid(" #__VA_ARGS__ ")"), \
                                            TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_meshgrid_at(const char *site, const tt_val *rows);
/* Of the last two dims: zeros above (tril) or below (triu) the k-th diagonal.
 *     tt_tril(a, 0), tt_triu(a, 1); */
#define tt_tril(v, k)        tt_tril_at(TT_AT("tt_tril(" #v ", " #k ")"), v, k)
#define tt_triu(v, k)        tt_triu_at(TT_AT("tt_triu(" #v ", " #k ")"), v, k)
TT_API tt_val tt_tril_at(const char *site, tt_val v, int64_t k), tt_triu_at(const char *site, tt_val v, int64_t k);
/* Rank 1: the matrix with v as k-th diagonal. Rank 2: the k-th diagonal. trace: the sum of the main diagonal.
 *     tt_diag(v, 0), tt_diag(a, -1), tt_trace(a); */
#define tt_diag(v, k)        tt_diag_at(TT_AT("tt_diag(" #v ", " #k ")"), v, k)
#define tt_trace(v)          tt_trace_at(TT_AT("tt_trace(" #v ")"), v)
TT_API tt_val tt_diag_at(const char *site, tt_val v, int64_t k), tt_trace_at(const char *site, tt_val v);
/* outer: a_i b_j of the flattened arrays. kron: [m, n] and [p, q] give [m p, n q].
 *     tt_outer(a, b), tt_kron(a, b); */
#define tt_outer(a, b)       tt_outer_at(TT_AT("tt_outer(" #a ", " #b ")"), a, b)
#define tt_kron(a, b)        tt_kron_at(TT_AT("tt_kron(" #a ", " #b ")"), a, b)
TT_NUM2(outer) TT_NUM2(kron)

/* ---- rearrangement ---- */

/* Element i goes to (i + shift) mod size, along dim
 *     tt_val moved = tt_roll(x, 1, -1), twice_each = tt_repeat(x, 2, 0); */
#define tt_roll(v, shift, dim) tt_roll_at(TT_AT("tt_roll(" #v ", " #shift ", " #dim ")"), v, TT_INTEGER(shift), dim)
TT_API tt_val tt_roll_at(const char *site, tt_val v, int64_t shift, int dim);
#define tt_repeat(v, n, dim) tt_repeat_at(TT_AT("tt_repeat(" #v ", " #n ", " #dim ")"), v, TT_INTEGER(n), dim)
TT_API tt_val tt_repeat_at(const char *site, tt_val v, int64_t n, int dim);      /* a b -> a a b b */
/* a b -> a b a b: number of copies per dim, aligned at the last dim
 *     tt_tile(x, 2, 1), tt_swapaxes(x, 0, 1), tt_moveaxis(x, -1, 0); */
#define tt_tile(...)         TT_DIMS_(tt_tile_at, TT_AT("tt_tile(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
TT_API tt_val tt_tile_at(const char *site, tt_val v, const int64_t *copies);
#define tt_swapaxes(v, i, j) tt_swapaxes_at(TT_AT("tt_swapaxes(" #v ", " #i ", " #j ")"), v, i, j)
#define tt_moveaxis(v, from, to) tt_moveaxis_at(TT_AT("tt_moveaxis(" #v ", " #from ", " #to ")"), v, from, to)
TT_API tt_val tt_swapaxes_at(const char *site, tt_val v, int i, int j),
    tt_moveaxis_at(const char *site, tt_val v, int from, int to);
/* Elements in the opposite order along the dims (default: all). rot90: k quarter turns in the plane of dims 0 and 1,
 * counterclockwise, from dim 0 towards dim 1.
 *     tt_flip(x), tt_flip(x, .dims = "0"), tt_rot90(a, 1); */
#define tt_flip(...)         TT_DIMS_OF_(tt_flip_at, TT_AT("tt_flip(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_flip_at(const char *site, tt_val v, const tt_dims_opts *);
#define tt_rot90(v, k)       tt_rot90_at(TT_AT("tt_rot90(" #v ", " #k ")"), v, k)
TT_API tt_val tt_rot90_at(const char *site, tt_val v, int64_t k);
/* Pieces along dim, a tuple. array_split: n pieces whose sizes differ by 1 at most, the longer ones first (tt_chunk:
 * equal ones, the last shorter). split_indices: split before each of the given indices, in rising order:
 * tt_split_indices(v, 0, 2, 5) is v[:2], v[2:5], v[5:]; negative places count from the end.
 *     tt_unpack(tt_array_split(x, 3, 0), &a, &b, &c), tt_unpack(tt_split_indices(x, 0, 2, 5), &a, &b, &c); */
#define tt_array_split(v, n, dim) \
    tt_array_split_at(TT_AT("tt_array_split(" #v ", " #n ", " #dim ")"), v, n, dim)
TT_API tt_val tt_array_split_at(const char *site, tt_val v, int64_t n, int dim);
#define tt_split_indices(v, dim, ...) \
    tt_split_indices_at(TT_AT("tt_split_indices(" #v ", " #dim ", " #__VA_ARGS__ ")"), v, dim, \
        TT_DIMS(__VA_ARGS__, TT_DIM_END))
TT_API tt_val tt_split_indices_at(const char *site, tt_val v, int dim, const int64_t *places);
/* Arrays joined: vstack: along dim 0, arrays of rank 1 as rows; hstack: along dim 1, of rank 1 along dim 0; dstack:
 * along dim 2, of rank 1 and 2 as [1, n, 1] and [m, n, 1]; column_stack: hstack, arrays of rank 1 as columns. block:
 * from tuples of arrays, in tuples: the innermost are joined along the last dim, the next along the one before:
 * tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))).
 *     tt_vstack(a, b), tt_hstack(a, b), tt_dstack(a, b), tt_column_stack(a, b);
 *     tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d))); */
#define tt_vstack(...)       tt_vstack_at(TT_AT("tt_vstack(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
#define tt_hstack(...)       tt_hstack_at(TT_AT("tt_hstack(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
#define tt_dstack(...)       tt_dstack_at(TT_AT("tt_dstack(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
#define tt_column_stack(...) \
    tt_column_stack_at(TT_AT("tt_column_stack(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_vstack_at(const char *site, const tt_val *v), tt_hstack_at(const char *site, const tt_val *v),
    tt_dstack_at(const char *site, const tt_val *v), tt_column_stack_at(const char *site, const tt_val *v);
#define tt_block(tree)       tt_block_at(TT_AT("tt_block(" #tree ")"), tree)
TT_API tt_val tt_block_at(const char *site, tt_val tree);
/* numpy.pad: `widths` is "low:high" per dim, "1:2, 0:3" (one item for all dims). mode:
 *   "constant"    the scalar .value (default 0); "empty": zeros
 *   "edge"        the outermost element
 *   "reflect"     mirrored at the outermost element; "symmetric": that element too; .reflect_type "odd": twice the
 *                 outermost element less the mirrored one ("even", the default: the mirrored one)
 *   "wrap"        from the other end
 *   "linear_ramp" from the outermost element to .value, in even steps
 *   "maximum", "minimum", "mean", "median"  of the dim, or of the .stat_length elements next to the edge
 * Dims are padded one after the other. An empty dim has nothing to mirror: an error. tt_pad pads between elements
 * too.
 *     tt_pad_with(x, "1:1, 0:2"), tt_pad_with(x, "2:2", .mode = "reflect"); */
typedef struct tt_pad_opts {
    TT_OPTION_HEAD
    const char *mode TT_DEFAULT; tt_val value TT_DEFAULT;
    int64_t stat_length TT_DEFAULT; const char *reflect_type TT_DEFAULT;
} tt_pad_opts;
#define tt_pad_with(...)     TT_PAD_WITH_(TT_AT("tt_pad_with(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_PAD_WITH_(at, v, widths, ...) tt_pad_with_at(at, v, widths, TT_OPTS(tt_pad_opts, __VA_ARGS__))
TT_API tt_val tt_pad_with_at(const char *site, tt_val v, const char *widths, const tt_pad_opts *);
/* Differences of neighbours along dim, in v's type (of bools: true if they differ): one element fewer
 *     tt_val slopes = tt_diff(x, -1); */
#define tt_diff(v, dim)      tt_diff_at(TT_AT("tt_diff(" #v ", " #dim ")"), v, dim)
TT_API tt_val tt_diff_at(const char *site, tt_val v, int dim);

/* ---- selection, order, counts ---- */

/* v[..., index[..., j, ...], ...] along dim: index has v's rank and the same other dims. Out of range: as in
 * tt_take.
 *     tt_val sorted = tt_take_along_axis(x, tt_argsort(x, -1), -1); */
#define tt_take_along_axis(v, index, dim) \
    tt_take_along_axis_at(TT_AT("tt_take_along_axis(" #v ", " #index ", " #dim ")"), v, index, dim)
TT_API tt_val tt_take_along_axis_at(const char *site, tt_val v, tt_val index, int dim);
/* The indices, i32, that sort v along dim; stable */
#define tt_argsort(...)      TT_ARGSORT_(TT_AT("tt_argsort(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ARGSORT_(at, v, dim, ...) tt_argsort_at(at, v, dim, TT_OPTS(tt_sort_opts, __VA_ARGS__))
TT_API tt_val tt_argsort_at(const char *site, tt_val v, int dim, const tt_sort_opts *);
/* The number of occurrences of each of 0 .. n-1 among v's integers, i32. As in JAX a negative number counts as 0, and
 * numbers from n on are ignored.
 *     tt_val counts = tt_bincount(labels, 10); */
#define tt_bincount(v, n)    tt_bincount_at(TT_AT("tt_bincount(" #v ", " #n ")"), v, n)
TT_API tt_val tt_bincount_at(const char *site, tt_val v, int64_t n);
/* Row i of [n, ...]: the sum, product, maximum or minimum of those rows of v [m, ...] whose id (i32[m]) is i; of no
 * rows: 0, 1, -infinity, infinity (of integers the ends of their range). Ids out of range are ignored.
 *     tt_segment_sum(x, ids, 4), tt_segment_prod(x, ids, 4), tt_segment_max(x, ids, 4);
 *     tt_segment_min(x, ids, 4); */
#define tt_segment_sum(v, ids, n) tt_segment_sum_at(TT_AT("tt_segment_sum(" #v ", " #ids ", " #n ")"), v, ids, n)
#define tt_segment_prod(v, ids, n) tt_segment_prod_at(TT_AT("tt_segment_prod(" #v ", " #ids ", " #n ")"), v, ids, n)
#define tt_segment_max(v, ids, n) tt_segment_max_at(TT_AT("tt_segment_max(" #v ", " #ids ", " #n ")"), v, ids, n)
#define tt_segment_min(v, ids, n) tt_segment_min_at(TT_AT("tt_segment_min(" #v ", " #ids ", " #n ")"), v, ids, n)
TT_API tt_val tt_segment_sum_at(const char *site, tt_val v, tt_val ids, int64_t n),
    tt_segment_prod_at(const char *site, tt_val v, tt_val ids, int64_t n),
    tt_segment_max_at(const char *site, tt_val v, tt_val ids, int64_t n),
    tt_segment_min_at(const char *site, tt_val v, tt_val ids, int64_t n);
/* The values that occur in v, sorted, rank 1; NaNs count as one. .index, .inverse, .counts: a tuple of the values and,
 * in this order, those requested: the place of each value's first occurrence in the flattened v; for each element the
 * number of its value, in v's shape; how often each occurs. All i32. .count (numpy.unique's size): how many values, as
 * a function under trace must say: the largest are left out, missing ones are .fill (default: the smallest) with count
 * 0.
 *     tt_unpack(tt_unique(ids, .count = 8, .inverse = 1, .counts = 1), &values, &inverse, &counts); */
typedef struct tt_unique_opts {
    TT_OPTION_HEAD
    int64_t count TT_DEFAULT; tt_val fill TT_DEFAULT; int index TT_DEFAULT, inverse TT_DEFAULT, counts TT_DEFAULT;
} tt_unique_opts;
#define tt_unique(...)       TT_UNIQUE_(TT_AT("tt_unique(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_UNIQUE_(at, v, ...) tt_unique_at(at, v, TT_OPTS(tt_unique_opts, __VA_ARGS__))
TT_API tt_val tt_unique_at(const char *site, tt_val v, const tt_unique_opts *);
/* (counts, edges), floats: how many elements, or what sum of .weights (v's shape), lie in each bin. The bins are .bins
 * (default 10) of equal width from .range[0] to .range[1] (default: v's extremes), or given by .edges, which rise; the
 * last includes its upper edge. .density: divided so that the integral is 1.
 *     tt_unpack(tt_histogram(x, .bins = 20, .range = { -1, 1 }), &counts, &edges); */
typedef struct tt_histogram_opts {
    TT_OPTION_HEAD
    int64_t bins TT_FROM_1; double range[2] TT_DEFAULT; tt_val edges TT_DEFAULT, weights TT_DEFAULT;
    int density TT_DEFAULT;
} tt_histogram_opts;
#define tt_histogram(...)    TT_HISTOGRAM_(TT_AT("tt_histogram(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_HISTOGRAM_(at, v, ...) tt_histogram_at(at, v, TT_OPTS(tt_histogram_opts, __VA_ARGS__))
TT_API tt_val tt_histogram_at(const char *site, tt_val v, const tt_histogram_opts *);
/* True where the element is one of test's.
 *     tt_val known = tt_isin(ids, tt_const(TT_I32, { 1, 5, 7 })); */
#define tt_isin(v, test)     tt_isin_at(TT_AT("tt_isin(" #v ", " #test ")"), v, test)
TT_API tt_val tt_isin_at(const char *site, tt_val v, tt_val test);
/* The piecewise linear function through (xs, ys), xs rising, at x; outside the range: the end values.
 *     tt_val between = tt_interp(x, xs, ys); */
#define tt_interp(x, xs, ys) tt_interp_at(TT_AT("tt_interp(" #x ", " #xs ", " #ys ")"), x, xs, ys)
TT_API tt_val tt_interp_at(const char *site, tt_val x, tt_val xs, tt_val ys);
/* p_0 x^(n-1) + ... + p_(n-1), by Horner's rule; p has rank 1
 *     tt_val cubic = tt_polyval(tt_const(TT_F32, { 1, 0, -2, 1 }), x); */
#define tt_polyval(p, x)     tt_polyval_at(TT_AT("tt_polyval(" #p ", " #x ")"), p, x)
TT_NUM2(polyval)

/* ---- NaN and infinities ---- */

/*     tt_isnan(x), tt_isinf(x), tt_nan_to_num(x); */
#define tt_isnan(v)          tt_isnan_at(TT_AT("tt_isnan(" #v ")"), v)
#define tt_isinf(v)          tt_isinf_at(TT_AT("tt_isinf(" #v ")"), v)
/* NaN becomes 0; an infinity becomes the largest finite number of its sign */
#define tt_nan_to_num(v)     tt_nan_to_num_at(TT_AT("tt_nan_to_num(" #v ")"), v)
TT_NUM1(isnan) TT_NUM1(isinf) TT_NUM1(nan_to_num)
/* True where |a - b| <= atol + rtol |b| (1e-8, 1e-5); infinities are close to equal ones, NaNs if equal_nan.
 * rtol and atol are 0 or more.
 *     tt_isclose(a, b), tt_isclose(a, b, .rtol = 1e-3, .equal_nan = 1); */
typedef struct tt_close_opts {
    TT_OPTION_HEAD
    double rtol TT_DEFAULT, atol TT_DEFAULT; int equal_nan TT_DEFAULT;
} tt_close_opts;
#define tt_isclose(...)      TT_CLOSE_(TT_AT("tt_isclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CLOSE_(at, a, b, ...) tt_isclose_at(at, a, b, TT_OPTS(tt_close_opts, __VA_ARGS__))
TT_API tt_val tt_isclose_at(const char *site, tt_val a, tt_val b, const tt_close_opts *);
/* One bool: allclose: all are close, as above. array_equal: the same shape, and all elements equal (NaNs if equal_nan;
 * .rtol and .atol are refused).
 *     if (tt_num(tt_allclose(a, b, .atol = 1e-6))) puts("close");
 *     if (!tt_num(tt_array_equal(a, b))) puts("not equal"); */
#define tt_allclose(...)     TT_ALLCLOSE_(tt_allclose_at, TT_AT("tt_allclose(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_array_equal(...)  TT_ALLCLOSE_(tt_array_equal_at, TT_AT("tt_array_equal(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ALLCLOSE_(f, at, a, b, ...) f(at, a, b, TT_OPTS(tt_close_opts, __VA_ARGS__))
TT_API tt_val tt_allclose_at(const char *site, tt_val a, tt_val b, const tt_close_opts *),
    tt_array_equal_at(const char *site, tt_val a, tt_val b, const tt_close_opts *);
/* Limits of a dtype, as in numpy.finfo and iinfo. eps: the distance from 1 to the next number; tiny: the least normal
 * number. least, most: of a float type -max and max; of integers rounded above 2^53 (tt_int_range has them exactly). An
 * error, and zeros: not a float type (finfo), not an integer type (iinfo).
 *     printf("%g to %g, %g\n", tt_finfo(TT_BF16).least, tt_finfo(TT_BF16).most, tt_iinfo(TT_I8).most); */
typedef struct tt_limits { int bits; double eps, tiny, least, most; } tt_limits;
#define tt_finfo(dtype)      tt_finfo_of(TT_AT("tt_finfo(" #dtype ")"), dtype)
#define tt_iinfo(dtype)      tt_iinfo_of(TT_AT("tt_iinfo(" #dtype ")"), dtype)
TT_API bool tt_finfo_at(const char *site, tt_dtype dtype, tt_limits *), tt_iinfo_at(const char *site, tt_dtype dtype,
    tt_limits *);
static inline tt_limits tt_finfo_of(const char *site, tt_dtype dtype)
{
    tt_limits l;
    tt_finfo_at(site, dtype, &l);
    return l;
}
static inline tt_limits tt_iinfo_of(const char *site, tt_dtype dtype)
{
    tt_limits l;
    tt_iinfo_at(site, dtype, &l);
    return l;
}

/* ---- statistics. dims: "0, 2" (default: all); quantile and median take at most one ---- */

/*     tt_nansum(x), tt_nanmean(x, .dims = "0"), tt_median(x, .dims = "-1"); */
#define tt_nansum(...)       TT_REDUCE_(tt_nansum_at, TT_AT("tt_nansum(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nanmean(...)      TT_REDUCE_(tt_nanmean_at, TT_AT("tt_nanmean(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_median(...)       TT_REDUCE_(tt_median_at, TT_AT("tt_median(" #__VA_ARGS__ ")"), __VA_ARGS__, )
/* Reductions of the elements that are not NaN; nanmax and nanmin of none: NaN. nanvar: the mean of squared distances
 * from nanmean.
 *     tt_nanprod(x), tt_nanmax(x), tt_nanmin(x), tt_nanvar(x, .dims = "0"), tt_nanstd(x); */
#define tt_nanprod(...)      TT_REDUCE_(tt_nanprod_at, TT_AT("tt_nanprod(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nanmax(...)       TT_REDUCE_(tt_nanmax_at, TT_AT("tt_nanmax(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nanmin(...)       TT_REDUCE_(tt_nanmin_at, TT_AT("tt_nanmin(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nanvar(...)       TT_REDUCE_(tt_nanvar_at, TT_AT("tt_nanvar(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nanstd(...)       TT_REDUCE_(tt_nanstd_at, TT_AT("tt_nanstd(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_nanprod_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_nanmax_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_nanmin_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_nanvar_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_nanstd_at(const char *site, tt_val v, const tt_reduce_opts *);
/* How many elements are not 0 (NaN is not), i32
 *     tt_val hits = tt_count_nonzero(tt_eq(a, b)); */
#define tt_count_nonzero(...) \
    TT_REDUCE_(tt_count_nonzero_at, TT_AT("tt_count_nonzero(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_API tt_val tt_count_nonzero_at(const char *site, tt_val v, const tt_reduce_opts *);
TT_API tt_val tt_nansum_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_nanmean_at(const char *site, tt_val v, const tt_reduce_opts *),
    tt_median_at(const char *site, tt_val v, const tt_reduce_opts *);
/* 0 <= q <= 1; linear interpolation between neighbours; NaN if v has a NaN */
#define tt_quantile(...)     TT_QUANTILE_(TT_AT("tt_quantile(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_QUANTILE_(at, v, q, ...) tt_quantile_at(at, v, q, TT_OPTS(tt_reduce_opts, __VA_ARGS__))
TT_API tt_val tt_quantile_at(const char *site, tt_val v, double q, const tt_reduce_opts *);
/* sum(v w) / sum(w) with weights w of v's shape
 *     tt_val weighted = tt_average(x, weights, .dims = "0"); */
#define tt_average(...)      TT_AVERAGE_(TT_AT("tt_average(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_AVERAGE_(at, v, w, ...) tt_average_at(at, v, w, TT_OPTS(tt_reduce_opts, __VA_ARGS__))
TT_API tt_val tt_average_at(const char *site, tt_val v, tt_val w, const tt_reduce_opts *);
/* Of [variables, observations]: covariances (divided by observations - 1); correlations: covariances divided by the
 * standard deviations. Of one variable, rank 1 or [1, observations], the result is a scalar, as in NumPy.
 *     tt_cov(x), tt_corrcoef(x); */
#define tt_cov(v)            tt_cov_at(TT_AT("tt_cov(" #v ")"), v)
#define tt_corrcoef(v)       tt_corrcoef_at(TT_AT("tt_corrcoef(" #v ")"), v)
TT_NUM1(cov) TT_NUM1(corrcoef)

/* ---- vectors and lines ---- */

/* a x b along the last dims, of size 3; of two vectors of size 2 the third component alone
 *     tt_val normal = tt_cross(a, b); */
#define tt_cross(a, b)       tt_cross_at(TT_AT("tt_cross(" #a ", " #b ")"), a, b)
TT_NUM2(cross)
/* numpy.convolve and correlate of two arrays of rank 1, m and n long. mode: "full" (m + n - 1 elements), "same" (max(m,
 * n), the middle ones), "valid" (max(m, n) - min(m, n) + 1: those without padding). Default: convolve1d "full",
 * correlate "valid". correlate conjugates b. Images: tt_convolve.
 *     tt_convolve1d(a, b, .mode = "same"), tt_correlate(a, b); */
typedef struct tt_line_opts { TT_OPTION_HEAD const char *mode TT_DEFAULT, *precision TT_DEFAULT; } tt_line_opts;
#define tt_convolve1d(...)   TT_LINE_(tt_convolve1d_at, TT_AT("tt_convolve1d(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_correlate(...)    TT_LINE_(tt_correlate_at, TT_AT("tt_correlate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_LINE_(f, at, a, b, ...) f(at, a, b, TT_OPTS(tt_line_opts, __VA_ARGS__))
TT_API tt_val tt_convolve1d_at(const char *site, tt_val a, tt_val b, const tt_line_opts *),
    tt_correlate_at(const char *site, tt_val a, tt_val b, const tt_line_opts *);
/* The slope along one dim: differences of neighbours on both sides, one-sided at the ends, divided by .step
 * (default 1). Without .dims or with several: a tuple, one array per dim; of rank 1 the array.
 *     tt_val slope = tt_gradient(x, .dims = "0", .step = 0.1); */
typedef struct tt_gradient_opts {
    TT_OPTION_HEAD
    const char *dims TT_DEFAULT; double step TT_ABOVE_0;
} tt_gradient_opts;
#define tt_gradient(...)     TT_GRADIENT_(TT_AT("tt_gradient(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_GRADIENT_(at, v, ...) tt_gradient_at(at, v, TT_OPTS(tt_gradient_opts, __VA_ARGS__))
TT_API tt_val tt_gradient_at(const char *site, tt_val v, const tt_gradient_opts *);
/* The integral along the last dim by trapezoids, of points .step apart (default 1), or at .x (rank 1, or v's shape)
 *     tt_val area = tt_trapezoid(y, .step = 0.1); */
typedef struct tt_trapezoid_opts { TT_OPTION_HEAD tt_val x TT_DEFAULT; double step TT_ABOVE_0; } tt_trapezoid_opts;
#define tt_trapezoid(...)    TT_TRAPEZOID_(TT_AT("tt_trapezoid(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRAPEZOID_(at, v, ...) tt_trapezoid_at(at, v, TT_OPTS(tt_trapezoid_opts, __VA_ARGS__))
TT_API tt_val tt_trapezoid_at(const char *site, tt_val v, const tt_trapezoid_opts *);

#ifdef __cplusplus
}
#endif
#endif
