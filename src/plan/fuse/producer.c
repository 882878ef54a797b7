/* plan/fuse/producer.c - fuses producers into the one group of elementwise equations that reads them: a producer is
 * computed part by part in the cache and never stored. Producers are
 * (a) contractions, if fusing costs no memory, so that the gradient of weights becomes part of the optimizer's update;
 * (b) large moves: gathers, transposes, scatters, sums of windows. */
#include "../inner.h"
#include "../../op/ops.h"

int64_t plan_producer_least = 1 << 16;                   /* least number of elements of a producer's result */

static plan_group many;                                  /* marks a value that several groups read */

/* Records g as the reader of t's operands. Random bits need their entire key, whatever part of the group is computed,
 * so a key counts as read by another group too. */
static void read_by(const plan_flat *f, const plan_item *t, plan_group *g, plan_group **consumer)
{
    if (t->kind == PLAN_EQN && gen_is_random_bits(t->eqn)) g = &many;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_id base = f->value[t->in[k]].base;
        plan_group **r = &consumer[base];
        *r = base == t->in[k] && (!*r || *r == g) ? g : &many;
    }
}

/* Records which group of block `in` reads each value that the items of b read; b is `in` or nested in `in`. A group
 * reads the operands of all its items, including the recomputed ones (recompute.c). */
static void find_consumers(const plan_flat *f, const plan_block *in, const plan_block *b, plan_group **consumer)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        plan_group *g = b == in && t->kind == PLAN_EQN ? plan_find(t->group) : NULL;
        if (!g) read_by(f, t, &many, consumer);
        for (uint32_t k = 0; g && g->item[0] == t && k < g->n; k++) read_by(f, g->item[k], g, consumer);
        if (t->kind == PLAN_LOOP) consumer[f->value[t->loop.test].base] = &many;
        PLAN_EACH_BLOCK(t, nested) find_consumers(f, in, nested, consumer);
    }
}

/* True if g recomputes an operand of t: in g, t would read the recomputed value, but t needs the stored one. */
static bool recomputes_operand(const plan_flat *f, const plan_group *g, const plan_item *t)
{
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_item *d = f->value[f->value[t->in[k]].base].def;
        if (d && plan_contains(g, d)) return true;
    }
    return false;
}

static int64_t all_bytes(const plan_flat *f, plan_id v)
{
    const plan_value *x = &f->value[v];
    return x->merged ? x->bytes * mesh_set_size(f->mesh, x->merged) : x->bytes;
}

/* True if dot t is worth fusing into its reader: large result, short contraction (shorter for 16-bit types, where
 * plug-ins are much faster), operands no larger than the result they replace, and a right operand small enough to
 * repack per part. */
static bool is_producer_dot(const plan_flat *f, const plan_item *t)
{
    enum { LONGEST = 256, NARROW = 32, PACKED = 1 << 16 };       /* terms, elements */
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_dot_general || t->ref) return false;
    const op_dot_attr *a = IR_ATTR(t->eqn, op_dot_attr);
    int64_t terms = 1, batches = 1;
    for (int i = 0; i < a->lhs_contracting_dimensions.n; i++) terms *= IR_IN(t->eqn,
        0)->dim[a->lhs_contracting_dimensions.v[i]];
    for (int i = 0; i < a->rhs_batching_dimensions.n; i++) batches *= IR_IN(t->eqn,
        1)->dim[a->rhs_batching_dimensions.v[i]];
    const bool narrow = ir_dtype_of(IR_IN(t->eqn, 0)->dtype)->bytes < 4;
    return terms <= (narrow ? NARROW : LONGEST) && ir_count(IR_OUT(t->eqn, 0)) >= plan_producer_least
           && ir_count(IR_IN(t->eqn, 1)) <= batches * PACKED
           && all_bytes(f, t->in[0]) + all_bytes(f, t->in[1]) <= f->value[t->out[0]].bytes;
}

/* Fuses each worthwhile dot into the group that reads its result. No other group reads the result, so the dot may run
 * as late as its reader. */
void plan_fuse_producers(plan_flat *f, plan_block *b)
{
    plan_group **consumer = BASE_NEW(f->a, plan_group *, f->nvalue + 1);
    find_consumers(f, b, b, consumer);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        if (!is_producer_dot(f, t)) continue;
        plan_group *g = consumer[t->out[0]];
        if (!g || g == &many || g->has_producer || g->full || !plan_is_elementwise(g->item[0]) ||
            g->n == PLAN_GROUP_MOST) continue;
        if (!plan_same_boxes(&f->value[t->out[0]], &f->value[g->item[0]->out[0]])) continue;
        if (recomputes_operand(f, g, t)) continue;
        g->has_producer = true;
        t->group->into = g;
        plan_group_add(f, g, t);
    }
}

/* True if t is a move worth fusing into its reader (rows of a table, transposes, sums of gradients into rows, sums of
 * windows): large result, and keeping its operands until then costs nothing or no more than keeping the result. */
static bool is_producer_move(const plan_flat *f, const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->nout != 1 || t->cheap || t->ref || t->group->n != 1 || t->group->into) return false;
    if (t->eqn->op == &prim_dot_general || !gen_is_producer(t->eqn)) return false;
    if (ir_count(IR_OUT(t->eqn, 0)) < plan_producer_least) return false;
    int64_t kept = 0;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_value *x = &f->value[f->value[t->in[k]].base];
        if (x->def && !x->def->cheap) kept += x->bytes;
    }
    return kept <= f->value[t->out[0]].bytes;
}

/* True if v, an operand of u, may be an operand of t that u's result overwrites in place. */
static bool overwrites(const plan_flat *f, const plan_item *u, plan_id v, const plan_item *t)
{
    const plan_id base = f->value[v].base;
    bool reads = false, fits = plan_is_copy(u);
    for (uint32_t j = 0; j < t->nin; j++) reads |= f->value[t->in[j]].base == base;
    for (uint32_t j = 0; j < u->nout && u->kind == PLAN_EQN; j++)
        fits |= f->value[u->out[j]].bytes == f->value[base].bytes;
    return reads && fits;
}

/* True if no step between t and g overwrites an operand of t: moving t down to g would extend that operand's life and
 * turn the in-place update into a copy. */
static bool undisturbed(const plan_flat *f, const plan_block *b, const plan_item *t, const plan_group *g)
{
    uint32_t last = t->index;
    for (uint32_t i = 0; i < g->n; i++)
        if (plan_find(g->item[i]->group) == g && g->item[i]->index > last) last = g->item[i]->index;
    if (last - t->index > PLAN_REACH) return false;
    for (uint32_t i = t->index + 1; i <= last && i < b->n; i++) {
        const plan_item *u = b->item[i];
        if (u->kind != PLAN_EQN && u->kind != PLAN_MOVE) return false;
        for (uint32_t k = 0; k < u->nin && (u->kind != PLAN_EQN || plan_find(u->group) != g); k++)
            if (overwrites(f, u, u->in[k], t)) return false;
    }
    return true;
}

/* Fuses each worthwhile move into the elementwise group that alone reads its result, but not into groups over rows. */
void plan_fuse_moves(plan_flat *f, plan_block *b)
{
    enum { MOVES = 4 };
    plan_group **consumer = BASE_NEW(f->a, plan_group *, f->nvalue + 1);
    find_consumers(f, b, b, consumer);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        plan_group *g = is_producer_move(f, t) ? consumer[t->out[0]] : NULL;
        if (!g || g == &many || g->full || g->n >= PLAN_GROUP_MOST || g->nmove == MOVES) continue;
        if (!plan_is_elementwise(g->item[0]) || !undisturbed(f, b, t, g)) continue;
        if (!plan_same_boxes(&f->value[t->out[0]], &f->value[g->item[0]->out[0]])) continue;
        if (recomputes_operand(f, g, t)) continue;
        g->has_producer = true, g->nmove++;
        t->group->into = g;
        plan_group_add(f, g, t);
    }
}
