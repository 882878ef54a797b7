/* plan/fuse/producer.c - what leads a group of elementwise equations that alone reads it: made part by part in the
 * cache, and never stored. A contraction, where that costs no memory: so the weights' gradient is part of the
 * optimizer's update. Large gathers, transposes and their like. */
#include "../inner.h"

int64_t plan_lead_least = 1 << 16;                       /* elements of what is made part by part */

static plan_group many;                                  /* a value's readers, when they are not one group */

/* A draw reads its key as a whole, whatever part of the group is made: as another group would. */
static void read_by(const plan_flat *f, const plan_item *t, plan_group *g, plan_group **reader)
{
    if (t->kind == PLAN_EQN && gen_is_random_bits(t->eqn)) g = &many;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_id base = f->value[t->in[k]].base;
        plan_group **r = &reader[base];
        *r = base == t->in[k] && (!*r || *r == g) ? g : &many;
    }
}

/* Which group of block `in` reads a value, for the values that the items of b, which is `in` or inside of it, read. A
 * group reads what each of its items reads, those that it computes again (recompute.c) among them. */
static void readers(const plan_flat *f, const plan_block *in, const plan_block *b, plan_group **reader)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        plan_group *g = b == in && t->kind == PLAN_EQN ? plan_find(t->group) : NULL;
        if (!g) read_by(f, t, &many, reader);
        for (uint32_t k = 0; g && g->item[0] == t && k < g->n; k++) read_by(f, g->item[k], g, reader);
        if (t->kind == PLAN_LOOP) reader[f->value[t->test].base] = &many;
        readers(f, in, &t->cond, reader);
        readers(f, in, &t->body, reader);
        for (uint32_t k = 0; k < t->nbranch; k++) readers(f, in, &t->branch[k], reader);
    }
}

/* True if g computes again one of t's operands: t would read the group's own value, and wants the stored one. */
static bool made_again(const plan_flat *f, const plan_group *g, const plan_item *t)
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

/* Its product is large, its sums are short (of narrow numbers, for which plug-ins are much faster, very short), to
 * keep its operands until then is no more than to keep the product, and the second one, packed for every part, is
 * small. */
static bool is_lead(const plan_flat *f, const plan_item *t)
{
    enum { LONGEST = 256, NARROW = 32, PACKED = 1 << 16 };       /* terms, elements */
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_dot_general) return false;
    const op_dot_attr *a = IR_ATTR(t->eqn, op_dot_attr);
    int64_t terms = 1, batches = 1;
    for (int i = 0; i < a->lhs_contracting.n; i++) terms *= IR_IN(t->eqn, 0)->dim[a->lhs_contracting.v[i]];
    for (int i = 0; i < a->rhs_batching.n; i++) batches *= IR_IN(t->eqn, 1)->dim[a->rhs_batching.v[i]];
    const bool narrow = ir_dtype_of(IR_IN(t->eqn, 0)->dtype)->bytes < 4;
    return terms <= (narrow ? NARROW : LONGEST) && ir_count(IR_OUT(t->eqn, 0)) >= plan_lead_least
           && ir_count(IR_IN(t->eqn, 1)) <= batches * PACKED
           && all_bytes(f, t->in[0]) + all_bytes(f, t->in[1]) <= f->value[t->out[0]].bytes;
}

/* Nothing else reads the product: so the contraction may run as late as its readers. */
void plan_fuse_producers(plan_flat *f, plan_block *b)
{
    plan_group **reader = BASE_NEW(f->a, plan_group *, f->nvalue + 1);
    readers(f, b, b, reader);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        if (!is_lead(f, t)) continue;
        plan_group *g = reader[t->out[0]];
        if (!g || g == &many || g->has_producer || g->full || !plan_is_elementwise(g->item[0]) ||
            g->n == PLAN_GROUP_MOST) continue;
        if (!plan_same_boxes(&f->value[t->out[0]], &f->value[g->item[0]->out[0]]) || made_again(f, g, t)) continue;
        g->has_producer = true;
        t->group->into = g;
        plan_group_add(f, g, t);
    }
}

/* Rows of a table, transposes, sums of gradients into rows, sums of windows: large, and to keep the operands until then
 * costs nothing, or no more than to keep the result. */
static bool is_moved(const plan_flat *f, const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->nout != 1 || t->cheap || t->group->n != 1 || t->group->into) return false;
    if (t->eqn->op == &prim_dot_general || ir_count(IR_OUT(t->eqn, 0)) < plan_lead_least || !gen_is_producer(t->eqn))
        return false;
    int64_t kept = 0;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_value *x = &f->value[f->value[t->in[k]].base];
        if (x->def && !x->def->cheap) kept += x->bytes;
    }
    return kept <= f->value[t->out[0]].bytes;
}

/* May v, which u reads, be one of t's operands and have u's result written in its place? */
static bool overwrites(const plan_flat *f, const plan_item *u, plan_id v, const plan_item *t)
{
    const plan_id base = f->value[v].base;
    bool reads = false, fits = u->copy;
    for (uint32_t j = 0; j < t->nin; j++) reads |= f->value[t->in[j]].base == base;
    for (uint32_t j = 0; j < u->nout && u->kind == PLAN_EQN; j++)
        fits |= f->value[u->out[j]].bytes == f->value[base].bytes;
    return reads && fits;
}

/* Does nobody else read t's operands for an update in their place, from where it stands to where g does? It would find
 * them in use, and had to copy them. */
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

/* Such join the elementwise equations that alone read them, but not groups over rows. */
void plan_fuse_moves(plan_flat *f, plan_block *b)
{
    enum { LEADS = 4 };
    plan_group **reader = BASE_NEW(f->a, plan_group *, f->nvalue + 1);
    readers(f, b, b, reader);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        plan_group *g = is_moved(f, t) ? reader[t->out[0]] : NULL;
        if (!g || g == &many || g->full || g->n >= PLAN_GROUP_MOST || g->nmove == LEADS) continue;
        if (!plan_is_elementwise(g->item[0]) || !undisturbed(f, b, t, g)) continue;
        if (!plan_same_boxes(&f->value[t->out[0]], &f->value[g->item[0]->out[0]]) || made_again(f, g, t)) continue;
        g->has_producer = true, g->nmove++;
        t->group->into = g;
        plan_group_add(f, g, t);
    }
}
