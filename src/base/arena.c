/* base/arena.c - arenas (memory by unit of work), the unwind after a failed allocation, and calls that never return.
 *
 * An arena is a list of chunks. A request takes memory from the newest chunk or opens another one: twice as large, or a
 * quarter of all bytes in a long-lived arena. An arena is freed as one. base_new never returns NULL: it jumps to the
 * nearest base_catch of the thread, so callers need no failure path for memory. An arena opened in the body of a
 * base_catch is closed by the caller of base_catch: its pointer must be in the object that `arg` points to, not only in
 * a variable of the body. */
#include "inner.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Under the address sanitizer only requested bytes are accessible, and a gap separates blocks. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#define CLOSED(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define OPENED(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
enum { GAP = 0 };
#define CLOSED(p, n) ((void)0)
#define OPENED(p, n) ((void)0)
#endif

/* clear: the first bytes, which are used or zero; the contents of the others are unspecified */
typedef struct chunk { struct chunk *next; size_t used, size, clear; alignas(16) char at[]; } chunk;
enum { ALIGN = 16, FIRST = 8 << 10, FIRST_LONG = 2 << 10 };
enum { LARGEST = (2 << 20) - sizeof(chunk) - BASE_HEAD };        /* one huge page, see heap.c */

struct base_arena { chunk *top; size_t all; };           /* in its own first chunk; all: bytes, if long-lived */

typedef struct frame { jmp_buf jump; struct frame *outer; } frame;
static _Thread_local frame *catcher;

bool base_catch(void (*body)(void *), void *arg)
{
    frame f;                                             /* setjmp fills the rest: 200 bytes are not cleared before */
    f.outer = catcher;
    catcher = &f;
    if (setjmp(f.jump)) return false;                    /* base_unwind has popped the frame */
    body(arg);
    catcher = f.outer;
    return true;
}

_Noreturn void base_unwind(size_t bytes)
{
    frame *f = catcher;
    base_fail(TT_EMEM, NULL, "out of memory: a block of %zu bytes was refused", bytes);
    if (!f) {                                           /* a bug: an entry without a base_catch */
        base_log("out of memory outside of any entry of the library");
        __builtin_trap();
    }
    catcher = f->outer;
    longjmp(f->jump, 1);
}

/* The GNU C library calls routines of this list when longjmp passes their frames, and when a thread ends within them.
 * Its functions are of the binary interface, and no header declares them. */
#ifdef __GLIBC__
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *, void (*)(void *), void *) __attribute__((weak));
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *, int) __attribute__((weak));
_Static_assert(sizeof(struct _pthread_cleanup_buffer) <= sizeof((base_guard *)0)->entry, "space for the entry");

static void guard_left(void *p)
{
    base_guard *const g = p;
    catcher = g->catcher;
    g->left(g->env);
}
#endif

void base_guard_begin(base_guard *g, void (*left)(void *), void *env)
{
    g->left = left, g->env = env, g->catcher = catcher;
#ifdef __GLIBC__
    if (_pthread_cleanup_push) _pthread_cleanup_push((void *)g->entry, guard_left, g);
#endif
}

void base_guard_end(base_guard *g)
{
    (void)g;
#ifdef __GLIBC__
    if (_pthread_cleanup_pop) _pthread_cleanup_pop((void *)g->entry, 0);
#endif
}

typedef struct { base_arena *a; void (*body)(base_arena *, void *); void *arg; } aside;

static void run_aside(void *p)
{
    aside *s = p;
    s->a = base_open();
    s->body(s->a, s->arg);
}

void base_with_arena(void (*body)(base_arena *, void *), void *arg)
{
    aside s = { NULL, body, arg };
    const bool whole = base_catch(run_aside, &s);
    base_close(s.a);
    if (!whole) base_unwind(0);                          /* the error set has the number of bytes */
}

static chunk *more(size_t size, size_t bytes)
{
    bool zero = false;
    chunk *c = size >= bytes ? base_chunk_of_arena(sizeof(chunk) + size, &zero) : NULL;
    if (!c) base_unwind(bytes);
    *c = (chunk){ .size = size, .clear = zero ? size : 0 };
    CLOSED(c->at, size);
    return c;
}

/* Clears the used bytes and some of those that follow: each part of a chunk just before it is used, while it is in the
 * cache. Many chunks are never used to their ends. */
static void arena_clear(chunk *c)
{
    enum { STEP = 1 << 10 };
    const size_t from = c->clear, to = c->size - c->used > STEP ? c->used + STEP : c->size;
    OPENED(c->at + from, to - from);
    memset(c->at + from, 0, to - from);
    CLOSED(c->at + from, to - from);
    c->clear = to;
}

static base_arena *arena_opened(size_t first, bool stays)
{
    if (base_refused()) base_unwind(first);
    chunk *c = more(first, first);
    base_arena *a = (base_arena *)c->at;
    OPENED(c->at, ALIGN);
    c->used = ALIGN;
    if (!c->clear) c->clear = ALIGN;
    a->top = c;
    a->all = stays ? first : 0;
    return a;
}

base_arena *base_open(void) { return arena_opened(FIRST, false); }
base_arena *base_open_long(void) { return arena_opened(FIRST_LONG, true); }

size_t base_arena_bytes(const base_arena *a) { return a->all; }

void base_close(base_arena *a)
{
    for (chunk *c = a ? a->top : NULL, *next; c; c = next) {
        next = c->next;
        OPENED(c->at, c->size);
        if (c->size == LARGEST) base_chunk_keep(c);
        else base_chunk_free(c);
    }
}

void *base_new(base_arena *a, size_t bytes)
{
    const size_t n = (bytes + ALIGN - 1) / ALIGN * ALIGN + GAP;
    chunk *c = a->top;
    if (base_refused() || n < bytes) base_unwind(bytes);
    if (n > c->size - c->used) {
        const size_t capacity = a->all ? a->all / 4 > FIRST_LONG ? a->all / 4 : FIRST_LONG : 2 * c->size;
        const size_t next = capacity < LARGEST ? capacity / ALIGN * ALIGN : LARGEST;
        chunk *fresh = more(n > next ? n : next, bytes);
        if (a->all) a->all += fresh->size;
        if (n > next) {                                  /* a separate chunk below the top, which has bytes left */
            fresh->next = c->next;
            c->next = fresh;
        } else {
            fresh->next = c;
            a->top = fresh;
        }
        c = fresh;
    }
    c->used += n;
    if (c->used > c->clear) arena_clear(c);
    char *p = c->at + c->used - n;
    OPENED(p, bytes);
    return p;
}

void *base_copy(base_arena *a, const void *p, size_t bytes)
{
    void *q = base_new(a, bytes);
    if (bytes) memcpy(q, p, bytes);
    return q;
}

enum { FEW = 128 };                                      /* enough bytes for most texts */

const char *base_format(base_arena *a, const char *fmt, ...)
{
    char few[FEW];
    va_list v, w;
    va_start(v, fmt);
    va_copy(w, v);
    const int n = base_vsnprintf(few, sizeof few, fmt, v);
    va_end(v);
    char *s = base_new(a, n < 0 ? 1 : (size_t)n + 1);
    if (n > 0 && n < FEW) memcpy(s, few, (size_t)n + 1);
    else if (n > 0) base_vsnprintf(s, (size_t)n + 1, fmt, w);
    va_end(w);
    return s;
}

const char *base_bytes_text(base_arena *a, double n)
{
    static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB" };
    int u = -1;
    if (n < 10000) return base_format(a, "%.0f B", n);
    for (; u < 4 && (u < 0 || n >= 1000); u++) n /= 1024;
    return base_format(a, "%.1f %s", n, unit[u]);
}

void base_appendf(base_text *t, const char *fmt, ...)
{
    va_list v, w;
    if (!t->s) t->s = base_new(t->arena, t->cap = FEW), t->n = 0;
    va_start(v, fmt);
    va_copy(w, v);
    const int more_bytes = base_vsnprintf(t->s + t->n, t->cap - t->n, fmt, v);
    va_end(v);
    const size_t n = more_bytes > 0 ? (size_t)more_bytes : 0;
    if (t->n + n >= t->cap) {
        const size_t cap = 2 * (t->n + n) + 64;
        char *s = base_new(t->arena, cap);
        if (t->n) memcpy(s, t->s, t->n);
        t->s = s;
        t->cap = cap;
        base_vsnprintf(t->s + t->n, t->cap - t->n, fmt, w);
    }
    va_end(w);
    t->n += n;
}
