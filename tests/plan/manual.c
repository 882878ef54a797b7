/* Manual regions: every collective, values that differ and values that do not, loops and branches inside, results that
 * differ over an axis their layout does not name; on meshes of several sizes, from arguments laid out well and badly,
 * against ir_eval, whose region runs all members in lockstep by each primitive's .group. */
#include "api/pipeline.h"

/* $1 $2 $4 $8: that many times the members; $R: the ring's sources. */
static const char *expand(base_arena *a, const char *text, int n)
{
    base_text t = { .arena = a };
    for (; *text; text++) {
        if (*text != '$') base_appendf(&t, "%c", *text);
        else if (*++text == 'R') for (int i = 0; i < n; i++) base_appendf(&t, "%s%d", i ? ", " : "", (i + n - 1) % n);
        else base_appendf(&t, "%d", (*text - '0') * n);
    }
    return t.s;
}

#define REGION(in, out, params, body) \
    "y = manual x {manual_axes=[i], in_shardings=[" in "], out_shardings=[" out "], unchecked=true} (" params ") { " \
    body " }"
#define FN(result_body) "mesh \"i:$1\"\nfn f(x f32[$8, 6]) {\n" result_body "\nreturn y\n}"

static const char *const one_axis[] = {
    FN(REGION("\"i, _\"", "\"_, _\"", "v f32[8, 6]", "w = mul v, v; u = psum w {axes=[i], unchecked=true}; return u")),
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]", "u = psum v {axes=[i], unchecked=true}; w = mul u, v; return w")),
    FN(REGION("\"i, _\"", "\"_, _\"", "v f32[8, 6]",
              "u = all_gather v {axes=[i], all_gather_dim=0, axis_size=$1, unchecked=true}; return u")),
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]",
              "u = all_gather v {axes=[i], all_gather_dim=1, axis_size=$1, unchecked=true}; w = tanh u; return w")),
    FN(REGION("\"_, _\"", "\"i, _\"", "v f32[$8, 6]",
              "u = reduce_scatter v {axes=[i], scatter_dimension=0, axis_size=$1, unchecked=true}; return u")),
    FN("t = transpose x {permutation=[1, 0]}\nq = reshape t {shape=[$6, 8]}\n"
       "y = manual q {manual_axes=[i], in_shardings=[\"i, _\"], out_shardings=[\"i, _\"], unchecked=true} (v f32[6, "
       "8]) {\n"
       "p = broadcast_in_dim v {shape=[$1, 6, 8], broadcast_dimensions=[1, 2]}; "
       "s = reduce_scatter p {axes=[i], scatter_dimension=0, axis_size=$1, unchecked=true}; r = reshape s {shape=[6, "
       "8]}; return r }"),
    FN("q = reshape x {shape=[8, $6]}\ny = manual q {manual_axes=[i], in_shardings=[\"_, i\"], out_shardings=[\"i, _, "
       "_\"], unchecked=true} (v "
       "f32[8, 6]) {\n"
       "b = broadcast_in_dim v {shape=[$1, 8, 6], broadcast_dimensions=[1, 2]}; k = axis_index {axes=[i], "
       "unchecked=true}; "
       "c = convert k {new_dtype=f32}; d = broadcast_in_dim c {shape=[$1, 8, 6], broadcast_dimensions=[]}; e = add b, "
       "d; "
       "t = all_to_all e {axes=[i], split_dimension=0, concat_dimension=1, axis_size=$1, unchecked=true}; return t }\n"
       "z = reshape y {shape=[$8, $6]}\nw = add z, z"),
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]",
              "u = ppermute v {axes=[i], source=[$R], unchecked=true}; w = sub u, v; return w")),
    FN(REGION("\"i, _\"", "\"_, _\"", "v f32[8, 6]",
              "u = pmax v {axes=[i], unchecked=true}; w = pmin v {axes=[i], unchecked=true}; "
                                                     "d = sub u, w; return d")),
    /* counts members */
    FN(REGION("\"_, _\"", "\"_, _\"", "v f32[$8, 6]", "u = psum v {axes=[i], unchecked=true}; return u")),
    FN(REGION("\"_, _\"", "\"i, _\"", "v f32[$8, 6]",
              "u = all_gather v {axes=[i], all_gather_dim=1, axis_size=$1, unchecked=true}; return u")),
    FN(REGION("\"i, _\"", "\"_, _\"", "v f32[8, 6]", "w = neg v; return w")),   /* differs, and the layout denies it */
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]",
              "o = const {dtype=f32, shape=[2, 3], splat=true, data=3}; return o")),
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]", "return v")),
    FN("o = const {dtype=f32, shape=[$2], splat=true, data=2}\n" /* a carry that differs; a collective in a loop */
       "y, c, n = manual x, o {manual_axes=[i], in_shardings=[\"i, _\", \"i\"], out_shardings=[\"i, _\", \"i\", \"\"], "
       "unchecked=true} (v f32[8, "
       "6], o f32[2]) {\n"
       "z = const {dtype=i32, shape=[], splat=true, data=0}\n"
       "k = const {dtype=f32, shape=[8, 6], splat=true, data=1}\n"
       "a, b, d = while k, v, z (k f32[8, 6], v f32[8, 6], n i32[]) { t = compare n, 3 {comparison_direction=lt}; "
       "return t }"
       " (k f32[8, 6], v f32[8, 6], n i32[]) { s = psum k {axes=[i], unchecked=true}; q = mul s, v; h = const "
       "{dtype=f32, shape=[8, 6], "
       "splat=true, data=0.125}; r = mul q, h; m = add n, 1; return r, v, m }\n"
       "return a, o, d }"),
    /* rounds differ */
    FN("y, d = manual x {manual_axes=[i], in_shardings=[\"i, _\"], out_shardings=[\"i, _\", \"i\"], "
       "unchecked=true} (v f32[8, 6]) {\n"
       "k = axis_index {axes=[i], unchecked=true}\nz = const {dtype=i32, shape=[], splat=true, data=0}\n"
       "a, b, c = while v, z, k (v f32[8, 6], n i32[], k i32[]) { t = compare n, k {comparison_direction=lt}; "
       "return t }"
       " (v f32[8, 6], n i32[], k i32[]) { w = add v, v; m = add n, 1; return w, m, k }\n"
       "e = reshape b {shape=[1]}\nreturn a, e }"),
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]", "k = axis_index {axes=[i], unchecked=true}; " /* branches differ */
       "w = case k, v (v f32[8, 6]) { a = neg v; return a } (v f32[8, 6]) { a = mul v, v; return a } "
       "(v f32[8, 6]) { return v }; return w")),
    FN(REGION("\"i, _\"", "\"i, _\"", "v f32[8, 6]",
              "k = axis_index {axes=[i], unchecked=true}; p = compare k, 0 {comparison_direction=gt}; "
       "w = case p, v (v f32[8, 6]) { a = neg v; return a } (v f32[8, 6]) { a = mul v, v; return a }; return w")),
};

static const char *const two_axes[] = {
    "mesh \"a:2, b:4\"\nfn f(x f32[16, 8], w f32[8, 4]) {\n"
    "y, z = manual x, w {manual_axes=[a, b], in_shardings=[\"a, b\", \"b, _\"], out_shardings=[\"a, _\", \"_, _\"], "
    "unchecked=true} (x f32[8, 2], "
    "w f32[2, 4]) {\n"
    "d = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "u = psum d {axes=[b], unchecked=true}\n"
    "t = psum u {axes=[a, b], unchecked=true}\nreturn u, t }\nreturn y, z\n}",
    "mesh \"a:2, b:4\"\nfn f(x f32[16, 8]) {\n"
    "y, z, s = manual x {manual_axes=[a, b], in_shardings=[\"b+a, _\"], out_shardings=[\"_, _\", \"a+b, _\", \"a, "
    "b\"], unchecked=true} (x f32[2, "
    "8]) {\n"
    "g = all_gather x {axes=[b, a], all_gather_dim=0, axis_size=8, unchecked=true}\n"
    "h = reduce_scatter g {axes=[a, b], scatter_dimension=0, axis_size=8, unchecked=true}\n"
    "k = axis_index {axes=[b, a], unchecked=true}\nc = convert k {new_dtype=f32}\n"
    "q = broadcast_in_dim c {shape=[2, 8], broadcast_dimensions=[]}\n"
    "r = add q, h\nreturn g, r, q }\nreturn y, z, s\n}",
    "mesh \"a:2, b:4\"\nfn f(x f32[16, 8]) {\n"                                    /* a region in a region */
    "y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"a, _\"], unchecked=true} (x f32[8, "
    "8]) {\n"
    "p = psum x {axes=[a], unchecked=true}\n"
    "v = manual p {manual_axes=[b], in_shardings=[\"_, b\"], out_shardings=[\"b, _\"], unchecked=true} (x f32[8, "
    "2]) {\n"
    "t = all_to_all x {axes=[b], split_dimension=0, concat_dimension=1, axis_size=4, unchecked=true}\nreturn t }\n"
    "w = add v, x\nreturn w }\nreturn y\n}",
    "mesh \"a:2, b:4\"\nfn f(x f32[16, 8]) {\n" /* one axis stays with the compiler */
    "y = manual x {manual_axes=[b], in_shardings=[\"_, b\"], out_shardings=[\"_, b\"], unchecked=true} (x f32[16, "
    "2]) {\n"
    "s = reduce x, 0 {dimensions=[0, 1]} add\nt = psum s {axes=[b], unchecked=true}\n"
    "u = broadcast_in_dim t {shape=[16, 2], broadcast_dimensions=[]}\nv = mul u, x\nreturn v }\nreturn y\n}",
    "mesh \"a:2, b:4\"\nfn f(x f32[16, 8]) {\n"
    "y = manual x {manual_axes=[a, b], in_shardings=[\"a, b\"], out_shardings=[\"a, b\"], unchecked=true} (x f32[8, "
    "2]) {\n"
    "u = ppermute x {axes=[b, a], source=[3, -1, 0, 7, 1, 2, 6, 5], unchecked=true}\n"
    "v = ppermute u {axes=[a], source=[1, 0], unchecked=true}\nreturn v }\nreturn y\n}",
    /* a region in a region; behind the inner one the outer sum is split over the inner one's axis */
    "mesh \"a:2, b:2\"\nfn f(x f32[4, 2]) {\n"
    "y = manual x {manual_axes=[a], in_shardings=[\"_, _\"], out_shardings=[\"_, _\"], unchecked=true} (x f32[4, "
    "2]) {\n"
    "u = manual x {manual_axes=[b], in_shardings=[\"b, _\"], out_shardings=[\"_, _\"], unchecked=true} (x f32[2, "
    "2]) {\n"
    "v = psum x {axes=[b], unchecked=true}\nreturn v }\nw = psum u {axes=[a], unchecked=true}\n"
    "c = constrain w {sharding=[\"b, _\"]}\nreturn c }\nreturn y\n}",
};

static const char *const checked =
    "mesh \"i:$1\"\nfn f(x f32[$8, 6], w f32[6]) {\n"
    "y, s = manual x, w {manual_axes=[i], in_shardings=[\"i, _\", \"_\"], out_shardings=[\"i, _\", \"_\"]} (x f32[8, "
    "6]{i}, w f32[6]) {\n"
    "b = broadcast_in_dim w {shape=[8, 6], broadcast_dimensions=[1]}\nm = mul x, b\n"
    "r = reduce m, 0 {dimensions=[0]} add\n"
    "p = psum r {axes=[i]}\nreturn m, p }\nreturn y, s\n}";

static void program(const char *text, const char *const *specs)
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    const ir_fn *f = ir_parse(a, "t", text);
    CHECK(f, "%s\n%s", pipeline_error(), text);
    if (f && pipeline_open(&r, f)) {
        pipeline_run(&r, text, NULL, NULL, 1e-5);
        for (; *specs; specs++) {
            const mesh_layout *in[PIPELINE_MOST] = { mesh_parse(NULL, f->mesh, 2, *specs) };
            CHECK(in[0], "%s", pipeline_error());
            pipeline_run(&r, base_format(a, "%s\nwith x %s", text, *specs), in, NULL, 1e-5);
        }
    } else CHECK(!f, "%s\n%s", pipeline_error(), text);
    base_clear_error();
    base_close(a);
}

static void must_fail(const char *text, const char *message)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "t", text);
    CHECK(f, "%s", pipeline_error());
    CHECK(f && !driver_compile(f, NULL), "compiled: %s", text);
    CHECK(base_failed() && strstr(base_failed()->what, message), "%s", pipeline_error());
    base_clear_error();
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    static const int members[] = { 1, 2, 3, 4, 8 };
    base_arena *a = base_open();
    if (check_named("program"))
        for (size_t n = 0; n < sizeof members / sizeof *members; n++) {
            for (size_t p = 0; p < sizeof one_axis / sizeof *one_axis; p++)
                program(expand(a, one_axis[p], members[n]), (const char *const[]){ "i, _", "_, i", NULL });
            program(expand(a, checked, members[n]), (const char *const[]){ "i, _", "_, i", NULL });
        }
    if (check_named("program"))
        for (size_t p = 0; p < sizeof two_axes / sizeof *two_axes; p++)
            program(two_axes[p], (const char *const[]){ "a, _", "a, b", "a+b, _", "b, a", "_, b+a", NULL });
    CHECK_RUN(must_fail("mesh \"i:2\"\nfn f(x f32[4]) {\n"
              "y = manual x {manual_axes=[i], in_shardings=[\"i\"], out_shardings=[\"i\"], "
              "unchecked=true} (x f32[2]) {\n"
              "k = axis_index {axes=[i], unchecked=true}\n"
              "v, n = while x, k (x f32[2], n i32[]) { t = compare n, 3 {comparison_direction=lt}; return t }"
              " (x f32[2], n i32[]) { s = psum x {axes=[i], unchecked=true}; m = add n, 1; return s, m }\n"
              "return v }\nreturn y\n}",
              "the loop's condition differs between devices along axis i, but its body communicates along it"));
    base_close(a);
    driver_forget();
    return check_done();
}
