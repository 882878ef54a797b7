/* nn/module.c - the calls that run a module: with new variables, with given ones, in training, inside another
 * module. */
#include "nn.h"

#include <string.h>

static bool is_module(const char *site, tt_module *module)
{
    return module || (tt_fail_at(site, TT_EARG, "the module is NULL"), false);
}

/* True if each key of a value or dict of keys, or of none, is u32[2]; else sets the error. */
static bool keys_good(const char *site, const char *what, tt_val keys)
{
    tt_val leaf[64];
    const int n = nn_is(keys) && tt_ok() ? tt_tree_leaves_at(site, keys, 64, leaf) : 0;
    for (int i = 0; i < n && i < 64 && tt_ok(); i++) {
        if (tt_rank_at(site, leaf[i]) == 1 && tt_dim_at(site, leaf[i], 0) == 2
            && tt_dtype_of_at(site, leaf[i]) == TT_U32) continue;
        const char *const path = tt_leaf_path_at(site, keys, i);
        if (tt_ok())
            tt_fail_at(site, TT_ETYPE, "%s: %s%s%sexpected a key, u32[2], not %s", what, *path ? "\"" : "", path, *path
                       ? "\": " : "", tt_type_text_at(site, leaf[i]));
        tt_hint("keys come from tt_key, tt_split and tt_fold_in; a dict has one for each stream");
    }
    return tt_ok();
}

static const char *const conventions[] = { "linen", "nnx", "keras" };

tt_val nn_init(const char *site, tt_module *module, tt_val key, tt_val x, const char *keys, nn_record *record)
{
    nn_counts counts = { 0 };
    nn_frame f = { .site = site, .mode = NN_INIT, .key = key, .counts = &counts, .record = record };
    int k = 0;
    if (!is_module(site, module) || !keys_good(site, "init", key)) return tt_poison;
    while (keys && k < 3 && strcmp(keys, conventions[k])) k++;
    if (k == 3) {
        const tt_val bad = tt_fail_at(site, TT_EARG, "init: .keys = \"%s\" is unknown", keys);
        tt_hint_choices("the words are", keys, -1, "linen, nnx, keras");
        return bad;
    }
    f.root = &f;
    f.keys = (nn_keys)k;
    f.vars = tt_dict_n(site, 0, NULL, NULL);
    nn_close(&f, module(nn_open(&f), x));
    return k == NN_KERAS && tt_ok() ? tt_tagged_at(site, conventions[k], f.vars) : f.vars;
}

tt_val tt_init_at(const char *site, tt_module *module, tt_val key, tt_val x, const tt_init_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_init_opts, site, "init", o)) return tt_poison;
    return nn_init(site, module, key, x, o->keys, NULL);
}

/* Keras's names and defaults are selected by the variables' tag, so that tt_apply needs no option. */
nn_keys nn_keys_of_vars(const char *site, tt_val vars)
{
    const char *tag = tt_ok() && tt_rank_at(site, vars) < 0 ? tt_tag_at(site, vars) : NULL;
    return tag && !strcmp(tag, conventions[NN_KERAS]) ? NN_KERAS : NN_LINEN;
}

tt_val tt_apply_at(const char *site, tt_module *module, tt_val vars, tt_val x)
{
    TT_ENTRY(site);
    if (!is_module(site, module)) return tt_poison;
    nn_frame f = { .site = site, .mode = NN_APPLY, .keys = nn_keys_of_vars(site, vars), .vars = vars };
    f.root = &f;
    return nn_close(&f, module(nn_open(&f), x));
}

tt_val tt_apply_train_at(const char *site, tt_module *module, tt_val vars, tt_val x, tt_val rng)
{
    TT_ENTRY(site);
    if (!is_module(site, module) || !keys_good(site, "apply_train", rng)) return tt_poison;
    nn_counts counts = { 0 };
    nn_frame f = { .site = site, .mode = NN_TRAIN, .keys = nn_keys_of_vars(site, vars), .vars = vars, .fresh = vars,
                   .key = rng, .counts = &counts };
    f.root = &f;
    const tt_val y = nn_close(&f, module(nn_open(&f), x));
    return tt_tuple_at(site, (const tt_val[]){ y, f.fresh, tt_end });
}

int tt_training_at(const char *site, tt_nn m)
{
    TT_ENTRY(site);
    return nn_there(site, m) && m.p->root->mode == NN_TRAIN;
}

tt_val tt_sub_module_at(const char *site, tt_nn m, const char *name, tt_module *module, tt_val x)
{
    TT_ENTRY(site);
    nn_frame f;
    if (!is_module(site, module) || !nn_enter(&f, m, site, "Module", name)) return tt_poison;
    return nn_leave(&f, nn_close(&f, module(nn_open(&f), x)));
}

tt_val tt_with_params_at(const char *site, tt_nn m, tt_fn in, tt_fn out, tt_module *module, tt_val x)
{
    TT_ENTRY(site);
    nn_frame f;
    if (!is_module(site, module) || !nn_enter(&f, m, site, "", ".")) return tt_poison;
    const nn_through through = { .up = f.through, .in = in, .out = out };
    f.through = &through;
    return nn_close(&f, module(nn_open(&f), x));
}
