/* Seven programs whose plans are known: steps, kernels, distinct kernels, exchanges, in how many iterations, their
 * bytes, arena bytes per device, aliases. Numbers here change only on purpose. Each is also run against ir_eval where
 * that takes no time, and with TIME=1 in the environment the passes are timed.
 *
 * Longer than 400 lines: the programs whose plans are counted are most of its lines. */
#include "api/pipeline.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "spmd/spmd.h"
#include "transform/transform.h"
#include "op/ops.h"

#define CONV(y, x, w) y " = convolution " x ", " w " {input_batch_dimension=0, input_feature_dimension=3, "            \
                                                   "input_spatial_dimensions=[1,2], "                                  \
                                                   "kernel_input_feature_dimension=2, " \
    "kernel_output_feature_dimension=3, kernel_spatial_dimensions=[0,1], output_batch_dimension=0, "                   \
    "output_feature_dimension=3, output_spatial_dimensions=[1,2], window_strides=[1,1], padding_low=[1,1], " \
    "padding_high=[1,1], lhs_dilation=[1,1], rhs_dilation=[1,1], window_reversal=[0,0], feature_group_count=1, "       \
    "batch_group_count=1, "                                                                                            \
    "preferred_element_type=f32}\n"
#define POOL(y, x) y " = reduce_window " x ", 0 {window_dimensions=[1,2,2,1], window_strides=[1,2,2,1], "              \
    "base_dilations=[1,1,1,1], "                                                                                       \
    "window_dilations=[1,1,1,1], padding_low=[0,0,0,0], padding_high=[0,0,0,0]} add\n"
#define RELU(y, x, dims) "z" y " = const {dtype=f32, shape=" dims ", splat=true, data=0}\np" y " = compare " x ", z" y \
    " {comparison_direction=gt}\n" y " = select p" y ", " x ", z" y "\n"
#define BIAS(y, x, b, dims, d) "q" y " = broadcast_in_dim " b " {shape=" dims ", broadcast_dimensions=[" d "]}\n" \
    y " = add " x ", q" y "\n"
#define DOT(y, x, w) y " = dot_general " x ", " w " {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                                                  "preferred_element_type=f32}\n"
#define XENT(x, t, dims, scale) "mx = reduce " x ", -inf {dimensions=[1]} max\nmb = broadcast_in_dim mx {shape=" dims \
    ", broadcast_dimensions=[0]}\nsh = sub " x ", mb\nex = exp sh\nsm = reduce ex, 0 {dimensions=[1]} add\n" \
                                               "ls = log sm\n" \
    "lb = broadcast_in_dim ls {shape=" dims ", broadcast_dimensions=[0]}\nlp = sub sh, lb\nyl = mul lp, " t "\n" \
    "tot = reduce yl, 0 {dimensions=[0,1]} add\nsc = const {dtype=f32, shape=[], splat=true, data=" \
    scale "}\nloss = mul tot, sc\n"

static const char cnn[] =
    "mesh \"data:8\"\nfn cnn(w1 f32[3,3,1,32], b1 f32[32], w2 f32[3,3,32,64], b2 f32[64], w3 f32[3136,256], "
    "b3 f32[256], "
    "w4 f32[256,10], b4 f32[10], x f32[128,28,28,1], y f32[128,10]) {\n"
    CONV("c1", "x", "w1") BIAS("d1", "c1", "b1", "[128,28,28,32]", "3") RELU("r1", "d1", "[128,28,28,32]")
        POOL("m1", "r1")
    "q1 = const {dtype=f32, shape=[128,14,14,32], splat=true, data=0.25}\na1 = mul m1, q1\n"
    CONV("c2", "a1", "w2") BIAS("d2", "c2", "b2", "[128,14,14,64]", "3") RELU("r2", "d2", "[128,14,14,64]")
        POOL("m2", "r2")
    "q2 = const {dtype=f32, shape=[128,7,7,64], splat=true, data=0.25}\na2 = mul m2, q2\n"
    "f = reshape a2 {shape=[128,3136]}\n"
    DOT("h", "f", "w3") BIAS("d3", "h", "b3", "[128,256]", "1") RELU("r3", "d3", "[128,256]")
    DOT("l", "r3", "w4") BIAS("lg", "l", "b4", "[128,10]", "1") XENT("lg", "y", "[128,10]", "-0.0078125")
        "return loss\n}";

static const char mlp[] =
    "mesh \"data:2, model:4\"\nfn mlp(w1 f32[12,32], b1 f32[32], w2 f32[32,6], b2 f32[6], x f32[16,12], y f32[16,6]) "
    "{\n"
    DOT("h", "x", "w1") BIAS("d", "h", "b1", "[16,32]", "1") "t = tanh d\n" DOT("l", "t", "w2") BIAS("lg", "l", "b2",
        "[16,6]", "1")
    XENT("lg", "y", "[16,6]", "-0.0625") "return loss\n}";

/* One loop: the words of random bits are never in memory. */
static const char dropout[] =
    "mesh \"data:4\"\nfn dropout(key u32[2], x f32[16,64]) {\n"
    "b = random_bits key {shape=[16,64], bit_width=32, layout=partitionable}\n"
    "m = const {dtype=u32, shape=[16,64], splat=true, data=3000000000}\np = compare b, m {comparison_direction=lt}\n"
    "z = const {dtype=f32, shape=[16,64], splat=true, data=0}\ny = select p, x, z\nreturn y\n}";

/* Updates are added where the zeros are. */
static const char added[] =
    "mesh \"data:4\"\nfn added(at i32[30,1], u f32[30,64]) {\nz = const {dtype=f32, shape=[40,64], splat=true, "
    "data=0}\n"
    "y = scatter z, at, u {update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
    "index_vector_dim=1} add\nreturn y\n}";

/* Rows of a table, a transpose and sums into rows are made part by part where they are read. */
static const char led[] =
    "mesh \"data:2\"\nfn led(t f32[300,256], at i32[256,1], x f32[256,256], u f32[256,256]) {\n"
    "g = gather t, at {offset_dims=[1], collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, "
    "slice_sizes=[1,256]}\n"
    "p = transpose x {permutation=[1,0]}\na = add g, p\nz = const {dtype=f32, shape=[256,256], splat=true, data=0}\n"
    "s = scatter z, at, u {update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], "
    "index_vector_dim=1} add\ny = mul a, s\nreturn y\n}";
/* But what is updated in its place meanwhile is read before. */
static const char updated[] =
    "fn updated(x f32[300,256], v f32[1,256], i i32[]) {\nk = const {dtype=i32, shape=[], splat=true, data=0}\n"
    "s = slice x {start_indices=[0,0], limit_indices=[256,256], strides=[1,1]}\n"
    "w = dynamic_update_slice x, v, i, k\ny = add s, s\nreturn w, y\n}";

/* A key that is made as elementwise equations of its readers' shape are: it is read as a whole, so it is a step. */
static const char keys[] =
    "fn keys(k u32[2]) {\nc = not k\nb = random_bits c {shape=[2], bit_width=32, layout=partitionable}\n"
    "d = random_bits b {shape=[2], bit_width=32, layout=partitionable}\ny = add b, c\nz = xor y, d\nreturn z\n}";

/* What gelu's derivative needs is computed again from h: of six values of [64,64] one is kept. */
#define TIMES(y, x, number) "k" y " = const {dtype=f32, shape=[64,64], splat=true, data=" number "}\n" \
    y " = mul " x ", k" y "\n"
static const char gelu[] =
    "fn gelu(w1 f32[8,64], w2 f32[64,8], x f32[64,8], y f32[64,8]) {\n" DOT("h", "x", "w1")
    "h2 = mul h, h\nh3 = mul h2, h\n" TIMES("a", "h3", "0.044715") "b = add h, a\n" TIMES("c", "b", "0.79788456")
    "t = tanh c\none = const {dtype=f32, shape=[64,64], splat=true, data=1}\nu = add t, one\n" TIMES("half", "h", "0.5")
    "g = mul half, u\n" DOT("l", "g", "w2") "e = sub l, y\nq = mul e, e\nloss = reduce q, 0 {dimensions=[0,1]} add\n"
    "return loss\n}";

/* What the norm's derivative needs of the size of its rows is computed again from them, their means and scales. */
#define PER_ROW(y, x) y " = broadcast_in_dim " x " {shape=[64,64], broadcast_dimensions=[0]}\n"
#define MEAN(y, x) "s" y " = reduce " x ", 0 {dimensions=[1]} add\nc" y " = const {dtype=f32, shape=[64], "            \
    "splat=true, "                                                                                                     \
    "data=0.015625}\n" y " = mul s" y ", c" y "\n"
static const char norm[] =
    "fn norm(w1 f32[8,64], g f32[64], w2 f32[64,8], x f32[64,8], y f32[64,8]) {\n" DOT("h", "x", "w1")
    MEAN("m", "h") PER_ROW("mb", "m") "d = sub h, mb\nh2 = mul h, h\n" MEAN("v", "h2")
    "m2 = mul m, m\nv1 = sub v, m2\ne = const {dtype=f32, shape=[64], splat=true, data=0.5}\nv2 = add v1, e\n"
    "r = rsqrt v2\n" PER_ROW("rb", "r")
    "n = mul d, rb\ngb = broadcast_in_dim g {shape=[64,64], broadcast_dimensions=[1]}\nz = mul n, gb\n"
    DOT("l", "z", "w2") "f = sub l, y\nq = mul f, f\nloss = reduce q, 0 {dimensions=[0,1]} add\nreturn loss\n}";

/* What updates wait for is a few numbers: it is computed before the gradients, so that each is gone after its
 * update. */
static const char rated[] =
    "fn rated(u f32[128,64], v f32[128,64], w f32[128,64], x f32[512,128], y f32[512,64], y2 f32[512,64], "
    "y3 f32[512,64], t f32[]) {\n"
    "a = dot_general x, y {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "b = dot_general x, y2 {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "c = dot_general x, y3 {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "r = exp t\nrb = broadcast_in_dim r {shape=[128,64], broadcast_dimensions=[]}\n"
    "da = mul a, rb\nu2 = sub u, da\ndb = mul b, rb\nv2 = sub v, db\ndc = mul c, rb\nw2 = sub w, dc\n"
    "return u2, v2, w2, r\n}";

static const char pmapped[] =                            /* a step under pmap: gradients averaged by psum */
    "mesh \"i:8\"\nfn pmapped(w f32[8,12,6], x f32[8,16,12], y f32[8,16,6]) {\n"
    "nw, loss = manual w, x, y {manual_axes=[i], in_shardings=[\"i, _, _\", \"i, _, _\", \"i, _, _\"], "
    "out_shardings=[\"i, _, _\", \"i\"], "
    "unchecked=true} "
    "(w1 f32[1,12,6], x1 f32[1,16,12], y1 f32[1,16,6]) {\n"
    "w = reshape w1 {shape=[12,6]}\nx = reshape x1 {shape=[16,12]}\ny = reshape y1 {shape=[16,6]}\n" DOT("p", "x", "w")
    "e = sub p, y\nq = mul e, e\ns = reduce q, 0 {dimensions=[0,1]} add\n"
    "g = dot_general x, e {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "gs = psum g {axes=[i], unchecked=true}\nss = psum s {axes=[i], unchecked=true}\n"
    "k = const {dtype=f32, shape=[12,6], splat=true, data=0.125}\nd = mul gs, k\nv = sub w, d\n"
    "vo = reshape v {shape=[1,12,6]}\nso = reshape ss {shape=[1]}\nreturn vo, so }\nreturn nw, loss\n}";

static const char recurrent[] =
    "mesh \"data:4\"\nfn recurrent(w f32[8,8], h f32[16,8], xs f32[5,16,8]) {\n"
    "g, ys = scan w, h, xs {length=5, num_consts=1, num_carry=1, reverse=false} (w f32[8,8], h f32[16,8], "
    "x f32[16,8]) {\n"
    DOT("a", "h", "w") "b = add a, x\nc = tanh b\nreturn c, c\n}\ns = reduce ys, 0 {dimensions=[0,1,2]} add\n"
                       "return s, g, ys\n}";

/* Rows of a loop's operands are read where they are, those of rows too: no slice is copied; rows of results are made
 * where they are, those of rows too. A while takes rows beyond both ends of what it does not change, and one of a carry
 * that it changes behind that. */
static const char rows[] =
    "mesh \"data:4\"\nfn rows(h f32[16,8], t f32[3,4,16,8], u f32[4,16,8]) {\n"
    "g, ys = scan h, t {length=3, num_consts=0, num_carry=1, reverse=true} (h f32[16,8], r f32[4,16,8]) {\n"
    "k, zs = scan h, r {length=4, num_consts=0, num_carry=1, reverse=false} (h f32[16,8], x f32[16,8]) {\n"
    "a = add h, x\nb = tanh a\nreturn b, b\n}\nreturn k, zs\n}\n"
    "n = const {dtype=i32, shape=[], splat=true, data=-2}\n"
    "m, s, v, w = while n, h, u, u (n i32[], h f32[16,8], v f32[4,16,8], w f32[4,16,8]) {\n"
    "six = const {dtype=i32, shape=[], splat=true, data=6}\ngo = compare n, six {comparison_direction=lt}\nreturn "
    "go\n} "
    "(n i32[], h f32[16,8], v f32[4,16,8], w f32[4,16,8]) {\nz = const {dtype=i32, shape=[], splat=true, data=0}\n"
    "x1 = dynamic_slice v, n, z, z {slice_sizes=[1,16,8]}\nx = reshape x1 {shape=[16,8]}\n"
    "y1 = dynamic_slice w, n, z, z {slice_sizes=[1,16,8]}\ny = reshape y1 {shape=[16,8]}\n"
    "p = mul x, y\nq = add p, h\nq1 = reshape q {shape=[1,16,8]}\n"
    "w2 = dynamic_update_slice w, q1, n, z, z\none = const {dtype=i32, shape=[], splat=true, data=1}\n"
    "n2 = add n, one\n"
    "d = sub y, q\nreturn n2, d, v, w2\n}\nreturn g, ys, s, w\n}";

/* a pointer followed through tables: each iteration's is an element of what that turn makes */
static const char followed[] =
    "mesh \"data:4\"\nfn followed(t i32[7,8], s i32[]) {\nn = const {dtype=i32, shape=[], splat=true, data=0}\n"
    "s0 = mul s, s\nm, p, u = while n, s0, t (n i32[], p i32[], t i32[7,8]) {\n"
    "seven = const {dtype=i32, shape=[], splat=true, data=7}\ngo = compare n, seven {comparison_direction=lt}\nreturn "
    "go\n} (n i32[], p i32[], t i32[7,8]) {\nz = const {dtype=i32, shape=[], splat=true, data=0}\n"
    "i = add p, n\nr1 = dynamic_slice t, n, z {slice_sizes=[1,8]}\nr = reshape r1 {shape=[8]}\nq = add r, r\n"
    "x1 = dynamic_slice q, i {slice_sizes=[1]}\nx = reshape x1 {shape=[]}\n"
    "one = const {dtype=i32, shape=[], splat=true, data=1}\nn2 = add n, one\n"
    "return n2, x, t\n}\ny = sub p, s\nreturn y\n}";

static const char branches[] =
    "mesh \"data:4\"\nfn branches(i i32[], x f32[8,6], w f32[6,6]) {\n"
    "y = case i, x, w (x f32[8,6], w f32[6,6]) { " DOT("a", "x", "w") DOT("b", "a", "w")
    "return b } (x f32[8,6], w f32[6,6]) { a = mul x, x; return a } (x f32[8,6], w f32[6,6]) { return x }\n"
    "z = add y, y\nreturn z\n}";

static const char update[] =                             /* the gradient by w is nowhere in memory: one kernel */
    "fn update(w f32[256,512], x f32[8,256], e f32[8,512]) {\n"
    "g = dot_general x, e {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\n"
    "k = const {dtype=f32, shape=[256,512], splat=true, data=0.125}\nd = mul g, k\nv = sub w, d\nreturn v\n}";

static bool timing;

/* (parameters, x, y) -> (loss, parameters - 0.05 gradients) */
static ir_fn *step_of(base_arena *a, const ir_fn *f, uint32_t nparam)
{
    bool wrt[PIPELINE_MOST] = { 0 };
    ir_id in[PIPELINE_MOST], out[PIPELINE_MOST], ret[PIPELINE_MOST];
    for (uint32_t i = 0; i < nparam; i++) wrt[i] = true;
    const ir_fn *g = transform_value_and_grad(a, NULL, f, wrt);
    if (!g) return NULL;
    ir_build *b = ir_begin(a, f->name, f->mesh);
    for (uint32_t i = 0; i < f->narg; i++) in[i] = ir_arg(b, f->type[1 + i]);
    ir_inline(b, g, in, out);
    ret[0] = out[0];
    for (uint32_t i = 0; i < nparam; i++) {
        const ir_type *t = ir_typeof(b, in[i]);
        ret[1 + i] = op_sub(b, in[i], op_mul(b, op_broadcast(b, op_real(b, TT_F32, 0.05), t, 0, NULL), out[1 + i]));
    }
    return ir_end(b, 1 + nparam, ret);
}

typedef struct { int64_t steps, kernels, distinct, exchanges, turns, bytes, arena, aliases; } counts;

static void plan(base_arena *a, const char *name, const ir_fn *f, const char *const *spec, uint32_t ndonate,
                 counts want)
{
    const double t0 = base_seconds();
    ir_fn *g = pass_simplify(a, f);
    g = g ? pass_hoist(a, pass_decompose(a, g)) : NULL;
    g = g ? pass_simplify(a, g) : NULL;
    CHECK(g && ir_verify(g), "%s: %s", name, pipeline_error());
    if (!g) return;
    const double t1 = base_seconds();
    const mesh_layout *in[PIPELINE_MOST] = { 0 };
    g->layout = BASE_NEW(a, const mesh_layout *, g->nvalue + 1);
    bool *donate = BASE_NEW(a, bool, g->narg);
    for (uint32_t i = 0; i < g->narg; i++) {
        g->layout[1 + i] = in[i] = spec[i] ? mesh_parse(NULL, g->mesh, g->type[1 + i]->rank, spec[i]) : NULL;
        donate[i] = i < ndonate;
    }
    g->donate = donate;
    const ir_fn *p = spmd_partition(a, g, NULL, NULL, NULL);
    CHECK(p && ir_verify(p), "%s: %s", name, pipeline_error());
    const double t2 = base_seconds();
    const run_plan *r = p ? plan_make(a, a, p, false) : NULL;
    CHECK(r, "%s: %s", name, pipeline_error());
    if (!r) return;
    if (timing) printf("%s: simplify %.0f us, partition %.0f us, plan %.0f us\n", name, (t1 - t0) * 1e6,
                       (t2 - t1) * 1e6,
                       (base_seconds() - t2) * 1e6);
    const run_counts c = run_plan_counts(r);
    counts got = { c.steps, c.kernels, c.distinct, c.exchanges, c.rounds, c.exchange_bytes, c.arena_bytes, 0 };
    for (uint32_t j = 0; j < r->nresult; j++) got.aliases += r->alias[j] >= 0;
    base_text t = { .arena = a };
    for (size_t k = 0; k < sizeof got / sizeof(int64_t); k++)
        base_appendf(&t, "%s%lld", k ? ", " : "", (long long)((const int64_t *)&got)[k]);
    CHECK(!memcmp(&got, &want, sizeof got), "%s: { %s }\n%s", name, t.s, run_plan_text(a, r));
    if (!strcmp(name, "cnn")) return;                    /* too long for ir_eval */
    pipeline run = { .a = a };
    CHECK(pipeline_open(&run, f), "%s", pipeline_error());
    pipeline_run(&run, name, in, NULL, 1e-4);
    pipeline_run(&run, name, NULL, NULL, 1e-4);
}

/* Parts of a batch that are adjacent or at one distance, and one weight for all: one contraction. Not where parts
 * are uneven, where the sum is split, where columns are, or where nothing is shared. */
static void side_by_side(void)
{
#define FN(x, w, dot) \
    "mesh \"data:8\"\nfn f(x f32" x ", w f32" w ") {\n" dot "return y\n}"
#define BATCHED "y = dot_general x, w {lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], "                     \
                "lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[1], preferred_element_type=f32}\n"
    static const struct { const char *text, *spec[2], *want; } all[] = {
        { FN("[24,64]", "[64,48]", DOT("y", "x", "w")), { "data, _", NULL }, "compute  8 as 1 x dot" },
        { FN("[24,64]", "[64,0]", DOT("y", "x", "w")), { "data, _", NULL }, "compute  8" },
        { FN("[24,40]", "[40,48]", DOT("y", "x", "w")), { "data, _", NULL }, "compute  8 as 1 x dot" },
        { FN("[21,40]", "[40,56]", DOT("y", "x", "w")), { "data, _", NULL }, "compute  8 x dot" },
        { FN("[0,40]", "[40,56]", DOT("y", "x", "w")), { "data, _", NULL }, "compute  8 x dot" },
        { FN("[24,40]", "[40,56]", DOT("y", "x", "w")), { "_, data", "data, _" }, "compute  8 x dot" },
        { FN("[24,40]", "[40,56]", DOT("y", "x", "w")), { NULL, "_, data" }, "compute  8 x dot" },
        { FN("[16,5,7]", "[16,7,6]", BATCHED), { "data, _, _", "data, _, _" }, "compute  8 x dot" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        base_arena *a = base_open();
        const mesh_layout *in[PIPELINE_MOST] = { 0 };
        ir_fn *f = ir_parse(a, "one", all[i].text);
        CHECK(f, "%s", pipeline_error());
        if (!f) continue;
        f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
        for (int k = 0; k < 2; k++)
            if (all[i].spec[k])
                f->layout[1 + k] = in[k] = mesh_parse(NULL, f->mesh, f->type[1 + k]->rank, all[i].spec[k]);
        const ir_fn *p = spmd_partition(a, f, NULL, NULL, NULL);
        const run_plan *r = p ? plan_make(a, a, p, false) : NULL;
        CHECK(r && strstr(run_plan_text(a, r), all[i].want), "%s: %s", all[i].want,
              r ? run_plan_text(a, r) : pipeline_error());
        pipeline run = { .a = a };
        f->layout = NULL;
        CHECK(pipeline_open(&run, f), "%s", pipeline_error());
        pipeline_run(&run, all[i].want, in, NULL, 1e-5);
        base_close(a);
    }
}

/* In reproducible mode the bits of a training step do not depend on the mesh, nor on how its arguments are on it. */
static void reproducible(void)
{
    static const char *const meshes[] = { "data:1, model:1", "data:2, model:4", "data:8, model:1", "data:3, model:2" };
    static const char *const specs[][PIPELINE_MOST] = { { NULL, NULL, NULL, NULL, "data, _", "data, _" },
        { "_, model", "model", "model, _", NULL, "data, _", "data, _" }, { "data, model", "data", "_, data", "model",
              "_, model", NULL } };
    base_arena *a = base_open();
    float *first[PIPELINE_MOST] = { 0 };
    for (size_t m = 0; m < 4; m++)
        for (size_t k = 0; k < 3; k++) {
            const ir_fn *f = ir_parse(a, "mlp", base_format(a, "mesh \"%s\"%s", meshes[m], strchr(mlp, '\n')));
            f = f ? step_of(a, f, 4) : NULL;
            CHECK(f, "%s", pipeline_error());
            if (!f) return;
            run_array *x[PIPELINE_MOST], *y[PIPELINE_MOST];
            for (uint32_t i = 0; i < f->narg; i++) {
                const mesh_layout *l = specs[k][i] ? mesh_parse(NULL, f->mesh, f->type[1 + i]->rank, specs[k][i])
                    : NULL;
                x[i] = run_array_of(f->type[1 + i], l, pipeline_data(a, f->type[1 + i], 5 + i));
            }
            CHECK(driver_run(f, &(driver_opts){ .flags = DRIVER_REPRODUCIBLE }, x, NULL, y), "%s", pipeline_error());
            for (uint32_t j = 0; j < f->nret; j++) {
                const size_t bytes = (size_t)ir_count(f->type[f->ret[j]]) * sizeof(float);
                float *got = base_new(a, bytes);
                CHECK(run_read(y[j], NULL, NULL, got), "%s", pipeline_error());
                if (!first[j]) first[j] = got;
                CHECK(!memcmp(got, first[j], bytes), "result %u differs on %s, layouts %zu", j, meshes[m], k);
                run_drop(y[j]);
            }
            for (uint32_t i = 0; i < f->narg; i++) run_drop(x[i]);
        }
    base_close(a);
}

/* Planning asks for memory in proportion to the equations: here one after another, with a product between any two so
 * that each is a step. */
static size_t planned_bytes(int layers)
{
    base_arena *a = base_open();
    base_text t = { .arena = a };
    base_appendf(&t, "fn deep(x0 f32[8,8]) {\n");
    for (int i = 0; i < layers; i++)
        base_appendf(&t, "d%d = dot_general x%d, x0 {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                         "preferred_element_type=f32}\n"
                     "x%d = tanh d%d\n", i, i, i + 1, i);
    base_appendf(&t, "return x%d }", layers);
    ir_fn *f = ir_parse(a, "deep", t.s);
    f = f ? spmd_partition(a, f, (const mesh_layout *[]){ NULL }, NULL, NULL) : NULL;
    base_arena *b = base_open();
    const size_t before = base_live_bytes();
    const run_plan *p = f ? plan_make(b, b, f, false) : NULL;
    const size_t bytes = base_live_bytes() - before;
    CHECK(p, "%d layers: %s", layers, pipeline_error());
    base_close(b);
    base_close(a);
    return bytes;
}
static void linear(void)
{
    const size_t few = planned_bytes(200), many = planned_bytes(1600);
    CHECK(many < 12 * few, "planning 200 layers takes %zu bytes, 1600 take %zu", few, many);
}

/* An optimizer goes through all weights for each line of its formula: the first equation of a weight's update stands
 * 3,000 before the last. It is one step each all the same. */
static void in_turns(void)
{
    enum { WEIGHTS = 500, LINES = 7 };
    base_arena *a = base_open();
    base_text t = { .arena = a };
    base_appendf(&t, "fn update(");
    for (int i = 0; i < WEIGHTS; i++) base_appendf(&t, "%sw%d_0 f32[8,8], g%d f32[8,8]", i ? ", " : "", i, i);
    base_appendf(&t, ") {\n");
    for (int l = 0; l < LINES; l++)
        for (int i = 0; i < WEIGHTS; i++)
            base_appendf(&t, "w%d_%d = %s w%d_%d, g%d\n", i, l + 1, l % 2 ? "mul" : "add", i, l, i);
    for (int i = 0; i < WEIGHTS; i++) base_appendf(&t, "%s w%d_%d", i ? "," : "return", i, (int)LINES);
    base_appendf(&t, "\n}");
    ir_fn *f = ir_parse(a, "update", t.s);
    f = f ? spmd_partition(a, f, BASE_NEW(a, const mesh_layout *, 2 * WEIGHTS), NULL, NULL) : NULL;
    const run_plan *p = f ? plan_make(a, a, f, false) : NULL;
    CHECK(p, "%s", pipeline_error());
    const int64_t steps = p ? run_plan_counts(p).steps : 0;
    CHECK(steps == WEIGHTS, "%d updates are %lld steps", (int)WEIGHTS, (long long)steps);
    base_close(a);
}

/* A table of 16 MiB, made of two lists before three products, is read behind them: it comes when they are done, so that
 * three tables are there at once, not four. Not one that is made of what is as large. */
static void late(void)
{
#define DOT(y, x, w) y " = dot_general " x ", " w " {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                                                  "preferred_element_type=f32}\n"
#define TABLES(of, x, w) \
    "fn f(u f32[2048,8], v f32[8,2048], x f32[2048,2048], w f32[2048,2048]) {\na = tanh " of "\n" DOT("t", x, w) \
    DOT("b", "x", "w") DOT("c", "w", "x") DOT("d", "b", "c") DOT("y", "d", "t") "return y\n}"
    static const struct { const char *text; int64_t tables; } cases[] = {
        { TABLES("u", "a", "v"), 3 }, { TABLES("x", "a", "w"), 4 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        base_arena *a = base_open();
        ir_fn *f = ir_parse(a, "late", cases[k].text);
        f = f ? spmd_partition(a, f, BASE_NEW(a, const mesh_layout *, 4), NULL, NULL) : NULL;
        const run_plan *p = f ? plan_make(a, a, f, false) : NULL;
        CHECK(p, "%s", pipeline_error());
        const int64_t table = 16 << 20, bytes = p ? run_plan_counts(p).arena_bytes : 0;
        CHECK(bytes / table == cases[k].tables, "case %zu: an arena of %lld bytes:\n%s", k, (long long)bytes,
              p ? run_plan_text(a, p) : "");
        base_close(a);
    }
}

/* Mapped over both sides, and again: still one equation, nothing is turned. */
static void mapped_convolution(base_arena *a)
{
    static const bool both[] = { true, true };
    ir_fn *const f = ir_parse(a, "conv", "fn f(x f32[2,6,5,3], w f32[3,3,3,4]) {\n" CONV("y", "x", "w") "return y\n}");
    const ir_fn *const g = f ? transform_vmap(a, f, both, NULL, NULL, 5) : NULL;
    const ir_fn *const h = g ? transform_vmap(a, g, both, NULL, NULL, 3) : NULL;
    CHECK(h && h->neqn == 1 && h->eqn[0].op == &prim_convolution && IR_ATTR(&h->eqn[0], op_conv_attr)->batching == 2,
          "%s", h ? ir_print(a, h) : pipeline_error());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_arena *a = base_open();
    CHECK_RUN(mapped_convolution(a));
    CHECK_RUN(late());
    timing = getenv("TIME") != NULL;
    if (check_named("plan"))
        for (int round = 0; round < (timing ? 4 : 1); round++) {
            ir_fn *f = ir_parse(a, "cnn", cnn);
            CHECK(f, "%s", pipeline_error());
            plan(a, "cnn", step_of(a, f, 8), (const char *const[PIPELINE_MOST]){ [8] = "data, _, _, _", "data, _" }, 8,
                 (counts){ 42, 34, 33, 8, 2, 4848032, 2493824, 8 });
        }
    ir_fn *f = ir_parse(a, "mlp", mlp);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "mlp", step_of(a, f, 4), (const char *const[PIPELINE_MOST]){ "_, model", "model", "model, _",
                   NULL, "data, _",
                                                                     "data, _" }, 4,
         (counts){ 22, 16, 16, 6, 2, 9696, 2240, 4 }));
    f = ir_parse(a, "gelu", gelu);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "gelu", step_of(a, f, 2), (const char *const[PIPELINE_MOST]){ NULL }, 2,
         (counts){ 11, 11, 11, 0, 0, 0, 36864, 2 }));     /* 102400 bytes, were all kept */
    f = ir_parse(a, "norm", norm);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "norm", step_of(a, f, 3), (const char *const[PIPELINE_MOST]){ NULL }, 3,
         (counts){ 14, 14, 14, 0, 0, 0, 54016, 3 }));     /* 70400 bytes, were all kept */
    f = ir_parse(a, "rated", rated);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "rated", f, (const char *const[PIPELINE_MOST]){ NULL }, 3,
         (counts){ 7, 7, 3, 0, 0, 0, 32768, 3 }));        /* 98304 bytes, were all kept */
    f = ir_parse(a, "dropout", dropout);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "dropout", f, (const char *const[PIPELINE_MOST]){ NULL, "data, _" }, 0,
                   (counts){ 1, 1, 1, 0, 0, 0, 0, 0 }));
    f = ir_parse(a, "added", added);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "added", f, (const char *const[PIPELINE_MOST]){ NULL }, 0, (counts){ 2, 2, 2, 0, 0, 0, 0, 0 }));
    f = ir_parse(a, "led", led);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "led", f, (const char *const[PIPELINE_MOST]){ NULL }, 0, (counts){ 1, 1, 1, 0, 0, 0, 0, 0 }));
    CHECK_RUN(plan(a, "led, sharded", f, (const char *const[PIPELINE_MOST]){ NULL, "data, _", "_, data", "_, data" }, 0,
         (counts){ 4, 3, 3, 1, 1, 131072, 131072, 0 }));
    f = ir_parse(a, "updated", updated);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "updated", f, (const char *const[PIPELINE_MOST]){ NULL }, 1, (counts){ 3, 3, 3, 0, 0, 0, 0, 1 }));
    f = ir_parse(a, "keys", keys);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "keys", f, (const char *const[PIPELINE_MOST]){ NULL }, 0, (counts){ 3, 3, 3, 0, 0, 0, 128, 0 }));
    f = ir_parse(a, "pmapped", pmapped);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "pmapped", f, (const char *const[PIPELINE_MOST]){ "i, _, _", "i, _, _", "i, _, _" }, 1,
         (counts){ 9, 6, 6, 3, 2, 16352, 1472, 1 }));
    f = ir_parse(a, "recurrent", recurrent);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "recurrent", f, (const char *const[PIPELINE_MOST]){ NULL, "data, _", "_, data, _" }, 2,
         (counts){ 12, 5, 5, 4, 3, 48, 256, 1 }));
    f = ir_parse(a, "rows", rows);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "rows", f, (const char *const[PIPELINE_MOST]){ "data, _", "_, _, data, _", "_, data, _" }, 0,
         (counts){ 26, 11, 9, 7, 4, 0, 448, 0 }));
    f = ir_parse(a, "followed", followed);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "followed", f, (const char *const[PIPELINE_MOST]){ NULL, NULL }, 0,
                   (counts){ 11, 6, 6, 2, 2, 0, 128, 0 }));
    f = ir_parse(a, "branches", branches);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "branches", f, (const char *const[PIPELINE_MOST]){ NULL, "data, _", NULL }, 0,
         (counts){ 6, 4, 3, 1, 1, 0, 64, 0 }));
    f = ir_parse(a, "update", update);
    CHECK(f, "%s", pipeline_error());
    CHECK_RUN(plan(a, "update", f, (const char *const[PIPELINE_MOST]){ NULL }, 1, (counts){ 1, 1, 1, 0, 0, 0, 0, 1 }));
    base_close(a);
    CHECK_RUN(reproducible());
    CHECK_RUN(linear());
    CHECK_RUN(in_turns());
    driver_forget();
    CHECK_RUN(side_by_side());
    return check_done();
}
