/* base/error.c - errors: each thread keeps its first error until it is cleared.
 *
 * The text of an error is in a buffer of the thread, which the first error gets. base_also, base_hint and base_caret
 * add to the last base_fail; if this error was not kept, they do nothing. */
#include "base.h"
#include "thread.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CAPACITY = 8192, CITES = sizeof((base_error *)0)->cite / sizeof(base_cite) };

static _Thread_local struct {
    base_error e;
    bool set, kept;                                      /* kept: e holds the latest base_fail */
    uint64_t failures;
    size_t used, what_end;                               /* base_caret appends if used is still what_end */
    char *buffer; size_t capacity;
} err;

__attribute__((format(printf, 1, 0)))
static const char *write_text(const char *fmt, va_list v)
{
    const size_t left = err.capacity - err.used;
    char *at = err.buffer + err.used;
    if (left < 2) return "";
    const int n = base_vsnprintf(at, left, fmt, v);
    const size_t took = n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
    at[took] = '\0';
    err.used += took + 1;
    return at;
}

__attribute__((format(printf, 3, 0)))
static void set(tt_code code, base_site site, const char *fmt, va_list v)
{
    err.failures++;
    err.kept = !err.set;
    if (err.set) return;
    err.set = true;
    err.used = 0;
    err.capacity = base_thread_text(&err.buffer, CAPACITY);
    memset(&err.e, 0, sizeof err.e);
    err.e.code = code;
    err.e.site = site;
    err.e.what = err.capacity ? write_text(fmt, v) : "out of memory";
    err.what_end = err.used;
}

bool base_fail(tt_code code, base_site site, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    set(code, site, fmt, v);
    va_end(v);
    return false;
}

bool base_bug(base_site site, const char *fmt, ...)
{
    va_list v;
    va_start(v, fmt);
    set(TT_EBUG, site, fmt, v);
    va_end(v);
    return base_hint("this is a mistake in Tutti, not in your program; please report it with this message");
}

bool base_also(base_site site, const char *fmt, ...)
{
    va_list v;
    if (!err.set || !err.kept || err.e.ncite == CITES) return false;
    va_start(v, fmt);
    err.e.cite[err.e.ncite++] = (base_cite){ site, write_text(fmt, v) };
    va_end(v);
    return false;
}

bool base_hint(const char *fmt, ...)
{
    va_list v;
    if (!err.set || !err.kept || err.e.hint) return false;       /* the first hint is the most specific one */
    va_start(v, fmt);
    err.e.hint = write_text(fmt, v);
    va_end(v);
    return false;
}

/* Appends the line of text that contains col, shortened to a window if it is long, and a caret below col. */
bool base_caret(const char *text, size_t col)
{
    enum { WIDE = 100 };
    const size_t n = strlen(text);
    if (!err.set || !err.kept || err.what_end != err.used || !err.used) return false;
    if (col > n) col = n;
    size_t lo = col, hi = col;
    while (lo > 0 && text[lo - 1] != '\n' && col - lo < WIDE * 2 / 3) lo--;
    while (text[hi] && text[hi] != '\n' && hi - lo < WIDE) hi++;
    char *at = err.buffer + err.used - 1;                /* overwrites the NUL of e.what */
    const size_t left = err.capacity - err.used + 1;
    const int took = snprintf(at, left, "\n  %.*s\n  %*s^", (int)(hi - lo), text + lo, (int)(col - lo), "");
    err.used += took < 0 ? 0 : (size_t)took < left ? (size_t)took : left - 1;
    err.what_end = err.used;
    return false;
}

const base_error *base_failed(void) { return err.set ? &err.e : NULL; }
void base_blame(base_site site) { if (err.set && !err.e.site) err.e.site = site; }
void base_uncite(void) { if (err.set && err.kept) err.e.ncite = 0; }
void base_clear_error(void) { err.set = err.kept = false; }
uint64_t base_failures(void) { return err.failures; }
