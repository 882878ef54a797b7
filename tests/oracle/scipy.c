/* oracle/scipy.c - kinds `scipy` and `stats`: functions of jax.scipy, and their derivatives. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

typedef tt_val f1(const char *, tt_val);
typedef tt_val f2(const char *, tt_val, tt_val);
typedef tt_val f3(const char *, tt_val, tt_val, tt_val);
typedef tt_val s0(const char *, tt_val, const tt_stats_opts *);
typedef tt_val s1(const char *, tt_val, tt_val, const tt_stats_opts *);
typedef tt_val s2(const char *, tt_val, tt_val, tt_val, const tt_stats_opts *);
typedef tt_val s3(const char *, tt_val, tt_val, tt_val, tt_val, const tt_stats_opts *);
typedef struct {
    const char *fn;
    f1 *one;
    f2 *two;
    f3 *three;
    s0 *s0;
    s1 *s1;
    s2 *s2;
    s3 *s3;
} scipy_row;

#define ONE(name)                                                                                                      \
    {                                                                                                                  \
#name, .one = tt_##name##_at                                                                                   \
    }
#define TWO(name)                                                                                                      \
    {                                                                                                                  \
#name, .two = tt_##name##_at                                                                                   \
    }
#define S0(d, f)                                                                                                       \
    {                                                                                                                  \
#d "." #f, .s0 = tt_##d##_##f##_at                                                                             \
    }
#define S1(d, f)                                                                                                       \
    {                                                                                                                  \
#d "." #f, .s1 = tt_##d##_##f##_at                                                                             \
    }
#define S2(d, f)                                                                                                       \
    {                                                                                                                  \
#d "." #f, .s2 = tt_##d##_##f##_at                                                                             \
    }
#define S3(d, f)                                                                                                       \
    {                                                                                                                  \
#d "." #f, .s3 = tt_##d##_##f##_at                                                                             \
    }

static const scipy_row table[] = {
    ONE(entr),
    ONE(logit),
    ONE(expit),
    ONE(ndtr),
    ONE(log_ndtr),
    ONE(gammaln),
    ONE(gammafn),
    ONE(gammasgn),
    ONE(factorial),
    ONE(expi),
    ONE(exp1),
    ONE(i0),
    ONE(i1), ONE(expm), ONE(sqrtm), TWO(toeplitz),
    TWO(xlogy),
    TWO(xlog1py),
    TWO(rel_entr),
    TWO(kl_div),
    TWO(boxcox),
    TWO(boxcox1p),
    TWO(betaln),
    TWO(betafn),
    TWO(poch),
    { "dirichlet.logpdf", .two = tt_dirichlet_logpdf_at },
    { "dirichlet.pdf", .two = tt_dirichlet_pdf_at },
    { "multivariate_normal.logpdf", .three = tt_multivariate_normal_logpdf_at },
    { "multivariate_normal.pdf", .three = tt_multivariate_normal_pdf_at },
    { "multinomial.logpmf", .three = tt_multinomial_logpmf_at },
    { "multinomial.pmf", .three = tt_multinomial_pmf_at },
    S0(norm, logpdf),
    S0(norm, pdf),
    S0(norm, cdf),
    S0(norm, logcdf),
    S0(norm, sf),
    S0(norm, logsf),
    S0(norm, ppf),
    S0(norm, isf),
    S0(expon, logpdf),
    S0(expon, pdf),
    S0(expon, cdf),
    S0(expon, logcdf),
    S0(expon, sf),
    S0(expon, logsf),
    S0(expon, ppf),
    S0(laplace, logpdf),
    S0(laplace, pdf),
    S0(laplace, cdf),
    S0(logistic, logpdf),
    S0(logistic, pdf),
    S0(logistic, cdf),
    S0(logistic, sf),
    S0(logistic, ppf),
    S0(logistic, isf),
    S0(cauchy, logpdf),
    S0(cauchy, pdf),
    S0(cauchy, cdf),
    S0(cauchy, logcdf),
    S0(cauchy, sf),
    S0(cauchy, logsf),
    S0(cauchy, ppf),
    S0(cauchy, isf),
    S0(uniform, logpdf),
    S0(uniform, pdf),
    S0(uniform, cdf),
    S0(uniform, ppf),
    S0(gumbel_l, logpdf),
    S0(gumbel_l, pdf),
    S0(gumbel_l, cdf),
    S0(gumbel_l, logcdf),
    S0(gumbel_l, sf),
    S0(gumbel_l, logsf),
    S0(gumbel_l, ppf),
    S0(gumbel_r, logpdf),
    S0(gumbel_r, pdf),
    S0(gumbel_r, cdf),
    S0(gumbel_r, logcdf),
    S0(gumbel_r, sf),
    S0(gumbel_r, logsf),
    S0(gumbel_r, ppf),
    S1(gamma, logpdf),
    S1(gamma, pdf),
    S1(gamma, cdf),
    S1(gamma, logcdf),
    S1(gamma, sf),
    S1(gamma, logsf),
    S1(chi2, logpdf),
    S1(chi2, pdf),
    S1(chi2, cdf),
    S1(chi2, logcdf),
    S1(chi2, sf),
    S1(chi2, logsf),
    S1(t, logpdf),
    S1(t, pdf),
    S1(pareto, logpdf),
    S1(pareto, pdf),
    S1(pareto, cdf),
    S1(pareto, logcdf),
    S1(pareto, sf),
    S1(pareto, logsf),
    S1(pareto, ppf),
    S1(gennorm, logpdf),
    S1(gennorm, pdf),
    S1(gennorm, cdf),
    S1(vonmises, logpdf),
    S1(vonmises, pdf),
    S1(wrapcauchy, logpdf),
    S1(wrapcauchy, pdf),
    S2(beta, logpdf),
    S2(beta, pdf),
    S2(beta, cdf),
    S2(beta, logcdf),
    S2(beta, sf),
    S2(beta, logsf),
    S2(truncnorm, logpdf),
    S2(truncnorm, pdf),
    S2(truncnorm, cdf),
    S2(truncnorm, logcdf),
    S2(truncnorm, sf),
    S2(truncnorm, logsf),
    S1(poisson, logpmf),
    S1(poisson, pmf),
    S1(poisson, cdf),
    S1(bernoulli, logpmf),
    S1(bernoulli, pmf),
    S1(bernoulli, cdf),
    S1(bernoulli, ppf),
    S1(geom, logpmf),
    S1(geom, pmf),
    S2(binom, logpmf),
    S2(binom, pmf),
    S2(nbinom, logpmf),
    S2(nbinom, pmf),
    S3(betabinom, logpmf),
    S3(betabinom, pmf),
};

/* ---- matrices, solvers ---- */

static tt_val times(tt_val x, tt_val a) { return tt_matmul(a, x); }
static tt_val hills(tt_val x, tt_val at)
{
    const tt_val near = tt_mul(tt_slice(x, 0, 1, 4, 1), tt_slice(x, 0, 0, 3, 1)), gap = tt_sub(x, at);
    return tt_add(tt_sum(TT_E("gap^4 + gap^2", gap)), tt_mul(tt_f(0.1), tt_sum(near)));
}

typedef tt_val matrices(const tt_val *v);
static tt_val do_polar_u(const tt_val *v) { return tt_item(tt_polar(v[0]), 0); }
static tt_val do_polar_p(const tt_val *v) { return tt_item(tt_polar(v[0]), 1); }
static tt_val do_cho(const tt_val *v) { return tt_cho_solve(tt_cholesky(v[0]), v[1]); }
static tt_val do_lu(const tt_val *v) { return tt_lu_solve(tt_lu(v[0]), v[1]); }
static tt_val do_blocks(const tt_val *v) { return tt_block_diag(v[0], v[1], v[2]); }
static tt_val do_cg(const tt_val *v) { return tt_cg(times, v[1], .with = v[0], .tol = 1e-6); }
static tt_val do_bicgstab(const tt_val *v) { return tt_bicgstab(times, v[1], .with = v[0], .tol = 1e-6); }
static tt_val do_gmres(const tt_val *v) { return tt_gmres(times, v[1], .with = v[0], .tol = 1e-6); }
static tt_val do_minimize(const tt_val *v)
{
    return tt_get(tt_minimize(hills, tt_zeros(TT_F32, 4), .with = v[0]), "x");
}
static const struct { const char *fn; matrices *f; } of_matrices[] = {
    { "polar.u", do_polar_u }, { "polar.p", do_polar_p }, { "cho_solve", do_cho },   { "lu_solve", do_lu },
    { "block_diag", do_blocks }, { "cg", do_cg },         { "bicgstab", do_bicgstab }, { "gmres", do_gmres },
    { "minimize", do_minimize },
};

static tt_val row_value(const scipy_row *r, const json_t *p, const tt_val *v)
{
    tt_stats_opts o = { .size = sizeof o };
    const int n = 1 + (int)oracle_int(p, "n", 0);     /* p NULL: nothing is given */
    if (oracle_flag(p, "loc")) o.loc = v[n];
    if (oracle_flag(p, "scale")) o.scale = v[n + 1];
    if (r->one) return r->one(0, v[0]);
    if (r->two) return r->two(0, v[0], v[1]);
    if (r->three) return r->three(0, v[0], v[1], v[2]);
    if (r->s0) return r->s0(0, v[0], &o);
    if (r->s1) return r->s1(0, v[0], v[1], &o);
    if (r->s2) return r->s2(0, v[0], v[1], v[2], &o);
    return r->s3(0, v[0], v[1], v[2], v[3], &o);
}

static tt_val scipy_value(const oracle_case *c, const tt_val *v)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].fn, c->fn)) return row_value(&table[i], c->params, v);
    for (size_t i = 0; i < sizeof of_matrices / sizeof *of_matrices; i++)
        if (!strcmp(of_matrices[i].fn, c->fn)) return of_matrices[i].f(v);
    if (!strcmp(c->fn, "multigammaln")) return tt_multigammaln(v[0], oracle_int(c->params, "d", 1));
    return tt_poison;
}

static bool scipy_has(const char *fn)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].fn, fn)) return true;
    for (size_t i = 0; i < sizeof of_matrices / sizeof *of_matrices; i++)
        if (!strcmp(of_matrices[i].fn, fn)) return true;
    return !strcmp(fn, "multigammaln");
}

/* The sum of the values, weighted by 1, 2, 3, ... */
static tt_val scipy_weighted(void *env, int n, const tt_val *v)
{
    const tt_val y = scipy_value(*(oracle_case **)env, v), flat = tt_flatten(y, 0);
    (void)n;
    return tt_sum(tt_mul(flat, tt_add(tt_arange(TT_F32, tt_count(y)), tt_f(1))));
}

/* ---- kind `stats`: all functions of one distribution; inputs x, q, parameters, loc, scale ---- */

typedef struct { const scipy_row *row; const json_t *weights; int64_t n; } density;
static tt_val weighted_density(void *env, int n, const tt_val *v)
{
    const density *d = env;
    float w[64] = { 0 };
    const int64_t count = (int64_t)json_array_size(d->weights);
    (void)n;
    for (int64_t i = 0; i < count && i < 64; i++) w[i] = (float)json_real_value(json_array_get(d->weights, (size_t)i));
    const tt_val weights = tt_array_at(0, TT_F32, w, (const int64_t[]){ count, TT_DIM_END });
    const tt_val y = row_value(d->row, NULL, v), on = tt_gt(weights, tt_f(0));
    return tt_sum(tt_mul(tt_where(on, y, tt_f(0)), weights));
}

static const scipy_row *row_named(const char *distribution, const char *fn)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", distribution, fn);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) if (!strcmp(table[i].fn, name)) return &table[i];
    return NULL;
}

void oracle_stats(oracle_case *c)
{
    enum { MOST = 6 };
    const json_t *functions = json_object_get(c->params, "functions");
    const int n = (int)oracle_int(c->params, "n", 0);
    const tt_val loc = oracle_in(c, 2 + n), scale = oracle_in(c, 3 + n);
    int out = 0;
    for (size_t i = 0; i < json_array_size(functions); i++) {
        const json_t *one = json_array_get(functions, i), *weights = json_object_get(one, "weights");
        const char *fn = oracle_text(one, "fn", "");
        const scipy_row *row = row_named(c->fn, fn);
        const bool chance = !strcmp(fn, "ppf") || !strcmp(fn, "isf"), counts = oracle_flag(c->params, "counts");
        tt_val v[MOST + 2] = { oracle_in(c, chance) };
        for (int k = 0; k < n && k < MOST - 1; k++) v[1 + k] = oracle_in(c, 2 + k);
        if (!row) {
            oracle_unknown(c, fn);
            return;
        }
        oracle_expect(c, out++, row_value(row, NULL, v));
        v[1 + n] = loc, v[2 + n] = scale;
        json_t *placed = json_pack("{s:i, s:b, s:b}", "n", n, "loc", 1, "scale", !counts);
        if (oracle_flag(one, "placed")) oracle_expect(c, out++, row_value(row, placed, v));
        json_decref(placed);
        density d = { row, weights, n };
        for (int k = 0; json_array_size(weights) && k <= n; k++) {
            const char by[2] = { (char)('0' + k), 0 };
            const tt_fn f = tt_bind_env("density", weighted_density, &d, sizeof d, n + 1);
            oracle_expect(c, out++, tt_call_n(0, tt_grad(f, .wrt = by), n + 1, v));
        }
    }
}

void oracle_scipy(oracle_case *c)
{
    enum { MOST = 8 };
    const json_t *grad = json_object_get(c->params, "grad");
    tt_val v[MOST];
    if (!scipy_has(c->fn) || c->nin > MOST) {
        oracle_unknown(c, c->fn);
        return;
    }
    for (int i = 0; i < c->nin; i++) v[i] = oracle_in(c, i);
    oracle_expect(c, 0, scipy_value(c, v));
    for (size_t i = 0; i < json_array_size(grad); i++) {
        const char by[2] = { (char)('0' + json_integer_value(json_array_get(grad, i))), 0 };
        const tt_fn f = tt_bind_env("weighted", scipy_weighted, &c, sizeof c, c->nin);
        oracle_expect(c, (int)i + 1, tt_call_n(0, tt_grad(f, .wrt = by), c->nin, v));
    }
}
