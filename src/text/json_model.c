/* text/json_model.c - the model of a tokenizer.json: vocabulary, merges, scores. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* ---- vocabularies ---- */

static bool set_added(text_at at, text_tokenizer *t)
{
    t->limit = (uint32_t)t->vocab.bytes.n;
    for (int i = 0; i < t->added.n; i++) {
        const text_token *const k = &t->added.token[i];
        const int32_t known = text_vocab_find(&t->vocab, k->content, k->n);
        if (known >= 0 && known != k->id)
            return text_fail(at, TT_EDATA, "\"%.60s\" has the ids %d, in the model, and %d, as added token", k->content,
                             known, k->id);
        if (!text_vocab_set(at, &t->vocab, k->id, k->content, k->n)) return false;
    }
    return true;
}

static int64_t ids_of(const text_tokenizer *t, int64_t ids)
{
    for (int i = 0; i < t->added.n; i++) ids = t->added.token[i].id >= ids ? t->added.token[i].id + 1 : ids;
    return ids;
}

bool text_json_vocab(text_at at, text_tokenizer *t, const json_t *o)
{
    const char *name;
    json_t *v;
    int64_t ids = 0;
    if (!json_is_object(o)) return text_fail(at, TT_EDATA, "the vocabulary is not a JSON object");
    json_object_foreach((json_t *)o, name, v)
    {
        if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > INT32_MAX / 8)
            return text_fail(at, TT_EDATA, "the piece \"%.60s\" has no id of 0 or more", name);
        ids = json_integer_value(v) >= ids ? json_integer_value(v) + 1 : ids;
    }
    const int64_t pieces = (int64_t)json_object_size(o) + t->added.n;
    if (!text_vocab_new(at, &t->vocab, pieces, ids_of(t, ids))) return false;
    json_object_foreach((json_t *)o, name,
                        v) if (!text_vocab_set(at, &t->vocab, json_integer_value(v), name, strlen(name))) return false;
    return set_added(at, t);
}

/* [["piece", -1.5], ...]; of two with one text the last is found */
static bool scored(text_at at, text_tokenizer *t, const json_t *list)
{
    const size_t n = json_array_size(list);
    if (!n || n > INT32_MAX / 8) return text_fail(at, TT_EDATA, "Unigram: the vocabulary is not a list of pieces");
    if (!text_vocab_new(at, &t->vocab, (int64_t)n + t->added.n, ids_of(t, (int64_t)n))) return false;
    t->score64 = calloc(n, sizeof *t->score64);
    if (!t->score64) return text_no_memory(at);
    for (size_t i = n; i-- > 0;) {
        const json_t *const pair = json_array_get(list, i), *const text = json_array_get(pair, 0);
        const json_t *const score = json_array_get(pair, 1);
        if (!json_is_string(text) || !json_is_number(score) || json_array_size(pair) != 2)
            return text_fail(at, TT_EDATA, "Unigram: piece %zu is not [text, score]", i);
        if (!text_vocab_set(at, &t->vocab, (int64_t)i, json_string_value(text), json_string_length(text))) return false;
        t->score64[i] = json_number_value(score);
        if (i == n - 1 || t->score64[i] < t->least) t->least = t->score64[i];
    }
    return set_added(at, t);
}

/* ---- merges: a table of pairs ---- */

bool text_merges_new(text_at at, text_tokenizer *t, size_t n)
{
    if (n > INT32_MAX / 8) return text_fail(at, TT_EDATA, "%zu merges", n);
    t->merges = 16;
    while (t->merges < 2 * n) t->merges *= 2;
    t->seed = text_seed();
    t->merge = malloc(t->merges * sizeof *t->merge);
    if (!t->merge) return text_no_memory(at);
    for (uint32_t i = 0; i < t->merges; i++) t->merge[i].id = -1;
    return true;
}

static text_merge *place_of(const text_tokenizer *t, uint64_t pair)
{
    uint32_t i = (uint32_t)text_hash2(t->seed, pair) & (t->merges - 1);
    while (t->merge[i].id >= 0 && t->merge[i].pair != pair) i = (i + 1) & (t->merges - 1);
    return &t->merge[i];
}

const text_merge *text_merges_find(const text_tokenizer *t, int32_t a, int32_t b)
{
    const text_merge *const m = place_of(t, (uint64_t)(uint32_t)a << 32 | (uint32_t)b);
    return m->id >= 0 ? m : NULL;
}

bool text_merges_add(text_at at, text_tokenizer *t, int32_t rank, const char *a, size_t na, const char *b, size_t nb)
{
    const int32_t left = text_vocab_find(&t->vocab, a, na), right = text_vocab_find(&t->vocab, b, nb);
    const size_t inside = t->prefix && nb >= t->nprefix ? t->nprefix : 0; /* the prefix of the second goes */
    char both[2 * TEXT_PIECE];
    if (left < 0 || right < 0)
        return text_fail(at, TT_EDATA, "merge %d: \"%.60s\" is not in the vocabulary", rank + 1, left < 0 ? a : b);
    memcpy(both, a, na);
    memcpy(both + na, b + inside, nb - inside);
    const int32_t id = text_vocab_find(&t->vocab, both, na + nb - inside);
    if (id < 0)
        return text_fail(at, TT_EDATA, "merge %d: \"%.*s\" is not in the vocabulary", rank + 1,
                         na + nb < 60 ? (int)(na + nb - inside) : 60, both);
    text_merge *const m = place_of(t, (uint64_t)(uint32_t)left << 32 | (uint32_t)right);
    *m = (text_merge){ (uint64_t)(uint32_t)left << 32 | (uint32_t)right, rank, id }; /* the last of a pair counts */
    return true;
}

static bool merges(text_at at, text_tokenizer *t, const json_t *list)
{
    const size_t n = json_array_size(list);
    if (!json_is_array(list)) return text_fail(at, TT_EDATA, "BPE: there are no merges");
    if (!text_merges_new(at, t, n)) return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *const m = json_array_get(list, i), *const x = json_array_get(m, 0),
                            *const y = json_array_get(m, 1);
        const char *const s = json_string_value(m), *const gap = s ? strchr(s, ' ') : NULL;
        bool ok = false;
        if (gap && !strchr(gap + 1, ' '))
            ok = text_merges_add(at, t, (int32_t)i, s, (size_t)(gap - s), gap + 1, strlen(gap + 1));
        else if (json_is_string(x) && json_is_string(y) && json_array_size(m) == 2)
            ok = text_merges_add(at, t, (int32_t)i, json_string_value(x), json_string_length(x), json_string_value(y),
                                 json_string_length(y));
        else return text_fail(at, TT_EDATA, "BPE: merge %zu is not a pair of pieces", i + 1);
        if (!ok) return false;
    }
    return true;
}

/* ---- models ---- */

static bool affix(text_at at, const json_t *v, const char *name, char **to, size_t *n)
{
    if (!v || json_is_null(v) || (json_is_string(v) && !json_string_length(v))) return true;
    if (!json_is_string(v) || json_string_length(v) > TEXT_PIECE)
        return text_fail(at, TT_EDATA, "%s: expected a text of at most %d bytes", name, TEXT_PIECE);
    *n = json_string_length(v);
    *to = text_copy(json_string_value(v), *n);
    return *to || text_no_memory(at);
}

static bool unknown_token(text_at at, text_tokenizer *t, const json_t *v)
{
    if (!v || json_is_null(v)) return true;
    if (json_is_string(v)) t->unknown = text_vocab_find(&t->vocab, json_string_value(v), json_string_length(v));
    return t->unknown >= 0 || text_fail(at, TT_EDATA, "unk_token \"%.60s\" is not in the vocabulary",
                                        json_is_string(v) ? json_string_value(v) : "");
}

static bool bpe(text_at at, text_tokenizer *t, const json_t *o)
{
    static const char names[] = "type dropout unk_token continuing_subword_prefix end_of_word_suffix fuse_unk "
                                "byte_fallback ignore_merges vocab merges";
    const json_t *const dropout = json_object_get(o, "dropout");
    t->model = TEXT_BPE;
    if (!text_json_only(at, o, "BPE", names)) return false;
    if (dropout && !json_is_null(dropout) && json_number_value(dropout) != 0)
        return text_fail(at, TT_EDATA, "BPE: dropout is not supported");
    t->fuse_unknown = json_is_true(json_object_get(o, "fuse_unk"));
    t->ignore_merges = json_is_true(json_object_get(o, "ignore_merges"));
    return affix(at, json_object_get(o, "continuing_subword_prefix"), "continuing_subword_prefix", &t->prefix,
                 &t->nprefix) &&
           affix(at, json_object_get(o, "end_of_word_suffix"), "end_of_word_suffix", &t->suffix, &t->nsuffix) &&
           text_json_vocab(at, t, json_object_get(o, "vocab")) &&
           unknown_token(at, t, json_object_get(o, "unk_token")) && merges(at, t, json_object_get(o, "merges"));
}

static bool unigram(text_at at, text_tokenizer *t, const json_t *o)
{
    const json_t *const unknown = json_object_get(o, "unk_id");
    t->model = TEXT_UNIGRAM;
    t->fuse_unknown = true;
    if (!text_json_only(at, o, "Unigram", "type unk_id vocab byte_fallback") ||
        !scored(at, t, json_object_get(o, "vocab")))
        return false;
    if (!unknown || json_is_null(unknown)) return true;
    t->unknown = (int32_t)json_integer_value(unknown);
    return (json_is_integer(unknown) && json_integer_value(unknown) >= 0 && json_integer_value(unknown) < t->vocab.n) ||
           text_fail(at, TT_EDATA, "Unigram: unk_id is not the id of a piece");
}

static bool wordpiece(text_at at, text_tokenizer *t, const json_t *o)
{
    static const char names[] = "type unk_token continuing_subword_prefix max_input_chars_per_word vocab";
    const json_t *const most = json_object_get(o, "max_input_chars_per_word");
    t->model = TEXT_WORDPIECE;
    t->word_chars = most ? json_integer_value(most) : 100;
    return text_json_only(at, o, "WordPiece", names) && text_json_vocab(at, t, json_object_get(o, "vocab")) &&
           affix(at, json_object_get(o, "continuing_subword_prefix"), "continuing_subword_prefix", &t->prefix,
                 &t->nprefix) &&
           unknown_token(at, t, json_object_get(o, "unk_token"));
}

static bool wordlevel(text_at at, text_tokenizer *t, const json_t *o)
{
    const char *const unknown = json_string_value(json_object_get(o, "unk_token"));
    t->model = TEXT_WORDLEVEL;
    if (!text_json_only(at, o, "WordLevel", "type unk_token vocab") ||
        !text_json_vocab(at, t, json_object_get(o, "vocab")))
        return false;
    if (unknown) t->unknown = text_vocab_find(&t->vocab, unknown, strlen(unknown));
    return true;
}

bool text_json_model(text_at at, text_tokenizer *t, const json_t *file)
{
    const json_t *const o = json_object_get(file, "model");
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!type) type = json_object_get(o, "merges") ? "BPE" : ""; /* files of before 2021 */
    if (json_is_true(json_object_get(o, "byte_fallback"))) t->byte_fallback = true;
    bool ok;
    if (!strcmp(type, "BPE")) ok = bpe(at, t, o);
    else if (!strcmp(type, "Unigram")) ok = unigram(at, t, o);
    else if (!strcmp(type, "WordPiece")) ok = wordpiece(at, t, o);
    else if (!strcmp(type, "WordLevel")) ok = wordlevel(at, t, o);
    else return text_fail(at, TT_EDATA, "model: the type \"%.60s\" is not supported", type);
    if (ok && t->byte_fallback) text_fallback_ids(t); /* bytes without a piece are unknown */
    return ok;
}
