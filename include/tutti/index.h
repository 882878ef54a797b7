/* tutti/index.h - elements by place: slices as text, as x[i, 1:3, ::2] in NumPy, and their updates; gathers and
 * scatters with several index arrays; slices of several dims at places that are values; indices of elements.
 *
 *     tt_val y = tt_at(x, "_, 1:3, ::2");                  // x[:, 1:3, ::2]
 *     tt_val r = tt_at(x, "i, -1", i);                     // x[i, -1], i an integer or an array of integers
 *     tt_val z = tt_at_add(x, "i, j", tt_f(1), i, j);      // x.at[i, j].add(1)
 *
 * All can be differentiated, vmapped and laid out over a mesh. */
#include <tutti.h>
#ifndef TUTTI_INDEX_H
#define TUTTI_INDEX_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- slices as text ---- */

/* One item per dim, separated by ','; dims without an item are whole.
 *   _ or :       the whole dim
 *   a:b:c        from a up to, not including, b by c; each may be left out; negative a and b count from the end, bounds
 *                beyond the ends are clamped, c may be negative: "::-1" reverses
 *   3, -1        one element; the dim is gone; out of range is an error
 *   name         a value of the list that follows, by the text of its argument (or n for tt_i(n)): integers of any
 *                shape. Several are broadcast against each other. As in NumPy, their dims take the place of the first
 *                index if no slice stands between the indices, else they come first. In a:b:c it is of a C number
 *   ...          as many whole dims as are left, once
 *   newaxis      a new dim of size 1
 * A final "; clip", "; wrap", "; fill", "; drop" or "; promise_in_bounds" is the mode for indices out of range, as in
 * tt_take; without it a read gives NaN ("fill") and an update is ignored ("drop"). jax.numpy's x[i] clips instead.
 * Errors: more items than dims, a name that is no argument, an argument that the text does not read, bools (tt_where
 * selects by a mask; tt_nonzero gives the indices of one). */
#define tt_at(v, ...) \
    TT_AT_(TT_AT("tt_at(" #v ", " #__VA_ARGS__ ")"), #__VA_ARGS__, v, __VA_ARGS__, tt_end)
#define TT_AT_(at, names, v, text, ...) tt_at_at(at, v, text, names, TT_LIST(tt_val, __VA_ARGS__))
TT_API tt_val tt_at_at(const char *site, tt_val v, const char *text, const char *names, const tt_val *index);
/* v with the elements that tt_at would read replaced by u (set), or combined with u. u is broadcast to their shape and
 * converted to v's type, where that is lossless. Where an index occurs twice: set keeps the last, the others combine
 * all. The derivative of mul by u is that of distinct indices only (as in JAX, an error otherwise).
 *     tt_at_set(x, "0, :", row), tt_at_add(x, "i", tt_f(1), i), tt_at_mul(x, "1:3", tt_f(2));
 *     tt_at_max(x, "i, j", y, i, j), tt_at_min(x, "-1", tt_f(0)); */
#define tt_at_set(v, ...)    TT_AT_TO_("set", "tt_at_set(" #v ", " #__VA_ARGS__ ")", #__VA_ARGS__, v, __VA_ARGS__)
#define tt_at_add(v, ...)    TT_AT_TO_("add", "tt_at_add(" #v ", " #__VA_ARGS__ ")", #__VA_ARGS__, v, __VA_ARGS__)
#define tt_at_mul(v, ...)    TT_AT_TO_("mul", "tt_at_mul(" #v ", " #__VA_ARGS__ ")", #__VA_ARGS__, v, __VA_ARGS__)
#define tt_at_max(v, ...)    TT_AT_TO_("max", "tt_at_max(" #v ", " #__VA_ARGS__ ")", #__VA_ARGS__, v, __VA_ARGS__)
#define tt_at_min(v, ...)    TT_AT_TO_("min", "tt_at_min(" #v ", " #__VA_ARGS__ ")", #__VA_ARGS__, v, __VA_ARGS__)
#define TT_AT_TO_(how, site, names, v, ...) TT_AT_PUT_(TT_AT(site), how, names, v, __VA_ARGS__, tt_end)
#define TT_AT_PUT_(at, how, names, v, text, u, ...) \
    tt_at_put_at(at, how, v, text, u, names, TT_LIST(tt_val, __VA_ARGS__))
/* how: "set", "add", "mul", "max", "min"; names: the texts of the arguments, from `text` on */
TT_API tt_val tt_at_put_at(const char *site, const char *how, tt_val v, const char *text, tt_val u, const char *names,
    const tt_val *index);

/* ---- gather and scatter ---- */

/* The elements, or slices, of v at indices of the listed dims ("0, 2"): `index` is a tuple of integer arrays, one per
 * dim, broadcast against each other; of one dim also the array itself. The result has the indices' dims, then v's
 * other dims. mode: as in tt_take.
 *     tt_val picked = tt_gather(x, "0, 2", tt_tuple(i, j)); */
#define tt_gather(...)       TT_GATHER_DIMS_(TT_AT("tt_gather(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_GATHER_DIMS_(at, v, dims, index, ...) tt_gather_at(at, v, dims, index, TT_OPTS(tt_take_opts, __VA_ARGS__))
TT_API tt_val tt_gather_at(const char *site, tt_val v, const char *dims, tt_val index, const tt_take_opts *);
/* v with updates combined into those elements or slices by "set", "add", "mul", "max" or "min". updates: broadcast to
 * the indices' dims, then v's other dims. mode: as in tt_index_set.
 *     tt_val put = tt_scatter("add", x, "0, 2", tt_tuple(i, j), y, .mode = "drop"); */
#define tt_scatter(...)      TT_SCATTER_(TT_AT("tt_scatter(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SCATTER_(at, how, v, dims, index, updates, ...) \
    tt_scatter_at(at, how, v, dims, index, updates, TT_OPTS(tt_take_opts, __VA_ARGS__))
TT_API tt_val tt_scatter_at(const char *site, const char *how, tt_val v, const char *dims, tt_val index,
    tt_val updates, const tt_take_opts *);

/* ---- slices of several dims at places that are values (lax.dynamic_slice) ---- */

/* The box of the given sizes, one per dim, that begins at start: a tuple of integer scalars, one per dim, or an array
 * of integers [rank]. Negative numbers count from the end; then start is clamped so that the box is inside.
 *     tt_val box = tt_dynamic_box(x, tt_tuple(i, j), 2, 3); */
#define tt_dynamic_box(v, start, ...) \
    tt_dynamic_box_at(TT_AT("tt_dynamic_box(" #v ", " #start ", " #__VA_ARGS__ ")"), v, start, \
        TT_DIMS(__VA_ARGS__, TT_DIM_END))
TT_API tt_val tt_dynamic_box_at(const char *site, tt_val v, tt_val start, const int64_t *sizes);
/* v with part written at start
 *     tt_val back = tt_dynamic_update_box(x, part, tt_tuple(i, j)); */
#define tt_dynamic_update_box(v, part, start) \
    tt_dynamic_update_box_at(TT_AT("tt_dynamic_update_box(" #v ", " #part ", " #start ")"), v, part, start)
TT_API tt_val tt_dynamic_update_box_at(const char *site, tt_val v, tt_val part, tt_val start);

/* ---- indices of elements ---- */

/* The indices of the elements that are not 0, in row-major order: nonzero: a tuple of an i32 array per dim; argwhere:
 * one array i32[n, rank]. count (numpy.nonzero's size): how many, required in a traced function: surplus ones are
 * left out, missing ones are `fill` (default 0) in each dim. Without .count v must be known.
 *     tt_val places = tt_nonzero(x, .count = 8), rows = tt_argwhere(tt_gt(x, tt_f(0)), .count = 8, .fill = -1); */
typedef struct tt_nonzero_opts { TT_OPTION_HEAD int64_t count TT_DEFAULT, fill TT_DEFAULT; } tt_nonzero_opts;
#define tt_nonzero(...)      TT_NONZERO_(tt_nonzero_at, TT_AT("tt_nonzero(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_argwhere(...)     TT_NONZERO_(tt_argwhere_at, TT_AT("tt_argwhere(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_NONZERO_(f, at, v, ...) f(at, v, TT_OPTS(tt_nonzero_opts, __VA_ARGS__))
TT_API tt_val tt_nonzero_at(const char *site, tt_val v, const tt_nonzero_opts *),
    tt_argwhere_at(const char *site, tt_val v, const tt_nonzero_opts *);

/* ---- constants ---- */

/* The indices of a triangle or of the diagonal of an n x n matrix, a tuple (rows, columns) of i32 arrays: those with
 * column - row <= k (tril), >= k (triu), 0 (diag). .columns: default n.
 *     tt_val below = tt_tril_indices(4, .k = -1), above = tt_triu_indices(4), diagonal = tt_diag_indices(4); */
typedef struct tt_tri_opts { TT_OPTION_HEAD int64_t k TT_DEFAULT, columns TT_DEFAULT; } tt_tri_opts;
#define tt_tril_indices(...) TT_TRI_(tt_tril_indices_at, TT_AT("tt_tril_indices(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define tt_triu_indices(...) TT_TRI_(tt_triu_indices_at, TT_AT("tt_triu_indices(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_TRI_(f, at, n, ...) f(at, n, TT_OPTS(tt_tri_opts, __VA_ARGS__))
TT_API tt_val tt_tril_indices_at(const char *site, int64_t n, const tt_tri_opts *),
    tt_triu_indices_at(const char *site, int64_t n, const tt_tri_opts *);
#define tt_diag_indices(n)   tt_diag_indices_at(TT_AT("tt_diag_indices(" #n ")"), n)
TT_API tt_val tt_diag_indices_at(const char *site, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
