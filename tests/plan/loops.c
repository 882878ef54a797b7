/* Loops whose iterations write rows: random bodies against the evaluator, to the bit, and how many copies a plan has
 * left.
 *
 * A draw is a while over a counter with a carry and up to three stacks. Rows go in at the counter, from the last one
 * down, at a number that does not change, at one that data decide, beyond the ends; what goes in is made by the
 * iteration, is the carry's old content, a row of an operand, a row of the same stack before or after, what an inner
 * loop stacked, or what a branch chose. Stacks are also read, swapped, written twice, returned twice. Numbers are
 * integers. */
#include "api/pipeline.h"

static uint64_t state;
static unsigned pick(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

typedef struct { base_text t; int rows, width, nvec, nindex, next, inner; bool cases; } draw;

static int fresh(draw *d) { return d->next++; }

static void add(draw *d, int v)                          /* v is a vector now: the last of the pool */
{
    base_appendf(&d->t, "v%d = add y%d, y%d\n", d->nvec, v, v);
    d->nvec++;
}

static int vec(draw *d) { return (int)pick((unsigned)d->nvec); }
static int idx(draw *d) { return (int)pick((unsigned)d->nindex); }

static void compute(draw *d)
{
    static const char *const op[] = { "add", "sub", "mul", "max", "xor" };
    if (pick(6) == 0)
        base_appendf(&d->t, "v%d = dot_general w, v%d {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
                            "preferred_element_type=i32}\n",
            d->nvec,
                     vec(d));
    else base_appendf(&d->t, "v%d = %s v%d, v%d\n", d->nvec, op[pick(5)], vec(d), vec(d));
    d->nvec++;
}

/* a row of stack `from` as another vector of the pool */
static void read_row(draw *d, const char *from)
{
    const int k = fresh(d);
    base_appendf(&d->t, "x%d = dynamic_slice %s, i%d, zero {slice_sizes=[1,%d]}\ny%d = reshape x%d {shape=[%d]}\n", k,
        from,
                 idx(d), d->width, k, k, d->width);
    add(d, k);
}

static void branch(draw *d)
{
    const int a = vec(d), b = vec(d), m = d->width;
    base_appendf(&d->t, "y%d = case i%d, v%d, v%d (p i32[%d], q i32[%d]) { r = add p, q; return r } "
                 "(p i32[%d], q i32[%d]) { return q } (p i32[%d], q i32[%d]) { r = mul p, p; return r }\n",
                 d->next, idx(d), a, b, m, m, m, m, m, m);
    add(d, fresh(d));
}

/* an inner loop that fills a stack of `inner` rows, of which one is read, and all of it as z%d */
static void nested(draw *d)
{
    const int k = fresh(d), m = d->width, v = vec(d);
    base_appendf(&d->t, "c%d, z%d = scan v%d, v%d, a {length=%d, num_consts=1, num_carry=1, reverse=%s} "
                 "(k i32[%d], c i32[%d], x i32[%d]) { p = mul c, k; q = sub p, x; return q, %s }\n",
                 k, k, vec(d), v, d->rows, pick(2) ? "true" : "false", m, m, m, pick(2) ? "q" : "c");
    d->inner = k;
    read_row(d, base_format(d->t.arena, "z%d", k));
}

static void stack(draw *d, int s, char *ret, size_t capacity)
{
    char from[32];
    int times = 1 + (pick(8) == 0);
    snprintf(from, sizeof from, "s%d", s);
    if (pick(5) == 0) read_row(d, from);
    if (pick(12) == 0) times = 0;
    while (times-- > 0) {
        const int k = fresh(d), v = pick(4) ? vec(d) : 0;
        base_appendf(&d->t, "u%d = reshape v%d {shape=[1,%d]}\n", k, v, d->width);
        base_appendf(&d->t, "p%d = dynamic_update_slice %s, u%d, i%d, zero\n", k, from, k, idx(d));
        snprintf(from, sizeof from, "p%d", k);
        if (pick(6) == 0) read_row(d, from);
    }
    if (d->inner >= 0 && pick(4) == 0) snprintf(from, sizeof from, "z%d", d->inner);
    snprintf(ret, capacity, "%s", from);
}

static void body(draw *d, int nstack, char ret[4][32])
{
    base_appendf(&d->t, "zero = const {dtype=i32, shape=[], splat=true, data=0}\n"
                 "one = const {dtype=i32, shape=[], splat=true, data=1}\n"
                 "last = const {dtype=i32, shape=[], splat=true, data=%d}\n"
                 "far = const {dtype=i32, shape=[], splat=true, data=%d}\nn2 = add n, one\n"
                 "i0 = add n, zero\ni1 = sub last, n\ni2 = add far, zero\ni3 = sub n, one\n"
                 "e0 = slice v0 {start_indices=[0], limit_indices=[1], strides=[1]}\ni4 = reshape e0 {shape=[]}\n",
                 d->rows - 1, pick(3) ? (int)pick((unsigned)d->rows) : 99);
    base_appendf(&d->t, "v1 = add v0, v0\n");
    d->nvec = 2, d->nindex = 5, d->inner = -1;
    for (int n = 1 + (int)pick(4); n > 0; n--)
        switch (pick(6)) {
        case 0: read_row(d, "a"); break;
        case 1: if (d->cases) branch(d); break;
        case 2: nested(d); break;
        default: compute(d);
        }
    for (int s = 0; s < nstack; s++) stack(d, s, ret[s], 32);
    compute(d);
    if (nstack > 1 && pick(8) == 0) {
        char t[32];
        memcpy(t, ret[0], sizeof t), memcpy(ret[0], ret[1], sizeof t), memcpy(ret[1], t, sizeof t);
    }
    if (nstack > 1 && pick(10) == 0) memcpy(ret[1], ret[0], sizeof ret[0]);
}

static const char *program(base_arena *a, uint64_t seed)
{
    static const int width[] = { 1, 3, 16, 24 };
    state = seed * 0x9E3779B97F4A7C15u + 1;
    draw d = { .t = { .arena = a }, .rows = 1 + (int)pick(4), .width = width[pick(4)], .cases = pick(2) };
    const int nstack = 1 + (int)pick(3), m = d.width, turns = pick(4) ? d.rows : (int)pick(6), zeros = (int)pick(8);
    char ret[4][32], types[256] = "", start[128] = "", names[128] = "";
    base_appendf(&d.t, "mesh \"data:2\"\nfn loop_%llu(a i32[%d,%d], h i32[%d], w i32[%d,%d]", (unsigned long long)seed,
                 d.rows, m, m, m, m);
    for (int s = 0; s < nstack; s++) base_appendf(&d.t, ", b%d i32[%d,%d]", s, d.rows, m);
    base_appendf(&d.t, ") {\nempty = const {dtype=i32, shape=[%d,%d], splat=true, data=0}\n"
                 "begin = const {dtype=i32, shape=[], splat=true, data=0}\nm, g, aa, ww", d.rows, m);
    for (int s = 0; s < nstack; s++) {
        base_appendf(&d.t, ", r%d", s);
        snprintf(types + strlen(types), sizeof types - strlen(types), ", s%d i32[%d,%d]", s, d.rows, m);
        snprintf(start + strlen(start), sizeof start - strlen(start), zeros >> s & 1 ? ", empty" : ", b%d", s);
        snprintf(names + strlen(names), sizeof names - strlen(names), ", r%d", s);
    }
    base_appendf(&d.t, " = while begin, h, a, w%s ", start);
    const char *args = base_format(a, "(n i32[], v0 i32[%d], a i32[%d,%d], w i32[%d,%d]%s)", m, d.rows, m, m, m, types);
    base_appendf(&d.t, "%s {\nend = const {dtype=i32, shape=[], splat=true, data=%d}\ngo = compare n, end "
        "{comparison_direction=lt}\n"
                 "return go\n} %s {\n", args, turns, args);
    body(&d, nstack, ret);
    const int h = pick(5) ? d.nvec - 1 : vec(&d);
    base_appendf(&d.t, "return n2, v%d, a, w", h);
    for (int s = 0; s < nstack; s++) base_appendf(&d.t, ", %s", ret[s]);
    base_appendf(&d.t, "\n}\nsum = add r0, %s\nreturn g, sum%s\n}", pick(2) ? "b0" : "a", names);
    return d.t.s;
}

/* Runs it on arguments laid out so, which it may keep if `donate`, and compares to the bit. */
static void run(pipeline *r, const char *what, const mesh_layout *const *in, bool donate)
{
    run_array *x[PIPELINE_MOST] = { 0 }, *y[PIPELINE_MOST] = { 0 };
    const ir_fn *f = r->fn;
    bool all[PIPELINE_MOST];
    for (uint32_t i = 0; i < f->narg; i++) {
        x[i] = run_array_of(pipeline_plain(f->type[1 + i]), in ? in[i] : NULL, r->in[i]);
        all[i] = donate;
    }
    const driver_opts o = { .in = in, .donate = all };
    const bool ok = driver_run(f, &o, x, donate ? all : NULL, y);
    CHECK(ok, "%s: %s", what, pipeline_error());
    for (uint32_t j = 0; ok && j < f->nret; j++) {
        const ir_type *t = pipeline_plain(f->type[f->ret[j]]);
        void *got = base_new(r->a, (size_t)ir_bytes(t) + 16);
        CHECK(run_read(y[j], NULL, NULL, got), "%s: %s", what, pipeline_error());
        const bool same = !memcmp(got, r->want[j], (size_t)ir_bytes(t));
        CHECK(same, "%s: result %u differs%s", what, j, donate ? ", donated" : "");
    }
    for (uint32_t i = 0; i < f->narg; i++) if (!ok || !donate) run_drop(x[i]);
    for (uint32_t j = 0; ok && j < f->nret; j++) run_drop(y[j]);
    base_clear_error();
}

static void whole(base_arena *a, const char *name, const char *text, bool say)
{
    if (say) printf("%s\n", text);
    const int before = check_failed;
    const ir_fn *f = ir_parse(a, "loops", text);
    CHECK(f, "%s\n%s", pipeline_error(), text);
    pipeline r = { .a = a };
    driver_lowered view;
    if (f && say && driver_lower(a, f, &(driver_opts){ 0 }, true, &view)) printf("%s\n", run_plan_text(a, view.plan));
    if (f && pipeline_open(&r, f)) {
        const mesh_layout *in[PIPELINE_MOST] = { 0 };
        for (uint32_t i = 0; i < f->narg; i++) {
            const int rank = f->type[1 + i]->rank;
            const char *spec = rank == 1 ? "data" : pick(3) ? "_, data" : "data, _";
            in[i] = pick(2) && rank ? mesh_parse(NULL, f->mesh, rank, spec) : NULL;
        }
        run(&r, "one device", NULL, false);
        run(&r, "one device", NULL, true);
        run(&r, "two devices", in, pick(2));
    }
    if (check_failed != before) printf("%s:\n%s\n", name, text);
    driver_forget();
}

/* An iteration reads a row that only a later one writes: what the stack began with is wanted. */
static const char ahead[] =
    "mesh \"data:2\"\nfn ahead(b i32[4,16], h i32[16]) {\nbegin = const {dtype=i32, shape=[], splat=true, data=0}\n"
    "m, g, r = while begin, h, b (n i32[], h i32[16], s i32[4,16]) {\n"
    "end = const {dtype=i32, shape=[], splat=true, data=4}\ngo = compare n, end {comparison_direction=lt}\nreturn "
    "go\n} (n i32[], h i32[16], s i32[4,16]) {\nz = const {dtype=i32, shape=[], splat=true, data=0}\n"
    "one = const {dtype=i32, shape=[], splat=true, data=1}\nn2 = add n, one\nu = reshape h {shape=[1,16]}\n"
    "p = dynamic_update_slice s, u, n, z\nx = dynamic_slice p, n2, z {slice_sizes=[1,16]}\n"
    "y = reshape x {shape=[16]}\ng = sub y, h\nreturn n2, g, p\n}\nreturn g, r\n}";

/* ---- loops of scalars: one step each ---- */

#define NUM(name, type, value) name " = const {dtype=" type ", shape=[], splat=true, data=" value "}\n"
#define WHILE(args, test, turn) args " {\n" test "return go\n} " args " {\n" turn "}\n"

/* steps: of the plan. */
static void scalar(const char *name, const char *text, int64_t steps)
{
    base_arena *a = base_open();
    driver_lowered view;
    whole(a, name, text, false);
    const ir_fn *f = ir_parse(a, name, text);
    const bool ok = f && driver_lower(a, f, &(driver_opts){ 0 }, true, &view);
    CHECK(ok, "%s: %s", name, pipeline_error());
    const int64_t got = ok ? run_plan_counts(view.plan).steps : 0;
    CHECK(got == steps, "%s: %lld steps\n%s", name, (long long)got, ok ? run_plan_text(a, view.plan) : "");
    base_close(a);
}

static void scalars(void)
{
    scalar("collatz", "mesh \"data:2\"\nfn collatz(x i32[]) {\n" NUM("n", "i32", "0") NUM("s", "i32", "27")
           "m, y, t = while n, s, x " WHILE("(n i32[], s i32[], x i32[])", NUM("one", "i32", "1")
           "go = compare s, one {comparison_direction=gt}\n", NUM("one", "i32", "1") NUM("two", "i32", "2") NUM("z",
               "i32", "0")
           NUM("three", "i32", "3") "h = div s, two\nr = rem s, two\np = mul s, three\nq = add p, one\n"
           "even = compare r, z {comparison_direction=eq}\nt = select even, h, q\nn2 = add n, one\ny = xor x, t\n"
           "return n2, t, y\n") "return m, y, t\n}", 1);
    scalar("newton", "mesh \"data:2\"\nfn newton(x f32[], b bf16[], u u8[], d f64[]) {\n" NUM("n", "i32", "0")
           "m, y, c, v, e, x2 = while n, x, b, u, d, x "
           WHILE("(n i32[], y f32[], b bf16[], u u8[], d f64[], x f32[])", NUM("k", "i32", "1500")
           "go = compare n, k {comparison_direction=lt}\n", NUM("one", "i32", "1") NUM("half", "f32", "0.5")
           NUM("tiny", "f32", "1.5") NUM("q", "bf16", "0.75") NUM("w", "u8", "37") NUM("g", "f64", "0.99")
           "s = mul y, y\nz = add s, tiny\no = div x, z\np = add y, o\ny2 = mul p, half\nt = tanh y2\n"
           "b2 = mul b, q\nb3 = add b2, q\nu2 = add u, w\nd1 = sin d\nd2 = mul d1, g\nn2 = add n, one\n"
           "return n2, t, b3, u2, d2, x\n") "return m, y, c, v, e\n}", 1);
    scalar("never", "mesh \"data:2\"\nfn never(x f32[], p bool[]) {\n" "y, q = while x, p "
           WHILE("(x f32[], p bool[])", NUM("no", "bool", "false") "go = and p, no\n", "y = add x, x\nq = not p\n"
           "return y, q\n") "return y, q\n}", 1);
    /* near misses: too many carries; one that is no scalar; a loop in a loop, of which the inner one is a step */
    scalar("eight", "mesh \"data:2\"\nfn eight(x i32[]) {\n" NUM("n", "i32", "0")
           "a, b, c, d, e, f, g, h = while n, x, x, x, x, x, x, x "
           WHILE("(n i32[], a i32[], b i32[], c i32[], d i32[], e i32[], f i32[], g i32[])", NUM("k", "i32", "5")
           "go = compare n, k {comparison_direction=lt}\n", NUM("one", "i32", "1") "n2 = add n, one\nh = add a, g\n"
           "return n2, b, c, d, e, f, g, h\n") "return b, h\n}", 19);
    scalar("inner", "mesh \"data:2\"\nfn inner(x i32[], v i32[4]) {\n" NUM("n", "i32", "0")
           "m, y, w = while n, x, v " WHILE("(n i32[], y i32[], v i32[4])", NUM("k", "i32", "5")
           "go = compare n, k {comparison_direction=lt}\n", NUM("one", "i32", "1") "n2 = add n, one\n"
           "i, z = while n2, y " WHILE("(i i32[], z i32[])", NUM("k", "i32", "9")
                                       "go = compare i, k {comparison_direction=lt}\n",
           NUM("two", "i32", "2") "j = add i, two\nq = sub i, z\nreturn j, q\n")
           "s = broadcast_in_dim z {shape=[4], broadcast_dimensions=[]}\nu = add v, s\n"
           "return n2, z, u\n") "return y, w\n}", 9);
    base_arena *a = base_open();
    base_text t = { .arena = a };                        /* and more equations than a scalar program can have */
    base_appendf(&t, "mesh \"data:2\"\nfn many(x i32[]) {\n" NUM("n", "i32", "0")
                 "m, y = while n, x (n i32[], x0 i32[]) {\n" NUM("k", "i32", "3")
                 "go = compare n, k {comparison_direction=lt}\nreturn go\n} (n i32[], x0 i32[]) {\n"
                 NUM("one", "i32", "1") "n2 = add n, one\n");
    for (int i = 1; i <= 8100; i++) base_appendf(&t, "x%d = %s x%d, n2\n", i, i & 1 ? "add" : "xor", i - 1);
    base_appendf(&t, "return n2, x8100\n}\nreturn y\n}");
    whole(a, "many", t.s, false);
    base_close(a);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[DRAWS [FIRST [show]]]")) return check_done();
    const uint64_t draws = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (uint64_t k = first; k < first + draws; k++) {
        base_arena *a = base_open();
        const char *text = program(a, k);                /* arguments' layouts are drawn behind it */
        whole(a, base_format(a, "draw %llu", (unsigned long long)k), text, argc > 3);
        base_close(a);
    }
    base_arena *a = base_open();
    whole(a, "ahead", ahead, argc > 3);
    base_close(a);
    scalars();
    return check_done();
}
