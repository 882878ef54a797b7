/* text/sentencepiece.c - tokenizer.model, SentencePiece's files: its ModelProto (sentencepiece_model.proto) read
 * field by field; models BPE and Unigram, with byte fallback and pieces of the user. What the file says besides, of
 * training, does not matter to encoding. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { NORMAL = 1, UNKNOWN, CONTROL, USER, UNUSED, BYTE }; /* types of pieces */

typedef struct {
    const uint8_t *p;
    size_t n, at;
    bool bad;
} reader;
typedef struct {
    int number, wire;
    uint64_t value;
    const char *p;
    size_t n;
} field; /* wire 2: p and n */

static uint64_t varint(reader *r)
{
    uint64_t x = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (r->at == r->n) break;
        const uint8_t b = r->p[r->at++];
        x |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) return x;
    }
    r->bad = true;
    return 0;
}

/* The next field; false at the end, or with bad set. */
static bool next_field(reader *r, field *f)
{
    if (r->bad || r->at == r->n) return false;
    const uint64_t key = varint(r);
    *f = (field){ .number = (int)(key >> 3), .wire = (int)(key & 7) };
    const size_t left = r->n - r->at;
    if (key >> 3 == 0 || key >> 3 > 1 << 28) r->bad = true;
    else if (f->wire == 0) f->value = varint(r);
    else if (f->wire == 1 || f->wire == 5) {
        const size_t n = f->wire == 1 ? 8 : 4;
        if (n > left) r->bad = true;
        else memcpy(&f->value, r->p + r->at, n), r->at += n;
    } else if (f->wire == 2) {
        f->n = (size_t)varint(r);
        if (r->bad || f->n > r->n - r->at) r->bad = true;
        else f->p = (const char *)r->p + r->at, r->at += f->n;
    } else r->bad = true;
    return !r->bad;
}

static bool does_not_read(text_at at) { return text_fail(at, TT_EDATA, "is not a SentencePiece model"); }

/* ---- pieces ---- */

typedef struct {
    const char *p;
    size_t n;
    float score;
    int type;
} entry;

static bool piece_of(const field *f, entry *x)
{
    reader r = { (const uint8_t *)f->p, f->n, 0, false };
    field g;
    *x = (entry){ .p = "", .type = NORMAL };
    while (next_field(&r, &g)) {
        if (g.number == 1 && g.wire == 2) x->p = g.p, x->n = g.n;
        if (g.number == 2 && g.wire == 5) memcpy(&x->score, &g.value, 4);
        if (g.number == 3 && g.wire == 0) x->type = g.value < 256 ? (int)g.value : 0;
    }
    return !r.bad;
}

static bool piece_add(text_at at, text_tokenizer *t, int32_t i, const entry *x)
{
    const bool text = x->type == NORMAL || x->type == USER;
    if (x->type < NORMAL || x->type > BYTE)
        return text_fail(at, TT_EDATA, "piece %d has the type %d; expected 1 to 6", i, x->type);
    if (!x->n || !text_is_valid(x->p, x->n)) return text_fail(at, TT_EDATA, "piece %d is empty, or not UTF-8", i);
    if (!(x->score >= -1e30f && x->score <= 1e30f)) return text_fail(at, TT_EDATA, "piece %d has no score", i);
    if (text_vocab_find(&t->vocab, x->p, x->n) >= 0)
        return text_fail(at, TT_EDATA, "two pieces are \"%.*s\"", x->n < 60 ? (int)x->n : 60, x->p);
    if (x->type == UNKNOWN) {
        if (t->unknown >= 0)
            return text_fail(at, TT_EDATA, "pieces %d and %d both stand for what is unknown; expected one", t->unknown,
                             i);
        t->unknown = i;
    }
    t->type[i] = (uint8_t)x->type, t->score[i] = x->score;
    if (text && x->n > t->longest) t->longest = x->n;
    return text_vocab_set(at, &t->vocab, i, x->p, x->n) && (!text || text_vocab_set(at, &t->raw, i, x->p, x->n));
}

static bool read_pieces(text_at at, text_tokenizer *t, const char *p, size_t n)
{
    reader r = { (const uint8_t *)p, n, 0, false };
    field f;
    int64_t count = 0, i = 0;
    while (next_field(&r, &f)) count += f.number == 1 && f.wire == 2;
    if (r.bad || !count || count > INT32_MAX / 8) return does_not_read(at);
    t->score = calloc((size_t)count, sizeof *t->score);
    t->type = calloc((size_t)count, 1);
    if (!t->score || !t->type) return text_no_memory(at);
    if (!text_vocab_new(at, &t->vocab, count, count) || !text_vocab_new(at, &t->raw, count, count)) return false;
    t->unknown = -1;
    r = (reader){ (const uint8_t *)p, n, 0, false };
    while (next_field(&r, &f)) {
        entry x;
        if (f.number != 1 || f.wire != 2) continue;
        if (!piece_of(&f, &x)) return does_not_read(at);
        if (!piece_add(at, t, (int32_t)i++, &x)) return false;
    }
    if (t->unknown < 0) return text_fail(at, TT_EDATA, "no piece stands for what is unknown; expected one");
    bool first = true;
    for (int64_t k = 0; k < count; k++) {
        if (t->type[k] != NORMAL) continue;
        if (first || (double)t->score[k] < t->least) t->least = (double)t->score[k];
        if (first || t->score[k] > t->most) t->most = t->score[k];
        first = false;
    }
    return true;
}

/* ---- ranks of BPE's pieces: the best score is 0, equal scores are equal ---- */

typedef struct {
    float score;
    int32_t id;
} ranked;

static int by_score(const void *a, const void *b)
{
    const ranked *const x = a, *const y = b;
    return x->score != y->score ? (x->score > y->score ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

static bool ranks(text_at at, text_tokenizer *t)
{
    const size_t n = (size_t)t->vocab.n;
    ranked *const list = malloc(n * sizeof *list);
    t->rank = malloc(n * sizeof *t->rank);
    if (!list || !t->rank) {
        free(list);
        return text_no_memory(at);
    }
    for (size_t i = 0; i < n; i++) list[i] = (ranked){ t->score[i], (int32_t)i };
    qsort(list, n, sizeof *list, by_score);
    for (size_t i = 0; i < n; i++)
        t->rank[list[i].id] = i && list[i].score == list[i - 1].score ? t->rank[list[i - 1].id] : (int32_t)i;
    free(list);
    for (size_t i = 0; i < n; i++)
        if (t->type[i] == UNUSED) return text_fail(at, TT_EDATA, "unused pieces of a BPE model are not supported");
    return true;
}

/* ---- specs ---- */

static bool trainer(text_at at, text_tokenizer *t, const field *f)
{
    reader r = { (const uint8_t *)f->p, f->n, 0, false };
    field g;
    t->model = TEXT_UNIGRAM;
    while (next_field(&r, &g)) {
        if (g.number == 3 && g.wire == 0) {
            if (g.value != 1 && g.value != 2)
                return text_fail(at, TT_EDATA, "models other than BPE and Unigram are not supported");
            t->model = g.value == 1 ? TEXT_UNIGRAM : TEXT_BPE;
        }
        if (g.number == 24 && g.wire == 0 && g.value)
            return text_fail(at, TT_EDATA, "treat_whitespace_as_suffix is not supported");
        if (g.number == 35 && g.wire == 0) t->byte_fallback = g.value != 0;
        if (g.number == 44 && g.wire == 2) {
            free(t->unknown_text);
            t->unknown_text = text_copy(g.p, g.n);
            if (!t->unknown_text) return text_no_memory(at);
        }
    }
    return !r.bad || does_not_read(at);
}

static bool normalizer(text_at at, text_step *s, const field *f)
{
    reader r = { (const uint8_t *)f->p, f->n, 0, false };
    field g;
    while (next_field(&r, &g)) {
        if (g.number == 2 && g.wire == 2 && g.n) {
            free(s->map.unit), free(s->map.text);
            s->map = (text_charsmap){ 0 };
            if (!text_charsmap_new(at, &s->map, g.p, g.n)) return false;
        }
        if (g.number == 3 && g.wire == 0) s->prefix = g.value != 0;
        if (g.number == 4 && g.wire == 0) s->clean = g.value != 0;
        if (g.number == 5 && g.wire == 0) s->split = g.value != 0;
    }
    return !r.bad || does_not_read(at);
}

static bool denormalizer(text_at at, const field *f)
{
    reader r = { (const uint8_t *)f->p, f->n, 0, false };
    field g;
    while (next_field(&r, &g))
        if (g.number == 2 && g.wire == 2 && g.n) return text_fail(at, TT_EDATA, "a denormalizer is not supported");
    return !r.bad || does_not_read(at);
}

/* The pieces of the user, which are found before anything else. */
static bool user_pieces(text_at at, text_tokenizer *t)
{
    size_t bytes = 0, n;
    for (int32_t i = 0; i < t->vocab.n; i++) bytes += t->type[i] == USER ? t->vocab.piece[i].n : 0;
    if (!bytes) return true;
    t->has_inside = true;
    if (!text_trie_new(at, &t->inside, bytes)) return false;
    for (int32_t i = 0; i < t->vocab.n; i++) {
        const char *const p = text_vocab_at(&t->vocab, i, &n);
        if (t->type[i] == USER) text_trie_add(&t->inside, p, n, i);
    }
    return true;
}

bool text_open_sentencepiece(text_at at, text_tokenizer *t, const char *p, size_t n)
{
    reader r = { (const uint8_t *)p, n, 0, false };
    field f;
    bool ok = read_pieces(at, t, p, n);
    t->format = "tokenizer.model";
    t->sentencepiece = true, t->limit = UINT32_MAX;
    t->model = TEXT_UNIGRAM;
    t->normal.n = t->decode.n = 1;
    text_step *const s = &t->normal.step[0];
    *s = (text_step){ .what = TEXT_TO_SENTENCEPIECE, .prefix = true, .clean = true, .split = true };
    while (ok && next_field(&r, &f)) {
        if (f.number == 2 && f.wire == 2) ok = trainer(at, t, &f);
        if (f.number == 3 && f.wire == 2) ok = normalizer(at, s, &f);
        if (f.number == 5 && f.wire == 2) ok = denormalizer(at, &f);
    }
    t->decode.step[0] = (text_step){ .what = TEXT_FROM_SENTENCEPIECE, .prefix = s->prefix, .clean = s->clean };
    t->fuse_unknown = !t->byte_fallback;
    if (ok && t->byte_fallback && !text_fallback_ids(t))
        ok = text_fail(at, TT_EDATA, "byte_fallback: expected a piece for each of the 256 bytes");
    if (ok && !t->unknown_text && !(t->unknown_text = text_copy(" \xe2\x81\x87 ", 5))) ok = text_no_memory(at);
    ok = ok && user_pieces(at, t) && (t->model == TEXT_BPE ? ranks(at, t) : text_tries(at, t));
    if (ok) text_find_cuts(t);
    return ok;
}

/* ---- the normalizer: each character, or longer beginning of the text, by the map; spaces are one, and "\u2581"
 * ---- */

static void prefix_at(text_call *c, const text_step *s, const char *p, size_t n, const char **to, size_t *nto,
                      size_t *used)
{
    const text_tokenizer *const t = c->t;
    size_t user = 0;
    uint32_t node = 0;
    bool cut;
    for (size_t i = 0; t->has_inside && i < n && (node = text_trie_next(&t->inside, node, (uint8_t)p[i])); i++)
        if (t->inside.id[node] >= 0) user = i + 1;
    *to = p, *nto = *used = user;
    if (user) return;
    const char *const mapped = s->map.unit ? text_charsmap_find(&s->map, p, n, true, used) : NULL;
    if (mapped) {
        *to = mapped, *nto = strlen(mapped);
        return;
    }
    const int w = text_width(p, n, &cut);
    *used = *nto = w > 0 ? (size_t)w : 1;
    if (w < 0) *to = "\xef\xbf\xbd", *nto = 3;
}

bool text_sentencepiece_normal(text_call *c, const text_step *s, const char *p, size_t n, text_buf *out)
{
    const char *const space = s->split ? "\xe2\x96\x81" : " ", *q;
    const size_t nspace = s->split ? 3 : 1;
    size_t i = 0, nq, used;
    for (; s->clean && i < n; i += used) {
        prefix_at(c, s, p + i, n - i, &q, &nq, &used);
        if (nq != 1 || *q != ' ') break;
    }
    if (i == n) return true;
    if (s->prefix) text_put(out, space, nspace);
    bool after_space = s->clean;
    for (; i < n; i += used) {
        prefix_at(c, s, p + i, n - i, &q, &nq, &used);
        for (; after_space && nq && *q == ' '; nq--) q++;
        for (size_t k = 0; k < nq; k++) text_put(out, q[k] == ' ' ? space : q + k, q[k] == ' ' ? nspace : 1);
        if (nq) after_space = q[nq - 1] == ' ';
        if (!s->clean) after_space = false;
    }
    while (s->clean && out->n >= nspace && !memcmp(out->p + out->n - nspace, space, nspace))
        text_cut(out, out->n - nspace);
    return !out->bad || text_no_memory(c->at);
}
