/* op/elem/ceil.c - the least integer >= x: -floor(-x). */
#include "../prog/prog.h"

static op_reg ceil_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    return (void)e, t_neg(t, t_floor(t, t_neg(t, x[0])));
}

const op_prim prim_ceil = {
    .name = "ceil", .doc = "the least whole number not below x; integers stay", .hlo = "stablehlo.ceil", .call = "x",
    .by_hand = true,
    .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = ceil_prog,
    .cases = OP_CASES("ceil f32[3,4]", "ceil bf16[8]", "ceil f64[2,0]"),
};
