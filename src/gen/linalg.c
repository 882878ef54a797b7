/* gen/linalg.c - matrices: the rows' references, a batch in tiles; and large ones by LAPACK, when there is one.
 *
 * LAPACK is found at run time, as LAPACKE's C interface in liblapacke, or in an OpenBLAS or MKL that has it; nothing
 * of it is needed to build. It computes column by column: a matrix goes in transposed and comes out so. Which of the
 * two computes depends on a matrix's size alone, so that every batch, mesh and number of workers gives the same bits;
 * LAPACK itself runs on the worker that calls it. */
#include "gen.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LEAST = 24 }; /* rows and columns from which on LAPACK computes */

/* ---- the library ---- */

/* A routine in four types: s, d, c, z. Their C prototypes differ in the types of pointers alone, which all are void
 * here. */
typedef enum { POTRF, TRSM, GETRF, GEQRF, ORGQR, SYEVD, GESDD, ROUTINES } routine;
static const char *const names[ROUTINES][4] = {
    { "spotrf", "dpotrf", "cpotrf", "zpotrf" }, { "strtrs", "dtrtrs", "ctrtrs", "ztrtrs" },
    { "sgetrf", "dgetrf", "cgetrf", "zgetrf" }, { "sgeqrf", "dgeqrf", "cgeqrf", "zgeqrf" },
    { "sorgqr", "dorgqr", "cungqr", "zungqr" }, { "ssyevd", "dsyevd", "cheevd", "zheevd" },
    { "sgesdd", "dgesdd", "cgesdd", "zgesdd" },
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

static void look(void)
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
        void *const threads = dlsym(lib, "openblas_set_num_threads"); /* our workers are the threads */
        void (*set)(int);
        memcpy(&set, &threads, sizeof set);
        if (threads) set(1);
        snprintf(report, sizeof report, "lapack: %s%s", file[i], threads ? " (OpenBLAS)" : "");
        return;
    }
    memset(found, 0, sizeof found);
}

static bool there(void)
{
    pthread_once(&once, look);
    return found[0][0] && !base_switch("no-lapack");
}

const char *gen_lapack_report(void) { return pthread_once(&once, look), report; }

/* ---- memory, column by column ---- */

typedef struct {
    const ir_eqn *e;
    const ir_box *x, *y;
    const int64_t *lead;
    char *room;
    int type;
    size_t bytes;
    bool complex;
} bench;
enum { PLAIN = 0, TURNED = 1, BAR = 2, STORE = 4 }; /* TURNED: memory holds columns; BAR: conjugated */

static void bar(void *at, bool wide)
{
    if (wide) ((double *)at)[1] = -((double *)at)[1];
    else ((float *)at)[1] = -((float *)at)[1];
}

/* width: numbers from row to row (column to column) of memory. */
static void moved(const bench *w, const ir_box *b, int core, void *mem, int64_t width, int how)
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

static void *behind(const bench *w, int64_t numbers) { return w->room + (size_t)numbers * w->bytes; }
static void *code(const bench *w, routine r) { return found[r][w->type]; }
static int64_t rows(const ir_box *b) { return b->n[b->rank - 2]; }
static int64_t columns(const ir_box *b) { return b->n[b->rank - 1]; }
#define CALL(r, type) ((type)(uintptr_t)code(w, r))

enum { COLUMNS = 102 }; /* LAPACK_COL_MAJOR */
typedef int potrf(int, char, int, void *, int);
typedef int trtrs(int, char, char, char, int, int, const void *, int, void *, int);
typedef int getrf(int, int, int, void *, int, int *);
typedef int geqrf(int, int, int, void *, int, void *);
typedef int orgqr(int, int, int, int, void *, int, const void *);
typedef int syevd(int, char, char, int, void *, int, void *);
typedef int gesdd(int, char, int, int, void *, int, void *, void *, int, void *, int);

static int wide(int64_t n) { return n < 1 ? 1 : (int)n; }

/* ---- one matrix of each row; false: LAPACK would not have it, the reference computes it ---- */

static bool cholesky(const bench *w)
{
    const int64_t n = columns(w->x);
    const bool lower = IR_ATTR(w->e, op_lower_attr)->lower;
    moved(w, w->x, 2, w->room, n, TURNED);
    const int info = CALL(POTRF, potrf *)(COLUMNS, lower ? 'L' : 'U', (int)n, w->room, (int)n);
    if (info < 0) return false;
    for (int64_t j = 0; j < n; j++) {
        if (info) spoil(w, behind(w, lower ? j * n + j : j * n), lower ? n - j : j + 1);
        memset(behind(w, lower ? j * n : j * n + j + 1), 0, (size_t)(lower ? j : n - j - 1) * w->bytes);
    }
    moved(w, w->y, 2, w->room, n, TURNED | STORE);
    return true;
}

static bool triangular_solve(const bench *w)
{
    const op_triangular_attr *a = IR_ATTR(w->e, op_triangular_attr);
    const int64_t n = columns(w->x), k = a->left_side ? columns(w->y) : rows(w->y);
    /* x op(a) = b is op(a)^T x^T = b^T: of the three ops' transposes two are ops, the third is a conjugate */
    const bool over = !a->left_side && a->transpose_a == OP_ADJOINT;
    const char left[] = { 'N', 'T', 'C' }, right[] = { 'T', 'N', 'N' };
    void *const x = behind(w, n * n);
    const int free = w->y->rank - 2 + a->left_side;
    const ir_box b = op_box_part(&w->x[1], free, w->y->lo[free], k); /* it may hold more */
    moved(w, &w->x[0], 2, w->room, n, TURNED | (over && w->complex ? BAR : 0));
    moved(w, &b, 2, x, n, a->left_side ? TURNED : PLAIN);
    if (CALL(TRSM, trtrs *)(COLUMNS, a->lower ? 'L' : 'U', (a->left_side ? left : right)[a->transpose_a],
                            a->unit_diagonal ? 'U' : 'N', (int)n, (int)k, w->room, (int)n, x, (int)n))
        return false;
    moved(w, w->y, 2, x, n, STORE | (a->left_side ? TURNED : PLAIN));
    return true;
}

static void vector(const bench *w, const ir_box *y, const int *v)
{
    int64_t i[IR_RANK];
    for (int d = 0; d < y->rank - 1; d++) i[d] = w->lead[d];
    for (int64_t k = 0; k < y->n[y->rank - 1]; k++) {
        i[y->rank - 1] = k;
        ir_store(y, i, (ir_num){ .i = v[k] });
    }
}

static bool lu(const bench *w)
{
    const int64_t m = rows(w->x), n = columns(w->x), k = m < n ? m : n;
    int *const pivot = behind(w, m * n), *const order = pivot + k;
    moved(w, w->x, 2, w->room, m, TURNED);
    if (CALL(GETRF, getrf *)(COLUMNS, (int)m, (int)n, w->room, wide(m), pivot) < 0) return false;
    for (int64_t i = 0; i < m; i++) order[i] = (int)i;
    for (int64_t i = 0; i < k; i++) {
        const int t = order[i], p = --pivot[i]; /* LAPACK counts from 1 */
        order[i] = order[p], order[p] = t;
    }
    moved(w, &w->y[0], 2, w->room, m, TURNED | STORE);
    vector(w, &w->y[1], pivot);
    vector(w, &w->y[2], order);
    return true;
}

static bool qr(const bench *w)
{
    const int64_t m = rows(w->x), n = columns(w->x), k = m < n ? m : n;
    void *const tau = behind(w, m * n);
    moved(w, w->x, 2, w->room, m, TURNED);
    if (CALL(GEQRF, geqrf *)(COLUMNS, (int)m, (int)n, w->room, wide(m), tau) < 0) return false;
    moved(w, &w->y[0], 2, w->room, m, TURNED | STORE);
    moved(w, &w->y[1], 1, tau, k, STORE);
    return true;
}

static bool householder_product(const bench *w)
{
    const int64_t m = rows(w->x), n = columns(w->x), k = columns(&w->x[1]);
    void *const tau = behind(w, m * n);
    moved(w, &w->x[0], 2, w->room, m, TURNED);
    moved(w, &w->x[1], 1, tau, k, PLAIN);
    if (CALL(ORGQR, orgqr *)(COLUMNS, (int)m, (int)n, (int)k, w->room, wide(m), tau) < 0) return false;
    moved(w, w->y, 2, w->room, m, TURNED | STORE);
    return true;
}

static bool eigh(const bench *w)
{
    const int64_t n = columns(w->x);
    void *const d = behind(w, n * n);
    moved(w, w->x, 2, w->room, n, TURNED);
    const char part = IR_ATTR(w->e, op_lower_attr)->lower ? 'L' : 'U';
    if (CALL(SYEVD, syevd *)(COLUMNS, 'V', part, (int)n, w->room, (int)n, d)) return false;
    moved(w, &w->y[0], 1, d, n, STORE);
    moved(w, &w->y[1], 2, w->room, n, TURNED | STORE);
    return true;
}

static bool svd(const bench *w)
{
    const int64_t m = rows(w->x), n = columns(w->x), k = m < n ? m : n;
    const bool vectors = w->e->op == &row_svd, full = vectors && IR_ATTR(w->e, op_full_attr)->full_matrices;
    const int64_t uc = full ? m : k, vr = full ? n : k;
    void *const s = behind(w, m * n), *const u = behind(w, m * n + k), *const v = behind(w, m * n + k + m * uc);
    moved(w, w->x, 2, w->room, m, TURNED);
    if (CALL(GESDD, gesdd *)(COLUMNS,
                             full      ? 'A'
                             : vectors ? 'S'
                                       : 'N',
                             (int)m, (int)n, w->room, wide(m), s, u, wide(m), v, wide(vr)))
        return false;
    moved(w, &w->y[0], 1, s, k, STORE);
    if (!vectors) return true;
    moved(w, &w->y[1], 2, u, m, TURNED | STORE);
    moved(w, &w->y[2], 2, v, vr, TURNED | STORE);
    return true;
}

static const struct {
    const op_row *row;
    bool (*one)(const bench *);
} large[] = {
    { &row_cholesky, cholesky },
    { &row_triangular_solve, triangular_solve },
    { &row_lu, lu },
    { &row_geqrf, qr },
    { &row_svd, svd },
    { &row_householder_product, householder_product },
    { &row_svdvals, svd },
    { &row_eigh, eigh },
};

/* ---- the engine ---- */

typedef struct {
    const ir_eqn *e;
    bool (*one)(const bench *);
    int type;
    int64_t work, room;
} kernel;

static int64_t members(const kernel *k, const ir_box *arg)
{
    int64_t n = 1;
    for (int d = 0; d < IR_IN(k->e, 0)->rank - 2; d++) n *= arg[k->e->nin].n[d];
    return n;
}

static int64_t linalg_tiles(const void *self, const ir_box *arg)
{
    enum { GRAIN = 1 << 14, MOST = 64 }; /* products that a tile is worth */
    const kernel *k = self;
    const int64_t n = members(k, arg);
    const double worth = (double)n * (double)k->work / GRAIN;
    const int64_t most = worth > MOST ? MOST : worth < 1 ? 1 : (int64_t)worth;
    return n < most ? (n < 1 ? 1 : n) : most;
}

static int64_t linalg_scratch(const void *self, const ir_box *arg)
{
    const kernel *k = self;
    return (void)arg, k->one ? k->room : 0;
}

/* The box of one member of the batch. */
static ir_box member(const ir_box *b, int nlead, const int64_t *lead)
{
    ir_box y = *b;
    for (int d = 0; d < nlead; d++) y = op_box_part(&y, d, lead[d], 1);
    return y;
}

static void linalg_run(const void *self, const run_job *job)
{
    const kernel *k = self;
    const ir_eqn *e = k->e;
    const int nlead = IR_IN(e, 0)->rank - 2;
    const int64_t n = members(k, job->arg), tiles = linalg_tiles(self, job->arg);
    const tt_dtype d = IR_IN(e, 0)->dtype;
    ir_box box[8];
    int64_t lead[IR_RANK];
    for (int64_t i = n * job->first / tiles; i < n * (job->first + job->count) / tiles; i++) {
        const ir_box *const y = &job->arg[e->nin];
        int64_t rest = i;
        for (int q = nlead - 1; q >= 0; rest /= y->n[q], q--) lead[q] = y->lo[q] + rest % y->n[q];
        for (uint32_t t = 0; t < e->nin + e->nout; t++) box[t] = member(&job->arg[t], nlead, lead);
        const bench w = { e, box, box + e->nin, lead, job->scratch, k->type, ir_dtype_of(d)->bytes, op_is_complex(d) };
        if (!k->one || !k->one(&w)) e->op->ref(e, box, box + e->nin);
    }
}

static const char *linalg_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    return g->neqn == 1 && e->op->kernel == OP_MATRIX && e->nin + e->nout <= 8 ? NULL : "not an algorithm of matrices";
}

/* Results and operands of a matrix each, and LAPACK's vectors: more than any routine above asks for. */
static int64_t room_of(const ir_eqn *e, int64_t m, int64_t n)
{
    const ir_type *t = e->nin > 1 ? IR_IN(e, 1) : IR_IN(e, 0);
    const int64_t other = e->op == &row_triangular_solve ? t->dim[t->rank - 2] * t->dim[t->rank - 1] : 0;
    const int64_t square = e->op == &row_svd ? m * m + n * n : 0;
    return (m * n + other + square + 4 * (m + n) + 8) * (int64_t)ir_dtype_of(t->dtype)->bytes;
}

static bool linalg_make(base_arena *a, const gen_group *g, run_kernel *r)
{
    kernel *k = BASE_NEW(a, kernel, 1);
    const ir_type *t = IR_IN(g->eqn[0], 0);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1], least = m < n ? m : n;
    *k = (kernel){ .e = g->eqn[0], .work = m * n * least };
    const bool by = least >= LEAST && m < INT32_MAX && n < INT32_MAX && there();
    for (size_t i = 0; by && i < sizeof large / sizeof *large; i++)
        if (large[i].row == k->e->op) k->one = large[i].one;
    k->type = (op_is_complex(t->dtype) ? 2 : 0) + (op_real_dtype(t->dtype) == TT_F64);
    k->room = room_of(k->e, m, n);
    *r = (run_kernel){ .code = linalg_run,
                       .self = k,
                       .tiles = linalg_tiles,
                       .scratch = linalg_scratch,
                       .site = k->e->site,
                       .name = base_intern(k->one ? "lapack" : "linalg") };
    return true;
}

const gen_engine gen_linalg = { sizeof(gen_engine), "linalg", linalg_refuses, linalg_make };
