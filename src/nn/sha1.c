/* nn/sha1.c - SHA-1 (FIPS 180-4), only to derive parameter keys as Flax Linen does; not for security. */
#include "nn.h"

#include <string.h>

static uint32_t rotl(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void sha1_block(uint32_t h[5], const uint8_t *p)
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 80; i++) w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        const uint32_t f = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        const uint32_t k = i < 20 ? 0x5a827999u : i < 40 ? 0x6ed9eba1u : i < 60 ? 0x8f1bbcdcu : 0xca62c1d6u;
        const uint32_t t = rotl(a, 5) + f + e + k + w[i];
        e = d; d = c; c = rotl(b, 30); b = a; a = t;
    }
    h[0] += a; h[1] += b; h[2] += c; h[3] += d; h[4] += e;
}

/* Hashes the names without dots, then the number in as few big-endian bytes as possible. */
uint32_t nn_hash(const char *path, int number)
{
    uint8_t text[NN_PATH + 80] = { 0 };
    size_t n = 0;
    uint32_t h[5] = { 0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u };
    for (; *path; path++) if (*path != '.') text[n++] = (uint8_t)*path;
    for (int shift = 24; shift >= 0; shift -= 8)
        if (number >> shift) text[n++] = (uint8_t)(number >> shift);
    const uint64_t bits = 8 * (uint64_t)n;
    text[n] = 0x80;
    const size_t blocks = (n + 9 + 63) / 64;
    for (int i = 0; i < 8; i++) text[64 * blocks - 1 - (size_t)i] = (uint8_t)(bits >> 8 * i);
    for (size_t i = 0; i < blocks; i++) sha1_block(h, text + 64 * i);
    return h[0];
}
