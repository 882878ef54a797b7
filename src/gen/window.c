/* gen/window.c - reduce_window by a monoid, select_and_gather and select_and_scatter of floats: pooling and its
 * derivatives.
 *
 * All three walk lines along one dim v of the windows: channels where they are the fastest (NHWC), else the last dim
 * with a window. For every window position of the other dims, the taps inside the operand are listed once; each then
 * is one vector loop over the line. Taps go in row-major order, so that of equal values the first is selected. A
 * window as wide as its dim (a cumulative sum in StableHLO) is a prefix. */
#include "copy.h"
#include "fold.h"
#include "gemm.h"

#include <string.h>

enum { LINE = 256, GRAIN = 1 << 16, TAPS = 1 << 20 };    /* places of a line; taps of a task; most taps of a window */
typedef struct {
    const ir_eqn *e;
    mesh_how how;
    op_cmp keep;
    int prefix;
} window; /* prefix: 1 + dim, < 0 from the end */
typedef struct {
    int64_t x, y;
    int32_t tap;
    bool in;
} tap; /* offsets in operand and (scatter) result; inside its box */
typedef struct {
    int rank, v;
    op_taps t[IR_RANK];
    int64_t size[IR_RANK];                               /* of the whole operand */
    int64_t ntap;                                        /* without v's */
} walk;

/* v: a dim without window that is fastest in memory, else the last with a window. */
static walk walk_of(const ir_eqn *e, const ir_box *x)
{
    walk w = { .rank = x->rank, .v = -1, .ntap = 1 };
    int last = 0;
    for (int d = 0; d < w.rank; d++) {
        w.t[d] = op_taps_of(IR_ATTR(e, op_window_attr), d);
        w.size[d] = IR_IN(e, 0)->dim[d];
        const bool alone = op_taps_trivial(&w.t[d]);
        if (!alone) last = d;
        if (alone && x->step[d] == 1 && x->n[d] > 3) w.v = d;
    }
    if (w.v < 0) w.v = last;
    for (int d = 0; d < w.rank; d++) if (d != w.v) w.ntap *= w.t[d].n;
    return w;
}

/* Tap j of n of dim d, which reads operand index `at`. */
static void extend(tap *t, int d, int64_t at, int64_t j, int64_t n, const ir_box *x, const ir_box *y)
{
    t->x += (at - x->lo[d]) * x->step[d];
    t->tap = (int32_t)(t->tap * n + j);
    if (!y) return;
    t->y += (at - y->lo[d]) * y->step[d];
    t->in &= at >= y->lo[d] && at < y->lo[d] + y->n[d];
}

/* Taps (but for v) of the window at i that read elements: offsets of x, at its box's first index of v, and of y. */
static int64_t list_taps(const walk *w, const int64_t *i, const ir_box *x, const ir_box *y, tap *out)
{
    int64_t n = 1;
    out[0] = (tap){ .in = true };
    for (int d = 0; d < w->rank; d++) {                  /* the list so far, times the taps of dim d */
        const op_taps *t = &w->t[d];
        int64_t made = 0;
        if (d == w->v) continue;
        if (t->n == 1 && t->base == 1) {                 /* in place: nearly every dim of a pool */
            const int64_t at = i[d] * t->stride - t->lo;
            if (at < 0 || at >= w->size[d]) return 0;
            for (int64_t k = 0; k < n; k++) extend(&out[k], d, at, 0, 1, x, y);
            continue;
        }
        tap *const old = out + w->ntap;                  /* the second half of the list is room to copy to */
        memcpy(old, out, (size_t)n * sizeof *old);
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < t->n; j++) {
                const int64_t p = i[d] * t->stride - t->lo + j * t->step, at = t->base == 1           ? p
                                                                               : p < 0 || p % t->base ? -1
                                                                                                      : p / t->base;
                if (at < 0 || at >= w->size[d]) continue;
                out[made] = old[k];
                extend(&out[made++], d, at, j, t->n, x, y);
            }
        n = made;
    }
    for (int64_t k = 0; k < n; k++) out[k].tap = (int32_t)(out[k].tap * w->t[w->v].n);
    return n;
}

/* Windows [*lo, *hi) along v whose tap k reads an element, within [a, b). No base dilation. */
static bool reach(const op_taps *t, int64_t size, int64_t k, int64_t a, int64_t b, int64_t *lo, int64_t *hi)
{
    const int64_t p = k * t->step - t->lo, end = size - 1 - p;
    const bool one = t->stride == 1;                     /* no divisions where channels are the line */
    const int64_t first = p >= 0 ? 0 : one ? -p : (-p + t->stride - 1) / t->stride;
    const int64_t last = end < 0 ? 0 : one ? end + 1 : end / t->stride + 1;
    *lo = first > a ? first : a;
    *hi = last < b ? last : b;
    return *hi > *lo;
}

/* The positions of all dims but v of box y, in parts: number `at` as indices. */
static int64_t positions(const walk *w, const ir_box *y)
{
    int64_t n = 1;
    for (int d = 0; d < w->rank; d++) if (d != w->v) n *= y->n[d];
    return n;
}

static int64_t position(const walk *w, const ir_box *y, int64_t at, int64_t *i)  /* gives y's offset */
{
    int64_t to = 0;
    for (int d = w->rank - 1; d >= 0; d--) {
        if (d == w->v) continue;
        i[d] = y->lo[d] + at % y->n[d];
        to += at % y->n[d] * y->step[d];
        at /= y->n[d];
    }
    return to;
}

/* The next position; *to follows. */
static void next_position(const walk *w, const ir_box *y, int64_t *i, int64_t *to)
{
    for (int d = w->rank - 1; d >= 0; d--) {
        if (d == w->v) continue;
        *to += y->step[d];
        if (++i[d] < y->lo[d] + y->n[d]) return;
        i[d] = y->lo[d];
        *to -= y->n[d] * y->step[d];
    }
}

static int64_t parts(const walk *w, const ir_box *y, int64_t most)
{
    const double work = (double)ir_box_count(y) * (double)(w->ntap * w->t[w->v].n) / GRAIN;
    const int64_t want = work > 64 ? 64 : work < 1 ? 1 : (int64_t)work;
    return want < most ? want : most < 1 ? 1 : most;
}

/* ---- reduce_window ---- */

/* What windows read, dim by dim, so that a position costs an addition per tap: at index i of dim d (from y's lo on),
 * `count` taps lie inside the operand, at offsets off[0 .. count). Dims but v, major first. */
typedef struct { int dim; int64_t n, most; int64_t *count, *off; } dim_reads;
typedef struct { int n; dim_reads d[IR_RANK]; int64_t at[IR_RANK], to, *list; } reads;

static int64_t reads_bytes(const walk *w, const ir_box *y)
{
    int64_t n = w->ntap;
    for (int d = 0; d < w->rank; d++) if (d != w->v) n += y->n[d] * (1 + w->t[d].n);
    return n * (int64_t)sizeof(int64_t);
}

/* Tables in `memory`, and the walk at position `p` of y's. */
static reads reads_from(const walk *w, const ir_box *x, const ir_box *y, int64_t p, int64_t *memory)
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

/* Taps of the present position into r->list, row-major; how many. */
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

/* One line of up to LINE windows from a on: acc[o - a] op= every tap. */
static void fold_taps(const walk *w, const fold_ops *op, const ir_box *x, const int64_t *list, int64_t n, int64_t a,
                      int64_t b, char *acc)
{
    const op_taps *t = &w->t[w->v];
    const int64_t size = (int64_t)ir_dtype_of(x->dtype)->bytes, step = x->step[w->v];
    _Alignas(64) char line[LINE * 8];
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < t->n; k++) {
            int64_t lo = a, hi = b;
            if (t->base == 1 && !reach(t, w->size[w->v], k, a, b, &lo, &hi)) continue;
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
}

static int64_t fold_tiles(const void *self, const ir_box *arg)
{
    const window *f = self;
    const walk w = walk_of(f->e, &arg[0]);
    return arg[2].rank ? parts(&w, &arg[2], positions(&w, &arg[2])) : 1;
}

static bool whole_line(const window *f, const ir_box *y)
{
    const int d = f->prefix < 0 ? -1 - f->prefix : f->prefix - 1;
    return f->prefix && y->n[d] == IR_OUT(f->e, 0)->dim[d];
}

static void prefix_run(const window *f, const fold_ops *op, walk *w, const ir_box *arg, int64_t lo, int64_t hi)
{
    const ir_box *x = &arg[0], *y = &arg[2];
    const int d = f->prefix < 0 ? -1 - f->prefix : f->prefix - 1;
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes, n = y->n[d], turn = f->prefix < 0 ? -1 : 1;
    for (int64_t p = lo; p < hi; p++) {
        int64_t i[IR_RANK] = { 0 };
        int64_t to = position(w, y, p, i), from = -x->lo[d] * x->step[d];
        for (int m = 0; m < w->rank; m++) if (m != d) from += (i[m] - x->lo[m]) * x->step[m];
        if (turn < 0) to += (n - 1) * y->step[d], from += (n - 1) * x->step[d];
        op->prefix((char *)y->at + to * size, (const char *)x->at + from * size, arg[1].at, n, turn * y->step[d],
                   turn * x->step[d]);
    }
}

static void fold_run(const void *self, const run_job *job)
{
    const window *f = self;
    const ir_box *x = &job->arg[0], *y = &job->arg[2];
    const fold_ops *op = fold_here(y->dtype, f->how);
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes, tiles = fold_tiles(self, job->arg);
    _Alignas(64) char acc[LINE * 8];
    if (!ir_box_count(y)) return;
    walk w = walk_of(f->e, x);
    if (whole_line(f, y)) w.v = f->prefix < 0 ? -1 - f->prefix : f->prefix - 1;
    const int64_t all = positions(&w, y), lo = all * job->first / tiles, hi = all * (job->first + job->count) / tiles;
    if (whole_line(f, y)) {
        prefix_run(f, op, &w, job->arg, lo, hi);
        return;
    }
    const bool straight =
        f->how == MESH_SUM && op_taps_trivial(&w.t[w.v]) && x->step[w.v] == 1 && y->step[w.v] == 1; /* channels last */
    reads r = reads_from(&w, x, y, lo, job->scratch);
    for (int64_t p = lo; p < hi; p++, reads_step(&r, y)) {
        const int64_t n = reads_here(&r), end = y->lo[w.v] + y->n[w.v];
        if (straight) {
            const char *line = (const char *)x->at + (y->lo[w.v] - x->lo[w.v]) * size;
            op->window((char *)y->at + r.to * size, line, r.list, n, job->arg[1].at, y->n[w.v]);
            continue;
        }
        for (int64_t a = y->lo[w.v]; a < end; a += LINE) {
            const int64_t b = a + LINE < end ? a + LINE : end;
            op->clear(acc, b - a);
            fold_taps(&w, op, x, r.list, n, a, b, acc);
            op->finish((char *)y->at + (r.to + (a - y->lo[w.v]) * y->step[w.v]) * size, y->step[w.v], acc,
                       job->arg[1].at, b - a);
        }
    }
}

/* Whichever dim is walked along: the tables of all. */
static int64_t fold_scratch(const void *self, const ir_box *arg)
{
    const window *f = self;
    walk w = walk_of(f->e, &arg[0]);
    int64_t most = 0;
    for (w.v = 0; w.v < w.rank; w.v++) {
        w.ntap = 1;
        for (int d = 0; d < w.rank; d++) if (d != w.v) w.ntap *= w.t[d].n;
        const int64_t n = reads_bytes(&w, &arg[2]);
        most = n > most ? n : most;
    }
    return most;
}

static void fold_point(const void *self, const run_job *job)     /* rank 0: one tap */
{
    const window *f = self;
    const fold_ops *op = fold_here(job->arg[2].dtype, f->how);
    uint64_t acc;
    op->clear(&acc, 1);
    op->across(&acc, job->arg[0].at, 1);
    op->finish(job->arg[2].at, 1, &acc, job->arg[1].at, 1);
}

static int64_t tap_scratch(const void *self, const ir_box *arg)
{
    const window *f = self;
    const walk w = walk_of(f->e, &arg[0]);
    return 2 * w.ntap * (int64_t)sizeof(tap);
}

/* ---- selection ---- */

typedef struct { _Alignas(64) char best[LINE * 8], line[LINE * 8]; int32_t tap[LINE]; } chosen;
typedef struct { const gemm_isa *isa; gemm_type type; const fold_select *s; int64_t acc; } wide;

static wide wide_of(tt_dtype t)
{
    const bool f64 = t == TT_F64;
    return (wide){ gemm_here(), f64 ? GEMM_F64 : GEMM_F32, fold_select_here(f64), f64 ? 8 : 4 };
}

/* n elements of box b from offset `at` on, `step` apart, as accumulators: in place if they lie so. */
static const void *line_of(const wide *k, const ir_box *b, int64_t at, int64_t step, int64_t n, void *line)
{
    const char *p = (const char *)b->at + at * (int64_t)ir_dtype_of(b->dtype)->bytes;
    if (step == 1 && (b->dtype == TT_F32 || b->dtype == TT_F64)) return p;
    k->isa->from_lanes[k->type](line, (int)n, b->dtype, p, 0, step, (int)n, 1);
    return line;
}

/* Windows [a, b) along v at one position: which tap each selects. */
static void choose(const walk *w, const wide *k, op_cmp keep, const ir_box *x, const tap *list, int64_t n, int64_t a,
                   int64_t b, chosen *c)
{
    const op_taps *t = &w->t[w->v];
    const int64_t step = x->step[w->v];
    for (int64_t o = 0; o < b - a; o++) c->tap[o] = -1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t m = 0; m < t->n; m++) {
            int64_t lo, hi;
            if (!reach(t, w->size[w->v], m, a, b, &lo, &hi)) continue;
            const int64_t at = list[j].x + (lo * t->stride - t->lo + m * t->step - x->lo[w->v]) * step;
            const void *v = line_of(k, x, at, t->stride * step, hi - lo, c->line);
            k->s->choose(c->best + (lo - a) * k->acc, c->tap + (lo - a), v, list[j].tap + (int32_t)m, keep, hi - lo);
        }
}

static int64_t gather_tiles(const void *self, const ir_box *arg)
{
    const window *f = self;
    const walk w = walk_of(f->e, &arg[0]);
    return parts(&w, &arg[2], positions(&w, &arg[2]));
}

static void gather_run(const void *self, const run_job *job)
{
    const window *f = self;
    const ir_box *x = &job->arg[0], *src = &job->arg[1], *y = &job->arg[2];
    const walk w = walk_of(f->e, x);
    const op_taps *t = &w.t[w.v];
    const wide k = wide_of(x->dtype);
    const int64_t all = positions(&w, y), tiles = gather_tiles(self, job->arg),
                  size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    tap *const list = job->scratch, *const from = list + 2 * w.ntap; /* the same taps, seen from x and from src */
    chosen c;
    _Alignas(64) char out[LINE * 8];
    if (!ir_box_count(y)) return;
    const int64_t lo = all * job->first / tiles, hi = all * (job->first + job->count) / tiles,
                  end = y->lo[w.v] + y->n[w.v];
    int64_t i[IR_RANK] = { 0 }, to = position(&w, y, lo, i);
    for (int64_t p = lo; p < hi; p++, next_position(&w, y, i, &to)) {
        const int64_t n = list_taps(&w, i, x, NULL, list);
        list_taps(&w, i, src, NULL, from);
        for (int64_t a = y->lo[w.v]; a < end; a += LINE) {
            const int64_t b = a + LINE < end ? a + LINE : end;
            choose(&w, &k, f->keep, x, list, n, a, b, &c);
            memset(out, 0, (size_t)((b - a) * k.acc));
            for (int64_t j = 0; j < n; j++)
                for (int64_t m = 0; m < t->n; m++) {
                    int64_t lo, hi;
                    if (!reach(t, w.size[w.v], m, a, b, &lo, &hi)) continue;
                    const int64_t at =
                        from[j].x + (lo * t->stride - t->lo + m * t->step - src->lo[w.v]) * src->step[w.v];
                    const void *v = line_of(&k, src, at, t->stride * src->step[w.v], hi - lo, c.line);
                    k.s->take(out + (lo - a) * k.acc, c.tap + (lo - a), v, list[j].tap + (int32_t)m, hi - lo);
                }
            k.isa->narrow[k.type]((char *)y->at + (to + (a - y->lo[w.v]) * y->step[w.v]) * size, y->dtype, y->step[w.v],
                                  out, b - a);
        }
    }
}

static int64_t gather_scratch(const void *self, const ir_box *arg) { return 2 * tap_scratch(self, arg); }

/* The result's box in parts along its dim of most elements; windows that meet two parts are looked at twice. */
static int64_t scatter_tiles(const void *self, const ir_box *arg)
{
    const window *f = self;
    const walk w = walk_of(f->e, &arg[0]);
    int64_t most = 1;
    for (int d = 0; d < w.rank; d++) if (d != w.v && arg[3].n[d] > most) most = arg[3].n[d];
    return parts(&w, &arg[3], most);
}

static ir_box part_of(const walk *w, const ir_box *y, const run_job *job, int64_t tiles)
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

/* Windows of source s that meet y's box; a source box like s, cut to them. */
static ir_box windows_of(const walk *w, const ir_box *s, const ir_box *y)
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

/* y[places of tap m] += the source where it was selected; [lo, hi) are windows whose place lies in y. */
static void place(const walk *w, const wide *k, const ir_box *y, const ir_box *s, int64_t to, int64_t from, int64_t a,
                  int64_t m, int32_t now, int64_t lo, int64_t hi, chosen *c)
{
    const op_taps *t = &w->t[w->v];
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes, step = t->stride * y->step[w->v];
    const int64_t at = to + (lo * t->stride - t->lo + m * t->step - y->lo[w->v]) * y->step[w->v];
    _Alignas(64) char line[LINE * 8];
    const void *v = line_of(k, s, from + (lo - s->lo[w->v]) * s->step[w->v], s->step[w->v], hi - lo, c->line);
    void *q = (void *)(uintptr_t)line_of(k, y, at, step, hi - lo, line);
    k->s->place(q, c->tap + (lo - a), v, now, hi - lo);
    if (q == line) k->isa->narrow[k->type]((char *)y->at + at * size, y->dtype, step, line, hi - lo);
}

static void scatter_run(const void *self, const run_job *job)
{
    const window *f = self;
    const ir_box *x = &job->arg[0], *init = &job->arg[2];
    const walk w = walk_of(f->e, x);
    const op_taps *t = &w.t[w.v];
    const wide k = wide_of(x->dtype);
    const ir_box y = part_of(&w, &job->arg[3], job, scatter_tiles(self, job->arg)),
                 s = windows_of(&w, &job->arg[1], &y);
    const int64_t zero[IR_RANK] = { 0 }, yend = y.lo[w.v] + y.n[w.v];
    const gen_copy fill = gen_copy_of(y.rank, y.n, zero, y.step, ir_dtype_of(y.dtype)->bytes);
    tap *const list = job->scratch;
    chosen c;
    if (!ir_box_count(&y)) return;
    gen_copy_run(&fill, init->at, y.at);
    if (!ir_box_count(&s)) return;
    int64_t i[IR_RANK] = { 0 }, from = position(&w, &s, 0, i);
    const int64_t end = s.lo[w.v] + s.n[w.v];
    for (int64_t p = 0, all = positions(&w, &s); p < all; p++, next_position(&w, &s, i, &from)) {
        const int64_t n = list_taps(&w, i, x, &y, list);
        for (int64_t a = s.lo[w.v]; a < end; a += LINE) {
            const int64_t b = a + LINE < end ? a + LINE : end;
            choose(&w, &k, f->keep, x, list, n, a, b, &c);
            for (int64_t j = 0; j < n; j++)
                for (int64_t m = 0; list[j].in && m < t->n; m++) {
                    op_taps shifted = *t;                /* places within y's part of the line */
                    int64_t lo, hi;
                    shifted.lo += y.lo[w.v];
                    if (!reach(&shifted, yend - y.lo[w.v], m, a, b, &lo, &hi)) continue;
                    place(&w, &k, &y, &s, list[j].y, from, a, m, list[j].tap + (int32_t)m, lo, hi, &c);
                }
        }
    }
}

/* ---- the engine ---- */

/* Window of the whole dim ending (or beginning) at each place, nothing else: 1 + d, or -1 - d from the end; else 0. */
static int prefix_dim(const ir_eqn *e)
{
    int found = 0;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        const int64_t n = IR_IN(e, 0)->dim[d];
        if (op_taps_trivial(&t)) continue;
        if (found || t.n != n || t.stride != 1 || t.base != 1 || t.step != 1) return 0;
        if (t.lo == n - 1 && !t.hi) found = 1 + d;
        else if (t.hi == n - 1 && !t.lo) found = -1 - d;
        else return 0;
    }
    return found;
}

static bool compares(const ir_fn *f, op_cmp *keep)       /* one comparison of the two parameters by order */
{
    if (f->neqn != 1 || f->eqn[0].op != &row_compare || f->ret[0] != f->eqn[0].out) return false;
    const op_compare_attr *a = IR_ATTR(&f->eqn[0], op_compare_attr);
    *keep = (op_cmp)a->direction;
    return !a->total && f->eqn[0].in[0] == 1 && f->eqn[0].in[1] == 2 && *keep != OP_CMP_EQ && *keep != OP_CMP_NE;
}

static const char *window_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    const bool selects = e->op == &row_select_and_gather || e->op == &row_select_and_scatter;
    double taps = 1;
    op_cmp keep;
    if (g->neqn != 1 || (e->op != &row_reduce_window && !selects)) return "not a window";
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) taps *= (double)IR_ATTR(e, op_window_attr)->window.v[d];
    if (taps > TAPS && !(e->op == &row_reduce_window && prefix_dim(e))) return "a window of more than 2^20 elements";
    if (!selects) {
        const mesh_how how = e->nin == 2 ? op_monoid(e->sub[0]) : MESH_NONE;
        return how != MESH_NONE && fold_here(IR_IN(e, 0)->dtype, how) ? NULL : "a reducer of its own";
    }
    if (!ir_is_float(IR_IN(e, 0)->dtype)) return "selection among floats only";
    if (!IR_IN(e, 0)->rank) return "no dims";
    if (!compares(e->sub[0], &keep)) return "a selection of its own";
    return e->op == &row_select_and_scatter && op_monoid(e->sub[1]) != MESH_SUM ? "a combination that is no sum" : NULL;
}

static bool window_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    window *f = BASE_NEW(a, window, 1);
    const ir_eqn *e = g->eqn[0];
    f->e = e;
    if (e->op == &row_reduce_window) {
        f->how = op_monoid(e->sub[0]);
        f->prefix = prefix_dim(e);
        run_code *code = IR_IN(e, 0)->rank ? fold_run : fold_point;
        *k = (run_kernel){ .code = code, .tiles = fold_tiles, .scratch = fold_scratch };
    } else if (e->op == &row_select_and_gather) {
        *k = (run_kernel){ .code = gather_run, .tiles = gather_tiles, .scratch = gather_scratch };
    } else {
        *k = (run_kernel){ .code = scatter_run, .tiles = scatter_tiles, .scratch = tap_scratch };
    }
    if (e->op != &row_reduce_window && !compares(e->sub[0], &f->keep)) return false;
    k->self = f, k->site = e->site;
    k->name = base_intern(base_format(a, "window: %s", e->op->name));
    return true;
}

const gen_engine gen_window = { sizeof(gen_engine), "window", window_refuses, window_make };
