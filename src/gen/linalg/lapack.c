/* gen/linalg/lapack.c - LAPACK, found at run time, and its routines for Hermitian matrices, linear equations, LU, QR
 * and SVD.
 *
 * The search is for LAPACKE's C interface, in liblapacke, or in an OpenBLAS or MKL that has the interface; building
 * needs no part of LAPACK. LAPACK itself runs on the worker that calls it. */
#include "lapack.h"
#include "../../op/ops.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- the library ---- */

typedef lapack_bench bench;
typedef lapack_routine routine;
static const char *const names[ROUTINES][4] = {
    { "spotrf", "dpotrf", "cpotrf", "zpotrf" }, { "strtrs", "dtrtrs", "ctrtrs", "ztrtrs" },
    { "sgetrf", "dgetrf", "cgetrf", "zgetrf" }, { "sgeqrf", "dgeqrf", "cgeqrf", "zgeqrf" },
    { "sorgqr", "dorgqr", "cungqr", "zungqr" }, { "ssyevd", "dsyevd", "cheevd", "zheevd" },
    { "sgesdd", "dgesdd", "cgesdd", "zgesdd" }, { "sgeev", "dgeev", "cgeev", "zgeev" },
    { "sgees", "dgees", "cgees", "zgees" },     { "sgehrd", "dgehrd", "cgehrd", "zgehrd" },
    { "ssytrd", "dsytrd", "chetrd", "zhetrd" }, { "sgeqp3", "dgeqp3", "cgeqp3", "zgeqp3" },
};
static void *found[ROUTINES][4];
static char report[300];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool all_of(void *lib)
{
    char symbol[40];
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            snprintf(symbol, sizeof symbol, "LAPACKE_%s", names[r][t]);
            if (!(found[r][t] = dlsym(lib, symbol))) return false;
        }
    return true;
}

static void lapack_probe(void)
{
    static const char *const file[] = { "liblapacke.so.3", "liblapacke.so",  "libopenblas.so.0",
                                        "libopenblas.so",  "libmkl_rt.so.2", "libmkl_rt.so" };
    snprintf(report, sizeof report, "lapack: no liblapacke; small and slow algorithms of our own take its place");
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        void *const lib = dlopen(file[i], RTLD_NOW | RTLD_LOCAL);
        if (!lib) continue;
        if (!all_of(lib)) {
            dlclose(lib);
            continue;
        }
        void *const threads = dlsym(lib, "openblas_set_num_threads"); /* the workers are the threads */
        void (*set)(int);
        memcpy(&set, &threads, sizeof set);
        if (threads) set(1);
        snprintf(report, sizeof report, "lapack: %s%s", file[i], threads ? " (OpenBLAS)" : "");
        return;
    }
    memset(found, 0, sizeof found);
}

bool lapack_there(void)
{
    pthread_once(&once, lapack_probe);
    return found[0][0] && !base_switch("no-lapack");
}

const char *gen_lapack_report(void) { return pthread_once(&once, lapack_probe), report; }

/* ---- column-major memory ---- */

static void bar(void *at, bool wide)
{
    if (wide) ((double *)at)[1] = -((double *)at)[1];
    else ((float *)at)[1] = -((float *)at)[1];
}

/* See lapack.h. */
void lapack_moved(const bench *w, const ir_box *b, int core, void *mem, int64_t width, int how)
{
    const int lead = b->rank - core;
    const size_t bytes = ir_dtype_of(b->dtype)->bytes;
    const int64_t m = core > 1 ? b->n[lead] : 1, n = b->n[b->rank - 1], row = core > 1 ? b->step[lead] : 0;
    const int64_t column = b->step[b->rank - 1];
    char *at = b->at;
    for (int d = 0; d < lead; d++) at += (w->lead[d] - b->lo[d]) * b->step[d] * (int64_t)bytes;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            char *const p = at + (i * row + j * column) * (int64_t)bytes;
            char *const q = (char *)mem + (size_t)(how & TURNED ? j * width + i : i * width + j) * bytes;
            memcpy(how & STORE ? p : q, how & STORE ? q : p, bytes);
            if (how & BAR) bar(how & STORE ? p : q, bytes == 16);
        }
}

static void spoil(const bench *w, void *mem, int64_t n)
{
    const int64_t reals = w->complex ? 2 * n : n;
    const bool wide = w->bytes == (w->complex ? 16 : 8);
    for (int64_t i = 0; i < reals; i++) {
        if (wide) ((double *)mem)[i] = (double)NAN;
        else ((float *)mem)[i] = NAN;
    }
}

bool lapack_finite(const bench *w, int64_t n)
{
    const bool wide = w->bytes == (w->complex ? 16 : 8);
    for (int64_t i = 0; i < (w->complex ? 2 * n : n); i++)
        if (!isfinite(wide ? ((const double *)w->workspace)[i] : (double)((const float *)w->workspace)[i]))
            return false;
    return true;
}

void *lapack_behind(const bench *w, int64_t numbers) { return w->workspace + (size_t)numbers * w->bytes; }
void *lapack_code(const bench *w, routine r) { return found[r][w->type]; }
static int64_t lapack_rows(const ir_box *b) { return b->n[b->rank - 2]; }
static int64_t columns(const ir_box *b) { return b->n[b->rank - 1]; }

typedef int potrf(int, char, int, void *, int);
typedef int trtrs(int, char, char, char, int, int, const void *, int, void *, int);
typedef int getrf(int, int, int, void *, int, int *);
typedef int geqrf(int, int, int, void *, int, void *);
typedef int orgqr(int, int, int, int, void *, int, const void *);
typedef int syevd(int, char, char, int, void *, int, void *);
typedef int gesdd(int, char, int, int, void *, int, void *, void *, int, void *, int);

int lapack_wide(int64_t n) { return n < 1 ? 1 : (int)n; }

/* ---- one matrix per primitive; false: LAPACK refuses the matrix, the reference computes it ---- */

static bool lapack_cholesky(const bench *w)
{
    const int64_t n = columns(w->x);
    const bool lower = IR_ATTR(w->e, op_lower_attr)->lower;
    lapack_moved(w, w->x, 2, w->workspace, n, TURNED);
    const int info = LAPACK_CALL(POTRF, potrf *)(LAPACK_COLUMNS, lower ? 'L' : 'U', (int)n, w->workspace, (int)n);
    if (info < 0) return false;
    for (int64_t j = 0; j < n; j++) {
        if (info) spoil(w, lapack_behind(w, lower ? j * n + j : j * n), lower ? n - j : j + 1);
        memset(lapack_behind(w, lower ? j * n : j * n + j + 1), 0, (size_t)(lower ? j : n - j - 1) * w->bytes);
    }
    lapack_moved(w, w->y, 2, w->workspace, n, TURNED | STORE);
    return true;
}

static bool triangular_solve(const bench *w)
{
    const op_triangular_attr *a = IR_ATTR(w->e, op_triangular_attr);
    const int64_t n = columns(w->x), k = a->left_side ? columns(w->y) : lapack_rows(w->y);
    /* x op(a) = b is op(a)^T x^T = b^T: the transposes of two of the three ops are ops, the third is a conjugate */
    const bool over = !a->left_side && a->transpose_a == OP_ADJOINT;
    const char left[] = { 'N', 'T', 'C' }, right[] = { 'T', 'N', 'N' };
    void *const x = lapack_behind(w, n * n);
    const int free = w->y->rank - 2 + a->left_side;
    const ir_box b = op_box_part(&w->x[1], free, w->y->lo[free], k); /* the operand's box may hold more */
    lapack_moved(w, &w->x[0], 2, w->workspace, n, TURNED | (over && w->complex ? BAR : 0));
    lapack_moved(w, &b, 2, x, n, a->left_side ? TURNED : PLAIN);
    if (LAPACK_CALL(TRSM, trtrs *)(LAPACK_COLUMNS, a->lower ? 'L' : 'U', (a->left_side ? left : right)[a->transpose_a],
                                   a->unit_diagonal ? 'U' : 'N', (int)n, (int)k, w->workspace, (int)n, x, (int)n))
        return false;
    lapack_moved(w, w->y, 2, x, n, STORE | (a->left_side ? TURNED : PLAIN));
    return true;
}

void lapack_integers(const bench *w, const ir_box *y, int *v, bool store)
{
    int64_t i[IR_RANK];
    for (int d = 0; d < y->rank - 1; d++) i[d] = w->lead[d];
    for (int64_t k = 0; k < y->n[y->rank - 1]; k++) {
        i[y->rank - 1] = k;
        if (store) ir_store(y, i, (ir_num){ .i = v[k] });
        else v[k] = (int)ir_load(y, i).i;
    }
}

static bool lu(const bench *w)
{
    const int64_t m = lapack_rows(w->x), n = columns(w->x), k = m < n ? m : n;
    int *const pivot = lapack_behind(w, m * n), *const order = pivot + k;
    lapack_moved(w, w->x, 2, w->workspace, m, TURNED);
    if (LAPACK_CALL(GETRF, getrf *)(LAPACK_COLUMNS, (int)m, (int)n, w->workspace, lapack_wide(m), pivot) < 0)
        return false;
    for (int64_t i = 0; i < m; i++) order[i] = (int)i;
    for (int64_t i = 0; i < k; i++) {
        const int t = order[i], p = --pivot[i]; /* LAPACK counts from 1 */
        order[i] = order[p], order[p] = t;
    }
    lapack_moved(w, &w->y[0], 2, w->workspace, m, TURNED | STORE);
    lapack_integers(w, &w->y[1], pivot, true);
    lapack_integers(w, &w->y[2], order, true);
    return true;
}

static bool qr(const bench *w)
{
    const int64_t m = lapack_rows(w->x), n = columns(w->x), k = m < n ? m : n;
    void *const tau = lapack_behind(w, m * n);
    lapack_moved(w, w->x, 2, w->workspace, m, TURNED);
    if (LAPACK_CALL(GEQRF, geqrf *)(LAPACK_COLUMNS, (int)m, (int)n, w->workspace, lapack_wide(m), tau) < 0)
        return false;
    lapack_moved(w, &w->y[0], 2, w->workspace, m, TURNED | STORE);
    lapack_moved(w, &w->y[1], 1, tau, k, STORE);
    return true;
}

static bool householder_product(const bench *w)
{
    const int64_t m = lapack_rows(w->x), n = columns(w->x), k = columns(&w->x[1]);
    void *const tau = lapack_behind(w, m * n);
    lapack_moved(w, &w->x[0], 2, w->workspace, m, TURNED);
    lapack_moved(w, &w->x[1], 1, tau, k, PLAIN);
    if (LAPACK_CALL(ORGQR, orgqr *)(LAPACK_COLUMNS, (int)m, (int)n, (int)k, w->workspace, lapack_wide(m), tau) < 0)
        return false;
    lapack_moved(w, w->y, 2, w->workspace, m, TURNED | STORE);
    return true;
}

static bool eigh(const bench *w)
{
    const int64_t n = columns(w->x);
    void *const d = lapack_behind(w, n * n);
    lapack_moved(w, w->x, 2, w->workspace, n, TURNED);
    if (!lapack_finite(w, n * n)) return false;
    const char part = IR_ATTR(w->e, op_lower_attr)->lower ? 'L' : 'U';
    if (LAPACK_CALL(SYEVD, syevd *)(LAPACK_COLUMNS, 'V', part, (int)n, w->workspace, (int)n, d)) return false;
    lapack_moved(w, &w->y[0], 1, d, n, STORE);
    lapack_moved(w, &w->y[1], 2, w->workspace, n, TURNED | STORE);
    return true;
}

static bool svd(const bench *w)
{
    const int64_t m = lapack_rows(w->x), n = columns(w->x), k = m < n ? m : n;
    const bool vectors = w->e->op == &prim_svd, full = vectors && IR_ATTR(w->e, op_full_attr)->full_matrices;
    const int64_t uc = full ? m : k, vr = full ? n : k;
    void *const s = lapack_behind(w, m * n), *const u = lapack_behind(w, m * n + k),
                *const v = lapack_behind(w, m * n + k + m * uc);
    lapack_moved(w, w->x, 2, w->workspace, m, TURNED);
    if (!lapack_finite(w, m * n)) return false;
    if (LAPACK_CALL(GESDD, gesdd *)(LAPACK_COLUMNS,
                                    full      ? 'A'
                                    : vectors ? 'S'
                                              : 'N',
                                    (int)m, (int)n, w->workspace, lapack_wide(m), s, u, lapack_wide(m), v,
                                    lapack_wide(vr)))
        return false;
    lapack_moved(w, &w->y[0], 1, s, k, STORE);
    if (!vectors) return true;
    lapack_moved(w, &w->y[1], 2, u, m, TURNED | STORE);
    lapack_moved(w, &w->y[2], 2, v, vr, TURNED | STORE);
    return true;
}

static const struct lapack_use large[] = {
    { &prim_cholesky, lapack_cholesky },
    { &prim_triangular_solve, triangular_solve },
    { &prim_lu, lu },
    { &prim_geqrf, qr },
    { &prim_svd, svd },
    { &prim_householder_product, householder_product },
    { &prim_svdvals, svd },
    { &prim_eigh, eigh },
    { NULL, NULL },
};

/* Results that are unique up to the last digits are computed by LAPACK from 24 rows and columns on. Eigenvalues of
 * general matrices come in an order of the algorithm's own, so LAPACK computes them at all sizes. */
lapack_one *lapack_for(const op_prim *prim, int64_t *least)
{
    enum { LEAST = 24 };
    for (const struct lapack_use *k = large; *least = LEAST, k->prim; k++)
        if (k->prim == prim) return k->one;
    for (const struct lapack_use *k = lapack_general; *least = 1, k->prim; k++)
        if (k->prim == prim) return k->one;
    return NULL;
}
