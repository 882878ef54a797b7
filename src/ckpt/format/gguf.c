/* ckpt/format/gguf.c - GGUF, the files of llama.cpp: metadata as typed keys, the tensors' names, shapes, types and
 * places, then their elements. Versions 2 and 3, little-endian; a model split over several files is an error.
 *
 * The header is read in small parts, since its length stands nowhere. No number of it is used before it is compared
 * with what is left of the file. Shapes stand there with the fastest dim first; here they are row-major. */
#include "../ckpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LONG: elements of a list that is read when it is asked for. */
enum { WINDOW = 1 << 16, DEEP = 8, LONGEST = 1 << 24, LONG = 64 };
enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64, TYPES };

typedef struct {
    const ckpt *c;
    ckpt *to;                                            /* the record that is filled; NULL: a late value is read */
    const char *file;
    int64_t size, at; /* of the file; where reading stands */
    uint8_t window[WINDOW];
    int64_t from, have;
    ckpt_err *e;
} reading;

static bool gguf_bad(const reading *r, const char *name, const char *what)
{
    return ckpt_fail(r->e, TT_EDATA, "%s/%s%s%.200s: %s", r->c->store[0]->root, r->file, name ? ": " : "",
                     name ? name : "", what);
}

static bool get(reading *r, void *to, uint64_t n)
{
    if (n > (uint64_t)(r->size - r->at)) return gguf_bad(r, NULL, "the file ends too early");
    for (uint8_t *p = to; n;) {
        if (r->at < r->from || r->at >= r->from + r->have) {
            r->from = r->at, r->have = r->size - r->at < WINDOW ? r->size - r->at : WINDOW;
            if (!r->c->store[0]->read(r->c->store[0], r->file, r->from, r->have, r->window, r->e)) return false;
        }
        const uint64_t left = (uint64_t)(r->from + r->have - r->at), k = n < left ? n : left;
        memcpy(p, r->window + (r->at - r->from), (size_t)k);
        p += k, r->at += (int64_t)k, n -= k;
    }
    return true;
}

static bool number(reading *r, int bytes, uint64_t *x)
{
    uint8_t b[8] = { 0 };
    *x = 0;
    if (!get(r, b, (uint64_t)bytes)) return false;
    for (int i = bytes - 1; i >= 0; i--) *x = *x << 8 | b[i];
    return true;
}

static char *text(reading *r, uint64_t *n) /* malloc'ed, with a 0 behind it; NULL: an error */
{
    if (!number(r, 8, n)) return NULL;
    if (*n > (uint64_t)(r->size - r->at) || *n > LONGEST) return gguf_bad(r, NULL, "a text that is too long"), NULL;
    char *const s = malloc((size_t)*n + 1);
    if (!s) return ckpt_fail(r->e, TT_EMEM, "out of memory"), NULL;
    s[*n] = 0;
    if (get(r, s, *n)) return s;
    free(s);
    return NULL;
}

/* ---- metadata ---- */

static json_t *real_of(double x) /* JSON has no infinities: they are texts */
{
    return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static json_t *scalar(uint32_t type, uint64_t x)
{
    static const int bits[] = { [I8] = 8, [I16] = 16, [I32] = 32 };
    const uint32_t half = (uint32_t)x;
    float f;
    double d;
    memcpy(&f, &half, 4), memcpy(&d, &x, 8);
    if (type == F32) return real_of((double)f);
    if (type == F64) return real_of(d);
    if (type == BOOL) return json_boolean(x);
    if (type == I8 || type == I16 || type == I32)
        x = (uint64_t)((int64_t)(x << (64 - bits[type])) >> (64 - bits[type]));
    if (type == U64 && x > INT64_MAX) return real_of((double)x);
    return json_integer((json_int_t)x);
}

static json_t *value(reading *r, uint32_t type, int depth);

static json_t *list(reading *r, int depth)
{
    uint64_t type, n;
    json_t *const a = json_array();
    if (!a || !number(r, 4, &type) || !number(r, 8, &n)) return json_decref(a), NULL;
    if (depth == DEEP || n > (uint64_t)(r->size - r->at)) {
        gguf_bad(r, NULL, depth == DEEP ? "lists in lists that are too deep" : "a list that is too long");
        return json_decref(a), NULL;
    }
    for (uint64_t i = 0; i < n; i++) {
        json_t *const v = value(r, (uint32_t)type, depth + 1);
        if (!v || json_array_append_new(a, v) != 0) return json_decref(a), NULL;
    }
    return a;
}

static const uint8_t bytes_of[TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

/* NULL: an error, or no memory. */
static json_t *value(reading *r, uint32_t type, int depth)
{
    uint64_t x;
    if (type >= TYPES) return gguf_bad(r, NULL, "metadata of a type that is not known"), NULL;
    if (type == ARRAY) return list(r, depth);
    if (type != STRING) return number(r, bytes_of[type], &x) ? scalar(type, x) : NULL;
    char *const s = text(r, &x);
    json_t *const v = s ? json_stringn(s, (size_t)x) : NULL;
    if (s && !v) gguf_bad(r, NULL, "a text that is no UTF-8");
    free(s);
    return v;
}

/* ---- long lists: a vocabulary is most of a header, and who reads weights does not ask for it ---- */

static bool skip(reading *r, uint64_t n)
{
    if (n > (uint64_t)(r->size - r->at)) return gguf_bad(r, NULL, "the file ends too early");
    r->at += (int64_t)n;
    return true;
}

/* Passes the n elements of a list. */
static bool skip_elements(reading *r, uint32_t type, uint64_t n)
{
    uint64_t length;
    if (type != STRING) return skip(r, n * bytes_of[type]);
    for (; n; n--) if (!number(r, 8, &length) || !skip(r, length)) return false;
    return true;
}

/* True if a value of the type, at which reading stands, is a long list of scalars or texts: passed, and recorded.
 * False with the error set: it cannot be passed. */
static bool passed(reading *r, const char *key, uint32_t type)
{
    const int64_t at = r->at;
    uint64_t of, n;
    if (type != ARRAY || !number(r, 4, &of) || !number(r, 8, &n) || n <= LONG || of >= TYPES || of == ARRAY ||
        n > (uint64_t)(r->size - r->at)) return r->at = at, false;
    ckpt_later *const more = realloc(r->to->later, (size_t)(r->to->nlater + 1) * sizeof *more);
    if (!more) return ckpt_fail(r->e, TT_EMEM, "out of memory"), false;
    r->to->later = more;
    ckpt_later *const l = &more[r->to->nlater++];
    *l = (ckpt_later){ ckpt_text("%s", key), ckpt_text("%s", r->file), at };
    if (!l->key || !l->file) return ckpt_fail(r->e, TT_EMEM, "out of memory"), false;
    return skip_elements(r, (uint32_t)of, n);
}

static json_t *late_list(const ckpt *c, const ckpt_later *l, ckpt_err *e)
{
    reading *const r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->c = c, r->e = e, r->file = l->file, r->at = l->at;
    r->size = c->store[0]->size(c->store[0], r->file, e);
    json_t *const v = r->size < 0 ? NULL : value(r, ARRAY, 0);
    free(r);
    return v;
}

static bool metadata(reading *r, uint64_t n)
{
    json_t *const all = r->to->metadata = json_object();
    if (!all) return ckpt_fail(r->e, TT_EMEM, "out of memory");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t len, type;
        char *const key = text(r, &len);
        bool ok = key && number(r, 4, &type);
        if (ok && (!len || strlen(key) != len)) ok = gguf_bad(r, NULL, "metadata without a name");
        if (ok && json_object_get(all, key)) ok = gguf_bad(r, key, "is there twice");
        const bool late = ok && passed(r, key, (uint32_t)type);
        ok = ok && !r->e->code;
        json_t *const v = !ok ? NULL : late ? json_null() : value(r, (uint32_t)type, 0);
        if (ok && (!v || json_object_set_new(all, key, v) != 0))
            ok = r->e->code ? false : gguf_bad(r, key, "is no UTF-8, or there is no memory for it");
        free(key);
        if (!ok) return false;
    }
    const json_int_t parts = json_integer_value(json_object_get(all, "split.count"));
    return parts <= 1 || ckpt_fail(r->e, TT_EENGINE,
                                   "%s/%s: is one of %lld files of a model; models in one file are read",
                                       r->c->store[0]->root, r->file, (long long)parts);
}

/* ---- tensors ---- */

static bool shape_of(reading *r, const char *name, ckpt_leaf *l)
{
    int64_t dim[CKPT_RANK];
    uint64_t rank, type;
    if (!number(r, 4, &rank)) return false;
    if (rank > CKPT_RANK) return gguf_bad(r, name, "has more than 12 dims");
    for (int i = (int)rank - 1; i >= 0; i--) {
        uint64_t x;
        if (!number(r, 8, &x)) return false;
        if (x > INT64_MAX) return gguf_bad(r, name, "the shape does not read");
        dim[i] = (int64_t)x;
    }
    if (!number(r, 4, &type)) return false;
    l->block = ckpt_block_of((uint32_t)type);
    if (!l->block || !l->block->bytes)
        return ckpt_fail(r->e, TT_ETYPE, "%s/%s: %.200s: elements of type %s (%llu) are not read", r->c->store[0]->root,
                         r->file, name, l->block && l->block->name ? l->block->name : "unknown",
                         (unsigned long long)type);
    if (ckpt_box_bytes(l->block->dtype, (int)rank, dim) < 0 ||
        (l->block->n > 1 && (!rank || dim[rank - 1] % l->block->n)))
        return gguf_bad(r, name, "the shape does not fit the type");
    ckpt_leaf_array(l, l->block->dtype, (int)rank, dim);
    l->item.stored = l->block->unpack ? l->block->name : NULL;
    return true;
}

static int64_t stored_bytes(const ckpt_leaf *l)
{
    return ckpt_box_bytes(l->array.dtype, l->array.rank, l->array.dim) / (int64_t)ckpt_unit(l->array.dtype) /
           l->block->n * l->block->bytes;
}

static bool tensor(reading *r)
{
    uint64_t len, place;
    char *const name = text(r, &len);
    const tt_ckpt_key key = { name, 0 };
    ckpt_leaf *const l = name ? ckpt_leaf_add(r->to, r->e) : NULL;
    bool ok = l && (strlen(name) == len || gguf_bad(r, NULL, "a name with a zero byte"));
    ok = ok && ckpt_leaf_path(l, 1, &key, r->e) && shape_of(r, name, l) && number(r, 8, &place);
    if (ok && place > INT64_MAX) ok = gguf_bad(r, name, "is outside the file");
    if (ok) l->at = (int64_t)place;
    if (ok && !(l->text = ckpt_text("%s", r->file))) ok = ckpt_fail(r->e, TT_EMEM, "out of memory");
    free(name);
    return ok;
}

static int by_place(const void *a, const void *b)
{
    const ckpt_leaf *const x = *(const ckpt_leaf *const *)a, *const y = *(const ckpt_leaf *const *)b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (stored_bytes(x) > stored_bytes(y)) - (stored_bytes(x) < stored_bytes(y));
}

/* The tensors' places, from the beginning of the file on: inside it, and apart. */
static bool placed(reading *r)
{
    const json_t *const a = json_object_get(r->c->metadata, "general.alignment");
    const json_int_t align = a ? json_integer_value(a) : 32;
    if (align < 1 || align > 1 << 20 || align & (align - 1))
        return gguf_bad(r, "general.alignment", "is no power of two");
    const int64_t data = (r->at + align - 1) / align * align;
    const ckpt_leaf **const order = calloc((size_t)r->c->nleaf + 1, sizeof *order);
    if (!order) return ckpt_fail(r->e, TT_EMEM, "out of memory");
    bool ok = true;
    for (int i = 0; ok && i < r->c->nleaf; i++) {
        ckpt_leaf *const l = &r->c->leaf[i];
        const int64_t bytes = stored_bytes(l);
        if (l->at % align) ok = gguf_bad(r, l->path, "is not aligned");
        else if (l->at > r->size - data || bytes > r->size - data - l->at)
            ok = gguf_bad(r, l->path, "is outside the file");
        else l->at += data;
        order[i] = l;
    }
    if (ok) qsort(order, (size_t)r->c->nleaf, sizeof *order, by_place);
    for (int i = 1; ok && i < r->c->nleaf; i++)
        if (order[i]->at < order[i - 1]->at + stored_bytes(order[i - 1]))
            ok = gguf_bad(r, order[i]->path, "overlaps another");
    free(order);
    return ok;
}

static bool read_header(reading *r)
{
    uint64_t magic, version, tensors, keys;
    if (!number(r, 4, &magic) || !number(r, 4, &version)) return false;
    if (magic != 0x46554747) return gguf_bad(r, NULL, "does not begin as GGUF does");
    if (version >> 16 && !(version & 0xffff)) return gguf_bad(r, NULL, "is big-endian, which is not read");
    if (version != 2 && version != 3)
        return ckpt_fail(r->e, TT_EENGINE, "%s/%s: GGUF of version %llu; 2 and 3 are read", r->c->store[0]->root,
                         r->file, (unsigned long long)version);
    if (!number(r, 8, &tensors) || !number(r, 8, &keys) || !metadata(r, keys)) return false;
    for (uint64_t i = 0; i < tensors; i++)
        if (!tensor(r)) return false;
    return placed(r);
}

static bool open_gguf(ckpt *c, const char *key, ckpt_err *e)
{
    reading *const r = calloc(1, sizeof *r);
    if (!r) return ckpt_fail(e, TT_EMEM, "out of memory");
    c->read = ckpt_read_blocks;
    c->late = late_list;
    r->c = r->to = c, r->file = key, r->e = e;
    r->size = c->store[0]->size(c->store[0], key, e);
    bool ok = r->size >= 0 && (strlen(c->store[0]->root) + strlen(key) < 3000 ||
                               ckpt_fail(e, TT_EDATA, "%.200s...: the path is longer than 3000 bytes", key));
    if (ok) ckpt_most(c, r->size);
    ok = ok && read_header(r);
    free(r);
    return ok || ckpt_fail(e, TT_EMEM, "out of memory");
}

static bool begins_gguf(const uint8_t *head, int64_t n) { return n >= 4 && !memcmp(head, "GGUF", 4); }

const ckpt_format ckpt_gguf = {
    .name = "gguf", .title = "GGUF", .ending = ".gguf", .dotted = true, .begins = begins_gguf, .open = open_gguf
};
