/* nnx_spmd.c - "Scale up on multiple devices" of Flax NNX: a model born on a 2 x 4 mesh, drawn, saved, loaded,
 * trained.
 *
 * nnx_spmd [seed [depth [folder]]]. The eight devices are this process's own. A model is its tree of variables: what
 * the guide updates in place is assigned here.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>

static int64_t depth = 1024, seed = 0;
TT_RECORD(optimizer, model, adam);

/* Define a model with specified sharding */

static tt_val dot_relu_dot(tt_nn m, tt_val x)
{
    const int64_t dims[] = { depth, depth, TT_DIM_END };
    tt_val y = tt_relu(tt_dense(m, "dot1", x, depth, .axes = "_, model", .no_bias = 1));
    y = tt_logical_constraint(y, "data, model");    /* an intermediate value, laid out inside a jit */
    return tt_matmul(y, tt_param(m, "w2", dims, .init = "lecun_normal", .axes = "model, _"));
}

static tt_val create_model(void)
{
    return tt_init(dot_relu_dot, tt_key(seed), tt_zeros(TT_F32, 1, depth), .keys = "nnx");
}

static tt_val loss(tt_val model, tt_val x, tt_val y)
{
    return tt_mean(tt_square(tt_sub(tt_apply(dot_relu_dot, model, x), y)));
}

static tt_val train_step(tt_val state, tt_val x, tt_val y)
{
    optimizer o = optimizer_of(state);
    tt_val l, grads;
    tt_unpack(tt_call(tt_value_and_grad(loss), o.model, x, y), &l, &grads);
    tt_opt_step(&o.model, &o.adam, grads);
    return tt_tuple(optimizer_val(o), l);
}

/* Compile the training loop. The guide prints 1.455235 0.7646729 0.50971293 0.378493 0.28089797: its compiler
 * doubled the random words of w2, born in shards (docs/guides.md). Here a draw depends on its key and shape only,
 * never on the mesh. */
static void train(tt_mesh mesh, tt_val model)
{
    tt_val input = tt_shard(tt_normal(tt_key(1), TT_F32, 8, depth), mesh, "data, _");
    tt_val label = tt_shard(tt_normal(tt_key(2), TT_F32, 8, depth), mesh, "data, _");
    tt_val state = optimizer_val((optimizer){ model, tt_adam(model, .rate = 1e-3) });
    tt_fn  step  = tt_jit(train_step, .mesh = mesh, .rules = "data:data, model:model");
    for (tt_loop it = tt_steps(5); tt_next(&it); ) {
        tt_val out = tt_call(step, state, input, label);
        tt_assign(&state, tt_item(out, 0));
        puts(tt_value_text(tt_item(out, 1)));       /* fitting to the labels quickly */
    }
    puts(tt_timeit(step, state, input, label));     /* Profiling */
}

/* Logical axis annotation */

static tt_val logical_dot_relu_dot(tt_nn m, tt_val x)
{
    const int64_t dims[] = { depth, depth, TT_DIM_END };
    tt_val y = tt_relu(tt_dense(m, "dot1", x, depth, .axes = "embed, hidden", .no_bias = 1));
    y = tt_logical_constraint(y, "batch, _");
    return tt_matmul(y, tt_param(m, "w2", dims, .init = "lecun_normal", .axes = "hidden, embed"));
}

static tt_val create_logical_model(void)
{
    return tt_init(logical_dot_relu_dot, tt_key(seed), tt_zeros(TT_F32, 1, depth), .keys = "nnx");
}

int main(int argc, char **argv)
{
    if (argc > 1) seed = atoll(argv[1]);
    if (argc > 2) depth = atoll(argv[2]);
    tt_set_random_layout("original");               /* how the guide's JAX numbers its random words */

    /* Setup */
    tt_mesh mesh = tt_mesh("data:2, model:4");
    printf("You have 8 \u201cfake\u201d JAX devices now: %s\n", tt_mesh_text(mesh, "list"));
    puts(tt_mesh_text(mesh, "str"));

    /* Initialize a sharded model */
    tt_val whole = create_model();
    puts(tt_state_text(tt_get(whole, "dot1.kernel"), .form = "names"));
    puts(tt_state_text(tt_get(whole, "w2"), .form = "names"));
    puts(tt_text(tt_get(whole, "dot1.kernel"), "sharding"));
    puts(tt_text(tt_get(whole, "w2"), "sharding"));

    tt_fn  create = tt_jit(create_model, .mesh = mesh, .rules = "data:data, model:model");
    tt_val model  = tt_call(create), w1 = tt_get(model, "dot1.kernel"), w2 = tt_get(model, "w2");
    puts(tt_text(w1, "sharding short"));
    puts(tt_text(w2, "sharding short"));
    assert(tt_has_layout(w1, mesh, "_, model") && tt_has_layout(w2, mesh, "model, _"));
    puts("sharded_model.dot1.kernel (None, 'model') :");
    tt_draw(w1);
    puts("sharded_model.w2 ('model', None) :");
    tt_draw(w2);

    /* Load a sharded model from a checkpoint: each device reads its own part, no whole model is made on the way */
    const char *path = argc > 3 ? argv[3] : "/tmp/my-checkpoints";
    tt_save(path, model, .force = 1);
    tt_val abstract = tt_eval_shape(create), loaded = tt_load(path, .like = abstract);
    tt_draw(tt_get(loaded, "dot1.kernel"));
    tt_draw(tt_get(loaded, "w2"));

    /* Compile the training loop */
    tt_val input  = tt_shard(tt_ones(TT_F32, 8, depth), mesh, "data, _");
    tt_val output = tt_apply(dot_relu_dot, model, input); /* op by op; expected laid out as its operands make it */
    puts(tt_state_text(output, .form = "shape"));
    tt_draw(output);
    train(mesh, loaded);
    tt_set_random_layout("partitionable");          /* the same program in a JAX of today */
    train(mesh, tt_call(create));

    /* Logical axis annotation */
    tt_val logical = tt_call(tt_jit(create_logical_model, .mesh = mesh, .rules = "batch:data, hidden:model, embed:_"));
    w1 = tt_get(logical, "dot1.kernel"), w2 = tt_get(logical, "w2");
    tt_draw(w1);
    tt_draw(w2);
    assert(tt_has_layout(w1, mesh, "_, model") && tt_has_layout(w2, mesh, "model, _"));
    assert(tt_has_layout(tt_apply(logical_dot_relu_dot, logical, input), mesh, "data, _"));
    return tt_done();
}
