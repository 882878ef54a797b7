/* op/elem/expm1.c - y = e^x - 1. f32 is XLA's. */
#include "../tape.h"

#include <math.h>

static void expm1_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_add(b, y[0], op_ones(b, ir_typeof(b, y[0]))));
}

static op_reg expm1_tape(op_tape *t, const ir_eqn *e, const op_reg *x) { return (void)e, op_tape_expm1(t, x[0]); }

const op_row row_expm1 = {
    .name = "expm1", .doc = "e to the x, minus 1, accurate near 0", .hlo = "stablehlo.exponential_minus_one",
    .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = expm1_jvp, .transpose = op_transpose_none,
    .tape = expm1_tape, .real = expm1, .ulp = 6,
    .cases = OP_CASES("expm1 f32[3,4]", "expm1 bf16[8]", "expm1 f64[2,0]", "expm1 f32[]"),
};
