/* plan/fuse/group_order.c - the order of the steps, when the groups are decided: counts the uses of values once per
 * group, drops groups whose results nothing uses, and turns small constants that are stored into the plan's.
 *
 * A group runs at the position of its last member, or earlier if its results are needed earlier; all other steps keep
 * the program's order. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

typedef struct {
    plan_flat *f; plan_block *b;
    plan_item **list; uint32_t n;                        /* the new order of the block */
} order;

static void group_count_operands(plan_flat *f, const plan_group *g)
{
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t j = 0; j < g->item[k]->nin; j++) {
            const plan_id v = g->item[k]->in[j];
            if (!plan_made_inside(f, g, v)) f->value[f->value[v].base].uses++;
        }
}

/* Counts uses once per group. Cheap single equations, which are inlined into their readers and need a kernel only if
 * some other step reads them, are counted in a second pass (inlined), backwards. */
static void group_count(plan_flat *f, const plan_block *b, bool inlined)
{
    for (uint32_t n = b->n; n-- > 0;) {
        plan_item *t = b->item[n];
        const plan_group *g = plan_find(t->group);
        const bool single_cheap = g->n == 1 && t->cheap;
        PLAN_EACH_BLOCK(t, nested) group_count(f, nested, inlined);
        if (t->kind == PLAN_LOOP && !inlined) f->value[f->value[t->loop.test].base].uses++;
        if (g->item[0] != t || single_cheap != inlined) continue;
        if (!inlined || f->value[t->out[0]].uses) group_count_operands(f, g);
    }
}

static bool group_is_live(const plan_flat *f, const plan_group *g)
{
    const plan_item *first = g->item[0];
    if (first->kind != PLAN_EQN || first->eqn->op->ordered) return true;
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t j = 0; j < g->item[i]->nout && plan_owns(g, g->item[i]); j++)
            if (f->value[g->item[i]->out[j]].uses) return true;
    return false;
}

/* True if t is a small constant that must be stored: it is added to the plan's constants. */
static bool group_store_constant(plan_flat *f, plan_item *t)
{
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_const || f->value[t->out[0]].layout) return false;
    const op_const_attr *c = IR_ATTR(t->eqn, op_const_attr);
    const size_t each = ir_dtype_of(c->dtype)->bytes;
    const int64_t n = ir_count(IR_OUT(t->eqn, 0));
    if (n > 512) return false;
    char *data = BASE_NEW(f->a, char, (size_t)n * each + 1);
    for (int64_t i = 0; i < n; i++) memcpy(data + (size_t)i * each, c->data.p, each);
    plan_const *k = BASE_NEW(f->a, plan_const, 1);
    *k = (plan_const){ t->out[0], data, (size_t)n * each, f->consts };
    f->consts = k;
    return t->dropped = true;
}

/* ---- order ---- */

/* Emits g after all groups that g reads. */
static bool group_emit(order *s, plan_group *g)
{
    enum { NEW, BEGUN, DONE };
    if (g->state == DONE) return true;
    if (g->state == BEGUN) return base_bug(g->item[0]->site, "a fused group of %s depends on itself", g->item[0]->name);
    g->state = group_is_live(s->f, g) ? BEGUN : DONE;
    if (g->state == DONE) return true;
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < g->item[i]->nin; k++) {
            plan_item *d = s->f->value[g->item[i]->in[k]].def;
            const bool before = d && d->block == s->b && plan_find(d->group) != g && !plan_contains(g, d);
            if (before && !group_emit(s, plan_find(d->group))) return false;
        }
    g->state = DONE;
    if (!group_store_constant(s->f, g->item[0])) s->list[s->n++] = g->item[0];
    return true;
}

static bool group_order(plan_flat *f, plan_block *b)
{
    if (!b->n) return true;
    order s = { .f = f, .b = b, .list = BASE_NEW(f->a, plan_item *, b->n + 1) };
    for (uint32_t i = 0; i < b->n; i++) {
        plan_group *g = plan_find(b->item[i]->group);
        uint32_t last = 0;
        for (uint32_t k = 0; k < g->n; k++)
            if (plan_find(g->item[k]->group) == g && g->item[k]->index > last) last = g->item[k]->index;
        if (i == last && !group_emit(&s, g)) return false;
        PLAN_EACH_BLOCK(b->item[i], nested) if (!group_order(f, nested)) return false;
    }
    b->item = s.list;
    b->n = s.n;
    return true;
}

bool plan_order_groups(plan_flat *f)
{
    group_count(f, &f->main, false);
    group_count(f, &f->main, true);
    return group_order(f, &f->main);
}
