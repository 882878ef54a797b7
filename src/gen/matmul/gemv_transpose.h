/* gen/matmul/gemv_transpose.h - part of gemv_isa.c: loads N numbers as lanes, and transposes blocks of w. */
#ifndef TUTTI_GEN_GEMV_TRANSPOSE_H
#define TUTTI_GEN_GEMV_TRANSPOSE_H

/* ---- loading N numbers as lanes ---- */

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

/* ---- transposing: w's rows become lanes ---- */

/* clang-format off */
#if defined ISA_avx512
#define LOW(a, b) (v_u32)_mm512_unpacklo_epi32((__m512i)(a), (__m512i)(b))
#define HIGH(a, b) (v_u32)_mm512_unpackhi_epi32((__m512i)(a), (__m512i)(b))
#define LOW2(a, b) (v_u32)_mm512_unpacklo_epi64((__m512i)(a), (__m512i)(b))
#define HIGH2(a, b) (v_u32)_mm512_unpackhi_epi64((__m512i)(a), (__m512i)(b))
#define PICK(a, b, which) (v_u32)_mm512_shuffle_i32x4((__m512i)(a), (__m512i)(b), which)
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

enum { LANES = 4 * QUARTERS };                           /* rows transposed at once */

#if !defined ISA_avx512
/* 16 bytes of rows 0 and 4 (as many as fit) in one register, `off` bytes behind at[0] and at[1]. */
INLINE v_u32 pieces(const char *const at[QUARTERS], int64_t off)
{
#if defined ISA_avx2
    const __m256i v = _mm256_castsi128_si256(_mm_loadu_si128((const void *)(at[0] + off)));
    return (v_u32)_mm256_inserti128_si256(v, _mm_loadu_si128((const void *)(at[1] + off)), 1);
#else
    v_u32 v;
    memcpy(&v, at[0] + off, sizeof v);
    return v;
#endif
}

#endif

/* Of a, b, c and d, in each four words: the first words, the second, third and fourth ones. */
INLINE void turn_four(v_u32 to[4], v_u32 a, v_u32 b, v_u32 c, v_u32 d)
{
    const v_u32 ab = LOW(a, b), cd = LOW(c, d), ab2 = HIGH(a, b), cd2 = HIGH(c, d);
    to[0] = LOW2(ab, cd), to[1] = HIGH2(ab, cd), to[2] = LOW2(ab2, cd2), to[3] = HIGH2(ab2, cd2);
}

/* WORDS of LANES rows, `off` bytes behind rows 0, 4, 8 and 12 at at[0], at[1] ...: to[i] is word i of all rows.
 * TOGETHER: as many vectors of rows are transposed side by side as registers hold. */
#if defined ISA_avx512
enum { WORDS = 16, TOGETHER = 1 };
INLINE v_u32 whole_line(const char *p) { return (v_u32)_mm512_loadu_si512(p); }

/* Whole lines are a quarter of the loads, with no blends, and as many shuffles more. */
INLINE void turn(v_u32 to[WORDS], const char *const at[QUARTERS], int64_t step, int64_t off)
{
    v_u32 t[QUARTERS][4];                                /* t[r][i]: words i, i + 4, i + 8, i + 12 of four rows */
    UNROLL for (int r = 0; r < QUARTERS; r++) {
        const char *const p = at[r] + off;
        turn_four(t[r], whole_line(p), whole_line(p + step), whole_line(p + 2 * step), whole_line(p + 3 * step));
    }
    UNROLL for (int i = 0; i < 4; i++) {
        const v_u32 a = PICK(t[0][i], t[1][i], 0x44), b = PICK(t[2][i], t[3][i], 0x44);
        const v_u32 c = PICK(t[0][i], t[1][i], 0xee), d = PICK(t[2][i], t[3][i], 0xee);
        to[i] = PICK(a, b, 0x88), to[i + 4] = PICK(a, b, 0xdd);
        to[i + 8] = PICK(c, d, 0x88), to[i + 12] = PICK(c, d, 0xdd);
    }
}
#else
enum { WORDS = 4, TOGETHER = 2 };
INLINE void turn(v_u32 to[WORDS], const char *const at[QUARTERS], int64_t step, int64_t off)
{
    turn_four(to, pieces(at, off), pieces(at, step + off), pieces(at, 2 * step + off), pieces(at, 3 * step + off));
}
#endif

/* ---- the numbers in a word of each row, by their place h in the word ---- */

INLINE v_f32 word_f32(v_u32 x, int h) { return (void)h, (v_f32)x; }
INLINE v_u32 word_u32(v_u32 x, int h) { return (void)h, x; }
INLINE v_f32 word_bf16(v_u32 x, int h) { return (v_f32)(h ? x & 0xffff0000u : x << 16); }
#ifdef HAS_F16
INLINE v_f32 word_f16(v_u32 x, int h)
{
    if (h) x >>= 16;
#if defined ISA_avx512
    return (v_f32)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)x));
#else
    const __m256i low = _mm256_and_si256((__m256i)x, _mm256_set1_epi32(0xffff));
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08);
    return (v_f32)_mm256_cvtph_ps(_mm256_castsi256_si128(both));
#endif
}
#endif

#endif
