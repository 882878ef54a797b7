/* op/elem/xor.c - bitwise exclusive or; for bool and integers. */
#include "../prog/prog.h"

static op_reg xor_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_xor(t, x[0], x[1]); }

const op_prim prim_xor = {
    .name = "xor", .doc = "bitwise exclusive or", .hlo = "stablehlo.xor", .call = "x, y",
    .nin = 2, OP_MAP_CELLS, .monoid = MESH_XOR,
    .types = "L, L -> L", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = xor_prog,
    .cases = OP_CASES("xor i32[3,4], i32[3,4]", "xor bool[5], bool[5]", "xor u8[2,0], u8[2,0]"),
};
