/* nn/stack.c - n copies of a module in sequence: parameters stacked on a dim, run as one scan.
 *
 * At init the root key is split into n (Linen's nn.scan with split rngs): the body's parameters are created by a vmap
 * over the keys, so that one trace creates all layers. Linen traces the body twice with one set of counters, so a
 * module of m parameters takes the numbers m + 1 .. 2m: here too the body runs twice, and the first run's parameters
 * are dropped.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

static tt_val init_one(void *env, int n, const tt_val *arg)      /* (key, x) -> the layer's variables */
{
    const nn_lifted *b = env;
    nn_frame root, f;
    nn_counts counts = { 0 };
    (void)n;
    for (int run = 0; run < 2; run++) {
        nn_lifted_open(b, &root, &f, &counts);
        root.key = arg[0];
        nn_close(&f, b->module(nn_open(&f), arg[1]));
    }
    return nn_below(b->site, root.vars, b->path);
}

/* A layer's axes "embed, hidden" become the other dims of the stack: "layer, embed, hidden" for a stack on dim 0, or
 * "_, embed, hidden" if the stack's own dim has no name. */
typedef struct { const char *site; tt_val other; int from, to; const char *layer; } moving;

static tt_val stacked_leaf(void *env, const char *path, tt_val leaf)
{
    const moving *m = env;
    (void)path;
    if (!tt_leaf_axes_at(m->site, leaf)) return leaf;
    const tt_leaf_opts o = { .size = sizeof o, .frozen = tt_leaf_frozen_at(m->site, leaf),
                             .axes = tt_names_with_at(m->site, tt_leaf_axes_at(m->site, leaf), m->to, m->layer
                                                      ? m->layer : "_") };
    return tt_leaf_at(m->site, leaf, &o);
}

static tt_val stacked_axes(const char *site, tt_val vars, int axis, const char *layer)
{
    return tt_tree_map_with_path_at(site, stacked_leaf, &(moving){ .site = site, .to = axis, .layer = layer }, vars);
}

/* The inverse: a layer's own leaf has the stack's axes without dim `axis`. */
static tt_val layer_leaf(void *env, const char *path, tt_val leaf)
{
    const moving *m = env;
    char axes[256] = "";
    const char *p = tt_leaf_axes_at(m->site, tt_get_at(m->site, m->other, path));
    const bool any = p != NULL;
    for (int d = 0; p && *p; d++) {
        const size_t len = strcspn(p, ","), at = strlen(axes);
        if (d != m->from) snprintf(axes + at, sizeof axes - at, "%s%.*s", at ? ", " : "", (int)len, p);
        p += len + (p[len] == ',');
        p += strspn(p, " ");
    }
    const tt_leaf_opts o = { .size = sizeof o, .axes = any ? axes : NULL, .frozen = tt_leaf_frozen_at(m->site, leaf) };
    return tt_leaf_at(m->site, leaf, &o);
}

static tt_val layer_axes(const char *site, tt_val layers, tt_val stacked, int axis)
{
    return tt_tree_map_with_path_at(site, layer_leaf, &(moving){ .site = site, .other = stacked, .from = axis },
        layers);
}

/* Moves dim `from` of each leaf to position `to`. */
static tt_val stack_dims_of(void *env, const char *path, tt_val leaf)
{
    const moving *m = env;
    const int rank = tt_rank_at(m->site, leaf);
    int64_t perm[NN_RANK + 1];
    int k = 0;                                           /* visits the other dims in order */
    if (m->from >= rank || m->to >= rank)
        return tt_fail_at(m->site, TT_EARG, "stack: no dim %d in \"%s\", which has %d dims with that of the layers",
                          m->from > m->to ? m->from : m->to, path, rank);
    for (int d = 0; d < rank; d++) {
        if (d != m->to) k += k == m->from;
        perm[d] = d == m->to ? m->from : k++;
    }
    perm[rank] = TT_DIM_END;
    return tt_transpose_at(m->site, leaf, perm);
}

static tt_val dims_moved(const char *site, tt_val vars, int from, int to)
{
    moving m = { .site = site, .from = from, .to = to };
    return from == to ? vars : tt_tree_map_with_path_at(site, stack_dims_of, &m, vars);
}

/* Creates the parameters of all layers at once. */
static void create(nn_frame *r, const nn_lifted *b, int64_t n, tt_val x, const tt_stack_opts *o)
{
    char out[16];
    snprintf(out, sizeof out, "%d", o->axis);
    const tt_fn one = tt_bind_env_at(NULL, "layer", init_one, (void *)b, sizeof *b, 2);
    const tt_fn all = tt_vmap_at(b->site, one, &(tt_vmap_opts){ .size = sizeof(tt_vmap_opts), .in = "0; _",
        .out = out });
    const tt_val keys = nn_keys_of(b->site, "stack", r->key, n, o->same_keys);
    const tt_val made = tt_call_n(b->site, all, 2, (const tt_val[]){ keys, x });
    r->vars = nn_with(b->site, r->vars, b->path, stacked_axes(b->site, made, o->axis, o->layer));
    for (int i = 0; r->record && i < tt_tree_leaves_at(b->site, made, 0, NULL) && tt_ok(); i++) {
        char path[NN_PATH];
        const tt_val leaf = tt_get_at(b->site, made, tt_leaf_path_at(b->site, made, i));
        snprintf(path, sizeof path, "%.300s%s%.200s", b->path, *b->path ? "." : "", tt_leaf_path_at(b->site, made, i));
        nn_record_variable(r->record, path, leaf, tt_leaf_frozen_at(b->site, leaf));
    }
}

tt_val tt_stack_at(const char *site, tt_nn m, const char *name, tt_module *module, int64_t n, tt_val x,
                   const tt_stack_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_stack_opts, site, "stack", o)) return tt_poison;
    nn_frame f;
    if (!module) return tt_fail_at(site, TT_EARG, "stack: the module is NULL");
    if (!nn_enter(&f, m, site, "Scan", name)) return tt_poison;
    nn_frame *r = f.root;
    nn_lifted b;
    nn_lift(&b, &f, module);
    if (n < 1) return tt_fail_at(site, TT_EARG, "stack: %lld layers; expected 1 or more", (long long)n);
    if (o->axis < 0)
        return tt_fail_at(site, TT_EARG, "stack: .axis = %d; expected a dim of the stacked parameters, 0 or more",
                          o->axis);
    if (!*f.path && r->mode == NN_INIT && tt_items_at(site, r->vars)) {
        const tt_val bad = tt_fail_at(site, TT_EARG, "stack: a stack without a name in a module that has variables");
        tt_hint("give the stack a name");
        return bad;
    }
    if (r->mode == NN_INIT) {
        create(r, &b, n, x, o);
        b.mode = NN_APPLY;
    }
    const tt_val all = nn_below(site, nn_now(&f), f.path);
    tt_val vars = dims_moved(site, all, o->axis, 0);
    if (b.through) vars = layer_axes(site, vars, all, o->axis);
    const tt_val keys = b.has_key ? nn_keys_of(site, "stack", r->key, n, o->same_keys) : tt_none();
    tt_fn run = tt_bind_env_at(NULL, "layer", nn_lifted_run, &b, sizeof b, 2);
    if (o->remat) run = tt_remat_at(site, run, &(tt_remat_opts){ .size = sizeof(tt_remat_opts) });
    const tt_val xs = tt_tuple_at(site, (const tt_val[]){ vars, nn_collections_below(&f), keys, tt_end });
    const tt_val out = tt_scan_at(site, run, x, xs, &(tt_scan_opts){ .size = sizeof(tt_scan_opts), .length = n });
    const tt_val changed = tt_item_at(site, out, 1);
    if (b.mode == NN_TRAIN) {
        const tt_val fresh = dims_moved(site, tt_item_at(site, changed, 0), 0, o->axis);
        r->fresh = nn_with(site, r->fresh, f.path, b.through ? stacked_axes(site, fresh, o->axis, o->layer) : fresh);
    }
    nn_collections_set(&f, tt_item_at(site, changed, 1));
    return nn_leave(&f, tt_item_at(site, out, 0));
}
