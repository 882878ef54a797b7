/* Several threads in each room at once, none of which was warm before: layouts, transforms, loops, modules, optimizers,
 * draws, texts, checkpoints, batches, switches, the number of workers. Each work gives the bits it gives alone. Run
 * under the thread sanitizer, whose lines name a race even where the bits come out right. */
#include <tutti.h>
#include <tutti/ckpt.h>
#include <tutti/explain.h>
#include <tutti/program.h>
#include <tutti/viz.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { THREADS = 3, TURNS = 2, AGAIN = 6 };
static char room[64] = "/tmp/tutti-rooms-XXXXXX";
static _Thread_local int me;

static double sum(tt_val v) { return tt_num(tt_sum(tt_cast(v, TT_F64))); }
static double length(const char *text) { return text ? (double)strlen(text) : -1; }
static tt_val numbers(int64_t n, int64_t k) { return tt_div(tt_reshape(tt_arange(TT_F32, n * k), n, k), tt_f(7)); }
static const char *file(const char *name)
{
    static _Thread_local char path[128];
    snprintf(path, sizeof path, "%s/%d-%s", room, me, name);
    return path;
}

/* ---- layouts, collectives, reports ---- */

static tt_val layer(tt_val w, tt_val x) { return tt_tanh(tt_matmul(x, w)); }
static tt_val squares(tt_val w, tt_val x) { return tt_mean(tt_square(layer(w, x))); }
static tt_val summed(tt_val x) { return tt_psum(tt_mul(x, x), "data"); }
static tt_val scaled(tt_val x) { return tt_add(tt_pmean(x, "member"), x); }

static double laid_out(void)
{
    const tt_mesh mesh = tt_mesh("data:4, model:2");
    const tt_val w = tt_shard(numbers(6, 8), mesh, "_, model"), x = tt_shard(numbers(8, 6), mesh, "data, _");
    return sum(tt_call(tt_jit(tt_grad(squares), .mesh = mesh), w, x));
}
static double by_rules(void)
{
    double y = 0;
    for (TT_WITH(tt_mesh("data:2, model:4"), .rules = "rows:data, hidden:model"))
        y = sum(tt_call(tt_jit(layer), tt_logical_constraint(numbers(6, 8), "_, hidden"),
            tt_logical_constraint(numbers(8, 6), "rows, _")));
    return y;
}
static double manual(void)
{
    return sum(tt_call(tt_shard_map(summed, .mesh = tt_mesh("data:4"), .in = "data", .out = "_"), numbers(8, 3)));
}
static double members(void)
{
    return sum(tt_call(tt_pmap(scaled, .mesh = tt_mesh("member:4"), .axis = "member"), numbers(4, 5)));
}
static double explained(void)
{
    const tt_mesh mesh = tt_mesh("data:16");
    const tt_val x = tt_shard(tt_shape(TT_F32, 64, 6), mesh, "data, _");
    const tt_val w = tt_shape(TT_F32, 6, 8);
    return tt_explain(layer, w, x)->moved + (double)tt_plan(layer, w, x)->peak;
}

/* ---- transforms, loops, draws ---- */

static tt_val more(tt_val c, tt_val x) { return tt_tuple(tt_add(c, x), tt_mul(c, x)); }
static tt_val below(tt_val v) { return tt_lt(v, tt_f(900)); }
static tt_val doubled(tt_val v) { return tt_mul(v, tt_f(2)); }
static tt_val halved(tt_val v) { return tt_div(v, tt_f(2)); }
static tt_val loops(tt_val x)
{
    const tt_val scanned = tt_scan(more, tt_f(1), x), grown = tt_while(below, doubled, tt_item(scanned, 0));
    return tt_add(tt_sum(tt_item(scanned, 1)), tt_cond(tt_gt(grown, tt_f(1000)), halved, doubled, grown));
}

static double turned(void) { return sum(tt_call(tt_jit(loops), tt_div(tt_arange(TT_F32, 9), tt_f(8)))); }
static double mapped(void) { return sum(tt_call(tt_jit(tt_vmap(loops)), numbers(3, 4))); }
static double hessian(void) { return sum(tt_call(tt_hessian(squares), numbers(2, 3), numbers(4, 2))); }
static double drawn(void)
{
    const tt_val mixed = tt_permutation(tt_key(4), tt_arange(TT_F32, 9));
    return sum(tt_normal(tt_fold_in(tt_key(5), tt_i(2)), TT_F32, 40)) + sum(tt_mul(mixed, tt_arange(TT_F32, 9)));
}
static double solved(void)
{
    const tt_val a = tt_add(numbers(5, 5), tt_mul(tt_f(9), tt_eye(TT_F32, 5)));
    return sum(tt_solve(a, numbers(5, 2))) + sum(tt_svdvals(a));
}

/* ---- modules, optimizers, texts ---- */

static tt_val net(tt_nn m, tt_val x) { return tt_dense(m, "b", tt_layer_norm(m, "n", tt_dense(m, "a", x, 8)), 3); }
static tt_val net_loss(tt_val p, tt_val x) { return tt_mean(tt_square(tt_apply(net, p, x))); }
static double trained(void)
{
    const tt_val x = numbers(8, 4);
    tt_val p = tt_init(net, tt_key(2), x), o = tt_adam(p, .rate = 1e-2);
    for (int i = 0; i < 3; i++) tt_opt_step(&p, &o, tt_call(tt_grad(net_loss), p, x));
    return tt_num(net_loss(p, x));
}
static double pictured(void)
{
    const tt_val v = tt_shard(numbers(8, 8), tt_mesh("data:4, model:2"), "data, model");
    const char *text = tt_drawing_at("here", v, &(const tt_draw_opts){ .size = sizeof(tt_draw_opts), .given = "" });
    return length(text) + length(tt_curve(tt_arange(TT_F32, 20)));
}
static double written(void)
{
    const tt_val x = numbers(3, 4);
    const double n = length(tt_ir_text("here", tt_jit(loops), (tt_val[]){ tt_arange(TT_F32, 5), tt_end }));
    return n + length(tt_type_text(x)) + length(tt_value_text(x)) + length(tt_text(x, "spec"));
}
static double passed_on(void)
{
    const char *text = tt_export(loops, tt_arange(TT_F32, 6));
    return sum(tt_call(tt_import(text), tt_div(tt_arange(TT_F32, 6), tt_f(4))));
}

/* ---- files, batches ---- */

static double saved(void)
{
    const tt_mesh mesh = tt_mesh("data:4");
    const tt_manager m = tt_manager_open(file("steps"), .keep = 2, .background = 1);
    const int64_t step = tt_manager_newest(m) + 1;
    tt_manager_save(m, step, tt_dict("w", tt_shard(numbers(64, 8), mesh, "data, _"), "n", tt_i(4)));
    const double y = sum(numbers(3, 3));                 /* while it is being saved */
    return y + sum(tt_get(tt_manager_load(m, step), "w"));
}
static double archived(void)
{
    tt_write_npz(file("a.npz"), tt_dict("x", numbers(20, 9), "y", tt_ones(TT_BF16, 7)));
    return sum(tt_get(tt_read_npz(file("a.npz")), "x"));
}
static double batched(void)
{
    double y = 0;
    const tt_data d = tt_dataset(tt_dict("x", numbers(20, 3)), .batch = 4, .shuffle = tt_key(3), .ahead = 2);
    for (tt_loop it = tt_batches(d); tt_next(&it);) y = y / 2 + sum(tt_get(it.batch, "x"));
    return y;
}

/* ---- what belongs to all of them ---- */

static void mute(const tt_error_info *e, void *env) { (void)e, (void)env; }
static double mistaken(void)
{
    tt_on_error(mute, NULL);
    tt_matmul(numbers(2, 3), numbers(2, 3));
    const double n = length(tt_error());
    tt_clear();
    return n;
}
static double switched(void)
{
    return tt_config("plan:nobody, time") && tt_config_value("plan") ? sum(tt_call(tt_jit(doubled), numbers(2, 2))) : 0;
}
static double manned(void) { return tt_threads(2 + me % 2) > 0 ? sum(tt_matmul(numbers(40, 30), numbers(30, 50))) : 0; }
static double forgotten(void) { return tt_clear_caches(), length(tt_doctor()) > 0 && length(tt_data_doctor()) > 0; }

static const struct { const char *name; double (*run)(void); } works[] = {
    { "a layout", laid_out }, { "rules", by_rules }, { "a manual region", manual }, { "members", members },
    { "reports", explained }, { "loops", turned }, { "loops, mapped", mapped }, { "a hessian", hessian },
    { "draws", drawn }, { "linear algebra", solved }, { "training", trained }, { "pictures", pictured },
    { "texts", written }, { "StableHLO", passed_on }, { "a checkpoint", saved }, { "an archive", archived },
    { "batches", batched }, { "a mistake", mistaken }, { "switches", switched }, { "workers", manned },
    { "caches", forgotten },
};
enum { WORKS = sizeof works / sizeof *works };
static double got[THREADS + 1][TURNS][WORKS];
static pthread_barrier_t together;
static _Atomic int remembered;

static void once(int turn, int k)
{
    const tt_scope scope = tt_scope_open();
    got[me][turn][k] = works[k].run();
    if (!tt_ok()) printf("  %s: %s\n", works[k].name, tt_error()), tt_clear(), got[me][turn][k] = NAN;
    tt_scope_close(scope);
}

/* In the first turn all threads meet in each room, and stay for a while: what a lock of another room orders is no race
 * that can be seen. In later ones each begins in another room. */
static void *work(void *p)
{
    me = (int)(intptr_t)p;
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < WORKS; i++) {
            if (me < THREADS && !turn) pthread_barrier_wait(&together);
            for (int again = 0; again < (turn ? 1 : AGAIN); again++) once(turn, (i + turn * (5 * me + 1)) % WORKS);
        }
    return NULL;
}

/* Saves that are only remembered: each thread finds its own. */
static void *dry(void *p)
{
    enum { SAVES = 15 };
    char path[128];
    me = (int)(intptr_t)p;
    const tt_val v = tt_dict("v", tt_ones(TT_F32, 3 + me));
    pthread_barrier_wait(&together);
    for (int i = 0; i < SAVES; i++) snprintf(path, sizeof path, "%s/dry-%d-%d", room, me, i), tt_save(path, v);
    for (int i = 0; i < SAVES; i++) {
        snprintf(path, sizeof path, "%s/dry-%d-%d", room, me, i);
        remembered += tt_dim(tt_get(tt_load(path), "v"), 0) == 3 + me;
    }
    if (!tt_ok()) printf("  dry saves: %s\n", tt_error()), tt_clear();
    return NULL;
}

static void all_at_once(void *(*f)(void *))
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&t[i], NULL, f, (void *)(intptr_t)i), "a thread");
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    if (!check_folder(room)) return 1;
    pthread_barrier_init(&together, NULL, THREADS);
    all_at_once(work);
    work((void *)(intptr_t)THREADS);                     /* alone */
    for (int k = 0; k < WORKS; k++)
        for (int i = 0; i < THREADS; i++)
            for (int turn = 0; turn < TURNS; turn++)
                CHECK(got[i][turn][k] == got[THREADS][0][k], "%s, thread %d, turn %d: %.17g, alone %.17g",
                      works[k].name, i, turn, got[i][turn][k], got[THREADS][0][k]);
    CHECK(tt_config("dry"), "%s", tt_error());
    all_at_once(dry);
    CHECK(remembered == 15 * THREADS, "%d of dry saves are found", remembered);
    CHECK(tt_ok(), "no error is left: %s", tt_error());
    CHECK(tt_done() != 0 && strstr(tt_error(), "TUTTI=plan:nobody"), "nobody is told of: %s", tt_error());
    return check_done();
}
