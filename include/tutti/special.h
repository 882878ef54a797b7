/* tutti/special.h - special functions of jax.scipy.special that are composed of primitives. The primitives are in
 * tutti/ops.h: tt_erf, tt_erfc, tt_erfcx, tt_erf_inv, tt_lgamma, tt_digamma, tt_polygamma, tt_zeta, tt_betainc,
 * tt_igamma (gammainc), tt_igammac (gammaincc), tt_logistic (expit), tt_bessel_i0e, tt_bessel_i1e.
 *
 *     tt_val loss = tt_neg(tt_sum(tt_xlogy(p, q)));             // 0 where p is 0, whatever q is
 *
 * Integers become floats, 16-bit types are kept; complex numbers are an error. All have derivatives, forward and
 * reverse, which are finite where JAX's are. Two operands broadcast against each other. */
#include <tutti.h>
#ifndef TUTTI_SPECIAL_H
#define TUTTI_SPECIAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* x log y and x log(1 + y), 0 where x is 0 and y is not NaN
 *     tt_xlogy(x, y), tt_xlog1py(x, y); */
#define tt_xlogy(x, y)       tt_xlogy_at(TT_AT("tt_xlogy(" #x ", " #y ")"), x, y)
#define tt_xlog1py(x, y)     tt_xlog1py_at(TT_AT("tt_xlog1py(" #x ", " #y ")"), x, y)
/* -x log x, -infinity where x < 0
 *     tt_val entropy = tt_sum(tt_entr(p)); */
#define tt_entr(x)           tt_entr_at(TT_AT("tt_entr(" #x ")"), x)
/* rel_entr: p log(p / q); kl_div: rel_entr - p + q: 0 and q where p is 0, infinity where p or q is negative, or q is
 * 0 and p is not
 *     tt_sum(tt_rel_entr(p, q)), tt_sum(tt_kl_div(p, q)); */
#define tt_rel_entr(p, q)    tt_rel_entr_at(TT_AT("tt_rel_entr(" #p ", " #q ")"), p, q)
#define tt_kl_div(p, q)      tt_kl_div_at(TT_AT("tt_kl_div(" #p ", " #q ")"), p, q)
/* log(x / (1 - x)); its inverse 1 / (1 + e^-x) is tt_expit, the same as tt_logistic
 *     tt_logit(p), tt_expit(x); */
#define tt_logit(x)          tt_logit_at(TT_AT("tt_logit(" #x ")"), x)
#define tt_expit(x)          tt_expit_at(TT_AT("tt_expit(" #x ")"), x)
/* (x^k - 1) / k, and log x where k is 0; boxcox1p: of 1 + x
 *     tt_boxcox(x, tt_f(0.5)), tt_boxcox1p(x, tt_f(0.5)); */
#define tt_boxcox(x, k)      tt_boxcox_at(TT_AT("tt_boxcox(" #x ", " #k ")"), x, k)
#define tt_boxcox1p(x, k)    tt_boxcox1p_at(TT_AT("tt_boxcox1p(" #x ", " #k ")"), x, k)
TT_NUM2(xlogy) TT_NUM2(xlog1py) TT_NUM2(rel_entr) TT_NUM2(kl_div) TT_NUM2(boxcox) TT_NUM2(boxcox1p)
TT_NUM1(entr) TT_NUM1(logit) TT_NUM1(expit)

/* The distribution function of the normal distribution, and its logarithm, which does not underflow; tt_ndtri (num.h)
 * is its inverse.
 *     tt_ndtr(x), tt_log_ndtr(x); */
#define tt_ndtr(x)           tt_ndtr_at(TT_AT("tt_ndtr(" #x ")"), x)
#define tt_log_ndtr(x)       tt_log_ndtr_at(TT_AT("tt_log_ndtr(" #x ")"), x)
TT_NUM1(ndtr) TT_NUM1(log_ndtr)

/* The gamma function, its sign (1 at 0, -1 at -0, NaN at -1, -2, ...), and log |gamma|, which is tt_lgamma;
 * x!, 0 where x < 0; the beta function and the logarithm of its size; gamma(z + m) / gamma(z). tt_gamma and tt_beta
 * are draws (tutti/random.h).
 *     tt_gammafn(x), tt_gammasgn(x), tt_gammaln(x), tt_factorial(x), tt_betafn(a, b), tt_betaln(a, b);
 *     tt_poch(z, w); */
#define tt_gammafn(x)        tt_gammafn_at(TT_AT("tt_gammafn(" #x ")"), x)
#define tt_gammasgn(x)       tt_gammasgn_at(TT_AT("tt_gammasgn(" #x ")"), x)
#define tt_gammaln(x)        tt_gammaln_at(TT_AT("tt_gammaln(" #x ")"), x)
#define tt_factorial(x)      tt_factorial_at(TT_AT("tt_factorial(" #x ")"), x)
#define tt_betafn(a, b)      tt_betafn_at(TT_AT("tt_betafn(" #a ", " #b ")"), a, b)
#define tt_betaln(a, b)      tt_betaln_at(TT_AT("tt_betaln(" #a ", " #b ")"), a, b)
#define tt_poch(z, m)        tt_poch_at(TT_AT("tt_poch(" #z ", " #m ")"), z, m)
/* log of the multivariate gamma function of d dims, d from 1 up: d(d - 1)/4 log pi + the sum of log gamma(a - i/2)
 *     tt_val volume = tt_multigammaln(a, 3); */
#define tt_multigammaln(a, d) tt_multigammaln_at(TT_AT("tt_multigammaln(" #a ", " #d ")"), a, d)
TT_API tt_val tt_multigammaln_at(const char *site, tt_val a, int64_t d);
TT_NUM1(gammafn) TT_NUM1(gammasgn) TT_NUM1(gammaln) TT_NUM1(factorial)
TT_NUM2(betafn) TT_NUM2(betaln) TT_NUM2(poch)

/* Exponential integrals: expi(x), the principal value of the integral of e^t / t from -infinity to x; exp1(x) =
 * -expi(-x), NaN where x < 0, and so is its derivative. Computed in float64: a power series near 0, an asymptotic one
 * above 40, a continued fraction below -1 (Abramowitz and Stegun, 5.1.10, 5.1.51, 5.1.22).
 *     tt_expi(x), tt_exp1(x); */
#define tt_expi(x)           tt_expi_at(TT_AT("tt_expi(" #x ")"), x)
#define tt_exp1(x)           tt_exp1_at(TT_AT("tt_exp1(" #x ")"), x)
/* Modified Bessel functions of the first kind: e^|x| times tt_bessel_i0e and tt_bessel_i1e
 *     tt_i0(x), tt_i1(x); */
#define tt_i0(x)             tt_i0_at(TT_AT("tt_i0(" #x ")"), x)
#define tt_i1(x)             tt_i1_at(TT_AT("tt_i1(" #x ")"), x)
TT_NUM1(expi) TT_NUM1(exp1) TT_NUM1(i0) TT_NUM1(i1)

#ifdef __cplusplus
}
#endif
#endif
