/* amx.c - products on the matrix unit: errors against float64 no larger than a float32 sum's; infinities, NaNs,
 * tiny and huge numbers as without it; bits that depend on an element's own row and column only. */
#include "gen/matmul/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "prop/primitives.h"

typedef struct { base_arena *a; const ir_eqn *e; run_kernel k; ir_box arg[3]; void *scratch; } product;

static float rough(uint32_t *s)                          /* about normal, of many sizes */
{
    *s = *s * 1664525u + 1013904223u;
    const float x = (float)(int32_t)*s * 0x1p-31f;
    return x * x * x * (float)(1 << (*s >> 9 & 7));
}

static void *filled(const ir_type *t, uint32_t seed)
{
    float *p = base_pages((size_t)ir_bytes(t) + 64);
    for (int64_t i = 0; p && i < ir_count(t); i++) p[i] = rough(&seed);
    return p;
}

static bool make(product *p, const char *text)
{
    *p = (product){ .a = base_open() };
    const ir_fn *f = ir_case(p->a, text);
    CHECK(f, "%s: %s", text, f ? "" : prop_error());
    if (!f) return false;
    p->e = &f->eqn[f->neqn - 1];
    ir_id *out = BASE_COPY(p->a, &p->e->out, 1);
    const gen_group g = { 1, BASE_COPY(p->a, &p->e, 1), 2, 1, p->e->in, out, false };
    CHECK(gemm_on_unit(&g), "%s: not worth the unit", text);
    if (!gen_dot.make(p->a, &g, &p->k)) return false;
    for (int t = 0; t < 3; t++) {
        const ir_type *type = t < 2 ? IR_IN(p->e, t) : IR_OUT(p->e, 0);
        p->arg[t] = ir_box_dense(filled(type, 7u + (uint32_t)t), type);
    }
    p->scratch = base_pages((size_t)p->k.scratch(p->k.self, p->arg) + 64);
    return p->scratch != NULL;
}

static void done(product *p)
{
    base_pages_free(p->scratch, (size_t)p->k.scratch(p->k.self, p->arg) + 64);
    for (int t = 0; t < 3; t++)
        base_pages_free(p->arg[t].at, (size_t)ir_box_count(&p->arg[t]) * sizeof(float) + 64);
    base_close(p->a);
}

static void run(product *p, int64_t shares)
{
    const int64_t n = p->k.tiles(p->k.self, p->arg);
    ir_box unbound[3];
    for (int t = 0; t < 3; t++) unbound[t] = p->arg[t], unbound[t].at = NULL;
    CHECK(p->k.tiles(p->k.self, unbound) == n, "parts depend on addresses");
    CHECK(p->k.scratch(p->k.self, unbound) == p->k.scratch(p->k.self, p->arg), "scratch depends on addresses");
    for (int64_t s = 0; s < shares; s++) {
        const run_job j = { 0, p->arg, n * s / shares, n * (s + 1) / shares - n * s / shares, p->scratch, NULL, NULL,
                            NULL };
        if (j.count) p->k.code(p->k.self, &j);
    }
}

/* Element (i, j) of x y in batch b: dims of each operand by letters b, m, n, k; 'x' text: "bmk,bkn". */
typedef struct { int64_t b, m, n, k; const char *l, *r; } sizes;

static int64_t at(const sizes *s, const char *dims, int64_t b, int64_t m, int64_t n, int64_t k)
{
    int64_t i = 0;
    for (; *dims; dims++) {
        i *= *dims == 'b' ? s->b : *dims == 'm' ? s->m : *dims == 'n' ? s->n : s->k;
        i += *dims == 'b' ? b : *dims == 'm' ? m : *dims == 'n' ? n : k;
    }
    return i;
}

static char *text_of(base_arena *a, const sizes *s)
{
    char dims[2][64] = { "", "" };
    int batch[2] = { -1, -1 }, sum[2] = { 0, 0 };
    for (int t = 0; t < 2; t++) {
        const char *d = t ? s->r : s->l;
        size_t used = 0;
        for (int i = 0; d[i]; i++) {
            const int64_t n = d[i] == 'b' ? s->b : d[i] == 'm' ? s->m : d[i] == 'n' ? s->n : s->k;
            used += (size_t)snprintf(dims[t] + used, sizeof dims[t] - used, "%s%lld", i ? "," : "", (long long)n);
            if (d[i] == 'b') batch[t] = i;
            if (d[i] == 'k') sum[t] = i;
        }
    }
    const char *b = batch[0] < 0 ? "" : base_format(a, "lhs_batching_dimensions=[%d], rhs_batching_dimensions=[%d], ",
                                                    batch[0], batch[1]);
    return (char *)base_format(a, "dot_general f32[%s], f32[%s] {%slhs_contracting_dimensions=[%d], "
                                  "rhs_contracting_dimensions=[%d], preferred_element_type=f32}",
                               dims[0], dims[1], b, sum[0], sum[1]);
}

/* The largest error, in units of 2^-24 of the sum of sizes of products. */
static double error_of(const product *p, const sizes *s)
{
    const float *x = p->arg[0].at, *y = p->arg[1].at, *z = p->arg[2].at;
    double worst = 0;
    for (int64_t b = 0; b < s->b; b++)
        for (int64_t i = 0; i < s->m; i += 3)
            for (int64_t j = i % CHECK_STEP; j < s->n; j += CHECK_STEP) {
                double sum = 0, size = 0;
                for (int64_t k = 0; k < s->k; k++) {
                    const double v = (double)x[at(s, s->l, b, i, 0, k)] * (double)y[at(s, s->r, b, 0, j, k)];
                    sum += v, size += fabs(v);
                }
                const double e = fabs((double)z[(b * s->m + i) * s->n + j] - sum) / size;
                if (!(e <= worst)) worst = e;
            }
    return worst * 0x1p24;
}

static void accurate(void)
{
    static const sizes all[] = {
        { 1, 128, 128, 64, "mk", "kn" },  { 1, 128, 96, 256, "mk", "nk" },  { 1, 96, 128, 1000, "km", "kn" },
        { 1, 77, 85, 391, "mk", "kn" },   { 1, 161, 130, 700, "km", "nk" }, { 4, 64, 80, 64, "bmk", "bkn" },
        { 3, 128, 64, 96, "mbk", "nbk" }, { 1, 50, 1100, 130, "mk", "kn" }, { 2, 47, 48, 63, "kbm", "bkn" },
        { 1, 300, 500, 1100, "mk", "nk" }, { 1, 290, 470, 1090, "km", "kn" }, { 2, 270, 75, 850, "mbk", "nbk" },
        { 1, 72, 96, 3000, "km", "nk" },  /* longer than is packed at once */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        product p;
        base_arena *a = base_open();
        char *text = text_of(a, &all[i]);
        if (make(&p, text)) {
            run(&p, 1);
            const double e = error_of(&p, &all[i]);
            CHECK(e < 10, "%s: error %.2f x 2^-24 of the sum of sizes", text, e);
        }
        done(&p);
        base_close(a);
    }
}

static bool same(float x, float y) { return (isnan(x) && isnan(y)) || !memcmp(&x, &y, sizeof x); }

/* Shares cut rows anywhere that a box's sizes let them; and what one row holds does not matter to others. */
static void own_row_and_column(void)
{
    enum { M = 200, N = 150, K = 500 };
    product p;
    if (!make(&p,
              "dot_general f32[200,500], f32[500,150] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
              "preferred_element_type=f32}")) return;
    float *x = p.arg[0].at, *y = p.arg[1].at, *z = p.arg[2].at, *first = base_pages(M * N * sizeof *first);
    run(&p, 1);
    memcpy(first, z, M * N * sizeof *z);
    for (int64_t shares = 2; shares < 9; shares += 3) {
        memset(z, 1, M * N * sizeof *z);
        run(&p, shares);
        CHECK(!memcmp(first, z, M * N * sizeof *z), "other bits in %d shares", (int)shares);
    }
    static const float odd[] = { INFINITY, -INFINITY, NAN, 3e38f, 1e-42f, 1e-30f };
    for (int t = 0; t < 6; t++) {
        const float old[2] = { x[17 * K + 400], y[13 * N + 91] };
        for (int side = 0; side < 2; side++) {
            if (side == 0) x[17 * K + 400] = odd[t];
            else y[13 * N + 91] = odd[t];
            run(&p, 3);
            int bad = 0, wrong = 0;
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++) {
                    if (side == 0 ? i != 17 : j != 91) {
                        bad += !same(z[i * N + j], first[i * N + j]);
                        continue;
                    }
                    double sum = 0, size = 0;
                    for (int k = 0; k < K; k++) {
                        const double v = (double)x[i * K + k] * (double)y[k * N + j];
                        sum += v, size += fabs(v);
                    }
                    const float want = (float)sum;
                    const double room = size * 0x1p-20 + 0x1p-149;
                    wrong += isfinite(want) ? !(fabs((double)z[i * N + j] - sum) <= room) : !same(z[i * N + j], want);
                }
            CHECK(!bad, "%g in one %s changed %d elements of others", (double)odd[t], side ? "column" : "row", bad);
            CHECK(!wrong, "%g in one %s: %d elements are wrong", (double)odd[t], side ? "column" : "row", wrong);
            x[17 * K + 400] = old[0], y[13 * N + 91] = old[1];
        }
    }
    base_pages_free(first, M * N * sizeof *first);
    done(&p);
}

/* Whole rows and columns of very small and very large numbers, in some blocks of k only. */
static void small_and_large(void)
{
    enum { M = 100, N = 120, K = 600 };
    product p;
    const sizes s = { 1, M, N, K, "mk", "kn" };
    if (!make(&p,
              "dot_general f32[100,600], f32[600,120] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
              "preferred_element_type=f32}")) return;
    float *x = p.arg[0].at, *y = p.arg[1].at;
    for (int k = 0; k < K; k++) {
        x[9 * K + k] *= 1e-33f, x[30 * K + k] *= k < 400 ? 0 : 1e-25f, x[33 * K + k] *= 1e32f, x[99 * K + k] = 0;
        y[k * N + 5] *= 1e-20f, y[k * N + 63] *= k < 300 ? 1e-35f : 1, y[k * N + 119] *= 1e31f;
    }
    run(&p, 2);
    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < K; k++) {
                const double v = (double)x[i * K + k] * (double)y[k * N + j];
                sum += v, size += fabs(v);
            }
            if (size > 1e38 || size < 1e-33) continue;   /* float32 itself has no digits there */
            const double e = fabs((double)((float *)p.arg[2].at)[i * N + j] - sum) / size;
            if (!(e <= worst)) worst = e;
        }
    CHECK(worst * 0x1p24 < 8, "error %.2f x 2^-24 of the sum of sizes", worst * 0x1p24);
    (void)s;
    done(&p);
}

/* Large numbers that meet zeros, beside tiny ones that make the sum: these are off by 2^-125 at most. */
static void mixed(void)
{
    enum { M = 100, N = 120, K = 600 };
    product p;
    if (!make(&p,
              "dot_general f32[100,600], f32[600,120] {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
              "preferred_element_type=f32}")) return;
    float *x = p.arg[0].at, *y = p.arg[1].at;
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < M; i++) x[i * K + k] = k % 32 ? x[i * K + k] * 1e-36f : 1;
        for (int j = 0; j < N; j++) y[k * N + j] *= k % 32 ? 1 : 0;
    }
    run(&p, 2);
    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, size = 0, met = 0;
            for (int k = 0; k < K; k++) {
                const double v = (double)x[i * K + k] * (double)y[k * N + j];
                sum += v, size += fabs(v), met += fabs((double)y[k * N + j]);
            }
            const double e = fabs((double)((float *)p.arg[2].at)[i * N + j] - sum) / (size * 0x1p-21 + met * 0x1p-125);
            if (!(e <= worst)) worst = e;
        }
    CHECK(worst < 1, "rows of mixed sizes: %.2f of the error that is allowed", worst);
    done(&p);
}

/* Rows, columns and sums of several dims that are not laid out as one: as the reference has it, whatever the shares;
 * and where a row is not for the unit. */
static void several_dims(const char *text)
{
    product p, ref;
    if (!make(&p, text) || !make(&ref, text)) return;
    const gen_group g = { 1, &ref.e, 2, 1, ref.e->in, BASE_COPY(ref.a, &ref.e->out, 1), false };
    run_kernel slow;
    CHECK(gen_ref.make(ref.a, &g, &slow), "%s: no reference", text);
    const int64_t n = ir_box_count(&p.arg[2]), nx = ir_box_count(&p.arg[0]), ny = ir_box_count(&p.arg[1]);
    float *x = p.arg[0].at, *z = p.arg[2].at, *want = ref.arg[2].at, *size = base_pages((size_t)n * sizeof *size);
    for (int odd = CHECK_STEP > 1; odd < 2; odd++) {     /* the reference is slow */
        float *rx = ref.arg[0].at, *ry = ref.arg[1].at;
        x[nx / 2] = rx[nx / 2] = odd ? INFINITY : 1;
        const run_job j = { 0, ref.arg, 0, 1, NULL, NULL, NULL, NULL };
        for (int64_t i = 0; i < nx; i++) rx[i] = fabsf(x[i]);
        for (int64_t i = 0; i < ny; i++) ry[i] = fabsf(((float *)p.arg[1].at)[i]);
        slow.code(slow.self, &j);
        memcpy(size, want, (size_t)n * sizeof *size);
        memcpy(rx, x, (size_t)nx * sizeof *rx), memcpy(ry, p.arg[1].at, (size_t)ny * sizeof *ry);
        slow.code(slow.self, &j);
        for (int64_t shares = 1; shares < 6; shares += 2) {
            int wrong = 0;
            memset(z, 1, (size_t)n * sizeof *z);
            run(&p, shares);
            for (int64_t i = 0; i < n; i++)
                wrong += isfinite(want[i]) ? !(fabsf(z[i] - want[i]) <= size[i] * 0x1p-18f) : !same(z[i], want[i]);
            CHECK(!wrong, "%s%s, %d shares: %d elements are wrong", text, odd ? ", infinity" : "", (int)shares, wrong);
        }
    }
    base_pages_free(size, (size_t)n * sizeof *size);
    done(&p), done(&ref);
}

/* Rows that are apart, as those of devices in stacks do, are split between devices: a task writes whole rows, the
 * operand is packed once and not for every cut of columns. The bits are those of rows that are together. */
static void rows_apart(void)
{
    enum { DEVICES = 8, ROWS = 64, K = 256, N = 160, GAP = 3 };
    product p;
    if (!make(&p, "dot_general f32[8,64,256], f32[256,160] {lhs_contracting_dimensions=[2], "
                  "rhs_contracting_dimensions=[0], preferred_element_type=f32}"))
        return;
    ir_box dense[3], wide[3];
    memcpy(dense, p.arg, sizeof dense), memcpy(wide, p.arg, sizeof wide);
    run(&p, 1);
    for (int t = 0; t < 3; t += 2) {                     /* every GAP-th of DEVICES * GAP parts */
        const int64_t each = dense[t].step[0];
        float *all = base_pages((size_t)(DEVICES * GAP * each) * sizeof *all);
        for (int64_t d = 0; t == 0 && d < DEVICES; d++)
            memcpy(all + d * GAP * each, (float *)dense[t].at + d * each, (size_t)each * sizeof *all);
        wide[t].at = all, wide[t].step[0] = GAP * each;
    }
    const float *z = wide[2].at, *want = dense[2].at;
    memcpy(p.arg, wide, sizeof wide);
    const run_job first = { 0, p.arg, 0, 1, p.scratch, NULL, NULL, NULL };
    p.k.code(p.k.self, &first);
    CHECK(p.k.tiles(p.k.self, p.arg) == DEVICES, "%d tasks", (int)p.k.tiles(p.k.self, p.arg));
    CHECK(!memcmp(z, want, ROWS * N * sizeof *z), "the first task makes no whole rows");
    for (int64_t shares = 1; shares < 6; shares += 2) {
        int wrong = 0;
        memset(wide[2].at, 1, (DEVICES - 1) * GAP * ROWS * N * sizeof *z);
        run(&p, shares);
        for (int d = 0; d < DEVICES; d++)
            wrong += memcmp(z + d * GAP * ROWS * N, want + d * ROWS * N, ROWS * N * sizeof *z) != 0;
        CHECK(!wrong, "%d shares: rows of %d devices have other bits", (int)shares, wrong);
    }
    for (int t = 0; t < 3; t += 2)
        base_pages_free(wide[t].at, (size_t)(DEVICES * wide[t].step[0]) * sizeof(float));
    memcpy(p.arg, dense, sizeof dense);
    done(&p);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    base_switches_env();
    if (!gemm_matrix_unit_here()) {
        CHECK_SKIP("no matrix unit here");
        return check_done();
    }
    CHECK_RUN(rows_apart());
    CHECK_RUN(accurate());
    CHECK_RUN(own_row_and_column());
    CHECK_RUN(small_and_large());
    CHECK_RUN(mixed());
    CHECK_RUN(several_dims("dot_general f32[3,64,150], f32[3,2,64,96] {lhs_contracting_dimensions=[0,1], "
                           "rhs_contracting_dimensions=[0,2], preferred_element_type=f32}"));
    CHECK_RUN(several_dims("dot_general f32[2,3,64,96], f32[90,3,96] {"
                           "lhs_contracting_dimensions=[1,3], rhs_contracting_dimensions=[1,2], "
                           "preferred_element_type=f32}"));
    CHECK_RUN(several_dims("dot_general f32[2,3,96,64], f32[3,96,90] {"
                           "lhs_contracting_dimensions=[1,2], rhs_contracting_dimensions=[0,1], "
                           "preferred_element_type=f32}"));
    CHECK_RUN(several_dims("dot_general f32[2,3,32,96], f32[5,3,96,32] {lhs_contracting_dimensions=[1,3], "
                           "rhs_contracting_dimensions=[1,2], preferred_element_type=f32}"));
    CHECK_RUN(several_dims("dot_general f32[40,2,3,20], f32[70,2,3,40] {lhs_contracting_dimensions=[2,0], "
                           "rhs_contracting_dimensions=[2,3], preferred_element_type=f32}"));
    CHECK_RUN(several_dims("dot_general f32[2,3,64,96], f32[2,3,96,70] {lhs_batching_dimensions=[0], "
                           "rhs_batching_dimensions=[0], lhs_contracting_dimensions=[1,3], "
                 "rhs_contracting_dimensions=[1,2], preferred_element_type=f32}"));
    return check_done();
}
