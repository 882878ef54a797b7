/* op/elem/pow.c - x to the power y:
 * - f32: e^(y ln |x|) in f64, rounded once;
 * - f64: the same, with ln |x| as a sum of two numbers;
 * - integers: by squaring; a negative power is 0 unless x is 1 or -1.
 * A negative x needs an integer y. x^0 = 1 for every x, and 1^y = 1 for every y. */
#include "../prog/prog.h"
#include "../ops.h"

#include <math.h>

/* True if y was converted from integers, also through broadcasts, reshapes and transposes. */
static bool from_integers(const ir_build *b, ir_id y)
{
    const ir_eqn *e = ir_def(b, y);
    while (e && (e->op == &prim_broadcast_in_dim || e->op == &prim_reshape || e->op == &prim_transpose))
        e = ir_def(b, e->in[0]);
    if (!e || e->op != &prim_convert) return false;
    const int cls = ir_dtype_of(ir_typeof(b, e->in[0])->dtype)->cls;
    return cls == IR_INT_CLASS || cls == IR_UINT_CLASS;
}

/* dx: y x^(y - 1), hence NaN at 0^0, as in JAX; but 0 where y = 0 was converted from an integer, since x^0 is then the
 * constant term of a polynomial. dy: z ln x, with ln 0 replaced by 0. */
static void pow_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const ir_type *t = ir_typeof(b, x[1]);
    const ir_id zero = op_zeros(b, t), one = op_ones(b, t);
    (void)e;
    if (dx[0]) {
        const ir_id steep = op_mul(b, x[1], op_pow(b, x[0], op_sub(b, x[1], one)));
        const bool whole = from_integers(b, x[1]);
        dy[0] = op_mul(b, dx[0], whole ? op_select(b, op_equal(b, x[1], zero), zero, steep) : steep);
    }
    if (dx[1]) {
        const ir_id safe = op_select(b, op_equal(b, x[0], zero), one, x[0]);
        dy[0] = op_plus(b, dy[0], op_mul(b, dx[1], op_mul(b, op_log(b, safe), y[0])));
    }
}

/* ln a = hi + lo for a > 0, f64. With s = f / (2 + f) = hi + lo: 2 s + s^3 R(s^2), summed from the small end. */
static op_reg log_two(op_prog *t, op_reg a, op_reg *lo)
{
    static const double r[] = { 2 / 23., 2 / 21., 2 / 19., 2 / 17., 2 / 15., 2 / 13., 2 / 11., 2 / 9., 2 / 7., 2 / 5.,
                                2 / 3. };
    op_reg k;
    const op_reg f = op_prog_frexp(t, a, &k), d = t_add(t, f, op_imm(t, 2)), s = t_div(t, f, d);
    const op_reg dlo = t_sub(t, f, t_sub(t, d, op_imm(t, 2)));                       /* rounding error of f + 2 */
    const op_reg slo = t_div(t, t_fma(t, t_neg(t, s), dlo, t_fma(t, t_neg(t, s), d, f)), d);
    const op_reg s2 = t_mul(t, s, s), tail = t_mul(t, t_mul(t, s2, s), op_poly(t, s2, 11, r));
    const op_reg two = t_add(t, s, s), rest = t_fma(t, op_imm(t, 2), slo, tail);
    const op_reg high = t_mul(t, k, op_imm(t, 0x1.62e42feep-1));                     /* exact: 32 bits of ln 2 */
    const op_reg sum = t_add(t, high, two), back = t_sub(t, sum, high);
    const op_reg lost = t_add(t, t_sub(t, high, t_sub(t, sum, back)), t_sub(t, two, back));
    const op_reg small = t_add(t, lost, t_fma(t, k, op_imm(t, 0x1.a39ef35793c76p-33), rest)), hi = t_add(t, sum, small);
    /* `rest` may reach 0.003: only this step makes lo less than an ulp of hi. */
    *lo = t_sub(t, small, t_sub(t, hi, sum));
    return hi;
}

/* a >= 0; infinities give the right NaNs and limits */
static op_reg pow_f64(op_prog *t, op_reg a, op_reg y)
{
    op_reg lo;
    const op_reg inf = op_imm(t, HUGE_VAL), zero = op_imm(t, 0), safe = t_sel(t, t_eq(t, a, zero), op_imm(t, 1), a);
    const op_reg hi = log_two(t, safe, &lo), p = t_mul(t, y, hi);
    const op_reg small = t_fma(t, y, lo, t_fma(t, y, hi, t_neg(t, p)));              /* y (hi + lo) = p + small */
    const op_reg ex = op_prog_exp(t, p), fine = t_fma(t, ex, small, ex);
    const op_reg finite = t_and(t, t_lt(t, ex, inf), t_lt(t, t_neg(t, inf), p));
    const op_reg plain = t_and(t, finite, t_and(t, t_lt(t, a, inf), t_ne(t, a, zero)));
    const op_reg far = t_sel(t, t_eq(t, a, zero), op_imm(t, -HUGE_VAL), t_sel(t, t_lt(t, a, inf), hi, a));
    const op_reg rough = op_prog_exp(t, t_mul(t, y, far));
    return t_sel(t, plain, fine, rough);
}

static op_reg pow_float(op_prog *t, op_reg x, op_reg y)
{
    const tt_dtype d = op_working(t);
    const op_reg one = op_imm(t, 1), zero = op_imm(t, 0), a = t_abs(t, x);
    op_reg z;
    if (d == TT_F32) {
        const op_reg wide = t_mul(t, op_to(t, y, TT_F64), op_prog_log(t, op_to(t, a, TT_F64)));
        z = op_to(t, op_prog_exp(t, wide), TT_F32);
    } else
        z = pow_f64(t, a, y);
    const op_reg half = t_mul(t, y, op_imm(t, 0.5)), whole = t_eq(t, t_floor(t, y), y);
    const op_reg odd = t_and(t, whole, t_ne(t, t_floor(t, half), half));
    const op_reg signed_z = t_sel(t, odd, op_prog_copysign(t, z, x), z);
    const op_reg wrong = t_and(t, t_and(t, t_lt(t, x, zero), t_not(t, whole)), t_lt(t, a, op_imm(t, HUGE_VAL)));
    z = t_sel(t, wrong, op_imm(t, NAN), signed_z);
    const op_reg endless = t_eq(t, t_abs(t, y), op_imm(t, HUGE_VAL));
    const op_reg is_one = t_or(t, t_or(t, t_eq(t, y, zero), t_eq(t, x, one)), t_and(t, endless, t_eq(t, a, one)));
    return t_sel(t, is_one, one, z);
}

static op_reg pow_integer(op_prog *t, op_reg x, op_reg y)
{
    const tt_dtype d = op_working(t);
    const op_reg one = op_imm(t, 1), zero = op_imm(t, 0);
    const int bits = 8 * (int)ir_dtype_of(d)->bytes;
    op_reg z = one, square = x, n = y;
    for (int i = 0; i < bits; i++) {
        z = t_sel(t, t_eq(t, t_and(t, n, one), zero), z, t_mul(t, z, square));
        square = t_mul(t, square, square);
        n = t_shr(t, n, one);
    }
    if (ir_dtype_of(d)->cls == IR_UINT_CLASS) return z;
    const op_reg minus = op_imm(t, -1), odd = t_ne(t, t_and(t, y, one), zero);
    const op_reg inverse = t_sel(t, t_eq(t, x, one), one, t_sel(t, t_eq(t, x, minus), t_sel(t, odd, minus, one), zero));
    return t_sel(t, t_lt(t, y, zero), inverse, z);
}

static op_reg pow_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    (void)e;
    return t_is_float(op_working(t)) ? pow_float(t, x[0], x[1]) : pow_integer(t, x[0], x[1]);
}

const op_prim prim_pow = {
    .name = "pow", .doc = "x to the y", .hlo = "stablehlo.power", .call = "x, y", .by_hand = true, .nin = 2,
    OP_MAP_CELLS,
    .types = "Z, Z -> Z", .rule = OP_BINARY, .linear = op_nonlinear, .jvp = pow_jvp, .transpose = op_transpose_none,
    .prog = pow_prog, .pair = op_pair_pow, .cost = 12,
    .cases = OP_CASES("pow f32[3,4], f32[3,4]", "pow bf16[5], bf16[5]", "pow c64[5], c64[5]", "pow f64[2,0], f64[2,0]",
                      "pow i32[5], i32[5]"),
};
