/* op/elem/bitcast.c - the bits of x read as another dtype of the same width. Below 8 bits: the low bits of a byte. */
#include "../prog/prog.h"

static bool bitcast_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_dtype *from = ir_dtype_of(x[0]->dtype), *to = ir_dtype_of(IR_ATTR(e, op_convert_attr)->new_dtype);
    if (from->bits != to->bits || (from->cls == IR_BOOL_CLASS) != (to->cls == IR_BOOL_CLASS))
        return base_fail(TT_ETYPE, e->site, "bitcast: %s and %s; expected types of one width, both or neither bool",
                         from->name, to->name);
    if (from->cls == IR_COMPLEX_CLASS || to->cls == IR_COMPLEX_CLASS)
        return base_fail(TT_ETYPE, e->site, "bitcast: %s to %s: complex numbers are not supported", from->name,
                         to->name);
    *y = ir_type_of(IR_ATTR(e, op_convert_attr)->new_dtype, x[0]->rank, x[0]->dim);
    return true;
}

static op_reg bitcast_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const tt_dtype to = IR_OUT(e, 0)->dtype;
    const op_reg raw = op_raw(t, 0);
    (void)x;
    return op_bits(t, ir_is_narrow(to) ? op_prog_wrap(t, raw, to) : raw, to);
}

const op_prim prim_bitcast = {
    .name = "bitcast", .doc = "the bits of x as another type", .hlo = "stablehlo.bitcast_convert", .call = "", .nin = 1,
    OP_MAP_CELLS, .attr = sizeof(op_convert_attr), .field = OP_FIELDS(IR_FIELD(op_convert_attr, new_dtype, IR_DTYPE)),
    .type = bitcast_type, .rule = OP_UNARY, .linear = op_nonlinear, .jvp = op_jvp_zero, .transpose = op_transpose_none,
    .prog = bitcast_prog,
    .cases = OP_CASES("bitcast f32[3,4] {new_dtype=u32}", "bitcast u32[5] {new_dtype=f32}",
                      "bitcast bf16[5] {new_dtype=i16}",
                      "bitcast i64[2,0] {new_dtype=f64}", "bitcast f8E5M2[5] {new_dtype=u8}",
                      "bitcast i4[5] {new_dtype=f4E2M1FN}"),
};
