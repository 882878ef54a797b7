/* tutti/collectives.h - collectives: data movement between devices inside tt_vmap, tt_pmap and tt_shard_map; leafwise
 * on trees.
 *
 *     static tt_val mean_grad(tt_val g) { return tt_pmean(g, "data"); }
 *
 * axis: "i", or "i, j" for the joint axis, i major. The default is tiled: a sharded dim stays one dim; with stack = 1 a
 * gather adds a dim and a scatter removes one. groups: "0 1; 2 3", devices along the axis that act together (pmap
 * only). */
#include <tutti.h>
#ifndef TUTTI_COLLECTIVES_H
#define TUTTI_COLLECTIVES_H

#ifdef __cplusplus
extern "C" {
#endif

/* As in JAX, psum and pmean add integers in their own type, in which the sum may wrap, and bools in i32; pmean divides
 * the sum of integers as f32 (TUTTI=x64: of 64 bits as f64).
 *     tt_psum(x, "data"), tt_pmean(grads, "data"), tt_pmax(x, "data, model"), tt_pmin(x, "data");
 *     tt_all_gather(x, "data", .dim = 1), tt_psum_scatter(x, "data", .dim = 0);
 *     tt_val turned = tt_all_to_all(x, "data", .split = 0, .concat = 1);
 *     tt_val next = tt_ppermute(x, "i", "0>1, 1>2, 2>3"), ring = tt_pshift(x, "i", 1); */
typedef struct tt_reduce_axes_opts { TT_OPTION_HEAD const char *groups TT_DEFAULT; } tt_reduce_axes_opts;
#define tt_psum(...)         TT_COLL_(tt_psum_at, "tt_psum(" #__VA_ARGS__ ")", __VA_ARGS__, )
#define tt_pmean(...)        TT_COLL_(tt_pmean_at, "tt_pmean(" #__VA_ARGS__ ")", __VA_ARGS__, )
#define tt_pmax(...)         TT_COLL_(tt_pmax_at, "tt_pmax(" #__VA_ARGS__ ")", __VA_ARGS__, )
#define tt_pmin(...)         TT_COLL_(tt_pmin_at, "tt_pmin(" #__VA_ARGS__ ")", __VA_ARGS__, )
#define TT_COLL_(f, text, v, axis, ...) f(TT_AT(text), v, axis, TT_OPTS(tt_reduce_axes_opts, __VA_ARGS__))
TT_API tt_val tt_psum_at(const char *site, tt_val v, const char *axis, const tt_reduce_axes_opts *);
TT_API tt_val tt_pmean_at(const char *site, tt_val v, const char *axis, const tt_reduce_axes_opts *);
TT_API tt_val tt_pmax_at(const char *site, tt_val v, const char *axis, const tt_reduce_axes_opts *);
TT_API tt_val tt_pmin_at(const char *site, tt_val v, const char *axis, const tt_reduce_axes_opts *);
typedef struct tt_gather_axes_opts {
    TT_OPTION_HEAD
    int dim TT_DEFAULT, stack TT_DEFAULT; const char *groups TT_DEFAULT;
} tt_gather_axes_opts;
#define tt_all_gather(...)   TT_GATHER_(tt_all_gather_at, "tt_all_gather(" #__VA_ARGS__ ")", __VA_ARGS__, )
#define tt_psum_scatter(...) TT_GATHER_(tt_psum_scatter_at, "tt_psum_scatter(" #__VA_ARGS__ ")", __VA_ARGS__, )
#define TT_GATHER_(f, text, v, axis, ...) f(TT_AT(text), v, axis, TT_OPTS(tt_gather_axes_opts, __VA_ARGS__))
TT_API tt_val tt_all_gather_at(const char *site, tt_val v, const char *axis, const tt_gather_axes_opts *);
TT_API tt_val tt_psum_scatter_at(const char *site, tt_val v, const char *axis, const tt_gather_axes_opts *);
typedef struct tt_all_to_all_opts {
    TT_OPTION_HEAD
    int split TT_DEFAULT, concat TT_DEFAULT, stack TT_DEFAULT; const char *groups TT_DEFAULT;
} tt_all_to_all_opts;
#define tt_all_to_all(...)   TT_A2A_(TT_AT("tt_all_to_all(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_A2A_(at, v, axis, ...) tt_all_to_all_at(at, v, axis, TT_OPTS(tt_all_to_all_opts, __VA_ARGS__))
TT_API tt_val tt_all_to_all_at(const char *site, tt_val v, const char *axis, const tt_all_to_all_opts *);
#define tt_ppermute(v, axis, pairs) tt_ppermute_at(TT_AT("tt_ppermute(" #v ", " #axis ", " #pairs ")"), v, axis, pairs)
/* "0>1, 1>2": source>target; devices that are no target get zeros; -1 is the last device, as in JAX */
TT_API tt_val tt_ppermute_at(const char *site, tt_val v, const char *axis, const char *pairs);
#define tt_pshift(v, axis, by) tt_pshift_at(TT_AT("tt_pshift(" #v ", " #axis ", " #by ")"), v, axis, by)
/* To the device `by` positions further along the axis, cyclically */
TT_API tt_val tt_pshift_at(const char *site, tt_val v, const char *axis, int64_t by);
/*     tt_val mine = tt_mul(x, tt_axis_index("data")); const int64_t devices = tt_axis_size("data"); */
#define tt_axis_index(axis)  tt_axis_index_at(TT_AT("tt_axis_index(" #axis ")"), axis)
#define tt_axis_size(axis)   tt_axis_size_at(TT_AT("tt_axis_size(" #axis ")"), axis)
TT_API tt_val tt_axis_index_at(const char *site, const char *axis);              /* i32 */
TT_API int64_t tt_axis_size_at(const char *site, const char *axis);              /* 1 if there is no such axis */
/*     tt_val copies = tt_pvary(w, "data"); */
#define tt_pvary(v, axis)    tt_pvary_at(TT_AT("tt_pvary(" #v ", " #axis ")"), v, axis)
/* Declares that the copies may differ (pcast); the derivative sums over the axis */
TT_API tt_val tt_pvary_at(const char *site, tt_val v, const char *axis);
/* True if the copies of the array v on the devices of the axes may differ: in a checked tt_shard_map if the type of v,
 * "f32[8]{i}", says so for each axis (JAX: the axes in jax.typeof(v).vma); elsewhere, where types do not say it.
 *     if (!tt_varies(x, "data")) x = tt_pvary(x, "data"); */
#define tt_varies(v, axis)   tt_varies_at(TT_AT("tt_varies(" #v ", " #axis ")"), v, axis)
TT_API bool tt_varies_at(const char *site, tt_val v, const char *axis);

#ifdef __cplusplus
}
#endif
#endif
