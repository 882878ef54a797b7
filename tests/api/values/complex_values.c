/* complex_values.c - Fourier transforms of every kind of length against sums by the definition, derivatives of
 * functions of
 * complex numbers, random bits as XLA makes them, and numbers at the edges of their types as XLA's CPU has them (the
 * tables
 * were made with jax 0.10.2). */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>

/* ---- Fourier transforms ---- */

enum { MOST = 1200 };
static double complex x[MOST], want[MOST], got[MOST];
static double real_x[MOST], real_got[MOST];

static double uniform(void) { return 2 * (rand() / (RAND_MAX + 1.0)) - 1; }

static void by_definition(int n, int sign)
{
    for (int k = 0; k < n; k++) {
        want[k] = 0;
        for (int j = 0; j < n; j++) {
            const double turn = 2 * M_PI * (double)((long long)j * k % n) / n;
            want[k] += x[j] * (cos(turn) + sign * I * sin(turn));
        }
        if (sign > 0) want[k] /= n;
    }
}

static double farthest(const double complex *a, int n)
{
    double far = 0;
    for (int k = 0; k < n; k++) far = fmax(far, cabs(a[k] - want[k]));
    return far;
}

static void transforms(void)
{
    static const int lengths[] = { 1, 2, 3, 4, 5, 6, 7, 8, 12, 30, 61, 64, 67, 97, 128, 134, 360, 509, 1000, 1024 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const int n = lengths[i];
        for (int k = 0; k < n; k++) x[k] = uniform() + I * uniform();
        const tt_val v = tt_array(TT_C128, x, n);
        by_definition(n, -1);
        CHECK(tt_read(tt_fft(v), got, (size_t)n * sizeof *got), "fft of %d: %s", n, tt_error());
        CHECK(farthest(got, n) < 1e-12 * n, "fft of %d is off by %g", n, farthest(got, n));
        by_definition(n, 1);
        CHECK(tt_read(tt_ifft(v), got, (size_t)n * sizeof *got), "ifft of %d: %s", n, tt_error());
        CHECK(farthest(got, n) < 1e-13 * n, "ifft of %d is off by %g", n, farthest(got, n));
        for (int k = 0; k < n; k++) x[k] = real_x[k] = uniform();
        const tt_val half = tt_rfft(tt_array(TT_F64, real_x, n));
        by_definition(n, -1);
        CHECK(tt_read(half, got, (size_t)(n / 2 + 1) * sizeof *got), "rfft of %d: %s", n, tt_error());
        CHECK(farthest(got, n / 2 + 1) < 1e-12 * n, "rfft of %d is off by %g", n, farthest(got, n / 2 + 1));
        CHECK(tt_read(tt_irfft(half, n), real_got, (size_t)n * sizeof *real_got), "irfft of %d: %s", n, tt_error());
        double off = 0;
        for (int k = 0; k < n; k++) off = fmax(off, fabs(real_got[k] - real_x[k]));
        CHECK(off < 1e-13 * n, "irfft of rfft of %d is off by %g", n, off);
    }
}

/* ---- derivatives: dL/dx - i dL/dy of a real loss ---- */

static tt_val size_of_cube(tt_val z) { return tt_sum(tt_square(tt_abs(tt_mul(z, tt_mul(z, z))))); }
static tt_val part_of_exp(tt_val z) { return tt_sum(tt_add(tt_real(tt_exp(z)), tt_mul(tt_f(3), tt_imag(tt_exp(z))))); }
static tt_val turned(tt_val z) { return tt_sum(tt_real(tt_mul(tt_conj(z), tt_mul(z, z)))); }

static void derivatives(void)
{
    const double complex z[] = { 1 + 2 * I, -0.5 + 0.25 * I, 0.75 - I };
    double complex g[3];
    const tt_val v = tt_array(TT_C128, z, 3);
    CHECK(tt_read(tt_call(tt_grad(size_of_cube), v), g, sizeof g), "%s", tt_error());
    for (int k = 0; k < 3; k++) {                        /* |z|^6: 6 |z|^4 conj(z) */
        const double complex w = 6 * pow(cabs(z[k]), 4) * conj(z[k]);
        CHECK(cabs(g[k] - w) < 1e-12 * (1 + cabs(w)), "|z|^6 at %d: %g%+gi", k, creal(g[k]), cimag(g[k]));
    }
    CHECK(tt_read(tt_call(tt_grad(part_of_exp), v), g, sizeof g), "%s", tt_error());
    for (int k = 0; k < 3; k++) {                        /* re f + 3 im f, f analytic: (1 - 3 i) f' */
        const double complex w = (1 - 3 * I) * cexp(z[k]);
        CHECK(cabs(g[k] - w) < 1e-12 * (1 + cabs(w)), "re e^z + 3 im e^z at %d: %g%+gi", k, creal(g[k]), cimag(g[k]));
    }
    CHECK(tt_read(tt_call(tt_grad(turned), v), g, sizeof g), "%s", tt_error());
    for (int k = 0; k < 3; k++) {                        /* x |z|^2: 3 x^2 + y^2 - 2 i x y */
        const double a = creal(z[k]), b = cimag(z[k]);
        const double complex w = 3 * a * a + b * b - 2 * I * a * b;
        CHECK(cabs(g[k] - w) < 1e-12 * (1 + cabs(w)), "re(conj(z) z^2) at %d: %g%+gi", k, creal(g[k]), cimag(g[k]));
    }
}

/* ---- inverse functions, over the whole plane and on both sides of their cuts ---- */

static bool close_to(double got_part, long double want_part)
{
    const double w = (double)want_part, unit = fabs(nextafter(w, HUGE_VAL) - w);
    return got_part == w ? signbit(got_part) == signbit(w) : fabs(got_part - w) <= 6 * unit;
}

typedef struct { const char *name; long double complex (*f)(long double complex); tt_f1 *call; } inverse;
static const inverse list[] = {
    { "asin", casinl, tt_asin },    { "acos", cacosl, tt_acos },    { "atan", catanl, tt_atan },
    { "asinh", casinhl, tt_asinh }, { "acosh", cacoshl, tt_acosh }, { "atanh", catanhl, tt_atanh },
};

static void as_c(const inverse *f, const char *how, int n)       /* got of x */
{
    for (int i = 0; i < n; i++) {
        const long double complex w = f->f((long double complex)x[i]);
        CHECK(close_to(creal(got[i]), creall(w)) && close_to(cimag(got[i]), cimagl(w)),
              "%s %s(%a%+ai) is %.17g%+.17gi, expected %.17Lg%+.17Lgi", how, f->name, creal(x[i]), cimag(x[i]),
              creal(got[i]), cimag(got[i]), creall(w), cimagl(w));
    }
}

static void inverses(void)
{
    static const double at[] = { 0, 0x1p-1074, 1e-310, 1e-160, 1e-20, 0.3, 0.7, 1 - 0x1p-52, 1, 1 + 0x1p-50, 1.3,
        9, 1e9, 1e152,
                                 1e155, 0x1.fffffffffffffp1023, HUGE_VAL };
    enum { N = sizeof at / sizeof *at };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[300];
        int n = 0;
        for (int i = 0; i < 4 * N * N; i++, n++) {
            const double re = at[i / 4 / N], im = at[i / 4 % N];
            const double z[2] = { i & 1 ? -re : re, i & 2 ? -im : im };
            memcpy(&x[n], z, sizeof z);                  /* clang has no CMPLX here, and re + I im no infinities */
        }
        snprintf(text, sizeof text, "func.func @main(%%z: tensor<%dxcomplex<f64>>) -> tensor<%dxcomplex<f64>> {\n"
                 "  %%y = chlo.%s %%z : tensor<%dxcomplex<f64>> -> tensor<%dxcomplex<f64>>\n"
                 "  return %%y : tensor<%dxcomplex<f64>>\n}\n", n, n, list[k].name, n, n, n);
        CHECK(tt_read(tt_call(tt_import(text), tt_array(TT_C128, x, n)), got, (size_t)n * sizeof *got), "%s",
              tt_error());
        as_c(&list[k], "imported", n);
        CHECK(tt_read(list[k].call(tt_array(TT_C128, x, n)), got, (size_t)n * sizeof *got), "%s", tt_error());
        as_c(&list[k], "called", n);
    }
}

/* ---- NaN and infinities as C99's annex G has them; signs beside NaN are free ---- */

static bool alike(double got_part, double want_part, bool sign)
{
    if (isnan(want_part)) return isnan(got_part);
    if (got_part == want_part) return !sign || signbit(got_part) == signbit(want_part);
    return fabs(got_part - want_part) <= 1e-13 * fabs(want_part);
}

static void odd_parts(void)
{
    static const struct { const char *name; double complex (*f)(double complex); tt_f1 *call; } functions[] = {
        { "asin", casin, tt_asin },    { "acos", cacos, tt_acos },    { "atan", catan, tt_atan },
        { "asinh", casinh, tt_asinh }, { "acosh", cacosh, tt_acosh }, { "atanh", catanh, tt_atanh },
        { "tan", ctan, tt_tan },       { "tanh", ctanh, tt_tanh },    { "sinh", csinh, tt_sinh },
        { "cosh", ccosh, tt_cosh },
    };
    static const double at[] = { 0, -0.0, 0.5, -0.5, 1, -1, 2, -2, INFINITY, -INFINITY, NAN, 30 };
    enum { N = sizeof at / sizeof *at };
    for (int i = 0; i < N * N; i++) memcpy(&x[i], (double[2]){ at[i / N], at[i % N] }, sizeof *x);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        CHECK(tt_read(functions[k].call(tt_array(TT_C128, x, N * N)), got, N * N * sizeof *got), "%s", tt_error());
        for (int i = 0; i < N * N; i++) {
            const double complex w = functions[k].f(x[i]);
            const bool odd = isnan(creal(x[i])) || isnan(cimag(x[i])) || isnan(creal(w)) || isnan(cimag(w));
            if (odd && k >= 8) continue;                 /* sinh, cosh: NaN for some infinite parts, as XLA's */
            const bool size_only = odd && isinf(creal(w)) | isinf(cimag(w));         /* +-infinity: either */
            const double complex y = got[i];
            const bool good = size_only ? (alike(fabs(creal(y)), fabs(creal(w)), false) || isnan(creal(w))) &&
                                              (alike(fabs(cimag(y)), fabs(cimag(w)), false) || isnan(cimag(w)))
                                        : alike(creal(y), creal(w), !odd) && alike(cimag(y), cimag(w), !odd);
            CHECK(good, "%s(%g%+gi) is %.17g%+.17gi, expected %.17g%+.17gi", functions[k].name, creal(x[i]),
                  cimag(x[i]), creal(y), cimag(y), creal(w), cimag(w));
        }
    }
}

/* Derivatives on the cuts, and where parts of the formulas have none; of logaddexp and softplus the values as JAX's. */
static tt_val both(tt_val z, tt_val dz) { return tt_call(tt_jvp(tt_asin), tt_tuple(z), tt_tuple(dz)); }
static void slopes(void)
{
    const double complex z[] = { 0, 2, -2, 3 * I, 0.5 + 0.5 * I, 1e200 };
    const tt_val v = tt_array(TT_C128, z, 6), dz = tt_ones(TT_C128, 6);
    CHECK(tt_read(tt_item(both(v, dz), 1), got, 6 * sizeof *got), "%s", tt_error());
    for (int i = 0; i < 6; i++) {
        const double complex w = 1 / (csqrt(-(z[i] - 1)) * csqrt(1 + z[i]));    /* not 1 - z: clang loses the -0 */
        CHECK(cabs(got[i] - w) <= 1e-14 * cabs(w), "d asin %g%+gi: %g%+gi", creal(z[i]), cimag(z[i]), creal(got[i]),
              cimag(got[i]));
    }
    const double complex a[] = { 30 * I, 1 + 30 * I, -1 + 40 * I, INFINITY, -INFINITY };
    CHECK(tt_read(tt_softplus(tt_array(TT_C128, a, 5)), got, 5 * sizeof *got), "%s", tt_error());
    for (int i = 0; i < 3; i++) {
        const double complex w = clog(1 + cexp(a[i]));
        CHECK(cabs(got[i] - w) < 1e-13, "softplus(%g%+gi): %g%+gi", creal(a[i]), cimag(a[i]), creal(got[i]),
              cimag(got[i]));
    }
    CHECK(creal(got[3]) == INFINITY && !cimag(got[3]) && got[4] == 0, "softplus of infinities: %g%+gi, %g%+gi",
          creal(got[3]), cimag(got[3]), creal(got[4]), cimag(got[4]));
}

/* ---- random bits ---- */

static void bits(const char *algorithm, const char *type, int n, const uint64_t *table, uint64_t counter)
{
    char text[600];
    uint64_t state[2] = { 0x123456789abcdef0, 0xfffffffffffffffe }, next[2], word[16];
    snprintf(text, sizeof text, "func.func @main(%%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<%d%s>) {\n"
             "  %%a, %%b = stablehlo.rng_bit_generator %%s, algorithm = %s : (tensor<2xui64>) -> (tensor<2xui64>, "
             "tensor<%d%s>)\n"
             "  %%c = stablehlo.convert %%b : (tensor<%d%s>) -> tensor<%dxui64>\n"
             "  return %%a, %%c : tensor<2xui64>, tensor<%dxui64>\n}\n", n, "xui64", algorithm, n, type, n, type, n, n);
    const tt_fn f = tt_import(text);
    const tt_val y = tt_call(f, tt_array(TT_U64, state, 2));
    CHECK(tt_read(tt_item(y, 0), next, sizeof next) && tt_read(tt_item(y, 1), word, (size_t)n * sizeof *word), "%s",
        tt_error());
    for (int i = 0; i < n; i++)
        CHECK(word[i] == table[i], "%s %s: word %d is %llx", algorithm, type, i, (unsigned long long)word[i]);
    CHECK(next[0] == state[0] && next[1] == counter, "%s %s: the next counter is %llx", algorithm, type,
          (unsigned long long)next[1]);
}

static void generators(void)
{
    static const uint64_t philox[] = { 0xbbd856ff, 0xb795d4a1, 0x9db4dbb7, 0xb129d7a7, 0x583ddf1e, 0xb3bb590c,
        0xea99e9da };
    static const uint64_t philox64[] = { 0xb795d4a1bbd856ff, 0xb129d7a79db4dbb7, 0xb3bb590c583ddf1e, 0x40230b26ea99e9da,
                                         0x2012dc06102d8cf3, 0xb33c65fee29031fe, 0xaa1b32c099f81036 };
    static const uint64_t cipher64[] = { 0x7093e72c3c3b507a, 0x21f1aacaa4317ba7, 0x4ce380f95eff803d, 0x64dfd0ae394bdefc,
                                         0x4028dd8d523f5786, 0xe364850a553d0168, 0xf9d09cb91f390015 };
    static const uint64_t narrow[] = { 0xff, 0xa1, 0xb7, 0xa7, 0x1e, 0xc, 0xda };
    bits("PHILOX", "xui32", 7, philox, 0);
    bits("PHILOX", "xui64", 7, philox64, 2);
    bits("THREE_FRY", "xui64", 7, cipher64, 5);
    bits("DEFAULT", "xui8", 7, narrow, 0);
}

/* ---- edges ---- */

static void whole(const char *name, tt_val v, int n, const int64_t *table)
{
    int64_t at[16];
    CHECK(tt_read(tt_cast(v, TT_I64), at, (size_t)n * sizeof *at), "%s: %s", name, tt_error());
    for (int i = 0; i < n; i++)
        CHECK(at[i] == table[i], "%s: element %d is %lld, expected %lld", name, i, (long long)at[i],
            (long long)table[i]);
}

static void edges(void)
{
    static const int8_t a[] = { -128, 127, 0, 1, 5, 7, -128, 100 }, b[] = { -1, 0, 0, 3, 100, 63, 0, 9 };
    static const float f[] = { NAN, INFINITY, -INFINITY, -0.0f, 1e30f, -1e30f, 2.5f, -2.5f, 255.7f, -1.5f, 3e9f };
    const tt_val p = tt_array(TT_I8, a, 8), q = tt_array(TT_I8, b, 8), r = tt_array(TT_F32, f, 11);
    whole("x / y", tt_div(p, q), 8, (const int64_t[]){ -128, -1, -1, 0, 0, 0, -1, 11 });
    whole("x rem y", tt_rem(p, q), 8, (const int64_t[]){ 0, 127, 0, 1, 5, 7, -128, 1 });
    whole("x << y", tt_shl(p, q), 8, (const int64_t[]){ 0, 127, 0, 8, 0, 0, -128, 0 });
    whole("x >> y", tt_shr(p, q), 8, (const int64_t[]){ 0, 127, 0, 0, 0, 0, -128, 0 });
    whole("x >> y, signed", tt_sar(p, q), 8, (const int64_t[]){ -1, 127, 0, 0, 0, 0, -128, 0 });
    whole("-x", tt_neg(p), 8, (const int64_t[]){ -128, -127, 0, -1, -5, -7, -128, -100 });
    whole("i32", tt_cast(r, TT_I32), 11,
          (const int64_t[]){ 0, INT32_MAX, INT32_MIN, 0, INT32_MAX, INT32_MIN, 2, -2, 255, -1, INT32_MAX });
    whole("u8", tt_cast(r, TT_U8), 11, (const int64_t[]){ 0, 255, 0, 0, 255, 0, 2, 0, 255, 0, 255 });
    whole("i8", tt_cast(r, TT_I8), 11, (const int64_t[]){ 0, 127, -128, 0, 127, -128, 2, -2, 127, -1, 127 });
    whole("u32", tt_cast(r, TT_U32), 11, (const int64_t[]){ 0, UINT32_MAX, 0, 0, UINT32_MAX, 0, 2, 0, 255, 0,
        3000000000 });
}

/* A C number beside a complex array becomes complex, at once, under a trace, and when a trace catches it. */
static tt_val two;
static tt_val doubled(tt_val z) { return tt_mul(z, tt_f(2)); }
static tt_val caught(tt_val z) { return tt_mul(z, two); }
static void pair(const char *what, tt_val z, double re, double im)
{
    CHECK(tt_num(tt_real(z)) == re && tt_num(tt_imag(z)) == im, "%s: %g%+gj, not %g%+gj: %s", what, tt_num(tt_real(z)),
          tt_num(tt_imag(z)), re, im, tt_ok() ? "no error" : tt_error());
}

static void numbers(void)
{
    const tt_val nought = tt_zeros(TT_C64), endless = tt_complex(tt_f(0), tt_f(INFINITY));
    pair("log2 of 0", tt_log2(nought), -INFINITY, 0), pair("log10 of 0", tt_log10(nought), -INFINITY, 0);
    CHECK(fabs(tt_num(tt_imag(tt_log2(endless))) - 2.26618007) < 1e-5, "log2 of an infinity: %s",
          tt_value_text(tt_log2(endless)));
    CHECK(tt_num(tt_cast(endless, TT_BOOL)) == 1 && tt_num(tt_cast(tt_complex(tt_f(0), tt_f(-1)), TT_BOOL)) == 1
              && tt_num(tt_cast(nought, TT_BOOL)) == 0, "a complex number is true unless it is 0");
    const tt_val z = tt_complex(tt_cast(tt_f(3), TT_F32), tt_cast(tt_f(-4), TT_F32));
    two = tt_cast(tt_i(2), TT_C64);
    pair("z * 2.0", doubled(z), 6, -8);
    pair("z * 2.0, compiled", tt_call(tt_jit(doubled), z), 6, -8);
    pair("2 as complex", two, 2, 0);
    pair("z * caught 2", tt_call(tt_jit(caught), z), 6, -8);
    pair("z / 2", tt_div(z, tt_i(2)), 1.5, -2);
    pair("1 + z", tt_add(tt_f(1), z), 4, -4);
    pair("mean", tt_mean(z), 3, -4);
    tt_num(z);
    CHECK(!tt_ok() && strstr(tt_error(), "takes a real number, not c64[]"), "%s", tt_ok() ? "no error" : tt_error());
    tt_clear();
}

static void quiet(const tt_error_info *e, void *env) { (void)e; (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    CHECK_RUN(numbers());
    CHECK_RUN(transforms());
    CHECK_RUN(derivatives());
    CHECK_RUN(inverses());
    CHECK_RUN(odd_parts());
    CHECK_RUN(slopes());
    CHECK_RUN(generators());
    CHECK_RUN(edges());
    return check_done();
}
