/* op/index/gather.c - windows of x at starts read from indices: StableHLO's gather, batching dims included.
 *
 * A result index has offset dims (position in the window) and batch dims (number of the window: an index into indices
 * without its index_vector_dim). The start of a window is clamped so that the window is inside x. With .fill, a window
 * that is not inside x is zeros instead, with .nan too NaN (true for bools), as in jnp.take. The derivative is a
 * scatter with add, which clamps its starts in the same way, or drops the filled windows. */
#include "../build.h"
#include "../local/local.h"
#include "../ops.h"

#include <math.h>
#include <string.h>

#define LL(x) ((long long)(x))
typedef op_gather_attr gather;

/* Positions of dims, from attributes and types. */
typedef struct {
    int rank, nbatch, noffset;                 /* rank of x; numbers of batch dims and offset dims of the result */
    int window[IR_RANK];                       /* result offset dim i runs along x's dim window[i] */
    int batch_out[IR_RANK], batch_in[IR_RANK]; /* batch dim i: its position in the result, in indices */
} plan;

static plan gather_plan(const gather *a, const ir_type *x, const ir_type *indices)
{
    plan p = { .rank = x->rank };
    for (int d = 0; d < x->rank; d++)
        if (!op_dims_has(a->collapsed_slice_dims, d) && !op_dims_has(a->operand_batching_dims, d))
            p.window[p.noffset++] = d;
    for (int d = 0; d < indices->rank; d++)
        if (d != a->index_vector_dim) p.batch_in[p.nbatch++] = d;
    for (int d = 0, n = 0; d < p.nbatch + a->offset_dims.n && n < p.nbatch; d++)
        if (!op_dims_has(a->offset_dims, d)) p.batch_out[n++] = d;
    return p;
}

static bool gather_lists(const ir_eqn *e, const gather *a, const ir_type *x, const ir_type *indices)
{
    const ir_class c = ir_dtype_of(indices->dtype)->cls;
    const int nbatch = indices->rank - (a->index_vector_dim < indices->rank);
    if (c != IR_INT_CLASS && c != IR_UINT_CLASS)
        return op_expected(e, TT_ETYPE, "the index array", OP_ONLY, indices, "integers", NULL);
    if (a->index_vector_dim < 0 || a->index_vector_dim > indices->rank)
        return base_fail(TT_ESHAPE, e->site, "gather: index_vector_dim %lld of indices of rank %d",
                         LL(a->index_vector_dim), indices->rank);
    return op_check_sorted(e, "offset_dims", a->offset_dims, nbatch + a->offset_dims.n) &&
           op_check_sorted(e, "collapsed_slice_dims", a->collapsed_slice_dims, x->rank) &&
           op_check_sorted(e, "operand_batching_dims", a->operand_batching_dims, x->rank) &&
           op_check_dims(e, "start_indices_batching_dims", a->start_indices_batching_dims, indices->rank) &&
           op_check_dims(e, "start_index_map", a->start_index_map, x->rank) &&
           op_check_count(e, "slice_sizes", a->slice_sizes, x->rank) &&
           op_check_count(e, "start_indices_batching_dims", a->start_indices_batching_dims,
                          a->operand_batching_dims.n) &&
           op_check_count(e, "offset_dims", a->offset_dims,
                          x->rank - a->collapsed_slice_dims.n - a->operand_batching_dims.n) &&
           op_check_count(e, "start_index_map", a->start_index_map,
                          a->index_vector_dim < indices->rank ? (int)indices->dim[a->index_vector_dim] : 1);
}

static bool gather_sizes(const ir_eqn *e, const gather *a, const ir_type *x, const ir_type *indices)
{
    for (int d = 0; d < x->rank; d++) {
        const bool batching = op_dims_has(a->operand_batching_dims, d), gone = op_dims_has(a->collapsed_slice_dims, d);
        const int64_t n = a->slice_sizes.v[d];
        if (batching && (gone || op_dims_has(a->start_index_map, d)))
            return base_fail(TT_ESHAPE, e->site, "gather: dim %d is both batching and indexed or collapsed", d);
        if (n < 0 || n > x->dim[d] || ((batching || gone) && n > 1))
            return base_fail(TT_ESHAPE, e->site, "gather: a slice of %lld elements in dim %d of size %lld", LL(n), d,
                             LL(x->dim[d]));
        if (gone && n != 1)
            return base_fail(TT_ESHAPE, e->site, "gather: collapsed dim %d has slices of %lld", d, LL(n));
    }
    for (int i = 0; i < a->operand_batching_dims.n; i++) {
        const int64_t p = a->operand_batching_dims.v[i], q = a->start_indices_batching_dims.v[i];
        if (q == a->index_vector_dim || x->dim[p] != indices->dim[q])
            return base_fail(TT_ESHAPE, e->site, "gather: batching dims %lld of x and %lld of indices do not match",
                             LL(p), LL(q));
    }
    return true;
}

static bool gather_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const gather *a = IR_ATTR(e, gather);
    const ir_class c = ir_dtype_of(x[0]->dtype)->cls;
    int64_t dim[2 * IR_RANK];
    if (a->nan && (!a->fill || c == IR_INT_CLASS || c == IR_UINT_CLASS))
        return base_fail(TT_ETYPE, e->site, "gather: nan of %s%s; expected floats, complex numbers or bools, with fill",
                         ir_dtype_of(x[0]->dtype)->name, a->fill ? "" : " without fill");
    if (!gather_lists(e, a, x[0], x[1]) || !gather_sizes(e, a, x[0], x[1])) return false;
    const plan p = gather_plan(a, x[0], x[1]);
    for (int i = 0; i < p.nbatch; i++) dim[p.batch_out[i]] = x[1]->dim[p.batch_in[i]];
    for (int i = 0; i < p.noffset; i++) dim[a->offset_dims.v[i]] = a->slice_sizes.v[p.window[i]];
    if (!op_check_shape(e, "result", (ir_dims){ p.nbatch + p.noffset, dim })) return false;
    *y = ir_type_of(x[0]->dtype, p.nbatch + p.noffset, dim);
    return true;
}

/* Dims of x that windows span pass. A dim of which a window takes one element may be sharded: each part gives zeros for
 * elements that it does not hold, and the parts are summed. */
static void gather_rules(const ir_eqn *e, op_rule *r)
{
    const gather *a = IR_ATTR(e, gather);
    const ir_type *x = IR_IN(e, 0);
    const plan p = gather_plan(a, x, IR_IN(e, 1));
    for (int i = 0; i < p.nbatch; i++) {
        const int f = op_factor(r, IR_IN(e, 1)->dim[p.batch_in[i]], OP_PASS_THROUGH);
        for (int k = 0; k < a->start_indices_batching_dims.n; k++)
            if (a->start_indices_batching_dims.v[k] == p.batch_in[i])
                op_dim(r, 0, (int)a->operand_batching_dims.v[k], f);
        op_dim(r, 1, p.batch_in[i], f);
        op_dim(r, 2, p.batch_out[i], f);
    }
    for (int i = 0; i < p.noffset; i++) {
        const int d = p.window[i];
        const int64_t size = a->slice_sizes.v[d];
        const int f = op_factor(r, size, OP_PASS_THROUGH);
        if (size == x->dim[d]) op_dim(r, 0, d, f);
        else if (size == 1) op_dim(r, 0, d, op_factor(r, x->dim[d], OP_REDUCTION));
        op_dim(r, 2, (int)a->offset_dims.v[i], f);
    }
    for (int i = 0; i < a->collapsed_slice_dims.n; i++) {
        const int d = (int)a->collapsed_slice_dims.v[i];
        op_dim(r, 0, d, op_factor(r, x->dim[d], OP_REDUCTION));
    }
}

static mesh_reduce gather_leaves(const ir_eqn *e) { return IR_OUT(e, 0)->dtype == TT_BOOL ? MESH_OR : MESH_SUM; }

static op_linear gather_linear(const ir_eqn *e)
{
    return IR_ATTR(e, gather)->nan ? op_nonlinear(e) : (op_linear){ OP_JOINT, 1 };
}

static void gather_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    gather a = *IR_ATTR(e, gather);
    (void)y;
    a.nan = a.checked = false;
    if (dx[0]) dy[0] = ir_emit(b, e->op, &a, 2, (const ir_id[]){ dx[0], x[1] }, 0, NULL);
}

static void gather_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const gather *a = IR_ATTR(e, gather);
    const ir_type *t = IR_IN(e, 0);
    int64_t most[IR_RANK];
    if (x[0] || !ct[0]) return;
    for (int k = 0; k < a->start_index_map.n; k++) {
        const int64_t d = a->start_index_map.v[k];
        most[k] = t->dim[d] - a->slice_sizes.v[d];
    }
    const ir_id starts = a->fill ? x[1] : op_clamp_indices(b, x[1], a->index_vector_dim, a->start_index_map.n, most);
    const op_scatter_attr s = {
        .update_window_dims = a->offset_dims,
        .inserted_window_dims = a->collapsed_slice_dims,
        .input_batching_dims = a->operand_batching_dims,
        .scatter_indices_batching_dims = a->start_indices_batching_dims,
        .scatter_dims_to_operand_dims = a->start_index_map,
        .index_vector_dim = a->index_vector_dim,
        .indices_are_sorted = a->indices_are_sorted,
    };
    ir_fn *add = op_reducer(b, &prim_add, t->dtype);
    if (add) cx[0] = ir_emit(b, &prim_scatter, &s, 3, (const ir_id[]){ op_zeros(b, t), starts, ct[0] }, 1, &add);
}

/* Only x is mapped: a window spans the new dim. Only indices are mapped: the new dim is a batch dim. Both are mapped:
 * it is a batching dim. */
static void gather_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                         bool *out)
{
    const gather *a = IR_ATTR(e, gather);
    const int by = mapped[0], also = mapped[1], both = by && also;
    (void)out;
    const gather g = {
        .offset_dims = op_dims_shifted(b, a->offset_dims, 1, by && !also, 0),
        .collapsed_slice_dims = op_dims_shifted(b, a->collapsed_slice_dims, by, 0, 0),
        .operand_batching_dims = op_dims_shifted(b, a->operand_batching_dims, by, both, 0),
        .start_indices_batching_dims = op_dims_shifted(b, a->start_indices_batching_dims, also, both, 0),
        .start_index_map = op_dims_shifted(b, a->start_index_map, by, 0, 0),
        .index_vector_dim = a->index_vector_dim + also,
        .slice_sizes = op_dims_shifted(b, a->slice_sizes, 0, by, both && n ? 1 : n),
        .indices_are_sorted = a->indices_are_sorted && !also,
        .fill = a->fill,
        .nan = a->nan,
        .checked = a->checked,
    };
    y[0] = ir_emit(b, e->op, &g, 2, x, 0, NULL);
}

ir_num op_gather_none(const op_gather_attr *a, tt_dtype d)
{
    if (!a->nan) return (ir_num){ 0 };
    switch (ir_dtype_of(d)->cls) {
    case IR_BOOL_CLASS: return (ir_num){ .b = 1 };
    case IR_COMPLEX_CLASS: return (ir_num){ .c = { (double)NAN, 0 } };
    default: return (ir_num){ .f = (double)NAN };
    }
}

bool op_index_wrong(const ir_eqn *e, const ir_type *x, int64_t d, int64_t at)
{
    /* Negative indices have been counted from the end before. */
    const int64_t n = x->dim[d];
    base_fail(TT_EARG, e->site, "index %lld is out of range: dim %lld has %lld elements", LL(at < 0 ? at - n : at),
              LL(d), LL(n));
    return base_hint("TUTTI=bounds makes this an error; without the switch such an index reads as NaN, or is not "
                     "written");
}

static bool gather_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const gather *a = IR_ATTR(e, gather);
    const ir_type *t = IR_IN(e, 0);
    const plan p = gather_plan(a, t, IR_IN(e, 1));
    int64_t i[IR_RANK], s[IR_RANK] = { 0 }, j[IR_RANK];
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        bool there = true, in = true;
        memset(j, 0, sizeof j);
        for (int k = 0; k < p.nbatch; k++) s[p.batch_in[k]] = i[p.batch_out[k]];
        for (int k = 0; k < a->start_index_map.n; k++) {
            const int64_t d = a->start_index_map.v[k], most = t->dim[d] - a->slice_sizes.v[d];
            if (a->index_vector_dim < x[1].rank) s[a->index_vector_dim] = k;
            const int64_t v = op_load_index(&x[1], s);
            in &= !a->fill || (v >= 0 && v <= most);
            if (!in && a->checked) return op_index_wrong(e, t, d, v);
            j[d] = v < 0 ? 0 : v > most ? most : v;
        }
        for (int k = 0; k < a->operand_batching_dims.n; k++)
            j[a->operand_batching_dims.v[k]] = s[a->start_indices_batching_dims.v[k]];
        for (int k = 0; k < p.noffset; k++) j[p.window[k]] += i[a->offset_dims.v[k]];
        /* x's box may be a part of x. */
        for (int d = 0; d < t->rank; d++) there &= j[d] >= x[0].lo[d] && j[d] < x[0].lo[d] + x[0].n[d];
        ir_store(y, i, !in ? op_gather_none(a, y->dtype) : there ? ir_load(&x[0], j) : (ir_num){ 0 });
    }
    return true;
}

/* Component k, without the dim of components. */
static ir_id gather_component(op_local_fn *p, ir_id index, int64_t vector, int k)
{
    const ir_type *const t = ir_typeof(p->b, index);
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK], one[IR_RANK], dim[IR_RANK];
    int n = 0;
    if (!t || vector >= t->rank) return index;
    for (int d = 0; d < t->rank; d++) {
        hi[d] = t->dim[d], one[d] = 1;
        if (d != vector) dim[n++] = t->dim[d];
    }
    lo[vector] = k, hi[vector] = k + 1;
    const ir_dims by = { t->rank, one };
    return op_reshape(p->b, op_slice(p->b, index, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, by), n, dim);
}

typedef struct { ir_id here, none; } found;              /* per window: it is this part's; it is no part's */

/* Replaces e->x[1] by indices of the part, clamped to it. */
static bool gather_of_part(op_local *e, const op_gather_attr *a, found *f)
{
    op_local_fn *const p = e->p;
    const ir_type *const x = IR_IN(e->e, 0);
    const int n = a->start_index_map.n;
    const int64_t vector = a->index_vector_dim;
    ir_id offset[IR_RANK + 1] = { 0 };
    int64_t most[IR_RANK + 1];
    *f = (found){ 0, 0 };
    for (int k = 0; k < n; k++) most[k] = x->dim[a->start_index_map.v[k]] - a->slice_sizes.v[a->start_index_map.v[k]];
    ir_id index = a->fill ? e->x[1] : op_clamp_indices(p->b, e->x[1], vector, n, most);
    if (a->fill) index = op_local_indices(p, index, vector, n, offset);      /* makes them signed */
    for (int k = 0; k < n; k++) {
        const int d = (int)a->start_index_map.v[k];
        if (!op_local_cut(e, 0, d)) continue;
        const int64_t each = ir_typeof(p->b, e->x[0])->dim[d];
        offset[k] = op_local_affine(p, e->need[0][d], 0, each);
        most[k] = each - 1;
    }
    const ir_id local = op_local_indices(p, index, vector, n, offset);
    for (int k = 0; k < n; k++) {
        if (!offset[k]) continue;
        const ir_id in = op_local_inside(p, gather_component(p, local, vector, k), most[k] + 1),
                    out = op_not(p->b, op_local_inside(p, gather_component(p, index, vector, k),
                                                         x->dim[a->start_index_map.v[k]]));
        f->here = f->here ? op_and(p->b, f->here, in) : in;
        f->none = f->none ? op_or(p->b, f->none, out) : out;
    }
    /* Components of dims that are whole stay as they are, so that a window that leaves x is filled as before. */
    ir_id clamped = op_clamp_indices(p->b, local, vector, n, most);
    const ir_type *const t = ir_typeof(p->b, local);
    bool *const part = BASE_NEW(p->a, bool, n + 1);
    const int64_t count = n;
    for (int k = 0; k < n; k++) part[k] = offset[k] != 0;
    if (t && vector < t->rank) {
        const ir_id is = op_broadcast(p->b, op_const(p->b, ir_type_of(TT_BOOL, 1, &count), part),
                                      ir_type_of(TT_BOOL, t->rank, t->dim), 1, &vector);
        clamped = op_select(p->b, is, clamped, local);
    }
    return (e->x[1] = clamped) != 0;
}

static bool gather_local(op_local *e, ir_id *y)
{
    op_local_fn *const p = e->p;
    op_gather_attr a = *IR_ATTR(e->e, op_gather_attr);
    const ir_type *const x = IR_IN(e->e, 0);
    int64_t size[IR_RANK], batch[IR_RANK];
    mesh_list has[IR_RANK + 1] = { 0 };
    bool sum = false;
    int offset = 0, nbatch = 0;
    found f = { 0, 0 };
    for (int d = 0; d < IR_OUT(e->e, 0)->rank; d++) has[d] = e->need[2][d];
    for (int d = 0; d < x->rank; d++) {
        const bool batching = op_dims_has(a.operand_batching_dims, d), gone = op_dims_has(a.collapsed_slice_dims, d);
        size[d] = a.slice_sizes.v[d];
        if (batching) continue;
        const int at = gone ? -1 : (int)a.offset_dims.v[offset++];
        if (!gone && size[d] == x->dim[d]) size[d] = ir_typeof(p->b, e->x[0])->dim[d];
        else {
            if (!gone) has[at] = 0;
            if (!op_local_cut(e, 0, d)) continue;
            sum = true;
        }
    }
    if (sum && !gather_of_part(e, &a, &f)) return false;
    a.slice_sizes = (ir_dims){ x->rank, size };
    if (!op_local_emit(e, &a, y)) return false;
    if (!(y[0] = op_local_take(p, y[0], IR_OUT(e->e, 0), has, e->need[2]))) return false;
    if (!sum) return true;
    const ir_type *const t = ir_typeof(p->b, y[0]), *const truth = ir_type_of(TT_BOOL, t->rank, t->dim);
    for (int d = 0; d < t->rank; d++) if (!op_dims_has(a.offset_dims, d)) batch[nbatch++] = d;
    y[0] = op_select(p->b, op_broadcast(p->b, f.here, truth, nbatch, batch), y[0], op_zeros(p->b, t));
    if (a.nan)
        y[0] = op_select(p->b, op_broadcast(p->b, f.none, truth, nbatch, batch),
                         t->dtype == TT_BOOL ? op_ones(p->b, t) : op_splat(p->b, t, (double)NAN), y[0]);
    return y[0] != 0;
}

static const char *gather_refuses(const op_local_choice *c)
{
    const op_gather_attr *const a = IR_ATTR(c->e, op_gather_attr);
    const ir_type *const x = IR_IN(c->e, 0);
    for (int d = 0; d < x->rank; d++) {
        if (mesh_list_size(c->from, op_local_list(c, 0, d)) == 1 || op_dims_has(a->operand_batching_dims, d)) continue;
        if (!op_dims_has(a->collapsed_slice_dims, d) && a->slice_sizes.v[d] == x->dim[d]) continue;
        if (!op_dims_has(a->start_index_map, d)) return "a dim in parts is read at index 0 alone";
    }
    return NULL;
}

const op_prim prim_gather = {
    .name = "gather",
    .doc = "windows at computed starts",
    .hlo = "stablehlo.gather",
    .call = "",
    .nin = 2,
    .nout = 1,
    .kernel = OP_MOVE,
    .attr = sizeof(gather),
    .field =
        OP_FIELDS(IR_FIELD(gather, offset_dims, IR_DIMS), IR_FIELD(gather, collapsed_slice_dims, IR_DIMS),
                  IR_FIELD(gather, operand_batching_dims, IR_DIMS),
                  IR_FIELD(gather, start_indices_batching_dims, IR_DIMS), IR_FIELD(gather, start_index_map, IR_DIMS),
                  IR_FIELD(gather, index_vector_dim, IR_INT), IR_FIELD(gather, slice_sizes, IR_DIMS),
                  IR_FIELD(gather, indices_are_sorted, IR_BOOL), IR_FIELD(gather, fill, IR_BOOL),
                  IR_FIELD(gather, nan, IR_BOOL), IR_FIELD(gather, checked, IR_BOOL)),
    .type = gather_type,
    .rules = gather_rules,
    .linear = gather_linear,
    .partial = gather_leaves,
    .jvp = gather_jvp,
    .transpose = gather_transpose,
    .batch = gather_batch,
    .decompose = op_decompose_none,
    .ref = gather_ref,
    .exchange = op_exchange_none,
    .prog = op_prog_none,
    .local = OP_LOCAL(.rule = gather_local, .refuses = gather_refuses),
    .cases = OP_CASES(
        "gather f32[5,3], i32[4,1] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
        "index_vector_dim=1, "
        "slice_sizes=[1,3]}",
        "gather f32[5,4], i32[2,3] {offset_dims=[2], collapsed_slice_dims=[0], start_index_map=[0], "
        "index_vector_dim=2, "
        "slice_sizes=[1,2], fill=true}",
        "gather bf16[5,4], i32[6] {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], "
        "index_vector_dim=1, slice_sizes=[1,4], fill=true, nan=true}",
        "gather f32[3,5,2], i32[3,2,1] {offset_dims=[2], collapsed_slice_dims=[1], operand_batching_dims=[0], "
        "start_indices_batching_dims=[0], start_index_map=[1], index_vector_dim=2, slice_sizes=[1,1,2]}",
        "gather f32[4,6], i64[2,3] {offset_dims=[0,2], start_index_map=[1,0], index_vector_dim=0, slice_sizes=[2,1]}",
        "gather bool[3,2], u8[2] {offset_dims=[0], collapsed_slice_dims=[0], start_index_map=[0,1], "
        "index_vector_dim=0, "
        "slice_sizes=[1,1]}",
        "gather i32[0,3], i32[2,1] {offset_dims=[1,2], start_index_map=[1], index_vector_dim=1, "
        "slice_sizes=[0,2]}"),
};
