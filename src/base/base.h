/* base/base.h - memory by unit of work, interned text, errors, switches. Independent of arrays and the IR. */
#ifndef TUTTI_BASE_H
#define TUTTI_BASE_H

#include <tutti/types.h>

#include <stdarg.h>
#include <stdio.h>

/* ---- memory ---- */

typedef struct base_arena base_arena;                    /* one unit of work (a trace, a pass, a plan); freed at once */
base_arena *base_open(void);                             /* unwinds like base_new */
base_arena *base_open_long(void);                        /* a long-lived arena: at most about 20 % of it is unused */
void        base_close(base_arena *);                    /* NULL: does nothing */
size_t      base_arena_bytes(const base_arena *);        /* of a long-lived arena */
/* Zeroed, 16-byte aligned. Never NULL: failure unwinds to base_catch. */
void       *base_new(base_arena *, size_t bytes);
void       *base_copy(base_arena *, const void *, size_t bytes);
#define BASE_NEW(a, T, n) ((T *)base_new(a, (size_t)(n) * sizeof(T)))
#define BASE_COPY(a, p, n) base_copy(a, p, (size_t)(n) * sizeof *(p))

/* Runs body. False if an allocation in body failed (TT_EMEM is set). Every public entry is a catch point, so an unwind
 * never crosses a frame of the user's program. Code that may be unwound holds no lock, no file and no memory outside an
 * arena. An arena opened in body must be reachable through arg, so that the caller can close it.
 * Nested catches: the inner one returns false to its caller, which continues the unwind itself. */
bool base_catch(void (*body)(void *), void *arg);
/* Unwinds to the nearest base_catch as a failed allocation does. For base_heap's callers and the allocation tests. */
_Noreturn void base_unwind(size_t bytes);
/* A guard of calls under way: if they never return, since a function of the program jumps out of them (longjmp) or ends
 * its thread, left(env) is called first, on the frames that go away, innermost guard first; base_catch is again as it
 * was at base_guard_begin. Guards nest, and stand in a local variable. With the GNU C library alone. */
typedef struct { void *entry[5]; void (*left)(void *); void *env; void *catcher; } base_guard;
void base_guard_begin(base_guard *, void (*left)(void *), void *env);
void base_guard_end(base_guard *);

/* Runs body with a temporary arena, for memory that the result of body does not need. Unwinds like base_new. */
void base_with_arena(void (*body)(base_arena *, void *), void *arg);

/* Memory that outlives arenas (interned tables, arrays, handles). NULL on failure with TT_EMEM set; never unwinds. */
void *base_heap(size_t bytes);                           /* zeroed */
void *base_heap_grow(void *, size_t old_bytes, size_t bytes);    /* new part zeroed; the old block stays on failure */
void  base_heap_free(void *);
void *base_pages(size_t bytes);                          /* 64-byte aligned, contents unspecified; large: huge pages */
void  base_pages_free(void *, size_t bytes);
/* n rounded up to a multiple of unit; n >= 0, unit > 0. */
static inline int64_t base_round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
/* Bytes of a cache line, on every machine: plans, arenas and scratch are laid out by it. */
enum { BASE_CACHE_LINE = 64 };
/* The first address from p on that is a multiple of a cache line. */
static inline void *base_line_up(const void *p)
{
    return (void *)(((uintptr_t)p + BASE_CACHE_LINE - 1) & ~((uintptr_t)BASE_CACHE_LINE - 1));
}
size_t base_live_bytes(void), base_peak_bytes(void);     /* pages, heap and arenas together; for tests and profiles */
/* Test hook: makes the nth allocation from now fail; 0: none. Returns the rest of the former count: 0 after it
 * fired. */
int64_t base_fail_allocation(int64_t nth);

/* ---- text ---- */

typedef const char *base_name;                           /* interned text: equality is pointer equality */
typedef const char *base_site;                           /* "mlp.c:42: tt_matmul(h, w2)", interned; NULL = unknown */
base_name base_intern(const char *text);                 /* NULL gives NULL; interning unwinds like base_new */
base_name base_intern_n(const char *text, size_t n);
const char *base_format(base_arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *base_bytes_text(base_arena *, double bytes); /* "12.5 KiB"; below 10000 "8192 B" */
/* A growing text in an arena. */
typedef struct { base_arena *arena; char *s; size_t n, cap; } base_text;
void base_appendf(base_text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* strtod, strtof, snprintf and vsnprintf in the C locale ("2.5"), whichever locale the program has set. */
double base_strtod(const char *text, char **end);
float  base_strtof(const char *text, char **end);
int base_snprintf(char *to, size_t capacity, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int base_vsnprintf(char *to, size_t capacity, const char *fmt, va_list) __attribute__((format(printf, 3, 0)));
int base_fprintf(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int base_vfprintf(FILE *, const char *fmt, va_list) __attribute__((format(printf, 2, 0)));
/* Sets the thread's floating-point mode to round to nearest, keep denormals and not trap, until base_rounding_back gets
 * the mode returned. */
uint64_t base_rounding(void);
void     base_rounding_back(uint64_t);
/* Interned immutable bytes: equal content gives equal pointers, forever (types, layouts, attributes). */
const void *base_intern_bytes(const void *, size_t bytes);
uint64_t base_hash(uint64_t seed, const void *, size_t bytes);

/* ---- the text of a call's options: ".decay = 0, .norm = { .eps = r }" ---- */

typedef struct {
    const char *name, *inner, *value;                    /* ".norm.eps = r": name "norm", inner ".eps = r" */
    size_t nname, nvalue;
} base_option;
/* Reads the next item with a name and moves *at past it. False: no more items. Values may be absent: ".decay". */
bool base_option_next(const char **at, base_option *);
bool base_option_is(const base_option *, const char *name);
/* Finds the last item with the name, as C takes the last initialiser. False: none; given may be NULL. */
bool base_option_find(const char *given, const char *name, base_option *);

/* ---- errors: one per thread, the first is kept until taken ---- */

typedef struct { base_site site; const char *what; } base_cite;
typedef struct {                                         /* message, site, operands with their sites, hint */
    tt_code code;
    base_site site;
    const char *what, *hint;
    int ncite;
    base_cite cite[8];                                   /* operands, then the chain of transforms, inner first */
} base_error;
/* All of these return false. A thread keeps its first error: also, hint and caret add to the error just set, if it was
 * kept. */
bool base_fail(tt_code, base_site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool base_also(base_site, const char *fmt, ...) __attribute__((format(printf, 2, 3)));  /* an operand and its site */
bool base_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));             /* how to avoid the error */
/* Hint for a word that is none of `words` ("a, b", "a b", "a:2, b:4"): suggests a similar one, if any, and lists the
 * words after `lead` ("the forms are: a, b"). lead NULL: the suggestion only, or nothing; a base_hint may follow. */
bool base_hint_choices(const char *lead, const char *word, size_t n, const char *words);
bool base_bug(base_site, const char *fmt, ...) __attribute__((format(printf, 2, 3)));   /* a bug in Tutti: TT_EBUG */
const base_error *base_failed(void);                     /* the thread's kept error; NULL: none */
void base_blame(base_site);                              /* sets the site of the kept error, if the error has none */
void base_uncite(void);                                  /* drops the cites of the error just set, for better ones */
void base_clear_error(void);                             /* drops the kept error */
/* Number of errors set on this thread since its start, including those not kept. A change across a call means that the
 * call failed. */
uint64_t base_failures(void);
/* Appends "\n  text\n  ^" to the error's message, with the caret below column col; for specs and IR text. */
bool base_caret(const char *text, size_t col);

/* ---- the log sink: rooms below api do not print; they log lines for the user, and api decides ---- */

void base_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));      /* one line, without newline */
void base_set_log_sink(void (*sink)(const char *line));  /* NULL: dropped */

/* ---- switches: TUTTI="devices:4,ir:train,plan,reproducible" and the command line's ---- */

enum { BASE_WORKERS = 256 };                             /* threads that compute, at most */
typedef struct {
    const char *name;
    enum { BASE_BARE, BASE_COUNT, BASE_NAME, BASE_CHOICE, BASE_BYTES } kind;    /* value: none; a number from 1; an
                                                            optional name; a choice; optional bytes */
    const char *choice, *doc;                            /* the choices, separated by blanks */
} base_option_word;
extern const base_option_word base_option_words[];       /* ends with a NULL word */
/* The value after ':' of a word that is set ("" if without value); NULL: not set. Words: base_option_words[]. */
const char *base_switch(const char *word);
/* Reads "10us+5GB/s": seconds, and seconds per byte. False: it is something else (link.c). */
bool base_link_read(const char *text, double *latency, double *per_byte);
bool base_switches(base_site, const char *text);         /* adds words; false, with an error: nothing changed */
void base_switch_off(const char *word);
const char **base_switches_keep(base_arena *);           /* the values of all words now */
void base_switches_restore(const char *const *kept);
uint64_t base_switch_changes(void);                      /* number of changes of switches so far */
bool base_switches_env(void);                            /* reads TUTTI once */

/* ---- plug-ins: libraries that are opened at run time ---- */

/* The folders to search, with ':' between them, best first. */
void base_plugin_places(char *list, size_t capacity);
/* True if only root, this user and the owner of this code can have written the file or replaced it. real: the file's
 * path without links, to be loaded. If false, *why says what is wrong. */
bool base_plugin_trusted(const char *path, char real[4096], const char **why);

double base_seconds(void);                               /* monotonic clock */

#endif
