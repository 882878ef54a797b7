/* run/launch.c - one launch: moves arguments into the plan's layouts, provides buffers for results, runs the body, and
 * updates references.
 *
 * All that can fail happens before the first step: moves, buffers, arena, scratch. So a launch that fails has consumed
 * nothing. One lock per process serialises the launches of several threads; a program launched by a host step of
 * another runs inside it, with an arena of its own. After warm-up nothing here allocates: buffers and headers come from
 * free lists, and addresses of boxes are written only where they changed. */
#include "inner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth;   /* number of launches around this one, through host steps of this thread's launches */
static struct { char *at; int64_t bytes; } arena[DEPTH];

void run_launch_forked(void) { pthread_mutex_init(&lock, NULL); }

static bool arena_ready(run_program *p)
{
    const int64_t bytes = p->bytes ? p->bytes : RUN_CACHE_LINE;
    if (bytes > arena[depth].bytes) {
        wire_pages_free(arena[depth].at, (size_t)arena[depth].bytes);
        arena[depth].bytes = 0;
        arena[depth].at = wire_pages((size_t)bytes);
        if (!arena[depth].at) return false;
        arena[depth].bytes = bytes;
    }
    return true;
}

bool run_same_type(const run_array *a, const ir_type *t)
{
    if (a->type->dtype != t->dtype || a->type->rank != t->rank) return false;
    for (int d = 0; d < t->rank; d++) if (a->type->dim[d] != t->dim[d]) return false;
    return true;
}

/* Counts how often each array is an argument; only a launch that takes an argument's buffer needs the count. */
static void count_arguments(run_program *p)
{
    for (uint32_t i = 0; i < p->plan->narg; i++) p->in[i]->seen = 0;
    for (uint32_t i = 0; i < p->plan->narg; i++) p->in[i]->seen++;
}

/* The error of an argument without memory here. */
static bool launch_without(const run_array *a, uint32_t i)
{
    if (!a->there)
        {
        base_fail(TT_ELIFE, NULL, "argument %u was created while TUTTI=dry was on, and has no elements", i);
        return base_hint("create the argument again after the switch is off");
    }
    base_fail(TT_EENGINE, run_site, "argument %u is on an engine of PJRT, the program on the embedded engine", i);
    base_also(run_made_at(a), "the argument was created here");
    return base_hint("tt_shard(v, mesh, spec) moves a value to the engine in force");
}

static bool launch_take_arguments(run_program *p, run_array *const *in, bool count)
{
    const run_plan *plan = p->plan;
    for (uint32_t i = 0; i < plan->narg; i++) {
        const run_port *port = &p->in_port[i];
        p->in[i] = in[i];
        if (in[i]->type != port->type && !run_same_type(in[i], port->type))
            return base_bug(NULL, "argument %u of a program has another type than its plan", i);
        if (!in[i]->at && !p->dry && in[i]->n && in[i]->storage.bytes)
            return launch_without(in[i], i);
        if (in[i]->storage.layout == port->layout || run_same_storage(in[i]->storage.layout, port->layout)) continue;
        p->in[i] = p->moved[i] = run_move(in[i], NULL, port->layout);
        if (!p->in[i]) return false;
        p->has_moved = count = true;
    }
    if (count) count_arguments(p);
    return true;
}

/* The donated argument whose buffer result r takes, as the plan names it; NULL if there is none, or it has another
 * holder or is read as another argument too. */
static run_array *given_array(run_program *p, uint32_t r, const bool *consumed)
{
    const run_plan *plan = p->plan;
    const int32_t j = plan->alias ? plan->alias[r] : -1;
    if (j < 0 || (uint32_t)j >= plan->narg) return NULL;
    run_array *a = p->in[j];
    const run_storage *as = p->out_port[r].storage;
    const bool owned = a == p->moved[j] || (consumed && consumed[j]);
    if (!owned || a->seen != 1 || !a->at || atomic_load_explicit(&a->count,
        memory_order_acquire) != 1) return NULL;
    return a->n * a->storage.bytes == run_storage_instances(as) * as->bytes ? a : NULL;
}

static bool has_donor(run_program *p, uint32_t r, const bool *consumed)
{
    if (!p->plan->alias || p->plan->alias[r] < 0 || p->out_common[r]) return false;
    const run_array *const a = given_array(p, r, consumed);
    return a && !a->wrapped;
}

/* Called with run_free_lists held, once for all results. */
static bool launch_take_result(run_program *p, uint32_t r, const bool *consumed)
{
    const run_port *make = &p->out_port[r];
    p->has_taken |= p->taken[r] = make->space == RUN_RESULT && has_donor(p, r, consumed);
    if (make->space == RUN_ARG) p->out[r] = run_keep(p->in[p->plan->value[p->plan->result[r]].at]);
    else if (make->space == RUN_CONST) p->out[r] = run_keep(p->constant[r]);
    else p->out[r] = run_array_locked(make->type, make->storage, p->taken[r] || p->out_common[r] || p->dry);
    return p->out[r] != NULL;
}

/* Moves donated buffers from arguments to results; back (with any contents) when a host step fails. */
static void take_over(run_program *p, bool back)
{
    for (uint32_t r = 0; r < p->plan->nresult && p->has_taken; r++) {
        if (!p->taken[r]) continue;
        run_array *a = p->in[p->plan->alias[r]], *b = p->out[r];
        char *at = back ? b->at : a->at;
        a->at = back ? at : NULL;
        b->at = back ? NULL : at;
    }
}

/* Gives the common copies to the arrays of the results that they are. */
static void give_common(run_program *p)
{
    for (run_far *f = p->common; f; f = f->next_common) {
        if (f->result >= 0) run_array_common(p->out[f->result], run_far_give(f));
    }
}

void run_slot_at(run_slot *s, char *base)
{
    if (s->base == base) return;
    s->base = base;
    for (uint32_t i = 0; i < s->n; i++) s->patch[i].box->at = base + s->patch[i].offset;
}

/* Sets the addresses of all slots. The address of a donated argument is read before its buffer is taken over. */
static void set_slots(run_program *p)
{
    const run_plan *plan = p->plan;
    run_slot *s = p->slot + RUN_SLOTS;
    run_slot_at(&p->slot[RUN_SLOT_ARENA], arena[depth].at);
    run_slot_at(&p->slot[RUN_SLOT_CONST], (char *)plan->blob);
    for (uint32_t i = 0; i < plan->narg; i++) run_slot_at(s + i, p->in[i]->at);
    take_over(p, false);
    for (uint32_t r = 0; r < plan->nresult; r++)
        if (p->out_port[r].space == RUN_RESULT) run_slot_at(s + plan->narg + r, p->out[r]->at);
}

static bool launch_ready(run_program *p)
{
    if (!run_pool_ready(p->scratch) || !arena_ready(p)) return false;
    const int workers = run_workers();
    const bool profiled = run_profiling();
    p->timeline = profiled && run_timeline_on();
    if (p->workers == workers && p->profiled == profiled) return true;
    run_divide_phases(p, workers, profiled || p->watch);
    p->profiled = profiled;
    return !profiled || run_profile_program(p);
}

static bool launch_prepare(run_program *p, run_array *const *in, const bool *consumed)
{
    if (!launch_take_arguments(p, in, consumed != NULL)) return false;
    bool ok = true;
    p->has_taken = false;
    if (p->common) run_shares_ready(p, given_array, consumed);
    run_locked(&run_free_lists);
    for (uint32_t r = 0; r < p->plan->nresult && ok; r++) ok = launch_take_result(p, r, consumed);
    run_unlocked(&run_free_lists);
    return ok && (p->dry || launch_ready(p));
}

/* What a launch is given, and how far it has come. runs: its steps are under way, and nothing before them. around: the
 * launch of this thread that called for it. */
typedef struct launching {
    run_program *p; run_array *const *in; const bool *consumed; int depth; bool runs; struct launching *around;
} launching;
static _Thread_local launching *under_way;

static void launch_ended(const launching *l, bool done)
{
    const run_program *const p = l->p;
    for (uint32_t i = 0; i < p->plan->narg && (p->has_moved || l->consumed); i++) {
        if (p->moved[i]) run_drop(p->moved[i]);
        if (done && l->consumed && l->consumed[i]) run_drop(l->in[i]);
    }
    if (!done) run_drop_all((int)p->plan->nresult, p->out);
}

static bool launch_locked(launching *l, run_array **out)
{
    run_program *const p = l->p;
    const run_plan *plan = p->plan;
    memset(p->out, 0, plan->nresult * sizeof *p->out);
    if (p->has_moved) memset(p->moved, 0, plan->narg * sizeof *p->moved), p->has_moved = false;
    bool done = launch_prepare(p, l->in, l->consumed);
    if (done && !p->dry) {
        set_slots(p);
        l->runs = true;
        if (p->parallel) run_pool_wake();
        if (p->watch) run_watch_begin(p);
        done = run_body(p) && (!p->watch || run_watch_end(p));
        l->runs = false;
        if (!done) take_over(p, true);
        else give_common(p);
    }
    launch_ended(l, done);
    if (done) memcpy(out, p->out, plan->nresult * sizeof *out);
    return done;
}

static base_site torn;                                   /* a launch that was left before its steps; under the lock */

/* A function that a step calls has jumped out of the launch, or ended the thread: the launch has failed. Only a handler
 * of a signal leaves a launch elsewhere. */
static void launch_left(const launching *l)
{
    depth = l->depth;
    if (l->runs) take_over(l->p, true), launch_ended(l, false);
    else torn = run_site ? run_site : "";
    l->p->running = false;
    if (!depth) pthread_mutex_unlock(&lock);
}

const void *run_under_way(void) { return under_way; }

void run_launches_left(const void *until)
{
    while (under_way && under_way != until) {
        launching *const l = under_way;
        under_way = l->around;
        launch_left(l);
    }
}

static bool launch_whole(void)                           /* False with the error set: nothing can be launched now */
{
    if (!torn) return true;
    base_fail(TT_ETRACE, *torn ? torn : NULL, "the handler of a signal has jumped out of a call that began to compute");
    return base_hint("a handler sets a flag, which the program reads between calls");
}

/* Runs a host step's function, whose launches nest. False if it unwound. */
bool run_nested(void (*body)(void *), void *env)
{
    depth++;
    const bool done = base_catch(body, env);
    depth--;
    return done;
}

bool run_workers_set(base_site site, int n)
{
    char word[24];
    snprintf(word, sizeof word, "workers:%d", n);
    if (n < 1) return base_fail(TT_EARG, site, "threads: %d; expected 1 or more", n);
    if (depth)
        return base_fail(TT_EARG, site,
                         "threads: changed by a function that a running program calls, while its threads compute");
    pthread_mutex_lock(&lock);
    const bool ok = base_switches(site, word);
    if (ok && n != run_workers()) run_pool_join();
    pthread_mutex_unlock(&lock);
    return ok;
}

void run_pool_stop(void)
{
    if (depth) return;                                   /* a host step: its own launch needs the workers */
    pthread_mutex_lock(&lock);
    run_pool_join();
    pthread_mutex_unlock(&lock);
}

void run_trim(void)
{
    if (depth) return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < DEPTH; i++) {
        wire_pages_free(arena[i].at, (size_t)arena[i].bytes);
        arena[i].at = NULL;
        arena[i].bytes = 0;
    }
    run_common_trim();
    pthread_mutex_unlock(&lock);
    run_buffer_trim();
    run_array_trim();
}

/* Words of the plans that all ranks have launched. They outlive the programs, since caches of the ranks may drop
 * programs at different times. */
static struct { uint64_t *word; size_t n, capacity; } agreed;

static bool is_agreed(uint64_t word)
{
    for (size_t i = 0; i < agreed.n; i++) if (agreed.word[i] == word) return true;
    return false;
}

static bool agreed_add(uint64_t word)
{
    if (agreed.n == agreed.capacity) {
        uint64_t *const more = base_heap((agreed.capacity = 2 * agreed.n + 64) * sizeof *more);
        if (!more) return false;
        if (agreed.n) memcpy(more, agreed.word, agreed.n * sizeof *more);
        base_heap_free(agreed.word);
        agreed.word = more;
    }
    agreed.word[agreed.n++] = word;
    return true;
}

/* Counts the launch of a program whose values differ between ranks, as all ranks do. At the first launch of a plan the
 * ranks compare their plans: so ranks that run different programs end with an error, even without an exchange. */
static bool launch_agrees(run_program *p)
{
    if (!p->spread || !run_job_real()) return true;
    p->turn = wire_turn();
    if (p->agreed || is_agreed(p->word)) return p->agreed = true;
    const base_site site = p->plan->body.n ? p->plan->body.step[0].site : NULL;
    return p->agreed = wire_agree(site, p->word, p->turn, WIRE_FIRST, "a launch") && agreed_add(p->word);
}

bool run_launch(run_program *p, run_array *const *in, const bool *consumed, run_array **out)
{
    if (depth && p->running)
        return base_fail(TT_EARG, NULL, "a function that a program calls has started the same program");
    if (depth == DEPTH)
        return base_fail(TT_EARG, NULL,
                         "functions that programs call have started programs, nested %d deep; %d is the most",
                             DEPTH + 1, DEPTH);
    if (p->there) return run_launch_there(p, in, consumed, out);
    launching l = { p, in, consumed, depth, false, under_way };
    if (!depth) pthread_mutex_lock(&lock);
    under_way = &l;
    p->running = true;
    const bool done = launch_whole() && launch_agrees(p) && launch_locked(&l, out);
    p->running = false;
    under_way = l.around;
    if (!depth) pthread_mutex_unlock(&lock);
    return done;
}
