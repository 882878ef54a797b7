/* values.c - elementary functions made of others against libm in double: random and special numbers of float32, and
 * all of float16. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <tutti.h>

enum { N = 20000 };
static float x[N], y[N], got[N];

static double uniform(void) { return rand() / (RAND_MAX + 1.0); }

/* Signs, exponents over all of float32 (wide) or about 1, and special numbers first. */
static void fill(float *v, int seed, bool wide)
{
    static const float special[] = { 0,           -0.0f,    1,         -1,   0.5f,         -0.5f, 2,
                                     -2,          1e-30f,   1e-20f,    1e9f, 1.0000001e9f, 3e38f, -3e38f,
                                     19.99f,      20.01f,   88,        -88,  89,           -89,   1.0000001f,
                                     0.99999994f, INFINITY, -INFINITY, NAN };
    const int n = (int)(sizeof special / sizeof *special);
    srand((unsigned)seed);
    for (int i = 0; i < N; i++) {
        const double e = wide ? 250 * uniform() - 125 : 16 * uniform() - 10;
        v[i] = i < n * n ? special[seed % 2 ? i % n : i / n] : (float)(exp2(e) * (uniform() < 0.5 ? -1 : 1));
    }
}

/* Largest distance in units of the last place of the true result, where that is a normal number; else both must be
 * alike. */
static void compare(const char *name, const double *want, double allowed)
{
    double worst = 0;
    int at = 0, odd = 0;
    for (int i = 0; i < N; i++) {
        const float w = (float)want[i];
        if (isnan(want[i]) || isinf(w) || isnan(got[i]) || isinf(got[i])) {
            const bool same =
                isnan(w) ? isnan(got[i]) : got[i] == w || (fabs(want[i]) > 3.4e38 && fabsf(got[i]) > 3.39e38f);
            if (!same && !odd++) at = i;
            continue;
        }
        if (fabs(want[i]) < 0x1p-126) continue;
        int e;
        frexp(want[i], &e);
        const double off = fabs(got[i] - want[i]) / ldexp(1, e - 24);
        if (off > worst) worst = off, at = odd ? at : i;
    }
    CHECK(!odd && worst <= allowed, "%s(%.9g, %.9g) = %.9g, expected %.9g: %d of another kind, %.2f ulp, %.2f allowed",
          name, (double)x[at], (double)y[at], (double)got[at], want[at], odd, worst, allowed);
}

static void one(const char *name, tt_val f(tt_val), double g(double), double allowed)
{
    static double want[N];
    for (int wide = 0; wide < 2; wide++) {
        fill(x, 1, wide);
        CHECK(tt_read(f(tt_array(TT_F32, x, N)), got, sizeof got), "%s: %s", name, tt_error());
        for (int i = 0; i < N; i++) want[i] = g((double)x[i]);
        compare(name, want, allowed);
    }
}

static void two(const char *name, tt_val f(tt_val, tt_val), double g(double, double), double allowed)
{
    static double want[N];
    for (int wide = 0; wide < 2; wide++) {
        fill(x, 1, wide);
        fill(y, 2, wide);
        CHECK(tt_read(f(tt_array(TT_F32, x, N), tt_array(TT_F32, y, N)), got, sizeof got), "%s: %s", name, tt_error());
        for (int i = 0; i < N; i++) want[i] = g((double)x[i], (double)y[i]);
        compare(name, want, allowed);
    }
}

static double heaviside(double a, double b) { return a == 0 ? b : a < 0 ? 0 : a > 0 ? 1 : a; }
static double logaddexp(double a, double b) { return a == b ? a + log(2) : fmax(a, b) + log1p(exp(-fabs(a - b))); }
static double logaddexp_nan(double a, double b) { return isnan(a) || isnan(b) ? NAN : logaddexp(a, b); }
/* by its definition where that is finite and exact enough, else by three terms of its asymptotic series */
static double erfcx(double v)
{
    const double u = 0.5 / v / v, s = v * v;
    if (v < -27) return INFINITY;
    return v > 20 ? (1 - u * (1 - 3 * u * (1 - 5 * u))) / (v * sqrt(M_PI)) : exp(s) * (1 + fma(v, v, -s)) * erfc(v);
}
static tt_val elu1(tt_val v) { return tt_elu(v, 1); }
static double elu(double v) { return v > 0 ? v : expm1(v); }
static double gelu(double v) { return 0.5 * v * erfc(-v * 0.70710678118654752); }
static double selu(double v) { return 1.0507009873554804934 * (v > 0 ? v : 1.6732632423543772848 * expm1(v)); }

/* A derivative that must be finite and right on both sides of where forms meet. */
static void slopes(void)
{
    static const struct { const char *name; tt_val (*f)(tt_val); double at, slope;
    } t[] = {
        { "sinh", tt_sinh, 0, 1 },
        { "sinh", tt_sinh, 25, 36002449668.69294 },
        { "cosh", tt_cosh, 30, 5343237290762.231 },
        { "asinh", tt_asinh, 0, 1 },
        { "asinh", tt_asinh, 1e20, 1e-20 },
        { "acosh", tt_acosh, 2, 0.5773502691896258 },
        { "acosh", tt_acosh, 1e20, 1e-20 },
        { "atan", tt_atan, 0, 1 },
        { "asin", tt_asin, 0.5, 1.1547005383792517 },
        { "acos", tt_acos, 0.5, -1.1547005383792517 },
        { "log_sigmoid", tt_log_sigmoid, -100, 1 },
        { "relu", tt_relu, 0, 0 },
        { "erfc", tt_erfc, 0, -1.1283791670955126 },
        { "erfc", tt_erfc, 3, -0.00013925305194674786 },
        { "erfcx", tt_erfcx, -0.7, -4.9625621106813558 },
        { "erfcx", tt_erfcx, 0, -1.1283791670955126 },
        { "erfcx", tt_erfcx, 9, -0.0068401344155682589 },
        { "erfcx", tt_erfcx, 28.5, -0.00069332209946181727 },
        { "erfcx", tt_erfcx, 1e5, -5.6418958346312783e-11 },
        { "erfcx", tt_erfcx, INFINITY, 0 },
        { "lgamma", tt_lgamma, 2, 0.42278433509846714 },
        { "lgamma", tt_lgamma, -0.5, 0.03648997397857652 },
        { "digamma", tt_digamma, 2, 0.6449340668482264 },
        { "bessel_i0e", tt_bessel_i0e, 0, 0 },
        { "bessel_i0e", tt_bessel_i0e, 1, -0.2578491922439 },
        { "bessel_i0e", tt_bessel_i0e, 25, -0.001620660228143941 },
        { "ndtri", tt_ndtri, 0.3, 2.876103659 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const double d = tt_num(tt_call(tt_grad(t[i].f), tt_cast(tt_f(t[i].at), TT_F32)));
        CHECK(fabs(d - t[i].slope) <= 2e-5 * fabs(t[i].slope), "d %s(%g) = %.9g, expected %.9g", t[i].name, t[i].at, d,
              t[i].slope);
    }
}

/* In float64, in the tails that float32 does not reach. */
static void tails(void)
{
    static const double p[4] = { 1e-5, 1e-10, 1e-20, 1e-300 };
    static const double want[4] = { -4.264890793922825, -6.361340902404056, -9.262340089798408, -37.0470962993612 };
    double y[4];
    CHECK(tt_read(tt_ndtri(tt_array(TT_F64, p, 4)), y, sizeof y), "ndtri: %s", tt_error());
    for (int i = 0; i < 4; i++)
        CHECK(fabs(y[i] - want[i]) <= 1e-13 * fabs(want[i]), "ndtri(%g) = %.17g, expected %.17g", p[i], y[i], want[i]);
    const float a[2] = { 0.5f, 300 }, at[2] = { 1000, 290 };
    float lower[2], upper[2];
    CHECK(tt_read(tt_igamma(tt_array(TT_F32, a, 2), tt_array(TT_F32, at, 2)), lower, sizeof lower) &&
              tt_read(tt_igammac(tt_array(TT_F32, a, 2), tt_array(TT_F32, at, 2)), upper, sizeof upper),
          "igamma: %s", tt_error());
    CHECK(lower[0] == 1 && fabsf(lower[1] + upper[1] - 1) < 1e-6f, "igamma: %g, %g + %g", (double)lower[0],
          (double)lower[1], (double)upper[1]);
}

/* In float64 at zeros, poles and ends, and where sums of other forms cancel; scipy.special's values. */
static void special_points(void)
{
    static const struct { const char *name; tt_f1 *f; double x, want; } one[] = {
        { "lgamma", tt_lgamma, 1, 0 }, { "lgamma", tt_lgamma, 2, 0 },
        { "lgamma", tt_lgamma, 2 + 0x1p-20, 4.0319885504430155e-07 },
        { "lgamma", tt_lgamma, 1.5, -0.12078223763524522 },
        { "lgamma", tt_lgamma, 1 - 0x1p-30, 5.3757397985785732e-10 },
        { "erfcx", tt_erfcx, -INFINITY, INFINITY }, { "erfcx", tt_erfcx, -26.7, INFINITY },
        { "erfcx", tt_erfcx, -26.5, 1.9245531624185689e305 }, { "erfcx", tt_erfcx, -5.3, 3164914574749.3398 },
        { "erfcx", tt_erfcx, -0.7, 2.7387021025613167 }, { "erfcx", tt_erfcx, 0, 1 }, { "erfcx", tt_erfcx, 1e-20, 1 },
        { "erfcx", tt_erfcx, 0.3, 0.73459933456765514 }, { "erfcx", tt_erfcx, 1, 0.427583576155807 },
        { "erfcx", tt_erfcx, 2.7, 0.19687412733195578 }, { "erfcx", tt_erfcx, 4, 0.13699945762506138 },
        { "erfcx", tt_erfcx, 28.5, 0.01978396219291317 }, { "erfcx", tt_erfcx, 1e5, 5.6418958351954685e-06 },
        { "erfcx", tt_erfcx, 1e30, 5.6418958354775626e-31 }, { "erfcx", tt_erfcx, 1.7e308, 3.3187622561632707e-309 },
        { "erfcx", tt_erfcx, INFINITY, 0 }, { "erfcx", tt_erfcx, NAN, NAN },
        { "digamma", tt_digamma, 0, -INFINITY }, { "digamma", tt_digamma, -1, NAN }, { "digamma", tt_digamma, -2, NAN },
    };
    static const struct { const char *name; tt_f2 *f; double a, x, want; } two[] = {
        { "igamma", tt_igamma, 1e3, 1e3, 0.50420524418021551 }, { "igamma", tt_igamma, 1e3, 1030, 0.82891190388239396 },
        { "igamma", tt_igamma, 1e7, 1e7, 0.5000420522087237 },
        { "igammac", tt_igammac, 1e10, 1e10, 0.49999867019239868 },
        { "igammac", tt_igammac, 1e7, 1.0005e7, 0.05694121521950495 },
        { "igamma", tt_igamma, 1e30, 1e30, 0.5 }, { "igammac", tt_igammac, 1e-20, 0.5, 5.597735947761604e-21 },
        { "igammac", tt_igammac, 1e-5, 1, 2.1938617914074663e-06 }, { "igamma", tt_igamma, INFINITY, 3, 0 },
        { "igammac", tt_igammac, INFINITY, 3, 1 }, { "igamma", tt_igamma, INFINITY, INFINITY, NAN },
        { "igammac", tt_igammac, 3, INFINITY, 0 }, { "polygamma", tt_polygamma, 0, 0, -INFINITY },
        { "igamma_grad_a", tt_igamma_grad_a, 1e4, 1e4, -0.0039894560494536686 },
        { "igamma_grad_a", tt_igamma_grad_a, 501, 520, -0.012312178529722013 },
        { "igamma_grad_a", tt_igamma_grad_a, 1000, 720, -1.2743246414419241e-23 },
        { "igamma_grad_a", tt_igamma_grad_a, 2000, 2500, -3.74837040696342e-26 },
        { "random_gamma_grad", tt_random_gamma_grad, 1e4, 1e4, 1.0000166668333238 },
        { "random_gamma_grad", tt_random_gamma_grad, 501, 520, 1.0190657644008721 },
        { "random_gamma_grad", tt_random_gamma_grad, 1000, 720, 0.84486503820152764 },
        { "random_gamma_grad", tt_random_gamma_grad, 2000, 2500, 1.1158105841426322 },
        { "random_gamma_grad", tt_random_gamma_grad, 1e20, 1e20, 1 },
        { "zeta", tt_zeta, INFINITY, 2, 0 }, { "zeta", tt_zeta, 1, 2, INFINITY }, { "zeta", tt_zeta, 0.5, 2, NAN },
    };
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        const double y = tt_num(one[i].f(tt_array(TT_F64, &one[i].x, TT_DIM_END))), w = one[i].want;
        CHECK(y == w || (isnan(y) && isnan(w)) || fabs(y - w) <= 4e-15 * fabs(w),
              "%s(%.17g) = %.17g, expected %.17g", one[i].name, one[i].x, y, one[i].want);
    }
    for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
        const tt_val a = tt_array(TT_F64, &two[i].a, TT_DIM_END), x = tt_array(TT_F64, &two[i].x, TT_DIM_END);
        const double y = tt_num(two[i].f(a, x)), w = two[i].want;
        CHECK(y == w || (isnan(y) && isnan(w)) || fabs(y - w) <= 1e-13 * fabs(w), "%s(%g, %g) = %.17g, expected %.17g",
              two[i].name, two[i].a, two[i].x, y, w);
    }
}

/* The derivative of igamma by a where its series needs thousands of terms; by JAX, which loses 3e-7 at 1e8. */
static void grad_by_a(void)
{
    static const struct { double a, x, want; } t[] = {
        { 1e4, 1e4, -0.00398945604953 }, { 1e6, 1e6, -0.000398942313374 }, { 1e6, 999900, -0.000396972297295 },
        { 1e7, 1e7, -0.000126156629255 }, { 1e8, 9.9999e7, -3.96954591771e-05 }, { 1e8, 1.0002e8, -5.39999747614e-06 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val a = tt_array(TT_F64, &t[i].a, TT_DIM_END), x = tt_array(TT_F64, &t[i].x, TT_DIM_END);
        const double y = tt_num(tt_igamma_grad_a(a, x));
        CHECK(fabs(y - t[i].want) <= 4e-7 * fabs(t[i].want), "igamma_grad_a(%g, %g) = %.12g, expected %.12g", t[i].a,
              t[i].x, y, t[i].want);
    }
}

/* The incomplete beta function where gamma functions of its parameters are large, in f64; by SciPy. */
static void large_beta(void)
{
    static const struct { double p, q, x, want, allowed; } t[] = {
        { 1e5, 1e-30, 0.9999999, 0, 1e-14 }, { 1e-30, 1e20, 1e-30, 1, 1e-15 },
        { 0.5, 1e20, 1e-30, 1.1283791670578999e-05, 1e-19 }, { 2, 1e20, 1e-30, 4.999999999666667e-21, 1e-34 },
        { 1e7, 1e7, 0.5001, 0.8144533146406522, 1e-12 }, { 3, 1e9, 2e-9, 0.32332358489961893, 1e-13 },
        { 2850285.568343323, 0.1523920879848649, 0.9999996184385999, 0.03357463618295485, 1e-12 },
        { 532061472, 1105160064, 0.3249785006046295, 0.5069052608382413, 1e-13 },
        { 1e9, 3e9, 0.25, 0.5000024278854046, 1e-13 }, { 1e15, 1e15, 0.5, 0.5, 1e-15 },
        { 20, 30, 0.3, 0.0699870933005072, 1e-15 }, { 11, 0.25, 0.9, 0.05690527328434468, 1e-15 },
        /* x near 1, and near 0; by mpmath */
        { 10028238.235361306, 6.7401949487291564, 0.99999882016811448, 0.041461283392253426, 1e-15 },
        { 73.418298912161333, 25414629.62226576, 2.9314656143957509e-06, 0.56543522231158072, 1e-14 },
        { 475510.4761447708, 0.66746871514123141, 0.99999635010900001, 0.095399516025742995, 1e-15 },
        { 593648.50945750531, 2.3751213311931205, 0.99997767631438028, 5.5534085048574656e-05, 1e-18 },
        { 47512818.863945566, 3558774.9546006205, 0.93031768282889415, 0.49729638511802454, 1e-14 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val p = tt_array(TT_F64, &t[i].p, TT_DIM_END), q = tt_array(TT_F64, &t[i].q, TT_DIM_END);
        const double y = tt_num(tt_betainc(p, q, tt_array(TT_F64, &t[i].x, TT_DIM_END)));
        CHECK(fabs(y - t[i].want) <= t[i].allowed, "betainc(%g, %g, %.17g) = %.17g, expected %.17g", t[i].p, t[i].q,
              t[i].x, y, t[i].want);
    }
}

static tt_val beta_3334(tt_val x) { return tt_betainc(tt_cast(tt_f(1e6), TT_F32), tt_cast(tt_f(2e6), TT_F32), x); }
static tt_val gamma_1e7(tt_val x) { return tt_igamma(tt_cast(tt_f(1e7), TT_F32), x); }
static tt_val gammac_1e7(tt_val x) { return tt_igammac(tt_cast(tt_f(1e7), TT_F32), x); }

/* Slopes of f32 whose logarithms are differences of large numbers. */
static void large_slopes(void)
{
    static const struct { tt_f1 *f; double x, want; } t[] = {
        { beta_3334, 0.3334, 1422.332691191507 }, { gamma_1e7, 1.0001e7, 0.00011999229459716892 },
        { gammac_1e7, 1.0001e7, -0.00011999229459716892 },
    };
    for (int i = 0; i < 3; i++) {
        const double y = tt_num(tt_call(tt_grad(t[i].f), tt_cast(tt_f(t[i].x), TT_F32)));
        CHECK(fabs(y / t[i].want - 1) < 1e-6, "slope %d: %.9g, expected %.9g", i, y, t[i].want);
    }
}

/* The derivative of a gamma sample by a, on both sides of a; by JAX. */
static void grad_of_sample(void)
{
    static const struct { double a, x, want; } t[] = {
        { 0.5, 2, 2.51188938 }, { 2, 1, 0.75077869 }, { 2, 3, 1.32179852 }, { 5, 4, 0.92272613 },
        { 5, 9, 1.36711819 }, { 50, 70, 1.18157256 }, { 501, 450, 0.94759611 }, { 501, 641, 1.1286416 },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const tt_val a = tt_array(TT_F64, &t[i].a, TT_DIM_END), x = tt_array(TT_F64, &t[i].x, TT_DIM_END);
        const double y = tt_num(tt_random_gamma_grad(a, x));
        CHECK(fabs(y - t[i].want) <= 1e-8 * t[i].want, "random_gamma_grad(%g, %g) = %.12g, expected %.9g", t[i].a,
              t[i].x, y, t[i].want);
    }
}

/* Of every number of float16, though what it is made of may have none there: no unit of the last place is missed. */
static void half(const char *name, tt_val f(tt_val), double g(double))
{
    enum { ALL = 1 << 16 };
    static uint16_t code[ALL];
    static float in[ALL], y[ALL], want[ALL];
    for (int i = 0; i < ALL; i++) code[i] = (uint16_t)i;
    const tt_val v = tt_array(TT_F16, code, ALL);
    CHECK(tt_read(tt_cast(v, TT_F32), in, sizeof in) && tt_read(tt_cast(f(v), TT_F32), y, sizeof y), "%s: %s", name,
          tt_error());
    for (int i = 0; i < ALL; i++) want[i] = (float)g((double)in[i]);
    CHECK(tt_read(tt_cast(tt_cast(tt_array(TT_F32, want, ALL), TT_F16), TT_F32), want, sizeof want), "%s", tt_error());
    int bad = 0, at = 0;
    for (int i = 0; i < ALL; i++) {
        const bool same = isnan(want[i]) ? isnan(y[i]) : y[i] == want[i];
        if (!same && !(fabsf(y[i] - want[i]) <= 0x1p-10f * fabsf(want[i])) && !bad++) at = i;
    }
    CHECK(!bad, "%s(%.9g) of float16 = %.9g, expected %.9g, and %d more", name, (double)in[at], (double)y[at],
          (double)want[at], bad - 1);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(half("sinh", tt_sinh, sinh));
    CHECK_RUN(half("cosh", tt_cosh, cosh));
    CHECK_RUN(half("asinh", tt_asinh, asinh));
    CHECK_RUN(half("acosh", tt_acosh, acosh));
    const tt_val leaf = tt_array(TT_F16, ((uint16_t[]){ 0x49c0 }), 1), tree = tt_sinh(tt_tuple(leaf, leaf));
    CHECK(tt_num(tt_squeeze(tt_item(tree, 1), 0)) == 49344, "sinh of a tree's leaves: %s", tt_error());
    CHECK(signbit(tt_num(tt_asinh(tt_full(-0.0, TT_F32)))), "asinh of -0");
    CHECK_RUN(one("exp2", tt_exp2, exp2, 2));
    CHECK_RUN(one("log2", tt_log2, log2, 4));
    CHECK_RUN(one("log10", tt_log10, log10, 4));
    CHECK_RUN(one("asin", tt_asin, asin, 4));
    CHECK_RUN(one("acos", tt_acos, acos, 4));
    CHECK_RUN(one("atan", tt_atan, atan, 4));
    CHECK_RUN(one("sinh", tt_sinh, sinh, 8));
    CHECK_RUN(one("cosh", tt_cosh, cosh, 8));
    CHECK_RUN(one("asinh", tt_asinh, asinh, 4));
    CHECK_RUN(one("acosh", tt_acosh, acosh, 4));
    CHECK_RUN(one("atanh", tt_atanh, atanh, 4));
    CHECK_RUN(one("elu", elu1, elu, 6));
    CHECK_RUN(one("selu", tt_selu, selu, 6));
    CHECK_RUN(two("hypot", tt_hypot, hypot, 2));
    CHECK_RUN(two("fmax", tt_fmax, fmax, 0));
    CHECK_RUN(two("fmin", tt_fmin, fmin, 0));
    CHECK_RUN(two("heaviside", tt_heaviside, heaviside, 0));
    CHECK_RUN(two("copysign", tt_copysign, copysign, 0));
    CHECK_RUN(two("logaddexp", tt_logaddexp, logaddexp_nan, 2e6));
    CHECK_RUN(one("gelu_erf", tt_gelu_erf, gelu, 200)); /* in the left tail an ulp of -v is 2 v of the result's */
    CHECK_RUN(one("erfc", tt_erfc, erfc, 2));
    CHECK_RUN(one("erfcx", tt_erfcx, erfcx, 0.51));
    CHECK_RUN(half("erfcx", tt_erfcx, erfcx));
    CHECK_RUN(one("lgamma", tt_lgamma, lgamma, 2));
    CHECK_RUN(slopes());
    CHECK_RUN(tails());
    CHECK_RUN(grad_by_a());
    CHECK_RUN(large_beta());
    CHECK_RUN(large_slopes());
    CHECK_RUN(grad_of_sample());
    CHECK_RUN(special_points());
    return check_done();
}
