/* tutti/form.h - forms: a call as text, "normal(stddev=0.02)", as used to name initializers, schedules and chains of
 * optimizers. For libraries that read such texts.
 *
 *   form = name | name ( [arg { , arg }] )     arg = [key =] value     value = number | words | form
 * Values without a key take the keys in order and stand before those with one, as in Python. A form points into its
 * text, which must outlive it.
 */
#include <tutti.h>
#ifndef TUTTI_FORM_H
#define TUTTI_FORM_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>


#ifdef __cplusplus
extern "C" {
#endif

enum { TT_FORM_ARGS = 24 };
typedef struct { const char *p; int n; } tt_span;
typedef struct tt_form {
    const char *site, *text;                             /* text: the full text, for messages with a caret */
    tt_span name; int n;
    struct { tt_span key, value; } arg[TT_FORM_ARGS];
} tt_form;

/* Reads one form at the start of *at and moves *at to its end (at NULL: reads `text`, which must contain nothing else).
 * False with the error set. tt_form_keys binds the keys.
 *     tt_form form; if (tt_form_read(site, "normal(stddev=0.02)", NULL, &form)) puts("one form");
 *     if (tt_form_is(&form, "normal")) puts("the normal distribution"); */
TT_API bool tt_form_read(const char *site, const char *text, const char **at, tt_form *out);
TT_API bool tt_form_is(const tt_form *, const char *name);
/* Gives values without key the names in `keys` ("init_value decay_steps") in order; any other key is an error. keys
 * must live as long as the form.
 *     tt_form_keys(&form, "stddev mean");
 *     if (tt_form_has(&form, "stddev")) puts("with a width"); */
TT_API bool tt_form_keys(tt_form *, const char *keys);
TT_API bool tt_form_has(const tt_form *, const char *key);
/* true, True: 1; false, False: 0; NaN: an error
 *     double width = tt_form_number(&form, "stddev", 0.01);
 *     tt_span word_span = tt_form_value(&form, "stddev"); */
TT_API double tt_form_number(const tt_form *, const char *key, double usual);
TT_API tt_span tt_form_value(const tt_form *, const char *key);                  /* p NULL: not given */
/* Copies the value to `to` as a text; a value longer than `size` allows is an error.
 *     char word[32]; puts(tt_form_word(&form, "mode", "fan_in", word, sizeof word)); */
TT_API const char *tt_form_word(const tt_form *, const char *key, const char *usual, char *to, size_t size);
/* Reads a value that is itself one form, by its key or as number i. False with the error set.
 *     tt_form inner; tt_form_nth(&form, 0, &inner); */
TT_API bool tt_form_of(const tt_form *, const char *key, tt_form *out);
TT_API bool tt_form_nth(const tt_form *, int i, tt_form *out);
/* Sets error TT_ETEXT with a caret below `where`; returns poison
 *     return tt_form_fail(&form, form.name, "no such initializer"); */
TT_API tt_val tt_form_fail(const tt_form *, tt_span where, const char *fmt, ...) TT_FORMAT(3, 4);

/* Reads the dims of the array v that an option lists, "0, -1": each once, in rising order to dim, which has room for
 * all, or is NULL. text NULL: all dims. Returns their number; -1 with the error set; `what` begins the error's text. */
TT_API int tt_dims_listed_at(const char *site, const char *what, tt_val v, const char *text, int *dim);

/* Numbers in C's notation, "2.5", independent of the program's locale: strtod, snprintf and fprintf for such texts.
 *     char text[32]; tt_snprintf(text, sizeof text, "%.3f", tt_strtod("2.5", NULL));
 *     tt_fprintf(stdout, "%g\n", 2.5);
 *     tt_vsnprintf(text, sizeof text, format, arguments); */
TT_API double tt_strtod(const char *text, char **end);
TT_API int tt_snprintf(char *to, size_t capacity, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
TT_API int tt_vsnprintf(char *to, size_t capacity, const char *fmt, va_list) __attribute__((format(printf, 3, 0)));
TT_API int tt_fprintf(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A stream into memory, as POSIX' open_memstream, which loses text without a word if memory runs out. Here fclose sets
 * *text to all that was written, with a 0 after it, and *bytes to its length without the 0; the caller frees *text. If
 * memory ran out, fclose returns EOF and *text is NULL. NULL: there is no memory for a stream.
 *     char *line; size_t length;
 *     FILE *into = tt_open_memstream(&line, &length);
 *     if (into) tt_fprintf(into, "loss %g\n", 2.5);
 *     if (into && !fclose(into)) puts(line), free(line); */
TT_API FILE *tt_open_memstream(char **text, size_t *bytes);
/* As pthread_create, for a thread of a library's own: signals that are sent to the process go to the program's threads,
 * whatever they block. The thread takes those that its own instructions raise (SIGSEGV), and SIGPROF.
 *     pthread_t thread;
 *     if (!tt_thread_start(&thread, thread_work, NULL)) pthread_join(thread, NULL); */
TT_API int tt_thread_start(pthread_t *thread, void *(*work)(void *), void *env);

#ifdef __cplusplus
}
#endif
#endif
