/* op/shape/reverse.c - reverses some dims. */
#include "../build.h"
#include "../local/local.h"

typedef op_reverse_attr reverse;

static bool reverse_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!op_check_dims(e, "dimensions", IR_ATTR(e, reverse)->dimensions, x[0]->rank)) return false;
    *y = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

static void reverse_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const int64_t last = IR_IN(e, 0)->dim[d] - 1;
        const bool turned = op_dims_has(IR_ATTR(e, reverse)->dimensions, d);
        const int f = op_factor(r, last + 1, turned ? OP_PERMUTATION : OP_PASS_THROUGH);
        if (turned) op_dim_window(r, 0, d, f, (op_window){ -1, last, last, 1 });
        else op_dim(r, 0, d, f);
        op_dim(r, 1, d, f);
    }
}

static void reverse_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = op_reverse(b, ct[0], IR_ATTR(e, reverse)->dimensions);
}

static void reverse_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    (void)mapped;
    (void)n;
    (void)out;
    y[0] = op_reverse(b, x[0], op_dims_shifted(b, IR_ATTR(e, reverse)->dimensions, 1, 0, 0));
}

static bool reverse_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_dims turned = IR_ATTR(e, reverse)->dimensions;
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        for (int d = 0; d < y->rank; d++) j[d] = op_dims_has(turned, d) ? IR_IN(e, 0)->dim[d] - 1 - i[d] : i[d];
        ir_store(y, i, ir_load(x, j));
    }
    return true;
}

static bool reverse_local(op_local *e, ir_id *y)
{
    return op_local_windows(e, 0, 0) && op_local_as_is(e, y);
}

const op_prim prim_reverse = {
    .name = "reverse",
    .doc = "some dims backwards",
    .hlo = "stablehlo.reverse",
    .call = "",
    .nin = 1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(reverse),
    .field = OP_FIELDS(IR_FIELD(reverse, dimensions, IR_DIMS)),
    .type = reverse_type,
    .rules = reverse_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = reverse_transpose,
    .batch = reverse_batch,
    .decompose = op_decompose_none,
    .ref = reverse_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = reverse_local, .windows = OP_LOCAL_READ),
    .cases = OP_CASES("reverse f32[5,3] {dimensions=[0]}", "reverse i32[2,3,4] {dimensions=[2,0]}",
                      "reverse f16[0,2] {dimensions=[0,1]}", "reverse f32[] {dimensions=[]}"),
};
