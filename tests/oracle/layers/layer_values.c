/* oracle/layers/layer_values.c - kind `layer`: functions without weights: activations, losses, pools, attention,
 * rotary. */
#include "layer.h"

#include <stdio.h>
#include <string.h>

#define ONE(name)                                                                                                      \
    static tt_val do_##name(void) { return tt_##name(layer_arg("x")); }
#define TWO(name, with)                                                                                                \
    static tt_val do_##name(void) { return tt_##name(layer_arg("x"), layer_arg(with)); }

ONE(relu) ONE(relu6) ONE(logistic) ONE(silu) ONE(tanh) ONE(gelu) ONE(gelu_erf) ONE(softplus) ONE(soft_sign)
ONE(log_sigmoid) ONE(hard_sigmoid) ONE(hard_silu) ONE(hard_tanh) ONE(selu) ONE(mish) ONE(squareplus) ONE(sparse_plus)
ONE(softmax) ONE(log_softmax) ONE(glu)
TWO(xent, "labels") TWO(bce, "labels") TWO(l2_loss, "t") TWO(log_cosh, "t")

static tt_val do_elu(void) { return tt_elu(layer_arg("x"), oracle_real(layer_params(), "alpha", 1)); }
static tt_val do_celu(void) { return tt_celu(layer_arg("x"), oracle_real(layer_params(), "alpha", 1)); }
static tt_val do_leaky_relu(void) { return tt_leaky_relu(layer_arg("x"), oracle_real(layer_params(), "slope", 0.01)); }
static tt_val do_logsumexp(void) { return tt_logsumexp(layer_arg("x"), .dims = "-1"); }
static tt_val do_standardize(void) { return tt_standardize(layer_arg("x"), .dims = "-1"); }

static tt_val do_squared_error(void) { return tt_square(tt_sub(layer_arg("x"), layer_arg("t"))); }
static tt_val do_huber(void) { return tt_huber(layer_arg("x"), layer_arg("t"), 1); }
static tt_val do_cosine(void) { return tt_cosine(layer_arg("x"), layer_arg("t"), 0); }
static tt_val do_kl(void) { return tt_kl(tt_log_softmax(layer_arg("x")), layer_arg("t")); }
static tt_val do_hinge(void) { return tt_hinge(layer_arg("x"), tt_sign(layer_arg("t"))); }
static tt_val do_smooth(void)
{
    const tt_val x = layer_arg("x"), hot = tt_one_hot(layer_arg("labels"), tt_dim(x, -1), tt_dtype_of(x));
    return tt_xent(x, tt_smooth_labels(hot, oracle_real(layer_params(), "alpha", 0)));
}

static tt_val pooled(tt_val f(const char *, tt_val, const tt_pool_opts *))
{
    const json_t *p = layer_params();
    char pads[128];
    tt_pool_opts o = { .size = sizeof o, .pad = layer_pads(p, pads) };
    layer_ints(p, "window", o.window, 0);
    layer_ints(p, "strides", o.stride, 0);
    o.real_only = json_is_false(json_object_get(p, "count_include_pad"));
    return f(0, layer_arg("x"), &o);
}
static tt_val do_avg_pool(void) { return pooled(tt_avg_pool_at); }
static tt_val do_max_pool(void) { return pooled(tt_max_pool_at); }
static tt_val do_min_pool(void) { return pooled(tt_min_pool_at); }

static tt_val do_attention(void)
{
    const json_t *p = layer_params();
    tt_attention_opts o = { .size = sizeof o, .causal = oracle_flag(p, "causal"), .scale = oracle_real(p, "scale", 0) };
    if (layer_has("mask")) o.mask = layer_arg("mask");
    if (layer_has("bias")) o.bias = layer_arg("bias");
    if (layer_has("q_len")) o.q_len = layer_arg("q_len"), o.kv_len = layer_arg("kv_len");
    int64_t window[8] = { 0 };
    layer_ints(p, "window", window, 0);
    o.window[0] = window[0], o.window[1] = window[1];
    return tt_attention_at(0, layer_arg("q"), layer_arg("k"), layer_arg("v"), &o);
}

static tt_val do_rope(void)
{
    const json_t *p = layer_params();
    return tt_rope(layer_arg("x"), .base = oracle_real(p, "base", 0), .offset = oracle_int(p, "offset", 0),
                   .interleaved = oracle_flag(p, "interleaved"), .scaling = oracle_text(p, "scaling", NULL));
}

const layer_row layer_values[] = {
    { "relu", do_relu }, { "relu6", do_relu6 }, { "sigmoid", do_logistic }, { "silu", do_silu }, { "tanh", do_tanh },
    { "gelu", do_gelu_erf }, { "gelu_tanh", do_gelu }, { "softplus", do_softplus }, { "soft_sign", do_soft_sign },
    { "log_sigmoid", do_log_sigmoid }, { "hard_sigmoid", do_hard_sigmoid }, { "hard_silu", do_hard_silu },
    { "hard_tanh", do_hard_tanh }, { "elu", do_elu }, { "celu", do_celu }, { "selu", do_selu },
    { "leaky_relu", do_leaky_relu }, { "mish", do_mish }, { "squareplus", do_squareplus },
    { "sparse_plus", do_sparse_plus }, { "softmax", do_softmax }, { "log_softmax", do_log_softmax },
    { "logsumexp", do_logsumexp }, { "glu", do_glu }, { "standardize", do_standardize }, { "softmax_ce_int", do_xent },
    { "softmax_ce", do_xent }, { "smooth_labels", do_smooth }, { "sigmoid_bce", do_bce }, { "l2_loss", do_l2_loss },
    { "squared_error", do_squared_error }, { "huber_loss", do_huber }, { "log_cosh", do_log_cosh },
    { "cosine_similarity", do_cosine }, { "kl_divergence", do_kl }, { "hinge_loss", do_hinge },
    { "avg_pool", do_avg_pool }, { "max_pool", do_max_pool }, { "min_pool", do_min_pool },
    { "dot_product_attention", do_attention }, { "rope", do_rope }, { NULL, NULL },
};
