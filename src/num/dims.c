/* num/dims.c - options that list dims, and checks for options that have no meaning for a function. */
#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 12 };

tt_val num_masked(const char *site, const char *what, tt_val where, tt_val v, double fill)
{
    if (!num_given(where) || !tt_ok()) return v;
    const int rank = tt_rank_at(site, v), own = tt_rank_at(site, where);
    bool fits = own <= rank;
    for (int i = -own; fits && i < 0; i++) {
        const int64_t n = tt_dim_at(site, where, i);
        fits = n == 1 || n == tt_dim_at(site, v, i);
    }
    if (fits && tt_dtype_of_at(site, where) == TT_BOOL) return tt_where_at(site, where, v, tt_f(fill));
    if (!tt_ok()) return tt_poison;
    char is[128];
    snprintf(is, sizeof is, "%s", tt_type_text_at(site, where));
    return tt_fail_at(site, fits ? TT_ETYPE : TT_ESHAPE, "%s: .where is %s; expected bools that broadcast to %s", what,
                      is, tt_type_text_at(site, v));
}

bool num_plain(const char *site, const char *what, const tt_reduce_opts *o, bool where)
{
    const bool masked = num_given(o->where) && !where;
    if (!masked && !num_given(o->initial)) return true;
    tt_fail_at(site, TT_EARG, "%s has no .%s", what, masked ? "where" : "initial");
    tt_hint(masked ? "tt_where(mask, x, y) selects elements before the call"
                   : "tt_sum, tt_prod, tt_amax and tt_amin have .initial");
    return false;
}

int num_dims(const char *site, const char *what, tt_val v, const char *text, int *dim)
{
    const int rank = tt_rank_at(site, v), n = tt_dims_listed_at(site, what, v, text, dim);
    for (int i = 0; text && i < n; i++) {
        char *end;
        const long d = strtol(text, &end, 10);
        dim[i] = (int)(d < 0 ? d + rank : d);
        text = strchr(end, ',') ? strchr(end, ',') + 1 : end;
    }
    return n;
}

const char *num_dims_text(int n, const int *dim, char to[NUM_DIMS_TEXT])
{
    size_t at = 0;
    to[0] = 0;
    for (int i = 0; i < n && at + 8 < NUM_DIMS_TEXT; i++)
        at += (size_t)tt_snprintf(to + at, NUM_DIMS_TEXT - at, "%s%d", i ? ", " : "", dim[i]);
    return to;
}

tt_val num_at_least(const char *site, tt_val v, int rank)
{
    while (tt_ok() && tt_rank_at(site, v) < rank) v = tt_expand_dims_at(site, v, 0);
    return v;
}
