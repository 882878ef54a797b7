/* op/special/igammac.c - the regularised upper incomplete gamma function, 1 - P(a, x). */
#include "../special.h"

/* by x: x^(a - 1) e^-x / gamma(a), taken away */
static void igammac_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    ir_id by_x = 0;
    if (dx[1]) {
        const ir_id power = op_mul(b, op_sub(b, x[0], op_num(b, x[0], 1)), op_log(b, x[1]));
        by_x = op_mul(b, dx[1], op_exp(b, op_sub(b, op_sub(b, power, x[1]), op_lgamma(b, x[0]))));
    }
    const ir_id sum = op_plus(b, by_x, dx[0] ? op_mul(b, dx[0], op_igamma_grad_a(b, x[0], x[1])) : 0);
    dy[0] = sum ? op_neg(b, sum) : 0;
}

static bool igammac_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_igammac64, x, y);
}

const op_row row_igammac = {
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
