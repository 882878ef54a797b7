/* oracle/linen_guide.c - suite `seeds_linen`: the stack of z = relu(x W1) W2 of the Linen partitioning guide,
 * scanned or unrolled; its weights, gradients and training on one device and on a mesh. */
#include "kinds.h"

#include "nn/nn.h"

#include <stdio.h>
#include <string.h>

enum { LAYERS = 64 };
typedef struct {
    int64_t batch, layers, depth, hidden, seed, input_seed, steps;
    double rate;
    tt_mesh mesh;
    char w1[32], w2[32], x[32], layout[16];
    int64_t scan, ones;
} guide;

static guide now;                                        /* modules have no environment */

static tt_val block(tt_nn m, tt_val x)
{
    const int64_t in[] = { now.depth, now.hidden, TT_DIM_END }, out[] = { now.hidden, now.depth, TT_DIM_END };
    const tt_val y = tt_relu(tt_matmul(x, tt_param(m, "W1", in, .init = "xavier_normal")));
    return tt_matmul(y, tt_param(m, "W2", out, .init = "xavier_normal"));
}

static tt_val stack(tt_nn m, tt_val x)
{
    char name[40];
    if (now.scan) return tt_stack(m, "ScanDotReluDot_0", block, now.layers, x);
    for (int64_t i = 0; i < now.layers && tt_ok(); i++) {
        snprintf(name, sizeof name, "DotReluDot_%d", (int)i);
        x = tt_sub_module(m, name, block, x);
    }
    return x;
}

static tt_val loss(tt_val p, tt_val x) { return tt_sum(tt_apply(stack, p, x)); }

static tt_val apply(void *env, int n, const tt_val *a)
{
    (void)n;
    now = *(const guide *)env;
    return tt_apply(stack, a[0], a[1]);
}
static tt_val gradient(void *env, int n, const tt_val *a)
{
    (void)n;
    now = *(const guide *)env;
    return tt_call(tt_grad(loss), a[0], a[1]);
}
static tt_val step(void *env, int n, const tt_val *a)    /* (parameters, Adam, step), x */
{
    tt_val p = tt_item(a[0], 0), o = tt_item(a[0], 1);
    (void)n;
    now = *(const guide *)env;
    tt_opt_step(&p, &o, tt_call(tt_grad(loss), p, a[1]));
    return tt_tuple(p, o, tt_add(tt_item(a[0], 2), tt_i(1)));
}
static tt_fn bound(const char *name, tt_env_f *f) { return tt_jit(tt_bind_env(name, f, &now, sizeof now, 2)); }

/* ---- cases ---- */

static void copied(const json_t *p, const char *key, char *to, size_t size)
{
    const char *s = oracle_notation(oracle_text(p, key, ""));
    memcpy(to, s, strlen(s) < size ? strlen(s) : size - 1);
}

static void begin(const oracle_case *c)
{
    const json_t *p = c->params;
    memset(&now, 0, sizeof now);
    now.batch = oracle_int(p, "batch", 1), now.layers = oracle_int(p, "layers", 1);
    now.depth = oracle_int(p, "depth", 1), now.hidden = oracle_int(p, "hidden", 1);
    now.seed = oracle_int(p, "seed", 0), now.input_seed = oracle_int(p, "input_seed", 0);
    now.steps = oracle_int(p, "steps", 1), now.rate = oracle_real(p, "rate", 1e-3);
    now.scan = !strcmp(oracle_text(p, "stack", "scan"), "scan");
    now.ones = !strcmp(oracle_text(p, "input", "normal"), "ones");
    if (oracle_has(p, "mesh")) {
        now.mesh = tt_mesh(oracle_notation(oracle_text(p, "mesh", "")));
        copied(p, "w1_spec", now.w1, sizeof now.w1);
        copied(p, "w2_spec", now.w2, sizeof now.w2);
        copied(p, "x_spec", now.x, sizeof now.x);
    }
    copied(p, "layout", now.layout, sizeof now.layout);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
}

static tt_val input(void)
{
    const tt_val x = now.ones ? tt_ones(TT_F32, now.batch, now.depth)
                              : tt_normal(tt_key(now.input_seed), TT_F32, now.batch, now.depth);
    return now.mesh.p ? tt_shard(x, now.mesh, now.x) : x;
}

/* The leaf W1 or W2 of each layer, stacked on axis 0 in both forms. */
static tt_val weight(tt_val vars, int which)
{
    tt_val leaf[LAYERS + 1];
    char path[48];
    snprintf(path, sizeof path, "ScanDotReluDot_0.W%d", which);
    if (now.scan) return tt_get(vars, path);
    for (int i = 0; i < (int)now.layers && i < LAYERS; i++) {
        snprintf(path, sizeof path, "DotReluDot_%d.W%d", i, which);
        leaf[i] = tt_get(vars, path);
    }
    leaf[now.layers < LAYERS ? now.layers : LAYERS] = tt_end;
    return tt_stack_values_at(0, 0, leaf);
}

static tt_val laid(tt_val vars)                          /* every W1 and W2 by its spec */
{
    tt_val leaf[2 * LAYERS];
    const int n = tt_tree_leaves(vars, 2 * LAYERS, leaf);
    for (int i = 0; now.mesh.p && i < n && i < 2 * LAYERS; i++) {
        const char *path = tt_leaf_path(vars, i);
        leaf[i] = tt_shard(leaf[i], now.mesh, path[strlen(path) - 1] == '1' ? now.w1 : now.w2);
    }
    return now.mesh.p ? tt_tree_unflatten(vars, n, leaf) : vars;
}

static tt_val weights(void)
{
    return tt_init(stack, tt_key(now.seed), tt_zeros(TT_F32, now.batch, now.depth));
}

/* "w1_head", "grad_w2", "mu_w1", "w2_spread": of the leaves of a tree. */
static tt_val named(tt_val vars, const char *label)
{
    const char *w = strstr(label, "w1") ? strstr(label, "w1") : strstr(label, "w2");
    const tt_val v = weight(vars, w && w[1] == '2' ? 2 : 1);
    if (!w || !w[2]) return v;
    const int64_t cols = tt_dim(v, 2), size = tt_dim(v, 1) * cols, stride = size / 61 ? size / 61 : 1;
    if (!strcmp(w + 2, "_spread")) return tt_slice(tt_reshape(v, now.layers, size), 1, 0, size, stride);
    return tt_slice(tt_reshape(tt_slice(v, 1, 0, 1, 1), now.layers, cols), 1, 0, cols < 8 ? cols : 8, 1);
}

/* Which number of the scanned scope's counter gave a weight: the key of layer 0 with each number in turn. */
static int drawn_as(tt_val w, int64_t rows, int64_t cols)
{
    const int64_t dims[] = { rows, cols, TT_DIM_END };
    const tt_val root = tt_take(tt_split(tt_key(now.seed), now.layers), tt_i(0), 0), first = tt_take(w, tt_i(0), 0);
    for (int count = 1; count <= 8; count++) {
        const tt_val key = tt_fold_in(root, tt_i((int64_t)nn_hash("ScanDotReluDot_0", count)));
        const tt_val far = tt_amax(tt_abs(tt_sub(tt_init_named_at(0, "xavier_normal", key, TT_F32, dims), first)));
        if (tt_num(far) <= 1e-6) return count;
    }
    return 0;
}

void oracle_linen_weights(oracle_case *c)
{
    begin(c);
    const tt_val vars = weights();
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = oracle_label(c, i);
        if (strcmp(label, "draw_counts")) {
            oracle_expect(c, i, named(vars, label));
            continue;
        }
        const int32_t counts[] = { drawn_as(weight(vars, 1), now.depth, now.hidden),
                                   drawn_as(weight(vars, 2), now.hidden, now.depth) };
        oracle_expect(c, i, tt_array(TT_I32, counts, 2));
    }
    tt_set_random_layout(NULL);
}

void oracle_linen_crc(oracle_case *c)
{
    begin(c);
    const tt_val vars = weights();
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        tt_val crc[LAYERS + 1];
        const tt_val w = weight(vars, oracle_label(c, i)[1] - '0');
        for (int l = 0; l < (int)now.layers; l++) crc[l] = oracle_crc_of(tt_take(w, tt_i(l), 0));
        crc[now.layers] = tt_end;
        oracle_expect(c, i, tt_stack_values_at(0, 0, crc));
    }
}

void oracle_linen_forward(oracle_case *c)
{
    begin(c);
    const tt_val vars = laid(weights()), x = input();
    tt_set_random_layout(NULL);
    const tt_val y = tt_call(bound("apply", apply), vars, x), g = tt_call(bound("gradient", gradient), vars, x);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = oracle_label(c, i);
        oracle_expect(c, i, !strcmp(label, "output") ? y : named(g, label));
    }
}

void oracle_linen_train(oracle_case *c)
{
    begin(c);
    const tt_val vars = laid(weights()), x = input();
    tt_set_random_layout(NULL);
    tt_val out[65], s = tt_tuple(vars, tt_adam(vars, .rate = now.rate), tt_i(0));
    for (int64_t i = 0; i < now.steps && i < 64 && tt_ok(); i++) {
        s = tt_call(bound("step", step), s, x);
        out[i] = tt_call(bound("apply", apply), tt_item(s, 0), x);
    }
    out[now.steps < 64 ? now.steps : 64] = tt_end;
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = oracle_label(c, i);
        const tt_val got = !strcmp(label, "outputs") ? tt_stack_values_at(0, 0, out)
                           : !strcmp(label, "step")  ? tt_item(s, 2)
                           : !strcmp(label, "count") ? tt_get(tt_item(s, 1), "count")
                           : !strncmp(label, "mu_", 3) ? named(tt_get(tt_item(s, 1), "mu"), label)
                                                       : named(tt_item(s, 0), label);
        oracle_expect(c, i, got);
    }
}
