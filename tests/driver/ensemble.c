/* Members of a vmap as instances of one device: which programs run so, and that they give what the equations say, with
 * parts of any size side by side, whole arguments beside them, donated state, and any number of workers. */
#include "api/pipeline.h"
#include "driver/inner.h"

/* Six members of a net with a step: parts of 5 x 7, 7 x 3, 3 elements, none a multiple of a line; a rate for all. */
static const char step[] =
    "fn step(w f32[6, 7, 3], b f32[6, 3], x f32[6, 5, 7], y f32[6, 5, 3], r f32[]) {\n"
    "h = dot_general x, w {lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], lhs_contracting_dimensions=[2], "
    "rhs_contracting_dimensions=[1], preferred_element_type=f32}\n"
    "bb = broadcast_in_dim b {shape=[6, 5, 3], broadcast_dimensions=[0, 2]}\n"
    "a = add h, bb\nt = tanh a\ne = sub t, y\n"
    "g = dot_general x, e {lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], lhs_contracting_dimensions=[1], "
    "rhs_contracting_dimensions=[1], preferred_element_type=f32}\n"
    "q = mul e, e\nloss = reduce q, 0 {dimensions=[1, 2]} add\ndb = reduce e, 0 {dimensions=[1]} add\n"
    "rw = broadcast_in_dim r {shape=[6, 7, 3], broadcast_dimensions=[]}\nsw = mul g, rw\nnw = sub w, sw\n"
    "rb = broadcast_in_dim r {shape=[6, 3], broadcast_dimensions=[]}\nsb = mul db, rb\nnb = sub b, sb\n"
    "return nw, nb, loss, e\n}";
/* Sorts, numbers of several kinds, a whole result and one that is an argument. */
static const char kinds[] =
    "fn kinds(x bf16[6, 33], i i32[6, 33], p bool[6, 33], k i32[4]) {\n"
    "e = exp x\nn = neg i\nc = select p, i, n\nm = reduce c, 0 {dimensions=[1]} add\n"
    "s = sort i {dimension=1, is_stable=true, num_keys=1, descending=false}\n"
    "z = compare s, i {comparison_direction=lt}\nl = mul k, k\nreturn e, c, m, z, l, x\n}";
/* Members meet: a sum over them; a loop; weights that all read are most of the arguments. */
static const char meeting[] =
    "fn meeting(x f32[6, 40]) { s = reduce x, 0 {dimensions=[0]} add; e = exp x; return s, e }";
static const char loop[] =
    "fn loop(x f32[6, 40]) { "
    "y, n = while x, 0:i32 (y f32[6, 40], n i32[]) { t = compare n, 3 {comparison_direction=lt}; return t } "
    "(y f32[6, 40], n i32[]) { a = tanh y; m = add n, 1; return a, m }; return y }";
static const char weights[] =
    "fn weights(x f32[6, 40], w f32[40, 30]) { "
    "y = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}; t = tanh y; return t }";

static bool alone(base_arena *a, const char *text)
{
    const ir_fn *f = ir_parse(a, "t", text);
    const run_plan *p = f ? pipeline_plan(a, f, NULL, false) : NULL;
    CHECK(p, "%s", pipeline_error());
    return p && p->single_device;
}

static void which(base_arena *a)
{
    CHECK(alone(a, step) && alone(a, kinds), "members that do not meet run one by one");
    CHECK(!alone(a, meeting) && !alone(a, loop) && !alone(a, weights), "these do not");
    CHECK(!base_failed(), "%s", pipeline_error());
    base_switches(NULL, "no-ensemble");
    CHECK(!alone(a, step), "no-ensemble");
    base_switch_off("no-ensemble");
    run_workers_set(NULL, 4);
    CHECK(!alone(a, step), "six members are no whole shares of four workers");
    run_workers_set(NULL, 2);
    const int64_t least = driver_ensemble_least;
    driver_ensemble_least = 1 << 20;
    CHECK(!alone(a, step), "an arena that the caches keep");
    driver_ensemble_least = least;
}

static void values(base_arena *a, const char *what, const char *text, double tolerance)
{
    pipeline r = { .a = a };
    const ir_fn *f = ir_parse(a, what, text);
    const bool ok = f && pipeline_open(&r, f);
    CHECK(ok, "%s", pipeline_error());
    for (int workers = 1; ok && workers <= 3; workers++) {
        run_workers_set(NULL, workers);
        driver_forget();
        pipeline_run(&r, what, NULL, NULL, tolerance);
        pipeline_run(&r, what, NULL, &(driver_opts){ .flags = DRIVER_REPRODUCIBLE }, tolerance);
        run_workers_set(NULL, 2);                        /* a program keeps its plan */
        pipeline_run(&r, what, NULL, NULL, tolerance);
    }
}

/* Two steps with the state donated: the second takes the first's arrays; both as without. */
static void donated(base_arena *a)
{
    const ir_fn *f = ir_parse(a, "t", step);
    const bool donate[] = { true, true, false, false, false };
    float w[2][126];
    for (int without = 0; without < 2; without++) {
        run_array *x[5], *y[4];
        if (without) base_switches(NULL, "no-ensemble");
        driver_forget();
        for (ir_id i = 1; i <= 5; i++)
            x[i - 1] = run_array_of(pipeline_plain(f->type[i]), NULL, pipeline_data(a, f->type[i], 9));
        for (int turn = 0; turn < 2; turn++) {
            const char *const at = run_box(x[0], 0).at;
            CHECK(driver_run(f, &(driver_opts){ .donate = donate }, x, donate, y), "%s", pipeline_error());
            CHECK(run_box(y[0], 0).at == at, "the weights' array is not taken over");
            x[0] = y[0], x[1] = y[1];
            run_drop(y[2]), run_drop(y[3]);
        }
        CHECK(run_instances(x[0]) == 1 && !run_layout(x[0]), "an array of one device");
        CHECK(run_read(x[0], NULL, NULL, w[without]), "%s", pipeline_error());
        for (int i = 0; i < 5; i++) run_drop(x[i]);
        base_switch_off("no-ensemble");
    }
    for (int i = 0; i < 126; i++) CHECK(fabsf(w[0][i] - w[1][i]) < 1e-5f, "weight %d: %g, not %g", i, w[0][i], w[1][i]);
}

/* What a device holds is what all members hold. */
static void memory(base_arena *a)
{
    run_memory m;
    const ir_fn *f = ir_parse(a, "t", step);
    const run_plan *p = pipeline_plan(a, f, NULL, false);
    if (!p) return;
    run_memory_of(a, p, &m);
    int64_t all = 0, one = 0;
    for (uint32_t i = 0; i < 5; i++) all += ir_count(f->type[1 + i]) * 4;
    CHECK(m.arguments == all, "%lld bytes of arguments, not %lld", (long long)m.arguments, (long long)all);
    for (uint32_t i = 0; i < p->nvalue; i++)
        if (p->value[i].space == RUN_ARENA && p->value[i].at + p->value[i].bytes > one)
            one = p->value[i].at + p->value[i].bytes;
    CHECK(m.arena == 6 * one && m.live <= m.arena, "an arena of %lld bytes, not 6 x %lld", (long long)m.arena,
          (long long)one);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_arena *a = base_open();
    driver_ensemble_least = 1;
    run_workers_set(NULL, 2);
    CHECK_RUN(which(a));
    CHECK_RUN(values(a, "step", step, 1e-5));
    CHECK_RUN(values(a, "kinds", kinds, 1e-2));
    CHECK_RUN(donated(a));
    CHECK_RUN(memory(a));
    driver_forget();
    run_pool_stop();
    base_close(a);
    return check_done();
}
