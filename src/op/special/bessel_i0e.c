/* op/special/bessel_i0e.c - e^-|x| I0(x), the modified Bessel function of order 0, scaled. */
#include "special.h"
#include "../ops.h"

static void bessel_i0e_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;                                             /* (i1e(x) - sign(x) y) dx */
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_sub(b, op_bessel_i1e(b, x[0]), op_mul(b, op_sign(b, x[0]), y[0])));
}

static bool bessel_i0e_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special1(b, op_i0e64, x, y);
}

const op_prim prim_bessel_i0e = {
    .name = "bessel_i0e", .doc = "e^-|x| I0(x)", .hlo = "", .call = "x", .nin = 1, OP_SPECIAL_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .jvp = bessel_i0e_jvp, .decompose = bessel_i0e_decompose,
    .cases = OP_CASES("bessel_i0e f32[3,4]", "bessel_i0e bf16[8]", "bessel_i0e f64[2,0]", "bessel_i0e f64[5]"),
};
