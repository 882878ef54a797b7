/* op/elem/or.c - bitwise or; for bool and integers. */
#include "../prog/prog.h"

static op_reg or_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_or(t, x[0], x[1]); }

const op_prim prim_or = {
    .name = "or", .doc = "bitwise or", .hlo = "stablehlo.or", .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .monoid = MESH_OR,
    .types = "L, L -> L", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = or_prog,
    .cases = OP_CASES("or i32[3,4], i32[3,4]", "or bool[5], bool[5]", "or u8[2,0], u8[2,0]"),
};
