/* oracle/ensemble.c - kinds `ensemble_init`, `ensemble_crc`, `ensemble_steps`, `ensemble_epoch`: the Flax guide's CNNs,
 * one per device. */
#include "kinds.h"

#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tt_val cnn(tt_nn m, tt_val x)
{
    x = tt_relu(tt_conv(m, "Conv_0", x, 32, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_conv(m, "Conv_1", x, 64, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_dense(m, "Dense_0", tt_flatten(x, 1), 256));
    return tt_dense(m, "Dense_1", x, 10);
}

typedef struct { double rate, momentum; } rates;
static tt_val create(tt_val key) { return tt_init(cnn, key, tt_zeros(TT_F32, 1, 28, 28, 1)); }

static tt_val loss(tt_val p, tt_val image, tt_val label)
{
    const tt_val logits = tt_apply(cnn, p, image);
    return tt_tuple(tt_mean(tt_xent(logits, label)), logits);
}

static tt_val begin(void *env, int n, const tt_val *key)
{
    const rates *r = env;
    const tt_val p = create(key[0]);
    (void)n;
    return tt_tuple(p, tt_sgd(p, .rate = r->rate, .momentum = r->momentum), tt_zeros(TT_I32));
}

static tt_val hits(tt_val logits, tt_val label)
{
    const tt_val vote = tt_pmean(tt_softmax(logits), "e");
    return tt_mean(tt_eq(tt_argmax(vote, .dims = "1"), label));
}

/* A state: parameters, the optimizer's state, and how many steps were done, as Flax's TrainState counts them. */
static tt_val step(tt_val s, tt_val image, tt_val label)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, logits, g;
    tt_unpack(tt_call(tt_value_and_grad(loss, .aux = 1), p, image, label), &l, &logits, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o, tt_add(tt_item(s, 2), tt_i(1))), l, hits(logits, label), g);
}

static tt_val test(tt_val s, tt_val image, tt_val label)
{
    tt_val l, logits;
    tt_unpack(loss(tt_item(s, 0), image, label), &l, &logits);
    return tt_tuple(l, hits(logits, label));
}

typedef struct { oracle_case *c; int64_t n; tt_mesh mesh; tt_val rng, keys; rates rates; } run;

static run start(oracle_case *c)
{
    run r = { .c = c, .n = oracle_int(c->params, "n", 8) };
    char mesh[32];
    snprintf(mesh, sizeof mesh, "e:%d", (int)r.n);
    r.mesh = tt_mesh(mesh);
    r.rates = (rates){ oracle_real(c->params, "rate", 0.1), oracle_real(c->params, "momentum", 0.9) };
    tt_set_random_layout(oracle_text(c->params, "layout", NULL));
    const tt_val two = tt_split(tt_key(oracle_int(c->params, "seed", 0)), 2);
    r.rng = tt_take(two, tt_i(0), 0);
    r.keys = tt_split(tt_take(two, tt_i(1), 0), r.n);
    return r;
}

static tt_val begun(run *r)
{
    return tt_call(tt_pmap(tt_bind_env("begin", begin, &r->rates, sizeof r->rates, 1), .mesh = r->mesh, .axis = "e"),
                   r->keys);
}

static const char *out_label(oracle_case *c, int i)
{
    return json_string_value(json_array_get(json_object_get(c->params, "out"), (size_t)i));
}

/* "Conv_0.kernel/spread" of parameters [n, ...]: flat values at a stride of size/61; "/head": the first four. */
static tt_val part_of(run *r, tt_val params, const char *label)
{
    char path[128];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(label, "/"), label);
    const char *what = strchr(label, '/');
    const tt_val v = tt_get(params, path);
    if (!what || !tt_ok()) return v;
    const int64_t size = tt_count(v) / r->n, stride = size / 61 ? size / 61 : 1;
    const tt_val flat = tt_reshape(v, r->n, size);
    return !strcmp(what, "/head") ? tt_slice(flat, 1, 0, 4, 1) : tt_slice(flat, 1, 0, size, stride);
}

void oracle_ensemble_init(oracle_case *c)
{
    run r = start(c);
    const tt_val p = tt_call(tt_pmap(create, .mesh = r.mesh, .axis = "e"), r.keys);
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = out_label(c, i);
        oracle_expect(c, i, !strcmp(label, "keys") ? r.keys : part_of(&r, p, label));
    }
}

/* Of a leaf [n, ...]: the checksum of each device's bytes. */
static tt_val crc_of(run *r, tt_val leaf)
{
    tt_val each[65];
    const int64_t n = r->n < 64 ? r->n : 64;
    for (int64_t i = 0; i < n; i++) each[i] = oracle_crc_of(tt_take(leaf, tt_i(i), 0));
    each[n] = tt_end;
    return tt_stack_values_at(0, 0, each);
}

void oracle_ensemble_crc(oracle_case *c)
{
    run r = start(c);
    const tt_val p = tt_call(tt_pmap(create, .mesh = r.mesh, .axis = "e"), r.keys);
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) oracle_expect(c, i, crc_of(&r, tt_get(p, out_label(c, i))));
}

/* ---- real digits ---- */

typedef struct { data_bytes image, label; data_array i, l; } digits;

static bool load(oracle_case *c, const char *part, digits *d)
{
    const char *root = getenv("TUTTI_DATA");
    char path[2][2048];
    memset(d, 0, sizeof *d);
    if (!root) {
        oracle_skip(c, "MNIST (TUTTI_DATA is not set)");
        return false;
    }
    snprintf(path[0], sizeof path[0], "%s/mnist/%s-images-idx3-ubyte.gz", root, part);
    snprintf(path[1], sizeof path[1], "%s/mnist/%s-labels-idx1-ubyte.gz", root, part);
    return data_slurp(0, path[0], &d->image) && data_idx(0, path[0], d->image, &d->i) &&
           data_slurp(0, path[1], &d->label) && data_idx(0, path[1], d->label, &d->l);
}

static void unload(digits *d) { data_free(&d->image), data_free(&d->label); }

static tt_val pick(const digits *d, int64_t first, const int32_t *index, int64_t n)     /* (images, labels) */
{
    enum { SIZE = 28 * 28 };
    float *x = malloc((size_t)(n * SIZE) * sizeof *x);
    int32_t *y = malloc((size_t)n * sizeof *y);
    for (int64_t k = 0; x && y && k < n; k++) {
        const int64_t at = first + (index ? index[k] : k);
        for (int j = 0; j < SIZE; j++) x[k * SIZE + j] = (float)d->image.p[d->i.at + (size_t)(at * SIZE + j)] / 255.0f;
        y[k] = d->label.p[d->l.at + (size_t)at];
    }
    const tt_val v = tt_tuple(tt_array(TT_F32, x, n, 28, 28, 1), tt_array(TT_I32, y, n));
    free(x);
    free(y);
    return v;
}

static void permuted(run *r, int64_t n, int32_t *order)
{
    const tt_val two = tt_split(r->rng, 2);
    tt_read(tt_permutation(tt_take(two, tt_i(1), 0), tt_i(n)), order, (size_t)n * sizeof *order);
    tt_assign(&r->rng, tt_take(two, tt_i(0), 0));
}

static int64_t range(oracle_case *c, const char *key, int64_t *first)
{
    const json_t *v = json_object_get(c->params, key);
    *first = json_integer_value(json_array_get(v, 0));
    return json_integer_value(json_array_get(v, 1)) - *first;
}

static void expect_named(run *r, int i, tt_val s, const float *losses, const float *hit, int64_t steps, tt_val grad1,
                         const int32_t *order)
{
    oracle_case *c = r->c;
    const char *label = out_label(c, i);
    int64_t dim[14] = { 0 };
    oracle_named_dims(c, oracle_out_name(c, i), dim);
    if (!strcmp(label, "perm_head")) oracle_expect(c, i, tt_array(TT_I32, order, dim[0]));
    else if (!strcmp(label, "losses")) oracle_expect(c, i, tt_array(TT_F32, losses, steps, r->n));
    else if (!strcmp(label, "accuracies")) oracle_expect(c, i, tt_array(TT_F32, hit, steps, r->n));
    else if (!strncmp(label, "grad1.", 6)) oracle_expect(c, i, tt_get(grad1, label + 6));
    else if (!strcmp(label, "step")) oracle_expect(c, i, tt_item(s, 2));
    else oracle_expect(c, i, tt_get(tt_item(s, 0), label));
}

void oracle_ensemble_steps(oracle_case *c)
{
    digits d;
    if (!load(c, "train", &d)) {
        unload(&d);
        return;
    }
    run r = start(c);
    int64_t first;
    const int64_t n = range(c, "train", &first), batch = oracle_int(c->params, "batch", 1),
                  steps = oracle_int(c->params, "steps", 1);
    int32_t *order = malloc((size_t)n * sizeof *order);
    float *losses = calloc((size_t)(steps * r.n), sizeof *losses), *hit = calloc((size_t)(steps * r.n), sizeof *hit);
    const tt_fn fit = tt_pmap(step, .mesh = r.mesh, .axis = "e", .in = "0; _; _", .out = "0", .donate = "0");
    tt_val s = begun(&r), grad1 = tt_none();
    permuted(&r, n, order);
    tt_set_random_layout(NULL);
    for (tt_loop it = tt_steps(steps); tt_next(&it);) {
        const tt_val b = pick(&d, first, order + it.i * batch, batch),
                     out = tt_call(fit, s, tt_item(b, 0), tt_item(b, 1));
        tt_assign(&s, tt_item(out, 0));
        tt_read(tt_item(out, 1), losses + it.i * r.n, (size_t)r.n * sizeof *losses);
        tt_read(tt_item(out, 2), hit + it.i * r.n, (size_t)r.n * sizeof *hit);
        if (it.i == 0) tt_assign(&grad1, tt_item(out, 3));
    }
    for (int i = 0; i < c->nout && tt_ok(); i++) expect_named(&r, i, s, losses, hit, steps, grad1, order);
    free(order);
    free(losses);
    free(hit);
    unload(&d);
}

void oracle_ensemble_epoch(oracle_case *c)
{
    digits train, held;
    if (!load(c, "train", &train)) return;
    if (!load(c, "t10k", &held)) return;
    run r = start(c);
    int64_t first, test_first;
    const int64_t n = range(c, "train", &first), m = range(c, "test", &test_first),
                  batch = oracle_int(c->params, "batch", 1);
    const int64_t epochs = oracle_int(c->params, "epochs", 1), steps = n / batch;
    int32_t *order = malloc((size_t)n * sizeof *order);
    float metrics[64 * 4], *losses = calloc((size_t)(epochs * steps * r.n), sizeof *losses), tested[64 * 64];
    char text[64 * 120] = "";
    const tt_fn fit = tt_pmap(step, .mesh = r.mesh, .axis = "e", .in = "0; _; _", .out = "0", .donate = "0");
    const tt_fn ask = tt_pmap(test, .mesh = r.mesh, .axis = "e", .in = "0; _; _", .out = "0; _");
    tt_val s = begun(&r);
    const tt_val t = pick(&held, test_first, NULL, m);
    for (int64_t e = 0; e < epochs && tt_ok(); e++) {
        double loss_sum = 0, hit_sum = 0;
        permuted(&r, n, order);
        for (tt_loop it = tt_steps(steps); tt_next(&it);) {
            const tt_val b = pick(&train, first, order + it.i * batch, batch),
                         out = tt_call(fit, s, tt_item(b, 0), tt_item(b, 1));
            tt_assign(&s, tt_item(out, 0));
            tt_read(tt_item(out, 1), losses + (e * steps + it.i) * r.n, (size_t)r.n * sizeof *losses);
            loss_sum += losses[(e * steps + it.i) * r.n];
            hit_sum += tt_num(tt_take(tt_item(out, 2), tt_i(0), 0));
        }
        const tt_val out = tt_call(ask, s, tt_item(t, 0), tt_item(t, 1));
        tt_read(tt_item(out, 0), tested + e * r.n, (size_t)r.n * sizeof *tested);
        const float row[4] = { (float)(loss_sum / (double)steps), (float)(hit_sum / (double)steps), tested[e * r.n],
                               (float)tt_num(tt_item(out, 1)) };
        memcpy(metrics + 4 * e, row, sizeof row);
        snprintf(text + strlen(text), 120,
                 "epoch: %2d, train_loss: %.4f, train_accuracy: %.2f, test_loss: %.4f, test_accuracy: %.2f\n",
                 (int)e + 1, (double)row[0], 100 * (double)row[1], (double)row[2], 100 * (double)row[3]);
    }
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = out_label(c, i);
        int64_t dim[14] = { 0 };
        oracle_named_dims(c, oracle_out_name(c, i), dim);
        if (!strcmp(label, "metrics")) oracle_expect(c, i, tt_array(TT_F32, metrics, epochs, 4));
        else if (!strcmp(label, "losses")) oracle_expect(c, i, tt_array_at(0, TT_F32, losses, dim));
        else if (!strcmp(label, "test_losses")) oracle_expect(c, i, tt_array_at(0, TT_F32, tested, dim));
    }
    oracle_expect_log(c, text);
    free(losses);
    free(order);
    unload(&train);
    unload(&held);
}
