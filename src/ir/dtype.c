/* ir/dtype.c - the data types as a table, and the conversions between floats of any width.
 *
 * Narrowing rounds to nearest even, once, from the wider format's own bits: f64 to f16 never passes through f32. NaN
 * stays NaN with its sign, quiet. Conversions of floats of 4, 6 and 8 bits use the parameters in the table. */
#include "ir.h"

#include <math.h>
#include <string.h>

#define INT_(n, bytes) { n, bytes, IR_INT_CLASS, .bits = 8 * bytes }
#define UINT_(n, bytes) { n, bytes, IR_UINT_CLASS, .bits = 8 * bytes }
#define FLOAT_(n, bytes) { n, bytes, IR_FLOAT_CLASS, .bits = 8 * bytes }
#define SMALL_(n, bits, e, m, b, end) { n, 1, IR_FLOAT_CLASS, bits, TT_F32, e, m, b, end }
static const ir_dtype table[] = {
    [TT_BOOL] = { "bool", 1, IR_BOOL_CLASS, .bits = 1 },
    [TT_I8] = INT_("i8", 1), [TT_I16] = INT_("i16", 2), [TT_I32] = INT_("i32", 4), [TT_I64] = INT_("i64", 8),
    [TT_U8] = UINT_("u8", 1), [TT_U16] = UINT_("u16", 2), [TT_U32] = UINT_("u32", 4), [TT_U64] = UINT_("u64", 8),
    [TT_F16] = FLOAT_("f16", 2), [TT_BF16] = FLOAT_("bf16", 2), [TT_F32] = FLOAT_("f32", 4),
        [TT_F64] = FLOAT_("f64", 8),
    [TT_C64] = { "c64", 8, IR_COMPLEX_CLASS, .bits = 64 }, [TT_C128] = { "c128", 16, IR_COMPLEX_CLASS, .bits = 128 },
    [TT_I2] = { "i2", 1, IR_INT_CLASS, .bits = 2, .wide = TT_I8 },
    [TT_I4] = { "i4", 1, IR_INT_CLASS, .bits = 4, .wide = TT_I8 },
    [TT_U2] = { "u2", 1, IR_UINT_CLASS, .bits = 2, .wide = TT_U8 },
    [TT_U4] = { "u4", 1, IR_UINT_CLASS, .bits = 4, .wide = TT_U8 },
    [TT_F4E2M1FN] = SMALL_("f4E2M1FN", 4, 2, 1, 1, IR_FINITE),
    [TT_F6E2M3FN] = SMALL_("f6E2M3FN", 6, 2, 3, 1, IR_FINITE),
    [TT_F6E3M2FN] = SMALL_("f6E3M2FN", 6, 3, 2, 3, IR_FINITE),
    [TT_F8E3M4] = SMALL_("f8E3M4", 8, 3, 4, 3, IR_IEEE),
    [TT_F8E4M3] = SMALL_("f8E4M3", 8, 4, 3, 7, IR_IEEE),
    [TT_F8E4M3FN] = SMALL_("f8E4M3FN", 8, 4, 3, 7, IR_FN),
    [TT_F8E4M3FNUZ] = SMALL_("f8E4M3FNUZ", 8, 4, 3, 8, IR_FNUZ),
    [TT_F8E4M3B11FNUZ] = SMALL_("f8E4M3B11FNUZ", 8, 4, 3, 11, IR_FNUZ),
    [TT_F8E5M2] = SMALL_("f8E5M2", 8, 5, 2, 15, IR_IEEE),
    [TT_F8E5M2FNUZ] = SMALL_("f8E5M2FNUZ", 8, 5, 2, 16, IR_FNUZ),
    [TT_F8E8M0FNU] = SMALL_("f8E8M0FNU", 8, 8, 0, 127, IR_FNU),
};
enum { TYPES = sizeof table / sizeof *table };

const ir_dtype *ir_dtype_of(tt_dtype t) { return (int)t >= TT_BOOL && (int)t < TYPES ? &table[t] : NULL; }

tt_dtype ir_dtype_named(const char *name)
{
    for (int t = TT_BOOL; t < TYPES; t++) if (!strcmp(table[t].name, name)) return (tt_dtype)t;
    return 0;
}

bool ir_is_float(tt_dtype t) { return table[t].cls == IR_FLOAT_CLASS; }
bool ir_is_narrow(tt_dtype t) { return table[t].wide != 0; }

tt_dtype ir_widened(tt_dtype t)
{
    const ir_dtype *d = &table[t];
    return d->wide ? d->wide : t == TT_F16 || t == TT_BF16 ? TT_F32 : t;
}

/* The 16-bit float with `mant` fraction bits nearest to x. emin: least normal exponent of the format. */
static uint16_t dtype_narrow(double x, int mant, int emin)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    const uint16_t sign = (uint16_t)(u >> 48 & 0x8000), inf = (uint16_t)(0x7fff >> mant << mant);
    const int e = (int)(u >> 52 & 0x7ff) - 1023;
    uint64_t m = u & 0xfffffffffffffu;
    if (e == 1024) return (uint16_t)(sign | inf | (m ? 1u << (mant - 1) | (m >> (52 - mant)) : 0));
    if (e > -emin + 1) return sign | inf;
    const int under = e < emin ? emin - e : 0, shift = 52 - mant + under;
    if (shift > 54) return sign;                         /* below half of the least denormal; also f64 denormals */
    m |= (uint64_t)1 << 52;
    const uint64_t half = (uint64_t)1 << (shift - 1), rest = m & (2 * half - 1), kept = m >> shift;
    const uint64_t up = rest > half || (rest == half && (kept & 1));
    /* the implicit bit, if present, adds 1 to the exponent field, and so does a carry out of the fraction */
    const uint64_t field = under ? 0 : (uint64_t)(e - emin) << mant;
    return (uint16_t)(sign | (field + kept + up));
}

uint16_t ir_f64_f16(double x) { return dtype_narrow(x, 10, -14); }
uint16_t ir_f64_bf16(double x) { return dtype_narrow(x, 7, -126); }
uint16_t ir_f32_f16(float x) { return dtype_narrow((double)x, 10, -14); }

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

/* ---- narrow types ---- */

ir_codes ir_codes_of(const ir_dtype *d)
{
    const unsigned all = (1u << (d->exp + d->mant)) - 1, inf = ((1u << d->exp) - 1) << d->mant;
    switch (d->end) {
    case IR_IEEE: return (ir_codes){ all, inf - 1, inf, inf | 1u << (d->mant - 1) };
    case IR_FN:   return (ir_codes){ all, all - 1, all, all };
    case IR_FNUZ: return (ir_codes){ all, all, all + 1, all + 1 };
    case IR_FNU:  return (ir_codes){ all, all - 1, all, all };
    default:      return (ir_codes){ all, all, all, all + 1 };   /* no NaN: gives -0 */
    }
}

bool ir_int_range(tt_dtype t, int64_t *least, uint64_t *most)
{
    const bool is_signed = table[t].cls == IR_INT_CLASS;
    if (!is_signed && table[t].cls != IR_UINT_CLASS) return false;
    *most = UINT64_MAX >> (64 - table[t].bits + is_signed);
    *least = is_signed ? -(int64_t)*most - 1 : 0;
    return true;
}

double ir_dtype_most(tt_dtype t)
{
    const ir_dtype *d = &table[t];
    return d->wide && d->end != IR_IEEE ? ir_narrow_f64(t, (uint8_t)ir_codes_of(d).most) : (double)INFINITY;
}

uint8_t ir_wrap(tt_dtype t, uint64_t v)
{
    const ir_dtype *d = &table[t];
    const unsigned mask = (1u << d->bits) - 1, low = (unsigned)v & mask;
    return (uint8_t)(d->cls == IR_INT_CLASS && low >> (d->bits - 1) ? low | ~mask : low);
}

double ir_narrow_f64(tt_dtype t, uint8_t code)
{
    const ir_dtype *d = &table[t];
    const ir_codes c = ir_codes_of(d);
    const unsigned size = code & c.all, e = size >> d->mant, m = size & ((1u << d->mant) - 1);
    const double sign = code & (c.all + 1) ? -1.0 : 1.0;
    const bool nan = d->end == IR_IEEE ? size > c.over : d->end != IR_FINITE && (code & (c.all | c.nan)) == c.nan;
    if (nan || (d->end == IR_FN && size == c.nan)) return copysign((double)NAN, sign);
    if (d->end == IR_FNU) return ldexp(1, (int)e - d->bias);
    if (size > c.most) return sign * (double)INFINITY;
    return sign * (e ? ldexp((double)(m + (1u << d->mant)), (int)e - d->bias - d->mant)
                     : ldexp((double)m, 1 - d->bias - d->mant));
}

uint8_t ir_f64_narrow(tt_dtype t, double x)
{
    const ir_dtype *d = &table[t];
    const ir_codes c = ir_codes_of(d);
    const unsigned sign = signbit(x) && d->end != IR_FNU ? c.all + 1 : 0;
    if (x != x || (d->end == IR_FNU && x <= 0)) return (uint8_t)(c.nan | sign);
    if (isinf(x)) return (uint8_t)(c.over | sign);
    if (x == 0) return (uint8_t)(d->end == IR_FNUZ ? 0 : sign);
    int e;
    const double f = frexp(fabs(x), &e);                 /* |x| = f 2^e, 1/2 <= f < 1 */
    const int least = (d->end == IR_FNU ? 0 : 1) - d->bias, at = e - 1 < least ? least : e - 1;
    /* In units of the last place: less than 2^(mant + 1), so halves are exact. The leading 1 adds one to the
     * exponent. */
    const double units = ldexp(f, e - at + d->mant), low = floor(units), rest = units - low;
    unsigned n = (unsigned)low + (rest > 0.5 || (rest == 0.5 && (unsigned)low % 2)) +
        ((unsigned)(at - least) << d->mant);
    if (d->end == IR_FNU) n -= n > 0;                    /* FNU stores no leading 1 */
    if (n > c.most) n = c.over;
    return (uint8_t)(d->end == IR_FNUZ && !n ? 0 : n | sign);
}
