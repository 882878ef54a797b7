/* op/special/zeta.c - the sum of (q + k)^-x over k = 0, 1, ... (Hurwitz); no derivative with respect to x. */
#include "special.h"
#include "../ops.h"

static void zeta_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)y;
    if (dx[0]) { op_jvp_none(b, e, x, y, dx, dy); return; }
    if (!dx[1]) return;
    const ir_id up = op_zeta(b, op_add(b, x[0], op_num(b, x[0], 1)), x[1]);
    dy[0] = op_mul(b, dx[1], op_mul(b, op_neg(b, x[0]), up));
}

static bool zeta_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_zeta64, x, y);
}

const op_prim prim_zeta = {
    .name = "zeta", .doc = "the sum of (q + k)^-x over k from 0 on", .hlo = "chlo.zeta", .call = "x, q", .nin = 2,
    OP_SPECIAL_CELLS,
    .types = "F, F -> F", .rule = OP_BINARY, .jvp = zeta_jvp, .decompose = zeta_decompose,
    .cases = OP_CASES("zeta f32[3,4], f32[3,4]", "zeta bf16[8], bf16[8]", "zeta f64[2,0], f64[2,0]",
                      "zeta f64[5], f64[5]"),
};
