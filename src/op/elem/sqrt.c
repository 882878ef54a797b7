/* op/elem/sqrt.c - y = sqrt x, correctly rounded. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void sqrt_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;                                    /* dy = dx (1/2) / y */
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_div(b, op_splat(b, ir_typeof(b, y[0]), 0.5), y[0]));
}

static op_reg sqrt_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_sqrt(t, x[0]); }

const op_prim prim_sqrt = {
    .name = "sqrt", .doc = "square root", .hlo = "stablehlo.sqrt", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = sqrt_jvp, .transpose = op_transpose_none,
    .prog = sqrt_prog, .pair = op_pair_sqrt, .real = sqrt, .ulp = 0.5, .cost = 3,
    .cases = OP_CASES("sqrt f32[3,4]", "sqrt bf16[8]", "sqrt f64[2,0]", "sqrt f32[]", "sqrt c64[5]", "sqrt c128[3]"),
};
