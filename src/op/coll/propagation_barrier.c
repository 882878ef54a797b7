/* op/coll/propagation_barrier.c - the same value, through which layouts propagate in one direction or not at all:
 * forward, from the operand to the result; backward, from the result to the operand. The result takes the layout that
 * its readers need, and the barrier is removed when the program is partitioned. The cotangent's barrier has the
 * opposite direction. */
#include "../build.h"

typedef op_propagation_attr attr;
static const char *const directions[] = { "none", "forward", "backward", NULL };

static void barrier_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    static const op_way turned[] = { [OP_WAY_NONE] = OP_WAY_NONE, [OP_WAY_FORWARD] = OP_WAY_BACKWARD,
                                     [OP_WAY_BACKWARD] = OP_WAY_FORWARD };
    const attr a = { turned[IR_ATTR(e, attr)->allowed_direction] };
    if (!x[0] && ct[0]) cx[0] = ir_emit(b, e->op, &a, 1, ct, 0, NULL);
}

static void barrier_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    (void)mapped; (void)n; (void)out;
    y[0] = ir_clone(b, e, x);
}

static bool barrier_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    (void)e;
    return ir_copy(x, y);
}

const op_prim prim_propagation_barrier = {
    .name = "propagation_barrier", .doc = "the same value; layouts pass one way at most",
    .hlo = "sdy.propagation_barrier", .call = "", .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_MOVE, .passes = true,
    .attr = sizeof(attr),
    .field = OP_FIELDS({ "allowed_direction", IR_ENUM, offsetof(attr, allowed_direction), directions }),
    .types = "T -> T", .rule = "... -> ...", .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = barrier_transpose, .batch = barrier_batch, .decompose = op_decompose_none,
    .ref = barrier_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("propagation_barrier f32[4,6] {allowed_direction=none}",
                      "propagation_barrier i32[5] {allowed_direction=forward}",
                      "propagation_barrier f64[3,2] {allowed_direction=backward}"),
};
