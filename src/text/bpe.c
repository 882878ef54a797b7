/* text/bpe.c - byte pair encoding: symbols in a linked list, possible merges in a heap by (rank, place), so a word of n
 * symbols takes O(n log n). Sennrich et al., arXiv:1508.07909; the order of merges, and which entries of the heap have
 * expired, are those of `tokenizers` and of SentencePiece.
 *
 * A merge is found by the pair of ids. In SentencePiece's files there are no pairs: two neighbours merge if their texts
 * together are a piece, the one with the best score first.
 *
 * A text without pre-tokenizers is one word. It is cut before each "\u2581" behind another character if no merge joins
 * the two (text_find_cuts): the same ids, from short words, most of which have come before. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { CACHED = 1 << 14, WORD = 28, IDS = 8, BEFORE_CACHE = 64 };

typedef struct {
    int32_t id, prev, next, both; /* both: what it and the next one merge to; -1: nothing */
    uint32_t at, n;
    bool frozen;
} symbol; /* n 0: it is gone */
typedef struct {
    uint64_t key;
    int32_t id;
    uint32_t n;
} entry; /* key: rank, place; n: bytes of both */
typedef struct {
    uint8_t n, ids;
    char word[WORD];
    int32_t id[IDS];
} known;
struct text_work {
    symbol *symbol;
    size_t symbols, symbol_cap;
    entry *heap;
    size_t entries, heap_cap;
    known *cache;
    int64_t words;
    uint64_t seed; /* what frequent words are; by the hash of the word */
    bool bad;
};

void text_work_free(text_work *w)
{
    if (!w) return;
    free(w->symbol);
    free(w->heap);
    free(w->cache);
    free(w);
}

static void heap_push(text_work *w, entry e)
{
    if (w->entries == w->heap_cap) {
        const size_t cap = w->heap_cap ? 2 * w->heap_cap : 64;
        entry *const p = realloc(w->heap, cap * sizeof *p);
        if (!p) {
            w->bad = true;
            return;
        }
        w->heap = p, w->heap_cap = cap;
    }
    size_t i = w->entries++;
    for (; i && w->heap[(i - 1) / 2].key > e.key; i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = e;
}

static entry heap_pop(text_work *w)
{
    const entry top = w->heap[0], last = w->heap[--w->entries];
    size_t i = 0;
    for (size_t k; (k = 2 * i + 1) < w->entries; i = k) {
        if (k + 1 < w->entries && w->heap[k + 1].key < w->heap[k].key) k++;
        if (w->heap[k].key >= last.key) break;
        w->heap[i] = w->heap[k];
    }
    w->heap[i] = last;
    return top;
}

static void symbol_add(text_work *w, int32_t id, size_t at, size_t n, bool frozen)
{
    if (w->symbols == w->symbol_cap) {
        const size_t cap = w->symbol_cap ? 2 * w->symbol_cap : 64;
        symbol *const p = realloc(w->symbol, cap * sizeof *p);
        if (!p) {
            w->bad = true;
            return;
        }
        w->symbol = p, w->symbol_cap = cap;
    }
    const int32_t i = (int32_t)w->symbols++;
    w->symbol[i] = (symbol){ id, i - 1, -1, -1, (uint32_t)at, (uint32_t)n, frozen };
    if (i) w->symbol[i - 1].next = i;
}

/* ---- the symbols of a word before any merge ---- */

/* A character as a piece would have it, with the model's prefix and suffix, if it has some. */
typedef struct { const char *p; size_t n; char own[4 + 2 * TEXT_PIECE]; } whole_char;

static void whole_of(const text_tokenizer *t, const char *p, size_t n, bool first, bool last, whole_char *to)
{
    to->p = p, to->n = n;
    if (!(t->prefix && !first) && !(t->suffix && last)) return;
    to->p = to->own, to->n = 0;
    if (t->prefix && !first) memcpy(to->own, t->prefix, to->n = t->nprefix);
    memcpy(to->own + to->n, p, n), to->n += n;
    if (t->suffix && last) memcpy(to->own + to->n, t->suffix, t->nsuffix), to->n += t->nsuffix;
}

/* True if all bytes of a character of n bytes, with its prefix and suffix, have pieces, which are added. */
static bool fallback(const text_tokenizer *t, text_work *w, const whole_char *of, size_t at, size_t n)
{
    for (size_t i = 0; i < of->n; i++)
        if (t->byte_id[(uint8_t)of->p[i]] < 0) return false;
    for (size_t i = 0; i < of->n; i++)
        symbol_add(w, t->byte_id[(uint8_t)of->p[i]], at + (i < n ? i : n - 1), 1, false);
    return true;
}

static bool symbols_of(text_call *c, text_work *w, const char *p, size_t n)
{
    const text_tokenizer *const t = c->t;
    size_t unknown = 0, unknown_at = 0; /* bytes of unknown characters that are not added yet */
    bool cut;
    for (size_t i = 0, k; i < n; i += k) {
        whole_char whole;
        k = t->byte_level ? 1 : (size_t)text_width(p + i, n - i, &cut);
        if (!t->byte_level) whole_of(t, p + i, k, !i, i + k == n, &whole);
        const int32_t id = t->byte_level ? t->byte_id[(uint8_t)p[i]] : text_model_find(t, whole.p, whole.n);
        if (id >= 0) {
            if (unknown) symbol_add(w, t->unknown, unknown_at, unknown, false), unknown = 0;
            symbol_add(w, id, i, k, false);
            continue;
        }
        if (t->byte_fallback && fallback(t, w, &whole, i, k)) continue;
        if (t->unknown < 0) return text_unknown(c, p + i, k);
        if (unknown && !t->fuse_unknown) symbol_add(w, t->unknown, unknown_at, unknown, false), unknown = 0;
        if (!unknown) unknown_at = i;
        unknown += k;
    }
    if (unknown) symbol_add(w, t->unknown, unknown_at, unknown, false);
    return true;
}

/* SentencePiece: pieces of the user are one symbol that does not merge; others are characters, known or not. */
static void characters_of(const text_tokenizer *t, text_work *w, const char *p, size_t n)
{
    bool cut;
    for (size_t i = 0, k; i < n; i += k) {
        size_t user = 0;
        uint32_t node = 0;
        for (size_t j = i; t->has_inside && j < n && (node = text_trie_next(&t->inside, node, (uint8_t)p[j])); j++)
            if (t->inside.id[node] >= 0) user = j + 1 - i;
        k = user ? user : (size_t)text_width(p + i, n - i, &cut);
        symbol_add(w, text_vocab_find(&t->raw, p + i, k), i, k, user > 0);
    }
}

/* ---- merges ---- */

static void consider(const text_tokenizer *t, text_work *w, const char *p, int32_t left)
{
    const int32_t right = left < 0 ? -1 : w->symbol[left].next;
    if (left >= 0) w->symbol[left].both = -1;
    if (right < 0) return;
    symbol *const a = &w->symbol[left];
    const symbol *const b = &w->symbol[right];
    int32_t id, rank;
    if (t->sentencepiece) {
        if (a->frozen || b->frozen || a->n + b->n > t->longest) return;
        id = text_vocab_find(&t->raw, p + a->at, a->n + b->n);
        if (id < 0) return;
        rank = t->rank[id];
    } else {
        const text_merge *const m = text_merges_find(t, a->id, b->id);
        if (!m) return;
        id = m->id, rank = m->rank;
    }
    a->both = id;
    heap_push(w, (entry){ (uint64_t)(uint32_t)rank << 32 | (uint32_t)left, id, a->n + b->n });
}

static bool expired(const text_tokenizer *t, const text_work *w, entry e)
{
    const symbol *const a = &w->symbol[(uint32_t)e.key];
    if (!a->n || a->next < 0) return true;
    return t->sentencepiece ? a->n + w->symbol[a->next].n != e.n : a->both != e.id;
}

static void merge_all(const text_tokenizer *t, text_work *w, const char *p)
{
    w->entries = 0;
    for (size_t i = 0; i < w->symbols; i++) consider(t, w, p, (int32_t)i);
    while (w->entries && !w->bad) {
        const entry e = heap_pop(w);
        if (expired(t, w, e)) continue;
        const int32_t left = (int32_t)(uint32_t)e.key;
        symbol *const a = &w->symbol[left], *const b = &w->symbol[a->next];
        a->id = e.id, a->n += b->n, a->next = b->next;
        b->n = 0;
        if (a->next >= 0) w->symbol[a->next].prev = left;
        consider(t, w, p, a->prev);
        consider(t, w, p, left);
    }
}

/* ---- words ---- */

static bool unknown_piece(text_call *c, const text_work *w, const char *p, int32_t i, bool *before)
{
    const symbol *const s = &w->symbol[i];
    const text_tokenizer *const t = c->t;
    if (!t->byte_fallback) {
        const bool again = *before;
        *before = true;
        return again || text_unknown(c, p + s->at, s->n);
    }
    for (uint32_t k = 0; k < s->n; k++) text_add(c->out, t->byte_id[(uint8_t)p[s->at + k]]);
    return true;
}

static known *cached(text_work *w, const char *p, size_t n)
{
    if (n > WORD || w->words++ < BEFORE_CACHE) return NULL;
    if (!w->cache) w->cache = calloc(CACHED, sizeof *w->cache), w->seed = text_seed();
    return w->cache ? &w->cache[text_hash(w->seed, p, n) % CACHED] : NULL;
}

static bool bpe_word(text_call *c, const char *p, size_t n)
{
    const text_tokenizer *const t = c->t;
    if (!c->work && !(c->work = calloc(1, sizeof *c->work))) return text_no_memory(c->at);
    text_work *const w = c->work;
    known *const k = cached(w, p, n);
    if (k && k->n == n && !memcmp(k->word, p, n)) {
        for (int i = 0; i < k->ids; i++) text_add(c->out, k->id[i]);
        return true;
    }
    const int32_t whole = t->ignore_merges ? text_model_find(t, p, n) : -1;
    const size_t before = c->out->n;
    if (whole >= 0) text_add(c->out, whole);
    else {
        bool unknown = false, ok = true;
        w->symbols = 0;
        if (t->sentencepiece) characters_of(t, w, p, n);
        else if (!symbols_of(c, w, p, n)) return false;
        if (!w->bad) merge_all(t, w, p);
        for (int32_t i = w->symbols && !w->bad ? 0 : -1; i >= 0 && ok; i = w->symbol[i].next) {
            if (w->symbol[i].id < 0) ok = unknown_piece(c, w, p, i, &unknown);
            else text_add(c->out, w->symbol[i].id), unknown = false;
        }
        if (!ok) return false;
    }
    if (w->bad || c->out->bad) return text_no_memory(c->at);
    const size_t ids = c->out->n - before;
    if (k && n && ids <= IDS) {
        k->n = (uint8_t)n, k->ids = (uint8_t)ids;
        memcpy(k->word, p, n);
        memcpy(k->id, c->out->p + before, ids * sizeof *k->id);
    }
    return true;
}

bool text_bpe(text_call *c, const char *p, size_t n)
{
    size_t from = 0;
    for (size_t i = 3; c->t->cuts && i + 3 <= n; i++) {
        if (memcmp(p + i, "\xe2\x96\x81", 3) || !memcmp(p + i - 3, "\xe2\x96\x81", 3)) continue;
        if (!bpe_word(c, p + from, i - from)) return false;
        from = i;
    }
    return from == n || bpe_word(c, p + from, n - from);
}
