/* ckpt/codec/dtype.c - element types and their names in the formats; byte order; the bytes of a box.
 *
 * bfloat16 and the narrow types, stored in one byte each, have extension names in Zarr v3 and TensorStore's own names
 * in Zarr v2; NumPy has no names for them. Safetensors packs types of less than 8 bits; packed types are not read. */
#include "../ckpt.h"

#include <string.h>

static const struct { tt_dtype dtype; uint8_t unit, swap; const char *zarr3, *numpy, *safetensors; } types[] = {
    { TT_BOOL, 1, 1, "bool", "b1", "BOOL" },     { TT_I8, 1, 1, "int8", "i1", "I8" },
    { TT_I16, 2, 2, "int16", "i2", "I16" },      { TT_I32, 4, 4, "int32", "i4", "I32" },
    { TT_I64, 8, 8, "int64", "i8", "I64" },      { TT_U8, 1, 1, "uint8", "u1", "U8" },
    { TT_U16, 2, 2, "uint16", "u2", "U16" },     { TT_U32, 4, 4, "uint32", "u4", "U32" },
    { TT_U64, 8, 8, "uint64", "u8", "U64" },     { TT_F16, 2, 2, "float16", "f2", "F16" },
    { TT_BF16, 2, 2, "bfloat16", NULL, "BF16" }, { TT_F32, 4, 4, "float32", "f4", "F32" },
    { TT_F64, 8, 8, "float64", "f8", "F64" },    { TT_C64, 8, 4, "complex64", "c8", "C64" },
    { TT_C128, 16, 8, "complex128", "c16", NULL },
    { TT_I2, 1, 1, "int2", NULL, NULL },         { TT_I4, 1, 1, "int4", NULL, NULL },
    { TT_U2, 1, 1, "uint2", NULL, NULL },        { TT_U4, 1, 1, "uint4", NULL, NULL },
    { TT_F4E2M1FN, 1, 1, "float4_e2m1fn", NULL, NULL },
    { TT_F6E2M3FN, 1, 1, "float6_e2m3fn", NULL, NULL },
    { TT_F6E3M2FN, 1, 1, "float6_e3m2fn", NULL, NULL },
    { TT_F8E3M4, 1, 1, "float8_e3m4", NULL, NULL },
    { TT_F8E4M3, 1, 1, "float8_e4m3", NULL, NULL },
    { TT_F8E4M3FN, 1, 1, "float8_e4m3fn", NULL, "F8_E4M3" },
    { TT_F8E4M3FNUZ, 1, 1, "float8_e4m3fnuz", NULL, "F8_E4M3FNUZ" },
    { TT_F8E4M3B11FNUZ, 1, 1, "float8_e4m3b11fnuz", NULL, NULL },
    { TT_F8E5M2, 1, 1, "float8_e5m2", NULL, "F8_E5M2" },
    { TT_F8E5M2FNUZ, 1, 1, "float8_e5m2fnuz", NULL, "F8_E5M2FNUZ" },
    { TT_F8E8M0FNU, 1, 1, "float8_e8m0fnu", NULL, "F8_E8M0" },
};
enum { TYPES = sizeof types / sizeof *types };

static int dtype_find(tt_dtype d)
{
    int i = 0;
    while (i < TYPES && types[i].dtype != d) i++;
    return i;
}

size_t ckpt_unit(tt_dtype d) { return dtype_find(d) < TYPES ? types[dtype_find(d)].unit : 0; }
const char *ckpt_zarr3_name(tt_dtype d) { return dtype_find(d) < TYPES ? types[dtype_find(d)].zarr3 : NULL; }
const char *ckpt_safetensors_name(tt_dtype d) { return dtype_find(d) < TYPES ? types[dtype_find(d)].safetensors : NULL;
}

tt_dtype ckpt_of_zarr3(const char *name)
{
    for (int i = 0; i < TYPES; i++) if (!strcmp(types[i].zarr3, name)) return types[i].dtype;
    return (tt_dtype)0;
}

tt_dtype ckpt_of_safetensors(const char *name)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].safetensors && !strcmp(types[i].safetensors, name)) return types[i].dtype;
    return (tt_dtype)0;
}

tt_dtype ckpt_of_numpy(const char *name, bool *big)
{
    *big = *name == '>';
    for (int i = 0; i < TYPES; i++) if (!types[i].numpy && !strcmp(types[i].zarr3, name)) return types[i].dtype;
    for (int i = 0; i < TYPES && *name && strchr("<>|=", *name); i++)
        if (types[i].numpy && !strcmp(types[i].numpy, name + 1))
            return *name == '|' && types[i].unit > 1 ? (tt_dtype)0 : types[i].dtype;
    return (tt_dtype)0;
}

bool ckpt_bools(ckpt_err *e, const char *where, tt_dtype d, const uint8_t *p, size_t n)
{
    for (size_t i = 0; d == TT_BOOL && i < n; i++)
        if (p[i] > 1) return ckpt_fail(e, TT_EDATA, "%s: a bool is stored as %d; expected 0 or 1", where, p[i]);
    return true;
}

void ckpt_swap(tt_dtype d, uint8_t *p, size_t n)
{
    const size_t w = dtype_find(d) < TYPES ? types[dtype_find(d)].swap : 1;
    for (size_t at = 0; w > 1 && at + w <= n; at += w)
        for (size_t i = 0; i < w / 2; i++) {
            const uint8_t x = p[at + i];
            p[at + i] = p[at + w - 1 - i];
            p[at + w - 1 - i] = x;
        }
}

int64_t ckpt_box_bytes(tt_dtype d, int rank, const int64_t *n)
{
    int64_t bytes = (int64_t)ckpt_unit(d);
    bool none = false;
    for (int i = 0; i < rank; i++) {
        none |= n[i] == 0;
        if (n[i] < 0 || (n[i] && __builtin_mul_overflow(bytes, n[i], &bytes)) || bytes > (int64_t)1 << 62) return -1;
    }
    return none ? 0 : bytes;
}
