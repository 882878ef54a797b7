/* ckpt/format/frame.c - the encoding of OCDBT files: sequences of numbers, and the frame around the body of a manifest
 * or node: magic number, length, version, compression, and a checksum at the end. ocdbt.c interprets the bodies. */
#include "../ckpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t *ckpt_take(ckpt_cursor *c, size_t n)
{
    if (c->bad || n > c->n - c->at) return c->bad = true, NULL;
    c->at += n;
    return c->p + c->at - n;
}

uint64_t ckpt_number(ckpt_cursor *c)
{
    uint64_t x = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        const uint8_t *b = ckpt_take(c, 1);
        if (!b) return 0;
        if (shift == 63 && *b > 1) break;
        x |= (uint64_t)(*b & 127) << shift;
        if (!(*b & 128)) return x;
    }
    c->bad = true;
    return 0;
}

uint8_t ckpt_byte(ckpt_cursor *c)
{
    const uint8_t *b = ckpt_take(c, 1);
    return b ? *b : 0;
}

size_t ckpt_counted(ckpt_cursor *c)
{
    const uint64_t n = ckpt_number(c);
    if (n > c->n - c->at) c->bad = true;
    return c->bad ? 0 : (size_t)n;
}

uint64_t *ckpt_column(ckpt_cursor *c, size_t n)
{
    uint64_t *x = calloc(n + 1, sizeof *x);
    for (size_t i = 0; x && i < n; i++) x[i] = ckpt_number(c);
    if (!x) c->bad = true;
    return x;
}

bool ckpt_frame(const char *root, const char *file, ckpt_bytes raw, uint32_t magic, size_t most, ckpt_bytes *body,
                ckpt_err *e)
{
    ckpt_cursor c = { raw.p, raw.n, 0, false };
    const uint8_t *m = ckpt_take(&c, 4), *len = ckpt_take(&c, 8);
    uint64_t n = 0;
    if (c.bad || raw.n < 18) return ckpt_fail(e, TT_EDATA, "%s/%s: is cut off", root, file);
    for (int i = 7; i >= 0; i--) n = n << 8 | len[i];
    if (((uint32_t)m[0] << 24 | (uint32_t)m[1] << 16 | (uint32_t)m[2] << 8 | m[3]) != magic)
        return ckpt_fail(e, TT_EDATA, "%s/%s: is not a part of an OCDBT store", root, file);
    if (n != raw.n)
        return ckpt_fail(e, TT_EDATA, "%s/%s: has %zu bytes, its header says %llu", root, file, raw.n,
                         (unsigned long long)n);
    ckpt_bytes checked;
    char where[CKPT_PATH];
    snprintf(where, sizeof where, "%.3000s/%.900s", root, file);
    if (!ckpt_decode(e, where, CKPT_CRC32C, raw, -1, raw.n, &checked)) return false;
    const uint64_t version = ckpt_number(&c), packing = ckpt_number(&c);
    if (c.bad || version || packing > 1) {
        ckpt_free(&checked);
        return ckpt_fail(e, TT_EDATA, "%s/%s: is of version %llu, packing %llu; version 0 and packing 0 and 1 are read",
                         root, file, (unsigned long long)version, (unsigned long long)packing);
    }
    const ckpt_bytes rest = { checked.p + c.at, checked.n - c.at };
    bool ok = checked.n >= c.at;
    if (ok && packing) ok = ckpt_decode(e, where, CKPT_ZSTD, rest, -1, most, body);
    else if (ok && (ok = ckpt_alloc(e, body, rest.n))) memcpy(body->p, rest.p, rest.n);
    ckpt_free(&checked);
    return ok || ckpt_fail(e, TT_EDATA, "%s: is cut off", where);
}
