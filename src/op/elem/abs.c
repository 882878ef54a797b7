/* op/elem/abs.c - |x|; the least integer stays itself. The derivative at 0 is 0. */
#include "../tape.h"

static void abs_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_sign(b, x[0]));
}

static op_reg abs_tape(op_tape *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_abs(t, x[0]); }

const op_row row_abs = {
    .name = "abs", .doc = "|x|", .hlo = "stablehlo.abs", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "N -> N", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = abs_jvp, .transpose = op_transpose_none,
    .tape = abs_tape,
    .cases = OP_CASES("abs f32[3,4]", "abs bf16[8]", "abs i8[5]", "abs f64[2,0]"),
};
