/* api/loops.c - loops with scopes, notes, Ctrl-C.
 *
 * Each iteration of a loop is a scope. A note is evaluated only when the bar is due, so that reading a loss does not
 * make the devices wait. The first Ctrl-C ends all loops, and the code after them runs, so that a program can save; the
 * second ends the program. */
#include "api.h"

#include "../run/timeline.h"
#include "bar.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct tt_loop_state { /* owned by the scope around the loop; tt_loop.scope points to it */
    uint64_t iteration;                                  /* the iteration's scope; 0: none */
    base_site site;
    tt_val (*fill)(void *, int64_t);
    void *env;
    api_bar *bar;                                        /* NULL: none */
    base_name name; double began;                        /* the bar's; when the iteration began: for the timeline */
    int64_t start;
    bool due, done, traced;
    uint32_t seen;                                       /* api_process_ends_loops */
};
typedef struct tt_loop_state loop_state;

static void loop_freed(void *p)
{
    loop_state *s = p;
    api_bar_delete(s->bar);
    base_heap_free(s);
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
        base_fail(TT_EARG, site, "%s: %lld iterations; expected 0 or more", q->batches ? "tt_loop_of" : "tt_steps",
                  (long long)q->n);
        return;
    }
    if (q->o->start < 0 || q->o->start > q->n) {
        base_fail(TT_EARG, site, "%s: .start = %lld of a loop of %lld iterations",
                  q->batches ? "tt_loop_of" : "tt_steps", (long long)q->o->start, (long long)q->n);
        base_hint(".start is the first iteration: 0 to %lld; a loop that starts at %lld does nothing", (long long)q->n,
                  (long long)q->n);
        return;
    }
    if (q->batches && !q->fill) {
        base_fail(TT_EARG, site, "tt_loop_of: the function that returns batches is NULL");
        base_hint("tt_steps(n) is a loop without batches");
        return;
    }
    loop_state *s = base_heap(sizeof *s);
    if (!s) base_unwind(sizeof *s);
    s->site = site;
    s->fill = q->fill;
    s->env = q->env;
    s->traced = trace_top() != NULL;
    s->start = q->o->start;
    trace_own(s, loop_freed);
    s->name = q->o->bar ? base_intern(q->o->bar) : NULL;
    if (q->o->bar && api_process_prints()) s->bar = api_bar_new(q->o->bar, s->start, q->n);
    q->out->alive = trace_handle(trace_number(site, TT_BOOL, 1, 1));
    api_interrupt_watch();
    q->out->scope = (struct tt_scope_s *)s;
    q->out->n = q->n;
    q->out->i = s->start - 1;
}

static void loops_open(opening q)
{
    TT_ENTRY(q.site);
    if (!q.out) {
        tt_fail_at(q.site, TT_EARG, "%s: the loop to fill is NULL", q.batches ? "tt_loop_of" : "tt_steps");
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

static void loops_finish(loop_state *s)
{
    s->done = true;
    if (s->bar) api_bar_end(s->bar, !base_failed() && !pressed);
}

static void next_run(void *p)
{
    tt_loop *l = p;
    loop_state *s = (loop_state *)l->scope;
    if (s->iteration) trace_scope_close(s->iteration);
    s->iteration = 0;
    if (l->i >= s->start && !s->traced && run_profiling()) run_timeline_iteration(s->name, s->site, l->i, s->began);
    if (s->bar && l->i >= s->start) api_bar_draw(s->bar, l->i + 1, s->due);
    s->due = false;
    if (base_failed() || ends_loops(s->site, &s->seen) || ++l->i >= l->n || (l->i > s->start && run_dry())) {
        loops_finish(s);
        return;
    }
    if (!s->traced) s->iteration = trace_scope_open(true);     /* a trace's arena owns all of its values */
    s->due = s->bar && api_bar_is_due(s->bar, l->i);
    s->began = base_seconds();
}

static void fill_run(void *p)
{
    tt_loop *l = p;
    loop_state *s = (loop_state *)l->scope;
    l->batch = s->fill(s->env, l->i);
    if (base_failed()) loops_finish(s);
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
    if (s->bar) api_bar_note(s->bar, fmt, v);
    va_end(v);
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

/* On the embedded engine existing values are computed: its calls are synchronous. So only a value on an engine of PJRT
 * is waited for, and without an opened one there is no such value. */
static void wait_for(trace_value *v)
{
    if (!run_engine_at(1)) return;
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
    case OWN:
        if (q->freed) trace_own(q->p, q->freed);
        else base_fail(TT_EARG, NULL, "tt_own: the function that frees is NULL");
        break;
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
