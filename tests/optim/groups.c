/* groups.c - groups of parameters, what is around a chain, states of other shapes than the parameters', steps with the
 * loss, minimisation; on a mesh, through a checkpoint; and what is refused. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>
#include <unistd.h>

static tt_val params(void)
{
    const tt_val kernel = tt_array(TT_F32, ((float[]){ 1, -2, 3, 4, 5, -6, 7, 8 }), 2, 4);
    return tt_dict("a", tt_dict("kernel", kernel, "bias", tt_full(0.5, TT_F32, 4)),
                   "b", tt_dict("kernel", tt_ones(TT_F32, 4, 2), "bias", tt_full(-1, TT_F32, 2)));
}

static tt_val stepped(const char *text, tt_val *opt)
{
    tt_val p = params();
    *opt = tt_optimizer(p, text);
    for (int i = 0; i < 3; i++) tt_opt_step(&p, opt, params());
    return p;
}

/* A group's leaves step as if they were alone; the others' fields have no elements. */
static void groups(void)
{
    tt_val opt, alone, sgd;
    const tt_val p = stepped("partition(kernel=adam(0.1), others=sgd(0.01))", &opt);
    const tt_val all = stepped("adam(0.1)", &alone), plain = stepped("sgd(0.01)", &sgd);
    CHECK(tt_ok(), "%s", tt_error());
    CHECK(tt_num(tt_all(tt_eq(tt_get(p, "a.kernel"), tt_get(all, "a.kernel")))) == 1, "kernel");
    CHECK(tt_num(tt_all(tt_eq(tt_get(p, "b.bias"), tt_get(plain, "b.bias")))) == 1, "bias");
    CHECK(tt_count(tt_get(opt, "mu.a.bias")) == 0 && tt_count(tt_get(opt, "mu.b.kernel")) == 8, "mu");
    CHECK(tt_has(opt, "rate") && tt_has(opt, "rate_1"), "two rates: %s", tt_tag(opt));
    const tt_val some = stepped("masked(sgd(0.5), mask=a.kernel); scale(0)", &opt);
    CHECK(tt_ok() && tt_num(tt_all(tt_eq(tt_get(some, "b.bias"), tt_get(params(), "b.bias")))) == 1, "%s", tt_error());
    tt_clear();
}

/* A compiled step that lays its arguments out by their logical axes: fields without elements, or of another rank than
 * the parameter's, have none. */
static tt_val axes_step(tt_val state)
{
    tt_val p = tt_item(state, 0), opt = tt_item(state, 1);
    tt_opt_step(&p, &opt, params());
    return tt_tuple(p, opt);
}
static void by_rules(const char *text)
{
    const tt_mesh m = tt_mesh("i:2");
    tt_val p = params();
    p = tt_set(p, "a.kernel", tt_leaf(tt_get(p, "a.kernel"), .axes = "in, out"));
    p = tt_set(p, "b.kernel", tt_leaf(tt_get(p, "b.kernel"), .axes = "in, out", .frozen = 1));
    const tt_val opt = tt_optimizer(p, text);
    const tt_val out = tt_call(tt_jit(axes_step, .mesh = m, .rules = "out:i"), tt_tuple(p, opt));
    CHECK(tt_ok() && tt_has_layout(tt_get(tt_item(out, 0), "a.kernel"), m, "_, i"), "%s: %s", text, tt_error());
    tt_clear();
}

/* Row and column moments, noise and memories on a mesh: the same steps as on one device. */
static void on_a_mesh(void)
{
    static const char *const texts[] = { "adafactor(0.1, min_dim_size_to_factor=2)", "sm3(0.1)", "novograd(0.1)",
                                         "noisy_sgd(0.1, key=3)", "partition(kernel=yogi(0.1), bias=adan(0.1))",
                                         "lookahead(2, 0.5); params_ema(0.9); adabelief(0.1)", "scale_by_lbfgs(2)" };
    const tt_mesh m = tt_mesh("i:2, j:2");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tt_val opt, p = params();
        const tt_val want = stepped(texts[i], &opt);
        p = tt_set(p, "a.kernel", tt_shard(tt_get(p, "a.kernel"), m, "i, j"));
        p = tt_set(p, "b.kernel", tt_shard(tt_get(p, "b.kernel"), m, "j, _"));
        tt_val laid = tt_optimizer(p, texts[i]);
        for (int k = 0; k < 3; k++) tt_opt_step(&p, &laid, params());
        CHECK(tt_ok(), "%s: %s", texts[i], tt_error());
        const tt_val a = tt_get(p, "a.kernel"), b = tt_get(want, "a.kernel");
        CHECK(tt_ok() && tt_num(tt_all(tt_isclose(a, b, .rtol = 1e-5, .atol = 1e-6))) == 1, "%s", texts[i]);
        tt_clear();
    }
}

/* A saved state goes on as if it had not been saved. */
static void saved(void)
{
    char dir[] = "/tmp/groupsXXXXXX", path[64];
    const char *const text = "apply_if_finite(3); "
                             "partition(kernel=adafactor(0.1, min_dim_size_to_factor=2), bias=sm3(0.1))";
    if (!mkdtemp(dir)) return;
    snprintf(path, sizeof path, "%s/state", dir);
    tt_val opt, p = stepped(text, &opt), q = p;
    tt_save(path, opt);
    tt_val back = tt_load(path, .like = tt_like(opt));
    tt_opt_step(&p, &opt, params());
    tt_opt_step(&q, &back, params());
    CHECK(tt_ok() && tt_num(tt_all(tt_eq(tt_get(p, "a.kernel"), tt_get(q, "a.kernel")))) == 1, "%s", tt_error());
    char line[80];
    snprintf(line, sizeof line, "rm -rf %s", dir);
    CHECK(system(line) == 0, "the folder stays");
    tt_clear();
}

static void around(void)
{
    tt_val p = tt_dict("w", tt_ones(TT_F32, 2)), opt = tt_optimizer(p, "params_ema(0.5); sgd(1)");
    const tt_val g = tt_dict("w", tt_ones(TT_F32, 2));
    tt_opt_step(&p, &opt, g);
    tt_opt_step(&p, &opt, g);                             /* 1, 0, -1: means 0.5, -0.25 */
    CHECK(tt_num(tt_take(tt_get(opt, "params_ema.w"), tt_i(0), 0)) == -0.25, "params_ema: %s", tt_error());
    opt = tt_optimizer(p, "apply_if_finite(1); sgd(1)");
    const tt_val bad = tt_dict("w", tt_full(NAN, TT_F32, 2)), was = p;
    tt_opt_step(&p, &opt, bad);
    CHECK(tt_num(tt_all(tt_eq(tt_get(p, "w"), tt_get(was, "w")))) == 1 && tt_num(tt_get(opt, "total_notfinite")) == 1,
          "apply_if_finite: %s", tt_error());
    const tt_val mid = tt_incremental_update(g, was, 0.25);
    CHECK(tt_num(tt_take(tt_get(mid, "w"), tt_i(0), 0)) == -0.5, "incremental_update: %s", tt_error());
    tt_clear();
}

static tt_val valley(tt_val x)
{
    const tt_val a = tt_slice(x, 0, 0, 3, 1), b = tt_slice(x, 0, 1, 4, 1);
    return tt_sum(TT_E("100*(b - a^2)^2 + (1 - a)^2", b, a));
}
static tt_val bowl(tt_val x, tt_val at) { return tt_sum(tt_square(tt_sub(x, at))); }

/* A decay by a schedule is the decay of each step. */
static void scheduled(void)
{
    tt_val p = tt_dict("w", tt_ones(TT_F32, 2));
    tt_val opt = tt_optimizer(p, "add_decayed_weights(linear(0.5, 0, 2)); sgd(1)");
    const tt_val g = tt_dict("w", tt_zeros(TT_F32, 2));
    for (int i = 0; i < 3; i++) tt_opt_step(&p, &opt, g); /* 1 - 0.5, times 1 - 0.25, times 1 */
    CHECK(tt_num(tt_take(tt_get(p, "w"), tt_i(0), 0)) == 0.375, "%s", tt_ok() ? tt_value_text(p) : tt_error());
    tt_clear();
}

static void minima(void)
{
    const tt_val x0 = tt_array(TT_F32, ((float[]){ 1.2f, 1, 0.5f, 2 }), 4);
    const tt_val at = tt_array(TT_F32, ((float[]){ 3, -1 }), 2);
    const tt_val y = tt_minimize(valley, x0, .tol = 1e-3);
    CHECK(tt_ok() && tt_num(tt_get(y, "success")) == 1, "%s", tt_error());
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(tt_get(y, "x"), tt_f(1))))) < 1e-2, "x: %s", tt_value_text(tt_get(y, "x")));
    const tt_val z = tt_minimize(bowl, tt_zeros(TT_F32, 2), .with = at);
    CHECK(tt_num(tt_amax(tt_abs(tt_sub(tt_get(z, "x"), at)))) < 1e-4, "bowl: %s", tt_error());
    const tt_val few = tt_minimize(valley, x0, .maxiter = 2);
    CHECK(tt_num(tt_get(few, "nit")) == 2 && tt_num(tt_get(few, "success")) == 0, "two iterations: %s", tt_error());
    tt_clear();
}

static void refused(const char *what, const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "%s: %s", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}
static void refuses(const char *text, const char *part)
{
    tt_optimizer(params(), text);
    refused(text, part);
}

static void errors(void)
{
    static const char *const t[][2] = {
        { "partition(kernel=adam(0.1))", "\"a.bias\" is in no group" },
        { "partition(kernel=adam(0.1), a.kernel=sgd(0.1), others=sgd(1))", "\"a.kernel\" is in 2 groups" },
        { "partition(adam(0.1))", "a chain without the name of its group" },
        { "partition()", "partition: no groups; expected 1 or more" },
        { "partition(kernle=adam(0.1), others=sgd(1))", "no parameter's path ends in \"kernle\"" },
        { "masked(adam(0.1))", "mask is missing" },
        { "masked(adam(0.1), mask=kernle)", "no parameter's path ends in \"kernle\"" },
        { "masked(masked(adam(0.1), mask=kernel), mask=kernel)",
         "a group (masked, partition) inside a group is not supported" },
        { "masked(multi_steps(every=2); adam(0.1), mask=kernel)",
          "applies to the whole chain: write it once, before the chain" },
        { "adam(0.1); lookahead(5, 0.5)", "applies to the whole chain: write it once, before the chain" },
        { "lookahead(5); adam(0.1)", "slow_step_size is missing" },
        { "lookahead(0, 0.5); adam(0.1)", "sync_period = 0; expected a whole number of steps, 1 or more" },
        { "lookahead(5, 1.5); adam(0.1)", "expected 0 to 1" },
        { "apply_if_finite(); adam(0.1)", "max_consecutive_errors is missing" },
        { "params_ema(2); adam(0.1)", "expected 0 to 1" },
        { "add_noise(0.1)", "gamma is missing" },
        { "adaptive_grad_clip()", "clipping is missing" },
        { "scale_by_beleif()", "no optimizer \"scale_by_beleif\", and no part of one" },
        { "adafactor(0.1, factored=3)", "factored = 3; expected 0 or 1" },
        { "scale_by_lbfgs(0)", "memory_size = 0; expected a whole number, 1 or more" },
        { "apply_every(0)", "k = 0; expected a whole number, 1 or more" },
        { "reduce_on_plateau(1.5)", "factor = 1.5; expected a number above 0 and below 1" },
        { "reduce_on_plateau(0.5, 2.5)", "patience = 2.5; expected a whole number, 0 or more" },
        { "add_decayed_weights(lineer(0.1, 0, 5))", "no schedule \"lineer\"" },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) refuses(t[i][0], t[i][1]);
    tt_val p = params(), opt = tt_optimizer(p, "sgd(0.1); reduce_on_plateau()");
    tt_opt_step(&p, &opt, params());
    refused("no loss", "reduce_on_plateau needs the loss");
    opt = tt_lbfgs(p);
    tt_opt_step_value(&p, &opt, params(), tt_f(1));
    refused("no function", "scale_by_zoom_linesearch needs the loss");
    opt = tt_optimizer(p, "sgd(1); reduce_on_plateau()");
    tt_opt_step_value(&p, &opt, params(), tt_ones(TT_F32, 2));
    refused("a loss of two", "expected one number");
    tt_minimize(valley, tt_ones(TT_I32, 4));
    refused("minimize of integers", "expected an array of floats");
    tt_incremental_update(params(), params(), 2);
    refused("a step of 2", "expected 0 to 1");
    tt_yogi(p, .decay = 0.1);
    refused("yogi with decay", "yogi has no .decay");
    tt_adafactor(p, .threshold = 0);
    refused("adafactor that clips at 0", "threshold = 0; expected a number above 0");
    tt_optimizer(p, "adafactor(0.1, clipping_threshold=0)");
    refused("adafactor that clips at 0, as a text", "threshold = 0; expected a number above 0");
    CHECK(*tt_tag(tt_optimizer(p, "adafactor(0.1, clipping_threshold=None)")) && tt_ok(), "None: %s", tt_error());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(groups());
    CHECK_RUN(by_rules("adamw(0.1)"));
    CHECK_RUN(by_rules("adafactor(0.1, min_dim_size_to_factor=2)"));
    CHECK_RUN(on_a_mesh());
    CHECK_RUN(saved());
    CHECK_RUN(around());
    CHECK_RUN(scheduled());
    CHECK_RUN(minima());
    CHECK_RUN(errors());
    return check_done();
}
