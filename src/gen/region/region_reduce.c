/* gen/region/region_reduce.c - reduce and reduce_window by a region of their own, of any number of operands.
 *
 * Lanes are results; taps are reduced in their order, beginning with the initial value, as in the reference: the bits
 * are the same. If results are few and taps many, reduced dims (the first of them, or pieces of one) are lanes too; the
 * partial results are then reduced pair by pair in order, and the initial value comes first. This choice depends on the
 * types' sizes alone. */
#include "region_axes.h"
#include "../../op/ops.h"

#include <string.h>

#include "../copy.h"

enum { MANY = 1 << 10, FEW = 256, RUN = 16 };  /* lanes aimed at; most results whose taps are split; least taps */

typedef struct {
    const ir_eqn *e;
    region_code *r;
    int n;                                               /* operands */
    int64_t each[IR_RANK], parts;                        /* reduce: taps of a lane along each dim; lanes per result */
} reduction;

/* ---- the axes of a job ---- */

static bool is_reduced(const ir_eqn *e, int d) { return op_dims_has(IR_ATTR(e, op_reduce_attr)->dimensions, d); }

static void region_reduce_begin(const reduction *f, const ir_box *arg, region_axes *a)
{
    *a = (region_axes){ .nx = f->n, .ny = f->n, .lanes = 1, .taps = 1 };
    for (int i = 0; i < f->n; i++) {
        a->xsize[i] = a->ysize[i] = (int64_t)ir_dtype_of(arg[i].dtype)->bytes;
        a->x[i] = arg[i].at, a->y[i] = arg[2 * f->n + i].at;
    }
}

static region_axis along(const reduction *f, const ir_box *x, int d, int64_t n, int64_t by)
{
    region_axis l = { .n = n, .window = -1 };
    for (int i = 0; i < f->n; i++) l.x[i] = x[i].step[d] * by;
    return l;
}

static int64_t pieces(const reduction *f, int d) { return (IR_IN(f->e, 0)->dim[d] + f->each[d] - 1) / f->each[d]; }

/* Adds the lanes of the reduced dims: their full pieces, or if `rest` the remainders after those. Results are then
 * partial results, dense in shared memory: [parts][results]. */
static void part_lanes(const reduction *f, const ir_box *arg, bool rest, void *shared, region_axes *a)
{
    const int64_t kept = ir_box_count(&arg[2 * f->n]), capacity = region_padded(f->parts * kept);
    int64_t place = f->parts * kept, at = 0;
    for (int i = 0; i < f->n && shared; i++) {           /* NULL: only sizes are requested */
        a->y[i] = (char *)shared + at;
        at += capacity * a->ysize[i];
    }
    for (int d = 0; d < arg[0].rank; d++) {
        const int64_t size = IR_IN(f->e, 0)->dim[d], each = f->each[d], whole = size / each;
        if (!is_reduced(f->e, d) || each == size) continue;
        place /= pieces(f, d);
        region_axis l = along(f, arg, d, rest && size % each ? 1 : whole, each);
        for (int i = 0; i < f->n; i++) l.y[i] = place;
        for (int i = 0; i < f->n && rest && size % each; i++)
            a->xat[i] += whole * l.x[i], a->yat[i] += whole * place;
        region_axes_lane(a, l);
    }
}

static void reduce_axes(const reduction *f, const ir_box *arg, bool rest, void *shared, region_axes *a)
{
    const ir_box *x = arg, *y = arg + 2 * f->n;
    int64_t dense = ir_box_count(y);
    region_reduce_begin(f, arg, a);
    if (f->parts > 1) part_lanes(f, arg, rest, shared, a);
    for (int d = 0, o = 0; d < x->rank; d++) {
        const int64_t size = is_reduced(f->e, d) ? x->n[d] : y->n[o], each = is_reduced(f->e, d) ? f->each[d] : 1;
        region_axis l = along(f, x, d, size, 1);
        if (is_reduced(f->e, d)) {
            const bool last = rest && each < size && size % each;
            l.n = f->parts > 1 ? last ? size % each : each : size;
            region_axes_tap(a, l);
            continue;
        }
        dense = size ? dense / size : 0;
        for (int i = 0; i < f->n; i++) {
            l.y[i] = f->parts > 1 ? dense : y[i].step[o];
            a->xat[i] += (y->lo[o] - x[i].lo[d]) * x[i].step[d];
        }
        region_axes_lane(a, l);
        o++;
    }
}

/* The axes in two halves: all full pieces, and the remainders. Returns how many halves there are. */
static int region_reduce_axes_of(const reduction *f, const ir_box *arg, void *shared, region_axes *half)
{
    bool rest = false;
    if (f->e->op == &prim_reduce_window) {
        region_reduce_begin(f, arg, &half[0]);
        for (int d = 0; d < arg->rank; d++) {
            const op_taps t = op_taps_of(IR_ATTR(f->e, op_window_attr), d);
            region_axes_window(&half[0], &t, IR_IN(f->e, 0)->dim[d], d, arg, d, arg + 2 * f->n);
        }
    } else {
        reduce_axes(f, arg, false, shared, &half[0]);
        for (int d = 0; d < arg->rank && f->parts > 1; d++)
            rest |= is_reduced(f->e, d) && f->each[d] < arg->n[d] && arg->n[d] % f->each[d];
        if (rest) reduce_axes(f, arg, true, shared, &half[1]);
    }
    for (int h = 0; h <= rest; h++) region_axes_close(&half[h], region_lanes(f->r));
    return 1 + rest;
}

/* ---- lines of a tile ---- */

typedef struct { char *acc[2][REGION_MOST], *value[REGION_MOST]; region_run run; } lines;

static int64_t lines_bytes(const reduction *f)
{
    const int64_t capacity = region_lanes(f->r);
    int64_t n = region_padded(region_scratch(f->r)) + 64;
    for (int i = 0; i < f->n; i++) n += (2 + REGION_BLOCK) * capacity * (int64_t)ir_dtype_of(f->r->arg[i])->bytes;
    return n;
}

static void region_reduce_lines_of(const reduction *f, void *scratch, double work, lines *l)
{
    const int64_t capacity = region_lanes(f->r);
    char *p = base_line_up(scratch);
    for (int i = 0; i < f->n; i++) {
        const int64_t bytes = capacity * (int64_t)ir_dtype_of(f->r->arg[i])->bytes;
        l->acc[0][i] = p, l->acc[1][i] = p + bytes, l->value[i] = p + 2 * bytes;
        p += (2 + REGION_BLOCK) * bytes;
    }
    l->run = region_begin(f->r, p, work);
}

/* acc[1 - now] = region(acc[now], x). */
static void combine(const reduction *f, lines *l, int now, const char *const *x, int64_t n)
{
    void *in[2 * REGION_MOST], *out[REGION_MOST];
    for (int i = 0; i < f->n; i++)
        in[i] = l->acc[now][i], in[f->n + i] = (void *)(uintptr_t)x[i], out[i] = l->acc[1 - now][i];
    region_do(&l->run, in, out, n);
}

static bool next_tap(const region_axes *a, int64_t *tap, int64_t by)
{
    for (int k = a->ntap - 1; k >= 0; k--, by = 1) {
        if ((tap[k] += by) < a->tap[k].n) return true;
        tap[k] = 0;
    }
    return false;
}

static void reduction_tile(const reduction *f, const region_axes *a, const ir_box *init, lines *l, int64_t i)
{
    const region_tile t = region_tile_at(a, i);
    const int64_t most = region_axes_blocks(a), capacity = region_padded(t.count);
    int64_t tap[REGION_AXES] = { 0 }, by = 1;
    bool begun = f->parts == 1;
    int now = 0;
    for (int j = 0; j < f->n && begun; j++) region_fill(l->acc[0][j], init[j].at, t.count, a->xsize[j]);
    for (bool more = a->taps > 0; more; more = next_tap(a, tap, by)) {
        const int64_t left = a->ntap ? a->tap[a->ntap - 1].n - tap[a->ntap - 1] : 1;
        const char *x[REGION_MOST];
        by = left < most ? left : most;
        for (int j = 0; j < f->n; j++) x[j] = region_load(a, &t, j, tap, by, init[j].at, l->value[j]);
        for (int64_t b = 0; b < by; b++) {
            if (begun) combine(f, l, now, x, t.count), now = 1 - now;
            else for (int j = 0; j < f->n; j++) memcpy(l->acc[now][j], x[j], (size_t)(t.count * a->xsize[j]));
            begun = true;
            for (int j = 0; j < f->n; j++) x[j] += capacity * a->xsize[j];
        }
    }
    for (int j = 0; j < f->n; j++) region_store(a, &t, j, l->acc[now][j]);
}

/* ---- the kernel ---- */

static int64_t reduction_tiles(const void *self, const ir_box *arg)
{
    region_axes half[2];
    int64_t n = 0;
    const int halves = region_reduce_axes_of(self, arg, NULL, half);
    for (int h = 0; h < halves; h++) n += half[h].tiles;
    return n < 1 ? 1 : n < 256 ? n : 256;
}

static int64_t reduction_scratch(const void *self, const ir_box *arg)
{
    (void)arg;
    return lines_bytes(self);
}

static int64_t reduction_shared(const void *self, const ir_box *arg)
{
    const reduction *f = self;
    const int64_t capacity = region_padded(f->parts * ir_box_count(&arg[2 * f->n]));
    int64_t n = 0;
    for (int i = 0; i < f->n && f->parts > 1; i++) n += capacity * (int64_t)ir_dtype_of(f->r->arg[i])->bytes;
    return n;
}

static void reduction_run(const void *self, const run_job *job)
{
    const reduction *f = self;
    region_axes half[2];
    lines l;
    const int halves = region_reduce_axes_of(f, job->arg, job->shared, half);
    const int64_t all = half[0].tiles + (halves > 1 ? half[1].tiles : 0), parts = reduction_tiles(self, job->arg);
    const int64_t lo = all * job->first / parts, hi = all * (job->first + job->count) / parts;
    if (lo == hi) return;
    region_reduce_lines_of(f, job->scratch, (double)half[0].lanes * (double)half[0].taps
        * (double)(hi - lo) / (double)all, &l);
    for (int64_t i = lo; i < hi; i++) {
        const bool second = i >= half[0].tiles;
        reduction_tile(f, &half[second], job->arg + f->n, &l, second ? i - half[0].tiles : i);
    }
}

/* part[to + i] = region(part[left + i], part[right + i]), i < n. */
static void region_reduce_join(const reduction *f, lines *l, char *const *part, int64_t to, int64_t left, int64_t right,
    int64_t n)
{
    const int64_t most = region_lanes(f->r);
    for (int64_t i = 0; i < n; i += most) {
        const int64_t m = n - i < most ? n - i : most;
        const char *x[REGION_MOST];
        for (int j = 0; j < f->n; j++) {
            const int64_t size = (int64_t)ir_dtype_of(f->r->arg[j])->bytes;
            memcpy(l->acc[0][j], part[j] + (left + i) * size, (size_t)(m * size));
            x[j] = memcpy(l->value[j], part[j] + (right + i) * size, (size_t)(m * size));
        }
        combine(f, l, 0, x, m);
        for (int j = 0; j < f->n; j++) {
            const int64_t size = (int64_t)ir_dtype_of(f->r->arg[j])->bytes;
            memcpy(part[j] + (to + i) * size, l->acc[1][j], (size_t)(m * size));
        }
    }
}

/* Reduces the partial results pair by pair in their order, after the initial value. */
static void reduction_finish(const void *self, const run_job *job)
{
    const reduction *f = self;
    const ir_box *init = job->arg + f->n, *y = init + f->n;
    const int64_t kept = ir_box_count(y), capacity = region_padded(f->parts * kept);
    char *part[REGION_MOST], *p = job->shared;
    lines l;
    if (!kept) return;
    region_reduce_lines_of(f, job->scratch, (double)f->parts * (double)kept, &l);
    for (int j = 0; j < f->n; j++) part[j] = p, p += capacity * (int64_t)ir_dtype_of(f->r->arg[j])->bytes;
    for (int64_t n = f->parts; n > 1; n = (n + 1) / 2) {
        for (int64_t i = 0; i + 1 < n; i += 2) region_reduce_join(f, &l, part, i / 2 * kept, i * kept, (i + 1) * kept,
            kept);
        for (int j = 0; j < f->n && n % 2; j++) {
            const int64_t bytes = kept * (int64_t)ir_dtype_of(f->r->arg[j])->bytes;
            memmove(part[j] + n / 2 * bytes, part[j] + (n - 1) * bytes, (size_t)bytes);
        }
    }
    const int64_t most = region_lanes(f->r);
    for (int64_t i = 0; i < kept; i += most) {
        const int64_t m = kept - i < most ? kept - i : most;
        const char *x[REGION_MOST];
        for (int j = 0; j < f->n; j++) {
            const int64_t size = (int64_t)ir_dtype_of(f->r->arg[j])->bytes;
            region_fill(l.acc[0][j], init[j].at, m, size);
            x[j] = memcpy(l.value[j], part[j] + i * size, (size_t)(m * size));
        }
        combine(f, &l, 0, x, m);
        for (int j = 0; j < f->n; j++) {
            const int64_t size = (int64_t)ir_dtype_of(f->r->arg[j])->bytes;
            memcpy(part[j] + i * size, l.acc[1][j], (size_t)(m * size));
        }
    }
    for (int j = 0; j < f->n; j++) {
        const ir_box from = ir_box_of(part[j], y[j].dtype, y[j].rank, y[j].lo, y[j].n);
        const gen_copy c = gen_copy_of(y[j].rank, y[j].n, from.step, y[j].step, ir_dtype_of(y[j].dtype)->bytes);
        gen_copy_run(&c, part[j], y[j].at);
    }
}

/* ---- the tables ---- */

static const char *reduction_refuses(const ir_eqn *e)
{
    const int n = (int)e->nin / 2;
    if (n > REGION_MOST) return "more than 8 operands";
    if (n == 1 && op_monoid(e->sub[0]) != MESH_NONE) return "a monoid: other kernels have it";
    return region_refuses(e->sub[0]);
}

/* Decides how the taps of a result are split. */
static void region_reduce_part(reduction *f)
{
    const ir_type *x = IR_IN(f->e, 0);
    int64_t results = ir_count(IR_OUT(f->e, 0)), taps = 1;
    f->parts = 1;
    for (int d = 0; d < x->rank; d++) {
        f->each[d] = is_reduced(f->e, d) ? x->dim[d] : 1;
        taps *= f->each[d];
    }
    if (f->e->op != &prim_reduce || !results || results > FEW || taps < MANY) return;
    for (int d = 0; d < x->rank; d++) {
        const int64_t want = MANY / (results * f->parts), capacity = taps / RUN;
        if (!is_reduced(f->e, d) || x->dim[d] < 2 || want < 2 || capacity < 2) continue;
        const int64_t n = want < capacity ? want : capacity; /* pieces of this dim */
        f->each[d] = n >= x->dim[d] ? 1 : (x->dim[d] + n - 1) / n;
        f->parts *= pieces(f, d);
        taps /= pieces(f, d);
    }
}

static bool reduction_make(base_arena *a, const ir_eqn *e, run_kernel *k)
{
    reduction *f = BASE_NEW(a, reduction, 1);
    f->e = e, f->n = (int)e->nin / 2;
    if (!(f->r = region_of(a, e->sub[0]))) return false;
    if (e->op == &prim_reduce) region_reduce_part(f);
    else f->parts = 1;
    *k = (run_kernel){ .code = reduction_run, .self = f, .tiles = reduction_tiles, .scratch = reduction_scratch };
    if (f->parts > 1) k->finish = reduction_finish, k->shared = reduction_shared;
    return true;
}

const region_kind region_reduce = { &prim_reduce, reduction_refuses, reduction_make };
const region_kind region_window = { &prim_reduce_window, reduction_refuses, reduction_make };
