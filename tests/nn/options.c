/* options.c - what layers' parameters begin as and are kept in: .scale_init, .bias_init, .param_dtype and .dtype of
 * norms, dense layers, convolutions, embeddings, attention and runs of cells, against numbers of Flax 0.12's; norms of
 * float64 and of complex numbers. */
#include "check.h"

#include <math.h>
#include <tutti.h>

#define MODULE(name, y)      static tt_val name(tt_nn m, tt_val x) { return y; }
MODULE(drawn, tt_layer_norm(m, "n", x, .scale_init = "normal(0.5)", .bias_init = "normal(0.5)"))
MODULE(batch, tt_batch_norm(m, "n", x, .scale_init = "normal(0.5)", .bias_init = "uniform(2)"))
MODULE(group, tt_group_norm(m, "n", x, 2, .scale_init = "normal(0.5)"))
MODULE(rms, tt_rms_norm(m, "n", x, .scale_init = "normal(0.5)", .param_dtype = TT_BF16))
MODULE(none, tt_layer_norm(m, "n", x, .scale_init = "zeros", .bias_init = "constant(3)"))
MODULE(plain, tt_layer_norm(m, "n", x))
MODULE(plain_two, tt_layer_norm(m, "n", x, .two_pass = 1))
MODULE(plain_rms, tt_rms_norm(m, "n", x))
MODULE(plain_batch, tt_batch_norm(m, "n", x))

static tt_val squares(void)                              /* 0, 1, 4, ... 121 over 10, [1, 3, 4] */
{
    return tt_div(tt_square(tt_reshape(tt_arange(TT_F32, 12), 1, 3, 4)), tt_f(10));
}

static void is(const char *what, tt_val v, int n, const double *want)
{
    float x[64] = { 0 };
    tt_val flat = tt_cast(tt_flatten(v, 0), TT_F32);
    CHECK(tt_read(tt_slice(flat, 0, 0, n, 1), x, (size_t)n * sizeof *x), "%s: %s", what, tt_error());
    for (int i = 0; i < n; i++)
        CHECK(fabs(x[i] - want[i]) < 3e-6, "%s[%d] = %.9g, expected %.9g", what, i, (double)x[i], want[i]);
}
#define IS(what, v, ...) \
    is(what, v, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]){ __VA_ARGS__ })

static void norms(void)
{
    const tt_val x = squares(), key = tt_key(0);
    tt_val v = tt_init(drawn, key, x);
    IS("scale", tt_get(v, "n.scale"), -0.6549158096313477, 0.3476617634296417, -0.8704676032066345,
       -0.4111380875110626);
    IS("bias", tt_get(v, "n.bias"), -1.2129974365234375, 1.1353458166122437, -0.5892025828361511, -0.6013824343681335);
    IS("layer norm", tt_apply(drawn, v, x), -0.55808424949646, 0.8870169520378113, -0.7135545611381531,
       -1.2474539279937744, -0.3903030753135681, 0.9522022008895874);
    v = tt_init(batch, key, x);
    IS("batch bias", tt_get(v, "n.bias"), 0.01526641845703125, 1.9768342971801758, 0.23863506317138672,
       0.22906732559204102);
    IS("batch norm", tt_apply(batch, v, x), 0.01526641845703125, 2.0116002559661865, -0.10955026745796204,
       -0.1409551501274109, -1.0325937271118164, 2.84598445892334);
    IS("group norm", tt_apply(group, tt_init(group, key, x), x), 0.6616093516349792, -0.33994612097740173,
       0.9786461591720581, 0.41522613167762756, 0.32195964455604553, -0.06949175149202347);
    v = tt_init(rms, key, x);
    IS("RMS scale", tt_get(v, "n.scale"), -0.53125, 0.5625, -0.15625, 0.9453125);
    IS("RMS norm", tt_apply(rms, v, x), 0, 0.11364193260669708, -0.12626880407333374, 1.7188341617584229,
       -0.2512528598308563, 0.41567566990852356);
    IS("scale 0", tt_apply(none, tt_init(none, key, x), x), 3, 3, 3, 3);
}

/* ---- types ---- */

MODULE(narrow, (tt_dense(m, "d", x, 2, .param_dtype = TT_BF16), tt_layer_norm(m, "l", x, .param_dtype = TT_BF16),
                tt_batch_norm(m, "b", x, .param_dtype = TT_BF16), tt_group_norm(m, "g", x, 2, .param_dtype = TT_BF16),
                tt_conv(m, "c", x, 2, .window = { 2 }, .param_dtype = TT_BF16),
                tt_conv_transpose(m, "t", x, 2, .window = { 2 }, .param_dtype = TT_BF16),
                tt_depthwise_conv(m, "w", x, 2, .window = { 2 }, .param_dtype = TT_BF16),
                tt_separable_conv(m, "s", x, 2, .window = { 2 }, .param_dtype = TT_BF16),
                tt_embed(m, "e", tt_cast(x, TT_I32), 200, 3, .param_dtype = TT_BF16),
                tt_attention_layer(m, "a", x, 2, .param_dtype = TT_BF16, .normalize_qk = 1),
                tt_rnn(m, "r", tt_mgu_cell, tt_zeros(TT_F32, 3, 4), x, .param_dtype = TT_BF16),
                tt_dense(m, "low", x, 2, .lora = 2, .param_dtype = TT_BF16)))
MODULE(computed, tt_layer_norm(m, "l", x, .dtype = TT_BF16))
MODULE(given, tt_rnn(m, "r", tt_mgu_cell, tt_zeros(TT_F32, 3, 4), x, .kernel_init = "constant(2)",
                     .recurrent_init = "constant(3)", .bias_init = "constant(4)"))
MODULE(seen, tt_attention_layer(m, "a", x, 2, .kernel_init = "constant(2)", .out_kernel_init = "constant(3)",
                                .bias_init = "constant(4)", .out_bias_init = "constant(5)"))

static void types(void)
{
    const tt_val x = squares(), v = tt_init(narrow, tt_key(0), x);
    tt_val leaf[64];
    const int n = tt_tree_leaves(v, 64, leaf);
    CHECK(n == 41 && tt_ok(), "%d leaves: %s", n, tt_error());
    for (int i = 0; i < n; i++) {
        const char *path = tt_leaf_path(v, i);
        const bool running = !strcmp(path, "b.mean") || !strcmp(path, "b.var");
        CHECK(tt_dtype_of(leaf[i]) == (running ? TT_F32 : TT_BF16), "%s is %s", path, tt_type_text(leaf[i]));
    }
    CHECK(tt_dtype_of(tt_apply(narrow, v, x)) == TT_F32, "bf16 with f32: %s", tt_type_text(tt_apply(narrow, v, x)));
    const tt_val c = tt_init(computed, tt_key(0), x);
    CHECK(tt_dtype_of(tt_get(c, "l.scale")) == TT_F32 && tt_dtype_of(tt_apply(computed, c, x)) == TT_BF16, "%s",
          tt_type_text(tt_apply(computed, c, x)));
}

static void begun(void)
{
    tt_val v = tt_init(given, tt_key(0), squares());
    IS("if.kernel", tt_get(v, "r.if.kernel"), 2);
    IS("hn.kernel", tt_get(v, "r.hn.kernel"), 3);
    IS("hn.bias", tt_get(v, "r.hn.bias"), 4);
    v = tt_init(narrow, tt_key(0), squares());
    IS("the gate's bias", tt_cast(tt_get(v, "r.if.bias"), TT_F32), 1);
    IS("another bias", tt_cast(tt_get(v, "r.in.bias"), TT_F32), 0);
    v = tt_init(seen, tt_key(0), squares());
    IS("key", tt_get(v, "a.key.kernel"), 2);
    IS("key's bias", tt_get(v, "a.key.bias"), 4);
    IS("out", tt_get(v, "a.out.kernel"), 3);
    IS("out's bias", tt_get(v, "a.out.bias"), 5);
}

/* Flax 0.12: nn.DenseGeneral(5, axis=(2, 1), name="d") of [2, 3, 4]: a kernel [3, 4, 5], as of axis=(1, 2). */
MODULE(falling, tt_dense(m, "d", x, 5, .dims = "2, 1"))
MODULE(ends, tt_dense(m, "d", x, 5, .dims = "-1, 1", .lora = 2))
static void sorted(void)
{
    const tt_val x = tt_div(tt_reshape(tt_arange(TT_F32, 24), 2, 3, 4), tt_f(24)), v = tt_init(falling, tt_key(0), x);
    CHECK(!strcmp(tt_type_text(tt_get(v, "d.kernel")), "f32[3, 4, 5]"), "%s", tt_type_text(tt_get(v, "d.kernel")));
    IS("kernel", tt_get(v, "d.kernel"), 0.24557118117809296, 0.17169958353042603, -0.04779627546668053,
       0.25175532698631287, -0.48576655983924866, 0.006294777151197195);
    IS("dense", tt_apply(falling, v, x), 0.3548353910446167, 0.38014519214630127, 0.0034241974353790283,
       -0.05845789611339569, 0.002967342734336853, 1.1272575855255127, 0.9253875017166138, 0.016115501523017883,
       0.12720584869384766, -0.5224767923355103);
    const tt_val low = tt_get(tt_init(ends, tt_key(0), x), "d.lora_a");
    CHECK(!strcmp(tt_type_text(low), "f32[3, 4, 2]"), "%s", tt_type_text(low));
}

/* Numbers near a million are told apart in float64 only; of complex numbers, |x|^2 has no imaginary part. */
static void wide(void)
{
    const double far[] = { 1e6, 1e6 + 1e-3, 1e6 + 2e-3, 1e6 + 3e-3 };
    const tt_val x = tt_array(TT_F64, far, 1, 4), y = tt_apply(plain_two, tt_init(plain_two, tt_key(0), x), x);
    CHECK(tt_dtype_of(y) == TT_F64, "%s", tt_type_text(y));
    IS("float64", y, -1.00000001, -0.33333331, 0.33333331, 1.00000001);
    const tt_val i = tt_reshape(tt_arange(TT_F32, 8), 2, 4), z = tt_complex(tt_square(i), tt_sub(tt_f(3), i));
    const tt_val l = tt_apply(plain, tt_init(plain, tt_key(0), z), z);
    IS("real part", tt_real(l), -0.95257926, -0.6804138, 0.13608275, 1.4969103, -1.2510581);
    IS("imaginary part", tt_imag(l), 0.40824825, 0.13608275, -0.13608275, -0.40824825, 0.12107015);
    const tt_val r = tt_apply(plain_rms, tt_init(plain_rms, tt_key(0), z), z);
    IS("RMS, real", tt_real(r), 0, 0.18898223, 0.75592893, 1.7008401);
    IS("RMS, imaginary", tt_imag(r), 0.5669467, 0.37796447, 0.18898223, 0);
    CHECK(tt_ok(), "%s", tt_error());
    const tt_val out = tt_apply_train(plain_batch, tt_init(plain_batch, tt_key(0), x), x, tt_key(1));
    CHECK(tt_dtype_of(tt_item(out, 0)) == TT_F64 && tt_dtype_of(tt_get(tt_item(out, 1), "n.mean")) == TT_F32, "%s, %s",
          tt_type_text(tt_item(out, 0)), tt_type_text(tt_get(tt_item(out, 1), "n.mean")));
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(norms());
    CHECK_RUN(types());
    CHECK_RUN(begun());
    CHECK_RUN(sorted());
    CHECK_RUN(wide());
    return check_done();
}
