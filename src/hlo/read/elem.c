/* hlo/read/elem.c - reads the elementwise operations that have attributes, or types that need a conversion. All others
 * become the primitives of their names. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

static bool elem_constant(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attr *const a = hlo_find(&o->attr, "value");
    const ir_type *const t = hlo_result(o, 0);
    hlo_elements e;
    (void)x;
    if (!a || !t) return hlo_refuse(r, o, TT_EARG, "the value is missing");
    if (a->type.type != t)
        return hlo_refuse(r, o, TT_ETYPE, "the literal and the result have different types; expected one type");
    if (!hlo_literal(r->p, a, t, &e)) return false;
    const op_const_attr c = { t->dtype, { t->rank, t->dim }, e.splat, e.data };
    return hlo_emit(r, &prim_const, &c, 0, NULL, y);
}

static bool compare(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
    const hlo_span w = hlo_choice(&o->attr, "comparison_direction"), kind = hlo_choice(&o->attr, "compare_type");
    op_compare_attr a = { -1, false };
    for (int i = 0; i < 6; i++) if (hlo_is(w, words[i])) a.comparison_direction = i;
    if (a.comparison_direction < 0 || o->in.n != 2)
        return hlo_refuse(r, o, TT_EARG, "expected two operands, not %d, and a comparison_direction: EQ NE LT LE GT GE",
                          o->in.n);
    a.total = hlo_is(kind, "TOTALORDER") && ir_is_float(ir_typeof(r->b, x[0])->dtype);
    return hlo_emit(r, &prim_compare, &a, 2, x, y);
}

static bool convert(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != 1 || !hlo_result(o, 0))
        return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d, and the result's type", o->in.n);
    y[0] = op_convert(r->b, x[0], hlo_result(o, 0)->dtype);
    return y[0] != 0;
}

static bool bitcast(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const ir_type *const to = hlo_result(o, 0), *const from = o->in.n == 1 ? ir_typeof(r->b, x[0]) : NULL;
    if (!to || !from) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d, and the result's type", o->in.n);
    const int n = ir_dtype_of(from->dtype)->bits, m = ir_dtype_of(to->dtype)->bits;
    if (from == to) return y[0] = x[0], true;
    if (n != m && ((n % m && m % n) || n == 6 || m == 6))
        return hlo_refuse(r, o, TT_ETYPE, "elements of %d bits as elements of %d", n, m);
    if (n == m && (to->rank != from->rank || memcmp(to->dim, from->dim, (size_t)to->rank * sizeof *to->dim)))
        return hlo_refuse(r, o, TT_ESHAPE, "the result has another shape than the operand");
    if (n > m && (to->rank != from->rank + 1 || to->dim[from->rank] != (int64_t)(n / m)))
        return hlo_refuse(r, o, TT_ESHAPE, "the result needs a last dim of %d", n / m);
    if (n < m && (to->rank + 1 != from->rank || from->dim[to->rank] != (int64_t)(m / n)))
        return hlo_refuse(r, o, TT_ESHAPE, "the operand needs a last dim of %d", m / n);
    y[0] = op_bits_as(r->b, x[0], to);
    return y[0] != 0;
}

static bool reduce_precision(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    int64_t e = hlo_int(r, o, &o->attr, "exponent_bits", 0), m = hlo_int(r, o, &o->attr, "mantissa_bits", 0);
    const hlo_span w = hlo_choice(&o->attr, "format");   /* e5m4 */
    for (size_t i = 0; i < w.n; i++) {
        int64_t *const at = w.at[i] == 'e' ? &e : &m;
        for (; i + 1 < w.n && w.at[i + 1] >= '0' && w.at[i + 1] <= '9' && *at < 1000; i++)
            *at = 10 * *at + w.at[i + 1] - '0';
    }
    return hlo_emit(r, &prim_reduce_precision, &(op_precision_attr){ e, m }, o->in.n, x, y);
}

/* tokens are dropped: order is kept without them */
static bool token(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    (void)o, (void)x;
    return (y[0] = op_int(r->b, TT_I32, 0)) != 0;
}

const hlo_rule hlo_elementwise[] = {
    { "stablehlo.constant", elem_constant },
    { "chlo.constant", elem_constant },
    { "stablehlo.compare", compare },
    { "stablehlo.convert", convert },
    { "stablehlo.bitcast_convert", bitcast },
    { "stablehlo.reduce_precision", reduce_precision },
    { "stablehlo.after_all", token },
    { "stablehlo.create_token", token },
    { NULL, NULL },
};
