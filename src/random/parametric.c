/* random/parametric.c - draws with parameters that are values: the parameters' types and shapes, and the draw as one
 * compiled program, since most such draws are loops that run until every element is accepted. */
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    random_by *draw;
    const char *site;
    tt_dtype dtype;
    random_dims dims;
} job;

static tt_val parametric_program(void *env, int n, const tt_val *v)
{
    const job *j = env;
    (void)n;
    return j->draw(j->site, v[0], j->dtype, v + 1, j->dims.d);
}

/* True if v is an array of real numbers of a rank that a draw can have; else sets the error. */
static bool parameter_ok(const char *site, const char *what, tt_val v)
{
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return false;
    if (rank < 0 || tt_dtype_kind(tt_dtype_of_at(site, v)) == 'c') {
        tt_fail_at(site, TT_ETYPE, "%s: a parameter is %s; expected an array of real numbers", what,
                   rank < 0 ? "a tree" : tt_type_text_at(site, v));
        return false;
    }
    if (rank <= RANDOM_RANK) return true;
    tt_fail_at(site, TT_ESHAPE, "%s: a parameter of %d dims; at most %d", what, rank, RANDOM_RANK);
    return false;
}

/* The parameters of draws: numbers from `least` to `most`, or above `least`. */
static const struct { const char *draw; int parameter; const char *name; bool above; double least, most; } ranges[] = {
    { "gamma", 0, "a", false, 0, INFINITY },          { "loggamma", 0, "a", false, 0, INFINITY },
    { "beta", 0, "a", false, 0, INFINITY },           { "beta", 1, "b", false, 0, INFINITY },
    { "chisquare", 0, "df", false, 0, INFINITY },     { "t_draw", 0, "df", true, 0, INFINITY },
    { "f_draw", 0, "dfnum", true, 0, INFINITY },      { "f_draw", 1, "dfden", true, 0, INFINITY },
    { "generalized_normal", 0, "p", true, 0, INFINITY }, { "pareto", 0, "b", true, 0, INFINITY },
    { "rayleigh", 0, "scale", false, 0, INFINITY },   { "wald", 0, "mean", true, 0, INFINITY },
    { "weibull_min", 0, "scale", false, 0, INFINITY }, { "weibull_min", 1, "concentration", true, 0, INFINITY },
    { "double_sided_maxwell", 1, "scale", false, 0, INFINITY },
    { "poisson", 0, "lam", false, 0, INFINITY },      { "geometric", 0, "p", true, 0, 1 },
    { "binomial", 0, "n", false, 0, INFINITY },       { "binomial", 1, "p", false, 0, 1 },
    { "multinomial", 0, "n", false, 0, INFINITY },
};

bool random_known(const char *site, tt_val v, double *x)
{
    if (!tt_ok() || tt_rank_at(site, v) || tt_is_traced_at(site, v)) return false;
    *x = tt_num_at(site, v);
    return tt_ok();
}

/* True unless p, parameter i, is one number that is known and out of its range; then sets the error. An array or a
 * traced value is not checked, as in JAX. */
static bool parameter_in_range(const char *site, const char *what, int i, tt_val p)
{
    size_t k = 0;
    const size_t n = sizeof ranges / sizeof *ranges;
    while (k < n && (ranges[k].parameter != i || strcmp(ranges[k].draw, what) != 0)) k++;
    double x;
    if (k == n || !random_known(site, p, &x)) return tt_ok();
    if (x <= ranges[k].most && (ranges[k].above ? x > ranges[k].least : x >= ranges[k].least)) return true;
    char most[40] = "";
    if (isfinite(ranges[k].most)) snprintf(most, sizeof most, ", and %g at most", ranges[k].most);
    tt_fail_at(site, TT_EARG, "%s: %s = %g; expected %s%g%s%s", what, ranges[k].name, x,
               ranges[k].above ? "a number above " : "", ranges[k].least, ranges[k].above ? "" : " or more", most);
    return false;
}

/* Broadcasts `shape`, of `rank` dims, with v's shape. Returns the rank of the common shape; -1 if the two do not
 * broadcast. */
static int broadcast_with(const char *site, random_dims *shape, int rank, tt_val v, int drop)
{
    const int own = tt_rank_at(site, v) - drop;
    random_dims both = *shape;
    const int most = own > rank ? own : rank;
    for (int i = 0; i < most; i++) {
        const int64_t a = i < rank ? shape->d[rank - 1 - i] : 1, b = i < own ? tt_dim_at(site, v, own - 1 - i) : 1;
        if (a != b && a != 1 && b != 1) return -1;
        both.d[most - 1 - i] = a == 1 ? b : a;
    }
    both.d[most] = TT_DIM_END;
    *shape = both;
    return most;
}

bool random_dims_by(const char *site, const char *what, const int64_t *dims, int n, const tt_val *p, const int *drop,
                    random_dims *out)
{
    const int given = dims && *dims != TT_DIM_END ? random_rank(dims) : -1;
    int rank = given < 0 ? 0 : given;
    if (rank > RANDOM_RANK)
        return tt_fail_at(site, TT_ESHAPE, "%s: %d dims; at most %d", what, rank, RANDOM_RANK), false;
    for (int i = 0; i < rank; i++) out->d[i] = dims[i];
    out->d[rank] = TT_DIM_END;
    const random_dims asked = *out;
    for (int i = 0; i < n; i++) {
        if (!parameter_ok(site, what, p[i]) || !parameter_in_range(site, what, i, p[i])) return false;
        rank = broadcast_with(site, out, rank, p[i], drop ? drop[i] : 0);
        const bool same = rank >= 0 && (given < 0 || !memcmp(asked.d, out->d, ((size_t)given + 1) * sizeof *asked.d));
        if (same) continue;
        tt_fail_at(site, TT_ESHAPE, "%s: parameter %d, %s, does not broadcast to %s", what, i + 1,
                   tt_type_text_at(site, p[i]), given < 0 ? "the parameters before it" : "the shape of the draw");
        tt_hint("without dims, the draw has the shape of its parameters");
        return false;
    }
    return true;
}

tt_val random_compiled(const char *site, const char *what, random_by *draw, tt_val key, tt_dtype dtype, int n,
                       const tt_val *p, const int64_t *dims)
{
    static const int64_t none[] = { TT_DIM_END };
    tt_val v[RANDOM_PARAMETERS + 1] = { key };
    dims = dims ? dims : none;
    bool traced = tt_is_traced_at(site, key);
    for (int i = 0; i < n; i++) {
        v[i + 1] = p[i];
        traced = traced || tt_is_traced_at(site, p[i]);
    }
    if (!tt_ok()) return tt_poison;
    if (traced) return draw(site, key, dtype, v + 1, dims);
    const tt_jit_opts usual = { .size = sizeof usual };
    job j;
    memset(&j, 0, sizeof j); /* zeroes padding: its bytes are a key */
    j.draw = draw, j.site = site, j.dtype = dtype;
    memcpy(j.dims.d, dims, ((size_t)random_rank(dims) + 1) * sizeof *dims);
    const tt_fn f = tt_bind_env_at(NULL, what, parametric_program, &j, sizeof j, n + 1);
    return tt_call_n(site, tt_jit_at(site, f, &usual), n + 1, v);
}

tt_val random_drawn_by(const char *site, const char *what, random_by *draw, tt_val key, tt_dtype dtype, tt_dtype as,
                       int n, const tt_val *p, const int64_t *dims)
{
    random_dims shape;
    tt_val v[RANDOM_PARAMETERS];
    if (!tt_ok() || !random_dims_by(site, what, dims, n, p, NULL, &shape)) return tt_poison;
    for (int i = 0; i < n; i++) v[i] = tt_broadcast_at(site, tt_cast_at(site, p[i], as), shape.d);
    return random_compiled(site, what, draw, key, dtype, n, v, shape.d);
}
