/* plan/fuse/recompute.c - recomputes values in the group that reads them, instead of storing them until then.
 *
 * A derivative reads intermediate values of the forward pass: for gelu, five values of the size of its argument.
 * Writing and reading them costs more than computing them once more from the argument. So if a group of elementwise
 * equations reads values of another such group that no other group reads, the equations that compute these values are
 * added to the reader (as inlined ones are), provided that their operands are smaller than the values that need no
 * longer be stored. The same holds for groups over rows: values that a norm leaves are recomputed from the norm's rows,
 * means and scales; reductions of rows are not recomputed. The equations and the bits stay the same. */
#include "../inner.h"

enum { MOST = 32, COST = 48 };   /* recomputed equations; their cost, where an addition costs 1 */

typedef struct {
    plan_flat *f; plan_block *b;
    /* reader: [value] the one group, other than the producer's, that reads the value; many: stands for several
     * groups */
    plan_group **reader, *many;
    plan_group *from, *to;
    uint32_t n, nneed; plan_item *item[MOST]; plan_id need[2 * MOST];
    int64_t saved, kept; int cost;
} recompute;

static bool elementwise(const plan_group *g)             /* True if g is elementwise or over rows, without producers */
{
    for (uint32_t i = 0; i < g->n && !g->full; i++)
        if (!plan_is_elementwise(g->item[i])) return false;
    return !g->has_producer;
}

/* The item of this block that computes v itself (not a view of v); NULL: none. */
static plan_item *recompute_definition(const recompute *s, plan_id v)
{
    plan_item *t = s->f->value[v].def;
    return t && t->block == s->b && s->f->value[v].base == v ? t : NULL;
}

/* Records for each value which group reads it; the group that computes the value does not count. */
static void find_consumers(recompute *s, const plan_block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        plan_group *g = b == s->b && t->kind == PLAN_EQN ? plan_find(t->group) : s->many;
        for (uint32_t k = 0; k < t->nin; k++) {
            const plan_id base = s->f->value[t->in[k]].base;
            const plan_item *d = s->f->value[base].def;
            plan_group **r = &s->reader[base];
            if (d && d->block == s->b && d->kind == PLAN_EQN && plan_find(d->group) == g) continue;
            *r = base == t->in[k] && (!*r || *r == g) ? g : s->many;
        }
        if (t->kind == PLAN_LOOP) s->reader[s->f->value[t->loop.test].base] = s->many;
        PLAN_EACH_BLOCK(t, nested) find_consumers(s, nested);
    }
}

static bool recompute_reads(const plan_group *g, plan_id v)
{
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < g->item[i]->nin; k++) if (g->item[i]->in[k] == v) return true;
    return false;
}

/* True if t is elementwise over the shape of the values of `to`. */
static bool as_large(const recompute *s, const plan_item *t)
{
    const plan_value *x = &s->f->value[s->to->full ? s->to->full : s->to->item[0]->out[0]];
    return plan_is_map(t) && plan_same_boxes(x, &s->f->value[t->out[0]]);
}

static bool need(recompute *s, plan_id v)
{
    for (uint32_t i = 0; i < s->nneed; i++) if (s->need[i] == v) return true;
    if (s->nneed == 2 * MOST) return false;
    s->need[s->nneed++] = v;
    s->kept += s->f->value[v].bytes;
    return true;
}

/* Adds the operands that d, an inlined equation, reads from the other group (values of rows) to the needed values.
 * Returns false if there are too many. */
static bool need_inlined(recompute *s, const plan_item *d)
{
    for (uint32_t k = 0; k < d->nin; k++) {
        const plan_id base = s->f->value[d->in[k]].base;
        const plan_item *m = s->f->value[base].def;
        const bool theirs = m && m->kind == PLAN_EQN && m->block == s->b && plan_find(m->group) == s->from;
        if (theirs && !need(s, base)) return false;
    }
    return true;
}

/* Collects item t and the items of the same group that t depends on, and the values that these items read from
 * elsewhere. Returns false if recomputing them is too expensive, or if a value is not available. */
static bool recompute_gather(recompute *s, plan_item *t)
{
    for (uint32_t i = 0; i < s->n; i++) if (s->item[i] == t) return true;
    if (!as_large(s, t) || s->n == MOST || (s->cost += t->eqn->op->cost ? t->eqn->op->cost : 1) > COST) return false;
    s->item[s->n++] = t;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_id v = t->in[k];
        plan_item *d = recompute_definition(s, v);
        if (d && d->cheap && !need_inlined(s, d)) return false;
        if (recompute_reads(s->to, v) || (d && d->cheap)) continue;
        if (d && d->kind == PLAN_EQN && plan_find(d->group) == s->from && as_large(s, d)) {
            if (!recompute_gather(s, d)) return false;
            continue;
        }
        if (!d && plan_same_dims(&s->f->value[v], &s->f->value[t->out[0]])) return false; /* v may be donated */
        if (!need(s, v)) return false;
    }
    return true;
}

/* Adds to `to` the equations of `from` whose results `to` reads, if that saves memory. */
static void recompute_from(recompute *s)
{
    plan_id read[MOST];
    uint32_t nread = 0;
    s->n = s->nneed = 0;
    s->saved = s->kept = s->cost = 0;
    for (uint32_t i = 0; i < s->to->n; i++)
        for (uint32_t k = 0; k < s->to->item[i]->nin; k++) {
            const plan_id v = s->to->item[i]->in[k];
            plan_item *d = recompute_definition(s, v);
            bool seen = !d || d->kind != PLAN_EQN || plan_find(d->group) != s->from ||
                gen_is_random_bits(s->to->item[i]->eqn);
            for (uint32_t j = 0; j < nread && !seen; j++) seen = read[j] == v;
            if (seen || s->reader[v] != s->to) continue; /* a value that other groups read is stored anyway */
            const recompute before = *s;
            if (nread == MOST) return;
            read[nread++] = v;
            const int64_t bytes = s->f->value[v].bytes;
            /* this value stays stored; the others need not be */
            if (!recompute_gather(s, d) || (s->from->full && s->kept - before.kept >= bytes)) {
                s->n = before.n, s->nneed = before.nneed, s->kept = before.kept, s->cost = before.cost;
                continue;
            }
            s->saved += bytes;
        }
    if (!nread || s->saved <= s->kept || s->to->n + s->n > 2 * MOST) return;
    for (uint32_t i = 0; i < s->n; i++) plan_group_add(s->f, s->to, s->item[i]);
}

void plan_recompute(plan_flat *f, plan_block *b)
{
    static plan_group many;
    recompute s = { .f = f, .b = b, .many = &many, .reader = BASE_NEW(f->a, plan_group *, f->nvalue + 1) };
    find_consumers(&s, b);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_group *g = b->item[i]->kind == PLAN_EQN ? plan_find(b->item[i]->group) : NULL;
        if (!g || g->item[0] != b->item[i] || !elementwise(g)) continue;
        plan_group *from[MOST];
        uint32_t nfrom = 0;
        for (uint32_t k = 0; k < g->n; k++)
            for (uint32_t j = 0; j < g->item[k]->nin && nfrom < MOST; j++) {
                const plan_item *d = recompute_definition(&s, g->item[k]->in[j]);
                plan_group *a = d && d->kind == PLAN_EQN ? plan_find(d->group) : NULL;
                bool seen = !a || a == g || !elementwise(a);
                for (uint32_t q = 0; q < nfrom && !seen; q++) seen = from[q] == a;
                if (!seen) from[nfrom++] = a;
            }
        s.to = g;
        for (uint32_t q = 0; q < nfrom; q++) s.from = from[q], recompute_from(&s);
    }
}
