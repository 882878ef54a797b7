/* op/coll/alike.c - the operands, constrained to one common layout: all operands have one shape, and propagation copies
 * the layout of each operand to the others. */
#include "../build.h"

static bool alike_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    for (uint32_t i = 0; i < e->nin; i++) {
        bool same = x[i]->rank == x[0]->rank;
        for (int d = 0; same && d < x[0]->rank; d++) same = x[i]->dim[d] == x[0]->dim[d];
        if (!same) return op_expected(e, TT_ESHAPE, "operand", i, x[i], "the shape of operand 0", x[0]);
        y[i] = x[i];
    }
    return true;
}

static void alike_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; e->nin && d < IR_IN(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], OP_PASS_THROUGH);
        for (int t = 0; t < 2 * (int)e->nin; t++) op_dim(r, t, d, f);
    }
}

static void alike_some(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)   /* applied to the nonzero ids */
{
    ir_id *const in = IR_NEW(b, ir_id, e->nin + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nin; i++) if (x[i]) in[n++] = x[i];
    ir_id next = n ? ir_emit(b, e->op, NULL, n, in, 0, NULL) : 0;
    for (uint32_t i = 0; i < e->nin; i++) y[i] = x[i] ? next++ : 0;
}

static void alike_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)x, (void)y;
    alike_some(b, e, dx, dy);
}

static void alike_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)x;
    alike_some(b, e, ct, cx);
}

static void alike_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n,
                        ir_id *y, bool *out)
{
    ir_id *const in = IR_NEW(b, ir_id, e->nin + 1);
    (void)out;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = mapped[i] ? x[i] : op_spread(b, x[i], n);
    const ir_id first = ir_clone(b, e, in);
    for (uint32_t i = 0; i < e->nin; i++) y[i] = first + i;
}

static bool alike_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    for (uint32_t i = 0; i < e->nin; i++) if (!ir_copy(&x[i], &y[i])) return false;
    return true;
}

const op_prim prim_alike = {
    .name = "alike", .doc = "its operands, which get one layout", .hlo = "sdy.sharding_group", .call = "", .nin = -1,
    .nout = -1, .nsub = 0, .kernel = OP_MOVE, .states = true, .passes = true, .type = alike_type, .rules = alike_rules,
    .linear = op_nonlinear, .partial = op_partial_none, .jvp = alike_jvp, .transpose = alike_transpose,
    .batch = alike_batch, .decompose = op_decompose_none, .ref = alike_ref, .exchange = op_exchange_none,
    .prog = op_prog_none,
    .cases = OP_CASES("alike f32[4,6], i32[4,6]", "alike f64[5], f64[5], f64[5]"),
};
