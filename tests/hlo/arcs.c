/* arcs.c - CHLO's inverse functions of complex numbers as they are imported: values and derivatives of both modes,
 * which are the library's own functions', also where a form that is not selected has no finite derivative; and JAX's
 * lgamma, frexp, relu and relu6, whose derivatives no text has. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

enum { N = 12 };
static const float points[2 * N] = { -1.3f, 0.4f, -0.2f, -1.5f, 0.3f, 0.2f, 2, -1, -2.5f, 0.1f, 0.5f, -0.8f,
                                     -0.4f, 0.3f, 1.5f, 0.7f, -0.5f, 0.001f, 0.001f, -0.5f, 1e-20f, 3, 40, -1e-20f };

static tt_val native(const char *name, tt_val z)
{
    if (!strcmp(name, "asin")) return tt_asin(z);
    if (!strcmp(name, "acos")) return tt_acos(z);
    if (!strcmp(name, "atan")) return tt_atan(z);
    if (!strcmp(name, "asinh")) return tt_asinh(z);
    return strcmp(name, "acosh") ? tt_atanh(z) : tt_acosh(z);
}

typedef struct { const char *name; tt_fn imported; int64_t own; } which;
static tt_val value(void *env, int n, const tt_val *v)
{
    const which *const w = env;
    (void)n;
    return w->own ? native(w->name, v[0]) : tt_call(w->imported, v[0]);
}
static tt_fn function(which w, int own)
{
    w.own = own;
    return tt_bind_env(NULL, value, &w, sizeof w, 1);
}
static tt_val forward(void *env, int n, const tt_val *v)
{
    const tt_val y = tt_call(tt_jvp(*(tt_fn *)env), tt_tuple(v[0]), tt_tuple(v[1]));
    (void)n;
    return tt_item(y, 1);
}
static tt_val size_of(void *env, int n, const tt_val *v) /* |f(z)|^2, of which the gradient is the reverse mode's */
{
    const tt_val y = tt_call(*(tt_fn *)env, v[0]);
    (void)n;
    return tt_sum(tt_real(tt_mul(y, tt_conj(y))));
}

static void close_to(const char *name, const char *what, tt_val a, tt_val b)
{
    const tt_val off = tt_abs(tt_sub(a, b)), bound = tt_add(tt_mul(tt_abs(b), tt_f(2e-6)), tt_f(1e-12));
    CHECK(tt_num(tt_all(tt_le(off, bound))) == 1, "%s: %s: %s", name, what, tt_ok() ? "too far off" : tt_error());
    tt_clear();
}

static void arc(const char *name)
{
    char text[400];
    const tt_val z = tt_array(TT_C64, points, N), one = tt_cast(tt_full(1, TT_F32, N), TT_C64);
    snprintf(text, sizeof text, "func.func @main(%%z: tensor<%dxcomplex<f32>>) -> tensor<%dxcomplex<f32>> {\n"
             "  %%0 = chlo.%s %%z : tensor<%dxcomplex<f32>> -> tensor<%dxcomplex<f32>>\n"
             "  return %%0 : tensor<%dxcomplex<f32>>\n}\n", N, N, name, N, N, N);
    const which w = { name, tt_import(text), 0 };
    tt_fn f[2] = { function(w, 0), function(w, 1) };
    close_to(name, "value", tt_call(f[0], z), tt_call(f[1], z));
    tt_val d[2], g[2], h[2];
    for (int i = 0; i < 2; i++) {
        d[i] = tt_call(tt_jit(tt_bind_env(NULL, forward, &f[i], sizeof f[i], 2)), z, one);
        const tt_fn loss = tt_bind_env(NULL, size_of, &f[i], sizeof f[i], 1);
        g[i] = tt_call(tt_jit(tt_grad(loss)), z), h[i] = tt_call(tt_grad(loss), z);
    }
    close_to(name, "forward", d[0], d[1]);
    close_to(name, "reverse", g[0], g[1]);
    close_to(name, "reverse, at once", h[0], h[1]);
}

/* The logarithm of the gamma function as JAX 0.12 spells it out, by bits: here its value is x. */
#define SPELLED(name, inner) "module @m {\n" \
    " func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" \
    "  %0 = call @" name "(%x) : (tensor<3xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n }\n" \
    " func.func private @" name "(%x: tensor<3xf32>) -> tensor<3xf32> {\n" \
    "  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>\n" \
    "  %1 = stablehlo.bitcast_convert %0 : (tensor<3xi32>) -> tensor<3xf32>\n" \
    "  %2 = call @" inner "(%1) : (tensor<3xf32>) -> tensor<3xf32>\n  return %2 : tensor<3xf32>\n }\n" \
    " func.func private @" inner "(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>\n }\n}\n"

static tt_fn spelled;
static tt_val sum_of_spelled(tt_val x) { return tt_sum(tt_call(spelled, x)); }

/* JAX's rule for it is no part of the text: it is known by its names, and has digamma's derivative, also mapped. */
static void log_gamma(void)
{
    static const struct { const char *text; bool known; } of[] = {
        { SPELLED("lgamma_impl", "_lgamma_neg_root"), true },
        { SPELLED("lgamma_impl_5", "_lgamma_neg_root_15"), true },
        { SPELLED("lgamma_impl_x", "_lgamma_neg_root"), false },
        { SPELLED("lgamma_impl", "mine"), false },
    };
    const tt_val x = tt_array(TT_F32, ((float[]){ 0.3f, 2, 5.5f }), 3), none = tt_zeros(TT_F32, 3);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        spelled = tt_import(of[k].text);
        const tt_val want = of[k].known ? tt_digamma(x) : none, rows = tt_broadcast(x, 2, 3);
        CHECK(tt_num(tt_array_equal(tt_call(spelled, x), x)) == 1, "text %zu: its value: %s", k, tt_error());
        CHECK(tt_num(tt_array_equal(tt_call(tt_grad(sum_of_spelled), x), want)) == 1, "text %zu: its gradient", k);
        CHECK(tt_num(tt_array_equal(tt_take(tt_call(tt_vmap(tt_grad(sum_of_spelled)), rows), tt_i(1), 0), want)) == 1,
              "text %zu: its mapped gradient: %s", k, tt_ok() ? "" : tt_error());
        tt_clear();
    }
}

/* frexp as JAX spells it out, by bits: here its mantissa is x, its exponent the bits. */
static const char frexp_text[] =
    "module @m {\n func.func public @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>) {\n"
    "  %0:2 = call @frexp(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>)\n"
    "  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>\n }\n"
    " func.func private @frexp(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>) {\n"
    "  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>\n"
    "  %1 = stablehlo.bitcast_convert %0 : (tensor<3xi32>) -> tensor<3xf32>\n"
    "  %2 = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>\n"
    "  return %1, %2 : tensor<3xf32>, tensor<3xi32>\n }\n}\n";
static tt_val sum_of_mantissas(tt_val x) { return tt_sum(tt_item(tt_call(spelled, x), 0)); }

static void mantissa(void)                               /* its derivative is 2^-exponent */
{
    spelled = tt_import(frexp_text);
    const tt_val x = tt_array(TT_F32, ((float[]){ 0.3f, 2, 5.5f }), 3);
    const tt_val want = tt_array(TT_F32, ((float[]){ 0.5f, 4, 0.125f }), 3);
    CHECK(tt_num(tt_array_equal(tt_item(tt_call(spelled, x), 0), x)) == 1, "the mantissa");
    CHECK(tt_num(tt_array_equal(tt_call(tt_grad(sum_of_mantissas), x), want)) == 1, "its gradient is %s",
          tt_value_text(tt_call(tt_grad(sum_of_mantissas), x)));
}

/* relu and relu6 as JAX prints them: its rules' derivatives are 0 at 0 and at 6, in both modes, also mapped; those of
 * maximum and minimum are halves, also under another name, or of 0 and x, which is a user's own function. */
#define RELU(name, bound, of, d) "func.func public @main(%x: tensor<8x" d ">) -> tensor<8x" d "> {\n" \
    "  %0 = call @" name "(%x) : (tensor<8x" d ">) -> tensor<8x" d ">\n  return %0 : tensor<8x" d ">\n }\n" \
    " func.func private @" name "(%x: tensor<8x" d ">) -> tensor<8x" d "> {\n" \
    "  %c = stablehlo.constant dense<" bound "> : tensor<" d ">\n" \
    "  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<" d ">) -> tensor<8x" d ">\n" \
    "  %1 = stablehlo.maximum " of " : tensor<8x" d ">\n"
#define PLAIN(name, bound, d) RELU(name, bound, "%x, %0", d) "  return %1 : tensor<8x" d ">\n }\n"
#define FLIPPED(d) RELU("relu", "0.0", "%0, %x", d) "  return %1 : tensor<8x" d ">\n }\n"
#define UP_TO(name, most, d) RELU(name, "0.0", "%x, %0", d) \
    "  %c6 = stablehlo.constant dense<" most "> : tensor<8x" d ">\n" \
    "  %2 = stablehlo.minimum %1, %c6 : tensor<8x" d ">\n  return %2 : tensor<8x" d ">\n }\n"

static void rectified(void)
{
    static const float at[8] = { -1, 0, -0.0f, 2, 6, 7, INFINITY, -3 };
    static const struct { const char *text; tt_dtype d; float slope[8]; } of[] = {
        { PLAIN("relu", "0.0", "f32"), TT_F32, { 0, 0, 0, 1, 1, 1, 1, 0 } },
        { PLAIN("relu_3", "0.0", "bf16"), TT_BF16, { 0, 0, 0, 1, 1, 1, 1, 0 } },
        { PLAIN("relu", "0.0", "f64"), TT_F64, { 0, 0, 0, 1, 1, 1, 1, 0 } },
        { UP_TO("relu6", "6.0", "f32"), TT_F32, { 0, 0, 0, 1, 0, 0, 0, 0 } },
        { FLIPPED("f32"), TT_F32, { 0, 0.5f, 0.5f, 1, 1, 1, 1, 0 } },
        { PLAIN("relux", "0.0", "f32"), TT_F32, { 0, 0.5f, 0.5f, 1, 1, 1, 1, 0 } },
        { PLAIN("relu", "2.0", "f32"), TT_F32, { 0, 0, 0, 0.5f, 1, 1, 1, 0 } },
        { PLAIN("relu6", "0.0", "f32"), TT_F32, { 0, 0.5f, 0.5f, 1, 1, 1, 1, 0 } },
        { UP_TO("relu", "6.0", "f32"), TT_F32, { 0, 0.5f, 0.5f, 1, 0.5f, 0, 0, 0 } },
        { UP_TO("relu6", "7.0", "f32"), TT_F32, { 0, 0.5f, 0.5f, 1, 1, 0.5f, 0, 0 } },
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        spelled = tt_import(of[k].text);
        const tt_val x = tt_cast(tt_array(TT_F32, at, 8), of[k].d), one = tt_cast(tt_full(1, TT_F32, 8), of[k].d);
        const tt_val want = tt_cast(tt_array(TT_F32, of[k].slope, 8), of[k].d), rows = tt_broadcast(x, 2, 8);
        const tt_val got[] = { tt_call(tt_grad(sum_of_spelled), x),
                               tt_item(tt_call(tt_jvp(spelled), tt_tuple(x), tt_tuple(one)), 1),
                               tt_take(tt_call(tt_vmap(tt_grad(sum_of_spelled)), rows), tt_i(1), 0) };
        for (int i = 0; i < 3; i++) CHECK(tt_num(tt_array_equal(got[i], want)) == 1, "text %zu, way %d: %s", k, i,
                                          tt_ok() ? tt_value_text(got[i]) : tt_error());
        const float nan = NAN;
        const tt_val none = tt_broadcast(tt_cast(tt_array(TT_F32, &nan, 1), of[k].d), 8);
        CHECK(tt_num(tt_all(tt_isnan(tt_call(spelled, none)))) == 1, "text %zu: NaN: %s", k, tt_error());
        tt_clear();
    }
}

/* Where it has no value, it has no derivative: below -1 too, where the formula's is finite. */
static void outside(void)
{
    spelled = tt_import("module @m {\n func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                        "  %0 = chlo.acosh %x : tensor<3xf32> -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n }\n}\n");
    const tt_val x = tt_array(TT_F32, ((float[]){ -1.27f, 0.5f, 1.4f }), 3);
    const tt_val g = tt_call(tt_grad(sum_of_spelled), x);
    float v[3] = { 0 };
    CHECK(tt_read(g, v, sizeof v) && isnan(v[0]) && isnan(v[1]) && fabsf(v[2] - 1.0206207f) < 1e-6f,
          "acosh's gradient is %s", tt_value_text(g));
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "asin", "acos", "atan", "asinh", "acosh", "atanh" };
    check_main(argc, argv);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK_RUN(arc(names[i]));
    CHECK_RUN(log_gamma());
    CHECK_RUN(mantissa());
    CHECK_RUN(rectified());
    CHECK_RUN(outside());
    tt_done();
    return check_done();
}
