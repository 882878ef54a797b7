/* ckpt/format/zarr.c - documents of Zarr arrays, version 3 (zarr.json) and 2 (.zarray), as a ckpt_array.
 *
 * Supported: regular grids, both key encodings, transpose, bytes, sharding_indexed (also nested), gzip, zlib, zstd,
 * crc32c. An unknown member without "must_understand": false is an error, as in TensorStore. */
#include "../ckpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { ckpt_err *e; const char *where; ckpt_array *a; } doc;

static bool zarr_bad(doc *d, const char *what) { return ckpt_fail(d->e, TT_EDATA, "%s: %s", d->where, what); }

static const char *zarr_text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* A list of numbers, each at least `least`. -1: it is not such a list. */
static int zarr_dims_of(const json_t *list, int64_t least, int64_t *dim)
{
    if (!json_is_array(list) || json_array_size(list) > CKPT_RANK) return -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *x = json_array_get(list, i);
        if (!json_is_integer(x) || json_integer_value(x) < least || json_integer_value(x) > (int64_t)1 << 48) return -1;
        dim[i] = json_integer_value(x);
    }
    return (int)json_array_size(list);
}

static bool zarr_shape_of(doc *d, const json_t *shape, const json_t *chunk)
{
    ckpt_array *a = d->a;
    a->rank = zarr_dims_of(shape, 0, a->dim);
    if (a->rank < 0) return zarr_bad(d, "the shape does not read (at most 12 dims of 0 to 2^48)");
    if (zarr_dims_of(chunk, 1, a->chunk) != a->rank) return zarr_bad(d, "the shape of pieces does not fit the array's");
    if (ckpt_box_bytes(a->dtype, a->rank, a->dim) < 0 || ckpt_box_bytes(a->dtype, a->rank, a->chunk) < 0)
        return zarr_bad(d, "the dims are too large");
    return true;
}

/* ---- fill values ---- */

static uint16_t half_of(double x, int mantissa)          /* round to nearest even: f16 (10 bits), bf16 (7) */
{
    const int bits = 15 - mantissa, bias = (1 << (bits - 1)) - 1, top = ((1 << bits) - 1) << mantissa;
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    if (isnan(x)) return (uint16_t)(sign | top | 1 << (mantissa - 1));
    if (isinf(x)) return (uint16_t)(sign | top);
    frexp(x, &e);
    e = e - 1 < 1 - bias ? 1 - bias : e - 1;
    const int64_t m = (int64_t)rint(ldexp(fabs(x), mantissa - e));
    const int64_t code = x == 0 ? 0 : m + ((int64_t)(e + bias - 1) << mantissa);
    return (uint16_t)(sign | (code > top ? top : code));
}

static bool put_real(tt_dtype t, double x, uint8_t *to)
{
    const float f = (float)x;
    const uint16_t h = half_of(x, t == TT_F16 ? 10 : 7);
    if (t == TT_F32) memcpy(to, &f, 4);
    else if (t == TT_F64) memcpy(to, &x, 8);
    else memcpy(to, &h, 2);
    return true;
}

/* A number, a text ("NaN", "-Infinity", the bits "0x7fc00000"), a bool, or a pair. */
static bool fill_of(tt_dtype t, const json_t *v, uint8_t *to)
{
    const char *s = json_string_value(v);
    const size_t unit = ckpt_unit(t);
    if (t == TT_C64 || t == TT_C128) {
        const tt_dtype part = t == TT_C64 ? TT_F32 : TT_F64;
        if (json_is_number(v)) return fill_of(part, v, to);
        return json_array_size(v) == 2 && fill_of(part, json_array_get(v, 0), to) &&
               fill_of(part, json_array_get(v, 1), to + unit / 2);
    }
    if (s && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        char *end;
        const uint64_t bits = strtoull(s, &end, 16);
        memcpy(to, &bits, unit);
        return !*end && unit <= 8;
    }
    if (t == TT_BOOL)
        return to[0] = json_is_true(v) || json_integer_value(v) == 1, json_is_boolean(v) || json_is_integer(v);
    if (t == TT_F16 || t == TT_BF16 || t == TT_F32 || t == TT_F64) {
        if (s && !strcmp(s, "NaN")) return put_real(t, NAN, to);
        if (s && !strcmp(s, "Infinity")) return put_real(t, INFINITY, to);
        if (s && !strcmp(s, "-Infinity")) return put_real(t, -INFINITY, to);
        return json_is_number(v) && put_real(t, json_number_value(v), to);
    }
    if (t >= TT_F4E2M1FN) return *to = 0, json_is_number(v) && json_number_value(v) == 0;
    const int64_t whole = json_integer_value(v);
    memcpy(to, &whole, unit);
    return json_is_integer(v) || (json_is_real(v) && json_real_value(v) == 0);
}

/* ---- codecs of version 3 ---- */

/* A codec, or any named part, is a text or {"name", "configuration"}. */
static const char *zarr_named(const json_t *part, const json_t **configuration)
{
    *configuration = json_object_get(part, "configuration");
    return json_is_string(part) ? json_string_value(part) : zarr_text_of(part, "name");
}

static int chain_of(doc *d, const json_t *codecs, tt_dtype t, int rank, const int64_t *shape, int depth);

static bool zarr_transpose(doc *d, ckpt_chain *c, const json_t *order, int rank)
{
    int64_t p[CKPT_RANK];
    uint8_t was[CKPT_RANK];
    unsigned seen = 0;
    if (zarr_dims_of(order, 0, p) != rank) return zarr_bad(d, "the order of a transposition does not fit the rank");
    for (int i = 0; i < rank; i++) was[i] = c->transposed ? c->perm[i] : (uint8_t)i;
    for (int i = 0; i < rank; i++) {
        if (p[i] >= rank || seen & 1u << p[i]) return zarr_bad(d, "the order of a transposition is no permutation");
        seen |= 1u << p[i];
        c->perm[i] = was[p[i]];
    }
    c->transposed = true;
    return true;
}

static bool sharded(doc *d, ckpt_chain *c, const json_t *o, tt_dtype t, int rank, const int64_t *shape, int depth)
{
    const char *where = zarr_text_of(o, "index_location");
    int64_t n[CKPT_RANK + 1], pieces = 1;
    c->shard = true;
    if (zarr_dims_of(json_object_get(o, "chunk_shape"), 1, c->inner) != rank)
        return zarr_bad(d, "the shape of inner pieces does not fit the shard's");
    for (int i = 0; i < rank; i++) {
        const int64_t whole = shape[c->transposed ? c->perm[i] : i];
        if (whole % c->inner[i])
            return ckpt_fail(d->e, TT_EDATA, "%s: dim %d: inner pieces of %lld do not divide a shard of %lld", d->where,
                             i, (long long)c->inner[i], (long long)whole);
        if (__builtin_mul_overflow(pieces, whole / c->inner[i], &pieces) || pieces > (int64_t)1 << 30)
            return zarr_bad(d, "a shard of more than 2^30 pieces");
        n[i] = whole / c->inner[i];
    }
    n[rank] = 2;
    c->index_first = !strcmp(where, "start");
    if (*where && strcmp(where, "start") && strcmp(where, "end"))
        return zarr_bad(d, "index_location is neither start nor end");
    c->sub = chain_of(d, json_object_get(o, "codecs"), t, rank, c->inner, depth + 1);
    c->index = c->sub < 0 ? -1 : chain_of(d, json_object_get(o, "index_codecs"), TT_U64, rank + 1, n, depth + 1);
    if (c->index < 0) return false;
    const ckpt_chain *x = &d->a->chain[c->index];
    if (x->shard || x->transposed) return zarr_bad(d, "the index of a shard is packed in an unknown way");
    for (int i = 0; i < x->ncodec; i++)
        if (x->codec[i] != CKPT_CRC32C) return zarr_bad(d, "the index of a shard has no fixed size");
    return true;
}

static bool packed(doc *d, ckpt_chain *c, const char *name)
{
    static const struct { const char *name; ckpt_codec kind; } known[] = {
        { "gzip", CKPT_GZIP }, { "zlib", CKPT_ZLIB }, { "numcodecs.zlib", CKPT_ZLIB }, { "zstd", CKPT_ZSTD },
        { "crc32c", CKPT_CRC32C },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name)) continue;
        if (c->ncodec == CKPT_CODECS) return zarr_bad(d, "too many codecs");
        c->codec[c->ncodec++] = known[i].kind;
        return true;
    }
    return ckpt_fail(d->e, TT_EDATA, "%s: codec \"%.60s\" is not known", d->where, name);
}

/* Appends the chain to the array's chains and returns its index; -1: an error. Order of codecs: array to array, one
 * array to bytes, bytes to bytes. */
static int chain_of(doc *d, const json_t *codecs, tt_dtype t, int rank, const int64_t *shape, int depth)
{
    ckpt_array *a = d->a;
    if (!json_is_array(codecs) || a->nchain == CKPT_CHAINS || depth > 3) {
        zarr_bad(d, "the codecs do not read");
        return -1;
    }
    const int at = a->nchain++;
    ckpt_chain *c = &a->chain[at];
    bool bytes = false;
    for (size_t i = 0; i < json_array_size(codecs); i++) {
        const json_t *o;
        const char *name = zarr_named(json_array_get(codecs, i), &o);
        bool ok = true;
        if (!strcmp(name, "transpose") && !bytes) ok = zarr_transpose(d, c, json_object_get(o, "order"), rank);
        else if (!strcmp(name, "bytes") && !bytes) {
            const char *endian = zarr_text_of(o, "endian");
            bytes = true;
            c->big = !strcmp(endian, "big");
            if (*endian && !c->big && strcmp(endian, "little")) ok = zarr_bad(d, "endian is neither little nor big");
            else if (!*endian && ckpt_unit(t) > 1) ok = zarr_bad(d, "the codec bytes does not say its endian");
        } else if (!strcmp(name, "sharding_indexed") && !bytes) ok = bytes = sharded(d, c, o, t, rank, shape, depth);
        else if (!bytes) ok = ckpt_fail(d->e, TT_EDATA, "%s: codec \"%.60s\" is not known", d->where, name);
        else ok = packed(d, c, name);
        if (!ok) return -1;
    }
    if (bytes) return at;
    zarr_bad(d, "no codec makes bytes of elements");
    return -1;
}

static bool cleared(doc *d)
{
    *d->a = (ckpt_array){ .chain = calloc(CKPT_CHAINS, sizeof *d->a->chain) };
    return d->a->chain || ckpt_fail(d->e, TT_EMEM, "out of memory");
}

/* Shrinks the chains' memory to their number: a leaf keeps them, and most leaves have few. */
static bool fitted(ckpt_array *a)
{
    ckpt_chain *less = realloc(a->chain, (size_t)a->nchain * sizeof *less);
    if (less) a->chain = less;
    return true;
}

bool ckpt_zarr3(ckpt_err *e, const char *where, const json_t *o, ckpt_array *a)
{
    static const char *const known[] = { "zarr_format", "node_type", "shape", "data_type", "chunk_grid",
                                         "chunk_key_encoding", "fill_value", "codecs", "attributes", "dimension_names",
                                         "storage_transformers" };
    doc d = { e, where, a };
    const json_t *grid, *keys, *v;
    const char *key;
    if (!cleared(&d)) return false;
    if (json_integer_value(json_object_get(o, "zarr_format")) != 3 || strcmp(zarr_text_of(o, "node_type"), "array"))
        return zarr_bad(&d, "describes no Zarr v3 array");
    json_object_foreach((json_t *)o, key, v) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && strcmp(key, known[i])) i++;
        if (i == sizeof known / sizeof *known && !json_is_false(json_object_get(v, "must_understand")))
            return ckpt_fail(e, TT_EDATA, "%s: the member \"%.60s\" is not known, and says that it must be understood",
                             where, key);
    }
    if (json_array_size(json_object_get(o, "storage_transformers")))
        return zarr_bad(&d, "storage transformers are not known");
    const char *type = zarr_named(json_object_get(o, "data_type"), &grid);
    a->dtype = ckpt_of_zarr3(type);
    if (!a->dtype) return ckpt_fail(e, TT_ETYPE, "%s: elements of type \"%.60s\" are not known", where, type);
    if (strcmp(zarr_named(json_object_get(o, "chunk_grid"), &grid), "regular")) return zarr_bad(&d,
        "the grid is not regular");
    if (!zarr_shape_of(&d, json_object_get(o, "shape"), json_object_get(grid, "chunk_shape"))) return false;
    const char *encoding = zarr_named(json_object_get(o, "chunk_key_encoding"), &keys);
    const char *sep = zarr_text_of(keys, "separator");
    a->prefixed = !strcmp(encoding, "default");
    if (!a->prefixed && strcmp(encoding, "v2")) return zarr_bad(&d, "the encoding of keys is not known");
    a->sep = *sep ? *sep : a->prefixed ? '/' : '.';
    if (strcmp(sep, ".") && strcmp(sep, "/") && *sep) return zarr_bad(&d, "the separator of keys is neither . nor /");
    if (!fill_of(a->dtype, json_object_get(o, "fill_value"), a->fill)) return zarr_bad(&d,
        "the fill value does not read");
    return chain_of(&d, json_object_get(o, "codecs"), a->dtype, a->rank, a->chunk, 0) == 0 && fitted(a);
}

bool ckpt_zarr2(ckpt_err *e, const char *where, const json_t *o, ckpt_array *a)
{
    doc d = { e, where, a };
    const json_t *type = json_object_get(o, "dtype"), *packing = json_object_get(o, "compressor");
    const json_t *fill = json_object_get(o, "fill_value"), *filters = json_object_get(o, "filters");
    const char *order = zarr_text_of(o, "order"), *sep = zarr_text_of(o, "dimension_separator");
    if (!cleared(&d)) return false;
    ckpt_chain *c = &a->chain[0];
    a->nchain = 1;
    if (json_integer_value(json_object_get(o, "zarr_format")) != 2) return zarr_bad(&d, "describes no Zarr v2 array");
    a->dtype = json_is_string(type) ? ckpt_of_numpy(json_string_value(type), &c->big) : (tt_dtype)0;
    if (!a->dtype)
        return ckpt_fail(e, TT_ETYPE, "%s: elements of type \"%.60s\" are not known", where, zarr_text_of(o, "dtype"));
    if (!zarr_shape_of(&d, json_object_get(o, "shape"), json_object_get(o, "chunks"))) return false;
    if (filters && !json_is_null(filters) && json_array_size(filters)) return zarr_bad(&d, "filters are not known");
    if (strcmp(order, "C") && strcmp(order, "F")) return zarr_bad(&d, "the order is neither C nor F");
    for (int i = 0; i < a->rank; i++) c->perm[i] = (uint8_t)(a->rank - 1 - i);
    c->transposed = *order == 'F';
    a->sep = *sep ? *sep : '.';
    if (*sep && strcmp(sep, ".") && strcmp(sep, "/")) return zarr_bad(&d, "the separator of keys is neither . nor /");
    if (!packing) return zarr_bad(&d, "says nothing of a compressor");
    if (!json_is_null(packing) && !packed(&d, c, zarr_text_of(packing, "id"))) return false;
    fitted(a);
    return !fill || json_is_null(fill) || fill_of(a->dtype, fill, a->fill) ||
        zarr_bad(&d, "the fill value does not read");
}
