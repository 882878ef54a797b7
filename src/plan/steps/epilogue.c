/* plan/steps/epilogue.c - joins a contraction and the elementwise equations that read its result to one step: the
 * equations run over each part of the result right after the part is computed, while it is in the cache
 * (gen/fused/epilogue.c).
 *
 * The joined step takes the contraction's position if the equations' other operands are defined before it, else the
 * equations' position if no step between reads the contraction's result. The contraction's result is stored as before,
 * since other steps may read it; if no other step does, live.c lets an elementwise result share its memory. Not joined
 * are
 * - results that stay in the first-level caches anyway;
 * - the gradient of a convolution's weights, which is a sum over tasks;
 * - pairs of which the runtime could merge the contraction's instances into one task but not those of the equations
 *   (run/merge_instances.c). */
#include "../inner.h"
#include "../../op/ops.h"

enum { PICTURES = 8, LARGE = 4 };   /* least pictures per instance; other values of the result's size */
int64_t plan_epilogue_least = 1 << 16;                   /* bytes of an instance */

/* ---- which steps ---- */

/* True if g reads v directly, not through another view, and has few other operands and results of v's size. With many,
 * as in an optimizer's update, v is a small part of g's memory traffic, and the remaining traffic would slow the
 * contraction down. */
static bool epilogue_worthwhile(const plan_flat *f, const plan_group *g, plan_id v)
{
    uint32_t large = g->nout;
    for (uint32_t k = 0; k < g->nin; k++) {
        if (g->in[k] != v && f->value[g->in[k]].base == v) return false;
        large += g->in[k] != v && f->value[g->in[k]].bytes >= f->value[v].bytes / 2;
    }
    return large <= LARGE;
}

static bool is_consumer(const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->dropped || t->ref || t->group->chain || t->group->has_producer || t->group->full)
        return false;
    for (uint32_t i = 0; i < t->group->n; i++) if (t->group->item[i]->eqn->op->ordered) return false;
    return !t->group->kernel->code.finish && !gen_tile.refuses(&t->group->kernel->group);
}

/* True if t is a forward convolution with enough pictures for tasks of full pictures. In a gradient with respect to
 * weights, the window is larger than the result. */
static bool is_forward(const plan_flat *f, const plan_item *t)
{
    const op_conv_attr *a = IR_ATTR(t->eqn, op_conv_attr);
    const mesh_list cut = plan_atoms(&f->value[t->out[0]], (int)a->output_batch_dimension);
    double window = 1, result = 1;
    for (int i = 0; i < a->kernel_spatial_dimensions.n; i++) {
        window *= (double)IR_IN(t->eqn, 1)->dim[a->kernel_spatial_dimensions.v[i]];
        result *= (double)IR_OUT(t->eqn, 0)->dim[a->output_spatial_dimensions.v[i]];
    }
    const int64_t each = cut ? mesh_list_size(f->mesh, cut) : 1;
    return window <= result && IR_OUT(t->eqn, 0)->dim[a->output_batch_dimension] >= PICTURES * each;
}

static bool is_producer(const plan_flat *f, const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->dropped || t->group->chain) return false;
    if (t->group->nout != 1 || !t->group->kernel->code.notifies) return false;
    const plan_value *x = &f->value[t->group->out[0]];
    if (x->base != t->group->out[0] || x->bytes < plan_epilogue_least || !plan_is_complete(x) || x->slice || x->merged)
        return false;
    return t->eqn->op != &prim_convolution || is_forward(f, t);
}

/* True if the runtime could merge t's instances into one task (they share an operand) but not g's: fusing would lose
 * that. */
static bool parts_instances(const plan_flat *f, const plan_item *t, const plan_group *g)
{
    const plan_value *y = &f->value[t->group->out[0]];
    bool shared = false, fits = true;
    for (uint32_t k = 0; k < t->group->nin; k++) shared |= f->value[t->group->in[k]].vary != t->vary;
    for (uint32_t k = 0; k < g->nin; k++) {
        const plan_value *x = &f->value[g->in[k]];
        fits &= !x->vary || (plan_same_boxes(x, y) && !x->merged && !x->slice);
    }
    return shared && !fits;
}

/* ---- the joined step ---- */

static void epilogue_join(const plan_pairs *s, uint32_t from, uint32_t to, plan_position where)
{
    base_arena *a = s->f->a;
    plan_item *const t = s->b->item[from], *const r = s->b->item[to];
    const plan_group *producer = t->group, *consumer = r->group;
    plan_group *g = BASE_NEW(a, plan_group, 1);
    base_arena *keep = s->f->keep;
    uint32_t *producer_at = BASE_NEW(keep, uint32_t, producer->nin);
    uint32_t *consumer_at = BASE_NEW(keep, uint32_t, consumer->nin);
    const plan_id v = producer->out[0];
    *g = (plan_group){ .in = BASE_NEW(a, plan_id, producer->nin + consumer->nin),
                       .producer = producer, .consumer = consumer, .chain = true,
                       .out = BASE_NEW(a, plan_id, consumer->nout + 1), .nout = consumer->nout + 1 };
    plan_group_add(s->f, g, t);
    for (uint32_t i = 0; i < consumer->n; i++) plan_group_add(s->f, g, consumer->item[i]);
    for (uint32_t k = 0; k < producer->nin; k++) producer_at[k] = plan_operand_index(g, producer->in[k]);
    g->nproducer = g->nin;
    for (uint32_t k = 0; k < consumer->nin; k++)
        if (consumer->in[k] != v) consumer_at[k] = plan_operand_index(g, consumer->in[k]);
    for (uint32_t k = 0; k < consumer->nin; k++) if (consumer->in[k] == v) consumer_at[k] = g->nin;
    for (uint32_t j = 0; j < consumer->nout; j++) g->out[j] = consumer->out[j];
    g->out[consumer->nout] = v;
    gen_epilogue *e = BASE_NEW(a, gen_epilogue, 1);
    *e = (gen_epilogue){ producer->kernel->code, consumer->kernel->code, g->nin, consumer->nout, producer->nin,
                         consumer->nin, producer_at, consumer_at };
    g->epilogue = e, g->kernel = BASE_NEW(a, plan_kernel, 1);
    gen_epilogue_kernel(keep, e, &g->kernel->code);
    plan_pair_replace(s, from, to, where, g, t);
}

/* Joins step i with the last contraction before it whose result it reads. */
static void epilogue_pair(const plan_pairs *s, uint32_t i)
{
    const plan_flat *f = s->f;
    const plan_item *r = s->b->item[i];
    uint32_t from = 0;
    if (!is_consumer(r)) return;
    for (uint32_t k = 0; k < r->group->nin; k++) {
        const plan_id v = r->group->in[k];
        const uint32_t at = f->value[v].base == v ? s->at[v] : 0;
        if (at <= from || !is_producer(f, s->b->item[at - 1]) || !epilogue_worthwhile(f, r->group, v)) continue;
        const plan_item *t = s->b->item[at - 1];
        if (t->vary == r->vary && plan_same_boxes(&f->value[v], &f->value[r->group->out[0]])
            && !parts_instances(f, t, r->group)) from = at;
    }
    if (!from) return;
    const plan_position where = plan_position_of(s, from - 1, i);
    if (where != PLAN_NOWHERE) epilogue_join(s, from - 1, i, where);
}

void plan_epilogue(plan_flat *f, plan_block *b)
{
    if (f->unfused || base_switch("no-epilogue")) return;
    plan_pair(f, b, epilogue_pair);
}
