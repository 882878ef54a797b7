/* num/stats_positive.c - distributions on positive numbers and on intervals: exponential, gamma, chi-square, Pareto,
 * uniform, beta. The formulas are those of jax.scipy.stats. */
#include "stats.h"

static tt_val below_loc(const stats *s) { return tt_lt(s->x, s->loc); }
static tt_val positive(const stats *s) { return tt_max(s->z, tt_f(0)); }

/* ---- exponential ---- */

static tt_val expon_logpdf(const stats *s)
{
    return stats_outside(below_loc(s), stats_less_log_scale(s, tt_neg(s->z)));
}
static tt_val expon_cdf(const stats *s) { return tt_where(below_loc(s), tt_f(0), tt_neg(tt_expm1(tt_neg(s->z)))); }
static tt_val expon_logsf(const stats *s) { return tt_where(below_loc(s), tt_f(0), tt_neg(s->z)); }
STATS_EXP_(expon_pdf, expon_logpdf)
STATS_EXP_(expon_sf, expon_logsf)
static tt_val expon_logcdf(const stats *s) { return tt_log1p(tt_neg(expon_sf(s))); }
static tt_val expon_ppf(const stats *s)
{
    return stats_nan(stats_no_chance(s->x), stats_placed(s, tt_neg(tt_log1p(tt_neg(s->x)))));
}
STATS0(0, expon, logpdf)
STATS0(0, expon, pdf) STATS0(0, expon, cdf) STATS0(0, expon, logcdf) STATS0(0, expon, sf) STATS0(0, expon, logsf)
    STATS0(0, expon, ppf)

    /* ---- uniform ---- */

    static tt_val uniform_outside(const stats *s)
{
    return tt_or(tt_gt(s->x, tt_add(s->loc, s->scale)), tt_lt(s->x, s->loc));
}
static tt_val uniform_logpdf(const stats *s)
{
    return stats_outside(uniform_outside(s), stats_less_log_scale(s, tt_mul(s->x, tt_f(0))));
}
static tt_val uniform_cdf(const stats *s)
{
    const tt_val above = tt_gt(s->x, tt_add(s->loc, s->scale));
    return tt_where(below_loc(s), tt_f(0), tt_where(above, tt_f(1), s->z));
}
static tt_val uniform_ppf(const stats *s) { return stats_nan(stats_no_chance(s->x), stats_placed(s, s->x)); }
STATS_EXP_(uniform_pdf, uniform_logpdf)
STATS0(0, uniform, logpdf)
STATS0(0, uniform, pdf) STATS0(0, uniform, cdf) STATS0(0, uniform, ppf)

    /* ---- gamma ---- */

    static tt_val gamma_logpdf(const stats *s)
{
    const tt_val a = s->a[0], out = below_loc(s), z = tt_where(out, tt_f(1), s->z);
    const tt_val line = tt_sub(tt_xlogy_at(s->site, tt_sub(a, tt_f(1)), z), z);
    return stats_outside(out, stats_less_log_scale(s, tt_sub(line, tt_lgamma(a))));
}
static tt_val gamma_cdf(const stats *s) { return tt_igamma(s->a[0], positive(s)); }
static tt_val gamma_sf(const stats *s)
{
    return tt_where(tt_lt(s->z, tt_f(0)), tt_f(1), tt_igammac(s->a[0], positive(s)));
}
STATS_EXP_(gamma_pdf, gamma_logpdf)
STATS_LOG_(gamma_logcdf, gamma_cdf)
STATS_LOG_(gamma_logsf, gamma_sf)
STATS1(0, gamma, logpdf)
STATS1(0, gamma, pdf) STATS1(0, gamma, cdf) STATS1(0, gamma, logcdf) STATS1(0, gamma, sf) STATS1(0, gamma, logsf)

    /* ---- chi-square: gamma of shape df / 2 and scale 2 ---- */

    static tt_val chi2_logpdf(const stats *s)
{
    const tt_val half = tt_mul(s->a[0], tt_f(0.5)), line = tt_mul(tt_sub(half, tt_f(1)), tt_log(s->z));
    const tt_val size = tt_add(tt_lgamma(half), tt_mul(half, tt_f(0.69314718055994530942)));
    const tt_val y = tt_sub(tt_sub(line, tt_mul(s->z, tt_f(0.5))), size);
    return stats_outside(below_loc(s), stats_less_log_scale(s, y));
}
static tt_val chi2_cdf(const stats *s) { return tt_igamma(tt_mul(s->a[0], tt_f(0.5)), tt_mul(positive(s), tt_f(0.5))); }
static tt_val chi2_sf(const stats *s) { return tt_igammac(tt_mul(s->a[0], tt_f(0.5)), tt_mul(positive(s), tt_f(0.5))); }
STATS_EXP_(chi2_pdf, chi2_logpdf)
STATS_LOG_(chi2_logcdf, chi2_cdf)
STATS_LOG_(chi2_logsf, chi2_sf)
STATS1(0, chi2, logpdf)
STATS1(0, chi2, pdf) STATS1(0, chi2, cdf) STATS1(0, chi2, logcdf) STATS1(0, chi2, sf) STATS1(0, chi2, logsf)

    /* ---- Pareto: from loc + scale on ---- */

    static tt_val pareto_outside(const stats *s)
{
    return tt_lt(s->x, tt_add(s->loc, s->scale));
}
static tt_val pareto_logpdf(const stats *s)
{
    const tt_val b = s->a[0], y = tt_sub(tt_log(b), tt_mul(tt_add(b, tt_f(1)), tt_log(s->z)));
    return stats_outside(pareto_outside(s), stats_less_log_scale(s, y));
}
static tt_val pareto_above(const stats *s) { return tt_pow(s->z, tt_neg(s->a[0])); }
static tt_val pareto_cdf(const stats *s)
{
    return tt_where(pareto_outside(s), tt_f(0), tt_sub(tt_f(1), pareto_above(s)));
}
static tt_val pareto_logcdf(const stats *s)
{
    return stats_outside(pareto_outside(s), tt_log1p(tt_neg(pareto_above(s))));
}
static tt_val pareto_logsf(const stats *s)
{
    return tt_where(pareto_outside(s), tt_f(0), tt_neg(tt_mul(s->a[0], tt_log(s->z))));
}
static tt_val pareto_ppf(const stats *s)
{
    const tt_val z = tt_pow(tt_sub(tt_f(1), s->x), tt_neg(tt_div(tt_f(1), s->a[0])));
    return stats_nan(stats_no_chance(s->x), stats_placed(s, z));
}
STATS_EXP_(pareto_pdf, pareto_logpdf)
STATS_EXP_(pareto_sf, pareto_logsf)
STATS1(0, pareto, logpdf)
STATS1(0, pareto, pdf) STATS1(0, pareto, cdf) STATS1(0, pareto, logcdf) STATS1(0, pareto, sf) STATS1(0, pareto, logsf)
    STATS1(0, pareto, ppf)

    /* ---- beta ---- */

    static tt_val beta_logpdf(const stats *s)
{
    const tt_val a = s->a[0], b = s->a[1], one = tt_f(1), zero = tt_f(0);
    const tt_val left = tt_xlogy_at(s->site, tt_sub(a, one), s->z);
    const tt_val right = tt_xlog1py_at(s->site, tt_sub(b, one), tt_neg(s->z));
    const tt_val y = tt_sub(tt_add(left, right), tt_betaln_at(s->site, a, b));
    const tt_val wrong = tt_or(tt_or(tt_le(a, zero), tt_le(b, zero)), tt_le(s->scale, zero));
    return stats_nan(wrong, stats_outside(uniform_outside(s), stats_less_log_scale(s, y)));
}
static tt_val beta_within(const stats *s) { return tt_min(positive(s), tt_f(1)); }
static tt_val beta_spread(const stats *s, tt_val v) /* with all dims of the operands, as betainc needs */
{
    return tt_add(v, tt_mul(tt_stop_gradient(tt_add(tt_add(s->a[0], s->a[1]), beta_within(s))), tt_f(0)));
}
static tt_val beta_cdf(const stats *s)
{
    return tt_betainc(beta_spread(s, s->a[0]), beta_spread(s, s->a[1]), beta_spread(s, beta_within(s)));
}
static tt_val beta_sf(const stats *s)
{
    const tt_val rest = tt_sub(tt_f(1), beta_within(s));
    return tt_betainc(beta_spread(s, s->a[1]), beta_spread(s, s->a[0]), beta_spread(s, rest));
}
STATS_EXP_(beta_pdf, beta_logpdf)
STATS_LOG_(beta_logcdf, beta_cdf)
STATS_LOG_(beta_logsf, beta_sf)
STATS2(0, beta, logpdf)
STATS2(0, beta, pdf) STATS2(0, beta, cdf) STATS2(0, beta, logcdf) STATS2(0, beta, sf) STATS2(0, beta, logsf)
