/* spmd/partition/adds.c - sums of several terms: adds unreduced terms to each other first and reduces them once.
 *
 * ((r + p) + q) + s, with p, q, s unreduced over the same atoms and r reduced, is computed as r + (p + q + s): one
 * reduction instead of three. Example: the gradient of a value that several projections and a residual read. An
 * addition with one unreduced and one reduced operand is deferred, as two halves, if its only reader is another
 * addition, which then adds to one of the halves. The order of the terms changes; in reproducible mode no sum is
 * unreduced, and nothing is deferred. */
#include "../inner.h"

static bool is_open(const spmd_part *p, ir_id id) { return p->layout[id]->partial && p->layout[id]->reduce == MESH_SUM;
}

typedef struct { ir_id now, old; } term;                 /* a new id; the old id whose readers are counted */

/* Emits x + y for equation e. The result's .now is 0 on an error. */
static term adds_add(spmd_part *p, const ir_eqn *e, term x, term y)
{
    ir_eqn one = *e;
    one.in = (const ir_id[]){ x.old, y.old };
    const bool done = spmd_plain(p, &one, (ir_id[]){ x.now, y.now });
    return (term){ done ? p->map[e->out] : 0, p->split_sum[x.old].unreduced ? x.old : y.old };
}

bool spmd_add(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    term half[2][2] = { 0 };                             /* of each operand: reduced half, unreduced half */
    bool waited = false;
    for (uint32_t i = 0; i < 2; i++) {
        const spmd_split_sum *t = &p->split_sum[e->in[i]];
        for (int k = 0; k < 2 && t->unreduced; k++) half[i][k] = (term){ k ? t->unreduced : t->reduced, e->in[i] };
        if (!t->unreduced) half[i][is_open(p, in[i])] = (term){ in[i], e->in[i] };
        waited |= t->unreduced != 0;
    }
    term *const x = half[0], *const y = half[1], sum[2];
    const bool wait = p->split_sum[e->out].added;
    if (!waited && (!x[1].now == !y[1].now || !wait)) return spmd_plain(p, e, in);
    for (int i = 0; i < 2 && x[1].now && y[1].now; i++) {    /* unreduced over different atoms: reduce now */
        if (p->layout[x[1].now]->partial == p->layout[y[1].now]->partial) break;
        if (!half[i][0].now) continue;
        const term done = adds_add(p, e, half[i][0], half[i][1]);
        if (!done.now) return false;
        const bool open = is_open(p, done.now);
        half[i][open] = (term){ done.now, e->in[i] };
        half[i][!open] = (term){ 0 };
    }
    for (int k = 0; k < 2; k++) {
        sum[k] = !x[k].now ? y[k] : !y[k].now ? x[k] : adds_add(p, e, x[k], y[k]);
        if (x[k].now && y[k].now && !sum[k].now) return false;
    }
    if (sum[0].now && sum[1].now && is_open(p, sum[1].now) && wait) {
        p->split_sum[e->out].reduced = sum[0].now;
        p->split_sum[e->out].unreduced = sum[1].now;
        return true;
    }
    return !sum[0].now || !sum[1].now || adds_add(p, e, sum[0], sum[1]).now; /* else done: the last sum is e's result */
}
