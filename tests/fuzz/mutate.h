/* fuzz/mutate.h - changes of inputs that know what they change: numbers of 1 to 8 bytes, spans that are doubled or
 * taken out, words of texts, numbers in JSON; and what has to fit again behind a change: lengths and checksums. */
#ifndef TUTTI_TESTS_MUTATE_H
#define TUTTI_TESTS_MUTATE_H

#include "ckpt/ckpt.h"

#include <string.h>
#include <zlib.h>

static uint64_t mutate_state = 1;

static uint64_t draw(uint64_t below)
{
    mutate_state ^= mutate_state << 13, mutate_state ^= mutate_state >> 7, mutate_state ^= mutate_state << 17;
    return below ? mutate_state % below : 0;
}

static uint64_t mutate_get(const uint8_t *p, int n)
{
    uint64_t x = 0;
    while (n--) x = x << 8 | p[n];
    return x;
}

static void mutate_put(uint8_t *p, uint64_t x, int n) { while (n--) *p++ = (uint8_t)x, x >>= 8; }

/* A number near a border, or one of the file's own sizes. */
static uint64_t mutate_number(size_t n)
{
    const uint64_t near[] = { 0, 1, 2, 127, 128, 255, 256, 65535, 1 << 16, INT32_MAX, UINT32_MAX, (uint64_t)1 << 32,
                              INT64_MAX, UINT64_MAX, (uint64_t)1 << 62, n };
    return near[draw(sizeof near / sizeof *near)] + draw(5) - 2;
}

/* Takes `out` bytes at `at` away and puts `in` bytes there; false: there is no room. */
static bool mutate_splice(uint8_t *p, size_t *n, size_t cap, size_t at, size_t out, const uint8_t *in, size_t nin)
{
    if (at + out > *n || *n - out + nin > cap) return false;
    memmove(p + at + nin, p + at + out, *n - at - out);
    memcpy(p + at, in, nin);
    *n += nin - out;
    return true;
}

/* In a text: another number in the place of one, a span between brackets doubled or gone. */
static void mutate_text(uint8_t *p, size_t *n, size_t cap)
{
    char number[32];
    size_t at = draw(*n), end;
    while (at < *n && !(p[at] >= '0' && p[at] <= '9') && p[at] != '{' && p[at] != '[' && p[at] != '(') at++;
    if (at == *n) return;
    for (end = at; end < *n && p[end] >= '0' && p[end] <= '9';) end++;
    if (end > at) {
        const int k = snprintf(number, sizeof number, "%lld", (long long)mutate_number(*n));
        mutate_splice(p, n, cap, at, end - at, (const uint8_t *)number, (size_t)k);
        return;
    }
    int depth = 0;
    for (end = at; end < *n; end++) {
        depth += p[end] == '{' || p[end] == '[' || p[end] == '(';
        depth -= p[end] == '}' || p[end] == ']' || p[end] == ')';
        if (!depth) break;
    }
    uint8_t copy[4096];
    const size_t len = end < *n && end - at + 1 < sizeof copy ? end - at + 1 : 0;
    memcpy(copy, p + at, len);
    if (len && draw(2)) mutate_splice(p, n, cap, at, 0, copy, len);
    else if (len) mutate_splice(p, n, cap, at, len, copy, 0);
}

static void mutate_once(uint8_t *p, size_t *n, size_t cap)
{
    uint8_t copy[512];
    if (!*n) {
        if (cap) p[(*n)++] = (uint8_t)draw(256);
        return;
    }
    const size_t at = draw(*n), most = *n - at < sizeof copy ? *n - at : sizeof copy, len = 1 + draw(most);
    const int wide = 1 << draw(4);
    switch (draw(8)) {
    case 0: p[at] ^= (uint8_t)(1u << draw(8)); break;
    case 1: p[at] = (uint8_t)draw(256); break;
    case 2: if (at + (size_t)wide <= *n) mutate_put(p + at, mutate_number(*n), wide); break;
    case 3: if (at + (size_t)wide <= *n) mutate_put(p + at, mutate_get(p + at, wide) + draw(9) - 4, wide); break;
    case 4: mutate_splice(p, n, cap, at, len, copy, 0); break;
    case 5: memcpy(copy, p + at, len), mutate_splice(p, n, cap, draw(*n + 1), 0, copy, len); break;
    default: mutate_text(p, n, cap);
    }
}

/* ---- what has to fit again ---- */

static void mend_safetensors(uint8_t *p, size_t n)       /* the header ends where its braces do */
{
    int depth = 0;
    for (size_t i = 8; i < n; i++) {
        depth += p[i] == '{', depth -= p[i] == '}';
        if (depth) continue;
        if (p[i] == '}') mutate_put(p, i - 7, 8);
        return;
    }
}

static void mend_zip(uint8_t *p, size_t n)               /* checksums of stored entries, as the directory has them */
{
    for (size_t i = 0; i + 46 <= n; i++) {
        if (mutate_get(p + i, 4) != 0x02014b50 || p[i + 10]) continue;
        const uint64_t size = mutate_get(p + i + 20, 4), local = mutate_get(p + i + 42, 4);
        if (local + 30 > n) continue;
        const uint64_t from = local + 30 + mutate_get(p + local + 26, 2) + mutate_get(p + local + 28, 2);
        if (from > n || size > n - from) continue;
        mutate_put(p + i + 16, crc32(0, p + from, (uInt)size), 4);
    }
}

/* gzip: the checksum and the length of what the stream between a header of ten bytes and the last eight gives. */
static void mend_gzip(uint8_t *p, size_t n)
{
    static uint8_t plain[1 << 16];
    z_stream z = { .next_in = p + 10, .avail_in = n > 18 ? (uInt)n - 18 : 0, .next_out = plain,
                   .avail_out = sizeof plain };
    if (n <= 18 || inflateInit2(&z, -15) != Z_OK) return;
    inflate(&z, Z_FINISH);
    mutate_put(p + n - 8, crc32(0, plain, (uInt)z.total_out), 4);
    mutate_put(p + n - 4, z.total_out, 4);
    inflateEnd(&z);
}

/* OCDBT: the length of each frame, to the next one's magic, and the checksum behind it. */
static void mend_frames(uint8_t *p, size_t n)
{
    for (size_t at = 0, end; at + 18 <= n; at = end) {
        for (end = at + 18; end < n && (end + 4 > n || memcmp(p + at, p + end, 4) != 0);) end++;
        mutate_put(p + at + 4, end - at, 8);
        mutate_put(p + end - 4, ckpt_crc32c(0, p + at, end - at - 4), 4);
    }
}

static void mend_piece(uint8_t *p, size_t n)             /* Zarr: of a shard's index, or of all */
{
    const size_t span = draw(2) ? n - 4 : 16 * (1 + draw(4));
    if (n >= 24 && span + 4 <= n) mutate_put(p + n - 4, ckpt_crc32c(0, p + n - 4 - span, span), 4);
}

#endif
