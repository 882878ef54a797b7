/* nn/stack.c - n copies of a module in a row: parameters stacked on a leading dim, run as one scan.
 *
 * At init the root key is split into n (Linen's nn.scan with split rngs): the body's parameters are created by a vmap over the
 * keys, so that one trace makes all layers. Linen traces the body twice with one set of counters, so a module of m parameters
 * takes the numbers m + 1 .. 2m: here too the body runs twice, and what the first run made is dropped.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

typedef struct { tt_module *module; const char *site; char path[NN_PATH]; nn_mode mode; bool has_rng; } body;

/* A root of its own; the module runs in the frame f below it. */
static void begin(nn_frame *root, nn_frame *f, const body *b)
{
    memset(root, 0, sizeof *root);
    memset(f, 0, sizeof *f);
    root->root = root;
    root->site = f->site = b->site;
    root->mode = b->mode;
    root->has_rng = b->has_rng;
    f->root = f->parent = root;
    snprintf(f->path, sizeof f->path, "%s", b->path);
}

static tt_val init_one(void *env, int n, const tt_val *arg)      /* (key, x) -> the layer's variables */
{
    const body *b = env;
    nn_frame root, f;
    nn_counts counts = { 0 };
    (void)n;
    for (int run = 0; run < 2; run++) {
        begin(&root, &f, b);
        root.counts = &counts;
        nn_go_on(&f);
        root.key = arg[0];
        root.vars = tt_dict_n(b->site, 0, NULL, NULL);
        b->module((tt_nn){ &f }, arg[1]);
    }
    return tt_get_at(b->site, root.vars, b->path);
}

static tt_val run_one(void *env, int n, const tt_val *arg)       /* (x, (variables, key)) -> (y, new statistics) */
{
    const body *b = env;
    nn_frame root, f;
    (void)n;
    begin(&root, &f, b);
    const tt_val vars = tt_item_at(b->site, arg[1], 0);
    root.vars = root.fresh = tt_set_at(b->site, tt_dict_n(b->site, 0, NULL, NULL), b->path, vars);
    if (b->has_rng) root.key = root.rng = tt_item_at(b->site, arg[1], 1);
    const tt_val y = b->module((tt_nn){ &f }, arg[0]);
    const tt_val stats = b->mode == NN_TRAIN ? tt_get_at(b->site, root.fresh, b->path) : tt_none();
    return tt_tuple_at(b->site, (const tt_val[]){ y, stats, tt_end });
}

/* A layer's axes "embed, hidden" are those of dims 1 and 2 of the stack: "_, embed, hidden". */
static tt_val stacked_axes(const char *site, tt_val vars)
{
    const int n = tt_leaves(vars, 0, NULL);
    for (int i = 0; i < n; i++) {
        char axes[256];
        const char *path = tt_leaf_path(vars, i);
        const tt_val leaf = tt_get_at(site, vars, path);
        if (!tt_leaf_axes(leaf)) continue;
        snprintf(axes, sizeof axes, "_, %s", tt_leaf_axes(leaf));
        const tt_leaf_opts o = { .size = sizeof o, .axes = axes, .frozen = tt_leaf_frozen(leaf) };
        vars = tt_set_at(site, vars, path, tt_leaf_at(site, leaf, &o));
    }
    return vars;
}

tt_val tt_stack_at(const char *site, tt_nn m, const char *name, tt_module *module, int64_t n, tt_val x)
{
    nn_frame f;
    if (!nn_enter(&f, m, site, "Scan", name)) return x;
    nn_frame *r = f.root;
    body b;
    memset(&b, 0, sizeof b);
    b.module = module, b.site = site, b.mode = r->mode, b.has_rng = r->mode == NN_TRAIN && r->has_rng;
    memcpy(b.path, f.path, sizeof b.path);
    if (n < 1) return tt_fail_at(site, TT_EARG, "stack: %lld layers", (long long)n);
    if (r->mode == NN_INIT) {
        const tt_fn one = tt_bind_env("layer", init_one, &b, sizeof b, 2);
        const tt_fn all = tt_vmap_at(site, one, &(tt_map_opts){ .size = sizeof(tt_map_opts), .in = "0; _" });
        const tt_val keys = tt_split_at(site, r->key, n);
        const tt_val made = tt_call_n(site, all, 2, (const tt_val[]){ keys, x });
        r->vars = tt_set_at(site, r->vars, f.path, stacked_axes(site, made));
        b.mode = NN_APPLY;
    }
    const tt_val vars = tt_get_at(site, r->vars, f.path);
    const tt_val xs = b.has_rng ? tt_tuple_at(site, (const tt_val[]){ vars, tt_split_at(site, r->rng, n), tt_end })
                                : tt_tuple_at(site, (const tt_val[]){ vars, tt_end });
    const tt_fn run = tt_bind_env("layer", run_one, &b, sizeof b, 2);
    const tt_val out = tt_scan_at(site, run, x, xs, &(tt_scan_opts){ .size = sizeof(tt_scan_opts) });
    if (b.mode == NN_TRAIN) r->fresh = tt_set_at(site, r->fresh, f.path, tt_item_at(site, out, 1));
    return tt_item_at(site, out, 0);
}
