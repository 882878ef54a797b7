/* alloc_fail.c - memory that is refused, at every place: one small program per public call, and for each the first,
 * second, third ... allocation fails until the program succeeds. Every failure is TT_EMEM, nothing crashes, and the
 * program runs again afterwards. The same walk goes twice more: by then everything interned is there, so that the last
 * one may leave no byte. Run under the address sanitizer too (make check), which sees what live counters cannot. */
#include <stdlib.h>
#include <tutti.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "trace/trace.h"

TT_RECORD(pair, w, b);

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }
static char dir[] = "/tmp/tutti-alloc-XXXXXX";
static char npy[64], npz[64];

/* ---- functions that the programs transform ---- */

static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_matmul(x, w))); }
static tt_val shift(tt_val x) { return tt_add(tt_tanh(x), tt_f(1)); }
static tt_val halves(tt_val c, tt_val x) { return tt_tuple(tt_add(tt_mul(c, tt_f(0.5)), x), c); }
static tt_val small(tt_val s) { return tt_lt(s, tt_f(100)); }
static tt_val twice(tt_val s) { return tt_mul(s, tt_f(2)); }
static tt_val counted(tt_val i, tt_val s) { return tt_add(s, tt_cast(i, TT_F32)); }
static tt_val cubed(tt_val x) { return tt_mul(x, tt_square(x)); }
static tt_val cubed_fwd(tt_val x) { return tt_tuple(cubed(x), x); }
static tt_val cubed_bwd(tt_val x, tt_val d) { return tt_mul(d, tt_mul(tt_f(3), tt_square(x))); }
static tt_val cubed_jvp(tt_val p, tt_val t)
{
    const tt_val x = tt_item(p, 0);
    return tt_tuple(cubed(x), tt_mul(tt_item(t, 0), tt_mul(tt_f(3), tt_square(x))));
}
static tt_val total(tt_val x) { return tt_sum(cubed(x)); }
static tt_val mean_of(tt_val x) { return tt_pmean(tt_square(x), "i"); }
static tt_val talk(tt_val x)                             /* every collective once */
{
    const tt_val all = tt_all_gather(x, "i", .dim = 0), mine = tt_psum_scatter(all, "i", .dim = 0);
    const tt_val moved = tt_pshift(tt_all_to_all(tt_reshape(mine, 4, 2), "i", .split = 0, .concat = 0), "i", 1);
    return tt_add(tt_reshape(moved, -1), tt_cast(tt_axis_index("i"), TT_F32));
}
static tt_val talk_reduced(tt_val x)
{
    return tt_add(tt_psum(x, "i"), tt_sub(tt_pmax(x, "i"), tt_pmin(x, "i")));
}
static tt_val net(tt_nn m, tt_val x)
{
    x = tt_relu(tt_conv(m, "c", x, 4, .window = { 3, 3 }));
    x = tt_avg_pool(tt_batch_norm(m, "n", x), .window = { 2, 2 }, .stride = { 2, 2 });
    return tt_dense(m, "d", tt_dropout(m, tt_flatten(x, 1), 0.5), 3);
}
static tt_val net_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_xent(tt_apply(net, p, x), y)); }
static tt_val bound(void *env, int n, const tt_val *v)
{
    return n ? tt_mul(v[0], tt_f(*(double *)env)) : tt_none();
}

static tt_val ramp(int64_t n) { return tt_arange(TT_F32, n); }
static tt_val grid(int64_t h, int64_t w) { return tt_reshape(tt_div(ramp(h * w), tt_f(7)), h, w); }

/* ---- the programs: each ends by looking at a number, so that all of it ran ---- */

static void values(void)
{
    const float x[6] = { 1, 2, 3, 4, 5, 6 };
    float back[6];
    tt_read(tt_array(TT_F32, x, 2, 3), back, sizeof back);
}
static void fulls(void) { tt_num(tt_sum(tt_add(tt_zeros(TT_F32, 3, 2), tt_full(2.5, TT_F32, 3, 2)))); }
static void elementwise(void) { tt_num(tt_sum(tt_exp(tt_neg(tt_sqrt(tt_clamp(tt_f(0), ramp(5), tt_f(3))))))); }
static void promotion(void) { tt_num(tt_sum(tt_add(tt_arange(TT_I8, 4), tt_cast(ramp(4), TT_BF16)))); }
static void comparison(void) { tt_num(tt_sum(tt_where(tt_lt(ramp(5), tt_f(2)), tt_f(1), ramp(5)))); }
static void shapes(void)
{
    const int64_t one[] = { 1, 1 }, none[] = { 0, 0 };
    const tt_val v = tt_pad(tt_transpose(grid(2, 3)), tt_f(9), one, one, none);
    tt_num(tt_sum(tt_reverse(tt_broadcast(tt_flatten(v, 0), 2, 20), 1)));
}
static void slices(void)
{
    const tt_val v = grid(4, 5);
    tt_num(tt_sum(tt_dynamic_update_slice(v, tt_dynamic_slice(v, 0, tt_i(1), 2), 0, tt_i(2))));
    tt_num(tt_sum(tt_concat(1, tt_slice(v, 1, 0, 4, 2), v)));
}
static void indices(void)
{
    const int32_t at[2] = { 2, 0 };
    const tt_val i = tt_array(TT_I32, at, 2), v = grid(3, 2);
    tt_num(tt_sum(tt_index_add(v, i, tt_take(v, i, 0))));
}
static void contraction(void)
{
    tt_num(tt_sum(tt_matmul(grid(5, 4), grid(4, 3))));
    tt_num(tt_sum(tt_einsum("a b, c b -> a c", grid(2, 4), grid(3, 4))));
}
static void convolution(void)
{
    tt_num(tt_sum(tt_convolve(tt_reshape(ramp(72), 1, 6, 6, 2), tt_reshape(ramp(36), 3, 3, 2, 2))));
}
static void reductions(void)
{
    tt_num(tt_sum(tt_add(tt_amax(grid(3, 4), .dims = "0"), tt_prod(grid(3, 4), .dims = "0"))));
}

static void places(void) { tt_num(tt_sum(tt_argmax(grid(3, 4), .dims = "1"))); }
static void windows(void) { tt_num(tt_sum(tt_max_pool(tt_reshape(ramp(16), 1, 4, 4, 1), .window = { 2, 2 }))); }
static void prefixes(void) { tt_num(tt_sum(tt_cumsum(grid(3, 4), 1))); }
static void order(void) { tt_num(tt_sum(tt_sort(tt_sin(ramp(9)), 0))); }
static void bits(void) { tt_num(tt_sum(tt_bits(tt_key(1), TT_U32, 5))); }
static void draws(void)
{
    const tt_val k = tt_split(tt_key(3), 2);
    tt_num(tt_sum(tt_normal(tt_reshape(tt_slice(k, 0, 0, 1, 1), 2), TT_F32, 3, 3)));
    tt_num(tt_sum(tt_uniform_in(tt_fold_in(tt_key(3), tt_i(7)), TT_F32, -1, 1, 4)));
}
static void shuffles(void) { tt_num(tt_sum(tt_permutation(tt_key(5), tt_i(10)))); }
static void trees(void)
{
    tt_val t = tt_dict("a", ramp(2), "b", tt_tuple(tt_f(1), ramp(3))), a, b;
    t = tt_tree_map(tt_neg, tt_set(t, "b.1", ramp(4)));
    tt_unpack(tt_get(t, "b"), &a, &b);
    tt_num(tt_sum(tt_add(tt_sum(tt_get(t, "a")), b)));
}
static void records(void)
{
    pair p = pair_of(tt_mul(pair_val((pair){ .w = tt_f(2), .b = ramp(3) }), tt_f(3)));
    tt_num(tt_sum(tt_mul(p.w, p.b)));
}
static void formula(void)
{
    const tt_val x = ramp(4), y = ramp(4);
    tt_num(tt_sum(TT_E("2*x - tanh(y)^2", x, y)));
}
static void losses(void) { tt_num(tt_mean(tt_xent(grid(3, 4), tt_arange(TT_I32, 3)))); }
static void meshes(void) { tt_mesh_size(tt_mesh("left:3, right:5"), "right"); }
static void layouts(void)
{
    const tt_val v = tt_shard(grid(6, 4), tt_mesh("i:4, j:2"), "i, j");
    tt_num(tt_sum(tt_shard(tt_exp(v), tt_mesh_of(v), "j, _")));
}
static void copies(void) { tt_num(tt_sum(tt_unreplicate(tt_replicate(ramp(3), tt_mesh("i:4"))))); }
static void jits(void) { tt_num(tt_sum(tt_call(tt_jit(shift), ramp(11)))); }
static void donations(void)
{
    const tt_fn f = tt_jit(twice, .donate = "0");
    tt_num(tt_sum(tt_call(f, tt_call(f, ramp(12)))));
}
static void jits_on_mesh(void)
{
    const tt_mesh m = tt_mesh("i:4");
    tt_num(tt_sum(tt_call(tt_jit(shift, .mesh = m, .in = "i", .out = "_"), ramp(13))));
}
static void grads(void) { tt_num(tt_sum(tt_call(tt_jit(tt_grad(loss)), grid(3, 2), grid(4, 3)))); }
static void eager_grads(void) { tt_num(tt_sum(tt_call(tt_grad(loss), grid(3, 2), grid(5, 3)))); }
static void jvps(void)
{
    tt_num(tt_sum(tt_item(tt_call(tt_jvp(cubed), tt_tuple(ramp(3)), tt_tuple(tt_ones(TT_F32, 3))), 1)));
    tt_num(tt_sum(tt_item(tt_item(tt_call(tt_vjp(cubed), tt_tuple(ramp(3)), tt_ones(TT_F32, 3)), 1), 0)));
}
static void hessians(void) { tt_num(tt_sum(tt_call(tt_jit(tt_hessian(total)), ramp(4)))); }
static void customs(void)
{
    const tt_val x = tt_f(2);
    tt_num(tt_call(tt_grad(tt_custom_vjp(cubed, cubed_fwd, cubed_bwd)), x));
    tt_num(tt_call(tt_grad(tt_custom_jvp(cubed, cubed_jvp)), x));
}
static void remats(void) { tt_num(tt_sum(tt_call(tt_grad(tt_remat(total)), ramp(6)))); }
static void vmaps(void)
{
    tt_num(tt_sum(tt_call(tt_vmap(tt_grad(loss), .in = "_; 0"), grid(3, 1), tt_reshape(ramp(24), 4, 2, 3))));
}
static void pmaps(void) { tt_num(tt_sum(tt_call(tt_pmap(mean_of, .mesh = tt_mesh("i:4"), .axis = "i"), grid(4, 3)))); }
static void manual(void)
{
    tt_num(tt_sum(tt_call(tt_jit(tt_shard_map(talk, .mesh = tt_mesh("i:4"), .in = "i", .out = "i")), ramp(32))));
}
static void mapped_collectives(void) { tt_num(tt_sum(tt_call(tt_vmap(talk_reduced, .axis = "i"), grid(3, 2)))); }
static void bindings(void)
{
    double three = 3;
    tt_num(tt_sum(tt_call(tt_jit(tt_bind_env("three", bound, &three, sizeof three, 1)), ramp(5))));
}
static void scans(void)
{
    const tt_val out = tt_scan(halves, tt_f(1), ramp(6));
    tt_num(tt_sum(tt_add(tt_item(out, 1), tt_item(out, 0))));
}
static void loops(void)
{
    tt_num(tt_while(small, twice, tt_f(1)));
    tt_num(tt_fori(0, 5, counted, tt_f(0)));
}
static void choices(void)
{
    const tt_val x = tt_f(2);
    tt_num(tt_cond(tt_lt(x, tt_f(3)), twice, cubed, x));
    tt_num(tt_switch(tt_i(1), x, TT_FN(twice), TT_FN(cubed)));
}
static void modules(void)
{
    const tt_val x = tt_ones(TT_F32, 2, 4, 4, 1);
    tt_val p = tt_init(net, tt_key(0), x), s = tt_sgd(p, .rate = 0.1, .momentum = 0.9);
    tt_val y = tt_item(tt_apply_train(net, p, x, tt_key(1)), 0), g;
    tt_num(tt_sum(y));
    g = tt_call(tt_jit(tt_grad(net_loss)), p, x, tt_arange(TT_I32, 2));
    tt_opt_step(&p, &s, tt_clip_by_norm(g, 1));
    tt_num(tt_sum(tt_get(p, "d.bias")));
}
static void optimizers(void)
{
    tt_val p = tt_dict("w", ramp(3)), s = tt_adamw(p, .rate = 0.1);
    tt_opt_step(&p, &s, tt_dict("w", tt_ones(TT_F32, 3)));
    tt_num(tt_sum(tt_get(p, "w")));
}
static void steps(void)
{
    tt_val p = tt_f(0);
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_assign(&p, tt_add(p, tt_f((double)it.i)));
    tt_num(p);
}
static void keeps(void)
{
    const tt_val v = tt_keep(ramp(3));
    tt_num(tt_sum(v));
    tt_drop(v);
}
static void abstracts(void) { tt_count(tt_eval_shape(loss, tt_shape(TT_F32, 3, 2), tt_shape(TT_F32, 4, 3))); }
static void texts(void)
{
    const tt_val args[] = { ramp(4), tt_end };
    tt_ir_text("here", TT_FN(shift), args);
    tt_plan_text("here", tt_jit(shift), args);
    tt_text(tt_shard(ramp(4), tt_mesh("i:4"), "i"), "spec");
    tt_type_text(args[0]);
}
static void drawings(void)
{
    tt_drawing_at("here", tt_shard(ramp(8), tt_mesh("i:4"), "i"), &(tt_draw_opts){ .size = sizeof(tt_draw_opts) });
}
static void files(void)
{
    tt_write_npy(npy, grid(2, 3));
    tt_num(tt_sum(tt_read_npy(npy)));
    tt_write_npz(npz, tt_dict("a", ramp(2), "b", grid(2, 2)));
    tt_num(tt_sum(tt_get(tt_read_npz(npz), "b")));
}

/* ---- the walk ---- */

#define PROGRAM(f) { #f, f }
static const struct { const char *name; void (*run)(void); } program[] = {
    PROGRAM(values), PROGRAM(fulls), PROGRAM(elementwise), PROGRAM(promotion), PROGRAM(comparison), PROGRAM(shapes),
    PROGRAM(slices), PROGRAM(indices), PROGRAM(contraction), PROGRAM(convolution), PROGRAM(reductions), PROGRAM(places),
    PROGRAM(windows), PROGRAM(prefixes), PROGRAM(order), PROGRAM(bits), PROGRAM(draws), PROGRAM(shuffles),
        PROGRAM(trees),
    PROGRAM(records), PROGRAM(formula), PROGRAM(losses), PROGRAM(meshes), PROGRAM(layouts), PROGRAM(copies),
        PROGRAM(jits),
    PROGRAM(donations), PROGRAM(jits_on_mesh), PROGRAM(grads), PROGRAM(eager_grads), PROGRAM(jvps), PROGRAM(hessians),
    PROGRAM(customs), PROGRAM(remats), PROGRAM(vmaps), PROGRAM(pmaps), PROGRAM(manual), PROGRAM(mapped_collectives),
    PROGRAM(bindings), PROGRAM(scans), PROGRAM(loops), PROGRAM(choices), PROGRAM(modules), PROGRAM(optimizers),
    PROGRAM(steps), PROGRAM(keeps), PROGRAM(abstracts), PROGRAM(texts), PROGRAM(drawings), PROGRAM(files),
};
enum { PROGRAMS = sizeof program / sizeof *program, MOST = 100000 };

typedef struct { int64_t refused, tolerated; const char *wrong; } walked;

/* One run whose nth allocation fails. True: it was refused nothing, so the walk is over. */
static bool run_refused(void (*run)(void), int64_t nth, walked *w)
{
    const tt_scope s = tt_scope_open();
    base_fail_allocation(nth);
    run();
    const int64_t left = base_fail_allocation(0);
    const tt_error_info *e = tt_ok() ? NULL : tt_error_record();
    if (left && e) w->wrong = "it fails where no memory was refused";
    else if (e && e->code != TT_EMEM) w->wrong = "another error than TT_EMEM";
    else if (!left && !e) w->tolerated++;
    else if (!left) w->refused++;
    if (w->wrong) printf("  allocation %lld: %s: %s\n", (long long)nth, w->wrong, e ? tt_error() : "no error");
    tt_clear();
    tt_scope_close(s);
    return left || w->wrong;
}

/* Each request in turn is refused: those that check_turn takes. */
static walked walk(void (*run)(void))
{
    walked w = { 0 };
    int64_t nth = 1;
    while (!run_refused(run, nth, &w) && nth < MOST) for (nth++; !check_turn((size_t)nth - 1);) nth++;
    if (nth >= MOST) w.wrong = "no end";
    return w;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[NAME]")) return check_done();
    const char *only = argc > 1 ? argv[1] : NULL;
    tt_on_error(quiet, NULL);
    if (!mkdtemp(dir)) return 1;
    snprintf(npy, sizeof npy, "%s/a.npy", dir);
    snprintf(npz, sizeof npz, "%s/a.npz", dir);
    for (int i = 0; i < PROGRAMS; i++) {
        if (only && strcmp(only, program[i].name)) continue;
        const double start = base_seconds();
        const walked cold = walk(program[i].run);
        CHECK(!cold.wrong && cold.refused > 0, "%s: %s", program[i].name, cold.wrong ? cold.wrong
              : "nothing was refused");
        walked warm = walk(program[i].run);
        CHECK(!warm.wrong, "%s, again: %s", program[i].name, warm.wrong);
        const size_t bytes = base_live_bytes();          /* by now also tables have grown */
        const int64_t handles = trace_live();
        warm = walk(program[i].run);
        CHECK(!warm.wrong, "%s, a third time: %s", program[i].name, warm.wrong);
        CHECK(base_live_bytes() <= bytes && trace_live() == handles, "%s: %lld bytes and %lld handles stay behind",
              program[i].name, (long long)(base_live_bytes() - bytes), (long long)(trace_live() - handles));
        if (only || getenv("VERBOSE"))
            printf("%-20s %6lld refused, %lld tolerated; again %lld, %lld; %.2f s\n", program[i].name,
                   (long long)cold.refused,
                   (long long)cold.tolerated, (long long)warm.refused, (long long)warm.tolerated,
                   base_seconds() - start);
    }
    unlink(npy), unlink(npz), rmdir(dir);
    return check_done();
}
