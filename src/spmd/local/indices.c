/* spmd/local/indices.c - local forms of slices, updates, gathers and scatters at indices that are values.
 *
 * Indices are of the whole. Where the dim that they index is in parts, the part's offset is subtracted: a gather gives
 * zeros where an index is another part's (the results are partial sums), a scatter drops updates of other parts. */
#include "local.h"
#include "../../op/ops.h"

#include <math.h>
#include <string.h>

static bool indices_cut(const spmd_local_eqn *e, int t, int d)   /* True if dim d of tensor t is in parts */
{
    return mesh_list_size(e->p->l->from, e->need[t].dim[d]) > 1;
}

bool spmd_local_dynamic_slice(spmd_local_eqn *e, ir_id *y)
{
    op_dynamic_slice_attr a = *IR_ATTR(e->e, op_dynamic_slice_attr);
    const int out = (int)e->e->nin, rank = IR_OUT(e->e, 0)->rank;
    int64_t size[IR_RANK];
    mesh_list has[IR_RANK + 1] = { 0 };
    for (int d = 0; d < rank; d++) {
        const bool whole = a.slice_sizes.v[d] == IR_IN(e->e, 0)->dim[d];
        size[d] = whole ? ir_typeof(e->p->b, e->x[0])->dim[d] : a.slice_sizes.v[d];
        if (whole) has[d] = e->need[out].dim[d];
    }
    a.slice_sizes = (ir_dims){ rank, size };
    if (!spmd_local_emit(e, &a, y)) return false;
    return (y[0] = spmd_local_take(e->p, y[0], IR_OUT(e->e, 0), has, e->need[out].dim)) != 0;
}

/* The start of dim d as i32, clamped as in the whole. */
static ir_id indices_start(spmd_local_part *p, ir_id start, int64_t most)
{
    const ir_type *const t = ir_typeof(p->b, start);
    if (!t) return 0;
    const ir_id up = op_min(p->b, op_max(p->b, start, op_int(p->b, t->dtype, 0)), op_int(p->b, t->dtype, most));
    return op_convert(p->b, up, TT_I32);
}

/* Of dims in parts that the update does not fill: the update between pads as long as a part, of which the piece over
 * this part is taken; positions that are pads keep x. Starts are clamped by the slice, to pads alone. */
bool spmd_local_dynamic_update_slice(spmd_local_eqn *e, ir_id *y)
{
    spmd_local_part *const p = e->p;
    const ir_type *const whole = IR_IN(e->e, 0), *const up = IR_IN(e->e, 1), *const x = ir_typeof(p->b, e->x[0]);
    int64_t pad[IR_RANK] = { 0 }, none[IR_RANK] = { 0 }, size[IR_RANK];
    ir_id from[IR_RANK], to[IR_RANK], first[IR_RANK];
    bool any = false, cut[IR_RANK];
    for (int d = 0; d < whole->rank; d++) {
        cut[d] = indices_cut(e, 0, d) && up->dim[d] != whole->dim[d];
        any |= cut[d];
        size[d] = ir_typeof(p->b, e->x[1])->dim[d];
        from[d] = op_int(p->b, TT_I32, 0);
        to[d] = indices_start(p, e->x[2 + d], whole->dim[d] - up->dim[d]);
        if (!cut[d]) continue;
        pad[d] = size[d] = x->dim[d];
        first[d] = spmd_local_begin(p, e->need[0].dim[d], whole->dim[d]);
        from[d] = op_sub(p->b, op_add(p->b, first[d], op_int(p->b, TT_I32, pad[d])), to[d]);
    }
    if (!any) return spmd_local_as_is(e, y);
    const ir_dims around = { x->rank, pad };
    ir_id new = op_dynamic_slice(p->b, op_pad(p->b, e->x[1], around, around, (ir_dims){ x->rank, none }), from,
                                 (ir_dims){ x->rank, size }), within = 0;
    const ir_type *const t = ir_typeof(p->b, new);
    for (int d = 0; t && d < x->rank; d++) {
        if (!cut[d]) continue;
        const ir_id at = spmd_local_positions(p, t, d, first[d]),
                    i = op_broadcast(p->b, to[d], ir_type_of(TT_I32, t->rank, t->dim), 0, NULL);
        const ir_id in = spmd_local_inside(p, op_sub(p->b, at, i), up->dim[d]);
        within = within ? op_and(p->b, within, in) : in;
        to[d] = op_int(p->b, TT_I32, 0);
    }
    new = op_select(p->b, within, new, op_dynamic_slice(p->b, e->x[0], to, (ir_dims){ x->rank, size }));
    return (y[0] = op_dynamic_update_slice(p->b, e->x[0], new, to)) != 0;
}

/* ---- vectors of indices ---- */

/* Indices less an offset per component: [n] ids of i32 scalars, 0: none. Indices become signed. */
static ir_id indices_less(spmd_local_part *p, ir_id index, int64_t vector, int n, const ir_id *offset)
{
    const ir_type *t = ir_typeof(p->b, index);
    ir_id one[IR_RANK + 1];
    const int64_t single = 1;
    if (!t) return 0;
    const bool wide = t->dtype == TT_I64 || t->dtype == TT_U64 || t->dtype == TT_U32;
    index = op_convert(p->b, index, wide ? TT_I64 : TT_I32);
    t = ir_type_of(wide ? TT_I64 : TT_I32, t->rank, t->dim);
    for (int k = 0; k < n; k++)
        one[k] = op_reshape(p->b, op_convert(p->b, offset[k] ? offset[k] : op_int(p->b, TT_I32, 0), t->dtype), 1,
                            &single);
    if (vector >= t->rank)
        return op_sub(p->b, index, op_broadcast(p->b, op_reshape(p->b, one[0], 0, NULL), t, 0, NULL));
    const ir_id all = n > 1 ? op_concatenate(p->b, n, one, 0) : one[0];
    return op_sub(p->b, index, op_broadcast(p->b, all, t, 1, &vector));
}

/* Component k, without the dim of components. */
static ir_id indices_component(spmd_local_part *p, ir_id index, int64_t vector, int k)
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

/* ---- gather ---- */

typedef struct { ir_id here, none; } found;              /* per window: it is this part's; it is no part's */

/* Replaces e->x[1] by indices of the part, clamped to it. */
static bool indices_of_part(spmd_local_eqn *e, const op_gather_attr *a, found *f)
{
    spmd_local_part *const p = e->p;
    const ir_type *const x = IR_IN(e->e, 0);
    const int n = a->start_index_map.n;
    const int64_t vector = a->index_vector_dim;
    ir_id offset[IR_RANK + 1] = { 0 };
    int64_t most[IR_RANK + 1];
    *f = (found){ 0, 0 };
    for (int k = 0; k < n; k++) most[k] = x->dim[a->start_index_map.v[k]] - a->slice_sizes.v[a->start_index_map.v[k]];
    ir_id index = a->fill ? e->x[1] : op_clamp_indices(p->b, e->x[1], vector, n, most);
    if (a->fill) index = indices_less(p, index, vector, n, offset);      /* makes them signed */
    for (int k = 0; k < n; k++) {
        const int d = (int)a->start_index_map.v[k];
        if (!indices_cut(e, 0, d)) continue;
        const int64_t each = ir_typeof(p->b, e->x[0])->dim[d];
        offset[k] = spmd_local_affine(p, e->need[0].dim[d], 0, each);
        most[k] = each - 1;
    }
    const ir_id local = indices_less(p, index, vector, n, offset);
    for (int k = 0; k < n; k++) {
        if (!offset[k]) continue;
        const ir_id in = spmd_local_inside(p, indices_component(p, local, vector, k), most[k] + 1),
                    out = op_not(p->b, spmd_local_inside(p, indices_component(p, index, vector, k),
                                                         x->dim[a->start_index_map.v[k]]));
        f->here = f->here ? op_and(p->b, f->here, in) : in;
        f->none = f->none ? op_or(p->b, f->none, out) : out;
    }
    /* Components of dims that are whole stay as they are, so that a window that leaves x is filled as before. */
    ir_id clamped = op_clamp_indices(p->b, local, vector, n, most);
    const ir_type *const t = ir_typeof(p->b, local);
    bool *const part = BASE_NEW(p->l->a, bool, n + 1);
    const int64_t count = n;
    for (int k = 0; k < n; k++) part[k] = offset[k] != 0;
    if (t && vector < t->rank) {
        const ir_id is = op_broadcast(p->b, op_const(p->b, ir_type_of(TT_BOOL, 1, &count), part),
                                      ir_type_of(TT_BOOL, t->rank, t->dim), 1, &vector);
        clamped = op_select(p->b, is, clamped, local);
    }
    return (e->x[1] = clamped) != 0;
}

bool spmd_local_gather(spmd_local_eqn *e, ir_id *y)
{
    spmd_local_part *const p = e->p;
    op_gather_attr a = *IR_ATTR(e->e, op_gather_attr);
    const ir_type *const x = IR_IN(e->e, 0);
    int64_t size[IR_RANK], batch[IR_RANK];
    mesh_list has[IR_RANK + 1] = { 0 };
    bool sum = false;
    int offset = 0, nbatch = 0;
    found f = { 0, 0 };
    for (int d = 0; d < IR_OUT(e->e, 0)->rank; d++) has[d] = e->need[2].dim[d];
    for (int d = 0; d < x->rank; d++) {
        const bool batching = op_dims_has(a.operand_batching_dims, d), gone = op_dims_has(a.collapsed_slice_dims, d);
        size[d] = a.slice_sizes.v[d];
        if (batching) continue;
        const int at = gone ? -1 : (int)a.offset_dims.v[offset++];
        if (!gone && size[d] == x->dim[d]) size[d] = ir_typeof(p->b, e->x[0])->dim[d];
        else {
            if (!gone) has[at] = 0;
            if (!indices_cut(e, 0, d)) continue;
            sum = true;
            if (!op_dims_has(a.start_index_map, d))
                return spmd_local_none(e->e, "a dim in parts is read at index 0 alone");
        }
    }
    if (sum && !indices_of_part(e, &a, &f)) return false;
    a.slice_sizes = (ir_dims){ x->rank, size };
    if (!spmd_local_emit(e, &a, y)) return false;
    if (!(y[0] = spmd_local_take(p, y[0], IR_OUT(e->e, 0), has, e->need[2].dim))) return false;
    if (!sum) return true;
    const ir_type *const t = ir_typeof(p->b, y[0]), *const truth = ir_type_of(TT_BOOL, t->rank, t->dim);
    for (int d = 0; d < t->rank; d++) if (!op_dims_has(a.offset_dims, d)) batch[nbatch++] = d;
    y[0] = op_select(p->b, op_broadcast(p->b, f.here, truth, nbatch, batch), y[0], op_zeros(p->b, t));
    if (a.nan)
        y[0] = op_select(p->b, op_broadcast(p->b, f.none, truth, nbatch, batch),
                         t->dtype == TT_BOOL ? op_ones(p->b, t) : op_splat(p->b, t, (double)NAN), y[0]);
    return y[0] != 0;
}

/* ---- scatter ---- */

static int64_t indices_window(const op_scatter_attr *a, const ir_type *x, const ir_type *updates, int d)
{
    int i = 0;
    for (int k = 0; k < x->rank; k++) {
        if (op_dims_has(a->inserted_window_dims, k) || op_dims_has(a->input_batching_dims, k)) continue;
        if (k == d) return updates->dim[a->update_window_dims.v[i]];
        i++;
    }
    return 1;
}

bool spmd_local_scatter(spmd_local_eqn *e, ir_id *y)
{
    spmd_local_part *const p = e->p;
    const op_scatter_attr *const a = IR_ATTR(e->e, op_scatter_attr);
    const ir_type *const x = IR_IN(e->e, 0), *const up = IR_IN(e->e, 2);
    const mesh_reduce kind = op_monoid(e->e->sub[0]);
    const int n = a->scatter_dims_to_operand_dims.n;
    ir_id offset[IR_RANK + 1] = { 0 };
    mesh_set over = 0;
    bool shifts = false;
    for (int k = 0; k < e->rule->nfactor; k++)
        if (e->rule->factor[k].kind == OP_REDUCTION) over |= mesh_list_set(e->e->sharding->atoms[k]);
    if (over && !(e->x[0] = spmd_local_once(p, e->x[0], over, kind))) return false;      /* x counts once */
    for (int d = 0; d < x->rank; d++) {
        const int64_t window = indices_window(a, x, up, d);
        if (!indices_cut(e, 0, d) || op_dims_has(a->input_batching_dims, d) || window == x->dim[d]) continue;
        int k = 0;
        while (k < n && a->scatter_dims_to_operand_dims.v[k] != d) k++;
        if (window != 1) return spmd_local_none(e->e, "its windows may cross parts");
        if (k == n) return spmd_local_none(e->e, "a dim in parts is written at index 0 alone");
        offset[k] = spmd_local_begin(p, e->need[0].dim[d], x->dim[d]);
        shifts = true;
    }
    if (shifts && !(e->x[1] = indices_less(p, e->x[1], a->index_vector_dim, n, offset))) return false;
    op_scatter_attr local = *a;
    return spmd_local_emit(e, &local, y);
}

/* Whole windows and batches alone: its arrays are combined by one region, so that none of them is a sum of parts. */
bool spmd_local_scatter_together(spmd_local_eqn *e, ir_id *y)
{
    const op_scatter_attr *const a = IR_ATTR(e->e, op_scatter_attr);
    const int n = (int)(e->e->nin - 1) / 2;
    const ir_type *const x = IR_IN(e->e, 0), *const up = IR_IN(e->e, n + 1);
    for (int d = 0; d < x->rank; d++)
        if (indices_cut(e, 0, d) && !op_dims_has(a->input_batching_dims, d) &&
            indices_window(a, x, up, d) != x->dim[d])
            return spmd_local_none(e->e, "a dim that it writes at indices is in parts");
    return spmd_local_as_is(e, y);
}
