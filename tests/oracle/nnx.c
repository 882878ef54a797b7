/* oracle/nnx.c - suite `seeds_nnx`: y = relu(x w1) w2 of the NNX guide, its weights, its training on one device and
 * on a mesh, and a layer that is used twice. Which model runs is the environment of
 * the bound functions; modules, which have none, find it in `now`. */
#include "kinds.h"

#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t depth, batch, steps;
    double rate;
    uint32_t factor;                                     /* of w2's random words */
    tt_mesh mesh;
    char hidden[32], w1[32], w2[32], input[32], layout[32];
} guide;

static guide now;

/* lecun_normal from the words of the key times a factor: an old compiler's fault, kept as a fixture. */
static tt_val from_words(tt_val key, tt_dtype d, const int64_t *dims)
{
    const tt_val words = tt_mul(tt_bits_at(0, key, TT_U32, dims), tt_array(TT_U32, &now.factor));
    const uint32_t nine = 9, one = 0x3f800000;
    const tt_val bits = tt_or(tt_shr(words, tt_array(TT_U32, &nine)), tt_array(TT_U32, &one));
    const tt_val t = tt_sub(tt_bitcast(bits, TT_F32), tt_f(1)), root = tt_cast(tt_f(sqrt(2)), TT_F32);
    const tt_val e = tt_erf(tt_div(tt_cast(tt_f(2), TT_F32), root));
    const tt_val u = tt_max(tt_neg(e), tt_fma(t, tt_broadcast_at(0, tt_add(e, e), dims),
                                              tt_broadcast_at(0, tt_neg(e), dims)));
    const tt_val limit = tt_f((double)nextafterf(2, 0));
    const tt_val x = tt_clamp(tt_neg(limit), tt_mul(root, tt_erf_inv(u)), limit);
    const tt_val variance = tt_cast(tt_f(1 / (double)now.depth), TT_F32);
    return tt_cast(tt_mul(x, tt_div(tt_sqrt(variance), tt_cast(tt_f(.87962566103423978), TT_F32))), d);
}

static tt_val two(tt_nn m, tt_val x)
{
    tt_val y = tt_relu(tt_dense(m, "w1", x, now.depth, .no_bias = 1));
    if (*now.hidden) y = tt_shard(y, now.mesh, now.hidden);
    const int64_t dims[] = { now.depth, now.depth, TT_DIM_END };
    const bool words = now.factor > 1;
    const tt_val w2 = tt_param(m, "w2", dims, .init = words ? NULL : "lecun_normal", .make = words ? from_words : NULL);
    return tt_matmul(y, w2);
}

static tt_val shared(tt_nn m, tt_val x)
{
    x = tt_relu(tt_dense(m, "a", x, now.depth));
    tt_alias(m, "b", "a");
    return tt_dense(m, "b", x, now.depth);
}

static tt_val loss_two(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_square(tt_sub(tt_apply(two, p, x), y))); }
static tt_val loss_shared(tt_val p, tt_val x, tt_val y)
{
    return tt_mean(tt_square(tt_sub(tt_apply(shared, p, x), y)));
}

static tt_val step(tt_f3 *loss, const guide *g, const tt_val *a)         /* (parameters, Adam), input, label */
{
    tt_val p = tt_item(a[0], 0), o = tt_item(a[0], 1), l, d;
    now = *g;
    tt_unpack(tt_call(tt_value_and_grad(loss), p, a[1], a[2]), &l, &d);
    tt_opt_step(&p, &o, d);
    return tt_tuple(tt_tuple(p, o), l);
}
static tt_val step_two(void *env, int n, const tt_val *a) { return (void)n, step(loss_two, env, a); }
static tt_val step_shared(void *env, int n, const tt_val *a) { return (void)n, step(loss_shared, env, a); }

/* ---- cases ---- */

static void copied(const json_t *p, const char *key, char to[32])
{
    const char *s = oracle_notation(oracle_text(p, key, ""));
    memcpy(to, s, strlen(s) < 32 ? strlen(s) : 31);
}

static void begin(const oracle_case *c)
{
    const json_t *p = c->params;
    memset(&now, 0, sizeof now);                         /* its bytes are the identity of functions */
    now.depth = oracle_int(p, "depth", 1);
    now.batch = oracle_int(p, "batch", 1);
    now.steps = oracle_int(p, "steps", 1);
    now.rate = oracle_real(p, "rate", 1e-3);
    now.factor = (uint32_t)oracle_int(p, "w2_word_factor", 1);
    if (oracle_has(p, "mesh")) {
        now.mesh = tt_mesh(oracle_notation(oracle_text(p, "mesh", "")));
        copied(p, "hidden_spec", now.hidden);
        copied(p, "w1_spec", now.w1);
        copied(p, "w2_spec", now.w2);
        copied(p, "input_spec", now.input);
    }
    copied(p, "layout", now.layout);
    tt_set_random_layout(oracle_text(p, "layout", NULL));
}

static tt_val drawn(const oracle_case *c, const char *seed)
{
    return tt_normal(tt_key(oracle_int(c->params, seed, 0)), TT_F32, now.batch, now.depth);
}

static tt_val weights(const oracle_case *c, tt_module *module)
{
    char hidden[32];
    memcpy(hidden, now.hidden, sizeof hidden);
    now.hidden[0] = 0;
    const tt_val v = tt_init(module, tt_key(oracle_int(c->params, "seed", 0)), tt_zeros(TT_F32, now.batch, now.depth),
                             .keys = "nnx");
    memcpy(now.hidden, hidden, sizeof hidden);
    return v;
}

static tt_val part(tt_val w, const char *what)
{
    const int64_t n = now.depth, all = n * n, stride = all / 61 ? all / 61 : 1, most = n < 8 ? n : 8;
    if (!strcmp(what, "spread")) return tt_slice(tt_reshape(w, all), 0, 0, all, stride);
    if (!strcmp(what, "row0")) return tt_slice(tt_take(w, tt_i(0), 0), 0, 0, most, 1);
    if (!strcmp(what, "last")) return tt_slice(tt_take(w, tt_i(n - 1), 0), 0, n - most, n, 1);
    return tt_fail_at(NULL, TT_EARG, "no part \"%s\" of a weight", what);
}

/* "w1_row0", "w2": of a tree with w1.kernel and w2. */
static tt_val named(tt_val vars, const char *label)
{
    const tt_val w = label[1] == '1' ? tt_get(vars, "w1.kernel") : tt_get(vars, "w2");
    return label[2] ? part(w, label + 3) : w;
}

void oracle_nnx_weights(oracle_case *c)
{
    begin(c);
    const tt_val vars = weights(c, two);
    for (int i = 0; i < c->nout && tt_ok(); i++) oracle_expect(c, i, named(vars, oracle_label(c, i)));
    tt_set_random_layout(NULL);
}

void oracle_nnx_crc(oracle_case *c)
{
    begin(c);
    const tt_val vars = weights(c, two);
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const tt_val w = oracle_label(c, i)[1] == '1' ? tt_get(vars, "w1.kernel") : tt_get(vars, "w2");
        oracle_expect(c, i, oracle_crc_of(w));
    }
}

void oracle_nnx_forward(oracle_case *c)
{
    begin(c);
    const tt_val vars = weights(c, two), x = drawn(c, "input_seed"), y = drawn(c, "label_seed");
    tt_set_random_layout(NULL);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = oracle_label(c, i);
        oracle_expect(c, i, *label == 'x' ? x : *label == 'y' ? y : tt_apply(two, vars, x));
    }
}

typedef struct { tt_val params, losses; } trained;
static trained train(tt_env_f *f, tt_val params, tt_val x, tt_val y)
{
    float *loss = calloc((size_t)now.steps, sizeof *loss);
    tt_val s = tt_tuple(params, tt_adam(params, .rate = now.rate));
    const tt_fn one = tt_jit(tt_bind_env("step", f, &now, sizeof now, 3));
    for (tt_loop it = tt_steps(now.steps); tt_next(&it);) {
        const tt_val out = tt_call(one, s, x, y);
        loss[it.i] = (float)tt_num(tt_item(out, 1));
        tt_assign(&s, tt_item(out, 0));
    }
    const trained t = { tt_item(s, 0), tt_array(TT_F32, loss, now.steps) };
    free(loss);
    return t;
}

void oracle_nnx_train(oracle_case *c)
{
    begin(c);
    tt_val vars = weights(c, two), x = drawn(c, "input_seed"), y = drawn(c, "label_seed");
    tt_set_random_layout(NULL);
    if (now.mesh.p) {
        vars = tt_set(vars, "w1.kernel", tt_shard(tt_get(vars, "w1.kernel"), now.mesh, now.w1));
        vars = tt_set(vars, "w2", tt_shard(tt_get(vars, "w2"), now.mesh, now.w2));
        x = tt_shard(x, now.mesh, now.input), y = tt_shard(y, now.mesh, now.input);
    }
    const trained t = train(step_two, vars, x, y);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = oracle_label(c, i);
        oracle_expect(c, i, *label == 'l' ? t.losses : named(t.params, label));
    }
}

void oracle_nnx_tied(oracle_case *c)
{
    begin(c);
    const tt_val vars = weights(c, shared), x = drawn(c, "input_seed"), y = drawn(c, "label_seed");
    tt_set_random_layout(NULL);
    const trained t = train(step_shared, vars, x, y);
    for (int i = 0; i < c->nout && tt_ok(); i++) {
        const char *label = oracle_label(c, i);
        const tt_val got = !strcmp(label, "kernel0")  ? tt_get(vars, "a.kernel")
                           : !strcmp(label, "losses") ? t.losses
                           : !strcmp(label, "kernel") ? tt_get(t.params, "a.kernel")
                                                      : tt_get(t.params, "a.bias");
        oracle_expect(c, i, got);
    }
}
