/* keras_dp.c - "Multi-GPU distributed training with JAX" of Keras: one model on two devices, its batches cut over
 * them, and a training loop of one's own.
 *
 * keras_dp [training [images [epochs [seed]]]]. As the guide trains, `training` is off: it never says training=True,
 * so Keras takes the moving statistics, which stay 0 and 1, and drops nothing. 1 switches it on. Two devices of this
 * process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

static int64_t training, limit, num_epochs = 2, seed = 1;
enum { batch_size = 64, num_devices = 2 };
TT_RECORD(train_state, variables, optimizer);       /* the variables that do not learn are among them, marked so */

/* A convolutional net with batch normalization and dropout. Layers without a name get Keras's. */
static tt_val get_model(tt_nn m, tt_val x)
{
    x = tt_called(m, "Rescaling", tt_mul(x, tt_f(1.0 / 255.0)));
    x = tt_conv(m, NULL, x, 12, .window = { 3, 3 }, .no_bias = 1);
    x = tt_called(m, "ReLU", tt_relu(tt_batch_norm(m, NULL, x, .no_scale = 1)));
    x = tt_conv(m, NULL, x, 24, .window = { 6, 6 }, .stride = { 2, 2 }, .pad = "VALID", .no_bias = 1);
    x = tt_called(m, "ReLU", tt_relu(tt_batch_norm(m, NULL, x, .no_scale = 1)));
    x = tt_conv(m, "large_k", x, 32, .window = { 6, 6 }, .stride = { 2, 2 });
    x = tt_called(m, "ReLU", tt_relu(tt_batch_norm(m, NULL, x, .no_scale = 1)));
    x = tt_called(m, "GlobalAveragePooling2D", tt_mean(x, .dims = "1, 2"));
    x = tt_relu(tt_dense(m, NULL, x, 256));
    x = tt_dropout(m, x, 0.5, .seed = tt_seed(seed));
    return tt_dense(m, NULL, x, 10);
}

static tt_data get_dataset(const char *part)        /* f32 [N, 28, 28, 1] of 0 ... 255; Rescaling does the rest */
{
    tt_val ds = tt_data_arrays(tt_mnist("mnist", .part = part, .limit = limit));
    tt_val x = tt_expand_dims(tt_cast(tt_get(ds, "image"), TT_F32), -1);
    return tt_dataset(tt_dict("x", x, "y", tt_cast(tt_get(ds, "label"), TT_I32)), .batch = batch_size);
}

/* (loss, updated variables, hits) */
static tt_val compute_loss(tt_val variables, tt_val x, tt_val y)
{
    tt_val y_pred, updated = variables;
    if (training) tt_unpack(tt_apply_train(get_model, variables, x, tt_none()), &y_pred, &updated);
    else y_pred = tt_apply(get_model, variables, x);
    return tt_tuple(tt_mean(tt_xent(y_pred, y)), updated, tt_mean(tt_eq(tt_argmax(y_pred, .dims = "-1"), y)));
}

static tt_val train_step(tt_val state, tt_val x, tt_val y)
{
    train_state s = train_state_of(state);
    tt_val out = tt_call(tt_value_and_grad(compute_loss, .aux = 1), s.variables, x, y), loss, hits, grads;
    tt_unpack(out, &loss, &s.variables, &hits, &grads);
    tt_opt_step(&s.variables, &s.optimizer, grads);
    return tt_tuple(loss, train_state_val(s), hits);
}

static tt_val accuracy(tt_val variables, tt_val x, tt_val y)
{
    return tt_mean(tt_eq(tt_argmax(tt_apply(get_model, variables, x), .dims = "-1"), y));
}

int main(int argc, char **argv)
{
    training = argc > 1 ? atoll(argv[1]) : 0, limit = argc > 2 ? atoll(argv[2]) : 0;
    num_epochs = argc > 3 ? atoll(argv[3]) : 2, seed = argc > 4 ? atoll(argv[4]) : 1;
    tt_set_random_layout("original");
    tt_data train_data = get_dataset("train"), eval_data = get_dataset("test");
    int64_t samples = tt_data_count(train_data), tests = tt_data_count(eval_data);
    printf("x_train shape: %s\n", tt_state_text(tt_get(tt_data_arrays(train_data), "x"), .form = "shape"));
    printf("%lld train samples\n%lld test samples\n", (long long)samples, (long long)tests);

    /* Build all state */
    tt_val one_batch = tt_shape(TT_F32, batch_size, 28, 28, 1);
    tt_val variables = tt_init(get_model, tt_seed(seed), tt_zeros(TT_F32, 1, 28, 28, 1), .keys = "keras");
    tt_val optimizer = tt_adam(variables, .rate = 1e-3, .keras = 1);
    printf("%s", tt_layers(get_model, one_batch, .keys = "keras", .name = "functional_1"));

    /* Replicate the variables on all devices, cut the data over the batch */
    tt_mesh mesh = tt_mesh("batch:2");
    printf("Running on %d devices: %s\n", num_devices, tt_mesh_text(mesh, "list"));
    tt_val state = tt_shard(train_state_val((train_state){ variables, optimizer }), mesh, "");
    for (tt_loop it = tt_batches(train_data); tt_next(&it); ) {
        tt_val sharded_x = tt_shard(tt_get(it.batch, "x"), mesh, "batch");
        puts("Data sharding");
        tt_draw(tt_reshape(sharded_x, -1, 28 * 28));
        break;
    }

    /* A loop of one's own */
    tt_fn step = tt_jit(train_step, .donate = "0");
    for (int epoch = 0; epoch < num_epochs && tt_ok(); epoch++) {
        double loss_value = 0, hits = 0;
        for (tt_loop it = tt_batches(train_data, .bar = "epoch"); tt_next(&it); ) {
            tt_val out = tt_call(step, state, tt_shard(tt_get(it.batch, "x"), mesh, "batch"), tt_get(it.batch, "y"));
            tt_assign(&state, tt_item(out, 1));
            loss_value = tt_num(tt_item(out, 0)), hits += tt_num(tt_item(out, 2)) / (double)it.n;
        }
        tt_print("Epoch %d loss: %.8g", epoch, loss_value);
        tt_print("Epoch %d accuracy: %.4f", epoch, hits);
    }

    /* The model takes the state back: here it is a tree like any other */
    double hits = 0;
    tt_fn  ask = tt_jit(accuracy);
    for (tt_loop it = tt_batches(eval_data); tt_next(&it); ) {
        tt_val x = tt_get(it.batch, "x"), y = tt_get(it.batch, "y");
        hits += tt_num(tt_call(ask, train_state_of(state).variables, x, y)) / (double)it.n;
    }
    tt_print("Test accuracy: %.4f", hits);
    return tt_done();
}
