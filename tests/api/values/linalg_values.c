/* linalg_values.c - linear algebra by what it must satisfy: A = L L', P A = L U, A = Q R, A V = V w, A = U s V', with
 * orthonormal factors, of f32, f64, c64 and c128, batches, tall, wide, singular and empty matrices, by LAPACK where
 * it is installed and without; derivatives against differences, of complex matrices too; NaN where JAX gives NaN.
 *
 * Longer than 400 lines: the derivatives are checked with the matrices and comparisons of the values. */
#include "check.h"
#include "lapack.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <tutti.h>

typedef double complex cplx;
enum { MOST = 64 * 64 * 2 };
typedef struct {
    cplx v[MOST];
    int64_t batch, m, n;
} matrix;
static matrix a, p, q, r, s, t;

/* ---- values ---- */

static const double epsilon[] = { [TT_F32] = 1.2e-7, [TT_F64] = 2.3e-16, [TT_C64] = 1.2e-7, [TT_C128] = 2.3e-16 };
static bool is_complex(tt_dtype d) { return d == TT_C64 || d == TT_C128; }
static double uniform(void) { return 2.0 * rand() / RAND_MAX - 1; }

static tt_val value_of(const matrix *x, tt_dtype d, bool batched)
{
    static double mem[2 * MOST];
    float *const f = (float *)mem;
    const int64_t n = x->batch * x->m * x->n;
    for (int64_t i = 0; i < n; i++) {
        if (d == TT_F64) mem[i] = creal(x->v[i]);
        else if (d == TT_C128) mem[2 * i] = creal(x->v[i]), mem[2 * i + 1] = cimag(x->v[i]);
        else if (d == TT_F32) f[i] = (float)creal(x->v[i]);
        else f[2 * i] = (float)creal(x->v[i]), f[2 * i + 1] = (float)cimag(x->v[i]);
    }
    const void *const bytes = mem;
    return batched ? tt_array(d, bytes, x->batch, x->m, x->n) : tt_array(d, bytes, x->m, x->n);
}

static void read_into(matrix *x, tt_val v, bool batched, const char *what)
{
    static double mem[2 * MOST];
    const float *const f = (float *)mem;
    const tt_dtype d = tt_dtype_of(v);
    const int r = tt_rank(v);
    size_t bytes = d == TT_C128 ? 16 : d == TT_F64 || d == TT_C64 ? 8 : 4;
    for (int k = 0; k < r; k++) bytes *= (size_t)tt_dim(v, k);
    CHECK(tt_read(v, (void *)mem, bytes), "%s: %s", what, tt_error());
    *x = (matrix){ .batch = batched ? tt_dim(v, 0) : 1,
                   .m = r > batched ? tt_dim(v, batched) : 1,
                   .n = r > batched + 1 ? tt_dim(v, batched + 1) : 1 };
    for (int64_t i = 0; i < x->batch * x->m * x->n; i++)
        x->v[i] = d == TT_F64    ? mem[i]
                  : d == TT_C128 ? mem[2 * i] + mem[2 * i + 1] * I
                  : d == TT_F32  ? (double)f[i]
                  : d == TT_I32  ? ((int32_t *)mem)[i]
                                 : (double)f[2 * i] + (double)f[2 * i + 1] * I;
}

static cplx *at(matrix *x, int64_t b, int64_t i, int64_t j) { return &x->v[(b * x->m + i) * x->n + j]; }

static void random_matrix(matrix *x, tt_dtype d, int64_t m, int64_t n)
{
    *x = (matrix){ .batch = 2, .m = m, .n = n };
    for (int64_t i = 0; i < 2 * m * n; i++) x->v[i] = uniform() + (is_complex(d) ? uniform() * I : 0);
}

/* z = x y, of x' or y' when said */
static void product(matrix *z, matrix *x, bool xh, matrix *y, bool yh)
{
    static matrix out;
    out = (matrix){ .batch = x->batch, .m = xh ? x->n : x->m, .n = yh ? y->m : y->n };
    const int64_t k = xh ? x->m : x->n;
    for (int64_t b = 0; b < out.batch; b++)
        for (int64_t i = 0; i < out.m; i++)
            for (int64_t j = 0; j < out.n; j++)
                for (int64_t c = 0; c < k; c++)
                    *at(&out, b, i, j) +=
                        (xh ? conj(*at(x, b, c, i)) : *at(x, b, i, c)) * (yh ? conj(*at(y, b, j, c)) : *at(y, b, c, j));
    *z = out;
}

static void alike(matrix *x, matrix *y, tt_dtype d, const char *what)
{
    double most = 0, off = 0;
    for (int64_t i = 0; i < x->batch * x->m * x->n; i++) {
        most = fmax(most, cabs(y->v[i]));
        off = !(cabs(x->v[i] - y->v[i]) <= off) ? cabs(x->v[i] - y->v[i]) : off;
    }
    const double allowed = 20 * epsilon[d] * (double)(x->m + x->n + 4) * (most + 1);
    CHECK(x->m == y->m && x->n == y->n && off <= allowed, "%s of %lld x %lld: off by %.3g, %.3g allowed", what,
          (long long)x->m, (long long)x->n, off, allowed);
}

static void orthonormal(matrix *x, tt_dtype d, bool rows, const char *what)
{
    static matrix one;
    product(&one, x, !rows, x, rows);
    for (int64_t b = 0; b < one.batch; b++)
        for (int64_t i = 0; i < one.n; i++) *at(&one, b, i, i) -= 1;
    matrix *const none = &t;
    *none = (matrix){ .batch = one.batch, .m = one.m, .n = one.n };
    alike(&one, none, d, what);
}

/* ---- the factorisations ---- */

static void cholesky(tt_dtype d, int64_t n)
{
    random_matrix(&p, d, n, n);
    product(&a, &p, false, &p, true);
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < n; i++) *at(&a, b, i, i) += 1;
    const tt_val v = value_of(&a, d, true);
    read_into(&q, tt_cholesky(v), true, "cholesky");
    for (int64_t i = 0; i + 1 < n; i++) CHECK(*at(&q, 1, i, n - 1) == 0, "cholesky: not triangular");
    product(&r, &q, false, &q, true);
    alike(&r, &a, d, "cholesky");
    read_into(&q, tt_cholesky(v, .upper = 1), true, "cholesky");
    product(&r, &q, true, &q, false);
    alike(&r, &a, d, "cholesky, upper");
    random_matrix(&s, d, n, 3);
    read_into(&r, tt_triangular_solve(tt_cholesky(v), value_of(&s, d, true), .lower = 1, .adjoint = 1), true, "solve");
    read_into(&q, tt_cholesky(v), true, "cholesky");
    product(&p, &q, true, &r, false);
    alike(&p, &s, d, "triangular solve, adjoint");
    read_into(&r, tt_solve(v, value_of(&s, d, true)), true, "solve");
    product(&p, &a, false, &r, false);
    alike(&p, &s, d, "solve");
}

static void lu(tt_dtype d, int64_t m, int64_t n)
{
    static matrix l, u;
    random_matrix(&a, d, m, n);
    const tt_val f = tt_lu(value_of(&a, d, true));
    read_into(&l, tt_item(f, 0), true, "lu");
    read_into(&s, tt_item(f, 2), true, "lu");
    const int64_t k = m < n ? m : n;
    u = (matrix){ .batch = 2, .m = k, .n = n }, p = (matrix){ .batch = 2, .m = m, .n = n },
    q = (matrix){ .batch = 2, .m = m, .n = k };
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                if (i <= j && i < k) *at(&u, b, i, j) = *at(&l, b, i, j);
                if (i > j && j < k) *at(&q, b, i, j) = *at(&l, b, i, j);
                if (i == j) *at(&q, b, i, i) = 1;
                *at(&p, b, i, j) = *at(&a, b, (int64_t)creal(s.v[b * m + i]), j);
                if (!is_complex(d)) CHECK(i <= j || cabs(*at(&l, b, i, j)) <= 1, "lu: a pivot was not the largest");
            }
    product(&r, &q, false, &u, false);
    alike(&r, &p, d, "lu");
}

static void qr(tt_dtype d, int64_t m, int64_t n, int full)
{
    random_matrix(&a, d, m, n);
    const tt_val f = tt_qr(value_of(&a, d, true), .full = full);
    read_into(&q, tt_item(f, 0), true, "qr");
    read_into(&r, tt_item(f, 1), true, "qr");
    for (int64_t i = 1; i < r.m; i++)
        for (int64_t j = 0; j < i && j < n; j++) CHECK(*at(&r, 1, i, j) == 0, "qr: R");
    CHECK(!full || (q.m == m && q.n == m), "qr: Q is %lld x %lld", (long long)q.m, (long long)q.n);
    product(&p, &q, false, &r, false);
    alike(&p, &a, d, "qr");
    orthonormal(&q, d, false, "qr: Q");
}

static void eigh(tt_dtype d, int64_t n)
{
    random_matrix(&p, d, n, n);
    a = p;
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) *at(&a, b, i, j) = (*at(&p, b, i, j) + conj(*at(&p, b, j, i))) / 2;
    const tt_val f = tt_eigh(value_of(&a, d, true));
    read_into(&s, tt_item(f, 0), true, "eigh");
    read_into(&q, tt_item(f, 1), true, "eigh");
    for (int64_t i = 1; i < n; i++) CHECK(creal(s.v[i - 1]) <= creal(s.v[i]), "eigenvalues do not rise");
    product(&p, &a, false, &q, false);
    r = q;
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) *at(&r, b, i, j) *= s.v[b * n + j];
    alike(&p, &r, d, "eigh");
    orthonormal(&q, d, false, "eigh: V");
}

static void svd(tt_dtype d, int64_t m, int64_t n, int full, bool singular)
{
    const int64_t k = m < n ? m : n;
    random_matrix(&a, d, m, n);
    for (int64_t j = 0; singular && j < n; j++) *at(&a, 0, m - 1, j) = 0, *at(&a, 1, m - 1, j) = *at(&a, 1, 0, j);
    const tt_val v = value_of(&a, d, true), f = tt_svd(v, .full = full);
    read_into(&q, tt_item(f, 0), true, "svd");
    read_into(&s, tt_item(f, 1), true, "svd");
    read_into(&r, tt_item(f, 2), true, "svd");
    orthonormal(&q, d, false, "svd: U");
    orthonormal(&r, d, true, "svd: V");
    for (int64_t i = 1; i < k; i++) CHECK(creal(s.v[i - 1]) >= creal(s.v[i]), "singular values do not fall");
    p = (matrix){ .batch = 2, .m = m, .n = n };
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t c = 0; c < k; c++)
                    *at(&p, b, i, j) += *at(&q, b, i, c) * s.v[b * k + c] * *at(&r, b, c, j);
    alike(&p, &a, d, singular ? "svd of a singular matrix" : "svd");
    read_into(&t, tt_svdvals(v), true, "svdvals");
    alike(&t, &s, d, "svdvals");
    read_into(&q, tt_pinv(v), true, "pinv");
    product(&r, &a, false, &q, false);
    product(&p, &r, false, &a, false);
    alike(&p, &a, d, "pinv");
}

/* ---- matrices that are not Hermitian, three diagonals ---- */

static tt_dtype complex_of(tt_dtype d) { return d == TT_F64 || d == TT_C128 ? TT_C128 : TT_C64; }

static void eig(tt_dtype d, int64_t n)
{
    random_matrix(&a, d, n, n);
    const tt_val v = value_of(&a, d, true), f = tt_eig(v);
    CHECK(tt_dtype_of(tt_item(f, 0)) == complex_of(d), "eig gives no complex numbers");
    read_into(&s, tt_item(f, 0), true, "eig");
    read_into(&q, tt_item(f, 1), true, "eig");
    product(&p, &a, false, &q, false);
    r = q;
    for (int64_t b = 0; b < 2; b++)
        for (int64_t j = 0; j < n; j++) {
            double norm = 0, most = 0, off = 0;
            for (int64_t i = 0; i < n; i++) {
                const cplx x = *at(&q, b, i, j);
                norm += creal(x) * creal(x) + cimag(x) * cimag(x);
                if (cabs(x) > most) most = cabs(x), off = fabs(cimag(x));
                *at(&r, b, i, j) *= s.v[b * n + j];
            }
            CHECK(fabs(norm - 1) < 100 * epsilon[d] && off <= 1e-3, "eig: column %lld has norm %g, phase %g",
                  (long long)j, norm, off);
        }
    alike(&p, &r, d, "eig");
    read_into(&t, tt_eigvals(v), true, "eigvals");
    cplx sum = 0, trace = 0;
    for (int64_t i = 0; i < n; i++) sum += t.v[i], trace += *at(&a, 0, i, i);
    CHECK(cabs(sum - trace) <= 40 * epsilon[d] * (double)(n * n + 4), "eigvals: their sum is off by %g",
          cabs(sum - trace));
}

/* z t z' is a, z' z is 1; below its subdiagonal (`kept` of them) t is zero. */
static void form_of(matrix *z, matrix *m, tt_dtype d, int64_t kept, const char *what)
{
    orthonormal(z, d, false, what);
    product(&p, z, false, m, false);
    product(&r, &p, false, z, true);
    alike(&r, &a, d, what);
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < m->m; i++)
            for (int64_t j = 0; j + kept < i; j++) CHECK(*at(m, b, i, j) == 0, "%s: not zero below", what);
}

static void forms(tt_dtype d, int64_t n)
{
    static matrix z, m, e;
    random_matrix(&a, d, n, n);
    const tt_val v = value_of(&a, d, true), f = tt_schur(v), g = tt_hessenberg(v);
    read_into(&m, tt_item(f, 0), true, "schur");
    read_into(&z, tt_item(f, 1), true, "schur");
    form_of(&z, &m, d, !is_complex(d), "schur");
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 1; i < n; i++) {
            const double low = creal(*at(&m, b, i, i - 1)), high = creal(*at(&m, b, i - 1, i));
            CHECK(low == 0 || (low * high < 0 && *at(&m, b, i, i) == *at(&m, b, i - 1, i - 1) &&
                               (i < 2 || *at(&m, b, i - 1, i - 2) == 0)),
                  "schur: a block is not in its standard form");
        }
    read_into(&m, tt_item(g, 0), true, "hessenberg");
    read_into(&z, tt_item(g, 1), true, "hessenberg");
    form_of(&z, &m, d, 1, "hessenberg");
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                *at(&a, b, i, j) = i == j ? creal(*at(&a, b, i, i)) : conj(*at(&a, b, j, i));
    const tt_val h = tt_tridiagonal(value_of(&a, d, true));
    read_into(&s, tt_item(h, 0), true, "tridiagonal");
    read_into(&e, tt_item(h, 1), true, "tridiagonal");
    read_into(&z, tt_item(h, 2), true, "tridiagonal");
    m = (matrix){ .batch = 2, .m = n, .n = n };
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < n; i++) {
            *at(&m, b, i, i) = s.v[b * n + i];
            if (i) *at(&m, b, i - 1, i) = *at(&m, b, i, i - 1) = e.v[b * (n - 1) + i - 1];
        }
    form_of(&z, &m, d, 1, "tridiagonal");
}

static void three_diagonals(tt_dtype d, int64_t n)
{
    tt_val diagonal[3];
    random_matrix(&p, d, n, n);
    a = (matrix){ .batch = 2, .m = n, .n = n };
    for (int k = 0; k < 3; k++) {
        random_matrix(&q, d, 1, n);
        diagonal[k] = tt_reshape(value_of(&q, d, true), 2, n);
        for (int64_t b = 0; b < 2; b++)
            for (int64_t i = 0; i < n; i++)
                if (i + k >= 1 && i + k <= n) *at(&a, b, i, i + k - 1) = *at(&q, b, 0, i);
    }
    random_matrix(&s, d, n, 3);
    for (int perturb = 0; perturb < 2; perturb++) {
        const tt_val x =
            tt_tridiagonal_solve(diagonal[0], diagonal[1], diagonal[2], value_of(&s, d, true), .perturb = perturb);
        read_into(&r, x, true, "tridiagonal_solve");
        double most = 1;
        for (int64_t i = 0; i < 2 * n * 3; i++) most = fmax(most, cabs(r.v[i]));
        product(&q, &a, false, &r, false);
        for (int64_t i = 0; i < 2 * n * 3; i++)
            q.v[i] = (q.v[i] - s.v[i]) / most + s.v[i]; /* the residual's size is x's */
        alike(&q, &s, d, perturb ? "tridiagonal_solve, perturbed" : "tridiagonal_solve");
    }
}

static void pivoted(tt_dtype d, int64_t m, int64_t n, int full)
{
    random_matrix(&a, d, m, n);
    const tt_val f = tt_qr_pivoted(value_of(&a, d, true), .full = full);
    read_into(&q, tt_item(f, 0), true, "qr, pivoted");
    read_into(&r, tt_item(f, 1), true, "qr, pivoted");
    read_into(&s, tt_item(f, 2), true, "qr, pivoted");
    orthonormal(&q, d, false, "qr, pivoted");
    product(&p, &q, false, &r, false);
    t = a;
    for (int64_t b = 0; b < 2; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) *at(&t, b, i, j) = *at(&a, b, i, (int64_t)creal(s.v[b * n + j]));
    for (int64_t i = 1; i < m && i < n; i++)
        CHECK(cabs(*at(&r, 1, i, i)) <= cabs(*at(&r, 1, i - 1, i - 1)) * (1 + 10 * epsilon[d]),
              "qr, pivoted: R's diagonal rises");
    const matrix want = t;
    static matrix other;
    other = want;
    alike(&p, &other, d, "qr, pivoted");
}

static void factorisations(void)
{
    static const tt_dtype types[] = { TT_F32, TT_F64, TT_C64, TT_C128 };
    static const int64_t sizes[] = { 1, 2, 5, 40 };
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            if (!check_turn((size_t)(i + k))) continue;
            const tt_dtype d = types[k];
            const int64_t n = sizes[i];
            const tt_scope here = tt_scope_open();
            cholesky(d, n), eigh(d, n);
            lu(d, n, n), lu(d, n + 3, n), lu(d, n, n + 3);
            qr(d, n, n, 0), qr(d, n + 3, n, 0), qr(d, n, n + 3, 0), qr(d, n + 3, n, 1);
            eig(d, n), forms(d, n), three_diagonals(d, n);
            pivoted(d, n, n, 0), pivoted(d, n + 3, n, 1), pivoted(d, n, n + 3, 0);
            svd(d, n, n, 0, false), svd(d, n + 3, n, 0, false), svd(d, n, n + 3, 1, false), svd(d, n + 3, n, 1, n > 2);
            tt_scope_close(here);
        }
}

/* ---- what has no answer, and what is empty ---- */

static void corners(void)
{
    static const float bad[] = { 1, 2, 2, 1 }, odd[] = { 1, NAN, NAN, 2 }, flat[] = { 1, 2, 2, 4 };
    double w[2];
    const tt_val v = tt_array(TT_F32, bad, 2, 2);
    float l[4];
    CHECK(tt_read(tt_cholesky(v), l, sizeof l) && isnan(l[0]) && l[1] == 0 && isnan(l[3]),
          "not positive definite: %g %g %g", (double)l[0], (double)l[1], (double)l[3]);
    CHECK(isnan(tt_num(tt_sum(tt_item(tt_eigh(tt_array(TT_F32, odd, 2, 2)), 0)))), "eigh of NaN");
    CHECK(isnan(tt_num(tt_sum(tt_svdvals(tt_array(TT_F32, odd, 2, 2))))), "svd of NaN");
    CHECK(isnan(tt_num(tt_sum(tt_real(tt_eigvals(tt_array(TT_F32, odd, 2, 2)))))), "eig of NaN");
    CHECK(isnan(tt_num(tt_sum(tt_item(tt_schur(tt_array(TT_F32, odd, 2, 2)), 1)))), "schur of NaN");
    static const float none_of[] = { 0, 0 }, unit[] = { 1, 1 };
    const tt_val nil = tt_array(TT_F32, none_of, 2), right = tt_array(TT_F32, unit, 2, 1);
    CHECK(isnan(tt_num(tt_sum(tt_tridiagonal_solve(nil, nil, nil, right)))), "tridiagonal_solve of zeros");
    CHECK(isfinite(tt_num(tt_sum(tt_tridiagonal_solve(nil, nil, nil, right, .perturb = 1)))), "... perturbed");
    CHECK(tt_num(tt_det(tt_array(TT_F32, flat, 2, 2))) == 0, "det of a singular matrix");
    const tt_val sl = tt_slogdet(tt_array(TT_F32, flat, 2, 2));
    CHECK(tt_num(tt_item(sl, 0)) == 0 && tt_num(tt_item(sl, 1)) == -HUGE_VAL, "slogdet of a singular matrix");
    CHECK(tt_num(tt_det(v)) == -3, "det");
    const tt_val none = tt_zeros(TT_F64, 3, 0, 2);
    CHECK(tt_dim(tt_item(tt_svd(none), 0), 2) == 0 && tt_dim(tt_item(tt_qr(none), 0), 1) == 0 && tt_ok(), "empty: %s",
          tt_error());
    CHECK(tt_read(tt_det(tt_zeros(TT_F64, 2, 0, 0)), w, sizeof w) && w[0] == 1 && w[1] == 1, "det of nothing: %g",
          w[0]);
    CHECK(tt_rank(tt_solve(v, tt_array(TT_F32, bad, 2))) == 1, "a vector's solution is a vector");
}

static void refused(tt_val v, const char *word)
{
    CHECK(!tt_ok() && strstr(tt_error(), word), "expected an error with \"%s\", found: %s", word, tt_error());
    (void)v;
    tt_clear();
}

static tt_val sum_schur(tt_val x) { return tt_sum(tt_item(tt_schur(x), 0)); }

static void mistakes(void)
{
    refused(tt_cholesky(tt_ones(TT_F32, 3, 2)), "square");
    refused(tt_svd(tt_ones(TT_F32, 3)), "matrix");
    refused(tt_qr(tt_ones(TT_BF16, 3, 2)), "bf16");
    refused(tt_solve(tt_ones(TT_F32, 3, 3), tt_ones(TT_F32, 2)), "equations");
    refused(tt_triangular_solve(tt_ones(TT_F32, 2, 3, 3), tt_ones(TT_F32, 4, 3, 1)), "batches");
    refused(tt_call(tt_grad(tt_det), tt_ones(TT_F32, 3, 2)), "square");
    refused(tt_eig(tt_ones(TT_F32, 3, 2)), "square");
    refused(tt_tridiagonal_solve(tt_ones(TT_F32, 3), tt_ones(TT_F32, 3), tt_ones(TT_F32, 2), tt_ones(TT_F32, 3, 1)),
            "diagonal 3");
    refused(tt_call(tt_grad(sum_schur), tt_ones(TT_F32, 3, 3)), "no derivative");
}

/* ---- derivatives along a line of matrices ---- */

static tt_val base, along, weight;
static tt_val matrix_at(tt_val x) { return tt_add(base, tt_mul(along, tt_cast(x, tt_dtype_of(base)))); }
static tt_val square_size(tt_val z) { return tt_add(tt_square(tt_real(z)), tt_square(tt_imag(z))); }
static tt_val seen(tt_val z) { return tt_sum(tt_add(tt_sin(tt_real(z)), tt_cos(tt_imag(z)))); }
static tt_val weighed(tt_val z) { return tt_sum(tt_mul(square_size(z), weight)); } /* does not see phases */

static tt_val f_cholesky(tt_val x)
{
    const tt_val m = matrix_at(x);
    return seen(tt_cholesky(tt_matmul(m, tt_conj(tt_transpose(m, 0, 2, 1)))));
}
static tt_val f_lu(tt_val x) { return seen(tt_item(tt_lu(matrix_at(x)), 0)); }
static tt_val f_qr(tt_val x)
{
    const tt_val f = tt_qr(matrix_at(x));
    return tt_add(seen(tt_item(f, 0)), seen(tt_item(f, 1)));
}
static tt_val f_qr_full(tt_val x)
{
    const tt_val f = tt_qr(matrix_at(x), .full = 1);
    return tt_add(seen(tt_item(f, 0)), seen(tt_item(f, 1)));
}
static tt_val f_pivoted(tt_val x)
{
    const tt_val f = tt_qr_pivoted(matrix_at(x));
    return tt_add(seen(tt_item(f, 0)), seen(tt_item(f, 1)));
}
static tt_val f_eig(tt_val x)
{
    const tt_val f = tt_eig(matrix_at(x));
    return tt_add(seen(tt_item(f, 0)), seen(tt_item(f, 1)));
}
static tt_val f_eigvals(tt_val x) { return seen(tt_eigvals(matrix_at(x))); }
static tt_val f_three(tt_val x)
{
    const tt_val m = matrix_at(x), d = tt_sum(m, .dims = "1");
    return seen(tt_tridiagonal_solve(tt_sin(d), d, tt_cos(d), tt_transpose(m, 0, 2, 1)));
}
static tt_val f_eigh(tt_val x)
{
    const tt_val f = tt_eigh(matrix_at(x));
    return tt_add(tt_sum(tt_sin(tt_item(f, 0))), weighed(tt_item(f, 1)));
}
static tt_val f_svd(tt_val x)
{
    const tt_val f = tt_svd(matrix_at(x));
    return tt_add(tt_sum(tt_sin(tt_item(f, 1))), tt_add(weighed(tt_item(f, 0)), weighed(tt_item(f, 2))));
}
static tt_val f_svdvals(tt_val x) { return tt_sum(tt_sin(tt_svdvals(matrix_at(x)))); }
static tt_val f_pinv(tt_val x) { return seen(tt_pinv(matrix_at(x))); }
static tt_val f_inv(tt_val x) { return seen(tt_inv(matrix_at(x))); }
static tt_val f_solve(tt_val x) { return seen(tt_solve(matrix_at(x), tt_sin(matrix_at(x)))); }
static tt_val f_slogdet(tt_val x)
{
    const tt_val f = tt_slogdet(matrix_at(x));
    return tt_add(tt_sum(tt_item(f, 1)), seen(tt_item(f, 0)));
}
static tt_val f_det(tt_val x) { return seen(tt_det(matrix_at(x))); }

static void slopes(void)
{
    static const struct {
        const char *name;
        tt_val (*f)(tt_val);
        bool any_shape;
    } fn[] = { { "cholesky", f_cholesky, false },
               { "lu", f_lu, true },
               { "qr", f_qr, true },
               { "eigh", f_eigh, false },
               { "svd", f_svd, false },
               { "svdvals", f_svdvals, true },
               { "pinv", f_pinv, true },
               { "inv", f_inv, false },
               { "solve", f_solve, false },
               { "slogdet", f_slogdet, false },
               { "det", f_det, false },
               { "qr, full", f_qr_full, true },
               { "qr, pivoted", f_pivoted, true },
               { "eig", f_eig, false },
               { "eigvals", f_eigvals, false },
               { "three diagonals", f_three, true } };
    static const int64_t shape[][2] = { { 3, 3 }, { 4, 3 }, { 3, 4 }, { 30, 30 } };
    const double h = 1e-6;
    for (int c = 0; c < 8; c++)
        for (size_t k = 0; k < sizeof fn / sizeof *fn; k++) {
            const int64_t m = shape[c % 4][0], n = shape[c % 4][1];
            const tt_dtype d = c < 4 ? TT_F64 : TT_C128;
            const double x[] = { 0, h, -h };
            if ((m != n && !fn[k].any_shape) || (m > 9 && k > 2) || !check_turn((size_t)c + k)) continue;
            const tt_scope here = tt_scope_open();
            random_matrix(&a, d, m, n);
            for (int64_t b = 0; b < 2; b++)
                for (int64_t i = 0; i < m && i < n; i++) *at(&a, b, i, i) += 2 + (double)i;
            random_matrix(&p, d, m, n);
            random_matrix(&q, TT_F64, m, n);
            base = value_of(&a, d, true), along = value_of(&p, d, true), weight = value_of(&q, TT_F64, true);
            const double slope = tt_num(tt_call(tt_grad(fn[k].f), tt_array(TT_F64, x)));
            const double up = tt_num(fn[k].f(tt_array(TT_F64, x + 1))), down = tt_num(fn[k].f(tt_array(TT_F64, x + 2)));
            const double want = (up - down) / (2 * h);
            CHECK(fabs(slope - want) <= 2e-6 * (1 + fabs(want) + fabs(up)),
                  "d %s of %lld x %lld%s: %.10g, differences say %.10g", fn[k].name, (long long)m, (long long)n,
                  is_complex(d) ? ", complex" : "", slope, want);
            tt_scope_close(here);
        }
}

static void all(void)
{
    factorisations();
    corners();
    slopes();
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    check_with_and_without_lapack(all);
    mistakes();
    return check_done();
}
