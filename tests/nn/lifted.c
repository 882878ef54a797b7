/* lifted.c - variables of collections, and modules inside transforms: names, keys, values and gradients are those of
 * the module itself; a cache, also one that is donated; Flax's initial values under spectral and weight norm. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

enum { B = 2, T = 6, F = 8 };
#define MODULE(name, y)      static tt_val name(tt_nn m, tt_val x) { return y; }

static void near(const char *what, tt_val a, tt_val b, double most)
{
    const tt_val far = tt_amax(tt_abs(tt_sub(tt_cast(a, TT_F32), tt_cast(b, TT_F32))));
    CHECK(tt_num(far) <= most, "%s: %g apart%s", what, tt_num(far), tt_ok() ? "" : tt_error());
}
static void refused(const char *what, const char *part)
{
    CHECK(!tt_ok() && strstr(tt_error(), part), "%s: %s", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

/* ---- collections ---- */

static tt_val counts(tt_nn m, tt_val x)
{
    const tt_val n = tt_variable_of(m, "counts", "calls", tt_i(0));
    tt_variable_set(m, "counts", "calls", tt_add(n, tt_i(1)));
    const tt_val mean = tt_variable_of(m, "batch_stats", "mean", tt_zeros(TT_F32, F));
    if (tt_training(m)) tt_variable_set(m, "batch_stats", "mean", tt_add(mean, tt_ones(TT_F32, F)));
    tt_sow(m, "intermediates", "x", x);
    tt_sow(m, "intermediates", "x", tt_neg(x));
    return tt_add(x, tt_cast(n, TT_F32));
}
MODULE(counted, tt_sub_module(m, "a", counts, x))
MODULE(counted_three, tt_stack(m, "a", counts, 3, x))
MODULE(counted_again, tt_remat_module(m, "a", counts, x))

static void collections(tt_module *module)
{
    const tt_val x = tt_ones(TT_F32, B, F), vars = tt_init(module, tt_key(0), x);
    tt_val c = tt_init_collections(module, vars, x, .only = "counts"), y, stats;
    CHECK(tt_items(c) == 1 && tt_has(c, "counts.a.calls"), "%s", tt_error());
    for (int i = 0; i < 2; i++)
        tt_unpack(tt_apply_with(module, vars, x, .collections = c, .updates = "counts"), &y, &c);
    CHECK(tt_num(tt_amin(tt_get(c, "counts.a.calls"))) == 2, "the count is %g", tt_num(tt_amin(tt_get(c,
          "counts.a.calls"))));
    tt_unpack(tt_apply_with(module, vars, x, .collections = c, .updates = "*", .train = 1, .key = tt_key(1)), &y, &c,
              &stats);
    CHECK(tt_items(tt_get(c, "intermediates.a.x")) == 2, "sown: %d", tt_items(tt_get(c, "intermediates.a.x")));
    near("what was sown", tt_add(tt_get(c, "intermediates.a.x.0"), tt_get(c, "intermediates.a.x.1")), tt_f(0), 0);
    near("the statistic", tt_get(stats, "a.mean"), tt_f(1), 0);
    CHECK(tt_leaf_frozen(tt_get(stats, "a.mean")), "the statistic is trained");
    tt_apply(module, vars, x);
    refused("a pass without collections", "the collections have no \"counts.a.calls\"");
    tt_apply_with(module, vars, x, .collections = c);
    refused("a pass that updates nothing", "which this pass does not update");
    tt_apply_with(module, vars, x, .collections = c, .updates = "counts, cuonts");
    refused("a collection that is not", "no variable of collection \"cuonts\"");
    CHECK(tt_ok(), "%s", tt_error());
}

static tt_val wrong_name(tt_nn m, tt_val x) { return tt_variable_of(m, "params", "w", x); }
static tt_val wrong_word(tt_nn m, tt_val x) { return tt_variable_of(m, "cache", "a.b", x); }

static void refusals(void)
{
    const tt_val x = tt_ones(TT_F32, B, F), none = tt_init(counted, tt_key(0), x);
    tt_init(wrong_name, tt_key(0), x);
    refused("a parameter as a variable", "of collection \"params\", which holds parameters only");
    tt_init(wrong_word, tt_key(0), x);
    refused("a name with a dot", "the name is \"a.b\"");
    tt_apply_with(counted, none, x, .collections = x);
    refused("collections that are an array", ".collections is f32[2, 8]");
}

/* ---- the module itself ---- */

static tt_val net(tt_nn m, tt_val x)
{
    return tt_dropout(m, tt_batch_norm(m, "n", tt_tanh(tt_dense(m, "d", x, F))), 0.25);
}
MODULE(plain, tt_sub_module(m, "b", net, tt_dense(m, "first", x, F)))
MODULE(again, tt_remat_module(m, "b", net, tt_dense(m, "first", x, F)))
MODULE(stacked, tt_stack(m, "b", net, 3, x))
MODULE(stacked_again, tt_stack(m, "b", net, 3, x, .remat = 1))
static tt_module *module_now;
static tt_val loss(tt_val vars, tt_val x)
{
    return tt_mean(tt_square(tt_item(tt_apply_train(module_now, vars, x, tt_key(3)), 0)));
}
static tt_val gradient(tt_module *module, tt_val vars, tt_val x)
{
    module_now = module;
    return tt_call(tt_value_and_grad(loss), vars, x);
}

static void remat(tt_module *one, tt_module *other)
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, 16, F), v = tt_init(one, tt_key(0), x);
    tt_match("variables", v, tt_init(other, tt_key(0), x));
    CHECK(tt_ok(), "%s", tt_error());
    near("initial values", tt_global_norm(tt_sub(v, tt_init(other, tt_key(0), x))), tt_f(0), 0);
    const tt_val a = gradient(one, v, x), b = gradient(other, v, x);
    near("the loss", tt_item(a, 0), tt_item(b, 0), 0);
    near("gradients", tt_global_norm(tt_sub(tt_item(a, 1), tt_item(b, 1))), tt_f(0), 1e-6);
    const tt_val s = tt_item(tt_apply_train(one, v, x, tt_key(3)), 1);
    near("statistics", tt_global_norm(tt_sub(s, tt_item(tt_apply_train(other, v, x, tt_key(3)), 1))), tt_f(0), 1e-6);
}

/* Flax 0.12: nn.vmap(B, variable_axes={"params": 0}, split_rngs={"params": True})(name="b"), B a dense layer "d". */
MODULE(dense3, tt_dense(m, "d", x, 3))
MODULE(mapped, tt_vmap_module(m, "b", dense3, x))
MODULE(mapped_shared, tt_vmap_module(m, "b", dense3, x, .shared = 1))
MODULE(named, tt_sub_module(m, "b", dense3, x))

static void vmap(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 4), v = tt_init(mapped, tt_key(0), x), w = tt_init(named, tt_key(0), x);
    float k[24];
    CHECK(tt_read(tt_get(v, "b.d.kernel"), k, sizeof k), "%s", tt_error());
    CHECK(k[0] == 0.26399636F && k[1] == -0.47454214F && k[2] == -0.24904096F, "%.9g %.9g %.9g", (double)k[0],
          (double)k[1], (double)k[2]);
    for (int i = 0; i < 2; i++) {
        const tt_val of = tt_dict("b", tt_dict("d", tt_dict("kernel", tt_take(tt_get(v, "b.d.kernel"), tt_i(i), 0),
                                                            "bias", tt_take(tt_get(v, "b.d.bias"), tt_i(i), 0))));
        near("a copy", tt_take(tt_apply(mapped, v, x), tt_i(i), 0), tt_apply(named, of, tt_take(x, tt_i(i), 0)), 1e-6);
    }
    near("shared", tt_global_norm(tt_sub(tt_init(mapped_shared, tt_key(0), x), w)), tt_f(0), 0);
    near("shared, applied", tt_apply(mapped_shared, w, x), tt_apply(named, w, x), 1e-6);
    CHECK(tt_ok(), "%s", tt_error());
}

/* ---- a cache ---- */

static tt_val deep(tt_nn m, tt_val x)
{
    return tt_add(x, tt_attention_layer(m, "a", x, 4, .kv_heads = 2, .causal = 1, .rope = 100, .cache = T));
}
MODULE(speaker, tt_stack(m, "layers", deep, 2, x))
MODULE(near_only, tt_attention_layer(m, "a", x, 2, .causal = 1, .window = { 2, 0 }, .cache = T))

static tt_val said(tt_val cache, tt_val vars, tt_val x)
{
    tt_val y, next;
    tt_unpack(tt_apply_with(speaker, vars, x, .collections = cache, .updates = "cache"), &y, &next);
    return tt_tuple(next, y);
}

static void cache(tt_module *module, const int *parts)
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, B, T, F), vars = tt_init(module, tt_key(0), x);
    const tt_val all = tt_apply(module, vars, x);
    tt_val c = tt_init_collections(module, vars, tt_slice(x, 1, 0, 1, 1)), y;
    for (int at = 0; at < T; at += *parts++) {
        const tt_val part = tt_slice(x, 1, at, at + *parts, 1);
        tt_unpack(tt_apply_with(module, vars, part, .collections = c, .updates = "cache"), &y, &c);
        near("a part of the sequence", y, tt_slice(all, 1, at, at + *parts, 1), 2e-6);
    }
    CHECK(tt_ok(), "%s", tt_error());
}

static void beyond(void)                                 /* compiled: NaN; at once: an error */
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, B, 4, F), vars = tt_init(speaker, tt_key(0), x);
    const tt_fn step = tt_jit(said, .donate = "0");
    tt_val c = tt_init_collections(speaker, vars, x), out = tt_call(step, c, vars, x);
    CHECK(!tt_num(tt_any(tt_isnan(tt_item(out, 1)))), "NaN within the cache");
    out = tt_call(step, tt_item(out, 0), vars, x);
    CHECK(tt_num(tt_all(tt_isnan(tt_item(out, 1)))), "no NaN beyond the cache");
    c = tt_init_collections(near_only, tt_init(near_only, tt_key(0), x), x);
    const tt_val long_x = tt_concat(1, x, x), v = tt_init(near_only, tt_key(0), x);
    tt_apply_with(near_only, v, long_x, .collections = c, .updates = "cache");
    refused("beyond the cache", "8 positions after 0 are more than .cache = 6");
}

/* ---- norms around layers: what Flax's init(jax.random.key(0), ones(2, 4)) gives ---- */

MODULE(spectral, tt_spectral_norm(m, "s", dense3, x))
MODULE(weighed, tt_weight_norm(m, "w", dense3, x))

static void norms(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 4), s = tt_init(spectral, tt_key(0), x), w = tt_init(weighed, tt_key(0), x);
    near("spectral: kernel", tt_take(tt_get(s, "d.kernel"), tt_i(0), 0),
         tt_array(TT_F32, ((float[]){ 0.60002446F, 0.41952786F, -0.11678462F }), 3), 2e-6);
    near("weight: kernel", tt_take(tt_get(w, "d.kernel"), tt_i(0), 0),
         tt_array(TT_F32, ((float[]){ 0.5989706F, 0.2616058F, -0.09932996F }), 3), 2e-6);
    near("weight: scale", tt_get(w, "w.d/kernel/scale"), tt_f(1), 0);
    CHECK(tt_leaf_frozen(tt_get(s, "s.d/kernel/u")) && !tt_leaf_frozen(tt_get(w, "w.d/kernel/scale")),
          "what is trained");
    tt_val next = s;
    for (int i = 0; i < 20; i++) next = tt_item(tt_apply_train(spectral, next, x, tt_key(1)), 1);
    const tt_val k = tt_div(tt_get(next, "d.kernel"), tt_get(next, "s.d/kernel/sigma"));
    near("the largest singular value", tt_amax(tt_item(tt_svd(k), 1)), tt_f(1), 1e-4);
    CHECK(tt_ok(), "%s", tt_error());
}

/* ---- statistics that change twice in a pass ---- */

static tt_val norm_twice(tt_nn m, tt_val x)
{
    const tt_val a = tt_batch_norm(m, "n", x, .momentum = 0.5);
    tt_alias(m, "again", "n");
    return tt_add(a, tt_batch_norm(m, "again", tt_mul(x, tt_f(2)), .momentum = 0.5));
}
static tt_val counts_once(tt_nn m, tt_val x)
{
    const tt_val n = tt_variable_of(m, "batch_stats", "n", tt_f(0));
    if (tt_training(m)) tt_variable_set(m, "batch_stats", "n", tt_add(n, tt_f(1)));
    return x;
}
#define TWICE(name, call, ...) \
    static tt_val name(tt_nn m, tt_val x) \
    { \
        x = call(m, "a", counts_once, __VA_ARGS__); \
        tt_alias(m, "again", "a"); \
        return call(m, "again", counts_once, __VA_ARGS__); \
    }
TWICE(twice_as_it_is, tt_sub_module, x)
TWICE(twice_again, tt_remat_module, x)
TWICE(twice_mapped, tt_vmap_module, x)
TWICE(twice_stacked, tt_stack, 2, x)

static void within_a_pass(void)                          /* the second call reads what the first has written */
{
    const tt_val x = tt_array(TT_F32, ((float[]){ 1, 2, 3, 6 }), 4, 1), vars = tt_init(norm_twice, tt_key(0), x);
    const tt_val next = tt_item(tt_apply_train(norm_twice, vars, x, tt_key(1)), 1);
    near("the mean, 3 and then 6", tt_get(next, "n.mean"), tt_f(0.5 * (0.5 * 3) + 0.5 * 6), 1e-6);
    tt_module *const all[] = { twice_as_it_is, twice_again, twice_mapped, twice_stacked };
    for (int i = 0; i < 4; i++) {
        const tt_val v = tt_init(all[i], tt_key(0), x), after = tt_item(tt_apply_train(all[i], v, x, tt_key(1)), 1);
        near("a count of two calls", tt_get(after, "a.n"), tt_f(2), 0);
    }
    CHECK(tt_ok(), "%s", tt_error());
}

/* ---- layers over time ---- */

MODULE(over_time, tt_item(tt_rnn(m, "r", tt_simple_cell, tt_zeros(TT_F32, 2, 3), x), 1))
static tt_val doubled(tt_val v) { return tt_mul(v, tt_f(2)); }
static tt_val halved(tt_val v) { return tt_div(v, tt_f(2)); }
static tt_val nothing(tt_val v) { return tt_mul(v, tt_f(0)); }
static tt_val dense_of_8(tt_nn m, tt_val x) { return tt_dense(m, "d", x, F); }
MODULE(stored_halved, tt_with_params(m, doubled, halved, over_time, x))
MODULE(read_as_nothing, tt_with_params(m, nothing, halved, over_time, x))
MODULE(stack_of_8, tt_stack(m, "s", dense_of_8, 2, x))
MODULE(stack_doubled, tt_with_params(m, doubled, halved, stack_of_8, x))
MODULE(stack_as_nothing, tt_with_params(m, nothing, halved, stack_of_8, x))
MODULE(time_weighed, tt_weight_norm(m, "w", over_time, x))
MODULE(time_spectral, tt_spectral_norm(m, "s", over_time, x))

static tt_val cell_of_norm_at(const char *site, tt_nn m, const char *name, tt_val carry, tt_val x)
{
    (void)site, (void)name;
    carry = tt_add(carry, tt_batch_norm(m, "n", x));
    return tt_tuple(carry, carry);
}
static tt_val cell_of_dropout_at(const char *site, tt_nn m, const char *name, tt_val carry, tt_val x)
{
    (void)site, (void)name;
    carry = tt_add(carry, tt_dropout(m, x, 0.5));
    return tt_tuple(carry, carry);
}
MODULE(norm_over_time, tt_item(tt_rnn(m, "r", cell_of_norm, tt_zeros(TT_F32, 2, 3), x), 1))
MODULE(dropout_over_time, tt_item(tt_rnn(m, "r", cell_of_dropout, tt_zeros(TT_F32, 2, 3), x), 1))

static void through_time(void)
{
    const tt_val xs = tt_normal(tt_key(4), TT_F32, 4, 2, 3), vars = tt_init(over_time, tt_key(0), xs);
    const tt_val half = tt_init(stored_halved, tt_key(0), xs);
    near("stored halved", tt_mul(tt_get(half, "r.i.kernel"), tt_f(2)), tt_get(vars, "r.i.kernel"), 0);
    near("read doubled", tt_apply(stored_halved, half, xs), tt_apply(over_time, vars, xs), 1e-6);
    near("read as nothing", tt_apply(read_as_nothing, vars, xs), tt_f(0), 0);
    const tt_val x = tt_normal(tt_key(5), TT_F32, 2, F), stack = tt_init(stack_doubled, tt_key(0), x);
    near("a stack", tt_apply(stack_doubled, stack, x), tt_apply(stack_of_8, tt_init(stack_of_8, tt_key(0), x), x),
         1e-6);
    near("a stack of nothing", tt_apply(stack_as_nothing, stack, x), tt_f(0), 0);
    CHECK(tt_ok(), "%s", tt_error());
    tt_init(time_weighed, tt_key(0), xs);
    refused("a weight norm around time", "\"r\": a module inside a transform");
    tt_init(time_spectral, tt_key(0), xs);
    refused("a spectral norm around time", "\"r\": a module inside a transform");
    const tt_val norm = tt_init(norm_over_time, tt_key(0), xs);
    CHECK(tt_ok() && tt_rank(tt_apply(norm_over_time, norm, xs)) == 3, "%s", tt_error());
    tt_apply_train(norm_over_time, norm, xs, tt_key(1));
    refused("a batch norm in a cell", "the cell changes variables");
    tt_apply_train(dropout_over_time, tt_init(dropout_over_time, tt_key(0), xs), xs, tt_key(1));
    CHECK(tt_ok(), "%s", tt_error());
    const tt_val keras = tt_init(dropout_over_time, tt_seed(0), xs, .keys = "keras");
    tt_apply_train(dropout_over_time, keras, xs, tt_seed(1));
    refused("draws by Keras's counter in a cell", "the cell draws by Keras's keys");
}

MODULE(only_typo, tt_weight_norm(m, "w", dense3, x, .only = "kernel, bais"))
MODULE(only_none, tt_weight_norm(m, "w", dense3, x, .only = ""))
MODULE(only_both, tt_weight_norm(m, "w", dense3, x, .only = "kernel, bias"))
static void words(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 4), vars = tt_init(only_both, tt_key(0), x);
    CHECK(tt_ok() && tt_has(vars, "w.d/bias/scale"), "%s", tt_error());
    tt_init(only_typo, tt_key(0), x);
    refused("a word in no path", ".only has \"bais\"");
    tt_apply(only_typo, vars, x);
    refused("a word in no path, applied", ".only has \"bais\"");
    tt_init(only_none, tt_key(0), x);
    refused("no word", ".only = \"\" has 0 words");
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(collections(counted));
    CHECK_RUN(collections(counted_three));
    CHECK_RUN(collections(counted_again));
    CHECK_RUN(refusals());
    CHECK_RUN(remat(plain, again));
    CHECK_RUN(remat(stacked, stacked_again));
    CHECK_RUN(vmap());
    CHECK_RUN(cache(speaker, (const int[]){ 1, 1, 1, 1, 1, 1 }));
    CHECK_RUN(cache(speaker, (const int[]){ 4, 1, 1 }));
    CHECK_RUN(cache(near_only, (const int[]){ 3, 2, 1 }));
    CHECK_RUN(beyond());
    CHECK_RUN(norms());
    CHECK_RUN(within_a_pass());
    CHECK_RUN(through_time());
    CHECK_RUN(words());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
