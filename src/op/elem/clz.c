/* op/elem/clz.c - number of leading zero bits of x; the width if x is 0. */
#include "../prog/prog.h"

static op_reg clz_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const tt_dtype d = IR_IN(e, 0)->dtype;
    const op_reg n = op_do(t, OP_CLZ, op_prog_unsigned(t, x[0], d), 0, 0);
    return ir_is_narrow(d) ? t_sub(t, n, op_imm(t, 8 - ir_dtype_of(d)->bits)) : n;
}

const op_prim prim_clz = {
    .name = "clz", .doc = "number of leading zero bits", .hlo = "stablehlo.count_leading_zeros", .call = "x",
    .nin = 1, OP_MAP_CELLS,
    .types = "I -> I", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = clz_prog,
    .cases = OP_CASES("clz i32[3,4]", "clz u8[5]", "clz i64[2,0]"),
};
