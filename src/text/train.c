/* text/train.c - byte-level BPE trained as `tokenizers` trains it (Sennrich et al., arXiv:1508.07909): the pair that
 * occurs most becomes a piece, of pairs as frequent the one with the least ids; words carry their number of
 * occurrences.
 *
 * The order of merges is that of BpeTrainer: an entry of the heap is a pair, the count that it had and the words where
 * it came to be. An entry whose count has changed goes back with the new one. A merge takes time in proportion to the
 * words that have the pair. */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t at, n;
    int64_t count;
} word; /* of ids */
typedef struct {
    uint64_t pair;
    int64_t count;
    int32_t list;
} pair_count; /* list: of this round; -1: none */
typedef struct {
    int64_t count;
    uint64_t pair;
    int32_t list;
} candidate;
typedef struct {
    uint64_t seed;
    uint32_t mask, n;
    int32_t *slot;
} table; /* of numbers; -1: empty */

typedef struct {
    text_at at;
    text_buf bytes, pieces; /* of the words; of the vocabulary, as the file has them */
    text_piece *piece;
    int32_t npiece, most;
    text_ids ids; /* of the words */
    word *words;
    size_t nword, word_cap;
    pair_count *pairs;
    size_t npair, pair_cap;
    text_ids *lists;
    size_t nlist, list_cap;
    candidate *heap;
    size_t nheap, heap_cap;
    table of_words, of_pieces, of_pairs;
    text_ids merges; /* left, right, left, right */
    bool bad;
} trainer;

/* The next of an array that doubles; NULL, with bad set: no memory. */
static void *grown(trainer *t, void **p, size_t *n, size_t *cap, size_t unit)
{
    if (*n == *cap) {
        void *const q = realloc(*p, (*cap ? 2 * *cap : 256) * unit);
        if (!q) return t->bad = true, NULL;
        *p = q, *cap = *cap ? 2 * *cap : 256;
    }
    return memset((char *)*p + (*n)++ * unit, 0, unit);
}

/* ---- tables: the numbers of words, pieces and pairs by what they are ---- */

static bool is_same(const trainer *t, const table *h, int32_t i, const void *p, size_t n)
{
    if (h == &t->of_pairs) return !memcmp(&t->pairs[i].pair, p, n);
    const text_piece x = h == &t->of_words ? (text_piece){ t->words[i].at, t->words[i].n } : t->piece[i];
    return x.n == n && !memcmp((h == &t->of_words ? t->bytes.p : t->pieces.p) + x.at, p, n);
}

static const void *key_of(const trainer *t, const table *h, int32_t i, size_t *n)
{
    *n = h == &t->of_pairs ? 8 : h == &t->of_words ? t->words[i].n : t->piece[i].n;
    if (h == &t->of_pairs) return &t->pairs[i].pair;
    return h == &t->of_words ? t->bytes.p + t->words[i].at : t->pieces.p + t->piece[i].at;
}

static bool rehash(trainer *t, table *h)
{
    const uint32_t slots = h->slot ? 2 * (h->mask + 1) : 1024;
    int32_t *const slot = malloc(slots * sizeof *slot), *const old = h->slot;
    if (!slot) return !(t->bad = true);
    for (uint32_t i = 0; i < slots; i++) slot[i] = -1;
    for (uint32_t i = 0; old && i <= h->mask; i++) {
        size_t n;
        if (old[i] < 0) continue;
        const void *const p = key_of(t, h, old[i], &n);
        uint32_t k = (uint32_t)text_hash(h->seed, p, n) & (slots - 1);
        while (slot[k] >= 0) k = (k + 1) & (slots - 1);
        slot[k] = old[i];
    }
    free(old);
    h->slot = slot, h->mask = slots - 1;
    return true;
}

/* The slot of what is asked for, filled or not; NULL: no memory. */
static int32_t *slot_for(trainer *t, table *h, const void *p, size_t n)
{
    if ((!h->slot || 2 * h->n > h->mask) && !rehash(t, h)) return NULL;
    uint32_t k = (uint32_t)text_hash(h->seed, p, n) & h->mask;
    while (h->slot[k] >= 0 && !is_same(t, h, h->slot[k], p, n)) k = (k + 1) & h->mask;
    return &h->slot[k];
}

/* ---- words ---- */

static bool count_word(text_call *c, const char *p, size_t n)
{
    trainer *const t = c->env;
    int32_t *const slot = slot_for(t, &t->of_words, p, n);
    if (!slot) return text_no_memory(c->at);
    if (*slot < 0) {
        word *const w = grown(t, (void **)&t->words, &t->nword, &t->word_cap, sizeof *w);
        if (!w) return text_no_memory(c->at);
        *w = (word){ (uint32_t)t->bytes.n, (uint32_t)n, 0 };
        text_put(&t->bytes, p, n);
        *slot = (int32_t)t->nword - 1, t->of_words.n++;
    }
    t->words[*slot].count++;
    return !t->bytes.bad || text_no_memory(c->at);
}

/* The piece's id; a piece that is there already keeps its own. -1: no memory. */
static int32_t piece_id(trainer *t, const char *p, size_t n)
{
    int32_t *const slot = slot_for(t, &t->of_pieces, p, n);
    if (!slot || t->pieces.bad) return -1;
    if (*slot < 0) {
        t->piece[t->npiece] = (text_piece){ (uint32_t)t->pieces.n, (uint32_t)n };
        text_put(&t->pieces, p, n);
        *slot = t->npiece++, t->of_pieces.n++;
    }
    return t->pieces.bad ? -1 : *slot;
}

/* ---- pairs ---- */

static void changed(trainer *t, int32_t a, int32_t b, int32_t w, int64_t by, text_ids *touched)
{
    const uint64_t pair = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    int32_t *const slot = slot_for(t, &t->of_pairs, &pair, 8);
    if (!slot) return;
    if (*slot < 0) {
        pair_count *const p = grown(t, (void **)&t->pairs, &t->npair, &t->pair_cap, sizeof *p);
        if (!p) return;
        *p = (pair_count){ pair, 0, -1 };
        *slot = (int32_t)t->npair - 1, t->of_pairs.n++;
    }
    pair_count *const p = &t->pairs[*slot];
    p->count += by;
    if (by < 0) return;
    if (p->list < 0) {
        if (!grown(t, (void **)&t->lists, &t->nlist, &t->list_cap, sizeof *t->lists)) return;
        p->list = (int32_t)t->nlist - 1;
        text_add(touched, *slot);
    }
    text_ids *const l = &t->lists[p->list];
    if (!l->n || l->p[l->n - 1] != w) text_add(l, w);
    t->bad |= l->bad || touched->bad;
}

static bool before(candidate a, candidate b) { return a.count != b.count ? a.count > b.count : a.pair < b.pair; }

static void heap_push(trainer *t, candidate e)
{
    if (!grown(t, (void **)&t->heap, &t->nheap, &t->heap_cap, sizeof e)) return;
    size_t i = t->nheap - 1;
    for (; i && before(e, t->heap[(i - 1) / 2]); i = (i - 1) / 2) t->heap[i] = t->heap[(i - 1) / 2];
    t->heap[i] = e;
}

static candidate heap_pop(trainer *t)
{
    const candidate top = t->heap[0], last = t->heap[--t->nheap];
    size_t i = 0;
    for (size_t k; (k = 2 * i + 1) < t->nheap; i = k) {
        if (k + 1 < t->nheap && before(t->heap[k + 1], t->heap[k])) k++;
        if (!before(t->heap[k], last)) break;
        t->heap[i] = t->heap[k];
    }
    t->heap[i] = last;
    return top;
}

static void queue_touched(trainer *t, text_ids *touched)
{
    for (size_t i = 0; i < touched->n; i++) {
        pair_count *const p = &t->pairs[touched->p[i]];
        if (p->count > 0) heap_push(t, (candidate){ p->count, p->pair, p->list });
        p->list = -1;
    }
    touched->n = 0;
}

/* Merges the pair in a word, from the left. */
static void merge_in(trainer *t, int32_t i, int32_t a, int32_t b, int32_t id, text_ids *touched)
{
    word *const w = &t->words[i];
    int32_t *const s = t->ids.p + w->at;
    uint32_t to = 0;
    for (uint32_t k = 0; k < w->n; k++) {
        if (s[k] != a || k + 1 == w->n || s[k + 1] != b) {
            s[to++] = s[k];
            continue;
        }
        if (to) changed(t, s[to - 1], a, i, -w->count, touched), changed(t, s[to - 1], id, i, w->count, touched);
        k++;
        if (k + 1 < w->n)
            changed(t, b, s[k + 1], i, -w->count, touched), changed(t, id, s[k + 1], i, w->count, touched);
        s[to++] = id;
    }
    w->n = to;
}

/* ---- training ---- */

static bool joined(trainer *t, candidate e, text_ids *touched)
{
    const int32_t a = (int32_t)(e.pair >> 32), b = (int32_t)(uint32_t)e.pair;
    text_buf both = { 0 };
    text_put(&both, t->pieces.p + t->piece[a].at, t->piece[a].n);
    text_put(&both, t->pieces.p + t->piece[b].at, t->piece[b].n);
    const int32_t id = both.bad ? -1 : piece_id(t, both.p, both.n);
    text_free(&both);
    if (id < 0) return false;
    text_add(&t->merges, a), text_add(&t->merges, b);
    for (size_t k = 0; k < t->lists[e.list].n && !t->bad; k++) merge_in(t, t->lists[e.list].p[k], a, b, id, touched);
    free(t->lists[e.list].p);
    t->lists[e.list] = (text_ids){ 0 };
    queue_touched(t, touched);
    return !t->bad && !t->merges.bad;
}

static bool learn(trainer *t, const int32_t alphabet[256], int64_t least)
{
    text_ids touched = { 0 };
    for (size_t i = 0; i < t->nword; i++) {
        word *const w = &t->words[i];
        const uint32_t at = (uint32_t)t->ids.n;
        for (uint32_t k = 0; k < w->n; k++) text_add(&t->ids, alphabet[(uint8_t)t->bytes.p[w->at + k]]);
        w->at = at;
    }
    bool ok = !t->ids.bad;
    for (size_t i = 0; ok && i < t->nword; i++)
        for (uint32_t k = 0; k + 1 < t->words[i].n; k++)
            changed(t, t->ids.p[t->words[i].at + k], t->ids.p[t->words[i].at + k + 1], (int32_t)i, t->words[i].count,
                    &touched);
    queue_touched(t, &touched);
    while (ok && !t->bad && t->npiece < t->most && t->nheap) {
        candidate e = heap_pop(t);
        const int32_t *const slot = slot_for(t, &t->of_pairs, &e.pair, 8);
        if (!slot) break;
        const int64_t now = t->pairs[*slot].count;
        if (e.count != now) {
            e.count = now;
            if (now > 0) heap_push(t, e);
            continue;
        }
        if (e.count < least) break;
        ok = joined(t, e, &touched);
    }
    free(touched.p);
    return ok && !t->bad;
}

/* Special tokens, then the alphabet by code point. */
static bool first_pieces(trainer *t, const char *special, int32_t id_of[256], int *nspecial)
{
    uint32_t code[256];
    text_buf b = { 0 };
    text_alphabet(code);
    for (const char *p = special; *p;) {
        const size_t n = strcspn(p, " ");
        if (n > TEXT_PIECE) return text_fail(t->at, TT_EARG, "a special token of %zu bytes", n);
        const int32_t before = t->npiece;
        if (n && piece_id(t, p, n) < 0) return text_no_memory(t->at);
        if (n && t->npiece == before)
            return text_fail(t->at, TT_EARG, "the special token \"%.*s\" is given twice", (int)n, p);
        p += n + (p[n] == ' ');
    }
    *nspecial = t->npiece;
    for (uint32_t c = 0; c < 324; c++)
        for (int byte = 0; byte < 256; byte++) {
            if (code[byte] != c) continue;
            text_cut(&b, 0);
            text_put_char(&b, c);
            id_of[byte] = b.bad ? -1 : piece_id(t, b.p, b.n);
            if (id_of[byte] < 0) return text_free(&b), text_no_memory(t->at);
        }
    text_free(&b);
    return t->npiece <= t->most ||
           text_fail(t->at, TT_EARG, "%d pieces; the special tokens and the bytes are %d", t->most, t->npiece);
}

static json_t *piece_text(const trainer *t, int32_t i)
{
    return json_stringn(t->pieces.p + t->piece[i].at, t->piece[i].n);
}

static json_t *byte_level(void)
{
    return json_pack("{s:s, s:b, s:b, s:b}", "type", "ByteLevel", "add_prefix_space", 0, "trim_offsets", 1, "use_regex",
                     1);
}

static json_t *model_of(const trainer *t)
{
    json_t *const vocab = json_object(), *const merges = json_array();
    for (int32_t i = 0; i < t->npiece; i++) {
        char *const name = text_copy(t->pieces.p + t->piece[i].at, t->piece[i].n);
        if (name) json_object_set_new(vocab, name, json_integer(i));
        free(name);
    }
    for (size_t i = 0; i < t->merges.n; i += 2) {
        json_t *const left = piece_text(t, t->merges.p[i]), *const right = piece_text(t, t->merges.p[i + 1]);
        json_array_append_new(merges, json_pack("[o, o]", left, right));
    }
    return json_pack("{s:s, s:n, s:n, s:n, s:n, s:b, s:b, s:b, s:o, s:o}", "type", "BPE", "dropout", "unk_token",
                     "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", 0, "byte_fallback", 0,
                     "ignore_merges", 0, "vocab", vocab, "merges", merges);
}

static json_t *file_of(const trainer *t, int nspecial)
{
    json_t *const added = json_array();
    for (int i = 0; i < nspecial; i++) {
        json_t *const token = json_pack("{s:i, s:o, s:b, s:b, s:b, s:b, s:b}", "id", i, "content", piece_text(t, i),
                                        "single_word", 0, "lstrip", 0, "rstrip", 0, "normalized", 0, "special", 1);
        json_array_append_new(added, token);
    }
    return json_pack("{s:s, s:o, s:n, s:o, s:n, s:o, s:o}", "version", "1.0", "added_tokens", added, "normalizer",
                     "pre_tokenizer", byte_level(), "post_processor", "decoder", byte_level(), "model", model_of(t));
}

static bool trained(trainer *t, const char *text, size_t n, const char *special, int64_t least, const char *path)
{
    text_tokenizer *const pre = calloc(1, sizeof *pre); /* its pre-tokenizer alone */
    text_call c = { .at = t->at, .t = pre, .word = count_word, .env = t };
    text_buf repaired = { 0 };
    int32_t alphabet[256];
    int nspecial = 0;
    c.matches.steps = 1000000 + 1000 * (int64_t)n;
    text_repair(&repaired, text, n, false);
    bool ok = (pre && !repaired.bad) || text_no_memory(t->at);
    if (ok) pre->split.n = 1, pre->split.step[0].what = TEXT_AT_BYTES;
    ok = ok && text_set_byte_level(t->at, &pre->split.step[0], true) && first_pieces(t, special, alphabet, &nspecial) &&
         text_split(&c, 0, repaired.p, repaired.n, true) && (learn(t, alphabet, least) || text_no_memory(t->at));
    json_t *const file = ok ? file_of(t, nspecial) : NULL;
    if (ok && !file) ok = text_no_memory(t->at);
    if (ok && json_dump_file(file, path, JSON_COMPACT) != 0) ok = text_fail(t->at, TT_EIO, "%s", strerror(errno));
    json_decref(file);
    text_matches_free(&c.matches);
    text_free(&repaired);
    text_tokenizer_free(pre);
    return ok;
}

bool tt_tokenizer_train_at(const char *site, const char *path, const char *text, int64_t size,
                           const tt_tokenizer_train_opts *o)
{
    TT_ENTRY(site);
    static const char what[] = "tt_tokenizer_train";
    if (!TT_CHECKED(tt_tokenizer_train_opts, site, what, o)) return false;
    const text_at at = { site, path && *path ? path : NULL };
    if (!path || !text) return text_fail(at, TT_EARG, "%s: the %s is NULL", what, path ? "text" : "path");
    if (!*path) return text_fail(at, TT_EARG, "%s: the path is empty", what);
    if (size < 256 || size > INT32_MAX / 8)
        return text_fail(at, TT_EARG, "%s: %lld pieces; expected 256 or more", what, (long long)size);
    if (o->length < 0 || o->least < 0) return text_fail(at, TT_EARG, "%s: a length or a least below 0", what);
    const size_t n = tt_given(o, "length") || o->length ? (size_t)o->length : strlen(text);
    if (n >= INT32_MAX) return text_fail(at, TT_EARG, "%s: a text of %zu bytes; at most 2^31 - 2", what, n);
    const char *const special = o->special ? o->special : "";
    trainer t = { .at = at, .most = (int32_t)size };
    t.of_words.seed = t.of_pieces.seed = t.of_pairs.seed = text_seed();
    t.piece = malloc(((size_t)size + 257 + strlen(special)) * sizeof *t.piece);
    const bool ok = t.piece ? trained(&t, text, n, special, o->least, path) : text_no_memory(t.at);
    for (size_t i = 0; i < t.nlist; i++) free(t.lists[i].p);
    text_free(&t.bytes), text_free(&t.pieces);
    free(t.piece), free(t.ids.p), free(t.words), free(t.pairs), free(t.lists), free(t.heap), free(t.merges.p);
    free(t.of_words.slot), free(t.of_pieces.slot), free(t.of_pairs.slot);
    return ok || tt_ok();
}
