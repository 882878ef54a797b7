/* base/base.h - the ground: memory by unit of work, interned text, errors, switches. Knows nothing of arrays. */
#ifndef TUTTI_BASE_H
#define TUTTI_BASE_H

#include <tutti/types.h>

#include <stdarg.h>
#include <stdio.h>

/* ---- memory ---- */

typedef struct base_arena base_arena;                    /* one unit of work (a trace, a pass, a plan); freed at once */
base_arena *base_open(void);                             /* unwinds like base_new */
base_arena *base_open_long(void);                        /* one that stays: no more than a fifth of it is unused */
void        base_close(base_arena *);                    /* NULL: nothing */
size_t      base_arena_bytes(const base_arena *);        /* of one that stays */
/* Zeroed, 16-byte aligned. Never NULL: failure unwinds to base_catch. */
void       *base_new(base_arena *, size_t bytes);
void       *base_copy(base_arena *, const void *, size_t bytes);
#define BASE_NEW(a, T, n) ((T *)base_new(a, (size_t)(n) * sizeof(T)))
#define BASE_COPY(a, p, n) base_copy(a, p, (size_t)(n) * sizeof *(p))

/* Runs body. False if an allocation in it failed (TT_EMEM is set). Every public entry is one such catch point, so an
 * unwind never crosses a user's frame. While it can happen, hold no lock, no file and no memory outside an arena; an
 * arena opened in body must be found through arg, so that the caller can close it.
 * Nested catches: an inner one returns false to its caller, which goes on unwinding by its own means. */
bool base_catch(void (*body)(void *), void *arg);
/* Unwinds to the nearest base_catch as a failed allocation does. For base_heap's callers and the allocation tests. */
_Noreturn void base_unwind(size_t bytes);

/* Runs body with an arena of its own, for what its work needs and its result does not. Unwinds like base_new. */
void base_with_arena(void (*body)(base_arena *, void *), void *arg);

/* Memory that outlives arenas (interned tables, arrays, handles). NULL on failure with TT_EMEM set; never unwinds. */
void *base_heap(size_t bytes);                           /* zeroed */
void *base_heap_grow(void *, size_t old_bytes, size_t bytes);    /* new part zeroed; the old block stays on failure */
void  base_heap_free(void *);
void *base_pages(size_t bytes);                          /* 64-byte aligned, contents unspecified; large: huge pages */
void  base_pages_free(void *, size_t bytes);
size_t base_live_bytes(void), base_peak_bytes(void);     /* pages, heap and arenas together; for tests and profiles */
/* Test hook: the nth allocation from now fails; 0: none. What was left of the count before it: 0 when it had fired. */
int64_t base_fail_allocation(int64_t nth);

/* ---- text ---- */

typedef const char *base_name;                           /* interned text: equality is pointer equality */
typedef const char *base_site;                           /* "mlp.c:42: tt_matmul(h, w2)", interned; NULL = unknown */
base_name base_intern(const char *text);                 /* NULL gives NULL; interning unwinds like base_new */
base_name base_intern_n(const char *text, size_t n);
const char *base_format(base_arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A growing text in an arena. */
typedef struct { base_arena *arena; char *s; size_t n, cap; } base_text;
void base_appendf(base_text *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Numbers in texts as C has them, "2.5", whatever locale the program has set: strtod, strtof, snprintf, fprintf. */
double base_strtod(const char *text, char **end);
float  base_strtof(const char *text, char **end);
int base_snprintf(char *to, size_t capacity, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int base_vsnprintf(char *to, size_t capacity, const char *fmt, va_list) __attribute__((format(printf, 3, 0)));
int base_fprintf(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int base_vfprintf(FILE *, const char *fmt, va_list) __attribute__((format(printf, 2, 0)));
/* This thread rounds to nearest, keeps tiny numbers and does not trap, until its mode is given back. */
uint64_t base_rounding(void);
void     base_rounding_back(uint64_t);
/* Interned immutable bytes: the same content gives the same pointer for ever (types, layouts, attributes). */
const void *base_intern_bytes(const void *, size_t bytes);
uint64_t base_hash(uint64_t seed, const void *, size_t bytes);

/* ---- the text of a call's options: ".decay = 0, .norm = { .eps = r }" ---- */

typedef struct {
    const char *name, *inner, *value;                    /* of ".norm.eps = r" name is "norm", inner ".eps = r" */
    size_t nname, nvalue;
} base_option;
/* The next item that has a name; at: where the rest begins. False: there is none. Values may be absent: ".decay". */
bool base_option_next(const char **at, base_option *);
bool base_option_is(const base_option *, const char *name);
/* The last item of that name, which is the one that C takes. given NULL: there is none. */
bool base_option_find(const char *given, const char *name, base_option *);

/* ---- errors: one per thread, the first is kept until taken ---- */

typedef struct { base_site site; const char *what; } base_cite;
typedef struct {                                         /* what, where, its operands and their lines, the way out */
    tt_code code;
    base_site site;
    const char *what, *hint;
    int ncite;
    base_cite cite[8];                                   /* operands, then the chain of transforms, inner first */
} base_error;
/* All give false. A thread keeps its first error: also, hint and caret add to the error just set, if it was kept. */
bool base_fail(tt_code, base_site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool base_also(base_site, const char *fmt, ...) __attribute__((format(printf, 2, 3)));  /* an operand and its line */
bool base_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));             /* the way out */
/* The way out of a word that is none of `words` ("a, b", "a b", "a:2, b:4"): the one that it is close to, if there is
 * one, and "the forms are: a, b". Without a lead the close one alone, or nothing: a base_hint may follow. */
bool base_hint_choices(const char *lead, const char *word, size_t n, const char *words);
bool base_bug(base_site, const char *fmt, ...) __attribute__((format(printf, 2, 3)));   /* our own mistake: TT_EBUG */
const base_error *base_failed(void);                     /* NULL: all is well on this thread */
void base_blame(base_site);                              /* where the kept error happened, if it does not say */
void base_uncite(void); /* drops the cites of the error just set: the caller knows better ones */
void base_clear_error(void);                             /* takes the error away */
/* How many errors were set on this thread since its start, also those after a kept one: "did this call fail?" */
uint64_t base_failures(void);
/* A caret under column col of text, for spec strings and IR text: appends "\n  text\n  ^" to the error's what. */
bool base_caret(const char *text, size_t col);

/* ---- the sink: nothing below api prints; a line for the user goes here and api decides ---- */

void base_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));      /* one line, without newline */
void base_set_log_sink(void (*sink)(const char *line));  /* NULL: dropped */

/* ---- switches: TUTTI="devices:4,ir:train,plan,reproducible" and the command line's ---- */

typedef struct {
    const char *name;
    enum { BASE_BARE, BASE_COUNT, BASE_NAME, BASE_CHOICE, BASE_BYTES } kind;    /* nothing; a number from 1; maybe a
                                                            name; one of; maybe a large number */
    const char *choice, *doc;                            /* the choices, separated by blanks */
} base_option_word;
extern const base_option_word base_option_words[];       /* ends with a NULL word */
/* The value after ':' of a word in force ("" when it has none), NULL when absent. Words: base_option_words[]. */
const char *base_switch(const char *word);
bool base_switches(base_site, const char *text);         /* adds words; false with a caret: nothing is changed */
void base_switch_off(const char *word);
uint64_t base_switch_changes(void);                      /* how often a switch was set or taken back */
bool base_switches_env(void);                            /* reads TUTTI once */

double base_seconds(void);                               /* monotonic clock */

#endif
