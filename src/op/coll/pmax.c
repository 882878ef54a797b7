/* op/coll/pmax.c - the maximum over named axes; op/coll/extreme.c has the part shared with pmin. */
#include "../build.h"

typedef op_reduce_axes_attr pmax;

const op_prim prim_pmax = {
    .name = "pmax", .doc = "greatest over mesh or mapped axes", .hlo = "", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(pmax), .field = OP_FIELDS(IR_FIELD(pmax, axes, IR_NAMES), IR_FIELD(pmax, unchecked, IR_BOOL)),
    .type = op_extreme_type, .rule = "... -> ...", .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = op_extreme_jvp, .transpose = op_transpose_none, .batch = op_extreme_batch, .decompose = op_decompose_none,
    .ref = op_ref_group, .group = op_extreme_group, .exchange = op_extreme_exchange, .prog = op_prog_none,
    .cases = OP_CASES("pmax f32[3] {axes=[a], unchecked=true} on a:2",
                      "pmax i32[2,2] {axes=[a,b], unchecked=true} on a:2, b:3"),
};
