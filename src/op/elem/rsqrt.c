/* op/elem/rsqrt.c - y = 1 / sqrt x. In f16 the root is rounded before the division, as in XLA's code. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static double real_rsqrt(double x) { return 1 / sqrt(x); }

static void rsqrt_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;                                             /* dy = dx (-1/2) y / x */
    if (!dx[0]) return;
    const ir_id half = op_splat(b, ir_typeof(b, y[0]), -0.5);
    dy[0] = op_mul(b, dx[0], op_mul(b, half, op_div(b, y[0], x[0])));
}

static op_reg rsqrt_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg root = t_sqrt(t, x[0]);
    return t_div(t, op_imm(t, 1), IR_OUT(e, 0)->dtype == TT_F16 ? op_prog_rounded(t, e, root) : root);
}

const op_prim prim_rsqrt = {
    .name = "rsqrt", .doc = "1 / sqrt(x)", .hlo = "stablehlo.rsqrt", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = rsqrt_jvp, .transpose = op_transpose_none,
    .prog = rsqrt_prog, .pair = op_pair_rsqrt, .real = real_rsqrt, .ulp = 1.5, .cost = 3,
    .cases = OP_CASES("rsqrt f32[3,4]", "rsqrt bf16[8]", "rsqrt f64[2,0]", "rsqrt f32[]", "rsqrt c64[5]",
                      "rsqrt c128[3]"),
};
