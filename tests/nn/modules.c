/* modules.c - layers against their formulas in double: dense, batch norm (alone, and averaged over an axis),
 * dropout, layer norm over several dims, a run of cells with another activation; the axes of a bias, the table of
 * variables. Names, keys and initial values are the goldens' part. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

enum { N = 16, C = 3 };
static const double eps = 1e-5, keep = 0.9;

static tt_val norm(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x, .momentum = 0.9); }
static tt_val norm_over(tt_nn m, tt_val x) { return tt_batch_norm(m, "n", x, .momentum = 0.9, .axis = "i"); }
static tt_val drop(tt_nn m, tt_val x) { return tt_dropout(m, x, 0.25); }
static tt_val drop_all(tt_nn m, tt_val x) { return tt_dropout(m, x, 1); }
static tt_val drop_wrong(tt_nn m, tt_val x) { return tt_dropout(m, x, 1.5); }
static tt_val plain(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2, .axes = "embed, hidden", .bias_init = "ones"); }
static tt_val bare(tt_nn m, tt_val x) { return tt_dense(m, "d", x, 2, .no_bias = 1); }

static tt_val norm_two(tt_nn m, tt_val x) { return tt_layer_norm(m, "n", x, .dims = "2, 1", .eps = 1e-3); }
static tt_val norm_bad(tt_nn m, tt_val x) { return tt_layer_norm(m, "n", x, .dims = "1, -2"); }
static tt_val norm_each(tt_nn m, tt_val x) { return tt_group_norm(m, "n", x, -1); }
static tt_val norm_own(tt_nn m, tt_val x) { return tt_instance_norm(m, "n", x); }
static tt_val run_relu(tt_nn m, tt_val x)
{
    const tt_val h = tt_ones(TT_F32, tt_dim(x, 1), 2);
    return tt_item(tt_rnn(m, "r", tt_simple_cell, h, x, .act = tt_relu_at, .no_bias = 1), 0);
}

static bool near(double a, double b) { return fabs(a - b) <= 2e-5 * (1 + fabs(b)); }

static void moments(const float *x, int c, double *mean, double *var)
{
    double sum = 0, square = 0;
    for (int i = 0; i < N; i++) sum += x[i * C + c], square += (double)x[i * C + c] * x[i * C + c];
    *mean = sum / N;
    *var = square / N - *mean * *mean;
}

static void batch_norm(void)
{
    float x[N * C], y[N * C], mean[C], var[C];
    const tt_val in = tt_add(tt_mul(tt_normal(tt_key(1), TT_F32, N, C), tt_f(3)), tt_f(2));
    const tt_val vars = tt_init(norm, tt_key(0), in);
    const tt_val out = tt_apply_train(norm, vars, in, tt_key(2)), next = tt_item(out, 1);
    CHECK(tt_read(in, x, sizeof x) && tt_read(tt_item(out, 0), y, sizeof y), "%s", tt_error());
    CHECK(tt_read(tt_get(next, "n.mean"), mean, sizeof mean) && tt_read(tt_get(next, "n.var"), var, sizeof var), "%s",
          tt_error());
    for (int c = 0; c < C; c++) {
        double m, v;
        moments(x, c, &m, &v);
        CHECK(near(mean[c], (1 - keep) * m), "running mean %g, expected %g", (double)mean[c], (1 - keep) * m);
        CHECK(near(var[c], keep + (1 - keep) * v), "running variance %g, expected %g", (double)var[c],
              keep + (1 - keep) * v);
        for (int i = 0; i < N; i++)
            CHECK(near(y[i * C + c], (x[i * C + c] - m) / sqrt(v + eps)), "[%d, %d]: %g", i, c, (double)y[i * C + c]);
    }
    CHECK(tt_read(tt_apply(norm, next, in), y, sizeof y), "%s", tt_error());
    for (int i = 0; i < N * C; i++) {
        const double want = (x[i] - mean[i % C]) / sqrt(var[i % C] + eps);
        CHECK(near(y[i], want), "inference [%d]: %g, expected %g", i, (double)y[i], want);
    }
}

/* Four devices with a quarter of the batch each, statistics averaged over them, do what one with the whole batch
 * does. */
static tt_val trained(tt_val vars, tt_val x) { return tt_item(tt_apply_train(norm_over, vars, x, tt_key(2)), 0); }

static void batch_norm_over(void)
{
    float whole[N * C], parts[N * C];
    const tt_val in = tt_normal(tt_key(1), TT_F32, N, C), vars = tt_init(norm, tt_key(0), in);
    const tt_fn f = tt_pmap(trained, .mesh = tt_mesh("i:4"), .axis = "i", .in = "_; 0");
    CHECK(tt_read(tt_item(tt_apply_train(norm, vars, in, tt_key(2)), 0), whole, sizeof whole), "%s", tt_error());
    CHECK(tt_read(tt_call(f, vars, tt_reshape(in, 4, N / 4, C)), parts, sizeof parts), "%s", tt_error());
    for (int i = 0; i < N * C; i++) CHECK(near(parts[i], whole[i]), "[%d]: %g and %g", i, (double)parts[i],
                                          (double)whole[i]);
}

static void dropout(void)
{
    enum { MANY = 20000 };
    static float y[MANY];
    const tt_val in = tt_ones(TT_F32, MANY), vars = tt_init(drop, tt_key(0), in);
    int kept = 0, odd = 0;
    CHECK(tt_read(tt_item(tt_apply_train(drop, vars, in, tt_key(3)), 0), y, sizeof y), "%s", tt_error());
    for (int i = 0; i < MANY; i++) kept += y[i] != 0, odd += y[i] != 0 && !near(y[i], 1 / 0.75);
    CHECK(odd == 0 && abs(kept - MANY * 3 / 4) < 250, "%d kept of %d, %d of another size", kept, MANY, odd);
    CHECK(tt_read(tt_apply(drop, vars, in), y, sizeof y), "%s", tt_error());
    for (int i = odd = 0; i < MANY; i++) odd += y[i] != 1;
    CHECK(odd == 0, "inference changes %d elements", odd);
    CHECK(tt_read(tt_item(tt_apply_train(drop_all, vars, in, tt_key(3)), 0), y, sizeof y), "%s", tt_error());
    for (int i = odd = 0; i < MANY; i++) odd += y[i] != 0;
    CHECK(odd == 0, "a rate of 1 keeps %d elements", odd);
    tt_apply_train(drop_wrong, vars, in, tt_key(3));
    CHECK(!tt_ok() && strstr(tt_error(), "rate = 1.5; expected 0 to 1"), "%s", tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void dense(void)
{
    float x[4 * 3], w[3 * 2], y[4 * 2];
    const tt_val in = tt_normal(tt_key(1), TT_F32, 4, 3), vars = tt_init(plain, tt_key(0), in);
    CHECK(tt_read(in, x, sizeof x) && tt_read(tt_get(vars, "d.kernel"), w, sizeof w), "%s", tt_error());
    CHECK(tt_read(tt_apply(plain, vars, in), y, sizeof y), "%s", tt_error());
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            double want = 1;
            for (int k = 0; k < 3; k++) want += (double)x[i * 3 + k] * w[k * 2 + j];
            CHECK(near(y[i * 2 + j], want), "[%d, %d]: %g, expected %g", i, j, (double)y[i * 2 + j], want);
        }
    const char *axes = tt_leaf_axes(tt_get(vars, "d.bias"));
    CHECK(axes && !strcmp(axes, "hidden"), "the bias has the axes %s", axes ? axes : "(none)");
    CHECK(!tt_has(tt_init(bare, tt_key(0), in), "d.bias"), "a bias that was not wanted");
}

/* The gradient through statistics of a batch that is over two devices is that of the whole batch on one. */
static tt_val weighed(tt_val shift, tt_val x, tt_val c)
{
    const tt_val vars = tt_init(norm, tt_key(0), x), y = tt_apply_train(norm, vars, tt_add(x, shift), tt_key(2));
    return tt_sum(tt_mul(tt_item(y, 0), c));
}

static void batch_norm_cut(void)
{
    float one[N * C], two[N * C];
    const tt_mesh mesh = tt_mesh("i:2");
    const tt_val x = tt_normal(tt_key(1), TT_F32, N, C), c = tt_normal(tt_key(3), TT_F32, N, C);
    const tt_val s = tt_zeros(TT_F32, C);
    const tt_fn f = tt_jit(tt_grad(weighed, .wrt = "1"));
    CHECK(tt_read(tt_call(f, s, x, c), one, sizeof one), "%s", tt_error());
    CHECK(tt_read(tt_call(f, s, tt_shard(x, mesh, "i"), c), two, sizeof two), "%s", tt_error());
    for (int i = 0; i < N * C; i++)
        CHECK(near(two[i], one[i]), "[%d]: %g on two devices, %g on one", i, (double)two[i], (double)one[i]);
    const tt_val g = tt_call(tt_jit(tt_grad(weighed)), tt_shard(s, mesh, "_"), tt_shard(x, mesh, "i"), c);
    CHECK(tt_read(g, one, C * sizeof *one), "%s", tt_error());
    for (int i = 0; i < C; i++)
        CHECK(fabs((double)one[i]) < 1e-4, "the gradient of a shift before a norm: %g", (double)one[i]);
}

static void summary(void)
{
    const char *want = "variable  type                               elements\n"
                       "n.bias    f32[3]                                    3\n"
                       "n.mean    f32[3]                                    3 fixed\n"
                       "n.scale   f32[3]                                    3\n"
                       "n.var     f32[3]                                    3 fixed\n"
                       "total                                               6\n"
                       "fixed                                               6\n";
    const char *got = tt_summary(tt_init(norm, tt_key(0), tt_zeros(TT_F32, 1, C)));
    CHECK(!strcmp(got, want), "the table is\n%s", got);
}

/* [2, 3, 4]: scale and bias are [3, 4], statistics of 12 elements. */
static void norm_of_dims(void)
{
    float x[24], w[12], b[12], y[24];
    const tt_val in = tt_normal(tt_key(3), TT_F32, 2, 3, 4), w0 = tt_normal(tt_key(4), TT_F32, 3, 4);
    tt_val vars = tt_init(norm_two, tt_key(0), in);
    CHECK(tt_dim(tt_get(vars, "n.scale"), 0) == 3 && tt_dim(tt_get(vars, "n.bias"), 1) == 4,
          "not the dims normed over");
    vars = tt_set(tt_set(vars, "n.scale", w0), "n.bias", tt_neg(w0));
    CHECK(tt_read(in, x, sizeof x) && tt_read(w0, w, sizeof w) && tt_read(tt_neg(w0), b, sizeof b), "%s", tt_error());
    CHECK(tt_read(tt_apply(norm_two, vars, in), y, sizeof y), "%s", tt_error());
    for (int i = 0; i < 2; i++) {
        double sum = 0, square = 0;
        for (int j = 0; j < 12; j++) sum += x[i * 12 + j], square += (double)x[i * 12 + j] * x[i * 12 + j];
        const double mean = sum / 12, factor = 1 / sqrt(square / 12 - mean * mean + 1e-3);
        for (int j = 0; j < 12; j++) {
            const double want = (x[i * 12 + j] - mean) * factor * w[j] + b[j];
            CHECK(near(y[i * 12 + j], want), "[%d, %d]: %g, expected %g", i, j, (double)y[i * 12 + j], want);
        }
    }
    tt_init(norm_bad, tt_key(0), in);                    /* one dim by two names */
    CHECK(!tt_ok() && strstr(tt_error(), "each once"), "%s", tt_ok() ? "dim 1 twice was accepted" : tt_error());
    tt_clear();
}

static void norm_of_channels(void)                       /* every channel a group: the instance norm */
{
    float one[24], other[24];
    const tt_val in = tt_normal(tt_key(3), TT_F32, 2, 3, 4), vars = tt_init(norm_own, tt_key(0), in);
    CHECK(tt_read(tt_apply(norm_each, vars, in), one, sizeof one) &&
              tt_read(tt_apply(norm_own, vars, in), other, sizeof other), "%s", tt_error());
    CHECK(!memcmp(one, other, sizeof one), "-1 groups are not the channels");
}

static void cells(void)                                  /* h' = relu(x i + h h'), without a bias */
{
    float x[3 * 3], w[3 * 2], u[2 * 2], y[2];
    double h[2] = { 1, 1 };
    const tt_val in = tt_normal(tt_key(5), TT_F32, 3, 1, 3), vars = tt_init(run_relu, tt_key(0), in);
    CHECK(!tt_has(vars, "r.i.bias"), "a bias that was not wanted");
    CHECK(tt_read(in, x, sizeof x) && tt_read(tt_get(vars, "r.i.kernel"), w, sizeof w) &&
              tt_read(tt_get(vars, "r.h.kernel"), u, sizeof u), "%s", tt_error());
    CHECK(tt_read(tt_apply(run_relu, vars, in), y, sizeof y), "%s", tt_error());
    for (int t = 0; t < 3; t++) {
        double next[2] = { 0 };
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 3; k++) next[j] += (double)x[t * 3 + k] * w[k * 2 + j];
            for (int k = 0; k < 2; k++) next[j] += h[k] * u[k * 2 + j];
        }
        for (int j = 0; j < 2; j++) h[j] = next[j] > 0 ? next[j] : 0;
    }
    for (int j = 0; j < 2; j++) CHECK(near(y[j], h[j]), "[%d]: %g, expected %g", j, (double)y[j], h[j]);
    CHECK(h[0] > 0 || h[1] > 0, "a case that shows nothing");
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(batch_norm());
    CHECK_RUN(batch_norm_over());
    CHECK_RUN(batch_norm_cut());
    CHECK_RUN(dropout());
    CHECK_RUN(dense());
    CHECK_RUN(norm_of_dims());
    CHECK_RUN(norm_of_channels());
    CHECK_RUN(cells());
    CHECK_RUN(summary());
    CHECK(tt_ok(), "%s", tt_error());
    tt_done();
    return check_done();
}
