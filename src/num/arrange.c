/* num/arrange.c - functions that rearrange, select, sort and count elements. */
#include "num.h"

#include <math.h>
#include <string.h>

enum { RANK = 12 };

/* The number of the dim, 0 or more; -1 with the error set. */
static int arrange_dim_of(const char *site, const char *what, tt_val v, int dim)
{
    const int rank = tt_rank_at(site, v), at = dim < 0 ? dim + rank : dim;
    if (tt_ok() && (at < 0 || at >= rank))
        tt_fail_at(site, TT_EARG, "%s: no dim %d in %s", what, dim, tt_type_text_at(site, v));
    return tt_ok() ? at : -1;
}

tt_val tt_roll_at(const char *site, tt_val v, int64_t shift, int dim)
{
    TT_ENTRY(site);
    const int at = arrange_dim_of(site, "roll", v, dim);
    if (at < 0) return tt_poison;
    const int64_t n = tt_dim_at(site, v, at), by = n ? ((shift % n) + n) % n : 0;
    if (!by) return v;
    const tt_val end = tt_slice_at(site, v, at, n - by, n, 1), start = tt_slice_at(site, v, at, 0, n - by, 1);
    return tt_concat_at(site, at, (const tt_val[]){ end, start, tt_end });
}

/* v with a new dim of n copies at `at`, merged with dim `with` of the result. */
static tt_val copies(const char *site, tt_val v, int64_t n, int at, int with)
{
    int64_t wide[RANK + 2], joined[RANK + 2];
    const tt_val thin = tt_expand_dims_at(site, v, at);
    const int rank = tt_rank_at(site, thin);
    if (!tt_ok()) return tt_poison;
    for (int d = 0; d < rank; d++) wide[d] = d == at ? n : tt_dim_at(site, thin, d);
    wide[rank] = TT_DIM_END;
    for (int d = 0, k = 0; d <= rank; d++)
        if (d == with) joined[k++] = wide[d] * wide[d + 1], d++;
        else joined[k++] = wide[d];
    return tt_reshape_at(site, tt_broadcast_at(site, thin, wide), joined);
}

tt_val tt_repeat_at(const char *site, tt_val v, int64_t n, int dim)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    const int at = arrange_dim_of(site, "repeat", v, dim);
    if (at >= 0 && (n < 0 || tt_rank_at(site, v) == RANK))
        return n < 0 ? tt_fail_at(site, TT_EARG, "repeat: %lld times; expected 0 or more", (long long)n)
                     : tt_fail_at(site, TT_EARG, "repeat: of %s; expected at most %d dims", tt_type_text_at(site, v),
                                  RANK - 1);
    return at < 0 ? v : copies(site, v, n, at + 1, at);
}

tt_val tt_tile_at(const char *site, tt_val v, const int64_t *times)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    int n = 0;
    while (times && times[n] != TT_DIM_END) n++;
    while (tt_ok() && tt_rank_at(site, v) < n) v = tt_expand_dims_at(site, v, 0);
    const int rank = tt_rank_at(site, v);
    for (int i = 0; i < n && tt_ok(); i++) {
        if (times[i] < 0 || rank == RANK)
            return rank == RANK ? tt_fail_at(site, TT_EARG, "tile: of %s; expected at most %d dims",
                                             tt_type_text_at(site, v), RANK - 1)
                                : tt_fail_at(site, TT_EARG, "tile: %lld times along dim %d; expected 0 or more",
                                             (long long)times[i], rank - n + i);
        if (times[i] != 1) v = copies(site, v, times[i], rank - n + i, rank - n + i);
    }
    return v;
}

tt_val tt_moveaxis_at(const char *site, tt_val v, int from, int to)
{
    TT_ENTRY(site);
    int64_t perm[RANK + 1];
    const int a = arrange_dim_of(site, "moveaxis", v, from), b = arrange_dim_of(site, "moveaxis", v, to),
        rank = tt_rank_at(site, v);
    if (a < 0 || b < 0) return tt_poison;
    for (int d = 0, k = 0; d < rank; d++) perm[d] = d == b ? a : (k += k == a, k++);
    perm[rank] = TT_DIM_END;
    return tt_transpose_at(site, v, perm);
}

tt_val tt_swapaxes_at(const char *site, tt_val v, int i, int j)
{
    TT_ENTRY(site);
    int64_t perm[RANK + 1];
    const int a = arrange_dim_of(site, "swapaxes", v, i), b = arrange_dim_of(site, "swapaxes", v, j),
        rank = tt_rank_at(site, v);
    if (a < 0 || b < 0) return tt_poison;
    for (int d = 0; d < rank; d++) perm[d] = d == a ? b : d == b ? a : d;
    perm[rank] = TT_DIM_END;
    return tt_transpose_at(site, v, perm);
}

tt_val tt_diff_at(const char *site, tt_val v, int dim)
{
    TT_ENTRY(site);
    const int at = arrange_dim_of(site, "diff", v, dim);
    if (at < 0) return tt_poison;
    const int64_t n = tt_dim_at(site, v, at);
    if (n < 2) return tt_slice_at(site, v, at, 0, 0, 1);
    const tt_val next = tt_slice_at(site, v, at, 1, n, 1), own = tt_slice_at(site, v, at, 0, n - 1, 1);
    return tt_dtype_of_at(site, v) == TT_BOOL ? tt_compare_at(site, 1, next, own) : tt_sub_at(site, next, own);
}

static tt_val take_row(tt_val row, tt_val index) { return tt_take_at(0, row, index, 0, NULL); }

/* A take of rank 1, vmapped over all other dims, so that the other dims may be sharded. */
tt_val tt_take_along_axis_at(const char *site, tt_val v, tt_val index, int dim)
{
    TT_ENTRY(site);
    const int at = arrange_dim_of(site, "take_along_axis", v, dim), rank = tt_rank_at(site, v);
    if (at < 0) return tt_poison;
    bool same = tt_rank_at(site, index) == rank;
    for (int d = 0; same && d < rank; d++) same = d == at || tt_dim_at(site, v, d) == tt_dim_at(site, index, d);
    if (!tt_ok()) return tt_poison;
    if (!same)
        return tt_fail_at(site, TT_ESHAPE, "take_along_axis: %s and indices %s differ in another dim than %d",
                          tt_type_text_at(site, v), tt_type_text_at(site, index), at);
    const tt_vmap_opts rows = { .size = sizeof rows };
    tt_fn take = tt_fn_of2("take_along_axis", take_row);
    for (int d = 1; d < rank; d++) take = tt_vmap_at(site, take, &rows);
    const tt_val args[] = { tt_moveaxis_at(site, v, at, -1), tt_moveaxis_at(site, index, at, -1) };
    return tt_moveaxis_at(site, tt_call_n(site, take, 2, args), -1, at);
}

tt_val tt_argsort_at(const char *site, tt_val v, int dim, const tt_sort_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_sort_opts, site, "argsort", o)) return tt_poison;
    if (o->keys) {
        tt_fail_at(site, TT_EARG, "argsort has no .keys: argsort sorts one array");
        tt_hint("tt_sort of a tuple of keys and an iota gives the places by several keys");
        return tt_poison;
    }
    int64_t dims[RANK + 1];
    const int at = arrange_dim_of(site, "argsort", v, dim), rank = tt_rank_at(site, v);
    if (at < 0) return tt_poison;
    for (int d = 0; d < rank; d++) dims[d] = tt_dim_at(site, v, d);
    dims[rank] = TT_DIM_END;
    const tt_sort_opts one = { .size = sizeof one, .descending = o->descending, .keys = 1 };
    const tt_val both = tt_tuple_at(site, (const tt_val[]){ v, tt_iota_at(site, TT_I32, at, dims), tt_end });
    return tt_item_at(site, tt_sort_at(site, both, at, &one), 1);
}

/* Elements of v combined into `start` by their ids. Negative ids are replaced by ids past the end, because a scatter
 * drops those, but would count negative ids from the end. */
static tt_val segments(const char *site, const char *what, const char *how, tt_val v, tt_val ids, int64_t n,
                       tt_val start)
{
    TT_ENTRY(site);
    int64_t dims[RANK + 1];
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return tt_poison;
    if (rank < 1 || tt_rank_at(site, ids) != 1 || tt_dim_at(site, ids, 0) != tt_dim_at(site, v, 0) || n < 0)
        return tt_fail_at(site, TT_ESHAPE, "%s: values %s, ids %s, %lld segments; expected [N, ...], [N] and 0 or more",
                          what, tt_type_text_at(site, v), tt_type_text_at(site, ids), (long long)n);
    if (!strchr("biu", tt_dtype_kind(tt_dtype_of_at(site, ids))))
        return tt_fail_at(site, TT_ETYPE, "%s: the ids are %s; expected integers", what, tt_type_text_at(site, ids));
    for (int d = 1; d < rank; d++) dims[d] = tt_dim_at(site, v, d);
    dims[0] = n;
    dims[rank] = TT_DIM_END;
    ids = num_ids(site, ids);
    const tt_val inside = tt_where_at(site, tt_compare_at(site, 2, ids, tt_i(0)), tt_i(n), ids);
    const tt_val whole = tt_broadcast_at(site, start, dims);
    return *how == 'a' ? tt_index_set_at(site, whole, inside, v, 1, NULL)
                       : tt_scatter_at(site, how, whole, "0", inside, v, NULL);
}

tt_val tt_segment_sum_at(const char *site, tt_val v, tt_val ids, int64_t n)
{
    const tt_val start = tt_cast_at(site, tt_i(0), tt_dtype_of_at(site, v));
    return segments(site, "segment_sum", "add", v, ids, n, start);
}
tt_val tt_segment_prod_at(const char *site, tt_val v, tt_val ids, int64_t n)
{
    const tt_val start = tt_cast_at(site, tt_i(1), tt_dtype_of_at(site, v));
    return segments(site, "segment_prod", "mul", v, ids, n, start);
}

/* The least number of v's type, or the greatest. */
static tt_val end_of(const char *site, tt_val v, bool least)
{
    const tt_dtype d = tt_dtype_of_at(site, v);
    int64_t low;
    uint64_t high;
    const bool whole = tt_int_range(d, &low, &high) || d == TT_BOOL;
    const int64_t scalar[] = { TT_DIM_END };
    if (!whole) return tt_full_at(site, least ? -(double)INFINITY : (double)INFINITY, d, scalar);
    if (d == TT_BOOL) high = 1;                          /* tt_int_range: no integers, 0 to 0 */
    return least ? tt_full_i_at(site, low, d, scalar) : tt_full_u_at(site, high, d, scalar);
}
tt_val tt_segment_max_at(const char *site, tt_val v, tt_val ids, int64_t n)
{
    return segments(site, "segment_max", "max", v, ids, n, end_of(site, v, true));
}
tt_val tt_segment_min_at(const char *site, tt_val v, tt_val ids, int64_t n)
{
    return segments(site, "segment_min", "min", v, ids, n, end_of(site, v, false));
}

/* As in JAX a negative number counts as 0. */
tt_val tt_bincount_at(const char *site, tt_val v, int64_t n)
{
    TT_ENTRY(site);
    tt_val flat = tt_flatten_at(site, v, 0);
    const int64_t dim[] = { tt_count_at(site, flat), TT_DIM_END };
    if (tt_ok() && !strchr("biu", tt_dtype_kind(tt_dtype_of_at(site, v))))
        return tt_fail_at(site, TT_ETYPE, "bincount: of %s; expected integers", tt_type_text_at(site, v));
    if (n < 0) return tt_fail_at(site, TT_EARG, "bincount: %lld numbers; expected 0 or more", (long long)n);
    if (tt_ok() && tt_dtype_kind(tt_dtype_of_at(site, v)) == 'i') flat = tt_max_at(site, flat, tt_i(0));
    return tt_segment_sum_at(site, tt_full_at(site, 1, TT_I32, dim), flat, n);
}
