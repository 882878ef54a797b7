/* op/special/erfc.c - 1 - erf(x), accurate where erf is near 1. */
#include "special.h"
#include "../ops.h"

#include <math.h>

static void erfc_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;                                    /* -2 / sqrt(pi) e^(-x^2) dx */
    if (!dx[0]) return;
    const ir_id bell = op_exp(b, op_neg(b, op_mul(b, x[0], x[0])));
    dy[0] = op_mul(b, dx[0], op_mul(b, op_num(b, x[0], -M_2_SQRTPI), bell));
}

static bool erfc_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special1(b, op_erfc64, x, y);
}

const op_prim prim_erfc = {
    .name = "erfc", .doc = "1 - erf(x)", .hlo = "chlo.erfc", .call = "x", .nin = 1, OP_SPECIAL_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .jvp = erfc_jvp, .decompose = erfc_decompose,
    .cases = OP_CASES("erfc f32[3,4]", "erfc bf16[8]", "erfc f64[2,0]", "erfc f64[5]"),
};
