/* random/transformed.c - draws that are functions of uniform or normal numbers and parameters, with jax.random's
 * formulas. */
#include "random.h"

#include <string.h>

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static tt_val transformed_formula(const char *formula, const char *names, const tt_val *v)
{
    return tt_formula_at(caller, formula, names, v);
}
#define E(formula, names, ...) transformed_formula(formula, names, TT_LIST(tt_val, __VA_ARGS__, tt_end))
#define DRAW(name)                                                                                                     \
    static tt_val draw_##name(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)

DRAW(pareto)
{
    caller = site;
    return E("exp(e/b)", "e, b", tt_exponential_at(site, key, d, dims), p[0]);
}

DRAW(lognormal)
{
    caller = site;
    return E("exp(n*sigma)", "n, sigma", tt_normal_at(site, key, d, dims), p[0]);
}

DRAW(rayleigh)
{
    caller = site;
    return E("scale*sqrt(log(u)*(-2))", "scale, u", p[0], tt_uniform_at(site, key, d, dims));
}

/* p: scale, concentration */
DRAW(weibull_min)
{
    caller = site;
    const tt_val e = tt_neg(tt_log1p(tt_neg(tt_uniform_at(site, key, d, dims))));
    return tt_mul(tt_pow(e, tt_div(tt_f(1), p[1])), p[0]);
}

/* p: left, mode, right */
DRAW(triangular)
{
    caller = site;
    const tt_val u = tt_uniform_at(site, key, d, dims), left = p[0], mode = p[1], right = p[2];
    const tt_val at = E("(m - l)/(r - l)", "m, l, r", mode, left, right);
    const tt_val rising = E("l + sqrt(u*(r - l)*(m - l))", "l, u, r, m", left, u, right, mode);
    const tt_val falling = E("r - sqrt((1 - u)*(r - l)*(r - m))", "r, u, l, m", right, u, left, mode);
    return tt_where(tt_lt(u, at), rising, falling);
}

/* The algorithm of Michael, Schucany and Haas, 1976: with w = m y / 2, one of m / t and m t, where t = 1 + w +
 * sqrt(w (w + 2)). As m + m w - m sqrt(w (w + 2)), jax.random's form, m / t loses all digits where w is large. */
DRAW(wald)
{
    caller = site;
    const tt_val keys = tt_split_at(site, key, 2), m = p[0];
    const tt_val v = tt_normal_at(site, random_key(site, keys, 0), d, dims), y = tt_mul(v, v);
    const tt_val z = tt_uniform_at(site, random_key(site, keys, 1), d, dims);
    const tt_val w = E("m*y/2", "m, y", m, y), t = E("1 + w + sqrt(w)*sqrt(w + 2)", "w", w);
    return tt_where(tt_le(z, E("t/(t + 1)", "t", t)), tt_div(m, t), tt_mul(m, t));
}

/* The lengths of normal vectors of three numbers. */
DRAW(maxwell)
{
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    const int rank = random_rank(dims);
    random_dims shape = { { 0 } };
    (void)p;
    caller = site;
    memcpy(shape.d, dims, (size_t)rank * sizeof *dims);
    shape.d[rank] = 3, shape.d[rank + 1] = TT_DIM_END;
    const tt_val n = tt_normal_at(site, key, d, shape.d);
    return tt_sqrt(tt_sum_at(site, tt_mul(n, n), &last));
}

/* p: location, scale */
DRAW(double_sided_maxwell)
{
    caller = site;
    const tt_val keys = tt_split_at(site, key, 2);
    const tt_val size = draw_maxwell(site, random_key(site, keys, 0), d, NULL, dims);
    const tt_val sign = tt_rademacher_at(site, random_key(site, keys, 1), d, dims);
    return E("sign*size*scale + loc", "sign, size, scale, loc", sign, size, p[1], p[0]);
}

#define BY1(name)                                                                                                      \
    tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype d, tt_val a, const int64_t *dims)                     \
    {                                                                                                                  \
        if (!random_is_float(site, #name, d)) return tt_poison;                                                        \
        return random_drawn_by(site, #name, draw_##name, key, d, d, 1, &a, dims);                                      \
    }
#define BY2(name)                                                                                                      \
    tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype d, tt_val a, tt_val b, const int64_t *dims)           \
    {                                                                                                                  \
        if (!random_is_float(site, #name, d)) return tt_poison;                                                        \
        return random_drawn_by(site, #name, draw_##name, key, d, d, 2, (const tt_val[]){ a, b }, dims);                \
    }
BY1(pareto)
BY1(lognormal) BY1(rayleigh) BY1(wald) BY2(weibull_min) BY2(double_sided_maxwell)

    tt_val tt_triangular_at(const char *site, tt_val key, tt_dtype d, tt_val left, tt_val mode, tt_val right,
                            const int64_t *dims)
{
    if (!random_is_float(site, "triangular", d)) return tt_poison;
    const tt_val p[] = { left, mode, right };
    for (int i = 0; i < 2 && tt_ok(); i++) {
        double a, b;
        if (!random_known(site, p[i], &a) || !random_known(site, p[i + 1], &b) || a <= b) continue;
        return tt_fail_at(site, TT_EARG, "triangular: %s %g, %s %g; expected left <= mode <= right",
                          i ? "mode" : "left", a, i ? "right" : "mode", b);
    }
    return random_drawn_by(site, "triangular", draw_triangular, key, d, d, 3, p, dims);
}

tt_val tt_maxwell_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_float(site, "maxwell", d)) return tt_poison;
    if (random_rank(dims) > RANDOM_RANK)
        return tt_fail_at(site, TT_ESHAPE, "maxwell: %d dims; at most %d", random_rank(dims), RANDOM_RANK);
    return random_compiled(site, "maxwell", draw_maxwell, key, d, 0, NULL, dims);
}

/* ---- normal vectors: mean + factor n, factor factor' = cov ---- */

static tt_val factor_of(const char *site, tt_val cov, const char *method)
{
    const tt_matrix_opts usual = { .size = sizeof usual };
    if (!strcmp(method, "cholesky")) return tt_cholesky_at(site, cov, &usual);
    const bool svd = !strcmp(method, "svd");
    const tt_val parts = svd ? tt_svd_at(site, cov, &usual) : tt_eigh_at(site, cov);
    const tt_val vectors = tt_item_at(site, parts, svd ? 0 : 1), values = tt_item_at(site, parts, svd ? 1 : 0);
    return tt_mul_at(site, vectors, tt_expand_dims_at(site, tt_sqrt_at(site, values), -2));
}

#define NORMAL_BY(method)                                                                                              \
    DRAW(normal_##method)                                                                                              \
    {                                                                                                                  \
        const tt_matmul_opts usual = { .size = sizeof usual };                                                         \
        const tt_val n = tt_expand_dims_at(site, tt_normal_at(site, key, d, dims), -1);                                \
        const tt_val moved = tt_matmul_at(site, factor_of(site, p[1], #method), n, &usual);                            \
        return tt_add_at(site, p[0], tt_squeeze_at(site, moved, -1));                                                  \
    }
NORMAL_BY(cholesky)
NORMAL_BY(svd) NORMAL_BY(eigh)

    tt_val tt_multivariate_normal_at(const char *site, tt_val key, tt_dtype d, tt_val mean, tt_val cov,
                                     const char *method, const int64_t *dims)
{
    static const struct {
        const char *name;
        random_by *draw;
    } methods[] = {
        { "cholesky", draw_normal_cholesky },
        { "svd", draw_normal_svd },
        { "eigh", draw_normal_eigh },
    };
    const tt_val both[] = { mean, cov };
    random_dims shape;
    int k = 0;
    if (!random_is_float(site, "multivariate_normal", d) || !tt_ok()) return tt_poison;
    while (method && k < 3 && strcmp(method, methods[k].name) != 0) k++;
    if (k == 3) {
        const tt_val bad = tt_fail_at(site, TT_EARG, "multivariate_normal: no method \"%s\"", method);
        tt_hint_choices("the methods are", method, -1, "cholesky, svd, eigh");
        return bad;
    }
    const int rank = tt_rank_at(site, cov);
    const int64_t n = tt_rank_at(site, mean) < 1 ? -1 : tt_dim_at(site, mean, -1);
    if (n < 0 || rank < 2 || tt_dim_at(site, cov, -1) != n || tt_dim_at(site, cov, -2) != n)
        return tt_fail_at(site, TT_ESHAPE,
                          "multivariate_normal: a mean %s and a covariance %s; expected [.., n] and "
                          "[.., n, n]",
                          tt_type_text_at(site, mean), tt_type_text_at(site, cov));
    if (!random_dims_by(site, "multivariate_normal", dims, 2, both, (const int[]){ 1, 2 }, &shape)) return tt_poison;
    const int batch = random_rank(shape.d);
    shape.d[batch] = n, shape.d[batch + 1] = TT_DIM_END;
    const tt_val p[] = { tt_cast_at(site, mean, d), tt_cast_at(site, cov, d) };
    return random_compiled(site, "multivariate_normal", methods[k].draw, key, d, 2, p, shape.d);
}

/* ---- orthogonal matrices ---- */

DRAW(orthogonal)
{
    const int rank = random_rank(dims);
    const int64_t n = dims[rank - 2], m = dims[rank - 1];
    const tt_matrix_opts usual = { .size = sizeof usual };
    random_dims tall;
    (void)p;
    caller = site;
    memcpy(tall.d, dims, ((size_t)rank + 1) * sizeof *dims);
    tall.d[rank - 2] = n > m ? n : m, tall.d[rank - 1] = n > m ? m : n;
    const tt_val qr = tt_qr_at(site, tt_normal_at(site, key, d, tall.d), &usual), q = tt_item(qr, 0),
                 r = tt_item(qr, 1);
    const tt_eye_opts square = { .size = sizeof square };
    const tt_reduce_opts rows = { .size = sizeof rows, .dims = "-2" };
    const tt_val diagonal = tt_sum_at(site, tt_mul(r, tt_eye_at(site, d, tall.d[rank - 1], &square)), &rows);
    const tt_val signed_q = tt_mul(q, tt_expand_dims_at(site, tt_sign(diagonal), -2));
    return n < m ? tt_swapaxes_at(site, signed_q, -1, -2) : signed_q;
}

tt_val tt_orthogonal_at(const char *site, tt_val key, tt_dtype d, const int64_t *dims)
{
    TT_ENTRY(site);
    const int rank = random_rank(dims);
    if (d != TT_F32 && d != TT_F64)
        return tt_fail_at(site, TT_ETYPE, "orthogonal: of %s; expected f32 or f64", tt_dtype_name(d));
    if (rank < 2 || rank > RANDOM_RANK) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "orthogonal: %d dims; expected 2 to %d, [.., n, m]", rank,
                                      RANDOM_RANK);
        tt_hint("tt_orthogonal(key, TT_F32, 3, 3) draws a matrix, tt_orthogonal(key, TT_F32, 8, 3, 3) eight of them");
        return bad;
    }
    for (int i = 0; i < rank; i++)
        if (!dims[i]) return tt_full_at(site, 0, d, dims);
    return random_compiled(site, "orthogonal", draw_orthogonal, key, d, 0, NULL, dims);
}
