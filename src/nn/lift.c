/* nn/lift.c - modules inside transforms, as Flax's lifted transforms: what a module reads becomes arguments of one
 * function, what it changes becomes results, and the function is scanned (stack.c), rematerialised or mapped here.
 *
 * A rematerialised module is the module itself: same names, same keys. A mapped one has a leading dim in its variables,
 * drawn with split keys, or shares them.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

bool nn_may_lift(const nn_frame *f)
{
    const nn_through *t = f->through;
    while (t && !t->around) t = t->up;
    if (!t) return true;
    tt_fail_at(f->site, TT_EARG, "\"%s\": a module inside a transform, inside a spectral or weight norm", f->path);
    tt_hint("give the norms to the layers inside the module that is scanned, rematerialised or mapped");
    return false;
}

void nn_lift(nn_lifted *b, const nn_frame *f, tt_module *module)
{
    const nn_frame *r = f->root;
    nn_may_lift(f);
    memset(b, 0, sizeof *b);
    b->module = module, b->site = f->site, b->mode = r->mode, b->keys = r->keys, b->through = f->through;
    b->has_key = r->mode != NN_INIT && nn_is(r->key);
    b->collections.is = r->collections.is;
    b->collections.making = r->collections.making || r->mode == NN_INIT;
    memcpy(b->collections.updates, r->collections.updates, sizeof b->collections.updates);
    memcpy(b->path, f->path, sizeof b->path);
    if (r->packs) b->packs = r->packs, b->turn = r->packs->turn;
}

void nn_lifted_open(const nn_lifted *b, nn_frame *root, nn_frame *f, nn_counts *counts)
{
    memset(root, 0, sizeof *root);
    memset(f, 0, sizeof *f);
    root->root = f->root = root;
    root->site = f->site = b->site;
    root->mode = b->mode;
    root->keys = b->keys;
    root->collections = b->collections;
    root->collections.fresh = root->vars = tt_dict_n(b->site, 0, NULL, NULL);
    root->counts = counts;
    root->packs = b->packs;
    f->through = b->through;
    memcpy(f->path, b->path, sizeof f->path);
}

tt_val nn_below(const char *site, tt_val tree, const char *path)
{
    if (*path && tt_ok() && !tt_has_at(site, tree, path)) return tt_dict_n(site, 0, NULL, NULL);
    return *path ? tt_get_at(site, tree, path) : tree;
}

tt_val nn_with(const char *site, tt_val tree, const char *path, tt_val v)
{
    return *path ? tt_set_at(site, tree, path, v) : v;
}

tt_val nn_collections_below(const nn_frame *f)
{
    enum { MOST = 32 };
    const tt_val all = f->root->collections.fresh;
    const char *name[MOST];
    tt_val part[MOST];
    const int n = f->root->collections.is && tt_ok() ? tt_items_at(f->site, all) : 0;
    if (n > MOST) return tt_fail_at(f->site, TT_EARG, "%d collections of variables; at most %d are allowed", n, MOST);
    for (int i = 0; i < n; i++) {
        name[i] = tt_name_at(f->site, all, i);
        part[i] = nn_below(f->site, tt_item_at(f->site, all, i), f->path);
    }
    return tt_dict_n(f->site, n, name, part);
}

void nn_collections_set(nn_frame *f, tt_val below)
{
    nn_collections *c = &f->root->collections;
    for (int i = 0, n = c->is && tt_ok() ? tt_items_at(f->site, below) : 0; i < n && tt_ok(); i++) {
        char path[NN_PATH + NN_NAME + 8];
        const tt_val part = tt_item_at(f->site, below, i);
        snprintf(path, sizeof path, "%.60s%s%s", tt_name_at(f->site, below, i), *f->path ? "." : "", f->path);
        if (tt_rank_at(f->site, part) >= 0 || tt_items_at(f->site, part))
            c->fresh = tt_set_at(f->site, c->fresh, path, part);
    }
}

tt_val nn_lifted_run(void *lifted, int n, const tt_val *arg)
{
    const nn_lifted *b = lifted;
    nn_frame root, f;
    nn_counts counts = { 0 };
    (void)n;
    nn_lifted_open(b, &root, &f, &counts);
    root.vars = root.fresh = nn_with(b->site, root.vars, b->path, tt_item_at(b->site, arg[1], 0));
    if (b->collections.is) nn_collections_set(&f, tt_item_at(b->site, arg[1], 1));
    if (b->has_key) root.key = tt_item_at(b->site, arg[1], 2);
    const tt_val y = nn_close(&f, b->module(nn_open(&f), arg[0]));
    const tt_val stats = b->mode == NN_TRAIN ? nn_below(b->site, root.fresh, b->path) : tt_none();
    const tt_val changed = tt_tuple_at(b->site, (const tt_val[]){ stats, nn_collections_below(&f), tt_end });
    return tt_tuple_at(b->site, (const tt_val[]){ y, changed, tt_end });
}

tt_val nn_keys_of(const char *site, const char *what, tt_val key, int64_t n, bool same)
{
    tt_val leaf[16];
    const int streams = tt_tree_leaves_at(site, key, 16, leaf);
    if (streams > 16) return tt_fail_at(site, TT_EARG, "%s: keys of %d streams; at most 16", what, streams);
    for (int i = 0; i < streams; i++)
        leaf[i] = same ? tt_broadcast_at(site, leaf[i], (const int64_t[]){ n, 2, TT_DIM_END })
                       : tt_split_at(site, leaf[i], n);
    return tt_tree_unflatten_at(site, key, streams, leaf);
}

/* What a run has changed, back into the frame's root. */
static void taken_back(nn_frame *f, const nn_lifted *b, tt_val changed)
{
    nn_frame *r = f->root;
    if (b->mode == NN_TRAIN) r->fresh = nn_with(f->site, r->fresh, f->path, tt_item_at(f->site, changed, 0));
    nn_collections_set(f, tt_item_at(f->site, changed, 1));
}

/* ---- rematerialised ---- */

tt_val tt_remat_module_at(const char *site, tt_nn m, const char *name, tt_module *module, tt_val x)
{
    TT_ENTRY(site);
    nn_frame f;
    nn_lifted b;
    if (!module) return tt_fail_at(site, TT_EARG, "remat_module: the module is NULL");
    if (name && !strcmp(name, ".")) {
        tt_fail_at(site, TT_EARG, "remat_module: the name is \".\"");
        tt_hint("a name of its own: keys are counted by a module's path, anew in each rematerialised module");
        return tt_poison;
    }
    if (!nn_enter(&f, m, site, "Checkpoint", name)) return tt_poison;
    if (f.root->mode == NN_INIT) return nn_leave(&f, nn_close(&f, module(nn_open(&f), x)));
    nn_lift(&b, &f, module);
    if (b.has_key && b.keys == NN_KERAS) {
        tt_fail_at(site, TT_EARG, "remat_module: of a model with Keras's keys, one counter for all modules");
        tt_hint("tt_remat a function without draws, or make the variables with keys \"linen\"");
        return tt_poison;
    }
    const tt_remat_opts usual = { .size = sizeof usual };
    const tt_fn f1 = tt_remat_at(site, tt_bind_env_at(NULL, "block", nn_lifted_run, &b, sizeof b, 2), &usual);
    const tt_val below[] = { nn_below(site, nn_now(&f), f.path), nn_collections_below(&f),
                             b.has_key ? f.root->key : tt_none(), tt_end };
    const tt_val out = tt_call_n(site, f1, 2, (const tt_val[]){ x, tt_tuple_at(site, below) });
    taken_back(&f, &b, tt_item_at(site, out, 1));
    return nn_leave(&f, tt_item_at(site, out, 0));
}

/* ---- mapped ---- */

static tt_val made_one(void *env, int n, const tt_val *arg)      /* (key, x) -> the module's variables */
{
    const nn_lifted *b = env;
    nn_frame root, f;
    nn_counts counts = { 0 };
    (void)n;
    nn_lifted_open(b, &root, &f, &counts);
    root.key = arg[0];
    nn_close(&f, b->module(nn_open(&f), arg[1]));
    return nn_below(b->site, root.vars, b->path);
}

/* The number of copies: the size of x's mapped dim. */
static int64_t copies_of(const char *site, tt_val x, const tt_vmap_module_opts *o)
{
    tt_val leaf;
    const int in = o->in;
    if (o->length) return o->length;
    if (tt_tree_leaves_at(site, x, 1, &leaf) < 1 || !tt_ok()) return 0;
    if (in >= -tt_rank_at(site, leaf) && in < tt_rank_at(site, leaf)) return tt_dim_at(site, leaf, in);
    tt_fail_at(site, TT_ESHAPE, "vmap_module: .in = %d: no such dim in %s", in, tt_type_text_at(site, leaf));
    return 0;
}

static tt_val first_of(void *site, const char *path, tt_val leaf)
{
    (void)path;
    return tt_take_at(site, leaf, tt_i(0), 0, NULL);
}

static tt_val mapped_axis(void *env, const char *path, tt_val leaf)      /* its axes, after the copies' dim */
{
    const tt_vmap_module_opts *o = env;
    const char *axes = tt_leaf_axes_at(NULL, leaf);
    (void)path;
    if (!axes) return leaf;
    const tt_leaf_opts l = { .size = sizeof l, .frozen = tt_leaf_frozen_at(NULL, leaf),
                             .axes = tt_names_with_at(NULL, axes, 0, o->layer ? o->layer : "_") };
    return tt_leaf_at(NULL, leaf, &l);
}

/* (x, variables, collections, key) -> (y, statistics, collections), each with a dim of its own to be mapped */
static tt_val run_one_of(void *env, int n, const tt_val *arg)
{
    const nn_lifted *b = env;
    const tt_val below[] = { arg[1], arg[2], arg[3], tt_end };
    (void)n;
    const tt_val out = nn_lifted_run(env, 2, (const tt_val[]){ arg[0], tt_tuple_at(b->site, below) });
    const tt_val changed = tt_item_at(b->site, out, 1);
    return tt_tuple_at(b->site, (const tt_val[]){ tt_item_at(b->site, out, 0), tt_item_at(b->site, changed, 0),
                                                  tt_item_at(b->site, changed, 1), tt_end });
}

/* The variables of all copies: shared ones are the module's own, for one element of x. */
static void made_for(nn_frame *f, nn_lifted *b, int64_t n, tt_val x, const tt_vmap_module_opts *o)
{
    char in[16];
    const char *site = f->site;
    snprintf(in, sizeof in, "0; %d", o->in);
    const tt_fn one = tt_bind_env_at(NULL, "copy", made_one, b, sizeof *b, 2);
    const tt_vmap_opts over = { .size = sizeof over, .in = in, .length = n };
    const tt_val keys = nn_keys_of(site, "vmap_module", f->root->key, n, o->shared);
    tt_val made = tt_call_n(site, tt_vmap_at(site, one, &over), 2, (const tt_val[]){ keys, x });
    if (!o->shared) made = tt_tree_map_with_path_at(site, mapped_axis, (void *)o, made);
    else made = tt_tree_map_with_path_at(site, first_of, (void *)site, made);
    f->root->vars = nn_with(site, f->root->vars, f->path, made);
}

tt_val tt_vmap_module_at(const char *site, tt_nn m, const char *name, tt_module *module, tt_val x,
                         const tt_vmap_module_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_vmap_module_opts, site, "vmap_module", o)) return tt_poison;
    nn_frame f;
    nn_lifted b;
    if (!module) return tt_fail_at(site, TT_EARG, "vmap_module: the module is NULL");
    if (name && !strcmp(name, ".")) {
        tt_fail_at(site, TT_EARG, "vmap_module: the name is \".\"");
        tt_hint("a name of its own, below which the copies' variables are");
        return tt_poison;
    }
    if (!nn_enter(&f, m, site, "Vmap", name)) return tt_poison;
    const int64_t n = copies_of(site, x, o);
    if (tt_ok() && n < 1)
        return tt_fail_at(site, TT_EARG, "vmap_module: %lld copies; expected 1 or more", (long long)n);
    char in[32], out[32];
    snprintf(in, sizeof in, "%d; %s; 0; 0", o->in, o->shared ? "_" : "0");
    snprintf(out, sizeof out, "%d; %s; 0", o->out, o->shared ? "_" : "0");
    nn_lift(&b, &f, module);
    if (f.root->mode == NN_INIT) {
        made_for(&f, &b, n, x, o);
        b.mode = NN_APPLY;
    }
    const tt_vmap_opts over = { .size = sizeof over, .in = in, .out = out, .length = n };
    const tt_fn all = tt_vmap_at(site, tt_bind_env_at(NULL, "copy", run_one_of, &b, sizeof b, 4), &over);
    const tt_val keys = b.has_key ? nn_keys_of(site, "vmap_module", f.root->key, n, false) : tt_none();
    const tt_val arg[] = { x, nn_below(site, nn_now(&f), f.path), nn_collections_below(&f), keys };
    const tt_val y = tt_call_n(site, all, 4, arg);
    taken_back(&f, &b, tt_tuple_at(site, (const tt_val[]){ tt_item_at(site, y, 1), tt_item_at(site, y, 2), tt_end }));
    return nn_leave(&f, tt_item_at(site, y, 0));
}
