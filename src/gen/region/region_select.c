/* gen/region/region_select.c - select_and_scatter and select_and_gather by regions of their own, or of integers.
 *
 * Lanes are windows, taps are the windows' places in row-major order: of two elements select keeps one; padding is
 * never read. Then the windows' sources are combined, in order, into the places that their windows selected
 * (region_stream.c), or the elements at those places are read. */
#include "region_axes.h"
#include "../../op/ops.h"

#include <string.h>

#include "../copy.h"

enum { GRAIN = 1 << 14 };                                /* elements of a task */
typedef struct { const ir_eqn *e; region_code *select, *scatter; } chooser;      /* scatter NULL: select_and_gather */

typedef struct {
    char *best, *value, *keep, *in, *any;             /* lines of lanes */
    int32_t *tap;                                        /* number of the selected tap */
    region_run run;
    region_stream *stream;
} lines;

static int64_t lines_bytes(const chooser *c)
{
    const int64_t capacity = region_lanes(c->select), size = (int64_t)ir_dtype_of(c->select->arg[0])->bytes;
    return capacity * (2 * size + 3 + (int64_t)sizeof(int32_t)) + region_padded(region_scratch(c->select)) + 128 +
           (c->scatter ? region_stream_bytes(c->scatter) : 0);
}

static int64_t scratch_of(const void *self, const ir_box *arg)
{
    (void)arg;
    return lines_bytes(self);
}

static lines region_select_lines_of(const chooser *c, void *scratch, double work, const ir_box *y, const void *source)
{
    const int64_t capacity = region_lanes(c->select), size = (int64_t)ir_dtype_of(c->select->arg[0])->bytes;
    char *p = base_line_up(scratch);
    lines l = { .best = p, .value = p + capacity * size };
    p += 2 * capacity * size;
    l.tap = (int32_t *)(void *)p, p += capacity * (int64_t)sizeof(int32_t);
    l.keep = p, l.in = p + capacity, l.any = p + 2 * capacity, p += 3 * capacity;
    l.run = region_begin(c->select, p, work);
    p += region_padded(region_scratch(c->select));
    if (c->scatter) l.stream = region_stream_begin(c->scatter, p, y, source, work);
    return l;
}

/* ---- selecting ---- */

/* Applies tap `now` to a tile: where the tap is inside the operand, and nothing is selected yet or select rejects the
 * present element, the tap is selected. */
static void region_select_tap(const region_axes *a, const region_tile *t, const int64_t *tap, int32_t now, lines *l)
{
    static const uint64_t none[2];
    const int64_t n = t->count, size = a->xsize[0];
    const bool all = region_inside(a, t, tap, l->in);
    const char *x = region_load(a, t, 0, tap, 1, none, l->value);
    region_do(&l->run, (void *[]){ l->best, (void *)(uintptr_t)x }, (void *[]){ l->keep }, n);
    for (int64_t i = 0; i < n; i++) {                    /* keep: true if the candidate wins */
        l->keep[i] = (all || l->in[i]) && !(l->any[i] && l->keep[i]);
        l->any[i] |= l->keep[i];
        l->tap[i] = l->keep[i] ? now : l->tap[i];
    }
#define CASE(T) case sizeof(T): { \
        T *best = (T *)(void *)l->best; const T *v = (const T *)(const void *)x; \
        for (int64_t i = 0; i < n; i++) best[i] = l->keep[i] ? v[i] : best[i]; \
        break; }
    switch (size) { CASE(uint8_t) CASE(uint16_t) CASE(uint32_t) CASE(uint64_t) default: break; }
#undef CASE
}

static void select_tile(const region_axes *a, const region_tile *t, lines *l)
{
    int64_t tap[REGION_AXES] = { 0 };
    int32_t now = 0;
    memset(l->any, 0, (size_t)t->count);
    memset(l->best, 0, (size_t)(t->count * a->xsize[0]));
    for (int d = 0; d >= 0 && a->taps; now++) {
        region_select_tap(a, t, tap, now, l);
        for (d = a->ntap - 1; d >= 0 && ++tap[d] == a->tap[d].n; d--) tap[d] = 0;
    }
}

/* The axes whose lanes are the windows of `box`. */
static void region_select_axes_of(const ir_eqn *e, const ir_box *x, const ir_box *box, region_axes *a)
{
    *a = (region_axes){ .nx = 1, .ny = 1, .lanes = 1, .taps = 1 };
    a->xsize[0] = (int64_t)ir_dtype_of(x->dtype)->bytes, a->ysize[0] = (int64_t)ir_dtype_of(box->dtype)->bytes;
    a->x[0] = x->at, a->y[0] = box->at;
    for (int d = 0; d < x->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        region_axes_window(a, &t, IR_IN(e, 0)->dim[d], d, x, d, box);
    }
}

/* The index along each dim of the operand that window i (indices of the result) selected by tap number k. */
static void region_select_place_of(const ir_eqn *e, int rank, const int64_t *i, int64_t k, int64_t *at)
{
    const op_window_attr *a = IR_ATTR(e, op_window_attr);
    for (int d = rank - 1; d >= 0; d--) {
        const op_taps t = op_taps_of(a, d);
        at[d] = i[d] * t.stride - t.lo + k % t.n * t.step;
        k /= t.n;
    }
}

/* Processes the place that one lane of a tile of windows selected; lanes come in order. */
typedef void visit(const chooser *, const ir_box *arg, const ir_box *y, lines *, const int64_t *i, int64_t lane);

static void windows(const chooser *c, const ir_box *arg, const ir_box *box, const ir_box *y, lines *l, visit *each)
{
    region_axes a;
    region_select_axes_of(c->e, &arg[0], box, &a);
    region_axes_close(&a, region_lanes(c->select));
    int64_t i[IR_RANK];
    ir_first(box, i);
    for (int64_t n = 0; n < a.tiles; n++) {
        const region_tile t = region_tile_at(&a, n);
        select_tile(&a, &t, l);
        for (int64_t k = 0; k < t.count; k++) {          /* tiles follow each other in row-major order */
            each(c, arg, y, l, i, k);
            ir_next(box, i);
        }
    }
}

/* ---- select_and_gather ---- */

static void fetch(const chooser *c, const ir_box *arg, const ir_box *y, lines *l, const int64_t *i, int64_t lane)
{
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    int64_t at[IR_RANK], to = 0, from = 0;
    region_select_place_of(c->e, y->rank, i, l->any[lane] ? l->tap[lane] : 0, at);
    for (int d = 0; d < y->rank; d++)
        to += (i[d] - y->lo[d]) * y->step[d], from += (at[d] - arg[1].lo[d]) * arg[1].step[d];
    if (l->any[lane]) memcpy((char *)y->at + to * size, (const char *)arg[1].at + from * size, (size_t)size);
    else memset((char *)y->at + to * size, 0, (size_t)size);
}

static int64_t region_select_parts_of(const ir_box *y)
{
    const int64_t want = ir_box_count(y) / GRAIN, most = y->rank ? y->n[0] : 1, n = want < 64 ? want : 64;
    return n < most ? (n < 1 ? 1 : n) : most < 1 ? 1 : most;
}

static ir_box region_select_part_of(const ir_box *y, const run_job *job) /* the job's part along the first dim */
{
    const int64_t parts = region_select_parts_of(y);
    if (parts == 1) return *y;
    const int64_t lo = y->n[0] * job->first / parts, hi = y->n[0] * (job->first + job->count) / parts;
    return op_box_part(y, 0, y->lo[0] + lo, hi - lo);
}

static int64_t gather_tiles(const void *self, const ir_box *arg)
{
    (void)self;
    return region_select_parts_of(&arg[2]);
}

static void gather_run(const void *self, const run_job *job)
{
    const chooser *c = self;
    const ir_box y = region_select_part_of(&job->arg[2], job);
    if (!ir_box_count(&y)) return;
    lines l = region_select_lines_of(c, job->scratch, (double)ir_box_count(&y), &y, NULL);
    windows(c, job->arg, &y, &y, &l, fetch);
}

/* ---- select_and_scatter ---- */

static void send(const chooser *c, const ir_box *arg, const ir_box *y, lines *l, const int64_t *i, int64_t lane)
{
    int64_t at[IR_RANK], to = 0, from = 0;
    if (!l->any[lane]) return;
    region_select_place_of(c->e, y->rank, i, l->tap[lane], at);
    for (int d = 0; d < y->rank; d++) {
        if (at[d] < y->lo[d] || at[d] >= y->lo[d] + y->n[d]) return;
        to += (at[d] - y->lo[d]) * y->step[d], from += (i[d] - arg[1].lo[d]) * arg[1].step[d];
    }
    region_stream_push(l->stream, to, from);
}

/* The windows of `source` that meet y's box: other windows may read elements that the operand's box does not hold. */
static ir_box meeting(const ir_eqn *e, const ir_box *source, const ir_box *y)
{
    ir_box box = *source;
    for (int d = 0; d < y->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        const int64_t reach = (t.n - 1) * t.step, first = y->lo[d] + t.lo - reach, last = y->lo[d] + y->n[d] - 1 + t.lo;
        int64_t lo = first > 0 ? (first + t.stride - 1) / t.stride : 0, hi = last < 0 ? 0 : last / t.stride + 1;
        if (lo < source->lo[d]) lo = source->lo[d];
        if (hi > source->lo[d] + source->n[d]) hi = source->lo[d] + source->n[d];
        box = op_box_part(&box, d, lo, hi > lo ? hi - lo : 0);
    }
    return box;
}

static int64_t scatter_tiles(const void *self, const ir_box *arg)
{
    (void)self;
    return region_select_parts_of(&arg[3]);
}

static void scatter_run(const void *self, const run_job *job)
{
    const chooser *c = self;
    const ir_box *arg = job->arg, y = region_select_part_of(&arg[3], job);
    const int64_t size = (int64_t)ir_dtype_of(y.dtype)->bytes, zero[IR_RANK] = { 0 };
    if (!ir_box_count(&y)) return;
    const gen_copy init = gen_copy_of(y.rank, y.n, zero, y.step, (size_t)size);
    gen_copy_run(&init, arg[2].at, y.at);
    const ir_box box = meeting(c->e, &arg[1], &y);
    if (!ir_box_count(&box)) return;
    lines l = region_select_lines_of(c, job->scratch, (double)ir_box_count(&box), &y, arg[1].at);
    windows(c, arg, &box, &y, &l, send);
    region_stream_end(l.stream);
}

/* ---- the tables ---- */

static const char *refuses(const ir_eqn *e)
{
    double taps = 1;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) taps *= (double)IR_ATTR(e, op_window_attr)->window_dimensions.v[d];
    if (taps > INT32_MAX) return "a window of more than 2^31 elements";
    if (ir_dtype_of(IR_IN(e, 1)->dtype)->cls == IR_COMPLEX_CLASS) return "complex numbers";
    const char *why = region_refuses(e->sub[0]);
    return why || e->nsub == 1 ? why : region_refuses(e->sub[1]);
}

static bool region_select_make(base_arena *a, const ir_eqn *e, run_kernel *k)
{
    chooser *c = BASE_NEW(a, chooser, 1);
    const bool scatters = e->op == &prim_select_and_scatter;
    c->e = e;
    if (!(c->select = region_of(a, e->sub[0])) || (scatters && !(c->scatter = region_of(a, e->sub[1])))) return false;
    *k = (run_kernel){ .code = gather_run, .self = c, .tiles = gather_tiles, .scratch = scratch_of };
    if (scatters) k->code = scatter_run, k->tiles = scatter_tiles;
    return true;
}

const region_kind region_select_scatter = { &prim_select_and_scatter, refuses, region_select_make };
const region_kind region_select_gather = { &prim_select_and_gather, refuses, region_select_make };
