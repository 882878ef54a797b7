/* hlo/read/chlo_complex.c - CHLO's inverse and hyperbolic functions of complex numbers, computed in complex128 and
 * rounded once.
 *
 * T. Hull, T. Fairgrieve, P. Tang, "Implementing the complex arcsine and arccosine functions using exception handling"
 * (1997): from the distances r, s to -1 and 1, with all differences rewritten as sums, and with separate forms where
 * squares would over- or underflow. atanh by log1p of a quotient and atan2. Zeros keep their sign, which selects the
 * side of a branch cut. */
#include "../inner.h"
#include "../../op/ops.h"

#include <math.h>

typedef ir_id value;
static value chlo_complex_num(ir_build *b, value like, double v) { return like ? op_splat(b, ir_typeof(b, like), v) : 0;
}
static value chlo_complex_join(ir_build *b, value re, value im) { return op_parts_join(b, (op_parts){ re, im }); }
static op_parts of(ir_build *b, value z) { return op_parts_of(b, z); }
static value times_i(ir_build *b, value z) { return chlo_complex_join(b, op_neg(b, of(b, z).im), of(b, z).re); }
static value over_i(ir_build *b, value z) { return chlo_complex_join(b, of(b, z).im, op_neg(b, of(b, z).re)); }
static value chlo_complex_plus(ir_build *b, value x, double v) { return op_add(b, x, chlo_complex_num(b, x, v)); }
static value chlo_complex_half(ir_build *b, value x) { return op_mul(b, x, chlo_complex_num(b, x, 0.5)); }
static value chlo_complex_below(ir_build *b, value x, double v) { return op_less(b, x, chlo_complex_num(b, x, v)); }
static value chlo_complex_above(ir_build *b, value x, double v) { return op_less(b, chlo_complex_num(b, x, v), x); }
static value chlo_complex_is(ir_build *b, value x, double v) { return op_equal(b, x, chlo_complex_num(b, x, v)); }

static value with_sign(ir_build *b, value size, value sign)      /* size >= 0; the sign of -0 counts too */
{
    const value u = ir_emit(b, &prim_bitcast, &(op_convert_attr){ TT_I64 }, 1, &sign, 0, NULL);
    return op_select(b, op_less(b, u, chlo_complex_num(b, u, 0)), op_neg(b, size), size);
}

static value distance(ir_build *b, value x, value y)     /* sqrt(x^2 + y^2) */
{
    return op_abs(b, op_parts_join(b, (op_parts){ x, y }));
}

/* Squares of numbers in [FEW, MANY] are normal numbers. */
#define MANY 0x1p508
#define FEW 0x1p-508

/* For x, y >= 0: asin(x + i y) = atan2(x, adjacent) + i height, acos(+-x + i y) = atan2(adjacent, +-x) - i height. */
typedef struct { value adjacent, height; } arc;

/* r, s: the distances to -1, 1; a: their mean. adjacent^2 = (a + x) (a - x), height = log(a + sqrt(a^2 - 1)). */
static arc arc_of(ir_build *b, value x, value y)
{
    const value one = chlo_complex_num(b, x, 1), right = chlo_complex_plus(b, x, 1), left = chlo_complex_plus(b, x, -1),
        yy = op_mul(b, y, y);
    const value r = distance(b, right, y), s = distance(b, left, y), a = chlo_complex_half(b, op_add(b, r, s));
    const value sum = chlo_complex_half(b, op_add(b, a, x)), r_right = op_add(b, r, right), inner = op_less(b, x, one);
    /* s -+ (x - 1): one of both is a sum, free of cancellation */
    const value to_one = op_sub(b, s, left), from_one = op_add(b, s, left);
    const value near = op_sqrt(b, op_mul(b, sum, op_add(b, op_div(b, yy, r_right), to_one)));
    const value far = op_mul(b, y, op_sqrt(b, op_add(b, op_div(b, sum, r_right), op_div(b, sum, from_one))));
    const value most = op_max(b, x, y), least = op_min(b, x, y), huge = chlo_complex_above(b, most, MANY);
    const value level = op_or(b, inner, chlo_complex_is(b, x, 1)); /* the first form also at x = 1 */
    const value adjacent = op_select(b, huge, y, op_select(b, level, near, far));
    /* a - 1 */
    const value in = chlo_complex_half(b, op_add(b, op_div(b, yy, r_right), op_div(b, yy, to_one)));
    const value out = chlo_complex_half(b, op_add(b, op_div(b, yy, r_right), from_one));
    const value over = op_select(b, chlo_complex_above(b, a, 1.5), chlo_complex_plus(b, a, -1),
        op_select(b, inner, in, out));
    const value root = op_sqrt(b, op_mul(b, over, chlo_complex_plus(b, a, 1))),
        usual = op_log1p(b, op_add(b, over, root));
    /* where y^2 underflows: y / sqrt(1 - x^2); sqrt(y) at x = 1 */
    const value wide = op_mul(b, op_sub(b, one, x), right);
    const value flat = op_select(b, inner, op_div(b, y, op_sqrt(b, wide)), op_sqrt(b, y));
    const value ratio = op_select(b, chlo_complex_is(b, least, HUGE_VAL), one, op_div(b, least, most));
    const value away = op_add(b, chlo_complex_plus(b, op_log(b, most), M_LN2),
        chlo_complex_half(b, op_log1p(b, op_mul(b, ratio, ratio))));
    const value height = op_select(b, op_and(b, level, chlo_complex_below(b, y, FEW)), flat, usual);
    return (arc){ adjacent, op_select(b, huge, away, height) };
}

static value asin_(ir_build *b, value z)
{
    const op_parts p = of(b, z);
    const value x = op_abs(b, p.re);
    const arc c = arc_of(b, x, op_abs(b, p.im));
    return chlo_complex_join(b, with_sign(b, op_atan2(b, x, c.adjacent), p.re), with_sign(b, c.height, p.im));
}

static value acos_(ir_build *b, value z)
{
    const op_parts p = of(b, z);
    const arc c = arc_of(b, op_abs(b, p.re), op_abs(b, p.im));
    return chlo_complex_join(b, op_atan2(b, c.adjacent, p.re), op_neg(b, with_sign(b, c.height, p.im)));
}

/* +- i acos z, with the sign that makes the real part not negative */
static value acosh_(ir_build *b, value z)
{
    const op_parts p = of(b, z);
    const arc c = arc_of(b, op_abs(b, p.re), op_abs(b, p.im));
    return chlo_complex_join(b, c.height, with_sign(b, op_atan2(b, c.adjacent, p.re), p.im));
}

/* (log1p(4 |x| / ((1 - |x|)^2 + y^2)) / 4 with x's sign, atan2(2 y, (1 - x) (1 + x) - y^2) / 2) */
static value atanh_(ir_build *b, value z)
{
    const op_parts p = of(b, z);
    const value x = op_abs(b, p.re), y = op_abs(b, p.im), gap = op_sub(b, chlo_complex_num(b, x, 1), x),
        most = op_max(b, x, y);
    const value under = op_add(b, op_mul(b, gap, gap), op_mul(b, y, y)), huge = chlo_complex_above(b, most, MANY);
    const value usual = op_log1p(b, op_div(b, op_mul(b, chlo_complex_num(b, x, 4), x), under));
    /* near 1: log(2 / |1 - z|) */
    const value close = op_max(b, op_abs(b, gap), y);
    const value adjacent = op_mul(b, chlo_complex_num(b, x, 2),
        op_sub(b, chlo_complex_num(b, x, M_LN2), op_log(b, distance(b, gap, y))));
    /* far away: x / |z|^2 by one division after the other; infinity counts as 1, a finite part then as 0 */
    const value endless = chlo_complex_is(b, most, HUGE_VAL),
        safe = op_select(b, endless, chlo_complex_num(b, x, 1), most);
    const value u = op_div(b, x, safe), v = op_div(b, y, safe), size = op_add(b, op_mul(b, u, u), op_mul(b, v, v));
    const value tail = op_select(b, endless, chlo_complex_num(b, x, 0), op_div(b, op_div(b, u, size), safe));
    value re = op_mul(b, chlo_complex_num(b, x, 0.25),
                      op_select(b, chlo_complex_below(b, close, FEW), adjacent, usual));
    re = op_select(b, huge, tail, re);
    const value down = op_sub(b, op_mul(b, gap, chlo_complex_plus(b, x, 1)), op_mul(b, y, y));
    const value turn = chlo_complex_half(b, op_atan2(b, op_add(b, y, y), down));
    const value im = op_select(b, huge, chlo_complex_num(b, x, M_PI_2), turn);
    return chlo_complex_join(b, with_sign(b, re, p.re), with_sign(b, im, p.im));
}

static value asinh_(ir_build *b, value z) { return over_i(b, asin_(b, times_i(b, z))); }
static value atan_(ir_build *b, value z) { return over_i(b, atanh_(b, times_i(b, z))); }
static value sinh_(ir_build *b, value z) { return over_i(b, op_sin(b, times_i(b, z))); }
static value cosh_(ir_build *b, value z) { return op_cos(b, times_i(b, z)); }

/* ---- derivatives: dz divided by a product, and not what the forms above would give: where a form is not selected, its
 * derivative may be infinite, and 0 times that is NaN ---- */

/* keep the sign of -0 */
static value one_less(ir_build *b, value z)
{
    const op_parts p = of(b, z);
    return chlo_complex_join(b, op_sub(b, chlo_complex_num(b, p.re, 1), p.re), op_neg(b, p.im));
}
static value less_one(ir_build *b, value z)
{
    return chlo_complex_join(b, chlo_complex_plus(b, of(b, z).re, -1), of(b, z).im);
}
static value one_more(ir_build *b, value z)
{
    return chlo_complex_join(b, chlo_complex_plus(b, of(b, z).re, 1), of(b, z).im);
}
static value under_asin(ir_build *b, value z)
{
    return op_mul(b, op_sqrt(b, one_less(b, z)), op_sqrt(b, one_more(b, z)));
}
static value under_acos(ir_build *b, value z) { return op_neg(b, under_asin(b, z)); }
static value under_asinh(ir_build *b, value z) { return under_asin(b, times_i(b, z)); }
static value under_acosh(ir_build *b, value z)
{
    return op_mul(b, op_sqrt(b, less_one(b, z)), op_sqrt(b, one_more(b, z)));
}
static value under_atanh(ir_build *b, value z) { return op_mul(b, one_less(b, z), one_more(b, z)); }
static value under_atan(ir_build *b, value z) { return under_atanh(b, times_i(b, z)); }

typedef struct { const char *name; value (*f)(ir_build *, value), (*under)(ir_build *, value); } chlo_function;

/* f with the derivative dz / under. */
static value ruled(ir_build *b, const chlo_function *of, value z)
{
    const ir_type *const t = ir_typeof(b, z);
    ir_build *const f = ir_region(b, base_intern(of->name)), *const r = ir_region(b, base_intern("rule"));
    const value own = ir_arg(f, t), x = ir_arg(r, t);
    ir_arg(r, t);                                        /* the result */
    const value dx = ir_arg(r, t);
    const value y = op_convert(f, of->f(f, op_convert(f, own, TT_C128)), t->dtype);
    const value dy = op_div(r, dx, op_convert(r, of->under(r, op_convert(r, x, TT_C128)), t->dtype));
    ir_fn *sub[2] = { y ? ir_end(f, 1, &y) : NULL, dy ? ir_end(r, 1, &dy) : NULL };
    return sub[0] && sub[1] ? ir_emit(b, &prim_custom_jvp, NULL, 1, &z, 2, sub) : 0;
}

bool hlo_chlo_complex(hlo_reader *r, const hlo_op *o, value x, ir_id *y)
{
    static const chlo_function functions[] = {
        { "chlo.asin", asin_, under_asin },    { "chlo.acos", acos_, under_acos },
        { "chlo.atan", atan_, under_atan },    { "chlo.asinh", asinh_, under_asinh },
        { "chlo.acosh", acosh_, under_acosh }, { "chlo.atanh", atanh_, under_atanh },
        { "chlo.sinh", sinh_, NULL },          { "chlo.cosh", cosh_, NULL },
    };
    const tt_dtype d = ir_typeof(r->b, x)->dtype;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (hlo_is(o->name, functions[i].name)) {
            y[0] = functions[i].under ? ruled(r->b, &functions[i], x)
                : op_convert(r->b, functions[i].f(r->b, op_convert(r->b, x, TT_C128)), d);
            return y[0] != 0;
        }
    return hlo_refuse(r, o, TT_ETYPE, "of complex numbers; expected floats");
}
