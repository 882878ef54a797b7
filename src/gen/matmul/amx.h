/* gen/matmul/amx.h - the matrix unit's instructions, and how lines of 16 floats are brought into its tiles; for
 * gemm_amx_isa.c, gemv_amx_isa.c and conv_amx_isa.c. A tile has SIDE rows of 64 bytes: DEEP of k as pairs of bf16, or
 * SIDE floats. */
#define INLINE static inline __attribute__((always_inline))
enum { SIDE = 16, DEEP = 32, PARTS = 3, TILE = 1024 };   /* rows, k of a tile; bf16 parts of an f32; bytes of a tile */

#ifndef AMX_SOFTWARE                                     /* tests/gen/amx_software.h has these in C */
#define LOAD(t, p, step) __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(p), "r"((int64_t)(step)) : "memory")
#define SAVE(t, p, step) __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(p), "r"((int64_t)(step)) : "memory")
#define ZERO(t) __asm__ volatile("tilezero %%tmm" #t ::)
#define DOT(c, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c ::)
#define RELEASE __asm__ volatile("tilerelease" ::)

static void configure(void)
{
    struct { uint8_t palette, start, zero[14]; uint16_t bytes[16]; uint8_t rows[16]; } c = { .palette = 1 };
    for (int t = 0; t < 8; t++) c.bytes[t] = 64, c.rows[t] = SIDE;
    __asm__ volatile("ldtilecfg %0" ::"m"(c));
}
#endif

/* A mask of lanes [0, n). */
INLINE __mmask16 amx_first(int64_t n) { return n >= SIDE ? 0xffff : n > 0 ? (__mmask16)((1u << n) - 1) : 0; }

/* Lanewise maximum of `most` and |x|, as bits. */
INLINE __m512i size_of(__m512i most, __m512 x)
{
    return _mm512_max_epu32(most, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
}

/* Transposes 16 rows of 16: log2 16 rounds of a perfect shuffle. */
INLINE void amx_turn(__m512 *r)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512 s[SIDE];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SIDE / 2; i++) {
            s[2 * i] = _mm512_permutex2var_ps(r[i], low, r[i + SIDE / 2]);
            s[2 * i + 1] = _mm512_permutex2var_ps(r[i], high, r[i + SIDE / 2]);
        }
        for (int i = 0; i < SIDE / 2; i++) {
            r[2 * i] = _mm512_permutex2var_ps(s[i], low, s[i + SIDE / 2]);
            r[2 * i + 1] = _mm512_permutex2var_ps(s[i], high, s[i + SIDE / 2]);
        }
    }
}
