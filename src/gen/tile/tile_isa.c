/* gen/tile/tile_isa.c - the loops of the tile interpreter: one function per code, dtype and form of operands.
 *
 * Each is a plain loop that the compiler vectorizes for this instruction set; op/prog/scalar.h alone defines the result
 * of an element, so every set gives the same bits. A result tile may be an operand's tile. */
#include "tile.h"

#include "../../op/prog/scalar.h"
#include "../../op/random/threefry.h"

#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed"         /* division and others stay scalar */
#define FOR_TILE _Pragma("clang loop vectorize(assume_safety)") for (int64_t i = 0; i < (n & -(int64_t)GEN_GRAIN); i++)
#else
#define FOR_TILE _Pragma("GCC ivdep") for (int64_t i = 0; i < (n & -(int64_t)GEN_GRAIN); i++)
#endif
#define LOOP(name) static void name(const gen_step *s, void *const *at, const op_word *k, int64_t n)
#define TILE(T, r) const T *const r = at[s->r]
#define WORD(T, r, m) const T r = k[s->r].m
#define NONE (void)at, (void)k

/* ---- one, two and three operands: D result type, T operand type, m the word's member ---- */

#define UNARY(code, n_, T)                                                                                             \
    LOOP(code##_##n_)                                                                                                  \
    {                                                                                                                  \
        T *const d = at[s->d];                                                                                         \
        TILE(T, a);                                                                                                    \
        NONE;                                                                                                          \
        FOR_TILE d[i] = s_##code##_##n_(a[i]);                                                                         \
    }
#define BINARY(code, n_, T, D)                                                                                         \
    LOOP(code##_##n_##_vv)                                                                                             \
    {                                                                                                                  \
        D *const d = at[s->d];                                                                                         \
        TILE(T, a);                                                                                                    \
        TILE(T, b);                                                                                                    \
        NONE;                                                                                                          \
        FOR_TILE d[i] = s_##code##_##n_(a[i], b[i]);                                                                   \
    }                                                                                                                  \
    LOOP(code##_##n_##_kv)                                                                                             \
    {                                                                                                                  \
        D *const d = at[s->d];                                                                                         \
        WORD(T, a, n_);                                                                                                \
        TILE(T, b);                                                                                                    \
        FOR_TILE d[i] = s_##code##_##n_(a, b[i]);                                                                      \
    }                                                                                                                  \
    LOOP(code##_##n_##_vk)                                                                                             \
    {                                                                                                                  \
        D *const d = at[s->d];                                                                                         \
        TILE(T, a);                                                                                                    \
        WORD(T, b, n_);                                                                                                \
        FOR_TILE d[i] = s_##code##_##n_(a[i], b);                                                                      \
    }
#define FMA_FORM(n_, T, form, A, B, C, ai, bi, ci)                                                                     \
    LOOP(FMA_##n_##_##form)                                                                                            \
    {                                                                                                                  \
        T *const d = at[s->d];                                                                                         \
        A;                                                                                                             \
        B;                                                                                                             \
        C;                                                                                                             \
        NONE;                                                                                                          \
        FOR_TILE d[i] = s_FMA_##n_(ai, bi, ci);                                                                        \
    }
#define FMA(n_, T, U, bits)                                                                                            \
    FMA_FORM(n_, T, vvv, TILE(T, a), TILE(T, b), TILE(T, c), a[i], b[i], c[i])                                         \
    FMA_FORM(n_, T, kvv, WORD(T, a, n_), TILE(T, b), TILE(T, c), a, b[i], c[i])                                        \
    FMA_FORM(n_, T, vkv, TILE(T, a), WORD(T, b, n_), TILE(T, c), a[i], b, c[i])                                        \
    FMA_FORM(n_, T, vvk, TILE(T, a), TILE(T, b), WORD(T, c, n_), a[i], b[i], c)                                        \
    FMA_FORM(n_, T, kvk, WORD(T, a, n_), TILE(T, b), WORD(T, c, n_), a, b[i], c)                                       \
    FMA_FORM(n_, T, vkk, TILE(T, a), WORD(T, b, n_), WORD(T, c, n_), a[i], b, c)
OP_FLOATS(FMA)

#define UNARY_FLOAT_(code, n_) UNARY(code, n_, n_##_t)
#define BINARY_FLOAT_(code, n_) BINARY(code, n_, n_##_t, n_##_t)
#define COMPARE_(code, n_) BINARY(code, n_, n_##_t, uint8_t)
typedef float f32_t;
typedef double f64_t;
typedef uint8_t b8_t;
typedef int8_t i8_t;
typedef int16_t i16_t;
typedef int32_t i32_t;
typedef int64_t i64_t;
typedef uint8_t u8_t;
typedef uint16_t u16_t;
typedef uint32_t u32_t;
typedef uint64_t u64_t;

#define FLOAT_LOOPS(n_, T, U, bits)                                                                                    \
    OP_FLOAT_UNARY(UNARY_FLOAT_, n_) OP_FLOAT_BINARY(BINARY_FLOAT_, n_) OP_COMPARES(COMPARE_, n_)                      \
    LIMIT(MIN, n_, T, >=, 0) LIMIT(MAX, n_, T, <=, 1) QUOTIENT(n_, T, U)
/* MIN and MAX with a uniform word: one comparison, which passes NaN on, is enough unless the word is NaN or the zero
 * that loses against the other zero (0 for MIN, -0 for MAX). */
#define LIMIT(code, n_, T, cmp, bad_sign)                                                                              \
    LOOP(code##_##n_##_limit)                                                                                          \
    {                                                                                                                  \
        T *const d = at[s->d];                                                                                         \
        TILE(T, a);                                                                                                    \
        WORD(T, b, n_);                                                                                                \
        if (b != b || (b == 0 && !signbit(b) == !bad_sign)) { code##_##n_##_vk(s, at, k, n); return; }                 \
        FOR_TILE d[i] = a[i] cmp b ? b : a[i];                                                                         \
    }
/* DIV by a uniform word b: products with y, the rounded 1 / b. a y is corrected to within an ulp, and by Markstein's
 * theorem a second correction rounds as a / b does, if there is no under- or overflow: b within 2^-SMALL .. 2^SMALL, a
 * within 2^-LOW .. 2^LOW or 0. The sign of a zero is that of the first product. Otherwise, and on processors without
 * fma: the division instruction. */
#if defined __FMA__ || defined __aarch64__
enum { SMALL_f32 = 30, LOW_f32 = 90, BIAS_f32 = 127, FRACTION_f32 = 23 };
enum { SMALL_f64 = 200, LOW_f64 = 700, BIAS_f64 = 1023, FRACTION_f64 = 52 };
#define EXPONENT_(U, n_, e) ((U)(BIAS_##n_ + (e)) << FRACTION_##n_)
#define QUOTIENT(n_, T, U)                                                                                             \
    LOOP(DIV_##n_##_by)                                                                                                \
    {                                                                                                                  \
        T *const d = at[s->d];                                                                                         \
        TILE(T, a);                                                                                                    \
        WORD(T, b, n_);                                                                                                \
        const U low = EXPONENT_(U, n_, -LOW_##n_), range = EXPONENT_(U, n_, LOW_##n_) - low; \
        const U size = s_bits_##n_(s_ABS_##n_(b)), sign = s_bits_##n_((T)-0.0);                                        \
        const T y = 1 / b, c = -b;                                                                                     \
        U far = size < EXPONENT_(U, n_, -SMALL_##n_) || size > EXPONENT_(U, n_, SMALL_##n_); \
        FOR_TILE                                                                                                       \
        {                                                                                                              \
            const U x = s_bits_##n_(a[i]) & ~sign;                                                                     \
            far |= (U)(x - low > range) & (U)(x != 0);                                                                 \
        }                                                                                                              \
        if (far) { DIV_##n_##_vk(s, at, k, n); return; }                                                               \
        FOR_TILE                                                                                                       \
        {                                                                                                              \
            const T q = a[i] * y, r = s_FMA_##n_(s_FMA_##n_(c, q, a[i]), y, q);                                        \
            const T z = s_FMA_##n_(s_FMA_##n_(c, r, a[i]), y, r);                                                      \
            d[i] = s_from_##n_((s_bits_##n_(z) & ~sign) | (s_bits_##n_(q) & sign));                                    \
        }                                                                                                              \
    }
#else
#define QUOTIENT(n_, T, U)
#define DIV_f32_by DIV_f32_vk
#define DIV_f64_by DIV_f64_vk
#endif
OP_FLOATS(FLOAT_LOOPS)

/* Signed and unsigned integers share the loops whose bits are the same. */
#define ANY_INT(n_, T, U, bits)                                                                                        \
    UNARY_FLOAT_(NEG, n_) UNARY_FLOAT_(NOT, n_) UNARY_FLOAT_(CLZ, n_) UNARY_FLOAT_(POPCNT, n_)                         \
    BINARY_FLOAT_(ADD, n_) BINARY_FLOAT_(SUB, n_) BINARY_FLOAT_(MUL, n_) BINARY_FLOAT_(AND, n_) BINARY_FLOAT_(OR, n_)  \
    BINARY_FLOAT_(XOR, n_) BINARY_FLOAT_(SHL, n_) BINARY_FLOAT_(SHR, n_) BINARY_FLOAT_(SAR, n_)                        \
    COMPARE_(EQ, n_) COMPARE_(NE, n_)
#define OWN_INT(n_, T, U, bits)                                                                                        \
    BINARY_FLOAT_(DIV, n_) BINARY_FLOAT_(REM, n_) BINARY_FLOAT_(MIN, n_) BINARY_FLOAT_(MAX, n_)          \
    BINARY_FLOAT_(MULHI, n_) COMPARE_(LT, n_) COMPARE_(LE, n_) UNARY_FLOAT_(ABS, n_)
OP_UNSIGNED(ANY_INT)
OP_UNSIGNED(OWN_INT)
OP_SIGNED(OWN_INT)
UNARY(NOT, b8, uint8_t)
OP_BOOL_BINARY(BINARY_FLOAT_, b8)
OP_COMPARES(COMPARE_, b8)

/* ---- select, fill, copy: by width ---- */

#define WIDE(bits)                                                                                                     \
    LOOP(SELECT_##bits##_vv)                                                                                           \
    {                                                                                                                  \
        uint##bits##_t *const d = at[s->d];                                                                            \
        TILE(uint8_t, a);                                                                                              \
        TILE(uint##bits##_t, b);                                                                                       \
        TILE(uint##bits##_t, c);                                                                                       \
        NONE;                                                                                                          \
        FOR_TILE d[i] = a[i] ? b[i] : c[i];                                                                            \
    }                                                                                                                  \
    LOOP(SELECT_##bits##_kv)                                                                                           \
    {                                                                                                                  \
        uint##bits##_t *const d = at[s->d];                                                                            \
        TILE(uint8_t, a);                                                                                              \
        WORD(uint##bits##_t, b, u##bits);                                                                              \
        TILE(uint##bits##_t, c);                                                                                       \
        FOR_TILE d[i] = a[i] ? b : c[i];                                                                               \
    }                                                                                                                  \
    LOOP(SELECT_##bits##_vk)                                                                                           \
    {                                                                                                                  \
        uint##bits##_t *const d = at[s->d];                                                                            \
        TILE(uint8_t, a);                                                                                              \
        TILE(uint##bits##_t, b);                                                                                       \
        WORD(uint##bits##_t, c, u##bits);                                                                              \
        FOR_TILE d[i] = a[i] ? b[i] : c;                                                                               \
    }                                                                                                                  \
    LOOP(SELECT_##bits##_kk)                                                                                           \
    {                                                                                                                  \
        uint##bits##_t *const d = at[s->d];                                                                            \
        TILE(uint8_t, a);                                                                                              \
        WORD(uint##bits##_t, b, u##bits);                                                                              \
        WORD(uint##bits##_t, c, u##bits);                                                                              \
        FOR_TILE d[i] = a[i] ? b : c;                                                                                  \
    }                                                                                                                  \
    LOOP(fill_##bits)                                                                                                  \
    {                                                                                                                  \
        uint##bits##_t *const d = at[s->d];                                                                            \
        WORD(uint##bits##_t, a, u##bits);                                                                              \
        FOR_TILE d[i] = a;                                                                                             \
    }                                                                                                                  \
    LOOP(copy_##bits)                                                                                                  \
    {                                                                                                                  \
        uint##bits##_t *const d = at[s->d];                                                                            \
        TILE(uint##bits##_t, a);                                                                                       \
        NONE;                                                                                                          \
        FOR_TILE d[i] = a[i];                                                                                          \
    }
WIDE(8) WIDE(16) WIDE(32) WIDE(64)

/* ---- polynomials: steps of fma in registers, one pass over the tile ---- */

#define POLY(n_, T, fma_name, m)                                                                                       \
    static inline __attribute__((always_inline)) T poly_##n_##_##m(T y, T x, const T *c)                               \
    {                                                                                                                  \
        for (int j = 0; j < m; j++) y = fma_name(y, x, c[j]);                                                          \
        return y;                                                                                                      \
    }                                                                                                                  \
    LOOP(POLY_##n_##_k##m)                                                                                             \
    {                                                                                                                  \
        T *const d = at[s->d], c[m + 1];                                                                               \
        TILE(T, b);                                                                                                    \
        for (int j = 0; j <= m; j++) c[j] = k[s->coef[j]].n_;                                                          \
        FOR_TILE d[i] = poly_##n_##_##m(c[0], b[i], c + 1);                                                            \
    }                                                                                                                  \
    LOOP(POLY_##n_##_v##m)                                                                                             \
    {                                                                                                                  \
        T *const d = at[s->d], c[m];                                                                                   \
        TILE(T, a);                                                                                                    \
        TILE(T, b);                                                                                                    \
        for (int j = 0; j < m; j++) c[j] = k[s->coef[j]].n_;                                                           \
        FOR_TILE d[i] = poly_##n_##_##m(a[i], b[i], c);                                                                \
    }
#define POLIES(n_, T, fma_name)                                                                                        \
    POLY(n_, T, fma_name, 1) POLY(n_, T, fma_name, 2) POLY(n_, T, fma_name, 3) POLY(n_, T, fma_name, 4)                \
    POLY(n_, T, fma_name, 5) POLY(n_, T, fma_name, 6) POLY(n_, T, fma_name, 7) POLY(n_, T, fma_name, 8)                \
    POLY(n_, T, fma_name, 9) POLY(n_, T, fma_name, 10) POLY(n_, T, fma_name, 11) POLY(n_, T, fma_name, 12)             \
    POLY(n_, T, fma_name, 13) POLY(n_, T, fma_name, 14) POLY(n_, T, fma_name, 15) POLY(n_, T, fma_name, 16)
POLIES(f32, float, s_FMA_f32)
POLIES(f64, double, s_FMA_f64)

/* ---- random bits: of counter a under the key (b, c) ---- */

#define DRAW(code, D, n_, form, B, C, bi, ci, high, expr)                                                              \
    LOOP(code##_##n_##_##form)                                                                                         \
    {                                                                                                                  \
        D *const d = at[s->d];                                                                                         \
        TILE(n_##_t, a);                                                                                               \
        B;                                                                                                             \
        C;                                                                                                             \
        NONE;                                                                                                          \
        FOR_TILE                                                                                                       \
        {                                                                                                              \
            uint32_t x0 = high, x1 = (uint32_t)a[i];                                                                   \
            OP_THREEFRY(uint32_t, bi, ci);                                                                             \
            d[i] = expr;                                                                                               \
        }                                                                                                              \
    }
#define DRAWS(code, D, n_, high, expr)                                                                                 \
    DRAW(code, D, n_, vvv, TILE(uint32_t, b), TILE(uint32_t, c), b[i], c[i], high, expr)                               \
    DRAW(code, D, n_, vkk, WORD(uint32_t, b, u32), WORD(uint32_t, c, u32), b, c, high, expr)
#define HIGH_i64 (uint32_t)((uint64_t)a[i] >> 32)
DRAWS(RANDOM32, uint32_t, i32, 0, x0 ^ x1) DRAWS(RANDOM32, uint32_t, i64, HIGH_i64, x0 ^ x1)
DRAWS(RANDOM64, uint64_t, i32, 0, (uint64_t)x0 << 32 | x1) DRAWS(RANDOM64, uint64_t, i64, HIGH_i64,
    (uint64_t)x0 << 32 | x1)

/* ---- conversions ---- */

#define CONVERT(from, T, to, D, expr)                                                                                  \
    LOOP(to##_of_##from)                                                                                               \
    {                                                                                                                  \
        D *const d = at[s->d];                                                                                         \
        TILE(T, a);                                                                                                    \
        NONE;                                                                                                          \
        FOR_TILE                                                                                                       \
        {                                                                                                              \
            const T x = a[i];                                                                                          \
            d[i] = (D)(expr);                                                                                          \
        }                                                                                                              \
    }
/* From an integer: narrowing and widening keep the low bits, so the target's sign does not matter. */
#define FROM_INT(f, T)                                                                                                 \
    CONVERT(f, T, b8, uint8_t, x != 0) CONVERT(f, T, u8, uint8_t, x) CONVERT(f, T, u16, uint16_t, x)                   \
    CONVERT(f, T, u32, uint32_t, x) CONVERT(f, T, u64, uint64_t, x) CONVERT(f, T, f32, float, x)                       \
    CONVERT(f, T, f64, double, x) CONVERT(f, T, f16, uint16_t, s_f16_of_f32((float)x))                                 \
    CONVERT(f, T, bf16, uint16_t, s_bf16_of_f32((float)x))
FROM_INT(b8, uint8_t) FROM_INT(i8, int8_t) FROM_INT(i16, int16_t) FROM_INT(i32, int32_t) FROM_INT(i64, int64_t)
FROM_INT(u8, uint8_t) FROM_INT(u16, uint16_t) FROM_INT(u32, uint32_t) FROM_INT(u64, uint64_t)
#define FROM_FLOAT(f, T, value, of)                                                                                    \
    CONVERT(f, T, b8, uint8_t, value != 0) CONVERT(f, T, i8, int8_t, s_i8_of_##of(value))                              \
    CONVERT(f, T, i16, int16_t, s_i16_of_##of(value)) CONVERT(f, T, i32, int32_t, s_i32_of_##of(value))                \
    CONVERT(f, T, i64, int64_t, s_i64_of_##of(value)) CONVERT(f, T, u8, uint8_t, s_u8_of_##of(value))                  \
    CONVERT(f, T, u16, uint16_t, s_u16_of_##of(value)) CONVERT(f, T, u32, uint32_t, s_u32_of_##of(value))              \
    CONVERT(f, T, u64, uint64_t, s_u64_of_##of(value)) CONVERT(f, T, f16, uint16_t, s_f16_of_##of(value))              \
    CONVERT(f, T, bf16, uint16_t, s_bf16_of_##of(value)) CONVERT(f, T, f32, float, value)                              \
    CONVERT(f, T, f64, double, value)
FROM_FLOAT(f32, float, x, f32)
FROM_FLOAT(f64, double, x, f64)
FROM_FLOAT(f16, uint16_t, s_f32_of_f16(x), f32)
FROM_FLOAT(bf16, uint16_t, s_f32_of_bf16(x), f32)

static bool tile_same(const void *p, int64_t n, bool want)
{
    const uint8_t *a = p;
    uint8_t other = 0;
    for (int64_t i = 0; i < n; i++) other |= a[i] ^ want;
    return !other;
}

static void tile_count(void *to, int64_t from, int64_t step, int64_t n, bool narrow)
{
    uint32_t *const y4 = to;
    uint64_t *const y8 = to;
    if (narrow) for (int64_t i = 0; i < n; i++) y4[i] = (uint32_t)from + (uint32_t)i * (uint32_t)step;
    else for (int64_t i = 0; i < n; i++) y8[i] = (uint64_t)(from + i * step);
}

/* ---- the table ---- */

#define UN(code, d, n_) [OP_##code][d] = { [0] = code##_##n_ },
#define BIN(code, d, n_) [OP_##code][d] = { [0] = code##_##n_##_vv, [1] = code##_##n_##_kv, [2] = code##_##n_##_vk },
#define QUO(code, d, n_) [OP_##code][d] = { [0] = code##_##n_##_vv, [1] = code##_##n_##_kv, [2] = code##_##n_##_by },
#define LIM(code, d, n_) [OP_##code][d] = { [0] = code##_##n_##_vv, [1] = code##_##n_##_kv, [2] = code##_##n_##_limit },
/* clang-format off */
#define FLOAT_TABLE(d, n_)                                                                                             \
    UN(NEG, d, n_) UN(ABS, d, n_) UN(SQRT, d, n_) UN(FLOOR, d, n_) UN(RINT, d, n_) BIN(ADD, d, n_) BIN(SUB, d, n_)     \
    BIN(MUL, d, n_) QUO(DIV, d, n_) BIN(REM, d, n_) LIM(MIN, d, n_) LIM(MAX, d, n_) BIN(LT, d, n_) BIN(LE, d, n_)      \
    BIN(EQ, d, n_) BIN(NE, d, n_)                                                                                      \
    [OP_FMA][d] = { FMA_##n_##_vvv, FMA_##n_##_kvv, FMA_##n_##_vkv, NULL, FMA_##n_##_vvk, FMA_##n_##_kvk,            \
                    FMA_##n_##_vkk },
/* clang-format on */
#define INT_TABLE(d, n_, u)                                                                                            \
    UN(NEG, d, u) UN(NOT, d, u) UN(CLZ, d, u) UN(POPCNT, d, u) BIN(ADD, d, u) BIN(SUB, d, u) BIN(MUL, d, u)            \
    BIN(AND, d, u) BIN(OR, d, u) BIN(XOR, d, u) BIN(SHL, d, u) BIN(SHR, d, u) BIN(SAR, d, u) BIN(EQ, d, u)             \
    BIN(NE, d, u) BIN(DIV, d, n_) BIN(REM, d, n_) BIN(MIN, d, n_) BIN(MAX, d, n_) BIN(MULHI, d, n_) BIN(LT, d, n_)     \
    BIN(LE, d, n_) UN(ABS, d, n_)
#define BOOL_TABLE(d, n_)                                                                                              \
    UN(NOT, d, n_) BIN(ADD, d, n_) BIN(SUB, d, n_) BIN(MUL, d, n_) BIN(MIN, d, n_) BIN(MAX, d, n_) BIN(AND, d, n_)     \
    BIN(OR, d, n_) BIN(XOR, d, n_) BIN(LT, d, n_) BIN(LE, d, n_) BIN(EQ, d, n_) BIN(NE, d, n_)
#define WORDS(code, d, n_) [OP_##code][d] = { [0] = code##_##n_##_vvv, [6] = code##_##n_##_vkk },
#define SEL(d, bits)                                                                                                   \
    [OP_SELECT][d] = { [0] = SELECT_##bits##_vv, [2] = SELECT_##bits##_kv, [4] = SELECT_##bits##_vk,                   \
                       [6] = SELECT_##bits##_kk },
#define INT_CONVERTS(d, f)                                                                                             \
    [d] = { [TT_BOOL] = b8_of_##f, [TT_I8] = u8_of_##f, [TT_U8] = u8_of_##f, [TT_I16] = u16_of_##f,                    \
            [TT_U16] = u16_of_##f, [TT_I32] = u32_of_##f, [TT_U32] = u32_of_##f, [TT_I64] = u64_of_##f,                \
            [TT_U64] = u64_of_##f, [TT_F16] = f16_of_##f, [TT_BF16] = bf16_of_##f, [TT_F32] = f32_of_##f,              \
            [TT_F64] = f64_of_##f },
#define FLOAT_CONVERTS(d, f)                                                                                           \
    [d] = { [TT_BOOL] = b8_of_##f, [TT_I8] = i8_of_##f, [TT_U8] = u8_of_##f, [TT_I16] = i16_of_##f,                    \
            [TT_U16] = u16_of_##f, [TT_I32] = i32_of_##f, [TT_U32] = u32_of_##f, [TT_I64] = i64_of_##f,                \
            [TT_U64] = u64_of_##f, [TT_F16] = f16_of_##f, [TT_BF16] = bf16_of_##f, [TT_F32] = f32_of_##f,              \
            [TT_F64] = f64_of_##f },
#define POLY_TABLE(n_, f)                                                                                              \
    { NULL, POLY_##n_##_##f##1, POLY_##n_##_##f##2, POLY_##n_##_##f##3, POLY_##n_##_##f##4, POLY_##n_##_##f##5,        \
      POLY_##n_##_##f##6, POLY_##n_##_##f##7, POLY_##n_##_##f##8, POLY_##n_##_##f##9, POLY_##n_##_##f##10,             \
      POLY_##n_##_##f##11, POLY_##n_##_##f##12, POLY_##n_##_##f##13, POLY_##n_##_##f##14, POLY_##n_##_##f##15,         \
      POLY_##n_##_##f##16 }

/* Copies by full vectors, as the loops read: the load of a full vector would wait for two stores of half vectors. */
static void tile_pad(char *to, const char *from, int64_t n, int64_t capacity)
{
    typedef char lump __attribute__((vector_size(32)));
    enum { LUMP = sizeof(lump) };
    int64_t i = 0;
    for (; i + LUMP <= n; i += LUMP) memcpy(to + i, from + i, LUMP);
    if (i < n) {
        lump last = { 0 };
        memcpy(&last, from + i, (size_t)(n - i));
        memcpy(to + i, &last, LUMP), i += LUMP;
    }
    for (; i < capacity; i += LUMP) memcpy(to + i, &(lump){ 0 }, LUMP);
}

const gen_tile_ops GEN_ISA(gen_tile_loops) = {
    .op = {
        FLOAT_TABLE(TT_F32, f32) FLOAT_TABLE(TT_F64, f64) BOOL_TABLE(TT_BOOL, b8)
        INT_TABLE(TT_I8, i8, u8) INT_TABLE(TT_I16, i16, u16) INT_TABLE(TT_I32, i32, u32) INT_TABLE(TT_I64, i64, u64)
        INT_TABLE(TT_U8, u8, u8) INT_TABLE(TT_U16, u16, u16) INT_TABLE(TT_U32, u32, u32) INT_TABLE(TT_U64, u64, u64)
        WORDS(RANDOM32, TT_I32, i32) WORDS(RANDOM32, TT_I64, i64) WORDS(RANDOM64, TT_I32, i32) WORDS(RANDOM64, TT_I64,
            i64)
        SEL(TT_BOOL, 8) SEL(TT_I8, 8) SEL(TT_U8, 8) SEL(TT_I16, 16) SEL(TT_U16, 16) SEL(TT_F16, 16) SEL(TT_BF16, 16)
        SEL(TT_I32, 32) SEL(TT_U32, 32) SEL(TT_F32, 32) SEL(TT_I64, 64) SEL(TT_U64, 64) SEL(TT_F64, 64)
    },
    .convert = {
        INT_CONVERTS(TT_BOOL, b8) INT_CONVERTS(TT_I8, i8) INT_CONVERTS(TT_I16, i16) INT_CONVERTS(TT_I32, i32)
        INT_CONVERTS(TT_I64, i64) INT_CONVERTS(TT_U8, u8) INT_CONVERTS(TT_U16, u16) INT_CONVERTS(TT_U32, u32)
        INT_CONVERTS(TT_U64, u64) FLOAT_CONVERTS(TT_F16, f16) FLOAT_CONVERTS(TT_BF16, bf16) FLOAT_CONVERTS(TT_F32, f32)
        FLOAT_CONVERTS(TT_F64, f64)
    },
    .poly = { { POLY_TABLE(f32, k), POLY_TABLE(f32, v) }, { POLY_TABLE(f64, k), POLY_TABLE(f64, v) } },
    .fill = { fill_8, fill_16, fill_32, fill_64 },
    .copy = { copy_8, copy_16, copy_32, copy_64 },
    .same = tile_same,
    .count = tile_count,
    .pad = tile_pad,
};
