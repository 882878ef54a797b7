/* op/reduce/cumprod.c - products along one dim, from its start or (reverse) its end. op/reduce/cum.c has the cells
 * shared by the family. */
#include "../build.h"

const op_prim prim_cumprod = {
    .name = "cumprod", .doc = "products", .hlo = "", .call = "", .nin = 1, .nout = 1, .kernel = OP_REDUCE,
    .attr = sizeof(op_cum_attr), .field = op_cum_fields, .type = op_cum_type, .rules = op_cum_rules,
    .linear = op_nonlinear, .partial = op_partial_none, .jvp = op_cum_jvp, .transpose = op_transpose_none,
    .batch = op_cum_batch, .decompose = op_cum_decompose, .ref = op_cum_ref,
    .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("cumprod f32[7] {dimension=0, reverse=false}", "cumprod f32[3,5,2] {dimension=1, reverse=true}",
                      "cumprod i32[4,6] {dimension=1, reverse=false}", "cumprod f64[5,3] {dimension=0, reverse=true}",
                      "cumprod bf16[9] {dimension=0, reverse=false}", "cumprod f32[0,3] {dimension=0, reverse=false}"),
};
