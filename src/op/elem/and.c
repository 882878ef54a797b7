/* op/elem/and.c - bitwise and; for bool and integers. */
#include "../prog/prog.h"

static op_reg and_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_and(t, x[0], x[1]); }

const op_prim prim_and = {
    .name = "and", .doc = "bitwise and", .hlo = "stablehlo.and", .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .monoid = MESH_AND,
    .types = "L, L -> L", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = and_prog,
    .cases = OP_CASES("and i32[3,4], i32[3,4]", "and bool[5], bool[5]", "and u8[2,0], u8[2,0]"),
};
