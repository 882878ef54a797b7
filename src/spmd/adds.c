/* spmd/adds.c - sums of several terms: parts of sums are added to each other first, and finished once.
 *
 * ((r + p) + q) + s, with p, q, s open over the same atoms and r not, is r + (p + q + s): one reduction instead of
 * three. So stands the gradient of what several projections read, beside a residual. An addition of which one operand
 * is open and the other is not waits, in two halves, if an addition is its only reader; that one adds to either half.
 * The order of the terms changes; in reproducible mode no sum is open, and nothing waits. */
#include "inner.h"

static bool is_open(const spmd_part *p, ir_id id) { return p->layout[id]->partial && p->layout[id]->how == MESH_SUM; }

/* x + y as e's, where they are known by old ids; the new id, or 0. */
static ir_id add(spmd_part *p, const ir_eqn *e, ir_id x, ir_id old_x, ir_id y, ir_id old_y)
{
    ir_eqn one = *e;
    one.in = (const ir_id[]){ old_x, old_y };
    return spmd_plain(p, &one, (ir_id[]){ x, y }) ? p->map[e->out] : 0;
}

bool spmd_add(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    ir_id whole[2] = { 0 }, open[2] = { 0 };
    bool waited = false;
    for (uint32_t i = 0; i < 2; i++) {
        const spmd_two *t = &p->two[e->in[i]];
        if (t->open) whole[i] = t->whole, open[i] = t->open, waited = true;
        else *(is_open(p, in[i]) ? &open[i] : &whole[i]) = in[i];
    }
    if (!waited && (!open[0] == !open[1] || !p->two[e->out].added)) return spmd_plain(p, e, in);
    for (uint32_t i = 0; i < 2; i++) {                   /* over other atoms than the other one: finished now */
        if (!open[0] || !open[1] || p->layout[open[0]]->partial == p->layout[open[1]]->partial) break;
        if (!whole[i]) continue;
        const ir_id done = add(p, e, whole[i], e->in[i], open[i], e->in[i]);
        if (!done) return false;
        whole[i] = is_open(p, done) ? 0 : done;
        open[i] = is_open(p, done) ? done : 0;
    }
    for (int half = 0; half < 2; half++) {
        ir_id *x = half ? open : whole;
        if (!x[0] || !x[1]) x[0] = x[0] ? x[0] : x[1];
        else if (!(x[0] = add(p, e, x[0], e->in[0], x[1], e->in[1]))) return false;
    }
    if (whole[0] && open[0] && is_open(p, open[0]) && p->two[e->out].added) {
        p->two[e->out].whole = whole[0];
        p->two[e->out].open = open[0];
        return true;
    }
    if (!whole[0] || !open[0]) return true;              /* the last addition was this one */
    return add(p, e, whole[0], e->in[0], open[0], e->in[1]) != 0;
}
