/* op/elem/log1p.c - y = ln(1 + x). f32 uses XLA's algorithm. In f16, 1 + x is rounded where XLA rounds it. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void log1p_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_div(b, dx[0], op_add(b, x[0], op_ones(b, ir_typeof(b, x[0]))));
}

static op_reg log1p_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg y = op_prog_log1p(t, x[0]);
    if (IR_OUT(e, 0)->dtype != TT_F16) return y;
    const op_reg far = op_prog_log(t, op_prog_rounded(t, e, t_add(t, x[0], op_imm(t, 1))));
    return t_sel(t, t_lt(t, t_abs(t, x[0]), op_imm(t, 0.41421356237309504880)), y, far);
}

const op_prim prim_log1p = {
    .name = "log1p", .doc = "ln(1 + x), accurate near 0", .hlo = "stablehlo.log_plus_one", .call = "x",
    .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = log1p_jvp, .transpose = op_transpose_none,
    .prog = log1p_prog, .pair = op_pair_log1p, .real = log1p, .ulp = 4, .cost = 12,
    .cases = OP_CASES("log1p f32[3,4]", "log1p bf16[8]", "log1p f64[2,0]", "log1p f32[]", "log1p c64[5]",
                      "log1p c128[3]"),
};
