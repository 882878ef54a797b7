/* random/orthogonal.c - orthonormal columns (or rows, if there are fewer rows) from a normal matrix: JAX's
 * `orthogonal`.
 *
 * JAX takes Q of a QR factorisation, with each column multiplied by the sign of R's diagonal element: this is the Q
 * whose R has a positive diagonal, which Gram-Schmidt computes. Each column is orthogonalised against the earlier ones
 * twice, which makes it orthogonal to the last bits ("twice is enough": Giraud and others, 2005). */
#include "random.h"

/* The caller's site, for every operation below. */
static _Thread_local const char *caller;
#undef TT_AT
#define TT_AT(text) ((void)sizeof(text), caller)

static tt_val orthogonal_times(tt_val a, tt_val b, const char *sum)
{
    return tt_dot_at(caller, a, b, &(tt_dot_opts){ .size = sizeof(tt_dot_opts), .sum = sum });
}

/* (a, q), both [n, m]: sets column i of q to column i of a, orthogonalised against the columns of q and normalised. */
static tt_val column(tt_val i, tt_val state)
{
    const tt_val a = tt_item(state, 0), q = tt_item(state, 1);
    tt_val v = tt_dynamic_slice(a, 1, i, 1);
    for (int k = 0; k < 2; k++) v = tt_sub(v, orthogonal_times(q, orthogonal_times(q, v, "0:0"), "1:0"));
    v = tt_div(v, tt_sqrt(tt_sum(tt_square(v))));
    return tt_tuple(a, tt_dynamic_update_slice(q, v, 1, i));
}

/* The dims other than column_axis are the rows; the matrix is drawn with at least as many rows as columns, and
 * transposed if necessary. */
tt_val random_orthogonal(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims, int column_axis)
{
    const int rank = random_rank(dims), axis = column_axis < 0 ? column_axis + rank : column_axis;
    int64_t all = 1, back[RANDOM_RANK + 2], perm[RANDOM_RANK + 2];
    if (rank < 2 || axis < 0 || axis >= rank) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "orthogonal: no column dim %d in a shape of %d dims",
                                      column_axis, rank);
        tt_hint("at least two dims are needed");
        return bad;
    }
    for (int d = 0; d < rank; d++) all *= dims[d];
    if (!all || !random_is_float(site, "orthogonal", dtype)) return tt_full_at(site, 0, dtype, dims);
    caller = site;
    const int64_t columns = dims[axis], rows = all / columns, n = rows > columns ? rows : columns,
                  m = rows > columns ? columns : rows;
    const tt_val a = tt_normal_at(site, key, dtype, (const int64_t[]){ n, m, TT_DIM_END });
    const tt_val start = tt_tuple_at(site, (const tt_val[]){ a, tt_mul_at(site, a, tt_i(0)), tt_end });
    tt_val q = tt_item_at(site, tt_fori_at(site, 0, m, TT_FN(column), start), 1);
    if (rows < columns) q = tt_transpose_at(site, q, (const int64_t[]){ 1, 0, TT_DIM_END });
    for (int d = 0, k = 0; d < rank; d++) if (d != axis) back[k++] = dims[d];
    back[rank - 1] = columns;
    back[rank] = TT_DIM_END;
    for (int d = 0; d < rank; d++) perm[d] = d < axis ? d : d == axis ? rank - 1 : d - 1;
    perm[rank] = TT_DIM_END;
    return tt_transpose_at(site, tt_reshape_at(site, q, back), perm);
}
