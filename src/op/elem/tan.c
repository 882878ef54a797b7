/* op/elem/tan.c - y = tan x = sin x / cos x, accurate for every finite x. f32 is computed in f64. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void tan_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;                                    /* dy = (1 + y^2) dx */
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_add(b, op_ones(b, ir_typeof(b, y[0])), op_mul(b, y[0], y[0])));
}

static op_reg tan_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg wide = op_to(t, x[0], TT_F64);
    (void)e;
    return op_to(t, t_div(t, op_prog_sin(t, wide), op_prog_cos(t, wide)), op_working(t));
}

const op_prim prim_tan = {
    .name = "tan", .doc = "tangent of x in radians", .hlo = "stablehlo.tan", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = tan_jvp, .transpose = op_transpose_none,
    .prog = tan_prog, .pair = op_pair_tan, .real = tan, .ulp = 1, .cost = 12,
    .cases = OP_CASES("tan f32[3,4]", "tan bf16[8]", "tan f64[2,0]", "tan f32[]", "tan c64[5]", "tan c128[3]"),
};
