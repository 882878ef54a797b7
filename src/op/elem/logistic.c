/* op/elem/logistic.c - y = 1 / (1 + e^-x). In f16 and bf16, e^-x and the sum are rounded too, as in XLA. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static double real_logistic(double x) { return 1 / (1 + exp(-x)); }

static void logistic_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;                                    /* dy = y (1 - y) dx */
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_mul(b, y[0], op_sub(b, op_ones(b, ir_typeof(b, y[0])), y[0])));
}

static op_reg logistic_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg one = op_imm(t, 1), ex = op_prog_rounded(t, e, op_prog_exp(t, t_neg(t, x[0])));
    return t_div(t, one, op_prog_rounded(t, e, t_add(t, ex, one)));
}

const op_prim prim_logistic = {
    .name = "logistic", .doc = "1 / (1 + e^-x)", .hlo = "stablehlo.logistic", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = logistic_jvp, .transpose = op_transpose_none,
    .prog = logistic_prog, .pair = op_pair_logistic, .real = real_logistic, .ulp = 4, .cost = 12,
    .cases = OP_CASES("logistic f32[3,4]", "logistic bf16[8]", "logistic f64[2,0]", "logistic f32[]",
                      "logistic c64[5]", "logistic c128[3]"),
};
