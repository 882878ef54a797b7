/* text/charsmap.c - the precompiled map of characters in SentencePiece's files: a length, a double-array trie of that
 * many bytes (Darts-clone's), and texts with a 0 behind each, to which the trie's values point. Every index is
 * checked, since the trie comes from a file. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

bool text_charsmap_new(text_at at, text_charsmap *m, const char *blob, size_t n)
{
    uint32_t bytes;
    if (n < 4) return text_fail(at, TT_EDATA, "the map of characters is too short");
    memcpy(&bytes, blob, 4);
    if (bytes % 4 || bytes > n - 4 || !bytes) return text_fail(at, TT_EDATA, "the map of characters is damaged");
    m->units = bytes / 4, m->n = n - 4 - bytes;
    m->unit = malloc(bytes);
    m->text = text_copy(blob + 4 + bytes, m->n);
    if (!m->unit || !m->text) return text_no_memory(at);
    memcpy(m->unit, blob + 4, bytes);
    return true;
}

static uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 1u << 9) >> 6); }

const char *text_charsmap_find(const text_charsmap *m, const char *p, size_t n, bool longest, size_t *used)
{
    uint32_t at = offset_of(m->unit[0]);
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        const uint8_t byte = (uint8_t)p[i];
        at ^= byte;
        if (at >= m->units || (m->unit[at] & (1u << 31 | 0xff)) != byte) break;
        const uint32_t unit = m->unit[at];
        at ^= offset_of(unit);
        if (!(unit >> 8 & 1)) continue;
        if (at >= m->units) break;
        const uint32_t value = m->unit[at] & 0x7fffffff;
        if (value >= m->n) continue; /* no text: as if it were not there */
        found = m->text + value, *used = i + 1;
        if (!longest) break;
    }
    return found;
}

bool text_base64(text_at at, const char *p, text_buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int8_t value[256];
    memset(value, -1, sizeof value);
    for (int i = 0; i < 64; i++) value[(uint8_t)digits[i]] = (int8_t)i;
    uint32_t bits = 0;
    int have = 0;
    const char *q = p;
    for (; *q && *q != '='; q++) {
        if (value[(uint8_t)*q] < 0) return text_fail(at, TT_EDATA, "the map of characters is not base64");
        bits = bits << 6 | (uint32_t)value[(uint8_t)*q];
        have += 6;
        if (have < 8) continue;
        have -= 8;
        const char byte = (char)(bits >> have);
        text_put(out, &byte, 1);
    }
    return !out->bad || text_no_memory(at);
}
