/* Products of parts of a batch are one product (pass/merge_slices.c): in which functions, that they mean the same,
 * alone, on two devices and in a region, and that reproducible mode does without. */
#include "api/pipeline.h"
#include "pass/pass.h"
#include "op/ops.h"

#include <pthread.h>

#define ROWS(y, from, to) y " = slice x {start_indices=[" from ",0], limit_indices=[" to ",16], strides=[1,1]}\n"
#define BY(y, x, w) y " = dot_general " x ", " w " {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], " \
                                                 "preferred_element_type=f32}\n"
#define OF(y, x, d) y " = dot_general " x ", " d " {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], " \
                                                 "preferred_element_type=f32}\n"
#define LOW(y, x) y " = convert " x " {new_dtype=bf16}\n"
#define HEAD "fn f(x f32[12,16], w f32[16,24]) {\n"
#define PARTS ROWS("a", "0", "4") ROWS("b_", "4", "8") ROWS("c", "8", "12")
#define FORWARD PARTS BY("p", "a", "w") BY("q", "b_", "w") BY("r", "c", "w")
#define LOWER(y, x, w, d) y " = dot_general " x ", " w " {lhs_contracting_dimensions=[" d \
    "], rhs_contracting_dimensions=[0], preferred_element_type=bf16}\n"
/* A classifier on three minibatches: hidden rows times a mask of their own, a second product, its gradient. */
#define STEP(i, x, key) BY("h" i, x, "w") "a" i " = add h" i ", bb\ns" i " = logistic a" i "\n" \
    "r" i " = random_bits " key " {shape=[4,24], bit_width=32, layout=partitionable}\nq" i " = compare r" i ", half " \
    "{comparison_direction=lt}\nm" i " = select q" i ", s" i ", zero\n" BY("l" i, "m" i, "v") \
    "x" i " = reduce l" i ", -inf {dimensions=[1]} max\ny" i " = broadcast_in_dim x" i \
    " {shape=[4,8], broadcast_dimensions=[0]}\nd" i " = sub l" i ", y" i "\no" i " = reduce d" i \
    ", 0 {dimensions=[0,1]} add\n" \
    OF("g" i, "m" i, "d" i) "e" i " = dot_general d" i ", v {lhs_contracting_dimensions=[1], "                         \
                                                       "rhs_contracting_dimensions=[1], preferred_element_type=f32}\n" \
    "u" i " = mul e" i ", s" i "\nt" i " = reduce u" i ", 0 {dimensions=[0]} add\n" OF("f" i, x, "u" i)
#define SUM(y, x) "z" y " = add " x "0, " x "1\n" y " = add z" y ", " x "2\n"
#define STEPS "bb = broadcast_in_dim b {shape=[4,24], broadcast_dimensions=[1]}\n" \
    "half = const {dtype=u32, shape=[4,24], splat=true, data=2147483648}\n" \
    "zero = const {dtype=f32, shape=[4,24], splat=true, data=0}\nk1 = not k\nk2 = neg k\n" \
    PARTS STEP("0", "a", "k") STEP("1", "b_", "k1") STEP("2", "c", "k2") \
    SUM("loss", "o") SUM("dv", "g") SUM("db", "t") SUM("dw", "f")
#define GRADS "u = sin p\nv = cos q\nt = neg r\n" OF("g", "a", "u") OF("h", "b_", "v") OF("i", "c", "t")

typedef struct { const char *name, *text; int dots; double tolerance; } one;
static const one list[] = {
    { "rows", HEAD FORWARD "return q, r, p\n}", 1, 0 },
    { "of a part", HEAD ROWS("a", "2", "6") ROWS("b", "6", "8") BY("p", "a", "w") BY("q", "b", "w")
      "return p, q\n}", 1, 0 },
    { "a gap", HEAD ROWS("a", "0", "4") ROWS("b", "5", "9") BY("p", "a", "w") BY("q", "b", "w")
      "return p, q\n}", 2, 0 },
    { "two weights", "fn f(x f32[12,16], w f32[16,24], z f32[16,24]) {\n" ROWS("a", "0", "4") ROWS("b", "4", "8")
      BY("p", "a", "w") BY("q", "b", "z") "return p, q\n}", 2, 0 },
    { "more than the weight", HEAD PARTS
      "d = concatenate a, b_ {dimension=0}\ne = concatenate d, c {dimension=0}\n"
      "y = concatenate e, x {dimension=0}\n"
      "k = slice y {start_indices=[0,0], limit_indices=[12,16], strides=[1,1]}\n"
      "l = slice y {start_indices=[12,0], limit_indices=[24,16], strides=[1,1]}\n" BY("p", "k", "w") BY("q", "l", "w")
      "return p, q\n}", 2, 0 },
    { "columns are summed", "fn f(x f32[12,16], w f32[8,24]) {\n"
      "a = slice x {start_indices=[0,0], limit_indices=[12,8], strides=[1,1]}\n"
      "b = slice x {start_indices=[0,8], limit_indices=[12,16], strides=[1,1]}\n" BY("p", "a", "w") BY("q", "b", "w")
      "return p, q\n}", 2, 0 },
    { "gradients", HEAD FORWARD GRADS "s = add g, h\ne = add s, i\nreturn e\n}", 2, 1e-6 },
    { "and others", HEAD FORWARD GRADS "k = add w, g\ns = add k, h\nm = mul w, w\nl = add m, i\ne = add s, l\n"
      "return e\n}", 2, 1e-6 },
    { "read twice", HEAD FORWARD GRADS "s = add g, h\ne = add s, i\nz = mul g, h\nreturn e, z\n}", 4, 1e-6 },
    { "the sum read twice", HEAD FORWARD GRADS "s = add g, h\ne = add s, i\nreturn e, s\n}", 3, 1e-6 },
    { "copies larger", "fn f(x f32[12,16], w f32[12,24]) {\ny = sin x\nz = cos w\n" OF("g", "x", "w") OF("h", "y", "z")
      "e = add g, h\nreturn e\n}", 2, 1e-6 },
    { "copied", "fn f(x f32[3,16], w f32[3,24]) {\ny = sin x\nz = cos w\n" OF("g", "x", "w") OF("h", "y", "z")
      "e = add g, h\nreturn e\n}", 1, 1e-6 },
    { "steps", "fn f(x f32[12,16], w f32[16,24], b f32[24], v f32[24,8], k u32[2]) {\n" STEPS
      "return loss, dv, db, dw\n}", 5, 1e-5 },
    { "steps, one read alone", "fn f(x f32[12,16], w f32[16,24], b f32[24], v f32[24,8], k u32[2]) {\n" STEPS
      "p = sin s1\nreturn loss, dv, db, dw, p\n}", 5, 1e-5 },
    { "one after the other", "fn f(x f32[12,16], w f32[16,16]) {\n" PARTS BY("p", "a", "w") "i = add p, b_\n"
      BY("q", "b_", "w") "j = mul q, p\nk = add i, j\n" BY("r", "c", "w") "l = mul r, j\nreturn k, l, j\n}", 1, 1e-6 },
    { "casts", HEAD PARTS LOW("z", "w") LOW("k", "a") LOW("l", "b_") LOW("m", "c") LOWER("p", "k", "z", "1")
      LOWER("q", "l", "z", "1") LOWER("r", "m", "z", "1") LOWER("g", "k", "p", "0") LOWER("h", "l", "q", "0")
      LOWER("i", "m", "r", "0") "u = convert g {new_dtype=f32}\nv = convert h {new_dtype=f32}\nt = convert i "
                                "{new_dtype=f32}\n"
      "s = add u, v\ne = add s, t\nreturn e, p\n}", 4, 0.02 },
};

static int dots(base_arena *a, const ir_fn *f)
{
    int n = 0;
    for (const char *s = ir_print(a, f); (s = strstr(s, "dot_general")); s++) n++;
    return n;
}

static void check(const one *p)
{
    base_arena *a = base_open();
    pipeline r = { .a = a };
    const ir_fn *t = ir_parse(a, "batches", p->text), *f = t ? pass_simplify(a, t) : NULL;
    CHECK(f && pipeline_open(&r, f), "%s: %s", p->name, pipeline_error());
    const ir_fn *g = f ? pass_merge_slices(a, f) : NULL, *h = g ? pass_simplify(a, g) : NULL;
    CHECK(h && ir_verify(h), "%s: %s", p->name, pipeline_error());
    if (h) {
        CHECK(dots(a, h) == p->dots, "%s: %d products, not %d:\n%s", p->name, dots(a, h), p->dots, ir_print(a, h));
        CHECK((f == g) == (dots(a, f) == p->dots), "%s: made anew for nothing", p->name);
        pipeline_run(&r, p->name, NULL, &(driver_opts){ 0 }, p->tolerance);
        pipeline_run(&r, p->name, NULL, &(driver_opts){ .flags = DRIVER_REPRODUCIBLE }, p->tolerance);
    }
    base_close(a);
    driver_forget();
}

/* Dims that may be split are left alone; in a region that is manual over all axes nothing is. */
static void devices(void)
{
    static const char *const text[] = {
        "mesh \"data:2\"\n" HEAD FORWARD "return q, r, p\n}",
        "mesh \"data:2\"\nfn f(x f32[24,16], w f32[16,24]) {\n"
        "e = manual x, w {manual_axes=[data], in_shardings=[\"data, _\", \"_, _\"], out_shardings=[\"_, _\"], "
        "unchecked=true} "
        "(x f32[12,16], w f32[16,24]) {\n" FORWARD GRADS "s = add g, h\nk = add s, i\n"
        "e = psum k {axes=[data], unchecked=true}\nreturn e\n}\nreturn e\n}",
        "mesh \"data:2, model:2\"\nfn f(x f32[24,16], w f32[16,24]) {\n"
        "e = manual x, w {manual_axes=[data], in_shardings=[\"data, _\", \"_, _\"], out_shardings=[\"_, _\"], "
        "unchecked=true} "
        "(x f32[12,16], w f32[16,24]) {\n" FORWARD GRADS "s = add g, h\nk = add s, i\n"
        "e = psum k {axes=[data], unchecked=true}\nreturn e\n}\nreturn e\n}",
    };
    static const int want[] = { 3, 2, 6 };
    for (int i = 0; i < 3; i++) {
        base_arena *a = base_open();
        pipeline r = { .a = a };
        const ir_fn *t = ir_parse(a, "batches", text[i]), *f = t ? pass_simplify(a, t) : NULL;
        CHECK(f, "%s", pipeline_error());
        const ir_fn *g = f ? pass_merge_slices(a, f) : NULL, *h = g ? pass_simplify(a, g) : NULL;
        CHECK(h && ir_verify(h) && dots(a, h) == want[i], "%d products in\n%s", h ? dots(a, h) : 0,
              h ? ir_print(a, h) : pipeline_error());
        base_clear_error();
        if (f && !i && pipeline_open(&r, f)) {
            const mesh_layout *in[2] = { mesh_parse(NULL, f->mesh, 2, "data, _") };
            pipeline_run(&r, "cut", in, &(driver_opts){ .in = in }, 0);
        }
        base_close(a);
    }
    driver_forget();
}

/* A sum of very many addends is left as it is, on a small stack too. */
typedef struct { base_arena *a; const ir_fn *f, *g; } long_sum;
static void *pass_it(void *env)
{
    long_sum *w = env;
    w->g = pass_merge_slices(w->a, w->f);
    return NULL;
}

static void many_addends(void)
{
    enum { ADDENDS = 1 << 14, STACK = 256 << 10 };
    long_sum w = { .a = base_open() };
    ir_build *b = ir_begin(w.a, "f", NULL);
    const ir_id x = ir_arg(b, ir_type_of(TT_F32, 0, NULL));
    ir_id y = x;
    for (int i = 1; i < ADDENDS; i++) y = ir_emit(b, &prim_add, NULL, 2, (ir_id[]){ y, x }, 0, NULL);
    w.f = ir_end(b, 1, &y);
    pthread_attr_t small;
    pthread_t t;
    pthread_attr_init(&small), pthread_attr_setstacksize(&small, STACK);
    const bool runs = w.f && !pthread_create(&t, &small, pass_it, &w);
    CHECK(runs, "%s", pipeline_error());
    if (runs) pthread_join(t, NULL);
    CHECK(w.g && w.g == w.f, "a sum of %d addends was made anew", ADDENDS);
    pthread_attr_destroy(&small);
    base_close(w.a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (check_named("check"))
        for (size_t i = 0; i < sizeof list / sizeof *list; i++) check(&list[i]);
    CHECK_RUN(devices());
    CHECK_RUN(many_addends());
    return check_done();
}
