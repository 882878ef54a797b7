/* op/special/random_gamma_grad.c - the derivative of a sample x of the gamma distribution with respect to a: -(dP / da)
 * / (dP / dx). */
#include "special.h"

static bool random_gamma_grad_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_random_gamma_grad64, x, y);
}

const op_prim prim_random_gamma_grad = {
    .name = "random_gamma_grad",
    .doc = "the derivative of a gamma sample by a",
    .hlo = "",
    .call = "a, x",
    .nin = 2,
    OP_LOOPED_CELLS,
    .types = "F, F -> F",
    .rule = OP_BINARY,
    .jvp = op_jvp_none,
    .decompose = random_gamma_grad_decompose,
    .cases = OP_CASES("random_gamma_grad f32[2,2], f32[2,2]", "random_gamma_grad bf16[2], bf16[2]",
                      "random_gamma_grad f64[2,0], f64[2,0]", "random_gamma_grad f64[3], f64[3]"),
};
