/* hlo/read/index.c - reads dynamic_slice, dynamic_update_slice, gather and scatter. A scatter of several operands
 * becomes one scatter per operand if its region computes each result from that operand alone, else scatter_together. */
#include "../inner.h"
#include "../../op/ops.h"

static bool dynamic_slice(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_dynamic_slice_attr a = { hlo_dims(r, o, &o->attr, "slice_sizes", 0, 0) };
    return !r->bad && hlo_emit(r, &prim_dynamic_slice, &a, o->in.n, x, y);
}

static bool dynamic_update_slice(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_emit(r, &prim_dynamic_update_slice, NULL, o->in.n, x, y);
}

static bool index_gather(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
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
    return !r->bad && hlo_emit(r, &prim_gather, &a, o->in.n, x, y);
}

/* The part of a region that computes result j of n from the j-th old and new element alone; NULL: it reads others. */
static ir_fn *region_of_result(hlo_reader *r, const ir_fn *f, int j, int n)
{
    ir_build *const b = ir_region(r->b, base_intern("region"));
    ir_id *const map = BASE_NEW(r->p->arena, ir_id, f->nvalue + 1), ret;
    map[1 + j] = ir_arg(b, f->type[1 + j]);
    map[1 + n + j] = ir_arg(b, f->type[1 + n + j]);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const in = BASE_NEW(r->p->arena, ir_id, e->nin + 1);
        bool known = true;
        for (uint32_t i = 0; i < e->nin; i++) known &= (in[i] = map[e->in[i]]) != 0;
        const ir_id out = known ? ir_clone(b, e, in) : 0;
        for (uint32_t i = 0; out && i < e->nout; i++) map[e->out + i] = out + i;
    }
    ret = map[f->ret[j]];
    return ret ? ir_end(b, 1, &ret) : NULL;
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
    const int n = o->in.n / 2;                           /* arrays; the indices; as many updates as arrays */
    if (r->bad) return false;
    if (o->in.n % 2 == 0)
        return hlo_refuse(r, o, TT_EARG, "%d operands; expected arrays, indices, and as many updates", o->in.n);
    ir_fn *const f = hlo_closed(r, o, 0);
    if (!f) return false;
    if ((int)f->narg != 2 * n || (int)f->nret != n)
        return hlo_refuse(r, o, TT_EARG, "a region of %u parameters and %u results; expected %d and %d", f->narg,
                          f->nret, 2 * n, n);
    ir_fn **const own = BASE_NEW(r->p->arena, ir_fn *, n + 1);
    bool mixed = false;
    for (int j = 0; j < n; j++) mixed |= !(own[j] = n == 1 ? f : region_of_result(r, f, j, n));
    if (mixed) {
        const ir_id first = ir_emit(r->b, &prim_scatter_together, &a, (uint32_t)o->in.n, x, 1, &f);
        for (int j = 0; j < n; j++) y[j] = first + (ir_id)j;
        return first != 0;
    }
    for (int j = 0; j < n; j++)
        if (!(y[j] = ir_emit(r->b, &prim_scatter, &a, 3, (const ir_id[]){ x[j], x[n], x[n + 1 + j] }, 1, &own[j])))
            return false;
    return true;
}

const hlo_rule hlo_indices[] = {
    { "stablehlo.dynamic_slice", dynamic_slice },
    { "stablehlo.dynamic_update_slice", dynamic_update_slice },
    { "stablehlo.gather", index_gather },
    { "stablehlo.scatter", scatter },
    { NULL, NULL },
};
