/* op/index/dynamic_update_slice.c - x with a part replaced at given starts; starts are clamped so that the part is
 * inside x. Operands: x, update, then one integer scalar per dim. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <string.h>

static bool dus_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (e->nin < 2 || e->nin != 2 + (uint32_t)x[0]->rank)
        return base_fail(TT_EARG, e->site,
                         "dynamic_update_slice: %u operands; expected an array, an update and one start per dim",
                         e->nin);
    if (x[1]->dtype != x[0]->dtype || x[1]->rank != x[0]->rank)
        return op_expected(e, TT_ETYPE, "the update", OP_ONLY, x[1], "the type and rank of the array", x[0]);
    for (int d = 0; d < x[0]->rank; d++)
        if (x[1]->dim[d] > x[0]->dim[d])
            return base_fail(TT_ESHAPE, e->site,
                             "dynamic_update_slice: an update of %lld elements in dim %d; at most %lld",
                             (long long)x[1]->dim[d], d, (long long)x[0]->dim[d]);
    if (!op_check_starts(e, x + 2, x[0]->rank)) return false;
    *y = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

static void dus_rules(const ir_eqn *e,
                      op_rule *r) /* dims that the update fills pass; other dims of it are not sharded */
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) {
        const int f = op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH);
        op_dim(r, 0, d, f);
        if (IR_IN(e, 1)->dim[d] == IR_OUT(e, 0)->dim[d]) op_dim(r, 1, d, f);
        op_dim(r, (int)e->nin, d, f);
    }
}

static op_linear dus_linear(const ir_eqn *e)
{
    (void)e;
    return (op_linear){ OP_JOINT, 3 };
}

static void dus_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const ir_type *u = IR_IN(e, 1);
    if (!ct[0]) return;
    if (!x[0]) cx[0] = op_dynamic_update_slice(b, ct[0], op_zeros(b, u), x + 2);
    if (!x[1]) cx[1] = op_dynamic_slice(b, ct[0], x + 2, (ir_dims){ u->rank, u->dim });
}

/* Mapped starts: a scatter of one window per element of the batch. A scatter drops windows out of range, so the starts
 * are clamped first. */
static void dus_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const ir_type *t = IR_IN(e, 0), *u = IR_IN(e, 1);
    const int rank = t->rank;
    bool moved = false;
    (void)out;
    for (int d = 0; d < rank; d++) moved |= mapped[2 + d];
    const ir_id to = mapped[0] ? x[0] : op_spread(b, x[0], n), from = mapped[1] ? x[1] : op_spread(b, x[1], n);
    if (!moved) {
        ir_id start[IR_RANK + 1] = { rank ? op_int(b, ir_typeof(b, x[2])->dtype, 0) : op_int(b, TT_I32, 0) };
        memcpy(start + 1, x + 2, (size_t)rank * sizeof *start);
        y[0] = op_dynamic_update_slice(b, to, from, start);
        return;
    }
    int64_t most[IR_RANK];
    for (int d = 0; d < rank; d++) most[d] = t->dim[d] - u->dim[d];
    const ir_id starts = op_clamp_indices(b, op_stack_starts(b, rank, x + 2, mapped + 2, n), 1, rank, most);
    const op_scatter_attr s = {
        .update_window_dims = op_dims_range(b, 1, rank),
        .input_batching_dims = op_dims_range(b, 0, 1),
        .scatter_indices_batching_dims = op_dims_range(b, 0, 1),
        .scatter_dims_to_operand_dims = op_dims_range(b, 1, rank),
        .index_vector_dim = 1,
        .unique_indices = true,
    };
    ir_build *region = ir_region(b, base_intern("set"));
    const ir_type *scalar = ir_type_of(t->dtype, 0, NULL);
    ir_arg(region, scalar);
    const ir_id second = ir_arg(region, scalar);
    ir_fn *set = ir_end(region, 1, &second);
    y[0] = set ? ir_emit(b, &prim_scatter, &s, 3, (const ir_id[]){ to, starts, from }, 1, &set) : 0;
}

static bool dus_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_type *t = IR_IN(e, 0), *u = IR_IN(e, 1);
    int64_t i[IR_RANK], j[IR_RANK], start[IR_RANK], scalar[1] = { 0 };
    for (int d = 0; d < y->rank; d++) {
        const int64_t most = t->dim[d] - u->dim[d], s = op_load_index(&x[2 + d], scalar);
        start[d] = s < 0 ? 0 : s > most ? most : s;
    }
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        bool inside = true;
        for (int d = 0; d < y->rank; d++) j[d] = i[d] - start[d], inside &= j[d] >= 0 && j[d] < u->dim[d];
        ir_store(y, i, inside ? ir_load(&x[1], j) : ir_load(&x[0], i));
    }
    return true;
}

/* The start of dim d as i32, clamped as in the whole. */
static ir_id dus_start(op_local_fn *p, ir_id start, int64_t most)
{
    const ir_type *const t = ir_typeof(p->b, start);
    if (!t) return 0;
    const ir_id up = op_min(p->b, op_max(p->b, start, op_int(p->b, t->dtype, 0)), op_int(p->b, t->dtype, most));
    return op_convert(p->b, up, TT_I32);
}

/* Of dims in parts that the update does not fill: the update between pads as long as a part, of which the piece over
 * this part is taken; positions that are pads keep x. Starts are clamped by the slice, to pads alone. */
static bool dus_local(op_local *e, ir_id *y)
{
    op_local_fn *const p = e->p;
    const ir_type *const whole = IR_IN(e->e, 0), *const up = IR_IN(e->e, 1), *const x = ir_typeof(p->b, e->x[0]);
    int64_t pad[IR_RANK] = { 0 }, none[IR_RANK] = { 0 }, size[IR_RANK];
    ir_id from[IR_RANK], to[IR_RANK], first[IR_RANK];
    bool any = false, cut[IR_RANK];
    for (int d = 0; d < whole->rank; d++) {
        cut[d] = op_local_cut(e, 0, d) && up->dim[d] != whole->dim[d];
        any |= cut[d];
        size[d] = ir_typeof(p->b, e->x[1])->dim[d];
        from[d] = op_int(p->b, TT_I32, 0);
        to[d] = dus_start(p, e->x[2 + d], whole->dim[d] - up->dim[d]);
        if (!cut[d]) continue;
        pad[d] = size[d] = x->dim[d];
        first[d] = op_local_begin(p, e->need[0][d], whole->dim[d]);
        from[d] = op_sub(p->b, op_add(p->b, first[d], op_int(p->b, TT_I32, pad[d])), to[d]);
    }
    if (!any) return op_local_as_is(e, y);
    const ir_dims around = { x->rank, pad };
    ir_id new = op_dynamic_slice(p->b, op_pad(p->b, e->x[1], around, around, (ir_dims){ x->rank, none }), from,
                                 (ir_dims){ x->rank, size }), within = 0;
    const ir_type *const t = ir_typeof(p->b, new);
    for (int d = 0; t && d < x->rank; d++) {
        if (!cut[d]) continue;
        const ir_id at = op_local_positions(p, t, d, first[d]),
                    i = op_broadcast(p->b, to[d], ir_type_of(TT_I32, t->rank, t->dim), 0, NULL);
        const ir_id in = op_local_inside(p, op_sub(p->b, at, i), up->dim[d]);
        within = within ? op_and(p->b, within, in) : in;
        to[d] = op_int(p->b, TT_I32, 0);
    }
    new = op_select(p->b, within, new, op_dynamic_slice(p->b, e->x[0], to, (ir_dims){ x->rank, size }));
    return (y[0] = op_dynamic_update_slice(p->b, e->x[0], new, to)) != 0;
}

const op_prim prim_dynamic_update_slice = {
    .name = "dynamic_update_slice",
    .doc = "an array with a part replaced at computed starts",
    .hlo = "stablehlo.dynamic_update_slice",
    .call = "",
    .nin = -1,
    .nout = 1,
    .kernel = OP_MOVE,
    .type = dus_type,
    .rules = dus_rules,
    .linear = dus_linear,
    .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = dus_transpose,
    .batch = dus_batch,
    .decompose = op_decompose_none,
    .ref = dus_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = dus_local),
    .cases =
        OP_CASES("dynamic_update_slice f32[5,4], f32[2,4], i32[], i32[]", "dynamic_update_slice f32[6], f32[3], u8[]",
                 "dynamic_update_slice i32[3,2], i32[0,2], i64[], i64[]", "dynamic_update_slice bf16[], bf16[]"),
};
