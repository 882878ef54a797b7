/* op/loop/barrier.c - the operands unchanged, but no pass simplifies, merges or moves equations across the barrier: a
 * value that is rematerialised for the backward pass must not be merged with the one computed for the forward pass. */
#include "../build.h"

static bool barrier_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    for (uint32_t i = 0; i < e->nin; i++) y[i] = x[i];
    return true;
}

static void barrier_edges(const ir_eqn *e, op_edges *t)
{
    for (int i = 0; i < (int)e->nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_RESULT, 0, i, 0);
}

/* A barrier over the nonzero ids. */
static void barrier_some(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    ir_id *const in = IR_NEW(b, ir_id, e->nin + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nin; i++) if (x[i]) in[n++] = x[i];
    ir_id next = n ? ir_emit(b, e->op, NULL, n, in, 0, NULL) : 0;
    for (uint32_t i = 0; i < e->nin; i++) y[i] = x[i] ? next++ : 0;
}

static void barrier_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)x; (void)y;
    barrier_some(b, e, dx, dy);
}

static void barrier_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)x;
    barrier_some(b, e, ct, cx);
}

static void barrier_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    const ir_id first = ir_clone(b, e, x);
    (void)n;
    for (uint32_t i = 0; i < e->nin; i++) y[i] = first + i, out[i] = mapped[i];
}

static bool barrier_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    for (uint32_t i = 0; i < e->nin; i++) if (!ir_copy(&x[i], &y[i])) return false;
    return true;
}

const op_prim prim_barrier = {
    .name = "barrier", .doc = "its operands, behind a wall that no rewriting crosses",
    .hlo = "stablehlo.optimization_barrier",
    .call = "", .nin = -1, .nout = -1, .nsub = 0, .kernel = OP_MOVE, .states = true, .passes = true,
    .type = barrier_type, .edges = barrier_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = barrier_jvp, .transpose = barrier_transpose, .batch = barrier_batch, .decompose = op_decompose_none,
    .ref = barrier_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("barrier f32[3], i32[2,2]"),
};
