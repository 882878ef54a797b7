/* run/combine_isa.c - to = (src[0] op src[1]) op (src[2] op src[3]) ...: combines element by element, in pairs of
 * neighbours and pairs of pairs, with one rounding per step, so that the sum of equal shards' sums can equal the sum of
 * all elements (gen/isa/tree.h); f16, bf16 and narrower floats are combined in f32 (integers of a few bits in 8 bits)
 * and rounded once. Compiled once per instruction set; all give the same bits.
 *
 * Works on blocks that stay in the first-level cache, so that memory is read once and written once, whatever the number
 * of sources. max and min propagate NaN, and -0 < +0; bool: sum is or, product is and. */
#include "inner.h"

#include <string.h>

enum { BLOCK = 512, LEVELS = 34 };                       /* elements of a block; levels for 2^32 sources */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define SUM(a, b)  ((a) + (b))
#define PROD(a, b) ((a) * 1u * (b))                      /* 1u: two u16 must not be promoted to int */
#define MAX(a, b)  ((a) > (b) ? (a) : (b))
#define MIN(a, b)  ((a) < (b) ? (a) : (b))
#define AND(a, b)  ((a) & (b))
#define OR(a, b)   ((a) | (b))
#define XOR(a, b)  ((a) ^ (b))

/* Before a loop of which the i-th iteration alone reads and writes the i-th elements: `to` may be an operand. */
#ifdef __clang__
#define APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define APART _Pragma("GCC ivdep")
#endif
#define REDUCE(T, name, F) \
    static void name(void *to, const void *x, const void *y, int64_t n) \
    { \
        T *c = to; const T *a = x, *b = y; \
        APART \
        for (int64_t i = 0; i < n; i++) c[i] = (T)F(a[i], b[i]); \
    }
#define SUMS(T, t) REDUCE(T, t##_sum, SUM) REDUCE(T, t##_prod, PROD)
#define NUMBERS(T, t) SUMS(T, t) REDUCE(T, t##_max, MAX) REDUCE(T, t##_min, MIN)
/* Equal floats may be zeros of two signs: their bits are combined by & or |. */
#define LIMIT(T, U, name, LESS, JOIN) \
    static void name(void *to, const void *x, const void *y, int64_t n) \
    { \
        T *c = to; const T *a = x, *b = y; \
        APART \
        for (int64_t i = 0; i < n; i++) { \
            const T kept = a[i] LESS b[i] || a[i] != a[i] ? a[i] : b[i]; \
            U u, v; T same; \
            memcpy(&u, &a[i], sizeof u); \
            memcpy(&v, &b[i], sizeof v); \
            u = u JOIN v; \
            memcpy(&same, &u, sizeof same); \
            c[i] = a[i] == b[i] ? same : kept; \
        } \
    }
#define BITS(T, t) REDUCE(T, t##_and, AND) REDUCE(T, t##_or, OR) REDUCE(T, t##_xor, XOR)
SUMS(float, f32) SUMS(double, f64)
LIMIT(float, uint32_t, f32_max, >, &) LIMIT(double, uint64_t, f64_max, >, &)
LIMIT(float, uint32_t, f32_min, <, |) LIMIT(double, uint64_t, f64_min, <, |)
/* sums of signed and unsigned integers wrap equally */
NUMBERS(uint8_t, u8) NUMBERS(uint16_t, u16) NUMBERS(uint32_t, u32) NUMBERS(uint64_t, u64)
BITS(uint8_t, u8) BITS(uint16_t, u16) BITS(uint32_t, u32) BITS(uint64_t, u64)
REDUCE(int8_t, i8_max, MAX) REDUCE(int16_t, i16_max, MAX) REDUCE(int32_t, i32_max, MAX) REDUCE(int64_t, i64_max, MAX)
REDUCE(int8_t, i8_min, MIN) REDUCE(int16_t, i16_min, MIN) REDUCE(int32_t, i32_min, MIN) REDUCE(int64_t, i64_min, MIN)

/* gcc 12 fuses vectors of a sum and a difference of products even under -ffp-contract=off, but not the remaining
 * elements. */
#if defined __GNUC__ && !defined __clang__
#define AS_WRITTEN __attribute__((optimize("no-tree-vectorize")))
#else
#define AS_WRITTEN
#endif
#define COMPLEX(T, t) \
    AS_WRITTEN static void t##_prod(void *to, const void *x, const void *y, int64_t n) \
    { \
        T *c = to; const T *a = x, *b = y; \
        for (int64_t i = 0; i < n; i++) { \
            const T re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1]; \
            c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i]; \
            c[2 * i] = re; \
        } \
    } \
    static void t##_sum(void *to, const void *x, const void *y, int64_t n) \
    { \
        T *c = to; const T *a = x, *b = y; \
        APART \
        for (int64_t i = 0; i < 2 * n; i++) c[i] = a[i] + b[i]; \
    }
COMPLEX(float, c64) COMPLEX(double, c128)

typedef void reduce_code(void *, const void *, const void *, int64_t);
/* Indexed by MESH_SUM, PROD, MAX, MIN, AND, OR, XOR. */
static reduce_code *const table[][8] = {
    [TT_BOOL] = { 0, u8_or, u8_and, u8_or, u8_and, u8_and, u8_or, u8_xor },
    [TT_I8]   = { 0, u8_sum, u8_prod, i8_max, i8_min, u8_and, u8_or, u8_xor },
    [TT_I16]  = { 0, u16_sum, u16_prod, i16_max, i16_min, u16_and, u16_or, u16_xor },
    [TT_I32]  = { 0, u32_sum, u32_prod, i32_max, i32_min, u32_and, u32_or, u32_xor },
    [TT_I64]  = { 0, u64_sum, u64_prod, i64_max, i64_min, u64_and, u64_or, u64_xor },
    [TT_U8]   = { 0, u8_sum, u8_prod, u8_max, u8_min, u8_and, u8_or, u8_xor },
    [TT_U16]  = { 0, u16_sum, u16_prod, u16_max, u16_min, u16_and, u16_or, u16_xor },
    [TT_U32]  = { 0, u32_sum, u32_prod, u32_max, u32_min, u32_and, u32_or, u32_xor },
    [TT_U64]  = { 0, u64_sum, u64_prod, u64_max, u64_min, u64_and, u64_or, u64_xor },
    [TT_F16]  = { 0, f32_sum, f32_prod, f32_max, f32_min, 0, 0, 0 },
    [TT_BF16] = { 0, f32_sum, f32_prod, f32_max, f32_min, 0, 0, 0 },
    [TT_F32]  = { 0, f32_sum, f32_prod, f32_max, f32_min, 0, 0, 0 },
    [TT_F64]  = { 0, f64_sum, f64_prod, f64_max, f64_min, 0, 0, 0 },
    [TT_C64]  = { 0, c64_sum, c64_prod, 0, 0, 0, 0, 0 },
    [TT_C128] = { 0, c128_sum, c128_prod, 0, 0, 0, 0, 0 },
};

/* Loads n elements from strided memory; f16, bf16 and narrower floats become f32. */
static void combine_load(tt_dtype dtype, int64_t size, int64_t n, void *to, const char *from, int64_t step)
{
    uint16_t h;
    if (ir_is_narrow(dtype)) {
        for (int64_t i = 0; i < n; i++) {
            const uint8_t c = (uint8_t)from[i * step];
            if (ir_is_float(dtype)) ((float *)to)[i] = (float)ir_narrow_f64(dtype, c);
            else ((uint8_t *)to)[i] = ir_wrap(dtype, c);
        }
        return;
    }
    if (dtype == TT_BF16 || dtype == TT_F16) {
        for (int64_t i = 0; i < n; i++) {
            memcpy(&h, from + i * step * 2, 2);
            ((float *)to)[i] = dtype == TT_BF16 ? ir_bf16_f32(h) : ir_f16_f32(h);
        }
        return;
    }
    if (step == 1) memcpy(to, from, (size_t)(n * size));
    else for (int64_t i = 0; i < n; i++) memcpy((char *)to + i * size, from + i * step * size, (size_t)size);
}

static void combine_store(tt_dtype dtype, int64_t size, int64_t n, char *to, int64_t step, const void *from)
{
    if (ir_is_narrow(dtype)) {
        const float *const f = from;
        const uint8_t *const c = from;
        for (int64_t i = 0; i < n; i++)
            to[i * step] = (char)(ir_is_float(dtype) ? ir_f64_narrow(dtype, (double)f[i]) : ir_wrap(dtype, c[i]));
        return;
    }
    if (dtype == TT_BF16 || dtype == TT_F16) {
        for (int64_t i = 0; i < n; i++) {
            const float f = ((const float *)from)[i];
            const uint16_t h = dtype == TT_BF16 ? ir_f32_bf16(f) : ir_f32_f16(f);
            memcpy(to + i * step * 2, &h, 2);
        }
        return;
    }
    if (step == 1) memcpy(to, from, (size_t)(n * size));
    else for (int64_t i = 0; i < n; i++) memcpy(to + i * step * size, (const char *)from + i * size, (size_t)size);
}

void PASTE(run_combine_, ISA)(const run_how *how, int64_t n, char *to, int64_t to_step, const char *from,
                              int64_t from_step, uint32_t nsrc, const int64_t *src);
void PASTE(run_combine_, ISA)(const run_how *how, int64_t n, char *to, int64_t to_step, const char *from,
                              int64_t from_step, uint32_t nsrc, const int64_t *src)
{
    union { float f[2 * BLOCK]; double d[BLOCK]; uint64_t u[BLOCK]; char byte[8 * BLOCK]; } sum[LEVELS], one;
    const tt_dtype of = how->of;
    const int64_t size = (int64_t)ir_dtype_of(of)->bytes, to_size = (int64_t)ir_dtype_of(how->to)->bytes;
    const int64_t most = size > 8 ? BLOCK / 2 : BLOCK;
    const tt_dtype as = ir_widened(of);
    const bool plain = as == of && from_step == 1;
    reduce_code *f = table[as][how->reduce];
    const bool whole = to_step == 1 && as == how->to, streams = how->stream && whole;
    for (int64_t i = 0; i < n; i += most) {
        const int64_t m = n - i < most ? n - i : most;
        char *const out = to + i * to_step * to_size;
        const char *left = NULL;                         /* a source that is read together with the next one */
        int top = 0;                                     /* stack of pending sums of 1, 2, 4, ... sources */
        for (uint32_t k = 0; k < nsrc; k++) {
            const char *x = from + src[k] + i * from_step * size;
            if (k % 2 == 0 && plain && k + 1 < nsrc) {
                left = x;
                continue;
            }
            if (k % 2 == 0) {
                combine_load(of, size, m, &sum[top++], x, from_step);
                continue;
            }
            if (plain) {
                f(&sum[top++], left, x, m);
            } else {
                combine_load(of, size, m, &one, x, from_step);
                f(&sum[top - 1], &sum[top - 1], &one, m);
            }
            for (uint32_t pairs = (k + 1) / 2; pairs % 2 == 0 && (top > 2 || k + 1 < nsrc); pairs /= 2, top--)
                f(&sum[top - 2], &sum[top - 2], &sum[top - 1], m);
        }
        for (; top > 2; top--) f(&sum[top - 2], &sum[top - 2], &sum[top - 1], m);
        const bool placed = top == 2 && whole && !streams;
        if (top == 2) f(placed ? (void *)out : &sum[0], &sum[0], &sum[1], m);
        if (placed) continue;
        if (streams) run_stream(out, (const char *)&sum, (size_t)(m * to_size));
        else combine_store(how->to, to_size, m, out, to_step, &sum);
    }
}
