/* ckpt/codec/error.c - the functions of ckpt_err (an error as text, which a thread of its own may set) and of
 * ckpt_bytes (bytes in memory). */
#include "../ckpt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 4, 0)))
static bool error_set(ckpt_err *e, tt_code code, const char *hint, const char *fmt, va_list v)
{
    if (e->code) return false;
    e->code = code;
    e->hint = hint;
    vsnprintf(e->text, sizeof e->text, fmt, v);
    return false;
}

bool ckpt_fail(ckpt_err *e, tt_code code, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    error_set(e, code, NULL, fmt, v);
    va_end(v);
    return false;
}

bool ckpt_fail_hint(ckpt_err *e, tt_code code, const char *hint, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    error_set(e, code, hint, fmt, v);
    va_end(v);
    return false;
}

bool ckpt_there(ckpt_err *e, const char *path)
{
    return ckpt_fail_hint(e, TT_EIO, ".force = 1 replaces it, at once and as a whole", "%s: is there already", path);
}

tt_val ckpt_report(const char *site, const ckpt_err *e)
{
    const tt_val v = tt_fail_at(site, e->code ? e->code : TT_EMEM, "%s", e->code ? e->text : "out of memory");
    if (e->hint) tt_hint("%s", e->hint);
    tt_ok();                                             /* reports the error now: the program may end here */
    return v;
}

void ckpt_free(ckpt_bytes *b)
{
    free(b->p);
    *b = (ckpt_bytes){ 0 };
}

bool ckpt_alloc(ckpt_err *e, ckpt_bytes *b, size_t n)
{
    *b = (ckpt_bytes){ malloc(n ? n : 1), n };
    if (b->p) return true;
    b->n = 0;
    return ckpt_fail(e, TT_EMEM, "out of memory for %zu bytes", n);
}

char *ckpt_text(const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    char *s = NULL;
    if (vasprintf(&s, fmt, v) < 0) s = NULL;
    va_end(v);
    return s;
}
