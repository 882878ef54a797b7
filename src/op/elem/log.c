/* op/elem/log.c - y = ln x. f32 uses XLA's algorithm: denormals count as the least normal number. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void log_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_div(b, dx[0], x[0]);
}

static op_reg log_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, op_prog_log(t, x[0]); }

const op_prim prim_log = {
    .name = "log", .doc = "natural logarithm", .hlo = "stablehlo.log", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = log_jvp, .transpose = op_transpose_none,
    .prog = log_prog, .pair = op_pair_log, .real = log, .ulp = 4, .cost = 12,
    .cases = OP_CASES("log f32[3,4]", "log bf16[8]", "log f64[2,0]", "log f32[]", "log c64[5]", "log c128[3]"),
};
