/* op/coll/all_to_all.c - splits dim split_dimension into as many parts as there are members; each member receives its
 * part of every member's value, concatenated along dim concat_dimension, which is another dim. The transpose exchanges
 * the two dims. */
#include "../build.h"

#include <string.h>

typedef op_all_to_all_attr a2a;

static bool all_to_all_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const a2a *a = IR_ATTR(e, a2a);
    int64_t dim[IR_RANK];
    if (!op_check_group_size(e, a->axes, a->axis_size)) return false;
    if (a->split_dimension < 0 || a->split_dimension >= x[0]->rank || a->concat_dimension < 0 ||
        a->concat_dimension >= x[0]->rank)
        return base_fail(TT_ESHAPE, e->site, "all_to_all: from dim %lld to dim %lld of a value of rank %d",
                         (long long)a->split_dimension, (long long)a->concat_dimension, x[0]->rank);
    if (a->split_dimension == a->concat_dimension) {
        base_fail(TT_ESHAPE, e->site, "all_to_all: from dim %lld to itself", (long long)a->split_dimension);
        return base_hint("reshape the value so that the parts are a dim of their own");
    }
    if (x[0]->dim[a->split_dimension] % a->axis_size)
        return base_fail(TT_ESHAPE, e->site, "all_to_all: dim %lld of size %lld does not divide by %lld members",
                         (long long)a->split_dimension, (long long)x[0]->dim[a->split_dimension],
                             (long long)a->axis_size);
    if (!op_must_vary(e, x[0], a->axes, a->unchecked)) return false;
    memcpy(dim, x[0]->dim, (size_t)x[0]->rank * sizeof *dim);
    dim[a->split_dimension] /= a->axis_size;
    dim[a->concat_dimension] *= a->axis_size;
    *y = ir_type_as(x[0], x[0]->dtype, x[0]->rank, dim);
    return true;
}

static void all_to_all_rules(const ir_eqn *e, op_rule *r)
{
    const a2a *a = IR_ATTR(e, a2a);
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const bool whole = d == a->split_dimension || d == a->concat_dimension;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], whole ? OP_NEED_REPLICATION : OP_PASS_THROUGH);
        op_dim(r, 0, d, f);
        op_dim(r, 1, d, whole ? op_factor(r, IR_OUT(e, 0)->dim[d], OP_NEED_REPLICATION) : f);
    }
}

static void all_to_all_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const a2a *a = IR_ATTR(e, a2a);
    if (!x[0] && ct[0])
        cx[0] = ir_emit(b, e->op, &(a2a){ a->axes, a->concat_dimension, a->split_dimension, a->axis_size,
                                          a->unchecked }, 1, ct, 0, NULL);
}

/* The split dim is [major, n, minor, T] (major and minor if there are such axes). Over the mapped axis, the exchange
 * only renames dims: dim 0 becomes the source, n the target. Over the other axes it is an all_to_all in place. Result:
 * [n | .., T, .., (major, source, minor, C), ..]. */
static void all_to_all_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                             bool *out)
{
    const a2a *a = IR_ATTR(e, a2a);
    const op_axes s = op_axes_split(b, a->axes);
    const int rank = IR_IN(e, 0)->rank, sp = (int)a->split_dimension, cc = (int)a->concat_dimension;
    int64_t major, minor, dim[IR_RANK + 4], perm[IR_RANK + 4];
    ir_id v = x[0];
    (void)out;
    if (s.at < 0) {
        y[0] = op_all_to_all(b, v, a->axes, sp + 1, cc + 1, a->axis_size, a->unchecked);
        return;
    }
    if (rank + 4 > IR_RANK) {
        base_fail(TT_ESHAPE, e->site, "all_to_all: vmap over a value of rank %d needs %d dims; at most %d are allowed",
                  rank, rank + 4, IR_RANK);
        return;
    }
    if (!op_axes_sizes(b, e, &s, a->axis_size / n, &major, &minor)) return;
    if (!mapped[0]) v = op_spread(b, v, n);
    const int at = sp + 1 + (s.major.n > 0), extra = 1 + (s.major.n > 0) + (s.minor.n > 0);
    int64_t *to = dim;
    *to++ = n;                                           /* [source, .., (major), n, (minor), T, ..] */
    for (int d = 0; d < rank; d++) {
        if (d == sp && s.major.n) *to++ = major;
        if (d == sp) *to++ = n;
        if (d == sp && s.minor.n) *to++ = minor;
        *to++ = d == sp ? IR_IN(e, 0)->dim[d] / a->axis_size : IR_IN(e, 0)->dim[d];
    }
    v = op_reshape(b, v, rank + 1 + extra, dim);
    if (s.major.n) v = op_all_to_all(b, v, s.major, at - 1, at - 1, major, a->unchecked);
    if (s.minor.n) v = op_all_to_all(b, v, s.minor, at + 1, at + 1, minor, a->unchecked);
    to = perm;
    *to++ = at;
    for (int d = 0; d < rank; d++) {
        if (d == cc && s.major.n) *to++ = at - 1;
        if (d == cc) *to++ = 0;
        if (d == cc && s.minor.n) *to++ = at + 1;
        *to++ = d < sp ? d + 1 : d + 1 + extra;
    }
    v = op_transpose(b, v, perm);
    dim[0] = n;
    memcpy(dim + 1, IR_OUT(e, 0)->dim, (size_t)rank * sizeof *dim);
    y[0] = op_reshape(b, v, rank + 1, dim);
}

static bool all_to_all_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    const a2a *a = IR_ATTR(e, a2a);
    const int64_t part = x[0].n[a->split_dimension] / n, each = x[0].n[a->concat_dimension];
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        memcpy(j, i, sizeof j);
        j[a->concat_dimension] = i[a->concat_dimension] % each;
        j[a->split_dimension] += me * part;
        ir_store(y, i, ir_load(&x[i[a->concat_dimension] / each], j));
    }
    return true;
}

static bool all_to_all_exchange(const ir_eqn *e, op_exchange *x)
{
    if (!op_exchange_over(e, IR_ATTR(e, a2a)->axes, x)) return false;
    x->from_dim = (int)IR_ATTR(e, a2a)->concat_dimension;
    x->to_dim = (int)IR_ATTR(e, a2a)->split_dimension;
    return true;
}

const op_prim prim_all_to_all = {
    .name = "all_to_all", .doc = "every member's part for every member", .hlo = "stablehlo.all_to_all", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(a2a), .field = OP_FIELDS(IR_FIELD(a2a, axes, IR_NAMES), IR_FIELD(a2a, split_dimension, IR_INT),
                                            IR_FIELD(a2a, concat_dimension, IR_INT), IR_FIELD(a2a, axis_size, IR_INT),
                                            IR_FIELD(a2a, unchecked, IR_BOOL)),
    .type = all_to_all_type, .rules = all_to_all_rules, .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = all_to_all_transpose, .batch = all_to_all_batch, .decompose = op_decompose_none,
    .ref = op_ref_group, .group = all_to_all_group, .exchange = all_to_all_exchange, .prog = op_prog_none,
    .cases = OP_CASES("all_to_all f32[4,3] {axes=[a], split_dimension=0, concat_dimension=1, axis_size=2, "
                      "unchecked=true} on a:2",
                      "all_to_all i32[6,2] {axes=[b,a], split_dimension=0, concat_dimension=1, axis_size=6, "
                      "unchecked=true} on a:2, b:3"),
};
