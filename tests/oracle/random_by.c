/* oracle/random_by.c - draws of jax.random by parameters, which are the case's inputs, and their derivatives. */
#include "kinds.h"

#include <string.h>

typedef tt_val by1(const char *, tt_val, tt_dtype, tt_val, const int64_t *);
typedef tt_val by2(const char *, tt_val, tt_dtype, tt_val, tt_val, const int64_t *);
typedef tt_val by0(const char *, tt_val, tt_dtype, const int64_t *);
static const struct {
    const char *fn;
    by0 *none;
    by1 *one;
    by2 *two;
} table[] = {
    { "gamma", NULL, tt_gamma_at, NULL },
    { "loggamma", NULL, tt_loggamma_at, NULL },
    { "chisquare", NULL, tt_chisquare_at, NULL },
    { "t", NULL, tt_t_draw_at, NULL },
    { "pareto", NULL, tt_pareto_at, NULL },
    { "lognormal", NULL, tt_lognormal_at, NULL },
    { "rayleigh", NULL, tt_rayleigh_at, NULL },
    { "wald", NULL, tt_wald_at, NULL },
    { "generalized_normal", NULL, tt_generalized_normal_at, NULL },
    { "poisson", NULL, tt_poisson_at, NULL },
    { "geometric", NULL, tt_geometric_at, NULL },
    { "dirichlet", NULL, tt_dirichlet_at, NULL },
    { "beta", NULL, NULL, tt_beta_at },
    { "f", NULL, NULL, tt_f_draw_at },
    { "weibull_min", NULL, NULL, tt_weibull_min_at },
    { "double_sided_maxwell", NULL, NULL, tt_double_sided_maxwell_at },
    { "binomial", NULL, NULL, tt_binomial_at },
    { "multinomial", NULL, NULL, tt_multinomial_at },
    { "maxwell", tt_maxwell_at, NULL, NULL },
    { "orthogonal", tt_orthogonal_at, NULL, NULL },
    { "triangular", NULL, NULL, NULL },
    { "multivariate_normal", NULL, NULL, NULL },
    { "ball", NULL, NULL, NULL },
};

static int row_of(const char *fn)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].fn, fn)) return (int)i;
    return -1;
}

bool oracle_draws_by(const char *fn) { return row_of(fn) >= 0; }

typedef struct {
    int row;
    tt_dtype dtype;
} gradient;
static tt_val weighted(void *env, int n, const tt_val *v) /* a, key, weights */
{
    const gradient *g = env;
    by1 *const one = table[g->row].one;
    (void)n;
    const tt_val y = one ? one(0, v[1], g->dtype, v[0], NULL)
                         : table[g->row].two(0, v[1], g->dtype, v[0], tt_full(1.5, TT_F32), NULL);
    return tt_sum(tt_mul(y, v[2]));
}

tt_val oracle_drawn_by(oracle_case *c, const char *fn, tt_val key, tt_dtype d, const int64_t *dims)
{
    const int64_t none[] = { TT_DIM_END }, *const shape = dims ? dims : none;
    const int i = row_of(fn);
    if (oracle_flag(c->params, "grad")) {
        gradient g = { i, d };
        return tt_call(tt_grad(tt_bind_env("weighted", weighted, &g, sizeof g, 3)), oracle_in(c, 0), key,
                       oracle_in(c, 1));
    }
    if (table[i].none) return table[i].none(0, key, d, shape);
    if (table[i].one) return table[i].one(0, key, d, oracle_in(c, 0), shape);
    if (table[i].two) return table[i].two(0, key, d, oracle_in(c, 0), oracle_in(c, 1), shape);
    if (!strcmp(fn, "ball")) return tt_ball_at(0, key, d, oracle_real(c->params, "p", 2), shape);
    if (!strcmp(fn, "triangular"))
        return tt_triangular_at(0, key, d, oracle_in(c, 0), oracle_in(c, 1), oracle_in(c, 2), shape);
    return tt_multivariate_normal_at(0, key, d, oracle_in(c, 0), oracle_in(c, 1),
                                     oracle_text(c->params, "method", NULL), shape);
}
