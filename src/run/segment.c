/* run/segment.c - instance-major execution. If a run of steps of one class works on complete instances, a worker runs
 * all of them for one instance, then for the next; the arena then holds one instance per worker instead of all:
 *
 *     address = arena[vary] + share(instance) * (bytes of the class) + at
 *
 * The condition is that everything that the class has in the arena is written and read by these consecutive steps. An
 * ensemble of eight members on two workers touches a quarter of its arena, and most of the time of a first call goes
 * into memory that is touched for the first time. If the arena is small, execution stays step by step: weights that all
 * instances read stay in the caches. */
#include "inner.h"

#include "../base/machine.h"

int64_t run_segment_least = BASE_CACHES;                 /* least bytes of the arena, all instances */

/* ---- at bind ---- */

static bool of_class(const run_plan *p, uint32_t v, mesh_set vary)
{
    return p->value[v].space == RUN_ARENA && p->value[v].vary == vary;
}

static bool list_touches(const run_plan *p, const run_list *l, mesh_set vary);

static bool touches(const run_plan *p, const run_step *s, mesh_set vary)
{
    for (uint32_t k = 0; k < s->narg; k++) if (of_class(p, s->arg[k], vary)) return true;
    RUN_EACH_BLOCK(s, l) if (list_touches(p, l, vary)) return true;
    switch (s->kind) {
    case RUN_COMPUTE:
    case RUN_HOST:     return false;
    case RUN_EXCHANGE: return of_class(p, s->exchange.from, vary) || of_class(p, s->exchange.to, vary);
    case RUN_LOOP:
    case RUN_CHOOSE:   return of_class(p, s->control.test, vary);
    case RUN_SLICE_PTR:
        return of_class(p, s->slice_ptr.of, vary) || of_class(p, s->slice_ptr.row, vary) ||
               of_class(p, s->slice_ptr.index, vary);
    }
    return true;
}

static bool list_touches(const run_plan *p, const run_list *l, mesh_set vary)
{
    for (uint32_t i = 0; i < l->n; i++) if (touches(p, &l->step[i], vary)) return true;
    return false;
}

/* True if argument k fits a step of a segment: (a) the instance's own part of the class; or (b) read only, and written
 * by no step of the segment: constants, arguments whose buffer no result takes, values of another class in the
 * arena. */
static bool value_fits(const run_plan *p, const run_step *s, uint32_t k)
{
    const run_value *v = &p->value[s->arg[k]];
    if (v->slice) return false;
    if (v->vary == s->vary && !v->merged) return true;
    if (k + s->nwritten >= s->narg || v->space == RUN_RESULT) return false;
    for (uint32_t r = 0; v->space == RUN_ARG && p->alias && r < p->nresult; r++)
        if (p->alias[r] == v->at) return false;
    return v->space != RUN_ARENA || v->vary != s->vary;
}

static bool segment_fits(const run_plan *p, const run_step *s, mesh_set vary)
{
    if (s->kind != RUN_COMPUTE || s->vary != vary || !s->nwritten || run_merged_over(p, s)) return false;
    if (s->compute.common) return false;                 /* other ranks compute a part of it */
    for (uint32_t k = 0; k < s->narg; k++) if (!value_fits(p, s, k)) return false;
    return true;
}

/* The class with the most bytes over all instances; sets the bytes of one instance. */
static mesh_set largest(const run_program *p, int64_t *bytes)
{
    const run_plan *plan = p->plan;
    mesh_set best = 0;
    int64_t most = 0;
    for (uint32_t i = 0; i < plan->nvalue; i++) {
        const run_value *v = &plan->value[i];
        const int64_t all = v->space == RUN_ARENA ? run_storage_instances(&p->storage[i]) * (v->at + v->bytes) : 0;
        if (all > most) most = all, best = v->vary, *bytes = v->at + v->bytes;
    }
    return best;
}

/* Finds the segment, before boxes are computed: every instance of the class gets one contiguous range with all its
 * values. */
void run_segment_find(run_program *p)
{
    const run_plan *plan = p->plan;
    const run_list *l = &plan->body;
    int64_t bytes = 0;
    const mesh_set vary = plan->mesh && p->bytes >= run_segment_least ? largest(p, &bytes) : 0;
    const run_ranks *ranks = NULL;
    if (vary && !plan->single_device && !run_ranks_of(plan->mesh, vary, &ranks)) return;
    const int64_t n = ranks ? ranks->n : vary ? mesh_set_size(plan->mesh, vary) : 1;
    uint32_t first = 0, end = l->n;
    if (n < 2 || n * bytes < run_segment_least) return;
    while (first < end && !touches(plan, &l->step[first], vary)) first++;
    while (end > first && !touches(plan, &l->step[end - 1], vary)) end--;
    for (uint32_t i = first; i < end; i++) if (!segment_fits(plan, &l->step[i], vary)) return;
    for (uint32_t v = 0; v < plan->nvalue; v++) {
        if (!of_class(plan, v, vary)) continue;
        p->at[v] -= (n - 1) * plan->value[v].at;
        p->storage[v].bytes = bytes;
    }
    p->segment = (run_segment){ .vary = vary, .n = n, .bytes = bytes, .first = &l->step[first],
                                .last = &l->step[end - 1] };
}

bool run_segment_has(const run_program *p, const run_bound *b)
{
    return p->segment.n && b->step >= p->segment.first && b->step <= p->segment.last;
}

/* ---- when phases are divided ---- */

static int64_t share_of(int64_t i, int64_t n, int shares) { return ((i + 1) * shares - 1) / n; }    /* as in exec.c */

/* Moves instances to the ranges of their shares (by = -1), or apart again (by = 1). Patches are in the order of
 * bind.c. */
static run_patch *move_instances(const run_program *p, const run_bound_list *l, run_patch *q, int by)
{
    for (run_bound *b = l->at; b < l->at + l->n; b++) {
        const bool in_segment = l == &p->body && run_segment_has(p, b);
        RUN_EACH_SUB(b, sub) q = move_instances(p, sub, q, by);
        for (int64_t i = 0; b->box && !b->finish && i < b->n * b->narg; i++) {
            const uint32_t v = b->step->arg[i % b->narg];
            if (p->slot_of[v] != RUN_SLOT_ARENA) continue;
            const int64_t k = i / b->narg, to = share_of(k, p->segment.n, p->segment.shares);
            if (in_segment && p->plan->value[v].vary == p->segment.vary) q->offset += by * (k - to) * p->segment.bytes;
            q++;
        }
    }
    return q;
}

/* Sets the number of shares: the number of workers; 0: not instance by instance. */
void run_segment_run(run_program *p, int shares)
{
    run_slot *arena = &p->slot[RUN_SLOT_ARENA];
    if (p->segment.shares == shares) return;
    if (p->segment.shares) move_instances(p, &p->body, arena->patch, 1);
    p->segment.shares = shares;
    if (shares) move_instances(p, &p->body, arena->patch, -1);
    arena->base = NULL;                                  /* forces the update of all boxes */
}
