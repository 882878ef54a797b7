/* data/npy.c - NumPy's NPY: magic, version, a Python dict as text, elements. Writes C order, little-endian; reads
 * Fortran order and big-endian elements too. */
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

/* True if s names this type, in either order of bytes. */
static bool is_descr(const char *known, const char *s, size_t n)
{
    const bool two = known[1] == 'V' && known[2] == '2';
    if (strlen(known) != n || strncmp(known + 1, s + 1, n - 1)) return false;
    return two ? *s == *known : strchr("<>|=", *s) != NULL;
}

static bool npy_bad(const char *site, const char *path, const char *what)
{
    tt_fail_at(site, TT_EDATA, "%s: NPY: %s", path, what);
    return false;
}

/* Reads a name or a text of Python between quotes; returns its length, -1: there is none. */
static int quoted(const char **p, const char **text)
{
    const char mark = **p;
    if (mark != '\'' && mark != '"') return -1;
    *text = *p + 1;
    const size_t n = strcspn(*text, "'\"\\");
    if ((*text)[n] != mark || n > 1000) return -1;
    *p = *text + n + 1;
    return (int)n;
}

/* Reads "(2, 3)", as Python writes a tuple: of one dim "(2,)", and "(2L, 3L)" as its version 2. */
static bool shape_read(const char **p, data_array *a)
{
    int rank = 0;
    bool comma = true;
    if (*(*p)++ != '(') return false;
    for (*p += strspn(*p, " "); **p != ')'; *p += strspn(*p, " ")) {
        char *end;
        if (!comma || rank == 12 || **p < '0' || **p > '9') return false;
        const long long d = strtoll(*p, &end, 10);
        a->dim[rank++] = d;
        if (d == INT64_MAX) return false;                /* or more than that */
        *p = end + (*end == 'L');
        *p += strspn(*p, " ");
        comma = **p == ',';
        *p += comma;
    }
    ++*p;
    a->dim[rank] = TT_DIM_END;
    return rank != 1 || comma;                           /* (2) is a number */
}

/* The value of a key; false: it does not read. */
enum { NPY_DESCR = 1, NPY_ORDER = 2, NPY_SHAPE = 4 };
static bool value_read(int key, const char **p, data_array *a, const char **descr, int *n)
{
    if (key == NPY_DESCR) return (*n = quoted(p, descr)) > 0;
    if (key == NPY_SHAPE) return shape_read(p, a);
    a->fortran = !strncmp(*p, "True", 4);
    if (!a->fortran && strncmp(*p, "False", 5)) return false;
    *p += a->fortran ? 4 : 5;
    return true;
}

/* Reads the header's dict, which has the three keys, each once, as NumPy asks for. */
static bool dict_read(const char *p, data_array *a, const char **descr, int *n)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    int seen = 0;
    p += strspn(p, " ");
    if (*p++ != '{') return false;
    for (p += strspn(p, " "); *p != '}'; p += strspn(p, " ")) {
        const char *name;
        const int length = quoted(&p, &name);
        int k = 0;
        while (k < 3 && (length != (int)strlen(keys[k]) || strncmp(name, keys[k], (size_t)length))) k++;
        p += strspn(p, " ");
        if (length < 0 || k == 3 || seen & 1 << k || *p++ != ':') return false;
        p += strspn(p, " ");
        if (!value_read(1 << k, &p, a, descr, n)) return false;
        seen |= 1 << k;
        p += strspn(p, " ");
        if (*p != ',' && *p != '}') return false;
        p += *p == ',';
    }
    p++;
    return seen == (NPY_DESCR | NPY_ORDER | NPY_SHAPE) && !p[strspn(p, " \n")];
}

static bool header(const char *site, const char *path, const char *text, data_array *a, size_t *unit)
{
    const char *descr = NULL;
    int n = 0;
    if (!dict_read(text, a, &descr, &n)) {
        npy_bad(site, path, "the header does not read, or has more than 12 dims");
        tt_hint("NumPy writes {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types && !a->dtype; i++)
        if (is_descr(types[i].descr, descr, (size_t)n)) {
            a->dtype = types[i].dtype, *unit = types[i].bytes;
            a->bits = i < BITS;
            if (*descr == '>' && *unit > 1) a->turned = *unit / (types[i].descr[1] == 'c' ? 2 : 1);
        }
    if (a->dtype) return true;
    tt_fail_at(site, TT_EDATA, "%s: NPY: elements of type '%.*s' are not known", path, n > 40 ? 40 : n, descr);
    return false;
}

bool data_npy(const char *site, const char *path, data_bytes b, data_array *a)
{
    memset(a, 0, sizeof *a);
    if (b.n < 10 || memcmp(b.p, "\x93NUMPY", 6)) return npy_bad(site, path, "does not begin with NumPy's magic bytes");
    if (b.p[6] < 1 || b.p[6] > 3 || b.p[7]) {
        tt_fail_at(site, TT_EDATA, "%s: NPY: version %d.%d; known are 1.0, 2.0 and 3.0", path, b.p[6], b.p[7]);
        return false;
    }
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
    if (memchr(text, 0, len)) return free(text), npy_bad(site, path, "a byte 0 in the header");
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

void data_turn(uint8_t *p, size_t bytes, size_t unit)
{
    for (uint8_t *const end = p + bytes; unit > 1 && p < end; p += unit)
        for (size_t j = 0; j < unit / 2; j++) {
            const uint8_t t = p[j];
            p[j] = p[unit - 1 - j], p[unit - 1 - j] = t;
        }
}

tt_val data_value(const char *site, const data_bytes *b, const data_array *a)
{
    if (a->turned && a->bytes) {
        data_array plain = *a;
        data_bytes own = { malloc(a->bytes), a->bytes };
        if (!own.p) return tt_fail_at(site, TT_EMEM, "NPY: out of memory for %zu bytes", a->bytes);
        memcpy(own.p, b->p + a->at, a->bytes);
        data_turn(own.p, a->bytes, a->turned);
        plain.turned = plain.at = 0;
        const tt_val v = data_value(site, &own, &plain);
        data_free(&own);
        return v;
    }
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
        tt_fail_at(site, TT_ETYPE, "NPY has no form for %s; expected an array", tt_type_text_at(site, v));
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
    const tt_val v = ok ? data_value(site, &b, &a) : tt_fail_at(site, TT_EDATA, "%s: the file could not be read", path);
    data_free(&b);
    return v;
}

bool tt_write_npy_at(const char *site, const char *path, tt_val v)
{
    TT_ENTRY(site);
    data_bytes b;
    if (!path) return tt_fail_at(site, TT_EARG, "write_npy: the path is NULL"), false;
    if (tt_ok() && tt_rank_at(site, v) >= 0 && tt_dtype_of_at(site, v) > TT_C128) {
        tt_fail_at(site, TT_ETYPE, "write_npy: %s is stored as bytes, and NPY has no name for its type",
                   tt_type_text_at(site, v));
        tt_hint("tt_write_npz keeps the type");
        return false;
    }
    if (!data_to_npy(site, v, &b)) return false;
    const bool ok = data_write(site, path, b.p, b.n);
    data_free(&b);
    return ok;
}
