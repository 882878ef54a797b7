/* spmd/local/shapes.c - local forms of primitives whose attributes are shapes, and of those that move windows. */
#include "local.h"
#include "../../op/ops.h"

static const ir_type *shapes_result(const spmd_local_eqn *e)
{
    return spmd_local_type(e->p, e->e->site, IR_OUT(e->e, 0), &e->need[e->e->nin]);
}

bool spmd_local_const(spmd_local_eqn *e, ir_id *y)
{
    op_const_attr a = *IR_ATTR(e->e, op_const_attr);
    const ir_type *const t = shapes_result(e);
    if (!t) return false;
    if (!a.splat) {
        if (!spmd_local_as_is(e, y)) return false;
        return (y[0] = spmd_local_take(e->p, y[0], IR_OUT(e->e, 0), NULL, e->need[0].dim)) != 0;
    }
    a.shape = (ir_dims){ t->rank, t->dim };
    return spmd_local_emit(e, &a, y);
}

/* In integers, and rounded once, as elements of the whole are. */
bool spmd_local_iota(spmd_local_eqn *e, ir_id *y)
{
    op_iota_attr a = *IR_ATTR(e->e, op_iota_attr);
    const ir_type *const t = shapes_result(e);
    const int d = (int)a.iota_dimension;
    if (!t) return false;
    a.shape = (ir_dims){ t->rank, t->dim };
    if (mesh_list_size(e->p->l->from, e->need[0].dim[d]) == 1) return spmd_local_emit(e, &a, y);
    const ir_id first = spmd_local_begin(e->p, e->need[0].dim[d], IR_OUT(e->e, 0)->dim[d]);
    y[0] = op_convert(e->p->b, spmd_local_positions(e->p, t, d, first), a.dtype);
    return y[0] != 0;
}

bool spmd_local_broadcast(spmd_local_eqn *e, ir_id *y)
{
    op_broadcast_attr a = *IR_ATTR(e->e, op_broadcast_attr);
    const ir_type *const t = shapes_result(e);
    if (!t) return false;
    a.shape = (ir_dims){ t->rank, t->dim };
    return spmd_local_emit(e, &a, y);
}

bool spmd_local_reshape(spmd_local_eqn *e, ir_id *y)
{
    const ir_type *const t = shapes_result(e);
    return t && (y[0] = op_reshape(e->p->b, e->x[0], t->rank, t->dim)) != 0;
}

bool spmd_local_slice(spmd_local_eqn *e, ir_id *y)
{
    op_slice_attr a = *IR_ATTR(e->e, op_slice_attr);
    int64_t start[IR_RANK], limit[IR_RANK];
    if (!spmd_local_windows(e, 0, 0)) return false;
    const ir_type *const t = ir_typeof(e->p->b, e->x[0]);
    for (int d = 0; d < t->rank; d++) {
        const bool part = t->dim[d] != IR_IN(e->e, 0)->dim[d] || spmd_local_windowed(e, 0, d);
        start[d] = part ? 0 : a.start_indices.v[d];      /* a dim that is sharded and no window is whole */
        limit[d] = part ? t->dim[d] : a.limit_indices.v[d];
    }
    a.start_indices = (ir_dims){ t->rank, start };
    a.limit_indices = (ir_dims){ t->rank, limit };
    return spmd_local_emit(e, &a, y);
}

bool spmd_local_pad(spmd_local_eqn *e, ir_id *y)
{
    op_pad_attr a = *IR_ATTR(e->e, op_pad_attr);
    const ir_type *const out = shapes_result(e);
    int64_t low[IR_RANK], high[IR_RANK], in[IR_RANK];
    if (!out || !spmd_local_windows(e, 0, e->x[1])) return false;
    for (int d = 0; d < out->rank; d++) {
        low[d] = a.edge_padding_low.v[d], high[d] = a.edge_padding_high.v[d], in[d] = a.interior_padding.v[d];
        if (!spmd_local_windowed(e, 0, d)) continue;
        spmd_local_span s;
        if (!spmd_local_span_of(e, 0, d, &s)) return false;
        low[d] += s.first * (in[d] + 1);                 /* where the first element that is read comes to stand */
        high[d] = out->dim[d] - low[d] - ((s.n - 1) * (in[d] + 1) + 1);
    }
    a = (op_pad_attr){ { out->rank, low }, { out->rank, high }, { out->rank, in } };
    return spmd_local_emit(e, &a, y);
}

/* Each operand's window of the part, and of these at each position the one that covers it. */
bool spmd_local_concatenate(spmd_local_eqn *e, ir_id *y)
{
    const int d = (int)IR_ATTR(e->e, op_concatenate_attr)->dimension, last = (int)e->e->nin - 1;
    spmd_local_part *const p = e->p;
    const ir_type *const out = shapes_result(e);
    int64_t before = 0;
    if (!out) return false;
    if (e->e->nin == 1 || mesh_list_size(p->l->from, e->need[last + 1].dim[d]) == 1) return spmd_local_as_is(e, y);
    for (int i = 0; i <= last; i++) {
        if (!spmd_local_windows(e, i, 0)) return false;
        const ir_type *const truth = ir_type_of(TT_BOOL, out->rank, out->dim);
        const ir_id at = spmd_local_positions(p, truth, d, spmd_local_begin(p, e->need[i].dim[d],
                                                                            IR_OUT(e->e, 0)->dim[d]));
        const ir_type *const t = ir_typeof(p->b, at);
        if (!t) return false;
        y[0] = i ? op_select(p->b, op_compare(p->b, OP_CMP_LT, at, op_broadcast(p->b, op_int(p->b, TT_I32, before), t,
                                                                                 0, NULL)), y[0], e->x[i]) : e->x[i];
        before += IR_IN(e->e, i)->dim[d];
    }
    return y[0] != 0;
}

bool spmd_local_reverse(spmd_local_eqn *e, ir_id *y)
{
    return spmd_local_windows(e, 0, 0) && spmd_local_as_is(e, y);
}
