/* derivatives_at_zero.c - derivatives where a function is made of halves, against JAX's: |x| has 1 at 0 (its right
 * half); what is smooth there, though made of |x|, has its own: of two places that tie, each takes half. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <tutti.h>

static tt_val absolute(tt_val x) { return tt_sum(tt_abs(x)); }
static tt_val softplus(tt_val x) { return tt_sum(tt_softplus(x)); }
static tt_val log_sigmoid(tt_val x) { return tt_sum(tt_log_sigmoid(x)); }
static tt_val same_terms(tt_val x) { return tt_sum(tt_logaddexp(x, tt_f(0))); }
static tt_val cosh_(tt_val x) { return tt_sum(tt_cosh(x)); }
static tt_val sinh_(tt_val x) { return tt_sum(tt_sinh(x)); }
static tt_val asinh_(tt_val x) { return tt_sum(tt_asinh(x)); }
static tt_val soft_sign(tt_val x) { return tt_sum(tt_soft_sign(x)); }

static void is(const char *name, tt_fn f, float want)
{
    const tt_val g = tt_call(tt_grad(f), tt_array(TT_F32, ((float[]){ 0, -0.f }), 2));
    float got[2] = { 9, 9 };
    CHECK(tt_read(g, got, sizeof got), "%s: %s", name, tt_error());
    CHECK(got[0] == want && got[1] == want, "%s: %g and %g, not %g", name, got[0], got[1], want);
    tt_clear();
}

/* chlo's functions in a text that JAX printed are made of halves here; JAX's derivatives are 1 at 0. */
static void imported(const char *name)
{
    static const char form[] =
        "func.func @main(%%x: tensor<2xf32>) -> tensor<f32> {\n"
        " %%z = stablehlo.constant dense<0.0> : tensor<f32>\n %%0 = chlo.%s %%x : tensor<2xf32> -> tensor<2xf32>\n"
        " %%1 = stablehlo.reduce(%%0 init: %%z) applies stablehlo.add across dimensions = [0]"
        " : (tensor<2xf32>, tensor<f32>) -> tensor<f32>\n return %%1 : tensor<f32>\n}\n";
    char text[sizeof form + 16];
    snprintf(text, sizeof text, form, name);
    is(name, tt_import(text), 1);
}

/* x^y where x is 0: y x^(y - 1), which is NaN at 0^0; but 0 where y holds integers, as in x[:, None] ** arange(3). */
static tt_val power(tt_val x, tt_val y) { return tt_sum(tt_pow(x, y)); }
static tt_val powers(tt_val x) { return tt_sum(tt_pow(tt_reshape(x, 2, 1), tt_arange(TT_I32, 3))); }

static void powers_of_zero(void)
{
    const double y[] = { 0, 1, 2 };
    const int32_t whole[] = { 0, 1, 2 };
    const tt_val x = tt_zeros(TT_F64, 3), by[] = { tt_array(TT_F64, y, 3), tt_array(TT_I32, whole, 3) };
    for (int k = 0; k < 2; k++) {
        double got[3] = { 9, 9, 9 };
        CHECK(tt_read(tt_call(tt_grad(power), x, by[k]), got, sizeof got), "pow: %s", tt_error());
        CHECK((k ? got[0] == 0 : isnan(got[0])) && got[1] == 1 && got[2] == 0, "pow, %s powers: %g, %g, %g",
              k ? "whole" : "float", got[0], got[1], got[2]);
    }
    double got[3] = { 9, 9, 9 };
    CHECK(tt_read(tt_call(tt_grad(power, .wrt = "1"), x, by[0]), got, sizeof got), "pow: %s", tt_error());
    CHECK(!got[0] && !got[1] && !got[2], "pow, by its exponent: %g, %g, %g", got[0], got[1], got[2]);
    tt_clear();
    is("powers", TT_FN(powers), 1);
}

/* Activations made of pieces: their derivatives at NaN, at the pieces' ends and at infinities, by jax.nn. */
static tt_val relu(tt_val x) { return tt_sum(tt_relu(x)); }
static tt_val relu6(tt_val x) { return tt_sum(tt_relu6(x)); }
static tt_val hard_sigmoid(tt_val x) { return tt_sum(tt_hard_sigmoid(x)); }
static tt_val hard_silu(tt_val x) { return tt_sum(tt_hard_silu(x)); }
static tt_val hard_tanh_(tt_val x) { return tt_sum(tt_hard_tanh(x)); }
static tt_val leaky_relu(tt_val x) { return tt_sum(tt_leaky_relu(x, 0.25)); }
static tt_val leaky(tt_val x) { return tt_leaky_relu(x, 0.25); }

static void pieces(void)
{
    enum { N = 9 };
    static const float x[N] = { NAN, 0, -0.f, 6, 3, -3, 1, INFINITY, -INFINITY };
    static const struct { const char *name; tt_f1 *f, *sum; float want[N]; } t[] = {
        { "relu", tt_relu, relu, { 0, 0, 0, 1, 1, 0, 1, 1, 0 } },
        { "relu6", tt_relu6, relu6, { 0, 0, 0, 0, 1, 0, 1, 0, 0 } },
        { "hard_sigmoid", tt_hard_sigmoid, hard_sigmoid,
          { 0, 1 / 6.f, 1 / 6.f, 0, 0, 0, 1 / 6.f, 0, 0 } },
        { "hard_silu", tt_hard_silu, hard_silu, { NAN, 0.5f, 0.5f, 1, 1, 0, 5 / 6.f, 1, 0 } },
        { "hard_tanh", tt_hard_tanh, hard_tanh_, { 1, 1, 1, 0, 0, 0, 1, 0, 0 } },
        { "leaky_relu", leaky, leaky_relu, { 0.25f, 1, 1, 1, 1, 0.25f, 1, 1, 0.25f } },
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        const tt_val at = tt_array(TT_F32, x, N);
        float got[N], y[N];
        CHECK(tt_read(tt_call(tt_grad(t[k].sum), at), got, sizeof got) && tt_read(tt_call(t[k].f, at), y, sizeof y),
              "%s: %s", t[k].name, tt_error());
        CHECK(isnan(y[0]), "%s of NaN is %g", t[k].name, y[0]);
        for (int i = 0; i < N; i++)
            CHECK(fabsf(got[i] - t[k].want[i]) < 1e-6f || (isnan(got[i]) && isnan(t[k].want[i])),
                  "%s at %g: %g, not %g", t[k].name, x[i], got[i], t[k].want[i]);
        tt_clear();
    }
}

/* Of the largest of numbers of which one is NaN all derivatives are NaN, in both modes; infinities that tie share. */
static tt_val most(tt_val x) { return tt_amax(x); }
static tt_val least(tt_val x) { return tt_amin(x); }
static void of_a_nan(const char *name, tt_fn f)
{
    const tt_val x = tt_array(TT_F32, ((float[]){ 1, NAN, 3 }), 3), one = tt_ones(TT_F32, 3);
    const tt_val ends = tt_full((double)INFINITY, TT_F32, 3);
    float got[7] = { 0 };
    CHECK(tt_read(tt_call(tt_grad(f), x), got, 12), "%s: %s", name, tt_error());
    CHECK(tt_read(tt_item(tt_call(tt_jit(tt_jvp(f)), tt_tuple(x), tt_tuple(one)), 1), got + 3, 4), "%s: %s", name,
          tt_error());
    for (int i = 0; i < 4; i++) CHECK(isnan(got[i]), "%s: [%d] %g, not NaN", name, i, (double)got[i]);
    CHECK(tt_read(tt_call(tt_grad(f), ends), got, 12), "%s: %s", name, tt_error());
    for (int i = 0; i < 3; i++) CHECK(got[i] == 1.f / 3, "%s: [%d] %g, not a third", name, i, (double)got[i]);
    tt_clear();
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(is("abs", TT_FN(absolute), 1));
    CHECK_RUN(is("softplus", TT_FN(softplus), 0.5f));
    CHECK_RUN(is("log_sigmoid", TT_FN(log_sigmoid), 0.5f));
    CHECK_RUN(is("logaddexp", TT_FN(same_terms), 0.5f));
    CHECK_RUN(is("cosh", TT_FN(cosh_), 0));
    CHECK_RUN(is("sinh", TT_FN(sinh_), 1));
    CHECK_RUN(is("asinh", TT_FN(asinh_), 1));
    CHECK_RUN(is("soft_sign", TT_FN(soft_sign), 1));
    CHECK_RUN(powers_of_zero());
    CHECK_RUN(pieces());
    CHECK_RUN(of_a_nan("amax", TT_FN(most)));
    CHECK_RUN(of_a_nan("amin", TT_FN(least)));
    CHECK_RUN(imported("sinh"));
    CHECK_RUN(imported("asinh"));
    tt_done();
    return check_done();
}
