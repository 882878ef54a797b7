/* num/stats_lines.c - distributions on all real numbers, by loc and scale: normal, Laplace, logistic, Cauchy, Gumbel,
 * Student's, generalised and truncated normal; and those on the circle. The formulas are those of jax.scipy.stats. */
#include "stats.h"

#define PI      3.14159265358979323846
#define LOG_2PI 1.83787706640934548356

static tt_val mirrored(const stats *s, stats_fn *f) /* f at -x with loc -loc */
{
    stats m = *s;
    m.x = tt_neg(s->x), m.loc = tt_neg(s->loc), m.z = tt_neg(s->z);
    return f(&m);
}

/* ---- normal ---- */

static tt_val norm_logpdf(const stats *s)
{
    const tt_val y = tt_mul(tt_f(-0.5), tt_add(tt_mul(s->z, s->z), tt_f(LOG_2PI)));
    return stats_less_log_scale(s, y);
}
static tt_val norm_cdf(const stats *s) { return tt_ndtr_at(s->site, s->z); }
static tt_val norm_logcdf(const stats *s) { return tt_log_ndtr_at(s->site, s->z); }
static tt_val norm_sf(const stats *s) { return mirrored(s, norm_cdf); }
static tt_val norm_logsf(const stats *s) { return mirrored(s, norm_logcdf); }
static tt_val norm_ppf(const stats *s) { return stats_placed(s, tt_ndtri_at(s->site, s->x)); }
static tt_val norm_isf(const stats *s) { return stats_placed(s, tt_ndtri_at(s->site, tt_sub(tt_f(1), s->x))); }
STATS_EXP_(norm_pdf, norm_logpdf)
STATS0(0, norm, logpdf)
STATS0(0, norm, pdf) STATS0(0, norm, cdf) STATS0(0, norm, logcdf) STATS0(0, norm, sf) STATS0(0, norm, logsf)
    STATS0(0, norm, ppf) STATS0(0, norm, isf)

    /* ---- Laplace ---- */

    static tt_val laplace_logpdf(const stats *s)
{
    return stats_less_log_scale(s, tt_neg(tt_add(tt_abs(s->z), tt_f(0.69314718055994530942))));
}
static tt_val laplace_cdf(const stats *s)
{
    const tt_val half = tt_f(0.5), left = tt_le(s->z, tt_f(0)), e = tt_mul(half, tt_exp(tt_neg(tt_abs(s->z))));
    return tt_where(left, e, tt_sub(tt_f(1), e));
}
STATS_EXP_(laplace_pdf, laplace_logpdf)
STATS0(0, laplace, logpdf)
STATS0(0, laplace, pdf) STATS0(0, laplace, cdf)

    /* ---- logistic ---- */

    static tt_val logistic_logpdf(const stats *s)
{
    const tt_val half = tt_mul(s->z, tt_f(0.5));
    return stats_less_log_scale(s, tt_mul(tt_f(-2), tt_logaddexp_at(s->site, half, tt_neg(half))));
}
static tt_val logistic_cdf(const stats *s) { return tt_logistic(s->z); }
static tt_val logistic_sf(const stats *s) { return tt_logistic(tt_neg(s->z)); }
static tt_val logistic_ppf(const stats *s) { return stats_placed(s, tt_logit_at(s->site, s->x)); }
static tt_val logistic_isf(const stats *s) { return stats_placed(s, tt_neg(tt_logit_at(s->site, s->x))); }
STATS_EXP_(logistic_pdf, logistic_logpdf)
STATS0(0, logistic, logpdf)
STATS0(0, logistic, pdf) STATS0(0, logistic, cdf) STATS0(0, logistic, sf) STATS0(0, logistic, ppf)
    STATS0(0, logistic, isf)

    /* ---- Cauchy ---- */

    static tt_val cauchy_logpdf(const stats *s)
{
    const tt_val y = tt_neg(tt_add(tt_log1p(tt_mul(s->z, s->z)), tt_f(1.14472988584940017414)));
    return stats_less_log_scale(s, y);
}
static tt_val cauchy_cdf(const stats *s) { return tt_add(tt_f(0.5), tt_mul(tt_f(1 / PI), tt_atan_at(s->site, s->z))); }
static tt_val cauchy_sf(const stats *s) { return mirrored(s, cauchy_cdf); }
static tt_val cauchy_ppf(const stats *s)
{
    return stats_placed(s, tt_tan(tt_sub(tt_mul(tt_f(PI), s->x), tt_f(PI / 2))));
}
static tt_val cauchy_isf(const stats *s)
{
    return stats_placed(s, tt_tan(tt_sub(tt_f(PI / 2), tt_mul(tt_f(PI), s->x))));
}
STATS_EXP_(cauchy_pdf, cauchy_logpdf)
STATS_LOG_(cauchy_logcdf, cauchy_cdf)
STATS_LOG_(cauchy_logsf, cauchy_sf)
STATS0(0, cauchy, logpdf)
STATS0(0, cauchy, pdf) STATS0(0, cauchy, cdf) STATS0(0, cauchy, logcdf) STATS0(0, cauchy, sf) STATS0(0, cauchy, logsf)
    STATS0(0, cauchy, ppf) STATS0(0, cauchy, isf)

    /* ---- Gumbel, of minima and of maxima; NaN where scale <= 0 ---- */

    static tt_val gumbel_scaled(const stats *s, tt_val y)
{
    return stats_nan(tt_not(tt_gt(s->scale, tt_f(0))), y);
}
static tt_val gumbel_within(const stats *s, tt_val y) /* NaN where a probability is not inside (0, 1) */
{
    return stats_nan(tt_not(tt_and(tt_gt(s->x, tt_f(0)), tt_lt(s->x, tt_f(1)))), y);
}
static tt_val gumbel_l_logpdf(const stats *s)
{
    return gumbel_scaled(s, stats_less_log_scale(s, tt_sub(s->z, tt_exp(s->z))));
}
static tt_val gumbel_l_logsf(const stats *s) { return gumbel_scaled(s, tt_neg(tt_exp(s->z))); }
static tt_val gumbel_l_logcdf(const stats *s)
{
    return gumbel_scaled(s, tt_log(tt_neg(tt_expm1(tt_neg(tt_exp(s->z))))));
}
static tt_val gumbel_l_ppf(const stats *s)
{
    return gumbel_within(s, stats_placed(s, tt_log(tt_neg(tt_log1p(tt_neg(s->x))))));
}
STATS_EXP_(gumbel_l_pdf, gumbel_l_logpdf)
STATS_EXP_(gumbel_l_cdf, gumbel_l_logcdf)
STATS_EXP_(gumbel_l_sf, gumbel_l_logsf)
STATS0(0, gumbel_l, logpdf)
STATS0(0, gumbel_l, pdf) STATS0(0, gumbel_l, cdf) STATS0(0, gumbel_l, logcdf) STATS0(0, gumbel_l, sf)
    STATS0(0, gumbel_l, logsf) STATS0(0, gumbel_l, ppf)

        static tt_val gumbel_r_logpdf(const stats *s)
{
    return gumbel_scaled(s, stats_less_log_scale(s, tt_neg(tt_add(s->z, tt_exp(tt_neg(s->z))))));
}
static tt_val gumbel_r_logcdf(const stats *s) { return gumbel_scaled(s, tt_neg(tt_exp(tt_neg(s->z)))); }
static tt_val gumbel_r_sf(const stats *s) { return gumbel_scaled(s, tt_neg(tt_expm1(tt_neg(tt_exp(tt_neg(s->z)))))); }
static tt_val gumbel_r_ppf(const stats *s)
{
    return gumbel_within(s, stats_placed(s, tt_neg(tt_log(tt_neg(tt_log(s->x))))));
}
STATS_EXP_(gumbel_r_pdf, gumbel_r_logpdf)
STATS_EXP_(gumbel_r_cdf, gumbel_r_logcdf)
STATS_LOG_(gumbel_r_logsf, gumbel_r_sf)
STATS0(0, gumbel_r, logpdf)
STATS0(0, gumbel_r, pdf) STATS0(0, gumbel_r, cdf) STATS0(0, gumbel_r, logcdf) STATS0(0, gumbel_r, sf)
    STATS0(0, gumbel_r, logsf) STATS0(0, gumbel_r, ppf)

    /* ---- of Student; generalised normal; on the circle ---- */

    static tt_val t_logpdf(const stats *s)
{
    const tt_val df = s->a[0], half = tt_mul(df, tt_f(0.5)), more = tt_add(half, tt_f(0.5));
    const tt_val root = tt_mul(tt_f(0.5), tt_log(tt_mul(df, tt_f(PI))));
    const tt_val size = tt_sub(tt_add(tt_lgamma(half), root), tt_lgamma(more));
    const tt_val tail = tt_mul(more, tt_log1p(tt_div(tt_mul(s->z, s->z), df)));
    return stats_less_log_scale(s, tt_neg(tt_add(size, tail)));
}
STATS_EXP_(t_pdf, t_logpdf)
STATS1(0, t, logpdf)
STATS1(0, t, pdf)

    static tt_val gennorm_power(const stats *s)
{
    return tt_pow(tt_abs(s->z), s->a[0]);
}
static tt_val gennorm_logpdf(const stats *s)
{
    const tt_val b = s->a[0], size = tt_sub(tt_log(tt_mul(tt_f(0.5), b)), tt_lgamma(tt_div(tt_f(1), b)));
    return stats_less_log_scale(s, tt_sub(size, gennorm_power(s)));
}
static tt_val gennorm_cdf(const stats *s)
{
    const tt_val half = tt_f(0.5), part = tt_igamma(tt_div(tt_f(1), s->a[0]), gennorm_power(s));
    return tt_mul(half, tt_add(tt_f(1), tt_mul(tt_sign(s->z), part)));
}
STATS_EXP_(gennorm_pdf, gennorm_logpdf)
STATS1(0, gennorm, logpdf)
STATS1(0, gennorm, pdf) STATS1(0, gennorm, cdf)

    static tt_val vonmises_logpdf(const stats *s)
{
    const tt_val k = s->a[0], size = tt_log(tt_mul(tt_f(2 * PI), tt_bessel_i0e(k)));
    const tt_val y = tt_sub(tt_mul(k, tt_sub(tt_cos(s->z), tt_f(1))), size);
    return stats_nan(tt_not(tt_gt(k, tt_f(0))), stats_less_log_scale(s, y));
}
STATS_EXP_(vonmises_pdf, vonmises_logpdf)
STATS1(0, vonmises, logpdf)
STATS1(0, vonmises, pdf)

    static tt_val wrapcauchy_logpdf(const stats *s)
{
    const tt_val c = s->a[0], one = tt_f(1), square = tt_mul(c, c), x = s->z;
    const tt_val down = tt_log(tt_sub(tt_add(one, square), tt_mul(tt_mul(tt_f(2), c), tt_cos(x))));
    const tt_val y = tt_sub(tt_sub(tt_log(tt_sub(one, square)), tt_f(LOG_2PI)), down);
    const tt_val out = tt_not(tt_and(tt_ge(x, tt_f(0)), tt_le(x, tt_f(2 * PI))));
    const tt_val wrong = tt_not(tt_and(tt_gt(c, tt_f(0)), tt_lt(c, one)));
    return stats_nan(wrong, stats_outside(out, stats_less_log_scale(s, y)));
}
STATS_EXP_(wrapcauchy_pdf, wrapcauchy_logpdf)
STATS1(0, wrapcauchy, logpdf)
STATS1(0, wrapcauchy, pdf)

    /* ---- truncated normal: the mass between two points, of which one side may be far in the tail ---- */

    static tt_val log_difference(tt_val x, tt_val y) /* log(e^x - e^y), y <= x */
{
    return tt_add(x, tt_log(tt_neg(tt_expm1(tt_sub(y, x)))));
}
static tt_val log_mass(const char *site, tt_val a, tt_val b)
{
    const tt_val zero = tt_f(0), left = tt_le(b, zero), right = tt_gt(a, zero), centre = tt_not(tt_or(left, right));
    const tt_val low = tt_where(right, tt_neg(b), a), high = tt_where(right, tt_neg(a), b);
    const tt_val tail = log_difference(tt_log_ndtr_at(site, high), tt_log_ndtr_at(site, low));
    const tt_val rest = tt_add(tt_ndtr_at(site, a), tt_ndtr_at(site, tt_neg(b)));
    return tt_where(centre, tt_log1p(tt_neg(rest)), tail);
}
static tt_val truncnorm_logpdf(const stats *s)
{
    const tt_val a = s->a[0], b = s->a[1], y = tt_sub(norm_logpdf(s), log_mass(s->site, a, b));
    const tt_val out = tt_or(tt_lt(s->z, a), tt_gt(s->z, b));
    return stats_nan(tt_ge(a, b), stats_outside(out, y));
}
static tt_val truncnorm_below(const char *site, tt_val x, tt_val a, tt_val b)
{
    const tt_val all = log_mass(site, a, b), zero = tt_f(0);
    const tt_val below = tt_sub(log_mass(site, a, x), all), above = tt_sub(log_mass(site, x, b), all);
    const tt_val near = tt_where(tt_gt(below, tt_f(-0.1)), tt_log1p(tt_neg(tt_exp(above))), below);
    const tt_val y = tt_where(tt_ge(x, b), zero, stats_outside(tt_le(x, a), near));
    return stats_nan(tt_ge(a, b), y);
}
static tt_val truncnorm_logcdf(const stats *s) { return truncnorm_below(s->site, s->z, s->a[0], s->a[1]); }
static tt_val truncnorm_logsf(const stats *s)
{
    return truncnorm_below(s->site, tt_neg(s->z), tt_neg(s->a[1]), tt_neg(s->a[0]));
}
STATS_EXP_(truncnorm_pdf, truncnorm_logpdf)
STATS_EXP_(truncnorm_cdf, truncnorm_logcdf)
STATS_EXP_(truncnorm_sf, truncnorm_logsf)
STATS2(0, truncnorm, logpdf)
STATS2(0, truncnorm, pdf) STATS2(0, truncnorm, cdf) STATS2(0, truncnorm, logcdf) STATS2(0, truncnorm, sf)
    STATS2(0, truncnorm, logsf)
