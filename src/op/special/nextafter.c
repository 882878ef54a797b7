/* op/special/nextafter.c - the next number from x towards z: one step of the bits, up or down; from zero the least
 * number with z's sign. No derivative, as in JAX. */
#include "special.h"
#include "../ops.h"

#include <math.h>

static ir_id bits_of(ir_build *b, ir_id x, tt_dtype d)
{
    return x ? ir_emit(b, &prim_bitcast, &(op_convert_attr){ d }, 1, &x, 0, NULL) : 0;
}

static ir_id integer(ir_build *b, ir_id like, uint64_t v)
{
    const ir_type *t = like ? ir_typeof(b, like) : NULL;
    return t ? op_broadcast(b, op_int(b, t->dtype, (int64_t)v), t, 0, NULL) : 0;
}

static bool nextafter_decompose(ir_build *b, const ir_eqn *e, const ir_id *in, ir_id *y)
{
    const tt_dtype f = IR_OUT(e, 0)->dtype;
    const size_t bytes = ir_dtype_of(f)->bytes;
    const tt_dtype d = bytes == 8 ? TT_I64 : bytes == 4 ? TT_I32 : TT_I16;
    const ir_id x = in[0], z = in[1], xi = bits_of(b, x, d), zi = bits_of(b, z, d);
    const ir_id up = integer(b, xi, 1), none = integer(b, xi, 0), least = integer(b, xi, UINT64_MAX << (8 * bytes - 1));
    const ir_id most = op_not(b, least), xa = op_and(b, xi, most), za = op_and(b, zi, most);
    const ir_id signs = op_compare(b, OP_CMP_NE, op_and(b, xi, least), op_and(b, zi, least));
    const ir_id inwards = op_or(b, op_compare(b, OP_CMP_GT, xa, za), signs);
    const ir_id step = op_add(b, xi, op_select(b, inwards, op_neg(b, up), up));
    const ir_id from_zero = op_or(b, op_and(b, zi, least), up);
    const ir_id moved = op_select(b, op_equal(b, xa, none), from_zero, step);
    const ir_id same = op_or(b, op_equal(b, xi, zi), op_equal(b, op_or(b, xa, za), none));
    const ir_id bits = op_select(b, same, zi, moved);
    const ir_id nan = op_or(b, op_compare(b, OP_CMP_NE, x, x), op_compare(b, OP_CMP_NE, z, z));
    y[0] = op_select(b, nan, op_num(b, x, (double)NAN), bits_of(b, bits, f));
    return y[0] != 0;
}

const op_prim prim_nextafter = {
    .name = "nextafter", .doc = "the next float from x towards z", .hlo = "chlo.next_after", .call = "x, z", .nin = 2,
    OP_SPECIAL_CELLS, .types = "F, F -> F", .rule = OP_BINARY, .jvp = op_jvp_none, .decompose = nextafter_decompose,
    .cases = OP_CASES("nextafter f32[3,4], f32[3,4]", "nextafter bf16[8], bf16[8]", "nextafter f64[5], f64[5]",
                      "nextafter f16[3], f16[3]"),
};
