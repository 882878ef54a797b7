/* text/utf8.c - UTF-8: the length of a character, and what stands for bytes that are none.
 *
 * "The longest beginning of a character" is the practice of chapter 3.9 of the Unicode Standard, which Python's
 * errors="replace", Rust's from_utf8_lossy and browsers follow: one U+FFFD for each. */
#include "text.h"

#include <string.h>

int text_width(const char *text, size_t n, bool *cut)
{
    const uint8_t *const p = (const uint8_t *)text, b = p[0];
    *cut = false;
    if (b < 0x80) return 1;
    if (b < 0xc2 || b > 0xf4) return -1;
    const int width = b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
    const uint8_t low = b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80, high = b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
    for (int i = 1; i < width; i++) {
        if ((size_t)i >= n) return *cut = true, -i;
        if (i == 1 ? p[1] < low || p[1] > high : p[i] < 0x80 || p[i] > 0xbf) return -i;
    }
    return width;
}

uint32_t text_char(const char *text, int width)
{
    const uint8_t *const p = (const uint8_t *)text;
    uint32_t c = width == 1 ? p[0] : p[0] & (0x7fu >> width);
    for (int i = 1; i < width; i++) c = c << 6 | (p[i] & 0x3f);
    return c;
}

void text_put_char(text_buf *b, uint32_t c)
{
    char s[4];
    const int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (n == 1) s[0] = (char)c;
    for (int i = n - 1; i > 0; i--) s[i] = (char)(0x80 | (c & 0x3f)), c >>= 6;
    if (n > 1) s[0] = (char)((0xf00 >> n & 0xff) | c);
    text_put(b, s, (size_t)n);
}

void text_repair(text_buf *b, const char *p, size_t n, bool each)
{
    size_t from = 0;
    if (!n) return;                                      /* p may be NULL */
    for (size_t i = 0; i < n;) {
        bool cut;
        const int w = text_width(p + i, n - i, &cut);
        if (w < 0) {
            text_put(b, p + from, i - from);
            for (int k = 0; k < (each ? -w : 1); k++) text_put(b, "\xef\xbf\xbd", 3);
            from = i + (size_t)-w;
        }
        i += (size_t)(w < 0 ? -w : w);
    }
    text_put(b, p + from, n - from);
}

bool text_is_valid(const char *p, size_t n)
{
    bool cut;
    for (size_t i = 0; i < n;) {
        if (i + 8 <= n) {
            uint64_t x;
            memcpy(&x, p + i, 8);
            if (!(x & 0x8080808080808080u)) {
                i += 8;
                continue;
            }
        }
        const int w = text_width(p + i, n - i, &cut);
        if (w < 0) return false;
        i += (size_t)w;
    }
    return true;
}
