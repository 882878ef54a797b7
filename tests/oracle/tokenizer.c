/* oracle/tokenizer.c - kind `tokenizer`: texts to ids, those ids to text, drawn ids to text, by a file of
 * `tokenizers` or SentencePiece. Texts and lists of ids stand one behind the other in an array; a second one says
 * where each ends. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lists one behind the other. */
typedef struct {
    int64_t n, *end;
    char *item;
    size_t unit, cap;
} lists;

static lists lists_of(tt_val items, tt_val ends, size_t unit)
{
    lists l = { .n = tt_dim_at(NULL, ends, 0), .unit = unit };
    const size_t bytes = (size_t)tt_bytes(items);
    l.end = malloc((size_t)l.n * 8 + 8);
    l.item = malloc(bytes + 1);
    if (!l.end || !l.item) abort();
    if (l.n) tt_read_at(NULL, ends, l.end, (size_t)l.n * 8);
    if (bytes) tt_read_at(NULL, items, l.item, bytes);
    return l;
}

static void lists_free(lists *l)
{
    free(l->end);
    free(l->item);
}

static const char *list_at(const lists *l, int64_t i, int64_t *n)
{
    const int64_t from = i ? l->end[i - 1] : 0;
    *n = l->end[i] - from;
    return l->item + (size_t)from * l->unit;
}

static void list_add(lists *l, const void *p, int64_t n)
{
    const int64_t from = l->n ? l->end[l->n - 1] : 0;
    const size_t need = (size_t)(from + n) * l->unit + 1;
    if (need > l->cap) l->item = realloc(l->item, l->cap = 2 * need);
    if ((l->n & (l->n - 1)) == 0) l->end = realloc(l->end, (size_t)(2 * l->n + 2) * 8);
    if (!l->item || !l->end) abort();
    memcpy(l->item + (size_t)from * l->unit, p, (size_t)n * l->unit);
    l->end[l->n++] = from + n;
}

static void expect_lists(oracle_case *c, int i, const lists *l, tt_dtype type)
{
    const int64_t all = l->n ? l->end[l->n - 1] : 0;
    oracle_expect(c, i, tt_array(type, l->item, all));
    oracle_expect(c, i + 1, tt_array(TT_I64, l->end, l->n));
}

static void hex(char *to, size_t capacity, const char *p, int64_t n)
{
    *to = 0;
    for (int64_t k = 0; k < n && strlen(to) + 8 < capacity; k++)
        sprintf(to + strlen(to), p[k] >= 32 && p[k] < 127 ? "%c" : "\\x%02x", (uint8_t)p[k]);
}

/* True if the two are equal; else the first few differences are told. */
static void compare(oracle_case *c, const char *what, const lists *in, const lists *got, int output, int *told)
{
    lists want = lists_of(oracle_array(c, oracle_out_name(c, output)), oracle_array(c, oracle_out_name(c, output + 1)),
                          got->unit);
    for (int64_t i = 0; i < got->n && i < want.n && *told < 5; i++) {
        int64_t ng, nw, ni;
        const char *const g = list_at(got, i, &ng), *const w = list_at(&want, i, &nw), *const s = list_at(in, i, &ni);
        char a[300], b[300], from[300];
        if (ng == nw && !memcmp(g, w, (size_t)ng * got->unit)) continue;
        hex(from, sizeof from, s, in->unit == 1 ? ni : 0);
        if (got->unit == 1) hex(a, sizeof a, g, ng), hex(b, sizeof b, w, nw);
        else {
            *a = *b = 0;
            for (int64_t k = 0; k < ng && strlen(a) < 200; k++) sprintf(a + strlen(a), "%d ", ((const int32_t *)g)[k]);
            for (int64_t k = 0; k < nw && strlen(b) < 200; k++) sprintf(b + strlen(b), "%d ", ((const int32_t *)w)[k]);
        }
        oracle_fail(c, "%s %lld of \"%s\": %s, expected %s", what, (long long)i, from, a, b);
        ++*told;
    }
    lists_free(&want);
}

static void decode(oracle_case *c, tt_tokenizer t, const lists *ids, int special, lists *text)
{
    for (int64_t i = 0; i < ids->n && tt_ok(); i++) {
        int64_t n;
        const int32_t *const list = (const int32_t *)list_at(ids, i, &n);
        const tt_scope scope = tt_scope_open();
        int64_t len = 0, bytes = 0;
        const char *const s = tt_tokenizer_text(t, n, list, .special = special, .length = &len);
        list_add(text, s, len);
        tt_token_stream stream = tt_tokenizer_stream(t, .special = special, .length = &bytes);
        int64_t at = 0;
        bool same = true;
        for (int64_t k = 0; k <= n && !special; k++) {
            const char *const part = k < n ? tt_token_stream_next(stream, list[k]) : tt_token_stream_end(stream);
            same &= at + bytes <= len && !memcmp(s + at, part, (size_t)bytes);
            at += bytes;
        }
        if (!special && (!same || at != len)) oracle_fail(c, "text %lld, id by id, is another one", (long long)i);
        tt_scope_close(scope);
    }
}

/* The merges of a tokenizer that is trained on a text, one a line. */
static void train(oracle_case *c)
{
    char path[] = "/tmp/tutti-train-XXXXXX";
    const int file = mkstemp(path);
    const tt_val text = oracle_in(c, 0);
    const size_t n = (size_t)tt_bytes(text);
    char *const p = malloc(n + 1);
    if (file < 0 || !p || !tt_read(text, p, n)) abort();
    close(file);
    tt_tokenizer_train(path, p, oracle_int(c->params, "size", 0), .length = (int64_t)n,
                       .special = oracle_text(c->params, "special", ""));
    json_t *const o = tt_ok() ? json_load_file(path, 0, NULL) : NULL;
    const json_t *const merges = json_object_get(json_object_get(o, "model"), "merges");
    lists all = { .unit = 1 };
    for (size_t i = 0; i < json_array_size(merges); i++) {
        const json_t *const m = json_array_get(merges, i);
        char line[2100];
        const int k = snprintf(line, sizeof line, "%s %s\n", json_string_value(json_array_get(m, 0)),
                               json_string_value(json_array_get(m, 1)));
        list_add(&all, line, k);
    }
    const tt_tokenizer t = tt_ok() ? tt_tokenizer_open(path) : (tt_tokenizer){ 0 };
    if (tt_ok() && tt_tokenizer_size(t) > oracle_int(c->params, "size", 0)) oracle_fail(c, "too many pieces");
    if (tt_ok()) oracle_expect(c, 0, tt_array(TT_U8, all.item, all.n ? all.end[all.n - 1] : 0));
    remove(path);
    json_decref(o);
    free(p);
    lists_free(&all);
}

void oracle_tokenizer(oracle_case *c)
{
    if (!strcmp(c->fn, "train")) {
        train(c);
        return;
    }
    char path[4096];
    const char *const special = oracle_text(c->params, "special", NULL);
    snprintf(path, sizeof path, "%s/%s", oracle_suite_dir(c->suite), oracle_text(c->params, "path", ""));
    const tt_tokenizer t = special ? tt_tokenizer_open(path, .special = special) : tt_tokenizer_open(path);
    if (!tt_ok()) return;
    lists in = lists_of(oracle_in(c, 0), oracle_in(c, 1), 1), drawn = lists_of(oracle_in(c, 2), oracle_in(c, 3), 4);
    lists ids = { .unit = 4 }, text = { .unit = 1 }, other = { .unit = 1 };
    int told = 0;
    for (int64_t i = 0; i < in.n && tt_ok(); i++) {
        int64_t n, count;
        const char *const s = list_at(&in, i, &n);
        int32_t list[4096];
        count = tt_tokenizer_ids(t, s, 4096, list, .length = n);
        if (count >= 0 && count <= 4096) list_add(&ids, list, count);
        else if (tt_ok()) oracle_fail(c, "%lld ids", (long long)count);
    }
    decode(c, t, &ids, 0, &text);
    decode(c, t, &drawn, 1, &other);
    if (!tt_ok()) return;
    compare(c, "ids", &in, &ids, 0, &told);
    compare(c, "text", &in, &text, 2, &told);
    compare(c, "text of drawn ids", &drawn, &other, 4, &told);
    if (!told) expect_lists(c, 0, &ids, TT_I32), expect_lists(c, 2, &text, TT_U8), expect_lists(c, 4, &other, TT_U8);
    lists_free(&in), lists_free(&drawn), lists_free(&ids), lists_free(&text), lists_free(&other);
}
