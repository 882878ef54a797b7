/* op/prog/scalar.h - the meaning of each scalar program code for one element of one dtype. This is the only definition:
 * the scalar interpreter (op/prog/prog.c) and the vector loops (gen/tile/tile_isa.c) both inline these functions, so
 * both give the same bits.
 *
 * Names: s_<code>_<dtype>. Every function is free of undefined behaviour for any bits, and free of branches where the
 * compiler is to vectorise it.
 * - Floats follow IEEE; MIN and MAX are IEEE 754-2019's minimum and maximum (NaN wins, -0 < +0).
 * - Integers wrap; x/0 has all bits set and x rem 0 is x; the least integer / -1 is the least integer; a shift by the
 *   width or more gives 0 (SAR: the sign).
 * - A float becomes an integer by truncation, saturates, and NaN gives 0.
 * - bool is 0 or 1. */
#ifndef TUTTI_OP_SCALAR_H
#define TUTTI_OP_SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Dtypes of registers: X(name, C type, unsigned type of that width, bits). f16, bf16 are stored, never computed
 * with. */
#define OP_FLOATS(X) X(f32, float, uint32_t, 32) X(f64, double, uint64_t, 64)
#define OP_SIGNED(X) X(i8, int8_t, uint8_t, 8) X(i16, int16_t, uint16_t, 16) X(i32, int32_t, uint32_t, 32) \
    X(i64, int64_t, uint64_t, 64)
#define OP_UNSIGNED(X) X(u8, uint8_t, uint8_t, 8) X(u16, uint16_t, uint16_t, 16) X(u32, uint32_t, uint32_t, 32) \
    X(u64, uint64_t, uint64_t, 64)

/* The codes that exist for each kind of dtype (LT LE EQ NE SELECT CONVERT BITCAST exist for all; b8 is bool). */
#define OP_FLOAT_UNARY(X, n) X(NEG, n) X(ABS, n) X(SQRT, n) X(FLOOR, n) X(RINT, n)
#define OP_FLOAT_BINARY(X, n) X(ADD, n) X(SUB, n) X(MUL, n) X(DIV, n) X(REM, n) X(MIN, n) X(MAX, n)
#define OP_INT_UNARY(X, n) X(NEG, n) X(ABS, n) X(NOT, n) X(CLZ, n) X(POPCNT, n)
#define OP_INT_BINARY(X, n) X(ADD, n) X(SUB, n) X(MUL, n) X(DIV, n) X(REM, n) X(MIN, n) X(MAX, n) X(AND, n) X(OR, n) \
    X(XOR, n) X(SHL, n) X(SHR, n) X(SAR, n) X(MULHI, n)
#define OP_BOOL_BINARY(X, n) X(ADD, n) X(SUB, n) X(MUL, n) X(MIN, n) X(MAX, n) X(AND, n) X(OR, n) X(XOR, n)
#define OP_COMPARES(X, n) X(LT, n) X(LE, n) X(EQ, n) X(NE, n)

static inline uint32_t s_bits_f32(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static inline float s_from_f32(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
static inline uint64_t s_bits_f64(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static inline double s_from_f64(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }

/* ---- floats ---- */

#define S_FLOAT_(n, T, U, bits)                                                                                        \
    static inline T s_NEG_##n(T a) { return s_from_##n(s_bits_##n(a) ^ (U)1 << (bits - 1)); }                          \
    static inline T s_ABS_##n(T a) { return s_from_##n(s_bits_##n(a) & ~((U)1 << (bits - 1))); }                       \
    static inline T s_ADD_##n(T a, T b) { return a + b; }                                                              \
    static inline T s_SUB_##n(T a, T b) { return a - b; }                                                              \
    static inline T s_MUL_##n(T a, T b) { return a * b; }                                                              \
    static inline T s_DIV_##n(T a, T b) { return a / b; }                                                              \
    static inline T s_MIN_##n(T a, T b)                                                                                \
    {                                                                                                                  \
        const T less = a < b ? a : b, same = s_from_##n(s_bits_##n(a) | s_bits_##n(b)), z = a == b ? same : less;      \
        return a != a ? a : b != b ? b : z;                                                                            \
    }                                                                                                                  \
    static inline T s_MAX_##n(T a, T b)                                                                                \
    {                                                                                                                  \
        const T more = a > b ? a : b, same = s_from_##n(s_bits_##n(a) & s_bits_##n(b)), z = a == b ? same : more;      \
        return a != a ? a : b != b ? b : z;                                                                            \
    }
OP_FLOATS(S_FLOAT_)
#undef S_FLOAT_
static inline float s_REM_f32(float a, float b) { return fmodf(a, b); }
static inline double s_REM_f64(double a, double b) { return fmod(a, b); }
static inline float s_FMA_f32(float a, float b, float c) { return fmaf(a, b, c); }
static inline double s_FMA_f64(double a, double b, double c) { return fma(a, b, c); }
static inline float s_SQRT_f32(float a) { return sqrtf(a); }
static inline double s_SQRT_f64(double a) { return sqrt(a); }
static inline float s_FLOOR_f32(float a) { return floorf(a); }
static inline double s_FLOOR_f64(double a) { return floor(a); }
static inline float s_RINT_f32(float a) { return rintf(a); }
static inline double s_RINT_f64(double a) { return rint(a); }

/* ---- integers, computed in the unsigned type U ---- */

#define S_INTEGER_(n, T, U, bits)                                                                                      \
    static inline T s_NEG_##n(T a) { return (T)(U)(0u - (U)a); }                                                       \
    static inline T s_ADD_##n(T a, T b) { return (T)(U)((U)a + (U)b); }                                                \
    static inline T s_SUB_##n(T a, T b) { return (T)(U)((U)a - (U)b); }                                                \
    static inline T s_MUL_##n(T a, T b) { return (T)(U)(1u * (U)a * (U)b); }                                           \
    static inline T s_MIN_##n(T a, T b) { return a < b ? a : b; }                                                      \
    static inline T s_MAX_##n(T a, T b) { return a > b ? a : b; }                                                      \
    static inline T s_AND_##n(T a, T b) { return (T)(a & b); }                                                         \
    static inline T s_OR_##n(T a, T b) { return (T)(a | b); }                                                          \
    static inline T s_XOR_##n(T a, T b) { return (T)(a ^ b); }                                                         \
    static inline T s_NOT_##n(T a) { return (T)~a; }                                                                   \
    static inline T s_SHL_##n(T a, T b) { return (U)b < bits ? (T)(U)((U)a << ((U)b & (bits - 1))) : (T)0; }           \
    static inline T s_SHR_##n(T a, T b) { return (U)b < bits ? (T)(U)((U)a >> ((U)b & (bits - 1))) : (T)0; }           \
    static inline T s_CLZ_##n(T a)                                                                                     \
    {                                                                                                                  \
        const uint64_t u = (U)a;                                                                                       \
        return (T)(u ? __builtin_clzll(u) - (64 - bits) : bits);                                                       \
    }                                                                                                                  \
    static inline T s_POPCNT_##n(T a) { return (T)__builtin_popcountll((U)a); }
OP_SIGNED(S_INTEGER_)
OP_UNSIGNED(S_INTEGER_)
#undef S_INTEGER_

/* SAR shifts in copies of the top bit, also for unsigned types. S: the signed type of that width. */
#define S_SAR_(n, T, S, bits)                                                                                          \
    static inline T s_SAR_##n(T a, T b)                                                                                \
    {                                                                                                                  \
        const int by = (uint64_t)b < bits && b >= 0 ? (int)b : bits - 1;                                               \
        return (T)((S)a >> by);                                                                                        \
    }
S_SAR_(i8, int8_t, int8_t, 8)
S_SAR_(i16, int16_t, int16_t, 16)
S_SAR_(i32, int32_t, int32_t, 32)
S_SAR_(i64, int64_t, int64_t, 64)
#undef S_SAR_
#define S_SAR_(n, T, S, bits)                                                                                          \
    static inline T s_SAR_##n(T a, T b) { return (T)((S)a >> (b < bits ? (int)b : bits - 1)); }
S_SAR_(u8, uint8_t, int8_t, 8)
S_SAR_(u16, uint16_t, int16_t, 16)
S_SAR_(u32, uint32_t, int32_t, 32)
S_SAR_(u64, uint64_t, int64_t, 64)
#undef S_SAR_

#define S_SIGNED_(n, T, U, bits)                                                                                       \
    static inline T s_ABS_##n(T a) { return a < 0 ? s_NEG_##n(a) : a; }                                                \
    static inline T s_DIV_##n(T a, T b) { return b == 0 ? (T)-1 : b == -1 ? s_NEG_##n(a) : (T)(a / b); }               \
    static inline T s_REM_##n(T a, T b) { return b == 0 ? a : b == -1 ? (T)0 : (T)(a % b); }
OP_SIGNED(S_SIGNED_)
#undef S_SIGNED_
#define S_UNSIGNED_(n, T, U, bits)                                                                                     \
    static inline T s_ABS_##n(T a) { return a; }                                                                       \
    static inline T s_DIV_##n(T a, T b) { return b == 0 ? (T)-1 : (T)(a / b); }                                        \
    static inline T s_REM_##n(T a, T b) { return b == 0 ? a : (T)(a % b); }
OP_UNSIGNED(S_UNSIGNED_)
#undef S_UNSIGNED_

/* High half of the product. */
static inline int8_t s_MULHI_i8(int8_t a, int8_t b) { return (int8_t)((int32_t)a * b >> 8); }
static inline int16_t s_MULHI_i16(int16_t a, int16_t b) { return (int16_t)((int32_t)a * b >> 16); }
static inline int32_t s_MULHI_i32(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b >> 32); }
static inline uint8_t s_MULHI_u8(uint8_t a, uint8_t b) { return (uint8_t)((uint32_t)a * b >> 8); }
static inline uint16_t s_MULHI_u16(uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b >> 16); }
static inline uint32_t s_MULHI_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static inline uint64_t s_MULHI_u64(uint64_t a, uint64_t b)
{
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t low = al * bl, m1 = ah * bl + (low >> 32), m2 = al * bh + (uint32_t)m1;
    return ah * bh + (m1 >> 32) + (m2 >> 32);
}
static inline int64_t s_MULHI_i64(int64_t a, int64_t b)
{
    const uint64_t u = s_MULHI_u64((uint64_t)a, (uint64_t)b);
    return (int64_t)(u - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}

/* ---- bool: ADD and MAX are or, MUL and MIN are and ---- */

static inline uint8_t s_ADD_b8(uint8_t a, uint8_t b) { return a | b; }
static inline uint8_t s_SUB_b8(uint8_t a, uint8_t b) { return a ^ b; }
static inline uint8_t s_MUL_b8(uint8_t a, uint8_t b) { return a & b; }
static inline uint8_t s_MIN_b8(uint8_t a, uint8_t b) { return a & b; }
static inline uint8_t s_MAX_b8(uint8_t a, uint8_t b) { return a | b; }
static inline uint8_t s_AND_b8(uint8_t a, uint8_t b) { return a & b; }
static inline uint8_t s_OR_b8(uint8_t a, uint8_t b) { return a | b; }
static inline uint8_t s_XOR_b8(uint8_t a, uint8_t b) { return a ^ b; }
static inline uint8_t s_NOT_b8(uint8_t a) { return a ^ 1; }

/* ---- comparisons ---- */

#define S_COMPARE_(n, T, U, bits)                                                                                      \
    static inline uint8_t s_LT_##n(T a, T b) { return a < b; }                                                         \
    static inline uint8_t s_LE_##n(T a, T b) { return a <= b; }                                                        \
    static inline uint8_t s_EQ_##n(T a, T b) { return a == b; }                                                        \
    static inline uint8_t s_NE_##n(T a, T b) { return a != b; }
OP_FLOATS(S_COMPARE_)
OP_SIGNED(S_COMPARE_)
OP_UNSIGNED(S_COMPARE_)
S_COMPARE_(b8, uint8_t, uint8_t, 8)
#undef S_COMPARE_

/* ---- conversions ---- */

static inline float s_f32_of_bf16(uint16_t h) { return s_from_f32((uint32_t)h << 16); }
static inline uint16_t s_bf16_of_f32(float x)            /* nearest even; NaN keeps its sign and becomes quiet */
{
    const uint32_t u = s_bits_f32(x), r = (u + 0x7fff + (u >> 16 & 1)) >> 16, nan = (u >> 16 | 0x40);
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? nan : r);
}
static inline float s_f32_of_f16(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, m = (uint32_t)(h & 0x7fff) << 13;
    const float scaled = s_from_f32(m) * 0x1p112f;       /* exact; also right for denormals */
    const uint32_t u = (h & 0x7c00) == 0x7c00 ? m | 0x7f800000 | ((h & 0x3ff) ? 0x400000u : 0u) : s_bits_f32(scaled);
    return s_from_f32(u | sign);
}
static inline uint16_t s_f16_of_f32(float x)
{
    const uint32_t u = s_bits_f32(x), a = u & 0x7fffffff, sign = u >> 16 & 0x8000;
    /* nearest even, may carry to inf */
    const uint32_t normal = (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13;
    /* 0.5f has ulp 2^-24, f16's least */
    const uint32_t tiny = s_bits_f32(s_from_f32(a) + 0.5f) - 0x3f000000;
    const uint32_t big = a > 0x7f800000 ? 0x7e00 | (a >> 13 & 0x3ff) : 0x7c00;
    const uint32_t r = a < 0x38800000 ? tiny : a < 0x47800000 ? normal : big;
    return (uint16_t)(r | sign);
}
/* f64 to f32 with the last bit set where inexact (round to odd), so that a second rounding to 16 bits acts as one
 * rounding. */
static inline float s_odd_f32(double x)
{
    const float y = (float)x;
    const uint32_t u = s_bits_f32(y);
    const double ax = s_ABS_f64(x), ay = s_ABS_f64((double)y);
    const bool inexact = ay != ax && x == x && ay <= 0x1.fffffep127;
    return s_from_f32(inexact ? (ay > ax ? u - 1 : u) | 1 : u);
}
static inline uint16_t s_bf16_of_f64(double x) { return s_bf16_of_f32(s_odd_f32(x)); }
static inline uint16_t s_f16_of_f64(double x) { return s_f16_of_f32(s_odd_f32(x)); }

/* Float to integer. lo: the least value; end: one above the greatest; both are exact in float. */
#define S_TO_INT_(n, T, lo, end, min, max)                                                                             \
    static inline T s_##n##_of_f32(float x)                                                                            \
    {                                                                                                                  \
        const bool in = x > (float)lo - 1 || x >= (float)lo, under = x < (float)end;                                   \
        const T t = (T)(in && under ? x : 0);                                                                          \
        return x != x ? (T)0 : !under ? (T)max : !in ? (T)min : t;                                                     \
    }                                                                                                                  \
    static inline T s_##n##_of_f64(double x)                                                                           \
    {                                                                                                                  \
        const bool in = x > (double)lo - 1 || x >= (double)lo, under = x < (double)end;                                \
        const T t = (T)(in && under ? x : 0);                                                                          \
        return x != x ? (T)0 : !under ? (T)max : !in ? (T)min : t;                                                     \
    }
S_TO_INT_(i8, int8_t, -128, 128, INT8_MIN, INT8_MAX)
S_TO_INT_(i16, int16_t, -32768, 32768, INT16_MIN, INT16_MAX)
S_TO_INT_(i32, int32_t, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)
S_TO_INT_(i64, int64_t, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)
S_TO_INT_(u8, uint8_t, 0, 256, 0, UINT8_MAX)
S_TO_INT_(u16, uint16_t, 0, 65536, 0, UINT16_MAX)
S_TO_INT_(u32, uint32_t, 0, 0x1p32, 0, UINT32_MAX)
S_TO_INT_(u64, uint64_t, 0, 0x1p64, 0, UINT64_MAX)
#undef S_TO_INT_

#endif
