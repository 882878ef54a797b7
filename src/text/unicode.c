/* text/unicode.c - normal forms and properties of characters, by libunistring, which is opened when a file asks for
 * them. White_Space stands here: it has not changed since Unicode 6.3. */
#include "text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    uint8_t *(*normalize)(const void *form, const uint8_t *, size_t n, uint8_t *to, size_t *length);
    uint32_t (*tolower)(uint32_t);
    bool (*in_category)(uint32_t, uint32_t mask);
    void (*graphemes)(const uint8_t *, size_t n, char *breaks);
    const void *form[4];
    char why[200];
} lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_unistring(void)
{
    static const char *const names[] = { "u8_normalize",       "uc_tolower",  "uc_is_general_category_withtable",
                                         "u8_grapheme_breaks", "uninorm_nfc", "uninorm_nfd",
                                         "uninorm_nfkc",       "uninorm_nfkd" };
    void *at[8] = { NULL }, *so = dlopen("libunistring.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!so) so = dlopen("libunistring.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        snprintf(lib.why, sizeof lib.why, "libunistring is not installed (Debian: libunistring2 or libunistring5)");
        return;
    }
    for (int i = 0; i < 8; i++)
        if (!(at[i] = dlsym(so, names[i]))) {
            snprintf(lib.why, sizeof lib.why, "libunistring has no %s", names[i]);
            return;
        }
    memcpy(&lib.normalize, &at[0], sizeof at[0]);
    memcpy(&lib.tolower, &at[1], sizeof at[0]);
    memcpy(&lib.in_category, &at[2], sizeof at[0]);
    memcpy(&lib.graphemes, &at[3], sizeof at[0]);
    for (int i = 0; i < 4; i++) lib.form[i] = at[4 + i];
}

const char *text_unicode_missing(void)
{
    pthread_once(&once, open_unistring);
    return *lib.why ? lib.why : NULL;
}

bool text_normal_form(text_at at, text_form form, const char *p, size_t n, text_buf *out)
{
    size_t i = 0, length = 0;
    while (i < n && (uint8_t)p[i] < 0x80) i++;
    if (i == n) { /* ASCII is in every form */
        text_put(out, p, n);
        return !out->bad || text_no_memory(at);
    }
    uint8_t *const s = lib.normalize(lib.form[form], (const uint8_t *)p, n, NULL, &length);
    if (!s) return text_no_memory(at);
    text_put(out, s, length);
    free(s);
    return !out->bad || text_no_memory(at);
}

uint32_t text_lower(uint32_t c)
{
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return lib.tolower(c);
}

bool text_in_category(uint32_t c, uint32_t categories) { return lib.in_category(c, categories); }

bool text_is_space(uint32_t c)
{
    return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

void text_graphemes(const char *p, size_t n, char *breaks) { lib.graphemes((const uint8_t *)p, n, breaks); }
