/* plan/fuse/rounding.c - weights of float32 that products of bf16 read are rounded where the products pack them.
 *
 * A step that computes in bf16 with weights of float32 would round each weight once, and its forward and its backward
 * product would read the rounded copy. Reading float32 twice is less traffic than that, and the copies of all weights
 * would be in memory until the backward computation reads them. So if only products read the copy, and their kernels
 * round while they pack (gen_rounds_operands), the conversion becomes part of each product's group: the same bits, and
 * no copy. The weight is an argument, which is in memory anyway; a step that overwrites it waits for its last reader
 * (memory/order.c).
 *
 * Not where a product has more instances than the weight: each of them would read float32. */
#include "../inner.h"
#include "../../op/ops.h"

/* True if t rounds an argument of the program from float32 to bf16, and nothing has joined t. */
static bool rounds_argument(const plan_flat *f, const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_convert || t->ref || t->group->n != 1 || t->group->into)
        return false;
    const plan_value *x = &f->value[t->in[0]], *y = &f->value[t->out[0]];
    return x->dtype == TT_F32 && y->dtype == TT_BF16 && x->base == t->in[0] && !x->def && !x->slice && !x->merged;
}

/* True if t is a product that may round v, one of its operands. */
static bool may_round(const plan_flat *f, const plan_item *t, plan_id v)
{
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_dot_general || t->ref || t->group->n != 1 || t->group->into)
        return false;
    return f->value[t->in[0]].base != f->value[t->in[1]].base && f->value[t->out[0]].vary == f->value[v].vary
        && f->value[v].base == v && gen_rounds_operands(t->eqn, f->reproducible);
}

/* Marks the values that something else than such a product of block `in` reads; b is `in` or nested in it. */
static void find_others(const plan_flat *f, const plan_block *in, const plan_block *b, bool *other)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        for (uint32_t k = 0; k < t->nin; k++)
            if (b != in || !may_round(f, t, t->in[k])) other[f->value[t->in[k]].base] = true;
        if (t->kind == PLAN_LOOP) other[f->value[t->loop.test].base] = true;
        PLAN_EACH_BLOCK(t, nested) find_others(f, in, nested, other);
    }
}

void plan_fuse_roundings(plan_flat *f, plan_block *b)
{
    if (b != &f->main) return;                           /* what a loop reads may be overwritten in an iteration */
    bool *other = BASE_NEW(f->a, bool, f->nvalue + 1);
    find_others(f, b, b, other);
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        if (!rounds_argument(f, t) || other[t->out[0]]) continue;
        for (uint32_t j = i + 1; j < b->n; j++)
            for (uint32_t k = 0; k < b->item[j]->nin; k++)
                if (b->item[j]->in[k] == t->out[0]) plan_group_add(f, b->item[j]->group, t);
    }
}
