/* oracle/linen.c - kind `linen_init`: the variables of a tree of modules in Flax Linen's naming.
 *
 * The module is read from the case while it runs: a body that is given as a C function finds its description where its caller
 * left it. What has no layer here, or other arguments, makes the case one to skip. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static const json_t *described;                          /* the module whose body runs next */
static tt_val body(tt_nn m, tt_val x);

static bool only(const json_t *layer, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)layer, key, value) if (!strstr(known, key)) return false;
    return true;
}

/* An initializer by its name alone. */
static bool named(const json_t *layer, const char *key, const char **init)
{
    const json_t *v = json_object_get(layer, key);
    *init = json_is_object(v) ? oracle_text(v, "fn", NULL) : json_string_value(v);
    return !v || (*init && strcmp(*init, "key") && (!json_is_object(v) || json_object_size(v) == 1));
}

static bool known(const json_t *module);
static bool known_layer(const json_t *l)
{
    static const struct { const char *type, *keys; } t[] = {
        { "Dense", "type name features use_bias kernel_init bias_init" },
        { "BatchNorm", "type name" },
        { "Dropout", "type name rate" },
        { "Conv", "type name features kernel_size strides padding feature_group_count use_bias kernel_init bias_init" },
        { "param", "type name init shape dot" },
        { "relu", "type" },
        { "tanh", "type" },
        { "flatten", "type" },
        { "avg_pool", "type window strides" },
        { "Scan", "type name length body axis split" },
        { "Module", "type name class layers" },
    };
    const char *type = oracle_text(l, "type", ""), *init;
    size_t i = 0;
    while (i < sizeof t / sizeof *t && strcmp(t[i].type, type)) i++;
    if (i == sizeof t / sizeof *t || !only(l, t[i].keys)) return false;
    if (!named(l, "kernel_init", &init) || !named(l, "bias_init", &init) || !named(l, "init", &init)) return false;
    if (!strcmp(type, "Scan"))
        return oracle_int(l, "axis", 0) == 0 && !json_is_false(json_object_get(l, "split")) &&
               known(json_object_get(l, "body"));
    return strcmp(type, "Module") || known(l);
}

static bool known(const json_t *module)
{
    const json_t *layers = json_object_get(module, "layers");
    if (strcmp(oracle_text(module, "type", ""), "Module")) return false;     /* a bare layer has no module to be in */
    for (size_t i = 0; i < json_array_size(layers); i++) if (!known_layer(json_array_get(layers, i))) return false;
    return true;
}

static tt_val dense(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    tt_dense_opts o = { .size = sizeof o, .no_bias = json_is_false(json_object_get(l, "use_bias")) };
    named(l, "kernel_init", &o.kernel_init);
    named(l, "bias_init", &o.bias_init);
    return tt_dense_at(0, m, name, x, oracle_int(l, "features", 1), &o);
}

static void numbers(const json_t *l, const char *key, int64_t *to) /* a list; none: zeros, which are the defaults */
{
    const json_t *v = json_object_get(l, key);
    for (size_t i = 0; i < json_array_size(v) && i < 8; i++) to[i] = json_integer_value(json_array_get(v, i));
}

static tt_val conv(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    tt_conv_opts o = { .size = sizeof o, .no_bias = json_is_false(json_object_get(l, "use_bias")),
                       .pad = oracle_text(l, "padding", NULL), .groups = oracle_int(l, "feature_group_count", 0) };
    numbers(l, "kernel_size", o.window);
    numbers(l, "strides", o.stride);
    named(l, "kernel_init", &o.kernel_init);
    named(l, "bias_init", &o.bias_init);
    return tt_conv_at(0, m, name, x, oracle_int(l, "features", 1), &o);
}

static tt_val param(tt_nn m, const json_t *l, const char *name, tt_val x)
{
    int64_t dim[14];
    tt_param_opts o = { .size = sizeof o };
    oracle_dims(l, "shape", dim);
    named(l, "init", &o.init);
    const tt_val w = tt_param_at(0, m, name, dim, &o);
    return oracle_flag(l, "dot") ? tt_matmul(x, w) : x;
}

static tt_val pool(const json_t *l, tt_val x)
{
    tt_pool_opts o = { .size = sizeof o };
    numbers(l, "window", o.window);
    numbers(l, "strides", o.stride);
    return tt_avg_pool_at(0, x, &o);
}

/* A module in a module, or a scan of one: its name, or its class and how many of that class stand before it. */
static tt_val inner(tt_nn m, const json_t *layers, size_t at, tt_val x)
{
    const json_t *l = json_array_get(layers, at);
    const bool scan = !strcmp(oracle_text(l, "type", ""), "Scan");
    const json_t *module = scan ? json_object_get(l, "body") : l;
    const char *class = oracle_text(module, "class", "Module");
    char own[96];
    int before = 0;
    for (size_t i = 0; i < at; i++) {
        const json_t *e = json_array_get(layers, i);
        const bool same = !strcmp(oracle_text(e, "type", ""), oracle_text(l, "type", ""));
        before += same && !oracle_has(e, "name") &&
                  !strcmp(oracle_text(scan ? json_object_get(e, "body") : e, "class", "Module"), class);
    }
    snprintf(own, sizeof own, "%s%s_%d", scan ? "Scan" : "", class, before);
    const char *name = oracle_text(l, "name", own);
    const json_t *outer = described;
    described = module;
    x = scan ? tt_stack(m, name, body, oracle_int(l, "length", 1), x) : tt_sub_module(m, name, body, x);
    described = outer;
    return x;
}

static tt_val body(tt_nn m, tt_val x)
{
    const json_t *layers = json_object_get(described, "layers");
    for (size_t i = 0; i < json_array_size(layers) && tt_ok(); i++) {
        const json_t *l = json_array_get(layers, i);
        const char *type = oracle_text(l, "type", ""), *name = oracle_text(l, "name", NULL);
        if (!strcmp(type, "Dense")) x = dense(m, l, name, x);
        else if (!strcmp(type, "Conv")) x = conv(m, l, name, x);
        else if (!strcmp(type, "BatchNorm")) x = tt_batch_norm(m, name, x);
        else if (!strcmp(type, "Dropout")) x = tt_dropout(m, x, oracle_real(l, "rate", 0));
        else if (!strcmp(type, "param")) x = param(m, l, name, x);
        else if (!strcmp(type, "relu")) x = tt_relu(x);
        else if (!strcmp(type, "tanh")) x = tt_tanh(x);
        else if (!strcmp(type, "flatten")) x = tt_flatten(x, 1);
        else if (!strcmp(type, "avg_pool")) x = pool(l, x);
        else x = inner(m, layers, i, x);
    }
    return x;
}

void oracle_linen_init(oracle_case *c)
{
    const json_t *p = c->params, *key = json_object_get(json_object_get(p, "keys"), "params");
    const json_t *paths = json_object_get(c->json, "paths");
    const uint32_t word[2] = { (uint32_t)json_integer_value(json_array_get(key, 0)),
                               (uint32_t)json_integer_value(json_array_get(key, 1)) };
    int64_t dim[14];
    described = json_object_get(p, "module");
    if (!known(described)) {
        oracle_skip(c, "linen_init with layers or arguments that are not here");
        return;
    }
    oracle_dims(p, "x_shape", dim);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
    const tt_val x = tt_full_at(0, 0, oracle_dtype(oracle_text(p, "x_dtype", "float32")), dim);
    const tt_val vars = tt_init(body, tt_array(TT_U32, word, 2), x);
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        char path[256];
        const char *slash = strchr(json_string_value(json_array_get(paths, (size_t)i)), '/'); /* after the collection */
        snprintf(path, sizeof path, "%s", slash ? slash + 1 : "");
        for (char *s = path; *s; s++) if (*s == '/') *s = '.';
        oracle_expect(c, i, tt_get(vars, path));
    }
    if (tt_ok() && tt_leaves(vars, 0, NULL) != c->nout)
        oracle_fail(c, "%d variables, expected %d", tt_leaves(vars, 0, NULL), c->nout);
}
