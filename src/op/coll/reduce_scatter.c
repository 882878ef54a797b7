/* op/coll/reduce_scatter.c - the sum over the axes, of which each member receives its part of dim `dim`. axis_size:
 * number of members over all axes, the first axis the most major. The transpose is all_gather. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef op_gather_axes_attr scatter;

static bool reduce_scatter_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const scatter *a = IR_ATTR(e, scatter);
    int64_t dim[IR_RANK];
    if (!op_check_group_size(e, a->axes, a->axis_size)) return false;
    if (a->dim < 0 || a->dim >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "reduce_scatter: no dim %lld in a value of rank %d", (long long)a->dim,
                         x[0]->rank);
    if (x[0]->dtype == TT_BOOL) return base_fail(TT_ETYPE, e->site, "reduce_scatter of bool values; expected numbers");
    if (x[0]->dim[a->dim] % a->axis_size)
        return base_fail(TT_ESHAPE, e->site, "reduce_scatter: dim %lld of size %lld does not divide by %lld members",
                         (long long)a->dim, (long long)x[0]->dim[a->dim], (long long)a->axis_size);
    if (!op_must_vary(e, x[0], a->axes, a->unchecked)) return false;
    memcpy(dim, x[0]->dim, (size_t)x[0]->rank * sizeof *dim);
    dim[a->dim] /= a->axis_size;
    *y = ir_type_as(x[0], x[0]->dtype, x[0]->rank, dim);
    return true;
}

static void reduce_scatter_rules(const ir_eqn *e, op_rule *r)
{
    const scatter *a = IR_ATTR(e, scatter);
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const bool whole = d == a->dim;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], whole ? OP_NEED_REPLICATION : OP_PASS_THROUGH);
        op_dim(r, 0, d, f);
        op_dim(r, 1, d, whole ? op_factor(r, IR_OUT(e, 0)->dim[d], OP_NEED_REPLICATION) : f);
    }
}

static void reduce_scatter_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = ir_emit(b, &prim_all_gather, e->attr, 1, ct, 0, NULL);
}

static ir_id reduce_scatter_over(ir_build *b, const ir_eqn *e, ir_id v, ir_names axes, int64_t dim, int64_t size)
{
    const scatter g = { axes, dim, size, IR_ATTR(e, scatter)->unchecked };
    return axes.n ? ir_emit(b, e->op, &g, 1, &v, 0, NULL) : v;
}

/* Sums over the mapped dim, then scatters over the major axes. The remaining part of the dim is [n, rest]: n becomes
 * dim 0, and `rest` is scattered over the minor axes. */
static void reduce_scatter_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                                 bool *out)
{
    const scatter *a = IR_ATTR(e, scatter);
    const op_axes s = op_axes_split(b, a->axes);
    const int rank = IR_IN(e, 0)->rank, d = (int)a->dim;
    int64_t major, minor, dim[IR_RANK + 1];
    ir_id v = x[0];
    if (s.at < 0) {
        y[0] = reduce_scatter_over(b, e, v, a->axes, a->dim + 1, a->axis_size);
        return;
    }
    if (!op_axes_sizes(b, e, &s, a->axis_size / n, &major, &minor)) return;
    v = mapped[0] ? op_reduce_dims(b, &prim_add, v, 1, (const int64_t[]){ 0 })
                  : op_mul(b, v, op_splat(b, IR_IN(e, 0), (double)n));
    v = reduce_scatter_over(b, e, v, s.major, d, major);
    for (int i = 0; i <= rank; i++) dim[i] = i == d ? n : IR_IN(e, 0)->dim[i - (i > d)];
    dim[d + 1] /= major * n;
    v = op_move(b, op_reshape(b, v, rank + 1, dim), d, 0);
    y[0] = reduce_scatter_over(b, e, v, s.minor, d + 1, minor);
    (void)out;
}

static bool reduce_scatter_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    const int d = (int)IR_ATTR(e, scatter)->dim;
    const int64_t part = x[0].n[d] / n;
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        memcpy(j, i, sizeof j);
        j[d] = me * part + i[d];
        ir_num s = ir_load(&x[0], j);
        for (int g = 1; g < n; g++) s = op_combine_wide(MESH_SUM, y->dtype, s, ir_load(&x[g], j));
        ir_store(y, i, s);
    }
    return true;
}

static bool reduce_scatter_exchange(const ir_eqn *e, op_exchange *x)
{
    if (!op_exchange_over(e, IR_ATTR(e, scatter)->axes, x)) return false;
    x->reduce = MESH_SUM;
    x->to_dim = (int)IR_ATTR(e, scatter)->dim;
    return true;
}

const op_prim prim_reduce_scatter = {
    .name = "reduce_scatter", .doc = "sum over axes, each member its part", .hlo = "stablehlo.reduce_scatter",
    .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(scatter), .field = OP_FIELDS(IR_FIELD(scatter, axes, IR_NAMES),
                                                { "scatter_dimension", IR_INT, offsetof(scatter, dim), NULL },
                                                IR_FIELD(scatter, axis_size, IR_INT),
                                                    IR_FIELD(scatter, unchecked, IR_BOOL)),
    .type = reduce_scatter_type, .rules = reduce_scatter_rules, .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = reduce_scatter_transpose, .batch = reduce_scatter_batch,
    .decompose = op_decompose_none,
    .ref = op_ref_group, .group = reduce_scatter_group, .exchange = reduce_scatter_exchange, .prog = op_prog_none,
    .cases = OP_CASES("reduce_scatter f32[4,2] {axes=[a], scatter_dimension=0, axis_size=2, unchecked=true} on a:2",
                      "reduce_scatter i32[6] {axes=[b,a], scatter_dimension=0, axis_size=6, unchecked=true} on a:2, "
                      "b:3"),
};
