/* edges.c - derivatives of array functions where an operand is infinite, NaN, at the end of its domain, or equal to
 * another, against JAX's; results whose types or roundings are easily missed. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <tutti.h>

static tt_val max_up(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummax(x, 0))); }
static tt_val max_down(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummax(x, 0, .reverse = 1))); }
static tt_val min_up(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummin(x, 0))); }
static tt_val min_down(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cummin(x, 0, .reverse = 1))); }
static tt_val log_sums(tt_val x, tt_val w) { return tt_sum(tt_mul(w, tt_cumlogsumexp(x, 0))); }

static void edges_near(const char *name, tt_val got, int n, const double *want, double part)
{
    double y[4] = { 0 };
    CHECK(tt_read(tt_cast(got, TT_F64), y, (size_t)n * sizeof *y), "%s: %s", name, tt_error());
    for (int i = 0; i < n; i++) {
        const double off = fabs(y[i] - want[i]);
        const bool same = isnan(want[i]) ? isnan(y[i]) : y[i] == want[i] || off <= part * fabs(want[i]);
        CHECK(same, "%s: [%d] is %.17g, expected %.17g", name, i, y[i], want[i]);
    }
    tt_clear();
}

/* Equal elements share the cotangent as in JAX, whatever their value; NaN reaches every element that it met. */
static void cumulative(void)
{
    static const struct { const char *name; tt_f2 *f; double x[4], want[4]; } t[] = {
        { "cummax", max_up, { -INFINITY, -INFINITY, 1, 2 }, { 2, 1, 3, 4 } },
        { "cummax reversed", max_down, { 2, 1, -INFINITY, -INFINITY }, { 1, 2, 1.5, 5.5 } },
        { "cummin", min_up, { INFINITY, INFINITY, -1, -2 }, { 2, 1, 3, 4 } },
        { "cummin reversed", min_down, { -2, -1, INFINITY, INFINITY }, { 1, 2, 1.5, 5.5 } },
        { "cummax of ties", max_up, { 1, 1, 1, 1 }, { 3.75, 2.75, 2.5, 1 } },
        { "cummax of ties", max_up, { -1, -1, -1, -2 }, { 3.75, 2.75, 3.5, 0 } },
        { "cummax of ties, reversed", max_down, { 1, 0, 1, 1 }, { 0.5, 0, 2.75, 6.75 } },
        { "cummin of ties", min_up, { 0, 0, 0, 1 }, { 3.75, 2.75, 3.5, 0 } },
        { "cummin of ties, reversed", min_down, { 1, 1, 1, 1 }, { 0.25, 1.25, 2.25, 6.25 } },
        { "cumlogsumexp", log_sums, { 1, 2, NAN, 4 }, { NAN, NAN, NAN, NAN } },
        { "cumlogsumexp", log_sums, { -INFINITY, 0, -INFINITY, 1000 }, { 1, 5, 0, 4 } },
    };
    const double w[4] = { 1, 2, 3, 4 };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        edges_near(t[i].name, tt_call(tt_grad(t[i].f), tt_array(TT_F64, t[i].x, 4), tt_array(TT_F64, w, 4)), 4,
                   t[i].want, 0);
}

static tt_val long_side(tt_val x, tt_val y) { return tt_hypot(x, y); }
static void hypots(void)
{
    static const double t[][4] = { { 3, 4, 0.6, 0.8 }, { 0, 3, 0, 1 }, { 0, 0, NAN, NAN }, { INFINITY, 2, NAN, 0 },
                                   { 2, -INFINITY, 0, NAN }, { INFINITY, INFINITY, NAN, NAN },
                                   { NAN, 1, NAN, NAN }, { 1, NAN, NAN, NAN }, { NAN, NAN, NAN, NAN },
                                   { 1.5e308, -1.5e308, M_SQRT1_2, -M_SQRT1_2 }, { 1.2e308, 1.6e308, 0.6, 0.8 },
                                   { 0x1.8p-1073, 0x1p-1072, 0.6, 0.8 } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val x = tt_array(TT_F64, &t[i][0], TT_DIM_END), y = tt_array(TT_F64, &t[i][1], TT_DIM_END);
        const tt_val both = tt_call(tt_grad(long_side, .wrt = "0, 1"), x, y);
        for (int k = 0; k < 2; k++) edges_near("hypot", tt_item(both, k), 1, &t[i][2 + k], 1e-15);
    }
}

/* Second derivatives of hypot: y^2 / r^3 and -x y / r^3. */
static tt_val slope_x(tt_val x, tt_val y) { return tt_call(tt_grad(long_side), x, y); }
static void hypot_bends(void)
{
    static const double t[][4] = { { 3, 4, 0.128, -0.096 }, { -1, 0, 0, 0 }, { 1.5e308, 1.5e308, 0, 0 },
                                   { 0, INFINITY, 0, NAN }, { 0, 0, NAN, NAN } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val x = tt_array(TT_F64, &t[i][0], TT_DIM_END), y = tt_array(TT_F64, &t[i][1], TT_DIM_END);
        const tt_val both = tt_call(tt_grad(slope_x, .wrt = "0, 1"), x, y);
        for (int k = 0; k < 2; k++) edges_near("hypot, second", tt_item(both, k), 1, &t[i][2 + k], 4e-15);
    }
}

static tt_val sum_of_both(tt_val x, tt_val y) { return tt_logaddexp(x, y); }
/* As JAX's, whose rule has 0 in the place of an infinite operand or result. */
static void log_sums_at_infinity(void)
{
    const double e = 2.718281828459045;
    const double t[][4] = { { INFINITY, INFINITY, 1, 1 }, { -INFINITY, -INFINITY, NAN, NAN },
                            { INFINITY, 1, 1, e }, { 1, INFINITY, e, 1 }, { INFINITY, -INFINITY, 1, 0 },
                            { -INFINITY, 1, 0, 1 }, { 1, -INFINITY, 1, 0 }, { NAN, 1, NAN, NAN },
                            { 1, NAN, NAN, NAN }, { INFINITY, NAN, NAN, NAN }, { 1e10, 1e10, 0.5, 0.5 } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val x = tt_array(TT_F64, &t[i][0], TT_DIM_END), y = tt_array(TT_F64, &t[i][1], TT_DIM_END);
        const tt_val both = tt_call(tt_grad(sum_of_both, .wrt = "0, 1"), x, y);
        for (int k = 0; k < 2; k++) edges_near("logaddexp", tt_item(both, k), 1, &t[i][2 + k], 4e-15);
    }
}

/* Inverse functions at the ends of their domains, beyond them, and near 0: first and second derivatives. */
static tt_f1 *inverse;
static tt_val inverse_slope(tt_val x) { return tt_call(tt_grad(inverse), x); }
static void inverses(void)
{
    static const struct { const char *name; tt_f1 *f; double x, slope, bend; } t[] = {
        { "asin", tt_asin, 1, INFINITY, INFINITY }, { "asin", tt_asin, -1, INFINITY, -INFINITY },
        { "asin", tt_asin, 2, NAN, NAN }, { "asin", tt_asin, 1e-20, 1, 1e-20 },
        { "asin", tt_asin, INFINITY, NAN, NAN }, { "acos", tt_acos, 1, -INFINITY, -INFINITY },
        { "acos", tt_acos, -1, -INFINITY, INFINITY }, { "acos", tt_acos, -2, NAN, NAN },
        { "acos", tt_acos, 1e-20, -1, -1e-20 }, { "acosh", tt_acosh, 1, INFINITY, -INFINITY },
        { "acosh", tt_acosh, 0.5, NAN, NAN }, { "acosh", tt_acosh, -3, NAN, NAN },
        { "acosh", tt_acosh, 1e20, 1e-20, -1e-40 }, { "acosh", tt_acosh, INFINITY, 0, 0 },
        { "asinh", tt_asinh, 1e-20, 1, -1e-20 }, { "asinh", tt_asinh, -1e200, 1e-200, 0 },
        { "asinh", tt_asinh, INFINITY, 0, NAN }, { "atanh", tt_atanh, 1, INFINITY, INFINITY },
        { "atanh", tt_atanh, 1e-20, 1, 2e-20 }, { "atanh", tt_atanh, 1e10, -1e-20, 2e-30 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val x = tt_array(TT_F64, &t[i].x, TT_DIM_END);
        inverse = t[i].f;
        edges_near(t[i].name, inverse_slope(x), 1, &t[i].slope, 4e-15);
        edges_near("its second derivative", tt_call(tt_grad(inverse_slope), x), 1, &t[i].bend, 4e-15);
    }
}

static tt_val divided(tt_val x) { return tt_floor_divide(tt_f(7), x); }
static tt_val with_one(tt_val x) { return tt_logaddexp(x, tt_f(1)); }
static tt_val to_zero(tt_val x) { return tt_log_cosh(x, tt_f(0)); }
static tt_val to_infinity(tt_val x) { return tt_log_cosh(x, tt_f(INFINITY)); }
static tt_val before_zero(tt_val x) { return tt_logaddexp(x, tt_f(0)); }
static tt_val of_true(tt_val x) { return tt_bce(x, tt_f(1)); }
static tt_val before_nan(tt_val x) { return tt_logaddexp(x, tt_f(NAN)); }

static void slopes(void)
{
    static const struct { const char *name; tt_f1 *f; double x, want; } t[] = {
        { "expm1", tt_expm1, -40, 4.248354255291589e-18 }, { "expm1", tt_expm1, -800, 0 },
        { "cosh", tt_cosh, 1e-10, 1e-10 }, { "cosh", tt_cosh, -1e-10, -1e-10 }, { "cosh", tt_cosh, 0, 0 },
        { "cosh", tt_cosh, 19, 89241150.48159361 }, { "cosh", tt_cosh, -25, -36002449668.69293 },
        { "cosh", tt_cosh, 20, 242582597.70489514 }, { "cosh", tt_cosh, -20, -242582597.70489514 },
        { "sinh", tt_sinh, 20, 242582597.70489514 }, { "sinh", tt_sinh, -20, 242582597.70489514 },
        { "sinh", tt_sinh, 710, 1.1169973830808557e+308 }, { "cosh", tt_cosh, -710, -1.1169973830808557e+308 },
        { "cbrt", tt_cbrt, 0, INFINITY }, { "cbrt", tt_cbrt, -0.0, INFINITY }, { "cbrt", tt_cbrt, INFINITY, 0 },
        { "cbrt", tt_cbrt, -INFINITY, 0 }, { "cbrt", tt_cbrt, 8, 1 / 12. }, { "asin", tt_asin, 1, INFINITY },
        { "asin", tt_asin, -1, INFINITY }, { "acos", tt_acos, 1, -INFINITY }, { "acos", tt_acos, -1, -INFINITY },
        { "floor_divide", divided, 0, 0 }, { "floor_divide", divided, 2, 0 }, { "logaddexp", with_one, NAN, NAN },
        { "logaddexp", before_nan, 3, NAN }, { "logaddexp", with_one, -INFINITY, 0 },
        { "logaddexp", with_one, INFINITY, 1 }, { "log_cosh", to_zero, -INFINITY, -1 },
        { "log_cosh", to_zero, INFINITY, 1 }, { "log_cosh", to_infinity, 0, -1 },
        { "ndtri", tt_ndtri, 0, INFINITY }, { "ndtri", tt_ndtri, 1, INFINITY },
        { "ndtri", tt_ndtri, -0.25, NAN }, { "ndtri", tt_ndtri, 1.25, NAN }, { "ndtri", tt_ndtri, NAN, NAN },
        { "ndtri", tt_ndtri, 0.5, 2.5066282746310002 }, { "ndtri", tt_ndtri, 0.3, 2.876103659264292 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        edges_near(t[i].name, tt_call(tt_grad(t[i].f), tt_array(TT_F64, &t[i].x, TT_DIM_END)), 1, &t[i].want, 4e-15);
}

/* Second derivatives where two halves meet: those of the function, which is smooth there. */
static tt_f1 *halved;
static tt_val slope_of(tt_val x) { return tt_call(tt_grad(halved), x); }
static void bends(void)
{
    static const struct { const char *name; tt_f1 *f; double want; } t[] = {
        { "softplus", tt_softplus, 0.25 }, { "log_sigmoid", tt_log_sigmoid, -0.25 }, { "bce", of_true, 0.25 },
        { "logaddexp", before_zero, 0.25 }, { "log_cosh", to_zero, 1 }, { "mish", tt_mish, 0.64 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (int k = 0; k < 2; k++) {
            halved = t[i].f;
            const tt_val x = tt_full(k ? -0.0 : 0, TT_F64);
            edges_near(t[i].name, tt_call(tt_jit(tt_grad(slope_of)), x), 1, &t[i].want, 4e-15);
            tt_clear_caches();
        }
}

static void types(void)
{
    const int32_t big[2] = { 16777217, 2 };
    const tt_val sum = tt_nansum(tt_array(TT_I32, big, 2)), truths = tt_nansum(tt_ones(TT_BOOL, 3));
    CHECK(tt_dtype_of(sum) == TT_I32 && tt_num(sum) == 16777219, "nansum of i32: %s", tt_type_text(sum));
    CHECK(tt_dtype_of(truths) == TT_I32 && tt_num(truths) == 3, "nansum of bools: %s", tt_type_text(truths));
    const tt_val mean = tt_nanmean(tt_full(100, TT_I8, 200));
    CHECK(tt_dtype_of(mean) == TT_F32 && tt_num(mean) == 100, "nanmean of i8: %g", tt_num(mean));
    edges_near("linspace", tt_linspace(TT_BF16, 0, 10, 4), 4, (const double[]){ 0, 3.328125, 6.65625, 10 }, 0);
    const tt_val line = tt_linspace(TT_F32, 0.1, 3, 50);
    const double ninth[4] = { 0.1f, 0.63265306f, 1.1653061f, 1.6979592f };
    edges_near("linspace", tt_slice(line, 0, 0, 36, 9), 4, ninth, 0);
    const double z[4] = { 1, 4, 2, 3 };
    const tt_val log = tt_logsumexp(tt_array(TT_C128, z, 2));
    edges_near("logsumexp", tt_imag(log), 1, (const double[]){ -3.0304739289609985 }, 1e-15);
}

/* Iterations on matrices that are not finite are not begun: all results are NaN. */
static void not_finite(void)
{
    for (int n = 2; n < 40; n += 30) {
        const tt_val m = tt_div(tt_ones(TT_F64, n, n), tt_eye(TT_F64, n));
        const tt_val y[] = { tt_real(tt_eigvals(m)), tt_item(tt_eigh(m), 0), tt_svdvals(m) };
        for (int k = 0; k < 3; k++)
            CHECK(tt_num(tt_all(tt_isnan(y[k]))) == 1, "%d of %d rows: %s", k, n, tt_ok() ? "a number" : tt_error());
    }
    tt_clear();
}

/* Losses of logits of 16 bits are sums of float32, as in optax: -1e5 is finite, and long sums are exact enough. */
static tt_val ctc(tt_val logits, tt_val last)
{
    const tt_val labels = tt_concat(1, tt_ones(TT_I32, 1, 1), last), none = tt_zeros(TT_F32, 1, 2);
    const tt_val steps = tt_iota(TT_F32, 1, 1, tt_dim(logits, 1));
    return tt_ctc_loss(logits, tt_cast(tt_eq(steps, tt_f(3)), TT_F32), labels, none);
}
static void ctc_of_16_bits(void)
{
    const float x[12] = { 0.5f, 1, -1, 2, 0, 1, -0.5f, 0.25f, 3, 1, 1, 0 };
    const tt_dtype types[] = { TT_F32, TT_F16, TT_BF16 };
    const double two[] = { 0.5847616, 0.5845079, 0.58305186 }, same[] = { 3.8025184, 3.8024902, 3.8046875 };
    const tt_val logits = tt_array(TT_F32, x, 1, 4, 3);
    for (int i = 0; i < 3; i++) {
        const tt_val y = tt_cast(logits, types[i]), one = tt_ones(TT_I32, 1, 1);
        edges_near(tt_dtype_name(types[i]), ctc(y, tt_mul(one, tt_i(2))), 1, &two[i], 1e-6);
        edges_near(tt_dtype_name(types[i]), ctc(y, one), 1, &same[i], 1e-6);
        CHECK(tt_dtype_of(ctc(y, one)) == TT_F32, "%s", tt_type_text(ctc(y, one)));
    }
    const tt_val longer = tt_cast(tt_tile(logits, 1, 40, 1), TT_BF16), pad = tt_zeros(TT_F32, 1, 160);
    const tt_val labels = tt_const(TT_I32, { { 1, 2 } });
    const double most = 219.83946;
    edges_near("160 steps", tt_ctc_loss(longer, pad, labels, tt_zeros(TT_F32, 1, 2)), 1, &most, 1e-6);
    tt_clear();
}

/* A class that is right beyond doubt has a focal loss and a slope of 0, also where e^-x is 0 in the logits' type. */
static tt_val focal(tt_val x, tt_val y) { return tt_sum(tt_sigmoid_focal_loss(x, y, .gamma = 1)); }
static void focal_of_the_sure(void)
{
    static const struct { tt_dtype type; double x, y, loss, slope; } t[] = {
        { TT_F32, 200, 1, 0, 0 }, { TT_F32, -200, 0, 0, 0 }, { TT_F32, 200, 0, 200, 1 }, { TT_F32, -200, 1, 200, -1 },
        { TT_F16, 20, 1, 0, 0 }, { TT_F16, -20, 0, 0, 0 }, { TT_BF16, 3000, 1, 0, 0 }, { TT_F64, 2000, 1, 0, 0 },
        { TT_F64, 0.5, 0.25, 0.47652719190084514, 0.3088033475139917 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val x = tt_full(t[i].x, t[i].type), y = tt_full(t[i].y, t[i].type);
        edges_near("focal", focal(x, y), 1, &t[i].loss, 1e-14);
        edges_near("focal's slope", tt_call(tt_grad(focal), x, y), 1, &t[i].slope, 1e-14);
    }
    const tt_val plain = tt_sigmoid_focal_loss(tt_full(200, TT_F32), tt_full(1, TT_F32), .gamma = 0);
    edges_near("focal, gamma 0", plain, 1, (double[]){ 0 }, 0);
    tt_clear();
}

/* A sum of rows by segment of bf16 has the same kernels as that of f32, not the reference's. */
static tt_val segments(tt_val x, tt_val i) { return tt_segment_sum(x, i, 64); }
static void scatter_kernels(void)
{
    char *text[2];
    for (int k = 0; k < 2; k++) {
        const tt_val x = tt_ones(k ? TT_F32 : TT_BF16, 1024, 64), a[] = { x, tt_zeros(TT_I32, 1024), tt_end };
        text[k] = strdup(tt_plan_text(__FILE__, TT_FN(segments), a));
        CHECK(strstr(text[k], "move: scatter") && !strstr(text[k], "ref:"), "%s", text[k]);
    }
    free(text[0]), free(text[1]);
}

int main(void)
{
    scatter_kernels();
    cumulative();
    slopes();
    hypots();
    hypot_bends();
    log_sums_at_infinity();
    inverses();
    bends();
    types();
    not_finite();
    ctc_of_16_bits();
    focal_of_the_sure();
    tt_done();
    return check_done();
}
