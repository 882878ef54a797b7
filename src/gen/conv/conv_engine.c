/* gen/conv/conv_engine.c - the engine of convolutions: conv_matrix_unit.c for the boxes that suit it, else conv.c's
 * register tiles. A batch of convolutions is numbered through: tiles of the first, then of the second, ... */
#include "conv.h"
#include "../../op/ops.h"

#include "batched_conv.h"

enum { LHS = CONV_LHS, RHS = CONV_RHS, OUT = CONV_OUT, NOTIFIED = 1 << 14 }; /* elements notified of at once */
static const gen_range whole = { 0, 0, 1 };

static int64_t count_of(const conv *v, const ir_box *arg)
{
    return ir_box_count(&arg[OUT]) ? batched_conv_count(IR_ATTR(v->e, op_conv_attr), arg) : 0;
}

static int64_t one_tiles(const conv *v, const ir_box *arg)
{
    const int64_t parts = conv_matrix_unit_parts(v, arg);
    return parts ? parts : conv_rows_tiles(v, arg);
}

static int64_t one_shared(const conv *v, const ir_box *arg)
{
    return conv_matrix_unit_parts(v, arg) ? base_round_up(conv_matrix_unit_shared(v, arg), BASE_CACHE_LINE) : 0;
}

static int64_t conv_tiles(const void *self, const ir_box *arg)
{
    ir_box one[3];
    const int64_t n = count_of(self, arg);
    if (!n) return 1;
    conv_only(self, arg, 0, one);
    return n * one_tiles(self, one);
}

static int64_t conv_scratch(const void *self, const ir_box *arg)
{
    ir_box one[3];
    if (!count_of(self, arg)) return 0;
    conv_only(self, arg, 0, one);
    const int64_t rows = conv_rows_scratch(self, one);
    return conv_matrix_unit_parts(self, one) ? rows + conv_matrix_unit_scratch(self, one) + 64 : rows;
}

static int64_t conv_shared(const void *self, const ir_box *arg)
{
    ir_box one[3];
    const int64_t n = count_of(self, arg);
    if (!n) return 0;
    conv_only(self, arg, 0, one);
    return n * one_shared(self, one);
}

/* Computes and notifies of full images: a job has many images, and each completed part must be a box. */
static void notify_rows(const conv *v, const run_job *job)
{
    const int64_t d = IR_ATTR(v->e, op_conv_attr)->output_batch_dimension, tiles = conv_rows_tiles(v, job->arg);
    const int64_t n = job->arg[OUT].n[d], end = n * (job->first + job->count) / tiles;
    const int64_t one = n ? ir_box_count(&job->arg[OUT]) / n : 0, each = one && one < NOTIFIED ? NOTIFIED / one : 1;
    for (int64_t i = n * job->first / tiles; i < end; i += each) {
        ir_box arg[3] = { job->arg[LHS], job->arg[RHS], job->arg[OUT] };
        conv_narrow(&arg[OUT], d, i, end - i < each ? end - i : each);
        conv_rows(v, arg, 0, 1, 1, job->scratch);
        gen_notify(job, &arg[OUT], 1, &whole);
    }
}

/* Tiles [lo, hi) of one convolution. */
static void run_tiles(const conv *v, const run_job *job, int64_t lo, int64_t hi)
{
    run_job part = *job;
    part.first = lo, part.count = hi - lo;
    if (conv_matrix_unit_parts(v, job->arg)) conv_matrix_unit_run(v, &part);
    else if (job->callbacks) notify_rows(v, &part);
    else conv_rows(v, job->arg, lo, hi - lo, conv_rows_tiles(v, job->arg), job->scratch);
}

static run_job job_of(const conv *v, const run_job *job, int64_t s, ir_box *one)
{
    run_job j = *job;
    conv_only(v, job->arg, s, one);
    j.arg = one;
    if (j.shared) j.shared = (char *)j.shared + s * one_shared(v, one);
    return j;
}

static void conv_run(const void *self, const run_job *job)
{
    ir_box one[3];
    if (!count_of(self, job->arg)) return;
    conv_only(self, job->arg, 0, one);
    const int64_t each = one_tiles(self, one), end = job->first + job->count;
    for (int64_t i = job->first, s; i < end; i = (s + 1) * each) {
        s = i / each;
        const run_job j = job_of(self, job, s, one);
        run_tiles(self, &j, i - s * each, (s + 1) * each < end ? each : end - s * each);
    }
}

static void conv_finish(const void *self, const run_job *job)
{
    ir_box one[3];
    if (!conv_shared(self, job->arg)) return;
    for (int64_t s = 0; s < count_of(self, job->arg); s++) {
        const run_job j = job_of(self, job, s, one);
        conv_matrix_unit_finish(self, &j);
    }
}

/* ---- the engine ---- */

static const char *conv_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || e->op != &prim_convolution) return "not convolution";
    return gemm_refuses(IR_IN(e, 0)->dtype, IR_OUT(e, 0)->dtype);
}

static bool conv_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    conv *v = BASE_NEW(a, conv, 1);
    const ir_eqn *e = g->eqn[0];
    *v = (conv){ e, gemm_type_of(IR_IN(e, 0)->dtype, IR_OUT(e, 0)->dtype), gemm_here(),
                 conv_fits_unit(g) ? conv_matrix_unit_for(e) : NULL };
    *k = (run_kernel){ .code = conv_run, .self = v, .tiles = conv_tiles, .scratch = conv_scratch, .merges = true,
                       .notifies = true,
                       .name = base_intern(!v->matrix_unit ? "conv" : gemm_matrix_unit_here() ? "conv: unit"
                           : "conv: direct"),
                       .site = e->site };
    if (v->matrix_unit) k->finish = conv_finish, k->shared = conv_shared;
    return true;
}

const gen_engine gen_conv = { sizeof(gen_engine), "conv", conv_refuses, conv_make };
