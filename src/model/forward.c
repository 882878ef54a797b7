/* model/forward.c - the function of a model: decoders with attention and a network in each layer, as `transformers`
 * computes them. Weights are used as the files have them: a projection is [out, in] (of gpt2 [in, out]), and packed
 * weights stay packed.
 *
 * Norms and softmax are computed in float32, products and sums between layers in the config's type.
 */
#include "model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "layers.3.", or gpt2's "h.3.". */
static const char *below(const model_pass *p, int layer, const char *path, char to[MODEL_PATH])
{
    snprintf(to, MODEL_PATH, "%s.%d.%s", p->c->family == MODEL_GPT2 ? "h" : "layers", layer, path);
    return to;
}

/* The weight at a path without the prefix, as it is stored. */
static tt_val stored(const model_pass *p, const char *path)
{
    char name[2 * MODEL_PATH];
    snprintf(name, sizeof name, "%s%s", strncmp(path, "lm_head", 7) ? p->c->prefix : "", path);
    return tt_get_at(p->site, p->params, name);
}

bool model_is_packed(const char *site, tt_val w, tt_val part[2])
{
    if (!tt_ok() || tt_rank_at(site, w) >= 0) return false;
    const bool blocks = tt_has_at(site, w, "blocks");
    if (!blocks && !tt_has_at(site, w, "codes")) return false;
    part[0] = tt_get_at(site, w, blocks ? "blocks" : "codes");
    part[1] = blocks ? tt_none() : tt_get_at(site, w, "scales");
    return true;
}

static bool is_f8(const char *site, tt_val codes) { return tt_dtype_of_at(site, codes) == TT_F8E4M3FN; }

tt_val model_widened(const char *site, const model_config *c, const tt_val part[2])
{
    if (!is_f8(site, part[0])) return tt_dequantize_at(site, part[0], part[1]);
    tt_val scale = tt_cast_at(site, part[1], TT_F32);
    for (int d = 0; d < 2; d++) {
        scale = tt_repeat_at(site, scale, c->block[d], d);
        scale = tt_slice_at(site, scale, d, 0, tt_dim_at(site, part[0], d), 1);
    }
    return tt_mul_at(site, tt_cast_at(site, part[0], TT_F32), scale);
}

/* In the type of computation. */
tt_val model_weight_of(const model_pass *p, const char *path)
{
    tt_val w = stored(p, path), part[2];
    if (model_is_packed(p->site, w, part)) w = model_widened(p->site, p->c, part);
    return tt_cast_at(p->site, w, p->c->dtype);
}

/* Rows of a table, in the type of computation. */
static tt_val rows_of(const model_pass *p, const char *path, tt_val index)
{
    tt_val w = stored(p, path), part[2];
    if (model_is_packed(p->site, w, part)) {
        const bool blocks = tt_rank_at(p->site, part[1]) < 0;     /* which have their scales */
        for (int i = 0; i < 2 - blocks; i++) part[i] = tt_take_at(p->site, part[i], index, 0, NULL);
        w = tt_dequantize_at(p->site, part[0], part[1]);
    } else w = tt_take_at(p->site, w, index, 0, NULL);
    return tt_cast_at(p->site, w, p->c->dtype);
}

/* x [batch, time, in] times the weight, which has `in` at dim `side`. */
static tt_val times(const model_pass *p, tt_val x, tt_val w, int side)
{
    const tt_dot_opts o = { .size = sizeof o, .sum = side ? "2:1" : "2:0" };
    return tt_dot_at(p->site, x, w, &o);
}

/* x times the weight at the path, which has `in` at dim `side`; packed ones have it last. */
static tt_val times_weight(const model_pass *p, tt_val x, const char *path, int side)
{
    tt_val part[2];
    if (model_is_packed(p->site, stored(p, path), part) && !is_f8(p->site, part[0]))
        return tt_scaled_matmul_at(p->site, x, part[0], part[1]);
    return times(p, x, model_weight_of(p, path), side);
}

tt_val model_linear(const model_pass *p, const char *path, tt_val x, bool biased)
{
    char name[MODEL_PATH], full[2 * MODEL_PATH];
    const char *const site = p->site;
    snprintf(name, sizeof name, "%.180s.weight", path);
    tt_val y = times_weight(p, x, name, p->c->turned ? 0 : 1);
    snprintf(name, sizeof name, "%.180s.bias", path);
    if (biased) y = tt_add_at(site, y, model_weight_of(p, name));
    snprintf(name, sizeof name, "%.180s.lora_a", path);
    snprintf(full, sizeof full, "%s%s", p->c->prefix, name);
    if (!tt_has_at(site, p->params, full)) return y;
    const tt_val low = times(p, x, model_weight_of(p, name), 0);
    name[strlen(name) - 1] = 'b';
    return tt_add_at(site, y, times(p, low, model_weight_of(p, name), 0));
}

static tt_val linear(const model_pass *p, int layer, const char *path, tt_val x, bool biased)
{
    char name[MODEL_PATH];
    return model_linear(p, below(p, layer, path, name), x, biased);
}

/* x / sqrt(mean of squares + eps) times the weight; of gemma3's folders times 1 + weight. */
static tt_val rms_norm(const model_pass *p, const char *path, tt_val x)
{
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1", .keepdims = 1 };
    const char *const site = p->site;
    const tt_val wide = tt_cast_at(site, x, TT_F32), w = model_weight_of(p, path);
    const tt_val mean = tt_mean_at(site, tt_mul_at(site, wide, wide), &last);
    const tt_val y = tt_mul_at(site, wide, tt_rsqrt_at(site, tt_add_at(site, mean, tt_f(p->c->eps))));
    if (p->c->family != MODEL_GEMMA3) return tt_mul_at(site, tt_cast_at(site, y, p->c->dtype), w);
    tt_val by = tt_cast_at(site, w, TT_F32);
    if (p->c->plus_one) by = tt_add_at(site, by, tt_f(1));
    return tt_cast_at(site, tt_mul_at(site, y, by), p->c->dtype);
}

static tt_val layer_norm(const model_pass *p, const char *path, tt_val x)
{
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1", .keepdims = 1 };
    const char *const site = p->site;
    char name[MODEL_PATH];
    const tt_val wide = tt_cast_at(site, x, TT_F32), from = tt_sub_at(site, wide, tt_mean_at(site, wide, &last));
    const tt_val var = tt_mean_at(site, tt_mul_at(site, from, from), &last);
    snprintf(name, sizeof name, "%.180s.weight", path);
    const tt_val w = tt_cast_at(site, model_weight_of(p, name), TT_F32);
    snprintf(name, sizeof name, "%.180s.bias", path);
    const tt_val b = tt_cast_at(site, model_weight_of(p, name), TT_F32);
    const tt_val y = tt_mul_at(site, from, tt_rsqrt_at(site, tt_add_at(site, var, tt_f(p->c->eps))));
    return tt_cast_at(site, tt_add_at(site, tt_mul_at(site, y, w), b), p->c->dtype);
}

static tt_val normed(const model_pass *p, int layer, const char *name, tt_val x)
{
    char path[MODEL_PATH], with[MODEL_PATH];
    below(p, layer, name, path);
    if (p->c->family == MODEL_GPT2) return layer_norm(p, path, x);
    snprintf(with, sizeof with, "%.180s.weight", path);
    return rms_norm(p, with, x);
}

tt_val model_act(const model_pass *p, tt_val x)
{
    const char *const act = p->c->act;
    if (!strcmp(act, "silu")) return tt_silu_at(p->site, x);
    if (!strcmp(act, "relu")) return tt_relu_at(p->site, x);
    if (!strcmp(act, "relu2")) return tt_square_at(p->site, tt_relu_at(p->site, x));
    return strcmp(act, "gelu") ? tt_gelu_at(p->site, x) : tt_gelu_erf_at(p->site, x);
}

/* ---- attention ---- */

static tt_val in_heads(const model_pass *p, tt_val v, int64_t heads, const char *axes)
{
    const int64_t dims[] = { tt_dim_at(p->site, v, 0), tt_dim_at(p->site, v, 1), heads, p->c->depth, TT_DIM_END };
    return tt_logical_constraint_at(p->site, tt_reshape_at(p->site, v, dims), axes);
}

static tt_val rotated(const model_pass *p, int layer, tt_val v)
{
    const int kind = p->c->local[layer];
    const tt_rope_opts o = { .size = sizeof o, .base = p->c->theta[kind], .positions = p->places,
                             .interleaved = p->c->interleaved,
                             .scaling = *p->c->scaling[kind] ? p->c->scaling[kind] : NULL };
    return tt_rope_at(p->site, v, &o);
}

/* True where a query may attend: not to what is padding, unless it is padding itself. [batch, 1, time, places] */
static tt_val unpadded(const model_pass *p, int64_t batch, int64_t time, int64_t places)
{
    const char *const site = p->site;
    const int64_t column[] = { batch, 1, 1, 1, TT_DIM_END }, row[] = { 1, 1, time, 1, TT_DIM_END };
    const tt_val pad = tt_reshape_at(site, p->pad, column);
    const tt_val key = tt_iota_at(site, TT_I32, 3, (const int64_t[]){ 1, 1, 1, places, TT_DIM_END });
    const tt_val query = tt_add_at(site, tt_iota_at(site, TT_I32, 2, row), p->from);
    return tt_or_at(site, tt_compare_at(site, 5, key, pad), tt_compare_at(site, 2, query, pad));
}

static tt_val kept(const model_pass *p, tt_val all, tt_val v)
{
    const tt_val y = tt_dynamic_update_slice_at(p->site, all, tt_cast_at(p->site, v, tt_dtype_of_at(p->site, all)), 1,
                                                p->from);
    return tt_logical_constraint_at(p->site, y, "batch, _, kv_heads, _");
}

tt_val model_cache(const char *site, tt_val v, int64_t places)
{
    const int64_t none[] = { 0, 0, 0, 0 }, behind[] = { 0, places - tt_dim_at(site, v, 1), 0, 0 };
    const tt_val y = tt_pad_at(site, v, tt_f(0), none, behind, none);
    return tt_logical_constraint_at(site, y, "batch, _, kv_heads, _");
}

/* Attention of queries q to k and v, and to what the cache has: [batch, time, heads depth]. */
static tt_val attended(model_pass *p, int layer, tt_val q, tt_val k, tt_val v)
{
    const char *const site = p->site;
    const int64_t batch = tt_dim_at(site, q, 0), time = tt_dim_at(site, q, 1);
    tt_attention_opts o = { .size = sizeof o, .scale = p->c->scale, .causal = 1 };
    if (p->c->local[layer]) o.window[0] = p->c->window - 1, o.given = ".window";
    if (p->k && p->room) {                               /* nothing stands before the new ones */
        k = tt_cast_at(site, k, p->c->dtype), v = tt_cast_at(site, v, p->c->dtype);
        p->k[layer] = model_cache(site, k, p->room), p->v[layer] = model_cache(site, v, p->room);
        o.mask = unpadded(p, batch, time, time);
    } else if (p->k) {
        k = p->k[layer] = kept(p, p->k[layer], k), v = p->v[layer] = kept(p, p->v[layer], v);
        o.offset = p->from;
        o.mask = unpadded(p, batch, time, tt_dim_at(site, k, 1));
    }
    const tt_val y = tt_attention_at(site, q, k, v, &o);
    return tt_reshape_at(site, y, (const int64_t[]){ batch, time, p->c->heads * p->c->depth, TT_DIM_END });
}

static tt_val attention(model_pass *p, int layer, tt_val x)
{
    const model_config *const c = p->c;
    char name[MODEL_PATH];
    tt_val q = in_heads(p, linear(p, layer, "self_attn.q_proj", x, c->bias), c->heads, "batch, time, heads, _");
    tt_val k = in_heads(p, linear(p, layer, "self_attn.k_proj", x, c->bias), c->kv_heads, "batch, time, kv_heads, _");
    const tt_val v = in_heads(p, linear(p, layer, "self_attn.v_proj", x, c->bias), c->kv_heads,
                              "batch, time, kv_heads, _");
    if (c->normed) {
        q = rms_norm(p, below(p, layer, "self_attn.q_norm.weight", name), q);
        k = rms_norm(p, below(p, layer, "self_attn.k_norm.weight", name), k);
    }
    q = rotated(p, layer, q), k = rotated(p, layer, k);
    return linear(p, layer, "self_attn.o_proj", attended(p, layer, q, k, v), c->bias);
}

/* ---- layers ---- */

static tt_val layer_of_gpt2(model_pass *p, int i, tt_val x)
{
    const char *const site = p->site;
    const int64_t n = p->c->features;
    const tt_val all = linear(p, i, "attn.c_attn", normed(p, i, "ln_1", x), true);
    tt_val part[3];
    for (int k = 0; k < 3; k++)
        part[k] = in_heads(p, tt_slice_at(site, all, 2, k * n, (k + 1) * n, 1), p->c->heads, "batch, time, heads, _");
    x = tt_add_at(site, x, linear(p, i, "attn.c_proj", attended(p, i, part[0], part[1], part[2]), true));
    const tt_val h = model_act(p, linear(p, i, "mlp.c_fc", normed(p, i, "ln_2", x), true));
    return tt_add_at(site, x, linear(p, i, "mlp.c_proj", tt_logical_constraint_at(site, h, "batch, time, hidden"),
                                     true));
}

static tt_val network_of(const model_pass *p, int i, tt_val x)
{
    const bool biased = p->c->mlp_bias;
    if (p->c->experts) return model_experts(p, i, x);
    const bool gated = p->c->family != MODEL_ARCEE;
    tt_val h = model_act(p, linear(p, i, gated ? "mlp.gate_proj" : "mlp.up_proj", x, biased));
    if (gated) h = tt_mul_at(p->site, h, linear(p, i, "mlp.up_proj", x, biased));
    return linear(p, i, "mlp.down_proj", tt_logical_constraint_at(p->site, h, "batch, time, hidden"), biased);
}

static tt_val layer_of(model_pass *p, int i, tt_val x)
{
    const bool gemma = p->c->family == MODEL_GEMMA3;
    tt_val h = attention(p, i, normed(p, i, "input_layernorm", x));
    if (gemma) h = normed(p, i, "post_attention_layernorm", h);
    x = tt_add_at(p->site, x, h);
    h = network_of(p, i, normed(p, i, gemma ? "pre_feedforward_layernorm" : "post_attention_layernorm", x));
    if (gemma) h = normed(p, i, "post_feedforward_layernorm", h);
    return tt_add_at(p->site, x, h);
}

/* ---- the whole ---- */

static tt_val embedded(model_pass *p, tt_val ids)
{
    const char *const site = p->site;
    const bool gpt2 = p->c->family == MODEL_GPT2;
    tt_val x = rows_of(p, gpt2 ? "wte.weight" : "embed_tokens.weight", ids);
    if (gpt2) {                                          /* positions of padding are 0, and masked */
        const tt_val at = tt_max_at(site, p->places, tt_i(0));
        x = tt_add_at(site, x, rows_of(p, "wpe.weight", at));
    }
    if (p->c->family == MODEL_GEMMA3) {                  /* the factor is rounded to the type first */
        const tt_val factor = tt_full_at(site, sqrt((double)p->c->features), p->c->dtype,
                                         (const int64_t[]){ TT_DIM_END });
        x = tt_mul_at(site, x, factor);
    }
    return x;
}

static tt_val head(const model_pass *p, tt_val x)
{
    const char *const site = p->site;
    const char *const table = p->c->family == MODEL_GPT2 ? "wte.weight" : "embed_tokens.weight";
    tt_val y = times_weight(p, x, p->c->tied ? table : "lm_head.weight", 1);
    y = tt_cast_at(site, y, TT_F32);
    if (p->c->cap == 0) return y;
    return tt_mul_at(site, tt_tanh_at(site, tt_div_at(site, y, tt_f(p->c->cap))), tt_f(p->c->cap));
}

tt_val model_forward(model_pass *p, tt_val ids, bool last)
{
    const char *const site = p->site;
    const int64_t time = tt_dim_at(site, ids, 1);
    p->places = tt_reshape_at(site, tt_arange_at(site, TT_I32, time), (const int64_t[]){ 1, -1, TT_DIM_END });
    if (p->k) {
        const tt_val pad = tt_reshape_at(site, p->pad, (const int64_t[]){ -1, 1, TT_DIM_END });
        p->places = tt_sub_at(site, tt_add_at(site, p->places, p->from), pad);
    }
    tt_val x = tt_logical_constraint_at(site, embedded(p, ids), "batch, time, _");
    for (int i = 0; i < p->c->layers && tt_ok(); i++) {
        x = (p->c->family == MODEL_GPT2 ? layer_of_gpt2 : layer_of)(p, i, x);
        x = tt_logical_constraint_at(site, x, "batch, time, _");
    }
    if (last) x = tt_slice_at(site, x, 1, time - 1, time, 1);
    return head(p, p->c->family == MODEL_GPT2 ? layer_norm(p, "ln_f", x) : rms_norm(p, "norm.weight", x));
}

/* ---- as a call ---- */

/* A function of this room, compiled on the model's mesh by its rules. */
tt_fn model_jit(const char *site, const struct tt_model_s *m, tt_fn f, const char *donate)
{
    const tt_jit_opts o = { .size = sizeof o, .mesh = m->mesh, .rules = m->rules, .donate = donate };
    return tt_jit_at(site, f, &o);
}

static tt_val logits_of(void *env, int n, const tt_val *arg)
{
    (void)n;
    model_pass p = { .site = NULL, .c = env, .params = arg[0] };
    if (!model_params_fit(NULL, p.c, arg[0])) return tt_poison;
    return model_forward(&p, arg[1], false);
}

tt_val tt_model_logits_at(const char *site, tt_model m, tt_val params, tt_val ids)
{
    TT_ENTRY(site);
    if (!model_is_open(site, "model_logits", m)) return tt_poison;
    const int rank = tt_rank_at(site, ids);
    if (tt_ok() && (rank != 2 || !strchr("iu", tt_dtype_kind(tt_dtype_of_at(site, ids))))) {
        tt_fail_at(site, TT_ESHAPE, "model_logits: ids are %s; expected integers [batch, time]",
                   tt_type_text_at(site, ids));
    } else if (tt_ok() && tt_dim_at(site, ids, 1) < 1)
        tt_fail_at(site, TT_ESHAPE, "model_logits: ids are %s; expected one position or more",
                   tt_type_text_at(site, ids));
    else if (tt_ok() && tt_dim_at(site, ids, 1) > m.p->c.positions)
        tt_fail_at(site, TT_ESHAPE, "model_logits: %lld positions; the model has %lld",
                   (long long)tt_dim_at(site, ids, 1), (long long)m.p->c.positions);
    if (!tt_ok()) return tt_poison;
    const tt_fn f = tt_bind_env_at(site, "model", logits_of, &m.p->c, sizeof m.p->c, 2);
    return tt_call_n(site, model_jit(site, m.p, f, NULL), 2, (const tt_val[]){ params, ids });
}
