/* model/gguf.c - models of GGUF files, as llama.cpp's converter writes them: their keys as the fields of a config.json,
 * their tensors by the names that hubs have. Weights of Q8_0 and Q4_0 stay packed.
 *
 * What the files have otherwise than folders: of the architecture llama the rows of queries and keys are in the order
 * of interleaved rotary positions, gpt2's projections are [out, in], gemma3's norms have the 1 that is added. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* keys: those that were asked for, since all of them have the vocabulary; null: the file has none. */
typedef struct { const char *site; tt_ckpt files; json_t *keys, *o; model_issues *s; const char *arch; } reading;

bool model_is_gguf(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* ---- keys ---- */

static const json_t *whole_key(const reading *r, const char *key)
{
    if (!json_object_get(r->keys, key)) {
        const char *const text = tt_ckpt_metadata_of_at(r->site, r->files, key);
        json_object_set_new(r->keys, key, *text ? json_loads(text, JSON_DECODE_ANY, NULL) : json_null());
    }
    const json_t *const v = json_object_get(r->keys, key);
    return json_is_null(v) ? NULL : v;
}

/* "llama.block_count"; a name that begins with a point is that of any architecture: ".tokenizer.ggml.eos_token_id". */
static const json_t *key_of(const reading *r, const char *name)
{
    char key[120];
    if (*name == '.') return whole_key(r, name + 1);
    snprintf(key, sizeof key, "%.40s.%s", r->arch, name);
    return whole_key(r, key);
}

static void take(const reading *r, const char *field, const char *name, bool needed)
{
    const json_t *const v = key_of(r, name);
    if (v) json_object_set(r->o, field, (json_t *)v);
    else if (needed) model_issue(r->s, "the file has no key \"%s.%s\"", r->arch, name);
}

static void put_word(const reading *r, const char *field, const char *v)
{
    json_object_set_new(r->o, field, json_string(v));
}

static void positions_of(const reading *r)
{
    const char *const type = json_string_value(key_of(r, "rope.scaling.type"));
    take(r, "rope_theta", "rope.freq_base", false);
    if (!type || !strcmp(type, "none")) return;
    json_t *const scaling = json_pack("{s:s}", "rope_type", type);
    const reading in = { r->site, r->files, r->keys, scaling, r->s, r->arch };
    take(&in, "factor", "rope.scaling.factor", true);
    take(&in, "original_max_position_embeddings", "rope.scaling.original_context_length", false);
    if (key_of(r, "rope.scaling.attn_factor"))
        model_issue(r->s, "\"%s.rope.scaling.attn_factor\" is given, which is not built", r->arch);
    json_object_set_new(r->o, "rope_scaling", scaling);
}

/* The end of a text, and of a turn if it is another. */
static void ends_of(const reading *r)
{
    static const char *const names[] = { ".tokenizer.ggml.eos_token_id", ".tokenizer.ggml.eot_token_id" };
    json_t *const ids = json_array();
    for (int i = 0; i < 2; i++) {
        const json_t *const v = key_of(r, names[i]);
        if (v && !(i && json_equal(v, json_array_get(ids, 0)))) json_array_append(ids, (json_t *)v);
    }
    json_object_set_new(r->o, "eos_token_id", ids);
}

static void fields_of_gpt2(const reading *r)
{
    take(r, "n_layer", "block_count", true), take(r, "n_head", "attention.head_count", true);
    take(r, "n_embd", "embedding_length", true), take(r, "n_inner", "feed_forward_length", true);
    take(r, "n_positions", "context_length", true);
    take(r, "layer_norm_epsilon", "attention.layer_norm_epsilon", true);
}

static void fields_of(const reading *r)
{
    take(r, "num_hidden_layers", "block_count", true), take(r, "hidden_size", "embedding_length", true);
    take(r, "intermediate_size", "feed_forward_length", true);
    take(r, "num_attention_heads", "attention.head_count", true);
    take(r, "num_key_value_heads", "attention.head_count", true);        /* if it has no other */
    take(r, "num_key_value_heads", "attention.head_count_kv", false);
    take(r, "rms_norm_eps", "attention.layer_norm_rms_epsilon", true);
    take(r, "max_position_embeddings", "context_length", true);
    take(r, "head_dim", "attention.key_length", false);
    if (!key_of(r, "attention.key_length")) take(r, "head_dim", "rope.dimension_count", false);
    positions_of(r);
    if (strcmp(r->arch, "gemma3")) return;
    take(r, "query_pre_attn_scalar", "attention.key_length", true);
    take(r, "sliding_window", "attention.sliding_window", true);
    take(r, "sliding_window_pattern", "attention.sliding_window_pattern", false);
    take(r, "rope_local_base_freq", "rope.freq_base_swa", false);
    take(r, "final_logit_softcapping", "final_logit_softcapping", false);
}

static const tt_ckpt_item *tensor_of(const char *site, tt_ckpt files, const char *name)
{
    for (int i = 0; i < tt_ckpt_count_at(site, files); i++) {
        const tt_ckpt_item *const t = tt_ckpt_item_at(site, files, i);
        if (!strcmp(model_item_name(t), name)) return t;
    }
    return NULL;
}

/* The type of computation: that of the table's elements; f32 if these are packed. */
static void of_tensors(const char *site, const reading *r, tt_ckpt files)
{
    const tt_ckpt_item *const table = tensor_of(site, files, "token_embd.weight");
    if (!table || table->rank != 2) {
        model_issue(r->s, "the file has no matrix token_embd.weight");
        return;
    }
    json_object_set_new(r->o, "vocab_size", json_integer(table->dim[0]));
    put_word(r, "dtype", table->dtype == TT_BF16 ? "bfloat16" : table->dtype == TT_F16 ? "float16" : "float32");
    json_object_set_new(r->o, "tie_word_embeddings", json_boolean(!tensor_of(site, files, "output.weight")));
}

/* ---- the frequencies of Llama 3 ---- */

/* rope_freqs.weight has, for each frequency, by what it is divided: it has to be what one of the published scalings
 * gives. */
static void llama3(const char *site, tt_ckpt files, const reading *r)
{
    static const double factors[] = { 8, 32 };
    const json_t *const base = json_object_get(r->o, "rope_theta");
    const double theta = base ? json_number_value(base) : 1e4, low = 1, high = 4, original = 8192;
    float is[1024];
    int i = 0, n = tt_ckpt_count_at(site, files);
    while (i < n && strcmp(model_item_name(tt_ckpt_item_at(site, files, i)), "rope_freqs.weight")) i++;
    if (i == n) return;
    const tt_ckpt_item *const t = tt_ckpt_item_at(site, files, i);
    const tt_ckpt_read_opts o = { .size = sizeof o };
    const int64_t pairs = t->rank == 1 && t->dtype == TT_F32 && t->dim[0] <= 1024 ? t->dim[0] : 0;
    if (pairs) tt_read_at(site, tt_ckpt_read_at(site, files, i, &o), is, (size_t)pairs * sizeof *is);
    for (int f = 0; f < 2 && pairs && tt_ok(); f++) {
        bool same = true;
        for (int64_t k = 0; k < pairs && same; k++) {
            const double wave = 2 * M_PI * pow(theta, (double)k / (double)pairs);
            const double between = (original / wave - low) / (high - low);
            const double by = wave > original / low ? factors[f] : wave < original / high ? 1
                              : 1 / ((1 - between) / factors[f] + between);
            same = fabs((double)is[k] - by) <= 1e-4 * by;
        }
        if (!same) continue;
        json_t *const is3 = json_pack("{s:s, s:f, s:f, s:f, s:f}", "rope_type", "llama3", "factor", factors[f],
                                      "low_freq_factor", low, "high_freq_factor", high,
                                      "original_max_position_embeddings", original);
        json_object_set_new(r->o, "rope_scaling", is3);
        return;
    }
    model_issue(r->s, "rope_freqs.weight has other frequencies than Llama 3.1 and 3.2, which are not built");
}

/* ---- the config ---- */

bool model_gguf_config(const char *site, tt_ckpt files, model_config *c, model_stops *stops, model_issues *s)
{
    static const struct { const char *arch, *type; } known[] = {
        { "llama", "llama" }, { "qwen3", "qwen3" }, { "gemma3", "gemma3_text" }, { "gpt2", "gpt2" },
    };
    json_t *const keys = json_object(), *const o = json_object();
    reading r = { site, files, keys, o, s, NULL };
    const char *const arch = r.arch = json_string_value(whole_key(&r, "general.architecture"));
    int k = 0;
    while (arch && k < 4 && strcmp(arch, known[k].arch)) k++;
    if (!arch || k == 4)
        model_issue(s, "\"general.architecture\" is \"%.40s\"; built are llama, qwen3, gemma3 and gpt2",
                    arch ? arch : "");
    else {
        put_word(&r, "model_type", known[k].type);
        (strcmp(arch, "gpt2") ? fields_of : fields_of_gpt2)(&r);
        if (key_of(&r, "expert_count") && json_integer_value(key_of(&r, "expert_count")))
            model_issue(s, "\"%s.expert_count\" is given; experts of GGUF files are not built", arch);
        ends_of(&r), of_tensors(site, &r, files);
        if (!strcmp(arch, "llama")) llama3(site, files, &r);
    }
    bool ok = tt_ok() && !s->count && model_read_config(o, c, stops, s);
    if (ok) {
        c->gguf = 1, c->turned = 0, c->interleaved = !strcmp(arch, "llama");
        c->plus_one = 0;
        if (c->family == MODEL_GPT2) strcpy(c->prefix, "");
    }
    json_decref(keys), json_decref(o);
    return ok;
}

/* ---- names ---- */

/* The file's name of the weight that hubs call so; false: it has none. */
bool model_gguf_name(const model_config *c, const char *name, char to[MODEL_PATH])
{
    static const char *const whole[][2] = {
        { "model.embed_tokens", "token_embd" }, { "model.norm", "output_norm" }, { "lm_head", "output" },
        { "wte", "token_embd" }, { "wpe", "position_embd" }, { "ln_f", "output_norm" },
    };
    static const char *const part[][2] = {
        { "input_layernorm", "attn_norm" }, { "self_attn.q_proj", "attn_q" }, { "self_attn.k_proj", "attn_k" },
        { "self_attn.v_proj", "attn_v" }, { "self_attn.o_proj", "attn_output" }, { "self_attn.q_norm", "attn_q_norm" },
        { "self_attn.k_norm", "attn_k_norm" }, { "mlp.gate_proj", "ffn_gate" }, { "mlp.up_proj", "ffn_up" },
        { "mlp.down_proj", "ffn_down" }, { "pre_feedforward_layernorm", "ffn_norm" },
        { "post_feedforward_layernorm", "post_ffw_norm" }, { "ln_1", "attn_norm" }, { "ln_2", "ffn_norm" },
        { "attn.c_attn", "attn_qkv" }, { "attn.c_proj", "attn_output" }, { "mlp.c_fc", "ffn_up" },
        { "mlp.c_proj", "ffn_down" },
    };
    const char *const point = strrchr(name, '.'), *at = name + strlen(c->prefix);
    const size_t n = point ? (size_t)(point - name) : 0;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (n == strlen(whole[i][0]) && !strncmp(name, whole[i][0], n))
            return snprintf(to, MODEL_PATH, "%s%s", whole[i][1], point) > 0;
    const size_t head = strcspn(at, ".") + 1;            /* "layers." or "h." */
    char *end;
    const long layer = n && head < strlen(at) ? strtol(at + head, &end, 10) : -1;
    if (layer < 0 || *end != '.' || end >= point) return false;
    end++;
    if ((size_t)(point - end) == 24 && !strncmp(end, "post_attention_layernorm", 24))
        return snprintf(to, MODEL_PATH, "blk.%ld.%s%s", layer,
                        c->family == MODEL_GEMMA3 ? "post_attention_norm" : "ffn_norm", point) > 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if ((size_t)(point - end) == strlen(part[i][0]) && !strncmp(end, part[i][0], (size_t)(point - end)))
            return snprintf(to, MODEL_PATH, "blk.%ld.%s%s", layer, part[i][1], point) > 0;
    return false;
}
