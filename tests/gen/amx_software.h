/* amx_software.h - the matrix unit's instructions in C, for machines with AVX-512 that have no unit. `make check-amx`
 * includes this header ahead of the sources that use the unit (src/gen/matmul/amx.h).
 *
 * The order of sums is that of Intel's Software Developer's Manual, volume 2, TDPBF16PS: over a tile's 16 pairs of k,
 * first elements and second elements are summed apart, each by fused multiply-adds; the two sums are added, then added
 * to C. Denormals are flushed to zero, operands and results. */
#if defined ISA_avx512 && defined __x86_64__ && defined __linux__
#define AMX_SOFTWARE

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

static _Thread_local _Alignas(64) char amx_tile[8][16 * 64];

static inline void amx_load(int t, const void *p, int64_t step)
{
    for (int i = 0; i < 16; i++) memcpy(amx_tile[t] + 64 * i, (const char *)p + i * step, 64);
}

static inline void amx_save(int t, void *p, int64_t step)
{
    for (int i = 0; i < 16; i++) memcpy((char *)p + i * step, amx_tile[t] + 64 * i, 64);
}

static inline void amx_dot(int c, int a, int b)
{
    const unsigned before = _mm_getcsr(), flush = 0x8040;   /* denormal results, denormal operands */
    const __m512i high = _mm512_set1_epi32((int)0xffff0000);
    _mm_setcsr(before | flush);
    for (int i = 0; i < 16; i++) {
        __m512 first = _mm512_setzero_ps(), second = first;
        for (int k = 0; k < 16; k++) {
            int32_t pair;
            memcpy(&pair, amx_tile[a] + 64 * i + 4 * k, sizeof pair);
            const __m512i x = _mm512_set1_epi32(pair), y = _mm512_loadu_si512(amx_tile[b] + 64 * k);
            first = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(x, 16)),
                                    _mm512_castsi512_ps(_mm512_slli_epi32(y, 16)), first);
            second = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_and_si512(x, high)),
                                     _mm512_castsi512_ps(_mm512_and_si512(y, high)), second);
        }
        float *const to = (float *)(amx_tile[c] + 64 * i);
        _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), _mm512_add_ps(first, second)));
    }
    _mm_setcsr(before);
}

#define LOAD(t, p, step) amx_load(t, p, step)
#define SAVE(t, p, step) amx_save(t, p, step)
#define ZERO(t) memset(amx_tile[t], 0, sizeof amx_tile[t])
#define DOT(c, a, b) amx_dot(c, a, b)
#define RELEASE ((void)0)

static void configure(void) {}

#endif
