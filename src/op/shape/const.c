/* op/shape/const.c - a literal: dense row-major elements, or if splat one number for all elements. */
#include "../build.h"
#include "../local/local.h"

typedef op_const_attr constant;

static bool const_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const constant *a = IR_ATTR(e, constant);
    (void)x;
    if (!op_check_shape(e, "shape", a->shape)) return false;
    const ir_type *t = ir_type_of(a->dtype, a->shape.n, a->shape.v);
    if (!t) return false;
    const size_t n = a->splat ? 1 : (size_t)ir_count(t), one = ir_dtype_of(a->dtype)->bytes;
    if (a->data.bytes != n * one)
        return base_fail(TT_ESHAPE, e->site, "const: %zu bytes of data for %zu elements of %zu bytes", a->data.bytes, n,
                         one);
    *y = t;
    return true;
}

static void const_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) op_dim(r, 0, d, op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH));
}

static bool const_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const constant *a = IR_ATTR(e, constant);
    ir_box all = ir_box_dense((void *)(uintptr_t)a->data.p, ir_type_of(a->dtype, a->shape.n, a->shape.v));
    (void)x;
    if (a->splat)
        for (int d = 0; d < all.rank; d++) all.step[d] = 0;
    return ir_copy(&all, y);
}

static bool const_local(op_local *e, ir_id *y)
{
    op_const_attr a = *IR_ATTR(e->e, op_const_attr);
    const ir_type *const t = op_local_result(e);
    if (!t) return false;
    if (!a.splat) {
        if (!op_local_as_is(e, y)) return false;
        return (y[0] = op_local_take(e->p, y[0], IR_OUT(e->e, 0), NULL, e->need[0])) != 0;
    }
    a.shape = (ir_dims){ t->rank, t->dim };
    return op_local_emit(e, &a, y);
}

const op_prim prim_const = {
    .name = "const",
    .doc = "a literal",
    .hlo = "stablehlo.constant",
    .call = "",
    .nin = 0,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(constant),
    .field = OP_FIELDS(IR_FIELD(constant, dtype, IR_DTYPE), IR_FIELD(constant, shape, IR_DIMS),
                       IR_FIELD(constant, splat, IR_BOOL), IR_FIELD(constant, data, IR_DATA)),
    .type = const_type,
    .rules = const_rules,
    .linear = op_nonlinear,
    .partial = op_partial_none,
    .jvp = op_jvp_zero,
    .transpose = op_transpose_none,
    .batch = op_batch_none,
    .decompose = op_decompose_none,
    .ref = const_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = const_local),
    .cases = OP_CASES("const {dtype=f32, shape=[], data=2.5}"),
};
