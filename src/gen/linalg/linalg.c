/* gen/linalg/linalg.c - the engine of matrix primitives: one matrix of the batch after another, by the primitive's
 * reference or, for large matrices, by LAPACK if it is installed. A tile is a part of the batch.
 *
 * The choice between the two depends on the primitive and the matrix's size alone, so that every batch, mesh and number
 * of workers gives the same bits. */
#include "lapack.h"
#include "../../op/ops.h"

/* ---- the engine ---- */

typedef struct {
    const ir_eqn *e;
    lapack_one *one;
    int type;
    int64_t work, cap;
} kernel;

static int64_t linalg_members(const kernel *k, const ir_box *arg)
{
    int64_t n = 1;
    for (int d = 0; d < IR_IN(k->e, 0)->rank - 2; d++) n *= arg[k->e->nin].n[d];
    return n;
}

static int64_t linalg_tiles(const void *self, const ir_box *arg)
{
    enum { GRAIN = 1 << 14, MOST = 64 };                 /* products that a tile should have */
    const kernel *k = self;
    const int64_t n = linalg_members(k, arg);
    const double worth = (double)n * (double)k->work / GRAIN;
    const int64_t most = worth > MOST ? MOST : worth < 1 ? 1 : (int64_t)worth;
    return n < most ? (n < 1 ? 1 : n) : most;
}

static int64_t linalg_scratch(const void *self, const ir_box *arg)
{
    const kernel *k = self;
    return (void)arg, k->one ? k->cap : 0;
}

/* The box of one member of the batch. */
static ir_box linalg_member(const ir_box *b, int nlead, const int64_t *lead)
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
    const int64_t n = linalg_members(k, job->arg), tiles = linalg_tiles(self, job->arg);
    const tt_dtype d = IR_IN(e, 0)->dtype;
    ir_box box[8];
    int64_t lead[IR_RANK];
    for (int64_t i = n * job->first / tiles; i < n * (job->first + job->count) / tiles; i++) {
        const ir_box *const y = &job->arg[e->nin];
        int64_t rest = i;
        for (int q = nlead - 1; q >= 0; rest /= y->n[q], q--) lead[q] = y->lo[q] + rest % y->n[q];
        for (uint32_t t = 0; t < e->nin + e->nout; t++) box[t] = linalg_member(&job->arg[t], nlead, lead);
        const lapack_bench w = {
            e, box, box + e->nin, lead, job->scratch, k->type, ir_dtype_of(d)->bytes, op_is_complex(d)
        };
        if (!k->one || !k->one(&w)) e->op->ref(e, box, box + e->nin);
    }
}

static const char *linalg_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    return g->neqn == 1 && e->op->kernel == OP_MATRIX && e->nin + e->nout <= 8 ? NULL : "not an algorithm of matrices";
}

/* Bytes for the matrices of results and operands, and LAPACK's vectors: more than any routine of lapack.c and
 * lapack_general.c needs. */
static int64_t workspace_bytes(const ir_eqn *e, int64_t m, int64_t n)
{
    const ir_type *t = e->nin > 1 ? IR_IN(e, 1) : IR_IN(e, 0);
    const int64_t other = e->op == &prim_triangular_solve ? t->dim[t->rank - 2] * t->dim[t->rank - 1] : 0;
    const int64_t square = e->op == &prim_svd ? m * m + n * n : e->op == &prim_eig ||
        e->op == &prim_schur ? 6 * n * n : 0;
    return (m * n + other + square + 8 * (m + n) + 8) * (int64_t)ir_dtype_of(t->dtype)->bytes;
}

static bool linalg_make(base_arena *a, const gen_group *g, run_kernel *r)
{
    kernel *k = BASE_NEW(a, kernel, 1);
    const ir_type *t = IR_IN(g->eqn[0], 0);
    const int64_t m = t->dim[t->rank - 2], n = t->dim[t->rank - 1], least = m < n ? m : n;
    *k = (kernel){ .e = g->eqn[0], .work = m * n * least };
    int64_t from;
    lapack_one *const one = lapack_for(k->e->op, &from);
    if (one && least >= from && m < INT32_MAX && n < INT32_MAX && lapack_there()) k->one = one;
    k->type = (op_is_complex(t->dtype) ? 2 : 0) + (op_real_dtype(t->dtype) == TT_F64);
    k->cap = workspace_bytes(k->e, m, n);
    *r = (run_kernel){ .code = linalg_run,
                       .self = k,
                       .tiles = linalg_tiles,
                       .scratch = linalg_scratch,
                       .site = k->e->site,
                       .name = base_intern(k->one ? "lapack" : "linalg") };
    return true;
}

const gen_engine gen_linalg = { sizeof(gen_engine), "linalg", linalg_refuses, linalg_make };
