/* bench/guides.c - training steps of the Keras guide (W3: its CNN on moving statistics, Adam, batch 64) and of the
 * data-parallel guide (W4: a classifier 784-512-10, batch 128 in four minibatches, AdamW): all parameters on every
 * device (dp) or a slice of each (fsdp), products in f32 or bf16.
 *
 * usage: guides [ROUNDS]. On eight devices the global work is that of one. Medians, after the machine's own limits in
 * the same round.
 */
#include "jobs.h"

enum { PICTURES = 64, BATCH = 128, INPUT = 784, HIDDEN = 512, CLASSES = 10, MINIBATCHES = 4, LEAST = 16 };

/* ---- W3 ---- */

static tt_val keras(tt_nn m, tt_val x)
{
    x = tt_mul(x, tt_f(1.0 / 255.0));
    x = tt_conv(m, "c1", x, 12, .window = { 3, 3 }, .no_bias = 1);
    x = tt_relu(tt_batch_norm(m, "n1", x, .no_scale = 1));
    x = tt_conv(m, "c2", x, 24, .window = { 6, 6 }, .stride = { 2, 2 }, .pad = "VALID", .no_bias = 1);
    x = tt_relu(tt_batch_norm(m, "n2", x, .no_scale = 1));
    x = tt_conv(m, "c3", x, 32, .window = { 6, 6 }, .stride = { 2, 2 });
    x = tt_relu(tt_batch_norm(m, "n3", x, .no_scale = 1));
    x = tt_relu(tt_dense(m, "d1", tt_mean(x, .dims = "1, 2"), 256));
    return tt_dense(m, "d2", tt_dropout(m, x, 0.5), 10);
}
static tt_val keras_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(keras, p, x), y)); }
static tt_val keras_create(tt_val key, tt_val x)
{
    const tt_val p = tt_init(keras, key, x);
    return tt_tuple(p, tt_adam(p, .rate = 1e-3));
}
static tt_val keras_step(tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), l, g;
    tt_unpack(tt_call(tt_value_and_grad(keras_loss), p, x, y), &l, &g);
    tt_opt_step(&p, &o, g);
    return tt_tuple(tt_tuple(p, o), l);
}

/* ---- W4: the state is (parameters, optimizer's, key); "data" is a manual axis, also where it has one device ---- */

static tt_val net(tt_nn m, tt_val x, tt_dtype dtype)
{
    x = tt_dropout(m, tt_silu(tt_dense(m, "input", x, HIDDEN, .dtype = dtype)), 0.1);
    return tt_cast(tt_dense(m, "output", x, CLASSES, .dtype = dtype), TT_F32);
}
static tt_val f32_dp(tt_nn m, tt_val x) { return net(m, x, TT_F32); }
static tt_val bf16_dp(tt_nn m, tt_val x) { return net(m, x, TT_BF16); }
static tt_val slices(tt_val p) { return tt_shard_params(p, "data", LEAST); }
static tt_val whole(tt_val p) { return tt_gather_params(p, "data"); }
static tt_val f32_fsdp(tt_nn m, tt_val x) { return tt_with_params(m, whole, slices, f32_dp, x); }
static tt_val bf16_fsdp(tt_nn m, tt_val x) { return tt_with_params(m, whole, slices, bf16_dp, x); }

static tt_val create(tt_module *model, tt_val key, tt_val x)
{
    const tt_val keys = tt_split(key, 2), p = tt_init(model, tt_take(keys, tt_i(0), 0), x);
    return tt_tuple(p, tt_adamw(p, .rate = 1e-3), tt_take(keys, tt_i(1), 0));
}
static tt_val loss_of(tt_module *model, tt_val p, tt_val batch, tt_val key)
{
    const tt_val logits = tt_item(tt_apply_train(model, p, tt_item(batch, 0), tt_fold_in_axis(key, "data")), 0);
    const tt_val label = tt_item(batch, 1), loss = tt_xent(logits, label);
    return tt_tuple(tt_mean(loss), tt_tuple(tt_sum(loss),
                                            tt_sum(tt_cast(tt_eq(tt_argmax(logits, .dims = "1"), label), TT_I32))));
}
static tt_val step(tt_val (*loss)(tt_val, tt_val, tt_val), int sliced, tt_val s, tt_val x, tt_val y)
{
    tt_val p = tt_item(s, 0), o = tt_item(s, 1), grads, sums;
    const tt_val keys = tt_split(tt_item(s, 2), 2);
    tt_unpack(tt_accumulate(loss, MINIBATCHES, p, tt_tuple(x, y), tt_take(keys, tt_i(1), 0)), &grads, &sums);
    grads = sliced ? tt_sync_grads(grads, "data") : tt_pmean(grads, "data");
    tt_opt_step(&p, &o, grads);
    sums = tt_psum(sums, "data");
    return tt_tuple(tt_tuple(p, o, tt_take(keys, tt_i(0), 0)), tt_div(tt_item(sums, 0), tt_f(BATCH)));
}
#define NET(net, sliced) \
    static tt_val net##_loss(tt_val p, tt_val b, tt_val key) { return loss_of(net, p, b, key); } \
    static tt_val net##_create(tt_val key, tt_val x) { return create(net, key, x); } \
    static tt_val net##_step(tt_val s, tt_val x, tt_val y) { return step(net##_loss, sliced, s, x, y); }
NET(f32_dp, 0)
NET(bf16_dp, 0)
NET(f32_fsdp, 1)
NET(bf16_fsdp, 1)

int main(int argc, char **argv)
{
    const int rounds = jobs_rounds(argc, argv, 10);
    const tt_mesh one = tt_mesh("data:1"), rows = tt_mesh("data:8");
    const tt_val k = tt_key(0), image = tt_mul(tt_uniform(tt_key(1), TT_F32, PICTURES, 28, 28, 1), tt_f(255));
    const tt_val digit = tt_randint(tt_key(2), TT_I32, tt_i(0), tt_i(10), PICTURES);
    const tt_val x = tt_normal(tt_key(3), TT_F32, BATCH, INPUT);
    const tt_val y = tt_randint(tt_key(4), TT_I32, tt_i(0), tt_i(CLASSES), BATCH);
#define GUIDE(name, n, net, on, spec) \
    { .work = name, .devices = n, \
        .create = tt_jit(tt_shard_map(net##_create, .mesh = on, .in = "_; data", .out = spec, .unchecked = 1)), \
        .step = tt_jit(tt_shard_map(net##_step, .mesh = on, .in = spec "; data; data", .out = spec "; _", \
                                    .unchecked = 1), \
            .donate = "0"), .key = k, .x = tt_shard(x, on, "data"), .y = tt_shard(y, on, "data"), \
        .flops = 6.0 * BATCH * HIDDEN * (INPUT + CLASSES) }
    job jobs[] = {
        { .work = "W3 keras cnn", .devices = 1, .create = tt_jit(keras_create),
            .step = tt_jit(keras_step, .donate = "0"),
            .key = k, .x = image, .y = digit, .flops = 0.98e9 },
        { .work = "W3 keras cnn", .devices = 8, .create = tt_jit(keras_create, .mesh = rows),
            .step = tt_jit(keras_step, .mesh = rows, .donate = "0"), .key = k, .x = tt_shard(image, rows, "data"),
            .y = tt_shard(digit, rows, "data"), .flops = 0.98e9 },
        GUIDE("W4 dp f32", 1, f32_dp, one, "_"), GUIDE("W4 dp f32", 8, f32_dp, rows, "_"),
        GUIDE("W4 dp bf16", 1, bf16_dp, one, "_"), GUIDE("W4 dp bf16", 8, bf16_dp, rows, "_"),
        GUIDE("W4 fsdp f32", 8, f32_fsdp, rows, "@"), GUIDE("W4 fsdp bf16", 8, bf16_fsdp, rows, "@"),
    };
    jobs_run(jobs, (int)(sizeof jobs / sizeof *jobs), rounds);
    return tt_done();
}
