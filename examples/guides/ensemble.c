/* ensemble.c - "Ensembling on multiple devices" of Flax: one CNN of MNIST per device, each from a key of its own,
 * and their mean probability. Only the ensemble's half of the guide; examples/ensemble.c is this as a demo, with
 * pictures.
 *
 * ensemble [seed [images [epochs [test images]]]]. The eight devices are this process's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

enum { BATCH = 128 };
static const double learning_rate = 0.1, momentum = 0.9;     /* C's numbers are static in a trace */
TT_RECORD(train_state, params, opt_state);

static tt_val CNN(tt_nn m, tt_val x)
{
    x = tt_relu(tt_conv(m, "Conv_0", x, 32, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_conv(m, "Conv_1", x, 64, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_dense(m, "Dense_0", tt_flatten(x, 1), 256));
    return tt_dense(m, "Dense_1", x, 10);
}

/* Parallel functions */

static tt_val create_train_state(tt_val rng)
{
    tt_val params = tt_init(CNN, rng, tt_ones(TT_F32, 1, 28, 28, 1));
    return train_state_val((train_state){ params, tt_sgd(params, .rate = learning_rate, .momentum = momentum) });
}

static tt_val loss_fn(tt_val params, tt_val images, tt_val labels)
{
    tt_val logits = tt_apply(CNN, params, images), one_hot = tt_one_hot(labels, 10, TT_F32);
    return tt_tuple(tt_mean(tt_xent(logits, one_hot)), logits);
}

static tt_val accuracy_of(tt_val logits, tt_val labels)
{
    tt_val probs = tt_pmean(tt_softmax(logits), "ensemble");
    return tt_mean(tt_eq(tt_argmax(probs, .dims = "-1"), labels));
}

static tt_val apply_model(tt_val state, tt_val images, tt_val labels)
{
    tt_val loss, logits, grads;
    tt_val out = tt_call(tt_value_and_grad(loss_fn, .aux = 1), train_state_of(state).params, images, labels);
    tt_unpack(out, &loss, &logits, &grads);
    return tt_tuple(grads, loss, accuracy_of(logits, labels));
}

static tt_val update_model(tt_val state, tt_val grads)
{
    train_state s = train_state_of(state);
    tt_opt_step(&s.params, &s.opt_state, grads);
    return train_state_val(s);
}

static tt_val test_model(tt_val state, tt_val images, tt_val labels)     /* no gradients; a member's accuracy too */
{
    tt_val loss, logits;
    tt_unpack(loss_fn(train_state_of(state).params, images, labels), &loss, &logits);
    tt_val own = tt_mean(tt_eq(tt_argmax(logits, .dims = "-1"), labels));
    return tt_tuple(loss, accuracy_of(logits, labels), tt_pmean(own, "ensemble"));
}

/* Training the ensemble */

static tt_mesh mesh;

/* Rows of the data set on every device. */
static tt_val rows(tt_val ds, tt_val perm)
{
    tt_val image = tt_expand_dims(tt_div(tt_cast(tt_take(tt_get(ds, "image"), perm, 0), TT_F32), tt_f(255)), -1);
    return tt_replicate(tt_tuple(image, tt_cast(tt_take(tt_get(ds, "label"), perm, 0), TT_I32)), mesh);
}

static void train_epoch(tt_val *state, tt_val ds, tt_val rng, double mean[2])
{
    tt_fn   apply = tt_pmap(apply_model, .mesh = mesh, .axis = "ensemble");
    tt_fn   update = tt_pmap(update_model, .mesh = mesh);
    int64_t n = tt_dim(tt_get(ds, "label"), 0), steps = n / BATCH;
    tt_val  perms = tt_reshape(tt_slice(tt_permutation(rng, tt_i(n)), 0, 0, steps * BATCH, 1), steps, BATCH);
    mean[0] = mean[1] = 0;
    for (tt_loop it = tt_steps(steps, .bar = "epoch"); tt_next(&it); ) {
        tt_val batch = rows(ds, tt_take(perms, tt_i(it.i), 0)), grads, loss, accuracy;
        tt_unpack(tt_call(apply, *state, tt_item(batch, 0), tt_item(batch, 1)), &grads, &loss, &accuracy);
        tt_assign(state, tt_call(update, *state, grads));
        mean[0] += tt_num(tt_unreplicate(loss)) / (double)steps;
        mean[1] += tt_num(tt_unreplicate(accuracy)) / (double)steps;
    }
}

/* In parts, for memory: mean loss of the first member, accuracy of all together, and of one by itself. */
static void test(tt_val state, tt_val ds, double mean[3])
{
    tt_fn   ask = tt_pmap(test_model, .mesh = mesh, .axis = "ensemble");
    int64_t n = tt_dim(tt_get(ds, "label"), 0), part = n % 250 ? 256 : 250, steps = n / part;
    mean[0] = mean[1] = mean[2] = 0;
    for (tt_loop it = tt_steps(steps); tt_next(&it); ) {
        tt_val batch = rows(ds, tt_add(tt_arange(TT_I32, part), tt_i(it.i * part)));
        tt_val out = tt_unreplicate(tt_call(ask, state, tt_item(batch, 0), tt_item(batch, 1)));
        for (int i = 0; i < 3; i++) mean[i] += tt_num(tt_item(out, i)) / (double)steps;
    }
}

int main(int argc, char **argv)
{
    int64_t seed = argc > 1 ? atoll(argv[1]) : 0, images = argc > 2 ? atoll(argv[2]) : 0;
    int64_t epochs = argc > 3 ? atoll(argv[3]) : 2, tests = argc > 4 ? atoll(argv[4]) : 0;
    tt_set_random_layout("original");
    mesh = tt_mesh("ensemble:8");
    tt_val train_ds = tt_data_arrays(tt_mnist("mnist", .limit = images));
    tt_val test_ds  = tt_data_arrays(tt_mnist("mnist", .part = "test", .limit = tests));
    tt_val keys = tt_split(tt_key(seed), 2), rng = tt_take(keys, tt_i(0), 0), init_rng = tt_take(keys, tt_i(1), 0);
    puts(tt_summary(tt_get(tt_eval_shape(create_train_state, init_rng), "params"))); /* 824,458 parameters */
    tt_val state = tt_call(tt_pmap(create_train_state, .mesh = mesh), tt_split(init_rng, tt_device_count()));
    for (int epoch = 1; epoch <= epochs && tt_ok(); epoch++) {
        double train[2], tested[3];
        keys = tt_split(rng, 2), rng = tt_take(keys, tt_i(0), 0);
        train_epoch(&state, train_ds, tt_take(keys, tt_i(1), 0), train);
        test(state, test_ds, tested);
        tt_print("epoch:% 3d, train_loss: %.4f, train_accuracy: %.2f, test_loss: %.4f, test_accuracy: %.2f", epoch,
                 train[0], train[1] * 100, tested[0], tested[1] * 100);
        tt_print("members by themselves: %.2f", tested[2] * 100);
    }
    return tt_done();
}
