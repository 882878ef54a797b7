/* num/expi.c - exponential integrals, computed in float64 and rounded once. Power series: Abramowitz and Stegun 5.1.10
 * and 5.1.11; asymptotic series: 5.1.51; continued fraction: 5.1.22, from the back. */
#include "num.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

#define EULER 0.57721566490153286061
enum { SERIES = 150, SHORT_SERIES = 24, ASYMPTOTIC = 40, FRACTION = 100 };

static tt_val index_of(tt_val k) { return tt_cast_at(caller, k, TT_F64); }

/* (x, x^k / k!, the sum of x^k / (k k!)) */
static tt_val series_next(tt_val i, tt_val s)
{
    const tt_val k = index_of(i), x = tt_item(s, 0), power = tt_div(tt_mul(tt_item(s, 1), x), k);
    return tt_tuple(x, power, tt_add(tt_item(s, 2), tt_div(power, k)));
}
static tt_val series_of(tt_val x, int terms)
{
    const tt_val none = tt_mul(x, tt_f(0)), start = tt_tuple(x, tt_add(none, tt_f(1)), none);
    return tt_item(tt_fori_at(caller, 1, terms + 1, TT_FN(series_next), start), 2);
}

/* (1 / x, k! / x^k, the sum of k! / x^k) */
static tt_val asymptotic_next(tt_val i, tt_val s)
{
    const tt_val r = tt_item(s, 0), power = tt_mul(tt_item(s, 1), tt_mul(r, index_of(i)));
    return tt_tuple(r, power, tt_add(tt_item(s, 2), power));
}

/* (z, tail): tail = k^2 / (z + 2 k + 1 - tail), k falling from FRACTION to 1 */
static tt_val fraction_next(tt_val i, tt_val s)
{
    const tt_val k = tt_sub(tt_f(FRACTION), index_of(i)), z = tt_item(s, 0);
    const tt_val below = tt_sub(tt_add(z, tt_add(tt_mul(k, tt_f(2)), tt_f(1))), tt_item(s, 1));
    return tt_tuple(z, tt_div(tt_mul(k, k), below));
}

static tt_val expi64(tt_val x)
{
    const tt_val one = tt_f(1), size = tt_abs(x), log = tt_add(tt_log(size), tt_f(EULER));
    const tt_val far = tt_gt(x, tt_f(40)), near = tt_le(size, one), left = tt_lt(x, tt_f(-1));
    const tt_val middle = tt_add(log, series_of(tt_where(tt_or(far, left), one, x), SERIES));
    const tt_val small = tt_add(log, series_of(tt_where(near, x, one), SHORT_SERIES));
    const tt_val r = tt_div(one, tt_where(far, x, tt_f(40))), unit = tt_add(tt_mul(r, tt_f(0)), one);
    const tt_val sum =
        tt_item(tt_fori_at(caller, 1, ASYMPTOTIC + 1, TT_FN(asymptotic_next), tt_tuple(r, unit, unit)), 2);
    const tt_val large = tt_mul(tt_mul(tt_exp(tt_where(far, x, tt_f(40))), r), sum);
    const tt_val z = tt_where(left, size, one), start = tt_tuple(z, tt_mul(z, tt_f(0)));
    const tt_val tail = tt_item(tt_fori_at(caller, 0, FRACTION, TT_FN(fraction_next), start), 1);
    const tt_val below = tt_neg(tt_div(tt_exp(tt_neg(z)), tt_sub(tt_add(z, one), tail)));
    const tt_val y = tt_where(left, below, tt_where(near, small, tt_where(far, large, middle)));
    const tt_val endless = tt_eq(x, tt_f((double)INFINITY));
    return tt_where(endless, x, tt_where(tt_eq(x, tt_f(-(double)INFINITY)), tt_f(0), y));
}

static tt_val expi_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_dtype d = tt_dtype_of_at(caller, v[0]);
    const tt_val y = expi64(tt_cast_at(caller, v[0], TT_F64));
    return tt_cast_at(caller, tt_where(tt_ne(v[0], v[0]), tt_f(NAN), y), d);
}
static tt_val expi_tangent(void *env, int n, const tt_val *v) /* e^x / x dx */
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0);
    return tt_mul(tt_div(tt_exp(x), x), tt_item(v[2], 0));
}

tt_val tt_expi_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!tt_ok() || !num_real_only(site, "expi", x)) return tt_poison;
    x = num_real(site, x);
    return num_ruled(site, "expi", expi_value, expi_tangent, 1, &x);
}

/* exp1 has rules of its own: by those of expi(-x) in the branch that is taken, the derivative for x < 0 would be 0. */

static tt_val slope_value(void *env, int n, const tt_val *v) /* e^-x / x, NaN where x < 0 */
{
    (void)n;
    caller = *(const char **)env;
    const tt_val y = tt_div(tt_exp(tt_neg(v[0])), v[0]);
    return tt_cast_at(caller, tt_where(tt_lt(v[0], tt_f(0)), tt_f(NAN), y), tt_dtype_of_at(caller, v[0]));
}
static tt_val slope_tangent(void *env, int n, const tt_val *v) /* -(s + s / x) dx, s = e^-x / x */
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0), s = v[1];
    return tt_mul(tt_neg(tt_add(s, tt_div(s, x))), tt_item(v[2], 0));
}

static tt_val exp1_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_val y = tt_neg(tt_expi_at(caller, tt_neg(v[0])));
    return tt_cast_at(caller, tt_where(tt_lt(v[0], tt_f(0)), tt_f(NAN), y), tt_dtype_of_at(caller, v[0]));
}
static tt_val exp1_tangent(void *env, int n, const tt_val *v) /* -e^-x / x dx */
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0);
    return tt_mul(tt_neg(num_ruled(caller, "exp1_slope", slope_value, slope_tangent, 1, &x)), tt_item(v[2], 0));
}

tt_val tt_exp1_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!tt_ok() || !num_real_only(site, "exp1", x)) return tt_poison;
    x = num_real(site, x);
    return num_ruled(site, "exp1", exp1_value, exp1_tangent, 1, &x);
}
