/* num/reduce.c - means, variances, logsumexp, norms: reductions in JAX's order of operations.
 *
 * A mean is sum / N in float32: floats of 16 bits or less are summed in float32 and rounded once; integers and bools
 * become float32, with TUTTI=x64 those of 64 bits become float64. The variance of complex numbers is that of their
 * distances from the mean. */
#include "num.h"

#include <math.h>

static bool reduce_is_float(tt_dtype d) { return tt_dtype_kind(d) == 'f'; }
static bool is_half(tt_dtype d) { return reduce_is_float(d) && d != TT_F32 && d != TT_F64; }

/* v in the float type in which its reduction is computed. */
static tt_val reduce_widened(const char *site, tt_val v)
{
    const tt_dtype d = tt_dtype_of_at(site, v);
    if (is_half(d)) return tt_cast_at(site, v, TT_F32);
    return num_is_integer(site, v) ? tt_cast_at(site, v, num_float_of(d)) : v;
}

static tt_val narrowed(const char *site, tt_val r, tt_dtype like)
{
    return is_half(like) ? tt_cast_at(site, r, like) : r;
}

/* The sum divided by the number of elements in it. */
static tt_val ratio(const char *site, tt_val sum, tt_val of, const tt_reduce_opts *o)
{
    const int64_t n = tt_count_at(site, of), kept = tt_count_at(site, sum);
    if (!num_given(o->where)) return tt_div_at(site, sum, tt_f(kept ? (double)n / (double)kept : 0.0));
    int64_t dim[13];
    const int rank = tt_rank_at(site, of);
    for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(site, of, d);
    dim[rank < 0 ? 0 : rank] = TT_DIM_END;
    const tt_reduce_opts same = { .size = sizeof same, .dims = o->dims, .keepdims = o->keepdims };
    const tt_val taken = tt_sum_at(site, tt_broadcast_at(site, o->where, dim), &same);
    return tt_div_at(site, sum, tt_cast_at(site, taken, tt_dtype_of_at(site, tt_real_at(site, sum))));
}

tt_val tt_mean_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_reduce_opts, site, "mean", o) || !num_plain(site, "mean", o, true)) return tt_poison;
    const tt_dtype d = tt_dtype_of_at(site, v);
    v = reduce_widened(site, v);
    return narrowed(site, ratio(site, tt_sum_at(site, v, o), v, o), d);
}

/* The variance, in the type of computation. */
static tt_val wide_var(const char *site, tt_val v, const tt_reduce_opts *o)
{
    if (!TT_CHECKED(tt_reduce_opts, site, "var", o) || !num_plain(site, "var", o, true)) return tt_poison;
    const tt_dtype d = tt_dtype_of_at(site, v);
    tt_reduce_opts keep = *o;
    keep.keepdims = 1;
    v = reduce_widened(site, v);
    tt_val off = tt_sub_at(site, v, ratio(site, tt_sum_at(site, v, &keep), v, &keep));
    if (tt_dtype_kind(d) == 'c') off = tt_abs_at(site, off);
    return ratio(site, tt_sum_at(site, tt_square_at(site, off), o), v, o);
}

tt_val tt_var_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return narrowed(site, wide_var(site, v, o), tt_dtype_of_at(site, v));
}

/* The square root is taken before the one rounding: deviations beyond 256 have a variance outside float16's range. */
tt_val tt_std_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    TT_ENTRY(site);
    return narrowed(site, tt_sqrt_at(site, wide_var(site, v, o)), tt_dtype_of_at(site, v));
}

/* max + log(sum(exp(v - max))). An infinite max is replaced by 0, so that inf - inf gives no NaN. Of no elements:
 * -inf. */
tt_val tt_logsumexp_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    if (!TT_CHECKED(tt_reduce_opts, site, "logsumexp", o) || !num_plain(site, "logsumexp", o, true)) return tt_poison;
    v = num_real(site, v);
    v = num_masked(site, "logsumexp", o->where, v, -(double)INFINITY);
    const tt_reduce_opts plain = { .size = sizeof plain, .dims = o->dims, .keepdims = o->keepdims };
    o = &plain;
    if (!tt_count_at(site, v)) return tt_log_at(site, tt_sum_at(site, tt_exp_at(site, v), o));
    tt_reduce_opts keep = *o;
    keep.keepdims = 1;
    const tt_val size = num_complex(site, v) ? tt_real_at(site, v) : v;    /* the maximum is that of the real parts */
    const tt_val top = tt_stop_gradient_at(site, tt_amax_at(site, size, &keep));
    const tt_val shift = tt_where_at(site, tt_is_finite_at(site, top), top, tt_f(0));
    const tt_val sum = tt_sum_at(site, tt_exp_at(site, tt_sub_at(site, v, shift)), o);
    /* The reduced dims have size 1: the maximum only removes them. */
    const tt_val back = o->keepdims ? shift : tt_amax_at(site, shift, o);
    return tt_add_at(site, tt_log_at(site, sum), back);
}

tt_val tt_global_norm_at(const char *site, tt_val tree)
{
    TT_ENTRY(site);
    enum { MAX = 4096 };
    tt_val leaf[MAX], sum = tt_f(0);
    const int n = tt_tree_leaves_at(site, tree, MAX, leaf);
    if (n > MAX) return tt_fail_at(site, TT_EARG, "global_norm: %d leaves; at most %d are allowed", n, MAX);
    for (int i = 0; i < n; i++) {
        const tt_reduce_opts all = { .size = sizeof all };
        const bool complex = tt_dtype_kind(tt_dtype_of_at(site, leaf[i])) == 'c';
        const tt_val v = complex ? tt_abs_at(site, leaf[i]) : num_real(site, leaf[i]);
        const tt_val s = tt_sum_at(site, tt_square_at(site, v), &all);
        sum = i ? tt_add_at(site, sum, s) : s;
    }
    return tt_sqrt_at(site, sum);
}

/* (v - mean) / sqrt(mean of squares - mean^2 + epsilon), in JAX's order. */
tt_val tt_standardize_at(const char *site, tt_val v, const tt_reduce_opts *o)
{
    if (!TT_CHECKED(tt_reduce_opts, site, "standardize", o)) return tt_poison;
    if (!num_plain(site, "standardize", o, false)) return tt_poison;
    tt_reduce_opts keep = *o;
    keep.keepdims = 1;
    v = num_real(site, v);
    const tt_val mean = tt_mean_at(site, v, &keep), squares = tt_mean_at(site, tt_square_at(site, v), &keep);
    const tt_val var = tt_sub_at(site, squares, tt_square_at(site, mean));
    return tt_mul_at(site, tt_sub_at(site, v, mean), tt_rsqrt_at(site, tt_add_at(site, var, tt_f(1e-5))));
}
