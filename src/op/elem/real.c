/* op/elem/real.c - the real part of a complex number. Cotangents as in JAX: the cotangent of x is a complex number with
 * imaginary part 0. */
#include "../build.h"

bool op_part_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_is_complex(x[0]->dtype))
        return base_fail(TT_ETYPE, e->site, "%s: the operand must be complex, not %s", e->op->name,
                         ir_dtype_of(x[0]->dtype)->name);
    *y = ir_type_of(op_real_dtype(x[0]->dtype), x[0]->rank, x[0]->dim);
    return true;
}

static void real_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!x[0] && ct[0]) cx[0] = op_parts_join(b, (op_parts){ ct[0], op_zeros(b, ir_typeof(b, ct[0])) });
}

static bool real_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    (void)e;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) ir_store(y, i, (ir_num){ .f = ir_load(x, i).c.re });
    return true;
}

const op_prim prim_real = {
    .name = "real", .doc = "the real part", .hlo = "stablehlo.real", .call = "", .nin = 1, .nout = 1, .kernel = OP_MOVE,
    .types = "T -> T", .type = op_part_type, .rule = OP_UNARY, .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = real_transpose, .batch = op_batch_map, .decompose = op_decompose_none, .ref = real_ref,
    .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("real c64[3,4]", "real c128[5]", "real c64[2,0]", "real c128[]"),
};
