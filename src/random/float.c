/* random/float.c - continuous distributions by transforming uniforms, with jax.random's formulas and ranges. */
#include "random.h"

#include <float.h>
#include <string.h>

static double smallest_normal(tt_dtype d) { return d == TT_F64 ? DBL_MIN : d == TT_F16 ? 0x1p-14 : FLT_MIN; }
static double epsilon(tt_dtype d)
{
    return d == TT_F64 ? 0x1p-52 : d == TT_F32 ? 0x1p-23 : d == TT_F16 ? 0x1p-10 : 0x1p-7;
}

/* sqrt(2) erf_inv(u), u in (-1, 1) */
static tt_val normal(const char *site, tt_val key, tt_dtype d, double a, double b, const int64_t *dims)
{
    (void)a, (void)b;
    const tt_val u = tt_uniform_in_at(site, key, d, random_next(d, -1, 0), 1, dims);
    return tt_mul_at(site, random_real(site, d, 1.4142135623730951), tt_erf_inv_at(site, u));
}
tt_val tt_normal_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_float(site, "normal", d)) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    return random_drawn("normal", normal, site, key, d, 0, 0, dims);
}

static tt_val truncated(const char *site, tt_val key, tt_dtype d, double lo, double hi, const int64_t *dims)
{
    const tt_val root = random_real(site, d, 1.4142135623730951);
    const tt_val over = tt_div_at(site, random_real(site, d, 1), root); /* XLA multiplies by a constant's reciprocal */
    const tt_val a = tt_erf_at(site, tt_mul_at(site, random_real(site, d, lo), over));
    const tt_val b = tt_erf_at(site, tt_mul_at(site, random_real(site, d, hi), over));
    const tt_val x = tt_mul_at(site, root, tt_erf_inv_at(site, random_between(site, key, d, a, b, dims)));
    const double inf = 1.0 / 0.0;
    return tt_clamp_at(site, random_real(site, d, random_next(d, lo, inf)), x,
                       random_real(site, d, random_next(d, hi, -inf)));
}
tt_val tt_truncated_normal_at(const char *site, tt_val key, tt_dtype d, double lo, double hi, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_float(site, "truncated_normal", d)) return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    if (!(lo < hi)) return tt_fail_at(site, TT_EARG, "truncated_normal: between %g and %g; expected lo < hi", lo, hi);
    return random_drawn("truncated_normal", truncated, site, key, d, lo, hi, dims);
}

/* -log(-log(u)), u in [tiny, 1) */
static tt_val gumbel(const char *site, tt_val key, tt_dtype d, double a, double b, const int64_t *dims)
{
    (void)a, (void)b;
    const tt_val u = tt_uniform_in_at(site, key, d, smallest_normal(d), 1, dims);
    return tt_neg_at(site, tt_log_at(site, tt_neg_at(site, tt_log_at(site, u))));
}
tt_val tt_gumbel_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    return random_drawn("gumbel", gumbel, site, key, d, 0, 0, dims);
}

/* -log1p(-u) */
static tt_val exponential(const char *site, tt_val key, tt_dtype d, double a, double b, const int64_t *dims)
{
    (void)a, (void)b;
    return tt_neg_at(site, tt_log1p_at(site, tt_neg_at(site, tt_uniform_at(site, key, d, dims))));
}
tt_val tt_exponential_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    return random_drawn("exponential", exponential, site, key, d, 0, 0, dims);
}

/* sign(u) log1p(-|u|), u in (-1, 1) */
static tt_val laplace(const char *site, tt_val key, tt_dtype d, double a, double b, const int64_t *dims)
{
    (void)a, (void)b;
    const tt_val u = tt_uniform_in_at(site, key, d, -1 + epsilon(d) / 2, 1, dims);
    return tt_mul_at(site, tt_sign_at(site, u), tt_log1p_at(site, tt_neg_at(site, tt_abs_at(site, u))));
}
tt_val tt_laplace_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    return random_drawn("laplace", laplace, site, key, d, 0, 0, dims);
}

/* tan(pi (u - 1/2)), u in [eps, 1) */
static tt_val cauchy(const char *site, tt_val key, tt_dtype d, double a, double b, const int64_t *dims)
{
    (void)a, (void)b;
    const tt_val u = tt_uniform_in_at(site, key, d, epsilon(d), 1, dims);
    const tt_val angle =
        tt_mul_at(site, random_real(site, d, 3.14159265358979323846), tt_sub_at(site, u, random_real(site, d, 0.5)));
    return tt_div_at(site, tt_sin_at(site, angle), tt_cos_at(site, angle));
}
tt_val tt_cauchy_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    return random_drawn("cauchy", cauchy, site, key, d, 0, 0, dims);
}

/* log(u / (1 - u)), u in [eps, 1); the newer form: log u - log1p(-u), u in [tiny, 1) */
static tt_val logistic(const char *site, tt_val key, tt_dtype d, double difference, double b, const int64_t *dims)
{
    (void)b;
    if (difference == 0) {
        const tt_val u = tt_uniform_in_at(site, key, d, epsilon(d), 1, dims);
        return tt_log_at(site, tt_div_at(site, u, tt_sub_at(site, random_real(site, d, 1), u)));
    }
    const tt_val u = tt_uniform_in_at(site, key, d, smallest_normal(d), 1, dims);
    return tt_sub_at(site, tt_log_at(site, u), tt_log1p_at(site, tt_neg_at(site, u)));
}
tt_val tt_logistic_draw_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims, int difference)
{
    TT_ENTRY(site);
    return random_drawn("logistic", logistic, site, key, d, difference != 0, 0, dims);
}

/* 2 bernoulli(1/2) - 1 */
tt_val tt_rademacher_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!strchr("ifc", tt_dtype_kind(d)))
        return tt_fail_at(site, TT_ETYPE, "rademacher: %s has no -1; expected a signed type", tt_dtype_name(d));
    const tt_val b = tt_cast_at(site, tt_bernoulli_at(site, key, tt_f(0.5), dims), d);
    return tt_sub_at(site, tt_mul_at(site, b, tt_i(2)), tt_i(1));
}

/* uniform < p, drawn in p's type (a C number: float32) */
tt_val tt_bernoulli_at(const char *site, tt_val key, tt_val p, const int64_t *dims)
{
    TT_ENTRY(site);
    if (tt_ok() && tt_rank_at(site, p) >= 0 && tt_dtype_kind(tt_dtype_of_at(site, p)) != 'f')
        return tt_fail_at(site, TT_ETYPE, "bernoulli: p is %s; expected floats from 0 to 1", tt_type_text_at(site, p));
    if (tt_ok() && tt_rank_at(site, p) == 0 && !tt_is_traced_at(site, p)) {
        const double x = tt_num_at(site, p);
        if (!(x >= 0 && x <= 1)) return tt_fail_at(site, TT_EARG, "bernoulli: p is %g; expected 0 to 1", x);
    }
    const tt_val u = tt_uniform_at(site, key, tt_dtype_of_at(site, p), dims);
    return tt_compare_at(site, 2, u, p);
}
