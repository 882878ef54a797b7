/* hlo/chlo.c - CHLO's functions that are no rows of their own, as compositions of rows, so that they have derivatives,
 * batching and layouts. Each is written where it is accurate: near 0 by expm1 and log1p, far away by exp and log. */
#include "inner.h"

#include <math.h>

typedef ir_id value;
static value num(hlo_reader *r, value like, double v)
{
    const ir_type *const t = ir_typeof(r->b, like);
    return t ? op_broadcast(r->b, op_real(r->b, t->dtype, v), t, 0, NULL) : 0;
}
static value one(hlo_reader *r, value x) { return num(r, x, 1); }

static value square(hlo_reader *r, value x) { return op_mul(r->b, x, x); }

static value is_inf(hlo_reader *r, value x) { return op_equal(r->b, op_abs(r->b, x), num(r, x, HUGE_VAL)); }

/* e = expm1 |x|: (e + e / (e + 1)) / 2; far away exp(|x| - log 2) */
static value sinh_(hlo_reader *r, value x)
{
    const value a = op_abs(r->b, x), e = op_expm1(r->b, a);
    const value near = op_mul(r->b, num(r, x, 0.5), op_add(r->b, e, op_div(r->b, e, op_add(r->b, e, one(r, x)))));
    const value h = op_exp(r->b, op_mul(r->b, a, num(r, x, 0.5))),
        far = op_mul(r->b, op_mul(r->b, num(r, x, 0.5), h), h);
    return op_mul(r->b, op_sign(r->b, x), op_select(r->b, op_less(r->b, a, num(r, x, 30)), near, far));
}

/* h = exp |x| / 2 as the product of two roots: no early overflow */
static value cosh_(hlo_reader *r, value x)
{
    const value h = op_exp(r->b, op_mul(r->b, op_abs(r->b, x), num(r, x, 0.5))), half = num(r, x, 0.5);
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
    const value big = num(r, x, 1e9), whole = op_abs(r->b, x), far = op_less(r->b, big, whole),
        a = op_select(r->b, far, one(r, x), whole);
    const value q = op_mul(r->b, a, a), d = op_add(r->b, one(r, x), op_sqrt(r->b, op_add(r->b, one(r, x), q)));
    const value near = op_log1p(r->b, op_add(r->b, a, op_div(r->b, q, d)));
    const value away = op_add(r->b, op_log(r->b, op_select(r->b, far, whole, one(r, x))),
                              num(r, x, 0.6931471805599453));
    return op_mul(r->b, op_sign(r->b, x), op_select(r->b, far, away, near));
}

/* log1p(z + sqrt(z (z + 2))), z = x - 1; far away log x + log 2 */
static value acosh_(hlo_reader *r, value x)
{
    const value far = op_less(r->b, num(r, x, 1e9), x), z = op_sub(r->b, op_select(r->b, far, num(r, x, 2), x),
                                                                   one(r, x));
    const value near = op_log1p(r->b, op_add(r->b, z, op_sqrt(r->b, op_mul(r->b, z, op_add(r->b, z, num(r, x, 2))))));
    const value away = op_add(r->b, op_log(r->b, op_select(r->b, far, x, one(r, x))), num(r, x, 0.6931471805599453));
    return op_select(r->b, far, away, near);
}

static value atanh_(hlo_reader *r, value x)              /* (log1p x - log1p -x) / 2 */
{
    return op_mul(r->b, num(r, x, 0.5), op_sub(r->b, op_log1p(r->b, x), op_log1p(r->b, op_neg(r->b, x))));
}

static const struct { const char *name; value (*f)(hlo_reader *, value); } functions[] = {
    { "chlo.square", square }, { "chlo.is_inf", is_inf }, { "chlo.sinh", sinh_ },   { "chlo.cosh", cosh_ },
    { "chlo.asin", asin_ },    { "chlo.acos", acos_ },    { "chlo.atan", atan_ },   { "chlo.asinh", asinh_ },
    { "chlo.acosh", acosh_ },  { "chlo.atanh", atanh_ },
};

static bool unary(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!hlo_is(o->name, functions[i].name)) continue;
        if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "one operand");
        if (!ir_is_float(ir_typeof(r->b, x[0])->dtype) && functions[i].f != square)
            return hlo_refuse(r, o, TT_ETYPE, "of floats only");
        y[0] = functions[i].f(r, x[0]);
    }
    return y[0] != 0;
}

/* The next number from x towards z: one step of the bits, up or down; from zero the least number of z's sign. */
static bool next_after(hlo_reader *r, const hlo_op *o, const ir_id *in, ir_id *y)
{
    ir_build *const b = r->b;
    if (o->in.n != 2) return hlo_refuse(r, o, TT_EARG, "two operands");
    const value x = in[0], z = in[1];
    const ir_type *const t = ir_typeof(b, x);
    if (!ir_is_float(t->dtype) || ir_typeof(b, z) != t) return hlo_refuse(r, o, TT_ETYPE, "two floats of one type");
    const size_t bytes = ir_dtype_of(t->dtype)->bytes;
    const tt_dtype d = bytes == 8 ? TT_I64 : bytes == 4 ? TT_I32 : TT_I16;
    const op_convert_attr to = { d }, back = { t->dtype };
    const value xi = ir_emit(b, &row_bitcast, &to, 1, &x, 0, NULL), zi = ir_emit(b, &row_bitcast, &to, 1, &z, 0, NULL);
    const ir_type *const ti = ir_typeof(b, xi);
    if (!ti || !zi) return false;
    const value up = op_broadcast(b, op_int(b, d, 1), ti, 0, NULL),
        none = op_broadcast(b, op_int(b, d, 0), ti, 0, NULL);
    const value least = op_broadcast(b, op_int(b, d, (int64_t)(UINT64_MAX << (8 * bytes - 1))), ti, 0, NULL);
    const value most = op_not(b, least), xa = op_and(b, xi, most), za = op_and(b, zi, most);
    const value signs = op_compare(b, OP_CMP_NE, op_and(b, xi, least), op_and(b, zi, least));
    const value inwards = op_or(b, op_compare(b, OP_CMP_GT, xa, za), signs);
    const value step = op_add(b, xi, op_select(b, inwards, op_neg(b, up), up));
    const value from_zero = op_or(b, op_and(b, zi, least), up);
    value bits = op_select(b, op_compare(b, OP_CMP_EQ, xa, none), from_zero, step);
    bits = op_select(b, op_equal(b, x, z), zi, bits);
    const value moved = ir_emit(b, &row_bitcast, &back, 1, &bits, 0, NULL);
    const value nan = op_or(b, op_compare(b, OP_CMP_NE, x, x), op_compare(b, OP_CMP_NE, z, z));
    y[0] = op_select(b, nan, op_add(b, x, z), moved);
    return y[0] != 0;
}

const hlo_rule hlo_functions[] = {
    { "chlo.square", unary }, { "chlo.is_inf", unary }, { "chlo.sinh", unary },  { "chlo.cosh", unary },
    { "chlo.asin", unary },   { "chlo.acos", unary },   { "chlo.atan", unary },  { "chlo.asinh", unary },
    { "chlo.acosh", unary },  { "chlo.atanh", unary },  { "chlo.next_after", next_after },
    { NULL, NULL },
};
