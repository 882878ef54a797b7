/* oracle/layers/layer_keras.c - kind `layer`, functions `keras.*` with weights: dense layers, convolutions, norms,
 * embeddings, attention. Weights come under Keras's names and shapes. */
#include "layer_keras.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static tt_val renamed(tt_val vars, const char *theirs, const char *ours)
{
    return layer_has(theirs) ? tt_set_at(0, vars, ours, layer_arg(theirs)) : vars;
}

/* ---- dense, convolutions ---- */

static tt_val dense(tt_nn m, tt_val x)
{
    return keras_activated(tt_dense(m, ".", x, tt_dim(layer_arg("kernel"), -1), .no_bias = keras_lacks("bias")));
}
static tt_val do_dense(void) { return layer_applied(dense, "x", layer_arg("x")); }

/* "...ab,bc->...ac" in words: letters apart, "..." the dims of x that have no letter. */
static void spaced(const char *equation, int rank, char to[256])
{
    int letters = 0, n = 0;
    for (const char *s = equation; *s && *s != ','; s++) letters += isalpha((unsigned char)*s) != 0;
    for (const char *s = equation; *s && n < 200; s++) {
        if (!strncmp(s, "...", 3)) {
            for (int i = letters; i < rank; i++) n += snprintf(to + n, 16, "rest%d ", i);
            s += 2;
        } else if (!strncmp(s, "->", 2)) n += snprintf(to + n, 8, "-> "), s++;
        else if (*s != ' ') to[n++] = *s, to[n++] = ' ';
    }
    to[n] = 0;
}
static tt_val do_einsum(void)                            /* the bias comes shaped for the last dims */
{
    char text[256];
    spaced(oracle_text(keras_options(), "equation", ""), tt_rank(layer_arg("x")), text);
    const tt_val y = tt_einsum_at(0, text, (const tt_val[]){ layer_arg("x"), layer_arg("kernel"), tt_end });
    return keras_activated(keras_lacks("bias") ? y : tt_add(y, layer_arg("bias")));
}

/* The window is the kernel's first dims; one number of an option counts for all of them. */
static tt_conv_opts conv_options(const char *kernel, char pads[128])
{
    const json_t *o = keras_options();
    const tt_val w = layer_arg(kernel);
    tt_conv_opts c = { .size = sizeof c, .pad = layer_pads(o, pads), .groups = oracle_int(o, "groups", 0),
                       .no_bias = keras_lacks("bias") };
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
    return keras_activated(tt_conv_at(0, m, ".", x, oracle_int(keras_options(), "filters", 1), &o));
}
static tt_val do_conv(void) { return keras_out(layer_applied(conv, "x", keras_x())); }

static tt_val conv_transpose(tt_nn m, tt_val x)          /* Keras turns the kernel */
{
    char pads[128];
    tt_conv_opts o = conv_options("kernel", pads);
    o.flip = 1;
    return keras_activated(tt_conv_transpose_at(0, m, ".", x, oracle_int(keras_options(), "filters", 1), &o));
}
static tt_val do_conv_transpose(void) { return keras_out(layer_applied(conv_transpose, "x", keras_x())); }

/* Kernels [window..., C, multiplier] as [window..., 1, C multiplier] */
static tt_val flat_kernel(const char *role)
{
    const tt_val w = layer_arg(role);
    const int n = tt_rank(w) - 2;
    int64_t dims[8] = { 0 };
    for (int i = 0; i < n && i < 6; i++) dims[i] = tt_dim(w, i);
    dims[n] = 1, dims[n + 1] = tt_dim(w, -2) * tt_dim(w, -1);
    return layer_shaped(w, n + 2, dims);
}
static tt_val depthwise(tt_nn m, tt_val x)
{
    char pads[128];
    const tt_conv_opts o = conv_options("kernel", pads);
    return keras_activated(
        tt_depthwise_conv_at(0, m, ".", x, oracle_int(keras_options(), "depth_multiplier", 1), &o));
}
static tt_val do_depthwise(void)
{
    return keras_out(tt_apply(depthwise, tt_set(layer_vars("x"), "kernel", flat_kernel("kernel")), keras_x()));
}
static tt_val separable(tt_nn m, tt_val x)
{
    char pads[128];
    tt_conv_opts o = conv_options("depthwise_kernel", pads);
    o.multiplier = oracle_int(keras_options(), "depth_multiplier", 1);
    return keras_activated(tt_separable_conv_at(0, m, ".", x, oracle_int(keras_options(), "filters", 1), &o));
}
static tt_val do_separable(void)
{
    const tt_val vars = tt_set(layer_vars("x"), "depthwise_kernel", flat_kernel("depthwise_kernel"));
    return keras_out(tt_apply(separable, vars, keras_x()));
}

/* ---- norms, embedding ---- */

static tt_norm_opts norm_options(double eps, double momentum)     /* 0: the layer has none */
{
    return (tt_norm_opts){ .size = sizeof(tt_norm_opts), .eps = oracle_real(keras_options(), "epsilon", eps),
                           .momentum = momentum,
                           .no_scale = keras_lacks("gamma") && keras_lacks("scale"), .no_bias = keras_lacks("beta") };
}
static tt_val norm_vars(void)
{
    tt_val vars = renamed(tt_dict_n(0, 0, NULL, NULL), "gamma", "scale");
    vars = renamed(renamed(vars, "beta", "bias"), "scale", "scale");
    return renamed(renamed(vars, "moving_mean", "mean"), "moving_variance", "var");
}

/* Batch and group norm: `axis` is the channels' dim, which is the last one here. */
static int channels_at(tt_val x)
{
    char over[64];
    int dim[8];
    keras_axes(x, over, dim);
    return dim[0];
}
static tt_val channels_last(tt_val x) { return keras_moved(x, channels_at(x), tt_rank(x) - 1); }
static tt_val channels_back(tt_val y) { return keras_moved(y, tt_rank(y) - 1, channels_at(y)); }

static tt_val batch_norm(tt_nn m, tt_val x)
{
    const tt_norm_opts o = norm_options(1e-3, oracle_real(keras_options(), "momentum", 0.99));
    return tt_batch_norm_at(0, m, ".", x, &o);
}
static tt_val do_batch_norm(void)
{
    const tt_val x = channels_last(layer_arg("x"));
    if (!keras_call("training")) return channels_back(tt_apply(batch_norm, norm_vars(), x));
    const tt_val out = tt_apply_train(batch_norm, norm_vars(), x, tt_key(0)), now = tt_item(out, 1);
    return tt_dict("y", channels_back(tt_item(out, 0)), "new",
                   tt_dict("moving_mean", tt_get(now, "mean"), "moving_variance", tt_get(now, "var")));
}
static tt_val group_norm(tt_nn m, tt_val x)
{
    const tt_norm_opts o = norm_options(1e-3, 0);
    return tt_group_norm_at(0, m, ".", x, oracle_int(keras_options(), "groups", 32), &o);
}
static tt_val do_group_norm(void)
{
    return channels_back(tt_apply(group_norm, norm_vars(), channels_last(layer_arg("x"))));
}

/* Layer and RMS norm: `axis` has the dims of the statistics. */
typedef tt_val norm_over(const char *site, tt_nn m, const char *name, tt_val x, const tt_norm_opts *);
static tt_val normed(norm_over f, tt_nn m, tt_val x, double eps)
{
    tt_norm_opts o = norm_options(eps, 0);
    char over[64];
    int dim[8];
    keras_axes(x, over, dim);
    o.dims = over;
    return f(0, m, ".", x, &o);
}
static tt_val layer_norm(tt_nn m, tt_val x) { return normed(tt_layer_norm_at, m, x, 1e-3); }
static tt_val do_layer_norm(void) { return tt_apply(layer_norm, norm_vars(), layer_arg("x")); }
static tt_val rms_norm(tt_nn m, tt_val x) { return normed(tt_rms_norm_at, m, x, 1e-6); }
static tt_val do_rms_norm(void) { return tt_apply(rms_norm, norm_vars(), layer_arg("x")); }

static tt_val embed(tt_nn m, tt_val x)
{
    return tt_embed(m, ".", x, oracle_int(keras_options(), "input_dim", 1),
                    oracle_int(keras_options(), "output_dim", 1));
}
static tt_val do_embed(void)
{
    return tt_apply(embed, tt_dict("embedding", layer_arg("embeddings")), layer_arg("x"));
}

/* ---- attention ---- */

static tt_val attention(tt_nn m, tt_val x)
{
    const tt_val w = layer_arg("query.kernel");
    const tt_mha_opts o = { .size = sizeof o, .kv = layer_arg("value"), .qkv = tt_dim(w, 1) * tt_dim(w, 2),
                            .out = tt_dim(layer_arg("attention_output.kernel"), 2),
                                .no_bias = keras_lacks("query.bias"),
                            .kv_heads = tt_dim(layer_arg("key.kernel"), 1),
                            .causal = keras_call("use_causal_mask") };
    return tt_attention_layer_at(0, m, ".", x, tt_dim(w, 1), &o);
}
static tt_val do_attention(void)
{
    tt_val vars = layer_vars("query value attention_output.kernel attention_output.bias");
    vars = renamed(renamed(vars, "attention_output.kernel", "out.kernel"), "attention_output.bias", "out.bias");
    return tt_apply(attention, vars, layer_arg("query"));
}

const layer_row layer_keras[] = {
    { "keras.Dense", do_dense }, { "keras.EinsumDense", do_einsum }, { "keras.Conv1D", do_conv },
    { "keras.Conv2D", do_conv }, { "keras.Conv3D", do_conv }, { "keras.Conv1DTranspose", do_conv_transpose },
    { "keras.Conv2DTranspose", do_conv_transpose }, { "keras.Conv3DTranspose", do_conv_transpose },
    { "keras.DepthwiseConv1D", do_depthwise }, { "keras.DepthwiseConv2D", do_depthwise },
    { "keras.SeparableConv1D", do_separable }, { "keras.SeparableConv2D", do_separable },
    { "keras.BatchNormalization", do_batch_norm }, { "keras.LayerNormalization", do_layer_norm },
    { "keras.RMSNormalization", do_rms_norm }, { "keras.GroupNormalization", do_group_norm },
    { "keras.Embedding", do_embed }, { "keras.MultiHeadAttention", do_attention },
    { "keras.GroupQueryAttention", do_attention }, { NULL, NULL },
};
