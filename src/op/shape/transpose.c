/* op/shape/transpose.c - result dim i is operand dim permutation[i]. */
#include "../build.h"

typedef op_transpose_attr transpose;

static bool transpose_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_dims p = IR_ATTR(e, transpose)->permutation;
    int64_t dim[IR_RANK];
    if (!op_check_count(e, "permutation", p, x[0]->rank) || !op_check_dims(e, "permutation", p, x[0]->rank))
        return false;
    for (int d = 0; d < p.n; d++) dim[d] = x[0]->dim[p.v[d]];
    *y = ir_type_of(x[0]->dtype, p.n, dim);
    return true;
}

static void transpose_rules(const ir_eqn *e, op_rule *r)
{
    const ir_dims p = IR_ATTR(e, transpose)->permutation;
    for (int d = 0; d < p.n; d++) {
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH);
        op_dim(r, 0, (int)p.v[d], f);
        op_dim(r, 1, d, f);
    }
}

static void transpose_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const ir_dims p = IR_ATTR(e, transpose)->permutation;
    int64_t back[IR_RANK];
    if (x[0] || !ct[0]) return;
    for (int d = 0; d < p.n; d++) back[p.v[d]] = d;
    cx[0] = op_transpose(b, ct[0], back);
}

static void transpose_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                            bool *out)
{
    (void)mapped;
    (void)n;
    (void)out;
    const transpose a = { op_dims_shifted(b, IR_ATTR(e, transpose)->permutation, 1, 1, 0) };
    y[0] = ir_emit(b, e->op, &a, 1, x, 0, NULL);
}

static bool transpose_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_dims p = IR_ATTR(e, transpose)->permutation;
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        for (int d = 0; d < p.n; d++) j[p.v[d]] = i[d];
        ir_store(y, i, ir_load(x, j));
    }
    return true;
}

const op_prim prim_transpose = {
    .name = "transpose",
    .doc = "dims in another order",
    .hlo = "stablehlo.transpose",
    .call = "",
    .nin = 1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(transpose),
    .field = OP_FIELDS(IR_FIELD(transpose, permutation, IR_DIMS)),
    .type = transpose_type,
    .rules = transpose_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = transpose_transpose,
    .batch = transpose_batch,
    .decompose = op_decompose_none,
    .ref = transpose_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .cases = OP_CASES("transpose f32[3,4] {permutation=[1,0]}", "transpose i64[2,3,4] {permutation=[2,0,1]}",
                      "transpose f16[2,0] {permutation=[1,0]}", "transpose bool[] {permutation=[]}"),
};
