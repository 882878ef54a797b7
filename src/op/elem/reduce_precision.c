/* op/elem/reduce_precision.c - x rounded to a format of e exponent and m mantissa bits, in x's dtype.
 *
 * The result is computed on the bits: half of the last kept place is added, less one bit unless that place is odd, and
 * the lower bits are cleared. A result above the format's largest exponent becomes infinite, one below its least normal
 * number becomes zero. NaN is kept, but becomes infinite in a format without mantissa bits. The derivative rounds the
 * tangent in the same way, as in JAX. f16 and bf16 are computed in f32. */
#include "../prog/prog.h"

static bool precision_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_precision_attr *a = IR_ATTR(e, op_precision_attr);
    if (!ir_is_float(x[0]->dtype)) return op_expected(e, TT_ETYPE, "the operand", OP_ONLY, x[0], "floats", NULL);
    if (a->exponent_bits < 1 || a->mantissa_bits < 0 || a->exponent_bits > 63 || a->mantissa_bits > 63)
        return base_fail(TT_EARG, e->site,
                         "reduce_precision: %lld exponent bits and %lld mantissa bits; expected 1 to 63 and 0 to 63",
                             (long long)a->exponent_bits, (long long)a->mantissa_bits);
    *y = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

static void precision_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)x, (void)y;
    if (dx[0]) dy[0] = ir_clone(b, e, dx);
}

static void precision_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = ir_clone(b, e, ct);
}


static op_reg precision_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const op_precision_attr *a = IR_ATTR(e, op_precision_attr);
    const bool wide = op_dtype(t, x[0]) == TT_F64;
    const tt_dtype f = wide ? TT_F64 : TT_F32, u = wide ? TT_U64 : TT_U32;
    const int mantissa = wide ? 52 : 23, exponent = wide ? 11 : 8;
    const op_reg one = op_integer(t, u, 1), bits = op_bits(t, x[0], u);
    const op_reg sign_bit = t_shl(t, one, op_integer(t, u, mantissa + exponent));
    const op_reg sign = t_and(t, bits, sign_bit);
    op_reg v = t_and(t, bits, t_not(t, sign_bit));
    if (a->mantissa_bits < mantissa) {
        const int drop = mantissa - (int)a->mantissa_bits;
        const op_reg last = t_shl(t, one, op_integer(t, u, drop));
        const op_reg odd = t_and(t, t_shr(t, v, op_integer(t, u, drop)), one);
        const op_reg half = t_sub(t, t_shr(t, last, one), one);
        v = t_and(t, t_add(t, v, t_add(t, half, odd)), t_not(t, t_sub(t, last, one)));
    }
    if (a->exponent_bits < exponent) {
        const int64_t bias = ((int64_t)1 << (exponent - 1)) - 1, reach = ((int64_t)1 << (a->exponent_bits - 1)) - 1;
        /* the first number that is too large */
        const op_reg most = t_shl(t, op_integer(t, u, bias + reach + 1), op_integer(t, u, mantissa));
        const op_reg least = t_shl(t, op_integer(t, u, bias - reach + 1), op_integer(t, u, mantissa));
        const op_reg inf = t_shl(t, op_integer(t, u, 2 * bias + 1), op_integer(t, u, mantissa));
        v = t_sel(t, t_le(t, most, v), inf, v);
        v = t_sel(t, t_lt(t, v, least), op_integer(t, u, 0), v);
    }
    const op_reg top = t_shl(t, op_integer(t, u, ((int64_t)1 << exponent) - 1), op_integer(t, u, mantissa));
    const op_reg nan = a->mantissa_bits ? x[0] : op_bits(t, t_or(t, top, sign), f);
    return t_sel(t, t_eq(t, x[0], x[0]), op_bits(t, t_or(t, v, sign), f), nan);
}

const op_prim prim_reduce_precision = {
    .name = "reduce_precision", .doc = "x rounded to fewer bits", .hlo = "stablehlo.reduce_precision", .call = "",
        .nin = 1,
    OP_MAP_CELLS, .attr = sizeof(op_precision_attr),
    .field = OP_FIELDS(IR_FIELD(op_precision_attr, exponent_bits, IR_INT),
                       IR_FIELD(op_precision_attr, mantissa_bits, IR_INT)),
    .type = precision_type, .rule = OP_UNARY, .linear = op_nonlinear, .jvp = precision_jvp,
        .transpose = precision_transpose,
    .prog = precision_prog,
    .cases = OP_CASES("reduce_precision f32[3,4] {exponent_bits=5, mantissa_bits=4}",
                      "reduce_precision bf16[8] {exponent_bits=8, mantissa_bits=3}",
                      "reduce_precision f64[2,0] {exponent_bits=8, mantissa_bits=23}"),
};
