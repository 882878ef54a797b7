/* op/coll/to_varying.c - casts a value that is equal along axes to one that varies over them, at no cost. The transpose
 * is the psum of the members' cotangents, which sums the gradient of a shared value. Used in checked regions; unchecked
 * it is the identity in both directions. */
#include "../build.h"

typedef op_axis_attr attr;

static bool to_varying_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const attr *a = IR_ATTR(e, attr);
    const mesh_set over = op_over(e, a->axes);
    if (!a->unchecked && (over & x[0]->vary))
        return base_fail(TT_ETYPE, e->site, "pvary: the value varies over %s already",
                         mesh_set_text(e->fn->arena, e->fn->mesh, over & x[0]->vary));
    *y = a->unchecked ? x[0] : ir_type_vary(x[0], (mesh_set)(x[0]->vary | over));
    return true;
}

static void to_varying_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const attr *a = IR_ATTR(e, attr);
    if (!x[0] && ct[0]) cx[0] = a->unchecked ? ct[0] : op_psum(b, ct[0], a->axes, false);
}

static void to_varying_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                             bool *out)
{
    const attr *a = IR_ATTR(e, attr);
    const op_axes s = op_axes_split(b, a->axes);
    (void)n;
    out[0] = mapped[0];
    y[0] = s.rest.n ? ir_emit(b, e->op, &(attr){ s.rest, a->unchecked }, 1, x, 0, NULL) : x[0];
}

static bool to_varying_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    (void)e;
    return ir_copy(x, y);
}

const op_prim prim_to_varying = {
    .name = "to_varying", .doc = "the same value, taken to differ over axes", .hlo = "", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_MOVE, .states = true, .passes = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, axes, IR_NAMES), IR_FIELD(attr, unchecked, IR_BOOL)),
    .type = to_varying_type, .rule = "... -> ...", .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = to_varying_transpose, .batch = to_varying_batch, .decompose = op_decompose_none,
    .ref = to_varying_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("to_varying f32[3] {axes=[a], unchecked=true} on a:2"),
};
