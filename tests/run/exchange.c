/* exchange.c - box exchanges equal slicing the global array: between any two layouts of small meshes, uneven dims
 * and empty parts included; between meshes; reading boxes; partial sums in order; permutations; local views. */
#include "check.h"
#include "run/inner.h"

#include <stdlib.h>

static uint64_t seed = 1;
static uint32_t rnd(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* True if every instance holds its part of the global elements (number = index). */
static bool holds(const run_array *a, const int32_t *global)
{
    const ir_type *t = run_type(a);
    const ir_box all = ir_box_dense((void *)global, t);
    for (int64_t i = 0; i < run_instances(a); i++) {
        const ir_box b = run_box(a, i);
        int64_t at[IR_RANK];
        for (bool more = ir_first(&b, at); more; more = ir_next(&b, at))
            if (ir_load(&b, at).i != ir_load(&all, at).i) return false;
    }
    return true;
}

/* All ways to lay atoms on the dims of a value: atom a is nowhere, or on one dim. */
static int layouts(const mesh *m, int rank, const mesh_layout **out, int capacity)
{
    int n = 1, made = 0;
    for (int a = 0; a < m->natom; a++) n *= rank + 1;
    for (int k = 0; k < n && made < capacity; k++) {
        mesh_list dims[IR_RANK] = { 0 };
        for (int a = 0, r = k; a < m->natom; a++, r /= rank + 1)
            if (r % (rank + 1)) dims[r % (rank + 1) - 1] = mesh_list_push(dims[r % (rank + 1) - 1], a);
        out[made++] = mesh_layout_dims(m, rank, dims);
    }
    return made;
}

/* Every layout on one mesh to every layout on another, or the same. */
static void moves(const mesh *m, const mesh *to, int rank, const int64_t *dim)
{
    enum { ROOM = 64 };
    const mesh_layout *l[ROOM], *k[ROOM];
    const int n = layouts(m, rank, l, ROOM), nk = layouts(to, rank, k, ROOM);
    base_arena *text = base_open();
    const ir_type *t = ir_type_of(TT_I32, rank, dim);
    int32_t *host = calloc((size_t)ir_count(t) + 1, 4), *back = calloc((size_t)ir_count(t) + 1, 4);
    for (int64_t i = 0; i < ir_count(t); i++) host[i] = (int32_t)i * 7 + 1;
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        run_array *a = run_array_of(t, l[i], host);
        good = a && holds(a, host);
        for (int j = 0; j < nk && good; j++) {
            run_array *b = run_move(a, NULL, k[j]);
            memset(back, 0, (size_t)ir_count(t) * 4);
            good = b && holds(b, host) && run_read(b, NULL, NULL, back) && !memcmp(host, back, (size_t)ir_count(t) * 4);
            if (!good) printf("  from layout %d to %d\n", i, j);
            run_drop(b);
        }
        run_drop(a);
    }
    CHECK(good, "%s to %s, rank %d, %lld", mesh_text(text, m), mesh_text(text, to), rank, rank ? (long long)dim[0] : 0);
    free(host);
    free(back);
    base_close(text);
}

static void pairs(const char *mesh_text_, int rank, const int64_t *dim)
{
    moves(mesh_of(NULL, mesh_text_), mesh_of(NULL, mesh_text_), rank, dim);
}

/* The same devices under other axes and in other orders. */
static void same_devices(void)
{
    const int64_t turned[] = { 3, 1, 0, 2, 5, 4 };
    const mesh *four[] = { mesh_of(NULL, "a:4"), mesh_of(NULL, "a:2, b:2"), mesh_of(NULL, "b:2, c:1, a:2"),
                           mesh_ordered(NULL, "a:4", turned), mesh_ordered(NULL, "a:2, b:2", turned) };
    const mesh *six[] = { mesh_of(NULL, "a:6"), mesh_of(NULL, "a:2, b:3"), mesh_of(NULL, "b:3, a:2"),
                          mesh_ordered(NULL, "a:6", turned), mesh_ordered(NULL, "b:3, a:2", turned) };
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 2; k++) {
                const mesh *from = k ? six[i] : four[i], *to = k ? six[j] : four[j];
                moves(from, to, 1, (int64_t[]){ 5 });
                moves(from, to, 1, (int64_t[]){ 12 });
                moves(from, to, 2, (int64_t[]){ 5, 7 });
                moves(from, to, 2, (int64_t[]){ 0, 3 });
                moves(from, to, 3, (int64_t[]){ 1, 4, 3 });
            }
}

static void all_pairs(void)
{
    static const char *const meshes[] = { "a:2", "a:3", "a:2, b:2", "a:4", "a:2, b:3", "a:6" };
    for (int k = 0; k < 6; k++) {
        pairs(meshes[k], 0, NULL);
        for (int64_t d = 0; d < 9; d++) pairs(meshes[k], 1, &d);
        pairs(meshes[k], 2, (int64_t[]){ 5, 7 });
        pairs(meshes[k], 2, (int64_t[]){ 4, 1 });
        pairs(meshes[k], 2, (int64_t[]){ 0, 3 });
        pairs(meshes[k], 3, (int64_t[]){ 3, 4, 5 });
        pairs(meshes[k], 3, (int64_t[]){ 1, 2, 1 });
    }
}

static const mesh_layout *some_layout(const mesh *m, int rank)
{
    mesh_list dims[IR_RANK] = { 0 };
    for (int a = 0; a < m->natom; a++) {
        const uint32_t d = rnd((uint32_t)rank + 1);
        if (d < (uint32_t)rank) dims[d] = mesh_list_push(dims[d], a);
    }
    return mesh_layout_dims(m, rank, dims);
}

static void between_meshes(void)
{
    static const char *const meshes[] = { "a:2, b:4", "x:3", "q:12", "a:1, b:5, c:2", "z:1" };
    bool good = true;
    for (int k = 0; k < 400 && good; k++) {
        const int rank = (int)rnd(5);
        int64_t dim[5], lo[5], n[5];
        for (int d = 0; d < rank; d++) dim[d] = rnd(k % 5 ? 9 : 14);
        const ir_type *t = ir_type_of(TT_I32, rank, dim);
        int32_t *host = calloc((size_t)ir_count(t) + 1, 4), *back = calloc((size_t)ir_count(t) + 1, 4);
        for (int64_t i = 0; i < ir_count(t); i++) host[i] = (int32_t)rnd(1000000);
        run_array *a = run_array_of(t, rnd(4) ? some_layout(mesh_of(NULL, meshes[rnd(5)]), rank) : NULL, host);
        run_array *b = run_move(a, NULL, rnd(4) ? some_layout(mesh_of(NULL, meshes[rnd(5)]), rank) : NULL);
        good = holds(a, host) && holds(b, host);
        int64_t i[5];
        for (int d = 0; d < rank; d++) {
            lo[d] = dim[d] ? rnd((uint32_t)dim[d]) : 0;
            n[d] = dim[d] ? rnd((uint32_t)(dim[d] - lo[d]) + 1) : 0;
        }
        good = good && run_read(b, lo, n, back);
        const ir_box all = ir_box_dense(host, t), part = ir_box_of(back, TT_I32, rank, lo, n);
        for (bool more = ir_first(&part, i); more && good; more = ir_next(&part, i))
            good = ir_load(&all, i).i == ir_load(&part, i).i;
        run_drop(a);
        run_drop(b);
        free(host);
        free(back);
    }
    CHECK(good, "between meshes");
    run_array *a = run_array_of(ir_type_of(TT_I32, 1, (int64_t[]){ 4 }), NULL, NULL);
    int32_t x[4];
    CHECK(!run_read(a, (int64_t[]){ 2 }, (int64_t[]){ 3 }, x) && base_failed() && base_failed()->code == TT_EARG,
          "beyond");
    base_clear_error();
    CHECK(run_read(a, NULL, NULL, x) && !x[0] && !x[3], "zeros");
    run_drop(a);
}

/* ---- one exchange step as a plan ---- */

static run_value value_of(tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l, mesh_set vary,
                          run_space space, int64_t at)
{
    return (run_value){ .dtype = dtype, .rank = rank, .dim = dim, .layout = l, .vary = vary, .space = space, .at = at,
                        .bytes = run_bytes(dtype, rank, dim, l, NULL) };
}

typedef struct { base_arena *a; run_value v[4]; run_step s[2]; uint32_t arg[1], result[1]; run_plan p; } one;

/* in --step--> out; in and out may be seen through local values (v[2], v[3]). */
static run_array *run_one(one *o, const mesh *m, run_array *in)
{
    run_array *out = NULL;
    o->a = base_open();
    o->s[0].kind = RUN_EXCHANGE;
    o->s[0].name = base_intern("exchange");
    o->p = (run_plan){ .mesh = m, .nvalue = 4, .narg = 1, .nresult = 1, .value = o->v, .arg = o->arg,
        .result = o->result,
                       .body = { 1, o->s } };
    o->arg[0] = 0;
    o->result[0] = 1;
    run_program *p = run_bind(o->a, &o->p);
    if (p) run_launch(p, &in, NULL, &out);
    else base_close(o->a);
    if (p) run_unbind(p);
    return out;
}

static double fold(mesh_reduce reduce, double a, double b)
{
    return reduce == MESH_SUM ? a + b : reduce == MESH_PROD ? a * b : reduce == MESH_MAX ? (a > b ? a : b) : a < b ? a
        : b;
}

/* Every device has its own x[n] (a local view of x[devices * n]); combined over `over`; what each gets is checked. */
static void collective(const char *mesh_txt, mesh_set over, mesh_reduce reduce, tt_dtype dtype, int64_t n)
{
    const mesh *m = mesh_of(NULL, mesh_txt);
    const int64_t devices = mesh_size(m), whole[1] = { devices * n }, local[1] = { n };
    const mesh_set all = (mesh_set)((1u << m->natom) - 1), rest = all & (mesh_set)~over;
    const ir_type *t = ir_type_of(dtype, 1, whole);
    char *host = calloc((size_t)whole[0] + 1, 16);
    const ir_box h = ir_box_dense(host, t);
    for (int64_t i = 0; i < whole[0]; i++) {
        const int64_t x = rnd(9) + 1;
        ir_store(&h, &i, ir_is_float(dtype) ? (ir_num){ .f = (double)x / 4 } : (ir_num){ .i = x });
    }
    const mesh_layout *l = mesh_layout_dims(m, 1, (mesh_list[]){ mesh_set_list(all) });
    const mesh_layout *l2 = mesh_layout_dims(m, 1, (mesh_list[]){ mesh_set_list(rest) });
    const int64_t out_dim[1] = { mesh_set_size(m, rest) * n };
    one o = { .v = { value_of(dtype, 1, whole, l, all, RUN_ARG, 0),
        value_of(dtype, 1, out_dim, l2, rest, RUN_RESULT, 0),
                     value_of(dtype, 1, local, NULL, all, RUN_ARG, 0),
                         value_of(dtype, 1, local, NULL, rest, RUN_RESULT, 0) } };
    o.s[0].exchange.from = 2;
    o.s[0].exchange.to = 3;
    o.s[0].exchange.route = (run_route){ .over = over, .reduce = reduce };
    run_array *in = run_array_of(t, l, host), *out = run_one(&o, m, in);
    CHECK(out != NULL, "%s: %s", mesh_txt, base_failed() ? base_failed()->what : "");
    bool good = out != NULL;
    for (int64_t k = 0; good && k < run_instances(out); k++) {
        const ir_box b = run_box(out, k);
        for (int64_t i = 0; i < n && good; i++) {
            uint32_t c[MESH_ATOMS] = { 0 };
            double want = 0;
            mesh_instance_coord(m, rest, k, c);
            for (int64_t q = 0; q < mesh_set_size(m, over); q++) {
                uint32_t c2[MESH_ATOMS] = { 0 };
                mesh_instance_coord(m, over, q, c2);
                for (int a = 0; a < MESH_ATOMS; a++) c2[a] |= c[a];
                const int64_t at = mesh_instance(m, all, c2) * n + i;
                const ir_num x = ir_load(&h, &at);
                const double y = ir_is_float(dtype) ? x.f : (double)x.i;
                want = q ? fold(reduce, want, y) : y;
            }
            const int64_t at = b.lo[0] + i;
            const ir_num got = ir_load(&b, &at);
            ir_box round = ir_box_of(&(double){ 0 }, dtype, 0, NULL, NULL);
            ir_store(&round, NULL, ir_is_float(dtype) ? (ir_num){ .f = want } : (ir_num){ .i = (int64_t)want });
            good = ir_load(&round, NULL).i == got.i;
        }
    }
    CHECK(good, "%s over %x, how %d, dtype %d, n %lld", mesh_txt, over, reduce, dtype, (long long)n);
    run_drop(in);
    run_drop(out);
    free(host);
}

static void collectives(void)
{
    static const tt_dtype types[] = { TT_F32, TT_BF16, TT_F16, TT_F64, TT_I32, TT_I8, TT_U16, TT_I64 };
    for (int how = MESH_SUM; how <= MESH_MIN; how++)
        for (int t = 0; t < 8; t++) {
            collective("a:2, b:3", 1, (mesh_reduce)how, types[t], 5);
            collective("a:2, b:3", 2, (mesh_reduce)how, types[t], 1);
            collective("a:2, b:3", 3, (mesh_reduce)how, types[t], how == MESH_SUM ? 70001 : 17);
            collective("a:4, b:2, c:1", 5, (mesh_reduce)how, types[t], 3);
        }
}

static void permute(void)
{
    const mesh *m = mesh_of(NULL, "a:4, b:2");
    const mesh_set all = (mesh_set)((1u << m->natom) - 1);
    const int64_t dim[1] = { 24 }, local[1] = { 3 };
    const mesh_layout *l = mesh_layout_dims(m, 1, (mesh_list[]){ mesh_set_list(all) });
    int32_t host[24], got[24];
    for (int i = 0; i < 24; i++) host[i] = i + 1;
    const uint32_t source[4] = { 2, ~0u, 1, 0 };
    one o = { .v = { value_of(TT_I32, 1, dim, l, all, RUN_ARG, 0), value_of(TT_I32, 1, dim, l, all, RUN_RESULT, 0),
                     value_of(TT_I32, 1, local, NULL, all, RUN_ARG, 0),
                         value_of(TT_I32, 1, local, NULL, all, RUN_RESULT, 0) } };
    o.s[0].exchange.from = 2;
    o.s[0].exchange.to = 3;
    o.s[0].exchange.route = (run_route){ .order = mesh_axis_list(m, base_intern("a")), .source = source };
    run_array *in = run_array_of(ir_type_of(TT_I32, 1, dim), l, host), *out = run_one(&o, m, in);
    run_read(out, NULL, NULL, got);
    bool good = true;
    for (int p = 0; p < 4; p++)
        for (int e = 0; e < 6; e++) good &= got[6 * p + e] == (source[p] == ~0u ? 0 : host[6 * (int)source[p] + e]);
    CHECK(good, "ppermute");
    run_drop(in);
    run_drop(out);
}

/* all_gather: the parts are seen as one global array; reduce_scatter: partial wholes, each takes its part of the
 * sum. */
static void gather_and_scatter(void)
{
    const mesh *m = mesh_of(NULL, "a:4");
    const mesh_set all = 3;
    const int64_t dim[2] = { 8, 3 }, stack[2] = { 32, 3 }, local[2] = { 8, 3 };
    const mesh_layout *rows = mesh_layout_dims(m, 2, (mesh_list[]){ mesh_set_list(all), 0 });
    float host[96], got[96];
    for (int i = 0; i < 96; i++) host[i] = (float)i;
    one o = { .v = { value_of(TT_F32, 2, stack, rows, all, RUN_ARG, 0),
        value_of(TT_F32, 2, dim, rows, all, RUN_RESULT, 0),
                     value_of(TT_F32, 2, local, NULL, all, RUN_ARG, 0),
                         value_of(TT_F32, 2, dim, rows, all, RUN_RESULT, 0) } };
    o.s[0] = (run_step){ .exchange = { 2, 3, { .over = all, .reduce = MESH_SUM }, false } };
    run_array *in = run_array_of(ir_type_of(TT_F32, 2, stack), rows, host), *out = run_one(&o, m, in);
    run_read(out, NULL, NULL, got);
    bool good = true;
    for (int i = 0; i < 24; i++) good &= got[i] == host[i] + host[24 + i] + host[48 + i] + host[72 + i];
    CHECK(good, "reduce_scatter");
    run_drop(out);
    one g = { .v = { value_of(TT_F32, 2, stack, rows, all, RUN_ARG, 0),
        value_of(TT_F32, 2, stack, NULL, 0, RUN_RESULT, 0) } };
    g.v[2] = g.v[3] = g.v[0];
    g.s[0] = (run_step){ .exchange = { 0, 1, { 0 }, false } };
    out = run_one(&g, m, in);
    run_read(out, NULL, NULL, got);
    CHECK(run_instances(out) == 1 && !memcmp(got, host, sizeof got), "all_gather");
    run_drop(out);
    run_drop(in);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(all_pairs());
    CHECK_RUN(same_devices());
    CHECK_RUN(between_meshes());
    CHECK_RUN(collectives());
    CHECK_RUN(permute());
    CHECK_RUN(gather_and_scatter());
    if (base_failed()) printf("left over: %s\n", base_failed()->what);
    run_pool_stop();
    run_trim();
    return check_done();
}
