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
 * What is read in place needs no message: once all ranks have posted, it can be pulled. A wait ends when the other
 * ranks have reached their posts. So after the wait for one exchange there is none for exchanges that were posted
 * before it, or after it without long steps between the two. These are pulled together, and the ranks have until the
 * first step that reads a common copy to fill it.
 *
 * Before that, steps that no later post needs move down behind the posts (an update of parameters, a loss): a rank
 * computes them while other ranks reach their posts. And exchanges move up over one long step, so that parameters are
 * gathered while the layer before them is computed.
 *
 * A step of which ranks compute shares (shares.c) has these stages too. Its post says that this rank reads no longer
 * what the step overwrites. So the post stands behind the reads of the exchanges that fill the step's operands, but
 * before their ends, for which only the pull has to wait: ranks wait once for both.
 *
 * No rank waits for ever, also where ranks have parts in different exchanges. A rank that has come to step p of its
 * list has posted all that stands before p, and has read all that conflicts with a step before p. At p it waits for
 * posts of steps before p, and for reads of what conflicts with a step before p or with p. So the rank whose p is the
 * least waits only for what another rank has done, or does at the same p before it waits itself.
 *
 * No stage moves past a loop, a choice, a host step, a slice pointer, or into a segment. Of LONGEST consecutive posts
 * the first is read: the slots of a mailbox are reused in order, so a message that is read late delays the later
 * messages. The order depends on the plan alone, so it is the same on all ranks. */
#include "inner.h"

enum { LONGEST = 6 };
/* wait: then come pull, read and end. now: it is to be put; read: its read was put; steps: number of long steps before
 * its post */
typedef struct { const run_bound *wait; uint32_t number, steps; bool now, read; } pending;
typedef struct {
    run_bound *out; uint32_t n;
    pending *late; uint32_t nlate;                       /* posted, not waited for */
    const run_bound **end; uint32_t nend;                /* read by this rank, perhaps not by the others */
    uint32_t posts, steps;                               /* so far; steps: those that are long */
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

/* Marks exchanges for which no rank waits once the marked ones have come. */
static void mark_posted(overlap *o)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < o->nlate; i++) if (o->late[i].now) steps = o->late[i].steps;
    for (uint32_t i = 0; i < o->nlate; i++)
        o->late[i].now |= o->late[i].wait->far->in_place && o->late[i].steps <= steps;
}

/* True if the step takes long compared with a message. */
static bool is_long(const run_bound *b)
{
    const int64_t LONG = 1 << 20;
    const double LONG_FLOPS = 4e6;
    int64_t bytes = 0;
    if (b->step->kind != RUN_COMPUTE) return false;
    for (uint32_t i = 0; i < b->naccess; i++) bytes += b->access[i].bytes;
    return bytes >= LONG || b->step->compute.flops >= LONG_FLOPS;
}

/* Emits the pulls and reads of what conflicts with a step; NULL: all. */
static void emit_pulls(overlap *o, const run_bound *step)
{
    bool any = false;
    for (uint32_t i = 0; i < o->nlate; i++)
        any |= o->late[i].now = !step || run_conflict(pull_of(&o->late[i]), step);
    if (any) mark_posted(o), emit_marked(o);
}

/* Emits the ends too. */
static void emit_before(overlap *o, const run_bound *step)
{
    emit_pulls(o, step);
    emit_ends(o, step);
}

static bool stays(const run_program *p, const run_bound *b)
{
    return (b->step->kind != RUN_COMPUTE && b->step->kind != RUN_EXCHANGE) || run_segment_has(p, b);
}

/* ---- steps behind posts ---- */

enum { UNITS = 2048 };                                   /* of longer lists the order stays: it takes their square */
/* A step, or the stages of an exchange, whose accesses are its pull's. posts: an exchange, also one in which this rank
 * has no part; needed: it posts, or a later post needs it. */
typedef struct { const run_bound *first, *pull; uint32_t n; bool stays, posts, needed; } unit;

static uint32_t find_units(const run_program *p, const run_bound_list *l, unit *of)
{
    uint32_t n = 0;
    for (const run_bound *b = l->at, *end = l->at + l->n; b < end; n++) {
        const run_bound *next = b + 1;
        of[n] = (unit){ b, b, 1, stays(p, b), run_may_post(b->step), false };
        while (of[n].posts && next < end && next->step == b->step) {
            if (next->stage == RUN_PULL) of[n].pull = next;
            next++;
        }
        of[n].n = (uint32_t)(next - b);
        b = next;
    }
    return n;
}

/* Moves an exchange up over steps on which it does not depend, over at most one long one. */
static void move_up(unit *first, unit *u)
{
    for (int steps = 0; u > first && !u[-1].posts && !run_conflict(u[-1].pull, u->pull); u--) {
        const unit before = u[-1];
        if ((steps += is_long(before.first)) > 1) return;
        u[-1] = *u, *u = before;
    }
}

/* Orders n units, none of which stays: those that posts need before the others, and exchanges early. */
static run_bound *put_units(unit *u, uint32_t n, unit *sorted, run_bound *to)
{
    unit *s = sorted;
    for (uint32_t i = n; i-- > 0;) {
        u[i].needed = u[i].posts;
        for (uint32_t j = i + 1; j < n && !u[i].needed; j++)
            u[i].needed = u[j].needed && run_conflict(u[i].pull, u[j].pull);
    }
    for (int needed = 1; needed >= 0; needed--)
        for (uint32_t i = 0; i < n; i++) {
            if (u[i].needed != needed) continue;
            *s = u[i];
            if (s->posts) move_up(sorted, s);
            s++;
        }
    for (s = sorted; s < sorted + n; s++) for (uint32_t k = 0; k < s->n; k++) *to++ = s->first[k];
    return to;
}

static void posts_first(const run_program *p, run_bound_list *l, base_arena *arena)
{
    unit *const u = BASE_NEW(arena, unit, l->n), *const sorted = BASE_NEW(arena, unit, l->n);
    run_bound *const out = BASE_NEW(arena, run_bound, l->n), *to = out;
    const uint32_t n = find_units(p, l, u);
    uint32_t steps = 0;
    for (uint32_t i = 0; i < n; i++) steps += !u[i].first->finish;       /* as many on all ranks */
    if (steps > UNITS) return;
    for (uint32_t i = 0, first = 0; i <= n; i++) {
        if (i < n && !u[i].stays) continue;
        to = put_units(u + first, i - first, sorted, to);
        if (i < n) *to++ = *u[i].first;
        first = i + 1;
    }
    for (uint32_t i = 0; i < l->n; i++) l->at[i] = out[i];
}

/* The temporary lists are in the arena; each has at most as many steps as l. */
void run_overlap(const run_program *p, run_bound_list *l, base_arena *arena)
{
    overlap o = { .out = BASE_NEW(arena, run_bound, l->n), .late = BASE_NEW(arena, pending, l->n),
                  .end = BASE_NEW(arena, const run_bound *, l->n) };
    posts_first(p, l, arena);
    for (const run_bound *b = l->at; b < l->at + l->n; b++) {
        if (b->stage != RUN_POST) {
            emit_before(&o, stays(p, b) ? NULL : b);
            o.out[o.n++] = *b;
            o.steps += is_long(b);
            continue;
        }
        emit_pulls(&o, b + 2);                           /* the pull: what it reads is sent */
        emit_ends(&o, b->far->shares ? b : b + 2);
        o.out[o.n++] = *b;
        o.late[o.nlate++] = (pending){ b + 1, o.posts++, o.steps, false, false };
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
