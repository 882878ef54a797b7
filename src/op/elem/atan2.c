/* op/elem/atan2.c - the angle of the point (y, x) = (operand 0, operand 1), in [-pi, pi]. The smaller of |x|, |y| over
 * the larger is in [0, 1]; its arctangent (Cephes) is mapped to the right octant. f32 is computed in f64. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void atan2_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_id square = op_add(b, op_mul(b, x[0], x[0]), op_mul(b, x[1], x[1]));
    (void)e, (void)y;                                    /* (x dy - y dx) / (x^2 + y^2) */
    const ir_id up = dx[0] ? op_mul(b, dx[0], op_div(b, x[1], square)) : 0;
    dy[0] = op_plus(b, up, dx[1] ? op_mul(b, dx[1], op_neg(b, op_div(b, x[0], square))) : 0);
}

static op_reg real(op_prog *t, double v) { return op_number(t, TT_F64, v); }

static op_reg atan_unit(op_prog *t, op_reg a)            /* 0 <= a <= 1 */
{
    static const double p[] = { -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
                                -1.228866684490136173410e2, -6.485021904942025371773e1 };
    static const double q[] = { 1, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
                                4.853903996359136964868e2, 1.945506571482613964425e2 };
    const op_reg one = real(t, 1), upper = t_lt(t, real(t, 0.66), a);
    const op_reg r = t_sel(t, upper, t_div(t, t_sub(t, a, one), t_add(t, a, one)), a), z = t_mul(t, r, r);
    const op_reg curve = t_div(t, t_mul(t, z, op_poly(t, z, 5, p)), op_poly(t, z, 6, q));
    const op_reg base = t_sel(t, upper, real(t, 0x1.921fb54442d18p-1), real(t, 0));
    return t_add(t, base, t_fma(t, r, curve, t_add(t, r, t_sel(t, upper, real(t, 0x1.1a62633145c07p-55), real(t, 0)))));
}

static op_reg atan2_prog(op_prog *t, const ir_eqn *e, const op_reg *v)
{
    const op_reg y = op_to(t, v[0], TT_F64), x = op_to(t, v[1], TT_F64), ay = t_abs(t, y), ax = t_abs(t, x);
    const op_reg low = t_min(t, ax, ay), high = t_max(t, ax, ay), zero = real(t, 0), one = real(t, 1);
    op_reg a = t_div(t, low, high);
    a = t_sel(t, t_eq(t, high, zero), zero, t_sel(t, t_eq(t, low, real(t, HUGE_VAL)), one, a));
    op_reg angle = atan_unit(t, a);
    const op_reg up = t_sub(t, real(t, 0x1.921fb54442d18p0), t_sub(t, angle, real(t, 0x1.1a62633145c07p-54)));
    angle = t_sel(t, t_lt(t, ax, ay), up, angle);
    const op_reg left = t_lt(t, op_bits(t, x, TT_I64), op_integer(t, TT_I64, 0));    /* -0 counts as negative */
    const op_reg turned = t_sub(t, real(t, 0x1.921fb54442d18p1), t_sub(t, angle, real(t, 0x1.1a62633145c07p-53)));
    angle = t_sel(t, left, turned, angle);
    const op_reg lost = t_or(t, t_ne(t, x, x), t_ne(t, y, y));
    (void)e;
    return op_to(t, t_sel(t, lost, t_add(t, x, y), op_prog_copysign(t, angle, y)), op_working(t));
}

const op_prim prim_atan2 = {
    .name = "atan2", .doc = "angle of the point (y, x)", .hlo = "stablehlo.atan2", .call = "y, x",
    .nin = 2, OP_MAP_CELLS,
    .types = "X, X -> X", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = atan2_jvp, .transpose = op_transpose_none,
    .prog = atan2_prog, .pair = op_pair_atan2, .cost = 12,
    .cases = OP_CASES("atan2 f32[3,4], f32[3,4]", "atan2 bf16[5], bf16[5]", "atan2 f64[2,0], f64[2,0]",
                      "atan2 c64[3], c64[3]"),
};
