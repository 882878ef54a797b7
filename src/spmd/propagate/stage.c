/* spmd/propagate/stage.c - the order of propagation by class of equation: five stages, each of which allows everything
 * that the stage before allows, and more.
 *
 *     0  elementwise, reshape, transpose, constraints and edges whose operands have no other reader; dynamic slices and
 *        updates likewise, forward only; propagation barriers, in their allowed direction
 *     1  the same, for operands with any number of readers
 *     2  pass-through factors of every equation; broadcasts backward only
 *     3  all factors; broadcasts backward only
 *     4  everything
 *
 * So a contraction's reduction dim gets atoms only after the activations have theirs, and the layout of a broadcast
 * bias does not determine the layout of the result. The stages are Shardy's. A reshard does not propagate on dims that
 * it closes, since its purpose is to differ there. */
#include "propagation.h"
#include "../../op/ops.h"

spmd_class spmd_class_of(const ir_eqn *e)
{
    static const op_prim *const same[] = { &prim_reshape, &prim_transpose, &prim_psum, &prim_pmax,
        &prim_pmin, &prim_all_gather, &prim_reduce_scatter, &prim_all_to_all, &prim_ppermute };
    if (e->op->kernel == OP_MAP) return SPMD_SAME;
    if (e->op == &prim_propagation_barrier) return SPMD_FLOW;
    if (e->op->passes && e->op != &prim_alike) return SPMD_SAME;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) if (e->op == same[i]) return SPMD_SAME;
    if (e->op == &prim_dynamic_slice || e->op == &prim_dynamic_update_slice) return SPMD_FORWARD_FLOW;
    if (e->op != &prim_broadcast_in_dim) return SPMD_OTHER;
    return ir_count(IR_IN(e, 0)) == ir_count(IR_OUT(e, 0)) ? SPMD_SAME : SPMD_BROADCAST; /* reshape */
}

static spmd_way barred(const ir_eqn *e)
{
    static const spmd_way ways[] = { [OP_WAY_NONE] = SPMD_NONE, [OP_WAY_FORWARD] = SPMD_FORWARD,
                                     [OP_WAY_BACKWARD] = SPMD_BACKWARD };
    return ways[IR_ATTR(e, op_propagation_attr)->allowed_direction];
}

spmd_way spmd_way_of(const spmd_step *k, int stage, int factor)
{
    if (k->e && k->e->op == &prim_propagation_barrier) return barred(k->e);
    if (k->class == SPMD_FLOW) return SPMD_BOTH;
    if (k->rule->factor[factor].blocked) return SPMD_NONE;
    if (k->e->op == &prim_reshard && !IR_ATTR(k->e, op_layout_attr)->sharding.v[0]->dim[factor].open) return SPMD_NONE;
    const bool early = stage >= 1 || (stage == 0 && k->single);
    const bool late = stage >= 3 || (stage == 2 && k->rule->factor[factor].kind == OP_PASS_THROUGH);
    switch ((spmd_class)k->class) {
    case SPMD_SAME: return early ? SPMD_BOTH : SPMD_NONE;
    case SPMD_FORWARD_FLOW: return late ? SPMD_BOTH : early ? SPMD_FORWARD : SPMD_NONE;
    case SPMD_BROADCAST: return stage == 4 ? SPMD_BOTH : late ? SPMD_BACKWARD : SPMD_NONE;
    default: return late ? SPMD_BOTH : SPMD_NONE;
    }
}

bool spmd_opens(const spmd_step *k, int stage)
{
    switch ((spmd_class)k->class) {
    case SPMD_FLOW: return stage == 0;
    case SPMD_SAME: return stage == (k->single ? 0 : 1);
    case SPMD_FORWARD_FLOW: return stage == (k->single ? 0 : 1) || stage == 2 || stage == 3;
    case SPMD_BROADCAST: return stage >= 2;
    default: return stage == 2 || stage == 3;
    }
}

int spmd_first_stage(const spmd_step *k)
{
    if (k->class == SPMD_FLOW) return 0;
    return k->class == SPMD_SAME || k->class == SPMD_FORWARD_FLOW ? !k->single : 2;
}
