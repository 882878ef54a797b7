/* conv.c - convolutions on the matrix unit, or where there is none by tiles that read through the window, forward and
 * both gradients as the primitive's transpose writes them, one and three side by side: bit for bit the reference's on
 * whole numbers whose sums are exact; errors of others against float64 no larger than a float32 sum's; tiny, huge and
 * infinite numbers as without the unit; the same bits in any number of shares; what is told of stands. */
#include "gen/conv/conv.h"
#include "op/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "api/layer.h"
#include "prop/primitives.h"

/* An equation on boxes of its own: results far apart in memory by `pad` elements per row. */
typedef struct {
    base_arena *a; const ir_eqn *e; run_kernel k; ir_box arg[3]; void *memory[3], *scratch, *shared;
} work;

typedef struct { int64_t lo[6], n[6]; } range;           /* n 0: whole */
static ir_box fresh(const ir_type *t, const range *r, int64_t pad, void **memory)
{
    ir_box b = ir_box_dense(NULL, t);
    for (int d = t->rank - 1; d >= 0; d--) {
        if (r && r->n[d]) b.lo[d] = r->lo[d], b.n[d] = r->n[d];
        if (d < t->rank - 1) b.step[d] = b.step[d + 1] * b.n[d + 1] + (d || !pad ? 0 : 7) + pad;
    }
    const int64_t bytes = (b.step[0] + 1) * b.n[0] * (int64_t)ir_dtype_of(t->dtype)->bytes;
    b.at = *memory = calloc((size_t)bytes + 64, 1);
    return b;
}

static bool unit_takes(const ir_eqn *e, bool reproducible)
{
    ir_id out = e->out;
    const gen_group g = { 1, &e, 2, 1, e->in, &out, reproducible };
    return conv_on_unit(&g);
}

static bool begin(work *w, const ir_eqn *e, const range *r, int64_t pad)
{
    *w = (work){ .a = base_open(), .e = e };
    ir_id *out = BASE_COPY(w->a, &e->out, 1);
    const gen_group g = { 1, BASE_COPY(w->a, &w->e, 1), 2, 1, e->in, out, false };
    if (!gen_conv.make(w->a, &g, &w->k)) return false;
    for (int t = 0; t < 3; t++)
        w->arg[t] = fresh(t < 2 ? IR_IN(e, t) : IR_OUT(e, 0), r ? &r[t] : NULL, pad, &w->memory[t]);
    w->scratch = aligned_alloc(64, (size_t)(w->k.scratch(w->k.self, w->arg) / 64 + 2) * 64);
    w->shared = w->k.finish ? aligned_alloc(64, (size_t)(w->k.shared(w->k.self, w->arg) / 64 + 1) * 64) : NULL;
    return w->scratch != NULL;
}

static void end(work *w)
{
    for (int t = 0; t < 3; t++) free(w->memory[t]);
    free(w->scratch), free(w->shared);
    base_close(w->a);
}

static void run(work *w, int64_t shares)
{
    const int64_t n = w->k.tiles(w->k.self, w->arg);
    for (int64_t s = shares - 1; s >= 0; s--) {
        const int64_t lo = n * s / shares, count = n * (s + 1) / shares - lo;
        const run_job j = { .arg = w->arg, .first = lo, .count = count, .scratch = w->scratch, .shared = w->shared };
        if (count) w->k.code(w->k.self, &j);
    }
    if (w->k.finish && w->k.shared(w->k.self, w->arg))
        w->k.finish(w->k.self, &(run_job){ .arg = w->arg, .count = 1, .scratch = w->scratch, .shared = w->shared });
}

typedef enum { WHOLE, ROUGH, ODD } numbers;
static uint32_t seed = 1;
static float number(numbers kind)
{
    seed = seed * 1664525u + 1013904223u;
    if (kind == WHOLE) return (float)((int)(seed >> 9) % 9 - 4);
    const float x = (float)(int32_t)seed * 0x1p-31f;
    return x * x * x * (float)(1 << (seed >> 9 & 7));
}

static void fill(const ir_box *b, numbers kind)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(b, i); more; more = ir_next(b, i)) ir_store(b, i, (ir_num){ .f = number(kind) });
}

/* The same in f64, or of absolute values, by register tiles. */
static ir_box exactly(const work *w, const ir_eqn *exact, bool size)
{
    work v;
    ir_box out = { 0 };
    int64_t i[IR_RANK];
    range r[3];
    for (int t = 0; t < 3; t++)
        for (int d = 0; d < w->arg[t].rank; d++) r[t].lo[d] = w->arg[t].lo[d], r[t].n[d] = w->arg[t].n[d];
    if (!begin(&v, exact, r, 0)) return out;
    for (int t = 0; t < 2; t++)
        for (bool more = ir_first(&w->arg[t], i); more; more = ir_next(&w->arg[t], i)) {
            const double x = ir_load(&w->arg[t], i).f;
            ir_store(&v.arg[t], i, (ir_num){ .f = size ? fabs(x) : x });
        }
    run(&v, 1);
    out = v.arg[2], v.memory[2] = NULL;
    end(&v);
    return out;
}

/* The largest error in 2^-24 of the sum of sizes of products. */
static double error_of(const work *w, const ir_eqn *exact)
{
    const ir_box v = exactly(w, exact, false), s = exactly(w, exact, true);
    double worst = 0;
    int64_t i[IR_RANK];
    for (bool more = ir_first(&v, i); more; more = ir_next(&v, i)) {
        const double size = ir_load(&s, i).f, got = ir_load(&w->arg[2], i).f;
        const double e = size ? fabs(got - ir_load(&v, i).f) / size : got != 0 ? 1e300 : 0;
        if (!(e <= worst)) worst = e;
    }
    free(v.at), free(s.at);
    return worst * 0x1p24;
}

static bool same(const ir_box *a, const ir_box *b)
{
    int64_t i[IR_RANK];
    for (bool more = ir_first(a, i); more; more = ir_next(a, i)) if (ir_load(a, i).f != ir_load(b, i).f) return false;
    return true;
}

/* Tiles that read through the window want columns that fill vectors, but for a fifth. */
static bool expected(const layer *l, int q)
{
    const int64_t cols = (q == 1 ? l->c : l->o) / l->g;
    return gemm_matrix_unit_here() ? l->taken[q] : (cols + 7) / 8 * 8 * 4 <= cols * 5;
}

static const char *const part[] = { "forward", "to the input", "to the weights" };

/* Of 3x3 windows, or phases of larger ones, products are fewer, and terms of a sum more: an error goes with the
 * largest element of a window, as numbers of very different sizes show. With other numbers 3 of 1,224 products were
 * above 80, the largest 119. */
static double bound(const layer *l, bool taken)
{
    if (gemm_matrix_unit_here()) return taken ? 10 : 20;
    const bool winograd = l->space == 2 && l->k[0] == 3 * l->s[0] && l->k[1] == 3 * l->s[1];
    return winograd && !base_switch("no-winograd") ? 120 : 20;
}

static void one(const layer *l, int q, const ir_eqn *e, const ir_eqn *exact, const range *r)
{
    work w;
    const bool taken = expected(l, q);
    seed = 1;                                            /* its numbers are its own, whatever stands before it */
    CHECK(unit_takes(e, false) == taken, "%s, %s: %s the unit's", l->what, part[q], taken ? "not" : "is");
    CHECK(!unit_takes(e, true), "%s, %s: on the unit in reproducible mode", l->what, part[q]);
    if (!begin(&w, e, r, q == 1 ? 3 : 0)) return;
    fill(&w.arg[0], WHOLE), fill(&w.arg[1], WHOLE);
    const ir_box want = exactly(&w, exact, false);
    run(&w, 1 + q);
    CHECK(same(&w.arg[2], &want), "%s, %s: whole numbers", l->what, part[q]);
    fill(&w.arg[0], ROUGH), fill(&w.arg[1], ROUGH);
    run(&w, 3);
    const double err = error_of(&w, exact);
    CHECK(err < bound(l, taken), "%s, %s: error %.2f x 2^-24 of the sum of sizes", l->what, part[q], err);
    int64_t i[IR_RANK];
    for (bool more = ir_first(&want, i); more; more = ir_next(&want, i)) ir_store(&want, i, ir_load(&w.arg[2], i));
    run(&w, 1);
    CHECK(same(&w.arg[2], &want), "%s, %s: other bits in one share", l->what, part[q]);
    free(want.at);
    end(&w);
}

/* Images, weights or cotangents of any size: powers of two are taken off before. An infinity or a NaN in one image: it
 * comes out as without the unit, and other images' bits stay. */
static void sizes(const layer *l, const ir_eqn *e, const ir_eqn *exact, int q)
{
    static const float scale[][2] = { { 1e-30f, 1 }, { 1, 1e-36f }, { 1e30f, 1e-25f }, { 1e-20f, 1e30f },
        { 1e-18f, 1e-18f } };
    static const float odd[] = { INFINITY, -INFINITY, NAN, 3e38f };
    work w;
    if (!begin(&w, e, NULL, 0)) return;
    float *x = w.arg[0].at, *y = w.arg[1].at, *z = w.arg[2].at;
    const int64_t nx = ir_box_count(&w.arg[0]), ny = ir_box_count(&w.arg[1]), nz = ir_box_count(&w.arg[2]);
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        /* products are no normal numbers */
        if (!gemm_matrix_unit_here() && scale[s][0] * scale[s][1] < 1e-31f) continue;
        fill(&w.arg[0], ROUGH), fill(&w.arg[1], ROUGH);
        for (int64_t i = 0; i < nx; i++) x[i] *= i < nx / 2 ? scale[s][0] : scale[s][0] * 1e-3f;
        for (int64_t i = 0; i < ny; i++) y[i] *= scale[s][1];
        run(&w, 2);
        const double err = error_of(&w, exact);
        CHECK(err < bound(l, false), "%s: %g and %g: error %.2f", part[q], (double)scale[s][0], (double)scale[s][1],
              err);
    }
    fill(&w.arg[0], ROUGH), fill(&w.arg[1], ROUGH);
    run(&w, 2);
    float *first = malloc((size_t)nz * sizeof *first);
    memcpy(first, z, (size_t)nz * sizeof *z);
    for (size_t s = 0; s < sizeof odd / sizeof *odd; s++) {
        const int64_t images = q < 2 ? w.arg[0].n[0] : 1, at = nx / 2 + 77, bad = at / (nx / images);
        const float old = x[at];
        x[at] = odd[s];
        run(&w, 1 + (int64_t)s);
        const ir_box want = exactly(&w, exact, false);
        int wrong = 0, others = 0;
        for (int64_t i = 0; i < nz; i++) {
            const float v = (float)((double *)want.at)[i];
            if (q < 2 && i / (nz / images) != bad) others += z[i] != first[i];
            else if (isnan(v)) wrong += !isnan(z[i]);
            else wrong += isinf(v) ? z[i] != v : !(fabsf(z[i] - v) <= 2e-2f + fabsf(v) * 1e-5f);
        }
        CHECK(!wrong && !others, "%s, %g: %d wrong, %d others", part[q], (double)odd[s], wrong, others);
        free(want.at);
        x[at] = old;
    }
    free(first);
    end(&w);
}

static void layers(void)
{
    static const layer list[] = {
        { "3x3 same", 5, 32, 64, 1, 2, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "one channel", 8, 1, 32, 1, 2, { 28, 28 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "6x6 stride 2", 4, 12, 24, 1, 2, { 28, 28 }, { 6, 6 }, { 2, 2 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "dilated window", 4, 16, 48, 1, 2, { 20, 20 }, { 3, 3 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 2, 2 }, { 0 },
            { 1, 1, 1 } },
        { "stride 3, three dims", 6, 8, 80, 1, 3, { 9, 10, 11 }, { 3, 3, 3 }, { 3, 1, 2 }, { 1, 0, -1 }, { 1, 0, 2 },
            { 1, 1, 1 }, { 0 }, { 1, 1, 1 } },
        { "lines, dilated window", 4, 32, 56, 1, 2, { 20, 20 }, { 3, 3 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 2, 2 }, { 0 },
            { 1, 1, 1 } },
        { "lines of one dim", 9, 64, 96, 1, 1, { 200 }, { 7 }, { 1 }, { 3 }, { 3 }, { 1 }, { 0 }, { 1, 1, 1 } },
        { "one image", 1, 32, 64, 1, 2, { 56, 40 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "one dim", 9, 48, 40, 1, 1, { 200 }, { 7 }, { 1 }, { 3 }, { 3 }, { 1 }, { 0 }, { 1, 1, 1 } },
        { "base dilated", 4, 32, 32, 1, 2, { 10, 10 }, { 4, 4 }, { 1, 1 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 2, 2 },
            { 1, 1, 1 } },
        { "one image, stride 2", 1, 32, 32, 1, 2, { 56, 40 }, { 6, 6 }, { 2, 2 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "two groups", 6, 64, 64, 2, 2, { 14, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "uneven phases", 7, 12, 24, 1, 2, { 13, 15 }, { 5, 4 }, { 2, 3 }, { 2, 0 }, { 2, 1 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "phases without taps", 16, 24, 32, 1, 2, { 14, 15 }, { 1, 3 }, { 2, 2 }, { 0, 1 }, { 0, 0 }, { 1, 1 }, { 0 },
            { 1, 1, 0 } },
        { "bands of phases", 1, 12, 32, 1, 2, { 67, 40 }, { 6, 6 }, { 2, 2 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
        { "odd sizes", 3, 23, 37, 1, 2, { 13, 17 }, { 5, 3 }, { 1, 1 }, { 2, 1 }, { 2, 0 }, { 1, 1 }, { 0 },
            { 1, 1, 1 } },
    };
    for (size_t j = 0; j < sizeof list / sizeof *list + 3; j++) {        /* the first ones again, three side by side */
        const size_t i = j % (sizeof list / sizeof *list);
        if (!check_turn(j)) continue;
        const int64_t many = i == j ? 0 : 3;
        base_arena *a = base_open();
        const ir_fn *f[2];
        for (int t = 0; t < 2; t++) {
            const tt_dtype type = t ? TT_F64 : TT_F32;
            f[t] = layer_fn(a, &list[i], many, type, NULL);
            f[t] = f[t] ? layer_fn(a, &list[i], many, type, IR_OUT(&f[t]->eqn[0], 0)) : NULL;
            CHECK(f[t] != NULL, "%s: %s", list[i].what, base_failed() ? base_failed()->what : "");
        }
        int n = 0;
        for (uint32_t q = 0; f[0] && f[1] && q < f[0]->neqn; q++)
            if (f[0]->eqn[q].op == &prim_convolution) {
                if (!j) sizes(&list[i], &f[0]->eqn[q], &f[1]->eqn[q], n);
                one(&list[i], n++, &f[0]->eqn[q], &f[1]->eqn[q], NULL);
            }
        CHECK(n == 3, "%s: %d convolutions", list[i].what, n);
        base_close(a);
    }
}

/* ---- phases as one picture ---- */

static bool count_picture(const conv_im2col *c, void *env)
{
    (void)c;
    ++*(int *)env;
    return true;
}

/* Those of 12 columns are one matrix; those of 64 fill the unit's tiles each, and have few taps in common. */
static void phases(void)
{
    static const struct { layer l; int pictures; } list[] = {
        { { "6x6 by 2", 4, 12, 24, 1, 2, { 28, 28 }, { 6, 6 }, { 2, 2 }, { 0 }, { 0 }, { 1, 1 }, { 0 }, { 0 } }, 1 },
        { { "3x3 by 2", 4, 64, 64, 1, 2, { 28, 28 }, { 3, 3 }, { 2, 2 }, { 1 }, { 1 }, { 1, 1 }, { 0 }, { 0 } }, 4 },
    };
    for (size_t i = 0; i < sizeof list / sizeof *list && gemm_matrix_unit_here(); i++) {
        base_arena *a = base_open();
        const ir_fn *f = layer_fn(a, &list[i].l, 0, TT_F32, NULL);
        f = f ? layer_fn(a, &list[i].l, 0, TT_F32, IR_OUT(&f->eqn[0], 0)) : NULL;
        int pictures = 0, q = 0;
        for (uint32_t e = 0; f && e < f->neqn; e++) {
            work w;
            if (f->eqn[e].op != &prim_convolution || q++ != 1 || !begin(&w, &f->eqn[e], NULL, 0)) continue;
            const conv v = { w.e, GEMM_F32, gemm_here(), conv_matrix_unit_here() };
            CHECK(conv_im2cols(&v, w.arg, false, count_picture, &pictures), "%s: no pictures", list[i].l.what);
            end(&w);
        }
        CHECK(pictures == list[i].pictures, "%s: %d pictures", list[i].l.what, pictures);
        base_close(a);
    }
}

/* ---- telling ---- */

typedef struct { run_callbacks notified; const work *w; float *seen; int *times; } listener;

static void heard(const run_callbacks *callbacks, const ir_box *y)
{
    const listener *s = (const listener *)(const void *)callbacks;
    const ir_box *z = &s->w->arg[2];
    const int64_t image = ir_box_count(z) / z->n[0];
    for (int64_t i = y->lo[0]; i < y->lo[0] + y->n[0]; i++) {
        memcpy(s->seen + i * image, (const float *)z->at + i * image, (size_t)image * sizeof(float));
        s->times[i]++;
    }
}

/* Every image is told of once, in more than one go, and stands then: also one that is not for the unit. */
static void notified(void)
{
    enum { IMAGES = 60 };
    static const layer l = { "told", IMAGES, 12, 24, 1, 2, { 28, 28 }, { 6, 6 }, { 2, 2 }, { 0, 0 }, { 0, 0 }, { 1, 1 },
                             { 0 }, { 0 } };
    base_arena *a = base_open();
    const ir_fn *f = layer_fn(a, &l, 0, TT_F32, NULL);
    f = f ? layer_fn(a, &l, 0, TT_F32, IR_OUT(&f->eqn[0], 0)) : NULL;
    int q = 0;
    for (uint32_t e = 0; f && e < f->neqn && q < 2; e++) {
        work w;
        int times[IMAGES] = { 0 };
        if (f->eqn[e].op != &prim_convolution || !begin(&w, &f->eqn[e], NULL, 0)) continue;
        fill(&w.arg[0], ROUGH), fill(&w.arg[1], ROUGH);
        ((float *)w.arg[0].at)[ir_box_count(&w.arg[0]) / 2 + 77] = INFINITY;
        const int64_t n = ir_box_count(&w.arg[2]), tiles = w.k.tiles(w.k.self, w.arg);
        const listener s = { { heard, NULL }, &w, calloc((size_t)n, sizeof(float)), times };
        w.k.code(w.k.self, &(run_job){ .arg = w.arg, .count = tiles, .scratch = w.scratch, .callbacks = &s.notified });
        int others = 0;
        for (int i = 0; i < IMAGES; i++) others += times[i] != 1;
        CHECK(!others, "%s: %d images were not told of once", part[q], others);
        CHECK(!memcmp(s.seen, w.arg[2].at, (size_t)n * sizeof(float)), "%s: told of before it stood", part[q]);
        free(s.seen);
        end(&w);
        q++;
    }
    base_close(a);
}

/* Boxes as devices have them: some images, some rows with what their windows reach, some columns, and operands that
 * hold more than is asked for. */
static void cut(void)
{
    static const layer l = {
        "cut", 21, 24, 48, 1, 2, { 20, 14 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 1, 1, 1 }
    };
    static const range boxes[][3][3] = {                 /* lhs, rhs, result: forward, to the input */
        { { { { 5 }, { 9 } }, { { 0 }, { 0 } }, { { 5 }, { 9 } } },
          { { { 3, 6 }, { 15, 10 } }, { { 0 }, { 0 } }, { { 4, 7 }, { 13, 8 } } },
          { { { 0 }, { 0 } }, { { 0, 0, 0, 8 }, { 3, 3, 24, 33 } }, { { 0, 0, 0, 9 }, { 21, 20, 14, 31 } } } },
        { { { { 5 }, { 9 } }, { { 0 }, { 0 } }, { { 5 }, { 9 } } },
          { { { 3, 6 }, { 15, 10 } }, { { 0 }, { 0 } }, { { 4, 7 }, { 13, 8 } } },
          { { { 0 }, { 0 } }, { { 0, 0, 3, 0 }, { 3, 3, 20, 48 } }, { { 0, 0, 0, 4 }, { 21, 20, 14, 17 } } } },
    };
    base_arena *a = base_open();
    const ir_fn *f[2];
    for (int t = 0; t < 2; t++) {
        f[t] = layer_fn(a, &l, 0, t ? TT_F64 : TT_F32, NULL);
        f[t] = layer_fn(a, &l, 0, t ? TT_F64 : TT_F32, IR_OUT(&f[t]->eqn[0], 0));
    }
    int n = 0;
    for (uint32_t q = 0; q < f[0]->neqn && n < 2; q++) {
        if (f[0]->eqn[q].op != &prim_convolution) continue;
        for (int b = 0; b < 3; b++) one(&l, n, &f[0]->eqn[q], &f[1]->eqn[q], boxes[n][b]);
        n++;
    }
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_switches_env();
    if (!conv_matrix_unit_here()) {
        CHECK_SKIP("neither a matrix unit nor AVX2 here, or AVX-512 without the unit");
        return check_done();
    }
    CHECK_RUN(layers());
    CHECK_RUN(phases());
    CHECK_RUN(notified());
    CHECK_RUN(cut());
    return check_done();
}
