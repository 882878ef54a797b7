/* op/elem/imag.c - the imaginary part of a complex number. The cotangent of x is -i c, as in JAX. */
#include "../build.h"
#include "../ops.h"

static void imag_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!x[0] && ct[0]) cx[0] = op_parts_join(b, (op_parts){ op_zeros(b, ir_typeof(b, ct[0])), op_neg(b, ct[0]) });
}

static bool imag_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    (void)e;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) ir_store(y, i, (ir_num){ .f = ir_load(x, i).c.im });
    return true;
}

const op_prim prim_imag = {
    .name = "imag", .doc = "the imaginary part", .hlo = "stablehlo.imag", .call = "", .nin = 1, .nout = 1,
    .kernel = OP_MOVE,
    .types = "T -> T", .type = op_part_type, .rule = OP_UNARY, .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = imag_transpose, .batch = op_batch_map, .decompose = op_decompose_none, .ref = imag_ref,
    .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("imag c64[3,4]", "imag c128[5]", "imag c64[2,0]", "imag c128[]"),
};
