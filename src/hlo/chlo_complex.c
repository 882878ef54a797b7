/* hlo/chlo_complex.c - CHLO's inverse and hyperbolic functions of complex numbers, in complex128 and rounded once.
 *
 * W. Kahan's forms ("Branch cuts for complex elementary functions", 1987), by square roots that are taken apart before they
 * are multiplied, so that nothing cancels beside the cuts. */
#include "inner.h"

#include <math.h>

typedef ir_id value;
static value num(ir_build *b, value like, double v) { return like ? op_splat(b, ir_typeof(b, like), v) : 0; }
static value join(ir_build *b, value re, value im) { return op_parts_join(b, (op_parts){ re, im }); }
static op_parts of(ir_build *b, value z) { return op_parts_of(b, z); }
static value times_i(ir_build *b, value z) { return join(b, op_neg(b, of(b, z).im), of(b, z).re); }
static value over_i(ir_build *b, value z) { return join(b, of(b, z).im, op_neg(b, of(b, z).re)); }

/* Of a real number: ln(x + sqrt(x^2 + 1)), odd, by log1p; far away ln |x| + ln 2. */
static value real_asinh(ir_build *b, value x)
{
    const value one = num(b, x, 1), whole = op_abs(b, x), far = op_less(b, num(b, x, 1e9), whole);
    const value a = op_select(b, far, one, whole), q = op_mul(b, a, a);
    const value near = op_log1p(b, op_add(b, a, op_div(b, q, op_add(b, one, op_sqrt(b, op_add(b, one, q))))));
    const value away = op_add(b, op_log(b, op_select(b, far, whole, one)), num(b, x, M_LN2));
    const value y = op_select(b, far, away, near);
    return op_select(b, op_less(b, x, num(b, x, 0)), op_neg(b, y), y);
}

typedef struct { op_parts minus, plus; } roots;          /* of 1 - z, 1 + z */

static roots roots_of(ir_build *b, value z)
{
    const value one = num(b, z, 1);
    return (roots){ of(b, op_sqrt(b, op_sub(b, one, z))), of(b, op_sqrt(b, op_add(b, one, z))) };
}

/* im(conj(p) q), re(conj(p) q), re(p q) */
static value cross(ir_build *b, op_parts p, op_parts q)
{
    return op_sub(b, op_mul(b, p.re, q.im), op_mul(b, p.im, q.re));
}
static value along(ir_build *b, op_parts p, op_parts q)
{
    return op_add(b, op_mul(b, p.re, q.re), op_mul(b, p.im, q.im));
}
static value straight(ir_build *b, op_parts p, op_parts q)
{
    return op_sub(b, op_mul(b, p.re, q.re), op_mul(b, p.im, q.im));
}

static value asin_(ir_build *b, value z)
{
    const roots r = roots_of(b, z);
    return join(b, op_atan2(b, of(b, z).re, straight(b, r.minus, r.plus)), real_asinh(b, cross(b, r.minus, r.plus)));
}

static value acos_(ir_build *b, value z)
{
    const roots r = roots_of(b, z);
    const value turn = op_atan2(b, r.minus.re, r.plus.re);
    return join(b, op_add(b, turn, turn), real_asinh(b, cross(b, r.plus, r.minus)));
}

static value acosh_(ir_build *b, value z)
{
    const value one = num(b, z, 1);
    const op_parts m = of(b, op_sqrt(b, op_sub(b, z, one))), p = of(b, op_sqrt(b, op_add(b, z, one)));
    const value turn = op_atan2(b, m.im, p.re);
    return join(b, real_asinh(b, along(b, m, p)), op_add(b, turn, turn));
}

static value atanh_(ir_build *b, value z)
{
    return op_mul(b, num(b, z, 0.5), op_sub(b, op_log1p(b, z), op_log1p(b, op_neg(b, z))));
}

static value asinh_(ir_build *b, value z) { return over_i(b, asin_(b, times_i(b, z))); }
static value atan_(ir_build *b, value z) { return over_i(b, atanh_(b, times_i(b, z))); }
static value sinh_(ir_build *b, value z) { return over_i(b, op_sin(b, times_i(b, z))); }
static value cosh_(ir_build *b, value z) { return op_cos(b, times_i(b, z)); }

bool hlo_chlo_complex(hlo_reader *r, const hlo_op *o, value x, ir_id *y)
{
    static const struct { const char *name; value (*f)(ir_build *, value); } functions[] = {
        { "chlo.asin", asin_ },   { "chlo.acos", acos_ },   { "chlo.atan", atan_ }, { "chlo.asinh", asinh_ },
        { "chlo.acosh", acosh_ }, { "chlo.atanh", atanh_ }, { "chlo.sinh", sinh_ }, { "chlo.cosh", cosh_ },
    };
    const tt_dtype d = ir_typeof(r->b, x)->dtype;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (hlo_is(o->name, functions[i].name)) {
            y[0] = op_convert(r->b, functions[i].f(r->b, op_convert(r->b, x, TT_C128)), d);
            return y[0] != 0;
        }
    return hlo_refuse(r, o, TT_ETYPE, "of real floats only");
}
