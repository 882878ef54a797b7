/* text/wordpiece.c - WordPiece: the longest piece that begins a word, then the longest of those inside a word that
 * continues it; a word that cannot be covered so is unknown as a whole. WordLevel: a word is a piece. The longest
 * piece is found in a trie, in time proportional to its length. */
#include "text.h"

static int32_t longest(const text_trie *t, const char *p, size_t n, size_t *length)
{
    int32_t id = -1;
    uint32_t node = 0;
    for (size_t i = 0; i < n && (node = text_trie_next(t, node, (uint8_t)p[i])); i++)
        if (t->id[node] >= 0) id = t->id[node], *length = i + 1;
    return id;
}

static int64_t characters(const char *p, size_t n)
{
    int64_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((uint8_t)p[i] & 0xc0) != 0x80;
    return count;
}

bool text_wordpiece(text_call *c, const char *p, size_t n)
{
    const text_tokenizer *const t = c->t;
    const size_t before = c->out->n;
    if (t->model == TEXT_WORDLEVEL) {
        const int32_t id = text_model_find(t, p, n);
        if (id < 0) return text_unknown(c, p, n);
        text_add(c->out, id);
        return !c->out->bad || text_no_memory(c->at);
    }
    size_t length = 0;
    bool known = characters(p, n) <= t->word_chars;
    for (size_t i = 0; known && i < n; i += length) {
        const int32_t id = i && !t->has_inside ? -1 : longest(i ? &t->inside : &t->trie, p + i, n - i, &length);
        known = id >= 0;
        if (known) text_add(c->out, id);
    }
    if (known) return !c->out->bad || text_no_memory(c->at);
    c->out->n = before;
    return text_unknown(c, p, n);
}
