/* What is made of a scan's stack element by element joins its iterations (pass/scan_sink.c), and what is updated row by
 * row stays where it is (plan/memory/live.c): which programs change, the bits of all of them on one device and two,
 * donated or not, whose buffers results take, and that no stack is left in the arena. */
#include "api/pipeline.h"
#include "pass/pass.h"

#define ROWS "[3,128,128]"
#define SCALAR(name, value) name " = const {dtype=i32, shape=[], splat=true, data=" value "}\n"
#define ALL(name, x) name " = broadcast_in_dim " x " {shape=" ROWS ", broadcast_dimensions=[]}\n"
#define HEAD(name) "mesh \"data:2\"\nfn " name "(w i32" ROWS ", m i32" ROWS ", x i32[128,128], b i32[128], r i32[]) {\n"
#define SCAN "c, g = scan x, w {length=3, num_consts=0, num_carry=1, reverse=true} (c i32[128,128], "                  \
             "y i32[128,128]) {\n"                                                                                     \
    "p = mul c, y; q = sub p, c; d = xor c, y; return q, d }\n"
#define UPDATE SCALAR("k", "3") "i = mul r, k\n" ALL("rb", "i") ALL("kb", "k") \
    "a = mul m, kb\nm2 = add a, g\ns = mul m2, rb\nw2 = sub w, s\n"

typedef struct { const char *text; bool moves; int alias[4]; } one;
static const one list[] = {
    { HEAD("update") SCAN UPDATE "return w2, m2, c\n}", true, { 0, 1, 2 } },
    { HEAD("crossed") SCAN UPDATE "return m2, w2\n}", true, { 1, 0 } },
    { HEAD("after") SCAN UPDATE "v = neg w\nreturn m2, w2, v\n}", true, { 1, -1, 0 } },
    { HEAD("vector") SCAN "bb = broadcast_in_dim b {shape=" ROWS ", broadcast_dimensions=[2]}\nt = mul g, bb\n"
      "return t\n}", true, { 0 } },
    { HEAD("two") "c, g, h = scan x, w {length=3, num_consts=0, num_carry=1, reverse=false} "
      "(c i32[128,128], y i32[128,128]) {\np = mul c, y; q = sub p, c; d = xor c, y; return q, d, p }\n"
      SCALAR("k", "3") ALL("kb", "k") "a = mul m, kb\ns = add a, g\nt = xor a, h\nreturn s, t\n}", true, { 0, 1 } },
    { HEAD("returned") SCAN UPDATE "return w2, m2, g\n}", false, { 0, 1, -1 } },
    { HEAD("norm") SCAN "n = reduce g, 0 {dimensions=[0,1,2]} add\n" ALL("nb", "n") "t = mul g, nb\nu = sub w, t\n"
      "return u\n}", false, { 0 } },
    { HEAD("carry") SCAN "cb = broadcast_in_dim c {shape=" ROWS ", broadcast_dimensions=[1,2]}\nt = mul g, cb\n"
      "return t\n}", false, { 0 } },
    { HEAD("folded") SCAN "t = mul g, g\nu = reduce t, 0 {dimensions=[0]} add\nreturn u\n}", false, { 2 } },
    { "mesh \"data:2\"\nfn small(w i32[3,8,16], m i32[3,8,16], x i32[8,16]) {\nc, g = scan x, w {length=3, "
      "num_consts=0, "
      "num_carry=1, reverse=true} (c i32[8,16], y i32[8,16]) { d = xor c, y; return d, d }\nt = sub m, g\nreturn t\n}",
      false, { 0 } },
};

static const mesh_layout *const *laid(base_arena *a, const ir_fn *f, const char *three)
{
    const mesh_layout **in = BASE_NEW(a, const mesh_layout *, f->narg);
    for (uint32_t i = 0; i < f->narg; i++) {
        const int rank = f->type[1 + i]->rank;
        if (rank > 1) in[i] = mesh_parse(NULL, f->mesh, rank, rank == 3 ? three : "data, _");
    }
    return in;
}

/* Everything donated and given up: the bits, and who is where. */
static void donated(const one *p, pipeline *r)
{
    run_array *x[PIPELINE_MOST], *y[PIPELINE_MOST];
    const void *at[PIPELINE_MOST];
    bool yes[PIPELINE_MOST];
    const ir_fn *f = r->fn;
    for (uint32_t i = 0; i < f->narg; i++) {
        x[i] = run_array_of(f->type[1 + i], NULL, r->in[i]);
        at[i] = run_box(x[i], 0).at, yes[i] = true;
    }
    const bool ok = driver_run(f, &(driver_opts){ .donate = yes }, x, yes, y);
    CHECK(ok, "%s\n%s", pipeline_error(), p->text);
    for (uint32_t j = 0; ok && j < f->nret; j++) {
        const ir_type *t = f->type[f->ret[j]];
        void *got = base_new(r->a, (size_t)ir_bytes(t) + 16);
        CHECK(run_read(y[j], NULL, NULL, got) && !memcmp(got, r->want[j], (size_t)ir_bytes(t)), "result %u of\n%s", j,
              p->text);
        for (uint32_t i = 0; i < f->narg; i++)
            CHECK((run_box(y[j], 0).at == at[i]) == ((int)i == p->alias[j]), "result %u is%s in argument %u of\n%s", j,
                  (int)i == p->alias[j] ? " not" : "", i, p->text);
    }
    for (uint32_t j = 0; ok && j < f->nret; j++) run_drop(y[j]);
    base_clear_error();
}

static void check(const one *p)
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    driver_lowered view;
    const ir_fn *f = ir_parse(a, "turns", p->text);
    CHECK(f && pipeline_open(&r, f), "%s", pipeline_error());
    const ir_fn *g = f ? pass_scan_sink(a, f, NULL) : NULL;
    if (g) {
        CHECK((g != f) == p->moves, "%s\n%s", g == f ? "nothing moved" : "something moved", p->text);
        CHECK(pass_scan_sink(a, f, laid(a, f, "data, _, _")) == f, "rows of several devices:\n%s",
              p->text);
        const bool all[PIPELINE_MOST] = { true, true, true, true, true };
        const bool looked = driver_lower(a, f, &(driver_opts){ .donate = all }, true, &view);
        const int64_t bytes = looked ? run_plan_counts(view.plan).arena_bytes : 0;
        CHECK(looked && (!p->moves || bytes < ir_bytes(f->type[1])), "%lld bytes in the arena\n%s", (long long)bytes,
              looked ? run_plan_text(a, view.plan) : pipeline_error());
        pipeline_run(&r, "one device", NULL, &(driver_opts){ 0 }, 0);
        static const char *const spec[] = { "_, data, _", "_, _, data", "data, _, _" };
        for (size_t k = 0; k < sizeof spec / sizeof *spec; k++) {
            const driver_opts o = { .in = laid(a, f, spec[k]) };
            pipeline_run(&r, spec[k], o.in, &o, 0);
        }
        donated(p, &r);
    }
    base_close(a);
    driver_forget();
}

/* Products of devices that are no one task are made in the rows of the stack; a row of a stack is a weight that
 * several share. */
static void products(const char *text, const char *spec, const char *has)
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    driver_lowered view;
    const ir_fn *f = ir_parse(a, "products", text);
    CHECK(f && pipeline_open(&r, f), "%s", pipeline_error());
    const mesh_layout *in[2] = { NULL, f ? mesh_parse(NULL, f->mesh, 3, spec) : NULL };
    if (f && f->mesh->natom > 2) in[0] = mesh_parse(NULL, f->mesh, 2, "i, _");
    const driver_opts o = { .in = in };
    const bool looked = f && driver_lower(a, f, &o, true, &view);
    CHECK(looked && strstr(run_plan_text(a, view.plan), has), "no \"%s\" in\n%s", has,
          looked ? run_plan_text(a, view.plan) : pipeline_error());
    if (looked) pipeline_run(&r, has, in, &o, 1e-6);
    base_close(a);
}

static void region(void)
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    driver_lowered view;
    const ir_fn *f = ir_parse(a, "region", "mesh \"data:2\"\n"
        "fn f(w i32[3,256,128], m i32[3,256,128], x i32[256,128]) {\n"
        "w2, m2 = manual w, m, x {manual_axes=[data], in_shardings=[\"_, data, _\", \"_, data, _\", \"data, _\"], "
        "out_shardings=[\"_, data, _\", \"_, data, _\"], unchecked=true} (w i32" ROWS ", m i32" ROWS
        ", x i32[128,128]) {\n"
        SCAN "k = const {dtype=i32, shape=" ROWS ", splat=true, data=3}\na = mul m, k\nm2 = add a, g\ns = mul m2, k\n"
        "w2 = sub w, s\nreturn w2, m2\n}\nreturn w2, m2\n}");
    CHECK(f && pipeline_open(&r, f), "%s", pipeline_error());
    const mesh_layout *const *in = f ? laid(a, f, "_, data, _") : NULL;
    const bool all[PIPELINE_MOST] = { true, true, true };
    const driver_opts o = { .in = in, .donate = all };
    CHECK(f && pass_scan_sink(a, f, in) != f, "nothing moved");
    const bool looked = f && driver_lower(a, f, &o, true, &view);
    CHECK(looked && strstr(run_plan_text(a, view.plan), " in a0, ") && strstr(run_plan_text(a, view.plan), " in a1\n"),
          "not in place:\n%s", looked ? run_plan_text(a, view.plan) : pipeline_error());
    if (looked) pipeline_run(&r, "in a region", in, &(driver_opts){ .in = in }, 0);
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(region());
    CHECK_RUN(products("mesh \"i:4\"\nfn f(y f32[8,80], x f32[3,8,64]) {\n"
             "c, g = scan y, y, x {length=3, num_consts=1, num_carry=1, reverse=false} (y f32[8,80], c f32[8,80], "
             "x f32[8,64])"
             "{\nd = dot_general x, y {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
             "preferred_element_type=f32}\nn = neg c\nreturn n, d }"
             "\nreturn g\n}", "_, _, i", "dot: r0 f32[64@i, 80]"));
    CHECK_RUN(products("mesh \"i:2, j:4\"\nfn f(x f32[8,64], w f32[3,64,320]) {\n"
             "g = scan x, w {length=3, num_consts=1, num_carry=0, reverse=false} (x f32[8,64], w f32[64,320]) {\n"
             "d = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
             "preferred_element_type=f32}\nreturn d }\n"
             "return g\n}", "_, _, j", "8 as 4 x "));
    if (check_named("check"))
        for (size_t k = 0; k < sizeof list / sizeof *list; k++) check(&list[k]);
    return check_done();
}
