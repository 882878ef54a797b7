/* model/gguf_file.h - writes a GGUF file of a model, as llama.cpp's converter does: keys, names, the order of rows of
 * queries and keys, what is turned and what has 1 added. */
#ifndef TUTTI_TESTS_MODEL_GGUF_FILE_H
#define TUTTI_TESTS_MODEL_GGUF_FILE_H

#include <math.h>
#include <tutti.h>

#include "model/folder.h"

enum { GGUF_F32 = 0, GGUF_Q4_0 = 2, GGUF_Q8_0 = 8, GGUF_TENSORS = 200, GGUF_KEYS = 40 };

typedef struct { char name[100]; int rank, type; int64_t dim[2]; uint8_t *bytes; size_t n; } gguf_tensor;
/* type: 4 whole, 6 real, 7 bool, 8 text, 9 a list of type `of` */
typedef struct { char name[80]; int type, of; uint64_t whole; float real; const char *text; json_t *list; } gguf_key;
typedef struct { int tensors, keys; gguf_tensor t[GGUF_TENSORS]; gguf_key k[GGUF_KEYS]; } gguf_file;

static inline void gguf_number(FILE *f, uint64_t x, int bytes) { while (bytes--) fputc((int)(x & 255), f), x >>= 8; }
static inline void gguf_text(FILE *f, const char *s) { gguf_number(f, strlen(s), 8), fputs(s, f); }
static inline gguf_key *gguf_new_key(gguf_file *g, const char *name, int type)
{
    gguf_key *const k = &g->k[g->keys++];
    snprintf(k->name, sizeof k->name, "%s", name);
    k->type = type;
    return k;
}
static inline void gguf_whole(gguf_file *g, const char *name, uint64_t x) { gguf_new_key(g, name, 4)->whole = x; }
static inline void gguf_real(gguf_file *g, const char *name, double x) { gguf_new_key(g, name, 6)->real = (float)x; }
static inline void gguf_word(gguf_file *g, const char *name, const char *x) { gguf_new_key(g, name, 8)->text = x; }

static inline void gguf_list(gguf_file *g, const char *name, int of, json_t *list)       /* takes the list */
{
    gguf_key *const k = gguf_new_key(g, name, 9);
    k->of = of, k->list = list;
}

/* A tensor [rows, columns] (rows 0: a vector) of these numbers, in blocks of the type. */
static inline void gguf_add(gguf_file *g, const char *name, int64_t rows, int64_t columns, int type, const float *x)
{
    gguf_tensor *const t = &g->t[g->tensors++];
    const int64_t n = (rows ? rows : 1) * columns, blocks = n / 32;
    snprintf(t->name, sizeof t->name, "%s", name);
    t->rank = rows ? 2 : 1, t->dim[0] = columns, t->dim[1] = rows, t->type = type;
    const int64_t each = type == GGUF_Q8_0 ? 32 : 16;
    t->n = (size_t)(type == GGUF_F32 ? 4 * n : blocks * (each + 2));
    t->bytes = malloc(t->n + 1);
    if (type == GGUF_F32) {
        memcpy(t->bytes, x, t->n);
        return;
    }
    uint8_t *const codes = malloc((size_t)(blocks * each)), *const scales = malloc((size_t)blocks * 2);
    const tt_val q = tt_quantize(tt_array(TT_F32, x, rows, columns), .bits = type == GGUF_Q8_0 ? 8 : 4);
    tt_read(tt_get(q, "codes"), (void *)codes, (size_t)(blocks * each));
    tt_read(tt_get(q, "scales"), (void *)scales, (size_t)blocks * 2);
    for (int64_t b = 0; b < blocks; b++) {
        memcpy(t->bytes + b * (each + 2), scales + 2 * b, 2);
        memcpy(t->bytes + b * (each + 2) + 2, codes + b * each, (size_t)each);
    }
    free(codes), free(scales);
}

static inline bool gguf_write(const gguf_file *g, const char *path)
{
    FILE *const f = fopen(path, "wb");
    if (!f) return false;
    fputs("GGUF", f), gguf_number(f, 3, 4);
    gguf_number(f, (uint64_t)g->tensors, 8), gguf_number(f, (uint64_t)g->keys, 8);
    for (int i = 0; i < g->keys; i++) {
        const gguf_key *const k = &g->k[i];
        uint32_t bits;
        memcpy(&bits, &k->real, 4);
        gguf_text(f, k->name), gguf_number(f, (uint64_t)k->type, 4);
        if (k->type == 9) {
            size_t n;
            json_t *v;
            gguf_number(f, (uint64_t)k->of, 4), gguf_number(f, json_array_size(k->list), 8);
            json_array_foreach(k->list, n, v) {
                const float x = (float)json_number_value(v);
                memcpy(&bits, &x, 4);
                if (k->of == 8) gguf_text(f, json_string_value(v));
                else gguf_number(f, k->of == 6 ? bits : (uint64_t)json_integer_value(v), 4);
            }
        } else if (k->type == 8) gguf_text(f, k->text);
        else gguf_number(f, k->type == 6 ? bits : k->whole, k->type == 7 ? 1 : 4);
    }
    uint64_t at = 0;
    for (int i = 0; i < g->tensors; i++) {
        const gguf_tensor *const t = &g->t[i];
        gguf_text(f, t->name), gguf_number(f, (uint64_t)t->rank, 4);
        for (int d = 0; d < t->rank; d++) gguf_number(f, (uint64_t)t->dim[d], 8);
        gguf_number(f, (uint64_t)t->type, 4), gguf_number(f, at, 8);
        at += (t->n + 31) / 32 * 32;
    }
    while (ftell(f) % 32) fputc(0, f);
    for (int i = 0; i < g->tensors; i++) {
        fwrite(g->t[i].bytes, 1, g->t[i].n, f);
        for (size_t k = g->t[i].n; k % 32; k++) fputc(0, f);
    }
    return !fclose(f);
}

static inline void gguf_free(gguf_file *g)
{
    for (int i = 0; i < g->tensors; i++) free(g->t[i].bytes);
    for (int i = 0; i < g->keys; i++) json_decref(g->k[i].list);
    *g = (gguf_file){ 0 };
}

/* ---- of a config.json and its tensors ---- */

static inline uint64_t gguf_field(const json_t *config, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(config, name));
}

static inline void gguf_keys(gguf_file *g, const json_t *c, const char *arch)
{
    static const char *const names[][2] = {
        { "num_hidden_layers", "block_count" }, { "n_layer", "block_count" }, { "hidden_size", "embedding_length" },
        { "n_embd", "embedding_length" }, { "intermediate_size", "feed_forward_length" },
        { "n_inner", "feed_forward_length" }, { "num_attention_heads", "attention.head_count" },
        { "n_head", "attention.head_count" }, { "num_key_value_heads", "attention.head_count_kv" },
        { "head_dim", "attention.key_length" }, { "max_position_embeddings", "context_length" },
        { "n_positions", "context_length" }, { "sliding_window", "attention.sliding_window" },
    };
    char name[80];
    gguf_word(g, "general.architecture", arch);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_is_integer(json_object_get(c, names[i][0]))) {
            snprintf(name, sizeof name, "%s.%s", arch, names[i][1]);
            gguf_whole(g, name, gguf_field(c, names[i][0]));
        }
    if (!strcmp(arch, "gpt2") && !gguf_field(c, "n_inner"))
        gguf_whole(g, "gpt2.feed_forward_length", 4 * gguf_field(c, "n_embd"));
    const bool gpt2 = !strcmp(arch, "gpt2");
    const json_t *const eps = json_object_get(c, gpt2 ? "layer_norm_epsilon" : "rms_norm_eps");
    const json_t *const rope = json_object_get(c, "rope_parameters");
    const json_t *const full = json_object_get(rope, "full_attention");
    snprintf(name, sizeof name, "%s.attention.layer_norm_%s", arch, gpt2 ? "epsilon" : "rms_epsilon");
    gguf_real(g, name, eps ? json_number_value(eps) : 1e-5);
    const json_t *const theta = json_object_get(full ? full : rope, "rope_theta");
    snprintf(name, sizeof name, "%s.rope.freq_base", arch);
    if (theta) gguf_real(g, name, json_number_value(theta));
}

/* The name in a GGUF file. */
static inline void gguf_name(const char *name, bool gemma, char to[100])
{
    static const char *const parts[][2] = {
        { "model.embed_tokens.", "token_embd." }, { "model.norm.", "output_norm." }, { "lm_head.", "output." },
        { "transformer.wte.", "token_embd." }, { "transformer.wpe.", "position_embd." },
        { "transformer.ln_f.", "output_norm." }, { "model.layers.", "blk." }, { "transformer.h.", "blk." },
        { "input_layernorm", "attn_norm" }, { "pre_feedforward_layernorm", "ffn_norm" },
        { "post_feedforward_layernorm", "post_ffw_norm" }, { "self_attn.q_proj", "attn_q" },
        { "self_attn.k_proj", "attn_k" }, { "self_attn.v_proj", "attn_v" }, { "self_attn.o_proj", "attn_output" },
        { "self_attn.q_norm", "attn_q_norm" }, { "self_attn.k_norm", "attn_k_norm" }, { "mlp.gate_proj", "ffn_gate" },
        { "mlp.up_proj", "ffn_up" }, { "mlp.down_proj", "ffn_down" }, { "ln_1", "attn_norm" }, { "ln_2", "ffn_norm" },
        { "attn.c_attn", "attn_qkv" }, { "attn.c_proj", "attn_output" }, { "mlp.c_fc", "ffn_up" },
        { "mlp.c_proj", "ffn_down" },
    };
    char rest[100];
    snprintf(to, 100, "%s", name);
    for (size_t i = 0; i <= sizeof parts / sizeof *parts; i++) {
        const bool last = i == sizeof parts / sizeof *parts;
        const char *const from = last ? "post_attention_layernorm" : parts[i][0];
        const char *const by = !last ? parts[i][1] : gemma ? "post_attention_norm" : "ffn_norm";
        char *const at = strstr(to, from);
        if (!at) continue;
        snprintf(rest, sizeof rest, "%s", at + strlen(from));
        snprintf(at, (size_t)(to + 100 - at), "%s%s", by, rest);
    }
}

/* All weights of a case; matrices but tables of positions in blocks of the type. wide: they, as the file gives them, in
 * the order of the folder, by the folder's names. */
static inline tt_val gguf_weights(gguf_file *g, json_t *config, json_t *tensors, int type, tt_val wide)
{
    const char *const family = json_string_value(json_object_get(config, "model_type")), *name;
    const bool gemma = !strcmp(family, "gemma3_text"), gpt2 = !strcmp(family, "gpt2");
    const bool turns = !strcmp(family, "llama") || !strcmp(family, "mistral");
    json_t *dims;
    json_object_foreach(tensors, name, dims) {
        const size_t rank = json_array_size(dims);
        const int64_t n = folder_count(dims), rows = rank > 1 ? json_integer_value(json_array_get(dims, 0)) : 0;
        const int64_t columns = rank > 1 ? n / rows : n;
        float *x = malloc((size_t)n * 4), *y = malloc((size_t)n * 4);
        char to[100];
        for (int64_t i = 0; i < n; i++) x[i] = folder_weight(name, 0, (uint64_t)i, rank, gemma);
        if (gemma && rank == 1) for (int64_t i = 0; i < n; i++) x[i] += 1;
        const bool turned = gpt2 && rank > 1 && !folder_ends(name, "wte.weight") && !folder_ends(name, "wpe.weight");
        const bool query = strstr(name, "q_proj") != NULL, key = strstr(name, "k_proj") != NULL;
        const int64_t heads = query ? (int64_t)gguf_field(config, "num_attention_heads")
                                    : (int64_t)gguf_field(config, "num_key_value_heads");
        const int64_t half = turns && (query || key) ? rows / heads / 2 : 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t r = i / columns, k = i % columns, at = i;
            if (turned) at = k * rows + r;
            if (half) {                                  /* row [head, side, j] becomes [head, j, side] */
                const int64_t head = r / (2 * half), side = r / half % 2, j = r % half;
                at = (head * 2 * half + 2 * j + side) * columns + k;
            }
            y[at] = x[i];
        }
        const int as = rank > 1 && !folder_ends(name, "wpe.weight") ? type : GGUF_F32;
        gguf_name(name, gemma, to);
        gguf_add(g, to, turned ? columns : rows, turned ? rows : columns, as, y);
        if (as != GGUF_F32) {                            /* rows are packed one by one, in any order */
            const tt_val v = tt_array(TT_F32, x, rows, columns), in = turned ? tt_transpose(v) : v;
            const tt_val q = tt_quantize(in, .bits = type == GGUF_Q8_0 ? 8 : 4);
            const tt_val back = tt_dequantize(tt_get(q, "codes"), tt_get(q, "scales"));
            wide = tt_set(wide, name, turned ? tt_transpose(back) : back);
        }
        free(x), free(y);
    }
    return wide;
}

#endif
