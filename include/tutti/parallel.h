/* tutti/parallel.h - explicit data parallelism: functions for the body of a tt_shard_map.
 *
 * Data parallel: every device has all parameters and its part of the batch, and gradients are averaged. Fully sharded:
 * a device keeps a slice of every large parameter, gathers the other slices while it computes with the parameter, and
 * updates its own slice. A slice names the axis over which it is sharded (tt_leaf's .axes), so that the region's .in
 * and .out can be "@":
 *
 *     static tt_val shard(tt_val p)  { return tt_shard_params(p, "data", 1 << 18); }
 *     static tt_val gather(tt_val p) { return tt_gather_params(p, "data"); }
 *     static tt_val net(tt_nn m, tt_val x) { return tt_with_params(m, gather, shard, classifier, x); }
 *     ...
 *     tt_unpack(tt_accumulate(loss, 4, st.params, batch, key), &grads, &metrics);
 *     grads = tt_sync_grads(grads, "data");
 */
#include <tutti.h>
#ifndef TUTTI_PARALLEL_H
#define TUTTI_PARALLEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* A distinct key for every position along the axes: fold_in with the device's index on each axis, in the order given
 * ("i", or "i, j"). For dropout masks that differ between devices.
 *     tt_val mine = tt_fold_in_axis(key, "data"); */
#define tt_fold_in_axis(key, axes) tt_fold_in_axis_at(TT_AT("tt_fold_in_axis(" #key ", " #axes ")"), key, axes)
TT_API tt_val tt_fold_in_axis_at(const char *site, tt_val key, const char *axes);

/* The dim of a parameter that would be sharded over the axis: the largest dim that the axis's size divides and that has
 * no axis yet, of equal dims the last. -1: none; *verdict is then "already" (sharded over this axis), "too small" (at
 * most min_size elements) or "no axis" (no dim divides); otherwise "sharded". verdict may be NULL.
 *     const char *verdict; const int dim = tt_shard_dim(w, "data", 1 << 18, &verdict); */
#define tt_shard_dim(v, axis, min_size, verdict) \
    tt_shard_dim_at(TT_AT("tt_shard_dim(" #v ", " #axis ", " #min_size ", " #verdict ")"), v, axis, min_size, verdict)
TT_API int tt_shard_dim_at(const char *site, tt_val v, const char *axis, int64_t min_size, const char **verdict);
/* Replaces every leaf with more than min_size elements by this device's slice, annotated with .axes "data, _". Other
 * leaves stay as they are. The verdicts "already" and "no axis" are printed, a line each (TUTTI=params: all
 * verdicts). */
#define tt_shard_params(params, axis, min_size) \
    tt_shard_params_at(TT_AT("tt_shard_params(" #params ", " #axis ", " #min_size ")"), params, axis, min_size)
TT_API tt_val tt_shard_params_at(const char *site, tt_val params, const char *axis, int64_t min_size);
/* The full array x, of which each device along the axis has a part of dim. In the backward pass the mean over devices
 * of the incoming gradient is scattered: each device gets its own part.
 *     w = tt_gather_mean(w, "data", 0); */
#define tt_gather_mean(x, axis, dim) \
    tt_gather_mean_at(TT_AT("tt_gather_mean(" #x ", " #axis ", " #dim ")"), x, axis, dim)
TT_API tt_val tt_gather_mean_at(const char *site, tt_val x, const char *axis, int dim);
/* Gathers the leaves that are sharded over the axis, by tt_gather_mean; other leaves are unchanged. Undoes
 * tt_shard_params. */
#define tt_gather_params(params, axis) \
    tt_gather_params_at(TT_AT("tt_gather_params(" #params ", " #axis ")"), params, axis)
TT_API tt_val tt_gather_params_at(const char *site, tt_val params, const char *axis);
/* Averages each gradient over those of the axes ("data", "data, model") over which its leaf is not sharded; for the
 * others, tt_gather_mean has averaged it already. In a checked tt_shard_map, as in JAX, the gradient by a parameter
 * that all devices have is summed over them already; to average it again is an error. */
#define tt_sync_grads(grads, axes) tt_sync_grads_at(TT_AT("tt_sync_grads(" #grads ", " #axes ")"), grads, axes)
TT_API tt_val tt_sync_grads_at(const char *site, tt_val grads, const char *axes);

/* Runs module in m's own frame; each parameter passes through `out` when it is created and through `in` when it is
 * read, both tt_val f(tt_val). Keys and names do not change (Flax's map_variables). */
#define tt_with_params(m, in, out, module, x) \
    tt_with_params_at(TT_AT("tt_with_params(" #m ", " #in ", " #out ", " #module ")"), m, TT_FN(in), TT_FN(out), \
        module, x)
TT_API tt_val tt_with_params_at(const char *site, tt_nn m, tt_fn in, tt_fn out, tt_module *module, tt_val x);

/* (gradients, metrics) of loss over n minibatches: rows [j s, (j + 1) s) of every leaf of batch, s = rows / n; the
 * remaining rows are not used. loss(params, minibatch, key) returns (scalar, metrics); keys are split(key, n).
 * Gradients are the mean over minibatches, metrics the sum. scan: traces one minibatch in a loop instead of n
 * minibatches. */
typedef struct tt_accumulate_opts { TT_OPTION_HEAD int scan TT_DEFAULT; } tt_accumulate_opts;
#define tt_accumulate(...)   TT_ACCUMULATE_(TT_AT("tt_accumulate(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_ACCUMULATE_(at, loss, n, params, batch, key, ...) \
    tt_accumulate_at(at, TT_FN(loss), n, params, batch, key, TT_OPTS(tt_accumulate_opts, __VA_ARGS__))
TT_API tt_val tt_accumulate_at(const char *site, tt_fn loss, int64_t n, tt_val params, tt_val batch, tt_val key,
    const tt_accumulate_opts *);

/* Metrics are a dict of pairs (sum, count). Prints a line "name: sum/count" for each, six decimals, under a title or
 * NULL.
 *     tt_print_metrics(metrics, "epoch 1"); */
#define tt_print_metrics(metrics, title) tt_print_metrics_at(TT_AT("tt_print_metrics(" #metrics ")"), metrics, title)
TT_API bool tt_print_metrics_at(const char *site, tt_val metrics, const char *title);

#ifdef __cplusplus
}
#endif
#endif
