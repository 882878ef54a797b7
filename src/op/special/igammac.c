/* op/special/igammac.c - the regularised upper incomplete gamma function, 1 - P(a, x). */
#include "special.h"
#include "../ops.h"

static void igammac_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    const ir_id lower = op_igamma_tangent(b, x, dx);
    dy[0] = lower ? op_neg(b, lower) : 0;
}

static bool igammac_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_igammac64, x, y);
}

const op_prim prim_igammac = {
    .name = "igammac",
    .doc = "the upper incomplete gamma function",
    .hlo = "",
    .call = "a, x",
    .nin = 2,
    OP_LOOPED_CELLS,
    .types = "F, F -> F",
    .rule = OP_BINARY,
    .jvp = igammac_jvp,
    .decompose = igammac_decompose,
    .cases = OP_CASES("igammac f32[2,2], f32[2,2]", "igammac bf16[2], bf16[2]", "igammac f64[2,0], f64[2,0]",
                      "igammac f64[3], f64[3]"),
};
