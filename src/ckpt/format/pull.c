/* ckpt/format/pull.c - reads a box of a chunked array: only the chunks that the box touches, and of a sharded chunk
 * only the inner chunks that it touches.
 *
 * One recursion: a chain of codecs decodes a span of bytes into the elements of a box. Transposition permutes shapes
 * and strides and moves no elements. The index of a shard is checked before any of its ranges is used. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A span of bytes: of a store's value, or in memory. */
typedef struct { const char *key; int64_t at, n; const uint8_t *mem; } span;
typedef struct {
    const ckpt_store *s;
    const ckpt_array *a;
    tt_dtype dtype;
    ckpt_err *e;
    const char *where;
    bool inside;                                         /* other threads pull other chunks */
} pulling;
/* The requested part of a chunk: lo, n within it, and the destination. */
typedef struct {
    int rank;
    int64_t shape[CKPT_RANK + 1], lo[CKPT_RANK + 1], n[CKPT_RANK + 1], step[CKPT_RANK + 1];
    char *to;
} request;

static bool pull_load(const pulling *p, const span *s, int64_t at, int64_t n, void *to)
{
    if (at < 0 || n < 0 || at > s->n || n > s->n - at)
        return ckpt_fail(p->e, TT_EDATA, "%s: bytes %lld to %lld were to be read, of %lld", p->where, (long long)at,
                         (long long)(at + n), (long long)s->n);
    if (s->mem) return memcpy(to, s->mem + at, (size_t)n), true;
    return p->s->read(p->s, s->key, s->at + at, n, to, p->e);
}

/* The span's decoded bytes. size: of the result, or -1. */
static bool unpacked(const pulling *p, const ckpt_chain *c, const span *s, int64_t size, ckpt_bytes *out)
{
    if (!ckpt_alloc(p->e, out, (size_t)s->n)) return false;
    if (!pull_load(p, s, 0, s->n, out->p)) return ckpt_free(out), false;
    for (int i = c->ncodec - 1; i >= 0; i--) {
        ckpt_bytes next;
        bool fixed = size >= 0;                          /* the codecs below only add checksums */
        int64_t here = size;
        for (int k = 0; k < i; k++) fixed &= c->codec[k] == CKPT_CRC32C, here += 4;
        if (c->codec[i] == CKPT_CRC32C && (!fixed || (int64_t)out->n == here + 4)) {     /* used in place, not copied */
            if (!ckpt_checked(p->e, p->where, *out)) return ckpt_free(out), false;
            out->n -= 4;
            continue;
        }
        const size_t most = size < 0 ? (size_t)1 << 31 : 2 * (size_t)size + 4096;
        const bool ok = ckpt_decode(p->e, p->where, c->codec[i], *out, fixed ? here : -1, most, &next);
        ckpt_free(out);
        if (!ok) return false;
        *out = next;
    }
    if (size < 0 || out->n == (size_t)size) return true;
    ckpt_fail(p->e, TT_EDATA, "%s: has %zu bytes of elements, where %lld are expected", p->where, out->n,
              (long long)size);
    ckpt_free(out);
    return false;
}

static int64_t pull_dense(size_t unit, const request *w, int64_t *step)  /* strides of a chunk; returns its bytes */
{
    int64_t bytes = (int64_t)unit;
    for (int i = w->rank - 1; i >= 0; i--) step[i] = bytes, bytes *= w->shape[i];
    return bytes;
}

/* True if a complete chunk is requested whose bytes are stored in memory format, with at most a checksum after them. */
static bool as_it_is(const pulling *p, const ckpt_chain *c, const span *s, const request *w, int64_t whole)
{
    const size_t unit = ckpt_unit(p->dtype);
    const bool checked = c->ncodec == 1 && c->codec[0] == CKPT_CRC32C;
    if (s->mem || (c->ncodec && !checked) || (c->big && unit > 1) || p->dtype == TT_BOOL) return false;
    if (s->n != whole + 4 * checked) return false;
    for (int i = 0; i < w->rank; i++) if (w->lo[i] || w->n[i] != w->shape[i]) return false;
    return ckpt_can_read_direct(p->s, unit, w->rank, w->n, w->step);
}

/* Uncompressed elements: reads only the bytes from the first to the last that are needed. */
static bool pull_bytes(const pulling *p, const ckpt_chain *c, const span *s, const request *w)
{
    const size_t unit = ckpt_unit(p->dtype);
    int64_t step[CKPT_RANK + 1], first = 0, last = 0;
    const int64_t whole = pull_dense(unit, w, step);
    ckpt_bytes b = { 0 };
    if (as_it_is(p, c, s, w, whole))
        return ckpt_read_direct(p->s, s->key, s->at, unit, w->rank, w->n, w->to, w->step, c->ncodec == 1, p->inside,
                                p->where, p->e);
    for (int i = 0; i < w->rank; i++) first += w->lo[i] * step[i], last += (w->lo[i] + w->n[i] - 1) * step[i];
    last += (int64_t)unit;
    if (c->ncodec) {
        if (!unpacked(p, c, s, whole, &b)) return false;
    } else {
        if (s->n != whole)
            return ckpt_fail(p->e, TT_EDATA, "%s: has %lld bytes, where %lld are expected", p->where, (long long)s->n,
                             (long long)whole);
        if (!ckpt_alloc(p->e, &b, (size_t)(last - first)) || !pull_load(p, s, first, last - first, b.p))
            return ckpt_free(&b), false;
    }
    uint8_t *at = b.p + (c->ncodec ? first : 0);
    if (c->big) ckpt_swap(p->dtype, at, (size_t)(last - first));
    const bool ok = ckpt_bools(p->e, p->where, p->dtype, at, (size_t)(last - first));
    if (ok) ckpt_copy(unit, w->rank, w->n, w->to, w->step, (const char *)at, step);
    ckpt_free(&b);
    return ok;
}

static bool pull(const pulling *, int chain, const span *, const request *);

static void pull_fill(const pulling *p, const request *w)
{
    static const int64_t still[CKPT_RANK + 1] = { 0 };
    ckpt_copy(ckpt_unit(p->dtype), w->rank, w->n, w->to, w->step, (const char *)p->a->fill, still);
}

/* The part of w in chunk at[] of chunks of `shape`. */
static request pull_part_of(const request *w, const int64_t *shape, const int64_t *at)
{
    request q = { .rank = w->rank, .to = w->to };
    for (int i = 0; i < w->rank; i++) {
        const int64_t base = at[i] * shape[i], lo = w->lo[i] > base ? w->lo[i] : base;
        const int64_t end = w->lo[i] + w->n[i], hi = end < base + shape[i] ? end : base + shape[i];
        q.shape[i] = shape[i];
        q.lo[i] = lo - base;
        q.n[i] = hi - lo;
        q.step[i] = w->step[i];
        q.to += (lo - w->lo[i]) * w->step[i];
    }
    return q;
}

/* Visits every chunk of `shape` that w touches. */
static bool each(const pulling *p, const request *w, const int64_t *shape, ckpt_chunk_fn *f, void *env)
{
    int64_t first[CKPT_RANK + 1], last[CKPT_RANK + 1], bytes = (int64_t)ckpt_unit(p->dtype);
    for (int i = 0; i < w->rank; i++) {
        first[i] = w->lo[i] / shape[i], last[i] = (w->lo[i] + w->n[i] - 1) / shape[i];
        bytes *= w->n[i];
    }
    return ckpt_each_chunk(w->rank, first, last, bytes, p->inside, f, env, p->e);
}

static uint64_t at64(const uint8_t *p)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}

/* [offset, length] per inner chunk, little-endian in memory. */
static bool index_of(const pulling *p, const ckpt_chain *c, const span *s, int64_t pieces, ckpt_bytes *out)
{
    const ckpt_chain *x = &p->a->chain[c->index];
    const int64_t size = 16 * pieces, stored = size + 4 * x->ncodec;
    if (s->n < stored)
        return ckpt_fail(p->e, TT_EDATA, "%s: has %lld bytes, too short for the index of a shard (%lld)", p->where,
                         (long long)s->n, (long long)stored);
    ckpt_bytes raw;
    const span part = { s->key, s->at + (c->index_first ? 0 : s->n - stored), stored,
                        s->mem ? s->mem + (c->index_first ? 0 : s->n - stored) : NULL };
    if (!unpacked(p, x, &part, size, &raw)) return false;
    if (x->big) ckpt_swap(TT_U64, raw.p, raw.n);
    *out = raw;
    return true;
}

typedef struct {
    const pulling *p; const ckpt_chain *c; const span *body; const request *w; const uint8_t *index;
} shard;

static bool inner_piece(void *env, const int64_t *at, bool inside, ckpt_err *e)
{
    const shard *x = env;
    const request *w = x->w;
    int64_t k = 0;
    for (int i = 0; i < w->rank; i++) k = k * (w->shape[i] / x->c->inner[i]) + at[i];
    const uint64_t from = at64(x->index + 16 * k), n = at64(x->index + 16 * k + 8), capacity = (uint64_t)x->body->n;
    const request q = pull_part_of(w, x->c->inner, at);
    pulling deeper = *x->p;
    deeper.e = e, deeper.inside = inside;
    if (from == UINT64_MAX && n == UINT64_MAX) {
        if (x->p->a->strict)
            return ckpt_fail(e, TT_EDATA, "%s: the inner piece %lld is missing", x->p->where, (long long)k);
        return pull_fill(x->p, &q), true;
    }
    if (from > capacity || n > capacity - from)
        return ckpt_fail(e, TT_EDATA, "%s: the inner piece %lld is outside the shard", x->p->where, (long long)k);
    char where[CKPT_PATH];
    snprintf(where, sizeof where, "%s, inner piece %lld", x->p->where, (long long)k);
    deeper.where = where;
    const span *b = x->body, piece = { b->key, b->at + (int64_t)from, (int64_t)n, b->mem ? b->mem + from : NULL };
    return pull(&deeper, x->c->sub, &piece, &q);
}

static bool pull_shard(const pulling *p, const ckpt_chain *c, const span *s, const request *w)
{
    int64_t pieces = 1;
    ckpt_bytes index = { 0 }, blob = { 0 };
    span body = *s;
    if (c->ncodec) {                                     /* a shard that is compressed as one */
        if (!unpacked(p, c, s, -1, &blob)) return false;
        body = (span){ s->key, 0, (int64_t)blob.n, blob.p };
    }
    for (int i = 0; i < w->rank; i++) pieces *= w->shape[i] / c->inner[i];
    const bool ok = index_of(p, c, &body, pieces, &index) &&
                    each(p, w, c->inner, inner_piece, &(shard){ p, c, &body, w, index.p });
    ckpt_free(&index);
    ckpt_free(&blob);
    return ok;
}

static bool pull(const pulling *p, int chain, const span *s, const request *w)
{
    const ckpt_chain *c = &p->a->chain[chain];
    request q = *w;
    for (int i = 0; c->transposed && i < w->rank; i++) {
        const int k = c->perm[i];
        q.shape[i] = w->shape[k], q.lo[i] = w->lo[k], q.n[i] = w->n[k], q.step[i] = w->step[k];
    }
    return c->shard ? pull_shard(p, c, s, &q) : pull_bytes(p, c, s, &q);
}

static bool pull_key_of(const ckpt_array *a, const char *prefix, const int64_t *at, char *to, size_t capacity)
{
    int n = snprintf(to, capacity, "%s%s", prefix, a->prefixed ? "c" : a->rank ? "" : "0");
    for (int i = 0; i < a->rank && n >= 0 && (size_t)n < capacity; i++) {
        if (a->prefixed || i) to[n++] = a->sep;
        n += (size_t)n < capacity ? snprintf(to + n, capacity - (size_t)n, "%lld", (long long)at[i]) : 0;
    }
    return n >= 0 && (size_t)n < capacity;
}

typedef struct { const pulling *p; const char *prefix; const request *w; } grid;

static bool outer_piece(void *env, const int64_t *at, bool inside, ckpt_err *e)
{
    const grid *g = env;
    pulling p = *g->p;
    char key[CKPT_PATH], where[2 * CKPT_PATH];
    if (!pull_key_of(p.a, g->prefix, at, key, sizeof key))
        return ckpt_fail(e, TT_EDATA, "%s: the name of a chunk is longer than a path may be", p.s->root);
    snprintf(where, sizeof where, "%.4000s/%.4000s", p.s->root, key);
    p.e = e, p.inside = inside, p.where = where;
    const request q = pull_part_of(g->w, p.a->chunk, at);
    const int64_t size = p.s->size(p.s, key, e);
    if (size == -2) return false;
    if (size >= 0) return pull(&p, 0, &(span){ key, 0, size, NULL }, &q);
    if (p.a->strict) return ckpt_fail(e, TT_EDATA, "%s is missing", where);
    return pull_fill(&p, &q), true;
}

bool ckpt_pull(const ckpt_store *s, const char *prefix, const ckpt_array *a, const int64_t *lo, const int64_t *n,
               void *to, ckpt_err *e)
{
    const pulling p = { .s = s, .a = a, .dtype = a->dtype, .e = e };
    request w = { .rank = a->rank, .to = to };
    int64_t bytes = (int64_t)ckpt_unit(a->dtype);
    for (int i = a->rank - 1; i >= 0; i--) {
        if (!n[i]) return true;
        w.step[i] = bytes, bytes *= n[i];
        w.lo[i] = lo[i], w.n[i] = n[i], w.shape[i] = a->dim[i];
    }
    return each(&p, &w, a->chunk, outer_piece, &(grid){ &p, prefix, &w });
}

void ckpt_pull_ahead(const ckpt_store *s, const char *prefix, const ckpt_array *a)
{
    int64_t at[CKPT_RANK + 1] = { 0 };
    char key[CKPT_PATH];
    for (int i = 0; i < a->rank; i++) if (!a->dim[i]) return;
    for (bool more = s->ahead != NULL; more && pull_key_of(a, prefix, at, key, sizeof key);) {
        s->ahead(s, key);
        int i = a->rank - 1;
        while (i >= 0 && ++at[i] * a->chunk[i] >= a->dim[i]) at[i--] = 0;
        more = i >= 0;
    }
}
