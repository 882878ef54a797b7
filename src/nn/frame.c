/* nn/frame.c - frames: where a module's parameters are, which keys they get, and the calls that run a module.
 *
 * Linen's rule: every parameter takes the next number of its module's stream, also when its initializer ignores the key, and its
 * key is fold_in(root, hash(names on the path, number)). NNX's rule: one counter for all, taken in order of creation.
 */
#include "nn.h"

#include <stdio.h>
#include <string.h>

static int *taken_by(nn_counts *c, const char *path)
{
    const uint32_t name = nn_hash(path, 0);
    int i = 0;
    while (i < c->n && c->module[i].path != name) i++;
    if (i == NN_MODULES) return NULL;
    if (i == c->n) c->module[c->n++].path = name;
    return &c->module[i].taken;
}

void nn_go_on(nn_frame *f)
{
    const int *taken = f->root->counts ? taken_by(f->root->counts, f->path) : NULL;
    if (taken) f->params = *taken;
}

bool nn_enter(nn_frame *f, tt_nn m, const char *site, const char *cls, const char *name)
{
    nn_frame *up = m.p;
    char own[64];
    memset(f, 0, sizeof *f);
    f->root = up->root;
    f->parent = up;
    f->site = site;
    if (!name || !*name) {
        int i = 0;
        while (i < up->nseen && strcmp(up->seen[i].cls, cls)) i++;
        if (i == NN_NAMES)
            return tt_fail_at(site, TT_EARG, "more than %d classes of unnamed layers in one module", NN_NAMES), false;
        if (i == up->nseen) up->seen[up->nseen++].cls = cls;
        snprintf(own, sizeof own, "%s_%d", cls, up->seen[i].n++);
        name = own;
    }
    if (strpbrk(name, ". "))
        return tt_fail_at(site, TT_EARG, "a layer's name \"%s\" has a dot or a blank in it", name), false;
    const int n = snprintf(f->path, sizeof f->path, "%s%s%s", up->path, *up->path ? "." : "", name);
    if (n < 0 || n >= NN_PATH) return tt_fail_at(site, TT_EARG, "the path of layer \"%s\" is too long", name), false;
    nn_go_on(f);
    return tt_ok();
}

static const char *path_of(const nn_frame *f, const char *name, char *to)
{
    snprintf(to, NN_PATH + 64, "%s%s%s", f->path, *f->path ? "." : "", name);
    return to;
}

tt_val nn_stream_key(nn_frame *f, const char *stream)
{
    nn_frame *r = f->root;
    const bool params = !strcmp(stream, "params");
    const tt_val key = params || !r->has_rng ? r->key : r->rng;
    if (r->nnx) return tt_fold_at(f->site, key, tt_i(r->count++));
    const int number = ++f->params;
    int *taken = r->counts ? taken_by(r->counts, f->path) : NULL;
    if (taken) *taken = number;
    return tt_fold_at(f->site, key, tt_i((int64_t)nn_hash(f->path, number)));
}

static tt_val variable(nn_frame *f, const char *path)
{
    nn_frame *r = f->root;
    if (tt_has(r->vars, path)) return tt_get_at(f->site, r->vars, path);
    const tt_val bad = tt_fail_at(f->site, TT_ETREE, "the variables have no \"%s\"", path);
    tt_hint("make them with tt_init() of the same module");
    return bad;
}

static tt_val created(nn_frame *f, const char *path, tt_val v, const char *axes, bool frozen)
{
    nn_frame *r = f->root;
    if (tt_ok() && tt_has(r->vars, path)) {
        const tt_val bad = tt_fail_at(f->site, TT_ETREE, "two variables are named \"%s\"", path);
        tt_hint("give layers of one module different names, or none");
        return bad;
    }
    v = tt_leaf_at(f->site, v, &(tt_leaf_opts){ .size = sizeof(tt_leaf_opts), .axes = axes, .frozen = frozen });
    r->vars = tt_set_at(f->site, r->vars, path, v);
    return v;
}

tt_val nn_param(nn_frame *f, const char *name, const char *init, tt_dtype d, const int64_t *dims, const char *axes)
{
    char path[NN_PATH + 64];
    path_of(f, name, path);
    if (f->root->mode != NN_INIT) return variable(f, path);
    return created(f, path, tt_init_named_at(f->site, init, nn_stream_key(f, "params"), d ? d : TT_F32, dims), axes,
                   false);
}

tt_val nn_stat(nn_frame *f, const char *name, double value, const int64_t *dims)
{
    char path[NN_PATH + 64];
    path_of(f, name, path);
    if (f->root->mode != NN_INIT) return variable(f, path);
    return created(f, path, tt_full_at(f->site, value, TT_F32, dims), NULL, true);
}

void nn_update(nn_frame *f, const char *name, tt_val v)
{
    char path[NN_PATH + 64];
    v = tt_leaf_at(f->site, v, &(tt_leaf_opts){ .size = sizeof(tt_leaf_opts), .frozen = 1 });
    f->root->fresh = tt_set_at(f->site, f->root->fresh, path_of(f, name, path), v);
}

/* ---- running a module ---- */

static tt_val empty(const char *site) { return tt_dict_n(site, 0, NULL, NULL); }

tt_val tt_init_at(const char *site, tt_module *module, tt_val key, tt_val x, const tt_init_opts *o)
{
    nn_frame f = { .site = site, .mode = NN_INIT, .vars = empty(site), .key = key };
    if (o->keys && strcmp(o->keys, "linen") && strcmp(o->keys, "nnx"))
        return tt_fail_at(site, TT_EARG, "init: keys \"%s\"; expected \"linen\" or \"nnx\"", o->keys);
    f.root = &f;
    f.nnx = o->keys && !strcmp(o->keys, "nnx");
    module((tt_nn){ &f }, x);
    return f.vars;
}

tt_val tt_apply_at(const char *site, tt_module *module, tt_val vars, tt_val x)
{
    nn_frame f = { .site = site, .mode = NN_APPLY, .vars = vars };
    f.root = &f;
    return module((tt_nn){ &f }, x);
}

tt_val tt_apply_train_at(const char *site, tt_module *module, tt_val vars, tt_val x, tt_val rng)
{
    nn_frame f = {
        .site = site, .mode = NN_TRAIN, .vars = vars, .fresh = vars, .key = rng, .rng = rng, .has_rng = true
    };
    f.root = &f;
    const tt_val y = module((tt_nn){ &f }, x);
    return tt_tuple_at(site, (const tt_val[]){ y, f.fresh, tt_end });
}

int tt_training(tt_nn m) { return m.p->root->mode == NN_TRAIN; }

tt_val tt_sub_module_at(const char *site, tt_nn m, const char *name, tt_module *module, tt_val x)
{
    nn_frame f;
    if (!nn_enter(&f, m, site, "Module", name)) return x;
    return module((tt_nn){ &f }, x);
}

tt_val tt_param_at(const char *site, tt_nn m, const char *name, const int64_t *dims, const tt_param_opts *o)
{
    m.p->site = site;
    return nn_param(m.p, name, o->init ? o->init : "zeros", o->dtype, dims, o->axes);
}
