/* op/elem/sign.c - -1, 0 or 1; of floats also -0 and NaN. */
#include "../tape.h"

static op_reg sign_tape(op_tape *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg zero = op_imm(t, 0), one = op_imm(t, 1);
    const ir_class c = ir_dtype_of(op_working(t))->cls;
    (void)e;
    if (c == IR_UINT_CLASS) return t_min(t, x[0], one);
    if (c == IR_INT_CLASS) return t_max(t, t_min(t, x[0], one), op_imm(t, -1));
    const op_reg other = t_or(t, t_lt(t, x[0], zero), t_lt(t, zero, x[0]));          /* not 0, not NaN */
    return t_sel(t, other, op_tape_copysign(t, one, x[0]), x[0]);
}

const op_row row_sign = {
    .name = "sign", .doc = "-1, 0 or 1", .hlo = "stablehlo.sign", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "Z -> Z", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .tape = sign_tape, .pair = op_pair_sign,
    .cases = OP_CASES("sign f32[3,4]", "sign bf16[8]", "sign i32[5]", "sign u8[2,0]", "sign f64[3]", "sign c64[5]"),
};
