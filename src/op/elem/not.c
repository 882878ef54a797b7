/* op/elem/not.c - bitwise not; on bool: not x. */
#include "../prog/prog.h"

static op_reg not_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_not(t, x[0]); }

const op_prim prim_not = {
    .name = "not", .doc = "bitwise not", .hlo = "stablehlo.not", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "L -> L", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = not_prog,
    .cases = OP_CASES("not i32[3,4]", "not bool[5]", "not u8[2,0]"),
};
