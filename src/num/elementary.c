/* num/elementary.c - elementary functions composed of other functions, in forms that neither cancel nor overflow early;
 * NumPy's small helpers.
 *
 * Where two forms meet, each gets operands at which it is finite: the derivative of the form that is not taken is then
 * zero, not NaN.
 *
 * Longer than 400 lines: a list of short functions, each complete in itself. */
#include "num.h"

#define LN2 0.69314718055994530942

static tt_val elementary_less(const char *site, tt_val a, tt_val b) { return tt_compare_at(site, 2, a, b); }
static tt_val elementary_scaled(const char *site, double c, tt_val v) { return tt_mul_at(site, tt_f(c), v); }

/* v, or -v where x is negative: extends the right half of an odd function to negative x, and keeps the derivative at
 * 0. */
static tt_val elementary_odd(const char *site, tt_val x, tt_val v)
{
    return tt_where_at(site, elementary_less(site, x, tt_f(0)), tt_neg_at(site, v), v);
}

tt_val tt_exp2_at(const char *site, tt_val v) { return tt_pow_at(site, tt_f(2), num_real(site, v)); }

/* c v, part by part if v is complex: an infinite part does not make the other part NaN. */
static tt_val parts_scaled(const char *site, double c, tt_val v)
{
    if (tt_rank_at(site, v) < 0 || tt_dtype_kind(tt_dtype_of_at(site, v)) != 'c') return elementary_scaled(site, c, v);
    return tt_complex_at(site, elementary_scaled(site, c, tt_real_at(site, v)),
        elementary_scaled(site, c, tt_imag_at(site, v)));
}

tt_val tt_log2_at(const char *site, tt_val v) { return parts_scaled(site, 1 / LN2, tt_log_at(site, v)); }
tt_val tt_log10_at(const char *site, tt_val v)
{
    return parts_scaled(site, 0.43429448190325182765, tt_log_at(site, v));
}

/* How a function is computed:
 * - complex numbers: inverse functions by num/arcs.c, sinh and cosh by sin and cos;
 * - floats of less than 32 bits: in float32, rounded once, since intermediates would leave float16's range;
 * - integers: as floats, since differences and negatives would wrap in their own type. */
typedef struct { const char *site; tt_val (*f)(const char *, tt_val); int arc; } in_f32;
static tt_val by_f32(void *env, const char *path, tt_val x)
{
    const in_f32 *e = env;
    (void)path;
    if (tt_rank_at(e->site, x) < 0) return tt_tree_map_with_path_at(e->site, by_f32, env, x);
    if (num_complex(e->site, x)) return e->arc < 0 ? e->f(e->site, x) : num_arc(e->site, e->arc, x);
    if (num_is_integer(e->site, x)) return e->f(e->site, num_real(e->site, x));
    const tt_dtype d = tt_dtype_of_at(e->site, x);
    if (tt_dtype_kind(d) != 'f' || d == TT_F32 || d == TT_F64) return e->f(e->site, x);
    return tt_cast_at(e->site, e->f(e->site, tt_cast_at(e->site, x, TT_F32)), d);
}

/* 1 - x^2 as a product, exact near the ends; the derivative is written as -2 x, which does not cancel near 0. */
static tt_val less_square_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val one = tt_f(1);
    (void)n;
    return tt_mul_at(site, tt_sub_at(site, one, *v), tt_add_at(site, one, *v));
}
static tt_val less_square_tangent(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    (void)n;
    return tt_mul_at(site, elementary_scaled(site, -2, tt_item_at(site, v[0], 0)), tt_item_at(site, v[2], 0));
}
static tt_val less_square(const char *site, tt_val x)
{
    return num_ruled(site, "one_minus_square", less_square_value, less_square_tangent, 1, &x);
}

static tt_val cathetus(const char *site, tt_val x)       /* sqrt(1 - x^2) */
{
    const tt_val one = tt_f(1);
    return tt_sqrt_at(site, tt_mul_at(site, tt_sub_at(site, one, x), tt_add_at(site, one, x)));
}
static tt_val asin_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    (void)n;
    return tt_atan2_at(site, *v, cathetus(site, *v));
}
static tt_val acos_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    (void)n;
    return tt_atan2_at(site, cathetus(site, *v), *v);
}
static tt_val asin_tangent(void *env, int n, const tt_val *v)    /* dx / sqrt(1 - x^2) */
{
    const char *const site = *(const char **)env;
    (void)n;
    return tt_mul_at(site, tt_item_at(site, v[2], 0), tt_rsqrt_at(site, less_square(site, tt_item_at(site, v[0], 0))));
}
static tt_val acos_tangent(void *env, int n, const tt_val *v)
{
    return tt_neg_at(*(const char **)env, asin_tangent(env, n, v));
}

static tt_val atan_wide(const char *site, tt_val x) { return tt_atan2_at(site, x, tt_f(1)); }
static tt_val asin_wide(const char *site, tt_val x) { return num_ruled(site, "asin", asin_value, asin_tangent, 1, &x); }
static tt_val acos_wide(const char *site, tt_val x) { return num_ruled(site, "acos", acos_value, acos_tangent, 1, &x); }

static tt_val times_i(const char *site, tt_val z)
{
    return tt_complex_at(site, tt_neg_at(site, tt_imag_at(site, z)), tt_real_at(site, z));
}
static tt_val over_i(const char *site, tt_val z)
{
    return tt_complex_at(site, tt_imag_at(site, z), tt_neg_at(site, tt_real_at(site, z)));
}

/* |x| up to 20, by a choice: the derivative of a minimum is half of it where both are equal. */
static tt_val elementary_near(const char *site, tt_val a)
{
    return tt_where_at(site, elementary_less(site, tt_f(20), a), tt_f(20), a);
}

/* Below 20: m = e^|x| - 1: (m + m / (m + 1)) / 2. Above: (e^(|x|/2))^2 / 2. */
static tt_val sinh_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    (void)n;
    const tt_val x = *v, a = elementary_odd(site, x, x), h = tt_exp_at(site, elementary_scaled(site, 0.5, a)),
                 large = tt_mul_at(site, elementary_scaled(site, 0.5, h), h);
    const tt_val m = tt_expm1_at(site, elementary_near(site, a));
    const tt_val small = elementary_scaled(site, 0.5, tt_add_at(site, m,
        tt_div_at(site, m, tt_add_at(site, m, tt_f(1)))));
    return elementary_odd(site, x, tt_where_at(site, elementary_less(site, tt_f(20), a), large, small));
}

/* Below 20: m = e^|x| - 1: 1 + m^2 / (m + 1) / 2, whose derivative does not cancel near 0. Above: as in sinh. */
static tt_val cosh_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    (void)n;
    const tt_val a = tt_abs_at(site, *v), h = tt_exp_at(site, elementary_scaled(site, 0.5, a)),
                 large = tt_mul_at(site, elementary_scaled(site, 0.5, h), h);
    const tt_val m = tt_expm1_at(site, elementary_near(site, a)), one = tt_f(1);
    const tt_val over = tt_div_at(site, tt_mul_at(site, m, m), tt_add_at(site, m, one));
    const tt_val small = tt_add_at(site, elementary_scaled(site, 0.5, over), one);
    return tt_where_at(site, elementary_less(site, tt_f(20), a), large, small);
}

/* Each is the other's derivative: that of the formulas overflows before the value does. */
static tt_val sinh_tangent(void *env, int n, const tt_val *v)
{
    const tt_val x = tt_item_at(*(const char **)env, v[0], 0);
    return tt_mul_at(*(const char **)env, cosh_value(env, n, &x), tt_item_at(*(const char **)env, v[2], 0));
}
static tt_val cosh_tangent(void *env, int n, const tt_val *v)
{
    const tt_val x = tt_item_at(*(const char **)env, v[0], 0);
    return tt_mul_at(*(const char **)env, sinh_value(env, n, &x), tt_item_at(*(const char **)env, v[2], 0));
}
static tt_val sinh_wide(const char *site, tt_val x)
{
    if (num_complex(site, x)) return over_i(site, tt_sin_at(site, times_i(site, x)));
    return num_ruled(site, "sinh", sinh_value, sinh_tangent, 1, &x);
}
static tt_val cosh_wide(const char *site, tt_val x)
{
    if (num_complex(site, x)) return tt_cos_at(site, times_i(site, x));
    return num_ruled(site, "cosh", cosh_value, cosh_tangent, 1, &x);
}

enum { FAR = 1000000000 };                               /* beyond this asinh and acosh are ln x + ln 2 */

static tt_val far(const char *site, tt_val a)
{
    return tt_add_at(site, tt_log_at(site, tt_max_at(site, a, tt_f(FAR))), tt_f(LN2));
}

/* a = |x|: log1p(a + a (a / (1 + sqrt(a^2 + 1)))), which gives -0 for -0 */
static tt_val asinh_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val x = *v, one = tt_f(1), a = elementary_odd(site, x, x), m = tt_min_at(site, a, tt_f(FAR));
    const tt_val root = tt_sqrt_at(site, tt_add_at(site, tt_mul_at(site, m, m), one));
    const tt_val part = tt_div_at(site, m, tt_add_at(site, root, one));
    const tt_val near = tt_log1p_at(site, tt_mul_at(site, m, tt_add_at(site, part, one)));
    (void)n;
    return elementary_odd(site, x, tt_where_at(site, elementary_less(site, tt_f(FAR), a), far(site, a), near));
}
static tt_val asinh_tangent(void *env, int n, const tt_val *v)   /* dx / sqrt(x^2 + 1) */
{
    const char *const site = *(const char **)env;
    (void)n;
    return tt_div_at(site, tt_item_at(site, v[2], 0), tt_hypot_at(site, tt_item_at(site, v[0], 0), tt_f(1)));
}
static tt_val asinh_wide(const char *site, tt_val x)
{
    return num_ruled(site, "asinh", asinh_value, asinh_tangent, 1, &x);
}

/* t = x - 1: log1p(t + sqrt(t) sqrt(t + 2)) */
static tt_val acosh_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val x = *v, t = tt_sub_at(site, tt_min_at(site, x, tt_f(FAR)), tt_f(1));
    const tt_val root = tt_mul_at(site, tt_sqrt_at(site, t), tt_sqrt_at(site, tt_add_at(site, t, tt_f(2))));
    (void)n;
    return tt_where_at(site, elementary_less(site, tt_f(FAR), x), far(site, x),
        tt_log1p_at(site, tt_add_at(site, t, root)));
}
static tt_val acosh_tangent(void *env, int n, const tt_val *v)   /* dx / (sqrt(x - 1) sqrt(x + 1)) */
{
    const char *const site = *(const char **)env;
    const tt_val x = tt_item_at(site, v[0], 0), one = tt_f(1);
    (void)n;
    return tt_mul_at(site, tt_item_at(site, v[2], 0), tt_mul_at(site, tt_rsqrt_at(site, tt_sub_at(site, x, one)),
        tt_rsqrt_at(site, tt_add_at(site, x, one))));
}
static tt_val acosh_wide(const char *site, tt_val x)
{
    return num_ruled(site, "acosh", acosh_value, acosh_tangent, 1, &x);
}

static tt_val atanh_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    (void)n;
    return elementary_scaled(site, 0.5, tt_sub_at(site, tt_log1p_at(site, *v), tt_log1p_at(site, tt_neg_at(site, *v))));
}
static tt_val atanh_tangent(void *env, int n, const tt_val *v)   /* dx / (1 - x^2) */
{
    const char *const site = *(const char **)env;
    (void)n;
    return tt_div_at(site, tt_item_at(site, v[2], 0), less_square(site, tt_item_at(site, v[0], 0)));
}
static tt_val atanh_wide(const char *site, tt_val x)
{
    return num_ruled(site, "atanh", atanh_value, atanh_tangent, 1, &x);
}

tt_val tt_asin_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, asin_wide, NUM_ASIN }, "", x); }
tt_val tt_acos_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, acos_wide, NUM_ACOS }, "", x); }
tt_val tt_atan_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, atan_wide, NUM_ATAN }, "", x); }
tt_val tt_sinh_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, sinh_wide, -1 }, "", x); }
tt_val tt_cosh_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, cosh_wide, -1 }, "", x); }
tt_val tt_asinh_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, asinh_wide, NUM_ASINH }, "", x); }
tt_val tt_acosh_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, acosh_wide, NUM_ACOSH }, "", x); }
tt_val tt_atanh_at(const char *site, tt_val x) { return by_f32(&(in_f32){ site, atanh_wide, NUM_ATANH }, "", x); }

/* The larger operand times sqrt(1 + ratio^2); infinite if one operand is infinite, even if the other is NaN. */
static tt_val hypot_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val a = tt_abs_at(site, v[0]), b = tt_abs_at(site, v[1]), top = tt_max_at(site, a, b),
                 low = tt_min_at(site, a, b);
    const tt_val zero = tt_f(0), plain = tt_and_at(site, tt_compare_at(site, 1, top, zero), tt_is_finite_at(site, top));
    const tt_val ratio = tt_div_at(site, low, tt_where_at(site, plain, top, tt_f(1)));
    const tt_val r =
        tt_sqrt_at(site, tt_add_at(site, tt_square_at(site, tt_where_at(site, plain, ratio, zero)), tt_f(1)));
    const tt_val inf = tt_f(1.0 / 0.0),
                 endless = tt_or_at(site, tt_compare_at(site, 0, a, inf), tt_compare_at(site, 0, b, inf));
    (void)n;
    return tt_where_at(site, endless, inf, tt_mul_at(site, top, r));
}

/* (x / r, y / r), also where r = hypot(x, y) overflows. As in JAX, x / r is NaN at (0, 0), and for an infinite x. */
static tt_val unit_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val top = tt_max_at(site, tt_abs_at(site, v[0]), tt_abs_at(site, v[1]));
    const tt_val a = tt_div_at(site, v[0], top), b = tt_div_at(site, v[1], top);
    const tt_val h = tt_sqrt_at(site, tt_add_at(site, tt_square_at(site, a), tt_square_at(site, b)));
    const tt_val r = tt_where_at(site, tt_compare_at(site, 0, top, tt_f(1.0 / 0.0)), tt_f(1), h);
    (void)n;
    return tt_tuple_at(site, (const tt_val[]){ tt_div_at(site, a, r), tt_div_at(site, b, r), tt_end });
}

static tt_val along(const char *site, tt_val unit, tt_val d)     /* (x / r) dx + (y / r) dy */
{
    return tt_add_at(site, tt_mul_at(site, tt_item_at(site, unit, 0), tt_item_at(site, d, 0)),
                     tt_mul_at(site, tt_item_at(site, unit, 1), tt_item_at(site, d, 1)));
}

/* ((dx - (x / r) dr) / r, (dy - (y / r) dr) / r) */
static tt_val unit_tangent(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val xy[] = { tt_item_at(site, v[0], 0), tt_item_at(site, v[0], 1) };
    const tt_val r = hypot_value(env, 2, xy), dr = along(site, v[1], v[2]);
    tt_val d[3] = { tt_end, tt_end, tt_end };
    (void)n;
    for (int i = 0; i < 2; i++) {
        const tt_val part = tt_mul_at(site, tt_item_at(site, v[1], i), dr);
        d[i] = tt_div_at(site, tt_sub_at(site, tt_item_at(site, v[2], i), part), r);
    }
    return tt_tuple_at(site, d);
}

static tt_val hypot_tangent(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val xy[] = { tt_item_at(site, v[0], 0), tt_item_at(site, v[0], 1) };
    (void)n;
    return along(site, num_ruled(site, "unit", unit_value, unit_tangent, 2, xy), v[2]);
}

tt_val tt_hypot_at(const char *site, tt_val x, tt_val y)
{
    TT_ENTRY(site);
    if (!num_real_only(site, "hypot", x) || !num_real_only(site, "hypot", y)) return tt_poison;
    num_reals(site, &x, &y);
    return num_ruled(site, "hypot", hypot_value, hypot_tangent, 2, (const tt_val[]){ x, y });
}

/* An angle reduced to -pi .. pi. */
static tt_val angle(const char *site, tt_val v)
{
    const double pi = 3.14159265358979323846;
    const tt_val r = tt_rem_at(site, v, tt_f(2 * pi));   /* from -2 pi to 2 pi, v's sign */
    const tt_val up = tt_where_at(site, elementary_less(site, r, tt_f(-pi)), tt_add_at(site, r, tt_f(2 * pi)), r);
    return tt_where_at(site, elementary_less(site, tt_f(pi), r), tt_sub_at(site, r, tt_f(2 * pi)), up);
}

/* Complex numbers: the operand with the larger real part, plus log1p(e^d), where d is the difference. d has real part 0
 * if the real parts are equal, even if both are infinite. */
static tt_val logaddexp_complex(const char *site, tt_val x, tt_val y)
{
    const tt_val first = tt_compare_at(site, 5, tt_real_at(site, x), tt_real_at(site, y));
    const tt_val top = tt_where_at(site, first, x, y), low = tt_where_at(site, first, y, x);
    const tt_val a = tt_real_at(site, top), b = tt_real_at(site, low), same = tt_compare_at(site, 0, a, b);
    const tt_val apart = tt_where_at(site, same, tt_f(0), tt_sub_at(site, b, a));
    const tt_val d = tt_complex_at(site, apart, tt_sub_at(site, tt_imag_at(site, low), tt_imag_at(site, top)));
    const tt_val y_top = tt_add_at(site, top, tt_log1p_at(site, tt_exp_at(site, d)));
    return tt_complex_at(site, tt_real_at(site, y_top), angle(site, tt_imag_at(site, y_top)));
}

/* ln(e^x + e^y) = max + log1p(e^-|x - y|); of equal infinities, that infinity. */
static tt_val logaddexp_value(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val x = v[0], y = v[1], d = tt_sub_at(site, x, y), same = tt_compare_at(site, 1, d, d);  /* or NaN */
    const tt_val gap = tt_neg_at(site, tt_abs_at(site, d));
    (void)n;
    return tt_where_at(site, same, tt_add_at(site, x, y),
                       tt_add_at(site, tt_max_at(site, x, y), tt_log1p_at(site, tt_exp_at(site, gap))));
}

/* e^(x - sum), x one of the two operands and y the other: the logistic function of x - y where both are finite.
 * Elsewhere as in JAX, whose difference has 0 in the place of an infinity. */
static tt_val logaddexp_part(const char *site, tt_val x, tt_val y, tt_val sum)
{
    const tt_val inf = tt_f(1.0 / 0.0), zero = tt_f(0),
                 plain = tt_and_at(site, tt_is_finite_at(site, x), tt_is_finite_at(site, y));
    const tt_val d = tt_where_at(site, plain, tt_sub_at(site, x, y), zero),
                 a = tt_where_at(site, tt_compare_at(site, 0, x, inf), zero, x),
                 b = tt_where_at(site, tt_compare_at(site, 0, sum, inf), zero, sum);
    return tt_where_at(site, plain, tt_logistic_at(site, d), tt_exp_at(site, tt_sub_at(site, a, b)));
}

static tt_val logaddexp_tangent(void *env, int n, const tt_val *v)
{
    const char *const site = *(const char **)env;
    const tt_val x = tt_item_at(site, v[0], 0), y = tt_item_at(site, v[0], 1);
    const tt_val dx = tt_item_at(site, v[2], 0), dy = tt_item_at(site, v[2], 1);
    (void)n;
    return tt_add_at(site, tt_mul_at(site, dx, logaddexp_part(site, x, y, v[1])),
                     tt_mul_at(site, dy, logaddexp_part(site, y, x, v[1])));
}

tt_val tt_logaddexp_at(const char *site, tt_val x, tt_val y)
{
    num_reals(site, &x, &y);
    if (num_complex(site, x) || num_complex(site, y)) return logaddexp_complex(site, x, y);
    return num_ruled(site, "logaddexp", logaddexp_value, logaddexp_tangent, 2, (const tt_val[]){ x, y });
}

tt_val tt_signbit_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    if (!num_real_only(site, "signbit", v)) return tt_poison;
    const tt_dtype d = tt_dtype_of_at(site, v);
    if (tt_dtype_kind(d) != 'f') return elementary_less(site, v, tt_i(0));
    const tt_dtype bits = d == TT_F64 ? TT_I64 : d == TT_F32 ? TT_I32 : d == TT_F16 || d == TT_BF16 ? TT_I16 : TT_I8;
    return elementary_less(site, tt_bitcast_at(site, v, bits), tt_i(0));
}

tt_val tt_copysign_at(const char *site, tt_val size, tt_val sign)
{
    TT_ENTRY(site);
    if (!num_real_only(site, "copysign", size) || !num_real_only(site, "copysign", sign)) return tt_poison;
    num_reals(site, &size, &sign);
    size = tt_abs_at(site, tt_where_at(site, tt_b(true), size, sign));    /* in their common type */
    return tt_where_at(site, tt_signbit_at(site, sign), tt_neg_at(site, size), size);
}

static tt_val unless_nan(const char *site, tt_val choose, tt_val x, tt_val y)    /* x where chosen or where y is NaN */
{
    return tt_where_at(site, tt_or_at(site, choose, tt_compare_at(site, 1, y, y)), x, y);
}

tt_val tt_fmax_at(const char *site, tt_val x, tt_val y) { return unless_nan(site, elementary_less(site, y, x), x, y); }
tt_val tt_fmin_at(const char *site, tt_val x, tt_val y) { return unless_nan(site, elementary_less(site, x, y), x, y); }

tt_val tt_heaviside_at(const char *site, tt_val x, tt_val at_zero)
{
    TT_ENTRY(site);
    if (!num_real_only(site, "heaviside", x) || !num_real_only(site, "heaviside", at_zero)) return tt_poison;
    num_reals(site, &x, &at_zero);
    const tt_val there = tt_where_at(site, tt_compare_at(site, 1, x, x), x, at_zero);        /* NaN stays NaN */
    const tt_val up = tt_where_at(site, elementary_less(site, tt_f(0), x), tt_f(1), there);
    return tt_where_at(site, elementary_less(site, x, tt_f(0)), tt_f(0), up);
}
