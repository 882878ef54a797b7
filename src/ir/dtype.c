/* ir/dtype.c - the data types as a table, and the conversions between floats of 16, 32 and 64 bits.
 *
 * Narrowing rounds to nearest even, once, from the wider format's own bits: f64 to f16 never passes through f32. NaN
 * stays NaN with its sign, quiet. */
#include "ir.h"

#include <string.h>

static const ir_dtype table[] = {
    [TT_BOOL] = { "bool", 1, IR_BOOL_CLASS },
    [TT_I8] = { "i8", 1, IR_INT_CLASS },      [TT_I16] = { "i16", 2, IR_INT_CLASS },
    [TT_I32] = { "i32", 4, IR_INT_CLASS },    [TT_I64] = { "i64", 8, IR_INT_CLASS },
    [TT_U8] = { "u8", 1, IR_UINT_CLASS },     [TT_U16] = { "u16", 2, IR_UINT_CLASS },
    [TT_U32] = { "u32", 4, IR_UINT_CLASS },   [TT_U64] = { "u64", 8, IR_UINT_CLASS },
    [TT_F16] = { "f16", 2, IR_FLOAT_CLASS },  [TT_BF16] = { "bf16", 2, IR_FLOAT_CLASS },
    [TT_F32] = { "f32", 4, IR_FLOAT_CLASS },  [TT_F64] = { "f64", 8, IR_FLOAT_CLASS },
    [TT_C64] = { "c64", 8, IR_COMPLEX_CLASS }, [TT_C128] = { "c128", 16, IR_COMPLEX_CLASS },
};

const ir_dtype *ir_dtype_of(tt_dtype t) { return t >= TT_BOOL && t <= TT_C128 ? &table[t] : NULL; }

tt_dtype ir_dtype_named(const char *name)
{
    for (int t = TT_BOOL; t <= TT_C128; t++) if (!strcmp(table[t].name, name)) return (tt_dtype)t;
    return 0;
}

bool ir_is_float(tt_dtype t) { return t >= TT_F16 && t <= TT_F64; }

/* The 16-bit float of `mant` fraction bits nearest to x. emin: its least normal exponent. */
static uint16_t narrow(double x, int mant, int emin)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    const uint16_t sign = (uint16_t)(u >> 48 & 0x8000), inf = (uint16_t)(0x7fff >> mant << mant);
    const int e = (int)(u >> 52 & 0x7ff) - 1023;
    uint64_t m = u & 0xfffffffffffffu;
    if (e == 1024) return (uint16_t)(sign | inf | (m ? 1u << (mant - 1) | (m >> (52 - mant)) : 0));
    if (e > -emin + 1) return sign | inf;
    const int under = e < emin ? emin - e : 0, shift = 52 - mant + under;
    if (shift > 54) return sign;                         /* below half of the least denormal, f64's own among them */
    m |= (uint64_t)1 << 52;
    const uint64_t half = (uint64_t)1 << (shift - 1), rest = m & (2 * half - 1), kept = m >> shift;
    const uint64_t up = rest > half || (rest == half && (kept & 1));
    /* the implicit bit, when there, adds 1 to the exponent field; a carry out of the fraction does the same */
    const uint64_t field = under ? 0 : (uint64_t)(e - emin) << mant;
    return (uint16_t)(sign | (field + kept + up));
}

uint16_t ir_f64_f16(double x) { return narrow(x, 10, -14); }
uint16_t ir_f64_bf16(double x) { return narrow(x, 7, -126); }
uint16_t ir_f32_f16(float x) { return narrow((double)x, 10, -14); }

uint16_t ir_f32_bf16(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

float ir_bf16_f32(uint16_t h)
{
    const uint32_t u = (uint32_t)h << 16;
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

float ir_f16_f32(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
    uint32_t u = sign | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13;
    float x;
    if (e == 0) {                                        /* m * 2^-24, exact */
        x = (float)m * 0x1p-24f;
        memcpy(&u, &x, sizeof u);
        u |= sign;
    }
    memcpy(&x, &u, sizeof x);
    return x;
}
