/* dnn.c - the oneDNN plug-in against the primitives' references, bit for bit on whole numbers whose sums are exact:
 * products of many forms, convolutions forward and their two gradients as the primitive's transpose writes them, cut
 * boxes with uneven strides, blocks in any order. Skipped when the plug-in is not there. */
#include "check.h"
#include "gen/gen.h"
#include "api/layer.h"
#include "op/ops.h"

#include <stdlib.h>

static const gen_engine *dnn;
static int left;                                         /* boxes that it left to another engine */
static char said[512];
static uint32_t seed = 1;
static int rnd(int n) { seed = seed * 1664525u + 1013904223u; return (int)(seed >> 8) % n; }

static void listen(const char *line)
{
    left += strstr(line, "leaves") != NULL;
    snprintf(said, sizeof said, "%s", line);
}

typedef struct { int64_t lo[IR_RANK], n[IR_RANK]; } range;

/* A box in memory of its own: rows padded by `pad` elements per dim; whole numbers, or an unlikely one when it is a
 * result. */
static ir_box fresh(const ir_type *t, const range *r, int pad, bool result, void **memory)
{
    ir_box b = { .dtype = t->dtype, .rank = t->rank };
    int64_t step = 1, i[IR_RANK];
    for (int d = t->rank - 1; d >= 0; d--) {
        b.lo[d] = r ? r->lo[d] : 0;
        b.n[d] = r ? r->n[d] : t->dim[d];
        b.step[d] = step;
        step *= b.n[d] + (d == 0 ? 0 : pad);
    }
    b.at = *memory = calloc((size_t)step + 64, ir_dtype_of(t->dtype)->bytes);
    for (bool more = ir_first(&b, i); more; more = ir_next(&b, i)) ir_store(&b, i,
        (ir_num){ .f = result ? -77 : rnd(9) - 4 });
    return b;
}

static void run_kernel_on(const run_kernel *k, const ir_box *arg)
{
    const int64_t tiles = k->tiles ? k->tiles(k->self, arg) : 1, scratch = k->scratch ? k->scratch(k->self, arg) : 0;
    void *s = aligned_alloc(64, (size_t)(scratch + 63) / 64 * 64 + 64);
    void *shared = k->finish ? aligned_alloc(64, (size_t)(k->shared(k->self, arg) + 63) / 64 * 64 + 64) : NULL;
    for (int64_t t = tiles; t > 0;) {                    /* from the end, one or two at a time */
        const int64_t n = t > 1 && rnd(2) ? 2 : 1;
        k->code(k->self, &(run_job){ rnd(3), arg, t - n, n, s, shared, NULL, NULL });
        t -= n;
    }
    if (k->finish) k->finish(k->self, &(run_job){ rnd(3), arg, 0, 1, s, shared, NULL, NULL });
    free(s);
    free(shared);
}

static bool same(const ir_box *a, const ir_box *b)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(a, i); more; more = ir_next(a, i)) if (ir_load(a, i).f != ir_load(b, i).f) return false;
    return true;
}

/* Equation e on boxes with these ranges (NULL: all), rows padded. v: dnn must refuse the box, must
 * take it, or may do either. */
typedef enum { LEAVES, TAKES, EITHER } verdict;
static void check(const ir_eqn *e, const range *const r[3], int pad, verdict v, const char *what)
{
    base_arena *a = base_open();
    const ir_id in[2] = { e->in[0], e->in[1] }, out[1] = { e->out };
    const gen_group g = { 1, &e, 2, 1, in, out, false };
    run_kernel k;
    void *memory[4];
    const char *why = dnn->refuses(&g);
    CHECK(!why, "%s: %s", what, why);
    if (!why && dnn->make(a, &g, &k)) {
        ir_box arg[3];
        for (int t = 0; t < 3; t++) arg[t] = fresh(t < 2 ? IR_IN(e, t) : IR_OUT(e, 0), r[t], pad, t == 2, &memory[t]);
        const ir_box want = fresh(IR_OUT(e, 0), r[2], 0, true, &memory[3]);
        const int before = left;
        run_kernel_on(&k, arg);
        CHECK(v == EITHER || (left == before) == (v == TAKES), "%s: %s", what, v == TAKES ? said : "it was taken");
        CHECK(e->op->ref(e, arg, &want), "%s", what);
        CHECK(same(&arg[2], &want), "%s", what);
        for (int t = 0; t < 4; t++) free(memory[t]);
    }
    base_close(a);
}

static const range *const whole[3];

/* oneDNN 2 has bf16 where AVX-512 is; some later ones on newer processors without it. */
static verdict taken(tt_dtype t) { return t == TT_F32 || gen_isa_now() == GEN_AVX512 ? TAKES : EITHER; }

/* ---- products ---- */

static ir_fn *product(base_arena *a, tt_dtype t, tt_dtype result, int rx, const int64_t *x, int ry, const int64_t *y,
                      int nb, int64_t cx, int64_t cy)
{
    static const int64_t batch[] = { 0, 1 };
    ir_build *b = ir_begin(a, base_intern("product"), NULL);
    const ir_id p = ir_arg(b, ir_type_of(t, rx, x)), q = ir_arg(b, ir_type_of(t, ry, y));
    const op_dot_attr d = { { nb, batch }, { nb, batch }, { 1, &cx }, { 1, &cy }, result, OP_DEFAULT };
    const ir_id z = op_dot(b, p, q, &d);
    return ir_end(b, 1, &z);
}

static void products(void)
{
    static const struct { int rx; int64_t x[4]; int ry; int64_t y[4]; int nb; int64_t cx, cy; const char *what;
        } list[] = {
        { 2, { 96, 80 }, 2, { 80, 72 }, 0, 1, 0, "x w" },
        { 2, { 96, 80 }, 2, { 72, 80 }, 0, 1, 1, "x w^T" },
        { 2, { 80, 96 }, 2, { 80, 72 }, 0, 0, 0, "x^T w" },
        { 2, { 80, 96 }, 2, { 72, 80 }, 0, 0, 1, "x^T w^T" },
        { 2, { 300, 64 }, 2, { 64, 48 }, 0, 1, 0, "packed" },
        { 2, { 1031, 96 }, 2, { 96, 64 }, 0, 1, 0, "rows in blocks" },
        { 2, { 64, 96 }, 2, { 96, 1031 }, 0, 1, 0, "columns in blocks" },
        { 3, { 4, 40, 48 }, 3, { 4, 48, 56 }, 1, 2, 1, "batch" },
        { 3, { 4, 40, 48 }, 3, { 4, 56, 48 }, 1, 2, 2, "batch, transposed" },
        { 4, { 2, 3, 32, 48 }, 4, { 2, 3, 48, 40 }, 2, 3, 2, "two batch dims" },
        { 3, { 6, 32, 48 }, 2, { 48, 40 }, 0, 2, 0, "two rows dims" },
        { 2, { 97, 83 }, 2, { 83, 71 }, 0, 1, 0, "odd" },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int t = 0; t < 3; t++) {
            base_arena *a = base_open();
            const ir_fn *f = product(a, t ? TT_BF16 : TT_F32, t == 2 ? TT_BF16 : TT_F32, list[i].rx, list[i].x,
                                     list[i].ry, list[i].y, list[i].nb, list[i].cx, list[i].cy);
            check(&f->eqn[0], whole, 0, taken(t ? TT_BF16 : TT_F32), list[i].what);
            base_close(a);
        }
}

static void cut_products(void)
{
    base_arena *a = base_open();
    const ir_fn *f = product(a, TT_F32, TT_F32, 2, (int64_t[]){ 200, 150 }, 2, (int64_t[]){ 150, 130 }, 0, 1, 0);
    const range rows = { { 60, 0 }, { 67, 150 } }, out = { { 60, 0 }, { 67, 130 } },
        columns = { { 0, 30 }, { 150, 51 } };
    const range corner = { { 60, 30 }, { 67, 51 } }, k1 = { { 0, 40 }, { 200, 60 } }, k2 = { { 40, 0 }, { 60, 130 } };
    check(&f->eqn[0], (const range *const[]){ &rows, NULL, &out }, 3, TAKES, "rows cut, rows padded");
    check(&f->eqn[0], (const range *const[]){ NULL, NULL, &out }, 0, TAKES, "the operand holds more rows");
    check(&f->eqn[0], (const range *const[]){ &rows, &columns, &corner }, 5, TAKES, "rows and columns");
    check(&f->eqn[0], (const range *const[]){ &k1, &k2, NULL }, 1, TAKES, "a part of the sum");
    check(&f->eqn[0], (const range *const[]){ &k1, NULL, NULL }, 0, TAKES, "a part of the sum, the other whole");
    const range thin = { { 60, 0 }, { 3, 150 } }, thin_out = { { 60, 0 }, { 3, 130 } };
    check(&f->eqn[0], (const range *const[]){ &thin, NULL, &thin_out }, 0, LEAVES, "three rows");
    const ir_fn *h = product(a, TT_F32, TT_F32, 3, (int64_t[]){ 6, 32, 48 }, 2, (int64_t[]){ 48, 40 }, 0, 2, 0);
    check(&h->eqn[0], whole, 2, LEAVES, "rows that are two dims");
    base_close(a);
}

/* ---- convolutions ---- */

static void convolutions(void)
{
    static const layer list[] = {
        { "a large batch", 130, 8, 16, 1, 2, { 8, 8 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 0 } },
        { "3x3 same", 4, 16, 32, 1, 2, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 0 } },
        { "one channel", 8, 1, 32, 1, 2, { 28, 28 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 0 } },
        { "6x6 stride 2", 4, 12, 24, 1, 2, { 18, 18 }, { 6, 6 }, { 2, 2 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0 }, { 0 } },
        { "stride 2 same, uneven padding", 4, 24, 32, 1, 2, { 14, 14 }, { 5, 5 }, { 2, 2 }, { 1, 1 },
            { 2, 2 }, { 1, 1 }, { 0 }, { 0 } },
        { "valid", 4, 16, 16, 1, 2, { 15, 13 }, { 3, 5 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 0 }, { 0 } },
        { "stride 3, rows left over", 4, 16, 48, 1, 2, { 17, 17 }, { 3, 3 }, { 3, 3 }, { 0, 0 }, { 0, 0 }, { 1, 1 },
            { 0 }, { 0 } },
        { "window dilated", 4, 16, 32, 1, 2, { 16, 16 }, { 3, 3 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 2, 2 },
            { 0 }, { 0 } },
        { "1x1", 8, 64, 48, 1, 2, { 10, 10 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 0 }, { 0 } },
        { "one spatial dim", 8, 32, 32, 1, 1, { 100 }, { 5 }, { 1 }, { 2 }, { 2 }, { 1 }, { 0 }, { 0 } },
        { "two groups", 4, 16, 32, 2, 2, { 14, 14 }, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 0 } },
        { "a group per channel", 4, 32, 32, 32, 2, { 28, 28 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
            { 0 }, { 0 } },
        { "three spatial dims", 2, 8, 16, 1, 3, { 8, 9, 10 }, { 3, 3, 3 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 },
            { 1, 1, 1 }, { 0 }, { 0 } },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int t = 0; t < 3; t++) {                    /* f32, bf16, and f32 of some side by side */
            const tt_dtype type = t == 1 ? TT_BF16 : TT_F32;
            const int64_t many = t == 2 ? 2 : 0;
            if (many && i != 1 && i != 4) continue;
            base_arena *a = base_open();
            const ir_fn *f = layer_fn(a, &list[i], many, type, NULL);
            f = f ? layer_fn(a, &list[i], many, type, IR_OUT(&f->eqn[0], 0)) : NULL;
            CHECK(f != NULL, "%s: %s", list[i].what, base_failed() ? base_failed()->what : "");
            for (uint32_t q = 0, part = 0; f && q < f->neqn; q++)
                if (f->eqn[q].op == &prim_convolution) {
                    static const char *const parts[] = { "forward", "to the input", "to the weights" };
                    static const char *const kinds[] = { "f32", "bf16", "two side by side" };
                    char what[128];
                    snprintf(what, sizeof what, "%s, %s, %s", list[i].what, parts[part++], kinds[t]);
                    check(&f->eqn[q], whole, 0, list[i].g > 1 ? EITHER : taken(type), what);
                }
            base_close(a);
        }
}

static void cut_convolutions(void)
{
    const layer l = { "", 37, 8, 16, 1, 2, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 0 } };
    base_arena *a = base_open();
    const ir_fn *f = layer_fn(a, &l, 0, TT_F32, NULL);
    const range x = { { 9, 0, 0, 0 }, { 10, 14, 14, 8 } }, y = { { 9, 0, 0, 0 }, { 10, 14, 14, 16 } };
    check(&f->eqn[0], (const range *const[]){ &x, NULL, &y }, 0, TAKES, "batch cut");
    check(&f->eqn[0], (const range *const[]){ NULL, NULL, &y }, 0, TAKES, "the operand holds more of the batch");
    const range half = { { 0, 4, 0, 0 }, { 37, 5, 14, 16 } };
    check(&f->eqn[0], (const range *const[]){ NULL, NULL, &half }, 0, LEAVES, "rows of the picture cut");
    const layer many = { "", 8, 16, 32, 1, 2, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
        { 0 }, { 0 } };
    const ir_fn *m = layer_fn(a, &many, 5, TT_F32, NULL);
    const range some = { { 1, 2, 0, 0, 0 }, { 3, 5, 14, 14, 32 } }, more = { { 1, 0, 0, 0, 0 }, { 4, 3, 3, 16, 32 } };
    check(&m->eqn[0], (const range *const[]){ NULL, NULL, &some }, 0, TAKES, "some of those side by side");
    check(&m->eqn[0], (const range *const[]){ NULL, &more, &some }, 0, TAKES, "some, the weights of more");
    base_close(a);
}

static void refusals(void)
{
    base_arena *a = base_open();
    const ir_fn *f = product(a, TT_F32, TT_F32, 2, (int64_t[]){ 96, 80 }, 2, (int64_t[]){ 80, 72 }, 0, 1, 0);
    const ir_fn *small = product(a, TT_F32, TT_F32, 2, (int64_t[]){ 16, 16 }, 2, (int64_t[]){ 16, 16 }, 0, 1, 0);
    const ir_fn *wide = product(a, TT_F64, TT_F64, 2, (int64_t[]){ 96, 80 }, 2, (int64_t[]){ 80, 72 }, 0, 1, 0);
    const ir_eqn *e[3] = { &f->eqn[0], &small->eqn[0], &wide->eqn[0] };
    CHECK(strstr(dnn->refuses(&(gen_group){ 1, &e[0], 2, 1, e[0]->in, &e[0]->out, true }), "order"), "reproducible");
    CHECK(strstr(dnn->refuses(&(gen_group){ 1, &e[1], 2, 1, e[1]->in, &e[1]->out, false }), "small"), "small");
    CHECK(strstr(dnn->refuses(&(gen_group){ 1, &e[2], 2, 1, e[2]->in, &e[2]->out, false }), "f32"), "f64");
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_arena *a = base_open();
    for (const gen_engine *const *e = gen_engines(); *e; e++) if (!strcmp((*e)->name, "dnn")) dnn = *e;
    printf("%s\n", gen_plugin_report(a));
    base_close(a);
    if (!dnn) {
        CHECK_SKIP("the oneDNN plug-in is not there");
        return check_done();
    }
    base_set_log_sink(listen);
    base_switches(NULL, "refusals");
    CHECK_RUN(refusals());
    CHECK_RUN(products());
    CHECK_RUN(cut_products());
    CHECK_RUN(convolutions());
    CHECK_RUN(cut_convolutions());
    if (base_failed()) printf("left over: %s\n", base_failed()->what);
    return check_done();
}
