/* api/loops.c - loops with scopes, the progress bar, notes, Ctrl-C.
 *
 * Each iteration of a loop is a scope. If stderr is a terminal, the bar is drawn there, at most ten times a second,
 * within its columns; otherwise a line is written at each tenth of the loop. A note is evaluated only when the bar is
 * due, so that reading a loss does not make the devices wait. The first Ctrl-C ends all loops, and the code after them
 * runs, so that a program can save; the second ends the program. */
#include "api.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- Ctrl-C ---- */

static _Atomic int pressed;                              /* until cleared: loops end. Lock-free: set by a signal */
static _Atomic bool interrupted, reported;

static void on_sigint(int sig)
{
    if (pressed) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
    pressed = 1;
}

void api_interrupt_watch(void)
{
    static _Atomic bool watching;
    struct sigaction now, ours = { .sa_handler = on_sigint };
    if (atomic_exchange(&watching, true)) return;
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_RESTART;
    if (!sigaction(SIGINT, NULL, &now) && now.sa_handler == SIG_DFL)
        sigaction(SIGINT, &ours, NULL); /* keeps the program's own handler */
}

bool api_interrupted(void) { return atomic_load(&interrupted); }

void api_interrupt_forget(void)
{
    if (!pressed) return;
    pressed = 0;
    atomic_store(&reported, false);
}

/* True if loops must end. This is not an error: computed values can be read and saved. */
static bool ends_loops(base_site site, uint32_t *seen)
{
    if (!api_process_ends_loops(pressed, seen)) return false;
    pressed = 1;                                         /* perhaps on another rank alone */
    atomic_store(&interrupted, true);
    if (!atomic_exchange(&reported, true)) api_report_interrupt(site);
    return true;
}

/* ---- loops ---- */

enum { NOTE = 160 };
struct tt_loop_state { /* owned by the scope around the loop; tt_loop.scope points to it */
    uint64_t turn;                                       /* the iteration's scope; 0: none */
    base_site site;
    tt_val (*fill)(void *, int64_t);
    void *env;
    char *bar;
    char note[NOTE];
    bool due, done, traced;
    double begin, painted;
    int64_t tenth;
    uint32_t seen;                                       /* api_process_ends_loops */
};
typedef struct tt_loop_state loop_state;
static _Thread_local loop_state *current;                       /* the loop whose bar is on the screen */

static void loop_freed(void *p)
{
    loop_state *s = p;
    if (current == s) current = NULL;
    base_heap_free(s->bar);
    base_heap_free(s);
}

static int columns(void)
{
    struct winsize w;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 0) return w.ws_col;
    const char *s = getenv("COLUMNS");
    return s && atoi(s) > 0 ? atoi(s) : 80;
}

/* True if stderr is a terminal on which a line can be written again. */
static bool repaints(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

static bool colors(void)
{
    const char *s = base_switch("color"), *no = getenv("NO_COLOR");
    if (s) return !strcmp(s, "always");
    return !(no && *no) && repaints();
}

static void put_time(char *s, size_t capacity, double t)
{
    if (t < 100) snprintf(s, capacity, "%.1fs", t);
    else if (t < 6000) snprintf(s, capacity, "%dm%02ds", (int)t / 60, (int)t % 60);
    else snprintf(s, capacity, "%dh%02dm", (int)t / 3600, (int)t / 60 % 60);
}

/* "train 120/200 [=====> ] 12.3s loss 0.1234", truncated to the terminal's width. The bar takes the columns that the
 * note leaves, at most 40; the note is truncated if the bar is down to four columns. */
static void paint(loop_state *s, int64_t i, int64_t n)
{
    char head[96], tail[256], took[16], line[1024];
    const int wide = columns() - 1;
    put_time(took, sizeof took, base_seconds() - s->begin);
    int h = snprintf(head, sizeof head, "%s %lld/%lld ", s->bar, (long long)i, (long long)n);
    int t = snprintf(tail, sizeof tail, " %s%s%s", took, *s->note ? "  " : "", s->note);
    if (h > (int)sizeof head - 1) h = sizeof head - 1;
    if (t > (int)sizeof tail - 1) t = sizeof tail - 1;
    int bar = wide - h - t - 2;
    if (bar > 40) bar = 40;
    if (bar < 4) bar = wide - h - 2 >= 4 ? 4 : 0;
    size_t at = (size_t)snprintf(line, sizeof line, "%s", head);
    if (bar) {
        const int full = n ? (int)((double)bar * (double)i / (double)n) : bar;
        at += (size_t)snprintf(line + at, sizeof line - at, "%s[", colors() ? "\033[36m" : "");
        for (int k = 0; k < bar && at + 1 < sizeof line; k++) line[at++] = k < full ? '=' : k == full ? '>' : ' ';
        at += (size_t)snprintf(line + at, sizeof line - at, "]%s", colors() ? "\033[0m" : "");
    }
    const int capacity = wide - h - (bar ? bar + 2 : 0);
    fprintf(stderr, "\r\033[K%s%.*s", line, capacity > 0 ? capacity : 0, tail);
    fflush(stderr);
}

static void plain_line(loop_state *s, int64_t i, int64_t n)
{
    char took[16];
    put_time(took, sizeof took, base_seconds() - s->begin);
    fprintf(stderr, "%s %lld/%lld %s%s%s\n", s->bar, (long long)i, (long long)n, took, *s->note ? "  " : "", s->note);
    fflush(stderr);
}

void api_bar_hide(void)
{
    if (current && repaints()) fprintf(stderr, "\r\033[K"), fflush(stderr);
}

void api_bar_show(void)
{
    if (current && repaints()) current->painted = 0;  /* drawn again at the next iteration */
}

/* True if the bar is to be painted. Decided once per iteration, before the body, for tt_note. */
static bool is_due(loop_state *s, int64_t i, int64_t n)
{
    const double now = base_seconds();
    if (!s->bar) return false;
    if (i + 1 >= n) return true;
    if (repaints()) return now - s->painted >= 0.1;
    return n >= 10 && (i + 1) * 10 / n > s->tenth;
}

static void show_progress(loop_state *s, int64_t i, int64_t n)
{
    if (!s->bar || !s->due) return;
    s->due = false;
    s->painted = base_seconds();
    s->tenth = n ? i * 10 / n : 0;
    if (repaints()) paint(s, i, n);
    else plain_line(s, i, n);
}

typedef struct {
    const char *site;
    int64_t n;
    tt_val (*fill)(void *, int64_t);
    void *env;
    const tt_loop_opts *o;
    tt_loop *out;
    bool batches;                                        /* fill must be there */
} opening;

static void open_run(void *p)
{
    opening *q = p;
    const base_site site = trace_site(q->site);
    if (!API_OPTIONS(site, "a loop", tt_loop_opts, q->o)) return;
    if (q->n < 0) {
        base_fail(TT_EARG, site, "a loop of %lld iterations", (long long)q->n);
        return;
    }
    if (q->batches && !q->fill) {
        base_fail(TT_EARG, site, "tt_loop_of: there is no function that returns batches");
        base_hint("tt_steps(n) is a loop without batches");
        return;
    }
    loop_state *s = base_heap(sizeof *s);
    if (!s) base_unwind(sizeof *s);
    s->site = site;
    s->fill = q->fill;
    s->env = q->env;
    s->traced = trace_top() != NULL;
    s->begin = base_seconds();
    if (q->o->bar && api_process_prints()) {
        const size_t n = strlen(q->o->bar) + 1;
        if ((s->bar = base_heap(n))) memcpy(s->bar, q->o->bar, n);
        else loop_freed(s), base_unwind(n);
    }
    trace_own(s, loop_freed);
    q->out->alive = trace_handle(trace_number(site, TT_BOOL, 1, 1));
    api_interrupt_watch();
    q->out->scope = (struct tt_scope_s *)s;
    q->out->n = q->n;
}

static void loops_open(opening q)
{
    TT_ENTRY(q.site);
    if (!q.out) {
        tt_fail_at(q.site, TT_EARG, "a loop without a place for it");
        return;
    }
    *q.out = (tt_loop){ .i = -1 };
    api_enter(open_run, &q);
}

void tt_loop_of_at(const char *site, int64_t n, tt_val (*fill)(void *env, int64_t i), void *env,
                   const tt_loop_opts *o, tt_loop *out)
{
    loops_open((opening){ site, n, fill, env, o, out, true });
}

void tt_steps_at(const char *site, int64_t n, const tt_loop_opts *o, tt_loop *out)
{
    loops_open((opening){ site, n, NULL, NULL, o, out, false });
}

static void loops_finish(tt_loop *l, loop_state *s)
{
    s->done = true;
    if (current != s) return;
    if (repaints()) {
        if (base_failed() || pressed) api_bar_hide();
        else fprintf(stderr, "\n");
    }
    current = NULL;
    (void)l;
}

static void next_run(void *p)
{
    tt_loop *l = p;
    loop_state *s = (loop_state *)l->scope;
    if (s->turn) trace_scope_close(s->turn);
    s->turn = 0;
    if (s->bar) show_progress(s, l->i + 1, l->n);
    if (base_failed() || ends_loops(s->site, &s->seen) || ++l->i >= l->n || (l->i && run_dry())) {
        loops_finish(l, s);
        return;
    }
    if (!s->traced) s->turn = trace_scope_open(true);    /* in a trace nothing is freed: the trace's arena owns all */
    if (s->bar) current = s;
    s->due = is_due(s, l->i, l->n);
}

static void fill_run(void *p)
{
    tt_loop *l = p;
    loop_state *s = (loop_state *)l->scope;
    l->batch = s->fill(s->env, l->i);
    if (base_failed()) loops_finish(l, s);
}

/* NULL: no loop; or a loop whose scope has closed, with the error set. */
static loop_state *state_of(const tt_loop *l, const char *what)
{
    return l && l->scope && tt_is_live_at(NULL, what, l->alive) ? (loop_state *)l->scope : NULL;
}

int tt_next(tt_loop *l)
{
    loop_state *s = state_of(l, "tt_next");
    if (!s || s->done) return 0;
    api_enter(next_run, l);
    if (s->done) return 0;
    if (s->fill) api_enter(fill_run, l);
    return !s->done;
}

int tt_note_due(tt_loop *l)
{
    const loop_state *s = state_of(l, "tt_note");
    return s && s->due && !base_failed();
}

int tt_note_at(tt_loop *l, const char *fmt, ...)
{
    loop_state *s = state_of(l, "tt_note");
    va_list v;
    if (!s || !fmt) return 0;
    va_start(v, fmt);
    vsnprintf(s->note, sizeof s->note, fmt, v);
    va_end(v);
    for (char *c = s->note; *c; c++) if (*c == '\n' || *c == '\r') *c = ' ';
    return 1;
}

/* ---- scopes and assignment ---- */

typedef struct {
    const char *site;
    tt_val *slot;
    tt_val v;
    tt_scope scope;
    void *p;
    void (*freed)(void *);
    int what;
} scoping;
enum { ASSIGN, OPEN, CLOSE, OWN, KEEP, DROP, WAIT, BIRTH };

/* On the embedded engine existing values are computed: its calls are synchronous. */
static void wait_for(trace_value *v)
{
    for (int i = 0; v && i < trace_nleaf(v); i++) {
        const trace_value *const leaf = trace_leaf_of(v, i);
        if (leaf->form == TRACE_CONCRETE && !run_wait(leaf->array)) return;
    }
}

static void scope_run(void *p)
{
    scoping *q = p;
    switch (q->what) {
    case ASSIGN: trace_assign(trace_site(q->site), q->slot, q->v); break;
    case OPEN: q->scope.p = (struct tt_scope_s *)(uintptr_t)trace_scope_open(false); break;
    case CLOSE: trace_scope_close((uint64_t)(uintptr_t)q->scope.p); break;
    case OWN: trace_own(q->p, q->freed); break;
    case KEEP: trace_get(trace_site(q->site), q->v); trace_keep(q->v); break;
    case DROP: trace_release(q->v); break;
    case BIRTH: q->v = trace_handle(trace_number(trace_site(q->site), TT_BOOL, 1, 1)); break;
    default: wait_for(trace_get(trace_site(q->site), q->v)); break;
    }
}

void tt_assign_at(const char *site, tt_val *slot, tt_val v)
{
    TT_ENTRY(site);
    scoping q = { .site = site, .slot = slot, .v = v, .what = ASSIGN };
    if (slot) api_enter(scope_run, &q);
    else tt_fail_at(site, TT_EARG, "tt_assign: the slot is NULL");
}

tt_scope tt_scope_open(void)
{
    scoping q = { .what = OPEN };
    api_enter(scope_run, &q);
    return q.scope;
}

void tt_scope_close(tt_scope s)
{
    scoping q = { .scope = s, .what = CLOSE };
    api_enter(scope_run, &q);
}

void tt_own(void *p, void (*freed)(void *))
{
    scoping q = { .p = p, .freed = freed, .what = OWN };
    api_enter(scope_run, &q);
}

tt_val tt_alive_at(const char *site)
{
    scoping q = { .site = site, .v = trace_poison, .what = BIRTH };
    api_enter(scope_run, &q);
    return q.v;
}

typedef struct { const char *site, *what; tt_val alive; } dying;
static void dead_run(void *p)
{
    const dying *q = p;
    trace_is_live(trace_site(q->site), q->what, q->alive);
}

bool tt_is_live_at(const char *site, const char *what, tt_val alive)
{
    dying q = { site, what, alive };
    if (trace_peek(alive)) return true;
    api_enter(dead_run, &q);
    return false;
}

tt_val tt_keep_at(const char *site, tt_val v)
{
    scoping q = { .site = site, .v = v, .what = KEEP };
    api_enter(scope_run, &q);
    return v;
}

void tt_drop(tt_val v)
{
    scoping q = { .v = v, .what = DROP };
    api_enter(scope_run, &q);
}

void tt_wait_at(const char *site, tt_val v)
{
    scoping q = { .site = site, .v = v, .what = WAIT };
    api_enter(scope_run, &q);
}
