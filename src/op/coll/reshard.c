/* op/coll/reshard.c - the same value in a given layout, whatever the operand's layout. The operand's layout is known
 * only after propagation, so the cotangent is passed back unchanged and its layout is decided there. */
#include "../build.h"

typedef op_layout_attr attr;

static bool reshard_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const attr *a = IR_ATTR(e, attr);
    if (a->sharding.n != 1 || !a->sharding.v[0])
        return base_fail(TT_EARG, e->site, "reshard: %d layouts; expected one", a->sharding.n);
    if (a->sharding.v[0]->rank != x[0]->rank)
        return base_fail(TT_ESPEC, e->site, "reshard: a spec of %d dims for a value of rank %d", a->sharding.v[0]->rank,
                         x[0]->rank);
    *y = x[0];
    return true;
}

static void reshard_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)b; (void)e;
    if (!x[0]) cx[0] = ct[0];
}

static void reshard_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    const mesh_layout *const wide = op_layout_wider(b, IR_ATTR(e, attr)->sharding.v[0], true);
    (void)mapped; (void)n; (void)out;
    y[0] = ir_emit(b, e->op, &(attr){ { 1, &wide } }, 1, x, 0, NULL);
}

static bool reshard_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    (void)e;
    return ir_copy(x, y);
}

const op_prim prim_reshard = {
    .name = "reshard", .doc = "a value moved to another layout", .hlo = "sdy.reshard", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_MOVE, .passes = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, sharding, IR_LAYOUTS)),
    .type = reshard_type, .rule = "... -> ...", .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = reshard_transpose, .batch = reshard_batch, .decompose = op_decompose_none,
    .ref = reshard_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("reshard f32[4,6] {sharding=[\"a, _\"]} on a:2", "reshard i32[5] {sharding=[\"_\"]} on a:2"),
};
