/* plan/steps/pair.c - joins two steps of which the later reads a result of the earlier: the position of the joined
 * step, and the walk over blocks. Which steps are joined, and how: epilogue.c, prologue.c.
 *
 * The joined step takes the producer's position if the consumer's other operands are defined before it, else the
 * consumer's position if no step between reads the producer's results. */
#include "../inner.h"

enum { REACH = 64, LATER = 8 };   /* distance of the two steps; distance by which the earlier may be delayed */

bool plan_may_reorder(const plan_flat *f, const plan_item *t)
{
    if (t->kind == PLAN_MOVE) return !t->move.copy && f->value[t->out[0]].root == t->out[0];
    return t->kind == PLAN_EQN && !t->eqn->op->ordered;
}

static bool pair_reads(const plan_flat *f, const plan_item *t, plan_id v)
{
    const plan_id *in;
    for (uint32_t k = 0, n = plan_step_operands(t, &in); k < n; k++) if (f->value[in[k]].base == v) return true;
    return false;
}

/* True if t, which g would be moved before, reads a value that g might overwrite. In this case order.c has placed g
 * after t. */
static bool may_be_overwritten(const plan_flat *f, const plan_item *t, const plan_group *g)
{
    for (uint32_t k = 0; k < g->nin; k++) {
        const plan_id base = f->value[g->in[k]].base;
        if (f->value[base].bytes == f->value[g->out[0]].bytes && pair_reads(f, t, base)) return true;
    }
    return false;
}

plan_position plan_position_of(const plan_pairs *s, uint32_t from, uint32_t to)
{
    const plan_group *made = s->b->item[from]->group, *g = s->b->item[to]->group;
    bool early = true, late = to - from <= LATER;
    if (to - from > REACH) return PLAN_NOWHERE;
    for (uint32_t i = from + 1; i < to; i++) {
        const plan_item *t = s->b->item[i];
        if (!t) continue;
        if (!plan_may_reorder(s->f, t)) return PLAN_NOWHERE;
        early &= !may_be_overwritten(s->f, t, g);
        for (uint32_t j = 0; j < made->nout; j++) late &= !pair_reads(s->f, t, made->out[j]);
    }
    for (uint32_t k = 0; k < g->nin; k++) early &= s->at[s->f->value[g->in[k]].base] <= from + 1;
    return early ? PLAN_EARLY : late ? PLAN_LATE : PLAN_NOWHERE;
}

uint32_t plan_operand_index(plan_group *g, plan_id v)
{
    for (uint32_t i = 0; i < g->nin; i++) if (g->in[i] == v) return i;
    g->in[g->nin] = v;
    return g->nin++;
}

void plan_pair_replace(const plan_pairs *s, uint32_t from, uint32_t to, plan_position where, plan_group *g,
    const plan_item *t)
{
    const uint32_t at = where == PLAN_EARLY ? from : to;
    const base_site site = t->site;
    const base_name name = t->name;
    s->b->item[at]->group = g, s->b->item[at]->site = site, s->b->item[at]->name = name;
    s->b->item[at == from ? to : from] = NULL;
    for (uint32_t j = 0; j < g->nout; j++) s->at[g->out[j]] = at + 1;
}

static void pair_block(plan_flat *f, plan_block *b, plan_pairing *with, const plan_pairs *all)
{
    uint32_t n = 0;
    const plan_pairs s = { f, b, all->at, all->consumers };
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_id *out;
        for (uint32_t j = 0, nout = plan_step_results(b->item[i], &out); j < nout; j++) s.at[out[j]] = i + 1;
    }
    for (uint32_t i = 0; i < b->n; i++) if (b->item[i]) with(&s, i);
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_id *out;
        const uint32_t nout = b->item[i] ? plan_step_results(b->item[i], &out) : 0;
        for (uint32_t j = 0; j < nout; j++) s.at[out[j]] = 0;
        if (b->item[i]) b->item[n++] = b->item[i];
    }
    b->n = n;
    for (uint32_t i = 0; i < n; i++) {
        plan_item *t = b->item[i];
        PLAN_EACH_BLOCK(t, nested) pair_block(f, nested, with, all);
    }
}

void plan_consumers(const plan_flat *f, const plan_block *b, uint32_t *consumers)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        const plan_id *in;
        for (uint32_t k = 0, n = plan_step_operands(t, &in); k < n; k++) {
            bool repeated = false;
            for (uint32_t j = 0; j < k; j++) repeated |= f->value[in[j]].base == f->value[in[k]].base;
            if (!repeated) consumers[f->value[in[k]].base]++;
            if (t->kind == PLAN_LOOP && t->loop.carry[k] != in[k]) consumers[f->value[t->loop.carry[k]].base]++;
        }
        if (t->kind == PLAN_LOOP) consumers[f->value[t->loop.test].base]++;
        PLAN_EACH_BLOCK(t, nested) plan_consumers(f, nested, consumers);
    }
}

void plan_pair(plan_flat *f, plan_block *b, plan_pairing *with)
{
    const plan_pairs all = { .at = BASE_NEW(f->a, uint32_t, f->nvalue + 1),
                             .consumers = BASE_NEW(f->a, uint32_t, f->nvalue + 1) };
    plan_consumers(f, b, all.consumers);
    pair_block(f, b, with, &all);
}
