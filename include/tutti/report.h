/* tutti/report.h - showing values, errors, switches, and the end of a program. */
#include <tutti.h>
#ifndef TUTTI_REPORT_H
#define TUTTI_REPORT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Names the calls in the loop's body: plans, profiles and errors show the name after the line; nested names as
 * "[sync/metrics]". Values and programs do not change.
 *     for (TT_NAMED_SCOPE("sync_gradients")) grads = tt_pmean(grads, "data");
 * The loop's body must not be left by break or return.
 *     const char *was = tt_named_scope_enter("loss"); x = tt_call(f, x); tt_named_scope_exit(was); */
#define TT_NAMED_SCOPE(name) \
    const char *tt_was_ = tt_named_scope_enter(name), *tt_in_ = ""; tt_in_; \
    tt_in_ = (tt_named_scope_exit(tt_was_), (const char *)0)
TT_API const char *tt_named_scope_enter(const char *name); /* returns the previous name; NULL: none */
TT_API void tt_named_scope_exit(const char *was);

/*     tt_show(x), tt_show(params); */
#define tt_show(v)           tt_show_at(TT_AT("tt_show(" #v ")"), v)
/* Prints type with layout, and elements (abridged if there are many); trees with paths. Of an array of which other
 * processes hold parts: which of them has what, and no elements. */
TT_API void tt_show_at(const char *site, tt_val v);
/*     puts(tt_type_text(x)); */
#define tt_type_text(v)      tt_type_text_at(TT_AT("tt_type_text(" #v ")"), v)
/* "f32[4, 256, 1024@model]"; lives as long as the program */
TT_API const char *tt_type_text_at(const char *site, tt_val v);
/* An array's elements as NumPy prints them, "1.4580092", "[3 0 1 2]"; of a value without elements, or
 * with elements that other processes hold, its type. Lives
 * until this thread has requested 1,024 later texts, or ends.
 *     puts(tt_value_text(x)); */
#define tt_value_text(v)     tt_value_text_at(TT_AT("tt_value_text(" #v ")"), v)
TT_API const char *tt_value_text_at(const char *site, tt_val v);
/* The layout in JAX's notation: form "spec" PartitionSpec('data', None), "sharding" NamedSharding(...), and the other
 * forms of tutti/layout.h. "": no layout, or, with the error set, an unknown form.
 *     puts(tt_text(x, "sharding"));
 *     if (!tt_ok()) puts(tt_error()), tt_clear(); */
#define tt_text(v, form)     tt_text_at(TT_AT("tt_text(" #v ", " #form ")"), v, form)
TT_API const char *tt_text_at(const char *site, tt_val v, const char *form);
typedef struct { tt_code code; const char *message; const char *site; const char *hint; } tt_error_info;
TT_API int tt_ok(void);                                  /* True if this thread has no error */
/* True inside a function that the library has called, to trace it or for its value: an exception
 * of C++ must not leave it.
 *     if (!tt_is_inside()) puts("called by the program itself"); */
TT_API bool tt_is_inside(void);
TT_API const char *tt_error(void);                       /* the full text of the first error; "": none (tt_ok) */
/* The error's parts; code TT_OK and empty texts: no error. A site or hint that the error lacks is empty too.
 *     const tt_error_info *info = tt_error_record(); printf("%d at %s\n", (int)info->code, info->site); */
TT_API const tt_error_info *tt_error_record(void);
TT_API void tt_clear(void);                              /* clears the error and a Ctrl-C */
/* The handler is called instead of printing to stderr
 *     tt_on_error(handler, NULL); */
TT_API void tt_on_error(void (*handler)(const tt_error_info *, void *env), void *env);
/* Fails as a library call does; returns poison. For functions written on top of Tutti, which begin with TT_ENTRY(site):
 * the error is reported, with the hint of a tt_hint that follows, when the outermost of them returns, or earlier at the
 * next tt_ok, tt_clear or call of the library. Outside of such functions the error is reported by these calls or by
 * tt_hint. The errors of tt_match and tutti/form.h are reported likewise.
 * An error without a line gets that of the outermost function's site.
 *     tt_val my_layer_at(const char *site, tt_val x)
 *     {
 *         TT_ENTRY(site);
 *         if (tt_rank_at(site, x) != 2) return tt_fail_at(site, TT_ESHAPE, "my_layer: %s", tt_type_text(x));
 *         return tt_relu_at(site, x);
 *     }
 */
#if defined(__GNUC__)
/*     tt_entry entry = tt_entry_begin(site); x = tt_call(f, x); tt_entry_end(&entry); */
#define TT_ENTRY(at) \
    __attribute__((cleanup(tt_entry_end), unused)) const tt_entry tt_entry_ = tt_entry_begin(at)
#else
#define TT_ENTRY(at)         ((void)0)
#endif
typedef struct tt_entry { const char *site; int depth; } tt_entry;
TT_API tt_entry tt_entry_begin(const char *site);
/* Suspends the entry around a call of the user's function: calls in that function report their errors when they return.
 *     tt_entry pause = tt_entry_pause(); callback(x); tt_entry_end(&pause); */
TT_API tt_entry tt_entry_pause(void);
TT_API void tt_entry_end(const tt_entry *);
TT_API tt_val tt_fail_at(const char *site, tt_code code, const char *fmt, ...) TT_FORMAT(3, 4);
TT_API void tt_hint(const char *fmt, ...) TT_FORMAT(1, 2);
/* Sets the hint for a word (n letters; -1: all) that is not among `words`: tt_hint_choices("the forms are", w, -1, "a,
 * b") gives "the forms are: a, b", after the closest of the words, if one is close.
 *     tt_hint("pass a matrix"), tt_hint_choices("the modes are", "fanin", -1, "fan_in, fan_out"); */
TT_API void tt_hint_choices(const char *lead, const char *word, int n, const char *words);
/* Keeps a copy of `bytes` bytes until this thread keeps the next copy of the same kind, or ends; returns the copy. For
 * functions written on top of Tutti that return texts: return tt_keep_latest("my summary", text, strlen(text) + 1).
 * NULL with the error set: out of memory.
 *     return tt_keep_latest("my summary", text, strlen(text) + 1); */
TT_API const void *tt_keep_latest(const char *kind, const void *data, size_t bytes);
/* Drops all traced and compiled functions that no other thread is running; they are traced and compiled again when they
 * are called. The caches are bounded without this call: 2,048 compiled calls, and the larger of 1 GiB and an eighth of
 * the memory; least recently used first.
 *     tt_clear_caches(); */
TT_API void tt_clear_caches(void);
/* Ends main: closes all open scopes and returns the code of the first error, of this thread or else of another; 0:
 * none. Lines of tt_show, tt_print or printf that could not be written (a full disk) are TT_EIO, after a message;
 * not if stdout is closed, or if its reader has ended. A program that ends without tt_done waits for the background
 * saves of all its threads; if an error was neither cleared nor read, and main returns 0, a message says so and the
 * exit status is the error's code.
 *     return tt_done(); */
TT_API int tt_done(void);
/* Sets words of TUTTI: "ir:train, plan, devices:4". False with the error set: no word of the text is in force,
 * and if a library of PJRT did not open, no engine is (tt_engine).
 *     tt_config("plan:step, devices:4"); */
#define tt_config(words)     tt_config_at(TT_AT("tt_config(" #words ")"), words)
TT_API bool tt_config_at(const char *site, const char *words);
/* The text after the word's colon ("" if there is none); NULL: the word is not in force
 *     if (tt_config_value("strict")) puts("gathers are errors"); */
TT_API const char *tt_config_value(const char *word);
/* All words of TUTTI, a line each with what it does, as `tutti --help` prints them; lives until this thread asks for it
 * again.
 *     puts(tt_config_text());
 *     tt_reproducible(1); */
TT_API const char *tt_config_text(void);
TT_API void tt_reproducible(int on);                     /* from here on bits do not depend on rows, mesh or workers */
/* Sets the number of threads that compute, from the next call on (at most 256). It replaces the default, one per core
 * that the process may use (taskset), and TUTTI=workers:N: tt_threads(1) leaves the other cores to the program. Returns
 * the number in force; tt_threads(0) only returns it. Waits for calls that run on other threads; values never depend on
 * the number. 0 with an error: n is negative. TUTTI=pin binds each of these threads except the caller's to a core.
 *     printf("%d threads\n", tt_threads(4)); */
#define tt_threads(n)        tt_threads_at(TT_AT("tt_threads(" #n ")"), n)
TT_API int tt_threads_at(const char *site, int n);
/* The compiled plan as TUTTI=plan prints it
 *     puts(tt_plan_text(0, TT_FN(f), (tt_val[]){ x, tt_end })), puts(tt_ir_text(0, TT_FN(f), (tt_val[]){ x, tt_end }));
 *     tt_plan_counts counts;
 *     if (tt_plan_count(0, TT_FN(f), (tt_val[]){ x, tt_end }, &counts)) puts("planned");
 *     puts(tt_doctor()); */
TT_API const char *tt_plan_text(const char *site, tt_fn f, const tt_val *args);
/* exchange_bytes: received by all devices; arena_bytes: per device; times in seconds */
typedef struct {
    int64_t kernels, distinct, exchanges, exchange_bytes, arena_bytes, steps; double trace_s, compile_s;
} tt_plan_counts;
TT_API bool tt_plan_count(const char *site, tt_fn f, const tt_val *args, tt_plan_counts *);
TT_API const char *tt_ir_text(const char *site, tt_fn f, const tt_val *args);    /* the traced function as IR text */
TT_API const char *tt_doctor(void);                      /* what was detected: CPU, engines, plug-ins, threads */
/* Prints a line on stdout, above the progress bar
 *     tt_print("epoch %d: loss %.3f", epoch, tt_num(l)); */
TT_API void tt_print(const char *fmt, ...) TT_FORMAT(1, 2);

#ifdef __cplusplus
}
#endif
#endif
