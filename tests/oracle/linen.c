/* oracle/linen.c - kinds `linen_init`, `nnx_init`, `nnx_rngs`: the variables of a tree of modules in Flax's naming,
 * with its keys. The module is read from the case while it runs: a body that is given as a C function finds its
 * description where its caller left it. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static const json_t *described;                          /* the module whose body runs next */
static tt_val body(tt_nn m, tt_val x);

static tt_val key_itself(tt_val key, tt_dtype d, const int64_t *dims)
{
    (void)d, (void)dims;
    return key;
}

/* An initializer as text: by its name, or by its description. NULL: the layer's own. */
static const char *init_of(const json_t *layer, const char *key)
{
    static char ring[4][ORACLE_FORM];
    static int at;
    const json_t *v = json_object_get(layer, key);
    char *to = ring[at++ % 4];
    *to = 0;
    if (!json_is_object(v)) return json_string_value(v);
    oracle_form(v, oracle_text(v, "fn", ""), "", to);
    return to;
}

static void numbers(const json_t *l, const char *key, int64_t *to) /* a list; none: zeros, which are the defaults */
{
    const json_t *v = json_object_get(l, key);
    for (size_t i = 0; i < json_array_size(v) && i < 8; i++) to[i] = json_integer_value(json_array_get(v, i));
}

/* ---- layers ---- */

static int64_t features(const json_t *l) { return oracle_int(l, "features", oracle_int(l, "out_features", 1)); }

static tt_val dense(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    const tt_dense_opts o = { .size = sizeof o, .no_bias = json_is_false(json_object_get(l, "use_bias")),
                              .kernel_init = init_of(l, "kernel_init"), .bias_init = init_of(l, "bias_init") };
    return tt_dense_at(0, m, name, x, features(l), &o);
}

static tt_val conv(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    tt_conv_opts o = { .size = sizeof o, .no_bias = json_is_false(json_object_get(l, "use_bias")),
                       .pad = oracle_text(l, "padding", NULL), .groups = oracle_int(l, "feature_group_count", 0),
                       .kernel_init = init_of(l, "kernel_init"), .bias_init = init_of(l, "bias_init") };
    numbers(l, "kernel_size", o.window);
    numbers(l, "strides", o.stride);
    return tt_conv_at(0, m, name, x, features(l), &o);
}

static tt_val embed(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    const char *init = init_of(l, "embedding_init");
    return tt_embed(m, name, x, oracle_int(l, "num_embeddings", 1), features(l), .init = init ? init : NULL);
}

static tt_norm_opts norm_opts(const json_t *l)
{
    return (tt_norm_opts){ .size = sizeof(tt_norm_opts),
                           .no_scale = json_is_false(json_object_get(l, "use_scale")),
                           .no_bias = json_is_false(json_object_get(l, "use_bias")) };
}
static bool plain_norm(const json_t *l)                  /* with the usual initial values, the only ones there are */
{
    if (!oracle_has(l, "scale_init") && !oracle_has(l, "bias_init")) return true;
    tt_fail_at(NULL, TT_EARG, "a norm's scale_init and bias_init are not passed on");
    return false;
}
#define NORM(layer)                                                                                                    \
    static tt_val layer(tt_nn m, const json_t *l, const char *name, tt_val x)                                          \
    {                                                                                                                  \
        const tt_norm_opts o = norm_opts(l);                                                                           \
        if (!plain_norm(l)) return tt_poison;                                                                          \
        return tt_##layer##_at(0, m, name, x, &o);                                                                     \
    }
NORM(batch_norm) NORM(layer_norm) NORM(rms_norm)
static tt_val group_norm(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    const tt_norm_opts o = norm_opts(l);
    if (!plain_norm(l)) return tt_poison;
    return tt_group_norm_at(0, m, name, x, oracle_int(l, "num_groups", 32), &o);
}
static tt_val dropout(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    return tt_dropout(m, x, oracle_real(l, "rate", 0), .name = name ? name : NULL);
}

static tt_val param(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    int64_t dim[14];
    const char *init = init_of(l, "init");
    tt_param_opts o = { .size = sizeof o, .init = init, .stream = oracle_text(l, "stream", NULL) };
    oracle_dims(l, "shape", dim);
    if (init && !strcmp(init, "key")) o.init = NULL, o.make = key_itself;
    const tt_val w = tt_param_at(0, m, name, dim, &o);
    return oracle_flag(l, "dot") ? tt_matmul(x, w) : x;
}

static tt_val relu(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    return (void)m, (void)l, (void)name, tt_relu(x);
}
static tt_val tanh_of(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    return (void)m, (void)l, (void)name, tt_tanh(x);
}
static tt_val flatten(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    return (void)m, (void)l, (void)name, tt_flatten(x, 1);
}
static tt_val pool(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    tt_pool_opts o = { .size = sizeof o };
    (void)m, (void)name;
    numbers(l, "window", o.window);
    numbers(l, "strides", o.stride);
    return tt_avg_pool_at(0, x, &o);
}

static tt_val inner(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    const json_t *outer = described;
    const bool scan = !strcmp(oracle_text(l, "type", ""), "Scan");
    described = scan ? json_object_get(l, "body") : l;
    x = scan ? tt_stack(m, name, body, oracle_int(l, "length", 1), x, .axis = (int)oracle_int(l, "axis", 0),
                        .same_keys = json_is_false(json_object_get(l, "split")))
             : tt_sub_module(m, name, body, x);
    described = outer;
    return x;
}

static const struct { const char *type; tt_val (*run)(tt_nn, const json_t *, const char *name, tt_val x); } layers[] = {
    { "Dense", dense }, { "Linear", dense }, { "Conv", conv }, { "Embed", embed }, { "BatchNorm", batch_norm },
    { "LayerNorm", layer_norm }, { "RMSNorm", rms_norm }, { "GroupNorm", group_norm }, { "Dropout", dropout },
    { "param", param }, { "Param", param }, { "relu", relu }, { "tanh", tanh_of }, { "flatten", flatten },
    { "avg_pool", pool }, { "Scan", inner }, { "Module", inner }, { "List", inner },
};

static tt_val run_layer(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    const char *type = oracle_text(l, "type", "");
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if (!strcmp(layers[i].type, type)) return layers[i].run(m, l, name, x);
    return tt_fail_at(NULL, TT_EARG, "no layer \"%s\"", type);
}

/* The name of an unnamed module in a module: its class and how many of that class stand before it; of a layer: its
 * own. */
static const char *own_name(const json_t *all, size_t at, char to[96])
{
    const json_t *l = json_array_get(all, at);
    const bool scan = !strcmp(oracle_text(l, "type", ""), "Scan");
    const json_t *module = scan ? json_object_get(l, "body") : l;
    const char *class = oracle_text(module, "class", NULL);
    int before = 0;
    for (size_t i = 0; class && i < at; i++) {
        const json_t *e = json_array_get(all, i);
        const bool same = !strcmp(oracle_text(e, "type", ""), oracle_text(l, "type", ""));
        before += same && !oracle_has(e, "name") &&
                  !strcmp(oracle_text(scan ? json_object_get(e, "body") : e, "class", "Module"), class);
    }
    if (!class) return NULL;
    snprintf(to, 96, "%s%.60s_%d", scan ? "Scan" : "", class, before);
    return to;
}

static tt_val body(tt_nn m, tt_val x)
{
    const json_t *all = json_object_get(described, "layers");
    char own[96];
    for (size_t i = 0; i < json_array_size(all) && tt_ok(); i++) {
        const json_t *l = json_array_get(all, i);
        x = run_layer(m, l, oracle_text(l, "name", own_name(all, i, own)), x);
    }
    return x;
}

static tt_val root(tt_nn m, tt_val x)                    /* a module's layers are its own; a bare layer is the root */
{
    return strcmp(oracle_text(described, "type", ""), "Module") ? run_layer(m, described, ".", x) : body(m, x);
}

/* ---- comparing ---- */

static void expect_vars(oracle_case *c, tt_val vars, bool collections)
{
    const json_t *paths = json_object_get(c->json, "paths");
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        char path[256];
        const char *theirs = json_string_value(json_array_get(paths, (size_t)i)),
                   *slash = collections ? strchr(theirs, '/') : NULL;
        snprintf(path, sizeof path, "%s", slash ? slash + 1 : theirs);
        for (char *s = path; *s; s++) if (*s == '/') *s = '.';
        oracle_expect(c, i, tt_get(vars, path));
    }
    if (tt_ok() && tt_tree_leaves(vars, 0, NULL) != c->nout)
        oracle_fail(c, "%d variables, expected %d", tt_tree_leaves(vars, 0, NULL), c->nout);
}

static tt_val streams(const json_t *named, bool seeds)   /* keys by stream: of two words, or of a seed */
{
    tt_val keys = tt_dict_n(0, 0, NULL, NULL);
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)named, name, v) {
        const uint32_t word[2] = { (uint32_t)json_integer_value(json_array_get(v, 0)),
                                   (uint32_t)json_integer_value(json_array_get(v, 1)) };
        keys = tt_set_at(0, keys, name, seeds ? tt_key(json_integer_value(v)) : tt_array(TT_U32, word, 2));
    }
    return keys;
}

void oracle_linen_init(oracle_case *c)
{
    const json_t *p = c->params;
    int64_t dim[14];
    if (!(described = json_object_get(p, "module"))) {   /* a guide's, which has a module of its own */
        oracle_linen_weights(c);
        return;
    }
    oracle_dims(p, "x_shape", dim);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
    const tt_val x = tt_full_at(0, 0, oracle_dtype(oracle_text(p, "x_dtype", "float32")), dim);
    const tt_val vars = tt_init(root, streams(json_object_get(p, "keys"), false), x);
    tt_set_random_layout(NULL);
    expect_vars(c, vars, true);
}

/* ---- NNX: layers are made in the order written, each for an input of its own ---- */

static tt_val made(tt_nn m, tt_val x);
static void make(tt_nn m, const json_t *l, const char *name)
{
    const json_t *outer = described, *kernel = json_object_get(l, "kernel_size");
    int64_t dim[14] = { 1, TT_DIM_END };
    int n = 1;
    if (oracle_has(l, "layers")) {
        described = l;
        tt_sub_module(m, name, made, tt_f(0));
        described = outer;
        return;
    }
    for (size_t i = 0; i < json_array_size(kernel); i++) dim[n++] = 4;
    if (!oracle_has(l, "num_embeddings")) dim[n++] = oracle_int(l, "in_features", oracle_int(l, "num_features", 1));
    dim[n] = TT_DIM_END;
    run_layer(m, l, name, tt_full_at(0, 0, oracle_has(l, "num_embeddings") ? TT_I32 : TT_F32, dim));
}

static tt_val made(tt_nn m, tt_val x)                    /* a module's layers by name, a list's by number */
{
    const json_t *all = json_object_get(described, "layers");
    for (size_t i = 0; i < json_array_size(all) && tt_ok(); i++) {
        char number[24];
        snprintf(number, sizeof number, "%d", (int)i);
        make(m, json_array_get(all, i), oracle_text(json_array_get(all, i), "name", number));
    }
    return x;
}

static tt_val nnx_root(tt_nn m, tt_val x)
{
    if (oracle_has(described, "layers")) return made(m, x);
    make(m, described, ".");
    return x;
}

void oracle_nnx_init(oracle_case *c)
{
    if (!(described = json_object_get(c->params, "module"))) {
        oracle_nnx_weights(c);
        return;
    }
    tt_set_random_layout(oracle_text(c->params, "layout", NULL));
    const tt_val vars = tt_init(nnx_root, streams(json_object_get(c->params, "rngs"), true), tt_f(0), .keys = "nnx");
    tt_set_random_layout(NULL);
    expect_vars(c, vars, false);
}

static tt_val calls(tt_nn m, tt_val x)                   /* one parameter per call, which is its key */
{
    const json_t *names = described;
    for (size_t i = 0; i < json_array_size(names) && tt_ok(); i++) {
        char name[24];
        snprintf(name, sizeof name, "k%03d", (int)i);
        tt_param(m, name, TT_LIST(int64_t, 2, TT_DIM_END), .make = key_itself,
                 .stream = json_string_value(json_array_get(names, i)));
    }
    return x;
}

void oracle_nnx_rngs(oracle_case *c)
{
    tt_val leaf[65];
    const json_t *p = c->params, *asked = json_object_get(p, "calls"), *seeds = json_object_get(p, "rngs");
    described = asked ? asked : json_object_get(p, "draws");
    tt_set_random_layout(oracle_text(p, "layout", NULL));
    const tt_val keys = streams(seeds ? seeds : json_object_get(p, "seeds"), true);
    const tt_val vars = tt_init(calls, keys, tt_f(0), .keys = "nnx");
    tt_set_random_layout(NULL);
    const int n = tt_tree_leaves(vars, 64, leaf);
    leaf[n < 64 ? n : 64] = tt_end;
    if (c->nout && tt_ok()) oracle_expect(c, 0, tt_stack_values_at(0, 0, leaf));
}
