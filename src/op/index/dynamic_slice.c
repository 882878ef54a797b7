/* op/index/dynamic_slice.c - the part of given sizes at given starts; starts are clamped so that the part is inside x.
 * Operands: x, then one integer scalar per dim. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <string.h>

typedef op_dynamic_slice_attr dynamic_slice;

static bool dynamic_slice_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_dims size = IR_ATTR(e, dynamic_slice)->slice_sizes;
    if (!e->nin || e->nin != 1 + (uint32_t)x[0]->rank)
        return base_fail(TT_EARG, e->site, "dynamic_slice: %u operands; expected an array and one start per dim",
                         e->nin);
    if (!op_check_count(e, "slice_sizes", size, x[0]->rank) || !op_check_starts(e, x + 1, x[0]->rank)) return false;
    for (int d = 0; d < size.n; d++)
        if (size.v[d] < 0 || size.v[d] > x[0]->dim[d])
            return base_fail(TT_ESHAPE, e->site, "dynamic_slice: %lld elements of dim %d; expected 0 to %lld",
                             (long long)size.v[d], d, (long long)x[0]->dim[d]);
    *y = ir_type_of(x[0]->dtype, size.n, size.v);
    return true;
}

static void dynamic_slice_rules(const ir_eqn *e,
                                op_rule *r) /* dims taken completely pass; other dims of x are not sharded */
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int64_t size = IR_OUT(e, 0)->dim[d];
        const int f = op_factor(r, size, OP_PASS_THROUGH);
        if (size == IR_IN(e, 0)->dim[d]) op_dim(r, 0, d, f);
        op_dim(r, (int)e->nin, d, f);
    }
}

static op_linear dynamic_slice_linear(const ir_eqn *e)
{
    (void)e;
    return (op_linear){ OP_JOINT, 1 };
}

static void dynamic_slice_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    if (!x[0] && ct[0]) cx[0] = op_dynamic_update_slice(b, op_zeros(b, IR_IN(e, 0)), ct[0], x + 1);
}

/* Mapped starts: a gather of one window per element of the batch, which clamps in the same way. */
static void dynamic_slice_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                                bool *out)
{
    const ir_dims size = IR_ATTR(e, dynamic_slice)->slice_sizes;
    const int rank = size.n, lead = mapped[0];
    bool moved = false;
    (void)out;
    for (int d = 0; d < rank; d++) moved |= mapped[1 + d];
    if (!moved) {
        ir_id start[IR_RANK + 1] = { rank ? op_int(b, ir_typeof(b, x[1])->dtype, 0) : op_int(b, TT_I32, 0) };
        memcpy(start + 1, x + 1, (size_t)rank * sizeof *start);
        y[0] = op_dynamic_slice(b, x[0], start, op_dims_shifted(b, size, 0, 1, n));
        return;
    }
    const op_gather_attr g = {
        .offset_dims = op_dims_range(b, 1, rank),
        .start_index_map = op_dims_range(b, lead, rank),
        .operand_batching_dims = op_dims_range(b, 0, lead),
        .start_indices_batching_dims = op_dims_range(b, 0, lead),
        .index_vector_dim = 1,
        .slice_sizes = op_dims_shifted(b, size, 0, lead, n ? 1 : 0),
    };
    const ir_id in[2] = { x[0], op_stack_starts(b, rank, x + 1, mapped + 1, n) };
    y[0] = ir_emit(b, &prim_gather, &g, 2, in, 0, NULL);
}

static bool dynamic_slice_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK], j[IR_RANK], start[IR_RANK], scalar[1] = { 0 };
    for (int d = 0; d < y->rank; d++) {
        const int64_t most = IR_IN(e, 0)->dim[d] - IR_OUT(e, 0)->dim[d], s = op_load_index(&x[1 + d], scalar);
        start[d] = s < 0 ? 0 : s > most ? most : s;
    }
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        for (int d = 0; d < y->rank; d++) j[d] = start[d] + i[d];
        ir_store(y, i, ir_load(&x[0], j));
    }
    return true;
}

static bool dynamic_slice_local(op_local *e, ir_id *y)
{
    op_dynamic_slice_attr a = *IR_ATTR(e->e, op_dynamic_slice_attr);
    const int out = (int)e->e->nin, rank = IR_OUT(e->e, 0)->rank;
    int64_t size[IR_RANK];
    mesh_list has[IR_RANK + 1] = { 0 };
    for (int d = 0; d < rank; d++) {
        const bool whole = a.slice_sizes.v[d] == IR_IN(e->e, 0)->dim[d];
        size[d] = whole ? ir_typeof(e->p->b, e->x[0])->dim[d] : a.slice_sizes.v[d];
        if (whole) has[d] = e->need[out][d];
    }
    a.slice_sizes = (ir_dims){ rank, size };
    if (!op_local_emit(e, &a, y)) return false;
    return (y[0] = op_local_take(e->p, y[0], IR_OUT(e->e, 0), has, e->need[out])) != 0;
}

const op_prim prim_dynamic_slice = {
    .name = "dynamic_slice",
    .doc = "a part at computed starts",
    .hlo = "stablehlo.dynamic_slice",
    .call = "",
    .nin = -1,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(dynamic_slice),
    .field = OP_FIELDS(IR_FIELD(dynamic_slice, slice_sizes, IR_DIMS)),
    .type = dynamic_slice_type,
    .rules = dynamic_slice_rules,
    .linear = dynamic_slice_linear,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = dynamic_slice_transpose,
    .batch = dynamic_slice_batch,
    .decompose = op_decompose_none,
    .ref = dynamic_slice_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = dynamic_slice_local),
    .cases = OP_CASES(
        "dynamic_slice f32[5,4], i32[], i32[] {slice_sizes=[2,4]}", "dynamic_slice f32[6], u8[] {slice_sizes=[3]}",
        "dynamic_slice i32[3,0], i64[], i64[] {slice_sizes=[1,0]}", "dynamic_slice f32[] {slice_sizes=[]}",
        "dynamic_slice bf16[4,3], i32[], i32[] {slice_sizes=[4,0]}"),
};
