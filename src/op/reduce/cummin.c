/* op/reduce/cummin.c - the minimum so far along one dim, from its start or (reverse) its end. op/reduce/cum.c has the
 * cells shared by the family. NaN is smallest. */
#include "../build.h"

const op_prim prim_cummin = {
    .name = "cummin", .doc = "the smallest so far", .hlo = "", .call = "", .nin = 1, .nout = 1, .kernel = OP_REDUCE,
    .attr = sizeof(op_cum_attr), .field = op_cum_fields, .type = op_cum_type, .rules = op_cum_rules,
    .linear = op_nonlinear, .partial = op_partial_none, .jvp = op_cum_jvp, .transpose = op_transpose_none,
    .batch = op_cum_batch, .decompose = op_cum_decompose, .ref = op_cum_ref,
    .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("cummin f32[7] {dimension=0, reverse=false}", "cummin f32[3,5,2] {dimension=1, reverse=true}",
                      "cummin i32[4,6] {dimension=1, reverse=false}", "cummin f64[5,3] {dimension=0, reverse=true}",
                      "cummin bf16[9] {dimension=0, reverse=false}", "cummin f32[0,3] {dimension=0, reverse=false}"),
};
