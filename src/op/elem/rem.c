/* op/elem/rem.c - x - y trunc(x / y): the sign of x. Integers: x rem 0 is x. */
#include "../prog/prog.h"
#include "../ops.h"

static void rem_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)y;                                    /* dx - dy trunc(x / y) */
    if (!dx[1]) { dy[0] = dx[0]; return; }
    const ir_id q = op_div(b, x[0], x[1]);
    const ir_id whole = op_mul(b, op_sign(b, q), op_floor(b, op_abs(b, q)));
    dy[0] = op_plus(b, dx[0], op_mul(b, dx[1], op_neg(b, whole)));
}

static op_reg rem_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_rem(t, x[0], x[1]); }

const op_prim prim_rem = {
    .name = "rem", .doc = "remainder of x / y, with the sign of x", .hlo = "stablehlo.remainder", .call = "x, y",
    .nin = 2,
    OP_MAP_CELLS,
    .types = "N, N -> N", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = rem_jvp, .transpose = op_transpose_none,
    .prog = rem_prog,
    .cases = OP_CASES("rem f32[3,4], f32[3,4]", "rem bf16[5], bf16[5]", "rem i8[7], i8[7]", "rem u32[7], u32[7]",
                      "rem f64[2,0], f64[2,0]"),
};
