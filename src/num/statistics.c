/* num/statistics.c - functions that treat NaN and infinities; quantiles, weighted means, covariances; interpolation. */
#include "num.h"

#include <float.h>
#include <math.h>
#include <string.h>

tt_val tt_isnan_at(const char *site, tt_val v) { return tt_compare_at(site, 1, v, v); }

tt_val tt_isinf_at(const char *site, tt_val v)
{
    return tt_compare_at(site, 0, tt_abs_at(site, v), tt_f(INFINITY));
}

tt_val tt_nan_to_num_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    const tt_dtype d = tt_dtype_of_at(site, v);
    if (strchr("biu", tt_dtype_kind(d))) return v;
    if (!tt_ok()) return tt_poison;
    if (d < TT_F16 || d > TT_F64)
        return tt_fail_at(site, TT_ETYPE, "nan_to_num: of %s; expected floats of 16 bits or more",
                          tt_type_text_at(site, v));
    const double most = d == TT_F64 ? DBL_MAX : d == TT_F16 ? 65504 : d == TT_BF16 ? 0x1.fep127 : (double)FLT_MAX;
    const tt_val known = tt_where_at(site, tt_isnan_at(site, v), tt_f(0), v);
    return tt_clamp_at(site, tt_f(-most), known, tt_f(most));
}

tt_val tt_isclose_at(const char *site, tt_val a, tt_val b, const tt_close_opts *o)
{
    if (!TT_CHECKED(tt_close_opts, site, "isclose", o)) return tt_poison;
    const double rtol = o->rtol != 0 || tt_given(o, "rtol") ? o->rtol : 1e-5;
    const double atol = o->atol != 0 || tt_given(o, "atol") ? o->atol : 1e-8;
    if (!(rtol >= 0 && atol >= 0))
        return tt_fail_at(site, TT_EARG, "isclose: .%s = %g; expected 0 or more", rtol >= 0 ? "atol" : "rtol",
                          rtol >= 0 ? atol : rtol);
    num_reals(site, &a, &b);
    const tt_val off = tt_abs_at(site, tt_sub_at(site, a, b));
    const tt_val bound = tt_add_at(site, tt_f(atol), tt_mul_at(site, tt_f(rtol), tt_abs_at(site, b)));
    const tt_val finite = tt_and_at(site, tt_is_finite_at(site, a), tt_is_finite_at(site, b));
    const tt_val near = tt_and_at(site, finite, tt_compare_at(site, 3, off, bound));
    const tt_val close = tt_or_at(site, near, tt_compare_at(site, 0, a, b));
    if (!o->equal_nan) return close;
    return tt_or_at(site, close, tt_and_at(site, tt_isnan_at(site, a), tt_isnan_at(site, b)));
}

tt_val tt_nansum_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    if (num_is_integer(site, v)) return tt_sum_at(site, v, o); /* in their own type; no integer is NaN */
    return tt_sum_at(site, tt_where_at(site, tt_isnan_at(site, v), tt_f(0), v), o);
}

tt_val tt_nanmean_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    if (!TT_CHECKED(tt_reduce_opts, site, "nanmean", o) || !num_plain(site, "nanmean", o, true)) return tt_poison;
    if (num_is_integer(site, v)) return tt_mean_at(site, v, o);
    const tt_val known = tt_cast_at(site, tt_compare_at(site, 0, v, v), tt_dtype_of_at(site, v));
    return tt_div_at(site, tt_nansum_at(site, v, o), tt_sum_at(site, known, o));
}

enum { FOLD_ALL = -1, FOLD_NONE = -2, FOLD_FAILED = -3 };
/* The reduced dim, or one of the numbers above. */
static int fold_dim(const char *site, const char *what, tt_val v, const tt_reduce_opts *o)
{
    int dim[13];
    const int n = tt_dims_listed_at(site, what, v, o->dims, dim);
    if (n < 0) return FOLD_FAILED;
    if (!o->dims) return n == 1 ? 0 : FOLD_ALL;
    if (n > 1) {
        tt_fail_at(site, TT_EARG, "%s: over \"%s\" of %s; expected one dim", what, o->dims, tt_type_text_at(site, v));
        return FOLD_FAILED;
    }
    return n ? dim[0] : FOLD_NONE;
}

/* Sorts along the dim and interpolates between the two neighbours of position q (n - 1). A NaN, which sorts last, makes
 * the quantile of its line NaN. */
static tt_val quantile(const char *site, const char *what, tt_val v, double q, const tt_reduce_opts *o)
{
    const tt_sort_opts up = { .size = sizeof up };
    if (!TT_CHECKED(tt_reduce_opts, site, what, o) || !num_plain(site, what, o, false)) return tt_poison;
    int dim = fold_dim(site, what, v, o);
    if (dim == FOLD_FAILED) return tt_poison;
    const int rank = tt_rank_at(site, v);
    v = num_real(site, v);
    if (dim == FOLD_ALL) v = tt_flatten_at(site, v, 0);
    const int at = dim < 0 ? 0 : dim;
    const int64_t n = dim == FOLD_NONE ? 1 : tt_dim_at(site, v, at);
    if (!tt_ok()) return tt_poison;
    if (!(q >= 0 && q <= 1) || n < 1 || tt_dtype_kind(tt_dtype_of_at(site, v)) != 'f')
        return tt_fail_at(site, TT_EARG, "%s: %g of %s; expected 0 <= q <= 1, of one real number or more", what, q,
                          tt_type_text_at(site, v));
    if (dim == FOLD_NONE) return v;                      /* of each number by itself */
    const double place = q * (double)(n - 1);
    const int64_t low = (int64_t)floor(place), high = low + 1 < n ? low + 1 : low;
    const tt_val line = tt_sort_at(site, v, at, &up), last = tt_slice_at(site, line, at, n - 1, n, 1);
    const tt_val a = tt_slice_at(site, line, at, low, low + 1, 1), b = tt_slice_at(site, line, at, high, high + 1, 1);
    const double t = place - (double)low;
    const tt_val between = t > 0 ? tt_add_at(site, tt_mul_at(site, a, tt_f(1 - t)), tt_mul_at(site, b, tt_f(t))) : a;
    tt_val y = tt_where_at(site, tt_isnan_at(site, last), last, between);
    if (!o->keepdims || !rank) return tt_squeeze_at(site, y, at);
    for (int d = 1; dim < 0 && d < rank; d++) y = tt_expand_dims_at(site, y, 0);
    return y;
}

tt_val tt_quantile_at(const char *site, tt_val v, double q, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return quantile(site, "quantile", v, q, o);
}
tt_val tt_median_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return quantile(site, "median", v, 0.5, o);
}

tt_val tt_average_at(const char *site, tt_val v, tt_val w, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_reduce_opts, site, "average", o) || !num_plain(site, "average", o, false)) return tt_poison;
    bool same = tt_rank_at(site, v) == tt_rank_at(site, w);
    for (int d = 0; same && d < tt_rank_at(site, v); d++) same = tt_dim_at(site, v, d) == tt_dim_at(site, w, d);
    if (tt_ok() && !same) {
        const tt_val bad =
            tt_fail_at(site, TT_ESHAPE, "average: weights %s of values %s; expected one shape",
                       tt_type_text_at(site, w), tt_type_text_at(site, v));
        tt_hint("tt_broadcast(w, ...) gives weights the shape of the values");
        return bad;
    }
    num_reals(site, &v, &w);
    const tt_val products = tt_mul_at(site, v, w);
    if (!tt_ok()) return tt_poison;
    const tt_val weights = tt_cast_at(site, w, tt_dtype_of_at(site, products));   /* their sum is no narrower */
    return tt_div_at(site, tt_sum_at(site, products, o), tt_sum_at(site, weights, o));
}

/* True if v, rank 1 or [variables, observations], is of one variable: its covariance is a scalar, as in NumPy. */
static bool is_single(const char *site, tt_val v) { return tt_rank_at(site, v) == 1 || tt_dim_at(site, v, 0) == 1; }

tt_val tt_cov_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    static const int64_t scalar[] = { TT_DIM_END }, turn[] = { 1, 0, TT_DIM_END };
    const tt_reduce_opts each = { .size = sizeof each, .dims = "1", .keepdims = 1 };
    if (!tt_ok()) return tt_poison;
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return tt_poison;
    if (rank < 1 || rank > 2 || tt_dim_at(site, v, -1) < 2)
        return tt_fail_at(site, TT_ESHAPE, "cov: of %s; expected [variables, 2 observations or more]",
                          tt_type_text_at(site, v));
    const bool single = is_single(site, v);
    const tt_val rows = rank == 1 ? tt_expand_dims_at(site, v, 0) : v;
    const tt_val off = tt_sub_at(site, rows, tt_mean_at(site, rows, &each));
    const tt_val product = tt_matmul_at(site, off, tt_transpose_at(site, tt_conj_at(site, off), turn), NULL);
    const tt_val all = tt_div_at(site, product, tt_f((double)(tt_dim_at(site, rows, 1) - 1)));
    return single ? tt_reshape_at(site, all, scalar) : all;
}

tt_val tt_corrcoef_at(const char *site, tt_val v)
{
    const tt_val c = tt_cov_at(site, v);
    if (!tt_ok()) return tt_poison;
    if (is_single(site, v)) return tt_div_at(site, c, c);
    const tt_val deviation = tt_sqrt_at(site, tt_real_at(site, tt_diag_at(site, c, 0)));
    return tt_div_at(site, tt_div_at(site, c, tt_expand_dims_at(site, deviation, 1)), deviation);
}

static const tt_take_opts inside = { .size = sizeof(tt_take_opts), .mode = "promise_in_bounds" };

/* Integers v as floats of other's type, if `other` has real floats; with TUTTI=x64 also as integers of their common
 * type; else v. */
static tt_val promoted_with(const char *site, tt_val v, tt_val other)
{
    const int64_t scalar[] = { TT_DIM_END };
    if (!num_is_integer(site, v) || num_complex(site, other)) return v;
    if (num_is_integer(site, other) && !tt_config_value("x64")) return v;
    if (tt_rank_at(site, other) > 0) other = tt_full_at(site, 0, tt_dtype_of_at(site, other), scalar);
    return tt_where_at(site, tt_b(true), v, other);
}

/* As jax.numpy.interp: interpolates from the left end of the segment that contains x. Beyond the ends, the end
 * values. */
tt_val tt_interp_at(const char *site, tt_val x, tt_val xs, tt_val ys)
{
    TT_ENTRY(site);
    const tt_search_opts right = { .size = sizeof right, .right = 1 };
    const int64_t n = tt_ok() ? tt_count_at(site, xs) : 0;
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, xs) != 1 || tt_rank_at(site, ys) != 1 || tt_count_at(site, ys) != n || n < 1)
        return tt_fail_at(site, TT_ESHAPE, "interp: through %s and %s; expected rank 1, alike, a point or more",
                          tt_type_text_at(site, xs), tt_type_text_at(site, ys));
    if (!num_real_only(site, "interp", x) || !num_real_only(site, "interp", xs)) return tt_poison;
    const tt_val given[3] = { x, xs, ys };               /* integers next to floats become floats of their type */
    tt_val *const to[3] = { &x, &xs, &ys };
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) *to[i] = promoted_with(site, *to[i], given[k]);
        *to[i] = num_real(site, *to[i]);
    }
    const tt_val after = tt_clamp_at(site, tt_i(n > 1), tt_searchsorted_at(site, xs, x, &right), tt_i(n - 1));
    const tt_val before = tt_sub_at(site, after, tt_i(n > 1));
    const tt_val x0 = tt_take_at(site, xs, before, 0, &inside), x1 = tt_take_at(site, xs, after, 0, &inside);
    const tt_val y0 = tt_take_at(site, ys, before, 0, &inside), y1 = tt_take_at(site, ys, after, 0, &inside);
    const tt_val share = tt_div_at(site, tt_sub_at(site, x, x0), tt_sub_at(site, x1, x0));
    const tt_val y = tt_add_at(site, y0, tt_mul_at(site, share, tt_sub_at(site, y1, y0)));
    const tt_val flat = tt_compare_at(site, 0, x0, x1);
    const tt_val first = tt_take_at(site, ys, tt_i(0), 0, &inside);
    const tt_val last = tt_take_at(site, ys, tt_i(n - 1), 0, &inside);
    const tt_val left = tt_compare_at(site, 2, x, tt_take_at(site, xs, tt_i(0), 0, NULL));
    const tt_val past = tt_compare_at(site, 4, x, tt_take_at(site, xs, tt_i(n - 1), 0, NULL));
    return tt_where_at(site, left, first, tt_where_at(site, past, last, tt_where_at(site, flat, y0, y)));
}

static tt_val zeros_like(const char *site, tt_val x)   /* zeros of x's shape */
{
    int64_t dim[13];
    const int rank = tt_rank_at(site, x);
    for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(site, x, d);
    dim[rank] = TT_DIM_END;
    return tt_full_at(site, 0, tt_dtype_of_at(site, x), dim);
}

tt_val tt_polyval_at(const char *site, tt_val p, tt_val x)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, p) != 1)
        return tt_fail_at(site, TT_ESHAPE, "polyval: coefficients %s; expected rank 1", tt_type_text_at(site, p));
    const int64_t n = tt_count_at(site, p);
    tt_val y = zeros_like(site, x);
    for (int64_t i = 0; i < n; i++) {
        const tt_val term = tt_squeeze_at(site, tt_slice_at(site, p, 0, i, i + 1, 1), 0);
        y = tt_add_at(site, i ? tt_mul_at(site, y, x) : y, term);
    }
    return y;
}
