/* op/special/igamma.c - the regularised lower incomplete gamma function P(a, x). */
#include "special.h"

static void igamma_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    dy[0] = op_igamma_tangent(b, x, dx);
}

static bool igamma_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_igamma64, x, y);
}

const op_prim prim_igamma = {
    .name = "igamma",
    .doc = "the lower incomplete gamma function",
    .hlo = "",
    .call = "a, x",
    .nin = 2,
    OP_LOOPED_CELLS,
    .types = "F, F -> F",
    .rule = OP_BINARY,
    .jvp = igamma_jvp,
    .decompose = igamma_decompose,
    .cases = OP_CASES("igamma f32[2,2], f32[2,2]", "igamma bf16[2], bf16[2]", "igamma f64[2,0], f64[2,0]",
                      "igamma f64[3], f64[3]"),
};
