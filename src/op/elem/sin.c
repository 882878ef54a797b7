/* op/elem/sin.c - y = sin x, accurate for every finite x. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void sin_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_cos(b, x[0]));
}

static op_reg sin_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, op_prog_sin(t, x[0]); }

const op_prim prim_sin = {
    .name = "sin", .doc = "sine of x in radians", .hlo = "stablehlo.sine", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = sin_jvp, .transpose = op_transpose_none,
    .prog = sin_prog, .pair = op_pair_sin, .real = sin, .ulp = 1, .cost = 12,
    .cases = OP_CASES("sin f32[3,4]", "sin bf16[8]", "sin f64[2,0]", "sin f32[]", "sin c64[5]", "sin c128[3]"),
};
