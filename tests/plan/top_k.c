/* Sorts of which only the first places are read are one step with their slices (plan/fuse/top_k.c, gen/data/sort.c):
 * every type, few places and many, short lines and long, along any dim, with equal keys, NaN, infinities and both
 * zeros, on meshes; each against ir_eval. And near misses, which stay sorts. */
#include "api/pipeline.h"
#include "plan/plan.h"

typedef struct { const char *name, *text, *spec; bool first; } sample;

static void run(const sample *s)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", s->text);
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    if (f && s->spec) in[0] = mesh_parse(NULL, f->mesh, f->type[1]->rank, s->spec);
    const run_plan *r = f ? pipeline_plan(a, f, in, false) : NULL;
    CHECK(r, "%s: %s", s->name, pipeline_error());
    const char *text = r ? run_plan_text(a, r) : "";
    CHECK(!r || (strstr(text, "sort: first") != NULL) == s->first, "%s: %s in\n%s", s->name,
          s->first ? "no \"sort: first\"" : "\"sort: first\"", text);
    pipeline e = { .a = a };
    CHECK(r && pipeline_open(&e, f), "%s: %s", s->name, pipeline_error());
    if (r) pipeline_run(&e, s->name, in, &(driver_opts){ 0 }, 0);
    base_clear_error();
    base_close(a);
}

#define SORT(down) "{dimension=1, is_stable=true, num_keys=1, descending=" down "}\n"
#define PLACES(n) "i = iota {dtype=i32, shape=[3," n "], iota_dimension=1}\n"
#define CUT(y, x, k) y " = slice " x " {start_indices=[0,0], limit_indices=[3," k "], strides=[1,1]}\n"
/* values and places of the first k of 3 lines of n */
#define TOP(type, n, k, down) \
    "fn f(x " type "[3," n "]) {\n" PLACES(n) "s, p = sort x, i " SORT(down) CUT("a", "s", k) CUT("b", "p", k) \
    "return a, b\n}"
/* likewise of quotients: NaN, infinities, -0 */
#define ODD(type, n, k, down) \
    "fn f(x " type "[3," n "], y " type "[3," n "]) {\nz = div x, y\n" PLACES(n) "s, p = sort z, i " SORT(down) \
    CUT("a", "s", k) CUT("b", "p", k) "return a, b\n}"
#define ON(mesh, text) "mesh \"" mesh "\"\n" text

static const sample firsts[] = {
    { "floats", TOP("f32", "700", "10", "true"), NULL, true },
    { "rising", TOP("f32", "700", "10", "false"), NULL, true },
    { "one of each line", TOP("f32", "1000", "1", "true"), NULL, true },
    { "short lines", TOP("f32", "8", "2", "true"), NULL, true },
    { "all but one", TOP("f32", "300", "299", "true"), NULL, true },
    { "a quarter", TOP("f32", "1200", "300", "true"), NULL, true },
    { "more than fit at once", TOP("f32", "1501", "40", "false"), NULL, true },
    { "none", TOP("f32", "30", "0", "true"), NULL, true },
    { "bytes", TOP("i8", "700", "5", "true"), NULL, true },
    { "bits", TOP("bool", "700", "90", "true"), NULL, true },
    { "words", TOP("u16", "513", "7", "false"), NULL, true },
    { "integers", TOP("i32", "700", "20", "true"), NULL, true },
    { "unsigned ones", TOP("u32", "700", "20", "false"), NULL, true },
    { "wide integers", TOP("i64", "700", "20", "true"), NULL, true },
    { "wide unsigned ones", TOP("u64", "700", "20", "true"), NULL, true },
    { "doubles", TOP("f64", "700", "20", "true"), NULL, true },
    { "halves", TOP("f16", "700", "20", "true"), NULL, true },
    { "bfloats", TOP("bf16", "700", "20", "false"), NULL, true },
    { "two bits", TOP("i2", "40", "7", "true"), NULL, true },
    { "two bits, unsigned", TOP("u2", "40", "7", "false"), NULL, true },
    { "four bits", TOP("i4", "300", "9", "false"), NULL, true },
    { "four bits, unsigned", TOP("u4", "300", "90", "true"), NULL, true },
    { "floats of four bits", TOP("f4E2M1FN", "300", "9", "true"), NULL, true },
    { "floats of six bits", TOP("f6E2M3FN", "300", "9", "false"), NULL, true },
    { "floats of eight bits", TOP("f8E4M3FN", "300", "9", "true"), NULL, true },
    { "others of eight bits", TOP("f8E4M3B11FNUZ", "300", "9", "false"), NULL, true },
    { "odd floats of eight bits", ODD("f8E5M2", "300", "40", "true"), NULL, true },
    { "odd floats of eight bits, rising", ODD("f8E3M4", "300", "40", "false"), NULL, true },
    { "powers of two", TOP("f8E8M0FNU", "300", "9", "true"), NULL, true },
    { "something narrow is carried along", "fn f(x f32[3,40], y u4[3,40], z f8E5M2[3,40]) {\ns, p, q = sort x, y, z "
      SORT("true") CUT("a", "s", "9") CUT("b", "p", "9") CUT("c", "q", "9") "return a, b, c\n}", NULL, true },
    { "two narrow keys", "fn f(x i2[3,40], y f8E4M3FN[3,40], z i64[3,40]) {\ns, p, q = sort x, y, z {dimension=1, "
      "is_stable=true, num_keys=2, descending=false}\n" CUT("a", "s", "9") CUT("b", "p", "9") CUT("c", "q", "9")
      "return a, b, c\n}", NULL, true },
    { "odd floats", ODD("f32", "900", "33", "true"), NULL, true },
    { "odd floats, rising", ODD("f32", "900", "33", "false"), NULL, true },
    { "more NaN than are asked for", ODD("f32", "900", "3", "true"), NULL, true },
    { "odd doubles", ODD("f64", "900", "33", "true"), NULL, true },
    { "odd halves", ODD("f16", "900", "33", "false"), NULL, true },
    { "only the places", "fn f(x f32[3,700]) {\n" PLACES("700") "s, p = sort x, i " SORT("true") CUT("b", "p", "9")
      "return b\n}", NULL, true },
    { "only the values", "fn f(x f32[3,700]) {\ns = sort x " SORT("true") CUT("b", "s", "9") "return b\n}", NULL,
      true },
    { "the second operand twice", "fn f(x f32[3,700], y f32[3,700]) {\ns, p, q = sort x, y, x " SORT("true")
      CUT("a", "q", "9") CUT("b", "p", "9") "return a, b\n}", NULL, true },
    { "two keys", "fn f(x f32[3,200], y i32[3,200]) {\ns, p = sort x, y {dimension=1, is_stable=true, num_keys=2, "
      "descending=false}\n" CUT("a", "s", "9") CUT("b", "p", "9") "return a, b\n}", NULL, true },
    { "along the first dim", "fn f(x f32[600,5]) {\ni = iota {dtype=i32, shape=[600,5], iota_dimension=0}\n"
      "s, p = sort x, i {dimension=0, is_stable=true, num_keys=1, descending=true}\n"
      "a = slice s {start_indices=[0,0], limit_indices=[4,5], strides=[1,1]}\n"
      "b = slice p {start_indices=[0,0], limit_indices=[4,5], strides=[1,1]}\nreturn a, b\n}", NULL, true },
    { "what reads them goes on", "fn f(x f32[3,700]) {\n" PLACES("700") "s, p = sort x, i " SORT("true")
      CUT("a", "s", "9") CUT("b", "p", "9") "e = exp a\nt = add e, a\nu = add b, b\nreturn t, u\n}", NULL, true },
    { "lines on devices", ON("d:3", TOP("f32", "700", "10", "true")), "d, _", true },
};

static const sample near_misses[] = {
    { "the last ones", "fn f(x f32[3,40]) {\ns = sort x " SORT("true")
      "b = slice s {start_indices=[0,3], limit_indices=[3,9], strides=[1,1]}\nreturn b\n}", NULL, false },
    { "every other one", "fn f(x f32[3,40]) {\ns = sort x " SORT("true")
      "b = slice s {start_indices=[0,0], limit_indices=[3,9], strides=[1,2]}\nreturn b\n}", NULL, false },
    { "of two lines", "fn f(x f32[3,40]) {\ns = sort x " SORT("true")
      "b = slice s {start_indices=[0,0], limit_indices=[2,9], strides=[1,1]}\nreturn b\n}", NULL, false },
    { "of another number each", "fn f(x f32[3,40]) {\n" PLACES("40") "s, p = sort x, i " SORT("true")
      CUT("a", "s", "9") CUT("b", "p", "8") "return a, b\n}", NULL, false },
    { "the whole is read too", "fn f(x f32[3,40]) {\n" PLACES("40") "s, p = sort x, i " SORT("true") CUT("a", "s", "9")
      CUT("b", "p", "9") "return a, b, p\n}", NULL, false },
    { "each device takes some of them", ON("d:4", TOP("f32", "700", "10", "true")), "_, d", false },
    { "and by a sum", "fn f(x f32[3,40]) {\ns = sort x " SORT("true") CUT("a", "s", "9")
      "t = reduce s, 0 {dimensions=[1]} add\nreturn a, t\n}", NULL, false },
};

/* The least of many keys, in the worst orders: every one less than all before, all equal, two halves. */
static void test_orders(void)
{
    enum { N = 20000, K = 37 };
    static float x[N], want[K], got[K];
    static int32_t at[K];
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", "fn f(x f32[20000]) {\ni = iota {dtype=i32, shape=[20000], iota_dimension=0}\n"
                              "s, p = sort x, i {dimension=0, is_stable=true, num_keys=1, descending=false}\n"
                              "a = slice s {start_indices=[0], limit_indices=[37], strides=[1]}\n"
                              "b = slice p {start_indices=[0], limit_indices=[37], strides=[1]}\nreturn a, b\n}");
    CHECK(f, "%s", pipeline_error());
    for (int how = 0; f && how < 4; how++) {
        int32_t where[K];
        for (int i = 0; i < N; i++)
            x[i] = how == 0 ? (float)-i : how == 1 ? 3 : how == 2 ? (float)(i < N / 2 ? i : i - N) : (float)i;
        for (int k = 0; k < K; k++)
            where[k] = how == 0 ? N - 1 - k : how == 2 ? N / 2 + k : k, want[k] = x[where[k]];
        run_array *in = run_array_of(f->type[1], NULL, x), *y[2] = { 0 };
        const bool ok = driver_run(f, &(driver_opts){ 0 }, &in, NULL, y);
        CHECK(ok && run_read(y[0], NULL, NULL, got) && run_read(y[1], NULL, NULL, at), "order %d: %s", how,
              pipeline_error());
        const bool same = !memcmp(got, want, sizeof want) && !memcmp(at, where, sizeof where);
        CHECK(ok && same, "order %d: other elements", how);
        run_drop(in);
        for (int j = 0; ok && j < 2; j++) run_drop(y[j]);
    }
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        if (check_named("firsts") && check_turn(i)) run(&firsts[i]);
    for (size_t i = 0; i < sizeof near_misses / sizeof *near_misses; i++)
        if (check_named("near_misses")) run(&near_misses[i]);
    CHECK_RUN(test_orders());
    driver_forget();
    return check_done();
}
