/* linen_spmd.c - "Scale up Flax Modules on multiple devices with pjit": partitioned parameters, a state born sharded, a
 * scan over layers, logical axes and rules.
 *
 * linen_spmd [seed [depth [layers]]]. Eight devices of this process. A box is a leaf with names: tt_get is its value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* MLP hyperparameters */
static int64_t BATCH = 8, LAYERS = 4, DEPTH = 1024, USE_SCAN = 1, SEED = 0;
TT_RECORD(TrainState, step, params, opt_state);

/* Define a layer */

static tt_val DotReluDot(tt_nn m, tt_val x)
{
    const int64_t in[] = { tt_dim(x, -1), DEPTH, TT_DIM_END }, out[] = { DEPTH, tt_dim(x, -1), TT_DIM_END };
    tt_val W1 = tt_param(m, "W1", in, .init = "xavier_normal", .axes = "_, model");
    tt_val y = tt_logical_constraint(tt_relu(tt_matmul(x, W1)), "data, model");
    tt_val W2 = tt_param(m, "W2", out, .init = "xavier_normal", .axes = "model, _");
    return tt_logical_constraint(tt_matmul(y, W2), "data, _");
}

/* Define a model with a scan over layers */

static tt_val MLP(tt_nn m, tt_val x)
{
    if (USE_SCAN) return tt_stack(m, "ScanDotReluDot_0", DotReluDot, LAYERS, x);
    for (int i = 0; i < LAYERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "DotReluDot_%d", i);
        x = tt_sub_module(m, name, DotReluDot, x);
    }
    return x;
}

static tt_val begin(tt_module *model, tt_val k, tt_val x)
{
    tt_val params = tt_init(model, k, x);
    return TrainState_val((TrainState){ tt_zeros(TT_I32), params, tt_adam(params, .rate = 0.001) });
}
static tt_val init_fn(tt_val k, tt_val x) { return begin(MLP, k, x); }

/* Apply to the train step and inference */

static tt_val fake_loss(tt_val params, tt_val x) { return tt_sum(tt_apply(MLP, params, x)); }

static tt_val train_step(tt_val state, tt_val x)
{
    TrainState s = TrainState_of(state);
    tt_opt_step(&s.params, &s.opt_state, tt_call(tt_grad(fake_loss), s.params, x));
    s.step = tt_add(s.step, tt_i(1));
    return TrainState_val(s);
}

static tt_val apply_fn(tt_val state, tt_val x) { return tt_apply(MLP, TrainState_of(state).params, x); }

/* Logical axis annotation */

static tt_val LogicalDotReluDot(tt_nn m, tt_val x)
{
    const int64_t in[] = { tt_dim(x, -1), DEPTH, TT_DIM_END }, out[] = { DEPTH, tt_dim(x, -1), TT_DIM_END };
    tt_val W1 = tt_param(m, "W1", in, .init = "xavier_normal", .axes = "embed, hidden");
    tt_val y = tt_logical_constraint(tt_relu(tt_matmul(x, W1)), "batch, hidden");
    tt_val W2 = tt_param(m, "W2", out, .init = "xavier_normal", .axes = "hidden, embed");
    return tt_logical_constraint(tt_matmul(y, W2), "batch, embed");
}

static tt_val LogicalMLP(tt_nn m, tt_val x)
{
    return tt_stack(m, "ScanLogicalDotReluDot_0", LogicalDotReluDot, LAYERS, x, .layer = "layer");
}
static tt_val logical_init_fn(tt_val k, tt_val x) { return begin(LogicalMLP, k, x); }

static tt_val minus(tt_val a, tt_val b) { return tt_sub(a, b); }

int main(int argc, char **argv)
{
    if (argc > 1) SEED = atoll(argv[1]);
    if (argc > 2) DEPTH = atoll(argv[2]);
    if (argc > 3) LAYERS = atoll(argv[3]);
    tt_set_random_layout("original");

    /* Imports: a device mesh, and names for its axes */
    tt_mesh mesh = tt_mesh("data:2, model:4");
    const char *names = "data:data, model:model";   /* an axis's name is that of the mesh */
    puts(tt_mesh_text(mesh, "devices"));
    puts(tt_mesh_text(mesh, "repr 0.4.13"));

    /* Specify sharding: the input, and the output from an abstract evaluation */
    puts(tt_layout_text(mesh, 2, "data, _", "spec"));
    tt_val x = tt_ones(TT_F32, BATCH, DEPTH), k = tt_key(SEED);
    puts(tt_state_text(tt_eval_shape(init_fn, k, x)));

    /* Compile: the state is born sharded */
    tt_fn  init = tt_jit(init_fn, .mesh = mesh, .in = "_; data, _", .rules = names);
    tt_val state = tt_call(init, k, x);
    puts(tt_state_text(state, .form = "box"));

    /* Inspect the module's output */
    tt_val layer = tt_get(state, USE_SCAN ? "params.ScanDotReluDot_0" : "params.DotReluDot_0");
    tt_val W1 = tt_get(layer, "W1");
    puts(tt_state_text(W1, .form = "box"));
    puts(tt_type_text(W1));
    puts(tt_state_text(W1, .form = "shape"));
    printf("GSPMDSharding(%s)\n", tt_text(W1, "gspmd list"));
    tt_val diff = tt_call(tt_jit(minus), layer, layer);
    puts(tt_state_text(diff, .form = "box"));
    puts(tt_type_text(tt_get(diff, "W1")));
    puts(tt_state_text(tt_get(diff, "W1"), .form = "shape"));

    /* The train step and inference */
    tt_fn  step  = tt_jit(train_step, .mesh = mesh, .rules = names);
    tt_fn  infer = tt_jit(apply_fn, .mesh = mesh, .out = "data, _");
    tt_val xs = tt_shard(x, mesh, "data, _"), fresh = tt_call(step, state, xs), y = tt_call(infer, fresh, xs);
    puts(tt_type_text(y));
    puts(tt_state_text(y, .form = "shape"));
    printf("mean of the output before and after: %s %s\n", tt_value_text(tt_mean(tt_call(infer, state, xs))),
           tt_value_text(tt_mean(y)));

    /* Profiling */
    puts(tt_timeit(step, state, xs));

    /* Logical axis annotation: rules say where names are laid out, without a change of the model */
    const char *rules = "batch:data, hidden:model";
    tt_val abstract = tt_eval_shape(logical_init_fn, k, x);
    puts(tt_state_text(abstract));
    puts(tt_state_text(abstract, .rules = rules));
    const char *same = tt_state_text(tt_get(abstract, "params.ScanLogicalDotReluDot_0"), .rules = rules);
    puts(!strcmp(tt_state_text(layer), same) ? "True" : "False");
    tt_val logical = tt_call(tt_jit(logical_init_fn, .mesh = mesh, .in = "_; data, _", .rules = rules), k, x);
    puts(tt_state_text(logical, .form = "logical"));
    return tt_done();
}
