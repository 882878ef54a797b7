/* num/arcs.c - inverse circular and hyperbolic functions of complex numbers, computed in complex128 and rounded once.
 *
 * T. Hull, T. Fairgrieve, P. Tang, "Implementing the complex arcsine and arccosine functions using exception handling"
 * (1997): the formulas use the distances r, s to -1 and 1, with all differences rewritten as sums, and separate
 * formulas where squares would over- or underflow. atanh is a log1p of a quotient and an atan2. Zeros keep their sign,
 * which selects the side of a branch cut; infinities and NaN are as in C99's annex G. hlo/read/chlo_complex.c has the
 * same formulas for imported programs.
 *
 * Each function has a custom derivative: differentiating the parts would give NaN where the branch that is not taken is
 * NaN. */
#include "num.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

typedef struct { tt_val re, im; } parts;
static parts of(tt_val z) { return (parts){ tt_real(z), tt_imag(z) }; }
static tt_val arcs_join(tt_val re, tt_val im) { return tt_complex(re, im); }
static tt_val times_i(tt_val z) { return arcs_join(tt_neg(of(z).im), of(z).re); }
static tt_val over_i(tt_val z) { return arcs_join(of(z).im, tt_neg(of(z).re)); }
static tt_val arcs_plus(tt_val x, double v) { return tt_add(x, tt_f(v)); }
static tt_val arcs_half(tt_val x) { return tt_mul(x, tt_f(0.5)); }
static tt_val arcs_below(tt_val x, double v) { return tt_lt(x, tt_f(v)); }
static tt_val arcs_above(tt_val x, double v) { return tt_gt(x, tt_f(v)); }
static tt_val arcs_is(tt_val x, double v) { return tt_eq(x, tt_f(v)); }
static tt_val is_nan(tt_val x) { return tt_ne(x, x); }
static tt_val with_sign(tt_val size, tt_val sign) { return tt_where(tt_signbit(sign), tt_neg(size), size); }
static tt_val distance(tt_val x, tt_val y) { return tt_abs(arcs_join(x, y)); }  /* sqrt(x^2 + y^2) */

/* Squares of numbers within FEW .. MANY are normal numbers. */
#define MANY 0x1p508
#define FEW 0x1p-508

/* For x, y >= 0: asin(x + i y) = atan2(x, adjacent) + i height, acos(+-x + i y) = atan2(adjacent, +-x) - i height. */
typedef struct { tt_val adjacent, height; } arc;

/* r, s: the distances to -1 and 1; a: their mean. adjacent^2 = (a + x) (a - x), height = log(a + sqrt(a^2 - 1)). */
static arc arc_of(tt_val x, tt_val y)
{
    const tt_val right = arcs_plus(x, 1), left = arcs_plus(x, -1), yy = tt_mul(y, y);
    const tt_val r = distance(right, y), s = distance(left, y), a = arcs_half(tt_add(r, s));
    const tt_val sum = arcs_half(tt_add(a, x)), r_right = tt_add(r, right), inner = arcs_below(x, 1);
    const tt_val to_one = tt_sub(s, left), from_one = tt_add(s, left);           /* s -+ (x - 1), as a sum */
    const tt_val near = tt_sqrt(tt_mul(sum, tt_add(tt_div(yy, r_right), to_one)));
    const tt_val far = tt_mul(y, tt_sqrt(tt_add(tt_div(sum, r_right), tt_div(sum, from_one))));
    const tt_val most = tt_max(x, y), least = tt_min(x, y), level = tt_or(inner, arcs_is(x, 1));
    const tt_val endless = tt_or(arcs_is(x, HUGE_VAL), arcs_is(y, HUGE_VAL)),
        huge = tt_or(arcs_above(most, MANY), endless);
    const tt_val adjacent = tt_where(huge, y, tt_where(level, near, far));
    /* a - 1 */
    const tt_val in = arcs_half(tt_add(tt_div(yy, r_right), tt_div(yy, to_one)));
    const tt_val out = arcs_half(tt_add(tt_div(yy, r_right), from_one));
    const tt_val over = tt_where(arcs_above(a, 1.5), arcs_plus(a, -1), tt_where(inner, in, out));
    const tt_val usual = tt_log1p(tt_add(over, tt_sqrt(tt_mul(over, arcs_plus(a, 1)))));
    const tt_val wide = tt_mul(tt_sub(tt_f(1), x), right); /* y^2 would underflow: y / sqrt(1 - x^2), sqrt(y) at 1 */
    const tt_val flat = tt_where(inner, tt_div(y, tt_sqrt(wide)), tt_sqrt(y));
    const tt_val ratio = tt_where(arcs_is(least, HUGE_VAL), tt_f(1), tt_div(least, most));
    const tt_val finite = tt_add(arcs_plus(tt_log(most), M_LN2), arcs_half(tt_log1p(tt_mul(ratio, ratio))));
    const tt_val away = tt_where(endless, tt_f(HUGE_VAL), finite);
    const tt_val height = tt_where(tt_and(level, arcs_below(y, FEW)), flat, usual);
    return (arc){ adjacent, tt_where(huge, away, height) };
}

static tt_val asin_of(tt_val z)
{
    const parts p = of(z);
    const tt_val x = tt_abs(p.re);
    const arc c = arc_of(x, tt_abs(p.im));
    const tt_val re = tt_where(arcs_is(x, 0), x, tt_atan2(x, c.adjacent));      /* 0 also if the other part is NaN */
    return arcs_join(with_sign(re, p.re), with_sign(c.height, p.im));
}

static tt_val acos_of(tt_val z)
{
    const parts p = of(z);
    const arc c = arc_of(tt_abs(p.re), tt_abs(p.im));
    const tt_val re = tt_where(arcs_is(p.re, 0), tt_f(M_PI_2), tt_atan2(c.adjacent, p.re));
    return arcs_join(re, tt_neg(with_sign(c.height, p.im)));
}

static tt_val acosh_of(tt_val z)                         /* +- i acos z, so that the real part is not negative */
{
    const parts p = of(z);
    const arc c = arc_of(tt_abs(p.re), tt_abs(p.im));
    const tt_val im = tt_where(arcs_is(p.re, 0), tt_f(M_PI_2), tt_atan2(c.adjacent, p.re));
    return arcs_join(c.height, with_sign(im, p.im));
}

/* (log1p(4 |x| / ((1 - |x|)^2 + y^2)) / 4 with x's sign, atan2(2 y, (1 - x) (1 + x) - y^2) / 2) */
static tt_val atanh_of(tt_val z)
{
    const parts p = of(z);
    const tt_val x = tt_abs(p.re), y = tt_abs(p.im), gap = tt_sub(tt_f(1), x), most = tt_max(x, y);
    const tt_val endless = tt_or(arcs_is(x, HUGE_VAL), arcs_is(y, HUGE_VAL)),
        huge = tt_or(arcs_above(most, MANY), endless);
    const tt_val under = tt_add(tt_mul(gap, gap), tt_mul(y, y));
    const tt_val usual = tt_log1p(tt_div(tt_mul(tt_f(4), x), under));
    /* close to 1: log(2 / |1 - z|) */
    const tt_val close = tt_max(tt_abs(gap), y);
    const tt_val adjacent = tt_mul(tt_f(2), tt_sub(tt_f(M_LN2), tt_log(distance(gap, y))));
    /* far from 0: x / |z|^2, dividing twice */
    const tt_val u = tt_div(x, most), v = tt_div(y, most), size = tt_add(tt_mul(u, u), tt_mul(v, v));
    const tt_val tail = tt_where(endless, tt_f(0), tt_div(tt_div(u, size), most));
    const tt_val re = tt_where(huge, tail, tt_mul(tt_f(0.25), tt_where(arcs_below(close, FEW), adjacent, usual)));
    const tt_val turn = arcs_half(tt_atan2(tt_add(y, y), tt_sub(tt_mul(gap, arcs_plus(x, 1)), tt_mul(y, y))));
    const tt_val im = tt_where(is_nan(y), y, tt_where(huge, tt_f(M_PI_2), turn));
    return arcs_join(with_sign(tt_where(arcs_is(x, 0), x, re), p.re), with_sign(im, p.im));
}

static tt_val asinh_of(tt_val z) { return over_i(asin_of(times_i(z))); }
static tt_val atan_of(tt_val z) { return over_i(atanh_of(times_i(z))); }

/* ---- derivatives: dz divided by the denominator ---- */

/* keeps the sign of -0 */
static tt_val one_less(tt_val z) { return arcs_join(tt_sub(tt_f(1), of(z).re), tt_neg(of(z).im)); }
static tt_val one_more(tt_val z) { return arcs_join(arcs_plus(of(z).re, 1), of(z).im); }
static tt_val less_one(tt_val z) { return arcs_join(arcs_plus(of(z).re, -1), of(z).im); }
static tt_val under_asin(tt_val z) { return tt_mul(tt_sqrt(one_less(z)), tt_sqrt(one_more(z))); }
static tt_val under_acos(tt_val z) { return tt_neg(under_asin(z)); }
static tt_val under_asinh(tt_val z) { return under_asin(times_i(z)); }
static tt_val under_acosh(tt_val z) { return tt_mul(tt_sqrt(less_one(z)), tt_sqrt(one_more(z))); }
static tt_val under_atanh(tt_val z) { return tt_mul(one_less(z), one_more(z)); }
static tt_val under_atan(tt_val z) { return under_atanh(times_i(z)); }

typedef struct { const char *name; tt_f1 *f, *under; } arc_function;
static const arc_function arcs[NUM_ARCS] = {
    [NUM_ASIN] = { "asin", asin_of, under_asin },     [NUM_ACOS] = { "acos", acos_of, under_acos },
    [NUM_ATAN] = { "atan", atan_of, under_atan },     [NUM_ASINH] = { "asinh", asinh_of, under_asinh },
    [NUM_ACOSH] = { "acosh", acosh_of, under_acosh }, [NUM_ATANH] = { "atanh", atanh_of, under_atanh },
};
typedef struct { const char *site; int64_t which; } arc_env;

static tt_val arcs_value(void *env, int n, const tt_val *v)
{
    const arc_env *const e = env;
    (void)n, caller = e->site;
    return tt_cast(arcs[e->which].f(tt_cast(*v, TT_C128)), tt_dtype_of_at(e->site, *v));
}

static tt_val tangent(void *env, int n, const tt_val *v) /* of (z), y and (dz) */
{
    const arc_env *const e = env;
    (void)n, caller = e->site;
    return tt_div(tt_item(v[2], 0), arcs[e->which].under(tt_item(v[0], 0)));
}

tt_val num_arc(const char *site, int which, tt_val z)
{
    const arc_env e = { site, which };
    const tt_fn y = tt_bind_env_at(NULL, arcs[which].name, arcs_value, (void *)&e, sizeof e, 1),
                dy = tt_bind_env_at(NULL, arcs[which].name, tangent, (void *)&e, sizeof e, 3);
    return tt_call_n(site, tt_custom_tangent_at(site, y, dy), 1, &z);
}
