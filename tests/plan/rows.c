/* rows.c - sums down the rows beside those of the rows: one kernel where they belong together, kernels of their
 * own where they do not; and the values, whole and cut over a mesh. */
#include "api/pipeline.h"
#include "plan/plan.h"
#include "spmd/spmd.h"

#define ROWS(n, end)                                                                                                   \
    "mesh \"data:4\"\nfn f(x f32[" n ",24], w f32[" n ",24]) {\nm = reduce x, 0 {dimensions=[1]} add\n"                \
    "b = broadcast_in_dim m {shape=[" n ",24], broadcast_dimensions=[0]}\nd = mul x, b\ne = mul d, w\n" end "}"
#define SPREAD "q = broadcast_in_dim s {shape=[1024,24], broadcast_dimensions=[1]}\n"
#define DOWN(y, x, how) y " = reduce " x ", 0 {dimensions=[0]} " how "\n"

typedef struct { const char *what, *text, *spec; bool reproducible; int64_t kernels; } program;
static const program all[] = {
    { "of what is made and of an operand", ROWS("1024", DOWN("s", "e", "add") DOWN("t", "w", "max")
                                                "return d, s, t\n"), NULL, false, 1 },
    { "alone", ROWS("1024", DOWN("s", "e", "add") "return s\n"), NULL, false, 1 },
    { "of instances", ROWS("1024", DOWN("s", "e", "add") "return d, s\n"), "data, _", false, 1 },
    { "of uneven ones", ROWS("1037", DOWN("s", "e", "add") DOWN("t", "x", "min") "return s, t, m\n"), "data, _", false,
      1 },
    { "of too few rows", ROWS("200", DOWN("s", "e", "add") "return d, s\n"), NULL, false, 2 },
    { "of instances with too few", ROWS("1020", DOWN("s", "e", "add") "return d, s\n"), "data, _", false, 2 },
    { "that the rows read", ROWS("1024", DOWN("s", "w", "add") SPREAD "y = add e, q\n"
                                 "u = reduce y, 0 {dimensions=[1]} add\nreturn y, u\n"), NULL, false, 2 },
    { "that come before others", ROWS("1024", DOWN("s", "e", "add") SPREAD "y = add d, q\nreturn y\n"), NULL, false,
      2 },
    { "of other dims", ROWS("1024", "s = reduce e, 0 {dimensions=[0,1]} add\nreturn d, s\n"), NULL, false, 2 },
    { "as trees", ROWS("1024", DOWN("s", "e", "add") "return d, s\n"), NULL, true, 2 },
};

static void test(const program *p)
{
    base_arena *a = base_open();
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    ir_fn *f = ir_parse(a, "one", p->text);
    CHECK(f, "%s: %s", p->what, pipeline_error());
    if (!f) return;
    f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
    for (int k = 0; k < 2 && p->spec; k++) f->layout[1 + k] = in[k] = mesh_parse(NULL, f->mesh, 2, p->spec);
    const ir_fn *cut = spmd_partition(a, f, NULL, NULL, NULL);
    const run_plan *r = cut ? plan_make(a, a, cut, p->reproducible) : NULL;
    CHECK(r, "%s: %s", p->what, pipeline_error());
    const int64_t n = r ? run_plan_counts(r).kernels : 0;
    CHECK(n == p->kernels, "%s: %lld kernels, not %lld\n%s", p->what, (long long)n, (long long)p->kernels,
          r ? run_plan_text(a, r) : "");
    pipeline run = { .a = a };
    f->layout = NULL;
    CHECK(pipeline_open(&run, f), "%s", pipeline_error());
    pipeline_run(&run, p->what, in, &(driver_opts){ .flags = p->reproducible ? DRIVER_REPRODUCIBLE : 0 }, 1e-4);
    base_close(a);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) test(&all[i]);
    return check_done();
}
