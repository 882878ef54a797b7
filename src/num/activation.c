/* num/activation.c - elementwise compositions with jax.nn's formulas and derivatives. */
#include "num.h"

/* The square of bools is i32, as in JAX. */
tt_val tt_square_at(const char *site, tt_val v)
{
    const bool truths = tt_rank_at(site, v) >= 0 && tt_dtype_of_at(site, v) == TT_BOOL;
    return truths ? tt_integer_pow_at(site, v, 2) : tt_mul_at(site, v, v);
}
tt_val tt_reciprocal_at(const char *site, tt_val v) { return tt_div_at(site, tt_f(1), num_real(site, v)); }

/* max(v, 0) whose derivative is 1 where v > 0 and 0 elsewhere, at 0 and at NaN too, as in JAX. */
tt_val tt_relu_at(const char *site, tt_val v)
{
    const tt_val rest = tt_stop_gradient_at(site, tt_max_at(site, v, tt_i(0)));
    return tt_where_at(site, tt_compare_at(site, 4, v, tt_i(0)), v, rest);
}
tt_val tt_relu6_at(const char *site, tt_val v)
{
    return tt_where_at(site, tt_compare_at(site, 5, v, tt_i(6)), tt_f(6), tt_relu_at(site, v));      /* floats */
}
tt_val tt_silu_at(const char *site, tt_val v) { return tt_mul_at(site, v, tt_logistic_at(site, v)); }

/* Bools next to a C integer, as in jax.nn: i32, with TUTTI=x64 i64; other values unchanged. */
static tt_val truths_counted(const char *site, tt_val v)
{
    const bool truths = tt_rank_at(site, v) >= 0 && tt_dtype_of_at(site, v) == TT_BOOL;
    return truths ? tt_mul_at(site, v, tt_i(1)) : v;
}

/* log(1 + e^x) = max(x, 0) + log1p(exp(-|x|)). Both parts are selected, not computed by a maximum and a minimum: at 0
 * either half then has all derivatives of the function, 1/2, 1/4 and so on. */
tt_val tt_softplus_at(const char *site, tt_val v)
{
    v = num_real(site, truths_counted(site, v));
    if (num_complex(site, v)) return tt_logaddexp_at(site, v, tt_f(0));
    const tt_val up = tt_compare_at(site, 4, v, tt_f(0)), gap = tt_where_at(site, up, tt_neg_at(site, v), v);
    return tt_add_at(site, tt_where_at(site, up, v, tt_f(0)), tt_log1p_at(site, tt_exp_at(site, gap)));
}
tt_val tt_log_sigmoid_at(const char *site, tt_val v)
{
    return tt_neg_at(site, tt_softplus_at(site, tt_neg_at(site, num_real(site, v))));
}

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
tt_val tt_gelu_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    v = num_real(site, v);
    const tt_val cube = tt_mul_at(site, v, tt_mul_at(site, v, v));
    const tt_val inner =
        tt_mul_at(site, tt_f(0.79788456080286536), tt_add_at(site, v, tt_mul_at(site, tt_f(0.044715), cube)));
    const tt_val cdf = tt_mul_at(site, tt_f(0.5), tt_add_at(site, tt_f(1), tt_tanh_at(site, inner)));
    return tt_mul_at(site, v, cdf);
}
tt_val tt_gelu_erf_at(const char *site, tt_val v)
{
    v = num_real(site, v);
    const tt_val tail = tt_erfc_at(site, tt_mul_at(site, tt_neg_at(site, v), tt_f(0.70710678118654752)));
    return tt_mul_at(site, tt_mul_at(site, tt_f(0.5), v), tail);
}

/* A selection, as in relu: the derivative at -1 and 1 is 1. Integers stay integers. */
tt_val tt_hard_tanh_at(const char *site, tt_val v)
{
    const char kind = tt_rank_at(site, v) < 0 ? 'f' : tt_dtype_kind(tt_dtype_of_at(site, v));
    const tt_val low = kind == 'u' || kind == 'b'
                           ? v
                           : tt_where_at(site, tt_compare_at(site, 2, v, tt_i(-1)), tt_i(-1), v);
    return tt_where_at(site, tt_compare_at(site, 4, v, tt_i(1)), tt_i(1), low);
}
tt_val tt_hard_sigmoid_at(const char *site, tt_val v)
{
    return tt_div_at(site, tt_relu6_at(site, tt_add_at(site, v, tt_f(3))), tt_f(6));
}
tt_val tt_hard_silu_at(const char *site, tt_val v) { return tt_mul_at(site, v, tt_hard_sigmoid_at(site, v)); }
tt_val tt_soft_sign_at(const char *site, tt_val v)
{
    v = num_real(site, truths_counted(site, v));
    return tt_div_at(site, v, tt_add_at(site, tt_abs_at(site, v), tt_f(1)));
}
tt_val tt_squareplus_at(const char *site, tt_val v)
{
    v = num_real(site, v);
    const tt_val square = num_complex(site, v) ? tt_add_at(site, tt_mul_at(site, v, v), tt_f(4))
                                         : tt_fma_at(site, v, v, tt_f(4));       /* fused: otherwise x + root cancels */
    const tt_val root = tt_sqrt_at(site, square);
    return tt_mul_at(site, tt_add_at(site, v, root), tt_f(0.5));
}
/* 0 up to -1, v from 1 on, (v + 1)^2 / 4 in between. */
tt_val tt_sparse_plus_at(const char *site, tt_val v)
{
    const tt_val middle = tt_mul_at(site, tt_f(0.25), tt_square_at(site, tt_add_at(site, v, tt_f(1))));
    const tt_val up = tt_where_at(site, tt_compare_at(site, 5, v, tt_f(1)), v, middle);
    return tt_where_at(site, tt_compare_at(site, 3, v, tt_f(-1)), tt_f(0), up);
}
tt_val tt_mish_at(const char *site, tt_val v) { return tt_mul_at(site, v, tt_tanh_at(site, tt_softplus_at(site, v))); }

/* v, or a (e^v - 1) where v <= 0 */
tt_val tt_elu_at(const char *site, tt_val v, double a)
{
    const tt_val up = tt_compare_at(site, 4, v, tt_f(0)), below = tt_where_at(site, up, tt_f(0), v);
    return tt_where_at(site, up, v, tt_mul_at(site, tt_f(a), tt_expm1_at(site, below)));
}
tt_val tt_selu_at(const char *site, tt_val v)
{
    return tt_mul_at(site, tt_f(1.0507009873554804934193), tt_elu_at(site, v, 1.6732632423543772848170));
}
tt_val tt_celu_at(const char *site, tt_val v, double a)
{
    const tt_val below = tt_expm1_at(site, tt_div_at(site, tt_min_at(site, v, tt_f(0)), tt_f(a)));
    return tt_add_at(site, tt_max_at(site, v, tt_f(0)), tt_mul_at(site, tt_f(a), below));
}
tt_val tt_leaky_relu_at(const char *site, tt_val v, double slope)
{
    return tt_where_at(site, tt_compare_at(site, 5, v, tt_f(0)), v, tt_mul_at(site, tt_f(slope), v));
}

tt_val tt_glu_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    const int64_t n = tt_rank_at(site, v) > 0 ? tt_dim_at(site, v, -1) : 1;
    if (!tt_ok()) return tt_poison;
    if (n % 2) return tt_fail_at(site, TT_ESHAPE, "glu: the last dim of %s is not even", tt_type_text_at(site, v));
    const tt_val gate = tt_logistic_at(site, tt_slice_at(site, v, -1, n / 2, n, 1));
    return tt_mul_at(site, tt_slice_at(site, v, -1, 0, n / 2, 1), gate);
}

static bool is_unsigned(tt_dtype d) { return tt_dtype_kind(d) == 'b' || tt_dtype_kind(d) == 'u'; }
static bool is_integer(tt_dtype d) { return is_unsigned(d) || tt_dtype_kind(d) == 'i'; }

/* True where the remainder is nonzero and its sign differs from the divisor's. */
static tt_val astray(const char *site, tt_val rem, tt_val by)
{
    const tt_val zero = tt_i(0);
    const tt_val differ = tt_compare_at(site, 1, tt_compare_at(site, 2, rem, zero), tt_compare_at(site, 2, by, zero));
    return tt_and_at(site, differ, tt_compare_at(site, 1, rem, zero));
}

/* An integer converted to the promoted integer type d, in which the integer's sign counts: of u32 and i32 that type is
 * i32. */
static tt_val met(const char *site, tt_val v, tt_dtype d)
{
    return is_integer(d) && tt_dtype_of_at(site, v) != d ? tt_cast_at(site, v, d) : v;
}

/* The remainder with the divisor's sign: rem, plus one divisor where the signs differ. Integers modulo 0 are 0. */
tt_val tt_mod_at(const char *site, tt_val a, tt_val b)
{
    tt_val r = tt_rem_at(site, a, b);
    const tt_dtype d = tt_dtype_of_at(site, r);
    b = met(site, b, d);
    if (is_integer(d)) r = tt_where_at(site, tt_compare_at(site, 0, b, tt_i(0)), b, r);
    return tt_where_at(site, astray(site, r, b), tt_add_at(site, r, b), r);
}

/* Floats: (a - rem) / b, which differs from a whole number only by rounding, rounded to the nearest integer. Integers:
 * the quotient, less one where the signs differ. Division of an integer by 0 gives div's result, less one where the
 * signs differ (0 has a sign of its own): -1 or -2, as in jax.numpy. */
tt_val tt_floor_divide_at(const char *site, tt_val a, tt_val b)
{
    const tt_val r = tt_rem_at(site, a, b), zero = tt_i(0);
    const tt_dtype d = tt_dtype_of_at(site, r);
    a = met(site, a, d), b = met(site, b, d);
    if (is_unsigned(d)) return tt_div_at(site, a, b);
    if (!is_integer(d)) {
        const tt_val q = tt_div_at(site, tt_sub_at(site, a, r), b);
        const tt_val whole =
            tt_round_away_at(site, tt_where_at(site, astray(site, r, b), tt_sub_at(site, q, tt_f(1)), q));
        const tt_val by_zero = tt_stop_gradient_at(site, tt_div_at(site, a, b));  /* a step function: derivative 0 */
        return tt_where_at(site, tt_compare_at(site, 0, b, tt_f(0)), by_zero, whole);
    }
    const tt_val q = tt_div_at(site, a, b);
    const tt_val differ = tt_compare_at(site, 1, tt_sign_at(site, a), tt_sign_at(site, b));
    return tt_where_at(site, tt_and_at(site, differ, tt_compare_at(site, 1, r, zero)), tt_sub_at(site, q, tt_i(1)), q);
}

tt_val tt_where_at(const char *site, tt_val p, tt_val x, tt_val y) { return tt_select_at(site, p, x, y); }
