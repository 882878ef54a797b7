/* fsdp.c - the guide's fully sharded data parallelism: as dp.c, but every device keeps a slice of each large parameter
 * and of its moments, brings the rest for as long as it computes with it, and gets the mean gradient of its slice back.
 *
 * fsdp [NAME=NUMBER...]: as dp, and min_weight_size=16
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static struct { const char *name; double value; } config[] = {
    { "batch", 128 }, { "classes", 10 }, { "input", 784 }, { "hidden", 512 }, { "dropout", 0.1 }, { "rate", 1e-3 },
    { "bf16", 1 }, { "minibatches", 4 }, { "seed", 42 }, { "devices", 8 }, { "min_weight_size", 16 },
};
enum { BATCH, CLASSES, INPUT, HIDDEN, DROPOUT, RATE, BF16, MINIBATCHES, SEED, DEVICES, MIN_WEIGHT_SIZE, SETTINGS };

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
TT_RECORD(ScaleByAdamState, count, mu, nu);

static tt_val classifier(tt_nn m, tt_val x)              /* the one of dp.c */
{
    tt_dtype dtype = whole(BF16) ? TT_BF16 : TT_F32;
    x = tt_silu(tt_dense(m, "input_dense", x, whole(HIDDEN), .dtype = dtype));
    x = tt_dropout(m, x, config[DROPOUT].value);
    return tt_cast(tt_dense(m, "output_dense", x, whole(CLASSES), .dtype = dtype), TT_F32);
}

/* Every parameter of it is a slice when it is kept and whole when it is used. */
static tt_val shard(tt_val p) { return tt_shard_params(p, "data", whole(MIN_WEIGHT_SIZE)); }
static tt_val gather(tt_val p) { return tt_gather_params(p, "data"); }
static tt_val fsdp_classifier(tt_nn m, tt_val x) { return tt_with_params(m, gather, shard, classifier, x); }

static tt_val init_fsdp(tt_val rng, tt_val x)
{
    tt_val keys = tt_split(rng, 2), params = tt_init(fsdp_classifier, tt_take(keys, tt_i(0), 0), x);
    return state_val((state){ params, tt_adamw(params, .rate = config[RATE].value), tt_take(keys, tt_i(1), 0) });
}

static tt_val loss_fn(tt_val params, tt_val batch, tt_val rng)
{
    data b = data_of(batch);
    tt_val logits = tt_item(tt_apply_train(fsdp_classifier, params, b.inputs, tt_fold_in_axis(rng, "data")), 0);
    tt_val loss = tt_xent(logits, b.labels), size = tt_i(tt_dim(b.inputs, 0));
    tt_val correct = tt_cast(tt_eq(tt_argmax(logits, .dims = "1"), b.labels), TT_I32);
    return tt_tuple(tt_mean(loss),
                    tt_dict("loss", tt_tuple(tt_sum(loss), size), "accuracy", tt_tuple(tt_sum(correct), size)));
}

static tt_val train_step_fsdp(tt_val s, tt_val metrics, tt_val batch)
{
    state st = state_of(s);
    tt_val keys = tt_split(st.rng, 2), grads, more;
    tt_unpack(tt_accumulate(loss_fn, whole(MINIBATCHES), st.params, batch, tt_take(keys, tt_i(1), 0)), &grads, &more);
    for (TT_NAMED_SCOPE("sync_gradients")) grads = tt_sync_grads(grads, "data"); /* slices have their mean already */
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
        if (!configure(argv[i])) return fprintf(stderr, "fsdp: \"%s\" is no setting\n", argv[i]), 2;
    snprintf(axis, sizeof axis, "data:%d", (int)whole(DEVICES));
    printf("%d devices\n", (int)whole(DEVICES));
    tt_set_random_layout("original");                    /* as jax did when the guide was written */

    tt_mesh mesh = tt_mesh(axis);
    tt_val keys = tt_split(tt_key(whole(SEED)), 3);
    tt_val inputs = tt_normal(tt_take(keys, tt_i(1), 0), TT_F32, whole(BATCH), whole(INPUT));
    tt_val labels = tt_randint(tt_take(keys, tt_i(2), 0), TT_I32, tt_i(0), tt_i(whole(CLASSES)), whole(BATCH));
    tt_val batch = data_val((data){ inputs, labels });

    /* Types and layouts first, nothing computed: "@" takes what the leaves say of themselves. */
    tt_fn  init = tt_jit(tt_shard_map(init_fsdp, .mesh = mesh, .in = "_; data", .out = "@", .unchecked = 1));
    tt_val specs = tt_eval_shape(init, tt_take(keys, tt_i(0), 0), inputs), opt = state_of(specs).opt;
    printf("RNG ");
    tt_pprint(state_of(specs).rng, "spec");
    printf("\nParameters\n");
    tt_pprint(state_of(specs).params, "spec");
    printf("\nOptimizer state\n");
    ScaleByAdamState adam = { tt_get(opt, "count"), tt_get(opt, "mu"), tt_get(opt, "nu") };
    tt_pprint(ScaleByAdamState_val(adam), "spec");

    tt_val s = tt_call(init, tt_take(keys, tt_i(0), 0), inputs);
    printf("FSDP Parameters\n");
    tt_pprint(state_of(s).params, "box");

    tt_fn  step = tt_jit(tt_shard_map(train_step_fsdp, .mesh = mesh, .in = "@; _; data", .out = "@; _", .unchecked = 1),
                         .donate = "0, 1");
    tt_val metrics = no_metrics(), final = no_metrics();
    for (tt_loop it = tt_steps(15); tt_next(&it); ) {
        tt_val out = tt_call(step, s, metrics, batch);
        tt_assign(&s, tt_item(out, 0));
        tt_assign(&metrics, tt_item(out, 1));
    }
    tt_unpack(tt_call(step, s, final, batch), &s, &final);
    tt_print_metrics(final, "FSDP - Final metrics");

    const tt_budget *b = tt_plan(step, tt_like(s), tt_like(final), tt_like(batch));
    const tt_report *r = b ? b->report : NULL;
    if (r) printf("A device holds %lld bytes of arguments; a step brings it %.0f bytes: %d all-gather, "
                  "%d reduce-scatter, %d all-reduce\n", (long long)b->arguments, r->moved,
                  tt_exchanges(r, "all-gather"), tt_exchanges(r, "reduce-scatter"), tt_exchanges(r, "all-reduce"));
    return tt_done();
}
