/* op/core/states.c - casts between the states that values have in a checked manual region.
 *
 * A value that is equal on all devices of an axis may be used where a value that varies over the axis is required:
 * to_varying costs nothing. The opposite cast is a psum and is never inserted here. Outside checked regions all sets
 * are empty and nothing is cast. */
#include "../build.h"

ir_id op_as(ir_build *b, ir_id x, const ir_type *like)
{
    const mesh *const m = ir_build_fn(b)->mesh;
    if (!x || !m) return x;
    const mesh_set missing = (mesh_set)(like->vary & ~ir_typeof(b, x)->vary);
    if (!missing) return x;
    base_name *const axis = IR_NEW(b, base_name, m->naxis);
    int n = 0;
    for (int i = 0; i < m->naxis; i++)
        if (mesh_named(m, 1, &m->axis[i].name) & missing) axis[n++] = m->axis[i].name;
    return op_to_varying(b, x, (ir_names){ n, axis });
}

ir_id op_zeros_as(ir_build *b, const ir_type *t) { return op_as(b, op_zeros(b, t), t); }
