/* op/elem/tanh.c - y = tanh x. f32 uses XLA's algorithm. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void tanh_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;                                    /* dy = (1 - y^2) dx */
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_sub(b, op_ones(b, ir_typeof(b, y[0])), op_mul(b, y[0], y[0])));
}

static op_reg tanh_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, op_prog_tanh(t, x[0]); }

const op_prim prim_tanh = {
    .name = "tanh", .doc = "hyperbolic tangent", .hlo = "stablehlo.tanh", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = tanh_jvp, .transpose = op_transpose_none,
    .prog = tanh_prog, .pair = op_pair_tanh, .real = tanh, .ulp = 5, .cost = 12,
    .cases = OP_CASES("tanh f32[3,4]", "tanh bf16[8]", "tanh f64[2,0]", "tanh f32[]", "tanh c64[5]", "tanh c128[3]"),
};
