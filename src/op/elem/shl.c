/* op/elem/shl.c - x shifted left by y bits; 0 if y is the width or more. */
#include "../prog/prog.h"

static op_reg shl_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_shl(t, x[0], x[1]); }

const op_prim prim_shl = {
    .name = "shl", .doc = "x shifted left by y bits", .hlo = "stablehlo.shift_left", .call = "x, y",
    .nin = 2, OP_MAP_CELLS,
    .types = "I, I -> I", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = shl_prog,
    .cases = OP_CASES("shl i32[3,4], i32[3,4]", "shl u8[5], u8[5]", "shl i64[2,0], i64[2,0]"),
};
