/* run/limits.h - measures the limits of one thread of this machine: fused multiply-adds and copying. Self-contained, so
 * that benchmarks include it too. */
#ifndef TUTTI_RUN_LIMITS_H
#define TUTTI_RUN_LIMITS_H

#include <string.h>
#include <time.h>

static inline double limits_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if defined(__x86_64__)
#define LIMITS_FMA(reg, a) "vfmadd231ps %%" reg "14, %%" reg "15, %%" reg a "\n"
#define LIMITS_TEN(reg) LIMITS_FMA(reg, "0") LIMITS_FMA(reg, "1") LIMITS_FMA(reg, "2") LIMITS_FMA(reg, \
    "3") LIMITS_FMA(reg, "4") \
    LIMITS_FMA(reg, "5") LIMITS_FMA(reg, "6") LIMITS_FMA(reg, "7") LIMITS_FMA(reg, "8") LIMITS_FMA(reg, "9")
#define LIMITS_CLOBBER "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm14", "xmm15"
#endif

/* GF/s of ten independent chains; 0 if unknown (no fma instruction, another processor). */
static inline double limits_fma_gflops(void)
{
#if defined(__x86_64__)
    const int n = 4000000, wide = __builtin_cpu_supports("avx512f");
    if (!wide && !__builtin_cpu_supports("fma")) return 0;
    const double t = limits_seconds();
    if (wide) {
        __asm__ volatile("vpxord %%zmm14, %%zmm14, %%zmm14\n vpxord %%zmm15, %%zmm15, %%zmm15\n" ::: LIMITS_CLOBBER);
        for (int i = 0; i < n; i++) __asm__ volatile(LIMITS_TEN("zmm") ::: LIMITS_CLOBBER);
    } else {
        __asm__ volatile("vxorps %%ymm14, %%ymm14, %%ymm14\n vxorps %%ymm15, %%ymm15, %%ymm15\n" ::: LIMITS_CLOBBER);
        for (int i = 0; i < n; i++) __asm__ volatile(LIMITS_TEN("ymm") ::: LIMITS_CLOBBER);
    }
    return 2.0 * (wide ? 16 : 8) * 10 * n / (limits_seconds() - t) * 1e-9;
#else
    return 0;
#endif
}

/* GB/s of copying n bytes between two buffers, counting bytes read and written; one thread. */
enum { LIMITS_COPIED = 64 << 20 };                       /* beyond the caches */
static inline double limits_copy_gbs(char *a, char *b, size_t n)
{
    memset(a, 1, n);
    memset(b, 2, n);
    const double t = limits_seconds();
    for (int i = 0; i < 4; i++) {
        memcpy(i & 1 ? a : b, i & 1 ? b : a, n);
        __asm__ volatile("" ::"r"(a), "r"(b) : "memory");
    }
    return 4.0 * 2 * (double)n / (limits_seconds() - t) * 1e-9;
}

static inline int limits_rising(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

#endif
