/* ranges.c - numbers of C that are outside of what a call takes: parameters of draws, options that are not a number,
 * and options that change nothing beside others. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

#define KEY tt_key(0)
#define REFUSED(call, text)                                                                                            \
    do {                                                                                                               \
        const tt_val v_ = (call);                                                                                      \
        CHECK(!tt_ok() && strstr(tt_error(), text) && strstr(tt_error(), "ranges.c:"), "%s: %s", #call,                \
              tt_ok() ? tt_type_text(v_) : tt_error());                                                                \
        tt_clear();                                                                                                    \
    } while (0)
#define FINE(call)                                                                                                     \
    do {                                                                                                               \
        const tt_val v_ = (call);                                                                                      \
        const tt_val finite_ = tt_all(tt_is_finite(tt_cast(v_, TT_F32)));                                              \
        CHECK(tt_ok() && tt_num(finite_) == 1, "%s: %s", #call,                                                        \
              tt_ok() ? tt_type_text(v_) : tt_error());                                                                \
        tt_clear();                                                                                                    \
    } while (0)

static void draws(void)
{
    REFUSED(tt_geometric(KEY, TT_I32, tt_f(2), 4), "geometric: p = 2; expected a number above 0, and 1 at most");
    REFUSED(tt_geometric(KEY, TT_I32, tt_f(0), 4), "geometric: p = 0; expected a number above 0");
    REFUSED(tt_poisson(KEY, TT_I32, tt_i(-1), 4), "poisson: lam = -1; expected 0 or more");
    REFUSED(tt_poisson(KEY, TT_I32, tt_f(NAN), 4), "poisson: lam = nan");
    REFUSED(tt_gamma(KEY, TT_F32, tt_f(-0.5), 4), "gamma: a = -0.5; expected 0 or more");
    REFUSED(tt_loggamma(KEY, TT_F32, tt_f(-0.5)), "loggamma: a = -0.5");
    REFUSED(tt_beta(KEY, TT_F32, tt_f(-0.5), tt_f(1), 4), "beta: a = -0.5");
    REFUSED(tt_beta(KEY, TT_F32, tt_ones(TT_F32, 4), tt_f(-1)), "beta: b = -1");
    REFUSED(tt_chisquare(KEY, TT_F32, tt_f(-1), 4), "chisquare: df = -1");
    REFUSED(tt_t_draw(KEY, TT_F32, tt_f(0), 4), "t_draw: df = 0; expected a number above 0");
    REFUSED(tt_f_draw(KEY, TT_F32, tt_f(-1), tt_f(1), 4), "f_draw: dfnum = -1");
    REFUSED(tt_f_draw(KEY, TT_F32, tt_f(1), tt_f(0), 4), "f_draw: dfden = 0");
    REFUSED(tt_generalized_normal(KEY, TT_F32, tt_f(0), 4), "generalized_normal: p = 0");
    REFUSED(tt_pareto(KEY, TT_F32, tt_f(-1), 4), "pareto: b = -1");
    REFUSED(tt_rayleigh(KEY, TT_F32, tt_f(-1), 4), "rayleigh: scale = -1");
    REFUSED(tt_wald(KEY, TT_F32, tt_f(0), 4), "wald: mean = 0");
    REFUSED(tt_weibull_min(KEY, TT_F32, tt_f(-1), tt_f(1), 4), "weibull_min: scale = -1");
    REFUSED(tt_weibull_min(KEY, TT_F32, tt_f(1), tt_f(0), 4), "weibull_min: concentration = 0");
    REFUSED(tt_double_sided_maxwell(KEY, TT_F32, tt_f(0), tt_f(-1), 4), "double_sided_maxwell: scale = -1");
    REFUSED(tt_triangular(KEY, TT_F32, tt_f(1), tt_f(5), tt_f(2), 4), "triangular: mode 5, right 2; expected left <=");
    REFUSED(tt_triangular(KEY, TT_F32, tt_f(1), tt_f(0), tt_f(2), 4), "triangular: left 1, mode 0");
    REFUSED(tt_binomial(KEY, TT_F32, tt_f(-1), tt_f(0.5), 4), "binomial: n = -1");
    REFUSED(tt_binomial(KEY, TT_F32, tt_f(3), tt_f(1.5), 4), "binomial: p = 1.5; expected 0 or more, and 1 at most");
    REFUSED(tt_multinomial(KEY, TT_F32, tt_f(-1), tt_full(0.5, TT_F32, 2), 4), "multinomial: n = -1");
}

/* At the ends of the ranges, and arrays and traced values out of them, which are JAX's. */
static tt_val traced(tt_val p) { return tt_geometric(KEY, TT_I32, p, 4); }
static void ends(void)
{
    FINE(tt_geometric(KEY, TT_I32, tt_f(1), 4));
    FINE(tt_poisson(KEY, TT_I32, tt_f(0), 4));
    FINE(tt_gamma(KEY, TT_F32, tt_f(0), 4));
    FINE(tt_rayleigh(KEY, TT_F32, tt_f(0), 4));
    FINE(tt_binomial(KEY, TT_F32, tt_f(0), tt_f(1), 4));
    FINE(tt_triangular(KEY, TT_F32, tt_f(1), tt_f(1), tt_f(2), 4));
    FINE(tt_geometric(KEY, TT_I32, tt_full(2, TT_F32, 4)));
    FINE(tt_call(tt_jit(traced), tt_f(2)));
    FINE(tt_poisson(KEY, TT_I32, tt_full(-1, TT_F32, 4)));
}

/* Bounds that only an unsigned type has. */
static void bounds(void)
{
    uint32_t x[64] = { 0 }, most = 0;
    const tt_val v = tt_randint(KEY, TT_U32, 0, 4294967295u, 64);
    CHECK(tt_dtype_of(v) == TT_U32 && tt_read(v, x, sizeof x), "%s", tt_error());
    for (int i = 0; i < 64; i++) most = x[i] > most ? x[i] : most;
    CHECK(x[0] == 31327077 && x[1] == 89727312 && most > 4000000000u, "%u, the largest of 64 is %u", x[0], most);
    CHECK(tt_read(tt_randint(KEY, TT_U32, 4294967294u, 4294967295u, 4), x, 16) && x[0] == 4294967294u &&
          x[3] == 4294967294u, "%u: %s", x[0], tt_error());
    CHECK(tt_read(tt_randint(KEY, TT_U32, 4294967295u, 4294967296, 4), x, 16) && x[0] == 4294967295u, "%u: %s", x[0],
          tt_error());
    CHECK(tt_read(tt_randint(KEY, TT_U32, -5, 1, 4), x, 16) && !x[0] && !x[3], "%u: %s", x[0], tt_error());
    tt_clear();
}

static void options(void)
{
    const tt_val q = tt_ones(TT_F32, 2, 3, 4, 8), x = tt_arange(TT_F32, 4), p = tt_dict("bias", x, "kernel", x);
    REFUSED(tt_attention(q, q, q, .scale = NAN), "attention: .scale = nan; expected a number");
    REFUSED(tt_attention(q, q, q, .dropout = NAN), ".dropout = nan");
    REFUSED(tt_attention(q, q, q, .window = { 0, 5 }, .causal = 1), ".window = { 0, 5 } has no effect with .causal");
    FINE(tt_attention(q, q, q, .window = { 0, 5 }));
    FINE(tt_attention(q, q, q, .window = { 5, 5 }, .causal = 1));
    REFUSED(tt_isclose(x, x, .rtol = -1), "isclose: .rtol = -1; expected 0 or more");
    REFUSED(tt_allclose(x, x, .atol = -1e-3), "isclose: .atol = -0.001");
    REFUSED(tt_isclose(x, x, .rtol = NAN), ".rtol = nan");
    REFUSED(tt_histogram(x, .range = { NAN, 1 }), ".range[0] = nan");
    REFUSED(tt_adam(p, .b1 = NAN), "adam: .b1 = nan");
    REFUSED(tt_sgd(p, .rate = NAN), "sgd: .rate = nan");
    REFUSED(tt_lamb(p, .decay = 0, .mask = "not bias"), "lamb: .mask has no effect with .decay = 0");
    REFUSED(tt_lamb(p, .mask = "not bias"), "lamb: .mask has no effect without .decay");
    const tt_val plain = tt_image_resize(x, TT_DIMS(3), .method = "nearest");
    CHECK(tt_num(tt_array_equal(plain, tt_image_resize(x, TT_DIMS(3), .method = "nearest", .aliased = 1))) == 1,
          "nearest has no kernel: %s", tt_error());
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    CHECK_RUN(draws());
    CHECK_RUN(ends());
    CHECK_RUN(bounds());
    CHECK_RUN(options());
    tt_done();
    return check_done();
}
