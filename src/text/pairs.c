/* text/pairs.c - vocab.json with merges.txt, as GPT-2 was published: byte-level BPE without any of tokenizer.json's
 * options. A line of merges.txt is a pair, the first has the lowest rank; a line that begins with "#version" is
 * none. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* merges.txt beside vocab.json: "gpt2-vocab.json" has "gpt2-merges.txt" */
static bool merges_path(text_at at, text_buf *out)
{
    const char *const slash = strrchr(at.path, '/'), *const name = slash ? slash + 1 : at.path;
    const size_t n = strlen(name);
    if (n < 10 || strcmp(name + n - 10, "vocab.json"))
        return text_fail(at, TT_EARG,
                         "is no tokenizer.json; a vocabulary with merges is named vocab.json, as its merges.txt");
    text_put(out, at.path, (size_t)(name - at.path) + n - 10);
    text_put(out, "merges.txt", 11);
    return !out->bad || text_no_memory(at);
}

static bool line_of(text_at at, text_tokenizer *t, const char *p, size_t n, int line, int32_t *rank)
{
    const char *const gap = memchr(p, ' ', n);
    const size_t na = gap ? (size_t)(gap - p) : 0;
    if (n >= 8 && !memcmp(p, "#version", 8)) return true;
    if (!gap || memchr(gap + 1, ' ', n - na - 1))
        return text_fail(at, TT_EDATA, "line %d is not a pair of pieces with a blank between them", line);
    return text_merges_add(at, t, (*rank)++, p, na, gap + 1, n - na - 1);
}

static bool read_merges(text_at at, text_tokenizer *t)
{
    text_buf b = { 0 };
    bool ok = text_read(at, &b);
    size_t lines = 1;
    for (size_t i = 0; ok && i < b.n; i++) lines += b.p[i] == '\n';
    ok = ok && text_merges_new(at, t, lines);
    int32_t rank = 0;
    int line = 1;
    for (size_t i = 0, end; ok && i < b.n; i = end + 1, line++) {
        const char *const stop = memchr(b.p + i, '\n', b.n - i);
        end = stop ? (size_t)(stop - b.p) : b.n;
        ok = line_of(at, t, b.p + i, end - i - (end > i && b.p[end - 1] == '\r'), line, &rank);
    }
    text_free(&b);
    return ok;
}

static bool specials(text_at at, text_tokenizer *t, const json_t *vocab, const char *names)
{
    const size_t most = strlen(names) / 2 + 1;
    t->added.token = calloc(most, sizeof *t->added.token);
    if (!t->added.token) return text_no_memory(at);
    for (const char *p = names; *p;) {
        const size_t n = strcspn(p, " ");
        if (n) {
            char *const name = text_copy(p, n);
            const json_t *const id = name ? json_object_get(vocab, name) : NULL;
            if (!name) return text_no_memory(at);
            if (!json_is_integer(id)) {
                text_fail(at, TT_EARG, "the special token \"%.60s\" is not in the vocabulary", name);
                free(name);
                return false;
            }
            t->added.token[t->added.n++] =
                (text_token){ .id = (int32_t)json_integer_value(id), .special = true, .content = name, .n = n };
        }
        p += n + (p[n] == ' ');
    }
    return true;
}

bool text_open_pairs(text_at at, text_tokenizer *t, const json_t *vocab, const char *special)
{
    text_buf path = { 0 };
    t->model = TEXT_BPE;
    t->format = "vocab.json";
    t->split.n = t->decode.n = 1;
    t->split.step[0].what = TEXT_AT_BYTES, t->decode.step[0].what = TEXT_FROM_BYTES;
    bool ok = text_set_byte_level(at, &t->split.step[0], true) && merges_path(at, &path) &&
              specials(at, t, vocab, special ? special : "") && text_json_vocab(at, t, vocab) &&
              read_merges((text_at){ at.site, path.p }, t) && text_byte_level(at, t) && text_added_index(at, t);
    text_free(&path);
    return ok;
}
