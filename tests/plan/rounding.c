/* rounding.c - weights of float32 that products of bf16 round while they pack them: no copy, the bits of a copy that is
 * there, in a training step too; and where the copy stays. */
#include "api/pipeline.h"
#include "gen/matmul/gemm.h"

#define X "x bf16[96,160], w f32[160,192], g bf16[96,192]"
#define FORWARD "p = dot_general x, h {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                "preferred_element_type=bf16}\n"
#define BACKWARD "q = dot_general g, h {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], " \
                 "preferred_element_type=f32}\n"
#define ROUND "h = convert w {new_dtype=bf16}\n"
#define UPDATE "d = dot_general x, g {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], " \
               "preferred_element_type=bf16}\n" \
               "e = convert d {new_dtype=f32}\nc = const {dtype=f32, shape=[160,192], splat=true, data=0.01}\n" \
               "s = mul c, e\nu = sub w, s\n"

/* copies: conversions to bf16 that the plan stores. last: what the function returns beside these. */
static const struct { const char *what, *text; int copies; const char *spec; } all[] = {
    { "forward", "fn f(" X ") {\n" ROUND FORWARD "return p", 0, NULL },
    { "forward and backward", "fn f(" X ") {\n" ROUND FORWARD BACKWARD "return p, q", 0, NULL },
    { "a weight on the left", "fn f(" X ") {\n" ROUND "p = dot_general h, x {lhs_contracting_dimensions=[0], "
      "rhs_contracting_dimensions=[1], preferred_element_type=f32}\nreturn p", 0, NULL },
    { "an epilogue", "fn f(" X ") {\n" ROUND FORWARD "y = tanh p\nreturn y", 0, NULL },
    { "an update", "fn f(" X ") {\n" ROUND FORWARD BACKWARD UPDATE "return p, q, u", 0, NULL },
    { "the same layout on devices", "mesh \"model:2\"\nfn f(" X ") {\n" ROUND FORWARD "return p", 0, "_, model" },
    /* near misses */
    { "another reader", "fn f(" X ") {\n" ROUND FORWARD "return p, h", 1, NULL },
    { "few rows", "fn f(x bf16[4,160], w f32[160,192], g bf16[96,192]) {\n" ROUND FORWARD "return p", 1, NULL },
    { "more instances than the weight", "mesh \"data:2\"\nfn f(" X ") {\n" ROUND FORWARD "return p", 1, "data, _" },
    { "a product with itself", "fn f(x f32[4], w f32[160,160], g f32[4]) {\n" ROUND "p = dot_general h, h "
      "{lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], preferred_element_type=f32}\nreturn p",
      1, NULL },
    { "no argument", "fn f(x bf16[96,160], v f32[160,192], g bf16[96,192]) {\n"
      "w = cumsum v {dimension=0, reverse=false}\n" ROUND FORWARD "return p", 1, NULL },
    { "in a loop", "fn f(x bf16[96,160], w f32[160,160], g f32[4]) {\n"
      "n = const {dtype=i32, shape=[], splat=true, data=0}\n"
      "m, a, v = while n, x, w (n i32[], x bf16[96,160], w f32[160,160]) {\n"
      "two = const {dtype=i32, shape=[], splat=true, data=2}\ngo = compare n, two {comparison_direction=lt}\n"
      "return go\n} "
      "(n i32[], x bf16[96,160], w f32[160,160]) {\n" ROUND FORWARD "t = add w, w\n"
      "one = const {dtype=i32, shape=[], splat=true, data=1}\nn2 = add n, one\nreturn n2, p, t\n}\nreturn a", 1, NULL },
};

static int copies_of(const char *plan)                   /* lines of conversions alone */
{
    int n = 0;
    for (const char *at = plan; (at = strstr(at, "tile: convert:")); at++) n++;
    return n;
}

/* The bytes of the function's first nret results. */
static char *results(base_arena *a, const ir_fn *f, uint32_t nret, const mesh_layout *const *in, int flags, size_t *n)
{
    run_array *x[PIPELINE_MOST] = { 0 }, *y[PIPELINE_MOST] = { 0 };
    *n = 0;
    for (uint32_t j = 0; j < nret; j++) *n += (size_t)ir_bytes(f->type[f->ret[j]]);
    char *const got = base_new(a, *n + 1), *at = got;
    for (uint32_t i = 0; i < f->narg; i++)
        x[i] = run_array_of(pipeline_plain(f->type[1 + i]), in[i], pipeline_data(a, f->type[1 + i], 5 + i));
    const driver_opts o = { .flags = (uint32_t)flags };
    CHECK(driver_run(f, &o, x, NULL, y), "%s", pipeline_error());
    for (uint32_t j = 0; j < f->nret && y[j]; j++) {
        if (j < nret) CHECK(run_read(y[j], NULL, NULL, at), "%s", pipeline_error());
        at += j < nret ? ir_bytes(f->type[f->ret[j]]) : 0;
        run_drop(y[j]);
    }
    for (uint32_t i = 0; i < f->narg; i++) run_drop(x[i]);
    driver_forget();
    return got;
}

static void rounding(size_t i, bool reproducible)
{
    base_arena *a = base_open();
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    const bool last = strstr(all[i].text, "while") != NULL, here = gemm_bf16_here() && !gemm_matrix_unit_here();
    ir_fn *const f = (ir_fn *)(uintptr_t)ir_parse(a, "rounding", base_format(a, "%s }", all[i].text));
    /* a copy that is wanted is there */
    ir_fn *const g = (ir_fn *)(uintptr_t)ir_parse(a, "copied", base_format(a, last ? "%s }" : "%s, h }", all[i].text));
    CHECK(f && g, "%s: %s", all[i].what, pipeline_error());
    if (!f || !g) return;
    if (all[i].spec) in[all[i].spec[0] == '_'] = mesh_parse(NULL, f->mesh, 2, all[i].spec);
    const int want = here && !reproducible ? all[i].copies : 1;
    const run_plan *p = pipeline_plan(a, f, in, reproducible);
    const char *const text = run_plan_text(a, p);
    CHECK(copies_of(text) == want, "%s: %d copies, expected %d\n%s", all[i].what, copies_of(text), want, text);
    size_t n, m;
    const int flags = reproducible ? DRIVER_REPRODUCIBLE : 0;
    const char *const got = results(a, f, f->nret, in, flags, &n), *const plain = results(a, g, f->nret, in, flags, &m);
    CHECK(n == m && !memcmp(got, plain, n), "%s: other bits than with a copy", all[i].what);
    base_close(a);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    base_switches_env();
    if (base_switch("ref")) return check_done();
    for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++)
        if (check_turn(i)) rounding(i / 2, i % 2);
    driver_forget();
    return check_done();
}
