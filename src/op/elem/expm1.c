/* op/elem/expm1.c - y = e^x - 1. f32 uses XLA's algorithm. In f16 each operation is rounded, as in XLA. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void expm1_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;                                    /* e^x: y + 1 would cancel where x is negative */
    if (dx[0]) dy[0] = op_mul(b, dx[0], ir_emit(b, &prim_exp, NULL, 1, x, 0, NULL));
}

static op_reg expm1_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    if (IR_OUT(e, 0)->dtype != TT_F16) return op_prog_expm1(t, x[0]);
    const op_reg one = op_imm(t, 1), half = op_imm(t, 0.5), ex = op_prog_rounded(t, e, op_prog_exp(t, x[0]));
    const op_reg th = op_prog_rounded(t, e, op_prog_tanh(t, op_prog_rounded(t, e, t_mul(t, x[0], half))));
    const op_reg near = t_mul(t, th, op_prog_rounded(t, e, t_add(t, ex, one)));
    return t_sel(t, t_lt(t, half, t_abs(t, x[0])), t_sub(t, ex, one), near);
}

const op_prim prim_expm1 = {
    .name = "expm1", .doc = "e to the x, minus 1, accurate near 0", .hlo = "stablehlo.exponential_minus_one",
    .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = expm1_jvp, .transpose = op_transpose_none,
    .prog = expm1_prog, .pair = op_pair_expm1, .real = expm1, .ulp = 6, .cost = 12,
    .cases = OP_CASES("expm1 f32[3,4]", "expm1 bf16[8]", "expm1 f64[2,0]", "expm1 f32[]", "expm1 c64[5]",
                      "expm1 c128[3]"),
};
