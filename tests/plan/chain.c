/* Steps that run part by part one behind the other: attention and its gradient, along batches or heads, on meshes, in
 * loops. To the bit what the steps give one after the other, in less memory; and what must not become a chain. */
#include "plan/plan.h"
#include "api/pipeline.h"
#include "spmd/spmd.h"
#include "transform/transform.h"

#define SOFTMAX(p, s, dims, row, over, at) \
    "mx = reduce " s ", -inf {dimensions=[" over "]} max\nmb = broadcast_in_dim mx {shape=" dims \
    ", broadcast_dimensions=" at "}\nsh = sub " s ", mb\nex = exp sh\nsm = reduce ex, 0 {dimensions=[" over "]} add\n" \
    "sb = broadcast_in_dim sm {shape=" dims ", broadcast_dimensions=" at "}\n" p " = div ex, sb\n"
#define SCORES "s = dot_general q, k {lhs_batching_dimensions=[0,2], rhs_batching_dimensions=[0,2], "                  \
               "lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[3], preferred_element_type=f32}\n"
#define VALUES "o = dot_general p, v {lhs_batching_dimensions=[0,1], rhs_batching_dimensions=[0,2], "                  \
               "lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[1], preferred_element_type=f32}\n"
#define ATTEND(dims) SCORES SOFTMAX("p", "s", dims, , "3", "[0,1,2]") VALUES
#define ARGS(t) "q f32" t ", k f32" t ", v f32" t
#define TURN "y = transpose o {permutation=[0,2,1,3]}\n"

/* steps: of the plan; chains: in it; want: a part of its text. gradient: of the sum of all that it returns. */
typedef struct {
    const char *what, *text, *spec[4]; int chains; const char *want; bool gradient;
} example;

static const example all[] = {
    { "attention", "fn f(" ARGS("[8,64,2,64]") ") {\n" ATTEND("[8,2,64,64]") TURN "return y }", { NULL }, 1,
      "dot, rows: softmax: reduce sub exp reduce div, dot, move: transpose: r0", false },
    { "heads", "fn f(" ARGS("[1,128,6,16]") ") {\n" ATTEND("[1,6,128,128]") TURN "return y }", { NULL }, 1,
      "dot, rows: softmax", false },
    { "gradient", "fn f(" ARGS("[8,64,2,64]") ") {\n" ATTEND("[8,2,64,64]") "w = mul o, o\n"
      "l = reduce w, 0 {dimensions=[0,1,2,3]} add\nreturn l }", { NULL }, 1, "dot, rows: softmax", true },
    { "one part each", "mesh \"data:8\"\nfn f(" ARGS("[8,64,2,64]") ") {\n" ATTEND("[8,2,64,64]") TURN "return y }",
      { "data, _, _, _", "data, _, _, _", "data, _, _, _" }, 1, "8 x dot, rows", false },
    { "uneven parts", "mesh \"data:3\"\nfn f(" ARGS("[8,64,2,64]") ") {\n" ATTEND("[8,2,64,64]") TURN "return y }",
      { "data, _, _, _", "data, _, _, _", "data, _, _, _" }, 1, "3 x dot, rows", false },
    { "in a loop", "fn f(" ARGS("[8,64,2,64]") ") {\nn = const {dtype=i32, shape=[], splat=true, data=0}\n"
      "m, a, b, c = while n, q, k, v (n i32[], " ARGS("[8,64,2,64]") ") {\n"
      "two = const {dtype=i32, shape=[], splat=true, data=2}\ngo = compare n, two {comparison_direction=lt}\nreturn "
      "go\n} "
      "(n i32[], " ARGS("[8,64,2,64]") ") {\n" ATTEND("[8,2,64,64]") TURN
      "one = const {dtype=i32, shape=[], splat=true, data=1}\nn2 = add n, one\nreturn n2, y, k, v\n}\nreturn a }",
      { NULL }, 1, "dot, rows", false },
    { "no softmax", "fn f(" ARGS("[8,64,2,64]") ") {\n" SCORES "p = tanh s\n" VALUES "return o }", { NULL }, 1,
      "dot, tile: tanh, dot", false },
    /* a step between that reads what the chain made: it is behind it, and nothing that it makes is read in it */
    { "something between", "fn f(" ARGS("[8,64,2,64]") ") {\n" SCORES "c = cumsum s {dimension=3, reverse=false}\n"
      SOFTMAX("p", "s", "[8,2,64,64]", , "3", "[0,1,2]") VALUES TURN "return c, y }", { NULL }, 1, "dot, rows", false },
    { "needed between", "fn f(" ARGS("[8,64,2,64]") ") {\n" SCORES "c = cumsum s {dimension=3, reverse=false}\n"
      SOFTMAX("p", "c", "[8,2,64,64]", , "3", "[0,1,2]") "o = dot_general p, v {lhs_batching_dimensions=[0], "
          "rhs_batching_dimensions=[0], "
      "lhs_contracting_dimensions=[1,3], rhs_contracting_dimensions=[2,1], preferred_element_type=f32}\nreturn o }",
      { NULL }, 1, "rows: softmax", false },
    /* near misses */
    { "all wanted", "fn f(" ARGS("[8,64,2,64]") ") {\n" ATTEND("[8,2,64,64]") "return s, p, o }", { NULL }, 0, "dot",
      false },
    { "batches are summed", "fn f(" ARGS("[8,64,2,64]") ") {\n" SCORES "t = tanh s\n"
      "o = dot_general t, v {lhs_batching_dimensions=[1], rhs_batching_dimensions=[2], "
      "lhs_contracting_dimensions=[0,3], rhs_contracting_dimensions=[0,1], "
      "preferred_element_type=f32}\nreturn o }", { NULL }, 0, "dot", false },
    { "few batches", "fn f(" ARGS("[3,128,2,16]") ") {\n" ATTEND("[3,2,128,128]") "return o }", { NULL }, 0, "dot",
      false },
    { "a large row", "fn f(" ARGS("[4,660,1,4]") ") {\n" ATTEND("[4,1,660,660]") "return o }", { NULL }, 0, "dot",
      false },
    { "small", "fn f(" ARGS("[8,16,2,8]") ") {\n" ATTEND("[8,2,16,16]") "return o }", { NULL }, 0, "dot", false },
    { "weights", "fn f(x f32[8,64,64], w f32[64,256], u f32[256,16]) {\n"
      "s = dot_general x, w {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nt = tanh s\n"
      "o = dot_general t, u {lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[0], "
      "preferred_element_type=f32}\nreturn o }", { NULL }, 0, "dot",
      false },
    { "heads are split", "mesh \"model:2\"\nfn f(" ARGS("[8,64,4,32]") ") {\n" ATTEND("[8,4,64,64]") "return o }",
      { "_, _, model, _", "_, _, model, _", "_, _, model, _" }, 0, "2 x dot", false },
};

static const ir_fn *function(base_arena *a, const example *e)
{
    const ir_fn *f = ir_parse(a, "chain", e->text);
    bool wrt[PIPELINE_MOST] = { true, true, true };
    return f && e->gradient ? transform_value_and_grad(a, NULL, f, wrt) : f;
}

static const run_plan *planned(base_arena *a, const example *e, const mesh_layout **in, bool reproducible)
{
    ir_fn *f = (ir_fn *)(uintptr_t)function(a, e);
    CHECK(f, "%s: %s", e->what, pipeline_error());
    if (!f) return NULL;
    for (uint32_t i = 0; i < f->narg; i++)
        in[i] = e->spec[i] ? mesh_parse(NULL, f->mesh, f->type[1 + i]->rank, e->spec[i]) : NULL;
    const ir_fn *p = spmd_partition(a, f, in, NULL, NULL);
    const run_plan *r = p ? plan_make(a, a, p, reproducible) : NULL;
    CHECK(r, "%s: %s", e->what, pipeline_error());
    return r;
}

static int chains(const char *text)                      /* lines that name a contraction and what it is not part of */
{
    int n = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        static const char *const is[] = { ", dot", "dot, rows", "dot, move", "tile: tanh, dot" };
        bool found = false;
        for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
            const char *const at = strstr(line, is[i]);
            found |= at && at < line + strcspn(line, "\n");
        }
        n += found;
    }
    return n;
}

/* The results' bytes, one behind the other. */
static char *run(base_arena *a, const example *e, const mesh_layout *const *in, size_t *bytes)
{
    const ir_fn *f = function(a, e);
    run_array *x[PIPELINE_MOST] = { 0 }, *y[PIPELINE_MOST] = { 0 };
    *bytes = 0;
    for (uint32_t j = 0; j < f->nret; j++) *bytes += (size_t)ir_count(f->type[f->ret[j]]) * 4;
    char *const got = base_new(a, *bytes + 1), *at = got;
    for (uint32_t i = 0; i < f->narg; i++)
        x[i] = run_array_of(pipeline_plain(f->type[1 + i]), in[i], pipeline_data(a, f->type[1 + i], 5 + i));
    CHECK(driver_run(f, &(driver_opts){ 0 }, x, NULL, y), "%s: %s", e->what, pipeline_error());
    for (uint32_t j = 0; j < f->nret && y[j]; at += ir_count(f->type[f->ret[j++]]) * 4) {
        CHECK(run_read(y[j], NULL, NULL, at), "%s: %s", e->what, pipeline_error());
        run_drop(y[j]);
    }
    for (uint32_t i = 0; i < f->narg; i++) run_drop(x[i]);
    driver_forget();
    return got;
}

static void check(const example *e)
{
    base_arena *a = base_open();
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    size_t n, same;
    const run_plan *r = planned(a, e, in, false), *plain, *fixed = planned(a, e, in, true);
    if (r && fixed) {
        const char *const text = run_plan_text(a, r);
        CHECK(chains(text) == e->chains && strstr(text, e->want), "%s: %d chains, expected %d, and \"%s\"\n%s", e->what,
            chains(text), e->chains, e->want, text);
        CHECK(chains(run_plan_text(a, fixed)) == 0, "%s: a chain in reproducible mode", e->what);
        const char *const got = run(a, e, in, &n);
        base_switches(NULL, "no-chain");
        plain = planned(a, e, in, false);
        const char *const want = run(a, e, in, &same);
        base_switch_off("no-chain");
        CHECK(n == same && !memcmp(got, want, n), "%s: other bits", e->what);
        CHECK(plain && chains(run_plan_text(a, plain)) == 0, "%s: a chain without chains", e->what);
        const int64_t with = run_plan_counts(r).arena_bytes, without = plain ? run_plan_counts(plain).arena_bytes : 0;
        CHECK(e->chains ? with <= without : with == without, "%s: %lld bytes, without chains %lld", e->what,
            (long long)with, (long long)without);
    }
    base_close(a);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    base_switches_env();
    if (base_switch("ref") || base_switch("no-chain")) return check_done();
    base_switches(NULL, "no-dnn");                       /* what is no chain would be computed by another kernel */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(&all[i]);
    base_arena *a = base_open();
    pipeline one = { .a = a };
    CHECK(pipeline_open(&one, function(a, &all[0])), "%s", pipeline_error());
    pipeline_run(&one, all[0].what, NULL, NULL, 1e-5);
    base_close(a);
    driver_forget();
    return check_done();
}
