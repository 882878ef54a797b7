/* tutti/stats.h - densities and distribution functions, as jax.scipy.stats: tt_norm_logpdf is norm.logpdf.
 *
 *     tt_val loss = tt_neg(tt_mean(tt_norm_logpdf(x, .loc = mu, .scale = sigma)));
 *     tt_val p    = tt_poisson_cdf(k, rate);
 *
 * x and the parameters are values that broadcast against each other; integers become floats. loc shifts, scale
 * stretches: x counts as (x - loc) / scale; they are values, 0 and 1 if not given, and distributions of counts have no
 * scale. logpdf, pdf: of densities; logpmf, pmf: of counts, -infinity and 0 outside the support. cdf, logcdf: the
 * probability of at most x; sf, logsf: of more than x; ppf, isf: the inverses of cdf and sf. A distribution has those
 * that JAX's has. Parameters out of range give NaN or what JAX gives; the formulas are JAX's (docs.jax.dev,
 * jax.scipy.stats). All are differentiable in x and in the parameters, except that betainc has no derivative by its
 * first two operands, as in JAX. Errors: complex numbers, a scale for counts. */
#include <tutti.h>
#ifndef TUTTI_STATS_H
#define TUTTI_STATS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tt_stats_opts { TT_OPTION_HEAD tt_val loc TT_DEFAULT, scale TT_DEFAULT; } tt_stats_opts;
/* clang-format off */
#define TT_STATS0_(f, at, x, ...) f(at, x, TT_OPTS(tt_stats_opts, __VA_ARGS__))
#define TT_STATS1_(f, at, x, a, ...) f(at, x, a, TT_OPTS(tt_stats_opts, __VA_ARGS__))
#define TT_STATS2_(f, at, x, a, b, ...) f(at, x, a, b, TT_OPTS(tt_stats_opts, __VA_ARGS__))
#define TT_STATS3_(f, at, x, a, b, c, ...) f(at, x, a, b, c, TT_OPTS(tt_stats_opts, __VA_ARGS__))
#define TT_STATS0(name) \
    TT_API tt_val tt_##name##_at(const char *site, tt_val x, const tt_stats_opts *);
#define TT_STATS1(name) \
    TT_API tt_val tt_##name##_at(const char *site, tt_val x, tt_val a, const tt_stats_opts *);
#define TT_STATS2(name) \
    TT_API tt_val tt_##name##_at(const char *site, tt_val x, tt_val a, tt_val b, const tt_stats_opts *);
#define TT_STATS3(name) \
    TT_API tt_val tt_##name##_at(const char *site, tt_val x, tt_val a, tt_val b, tt_val c, const tt_stats_opts *);
/* norm(x): the normal distribution
 *     tt_norm_logpdf(x, .loc = mu, .scale = sigma), tt_norm_pdf(x), tt_norm_cdf(x), tt_norm_logcdf(x);
 *     tt_norm_sf(x), tt_norm_logsf(x), tt_norm_ppf(p), tt_norm_isf(p); */
#define tt_norm_logpdf(...)  TT_STATS0_(tt_norm_logpdf_at, TT_AT("tt_norm_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_pdf(...)     TT_STATS0_(tt_norm_pdf_at, TT_AT("tt_norm_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_cdf(...)     TT_STATS0_(tt_norm_cdf_at, TT_AT("tt_norm_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_logcdf(...)  TT_STATS0_(tt_norm_logcdf_at, TT_AT("tt_norm_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_sf(...)      TT_STATS0_(tt_norm_sf_at, TT_AT("tt_norm_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_logsf(...)   TT_STATS0_(tt_norm_logsf_at, TT_AT("tt_norm_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_ppf(...)     TT_STATS0_(tt_norm_ppf_at, TT_AT("tt_norm_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_norm_isf(...)     TT_STATS0_(tt_norm_isf_at, TT_AT("tt_norm_isf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(norm_logpdf) TT_STATS0(norm_pdf) TT_STATS0(norm_cdf) TT_STATS0(norm_logcdf) TT_STATS0(norm_sf)
TT_STATS0(norm_logsf) TT_STATS0(norm_ppf) TT_STATS0(norm_isf)
/* expon(x): exponential, on [0, infinity)
 *     tt_expon_logpdf(x), tt_expon_pdf(x), tt_expon_cdf(x, .scale = tt_f(2)), tt_expon_logcdf(x);
 *     tt_expon_sf(x), tt_expon_logsf(x), tt_expon_ppf(p); */
#define tt_expon_logpdf(...) TT_STATS0_(tt_expon_logpdf_at, TT_AT("tt_expon_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_expon_pdf(...)    TT_STATS0_(tt_expon_pdf_at, TT_AT("tt_expon_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_expon_cdf(...)    TT_STATS0_(tt_expon_cdf_at, TT_AT("tt_expon_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_expon_logcdf(...) TT_STATS0_(tt_expon_logcdf_at, TT_AT("tt_expon_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_expon_sf(...)     TT_STATS0_(tt_expon_sf_at, TT_AT("tt_expon_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_expon_logsf(...)  TT_STATS0_(tt_expon_logsf_at, TT_AT("tt_expon_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_expon_ppf(...)    TT_STATS0_(tt_expon_ppf_at, TT_AT("tt_expon_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(expon_logpdf) TT_STATS0(expon_pdf) TT_STATS0(expon_cdf) TT_STATS0(expon_logcdf) TT_STATS0(expon_sf)
TT_STATS0(expon_logsf) TT_STATS0(expon_ppf)
/* laplace(x)
 *     tt_laplace_logpdf(x), tt_laplace_pdf(x), tt_laplace_cdf(x, .loc = mu); */
#define tt_laplace_logpdf(...) \
    TT_STATS0_(tt_laplace_logpdf_at, TT_AT("tt_laplace_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_laplace_pdf(...)  TT_STATS0_(tt_laplace_pdf_at, TT_AT("tt_laplace_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_laplace_cdf(...)  TT_STATS0_(tt_laplace_cdf_at, TT_AT("tt_laplace_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(laplace_logpdf) TT_STATS0(laplace_pdf) TT_STATS0(laplace_cdf)
/* logistic(x)
 *     tt_logistic_logpdf(x), tt_logistic_pdf(x), tt_logistic_cdf(x), tt_logistic_sf(x);
 *     tt_logistic_ppf(p), tt_logistic_isf(p); */
#define tt_logistic_logpdf(...) \
    TT_STATS0_(tt_logistic_logpdf_at, TT_AT("tt_logistic_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_logistic_pdf(...) TT_STATS0_(tt_logistic_pdf_at, TT_AT("tt_logistic_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_logistic_cdf(...) TT_STATS0_(tt_logistic_cdf_at, TT_AT("tt_logistic_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_logistic_sf(...)  TT_STATS0_(tt_logistic_sf_at, TT_AT("tt_logistic_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_logistic_ppf(...) TT_STATS0_(tt_logistic_ppf_at, TT_AT("tt_logistic_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_logistic_isf(...) TT_STATS0_(tt_logistic_isf_at, TT_AT("tt_logistic_isf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(logistic_logpdf) TT_STATS0(logistic_pdf) TT_STATS0(logistic_cdf) TT_STATS0(logistic_sf)
TT_STATS0(logistic_ppf) TT_STATS0(logistic_isf)
/* cauchy(x)
 *     tt_cauchy_logpdf(x), tt_cauchy_pdf(x), tt_cauchy_cdf(x), tt_cauchy_logcdf(x);
 *     tt_cauchy_sf(x), tt_cauchy_logsf(x), tt_cauchy_ppf(p), tt_cauchy_isf(p); */
#define tt_cauchy_logpdf(...)TT_STATS0_(tt_cauchy_logpdf_at, TT_AT("tt_cauchy_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_pdf(...)   TT_STATS0_(tt_cauchy_pdf_at, TT_AT("tt_cauchy_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_cdf(...)   TT_STATS0_(tt_cauchy_cdf_at, TT_AT("tt_cauchy_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_logcdf(...)TT_STATS0_(tt_cauchy_logcdf_at, TT_AT("tt_cauchy_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_sf(...)    TT_STATS0_(tt_cauchy_sf_at, TT_AT("tt_cauchy_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_logsf(...) TT_STATS0_(tt_cauchy_logsf_at, TT_AT("tt_cauchy_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_ppf(...)   TT_STATS0_(tt_cauchy_ppf_at, TT_AT("tt_cauchy_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_cauchy_isf(...)   TT_STATS0_(tt_cauchy_isf_at, TT_AT("tt_cauchy_isf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(cauchy_logpdf) TT_STATS0(cauchy_pdf) TT_STATS0(cauchy_cdf) TT_STATS0(cauchy_logcdf) TT_STATS0(cauchy_sf)
TT_STATS0(cauchy_logsf) TT_STATS0(cauchy_ppf) TT_STATS0(cauchy_isf)
/* uniform(x): on [loc, loc + scale]
 *     tt_uniform_logpdf(x), tt_uniform_pdf(x), tt_uniform_cdf(x, .loc = low, .scale = sigma), tt_uniform_ppf(p); */
#define tt_uniform_logpdf(...) \
    TT_STATS0_(tt_uniform_logpdf_at, TT_AT("tt_uniform_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_uniform_pdf(...)  TT_STATS0_(tt_uniform_pdf_at, TT_AT("tt_uniform_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_uniform_cdf(...)  TT_STATS0_(tt_uniform_cdf_at, TT_AT("tt_uniform_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_uniform_ppf(...)  TT_STATS0_(tt_uniform_ppf_at, TT_AT("tt_uniform_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(uniform_logpdf) TT_STATS0(uniform_pdf) TT_STATS0(uniform_cdf) TT_STATS0(uniform_ppf)
/* gumbel_l(x): of minima
 *     tt_gumbel_l_logpdf(x), tt_gumbel_l_pdf(x), tt_gumbel_l_cdf(x), tt_gumbel_l_logcdf(x);
 *     tt_gumbel_l_sf(x), tt_gumbel_l_logsf(x), tt_gumbel_l_ppf(p); */
#define tt_gumbel_l_logpdf(...) \
    TT_STATS0_(tt_gumbel_l_logpdf_at, TT_AT("tt_gumbel_l_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_l_pdf(...) TT_STATS0_(tt_gumbel_l_pdf_at, TT_AT("tt_gumbel_l_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_l_cdf(...) TT_STATS0_(tt_gumbel_l_cdf_at, TT_AT("tt_gumbel_l_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_l_logcdf(...) \
    TT_STATS0_(tt_gumbel_l_logcdf_at, TT_AT("tt_gumbel_l_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_l_sf(...)  TT_STATS0_(tt_gumbel_l_sf_at, TT_AT("tt_gumbel_l_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_l_logsf(...) \
    TT_STATS0_(tt_gumbel_l_logsf_at, TT_AT("tt_gumbel_l_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_l_ppf(...) TT_STATS0_(tt_gumbel_l_ppf_at, TT_AT("tt_gumbel_l_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(gumbel_l_logpdf) TT_STATS0(gumbel_l_pdf) TT_STATS0(gumbel_l_cdf) TT_STATS0(gumbel_l_logcdf)
TT_STATS0(gumbel_l_sf) TT_STATS0(gumbel_l_logsf) TT_STATS0(gumbel_l_ppf)
/* gumbel_r(x): of maxima
 *     tt_gumbel_r_logpdf(x), tt_gumbel_r_pdf(x), tt_gumbel_r_cdf(x), tt_gumbel_r_logcdf(x);
 *     tt_gumbel_r_sf(x), tt_gumbel_r_logsf(x), tt_gumbel_r_ppf(p); */
#define tt_gumbel_r_logpdf(...) \
    TT_STATS0_(tt_gumbel_r_logpdf_at, TT_AT("tt_gumbel_r_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_r_pdf(...) TT_STATS0_(tt_gumbel_r_pdf_at, TT_AT("tt_gumbel_r_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_r_cdf(...) TT_STATS0_(tt_gumbel_r_cdf_at, TT_AT("tt_gumbel_r_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_r_logcdf(...) \
    TT_STATS0_(tt_gumbel_r_logcdf_at, TT_AT("tt_gumbel_r_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_r_sf(...)  TT_STATS0_(tt_gumbel_r_sf_at, TT_AT("tt_gumbel_r_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_r_logsf(...) \
    TT_STATS0_(tt_gumbel_r_logsf_at, TT_AT("tt_gumbel_r_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gumbel_r_ppf(...) TT_STATS0_(tt_gumbel_r_ppf_at, TT_AT("tt_gumbel_r_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS0(gumbel_r_logpdf) TT_STATS0(gumbel_r_pdf) TT_STATS0(gumbel_r_cdf) TT_STATS0(gumbel_r_logcdf)
TT_STATS0(gumbel_r_sf) TT_STATS0(gumbel_r_logsf) TT_STATS0(gumbel_r_ppf)
/* gamma(x, a): of shape a
 *     tt_gamma_logpdf(x, a), tt_gamma_pdf(x, a), tt_gamma_cdf(x, a, .scale = sigma), tt_gamma_logcdf(x, a);
 *     tt_gamma_sf(x, a), tt_gamma_logsf(x, a); */
#define tt_gamma_logpdf(...) TT_STATS1_(tt_gamma_logpdf_at, TT_AT("tt_gamma_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gamma_pdf(...)    TT_STATS1_(tt_gamma_pdf_at, TT_AT("tt_gamma_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gamma_cdf(...)    TT_STATS1_(tt_gamma_cdf_at, TT_AT("tt_gamma_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gamma_logcdf(...) TT_STATS1_(tt_gamma_logcdf_at, TT_AT("tt_gamma_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gamma_sf(...)     TT_STATS1_(tt_gamma_sf_at, TT_AT("tt_gamma_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gamma_logsf(...)  TT_STATS1_(tt_gamma_logsf_at, TT_AT("tt_gamma_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(gamma_logpdf) TT_STATS1(gamma_pdf) TT_STATS1(gamma_cdf) TT_STATS1(gamma_logcdf) TT_STATS1(gamma_sf)
TT_STATS1(gamma_logsf)
/* chi2(x, df)
 *     tt_chi2_logpdf(x, df), tt_chi2_pdf(x, df), tt_chi2_cdf(x, df), tt_chi2_logcdf(x, df);
 *     tt_chi2_sf(x, df), tt_chi2_logsf(x, df); */
#define tt_chi2_logpdf(...)  TT_STATS1_(tt_chi2_logpdf_at, TT_AT("tt_chi2_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_chi2_pdf(...)     TT_STATS1_(tt_chi2_pdf_at, TT_AT("tt_chi2_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_chi2_cdf(...)     TT_STATS1_(tt_chi2_cdf_at, TT_AT("tt_chi2_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_chi2_logcdf(...)  TT_STATS1_(tt_chi2_logcdf_at, TT_AT("tt_chi2_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_chi2_sf(...)      TT_STATS1_(tt_chi2_sf_at, TT_AT("tt_chi2_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_chi2_logsf(...)   TT_STATS1_(tt_chi2_logsf_at, TT_AT("tt_chi2_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(chi2_logpdf) TT_STATS1(chi2_pdf) TT_STATS1(chi2_cdf) TT_STATS1(chi2_logcdf) TT_STATS1(chi2_sf)
TT_STATS1(chi2_logsf)
/* t(x, df): Student's
 *     tt_t_logpdf(x, df), tt_t_pdf(x, df, .scale = sigma); */
#define tt_t_logpdf(...)     TT_STATS1_(tt_t_logpdf_at, TT_AT("tt_t_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_t_pdf(...)        TT_STATS1_(tt_t_pdf_at, TT_AT("tt_t_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(t_logpdf) TT_STATS1(t_pdf)
/* pareto(x, b): on [1, infinity)
 *     tt_pareto_logpdf(x, b), tt_pareto_pdf(x, b), tt_pareto_cdf(x, b), tt_pareto_logcdf(x, b);
 *     tt_pareto_sf(x, b), tt_pareto_logsf(x, b), tt_pareto_ppf(p, b); */
#define tt_pareto_logpdf(...)TT_STATS1_(tt_pareto_logpdf_at, TT_AT("tt_pareto_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_pareto_pdf(...)   TT_STATS1_(tt_pareto_pdf_at, TT_AT("tt_pareto_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_pareto_cdf(...)   TT_STATS1_(tt_pareto_cdf_at, TT_AT("tt_pareto_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_pareto_logcdf(...)TT_STATS1_(tt_pareto_logcdf_at, TT_AT("tt_pareto_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_pareto_sf(...)    TT_STATS1_(tt_pareto_sf_at, TT_AT("tt_pareto_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_pareto_logsf(...) TT_STATS1_(tt_pareto_logsf_at, TT_AT("tt_pareto_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_pareto_ppf(...)   TT_STATS1_(tt_pareto_ppf_at, TT_AT("tt_pareto_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(pareto_logpdf) TT_STATS1(pareto_pdf) TT_STATS1(pareto_cdf) TT_STATS1(pareto_logcdf) TT_STATS1(pareto_sf)
TT_STATS1(pareto_logsf) TT_STATS1(pareto_ppf)
/* gennorm(x, b): generalised normal of power b
 *     tt_gennorm_logpdf(x, b), tt_gennorm_pdf(x, b), tt_gennorm_cdf(x, b); */
#define tt_gennorm_logpdf(...) \
    TT_STATS1_(tt_gennorm_logpdf_at, TT_AT("tt_gennorm_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gennorm_pdf(...)  TT_STATS1_(tt_gennorm_pdf_at, TT_AT("tt_gennorm_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_gennorm_cdf(...)  TT_STATS1_(tt_gennorm_cdf_at, TT_AT("tt_gennorm_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(gennorm_logpdf) TT_STATS1(gennorm_pdf) TT_STATS1(gennorm_cdf)
/* vonmises(x, kappa): on the circle
 *     tt_vonmises_logpdf(x, kappa), tt_vonmises_pdf(x, kappa); */
#define tt_vonmises_logpdf(...) \
    TT_STATS1_(tt_vonmises_logpdf_at, TT_AT("tt_vonmises_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_vonmises_pdf(...) TT_STATS1_(tt_vonmises_pdf_at, TT_AT("tt_vonmises_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(vonmises_logpdf) TT_STATS1(vonmises_pdf)
/* wrapcauchy(x, c): on [0, 2 pi]
 *     tt_wrapcauchy_logpdf(x, c), tt_wrapcauchy_pdf(x, c); */
#define tt_wrapcauchy_logpdf(...) \
    TT_STATS1_(tt_wrapcauchy_logpdf_at, TT_AT("tt_wrapcauchy_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_wrapcauchy_pdf(...) \
    TT_STATS1_(tt_wrapcauchy_pdf_at, TT_AT("tt_wrapcauchy_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(wrapcauchy_logpdf) TT_STATS1(wrapcauchy_pdf)
/* beta(x, a, b): on [0, 1]
 *     tt_beta_logpdf(x, a, b), tt_beta_pdf(x, a, b), tt_beta_cdf(x, a, b), tt_beta_logcdf(x, a, b);
 *     tt_beta_sf(x, a, b), tt_beta_logsf(x, a, b); */
#define tt_beta_logpdf(...)  TT_STATS2_(tt_beta_logpdf_at, TT_AT("tt_beta_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_beta_pdf(...)     TT_STATS2_(tt_beta_pdf_at, TT_AT("tt_beta_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_beta_cdf(...)     TT_STATS2_(tt_beta_cdf_at, TT_AT("tt_beta_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_beta_logcdf(...)  TT_STATS2_(tt_beta_logcdf_at, TT_AT("tt_beta_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_beta_sf(...)      TT_STATS2_(tt_beta_sf_at, TT_AT("tt_beta_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_beta_logsf(...)   TT_STATS2_(tt_beta_logsf_at, TT_AT("tt_beta_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS2(beta_logpdf) TT_STATS2(beta_pdf) TT_STATS2(beta_cdf) TT_STATS2(beta_logcdf) TT_STATS2(beta_sf)
TT_STATS2(beta_logsf)
/* truncnorm(x, a, b): normal, truncated to [a, b]
 *     tt_truncnorm_logpdf(x, a, b), tt_truncnorm_pdf(x, a, b), tt_truncnorm_cdf(x, a, b);
 *     tt_truncnorm_logcdf(x, a, b), tt_truncnorm_sf(x, a, b), tt_truncnorm_logsf(x, a, b); */
#define tt_truncnorm_logpdf(...) \
    TT_STATS2_(tt_truncnorm_logpdf_at, TT_AT("tt_truncnorm_logpdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_truncnorm_pdf(...)TT_STATS2_(tt_truncnorm_pdf_at, TT_AT("tt_truncnorm_pdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_truncnorm_cdf(...)TT_STATS2_(tt_truncnorm_cdf_at, TT_AT("tt_truncnorm_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_truncnorm_logcdf(...) \
    TT_STATS2_(tt_truncnorm_logcdf_at, TT_AT("tt_truncnorm_logcdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_truncnorm_sf(...) TT_STATS2_(tt_truncnorm_sf_at, TT_AT("tt_truncnorm_sf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_truncnorm_logsf(...) \
    TT_STATS2_(tt_truncnorm_logsf_at, TT_AT("tt_truncnorm_logsf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS2(truncnorm_logpdf) TT_STATS2(truncnorm_pdf) TT_STATS2(truncnorm_cdf) TT_STATS2(truncnorm_logcdf)
TT_STATS2(truncnorm_sf) TT_STATS2(truncnorm_logsf)
/* poisson(x, mu): counts
 *     tt_poisson_logpmf(k, mu), tt_poisson_pmf(k, mu), tt_poisson_cdf(k, mu, .loc = tt_i(1)); */
#define tt_poisson_logpmf(...) \
    TT_STATS1_(tt_poisson_logpmf_at, TT_AT("tt_poisson_logpmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_poisson_pmf(...)  TT_STATS1_(tt_poisson_pmf_at, TT_AT("tt_poisson_pmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_poisson_cdf(...)  TT_STATS1_(tt_poisson_cdf_at, TT_AT("tt_poisson_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(poisson_logpmf) TT_STATS1(poisson_pmf) TT_STATS1(poisson_cdf)
/* bernoulli(x, p)
 *     tt_bernoulli_logpmf(k, p), tt_bernoulli_pmf(k, p), tt_bernoulli_cdf(k, p), tt_bernoulli_ppf(q, p); */
#define tt_bernoulli_logpmf(...) \
    TT_STATS1_(tt_bernoulli_logpmf_at, TT_AT("tt_bernoulli_logpmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_bernoulli_pmf(...)TT_STATS1_(tt_bernoulli_pmf_at, TT_AT("tt_bernoulli_pmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_bernoulli_cdf(...)TT_STATS1_(tt_bernoulli_cdf_at, TT_AT("tt_bernoulli_cdf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_bernoulli_ppf(...)TT_STATS1_(tt_bernoulli_ppf_at, TT_AT("tt_bernoulli_ppf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(bernoulli_logpmf) TT_STATS1(bernoulli_pmf) TT_STATS1(bernoulli_cdf) TT_STATS1(bernoulli_ppf)
/* geom(x, p): trials to the first success, 1 or more
 *     tt_geom_logpmf(k, p), tt_geom_pmf(k, p); */
#define tt_geom_logpmf(...)  TT_STATS1_(tt_geom_logpmf_at, TT_AT("tt_geom_logpmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_geom_pmf(...)     TT_STATS1_(tt_geom_pmf_at, TT_AT("tt_geom_pmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS1(geom_logpmf) TT_STATS1(geom_pmf)
/* binom(x, n, p)
 *     tt_binom_logpmf(k, n_trials, p), tt_binom_pmf(k, n_trials, p); */
#define tt_binom_logpmf(...) TT_STATS2_(tt_binom_logpmf_at, TT_AT("tt_binom_logpmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_binom_pmf(...)    TT_STATS2_(tt_binom_pmf_at, TT_AT("tt_binom_pmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS2(binom_logpmf) TT_STATS2(binom_pmf)
/* nbinom(x, n, p): failures before n successes
 *     tt_nbinom_logpmf(k, n_trials, p), tt_nbinom_pmf(k, n_trials, p); */
#define tt_nbinom_logpmf(...)TT_STATS2_(tt_nbinom_logpmf_at, TT_AT("tt_nbinom_logpmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_nbinom_pmf(...)   TT_STATS2_(tt_nbinom_pmf_at, TT_AT("tt_nbinom_pmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS2(nbinom_logpmf) TT_STATS2(nbinom_pmf)
/* betabinom(x, n, a, b)
 *     tt_betabinom_logpmf(k, n_trials, a, b), tt_betabinom_pmf(k, n_trials, a, b); */
#define tt_betabinom_logpmf(...) \
    TT_STATS3_(tt_betabinom_logpmf_at, TT_AT("tt_betabinom_logpmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_betabinom_pmf(...)TT_STATS3_(tt_betabinom_pmf_at, TT_AT("tt_betabinom_pmf(" #__VA_ARGS__ ")"), __VA_ARGS__, )
TT_STATS3(betabinom_logpmf) TT_STATS3(betabinom_pmf)
/* clang-format on */

/* Vectors: x [.., n]. multivariate_normal: mean [.., n] and cov [.., n, n], or cov a scalar, a multiple of the unit
 * matrix; dirichlet: of one vector alpha [n], x [n] or [n - 1] along dim 0, as in JAX; multinomial: counts x [n] of
 * integers, n trials, probabilities p [n].
 *     tt_multivariate_normal_logpdf(x, mean, cov), tt_multivariate_normal_pdf(x, mean, cov);
 *     tt_dirichlet_logpdf(x, alpha), tt_dirichlet_pdf(x, alpha);
 *     tt_multinomial_logpmf(k, n_trials, p), tt_multinomial_pmf(k, n_trials, p); */
#define tt_multivariate_normal_logpdf(x, mean, cov) \
    tt_multivariate_normal_logpdf_at(TT_AT("tt_multivariate_normal_logpdf(" #x ", " #mean ", " #cov ")"), x, mean, cov)
#define tt_multivariate_normal_pdf(x, mean, cov) \
    tt_multivariate_normal_pdf_at(TT_AT("tt_multivariate_normal_pdf(" #x ", " #mean ", " #cov ")"), x, mean, cov)
#define tt_dirichlet_logpdf(x, alpha) \
    tt_dirichlet_logpdf_at(TT_AT("tt_dirichlet_logpdf(" #x ", " #alpha ")"), x, alpha)
#define tt_dirichlet_pdf(x, alpha) tt_dirichlet_pdf_at(TT_AT("tt_dirichlet_pdf(" #x ", " #alpha ")"), x, alpha)
#define tt_multinomial_logpmf(x, n, p) \
    tt_multinomial_logpmf_at(TT_AT("tt_multinomial_logpmf(" #x ", " #n ", " #p ")"), x, n, p)
#define tt_multinomial_pmf(x, n, p) \
    tt_multinomial_pmf_at(TT_AT("tt_multinomial_pmf(" #x ", " #n ", " #p ")"), x, n, p)
TT_API tt_val tt_multivariate_normal_logpdf_at(const char *site, tt_val x, tt_val mean, tt_val cov),
    tt_multivariate_normal_pdf_at(const char *site, tt_val x, tt_val mean, tt_val cov),
    tt_multinomial_logpmf_at(const char *site, tt_val x, tt_val n, tt_val p),
    tt_multinomial_pmf_at(const char *site, tt_val x, tt_val n, tt_val p);
TT_NUM2(dirichlet_logpdf) TT_NUM2(dirichlet_pdf)

#ifdef __cplusplus
}
#endif
#endif
