/* op/special/lgamma.c - ln |gamma(x)|; infinite at its poles 0, -1, -2, ... */
#include "special.h"
#include "../ops.h"

static void lgamma_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_digamma(b, x[0]));
}

static bool lgamma_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special1(b, op_lgamma64, x, y);
}

const op_prim prim_lgamma = {
    .name = "lgamma", .doc = "logarithm of |gamma(x)|", .hlo = "chlo.lgamma", .call = "x", .nin = 1, OP_SPECIAL_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .jvp = lgamma_jvp, .decompose = lgamma_decompose,
    .cases = OP_CASES("lgamma f32[3,4]", "lgamma bf16[8]", "lgamma f64[2,0]", "lgamma f64[5]"),
};
