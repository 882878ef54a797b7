/* op/elem/convert.c - x in another dtype:
 * - a float to a float: rounded once, to nearest even;
 * - a float to an integer: truncated; saturates; NaN gives 0;
 * - an integer to an integer: wraps;
 * - any number, also a complex one, to bool: x != 0;
 * - a complex number to any other real type: its real part.
 * Linear between floats: the derivative and its transpose convert back. Partial sums pass only through lossless
 * conversions. */
#include "../prog/prog.h"

static bool convert_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    *y = ir_type_of(IR_ATTR(e, op_convert_attr)->new_dtype, x[0]->rank, x[0]->dim);
    return true;
}

static op_linear convert_linear(const ir_eqn *e)
{
    const ir_dtype *from = ir_dtype_of(IR_IN(e, 0)->dtype), *to = ir_dtype_of(IR_OUT(e, 0)->dtype);
    const bool floats = from->cls >= IR_FLOAT_CLASS && to->cls >= from->cls;
    const bool widens = floats && from->bytes < to->bytes;
    return widens ? op_joint(e) : op_nonlinear(e);
}

static void convert_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const tt_dtype to = IR_OUT(e, 0)->dtype;
    (void)x, (void)y;
    if (dx[0] && ir_dtype_of(to)->cls >= IR_FLOAT_CLASS) dy[0] = op_convert(b, dx[0], to);
}

static void convert_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = op_convert(b, ct[0], IR_IN(e, 0)->dtype);
}

static op_reg convert_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    return op_to(t, x[0], IR_OUT(e, 0)->dtype);
}

const op_prim prim_convert = {
    .name = "convert", .doc = "x in another dtype", .hlo = "stablehlo.convert", .call = "", .nin = 1, OP_MAP_CELLS,
    .attr = sizeof(op_convert_attr), .field = OP_FIELDS(IR_FIELD(op_convert_attr, new_dtype, IR_DTYPE)),
    .type = convert_type, .rule = OP_UNARY, .linear = convert_linear, .jvp = convert_jvp,
    .transpose = convert_transpose, .prog = convert_prog, .pair = op_pair_convert,
    .cases = OP_CASES("convert f32[3,4] {new_dtype=bf16}", "convert bf16[5] {new_dtype=f32}",
                      "convert f64[5] {new_dtype=f16}",
                      "convert f32[5] {new_dtype=i32}", "convert i64[5] {new_dtype=u8}",
                      "convert i32[3] {new_dtype=f32}",
                      "convert i32[5] {new_dtype=f8E4M3FN}", "convert i4[5] {new_dtype=f32}",
                      "convert c64[3] {new_dtype=c128}",
                      "convert f32[3] {new_dtype=c64}",
                      "convert c64[3] {new_dtype=f32}", "convert c64[4] {new_dtype=i32}",
                      "convert c64[3] {new_dtype=bool}",
                      "convert f32[2,0] {new_dtype=bool}", "convert bool[4] {new_dtype=f32}"),
};
