/* Residuals of scans that are computed again: the same bits, fewer bytes stacked; and what must be stacked still is.
 *
 * A draw is the gradient of a random scan (elementwise equations, contractions, folds, choices, spreads; ys that are
 * wanted and ys that are not; forwards and reversed), before and after the pass, by the evaluator and by the
 * pipeline. */
#include "pass/pass.h"
#include "api/pipeline.h"
#include "transform/transform.h"
#include "op/ops.h"

static uint64_t state;
static unsigned pick(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static const char *program(base_arena *a, uint64_t seed)
{
    static const char *const one[] = { "tanh", "sin", "neg", "exp", "logistic" };
    static const char *const two[] = { "add", "mul", "sub", "max" };
    state = seed * 0x9E3779B97F4A7C15u + 1;
    base_text t = { .arena = a };
    const int turns = 1 + (int)pick(4);
    int n = 3;                                           /* v0: carry, v1: row, v2: const */
    base_appendf(&t, "fn again_%llu(w f32[4,4], k f32[4], h f32[4], xs f32[%d,4]) {\n"
                 "g, y, z = scan w, k, h, xs {length=%d, num_consts=2, num_carry=1, reverse=%s} "
                 "(w f32[4,4], v2 f32[4], v0 f32[4], v1 f32[4]) {\n",
                 (unsigned long long)seed, turns, turns, pick(2) ? "true" : "false");
    for (int left = 2 + (int)pick(9); left > 0; left--, n++) {
        const int p = (int)pick((unsigned)n), q = (int)pick((unsigned)n);
        switch (pick(9)) {
        case 0: base_appendf(&t, "v%d = dot_general w, v%d {lhs_contracting_dimensions=[1], "
                                 "rhs_contracting_dimensions=[0], preferred_element_type=f32}\n",
                             n, p);
                break;
        case 1: base_appendf(&t, "s%d = reduce v%d, 0 {dimensions=[0]} add\n"
                             "v%d = broadcast_in_dim s%d {shape=[4], broadcast_dimensions=[]}\n",
                             n, p, n, n);
                break;
        case 2: base_appendf(&t, "c%d = compare v%d, v%d {comparison_direction=gt}\nv%d = select c%d, v%d, v%d\n", n, p,
                             q, n, n,
            q,
                             p);
                break;
        case 3: base_appendf(&t, "r%d = reshape v%d {shape=[2,2]}\nq%d = mul r%d, r%d\nv%d = reshape q%d {shape=[4]}\n",
            n, p,
                             n, n, n, n, n);
                break;
        case 4:
        case 5: base_appendf(&t, "v%d = %s v%d\n", n, one[pick(5)], p); break;
        default: base_appendf(&t, "v%d = %s v%d, v%d\n", n, two[pick(4)], p, q);
        }
    }
    base_appendf(&t, "e = tanh v%d\nreturn e, v%d, v%d\n}\na = reduce g, 0 {dimensions=[0]} add\n", n - 1,
                 (int)pick((unsigned)n), (int)pick((unsigned)n));
    base_appendf(&t, "b = reduce %s, 0 {dimensions=[0,1]} add\nl = add a, b\nreturn l%s\n}", pick(2) ? "y" : "z",
                 pick(3) ? "" : ", y");
    return t.s;
}

static int64_t stacked(const ir_fn *f)                   /* bytes of an iteration that scans leave */
{
    int64_t n = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        for (uint32_t i = 0; i < e->nsub; i++) n += stacked(e->sub[i]);
        if (e->op != &prim_scan) continue;
        for (uint32_t j = (uint32_t)IR_ATTR(e, op_scan_attr)->num_carry; j < e->nout; j++)
            n += ir_bytes(IR_OUT(e, j)) / IR_ATTR(e, op_scan_attr)->length;
    }
    return n;
}

/* Both functions' results on the same data, to the bit. */
static void same(base_arena *a, const char *what, const ir_fn *f, const ir_fn *g)
{
    pipeline r = { .a = a }, s = { .a = a };
    CHECK(pipeline_open(&r, f) && pipeline_open(&s, g), "%s: %s", what, pipeline_error());
    for (uint32_t j = 0; j < f->nret; j++)
        CHECK(!memcmp(r.want[j], s.want[j], (size_t)ir_bytes(f->type[f->ret[j]])), "%s: result %u", what, j);
}

static void draws(uint64_t first, uint64_t count)
{
    int fewer = 0;
    for (uint64_t k = first; k < first + count; k++) {
        base_arena *a = base_open();
        const char *text = program(a, k);
        const int before = check_failed;
        const ir_fn *f = ir_parse(a, "again", text);
        CHECK(f, "%s\n%s", pipeline_error(), text);
        const ir_fn *g = f ? transform_value_and_grad(a, NULL, f, (const bool[]){ true, true, true, true }) : NULL;
        g = g ? pass_simplify(a, g) : NULL;
        const ir_fn *h = g ? pass_scan_remat(a, g) : NULL;
        CHECK(h && ir_verify(h), "%s", pipeline_error());
        if (h) {
            same(a, "evaluated", g, h);
            CHECK(stacked(h) <= stacked(g), "%lld bytes stacked of %lld", (long long)stacked(h), (long long)stacked(g));
            fewer += stacked(h) < stacked(g);
            pipeline r = { .a = a };
            if (k % 8 == 0 && pipeline_open(&r, f))
                r.fn = g, pipeline_open(&r, g), pipeline_run(&r, "pipeline", NULL, NULL, 1e-4);
        }
        if (check_failed != before) printf("draw %llu:\n%s\n", (unsigned long long)k, text);
        driver_forget();
        base_close(a);
    }
    CHECK(fewer > (int)(count / 3), "only %d of %d draws stack less", fewer, (int)count);
}

/* Bytes stacked per iteration before and after. */
static void counted(const char *name, const char *text, int64_t before, int64_t after)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, name, text);
    CHECK(f, "%s: %s", name, pipeline_error());
    const ir_fn *h = f ? pass_scan_remat(a, f) : NULL;
    CHECK(h && ir_verify(h), "%s: %s", name, pipeline_error());
    if (h) {
        CHECK(stacked(f) == before && stacked(h) == after, "%s: %lld bytes, then %lld\n%s", name,
              (long long)stacked(f), (long long)stacked(h), ir_print(a, h));
        same(a, name, f, h);
    }
    base_close(a);
}

/* (what the first body makes and stacks; what it returns as ys; how the second one reads p and q; the end) */
#define PAIR(made, ys, read, end) \
    "fn pair(w f32[8,8], c f32[8], xs f32[3,8]) {\n" \
    "g, p, q = scan w, c, xs {length=3, num_consts=1, num_carry=1} (w f32[8,8], c f32[8], x f32[8]) {\n" \
    "d = dot_general w, c {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "                           \
    "preferred_element_type=f32}\n" made "return d, " ys "\n}\n"                                                       \
    "r, o = scan w, g, p, q {length=3, num_consts=1, num_carry=1, reverse=true} " \
    "(w f32[8,8], c f32[8], p f32[8], q f32[8]) {\n" \
    read "return e, c\n}\n" end

#define PLAIN "a = mul p, q\ne = add a, c\n"

static void pairs(void)
{
    /* of two values that follow from one, the one is kept; a const and rows of xs are not stacked */
    counted("chain", PAIR("t = tanh d\nu = mul t, t\n", "t, u", PLAIN, "return r, o\n}"), 96, 64);
    counted("given", PAIR("t = mul x, x\nu = exp t\n", "t, u", PLAIN, "return r, o\n}"), 96, 32);
    counted("given, half of it dear", PAIR("t = mul x, x\nu = sin t\n", "t, u", PLAIN, "return r, o\n}"), 96, 64);
    /* a flag is cheaper than what it is made of */
    counted("flag", "fn flag(c f32[8], xs f32[3,8]) {\n"
            "g, p = scan c, xs {length=3, num_consts=0, num_carry=1} (c f32[8], x f32[8]) {\n"
            "d = mul c, x\nm = compare d, x {comparison_direction=gt}\nreturn d, m\n}\n"
            "r = scan g, p {length=3, num_consts=0, num_carry=1, reverse=true} (c f32[8], p bool[8]) {\n"
            "e = select p, c, c\nreturn e\n}\nreturn r\n}", 8, 8);
    /* the carry's old content is the first loop's alone: it is stacked instead of two that follow from it */
    counted("carried", PAIR("t = mul c, c\nu = add t, x\n", "t, u", PLAIN, "return r, o\n}"), 96, 64);
    /* somebody else reads p: it is stacked anyway, and q follows from it */
    counted("wanted", PAIR("t = tanh d\nu = mul t, t\n", "t, u", PLAIN, "return r, o, p\n}"), 96, 64);
    /* near misses: both wanted; a contraction reads what would be made again; what draws; too dear */
    counted("both", PAIR("t = tanh d\nu = mul t, t\n", "t, u", PLAIN, "return r, o, p, q\n}"), 96, 96);
    counted("whole", PAIR("t = mul x, x\nu = mul t, x\n", "t, u",
            "a = dot_general w, p {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\n"
            "b = dot_general w, q {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
            "preferred_element_type=f32}\nf = mul a, b\ne = add f, c\n",
            "return r, o\n}"), 96, 96);
    counted("dear", PAIR("t = digamma x\nu = lgamma t\n", "t, u", PLAIN, "return r, o\n}"), 96, 96);
    counted("folded", PAIR("s = reduce x, 0 {dimensions=[0]} add\nt = broadcast_in_dim s {shape=[8], "
            "broadcast_dimensions=[]}\nu = mul t, x\n", "t, u", PLAIN, "return r, o\n}"), 96, 36);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[DRAWS [SEED]]")) return check_done();
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 150;
    draws(argc > 2 ? strtoull(argv[2], NULL, 10) : 1, count);
    pairs();
    return check_done();
}
