/* data/idx.c - MNIST's IDX files: 0, 0, a type byte, the rank, then big-endian dims and elements. */
#include "data.h"

#include <stdlib.h>
#include <string.h>

static const struct { uint8_t code; tt_dtype dtype; size_t bytes; } types[] = {
    { 0x08, TT_U8, 1 }, { 0x09, TT_I8, 1 }, { 0x0b, TT_I16, 2 }, { 0x0c, TT_I32, 4 }, { 0x0d, TT_F32, 4 },
        { 0x0e, TT_F64, 8 },
};

static uint32_t big32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool idx_bad(const char *site, const char *path, const char *what)
{
    tt_fail_at(site, TT_EDATA, "%s: %s", path, what);
    return false;
}

bool data_idx(const char *site, const char *path, data_bytes b, data_array *a)
{
    size_t unit = 0, count = 1;
    memset(a, 0, sizeof *a);
    if (b.n < 4 || b.p[0] || b.p[1]) return idx_bad(site, path,
        "is no IDX file: it does not begin with two zero bytes");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == b.p[2]) a->dtype = types[i].dtype, unit = types[i].bytes;
    const int rank = b.p[3];
    if (!unit) return idx_bad(site, path, "IDX: unknown type of elements");
    if (rank > 12) return idx_bad(site, path, "IDX: more than 12 dims");
    a->at = 4 + 4 * (size_t)rank;
    if (b.n < a->at) return idx_bad(site, path, "IDX: the file ends within its header");
    for (int i = 0; i < rank; i++) {
        a->dim[i] = big32(b.p + 4 + 4 * i);
        if (__builtin_mul_overflow(count, (size_t)a->dim[i], &count))
            return idx_bad(site, path, "IDX: the dims are too large");
    }
    a->dim[rank] = TT_DIM_END;
    if (__builtin_mul_overflow(count, unit, &a->bytes) || a->bytes > b.n - a->at) {
        tt_fail_at(site, TT_EDATA, "%s: IDX: the header promises %zu elements, the file holds %zu", path, count,
                   (b.n - a->at) / unit);
        tt_hint("the file was cut off, or is another file");
        return false;
    }
    if (a->bytes < b.n - a->at) {
        tt_fail_at(site, TT_EDATA, "%s: IDX: the header promises %zu elements, the file holds %zu bytes more", path,
                   count, b.n - a->at - a->bytes);
        tt_hint("the header is of another file, or several files were joined");
        return false;
    }
    return true;
}

tt_val tt_read_idx_at(const char *site, const char *path)
{
    TT_ENTRY(site);
    data_bytes b;
    data_array a;
    tt_val v = tt_none();
    if (!data_slurp(site, path, &b) || !data_idx(site, path, b, &a)) v = tt_fail_at(site, TT_EDATA,
        "%s: the file could not be read", path);
    else {
        const size_t unit = a.dtype == TT_U8 || a.dtype == TT_I8 ? 1 : a.dtype == TT_I16 ? 2
            : a.dtype == TT_F64 ? 8 : 4;
        data_turn(b.p + a.at, a.bytes, unit);            /* to little-endian, in place */
        v = data_value(site, &b, &a);
    }
    data_free(&b);
    return v;
}
