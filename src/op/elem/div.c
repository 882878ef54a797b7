/* op/elem/div.c - x / y. Integer quotients are truncated; x / 0 has all bits set (-1), and the least integer / -1 is
 * the least integer. Linear in x for floats. */
#include "../prog/prog.h"
#include "../ops.h"

static op_linear div_linear(const ir_eqn *e)
{
    return ir_dtype_of(IR_OUT(e, 0)->dtype)->cls >= IR_FLOAT_CLASS ? (op_linear){ OP_JOINT, 1 << 0 } : op_nonlinear(e);
}

static void div_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e;                                             /* dx / y - dy z / y */
    const ir_id over = dx[0] ? op_div(b, dx[0], x[1]) : 0;
    dy[0] = op_plus(b, over, dx[1] ? op_mul(b, dx[1], op_neg(b, op_div(b, y[0], x[1]))) : 0);
}

static void div_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!x[0] && ct[0]) cx[0] = op_div(b, ct[0], x[1]);
}

static op_reg div_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_div(t, x[0], x[1]); }

const op_prim prim_div = {
    .name = "div", .doc = "x / y; integers truncate", .hlo = "stablehlo.divide", .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .types = "Z, Z -> Z", .rule = OP_BINARY, .linear = div_linear, .jvp = div_jvp, .transpose = div_transpose,
    .prog = div_prog, .pair = op_pair_div, .cost = 3,
    .cases = OP_CASES("div f32[3,4], f32[3,4]", "div bf16[5], bf16[5]", "div i8[7], i8[7]", "div u32[7], u32[7]",
                      "div f64[2,0], f64[2,0]", "div c64[7], c64[7]", "div c128[3], c128[3]"),
};
