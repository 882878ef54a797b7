/* op/elem/round_even.c - x to the nearest integer, halves to the even one. */
#include "../prog/prog.h"

static op_reg round_even_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_rint(t, x[0]); }

const op_prim prim_round_even = {
    .name = "round_even", .doc = "nearest whole number, halves to even; integers stay",
    .hlo = "stablehlo.round_nearest_even",
    .call = "x", .by_hand = true, .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = round_even_prog,
    .cases = OP_CASES("round_even f32[3,4]", "round_even bf16[8]", "round_even f64[2,0]"),
};
