/* op/special/igamma_grad_a.c - the derivative of igamma(a, x) with respect to a. */
#include "special.h"

static bool igamma_grad_a_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_igamma_grad_a64, x, y);
}

const op_prim prim_igamma_grad_a = {
    .name = "igamma_grad_a",
    .doc = "the derivative of igamma by a",
    .hlo = "",
    .call = "a, x",
    .nin = 2,
    OP_LOOPED_CELLS,
    .types = "F, F -> F",
    .rule = OP_BINARY,
    .jvp = op_jvp_none,
    .decompose = igamma_grad_a_decompose,
    .cases = OP_CASES("igamma_grad_a f32[2,2], f32[2,2]", "igamma_grad_a bf16[2], bf16[2]",
                      "igamma_grad_a f64[2,0], f64[2,0]", "igamma_grad_a f64[3], f64[3]"),
};
