/* op/elem/exp.c - y = e^x. f32 uses XLA's algorithm: results below 2^-126 are 0. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void exp_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;
    if (dx[0]) dy[0] = op_mul(b, dx[0], y[0]);
}

static op_reg exp_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, op_prog_exp(t, x[0]); }

const op_prim prim_exp = {
    .name = "exp", .doc = "e to the x", .hlo = "stablehlo.exponential", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = exp_jvp, .transpose = op_transpose_none,
    .prog = exp_prog, .pair = op_pair_exp, .real = exp, .ulp = 5, .cost = 12,
    .cases = OP_CASES("exp f32[3,4]", "exp bf16[8]", "exp f64[2,0]", "exp f32[]", "exp c64[5]", "exp c128[3]"),
};
