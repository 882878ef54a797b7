/* op/elem/floor.c - the greatest integer <= x. */
#include "../prog/prog.h"

static op_reg floor_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_floor(t, x[0]); }

const op_prim prim_floor = {
    .name = "floor", .doc = "the greatest whole number not above x; integers stay",
    .hlo = "stablehlo.floor", .call = "x", .by_hand = true,
    .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = floor_prog,
    .cases = OP_CASES("floor f32[3,4]", "floor bf16[8]", "floor f64[2,0]"),
};
