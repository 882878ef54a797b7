/* op/elem/cbrt.c - the cube root: a third of the exponent, then three of Halley's iterations. f32 is computed in
 * f64. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

static void cbrt_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)e, (void)x;                                    /* dy = dx (1/3) / y / y: infinite at 0, 0 at infinity */
    if (!dx[0]) return;
    const ir_id third = op_splat(b, ir_typeof(b, y[0]), 1 / 3.);
    dy[0] = op_mul(b, dx[0], op_div(b, op_div(b, third, y[0]), y[0]));
}

static op_reg real(op_prog *t, double v) { return op_number(t, TT_F64, v); }

static op_reg cbrt_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_reg wide = op_to(t, x[0], TT_F64), tiny = t_lt(t, t_abs(t, wide), real(t, 0x1p-1022));
    const op_reg huge = t_lt(t, real(t, 0x1p1000), t_abs(t, wide)), one = real(t, 1);
    const op_reg scale = t_sel(t, tiny, real(t, 0x1p54), t_sel(t, huge, real(t, 0x1p-54), one));
    const op_reg a = t_abs(t, t_mul(t, wide, scale));
    const op_reg high = op_to(t, t_shr(t, op_bits(t, a, TT_U64), op_integer(t, TT_U64, 32)), TT_U32);
    const op_reg third = t_mulhi(t, high, op_integer(t, TT_U32, 0x55555556));
    const op_reg first = op_to(t, t_add(t, third, op_integer(t, TT_U32, 715094163)), TT_U64);
    op_reg y = op_bits(t, t_shl(t, first, op_integer(t, TT_U64, 32)), TT_F64);
    for (int i = 0; i < 3; i++) {                        /* y (y^3 + 2 a) / (2 y^3 + a), as y plus a correction */
        const op_reg cube = t_mul(t, t_mul(t, y, y), y), miss = t_sub(t, a, cube);
        y = t_fma(t, y, t_div(t, miss, t_add(t, t_add(t, cube, cube), a)), y);
    }
    y = t_mul(t, y, t_sel(t, tiny, real(t, 0x1p-18), t_sel(t, huge, real(t, 0x1p18), one)));
    const op_reg plain = t_and(t, t_ne(t, wide, real(t, 0)), t_lt(t, a, real(t, HUGE_VAL)));
    (void)e;
    return op_to(t, t_sel(t, plain, op_prog_copysign(t, y, wide), wide), op_working(t));
}

const op_prim prim_cbrt = {
    .name = "cbrt", .doc = "cube root", .hlo = "stablehlo.cbrt", .call = "x", .nin = 1, OP_MAP_CELLS,
    .types = "X -> X", .rule = OP_UNARY, .linear = op_nonlinear, .jvp = cbrt_jvp, .transpose = op_transpose_none,
    .prog = cbrt_prog, .pair = op_pair_cbrt, .real = cbrt, .ulp = 1, .cost = 12,
    .cases = OP_CASES("cbrt f32[3,4]", "cbrt bf16[8]", "cbrt f64[2,0]", "cbrt f32[]", "cbrt c64[5]", "cbrt c128[3]"),
};
