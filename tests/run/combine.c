/* combine.c - sums and other reductions of several sources, element by element: one tree of pairs, whatever the number
 * of sources, their strides and the place of the result; complex products; what is written past the caches. */
#include "check.h"
#include "run/inner.h"

static uint64_t seed = 1;
static uint32_t rnd(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* Products of complex numbers: an element has the same bits wherever it stands, and those of its formula. */
static void complex_products(void)
{
    enum { N = 37 };
    float x[2][2 * N], y[2 * N];
    double u[2][2 * N], v[2 * N];
    const int64_t narrow[2] = { 0, sizeof *x }, wide[2] = { 0, sizeof *u };
    bool good = true;
    for (int k = 0; k < 4 * N; k++) {
        u[k / (2 * N)][k % (2 * N)] = (double)rnd(1 << 20) / 777777 - 0.7;
        x[k / (2 * N)][k % (2 * N)] = (float)u[k / (2 * N)][k % (2 * N)];
    }
    for (int64_t n = 1; n <= N; n++) {
        run_combine(&(run_how){ TT_C64, TT_C64, MESH_PROD, false }, n, (char *)y, 1, (const char *)x, 1, 2, narrow);
        run_combine(&(run_how){ TT_C128, TT_C128, MESH_PROD, false }, n, (char *)v, 1, (const char *)u, 1, 2, wide);
        for (int64_t i = 0; i < 2 * n; i += 2) {
            volatile float a = x[0][i] * x[1][i], b = x[0][i + 1] * x[1][i + 1];
            volatile float c = x[0][i] * x[1][i + 1], d = x[0][i + 1] * x[1][i];
            volatile double p = u[0][i] * u[1][i], q = u[0][i + 1] * u[1][i + 1];
            volatile double r = u[0][i] * u[1][i + 1], s = u[0][i + 1] * u[1][i];
            good &= y[i] == a - b && y[i + 1] == c + d && v[i] == p - q && v[i + 1] == r + s;
        }
    }
    CHECK(good, "complex products: other bits");
}

/* The sum of x[0 .. n), in pairs of neighbours and pairs of pairs. */
static float tree_sum(const float *x, uint32_t n)
{
    uint32_t half = 1;
    if (n == 1) return x[0];
    while (2 * half < n) half *= 2;
    return tree_sum(x, half) + tree_sum(x + half, n - half);
}

/* Any number of sources, with any strides, is one tree of sums, also where the result takes the place of a source. */
static void sums_of_sources(void)
{
    enum { N = 1300, MOST = 11 };
    static float x[MOST][2 * N], first[MOST][2 * N], y[2 * N];
    static uint16_t h[MOST][N], g[N];
    int64_t src[MOST], narrow[MOST];
    float each[MOST];
    for (int turn = 0; turn < 600; turn++) {
        const uint32_t nsrc = 1 + (uint32_t)turn % MOST, n = 1 + rnd(N);
        const uint32_t step = 1 + rnd(4) / 3, to_step = 1 + rnd(4) / 3;
        const int place = step == to_step && rnd(2) ? (int)rnd(nsrc) : -1;   /* the result replaces this source */
        bool good = true;
        for (uint32_t k = 0; k < nsrc; k++) {
            src[k] = (int64_t)sizeof *x * k, narrow[k] = (int64_t)sizeof *h * k;
            for (uint32_t i = 0; i < 2 * N; i++) x[k][i] = first[k][i] = (float)rnd(1 << 20) / 777 - 500;
            for (uint32_t i = 0; i < N; i++) h[k][i] = ir_f32_bf16(x[k][i]);
        }
        float *const to = place < 0 ? y : x[place];
        run_combine(&(run_how){ TT_F32, TT_F32, MESH_SUM, to_step == 1 && rnd(2) }, n, (char *)to, to_step,
                    (const char *)x, step, nsrc, src);
        run_combine(&(run_how){ TT_BF16, TT_BF16, MESH_SUM, false }, n, (char *)g, 1, (const char *)h, 1, nsrc, narrow);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < nsrc; k++) each[k] = first[k][i * step];
            good &= to[i * to_step] == tree_sum(each, nsrc);
            for (uint32_t k = 0; k < nsrc; k++) each[k] = ir_bf16_f32(h[k][i]);
            good &= g[i] == ir_f32_bf16(tree_sum(each, nsrc));
        }
        CHECK(good, "%u elements of %u sources, strides %u and %u, in the place of %d", n, nsrc, step, to_step, place);
    }
}

/* What is written past the caches has the same bytes, from any place on, and nothing around it is touched. */
static void streams(void)
{
    enum { N = 3000 };
    static float x[2][N], want[N], got[N];
    const int64_t src[2] = { 0, sizeof *x };
    bool good = true;
    for (int i = 0; i < 2 * N; i++) x[i / N][i % N] = (float)rnd(1 << 20) / 777;
    for (int turn = 0; turn < 200; turn++) {
        const uint32_t at = rnd(100), n = rnd(N - 200), nsrc = 1 + rnd(2);
        run_pull q = { .rank = 1, .n = { n }, .to = { 1 }, .from = { 1 }, .at = 4 * at, .count = n, .nsrc = nsrc,
                       .src = src };
        for (int i = 0; i < N; i++) want[i] = got[i] = -1;
        run_pull_do(&q, 0, n, &(run_how){ TT_F32, TT_F32, MESH_SUM, false }, (char *)want, (const char *)x);
        run_pull_do(&q, 0, n, &(run_how){ TT_F32, TT_F32, MESH_SUM, true }, (char *)got, (const char *)x);
        good &= !memcmp(want, got, sizeof want);
    }
    CHECK(good, "other bytes");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(complex_products());
    CHECK_RUN(sums_of_sources());
    CHECK_RUN(streams());
    return check_done();
}
