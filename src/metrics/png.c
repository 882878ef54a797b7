/* metrics/png.c - pixels of 8 bits as PNG (ISO/IEC 15948), compressed by zlib, rows unfiltered. */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

void metrics_put(metrics_bytes *b, const void *data, size_t n)
{
    if (b->failed) return;
    if (b->n + n > b->cap) {
        const size_t cap = 2 * (b->n + n) + 64;
        unsigned char *more = realloc(b->p, cap);
        if (!more) {
            b->failed = true;
            return;
        }
        b->p = more;
        b->cap = cap;
    }
    if (n) memcpy(b->p + b->n, data, n);
    b->n += n;
}

static void put_big(metrics_bytes *b, uint32_t x)
{
    const unsigned char four[4] = { (unsigned char)(x >> 24), (unsigned char)(x >> 16), (unsigned char)(x >> 8),
                                    (unsigned char)x };
    metrics_put(b, four, sizeof four);
}

static void put_chunk(metrics_bytes *b, const char *type, const void *data, size_t n)
{
    put_big(b, (uint32_t)n);
    metrics_put(b, type, 4);
    metrics_put(b, data, n);
    const uLong crc = crc32(0, (const Bytef *)type, 4);
    put_big(b, (uint32_t)(n ? crc32(crc, data, (uInt)n) : crc));
}

void metrics_put_png(metrics_bytes *b, const unsigned char *pixel, uint32_t h, uint32_t w, int channels)
{
    const unsigned char color = channels == 1 ? 0 : channels == 3 ? 2 : 6;       /* grey, RGB, RGBA */
    const size_t row = (size_t)w * (size_t)channels, all = (row + 1) * h;
    uLongf packed = compressBound(all);
    unsigned char *lines = malloc(all), *out = malloc(packed);
    metrics_bytes head = { 0 };
    put_big(&head, w);
    put_big(&head, h);
    metrics_put(&head, (const unsigned char[]){ 8, color, 0, 0, 0 }, 5);
    for (uint32_t y = 0; lines && y < h; y++) {
        lines[y * (row + 1)] = 0;                        /* the row's filter: none */
        memcpy(lines + y * (row + 1) + 1, pixel + y * row, row);
    }
    if (!lines || !out || head.failed || compress2(out, &packed, lines, all, 6) != Z_OK) b->failed = true;
    else {
        metrics_put(b, "\x89PNG\r\n\x1a\n", 8);
        put_chunk(b, "IHDR", head.p, head.n);
        put_chunk(b, "IDAT", out, packed);
        put_chunk(b, "IEND", NULL, 0);
    }
    free(head.p);
    free(lines);
    free(out);
}
