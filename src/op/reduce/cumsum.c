/* op/reduce/cumsum.c - sums along one dim, from its start or (reverse) its end. op/reduce/cum.c has the cells shared by
 * the family. */
#include "../build.h"

static void cumsum_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    /* x[j] contributes to y[i] for all i from j on, so the cotangent of x is the sum from the other end. */
    op_cum_attr a = *IR_ATTR(e, op_cum_attr);
    if (x[0] || !ct[0]) return;
    a.reverse = !a.reverse;
    cx[0] = ir_emit(b, e->op, &a, 1, ct, 0, NULL);
}

const op_prim prim_cumsum = {
    .name = "cumsum", .doc = "sums", .hlo = "", .call = "", .nin = 1, .nout = 1, .kernel = OP_REDUCE,
    .attr = sizeof(op_cum_attr), .field = op_cum_fields, .type = op_cum_type, .rules = op_cum_rules,
    .linear = op_joint, .partial = op_partial_none, .jvp = op_jvp_linear, .transpose = cumsum_transpose,
    .batch = op_cum_batch, .decompose = op_cum_decompose, .ref = op_cum_ref,
    .exchange = op_exchange_none, .prog = op_prog_none, .pair = op_pair_each,
    .cases = OP_CASES("cumsum f32[7] {dimension=0, reverse=false}", "cumsum f32[3,5,2] {dimension=1, reverse=true}",
                      "cumsum i32[4,6] {dimension=1, reverse=false}", "cumsum f64[5,3] {dimension=0, reverse=true}",
                      "cumsum bf16[9] {dimension=0, reverse=false}", "cumsum f32[0,3] {dimension=0, reverse=false}"),
};
