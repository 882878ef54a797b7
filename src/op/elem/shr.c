/* op/elem/shr.c - x shifted right by y bits, with zeros shifted in; 0 if y is the width or more. */
#include "../prog/prog.h"

static op_reg shr_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    return t_shr(t, op_prog_unsigned(t, x[0], IR_IN(e, 0)->dtype), x[1]);
}

const op_prim prim_shr = {
    .name = "shr", .doc = "x shifted right by y bits, zero-filled", .hlo = "stablehlo.shift_right_logical",
    .call = "x, y", .nin = 2, OP_MAP_CELLS,
    .types = "I, I -> I", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = shr_prog,
    .cases = OP_CASES("shr i32[3,4], i32[3,4]", "shr u8[5], u8[5]", "shr i64[2,0], i64[2,0]"),
};
