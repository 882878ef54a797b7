/* long_sums.c - sums of many floats: no lane adds more than a few thousand terms one after the other, so that an error
 * is some ulps times the logarithm of the number of terms, not times the number. Every reduction, product and running
 * sum, of terms that are all rounded the same way (0.1) and of terms whose digits are lost (10000 to 10001), against
 * sums in double.
 *
 * Without an argument the program runs itself under each choice of engines. usage: long_sums [SWITCHES] */
#include "check.h"

#include <math.h>
#include <tutti.h>

enum { LOG = 20, N = 1 << LOG };
static float tenth[N], high[N];
static double sum_tenth, sum_high;
static const char *mode = "";

static void fill(void)
{
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < N; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        tenth[i] = 0.1f, high[i] = (float)(10000 + (double)(s >> 11) * 0x1p-53);
        sum_tenth += tenth[i], sum_high += high[i];
    }
}

static tt_val array(const float *x, int64_t a, int64_t b, int64_t c)
{
    const int64_t dim[] = { a, b, c, TT_DIM_END };
    return tt_array_at("long_sums", TT_F32, x, dim);
}

/* Every element of y beside what is wanted (all elements alike), or beside want[i]. */
static void near(const char *what, tt_val y, const double *want, int64_t wants, double allowed)
{
    static float got[N];
    const int64_t n = tt_count(y);
    double worst = 0;
    int64_t at = 0;
    CHECK(tt_ok(), "%s%s: %s", mode, what, tt_error());
    if (!tt_ok() || !tt_read(tt_cast(y, TT_F32), got, (size_t)n * sizeof *got)) return;
    for (int64_t i = 0; i < n; i++) {
        const double w = want[wants > 1 ? i : 0], off = fabs(got[i] - w) / fabs(w);
        if (!(off <= worst)) worst = off, at = i;
    }
    CHECK(worst <= allowed, "%s%s: [%lld] is %.9g, expected %.9g: off by %.2g, %.2g allowed", mode, what, (long long)at,
          (double)got[at], want[wants > 1 ? at : 0], worst, allowed);
}

static const double TREE = 0x1p-24 * 4 * LOG;            /* four halves of an ulp for each of log2(n) levels */
static const double CHAIN = 0x1p-25 * 4096;              /* of a block of k: 4,096 halves of an ulp at worst */

static tt_val f_sum(tt_val x) { return tt_sum(x); }
static tt_val f_mean(tt_val x) { return tt_mean(x); }
static tt_val f_sum0(tt_val x) { return tt_sum(x, .dims = "0"); }
static tt_val f_sum1(tt_val x) { return tt_sum(x, .dims = "1"); }
static tt_val f_sum2(tt_val x) { return tt_sum(x, .dims = "2"); }
static tt_val f_sum01(tt_val x) { return tt_sum(x, .dims = "0, 1"); }
static tt_val f_sum02(tt_val x) { return tt_sum(x, .dims = "0, 2"); }
static tt_val f_norm2(tt_val x) { return tt_square(tt_global_norm(x)); }
static tt_val f_lse(tt_val x) { return tt_exp(tt_logsumexp(tt_mul(x, tt_f(0)))); }
static tt_val f_share(tt_val x) { return tt_div(x, tt_sum(x, .dims = "1", .keepdims = 1)); }
static tt_val f_softmax(tt_val x) { return tt_softmax(tt_reshape(x, 32, -1)); }
static tt_val f_more(tt_val x) { return tt_sum(tt_sub(tt_add(x, x), x)); }
static tt_val f_more0(tt_val x) { return tt_sum(tt_sub(tt_add(x, x), x), .dims = "0"); }
static tt_val f_prod(tt_val x) { return tt_prod(tt_add(tt_mul(x, tt_f(0)), tt_f(1.0000001))); }
static tt_val f_self(tt_val x) { return tt_matmul(x, x); }
static tt_val f_dot(tt_val x) { return tt_matmul(x, tt_add(tt_mul(x, tt_f(0)), tt_f(1))); }
static tt_val f_few(tt_val x)                            /* [4, k] by [k, 4] */
{
    const tt_val a = tt_reshape(x, 4, -1);
    return tt_matmul(a, tt_transpose(tt_add(tt_mul(a, tt_f(0)), tt_f(1))));
}
static tt_val f_gemv(tt_val x) { return tt_matmul(tt_ones(TT_F32, 1, tt_dim(x, 0)), x); }
static tt_val f_square_product(tt_val x)                 /* [48, k] by [k, 48] */
{
    const tt_val a = tt_dynamic_slice(tt_reshape(x, 64, -1), 0, tt_i(0), 48);
    return tt_matmul(a, tt_transpose(tt_add(tt_mul(a, tt_f(0)), tt_f(1))));
}
static tt_val f_two(tt_val x)
{
    return tt_dot(x, tt_add(tt_mul(x, tt_f(0)), tt_f(1)), .sum = "0:0, 2:2", .batch = "1:1");
}
static tt_val f_last(tt_val x) { return tt_dynamic_slice(tt_cumsum(x, 0), 0, tt_i(N - 1), 1); }
static tt_val f_cum(tt_val x) { return tt_cumsum(x, 0); }
static tt_val f_cum_back(tt_val x) { return tt_reverse(tt_cumsum(tt_reverse(x, 0), 0, .reverse = 1), 0); }
static tt_val f_window(tt_val x) { return tt_window_sum(x, .window = { 1 << 18 }, .stride = { 1 << 18 }); }
static tt_val f_scaled(tt_val b, tt_val x) { return tt_sum(tt_mul(b, x)); }
static tt_val f_biased(tt_val b, tt_val x) { return tt_sum(tt_mul(tt_sin(tt_add(tt_mul(x, tt_f(0)), b)), x)); }
static tt_val f_conv(tt_val w, tt_val x) { return tt_sum(tt_convolve(x, w)); }
static tt_val f_complex(tt_val x) { return tt_real(tt_sum(tt_complex(x, x))); }
static tt_val f_half(tt_val x) { return tt_sum(tt_cast(tt_cast(x, TT_BF16), TT_F32)); }
static tt_val f_var(tt_val x) { return tt_var(x); }
static tt_val f_var1(tt_val x) { return tt_var(x, .dims = "1"); }
static tt_val f_std0(tt_val x) { return tt_std(x, .dims = "0"); }

/* f of x, eagerly and compiled. */
static void both(const char *what, tt_f1 *f, tt_val x, const double *want, int64_t wants, double allowed)
{
    char name[96];
    near(what, f(x), want, wants, allowed);
    snprintf(name, sizeof name, "jit: %s", what);
    const tt_fn g = tt_jit(f);
    near(name, tt_call(g, x), want, wants, allowed);
    near(name, tt_call(g, x), want, wants, allowed);     /* a compiled loop may be there now */
}

static void reductions(const char *which, const float *x, double sum)
{
    char name[96];
    const double mean = sum / N;
    const struct { const char *name; tt_f1 *f; int64_t dim[3]; double want, allowed; } cases[] = {
        { "sum", f_sum, { N, TT_DIM_END }, sum, TREE },
        { "mean", f_mean, { N, TT_DIM_END }, mean, TREE },
        { "sum of three dims", f_sum, { 4, N / 64, 16 }, sum, TREE },
        { "four rows", f_sum1, { 4, N / 4, 1 }, sum / 4, TREE },
        { "32 rows", f_sum1, { 32, N / 32, 1 }, sum / 32, TREE },
        { "columns: 8", f_sum0, { N / 8, 8, 1 }, sum / 8, TREE },
        { "columns: 3", f_sum0, { N / 4, 4, 1 }, sum / 4, TREE },
        { "columns: 64", f_sum0, { N / 64, 64, 1 }, sum / 64, TREE },
        { "columns: 1", f_sum0, { N, 1, 1 }, sum, TREE },
        { "outer dims", f_sum01, { 64, N / 512, 8 }, sum / 8, TREE },
        { "first and last", f_sum02, { N / 64, 4, 16 }, sum / 4, TREE },
        { "a middle dim", f_sum1, { 2, N / 8, 4 }, sum / 8, TREE },
        { "the last dim", f_sum2, { 2, 2, N / 4 }, sum / 4, TREE },
        { "an expression", f_more, { N, TT_DIM_END }, sum, TREE },
        { "columns of an expression", f_more0, { N / 8, 8, 1 }, sum / 8, TREE },
        { "a complex sum", f_complex, { N, TT_DIM_END }, sum, TREE },
        { "dot", f_dot, { N, TT_DIM_END }, sum, TREE },
        { "few rows by few columns", f_few, { N, TT_DIM_END }, sum / 4, TREE },
        { "one row by a matrix", f_gemv, { N / 8, 8, 1 }, sum / 8, TREE },
        { "two summed dims", f_two, { N / 16, 4, 4 }, sum / 4, TREE },
        { "product of matrices", f_square_product, { N, TT_DIM_END }, sum / 64, CHAIN },
        { "last of cumsum", f_last, { N, TT_DIM_END }, sum, TREE },
        { "window sums", f_window, { 1, N, 1 }, sum / (N >> 18), TREE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* parts of random terms are alike to 2^-15 only */
        const bool parts = x == high && fabs(cases[i].want - sum) > 1 && cases[i].f != f_mean;
        snprintf(name, sizeof name, "%s, %s", which, cases[i].name);
        const tt_val v = cases[i].dim[1] == TT_DIM_END ? array(x, N, TT_DIM_END, 0)
                       : array(x, cases[i].dim[0], cases[i].dim[1],
                               cases[i].dim[2] == 1 && cases[i].f != f_window ? TT_DIM_END : cases[i].dim[2]);
        if (!parts) both(name, cases[i].f, v, &cases[i].want, 1, cases[i].allowed);
    }
}

static void running(void)
{
    static double want[N];
    double sum = 0;
    for (int i = 0; i < N; i++) want[i] = sum += tenth[i];
    both("cumsum", f_cum, array(tenth, N, TT_DIM_END, 0), want, N, TREE);
    both("cumsum from behind", f_cum_back, array(tenth, N, TT_DIM_END, 0), want, N, TREE);
    for (int i = 0; i < N; i++) want[i] = (i / 4 + 1) * (double)0.1f;
    both("cumsum of columns", f_cum, array(tenth, N / 4, 4, TT_DIM_END), want, N, TREE);
}

static void made_of_sums(void)
{
    double square = 0, var = 0, one = N, share = 32.0 / N;
    for (int i = 0; i < N; i++) {
        const double off = high[i] - sum_high / N;
        square += (double)high[i] * high[i], var += off * off / N;
    }
    const tt_val all = array(high, N, TT_DIM_END, 0), rows = array(tenth, 32, N / 32, TT_DIM_END);
    both("global norm", f_norm2, all, &square, 1, TREE);
    both("dot with itself", f_self, all, &square, 1, TREE);
    both("logsumexp", f_lse, all, &one, 1, 8 * TREE);
    both("shares of rows", f_share, rows, &share, 1, TREE);
    both("softmax", f_softmax, array(tenth, N, TT_DIM_END, 0), &share, 1, TREE);
    both("var", f_var, all, &var, 1, 0x1p-16);
    const double deviation = sqrt(var);
    both("std of a column", f_std0, array(high, N, 1, TT_DIM_END), &deviation, 1, 0x1p-16);
    both("var of a row", f_var1, array(high, 1, N, TT_DIM_END), &var, 1, 0x1p-16);
    const double grown = pow((double)1.0000001f, N);
    both("prod", f_prod, all, &grown, 1, 0x1p-10);
}

static void transformed(void)
{
    const double eighth = sum_tenth / 8, cosine = sum_tenth / 8;
    const tt_val x = array(tenth, N / 8, 8, TT_DIM_END), flat = array(tenth, N, TT_DIM_END, 0);
    near("gradient of a scale", tt_call(tt_jit(tt_grad(f_scaled)), tt_ones(TT_F32, 8), x), &eighth, 1, TREE);
    near("eager gradient of a scale", tt_call(tt_grad(f_scaled), tt_ones(TT_F32, 8), x), &eighth, 1, TREE);
    near("gradient of one number", tt_call(tt_jit(tt_grad(f_scaled)), tt_f(1), flat), &sum_tenth, 1, TREE);
    near("gradient of a bias", tt_call(tt_jit(tt_grad(f_biased)), tt_zeros(TT_F32, 8), x), &cosine, 1, TREE);
    near("vmap of sums", tt_call(tt_jit(tt_vmap(f_sum)), array(tenth, 8, N / 8, TT_DIM_END)), &eighth, 1, TREE);
    near("vmap over columns", tt_call(tt_jit(tt_vmap(f_sum, .in = "1")), x), &eighth, 1, TREE);
    const int64_t image[] = { 32, 128, N / 32 / 128 / 8, 8, TT_DIM_END };
    const tt_val pictures = tt_array_at("long_sums", TT_F32, tenth, image);
    near("gradient of a convolution's weights", tt_call(tt_jit(tt_grad(f_conv)), tt_ones(TT_F32, 1, 1, 8, 8), pictures),
         &eighth, 1, CHAIN);
}

static void on_meshes(void)
{
    static const char *const specs[] = { "data:2", "data:3", "data:8" };
    for (int i = 0; i < 3; i++) {
        const tt_mesh m = tt_mesh(specs[i]);
        char name[64];
        const tt_val x = array(tenth, N, TT_DIM_END, 0);
        snprintf(name, sizeof name, "sum on %s", specs[i]);
        near(name, tt_call(tt_jit(f_sum, .mesh = m, .in = "data"), x), &sum_tenth, 1, TREE);
        snprintf(name, sizeof name, "dot on %s", specs[i]);
        near(name, tt_call(tt_jit(f_dot, .mesh = m, .in = "data"), x), &sum_tenth, 1, TREE);
    }
}

static int run_all(void)
{
    fill();
    reductions("0.1", tenth, sum_tenth);
    reductions("10000", high, sum_high);
    running();
    made_of_sums();
    transformed();
    on_meshes();
    double bf16 = 0;
    for (int i = 0; i < N; i++) bf16 += 0x1.9ap-4;
    both("sum of bfloat16", f_half, array(tenth, N, TT_DIM_END, 0), &bf16, 1, TREE);
    check_done();
    return tt_done() || check_failed;
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "[PREFIX]")) return check_done();
    static const char *const modes[] = { "usual", "no-llvm", "llvm:now", "isa:avx2,no-amx,no-dnn", "isa:base",
                                         "reproducible" };
    char command[512], line[512];
    if (argc > 1) {
        static char prefix[64];
        snprintf(prefix, sizeof prefix, "%s: ", argv[1]);
        mode = prefix;
        return run_all();
    }
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        int passed = 0, failed = 0, skipped = 0;
        snprintf(command, sizeof command, "TUTTI=devices:8,no-cache,%s '%s' '%s'", i ? modes[i] : "", argv[0],
                 modes[i]);
        FILE *f = popen(command, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "%d passed, %d failed, %d skipped", &passed, &failed, &skipped) != 3) fputs(line, stdout);
        const int status = f ? pclose(f) : -1;
        check_passed += passed, check_failed += failed;
        CHECK((status == 0) == (failed == 0), "TUTTI=%s ended with %d", modes[i], status);
    }
    return check_done();
}
