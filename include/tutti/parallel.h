/* tutti/parallel.h - training on many devices by hand: what goes into the body of a tt_shard_map.
 *
 * Data parallel: every device has the parameters and its share of the batch, and gradients are averaged. Fully sharded:
 * a device keeps a slice of every large parameter, brings the rest for as long as it computes with it, and updates its
 * own slice. A slice names the axis that it is sharded over (tt_leaf's .axes), so that the region's .in and .out say
 * "@":
 *
 *     static tt_val shard(tt_val p)  { return tt_shard_params(p, "data", 1 << 18); }
 *     static tt_val gather(tt_val p) { return tt_gather_params(p, "data"); }
 *     static tt_val net(tt_nn m, tt_val x) { return tt_with_params(m, gather, shard, classifier, x); }
 *     ...
 *     tt_unpack(tt_accumulate(loss, 4, state.params, batch, key), &grads, &metrics);
 *     grads = tt_sync_grads(grads, "data");
 */
#include <tutti.h>
#ifndef TUTTI_PARALLEL_H
#define TUTTI_PARALLEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* A key of its own for every place along the axes: folded with the device's index on each, in the order given ("i", or
 * "i, j"). For dropout masks that differ from device to device. */
#define tt_fold_in_axis(key, axes) tt_fold_in_axis_at(TT_AT("tt_fold_in_axis(" #key ", " #axes ")"), key, axes)
TT_API tt_val tt_fold_in_axis_at(const char *site, tt_val key, const char *axes);

/* The dim of a parameter that would be sharded over the axis: the largest that divides by the axis's size and has no
 * axis yet, the later one of equals. -1: none, and *verdict says why: "already" (it is sharded over this axis), "too
 * small" (at most min_size elements), "no axis" (nothing divides); else "sharded". verdict may be NULL. */
TT_API int tt_shard_dim(tt_val v, const char *axis, int64_t min_size, const char **verdict);
/* Every leaf with more than min_size elements becomes this device's slice of it, and says so: .axes "data, _". Others
 * stay as they are. "already" and "no axis" are said in a line each (TUTTI=params: every leaf's verdict is). */
#define tt_shard_params(params, axis, min_size) \
    tt_shard_params_at(TT_AT("tt_shard_params(" #params ", " #axis ", " #min_size ")"), params, axis, min_size)
TT_API tt_val tt_shard_params_at(const char *site, tt_val params, const char *axis, int64_t min_size);
/* All of x, of which each device along the axis has a part of dim; backward, the mean over devices of what comes in is
 * scattered: a device gets its own part's. */
#define tt_gather_mean(x, axis, dim) \
    tt_gather_mean_at(TT_AT("tt_gather_mean(" #x ", " #axis ", " #dim ")"), x, axis, dim)
TT_API tt_val tt_gather_mean_at(const char *site, tt_val x, const char *axis, int dim);
/* Leaves that are sharded over the axis as wholes, by tt_gather_mean; others as they are. Undoes tt_shard_params. */
#define tt_gather_params(params, axis) \
    tt_gather_params_at(TT_AT("tt_gather_params(" #params ", " #axis ")"), params, axis)
TT_API tt_val tt_gather_params_at(const char *site, tt_val params, const char *axis);
/* Gradients averaged over those of the axes ("data", "data, model") that their leaf is not sharded over: tt_gather_mean
 * has done that for the others. */
#define tt_sync_grads(grads, axes) tt_sync_grads_at(TT_AT("tt_sync_grads(" #grads ", " #axes ")"), grads, axes)
TT_API tt_val tt_sync_grads_at(const char *site, tt_val grads, const char *axes);

/* Runs module in m's own frame; its parameters pass through `out` when they are created and through `in` when they are
 * read, each as tt_val f(tt_val). Their keys and names stay what they are (Flax's map_variables). */
#define tt_with_params(m, in, out, module, x) \
    tt_with_params_at(TT_AT("tt_with_params(" #m ", " #in ", " #out ", " #module ")"), m, TT_FN(in), TT_FN(out), \
        module, x)
TT_API tt_val tt_with_params_at(const char *site, tt_nn m, tt_fn in, tt_fn out, tt_module *module, tt_val x);

/* (gradients, metrics) of loss over n minibatches: rows [j s, (j + 1) s) of every leaf of batch, s = rows / n; what is
 * left over is not used. loss(params, minibatch, key) gives (scalar, metrics); keys are split(key, n). Gradients are
 * the mean over minibatches, metrics the sum. scan: one traced minibatch in a loop instead of n of them. */
typedef struct tt_accumulate_opts { TT_OPTION_HEAD int scan TT_DEFAULT; } tt_accumulate_opts;
#define tt_accumulate(...)   TT_ACCUMULATE_(TT_AT("tt_accumulate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ACCUMULATE_(at, loss, n, params, batch, key, ...) \
    tt_accumulate_at(at, TT_FN(loss), n, params, batch, key, TT_OPTS(tt_accumulate_opts, __VA_ARGS__))
TT_API tt_val tt_accumulate_at(const char *site, tt_fn loss, int64_t n, tt_val params, tt_val batch, tt_val key,
    const tt_accumulate_opts *);

/* Metrics are a dict of pairs (sum, count). A line "name: sum/count" of each, six decimals, under a title or NULL. */
#define tt_print_metrics(metrics, title) tt_print_metrics_at(TT_AT("tt_print_metrics(" #metrics ")"), metrics, title)
TT_API bool tt_print_metrics_at(const char *site, tt_val metrics, const char *title);

#ifdef __cplusplus
}
#endif
#endif
