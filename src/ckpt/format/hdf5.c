/* ckpt/format/hdf5.c - the part of HDF5 that Keras's .weights.h5 files use: the first superblock, groups as symbol
 * tables, contiguous and compact data sets of numbers and bools. Attributes are skipped. Newer structures (chunks,
 * filters, dense groups) are errors that name them.
 *
 * The file is held in memory; every address is checked against its size before it is followed. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 24 };
static const uint64_t nowhere = UINT64_MAX;

typedef struct {
    ckpt *c;
    const uint8_t *p;
    uint64_t n, seen;
    ckpt_err *e;
    tt_ckpt_key key[DEEP];
    int depth;
} reading;

static bool hdf5_bad(reading *r, const char *what) { return ckpt_fail(r->e, TT_EDATA, "%s: HDF5: %s", r->c->path, what);
}
static bool later(reading *r, const char *what)
{
    return ckpt_fail(r->e, TT_EENGINE, "%s: HDF5: %s, which this version does not read", r->c->path, what);
}

/* True if more nodes and objects were met than the file can contain, so that there is a cycle. */
static bool too_many(reading *r) { return ++r->seen > 4096 + r->n / 8; }

/* n bytes at an address; NULL with the error set. */
static const uint8_t *bytes(reading *r, uint64_t at, uint64_t n)
{
    if (at <= r->n && n <= r->n - at) return r->p + at;
    hdf5_bad(r, "an address outside the file");
    return NULL;
}

static uint64_t hdf5_integer(const uint8_t *p, int n)
{
    uint64_t x = 0;
    while (n--) x = x << 8 | p[n];
    return x;
}

/* ---- data sets ---- */

typedef struct {
    bool space, type, place;
    tt_dtype dtype;
    bool big;
    int rank;
    int64_t dim[CKPT_RANK];
    uint64_t at, n;
} set;

static bool space_of(reading *r, const uint8_t *m, uint64_t n, set *s)
{
    if (n < 4 || m[0] < 1 || m[0] > 2) return hdf5_bad(r, "a data space that does not read");
    const uint64_t head = m[0] == 1 ? 8 : 4;
    s->rank = m[1];
    if (s->rank > CKPT_RANK || n < head + 8 * (uint64_t)s->rank) return hdf5_bad(r,
        "a data space of more than 12 dims");
    for (int i = 0; i < s->rank; i++) {
        const uint64_t d = hdf5_integer(m + head + 8 * i, 8);
        if (d > (uint64_t)1 << 48) return hdf5_bad(r, "dims that are too large");
        s->dim[i] = (int64_t)d;
    }
    return s->space = true;
}

static bool type_of(reading *r, const uint8_t *m, uint64_t n, set *s)
{
    static const tt_dtype real[] = { TT_F16, TT_F32, TT_F64 };
    static const tt_dtype sign[] = { TT_I8, TT_I16, TT_I32, TT_I64 }, none[] = { TT_U8, TT_U16, TT_U32, TT_U64 };
    if (n < 8) return hdf5_bad(r, "a data type that does not read");
    const int kind = m[0] & 15;
    const uint64_t size = hdf5_integer(m + 4, 4);
    const int power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    s->big = m[1] & 1;
    if (kind == 0 && power >= 0) s->dtype = (m[1] & 8 ? sign : none)[power];
    else if (kind == 1 && power > 0) {
        const bool brain = size == 2 && n >= 20 && m[8 + 5] == 8;    /* eight bits of exponent: bfloat16 */
        s->dtype = brain ? TT_BF16 : real[power - 1];
    } else if (kind == 8 && size == 1) s->dtype = TT_BOOL;
    else return later(r, "elements that are no numbers");
    return s->type = true;
}

static bool hdf5_layout_of(reading *r, const uint8_t *m, uint64_t n, set *s)
{
    if (n < 2 || m[0] != 3) return later(r, "a layout of another version");
    if (m[1] == 0 && n >= 4) {                           /* stored in the header */
        s->n = hdf5_integer(m + 2, 2);
        s->at = (uint64_t)(m + 4 - r->p);
        return s->place = s->n <= n - 4 || hdf5_bad(r, "a compact data set that is cut off");
    }
    if (m[1] != 1 || n < 18) return later(r, "a data set in chunks");
    s->n = hdf5_integer(m + 10, 8);
    s->at = hdf5_integer(m + 2, 8);
    if (s->at == nowhere && !s->n) s->at = 0;
    else if (s->at == nowhere) return hdf5_bad(r, "a data set that was never written");
    return s->place = true;
}

static bool hdf5_leaf(reading *r, const set *s)
{
    const int64_t want = ckpt_box_bytes(s->dtype, s->rank, s->dim);
    if (!s->space || !s->type || !s->place) return hdf5_bad(r,
        "an object that is neither a group nor a whole data set");
    if (want < 0 || (uint64_t)want != s->n) return hdf5_bad(r, "a data set whose bytes do not fit its shape");
    if (!bytes(r, s->at, s->n)) return false;
    ckpt_leaf *l = ckpt_leaf_add(r->c, r->e);
    if (!l || !ckpt_leaf_path(l, r->depth, r->key, r->e)) return false;
    ckpt_leaf_array(l, s->dtype, s->rank, s->dim);
    l->big = s->big;
    l->at = (int64_t)s->at;
    return true;
}

/* ---- groups: a B-tree of symbol nodes, names in a heap ---- */

static bool object(reading *r, uint64_t at);

static bool hdf5_entry(reading *r, const uint8_t *e, uint64_t heap)
{
    const uint8_t *h = bytes(r, heap, 32);
    if (!h) return false;
    const uint64_t size = hdf5_integer(h + 8, 8), data = hdf5_integer(h + 24, 8), name = hdf5_integer(e, 8);
    if (memcmp(h, "HEAP", 4) || !bytes(r, data, size) || name >= size)
        return hdf5_bad(r, "a heap of names that does not read");
    const char *s = (const char *)r->p + data + name;
    if (!memchr(s, 0, size - name)) return hdf5_bad(r, "a name without an end");
    if (hdf5_integer(e + 16, 4) == 2) return later(r, "a symbolic link");
    if (r->depth == DEEP) return hdf5_bad(r, "groups that are too deep");
    r->key[r->depth++] = (tt_ckpt_key){ s, 0 };
    const bool ok = object(r, hdf5_integer(e + 8, 8));
    r->depth--;
    return ok;
}

static bool tree(reading *r, uint64_t at, uint64_t heap, int level)
{
    const uint8_t *t = bytes(r, at, 24);
    if (!t || too_many(r)) return t ? hdf5_bad(r, "too many nodes") : false;
    if (!memcmp(t, "SNOD", 4)) {
        const uint64_t n = hdf5_integer(t + 6, 2);
        const uint8_t *e = bytes(r, at + 8, 40 * n);
        for (uint64_t i = 0; e && i < n; i++) if (!hdf5_entry(r, e + 40 * i, heap)) return false;
        return e != NULL;
    }
    if (memcmp(t, "TREE", 4) || t[4] != 0 || (level >= 0 && t[5] >= level))
        return hdf5_bad(r, "a B-tree that does not read");
    const uint64_t n = hdf5_integer(t + 6, 2);
    const uint8_t *child = bytes(r, at + 24, 16 * n + 8);
    for (uint64_t i = 0; child && i < n; i++) if (!tree(r, hdf5_integer(child + 16 * i + 8, 8), heap, t[5]))
        return false;
    return child != NULL;
}

/* ---- objects: messages, in one block or several ---- */

typedef struct { set set; bool group; uint64_t tree, heap; int left; } found;

static bool messages(reading *r, uint64_t at, uint64_t n, found *f, int depth)
{
    const uint8_t *p = bytes(r, at, n);
    for (uint64_t k = 0; p && f->left > 0 && k + 8 <= n; f->left--) {
        const uint64_t kind = hdf5_integer(p + k, 2), size = hdf5_integer(p + k + 2, 2);
        const uint8_t *m = p + k + 8;
        bool ok = size <= n - k - 8 || hdf5_bad(r, "a message that is cut off");
        if (ok && p[k + 4] & 2 && (kind == 0x01 || kind == 0x03 || kind == 0x08)) ok = later(r, "a shared message");
        else if (ok && kind == 0x01) ok = space_of(r, m, size, &f->set);
        else if (ok && kind == 0x03) ok = type_of(r, m, size, &f->set);
        else if (ok && kind == 0x08) ok = hdf5_layout_of(r, m, size, &f->set);
        else if (ok && kind == 0x0b) ok = later(r, "a filter");
        else if (ok && (kind == 0x02 || kind == 0x06)) ok = later(r, "a group of the newer kind");
        else if (ok && kind == 0x11 && size >= 16) f->group = true, f->tree = hdf5_integer(m, 8),
            f->heap = hdf5_integer(m + 8, 8);
        else if (ok && kind == 0x10 && size >= 16 && depth < DEEP) {
            f->left--;
            ok = messages(r, hdf5_integer(m, 8), hdf5_integer(m + 8, 8), f, depth + 1);
            f->left++;
        }
        if (!ok) return false;
        k += 8 + size;
    }
    return p != NULL;
}

static bool object(reading *r, uint64_t at)
{
    const uint8_t *h = bytes(r, at, 16);
    if (!h || too_many(r)) return h ? hdf5_bad(r, "too many objects") : false;
    if (h[0] != 1) return later(r, "an object header of a newer version");
    found f = { .left = (int)hdf5_integer(h + 2, 2) };
    if (!messages(r, at + 16, hdf5_integer(h + 8, 4), &f, 0)) return false;
    return f.group ? tree(r, f.tree, f.heap, -1) : hdf5_leaf(r, &f.set);
}

static bool read_leaf(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    int64_t step[CKPT_RANK], to_step[CKPT_RANK], size = (int64_t)ckpt_unit(l->array.dtype), dense = size, at = l->at;
    for (int i = l->array.rank - 1; i >= 0; i--) {
        if (!n[i]) return true;
        step[i] = size, size *= l->array.dim[i];
        to_step[i] = dense, dense *= n[i];
        at += lo[i] * step[i];
    }
    ckpt_copy(ckpt_unit(l->array.dtype), l->array.rank, n, to, to_step, (const char *)c->bytes.p + at, step);
    if (l->big) ckpt_swap(l->array.dtype, to, (size_t)dense);
    return ckpt_bools(e, l->path, l->array.dtype, to, (size_t)dense);
}

static bool open_hdf5(ckpt *c, const char *key, ckpt_err *e)
{
    c->read = read_leaf;
    if (!ckpt_read_key(c->store[0], key, (size_t)1 << 40, &c->bytes, e)) return false;
    reading r = { .c = c, .p = c->bytes.p, .n = c->bytes.n, .e = e };
    ckpt_most(c, (int64_t)c->bytes.n);
    const uint8_t *s = bytes(&r, 0, 96);
    if (!s) return false;
    if (memcmp(s, "\x89HDF\r\n\x1a\n", 8)) return hdf5_bad(&r, "does not begin as HDF5 does");
    if (s[8] > 1 || s[13] != 8 || s[14] != 8) return later(&r, "a superblock of another kind");
    const uint64_t at = s[8] ? 4 : 0;                    /* version 1 has four more bytes */
    if (hdf5_integer(s + 24 + at, 8)) return later(&r, "a file within a file");
    if (hdf5_integer(s + 40 + at, 8) > r.n) return hdf5_bad(&r, "the file is cut off");
    return object(&r, hdf5_integer(s + 64 + at, 8));
}

static bool is_hdf5(const uint8_t *head, int64_t n) { return n >= 4 && !memcmp(head, "\x89HDF", 4); }

const ckpt_format ckpt_keras_h5 = { .name = "keras-h5", .begins = is_hdf5, .open = open_hdf5 };
