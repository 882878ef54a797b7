/* op/special/polygamma.c - the n-th derivative of digamma, n an integer >= 0; no derivative with respect to n. */
#include "special.h"
#include "../ops.h"

static void polygamma_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)y;
    if (dx[0]) op_jvp_none(b, e, x, y, dx, dy);
    else if (dx[1]) dy[0] = op_mul(b, dx[1], op_polygamma(b, op_add(b, x[0], op_num(b, x[0], 1)), x[1]));
}

static bool polygamma_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_polygamma64, x, y);
}

const op_prim prim_polygamma = {
    .name = "polygamma", .doc = "the n-th derivative of digamma", .hlo = "chlo.polygamma", .call = "n, x", .nin = 2,
    OP_SPECIAL_CELLS,
    .types = "F, F -> F", .rule = OP_BINARY, .jvp = polygamma_jvp, .decompose = polygamma_decompose,
    .cases = OP_CASES("polygamma f32[3,4], f32[3,4]", "polygamma bf16[8], bf16[8]", "polygamma f64[2,0], f64[2,0]",
                      "polygamma f64[5], f64[5]"),
};
