/* op/elem/sign.c - -1, 0 or 1; of floats, -0 and NaN give themselves. */
#include "../prog/prog.h"
#include "../ops.h"

static op_reg sign_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg zero = op_imm(t, 0), one = op_imm(t, 1);
    const ir_class c = ir_dtype_of(op_working(t))->cls;
    (void)e;
    if (c == IR_UINT_CLASS) return t_min(t, x[0], one);
    if (c == IR_INT_CLASS) return t_max(t, t_min(t, x[0], one), op_imm(t, -1));
    const op_reg other = t_or(t, t_lt(t, x[0], zero), t_lt(t, zero, x[0]));          /* not 0, not NaN */
    return t_sel(t, other, op_prog_copysign(t, one, x[0]), x[0]);
}

/* Complex, x / |x|: the part of dx orthogonal to x, over |x|; 0 at 0. Real: the derivative is 0. */
static void sign_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    if (!dx[0] || !op_is_complex(IR_IN(e, 0)->dtype)) return;
    const ir_id size = op_abs(b, x[0]);
    const ir_type *const t = ir_typeof(b, size);
    const op_parts s = op_parts_of(b, y[0]), d = op_parts_of(b, dx[0]);
    const ir_id zero = op_zeros(b, t), none = op_equal(b, size, zero), by = op_select(b, none, op_ones(b, t), size);
    const ir_id along = op_add(b, op_mul(b, s.re, d.re), op_mul(b, s.im, d.im));
    const ir_id part[2] = { op_sub(b, d.re, op_mul(b, s.re, along)), op_sub(b, d.im, op_mul(b, s.im, along)) };
    dy[0] = op_parts_join(b, (op_parts){ op_select(b, none, zero, op_div(b, part[0], by)),
                                         op_select(b, none, zero, op_div(b, part[1], by)) });
}

const op_prim prim_sign = {
    .name = "sign", .doc = "-1, 0 or 1", .hlo = "stablehlo.sign", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "Z -> Z", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = sign_jvp, .transpose = op_transpose_none,
    .prog = sign_prog, .pair = op_pair_sign,
    .cases = OP_CASES("sign f32[3,4]", "sign bf16[8]", "sign i32[5]", "sign u8[2,0]", "sign f64[3]", "sign c64[5]"),
};
