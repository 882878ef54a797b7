/* gen/matmul/gemm_bf16_isa.c - register tiles and packing for products of bf16 by the instruction vdpbf16ps: sums are
 * float32, and 16 lanes of pairs are multiplied at once, twice as many products as by fused multiply-adds of float32.
 *
 * The loops are gemm.c's. What it packs and walks over are pairs of neighbouring k, two bf16 in a word: gemm.k and all
 * lengths of packed blocks count pairs, and an odd k is padded with a zero. Operands of float32 are rounded to bf16
 * while they are packed, as the conversion would round them. The instruction takes denormals as zeros, as oneDNN and
 * the matrix unit do. Every element of C is one chain over rising k, as in gemm.c: its bits depend on its
 * own row and column only. */
#include "gemm.h"
#include "../../op/prog/scalar.h"
#include "../isa/isa.h"

#if defined ISA_avx512 && defined __x86_64__

#include <immintrin.h>
#include <string.h>

#include "../isa/isa_loop.h"

GEN_ISA_DECLARE(const gemm_isa, gemm_kernels);

/* K_BLOCK: pairs; B_BYTES: of packed columns. */
enum { ROWS = 14, LANES = 16, K_BLOCK = 384, B_BYTES = 640 << 10, SOON = 8 };

typedef float vector __attribute__((vector_size(64)));
typedef float loose __attribute__((vector_size(64), aligned(1), may_alias));

INLINE vector get(const void *p) { return (vector)*(const loose *)p; }
INLINE void put(void *p, vector v) { *(loose *)p = (loose)v; }

/* Instructions in assembler: gcc 9 has no names for them, and the file is compiled for all of AVX-512. */
#define DOT(acc, x, y) __asm__("vdpbf16ps %2, %1, %0" : "+v"(acc) : "v"(x), "v"(y))
#define ROUND(to, high, low) __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(to) : "v"(high), "v"(low))
#define ROUND_ONE(to, from) __asm__("vcvtneps2bf16 %1, %0" : "=v"(to) : "v"(from))

/* ---- tiles ---- */

INLINE void pairs_tile(const int nv, const int mr, int64_t k, const float *a, const float *b, int64_t ldb, float *c,
                       int64_t ldc, bool more)
{
    vector acc[ROWS][GEMM_WIDE];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < nv; j++) acc[i][j] = more ? get(c + i * ldc + j * LANES) : (vector){ 0 };
    for (; k > 0; k--, a += mr, b += ldb) {
        vector row[GEMM_WIDE];
        UNROLL for (int j = 0; j < nv; j++) row[j] = get(b + j * LANES);
        UNROLL for (int j = 0; j < nv; j++) __builtin_prefetch(b + SOON * ldb + j * LANES);
        UNROLL for (int i = 0; i < mr; i++) {
            const vector one = (vector)_mm512_set1_ps(a[i]);
            UNROLL for (int j = 0; j < nv; j++) DOT(acc[i][j], one, row[j]);
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < nv; j++) put(c + i * ldc + j * LANES, acc[i][j]);
}

#define TILES(X)                                                                                                       \
    X(1, 1)                                                                                                            \
    X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(1, 7) X(1, 8) X(1, 9) X(1, 10) X(1, 11) X(1, 12) X(1, 13) X(1, 14)       \
        X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6) X(2, 7) X(2, 8) X(2, 9) X(2, 10) X(2, 11) X(2, 12) X(2, 13)    \
            X(2, 14) X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(3, 5) X(3, 6) X(3, 7) X(3, 8) X(3, 9) X(6, 1) X(6, 2) X(6, 3)   \
                X(6, 4) X(8, 1) X(8, 2) X(8, 3)
#define TILE(nv, mr)                                                                                                   \
    static void pairs_##nv##_##mr(int64_t k, const void *a, const void *b, int64_t ldb, void *c, int64_t ldc,          \
                                  bool more)                                                                           \
    {                                                                                                                  \
        pairs_tile(nv, mr, k, a, b, ldb, c, ldc, more);                                                                \
    }
TILES(TILE)

/* ---- packing: n is a number of k, not of pairs ---- */

INLINE uint32_t pair_of(tt_dtype dtype, const void *p, int64_t step, int64_t i, int64_t n)
{
    const uint16_t *const x = p;
    const float *const y = p;
    if (!p) return 0;
    if (dtype == TT_BF16) return x[i * step] | (i + 1 < n ? (uint32_t)x[(i + 1) * step] << 16 : 0);
    return s_bf16_of_f32(y[i * step]) | (i + 1 < n ? (uint32_t)s_bf16_of_f32(y[(i + 1) * step]) << 16 : 0);
}

/* r, but denormals of x and y, which the instruction takes as zeros, are rounded too. */
static __attribute__((noinline)) __m512i pairs_tiny(__m512i r, __m512 x, __m512 y, __mmask32 tiny)
{
    const __m512i one = _mm512_set1_epi32(1), half = _mm512_set1_epi32(0x7fff);
    const __m512i u[2] = { _mm512_castps_si512(x), _mm512_castps_si512(y) };
    __m256i half_of[2];
    for (int i = 0; i < 2; i++) {
        const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u[i], 16), one);
        half_of[i] = _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u[i], half), odd), 16));
    }
    const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(half_of[0]), half_of[1], 1);
    return _mm512_mask_blend_epi16(tiny, r, all);
}

/* 16 floats, then 16 others, as bf16: nearest even, as s_bf16_of_f32. */
INLINE __m512i pairs_round(__m512 x, __m512 y)
{
    enum { DENORMAL = 0x20 };
    const __mmask16 low = _mm512_fpclass_ps_mask(x, DENORMAL), high = _mm512_fpclass_ps_mask(y, DENORMAL);
    __m512i r;
    ROUND(r, y, x);
    if (__builtin_expect(low | high, 0)) r = pairs_tiny(r, x, y, (__mmask32)low | (__mmask32)high << LANES);
    return r;
}

/* Transposes 16 rows of 16 words: two rounds, each of two perfect shuffles. */
INLINE void pairs_turn(__m512i *r)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512i s[LANES];
    UNROLL for (int round = 0; round < 2; round++) {
        UNROLL for (int i = 0; i < LANES / 2; i++) {
            s[2 * i] = _mm512_permutex2var_epi32(r[i], low, r[i + LANES / 2]);
            s[2 * i + 1] = _mm512_permutex2var_epi32(r[i], high, r[i + LANES / 2]);
        }
        UNROLL for (int i = 0; i < LANES / 2; i++) {
            r[2 * i] = _mm512_permutex2var_epi32(s[i], low, s[i + LANES / 2]);
            r[2 * i + 1] = _mm512_permutex2var_epi32(s[i], high, s[i + LANES / 2]);
        }
    }
}

/* n words of at most 16 rows, a multiple of 16. Prefetches what is `ahead` bytes after them: the rows that may come
 * next, each of which is a line of memory in another page. Writes up to a vector past a row's end. */
INLINE void pairs_words(const bool rounds, uint32_t *q, int width, const void *const *row, int rows, int64_t n,
                        int64_t ahead)
{
    const int64_t size = rounds ? 4 : 2;
    for (int64_t i = 0; i < n; i += LANES) {
        __m512i r[LANES];
        UNROLL for (int l = 0; l < LANES; l++) {
            const char *p = l < rows && row[l] ? (const char *)row[l] + 2 * i * size : NULL;
            if (!p) r[l] = _mm512_setzero_si512();
            else r[l] = rounds ? pairs_round(_mm512_loadu_ps(p), _mm512_loadu_ps(p + 64)) : _mm512_loadu_si512(p);
            if (p) __builtin_prefetch(p + ahead);
            if (p && rounds) __builtin_prefetch(p + ahead + 64);
        }
        pairs_turn(r);
        UNROLL for (int j = 0; j < LANES; j++) _mm512_storeu_si512(q + (i + j) * width, r[j]);
    }
}

static void words_of_bf16(uint32_t *q, int width, const void *const *row, int rows, int64_t n, int64_t ahead)
{
    pairs_words(false, q, width, row, rows, n, ahead);
}
static void words_of_f32(uint32_t *q, int width, const void *const *row, int rows, int64_t n, int64_t ahead)
{
    pairs_words(true, q, width, row, rows, n, ahead);
}

/* Pairs of contiguous k are words, which are transposed; others are read one by one. */
static void pairs_of_rows(void *dst, int width, tt_dtype dtype, const void *const *row, int64_t step, int64_t n)
{
    uint32_t *const q = dst;
    int64_t i = 0;
    if (step == 1 && n >= 2 * LANES && (width < LANES || width % LANES == 0)) {
        const int64_t ahead = width > 1 && row[0] && row[1] ? width * ((const char *)row[1] - (const char *)row[0]) : 0;
        i = n / 2 / LANES * LANES;
        for (int at = 0; at < width; at += LANES)
            (dtype == TT_BF16 ? words_of_bf16 : words_of_f32)(q + at, width, row + at,
                                                              width - at < LANES ? width - at : LANES, i, ahead);
    }
    if (step == 1 && i < n / 2 && dtype == TT_BF16) {
        const void *rest[GEMM_WIDE * LANES];
        for (int j = 0; j < width; j++) rest[j] = row[j] ? (const uint16_t *)row[j] + 2 * i : NULL;
        GEN_ISA(gemm_kernels).from_rows[GEMM_U32](q + i * width, width, TT_U32, rest, 1, n / 2 - i);
        i = n / 2;
    }
    for (; 2 * i < n; i++) for (int j = 0; j < width; j++) q[i * width + j] = pair_of(dtype, row[j], step, 2 * i, n);
}

/* The first n of 16 lanes of two rows as pairs; second NULL: zeros. */
INLINE __m512i pairs_few(const uint16_t *first, const uint16_t *second, int n)
{
    const __mmask16 m = n >= LANES ? 0xffff : (__mmask16)((1u << n) - 1);
    const __m512i x = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, first));
    if (!second) return x;
    return _mm512_or_si512(x, _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, second)), 16));
}

/* The same of 32 lanes, all of which are there. */
INLINE void pairs_store(uint32_t *q, const uint16_t *first, const uint16_t *second)
{
    const __m512i x = _mm512_loadu_si512(first), y = _mm512_loadu_si512(second);
    const __m512i low = _mm512_unpacklo_epi16(x, y), high = _mm512_unpackhi_epi16(x, y);     /* in lanes of 128 bits */
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i odd = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_storeu_si512(q, _mm512_permutex2var_epi64(low, even, high));
    _mm512_storeu_si512(q + LANES, _mm512_permutex2var_epi64(low, odd, high));
}

/* The first n of 16 lanes of two rows of float32 as pairs; second NULL: zeros. */
INLINE __m512i pairs_few_rounded(const float *first, const float *second, int n)
{
    const __mmask16 m = n >= LANES ? 0xffff : (__mmask16)((1u << n) - 1);
    const __m512i word = _mm512_set1_epi32(16 << 16), lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                                                              13, 14, 15);
    const __m512i places = _mm512_add_epi32(word, _mm512_or_si512(lane, _mm512_slli_epi32(lane, 16)));
    const __m512 y = second ? _mm512_maskz_loadu_ps(m, second) : _mm512_setzero_ps();
    return _mm512_permutexvar_epi16(places, pairs_round(_mm512_maskz_loadu_ps(m, first), y));
}

static void pairs_line_rounded(uint32_t *q, int width, const float *first, const float *second, int lanes)
{
    for (int j = 0; j < width; j += LANES)
        _mm512_storeu_si512(q + j, pairs_few_rounded(first + (j < lanes ? j : 0),
                                                     second ? second + (j < lanes ? j : 0) : NULL,
                                                     j < lanes ? lanes - j : 0));
}

/* A pair of rows, `lanes` of them adjacent, then zeros up to width. Writes past the width. */
INLINE void pairs_line(uint32_t *q, int width, const uint16_t *first, const uint16_t *second, int lanes)
{
    if (width == 2 * LANES && lanes == width && second) {
        pairs_store(q, first, second);
        return;
    }
    for (int j = 0; j < width; j += LANES)
        _mm512_storeu_si512(q + j, pairs_few(first + (j < lanes ? j : 0), second ? second + (j < lanes ? j : 0) : NULL,
                                             j < lanes ? lanes - j : 0));
}

static void pairs_of_lanes(void *dst, int width, tt_dtype dtype, const void *src, int64_t step, int64_t lane,
                           int lanes, int64_t n)
{
    const int64_t size = dtype == TT_BF16 ? 2 : 4;
    uint32_t *q = dst;
    const char *p = src;
    for (int64_t i = 0; i < n; i += 2, q += width, p += 2 * step * size) {
        const void *const second = i + 1 < n ? p + step * size : NULL;
        if (lane == 1 && dtype == TT_BF16) pairs_line(q, width, (const void *)p, second, lanes);
        else if (lane == 1) pairs_line_rounded(q, width, (const void *)p, second, lanes);
        else for (int j = 0; j < width; j++)
            q[j] = j < lanes ? pair_of(dtype, p + j * lane * size, step, 0, n - i) : 0;
    }
}

/* gemm.c calls it, and counts pairs: n of them, `step` apart. */
static void pairs_of_runs(void *dst, int width, int64_t next, tt_dtype dtype, const void *src, int64_t step,
                          int64_t lanes, int64_t n)
{
    const int64_t size = dtype == TT_BF16 ? 2 : 4;
    const char *p = src;
    char *to = dst;
    for (; n > 0; n--, to += width * (int64_t)sizeof(uint32_t), p += step * size)
        for (int64_t b = 0; b < lanes / width; b++) {
            const char *at = p + b * width * size, *second = at + step / 2 * size, *soon = at + SOON * step * size;
            uint32_t *const q = (uint32_t *)(void *)(to + b * next);
            __builtin_prefetch(soon), __builtin_prefetch(soon + step / 2 * size);
            if (dtype == TT_BF16) { pairs_line(q, width, (const void *)at, (const void *)second, width); continue; }
            __builtin_prefetch(soon + 64), __builtin_prefetch(soon + step / 2 * size + 64);
            pairs_line_rounded(q, width, (const void *)at, (const void *)second, width);
        }
}

/* ---- results ---- */

static void pairs_narrow(void *dst, tt_dtype dtype, int64_t step, const void *src, int64_t n)
{
    const float *p = src;
    uint16_t *q = dst;
    int64_t i = 0;
    if (dtype != TT_BF16 || step != 1) {
        GEN_ISA(gemm_kernels).narrow[GEMM_F32](dst, dtype, step, src, n);
        return;
    }
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        __m512i r;
        ROUND(r, get(p + i + LANES), get(p + i));
        _mm512_storeu_si512(q + i, r);
    }
    for (; i < n; i += LANES) {
        const __mmask16 m = n - i >= LANES ? 0xffff : (__mmask16)((1u << (n - i)) - 1);
        const __m512 x = _mm512_maskz_loadu_ps(m, p + i);
        __m256i r;
        ROUND_ONE(r, x);
        _mm256_mask_storeu_epi16(q + i, m, r);
    }
}

static void pairs_narrow_tile(void *dst, tt_dtype dtype, int64_t next, const void *src, int64_t ld, int rows, int cols)
{
    const float *p = src;
    char *q = dst;
    const bool full = dtype == TT_BF16 && cols == 2 * LANES;
    for (int i = 0; i < rows; i++, p += ld, q += next) {
        __m512i r;
        if (!full) { pairs_narrow(q, dtype, 1, p, cols); continue; }
        ROUND(r, get(p + LANES), get(p));
        _mm512_storeu_si512(q, r);
    }
}

static void pairs_merge(void *c, const void *d, int64_t n) { GEN_ISA(gemm_kernels).merge[GEMM_F32](c, d, n); }

#define ENTRY(nv, mr) [nv][mr] = pairs_##nv##_##mr,
const gemm_isa GEN_ISA(gemm_bf16) = {
    .rows = ROWS, .lanes = { [GEMM_F32] = LANES }, .tile = { [GEMM_F32] = { TILES(ENTRY) } },
    .from_rows = { [GEMM_F32] = pairs_of_rows }, .from_lanes = { [GEMM_F32] = pairs_of_lanes },
    .from_runs = { [GEMM_F32] = pairs_of_runs }, .narrow = { [GEMM_F32] = pairs_narrow },
    .narrow_tile = { [GEMM_F32] = pairs_narrow_tile },
    .merge = { [GEMM_F32] = pairs_merge }, .k_block = K_BLOCK, .b_bytes = B_BYTES, .depth = 2
};

#else

const gemm_isa GEN_ISA(gemm_bf16) = { .rows = 0 };

#endif
