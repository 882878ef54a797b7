/* data/npy.c - NumPy's NPY: magic, version, a Python dict as text, elements. Writes C order; reads Fortran order
 * too. */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *descr; tt_dtype dtype; size_t bytes; } types[] = {
    /* the names that ml_dtypes' types get: BITS */
    { "<V2", TT_BF16, 2 }, { "|V2", TT_U16, 2 }, { "|V1", TT_U8, 1 },  { "<f1", TT_U8, 1 },
    { "|b1", TT_BOOL, 1 }, { "|i1", TT_I8, 1 },  { "<i2", TT_I16, 2 }, { "<i4", TT_I32, 4 },  { "<i8", TT_I64, 8 },
    { "|u1", TT_U8, 1 },   { "<u2", TT_U16, 2 }, { "<u4", TT_U32, 4 }, { "<u8", TT_U64, 8 },  { "<f2", TT_F16, 2 },
    { "<f4", TT_F32, 4 },  { "<f8", TT_F64, 8 }, { "<c8", TT_C64, 8 }, { "<c16", TT_C128, 16 },
};

enum { BITS = 4 };

/* True if s names this type; the byte order may be any mark for one byte, else little-endian. */
static bool is_descr(const char *known, const char *s, size_t n)
{
    const bool two = known[1] == 'V' && known[2] == '2';
    return strlen(known) == n && !strncmp(known + 1, s + 1, n - 1) && s[0] != '>' && (!two || s[0] == known[0]);
}

static bool npy_bad(const char *site, const char *path, const char *what)
{
    tt_fail_at(site, TT_EDATA, "%s: NPY: %s", path, what);
    return false;
}

static const char *after(const char *text, const char *key)      /* the text after 'key': in the header's dict */
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s'", key);
    const char *p = strstr(text, quoted);
    if (!p) return NULL;
    p += strlen(quoted);
    return p + strspn(p, " :");
}

static bool header(const char *site, const char *path, const char *text, data_array *a, size_t *unit)
{
    const char *descr = after(text, "descr"), *order = after(text, "fortran_order"), *shape = after(text, "shape");
    if (!descr || !order || !shape || *descr != '\'' || *shape != '(')
        return npy_bad(site, path, "the header does not read");
    const size_t n = strcspn(descr + 1, "'");
    for (size_t i = 0; i < sizeof types / sizeof *types && !a->dtype; i++)
        if (is_descr(types[i].descr, descr + 1, n)) {
            a->dtype = types[i].dtype, *unit = types[i].bytes;
            a->bits = i < BITS;
        }
    if (!a->dtype) {
        const int shown = (int)(n > 40 ? 40 : n);
        tt_fail_at(site, TT_EDATA, "%s: NPY: elements of type '%.*s' are not known", path, shown, descr + 1);
        return false;
    }
    a->fortran = !strncmp(order, "True", 4);
    int rank = 0;
    for (const char *p = shape + 1; *p && *p != ')';) {
        char *end;
        const long long d = strtoll(p, &end, 10);
        if (end == p || d < 0 || rank == 12)
            return npy_bad(site, path, "the shape does not read, or has more than 12 dims");
        a->dim[rank++] = d;
        p = end + strspn(end, ", L");
    }
    a->dim[rank] = TT_DIM_END;
    return true;
}

bool data_npy(const char *site, const char *path, data_bytes b, data_array *a)
{
    memset(a, 0, sizeof *a);
    if (b.n < 10 || memcmp(b.p, "\x93NUMPY", 6)) return npy_bad(site, path, "does not begin with NumPy's magic bytes");
    const bool old = b.p[6] == 1;
    const size_t head = old ? 10 : 12;
    if (b.n < head) return npy_bad(site, path, "the file ends within its header");
    const size_t len = old ? (size_t)b.p[8] | (size_t)b.p[9] << 8
                           : (size_t)b.p[8] | (size_t)b.p[9] << 8 | (size_t)b.p[10] << 16 | (size_t)b.p[11] << 24;
    if (len > b.n - head || len > 1 << 20) return npy_bad(site, path, "the file ends within its header");
    char *text = malloc(len + 1);
    if (!text) return npy_bad(site, path, "out of memory");
    memcpy(text, b.p + head, len);
    text[len] = 0;
    size_t unit = 0, count = 1;
    const bool ok = header(site, path, text, a, &unit);
    free(text);
    if (!ok) return false;
    for (int i = 0; a->dim[i] != TT_DIM_END; i++)
        if (__builtin_mul_overflow(count, (size_t)a->dim[i], &count)) return npy_bad(site, path,
            "the dims are too large");
    a->at = head + len;
    if (__builtin_mul_overflow(count, unit, &a->bytes) || a->bytes > b.n - a->at) {
        tt_fail_at(site, TT_EDATA, "%s: NPY: the header promises %zu elements, the file holds %zu", path, count,
                   (b.n - a->at) / unit);
        return false;
    }
    if (a->bytes < b.n - a->at) {
        tt_fail_at(site, TT_EDATA, "%s: NPY: the header promises %zu elements, the file holds %zu bytes more", path,
                   count, b.n - a->at - a->bytes);
        tt_hint("several arrays in one file are an NPZ: numpy.savez");
        return false;
    }
    return true;
}

/* ---- types without a name in NPY: one byte each, and bfloat16 ---- */

static const struct { tt_dtype dtype; const char *name; } narrow[] = {
    { TT_BF16, "bfloat16" }, { TT_I2, "int2" }, { TT_I4, "int4" }, { TT_U2, "uint2" }, { TT_U4, "uint4" },
    { TT_F4E2M1FN, "float4_e2m1fn" }, { TT_F6E2M3FN, "float6_e2m3fn" }, { TT_F6E3M2FN, "float6_e3m2fn" },
    { TT_F8E3M4, "float8_e3m4" }, { TT_F8E4M3, "float8_e4m3" }, { TT_F8E4M3FN, "float8_e4m3fn" },
    { TT_F8E4M3FNUZ, "float8_e4m3fnuz" }, { TT_F8E4M3B11FNUZ, "float8_e4m3b11fnuz" }, { TT_F8E5M2, "float8_e5m2" },
    { TT_F8E5M2FNUZ, "float8_e5m2fnuz" }, { TT_F8E8M0FNU, "float8_e8m0fnu" },
};

const char *data_note(tt_dtype d)
{
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) if (narrow[i].dtype == d) return narrow[i].name;
    return "";
}

void data_noted(const char *note, data_array *a)
{
    for (size_t i = 0; a->bits && i < sizeof narrow / sizeof *narrow; i++)
        if (!strcmp(narrow[i].name, note) && (narrow[i].dtype == TT_BF16) == (a->dtype == TT_BF16))
            a->dtype = narrow[i].dtype;
}

tt_val data_value(const char *site, const data_bytes *b, const data_array *a)
{
    if (!a->fortran) return tt_array_at(site, a->dtype, b->p + a->at, a->dim);
    int64_t dim[14], perm[14];
    int rank = 0;
    while (a->dim[rank] != TT_DIM_END) rank++;
    for (int i = 0; i < rank; i++) dim[i] = a->dim[rank - 1 - i], perm[i] = rank - 1 - i;
    dim[rank] = perm[rank] = TT_DIM_END;
    return tt_transpose_at(site, tt_array_at(site, a->dtype, b->p + a->at, dim), perm);
}

bool data_to_npy(const char *site, tt_val v, data_bytes *out)
{
    char dict[400], shape[300] = "";
    const int rank = tt_rank_at(site, v);
    const tt_dtype d = rank < 0 ? (tt_dtype)0 : tt_dtype_of_at(site, v);
    const char *descr = d > TT_C128 ? "<V1" : NULL;          /* types that NumPy lacks: as ml_dtypes */
    for (size_t i = BITS; !descr && i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == d) descr = types[i].descr;
    if (d == TT_BF16) descr = types[0].descr;
    if (rank < 0 || !descr) {
        tt_fail_at(site, TT_ETYPE, "NPY holds one array, not %s", tt_type_text_at(site, v));
        tt_hint("tt_write_npz writes a tree");
        return false;
    }
    size_t at = 0;
    for (int i = 0; i < rank; i++) at += (size_t)snprintf(shape + at, sizeof shape - at, "%lld, ",
                                                          (long long)tt_dim_at(site, v, i));
    if (rank > 1) shape[at - 2] = 0;
    int n = snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    const size_t pad = 64 - (10 + (size_t)n + 1) % 64, head = 10 + (size_t)n + pad + 1;
    out->n = head + tt_bytes_at(site, v);
    out->p = malloc(out->n);
    if (!out->p) {
        tt_fail_at(site, TT_EMEM, "NPY: out of memory for %zu bytes", out->n);
        return false;
    }
    memcpy(out->p, "\x93NUMPY\x01\x00", 8);
    out->p[8] = (uint8_t)((head - 10) & 255);
    out->p[9] = (uint8_t)((head - 10) >> 8);
    memcpy(out->p + 10, dict, (size_t)n);
    memset(out->p + 10 + n, ' ', pad);
    out->p[head - 1] = '\n';
    if (tt_read_at(site, v, out->p + head, tt_bytes_at(site, v))) return true;
    data_free(out);
    return false;
}

tt_val tt_read_npy_at(const char *site, const char *path)
{
    TT_ENTRY(site);
    data_bytes b;
    data_array a;
    const bool ok = data_slurp(site, path, &b) && data_npy(site, path, b, &a);
    const tt_val v = ok ? data_value(site, &b, &a) : tt_fail_at(site, TT_EDATA, "%s: not read", path);
    data_free(&b);
    return v;
}

bool tt_write_npy_at(const char *site, const char *path, tt_val v)
{
    TT_ENTRY(site);
    data_bytes b;
    if (!path) return tt_fail_at(site, TT_EARG, "write_npy: no path"), false;
    if (tt_ok() && tt_rank_at(site, v) >= 0 && tt_dtype_of_at(site, v) > TT_C128) {
        tt_fail_at(site, TT_ETYPE, "write_npy: an NPY file would not tell that %s is no u8", tt_type_text_at(site, v));
        tt_hint("tt_write_npz keeps the type");
        return false;
    }
    if (!data_to_npy(site, v, &b)) return false;
    const bool ok = data_write(site, path, b.p, b.n);
    data_free(&b);
    return ok;
}
