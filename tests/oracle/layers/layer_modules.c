/* oracle/layers/layer_modules.c - kind `layer`: Flax's layers with given weights, and networks that are made of them.
 * */
#include "layer.h"

#include <stdio.h>
#include <string.h>

static bool lacks(const char *role) { return !layer_has(role); }

static tt_val dense(tt_nn m, tt_val x)
{
    return tt_dense(m, ".", x, oracle_int(layer_params(), "features", 1), .no_bias = lacks("bias"));
}
static tt_val do_dense(void) { return layer_applied(dense, "x", layer_arg("x")); }

static tt_val general(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    int64_t axis[8] = { 0 };
    char over[48] = "";
    tt_dense_opts o = { .size = sizeof o, .dims = over };
    layer_ints(p, "features", o.split, 0);
    layer_ints(p, "axis", axis, 0);
    for (size_t i = 0; i < json_array_size(json_object_get(p, "axis")); i++)
        snprintf(over + strlen(over), 8, "%s%d", i ? ", " : "", (int)axis[i]);
    return tt_dense_at(0, m, ".", x, tt_count(layer_arg("bias")), &o);
}
static tt_val do_general(void) { return layer_applied(general, "x", layer_arg("x")); }

static tt_val lora(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    return tt_dense(m, ".", x, oracle_int(p, "features", 1), .no_bias = 1, .lora = oracle_int(p, "rank", 1));
}
static tt_val do_lora(void) { return layer_applied(lora, "x", layer_arg("x")); }

static tt_val conv(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    const int n = (int)json_array_size(json_object_get(p, "kernel"));
    char pads[128];
    tt_conv_opts o = { .size = sizeof o, .pad = layer_pads(p, pads), .groups = oracle_int(p, "groups", 0),
                       .no_bias = lacks("bias"), .flip = oracle_flag(p, "transpose_kernel") };
    layer_ints(p, "kernel", o.window, 0);
    layer_ints(p, "strides", o.stride, n);
    layer_ints(p, "kernel_dilation", o.dilation, n);
    layer_ints(p, "input_dilation", o.base_dilation, n);
    return (oracle_flag(p, "transpose") ? tt_conv_transpose_at : tt_conv_at)(0, m, ".", x,
                                                                               oracle_int(p, "features", 1), &o);
}
static tt_val do_conv(void) { return layer_applied(conv, "x", layer_arg("x")); }

static tt_val normed(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    const char *op = oracle_text(p, "op", "batch_norm");
    const bool runs = !strcmp(op, "batch_norm");             /* the others have no momentum */
    const tt_norm_opts o = { .size = sizeof o, .eps = oracle_real(p, "epsilon", 0), .no_scale = lacks("scale"),
                             .momentum = runs ? oracle_real(p, "momentum", 0.99) : 0,
                             .given = !oracle_has(p, "epsilon") ? runs ? ".momentum" : NULL
                                      : runs                    ? ".momentum, .eps"
                                                                : ".eps",
                             .no_bias = lacks("bias"), .two_pass = json_is_false(json_object_get(p, "fast")) };
    if (!strcmp(op, "layer_norm")) return tt_layer_norm_at(0, m, ".", x, &o);
    if (!strcmp(op, "rms_norm")) return tt_rms_norm_at(0, m, ".", x, &o);
    if (!strcmp(op, "group_norm")) return tt_group_norm_at(0, m, ".", x, oracle_int(p, "groups", 1), &o);
    if (!strcmp(op, "instance_norm")) return tt_instance_norm_at(0, m, ".", x, &o);
    return tt_batch_norm_at(0, m, ".", x, &o);
}
static tt_val do_norm(void) { return layer_applied(normed, "x", layer_arg("x")); }
static tt_val do_batch_norm(void)
{
    if (json_is_false(json_object_get(layer_params(), "train"))) return do_norm();
    const tt_val out = layer_trained(normed, "x", layer_arg("x"), tt_key(0));
    return tt_dict("y", tt_get(out, "y"), "new_mean", tt_get(out, "new.mean"), "new_var", tt_get(out, "new.var"));
}

static tt_val embed(tt_nn m, tt_val ids)
{
    const json_t *p = layer_params();
    return tt_embed(m, ".", ids, oracle_int(p, "rows", 1), oracle_int(p, "features", 1));
}
static tt_val do_embed(void) { return layer_applied(embed, "ids", layer_arg("ids")); }
static tt_val attend(tt_nn m, tt_val x) { return tt_attend(m, ".", x); }
static tt_val do_attend(void) { return layer_applied(attend, "x", layer_arg("x")); }

static tt_val drop(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    const json_t *dims = json_object_get(p, "broadcast_dims");
    char text[64] = "";
    for (size_t i = 0; i < json_array_size(dims); i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%d", i ? ", " : "", (int)json_integer_value(json_array_get(dims, i)));
    }
    return tt_dropout(m, x, oracle_real(p, "rate", 0), .key = layer_arg("key"), .same = text);
}
static tt_val do_drop(void) { return tt_get(layer_trained(drop, "x key", layer_arg("x"), tt_key(0)), "y"); }

/* ---- attention ---- */

/* A kernel (in, heads * depth), or out's (heads * depth, out) */
static tt_val heads_apart(const char *role, bool out)
{
    const json_t *p = layer_params();
    const int64_t heads = oracle_int(p, "heads", 1), depth = oracle_int(p, "qkv", 1) / heads;
    const tt_val w = layer_arg(role);
    return out ? tt_reshape(w, heads, depth, tt_dim(w, 1)) : tt_reshape(w, tt_dim(w, 0), heads, depth);
}

static tt_val mha(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    tt_mha_opts o = { .size = sizeof o, .qkv = oracle_int(p, "qkv", 0), .out = oracle_int(p, "out", 0),
                      .no_bias = lacks("query.bias"), .normalize_qk = oracle_flag(p, "normalize_qk"),
                      .causal = !strcmp(oracle_text(p, "mask", ""), "causal") };
    if (layer_has("kv")) o.kv = layer_arg("kv");
    if (layer_has("mask")) o.mask = layer_arg("mask");
    return tt_attention_layer_at(0, m, ".", x, oracle_int(p, "heads", 1), &o);
}
static tt_val do_mha(void)
{
    tt_val vars = layer_vars("x kv mask");
    vars = tt_set(vars, "query.kernel", heads_apart("query.kernel", false));
    vars = tt_set(vars, "key.kernel", heads_apart("key.kernel", false));
    vars = tt_set(vars, "value.kernel", heads_apart("value.kernel", false));
    vars = tt_set(vars, "out.kernel", heads_apart("out.kernel", true));
    return tt_apply(mha, vars, layer_arg("x"));
}

/* ---- cells ---- */

static const struct { const char *op; tt_cell *cell; } cells[] = {
    { "gru", tt_gru_cell_at }, { "lstm", tt_lstm_cell_at }, { "simple", tt_simple_cell_at }, { "mgu", tt_mgu_cell_at },
};

static tt_val cell(tt_nn m, tt_val both)                 /* (carry, x) */
{
    const json_t *p = layer_params();
    const tt_val carry = tt_item(both, 0), x = tt_item(both, 1);
    const tt_rnn_opts o = { .size = sizeof o };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        if (strcmp(cells[i].op, oracle_text(p, "op", ""))) continue;
        return oracle_int(p, "time", 0) ? tt_rnn_at(0, m, ".", cells[i].cell, carry, x, &o)
                                        : cells[i].cell(0, m, ".", carry, x);
    }
    return tt_none();
}
static tt_val do_cell(void)
{
    const bool lstm = layer_has("c");
    const tt_val carry = lstm ? tt_tuple(layer_arg("c"), layer_arg("h")) : layer_arg("h");
    const tt_val out = layer_applied(cell, "x h c", tt_tuple(carry, layer_arg("x"))), last = tt_item(out, 0);
    if (!lstm) return tt_dict("y", tt_item(out, 1), "new_h", last);
    return tt_dict("y", tt_item(out, 1), "new_c", tt_item(last, 0), "new_h", tt_item(last, 1));
}

/* ---- networks ---- */

static tt_val block(tt_nn m, tt_val x) { return tt_add(x, tt_tanh(tt_dense(m, ".", x, tt_dim(x, -1)))); }
static tt_val layers(tt_nn m, tt_val x) { return tt_stack(m, ".", block, oracle_int(layer_params(), "layers", 1), x); }
static tt_val do_layers(void) { return layer_applied(layers, "x", layer_arg("x")); }

static tt_val res_block(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    return tt_res_block(m, ".", x, oracle_int(p, "filters", 1), .stride = oracle_int(p, "stride", 1),
                        .norm = { .momentum = 0.9 });
}
static tt_val do_res_block(void)
{
    if (!oracle_flag(layer_params(), "train")) return layer_applied(res_block, "x", layer_arg("x"));
    return layer_trained(res_block, "x", layer_arg("x"), tt_key(0));
}

static tt_val cnn(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    x = tt_relu(tt_conv(m, NULL, x, oracle_int(p, "f1", 1), .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_conv(m, NULL, x, oracle_int(p, "f2", 1), .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_dense(m, NULL, tt_flatten(x, 1), oracle_int(p, "hidden", 1)));
    return tt_dense(m, NULL, x, oracle_int(p, "classes", 1));
}
static tt_val do_cnn(void) { return layer_applied(cnn, "x", layer_arg("x")); }

static tt_val gpt_block(tt_nn m, tt_val x)
{
    const json_t *p = layer_params();
    const int64_t b = tt_dim(x, 0), t = tt_dim(x, 1), c = tt_dim(x, 2), heads = oracle_int(p, "heads", 1);
    tt_val part[3];
    const tt_val all = tt_dense(m, "attn_qkv", tt_layer_norm(m, "ln_1", x, .eps = 1e-5), 3 * c);
    for (int i = 0; i < 3; i++) part[i] = tt_reshape(tt_slice(all, 2, i * c, (i + 1) * c, 1), b, t, heads, c / heads);
    const tt_val seen = tt_reshape(tt_attention(part[0], part[1], part[2], .causal = 1), b, t, c);
    x = tt_add(x, tt_dense(m, "attn_out", seen, c));
    const tt_val wide = tt_dense(m, "mlp_in", tt_layer_norm(m, "ln_2", x, .eps = 1e-5), oracle_int(p, "wide", 4 * c));
    return tt_add(x, tt_dense(m, "mlp_out", tt_gelu(wide), c));
}
static tt_val do_gpt_block(void) { return layer_applied(gpt_block, "x", layer_arg("x")); }

static tt_val gpt(tt_nn m, tt_val ids)
{
    const json_t *p = layer_params();
    const int64_t width = oracle_int(p, "width", 1);
    const tt_val places = tt_embed(m, "wpe", tt_arange(TT_I32, tt_dim(ids, 1)), oracle_int(p, "length", 1), width);
    tt_val x = tt_add(tt_embed(m, "wte", ids, oracle_int(p, "vocab", 1), width), places);
    for (int i = 0; i < oracle_int(p, "layers", 1); i++) {
        char name[32];
        snprintf(name, sizeof name, "block_%d", i);
        x = tt_sub_module(m, name, gpt_block, x);
    }
    return tt_attend(m, "wte", tt_layer_norm(m, "ln_f", x, .eps = 1e-5));
}
static tt_val do_gpt(void) { return layer_applied(gpt, "ids", layer_arg("ids")); }

const layer_row layer_modules[] = {
    { "dense", do_dense }, { "dense_general", do_general }, { "lora", do_lora }, { "conv", do_conv },
    { "conv_transpose", do_conv }, { "batch_norm", do_batch_norm }, { "layer_norm", do_norm }, { "rms_norm", do_norm },
    { "group_norm", do_norm }, { "instance_norm", do_norm }, { "embed", do_embed }, { "embed_attend", do_attend },
    { "dropout", do_drop }, { "multi_head_attention", do_mha }, { "gru_cell", do_cell }, { "lstm_cell", do_cell },
    { "simple_cell", do_cell }, { "mgu_cell", do_cell }, { "scan_layers", do_layers }, { "res_block", do_res_block },
    { "mnist_cnn", do_cnn }, { "gpt_block", do_gpt_block }, { "gpt", do_gpt }, { "nnx.linear", do_dense },
    { "nnx.conv", do_conv }, { "nnx.layer_norm", do_norm }, { "nnx.batch_norm", do_batch_norm }, { NULL, NULL },
};
