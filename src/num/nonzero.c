/* num/nonzero.c - indices of elements: those that are not 0, and those of triangles; distinct values, histograms,
 * membership. Under trace the user gives the number of results, as in jax.numpy. */
#include "num.h"

#include <math.h>

enum { RANK = 12 };
static const tt_reduce_opts all_of = { .size = sizeof(tt_reduce_opts) };

static tt_val line_of(const char *site, tt_dtype dtype, int64_t n) { return tt_arange_at(site, dtype, n); }
static tt_val i32_zeros(const char *site, int64_t n)
{
    const int64_t dim[] = { n, TT_DIM_END };
    return tt_full_at(site, 0, TT_I32, dim);
}

static tt_val not_zero(const char *site, tt_val v)
{
    return tt_dtype_of_at(site, v) == TT_BOOL ? v : tt_compare_at(site, 1, v, tt_i(0));
}

/* True, with the error set, if there is a .fill without a .count. */
static bool fill_alone(const char *site, const char *what, const void *o)
{
    if (!tt_given(o, "fill") || tt_given(o, "count")) return false;
    tt_fail_at(site, TT_EARG, "%s: .fill has no effect without .count", what);
    return tt_hint("give .count = n: so many results, of which missing ones are .fill"), true;
}

/* The number of results: the option, else the sum of the mask, which must not be traced. -1 with the error set. */
static int64_t how_many(const char *site, const char *what, const void *o, int64_t count, tt_val mask)
{
    if (count || tt_given(o, "count")) {
        if (count >= 0) return count;
        tt_fail_at(site, TT_EARG, "%s: .count is %lld; expected 0 or more", what, (long long)count);
        return -1;
    }
    if (!tt_ok() || fill_alone(site, what, o)) return -1;
    if (!tt_is_traced_at(site, mask)) {
        const double n = tt_num_at(site, tt_sum_at(site, mask, &all_of));
        return tt_ok() ? (int64_t)n : -1;
    }
    tt_fail_at(site, TT_ETRACE,
               "%s: the number of results depends on values, which are known only when the traced function runs", what);
    tt_hint("give .count = n: results beyond n are left out, missing ones are .fill");
    return -1;
}

/* ---- nonzero ---- */

/* The flat places of the first n true elements of the mask (rank 1); where there are fewer, the mask's size. Computed
 * as cumulative sums of the numbers of places that have 0, 1, .. true elements up to them. */
static tt_val places_of(const char *site, tt_val mask, int64_t n)
{
    const tt_val upto = tt_cumsum_at(site, tt_cast_at(site, mask, TT_I32), 0, NULL);
    return tt_cumsum_at(site, tt_bincount_at(site, upto, n), 0, NULL);
}

static tt_val nonzero(const char *site, const char *what, tt_val v, const tt_nonzero_opts *o)
{
    tt_val out[RANK + 1];
    if (!TT_CHECKED(tt_nonzero_opts, site, what, o)) return tt_poison;
    const int rank = tt_rank_at(site, v);
    if (!tt_ok()) return tt_poison;
    if (rank < 1)
        return tt_fail_at(site, TT_ESHAPE, "%s: of %s; expected rank 1 or more", what, tt_type_text_at(site, v));
    const tt_val mask = tt_flatten_at(site, not_zero(site, v), 0);
    const int64_t size = tt_count_at(site, v), n = how_many(site, what, o, o->count, mask);
    if (n < 0 || !tt_ok()) return tt_poison;
    const tt_val at = size && n ? places_of(site, mask, n) : i32_zeros(site, n);
    const tt_val missing = tt_compare_at(site, 5, line_of(site, TT_I32, n), tt_sum_at(site, mask, &all_of));
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t length = tt_dim_at(site, v, d);
        out[d] = at;
        if (size) out[d] = tt_rem_at(site, tt_div_at(site, at, tt_i(stride)), tt_i(length));
        if (o->fill) out[d] = tt_where_at(site, missing, tt_i(o->fill), out[d]);
        stride *= length;
    }
    out[rank] = tt_end;
    return tt_tuple_at(site, out);
}

tt_val tt_nonzero_at(const char *site, tt_val v, const tt_nonzero_opts *o) { return nonzero(site, "nonzero", v, o); }

tt_val tt_argwhere_at(const char *site, tt_val v, const tt_nonzero_opts *o)
{
    TT_ENTRY(site);
    tt_val column[RANK + 1];
    const tt_val list = nonzero(site, "argwhere", v, o);
    const int n = tt_ok() ? tt_tree_leaves_at(site, list, RANK, column) : 0;
    if (!n) return tt_poison;
    column[n] = tt_end;
    return tt_stack_values_at(site, 1, column);
}

/* ---- distinct values ---- */

/* bool: true where an element differs from the one before it, and at the first element. NaNs are equal to each
 * other. */
static tt_val is_new(const char *site, tt_val line, int64_t n)
{
    const tt_val next = tt_slice_at(site, line, 0, 1, n, 1), before = tt_slice_at(site, line, 0, 0, n - 1, 1);
    tt_val other = tt_compare_at(site, 1, next, before);
    if (!num_is_integer(site, line)) {
        const tt_val same = tt_and_at(site, tt_isnan_at(site, next), tt_isnan_at(site, before));
        other = tt_and_at(site, other, tt_not_at(site, same));
    }
    const int64_t one[] = { 1, TT_DIM_END };
    return tt_concat_at(site, 0, (const tt_val[]){ tt_full_at(site, 1, TT_BOOL, one), other, tt_end });
}

static tt_val unique_counts(const char *site, tt_val mask, int64_t count, int64_t n)
{
    tt_val from = places_of(site, mask, count + 1); /* the size where there are fewer */
    const int64_t one[] = { 1, TT_DIM_END };
    if (!count) return i32_zeros(site, 0);
    from = tt_concat_at(
        site, 0,
        (const tt_val[]){ tt_full_at(site, 0, TT_I32, one), tt_slice_at(site, from, 0, 1, count + 1, 1), tt_end });
    return tt_min_at(site, tt_diff_at(site, from, 0), tt_i(n));
}

/* For each element of v, the index of its value among the distinct values. */
static tt_val unique_inverse(const char *site, tt_val v, tt_val mask, tt_val order, int64_t n)
{
    int64_t dim[RANK + 1];
    const int rank = tt_rank_at(site, v);
    for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(site, v, d);
    dim[rank] = TT_DIM_END;
    const tt_val number = tt_sub_at(site, tt_cumsum_at(site, tt_cast_at(site, mask, TT_I32), 0, NULL), tt_i(1));
    return tt_reshape_at(site, tt_index_set_at(site, i32_zeros(site, n), order, number, 0, NULL), dim);
}

/* n times .fill, in v's type; an error if the type does not have that value. */
static tt_val fills(const char *site, tt_val v, tt_val fill, int64_t n)
{
    const int64_t none[] = { 0, TT_DIM_END }, low[] = { 0, TT_DIM_END }, high[] = { n, TT_DIM_END };
    return tt_pad_at(site, tt_full_at(site, 0, tt_dtype_of_at(site, v), none), fill, low, high, NULL);
}

/* The distinct values of no elements: all values are .fill. */
static tt_val unique_of_none(const char *site, tt_val v, const tt_unique_opts *o)
{
    const int64_t n = o->count;
    int64_t dim[RANK + 1];
    tt_val out[5];
    int k = 0;
    if (n && !num_given(o->fill)) {
        tt_fail_at(site, TT_EARG, "unique: .count = %lld of %s, which has no value to fill up with", (long long)n,
                   tt_type_text_at(site, v));
        return tt_hint("give .fill = value"), tt_poison;
    }
    out[k++] = fills(site, v, num_given(o->fill) ? o->fill : tt_cast_at(site, tt_i(0), tt_dtype_of_at(site, v)), n);
    if (o->index) out[k++] = i32_zeros(site, n);
    if (o->inverse) {
        const int rank = tt_rank_at(site, v);
        for (int d = 0; d < rank; d++) dim[d] = tt_dim_at(site, v, d);
        dim[rank] = TT_DIM_END;
        out[k++] = tt_full_at(site, 0, TT_I32, dim);
    }
    if (o->counts) out[k++] = i32_zeros(site, n);
    out[k] = tt_end;
    return k == 1 ? out[0] : tt_tuple_at(site, out);
}

tt_val tt_unique_at(const char *site, tt_val v, const tt_unique_opts *o)
{
    TT_ENTRY(site);
    const tt_take_opts inside = { .size = sizeof inside, .mode = "promise_in_bounds" };
    tt_val out[5];
    int k = 0;
    if (!TT_CHECKED(tt_unique_opts, site, "unique", o)) return tt_poison;
    const int64_t n = tt_count_at(site, v);
    if (!tt_ok()) return tt_poison;
    if (o->count < 0) return tt_fail_at(site, TT_EARG, "unique: .count is %lld; expected 0 or more",
                                        (long long)o->count);
    if (!n) return fill_alone(site, "unique", o) ? tt_poison : unique_of_none(site, v, o);
    const tt_sort_opts up = { .size = sizeof up, .keys = 1 };
    const tt_val pair =
        tt_tuple_at(site, (const tt_val[]){ tt_flatten_at(site, v, 0), line_of(site, TT_I32, n), tt_end });
    const tt_val sorted = tt_sort_at(site, pair, 0, &up);
    const tt_val line = tt_item_at(site, sorted, 0), order = tt_item_at(site, sorted, 1), mask = is_new(site, line, n);
    const int64_t count = how_many(site, "unique", o, o->count, mask);
    if (count < 0 || !tt_ok()) return tt_poison;
    const tt_nonzero_opts some = { .size = sizeof some, .given = ".count", .count = count };
    const tt_val at = tt_item_at(site, tt_nonzero_at(site, mask, &some), 0);
    out[k++] = tt_take_at(site, line, at, 0, &inside);
    if (num_given(o->fill)) {
        const tt_val there = tt_compare_at(site, 2, line_of(site, TT_I32, count), tt_sum_at(site, mask, &all_of));
        out[0] = tt_where_at(site, there, out[0], fills(site, v, o->fill, count));
    }
    if (o->index) out[k++] = tt_take_at(site, order, at, 0, &inside);
    if (o->inverse) out[k++] = unique_inverse(site, v, mask, order, n);
    if (o->counts) out[k++] = unique_counts(site, mask, count, n);
    out[k] = tt_end;
    return k == 1 ? out[0] : tt_tuple_at(site, out);
}

tt_val tt_isin_at(const char *site, tt_val v, tt_val test)
{
    TT_ENTRY(site);
    const tt_reduce_opts last = { .size = sizeof last, .dims = "-1" };
    const tt_val same = tt_compare_at(site, 0, tt_expand_dims_at(site, v, -1), tt_flatten_at(site, test, 0));
    return tt_any_at(site, same, &last);
}

/* ---- histograms ---- */

/* n + 1 numbers from low to high: low (1 - i/n) + high (i/n), as jax.numpy.linspace computes them for arrays. */
static tt_val edges_between(const char *site, tt_val low, tt_val high, int64_t n)
{
    const tt_dtype d = tt_dtype_of_at(site, low);
    const tt_val part = tt_div_at(site, line_of(site, d, n), tt_f((double)n));
    const tt_val line =
        tt_add_at(site, tt_mul_at(site, low, tt_sub_at(site, tt_f(1), part)), tt_mul_at(site, high, part));
    return tt_concat_at(site, 0, (const tt_val[]){ line, tt_expand_dims_at(site, high, 0), tt_end });
}

static tt_val even_edges(const char *site, tt_val v, const tt_histogram_opts *o)
{
    const int64_t n = o->bins ? o->bins : 10;
    const tt_dtype d = tt_dtype_of_at(site, v);
    const bool given = o->range[0] != 0 || o->range[1] != 0 || tt_given(o, "range");
    if (given && !(o->range[0] <= o->range[1] && isfinite(o->range[1] - o->range[0])))
        return tt_fail_at(site, TT_EARG, "histogram: .range = { %g, %g }; expected finite numbers, the lower one first",
                          o->range[0], o->range[1]);
    if (!given && !tt_count_at(site, v)) {
        tt_fail_at(site, TT_ESHAPE, "histogram: %s has no elements, and so no range", tt_type_text_at(site, v));
        return tt_hint("give .range = { low, high }, or .edges"), tt_poison;
    }
    const tt_val low = given ? tt_cast_at(site, tt_f(o->range[0]), d) : tt_amin_at(site, v, &all_of);
    const tt_val high = given ? tt_cast_at(site, tt_f(o->range[1]), d) : tt_amax_at(site, v, &all_of);
    const tt_val half = tt_where_at(site, tt_compare_at(site, 0, low, high), tt_f(0.5), tt_f(0));
    return edges_between(site, tt_sub_at(site, low, half), tt_add_at(site, high, half), n);
}

tt_val tt_histogram_at(const char *site, tt_val v, const tt_histogram_opts *o)
{
    TT_ENTRY(site);
    const tt_search_opts right = { .size = sizeof right, .right = 1 };
    if (!TT_CHECKED(tt_histogram_opts, site, "histogram", o) || !num_real_only(site, "histogram", v)) return tt_poison;
    v = tt_flatten_at(site, num_real(site, v), 0);
    const bool own = num_given(o->edges), weighted = num_given(o->weights);
    const bool ranged = o->range[0] != 0 || o->range[1] != 0 || tt_given(o, "range");
    if (own && (o->bins || ranged))
        return tt_fail_at(site, TT_EARG, "histogram: both .edges and .%s are given", o->bins ? "bins" : "range");
    if (own && tt_ok() && (tt_rank_at(site, o->edges) != 1 || tt_count_at(site, o->edges) < 2))
        return tt_fail_at(site, TT_ESHAPE, "histogram: .edges is %s; expected two or more, of rank 1",
                          tt_type_text_at(site, o->edges));
    if (own && tt_ok() && !tt_is_traced_at(site, o->edges) &&
        tt_num_at(site, tt_sum_at(site, tt_compare_at(site, 2, tt_diff_at(site, o->edges, 0), tt_i(0)), &all_of)) != 0)
        return tt_fail_at(site, TT_EARG, "histogram: .edges fall; expected numbers that rise");
    if (weighted && tt_ok() && tt_count_at(site, o->weights) != tt_count_at(site, v))
        return tt_fail_at(site, TT_ESHAPE, "histogram: .weights is %s; expected as many elements as %s",
                          tt_type_text_at(site, o->weights), tt_type_text_at(site, v));
    const tt_dtype d = tt_dtype_of_at(site, v);
    const tt_val edges = own ? tt_cast_at(site, o->edges, d) : even_edges(site, v, o);
    if (!tt_ok()) return tt_poison;
    const int64_t n = tt_count_at(site, edges), dim[] = { tt_count_at(site, v), TT_DIM_END },
                  sums[] = { n, TT_DIM_END };
    const tt_val w = weighted ? tt_flatten_at(site, num_real(site, o->weights), 0) : tt_full_at(site, 1, d, dim);
    const tt_val top = tt_slice_at(site, edges, 0, n - 1, n, 1);
    tt_val bin = tt_searchsorted_at(site, edges, v, &right);
    bin = tt_where_at(site, tt_compare_at(site, 0, v, top), tt_i(n - 1), bin);
    const tt_val zeros = tt_full_at(site, 0, tt_dtype_of_at(site, w), sums);
    tt_val counts = tt_slice_at(site, tt_index_set_at(site, zeros, bin, w, 1, NULL), 0, 1, n, 1);
    if (o->density) {
        const tt_val sum = tt_sum_at(site, counts, &all_of);
        counts = tt_div_at(site, tt_div_at(site, counts, tt_diff_at(site, edges, 0)), sum);
    }
    return tt_tuple_at(site, (const tt_val[]){ counts, edges, tt_end });
}

/* ---- triangles ---- */

static tt_val triangle_indices(const char *site, const char *what, int64_t n, const tt_tri_opts *o, bool lower)
{
    if (!TT_CHECKED(tt_tri_opts, site, what, o)) return tt_poison;
    const int64_t columns = o->columns || tt_given(o, "columns") ? o->columns : n, k = o->k;
    if (n < 0 || columns < 0 || (columns && n > ((int64_t)1 << 40) / columns))
        return tt_fail_at(site, TT_EARG, "%s: %lld rows, %lld columns; expected 0 or more, at most 2^40 elements", what,
                          (long long)n, (long long)columns);
    const int64_t dim[] = { n, columns, TT_DIM_END };
    const tt_val row = tt_iota_at(site, TT_I32, 0, dim), column = tt_iota_at(site, TT_I32, 1, dim);
    const tt_val mask = tt_compare_at(site, lower ? 3 : 5, tt_sub_at(site, column, row), tt_i(k));
    int64_t count = 0; /* known, under trace too */
    for (int64_t r = 0; r < n; r++) {
        const int64_t upto = lower ? r + k + 1 : r + k, inside = upto < 0 ? 0 : upto > columns ? columns : upto;
        count += lower ? inside : columns - inside;
    }
    const tt_nonzero_opts all = { .size = sizeof all, .given = ".count", .count = count };
    return tt_nonzero_at(site, mask, &all);
}

tt_val tt_tril_indices_at(const char *site, int64_t n, const tt_tri_opts *o)
{
    TT_ENTRY(site);
    return triangle_indices(site, "tril_indices", n, o, true);
}
tt_val tt_triu_indices_at(const char *site, int64_t n, const tt_tri_opts *o)
{
    TT_ENTRY(site);
    return triangle_indices(site, "triu_indices", n, o, false);
}
tt_val tt_diag_indices_at(const char *site, int64_t n)
{
    TT_ENTRY(site);
    const tt_val line = line_of(site, TT_I32, n);
    return tt_tuple_at(site, (const tt_val[]){ line, line, tt_end });
}
