/* Golden lists of exchanges, by kind, bytes and times: what data-parallel, Megatron's, sequence-parallel and fully
 * sharded training steps may send, and nothing more. Every program is then run, with small whole numbers in place of
 * its sizes' worth of data, and compared with the reference evaluator. And published cases of single equations, where
 * what others do is an upper bound for the time that the model gives ours. */
#include "api/pipeline.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "spmd/inner.h"
#include "transform/transform.h"
#include "op/ops.h"

/* "2 all-reduce over model, 1024 bytes" per line, in order of first appearance; notes that move nothing are left
 * out. */
static const char *list_of(base_arena *a, const mesh *m, const spmd_report *r)
{
    base_text t = { .arena = a };
    bool *done = BASE_NEW(a, bool, r->n + 1);
    base_appendf(&t, "%s", "");
    for (int i = 0; i < r->n; i++) {
        const spmd_note *n = &r->note[i];
        int64_t count = 0;
        for (int k = i; k < r->n; k++) {
            const spmd_note *o = &r->note[k];
            if (done[k] || o->kind != n->kind || o->over != n->over || o->moved != n->moved || o->times != n->times)
                continue;
            done[k] = true;
            count++;
        }
        if (!count || n->kind == SPMD_SLICE) continue;
        base_appendf(&t, "%lld %s over %s, %lld bytes", (long long)count, spmd_kind_name[n->kind], mesh_set_text(a, m,
            n->over),
                     (long long)n->moved);
        if (n->times != 1) base_appendf(&t, ", %lld times", (long long)n->times);
        base_appendf(&t, "\n");
    }
    return t.s;
}

typedef struct {
    const char *what, *mesh, *fn, *in, *out;             /* specs of arguments and results, by ';' */
    const char *wrt;    /* a step of descent for these arguments: "01"; NULL: as it is */
    const char *want;
    bool exact;                                          /* only whole numbers: no rounding */
    bool rounds;    /* much: what is near enough is measured by the reference evaluator in f64 */
    int turns;    /* of the plan: exchanges that stand together; 0: not looked at */
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
            CHECK(l[i], "%s: %s", one, pipeline_error());
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

static const char *in_f64(base_arena *a, const char *text)
{
    char *t = base_copy(a, text, strlen(text) + 1);
    for (char *p = t; (p = strstr(p, "f32"));) memcpy(p, "f64", 3);
    return t;
}

/* Four times what the reference's rounding in f32 does to its results. */
static double rounding(base_arena *a, const golden *c, const pipeline *run)
{
    const ir_fn *f = ir_parse(a, "golden", base_format(a, "mesh \"%s\"\nfn %s", c->mesh, in_f64(a, c->fn)));
    pipeline wide = { .a = a };
    double most = 0;
    if (f && c->wrt) f = descend(a, f, c->wrt);
    CHECK(f && pipeline_open(&wide, f), "%s: %s", c->what, pipeline_error());
    for (uint32_t j = 0; f && j < f->nret; j++) {
        const ir_box got = ir_box_dense(run->want[j], run->fn->type[run->fn->ret[j]]);
        const ir_box want = ir_box_dense(wide.want[j], f->type[f->ret[j]]);
        most = fmax(most, pipeline_apart(&got, &want));
    }
    return 4 * most;
}

static void one(const golden *c)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "golden", base_format(a, "mesh \"%s\"\nfn %s", c->mesh, c->fn));
    CHECK(f, "%s: %s", c->what, pipeline_error());
    if (f && c->wrt) f = descend(a, f, c->wrt);
    ir_fn *g = f ? pass_simplify(a, f) : NULL;
    if (g) g = pass_decompose(a, g);
    if (g) g = pass_simplify(a, pass_hoist(a, g));
    CHECK(g, "%s: %s", c->what, pipeline_error());
    if (!g) goto end;
    const mesh_layout **in = BASE_NEW(a, const mesh_layout *, g->narg);
    const mesh_layout **out = BASE_NEW(a, const mesh_layout *, g->nret);
    specs(a, g->mesh, c->in, g, false, in);
    if (c->out) specs(a, g->mesh, c->out, g, true, out);
    g->layout = BASE_NEW(a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 0; i < g->narg; i++) g->layout[1 + i] = in[i];
    spmd_report r;
    ir_fn *p = spmd_partition(a, g, out, NULL, &r);
    CHECK(p && ir_verify(p), "%s: %s", c->what, pipeline_error());
    const char *got = p ? list_of(a, g->mesh, &r) : "";
    CHECK(!strcmp(got, c->want), "%s:\n%s", c->what, got);
    if (getenv("VERBOSE"))
        for (int i = 0; p && i < r.n; i++)
            fprintf(stderr, "%s: %s %s: %s -> %s\n", c->what, spmd_kind_name[r.note[i].kind], r.note[i].why,
                    mesh_print(a, r.note[i].from), mesh_print(a, r.note[i].to));
    const run_plan *plan = p && c->turns ? plan_make(a, a, p, false) : NULL;
    if (c->turns) CHECK(plan && run_plan_counts(plan).rounds == c->turns, "%s: %s", c->what,
                      plan ? run_plan_text(a, plan) : "");
    pipeline run = { .a = a };
    if (p && pipeline_open(&run, f))
        pipeline_run(&run, c->what, in, &(driver_opts){ .out = out, .once = true },
                 c->exact ? 0 : c->rounds ? rounding(a, c, &run) : 1e-3);
end:
    base_clear_error();
    base_close(a);
}

#define DOT(y, x, w, i, j) \
    y " = dot_general " x ", " w " {lhs_contracting_dimensions=[" #i "], rhs_contracting_dimensions=[" #j \
        "], preferred_element_type=f32}\n"

static const golden goldens[] = {
#include "golden.inc"
};

/* ---- single equations, with what others do ---- */

/* fn, layouts; what others do: moves "64,64: x, y -> x, _", by ';'. */
typedef struct { const char *what, *mesh, *fn, *in, *out, *moves; } published;

#define MUL(m, k, n) "f(a f32[" #m "," #k "], b f32[" #k "," #n "]) {\n" DOT("y", "a", "b", 1, 0) "return y\n}"
static const published others[] = {
    { "39", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "x, _", "64,64: x, _ +sum(y) -> x, _" },
    { "39 scattered", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "x, y", "64,64: x, _ +sum(y) -> x, _" },
    { "39 minor", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "x+y, _", "64,64: x, _ +sum(y) -> x, _" },
    { "39 major", "x:4, y:2", MUL(64, 64, 64), "x, y; y, _", "y+x, _", "64,64: x, _ +sum(y) -> x, _; "
      "64,64: x, _ -> y+x, _" },
    { "40", "x:4, y:2", MUL(64, 64, 64), "x, y; _, y", "x, y", "64,64: x, y -> x, _" },
    { "41", "x:4, y:2", "f(a f32[64,64]) {\n" DOT("y", "a", "a", 1, 0) "return y\n}", "x, y", "x, y",
      "64,64: x, y -> x, _; 64,64: x, y -> _, y" },
    { "42", "x:4, y:2", MUL(4, 4096, 4096), "x, _; x, _", "x, _", "4,4096: x, _ -> _, x; 4,4096: _, _ +sum(x) -> x, "
      "_" },
    { "43 small", "x:4, y:2", MUL(8, 4, 16), "x, y; y, _", "_, x", "8,4: x, y -> _, y; 4,16: y, _ -> y, x; "
      "8,16: _, x +sum(y) -> _, x" },
    { "43 large", "x:4, y:2", MUL(8, 32, 16), "x, y; y, _", "_, x", "8,16: x, _ +sum(y) -> x, _; 8,16: x, _ -> _, x" },
    { "44 small", "x:4, y:2", MUL(128, 4, 256), "x, _; _, y", "y, x", "128,4: x, _ -> y, _; 4,256: _, y -> _, x" },
    { "44 large", "x:4, y:2", MUL(8, 1024, 16), "x, _; _, y", "y, x", "8,16: x, y -> y, x" },
    { "45", "x:4, y:2", MUL(64, 64, 64), "x, y; x, y", "y, x", "64,64: x, y -> _, x; 64,64: _, y +sum(x) -> _, y; "
      "64,64: _, y -> y, x" },
    { "45 small", "x:4, y:2", MUL(128, 4, 256), "x, y; x, y", "y, x", "128,4: x, y -> y, _; 4,256: x, y -> _, x" },
    { "46", "x:4, y:2", MUL(4, 2, 4), "_, x; x, _", "x, _", "4,2: _, x -> x, _; 2,4: x, _ -> _, _" },
    { "47", "x:2, y:2, z:2, t:2", "f(a f32[16,32,64], b f32[32,64,128]) {\n"
      "y = dot_general a, b {lhs_contracting_dimensions=[1, 2], rhs_contracting_dimensions=[0, 1], "
      "preferred_element_type=f32}\nreturn y\n}",
          "x, z, t; z, t, x+y",
      "x, z+t", "16,32,64: x, z, t -> _, z, t; 16,128: _, x+y +sum(z+t) -> _, x+y; 16,128: _, x+y -> x, z+t" },
    { "48", "x:2, y:2, z:2", "f(a f32[8,16,16], b f32[8,16,16]) {\n"
      "y = dot_general a, b {lhs_batching_dimensions=[0], rhs_batching_dimensions=[0], lhs_contracting_dimensions=[2], "
      "rhs_contracting_dimensions=[1], preferred_element_type=f32}\n"
      "return y\n}", "x, _, _; y, _, _", "z, _, _", "8,16,16: x, _, _ -> y, _, _; 8,16,16: y, _, _ -> z, _, _" },
    { "49", "x:4, y:2", "f(a f32[4,32,8]) {\ny = sort a {dimension=0, is_stable=true, num_keys=1}\nreturn y\n}",
      "x, y, _", "x, y, _",
      "4,32,8: x, y, _ -> _, y+x, _; 4,32,8: _, y+x, _ -> x, y, _" },
    { "50", "x:4", "f(a f32[1,4,1]) {\ny = sort a {dimension=1, is_stable=true, num_keys=1}\nreturn y\n}", "_, x, _",
      "_, _, _",
      "1,4,1: _, x, _ -> _, _, _" },
    { "51", "x:4, y:2", "f(a f32[8,32], b f32[8,48]) {\ny = concatenate a, b {dimension=1}\nreturn y\n}", "x, y; _, y",
      "x, y",
      "8,32: x, y -> x+y, _; 8,48: _, y -> x+y, _; 8,80: x+y, _ -> x, y" },
    { "56", "x:4, y:2", "f(a f32[2,64,13]) {\nz = const {dtype=f32, shape=[], splat=true, data=0}\n"
      "y = reduce a, z {dimensions=[0, 1]} add\nreturn y\n}", "y, x, _", "_", "13: _ +sum(x+y) -> _" },
};

static double listed(spmd_state *s, const char *moves)
{
    double seconds = 0;
    for (const char *at = moves; *at; at += strcspn(at, ";"), at += strspn(at, "; ")) {
        int64_t dim[IR_RANK];
        int rank = 0;
        char *p = (char *)(uintptr_t)at;
        for (; *p != ':'; p += *p == ',') dim[rank++] = strtoll(p, &p, 10);
        const char *from = p + 2, *to = strstr(from, " -> ");
        const mesh_layout *a = mesh_parse(NULL, s->mesh, rank, base_format(s->a, "%.*s", (int)(to - from), from)),
                          *b = mesh_parse(NULL, s->mesh, rank, base_format(s->a, "%.*s", (int)strcspn(to + 4, ";"),
                              to + 4));
        CHECK(a && b, "%s: %s", moves, pipeline_error());
        if (!a || !b) return 0;
        const spmd_sharding x = spmd_sharding_of(a), y = spmd_sharding_of(b);
        seconds += spmd_moving(s, ir_type_of(TT_F32, rank, dim), &x, &y).seconds;
    }
    return seconds;
}

static void bounded(const published *c)
{
    base_arena *a = base_open();
    ir_fn *f = ir_parse(a, "published", base_format(a, "mesh \"%s\"\nfn %s", c->mesh, c->fn));
    CHECK(f, "%s: %s", c->what, pipeline_error());
    if (f) {
        const mesh_layout *in[PIPELINE_MOST] = { 0 }, *out[PIPELINE_MOST] = { 0 };
        spmd_state s = { .a = a, .mesh = f->mesh };
        spmd_report r;
        double ours = 0;
        spmd_machine_set(&s, NULL);
        specs(a, f->mesh, c->in, f, false, in);
        specs(a, f->mesh, c->out, f, true, out);
        f->layout = BASE_NEW(a, const mesh_layout *, f->nvalue + 1);
        for (uint32_t i = 0; i < f->narg; i++) f->layout[1 + i] = in[i];
        const ir_fn *p = spmd_partition(a, f, out, NULL, &r);
        CHECK(p, "%s: %s", c->what, pipeline_error());
        for (int i = 0; p && i < r.n; i++) ours += r.note[i].seconds;
        const double theirs = listed(&s, c->moves);
        CHECK(ours <= theirs * (1 + 1e-9), "%s: %g s, others %g s\n%s", c->what, ours, theirs,
              p ? list_of(a, f->mesh, &r) : "");
        pipeline run = { .a = a };
        if (p && ir_count(f->type[f->narg]) < 1 << 20 && pipeline_open(&run, f))
            pipeline_run(&run, c->what, in, &(driver_opts){ .out = out, .once = true }, 1e-3);
    }
    base_clear_error();
    base_close(a);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--one-in N [NAME]")) return check_done();
    const bool some = argc > 2 && !strcmp(argv[1], "--one-in");
    const size_t step = some && atoi(argv[2]) > 0 ? (size_t)atoi(argv[2]) : 1;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i += step)
        if (argc < 2 || some || strstr(goldens[i].what, argv[1])) one(&goldens[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others && (argc < 2 || some); i += step) bounded(&others[i]);
    driver_forget();
    return check_done();
}
