/* keras.c - the Keras twin's own model and step, by numbers: with the weights and the digits of the golden
 * train/s3 (TUTTI_ORACLE), twenty steps of examples/guides/keras_dp.c (five under sanitizers) lose what Keras's lose.
 * What the twin prints is compared in form only (tests/api/programs/guides.c): its weights are not the guide's, which
 * were not seeded. */
#define main keras_main
#include "../../examples/guides/keras_dp.c"
#undef main
#include "check.h"

#include <math.h>

enum { STEPS = CHECK_STEP > 1 ? 5 : 20, MOST = 20, LEAVES = 64 };

/* The golden's name of a variable; NULL: statistics, which begin as the twin makes them. */
static const char *role_of(const char *path)
{
    static const char *const role[][2] = {
        { "conv2d.kernel", "conv1.kernel" }, { "batch_normalization.beta", "bn1.beta" },
        { "conv2d_1.kernel", "conv2.kernel" }, { "batch_normalization_1.beta", "bn2.beta" },
        { "large_k.kernel", "large_k.kernel" }, { "large_k.bias", "large_k.bias" },
        { "batch_normalization_2.beta", "bn3.beta" }, { "dense.kernel", "dense1.kernel" },
        { "dense.bias", "dense1.bias" }, { "dense_1.kernel", "dense2.kernel" }, { "dense_1.bias", "dense2.bias" },
        { "dropout.seed", "drop.seed" },
    };
    for (size_t i = 0; i < sizeof role / sizeof *role; i++) if (!strcmp(path, role[i][0])) return role[i][1];
    return NULL;
}

static tt_val golden(tt_val file, const char *what)
{
    char name[128];
    snprintf(name, sizeof name, "train.s3.dev1.%s", what);
    return tt_get_at(TT_AT("golden"), file, name);
}

static tt_val given_weights(tt_val file)
{
    const tt_val made = tt_init(get_model, tt_seed(1), tt_zeros(TT_F32, 1, 28, 28, 1), .keys = "keras");
    tt_val leaf[LEAVES];
    int given = 0;
    const int n = tt_tree_leaves(made, LEAVES, leaf);
    for (int i = 0; i < n && i < LEAVES; i++) {
        char name[80];
        const char *role = role_of(tt_leaf_path(made, i));
        if (!role) continue;
        snprintf(name, sizeof name, "in.%s", role);
        leaf[i] = golden(file, name);
        given++;
    }
    CHECK(given == 12, "%d of 12 weights have a place in the twin's tree", given);
    return tt_tree_unflatten(made, n, leaf);
}

static void twenty_steps(tt_val file)
{
    const tt_val x = tt_expand_dims(tt_cast(golden(file, "in.x"), TT_F32), -1);
    const tt_val y = tt_cast(golden(file, "in.labels"), TT_I32), weights = given_weights(file);
    tt_val state = train_state_val((train_state){ weights, tt_adam(weights, .rate = 1e-3, .keras = 1) });
    const tt_fn step = tt_jit(train_step);
    float want[MOST] = { 0 };
    CHECK(tt_read(golden(file, "out.loss"), want, sizeof want), "%s", tt_error());
    for (int i = 0; i < check_share(STEPS) && tt_ok(); i++) {
        const tt_val out = tt_call(step, state, tt_dynamic_slice(x, 0, tt_i(batch_size * i), batch_size),
                                   tt_dynamic_slice(y, 0, tt_i(batch_size * i), batch_size));
        const double loss = tt_num(tt_item(out, 0));
        tt_assign(&state, tt_item(out, 1));
        CHECK(fabs(loss - (double)want[i]) <= 2e-4 * fabs((double)want[i]) + 2e-4, "step %d loses %.7g, not %.7g", i,
              loss, (double)want[i]);
    }
    CHECK(tt_ok(), "%s", tt_error());
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    char path[1400];
    const char *dir = getenv("TUTTI_ORACLE");
    if (!dir || !*dir) {
        CHECK_SKIP("no goldens here (TUTTI_ORACLE is not set)");
        return check_done();
    }
    snprintf(path, sizeof path, "%s/seeds_keras/arrays.npz", dir);
    twenty_steps(tt_read_npz(path));
    return check_done();
}
