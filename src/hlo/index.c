/* hlo/index.c - dynamic slices, gather, scatter. */
#include "inner.h"

static bool dynamic_slice(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_dynamic_slice_attr a = { hlo_dims(r, o, &o->attr, "slice_sizes", 0, 0) };
    return !r->bad && hlo_emit(r, &row_dynamic_slice, &a, o->in.n, x, y);
}

static bool dynamic_update_slice(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_emit(r, &row_dynamic_update_slice, NULL, o->in.n, x, y);
}

static bool gather(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attrs *const d = hlo_record(o, "dimension_numbers");
    const op_gather_attr a = {
        .offset_dims = hlo_dims(r, o, d, "offset_dims", 0, 0),
        .collapsed_slice_dims = hlo_dims(r, o, d, "collapsed_slice_dims", 0, 0),
        .operand_batching_dims = hlo_dims(r, o, d, "operand_batching_dims", 0, 0),
        .start_indices_batching_dims = hlo_dims(r, o, d, "start_indices_batching_dims", 0, 0),
        .start_index_map = hlo_dims(r, o, d, "start_index_map", 0, 0),
        .index_vector_dim = hlo_int(r, o, d, "index_vector_dim", 0),
        .slice_sizes = hlo_dims(r, o, &o->attr, "slice_sizes", 0, 0),
        .indices_are_sorted = hlo_flag(&o->attr, "indices_are_sorted"),
    };
    return !r->bad && hlo_emit(r, &row_gather, &a, o->in.n, x, y);
}

static bool scatter(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attrs *const d = hlo_record(o, "scatter_dimension_numbers");
    const op_scatter_attr a = {
        .update_window_dims = hlo_dims(r, o, d, "update_window_dims", 0, 0),
        .inserted_window_dims = hlo_dims(r, o, d, "inserted_window_dims", 0, 0),
        .input_batching_dims = hlo_dims(r, o, d, "input_batching_dims", 0, 0),
        .scatter_indices_batching_dims = hlo_dims(r, o, d, "scatter_indices_batching_dims", 0, 0),
        .scatter_dims_to_operand_dims = hlo_dims(r, o, d, "scatter_dims_to_operand_dims", 0, 0),
        .index_vector_dim = hlo_int(r, o, d, "index_vector_dim", 0),
        .indices_are_sorted = hlo_flag(&o->attr, "indices_are_sorted"),
        .unique_indices = hlo_flag(&o->attr, "unique_indices"),
    };
    if (r->bad) return false;
    if (o->in.n != 3) return hlo_refuse(r, o, TT_EARG, "of several operands at once is not supported");
    ir_fn *const f = hlo_closed(r, o, 0);
    y[0] = f ? ir_emit(r->b, &row_scatter, &a, 3, x, 1, &f) : 0;
    return y[0] != 0;
}

const hlo_rule hlo_indices[] = {
    { "stablehlo.dynamic_slice", dynamic_slice },
    { "stablehlo.dynamic_update_slice", dynamic_update_slice },
    { "stablehlo.gather", gather },
    { "stablehlo.scatter", scatter },
    { NULL, NULL },
};
