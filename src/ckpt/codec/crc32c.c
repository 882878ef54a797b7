/* ckpt/codec/crc32c.c - CRC-32C (Castagnoli, reflected polynomial 0x82F63B78): by a processor instruction where
 * present, else by tables.
 *
 * The instruction has a latency of 3 cycles for 8 bytes: about 8 GB/s in one stream, more than a disk. */
#include "../ckpt.h"

#include <pthread.h>
#include <string.h>

#define POLYNOMIAL 0x82F63B78u
static uint32_t table[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void crc32c_make(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
        table[0][i] = c;
    }
    for (int t = 1; t < 8; t++)
        for (int i = 0; i < 256; i++) table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 255];
}

static uint32_t by_table(uint32_t c, const uint8_t *p, size_t n)
{
    pthread_once(&once, crc32c_make);
    for (; n >= 8; p += 8, n -= 8) {
        const uint32_t a = c ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        c = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^ table[4][a >> 24] ^ table[3][p[4]] ^
            table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
    }
    while (n--) c = c >> 8 ^ table[0][(c ^ *p++) & 255];
    return c;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t by_processor(uint32_t c, const uint8_t *p, size_t n)
{
    uint64_t wide = c;
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        wide = __builtin_ia32_crc32di(wide, x);
    }
    c = (uint32_t)wide;
    while (n--) c = __builtin_ia32_crc32qi(c, *p++);
    return c;
}

static uint32_t of(uint32_t c, const uint8_t *p, size_t n)
{
    return __builtin_cpu_supports("sse4.2") ? by_processor(c, p, n) : by_table(c, p, n);
}
#else
static uint32_t of(uint32_t c, const uint8_t *p, size_t n) { return by_table(c, p, n); }
#endif

uint32_t ckpt_crc32c(uint32_t crc, const void *p, size_t n) { return ~of(~crc, p, n); }

/* a b mod the polynomial, reflected: the highest bit is x^0. */
static uint32_t crc32c_product(uint32_t a, uint32_t b)
{
    uint32_t p = 0;
    for (uint32_t m = 1u << 31; m; m >>= 1) {
        if (a & m) p ^= b;
        b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
    }
    return p;
}

/* n bytes after a multiply its checksum by x^(8n); the inversions before and after cancel. */
uint32_t ckpt_crc32c_join(uint32_t a, uint32_t b, uint64_t n)
{
    for (uint32_t square = 1u << 23; n; n >>= 1, square = crc32c_product(square, square))
        if (n & 1) a = crc32c_product(a, square);
    return a ^ b;
}
