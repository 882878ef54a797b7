/* text/grow.c - texts and ids that grow, a file as text, errors. */
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool text_fail(text_at at, tt_code code, const char *fmt, ...)
{
    char text[700];
    va_list v;
    va_start(v, fmt);
    vsnprintf(text, sizeof text, fmt, v);
    va_end(v);
    tt_fail_at(at.site, code, "%.300s%s%s", at.path ? at.path : "", at.path ? ": " : "", text);
    return false;
}

bool text_no_memory(text_at at) { return text_fail(at, TT_EMEM, "out of memory"); }

/* Space for n more units of the size; false: no memory. */
static bool room_for(void **p, size_t used, size_t *cap, size_t n, size_t unit)
{
    if (n <= *cap - used) return true;
    const size_t want = used + n < 64 ? 64 : (used + n) + (used + n) / 2;
    void *const q = want < SIZE_MAX / 8 ? realloc(*p, want * unit) : NULL;
    if (!q) return false;
    *p = q, *cap = want;
    return true;
}

void text_put(text_buf *b, const void *p, size_t n)
{
    void *q = b->p;
    if (!room_for(&q, b->n, &b->cap, n, 1)) {
        b->bad = true;
        return;
    }
    b->p = q;
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
}

void text_cut(text_buf *b, size_t n) { b->n = n < b->n ? n : b->n; }

void text_free(text_buf *b)
{
    free(b->p);
    *b = (text_buf){ 0 };
}

void text_add(text_ids *b, int32_t id)
{
    void *q = b->p;
    if (!room_for(&q, b->n, &b->cap, 1, sizeof id)) {
        b->bad = true;
        return;
    }
    b->p = q;
    b->p[b->n++] = id;
}

char *text_copy(const char *p, size_t n)
{
    char *const q = malloc(n + 1);
    if (q && n) memcpy(q, p, n);
    if (q) q[n] = 0;
    return q;
}

bool text_read(text_at at, text_buf *b)
{
    struct stat st;
    FILE *f = fopen(at.path, "rb");
    if (!f || fstat(fileno(f), &st) != 0) {
        const int why = errno;
        if (f) fclose(f);
        return text_fail(at, TT_EIO, "%s", strerror(why));
    }
    bool ok = !S_ISDIR(st.st_mode) || text_fail(at, TT_EIO, "%s", strerror(EISDIR));
    ok = ok && (st.st_size < TEXT_FILE || text_fail(at, TT_EDATA, "is larger than 1 GiB"));
    while (ok && !b->bad && b->n <= TEXT_FILE) {
        char part[1 << 14];
        const size_t n = fread(part, 1, sizeof part, f);
        text_put(b, part, n);
        if (n < sizeof part) break;
    }
    if (ok && ferror(f)) ok = text_fail(at, TT_EIO, "%s", strerror(errno));
    if (ok && b->n > TEXT_FILE) ok = text_fail(at, TT_EDATA, "is larger than 1 GiB");
    fclose(f);
    text_put(b, "", 1);
    text_cut(b, b->n - !b->bad);
    return ok && (!b->bad || text_no_memory(at));
}
