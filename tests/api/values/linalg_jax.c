/* linalg_jax.c - linear algebra beside what JAX says: cotangents of primitives that read one triangle, and the programs
 * of tests/corpus/linalg with their results; with LAPACK where it is there, and without. */
#include "check.h"
#include "lapack.h"

#include <math.h>
#include <stdlib.h>
#include <tutti.h>

/* ---- cotangents of primitives that read one triangle: both triangles of them, as JAX has them ---- */

/* Derivatives of sum(p w), as JAX's lax.linalg has them of an a that is not Hermitian (eigh: that is). Complex numbers:
 * (re, im). */
static const char form[] =
    "func.func @main(%%a: tensor<3x3x%s>) -> tensor<f32> {\n"
    " %%w = stablehlo.constant dense<[[1.0, 9.0, 9.0], [-2.0, 0.5, 9.0], [3.0, -1.0, 2.0]]> : tensor<3x3xf32>\n"
    " %%z = stablehlo.constant dense<0.0> : tensor<f32>\n %s\n"
    " %%q = stablehlo.multiply %%p, %%w : tensor<3x3xf32>\n"
    " %%s = stablehlo.reduce(%%q init: %%z) applies stablehlo.add across dimensions = [0, 1]"
    " : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>\n return %%s : tensor<f32>\n}\n";
static const char lower[] = "%p = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>";
static const char upper[] = "%p = stablehlo.cholesky %a, lower = false : tensor<3x3xf32>";
static const char lower_c[] = "%l = stablehlo.cholesky %a, lower = true : tensor<3x3xcomplex<f32>>\n"
                              " %p = stablehlo.imag %l : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>";
static const char upper_c[] = "%l = stablehlo.cholesky %a, lower = false : tensor<3x3xcomplex<f32>>\n"
                              " %p = stablehlo.imag %l : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>";
static const char vectors[] = "%e:2 = stablehlo.custom_call @Eigh(%a) {backend_config = \"1,1,100,1e-6\"}"
                              " : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)\n"
                              " %p = stablehlo.multiply %e#0, %e#0 : tensor<3x3xf32>";
static const float plain[] = { 4, 1, 0.5f, 2, 5, -1, -0.5f, 1, 6 }, whole[] = { 4, 1, 0.5f, 1, 5, -1, 0.5f, -1, 6 };
static const float skewed[] = { 4, 0, 1, 0.5f, 0.5f, 1, 2, -0.25f, 5, 0, -1, 1, -0.5f, 0.75f, 1, 0.5f, 6, 0 };
static const struct {
    const char *name, *body;
    const float *a;
    int parts;
    float want[18];
} cotangents[] = {
    { "lower",
      lower,
      plain,
      1,
      { 0.709367f, -0.20138f, 0.119418f, -1.13888f, 0.244589f, -0.132686f, 1.86942f, -0.632686f, 0.424596f } },
    { "upper",
      upper,
      plain,
      1,
      { -0.412721f, 4.33075f, 3.39028f, -0.685437f, 0.627281f, 4.22894f, -0.077354f, 0.0994551f, 0.419922f } },
    { "lower, complex",
      lower_c,
      skewed,
      2,
      { -0.212434f, -0.735072f, 0.1333f, 0.204205f, -0.0812399f, -0.125245f, -0.0491895f, 1.14035f, 0.00982313f,
        -0.253164f, -0.016925f, 0.140477f, 0.112551f, -1.87573f, 0.016925f, 0.641457f, 0, -0.431587f } },
    { "upper, complex",
      upper_c,
      skewed,
      2,
      { -0.67704f, 0.236461f, 0.218007f, -4.37091f, 0.624727f, -3.36734f, -1.0771f, 0.738776f, -0.360266f, -0.714029f,
        0.0759144f, -4.27371f, -0.105112f, 0.0934331f, -0.0759144f, -0.116791f, 0, -0.437968f } },
    { "vectors",
      vectors,
      whole,
      1,
      { 1.5942f, 3.04134f, -0.0240953f, -2.35142f, 0.376474f, -3.56888f, 0.270873f, 0.817316f, -1.97067f } },
};

static void both_triangles(void)
{
    for (size_t k = 0; k < sizeof cotangents / sizeof *cotangents; k++) {
        char text[2048];
        float got[18] = { 0 };
        const int n = 9 * cotangents[k].parts;
        snprintf(text, sizeof text, form, cotangents[k].parts == 2 ? "complex<f32>" : "f32", cotangents[k].body);
        const tt_val a = tt_array(cotangents[k].parts == 2 ? TT_C64 : TT_F32, cotangents[k].a, 3, 3);
        const bool ran = tt_read(tt_call(tt_grad(tt_import(text)), a), got, (size_t)n * sizeof *got);
        CHECK(ran, "%s: %s", cotangents[k].name, tt_error());
        for (int i = 0; ran && i < n; i++)
            CHECK(fabsf(got[i] - cotangents[k].want[i]) <= 1e-4f * (1 + fabsf(cotangents[k].want[i])),
                  "%s: number %d is %g, JAX has %g", cotangents[k].name, i, (double)got[i],
                  (double)cotangents[k].want[i]);
        tt_clear();
    }
}

/* ---- programs that JAX printed ---- */

static void printed(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "tests/corpus/linalg/%s.mlir", name);
    FILE *const f = fopen(path, "r");
    CHECK(f, "%s is not there: run in the root of the tree", path);
    if (!f) return;
    static char line[8192];
    float got[512];
    CHECK(fgets(line, sizeof line, f) && !strncmp(line, "// expect ", 10), "%s has no numbers", path);
    fclose(f);
    const tt_val y = tt_call(tt_import(path));
    CHECK(tt_read(y, got, (size_t)tt_dim(y, 0) * sizeof *got), "%s: %s", path, tt_error());
    int n = 0;
    for (char *p = line + 10, *end; tt_ok() && n < 512; p = end, n++) {
        const double want = strtod(p, &end);
        if (end == p) break;
        const bool same = isnan(want) ? isnan(got[n]) : fabs((double)got[n] - want) <= 1e-4 * (1 + fabs(want));
        CHECK(same, "%s: number %d is %.8g, JAX has %.8g", name, n, (double)got[n], want);
    }
    CHECK(n == tt_dim(y, 0), "%s: %d numbers of %lld", name, n, (long long)tt_dim(y, 0));
}

static void all(void)
{
    static const char *const programs[] = {
        "lu",         "qr",        "cholesky", "eigh",      "svd",   "svd_more", "solve",
        "triangular", "gradients", "eig",      "eig_slope", "schur", "forms",    "three_diagonals",
        "pivoted",    "approx",    "older",    "oldest"
    };
    both_triangles();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) printed(programs[i]);
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    check_with_and_without_lapack(all);
    return check_done();
}
