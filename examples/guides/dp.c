/* dp.c - the guide's data parallelism: a classifier in bfloat16 with float32 parameters, on eight devices; every device
 * has all parameters and an eighth of the batch, gradients of four minibatches are added up, averaged over the devices,
 * and AdamW moves all copies alike.
 *
 * dp [NAME=NUMBER...]: batch=128 classes=10 input=784 hidden=512 dropout=0.1 rate=0.001 bf16=1 minibatches=4 seed=42
 * devices=8
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static struct { const char *name; double value; } config[] = {
    { "batch", 128 }, { "classes", 10 }, { "input", 784 }, { "hidden", 512 }, { "dropout", 0.1 }, { "rate", 1e-3 },
    { "bf16", 1 }, { "minibatches", 4 }, { "seed", 42 }, { "devices", 8 },
};
enum { BATCH, CLASSES, INPUT, HIDDEN, DROPOUT, RATE, BF16, MINIBATCHES, SEED, DEVICES, SETTINGS };

static int64_t whole(int i) { return (int64_t)config[i].value; }

static int configure(const char *setting)                /* "hidden=64"; 0: there is no such */
{
    const char *equals = strchr(setting, '=');
    for (int i = 0; equals && i < SETTINGS; i++)
        if (!strncmp(setting, config[i].name, (size_t)(equals - setting)) && !config[i].name[equals - setting])
            return config[i].value = atof(equals + 1), 1;
    return 0;
}

TT_RECORD(state, params, opt, rng);
TT_RECORD(data, inputs, labels);

static tt_val classifier(tt_nn m, tt_val x)
{
    tt_dtype dtype = whole(BF16) ? TT_BF16 : TT_F32;
    x = tt_silu(tt_dense(m, "input_dense", x, whole(HIDDEN), .dtype = dtype));
    x = tt_dropout(m, x, config[DROPOUT].value);
    return tt_cast(tt_dense(m, "output_dense", x, whole(CLASSES), .dtype = dtype), TT_F32);
}

static tt_val init_dp(tt_val rng, tt_val x)
{
    tt_val keys = tt_split(rng, 2), params = tt_init(classifier, tt_take(keys, tt_i(0), 0), x);
    return state_val((state){ params, tt_adamw(params, .rate = config[RATE].value), tt_take(keys, tt_i(1), 0) });
}

static tt_val loss_fn(tt_val params, tt_val batch, tt_val rng)
{
    data b = data_of(batch);
    /* A mask of dropout of its own for every device: its key is folded with the device's place. */
    tt_val logits = tt_item(tt_apply_train(classifier, params, b.inputs, tt_fold_in_axis(rng, "data")), 0);
    tt_val loss = tt_xent(logits, b.labels), size = tt_i(tt_dim(b.inputs, 0));
    tt_val correct = tt_cast(tt_eq(tt_argmax(logits, .dims = "1"), b.labels), TT_I32);
    return tt_tuple(tt_mean(loss),
                    tt_dict("loss", tt_tuple(tt_sum(loss), size), "accuracy", tt_tuple(tt_sum(correct), size)));
}

static tt_val train_step_dp(tt_val s, tt_val metrics, tt_val batch)
{
    state st = state_of(s);
    tt_val keys = tt_split(st.rng, 2), grads, more;
    tt_unpack(tt_accumulate(loss_fn, whole(MINIBATCHES), st.params, batch, tt_take(keys, tt_i(1), 0)), &grads, &more);
    for (TT_NAMED_SCOPE("sync_gradients")) grads = tt_pmean(grads, "data");
    tt_opt_step(&st.params, &st.opt, grads);
    st.rng = tt_take(keys, tt_i(0), 0);
    for (TT_NAMED_SCOPE("sync_metrics")) more = tt_psum(more, "data");
    return tt_tuple(state_val(st), tt_add(metrics, more));
}

static tt_val no_metrics(void)                           /* zeros of the step's types */
{
    tt_val pair = tt_tuple(tt_zeros(TT_I32), tt_zeros(TT_I32));
    return tt_dict("loss", tt_tuple(tt_zeros(TT_F32), tt_zeros(TT_I32)), "accuracy", pair);
}

int main(int argc, char **argv)
{
    char axis[32];
    for (int i = 1; i < argc; i++)
        if (!configure(argv[i])) return fprintf(stderr, "dp: \"%s\" is no setting\n", argv[i]), 2;
    snprintf(axis, sizeof axis, "data:%d", (int)whole(DEVICES));
    printf("%d devices\n", (int)whole(DEVICES));
    tt_set_random_layout("original");                    /* as jax did when the guide was written */

    tt_mesh mesh = tt_mesh(axis);
    tt_val keys = tt_split(tt_key(whole(SEED)), 3);
    tt_val inputs = tt_normal(tt_take(keys, tt_i(1), 0), TT_F32, whole(BATCH), whole(INPUT));
    tt_val labels = tt_randint(tt_take(keys, tt_i(2), 0), TT_I32, tt_i(0), tt_i(whole(CLASSES)), whole(BATCH));
    tt_val batch = data_val((data){ inputs, labels });

    tt_fn  init = tt_jit(tt_shard_map(init_dp, .mesh = mesh, .in = "_; data", .out = "_", .unchecked = 1));
    tt_val s = tt_call(init, tt_take(keys, tt_i(0), 0), inputs);
    printf("DP Parameters\n");
    tt_pprint(state_of(s).params, "shape, sharding");

    tt_fn  step = tt_jit(tt_shard_map(train_step_dp, .mesh = mesh, .in = "_; _; data", .out = "_", .unchecked = 1),
                         .donate = "0, 1");
    tt_val metrics = no_metrics(), final = no_metrics();
    for (tt_loop it = tt_steps(15); tt_next(&it); ) {
        tt_val out = tt_call(step, s, metrics, batch);
        tt_assign(&s, tt_item(out, 0));
        tt_assign(&metrics, tt_item(out, 1));
    }
    tt_unpack(tt_call(step, s, final, batch), &s, &final);
    tt_print_metrics(final, NULL);
    printf("DP Parameters\n");
    tt_pprint(state_of(s).params, "shape, sharding");
    printf("Metrics\n");
    tt_pprint(final, "shape, sharding");

    const tt_budget *b = tt_plan(step, tt_like(s), tt_like(final), tt_like(batch));
    if (b) printf("A device holds %lld bytes of arguments; a step brings it %.0f bytes: %d all-reduce\n",
                  (long long)b->arguments, b->report->moved, tt_exchanges(b->report, "all-reduce"));
    return tt_done();
}
