/* gen/gemv_isa.c - the loops of gemv.h for one instruction set.
 *
 * The file includes itself once per kind of the wide operand: W in memory, T in the sum, vectors V of N lanes. A few
 * vectors of the result stay in registers while k rows of w pass; rows are read in runs as long as the result's part.
 * Where k lies side by side instead, blocks are turned around, squares of words at once; 16-bit numbers in pairs. */
#ifndef W
#include "gemv.h"
#include "isa_loop.h"
#include "../op/scalar.h"

#include <string.h>

/* X(rows, vectors): what is kept in registers, 24 of 32 or 12 of 16 at most. */
#if defined ISA_avx512
enum { ROWS = 8, BYTES = 64 };
#define SHAPES(X) X(1, 4) X(2, 4) X(3, 4) X(4, 4) X(5, 4) X(6, 4) X(7, 3) X(8, 3)
#else
#if defined ISA_avx2
enum { ROWS = 6, BYTES = 32 };
#else
enum { ROWS = 6, BYTES = 16 };
#endif
#define SHAPES(X) X(1, 4) X(2, 4) X(3, 3) X(4, 2) X(5, 2) X(6, 2)
#endif
enum { QUARTERS = BYTES / 16 };
/* X(vectors, rows of w): x from memory, a number of w in every lane. */
#define ACROSSES(X) X(1, 8) X(2, 6) X(3, 4) X(4, 3)

typedef float v_f32 __attribute__((vector_size(BYTES)));
typedef double v_f64 __attribute__((vector_size(BYTES)));
typedef uint32_t v_u32 __attribute__((vector_size(BYTES)));
typedef uint64_t v_u64 __attribute__((vector_size(BYTES)));
typedef uint32_t quarter __attribute__((vector_size(16)));

/* a b + c per lane: one rounding where the machine has fma, as gemm_isa.c. */
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
#define FMA_u32(a, b, c) ((a) * (b) + (c))
#define FMA_u64(a, b, c) ((a) * (b) + (c))
/* clang-format on */

/* ---- N of memory as lanes ---- */

#define LOADER(kind, V, C)                                                                                             \
    INLINE V load_##kind(const C *p)                                                                                   \
    {                                                                                                                  \
        V v;                                                                                                           \
        memcpy(&v, p, sizeof v);                                                                                       \
        return v;                                                                                                      \
    }
LOADER(f32, v_f32, float)
LOADER(f64, v_f64, double)
LOADER(u32, v_u32, uint32_t)
LOADER(u64, v_u64, uint64_t)
#undef LOADER

INLINE v_f32 load_bf16(const uint16_t *p)
{
    typedef uint16_t half __attribute__((vector_size(BYTES / 2)));
    half h;
    memcpy(&h, p, sizeof h);
    return (v_f32)(__builtin_convertvector(h, v_u32) << 16);
}

#if defined ISA_avx512
INLINE v_f32 load_f16(const uint16_t *p) { return (v_f32)_mm512_cvtph_ps(_mm256_loadu_si256((const void *)p)); }
#define HAS_F16 1
#elif defined ISA_avx2
INLINE v_f32 load_f16(const uint16_t *p) { return (v_f32)_mm256_cvtph_ps(_mm_loadu_si128((const void *)p)); }
#define HAS_F16 1
#endif

/* ---- turning: w's rows are lanes ---- */

/* clang-format off */
#if defined ISA_avx512
#define LOW(a, b) (v_u32)_mm512_unpacklo_epi32((__m512i)(a), (__m512i)(b))
#define HIGH(a, b) (v_u32)_mm512_unpackhi_epi32((__m512i)(a), (__m512i)(b))
#define LOW2(a, b) (v_u32)_mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define HIGH2(a, b) (v_u32)_mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#elif defined ISA_avx2
#define LOW(a, b) (v_u32)_mm256_unpacklo_epi32((__m256i)(a), (__m256i)(b))
#define HIGH(a, b) (v_u32)_mm256_unpackhi_epi32((__m256i)(a), (__m256i)(b))
#define LOW2(a, b) (v_u32)_mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b))
#define HIGH2(a, b) (v_u32)_mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b))
#else
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW2(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define HIGH2(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif
/* clang-format on */

/* to[i] is word i of LANES rows: SQUARE words, a line of the cache, so that rows that lie a power of two apart push
 * each other out of it only when they are done. */
enum { LANES = 4 * QUARTERS, SQUARE = 16 };
#if defined ISA_avx512
/* clang-format off */
#define PAIR(a, b, how) (v_u32)_mm512_shuffle_i32x4((__m512i)(a), (__m512i)(b), how)
/* clang-format on */
INLINE void turn_words(v_u32 *to, const char *p, int64_t step)
{
    v_u32 r[4][4];                                       /* rows 4g..4g+3: quarter q of r[g][i] is their word 4q + i */
    UNROLL for (int g = 0; g < 4; g++, p += 4 * step) {
        const v_u32 a = load_u32((const void *)p), b = load_u32((const void *)(p + step)),
                    c = load_u32((const void *)(p + 2 * step)), d = load_u32((const void *)(p + 3 * step));
        const v_u32 ab = LOW(a, b), cd = LOW(c, d), ab2 = HIGH(a, b), cd2 = HIGH(c, d);
        r[g][0] = LOW2(ab, cd), r[g][1] = HIGH2(ab, cd), r[g][2] = LOW2(ab2, cd2), r[g][3] = HIGH2(ab2, cd2);
    }
    UNROLL for (int i = 0; i < 4; i++) {
        const v_u32 a = PAIR(r[0][i], r[1][i], 0x44), b = PAIR(r[2][i], r[3][i], 0x44),
                    c = PAIR(r[0][i], r[1][i], 0xee), d = PAIR(r[2][i], r[3][i], 0xee);
        to[i] = PAIR(a, b, 0x88), to[4 + i] = PAIR(a, b, 0xdd), to[8 + i] = PAIR(c, d, 0x88),
        to[12 + i] = PAIR(c, d, 0xdd);
    }
}
#undef PAIR
#else
INLINE quarter piece(const void *p)
{
    quarter q;
    memcpy(&q, p, sizeof q);
    return q;
}

/* 16 bytes of row 0, and of row 4 where there is room: one register. */
INLINE v_u32 pieces(const char *p, int64_t step)
{
#if defined ISA_avx2
    const __m256i v = _mm256_castsi128_si256((__m128i)piece(p));
    return (v_u32)_mm256_inserti128_si256(v, (__m128i)piece(p + 4 * step), 1);
#else
    (void)step;
    return (v_u32)piece(p);
#endif
}

/* Four words of 4 x QUARTERS rows: to[i] is word i of all rows. */
INLINE void turn_four(v_u32 *to, const char *p, int64_t step)
{
    const v_u32 a = pieces(p, step), b = pieces(p + step, step), c = pieces(p + 2 * step, step),
                d = pieces(p + 3 * step, step);
    const v_u32 ab = LOW(a, b), cd = LOW(c, d), ab2 = HIGH(a, b), cd2 = HIGH(c, d);
    to[0] = LOW2(ab, cd), to[1] = HIGH2(ab, cd), to[2] = LOW2(ab2, cd2), to[3] = HIGH2(ab2, cd2);
}

INLINE void turn_words(v_u32 *to, const char *p, int64_t step)
{
    UNROLL for (int i = 0; i < SQUARE; i += 4) turn_four(to + i, p + 4 * i, step);
}
#endif

/* A square of words; the line that comes AHEAD bytes later in each row is asked for. */
enum { AHEAD = 256 };
INLINE void turn_square(v_u32 *to, const char *p, int64_t step)
{
    UNROLL for (int i = 0; i < LANES; i++) __builtin_prefetch(p + i * step + AHEAD, 0, 2);
    turn_words(to, p, step);
}

static void turn_32(void *dst, const void *w, int64_t ldw, int64_t nk)
{
    for (int l = 0; l < GEMV_SIDE; l += LANES)
        for (int64_t k = 0; k < nk; k += SQUARE) {
            v_u32 t[SQUARE];
            turn_square(t, (const char *)w + (l * ldw + k) * 4, ldw * 4);
            UNROLL for (int i = 0; i < SQUARE; i++)
                memcpy((uint32_t *)dst + (k + i) * GEMV_SIDE + l, &t[i], sizeof t[i]);
        }
}

INLINE v_u32 even_bf16(v_u32 x) { return x << 16; }
INLINE v_u32 odd_bf16(v_u32 x) { return x & 0xffff0000u; }
#ifdef HAS_F16
INLINE v_u32 even_f16(v_u32 x)
{
#if defined ISA_avx512
    return (v_u32)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)x));
#else
    const __m256i low = _mm256_and_si256((__m256i)x, _mm256_set1_epi32(0xffff));
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
    return (v_u32)_mm256_cvtph_ps(_mm256_castsi256_si128(both));
#endif
}
INLINE v_u32 odd_f16(v_u32 x) { return even_f16(x >> 16); }
#endif

#define TURN_16(kind)                                                                                                  \
    static void turn_##kind(void *dst, const void *w, int64_t ldw, int64_t nk)                                         \
    {                                                                                                                  \
        for (int l = 0; l < GEMV_SIDE; l += LANES)                                                                     \
            for (int64_t k = 0; k < nk; k += 2 * SQUARE) {                                                             \
                v_u32 t[SQUARE];                                                                                       \
                turn_square(t, (const char *)w + (l * ldw + k) * 2, ldw * 2);                                          \
                UNROLL for (int i = 0; i < SQUARE; i++) {                                                              \
                    uint32_t *const to = (uint32_t *)dst + (k + 2 * i) * GEMV_SIDE + l;                                \
                    const v_u32 even = even_##kind(t[i]), odd = odd_##kind(t[i]);                                      \
                    memcpy(to, &even, sizeof even);                                                                    \
                    memcpy(to + GEMV_SIDE, &odd, sizeof odd);                                                          \
                }                                                                                                      \
            }                                                                                                          \
    }
TURN_16(bf16)
#ifdef HAS_F16
TURN_16(f16)
#endif
#undef TURN_16

/* ---- sums, by kind ---- */

#define SUFFIX f32
#define W float
#define SAME 1
#define T float
#define FMA FMA_f32
#include "gemv_isa.c"
#define SUFFIX bf16
#define W uint16_t
#define SAME 0
#define T float
#define FMA FMA_f32
#include "gemv_isa.c"
#ifdef HAS_F16
#define SUFFIX f16
#define W uint16_t
#define SAME 0
#define T float
#define FMA FMA_f32
#include "gemv_isa.c"
#endif
#define SUFFIX f64
#define W double
#define SAME 1
#define T double
#define FMA FMA_f64
#include "gemv_isa.c"
#define SUFFIX u32
#define W uint32_t
#define SAME 1
#define T uint32_t
#define FMA FMA_u32
#include "gemv_isa.c"
#define SUFFIX u64
#define W uint64_t
#define SAME 1
#define T uint64_t
#define FMA FMA_u64
#include "gemv_isa.c"

#define ADD_F32(rows, vectors) [rows] = add_##rows##_f32,
#define ADD_BF16(rows, vectors) [rows] = add_##rows##_bf16,
#define ADD_F16(rows, vectors) [rows] = add_##rows##_f16,
#define ADD_F64(rows, vectors) [rows] = add_##rows##_f64,
#define ADD_U32(rows, vectors) [rows] = add_##rows##_u32,
#define ADD_U64(rows, vectors) [rows] = add_##rows##_u64,
#define ACROSS_F32(nv, mr) [nv] = across_##nv##_f32,
#define ACROSS_BF16(nv, mr) [nv] = across_##nv##_bf16,
#define ACROSS_F16(nv, mr) [nv] = across_##nv##_f16,
#define ACROSS_F64(nv, mr) [nv] = across_##nv##_f64,
#define ACROSS_U32(nv, mr) [nv] = across_##nv##_u32,
#define ACROSS_U64(nv, mr) [nv] = across_##nv##_u64,
const gemv_isa GEN_ISA(gemv_kernels) = {
    ROWS,
    { [GEMV_F32] = { SHAPES(ADD_F32) }, [GEMV_BF16] = { SHAPES(ADD_BF16) },
#ifdef HAS_F16
      [GEMV_F16] = { SHAPES(ADD_F16) },
#endif
      [GEMV_F64] = { SHAPES(ADD_F64) }, [GEMV_U32] = { SHAPES(ADD_U32) }, [GEMV_U64] = { SHAPES(ADD_U64) } },
    { [GEMV_F32] = turn_32, [GEMV_U32] = turn_32, [GEMV_BF16] = turn_bf16,
#ifdef HAS_F16
      [GEMV_F16] = turn_f16
#endif
    },
    { [GEMV_F32] = { ACROSSES(ACROSS_F32) }, [GEMV_BF16] = { ACROSSES(ACROSS_BF16) },
#ifdef HAS_F16
      [GEMV_F16] = { ACROSSES(ACROSS_F16) },
#endif
      [GEMV_F64] = { ACROSSES(ACROSS_F64) }, [GEMV_U32] = { ACROSSES(ACROSS_U32) },
      [GEMV_U64] = { ACROSSES(ACROSS_U64) } },
};

#else /* ---- one kind ---- */

#define N ((int)(BYTES / sizeof(T)))
#define V NAME(sums)
typedef T V __attribute__((vector_size(BYTES)));

INLINE V NAME(few)(const W *p, int n)                    /* the first n lanes, zeros behind */
{
#if defined ISA_avx512
    const uint32_t m = (1u << n) - 1;
    if (sizeof(W) == 4) return (V)_mm512_maskz_loadu_epi32((__mmask16)m, p);
    if (sizeof(W) == 8) return (V)_mm512_maskz_loadu_epi64((__mmask8)m, p);
#endif
    W part[N];
    memset(part, 0, sizeof part);
    memcpy(part, p, (size_t)n * sizeof *p);
    return (V)NAME(load)(part);
}

INLINE V NAME(sums_at)(const T *y, int n)                /* n 0: a whole vector */
{
    V v = { 0 };
    memcpy(&v, y, n ? (size_t)n * sizeof *y : sizeof v);
    return v;
}

INLINE void NAME(put)(T *y, V v, int n)
{
#if defined ISA_avx512
    if (n && sizeof(T) == 4) _mm512_mask_storeu_epi32(y, (__mmask16)((1u << n) - 1), (__m512i)v);
    else if (n) _mm512_mask_storeu_epi64(y, (__mmask8)((1u << n) - 1), (__m512i)v);
    else memcpy(y, &v, sizeof v);
#else
    memcpy(y, &v, n ? (size_t)n * sizeof *y : sizeof v);
#endif
}

/* Columns [j, j + nv vectors); last > 0: the last vector has that many. packed: rows of x side by side; else w is
 * small, nothing is kept or asked for. */
INLINE void NAME(tile)(const gemv_work *job, const int rows, const int nv, const bool packed, int64_t j, int last,
                       bool asks)
{
    const gemv_work own = *job, *const g = &own;         /* stores to y are none to it */
    const int64_t xi = packed ? 1 : g->xi, xk = g->xk, ldw = g->ldw, ldk = g->ldk, step = g->step;
    const T *x = g->x;
    const W *w = (const W *)g->w + j;
    T *y = (T *)g->y + j, *keep = packed && g->keep ? (T *)g->keep + j : NULL;
    const char *ask = packed && asks ? g->ask + j * g->lane : NULL;
    V acc[GEMV_ROWS][4];
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < nv; v++) {
            acc[i][v] = (V){ 0 };
            if (g->more) acc[i][v] = NAME(sums_at)(y + i * g->ldy + v * N, g->exact ? last : 0);
        }
    for (int64_t k = g->nk; k > 0; k--, w += ldw, x += xk) {
        V row[4];
        if (ask) {
            UNROLL for (int v = 0; v < nv; v++) __builtin_prefetch(ask + v * N * sizeof(W), 0, 2);
            ask += step;
        }
        UNROLL for (int v = 0; v < nv; v++) row[v] = last ? NAME(few)(w, last) : (V)NAME(load)(w + v * N);
        if (keep) {
            UNROLL for (int v = 0; v < nv; v++) memcpy(keep + v * N, &row[v], sizeof row[v]);
            keep += ldk;
        }
        UNROLL for (int i = 0; i < rows; i++) {
            const V one = x[i * xi] - (V){ 0 };          /* in every lane */
            UNROLL for (int v = 0; v < nv; v++) acc[i][v] = (V)FMA(one, row[v], acc[i][v]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < nv; v++) NAME(put)(y + i * g->ldy + v * N, acc[i][v], g->exact ? last : 0);
}

INLINE void NAME(tiles)(const gemv_work *g, const int rows, const int nv, const bool packed)
{
    int64_t j = 0, turn = 0;
    for (; j + nv * N <= g->n; j += nv * N) {
        NAME(tile)(g, rows, nv, packed, j, 0, g->ask && turn == g->turn);
        turn = turn + 1 == g->turns ? 0 : turn + 1;
    }
    if (nv > 2) for (; j + 2 * N <= g->n; j += 2 * N) NAME(tile)(g, rows, 2, packed, j, 0, g->ask && g->turns == 1);
    for (; j + N <= g->n; j += N) NAME(tile)(g, rows, 1, packed, j, 0, g->ask && g->turns == 1);
    if (j < g->n) NAME(tile)(g, rows, 1, packed, j, (int)(g->n - j), false);
}

#define ADD(rows, vectors)                                                                                             \
    static void NAME(add_##rows)(const gemv_work *g)                                                                   \
    {                                                                                                                  \
        if (g->xi == 1) NAME(tiles)(g, rows, vectors, true);                                                           \
        else NAME(tiles)(g, rows, vectors, false);                                                                     \
    }
SHAPES(ADD)
#undef ADD

/* Rows [j, j + mr) of w: what does not lie as it is summed is widened a line at a time. */
INLINE void NAME(lines)(const gemv_work *job, const int nv, const int mr, int64_t j)
{
    enum { LINE = 16 };
    const gemv_work own = *job, *const g = &own;
    const W *w = (const W *)g->w + j * g->ldw;
    const T *x = g->x;
    T *const y = (T *)g->y + j * g->ldy;
    V acc[8][GEMV_ACROSS];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int v = 0; v < nv; v++) {
            acc[i][v] = (V){ 0 };
            if (g->more) acc[i][v] = NAME(sums_at)(y + i * g->ldy + v * N, 0);
        }
    for (int64_t k = 0; k < g->nk; k += LINE, w += LINE) {
        const int now = g->nk - k < LINE ? (int)(g->nk - k) : LINE;
        T part[8][LINE];
        UNROLL for (int i = 0; i < mr; i++)
            __builtin_prefetch(w + i * g->ldw + 2 * AHEAD / (int)sizeof(W), 0, 2);
        UNROLL for (int i = 0; i < mr; i++)
            for (int c = 0; c < now && (!SAME || now < LINE); c += N) {
                const W *const p = w + i * g->ldw + c;
                const V lifted = now - c < N ? NAME(few)(p, now - c) : (V)NAME(load)(p);
                memcpy(part[i] + c, &lifted, sizeof lifted);
            }
        const T *const from = SAME && now == LINE ? (const T *)(const void *)w : part[0];
        const int64_t apart = SAME && now == LINE ? g->ldw : LINE;
        for (int c = 0; c < now; c++, x += g->xk) {
            V row[GEMV_ACROSS];
            UNROLL for (int v = 0; v < nv; v++) row[v] = NAME(sums_at)(x + v * N, 0);
            UNROLL for (int i = 0; i < mr; i++) {
                const V one = from[i * apart + c] - (V){ 0 };
                UNROLL for (int v = 0; v < nv; v++) acc[i][v] = (V)FMA(one, row[v], acc[i][v]);
            }
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int v = 0; v < nv; v++) NAME(put)(y + i * g->ldy + v * N, acc[i][v], 0);
}

#define ACROSS(nv, mr)                                                                                                 \
    static void NAME(across_##nv)(const gemv_work *g)                                                                  \
    {                                                                                                                  \
        int64_t j = 0;                                                                                                 \
        for (; j + mr <= g->n; j += mr) NAME(lines)(g, nv, mr, j);                                                     \
        for (; j < g->n; j++) NAME(lines)(g, nv, 1, j);                                                                \
    }
ACROSSES(ACROSS)
#undef ACROSS

#undef N
#undef V
#undef FMA
#undef SAME
#undef T
#undef W
#undef SUFFIX
#endif
