/* num/order.c - cumulative log-sum-exp, search in sorted values, selection by index, neighbouring floats. */
#include "num.h"

#include <string.h>

/* By doubling: after round k each element includes the last 2^k elements up to it; log2(n) rounds, none of which
 * overflows. The first ones are complete: with -infinity added, one that is -infinity itself would have no slope. */
tt_val tt_cumlogsumexp_at(const char *site, tt_val v, int dim, const tt_cum_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_cum_opts, site, "cumlogsumexp", o)) return tt_poison;
    const int rank = tt_rank_at(site, v), at = dim < 0 ? dim + rank : dim;
    if (!tt_ok()) return tt_poison;
    if (rank < 1 || at < 0 || at >= rank)
        return tt_fail_at(site, TT_EARG, "cumlogsumexp: no dim %d in %s", dim, tt_type_text_at(site, v));
    v = num_real(site, v);
    const int64_t n = tt_dim_at(site, v, at);
    if (o->reverse) v = tt_reverse_at(site, v, at);
    for (int64_t by = 1; by < n; by *= 2) {
        const tt_val here = tt_slice_at(site, v, at, by, n, 1), before = tt_slice_at(site, v, at, 0, n - by, 1);
        const tt_val whole[] = { tt_slice_at(site, v, at, 0, by, 1), tt_logaddexp_at(site, here, before), tt_end };
        v = tt_concat_at(site, at, whole);
    }
    return o->reverse ? tt_reverse_at(site, v, at) : v;
}

static const tt_take_opts inside = { .size = sizeof(tt_take_opts), .mode = "promise_in_bounds" };

/* By bisection: the number of elements of `sorted` that are less than v (if .right: not greater); NaN counts as the
 * greatest. */
tt_val tt_searchsorted_at(const char *site, tt_val sorted, tt_val v, const tt_search_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_search_opts, site, "searchsorted", o)) return tt_poison;
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, sorted) != 1)
        return tt_fail_at(site, TT_ESHAPE, "searchsorted: in %s; expected rank 1", tt_type_text_at(site, sorted));
    const int64_t n = tt_dim_at(site, sorted, 0);
    const tt_val nan = tt_compare_at(site, 1, v, v);
    tt_val lo = tt_cast_at(site, tt_mul_at(site, tt_cast_at(site, nan, TT_I32), tt_i(0)), TT_I32);
    tt_val hi = tt_add_at(site, lo, tt_i(n));
    for (int64_t left = n; left > 0; left /= 2) {
        const tt_val middle = tt_div_at(site, tt_add_at(site, lo, hi), tt_i(2)), open = tt_compare_at(site, 2, lo, hi);
        const tt_val x = tt_take_at(site, sorted, middle, 0, &inside), odd = tt_compare_at(site, 1, x, x);
        tt_val before = tt_compare_at(site, o->right ? 3 : 2, x, v);
        const tt_val greatest = o->right ? nan : tt_and_at(site, nan, tt_not_at(site, odd));
        before = tt_and_at(site, open, tt_or_at(site, before, greatest));
        const tt_val after = tt_and_at(site, open, tt_not_at(site, before));
        lo = tt_where_at(site, before, tt_add_at(site, middle, tt_i(1)), lo);
        hi = tt_where_at(site, after, middle, hi);
    }
    return lo;
}

/* which: bool (false selects the first of two choices) or integers, clamped to the range of choices. */
tt_val tt_select_n_at(const char *site, tt_val which, const tt_val *choice)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    int n = 0;
    if (!choice) return tt_fail_at(site, TT_EARG, "select_n: the list of values is NULL");
    while (choice[n].slot != UINT32_MAX) n++;
    const bool two = tt_dtype_of_at(site, which) == TT_BOOL;
    if (tt_ok() && (n < 1 || (two && n != 2) || !strchr("biu", tt_dtype_kind(tt_dtype_of_at(site, which))))) {
        const tt_val bad = tt_fail_at(site, TT_EARG, "select_n: %d values do not fit the choice %s", n,
                                      tt_type_text_at(site, which));
        tt_hint("a bool chooses between two values, an integer among any number of values");
        return bad;
    }
    if (two) return tt_where_at(site, which, choice[1], choice[0]);
    tt_val y = choice[0];
    for (int i = 1; i < n; i++) y = tt_where_at(site, tt_compare_at(site, 4, which, tt_i(i - 1)), choice[i], y);
    return y;
}
