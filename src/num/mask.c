/* num/mask.c - masks of attention: flax.linen's make_attention_mask, make_causal_mask, combine_masks, as bools. */
#include "num.h"

#include <string.h>

/* v [batch..., n] as [batch..., 1, n, 1] or [batch..., 1, 1, n] */
static tt_val mask_along(const char *site, tt_val v, bool queries)
{
    const int rank = tt_rank_at(site, v);
    return tt_expand_dims_at(site, tt_expand_dims_at(site, v, queries ? rank : rank - 1), rank - 1);
}

static bool has_time(const char *site, const char *what, tt_val x)
{
    if (tt_ok() && tt_rank_at(site, x) < 1) {
        tt_fail_at(site, TT_ESHAPE, "%s: of %s; expected rank 1 or more", what, tt_type_text_at(site, x));
        tt_hint("queries and keys are [batch, time]");
    }
    return tt_ok();
}

tt_val tt_make_attention_mask_at(const char *site, tt_val q, tt_val k, const tt_attention_mask_opts *o)
{
    TT_ENTRY(site);
    static const char *const words[] = { "and", "equal", "greater_equal" };
    if (!TT_CHECKED(tt_attention_mask_opts, site, "make_attention_mask", o)) return tt_poison;
    if (!has_time(site, "make_attention_mask", q) || !has_time(site, "make_attention_mask", k)) return tt_poison;
    int pair = 0;
    while (o->pair && pair < 3 && strcmp(o->pair, words[pair])) pair++;
    if (pair == 3) {
        tt_fail_at(site, TT_EARG, "make_attention_mask: no .pair \"%s\"", o->pair);
        tt_hint_choices("the words are", o->pair, -1, "and, equal, greater_equal");
        return tt_poison;
    }
    q = mask_along(site, q, true), k = mask_along(site, k, false);
    if (pair) return tt_compare_at(site, pair == 1 ? 0 : 5, q, k);
    return tt_and_at(site, tt_compare_at(site, 1, q, tt_i(0)), tt_compare_at(site, 1, k, tt_i(0)));
}

/* True where the key is at most `right` positions after the query and, if left is not negative, at most `left` before
 * it. */
static tt_val within_of(const char *site, tt_val x, int64_t left, int64_t right)
{
    int64_t dims[14];
    const int rank = tt_rank_at(site, x);
    if (!tt_ok() || rank > 10) return tt_fail_at(site, TT_ESHAPE, "a mask of %d dims; expected at most 10", rank);
    for (int d = 0; d < rank - 1; d++) dims[d] = tt_dim_at(site, x, d);
    dims[rank - 1] = 1;
    dims[rank] = dims[rank + 1] = tt_dim_at(site, x, -1);
    dims[rank + 2] = TT_DIM_END;
    const tt_val i = tt_iota_at(site, TT_I32, rank, dims), j = tt_iota_at(site, TT_I32, rank + 1, dims);
    const tt_val may = tt_compare_at(site, 3, j, right ? tt_add_at(site, i, tt_i(right)) : i);
    return left < 0 ? may : tt_and_at(site, may, tt_compare_at(site, 5, j, tt_sub_at(site, i, tt_i(left))));
}

tt_val tt_make_causal_mask_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    return has_time(site, "make_causal_mask", x) ? within_of(site, x, -1, 0) : tt_poison;
}

tt_val tt_make_window_mask_at(const char *site, tt_val x, int64_t left, int64_t right)
{
    TT_ENTRY(site);
    if (!has_time(site, "make_window_mask", x)) return tt_poison;
    if (left >= 0 && right >= 0) return within_of(site, x, left, right);
    return tt_fail_at(site, TT_EARG, "make_window_mask: { %lld, %lld }; expected 0 or more places to each side",
                      (long long)left, (long long)right);
}

tt_val tt_combine_masks_at(const char *site, const tt_val *masks)
{
    TT_ENTRY(site);
    tt_val all = tt_poison;
    if (!masks || (masks->slot == UINT32_MAX && masks->born == UINT32_MAX))
        return tt_fail_at(site, TT_EARG, "combine_masks: the list of masks is %s", masks ? "empty" : "NULL");
    for (int i = 0; tt_ok() && !(masks[i].slot == UINT32_MAX && masks[i].born == UINT32_MAX); i++) {
        const tt_val m = tt_dtype_of_at(site, masks[i]) == TT_BOOL ? masks[i]
                                                                   : tt_compare_at(site, 1, masks[i], tt_i(0));
        if (tt_ok() && i && tt_rank_at(site, m) != tt_rank_at(site, all)) {
            tt_fail_at(site, TT_ESHAPE, "combine_masks: %s and %s; expected one rank", tt_type_text_at(site, all),
                       tt_type_text_at(site, m));
            tt_hint("masks are [batch, heads, queries, keys]; dims of size 1 broadcast");
        }
        all = i ? tt_and_at(site, all, m) : m;
    }
    return all;
}
