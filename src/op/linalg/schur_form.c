/* op/linalg/schur_form.c - Schur form by Hessenberg form and the QR algorithm (schur_form_any.h), and eigenvalues and
 * eigenvectors from the Schur form.
 *
 * Eigenvectors are computed by substitution in the triangle, where a negligible difference of eigenvalues is replaced
 * by a small one, and multiplied by Z. A real T is first converted to a complex one: a rotation makes each 2 x 2 block
 * triangular. */
#include "schur_form.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef double _Complex num;

bool op_schur(const op_bench *w, void *t, void *z, void *buffer)
{
    const int64_t n = w->x->n[w->x->rank - 1], k = n ? n - 1 : 0;
    const size_t each = w->kit->bytes;
    char *const a = t, *const q = z, *const tau = buffer, *const row = tau + n * (int64_t)each,
                *const part = row + n * (int64_t)each;
    w->kit->load(w->x, 2, w->lead, false, false, t);
    w->kit->hessenberg(n, t, tau, row);
    memset(q, 0, (size_t)(n * n) * each);
    for (int64_t i = 0; i < k; i++)
        memcpy(part + i * k * (int64_t)each, a + (i + 1) * n * (int64_t)each, (size_t)k * each);
    w->kit->reflectors(k, k, k, part, tau, q + (n * n - k * k) * (int64_t)each, row);
    for (int64_t i = 0; i < k;
         i++) /* from k-rows to n-rows, first row first: no row overwrites one that is still to be moved */
        memmove(q + ((i + 1) * n + 1) * (int64_t)each, q + (n * n - k * k + i * k) * (int64_t)each, (size_t)k * each);
    for (int64_t i = 0; i < n; i++) {
        memset(q + i * n * (int64_t)each, 0, i ? each : (size_t)n * each);
        for (int64_t j = 0; j + 1 < i; j++) memset(a + (i * n + j) * (int64_t)each, 0, each);
    }
    if (n) *(double *)q = 1;
    return w->kit->schur(n, t, z);
}

void op_schur_values(const op_matrix_kit *kit, int64_t n, const void *t, num *w)
{
    const double *const x = t;
    for (int64_t i = 0; i < n; i++) {
        const double *const p = x + i * n + i;
        if (kit != &op_matrix_real) w[i] = ((const num *)t)[i * n + i];
        else if (i + 1 == n || p[n] == 0) w[i] = p[0];
        else {
            const double size = sqrt(fabs(p[1])) * sqrt(fabs(p[n]));
            w[i] = p[0] + size * I, w[i + 1] = p[0] - size * I;
            i++;
        }
    }
}

void op_schur_complex(int64_t n, const double *t, const double *z, num *ct, num *cz)
{
    for (int64_t i = 0; i < n * n; i++) ct[i] = t[i], cz[i] = z[i];
    for (int64_t k = 0; k + 1 < n; k++) {
        num *const p = ct + k * n + k;
        if (p[n] == 0) continue;
        /* lambda - d, as the diagonal is equal */
        const num gap = sqrt(fabs(creal(p[1]))) * sqrt(fabs(creal(p[n]))) * I;
        const double r = hypot(cabs(gap), cabs(p[n]));
        /* (c, s): an eigenvector of the block's first eigenvalue */
        const num c = gap / r, s = p[n] / r;
        for (int64_t j = k; j < n; j++) {
            num *const q = ct + k * n + j, u = q[0];
            q[0] = conj(c) * u + conj(s) * q[n], q[n] = c * q[n] - s * u;
        }
        for (int64_t i = 0; i < k + 2 + n; i++) {
            num *const q = i < k + 2 ? ct + i * n + k : cz + (i - k - 2) * n + k, u = q[0];
            q[0] = c * u + s * q[1], q[1] = conj(c) * q[1] - conj(s) * u;
        }
        p[n] = 0;
    }
}

/* x with (t - t_kk) x = 0 and x_k = 1; left: x' (t - t_kk) = 0 */
static void substituted(int64_t n, int64_t k, const num *t, bool left, num *x)
{
    double most = DBL_MIN;
    for (int64_t i = 0; i < n * n; i++) most = fmax(most, cabs(t[i]));
    for (int64_t i = 0; i < n; i++) x[i] = i == k;
    for (int64_t step = 1; left ? k + step < n : k - step >= 0; step++) {
        const int64_t i = left ? k + step : k - step, from = left ? k : i + 1, to = left ? i : k + 1;
        num sum = 0, gap = t[i * n + i] - t[k * n + k];
        for (int64_t j = from; j < to; j++) sum += left ? conj(x[j]) * t[j * n + i] : t[i * n + j] * x[j];
        if (cabs(gap) < DBL_EPSILON * most) gap = DBL_EPSILON * most;
        x[i] = left ? conj(-sum / gap) : -sum / gap;
        const double size = cabs(x[i]);
        for (int64_t j = 0; size > 1 / DBL_EPSILON && j < n; j++) x[j] /= size;
    }
}

void op_schur_vectors(int64_t n, const num *t, const num *z, bool left, num *v, num *x)
{
    for (int64_t k = 0; k < n; k++) {
        double norm = 0, most = -1;
        num turn = 1;
        substituted(n, k, t, left, x);
        for (int64_t i = 0; i < n; i++) {
            num sum = 0;
            for (int64_t j = 0; j < n; j++) sum += z[i * n + j] * x[j];
            v[i * n + k] = sum;
            norm = hypot(norm, cabs(sum));
            if (cabs(sum) > most) most = cabs(sum), turn = sum;
        }
        turn = most > 0 ? conj(turn) / cabs(turn) / norm : 1;
        for (int64_t i = 0; i < n; i++) v[i * n + k] *= turn;
    }
}
