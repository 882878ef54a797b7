/* gen/gemm_isa.c - register tiles and packing for one instruction set and four accumulators (f32, f64, u32, u64).
 *
 * The file includes itself once per accumulator T with vectors V of N lanes. A tile keeps rows x vectors accumulators
 * in registers and walks k: one broadcast per row, one load per vector, rows x vectors fma. Shapes are constants, so
 * that the compiler unrolls everything. 28 of 32 registers accumulate with AVX-512, 12 of 16 else. */
#ifndef T
#include "gemm.h"
#include "isa.h"
#include "isa_loop.h"
#include "../op/scalar.h"

#include <string.h>

#if defined ISA_avx512
enum { ROWS = 14, K_BLOCK = 384, A_BYTES = 0, B_BYTES = 768 << 10 };
#define BYTES 64
/* X(vectors, rows): the tiles there are */
#define TILES(X)                                                                                                       \
    X(1, 1)                                                                                                            \
    X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(1, 7) X(1, 8) X(1, 9) X(1, 10) X(1, 11) X(1, 12) X(1, 13) X(1, 14)       \
        X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6) X(2, 7) X(2, 8) X(2, 9) X(2, 10) X(2, 11) X(2, 12) X(2, 13)    \
            X(2, 14) X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(3, 5) X(3, 6) X(3, 7) X(3, 8) X(3, 9) X(6, 1) X(6, 2) X(6, 3)   \
                X(6, 4) X(8, 1) X(8, 2) X(8, 3)
#else
#define KEEPS(X) X(3) X(4) X(5) X(6)                     /* rows */
enum { ROWS = 6, K_BLOCK = 256, A_BYTES = 240 << 10, B_BYTES = 4 << 20 };
#if defined ISA_avx2
#define BYTES 32
#else
#define BYTES 16
#endif
#define TILES(X)                                                                                                       \
    X(1, 1)                                                                                                            \
    X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6) X(3, 1) X(3, 2) X(3, 3)    \
        X(3, 4) X(6, 1) X(6, 2) X(8, 1)
#endif

/* a b + c per lane: one rounding where the machine has fma, two where it has none. */
/* clang-format off */
#if defined ISA_avx512
#define FMA_f32(a, b, c) (v_f32)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))
#define FMA_f64(a, b, c) (v_f64)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))
#elif defined ISA_avx2
#define FMA_f32(a, b, c) (v_f32)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))
#define FMA_f64(a, b, c) (v_f64)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))
#elif defined __aarch64__
#define FMA_f32(a, b, c) (v_f32)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b))
#define FMA_f64(a, b, c) (v_f64)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b))
#else
#define FMA_f32(a, b, c) ((a) * (b) + (c))
#define FMA_f64(a, b, c) ((a) * (b) + (c))
#endif
#if defined ISA_avx512 /* the first n lanes, zeros behind; nothing is read behind them */
#define FEW_f32(p, n) (v_f32)_mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), p)
#define FEW_u32(p, n) (v_u32)_mm512_maskz_loadu_epi32((__mmask16)((1u << (n)) - 1), p)
#define FEW_f64(p, n) (v_f64)_mm512_maskz_loadu_pd((__mmask8)((1u << (n)) - 1), p)
#define FEW_u64(p, n) (v_u64)_mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), p)
#define MASKED 1
#endif
/* clang-format on */
#define FMA_u32(a, b, c) ((a) * (b) + (c))
#define FMA_u64(a, b, c) ((a) * (b) + (c))

/* FROM and TO list X(dtype, C type in memory, expression of v): what accumulates in T, and what T is rounded to.
 * QUICK: X(dtype), what is packed by loops of its own. */
#define SUFFIX f32
#define T float
#define SIZE 4
#define NATIVE(d) ((d) == TT_F32)
#define QUICK(X) X(TT_F32) X(TT_BF16) X(TT_F16)
#define FROM(X) X(TT_F32, float, v) X(TT_BF16, uint16_t, s_f32_of_bf16(v)) X(TT_F16, uint16_t, s_f32_of_f16(v))
#define TO(X) X(TT_F32, float, v) X(TT_BF16, uint16_t, s_bf16_of_f32(v)) X(TT_F16, uint16_t, s_f16_of_f32(v))
#include "gemm_isa.c"
#define SUFFIX f64
#define T double
#define SIZE 8
#define NATIVE(d) ((d) == TT_F64)
#define QUICK(X) X(TT_F64)
#define FROM(X) X(TT_F64, double, v) X(TT_F32, float, (double)v) X(TT_BF16, uint16_t, (double)s_f32_of_bf16(v)) \
    X(TT_F16, uint16_t, (double)s_f32_of_f16(v))
#define TO(X) X(TT_F64, double, v) X(TT_F32, float, (float)v) X(TT_BF16, uint16_t, s_bf16_of_f64(v)) \
    X(TT_F16, uint16_t, s_f16_of_f64(v))
#include "gemm_isa.c"
#define INTEGERS(X) X(TT_I8, int8_t, (T)v) X(TT_I16, int16_t, (T)v) X(TT_I32, int32_t, (T)v) X(TT_I64, int64_t, (T)v) \
    X(TT_U8, uint8_t, (T)v) X(TT_U16, uint16_t, (T)v) X(TT_U32, uint32_t, (T)v) X(TT_U64, uint64_t, (T)v)
#define WRAPPED(X) X(TT_I8, uint8_t, (uint8_t)v) X(TT_I16, uint16_t, (uint16_t)v) X(TT_I32, uint32_t, (uint32_t)v) \
    X(TT_I64, uint64_t, (uint64_t)v) X(TT_U8, uint8_t, (uint8_t)v) X(TT_U16, uint16_t, (uint16_t)v)                \
    X(TT_U32, uint32_t, (uint32_t)v) X(TT_U64, uint64_t, (uint64_t)v)
#define SUFFIX u32
#define T uint32_t
#define SIZE 4
#define NATIVE(d) ((d) == TT_I32 || (d) == TT_U32)
#define QUICK(X) X(TT_I32) X(TT_I8) X(TT_U8)
#define FROM INTEGERS
#define TO WRAPPED
#include "gemm_isa.c"
#define SUFFIX u64
#define T uint64_t
#define SIZE 8
#define NATIVE(d) ((d) == TT_I64 || (d) == TT_U64)
#define QUICK(X) X(TT_I64)
#define FROM INTEGERS
#define TO WRAPPED
#include "gemm_isa.c"

#define TILE_F32(nv, mr) [nv][mr] = tile_##nv##_##mr##_f32,
#define TILE_F64(nv, mr) [nv][mr] = tile_##nv##_##mr##_f64,
#define TILE_U32(nv, mr) [nv][mr] = tile_##nv##_##mr##_u32,
#define TILE_U64(nv, mr) [nv][mr] = tile_##nv##_##mr##_u64,
#define KEEP_F32(mr) [mr] = keep_##mr##_f32,
#define KEEP_F64(mr) [mr] = keep_##mr##_f64,
#define KEEP_U32(mr) [mr] = keep_##mr##_u32,
#define KEEP_U64(mr) [mr] = keep_##mr##_u64,
const gemm_isa GEN_ISA(gemm_kernels) = {
    ROWS, { BYTES / 4, BYTES / 8, BYTES / 4, BYTES / 8 },
    { { TILES(TILE_F32) }, { TILES(TILE_F64) }, { TILES(TILE_U32) }, { TILES(TILE_U64) } },
#ifdef KEEPS
    { { KEEPS(KEEP_F32) }, { KEEPS(KEEP_F64) }, { KEEPS(KEEP_U32) }, { KEEPS(KEEP_U64) } },
#else
    { { NULL } },
#endif
    { from_rows_f32, from_rows_f64, from_rows_u32, from_rows_u64 },
    { from_lanes_f32, from_lanes_f64, from_lanes_u32, from_lanes_u64 },
    { from_runs_f32, from_runs_f64, from_runs_u32, from_runs_u64 },
    { narrow_f32, narrow_f64, narrow_u32, narrow_u64 },
    { eight_f32, eight_f64, eight_u32, eight_u64 },
    { merge_f32, merge_f64, merge_u32, merge_u64 }, K_BLOCK, A_BYTES, B_BYTES
};

#else /* ---- one accumulator ---- */

#define N (BYTES / SIZE)
#define V NAME(v)
#define FMA NAME(FMA)
typedef T V __attribute__((vector_size(BYTES)));
typedef T NAME(loose) __attribute__((vector_size(BYTES), aligned(1), may_alias));

INLINE V NAME(load)(const T *p) { return (V)*(const NAME(loose) *)p; }
INLINE void NAME(save)(T *p, V v) { *(NAME(loose) *)p = (NAME(loose))v; }

INLINE void NAME(tile)(const int nv, const int mr, int64_t k, const T *a, const T *b, int64_t ldb, T *c, int64_t ldc,
                       bool more)
{
    V acc[ROWS][GEMM_WIDE];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < nv; j++) acc[i][j] = more ? NAME(load)(c + i * ldc + j * N) : (V){ 0 };
    for (; k > 0; k--, a += mr, b += ldb) {
        V row[GEMM_WIDE];
        UNROLL for (int j = 0; j < nv; j++) row[j] = NAME(load)(b + j * N);
        UNROLL for (int j = 0; j < nv; j++) __builtin_prefetch(b + 8 * ldb + j * N);
        UNROLL for (int i = 0; i < mr; i++) {
            const V one = a[i] - (V){ 0 };         /* in every lane */
            UNROLL for (int j = 0; j < nv; j++) acc[i][j] = FMA(one, row[j], acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < nv; j++) NAME(save)(c + i * ldc + j * N, acc[i][j]);
}

#define TILE(nv, mr)                                                                                                   \
    static void NAME(tile_##nv##_##mr)(int64_t k, const void *a, const void *b, int64_t ldb, void *c, int64_t ldc,     \
                                       bool more)                                                                      \
    {                                                                                                                  \
        NAME(tile)(nv, mr, k, a, b, ldb, c, ldc, more);                                                                \
    }
TILES(TILE)
#undef TILE

/* n elements of dtype, `step` apart, as T. */
INLINE void NAME(widen)(T *dst, tt_dtype dtype, const void *src, int64_t step, int64_t n)
{
#define CASE(d, C, expression)                                                                                         \
    case d: {                                                                                                          \
        const C *p = src;                                                                                              \
        if (step == 1)                                                                                                 \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const C v = p[i];                                                                                      \
                dst[i] = expression;                                                                                   \
            }                                                                                                          \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const C v = p[i * step];                                                                               \
                dst[i] = expression;                                                                                   \
            }                                                                                                          \
        return;                                                                                                        \
    }
    switch ((int)dtype) { FROM(CASE) }
#undef CASE
}

/* ---- sums as trees (gemm_tree.c) ---- */

static void NAME(merge)(void *c, const void *d, int64_t n)
{
    T *restrict x = c;
    const T *restrict y = d;
    for (int64_t i = 0; i < n; i++) x[i] += y[i];
}

static void NAME(eight)(const void *a, int rows, const void *b, int64_t ldb, void *c, int width)
{
    const T *p = a, *q = b;
    T *to = c;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j += N) {
            V x[GEMM_EIGHT];
            UNROLL for (int k = 0; k < GEMM_EIGHT; k++)
                x[k] = (p[k * rows + i] - (V){ 0 }) * NAME(load)(q + k * ldb + j);
            const V left = (x[0] + x[1]) + (x[2] + x[3]), right = (x[4] + x[5]) + (x[6] + x[7]);
            NAME(save)(to + i * width + j, left + right + (V){ 0 });      /* -0 is 0, as in a chain from 0 */
        }
}

static void NAME(narrow)(void *dst, tt_dtype dtype, int64_t step, const void *src, int64_t n)
{
    const T *p = src;
#define CASE(d, C, expression)                                                                                         \
    case d: {                                                                                                          \
        C *q = dst;                                                                                                    \
        if (step == 1)                                                                                                 \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T v = p[i];                                                                                      \
                q[i] = expression;                                                                                     \
            }                                                                                                          \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                const T v = p[i];                                                                                      \
                q[i * step] = expression;                                                                              \
            }                                                                                                          \
        return;                                                                                                        \
    }
    switch ((int)dtype) { TO(CASE) }
#undef CASE
}

/* N rows of N lanes change places: log2 N rounds of a perfect shuffle. */
INLINE void NAME(turn)(V *r)
{
    V s[N];
    UNROLL for (int round = 1; round < N; round *= 2) {
        UNROLL for (int i = 0; i < N / 2; i++) {
#if N == 16
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            s[2 * i + 1] =
                __builtin_shufflevector(r[i], r[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif N == 8
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
#elif N == 4
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 2], 0, 4, 1, 5);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 2], 2, 6, 3, 7);
#else
            s[2 * i] = __builtin_shufflevector(r[i], r[i + 1], 0, 2);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 3);
#endif
        }
        UNROLL for (int i = 0; i < N; i++) r[i] = s[i];
    }
}

#if defined ISA_avx2
#define HALF(p, q) _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)(p))),                \
                                           _mm_loadu_si128((const void *)(q)), 1)
/* Four words of 8 rows: to[i] is word i of all rows. Halves are loaded where they belong. */
INLINE void NAME(four)(__m256i *to, const char *const *p, int64_t at)
{
    const __m256i a = HALF(p[0] + at, p[4] + at), b = HALF(p[1] + at, p[5] + at), c = HALF(p[2] + at, p[6] + at),
                  d = HALF(p[3] + at, p[7] + at);
    const __m256i ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d), ab2 = _mm256_unpackhi_epi32(a, b),
                  cd2 = _mm256_unpackhi_epi32(c, d);
    to[0] = _mm256_unpacklo_epi64(ab, cd), to[1] = _mm256_unpackhi_epi64(ab, cd);
    to[2] = _mm256_unpacklo_epi64(ab2, cd2), to[3] = _mm256_unpackhi_epi64(ab2, cd2);
}
#undef HALF

/* 8 rows of 4 bytes an element, or 2 (bf16, a pair a word): q[i][row], `width` apart. The 8 rows that may come next
 * are asked for. How many of n were done. */
INLINE int64_t NAME(quick_rows)(T *q, int width, const tt_dtype d, const char *const *p, int64_t n)
{
    int64_t i = 0;
    if (NATIVE(d)) {
        for (; i + 4 <= n; i += 4) {
            __m256i to[4];
            if (i % 16 == 0) UNROLL for (int l = 0; l < 8; l++) __builtin_prefetch(p[l] + i * 4 + 8 * (p[1] - p[0]));
            NAME(four)(to, p, i * 4);
            UNROLL for (int j = 0; j < 4; j++) _mm256_storeu_si256((void *)(q + (i + j) * width), to[j]);
        }
    } else {
        for (; i + 8 <= n; i += 8) {
            __m256i to[4];
            if (i % 32 == 0) UNROLL for (int l = 0; l < 8; l++) __builtin_prefetch(p[l] + i * 2 + 8 * (p[1] - p[0]));
            NAME(four)(to, p, i * 2);
            UNROLL for (int j = 0; j < 4; j++) {
                const __m256i odd = _mm256_and_si256(to[j], _mm256_set1_epi32((int)0xffff0000));
                _mm256_storeu_si256((void *)(q + (i + 2 * j) * width), _mm256_slli_epi32(to[j], 16));
                _mm256_storeu_si256((void *)(q + (i + 2 * j + 1) * width), odd);
            }
        }
    }
    return i;
}
#endif

/* N elements of dtype side by side. */
INLINE V NAME(lift)(const tt_dtype d, const void *p)
{
    T part[N] = { 0 };
    if (NATIVE(d)) return NAME(load)(p);
    NAME(widen)(part, d, p, 1, N);
    return NAME(load)(part);
}

#ifdef KEEPS
enum { NAME(SOON) = 32 };                                /* rows: before they are needed; another panel's, later */

INLINE void NAME(keep)(const int mr, const tt_dtype d, int64_t k, const T *a, const char *b, int64_t ldb, T *to, T *c,
                       int64_t ldc, bool more)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    V acc[ROWS][2];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < 2; j++) acc[i][j] = more ? NAME(load)(c + i * ldc + j * N) : (V){ 0 };
    for (; k > 0; k--, a += mr, b += ldb * size, to += 2 * N) {
        const V row[2] = { NAME(lift)(d, b), NAME(lift)(d, b + N * size) };
        __builtin_prefetch(b + NAME(SOON) * ldb * size);
        __builtin_prefetch(b + 2 * N * size, 0, 2);
        NAME(save)(to, row[0]), NAME(save)(to + N, row[1]);
        UNROLL for (int i = 0; i < mr; i++) {
            const V one = a[i] - (V){ 0 };
            UNROLL for (int j = 0; j < 2; j++) acc[i][j] = FMA(one, row[j], acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < 2; j++) NAME(save)(c + i * ldc + j * N, acc[i][j]);
}

#define CASE(d)                                                                                                        \
    if (dtype == (d) || (NATIVE(d) && NATIVE(dtype))) {                                                                \
        NAME(keep)(mr, d, k, a, b, ldb, to, c, ldc, more);                                                             \
        return;                                                                                                        \
    }
#define KEEP(rows)                                                                                                     \
    static void NAME(keep_##rows)(int64_t k, const void *a, tt_dtype dtype, const void *b, int64_t ldb, void *to,      \
                                  void *c, int64_t ldc, bool more)                                                     \
    {                                                                                                                  \
        enum { mr = rows };                                                                                            \
        QUICK(CASE)                                                                                                    \
        NAME(keep)(mr, dtype, k, a, b, ldb, to, c, ldc, more);                                                         \
    }
KEEPS(KEEP)
#undef KEEP
#undef CASE
#endif

/* At most N rows: q[i][l], `width` apart. What runs over is written again by the next row, or slack. */
INLINE void NAME(rows_of)(T *q, int width, int lanes, bool over, const tt_dtype d, const void *const *row, int64_t step,
                          int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    int64_t i = 0;
#if defined ISA_avx2
    if (SIZE == 4 && step == 1 && over && (NATIVE(d) || d == TT_BF16)) {
        const char *p[8];
        bool all = true;
        for (int l = 0; l < 8; l++) p[l] = row[l < lanes ? l : 0], all &= p[l] != NULL;
        if (all) i = NAME(quick_rows)(q, width, d, p, n);
    }
#endif
    for (; i < n; i += N) {
        const int now = n - i < N ? (int)(n - i) : N;
        T part[N];
        V r[N];
        for (int l = 0; l < N; l++) {
            const char *p = l < lanes ? row[l] : NULL;
            if (!p) r[l] = (V){ 0 };
            else if (step == 1 && now == N) r[l] = NAME(lift)(d, p + i * size);
#ifdef MASKED
            else if (NATIVE(d) && step == 1) r[l] = NAME(FEW)((const T *)(const void *)p + i, now);
#endif
            else {
                memset(part, 0, sizeof part);
                NAME(widen)(part, d, p + i * step * size, step, now);
                r[l] = NAME(load)(part);
            }
        }
        NAME(turn)(r);
        if (over) for (int j = 0; j < now; j++) NAME(save)(q + (i + j) * width, r[j]);
        else for (int j = 0; j < now; j++) memcpy(q + (i + j) * width, &r[j], (size_t)lanes * sizeof(T));
    }
}

static void NAME(from_rows)(void *dst, int width, tt_dtype dtype, const void *const *row, int64_t step, int64_t n)
{
    for (int at = 0; at < width; at += N) {
        const int lanes = width - at < N ? width - at : N;
        const bool over = width <= N || lanes == N;
        T *const q = (T *)dst + at;
#define CASE(d)                                                                                                        \
    if (dtype == (d) || (NATIVE(d) && NATIVE(dtype))) {                                                                \
        NAME(rows_of)(q, width, lanes, over, d, row + at, step, n);                                                    \
        continue;                                                                                                      \
    }
        QUICK(CASE)
#undef CASE
        NAME(rows_of)(q, width, lanes, over, dtype, row + at, step, n);
    }
}

/* Lanes side by side. Before the last row all that is read over the lanes' end lies in the operand, too. */
INLINE void NAME(lanes_of)(T *q, int width, const tt_dtype d, const char *p, int64_t step, int lanes, int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    int64_t i = 0;
    if (width == 2 * N && lanes == width)
        for (; i < n; i++, q += width, p += step * size) {
            const V one = NAME(lift)(d, p), two = NAME(lift)(d, p + N * size);
            NAME(save)(q, one), NAME(save)(q + N, two);
        }
    if (width < N && lanes == width && step >= N)
        for (; i + 1 < n; i++, q += width, p += step * size) NAME(save)(q, NAME(lift)(d, p));
    for (; i < n; i++, q += width, p += step * size) {
        int j = 0;
        for (; j + N <= lanes; j += N) NAME(save)(q + j, NAME(lift)(d, p + j * size));
        if (j < lanes && i + 1 < n && step >= N) NAME(save)(q + j, NAME(lift)(d, p + j * size)), j = lanes;
#ifdef MASKED
        if (NATIVE(d) && j < lanes)                      /* runs over */
            NAME(save)(q + j, NAME(FEW)((const T *)(const void *)p + j, lanes - j)), j = lanes;
#endif
        if (j < lanes) NAME(widen)(q + j, d, p + j * size, 1, lanes - j);
        for (j = lanes; j < width; j++) q[j] = 0;
    }
}

enum { NAME(EARLY) = 8 };                                /* rows that are asked for before their turn */

INLINE void NAME(runs_of)(T *dst, int width, int64_t next, const tt_dtype d, const char *src, int64_t step,
                          int64_t blocks, int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(d)->bytes;
    for (int64_t i = 0; i < n; i++, dst += width, src += step * size) {
        const char *p = src;
        T *q = dst;
        for (int64_t b = 0; b < blocks; b++, p += width * size, q = (T *)(void *)((char *)q + next)) {
            int j = 0;
            __builtin_prefetch(p + NAME(EARLY) * step * size);
            for (; j + N <= width; j += N) NAME(save)(q + j, NAME(lift)(d, p + j * size));
            if (j == width) continue;
            if (b + 1 < blocks || (i + 1 < n && step >= N)) NAME(save)(q + j, NAME(lift)(d, p + j * size));
            else NAME(widen)(q + j, d, p + j * size, 1, width - j);
        }
    }
}

static void NAME(from_runs)(void *dst, int width, int64_t next, tt_dtype dtype, const void *src, int64_t step,
                            int64_t lanes, int64_t n)
{
#define CASE(d)                                                                                                        \
    if (dtype == (d) || (NATIVE(d) && NATIVE(dtype))) {                                                                \
        if (width == 2 * N) NAME(runs_of)(dst, 2 * N, next, d, src, step, lanes / width, n);                           \
        else NAME(runs_of)(dst, width, next, d, src, step, lanes / width, n);                                          \
        return;                                                                                                        \
    }
    QUICK(CASE)
#undef CASE
    NAME(runs_of)(dst, width, next, dtype, src, step, lanes / width, n);
}

static void NAME(from_lanes)(void *dst, int width, tt_dtype dtype, const void *src, int64_t step, int64_t lane,
                             int lanes, int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(dtype)->bytes;
    const char *p = src;
    T *q = dst;
#define CASE(d)                                                                                                        \
    if (lane == 1 && (dtype == (d) || (NATIVE(d) && NATIVE(dtype)))) {                                                 \
        NAME(lanes_of)(q, width, d, p, step, lanes, n);                                                                \
        return;                                                                                                        \
    }
    QUICK(CASE)
#undef CASE
    for (int64_t i = 0; i < n; i++, q += width, p += step * size) {
        NAME(widen)(q, dtype, p, lane, lanes);
        for (int j = lanes; j < width; j++) q[j] = 0;
    }
}

#undef N
#undef V
#undef FMA
#undef T
#undef SIZE
#undef NATIVE
#undef QUICK
#undef SUFFIX
#undef FROM
#undef TO
#endif
