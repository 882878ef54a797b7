/* gen/reduce/reduce_window.c - the kernel of reduce_window by a monoid.
 *
 * For every window position of the dims other than the line's, the taps inside the operand are listed; each tap then is
 * one vector loop over the line. A window as wide as its dim (a cumulative sum in StableHLO) is a prefix; a box with a
 * part of such a line is computed from the line's beginning.
 *
 * In reproducible mode the order of a floating sum is the same for every box: the initial value, then the taps in
 * row-major order; a prefix from the end is added from the end. */
#include "window.h"

#include "../copy.h"

enum { LONG = 256 };                                     /* of a floating sum, taps added in one chain */

/* The reads of windows, dim by dim, so that a position costs one addition per tap: at index i of dim d (from y's lo
 * on), `count` taps are inside the operand, at offsets off[0 .. count). Dims other than v, major first. */
typedef struct { int dim; int64_t n, most; int64_t *count, *off; } dim_reads;
typedef struct { int n; dim_reads d[IR_RANK]; int64_t at[IR_RANK], to, *list; } reads;

static int64_t reads_bytes(const window_walk *w, const ir_box *y)
{
    int64_t n = w->ntap;
    for (int d = 0; d < w->rank; d++) if (d != w->v) n += y->n[d] * (1 + w->t[d].n);
    return n * (int64_t)sizeof(int64_t);
}

/* Fills the tables in `memory`, and sets the walk to position `p` of y's. */
static reads reads_from(const window_walk *w, const ir_box *x, const ir_box *y, int64_t p, int64_t *memory)
{
    reads r = { .list = memory };
    memory += w->ntap;
    for (int d = 0; d < w->rank; d++) {
        if (d == w->v) continue;
        dim_reads *q = &r.d[r.n++];
        *q = (dim_reads){ d, y->n[d], w->t[d].n, memory, memory + y->n[d] };
        memory += y->n[d] * (1 + q->most);
        for (int64_t i = 0; i < q->n; i++) {
            q->count[i] = 0;
            for (int64_t k = 0; k < q->most; k++) {
                const int64_t at = op_window_at(&w->t[d], w->size[d], y->lo[d] + i, k);
                if (at >= 0) q->off[i * q->most + q->count[i]++] = (at - x->lo[d]) * x->step[d];
            }
        }
    }
    for (int m = r.n - 1; m >= 0; m--) {
        r.at[m] = p % r.d[m].n;
        r.to += r.at[m] * y->step[r.d[m].dim];
        p /= r.d[m].n;
    }
    return r;
}

/* Lists the taps of the present position in r->list, row-major; returns how many. */
static int64_t reads_here(reads *r)
{
    int64_t n = 1;
    r->list[0] = 0;
    for (int m = 0; m < r->n; m++) {
        const dim_reads *q = &r->d[m];
        const int64_t c = q->count[r->at[m]], *off = q->off + r->at[m] * q->most;
        for (int64_t j = n - 1; j >= 0; j--)             /* from the end: entry j becomes c entries */
            for (int64_t k = c - 1; k >= 0; k--) r->list[j * c + k] = r->list[j] + off[k];
        n *= c;
        if (!n) return 0;
    }
    return n;
}

static void reads_step(reads *r, const ir_box *y)
{
    for (int m = r->n - 1; m >= 0; m--) {
        const int64_t step = y->step[r->d[m].dim];
        r->to += step;
        if (++r->at[m] < r->d[m].n) return;
        r->to -= r->at[m] * step;
        r->at[m] = 0;
    }
}

static int64_t period_of(const op_taps *t)               /* distance of places with the same taps */
{
    int64_t a = t->stride, b = t->base;
    while (b) {
        const int64_t r = a % b;
        a = b, b = r;
    }
    return t->base / a;
}

/* True if place i + period reads the same taps as place i, `by` further on. */
static bool reads_alike(const dim_reads *q, int64_t i, int64_t period, int64_t by)
{
    const int64_t *a = q->off + i * q->most, *b = a + period * q->most;
    if (i + period >= q->n || q->count[i] != q->count[i + period]) return false;
    for (int64_t k = 0; k < q->count[i]; k++) if (b[k] != a[k] + by) return false;
    return true;
}

/* Computes lines of channels at `most` places at most: those that remain along the last walked dim. Returns the number
 * of places. Places with the same reads are one run. */
static int64_t straight_run(const window_walk *w, const reduce_ops *op, const ir_box *arg, reads *r, int64_t most)
{
    const ir_box *x = &arg[0], *y = &arg[2];
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes, n = y->n[w->v];
    const char *line = (const char *)x->at + (y->lo[w->v] - x->lo[w->v]) * size;
    if (!r->n) return op->window(y->at, line, r->list, reads_here(r), arg[1].at, n, 1, 0, 0), 1;
    int64_t *const at = &r->at[r->n - 1];
    const dim_reads *q = &r->d[r->n - 1];
    const int64_t from = *at, left = q->n - from < most ? q->n - from : most, ystep = y->step[q->dim];
    const op_taps *t = &w->t[q->dim];
    const int64_t period = period_of(t), by = period * t->stride / t->base * x->step[q->dim];
    for (int64_t first = 0; first < period && first < left; first++)
        for (int64_t i = first, run; i < left; i += run * period) {
            for (run = 1; i + run * period < left; run++)
                if (!reads_alike(q, from + i + (run - 1) * period, period, by)) break;
            *at = from + i;
            const int64_t taps = reads_here(r);
            op->window((char *)y->at + (r->to + i * ystep) * size, line, r->list, taps, arg[1].at, n, run,
                       period * ystep, by);
        }
    *at = from + left - 1;                               /* the walk continues after the last place */
    r->to += (left - 1) * ystep;
    return left;
}

/* Adds up to WINDOW_LINE windows of one line, from a on: acc[o - a] op= every tap. Floats are added in chains of LONG
 * taps, and the chains' sums are then added in the same way. */
static void window_taps(const window_walk *w, const reduce_ops *op, const ir_box *x, const int64_t *list, int64_t n,
                      int64_t a, int64_t b, char *acc)
{
    const op_taps *t = &w->t[w->v];
    const int64_t size = (int64_t)ir_dtype_of(x->dtype)->bytes, step = x->step[w->v];
    const bool blocks = !op->exact && n * t->n > LONG;
    int64_t met = 0;
    _Alignas(64) char line[WINDOW_LINE * 8], sums[2][WINDOW_LINE * 8];
    for (int i = 0; i < 2 && blocks; i++) op->clear(sums[i], b - a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < t->n; k++) {
            int64_t lo = a, hi = b;
            if (blocks && met % LONG == 0) op->merge(sums[0], acc, b - a), op->clear(acc, b - a);
            if (blocks && met % (LONG * LONG) == 0)
                op->merge(sums[1], sums[0], b - a), op->clear(sums[0], b - a);
            met++;
            if (t->base == 1 && !window_reach(t, w->size[w->v], k, a, b, &lo, &hi)) continue;
            for (int64_t o = lo; o < hi; o = t->base == 1 ? hi : o + 1) {        /* dilated: one by one */
                const int64_t len = t->base == 1 ? hi - lo : 1, place = o * t->stride - t->lo + k * t->step;
                const int64_t at = t->base == 1 ? place : op_window_at(t, w->size[w->v], o, k);
                if (at < 0) continue;
                const char *p = (const char *)x->at + (list[j] + (at - x->lo[w->v]) * step) * size;
                if (len > 1 && t->stride * step != 1) {
                    gen_copy_line(line, 1, p, t->stride * step, len, (size_t)size);
                    p = line;
                }
                op->across(acc + (size_t)(o - a) * op->acc, p, len);
            }
        }
    for (int i = 0; i < 2 && blocks; i++) op->merge(acc, sums[i], b - a);
}

int64_t window_tiles(const void *self, const ir_box *arg)
{
    const window_kernel *f = self;
    const window_walk w = window_walk_of(f->e, &arg[0]);
    return arg[2].rank ? window_parts(&w, &arg[2], window_positions(&w, &arg[2])) : 1;
}

static int prefix_at(const window_kernel *f) { return f->prefix < 0 ? -1 - f->prefix : f->prefix - 1; }

/* Lines [lo, hi). Elements of the line before the box are computed too, into `line`, and not copied to the result. */
static void prefix_run(const window_kernel *f, const reduce_ops *op, const ir_box *arg, int64_t lo, int64_t hi,
                       char *line)
{
    const ir_box *x = &arg[0], *y = &arg[2];
    window_walk w = window_walk_of(f->e, x);
    const int d = w.v = prefix_at(f);
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes, n = y->n[d], turn = f->prefix < 0 ? -1 : 1;
    const int64_t first = turn < 0 ? w.size[d] - 1 : 0, before = turn < 0 ? w.size[d] - y->lo[d] - n : y->lo[d];
    for (int64_t p = lo; p < hi; p++) {
        int64_t i[IR_RANK] = { 0 };
        int64_t to = window_position(&w, y, p, i), from = (first - x->lo[d]) * x->step[d];
        for (int m = 0; m < w.rank; m++) if (m != d) from += (i[m] - x->lo[m]) * x->step[m];
        if (turn < 0) to += (n - 1) * y->step[d];
        char *const q = (char *)y->at + to * size;
        reduce_prefix(op, before ? line : q, (const char *)x->at + from * size, arg[1].at, before + n,
                      before ? 1 : turn * y->step[d], turn * x->step[d], size);
        if (before) gen_copy_line(q, turn * y->step[d], line + before * size, 1, n, (size_t)size);
    }
}

/* Lines of windows, tap by tap. In reproducible mode the initial value comes first, else last. */
static void taps_run(const window_kernel *f, const reduce_ops *op, const run_job *job, int64_t lo, int64_t hi)
{
    const ir_box *x = &job->arg[0], *y = &job->arg[2];
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    const bool early = f->fixed && !op->exact;
    const void *init = job->arg[1].at, *last = early ? f->identity : init;
    _Alignas(64) char acc[WINDOW_LINE * 8], begin[WINDOW_LINE * 8];
    const window_walk w = window_walk_of(f->e, x);
    const bool straight = f->reduce == MESH_SUM && op_taps_trivial(&w.t[w.v]) && x->step[w.v] == 1 &&
        y->step[w.v] == 1 &&
                          (op->exact || w.ntap <= LONG); /* channels last */
    reads r = reads_from(&w, x, y, lo, job->scratch);
    if (early) gen_copy_line(begin, 1, init, 0, WINDOW_LINE, (size_t)size);
    for (int64_t p = lo; straight && p < hi; reads_step(&r, y)) p += straight_run(&w, op, job->arg, &r, hi - p);
    for (int64_t p = lo; !straight && p < hi; p++, reads_step(&r, y)) {
        const int64_t n = reads_here(&r), end = y->lo[w.v] + y->n[w.v];
        for (int64_t a = y->lo[w.v]; a < end; a += WINDOW_LINE) {
            const int64_t b = a + WINDOW_LINE < end ? a + WINDOW_LINE : end;
            op->clear(acc, b - a);
            if (early) op->across(acc, begin, b - a);
            window_taps(&w, op, x, r.list, n, a, b, acc);
            op->finish((char *)y->at + (r.to + (a - y->lo[w.v]) * y->step[w.v]) * size, y->step[w.v], acc, last, b - a);
        }
    }
}

void window_run(const void *self, const run_job *job)
{
    const window_kernel *f = self;
    const ir_box *y = &job->arg[2];
    const reduce_ops *op = reduce_here(y->dtype, f->reduce);
    const int64_t tiles = window_tiles(self, job->arg);
    if (!ir_box_count(y)) return;
    window_walk w = window_walk_of(f->e, &job->arg[0]);
    if (f->prefix) w.v = prefix_at(f);
    const int64_t all = window_positions(&w, y), lo = all * job->first / tiles;
    const int64_t hi = all * (job->first + job->count) / tiles;
    if (f->prefix) prefix_run(f, op, job->arg, lo, hi, job->scratch);
    else taps_run(f, op, job, lo, hi);
}

/* The largest tables over all choices of the line's dim; for a prefix, its line. */
int64_t window_scratch(const void *self, const ir_box *arg)
{
    const window_kernel *f = self;
    if (f->prefix) return IR_OUT(f->e, 0)->dim[prefix_at(f)] * (int64_t)ir_dtype_of(arg[2].dtype)->bytes;
    window_walk w = window_walk_of(f->e, &arg[0]);
    int64_t most = 0;
    for (w.v = 0; w.v < w.rank; w.v++) {
        w.ntap = 1;
        for (int d = 0; d < w.rank; d++) if (d != w.v) w.ntap *= w.t[d].n;
        const int64_t n = reads_bytes(&w, &arg[2]);
        most = n > most ? n : most;
    }
    return most;
}

void window_point(const void *self, const run_job *job)     /* rank 0: one tap */
{
    const window_kernel *f = self;
    const reduce_ops *op = reduce_here(job->arg[2].dtype, f->reduce);
    uint64_t acc;
    op->clear(&acc, 1);
    op->across(&acc, job->arg[0].at, 1);
    op->finish(job->arg[2].at, 1, &acc, job->arg[1].at, 1);
}
