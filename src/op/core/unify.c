/* op/core/unify.c - makes all operands of one equation in a checked manual region vary over the same mesh atoms.
 *
 * An operand that is equal on every device of some axis, used together with one that varies over the axis, is cast by
 * to_varying: the cast costs nothing forward, and its transpose is the psum that the operand's gradient needs.
 * Primitives with .states (collectives, casts) type themselves; structural primitives are typed by their regions.
 * Partial values are not cast. */
#include "../build.h"

bool op_unify(ir_build *b, const op_prim *prim, const void *attr, uint32_t nin, ir_id *in)
{
    ir_type all = { 0 };
    (void)attr;
    if (prim->states || prim->edges) return true;
    for (uint32_t i = 0; i < nin; i++) all.vary |= ir_typeof(b, in[i])->vary;
    for (uint32_t i = 0; all.vary && i < nin; i++)
        if (!(in[i] = op_as(b, in[i], &all))) return false;
    return true;
}
