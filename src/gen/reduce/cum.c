/* gen/reduce/cum.c - cumulative sums, products, maxima and minima on boxes: every line along the dim, from its first
 * element to its last (or back), by the loops of reduce.h.
 *
 * Floating sums and products of long lines are chains within blocks of 128 only: the value before a block is the
 * running value of the blocks' totals, computed in the same way; so the error of the last element is some ulps for any
 * length of the line. Tasks and boxes have complete lines (the factor rule of op/reduce/cum.c does not let the dim be
 * sharded). */
#include "reduce.h"

#include <string.h>

enum { GRAIN = 1 << 16, BLOCK = 128, LEVELS = 9 };       /* elements of a task, of a block; 128^9 exceeds any line */
typedef struct { const ir_eqn *e; const reduce_ops *op; } cum;

static int64_t cum_tiles(const void *self, const ir_box *arg)
{
    const cum *c = self;
    const ir_box *y = &arg[1];
    const int64_t along = y->n[IR_ATTR(c->e, op_cum_attr)->dimension], all = ir_box_count(y), work = all / GRAIN;
    const int64_t lines = along ? all / along : 1, most = work > 64 ? 64 : work;
    return lines < most ? lines : most < 1 ? 1 : most;
}

/* Running values of blocks of blocks. at[j]: the value of all complete blocks of level j before this one, in the
 * accumulator's type (the chain within a block of level j + 1). n[j]: how many blocks at[j] has. */
typedef struct { _Alignas(8) char at[LEVELS][8]; int n[LEVELS]; } totals;

/* Adds the total of a block to those before it. */
static void cum_push(const reduce_ops *op, totals *t, const void *block)
{
    _Alignas(8) char sum[8];
    memcpy(sum, block, op->acc);
    for (int j = 0; j < LEVELS; j++) {
        if (t->n[j]++) op->merge(t->at[j], sum, 1);
        else memcpy(t->at[j], sum, op->acc);
        if (t->n[j] < BLOCK) return;
        memcpy(sum, t->at[j], op->acc);
        t->n[j] = 0;
    }
}

/* The value of all elements before this block, from the largest blocks to the smallest. Returns false if there are no
 * elements before it. */
static bool cum_before(const reduce_ops *op, const totals *t, void *sum)
{
    bool any = false;
    for (int j = LEVELS - 1; j >= 0; j--) {
        if (!t->n[j]) continue;
        if (any) op->merge(sum, t->at[j], 1);
        else memcpy(sum, t->at[j], op->acc);
        any = true;
    }
    return any;
}

void reduce_prefix(const reduce_ops *op, void *y, const void *x, const void *init, int64_t n, int64_t ystep,
    int64_t xstep,
                   int64_t size)
{
    const int64_t most = op->exact ? n : BLOCK;
    totals t = { .n = { 0 } };
    _Alignas(8) char sum[8], first[8], last[8];
    op->clear(first, 1);
    if (init) op->across(first, init, 1);
    for (int64_t i = 0; i < n; i += most) {
        bool any = cum_before(op, &t, sum);
        if (init && any) op->merge(sum, first, 1);
        else if (init) memcpy(sum, first, op->acc), any = true;
        op->prefix((char *)y + i * ystep * size, (const char *)x + i * xstep * size, any ? sum : NULL,
                   n - i < most ? n - i : most, ystep, xstep, last);
        cum_push(op, &t, last);
    }
}

static void cum_run(const void *self, const run_job *job)
{
    const cum *c = self;
    const op_cum_attr *a = IR_ATTR(c->e, op_cum_attr);
    const ir_box *x = &job->arg[0], *y = &job->arg[1];
    const int k = (int)a->dimension;
    const int64_t n = y->n[k], size = (int64_t)ir_dtype_of(y->dtype)->bytes, tiles = cum_tiles(self, job->arg);
    if (!ir_box_count(y)) return;
    const int64_t lines = ir_box_count(y) / n, hi = lines * (job->first + job->count) / tiles;
    for (int64_t i = lines * job->first / tiles; i < hi; i++) {
        int64_t from = (y->lo[k] - x->lo[k]) * x->step[k], to = 0, rest = i;
        for (int d = y->rank - 1; d >= 0; d--) {
            if (d == k) continue;
            const int64_t at = rest % y->n[d];
            rest /= y->n[d];
            from += (y->lo[d] + at - x->lo[d]) * x->step[d], to += at * y->step[d];
        }
        const int64_t end = a->reverse ? n - 1 : 0, turn = a->reverse ? -1 : 1;
        reduce_prefix(c->op, (char *)y->at + (to + end * y->step[k]) * size,
                      (const char *)x->at + (from + end * x->step[k]) * size, NULL, n, turn * y->step[k],
                      turn * x->step[k], size);
    }
}

static mesh_reduce how(const ir_eqn *e)
{
    const op_prim *by = op_cum_monoid(e);
    return by ? by->monoid : MESH_NONE;
}

static const char *cum_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || how(e) == MESH_NONE) return "not cumulative";
    return reduce_here(IR_IN(e, 0)->dtype, how(e)) ? NULL : "no loops for this data type";
}

static bool cum_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    cum *c = BASE_NEW(a, cum, 1);
    c->e = g->eqn[0];
    c->op = reduce_here(IR_IN(c->e, 0)->dtype, how(c->e));
    *k = (run_kernel){ .code = cum_run, .self = c, .tiles = cum_tiles, .name = base_intern("cum: prefix"),
        .site = c->e->site };
    return true;
}

const gen_engine gen_cum = { sizeof(gen_engine), "cum", cum_refuses, cum_make };
