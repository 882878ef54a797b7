/* op/elem/sub.c - z = x - y. Integers wrap. */
#include "../prog/prog.h"
#include "../ops.h"

static void sub_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x, (void)y;
    dy[0] = !dx[1] ? dx[0] : !dx[0] ? op_neg(b, dx[1]) : op_sub(b, dx[0], dx[1]);
}

static void sub_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!ct[0]) return;
    if (!x[0]) cx[0] = ct[0];
    if (!x[1]) cx[1] = op_neg(b, ct[0]);
}

static op_reg sub_prog(op_prog *t, const ir_eqn *e, const op_reg *x) { return (void)e, t_sub(t, x[0], x[1]); }

const op_prim prim_sub = {
    .name = "sub", .doc = "x - y", .hlo = "stablehlo.subtract", .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .types = "Z, Z -> Z", .rule = OP_BINARY, .linear = op_joint, .jvp = sub_jvp, .transpose = sub_transpose,
    .prog = sub_prog, .pair = op_pair_each,
    .cases = OP_CASES("sub f32[3,4], f32[3,4]", "sub f16[5], f16[5]", "sub u16[7], u16[7]", "sub f64[], f64[]",
                      "sub c64[3], c64[3]"),
};
