/* op/unify.c - operands of one equation in a checked manual region vary over the same mesh atoms.
 *
 * An operand that is the same on every device of some axis, used beside one that varies over it, is cast by to_varying:
 * the cast costs nothing forward, and its transpose is the psum that the operand's gradient needs. Rows with .states
 * (collectives, casts) type themselves; structural rows are typed by their regions. Partial values are not cast. */
#include "op.h"

static ir_id vary_over(ir_build *b, ir_id x, mesh_set missing)
{
    const mesh *m = ir_build_fn(b)->mesh;
    base_name *axis = IR_NEW(b, base_name, m->naxis);
    int n = 0;
    for (int i = 0; i < m->naxis; i++) if (mesh_named(m, 1, &m->axis[i].name) & missing) axis[n++] = m->axis[i].name;
    return op_to_varying(b, x, (ir_names){ n, axis });
}

bool op_unify(ir_build *b, const op_row *row, const void *attr, uint32_t nin, ir_id *in)
{
    mesh_set all = 0;
    (void)attr;
    if (row->states || row->ties) return true;
    for (uint32_t i = 0; i < nin; i++) all |= ir_typeof(b, in[i])->vary;
    if (!all) return true;
    for (uint32_t i = 0; i < nin; i++) {
        const mesh_set missing = (mesh_set)(all & ~ir_typeof(b, in[i])->vary);
        if (missing && !(in[i] = vary_over(b, in[i], missing))) return false;
    }
    return true;
}
