/* hlo/read/shape.c - reads operations that move elements: broadcasts, reshapes, transposes, slices, pads,
 * concatenations; and iota. */
#include "../inner.h"
#include "../../op/ops.h"

static bool shape_operands(hlo_reader *r, const hlo_op *o, int n)
{
    return (o->in.n == n && hlo_result(o, 0)) ||
           hlo_refuse(r, o, TT_EARG, "expected %d operand%s, not %d, and the result's type", n, n == 1 ? "" : "s",
                      o->in.n);
}

static bool broadcast_in_dim(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!shape_operands(r, o, 1)) return false;
    const ir_type *const t = hlo_result(o, 0);
    const op_broadcast_attr a = { { t->rank, t->dim }, hlo_dims(r, o, &o->attr, "broadcast_dimensions", 0, 0) };
    return hlo_emit(r, &prim_broadcast_in_dim, &a, 1, x, y);
}

static bool reshape(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!shape_operands(r, o, 1)) return false;
    y[0] = op_reshape(r->b, x[0], hlo_result(o, 0)->rank, hlo_result(o, 0)->dim);
    return y[0] != 0;
}

static bool transpose(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_transpose_attr a = { hlo_dims(r, o, &o->attr, "permutation", 0, 0) };
    return shape_operands(r, o, 1) && !r->bad && hlo_emit(r, &prim_transpose, &a, 1, x, y);
}

static bool reverse(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_reverse_attr a = { hlo_dims(r, o, &o->attr, "dimensions", 0, 0) };
    return shape_operands(r, o, 1) && !r->bad && hlo_emit(r, &prim_reverse, &a, 1, x, y);
}

static bool slice(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!shape_operands(r, o, 1)) return false;
    const int n = ir_typeof(r->b, x[0])->rank;
    const op_slice_attr a = { hlo_dims(r, o, &o->attr, "start_indices", 0, 0),
                              hlo_dims(r, o, &o->attr, "limit_indices", 0, 0),
                              hlo_dims(r, o, &o->attr, "strides", n, 1) };
    return !r->bad && hlo_emit(r, &prim_slice, &a, 1, x, y);
}

static bool shape_pad(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!shape_operands(r, o, 2)) return false;
    const int n = ir_typeof(r->b, x[0])->rank;
    const op_pad_attr a = { hlo_dims(r, o, &o->attr, "edge_padding_low", n, 0),
                            hlo_dims(r, o, &o->attr, "edge_padding_high", n, 0),
                            hlo_dims(r, o, &o->attr, "interior_padding", n, 0) };
    return !r->bad && hlo_emit(r, &prim_pad, &a, 2, x, y);
}

static bool concatenate(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_concatenate_attr a = { hlo_int(r, o, &o->attr, "dimension", 0) };
    return !r->bad && hlo_emit(r, &prim_concatenate, &a, o->in.n, x, y);
}

static bool iota(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!shape_operands(r, o, 0)) return false;
    const ir_type *const t = hlo_result(o, 0);
    const op_iota_attr a = { t->dtype, { t->rank, t->dim }, hlo_int(r, o, &o->attr, "iota_dimension", 0) };
    return !r->bad && hlo_emit(r, &prim_iota, &a, 0, x, y);
}

/* the older broadcast: new dims in front */
static bool shape_broadcast(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!shape_operands(r, o, 1)) return false;
    const ir_type *const t = hlo_result(o, 0), *const from = ir_typeof(r->b, x[0]);
    int64_t dims[IR_RANK];
    const ir_dims sizes = hlo_dims(r, o, &o->attr, "broadcast_sizes", 0, 0);
    if (r->bad) return false;
    bool agree = sizes.n + from->rank == t->rank;
    for (int d = 0; agree && d < sizes.n; d++) agree = sizes.v[d] == t->dim[d];
    if (!agree) return hlo_refuse(r, o, TT_ESHAPE,
                                  "the result must have broadcast_sizes as its first dims, then those of the operand");
    for (int d = 0; d < from->rank; d++) dims[d] = t->rank - from->rank + d;
    const op_broadcast_attr a = { { t->rank, t->dim }, { from->rank, dims } };
    return hlo_emit(r, &prim_broadcast_in_dim, &a, 1, x, y);
}

static bool get_dimension_size(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t d = hlo_int(r, o, &o->attr, "dimension", 0);
    if (!shape_operands(r, o, 1)) return false;
    const ir_type *const t = ir_typeof(r->b, x[0]);
    if (d < 0 || d >= t->rank) return hlo_refuse(r, o, TT_ESHAPE, "no dim %lld of the operand", (long long)d);
    y[0] = op_int(r->b, TT_I32, t->dim[d]);
    return y[0] != 0;
}

const hlo_rule hlo_shapes[] = {
    { "stablehlo.broadcast_in_dim", broadcast_in_dim },
    { "stablehlo.reshape", reshape },
    { "stablehlo.transpose", transpose },
    { "stablehlo.reverse", reverse },
    { "stablehlo.slice", slice },
    { "stablehlo.pad", shape_pad },
    { "stablehlo.concatenate", concatenate },
    { "stablehlo.iota", iota },
    { "stablehlo.broadcast", shape_broadcast },
    { "stablehlo.get_dimension_size", get_dimension_size },
    { NULL, NULL },
};
