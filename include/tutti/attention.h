/* tutti/attention.h - parts of transformers: attention, masks, rotary positions, attention layers with a cache, gated
 * networks, mixtures of experts, attention over a sequence that is sharded.
 *
 *     static tt_val block(tt_nn m, tt_val x)
 *     {
 *         tt_val h = tt_attention_layer(m, "attention", tt_rms_norm(m, "norm1", x), 8, .kv_heads = 2, .causal = 1,
 *                                       .rope = 1e4, .no_bias = 1, .axes = "embed, heads, depth", .cache = 1024);
 *         x = tt_add(x, h);
 *         return tt_add(x, tt_gated_mlp(m, "mlp", tt_rms_norm(m, "norm2", x), 4 * 256, .axes = "embed, hidden"));
 *     }
 */
#include <tutti.h>
#ifndef TUTTI_ATTENTION_H
#define TUTTI_ATTENTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- functions ---- */

/* Attention: softmax(q k^T scale + bias) v with q [batch, tq, heads, depth], k and v [batch, tk, kv heads, depth]; if
 * k has fewer heads than q, groups of successive query heads share one.
 * - scale: default 1/sqrt(depth). mask (true: may attend), bias (added): [batch, heads, tq, tk], any dim may be 1.
 * - causal: no later keys. window {left, right}: only keys within these distances, 0 or more; {0, 0}: the same
 *   position; with causal a window has earlier keys, {left, 0}. offset: the position of the first query among the
 *   keys, an integer scalar, default 0, for causal and window: with a cache, the number of earlier ones.
 * - q_len, kv_len: integers per batch row; results of queries beyond q_len are zero.
 * - dropout: the rate at which probabilities are dropped, by a mask [tq, tk] drawn with `key`, the same for all rows
 *   and heads, as in Flax; dropout_each: a mask for each row and head (Flax: broadcast_dropout=False).
 *     tt_val y = tt_attention(q, k, v, .causal = 1, .window = { 127, 0 }); */
typedef struct tt_attention_opts {
    TT_OPTION_HEAD
    tt_val mask TT_DEFAULT, bias TT_DEFAULT, q_len TT_DEFAULT, kv_len TT_DEFAULT;
    double scale TT_DEFAULT; int causal TT_DEFAULT; int64_t window[2] TT_DEFAULT;
    tt_val offset TT_DEFAULT; double dropout TT_DEFAULT; tt_val key TT_DEFAULT; int dropout_each TT_DEFAULT;
} tt_attention_opts;
#define tt_attention(...)    TT_ATTENTION_(TT_AT("tt_attention(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ATTENTION_(at, q, k, v, ...) tt_attention_at(at, q, k, v, TT_OPTS(tt_attention_opts, __VA_ARGS__))
TT_API tt_val tt_attention_at(const char *site, tt_val q, tt_val k, tt_val v, const tt_attention_opts *);

/* Rotary positions (Su and others, 2021) of x [batch, time, heads, depth]: pair i is rotated by (position + offset) f_i
 * with f_i = base^(-2i/depth), base 10000. Pairs are (i, i + depth/2), with interleaved (2i, 2i + 1). positions: [batch
 * or 1, time], default 0, 1, 2, ...; offset is a C number, positions a value.
 * scaling: other f_i for contexts longer than a model was trained on, as a form:
 * - "linear(factor=4)": f_i / factor (Chen and others, 2023);
 * - "ntk(factor=4)": base factor^(depth / (depth - 2)) in the place of base;
 * - "yarn(factor=4, original=4096, beta_fast=32, beta_slow=1, attention_factor=)": between f_i and f_i / factor by the
 *   number of turns in `original` positions; cosines and sines times attention_factor, 0.1 ln(factor) + 1 (Peng and
 *   others, 2023);
 * - "llama3(factor=8, low=1, high=4, original=8192)": f_i / factor for wavelengths above original / low, f_i for
 *   wavelengths below original / high, interpolated between (Llama 3.1).
 *     tt_val q2 = tt_rope(q, .offset = 10), long_q = tt_rope(q, .scaling = "linear(factor=4)"); */
typedef struct tt_rope_opts {
    TT_OPTION_HEAD
    double base TT_ABOVE_0; int64_t offset TT_DEFAULT; int interleaved TT_DEFAULT; tt_val positions TT_DEFAULT;
    const char *scaling TT_DEFAULT;
} tt_rope_opts;
#define tt_rope(...)         TT_ROPE_(TT_AT("tt_rope(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ROPE_(at, x, ...) tt_rope_at(at, x, TT_OPTS(tt_rope_opts, __VA_ARGS__))
TT_API tt_val tt_rope_at(const char *site, tt_val x, const tt_rope_opts *);

/* ---- masks: bools, true where a query may attend to a key, [batch..., 1, queries, keys] ---- */

/* From q [batch..., queries] and k [batch..., keys]; pair: "and" (default; true where both are not 0: tokens that are
 * no padding), "equal" (segments of packed sequences), "greater_equal" (positions: no later keys).
 *     tt_val mask = tt_make_attention_mask(tokens, tokens);
 *     tt_val packed = tt_make_attention_mask(ids, ids, .pair = "equal"); */
typedef struct tt_attention_mask_opts { TT_OPTION_HEAD const char *pair TT_DEFAULT; } tt_attention_mask_opts;
#define tt_make_attention_mask(...) \
    TT_ATTENTION_MASK_(TT_AT("tt_make_attention_mask(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ATTENTION_MASK_(at, q, k, ...) \
    tt_make_attention_mask_at(at, q, k, TT_OPTS(tt_attention_mask_opts, __VA_ARGS__))
TT_API tt_val tt_make_attention_mask_at(const char *site, tt_val q, tt_val k, const tt_attention_mask_opts *);
/* Of x [batch..., time]: no later keys. window {left, right}: only keys within these distances, as in tt_attention.
 *     tt_val causal = tt_make_causal_mask(ids), window = tt_make_window_mask(ids, 127, 0); */
#define tt_make_causal_mask(x) tt_make_causal_mask_at(TT_AT("tt_make_causal_mask(" #x ")"), x)
#define tt_make_window_mask(x, left, right) \
    tt_make_window_mask_at(TT_AT("tt_make_window_mask(" #x ", " #left ", " #right ")"), x, left, right)
TT_API tt_val tt_make_causal_mask_at(const char *site, tt_val x),
    tt_make_window_mask_at(const char *site, tt_val x, int64_t left, int64_t right);
/* True where all masks are; masks of one rank, which broadcast.
 *     tt_val both = tt_combine_masks(tt_make_attention_mask(tokens, tokens), tt_make_causal_mask(tokens)); */
#define tt_combine_masks(...) \
    tt_combine_masks_at(TT_AT("tt_combine_masks(" #__VA_ARGS__ ")"), TT_LIST(tt_val, __VA_ARGS__, tt_end))
TT_API tt_val tt_combine_masks_at(const char *site, const tt_val *masks);

/* ---- layers ---- */

/* Multi-head attention of x [batch, time, features] to x, or to kv (with values from `value`, default kv). Variables
 * query, key, value, out, as in flax.linen.MultiHeadDotProductAttention.
 * - qkv: features of all heads together (default: x's); out: features of the result; kv_heads: a smaller number of
 *   heads for keys and values.
 * - normalize_qk: layer norm of queries and keys per head; rope: base of rotary positions, 0: none; rope_scaling: as
 *   tt_rope's .scaling.
 * - axes: logical axes of the kernels of query, key and value, "embed, heads, depth"; out's are "heads, depth, embed".
 * - out_kernel_init, out_bias_init: of the last projection (default: as the other projections). lora: the rank of a
 *   low-rank term of each projection, as in tt_dense.
 * - mask, bias, causal, window: as in tt_attention. dropout: the rate at which probabilities are dropped in training,
 *   by keys of stream "dropout"; dropout_each: as there.
 * - cache: the number of positions of which keys and values are kept, with .causal. Where the pass has the layer's
 *   variables of collection "cache" (tutti/module.h), x continues the sequence: its keys and values are written behind
 *   the earlier ones, cached_key and cached_value [batch, cache, kv heads, depth], and cache_index counts them. x may
 *   have any number of positions. Positions beyond `cache` give NaN. A pass without that collection is over x alone.
 *       tt_val cache = tt_init_collections(net, vars, x, .only = "cache");
 *       tt_unpack(tt_apply_with(net, vars, x, .collections = cache, .updates = "cache"), &y, &cache);
 *   A compiled step that donates the cache writes it in place. */
typedef struct tt_mha_opts {
    TT_OPTION_HEAD
    tt_val kv TT_DEFAULT, value TT_DEFAULT, mask TT_DEFAULT, bias TT_DEFAULT;
    int64_t qkv TT_FROM_1, out TT_FROM_1, kv_heads TT_FROM_1, window[2] TT_DEFAULT;
    int causal TT_DEFAULT, normalize_qk TT_DEFAULT, no_bias TT_DEFAULT; double rope TT_DEFAULT;
    const char *kernel_init TT_DEFAULT; tt_dtype dtype TT_DEFAULT;
    const char *bias_init TT_DEFAULT, *out_kernel_init TT_DEFAULT, *out_bias_init TT_DEFAULT, *precision TT_DEFAULT;
    tt_dtype param_dtype TT_DEFAULT;
    const char *axes TT_DEFAULT, *rope_scaling TT_DEFAULT; double dropout TT_DEFAULT; int dropout_each TT_DEFAULT;
    int64_t cache TT_FROM_1, lora TT_DEFAULT;
} tt_mha_opts;
#define tt_attention_layer(...) TT_MHA_(TT_AT("tt_attention_layer(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MHA_(at, m, name, x, heads, ...) \
    tt_attention_layer_at(at, m, name, x, heads, TT_OPTS(tt_mha_opts, __VA_ARGS__))
TT_API tt_val tt_attention_layer_at(const char *site, tt_nn, const char *name, tt_val x, int64_t heads,
    const tt_mha_opts *);

/* down(act(gate x) * up x), with kernels gate and up [features, hidden] and down [hidden, features], without biases
 * (bias = 1: with them): SwiGLU (Shazeer, 2020) with act tt_silu_at, the default; GeGLU with tt_gelu_at. axes: logical
 * axes of gate and up, "embed, hidden". lora: as in tt_dense.
 *     x = tt_gated_mlp(m, "mlp", x, 1024, .act = tt_gelu_at); */
typedef struct tt_gated_mlp_opts {
    TT_OPTION_HEAD
    const char *axes TT_DEFAULT; tt_activation *act TT_DEFAULT; int bias TT_DEFAULT;
    const char *kernel_init TT_DEFAULT; tt_dtype dtype TT_DEFAULT, param_dtype TT_DEFAULT;
    const char *precision TT_DEFAULT; int64_t lora TT_DEFAULT;
} tt_gated_mlp_opts;
#define tt_gated_mlp(...)    TT_GATED_(TT_AT("tt_gated_mlp(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_GATED_(at, m, name, x, hidden, ...) \
    tt_gated_mlp_at(at, m, name, x, hidden, TT_OPTS(tt_gated_mlp_opts, __VA_ARGS__))
TT_API tt_val tt_gated_mlp_at(const char *site, tt_nn, const char *name, tt_val x, int64_t hidden,
    const tt_gated_mlp_opts *);

/* A mixture of experts of x [groups, tokens, features] (rows of a batch are good groups): each token goes to the `top`
 * (2) experts of the highest probability by a router, softmax(x router), and y is the sum of their results, weighted by
 * these probabilities divided by their sum (unscaled: as they are). Returns (y, loss, dropped):
 * - loss: experts * sum over e of share_e * probability_e, with share_e the fraction of tokens whose first choice is
 *   e, and probability_e the mean probability of e, 1 if all get the same (Fedus and others, 2021), to be added to a
 *   model's loss, as 0.01 loss;
 * - dropped: the number of choices without a place, f32. An expert takes at most ceil(tokens top capacity / experts)
 *   tokens of each group (capacity: 1.25), all first choices before the second ones. A token without any is 0 in y.
 *
 * Variables router.kernel [features, experts], up and gate [experts, features, hidden], down [experts, hidden,
 * features]. An expert is down(act(gate x) up x) with act tt_silu_at, the default; plain: down(act(up x)). The router
 * computes in f32. axes: logical axes of up, "expert, embed, hidden". With rules that lay experts and the batch over
 * one axis, "batch:data, expert:data", tokens go to their experts and back by all-to-alls.
 *     tt_unpack(tt_moe(m, "experts", x, 8, 256, .axes = "expert, embed, hidden"), &y, &balance, &dropped); */
typedef struct tt_moe_opts {
    TT_OPTION_HEAD
    int64_t top TT_FROM_1; double capacity TT_ABOVE_0; int plain TT_DEFAULT, unscaled TT_DEFAULT;
    tt_activation *act TT_DEFAULT; const char *axes TT_DEFAULT, *kernel_init TT_DEFAULT, *router_init TT_DEFAULT;
    tt_dtype dtype TT_DEFAULT, param_dtype TT_DEFAULT;
} tt_moe_opts;
#define tt_moe(...)          TT_MOE_(TT_AT("tt_moe(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_MOE_(at, m, name, x, experts, hidden, ...) \
    tt_moe_at(at, m, name, x, experts, hidden, TT_OPTS(tt_moe_opts, __VA_ARGS__))
TT_API tt_val tt_moe_at(const char *site, tt_nn, const char *name, tt_val x, int64_t experts, int64_t hidden,
    const tt_moe_opts *);

/* Attention inside a tt_shard_map in which the sequence is sharded over `axis` (Liu and others, 2023): q, k and v are a
 * device's blocks [batch, time / devices, heads, depth], keys and values are passed around the ring of devices, and
 * nothing is gathered. The derivative passes keys and values around again instead of storing probabilities. causal,
 * scale, fewer key heads: as tt_attention. zigzag: device i has parts i and 2 n - 1 - i of the sequence split into 2
 * n parts, so that with .causal every device computes the same amount.
 *     static tt_val part(tt_val q, tt_val k, tt_val v) { return tt_ring_attention(q, k, v, "seq", .causal = 1); }
 *     y = tt_call(tt_shard_map(part, .mesh = mesh, .in = "_, seq", .out = "_, seq"), q, k, v); */
typedef struct tt_ring_attention_opts {
    TT_OPTION_HEAD
    int causal TT_DEFAULT, zigzag TT_DEFAULT; double scale TT_DEFAULT;
} tt_ring_attention_opts;
#define tt_ring_attention(...) TT_RING_(TT_AT("tt_ring_attention(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_RING_(at, q, k, v, axis, ...) \
    tt_ring_attention_at(at, q, k, v, axis, TT_OPTS(tt_ring_attention_opts, __VA_ARGS__))
TT_API tt_val tt_ring_attention_at(const char *site, tt_val q, tt_val k, tt_val v, const char *axis,
    const tt_ring_attention_opts *);

#ifdef __cplusplus
}
#endif
#endif
