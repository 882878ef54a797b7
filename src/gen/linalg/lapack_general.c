/* gen/linalg/lapack_general.c - LAPACK's routines for matrices that are not Hermitian, for reduced forms, and for QR
 * with pivoting. */
#include "lapack.h"
#include "../../op/ops.h"

#include <string.h>

typedef lapack_bench bench;
typedef int geev(int, char, char, int, void *, int, void *, void *, void *, int, void *, int);
typedef int geev_complex(int, char, char, int, void *, int, void *, void *, int, void *, int);
typedef int gees(int, char, char, void *, int, void *, int, int *, void *, void *, void *, int);
typedef int gees_complex(int, char, char, void *, int, void *, int, int *, void *, void *, int);
typedef int gehrd(int, int, int, int, void *, int, void *);
typedef int sytrd(int, char, int, void *, int, void *, void *, void *);
typedef int geqp3(int, int, int, void *, int, int *, void *);

static int64_t lapack_general_rows(const ir_box *b) { return b->n[b->rank - 2]; }
static int64_t columns(const ir_box *b) { return b->n[b->rank - 1]; }

static double lapack_general_part(const bench *w, const void *mem, int64_t i)
{
    return w->bytes == 8 ? ((const double *)mem)[i] : (double)((const float *)mem)[i];
}

/* Stores numbers of two real parts each to a complex box. core 1: from vectors re and im; core 2: from columns as geev
 * packs them, where a pair's two parts are adjacent columns and im marks the pairs. */
static void store_pairs(const bench *w, const ir_box *y, int core, const void *re, const void *im, int64_t n)
{
    int64_t i[IR_RANK];
    for (int d = 0; d < y->rank - core; d++) i[d] = w->lead[d];
    for (int64_t j = 0; j < n; j++) {
        const double sign = lapack_general_part(w, im, j);
        const int64_t first = core == 1 || sign >= 0 ? j : j - 1;
        for (int64_t r = 0; r < (core == 1 ? 1 : n); r++) {
            ir_num v = { .c = { lapack_general_part(w, re, core == 1 ? j : first * n + r), core == 1 ? sign : 0 } };
            if (core == 2 && sign != 0) v.c.im = (sign > 0 ? 1 : -1) * lapack_general_part(w, re, (first + 1) * n + r);
            if (core == 2) i[y->rank - 2] = r;
            i[y->rank - 1] = j;
            ir_store(y, i, v);
        }
    }
}

static bool eig(const bench *w)
{
    const op_eig_attr *a = IR_ATTR(w->e, op_eig_attr);
    const int64_t n = columns(w->x), wide = lapack_wide(n);
    char *const left = lapack_behind(w, n * n), *const right = lapack_behind(w, 2 * n * n);
    char *const re = lapack_behind(w, 3 * n * n), *const im = lapack_behind(w, 3 * n * n + n);
    const char l = a->compute_left_eigenvectors ? 'V' : 'N', r = a->compute_right_eigenvectors ? 'V' : 'N';
    lapack_moved(w, w->x, 2, w->workspace, n, TURNED);
    if (!lapack_finite(w, n * n)) return false;
    if (w->complex) {
        if (LAPACK_CALL(GEEV, geev_complex *)(LAPACK_COLUMNS, l, r, (int)n, w->workspace, (int)wide, re, left,
                                              (int)wide, right, (int)wide))
            return false;
        lapack_moved(w, &w->y[0], 1, re, n, STORE);
        if (a->compute_left_eigenvectors) lapack_moved(w, &w->y[1], 2, left, n, TURNED | STORE);
        if (a->compute_right_eigenvectors) lapack_moved(w, &w->y[2], 2, right, n, TURNED | STORE);
        return true;
    }
    if (LAPACK_CALL(GEEV, geev *)(LAPACK_COLUMNS, l, r, (int)n, w->workspace, (int)wide, re, im, left, (int)wide, right,
                                  (int)wide))
        return false;
    store_pairs(w, &w->y[0], 1, re, im, n);
    if (a->compute_left_eigenvectors) store_pairs(w, &w->y[1], 2, left, im, n);
    if (a->compute_right_eigenvectors) store_pairs(w, &w->y[2], 2, right, im, n);
    return true;
}

static bool schur(const bench *w)
{
    const int64_t n = columns(w->x), wide = lapack_wide(n);
    char *const z = lapack_behind(w, n * n), *const re = lapack_behind(w, 2 * n * n),
                *const im = lapack_behind(w, 2 * n * n + n);
    int chosen = 0;
    lapack_moved(w, w->x, 2, w->workspace, n, TURNED);
    if (!lapack_finite(w, n * n)) return false;
    const int info = w->complex ? LAPACK_CALL(GEES, gees_complex *)(LAPACK_COLUMNS, 'V', 'N', NULL, (int)n,
                                                                    w->workspace, (int)wide, &chosen, re, z, (int)wide)
                                : LAPACK_CALL(GEES, gees *)(LAPACK_COLUMNS, 'V', 'N', NULL, (int)n, w->workspace,
                                                            (int)wide, &chosen, re, im, z, (int)wide);
    if (info) return false;
    lapack_moved(w, &w->y[0], 2, w->workspace, n, TURNED | STORE);
    lapack_moved(w, &w->y[1], 2, z, n, TURNED | STORE);
    if (w->complex) lapack_moved(w, &w->y[2], 1, re, n, STORE);
    else store_pairs(w, &w->y[2], 1, re, im, n);
    return true;
}

static bool hessenberg(const bench *w)
{
    const int64_t n = columns(w->x);
    void *const tau = lapack_behind(w, n * n);
    lapack_moved(w, w->x, 2, w->workspace, n, TURNED);
    if (LAPACK_CALL(GEHRD, gehrd *)(LAPACK_COLUMNS, (int)n, 1, (int)n, w->workspace, (int)n, tau)) return false;
    lapack_moved(w, &w->y[0], 2, w->workspace, n, TURNED | STORE);
    lapack_moved(w, &w->y[1], 1, tau, n, STORE);
    return true;
}

static bool tridiagonal(const bench *w)
{
    const int64_t n = columns(w->x);
    void *const tau = lapack_behind(w, n * n), *const d = lapack_behind(w, n * n + n),
                *const off = lapack_behind(w, n * n + 2 * n);
    const char half = IR_ATTR(w->e, op_lower_attr)->lower ? 'L' : 'U';
    lapack_moved(w, w->x, 2, w->workspace, n, TURNED);
    if (LAPACK_CALL(SYTRD, sytrd *)(LAPACK_COLUMNS, half, (int)n, w->workspace, (int)n, d, off, tau)) return false;
    lapack_moved(w, &w->y[0], 2, w->workspace, n, TURNED | STORE);
    lapack_moved(w, &w->y[1], 1, d, n, STORE);
    lapack_moved(w, &w->y[2], 1, off, n, STORE);
    lapack_moved(w, &w->y[3], 1, tau, n, STORE);
    return true;
}

static bool pivoted(const bench *w)
{
    const int64_t m = lapack_general_rows(w->x), n = columns(w->x);
    void *const tau = lapack_behind(w, m * n);
    int *const pivot = lapack_behind(w, m * n + m + n);
    lapack_moved(w, w->x, 2, w->workspace, m, TURNED);
    lapack_integers(w, &w->x[1], pivot, false);
    if (LAPACK_CALL(GEQP3, geqp3 *)(LAPACK_COLUMNS, (int)m, (int)n, w->workspace, lapack_wide(m), pivot, tau))
        return false;
    lapack_moved(w, &w->y[0], 2, w->workspace, m, TURNED | STORE);
    lapack_integers(w, &w->y[1], pivot, true);
    lapack_moved(w, &w->y[2], 1, tau, m < n ? m : n, STORE);
    return true;
}

const struct lapack_use lapack_general[] = {
    { &prim_eig, eig },      { &prim_schur, schur }, { &prim_hessenberg, hessenberg },
        { &prim_tridiagonal, tridiagonal },
    { &prim_geqp3, pivoted }, { NULL, NULL },
};
