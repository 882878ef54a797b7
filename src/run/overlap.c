/* run/overlap.c - orders the stages of exchanges between ranks so that other steps run while messages are under way.
 *
 * A plan has an exchange as one step, which is bound as six stages:
 * - pack, post: stay where the plan has the exchange;
 * - wait, pull: move down the list to the first step that conflicts with the pull, that is, reads or writes the
 *   destination or writes the source. So consecutive exchanges post together and wait once, and steps that do not
 *   depend on them run in between;
 * - read, end: the end waits until other ranks have read the source, and moves down to the first step that writes the
 *   source. The end of a common copy moves down to the first step that reads or writes the copy, since by then the
 *   other ranks have written their shares of the copy.
 *
 * No stage moves past a loop, a choice, a host step, a slice pointer, or into a segment. Of LONGEST consecutive posts
 * the first is read: the slots of a mailbox are reused in order, so a message that is read late delays the later
 * messages. */
#include "inner.h"

enum { LONGEST = 6 };
/* wait: then come pull, read and end. now: it is to be put; read: its read was put */
typedef struct { const run_bound *wait; uint32_t number; bool now, read; } pending;
typedef struct {
    run_bound *out; uint32_t n;
    pending *late; uint32_t nlate;                       /* posted, not waited for */
    const run_bound **end; uint32_t nend;                /* read by this rank, perhaps not by the others */
    uint32_t posts;
} overlap;

static const run_bound *pull_of(const pending *p) { return p->wait + 1; }

/* Emits the ends of the exchanges whose sources the step writes; NULL: all. */
static void emit_ends(overlap *o, const run_bound *before)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->nend; i++)
        if (!before || run_conflict(o->end[i], before)) o->out[o->n++] = *o->end[i];
        else o->end[kept++] = o->end[i];
    o->nend = kept;
}

/* Emits the reads of the exchanges of late[0 .. n) that are marked; they have been pulled. */
static void emit_reads(overlap *o, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const pending *const p = &o->late[i];
        if (!p->now || p->read || !p->wait->far->in_place) continue;
        o->out[o->n++] = p->wait[2];
        o->end[o->nend++] = p->wait + 3;
        o->late[i].read = true;
    }
}

/* Emits waits, pulls and reads of the exchanges that are marked, and of those that must come before them. */
static void emit_marked(overlap *o)
{
    uint32_t kept = 0;
    for (uint32_t i = o->nlate; i-- > 0;)
        for (uint32_t j = i + 1; j < o->nlate && !o->late[i].now; j++)
            o->late[i].now = o->late[j].now && run_conflict(pull_of(&o->late[i]), pull_of(&o->late[j]));
    for (uint32_t i = 0; i < o->nlate; i++) if (o->late[i].now) o->out[o->n++] = *o->late[i].wait;
    for (uint32_t i = 0; i < o->nlate; i++) {
        const run_bound *const pull = pull_of(&o->late[i]);
        bool writes = false;                             /* the source of one before it, which others may still read */
        if (!o->late[i].now) continue;
        for (uint32_t j = 0; j < i; j++) writes |= o->late[j].now && run_conflict(pull_of(&o->late[j]), pull);
        if (writes) emit_reads(o, i);
        emit_ends(o, pull);
        o->out[o->n++] = *pull;
    }
    emit_reads(o, o->nlate);
    for (uint32_t i = 0; i < o->nlate; i++) if (!o->late[i].now) o->late[kept++] = o->late[i];
    o->nlate = kept;
}

/* Emits what conflicts with a step; NULL: all. */
static void emit_before(overlap *o, const run_bound *step)
{
    bool any = false;
    for (uint32_t i = 0; i < o->nlate; i++)
        any |= o->late[i].now = !step || run_conflict(pull_of(&o->late[i]), step);
    if (any) emit_marked(o);
    emit_ends(o, step);
}

static bool stays(const run_program *p, const run_bound *b)
{
    return (b->step->kind != RUN_COMPUTE && b->step->kind != RUN_EXCHANGE) || run_segment_has(p, b);
}

/* The temporary lists are in the arena; each has at most as many steps as l. */
void run_overlap(const run_program *p, run_bound_list *l, base_arena *arena)
{
    overlap o = { .out = BASE_NEW(arena, run_bound, l->n), .late = BASE_NEW(arena, pending, l->n),
                  .end = BASE_NEW(arena, const run_bound *, l->n) };
    for (const run_bound *b = l->at; b < l->at + l->n; b++) {
        if (b->stage != RUN_POST) {
            emit_before(&o, stays(p, b) ? NULL : b);
            o.out[o.n++] = *b;
            continue;
        }
        emit_before(&o, b + 2);                          /* the pull: what it reads is sent */
        o.out[o.n++] = *b;
        o.late[o.nlate++] = (pending){ b + 1, o.posts++, false, false };
        if (o.posts - o.late[0].number > LONGEST) {
            o.late[0].now = true;
            for (uint32_t i = 1; i < o.nlate; i++) o.late[i].now = false;
            emit_marked(&o);
        }
        b += b->far->in_place ? 4 : 2;
    }
    emit_before(&o, NULL);
    for (uint32_t i = 0; i < l->n; i++) l->at[i] = o.out[i];
}
