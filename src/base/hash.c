/* base/hash.c - a 64-bit hash of bytes (FNV by words, mixed as in splitmix64), for hash tables and hashes of programs.
 *
 * Equal on all machines of one byte order. Caches on disk are keyed by this hash: changing it invalidates them. */
#include "base.h"

#include <string.h>

static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

uint64_t base_hash(uint64_t seed, const void *bytes, size_t n)
{
    const char *p = bytes;
    uint64_t h = mix(seed + 0x9e3779b97f4a7c15u + n), w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = (h ^ mix(w)) * 0x100000001b3u;
        h = (h << 23) | (h >> 41);
    }
    if (n) {
        w = 0;
        memcpy(&w, p, n);
        h = (h ^ mix(w)) * 0x100000001b3u;
    }
    return mix(h);
}
