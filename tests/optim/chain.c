/* chain.c - the calls of C make the chains that their words say; masks, frozen leaves, replaced rates, gathered
 * gradients, errors with a caret. (The formulas are compared with optax's and Keras's by the goldens.) */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

static tt_val params(void)
{
    return tt_dict("w", tt_array(TT_F32, ((float[]){ 1, 2 }), 2), "bias", tt_array(TT_F32, ((float[]){ 3 }), 1));
}

static void same(tt_val opt, const char *text)
{
    const tt_val other = tt_optimizer(params(), text);
    CHECK(tt_ok(), "%s: %s", text, tt_error());
    CHECK(tt_ok() && !strcmp(tt_tag(opt), tt_tag(other)), "%s: %s and %s", text, tt_tag(opt), tt_tag(other));
    CHECK(tt_tree_leaves(opt, 0, NULL) == tt_tree_leaves(other, 0, NULL), "%s: %d and %d leaves", text,
        tt_tree_leaves(opt, 0, NULL),
          tt_tree_leaves(other, 0, NULL));
    tt_clear();
}

/* Two optimizers in one chain have two rates: sgd's -0.5 turns sgd's step of -0.25 g around. */
static void two_rates(void)
{
    tt_val p = params(), opt = tt_optimizer(p, "sgd(0.25); sgd(-0.5)"), g = params();
    CHECK(tt_num(tt_get(opt, "rate")) == 0.25 && tt_num(tt_get(opt, "rate_1")) == -0.5, "%s", tt_error());
    tt_opt_step(&p, &opt, g);
    CHECK(tt_ok() && tt_num(tt_get(p, "bias")) == 3 - 0.125 * 3, "%g: %s", tt_num(tt_get(p, "bias")), tt_error());
    tt_clear();
}

/* As in optax: a momentum that is given keeps its trace, and steps that are gathered one by one are counted. */
static void kept(void)
{
    const tt_val p = params(), still = tt_optimizer(p, "sgd(0.5, momentum=0)");
    CHECK(tt_has(still, "trace.w") && !tt_has(tt_optimizer(p, "sgd(0.5)"), "trace.w"), "momentum=0: %s", tt_tag(still));
    CHECK(tt_has(tt_sgd(p, .momentum = 0), "trace.w") && !tt_has(tt_sgd(p), "trace.w"), ".momentum = 0");
    CHECK(tt_has(tt_optimizer(p, "rmsprop(0.5, momentum=0)"), "trace.w"), "rmsprop with momentum=0");
    CHECK(!tt_has(tt_optimizer(p, "keras.SGD(0.5, momentum=0)"), "trace.w"), "Keras has no momentum of 0");
    tt_val w = params(), opt = tt_optimizer(w, "multi_steps(every=1); sgd(0.5)");
    tt_opt_step(&w, &opt, p);
    CHECK(tt_ok() && tt_num(tt_get(w, "bias")) == 1.5 && tt_num(tt_get(opt, "mini_step")) == 0 &&
              tt_num(tt_get(opt, "gradient_step")) == 1, "every=1: %s", tt_ok() ? tt_tag(opt) : tt_error());
    tt_clear();
}

/* Unlike optax's MultiSteps: a NaN gradient reaches the parameters at the end of its round, and not the next round. */
static void nan_between(void)
{
    tt_val w = params(), opt = tt_optimizer(w, "multi_steps(every=2); sgd(0.5)"), p = params();
    tt_opt_step(&w, &opt, tt_dict("w", tt_get(p, "w"), "bias", tt_full(NAN, TT_F32, 1)));
    CHECK(tt_ok() && tt_num(tt_get(w, "bias")) == 3, "between: %g: %s", tt_num(tt_get(w, "bias")), tt_error());
    tt_opt_step(&w, &opt, p);
    CHECK(isnan(tt_num(tt_get(w, "bias"))) && tt_num(tt_get(opt, "acc_grads.bias")) == 0, "the end: %s", tt_error());
}

/* Moments begin at 0 where a parameter is infinite, and frozen updates are 0 where a gradient is NaN, as in optax. */
static void not_finite(void)
{
    static const char *const texts[] = {
        "adam(0.5)", "sgd(0.5, momentum=0.5)", "rmsprop(0.5, initial_scale=1)", "adagrad(0.5)", "adadelta(0.5)",
        "amsgrad(0.5)", "radam(0.5)", "adamax(0.5)", "adabelief(0.5)", "yogi(0.5)", "adan(0.5)", "rprop(0.5)",
        "adafactor(0.5, min_dim_size_to_factor=1)", "sm3(0.5)", "multi_steps(every=2); adam(0.5)", "scale_by_lbfgs(2)",
    };
    const float ends[4] = { 1, -INFINITY, NAN, 2 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const tt_val p = tt_dict("w", tt_array(TT_F32, ends, 2, 2), "bias", tt_array(TT_F32, ends, 3));
        const tt_val state = tt_optimizer(p, texts[i]);
        tt_val leaf[32];
        const int n = tt_tree_leaves(state, 32, leaf);
        CHECK(tt_ok() && n > 0, "%s: %s", texts[i], tt_error());
        for (int k = 0; k < n; k++)
            CHECK(tt_num(tt_all(tt_is_finite(tt_cast(leaf[k], TT_F32)))) == 1, "%s: %s is %s", texts[i],
                  tt_leaf_path(state, k), tt_value_text(leaf[k]));
        tt_clear();
    }
    tt_val p = tt_dict("w", tt_array(TT_F32, ((float[]){ 1, -INFINITY }), 2)), opt = tt_adam(p, .rate = 0.5);
    const tt_val slope = tt_dict("w", tt_array(TT_F32, ((float[]){ 2, 0 }), 2));
    for (int k = 0; k < 2; k++) tt_opt_step(&p, &opt, slope);
    float w[2] = { 0 };
    CHECK(tt_read(tt_get(p, "w"), w, sizeof w) && fabsf(w[0]) < 1e-5f && w[1] == -INFINITY, "adam: %g %g, %s",
          (double)w[0], (double)w[1], tt_error());
    tt_val seen = params(), sums = tt_adagrad(seen, .rate = 0.5);        /* a gradient that is NaN is not left out */
    tt_opt_step(&seen, &sums, tt_dict("w", tt_array(TT_F32, ((float[]){ NAN, 0 }), 2), "bias",
                                      tt_array(TT_F32, ((float[]){ 2 }), 1)));
    CHECK(tt_read(tt_get(seen, "w"), w, sizeof w) && isnan(w[0]) && w[1] == 2, "adagrad: %g %g, %s", (double)w[0],
          (double)w[1], tt_error());
    tt_val q = params(), none = tt_optimizer(q, "partition(w=set_to_zero(), others=sgd(0.5))");
    tt_opt_step(&q, &none, tt_dict("w", tt_array(TT_F32, ((float[]){ NAN, INFINITY }), 2), "bias",
                                   tt_array(TT_F32, ((float[]){ 2 }), 1)));
    CHECK(tt_read(tt_get(q, "w"), w, sizeof w) && w[0] == 1 && w[1] == 2 && tt_num(tt_get(q, "bias")) == 2,
          "set_to_zero: %g %g, %s", (double)w[0], (double)w[1], tt_error());
    tt_clear();
}

/* Zeros, False and None as Python writes them: the options are off, or have their defaults. */
static void off(void)
{
    static const char *const alike[][2] = {
        { "keras.Adam(0.5, amsgrad=False)", "keras.Adam(0.5)" }, { "keras.Adam(0.5, amsgrad=0.)", "keras.Adam(0.5)" },
        { "keras.Adam(0.5, amsgrad=-0)", "keras.Adam(0.5)" }, { "keras.Adam(0.5, amsgrad=None)", "keras.Adam(0.5)" },
        { "keras.Adam(0.5, amsgrad=True)", "keras.Adam(0.5, amsgrad=1)" },
        { "keras.AdamW(0.5, amsgrad=False)", "keras.AdamW(0.5)" },
        { "keras.Adam(0.5, weight_decay=None, clipnorm=None)", "keras.Adam(0.5)" },
        { "keras.Adam(0.5, global_clipnorm=None, clipvalue=None)", "keras.Adam(0.5)" },
        { "keras.SGD(0.5, momentum=0e0, nesterov=False, clipnorm=0.00)", "keras.SGD(0.5)" },
        { "keras.SGD(0.5, 0.25, clipvalue=False)", "keras.SGD(0.5, 0.25)" },
        { "keras.RMSprop(0.5, centered=False, momentum=0.)", "keras.RMSprop(0.5)" },
        { "keras.RMSprop(0.5, centered=True, momentum=False)", "keras.RMSprop(0.5, centered=1)" },
        { "rmsprop(0.5, centered=False, momentum=None)", "rmsprop(0.5)" },
        { "sgd(0.5, momentum=None, accumulator_dtype=None)", "sgd(0.5)" },
        { "adam(0.5, mu_dtype=None, nesterov=False)", "adam(0.5, nesterov=False)" },
        { "adamw(0.5, mask=None)", "adamw(0.5)" }, { "lamb(0.5, mask=None)", "lamb(0.5)" },
    };
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        same(tt_optimizer(params(), alike[i][0]), alike[i][1]);
}

typedef struct { const char *text; float bias, w[2]; } answer;
static void answers(size_t n, const answer *t, int steps)
{
    static const float g[5][3] = { { 2, 0.5f, -1 }, { -1, 0.25f, 3 }, { 0.5f, -2, 1 }, { 1, 1, -0.5f },
                                   { -0.25f, 0.75f, 2 } };
    for (size_t i = 0; i < n; i++) {
        tt_val p = params(), opt = tt_optimizer(p, t[i].text);
        float bias, w[2];
        for (int k = 0; k < steps; k++)
            tt_opt_step(&p, &opt, tt_dict("w", tt_array(TT_F32, g[k] + 1, 2), "bias", tt_array(TT_F32, g[k], 1)));
        CHECK(tt_read(tt_get(p, "bias"), &bias, sizeof bias) && tt_read(tt_get(p, "w"), w, sizeof w), "%s: %s",
              t[i].text, tt_error());
        CHECK(fabsf(bias - t[i].bias) < 1e-6f && fabsf(w[0] - t[i].w[0]) < 1e-6f &&
                  fabsf(w[1] - t[i].w[1]) < 1e-6f,
              "%s: %.9g, %.9g, %.9g", t[i].text, (double)bias, (double)w[0], (double)w[1]);
        tt_clear();
    }
}

/* optax's answers (0.2.8) after five steps. */
static void of_optax(void)
{
    static const answer t[] = {
        { "lars(0.5, 0.1, not bias, 0.25, trust_ratio_mask=w)",
          -0.878099978f, { 0.304356337f, 1.41797972f } },
        { "lars(0.5, 0.1, trust_coefficient=0.25, eps=0.125, trust_ratio_mask=bias, momentum=0.5, nesterov=1)",
          1.90221357f, { 0.309705138f, -2.26289988f } },
        { "lamb(0.25, weight_decay=0.5, mask=w)",
          0.711914062f, { 0.160727501f, 0.675424099f } },
        { "scale_by_adam(); scale_by_schedule(linear(-0.5, -0.1, 3))",
          2.23846579f, { 0.250255644f, 2.09800196f } },
        { "trace(0.5); scale_by_learning_rate(0.25, flip_sign=False); scale(-1)",
          1.96875f, { 0.953125f, 0.328125f } },
        { "scale_by_learning_rate(linear(0.5, 0.1, 3), flip_sign=0)",
          3.82499981f, { 1.05000007f, 2.98333335f } },
        { "multi_steps(every=2, use_grad_mean=False); adam(0.25)",
          2.50230241f, { 0.798378766f, 1.54235435f } },
        { "multi_steps(2, use_grad_mean=True); sgd(0.25)",
          2.6875f, { 1.03125f, 1.6875f } },
        { "multi_steps(2, 0); sgd(0.25)",
          2.375f, { 1.0625f, 1.375f } },
    };
    answers(sizeof t / sizeof *t, t, 5);
}

/* Keras's own answers after two steps. */
static void of_keras(void)
{
    static const answer t[] = {
        { "keras.Adadelta(0.5, rho=0.5)", 2.99995899f, { 0.999593854f, 1.99991584f } },
        { "keras.Adamax(0.5)", 2.39463162f, { 0.131210595f, 2.31578922f } },
        { "keras.Nadam(0.5, beta_1=0.5)", 2.67593908f, { 0.0891595781f, 1.96621823f } },
        { "keras.Lamb(0.5, 0.25)", 0.57421875f, { -0.78614229f, 1.63475442f } },
        { "keras.Ftrl(0.5, l1_regularization_strength=0.25, l2_regularization_strength=0.5, "
          "l2_shrinkage_regularization_strength=0.125, beta=0.25)", 1.4185977f, { -0.0715524852f, 0.474008173f } },
    };
    answers(sizeof t / sizeof *t, t, 2);
}

static void words(void)
{
    const tt_val p = params();
    same(tt_sgd(p), "sgd(0.01)");
    same(tt_sgd(p, .rate = 0.5, .momentum = 0.75, .nesterov = 1), "sgd(0.5, momentum=0.75, nesterov=1)");
    same(tt_sgd(p, .rate = 0.5, .mu_dtype = TT_BF16, .momentum = 0.5), "sgd(0.5, 0.5, accumulator_dtype=bfloat16)");
    same(tt_adam(p, .rate = 0.5, .b1 = 0.5, .eps = 0.25), "adam(0.5, 0.5, eps=0.25)");
    same(tt_adam(p, .rate = 0.5, .b1 = 0), "adam(0.5, 0)");
    same(tt_adam(p, .rate = 0.5, .decay = 0.25), "adamw(0.5, weight_decay=0.25)");
    same(tt_adamw(p, .rate = 0.5, .mask = "not bias"), "adamw(0.5, mask=not bias)");
    same(tt_adamw(p, .rate = 0.5, .keras = 1, .b2 = 0.5), "keras.AdamW(0.5, beta_2=0.5)");
    same(tt_nadam(p, .rate = 0.5), "nadam(0.5)");
    same(tt_nadam(p, .rate = 0.5, .decay = 0.5), "nadamw(0.5, weight_decay=0.5)");
    same(tt_radam(p, .rate = 0.5, .eps_root = 0.5), "radam(0.5, eps_root=0.5)");
    same(tt_amsgrad(p, .rate = 0.5), "amsgrad(0.5)");
    same(tt_adamax(p, .rate = 0.5), "adamax(0.5)");
    same(tt_lamb(p, .rate = 0.5, .decay = 0.5), "lamb(0.5, weight_decay=0.5)");
    same(tt_lion(p, .rate = 0.5, .b1 = 0.5), "lion(0.5, 0.5)");
    same(tt_lars(p, .rate = 0.5, .trust = 0.5), "lars(0.5, trust_coefficient=0.5)");
    same(tt_lars(p, .rate = 0.5, .trust_mask = "not bias"), "lars(0.5, trust_ratio_mask=not bias)");
    same(tt_rmsprop(p, .rate = 0.5, .centered = 1, .momentum = 0.5), "rmsprop(0.5, centered=1, momentum=0.5)");
    same(tt_rmsprop(p, .rate = 0.5, .keras = 1, .momentum = 0.5), "keras.RMSprop(0.5, momentum=0.5)");
    same(tt_adagrad(p, .rate = 0.5, .initial = 0.5), "adagrad(0.5, 0.5)");
    same(tt_adadelta(p, .rate = 0.5, .rho = 0.5), "adadelta(0.5, 0.5)");
    same(tt_sgd(p, .rate = 0.5, .every = 4, .clip_norm = 1, .clip_value = 2),
         "multi_steps(every=4); clip_by_global_norm(max_norm=1); clip(max_delta=2); sgd(0.5)");
    same(tt_adam(p, .schedule = "linear(0.5, 0, 10)"), "adam(linear(0.5, 0, 10))");
}

static double at(tt_val p, const char *path, int i) { return tt_num(tt_take(tt_get(p, path), tt_i(i), 0)); }

static void steps(void)
{
    tt_val p = params(), g = tt_add(tt_mul(p, tt_i(0)), tt_f(1)), o = tt_sgd(p, .rate = 0.5);
    tt_opt_step(&p, &o, g);
    CHECK(at(p, "w", 0) == 0.5 && at(p, "bias", 0) == 2.5, "a step of 0.5: w[0] = %g", at(p, "w", 0));
    tt_assign(&o, tt_set(o, "rate", tt_cast(tt_f(0.25), TT_F32)));
    tt_opt_step(&p, &o, g);
    CHECK(at(p, "w", 0) == 0.25, "a replaced rate: w[0] = %g", at(p, "w", 0));

    p = params();
    o = tt_optimizer(p, "add_decayed_weights(0.5, mask=not bias); scale(-1)");
    tt_opt_step(&p, &o, g);
    CHECK(at(p, "w", 1) == 0 && at(p, "bias", 0) == 2, "a mask: w[1] = %g, bias = %g", at(p, "w", 1), at(p, "bias", 0));

    p = tt_set(params(), "bias", tt_leaf(tt_get(params(), "bias"), .frozen = 1));
    o = tt_adam(p, .rate = 0.5, .clip_norm = 1);
    tt_opt_step(&p, &o, g);
    CHECK(at(p, "bias", 0) == 3 && tt_count(tt_get(o, "mu.bias")) == 0, "a frozen leaf: %g", at(p, "bias", 0));
    CHECK(at(p, "w", 0) < 0.51, "beside a frozen leaf: w[0] = %g", at(p, "w", 0));

    p = params();
    o = tt_sgd(p, .rate = 1, .every = 2);
    tt_opt_step(&p, &o, g);
    CHECK(at(p, "w", 0) == 1, "between gathered steps: w[0] = %g", at(p, "w", 0));
    tt_opt_step(&p, &o, tt_mul(g, tt_f(3)));
    CHECK(at(p, "w", 0) == -1 && tt_num(tt_get(o, "gradient_step")) == 1, "the mean of two: w[0] = %g", at(p, "w", 0));

    o = tt_adam(p, .schedule = "piecewise_constant(1, 2 0.5)");
    for (int i = 0; i < 3; i++) tt_opt_step(&p, &o, g);
    CHECK(tt_num(tt_get(o, "rate")) == 0.5, "the schedule's rate is in the state: %g", tt_num(tt_get(o, "rate")));
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

/* A chain's arguments by their place and by their names are the same: schedules, masks, types. */
static void by_place(void)
{
    static const char *const same[][2] = {
        { "scale_by_learning_rate(linear(1, 0.1, 3))", "scale_by_learning_rate(learning_rate=linear(1, 0.1, 3))" },
        { "add_decayed_weights(0.5, w); sgd(0.1)", "add_decayed_weights(weight_decay=0.5, mask=w); sgd(0.1)" },
        { "scale_by_adam(0.9, 0.999, 1e-8, 0, bfloat16); scale(-1)", "scale_by_adam(mu_dtype=bfloat16); scale(-1)" },
        { "adamw(0.1, 0.9, 0.999, 1e-8, 0, float32, 0.5, w)", "adamw(0.1, weight_decay=0.5, mask=w)" },
        { "radam(0.1, 0.9, 0.999, 1e-8, 0, 4)", "radam(0.1, threshold=4)" },
        { "rmsprop(0.1, 0.9, 1e-8, 0, 1, 1, 0.5)", "rmsprop(0.1, centered=1, momentum=0.5)" },
        { "trace(0.9, True); scale(-1)", "trace(decay=0.9, nesterov=1); scale(-1)" },
        { "nadam(0.1, nesterov=False)", "adam(0.1)" },
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double x[2][2];
        for (int k = 0; k < 2; k++) {
            tt_val p = params(), o = tt_optimizer(p, same[i][k]);
            for (int j = 0; j < 3; j++) tt_opt_step(&p, &o, tt_add(p, tt_f(1)));
            x[k][0] = at(p, "w", 0), x[k][1] = at(p, "bias", 0);
            CHECK(tt_ok(), "%s: %s", same[i][k], tt_error());
        }
        CHECK(x[0][0] == x[1][0] && x[0][1] == x[1][1] && x[0][0] != at(params(), "w", 0),
              "%s: w %g and %g, b %g and %g", same[i][0], x[0][0], x[1][0], x[0][1], x[1][1]);
        tt_clear();
    }
}

static void refused(const char *text, const char *why)
{
    tt_optimizer(params(), text);
    CHECK(!tt_ok() && strstr(tt_error(), why), "\"%s\": %s, expected %s", text, tt_ok() ? "no error" : tt_error(), why);
    tt_clear();
}

/* Fails unless the call before it set an error that has the text, and a hint that says what the option expects. */
static void named(const char *why, const char *hint)
{
    CHECK(!tt_ok() && strstr(tt_error(), why) && strstr(tt_error(), hint), "expected %s: %s", why,
          tt_ok() ? "no error" : tt_error());
    tt_clear();
}

/* Options that are texts set nothing but themselves, whatever signs they have. */
static void texts(void)
{
    static const char *const masks[] = { "w, 0.1", "w, b1=0.1", "w); scale(5", "w; bias", "(w)" },
                      *const schedules[] = { "linear(0.1, 0, 5), 0.9", "constant(1); clip(0.001)", "0.1", "None",
                                             "constant(0.1)); scale(100", "constant(0.1), flip_sign=0",
                                             "constant(1) clip(0.001)", "linear(0.1, 0, 5", "(0.1)" };
    const char *const mask = "a mask is ends of paths", *const schedule = "a schedule is one form";
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        tt_adamw(params(), .mask = masks[i]), named("adamw: .mask = ", mask);
        tt_lion(params(), .mask = masks[i]), named("lion: .mask = ", mask);
        tt_lamb(params(), .decay = 0.1, .mask = masks[i]), named("lamb: .mask = ", mask);
        tt_lars(params(), .decay = 0.1, .mask = masks[i]), named("lars: .mask = ", mask);
        tt_lars(params(), .trust_mask = masks[i]), named("lars: .trust_mask = ", mask);
    }
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        tt_sgd(params(), .schedule = schedules[i]), named("sgd: .schedule = ", schedule);
        tt_adam(params(), .keras = 1, .schedule = schedules[i]), named("adam: .schedule = ", schedule);
    }
    same(tt_adam(params(), .schedule = " linear (0.5, 0, 10) "), "adam(linear (0.5, 0, 10))");
}

/* A name that the chain does not have is no setting. */
static void names(void)
{
    static const char *const none[] = { "learning_rate", "momentum", "count", "mini_step" };
    for (int i = 0; i < 4; i++) {
        tt_val p = params(), opt = tt_set(tt_sgd(p), none[i], tt_f(0.5));
        char why[80];
        snprintf(why, sizeof why, "the optimizer's state has \"%s\"", none[i]);
        tt_opt_step(&p, &opt, params());
        named(why, "he chain reads: rate");
    }
    tt_val p = params(), opt = tt_set(tt_set(tt_adam(p), "b1", tt_f(0.5)), "b2.w", tt_f(0.5));
    tt_opt_step(&p, &opt, params());
    named("the optimizer's state has \"b1, b2\"", "he chain reads: mu, nu, rate, count");
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    CHECK_RUN(words());
    CHECK_RUN(two_rates());
    CHECK_RUN(kept());
    CHECK_RUN(nan_between());
    CHECK_RUN(not_finite());
    CHECK_RUN(off());
    CHECK_RUN(refused("keras.Adam(0.1, amsgrad=maybe)", "amsgrad = maybe; expected a number"));
    CHECK_RUN(refused("keras.AdamW(0.1, weight_decay=None)", "weight_decay = None; expected a number"));
    CHECK_RUN(refused("lars(0.1, momentum=None)", "decay = None; expected a number"));
    CHECK_RUN(texts());
    CHECK_RUN(names());
    CHECK_RUN(refused("sgd(constant(1) clip(0.001))", "unexpected text after the form"));
    CHECK_RUN(refused("sgd(join_schedules(constant(1) x, constant(2), 3))", "unexpected text after the form"));
    CHECK_RUN(refused("sgd(sgdr(cosine(0, 1, 1, 5) x))", "unexpected text after the form"));
    CHECK_RUN(of_keras());
    CHECK_RUN(of_optax());
    CHECK_RUN(refused("scale_by_schedule(0.1)", "step_size_fn: expected a schedule"));
    CHECK_RUN(refused("scale_by_schedule()", "step_size_fn is missing"));
    CHECK_RUN(refused("scale_by_schedule(cosine_decay(0.1, nan))", "decay_steps = nan"));
    CHECK_RUN(refused("lars(0.1, trust_ratio_mask=kernel)", "no parameter's path ends in"));
    CHECK_RUN(steps());
    CHECK_RUN(by_place());
    CHECK_RUN(refused("amsgrad(0.1, nesterov=1)", "has no argument \"nesterov\""));
    CHECK_RUN(refused("adam(cosine_decay(0.1, nan))", "decay_steps = nan"));
    CHECK_RUN(refused("adam(0.1, b1=1.5)", "expected 0 to 1"));
    CHECK_RUN(refused("adam(0.1, eps=-1)", "0 or more"));
    CHECK_RUN(refused("sgd(0.1, momentum=2)", "expected 0 to 1"));
    CHECK_RUN(refused("adam(nan)", "expected a number"));
    CHECK_RUN(refused("sgd(1e400)", "learning_rate = inf; expected a finite number"));
    CHECK_RUN(refused("sgd(-inf)", "learning_rate = -inf; expected a finite number"));
    CHECK_RUN(refused("sgd(constant(1e400))", "value = inf; expected a finite number"));
    CHECK_RUN(refused("adam(linear(nan, 0, 10))", "init_value = nan; expected a finite number"));
    CHECK_RUN(refused("sgd(0.1, 0.9, nesterov=2)", "nesterov = 2; expected 0 or 1"));
    CHECK_RUN(refused("keras.Adam(0.1, amsgrad=0.5)", "amsgrad = 0.5; expected 0 or 1"));
    CHECK_RUN(refused("rmsprop(0.1, centered=-1)", "centered = -1; expected 0 or 1"));
    CHECK_RUN(refused("ema(0.5, debias=3)", "debias = 3; expected 0 or 1"));
    CHECK_RUN(refused("multi_steps(2, 2); sgd(0.1)", "use_grad_mean = 2; expected 0 or 1"));
    CHECK_RUN(refused("sgd(exponential_decay(1, 10, 0.5, staircase=2))", "staircase = 2; expected 0 or 1"));
    tt_sgd(params(), .rate = INFINITY);
    CHECK_RUN(named("learning_rate = inf", "expected a finite number"));
    CHECK_RUN(refused("", "names no optimizer"));
    CHECK_RUN(refused("adam(piecewise_constant(0.1, 10 0.5 20))",
                      "3 numbers; expected pairs of a boundary and a scale"));
    CHECK_RUN(refused("adam(piecewise_constant(0.1, 20 0.5 10 0.5))", "boundary 10 after 20"));
    CHECK_RUN(refused("adam(piecewise_interpolate(cube, 0.1, 10 0.5))", "the words are: linear, cosine"));
    char long_one[2048] = "adam(piecewise_constant(0.1, ";
    for (int i = 1; i <= 33; i++) sprintf(long_one + strlen(long_one), "%d 0.5 ", i);
    CHECK_RUN(refused(strcat(long_one, "))"), "more than 64 numbers"));
    strcpy(long_one, "adamw(0.1, mask=not ");
    for (int i = 0; i < 130; i++) strcat(long_one, "w 12 ");
    CHECK_RUN(refused(strcat(long_one, ")"), "characters; 639 are the most"));
    CHECK_RUN(refused("sgd(cosine_onecycle(x, 1))", "= x; expected a number"));
    CHECK_RUN(refused("adam(0.1, beta=3)", "has no argument \"beta\""));
    CHECK_RUN(refused("adam(0.1", "')' is missing"));
    CHECK_RUN(refused("adam(0.1) sgd(0.1)", "expected ';' between two parts"));
    CHECK_RUN(refused("eve(0.1)", "no optimizer \"eve\", and no part of one"));
    CHECK_RUN(refused("sgd(fast)", "= fast; expected a number"));
    CHECK_RUN(refused("sgd(0.1, mumentum=1)", "has no argument \"mumentum\""));
    tt_val p = params(), tagged = tt_tagged("sgd(0.5)", params());
    tt_opt_step(&p, &tagged, params());
    CHECK_RUN(named("\"sgd\" is a complete optimizer", "make the state with tt_optimizer"));
    tt_schedule("linaer(1, 2, 3)", tt_i(1));
    CHECK(!tt_ok() && strstr(tt_error(), "no schedule"), "a misspelt schedule");
    tt_clear();
    tt_schedule("join_schedules(constant(1), constant(2))", tt_i(1));
    CHECK(!tt_ok() && strstr(tt_error(), "more than boundaries"), "a boundary less: %s", tt_error());
    tt_clear();
    return check_done();
}
