/* op/index/scatter.c - x with windows of updates combined into it, at starts read from indices: StableHLO's scatter.
 *
 * Operands: x, indices, updates. The region (old, update) -> new is a monoid ("add"), returns its second parameter
 * ("set"), or is any other function. A window that is not inside x is dropped. Updates are applied in row-major order,
 * so that of "set"s at the same index the last one remains.
 *
 * With a monoid the scattered dims may be sharded: each part starts from the monoid's identity, except the part that
 * holds index 0 of the scattered dims, which starts from x. */
#include "scatter_common.h"
#include "../local/local.h"
#include "../ops.h"

typedef op_scatter_attr scatter;
typedef op_scatter_plan plan;

/* ---- types ---- */

static bool scatter_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *f = e->sub[0];
    if (f->narg != 2 || f->nret != 1 || f->type[f->ret[0]]->rank || f->type[f->ret[0]]->dtype != x[0]->dtype ||
        f->type[1]->rank || f->type[2]->rank || f->type[1]->dtype != x[0]->dtype || f->type[2]->dtype != x[0]->dtype)
        return base_fail(TT_ETYPE, e->site,
                         "scatter: the region must take two scalars of the array's type and return one");
    if (!op_scatter_check(e, x[0], x[1], x[2])) return false;
    *y = ir_type_of(x[0]->dtype, x[0]->rank, x[0]->dim);
    return true;
}

static bool sets(const ir_fn *f) { return f->neqn == 0 && f->ret[0] == 2; } /* True if (old, update) -> update */

/* ---- rule ---- */

/* Complex numbers have an order, but it does not combine parts. */
static mesh_reduce scatter_leaves(const ir_eqn *e)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    return (reduce == MESH_MAX || reduce == MESH_MIN) && op_is_complex(IR_IN(e, 0)->dtype) ? MESH_NONE : reduce;
}

static void scatter_rules(const ir_eqn *e, op_rule *r)
{
    const scatter *a = IR_ATTR(e, scatter);
    const ir_type *x = IR_IN(e, 0), *up = IR_IN(e, 2);
    const plan p = op_scatter_plan_of(a, x, IR_IN(e, 1));
    const bool known = scatter_leaves(e) != MESH_NONE;
    for (int i = 0; i < p.nbatch; i++) {
        const ir_dims both = a->scatter_indices_batching_dims;
        const int64_t size = up->dim[p.batch_up[i]];
        const bool batching = op_dims_has(both, p.batch_in[i]);
        const int f = op_factor(r, size, batching ? OP_PASS_THROUGH : known &&
            size ? OP_REDUCTION : OP_NEED_REPLICATION);
        op_dim(r, 1, p.batch_in[i], f);
        op_dim(r, 2, p.batch_up[i], f);
        for (int k = 0; k < both.n; k++)
            if (both.v[k] == p.batch_in[i])
                op_dim(r, 0, (int)a->input_batching_dims.v[k], f), op_dim(r, 3, (int)a->input_batching_dims.v[k], f);
    }
    for (int d = 0; d < x->rank; d++) { /* windows are masked to the result's box */
        if (op_dims_has(a->input_batching_dims, d)) continue;
        const int f = op_factor(r, x->dim[d], OP_PASS_THROUGH);
        op_dim(r, 0, d, f);
        op_dim(r, 3, d, f);
        for (int i = 0; i < p.nwindow; i++)
            if (p.window[i] == d && up->dim[a->update_window_dims.v[i]] == x->dim[d])
                op_dim(r, 2, (int)a->update_window_dims.v[i], f);
    }
}

static op_linear scatter_linear(const ir_eqn *e)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    if (reduce == MESH_SUM || sets(e->sub[0])) return (op_linear){ OP_JOINT, 5 };
    return reduce == MESH_PROD ? (op_linear){ OP_JOINT, 1 } : (op_linear){ OP_NONLINEAR, 0 };
}

/* ---- derivatives ---- */

static ir_id again_with(ir_build *b, const ir_eqn *e, ir_id x, ir_id indices, ir_id updates, ir_fn *f)
{
    return f ? ir_emit(b, e->op, e->attr, 3, (const ir_id[]){ x, indices, updates }, 1, &f) : 0;
}

static ir_id scatter_added(ir_build *b, const ir_eqn *e, ir_id indices, ir_id updates) /* updates added into zeros */
{
    if (!updates) return 0;
    const tt_dtype dtype = ir_typeof(b, updates)->dtype;
    return again_with(b, e, op_zeros(b, ir_type_of(dtype, IR_IN(e, 0)->rank, IR_IN(e, 0)->dim)), indices, updates,
                      op_reducer(b, &prim_add, dtype));
}

/* The elements of x at the updates' positions; zeros for updates that are dropped. */
static ir_id gathered(ir_build *b, const ir_eqn *e, ir_id x, ir_id indices)
{
    const scatter *a = IR_ATTR(e, scatter);
    const plan p = op_scatter_plan_of(a, IR_IN(e, 0), IR_IN(e, 1));
    int64_t size[IR_RANK];
    for (int d = 0; d < p.rank; d++)
        size[d] = op_dims_has(a->input_batching_dims, d) && !IR_IN(e, 0)->dim[d]
                      ? 0
                      : op_scatter_window(a, &p, IR_IN(e, 2), d);
    const op_gather_attr g = {
        .offset_dims = a->update_window_dims,
        .collapsed_slice_dims = a->inserted_window_dims,
        .operand_batching_dims = a->input_batching_dims,
        .start_indices_batching_dims = a->scatter_indices_batching_dims,
        .start_index_map = a->scatter_dims_to_operand_dims,
        .index_vector_dim = a->index_vector_dim,
        .slice_sizes = { p.rank, size },
        .indices_are_sorted = a->indices_are_sorted,
        .fill = true,
    };
    return ir_emit(b, &prim_gather, &g, 2, (const ir_id[]){ x, indices }, 0, NULL);
}

/* A mask of the updates of a "set" that no later update overwrites: the numbers 1, 2, ... are scattered in place of the
 * updates, read back and compared. */
static ir_id survivors(ir_build *b, const ir_eqn *e, ir_id indices)
{
    const ir_type *up = IR_IN(e, 2), *t = ir_type_of(TT_I32, IR_IN(e, 0)->rank, IR_IN(e, 0)->dim);
    const int64_t n = ir_count(up);
    const ir_type *flat = ir_type_of(TT_I32, 1, &n);
    const ir_id count = op_add(b, op_iota(b, flat, 0), op_ones(b, flat)),
                number = op_reshape(b, count, up->rank, up->dim);
    ir_build *region = ir_region(b, base_intern("set"));
    ir_arg(region, ir_type_of(TT_I32, 0, NULL));
    const ir_id second = ir_arg(region, ir_type_of(TT_I32, 0, NULL));
    const ir_id placed = again_with(b, e, op_zeros(b, t), indices, number, ir_end(region, 1, &second));
    return op_equal(b, gathered(b, e, placed, indices), number);
}

static void scatter_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    ir_fn *f = e->sub[0];
    if (!ct[0]) return;
    if (sets(f)) {
        if (!x[0]) cx[0] = again_with(b, e, ct[0], x[1], op_zeros(b, IR_IN(e, 2)), f);
        if (!x[2]) {
            const ir_id c = gathered(b, e, ct[0], x[1]);
            cx[2] = IR_ATTR(e, scatter)->unique_indices
                        ? c
                        : op_select(b, survivors(b, e, x[1]), c, op_zeros(b, IR_IN(e, 2)));
        }
    } else if (op_monoid(f) == MESH_SUM) {
        if (!x[0]) cx[0] = ct[0];
        if (!x[2]) cx[2] = gathered(b, e, ct[0], x[1]);
    } else {
        if (!x[0]) cx[0] = again_with(b, e, ct[0], x[1], x[2], f); /* multiplied by the same updates */
    }
}

/* max, min: the elements that equal the result (updates, and x's element) share the result's tangent evenly. */
static void extremal_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *y, const ir_id *dx, ir_id *dy)
{
    const tt_dtype dtype = IR_IN(e, 0)->dtype;
    const ir_id mine = op_convert(b, op_equal(b, x[0], y[0]), dtype);
    const ir_id won = op_convert(b, op_equal(b, x[2], gathered(b, e, y[0], x[1])), dtype);
    const ir_id count = op_add(b, mine, scatter_added(b, e, x[1], won));
    const ir_id share = op_div(b, op_ones(b, IR_IN(e, 0)), count);
    if (dx[0]) dy[0] = op_mul(b, dx[0], op_mul(b, mine, share));
    if (dx[2])
        dy[0] = op_plus(b, dy[0], scatter_added(b, e, x[1], op_mul(b, dx[2],
            op_mul(b, won, gathered(b, e, share, x[1])))));
}

static void scatter_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    if (reduce == MESH_SUM || sets(e->sub[0])) {
        op_jvp_linear(b, e, x, y, dx, dy);
    } else if (reduce == MESH_PROD && (!dx[2] || IR_ATTR(e, scatter)->unique_indices)) {
        dy[0] = dx[0] ? again_with(b, e, dx[0], x[1], x[2], e->sub[0]) : 0;
        if (dx[2]) dy[0] = op_plus(b, dy[0], scatter_added(b, e, x[1], op_mul(b, dx[2], gathered(b, e, x[0], x[1]))));
    } else if (reduce == MESH_MAX || reduce == MESH_MIN) {
        extremal_jvp(b, e, x, y, dx, dy);
    } else {
        op_jvp_none(b, e, x, y, dx, dy);
    }
}

/* ---- batch ---- */

/* Indices are not mapped: windows span the new dim. Indices are mapped: the new dim is a batching dim of all three
 * operands. */
static void scatter_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                          bool *out)
{
    (void)out;
    const scatter s = op_scatter_batched(b, IR_ATTR(e, scatter), mapped[1]);
    const ir_id to = mapped[0] ? x[0] : op_spread(b, x[0], n), from = mapped[2] ? x[2] : op_spread(b, x[2], n);
    y[0] = ir_emit(b, e->op, &s, 3, (const ir_id[]){ to, x[1], from }, 1, e->sub);
}

/* ---- the definition ---- */

/* Initialises the result with x, or with the identity if another part of a sharded scatter starts from x. */
static bool start_from(const ir_eqn *e, const plan *p, const ir_box *x, const ir_box *y)
{
    const scatter *a = IR_ATTR(e, scatter);
    bool first = true;
    int64_t i[IR_RANK];
    for (int k = 0; k < p->nbatch; k++)
        first &= x[2].lo[p->batch_up[k]] == 0 || op_dims_has(a->scatter_indices_batching_dims, p->batch_in[k]);
    if (first) return ir_copy(&x[0], y);
    const ir_num nothing = op_identity_num(op_monoid(e->sub[0]), y->dtype);
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) ir_store(y, i, nothing);
    return true;
}

static bool scatter_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const plan p = op_scatter_plan_of(IR_ATTR(e, scatter), IR_IN(e, 0), IR_IN(e, 1));
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    const bool set = sets(e->sub[0]);
    ir_num value[3];
    const int64_t scalar[1] = { 0 };
    ir_num mem[3];
    ir_box arg[3];
    for (int k = 0; k < 3; k++) arg[k] = (ir_box){ .at = &mem[k], .dtype = y->dtype };
    if (!start_from(e, &p, x, y)) return false;
    int64_t i[IR_RANK], j[IR_RANK];
    for (bool more = ir_first(&x[2], i); more; more = ir_next(&x[2], i)) {
        bool here = op_scatter_target(e, &p, IR_IN(e, 0), IR_IN(e, 2), &x[1], i, j);
        for (int d = 0; d < y->rank; d++) here = here && j[d] >= y->lo[d] && j[d] < y->lo[d] + y->n[d];
        if (!here) continue;
        value[0] = ir_load(y, j);
        value[1] = value[2] = ir_load(&x[2], i);
        if (reduce) {
            value[2] = op_combine(reduce, y->dtype, value[0], value[1]);
        } else if (!set) {
            for (int k = 0; k < 2; k++) ir_store(&arg[k], scalar, value[k]);
            if (!ir_eval(e->sub[0], arg, arg + 2)) return false;
            value[2] = ir_load(&arg[2], scalar);
        }
        ir_store(y, j, value[2]);
    }
    return true;
}

/* ---- on a device's part ---- */

static bool scatter_local(op_local *e, ir_id *y)
{
    op_local_fn *const p = e->p;
    const op_scatter_attr *const a = IR_ATTR(e->e, op_scatter_attr);
    const ir_type *const x = IR_IN(e->e, 0), *const up = IR_IN(e->e, 2);
    const mesh_reduce kind = op_monoid(e->e->sub[0]);
    const int n = a->scatter_dims_to_operand_dims.n;
    const plan at = op_scatter_plan_of(a, x, IR_IN(e->e, 1));
    ir_id offset[IR_RANK + 1] = { 0 };
    const mesh_set over = op_local_summed(e);
    bool shifts = false;
    if (over && !(e->x[0] = op_local_once(p, e->x[0], over, kind))) return false;      /* x counts once */
    for (int d = 0; d < x->rank; d++) {
        const int64_t window = op_scatter_window(a, &at, up, d);
        if (!op_local_cut(e, 0, d) || op_dims_has(a->input_batching_dims, d) || window == x->dim[d]) continue;
        int k = 0;
        while (a->scatter_dims_to_operand_dims.v[k] != d) k++;
        offset[k] = op_local_begin(p, e->need[0][d], x->dim[d]);
        shifts = true;
    }
    if (shifts && !(e->x[1] = op_local_indices(p, e->x[1], a->index_vector_dim, n, offset))) return false;
    return op_local_as_is(e, y);
}

static const char *scatter_refuses(const op_local_choice *c)
{
    const op_scatter_attr *const a = IR_ATTR(c->e, op_scatter_attr);
    const ir_type *const x = IR_IN(c->e, 0), *const up = IR_IN(c->e, 2);
    const plan at = op_scatter_plan_of(a, x, IR_IN(c->e, 1));
    for (int d = 0; d < x->rank; d++) {
        const int64_t window = op_scatter_window(a, &at, up, d);
        if (mesh_list_size(c->from, op_local_list(c, 0, d)) == 1 || op_dims_has(a->input_batching_dims, d)) continue;
        if (window == x->dim[d]) continue;
        if (window != 1) return "its windows may cross parts";
        if (!op_dims_has(a->scatter_dims_to_operand_dims, d)) return "a dim in parts is written at index 0 alone";
    }
    return NULL;
}

const op_prim prim_scatter = {
    .name = "scatter",
    .doc = "windows combined in at computed starts",
    .hlo = "stablehlo.scatter",
    .call = "",
    .nin = 3,
    .nout = 1,
    .nsub = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(scatter),
    .field = OP_FIELDS(
        IR_FIELD(scatter, update_window_dims, IR_DIMS), IR_FIELD(scatter, inserted_window_dims, IR_DIMS),
        IR_FIELD(scatter, input_batching_dims, IR_DIMS), IR_FIELD(scatter, scatter_indices_batching_dims, IR_DIMS),
        IR_FIELD(scatter, scatter_dims_to_operand_dims, IR_DIMS), IR_FIELD(scatter, index_vector_dim, IR_INT),
        IR_FIELD(scatter, indices_are_sorted, IR_BOOL), IR_FIELD(scatter, unique_indices, IR_BOOL)),
    .type = scatter_type,
    .rules = scatter_rules,
    .linear = scatter_linear,
    .partial = scatter_leaves,
    .jvp = scatter_jvp,
    .transpose = scatter_transpose,
    .batch = scatter_batch,
    .decompose = op_decompose_none,
    .ref = scatter_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none, .pair = op_pair_each,
    .local = OP_LOCAL(.rule = scatter_local, .refuses = scatter_refuses),
    .cases = OP_CASES(
        "scatter f32[5,3], i32[4,1], f32[4,3] {update_window_dims=[1], inserted_window_dims=[0], "
        "scatter_dims_to_operand_dims=[0], index_vector_dim=1} add",
        "scatter f32[5,4], i32[2,3], f32[2,3,2] {update_window_dims=[2], inserted_window_dims=[0], "
        "scatter_dims_to_operand_dims=[0], index_vector_dim=2} (a f32, b f32) { return b }",
        "scatter f32[3,5,2], i32[3,2,1], f32[3,2,2] {update_window_dims=[2], inserted_window_dims=[1], "
        "input_batching_dims=[0], "
        "scatter_indices_batching_dims=[0], scatter_dims_to_operand_dims=[1], index_vector_dim=2} max",
        "scatter f32[4,6], i64[2,3], f32[2,3,1] {update_window_dims=[0,2], scatter_dims_to_operand_dims=[1,0], "
        "index_vector_dim=0} min",
        "scatter f32[5], i32[3], f32[3] {inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
        "index_vector_dim=1} mul",
        "scatter i32[6], i32[4,1], i32[4] {inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
        "index_vector_dim=1} "
        "(a i32, b i32) { c = sub a, b; return c }",
        "scatter u8[0,3], i32[2,1], u8[2,0,2] {update_window_dims=[1,2], scatter_dims_to_operand_dims=[1], "
        "index_vector_dim=1} or"),
};
