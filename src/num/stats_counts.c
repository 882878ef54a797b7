/* num/stats_counts.c - distributions of counts: Poisson, Bernoulli, geometric, binomial and related ones, by the
 * formulas of jax.scipy.stats. z is the count less loc. */
#include "stats.h"

static tt_val choose(tt_val n, tt_val k) /* log of n over k */
{
    const tt_val one = tt_f(1), below = tt_add(tt_lgamma(tt_add(k, one)), tt_lgamma(tt_add(tt_sub(n, k), one)));
    return tt_sub(tt_lgamma(tt_add(n, one)), below);
}

static tt_val poisson_logpmf(const stats *s)
{
    const tt_val k = s->z, mu = s->a[0];
    const tt_val y = tt_sub(tt_sub(tt_xlogy_at(s->site, k, mu), tt_lgamma(tt_add(k, tt_f(1)))), mu);
    return stats_outside(tt_or(tt_lt(k, tt_f(0)), tt_ne(tt_round_even(s->x), s->x)), y);
}
static tt_val poisson_cdf(const stats *s)
{
    const tt_val out = tt_lt(s->z, tt_f(0)), k = tt_where(out, tt_f(0), s->z);
    return tt_where(out, tt_f(0), tt_igammac(tt_floor(tt_add(tt_f(1), k)), s->a[0]));
}
STATS_EXP_(poisson_pmf, poisson_logpmf)
STATS1(1, poisson, logpmf)
STATS1(1, poisson, pmf) STATS1(1, poisson, cdf)

    static tt_val bernoulli_logpmf(const stats *s)
{
    const tt_val k = s->z, p = s->a[0], one = tt_f(1);
    const tt_val y = tt_add(tt_xlogy_at(s->site, k, p), tt_xlog1py_at(s->site, tt_sub(one, k), tt_neg(p)));
    return stats_outside(tt_or(tt_lt(k, tt_f(0)), tt_gt(k, one)), y);
}
static tt_val bernoulli_cdf(const stats *s)
{
    const tt_val k = s->z, p = s->a[0], one = tt_f(1), zero = tt_f(0);
    const tt_val y = tt_where(tt_lt(k, zero), zero, tt_where(tt_lt(k, one), tt_sub(one, p), one));
    return stats_nan(tt_or(tt_ne(k, k), stats_no_chance(p)), y);
}
static tt_val bernoulli_ppf(const stats *s)
{
    const tt_val q = s->x, p = s->a[0], y = tt_where(tt_le(q, tt_sub(tt_f(1), p)), tt_f(0), tt_f(1));
    const tt_val real = tt_add(y, tt_mul(tt_add(q, p), tt_f(0)));
    return stats_nan(tt_or(stats_no_chance(p), stats_no_chance(q)), tt_add(real, s->loc));
}
STATS_EXP_(bernoulli_pmf, bernoulli_logpmf)
STATS1(1, bernoulli, logpmf)
STATS1(1, bernoulli, pmf) STATS1(1, bernoulli, cdf) STATS1(1, bernoulli, ppf)

    static tt_val geom_logpmf(const stats *s)
{
    const tt_val k = s->z, p = s->a[0], failures = tt_sub(k, tt_f(1));
    const tt_val y = tt_add(tt_xlog1py_at(s->site, failures, tt_neg(p)), tt_log(p));
    return stats_outside(tt_le(k, tt_f(0)), y);
}
STATS_EXP_(geom_pmf, geom_logpmf)
STATS1(1, geom, logpmf)
STATS1(1, geom, pmf)

    static tt_val binom_logpmf(const stats *s)
{
    const tt_val k = s->z, n = s->a[0], p = s->a[1], zero = tt_f(0);
    const tt_val line = tt_add(tt_xlogy_at(s->site, k, p), tt_xlog1py_at(s->site, tt_sub(n, k), tt_neg(p)));
    const tt_val sure = tt_or(tt_and(tt_eq(k, zero), tt_eq(n, zero)), tt_eq(line, zero));
    const tt_val y = tt_where(sure, zero, tt_add(choose(n, k), line));
    const tt_val inside = tt_and(tt_ge(k, zero), tt_lt(k, tt_add(n, tt_f(1))));
    return stats_outside(tt_not(inside), y);
}
STATS_EXP_(binom_pmf, binom_logpmf)
STATS2(1, binom, logpmf)
STATS2(1, binom, pmf)

    static tt_val nbinom_logpmf(const stats *s)
{
    const tt_val k = s->z, n = s->a[0], p = s->a[1], one = tt_f(1);
    const tt_val size = tt_sub(tt_sub(tt_lgamma(tt_add(k, n)), tt_lgamma(n)), tt_lgamma(tt_add(k, one)));
    const tt_val line = tt_add(tt_xlogy_at(s->site, n, p), tt_xlogy_at(s->site, k, tt_sub(one, p)));
    return stats_outside(tt_lt(k, tt_f(0)), tt_add(size, line));
}
STATS_EXP_(nbinom_pmf, nbinom_logpmf)
STATS2(1, nbinom, logpmf)
STATS2(1, nbinom, pmf)

    static tt_val betabinom_logpmf(const stats *s)
{
    const tt_val n = s->a[0], a = s->a[1], b = s->a[2], zero = tt_f(0), one = tt_f(1);
    const tt_val k = tt_sub(tt_floor(s->x), s->loc), rest = tt_sub(n, k);
    const tt_val size = tt_add(tt_log1p(n), tt_betaln_at(s->site, tt_add(rest, one), tt_add(k, one)));
    const tt_val odds = tt_sub(tt_betaln_at(s->site, tt_add(k, a), tt_add(rest, b)), tt_betaln_at(s->site, a, b));
    const tt_val none = tt_and(tt_eq(k, zero), tt_eq(n, zero)), y = tt_where(none, zero, tt_sub(odds, size));
    const tt_val out = tt_or(tt_or(tt_lt(k, tt_neg(s->loc)), tt_gt(k, n)), tt_le(tt_add(k, a), zero));
    const tt_val wrong = tt_or(tt_or(tt_lt(n, zero), tt_le(a, zero)), tt_le(b, zero));
    return stats_nan(wrong, stats_outside(out, y));
}
STATS_EXP_(betabinom_pmf, betabinom_logpmf)
STATS3(1, betabinom, logpmf) STATS3(1, betabinom, pmf)
