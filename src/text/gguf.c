/* text/gguf.c - the tokenizer of a GGUF file, in the keys tokenizer.ggml.*: byte-level BPE ("gpt2"), which becomes what
 * a tokenizer.json says, and SentencePiece's BPE ("llama"), which becomes that library's file. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 2, CONTROL, USER };                     /* types of pieces */

typedef struct { text_at at; const json_t *keys; } reading;

static const json_t *key_of(const reading *r, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "tokenizer.ggml.%s", name);
    return json_object_get(r->keys, key);
}

static const char *piece_of(const reading *r, json_int_t id)
{
    const char *const s = id < 0 ? NULL : json_string_value(json_array_get(key_of(r, "tokens"), (size_t)id));
    return s ? s : "";
}

static json_int_t piece_type(const reading *r, size_t id)
{
    const json_t *const v = json_array_get(key_of(r, "token_type"), id);
    return v ? json_integer_value(v) : 1;
}

/* The id that a text begins or ends with, -1: none. */
static json_int_t added_id(const reading *r, const char *which, bool usual)
{
    char key[40];
    snprintf(key, sizeof key, "add_%s_token", which);
    const json_t *const adds = key_of(r, key);
    snprintf(key, sizeof key, "%s_token_id", which);
    const json_t *const id = key_of(r, key);
    return json_is_integer(id) && (adds ? json_is_true(adds) : usual) ? json_integer_value(id) : -1;
}

/* ---- byte-level BPE ---- */

#define WORDS "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define OTHERS "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

/* By the name of the file's pre-tokenizer; pattern NULL: GPT-2's. */
static const struct { const char *name, *pattern; bool whole; } splitters[] = {
    { "default", NULL, false }, { "gpt-2", NULL, false },
    { "llama-bpe", WORDS "\\p{N}{1,3}" OTHERS, true }, { "llama3", WORDS "\\p{N}{1,3}" OTHERS, true },
    { "qwen2", WORDS "\\p{N}" OTHERS, false },
};

static json_t *byte_level(bool splits)
{
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 0, "trim_offsets", 1, "use_regex",
                     splits);
}

static json_t *splitter_of(const char *pattern)
{
    return pattern ? json_pack("{s:s, s:[{s:s, s:{s:s}, s:s, s:b}, o]}", "type", "Sequence", "pretokenizers", "type",
                               "Split", "pattern", "Regex", pattern, "behavior", "Isolated", "invert", 0,
                               byte_level(false))
                   : byte_level(true);
}

static json_t *template_of(const reading *r)
{
    const json_int_t begin = added_id(r, "bos", false), end = added_id(r, "eos", false);
    json_t *const single = json_array(), *const names = json_object();
    for (int i = 0; i < 3; i++) {
        const json_int_t id = i ? end : begin;
        if (i == 1) json_array_append_new(single, json_pack("{s:{s:s, s:i}}", "Sequence", "id", "A", "type_id", 0));
        else if (id >= 0) {
            const char *const s = piece_of(r, id);
            json_array_append_new(single, json_pack("{s:{s:s, s:i}}", "SpecialToken", "id", s, "type_id", 0));
            json_object_set_new(names, s, json_pack("{s:s, s:[I], s:[s]}", "id", s, "ids", id, "tokens", s));
        }
    }
    if (begin >= 0 || end >= 0)
        return json_pack("{s:s, s:o, s:[], s:o}", "type", "TemplateProcessing", "single", single, "pair",
                         "special_tokens", names);
    json_decref(single), json_decref(names);
    return json_null();
}

static bool open_bytes(const reading *r, text_tokenizer *t)
{
    const json_t *const tokens = key_of(r, "tokens"), *const merges = key_of(r, "merges");
    const char *const pre = json_string_value(key_of(r, "pre"));
    const size_t known = sizeof splitters / sizeof *splitters;
    size_t k = 0, i;
    while (k < known && strcmp(pre ? pre : "default", splitters[k].name)) k++;
    if (k == known)
        return text_fail(r->at, TT_EDATA, "tokenizer.ggml.pre is \"%.40s\"; built are gpt-2, llama-bpe and qwen2", pre);
    if (!json_is_array(merges)) return text_fail(r->at, TT_EDATA, "has no tokenizer.ggml.merges");
    json_t *const vocab = json_object(), *const added = json_array(), *v;
    json_array_foreach((json_t *)tokens, i, v)
    {
        const json_int_t type = piece_type(r, i);
        if (type == CONTROL || type == USER || type == UNKNOWN)
            json_array_append_new(added, json_pack("{s:i, s:O, s:b, s:b, s:b, s:b, s:b}", "id", (int)i, "content", v,
                                                   "single_word", 0, "lstrip", 0, "rstrip", 0, "normalized", 0,
                                                   "special", type != USER));
        else json_object_set_new(vocab, json_string_value(v), json_integer((json_int_t)i));
    }
    json_t *const bpe = json_pack("{s:s, s:o, s:O, s:b}", "type", "BPE", "vocab", vocab, "merges", merges,
                                  "ignore_merges", splitters[k].whole);
    json_t *const o = json_pack("{s:s, s:n, s:n, s:o, s:n, s:o, s:o, s:{s:s}, s:o}", "version", "1.0", "truncation",
                                "padding", "added_tokens", added, "normalizer", "pre_tokenizer",
                                splitter_of(splitters[k].pattern), "post_processor", template_of(r), "decoder", "type",
                                "ByteLevel", "model", bpe);
    char *const text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    const bool ok = text ? text_open_json(r->at, t, text, strlen(text)) : text_no_memory(r->at);
    free(text), json_decref(o);
    return ok;
}

/* ---- SentencePiece's ---- */

static void varint(text_buf *b, uint64_t x)
{
    for (; x > 127; x >>= 7) text_put(b, &(uint8_t){ (uint8_t)((x & 127) | 128) }, 1);
    text_put(b, &(uint8_t){ (uint8_t)x }, 1);
}

static void whole_field(text_buf *b, int number, uint64_t x) { varint(b, (uint64_t)number << 3), varint(b, x); }
static void bytes_field(text_buf *b, int number, const void *p, size_t n)
{
    varint(b, (uint64_t)number << 3 | 2), varint(b, n), text_put(b, p, n);
}

static bool open_pieces(const reading *r, text_tokenizer *t)
{
    const json_t *const tokens = key_of(r, "tokens"), *const scores = key_of(r, "scores"), *v;
    const json_t *const space = key_of(r, "add_space_prefix"), *const extra = key_of(r, "remove_extra_whitespaces");
    text_buf all = { 0 }, one = { 0 };
    size_t i;
    if (json_array_size(scores) != json_array_size(tokens))
        return text_fail(r->at, TT_EDATA, "%zu scores for %zu tokens", json_array_size(scores),
                         json_array_size(tokens));
    json_array_foreach((json_t *)tokens, i, v)
    {
        const float score = (float)json_number_value(json_array_get(scores, i));
        text_cut(&one, 0);
        bytes_field(&one, 1, json_string_value(v), json_string_length(v));
        varint(&one, 2 << 3 | 5), text_put(&one, &score, 4);
        whole_field(&one, 3, (uint64_t)piece_type(r, i));
        bytes_field(&all, 1, one.p, one.n);
    }
    text_cut(&one, 0);
    whole_field(&one, 3, 2), whole_field(&one, 35, 1);   /* BPE, with bytes for what has no piece */
    bytes_field(&all, 2, one.p, one.n);
    text_cut(&one, 0);
    bytes_field(&one, 1, "identity", 8);
    whole_field(&one, 3, space ? json_is_true(space) : 1), whole_field(&one, 4, json_is_true(extra));
    whole_field(&one, 5, 1);
    bytes_field(&all, 3, one.p, one.n);
    bool ok = all.bad || one.bad ? text_no_memory(r->at) : text_open_sentencepiece(r->at, t, all.p, all.n);
    const json_int_t begin = added_id(r, "bos", true), end = added_id(r, "eos", false);
    if (ok && begin >= 0) t->before[t->nbefore++] = (int32_t)begin;
    if (ok && end >= 0) t->after[t->nafter++] = (int32_t)end;
    text_free(&all), text_free(&one);
    return ok;
}

/* ---- the file ---- */

bool text_is_gguf(const char *path)
{
    char head[4] = "";
    FILE *const f = fopen(path, "rb");
    const bool is = f && fread(head, 1, 4, f) == 4 && !memcmp(head, "GGUF", 4);
    if (f) fclose(f);
    return is;
}

bool text_open_gguf(text_at at, text_tokenizer *t)
{
    const tt_scope own = tt_scope_open();
    const tt_ckpt file = tt_ckpt_open_at(at.site, at.path);
    json_t *const keys = tt_ok() ? json_loads(tt_ckpt_metadata_at(at.site, file), 0, NULL) : NULL;
    const reading r = { at, keys };
    const char *const model = json_string_value(key_of(&r, "model"));
    bool ok = tt_ok();
    if (ok && !json_is_array(key_of(&r, "tokens"))) ok = text_fail(at, TT_EDATA, "has no tokenizer.ggml.tokens");
    const size_t n = json_array_size(key_of(&r, "tokens"));
    for (size_t i = 0; ok && i < n; i++)
        if (!json_is_string(json_array_get(key_of(&r, "tokens"), i)))
            ok = text_fail(at, TT_EDATA, "token %zu is no text", i);
    if (ok && model && !strcmp(model, "gpt2")) ok = open_bytes(&r, t);
    else if (ok && model && !strcmp(model, "llama")) ok = open_pieces(&r, t);
    else if (ok)
        ok = text_fail(at, TT_EDATA, "tokenizer.ggml.model is \"%.40s\"; built are gpt2 and llama", model ? model : "");
    if (ok) t->format = "GGUF";
    json_decref(keys);
    tt_scope_close(own);
    return ok;
}
