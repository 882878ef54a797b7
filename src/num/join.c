/* num/join.c - arrays split into pieces and joined, reversed and rotated. */
#include "num.h"

enum { RANK = 12, PIECES = 1024 };

/* The number of the dim, 0 or more; -1 with the error set. */
static int join_dim(const char *site, const char *what, tt_val v, int dim)
{
    const int rank = tt_rank_at(site, v), at = dim < 0 ? dim + rank : dim;
    if (tt_ok() && (at < 0 || at >= rank))
        tt_fail_at(site, TT_EARG, "%s: no dim %d in %s", what, dim, tt_type_text_at(site, v));
    return tt_ok() ? at : -1;
}

/* ---- pieces ---- */

tt_val tt_array_split_at(const char *site, tt_val v, int64_t n, int dim)
{
    TT_ENTRY(site);
    tt_val part[PIECES + 1];
    const int at = join_dim(site, "array_split", v, dim);
    if (at < 0) return tt_poison;
    if (n < 1 || n > PIECES)
        return tt_fail_at(site, TT_EARG, "array_split: %lld pieces; expected 1 to %d", (long long)n, PIECES);
    const int64_t size = tt_dim_at(site, v, at);
    for (int64_t i = 0, from = 0; i < n; i++) {
        const int64_t to = from + size / n + (i < size % n);
        part[i] = tt_slice_at(site, v, at, from, to, 1);
        from = to;
    }
    part[n] = tt_end;
    return tt_tuple_at(site, part);
}

tt_val tt_split_indices_at(const char *site, tt_val v, int dim, const int64_t *places)
{
    TT_ENTRY(site);
    tt_val part[PIECES + 1];
    const int at = join_dim(site, "split_indices", v, dim);
    if (at < 0) return tt_poison;
    const int64_t size = tt_dim_at(site, v, at);
    int64_t from = 0;
    int n = 0;
    for (; places && places[n] != TT_DIM_END; n++) {
        const int64_t to = places[n] < 0 ? places[n] + size : places[n];
        if (n == PIECES - 1)
            return tt_fail_at(site, TT_EARG, "split_indices: more than the limit of %d pieces", PIECES);
        if (to < from || to > size) {
            tt_fail_at(site, TT_EARG,
                       "split_indices: place %lld is before the one in front of it, or beyond the dim's %lld",
                           (long long)places[n], (long long)size);
            return tt_hint("places rise, from 0 to the size"), tt_poison;
        }
        part[n] = tt_slice_at(site, v, at, from, to, 1);
        from = to;
    }
    part[n++] = tt_slice_at(site, v, at, from, size, 1);
    part[n] = tt_end;
    return tt_tuple_at(site, part);
}

/* ---- stacks ---- */

typedef tt_val to_stack(const char *site, tt_val v);

static tt_val as_row(const char *site, tt_val v) { return num_at_least(site, v, 2); }
static tt_val as_line(const char *site, tt_val v) { return num_at_least(site, v, 1); }
static tt_val as_column(const char *site, tt_val v)
{
    v = as_line(site, v);
    return tt_rank_at(site, v) == 1 ? tt_expand_dims_at(site, v, 1) : v;
}
static tt_val as_sheet(const char *site, tt_val v)
{
    v = as_row(site, v);
    return tt_rank_at(site, v) == 2 ? tt_expand_dims_at(site, v, 2) : v;
}

/* The arrays, each converted by f, joined along dim; -1: along dim 1, and arrays of rank 1 along dim 0. */
static tt_val stacked(const char *site, const char *what, const tt_val *v, to_stack *f, int dim)
{
    tt_val part[PIECES + 1];
    int n = 0;
    if (!v) return tt_fail_at(site, TT_EARG, "%s: the list of values is NULL", what);
    for (; v[n].slot != UINT32_MAX; n++) {
        if (n == PIECES) return tt_fail_at(site, TT_EARG, "%s: more than the limit of %d arrays", what, PIECES);
        part[n] = f(site, v[n]);
        if (!tt_ok()) return tt_poison;
    }
    if (!n) return tt_fail_at(site, TT_EARG, "%s: the list of values is empty", what);
    part[n] = tt_end;
    return tt_concat_at(site, dim >= 0 ? dim : tt_rank_at(site, part[0]) > 1, part);
}

tt_val tt_vstack_at(const char *site, const tt_val *v)
{
    TT_ENTRY(site);
    return stacked(site, "vstack", v, as_row, 0);
}
tt_val tt_hstack_at(const char *site, const tt_val *v)
{
    TT_ENTRY(site);
    return stacked(site, "hstack", v, as_line, -1);
}
tt_val tt_dstack_at(const char *site, const tt_val *v)
{
    TT_ENTRY(site);
    return stacked(site, "dstack", v, as_sheet, 2);
}
tt_val tt_column_stack_at(const char *site, const tt_val *v)
{
    TT_ENTRY(site);
    return stacked(site, "column_stack", v, as_column, 1);
}

/* The joined array of nested tuples. *depth: the number of nested tuples; an array has 0. */
static tt_val block_of(const char *site, tt_val tree, int *depth)
{
    tt_val part[PIECES + 1];
    const int n = tt_items_at(site, tree);
    int most = 0, rank = 0;
    *depth = 0;
    if (!tt_ok() || !n) {
        if (tt_ok() && tt_rank_at(site, tree) < 0)
            tt_fail_at(site, TT_ETREE, "block: a tuple is empty; expected one array or more");
        return tree;
    }
    for (int i = 0; i < n && tt_ok(); i++) {
        int inner;
        if (n > PIECES)
            return tt_fail_at(site, TT_EARG, "block: a tuple of %d arrays; at most %d are allowed", n, PIECES);
        part[i] = block_of(site, tt_item_at(site, tree, i), &inner);
        if (!tt_ok()) return tt_poison;
        if (i && inner != most) {
            tt_fail_at(site, TT_ETREE, "block: items of one tuple are %d and %d tuples deep; expected one depth", most,
                       inner);
            return tt_hint("tt_block(tt_tuple(tt_tuple(a, b), tt_tuple(c, d)))"), tt_poison;
        }
        most = inner;
        if (tt_rank_at(site, part[i]) > rank) rank = tt_rank_at(site, part[i]);
    }
    *depth = most + 1;
    if (rank < *depth) rank = *depth;
    for (int i = 0; i < n; i++) part[i] = num_at_least(site, part[i], rank);
    part[n] = tt_end;
    return tt_concat_at(site, -*depth, part);
}

tt_val tt_block_at(const char *site, tt_val tree)
{
    TT_ENTRY(site);
    int depth;
    return block_of(site, tree, &depth);
}

/* ---- reversals and rotations ---- */

tt_val tt_flip_at(const char *site, tt_val v, const tt_dims_opts *o)
{
    TT_ENTRY(site);
    int dim[RANK];
    if (!TT_CHECKED(tt_dims_opts, site, "flip", o)) return tt_poison;
    const int n = num_dims(site, "flip", v, o->dims, dim);
    for (int i = 0; i < n; i++) v = tt_reverse_at(site, v, dim[i]);
    return n < 0 ? tt_poison : v;
}

tt_val tt_rot90_at(const char *site, tt_val v, int64_t k)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (tt_rank_at(site, v) < 2)
        return tt_fail_at(site, TT_ESHAPE, "rot90: of %s; expected rank 2 or more", tt_type_text_at(site, v));
    switch (((k % 4) + 4) % 4) {
    case 1: return tt_swapaxes_at(site, tt_reverse_at(site, v, 1), 0, 1);
    case 2: return tt_reverse_at(site, tt_reverse_at(site, v, 0), 1);
    case 3: return tt_reverse_at(site, tt_swapaxes_at(site, v, 0, 1), 1);
    default: return v;
    }
}
