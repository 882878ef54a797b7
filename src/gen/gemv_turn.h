/* gen/gemv_turn.h - what gemv_isa.c reads: N numbers of memory as lanes, and blocks of w turned around. */
#ifndef TUTTI_GEN_GEMV_TURN_H
#define TUTTI_GEN_GEMV_TURN_H

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

#endif
