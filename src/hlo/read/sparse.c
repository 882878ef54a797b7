/* hlo/read/sparse.c - the custom call of a sparse matrix product, as JAX prints BCSR on CPU: @cpu_csr_sparse_dense_ffi
 * of elements [k], row starts [m + 1], columns [k] and a dense vector [n] or matrix [n, p] gives [m] or [m, p].
 *
 *     row[i] = number of rows that start at or before element i, less one
 *     out[row[i], ..] += element[i] * dense[column[i], ..] */
#include "../inner.h"
#include "../../op/ops.h"

/* `to` with u[i, ..] added at row k[i]; rows out of range are dropped. */
static ir_id sparse_added(hlo_reader *r, ir_id to, ir_id k, ir_id u)
{
    static const int64_t zero = 0, one = 1;
    const ir_type *const t = ir_typeof(r->b, to);
    const op_scatter_attr a = {
        .update_window_dims = { t->rank - 1, &one }, .inserted_window_dims = { 1, &zero },
        .scatter_dims_to_operand_dims = { 1, &zero }, .index_vector_dim = 1,
    };
    ir_fn *const f = op_reducer(r->b, &prim_add, t->dtype);
    return f ? ir_emit(r->b, &prim_scatter, &a, 3, (const ir_id[]){ to, k, u }, 1, &f) : 0;
}

static bool sparse_fits(hlo_reader *r, const hlo_op *o, const ir_id *x)
{
    const ir_type *t[4];
    if (o->in.n != 4 || o->to.n != 1)
        return hlo_refuse(r, o, TT_EARG, "%d operands and %d results; expected 4 and 1", o->in.n, o->to.n);
    for (int i = 0; i < 4; i++) t[i] = ir_typeof(r->b, x[i]);
    const bool whole = t[1]->dtype == TT_I32 && t[2]->dtype == TT_I32;
    return (t[0]->rank == 1 && t[1]->rank == 1 && t[2]->rank == 1 && t[1]->dim[0] > 0 && t[0]->dim[0] == t[2]->dim[0] &&
            (t[3]->rank == 1 || t[3]->rank == 2) && t[3]->dtype == t[0]->dtype && whole) ||
           hlo_refuse(r, o, TT_EARG, "expected elements, row starts and columns in i32, and a dense vector or matrix");
}

bool hlo_sparse_product(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const int64_t zero = 0, one = 1;
    if (!sparse_fits(r, o, x)) return false;
    const ir_type *const e = ir_typeof(r->b, x[0]), *const dense = ir_typeof(r->b, x[3]);
    const int64_t k = e->dim[0], rows = ir_typeof(r->b, x[1])->dim[0] - 1, pair[] = { rows + 1, 1 };
    int64_t dim[2] = { k, dense->rank > 1 ? dense->dim[1] : 1 };
    const ir_type *const place = ir_type_of(TT_I32, 1, &k);
    const ir_id starts = op_reshape(r->b, x[1], 2, pair), ones = op_splat(r->b, ir_type_of(TT_I32, 1, pair), 1);
    const ir_id begun = sparse_added(r, op_zeros(r->b, place), starts, ones);
    const ir_id rank = ir_emit(r->b, &prim_cumsum, &(op_cum_attr){ 0, false }, 1, &begun, 0, NULL);
    const ir_id row = op_sub(r->b, rank, op_splat(r->b, place, 1));
    const op_gather_attr g = { .offset_dims = { dense->rank - 1, &one }, .collapsed_slice_dims = { 1, &zero },
                               .start_index_map = { 1, &zero }, .index_vector_dim = 1,
                               .slice_sizes = { dense->rank, (const int64_t[]){ 1, dim[1] } } };
    const ir_id column = op_reshape(r->b, x[2], 2, (const int64_t[]){ k, 1 });
    const ir_id met = ir_emit(r->b, &prim_gather, &g, 2, (const ir_id[]){ x[3], column }, 0, NULL);
    if (!met || !row) return false;
    const ir_id each = op_mul(r->b, op_broadcast(r->b, x[0], ir_typeof(r->b, met), 1, &zero), met);
    dim[0] = rows;
    const ir_type *const out = ir_type_of(e->dtype, dense->rank, dim);
    y[0] = sparse_added(r, op_zeros(r->b, out), op_reshape(r->b, row, 2, (const int64_t[]){ k, 1 }), each);
    return y[0] != 0;
}
