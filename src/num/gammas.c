/* num/gammas.c - functions composed of log gamma, the normal distribution function, and unscaled Bessel functions, as
 * in jax.scipy.special. */
#include "num.h"

#include <math.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static bool gammas_operand(const char *site, const char *what, tt_val *x)
{
    caller = site;
    if (!tt_ok() || !num_real_only(site, what, *x)) return false;
    *x = num_real(site, *x);
    return tt_ok();
}
static bool gammas_operands(const char *site, const char *what, tt_val *x, tt_val *y)
{
    caller = site;
    if (!tt_ok() || !num_real_only(site, what, *x) || !num_real_only(site, what, *y)) return false;
    num_reals(site, x, y);
    return tt_ok();
}

tt_val tt_gammaln_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    return gammas_operand(site, "gammaln", &x) ? tt_lgamma(x) : tt_poison;
}

static tt_val gamma_sign(tt_val x)
{
    const tt_val whole = tt_floor(x), negative = tt_lt(x, tt_f(0)), zero = tt_eq(x, tt_f(0));
    const tt_val odd = tt_ne(tt_mod(whole, tt_f(2)), tt_f(0));
    const tt_val pole = tt_or(tt_and(negative, tt_eq(x, whole)), tt_ne(x, x));
    const tt_val minus = tt_or(tt_and(negative, odd), tt_and(zero, tt_signbit(x)));
    const tt_val y = tt_where(pole, tt_f(NAN), tt_where(minus, tt_f(-1), tt_f(1)));
    return tt_stop_gradient(tt_cast_at(caller, y, tt_dtype_of_at(caller, x)));
}
tt_val tt_gammasgn_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    return gammas_operand(site, "gammasgn", &x) ? gamma_sign(x) : tt_poison;
}
static tt_val gamma_value(tt_val x) { return tt_mul(gamma_sign(x), tt_exp(tt_lgamma(x))); }
tt_val tt_gammafn_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    return gammas_operand(site, "gammafn", &x) ? gamma_value(x) : tt_poison;
}
tt_val tt_factorial_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!gammas_operand(site, "factorial", &x)) return tt_poison;
    return tt_where(tt_lt(x, tt_f(0)), tt_f(0), tt_exp(tt_lgamma(tt_add(x, tt_f(1)))));
}

/* lgamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x from 10 up */
static tt_val stirling_rest(tt_val x)
{
    const tt_val r = tt_div(tt_f(1), x), s = tt_mul(r, r);
    tt_val y = tt_f(1. / 156);
    static const double c[] = { -691. / 360360, 1. / 1188, -1. / 1680, 1. / 1260, -1. / 360, 1. / 12 };
    for (int i = 0; i < 6; i++) y = tt_add(tt_mul(y, s), tt_f(c[i]));
    return tt_mul(y, r);
}

/* lgamma(a) + (lgamma(b) - lgamma(a + b)) with a <= b; the difference of two large numbers is written out. */
static tt_val log_beta(tt_val x, tt_val y)
{
    const tt_val a = tt_min(x, y), b = tt_max(x, y), large = tt_ge(b, tt_f(10)), far = tt_where(large, b, tt_f(10));
    const tt_val sum = tt_add(a, far), fits = tt_gt(sum, tt_f(8)), safe = tt_where(fits, sum, tt_f(10));
    const tt_val slope = tt_mul(tt_sub(far, tt_f(0.5)), tt_log1p(tt_div(tt_where(fits, a, tt_f(0)), far)));
    const tt_val rest = tt_sub(tt_mul(a, tt_sub(tt_f(1), tt_log(safe))), slope);
    const tt_val wide = tt_add(rest, tt_sub(stirling_rest(far), stirling_rest(safe)));
    const tt_val near = tt_sub(tt_lgamma(b), tt_lgamma(tt_add(a, b)));
    return tt_add(tt_lgamma(a), tt_where(tt_and(large, fits), wide, near));
}
tt_val tt_betaln_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    return gammas_operands(site, "betaln", &a, &b) ? log_beta(a, b) : tt_poison;
}
tt_val tt_betafn_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!gammas_operands(site, "betafn", &a, &b)) return tt_poison;
    const tt_val sign = tt_mul(tt_mul(gamma_sign(a), gamma_sign(b)), gamma_sign(tt_add(a, b)));
    return tt_mul(sign, tt_exp(log_beta(a, b)));
}
tt_val tt_poch_at(const char *site, tt_val z, tt_val m)
{
    TT_ENTRY(site);
    if (!gammas_operands(site, "poch", &z, &m)) return tt_poison;
    return tt_where(tt_eq(m, tt_f(0)), tt_f(1), tt_div(gamma_value(tt_add(z, m)), gamma_value(z)));
}

tt_val tt_multigammaln_at(const char *site, tt_val a, int64_t d)
{
    TT_ENTRY(site);
    enum { MOST = 1 << 20 };
    if (d < 1 || d > MOST)
        return tt_fail_at(site, TT_EARG, "multigammaln: of %lld dims; expected 1 to %d", (long long)d, MOST);
    if (!gammas_operand(site, "multigammaln", &a)) return tt_poison;
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    const tt_val half = tt_mul(tt_cast_at(site, tt_arange_at(site, TT_I32, d), tt_dtype_of_at(site, a)), tt_f(0.5));
    const tt_val sum = tt_sum_at(site, tt_lgamma(tt_sub(tt_expand_dims_at(site, a, -1), half)), &last);
    return tt_add(sum, tt_f(0.25 * (double)d * (double)(d - 1) * log(3.14159265358979323846)));
}

/* ---- the normal distribution ---- */

tt_val tt_ndtr_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!gammas_operand(site, "ndtr", &x)) return tt_poison;
    return tt_mul(tt_f(0.5), tt_erfc(tt_mul(x, tt_f(-0.70710678118654752440))));
}

/* Below -1: log(erfcx(-x / sqrt 2) / 2) - x^2 / 2; above: log1p(-erfc(x / sqrt 2) / 2). */
static tt_val log_ndtr_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = v[0], low = tt_lt(x, tt_f(-1)), root = tt_f(0.70710678118654752440), half = tt_f(0.5);
    const tt_val left = tt_neg(tt_where(low, x, tt_f(-1))), right = tt_where(low, tt_f(-1), x);
    const tt_val tail = tt_sub(tt_log(tt_mul(half, tt_erfcx(tt_mul(left, root)))), tt_mul(half, tt_mul(left, left)));
    return tt_where(low, tail, tt_log1p(tt_neg(tt_mul(half, tt_erfc(tt_mul(right, root))))));
}
/* Below -1: sqrt(2 / pi) / erfcx(-x / sqrt 2) dx; above: exp(-x^2/2 - y) / sqrt(2 pi) dx, where the exponent does not
 * cancel. */
static tt_val log_ndtr_tangent(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0), low = tt_lt(x, tt_f(-1)), root = tt_f(0.70710678118654752440);
    const tt_val left = tt_neg(tt_where(low, x, tt_f(-1))), right = tt_where(low, tt_f(-1), x);
    const tt_val power = tt_add(tt_mul(tt_f(0.5), tt_mul(right, right)), tt_where(low, tt_f(-1), v[1]));
    const tt_val slope = tt_exp(tt_sub(tt_f(-0.91893853320467274178), power));
    const tt_val far = tt_div(tt_f(0.79788456080286535588), tt_erfcx(tt_mul(left, root)));
    return tt_mul(tt_where(low, far, slope), tt_item(v[2], 0));
}
tt_val tt_log_ndtr_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (!gammas_operand(site, "log_ndtr", &x)) return tt_poison;
    return num_ruled(site, "log_ndtr", log_ndtr_value, log_ndtr_tangent, 1, &x);
}

static tt_val i0_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    return tt_mul(tt_exp(tt_abs(v[0])), tt_bessel_i0e(v[0]));
}
/* I1(x) dx. The product's rule would add infinities of both signs, and at 0 the slope of |x|, which is 1. */
static tt_val i0_tangent(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0);
    return tt_mul(tt_mul(tt_exp(tt_abs(x)), tt_bessel_i1e(x)), tt_item(v[2], 0));
}
tt_val tt_i0_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    return gammas_operand(site, "i0", &x) ? num_ruled(site, "i0", i0_value, i0_tangent, 1, &x) : tt_poison;
}

static tt_val i1_value(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    return tt_mul(tt_exp(tt_abs(v[0])), tt_bessel_i1e(v[0]));
}
/* (I0(x) - I1(x) / x) dx; near 0 its series. The product's rule would add infinities of both signs. */
static tt_val i1_tangent(void *env, int n, const tt_val *v)
{
    (void)n;
    caller = *(const char **)env;
    const tt_val x = tt_item(v[0], 0), small = tt_le(tt_abs(x), tt_f(0.05)), safe = tt_where(small, tt_f(1), x);
    const tt_val rest = tt_sub(tt_bessel_i0e(x), tt_div(tt_bessel_i1e(safe), safe));
    static const double c[] = { 5. / 384, 3. / 16, 1. / 2 };     /* the series at 0: the parts of rest cancel there */
    const tt_val s = tt_where(small, tt_mul(x, x), tt_f(0));
    tt_val near = tt_f(7. / 18432);
    for (int i = 0; i < 3; i++) near = tt_add(tt_mul(near, s), tt_f(c[i]));
    return tt_mul(tt_where(small, near, tt_mul(tt_exp(tt_abs(x)), rest)), tt_item(v[2], 0));
}
tt_val tt_i1_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    return gammas_operand(site, "i1", &x) ? num_ruled(site, "i1", i1_value, i1_tangent, 1, &x) : tt_poison;
}
