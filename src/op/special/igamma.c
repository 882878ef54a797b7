/* op/special/igamma.c - the regularised lower incomplete gamma function P(a, x). */
#include "../special.h"

/* by x: x^(a - 1) e^-x / gamma(a) */
static void igamma_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;
    ir_id by_x = 0;
    if (dx[1]) {
        const ir_id power = op_mul(b, op_sub(b, x[0], op_num(b, x[0], 1)), op_log(b, x[1]));
        by_x = op_mul(b, dx[1], op_exp(b, op_sub(b, op_sub(b, power, x[1]), op_lgamma(b, x[0]))));
    }
    dy[0] = op_plus(b, by_x, dx[0] ? op_mul(b, dx[0], op_igamma_grad_a(b, x[0], x[1])) : 0);
}

static bool igamma_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return (void)e, op_by_special2(b, op_igamma64, x, y);
}

const op_row row_igamma = {
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
