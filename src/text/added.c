/* text/added.c - tokens that are found before the model sees the text: the longest of those that begin first, as
 * Aho-Corasick's search with leftmost-longest matches finds them. A token has at most TEXT_PIECE bytes, so the time is
 * linear. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

/* The trie of the tokens that are found in text as it is, or after the normalizer. */
static bool index_of(text_at at, text_tokenizer *t, bool normalized, text_trie *trie, bool *has)
{
    text_buf *const shown = calloc((size_t)t->added.n + 1, sizeof *shown);
    text_call c = { .at = at, .t = t };
    size_t bytes = 0;
    bool ok = shown || text_no_memory(at);
    for (int i = 0; ok && i < t->added.n; i++) {
        const text_token *const k = &t->added.token[i];
        if (k->normalized != normalized) continue;
        if (normalized && t->normal.n) ok = text_normalize(&c, k->content, k->n, &shown[i]);
        else text_put(&shown[i], k->content, k->n);
        if (shown[i].bad) ok = text_no_memory(at);
        bytes += shown[i].n;
    }
    if (ok && bytes) {
        *has = true;
        ok = text_trie_new(at, trie, bytes);
        for (int i = 0; ok && i < t->added.n; i++)
            if (shown[i].n) text_trie_add(trie, shown[i].p, shown[i].n, i);
    }
    for (int i = 0; shown && i < t->added.n; i++) text_free(&shown[i]);
    free(shown);
    text_matches_free(&c.matches);
    return ok;
}

bool text_added_index(text_at at, text_tokenizer *t)
{
    return index_of(at, t, false, &t->added.plain, &t->added.has_plain) &&
           index_of(at, t, true, &t->added.normal, &t->added.has_normal);
}

/* The number of the longest token at p; -1: none */
static int token_at(const text_trie *trie, const char *p, size_t n, size_t *length)
{
    int found = -1;
    uint32_t node = 0;
    for (size_t i = 0; i < n && (node = text_trie_next(trie, node, (uint8_t)p[i])); i++)
        if (trie->id[node] >= 0) found = trie->id[node], *length = i + 1;
    return found;
}

static bool is_word(uint32_t c)
{
    if (c < 0x80) return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return text_in_category(c, TEXT_L | TEXT_M | 0x100 | 0x200 | 0x800) || c == 0x200c || c == 0x200d;
}

/* The beginning of the character that ends before `at`. */
static size_t before(const char *p, size_t at)
{
    do at--;
    while (at && ((uint8_t)p[at] & 0xc0) == 0x80);
    return at;
}

static bool alone(const char *p, size_t n, size_t start, size_t end)
{
    bool cut;
    const size_t b = start ? before(p, start) : 0;
    return (!start || !is_word(text_char(p + b, (int)(start - b)))) &&
           (end == n || !is_word(text_char(p + end, text_width(p + end, n - end, &cut))));
}

/* Takes the spaces around the token into it; before it down to `from`. */
static void stripped(const text_token *k, const char *p, size_t n, size_t from, size_t *start, size_t *end)
{
    bool cut;
    while (k->lstrip && *start > from) {
        const size_t b = before(p, *start);
        if (!text_is_space(text_char(p + b, (int)(*start - b)))) break;
        *start = b;
    }
    while (k->rstrip && *end < n) {
        const int w = text_width(p + *end, n - *end, &cut);
        if (!text_is_space(text_char(p + *end, w))) break;
        *end += (size_t)w;
    }
}

bool text_added_each(text_call *c, bool normalized, const char *p, size_t n, bool first, text_found *f)
{
    const text_added *const a = &c->t->added;
    const text_trie *const trie = normalized ? &a->normal : &a->plain;
    size_t done = 0, length = 0;
    if (!(normalized ? a->has_normal : a->has_plain)) return f(c, -1, p, n, first);
    for (size_t i = 0; i < n;) {
        const int k = trie->first[(uint8_t)p[i]] ? token_at(trie, p + i, n - i, &length) : -1;
        if (k < 0) {
            i++;
            continue;
        }
        size_t start = i, end = i + length;
        i = end;
        if (a->token[k].single && !alone(p, n, start, end)) continue;
        stripped(&a->token[k], p, n, done, &start, &end);
        if (start > done && !f(c, -1, p + done, start - done, first && !done)) return false;
        if (!f(c, a->token[k].id, p + start, end - start, false)) return false;
        done = i = end;
    }
    return done == n || f(c, -1, p + done, n - done, first && !done);
}
