/* random/gamma.c - the gamma distribution and those derived from it, with jax.random's formulas: one key per element,
 * and a loop that draws until the element is accepted.
 *
 * Gamma: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; for a < 1 a draw of a + 1 times
 * u^(1 / a). The derivative with respect to a is the implicit one (Figurnov and others, 2018). */
#include "random.h"

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static tt_val gamma_dot(const char *formula, const char *names, const tt_val *v)
{
    return tt_formula_at(caller, formula, names, v);
}
#define G(formula, names, ...) gamma_dot(formula, names, TT_LIST(tt_val, __VA_ARGS__, tt_end))
static const int64_t alone[] = { TT_DIM_END };

/* 0, with the layout of `like`, which may be infinite or NaN. */
static tt_val gamma_zero(tt_val like) { return tt_where(tt_lt(like, like), like, tt_f(0)); }

/* ---- one element: state (key, x, v, u, c, d), x the square of a normal number ---- */

static tt_val gamma_rejected(tt_val state)
{
    const tt_val x = tt_item(state, 1), v = tt_item(state, 2), u = tt_item(state, 3), d = tt_item(state, 5);
    const tt_val plain = tt_ge(u, G("1 - 0.0331*(x*x)", "x", x));
    const tt_val exact = tt_ge(tt_log(u), G("x*0.5 + d*((1 - v) + log(v))", "x, d, v", x, d, v));
    return tt_and(plain, exact);
}

/* state (key, x, v, c): until v = 1 + c x is positive */
static tt_val gamma_negative(tt_val state) { return tt_le(tt_item(state, 2), tt_f(0)); }
static tt_val gamma_normal(tt_val state)
{
    const tt_val keys = tt_split_at(caller, tt_item(state, 0), 2), c = tt_item(state, 3);
    const tt_val x = tt_normal_at(caller, random_key(caller, keys, 1), tt_dtype_of_at(caller, c), alone);
    return tt_tuple(random_key(caller, keys, 0), x, G("1 + x*c", "x, c", x, c), c);
}

static tt_val gamma_attempt(tt_val state)
{
    const tt_val keys = tt_split_at(caller, tt_item(state, 0), 3), c = tt_item(state, 4), d = tt_item(state, 5);
    const tt_val none = gamma_zero(c);
    const tt_val start = tt_tuple(random_key(caller, keys, 1), none, tt_sub(none, tt_f(1)), c);
    const tt_val found = tt_while_at(caller, TT_FN(gamma_negative), TT_FN(gamma_normal), start);
    const tt_val x = tt_item(found, 1), v = tt_item(found, 2);
    const tt_val u = tt_uniform_at(caller, random_key(caller, keys, 2), tt_dtype_of_at(caller, c), alone);
    return tt_tuple(random_key(caller, keys, 0), tt_mul(x, x), G("v*v*v", "v", v), u, c, d);
}

static tt_val gamma_one(void *env, int n, const tt_val *v) /* a key and a: the sample, or its logarithm */
{
    const bool logs = *(const int64_t *)env;
    const tt_val a = v[1];
    const tt_dtype t = tt_dtype_of_at(caller, a);
    const tt_val third = random_real(caller, t, 1. / 3), large = tt_ge(a, tt_f(1)), zero = gamma_zero(a);
    const tt_val d = tt_sub(tt_where(large, a, tt_add(a, tt_f(1))), third), c = tt_div(third, tt_sqrt(d));
    const tt_val keys = tt_split_at(caller, v[0], 2), boost = random_key(caller, keys, 1);
    const tt_val start =
        tt_tuple(random_key(caller, keys, 0), zero, tt_add(zero, tt_f(1)), tt_add(zero, tt_f(2)), c, d);
    const tt_val end = tt_while_at(caller, TT_FN(gamma_rejected), TT_FN(gamma_attempt), start), x = tt_item(end, 2);
    (void)n;
    if (logs) {
        const tt_val e = tt_neg(tt_exponential_at(caller, boost, t, alone));
        const tt_val more = tt_mul(e, tt_div(tt_f(1), a));
        const tt_val none = tt_or(large, tt_eq(e, tt_f(0)));
        return tt_add(tt_add(tt_log(d), tt_log(x)), tt_where(none, zero, more));
    }
    const tt_val u = tt_sub(tt_f(1), tt_uniform_at(caller, boost, t, alone));
    return tt_mul(tt_mul(d, x), tt_where(large, tt_f(1), tt_pow(u, tt_div(tt_f(1), a))));
}

/* ---- all elements, with the derivative by a ---- */

typedef struct {
    const char *site;
    int64_t logs;
} how;

static tt_val gamma_value(void *env, int n, const tt_val *v) /* a key, a of any dims */
{
    const how *h = env;
    (void)n;
    caller = h->site;
    const random_dims shape = random_shape(caller, v[1]);
    int64_t count = 1;
    for (int i = 0; shape.d[i] != TT_DIM_END; i++) count *= shape.d[i];
    if (!count) return v[1];
    int64_t logs = h->logs;
    const tt_vmap_opts usual = { .size = sizeof usual };
    const tt_fn one = tt_bind_env_at(NULL, "gamma", gamma_one, &logs, sizeof logs, 2);
    const tt_val args[] = { tt_split_at(caller, v[0], count), tt_reshape_at(caller, v[1], random_dims1(count).d) };
    return tt_reshape_at(caller, tt_call_n(caller, tt_vmap_at(caller, one, &usual), 2, args), shape.d);
}

static tt_val gamma_tangent(void *env, int n, const tt_val *v) /* (key, a), the sample, the tangents */
{
    const how *h = env;
    (void)n;
    caller = h->site;
    const tt_val a = tt_item(v[0], 1), by = tt_item(v[2], 1);
    if (!h->logs) return tt_mul(tt_random_gamma_grad(a, v[1]), by);
    const tt_dtype d = tt_dtype_of_at(caller, a);
    const double tiny = d == TT_F64 ? 0x1p-1022 : d == TT_F16 ? 0x1p-14 : 0x1p-126;
    const tt_val e = tt_exp(v[1]), sample = tt_where(tt_eq(e, tt_f(0)), random_real(caller, d, tiny), e);
    return tt_mul(tt_div(tt_random_gamma_grad(a, sample), sample), by);
}

static tt_val gamma_of(const char *site, tt_val key, tt_val a, bool logs)
{
    how h = { site, logs };
    const tt_fn y = tt_bind_env_at(NULL, "gamma", gamma_value, &h, sizeof h, 2);
    const tt_fn dy = tt_bind_env_at(NULL, "gamma", gamma_tangent, &h, sizeof h, 3);
    const tt_val args[] = { key, a };
    return tt_call_n(site, tt_custom_tangent_at(site, y, dy), 2, args);
}

static tt_val gamma_plain(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    (void)d, (void)dims;
    return gamma_of(site, key, p[0], false);
}
static tt_val gamma_logs(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    (void)d, (void)dims;
    return gamma_of(site, key, p[0], true);
}

/* ---- distributions derived from it ---- */

static tt_val gamma_beta(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    const tt_val keys = tt_split_at(site, key, 2);
    const tt_val x = gamma_logs(site, random_key(site, keys, 0), d, p, dims);
    const tt_val y = gamma_logs(site, random_key(site, keys, 1), d, p + 1, dims);
    caller = site;
    const tt_val most = tt_max(x, y);
    return G("exp(x - most)/(exp(x - most) + exp(y - most))", "x, y, most", x, y, most);
}

static tt_val gamma_chisquare(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    const tt_val half = tt_div_at(site, p[0], tt_f(2));
    return tt_mul_at(site, tt_exp_at(site, gamma_logs(site, key, d, &half, dims)), tt_f(2));
}

static tt_val gamma_t(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    const tt_val keys = tt_split_at(site, key, 2), half = tt_div_at(site, p[0], tt_f(2));
    const tt_val n = tt_normal_at(site, random_key(site, keys, 0), d, dims);
    const tt_val g = gamma_plain(site, random_key(site, keys, 1), d, &half, dims);
    return tt_mul_at(site, n, tt_sqrt_at(site, tt_div_at(site, half, g)));
}

static tt_val gamma_f(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    const tt_val keys = tt_split_at(site, key, 2);
    const tt_val up = gamma_chisquare(site, random_key(site, keys, 1), d, p, dims);
    const tt_val down = gamma_chisquare(site, random_key(site, keys, 0), d, p + 1, dims);
    return tt_div_at(site, tt_div_at(site, up, p[0]), tt_div_at(site, down, p[1]));
}

static tt_val gamma_generalized(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    const tt_val keys = tt_split_at(site, key, 2), by = tt_div_at(site, tt_f(1), p[0]);
    const tt_val g = gamma_plain(site, random_key(site, keys, 0), d, &by, dims);
    const tt_val sign = tt_rademacher_at(site, random_key(site, keys, 1), d, dims);
    return tt_mul_at(site, sign, tt_pow_at(site, g, by));
}

/* Defines a draw with one or two parameters of the draw's own type. */
#define GAMMA1(name, draw)                                                                                             \
    tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype d, tt_val a, const int64_t *dims)                     \
    {                                                                                                                  \
        if (!random_is_float(site, #name, d)) return tt_poison;                                                        \
        return random_drawn_by(site, #name, draw, key, d, d, 1, &a, dims);                                             \
    }
#define GAMMA2(name, draw)                                                                                             \
    tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype d, tt_val a, tt_val b, const int64_t *dims)           \
    {                                                                                                                  \
        if (!random_is_float(site, #name, d)) return tt_poison;                                                        \
        return random_drawn_by(site, #name, draw, key, d, d, 2, (const tt_val[]){ a, b }, dims);                       \
    }
GAMMA1(gamma, gamma_plain)
GAMMA1(loggamma, gamma_logs)
GAMMA1(chisquare, gamma_chisquare)
GAMMA1(t_draw, gamma_t)
GAMMA1(generalized_normal, gamma_generalized)
GAMMA2(beta, gamma_beta)
GAMMA2(f_draw, gamma_f)

/* ---- vectors ---- */

static tt_val gamma_dirichlet(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    return tt_softmax_at(site, gamma_logs(site, key, d, p, dims), NULL);
}

tt_val tt_dirichlet_at(const char *site, tt_val key, tt_dtype d, tt_val a, const int64_t *dims)
{
    TT_ENTRY(site);
    random_dims shape;
    if (!random_is_float(site, "dirichlet", d)) return tt_poison;
    if (tt_rank_at(site, a) < 1)
        return tt_fail_at(site, TT_ESHAPE, "dirichlet: of %s; expected a vector, or a batch of them",
                          tt_type_text_at(site, a));
    if (!random_dims_by(site, "dirichlet", dims, 1, &a, (const int[]){ 1 }, &shape)) return tt_poison;
    const int rank = random_rank(shape.d);
    shape.d[rank] = tt_dim_at(site, a, -1);
    shape.d[rank + 1] = TT_DIM_END;
    const tt_val p = tt_broadcast_at(site, tt_cast_at(site, a, d), shape.d);
    return random_compiled(site, "dirichlet", gamma_dirichlet, key, d, 1, &p, shape.d);
}

static tt_val gamma_ball(const char *site, tt_val key, tt_dtype d, const tt_val *p, const int64_t *dims)
{
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    random_dims batch = { { 0 } };
    const int rank = random_rank(dims) - 1;
    for (int i = 0; i < rank; i++) batch.d[i] = dims[i];
    batch.d[rank] = TT_DIM_END;
    const tt_val keys = tt_split_at(site, key, 2), wide = tt_broadcast_at(site, p[0], dims);
    const tt_val g = gamma_generalized(site, random_key(site, keys, 0), d, &wide, dims);
    const tt_val e = tt_exponential_at(site, random_key(site, keys, 1), d, batch.d);
    const tt_val sum = tt_add_at(site, tt_sum_at(site, tt_pow_at(site, tt_abs_at(site, g), wide), &last), e);
    const tt_val root = tt_pow_at(site, sum, tt_div_at(site, tt_f(1), p[0]));
    return tt_div_at(site, g, tt_expand_dims_at(site, root, -1));
}

tt_val tt_ball_at(const char *site, tt_val key, tt_dtype d, double p, const int64_t *dims)
{
    TT_ENTRY(site);
    if (!random_is_float(site, "ball", d)) return tt_poison;
    if (!(p > 0)) return tt_fail_at(site, TT_EARG, "ball: p = %g; expected a number above 0", p);
    if (random_rank(dims) < 1 || random_rank(dims) > RANDOM_RANK)
        return tt_fail_at(site, TT_ESHAPE, "ball: %d dims; expected 1 to %d, the last one that of a point",
                          random_rank(dims), RANDOM_RANK);
    const tt_val norm = random_real(site, d, p);
    return tt_ok() ? random_compiled(site, "ball", gamma_ball, key, d, 1, &norm, dims) : tt_poison;
}
