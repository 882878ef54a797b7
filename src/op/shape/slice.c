/* op/shape/slice.c - every stride-th element of [start, limit) along each dim. */
#include "../build.h"
#include "../local/local.h"

#include <string.h>

#define LL(x) ((long long)(x))
typedef op_slice_attr slice;

static bool slice_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const slice *a = IR_ATTR(e, slice);
    int64_t dim[IR_RANK];
    if (!op_check_count(e, "start_indices", a->start_indices, x[0]->rank) ||
        !op_check_count(e, "limit_indices", a->limit_indices, x[0]->rank) ||
        !op_check_count(e, "strides", a->strides, x[0]->rank))
        return false;
    for (int d = 0; d < x[0]->rank; d++) {
        const int64_t lo = a->start_indices.v[d], hi = a->limit_indices.v[d], s = a->strides.v[d];
        if (lo < 0 || hi < lo || hi > x[0]->dim[d] || s < 1)
            return base_fail(TT_ESHAPE, e->site, "slice: [%lld:%lld:%lld] of dim %d of size %lld", LL(lo), LL(hi),
                             LL(s), d, LL(x[0]->dim[d]));
        dim[d] = (hi - lo) / s + ((hi - lo) % s != 0);
    }
    *y = ir_type_of(x[0]->dtype, x[0]->rank, dim);
    return true;
}

/* A complete dim passes; any other dim reads a window of the operand. */
static void slice_rules(const ir_eqn *e, op_rule *r)
{
    const slice *a = IR_ATTR(e, slice);
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const int64_t size = IR_OUT(e, 0)->dim[d], lo = a->start_indices.v[d];
        const bool whole = size == IR_IN(e, 0)->dim[d];
        const int f = op_factor(r, size, whole ? OP_PASS_THROUGH : OP_PERMUTATION);
        if (whole) op_dim(r, 0, d, f);
        else op_dim_window(r, 0, d, f, (op_window){ a->strides.v[d], lo, lo, 1 });
        op_dim(r, 1, d, f);
    }
}

static void slice_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    /* pads with zeros: low = start, interior = stride - 1 */
    const slice *a = IR_ATTR(e, slice);
    const int rank = IR_IN(e, 0)->rank;
    int64_t hi[IR_RANK], in[IR_RANK];
    if (x[0] || !ct[0]) return;
    for (int d = 0; d < rank; d++) {
        const int64_t n = IR_OUT(e, 0)->dim[d], s = a->strides.v[d];
        in[d] = s - 1;
        hi[d] = IR_IN(e, 0)->dim[d] - a->start_indices.v[d] - (n ? (n - 1) * s + 1 : 0);
    }
    cx[0] = op_pad(b, ct[0], a->start_indices, (ir_dims){ rank, hi }, (ir_dims){ rank, in });
}

static void slice_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                        bool *out)
{
    const slice *a = IR_ATTR(e, slice);
    (void)mapped;
    (void)out;
    y[0] = op_slice(b, x[0], op_dims_shifted(b, a->start_indices, 0, 1, 0),
                    op_dims_shifted(b, a->limit_indices, 0, 1, n), op_dims_shifted(b, a->strides, 0, 1, 1));
}

static bool slice_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const slice *a = IR_ATTR(e, slice);
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        for (int d = 0; d < y->rank; d++) j[d] = a->start_indices.v[d] + i[d] * a->strides.v[d];
        ir_store(y, i, ir_load(x, j));
    }
    return true;
}

static bool slice_local(op_local *e, ir_id *y)
{
    op_slice_attr a = *IR_ATTR(e->e, op_slice_attr);
    int64_t start[IR_RANK], limit[IR_RANK];
    if (!op_local_windows(e, 0, 0)) return false;
    const ir_type *const t = ir_typeof(e->p->b, e->x[0]);
    for (int d = 0; d < t->rank; d++) {
        const bool part = t->dim[d] != IR_IN(e->e, 0)->dim[d] || op_local_windowed(&e->c, 0, d);
        start[d] = part ? 0 : a.start_indices.v[d];      /* a dim that is sharded and no window is whole */
        limit[d] = part ? t->dim[d] : a.limit_indices.v[d];
    }
    a.start_indices = (ir_dims){ t->rank, start };
    a.limit_indices = (ir_dims){ t->rank, limit };
    return op_local_emit(e, &a, y);
}

const op_prim prim_slice = {
    .name = "slice",
    .doc = "a strided part",
    .hlo = "stablehlo.slice",
    .call = "",
    .nin = 1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(slice),
    .field = OP_FIELDS(IR_FIELD(slice, start_indices, IR_DIMS), IR_FIELD(slice, limit_indices, IR_DIMS),
                       IR_FIELD(slice, strides, IR_DIMS)),
    .type = slice_type,
    .rules = slice_rules,
    .linear = op_joint,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = slice_transpose,
    .batch = slice_batch,
    .decompose = op_decompose_none,
    .ref = slice_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = slice_local, .windows = OP_LOCAL_READ),
    .cases = OP_CASES("slice f32[8,5] {start_indices=[1,0], limit_indices=[8,5], strides=[3,1]}",
                      "slice i32[4] {start_indices=[2], limit_indices=[2], strides=[1]}",
                      "slice f32[7] {start_indices=[0], limit_indices=[7], strides=[2]}",
                      "slice f64[] {start_indices=[], limit_indices=[], strides=[]}",
                      "slice bool[3,0,2] {start_indices=[1,0,1], limit_indices=[3,0,2], strides=[1,1,5]}"),
};
