/* draws.c - draws by parameters: their shapes, their types, keys one by one, a mesh, derivatives, and what is refused.
 * (The bits are compared with JAX's by the goldens.) */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

static bool equal(tt_val a, tt_val b)
{
    return tt_num(tt_all(tt_eq(a, b))) == 1;
}

/* Without dims a draw has the shape of its parameters; a draw of shape () is one number. */
static void shapes(void)
{
    const tt_val key = tt_key(3), a = tt_array(TT_F32, ((float[]){ 0.5f, 2, 7 }), 3);
    CHECK(tt_rank(tt_gamma(key, TT_F32, tt_f(2))) == 0, "a scalar: %s", tt_error());
    CHECK(tt_rank(tt_uniform(key, TT_F32)) == 0 && tt_rank(tt_normal(key, TT_F64)) == 0, "scalars: %s", tt_error());
    CHECK(tt_rank(tt_poisson(key, TT_I32, tt_i(4))) == 0, "an integer parameter: %s", tt_error());
    CHECK(tt_dim(tt_gamma(key, TT_F32, a), 0) == 3 && tt_rank(tt_gamma(key, TT_F32, a, 2, 3)) == 2, "%s", tt_error());
    CHECK(tt_rank(tt_beta(key, TT_F32, tt_reshape(a, 3, 1), a)) == 2, "together: %s", tt_error());
    CHECK(tt_rank(tt_dirichlet(key, TT_F32, a, 4)) == 2, "%s", tt_error());
    CHECK(tt_dim(tt_dirichlet(key, TT_F32, a), 0) == 3, "%s", tt_error());
    CHECK(tt_dim(tt_multinomial(key, TT_F32, tt_f(5), tt_div(a, tt_sum(a)), 4), 1) == 3, "%s", tt_error());
    CHECK(tt_count(tt_gamma(key, TT_F32, a, 0, 3)) == 0, "none: %s", tt_error());
    CHECK(tt_count(tt_orthogonal(key, TT_F32, 0, 3)) == 0, "none: %s", tt_error());
    CHECK(tt_dtype_of(tt_gamma(key, TT_F16, a)) == TT_F16, "f16: %s", tt_error());
    CHECK(tt_dtype_of(tt_geometric(key, TT_I64, tt_f(0.5))) == TT_I64, "i64: %s", tt_error());
    tt_clear();
}

static tt_val drawn(tt_val key, tt_val a) { return tt_gamma(key, TT_F32, a); }
static tt_val summed(tt_val a, tt_val key) { return tt_sum(tt_loggamma(key, TT_F32, a)); }
static tt_val both(tt_val key, tt_val a) { return tt_beta(key, TT_F32, a, tt_f(2)); }

/* A mapped draw is the draws from each key; a jitted one, and one on a mesh, have the same bits. */
/* JAX takes bounds in the wrong order: the result is the first. */
static void backwards(void)
{
    float x[3] = { 0 };
    CHECK(tt_read(tt_uniform_in(tt_key(0), TT_F32, 5, 3, 3), x, sizeof x) && x[0] == 5 && x[1] == 5 && x[2] == 5,
          "%g, %g, %g: %s", x[0], x[1], x[2], tt_error());
}

/* JAX 0.10.2's bits where 0.3 / sqrt(2) and 0.3 (1 / sqrt(2)) differ in float32. */
static void truncated_bits(void)
{
    static const uint32_t want[4] = { 0x3e99fa87, 0x3e9e6721, 0x3e9cebbe, 0x3e9e9851 };
    uint32_t got[4] = { 0 };
    const tt_val x = tt_truncated_normal(tt_key(3), TT_F32, 0.3, 0.31, 4);
    CHECK(tt_read(tt_bitcast(x, TT_U32), got, sizeof got), "%s", tt_error());
    for (int i = 0; i < 4; i++) CHECK(got[i] == want[i], "[%d]: %x, expected %x", i, got[i], want[i]);
}

static void alike(void)
{
    const tt_val keys = tt_split(tt_key(5), 3), a = tt_array(TT_F32, ((float[]){ 0.2f, 1, 3, 40 }), 4);
    const tt_val all = tt_call(tt_vmap(drawn, .in = "0; _"), keys, a);
    for (int i = 0; i < 3; i++)
        CHECK(equal(tt_take(all, tt_i(i), 0), drawn(tt_take(keys, tt_i(i), 0), a)), "key %d: %s", i, tt_error());
    const tt_val one = tt_take(keys, tt_i(0), 0), laid = tt_shard(a, tt_mesh("i:4"), "i");
    CHECK(equal(tt_call(tt_jit(drawn), one, a), drawn(one, a)), "jit: %s", tt_error());
    CHECK(equal(tt_call(tt_jit(drawn), one, laid), drawn(one, a)), "mesh: %s", tt_error());
    CHECK(equal(tt_call(tt_jit(both), one, laid), both(one, a)), "beta on a mesh: %s", tt_error());
    const tt_val g = tt_call(tt_grad(summed), a, one), h = tt_call(tt_jit(tt_grad(summed)), laid, one);
    CHECK(tt_num(tt_all(tt_isclose(g, h))) == 1, "derivatives on a mesh: %s", tt_error());
    const int64_t n = 7;
    const tt_val few = tt_randint(one, TT_I32, -n, tt_i(2 * n), 100);
    CHECK(equal(few, tt_randint(one, TT_I32, tt_i(-7), tt_i(14), 100)), "bounds of C: %s", tt_error());
    CHECK(tt_num(tt_amin(few)) >= -7 && tt_num(tt_amax(few)) < 14, "in their range: %s", tt_error());
    tt_clear();
}

/* Means and variances of many draws. */
static void moments(void)
{
    enum { N = 20000 };
    const tt_val key = tt_key(8);
    const struct { const char *name; tt_val v; double mean, variance; } t[] = {
        { "gamma", tt_gamma(key, TT_F32, tt_f(3), N), 3, 3 },
        { "gamma below 1", tt_gamma(key, TT_F32, tt_f(0.3), N), 0.3, 0.3 },
        { "poisson", tt_cast(tt_poisson(key, TT_I32, tt_f(4), N), TT_F32), 4, 4 },
        { "poisson of many", tt_cast(tt_poisson(key, TT_I32, tt_f(70), N), TT_F32), 70, 70 },
        { "binomial", tt_binomial(key, TT_F32, tt_f(20), tt_f(0.2), N), 4, 3.2 },
        { "binomial of many", tt_binomial(key, TT_F32, tt_f(400), tt_f(0.7), N), 280, 84 },
        { "geometric", tt_cast(tt_geometric(key, TT_I32, tt_f(0.25), N), TT_F32), 4, 12 },
        { "triangular", tt_triangular(key, TT_F32, tt_f(0), tt_f(1), tt_f(2), N), 1, 1. / 6 },
        { "maxwell", tt_maxwell(key, TT_F32, N), 1.5957691, 0.4535209 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const double mean = tt_num(tt_mean(t[i].v)), variance = tt_num(tt_var(t[i].v));
        CHECK(fabs(mean - t[i].mean) < 6 * sqrt(t[i].variance / N), "%s: mean %g: %s", t[i].name, mean, tt_error());
        CHECK(fabs(variance / t[i].variance - 1) < 0.2, "%s: variance %g", t[i].name, variance);
    }
    tt_clear();
}

/* Of an infinite parameter the draw is infinite, as in JAX, and so is its logarithm. */
static void endless(void)
{
    float x[4] = { 0 };
    const tt_val a = tt_array(TT_F32, ((float[]){ 2, INFINITY }), 2);
    CHECK(tt_read(tt_gamma(tt_key(0), TT_F32, a), x, 8) && tt_read(tt_loggamma(tt_key(0), TT_F32, a), x + 2, 8), "%s",
          tt_error());
    CHECK(isfinite(x[0]) && x[1] == INFINITY && isfinite(x[2]) && x[3] == INFINITY, "%g, %g, %g, %g", (double)x[0],
          (double)x[1], (double)x[2], (double)x[3]);
}

/* Of unbounded intervals draws are finite in types of 16 bits too, as in JAX, though uniform numbers are 0 at times. */
static void unbounded(void)
{
    static const tt_dtype types[] = { TT_BF16, TT_F16, TT_F32 };
    for (int i = 0; i < 3; i++) {
        const tt_val low = tt_truncated_normal(tt_key(0), types[i], (double)-INFINITY, -1, 3000);
        const tt_val high = tt_truncated_normal(tt_key(0), types[i], 1, (double)INFINITY, 3000);
        CHECK(tt_num(tt_amin(tt_cast(low, TT_F64))) > (double)-INFINITY, "%d: %s", i, tt_error());
        CHECK(tt_num(tt_amax(tt_cast(high, TT_F64))) < (double)INFINITY, "%d: %s", i, tt_error());
    }
}

/* Draws of wald are positive, and the mean of 1 / x is 1 + 1 / mean, where a difference of large numbers would be 0. */
static void long_walks(void)
{
    enum { N = 20000 };
    static const struct { tt_dtype type; double mean, allowed; } t[] = {
        { TT_F32, 3, 0.06 }, { TT_F32, 1e4, 0.06 }, { TT_F32, 1e30, 0.06 }, { TT_F64, 1e12, 0.06 },
        { TT_F16, 200, 0.06 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val x = tt_cast(tt_wald(tt_key(5), t[i].type, tt_f(t[i].mean), N), TT_F64);
        const double mean = tt_num(tt_mean(tt_div(tt_f(1), x)));
        CHECK(tt_num(tt_amin(x)) > 0 && fabs(mean - 1 - 1 / t[i].mean) < t[i].allowed, "mean %g: 1 / x is %g: %s",
              t[i].mean, mean, tt_error());
    }
}

/* Rows are orthonormal, points lie in the ball, and any factor of the covariance gives it. */
static void vectors(void)
{
    static const char *const methods[] = { "cholesky", "svd", "eigh" };
    const tt_val key = tt_key(2), q = tt_orthogonal(key, TT_F32, 3, 5);
    const tt_val off = tt_sub(tt_matmul(q, tt_transpose(q)), tt_eye(TT_F32, 3));
    CHECK(tt_num(tt_amax(tt_abs(off))) < 1e-5, "orthogonal: %g: %s", tt_num(tt_amax(tt_abs(off))), tt_error());
    const tt_val length = tt_sum(tt_square(tt_ball(key, TT_F32, 2, 500, 3)), .dims = "1");
    CHECK(tt_num(tt_amax(length)) <= 1, "ball: %g: %s", tt_num(tt_amax(length)), tt_error());
    const tt_val mean = tt_array(TT_F32, ((float[]){ 1, -2 }), 2);
    const tt_val cov = tt_array(TT_F32, ((float[]){ 2, 1, 1, 3 }), 2, 2);
    for (int i = 0; i < 3; i++) {
        const int64_t many[] = { 20000, TT_DIM_END };
        const tt_val x = tt_multivariate_normal_at("draws", key, TT_F32, mean, cov, methods[i], many);
        const tt_val wrong = tt_abs(tt_sub(tt_cov(tt_transpose(x)), cov));
        CHECK(tt_num(tt_amax(wrong)) < 0.15, "%s: %g: %s", methods[i], tt_num(tt_amax(wrong)), tt_error());
    }
    tt_clear();
}

/* Each row at most once, by weights, along a dim. */
static void chosen(void)
{
    const tt_val key = tt_key(4), p = tt_array(TT_F32, ((float[]){ 0, 1, 0, 2, 0.5f }), 5), n = tt_i(5);
    const tt_val once = tt_sort(tt_choice_with(key, n, TT_DIMS(5, TT_DIM_END), .once = 1), 0);
    CHECK(equal(once, tt_arange(TT_I32, 5)), "once: %s", tt_error());
    const tt_val some = tt_sort(tt_choice_with(key, n, TT_DIMS(3, TT_DIM_END), .p = p, .once = 1), 0);
    CHECK(equal(some, tt_array(TT_I32, ((int32_t[]){ 1, 3, 4 }), 3)), "once by weights: %s", tt_error());
    const tt_val many = tt_choice_with(key, n, TT_DIMS(100, TT_DIM_END), .p = p);
    CHECK(tt_num(tt_any(tt_eq(many, tt_i(2)))) == 0, "a weight of 0: %s", tt_error());
    const tt_val m = tt_ones(TT_F32, 2, 5);
    CHECK(tt_dim(tt_choice_with(key, m, TT_DIMS(3, TT_DIM_END), .dim = 1), 1) == 3, "along dim 1: %s", tt_error());
    CHECK(tt_rank(tt_logistic_draw(key, TT_F32)) == 0 && tt_ok(), "logistic: %s", tt_error());
    tt_clear();
}

static void refused(const char *what, const char *part, tt_val v)
{
    const bool poison = !tt_ok();
    (void)v;
    CHECK(poison && strstr(tt_error(), part), "%s: %s", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void errors(void)
{
    const tt_val k = tt_key(0), a = tt_ones(TT_F32, 3), two = tt_ones(TT_F32, 2);
    refused("gamma of i32", "draws floating-point numbers", tt_gamma(k, TT_I32, a));
    refused("poisson of f32", "no integer type", tt_poisson(k, TT_F32, a));
    refused("geometric of f32", "no integer type", tt_geometric(k, TT_F32, a));
    refused("binomial of i32", "draws floating-point numbers", tt_binomial(k, TT_I32, a, a));
    refused("gamma of a shape", "does not broadcast to the shape of the draw", tt_gamma(k, TT_F32, a, 4));
    refused("a shape beneath the parameters'", "does not broadcast", tt_gamma(k, TT_F32, tt_ones(TT_F32, 2, 3), 3));
    refused("beta of two shapes", "parameter 2, f32[2], does not broadcast", tt_beta(k, TT_F32, a, two));
    refused("gamma of a tuple", "a parameter is a tree", tt_gamma(k, TT_F32, tt_tuple(a, a)));
    refused("gamma of complex numbers", "c64", tt_gamma(k, TT_F32, tt_complex(a, a)));
    refused("dirichlet of a number", "expected a vector", tt_dirichlet(k, TT_F32, tt_f(1)));
    refused("multinomial of a number", "expected a vector", tt_multinomial(k, TT_F32, tt_f(1), tt_f(1)));
    refused("normal of a wrong covariance", "expected [.., n] and [.., n, n]",
            tt_multivariate_normal(k, TT_F32, a, tt_ones(TT_F32, 2, 2)));
    refused("a method misspelt", "no method \"eigen\"",
            tt_multivariate_normal_at("draws", k, TT_F32, two, tt_eye(TT_F32, 2), "eigen", NULL));
    refused("ball of the norm 0", "expected a number above 0", tt_ball(k, TT_F32, 0, 3));
    refused("ball of no dims", "expected 1 to 12, the last one that of a point", tt_ball(k, TT_F32, 2));
    refused("orthogonal of one dim", "expected 2 to 12, [.., n, m]", tt_orthogonal(k, TT_F32, 3));
    refused("more than there are", "6 draws without replacement of 5",
            tt_choice_with(k, tt_i(5), TT_DIMS(6, TT_DIM_END), .once = 1));
    refused("a negative dim", "-2", tt_gamma(k, TT_F32, tt_f(1), -2));
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(shapes());
    CHECK_RUN(backwards());
    CHECK_RUN(truncated_bits());
    CHECK_RUN(alike());
    CHECK_RUN(moments());
    CHECK_RUN(endless());
    CHECK_RUN(long_walks());
    CHECK_RUN(unbounded());
    CHECK_RUN(vectors());
    CHECK_RUN(chosen());
    CHECK_RUN(errors());
    return check_done();
}
