/* mlp.c - a stack of dense blocks with logical axes, trained with Adam; the rules lay it out over a mesh. Saved, and
 * loaded under other rules. */
#include <tutti.h>

enum { BATCH = 64, EMBED = 256, HIDDEN = 1024, LAYERS = 4 };
TT_RECORD(state, params, opt);

static tt_val block(tt_nn m, tt_val x)              /* dot, relu, dot: written once, sharded by rules below */
{
    tt_val h = tt_relu(tt_dense(m, "up", x, HIDDEN, .axes = "embed, hidden"));
    h = tt_logical_constraint(h, "batch, hidden");
    return tt_logical_constraint(tt_dense(m, "down", h, EMBED, .axes = "hidden, embed"), "batch, embed");
}

static tt_val mlp(tt_nn m, tt_val x) { return tt_stack(m, "layer", block, LAYERS, x); }

static tt_val loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_square(tt_sub(tt_apply(mlp, p, x), y))); }

static tt_val create(tt_val key, tt_val x)
{
    tt_val p = tt_init(mlp, key, x);
    return state_val((state){ p, tt_adam(p, .rate = 1e-3) });
}

static tt_val train(tt_val s, tt_val x, tt_val y)
{
    state st = state_of(s);
    tt_val l, g;
    tt_unpack(tt_call(tt_value_and_grad(loss), st.params, x, y), &l, &g);
    tt_opt_step(&st.params, &st.opt, g);
    return tt_tuple(state_val(st), l);
}

int main(void)
{
    tt_mesh mesh = tt_mesh("data:2, model:4");
    const char *rules = "batch:data, hidden:model";
    tt_val x = tt_shard(tt_normal(tt_key(1), TT_F32, BATCH, EMBED), mesh, "data, _");
    tt_val y = tt_shard(tt_normal(tt_key(2), TT_F32, BATCH, EMBED), mesh, "data, _");
    tt_fn  init = tt_jit(create, .mesh = mesh, .rules = rules);
    tt_fn  step = tt_jit(train,  .mesh = mesh, .rules = rules, .donate = "0");

    tt_val s = tt_call(init, tt_key(0), x);         /* parameters are born sharded */
    tt_show(tt_get(s, "params.layer.up.kernel"));   /* [4@_, 256@_, 1024@model] */
    for (tt_loop it = tt_steps(200, .bar = "train"); tt_next(&it); ) {
        tt_val out = tt_call(step, s, x, y);
        tt_assign(&s, tt_item(out, 0));
        tt_note(&it, "loss %.4f", tt_num(tt_item(out, 1)));
    }
    tt_save("mlp.ckpt", s, .force = 1);             /* in the place of an earlier one */
    tt_val r = tt_load("mlp.ckpt", .mesh = tt_mesh("data:8"), .rules = "batch:data, embed:data");
    tt_show(tt_get(r, "params.layer.up.kernel"));   /* [4@_, 256@data, 1024@_] */
    return tt_done();
}
