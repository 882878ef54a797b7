/* scipy.c - special functions, distributions, functions of matrices, iterative solvers and losses: edges, meshes,
 * transforms, and what is refused. (Values are compared with JAX's by the goldens.) */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

static void near(const char *name, tt_val v, double want, double part)
{
    const double x = tt_num(v);
    const bool same = isnan(want) ? isnan(x) : x == want || fabs(x - want) <= part * fabs(want);
    CHECK(tt_ok() && same, "%s: %.9g, expected %.9g: %s", name, x, want, tt_ok() ? "" : tt_error());
    tt_clear();
}

static tt_val xlogy_of(tt_val x) { return tt_xlogy(x, tt_f(2)); }
static tt_val exp1_of(tt_val x) { return tt_exp1(x); }
static tt_val i0_of(tt_val x) { return tt_i0(x); }
static tt_val i1_of(tt_val x) { return tt_i1(x); }
static tt_val log_ndtr_of(tt_val x) { return tt_log_ndtr(x); }
static tt_val digamma_of(tt_val x) { return tt_digamma(x); }
static tt_val entropy(tt_val p) { return tt_sum(tt_entr(p)); }

static void edges(void)
{
    near("xlogy(0, 0)", tt_xlogy(tt_f(0), tt_f(0)), 0, 0);
    near("xlog1py(0, -1)", tt_xlog1py(tt_f(0), tt_f(-1)), 0, 0);
    near("xlogy by x at 0", tt_call(tt_grad(xlogy_of), tt_f(0)), log(2), 1e-6);
    near("entropy by p", tt_sum(tt_call(tt_grad(entropy), tt_full(0.25, TT_F32, 4))), 4 * (log(4) - 1), 1e-5);
    near("log_ndtr(-1000)", tt_log_ndtr(tt_full(-1000, TT_F64)), -500007.82669481, 1e-9);
    near("log_ndtr(10)", tt_log_ndtr(tt_full(10, TT_F64)), -7.619853024160526e-24, 1e-9);
    near("log_ndtr by x at -1e10", tt_call(tt_grad(log_ndtr_of), tt_f(-1e10)), 1e10, 1e-6);
    near("log_ndtr by x at -3000", tt_call(tt_grad(log_ndtr_of), tt_f(-3000)), 3000.00033333, 1e-6);
    near("log_ndtr by x at -1.5", tt_call(tt_grad(log_ndtr_of), tt_f(-1.5)), 1.93867717, 1e-6);
    near("log_ndtr by x at -0.5", tt_call(tt_grad(log_ndtr_of), tt_f(-0.5)), 1.14107783, 1e-6);
    near("log_ndtr by x at 10", tt_call(tt_grad(log_ndtr_of), tt_f(10)), 7.69459863e-23, 1e-5);
    near("log_ndtr by x, twice, at -1.5", tt_call(tt_grad(tt_grad(log_ndtr_of)), tt_f(-1.5)), -0.85045341, 1e-5);
    near("log_ndtr by x at -inf", tt_call(tt_grad(log_ndtr_of), tt_f(-(double)INFINITY)), (double)INFINITY, 0);
    near("expi(1)", tt_expi(tt_full(1, TT_F64)), 1.8951178163559368, 1e-14);
    near("expi(-1)", tt_expi(tt_full(-1, TT_F64)), -0.21938393439552029, 1e-14);
    near("expi(60)", tt_expi(tt_full(60, TT_F64)), 1.93618221392927650e+24, 1e-13);
    near("expi(0)", tt_expi(tt_full(0, TT_F64)), -(double)INFINITY, 0);
    near("expi(inf)", tt_expi(tt_full((double)INFINITY, TT_F64)), (double)INFINITY, 0);
    near("exp1(-1)", tt_exp1(tt_f(-1)), NAN, 0);
    near("exp1 by x at -1", tt_call(tt_grad(exp1_of), tt_f(-1)), NAN, 0);
    near("exp1 by x, twice, at -1", tt_call(tt_grad(tt_grad(exp1_of)), tt_f(-1)), NAN, 0);
    near("exp1 by x at 2", tt_call(tt_grad(exp1_of), tt_f(2)), -exp(-2) / 2, 1e-6);
    near("exp1 by x, twice, at 2", tt_call(tt_grad(tt_grad(exp1_of)), tt_f(2)), exp(-2) * 3 / 4, 1e-6);
    near("exp1 by x at 0", tt_call(tt_grad(exp1_of), tt_f(0)), -(double)INFINITY, 0);
    near("i0 by x at 0", tt_call(tt_grad(i0_of), tt_f(0)), 0, 0);
    near("i0 by x, twice, at 0", tt_call(tt_grad(tt_grad(i0_of)), tt_f(0)), 0.5, 1e-6);
    near("i0 by x at -1e-30", tt_call(tt_grad(i0_of), tt_f(-1e-30)), -5e-31, 1e-6);
    near("i0 by x at 2", tt_call(tt_grad(i0_of), tt_f(2)), 1.5906368546373291, 1e-6);
    near("i0 by x at -1000", tt_call(tt_grad(i0_of), tt_f(-1000)), -(double)INFINITY, 0);
    near("digamma by x at -9.5", tt_call(tt_grad(digamma_of), tt_f(-9.5)), 9.7696874450302319, 1e-6);
    near("digamma by x at -1e-3", tt_call(tt_grad(digamma_of), tt_f(-1e-3)), 1000001.552346536, 1e-6);
    const tt_val far = tt_full(-100000.5, TT_F64);
    near("digamma by x at -100000.5", tt_call(tt_grad(digamma_of), far), 9.8695944011893577, 1e-12);
    near("polygamma(2, -20.25)", tt_polygamma(tt_f(2), tt_f(-20.25)), 124.02278552474384, 1e-6);
    near("polygamma(3, -1.5)", tt_polygamma(tt_f(3), tt_f(-1.5)), 194.59427621918762, 1e-6);
    near("zeta(4, -30.5)", tt_zeta(tt_f(4), tt_f(-30.5)), 32.469685828088852, 1e-6);
    near("zeta(3, -1e-10)", tt_zeta(tt_full(3, TT_F64), tt_full(-1e-10, TT_F64)), -1e30, 1e-12);
    near("i1 by x at 0", tt_call(tt_grad(i1_of), tt_f(0)), 0.5, 0);
    near("i1 by x, twice, at 0", tt_call(tt_grad(tt_grad(i1_of)), tt_f(0)), 0, 0);
    near("i1 by x, twice, at 1e-3", tt_call(tt_grad(tt_grad(i1_of)), tt_f(1e-3)), 3.75000052e-4, 1e-5);
    near("i1 by x, twice, at 2", tt_call(tt_grad(tt_grad(i1_of)), tt_f(2)), 1.24616263, 1e-5);
    near("i1 by x at -2", tt_call(tt_grad(i1_of), tt_f(-2)), 1.48426687, 1e-6);
    near("i1 by x at 300", tt_call(tt_grad(i1_of), tt_f(300)), (double)INFINITY, 0);
    near("betaln(1e6, 2e6)", tt_betaln(tt_full(1e6, TT_F64), tt_full(2e6, TT_F64)), -1909548.290968532907, 1e-13);
    near("poisson(1.5)", tt_poisson_pmf(tt_f(1.5), tt_f(2)), 0, 0);
    near("beta(2)", tt_beta_logpdf(tt_f(2), tt_f(1), tt_f(1)), -(double)INFINITY, 0);
    near("norm of integers", tt_norm_cdf(tt_i(0)), 0.5, 0);
    near("norm, placed", tt_norm_ppf(tt_f(0.5), .loc = tt_f(3), .scale = tt_f(2)), 3, 0);
    near("expm(0)", tt_sum(tt_expm(tt_zeros(TT_F32, 3, 3))), 3, 0);
    near("expm(1e30)", tt_sum(tt_expm(tt_full(1e30, TT_F32, 2, 2))), NAN, 0);
}

/* Forward substitution is an infinite component's way, as in JAX 0.10.2: y behind it is infinite or NaN, y before it is
 * finite. */
static void far_away(void)
{
    static const float full[] = { 2, .5f, .1f, .5f, 1, .2f, .1f, .2f, 3 };
    static const struct { const char *name; float x[3]; double want[2]; } row[] = {
        { "the last", { 0, 0, INFINITY }, { -(double)INFINITY, -(double)INFINITY } },
        { "the last, negative", { 0, 0, -INFINITY }, { -(double)INFINITY, -(double)INFINITY } },
        { "the second", { 0, INFINITY, 0 }, { -(double)INFINITY, NAN } },
        { "the first", { INFINITY, 0, 0 }, { NAN, NAN } },
        { "all", { INFINITY, INFINITY, INFINITY }, { NAN, NAN } },
        { "NaN, the last", { 0, 0, NAN }, { NAN, NAN } },
    };
    const tt_val mean = tt_zeros(TT_F32, 3), cov[] = { tt_array(TT_F32, full, 3, 3), tt_eye(TT_F32, 3) };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 2; k++) {
            const tt_val x = tt_array(TT_F32, row[i].x, 3);
            near(row[i].name, tt_multivariate_normal_logpdf(x, mean, cov[k]), row[i].want[k], 0);
            near(row[i].name, tt_multivariate_normal_pdf(x, mean, cov[k]), exp(row[i].want[k]), 0);
        }
    near("no covariance", tt_multivariate_normal_logpdf(mean, mean, tt_neg(cov[1])), NAN, 0);
}

static tt_val apply(tt_val x, tt_val a) { return tt_matmul(a, x); }
static tt_val laplacian(tt_val x)                        /* 2.5 x - its neighbours, on a ring; x of any shape */
{
    const tt_val flat = tt_flatten(x, 0), sides = tt_add(tt_roll(flat, 1, 0), tt_roll(flat, -1, 0));
    return tt_reshape(tt_sub(tt_mul(tt_f(2.5), flat), sides), 2, 4);
}
static tt_val solved(tt_val a, tt_val b) { return tt_cg(apply, b, .with = a, .tol = 1e-7); }
static tt_val dense(tt_val a, tt_val b) { return tt_solve(a, b); }
static tt_val solved_sum(tt_val a, tt_val b) { return tt_sum(tt_square(solved(a, b))); }
static tt_val dense_sum(tt_val a, tt_val b) { return tt_sum(tt_square(dense(a, b))); }

static void close_to(const char *name, tt_val a, tt_val b, double atol)
{
    const double off = tt_num(tt_amax(tt_abs(tt_sub(a, b))));
    CHECK(tt_ok() && off <= atol, "%s: off by %g: %s", name, off, tt_ok() ? "" : tt_error());
    tt_clear();
}

static void solvers(void)
{
    const tt_val m = tt_normal(tt_key(1), TT_F32, 6, 6), b = tt_normal(tt_key(2), TT_F32, 6);
    const tt_val a = tt_add(tt_mul(tt_f(0.2), tt_matmul(m, tt_transpose(m))), tt_eye(TT_F32, 6));
    const tt_val grid = tt_normal(tt_key(3), TT_F32, 2, 4);
    close_to("cg", solved(a, b), dense(a, b), 1e-5);
    close_to("cg by A", tt_call(tt_grad(solved_sum), a, b), tt_call(tt_grad(dense_sum), a, b), 1e-4);
    close_to("cg in jit", tt_call(tt_jit(tt_grad(solved_sum)), a, b), tt_call(tt_grad(dense_sum), a, b), 1e-4);
    close_to("cg of a grid", laplacian(tt_cg(laplacian, grid)), grid, 1e-4);
    close_to("bicgstab of a grid", laplacian(tt_bicgstab(laplacian, grid)), grid, 1e-4);
    close_to("gmres of a grid", laplacian(tt_gmres(laplacian, grid)), grid, 1e-4);
    close_to("gmres again and again", laplacian(tt_gmres(laplacian, grid, .restart = 3)), grid, 1e-4);
    close_to("cg from x0", solved(a, b), tt_cg(apply, b, .with = a, .x0 = dense(a, b)), 1e-5);
    const tt_val bs = tt_normal(tt_key(4), TT_F32, 3, 6);
    const tt_val many = tt_call(tt_vmap(solved, .in = "_; 0"), a, bs);
    close_to("cg under vmap", many, tt_transpose(tt_solve(a, tt_transpose(bs))), 1e-5);
    const tt_val laid = tt_shard(a, tt_mesh("i:2"), "i, _");
    close_to("cg on a mesh", tt_call(tt_jit(solved), laid, b), dense(a, b), 1e-5);
}

static tt_val pdf_sum(tt_val x) { return tt_sum(tt_gamma_logpdf(x, tt_f(2), .scale = tt_f(3))); }
static void on_a_mesh(void)
{
    const tt_val x = tt_add(tt_arange(TT_F32, 8), tt_f(0.5)), laid = tt_shard(x, tt_mesh("i:4"), "i");
    close_to("a density", tt_call(tt_jit(tt_grad(pdf_sum)), laid), tt_call(tt_grad(pdf_sum), x), 1e-6);
    const tt_val logits = tt_normal(tt_key(1), TT_F32, 4, 6, 5), rows = tt_shard(logits, tt_mesh("i:4"), "i");
    const tt_val labels = tt_randint(tt_key(2), TT_I32, tt_i(1), tt_i(5), 4, 3);
    const tt_val none = tt_zeros(TT_F32, 4, 6), few = tt_zeros(TT_F32, 4, 3);
    close_to("ctc", tt_ctc_loss(rows, none, labels, few), tt_ctc_loss(logits, none, labels, few), 1e-4);
    close_to("expm of a batch", tt_expm(tt_shard(tt_normal(tt_key(3), TT_F32, 4, 3, 3), tt_mesh("i:4"), "i")),
             tt_expm(tt_normal(tt_key(3), TT_F32, 4, 3, 3)), 1e-4);
    tt_clear();
}

static void refused(const char *what, const char *part, tt_val v)
{
    (void)v;
    CHECK(!tt_ok() && strstr(tt_error(), part), "%s: %s", what, tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static tt_val shorter(tt_val x) { return tt_slice(x, 0, 0, 2, 1); }
static void errors(void)
{
    const tt_val x = tt_ones(TT_F32, 3), z = tt_complex(x, x), m = tt_ones(TT_F32, 2, 3), id = tt_ones(TT_I32, 2);
    refused("logpdf of complex numbers", "norm_logpdf: of c64[3]; expected real numbers", tt_norm_logpdf(z));
    refused("pmf with a scale", "poisson_logpmf has no .scale: counts are not scaled",
            tt_poisson_logpmf(x, tt_f(1), .scale = tt_f(2)));
    refused("cdf of a tuple", "of a tree", tt_norm_cdf(tt_tuple(x, x)));
    refused("xlogy of complex numbers", "xlogy: of c64", tt_xlogy(z, x));
    refused("multigammaln of 0", "of 0 dims; expected 1", tt_multigammaln(x, 0));
    refused("expm of a row", "expm: of f32[2, 3]; expected a square matrix", tt_expm(m));
    refused("polar of a wide matrix", "expected [.., m, n] with m >= n", tt_polar(m));
    refused("lu_solve of a matrix", "is not a result of tt_lu", tt_lu_solve(m, x));
    refused("toeplitz of matrices", "expected [m] and [n]", tt_toeplitz(m, x));
    refused("cg of complex numbers", "expected an array of real numbers", tt_cg(apply, z, .with = m));
    refused("cg of a map that is none", "expected the same shape", tt_cg(shorter, x));
    refused("cg, tol below 0", "expected 0 or more", tt_cg(laplacian, x, .tol = -1));
    refused("cg from a transposed shape", "x0 is f32[4, 2]; expected b's shape",
            tt_cg(laplacian, tt_ones(TT_F32, 2, 4), .x0 = tt_ones(TT_F32, 4, 2)));
    refused("cg with a restart", "cg has no .restart", tt_cg(laplacian, x, .restart = 5));
    refused("bicgstab with a restart", "bicgstab has no .restart", tt_bicgstab(laplacian, x, .restart = 5));
    refused("cg from another shape", "expected b's shape", tt_cg(laplacian, tt_ones(TT_F32, 2, 4), .x0 = x));
    refused("multivariate normal", "expected [.., n], [.., n] and [.., n, n]", tt_multivariate_normal_logpdf(x, x, m));
    refused("dirichlet", "expected [n] or [n - 1, ..], and [n]", tt_dirichlet_logpdf(x, tt_ones(TT_F32, 5)));
    refused("multinomial of floats", "expected integers", tt_multinomial_logpmf(x, tt_f(3), x));
    refused("triplet of two shapes", "expected one shape", tt_triplet_margin_loss(x, x, m));
    refused("hinge of float labels", "expected [B, K] and integers [B]",
            tt_multiclass_hinge_loss(m, tt_ones(TT_F32, 2)));
    refused("focal alpha", "expected 0 to 1", tt_sigmoid_focal_loss(x, x, .alpha = 2));
    refused("ntxent", "expected [B, D] and [B]", tt_ntxent(x, id));
    refused("ctc logits", "expected [B, T, K] and integers [B, N]", tt_ctc_loss(m, m, id, id));
    refused("ctc paddings", "logit_paddings are f32[2, 3]; expected [2, 4]",
            tt_ctc_loss(tt_ones(TT_F32, 2, 4, 5), m, tt_ones(TT_I32, 2, 3), m));
    refused("ctc blank", "the blank is class 5; expected 0 to 4",
            tt_ctc_loss(tt_ones(TT_F32, 2, 3, 5), m, tt_ones(TT_I32, 2, 3), m, .blank = 5));
    const tt_val hot = tt_ones(TT_F32, 2, 3, 5), two = tt_ones(TT_I32, 2, 3);
    refused("ctc log_epsilon 0", "log_epsilon = 0; it is finite and below 0",
            tt_ctc_loss(hot, m, two, m, .log_epsilon = 0));
    refused("ctc log_epsilon 1", "log_epsilon = 1", tt_ctc_loss(hot, m, two, m, .log_epsilon = 1));
    refused("ctc log_epsilon", "log_epsilon = -inf", tt_ctc_loss(hot, m, two, m, .log_epsilon = -INFINITY));
    refused("squared error of two shapes", "expected one shape", tt_squared_error(x, m));
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(edges());
    CHECK_RUN(far_away());
    CHECK_RUN(solvers());
    CHECK_RUN(on_a_mesh());
    CHECK_RUN(errors());
    return check_done();
}
