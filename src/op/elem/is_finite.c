/* op/elem/is_finite.c - true for numbers that are neither infinite nor NaN; the result is bool. */
#include "../prog/prog.h"

#include <math.h>

static op_reg is_finite_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    (void)e;
    return t_lt(t, t_abs(t, x[0]), op_imm(t, HUGE_VAL));
}

const op_prim prim_is_finite = {
    .name = "is_finite", .doc = "neither infinite nor NaN", .hlo = "stablehlo.is_finite", .call = "x",
    .nin = 1, OP_MAP_CELLS,
    .types = "X -> B", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = is_finite_prog, .pair = op_pair_finite,
    .cases = OP_CASES("is_finite f32[3,4]", "is_finite bf16[8]", "is_finite f64[2,0]", "is_finite c64[3]"),
};
