/* op/special/bessel_i1e.c - e^-|x| I1(x), the modified Bessel function of order 1, scaled. */
#include "special.h"
#include "../ops.h"

static void bessel_i1e_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;                                             /* (i0e(x) - y (sign(x) + 1 / x)) dx, at 0: dx / 2 */
    if (!dx[0]) return;
    const ir_id zero = op_equal(b, x[0], op_num(b, x[0], 0)), safe = op_select(b, zero, op_num(b, x[0], 1), x[0]);
    const ir_id over = op_add(b, op_sign(b, safe), op_div(b, op_num(b, x[0], 1), safe));
    const ir_id slope = op_sub(b, op_bessel_i0e(b, safe), op_mul(b, y[0], over));
    dy[0] = op_mul(b, dx[0], op_select(b, zero, op_num(b, x[0], 0.5), slope));
}

static bool bessel_i1e_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special1(b, op_i1e64, x, y);
}

const op_prim prim_bessel_i1e = {
    .name = "bessel_i1e", .doc = "e^-|x| I1(x)", .hlo = "chlo.bessel_i1e", .call = "x", .nin = 1, OP_SPECIAL_CELLS,
    .types = "F -> F", .rule = OP_UNARY, .jvp = bessel_i1e_jvp, .decompose = bessel_i1e_decompose,
    .cases = OP_CASES("bessel_i1e f32[3,4]", "bessel_i1e bf16[8]", "bessel_i1e f64[2,0]", "bessel_i1e f64[5]"),
};
