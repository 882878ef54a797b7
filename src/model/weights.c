/* model/weights.c - the weights that a model of a config has, by the names that hubs give them. */
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const model_config *c; model_weight *w; int n; } list;

__attribute__((format(printf, 6, 7)))
static model_weight *add(list *l, int rank, int64_t a, int64_t b, const char *axes, const char *fmt, ...)
{
    model_weight *const w = &l->w[l->n++];
    va_list v;
    *w = (model_weight){ .rank = rank, .dim = { a, b }, .axes = axes };
    const int n = strncmp(fmt, "lm_head", 7) ? snprintf(w->name, sizeof w->name, "%s", l->c->prefix) : 0;
    va_start(v, fmt);
    vsnprintf(w->name + n, sizeof w->name - (size_t)n, fmt, v);
    va_end(v);
    return w;
}

/* A projection and its bias: [out, in]; turned: [in, out]. */
static void projection(list *l, int layer, const char *path, int64_t out, int64_t in, const char *axes,
                       const char *bias)
{
    const bool turned = l->c->turned;
    const char *const in_layer = l->c->family == MODEL_GPT2 ? "h." : "layers.";
    add(l, 2, turned ? in : out, turned ? out : in, axes, "%s%d.%s.weight", in_layer, layer, path)->lora = true;
    if (bias) add(l, 1, out, 0, bias, "%s%d.%s.bias", in_layer, layer, path);
}

static void layer_of_gpt2(list *l, int i)
{
    const model_config *const c = l->c;
    for (int k = 1; k <= 2; k++) {
        add(l, 1, c->features, 0, "embed", "h.%d.ln_%d.weight", i, k);
        add(l, 1, c->features, 0, "embed", "h.%d.ln_%d.bias", i, k);
    }
    const bool t = c->turned;
    projection(l, i, "attn.c_attn", 3 * c->features, c->features, t ? "embed, heads" : "heads, embed", "heads");
    projection(l, i, "attn.c_proj", c->features, c->features, t ? "heads, embed" : "embed, heads", "embed");
    projection(l, i, "mlp.c_fc", c->hidden, c->features, t ? "embed, hidden" : "hidden, embed", "hidden");
    projection(l, i, "mlp.c_proj", c->features, c->hidden, t ? "hidden, embed" : "embed, hidden", "embed");
}

static void network(list *l, int i)
{
    const model_config *const c = l->c;
    char path[80];
    if (c->family != MODEL_MIXTRAL) {
        if (c->family != MODEL_ARCEE)
            projection(l, i, "mlp.gate_proj", c->hidden, c->features, "hidden, embed", c->mlp_bias ? "hidden" : NULL);
        projection(l, i, "mlp.up_proj", c->hidden, c->features, "hidden, embed", c->mlp_bias ? "hidden" : NULL);
        projection(l, i, "mlp.down_proj", c->features, c->hidden, "embed, hidden", c->mlp_bias ? "embed" : NULL);
        return;
    }
    add(l, 2, c->experts, c->features, "_, embed", "layers.%d.block_sparse_moe.gate.weight", i);
    for (int64_t e = 0; e < c->experts; e++)
        for (int k = 1; k <= 3; k++) {                   /* w2 is the one back */
            snprintf(path, sizeof path, "block_sparse_moe.experts.%lld.w%d", (long long)e, k);
            projection(l, i, path, k == 2 ? c->features : c->hidden, k == 2 ? c->hidden : c->features,
                       k == 2 ? "embed, hidden" : "hidden, embed", NULL);
        }
}

static void layer_of(list *l, int i)
{
    const model_config *const c = l->c;
    const int64_t q = c->heads * c->depth, kv = c->kv_heads * c->depth;
    static const char *const norms[] = { "input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                                         "post_feedforward_layernorm" };
    for (int k = 0; k < (c->family == MODEL_GEMMA3 ? 4 : 2); k++)
        add(l, 1, c->features, 0, "embed", "layers.%d.%s.weight", i, norms[k]);
    projection(l, i, "self_attn.q_proj", q, c->features, "heads, embed", c->bias ? "heads" : NULL);
    projection(l, i, "self_attn.k_proj", kv, c->features, "kv_heads, embed", c->bias ? "kv_heads" : NULL);
    projection(l, i, "self_attn.v_proj", kv, c->features, "kv_heads, embed", c->bias ? "kv_heads" : NULL);
    projection(l, i, "self_attn.o_proj", c->features, q, "embed, heads", c->bias ? "embed" : NULL);
    for (int k = 0; k < 2 && c->normed; k++)
        add(l, 1, c->depth, 0, "_", "layers.%d.self_attn.%c_norm.weight", i, "qk"[k]);
    network(l, i);
}

int model_weights(const model_config *c, model_weight **out)
{
    list l = { c, calloc((size_t)c->layers * (size_t)(24 + 3 * c->experts) + 8, sizeof *l.w), 0 };
    if (!(*out = l.w)) return -1;
    const bool gpt2 = c->family == MODEL_GPT2;
    add(&l, 2, c->vocab, c->features, "vocab, embed", gpt2 ? "wte.weight" : "embed_tokens.weight");
    if (gpt2) add(&l, 2, c->positions, c->features, "_, embed", "wpe.weight");
    for (int i = 0; i < c->layers; i++) (gpt2 ? layer_of_gpt2 : layer_of)(&l, i);
    add(&l, 1, c->features, 0, "embed", gpt2 ? "ln_f.weight" : "norm.weight");
    if (gpt2) add(&l, 1, c->features, 0, "embed", "ln_f.bias");
    if (!c->tied) add(&l, 2, c->vocab, c->features, "vocab, embed", "lm_head.weight");
    return l.n;
}

bool model_weights_fit(const model_config *c, int tensors, model_issues *s)
{
    enum { EACH = 4, MORE = 8192 };                      /* so that missing weights, if they are few, are told */
    const int64_t asked = 3 * c->layers * c->experts;
    if (asked <= EACH * (int64_t)tensors + MORE) return true;
    model_issue(s, "config.json: %lld experts in each of %lld layers have %lld weights; the files have %d tensors",
                (long long)c->experts, (long long)c->layers, (long long)asked, tensors);
    return false;
}

static bool named_to(const char *name, const char *end)
{
    const size_t n = strlen(name), k = strlen(end);
    return n >= k && !strcmp(name + n - k, end);
}

bool model_is_buffer(const model_config *c, const char *name)
{
    if (c->gguf) return !strcmp(name, "rope_freqs.weight");     /* read with the config */
    if (c->tied && !strcmp(name, "lm_head.weight")) return true;
    if (c->family == MODEL_GPT2) return named_to(name, ".attn.bias") || named_to(name, ".attn.masked_bias");
    return named_to(name, ".rotary_emb.inv_freq");
}

int model_stem(const char *name) { return (int)strlen(name) - (named_to(name, "weight") ? 6 : 0); }

/* ---- params that a caller gives ---- */

static int weight_order(const void *a, const void *b)
{
    return strcmp(((const model_weight *)a)->name, ((const model_weight *)b)->name);
}

/* True if an array is the weight's blocks, u8 [rows, groups, 34 or 18]. */
static bool blocks_fit(const char *site, const model_weight *w, tt_val a)
{
    enum { GROUP = 32, EIGHT = 34, FOUR = 18 };
    return tt_dtype_of_at(site, a) == TT_U8 && tt_rank_at(site, a) == 3 && w->rank == 2 &&
           tt_dim_at(site, a, 0) == w->dim[0] && tt_dim_at(site, a, 1) * GROUP == w->dim[1] &&
           (tt_dim_at(site, a, 2) == EIGHT || tt_dim_at(site, a, 2) == FOUR);
}

/* The number of a weight's arrays: 1; 2 if it is packed, codes of 8 bits or two of 4 in a byte, and scales. 0 with the
 * error set: its shape is not the model's. */
static int shaped(const char *site, const model_weight *w, tt_val params)
{
    const tt_val v = tt_get_at(site, params, w->name);
    const bool tree = tt_ok() && tt_rank_at(site, v) < 0, blocks = tree && tt_has_at(site, v, "blocks");
    const bool packed = tree && !blocks && tt_has_at(site, v, "codes") && tt_has_at(site, v, "scales");
    const tt_val a = blocks ? tt_get_at(site, v, "blocks") : packed ? tt_get_at(site, v, "codes") : v;
    const int halves = packed && tt_dtype_of_at(site, a) == TT_U8;
    bool same = tt_ok() && (blocks ? blocks_fit(site, w, a) : tt_rank_at(site, a) == w->rank);
    for (int k = 0; same && !blocks && k < w->rank; k++)
        same = tt_dim_at(site, a, k) == w->dim[k] >> (halves && k == w->rank - 1);
    if (tt_ok() && !same)
        tt_fail_at(site, TT_ESHAPE, "%s is %s; the model has [%lld%s%.0lld]", w->name, tt_type_text_at(site, a),
                   (long long)w->dim[0], w->rank > 1 ? ", " : "", (long long)w->dim[1]);
    if (tt_ok() && !packed && !blocks && tt_dtype_kind(tt_dtype_of_at(site, a)) != 'f')
        tt_fail_at(site, TT_ETYPE, "%s is %s; expected floating-point numbers", w->name, tt_type_text_at(site, a));
    return tt_ok() ? 1 + packed : 0;
}

/* The number of a weight's low-rank terms, 0 or 2; else sets the error. */
static int terms(const char *site, const model_weight *w, tt_val params)
{
    bool has[2];
    for (int i = 0; i < 2; i++) {
        char path[MODEL_PATH + 8];
        snprintf(path, sizeof path, "%.*slora_%c", model_stem(w->name), w->name, "ab"[i]);
        has[i] = w->lora && tt_has_at(site, params, path);
    }
    if (has[0] != has[1])
        tt_fail_at(site, TT_ETREE, "params has %.*slora_%c without lora_%c", model_stem(w->name), w->name,
                   has[0] ? 'a' : 'b', has[0] ? 'b' : 'a');
    return has[0] + has[1];
}

/* The error for the first array that is none of the n weights, which are sorted, and no low-rank term of one. */
static void one_more(const char *site, const model_weight *w, int n, tt_val params)
{
    const int leaves = tt_tree_leaves_at(site, params, 0, NULL);
    for (int i = 0; i < leaves && tt_ok(); i++) {
        const char *const path = tt_leaf_path_at(site, params, i);
        model_weight key;
        snprintf(key.name, sizeof key.name, "%s", path ? path : "");
        if (named_to(key.name, ".codes") || named_to(key.name, ".scales") || named_to(key.name, ".blocks"))
            *strrchr(key.name, '.') = '\0';
        const model_weight *at = bsearch(&key, w, (size_t)n, sizeof key, weight_order);
        const bool term = named_to(key.name, ".lora_a") || named_to(key.name, ".lora_b");
        if (term) strcpy(key.name + strlen(key.name) - 6, "weight");
        if (term && (at = bsearch(&key, w, (size_t)n, sizeof key, weight_order)) && !at->lora) at = NULL;
        if (!at) tt_fail_at(site, TT_ETREE, "params has %.180s, which the model does not have", path ? path : "");
    }
}

bool model_params_fit(const char *site, const model_config *c, tt_val params)
{
    model_weight *w;
    const int n = model_weights(c, &w);
    int known = 0;
    if (n < 0) return tt_fail_at(site, TT_EMEM, "a model's params: out of memory"), false;
    for (int i = 0; i < n && tt_ok(); i++) {
        known += shaped(site, &w[i], params);
        if (tt_ok()) known += terms(site, &w[i], params);
    }
    if (tt_ok() && tt_tree_leaves_at(site, params, 0, NULL) != known) {
        qsort(w, (size_t)n, sizeof *w, weight_order);
        one_more(site, w, n, params);
    }
    free(w);
    return tt_ok();
}
