/* tutti/random.h - keys and draws: JAX's keys, bits and formulas. Values depend on key, dtype and shape only, not on
 * the mesh.
 *
 * Against JAX 0.10.2 on a CPU, in float32: keys, bits, integers, uniform, normal, truncated_normal, gumbel,
 * exponential, laplace, logistic, rayleigh and triangular have the same bits. The others (cauchy, maxwell, gamma and
 * what is made of it, pareto, lognormal, wald, weibull_min, double_sided_maxwell, ball, orthogonal,
 * multivariate_normal by cholesky) have the same values but for rounding, mostly within some ulps. multivariate_normal
 * by svd or eigh draws other values of the same distribution, as the signs of singular vectors and eigenvectors are
 * arbitrary. */
#include <tutti.h>
#ifndef TUTTI_RANDOM_H
#define TUTTI_RANDOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* A key is u32[2]; a draw takes one key, tt_vmap maps a draw over several. Seeds wrap to 32 bits unless TUTTI=x64.
 *     tt_val key = tt_key(0), same = tt_seed(0); */
#define tt_key(seed)         tt_key_at(TT_AT("tt_key(" #seed ")"), seed)
TT_API tt_val tt_key_at(const char *site, int64_t seed);
/* with 64-bit seeds, as under jax_enable_x64
 *     tt_val wide = tt_key64(1ll << 40); */
#define tt_key64(seed)       tt_key64_at(TT_AT("tt_key64(" #seed ")"), seed)
TT_API tt_val tt_key64_at(const char *site, int64_t seed);
/* The words (seed, 0): a key in Keras's numbering, where a SeedGenerator continues with (seed, 1), (seed, 2), ...
 *     tt_unpack(tt_split(key, 2), &a, &b); */
#define tt_seed(seed)        tt_seed_at(TT_AT("tt_seed(" #seed ")"), seed)
TT_API tt_val tt_seed_at(const char *site, int64_t seed);
#define tt_split(key, n)     tt_split_at(TT_AT("tt_split(" #key ", " #n ")"), key, n)     /* u32[n, 2] */
TT_API tt_val tt_split_at(const char *site, tt_val key, int64_t n);
/* A key derived from a key and the integer `data`, of which the low 32 bits count. data of any dims: u32[dims..., 2], a
 * key for each of its elements, as jax.vmap(fold_in) gives.
 *     tt_val step_key = tt_fold_in(key, tt_i(7)); */
#define tt_fold_in(key, data) tt_fold_in_at(TT_AT("tt_fold_in(" #key ", " #data ")"), key, data)
TT_API tt_val tt_fold_in_at(const char *site, tt_val key, tt_val data);

/* Draws. */
#define TT_DRAW_(f, text, key, dtype, ...) f(TT_AT(text), key, dtype, TT_DIMS(__VA_ARGS__))
/* uniform: in [0, 1); bits: of an unsigned dtype.
 *     tt_uniform(key, TT_F32, 8, 4), tt_normal(key, TT_F32, 8, 4), tt_gumbel(key, TT_F32, 8);
 *     tt_exponential(key, TT_F32, 8);
 *     tt_laplace(key, TT_F32, 8), tt_cauchy(key, TT_F32, 8), tt_rademacher(key, TT_F32, 8);
 *     tt_bits(key, TT_U32, 8); */
#define tt_uniform(...)      TT_DRAW_(tt_uniform_at, "tt_uniform(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_normal(...)       TT_DRAW_(tt_normal_at, "tt_normal(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_gumbel(...)       TT_DRAW_(tt_gumbel_at, "tt_gumbel(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_exponential(...)  TT_DRAW_(tt_exponential_at, "tt_exponential(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_laplace(...)      TT_DRAW_(tt_laplace_at, "tt_laplace(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_cauchy(...)       TT_DRAW_(tt_cauchy_at, "tt_cauchy(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_rademacher(...)   TT_DRAW_(tt_rademacher_at, "tt_rademacher(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_bits(...)         TT_DRAW_(tt_bits_at, "tt_bits(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define TT_DRAW1(name) TT_API tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims);
TT_DRAW1(uniform) TT_DRAW1(normal) TT_DRAW1(gumbel) TT_DRAW1(exponential) TT_DRAW1(laplace) TT_DRAW1(cauchy)
TT_DRAW1(rademacher) TT_DRAW1(bits)
/* logistic: difference = 1 takes log u - log(1 - u), as JAX since 2025; difference = 0: log(u / (1 - u))
 *     tt_val noise = tt_logistic_draw(key, TT_F32, 8); */
#define tt_logistic_draw(...) \
    TT_LOGISTIC_(TT_AT("tt_logistic_draw(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_LOGISTIC_(at, key, dtype, ...) tt_logistic_draw_at(at, key, dtype, TT_DIMS(__VA_ARGS__), 1)
TT_API tt_val tt_logistic_draw_at(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims, int difference);
/* Parameters, then dims; no dims: a scalar draw: tt_uniform_in(key, TT_F32, -1, 1, 8, 4). lo and hi are finite; lo > hi
 * gives lo, as in JAX.
 *     tt_uniform_in(key, TT_F32, -1, 1, 8, 4), tt_truncated_normal(key, TT_F32, -2, 2, 8);
 *     tt_randint(key, TT_I32, 0, 10, 8); */
#define TT_BETWEEN_(f, text, key, dtype, lo, hi, ...) f(TT_AT(text), key, dtype, lo, hi, TT_DIMS(__VA_ARGS__))
#define tt_uniform_in(...)   TT_BETWEEN_(tt_uniform_in_at, "tt_uniform_in(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
TT_API tt_val tt_uniform_in_at(const char *site, tt_val key, tt_dtype dtype, double lo, double hi, const int64_t *dims);
#define tt_truncated_normal(...) \
    TT_BETWEEN_(tt_truncated_normal_at, "tt_truncated_normal(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
TT_API tt_val tt_truncated_normal_at(const char *site, tt_val key, tt_dtype dtype, double lo, double hi,
    const int64_t *dims);
#define tt_randint(...)      TT_RANDINT_(TT_AT("tt_randint(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_RANDINT_(at, key, dtype, lo, hi, ...) \
    tt_randint_at(at, key, dtype, TT_BOUND(lo), TT_BOUND(hi), TT_DIMS(__VA_ARGS__))
/* in [lo, hi), C integers or values; lo where hi <= lo; bounds outside the dtype's range are clamped, as in JAX */
TT_API tt_val tt_randint_at(const char *site, tt_val key, tt_dtype dtype, tt_val lo, tt_val hi, const int64_t *dims);
/* for 8 and 16 bits draws words of that width
 *     tt_val kept = tt_bernoulli(key, tt_f(0.9), 8, 4); */
TT_API tt_val tt_randint_native_at(const char *site, tt_val key, tt_dtype dtype, tt_val lo, tt_val hi,
    const int64_t *dims);
#define tt_bernoulli(...)    TT_BERNOULLI_(TT_AT("tt_bernoulli(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_BERNOULLI_(at, key, p, ...) tt_bernoulli_at(at, key, p, TT_DIMS(__VA_ARGS__))
/* bool. p: floats; a known p must be from 0 to 1, an array or a traced value is not checked, as in JAX */
TT_API tt_val tt_bernoulli_at(const char *site, tt_val key, tt_val p, const int64_t *dims);
/*     tt_val order = tt_permutation(key, tt_i(10)), shuffled = tt_permutation(key, x); */
#define tt_permutation(key, v) tt_permutation_at(TT_AT("tt_permutation(" #key ", " #v ")"), key, v, 0, 0)
/* v a scalar n: a permutation of 0..n-1, i32; with TUTTI=x64 i64, as are the indices that tt_choice draws */
TT_API tt_val tt_permutation_at(const char *site, tt_val key, tt_val v, int axis, int independent);
/* Indices of the last dim, distributed by its logits: one for each batch element, or as many as dims say,
 * tt_categorical(key, logits, 8, 4). As in JAX: 0 if all logits are -inf; the index of a NaN if there is one. For
 * another dim: tt_categorical_at, where dims NULL means the batch shape.
 *     tt_val ids = tt_categorical(key, logits), eight = tt_categorical(key, logits, 8, 4); */
#define tt_categorical(...)  TT_CATEGORICAL_(TT_AT("tt_categorical(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_CATEGORICAL_(at, key, logits, ...) tt_categorical_of(at, key, logits, TT_DIMS(__VA_ARGS__))
TT_API tt_val tt_categorical_at(const char *site, tt_val key, tt_val logits, int axis, const int64_t *dims);
static inline tt_val tt_categorical_of(const char *site, tt_val key, tt_val logits, const int64_t *dims)
{
    return tt_categorical_at(site, key, logits, -1, *dims == TT_DIM_END ? (const int64_t *)0 : dims);
}
/* Rows of v (a scalar n: of 0..n-1), uniformly, with replacement: one row, or as many as dims say. With weights,
 * without replacement, or along another dim: tt_choice_with.
 *     tt_val rows = tt_choice(key, x, 5); */
#define tt_choice(...)       TT_CHOICE_(TT_AT("tt_choice(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_CHOICE_(at, key, v, ...) tt_choice_at(at, key, v, TT_DIMS(__VA_ARGS__), 1, (const tt_val *)0, 0)
TT_API tt_val tt_choice_at(const char *site, tt_val key, tt_val v, const int64_t *dims, int replace, const tt_val *p,
    int axis);

/* tt_choice by weights p, or with each row drawn at most once (JAX's replace=False), or along another dim. Negative
 * weights, or none above 0, are an error if they are known; traced weights are not checked, as in JAX.
 *     tt_choice_with(key, v, TT_DIMS(5), .p = weights, .once = 1); */
typedef struct tt_choice_opts {
    TT_OPTION_HEAD
    tt_val p TT_DEFAULT; int once TT_DEFAULT, dim TT_DEFAULT;
} tt_choice_opts;
#define tt_choice_with(...)  TT_CHOICE_WITH_(TT_AT("tt_choice_with(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_CHOICE_WITH_(at, key, v, dims, ...) \
    tt_choice_with_at(at, key, v, dims, TT_OPTS(tt_choice_opts, __VA_ARGS__))
TT_API tt_val tt_choice_with_at(const char *site, tt_val key, tt_val v, const int64_t *dims, const tt_choice_opts *);

/* Draws by parameters, which are values of any shape: tt_gamma(key, TT_F32, a, 8, 4). Without dims the draw has the
 * shape of its parameters, broadcast against each other; with dims the parameters must broadcast to them. Parameters
 * are converted to the draw's type. A parameter that is one number, not traced, must be in its range; as in JAX, an
 * array or a traced value is not checked, and out of range gives NaN, or numbers without meaning. A name that another
 * function has ends in _draw.
 * - gamma, loggamma(a): of scale 1, and its logarithm, which does not underflow for small a; they have derivatives by
 *   a, and so do beta(a, b), chisquare(df), t_draw(df), f_draw(dfnum, dfden), dirichlet and generalized_normal(p).
 * - pareto(b), lognormal(sigma), rayleigh(scale), wald(mean), weibull_min(scale, concentration), triangular(left, mode,
 *   right), double_sided_maxwell(loc, scale); maxwell has no parameters.
 * - poisson(lam) and geometric(p) draw integers; binomial(n, p) floats: NaN where an array's n < 0, or p is not
 *   in [0, 1].
 * - dirichlet(a [.., k]), multinomial(n, p [.., k]), multivariate_normal(mean [.., n], cov [.., n, n]): vectors; dims
 *   are the batch dims before them. method: of the factor of cov, "cholesky" (NULL), "svd" or "eigh", for a singular
 *   cov; the draws of the last two are not JAX's.
 * - orthogonal: [.., n, m] with orthonormal rows, or columns if there are fewer. ball: points [.., d] of the unit ball
 *   of the p-norm, uniformly.
 *
 * Algorithms, with jax.random's formulas: gamma by Marsaglia and Tsang, 2000, its derivative by Figurnov and others,
 * 2018; poisson from a rate of 10 on by Hoermann's transformed rejection, below it by Knuth's product; binomial above a
 * mean of 10 by Hoermann's BTRS, 1993, else by sums of geometric gaps; the others are functions of uniform and normal
 * draws. Errors: a type that the draw does not have, complex parameters, shapes that do not broadcast.
 *     tt_gamma(key, TT_F32, a), tt_loggamma(key, TT_F32, a), tt_chisquare(key, TT_F32, df);
 *     tt_t_draw(key, TT_F32, df);
 *     tt_generalized_normal(key, TT_F32, p), tt_dirichlet(key, TT_F32, a, 8), tt_pareto(key, TT_F32, b);
 *     tt_lognormal(key, TT_F32, a);
 *     tt_rayleigh(key, TT_F32, a), tt_wald(key, TT_F32, a), tt_poisson(key, TT_I32, rate_of, 8);
 *     tt_geometric(key, TT_I32, p);
 *     tt_beta(key, TT_F32, a, b), tt_f_draw(key, TT_F32, df, df), tt_weibull_min(key, TT_F32, a, b);
 *     tt_double_sided_maxwell(key, TT_F32, a, b), tt_binomial(key, TT_F32, n_trials, p);
 *     tt_multinomial(key, TT_F32, n_trials, p);
 *     tt_triangular(key, TT_F32, low, mid, high, 8), tt_maxwell(key, TT_F32, 8);
 *     tt_orthogonal(key, TT_F32, 4, 4);
 *     tt_ball(key, TT_F32, 2, 8, 3), tt_multivariate_normal(key, TT_F32, mean, cov, 8); */
#define TT_BY1_(f, text, key, dtype, a, ...) f(TT_AT(text), key, dtype, a, TT_DIMS(__VA_ARGS__))
#define TT_BY2_(f, text, key, dtype, a, b, ...) f(TT_AT(text), key, dtype, a, b, TT_DIMS(__VA_ARGS__))
#define TT_BY3_(f, text, key, dtype, a, b, c, ...) f(TT_AT(text), key, dtype, a, b, c, TT_DIMS(__VA_ARGS__))
#define tt_gamma(...)        TT_BY1_(tt_gamma_at, "tt_gamma(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_loggamma(...)     TT_BY1_(tt_loggamma_at, "tt_loggamma(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_chisquare(...)    TT_BY1_(tt_chisquare_at, "tt_chisquare(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_t_draw(...)       TT_BY1_(tt_t_draw_at, "tt_t_draw(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_generalized_normal(...) \
    TT_BY1_(tt_generalized_normal_at, "tt_generalized_normal(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_dirichlet(...)    TT_BY1_(tt_dirichlet_at, "tt_dirichlet(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_pareto(...)       TT_BY1_(tt_pareto_at, "tt_pareto(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_lognormal(...)    TT_BY1_(tt_lognormal_at, "tt_lognormal(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_rayleigh(...)     TT_BY1_(tt_rayleigh_at, "tt_rayleigh(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_wald(...)         TT_BY1_(tt_wald_at, "tt_wald(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_poisson(...)      TT_BY1_(tt_poisson_at, "tt_poisson(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_geometric(...)    TT_BY1_(tt_geometric_at, "tt_geometric(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_beta(...)         TT_BY2_(tt_beta_at, "tt_beta(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_f_draw(...)       TT_BY2_(tt_f_draw_at, "tt_f_draw(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_weibull_min(...)  TT_BY2_(tt_weibull_min_at, "tt_weibull_min(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_double_sided_maxwell(...) \
    TT_BY2_(tt_double_sided_maxwell_at, "tt_double_sided_maxwell(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_binomial(...)     TT_BY2_(tt_binomial_at, "tt_binomial(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_multinomial(...)  TT_BY2_(tt_multinomial_at, "tt_multinomial(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_triangular(...)   TT_BY3_(tt_triangular_at, "tt_triangular(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_maxwell(...)      TT_DRAW_(tt_maxwell_at, "tt_maxwell(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_orthogonal(...)   TT_DRAW_(tt_orthogonal_at, "tt_orthogonal(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_ball(...)         TT_BY1_(tt_ball_at, "tt_ball(" #__VA_ARGS__ ")", __VA_ARGS__, TT_DIM_END)
#define tt_multivariate_normal(...) \
    TT_NORMAL_BY_(TT_AT("tt_multivariate_normal(" #__VA_ARGS__ ")"), __VA_ARGS__, TT_DIM_END)
#define TT_NORMAL_BY_(at, key, dtype, mean, cov, ...) \
    tt_multivariate_normal_at(at, key, dtype, mean, cov, (const char *)0, TT_DIMS(__VA_ARGS__))
#define TT_DRAW_BY1(name) \
    TT_API tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype dtype, tt_val a, const int64_t *dims);
#define TT_DRAW_BY2(name) \
    TT_API tt_val tt_##name##_at(const char *site, tt_val key, tt_dtype dtype, tt_val a, tt_val b, const int64_t *dims);
TT_DRAW_BY1(gamma) TT_DRAW_BY1(loggamma) TT_DRAW_BY1(chisquare) TT_DRAW_BY1(t_draw) TT_DRAW_BY1(generalized_normal)
TT_DRAW_BY1(dirichlet) TT_DRAW_BY1(pareto) TT_DRAW_BY1(lognormal) TT_DRAW_BY1(rayleigh) TT_DRAW_BY1(wald)
TT_DRAW_BY1(poisson) TT_DRAW_BY1(geometric)
TT_DRAW_BY2(beta) TT_DRAW_BY2(f_draw) TT_DRAW_BY2(weibull_min) TT_DRAW_BY2(double_sided_maxwell) TT_DRAW_BY2(binomial)
TT_DRAW_BY2(multinomial)
TT_DRAW1(maxwell) TT_DRAW1(orthogonal)
TT_API tt_val tt_triangular_at(const char *site, tt_val key, tt_dtype dtype, tt_val left, tt_val mode, tt_val right,
    const int64_t *dims);
TT_API tt_val tt_ball_at(const char *site, tt_val key, tt_dtype dtype, double p, const int64_t *dims);
TT_API tt_val tt_multivariate_normal_at(const char *site, tt_val key, tt_dtype dtype, tt_val mean, tt_val cov,
    const char *method, const int64_t *dims);

/* The counter layout is set by tt_set_random_layout (tutti/array.h), else by the switch. */

/* JAX's initializers. The fans come from the shape: the product of the dims `in` (default "-2") and of the dims `out`
 * ("-1"), each times the dims that are in neither nor in batch. */
typedef struct tt_variance_opts {
    TT_OPTION_HEAD
    double scale TT_DEFAULT; const char *mode TT_DEFAULT, *distribution TT_DEFAULT, *in TT_DEFAULT, *out TT_DEFAULT,
        *batch TT_DEFAULT;
} tt_variance_opts;
/* tt_variance_scaling(key, TT_F32, TT_DIMS(8, 4), .mode = "fan_out")
 *     tt_val w = tt_variance_scaling(key, TT_F32, TT_DIMS(8, 4), .mode = "fan_out"); */
#define tt_variance_scaling(...) \
    TT_VARIANCE_(TT_AT("tt_variance_scaling(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_VARIANCE_(at, key, dtype, dims, ...) \
    tt_variance_scaling_at(at, key, dtype, dims, TT_OPTS(tt_variance_opts, __VA_ARGS__))
TT_API tt_val tt_variance_scaling_at(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims,
    const tt_variance_opts *);
/* An initializer by form, as in layers' options:
 * - lecun_normal, lecun_uniform, glorot_ (xavier_), he_ (kaiming_), all with (in_axis=-2, out_axis=-1, batch_axis=);
 * - variance_scaling(scale=1, mode=fan_in, distribution=truncated_normal, in_axis, out_axis, batch_axis), with modes
 *   fan_in, fan_out, fan_avg, fan_geo_avg;
 * - normal(stddev=0.01), uniform(scale=0.01), truncated_normal(stddev=0.01, lower=-2, upper=2), constant(value), zeros,
 *   ones;
 * - orthogonal(scale=1, column_axis=-1), delta_orthogonal (for a convolution's kernel, in the middle of its window);
 * - Keras's, by class: keras.GlorotUniform(), GlorotNormal, HeUniform, HeNormal, LecunUniform, LecunNormal,
 *   VarianceScaling(scale, mode, distribution), RandomNormal(mean=0, stddev=0.05), RandomUniform(minval=-0.05,
 *   maxval=0.05), TruncatedNormal, Orthogonal(gain=1), Constant(value), Zeros, Ones.
 *
 * Several axes: "in_axis=0 1". */
TT_API tt_val tt_init_named_at(const char *site, const char *initializer, tt_val key, tt_dtype dtype,
    const int64_t *dims);

#ifdef __cplusplus
}
#endif
#endif
