/* op/special/betainc.c - the regularised incomplete beta function I_x(p, q); no derivative with respect to p and q, as
 * in JAX. */
#include "special.h"
#include "../ops.h"

/* with respect to x: x^(p - 1) (1 - x)^(q - 1) / beta(p, q), in f64, since its logarithm is a difference of numbers of
 * the size of those of gamma functions */
static void betainc_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    if (dx[0] || dx[1]) {
        op_jvp_none(b, e, x, y, dx, dy);
        return;
    }
    if (!dx[2]) return;
    const ir_id p = op_convert(b, x[0], TT_F64), q = op_convert(b, x[1], TT_F64), at = op_convert(b, x[2], TT_F64);
    const ir_id one = op_num(b, p, 1), right = op_log1p(b, op_neg(b, at));
    const ir_id powers =
        op_add(b, op_mul(b, op_sub(b, p, one), op_log(b, at)), op_mul(b, op_sub(b, q, one), right));
    const ir_id beta = op_sub(b, op_add(b, op_lgamma(b, p), op_lgamma(b, q)), op_lgamma(b, op_add(b, p, q)));
    const ir_id slope = op_exp(b, op_sub(b, powers, beta));
    dy[0] = op_mul(b, dx[2], op_convert(b, slope, ir_typeof(b, x[2])->dtype));
}

static bool betainc_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const tt_dtype d = IR_OUT(e, 0)->dtype;
    const ir_id v =
        op_betainc64(b, op_convert(b, x[0], TT_F64), op_convert(b, x[1], TT_F64), op_convert(b, x[2], TT_F64));
    return (y[0] = v ? op_convert(b, v, d) : 0) != 0;
}

const op_prim prim_betainc = {
    .name = "betainc",
    .doc = "the incomplete beta function",
    .hlo = "",
    .call = "p, q, x",
    .nin = 3,
    OP_LOOPED_CELLS,
    .types = "F, F, F -> F",
    .rule = OP_TERNARY,
    .jvp = betainc_jvp,
    .decompose = betainc_decompose,
    .cases = OP_CASES("betainc f32[2,2], f32[2,2], f32[2,2]", "betainc bf16[2], bf16[2], bf16[2]",
                      "betainc f64[2,0], f64[2,0], f64[2,0]", "betainc f64[3], f64[3], f64[3]"),
};
