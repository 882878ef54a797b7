/* num/shape.c - flatten, expand, squeeze, stack, pools, top_k. */
#include "num.h"

enum { RANK = 12 };

/* The rank; of a tree -1 with the error set. */
static int shape_dims_of(const char *site, const char *what, tt_val v, int64_t *dim)
{
    const int n = tt_rank_at(site, v);
    if (n < 0 && tt_ok())
        tt_fail_at(site, TT_ETREE, "%s takes an array, not the tree %s", what, tt_type_text_at(site, v));
    for (int i = 0; i < n && i < RANK; i++) dim[i] = tt_dim_at(site, v, i);
    return n;
}

tt_val tt_flatten_at(const char *site, tt_val v, int from)
{
    TT_ENTRY(site);
    int64_t dim[RANK + 1], size = 1;
    const int rank = shape_dims_of(site, "flatten", v, dim);
    if (from < 0) from += rank;
    if (!tt_ok()) return tt_poison;
    if (from < 0 || from > rank)
        return tt_fail_at(site, TT_EARG, "flatten: from dim %d; expected 0 to %d", from, rank);
    for (int i = from; i < rank; i++) size *= dim[i];
    dim[from] = size;
    dim[from + 1] = TT_DIM_END;
    return tt_reshape_at(site, v, dim);
}

tt_val tt_expand_dims_at(const char *site, tt_val v, int at)
{
    TT_ENTRY(site);
    int64_t dim[RANK + 2], out[RANK + 2];
    const int rank = shape_dims_of(site, "expand_dims", v, dim);
    if (!tt_ok()) return tt_poison;
    if (at < -rank - 1 || at > rank)
        return tt_fail_at(site, TT_EARG, "expand_dims: new dim %d; expected %d to %d", at, -rank - 1, rank);
    if (at < 0) at += rank + 1;
    if (rank < 0) return tt_poison;
    for (int i = 0; i <= rank; i++) out[i] = i < at ? dim[i] : i == at ? 1 : dim[i - 1];
    out[rank + 1] = TT_DIM_END;
    return tt_reshape_at(site, v, out);
}

tt_val tt_squeeze_at(const char *site, tt_val v, int at)
{
    TT_ENTRY(site);
    int64_t dim[RANK + 1], out[RANK + 1];
    const int rank = shape_dims_of(site, "squeeze", v, dim);
    int n = 0;
    if (at < 0) at += rank;
    if (!tt_ok()) return tt_poison;
    if (at < 0 || at >= rank || dim[at] != 1)
        return tt_fail_at(site, TT_ESHAPE, "squeeze: dim %d of %s; expected size 1", at, tt_type_text_at(site, v));
    if (rank < 0) return tt_poison;
    for (int i = 0; i < rank; i++) if (i != at) out[n++] = dim[i];
    out[n] = TT_DIM_END;
    return tt_reshape_at(site, v, out);
}

tt_val tt_stack_values_at(const char *site, int dim, const tt_val *v)
{
    TT_ENTRY(site);
    enum { MAX = 1024 };
    tt_val part[MAX + 1];
    int n = 0;
    if (!v) return tt_fail_at(site, TT_EARG, "stack_values: the list of values is NULL");
    while (v[n].slot != UINT32_MAX) {
        if (n == MAX) return tt_fail_at(site, TT_EARG, "stack_values: more than the limit of %d values", MAX);
        part[n] = tt_expand_dims_at(site, v[n], dim);
        n++;
    }
    part[n] = tt_end;
    return tt_concat_at(site, dim, part);
}

tt_val tt_chunk_at(const char *site, tt_val v, int64_t n, int dim)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    enum { MAX = 1024 };
    tt_val part[MAX + 1];
    const int64_t size = tt_rank_at(site, v) > 0 ? tt_dim_at(site, v, dim) : 0;
    if (!tt_ok()) return tt_poison;
    if (n < 1 || tt_rank_at(site, v) < 1)
        return tt_fail_at(site, TT_EARG, "chunk: %lld pieces of %s; expected 1 or more, of rank 1 or more",
                          (long long)n, tt_type_text_at(site, v));
    const int64_t each = n > 0 && size ? (size + n - 1) / n : 1;
    int k = 0;
    for (int64_t from = 0; from < size || !k; from += each) {
        if (k == MAX) return tt_fail_at(site, TT_EARG, "chunk: more than the limit of %d pieces", MAX);
        part[k++] = tt_slice_at(site, v, dim, from, from + each < size ? from + each : size, 1);
    }
    part[k] = tt_end;
    return tt_tuple_at(site, part);
}

/* A mean over a window counts padding, as flax.linen.avg_pool does; with .real_only the mean counts elements only. */
tt_val tt_avg_pool_at(const char *site, tt_val v, const tt_pool_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_pool_opts, site, "avg_pool", o)) return tt_poison;
    int64_t dim[RANK + 1];
    double size = 1;
    v = num_real(site, v);
    tt_pool_opts sums = *o;
    sums.real_only = 0;
    const tt_val sum = tt_window_sum_at(site, v, &sums);
    for (int i = 0; i < 8 && o->window[i]; i++) size *= (double)o->window[i];
    if (!o->real_only) return tt_div_at(site, sum, tt_f(size));
    const int rank = shape_dims_of(site, "avg_pool", v, dim);
    if (rank < 2) return sum;
    dim[0] = dim[rank - 1] = 1;                          /* counted once for all batch elements and channels */
    dim[rank] = TT_DIM_END;
    return tt_div_at(site, sum, tt_window_sum_at(site, tt_full_at(site, 1, tt_dtype_of_at(site, sum), dim), &sums));
}
tt_val tt_max_pool_at(const char *site, tt_val v, const tt_pool_opts *o) { return tt_window_max_at(site, v, o); }
tt_val tt_min_pool_at(const char *site, tt_val v, const tt_pool_opts *o)
{
    TT_ENTRY(site);
    if (num_is_integer(site, v))                         /* reverses the order by inverting all bits; -v may wrap */
        return tt_not_at(site, tt_window_max_at(site, tt_not_at(site, v), o));
    return tt_neg_at(site, tt_window_max_at(site, tt_neg_at(site, v), o));
}

/* Floats as integers in total order: -NaN, -inf .. -0, 0 .. inf, NaN. Of negative floats, the bits other than the sign
 * are inverted. */
static tt_val ordered(const char *site, tt_val v)
{
    const tt_dtype d = tt_dtype_of_at(site, v);
    const bool half = d == TT_F16 || d == TT_BF16;
    if (tt_dtype_kind(d) != 'f') return v;
    if (!half && d != TT_F32 && d != TT_F64) return ordered(site, tt_cast_at(site, v, TT_F32));
    const int bits = half ? 16 : d == TT_F32 ? 32 : 64;
    const tt_val i = tt_bitcast_at(site, v, half ? TT_I16 : d == TT_F32 ? TT_I32 : TT_I64);
    const tt_val sign = tt_sar_at(site, i, tt_i(bits - 1));
    return tt_xor_at(site, i, tt_and_at(site, sign, tt_i((int64_t)(UINT64_MAX >> (65 - bits)))));
}

/* A stable descending sort of (values, indices): of equal values the lower index comes first; 0 comes before -0. */
tt_val tt_top_k_at(const char *site, tt_val v, int64_t k)
{
    TT_ENTRY(site);
    int64_t dim[RANK + 1];
    const int rank = shape_dims_of(site, "top_k", v, dim);
    if (!tt_ok()) return tt_poison;
    if (rank < 1 || k < 0 || k > dim[rank - 1])
        return tt_fail_at(site, TT_EARG, "top_k: k = %lld of %s; expected 0 to the size of the last dim", (long long)k,
                          tt_type_text_at(site, v));
    dim[rank] = TT_DIM_END;
    const tt_val place = tt_iota_at(site, TT_I32, rank - 1, dim), key = ordered(site, v);
    const tt_sort_opts down = { .size = sizeof down, .descending = 1, .keys = 1 };
    const bool own = tt_dtype_kind(tt_dtype_of_at(site, v)) == 'f';                       /* a separate key */
    const tt_val all = tt_tuple_at(site, &(const tt_val[]){ key, v, place, tt_end }[!own]);
    const tt_val sorted = tt_sort_at(site, all, rank - 1, &down);
    const tt_val top = tt_slice_at(site, tt_item_at(site, sorted, own), rank - 1, 0, k, 1);
    return tt_tuple_at(
        site, (const tt_val[]){ top, tt_slice_at(site, tt_item_at(site, sorted, 1 + own), rank - 1, 0, k, 1), tt_end });
}
