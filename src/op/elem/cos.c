/* op/elem/cos.c - y = cos x, accurate for every finite x. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void cos_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_neg(b, op_sin(b, x[0])));
}

static op_reg cos_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, op_prog_cos(t, x[0]); }

const op_prim prim_cos = {
    .name = "cos", .doc = "cosine of x in radians", .hlo = "stablehlo.cosine", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = cos_jvp, .transpose = op_transpose_none,
    .prog = cos_prog, .pair = op_pair_cos, .real = cos, .ulp = 1, .cost = 12,
    .cases = OP_CASES("cos f32[3,4]", "cos bf16[8]", "cos f64[2,0]", "cos f32[]", "cos c64[5]", "cos c128[3]"),
};
