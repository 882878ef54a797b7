/* gen/reduce/reduce_isa.c - loops of reduce.h for one instruction set: simple loops over scalar.h's operations, which
 * the compiler vectorises. Sums of 16-bit floats are accumulated in f32 and rounded once. */
#include "reduce.h"
#include "../isa/isa.h"
#include "../../op/prog/scalar.h"

#define LANES REDUCE_LANES

/* Dtypes: X(name, dtype, memory M, accumulator T, its name in scalar.h, load, store). */
#define FLOATS(X) X(f32, TT_F32, float, float, f32, v, v) X(f64, TT_F64, double, double, f64, v, v) \
    X(bf16, TT_BF16, uint16_t, float, f32, s_f32_of_bf16(v), s_bf16_of_f32(v))                      \
    X(f16, TT_F16, uint16_t, float, f32, s_f32_of_f16(v), s_f16_of_f32(v))
#define UNSIGNED(X) X(u8, TT_U8, uint8_t, uint8_t, u8, v, v) X(u16, TT_U16, uint16_t, uint16_t, u16, v, v) \
    X(u32, TT_U32, uint32_t, uint32_t, u32, v, v) X(u64, TT_U64, uint64_t, uint64_t, u64, v, v)          \
    X(b8, TT_BOOL, uint8_t, uint8_t, b8, v, v)
/* With the unsigned twin, whose sums, products and bit operations give the same bits: only MAX and MIN differ. */
#define SIGNED(X) X(i8, TT_I8, int8_t, u8) X(i16, TT_I16, int16_t, u16) X(i32, TT_I32, int32_t, u32) \
    X(i64, TT_I64, int64_t, u64)

#define LEAST_f32 -INFINITY
#define LEAST_f64 -(double)INFINITY
#define MOST_f32 INFINITY
#define MOST_f64 (double)INFINITY
#define LEAST_i8 INT8_MIN
#define LEAST_i16 INT16_MIN
#define LEAST_i32 INT32_MIN
#define LEAST_i64 INT64_MIN
#define LEAST_u8 0
#define LEAST_u16 0
#define LEAST_u32 0
#define LEAST_u64 0
#define LEAST_b8 0
#define MOST_i8 INT8_MAX
#define MOST_i16 INT16_MAX
#define MOST_i32 INT32_MAX
#define MOST_i64 INT64_MAX
#define MOST_u8 UINT8_MAX
#define MOST_u16 UINT16_MAX
#define MOST_u32 UINT32_MAX
#define MOST_u64 UINT64_MAX
#define MOST_b8 1
#define ALL_b8 1
#define ALL_u8 UINT8_MAX
#define ALL_u16 UINT16_MAX
#define ALL_u32 UINT32_MAX
#define ALL_u64 UINT64_MAX

/* The empty asm statement keeps gcc from merging two taps: the inner loop would then not be vectorised. */
#define BLOCK(width, M, T, s, LOAD, STORE, OP)                                                                         \
    {                                                                                                                  \
        T a[LANES];                                                                                                    \
        for (int j = 0; j < width; j++) a[j] = start;                                                                  \
        for (int64_t t = 0; t < taps; t++) {                                                                           \
            const M *restrict r = p + off[t] + i;                                                                      \
            __asm__ volatile("");                                                                                      \
            for (int j = 0; j < width; j++) {                                                                          \
                const M v = r[j];                                                                                      \
                a[j] = s_##OP##_##s(a[j], LOAD);                                                                       \
            }                                                                                                          \
        }                                                                                                              \
        for (int j = 0; j < width; j++) {                                                                              \
            const T v = a[j];                                                                                          \
            q[i + j] = STORE;                                                                                          \
        }                                                                                                              \
    }
#define ACCUMULATORS(T, s, OP, IDENTITY)                                                                               \
    static void clear_##s##_##OP(void *acc, int64_t n)                                                              \
    {                                                                                                                  \
        T *a = acc;                                                                                                    \
        for (int64_t i = 0; i < n; i++) a[i] = (T)(IDENTITY);                                                          \
    }                                                                                                                  \
    static void pairs_##s##_##OP(void *acc, int64_t n)                                                              \
    {                                                                                                                  \
        T *a = acc;                                                                                                    \
        for (; n > 1; n /= 2)                                                                                          \
            for (int64_t i = 0; i < n / 2; i++) a[i] = s_##OP##_##s(a[2 * i], a[2 * i + 1]);                           \
    }
#define LOOPS(name, dtype, M, T, s, LOAD, STORE, OP, IDENTITY)                                                         \
    static void along_##name##_##OP(void *lanes, const void *x, int64_t step, int64_t n)                               \
    {                                                                                                                  \
        T *l = lanes, a[LANES];                                                                                        \
        const M *p = x;                                                                                                \
        for (int j = 0; j < LANES; j++) a[j] = l[j];                                                                   \
        int64_t i = 0;                                                                                                 \
        if (step == 1)                                                                                                 \
            for (; i + LANES <= n; i += LANES)                                                                         \
                for (int j = 0; j < LANES; j++) {                                                                      \
                    const M v = p[i + j];                                                                              \
                    a[j] = s_##OP##_##s(a[j], LOAD);                                                                   \
                }                                                                                                      \
        for (; i < n; i++) {                                                                                           \
            const M v = p[i * step];                                                                                   \
            a[i % LANES] = s_##OP##_##s(a[i % LANES], LOAD);                                                           \
        }                                                                                                              \
        for (int j = 0; j < LANES; j++) l[j] = a[j];                                                                   \
    }                                                                                                                  \
    static void across_##name##_##OP(void *acc, const void *x, int64_t n)                                              \
    {                                                                                                                  \
        T *restrict a = acc;                                                                                           \
        const M *restrict p = x;                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const M v = p[i];                                                                                          \
            a[i] = s_##OP##_##s(a[i], LOAD);                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void onto_##name##_##OP(void *y, const void *x, int64_t n)                                                  \
    {                                                                                                                  \
        M *restrict q = y;                                                                                             \
        const M *restrict p = x;                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T a, b;                                                                                                    \
            { const M v = q[i]; a = LOAD; }                                                                            \
            { const M v = p[i]; b = LOAD; }                                                                            \
            { const T v = s_##OP##_##s(a, b); q[i] = STORE; }                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void leaves_##name##_##OP(void *acc, const void *x, int64_t m, int64_t n)                                   \
    {                                                                                                                  \
        T *restrict a = acc;                                                                                           \
        const M *restrict p = x;                                                                                       \
        for (int64_t i = 0; i < n; i++) a[i] = (T)(IDENTITY);                                                          \
        for (int64_t j = 0; j < m; j++)                                                                                \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const M v = p[i * m + j];                                                                              \
                a[i] = s_##OP##_##s(a[i], LOAD);                                                                       \
            }                                                                                                          \
    }                                                                                                                  \
    static void finish_##name##_##OP(void *y, int64_t step, const void *acc, const void *init, int64_t n)              \
    {                                                                                                                  \
        M *q = y;                                                                                                      \
        const T *a = acc;                                                                                              \
        T start;                                                                                                       \
        {                                                                                                              \
            const M v = *(const M *)init;                                                                              \
            start = LOAD;                                                                                              \
        }                                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T v = s_##OP##_##s(start, a[i]);                                                                     \
            q[i * step] = STORE;                                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void window_##name##_##OP(void *y, const void *x, const int64_t *off, int64_t taps, const void *init,       \
                                     int64_t n, int64_t places, int64_t ystep, int64_t xstep)                          \
    {                                                                                                                  \
        M *restrict q = y;                                                                                             \
        const M *restrict p = x;                                                                                       \
        T start;                                                                                                       \
        {                                                                                                              \
            const M v = *(const M *)init;                                                                              \
            start = LOAD;                                                                                              \
        }                                                                                                              \
        for (; places > 0; places--, q += ystep, p += xstep) {                                                         \
            int64_t i = 0;                                                                                             \
            for (; i + LANES <= n; i += LANES) BLOCK(LANES, M, T, s, LOAD, STORE, OP)                                  \
            const int64_t rest = n - i;                                                                                \
            if (rest) BLOCK(rest, M, T, s, LOAD, STORE, OP)                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    static void prefix_##name##_##OP(void *y, const void *x, const void *before, int64_t n, int64_t ystep,             \
                                     int64_t xstep, void *total)                                                       \
    {                                                                                                                  \
        M *q = y;                                                                                                      \
        const M *p = x;                                                                                                \
        T a = (T)(IDENTITY), first = (T)(IDENTITY);                                                                    \
        if (before) first = *(const T *)before;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            {                                                                                                          \
                const M v = p[i * xstep];                                                                              \
                a = i ? s_##OP##_##s(a, LOAD) : LOAD;                                                                  \
            }                                                                                                          \
            {                                                                                                          \
                const T v = before ? s_##OP##_##s(first, a) : a;                                                       \
                q[i * ystep] = STORE;                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        if (total) *(T *)total = a;                                                                                    \
    }

#define ORDERS(name, dtype, M, T, s, LOAD, STORE)                  \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, MAX, LEAST_##s)       \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, MIN, MOST_##s)
#define NUMBERS(name, dtype, M, T, s, LOAD, STORE)                 \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, ADD, 0)               \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, MUL, 1)               \
    ORDERS(name, dtype, M, T, s, LOAD, STORE)
#define BITS(name, dtype, M, T, s, LOAD, STORE)                    \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, AND, ALL_##s)         \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, OR, 0)                \
    LOOPS(name, dtype, M, T, s, LOAD, STORE, XOR, 0)
#define ORDERS_ACC(T, s) ACCUMULATORS(T, s, MAX, LEAST_##s) ACCUMULATORS(T, s, MIN, MOST_##s)
#define NUMBERS_ACC(T, s) ACCUMULATORS(T, s, ADD, 0) ACCUMULATORS(T, s, MUL, 1) ORDERS_ACC(T, s)
#define BITS_ACC(name, dtype, M, T, s, LOAD, STORE) \
    NUMBERS_ACC(T, s) ACCUMULATORS(T, s, AND, ALL_##s) ACCUMULATORS(T, s, OR, 0) ACCUMULATORS(T, s, XOR, 0)
#define SIGNED_ORDERS(name, dtype, M, word) ORDERS_ACC(M, name) ORDERS(name, dtype, M, M, name, v, v)
NUMBERS_ACC(float, f32)
NUMBERS_ACC(double, f64)
FLOATS(NUMBERS)
UNSIGNED(BITS_ACC)
UNSIGNED(NUMBERS)
UNSIGNED(BITS)
SIGNED(SIGNED_ORDERS)

/* s: the accumulator's name; `merge` is s's `across` loop. */
#define ENTRY(how, name, T, s, OP, exact)                                                                              \
    [how] = { sizeof(T),                                                                                               \
              exact,                                                                                                   \
              clear_##s##_##OP,                                                                                        \
              along_##name##_##OP,                                                                                     \
              across_##name##_##OP,                                                                                    \
              across_##s##_##OP,                                                                                       \
              onto_##name##_##OP,                                                                                      \
              leaves_##name##_##OP,                                                                                    \
              pairs_##s##_##OP,                                                                                        \
              finish_##name##_##OP,                                                                                    \
              prefix_##name##_##OP, window_##name##_##OP },
#define FLOAT_ROW(name, dtype, M, T, s, LOAD, STORE)                                                                   \
    [dtype] = { ENTRY(MESH_SUM, name, T, s, ADD, false) ENTRY(MESH_PROD, name, T, s, MUL, false)                       \
                    ENTRY(MESH_MAX, name, T, s, MAX, true) ENTRY(MESH_MIN, name, T, s, MIN, true) },
#define INTEGER_ROW(name, dtype, T, word)                                                                              \
    [dtype] = { ENTRY(MESH_SUM, word, T, word, ADD, true) ENTRY(MESH_PROD, word, T, word, MUL, true)                   \
                    ENTRY(MESH_MAX, name, T, name, MAX, true) ENTRY(MESH_MIN, name, T, name, MIN, true)                \
                        ENTRY(MESH_AND, word, T, word, AND, true) ENTRY(MESH_OR, word, T, word, OR, true)              \
                            ENTRY(MESH_XOR, word, T, word, XOR, true) },
#define UNSIGNED_ROW(name, dtype, M, T, s, LOAD, STORE) INTEGER_ROW(name, dtype, T, name)

#define KEEPS(T, name, OP)                                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        const bool stays = tap[i] >= 0 && b[i] OP x[i];                                                                \
        b[i] = stays ? b[i] : x[i];                                                                                    \
        tap[i] = stays ? tap[i] : now;                                                                                 \
    }                                                                                                                  \
    return
#define SELECT(T, name)                                                                                                \
    static void choose_##name(void *best, int32_t *restrict tap, const void *v, int32_t now, op_cmp keep, int64_t n)   \
    {                                                                                                                  \
        T *restrict b = best;                                                                                          \
        const T *restrict x = v;                                                                                       \
        if (keep == OP_CMP_GE) { KEEPS(T, name, >=); }                                                                 \
        if (keep == OP_CMP_GT) { KEEPS(T, name, >); }                                                                  \
        if (keep == OP_CMP_LE) { KEEPS(T, name, <=); }                                                                 \
        KEEPS(T, name, <);                                                                                             \
    }                                                                                                                  \
    static void take_##name(void *y, const int32_t *restrict tap, const void *t, int32_t now, int64_t n)               \
    {                                                                                                                  \
        T *restrict q = y;                                                                                             \
        const T *restrict p = t;                                                                                       \
        for (int64_t i = 0; i < n; i++) q[i] = tap[i] == now ? p[i] : q[i];                                            \
    }                                                                                                                  \
    static void place_##name(void *y, const int32_t *restrict tap, const void *t, int32_t now, int64_t n)              \
    {                                                                                                                  \
        T *restrict q = y;                                                                                             \
        const T *restrict p = t;                                                                                       \
        for (int64_t i = 0; i < n; i++) q[i] = tap[i] == now ? q[i] + p[i] : q[i];                                     \
    }
SELECT(float, f32)
SELECT(double, f64)

const reduce_isa GEN_ISA(reduce_loops) = { { FLOATS(FLOAT_ROW) UNSIGNED(UNSIGNED_ROW) SIGNED(INTEGER_ROW) },
                                       { { choose_f32, take_f32, place_f32 }, { choose_f64, take_f64, place_f64 } } };
