/* api/io.c - printed lines, texts that outlive a call, switches, reproducibility. */
#include "api.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

const char *api_keep_text(const char *text) { return base_intern(text); }

/* ---- temporary copies: owned by a thread, freed with it ---- */

enum { TEXTS = 1024 };
typedef struct latest { base_name kind; void *data; struct latest *next; } latest;
typedef struct { int next; char *text[TEXTS]; latest *latest; } copies;
static pthread_key_t copies_key;
static pthread_once_t copies_once = PTHREAD_ONCE_INIT;

static void copies_free(void *p)
{
    copies *c = p;
    for (int i = 0; i < TEXTS; i++) base_heap_free(c->text[i]);
    for (latest *l = c->latest, *next; l; l = next) {
        next = l->next;
        base_heap_free(l->data);
        base_heap_free(l);
    }
    base_heap_free(c);
}

static void copies_leave(void)                           /* the main thread ends with the program */
{
    copies *c = pthread_getspecific(copies_key);
    if (c) pthread_setspecific(copies_key, NULL), copies_free(c);
}

static void copies_begin(void)
{
    pthread_key_create(&copies_key, copies_free);
    atexit(copies_leave);
}

static copies *copies_of_thread(void)                    /* may unwind */
{
    pthread_once(&copies_once, copies_begin);
    copies *c = pthread_getspecific(copies_key);
    if (c) return c;
    c = base_heap(sizeof *c);
    if (!c || pthread_setspecific(copies_key, c)) {
        base_heap_free(c);
        base_unwind(sizeof *c);
    }
    return c;
}

static void *copy_of(const void *data, size_t bytes)     /* may unwind */
{
    void *copy = base_heap(bytes ? bytes : 1);
    if (!copy) base_unwind(bytes);
    return memcpy(copy, data, bytes);
}

const char *api_late_text(const char *text)
{
    copies *c = copies_of_thread();
    char *copy = copy_of(text, strlen(text) + 1);
    base_heap_free(c->text[c->next]);
    c->text[c->next] = copy;
    c->next = (c->next + 1) % TEXTS;
    return copy;
}

ENTRY3(const void *, NULL, api_keep_latest, const char *, kind, const void *, data, size_t, bytes)
{
    if (!kind || !data) {
        base_fail(TT_EARG, site, "tt_keep_latest: %s is NULL", kind ? "data" : "the kind");
        return NULL;
    }
    copies *c = copies_of_thread();
    const base_name name = base_intern(kind);
    latest *l = c->latest;
    while (l && l->kind != name) l = l->next;
    void *copy = copy_of(data, bytes);
    if (!l) {
        l = base_heap(sizeof *l);
        if (!l) base_heap_free(copy), base_unwind(sizeof *l);
        *l = (latest){ name, NULL, c->latest };
        c->latest = l;
    }
    base_heap_free(l->data);
    return l->data = copy;
}
const void *tt_keep_latest(const char *kind, const void *data, size_t bytes)
{
    return api_keep_latest_at(NULL, kind, data, bytes);
}

/* ---- lines ---- */

static FILE *reports(void)                               /* TUTTI=report:3: a separate stream */
{
    static FILE *_Atomic to;
    FILE *none = NULL, *fresh;
    const char *fd = base_switch("report");
    if (!fd) return stdout;
    if (atomic_load(&to) || !(fresh = fdopen(atoi(fd), "w"))) return atomic_load(&to) ? atomic_load(&to) : stdout;
    if (!atomic_compare_exchange_strong(&to, &none, fresh)) fclose(fresh);
    return atomic_load(&to);
}

bool api_report_there(base_site site)
{
    const char *const fd = base_switch("report");
    if (!fd || fcntl(atoi(fd), F_GETFD) >= 0) return true;
    base_fail(TT_EARG, site, "switch \"report\": there is no open file descriptor %s", fd);
    base_switch_off("report");
    return base_hint("the shell opens one: TUTTI=report:3,plan ./train 3>plan.txt");
}

static _Atomic int lost;                                 /* errno of the first line that was not written; 0: none */

/* Nobody misses a line if there is no output, or its reader has ended. */
static void line_lost(int why)
{
    int none = 0;
    if (why != EBADF && why != EPIPE) atomic_compare_exchange_strong(&lost, &none, why);
}

int api_output_end(void)
{
    if (fflush(stdout)) line_lost(errno);
    const int why = atomic_exchange(&lost, 0);
    if (!why) return 0;
    clearerr(stdout);                                    /* said once */
    fprintf(stderr, "tutti: the output is not written: %s\n", strerror(why));
    return TT_EIO;
}

/* A file that this process opens must not get the number of a standard stream that is closed: what is printed would go
 * into it. As if it were closed, a write to the stream fails, and so does a read. */
void api_output_begin(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

/* Waits until the file takes more. True if the write that failed is to be made again. */
static bool again(int fd)
{
    return errno == EINTR || (errno == EAGAIN && (poll(&(struct pollfd){ fd, POLLOUT, 0 }, 1, -1) > 0 ||
                                                  errno == EINTR));
}

static void put_parts(int fd, struct iovec *part, int n)
{
    for (int i = 0; i < n;) {
        const ssize_t put = writev(fd, part + i, n - i);
        if (put < 0 && again(fd)) continue;
        if (put < 0) {
            line_lost(errno);
            return;
        }
        for (size_t left = (size_t)put; i < n; i++) {
            const size_t some = left < part[i].iov_len ? left : part[i].iov_len;
            part[i].iov_base = (char *)part[i].iov_base + some, part[i].iov_len -= some, left -= some;
            if (part[i].iov_len) break;
        }
    }
}

/* Writes a text and the end of its line after what the stream holds. They do not go through the stream: stdio drops
 * what a write leaves that a signal interrupts. */
static void put_line(FILE *to, const char *text, size_t n)
{
    const int fd = fileno(to);
    struct iovec part[2] = { { (void *)text, n }, { "\n", 1 } };
    flockfile(to);
    if (fflush(to)) line_lost(errno);
    if (fd >= 0) put_parts(fd, part, 2);
    else if (fwrite(text, 1, n, to) < n || fputc('\n', to) < 0 || fflush(to)) line_lost(errno);     /* into memory */
    funlockfile(to);
}

/* Writes the lines of a text, each after the rank's number, at once: the lines of several ranks stay whole. */
static void lines_of_rank(FILE *to, const char *rank, const char *text)
{
    base_text t = { .arena = base_open() };
    for (const char *p = text, *end; p; p = *end ? end + 1 : NULL) {
        end = p + strcspn(p, "\n");
        base_appendf(&t, "%s%.*s%s", rank, (int)(end - p), p, *end ? "\n" : "");
    }
    put_line(to, t.s, t.n);
    base_close(t.arena);
}

static void line_to(FILE *to, const char *line, bool here)
{
    char rank[16];
    if (!api_process_prints() && !here) return;
    api_bar_hide();
    if (*api_process_prefix(rank, here)) lines_of_rank(to, rank, line);
    else put_line(to, line, strlen(line));
    api_bar_show();
}

void api_line(const char *line) { line_to(stdout, line, false); }
void api_line_here(const char *line) { line_to(stdout, line, true); }
void api_report_line(const char *line) { line_to(reports(), line, false); }

void tt_print(const char *fmt, ...)
{
    char small[1024], *line = small;
    va_list v;
    va_start(v, fmt);
    const int n = vsnprintf(small, sizeof small, fmt, v);
    va_end(v);
    if (n >= (int)sizeof small) {
        if (!(line = base_heap((size_t)n + 1))) return;
        va_start(v, fmt);
        vsnprintf(line, (size_t)n + 1, fmt, v);
        va_end(v);
    }
    if (n > 0 && line[n - 1] == '\n') line[n - 1] = '\0';
    if (n >= 0) api_line(line);
    if (line != small) base_heap_free(line);
}

ENTRY1(bool, false, api_switches, const char *, words)
{
    const char *const *const before = base_switches_keep(trace_temp());
    if (!base_switches(site, words ? words : "")) return false;
    if (api_process_begin() && api_report_there(site) && api_engine_begin(site)) return !base_failed();
    base_switches_restore(before);                       /* what a word opens does not open: no word counts */
    if (run_engine_number() < 0) base_switch_off("pjrt");   /* nor does the library before: no engine is in force */
    return false;
}
bool tt_config_at(const char *site, const char *words) { return api_switches_at(site, words); }

/* Writes "devices:N", "isa:avx512|avx2", as a switch is written. */
static void switch_form(const base_option_word *w, char *to, size_t capacity)
{
    const int n = snprintf(to, capacity, "%s%s", w->name, w->kind == BASE_COUNT ? ":N" : w->kind == BASE_CHOICE ? ":" :
                           "");
    if (w->kind != BASE_CHOICE || n < 0) return;
    snprintf(to + n, capacity - (size_t)n, "%s", w->choice);
    for (char *p = to; *p; p++) if (*p == ' ') *p = '|';
}

const char *tt_config_text(void)
{
    char text[8192], form[64];
    size_t n = 0;
    *text = '\0';
    for (const base_option_word *w = base_option_words; w->name && n < sizeof text; w++) {
        switch_form(w, form, sizeof form);
        n += (size_t)snprintf(text + n, sizeof text - n, "  %-33s %s\n", form, w->doc);
    }
    const char *kept = tt_keep_latest("tt_config_text", text, strlen(text) + 1);
    return kept ? kept : "";
}

ENTRY1(bool, false, api_reproducible, int, on)
{
    return on ? base_switches(NULL, "reproducible") : (base_switch_off("reproducible"), true);
}
void tt_reproducible(int on) { api_reproducible_at(NULL, on); }

ENTRY1(int, 0, tt_threads, int, n) { return n && !run_workers_set(site, n) ? 0 : run_workers(); }

ENTRY1(const char *, NULL, api_word, const char *, word)
{
    char words[1024] = "";
    size_t n = 0;
    if (!word) return NULL;
    for (const base_option_word *w = base_option_words; w->name; w++) {
        if (!strcmp(w->name, word)) return base_switch(word);
        if (n < sizeof words) n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "", w->name);
    }
    base_fail(TT_EARG, site ? site : "tt_config_value", "TUTTI has no word \"%s\"", word);
    return base_hint_choices("the words are", word, strlen(word), words), NULL;
}
const char *tt_config_value(const char *word) { return api_word_at(NULL, word); }
