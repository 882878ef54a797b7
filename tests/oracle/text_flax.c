/* oracle/text_flax.c - kind `text` of the suites `seeds_nnx` and `seeds_linen`: names of variables, layouts of what was
 * born on a mesh, trees of specs and of shapes, as the guides' Flax prints them. Kind `spec`, `logical_to_mesh`. */
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int64_t batch, layers, depth, scan, logical; } guide;
static guide now;                                        /* modules have no environment */
static char names[2][64];                                /* of w1 and w2, in the NNX model */

/* ---- the NNX model: two weights with names ---- */

static tt_val two(tt_nn m, tt_val x)
{
    const int64_t dims[] = { 64, 64, TT_DIM_END };
    const tt_val w1 = tt_param(m, "w1", dims, .init = "lecun_normal", .axes = names[0]);
    return tt_matmul(tt_relu(tt_matmul(x, w1)), tt_param(m, "w2", dims, .init = "lecun_normal", .axes = names[1]));
}

static tt_val born(tt_val key) { return tt_init(two, key, tt_zeros(TT_F32, 1, 64), .keys = "nnx"); }
static tt_val born_named(void *env, int n, const tt_val *a)      /* env: the names, which make it another function */
{
    (void)n;
    memcpy(names, env, sizeof names);
    return born(a[0]);
}

static const char *spec_of(const oracle_case *c, size_t i)
{
    return oracle_notation(json_string_value(json_array_get(json_object_get(c->params, "specs"), i)));
}

static void take_names(const oracle_case *c)
{
    for (size_t i = 0; i < 2; i++) snprintf(names[i], sizeof names[i], "%s", spec_of(c, i));
}

/* Its variables, laid out by the names, which are mesh axes. */
static tt_val made(const oracle_case *c, tt_mesh *mesh)
{
    memset(names, 0, sizeof names);
    take_names(c);
    *mesh = oracle_mesh(c, "mesh");
    const tt_fn f = tt_bind_env("born", born_named, names, sizeof names, 1);
    return tt_call(tt_jit(f, .mesh = *mesh, .rules = "data:data, model:model"), tt_key(0));
}

static void lines(oracle_case *c, const char *a, const char *b)
{
    char text[2048];
    snprintf(text, sizeof text, "%s\n%s\n", a ? a : "(none)", b ? b : "(none)");
    if (tt_ok()) oracle_expect_text(c, text);
}

void oracle_text_annotation(oracle_case *c, const char *form)    /* names, or the specs that they are */
{
    take_names(c);
    const tt_val v = born(tt_key(0));
    lines(c, tt_state_text(tt_get(v, "w1"), .form = form), tt_state_text(tt_get(v, "w2"), .form = form));
}

void oracle_text_layout(oracle_case *c, const char *form)        /* the layout of a value */
{
    tt_mesh mesh;
    char f[80];
    const bool alone = !strcmp(spec_of(c, 0), "one device");
    snprintf(f, sizeof f, "%s", oracle_form_of(c, form));
    if (alone) names[0][0] = names[1][0] = 0;
    const tt_val v = alone ? born(tt_key(0)) : made(c, &mesh);
    char first[512];
    const char *one = tt_text(tt_get(v, "w1"), f);
    snprintf(first, sizeof first, "%s", one ? one : "(none)");
    lines(c, first, tt_text(tt_get(v, "w2"), f));
}

void oracle_text_named(oracle_case *c, const char *form)         /* of the names on the mesh, without a value */
{
    char first[512];
    const tt_mesh mesh = oracle_mesh(c, "mesh");
    const char *one = tt_layout_text(mesh, 2, spec_of(c, 0), oracle_form_of(c, form));
    snprintf(first, sizeof first, "%s", one ? one : "(none)");
    lines(c, first, tt_layout_text(mesh, 2, spec_of(c, 1), oracle_form_of(c, form)));
}

void oracle_text_eager(oracle_case *c, const char *form)         /* op by op: where the result is */
{
    tt_mesh mesh;
    char text[8192];
    int64_t dim[14];
    const tt_val v = made(c, &mesh);
    oracle_dims(c->params, "shape", dim);
    const tt_val x = tt_shard(tt_full_at(0, 1, TT_F32, dim), mesh, oracle_spec(c->params, "input"));
    const tt_val y = tt_matmul(tt_relu(tt_matmul(x, tt_get(v, "w1"))), tt_get(v, "w2"));
    const char *layout = tt_text(y, oracle_form_of(c, form));
    const tt_draw_opts plain = { .size = sizeof plain, .form = "plain" };
    const size_t n = (size_t)snprintf(text, sizeof text, "%s\n", layout ? layout : "(none)");
    snprintf(text + n, sizeof text - n, "%s", tt_drawing_at(0, y, &plain));
    if (tt_ok()) oracle_expect_text(c, text);
}

/* [["batch", "data"], ["embed", ["data", "model"]], ["hidden", null]] as "batch:data, embed:data+model, hidden:_". */
static const char *rules_of(const oracle_case *c, char to[512])
{
    const json_t *all = json_object_get(c->params, "rules");
    size_t n = 0;
    *to = 0;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *rule = json_array_get(all, i), *right = json_array_get(rule, 1);
        n += (size_t)snprintf(to + n, 512 - n, "%s%s:", i ? ", " : "", json_string_value(json_array_get(rule, 0)));
        if (json_is_string(right)) n += (size_t)snprintf(to + n, 512 - n, "%s", json_string_value(right));
        else if (!json_array_size(right)) n += (size_t)snprintf(to + n, 512 - n, "_");
        for (size_t k = 0; k < json_array_size(right); k++)
            n += (size_t)snprintf(to + n, 512 - n, "%s%s", k ? "+" : "", json_string_value(json_array_get(right, k)));
    }
    return all ? to : NULL;
}

static tt_val with_names(const char *axes, tt_val v) { return tt_leaf(v, .axes = axes); }

void oracle_text_rules(oracle_case *c, const char *form)         /* a variable's names through its rules */
{
    char rules[512];
    const char *axes = oracle_spec(c->params, "names"), *spec = tt_logical_spec(axes, rules_of(c, rules), .lookup = 1);
    if (spec) oracle_expect_text(c, tt_state_text(with_names(spec, tt_shape(TT_F32, 4, 4)), .form = form));
}

bool oracle_logical_spec(oracle_case *c)                 /* kind `spec`; false: another function */
{
    char rules[512], text[256];
    size_t n = 0;
    if (strcmp(c->fn, "logical_to_mesh")) return false;
    const char *spec = tt_logical_spec(oracle_spec(c->params, "names"), rules_of(c, rules));
    for (; spec && *spec && n + 1 < sizeof text; spec++)
        if (*spec != ' ') text[n++] = (char)(*spec == '_' ? '-' : *spec);
    text[n] = 0;
    if (tt_ok()) oracle_expect_text(c, text);
    return true;
}

/* ---- the Linen model ---- */

static tt_val block(tt_nn m, tt_val x)
{
    const int64_t dims[] = { now.depth, now.depth, TT_DIM_END };
    const char *in = now.logical ? "embed, hidden" : "_, model", *out = now.logical ? "hidden, embed" : "model, _";
    const tt_val w1 = tt_param(m, "W1", dims, .init = "xavier_normal", .axes = in);
    return tt_matmul(tt_relu(tt_matmul(x, w1)), tt_param(m, "W2", dims, .init = "xavier_normal", .axes = out));
}

static tt_val stack(tt_nn m, tt_val x)
{
    char name[40];
    const char *top = now.logical ? "ScanLogicalDotReluDot_0" : "ScanDotReluDot_0";
    if (now.scan) return tt_stack(m, top, block, now.layers, x, .layer = now.logical ? "layer" : NULL);
    for (int64_t i = 0; i < now.layers && tt_ok(); i++) {
        snprintf(name, sizeof name, "DotReluDot_%d", (int)i);
        x = tt_sub_module(m, name, block, x);
    }
    return x;
}

static tt_val loss(tt_val p, tt_val x) { return tt_sum(tt_apply(stack, p, x)); }
static tt_val create(void *env, int n, const tt_val *a)  /* key, x */
{
    (void)n;
    now = *(const guide *)env;
    const tt_val p = tt_init(stack, a[0], a[1]);
    return tt_tuple(p, tt_adam(p, .rate = 1e-3), tt_i(0));
}
static tt_val step(void *env, int n, const tt_val *a)    /* state, x */
{
    tt_val p = tt_item(a[0], 0), o = tt_item(a[0], 1);
    (void)n;
    now = *(const guide *)env;
    tt_opt_step(&p, &o, tt_call(tt_grad(loss), p, a[1]));
    return tt_tuple(p, o, tt_add(tt_item(a[0], 2), tt_i(1)));
}
static tt_val applied(void *env, int n, const tt_val *a)
{
    (void)n;
    now = *(const guide *)env;
    return tt_apply(stack, tt_item(a[0], 0), a[1]);
}

static void begin(const oracle_case *c)
{
    const json_t *p = c->params;
    memset(&now, 0, sizeof now);
    now.batch = oracle_int(p, "batch", 1), now.layers = oracle_int(p, "layers", 1);
    now.depth = oracle_int(p, "depth", 1), now.logical = oracle_flag(p, "logical");
    now.scan = !strcmp(oracle_text(p, "stack", "scan"), "scan");
}

static tt_fn creation(const oracle_case *c)
{
    begin(c);
    return tt_jit(tt_bind_env("create", create, &now, sizeof now, 2), .mesh = oracle_mesh(c, "mesh"),
                  .rules = now.logical ? "batch:data, hidden:model" : "data:data, model:model");
}

static tt_val state_form(const oracle_case *c)           /* (parameters, Adam, step) without elements */
{
    const tt_fn f = creation(c);
    return tt_eval_shape(f, tt_shape(TT_U32, 2), tt_shape(TT_F32, now.batch, now.depth));
}

static const char *box(void) { return now.logical ? "logical" : "box"; }

void oracle_text_tree(oracle_case *c, const char *form)  /* of "params" or "opt": specs, shapes in boxes */
{
    char rules[512];
    const tt_val s = state_form(c), tree = tt_item(s, !strncmp(form, "opt", 3));
    const bool spec = strstr(form, "spec") != NULL;
    const char *by = rules_of(c, rules);
    const char *text = tt_state_text(tree, .form = spec ? "spec" : box(), .rules = by ? by : NULL);
    if (tt_ok()) oracle_expect_text(c, text);
}

static const char *top_module(void)
{
    return !now.scan ? "DotReluDot_0" : now.logical ? "ScanLogicalDotReluDot_0" : "ScanDotReluDot_0";
}

static tt_val minus(tt_val a, tt_val b) { return tt_sub(a, b); }

void oracle_text_difference(oracle_case *c, const char *form)
{
    const tt_val s = state_form(c), p = tt_get_at(0, tt_item(s, 0), top_module());
    (void)form;
    const char *text = tt_state_text(tt_eval_shape(minus, p, p), .form = box());
    if (tt_ok()) oracle_expect_text(c, text);
}

static tt_val leaf_of(const oracle_case *c)
{
    const tt_val s = state_form(c);
    return tt_get_at(0, tt_item(s, 0), oracle_text(c->params, "leaf", ""));
}

void oracle_text_leaf(oracle_case *c, const char *form)
{
    const tt_val v = leaf_of(c);
    const char *text = !strcmp(form, "shape") ? tt_state_text(v, .form = form) : tt_text(v, oracle_form_of(c, form));
    if (tt_ok()) oracle_expect_text(c, text);
}

void oracle_text_output(oracle_case *c, const char *form)        /* after one step: type, shape, layout, the step */
{
    char text[1024];
    const tt_fn init = creation(c);
    const tt_mesh mesh = oracle_mesh(c, "mesh");
    const tt_val x = tt_shard(tt_ones(TT_F32, now.batch, now.depth), mesh, "data, _");
    const tt_fn one = tt_jit(tt_bind_env("step", step, &now, sizeof now, 2));
    const tt_fn apply = tt_jit(tt_bind_env("applied", applied, &now, sizeof now, 2), .mesh = mesh, .out = "data, _");
    const tt_val s = tt_call(one, tt_call(init, tt_key(0), x), x), y = tt_call(apply, s, x);
    const char *layout = tt_text(y, oracle_form_of(c, form)), *shape = tt_state_text(y, .form = "shape");
    snprintf(text, sizeof text, "%s\n%s\n%s\n%d\n", tt_dtype_of(y) == TT_F32 ? "float32" : "another type",
             shape ? shape : "", layout ? layout : "(none)", (int)tt_num(tt_item(s, 2)));
    if (tt_ok()) oracle_expect_text(c, text);
}

void oracle_text_box(oracle_case *c, const char *form)
{
    int64_t dim[14];
    oracle_dims(c->params, "value", dim);
    const tt_val v = with_names(oracle_spec(c->params, "names"), tt_shape_at(0, TT_F32, dim));
    const char *text = tt_state_text(v, .form = form);
    if (tt_ok()) oracle_expect_text(c, text);
}

void oracle_text_box_axis(oracle_case *c, const char *form)      /* names with an axis more, or one fewer */
{
    const char *axes = oracle_spec(c->params, "names");
    const int at = (int)oracle_int(c->params, "index", 0);
    const bool add = !strcmp(oracle_text(c->params, "how", "add"), "add");
    axes = add ? tt_names_with(axes, at, oracle_text(c->params, "name", "_")) : tt_names_without(axes, at);
    const char *text = tt_state_text(with_names(axes, tt_shape(TT_F32)), .form = form);
    if (tt_ok()) oracle_expect_text(c, text);
}
