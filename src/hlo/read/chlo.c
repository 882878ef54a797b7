/* hlo/read/chlo.c - CHLO's functions that are not primitives, as compositions of primitives, so that they have
 * derivatives, batching and layouts. Each composition uses the accurate form per range: near 0 expm1 and log1p, far
 * away exp and log. */
#include "../inner.h"
#include "../../op/ops.h"

#include <math.h>

typedef ir_id value;
static value chlo_num(hlo_reader *r, value like, double v)
{
    const ir_type *const t = ir_typeof(r->b, like);
    return t ? op_broadcast(r->b, op_real(r->b, t->dtype, v), t, 0, NULL) : 0;
}
static value one(hlo_reader *r, value x) { return chlo_num(r, x, 1); }

/* complex: (re - im) (re + im), 2 re im, so that infinities do not cancel */
static value square(hlo_reader *r, value x)
{
    const op_parts z = op_parts_of(r->b, x);
    if (!z.im) return op_mul(r->b, x, x);
    const value re = op_mul(r->b, op_sub(r->b, z.re, z.im), op_add(r->b, z.re, z.im));
    const value even = op_equal(r->b, op_abs(r->b, z.re), op_abs(r->b, z.im));       /* 0, even if the sum overflows */
    const value none = op_select(r->b, op_and(r->b, even, op_is_finite(r->b, z.re)), chlo_num(r, z.re, 0), re);
    const value flat = op_less(r->b, op_abs(r->b, z.re), op_abs(r->b, z.im));        /* the smaller part is doubled */
    const value less = op_select(r->b, flat, z.re, z.im), more = op_select(r->b, flat, z.im, z.re);
    return op_parts_join(r->b, (op_parts){ none, op_mul(r->b, op_add(r->b, less, less), more) });
}

static value is_pos_inf(hlo_reader *r, value x) { return op_equal(r->b, x, chlo_num(r, x, HUGE_VAL)); }
static value is_neg_inf(hlo_reader *r, value x) { return op_equal(r->b, x, chlo_num(r, x, -HUGE_VAL)); }
static value is_inf(hlo_reader *r, value x) { return op_equal(r->b, op_abs(r->b, x), chlo_num(r, x, HUGE_VAL)); }

/* v, or -v where x is negative. An odd function is composed from its right half by this select, and keeps its
 * derivatives at 0. */
static value chlo_odd(hlo_reader *r, value x, value v)
{
    return op_select(r->b, op_less(r->b, x, chlo_num(r, x, 0)), op_neg(r->b, v), v);
}

/* With e = expm1 |x|: (e + e / (e + 1)) / 2; far away exp(|x| - log 2) */
static value sinh_(hlo_reader *r, value x)
{
    const value a = chlo_odd(r, x, x), e = op_expm1(r->b, a);
    const value near = op_mul(r->b, chlo_num(r, x, 0.5), op_add(r->b, e, op_div(r->b, e, op_add(r->b, e, one(r, x)))));
    const value h = op_exp(r->b, op_mul(r->b, a, chlo_num(r, x, 0.5))),
        far = op_mul(r->b, op_mul(r->b, chlo_num(r, x, 0.5), h), h);
    return chlo_odd(r, x, op_select(r->b, op_less(r->b, a, chlo_num(r, x, 30)), near, far));
}

/* exp |x| / 2 as the product of two roots: no early overflow */
static value cosh_(hlo_reader *r, value x)
{
    const value h = op_exp(r->b, op_mul(r->b, op_abs(r->b, x), chlo_num(r, x, 0.5))), half = chlo_num(r, x, 0.5);
    return op_add(r->b, op_mul(r->b, op_mul(r->b, half, h), h), op_div(r->b, op_div(r->b, half, h), h));
}

static value root(hlo_reader *r, value x)                /* sqrt((1 - x)(1 + x)) */
{
    return op_sqrt(r->b, op_mul(r->b, op_sub(r->b, one(r, x), x), op_add(r->b, one(r, x), x)));
}

static value asin_(hlo_reader *r, value x) { return op_atan2(r->b, x, root(r, x)); }
static value acos_(hlo_reader *r, value x) { return op_atan2(r->b, root(r, x), x); }
static value atan_(hlo_reader *r, value x) { return op_atan2(r->b, x, one(r, x)); }

/* sign log1p(a + a^2 / (1 + sqrt(1 + a^2))); far away log a + log 2 */
static value asinh_(hlo_reader *r, value x)
{
    const value big = chlo_num(r, x, 1e9), whole = chlo_odd(r, x, x), far = op_less(r->b, big, whole),
        a = op_select(r->b, far, one(r, x), whole);
    const value q = op_mul(r->b, a, a), d = op_add(r->b, one(r, x), op_sqrt(r->b, op_add(r->b, one(r, x), q)));
    const value near = op_log1p(r->b, op_add(r->b, a, op_div(r->b, q, d)));
    const value away = op_add(r->b, op_log(r->b, op_select(r->b, far, whole, one(r, x))),
                              chlo_num(r, x, 0.6931471805599453));
    return chlo_odd(r, x, op_select(r->b, far, away, near));
}

/* log1p(z + sqrt(z (z + 2))), z = x - 1; far away log x + log 2. Below 1 the value is the root of x - 1,
 * which is NaN and has a derivative that is NaN. */
static value acosh_(hlo_reader *r, value x)
{
    const value far = op_less(r->b, chlo_num(r, x, 1e9), x), z = op_sub(r->b,
        op_select(r->b, far, chlo_num(r, x, 2), x),
                                                                        one(r, x));
    const value near = op_log1p(r->b, op_add(r->b, z, op_sqrt(r->b,
        op_mul(r->b, z, op_add(r->b, z, chlo_num(r, x, 2))))));
    const value away = op_add(r->b, op_log(r->b, op_select(r->b, far, x, one(r, x))),
        chlo_num(r, x, 0.6931471805599453));
    const value y = op_select(r->b, far, away, near);
    const value below = op_less(r->b, x, one(r, x));
    return op_select(r->b, below, op_sqrt(r->b, op_select(r->b, below, op_sub(r->b, x, one(r, x)), one(r, x))), y);
}

static value atanh_(hlo_reader *r, value x)              /* (log1p x - log1p -x) / 2 */
{
    return op_mul(r->b, chlo_num(r, x, 0.5), op_sub(r->b, op_log1p(r->b, x), op_log1p(r->b, op_neg(r->b, x))));
}

static const struct { const char *name; value (*f)(hlo_reader *, value); } functions[] = {
    { "chlo.square", square }, { "chlo.is_inf", is_inf }, { "chlo.sinh", sinh_ },   { "chlo.cosh", cosh_ },
    { "chlo.asin", asin_ },    { "chlo.acos", acos_ },    { "chlo.atan", atan_ },   { "chlo.asinh", asinh_ },
    { "chlo.acosh", acosh_ },  { "chlo.atanh", atanh_ },  { "chlo.is_pos_inf", is_pos_inf },
    { "chlo.is_neg_inf", is_neg_inf },
};

static bool unary(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!hlo_is(o->name, functions[i].name)) continue;
        if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
        if (op_is_complex(ir_typeof(r->b, x[0])->dtype) && functions[i].f != square) return hlo_chlo_complex(r, o,
            x[0], y);
        if (!ir_is_float(ir_typeof(r->b, x[0])->dtype) && functions[i].f != square)
            return hlo_refuse(r, o, TT_ETYPE, "of %s; expected floats",
                              ir_dtype_of(ir_typeof(r->b, x[0])->dtype)->name);
        const tt_dtype d = ir_typeof(r->b, x[0])->dtype;
        const bool wide = ir_is_float(d) && functions[i].f != square;    /* computed in f64, rounded once */
        const value v = functions[i].f(r, wide ? op_convert(r->b, x[0], TT_F64) : x[0]);
        y[0] = v && wide && ir_typeof(r->b, v)->dtype == TT_F64 ? op_convert(r->b, v, d) : v;
    }
    return y[0] != 0;
}

/* The high half of the double-width product; of 64 bits by halves of 32, with carries in the middle sum. */
static bool mulhi(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    ir_build *const b = r->b;
    const ir_type *const t = o->in.n == 2 ? ir_typeof(b, x[0]) : NULL;
    const ir_class c = t ? ir_dtype_of(t->dtype)->cls : IR_FLOAT_CLASS;
    if (!t || ir_typeof(b, x[1]) != t || (c != IR_INT_CLASS && c != IR_UINT_CLASS))
        return hlo_refuse(r, o, TT_ETYPE, "expected two integers of one type");
    const int bits = ir_dtype_of(t->dtype)->bits;
    const tt_dtype wide = c == IR_INT_CLASS ? TT_I64 : TT_U64;
    if (bits < 64) {
        const value p = op_mul(b, op_convert(b, x[0], wide), op_convert(b, x[1], wide));
        y[0] = op_convert(b, op_shr(b, p, chlo_num(r, p, bits)), t->dtype);
        return y[0] != 0;
    }
    value lo[2], hi[2];                                  /* x = hi 2^32 + lo, hi with x's sign */
    for (int i = 0; i < 2; i++) {
        const value half = chlo_num(r, x[i], 32), mask = chlo_num(r, x[i], 0xffffffff);
        lo[i] = op_and(b, x[i], mask), hi[i] = c == IR_INT_CLASS ? op_sar(b, x[i], half) : op_shr(b, x[i], half);
    }
    const value half = chlo_num(r, x[0], 32), mask = chlo_num(r, x[0], 0xffffffff), low = op_mul(b, lo[0], lo[1]);
    const value first = op_add(b, op_mul(b, hi[0], lo[1]), op_shr(b, low, half));
    const value down = c == IR_INT_CLASS ? op_sar(b, first, half) : op_shr(b, first, half);
    const value middle = op_add(b, op_mul(b, lo[0], hi[1]), op_and(b, first, mask));
    const value top = c == IR_INT_CLASS ? op_sar(b, middle, half) : op_shr(b, middle, half);
    y[0] = op_add(b, op_add(b, op_mul(b, hi[0], hi[1]), down), top);
    return y[0] != 0;
}

static bool conj_of(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
    y[0] = op_conj(r->b, x[0]);
    return y[0] != 0;
}

static bool tan_of(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
    return hlo_emit(r, &prim_tan, NULL, 1, x, y);
}

static bool chlo_part(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y) /* accepts a real number too */
{
    const bool real = hlo_is(o->name, "stablehlo.real");
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
    if (!ir_is_float(ir_typeof(r->b, x[0])->dtype)) return hlo_emit(r, real ? &prim_real : &prim_imag, NULL, 1, x, y);
    y[0] = real ? x[0] : chlo_num(r, x[0], 0);
    return y[0] != 0;
}

const hlo_rule hlo_functions[] = {
    { "stablehlo.real", chlo_part }, { "stablehlo.imag", chlo_part },
    { "chlo.square", unary }, { "chlo.is_inf", unary }, { "chlo.sinh", unary },  { "chlo.cosh", unary },
    { "chlo.asin", unary },   { "chlo.acos", unary },   { "chlo.atan", unary },  { "chlo.asinh", unary },
    { "chlo.acosh", unary },  { "chlo.atanh", unary },  { "chlo.mulhi", mulhi },
    { "chlo.conj", conj_of }, { "chlo.tan", tan_of }, { "chlo.is_pos_inf", unary }, { "chlo.is_neg_inf", unary },
    { NULL, NULL },
};
