/* oracle/layer_keras.c - kind `layer`, functions `keras.*`: Keras 3's layers and losses by the layers here. Weights
 * come under Keras's names and shapes; its fused recurrent kernels are cut into gates. */
#include "layer.h"

#include <stdio.h>
#include <string.h>

static const json_t *options(void) { return json_object_get(layer_params(), "options"); }
static bool lacks(const char *role) { return !layer_has(role); }
static tt_val x_of(void) { return layer_arg("x"); }

static tt_val activated(tt_val v) { return !strcmp(oracle_text(options(), "activation", ""), "relu") ? tt_relu(v) : v; }

static tt_val renamed(tt_val vars, const char *theirs, const char *ours)
{
    return layer_has(theirs) ? tt_set_at(0, vars, ours, layer_arg(theirs)) : vars;
}

/* ---- dense, convolutions ---- */

static tt_val dense(tt_nn m, tt_val x)
{
    return activated(tt_dense(m, ".", x, tt_dim(layer_arg("kernel"), -1), .no_bias = lacks("bias")));
}
static tt_val do_dense(void) { return layer_applied(dense, "x", x_of()); }

/* The window is the kernel's first dims; one number of an option counts for all of them. */
static tt_conv_opts conv_options(const char *kernel, char pads[128])
{
    const json_t *o = options();
    const tt_val w = layer_arg(kernel);
    tt_conv_opts c = { .size = sizeof c, .pad = layer_pads(o, pads), .groups = oracle_int(o, "groups", 0),
                       .no_bias = lacks("bias") };
    const int n = tt_rank(w) - 2;
    for (int i = 0; i < n; i++) c.window[i] = tt_dim(w, i);
    layer_ints(o, "strides", c.stride, n);
    layer_ints(o, "dilation_rate", c.dilation, n);
    if (!*pads) c.pad = "VALID";
    return c;
}

static tt_val conv(tt_nn m, tt_val x)
{
    char pads[128];
    const tt_conv_opts o = conv_options("kernel", pads);
    return activated(tt_conv_at(0, m, ".", x, oracle_int(options(), "filters", 1), &o));
}
static tt_val do_conv(void) { return layer_applied(conv, "x", x_of()); }

static tt_val conv_transpose(tt_nn m, tt_val x)          /* Keras turns the kernel */
{
    char pads[128];
    tt_conv_opts o = conv_options("kernel", pads);
    o.flip = 1;
    return tt_conv_transpose_at(0, m, ".", x, oracle_int(options(), "filters", 1), &o);
}
static tt_val do_conv_transpose(void) { return layer_applied(conv_transpose, "x", x_of()); }

/* Kernels [window..., C, multiplier] as [window..., 1, C multiplier] */
static tt_val flat_kernel(const char *role)
{
    const tt_val w = layer_arg(role);
    return tt_reshape(w, tt_dim(w, 0), tt_dim(w, 1), 1, tt_dim(w, 2) * tt_dim(w, 3));
}
static tt_val depthwise(tt_nn m, tt_val x)
{
    char pads[128];
    const tt_conv_opts o = conv_options("kernel", pads);
    return tt_depthwise_conv_at(0, m, ".", x, oracle_int(options(), "depth_multiplier", 1), &o);
}
static tt_val do_depthwise(void)
{
    return tt_apply(depthwise, tt_set(layer_vars("x"), "kernel", flat_kernel("kernel")), x_of());
}
static tt_val separable(tt_nn m, tt_val x)
{
    char pads[128];
    const tt_conv_opts o = conv_options("depthwise_kernel", pads);
    return tt_separable_conv_at(0, m, ".", x, oracle_int(options(), "filters", 1), &o);
}
static tt_val do_separable(void)
{
    const tt_val vars = tt_set(layer_vars("x"), "depthwise_kernel", flat_kernel("depthwise_kernel"));
    return tt_apply(separable, vars, x_of());
}

/* ---- pools and shapes ---- */

static tt_val pooled(tt_val f(const char *, tt_val, const tt_pool_opts *))
{
    const json_t *o = options();
    char pads[128];
    const int n = tt_rank(x_of()) - 2;
    tt_pool_opts p = { .size = sizeof p, .pad = layer_pads(o, pads), .real_only = 1 };
    layer_ints(o, "pool_size", p.window, n);
    layer_ints(o, "strides", p.stride, n);
    if (!p.stride[0]) memcpy(p.stride, p.window, sizeof p.stride);
    if (!*pads) p.pad = "VALID";
    return f(0, x_of(), &p);
}
static tt_val do_max_pool(void) { return pooled(tt_max_pool_at); }
static tt_val do_avg_pool(void) { return pooled(tt_avg_pool_at); }
static tt_val do_mean_all(void) { return tt_mean(x_of(), .over = "1, 2"); }
static tt_val do_max_all(void) { return tt_amax(x_of(), .over = "1, 2"); }

static tt_val do_upsample(void)                          /* each element `size` times */
{
    const tt_val x = x_of();
    int64_t by[8] = { 1, 1 };
    layer_ints(options(), "size", by, 2);
    const int64_t n = tt_dim(x, 0), h = tt_dim(x, 1), w = tt_dim(x, 2), c = tt_dim(x, 3);
    const tt_val apart = tt_broadcast(tt_reshape(x, n, h, 1, w, 1, c), n, h, by[0], w, by[1], c);
    return tt_reshape(apart, n, h * by[0], w * by[1], c);
}
static tt_val do_zero_pad(void)
{
    const json_t *p = json_object_get(options(), "padding");
    int64_t low[4] = { 0 }, high[4] = { 0 }, none[4] = { 0 };
    for (size_t i = 0; i < 2; i++) {
        low[i + 1] = json_integer_value(json_array_get(json_array_get(p, i), 0));
        high[i + 1] = json_integer_value(json_array_get(json_array_get(p, i), 1));
    }
    return tt_pad(x_of(), tt_f(0), low, high, none);
}
static tt_val do_rescale(void)
{
    const double scale = oracle_real(options(), "scale", 1), offset = oracle_real(options(), "offset", 0);
    return tt_add(tt_mul(x_of(), tt_f(scale)), tt_f(offset));
}
static tt_val do_prelu(void)
{
    const tt_val x = x_of();
    return tt_where(tt_gt(x, tt_f(0)), x, tt_mul(x, layer_arg("alpha")));
}
static tt_val do_leaky(void) { return tt_leaky_relu(x_of(), oracle_real(options(), "negative_slope", 0.3)); }

/* ---- norms, embedding ---- */

static tt_norm_opts norm_options(double eps)
{
    return (tt_norm_opts){ .size = sizeof(tt_norm_opts), .eps = oracle_real(options(), "epsilon", eps),
                           .momentum = oracle_real(options(), "momentum", 0.99),
                           .no_scale = lacks("gamma") && lacks("scale"), .no_bias = lacks("beta") };
}
static tt_val norm_vars(void)
{
    tt_val vars = renamed(tt_dict_n(0, 0, NULL, NULL), "gamma", "scale");
    vars = renamed(renamed(vars, "beta", "bias"), "scale", "scale");
    return renamed(renamed(vars, "moving_mean", "mean"), "moving_variance", "var");
}
static tt_val batch_norm(tt_nn m, tt_val x)
{
    const tt_norm_opts o = norm_options(1e-3);
    return tt_batch_norm_at(0, m, ".", x, &o);
}
static tt_val do_batch_norm(void)
{
    const bool training = oracle_flag(json_object_get(layer_params(), "call"), "training");
    if (!training) return tt_apply(batch_norm, norm_vars(), x_of());
    const tt_val out = tt_apply_train(batch_norm, norm_vars(), x_of(), tt_key(0)), now = tt_item(out, 1);
    return tt_dict("y", tt_item(out, 0), "new",
                   tt_dict("moving_mean", tt_get(now, "mean"), "moving_variance", tt_get(now, "var")));
}
static tt_val layer_norm(tt_nn m, tt_val x)
{
    const tt_norm_opts o = norm_options(1e-3);
    return tt_layer_norm_at(0, m, ".", x, &o);
}
static tt_val do_layer_norm(void) { return tt_apply(layer_norm, norm_vars(), x_of()); }
static tt_val rms_norm(tt_nn m, tt_val x)
{
    const tt_norm_opts o = norm_options(1e-6);
    return tt_rms_norm_at(0, m, ".", x, &o);
}
static tt_val do_rms_norm(void) { return tt_apply(rms_norm, norm_vars(), x_of()); }
static tt_val group_norm(tt_nn m, tt_val x)
{
    const tt_norm_opts o = norm_options(1e-3);
    return tt_group_norm_at(0, m, ".", x, oracle_int(options(), "groups", 32), &o);
}
static tt_val do_group_norm(void) { return tt_apply(group_norm, norm_vars(), x_of()); }
static tt_val do_unit_norm(void)
{
    const tt_val x = x_of(), square = tt_sum(tt_square(x), .over = "-1", .keep = 1);
    return tt_mul(x, tt_rsqrt(tt_max(square, tt_f(1e-12))));
}

static tt_val embed(tt_nn m, tt_val x)
{
    return tt_embed(m, ".", x, oracle_int(options(), "input_dim", 1), oracle_int(options(), "output_dim", 1));
}
static tt_val do_embed(void) { return tt_apply(embed, tt_dict("embedding", layer_arg("embeddings")), x_of()); }

/* ---- recurrent layers: x [batch, time, features] ---- */

static tt_val columns(tt_val v, int64_t i, int64_t n) { return tt_cut(v, -1, i * n, (i + 1) * n, 1); }

typedef struct { const char *cell, *in[4], *state[4]; int gates; } fused;
static const fused gru_gates = { "gru_cell", { "iz", "ir", "in" }, { "hz", "hr", "hn" }, 3 },
                   lstm_gates = { "lstm_cell", { "ii", "if", "ig", "io" }, { "hi", "hf", "hg", "ho" }, 4 },
                   simple_gates = { "simple_rnn_cell", { "i" }, { "h" }, 1 };

static tt_val with(tt_val vars, const char *module, const char *leaf, tt_val v)
{
    char at[64];
    snprintf(at, sizeof at, "%s.%s", module, leaf);
    return tt_set_at(0, vars, at, v);
}

static tt_val weights_of(const fused *g, const char *what)
{
    char role[64];
    snprintf(role, sizeof role, "%s.%s", g->cell, what);
    return layer_arg(role);
}

/* The gates' kernels and biases. Two rows of bias (GRU): of x's and of the state's product, which only hn parts. */
static tt_val gates_of(const fused *g)
{
    const int64_t n = oracle_int(options(), "units", 1);
    const tt_val w = weights_of(g, "kernel"), u = weights_of(g, "recurrent_kernel"), b = weights_of(g, "bias");
    tt_val vars = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < g->gates; i++) {
        const bool two = tt_rank(b) == 2, last = two && i == 2;
        tt_val bias = columns(b, i, n);
        vars = with(with(vars, g->in[i], "kernel", columns(w, i, n)), g->state[i], "kernel", columns(u, i, n));
        if (last) vars = with(vars, g->state[i], "bias", tt_take(bias, tt_i(1), 0));
        if (two) bias = last ? tt_take(bias, tt_i(0), 0) : tt_sum(bias, .over = "0");
        vars = with(vars, g->gates == 4 ? g->state[i] : g->in[i], "bias", bias);
    }
    return vars;
}

static tt_cell *running;
static tt_val rnn(tt_nn m, tt_val x)
{
    const int64_t n = oracle_int(options(), "units", 1);
    const tt_val h = tt_zeros(TT_F32, tt_dim(x, 0), n), xs = tt_transpose(x, 1, 0, 2);
    const tt_rnn_opts o = { .size = sizeof o, .reverse = oracle_flag(options(), "go_backwards") };
    return tt_rnn_at(0, m, ".", running, running == tt_lstm_cell_at ? tt_tuple(h, h) : h, xs, &o);
}
static tt_val ran(const fused *g, tt_cell *cell)
{
    running = cell;
    const tt_val out = tt_apply(rnn, gates_of(g), x_of()), last = tt_item(out, 0);
    if (cell == tt_lstm_cell_at) return tt_dict("y0", tt_item(last, 1), "y1", tt_item(last, 1), "y2", tt_item(last, 0));
    return oracle_flag(options(), "return_sequences") ? tt_transpose(tt_item(out, 1), 1, 0, 2) : last;
}
static tt_val do_gru(void)
{
    const bool before = json_is_false(json_object_get(options(), "reset_after"));
    return ran(&gru_gates, before ? tt_gru_before_cell_at : tt_gru_cell_at);
}
static tt_val do_lstm(void) { return ran(&lstm_gates, tt_lstm_cell_at); }
static tt_val do_simple(void) { return ran(&simple_gates, tt_simple_cell_at); }

/* ---- attention ---- */

static tt_val attention(tt_nn m, tt_val x)
{
    const tt_val w = layer_arg("query.kernel");
    const tt_mha_opts o = { .size = sizeof o, .kv = layer_arg("value"), .qkv = tt_dim(w, 1) * tt_dim(w, 2),
                            .out = tt_dim(layer_arg("attention_output.kernel"), 2), .no_bias = lacks("query.bias"),
                            .kv_heads = tt_dim(layer_arg("key.kernel"), 1),
                            .causal = oracle_flag(json_object_get(layer_params(), "call"), "use_causal_mask") };
    return tt_attention_layer_at(0, m, ".", x, tt_dim(w, 1), &o);
}
static tt_val do_attention(void)
{
    tt_val vars = layer_vars("query value attention_output.kernel attention_output.bias");
    vars = renamed(renamed(vars, "attention_output.kernel", "out.kernel"), "attention_output.bias", "out.bias");
    return tt_apply(attention, vars, layer_arg("query"));
}

/* ---- losses: the mean over the batch ---- */

static tt_val labels(void) { return layer_arg("labels"); }
static tt_val do_sparse(void) { return tt_mean(tt_xent(x_of(), labels())); }
static tt_val do_categorical(void)                       /* probabilities are normalised, and clipped by 1e-7 */
{
    const tt_val t = tt_smooth_labels(labels(), oracle_real(options(), "label_smoothing", 0)), x = x_of();
    if (oracle_flag(options(), "from_logits")) return tt_mean(tt_xent(x, t));
    const tt_val p = tt_clamp(tt_f(1e-7), tt_div(x, tt_sum(x, .over = "-1", .keep = 1)), tt_f(1 - 1e-7));
    return tt_neg(tt_mean(tt_sum(tt_mul(t, tt_log(p)), .over = "-1")));
}
static tt_val do_binary(void) { return tt_mean(tt_bce(x_of(), labels())); }
static tt_val do_squared(void) { return tt_mean(tt_square(tt_sub(x_of(), labels()))); }
static tt_val do_absolute(void) { return tt_mean(tt_abs(tt_sub(x_of(), labels()))); }
static tt_val do_huber(void) { return tt_mean(tt_huber(x_of(), labels(), oracle_real(options(), "delta", 1))); }
static tt_val do_kl(void)
{
    const tt_val t = tt_clamp(tt_f(1e-7), labels(), tt_f(1)), p = tt_clamp(tt_f(1e-7), x_of(), tt_f(1));
    return tt_mean(tt_kl(tt_log(p), t));
}

const layer_row layer_keras[] = {
    { "keras.Dense", do_dense }, { "keras.EinsumDense", do_dense }, { "keras.Conv1D", do_conv },
    { "keras.Conv2D", do_conv }, { "keras.Conv3D", do_conv }, { "keras.Conv2DTranspose", do_conv_transpose },
    { "keras.DepthwiseConv2D", do_depthwise }, { "keras.SeparableConv2D", do_separable },
    { "keras.MaxPooling1D", do_max_pool }, { "keras.MaxPooling2D", do_max_pool },
    { "keras.AveragePooling2D", do_avg_pool }, { "keras.GlobalAveragePooling2D", do_mean_all },
    { "keras.GlobalMaxPooling2D", do_max_all }, { "keras.BatchNormalization", do_batch_norm },
    { "keras.LayerNormalization", do_layer_norm }, { "keras.RMSNormalization", do_rms_norm },
    { "keras.GroupNormalization", do_group_norm }, { "keras.UnitNormalization", do_unit_norm },
    { "keras.Embedding", do_embed }, { "keras.GRU", do_gru }, { "keras.LSTM", do_lstm },
    { "keras.SimpleRNN", do_simple }, { "keras.UpSampling2D", do_upsample }, { "keras.ZeroPadding2D", do_zero_pad },
    { "keras.Rescaling", do_rescale }, { "keras.PReLU", do_prelu }, { "keras.LeakyReLU", do_leaky },
    { "keras.MultiHeadAttention", do_attention }, { "keras.GroupQueryAttention", do_attention },
    { "keras.loss.SparseCategoricalCrossentropy", do_sparse }, { "keras.loss.CategoricalCrossentropy", do_categorical },
    { "keras.loss.BinaryCrossentropy", do_binary }, { "keras.loss.MeanSquaredError", do_squared },
    { "keras.loss.MeanAbsoluteError", do_absolute }, { "keras.loss.Huber", do_huber },
    { "keras.loss.KLDivergence", do_kl }, { NULL, NULL },
};
