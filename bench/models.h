/* models.h - the training steps that are measured: the NNX guide's two matmuls (W1), the MNIST CNN (W2), a language
 * model (W5), its layers one after another or as a scan. A state is a tuple of parameters and the optimizer's state. */
#ifndef TUTTI_BENCH_MODELS_H
#define TUTTI_BENCH_MODELS_H

#include <stdio.h>
#include <tutti.h>

enum { D = 1024, B = 8, BATCH = 128, MEMBERS = 8 };

/* ---- W1: y = relu(x w1) w2, mean squared error, Adam ---- */

static inline tt_val two_dots(tt_nn m, tt_val x)
{
    x = tt_logical_constraint(tt_relu(tt_dense(m, "dot1", x, D, .no_bias = 1, .axes = "embed, hidden")),
        "batch, hidden");
    return tt_dense(m, "dot2", x, D, .no_bias = 1, .axes = "hidden, embed");
}
static inline tt_val dots_loss(tt_val p, tt_val x, tt_val y)
{
    return tt_mean(tt_square(tt_sub(tt_apply(two_dots, p, x), y)));
}
static inline tt_val dots_create(tt_val key, tt_val x)
{
    const tt_val p = tt_init(two_dots, key, x);
    return tt_tuple(p, tt_adam(p, .rate = 1e-3));
}
static inline tt_val dots_step(tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(dots_loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}

/* ---- W2 ---- */

static inline tt_val cnn(tt_nn m, tt_val x)
{
    x = tt_relu(tt_conv(m, "c1", x, 32, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_conv(m, "c2", x, 64, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_dense(m, "d1", tt_flatten(x, 1), 256));
    return tt_dense(m, "out", x, 10);
}
static inline tt_val cnn_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(cnn, p, x), y)); }
static inline tt_val cnn_create(tt_val key)
{
    const tt_val p = tt_init(cnn, key, tt_zeros(TT_F32, 1, 28, 28, 1));
    return tt_tuple(p, tt_sgd(p, .rate = 0.1, .momentum = 0.9));
}
static inline tt_val cnn_step(tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(cnn_loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}

/* ---- W5 ---- */

/* dtype: of computation; 0: that of the parameters, float32 */
static struct { int64_t batch, time, layers, heads, width, vocab, places; tt_dtype dtype; } gpt =
    { 8, 128, 4, 4, 256, 256, 128, 0 };

/* ---- the model: x [B, T] of integers -> logits [B, T, vocab], by the table of the embedding ---- */

static inline tt_val gpt_block(tt_nn m, tt_val x)
{
    x = tt_add(x, tt_attention_layer(m, "attention", tt_layer_norm(m, "norm1", x, .eps = 1e-5), gpt.heads,
                                     .causal = 1, .dtype = gpt.dtype));
    const tt_val h = tt_gelu(tt_dense(m, "up", tt_layer_norm(m, "norm2", x, .eps = 1e-5), 4 * gpt.width,
                                      .dtype = gpt.dtype));
    return tt_add(x, tt_dense(m, "down", h, gpt.width, .dtype = gpt.dtype));
}

static inline tt_val gpt_start(tt_nn m, tt_val x)
{
    const tt_val places = tt_embed(m, "places", tt_arange(TT_I32, gpt.time), gpt.places, gpt.width,
                                   .dtype = gpt.dtype);
    return tt_add(tt_embed(m, "words", x, gpt.vocab, gpt.width, .dtype = gpt.dtype), places);
}
static inline tt_val gpt_finish(tt_nn m, tt_val h)
{
    const tt_val y = tt_attend(m, "words", tt_layer_norm(m, "norm", h, .eps = 1e-5), .dtype = gpt.dtype);
    return gpt.dtype ? tt_cast(y, TT_F32) : y;
}

static inline tt_val gpt_layers(tt_nn m, tt_val x)
{
    tt_val h = gpt_start(m, x);
    for (int64_t i = 0; i < gpt.layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer%lld", (long long)i);
        h = tt_sub_module(m, name, gpt_block, h);
    }
    return gpt_finish(m, h);
}
static inline tt_val gpt_scan(tt_nn m, tt_val x)
{
    return gpt_finish(m, tt_stack(m, "layers", gpt_block, gpt.layers, gpt_start(m, x)));
}

/* ---- a step of each ---- */

static inline tt_val gpt_make(tt_module *model, tt_val key, tt_val x)
{
    const tt_val p = tt_init(model, key, x);
    return tt_tuple(p, tt_adamw(p, .rate = 3e-4, .b2 = 0.95, .decay = 0.1));
}
static inline tt_val gpt_do(tt_val (*loss)(tt_val, tt_val, tt_val), tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}

static inline tt_val gpt_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(gpt_layers, p, x), y)); }
static inline tt_val gpt_scanned_loss(tt_val p, tt_val x, tt_val y)
{
    return tt_mean(tt_xent(tt_apply(gpt_scan, p, x), y));
}
static inline tt_val gpt_create(tt_val key, tt_val x) { return gpt_make(gpt_layers, key, x); }
static inline tt_val gpt_scanned_create(tt_val key, tt_val x) { return gpt_make(gpt_scan, key, x); }
static inline tt_val gpt_step(tt_val s, tt_val x, tt_val y) { return gpt_do(gpt_loss, s, x, y); }
static inline tt_val gpt_scanned_step(tt_val s, tt_val x, tt_val y) { return gpt_do(gpt_scanned_loss, s, x, y); }

#endif
