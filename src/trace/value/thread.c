/* trace/value/thread.c - the state of a thread in the library: scopes, frames, its temporary arena, a cache of sites.
 *
 * Values and functions belong to the process; scopes, traces and errors to a thread. A thread that ends closes its
 * scopes and passes its free slots to the other threads. */
#include "../trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../../base/thread.h"
#include "../inner.h"

static _Thread_local trace_thread mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int nthread;                              /* threads that have called the library and not ended */

static void leave(void *p)
{
    (void)p;
    trace_scopes_end();
    trace_slots_leave(&mine);
    trace_pool_leave(&mine);
    pin_thread_leave(&mine);
    trace_thread_out(&mine);
    mine.registered = false;
    atomic_fetch_sub(&nthread, 1);
}

static void make_key(void) { pthread_key_create(&key, leave); }

trace_thread *trace_this(void)
{
    if (!mine.registered) {
        mine.registered = true;
        atomic_fetch_add(&nthread, 1);
        pthread_once(&once, make_key);
        pthread_setspecific(key, &mine);
        trace_thread_in(&mine);
    }
    return &mine;
}

enum { FLAGS = 7, X64 = 1 << 1, ORIGINAL = 1 << FLAGS, PRECISION_AT = FLAGS + 1, SETTINGS = FLAGS + 3 };

/* The settings that the switches determine; read anew after a switch has changed. */
static uint64_t switched(void)
{
    static const char *const flag[FLAGS] = { "reproducible", "x64", "dry", "even", "bounds", "nan", "inf" };
    static _Atomic uint64_t known;                       /* the count of changes; in the low bits the settings */
    const uint64_t now = base_switch_changes() + 1, was = atomic_load_explicit(&known, memory_order_relaxed);
    if (was >> SETTINGS == now) return was & ((1 << SETTINGS) - 1);
    const char *const layout = base_switch("threefry"), *const precision = base_switch("precision");
    uint64_t s = (uint64_t)(precision ? op_precision_of(precision) : OP_DEFAULT) << PRECISION_AT;
    for (int i = 0; i < FLAGS; i++) s |= (uint64_t)(base_switch(flag[i]) != NULL) << i;
    if (layout && !strcmp(layout, "original")) s |= ORIGINAL;
    atomic_store_explicit(&known, now << SETTINGS | s, memory_order_relaxed);
    return s;
}

uint64_t trace_settings(void)
{
    uint64_t s = switched();
    if (mine.random) s = (s & ~(uint64_t)ORIGINAL) | (*mine.random == 'o' ? ORIGINAL : 0);
    if (mine.precision) s = (s & ((1 << PRECISION_AT) - 1)) | (uint64_t)op_precision_of(mine.precision) << PRECISION_AT;
    return s;
}

bool trace_checks(void) { return switched() >> 4 & 7; }      /* bounds, nan, inf */
bool trace_x64(void) { return trace_settings() & X64; }
const char *trace_random_layout(void) { return trace_settings() & ORIGINAL ? "original" : "partitionable"; }
int trace_precision(void) { return (int)(trace_settings() >> PRECISION_AT); }

const char *trace_choose_random_layout(const char *layout)
{
    const char *former = mine.random;
    mine.random = layout;
    return former;
}

const char *trace_choose_precision(const char *word)
{
    const char *former = mine.precision;
    mine.precision = word;
    return former;
}

base_name trace_named(const char *inner)
{
    const base_name was = mine.named;
    mine.named = base_intern(was ? base_format(trace_temp(), "%s/%s", was, inner) : inner);
    return was;
}

void trace_named_back(base_name was) { mine.named = was; }

const mesh *trace_used(base_name *rules)
{
    if (rules) *rules = mine.rules;
    return mine.mesh;
}

void trace_use(const mesh *m, base_name rules)
{
    mine.mesh = m;
    mine.rules = rules;
}

bool trace_single_threaded(void) { return atomic_load(&nthread) <= 1; }

uint64_t trace_serial(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

base_arena *trace_temp(void)
{
    if (!mine.temp) mine.temp = base_open();
    return mine.temp;
}

bool trace_in_entry(void) { return mine.depth > 0; }

/* The thread's state when an entry begins. */
typedef struct {
    int frames, held, lowering, inside, calls;
    trace_link *link;
    base_site site;
    uint64_t scope;                                      /* number of the innermost scope */
    const char *precision, *random;
    base_name named, rules;
    const mesh *mesh;
    const void *outermost, *launch;                      /* launch: the innermost one under way */
    void (*left)(void *); void *env;
} entry;

static void entry_abandon(const entry *e)
{
    trace_abandon_to(e->frames);
    pin_release_to(e->held);
    mine.link = e->link;
    mine.lowering = e->lowering;
    trace_outside_to(&mine, e->inside);
    mine.calls = e->calls;
}

static void entry_end(void)
{
    if (--mine.depth || !mine.temp) return;
    base_close(mine.temp);
    mine.temp = NULL;
}

/* A function of the program has left the entry for good: what it had opened closes, what it had chosen ends. */
static void entry_left(void *p)
{
    const entry *const e = p;
    run_launches_left(e->launch);
    entry_abandon(e);
    while (mine.scope && mine.scope->serial > e->scope) trace_scope_close(mine.scope->serial);
    mine.site = e->site;
    mine.precision = e->precision, mine.random = e->random;
    mine.named = e->named, mine.rules = e->rules, mine.mesh = e->mesh;
    mine.outermost = e->outermost;
    entry_end();
    if (e->left) e->left(e->env);
}

bool trace_enter_guarded(void (*body)(void *), void *arg, void (*left)(void *), void *env)
{
    const entry now = { trace_depth(), mine.npins, mine.lowering, mine.inside, mine.calls, mine.link, mine.site,
                        mine.scope ? mine.scope->serial : 0, mine.precision, mine.random, mine.named, mine.rules,
                        mine.mesh, mine.outermost, run_under_way(), left, env };
    const base_error *e;
    base_guard guard;
    mine.depth++;
    base_guard_begin(&guard, entry_left, (void *)&now);
    const bool ok = base_catch(body, arg);
    base_guard_end(&guard);
    if ((e = base_failed()) && !e->site) {               /* rooms below have no line of the user's */
        if (e->code == TT_EMEM && !e->hint) trace_out_of_memory(mine.site);
        else base_blame(mine.site);
    }
    mine.site = now.site;
    if (!ok) entry_abandon(&now);
    if (mine.npins > now.held) mine.npins = now.held;    /* structures own the references of this entry's pins now */
    entry_end();
    return ok;
}

bool trace_enter(void (*body)(void *), void *arg) { return trace_enter_guarded(body, arg, NULL, NULL); }

/* The end of this thread's stack; 0: unknown. */
static uintptr_t stack_end(void)
{
    static _Thread_local uintptr_t end;
    static _Thread_local bool known;
    pthread_attr_t attr;
    if (known) return end;
    known = true;
    if (pthread_getattr_np(pthread_self(), &attr)) return 0;
    void *lowest;
    size_t bytes;
    if (!pthread_attr_getstack(&attr, &lowest, &bytes)) end = (uintptr_t)lowest;
    pthread_attr_destroy(&attr);
    return end;
}

/* True if one more call level is allowed; else sets the error. Tracing visits all branches of a program, so a
 * function that calls itself never ends. */
bool trace_deeper(base_site site)
{
    enum { MOST = 1000, FEW = 16, LEFT = 256 << 10 };
    const char here = 0;
    if (++mine.calls <= FEW) return true;
    const bool narrow = stack_end() && (uintptr_t)&here - stack_end() < LEFT;
    if (mine.calls <= MOST && !narrow) return true;
    mine.calls--;
    base_fail(TT_ETRACE, site, "recursion: %d calls of functions are under way, one within the other%s", mine.calls,
              narrow ? ", and the stack is used up" : "");
    return base_hint("tracing runs all of a function, so one that calls itself never ends: repeat with tt_scan, "
                     "tt_fori or tt_while");
}

/* Literals are found by address; the text is compared too, since an unloaded module's address may be reused. */
base_site trace_site(const char *literal)
{
    enum { SEEN = 512 };
    typedef struct { const char *literal; base_site site; } found;
    static _Thread_local found *seen;
    if (!literal) return NULL;
    if (mine.named)
        return run_site = mine.site = base_intern(base_format(trace_temp(), "%s [%s]", literal, mine.named));
    const size_t i = ((uintptr_t)literal ^ (uintptr_t)literal >> 9) % SEEN;
    if (!seen) base_thread_memory(&seen, SEEN * sizeof *seen);
    if (seen && seen[i].literal == literal && !strcmp(seen[i].site, literal))
        return run_site = mine.site = seen[i].site;
    const base_site s = base_intern(literal);
    if (seen) seen[i] = (found){ literal, s };
    return run_site = mine.site = s;
}

bool trace_chain(void)
{
    if (!base_failed() || mine.chained) return false;
    mine.chained = true;
    for (const trace_link *l = mine.link; l; l = l->outer) {
        const base_error *const e = base_failed();
        bool said = false;                               /* a top-level call is in the chain twice: run, and traced */
        for (int i = 0; i < e->ncite; i++) said |= e->cite[i].site == l->site && !strcmp(e->cite[i].what, "in");
        if (!said && l->site) base_also(l->site, "in");         /* an imported program has no line */
    }
    return false;
}

void trace_chain_forget(void) { mine.chained = false; }
