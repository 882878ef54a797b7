/* ckpt/format/msgpack.c - Flax's msgpack files: maps of text to maps and arrays. An array is extension 1: (shape,
 * dtype's name, bytes), itself packed; extension 3 is a NumPy scalar of the same form, extension 2 a complex number.
 * Arrays above 1 GB are split into chunks, under a map that marks them.
 *
 * Elements stay in the file's buffer; no length is used before it is checked against the remaining bytes. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 32 };

typedef struct { ckpt *c; const uint8_t *p; size_t n, at; ckpt_err *e; } reading;
typedef enum { NONE, TRUTH, INTEGER, REAL, TEXT, BYTES, LIST, MAP, EXT } kind;
typedef struct {
    kind kind;
    uint64_t n;
    int64_t integer;
    double real;
    int ext;
    const uint8_t *p;
} token; /* n: length, or items */

static bool msgpack_bad(reading *r, const char *what)
{
    return ckpt_fail(r->e, TT_EDATA, "%s: byte %zu: %s", r->c->path, r->at, what);
}

static bool big_endian(reading *r, int bytes, uint64_t *out)
{
    *out = 0;
    if ((size_t)bytes > r->n - r->at) return msgpack_bad(r, "the file ends too early");
    while (bytes--) *out = *out << 8 | r->p[r->at++];
    return true;
}

static bool blob(reading *r, token *t)                   /* t->n bytes follow */
{
    if (t->n > r->n - r->at) return msgpack_bad(r, "the file ends too early");
    t->p = r->p + r->at;
    r->at += (size_t)t->n;
    return true;
}

static bool real_of(reading *r, int bytes, token *t)
{
    uint64_t x;
    if (!big_endian(r, bytes, &x)) return false;
    const uint32_t half = (uint32_t)x;
    float f;
    t->kind = REAL;
    if (bytes == 4) memcpy(&f, &half, 4), t->real = f;
    else memcpy(&t->real, &x, 8);
    return true;
}

static bool sized(reading *r, int bytes, kind k, token *t)
{
    t->kind = k;
    if (!big_endian(r, bytes, &t->n)) return false;
    return k == LIST || k == MAP || blob(r, t);
}

static bool extension(reading *r, uint64_t n, token *t)
{
    uint64_t type;
    *t = (token){ .kind = EXT, .n = n };
    if (!big_endian(r, 1, &type)) return false;
    t->ext = (int)type;
    return blob(r, t);
}

static bool msgpack_next(reading *r, token *t)
{
    uint64_t b, x;
    *t = (token){ .kind = NONE };
    if (!big_endian(r, 1, &b)) return false;
    if (b < 0x80 || b >= 0xe0) return t->kind = INTEGER, t->integer = (int8_t)b, true;
    if (b < 0x90) return t->kind = MAP, t->n = b & 15, true;
    if (b < 0xa0) return t->kind = LIST, t->n = b & 15, true;
    if (b < 0xc0) return t->kind = TEXT, t->n = b & 31, blob(r, t);
    switch (b) {
    case 0xc0: return true;
    case 0xc2: case 0xc3: return t->kind = TRUTH, t->integer = b & 1, true;
    case 0xc4: case 0xc5: case 0xc6: return sized(r, 1 << (b - 0xc4), BYTES, t);
    case 0xc7: case 0xc8: case 0xc9: return big_endian(r, 1 << (b - 0xc7), &x) && extension(r, x, t);
    case 0xca: return real_of(r, 4, t);
    case 0xcb: return real_of(r, 8, t);
    case 0xcc: case 0xcd: case 0xce: case 0xcf:
        t->kind = INTEGER;
        if (!big_endian(r, 1 << (b - 0xcc), &x)) return false;
        return x > INT64_MAX ? msgpack_bad(r, "an integer of more than 63 bits") : (t->integer = (int64_t)x, true);
    case 0xd0: case 0xd1: case 0xd2: case 0xd3:
        t->kind = INTEGER;
        if (!big_endian(r, 1 << (b - 0xd0), &x)) return false;
        t->integer = b == 0xd0 ? (int8_t)x : b == 0xd1 ? (int16_t)x : b == 0xd2 ? (int32_t)x : (int64_t)x;
        return true;
    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return extension(r, (uint64_t)1 << (b - 0xd4), t);
    case 0xd9: case 0xda: case 0xdb: return sized(r, 1 << (b - 0xd9), TEXT, t);
    case 0xdc: case 0xdd: return sized(r, 2 << (b - 0xdc), LIST, t);
    case 0xde: case 0xdf: return sized(r, 2 << (b - 0xde), MAP, t);
    default: return msgpack_bad(r, "is no msgpack");
    }
}

/* ---- leaves ---- */

typedef struct { tt_ckpt_key key[DEEP]; int n; } path;

static ckpt_leaf *leaf_at(reading *r, const path *where)
{
    ckpt_leaf *l = ckpt_leaf_add(r->c, r->e);
    return l && ckpt_leaf_path(l, where->n, where->key, r->e) ? l : NULL;
}

/* (shape, name, bytes) within an extension. */
static bool array_of(reading *outer, const token *t, tt_dtype *dtype, int *rank, int64_t *dim, const uint8_t **data)
{
    reading r = { outer->c, outer->p, (size_t)(t->p - outer->p) + (size_t)t->n, (size_t)(t->p - outer->p), outer->e };
    token x;
    char name[40];
    bool big;
    if (!msgpack_next(&r, &x)) return false;
    if (x.kind != LIST || x.n != 3) return msgpack_bad(&r, "an array is not of three parts");
    if (!msgpack_next(&r, &x)) return false;
    if (x.kind != LIST || x.n > CKPT_RANK) return msgpack_bad(&r, "a shape does not read, or has more than 12 dims");
    *rank = (int)x.n;
    for (int i = 0; i < *rank; i++) {
        if (!msgpack_next(&r, &x)) return false;
        if (x.kind != INTEGER || x.integer < 0) return msgpack_bad(&r, "a shape does not read");
        dim[i] = x.integer;
    }
    if (!msgpack_next(&r, &x)) return false;
    snprintf(name, sizeof name, "%.*s", x.kind == TEXT && x.n < 39 ? (int)x.n : 0, x.p ? (const char *)x.p : "");
    *dtype = ckpt_of_zarr3(name) ? ckpt_of_zarr3(name) : ckpt_of_numpy(name, &big);
    if (!*dtype) return ckpt_fail(r.e, TT_ETYPE, "%s: elements of type \"%s\" are not known", r.c->path, name);
    if (!msgpack_next(&r, &x)) return false;
    if (x.kind != BYTES || (int64_t)x.n != ckpt_box_bytes(*dtype, *rank, dim))
        return msgpack_bad(&r, "bytes that do not fit their shape");
    *data = x.p;
    return r.at == r.n || msgpack_bad(&r, "something follows an array's bytes");
}

/* a Python number: stored separately from the file's bytes */
static bool msgpack_number(reading *r, const path *where, tt_dtype t, const void *p)
{
    ckpt_leaf *l = leaf_at(r, where);
    if (!l || !(l->text = malloc(ckpt_unit(t)))) return false;
    memcpy(l->text, p, ckpt_unit(t));
    ckpt_leaf_array(l, t, 0, NULL);
    l->at = -1;
    return true;
}

static bool extended(reading *r, const token *t, const path *where)
{
    tt_dtype dtype = (tt_dtype)0;
    int rank = 0;
    int64_t dim[CKPT_RANK];
    const uint8_t *data = NULL;
    if (t->ext == 2) {                                   /* a complex number: a list of two reals */
        reading in = { r->c, r->p, (size_t)(t->p - r->p) + (size_t)t->n, (size_t)(t->p - r->p), r->e };
        token x, re, im;
        if (!msgpack_next(&in, &x) || !msgpack_next(&in, &re) || !msgpack_next(&in, &im)) return false;
        const double z[2] = { re.real, im.real };
        return x.kind == LIST && re.kind == REAL && im.kind == REAL ? msgpack_number(r, where, TT_C128, z)
                                                                    : msgpack_bad(r, "no complex number");
    }
    if (t->ext != 1 && t->ext != 3) return msgpack_bad(r, "an extension that is not known");
    if (!array_of(r, t, &dtype, &rank, dim, &data)) return false;
    ckpt_leaf *l = leaf_at(r, where);
    if (!l) return false;
    ckpt_leaf_array(l, dtype, rank, dim);
    l->at = data - r->p;
    return true;
}

static bool msgpack_value(reading *r, path *where);

static bool map_of(reading *r, uint64_t n, path *where)
{
    if (!n) {
        ckpt_leaf *l = leaf_at(r, where);
        if (!l || !(l->text = ckpt_text("Dict"))) return false;
        l->what = CKPT_EMPTY;
        l->item.what = l->text;
        return true;
    }
    if (where->n == DEEP) return msgpack_bad(r, "a tree that is too deep");
    for (uint64_t i = 0; i < n; i++) {
        token k;
        if (!msgpack_next(r, &k)) return false;
        if (k.kind != TEXT || memchr(k.p, 0, (size_t)k.n)) return msgpack_bad(r, "a key that is no text");
        if (k.n == 25 && !memcmp(k.p, "__msgpack_chunked_array__", 25))
            return ckpt_fail(r->e, TT_EENGINE, "%s: arrays in chunks (above 1 GB) are not supported", r->c->path);
        char *name = ckpt_text("%.*s", (int)k.n, (const char *)k.p);
        where->key[where->n++] = (tt_ckpt_key){ name, 0 };
        const bool ok = name && msgpack_value(r, where);
        where->n--;
        free(name);
        if (!ok) return false;
    }
    return true;
}

static bool msgpack_value(reading *r, path *where)
{
    token t;
    if (!msgpack_next(r, &t)) return false;
    const uint8_t truth = (uint8_t)t.integer;
    ckpt_leaf *l;
    switch (t.kind) {
    case MAP: return map_of(r, t.n, where);
    case EXT: return extended(r, &t, where);
    case INTEGER: return msgpack_number(r, where, TT_I64, &t.integer);
    case REAL: return msgpack_number(r, where, TT_F64, &t.real);
    case TRUTH: return msgpack_number(r, where, TT_BOOL, &truth);
    case LIST: case BYTES: return msgpack_bad(r, "a list or bytes, where Flax has a map or an array");
    default: break;
    }
    if (!(l = leaf_at(r, where))) return false;
    l->what = t.kind == TEXT ? CKPT_STRING : CKPT_EMPTY;
    l->text = t.kind == TEXT ? ckpt_text("%.*s", (int)t.n, (const char *)t.p) : ckpt_text("None");
    l->item.what = t.kind == TEXT ? "string" : l->text;
    l->item.text = t.kind == TEXT ? l->text : NULL;
    return l->text != NULL;
}

static bool read_leaf(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    const size_t unit = ckpt_unit(l->array.dtype);
    int64_t step[CKPT_RANK], to_step[CKPT_RANK], bytes = (int64_t)unit, dense = bytes, at = 0;
    for (int i = l->array.rank - 1; i >= 0; i--) {
        if (!n[i]) return true;
        step[i] = bytes, bytes *= l->array.dim[i];
        to_step[i] = dense, dense *= n[i];
        at += lo[i] * step[i];
    }
    const uint8_t *from = l->at < 0 ? (const uint8_t *)l->text : c->bytes.p + l->at;
    if (!ckpt_bools(e, l->path, l->array.dtype, from, (size_t)bytes)) return false;
    ckpt_copy(unit, l->array.rank, n, to, to_step, (const char *)from + at, step);
    return true;
}

static bool open_msgpack(ckpt *c, const char *key, ckpt_err *e)
{
    path where = { .n = 0 };
    c->read = read_leaf;
    if (!ckpt_read_key(c->store[0], key, (size_t)1 << 40, &c->bytes, e)) return false;
    reading r = { c, c->bytes.p, c->bytes.n, 0, e };
    ckpt_most(c, (int64_t)c->bytes.n);
    if (!msgpack_value(&r, &where)) return ckpt_fail(e, TT_EMEM, "out of memory");
    return r.at == r.n || msgpack_bad(&r, "something follows the tree");
}

static bool is_map(const uint8_t *head, int64_t n)
{
    return n && (head[0] >> 4 == 8 || head[0] == 0xde || head[0] == 0xdf);
}

const ckpt_format ckpt_flax_msgpack = { .name = "flax-msgpack", .begins = is_map, .open = open_msgpack };
