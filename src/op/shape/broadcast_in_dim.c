/* op/shape/broadcast_in_dim.c - operand dim i becomes result dim broadcast_dimensions[i]; new dims, and operand dims of
 * size 1, are repeated. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <string.h>

typedef op_broadcast_attr broadcast;

static bool broadcast_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const broadcast *a = IR_ATTR(e, broadcast);
    const ir_dims to = a->broadcast_dimensions;
    if (!op_check_shape(e, "shape", a->shape) || !op_check_count(e, "broadcast_dimensions", to, x[0]->rank) ||
        !op_check_dims(e, "broadcast_dimensions", to, a->shape.n))
        return false;
    for (int d = 0; d < to.n; d++)
        if (x[0]->dim[d] != 1 && x[0]->dim[d] != a->shape.v[to.v[d]])
            return base_fail(TT_ESHAPE, e->site,
                             "broadcast_in_dim: dim %d of size %lld cannot become dim %lld of size %lld", d,
                             (long long)x[0]->dim[d], (long long)to.v[d], (long long)a->shape.v[to.v[d]]);
    *y = ir_type_of(x[0]->dtype, a->shape.n, a->shape.v);
    return true;
}

/* The operand dim of a result dim, or -1: none. *stretched: the operand has no such dim, or its dim is repeated. */
static int source_of(const ir_eqn *e, int out, bool *stretched)
{
    const ir_dims to = IR_ATTR(e, broadcast)->broadcast_dimensions;
    for (int d = 0; d < to.n; d++)
        if (to.v[d] == out) {
            *stretched = IR_IN(e, 0)->dim[d] != IR_OUT(e, 0)->dim[out];
            return d;
        }
    *stretched = true;
    return -1;
}

static void broadcast_rules(const ir_eqn *e, op_rule *r)
{
    for (int out = 0; out < IR_OUT(e, 0)->rank; out++) {
        bool stretched;
        const int d = source_of(e, out, &stretched), f = op_factor(r, IR_OUT(e, 0)->dim[out], OP_PASS_THROUGH);
        if (!stretched) op_dim(r, 0, d, f);
        op_dim(r, 1, out, f);
    }
}

/* Sums over the repeated dims, then brings the remaining dims to the operand's order and shape. */
static void broadcast_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const ir_type *t = IR_IN(e, 0);
    int64_t fold[IR_RANK], perm[IR_RANK];
    int nfold = 0, left = 0, kept[IR_RANK];
    if (x[0] || !ct[0]) return;
    for (int out = 0; out < IR_OUT(e, 0)->rank; out++) {
        bool stretched;
        const int d = source_of(e, out, &stretched);
        if (stretched) fold[nfold++] = out;
        else kept[left++] = d;
    }
    for (int i = 0; i < left; i++) { /* result dim i of the transpose: the i-th smallest of kept[] */
        int rank = 0;
        for (int j = 0; j < left; j++) rank += kept[j] < kept[i];
        perm[rank] = i;
    }
    cx[0] = op_reshape(b, op_transpose(b, op_reduce_dims(b, &prim_add, ct[0], nfold, fold), perm), t->rank, t->dim);
}

static void broadcast_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                            bool *out)
{
    const broadcast *a = IR_ATTR(e, broadcast);
    (void)mapped;
    (void)out;
    const broadcast d = { op_dims_shifted(b, a->shape, 0, 1, n), op_dims_shifted(b, a->broadcast_dimensions, 1, 1, 0) };
    y[0] = ir_emit(b, e->op, &d, 1, x, 0, NULL);
}

static bool broadcast_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        for (int out = 0; out < y->rank; out++) {
            bool stretched;
            const int d = source_of(e, out, &stretched);
            if (d >= 0) j[d] = stretched ? 0 : i[out];
        }
        ir_store(y, i, ir_load(x, j));
    }
    return true;
}

static bool broadcast_local(op_local *e, ir_id *y)
{
    op_broadcast_attr a = *IR_ATTR(e->e, op_broadcast_attr);
    const ir_type *const t = op_local_result(e);
    if (!t) return false;
    a.shape = (ir_dims){ t->rank, t->dim };
    return op_local_emit(e, &a, y);
}

const op_prim prim_broadcast_in_dim = {
    .name = "broadcast_in_dim",
    .doc = "repeats along new dims and dims of size 1",
    .hlo = "stablehlo.broadcast_in_dim",
    .call = "",
    .nin = 1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(broadcast),
    .field = OP_FIELDS(IR_FIELD(broadcast, shape, IR_DIMS), IR_FIELD(broadcast, broadcast_dimensions, IR_DIMS)),
    .type = broadcast_type,
    .rules = broadcast_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = broadcast_transpose,
    .batch = broadcast_batch,
    .decompose = op_decompose_none,
    .ref = broadcast_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = broadcast_local),
    .cases = OP_CASES("broadcast_in_dim f32[] {shape=[2,3], broadcast_dimensions=[]}",
                      "broadcast_in_dim f32[3,1] {shape=[2,3,4], broadcast_dimensions=[1,2]}",
                      "broadcast_in_dim f32[4,3] {shape=[3,2,4], broadcast_dimensions=[2,0]}",
                      "broadcast_in_dim i32[1,1] {shape=[1,0], broadcast_dimensions=[0,1]}",
                      "broadcast_in_dim bool[3] {shape=[3], broadcast_dimensions=[0]}"),
};
