/* num/stats.c - operands of distributions: converted to floats, with loc and scale applied; distributions of
 * vectors. */
#include "stats.h"

static _Thread_local const char *in_progress;
const char *stats_site(void) { return in_progress; }

static bool stats_given(tt_val v) { return v.slot || v.born; }

/* Converts v to floats; an error for trees and complex numbers. */
static bool stats_number(const char *site, const char *what, tt_val *v)
{
    if (!tt_ok() || !num_real_only(site, what, *v)) return false;
    if (tt_rank_at(site, *v) < 0)
        return tt_fail_at(site, TT_ETYPE, "%s: of a tree; expected an array of real numbers", what), false;
    *v = num_real(site, *v);
    return tt_ok();
}

tt_val stats_call(const char *site, const char *what, stats_fn *f, bool counts, tt_val x, int n, const tt_val *a,
                  const tt_stats_opts *o)
{
    if (!TT_CHECKED(tt_stats_opts, site, what, o)) return tt_poison;
    stats s = { .site = site, .x = x, .loc = tt_f(0), .scale = tt_f(1), .scaled = stats_given(o->scale) };
    const bool moved = stats_given(o->loc);
    if (counts && s.scaled) {
        tt_fail_at(site, TT_EARG, "%s has no .scale: counts are not scaled", what);
        tt_hint(".loc shifts counts");
        return tt_poison;
    }
    if (!stats_number(site, what, &s.x)) return tt_poison;
    for (int i = 0; i < n; i++) {
        s.a[i] = a[i];
        if (!stats_number(site, what, &s.a[i])) return tt_poison;
    }
    if (moved) s.loc = o->loc;
    if (s.scaled) s.scale = o->scale;
    if ((moved && !stats_number(site, what, &s.loc)) || (s.scaled && !stats_number(site, what, &s.scale)))
        return tt_poison;
    in_progress = site;
    s.z = moved ? tt_sub(s.x, s.loc) : s.x;
    if (s.scaled) s.z = tt_div(s.z, s.scale);
    return f(&s);
}

/* ---- vectors ---- */

static const tt_reduce_opts stats_last = { .size = sizeof stats_last, .dims = "-1" };
#define HALF_LOG_2PI 0.91893853320467274178

static bool vectors_ok(const char *site, const char *what, int n, tt_val *v)
{
    in_progress = site;
    for (int i = 0; i < n; i++)
        if (!stats_number(site, what, &v[i])) return false;
    return true;
}

/* Zeros of v's shape without its last dim: added, they broadcast batches against each other. */
static tt_val zero_rows(const char *site, tt_val v)
{
    int64_t dim[13] = { TT_DIM_END };
    const int rank = tt_rank_at(site, v);
    for (int d = 0; d < rank - 1; d++) dim[d] = tt_dim_at(site, v, d);
    if (rank > 0) dim[rank - 1] = TT_DIM_END;
    return tt_full_at(site, 0, tt_dtype_of_at(site, v), dim);
}

/* -|y|^2 / 2 - n/2 log(2 pi) - log det L, L y = x - mean, L the Cholesky factor of cov */
static tt_val normal_vectors(const char *site, tt_val x, tt_val mean, tt_val cov)
{
    const tt_triangular_opts lower = { .size = sizeof lower, .lower = 1 };
    const tt_matrix_opts usual = { .size = sizeof usual };
    const tt_eye_opts square = { .size = sizeof square };
    const int64_t n = tt_dim_at(site, mean, -1);
    const tt_val gap = tt_sub(x, mean), half = tt_f(-0.5), constant = tt_f(-(double)n * HALF_LOG_2PI);
    if (tt_rank_at(site, cov) == 0) {
        const tt_val sum = tt_sum_at(site, tt_mul(gap, gap), &stats_last);
        const tt_val size = tt_mul(tt_log(cov), tt_f(-0.5 * (double)n));
        return tt_add(tt_add(tt_div(tt_mul(half, sum), cov), constant), size);
    }
    const tt_val l = tt_cholesky_at(site, cov, &usual), unit = tt_eye_at(site, tt_dtype_of_at(site, l), n, &square);
    const tt_val diagonal = tt_sum_at(site, tt_mul(l, unit), &stats_last);
    const tt_val flat = tt_expand_dims_at(site, gap, -1);
    const tt_val none = tt_add(zero_rows(site, flat), zero_rows(site, l)), column = tt_expand_dims_at(site, none, -1);
    const tt_val factor = tt_add(l, column), wide = tt_add(flat, column);
    const tt_val y = tt_squeeze_at(site, tt_triangular_solve_at(site, factor, wide, &lower), -1);
    const tt_val square_sum = tt_mul(half, tt_sum_at(site, tt_mul(y, y), &stats_last));
    return tt_sub(tt_add(square_sum, constant), tt_sum_at(site, tt_log(diagonal), &stats_last));
}

tt_val tt_multivariate_normal_logpdf_at(const char *site, tt_val x, tt_val mean, tt_val cov)
{
    TT_ENTRY(site);
    tt_val v[] = { x, mean, cov };
    if (!vectors_ok(site, "multivariate_normal_logpdf", 3, v)) return tt_poison;
    const int rank = tt_rank_at(site, cov), of_mean = tt_rank_at(site, mean);
    const int64_t n = of_mean < 1 ? 1 : tt_dim_at(site, mean, -1);
    const bool square = rank >= 2 && tt_dim_at(site, cov, -1) == n && tt_dim_at(site, cov, -2) == n;
    if (of_mean == 0 && rank == 0) {
        const tt_val gap = tt_sub(v[0], v[1]), sum = tt_mul(tt_f(-0.5), tt_div(tt_mul(gap, gap), v[2]));
        return tt_sub(sum, tt_add(tt_f(HALF_LOG_2PI), tt_mul(tt_f(0.5), tt_log(v[2]))));
    }
    const bool fits = of_mean > 0 && tt_rank_at(site, x) > 0 && tt_dim_at(site, x, -1) == n;
    if (!fits || !(square || rank == 0))
        return tt_fail_at(site, TT_ESHAPE,
                          "multivariate_normal_logpdf: x %s, mean %s and covariance %s; expected "
                          "[.., n], [.., n] and [.., n, n]",
                          tt_type_text_at(site, x), tt_type_text_at(site, mean), tt_type_text_at(site, cov));
    return normal_vectors(site, v[0], v[1], v[2]);
}
tt_val tt_multivariate_normal_pdf_at(const char *site, tt_val x, tt_val mean, tt_val cov)
{
    TT_ENTRY(site);
    return tt_exp_at(site, tt_multivariate_normal_logpdf_at(site, x, mean, cov));
}

tt_val tt_dirichlet_logpdf_at(const char *site, tt_val x, tt_val alpha)
{
    TT_ENTRY(site);
    const tt_reduce_opts first = { .size = sizeof first, .dims = "0" };
    const tt_reduce_opts kept = { .size = sizeof kept, .dims = "0", .keepdims = 1 };
    tt_val v[] = { x, alpha };
    if (!vectors_ok(site, "dirichlet_logpdf", 2, v)) return tt_poison;
    const int rank = tt_rank_at(site, x);
    const int64_t n = tt_rank_at(site, alpha) == 1 ? tt_dim_at(site, alpha, 0) : -1;
    const int64_t own = rank > 0 ? tt_dim_at(site, x, 0) : -1;
    if (n < 0 || (own != n && own != n - 1))
        return tt_fail_at(site, TT_ESHAPE, "dirichlet_logpdf: x %s and alpha %s; expected [n] or [n - 1, ..], and [n]",
                          tt_type_text_at(site, x), tt_type_text_at(site, alpha));
    if (own != n) {
        const tt_val rest = tt_sub(tt_f(1), tt_sum_at(site, v[0], &kept));
        v[0] = tt_concat_at(site, 0, (const tt_val[]){ v[0], rest, tt_end });
    }
    const tt_reduce_opts all = { .size = sizeof all };
    const tt_val size = tt_sub(tt_sum_at(site, tt_lgamma(v[1]), &all), tt_lgamma(tt_sum_at(site, v[1], &all)));
    tt_val power = tt_sub(v[1], tt_f(1));
    for (int i = 1; i < rank; i++) power = tt_expand_dims_at(site, power, -1);
    const tt_val y = tt_sub(tt_sum_at(site, tt_xlogy_at(site, power, v[0]), &first), size);
    const tt_val gap = tt_abs(tt_sub(tt_sum_at(site, v[0], &first), tt_f(1)));
    const tt_val inside = tt_and(tt_all_at(site, tt_gt(v[0], tt_f(0)), &first), tt_lt(gap, tt_f(1e-6)));
    return stats_outside(tt_not(inside), y);
}
tt_val tt_dirichlet_pdf_at(const char *site, tt_val x, tt_val alpha)
{
    TT_ENTRY(site);
    return tt_exp_at(site, tt_dirichlet_logpdf_at(site, x, alpha));
}

tt_val tt_multinomial_logpmf_at(const char *site, tt_val x, tt_val n, tt_val p)
{
    TT_ENTRY(site);
    if (tt_ok() && tt_rank_at(site, x) >= 0 && tt_rank_at(site, n) >= 0 &&
        !(num_is_integer(site, x) && num_is_integer(site, n)))
        return tt_fail_at(site, TT_ETYPE, "multinomial_logpmf: counts %s of %s trials; expected integers",
                          tt_type_text_at(site, x), tt_type_text_at(site, n));
    tt_val v[] = { x, n, p };
    if (!vectors_ok(site, "multinomial_logpmf", 3, v)) return tt_poison;
    if (tt_rank_at(site, x) < 1)
        return tt_fail_at(site, TT_ESHAPE, "multinomial_logpmf: counts %s; expected a vector",
                          tt_type_text_at(site, x));
    const tt_reduce_opts all = { .size = sizeof all };
    const tt_val one = tt_f(1), each = tt_sub(tt_xlogy_at(site, v[0], v[2]), tt_lgamma(tt_add(v[0], one)));
    const tt_val y = tt_add(tt_lgamma(tt_add(v[1], one)), tt_sum_at(site, each, &stats_last));
    return stats_outside(tt_ne(tt_sum_at(site, v[0], &all), v[1]), y);
}
tt_val tt_multinomial_pmf_at(const char *site, tt_val x, tt_val n, tt_val p)
{
    TT_ENTRY(site);
    return tt_exp_at(site, tt_multinomial_logpmf_at(site, x, n, p));
}
