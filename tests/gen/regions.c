/* regions.c - reductions, windows and scatters by regions of their own, on lanes, equal the reference to the bit:
 * random regions of one to three operands of any types, random shapes, pads, strides and dilations, on boxes that the
 * rules allow, in memory of any layout, split among jobs; by the interpreter's loops of every instruction set, and by
 * compiled loops. usage: gen_regions [rounds] */
#include "api/kernel_boxes.h"
#include "gen/region/region.h"

static int kernels;

static void try_text(const char *text, bool must)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_case(a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    const ir_eqn *e = f ? &f->eqn[f->neqn - 1] : NULL;
    op_rule *rule;
    run_kernel k = { 0 };
    if (e && op_rule_of(e, &rule)) {
        ir_id out[REGION_MOST];
        for (uint32_t j = 0; j < e->nout; j++) out[j] = e->out + j;
        const gen_group g = { 1, &e, e->nin, e->nout, e->in, out, false };
        const char *why = gen_region.refuses(&g);
        CHECK(!must || !why, "%s: refused: %s", text, why);
        const bool made = !why && gen_region.make(a, &g, &k);
        CHECK(made || why, "%s: no kernel: %s", text, made || why ? "" : prop_error());
        for (int t = 0; made && t < 5; t++) try_box(a, text, e, rule, &k, t);
        kernels += made;
    }
    base_close(a);
}

/* ---- random regions ---- */

static const char *const any_type[] = { "f32", "i32", "bf16", "f64", "i8", "u16", "i64", "f16", "u8", "u32",
    "f8E5M2", "i4" };

static const char *one_of(const char *const *list, size_t n) { return list[prop_below((int64_t)n)]; }
#define ONE_OF(list) one_of(list, sizeof list / sizeof *list)

/* (a0 T0, a1 T1, .., b0 T0, ..) { .. return .. }: every result a few equations deep, of all that has its type. */
static const char *region_text(base_arena *a, int n, const char *const *type)
{
    static const char *const binary[] = { "add", "mul", "sub", "max", "min" };
    base_text t = { .arena = a };
    base_appendf(&t, "(");
    for (int i = 0; i < 2 * n; i++) base_appendf(&t, "%s%c%d %s", i ? ", " : "", i < n ? 'a' : 'b', i % n, type[i % n]);
    base_appendf(&t, ") { ");
    for (int i = 0; i < n; i++) {
        base_appendf(&t, "c%d = %s a%d, b%d; ", i, ONE_OF(binary), i, i);
        base_appendf(&t, "p%d = compare a%d, b%d {comparison_direction=%s}; ", i, i, i, prop_below(2) ? "lt" : "ge");
    }
    for (int i = 0; i < n; i++) {
        const int p = (int)prop_below(n);                /* operands decide for each other */
        base_appendf(&t, "d%d = %s c%d, %c%d; ", i, ONE_OF(binary), i, prop_below(2) ? 'a' : 'b', i);
        base_appendf(&t, "r%d = select p%d, %s%d, %s%d; ", i, p, prop_below(2) ? "d" : "a", i,
            prop_below(2) ? "b" : "c",
                     i);
    }
    base_appendf(&t, "return ");
    for (int i = 0; i < n; i++) base_appendf(&t, "%s%s%d", i ? ", " : "", prop_below(6) ? "r" : "d", i);
    base_appendf(&t, " }");
    return t.s;
}

static const char *list_text(base_arena *a, int n, const int64_t *v)
{
    base_text t = { .arena = a };
    for (int i = 0; i < n; i++) base_appendf(&t, "%s%lld", i ? "," : "", (long long)v[i]);
    return n ? t.s : "";
}

/* "f32[..], i32[..], 1:f32, 1:i32" */
static const char *operands_text(base_arena *a, int n, const char *const *type, const char *dims)
{
    base_text t = { .arena = a };
    for (int i = 0; i < n; i++) base_appendf(&t, "%s%s[%s]", i ? ", " : "", type[i], dims);
    for (int i = 0; i < n; i++) base_appendf(&t, ", %d:%s", (int)prop_below(3), type[i]);
    return t.s;
}

static void random_fold(bool window)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 8, 17, 64, 70 };
    base_arena *a = base_open();
    const int n = 1 + (int)prop_below(3), rank = (int)prop_below(window ? 3 : 4) + window;
    const char *type[3] = { ONE_OF(any_type), ONE_OF(any_type), ONE_OF(any_type) };
    int64_t dim[4], reduced[4], v[6][4], nreduced = 0, capacity = 6000, taps = 1;
    for (int d = 0; d < rank; d++) {
        do dim[d] = sizes[prop_below(8)]; while (dim[d] > capacity);
        if (!prop_below(20)) dim[d] = 0;
        capacity /= dim[d] ? dim[d] : 1;
        /* not parted: see below */
        if (prop_below(2) && taps * dim[d] < 1000) reduced[nreduced++] = d, taps *= dim[d] ? dim[d] : 1;
        const bool alone = prop_below(3) == 0;
        v[0][d] = alone ? 1 : 1 + prop_below(3), v[1][d] = alone ? 1 : 1 + prop_below(2);
        v[2][d] = alone || prop_below(2) ? 1 : 1 + prop_below(3), v[3][d] = 1 + prop_below(2);
        v[4][d] = alone ? 0 : prop_below(5) - 1, v[5][d] = alone ? 0 : prop_below(5) - 1;
    }
    base_text t = { .arena = a };
    base_appendf(&t, "%s %s ", window ? "reduce_window" : "reduce", operands_text(a, n, type, list_text(a, rank, dim)));
    if (window)
        base_appendf(&t, "{window_dimensions=[%s], window_strides=[%s], base_dilations=[%s], window_dilations=[%s], "
                         "padding_low=[%s], padding_high=[%s]} ",
                     list_text(a, rank, v[0]), list_text(a, rank, v[1]), list_text(a, rank, v[2]),
                         list_text(a, rank, v[3]),
                     list_text(a, rank, v[4]), list_text(a, rank, v[5]));
    else base_appendf(&t, "{dimensions=[%s]} ", list_text(a, (int)nreduced, reduced));
    base_appendf(&t, "%s", region_text(a, n, type));
    try_text(t.s, true);
    base_close(a);
}

static void random_scatter(void)
{
    static const char *const form[] = { /* indices that meet often; windows behind and before; batches */
        "%s[5,3], i32[40,1], %s[40,3] {update_window_dims=[1], inserted_window_dims=[0], "
        "scatter_dims_to_operand_dims=[0], index_vector_dim=1}",
        "%s[7], i64[90], %s[90] {inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1}",
        "%s[6,80], u8[9,2], %s[9,2,70] {update_window_dims=[1,2], scatter_dims_to_operand_dims=[0,1], "
        "index_vector_dim=1}",
        "%s[4,6], i64[2,3], %s[2,3,1] {update_window_dims=[0,2], scatter_dims_to_operand_dims=[1,0], "
        "index_vector_dim=0}",
        "%s[3,5,2], i32[3,6,1], %s[3,6,2] {update_window_dims=[2], inserted_window_dims=[1], input_batching_dims=[0], "
        "scatter_indices_batching_dims=[0], scatter_dims_to_operand_dims=[1], index_vector_dim=2}" };
    base_arena *a = base_open();
    const char *const type = ONE_OF(any_type), *const f = ONE_OF(form), *second = strstr(strstr(f, "%s") + 2, "%s");
    const char *const region = region_text(a, 1, &type);
    try_text(base_format(a, "scatter %s%.*s%s%s %s", type, (int)(second - f - 2), f + 2, type, second + 2, region),
             true);
    base_close(a);
}

static void random_select(void)
{
    base_arena *a = base_open();
    const char *const type = ONE_OF(any_type), *const way = prop_below(2) ? "lt" : "gt";
    const char *const select = base_format(a, "(a %s, b %s) { c = mul a, a; d = mul b, b; p = compare c, d "
                                              "{comparison_direction=%s}; return p }",
                                           type, type, way);
    const char *const windows = "{window_dimensions=[2,3], window_strides=[1,2], base_dilations=[1,1], "
                                /* of [9, 70]: 9, 35 */
                                "window_dilations=[1,2], padding_low=[1,2], padding_high=[0,2]}";
    try_text(base_format(a, "select_and_scatter %s[9,70], %s[9,35], 1:%s %s %s %s", type, type, type, windows, select,
                         region_text(a, 1, &type)), true);
    try_text(base_format(a, "select_and_gather %s[9,70], %s[9,70] %s %s", type, type, windows, select), true);
    base_close(a);
}

/* Orders with ties, by one operand or both; "le" turns equal elements around, in both alike. */
static void random_sort(void)
{
    static const char *const size[] = { "1", "2", "3,40", "5,2,9", "64", "65", "130", "700", "300,2", "2,129,3",
                                        "5,3000" };
    base_arena *a = base_open();
    static const char *const whole[] = { "i32", "u8", "i64" }; /* NaN has no place; long lines' merges are split */
    const int at = (int)prop_below((int64_t)(sizeof size / sizeof *size));
    const char *const s = size[at], *const x = at < 4 ? ONE_OF(any_type) : ONE_OF(whole);
    const char *const y = at < 4 ? ONE_OF(any_type) : ONE_OF(whole);
    const bool by_both = prop_below(2), up = prop_below(2);
    int rank = 1;
    for (const char *p = s; *p; p++) rank += *p == ',';
    const char *const region = by_both
        ? base_format(a, "(a %s, b %s, c %s, d %s) { e = mul a, a; f = mul b, b; p = compare e, "
                         "f {comparison_direction=%s}; "
                         "q = compare e, f {comparison_direction=eq}; r = compare c, d {comparison_direction=%s}; "
                         "t = and q, r; "
                         "u = or p, t; return u }",
                      x, x, y, y, up ? "lt" : "gt", up ? "gt" : "lt")
        : base_format(a, "(a %s, b %s, c %s, d %s) { p = compare a, b {comparison_direction=%s}; return p }", x, x, y,
                      y,
                      up ? "le" : "gt");
    const int dim = (int)prop_below(rank);
    try_text(base_format(a, "sort_by %s[%s], %s[%s] {dimension=%d} %s", x, s, y, s, dim, region), true);
    base_close(a);
}

/* Few results of many elements, by regions that are associative and do not commute: parts joined in order are the
 * whole. */
#define AFFINE "(a i32, b i32, c i32, d i32) { p = mul a, c; q = mul b, c; r = add q, d; return p, r }"
#define CIRCLE(t) "(a " t ", b " t ") { p = mul a, b; q = add a, b; r = add p, q; return r }"
static const char *const parted[] = {
    "reduce i32[5000], 3 {dimensions=[0]} " CIRCLE("i32"),
    "reduce u8[3,7,1111], 1 {dimensions=[1,2]} " CIRCLE("u8"),
    "reduce i64[2100,5], 2 {dimensions=[0]} (a i64, b i64) { r = max b, b; return r }",
    "reduce i32[3000], i32[3000], 2, 3 {dimensions=[0]} " AFFINE,
    "reduce i32[2,9,701], i32[2,9,701], 1, 0 {dimensions=[0,2]} " AFFINE,
    "reduce i32[40,3,40], i32[40,3,40], 1, 7 {dimensions=[0,2]} " AFFINE,
};

static void random_part(void) { try_text(parted[prop_below(sizeof parted / sizeof *parted)], true); }

static void draw(int64_t rounds)
{
    for (int64_t i = 0; i < rounds; i++) {
        random_fold(false), random_fold(true);
        if (i % 2) random_scatter(), random_select(), random_sort();
        if (i % 8 == 0) random_part();
    }
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[ROUNDS]")) return check_done();
    static const char *const isa[] = { "isa:base", "isa:avx2", "isa:avx512" };
    const int64_t rounds = argc > 1 ? strtoll(argv[1], NULL, 10) : 24;
    boxes_slack = 0;
    if (getenv("PROP_SEED")) prop_state += (uint64_t)strtoll(getenv("PROP_SEED"), NULL, 10) * 0x9E3779B97F4A7C15u;
    for (int s = 0; s < 3; s++) {
        base_switches(NULL, isa[s]);
        for (size_t i = 0; i < sizeof parted / sizeof *parted; i++)
            if (check_turn(i + (size_t)s)) try_text(parted[i], true);
        draw(rounds);
    }
    base_switches(NULL, "llvm:now,no-cache");
    draw(rounds / 4);
    CHECK(kernels > (int)rounds, "%d kernels", kernels);
    return check_done();
}
