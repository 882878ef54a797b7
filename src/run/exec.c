/* run/exec.c - executes a program: the control thread goes through the list of phases of computation and exchange,
 * loops, choices, and calls to the host.
 *
 * A phase goes to the pool if it costs more than waking the workers; otherwise the control thread computes it alone.
 * The cost of a phase is estimated at bind and measured in its first runs. Results never depend on which worker
 * computes them: tiles are split by kernels and by chunk sizes, not by the number of workers. */
#include "inner.h"

#include "../base/machine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Reference kernels may fail (a region may need memory, and a worker has no API entry of its own): the first failure of
 * a phase is carried to the control thread, as text, because error texts are thread-local. */
typedef struct {
    const run_program *p; const run_bound *first; uint32_t n, turn; int shares;
    run_lock lock;
    bool failed; const run_bound *step; int64_t instance;       /* of the first step that failed */
    tt_code code; base_site site; char what[512], hint[256];
} phase;
/* step, instance: of the current task */
typedef struct { phase *f; int share, worker; const run_bound *step; int64_t instance; } share;

char *run_base_of(const run_program *p, uint32_t value) { return p->slot[p->slot_of[value]].base + p->at[value]; }

static ir_box *make_boxes(const run_program *p, const run_bound *b, int64_t instance, ir_box *own_boxes)
{
    uint32_t coord[MESH_ATOMS];
    run_instance_coord(p->plan->mesh, b->step->vary, b->ranks, instance, coord);
    for (uint32_t i = 0; i < b->narg; i++) {
        const uint32_t v = b->step->arg[i];
        const int64_t at = run_storage_box(&p->storage[v], coord, &own_boxes[i]);
        char *base = p->slot ? run_base_of(p, v) : NULL;
        own_boxes[i].at = base ? base + at : NULL;
    }
    return own_boxes;
}

ir_box *run_boxes_of(const run_program *p, const run_bound *b, int64_t instance, ir_box *own_boxes)
{
    return b->box ? b->box + instance * b->narg : make_boxes(p, b, instance, own_boxes);
}

/* Tiles [first, first + count) of an exchange into one instance: ranges of elements over its pulls. */
static void exec_exchange(const run_program *p, const run_bound *b, int64_t instance, int64_t first, int64_t count)
{
    const uint32_t dst = b->step->exchange.to, src = b->step->exchange.from;
    const bool packs = b->stage == RUN_PACK;
    const tt_dtype of = p->storage[src].dtype;
    const run_how how = { of, packs ? of : p->storage[dst].dtype, b->step->exchange.route.reduce, b->stream };
    char *to = packs ? p->area : p->slot[p->slot_of[dst]].base;
    const char *from = p->slot[p->slot_of[src]].base;
    int64_t skip = first * b->chunk, left = count * b->chunk;
    if (b->share) {
        skip += b->share[2 * instance];
        if (left > b->share[2 * instance + 1] - skip) left = b->share[2 * instance + 1] - skip;
    }
    for (int64_t i = b->pull_at[instance]; i < b->pull_at[instance + 1] && left > 0; i++) {
        const run_pull *q = &b->pull[i];
        if (skip < q->count) {
            const int64_t n = q->count - skip < left ? q->count - skip : left;
            run_pull_do(q, skip, n, &how, to, from);
            left -= n;
            skip = 0;
        } else {
            skip -= q->count;
        }
    }
}

/* shared_index: index of the bytes that the instance's tiles share; see run_segment. */
static void exec_task(const run_program *p, const run_bound *b, int worker, int64_t instance, int64_t shared_index,
                      int64_t first, int64_t count)
{
    ir_box own_boxes[RUN_STACK_BOXES];
    if (!b->kernel) {
        exec_exchange(p, b, instance, first, count);
        return;
    }
    char *shared = b->shared ? p->slot[RUN_SLOT_ARENA].base + b->shared_at + shared_index * b->shared : NULL;
    if (b->share) first += b->share[2 * instance];
    const run_job job = { worker, run_boxes_of(p, b, instance, own_boxes), first, count, run_scratch(worker), shared,
                          b->prepared ? b->prepared + instance * b->prepared_bytes : NULL, NULL };
    (b->finish ? b->kernel->finish : b->kernel->code)(b->kernel->self, &job);
}

static __attribute__((noinline)) void timed_task(const share *s, const run_bound *b, int64_t instance,
                                                 int64_t shared_index, int64_t first, int64_t count)
{
    const double start = base_seconds();
    exec_task(s->f->p, b, s->worker, instance, shared_index, first, count);
    run_timeline_share(s->f->p, b, s->f->turn, s->worker, instance, start);
}

/* Runs the tiles [first, first + count) of an instance as the current task of a share. With a timeline every step is a
 * phase. */
static inline void share_task(share *s, const run_bound *b, int64_t instance, int64_t shared_index, int64_t first,
                              int64_t count)
{
    s->step = b, s->instance = instance;
    if (s->f->p->timeline) timed_task(s, b, instance, shared_index, first, count);
    else exec_task(s->f->p, b, s->worker, instance, shared_index, first, count);
}

static void share_of_step(share *s, const run_bound *b, int share, int shares)
{
    const int64_t units = b->complete_instances ? b->n : b->tile[b->n];
    int64_t u = shares > 1 ? units * share / shares : 0, i = 0;
    const int64_t end = shares > 1 ? units * (share + 1) / shares : units;
    if (b->complete_instances) {
        for (; u < end; u++) if (b->tile[u + 1] > b->tile[u]) share_task(s, b, u, u, 0, b->tile[u + 1] - b->tile[u]);
        return;
    }
    while (u < end) {
        while (b->tile[i + 1] <= u) i++;
        const int64_t stop = b->tile[i + 1] < end ? b->tile[i + 1] : end;
        share_task(s, b, i, i, u - b->tile[i], stop - u);
        u = stop;
    }
}

/* Runs all steps of the segment for one instance after the other. */
static void share_of_segment(share *s)
{
    const phase *const f = s->f;
    const int64_t n = f->first->n, end = n * (s->share + 1) / f->shares;
    for (int64_t i = n * s->share / f->shares; i < end; i++)
        for (const run_bound *b = f->first; b < f->first + f->n; b++)
            share_task(s, b, i, s->share, 0, b->tile[i + 1] - b->tile[i]);
}

static void exec_run_share(void *env)
{
    share *const s = env;
    const phase *f = s->f;
    const uint64_t before = base_failures();
    if (f->first->segment) share_of_segment(s);
    else for (uint32_t i = 0; i < f->n && base_failures() == before; i++)
        share_of_step(s, f->first + i, s->share, f->shares);
}

/* Notes that the share's current task has failed, as the error says. */
static void share_failed(const share *s, const base_error *e)
{
    phase *const f = s->f;
    run_locked(&f->lock);
    if (!f->failed || s->step < f->step || (s->step == f->step && s->instance < f->instance)) {
        f->failed = true, f->step = s->step, f->instance = s->instance;
        f->code = e ? e->code : TT_EMEM;
        f->site = e ? e->site : NULL;
        snprintf(f->what, sizeof f->what, "%s", e ? e->what : "out of memory");
        snprintf(f->hint, sizeof f->hint, "%s", e && e->hint ? e->hint : "");
    }
    run_unlocked(&f->lock);
}

/* A function on elements has ended the worker's thread; other workers do the shares that remain. */
static void share_left(void *p)
{
    const share *const s = p;
    const base_error e = { .code = TT_EDATA, .site = s->step ? s->step->step->site : NULL,
                           .what = "a function of the program has not returned, but left its thread" };
    share_failed(s, &e);
}

static void share_caught(share *s)
{
    const bool had = base_failed() != NULL;              /* of an earlier call: it is the error that is kept */
    const uint64_t before = base_failures();
    const bool done = base_catch(exec_run_share, s);
    if (done && base_failures() == before) return;
    share_failed(s, base_failed());
    if (!had) base_clear_error();
}

static void share_of_phase(void *env, int number, int worker)
{
    share s = { env, number, worker, NULL, 0 };
    base_guard guard;
    base_guard_begin(&guard, share_left, &s);
    share_caught(&s);
    base_guard_end(&guard);
}

/* Called on the control thread; sets the error of the first step that failed. */
static bool phase_ended(const phase *f)
{
    char device[RUN_DEVICE];
    if (!f->failed) return true;
    base_fail(f->code, f->site, "%s", f->what);
    if (f->step && run_device_text(f->p, f->step, f->instance, device)) base_also(NULL, "%s", device);
    return *f->hint && base_hint("%s", f->hint);
}

static _Atomic uint32_t turns = 1;                       /* executions of steps that the timeline has */

static bool run_phase(run_program *p, run_bound *b)
{
    enum { TRIES = 3 };
    phase f;                                             /* the text is not cleared: phases are many */
    f.p = p, f.first = b, f.n = b->phase, f.shares = p->workers;
    f.turn = p->timeline ? atomic_fetch_add(&turns, 1) : 0;
    f.failed = false, f.lock.held = false;
    const bool here = p->workers == 1 || b->phase_cost < BASE_WAKE_NS;   /* on the control thread */
    const bool timed = p->profiled || (here && b->runs < TRIES && p->workers > 1);
    const double start = timed ? base_seconds() : 0;
    if (here) {
        share s = { &f, 0, 0, NULL, 0 };                 /* the entry's guard is enough */
        f.shares = 1;
        share_caught(&s);
    } else {
        run_pool_do(share_of_phase, &f);
    }
    if (!timed) return phase_ended(&f);
    const double took = (base_seconds() - start) * 1e9;
    if (p->profiled) run_spend(b->account, took * 1e-9);
    if (!here) return phase_ended(&f);
    if (!b->runs || took < b->best) b->best = took;
    if (++b->runs == TRIES && b->best > 2 * BASE_WAKE_NS) b->phase_cost = b->best;
    return phase_ended(&f);
}

static bool exec_list(run_program *p, const run_bound_list *l);

static bool truth(const run_program *p, uint32_t value) { return *run_base_of(p, value) != 0; }

static const run_bound_list *branch(const run_program *p, const run_bound *b)
{
    const uint32_t v = b->step->control.test;
    const int32_t n = (int32_t)b->step->nnested;
    int32_t i;
    if (p->storage[v].dtype == TT_BOOL) i = truth(p, v);
    else memcpy(&i, run_base_of(p, v), sizeof i);
    return &b->sub[i < 0 || i >= n ? n - 1 : i];
}

/* Moves a slice to its current row: updates the address of every box that was computed in advance. */
static void set_slice_ptr(run_program *p, const run_step *s)
{
    const uint32_t of = s->slice_ptr.of, row = s->slice_ptr.row;
    const run_storage *w = &p->storage[row];
    const int64_t last = p->storage[of].dim[0] - 1;
    int32_t i;
    memcpy(&i, run_base_of(p, s->slice_ptr.index), sizeof i);
    const int64_t at = i > last ? last : i < 0 ? 0 : i;
    run_slot_at(&p->slot[p->slot_of[row]], p->slot[p->slot_of[of]].base + at * w->step[0] * w->size);
}

typedef struct { const run_bound *b; const ir_box *arg; bool apart; } host_call;

static void call_host(void *env)
{
    const host_call *c = env;
    c->b->step->host.call(c->b->step->host.env, c->b->narg, c->arg, c->apart);
}

/* True if the i-th instance here is another rank's too, which calls for it; of calls with results all ranks need
 * these. */
static bool called_elsewhere(const run_bound *b, int64_t i)
{
    const run_ranks *const r = b->ranks;
    return !b->step->nwritten && r->holder[r->holder_at[run_instance(r, i)]] != run_job_now().me;
}

/* Calls the user's function. It may call the library, unwind, or leave an error: then the launch ends. */
static bool run_host_step(const run_program *p, const run_bound *b)
{
    ir_box own_boxes[RUN_STACK_BOXES];
    const uint64_t before = base_failures();
    const bool apart = b->ranks && b->ranks->n < b->ranks->all;
    bool good = true;
    for (int64_t i = 0; i < b->n && good; i++) {
        if (apart && called_elsewhere(b, i)) continue;
        host_call c = { b, b->box ? b->box + i * b->narg : make_boxes(p, b, i, own_boxes), apart };
        good = run_nested(call_host, &c) && base_failures() == before;
    }
    return good;
}

/* Starts the messages of an exchange, waits until they have come, or until they were read. */
static bool message_stage(run_program *p, const run_bound *b)
{
    const run_step *s = b->step;
    const char *const from = b->far->shares ? NULL : p->slot[p->slot_of[s->exchange.from]].base;
    if (b->stage == RUN_POST) return run_far_post(b->far, p->area, from, s->site, s->name, p->word, p->turn);
    if (b->stage == RUN_READ) return run_far_read(b->far), true;
    if (b->stage == RUN_END) return run_far_end(b->far, s->site, s->name);
    if (!run_far_wait(b->far, s->site, s->name)) return p->lost = true, false;
    if (b->far->shares) return run_shares_settle(p, b->far);
    run_far_aim(b->far, from, p->area);
    if (b->far->common) run_slot_at(&p->slot[p->slot_of[s->exchange.to]], b->far->next);
    return true;
}

static bool exec_messages(run_program *p, const run_bound *b)
{
    const double start = run_waits(b) && p->profiled ? base_seconds() : 0;
    const bool done = message_stage(p, b);
    if (!start) return done;
    run_spend(b->account, base_seconds() - start);
    if (p->timeline) run_timeline_wait(p, b, atomic_fetch_add(&turns, 1), start);
    return done;
}

static bool exec_loop(run_program *p, const run_bound *b)
{
    for (int64_t i = 0;; i++) {
        if (p->watch) run_watch_loop(p->watch, b->step->site, i);
        if (!exec_list(p, &b->sub[RUN_COND])) return false;
        if (!truth(p, b->step->control.test)) break;
        if (!exec_list(p, &b->sub[RUN_BODY])) return false;
    }
    if (p->watch) run_watch_loop(p->watch, b->step->site, -1);
    return true;
}

static bool watched_phase(run_program *p, run_bound *b)  /* a phase of one step */
{
    return run_watch_before(p, b) && run_phase(p, b) && run_watch_after(p, b);
}

static bool exec_list(run_program *p, const run_bound_list *l)
{
    bool (*const phase_of)(run_program *, run_bound *) = p->watch ? watched_phase : run_phase;
    for (run_bound *b = l->at; b < l->at + l->n; b += b->phase)
        switch (b->step->kind) {
        case RUN_COMPUTE:
        case RUN_EXCHANGE:
            if (!(b->stage > RUN_PACK ? exec_messages(p, b) : phase_of(p, b))) return false;
            if (p->area) wire_progress();
            break;
        case RUN_LOOP:
            if (!exec_loop(p, b)) return false;
            break;
        case RUN_CHOOSE:
            if (!exec_list(p, branch(p, b))) return false;
            break;
        case RUN_HOST:
            if (p->watch && !run_watch_before(p, b)) return false;
            if (!run_host_step(p, b) || (p->watch && !run_watch_after(p, b))) return false;
            break;
        case RUN_SLICE_PTR: set_slice_ptr(p, b->step); break;
        }
    return true;
}

bool run_body(run_program *p) { return exec_list(p, &p->body); }
