/* oracle/keras.c - suite `seeds_keras`: the model of the Keras notebook with given weights, what its parts do by
 * themselves, its training on one device and on several. The model that runs is the environment of bound functions. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t image[3], filters[3], kernels[3], dense, classes, batch;
    double rate;
    int64_t training;
} model;

static model now;                                        /* modules have no environment */
enum { TAPS = 11, VARS = 40 };
static const char *const tap_name[TAPS] = { "conv1", "bn1", "relu1", "conv2", "bn2", "large_k", "bn3", "pool", "dense1",
                                            "drop", "dense2" };
static tt_val tap[TAPS];                                 /* every layer's output, of the last run */
static tt_val kept(const char *name, tt_val v)
{
    for (int i = 0; i < TAPS; i++) if (!strcmp(tap_name[i], name)) tap[i] = v;
    return v;
}

static tt_val convolved(tt_nn m, const char *name, tt_val x, int i, int64_t stride, const char *pad, int no_bias)
{
    const int64_t k = now.kernels[i];
    const tt_conv_opts o = { .size = sizeof o, .window = { k, k }, .stride = { stride, stride }, .pad = pad,
                             .no_bias = no_bias };
    return kept(name, tt_conv_at(0, m, name, x, now.filters[i], &o));
}
static tt_val normed(tt_nn m, const char *name, const char *relu, tt_val x)
{
    return kept(relu, tt_relu(kept(name, tt_batch_norm(m, name, x, .no_scale = 1))));
}

static tt_val net(tt_nn m, tt_val x)
{
    x = tt_mul(x, tt_f(1.0 / 255.0));
    x = normed(m, "bn1", "relu1", convolved(m, "conv1", x, 0, 1, "SAME", 1));
    x = normed(m, "bn2", "relu2", convolved(m, "conv2", x, 1, 2, "VALID", 1));
    x = normed(m, "bn3", "relu3", convolved(m, "large_k", x, 2, 2, "SAME", 0));
    x = kept("pool", tt_mean(x, .dims = "1, 2"));
    x = kept("dense1", tt_relu(tt_dense(m, "dense1", x, now.dense)));
    x = kept("drop", tt_dropout(m, x, now.rate, .name = "drop", .seed = tt_seed(0)));
    return kept("dense2", tt_dense(m, "dense2", x, now.classes));
}

/* (loss, new variables, outputs of the layers) */
static tt_val loss(tt_val vars, tt_val x, tt_val labels)
{
    tt_val y, next = vars, all[TAPS + 1];
    if (now.training) tt_unpack(tt_apply_train(net, vars, x, tt_none()), &y, &next);
    else y = tt_apply(net, vars, x);
    memcpy(all, tap, sizeof tap);
    all[TAPS] = tt_end;
    return tt_tuple(tt_mean(tt_xent(y, labels)), next, tt_tuple_at(0, all));
}
static tt_val differentiated(void *env, int n, const tt_val *a)
{
    (void)n;
    now = *(const model *)env;
    return tt_call(tt_value_and_grad(loss, .aux = 1), a[0], a[1], a[2]);
}
static tt_val step(void *env, int n, const tt_val *a)    /* (variables, Adam), x, labels */
{
    tt_val o = tt_item(a[0], 1), l, next, outs, g;
    (void)n;
    now = *(const model *)env;
    tt_unpack(tt_call(tt_value_and_grad(loss, .aux = 1), tt_item(a[0], 0), a[1], a[2]), &l, &next, &outs, &g);
    tt_opt_step(&next, &o, g);
    return tt_tuple(tt_tuple(next, o), l, g);
}

static void begin(const oracle_case *c)
{
    const json_t *p = json_object_get(c->params, "model");
    memset(&now, 0, sizeof now);
    for (size_t i = 0; i < 3; i++) {
        now.image[i] = json_integer_value(json_array_get(json_object_get(p, "image"), i));
        now.filters[i] = json_integer_value(json_array_get(json_object_get(p, "filters"), i));
        now.kernels[i] = json_integer_value(json_array_get(json_object_get(p, "kernels"), i));
    }
    now.dense = oracle_int(p, "dense", 1), now.classes = oracle_int(p, "classes", 1);
    now.rate = oracle_real(p, "rate", 0.5);
    now.training = oracle_flag(c->params, "training");
    now.batch = oracle_int(c->params, "batch", 1);
}

/* ---- roles ---- */

static const char *role(const oracle_case *c, const char *list, int i)
{
    return json_string_value(json_array_get(json_object_get(c->params, list), (size_t)i));
}
static int place(const oracle_case *c, const char *name)
{
    for (int i = 0; i < c->nin; i++) if (!strcmp(role(c, "args", i), name)) return i;
    return -1;
}
static tt_val given(oracle_case *c, const char *name)
{
    const int i = place(c, name);
    return i < 0 ? tt_fail_at(NULL, TT_EARG, "the case has no input \"%s\"", name) : oracle_in(c, i);
}

/* True if a variable of this name learns. */
static bool learns(const char *name)
{
    return !strstr(name, "moving_") && strncmp(name, "drop.", 5);
}

/* The state of the dropout has a name of its own in some versions; here it is "seed". */
static const char *our_name(const char *name) { return strncmp(name, "drop.", 5) ? name : "drop.seed"; }

/* All variables as the model makes them, with the case's in their places; statistics that it does not give are 0 and
 * 1. */
static tt_val variables(oracle_case *c)
{
    const tt_val x = tt_zeros(TT_F32, 1, now.image[0], now.image[1], now.image[2]);
    tt_val vars = tt_init(net, tt_seed(0), x, .keys = "keras");
    for (int i = 0; i < c->nin && tt_ok(); i++) {
        const char *name = role(c, "args", i);
        if (!strchr(name, '.')) continue;
        const tt_val v = oracle_in(c, i);
        vars = tt_set_at(0, vars, our_name(name), learns(name) ? v : tt_leaf(v, .frozen = 1));
    }
    return vars;
}

/* ---- cases ---- */

void oracle_keras_init(oracle_case *c)
{
    char name[64], form[ORACLE_FORM] = "";
    int64_t dim[14];
    snprintf(name, sizeof name, "keras.%s", c->fn);
    oracle_dims(c->params, "shape", dim);
    oracle_form(json_object_get(c->params, "options"), name, "", form);
    tt_set_random_layout("original");
    oracle_expect(c, 0, tt_init_named_at(0, form, tt_seed(oracle_int(c->params, "seed", 0)), TT_F32, dim));
    tt_set_random_layout(NULL);
}

static void shape_line(char *to, size_t size, const char *what, const char *name, tt_val like)
{
    const size_t at = strlen(to);
    size_t n = at + (size_t)snprintf(to + at, size - at, "%s %s ", what, name);
    for (int d = 0; d < tt_rank(like); d++)
        n += (size_t)snprintf(to + n, size - n, d ? "x%lld" : "%lld", (long long)tt_dim(like, d));
    snprintf(to + n, size - n, "\n");
}

/* The model's variables, those that learn first; then Adam's: the count, the rate, two moments of each that learns. */
void oracle_keras_variables(oracle_case *c)
{
    static char text[16384];
    tt_variable v[VARS];
    *text = 0;
    begin(c);
    const tt_val x = tt_shape(TT_F32, 1, now.image[0], now.image[1], now.image[2]);
    const int n = tt_variables(net, x, VARS, v, .keys = "keras");
    const tt_val vars = tt_init(net, tt_seed(0), tt_zeros(TT_F32, 1, now.image[0], now.image[1], now.image[2]),
                                .keys = "keras");
    const tt_val opt = tt_adam(vars, .keras = 1);
    for (int learn = 1; learn >= 0; learn--)
        for (int i = 0; i < n && i < VARS; i++)
            if (v[i].trainable == learn)
                shape_line(text, sizeof text, learn ? "trainable" : "other", v[i].path, v[i].like);
    if (tt_has(opt, "count")) strcat(text, "optimizer iterations scalar\n");
    if (tt_has(opt, "rate")) strcat(text, "optimizer learning_rate scalar\n");
    for (int i = 0; i < n && i < VARS; i++)
        for (int k = 0; k < 2; k++) {
            char path[600];
            snprintf(path, sizeof path, "%s.%s", k ? "nu" : "mu", v[i].path);
            if (!tt_has(opt, path) || !tt_count(tt_get(opt, path))) continue;
            snprintf(text + strlen(text), 600, "optimizer %s %s\n", k ? "velocity" : "momentum", v[i].path);
        }
    oracle_expect_text(c, text);
}

static tt_val sampled(tt_val v, int64_t stride)
{
    const int64_t n = tt_count(v);
    return tt_slice(tt_reshape(v, n), 0, 0, n, stride);
}

static tt_val dropped(tt_nn m, tt_val x) { return tt_dropout(m, x, now.rate, .name = "drop", .seed = tt_seed(0)); }

/* What the model's dropout keeps of ones in the place of its input, whose own zeros would hide it. */
static tt_val mask_of(tt_val vars, tt_val in)
{
    const tt_val ones = tt_ones(TT_F32, tt_dim(in, 0), tt_dim(in, 1));
    const tt_val own = tt_set(tt_init(dropped, tt_seed(0), ones, .keys = "keras"), "drop", tt_get(vars, "drop"));
    return tt_ne(tt_item(tt_apply_train(dropped, own, ones, tt_none()), 0), tt_f(0));
}

void oracle_keras_forward(oracle_case *c)
{
    begin(c);
    tt_set_random_layout("original");
    const tt_val vars = variables(c);
    tt_val l, next, outs, g;
    const tt_fn f = tt_jit(tt_bind_env("differentiated", differentiated, &now, sizeof now, 3));
    tt_unpack(tt_call(f, vars, given(c, "x"), given(c, "labels")), &l, &next, &outs, &g);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *name = role(c, "outs", i), *of = strchr(name, '.') ? strchr(name, '.') + 1 : "";
        int t = 0;
        while (t < TAPS - 1 && strcmp(tap_name[t], of)) t++;
        tt_val got = !strcmp(name, "loss") ? l : tt_none();
        if (!strncmp(name, "out.", 4)) got = tt_item(outs, t);
        if (!strncmp(name, "sample.", 7)) got = sampled(tt_item(outs, t), oracle_int(c->params, "stride", 37));
        if (!strncmp(name, "new.", 4)) got = tt_get_at(0, next, our_name(of));
        if (!strncmp(name, "d.", 2)) got = tt_get_at(0, g, of);
        if (!strcmp(name, "mask")) got = mask_of(vars, tt_item(outs, 8));
        oracle_expect(c, i, got);
    }
    tt_set_random_layout(NULL);
}

static const json_t *options(const oracle_case *c) { return json_object_get(c->params, "options"); }

static tt_norm_opts bn_options;
static tt_val bn(tt_nn m, tt_val x) { return tt_batch_norm_at(0, m, "bn", x, &bn_options); }

void oracle_keras_bn(oracle_case *c)
{
    const json_t *o = options(c);
    bn_options = (tt_norm_opts){ .size = sizeof bn_options, .momentum = oracle_real(o, "momentum", 0.99),
                                 .given = ".momentum",
                                 .eps = oracle_real(o, "epsilon", 0),
                                 .no_scale = json_is_false(json_object_get(o, "scale")),
                                 .no_bias = json_is_false(json_object_get(o, "center")) };
    const tt_val x = given(c, "x");
    tt_val vars = tt_init(bn, tt_seed(0), tt_take(x, tt_i(0), 0), .keys = "keras"), out[3][65];
    const int n = (int)tt_dim(x, 0) < 64 ? (int)tt_dim(x, 0) : 64;
    for (int i = 0; i < n && tt_ok(); i++) {
        tt_unpack(tt_apply_train(bn, vars, tt_take(x, tt_i(i), 0), tt_none()), &out[0][i], &vars);
        out[1][i] = tt_get(vars, "bn.moving_mean"), out[2][i] = tt_get(vars, "bn.moving_variance");
    }
    for (int i = 0; i < c->nout && i < 3 && tt_ok(); i++) {
        const char *name = role(c, "outs", i);
        const int k = !strcmp(name, "y") ? 0 : !strcmp(name, "moving_mean") ? 1 : 2;
        out[k][n] = tt_end;
        oracle_expect(c, i, tt_stack_values_at(0, 0, out[k]));
    }
}

static struct { double rate; tt_val seed; } dropping;
static tt_val drop(tt_nn m, tt_val x) { return tt_dropout(m, x, dropping.rate, .name = "drop", .seed = dropping.seed); }

void oracle_keras_dropout(oracle_case *c)
{
    int64_t dim[14];
    tt_val out[2][33];
    const int n = (int)oracle_int(c->params, "draws", 1) < 32 ? (int)oracle_int(c->params, "draws", 1) : 32;
    oracle_named_dims(c, oracle_out_name(c, 0), dim);
    dropping.rate = oracle_real(c->params, "rate", 0.5);
    dropping.seed = given(c, "state");
    tt_set_random_layout(oracle_text(c->params, "threefry", "original"));
    const tt_val x = tt_full_at(0, 1, TT_F32, dim + 1);
    tt_val vars = tt_init(drop, tt_seed(0), x, .keys = "keras");
    for (int i = 0; i < n && tt_ok(); i++) {
        tt_unpack(tt_apply_train(drop, vars, x, tt_none()), &out[0][i], &vars);
        out[1][i] = tt_get(vars, "drop.seed");
    }
    out[0][n] = out[1][n] = tt_end;
    for (int i = 0; i < 2 && i < c->nout && tt_ok(); i++)
        oracle_expect(c, i, tt_stack_values_at(0, 0, out[strcmp(role(c, "outs", i), "y") != 0]));
    tt_set_random_layout(NULL);
}

static tt_val adam_step(void *env, int n, const tt_val *a)       /* x, Adam, c, t */
{
    tt_val x = a[0], o = a[1];
    (void)env, (void)n;
    tt_opt_step(&x, &o, tt_mul(a[2], tt_sub(x, a[3])));
    return tt_tuple(x, o);
}

static tt_val numbered(oracle_case *c, char letter)      /* x0, x1, ... as a dict */
{
    tt_val v = tt_dict_n(0, 0, NULL, NULL);
    char name[16], ours[16];
    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "%c%d", letter, i);
        snprintf(ours, sizeof ours, "x%d", i);
        if (place(c, name) < 0) break;
        v = tt_set_at(0, v, ours, given(c, name));
    }
    return v;
}

void oracle_keras_adam(oracle_case *c)
{
    char form[ORACLE_FORM] = "";
    oracle_form(options(c), "keras.Adam", "", form);
    tt_val x = numbered(c, 'x'), o = tt_optimizer(x, form);
    const tt_val scale = numbered(c, 'c'), to = numbered(c, 't');
    const tt_fn one = tt_jit(tt_bind_env("adam_step", adam_step, NULL, 0, 4));
    const int64_t steps = oracle_int(c->params, "steps", 1);
    for (int64_t t = 1; t <= steps && tt_ok(); t++) {
        tt_unpack(tt_call(one, x, o, scale, to), &x, &o);
        for (int i = 0; i < c->nout && tt_ok(); i++) {
            int at, k;
            char path[32];
            const char *name = role(c, "outs", i);
            if (sscanf(name, "step%d.x%d", &at, &k) == 2 && at == t) oracle_expect(c, i, tt_item(x, k));
            if (t < steps || strncmp(name, "end.", 4)) continue;
            snprintf(path, sizeof path, "%s.x%s", name[4] == 'm' ? "mu" : "nu", name + 5);
            oracle_expect(c, i, tt_get_at(0, o, path));
        }
    }
}

static tt_val sparse(tt_val x, tt_val labels) { return tt_mean(tt_xent(x, labels)); }

void oracle_keras_loss(oracle_case *c)
{
    tt_val l, g;
    tt_unpack(tt_call(tt_jit(tt_value_and_grad(sparse)), given(c, "x"), given(c, "labels")), &l, &g);
    for (int i = 0; i < c->nout && tt_ok(); i++) oracle_expect(c, i, strcmp(role(c, "outs", i), "dx") ? l : g);
}

typedef struct { tt_val losses, first, vars; } trained;  /* first: gradients of step 1 */

static trained train(oracle_case *c)
{
    char form[160], mesh[32];
    const int64_t steps = oracle_int(c->params, "steps", 1), devices = oracle_int(c->params, "devices", 1);
    const tt_val images = tt_expand_dims(tt_cast(given(c, "x"), TT_F32), -1),
        labels = tt_cast(given(c, "labels"), TT_I32);
    snprintf(form, sizeof form, "keras.Adam(learning_rate=%.17g, beta_1=%.17g, beta_2=%.17g, epsilon=%.17g)",
             oracle_real(c->params, "lr", 1e-3), oracle_real(c->params, "beta_1", 0.9),
             oracle_real(c->params, "beta_2", 0.999), oracle_real(c->params, "epsilon", 1e-7));
    snprintf(mesh, sizeof mesh, "batch:%d", (int)devices);
    tt_val vars = variables(c), s = tt_tuple(vars, tt_optimizer(vars, form)), first = tt_none();
    const tt_mesh over = tt_mesh(mesh);
    if (devices > 1) s = tt_shard(s, over, "");
    const tt_fn one = tt_jit(tt_bind_env("step", step, &now, sizeof now, 3));
    const tt_data rows = tt_dataset(tt_dict("x", images, "y", labels), .batch = now.batch);
    float *losses = calloc((size_t)steps, sizeof *losses);
    for (tt_loop it = tt_batches(rows); losses && tt_next(&it) && it.i < steps;) {
        tt_val x = tt_get(it.batch, "x");
        if (devices > 1) x = tt_shard(x, over, "batch");
        const tt_val y = tt_get(it.batch, "y"), out = tt_call(one, s, x, y);
        losses[it.i] = (float)tt_num(tt_item(out, 1));
        if (it.i == 0) tt_assign(&first, tt_item(out, 2));
        tt_assign(&s, tt_item(out, 0));
    }
    const trained t = { losses ? tt_array(TT_F32, losses, steps) : tt_none(), first, tt_item(s, 0) };
    free(losses);
    return t;
}

static tt_val named(const trained *t, const char *name)
{
    return !strcmp(name, "loss")          ? t->losses
           : !strncmp(name, "grad1.", 6) ? tt_get_at(0, t->first, name + 6)
                                          : tt_get_at(0, t->vars, our_name(name + 4));
}

void oracle_keras_train(oracle_case *c)
{
    begin(c);
    tt_set_random_layout("original");
    const trained t = train(c);
    for (int i = 0; i < c->nout && tt_ok(); i++) oracle_expect(c, i, named(&t, role(c, "outs", i)));
    tt_set_random_layout(NULL);
}

void oracle_keras_batching(oracle_case *c)
{
    int64_t dim[14];
    const int64_t n = oracle_int(c->params, "n", 1), batch = oracle_int(c->params, "batch", 1);
    const tt_data rows = tt_dataset(tt_arange(TT_I32, n), .batch = batch);
    oracle_named_dims(c, oracle_out_name(c, 0), dim);
    int32_t *range = malloc((size_t)(3 * dim[0]) * sizeof *range), *row = malloc((size_t)batch * sizeof *row);
    int64_t k = 0;
    for (int epoch = 0; epoch < (int)oracle_int(c->params, "epochs", 1); epoch++)
        for (tt_loop it = tt_batches(rows); range && row && tt_next(&it);) {
            if (k == dim[0]) oracle_fail(c, "more than %lld batches", (long long)k);
            if (k == dim[0] || !tt_read(it.batch, row, (size_t)batch * sizeof *row)) break;
            for (int64_t i = 1; i < batch; i++)
                if (row[i] != row[0] + i) oracle_fail(c, "batch %lld is not in order", (long long)k);
            range[3 * k] = epoch, range[3 * k + 1] = row[0], range[3 * k++ + 2] = row[batch - 1];
        }
    if (range && tt_ok()) oracle_expect(c, 0, tt_array(TT_I32, range, k, 3));
    free(range);
    free(row);
}
