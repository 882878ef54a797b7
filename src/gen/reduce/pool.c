/* gen/reduce/pool.c - select_and_gather and select_and_scatter of floats: max pooling and its derivatives.
 *
 * For every line of windows, the taps inside the operand are listed and compared in row-major order, so that of equal
 * values the first is selected. A second pass reads from, or adds to, the place of each tap where it was selected: the
 * last tap first, so that a place receives the windows' contributions in the order of the windows, in every box. Base
 * dilation does not occur here (see the primitives' rules). */
#include "window.h"

#include <string.h>

#include "../copy.h"
#include "../matmul/gemm.h"

/* x, y: offsets in operand and result; in: true if inside the result's box */
typedef struct { int64_t x, y; int32_t tap; bool in; } tap;

/* Extends t by tap j of n of dim d, which reads operand index `at`. */
static void extend(tap *t, int d, int64_t at, int64_t j, int64_t n, const ir_box *x, const ir_box *y)
{
    t->x += (at - x->lo[d]) * x->step[d];
    t->tap = (int32_t)(t->tap * n + j);
    if (!y) return;
    t->y += (at - y->lo[d]) * y->step[d];
    t->in &= at >= y->lo[d] && at < y->lo[d] + y->n[d];
}

/* Lists the taps (except along v) of the window at i that read elements: offsets in x, at its box's first index of v,
 * and in y. */
static int64_t list_taps(const window_walk *w, const int64_t *i, const ir_box *x, const ir_box *y, tap *out)
{
    int64_t n = 1;
    out[0] = (tap){ .in = true };
    for (int d = 0; d < w->rank; d++) {                  /* the product of the list so far and the taps of dim d */
        const op_taps *t = &w->t[d];
        int64_t made = 0;
        if (d == w->v) continue;
        if (t->n == 1) {                                 /* in place: nearly every dim of a pool */
            const int64_t at = i[d] * t->stride - t->lo;
            if (at < 0 || at >= w->size[d]) return 0;
            for (int64_t k = 0; k < n; k++) extend(&out[k], d, at, 0, 1, x, y);
            continue;
        }
        tap *const old = out + w->ntap;                  /* the second half of the list is a copy buffer */
        memcpy(old, out, (size_t)n * sizeof *old);
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < t->n; j++) {
                const int64_t at = i[d] * t->stride - t->lo + j * t->step;
                if (at < 0 || at >= w->size[d]) continue;
                out[made] = old[k];
                extend(&out[made++], d, at, j, t->n, x, y);
            }
        n = made;
    }
    for (int64_t k = 0; k < n; k++) out[k].tap = (int32_t)(out[k].tap * w->t[w->v].n);
    return n;
}

int64_t window_scatter_scratch(const void *self, const ir_box *arg)
{
    const window_kernel *f = self;
    const window_walk w = window_walk_of(f->e, &arg[0]);
    return 2 * w.ntap * (int64_t)sizeof(tap);
}

typedef struct { _Alignas(64) char best[WINDOW_LINE * 8], line[WINDOW_LINE * 8]; int32_t tap[WINDOW_LINE]; } chosen;
typedef struct { const gemm_isa *isa; gemm_type type; const reduce_select *s; int64_t acc; } wide;

static wide wide_of(tt_dtype t)
{
    const bool f64 = t == TT_F64;
    return (wide){ gemm_here(), f64 ? GEMM_F64 : GEMM_F32, reduce_select_here(f64), f64 ? 8 : 4 };
}

/* n elements of box b from offset `at` on, `step` apart, as accumulators: in place if they have that layout. */
static const void *pool_line_of(const wide *k, const ir_box *b, int64_t at, int64_t step, int64_t n, void *line)
{
    const char *p = (const char *)b->at + at * (int64_t)ir_dtype_of(b->dtype)->bytes;
    if (step == 1 && (b->dtype == TT_F32 || b->dtype == TT_F64)) return p;
    k->isa->from_lanes[k->type](line, (int)n, b->dtype, p, 0, step, (int)n, 1);
    return line;
}

/* Selects a tap for each of windows [a, b) along v at one position. */
static void pool_choose(const window_walk *w, const wide *k, op_cmp keep, const ir_box *x, const tap *list, int64_t n,
                        int64_t a, int64_t b, chosen *c)
{
    const op_taps *t = &w->t[w->v];
    const int64_t step = x->step[w->v];
    for (int64_t o = 0; o < b - a; o++) c->tap[o] = -1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t m = 0; m < t->n; m++) {
            int64_t lo, hi;
            if (!window_reach(t, w->size[w->v], m, a, b, &lo, &hi)) continue;
            const int64_t at = list[j].x + (lo * t->stride - t->lo + m * t->step - x->lo[w->v]) * step;
            const void *v = pool_line_of(k, x, at, t->stride * step, hi - lo, c->line);
            k->s->choose(c->best + (lo - a) * k->acc, c->tap + (lo - a), v, list[j].tap + (int32_t)m, keep, hi - lo);
        }
}

int64_t window_gather_tiles(const void *self, const ir_box *arg)
{
    const window_kernel *f = self;
    const window_walk w = window_walk_of(f->e, &arg[0]);
    return window_parts(&w, &arg[2], window_positions(&w, &arg[2]));
}

void window_gather_run(const void *self, const run_job *job)
{
    const window_kernel *f = self;
    const ir_box *x = &job->arg[0], *src = &job->arg[1], *y = &job->arg[2];
    const window_walk w = window_walk_of(f->e, x);
    const op_taps *t = &w.t[w.v];
    const wide k = wide_of(x->dtype);
    const int64_t all = window_positions(&w, y), tiles = window_gather_tiles(self, job->arg),
                  size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    tap *const list = job->scratch, *const from = list + 2 * w.ntap; /* the same taps, as offsets in x and in src */
    chosen c;
    _Alignas(64) char out[WINDOW_LINE * 8];
    if (!ir_box_count(y)) return;
    const int64_t lo = all * job->first / tiles, hi = all * (job->first + job->count) / tiles,
                  end = y->lo[w.v] + y->n[w.v];
    int64_t i[IR_RANK] = { 0 }, to = window_position(&w, y, lo, i);
    for (int64_t p = lo; p < hi; p++, window_next(&w, y, i, &to)) {
        const int64_t n = list_taps(&w, i, x, NULL, list);
        list_taps(&w, i, src, NULL, from);
        for (int64_t a = y->lo[w.v]; a < end; a += WINDOW_LINE) {
            const int64_t b = a + WINDOW_LINE < end ? a + WINDOW_LINE : end;
            pool_choose(&w, &k, f->keep, x, list, n, a, b, &c);
            memset(out, 0, (size_t)((b - a) * k.acc));
            for (int64_t j = 0; j < n; j++)
                for (int64_t m = 0; m < t->n; m++) {
                    int64_t lo, hi;
                    if (!window_reach(t, w.size[w.v], m, a, b, &lo, &hi)) continue;
                    const int64_t at =
                        from[j].x + (lo * t->stride - t->lo + m * t->step - src->lo[w.v]) * src->step[w.v];
                    const void *v = pool_line_of(&k, src, at, t->stride * src->step[w.v], hi - lo, c.line);
                    k.s->take(out + (lo - a) * k.acc, c.tap + (lo - a), v, list[j].tap + (int32_t)m, hi - lo);
                }
            k.isa->narrow[k.type]((char *)y->at + (to + (a - y->lo[w.v]) * y->step[w.v]) * size, y->dtype, y->step[w.v],
                                  out, b - a);
        }
    }
}

int64_t window_gather_scratch(const void *self, const ir_box *arg) { return 2 * window_scatter_scratch(self, arg); }

/* The result's box is split along its dim of most elements; windows that meet two parts are evaluated twice. */
int64_t window_scatter_tiles(const void *self, const ir_box *arg)
{
    const window_kernel *f = self;
    const window_walk w = window_walk_of(f->e, &arg[0]);
    int64_t most = 1;
    for (int d = 0; d < w.rank; d++) if (d != w.v && arg[3].n[d] > most) most = arg[3].n[d];
    return window_parts(&w, &arg[3], most);
}

static ir_box pool_part_of(const window_walk *w, const ir_box *y, const run_job *job, int64_t tiles)
{
    ir_box b = *y;
    int cut = -1;
    for (int d = 0; d < b.rank; d++) if (d != w->v && (cut < 0 || b.n[d] > b.n[cut])) cut = d;
    if (tiles < 2 || cut < 0) return b;
    const int64_t lo = y->n[cut] * job->first / tiles, hi = y->n[cut] * (job->first + job->count) / tiles;
    b.at = (char *)b.at + lo * b.step[cut] * (int64_t)ir_dtype_of(b.dtype)->bytes;
    b.lo[cut] += lo, b.n[cut] = hi - lo;
    return b;
}

/* The windows of source s that meet y's box, as a box: s, restricted to them. */
static ir_box windows_of(const window_walk *w, const ir_box *s, const ir_box *y)
{
    ir_box b = *s;
    for (int d = 0; d < w->rank; d++) {
        const op_taps *t = &w->t[d];
        const op_window reads = { 1, t->lo - (t->n - 1) * t->step, t->lo, t->stride };
        int64_t lo, hi;
        op_window_range(&reads, y->lo[d], y->lo[d] + y->n[d], s->lo[d] + s->n[d], &lo, &hi);
        if (lo < s->lo[d]) lo = s->lo[d];
        if (hi < lo) hi = lo;
        b.at = (char *)b.at + (lo - s->lo[d]) * s->step[d] * (int64_t)ir_dtype_of(s->dtype)->bytes;
        b.lo[d] = lo, b.n[d] = hi - lo;
    }
    return b;
}

/* y[places of tap m] += the source where tap m was selected. [lo, hi): the windows whose place is in y. */
static void pool_add_selected(const window_walk *w, const wide *k, const ir_box *y, const ir_box *s, int64_t to,
    int64_t from,
                              int64_t a, int64_t m, int32_t now, int64_t lo, int64_t hi, chosen *c)
{
    const op_taps *t = &w->t[w->v];
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes, step = t->stride * y->step[w->v];
    const int64_t at = to + (lo * t->stride - t->lo + m * t->step - y->lo[w->v]) * y->step[w->v];
    _Alignas(64) char line[WINDOW_LINE * 8];
    const void *v = pool_line_of(k, s, from + (lo - s->lo[w->v]) * s->step[w->v], s->step[w->v], hi - lo, c->line);
    void *q = (void *)(uintptr_t)pool_line_of(k, y, at, step, hi - lo, line);
    k->s->scatter(q, c->tap + (lo - a), v, now, hi - lo);
    if (q == line) k->isa->narrow[k->type]((char *)y->at + at * size, y->dtype, step, line, hi - lo);
}

void window_scatter_run(const void *self, const run_job *job)
{
    const window_kernel *f = self;
    const ir_box *x = &job->arg[0], *init = &job->arg[2];
    const window_walk w = window_walk_of(f->e, x);
    const op_taps *t = &w.t[w.v];
    const wide k = wide_of(x->dtype);
    const ir_box y = pool_part_of(&w, &job->arg[3], job, window_scatter_tiles(self, job->arg)),
                 s = windows_of(&w, &job->arg[1], &y);
    const int64_t zero[IR_RANK] = { 0 }, yend = y.lo[w.v] + y.n[w.v];
    const gen_copy fill = gen_copy_of(y.rank, y.n, zero, y.step, ir_dtype_of(y.dtype)->bytes);
    tap *const list = job->scratch;
    chosen c;
    if (!ir_box_count(&y)) return;
    gen_copy_run(&fill, init->at, y.at);
    if (!ir_box_count(&s)) return;
    int64_t i[IR_RANK] = { 0 }, from = window_position(&w, &s, 0, i);
    const int64_t end = s.lo[w.v] + s.n[w.v];
    for (int64_t p = 0, all = window_positions(&w, &s); p < all; p++, window_next(&w, &s, i, &from)) {
        const int64_t n = list_taps(&w, i, x, &y, list);
        for (int64_t a = s.lo[w.v]; a < end; a += WINDOW_LINE) {
            const int64_t b = a + WINDOW_LINE < end ? a + WINDOW_LINE : end;
            pool_choose(&w, &k, f->keep, x, list, n, a, b, &c);
            for (int64_t j = 0; j < n; j++)
                for (int64_t m = t->n - 1; list[j].in && m >= 0; m--) {
                    op_taps shifted = *t;                /* places within y's part of the line */
                    int64_t lo, hi;
                    shifted.lo += y.lo[w.v];
                    if (!window_reach(&shifted, yend - y.lo[w.v], m, a, b, &lo, &hi)) continue;
                    pool_add_selected(&w, &k, &y, &s, list[j].y, from, a, m, list[j].tap + (int32_t)m, lo, hi, &c);
                }
        }
    }
}
