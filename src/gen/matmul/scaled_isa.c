/* gen/matmul/scaled_isa.c - the loops of scaled.h for one instruction set.
 *
 * Codes are widened in registers: with AVX-512 four bits by one permutation of the sixteen weights that a block can
 * have. Lines of w are prefetched as many rows ahead as pass at once, since a row is too short for the processor to
 * see where it leads. */
#include "scaled.h"
#include "../isa/isa_fma.h"
#include "../isa/isa_loop.h"

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
/* LANES of a vector; PARTS: vectors of a block. */
enum { LANES = BYTES / 4, PARTS = SCALED_BLOCK / LANES, I8_BYTES = 32, U4_BYTES = 16 };

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

/* ---- sums ---- */

/* The 32 numbers, i and i + 16 first, then i and i + 8, and so on. */
INLINE float added(const v_f32 sum[PARTS])
{
    float x[SCALED_BLOCK];
    memcpy(x, sum, sizeof x);
    for (int n = SCALED_BLOCK / 2; n; n /= 2) for (int i = 0; i < n; i++) x[i] += x[i + n];
    return x[0];
}

#define SUMS(kind)                                                                                                     \
    INLINE void sums_##kind(const int rows, const int n, const scaled_work *t, int i0, int j0)                         \
    {                                                                                                                  \
        v_f32 sum[SCALED_ROWS][4][PARTS];                                                                              \
        const uint8_t *const w = t->w + j0 * t->ldw;                                                                   \
        const float *const x = t->x + i0 * t->ldx, *const scale = t->scale + j0 * t->lds;                              \
        UNROLL for (int i = 0; i < rows; i++)                                                                          \
            UNROLL for (int j = 0; j < n; j++) UNROLL for (int p = 0; p < PARTS; p++) sum[i][j][p] = (v_f32){ 0 };     \
        for (int64_t b = 0; b < t->blocks; b++)                                                                        \
            UNROLL for (int j = 0; j < n; j++) {                                                                       \
                v_f32 weight[PARTS];                                                                                   \
                __builtin_prefetch(w + (j + n) * t->ldw + b * SIZE_##kind);                                            \
                block_##kind(w + j * t->ldw + b * SIZE_##kind, scale[j * t->lds + b], weight);                         \
                UNROLL for (int i = 0; i < rows; i++)                                                                  \
                    UNROLL for (int p = 0; p < PARTS; p++)                                                             \
                        sum[i][j][p] = FMA_f32(weight[p],                                                              \
                                               scaled_load(x + i * t->ldx + b * SCALED_BLOCK + p * LANES),             \
                                               sum[i][j][p]);                                                          \
            }                                                                                                          \
        UNROLL for (int i = 0; i < rows; i++)                                                                          \
            UNROLL for (int j = 0; j < n; j++) t->y[(i0 + i) * t->ldy + j0 + j] = added(sum[i][j]);                    \
    }
enum { SIZE_i8 = I8_BYTES, SIZE_u4 = U4_BYTES };
SUMS(i8)
SUMS(u4)

#define SEVERAL(r, m) [r] = m,
static const int several[ROWS + 1] = { SHAPES(SEVERAL) };

#define CASE_I8(r, m) case 16 * r + m: sums_i8(r, m, t, i, j); break;
#define CASE_U4(r, m) case 16 * r + m: sums_u4(r, m, t, i, j); break;
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

/* ---- widening ---- */

#define WIDEN(kind)                                                                                                    \
    static void widen_##kind(float *to, const uint8_t *codes, float scale, int64_t blocks)                             \
    {                                                                                                                  \
        for (int64_t b = 0; b < blocks; b++, codes += SIZE_##kind, to += SCALED_BLOCK) {                               \
            v_f32 weight[PARTS];                                                                                       \
            block_##kind(codes, scale, weight);                                                                        \
            memcpy(to, weight, sizeof weight);                                                                         \
        }                                                                                                              \
    }
WIDEN(i8)
WIDEN(u4)

const scaled_isa GEN_ISA(scaled_kernels) = { ROWS, { few_i8, few_u4 }, { widen_i8, widen_u4 } };
