/* bytes.h - files of others written byte by byte: bytes that grow, the frame and the table of files of an OCDBT
 * store, paths in a folder of the test's own. */
#ifndef CKPT_BYTES_H
#define CKPT_BYTES_H

#include "check.h"
#include "ckpt/ckpt.h"

static char dir[64] = "/tmp/tutti-forms-XXXXXX";

TT_UNUSED static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

TT_UNUSED static const char *at(const char *name)
{
    static char path[8][200];
    static int turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

/* ---- bytes that grow ---- */

typedef struct { uint8_t p[1 << 17]; size_t n; } pile;

TT_UNUSED static void put(pile *b, const void *p, size_t n)
{
    if (b->n + n > sizeof b->p) return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

TT_UNUSED static void put8(pile *b, unsigned x) { put(b, &(uint8_t){ (uint8_t)x }, 1); }
TT_UNUSED static void little(pile *b, uint64_t x, int bytes) { while (bytes--) put8(b, x & 255), x >>= 8; }
TT_UNUSED static void leb(pile *b, uint64_t x)
{
    for (; x > 127; x >>= 7) put8(b, (x & 127) | 128);
    put8(b, (unsigned)x);
}
TT_UNUSED static void crc(pile *b) { little(b, ckpt_crc32c(0, b->p, b->n), 4); }

TT_UNUSED static void spill(const char *path, const pile *b)
{
    FILE *f = fopen(path, "wb");
    if (f) fwrite(b->p, 1, b->n, f), fclose(f);
}

/* ---- of an OCDBT store ---- */

TT_UNUSED static void frame(pile *b, uint32_t magic, const pile *body)
{
    b->n = 0;
    for (int i = 3; i >= 0; i--) put8(b, magic >> 8 * i & 255);
    little(b, 4 + 8 + 2 + body->n + 4, 8);
    put8(b, 0), put8(b, 0);                              /* version, not packed */
    put(b, body->p, body->n);
    crc(b);
}

/* one path after the other, nothing shared */
TT_UNUSED static void table(pile *b, int n, const char *const *path)
{
    leb(b, (uint64_t)n);
    for (int i = 1; i < n; i++) leb(b, 0);
    for (int i = 0; i < n; i++) leb(b, strlen(path[i]));
    for (int i = 0; i < n; i++) leb(b, 0);
    for (int i = 0; i < n; i++) put(b, path[i], strlen(path[i]));
}

#endif
