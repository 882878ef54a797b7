/* op/elem/neg.c - y = -x. Integers wrap: the least integer is its own negative. */
#include "../prog/prog.h"
#include "../ops.h"

static void neg_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!x[0] && ct[0]) cx[0] = op_neg(b, ct[0]);
}

static op_reg neg_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_neg(t, x[0]); }

const op_prim prim_neg = {
    .name = "neg", .doc = "-x", .hlo = "stablehlo.negate", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "Z -> Z", .rule = OP_UNARY, .linear = op_joint, .jvp = op_jvp_linear, .transpose = neg_transpose,
    .prog = neg_prog, .pair = op_pair_each,
    .cases = OP_CASES("neg f32[3,4]", "neg bf16[8]", "neg i32[5]", "neg u8[2,0]", "neg f64[]", "neg c64[3]"),
};
