/* dataparallel.c - the guide's PyTorch part: DataParallel. Each batch is cut into pieces, every device runs a copy of
 * the network on one, the answers are put together, and the gradients of the copies are summed, which the transposition
 * of the broadcast does. The network is the d2l book's ResNet-18; MNIST stands for the guide's Fashion-MNIST.
 *
 * dataparallel [NAME=NUMBER...]: gpus=2 batch=256 rate=0.1 epochs=10 width=64 images=0 (all) test=0 (all)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

static struct { const char *name; double value; } config[] = {
    { "gpus", 2 }, { "batch", 256 }, { "rate", 0.1 }, { "epochs", 10 }, { "width", 64 }, { "images", 0 }, { "test", 0 },
};
enum { GPUS, BATCH, RATE, EPOCHS, WIDTH, IMAGES, TEST, SETTINGS };

static int64_t whole(int i) { return (int64_t)config[i].value; }

static int configure(const char *setting)                /* "width=8"; 0: there is no such */
{
    const char *equals = strchr(setting, '=');
    for (int i = 0; equals && i < SETTINGS; i++)
        if (!strncmp(setting, config[i].name, (size_t)(equals - setting)) && !config[i].name[equals - setting])
            return config[i].value = atof(equals + 1), 1;
    return 0;
}

static tt_val resnet18(tt_nn m, tt_val x)
{
    x = tt_conv(m, "stem", x, whole(WIDTH), .window = { 3, 3 }, .pad = "1:1, 1:1", .kernel_init = "normal(0.01)");
    x = tt_relu(tt_batch_norm(m, "stem_bn", x, .momentum = 0.9, .unbiased = 1));
    for (int i = 0; i < 8; i++)
        x = tt_res_block(m, NULL, x, whole(WIDTH) << i / 2, .stride = i && i % 2 == 0 ? 2 : 1, .bias = 1,
                         .plain_skip = 1, .pad = "1:1, 1:1", .norm = { .momentum = 0.9, .unbiased = 1 });
    return tt_dense(m, "fc", tt_mean(x, .dims = "1, 2"), 10, .kernel_init = "normal(0.01)");
}

TT_RECORD(state, vars, opt);
static tt_mesh mesh;

/* A piece on its device: (logits, variables with the statistics of this piece). */
static tt_val replica(tt_val vars, tt_val x) { return tt_apply_train(resnet18, vars, x, tt_key(0)); }
static tt_val pieces(tt_val x) { return tt_reshape(x, whole(GPUS), tt_dim(x, 0) / whole(GPUS), 28, 28, 1); }

static tt_val loss(tt_val vars, tt_val x, tt_val label)
{
    tt_val out = tt_call(tt_pmap(replica, .mesh = mesh, .axis = "gpu", .in = "_; 0"), vars, pieces(x));
    tt_val logits = tt_reshape(tt_item(out, 0), tt_dim(x, 0), 10);
    return tt_tuple(tt_mean(tt_xent(logits, label)), tt_unreplicate(tt_item(out, 1)));   /* statistics of replica 0 */
}

static tt_val train(tt_val s, tt_val x, tt_val label)
{
    state st = state_of(s);
    tt_val l, fresh, grads;
    tt_unpack(tt_call(tt_value_and_grad(loss, .aux = 1), st.vars, x, label), &l, &fresh, &grads);
    tt_opt_step(&fresh, &st.opt, grads);
    return tt_tuple(state_val((state){ fresh, st.opt }), l);
}

static tt_val hits(tt_val vars, tt_val x, tt_val label)
{
    return tt_sum(tt_cast(tt_eq(tt_argmax(tt_apply(resnet18, vars, x), .dims = "1"), label), TT_I32));
}

static tt_val create(tt_val key)
{
    tt_val vars = tt_init(resnet18, key, tt_zeros(TT_F32, 1, 28, 28, 1));
    return state_val((state){ vars, tt_sgd(vars, .rate = config[RATE].value) });
}

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    char text[32];
    for (int i = 1; i < argc; i++)
        if (!configure(argv[i])) return fprintf(stderr, "dataparallel: \"%s\" is no setting\n", argv[i]), 2;
    snprintf(text, sizeof text, "gpu:%d", (int)whole(GPUS));
    mesh = tt_mesh(text);
    printf("%d devices; MNIST stands for Fashion-MNIST\n", (int)whole(GPUS));
    tt_val seven = tt_chunk(tt_arange(TT_F32, 7), 3, 0);
    printf("7 rows on 3 devices: chunks");
    for (int i = 0; i < tt_items(seven); i++) printf("%s %d", i ? "," : "", (int)tt_dim(tt_item(seven, i), 0));
    printf("\n");

    tt_data train_iter = tt_mnist("mnist", .batch = whole(BATCH), .shuffle = tt_key(0), .limit = whole(IMAGES));
    tt_data test_iter = tt_mnist("mnist", .batch = whole(BATCH), .part = "test", .limit = whole(TEST), .keep_last = 1);
    tt_fn   step = tt_jit(train, .mesh = mesh, .donate = "0"), ask = tt_jit(hits, .mesh = mesh);
    tt_val  s = tt_call(tt_jit(create, .mesh = mesh), tt_key(42));
    double  right = 0, trained = 0;
    for (int64_t epoch = 0; epoch < whole(EPOCHS) && tt_ok(); epoch++) {
        const double begin = seconds();
        for (tt_loop it = tt_batches(train_iter, .bar = "epoch"); tt_next(&it); ) {
            tt_val out = tt_call(step, s, tt_get(it.batch, "image"), tt_get(it.batch, "label"));
            tt_assign(&s, tt_item(out, 0));
            tt_note(&it, "loss %.3f", tt_num(tt_item(out, 1)));
        }
        tt_wait(s);
        trained += seconds() - begin;
        right = 0;
        for (tt_loop it = tt_batches(test_iter); tt_next(&it); )
            right += tt_num(tt_call(ask, state_of(s).vars, tt_get(it.batch, "image"), tt_get(it.batch, "label")));
    }
    printf("test acc: %.2f, %.1f sec/epoch on %s\n", right / (double)tt_data_count(test_iter),
           trained / (double)whole(EPOCHS), tt_mesh_text(mesh, "list"));
    return tt_done();
}
