/* oracle/torch.c - kinds `dp_chunks`, `data_parallel`, `resnet18`: PyTorch's pieces of a batch, its DataParallel, and
 * a ResNet-18. PyTorch's weights ((out, in), OIHW) are turned within the differentiated function; images are NCHW
 * there. */
#include "layers/layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oracle_dp_chunks(oracle_case *c)
{
    int32_t size[64];
    const tt_val rows = tt_arange(TT_I32, oracle_int(c->params, "batch", 0));
    const tt_val pieces = tt_chunk(rows, oracle_int(c->params, "replicas", 1), 0);
    const int n = tt_items(pieces);
    for (int i = 0; i < n && i < 64; i++) size[i] = (int32_t)tt_dim(tt_item(pieces, i), 0);
    oracle_expect(c, 0, tt_array(TT_I32, size, n));
}

/* ---- a case: names and values of its parameters, its network ---- */

enum { PARAMS = 80 };
typedef struct {
    oracle_case *c; const json_t *p;
    int n, replicas; const char *name[PARAMS]; tt_val value[PARAMS + 1];
} net;
static const net *now;

static const char *role_of(const oracle_case *c, const char *list, int i)
{
    return json_string_value(json_array_get(json_object_get(c->params, list), (size_t)i));
}

/* Statistics begin as 0 and 1; a batch norm's weights name the module that has them. */
static tt_val with_param(tt_val vars, const char *name, tt_val v)
{
    char at[128];
    const size_t n = strlen(name) - strlen(strrchr(name, '.'));
    const bool weight = !strcmp(name + n, ".weight"), norm = tt_rank(v) == 1 && weight;
    if (tt_rank(v) == 4) v = tt_transpose(v, 2, 3, 1, 0);
    else if (tt_rank(v) == 2) v = tt_transpose(v, 1, 0);
    snprintf(at, sizeof at, "%.*s.%s", (int)n, name, !weight ? "bias" : norm ? "scale" : "kernel");
    vars = tt_set_at(0, vars, at, v);
    if (!norm) return vars;
    snprintf(at, sizeof at, "%.*s.mean", (int)n, name);
    vars = tt_set_at(0, vars, at, tt_zeros(TT_F32, tt_dim(v, 0)));
    snprintf(at, sizeof at, "%.*s.var", (int)n, name);
    return tt_set_at(0, vars, at, tt_ones(TT_F32, tt_dim(v, 0)));
}

static tt_val vars_of(tt_val params)
{
    tt_val vars = tt_dict_n(0, 0, NULL, NULL);
    for (int i = 0; i < now->n; i++) vars = with_param(vars, now->name[i], tt_item(params, i));
    return vars;
}

static tt_val mlp(tt_nn m, tt_val x)
{
    const tt_norm_opts o = { .size = sizeof o, .momentum = 0.9, .unbiased = 1 };
    x = tt_dense(m, "l1", x, oracle_int(now->p, "hidden", 1));
    if (oracle_flag(now->p, "batch_norm")) x = tt_batch_norm_at(0, m, "bn", x, &o);
    return tt_dense(m, "l2", tt_relu(x), tt_dim(now->value[2], 0));
}

static tt_val blocks(tt_nn m, tt_val x)
{
    const int64_t width = oracle_int(now->p, "width", 1);
    for (int i = 0; i < 8; i++) {
        const char name[2] = { (char)('0' + i), 0 };
        x = tt_res_block(m, name, x, width << i / 2, .stride = i && i % 2 == 0 ? 2 : 1, .bias = 1, .plain_skip = 1,
                         .pad = "1:1, 1:1", .norm = { .momentum = 0.9, .unbiased = 1 });
    }
    return x;
}
static tt_val resnet(tt_nn m, tt_val x)
{
    const tt_norm_opts o = { .size = sizeof o, .momentum = 0.9, .unbiased = 1 };
    x = tt_conv(m, "stem", x, oracle_int(now->p, "width", 1), .window = { 3, 3 }, .pad = "1:1, 1:1");
    x = tt_sub_module(m, "blocks", blocks, tt_relu(tt_batch_norm_at(0, m, "stem_bn", x, &o)));
    return tt_dense(m, "fc", tt_mean(x, .dims = "1, 2"), oracle_int(now->p, "classes", 1));
}

/* (loss, logits, variables with new statistics): each piece by its own statistics; replica 0's are kept. */
static tt_val loss(tt_val params, tt_val x, tt_val labels)
{
    const bool deep = !strcmp(now->c->fn, "resnet18"), train = !deep || oracle_flag(now->p, "train");
    const tt_val vars = vars_of(params), pieces = tt_chunk(x, now->replicas, 0);
    tt_val y[64], kept = vars;
    const int n = tt_items(pieces);
    for (int i = 0; i < n; i++) {
        const tt_val piece = tt_item(pieces, i);
        const tt_val out = train ? tt_apply_train(deep ? resnet : mlp, vars, piece, tt_key(0))
                                 : tt_tuple(tt_apply(deep ? resnet : mlp, vars, piece), vars);
        y[i] = tt_item(out, 0);
        if (!i) kept = tt_item(out, 1);
    }
    y[n] = tt_end;
    const tt_val logits = tt_concat_at(0, 0, y);
    return tt_tuple(tt_mean(tt_xent(logits, labels)), logits, kept);
}

static tt_val loss_of(void *env, int n, const tt_val *a)
{
    (void)env, (void)n;
    return loss(a[0], a[1], a[2]);
}

/* "new.bn.running_var" of the variables */
static tt_val statistic(const char *name, tt_val vars)
{
    char at[128];
    const char *dot = strrchr(name, '.');
    snprintf(at, sizeof at, "%.*s.%s", (int)(dot - name), name, strstr(dot, "mean") ? "mean" : "var");
    return tt_get_at(0, vars, at);
}

static void compare(net *k, tt_val first, tt_val losses)
{
    for (int i = 0; i < k->c->nout && tt_ok(); i++) {
        const char *role = role_of(k->c, "outs", i);
        const bool sample = !strncmp(role, "sample.", 7);
        if (!strcmp(role, "y")) oracle_expect(k->c, i, tt_item(first, 1));
        else if (!strcmp(role, "loss")) oracle_expect(k->c, i, losses);
        else if (strstr(role, "num_batches"))
            oracle_not_compared(k->c, "num_batches_tracked", "Tutti's batch norms do not count batches");
        else if (!strncmp(role, "new.", 4)) oracle_expect(k->c, i, statistic(role + 4, tt_item(first, 2)));
        else for (int j = 0; j < k->n; j++) {
            if (strcmp(k->name[j], role + (sample ? 9 : 2))) continue;
            tt_val g = tt_item(tt_item(first, 3), j);
            const int64_t n = tt_count(g), by = n / 60 > 1 ? n / 60 : 1;
            if (sample) g = tt_slice(tt_flatten(g, 0), 0, 0, n, by);
            oracle_expect(k->c, i, g);
        }
    }
}

/* Steps of plain SGD; what is compared is of the first, but for the losses. */
static void train(net *k, tt_val x, tt_val labels, int steps, double rate)
{
    const json_t *id = k->c->json;
    tt_val first = tt_none(), loss_at[65], params = tt_tuple_at(0, k->value);
    const tt_fn f = tt_jit(tt_value_and_grad(tt_bind_env("loss", loss_of, &id, sizeof id, 3), .aux = 1));
    now = k;
    for (int s = 0; s < steps && tt_ok(); s++) {
        const tt_val out = tt_call(f, params, x, labels);
        if (!s) first = out;
        loss_at[s] = tt_item(out, 0);
        params = tt_sub(params, tt_mul(tt_f(rate), tt_item(out, 3)));
    }
    loss_at[steps] = tt_end;
    if (tt_ok()) compare(k, first, strcmp(k->c->fn, "resnet18") ? loss_at[0] : tt_stack_values_at(0, 0, loss_at));
}

void oracle_data_parallel(oracle_case *c)
{
    net k = { .c = c, .p = c->params, .n = c->nin - 2, .replicas = (int)oracle_int(c->params, "replicas", 1) };
    for (int i = 0; i < k.n && i < PARAMS; i++) k.name[i] = role_of(c, "args", i + 2), k.value[i] = oracle_in(c, i + 2);
    k.value[k.n] = tt_end;
    train(&k, oracle_in(c, 0), oracle_in(c, 1), 1, 0);
}

/* Weights that any language can make, as KINDS.md says. */
static tt_val hashed(int64_t index, const char *name, const int64_t *dim, int rank)
{
    int64_t n = 1, fan = 1;
    for (int i = 0; i < rank; i++) n *= dim[i], fan *= i ? dim[i] : 1;
    float *x = malloc((size_t)n * sizeof *x);
    if (!x) return tt_fail_at(NULL, TT_EMEM, "no memory for %s", name);
    const float scale = rank == 1 ? 0.2f : (float)(4.9 / sqrt((double)fan));
    const float shift = rank == 1 && strstr(name, "bn") && strstr(name, "weight") ? 1 : 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)(2654435761ull * (uint64_t)i + 40503ull * (uint64_t)index + 12345);
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        x[i] = ((float)(h >> 8) / 16777216.0f - 0.5f) * scale + shift;
    }
    const tt_val v = tt_array_at(0, TT_F32, x, dim);
    free(x);
    return v;
}

void oracle_resnet18(oracle_case *c)
{
    net k = { .c = c, .p = c->params, .replicas = 1 };
    const char *name;
    json_t *shape;
    json_object_foreach(json_object_get(c->params, "shapes"), name, shape) {
        int64_t dim[14];
        const int rank = oracle_dims(json_object_get(c->params, "shapes"), name, dim);
        (void)shape;
        k.name[k.n] = name;
        k.value[k.n] = c->nin > 2 ? oracle_in(c, k.n + 2)
                                  : hashed(oracle_int(c->params, "first_index", 0) + k.n, name, dim, rank);
        if (++k.n == PARAMS) break;
    }
    k.value[k.n] = tt_end;
    train(&k, tt_transpose(oracle_in(c, 0), 0, 2, 3, 1), oracle_in(c, 1), (int)oracle_int(c->params, "steps", 1),
          oracle_real(c->params, "lr", 0));
}
