/* gen/matmul/scaled_isa.c - the loops of scaled.h for one instruction set.
 *
 * Codes are widened in registers: with AVX-512 four bits by one permutation of the sixteen weights that a block can
 * have. Lines of w are prefetched some KiB ahead, since a row is too short for the processor to see where it leads. */
#include "scaled.h"
#include "../isa/isa_fma.h"
#include "../isa/isa_loop.h"
#include "../isa/isa_pointer.h"
#include "../../op/prog/scalar.h"

#include <string.h>

#if defined ISA_avx512
enum { BYTES = 64, ROWS = 6 };
/* X(rows of x, rows of w) that pass at once: sums in registers, at most 24 of 32 or 8 of 16 */
#define SHAPES(X) X(1, 4) X(2, 4) X(3, 4) X(4, 3) X(5, 2) X(6, 2)
#define SINGLES(X) X(1, 1) X(2, 1) X(3, 1) X(4, 1) X(5, 1) X(6, 1)
#elif defined ISA_avx2
enum { BYTES = 32, ROWS = 2 };
#define SHAPES(X) X(1, 2) X(2, 1)
#define SINGLES(X) X(1, 1)
#else
enum { BYTES = 16, ROWS = 1 };
#define SHAPES(X) X(1, 1)
#define SINGLES(X)
#endif

typedef float v_f32 __attribute__((vector_size(BYTES)));
/* LANES of a vector; PARTS: vectors of a block; HEAD: bytes of a scale in a block. */
enum { LANES = BYTES / 4, PARTS = SCALED_BLOCK / LANES, I8_BYTES = 32, U4_BYTES = 16, HEAD = 2 };

INLINE v_f32 scaled_load(const float *p)
{
    v_f32 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- the weights of a block: codes times s ---- */

INLINE void block_i8(const uint8_t *w, float s, v_f32 to[PARTS])
{
    const v_f32 scale = s - (v_f32){ 0 };
#if defined ISA_avx512
    UNROLL for (int i = 0; i < PARTS; i++)
        to[i] = scale * (v_f32)_mm512_cvtepi32_ps(
            _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(w + i * LANES))));
#elif defined ISA_avx2
    UNROLL for (int i = 0; i < PARTS; i++)
        to[i] = scale * (v_f32)_mm256_cvtepi32_ps(
            _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(w + i * LANES))));
#else
    float code[SCALED_BLOCK];
    for (int i = 0; i < SCALED_BLOCK; i++) code[i] = (float)(int8_t)w[i];
    UNROLL for (int i = 0; i < PARTS; i++) to[i] = scale * scaled_load(code + i * LANES);
#endif
}

INLINE void block_u4(const uint8_t *w, float s, v_f32 to[PARTS])
{
    const v_f32 scale = s - (v_f32){ 0 };
#if defined ISA_avx512
    static const v_f32 codes = { -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7 };
    const __m512 weights = (__m512)(scale * codes);      /* an index's high bits are ignored */
    const __m512i low = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)w));
    to[0] = (v_f32)_mm512_permutexvar_ps(low, weights);
    to[1] = (v_f32)_mm512_permutexvar_ps(_mm512_srli_epi32(low, 4), weights);
#elif defined ISA_avx2
    const __m128i both = _mm_loadu_si128((const void *)w), mask = _mm_set1_epi8(15), eight = _mm_set1_epi8(8);
    const __m128i half[2] = { _mm_sub_epi8(_mm_and_si128(both, mask), eight),
                              _mm_sub_epi8(_mm_and_si128(_mm_srli_epi16(both, 4), mask), eight) };
    UNROLL for (int i = 0; i < 2; i++) {
        to[2 * i] = scale * (v_f32)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(half[i]));
        to[2 * i + 1] = scale * (v_f32)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(half[i], 8)));
    }
#else
    float code[SCALED_BLOCK];
    for (int i = 0; i < SCALED_BLOCK / 2; i++) {
        code[i] = (float)((w[i] & 15) - 8);
        code[i + SCALED_BLOCK / 2] = (float)((w[i] >> 4) - 8);
    }
    UNROLL for (int i = 0; i < PARTS; i++) to[i] = scale * scaled_load(code + i * LANES);
#endif
}

/* The scale at the head of a block of a GGUF file; with the next bytes of the block it is one operand in memory. */
INLINE float head(const uint8_t *w)
{
#if defined ISA_avx512 || defined ISA_avx2
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_loadl_epi64((const void *)w)));
#else
    uint16_t half;
    return memcpy(&half, w, sizeof half), s_f32_of_f16(half);
#endif
}

/* Such blocks, of scale s. */
INLINE void block_q8_0(const uint8_t *w, float s, v_f32 to[PARTS]) { block_i8(w + HEAD, s, to); }
INLINE void block_q4_0(const uint8_t *w, float s, v_f32 to[PARTS]) { block_u4(w + HEAD, s, to); }

/* ---- sums ---- */

/* The 32 numbers, i and i + 16 first, then i and i + 8, and so on. */
INLINE float added(const v_f32 sum[PARTS])
{
#if defined ISA_avx512 || defined ISA_avx2
#if defined ISA_avx512
    const __m512 all = (__m512)(sum[0] + sum[1]);
    const __m256 eight = _mm512_castps512_ps256(all) + _mm512_extractf32x8_ps(all, 1);
#else
    const __m256 eight = (__m256)((sum[0] + sum[2]) + (sum[1] + sum[3]));
#endif
    const __m128 four = _mm256_castps256_ps128(eight) + _mm256_extractf128_ps(eight, 1);
    const __m128 two = four + _mm_movehl_ps(four, four);
    return two[0] + two[1];
#else
    float x[SCALED_BLOCK];
    memcpy(x, sum, sizeof x);
    for (int n = SCALED_BLOCK / 2; n; n /= 2) for (int i = 0; i < n; i++) x[i] += x[i + n];
    return x[0];
#endif
}

/* Lines are prefetched EARLY bytes, or some more, before rows reach them, at the same place of later rows. rows: bytes
 * of the rows that pass at once; 0 if all are the same row. */
enum { EARLY = 12 << 10 };
INLINE int64_t early(int64_t rows) { return rows > 0 ? (EARLY + rows - 1) / rows * rows : 0; }

#define SUMS(kind)                                                                                                     \
    INLINE void sums_##kind(const int rows, const int n, const scaled_work *t, int i0, int j0)                         \
    {                                                                                                                  \
        v_f32 sum[SCALED_ROWS][4][PARTS];                                                                              \
        const int64_t ldw = t->ldw, ldx = t->ldx, lds = t->lds, whole = t->blocks * SIZE_##kind;                       \
        const uint8_t *w = t->w + j0 * ldw;                                                                            \
        const float *x = t->x + i0 * ldx, *scale = t->scale + j0 * lds;                                                \
        const int64_t ahead = early(n * ldw);                                                                          \
        UNROLL for (int i = 0; i < rows; i++)                                                                          \
            UNROLL for (int j = 0; j < n; j++) UNROLL for (int p = 0; p < PARTS; p++) sum[i][j][p] = (v_f32){ 0 };     \
        for (int64_t at = 0; at < whole; at += SIZE_##kind, w += SIZE_##kind, x += SCALED_BLOCK, scale++) {            \
            KEEP_POINTER(w);                                                                                           \
            KEEP_POINTER(x);                                                                                           \
            KEEP_POINTER(scale);                                                                                       \
            if (!(at & EVERY_##kind))                                                                                  \
                UNROLL for (int j = 0; j < n; j++) __builtin_prefetch(w + j * ldw + ahead);                            \
            UNROLL for (int j = 0; j < n; j++) {                                                                       \
                v_f32 weight[PARTS];                                                                                   \
                const uint8_t *const block = w + j * ldw;                                                              \
                block_##kind(block, HEAD_##kind ? head(block) : scale[j * lds], weight);                               \
                UNROLL for (int i = 0; i < rows; i++)                                                                  \
                    UNROLL for (int p = 0; p < PARTS; p++)                                                             \
                        sum[i][j][p] = FMA_f32(weight[p], scaled_load(x + i * ldx + p * LANES), sum[i][j][p]);         \
            }                                                                                                          \
        }                                                                                                              \
        UNROLL for (int i = 0; i < rows; i++)                                                                          \
            UNROLL for (int j = 0; j < n; j++) t->y[(i0 + i) * t->ldy + j0 + j] = added(sum[i][j]);                    \
    }
/* Of `at` the bits that are 0 where a line begins; blocks lie across lines: a prefetch for each, or for two. */
enum { EVERY_i8 = BASE_CACHE_LINE - 1, EVERY_u4 = BASE_CACHE_LINE - 1, EVERY_q8_0 = 0, EVERY_q4_0 = 2 };
enum { HEAD_i8 = 0, HEAD_u4 = 0, HEAD_q8_0 = HEAD, HEAD_q4_0 = HEAD };
enum { SIZE_i8 = I8_BYTES, SIZE_u4 = U4_BYTES, SIZE_q8_0 = HEAD + I8_BYTES, SIZE_q4_0 = HEAD + U4_BYTES };
SUMS(i8)
SUMS(u4)
SUMS(q8_0)
SUMS(q4_0)

#define SEVERAL(r, m) [r] = m,
static const int several[ROWS + 1] = { SHAPES(SEVERAL) };

#define CASE_I8(r, m) case 16 * r + m: sums_i8(r, m, t, i, j); break;
#define CASE_U4(r, m) case 16 * r + m: sums_u4(r, m, t, i, j); break;
#define CASE_Q8_0(r, m) case 16 * r + m: sums_q8_0(r, m, t, i, j); break;
#define CASE_Q4_0(r, m) case 16 * r + m: sums_q4_0(r, m, t, i, j); break;
#define FEW(kind, CASE)                                                                                                \
    static void few_##kind(const scaled_work *t)                                                                       \
    {                                                                                                                  \
        const int groups = (t->rows + ROWS - 1) / ROWS;                                                                \
        for (int g = 0; g < groups; g++) {                                                                             \
            const int i = t->rows * g / groups, rows = t->rows * (g + 1) / groups - i;                                 \
            for (int j = 0, n = 0; j < t->n; j += n) {                                                                 \
                n = t->n - j < several[rows] ? 1 : several[rows];                                                      \
                switch (16 * rows + n) { SHAPES(CASE) SINGLES(CASE) }                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }
FEW(i8, CASE_I8)
FEW(u4, CASE_U4)
FEW(q8_0, CASE_Q8_0)
FEW(q4_0, CASE_Q4_0)

/* ---- widening ---- */

#define WIDEN(kind)                                                                                                    \
    static void widen_##kind(float *to, const uint8_t *codes, const float *scale, int64_t blocks)                      \
    {                                                                                                                  \
        for (int64_t b = 0; b < blocks; b++, codes += SIZE_##kind, to += SCALED_BLOCK) {                               \
            v_f32 weight[PARTS];                                                                                       \
            block_##kind(codes, HEAD_##kind ? head(codes) : scale[b], weight);                                         \
            memcpy(to, weight, sizeof weight);                                                                         \
        }                                                                                                              \
    }
WIDEN(i8)
WIDEN(u4)
WIDEN(q8_0)
WIDEN(q4_0)

/* ---- scales ---- */

/* Prefetches as many that follow, which are those of the next rows. */
static void halves(float *to, const uint16_t *from, int64_t n)
{
    enum { LINE = BASE_CACHE_LINE / sizeof *from };
    int64_t i = 0;
    for (int64_t at = n; at < 2 * n; at += LINE) __builtin_prefetch(from + at);
#if defined ISA_avx512
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from + i))));
#elif defined ISA_avx2
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#endif
    for (; i < n; i++) to[i] = s_f32_of_f16(from[i]);
}

const scaled_isa GEN_ISA(scaled_kernels) = { ROWS, { few_i8, few_u4, few_q8_0, few_q4_0 },
                                             { widen_i8, widen_u4, widen_q8_0, widen_q4_0 }, halves };
