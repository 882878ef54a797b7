/* op/host/elementwise_callback.c - a function of C on elements: it computes each element of its results from those of
 * its operands at the same place. So it is mapped and sharded like any elementwise equation, and runs where the
 * elements are, on workers, for parts of any size. */
#include "../build.h"

static bool elementwise_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_dims r = IR_ATTR(e, op_host_attr)->results;
    for (uint32_t i = 1; i < e->nin; i++)
        if (!ir_same_dims(x[i], x[0]))
            return op_expected(e, TT_ESHAPE, "operand", i, x[i], "the shape of operand 0", x[0]);
    for (int j = 0; e->nin && j + 1 < r.n; j += 2)       /* a dtype, and rank 0 */
        if (!(y[j / 2] = ir_type_of((tt_dtype)r.v[j], x[0]->rank, x[0]->dim))) return false;
    return true;
}

static void elementwise_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; e->nin && d < IR_IN(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], OP_PASS_THROUGH);
        for (int t = 0; t < (int)(e->nin + e->nout); t++) op_dim(r, t, d, f);
    }
}

static void elementwise_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                              bool *out)
{
    ir_id *const in = IR_NEW(b, ir_id, e->nin + 1);
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    const ir_id first = ir_emit(b, e->op, e->attr, e->nin, in, 0, NULL);
    for (uint32_t j = 0; first && j < e->nout; j++) y[j] = first + j, out[j] = true;
}

const op_prim prim_elementwise_callback = {
    .name = "elementwise_callback", .doc = "a function of C on elements", .hlo = "", .call = "", .nin = -1, .nout = -1,
    .nsub = 0, .kernel = OP_REF, .attr = sizeof(op_host_attr), .field = op_host_fields, .type = elementwise_type,
    .rules = elementwise_rules, .linear = op_nonlinear, .partial = op_partial_none, .jvp = op_host_jvp,
    .transpose = op_transpose_none, .batch = elementwise_batch, .decompose = op_decompose_none, .ref = op_host_ref,
    .exchange = op_exchange_none, .prog = op_prog_none, .cases = OP_CASES(NULL),
};
