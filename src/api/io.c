/* api/io.c - lines for people, texts that live on, switches, reproducibility. */
#include "api.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *api_keep_text(const char *text) { return base_intern(text); }

/* ---- texts for a while: a thread's last ones ---- */

enum { TEXTS = 1024 };
typedef struct { int next; char *text[TEXTS]; } texts;
static pthread_key_t texts_key;
static pthread_once_t texts_once = PTHREAD_ONCE_INIT;

static void texts_free(void *p)
{
    texts *t = p;
    for (int i = 0; i < TEXTS; i++) base_heap_free(t->text[i]);
    base_heap_free(t);
}

static void texts_leave(void)                            /* the main thread ends with the program */
{
    texts *t = pthread_getspecific(texts_key);
    if (t) pthread_setspecific(texts_key, NULL), texts_free(t);
}

static void texts_begin(void)
{
    pthread_key_create(&texts_key, texts_free);
    atexit(texts_leave);
}

const char *api_late_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    pthread_once(&texts_once, texts_begin);
    texts *t = pthread_getspecific(texts_key);
    if (!t && (t = base_heap(sizeof *t))) pthread_setspecific(texts_key, t);
    char *copy = t ? base_heap(n) : NULL;
    if (!copy) base_unwind(n);
    base_heap_free(t->text[t->next]);
    t->text[t->next] = memcpy(copy, text, n);
    t->next = (t->next + 1) % TEXTS;
    return copy;
}

/* ---- lines ---- */

static FILE *reports(void)                               /* TUTTI=report:3: a stream of their own */
{
    static FILE *_Atomic to;
    FILE *none = NULL, *fresh;
    const char *fd = base_switch("report");
    if (!fd) return stdout;
    if (atomic_load(&to) || !(fresh = fdopen(atoi(fd), "w"))) return atomic_load(&to) ? atomic_load(&to) : stdout;
    if (!atomic_compare_exchange_strong(&to, &none, fresh)) fclose(fresh);
    return atomic_load(&to);
}

static void line_to(FILE *to, const char *line)
{
    api_bar_hide();
    fputs(line, to);
    fputc('\n', to);
    fflush(to);
    api_bar_show();
}

void api_line(const char *line) { line_to(stdout, line); }
void api_report_line(const char *line) { line_to(reports(), line); }

void tt_print(const char *fmt, ...)
{
    char line[4096];
    va_list v;
    va_start(v, fmt);
    vsnprintf(line, sizeof line, fmt, v);
    va_end(v);
    const size_t n = strlen(line);
    if (n && line[n - 1] == '\n') line[n - 1] = '\0';
    api_line(line);
}

ENTRY1(bool, false, api_switches, const char *, words)
{
    return base_switches(site ? site : "tt_switches", words ? words : "");
}
bool tt_switches(const char *words) { return api_switches_at(NULL, words); }

ENTRY1(bool, false, api_reproducible, int, on)
{
    return on ? base_switches(NULL, "reproducible") : (base_switch_off("reproducible"), true);
}
void tt_reproducible(int on) { api_reproducible_at(NULL, on); }

ENTRY1(int, 0, tt_threads, int, n) { return n && !run_workers_set(site, n) ? 0 : run_workers(); }

ENTRY1(const char *, NULL, api_word, const char *, word) { return word ? base_switch(word) : NULL; }
const char *tt_word(const char *word) { return api_word_at(NULL, word); }
