/* gen/data/move.c - primitives that move data (OP_MOVE): each is a few strided copies into a box of the result.
 *
 * A task is a part of the result's box along one dim. Operand boxes may hold more than is read. gather and scatter are
 * in index.c, the loops in copy.c. dynamic_update_slice runs in place if operand and result have the same memory. */
#include "move.h"
#include "../../op/ops.h"

#include <string.h>

enum { GRAIN = 1 << 18 };                                /* bytes that a task should write */

/* ---- one copy into y's box or a part of this box ---- */

/* y[lo .. lo+n) = x at offset `at`, with steps fs along y's dims. */
static void move_copy_box(const ir_box *y, const int64_t *lo, const int64_t *n, const ir_box *x, int64_t at,
    const int64_t *fs)
{
    const size_t size = ir_dtype_of(y->dtype)->bytes;
    int64_t to = 0;
    for (int d = 0; d < y->rank; d++) to += (lo[d] - y->lo[d]) * y->step[d];
    const gen_copy c = gen_copy_of(y->rank, n, fs, y->step, size);
    gen_copy_run(&c, (const char *)x->at + at * (int64_t)size, (char *)y->at + to * (int64_t)size);
}

static bool move_reads(const ir_eqn *e, const ir_box *x, int64_t *start) /* clamped starts of dynamic slices */
{
    const ir_type *whole = IR_IN(e, 0), *part = e->op == &prim_dynamic_slice ? IR_OUT(e, 0) : IR_IN(e, 1);
    const int64_t zero[1] = { 0 };
    for (int d = 0; d < whole->rank; d++) {
        const int64_t most = whole->dim[d] - part->dim[d], s = op_load_index(&x[d], zero);
        start[d] = s < 0 ? 0 : s > most ? most : s;
    }
    return true;
}

/* ---- the primitives ---- */

static void run_const(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_const_attr *c = IR_ATTR(e, op_const_attr);
    ir_box from = ir_box_dense((void *)(uintptr_t)c->data.p, IR_OUT(e, 0));
    int64_t at = 0;
    (void)x;
    for (int d = 0; d < y->rank; d++) {
        if (c->splat) from.step[d] = 0;
        at += y->lo[d] * from.step[d];
    }
    move_copy_box(y, y->lo, y->n, &from, at, from.step);
}

static void run_transpose(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t *p = IR_ATTR(e, op_transpose_attr)->permutation.v;
    int64_t fs[IR_RANK], at = 0;
    for (int d = 0; d < y->rank; d++) fs[d] = x->step[p[d]], at += (y->lo[d] - x->lo[p[d]]) * fs[d];
    move_copy_box(y, y->lo, y->n, x, at, fs);
}

static void run_slice(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_slice_attr *a = IR_ATTR(e, op_slice_attr);
    int64_t fs[IR_RANK], at = 0;
    for (int d = 0; d < y->rank; d++) {
        fs[d] = x->step[d] * a->strides.v[d];
        at += (a->start_indices.v[d] + y->lo[d] * a->strides.v[d] - x->lo[d]) * x->step[d];
    }
    move_copy_box(y, y->lo, y->n, x, at, fs);
}

static void run_dynamic_slice(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t start[IR_RANK], at = 0;
    move_reads(e, x + 1, start);
    for (int d = 0; d < y->rank; d++) at += (start[d] + y->lo[d] - x->lo[d]) * x->step[d];
    move_copy_box(y, y->lo, y->n, x, at, x->step);
}

static void run_reverse(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t fs[IR_RANK], at = 0;
    for (int d = 0; d < y->rank; d++) {
        const bool turned = op_dims_has(IR_ATTR(e, op_reverse_attr)->dimensions, d);
        fs[d] = turned ? -x->step[d] : x->step[d];
        at += ((turned ? IR_IN(e, 0)->dim[d] - 1 - y->lo[d] : y->lo[d]) - x->lo[d]) * x->step[d];
    }
    move_copy_box(y, y->lo, y->n, x, at, fs);
}

static void run_broadcast(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int64_t *b = IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions.v;
    int64_t fs[IR_RANK] = { 0 }, at = 0;
    for (int d = 0; d < x->rank; d++) {
        if (IR_IN(e, 0)->dim[d] == 1) continue;
        fs[b[d]] = x->step[d];
        at += (y->lo[b[d]] - x->lo[d]) * x->step[d];
    }
    move_copy_box(y, y->lo, y->n, x, at, fs);
}

static void run_concatenate(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const int k = (int)IR_ATTR(e, op_concatenate_attr)->dimension;
    int64_t first = 0;
    for (uint32_t i = 0; i < e->nin; i++) {
        const int64_t size = IR_IN(e, i)->dim[k], end = y->lo[k] + y->n[k];
        const int64_t from = first > y->lo[k] ? first : y->lo[k], to = first + size < end ? first + size : end;
        int64_t lo[IR_RANK], n[IR_RANK], at = 0;
        for (int d = 0; d < y->rank; d++) {
            lo[d] = d == k ? from : y->lo[d], n[d] = d == k ? to - from : y->n[d];
            at += (lo[d] - (d == k ? first : 0) - x[i].lo[d]) * x[i].step[d];
        }
        if (to > from) move_copy_box(y, lo, n, &x[i], at, x[i].step);
        first += size;
    }
}

/* Element j of the operand is placed at low + j (interior + 1): the elements inside y's box are copied over the padding
 * value. */
static void run_pad(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_pad_attr *a = IR_ATTR(e, op_pad_attr);
    int64_t lo[IR_RANK], n[IR_RANK], ts[IR_RANK], zero[IR_RANK] = { 0 }, at = 0, to = 0;
    const size_t size = ir_dtype_of(y->dtype)->bytes;
    bool covers = true, any = true;
    for (int d = 0; d < y->rank; d++) {
        const int64_t low = a->edge_padding_low.v[d], gap = a->interior_padding.v[d] + 1, over = y->lo[d] - low;
        const int64_t end = y->lo[d] + y->n[d] - low;    /* exclusive */
        const int64_t first = over > 0 ? (over + gap - 1) / gap : 0, stop = end > 0 ? (end + gap - 1) / gap : 0;
        const int64_t last = stop < IR_IN(e, 0)->dim[d] ? stop : IR_IN(e, 0)->dim[d];
        lo[d] = low + first * gap, n[d] = last - first, ts[d] = y->step[d] * gap;
        any &= n[d] > 0;
        covers &= n[d] == y->n[d];
        at += (first - x->lo[d]) * x->step[d], to += (lo[d] - y->lo[d]) * y->step[d];
    }
    if (!any || !covers) move_copy_box(y, y->lo, y->n, &x[1], 0, zero);
    if (!any) return;
    const gen_copy c = gen_copy_of(y->rank, n, x->step, ts, size);
    gen_copy_run(&c, (const char *)x->at + at * (int64_t)size, (char *)y->at + to * (int64_t)size);
}

static void run_dynamic_update_slice(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t start[IR_RANK], lo[IR_RANK], n[IR_RANK], from = 0, at = 0;
    bool any = true;
    move_reads(e, x + 2, start);
    for (int d = 0; d < y->rank; d++) {
        const int64_t end = start[d] + IR_IN(e, 1)->dim[d], yend = y->lo[d] + y->n[d];
        lo[d] = start[d] > y->lo[d] ? start[d] : y->lo[d];
        n[d] = (end < yend ? end : yend) - lo[d];
        any &= n[d] > 0;
        from += (y->lo[d] - x->lo[d]) * x->step[d];
        at += (lo[d] - start[d] - x[1].lo[d]) * x[1].step[d];
    }
    const char *whole = (const char *)x->at + from * (int64_t)ir_dtype_of(y->dtype)->bytes;
    if (whole != y->at) move_copy_box(y, y->lo, y->n, x, from, x->step);
    if (any) move_copy_box(y, lo, n, &x[1], at, x[1].step);
}

/* ---- parts of complex numbers: copies of every other real ---- */

static void move_parts(const ir_box *y, const ir_box *x, int64_t xs, int64_t ys, int64_t from, int64_t to)
{
    const size_t size = ir_dtype_of(op_real_dtype(y->dtype))->bytes;
    int64_t fs[IR_RANK], ts[IR_RANK], at = from;
    for (int d = 0; d < y->rank; d++) {
        fs[d] = x->step[d] * xs, ts[d] = y->step[d] * ys;
        at += (y->lo[d] - x->lo[d]) * fs[d];
    }
    const gen_copy c = gen_copy_of(y->rank, y->n, fs, ts, size);
    gen_copy_run(&c, (const char *)x->at + at * (int64_t)size, (char *)y->at + to * (int64_t)size);
}

static void run_real(const ir_eqn *e, const ir_box *x, const ir_box *y) { (void)e, move_parts(y, x, 2, 1, 0, 0); }
static void run_imag(const ir_eqn *e, const ir_box *x, const ir_box *y) { (void)e, move_parts(y, x, 2, 1, 1, 0); }
static void run_complex(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    (void)e;
    for (int k = 0; k < 2; k++) move_parts(y, &x[k], 1, 2, 0, k);
}

/* ---- reshape: boxes in row-major numbering ---- */

typedef struct { int rank; int64_t dim[IR_RANK], lo[IR_RANK], n[IR_RANK], step[IR_RANK]; } lines;

static lines move_lines_of(const ir_type *t,
                           /* merges dims that are contiguous in memory and held completely (all but the first) */
                           const ir_box *b)
{
    lines l = { 0 };
    for (int d = 0; d < t->rank; d++) {
        const int k = l.rank - 1;
        if (t->dim[d] == 1) continue;
        if (k >= 0 && b->n[d] == t->dim[d] && l.step[k] == b->step[d] * t->dim[d]) {
            l.dim[k] *= t->dim[d], l.lo[k] *= t->dim[d], l.n[k] *= t->dim[d], l.step[k] = b->step[d];
        } else {
            l.dim[l.rank] = t->dim[d], l.lo[l.rank] = b->lo[d], l.n[l.rank] = b->n[d], l.step[l.rank++] = b->step[d];
        }
    }
    if (!l.rank) l.rank = 1, l.dim[0] = l.n[0] = l.step[0] = 1;
    return l;
}

static void run_reshape(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const lines p = move_lines_of(IR_IN(e, 0), x), q = move_lines_of(IR_OUT(e, 0), y);
    const size_t size = ir_dtype_of(y->dtype)->bytes;
    const int pl = p.rank - 1, ql = q.rank - 1;
    int64_t i[IR_RANK] = { 0 };
    if (!ir_box_count(y)) return;
    for (int d = 0; d >= 0;) {
        int64_t number = 0, to = 0;
        for (int k = 0; k < q.rank; k++) number = number * q.dim[k] + q.lo[k] + i[k], to += i[k] * q.step[k];
        for (int64_t k = 0; k < q.n[ql];) {              /* one line of y from lines of x */
            int64_t at = 0, rest = number + k;
            const int64_t place = rest % p.dim[pl], left = p.dim[pl] - place;
            const int64_t n = q.n[ql] - k < left ? q.n[ql] - k : left;
            for (int m = pl; m >= 0; rest /= p.dim[m], m--) at += (rest % p.dim[m] - p.lo[m]) * p.step[m];
            gen_copy_line((char *)y->at + (to + k * q.step[ql]) * (int64_t)size, q.step[ql],
                          (const char *)x->at + at * (int64_t)size, p.step[pl], n, size);
            k += n;
        }
        for (d = ql - 1; d >= 0 && ++i[d] == q.n[d]; d--) i[d] = 0;
    }
}

/* ---- the engine ---- */

typedef void mover(const ir_eqn *, const ir_box *x, const ir_box *y);
static const struct { const op_prim *prim; mover *run; const char *(*refuses)(const ir_eqn *); } movers[] = {
    { &prim_const, run_const, NULL },
    { &prim_transpose, run_transpose, NULL },
    { &prim_slice, run_slice, NULL },
    { &prim_dynamic_slice, run_dynamic_slice, NULL },
    { &prim_dynamic_update_slice, run_dynamic_update_slice, NULL },
    { &prim_reverse, run_reverse, NULL },
    { &prim_broadcast_in_dim, run_broadcast, NULL },
    { &prim_concatenate, run_concatenate, NULL },
    { &prim_pad, run_pad, NULL },
    { &prim_reshape, run_reshape, NULL },
    { &prim_real, run_real, NULL },
    { &prim_imag, run_imag, NULL },
    { &prim_complex, run_complex, NULL },
    { &prim_gather, gen_run_gather, gen_refuses_gather },
    { &prim_scatter, gen_run_scatter, gen_refuses_scatter },
};

static int mover_of(const ir_eqn *e)
{
    for (int i = 0; i < (int)(sizeof movers / sizeof *movers); i++) if (movers[i].prim == e->op) return i;
    return -1;
}

typedef struct { const ir_eqn *e; mover *run; } move;

static int64_t move_tiles(const void *self, const ir_box *arg)
{
    const move *m = self;
    const ir_box *y = &arg[m->e->nin];
    const int64_t work = ir_box_count(y) * (int64_t)ir_dtype_of(y->dtype)->bytes / GRAIN;
    int64_t most = 1;
    for (int d = 0; d < y->rank; d++) if (y->n[d] > most) most = y->n[d];
    const int64_t want = work > 64 ? 64 : work < 1 ? 1 : work;
    return want < most ? want : most;
}

static void move_run(const void *self, const run_job *job)
{
    const move *m = self;
    ir_box y = job->arg[m->e->nin];
    const int64_t tiles = move_tiles(self, job->arg);
    int d = 0;
    for (int k = 0; k < y.rank && y.n[d] < tiles; k++) if (y.n[k] >= tiles || y.n[k] > y.n[d]) d = k;
    if (tiles > 1) {
        const int64_t lo = y.n[d] * job->first / tiles, hi = y.n[d] * (job->first + job->count) / tiles;
        y.at = (char *)y.at + lo * y.step[d] * (int64_t)ir_dtype_of(y.dtype)->bytes;
        y.lo[d] += lo, y.n[d] = hi - lo;
    }
    m->run(m->e, job->arg, &y);
}

static const char *move_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    const int i = g->neqn == 1 ? mover_of(e) : -1;
    if (i < 0) return "it moves no data";
    return movers[i].refuses ? movers[i].refuses(e) : NULL;
}

static bool move_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    move *m = BASE_NEW(a, move, 1);
    const ir_eqn *e = g->eqn[0];
    *m = (move){ e, movers[mover_of(e)].run };
    *k = (run_kernel){ .code = move_run, .self = m, .tiles = move_tiles, .site = e->site,
                       .name = base_intern(base_format(a, "move: %s", e->op->name)) };
    return true;
}

const gen_engine gen_move = { sizeof(gen_engine), "move", move_refuses, move_make };
