/* op/prog/poly.c - functions that several primitives share, as scalar programs: exp, expm1, tanh, log, log1p.
 *
 * f32: the algorithms of XLA's CPU backend (jax 0.10.2), with the same roundings: results equal JAX's bit for bit, as
 * random normals need. f64: polynomials accurate to a few ulp. Every operation is in the dtype of x. */
#include "prog.h"

#include <math.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static op_reg poly_num(op_prog *t, op_reg like, double v) { return op_number(t, op_dtype(t, like), v); }

op_reg op_prog_copysign(op_prog *t, op_reg size, op_reg sign)
{
    const tt_dtype d = op_dtype(t, size), as = d == TT_F64 ? TT_U64 : TT_U32;
    const op_reg top = op_integer(t, as, d == TT_F64 ? INT64_MIN : INT32_MIN), rest = op_do(t, OP_NOT, top, 0, 0);
    return op_bits(t, t_or(t, t_and(t, op_bits(t, size, as), rest), t_and(t, op_bits(t, sign, as), top)), d);
}

op_reg op_prog_rounded(op_prog *t, const ir_eqn *e, op_reg x)
{
    return op_to(t, op_to(t, x, IR_OUT(e, 0)->dtype), op_dtype(t, x));
}

/* 2^n, n an integer in the range of normal exponents. */
static op_reg power2(op_prog *t, op_reg n)
{
    const tt_dtype d = op_dtype(t, n), as = d == TT_F64 ? TT_I64 : TT_I32;
    const op_reg biased = t_add(t, op_to(t, n, as), op_integer(t, as, d == TT_F64 ? 1023 : 127));
    return op_bits(t, t_shl(t, biased, op_integer(t, as, d == TT_F64 ? 52 : 23)), d);
}

static op_reg scale(op_prog *t, op_reg y, op_reg n)
{
    const op_reg half = t_floor(t, t_mul(t, n, poly_num(t, n, 0.5)));
    return t_mul(t, t_mul(t, y, power2(t, half)), power2(t, t_sub(t, n, half)));
}

/* ---- exp ---- */

static op_reg exp_f32(op_prog *t, op_reg x)
{
    static const double p[] = { 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                                5.0000001201e-1 };
    const op_reg c = t_min(t, t_max(t, x, poly_num(t, x, -87.8)), poly_num(t, x, 88.8));
    op_reg n = t_floor(t, t_fma(t, c, poly_num(t, x, 1.44269504088896341), poly_num(t, x, 0.5)));
    n = t_min(t, t_max(t, n, poly_num(t, x, -127)), poly_num(t, x, 127));
    op_reg r = t_fma(t, n, poly_num(t, x, -0.693359375), c);
    r = t_fma(t, n, poly_num(t, x, 2.12194440e-4), r);
    const op_reg y = t_fma(t, op_poly(t, r, COUNT(p), p), t_mul(t, r, r), r);
    return t_mul(t, t_add(t, y, poly_num(t, x, 1)), power2(t, n));
}

/* x = n ln 2 + r, |r| <= 0.35. */
static op_reg exp_reduce(op_prog *t, op_reg x, op_reg *n)
{
    *n = t_rint(t, t_mul(t, x, poly_num(t, x, 1.4426950408889634)));
    const op_reg r = t_fma(t, *n, poly_num(t, x, -0x1.62e42fefa39efp-1), x);
    return t_fma(t, *n, poly_num(t, x, -0x1.abc9e3b39803fp-56), r);
}

/* e^r - 1 for |r| <= 0.35: Taylor's series to r^14. */
static op_reg exp_series(op_prog *t, op_reg r)
{
    static const double p[] = { 1 / 87178291200., 1 / 6227020800., 1 / 479001600., 1 / 39916800., 1 / 3628800.,
                                1 / 362880., 1 / 40320., 1 / 5040., 1 / 720., 1 / 120., 1 / 24., 1 / 6., 0.5 };
    return t_fma(t, op_poly(t, r, COUNT(p), p), t_mul(t, r, r), r);
}

static op_reg exp_f64(op_prog *t, op_reg x)
{
    op_reg n;
    const op_reg c = t_min(t, t_max(t, x, poly_num(t, x, -746)), poly_num(t, x, 710));
    const op_reg r = exp_reduce(t, c, &n);
    return scale(t, t_add(t, exp_series(t, r), poly_num(t, x, 1)), n);
}

op_reg op_prog_exp(op_prog *t, op_reg x) { return op_dtype(t, x) == TT_F64 ? exp_f64(t, x) : exp_f32(t, x); }

/* ---- expm1 ---- */

static op_reg expm1_f32(op_prog *t, op_reg x)            /* tanh(x/2) (e^x + 1) where e^x - 1 would cancel */
{
    const op_reg one = poly_num(t, x, 1), ex = op_prog_exp(t, x);
    const op_reg near = t_mul(t, op_prog_tanh(t, t_mul(t, x, poly_num(t, x, 0.5))), t_add(t, ex, one));
    return t_sel(t, t_lt(t, poly_num(t, x, 0.5), t_abs(t, x)), t_sub(t, ex, one), near);
}

static op_reg expm1_f64(op_prog *t, op_reg x)            /* (e^r - 1 + 1 - 2^-n) 2^n */
{
    op_reg n;
    const op_reg one = poly_num(t, x, 1), c = t_min(t, t_max(t, x, poly_num(t, x, -50)), poly_num(t, x, 710));
    const op_reg r = exp_reduce(t, c, &n);
    const op_reg down = t_max(t, t_neg(t, n), poly_num(t, x, -1000));
    const op_reg y = scale(t, t_add(t, exp_series(t, r), t_sub(t, one, power2(t, down))), n);
    return t_sel(t, t_eq(t, x, poly_num(t, x, 0)), x, y);
}

op_reg op_prog_expm1(op_prog *t, op_reg x) { return op_dtype(t, x) == TT_F64 ? expm1_f64(t, x) : expm1_f32(t, x); }

/* ---- tanh ---- */

static op_reg tanh_f32(op_prog *t, op_reg x)             /* x P(x^2) / Q(x^2); x itself below 0.0004; 1 from 8 on */
{
    static const double p[] = { -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11,
                                5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04,
                                4.89352455891786e-03 };
    static const double q[] = { 1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03,
                                4.89352518554385e-03 };
    const op_reg most = poly_num(t, x, 7.99881172180175781), c = t_max(t, t_min(t, x, most), t_neg(t, most));
    const op_reg c2 = t_mul(t, c, c);
    const op_reg r = t_div(t, t_mul(t, c, op_poly(t, c2, COUNT(p), p)), op_poly(t, c2, COUNT(q), q));
    return t_sel(t, t_lt(t, t_abs(t, x), poly_num(t, x, 0.0004)), x, r);
}

static op_reg tanh_f64(op_prog *t, op_reg x)             /* m = e^(-2|x|) - 1: -m / (m + 2) */
{
    const op_reg a = t_min(t, t_abs(t, x), poly_num(t, x, 22));
    const op_reg m = expm1_f64(t, t_mul(t, a, poly_num(t, x, -2)));
    return op_prog_copysign(t, t_div(t, t_neg(t, m), t_add(t, m, poly_num(t, x, 2))), x);
}

op_reg op_prog_tanh(op_prog *t, op_reg x) { return op_dtype(t, x) == TT_F64 ? tanh_f64(t, x) : tanh_f32(t, x); }

/* ---- log ---- */

/* Positive x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), denormals too; f64. */
op_reg op_prog_frexp(op_prog *t, op_reg x, op_reg *k)
{
    const op_reg tiny = t_lt(t, x, poly_num(t, x, 0x1p-1022)), one = poly_num(t, x, 1);
    const op_reg i = op_bits(t, t_sel(t, tiny, t_mul(t, x, poly_num(t, x, 0x1p54)), x), TT_I64);
    const op_reg bias = t_sel(t, tiny, op_integer(t, TT_I64, 1077), op_integer(t, TT_I64, 1023));
    const op_reg frac = t_or(t, t_and(t, i, op_integer(t, TT_I64, 0xfffffffffffff)),
                             op_integer(t, TT_I64, 0x3ff0000000000000));
    const op_reg m = op_bits(t, frac, TT_F64), large = t_lt(t, poly_num(t, x, 1.4142135623730951), m);
    *k = op_to(t, t_sub(t, t_shr(t, i, op_integer(t, TT_I64, 52)), bias), TT_F64);
    *k = t_add(t, *k, t_sel(t, large, one, poly_num(t, x, 0)));
    return t_sub(t, t_sel(t, large, t_mul(t, m, poly_num(t, x, 0.5)), m), one);
}

static op_reg log_f32(op_prog *t, op_reg x)
{
    const op_reg tiny = t_lt(t, x, poly_num(t, x, 0x1p-126));
    const op_reg i = op_bits(t, t_sel(t, tiny, t_mul(t, x, poly_num(t, x, 0x1p23)), x), TT_I32);
    const op_reg bias = t_sel(t, tiny, op_integer(t, TT_I32, 149), op_integer(t, TT_I32, 126));
    op_reg e = op_to(t, t_sub(t, t_shr(t, i, op_integer(t, TT_I32, 23)), bias), TT_F32);
    const op_reg frac = t_or(t, t_and(t, i, op_integer(t, TT_I32, 0x007fffff)), op_integer(t, TT_I32, 0x3f000000));
    const op_reg m0 = op_bits(t, frac, TT_F32), small = t_lt(t, m0, poly_num(t, x, 0.707106781186547524));
    const op_reg zero = poly_num(t, x, 0), one = poly_num(t, x, 1);
    e = t_sub(t, e, t_sel(t, small, one, zero));
    const op_reg m = t_add(t, t_sub(t, m0, one), t_sel(t, small, m0, zero));
    const op_reg m2 = t_mul(t, m, m), m3 = t_mul(t, m2, m);
    static const double qa[] = { 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1 };
    static const double qb[] = { -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1 };
    static const double qc[] = { 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1 };
    op_reg y = t_fma(t, op_poly(t, m, 3, qa), m3, op_poly(t, m, 3, qb));
    y = t_fma(t, y, m3, op_poly(t, m, 3, qc));
    y = t_fma(t, y, m3, t_mul(t, e, poly_num(t, x, -2.12194440e-4)));
    op_reg z = t_add(t, t_fma(t, m2, poly_num(t, x, -0.5), m), y);
    z = t_fma(t, e, poly_num(t, x, 0.693359375), z);
    z = t_sel(t, t_lt(t, x, poly_num(t, x, HUGE_VAL)), z, x);                  /* inf and NaN are returned unchanged */
    z = t_sel(t, t_lt(t, x, zero), poly_num(t, x, NAN), z);
    return t_sel(t, t_eq(t, x, zero), poly_num(t, x, -HUGE_VAL), z);
}

/* x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); s = f / (2 + f); log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))). */
static op_reg log_f64(op_prog *t, op_reg x)
{
    static const double lg[] = { 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                                 2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                                 6.666666666666735130e-01 };
    op_reg k, zero = poly_num(t, x, 0);
    const op_reg f = op_prog_frexp(t, x, &k), s = t_div(t, f, t_add(t, f, poly_num(t, x, 2))), z = t_mul(t, s, s);
    const op_reg half = t_mul(t, t_mul(t, f, f), poly_num(t, x, 0.5));
    const op_reg r = t_mul(t, op_poly(t, z, COUNT(lg), lg), z);
    const op_reg low = t_fma(t, s, t_add(t, half, r), t_mul(t, k, poly_num(t, x, 1.90821492927058770002e-10)));
    op_reg y = t_fma(t, k, poly_num(t, x, 6.93147180369123816490e-01), t_sub(t, f, t_sub(t, half, low)));
    y = t_sel(t, t_lt(t, x, poly_num(t, x, HUGE_VAL)), y, x);
    y = t_sel(t, t_lt(t, x, zero), poly_num(t, x, NAN), y);
    return t_sel(t, t_eq(t, x, zero), poly_num(t, x, -HUGE_VAL), y);
}

op_reg op_prog_log(op_prog *t, op_reg x) { return op_dtype(t, x) == TT_F64 ? log_f64(t, x) : log_f32(t, x); }

/* ---- log1p ---- */

op_reg op_prog_log1p_xla(op_prog *t, op_reg x)
{
    static const double n[] = { 4.5270000862445199635215e-5, 4.9854102823193375972212e-1, 6.5787325942061044846969,
                                29.911919328553073277375, 60.949667980987787057556, 57.112963590585538103336,
                                20.039553499201281259648 };
    static const double d[] = { 1, 15.062909083469192043167, 83.047565967967209469434, 221.76239823732856465394,
                                309.09872225312059774938, 216.42788614495947685003, 60.118660497603843919306 };
    const op_reg x2 = t_mul(t, x, x), r = t_div(t, op_poly(t, x, COUNT(n), n), op_poly(t, x, COUNT(d), d));
    const op_reg near = t_add(t, x, t_fma(t, poly_num(t, x, -0.5), x2, t_mul(t, t_mul(t, x, x2), r)));
    const op_reg far = op_prog_log(t, t_add(t, x, poly_num(t, x, 1)));
    return t_sel(t, t_lt(t, t_abs(t, x), poly_num(t, x, 0.41421356237309504880)), near, far);
}

static op_reg log1p_f64(op_prog *t, op_reg x)            /* u = 1 + x: log u + (x - (u - 1)) / u */
{
    const op_reg one = poly_num(t, x, 1), u = t_add(t, x, one), lost = t_sub(t, x, t_sub(t, u, one));
    const op_reg y = t_add(t, op_prog_log(t, u), t_div(t, lost, u)), inf = poly_num(t, x, HUGE_VAL);
    const op_reg plain = t_and(t, t_lt(t, poly_num(t, x, -1), x), t_lt(t, x, inf));
    return t_sel(t, t_eq(t, x, poly_num(t, x, 0)), x, t_sel(t, plain, y, op_prog_log(t, u)));
}

op_reg op_prog_log1p(op_prog *t, op_reg x)
{
    return op_dtype(t, x) == TT_F64 ? log1p_f64(t, x) : op_prog_log1p_xla(t, x);
}
