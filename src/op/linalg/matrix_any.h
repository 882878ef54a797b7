/* op/linalg/matrix_any.h - the dense algorithms of linalg/, compiled twice: num is double or double complex. The
 * includer defines num, CONJ, RE, SIZE (absolute value), SIZE1 (|re| + |im|), COMPLEX.
 *
 * The algorithms are short and robust rather than fast: Cholesky and LU by rows; Householder reflectors with LAPACK's
 * choice of signs, so that R and the vectors have LAPACK's signs; eigenvalues by tridiagonal form and implicit QL;
 * singular values by one-sided Jacobi rotations. Inner loops run along rows. Algorithms for matrices that are not
 * Hermitian: schur_form_any.h.
 *
 * Longer than 400 lines: compiled twice as one text, and the algorithms share reflectors and rotations. */

static inline num *matrix_row_of(void *a, int64_t i, int64_t width) { return (num *)a + i * width; }

/* ---- memory ---- */

typedef struct {
    char *at;
    int64_t m, n, row, column;
    bool wide;
} window; /* steps count numbers of the box */

static window window_of(const ir_box *b, int core, const int64_t *lead)
{
    const int nlead = b->rank - core;
    int64_t at = 0;
    for (int d = 0; d < nlead; d++) at += (lead[d] - b->lo[d]) * b->step[d];
    const int64_t bytes = (int64_t)ir_dtype_of(b->dtype)->bytes;
    return (window){ (char *)b->at + at * bytes, core > 1 ? b->n[nlead] : 1,
                     b->n[b->rank - 1],          core > 1 ? b->step[nlead] : 0,
                     b->step[b->rank - 1],       b->dtype == TT_F64 || b->dtype == TT_C128 };
}

static num get(const window *w, int64_t i, int64_t j)
{
    const int64_t at = i * w->row + j * w->column;
#if COMPLEX
    if (w->wide) {
        const double *p = (const double *)w->at + 2 * at;
        return p[0] + p[1] * I;
    }
    const float *p = (const float *)w->at + 2 * at;
    return (double)p[0] + (double)p[1] * I;
#else
    return w->wide ? ((const double *)w->at)[at] : (double)((const float *)w->at)[at];
#endif
}

static void matrix_store(const window *w, int64_t i, int64_t j, num v)
{
    const int64_t at = i * w->row + j * w->column;
#if COMPLEX
    if (w->wide) {
        double *p = (double *)w->at + 2 * at;
        p[0] = creal(v), p[1] = cimag(v);
        return;
    }
    float *p = (float *)w->at + 2 * at;
    p[0] = (float)creal(v), p[1] = (float)cimag(v);
#else
    if (w->wide) ((double *)w->at)[at] = v;
    else ((float *)w->at)[at] = (float)v;
#endif
}

static void any_load(const ir_box *b, int core, const int64_t *lead, bool turned, bool bar, void *to)
{
    const window w = window_of(b, core, lead);
    num *p = to;
    for (int64_t i = 0; i < (turned ? w.n : w.m); i++)
        for (int64_t j = 0; j < (turned ? w.m : w.n); j++) {
            const num v = turned ? get(&w, j, i) : get(&w, i, j);
            *p++ = bar ? CONJ(v) : v;
        }
}

static void any_store(const ir_box *b, int core, const int64_t *lead, bool turned, bool bar, const void *from,
                      int64_t width)
{
    const window w = window_of(b, core, lead);
    for (int64_t i = 0; i < w.m; i++)
        for (int64_t j = 0; j < w.n; j++) {
            const num v = ((const num *)from)[turned ? j * width + i : i * width + j];
            matrix_store(&w, i, j, bar ? CONJ(v) : v);
        }
}

static void any_spoil(void *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) ((num *)to)[i] = NAN;
}

static void any_mirror(int64_t n, void *a)
{
    for (int64_t i = 0; i < n; i++) {
        num *const x = matrix_row_of(a, i, n);
        x[i] = RE(x[i]);
        for (int64_t j = 0; j < i; j++) matrix_row_of(a, j, n)[i] = CONJ(x[j]);
    }
}

static bool finite_all(const num *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(SIZE1(a[i]))) return false;
    return true;
}

/* ---- triangles ---- */

static bool any_cholesky(int64_t n, void *a)
{
    for (int64_t i = 0; i < n; i++) {
        num *const x = matrix_row_of(a, i, n);
        for (int64_t j = 0; j <= i; j++) {
            const num *const y = matrix_row_of(a, j, n);
            num sum = x[j];
            for (int64_t k = 0; k < j; k++) sum -= x[k] * CONJ(y[k]);
            if (j < i) x[j] = sum / y[j];
            else if (!(RE(sum) > 0)) return false;
            else x[j] = sqrt(RE(sum));
        }
        for (int64_t j = i + 1; j < n; j++) x[j] = 0;
    }
    return true;
}

static void any_solve(int64_t n, int64_t k, const void *t, bool lower, bool unit, void *x)
{
    for (int64_t step = 0; step < n; step++) {
        const int64_t i = lower ? step : n - 1 - step;
        const num *const r = (const num *)t + i * n;
        num *const y = matrix_row_of(x, i, k);
        for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); j++) {
            const num c = r[j], *const z = matrix_row_of(x, j, k);
            for (int64_t q = 0; q < k; q++) y[q] -= c * z[q];
        }
        for (int64_t q = 0; !unit && q < k; q++) y[q] /= r[i];
    }
}

/* The pivot is the largest number on or below the diagonal by SIZE1, the first of equal ones; a column of zeros is
 * unchanged. */
static void any_lu(int64_t m, int64_t n, void *a, int32_t *pivot)
{
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t best = k;
        num *const top = matrix_row_of(a, k, n);
        for (int64_t i = k + 1; i < m; i++)
            if (SIZE1(matrix_row_of(a, i, n)[k]) > SIZE1(matrix_row_of(a, best, n)[k])) best = i;
        pivot[k] = (int32_t)best;
        num *const other = matrix_row_of(a, best, n);
        for (int64_t j = 0; best != k && j < n; j++) {
            const num t = top[j];
            top[j] = other[j], other[j] = t;
        }
        if (top[k] == 0) continue;
        for (int64_t i = k + 1; i < m; i++) {
            num *const x = matrix_row_of(a, i, n);
            const num c = x[k] /= top[k];
            for (int64_t j = k + 1; j < n; j++) x[j] -= c * top[j];
        }
    }
}

/* ---- reflectors H = I - tau v v', v[0] = 1 ---- */

/* H' x = (beta, 0, ...): returns beta, sets tau; v[1 ..] replaces x[1 ..]. */
static double reflector(int64_t n, num *x, int64_t step, num *tau)
{
    double scale = 0, sum = 0;
    for (int64_t i = 1; i < n; i++) {
        const double size = SIZE(x[i * step]);
        if (size > scale || size != size) scale = size;
    }
    for (int64_t i = 1; i < n && scale != 0; i++) {
        const double size = SIZE(x[i * step]) / scale;
        sum += size * size;
    }
    const double norm = scale * sqrt(sum);
    const num alpha = x[0];
    if (norm == 0 && alpha == RE(alpha)) return *tau = 0, RE(alpha);
    const double beta = -copysign(hypot(SIZE(alpha), norm), RE(alpha));
    *tau = (beta - alpha) / beta;
    for (int64_t i = 1; i < n; i++) x[i * step] /= alpha - beta;
    return beta;
}

/* a[m, n] -= tau v (v' a) */
static void reflect(int64_t m, int64_t n, num *a, int64_t width, const num *v, int64_t step, num tau, num *row)
{
    if (tau == 0 || m < 1) return;
    for (int64_t j = 0; j < n; j++) row[j] = a[j];
    for (int64_t i = 1; i < m; i++) {
        const num c = CONJ(v[i * step]);
        for (int64_t j = 0; j < n; j++) row[j] += c * a[i * width + j];
    }
    for (int64_t j = 0; j < n; j++) a[j] -= row[j] *= tau;
    for (int64_t i = 1; i < m; i++) {
        const num c = v[i * step];
        for (int64_t j = 0; j < n; j++) a[i * width + j] -= c * row[j];
    }
}

static void any_qr(int64_t m, int64_t n, void *a, void *tau, void *row)
{
    num *const t = tau;
    for (int64_t k = 0; k < m && k < n; k++) {
        num *const x = matrix_row_of(a, k, n) + k;
        const double beta = reflector(m - k, x, n, &t[k]);
        reflect(m - k, n - k - 1, x + 1, n, x, n, CONJ(t[k]), row);
        x[0] = beta;
    }
}

/* q[m, n] = H_0 H_1 ... H_(k-1) on the first n columns of the identity; the vectors are in a[m, n]. */
static void any_reflectors(int64_t m, int64_t n, int64_t k, const void *a, const void *tau, void *q, void *row)
{
    num *const y = q;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) y[i * n + j] = i == j;
    for (int64_t j = k - 1; j >= 0; j--)
        reflect(m - j, n - j, y + j * n + j, n, (const num *)a + j * n + j, n, ((const num *)tau)[j], row);
}

/* ---- eigenvalues ---- */

/* a = Q T Q' with T real and tridiagonal: d, e; buffer: n numbers. Vector k is stored in column k below the
 * subdiagonal. */
static void any_tridiagonal(int64_t n, void *matrix, double *d, double *e, void *taus, void *buffer)
{
    num *const a = matrix, *const tau = taus, *const p = buffer;
    for (int64_t k = 0; k + 1 < n; k++) {
        const int64_t s = n - k - 1;
        num *const x = a + (k + 1) * n + k, *const rest = x + 1;
        num sum = 0;
        e[k] = reflector(s, x, n, &tau[k]);
        d[k] = RE(a[k * n + k]);
        x[0] = 1;
        for (int64_t i = 0; i < s; i++) {
            p[i] = 0;
            for (int64_t j = 0; j < s; j++) p[i] += rest[i * n + j] * x[j * n];
            p[i] *= tau[k];
            sum += CONJ(p[i]) * x[i * n];
        }
        for (int64_t i = 0; i < s; i++) p[i] -= 0.5 * tau[k] * sum * x[i * n];
        for (int64_t i = 0; i < s; i++)
            for (int64_t j = 0; j < s; j++) rest[i * n + j] -= x[i * n] * CONJ(p[j]) + p[i] * CONJ(x[j * n]);
    }
    if (n) d[n - 1] = RE(a[n * n - 1]);
}

/* The same, with Q in z. */
static void tridiagonal(int64_t n, num *a, double *d, double *e, num *z, num *tau, num *p)
{
    any_tridiagonal(n, a, d, e, tau, p);
    if (n) e[n - 1] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) z[i * n + j] = i == j;
    for (int64_t k = n - 2; k >= 0; k--)
        reflect(n - k - 1, n - k - 1, z + (k + 1) * n + k + 1, n, a + (k + 1) * n + k, n, tau[k], p);
}

/* Chases the bulge once from m - 1 down to l; rotates the rows of z. */
static void chase(int64_t n, int64_t l, int64_t m, double *d, double *e, num *z)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1), s = 1, c = 1, p = 0;
    g = d[m] - d[l] + e[l] / (g + copysign(r, g));
    for (int64_t i = m - 1; i >= l; i--) {
        const double f = s * e[i], b = c * e[i];
        e[i + 1] = r = hypot(f, g);
        if (r == 0) {
            d[i + 1] -= p, e[m] = 0;
            return;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        d[i + 1] = g + (p = s * r);
        g = c * r - b;
        num *const x = z + i * n, *const y = x + n;
        for (int64_t k = 0; k < n; k++) {
            const num t = y[k];
            y[k] = s * x[k] + c * t, x[k] = c * x[k] - s * t;
        }
    }
    d[l] -= p, e[l] = g, e[m] = 0;
}

static void swap_rows(int64_t n, num *x, num *y)
{
    for (int64_t k = 0; k < n; k++) {
        const num t = x[k];
        x[k] = y[k], y[k] = t;
    }
}

static bool any_eigh(int64_t n, void *a, double *d, void *v, void *buffer)
{
    enum { TURNS = 60 };
    num *const z = v, *const tau = buffer, *const p = tau + n;
    double *const e = (double *)(p + n);
    if (!finite_all(a, n * n)) return false;
    tridiagonal(n, a, d, e, z, tau, p);
    for (int64_t i = 0; i < n; i++) /* columns become rows */
        for (int64_t j = 0; j < i; j++) {
            const num t = z[i * n + j];
            z[i * n + j] = z[j * n + i], z[j * n + i] = t;
        }
    for (int64_t l = 0; l < n; l++)
        for (int turn = 0;; turn++) {
            int64_t m = l;
            while (m + 1 < n && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])) + DBL_MIN) m++;
            if (m == l) break;
            if (turn == TURNS) return false;
            chase(n, l, m, d, e, z);
        }
    for (int64_t i = 0; i < n; i++) { /* ascending */
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (d[j] < d[least]) least = j;
        const double t = d[i];
        if (least == i) continue;
        d[i] = d[least], d[least] = t;
        swap_rows(n, z + i * n, z + least * n);
    }
    return true;
}

/* ---- singular values ---- */

static num inner(int64_t n, const num *x, const num *y) /* x' y */
{
    num sum = 0;
    for (int64_t k = 0; k < n; k++) sum += CONJ(x[k]) * y[k];
    return sum;
}

/* multiplies y by conj(phase) first */
static void matrix_rotate(int64_t n, num *x, num *y, double c, double s, num phase)
{
    for (int64_t k = 0; k < n; k++) {
        const num u = x[k], w = y[k] * CONJ(phase);
        x[k] = c * u - s * w, y[k] = s * u + c * w;
    }
}

/* Rotates rows i and j of w until they are orthogonal. Returns false if they already were. */
static bool turned_apart(int64_t m, int64_t n, num *wi, num *wj, num *vi, num *vj)
{
    const double a = RE(inner(m, wi, wi)), b = RE(inner(m, wj, wj));
    const num g = inner(m, wi, wj);
    const double size = SIZE(g);
    if (!(size > DBL_EPSILON * sqrt((double)m) * sqrt(a) * sqrt(b)) || size < DBL_MIN) return false;
    const double q = (b - a) / (2 * size), t = copysign(1, q) / (fabs(q) + hypot(1, q)), c = 1 / hypot(1, t);
    matrix_rotate(m, wi, wj, c, c * t, g / size);
    if (vi) matrix_rotate(n, vi, vj, c, c * t, g / size);
    return true;
}

/* Rows r .. columns-1 of u: an orthonormal basis of the orthogonal complement of the first r. buffer: m (r + columns) +
 * 2 columns numbers. */
static void completed(int64_t m, int64_t r, int64_t columns, num *u, num *buffer)
{
    num *const a = buffer, *const q = a + m * columns, *const tau = q + m * columns;
    if (r == columns) return;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < columns; j++) a[i * columns + j] = j < r ? u[j * m + i] : 0;
    any_qr(m, columns, a, tau, tau + columns);
    for (int64_t j = r; j < columns; j++) tau[j] = 0;
    any_reflectors(m, columns, columns, a, tau, q, tau + columns);
    for (int64_t j = r; j < columns; j++)
        for (int64_t i = 0; i < m; i++) u[j * m + i] = q[i * columns + j];
}

static bool any_svd(int64_t m, int64_t n, int64_t columns, void *rows, double *s, void *left, void *right, void *buffer)
{
    enum { SWEEPS = 60 };
    num *const w = rows, *const u = left, *const v = right;
    double most = 0;
    bool moved = true;
    int64_t rank = 0;
    if (!finite_all(w, n * m)) return false;
    for (int64_t k = 0; k < n * m; k++) most = fmax(most, SIZE(w[k]));
    for (int64_t k = 0; most > 0 && k < n * m; k++) w[k] /= most;
    for (int64_t i = 0; v && i < n; i++)
        for (int64_t j = 0; j < n; j++) v[i * n + j] = i == j;
    for (int k = 0; k < SWEEPS && moved; k++) {
        moved = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++)
                moved |= turned_apart(m, n, w + i * m, w + j * m, v ? v + i * n : NULL, v ? v + j * n : NULL);
    }
    for (int64_t i = 0; i < n; i++) s[i] = sqrt(RE(inner(m, w + i * m, w + i * m)));
    for (int64_t i = 0; i < n; i++) { /* descending */
        int64_t best = i;
        for (int64_t j = i + 1; j < n; j++) if (s[j] > s[best]) best = j;
        const double t = s[i];
        s[i] = s[best], s[best] = t;
        if (best != i && v) swap_rows(m, w + i * m, w + best * m), swap_rows(n, v + i * n, v + best * n);
        for (int64_t k = 0; v && s[i] > 0 && k < m; k++) u[i * m + k] = w[i * m + k] / s[i];
        rank += s[i] > 0;
        s[i] *= most;
    }
    if (v) completed(m, rank, columns, u, buffer);
    return true;
}

#include "schur_form_any.h"
