/* op/elem/popcnt.c - number of bits of x that are 1. */
#include "../prog/prog.h"

static op_reg popcnt_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    return op_do(t, OP_POPCNT, op_prog_unsigned(t, x[0], IR_IN(e, 0)->dtype), 0, 0);
}

const op_prim prim_popcnt = {
    .name = "popcnt", .doc = "number of one bits", .hlo = "stablehlo.popcnt", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "I -> I", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = popcnt_prog,
    .cases = OP_CASES("popcnt i32[3,4]", "popcnt u8[5]", "popcnt i64[2,0]"),
};
