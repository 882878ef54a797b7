/* num/make.c - arrays defined by a rule: identities, triangles, diagonals, ranges, grids, outer products. */
#include <tutti.h>

enum { RANK = 12 };

/* bool [rows, columns]: column - row == k, or with `less` <= k. */
static tt_val band(const char *site, int64_t rows, int64_t columns, int64_t k, bool less)
{
    const int64_t dim[] = { rows, columns, TT_DIM_END };
    const tt_val row = tt_iota_at(site, TT_I32, 0, dim), column = tt_iota_at(site, TT_I32, 1, dim);
    return tt_compare_at(site, less ? 3 : 0, tt_sub_at(site, column, row), tt_i(k));
}

tt_val tt_eye_at(const char *site, tt_dtype dtype, int64_t n, const tt_eye_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_eye_opts, site, "eye", o)) return tt_poison;
    const int64_t columns = o->columns || tt_given(o, "columns") ? o->columns : n;
    if (!tt_ok()) return tt_poison;
    if (n < 0 || columns < 0)
        return tt_fail_at(site, TT_EARG, "eye: %lld rows, %lld columns; expected 0 or more", (long long)n,
                          (long long)columns);
    return tt_cast_at(site, band(site, n, columns, o->diagonal, false), dtype);
}

/* The numbers from (1 - i (1/(n-1))) + (to/(n-1)) i for i = 0, 1, ..., and `to` itself, as XLA compiles
 * jax.numpy.linspace: XLA multiplies by the reciprocal and, in f32 and f64, fuses the last product and the sum. */
tt_val tt_linspace_at(const char *site, tt_dtype dtype, double from, double to, int64_t n)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (n < 0 || tt_dtype_kind(dtype) != 'f')
        return tt_fail_at(site, TT_EARG, "linspace: %lld numbers of type %s; expected 0 or more, of a float type",
                          (long long)n, tt_dtype_name(dtype));
    const int64_t one[] = { n < 1 ? 0 : 1, TT_DIM_END };
    if (n < 2) return tt_full_at(site, from, dtype, one);
    const int64_t scalar[] = { TT_DIM_END };
    const tt_val i = tt_arange_at(site, dtype, n - 1), by = tt_full_at(site, (double)(n - 1), dtype, scalar);
    const tt_val step = tt_div_at(site, tt_full_at(site, to, dtype, scalar), by);
    const tt_val part = tt_div_at(site, tt_full_at(site, 1, dtype, scalar), by);
    const tt_val left = tt_mul_at(site, tt_f(from), tt_sub_at(site, tt_f(1), tt_mul_at(site, i, part)));
    const bool fused = dtype == TT_F32 || dtype == TT_F64;
    const tt_val line = fused ? tt_fma_at(site, step, i, left) : tt_add_at(site, left, tt_mul_at(site, step, i));
    return tt_concat_at(site, 0, (const tt_val[]){ line, tt_full_at(site, to, dtype, one), tt_end });
}

tt_val tt_meshgrid_at(const char *site, const tt_val *rows)
{
    TT_ENTRY(site);
    int64_t dim[RANK + 1], lone[RANK + 1];
    tt_val out[RANK + 1];
    int n = 0;
    if (!rows) return tt_fail_at(site, TT_EARG, "meshgrid: the list of values is NULL");
    for (; rows[n].slot != UINT32_MAX; n++) {
        if (!tt_ok()) return tt_poison;
        if (n == RANK || tt_rank_at(site, rows[n]) != 1)
            return n == RANK ? tt_fail_at(site, TT_ESHAPE, "meshgrid: more than the limit of %d arrays", RANK)
                             : tt_fail_at(site, TT_ESHAPE, "meshgrid: argument %d is %s; expected rank 1", n,
                                          tt_type_text_at(site, rows[n]));
        dim[n] = tt_count_at(site, rows[n]);
    }
    dim[n] = lone[n] = TT_DIM_END;
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < n; d++) lone[d] = d == i ? dim[i] : 1;
        out[i] = tt_broadcast_at(site, tt_reshape_at(site, rows[i], lone), dim);
    }
    out[n] = tt_end;
    return tt_tuple_at(site, out);
}

/* v where column - row <= k (lower), or where it is >= k; else 0. */
static tt_val triangle(const char *site, const char *what, tt_val v, int64_t k, bool lower)
{
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return tt_poison;
    if (rank < 2)
        return tt_fail_at(site, TT_ESHAPE, "%s: of %s; expected rank 2 or more", what, tt_type_text_at(site, v));
    const int64_t rows = tt_dim_at(site, v, rank - 2), columns = tt_dim_at(site, v, rank - 1);
    k = k < -rows ? -rows : k > columns ? columns : k;
    const tt_val keep = band(site, rows, columns, lower ? k : k - 1, true);
    const tt_val zero = tt_cast_at(site, tt_i(0), tt_dtype_of_at(site, v));
    return lower ? tt_where_at(site, keep, v, zero) : tt_where_at(site, keep, zero, v);
}
tt_val tt_tril_at(const char *site, tt_val v, int64_t k)
{
    TT_ENTRY(site);
    return triangle(site, "tril", v, k, true);
}
tt_val tt_triu_at(const char *site, tt_val v, int64_t k)
{
    TT_ENTRY(site);
    return triangle(site, "triu", v, k, false);
}

/* [n] to [n + |k|, n + |k|]: element i is in row i if k >= 0, else in column i. */
static tt_val matrix_of(const char *site, tt_val v, int64_t k)
{
    const int64_t n = tt_count_at(site, v), more = k < 0 ? -k : k;
    const tt_val zero = tt_cast_at(site, tt_i(0), tt_dtype_of_at(site, v));
    const tt_val line = tt_pad_at(site, v, zero, (const int64_t[]){ 0 }, (const int64_t[]){ more },
                                  (const int64_t[]){ 0 });
    return tt_where_at(site, band(site, n + more, n + more, k, false), tt_expand_dims_at(site, line, k < 0 ? 0 : 1),
        zero);
}

/* Every (columns + 1)-th element of the flattened matrix, starting at the first element of the diagonal. */
static tt_val diagonal_of(const char *site, tt_val v, int64_t k)
{
    const int64_t rows = tt_dim_at(site, v, 0), columns = tt_dim_at(site, v, 1);
    k = k < -rows ? -rows : k > columns ? columns : k;
    const int64_t down = k < 0 ? -k : 0, right = k < 0 ? 0 : k;
    const int64_t below = rows - down, across = columns - right, n = below < across ? below : across;
    const int64_t from = down * columns + right;
    const tt_val line = tt_flatten_at(site, v, 0);
    return n < 1 ? tt_slice_at(site, line, 0, 0, 0, 1) : tt_slice_at(site, line, 0, from,
        from + (n - 1) * (columns + 1) + 1,
                                                                     columns + 1);
}

tt_val tt_diag_at(const char *site, tt_val v, int64_t k)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, v) != 1 && tt_rank_at(site, v) != 2)
        return tt_fail_at(site, TT_ESHAPE, "diag: of %s; expected rank 1 or 2", tt_type_text_at(site, v));
    return tt_rank_at(site, v) == 1 ? matrix_of(site, v, k) : diagonal_of(site, v, k);
}

tt_val tt_trace_at(const char *site, tt_val v)
{
    TT_ENTRY(site);
    const tt_reduce_opts all = { .size = sizeof all };
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, v) != 2) return tt_fail_at(site, TT_ESHAPE, "trace: of %s; expected rank 2",
                                                      tt_type_text_at(site, v));
    return tt_sum_at(site, tt_diag_at(site, v, 0), &all);
}

tt_val tt_outer_at(const char *site, tt_val a, tt_val b)
{
    return tt_mul_at(site, tt_expand_dims_at(site, tt_flatten_at(site, a, 0), 1), tt_flatten_at(site, b, 0));
}

tt_val tt_kron_at(const char *site, tt_val a, tt_val b)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, a) != 2 || tt_rank_at(site, b) != 2)
        return tt_fail_at(site, TT_ESHAPE, "kron: of %s and %s; expected rank 2", tt_type_text_at(site, a),
                          tt_type_text_at(site, b));
    const tt_val wide = tt_expand_dims_at(site, tt_expand_dims_at(site, a, 1), 3), fine = tt_expand_dims_at(site, b, 1);
    const tt_val product = tt_mul_at(site, wide, fine);  /* [m, 1, n, 1] [p, 1, q] -> [m, p, n, q] */
    const int64_t dim[] = { tt_dim_at(site, a, 0) * tt_dim_at(site, b, 0),
                            tt_dim_at(site, a, 1) * tt_dim_at(site, b, 1), TT_DIM_END };
    return tt_reshape_at(site, product, dim);
}
