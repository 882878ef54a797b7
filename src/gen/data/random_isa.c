/* gen/data/random_isa.c - Threefry over runs of counters, one block per vector lane. */
#include "random.h"

#include <stdint.h>

/* A run of counters with one high word. */
#define MAP_RUN(bits, expr)                                                                                            \
    static void map_##bits(op_pair key, uint32_t hi, uint32_t lo, int64_t n, uint##bits##_t *out)                      \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            uint32_t x0 = hi, x1 = lo + (uint32_t)i;                                                                   \
            OP_THREEFRY(uint32_t, key.a, key.b);                                                                       \
            out[i] = (uint##bits##_t)(expr);                                                                           \
        }                                                                                                              \
    }
MAP_RUN(8, x0 ^ x1)
MAP_RUN(16, x0 ^ x1)
MAP_RUN(32, x0 ^ x1)
MAP_RUN(64, (uint64_t)x0 << 32 | x1)

static void map(op_pair key, uint64_t first, int64_t n, int64_t width, void *out)
{
    char *p = out;
    while (n > 0) {
        const uint32_t hi = (uint32_t)(first >> 32), lo = (uint32_t)first;
        const int64_t left = (int64_t)(((uint64_t)1 << 32) - lo), run = n < left ? n : left;
        if (width == 8) map_8(key, hi, lo, run, (void *)p);
        else if (width == 16) map_16(key, hi, lo, run, (void *)p);
        else if (width == 32) map_32(key, hi, lo, run, (void *)p);
        else map_64(key, hi, lo, run, (void *)p);
        p += run * width / 8, first += (uint64_t)run, n -= run;
    }
}

static void random_pairs(op_pair key, uint32_t c0, uint32_t c1, int64_t n, uint32_t *restrict a, uint32_t *restrict b)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t x0 = c0 + (uint32_t)i, x1 = c1 + (uint32_t)i;
        OP_THREEFRY(uint32_t, key.a, key.b);
        a[i] = x0, b[i] = x1;
    }
}

static void random_wide(op_pair key, uint32_t c0, uint32_t c1, int64_t n, uint64_t *ab)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t x0 = c0 + (uint32_t)i, x1 = c1 + (uint32_t)i;
        OP_THREEFRY(uint32_t, key.a, key.b);
        ab[i] = (uint64_t)x0 << 32 | x1;
    }
}

const gen_random_ops GEN_ISA(gen_random_loops) = { map, random_pairs, random_wide };
