/* Donated arguments: whose buffer a result takes, what stays right when it cannot, what is said when it never could;
 * and the words of TUTTI=plan and TUTTI=ir. */
#include "api/pipeline.h"
#include "op/ops.h"

static char said[1 << 16];

static void sink(const char *line)
{
    strncat(said, line, sizeof said - strlen(said) - 2);
    strcat(said, "\n");
}

/* Runs it with everything donated and given up; checks values; alias[j]: the argument that result j is in, -1: none. */
static void donated(const char *text, const char *spec, const int *alias)    /* spec: of all, or "of w; of x" */
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    const ir_fn *f = ir_parse(a, "t", text);
    CHECK(f && pipeline_open(&r, f), "%s", pipeline_error());
    if (!f) return;
    run_array *x[PIPELINE_MOST], *y[PIPELINE_MOST];
    const void *at[PIPELINE_MOST];
    bool yes[PIPELINE_MOST];
    const mesh_layout *in[PIPELINE_MOST];
    for (uint32_t i = 0; i < f->narg; i++) {
        const char *end = spec ? strchr(spec, ';') : NULL;
        in[i] = spec ? mesh_parse(NULL, f->mesh, f->type[1 + i]->rank, end ? base_format(a, "%.*s", (int)(end - spec),
            spec) : spec) : NULL;
        if (end) spec = end + 1;
        x[i] = run_array_of(f->type[1 + i], in[i], r.in[i]);
        at[i] = run_box(x[i], 0).at;
        yes[i] = true;
    }
    const bool ok = driver_run(f, &(driver_opts){ .donate = yes }, x, yes, y);
    CHECK(ok, "%s\n%s", pipeline_error(), text);
    for (uint32_t j = 0; ok && j < f->nret; j++) {
        const ir_type *t = f->type[f->ret[j]];
        void *got = base_new(a, (size_t)ir_count(t) * ir_dtype_of(t->dtype)->bytes);
        CHECK(run_read(y[j], NULL, NULL, got), "%s", pipeline_error());
        const ir_box g = ir_box_dense(got, t), w = ir_box_dense(r.want[j], t);
        CHECK(pipeline_apart(&g, &w) <= 1e-6, "result %u of\n%s", j, text);
        for (uint32_t i = 0; i < f->narg; i++)
            CHECK((run_box(y[j], 0).at == at[i]) == ((int)i == alias[j]), "result %u is%s in argument %u of\n%s", j,
                  (int)i == alias[j] ? " not" : "", i, text);
    }
    for (uint32_t j = 0; ok && j < f->nret; j++) run_drop(y[j]);
    base_clear_error();
    base_close(a);
}

#define A (const int[])

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    base_set_log_sink(sink);
    donated("fn f(x f32[64, 4]) {\ny = add x, x\nreturn y\n}", NULL, A{ 0 });
    donated("mesh \"d:4\"\nfn f(x f32[64, 4]) {\ny = add x, x\nreturn y\n}", "d, _", A{ 0 });
    donated("mesh \"d:3\"\nfn f(x f32[64, 4]) {\ny = add x, x\nreturn y\n}", "d, _", A{ 0 });
    donated("fn f(x f32[8], y f32[8]) {\nreturn y, x\n}", NULL, A{ 1, 0 });
    /* one kernel, s first */
    donated("fn f(x f32[8], y f32[8]) {\ns = add x, y\nt = sub x, y\nreturn s, t\n}", NULL, A{ -1, 0 });
    /* x is read after s is there: s cannot be in x, and y is as good */
    donated("fn f(x f32[8], y f32[8]) {\ns = reduce_window y, 0 {window_dimensions=[3], window_strides=[1], "
            "base_dilations=[1], window_dilations=[1], "
            "padding_low=[1], padding_high=[1]} add\nt = reduce_window s, 0 {window_dimensions=[3], "
            "window_strides=[1], "
            "base_dilations=[1], "
            "window_dilations=[1], padding_low=[1], padding_high=[1]} add\nu = add t, x\nreturn s, u\n}", NULL,
            A{ -1, 0 });
    /* w is read once more after n is there, x is not */
    donated("fn f(w f32[8, 8], x f32[8, 8]) {\n"
            "h = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\nt = tanh h\n"
            "g = dot_general x, t {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\nn = sub w, g\n"
            "b = dot_general t, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], "
            "preferred_element_type=f32}\nreturn n, b\n}", NULL,
                A{ 1, -1 });
    donated("fn f(x f32[8], n i32[]) {\na, b = while x, n (x f32[8], n i32[]) { t = compare n, "
            "3 {comparison_direction=lt}; "
            "return t }"
            " (x f32[8], n i32[]) { y = add x, x; m = add n, 1; return y, m }\nreturn a, b\n}", NULL, A{ 0, 1 });
    /* the gradient's sum is there before w dies: it may not be made in the buffer that n and w share */
    donated("mesh \"d:4\"\nfn f(w f32[8, 8], x f32[16, 8]) {\n"
            "h = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\n"
            "g = dot_general x, h {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\n"
            "k = dot_general g, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\nl = tanh k\n"
            "n = sub w, g\ns = reduce l, 0 {dimensions=[0, 1]} add\nb = broadcast_in_dim s {shape=[16, 8], "
            "broadcast_dimensions=[]}\n"
            "return n, b\n}", "_, _; d, _", A{ 0, -1 });
    CHECK(strstr(said, "note: donated argument 1 of f, f32[16, 8], is not reused: the result of its type is laid out "
        "as \""),
          "%s", said);
    *said = 0;

    donated("fn wide(x f32[8], y f32[4]) {\nz = add x, x\nreturn z\n}", NULL, A{ 0 });
    CHECK(!strcmp(said, "note: donated argument 1 of wide, f32[4], is not reused: no result has its type\n"
                        "  hint: leave it out of .donate\n"), "%s", said);
    *said = 0;
    donated("fn two(x f32[8], y f32[8]) {\nz = add x, y\nreturn z\n}", NULL, A{ 0 });
    CHECK(strstr(said, "argument 1 of two, f32[8], is not reused: another one is in the place of"), "%s", said);
    *said = 0;
    donated("fn unread(x f32[8], y f32[8]) {\nz = tanh x\nreturn z\n}", NULL, A{ 0 });
    CHECK(strstr(said, "argument 1 of unread, f32[8], is not reused: nothing reads it"), "%s", said);

    *said = 0;
    CHECK(base_switches(NULL, "plan,ir:seen"), "%s", pipeline_error());
    donated("fn seen(x f32[8]) {\ny = add x, x\nz = tanh y\nreturn z\n}", NULL, A{ 0 });
    CHECK(strstr(said, "---- seen\nplan of 1 step: 1 kernel (1 distinct), 0 exchanges (0 B) in 0 rounds, arena 0 B "
                       "per device"), "%s", said);
    CHECK(strstr(said, "---- seen after simplify\nfn seen(v1 f32[8]) -> f32[8] {\n  v2 f32[8] = add v1, v1\n"), "%s",
          said);
    CHECK(strstr(said, "---- seen after partition"), "%s", said);
    *said = 0;                                           /* eager calls are said by their name only */
    const ir_type *t = ir_type_of(TT_F32, 1, (const int64_t[]){ 2 });
    run_array *x = run_array_of(t, NULL, NULL), *y = NULL;
    uint32_t n;
    CHECK(base_switches(NULL, "plan,ir") && driver_one(NULL, &prim_sin, NULL, 1, &x, 0, NULL, &y, &n) && !*said, "%s",
          said);
    run_drop(y);
    CHECK(base_switches(NULL, "plan:cos") && driver_one(NULL, &prim_cos, NULL, 1, &x, 0, NULL, &y, &n), "%s",
          pipeline_error());
    CHECK(!strncmp(said, "---- cos\nplan of 1 step:", 24), "%s", said);
    run_drop(y), run_drop(x);
    driver_forget();
    return check_done();
}
