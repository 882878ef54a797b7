/* The pipeline's caches and its failures: what is compiled once, what is forgotten, eager calls on laid-out values,
 * errors that carry their line, and every allocation failing in turn without anything lost. */
#include "api/pipeline.h"
#include "pass/pass.h"
#include "op/ops.h"

static const char text[] =
    "mesh \"d:4\"\nfn f(x f32[8, 6], w f32[6, 4]) {\n"
    "y = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "z, n = while y, 0:i32 (y f32[8, 4], n i32[]) { t = compare n, 2 {comparison_direction=lt}; return t } (y f32[8, "
    "4], n i32[]) "
    "{ a = tanh y; m = add n, 1; return a, m }\ns = reduce z, 0 {dimensions=[0]} add\nreturn z, s\n}";

static void caching(void)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", text), *g = ir_parse(a, "another", text);
    CHECK(f && g, "%s", pipeline_error());
    pipeline r = { .a = a };
    const mesh_layout *cut[2] = { mesh_parse(NULL, f->mesh, 2, "d, _"), NULL };
    CHECK(pipeline_open(&r, f), "%s", pipeline_error());
    driver_forget();
    pipeline_run(&r, "first", cut, NULL, 1e-5);
    CHECK(driver_count().programs == 1 && driver_count().misses == 1, "%lld", (long long)driver_count().misses);
    r.fn = g;                                            /* the same content, elsewhere */
    pipeline_run(&r, "second", cut, NULL, 1e-5);
    CHECK(driver_count().hits == 1 && driver_count().misses == 1, "%lld", (long long)driver_count().misses);
    pipeline_run(&r, "whole", NULL, NULL, 1e-5);
    CHECK(driver_count().misses == 2, "another layout is another program");
    pipeline_run(&r, "reproducible", NULL, &(driver_opts){ .flags = DRIVER_REPRODUCIBLE }, 1e-5);
    CHECK(driver_count().misses == 3, "another flag is another program");
    pipeline_run(&r, "once", NULL, &(driver_opts){ .once = true, .flags = DRIVER_REPRODUCIBLE }, 1e-5);
    CHECK(driver_count().programs == 3, "once is not kept");
    const mesh *other = mesh_of(NULL, "q:2");
    const mesh_layout *out[2] = { mesh_parse(NULL, f->mesh, 2, "_, d"), mesh_parse(NULL, other, 1, "q") };
    pipeline_run(&r, "wanted layouts", cut, &(driver_opts){ .out = out }, 1e-5);
    run_array *x[2] = { run_array_of(f->type[1], cut[0], r.in[0]), run_array_of(f->type[2], NULL, r.in[1]) }, *y[2];
    CHECK(driver_run(f, &(driver_opts){ .out = out }, x, NULL, y), "%s", pipeline_error());
    CHECK(run_layout(y[0]) == out[0] && run_layout(y[1]) == out[1], "results are laid out otherwise than they should");
    for (int i = 0; i < 2; i++) run_drop(x[i]), run_drop(y[i]);
    run_program *p = driver_compile(f, &(driver_opts){ .in = cut });
    CHECK(p && driver_compile(g, &(driver_opts){ .in = cut }) == p, "one program");
    driver_forget();
    CHECK(driver_count().programs == 0 && driver_count().hits == 0, "forgotten");
    base_close(a);
}

static void eager(void)
{
    base_arena *a = base_open();
    const mesh *m = mesh_of(NULL, "d:2, m:3");
    const ir_type *t = ir_type_of(TT_F32, 2, (const int64_t[]){ 7, 5 }),
        *one = ir_type_of(TT_F32, 1, (const int64_t[]){ 5 });
    float *h = pipeline_data(a, t, 3), *g = pipeline_data(a, t, 4), got[35];
    run_array *x = run_array_of(t, mesh_parse(NULL, m, 2, "d, m"), h), *y = run_array_of(t, NULL, g), *z[2] = { 0 };
    uint32_t n = 0;
    for (int round = 0; round < 2; round++) {
        CHECK(driver_one("e:1", &prim_mul, NULL, 2, (run_array *[]){ x, y }, 0, NULL, z, &n) && n == 1, "%s",
              pipeline_error());
        CHECK(run_layout(z[0]) == run_layout(x) && run_read(z[0], NULL, NULL, got), "%s", pipeline_error());
        for (int i = 0; i < 35; i++) CHECK(got[i] == h[i] * g[i], "element %d", i);
        run_drop(z[0]);
    }
    CHECK(driver_count().eager_hits == 1 && driver_count().eager_misses == 1, "%lld",
          (long long)driver_count().eager_misses);

    ir_build *b = ir_begin(a, "sum", NULL);              /* a reducer from before there was a mesh */
    ir_fn *sum = op_reducer(b, &prim_add, TT_F32);
    const op_reduce_attr dims = { { 1, (const int64_t[]){ 0 } } };
    run_array *zero = run_array_of(ir_type_of(TT_F32, 0, NULL), NULL, NULL);
    CHECK(driver_one("e:2", &prim_reduce, &dims, 2, (run_array *[]){ x, zero }, 1, &sum, z, &n), "%s",
          pipeline_error());
    CHECK(run_type(z[0]) == one && run_read(z[0], NULL, NULL, got), "%s", pipeline_error());
    for (int k = 0; k < 5; k++) {
        float s = 0;
        for (int i = 0; i < 7; i++) s += h[5 * i + k];
        CHECK(fabsf(s - got[k]) < 1e-5f, "column %d: %g, not %g", k, got[k], s);
    }
    run_drop(z[0]);

    const mesh_layout *to = mesh_parse(NULL, m, 2, "_, d");      /* a mesh that only the attribute knows */
    CHECK(driver_one("e:3", &prim_reshard, &(op_layout_attr){ { 1, &to } }, 1, &y, 0, NULL, z, &n), "%s",
          pipeline_error());
    CHECK(run_layout(z[0]) == to, "is elsewhere");
    run_drop(z[0]);
    CHECK(!driver_one("e:4", &prim_add, NULL, 2, (run_array *[]){ x, zero }, 0, NULL, z, &n), "shapes differ");
    CHECK(base_failed() && base_failed()->site && !strcmp(base_failed()->site, "e:4"), "%s", pipeline_error());
    base_clear_error();
    run_drop(x), run_drop(y), run_drop(zero);
    driver_forget();
    base_close(a);
}

static bool all_in_arena(const ir_fn *f, const base_arena *a)
{
    bool in = f->arena == a;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nsub; i++) in &= all_in_arena(f->eqn[k].sub[i], a);
    return in;
}

/* A kept program holds nothing of the function that it was compiled from. */
static void outlives(void)
{
    base_arena *a = base_open(), *b = base_open();
    const ir_fn *f = ir_parse(a, "t", text), *g = f ? pass_simplify(b, f) : NULL;
    CHECK(g && all_in_arena(g, b), "%s", pipeline_error());
    pipeline r = { .a = base_open(), .fn = g };
    CHECK(pipeline_open(&r, f), "%s", pipeline_error());
    run_program *p = driver_compile(f, NULL);
    run_array *x[2] = { run_array_of(f->type[1], NULL, r.in[0]), run_array_of(f->type[2], NULL, r.in[1]) }, *y[2];
    base_close(a);
    CHECK(p && run_launch(p, x, NULL, y), "%s", pipeline_error());
    for (int i = 0; i < 2; i++) run_drop(x[i]), run_drop(y[i]);
    driver_forget();
    base_close(b);
    base_close(r.a);
}

/* f(x [rows, 32], w [32, 32]): layers of tanh(x w + x) y, and the mean of the squares of each: 7 equations a layer. */
static const ir_fn *layers(base_arena *a, int rows, int n)
{
    base_text t = { .arena = a };
    base_appendf(&t, "fn layers(x0 f32[%d, 32], w f32[32, 32]) {\n", rows);
    for (int i = 0; i < n; i++)
        base_appendf(&t, "d%d = dot_general x%d, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                         "preferred_element_type=f32}\n"
                     "a%d = add d%d, x%d\nt%d = tanh a%d\nx%d = mul t%d, x0\nq%d = mul x%d, x%d\n"
                     "s%d = reduce q%d, 0 {dimensions=[1]} add\ne%d = mul s%d, s%d\n",
                     i, i, i, i, i, i, i, i + 1, i, i, i + 1, i + 1, i, i, i, i, i);
    base_appendf(&t, "return e0");
    for (int i = 1; i < n; i++) base_appendf(&t, ", e%d", i);
    base_appendf(&t, "\n}");
    return ir_parse(a, "layers", t.s);
}

/* Programs stay: of each there is its plan, its kernels and what they are bound to, and no pass's work. */
static void holds(void)
{
    enum { LAYERS = 16, PROGRAMS = 8, MOST = 200 << 10 };
    base_arena *a = base_open();
    size_t before = 0;
    for (int i = 0; i <= PROGRAMS; i++) {
        const ir_fn *f = layers(a, 16 + i, LAYERS);
        CHECK(f && driver_compile(f, NULL), "%s", pipeline_error());
        if (!i) base_close(a), a = base_open(), before = base_live_bytes();      /* types and texts are there now */
        else if (i < PROGRAMS) base_close(a), a = base_open();
    }
    base_close(a);
    const size_t each = (base_live_bytes() - before) / PROGRAMS;
    printf("a program of %d equations holds %zu bytes\n", 7 * LAYERS, each);
    CHECK(each < MOST, "a program of %d equations holds %zu bytes", 7 * LAYERS, each);
    driver_forget();
}

/* Each allocation of compiling and running fails in turn: false, TT_EMEM, and nothing stays behind. */
static void allocations(void)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", text);
    pipeline r = { .a = a };
    CHECK(pipeline_open(&r, f), "%s", pipeline_error());
    const mesh_layout *cut = mesh_parse(NULL, f->mesh, 2, "d, _");
    run_array *x[2] = { run_array_of(f->type[1], cut, r.in[0]), run_array_of(f->type[2], NULL, r.in[1]) }, *y[2];
    int failed = 0;
    for (int warm = 0; warm < 2; warm++) {               /* pools and interned tables stay: filled first */
        CHECK(driver_run(f, NULL, x, NULL, y), "%s", pipeline_error());
        run_drop(y[0]), run_drop(y[1]);
        driver_forget();
    }
    run_trim();
    const size_t before = base_live_bytes();
    for (int64_t nth = 1, ok = 0; !ok && nth < 10000; nth++) {
        base_fail_allocation(nth);
        ok = driver_run(f, NULL, x, NULL, y);
        base_fail_allocation(0);
        if (ok) run_drop(y[0]), run_drop(y[1]);
        else {
            failed++;
            CHECK(base_failed() && base_failed()->code == TT_EMEM, "allocation %lld: %s", (long long)nth,
                  pipeline_error());
        }
        base_clear_error();
        driver_forget();
        run_trim();
        CHECK(base_live_bytes() <= before, "allocation %lld: %zu bytes are lost", (long long)nth,
              base_live_bytes() - before);
    }
    CHECK(failed > 5, "only %d allocations failed", failed);
    printf("%d allocations failed in turn\n", failed);
    run_drop(x[0]), run_drop(x[1]);
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(caching());
    CHECK_RUN(eager());
    CHECK_RUN(outlives());
    CHECK_RUN(holds());
    CHECK_RUN(allocations());
    return check_done();
}
