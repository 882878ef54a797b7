/* op/coll/all_gather.c - the members' operands concatenated along dim `dim`, on every member. axis_size: number of
 * members over all axes, the first axis the most major. The transpose is reduce_scatter. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef op_gather_axes_attr gather;

static bool all_gather_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const gather *a = IR_ATTR(e, gather);
    int64_t dim[IR_RANK];
    if (!op_check_group_size(e, a->axes, a->axis_size)) return false;
    if (a->dim < 0 || a->dim >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "all_gather: no dim %lld in a value of rank %d", (long long)a->dim,
                         x[0]->rank);
    if (!op_must_vary(e, x[0], a->axes, a->unchecked)) return false;
    memcpy(dim, x[0]->dim, (size_t)x[0]->rank * sizeof *dim);
    if (__builtin_mul_overflow(dim[a->dim], a->axis_size, &dim[a->dim]))
        return base_fail(TT_ESHAPE, e->site, "all_gather: a result of more than 2^63 elements");
    *y = ir_type_as(x[0], x[0]->dtype, x[0]->rank, dim);
    return true;
}

static void all_gather_rules(const ir_eqn *e, op_rule *r)
{
    const gather *a = IR_ATTR(e, gather);
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const bool whole = d == a->dim;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], whole ? OP_NEED_REPLICATION : OP_PASS_THROUGH);
        op_dim(r, 0, d, f);
        op_dim(r, 1, d, whole ? op_factor(r, IR_OUT(e, 0)->dim[d], OP_NEED_REPLICATION) : f);
    }
}

static void all_gather_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = ir_emit(b, &prim_reduce_scatter, e->attr, 1, ct, 0, NULL);
}

static ir_id all_gather_over(ir_build *b, const ir_eqn *e, ir_id v, ir_names axes, int64_t dim, int64_t size)
{
    const gather g = { axes, dim, size, IR_ATTR(e, gather)->unchecked };
    return axes.n ? ir_emit(b, e->op, &g, 1, &v, 0, NULL) : v;
}

/* [n, .., D, ..]: gathers over the minor axes, merges the mapped dim in front of D, gathers over the major axes. */
static void all_gather_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                             bool *out)
{
    const gather *a = IR_ATTR(e, gather);
    const op_axes s = op_axes_split(b, a->axes);
    const int rank = IR_IN(e, 0)->rank, d = (int)a->dim;
    int64_t major, minor, dim[IR_RANK];
    out[0] = s.at < 0;
    if (s.at < 0) {
        y[0] = all_gather_over(b, e, x[0], a->axes, a->dim + 1, a->axis_size);
        return;
    }
    if (!op_axes_sizes(b, e, &s, a->axis_size / n, &major, &minor)) return;
    ir_id v = all_gather_over(b, e, mapped[0] ? x[0] : op_spread(b, x[0], n), s.minor, d + 1, minor);
    memcpy(dim, IR_IN(e, 0)->dim, (size_t)rank * sizeof *dim);
    dim[d] *= minor * n;
    v = op_reshape(b, op_move(b, v, 0, d), rank, dim);
    y[0] = all_gather_over(b, e, v, s.major, d, major);
}

static bool all_gather_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    const int d = (int)IR_ATTR(e, gather)->dim;
    const int64_t part = x[0].n[d];
    int64_t i[IR_RANK], j[IR_RANK];
    (void)n; (void)me;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        memcpy(j, i, sizeof j);
        j[d] = i[d] % part;
        ir_store(y, i, ir_load(&x[i[d] / part], j));
    }
    return true;
}

static bool all_gather_exchange(const ir_eqn *e, op_exchange *x)
{
    if (!op_exchange_over(e, IR_ATTR(e, gather)->axes, x)) return false;
    x->from_dim = (int)IR_ATTR(e, gather)->dim;
    return true;
}

const op_prim prim_all_gather = {
    .name = "all_gather", .doc = "the members' values, one behind the other", .hlo = "stablehlo.all_gather", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(gather), .field = OP_FIELDS(IR_FIELD(gather, axes, IR_NAMES),
                                               { "all_gather_dim", IR_INT, offsetof(gather, dim), NULL },
                                               IR_FIELD(gather, axis_size, IR_INT),
                                                   IR_FIELD(gather, unchecked, IR_BOOL)),
    .type = all_gather_type, .rules = all_gather_rules, .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = all_gather_transpose, .batch = all_gather_batch, .decompose = op_decompose_none,
    .ref = op_ref_group, .group = all_gather_group, .exchange = all_gather_exchange, .prog = op_prog_none,
    .cases = OP_CASES("all_gather f32[3,2] {axes=[a], all_gather_dim=1, axis_size=2, unchecked=true} on a:2",
                      "all_gather i32[2] {axes=[b,a], all_gather_dim=0, axis_size=6, unchecked=true} on a:2, b:3"),
};
