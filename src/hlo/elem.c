/* hlo/elem.c - elementwise operations whose attributes or types need reading. The plain ones are rows of their name. */
#include "inner.h"

#include <string.h>

static bool constant(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attr *const a = hlo_find(&o->attr, "value");
    const ir_type *const t = hlo_result(o, 0);
    hlo_elements e;
    (void)x;
    if (!a || !t) return hlo_refuse(r, o, TT_EARG, "its value is missing");
    if (a->type.type != t) return hlo_refuse(r, o, TT_ETYPE, "the literal's type is not the result's");
    if (!hlo_literal(r->p, a, t, &e)) return false;
    const op_const_attr c = { t->dtype, { t->rank, t->dim }, e.splat, e.data };
    return hlo_emit(r, &row_const, &c, 0, NULL, y);
}

static bool compare(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
    const hlo_span w = hlo_choice(&o->attr, "comparison_direction"), kind = hlo_choice(&o->attr, "compare_type");
    op_compare_attr a = { -1, false };
    for (int i = 0; i < 6; i++) if (hlo_is(w, words[i])) a.direction = i;
    if (a.direction < 0 || o->in.n != 2) return hlo_refuse(r, o, TT_EARG, "two operands and one of EQ NE LT LE GT GE");
    a.total = hlo_is(kind, "TOTALORDER") && ir_is_float(ir_typeof(r->b, x[0])->dtype);
    return hlo_emit(r, &row_compare, &a, 2, x, y);
}

static bool convert(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (o->in.n != 1 || !hlo_result(o, 0)) return hlo_refuse(r, o, TT_EARG, "one operand and its result's type");
    y[0] = op_convert(r->b, x[0], hlo_result(o, 0)->dtype);
    return y[0] != 0;
}

/* ---- bitcast_convert: between widths a minor dim comes or goes, least significant part first ---- */

static tt_dtype unsigned_of(int bits)                    /* of one bit: a bool, which is x != 0 */
{
    static const tt_dtype of[] = { TT_BOOL, TT_U2, TT_U4, TT_U8, TT_U16, TT_U32, TT_U64 };
    return of[__builtin_ctz((unsigned)bits)];
}

static ir_id bits(hlo_reader *r, ir_id x, tt_dtype to)
{
    if (!x || ir_typeof(r->b, x)->dtype == to) return x;
    return ir_emit(r->b, &row_bitcast, &(op_convert_attr){ to }, 1, &x, 0, NULL);
}

static ir_id like(hlo_reader *r, ir_id x, int64_t v)     /* the integer v in x's type */
{
    const ir_type *const t = ir_typeof(r->b, x);
    return t ? op_broadcast(r->b, op_int(r->b, t->dtype, v), t, 0, NULL) : 0;
}

/* Wide to narrow: part i is x >> (i * width), the counter running along the new dim. */
static ir_id split(hlo_reader *r, ir_id x, const ir_type *to)
{
    const int narrow = ir_dtype_of(to->dtype)->bits;
    const tt_dtype exact = unsigned_of(ir_dtype_of(ir_typeof(r->b, x)->dtype)->bits), wide = ir_widened(exact);
    int64_t dims[IR_RANK];
    for (int d = 0; d + 1 < to->rank; d++) dims[d] = d;
    const ir_type *const t = ir_type_of(wide, to->rank, to->dim);
    const ir_id whole = op_broadcast(r->b, op_convert(r->b, bits(r, x, exact), wide), t, to->rank - 1, dims),
        part = op_iota(r->b, t, to->rank - 1);
    const ir_id shift = op_mul(r->b, part, like(r, part, narrow)), down = op_shr(r->b, whole, shift);
    const ir_id low = op_and(r->b, down, like(r, down, ((int64_t)1 << narrow) - 1));
    return bits(r, op_convert(r->b, low, unsigned_of(narrow)), to->dtype);
}

/* Narrow to wide: the parts, shifted to their places, summed along the last dim. */
static ir_id join(hlo_reader *r, ir_id x, const ir_type *to)
{
    const int narrow = ir_dtype_of(ir_typeof(r->b, x)->dtype)->bits;
    const tt_dtype exact = unsigned_of(ir_dtype_of(to->dtype)->bits), wide = ir_widened(exact);
    const ir_id parts = op_convert(r->b, bits(r, x, unsigned_of(narrow)), wide);
    const ir_type *const t = ir_typeof(r->b, parts);
    if (!t) return 0;
    const ir_id part = op_iota(r->b, t, t->rank - 1), shift = op_mul(r->b, part, like(r, part, narrow));
    const ir_id sum = op_fold(r->b, &row_or, op_shl(r->b, parts, shift), 1, (const int64_t[]){ t->rank - 1 });
    return bits(r, op_convert(r->b, sum, exact), to->dtype);
}

/* A complex number of f64 as two of f32: each part's low half, then its high one. */
static ir_id complex_halves(hlo_reader *r, ir_id x, const ir_type *to)
{
    ir_build *const b = r->b;
    const ir_type *const t = ir_typeof(b, x);
    int64_t dim[IR_RANK];
    ir_id half[2][2], pair[2];
    for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d];
    dim[t->rank] = 1;
    for (int i = 0; i < 2; i++) {
        const ir_id u = bits(r, ir_emit(b, i ? &row_imag : &row_real, NULL, 1, &x, 0, NULL), TT_U64);
        for (int k = 0; k < 2; k++) {
            const ir_id part = k ? op_shr(b, u, like(r, u, 32)) : u;
            half[i][k] = bits(r, op_convert(b, part, TT_U32), TT_F32);
        }
        pair[i] = op_reshape(b, op_parts_join(b, (op_parts){ half[i][0], half[i][1] }), t->rank + 1, dim);
    }
    return op_concatenate(b, 2, pair, to->rank - 1);
}

static bool bitcast(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const ir_type *const to = hlo_result(o, 0), *const from = o->in.n == 1 ? ir_typeof(r->b, x[0]) : NULL;
    if (!to || !from) return hlo_refuse(r, o, TT_EARG, "one operand and its result's type");
    const int n = ir_dtype_of(from->dtype)->bits, m = ir_dtype_of(to->dtype)->bits;
    if (from == to) return y[0] = x[0], true;
    const bool halves = from->dtype == TT_C128 && to->dtype == TT_C64;
    if ((op_is_complex(from->dtype) || op_is_complex(to->dtype)) && !halves)
        return hlo_refuse(r, o, TT_ETYPE, "complex numbers keep their type");
    if (n != m && ((n % m && m % n) || n == 6 || m == 6))
        return hlo_refuse(r, o, TT_ETYPE, "elements of %d bits as elements of %d", n, m);
    if (n > m && (to->rank != from->rank + 1 || to->dim[from->rank] != (int64_t)(n / m)))
        return hlo_refuse(r, o, TT_ESHAPE, "the result needs a last dim of %d", n / m);
    if (n < m && (to->rank + 1 != from->rank || from->dim[to->rank] != (int64_t)(m / n)))
        return hlo_refuse(r, o, TT_ESHAPE, "the operand needs a last dim of %d", m / n);
    y[0] = halves ? complex_halves(r, x[0], to) : n == m ? bits(r, x[0], to->dtype) : n > m ? split(r, x[0], to) : join(r, x[0], to);
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
    return hlo_emit(r, &row_reduce_precision, &(op_precision_attr){ e, m }, o->in.n, x, y);
}

static bool token(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)      /* order is kept without them */
{
    (void)o, (void)x;
    return (y[0] = op_int(r->b, TT_I32, 0)) != 0;
}

const hlo_rule hlo_elementwise[] = {
    { "stablehlo.constant", constant },
    { "chlo.constant", constant },
    { "stablehlo.compare", compare },
    { "stablehlo.convert", convert },
    { "stablehlo.bitcast_convert", bitcast },
    { "stablehlo.reduce_precision", reduce_precision },
    { "stablehlo.after_all", token },
    { "stablehlo.create_token", token },
    { NULL, NULL },
};
