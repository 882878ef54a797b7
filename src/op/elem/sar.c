/* op/elem/sar.c - x shifted right by y bits, with copies of the top bit shifted in, for unsigned types too. */
#include "../prog/prog.h"

static op_reg sar_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const tt_dtype d = IR_IN(e, 0)->dtype;
    if (d != TT_U2 && d != TT_U4) return t_sar(t, x[0], x[1]);
    return t_sar(t, op_bits(t, op_prog_wrap(t, x[0], d == TT_U2 ? TT_I2 : TT_I4), TT_U8), x[1]);
}

const op_prim prim_sar = {
    .name = "sar", .doc = "x shifted right by y bits, sign-extended",
    .hlo = "stablehlo.shift_right_arithmetic", .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .types = "I, I -> I", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = sar_prog,
    .cases = OP_CASES("sar i32[3,4], i32[3,4]", "sar u8[5], u8[5]", "sar i64[2,0], i64[2,0]"),
};
