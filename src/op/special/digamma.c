/* op/special/digamma.c - the derivative of lgamma; at its poles -infinity (0) and NaN (-1, -2, ...), as in XLA. */
#include "special.h"
#include "../ops.h"

static void digamma_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_polygamma(b, op_num(b, x[0], 1), x[0]));
}

static bool digamma_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special1(b, op_digamma64, x, y);
}

const op_prim prim_digamma = {
    .name = "digamma", .doc = "the derivative of lgamma", .hlo = "chlo.digamma", .call = "x", .nin = 1,
    OP_SPECIAL_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .jvp = digamma_jvp, .decompose = digamma_decompose,
    .cases = OP_CASES("digamma f32[3,4]", "digamma bf16[8]", "digamma f64[2,0]", "digamma f64[5]"),
};
