/* op/loop/checkpoint_name.c - the operand under a name that policies of remat refer to (jax's `name`). Its tangent has
 * no name. Plans and passes see the operand itself. */
#include "../build.h"

typedef struct { base_name name; } attr;

static void name_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)b, (void)e, (void)x, (void)y;
    dy[0] = dx[0];
}

static void name_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)b, (void)e;
    if (!x[0]) cx[0] = ct[0];
}

static void name_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    (void)mapped, (void)n, (void)out;
    y[0] = ir_clone(b, e, x);
}

static bool name_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    (void)b, (void)e;
    return (y[0] = x[0]) != 0;
}

const op_prim prim_checkpoint_name = {
    .name = "checkpoint_name", .doc = "the same value under a name, for policies of tt_remat", .hlo = "", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_MOVE, .passes = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, name, IR_NAME)),
    .types = "T -> T", .rule = "... -> ...", .linear = op_joint, .partial = op_partial_none,
    .jvp = name_jvp, .transpose = name_transpose, .batch = name_batch, .decompose = name_decompose,
    .ref = op_ref_decomposed, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("checkpoint_name f32[4,6] {name=h}", "checkpoint_name i32[5] {name=\"layer 1\"}"),
};
