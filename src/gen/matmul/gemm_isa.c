/* gen/matmul/gemm_isa.c - register tiles and packing for one instruction set and four accumulators (f32, f64, u32,
 * u64).
 *
 * The file includes itself once per accumulator T with vectors V of N lanes. A tile keeps rows x vectors accumulators
 * in registers and walks over k: one broadcast per row, one load per vector, rows x vectors fma. Shapes are constants,
 * so that the compiler unrolls all loops. With AVX-512 28 of 32 registers accumulate, otherwise 12 of 16. */
#ifndef T
#include "gemm.h"
#include "../isa/isa.h"
#include "../isa/isa_fma.h"
#include "../isa/isa_loop.h"
#include "../../op/prog/scalar.h"

#include <string.h>

#if defined ISA_avx512
enum { ROWS = 14, K_BLOCK = 384, A_BYTES = 0, B_BYTES = 0 };
#define BYTES 64
/* X(vectors, rows): the tiles that exist */
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

/* clang-format off */
#if defined ISA_avx512 /* loads the first n lanes, zeros after; reads no memory after them */
#define FEW_f32(p, n) (v_f32)_mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), p)
#define FEW_u32(p, n) (v_u32)_mm512_maskz_loadu_epi32((__mmask16)((1u << (n)) - 1), p)
#define FEW_f64(p, n) (v_f64)_mm512_maskz_loadu_pd((__mmask8)((1u << (n)) - 1), p)
#define FEW_u64(p, n) (v_u64)_mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), p)
#define MASKED 1
#endif
/* clang-format on */

/* FROM and TO list X(dtype, C type in memory, expression of v): FROM the dtypes that accumulate in T, TO the dtypes
 * that T is rounded to. QUICK lists X(dtype): dtypes with packing loops of their own. */
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
    .rows = ROWS, .lanes = { BYTES / 4, BYTES / 8, BYTES / 4, BYTES / 8 },
    .tile = { { TILES(TILE_F32) }, { TILES(TILE_F64) }, { TILES(TILE_U32) }, { TILES(TILE_U64) } },
#ifdef KEEPS
    .keep = { { KEEPS(KEEP_F32) }, { KEEPS(KEEP_F64) }, { KEEPS(KEEP_U32) }, { KEEPS(KEEP_U64) } },
#endif
    .from_rows = { from_rows_f32, from_rows_f64, from_rows_u32, from_rows_u64 },
    .from_lanes = { from_lanes_f32, from_lanes_f64, from_lanes_u32, from_lanes_u64 },
    .from_runs = { from_runs_f32, from_runs_f64, from_runs_u32, from_runs_u64 },
    .narrow = { narrow_f32, narrow_f64, narrow_u32, narrow_u64 },
    .eight = { eight_f32, eight_f64, eight_u32, eight_u64 },
    .merge = { merge_f32, merge_f64, merge_u32, merge_u64 }, .inner = { inner_f32, inner_f64, inner_u32, inner_u64 },
    .k_block = K_BLOCK, .a_bytes = A_BYTES, .b_bytes = B_BYTES, .depth = 1
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
            const V one = a[i] - (V){ 0 };               /* broadcast */
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

/* Converts n elements of dtype, `step` apart, to T. */
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

/* ---- the inner product of long vectors (gemm_long.c) ---- */

/* Product i goes to lane i mod 64; lanes are summed as a tree of halves. */
static void NAME(inner)(int64_t k, const void *a, const void *b, void *c)
{
    enum { LANES = 64 };
    const T *p = a, *q = b;
    V acc[LANES / N];
    T lane[LANES];
    UNROLL for (int j = 0; j < LANES / N; j++) acc[j] = (V){ 0 };
    for (; k >= LANES; k -= LANES, p += LANES, q += LANES)
        UNROLL for (int j = 0; j < LANES / N; j++) acc[j] = FMA(NAME(load)(p + j * N), NAME(load)(q + j * N), acc[j]);
    UNROLL for (int j = 0; j < LANES / N; j++) NAME(save)(lane + j * N, acc[j]);
    for (int64_t i = 0; i < k; i++) lane[i] += p[i] * q[i];
    for (int n = LANES / 2; n; n /= 2) for (int j = 0; j < n; j++) lane[j] += lane[j + n];
    memcpy(c, lane, sizeof *lane);
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

#include "gemm_pack.h"

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
