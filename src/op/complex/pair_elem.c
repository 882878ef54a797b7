/* op/complex/pair_elem.c - elementary functions of complex numbers, in terms of their real and imaginary parts.
 *
 * All are computed in f64, so that complex64 has neither early overflow nor relevant cancellation; complex128 is scaled
 * where squares would overflow. Branch cuts are those of C99's annex G: the cut of log and sqrt is the negative real
 * axis, on its upper side for an imaginary part +0 and on its lower side for -0. */
#include "../build.h"
#include "../ops.h"

#include <math.h>

/* ---- short names ---- */

static ir_id pair_elem_num(ir_build *b, ir_id like, double v) { return like ? op_splat(b, ir_typeof(b, like), v) : 0; }
static ir_id pair_elem_half(ir_build *b, ir_id x) { return op_mul(b, x, pair_elem_num(b, x, 0.5)); }
static ir_id pair_elem_is(ir_build *b, ir_id x, double v) { return op_equal(b, x, pair_elem_num(b, x, v)); }
static ir_id pair_elem_plus(ir_build *b, ir_id x, double v) { return op_add(b, x, pair_elem_num(b, x, v)); }
static ir_id square(ir_build *b, ir_id x) { return op_mul(b, x, x); }
static ir_id is_nan(ir_build *b, ir_id x) { return op_compare(b, OP_CMP_NE, x, x); }

/* Emits true where the sign bit of x is set, as in -0. */
static ir_id pair_elem_below(ir_build *b, ir_id x)
{
    const op_convert_attr bits = { TT_I64 };
    const ir_id u = x ? ir_emit(b, &prim_bitcast, &bits, 1, &x, 0, NULL) : 0;
    return u ? op_less(b, u, op_zeros(b, ir_typeof(b, u))) : 0;
}

static ir_id copysign_of(ir_build *b, ir_id size, ir_id sign)
{
    const ir_id a = op_abs(b, size);
    return op_select(b, pair_elem_below(b, sign), op_neg(b, a), a);
}

/* CELL1 and CELL2 wrap a function of pairs in f64 as a cell: the parts are widened before, and the results narrowed
 * after. */
typedef op_parts map1(ir_build *, op_parts), map2(ir_build *, op_parts, op_parts);

static op_parts pair_elem_wide(ir_build *b, op_parts z)
{
    return (op_parts){ op_convert(b, z.re, TT_F64), op_convert(b, z.im, TT_F64) };
}

static bool pair_elem_narrow(ir_build *b, const ir_eqn *e, op_parts z, op_parts *y)
{
    const tt_dtype part = op_real_dtype(IR_OUT(e, 0)->dtype);
    *y = (op_parts){ op_convert(b, z.re, part), z.im ? op_convert(b, z.im, part) : 0 };
    return true;
}

#define CELL1(name) bool op_pair_##name(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y) \
    { return pair_elem_narrow(b, e, pair_##name(b, pair_elem_wide(b, x[0])), y); }
#define CELL2(name) bool op_pair_##name(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y) \
    { return pair_elem_narrow(b, e, pair_##name(b, pair_elem_wide(b, x[0]), pair_elem_wide(b, x[1])), y); }

static op_parts pair_elem_choose(ir_build *b, ir_id p, op_parts x, op_parts y)
{
    return (op_parts){ op_select(b, p, x.re, y.re), op_select(b, p, x.im, y.im) };
}

static ir_id zero_at(ir_build *b, op_parts z) { return op_and(b, pair_elem_is(b, z.re, 0), pair_elem_is(b, z.im, 0)); }

/* ---- size and quotient ---- */

/* The larger and the smaller of |re|, |im|; ratio: smaller / larger, 0 where both are 0 or the larger is infinite. */
typedef struct { ir_id most, least, ratio; } sizes;

static sizes pair_elem_sizes_of(ir_build *b, op_parts z)
{
    const ir_id p = op_abs(b, z.re), q = op_abs(b, z.im), m = op_max(b, p, q), n = op_min(b, p, q);
    const ir_id odd = op_or(b, pair_elem_is(b, m, 0), pair_elem_is(b, m, HUGE_VAL)), one = pair_elem_num(b, m, 1);
    return (sizes){ m, n, op_select(b, odd, pair_elem_num(b, m, 0), op_div(b, n, op_select(b, odd, one, m))) };
}

/* |z|; infinite if a part is infinite, even if the other is NaN */
static ir_id size_of(ir_build *b, op_parts z)
{
    const sizes s = pair_elem_sizes_of(b, z);
    const ir_id inf = op_or(b, pair_elem_is(b, op_abs(b, z.re), HUGE_VAL), pair_elem_is(b, op_abs(b, z.im), HUGE_VAL));
    const ir_id h = op_mul(b, s.most, op_sqrt(b, pair_elem_plus(b, square(b, s.ratio), 1)));
    return op_select(b, inf, pair_elem_num(b, h, HUGE_VAL), h);
}

static op_parts pair_abs(ir_build *b, op_parts z) { return (op_parts){ size_of(b, z), 0 }; }

/* An infinite part as +-1, others as +-0. */
static ir_id infinite_part(ir_build *b, ir_id x)
{
    return copysign_of(b, op_select(b, pair_elem_is(b, op_abs(b, x), HUGE_VAL), pair_elem_num(b, x, 1),
        pair_elem_num(b, x, 0)), x);
}

static ir_id any_infinite(ir_build *b, op_parts z)
{
    return op_or(b, pair_elem_is(b, op_abs(b, z.re), HUGE_VAL), pair_elem_is(b, op_abs(b, z.im), HUGE_VAL));
}

/* x conj(y), before it is divided by |y|^2 */
static op_parts by_conjugate(ir_build *b, op_parts x, op_parts y)
{
    return (op_parts){ op_add(b, op_mul(b, x.re, y.re), op_mul(b, x.im, y.im)),
                      op_sub(b, op_mul(b, x.im, y.re), op_mul(b, x.re, y.im)) };
}

static op_parts pair_elem_scaled(ir_build *b, op_parts z, ir_id by) { return (op_parts){ op_mul(b, z.re, by),
    op_mul(b, z.im,
    by) }; }

/* x / y, with y scaled to absolute value 1; zero and infinite operands as in annex G. */
static op_parts pair_div(ir_build *b, op_parts x, op_parts y)
{
    const sizes s = pair_elem_sizes_of(b, y);
    const ir_id odd = op_or(b, pair_elem_is(b, s.most, 0), pair_elem_is(b, s.most, HUGE_VAL)),
        one = pair_elem_num(b, s.most, 1);
    const ir_id m = op_select(b, odd, one, s.most);
    const op_parts u = { op_div(b, y.re, m), op_div(b, y.im, m) }, v = by_conjugate(b, x, u);
    const ir_id under = op_add(b, op_mul(b, y.re, u.re), op_mul(b, y.im, u.im));
    op_parts z = { op_div(b, v.re, under), op_div(b, v.im, under) };
    const ir_id inf = pair_elem_num(b, m, HUGE_VAL), x_inf = any_infinite(b, x), y_inf = any_infinite(b, y);
    const ir_id y_none = pair_elem_is(b, s.most, 0), edge = copysign_of(b, inf, y.re);
    const ir_id x_fine = op_and(b, op_is_finite(b, x.re), op_is_finite(b, x.im));
    const ir_id y_fine = op_and(b, op_is_finite(b, y.re), op_is_finite(b, y.im));
    const op_parts xi = { infinite_part(b, x.re), infinite_part(b, x.im) };
    const op_parts yi = { infinite_part(b, y.re), infinite_part(b, y.im) };
    z = pair_elem_choose(b, op_and(b, y_inf, x_fine), pair_elem_scaled(b, by_conjugate(b, x, yi),
        pair_elem_num(b, m, 0)), z);
    z = pair_elem_choose(b, op_and(b, op_and(b, x_inf, y_fine), op_not(b, y_none)),
        pair_elem_scaled(b, by_conjugate(b, xi, y), inf), z);
    return pair_elem_choose(b, y_none, pair_elem_scaled(b, x, edge), z);
}

static op_parts pair_sign(ir_build *b, op_parts z)
{
    const ir_id h = size_of(b, z), none = zero_at(b, z), safe = op_select(b, none, pair_elem_num(b, h, 1), h);
    return pair_elem_choose(b, none, z, (op_parts){ op_div(b, z.re, safe), op_div(b, z.im, safe) });
}

/* ---- exponentials and logarithms ---- */

static op_parts pair_exp(ir_build *b, op_parts z)        /* e^(re / 2) applied twice: no early overflow */
{
    const ir_id r = op_exp(b, pair_elem_half(b, z.re));
    const ir_id im = op_mul(b, op_mul(b, r, op_sin(b, z.im)), r);
    return (op_parts){ op_mul(b, op_mul(b, r, op_cos(b, z.im)), r), op_select(b, pair_elem_is(b, z.im, 0), z.im, im) };
}

static op_parts pair_expm1(ir_build *b, op_parts z)        /* (e^re - 1) cos im - 2 sin^2(im / 2), e^re sin im */
{
    const ir_id r = op_expm1(b, z.re), s = op_sin(b, pair_elem_half(b, z.im)),
        turn = op_mul(b, pair_elem_num(b, s, 2), square(b, s));
    const ir_id im = op_mul(b, pair_elem_plus(b, r, 1), op_sin(b, z.im));
    return (op_parts){ op_sub(b, op_mul(b, r, op_cos(b, z.im)), turn),
        op_select(b, pair_elem_is(b, z.im, 0), z.im, im) };
}

/* ln |z|: near 1 by log1p((m - 1)(m + 1) + n^2) / 2, else ln m + log1p((n / m)^2) / 2. */
static ir_id log_size(ir_build *b, op_parts z)
{
    const sizes s = pair_elem_sizes_of(b, z);
    const ir_id close = op_and(b, op_less(b, pair_elem_num(b, s.most, 0.5), s.most),
        op_less(b, s.most, pair_elem_num(b, s.most, 2)));
    const ir_id m = op_select(b, close, s.most, pair_elem_num(b, s.most, 1)),
        n = op_select(b, close, s.least, pair_elem_num(b, s.most, 0));
    const ir_id off = op_add(b, op_mul(b, pair_elem_plus(b, m, -1), pair_elem_plus(b, m, 1)), square(b, n));
    const ir_id far = op_add(b, op_log(b, s.most), pair_elem_half(b, op_log1p(b, square(b, s.ratio))));
    const ir_id h = op_select(b, close, pair_elem_half(b, op_log1p(b, off)), far);
    return op_select(b, any_infinite(b, z), pair_elem_num(b, h, HUGE_VAL), h);
}

static op_parts pair_log(ir_build *b, op_parts z) { return (op_parts){ log_size(b, z), op_atan2(b, z.im, z.re) }; }

static op_parts pair_log1p(ir_build *b, op_parts z)        /* small z: log1p(re (2 + re) + im^2) / 2 */
{
    const op_parts up = { pair_elem_plus(b, z.re, 1), z.im };
    const ir_id most = op_max(b, op_abs(b, z.re), op_abs(b, z.im)),
        small = op_less(b, most, pair_elem_num(b, most, 0.5));
    const ir_id zero = pair_elem_num(b, most, 0), a = op_select(b, small, z.re, zero),
        c = op_select(b, small, z.im, zero);
    const ir_id near = pair_elem_half(b, op_log1p(b, op_add(b, op_mul(b, a, pair_elem_plus(b, a, 2)), square(b, c))));
    return (op_parts){ op_select(b, small, near, log_size(b, up)), op_atan2(b, z.im, up.re) };
}

static op_parts pair_logistic(ir_build *b, op_parts z)
{
    const op_parts r = pair_exp(b, (op_parts){ op_neg(b, z.re), op_neg(b, z.im) });
    return pair_div(b, (op_parts){ pair_elem_num(b, z.re, 1), pair_elem_num(b, z.re, 0) },
        (op_parts){ pair_elem_plus(b, r.re, 1), r.im });
}

/* ---- powers and roots ---- */

/* With t = sqrt((|z| + |re|) / 2), the root is (t, im / 2t) right of the imaginary axis, (|im| / 2t, +-t) left of
 * it. */
static op_parts pair_sqrt(ir_build *b, op_parts z)
{
    /* Near both ends of the range |z| / 2 would overflow or lose bits: computes the root of 2^-4 z or 2^108 z, times 4
     * or 2^-54. */
    const ir_id most = op_max(b, op_abs(b, z.re), op_abs(b, z.im)), one = pair_elem_num(b, most, 1);
    const ir_id great = op_less(b, pair_elem_num(b, most, 0x1p1000), most),
        small = op_less(b, most, pair_elem_num(b, most, 0x1p-900));
    const ir_id by = op_select(b, great, pair_elem_num(b, most, 0x1p-4),
        op_select(b, small, pair_elem_num(b, most, 0x1p108), one));
    const ir_id back = op_select(b, great, pair_elem_num(b, most, 4),
        op_select(b, small, pair_elem_num(b, most, 0x1p-54), one));
    z = pair_elem_scaled(b, z, by);
    const ir_id t = op_sqrt(b, op_add(b, pair_elem_half(b, size_of(b, z)), pair_elem_half(b, op_abs(b, z.re))));
    const ir_id none = pair_elem_is(b, t, 0), under = op_select(b, none, pair_elem_num(b, t, 1), op_add(b, t, t));
    const ir_id v = op_div(b, z.im, under), left = op_less(b, z.re, pair_elem_num(b, t, 0));
    const ir_id inf = pair_elem_is(b, op_abs(b, z.im), HUGE_VAL);
    const op_parts right = { t, v }, r = pair_elem_scaled(b, pair_elem_choose(b, left,
        (op_parts){ op_abs(b, v), copysign_of(b, t, z.im) },
                                                                              right), back);
    return pair_elem_choose(b, inf, (op_parts){ op_abs(b, z.im), z.im }, r);
}

/* a real root: imaginary part 0 with the opposite sign */
static op_parts pair_rsqrt(ir_build *b, op_parts z)
{
    const op_parts root = pair_sqrt(b, z), y = pair_div(b, (op_parts){ pair_elem_num(b, z.re, 1),
        pair_elem_num(b, z.re, 0) }, root);
    return (op_parts){ y.re, op_select(b, pair_elem_is(b, y.im, 0), op_neg(b, copysign_of(b, y.im, root.im)), y.im) };
}

/* e^(w ln z); 0^0 = 1; 0 to a power with positive real part is 0. */
static op_parts pair_pow(ir_build *b, op_parts z, op_parts w)
{
    const ir_id none = zero_at(b, z), one = pair_elem_num(b, z.re, 1), zero = pair_elem_num(b, z.re, 0);
    const op_parts safe = { op_select(b, none, one, z.re), z.im };
    const op_parts far = pair_exp(b, op_pair_times(b, w, pair_log(b, safe)));
    const ir_id flat = zero_at(b, w), falls = op_less(b, zero, w.re), nan = pair_elem_num(b, zero, NAN);
    const op_parts at_zero = { op_select(b, flat, one, op_select(b, falls, zero, nan)),
                              op_select(b, op_or(b, flat, falls), zero, nan) };
    return pair_elem_choose(b, none, at_zero, far);
}

static op_parts pair_cbrt(ir_build *b, op_parts z)
{
    const ir_id r = op_cbrt(b, size_of(b, z)), turn = op_div(b, op_atan2(b, z.im, z.re), pair_elem_num(b, r, 3));
    return (op_parts){ op_mul(b, r, op_cos(b, turn)), op_mul(b, r, op_sin(b, turn)) };
}

/* ---- circular and hyperbolic functions ---- */

static ir_id sinh_of(ir_build *b, ir_id x)               /* (e^x - 1 - (e^-x - 1)) / 2 */
{
    return pair_elem_half(b, op_sub(b, op_expm1(b, x), op_expm1(b, op_neg(b, x))));
}

static ir_id cosh_of(ir_build *b, ir_id x)
{
    return pair_elem_plus(b, pair_elem_half(b, op_add(b, op_expm1(b, x), op_expm1(b, op_neg(b, x)))), 1);
}

static op_parts pair_sin(ir_build *b, op_parts z)
{
    const ir_id re = op_mul(b, op_sin(b, z.re), cosh_of(b, z.im)), im = op_mul(b, op_cos(b, z.re), sinh_of(b, z.im));
    return (op_parts){ op_select(b, pair_elem_is(b, z.re, 0), z.re, re), im };
}

static op_parts pair_cos(ir_build *b, op_parts z)
{
    const ir_id re = op_mul(b, op_cos(b, z.re), cosh_of(b, z.im));
    const ir_id im = op_neg(b, op_mul(b, op_sin(b, z.re), sinh_of(b, z.im)));
    const ir_id none = op_neg(b, op_mul(b, z.re, copysign_of(b, pair_elem_num(b, im, 1), z.im)));
    return (op_parts){ re, op_select(b, pair_elem_is(b, z.re, 0), none, im) };
}

/* (sinh a cosh a, sin b cos b) / (sinh^2 a + cos^2 b); beyond |a| = 20, where that would overflow: (+-1, 4 sin b cos b
 * e^-2|a|), with imaginary part 0 for infinite a and any b; NaN if b is infinite or NaN. Real if b is 0, imaginary if a
 * is. */
static op_parts pair_tanh(ir_build *b, op_parts z)
{
    const ir_id a = op_abs(b, z.re), far = op_less(b, pair_elem_num(b, a, 20), a),
        near = op_select(b, far, pair_elem_num(b, a, 0), z.re);
    const ir_id sh = sinh_of(b, near), ch = cosh_of(b, near), s = op_sin(b, z.im), c = op_cos(b, z.im);
    const ir_id under = op_add(b, square(b, sh), square(b, c)), sc = op_mul(b, s, c);
    const ir_id fade = op_exp(b, op_mul(b, pair_elem_num(b, a, -2), a)),
        tail = op_mul(b, op_mul(b, pair_elem_num(b, a, 4), sc), fade);
    const ir_id endless = pair_elem_is(b, a, HUGE_VAL), none = pair_elem_num(b, a, 0),
        size = op_select(b, is_nan(b, sc), sc, pair_elem_num(b, a, 1));
    const op_parts out = { copysign_of(b, op_select(b, endless, pair_elem_num(b, a, 1), size), z.re),
                           op_select(b, endless, copysign_of(b, none, op_select(b, is_nan(b, sc), z.im, sc)), tail) };
    const op_parts in = { op_select(b, pair_elem_is(b, z.re, 0), z.re, op_div(b, op_mul(b, sh, ch), under)),
                          op_select(b, pair_elem_is(b, z.im, 0), z.im, op_div(b, sc, under)) };
    return pair_elem_choose(b, far, out, in);
}

static op_parts pair_tan(ir_build *b, op_parts z)          /* -i tanh(i z) */
{
    const op_parts t = pair_tanh(b, (op_parts){ op_neg(b, z.im), z.re });
    return (op_parts){ t.im, op_neg(b, t.re) };
}

/* -i ln((x + i y) / sqrt(x^2 + y^2)) */
static op_parts pair_atan2(ir_build *b, op_parts y, op_parts x)
{
    const op_parts xx = op_pair_times(b, x, x), yy = op_pair_times(b, y, y);
    const op_parts root = pair_sqrt(b, (op_parts){ op_add(b, xx.re, yy.re), op_add(b, xx.im, yy.im) });
    const op_parts u = { op_sub(b, x.re, y.im), op_add(b, x.im, y.re) }, l = pair_log(b, pair_div(b, u, root));
    return (op_parts){ l.im, op_neg(b, l.re) };
}

CELL1(abs) CELL1(sign) CELL1(exp) CELL1(expm1) CELL1(log) CELL1(log1p) CELL1(logistic) CELL1(sqrt) CELL1(rsqrt)
CELL1(cbrt) CELL1(sin) CELL1(cos) CELL1(tan) CELL1(tanh) CELL2(div) CELL2(pow) CELL2(atan2)
