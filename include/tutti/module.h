/* tutti/module.h - more of modules (tutti/nn.h): variables of any collection, modules inside transforms, layers around
 * modules.
 *
 *     static tt_val counted(tt_nn m, tt_val x)
 *     {
 *         const tt_val n = tt_variable_of(m, "counts", "calls", tt_i(0));
 *         tt_variable_set(m, "counts", "calls", tt_add(n, tt_i(1)));
 *         return tt_dense(m, "out", x, 4);
 *     }
 *     tt_val vars = tt_init(counted, tt_key(0), x), c = tt_init_collections(counted, vars, x), y;
 *     tt_unpack(tt_apply_with(counted, vars, x, .collections = c, .updates = "counts"), &y, &c);
 */
#include <tutti.h>
#ifndef TUTTI_MODULE_H
#define TUTTI_MODULE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- variables of any collection: Flax's self.variable(collection, name, ...) and self.sow ----
 *
 * Collections are a tree beside the parameters, {"cache": {"attention": {"cached_key": ...}}}, so that a program can
 * donate it and return it, and optimizers do not see it. Two collections are among the parameters: "params" (tt_param),
 * and "batch_stats", frozen, which tt_init creates and tt_apply_train updates. */

/* The variable's value in this pass. tt_init_collections creates it with the value `start`, and so does a pass that
 * updates its collection and does not have it; in tt_init `start` is the value. Otherwise a variable that is not there
 * is an error. */
#define tt_variable_of(m, collection, name, start) \
    tt_variable_of_at(TT_AT("tt_variable_of(" #m ", " #collection ", " #name ")"), m, collection, name, start)
TT_API tt_val tt_variable_of_at(const char *site, tt_nn, const char *collection, const char *name, tt_val start);
/* The variable's new value, from here on in this pass. Without effect in tt_init and tt_init_collections; an error if
 * the pass does not update the collection.
 *     if (tt_has_variable(m, "cache", "keys")) puts("a later pass"); */
#define tt_variable_set(m, collection, name, v) \
    tt_variable_set_at(TT_AT("tt_variable_set(" #m ", " #collection ", " #name ")"), m, collection, name, v)
TT_API void tt_variable_set_at(const char *site, tt_nn, const char *collection, const char *name, tt_val v);
#define tt_has_variable(m, collection, name) \
    tt_has_variable_at(TT_AT("tt_has_variable(" #m ", " #collection ", " #name ")"), m, collection, name)
TT_API bool tt_has_variable_at(const char *site, tt_nn, const char *collection, const char *name);
/* Appends v to the tuple of that name, where the pass updates the collection; otherwise does nothing and is false, as
 * in Flax: tt_sow(m, "intermediates", "h", h).
 *     tt_sow(m, "intermediates", "hidden", x); */
#define tt_sow(m, collection, name, v) \
    tt_sow_at(TT_AT("tt_sow(" #m ", " #collection ", " #name ", " #v ")"), m, collection, name, v)
TT_API bool tt_sow_at(const char *site, tt_nn, const char *collection, const char *name, tt_val v);

/* The collections of a module for an input like x, with their initial values, by running the module once.
 * only: the collections to be created, "cache, sums" (default: all); one that the module does not have is an error.
 * key: of streams that the module draws from.
 *     tt_val cache = tt_init_collections(net, vars, x, .only = "cache"); */
typedef struct tt_init_collections_opts {
    TT_OPTION_HEAD
    const char *only TT_DEFAULT; tt_val key TT_DEFAULT;
} tt_init_collections_opts;
#define tt_init_collections(...) TT_INIT_COLL_(TT_AT("tt_init_collections(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_INIT_COLL_(at, module, vars, x, ...) \
    tt_init_collections_at(at, module, vars, x, TT_OPTS(tt_init_collections_opts, __VA_ARGS__))
TT_API tt_val tt_init_collections_at(const char *site, tt_module *, tt_val vars, tt_val x,
    const tt_init_collections_opts *);
/* (y, collections): Flax's apply with `mutable`.
 * - collections: a dict by collection; all of them come back, with new values.
 * - updates: the collections that may change, "cache" or "cache, intermediates"; "*": all. A listed collection
 *   without variables is an error.
 * - train: as tt_apply_train; (y, collections, variables with new statistics). key: for dropout and other streams. */
typedef struct tt_apply_with_opts {
    TT_OPTION_HEAD
    tt_val collections TT_DEFAULT; const char *updates TT_DEFAULT; int train TT_DEFAULT; tt_val key TT_DEFAULT;
} tt_apply_with_opts;
#define tt_apply_with(...)   TT_APPLY_WITH_(TT_AT("tt_apply_with(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_APPLY_WITH_(at, module, vars, x, ...) \
    tt_apply_with_at(at, module, vars, x, TT_OPTS(tt_apply_with_opts, __VA_ARGS__))
TT_API tt_val tt_apply_with_at(const char *site, tt_module *, tt_val vars, tt_val x, const tt_apply_with_opts *);

/* ---- modules inside transforms (Flax's lifted transforms; its scan is tt_stack) ---- */

/* Runs the module; the backward pass computes the module's values again instead of storing them (flax.linen.remat).
 * Names and keys are those of tt_sub_module. The name "." is an error.
 *     x = tt_remat_module(m, "block", block, x); */
#define tt_remat_module(m, name, module, x) \
    tt_remat_module_at(TT_AT("tt_remat_module(" #m ", " #name ", " #module ")"), m, name, module, x)
TT_API tt_val tt_remat_module_at(const char *site, tt_nn, const char *name, tt_module *, tt_val x);
/* A copy of the module for each element of a dim of x (flax.linen.vmap): every variable has a first dim of copies,
 * drawn with split keys; shared: one set of variables for all, which must not have changing statistics. in, out: the
 * mapped dim of x and of y (0); length: the number of copies, where x has no array. layer: the logical axis of the
 * copies' dim, in parameters that have logical axes.
 *     x = tt_vmap_module(m, "experts", block, x, .in = 1, .out = 1); */
typedef struct tt_vmap_module_opts {
    TT_OPTION_HEAD
    int in TT_DEFAULT, out TT_DEFAULT, shared TT_DEFAULT; int64_t length TT_FROM_1; const char *layer TT_DEFAULT;
} tt_vmap_module_opts;
#define tt_vmap_module(...)  TT_VMAP_MODULE_(TT_AT("tt_vmap_module(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_VMAP_MODULE_(at, m, name, module, x, ...) \
    tt_vmap_module_at(at, m, name, module, x, TT_OPTS(tt_vmap_module_opts, __VA_ARGS__))
TT_API tt_val tt_vmap_module_at(const char *site, tt_nn, const char *name, tt_module *, tt_val x,
    const tt_vmap_module_opts *);

/* ---- layers around modules ---- */

/* Runs the module in m's own frame, with other values of its parameters; their names and keys stay. The layer's own
 * variables are named by the parameter's path with '/', as in Flax: "sn.d/kernel/u".
 *
 * Spectral norm (Miyato and others, 2018): matrices (of more dims: all but the last together) are divided by their
 * largest singular value, by `steps` power iterations (1) from a vector u that tt_apply_train updates; u and sigma are
 * statistics. Vectors stay as they are. eps (1e-12) is added to squared lengths.
 *     static tt_val d(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 8); }
 *     tt_val y = tt_spectral_norm(m, "sn", d, x);
 *
 * Weight norm (Salimans and Kingma, 2016): parameters whose path contains a word of `only` ("kernel") get the length 1
 * over all dims but `dims` (the last, "-1"; "": over all), times a parameter "d/kernel/scale" of those dims, ones
 * (no_scale: none).
 *
 * Both change the parameters' initial values likewise, as Flax does.
 *     x = tt_weight_norm(m, "wn", block, x, .only = "kernel"); */
typedef struct tt_spectral_norm_opts {
    TT_OPTION_HEAD
    int64_t steps TT_FROM_1; double eps TT_DEFAULT;
} tt_spectral_norm_opts;
#define tt_spectral_norm(...) TT_SPECTRAL_(TT_AT("tt_spectral_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_SPECTRAL_(at, m, name, module, x, ...) \
    tt_spectral_norm_at(at, m, name, module, x, TT_OPTS(tt_spectral_norm_opts, __VA_ARGS__))
TT_API tt_val tt_spectral_norm_at(const char *site, tt_nn, const char *name, tt_module *, tt_val x,
    const tt_spectral_norm_opts *);
typedef struct tt_weight_norm_opts {
    TT_OPTION_HEAD
    double eps TT_DEFAULT; int no_scale TT_DEFAULT; const char *dims TT_DEFAULT, *only TT_DEFAULT;
} tt_weight_norm_opts;
#define tt_weight_norm(...)  TT_WEIGHT_NORM_(TT_AT("tt_weight_norm(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_WEIGHT_NORM_(at, m, name, module, x, ...) \
    tt_weight_norm_at(at, m, name, module, x, TT_OPTS(tt_weight_norm_opts, __VA_ARGS__))
TT_API tt_val tt_weight_norm_at(const char *site, tt_nn, const char *name, tt_module *, tt_val x,
    const tt_weight_norm_opts *);

/* ---- fine-tuning: low-rank terms (Hu and others, 2021) ----
 *
 *     tt_val vars = tt_train_only(tt_init(net, key, x), "lora_a lora_b");  // layers with .lora = 8
 *     tt_val opt = tt_adamw(vars);                                         // moments of the low-rank terms alone
 *     ...
 *     tt_val whole = tt_lora_merge(vars);                                  // for the same layers without .lora */

/* The tree with all leaves frozen but those whose paths end with one of the words; "not kernel": but all others. Leaves
 * that are frozen already, statistics, stay so. A word that is the end of no path is an error. */
#define tt_train_only(vars, mask) tt_train_only_at(TT_AT("tt_train_only(" #vars ", " #mask ")"), vars, mask)
TT_API tt_val tt_train_only_at(const char *site, tt_val vars, const char *mask);
/* The tree in which each kernel with low-rank terms, lora_a and lora_b beside it, is kernel + lora_a lora_b, without
 * them, and trained. Also for stacked layers. Without any such kernel: an error. */
#define tt_lora_merge(vars) tt_lora_merge_at(TT_AT("tt_lora_merge(" #vars ")"), vars)
TT_API tt_val tt_lora_merge_at(const char *site, tt_val vars);

/* ---- cells ---- */

/* Two runs of a cell over xs [time, batch, features], forward and backward (flax.linen.Bidirectional): ((last carry,
 * last carry), outputs [time, batch, 2 hidden]), those of the forward run first. Variables below forward_rnn and
 * backward_rnn. Options: as tt_rnn, without .reverse.
 *     tt_unpack(tt_bidirectional(m, "birnn", tt_lstm_cell, carry, xs), &carry, &ys); */
#define tt_bidirectional(...) TT_BIDIRECTIONAL_(TT_AT("tt_bidirectional(" #__VA_ARGS__ ")"), __VA_ARGS__, )
#define TT_BIDIRECTIONAL_(at, m, name, cell, carry, xs, ...) \
    tt_bidirectional_at(at, m, name, cell##_at, carry, xs, TT_OPTS(tt_rnn_opts, __VA_ARGS__))
TT_API tt_val tt_bidirectional_at(const char *site, tt_nn, const char *name, tt_cell *, tt_val carry, tt_val xs,
    const tt_rnn_opts *);

#ifdef __cplusplus
}
#endif
#endif
