/* run/phases.c - divides steps into phases: runs of steps that workers execute without waiting for each other.
 *
 * Within a phase every worker takes its own share of each step, in order. That is correct if no step accesses memory
 * that another step of the phase writes, unless both are divided by complete instances of one class and each instance
 * accesses only its own memory: then the worker that wrote the memory is the one that reads it. Memory of the arena is
 * compared by offsets: two values of one class that overlap at different offsets have instances that overlap crosswise.
 * Which steps are divided by complete instances depends on the number of workers, so phases are divided anew when that
 * changes. */
#include "inner.h"

#include "../base/machine.h"

enum { LONGEST = 32 };

static bool step_of_phase(const run_bound *b)
{
    if (b->stage > RUN_PACK) return false;
    return b->step->kind == RUN_COMPUTE || b->step->kind == RUN_EXCHANGE;
}

static bool accesses_overlap(const run_access *a, const run_access *b)
{
    if (a->space != b->space || !(a->write || b->write)) return false;
    return (a->space != RUN_ARENA || a->vary == b->vary) && a->lo < b->hi && b->lo < a->hi;
}

bool run_conflict(const run_bound *s, const run_bound *t)
{
    for (uint32_t i = 0; i < s->naccess; i++)
        for (uint32_t j = 0; j < t->naccess; j++) {
            const run_access *a = &s->access[i], *b = &t->access[j];
            if (!accesses_overlap(a, b)) continue;
            const bool same = a->lo == b->lo && a->bytes == b->bytes;
            if (s->complete_instances && t->complete_instances && a->own && b->own && a->vary == b->vary &&
                (same || (a->separate && b->separate)))
                continue;
            return true;
        }
    return false;
}

static bool phases_of_instances(const run_bound *b, int workers)
{
    return b->tile[b->n] == b->n || b->n % workers == 0 || b->n >= 4 * workers;
}

/* True if the segment is possible and worth it with this number of workers. It is one phase then. */
static bool segment_worthwhile(const run_program *p, int workers)
{
    bool good = p->segment.n > workers;
    for (const run_bound *b = p->body.at; good && b < p->body.at + p->body.n; b++)
        good = !run_segment_has(p, b) || (b->box && phases_of_instances(b, workers));
    return good;
}

static void phases_divide(const run_program *p, run_bound_list l, int workers, bool each, bool *parallel)
{
    run_bound *first = NULL;
    for (run_bound *b = l.at; b < l.at + l.n; b++) {
        const bool in_segment = p->segment.shares && l.at == p->body.at && run_segment_has(p, b);
        RUN_EACH_SUB(b, sub) phases_divide(p, *sub, workers, each, parallel);
        if (first && in_segment != first->segment) first = NULL;
        b->segment = in_segment;
        b->phase = 1;
        b->runs = 0;
        b->phase_cost = b->cost;
        if (!step_of_phase(b)) {
            first = NULL;
            continue;
        }
        b->complete_instances = phases_of_instances(b, workers);
        bool joins = first && !each && (in_segment || first->phase < LONGEST);
        for (run_bound *s = first; joins && !in_segment && s < b; s++) joins = !run_conflict(s, b);
        if (joins) {
            first->phase++;
            first->phase_cost += b->cost;
            b->phase = 0;
        } else {
            first = b;
        }
        *parallel |= first->phase_cost >= BASE_WAKE_NS;
    }
}

void run_divide_phases(run_program *p, int workers, bool each)
{
    p->parallel = false;
    run_segment_run(p, !each && segment_worthwhile(p, workers) ? workers : 0);
    phases_divide(p, p->body, workers, each, &p->parallel);
    p->workers = workers;
    p->profiled = each;
}
