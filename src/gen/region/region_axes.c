/* gen/region/region_axes.c - lanes and taps of a reduction by a region: which elements they read, in tiles of lanes.
 *
 * In a windowed dim, a lane and a tap meet at index (first + lane) stride - lo + tap step of the dim as base dilation
 * has spaced it. If every lane and tap reads an element, both are plain axes; neighbouring axes that are contiguous in
 * memory are merged. */
#include "region_axes.h"

#include <string.h>

#include "../copy.h"

enum { TASK = 1 << 15 };                                 /* applications that are worth a task */

/* ---- axes ---- */

void region_axes_lane(region_axes *a, region_axis l)
{
    a->lanes *= l.n;
    if (l.n != 1 || l.window >= 0) a->lane[a->nlane++] = l;
}

void region_axes_tap(region_axes *a, region_axis t)
{
    a->taps *= t.n;
    if (t.n != 1 || t.window >= 0) a->tap[a->ntap++] = t;
}

void region_axes_window(region_axes *a, const op_taps *t, int64_t size, int d, const ir_box *x, int yd, const ir_box *y)
{
    const region_dim w = { *t, size, y->lo[yd], x->lo[d] };
    const int64_t least = w.first * t->stride - t->lo, most = least + (y->n[yd] - 1) * t->stride + (t->n - 1) * t->step;
    const bool plain = t->base == 1 && least >= 0 && most < size;
    region_axis lane = { .n = y->n[yd], .window = plain ? -1 : a->nwindow };
    region_axis tap = { .n = t->n, .window = lane.window };
    for (int i = 0; i < a->nx; i++) {
        lane.x[i] = x[i].step[d] * (plain ? t->stride : 1), tap.x[i] = x[i].step[d] * (plain ? t->step : 1);
        if (plain) a->xat[i] += (least - x[i].lo[d]) * x[i].step[d];
    }
    for (int j = 0; j < a->ny; j++) lane.y[j] = y[j].step[yd];
    if (!plain) a->window[a->nwindow++] = w;
    region_axes_lane(a, lane);
    region_axes_tap(a, tap);
}

/* True if p, the slower axis, and q can be one axis: both are plain, and in every tensor p's step is q's extent. */
static bool joins(const region_axis *p, const region_axis *q, int nx, int ny)
{
    bool in_step = p->window < 0 && q->window < 0;
    for (int i = 0; i < nx; i++) in_step &= p->x[i] == q->x[i] * q->n;
    for (int j = 0; j < ny; j++) in_step &= p->y[j] == q->y[j] * q->n;
    return in_step;
}

static int merged(region_axis *at, int n, int nx, int ny)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (m && joins(&at[m - 1], &at[i], nx, ny)) at[i].n *= at[m - 1].n, m--;
        at[m++] = at[i];
    }
    return m;
}

void region_axes_close(region_axes *a, int64_t most)
{
    a->nlane = merged(a->lane, a->nlane, a->nx, a->ny);
    a->ntap = merged(a->tap, a->ntap, a->nx, 0);
    a->split = 0, a->each = 1, a->tiles = a->lanes && !a->nlane;
    if (!a->lanes || !a->nlane) return;
    const double work = (double)a->lanes * (double)a->taps / TASK;
    const int64_t share = region_padded(work < 1 ? a->lanes : (int64_t)((double)a->lanes / work) + 1);
    if (most > share) most = share;
    int64_t inner = 1, outer = 1;
    for (a->split = a->nlane - 1; a->split > 0 && inner * a->lane[a->split].n <= most; a->split--)
        inner *= a->lane[a->split].n;
    for (int k = 0; k < a->split; k++) outer *= a->lane[k].n;
    a->each = most / inner > 1 ? most / inner : 1;
    a->tiles = outer * ((a->lane[a->split].n + a->each - 1) / a->each);
}

region_tile region_tile_at(const region_axes *a, int64_t i)
{
    region_tile t = { .count = 1 };
    if (!a->nlane) return t;
    const int64_t n = a->lane[a->split].n, pieces = (n + a->each - 1) / a->each, lo = i % pieces * a->each;
    i /= pieces;
    for (int k = 0; k < a->nlane; k++) t.from[k] = 0, t.n[k] = k < a->split ? 1 : a->lane[k].n;
    t.from[a->split] = lo, t.n[a->split] = n - lo < a->each ? n - lo : a->each;
    for (int k = a->split - 1; k >= 0; k--) t.from[k] = i % a->lane[k].n, i /= a->lane[k].n;
    for (int k = a->nlane - 1; k >= 0; k--) t.step[k] = t.count, t.count *= t.n[k];
    return t;
}

/* ---- loading ---- */

/* The lanes of a tile along a window's axis that read elements at a tap: every `by`-th from `lo` on, n of them. */
typedef struct { int64_t lo, n, by, at, step; } reach;   /* at, step: indices in the operand's box */

static reach reach_of(const region_dim *w, int64_t from, int64_t n, int64_t tap)
{
    const op_taps *t = &w->t;
    const int64_t p = (w->first + from) * t->stride - t->lo + tap * t->step;
    int64_t common = t->base, rest = t->stride;          /* the greatest common divisor of both */
    while (rest) { const int64_t q = common % rest; common = rest, rest = q; }
    reach r = { .by = t->base / common };                /* the pattern's period in lanes */
    while (r.lo < r.by && r.lo < n && (p + r.lo * t->stride) % t->base) r.lo++;
    if (r.lo == r.by || r.lo >= n) return (reach){ .by = 1 };
    const int64_t each = r.by * t->stride, q = p + r.lo * t->stride, end = (w->size - 1) * t->base - q;
    const int64_t skip = q < 0 ? (-q + each - 1) / each : 0, stop = end < 0 ? 0 : end / each + 1;
    const int64_t capacity = (n - r.lo + r.by - 1) / r.by, last = stop < capacity ? stop : capacity;
    if (!w->size || last <= skip) return (reach){ .by = 1 };
    r.lo += skip * r.by, r.n = last - skip;
    r.at = (q + skip * each) / t->base - w->lo, r.step = each / t->base;
    return r;
}

static int64_t tap_of(const region_axes *a, const int64_t *tap, int window)
{
    for (int k = 0; k < a->ntap; k++) if (a->tap[k].window == window) return tap[k];
    return 0;
}

/* The part of a tile that reads elements at a tap. In the tile's line: sizes, steps, and the start `to`. In the
 * operand's box, as indices: steps `by` and start `at`. */
typedef struct { bool any, all; int64_t n[REGION_AXES], ts[REGION_AXES], to, by[REGION_AXES], at[REGION_AXES]; } part;

static part region_axes_part_of(const region_axes *a, const region_tile *t, const int64_t *tap)
{
    part p = { .any = true, .all = true };
    for (int k = 0; k < a->nlane; k++) {
        reach r = { 0, t->n[k], 1, t->from[k], 1 };
        const int w = a->lane[k].window;
        if (w >= 0) r = reach_of(&a->window[w], t->from[k], t->n[k], tap_of(a, tap, w));
        p.n[k] = r.n, p.ts[k] = t->step[k] * r.by, p.by[k] = r.step, p.at[k] = r.at;
        p.to += r.lo * t->step[k];
        p.any &= r.n > 0;
        p.all &= r.n == t->n[k];
    }
    return p;
}

int64_t region_axes_blocks(const region_axes *a)
{
    return a->ntap && a->nlane < IR_RANK && a->tap[a->ntap - 1].window < 0 ? REGION_BLOCK : 1;
}

void region_fill(char *line, const void *element, int64_t n, int64_t size)
{
    gen_copy_line(line, 1, element, 0, n, (size_t)size);
}

bool region_inside(const region_axes *a, const region_tile *t, const int64_t *tap, char *in)
{
    static const char yes = 1;
    const int64_t zero[REGION_AXES] = { 0 };
    const part p = region_axes_part_of(a, t, tap);
    if (p.all) return true;
    memset(in, 0, (size_t)t->count);
    const gen_copy c = gen_copy_of(a->nlane, p.n, zero, p.ts, 1);
    if (p.any) gen_copy_run(&c, &yes, in + p.to);
    return false;
}

const char *region_load(const region_axes *a, const region_tile *t, int i, const int64_t *tap, int64_t count,
                        const void *none, char *line)
{
    const part p = region_axes_part_of(a, t, tap);
    const int64_t size = a->xsize[i], capacity = region_padded(t->count);
    int64_t n[REGION_AXES + 1], fs[REGION_AXES + 1], ts[REGION_AXES + 1], at = a->xat[i];
    bool dense = p.all && capacity == t->count;          /* the line can be used in place */
    for (int k = 0; k < a->nlane; k++) {
        n[k] = p.n[k], ts[k] = p.ts[k], fs[k] = a->lane[k].x[i] * p.by[k];
        at += p.at[k] * a->lane[k].x[i];
        dense &= n[k] == 1 || (fs[k] == ts[k]);
    }
    for (int k = 0; k < a->ntap; k++) if (a->tap[k].window < 0) at += tap[k] * a->tap[k].x[i];
    const char *from = a->x[i] + at * size;
    if (dense && count == 1) return from;
    n[a->nlane] = count, ts[a->nlane] = capacity, fs[a->nlane] = a->ntap ? a->tap[a->ntap - 1].x[i] : 0;
    if (!p.all) for (int64_t b = 0; b < count; b++) region_fill(line + b * capacity * size, none, t->count, size);
    if (!p.any) return line;
    const gen_copy c = gen_copy_of(a->nlane + (count > 1), n, fs, ts, (size_t)size);
    gen_copy_run(&c, from, line + p.to * size);
    return line;
}

void region_store(const region_axes *a, const region_tile *t, int j, const char *line)
{
    int64_t ts[REGION_AXES], at = a->yat[j];
    for (int k = 0; k < a->nlane; k++) ts[k] = a->lane[k].y[j], at += t->from[k] * ts[k];
    const gen_copy c = gen_copy_of(a->nlane, t->n, t->step, ts, (size_t)a->ysize[j]);
    gen_copy_run(&c, line, a->y[j] + at * a->ysize[j]);
}
