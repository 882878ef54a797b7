/* parallel.c - training by hand in regions: slices and wholes of parameters, "@" in specs, parameters that pass
 * through functions (in stacks too), gradients over minibatches, what is kept of donated arguments, and mistakes. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

static tt_val ramp(int64_t n) { return tt_arange(TT_F32, n); }

static double apart(tt_val a, tt_val b)                  /* largest difference of two trees */
{
    tt_val x[32], y[32];
    double most = 0;
    const int n = tt_tree_leaves(a, 32, x);
    if (n > 32 || tt_tree_leaves(b, 32, y) != n) return INFINITY;
    for (int i = 0; i < n; i++) {
        const double d = tt_num(tt_amax(tt_abs(tt_sub(tt_cast(x[i], TT_F32), tt_cast(y[i], TT_F32)))));
        most = isnan(d) || d > most ? d : most;
    }
    return most;
}

static bool refused(const char *words)                   /* and goes on */
{
    const bool ok = !tt_ok() && tt_error() && strstr(tt_error(), words);
    if (!ok) printf("expected an error that says \"%s\", got: %s\n", words, tt_error());
    tt_clear();
    return ok;
}

/* ---- slices, "@" ---- */

static tt_val cut(tt_val p) { return tt_shard_params(p, "data", 16); }
static tt_val whole(tt_val p) { return tt_gather_params(p, "data"); }
static tt_val same_axes(tt_val p) { return tt_mul(p, tt_i(2)); }

static void slices(tt_mesh mesh)
{
    const tt_val p = tt_dict("a", tt_reshape(ramp(64), 8, 8), "b", ramp(8), "c", tt_leaf(ramp(32), .axes = "embed"));
    const tt_val s = tt_call(tt_jit(tt_shard_map(cut, .mesh = mesh, .in = "_", .out = "@", .unchecked = 1)), p);
    CHECK(tt_has_layout(tt_get(s, "a"), mesh, "_, data"), "%s", tt_spec(tt_get(s, "a"))); /* the later of equal dims */
    CHECK(tt_has_layout(tt_get(s, "b"), mesh, "_") && !tt_leaf_axes(tt_get(s, "b")), "a small one is cut");
    CHECK(tt_has_layout(tt_get(s, "c"), mesh, "_"), "a dim with a name of its own is cut: %s", tt_spec(tt_get(s, "c")));
    const char *axes = tt_leaf_axes(tt_get(s, "a"));
    CHECK(axes && !strcmp(axes, "_, data"), "%s", axes);
    CHECK(apart(s, p) == 0, "slices put together are other values");
    const tt_val w = tt_call(tt_jit(tt_shard_map(whole, .mesh = mesh, .in = "@", .out = "_", .unchecked = 1)), s);
    CHECK(apart(w, p) == 0 && !tt_leaf_axes(tt_get(w, "a")), "wholes are other values, or have axes left");
    const tt_val d = tt_call(tt_jit(tt_shard_map(same_axes, .mesh = mesh, .in = "@", .out = "@")), s);
    CHECK(tt_ok() && tt_has_layout(tt_get(d, "a"), mesh, "_, data"), "a checked region with \"@\": %s", tt_error());
    CHECK(!strcmp(tt_leaf_axes(tt_get(w, "c")), "embed"), "a logical axis is lost");
}

/* ---- parameters on their way ---- */

static tt_val block(tt_nn m, tt_val x) { return tt_tanh(tt_dense(m, "d", x, 8)); }
static tt_val deep(tt_nn m, tt_val x) { return tt_dense(m, "out", tt_stack(m, "s", block, 3, x), 4); }
static tt_val through(tt_nn m, tt_val x) { return tt_with_params(m, whole, cut, deep, x); }
static tt_val doubled(tt_val p) { return tt_mul(p, tt_f(2)); }
static tt_val halved(tt_val p) { return tt_mul(p, tt_f(0.5)); }
static tt_val tenfold(tt_val p) { return tt_mul(p, tt_f(10)); }
static tt_val tenth(tt_val p) { return tt_div(p, tt_f(10)); }
static tt_val plain(tt_nn m, tt_val x) { return tt_dense(m, "d", tt_batch_norm(m, "n", x), 3); }
static tt_val inside(tt_nn m, tt_val x) { return tt_with_params(m, doubled, halved, plain, x); }
static tt_val outside(tt_nn m, tt_val x) { return tt_with_params(m, tenfold, tenth, inside, x); }

static tt_val made(tt_val key, tt_val x) { return tt_init(through, key, x); }
static tt_val used(tt_val p, tt_val x) { return tt_apply(through, p, x); }

static void on_their_way(tt_mesh mesh)
{
    const tt_val x = tt_normal(tt_key(1), TT_F32, 5, 3), key = tt_key(2);
    const tt_val a = tt_init(plain, key, x), b = tt_init(outside, key, x);
    CHECK(apart(tt_get(b, "d.kernel"), tt_mul(tt_get(a, "d.kernel"), tt_f(0.05))) < 1e-7, "what is kept");
    CHECK(apart(tt_get(b, "n.var"), tt_get(a, "n.var")) == 0, "statistics are no parameters");
    CHECK(apart(tt_apply(outside, b, x), tt_apply(plain, a, x)) < 1e-5, "what is read");
    const tt_val y = tt_normal(tt_key(3), TT_F32, 4, 8), want = tt_init(deep, key, y);
    const tt_fn make = tt_shard_map(made, .mesh = mesh, .in = "_; _", .out = "@", .unchecked = 1);
    const tt_fn use = tt_shard_map(used, .mesh = mesh, .in = "@; _", .out = "_", .unchecked = 1);
    const tt_val p = tt_call(tt_jit(make), key, y);
    CHECK(apart(p, want) < 1e-6, "layers of a stack have other parameters: %s", tt_error());
    CHECK(tt_has_layout(tt_get(p, "s.d.kernel"), mesh, "_, _, data"), "%s", tt_spec(tt_get(p, "s.d.kernel")));
    const tt_val out = tt_call(tt_jit(use), p, y);
    CHECK(apart(out, tt_apply(deep, want, y)) < 1e-5, "a stack of gathered layers: %s", tt_error());
}

/* ---- minibatches ---- */

static tt_val loss(tt_val w, tt_val batch, tt_val key)
{
    const tt_val off = tt_sub(tt_matmul(tt_get(batch, "x"), w), tt_get(batch, "y")), n = tt_i(tt_dim(off, 0));
    (void)key;
    return tt_tuple(tt_mean(tt_square(off)), tt_dict("sum", tt_tuple(tt_sum(off), n)));
}
static tt_val no_metrics(tt_val w, tt_val batch, tt_val key) { return tt_item(loss(w, batch, key), 0); }

static tt_val batch_of(int64_t n)
{
    return tt_dict("x", tt_normal(tt_key(5), TT_F32, n, 4), "y", tt_normal(tt_key(6), TT_F32, n));
}

static void minibatches(void)
{
    const tt_val w = ramp(4), key = tt_key(0), batch = batch_of(12);
    const tt_val full = tt_accumulate(loss, 1, w, batch, key), loop = tt_accumulate(loss, 4, w, batch, key);
    const tt_val scan = tt_accumulate(loss, 4, w, batch, key, .scan = 1);
    CHECK(apart(loop, full) < 1e-5, "by loop: %g", apart(loop, full));
    CHECK(apart(scan, full) < 1e-5, "by scan: %g", apart(scan, full));
    CHECK(tt_num(tt_get(tt_item(scan, 1), "sum.1")) == 12, "rows are counted");
    const tt_val some = tt_accumulate(loss, 5, w, batch, key);
    CHECK(tt_num(tt_get(tt_item(some, 1), "sum.1")) == 10, "two rows are left over");
    tt_accumulate(loss, 13, w, batch, key);
    CHECK(refused("13 minibatches"), "more minibatches than rows");
    tt_accumulate(no_metrics, 2, w, batch, key);
    CHECK(refused("aux"), "a loss without metrics");
}

/* ---- keys, gradients ---- */

static tt_val own_keys(tt_val key) { return tt_expand_dims(tt_fold_in_axis(key, "i, j"), 0); }
static tt_val synced(tt_val g)
{
    const tt_val mine = tt_add(g, tt_cast(tt_axis_index("i"), TT_F32)), cut_one = tt_leaf(mine, .axes = "i");
    return tt_sync_grads(tt_tuple(mine, cut_one), "i, j");
}
static tt_val product(tt_val w, tt_val x) { return tt_mean(tt_mul(w, x)); }
static tt_val own_mean(tt_val w, tt_val x)               /* of own gradients: w varies as x does */
{
    return tt_sync_grads(tt_call(tt_grad(product), tt_pvary(w, "i"), x), "i");
}
static tt_val mean_of_sum(tt_val w, tt_val x) { return tt_sync_grads(tt_call(tt_grad(product), w, x), "i"); }
static int answered;
static tt_val answers(tt_val x)                             /* x varies over i, its sum does not, over j none does */
{
    const tt_val sum = tt_psum(x, "i");
    answered = tt_varies(x, "i") && !tt_varies(sum, "i") && tt_varies(tt_pvary(sum, "i"), "i") &&
                 !tt_varies(x, "j") && !tt_varies(x, "i, j") && tt_varies(tt_pvary(x, "j"), "i, j");
    return sum;
}
static tt_val unknown(tt_val x) { return answered = tt_varies(x, "i") && tt_varies(tt_psum(x, "i"), "i"), x; }
static tt_val no_axis(tt_val p) { return tt_shard_params(p, "model", 1); }

static void keys_and_gradients(void)
{
    const tt_mesh mesh = tt_mesh("i:2, j:2");
    const tt_val k = tt_call(tt_shard_map(own_keys, .mesh = mesh, .in = "_", .out = "i+j", .unchecked = 1), tt_key(4));
    for (int d = 0; d < 4; d++) {
        const tt_val want = tt_fold_in(tt_fold_in(tt_key(4), tt_i(d / 2)), tt_i(d % 2));
        CHECK(apart(tt_take(k, tt_i(d), 0), want) == 0, "the key of device %d", d);
    }
    const tt_val g = tt_call(tt_shard_map(synced, .mesh = mesh, .in = "i", .out = "_; i", .unchecked = 1), ramp(4));
    const float more[] = { 0, 0, 1, 1 };                 /* of 0+0, 1+0 and 2+1, 3+1 */
    CHECK(apart(tt_item(g, 0), tt_add(ramp(2), tt_f(1.5))) == 0, "the mean over both axes");
    CHECK(apart(tt_item(g, 1), tt_add(ramp(4), tt_array(TT_F32, more, 4))) == 0, "a slice stays");
    const tt_mesh line = tt_mesh("i:4");
    const tt_val own = tt_call(tt_shard_map(own_mean, .mesh = line, .in = "_; i", .out = "_"), tt_f(1), ramp(8));
    CHECK(tt_num(own) == tt_num(tt_mean(ramp(8))), "the mean of gradients in a checked region");
    tt_call(tt_shard_map(mean_of_sum, .mesh = line, .in = "_; i", .out = "_"), tt_f(1), ramp(8));
    CHECK(refused("does not vary over \"i\""), "a gradient that is summed already");
    tt_call(tt_shard_map(answers, .mesh = mesh, .in = "i", .out = "_"), ramp(8));
    CHECK(tt_ok() && answered, "which values vary over which axes: %s", tt_error());
    tt_call(tt_shard_map(unknown, .mesh = mesh, .in = "i", .out = "i", .unchecked = 1), ramp(8));
    CHECK(tt_ok() && answered, "types of an unchecked region do not say what varies: %s", tt_error());
    answered = tt_varies(ramp(8), "i");
    CHECK(!answered && refused("axis \"i\" is not bound here"), "an axis that is not in force");
    tt_call(tt_shard_map(no_axis, .mesh = mesh, .in = "_", .out = "_", .unchecked = 1), ramp(8));
    CHECK(refused("model"), "an axis that is not there");
}

/* ---- donation ---- */

static tt_val first_only(tt_val t) { return tt_add(tt_item(t, 0), tt_i(1)); }

static void donated(void)
{
    tt_val a = tt_add(ramp(8), tt_i(0)), b = tt_add(ramp(8), tt_i(1));
    const tt_val y = tt_call(tt_jit(first_only, .donate = "0"), tt_tuple(a, b));
    CHECK(tt_num(tt_sum(b)) == 36, "an argument that nothing reads is its owner's");
    tt_num(tt_sum(a));
    CHECK(refused("value was donated"), "what a result took is gone");
    CHECK(tt_num(tt_sum(y)) == 36, "the result");
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    const tt_mesh mesh = tt_mesh("data:4");
    tt_on_error(silent, NULL);
    CHECK_RUN(slices(mesh));
    CHECK_RUN(on_their_way(mesh));
    CHECK_RUN(minibatches());
    CHECK_RUN(keys_and_gradients());
    CHECK_RUN(donated());
    tt_done();
    return check_done();
}
