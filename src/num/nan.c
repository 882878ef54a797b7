/* num/nan.c - reductions of the elements that are not NaN, and comparisons of complete arrays. */
#include "num.h"

#include <math.h>

/* v with x in the place of each NaN. */
static tt_val without_nan(const char *site, tt_val v, double x)
{
    return tt_where_at(site, tt_isnan_at(site, v), tt_f(x), v);
}

tt_val tt_nanprod_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return tt_prod_at(site, num_is_integer(site, v) ? v : without_nan(site, v, 1), o);
}

/* The extreme of the elements that are not NaN; NaN where all elements are NaN. */
static tt_val nan_extreme(const char *site, tt_val v, const tt_reduce_opts *o, bool most)
{
    if (!TT_CHECKED(tt_reduce_opts, site, most ? "nanmax" : "nanmin", o)) return tt_poison;
    const tt_val known =
        num_is_integer(site, v) ? v : without_nan(site, v, most ? -(double)INFINITY : (double)INFINITY);
    const tt_val y = most ? tt_amax_at(site, known, o) : tt_amin_at(site, known, o);
    if (num_is_integer(site, v)) return y;
    const tt_reduce_opts same = { .size = sizeof same, .dims = o->dims, .keepdims = o->keepdims, .where = o->where };
    return tt_where_at(site, tt_all_at(site, tt_isnan_at(site, v), &same), tt_f((double)NAN), y);
}
tt_val tt_nanmax_at(const char *site, tt_val v, const tt_reduce_opts *o) { return nan_extreme(site, v, o, true); }
tt_val tt_nanmin_at(const char *site, tt_val v, const tt_reduce_opts *o) { return nan_extreme(site, v, o, false); }

/* The mean of squared distances from the mean, in float32 or wider. */
static tt_val nan_variance(const char *site, const char *what, tt_val v, const tt_reduce_opts *o)
{
    if (!TT_CHECKED(tt_reduce_opts, site, what, o) || !num_plain(site, what, o, false)) return tt_poison;
    const tt_dtype d = tt_dtype_of_at(site, v);
    if (tt_ok() && tt_dtype_kind(d) == 'f' && d != TT_F64) v = tt_cast_at(site, v, TT_F32);
    v = num_real(site, v);
    tt_reduce_opts keep = *o;
    keep.keepdims = 1;
    const tt_val off = tt_sub_at(site, v, tt_nanmean_at(site, v, &keep));
    const tt_val square = num_complex(site, off) ? tt_square_at(site, tt_abs_at(site, off)) : tt_square_at(site, off);
    const tt_val known = tt_cast_at(site, tt_compare_at(site, 0, v, v), tt_dtype_of_at(site, square));
    const tt_val counted = tt_where_at(site, tt_isnan_at(site, v), tt_f(0), square);     /* of infinities it is NaN */
    return tt_div_at(site, tt_sum_at(site, counted, o), tt_sum_at(site, known, o));
}

static tt_val as_before(const char *site, tt_val y, tt_val v)
{
    const tt_dtype d = tt_dtype_of_at(site, v);
    return tt_ok() && tt_dtype_kind(d) == 'f' ? tt_cast_at(site, y, d) : y;
}
tt_val tt_nanvar_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return as_before(site, nan_variance(site, "nanvar", v, o), v);
}
tt_val tt_nanstd_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return as_before(site, tt_sqrt_at(site, nan_variance(site, "nanstd", v, o)), v);
}

tt_val tt_count_nonzero_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_reduce_opts, site, "count_nonzero", o) || !num_plain(site, "count_nonzero", o, true))
        return tt_poison;
    return tt_sum_at(site, tt_dtype_of_at(site, v) == TT_BOOL ? v : tt_compare_at(site, 1, v, tt_i(0)), o);
}

/* ---- complete arrays ---- */

static const tt_reduce_opts whole = { .size = sizeof(tt_reduce_opts) };

tt_val tt_allclose_at(const char *site, tt_val a, tt_val b, const tt_close_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_close_opts, site, "allclose", o)) return tt_poison;
    return tt_all_at(site, tt_isclose_at(site, a, b, o), &whole);
}

tt_val tt_array_equal_at(const char *site, tt_val a, tt_val b, const tt_close_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_close_opts, site, "array_equal", o)) return tt_poison;
    if (o->rtol != 0 || o->atol != 0 || tt_given(o, "rtol") || tt_given(o, "atol")) {
        tt_fail_at(site, TT_EARG, "array_equal has no .rtol and no .atol");
        return tt_hint("tt_allclose has them"), tt_poison;
    }
    bool same = tt_rank_at(site, a) == tt_rank_at(site, b);
    for (int d = 0; same && tt_ok() && d < tt_rank_at(site, a); d++)
        same = tt_dim_at(site, a, d) == tt_dim_at(site, b, d);
    const int64_t scalar[] = { TT_DIM_END };
    if (!tt_ok()) return tt_poison;
    if (!same) return tt_full_at(site, 0, TT_BOOL, scalar);
    tt_val equal = tt_compare_at(site, 0, a, b);
    if (o->equal_nan) equal = tt_or_at(site, equal, tt_and_at(site, tt_isnan_at(site, a), tt_isnan_at(site, b)));
    return tt_all_at(site, equal, &whole);
}
