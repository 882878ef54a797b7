/* plan/fuse/fuse.c - decides which equations share one kernel. group_order.c then orders the steps.
 *
 * - Elementwise equations and random bits join the groups of their producers if shape, layout and instances are the
 *   same and no path leads out of the joined group and back into it.
 * - Broadcasts, iotas and one-element constants are inlined into each consumer, and stored only if some other step
 *   reads them. Other equations are computed twice only if they are cheap (recompute.c).
 * - Contractions and moves that only one group reads join that group (producer.c).
 * - Conversions of weights join the products of bf16 that read them (rounding.c).
 * - Reductions of full rows join the equations that they reduce and the ones that read their results; so do reductions
 *   over the rows. Sorts and slices: top_k.c.
 *
 * Two groups join only if the joined group would not depend on itself (fuse_makes_cycle). */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct {
    plan_flat *f; plan_block *b;
    uint32_t mark, marked;   /* current mark of groups; number of marked groups not visited yet */
    bool unfused;                                        /* of plan_flat */
    plan_group **seq, **rest; uint32_t used;             /* groups in topological order; holes are NULL */
    plan_group **found; uint32_t nfound, find;           /* of fuse_list_operands; find: the number of its call */
} fuse;

plan_group *plan_find(plan_group *g)
{
    while (g->into) g = g->into;
    return g;
}

bool plan_contains(const plan_group *g, const plan_item *t)
{
    for (uint32_t i = 0; i < g->n; i++) if (g->item[i] == t) return true;
    return false;
}

bool plan_owns(const plan_group *g, const plan_item *t) { return plan_find(t->group) == g && !(t->cheap && g->n > 1); }

/* The item of this block that computes v; NULL: computed elsewhere. */
static plan_item *fuse_maker(const fuse *s, plan_id v)
{
    plan_item *t = s->f->value[v].def;
    return t && t->block == s->b ? t : NULL;
}

bool plan_is_map(const plan_item *t)
{
    return t->kind == PLAN_EQN && t->eqn->op->kernel == OP_MAP && t->nout == 1 && !t->eqn->op->ordered && !t->cheap &&
           !t->ref;
}

/* True if t is random bits that are computed where they are read. The operand is a key, which is read completely. */
static bool fuse_is_random_bits(const plan_item *t)
{
    return t->kind == PLAN_EQN && gen_is_random_bits(t->eqn) && !t->ref;
}

bool plan_is_elementwise(const plan_item *t) { return plan_is_map(t) || fuse_is_random_bits(t); }

/* True if both values have the same elements in the same instances, whatever the dtype. */
bool plan_same_boxes(const plan_value *x, const plan_value *y)
{
    plan_value z = *y;
    z.dtype = x->dtype;
    return plan_alike(x, &z);
}

void plan_group_add(plan_flat *f, plan_group *g, plan_item *t)
{
    if (g->n == g->cap) {
        g->cap = g->cap ? 2 * g->cap : 2;
        plan_item **grown = BASE_NEW(f->a, plan_item *, g->cap);
        if (g->n) memcpy(grown, g->item, g->n * sizeof *grown);
        g->item = grown;
    }
    g->item[g->n++] = t;
    g->operand = NULL;
}

/* The equation that computes v, if it is inlined into t's group, so that t reads v for free; else NULL. */
static plan_item *fuse_inlined(const fuse *s, const plan_item *t, plan_id v)
{
    const plan_value *x = &s->f->value[v];
    plan_item *d = x->def;
    const bool begins = t->eqn && t->eqn->op == &prim_scatter && t->in[0] == v && plan_find(t->group)->has_producer;
    const bool ok = d && d->kind == PLAN_EQN && d->cheap && d->block == s->b && x->base == v && d->out[0] == v
                    && (plan_is_map(t) || t->cheap || (begins && d->eqn->op == &prim_const))
                    && plan_same_dims(x, &s->f->value[t->out[0]]);
    return ok ? d : NULL;
}

/* ---- joining ---- */

/* Groups are kept in s->seq in topological order; pos is a group's index there. Joining two groups makes a cycle if a
 * path leads from the front one over other groups to the back one. So a backward walk from the back group marks all
 * groups between the two that the back group depends on. */
static void fuse_mark(fuse *s, plan_group *g)
{
    if (g->mark != s->mark) g->mark = s->mark, s->marked++;
}

/* True if reading v makes a path back -> ... -> front, that is, if joining the two groups would make a cycle. Marks v's
 * group otherwise. In groups over rows, the broadcast of a row's value is part of its reader, and a row's value may be
 * read with or without the reduced dims. */
static bool fuse_closes_cycle(fuse *s, const plan_group *front, const plan_group *rows, const plan_item *t, plan_id v)
{
    const plan_item *d = fuse_maker(s, v), *broadcast = rows ? fuse_inlined(s, t, v) : NULL;
    plan_group *h = d ? plan_find(d->group) : NULL;
    if (!h || h->pos < front->pos || h->mark == s->mark) return false;
    const bool row = rows && plan_row_value(s->f, rows->full, rows->kept, v);
    if (h == front) return fuse_is_random_bits(t) || (s->f->value[v].base != v && !row);
    for (uint32_t k = 0; broadcast && k < broadcast->nin; k++)
        if (fuse_closes_cycle(s, front, rows, broadcast, broadcast->in[k])) return true;
    if (!broadcast) fuse_mark(s, h);
    return false;
}

/* Adds the group that computes v, an operand of g's item t, to s->found, unless it is g or there already. The broadcast
 * of a row's value may come after the group over rows that reads the broadcast, as a part of that group; the item that
 * computes the row's value may not. */
static void fuse_find(fuse *s, const plan_group *g, const plan_item *t, plan_id v)
{
    const plan_item *d = fuse_maker(s, v), *broadcast = d && g->full ? fuse_inlined(s, t, v) : NULL;
    for (uint32_t k = 0; broadcast && k < broadcast->nin; k++) fuse_find(s, g, broadcast, broadcast->in[k]);
    if (!d || broadcast) return;
    plan_group *h = plan_find(d->group);
    if (h != g && h->found != s->find) h->found = s->find, s->found[s->nfound++] = h;
}

/* Lists the groups that g depends on, once for all walks over g until g grows: a block has far fewer of these lists
 * than walks read. */
static void fuse_list_operands(fuse *s, plan_group *g)
{
    s->nfound = 0, s->find++;
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < g->item[i]->nin; k++) fuse_find(s, g, g->item[i], g->item[i]->in[k]);
    g->noperand = s->nfound;
    g->operand = BASE_NEW(s->f->a, plan_group *, s->nfound + 1);
    memcpy(g->operand, s->found, s->nfound * sizeof *g->operand);
}

/* True if g depends on the front group directly; marks the other groups that g depends on. */
static bool fuse_depends(fuse *s, const plan_group *front, plan_group *g)
{
    if (!g->operand) fuse_list_operands(s, g);
    for (uint32_t i = 0; i < g->noperand; i++) {
        plan_group *h = g->operand[i] = plan_find(g->operand[i]);
        if (h == front) return true;
        if (h->pos > front->pos) fuse_mark(s, h);
    }
    return false;
}

static bool fuse_makes_cycle(fuse *s, plan_group *back, const plan_group *front)
{
    const plan_group *rows = back->full ? back : front->full ? front : NULL;
    back->mark = ++s->mark;
    s->marked = 0;
    for (uint32_t i = 0; i < back->n; i++)
        for (uint32_t k = 0; k < back->item[i]->nin; k++)
            if (fuse_closes_cycle(s, front, rows, back->item[i], back->item[i]->in[k])) return true;
    for (uint32_t p = back->pos - 1; s->marked && p > front->pos; p--) {
        plan_group *g = s->seq[p];
        if (!g || g->mark != s->mark) continue;
        s->marked--;
        if (fuse_depends(s, front, g)) return true;
    }
    return false;
}

/* Joins two groups unless joining them makes a cycle. The joined group comes after the groups between the two that the
 * back one depends on, and before all other groups between the two. */
static void fuse_join(fuse *s, plan_group *a, plan_group *c)
{
    plan_group *front = a->pos < c->pos ? a : c, *back = front == a ? c : a;
    if (s->unfused || a == c || a->n + c->n > PLAN_GROUP_MOST || back->pos - front->pos > PLAN_REACH) return;
    if (fuse_makes_cycle(s, back, front)) return;
    uint32_t at = front->pos, nrest = 0;
    for (uint32_t p = front->pos + 1; p < back->pos; p++) {
        plan_group *g = s->seq[p];
        if (!g) continue;
        if (g->mark == s->mark) s->seq[g->pos = at++] = g;
        else s->rest[nrest++] = g;
    }
    const uint32_t end = back->pos;
    s->seq[front->pos = at++] = front;
    for (uint32_t i = 0; i < nrest; i++) s->seq[s->rest[i]->pos = at++] = s->rest[i];
    if (end + 1 == s->used) s->used = at;   /* frees the tail, so that distances stay small if few groups stay single */
    while (at <= end) s->seq[at++] = NULL;
    for (uint32_t i = 0; i < back->n; i++) plan_group_add(s->f, front, back->item[i]);
    if (back->full) front->full = back->full, front->kept = back->kept;
    back->into = front;
}

static void fuse_elementwise(fuse *s)
{
    plan_flat *f = s->f;
    s->seq = BASE_NEW(f->a, plan_group *, s->b->n + 1), s->rest = BASE_NEW(f->a, plan_group *, s->b->n + 1);
    s->found = BASE_NEW(f->a, plan_group *, s->b->n + 1);
    for (uint32_t i = 0; i < s->b->n; i++) {
        plan_item *t = s->b->item[i];
        t->group = s->seq[s->used] = BASE_NEW(f->a, plan_group, 1);
        t->group->pos = s->used++;
        plan_group_add(f, t->group, t);
        if (!plan_is_map(t)) continue;
        for (uint32_t k = 0; k < t->nin; k++) {
            plan_item *d = fuse_maker(s, t->in[k]);
            if (d && plan_is_elementwise(d) && f->value[t->in[k]].base == t->in[k]
                && plan_same_boxes(&f->value[d->out[0]], &f->value[t->out[0]]))
                fuse_join(s, plan_find(d->group), plan_find(t->group));
        }
    }
}

/* ---- rows ---- */

/* True if t is of a kind that a group over these rows can contain. */
static bool fuse_fits(const fuse *s, const plan_group *rows, const plan_item *t)
{
    const plan_value *full = &s->f->value[rows->full];
    const ir_eqn *e = t->eqn;
    int kept;
    if (fuse_is_random_bits(t)) return plan_same_boxes(full, &s->f->value[t->out[0]]);
    if (plan_is_map(t) && gen_tile.refuses(&(gen_group){ 1, &e, e->nin, 1, e->in, &e->out, false })) return false;
    if (plan_is_map(t))
        return plan_same_boxes(full, &s->f->value[t->out[0]]) ||
               plan_row_value(s->f, rows->full, rows->kept, t->out[0]);
    return plan_reduces_rows(s->f, t, &kept) && kept == rows->kept && plan_same_boxes(full, &s->f->value[t->in[0]]);
}

/* True if t, and with it its group g, may be part of a group over these rows. */
static bool fuse_all_fit(const fuse *s, const plan_group *rows, const plan_group *g, const plan_item *t)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (fuse_is_random_bits(g->item[i]) && !fuse_fits(s, rows, g->item[i])) return false;
    return fuse_fits(s, rows, t);
}

/* Joins the groups of t and of the item that computes v, if one is over rows and the other fits. */
static void fuse_join_rows(fuse *s, plan_item *t, plan_id v)
{
    plan_item *d = fuse_maker(s, v);
    plan_group *a = d && d->kind == PLAN_EQN ? plan_find(d->group) : NULL, *c = plan_find(t->group);
    if (!a || a == c || a->has_producer || c->has_producer) return;
    if (a->full && c->full) {
        if (a->kept != c->kept || !plan_same_boxes(&s->f->value[a->full], &s->f->value[c->full])) return;
    }
    if (a->full ? fuse_all_fit(s, a, c, t) : c->full && fuse_all_fit(s, c, a, d)) fuse_join(s, a, c);
}

/* Reductions of full rows join the equations that they reduce and the ones that read their results, transitively. */
static void fuse_rows(fuse *s)
{
    for (uint32_t i = 0; i < s->b->n; i++) {
        plan_item *t = s->b->item[i];
        int kept = 0;
        if (plan_reduces_rows(s->f, t, &kept)) t->group->full = t->in[0], t->group->kept = kept;
        if (!plan_is_map(t) && !t->group->full) continue;
        for (uint32_t k = 0; k < t->nin; k++) {
            const plan_item *broadcast = fuse_inlined(s, t, t->in[k]);
            fuse_join_rows(s, t, broadcast && broadcast->nin ? broadcast->in[0] : t->in[k]);
        }
    }
}

/* ---- reductions over the rows ---- */

/* True if v is computed from t's result, directly or through inlined equations. */
static bool fuse_is_computed_from(const fuse *s, plan_id v, const plan_item *t)
{
    const plan_value *x = &s->f->value[v];
    const plan_item *d = x->def;
    if (x->base == t->out[0] || d == t) return true;
    for (uint32_t k = 0; d && d->cheap && k < d->nin; k++) if (fuse_is_computed_from(s, d->in[k], t)) return true;
    return false;
}

/* True if t, a reduction over the rows, may join this group, of which t's operand is a value or an operand: no member
 * reads the sums, the initial value is available, and an operand of the group has the full shape of the rows, from
 * which an instance's rows follow. */
static bool fuse_column_sum_fits(const fuse *s, const plan_group *rows, const plan_item *t)
{
    const plan_item *init = fuse_maker(s, t->in[1]);
    bool has_full = false;
    if (!plan_reduces_columns(s->f, rows->full, rows->kept, t)) return false;
    if (init && plan_find(init->group) == rows && !init->cheap) return false;
    for (uint32_t i = 0; i < rows->n; i++)
        for (uint32_t k = 0; k < rows->item[i]->nin; k++) {
            const plan_id v = rows->item[i]->in[k];
            const plan_item *d = fuse_maker(s, v);
            if (fuse_is_computed_from(s, v, t)) return false;
            const bool outside = !(d && d->cheap) && !plan_made_inside(s->f, rows, v);
            has_full |= outside && plan_same_boxes(&s->f->value[rows->full], &s->f->value[v]);
        }
    return has_full;
}

/* Reductions over the rows join the group that computes their operand, or one that reads it. */
static void fuse_column_sums(fuse *s)
{
    plan_group **reader = BASE_NEW(s->f->a, plan_group *, s->f->nvalue + 1);
    for (uint32_t i = 0; i < s->b->n; i++) {
        const plan_item *t = s->b->item[i];
        plan_group *g = t->kind == PLAN_EQN ? plan_find(t->group) : NULL;
        for (uint32_t k = 0; g && g->full && k < t->nin; k++) reader[t->in[k]] = g;
    }
    for (uint32_t i = 0; i < s->b->n; i++) {
        plan_item *t = s->b->item[i];
        if (t->kind != PLAN_EQN || t->eqn->op != &prim_reduce || t->group->full || t->group->into) continue;
        const plan_item *d = fuse_maker(s, t->in[0]);
        plan_group *g = d && d->kind == PLAN_EQN ? plan_find(d->group) : NULL;
        if (!g || !g->full) g = reader[t->in[0]] ? plan_find(reader[t->in[0]]) : NULL;
        if (!g || !g->full || g->has_producer || t->group->n != 1) continue;
        if (fuse_column_sum_fits(s, g, t)) fuse_join(s, g, t->group);
    }
}

/* ---- inlining ---- */

/* True if a producer in g reads d's result as an operand of its own, so that the result is stored. A constant of one
 * element is part of the kernel. */
static bool fuse_producer_reads(const plan_group *g, const plan_item *d)
{
    for (uint32_t i = 0; g->has_producer && d->eqn->op != &prim_const && i < g->n; i++) {
        const plan_item *t = g->item[i];
        for (uint32_t k = 0; k < t->nin && !plan_is_elementwise(t) && !t->cheap; k++)
            if (t->in[k] == d->out[0]) return true;
    }
    return false;
}

static void fuse_inline_cheap(fuse *s, plan_group *g)
{
    for (uint32_t i = 0; i < g->n; i++) {                /* g->n grows: an inlined equation may inline others */
        const plan_item *t = g->item[i];
        if (g->n == 1 && t->cheap) return;               /* a single cheap equation is stored */
        for (uint32_t k = 0; k < t->nin; k++) {
            plan_item *d = fuse_inlined(s, t, t->in[k]);
            if (d && !plan_contains(g, d) && !fuse_producer_reads(g, d)) plan_group_add(s->f, g, d);
        }
    }
}

static void fuse_groups(plan_flat *f, plan_block *b)
{
    if (!b->n) return;   /* most items have no blocks, and the per-value tables are long */
    fuse s = { .f = f, .b = b, .unfused = f->unfused };
    fuse_elementwise(&s);
    if (!s.unfused) plan_top_k(f, b), fuse_rows(&s), plan_fuse_producers(f, b);
    if (!f->looked_at) plan_recompute(f, b);
    if (!s.unfused) fuse_column_sums(&s);
    if (!f->looked_at) plan_fuse_moves(f, b);
    if (!s.unfused) plan_fuse_roundings(f, b);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        if (t->kind == PLAN_EQN && plan_find(t->group)->item[0] == t) fuse_inline_cheap(&s, plan_find(t->group));
        PLAN_EACH_BLOCK(t, nested) fuse_groups(f, nested);
    }
}

bool plan_fuse(plan_flat *f)
{
    fuse_groups(f, &f->main);
    return plan_order_groups(f);
}
