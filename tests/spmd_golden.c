/* Golden lists of exchanges, by kind, bytes and times: what data-parallel, Megatron's, sequence-parallel and fully sharded
 * training steps may send, and nothing more. Every program is then run, with small whole numbers in place of its sizes'
 * worth of data, and compared with the reference evaluator. And published cases of single equations, where what others do
 * is an upper bound for the time that the model gives ours. */
#include "road.h"
#include "pass/pass.h"
#include "spmd/inner.h"
#include "transform/transform.h"

/* "2 all-reduce over model, 1024 bytes" per line, in order of first appearance; notes that move nothing are left out. */
static const char *list_of(base_arena *a, const mesh *m, const spmd_report *r)
{
    base_text t = { .arena = a };
    bool *done = BASE_NEW(a, bool, r->n + 1);
    base_put(&t, "%s", "");
    for (int i = 0; i < r->n; i++) {
        const spmd_note *n = &r->note[i];
        int64_t count = 0;
        for (int k = i; k < r->n; k++) {
            const spmd_note *o = &r->note[k];
            if (done[k] || o->kind != n->kind || o->over != n->over || o->moved != n->moved || o->times != n->times) continue;
            done[k] = true;
            count++;
        }
        if (!count || n->kind == SPMD_SLICE) continue;
        base_put(&t, "%lld %s over %s, %lld bytes", (long long)count, spmd_kind_name[n->kind], mesh_set_text(a, m, n->over),
                 (long long)n->moved);
        if (n->times != 1) base_put(&t, ", %lld times", (long long)n->times);
        base_put(&t, "\n");
    }
    return t.s;
}

typedef struct {
    const char *what, *mesh, *fn, *in, *out;             /* specs of arguments and results, by ';' */
    const char *wrt;                                     /* a step of descent for these arguments: "01"; NULL: as it is */
    const char *want;
    bool exact;                                          /* only whole numbers: no rounding */
} golden;

static void specs(base_arena *a, const mesh *m, const char *text, const ir_fn *f, bool results, const mesh_layout **l)
{
    const uint32_t n = results ? f->nret : f->narg;
    for (uint32_t i = 0; i < n; i++) {
        const size_t len = strcspn(text, ";");
        const char *one = base_format(a, "%.*s", (int)len, text + strspn(text, " "));
        one = base_format(a, "%.*s", (int)(len - strspn(text, " ")), one);
        const int rank = f->type[results ? f->ret[i] : 1 + i]->rank;
        if (strcmp(one, "?")) {
            l[i] = mesh_parse(NULL, m, rank, one);
            CHECK(l[i], "%s: %s", one, road_error());
        }
        text += len + (text[len] == ';');
    }
}

/* p - g / 64 for each of these arguments, and what f returns. */
static ir_fn *descend(base_arena *a, const ir_fn *f, const char *wrt)
{
    bool *by = BASE_NEW(a, bool, f->narg);
    for (const char *w = wrt; *w; w++) by[*w - '0'] = true;
    const ir_fn *g = transform_value_and_grad(a, "step", f, by);
    if (!g) return NULL;
    ir_build *b = ir_begin(a, f->name, f->mesh);
    ir_id *x = BASE_NEW(a, ir_id, f->narg), *y = BASE_NEW(a, ir_id, g->nret);
    for (uint32_t i = 0; i < f->narg; i++) x[i] = ir_arg(b, f->type[1 + i]);
    if (!ir_inline(b, g, x, y)) return NULL;
    for (uint32_t i = 0, k = f->nret; i < f->narg; i++) {
        if (!by[i]) continue;
        const ir_type *t = f->type[1 + i];
        const ir_id rate = op_broadcast(b, op_real(b, t->dtype, 1.0 / 64), t, 0, NULL);
        y[k] = op_sub(b, x[i], op_mul(b, rate, y[k]));
        k++;
    }
    return ir_end(b, g->nret, y);
}

static void one(const golden *c)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "golden", base_format(a, "mesh \"%s\"\nfn %s", c->mesh, c->fn));
    CHECK(f, "%s: %s", c->what, road_error());
    if (f && c->wrt) f = descend(a, f, c->wrt);
    ir_fn *g = f ? pass_simplify(a, f) : NULL;
    if (g) g = pass_decompose(a, g);
    if (g) g = pass_simplify(a, pass_hoist(a, g));
    CHECK(g, "%s: %s", c->what, road_error());
    if (!g) goto end;
    const mesh_layout **in = BASE_NEW(a, const mesh_layout *, g->narg), **out = BASE_NEW(a, const mesh_layout *, g->nret);
    specs(a, g->mesh, c->in, g, false, in);
    if (c->out) specs(a, g->mesh, c->out, g, true, out);
    g->layout = BASE_NEW(a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 0; i < g->narg; i++) g->layout[1 + i] = in[i];
    spmd_report r;
    ir_fn *p = spmd_partition(a, g, out, NULL, &r);
    CHECK(p && ir_verify(p), "%s: %s", c->what, road_error());
    const char *got = p ? list_of(a, g->mesh, &r) : "";
    CHECK(!strcmp(got, c->want), "%s:\n%s", c->what, got);
    if (getenv("VERBOSE"))
        for (int i = 0; p && i < r.n; i++)
            fprintf(stderr, "%s: %s %s: %s -> %s\n", c->what, spmd_kind_name[r.note[i].kind], r.note[i].why,
                    mesh_print(a, r.note[i].from), mesh_print(a, r.note[i].to));
    road run = { .a = a };
    if (p && road_open(&run, f)) road_run(&run, c->what, in, &(drive_opts){ .out = out, .once = true }, c->exact ? 0 : 1e-3);
end:
    base_forget();
    base_close(a);
}

#define DOT(y, x, w, i, j) y " = dot_general " x ", " w " {lhs_contracting=[" #i "], rhs_contracting=[" #j "], result=f32}\n"
#define BLOCK(y, x, v, w, k) DOT("h" #k, x, v, 1, 0) "t" #k " = tanh h" #k "\n" DOT("d" #k, "t" #k, w, 1, 0) y " = add " x ", d" #k "\n"
#define LOSS(y) "q = mul " y ", " y "\nl = reduce q, 0 {dimensions=[0, 1]} add\nreturn l\n"

static const golden goldens[] = {
    { "elementwise", "x:2, y:4", "f(a f32[64,64], b f32[64,64]) {\nc = mul a, b\nd = add c, a\ne = neg d\nreturn e\n}",
      "x, y; x, y", NULL, NULL, "", true },
    { "gather(w) x", "x:2, y:4", "f(a f32[64,64], w f32[64,64]) {\nv = reshard w {to=[\"_, _\"]}\n" DOT("y", "a", "v", 1, 0)
      "return y\n}", "x+y, _; y, _", NULL, NULL, "1 all-gather over y, 12288 bytes\n", true },
    { "data-parallel step", "data:8", "f(x f32[256,32], v f32[32,64], w f32[64,32]) {\n" BLOCK("y", "x", "v", "w", 0) LOSS("y") "}",
      "data, _; _, _; _, _", "_; _, _; _, _", "12", "2 all-reduce over data, 14336 bytes\n1 all-reduce over data, 7 bytes\n", false },
    { "Megatron's blocks, forward", "data:2, model:4",
      "f(x f32[64,128], v0 f32[128,512], w0 f32[512,128], v1 f32[128,512], w1 f32[512,128]) {\n"
      BLOCK("a", "x", "v0", "w0", 0) BLOCK("b", "a", "v1", "w1", 1) "return b\n}",
      "data, _; _, model; model, _; _, model; model, _", "data, _", NULL, "2 all-reduce over model, 24576 bytes\n", false },
    { "Megatron's block, both directions", "data:2, model:4",
      "f(x f32[64,128], v f32[128,512], w f32[512,128], c f32[64,128]) {\n"
      BLOCK("y", "x", "v", "w", 0) "z = mul y, c\nl = reduce z, 0 {dimensions=[0, 1]} add\nreturn l\n}",
      "data, _; _, model; model, _; data, _", "_; data, _; _, model; model, _", "012",
      "2 all-reduce over model, 24576 bytes\n2 all-reduce over data, 65536 bytes\n1 all-reduce over data, 4 bytes\n", false },
    { "sequence-parallel block, both directions", "model:4",
      "f(x f32[64,128], v f32[128,512], w f32[512,128], c f32[64,128]) {\n"
      BLOCK("y", "x", "v", "w", 0) "z = mul y, c\nl = reduce z, 0 {dimensions=[0, 1]} add\nreturn l\n}",
      "model, _; _, model; model, _; model, _", "_; model, _; _, model; model, _", "012",
      "2 all-gather over model, 24576 bytes\n2 reduce-scatter over model, 24576 bytes\n1 all-reduce over model, 6 bytes\n", false },
    { "three projections, backward", "model:4",
      "f(x f32[64,128], p f32[128,128], o f32[128,128], r f32[128,128]) {\n" DOT("a", "x", "p", 1, 0) DOT("b", "x", "o", 1, 0)
      DOT("c", "x", "r", 1, 0) "d = mul a, b\ne = mul d, c\n" LOSS("e") "}",
      "_, _; _, model; _, model; _, model", "_; _, _; _, model; _, model; _, model", "0123",
      "1 all-reduce over model, 49152 bytes\n1 all-reduce over model, 6 bytes\n", false },
    { "fully sharded step", "data:8",
      "f(x f32[512,64], v0 f32[64,64], w0 f32[64,64], v1 f32[64,64], w1 f32[64,64]) {\n"
      BLOCK("a", "x", "v0", "w0", 0) BLOCK("b", "a", "v1", "w1", 1) LOSS("b") "}",
      "data, _; data, _; data, _; data, _; data, _", "_; data, _; data, _; data, _; data, _", "1234",
      /* the second block turns round at once: what was gathered for its forward pass still serves the backward pass */
      "5 all-gather over data, 14336 bytes\n4 reduce-scatter over data, 14336 bytes\n1 all-reduce over data, 7 bytes\n", false },
    { "convolution of cut rows", "x:2", "f(a f32[1,3,224,8], k f32[4,3,7,1]) {\n"
      "y = convolution a, k {lhs_feature=1, lhs_spatial=[2, 3], rhs_input_feature=1, rhs_spatial=[2, 3], out_feature=1, "
      "out_spatial=[2, 3], strides=[2, 1], pad_low=[3, 0], pad_high=[3, 0], lhs_dilation=[1, 1], rhs_dilation=[1, 1], "
      "reverse=[0, 0], feature_groups=1, batch_groups=1, result=f32}\nreturn y\n}", "_, _, x, _; _, _, _, _", "_, _, x, _", NULL,
      "1 halo over x, 288 bytes\n", false },               /* three rows from the left neighbour, two from the right one */
    { "reverse and slice of cut rows", "x:4", "f(a f32[64,4]) {\nb = reverse a {dimensions=[0]}\n"
      "c = slice b {start_indices=[2, 0], limit_indices=[62, 4], strides=[1, 1]}\nreturn c\n}", "x, _", "x, _", NULL,
      "1 halo over x, 256 bytes\n1 halo over x, 16 bytes\n", true },
    { "padding between elements that leaves the size", "x:2", "f(a f32[4,4]) {\nz = const {dtype=f32, dims=[], splat=true, data=0}\n"
      "b = pad a, z {edge_padding_low=[0, 0], edge_padding_high=[-3, 0], interior_padding=[1, 0]}\nreturn b\n}", "x, _", "x, _", NULL,
      "1 halo over x, 16 bytes\n", true },
    { "a collective's operand lies as its result", "x:2, z:2", "f(a f32[2,6,2,1]) {\n"
      "b = manual a {axes=[z], in=[\"_, _, _, _\"], out=[\"_, _, _, _\"], unchecked=true} (a f32[2,6,2,1]) {\n"
      "c = reshape a {dims=[2,2,2,3]}\nd = psum c {axes=[z], unchecked=true}\n"
      "e = manual d {axes=[x], in=[\"_, _, x, _\"], out=[\"_, _, _, _\"], unchecked=true} (d f32[2,2,1,3]) {\n"
      "g = add d, d\nreturn g }\nreturn e }\nreturn b\n}", "_, _, _, _", NULL, NULL,
      "1 all-reduce over z, 96 bytes\n", true },
    { "gradients of four parts of a batch, added up", "data:4",
      "f(x f32[4,64,32], w f32[32,32]) {\nz = const {dtype=f32, dims=[32,32], splat=true, data=0}\n"
      "s, k = scan w, z, x {length=4, nconst=1, ncarry=1} (w f32[32,32], s f32[32,32], x f32[64,32]) {\n"
      DOT("y", "x", "w", 1, 0) DOT("g", "x", "y", 0, 0) "t = add s, g\ni = const {dtype=i32, dims=[], splat=true, data=0}\n"
      "return t, i }\nreturn s\n}", "_, data, _; _, _", NULL, NULL, "1 all-reduce over data, 6144 bytes\n", true },
};

/* ---- single equations, with what others do ---- */

/* fn, layouts; what others do: moves "64,64: x, y -> x, _", by ';'. */
typedef struct { const char *what, *mesh, *fn, *in, *out, *moves; } published;

#define MUL(m, k, n) "f(a f32[" #m "," #k "], b f32[" #k "," #n "]) {\n" DOT("y", "a", "b", 1, 0) "return y\n}"
static const published others[] = {
    { "39", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "x, _", "64,64: x, _ +sum(y) -> x, _" },
    { "39 scattered", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "x, y", "64,64: x, _ +sum(y) -> x, _" },
    { "39 minor", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "x+y, _", "64,64: x, _ +sum(y) -> x, _" },
    { "39 major", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "y+x, _", "64,64: x, _ +sum(y) -> x, _; 64,64: x, _ -> y+x, _" },
    { "40", "x:4, y:2", MUL(64, 64, 64), "x, y; _, y", "x, y", "64,64: x, y -> x, _" },
    { "41", "x:4, y:2", "f(a f32[64,64]) {\n" DOT("y", "a", "a", 1, 0) "return y\n}", "x, y", "x, y",
      "64,64: x, y -> x, _; 64,64: x, y -> _, y" },
    { "42", "x:4, y:2", MUL(4, 4096, 4096), "x, _; x, _", "x, _", "4,4096: x, _ -> _, x; 4,4096: _, _ +sum(x) -> x, _" },
    { "43 small", "x:4, y:2", MUL(8, 4, 16), "x, y; y, _", "_, x", "8,4: x, y -> _, y; 4,16: y, _ -> y, x; 8,16: _, x +sum(y) -> _, x" },
    { "43 large", "x:4, y:2", MUL(8, 32, 16), "x, y; y, _", "_, x", "8,16: x, _ +sum(y) -> x, _; 8,16: x, _ -> _, x" },
    { "44 small", "x:4, y:2", MUL(128, 4, 256), "x, _; _, y", "y, x", "128,4: x, _ -> y, _; 4,256: _, y -> _, x" },
    { "44 large", "x:4, y:2", MUL(8, 1024, 16), "x, _; _, y", "y, x", "8,16: x, y -> y, x" },
    { "45", "x:4, y:2", MUL(64, 64, 64), "x, y; x, y", "y, x", "64,64: x, y -> _, x; 64,64: _, y +sum(x) -> _, y; 64,64: _, y -> y, x" },
    { "45 small", "x:4, y:2", MUL(128, 4, 256), "x, y; x, y", "y, x", "128,4: x, y -> y, _; 4,256: x, y -> _, x" },
    { "46", "x:4, y:2", MUL(4, 2, 4), "_, x; x, _", "x, _", "4,2: _, x -> x, _; 2,4: x, _ -> _, _" },
    { "47", "x:2, y:2, z:2, t:2", "f(a f32[16,32,64], b f32[32,64,128]) {\n"
      "y = dot_general a, b {lhs_contracting=[1, 2], rhs_contracting=[0, 1], result=f32}\nreturn y\n}", "x, z, t; z, t, x+y",
      "x, z+t", "16,32,64: x, z, t -> _, z, t; 16,128: _, x+y +sum(z+t) -> _, x+y; 16,128: _, x+y -> x, z+t" },
    { "48", "x:2, y:2, z:2", "f(a f32[8,16,16], b f32[8,16,16]) {\n"
      "y = dot_general a, b {lhs_batching=[0], rhs_batching=[0], lhs_contracting=[2], rhs_contracting=[1], result=f32}\n"
      "return y\n}", "x, _, _; y, _, _", "z, _, _", "8,16,16: x, _, _ -> y, _, _; 8,16,16: y, _, _ -> z, _, _" },
    { "49", "x:4, y:2", "f(a f32[4,32,8]) {\ny = sort a {dimension=0, stable=true, num_keys=1}\nreturn y\n}", "x, y, _", "x, y, _",
      "4,32,8: x, y, _ -> _, y+x, _; 4,32,8: _, y+x, _ -> x, y, _" },
    { "50", "x:4", "f(a f32[1,4,1]) {\ny = sort a {dimension=1, stable=true, num_keys=1}\nreturn y\n}", "_, x, _", "_, _, _",
      "1,4,1: _, x, _ -> _, _, _" },
    { "51", "x:4, y:2", "f(a f32[8,32], b f32[8,48]) {\ny = concatenate a, b {dimension=1}\nreturn y\n}", "x, y; _, y", "x, y",
      "8,32: x, y -> x+y, _; 8,48: _, y -> x+y, _; 8,80: x+y, _ -> x, y" },
    { "56", "x:4, y:2", "f(a f32[2,64,13]) {\nz = const {dtype=f32, dims=[], splat=true, data=0}\n"
      "y = reduce a, z {dimensions=[0, 1]} add\nreturn y\n}", "y, x, _", "_", "13: _ +sum(x+y) -> _" },
};

static double listed(spmd_all *s, const char *moves)
{
    double seconds = 0;
    for (const char *at = moves; *at; at += strcspn(at, ";"), at += strspn(at, "; ")) {
        int64_t dim[IR_RANK];
        int rank = 0;
        char *p = (char *)(uintptr_t)at;
        for (; *p != ':'; p += *p == ',') dim[rank++] = strtoll(p, &p, 10);
        const char *from = p + 2, *to = strstr(from, " -> ");
        const mesh_layout *a = mesh_parse(NULL, s->mesh, rank, base_format(s->a, "%.*s", (int)(to - from), from)),
                          *b = mesh_parse(NULL, s->mesh, rank, base_format(s->a, "%.*s", (int)strcspn(to + 4, ";"), to + 4));
        CHECK(a && b, "%s: %s", moves, road_error());
        if (!a || !b) return 0;
        const spmd_lies x = spmd_lies_of(a), y = spmd_lies_of(b);
        seconds += spmd_moving(s, ir_type_of(TT_F32, rank, dim), &x, &y).seconds;
    }
    return seconds;
}

static void bounded(const published *c)
{
    base_arena *a = base_open();
    ir_fn *f = ir_parse(a, "published", base_format(a, "mesh \"%s\"\nfn %s", c->mesh, c->fn));
    CHECK(f, "%s: %s", c->what, road_error());
    if (f) {
        const mesh_layout *in[ROAD_MOST] = { 0 }, *out[ROAD_MOST] = { 0 };
        spmd_all s = { .a = a, .mesh = f->mesh };
        spmd_report r;
        double ours = 0;
        spmd_machine_set(&s, NULL);
        specs(a, f->mesh, c->in, f, false, in);
        specs(a, f->mesh, c->out, f, true, out);
        f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
        for (uint32_t i = 0; i < f->narg; i++) f->layout[1 + i] = in[i];
        const ir_fn *p = spmd_partition(a, f, out, NULL, &r);
        CHECK(p, "%s: %s", c->what, road_error());
        for (int i = 0; p && i < r.n; i++) ours += r.note[i].seconds;
        const double theirs = listed(&s, c->moves);
        CHECK(ours <= theirs * (1 + 1e-9), "%s: %g s, others %g s\n%s", c->what, ours, theirs, p ? list_of(a, f->mesh, &r) : "");
        road run = { .a = a };
        if (p && ir_count(f->type[f->narg]) < 1 << 20 && road_open(&run, f))
            road_run(&run, c->what, in, &(drive_opts){ .out = out, .once = true }, 1e-3);
    }
    base_forget();
    base_close(a);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++)
        if (argc < 2 || strstr(goldens[i].what, argv[1])) one(&goldens[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others && argc < 2; i++) bounded(&others[i]);
    drive_forget();
    return check_done();
}
