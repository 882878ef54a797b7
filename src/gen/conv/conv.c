/* gen/conv/conv.c - convolution on boxes, all attributes, as products of matrices by gemm.c: rows are places of the
 * window, k is (taps, features), columns are output features. A is read through the window while it is packed, so no
 * im2col matrix is stored.
 *
 * Base dilation (gradients of strided convolutions) inserts zeros between elements. Result places therefore form
 * phases: within one phase the taps that meet elements are every Q-th, and the element's place is linear in the
 * result's place and the tap:
 *   o = o0 + P t, tap = j0 + Q u, element = c0 + ts t + us u, with P = b/gcd(s,b), Q = b/gcd(w,b)
 * for stride s, window dilation w and base dilation b. Packing follows the memory of lhs:
 * - adjacent features (NHWC forward): rows by pointers; padding is a row of zeros;
 * - else, a dim of adjacent places (weight gradient, one input feature): lanes along that dim. */
#include "conv.h"

#include <string.h>

enum { LHS = CONV_LHS, RHS = CONV_RHS, OUT = CONV_OUT, GRAIN = 1 << 20, WIDEST = 128, SPATIAL = CONV_SPATIAL };
typedef conv_problem problem;
typedef conv_phase phase;
typedef conv_row_dim place;

/* ---- packing A ---- */

typedef struct { int64_t at, idx[SPATIAL]; } spot;       /* a row's offset in lhs, and its place per spatial dim */

static spot spot_of(const problem *p, int64_t row, int64_t *i)   /* i: the row's index per row dim */
{
    spot s = { 0 };
    row += p->first;
    for (int d = 0; d < p->n; d++) s.idx[d] = p->ph[d].c0;
    for (int d = p->n; d >= 0; d--) {
        i[d] = p->row[d].size > 1 ? row % p->row[d].size : 0;
        row = p->row[d].size > 1 ? row / p->row[d].size : row;
        s.at += i[d] * p->row[d].x;
        if (p->row[d].dim >= 0) s.idx[p->row[d].dim] += i[d] * p->ph[p->row[d].dim].ts;
    }
    return s;
}

static void next_spot(const problem *p, spot *s, int64_t *i)
{
    for (int d = p->n; d >= 0; d--) {
        const place *r = &p->row[d];
        const int64_t ts = r->dim >= 0 ? p->ph[r->dim].ts : 0;
        s->at += r->x;
        if (r->dim >= 0) s->idx[r->dim] += ts;
        if (++i[d] < r->size) return;
        i[d] = 0;
        s->at -= r->size * r->x;
        if (r->dim >= 0) s->idx[r->dim] -= r->size * ts;
    }
}

/* A walk along k: feature c of a tap; k: the tap's index per spatial dim; u: its place in lhs; x, r: offsets in lhs and
 * rhs. */
typedef struct { int64_t c, k[SPATIAL], u[SPATIAL], x, r; } walk;

static walk walk_from(const problem *p, int64_t k)
{
    walk w = { .c = k % p->c };
    int64_t tap = k / p->c;
    for (int d = p->n - 1; d >= 0; tap /= p->ph[d].nu, d--) {
        w.k[d] = tap % p->ph[d].nu;
        w.u[d] = w.k[d] * p->ph[d].us;
        w.x += w.u[d] * p->xs[d], w.r += w.k[d] * p->ph[d].q * p->rk[d];
    }
    return w;
}

static void next_tap(const problem *p, walk *w)
{
    w->c = 0;
    for (int d = p->n - 1; d >= 0; d--) {
        const phase *f = &p->ph[d];
        w->u[d] += f->us, w->x += f->us * p->xs[d], w->r += f->q * p->rk[d];
        if (++w->k[d] < f->nu) return;
        w->k[d] = w->u[d] = 0;
        w->x -= f->nu * f->us * p->xs[d], w->r -= f->nu * f->q * p->rk[d];
    }
}

/* The number of features of this tap from w on, at most `most`. */
static int64_t feature_run(const problem *p, const walk *w, int64_t most)
{
    return p->c - w->c < most ? p->c - w->c : most;
}

/* The address of offset `at` in lhs. The place where the first tap of row 0 reads is outside memory if it is padding,
 * so `window` is added to an offset, never to the address alone. */
static const char *lhs_at(const problem *p, int64_t at) { return p->p[LHS] + (p->window + at) * p->size[LHS]; }

static bool inside(const problem *p, const spot *s, const int64_t *u, int skip)
{
    for (int d = 0; d < p->n; d++)
        if (d != skip && (uint64_t)(s->idx[d] + u[d]) >= (uint64_t)p->ph[d].size) return false;
    return true;
}

static void pack_rows(const problem *p, char *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const int64_t acc = (int64_t)gemm_bytes(p->g.type);
    const void *at[GEMM_ROWS];
    int64_t i[SPATIAL + 1];
    spot s[GEMM_ROWS];
    if (!nk) return;
    walk w = walk_from(p, k);
    s[0] = spot_of(p, row, i);
    for (int l = 1; l < width; l++) s[l] = s[l - 1], next_spot(p, &s[l], i);
    for (int64_t done = 0, n; done < nk; done += n, next_tap(p, &w)) {
        n = feature_run(p, &w, nk - done);
        for (int l = 0; l < width; l++)
            at[l] = inside(p, &s[l], w.u, -1) ? lhs_at(p, s[l].at + w.x + w.c * p->xc) : NULL;
        p->g.isa->from_rows[p->g.type](dst + done * width * acc, width, p->dtype[LHS], at, p->xc, n);
    }
}

/* Lanes [*lo, *hi) of a tap whose places along the last row dim are inside lhs: lane l reads first + l ts. */
static void lanes_inside(const problem *p, const spot *s, const walk *w, int width, int64_t *lo, int64_t *hi)
{
    const int dim = p->row[p->n].dim;
    *lo = 0, *hi = width;
    if (!inside(p, s, w->u, dim)) *hi = 0;
    if (dim < 0 || !*hi) return;
    const int64_t first = s->idx[dim] + w->u[dim], ts = p->ph[dim].ts, left = p->ph[dim].size - first;
    if (first < 0) *lo = ts == 1 ? -first : (-first + ts - 1) / ts;
    if (left <= (width - 1) * ts) *hi = left <= 0 ? 0 : ts == 1 ? left : (left - 1) / ts + 1;
}

/* Packs rows that are neighbours along the last row dim. If that dim is spatial, its padding masks lanes off at both
 * ends. */
static void pack_lanes(const problem *p, char *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const int64_t acc = (int64_t)gemm_bytes(p->g.type), step = p->row[p->n].x;
    int64_t i[SPATIAL + 1];
    if (!nk) return;
    walk w = walk_from(p, k);
    const spot s = spot_of(p, row, i);
    for (int64_t done = 0, n; done < nk; done += n, next_tap(p, &w)) {
        int64_t lo, hi;
        char *q = dst + done * width * acc;
        n = feature_run(p, &w, nk - done);
        lanes_inside(p, &s, &w, width, &lo, &hi);
        const char *const src = lo < hi ? lhs_at(p, s.at + w.x + w.c * p->xc + lo * step) : NULL;
        if (lo >= hi) memset(q, 0, (size_t)(n * width * acc));
        else if (!lo) p->g.isa->from_lanes[p->g.type](q, width, p->dtype[LHS], src, p->xc, step, (int)hi, n);
        else
            for (int64_t j = 0; j < n; j++) { /* trailing zeros may reach into the next row: ascending order */
                memset(q + j * width * acc, 0, (size_t)(lo * acc));
                p->g.isa->from_lanes[p->g.type](q + (j * width + lo) * acc, width, p->dtype[LHS],
                                                src + j * p->xc * p->size[LHS], 0, step, (int)(hi - lo), 1);
            }
    }
}

static void conv_pack_a(const gemm *g, void *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const problem *p = g->env;
    if (p->lanes) pack_lanes(p, dst, width, row, k, nk);
    else pack_rows(p, dst, width, row, k, nk);
}

static void conv_pack_b(const gemm *g, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk)
{
    const problem *p = g->env;
    const int64_t acc = (int64_t)gemm_bytes(g->type);
    const void *row[WIDEST];
    if (!nk) return;
    walk w = walk_from(p, k);
    for (int64_t done = 0, n; done < nk; done += n, next_tap(p, &w)) {
        n = feature_run(p, &w, nk - done);
        char *q = (char *)dst + done * width * acc;
        const char *src = p->p[RHS] + (w.r + w.c * p->rc + col * p->ro) * p->size[RHS];
        if (p->ro == 1 || p->rc != 1) {
            g->isa->from_lanes[g->type](q, width, p->dtype[RHS], src, p->rc, p->ro, cols, n);
        } else {
            for (int j = 0; j < width; j++) row[j] = j < cols ? src + j * p->ro * p->size[RHS] : NULL;
            g->isa->from_rows[g->type](q, width, p->dtype[RHS], row, p->rc, n);
        }
    }
}

static int64_t out_at(const problem *p, int64_t row)
{
    int64_t at = 0;
    row += p->first;
    for (int d = p->n; d >= 0; row /= p->row[d].size, d--) at += row % p->row[d].size * p->row[d].y;
    return at;
}

static void conv_store(const gemm *g, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld)
{
    const problem *p = g->env;
    const int64_t acc = (int64_t)gemm_bytes(g->type);
    for (int i = 0; i < rows; i++) {
        char *q = (char *)p->p[OUT] + (out_at(p, row + i) + col * p->yo) * p->size[OUT];
        g->isa->narrow[g->type](q, p->dtype[OUT], p->yo, (const char *)tile + i * ld * acc, cols);
    }
}

/* ---- phases ---- */

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t r = a % b;
        a = b, b = r;
    }
    return a;
}

static int64_t phases(const op_taps *t) { return t->base / gcd(t->stride, t->base); }

/* Phase r of a dim: result places [ylo, ylo + yn), taps [klo, klo + kn) of the window's t->n. turned: the window is
 * reversed. */
static phase phase_of(const op_taps *t, bool turned, int64_t r, int64_t size, int64_t ylo, int64_t yn, int64_t klo,
                      int64_t kn)
{
    phase f = { .p = phases(t), .q = t->base / gcd(t->step, t->base), .size = size };
    f.o0 = ((r - ylo) % f.p + f.p) % f.p;
    f.nt = yn > f.o0 ? (yn - f.o0 + f.p - 1) / f.p : 0;
    const int64_t from = (ylo + f.o0) * t->stride - t->lo;
    for (f.j0 = 0; f.j0 < f.q && f.j0 < kn; f.j0++) {
        const int64_t tap = turned ? t->n - 1 - klo - f.j0 : klo + f.j0, at = from + tap * t->step;
        if (at % t->base) continue;
        f.nu = (kn - f.j0 + f.q - 1) / f.q;
        f.c0 = at / t->base;
        break;
    }
    f.ts = f.p * t->stride / t->base;
    f.us = (turned ? -f.q : f.q) * t->step / t->base;
    return f;
}

/* ---- a box ---- */

static void measure(const conv *v, const ir_box *arg, problem *p)
{
    const op_conv_attr *a = IR_ATTR(v->e, op_conv_attr);
    *p = (problem){ .a = a, .n = a->input_spatial_dimensions.n,
                    .g = { .isa = v->isa, .type = v->type, .pack_a = conv_pack_a, .pack_b = conv_pack_b,
                        .store = conv_store } };
    for (int d = 0; d < p->n; d++) {
        p->tap[d] = op_conv_taps(a, IR_IN(v->e, 1), d);
        p->rk[d] = arg[RHS].step[a->kernel_spatial_dimensions.v[d]];
        p->xs[d] = arg[LHS].step[a->input_spatial_dimensions.v[d]];
    }
    p->c = arg[RHS].n[a->kernel_input_feature_dimension];
    p->xc = arg[LHS].step[a->input_feature_dimension], p->rc = arg[RHS].step[a->kernel_input_feature_dimension];
    p->ro = arg[RHS].step[a->kernel_output_feature_dimension], p->yo = arg[OUT].step[a->output_feature_dimension];
    for (int t = 0; t < 3; t++) p->dtype[t] = arg[t].dtype, p->size[t] = (int64_t)ir_dtype_of(arg[t].dtype)->bytes;
}

/* Orders the row dims, batch and spatial: the one along which packing walks comes last. */
static void order_rows(problem *p, const ir_box *x, const ir_box *y)
{
    place dim[SPATIAL + 1];
    int last = p->n, n = 0;
    dim[0] = (place){ y->n[p->a->output_batch_dimension], x->step[p->a->input_batch_dimension],
                      y->step[p->a->output_batch_dimension], -1 };
    for (int d = 0; d < p->n; d++)
        dim[d + 1] = (place){ p->ph[d].nt, p->ph[d].ts * p->xs[d], p->ph[d].p *
                              y->step[p->a->output_spatial_dimensions.v[d]], d };
    p->lanes = false;
    if (p->xc != 1 || p->c < 8) {                        /* else features are adjacent: rows by pointers */
        for (int d = 0; d <= p->n; d++)
            if (dim[d].size >= 6 && (!p->lanes || dim[d].x < dim[last].x) && dim[d].x > 0) last = d, p->lanes = true;
    }
    for (int d = 0; d <= p->n; d++) if (d != last) p->row[n++] = dim[d];
    p->row[n] = dim[last];
}

static bool rows_are_one(const problem *p, int64_t *ld)  /* True if result rows are a constant step apart */
{
    *ld = 0;
    int64_t expect = 0;
    for (int d = p->n; d >= 0; d--) {
        if (p->row[d].size == 1) continue;
        if (*ld && p->row[d].y != expect) return false;
        if (!*ld) *ld = p->row[d].y;
        expect = p->row[d].y * p->row[d].size;
    }
    return true;
}

/* One phase of one group: result features [f, f + nf). Box addresses become offsets of each box's first element. */
static void conv_prepare(const conv *v, problem *p, const ir_box *arg, const int64_t *r, int64_t group, int64_t f,
                         int64_t nf)
{
    static const tt_dtype native[GEMM_TYPES][2] = {
        { TT_F32, TT_F32 }, { TT_F64, TT_F64 }, { TT_I32, TT_U32 }, { TT_I64, TT_U64 }
    };
    const op_conv_attr *a = p->a;
    const ir_box *x = &arg[LHS], *w = &arg[RHS], *y = &arg[OUT];
    const int64_t batch = y->lo[a->output_batch_dimension] +
        (a->batch_group_count > 1 ? group * IR_OUT(v->e, 0)->dim[a->output_batch_dimension] : 0);
    const int64_t feature =
        w->lo[a->kernel_input_feature_dimension] +
        (a->feature_group_count > 1 ? group * IR_IN(v->e, 1)->dim[a->kernel_input_feature_dimension] : 0);
    p->first = 0;
    int64_t at[3] = { (batch - x->lo[a->input_batch_dimension]) * x->step[a->input_batch_dimension] +
                          (feature - x->lo[a->input_feature_dimension]) * p->xc,
                      (f - w->lo[a->kernel_output_feature_dimension]) * p->ro,
                      (f - y->lo[a->output_feature_dimension]) * p->yo };
    int64_t taps = 1;
    p->window = 0;
    for (int d = 0; d < p->n; d++) {
        const int xd = (int)a->input_spatial_dimensions.v[d], wd = (int)a->kernel_spatial_dimensions.v[d],
            yd = (int)a->output_spatial_dimensions.v[d];
        p->ph[d] = phase_of(&p->tap[d], a->window_reversal.v[d], r[d], IR_IN(v->e, 0)->dim[xd], y->lo[yd], y->n[yd],
                            w->lo[wd],
                            w->n[wd]);
        p->window += (p->ph[d].c0 - x->lo[xd]) * x->step[xd];
        at[RHS] += p->ph[d].j0 * p->rk[d];
        at[OUT] += p->ph[d].o0 * y->step[yd];
        taps *= p->ph[d].nu;
    }
    for (int t = 0; t < 3; t++) p->p[t] = arg[t].at ? (const char *)arg[t].at + at[t] * p->size[t] : NULL;
    order_rows(p, x, y);
    gemm *g = &p->g;
    g->m = 1, g->n = nf, g->k = taps * p->c, g->env = p, g->c = NULL;
    for (int d = 0; d <= p->n; d++) g->m *= p->row[d].size;
    g->run = p->lanes && p->row[p->n].size < g->m ? p->row[p->n].size : 0;
    const bool own = p->dtype[OUT] == native[g->type][0] || p->dtype[OUT] == native[g->type][1];
    if (own && p->yo == 1 && rows_are_one(p, &g->ldc)) g->c = (void *)(uintptr_t)p->p[OUT];
}

/* ---- tasks: rows of every phase in parts ---- */

int64_t conv_rows_tiles(const conv *v, const ir_box *arg)
{
    problem p;
    measure(v, arg, &p);
    int64_t taps = 1, runs = arg[OUT].n[p.a->output_batch_dimension], most;
    for (int d = 0; d < p.n; d++) {
        const int64_t places = arg[OUT].n[p.a->output_spatial_dimensions.v[d]] / phases(&p.tap[d]);
        taps *= arg[RHS].n[p.a->kernel_spatial_dimensions.v[d]];
        runs *= places;
    }
    const double work = (double)ir_box_count(&arg[OUT]) * (double)(taps * p.c) / GRAIN;
    most = runs / 28;
    const int64_t want = work > 64 ? 64 : work < 1 ? 1 : (int64_t)work;
    return want < most ? want : most < 1 ? 1 : most;
}

/* The first row of part `part` of `parts`. If tiles do not cross runs of rows (g->run), parts begin at multiples of a
 * run. */
static int64_t conv_row_at(const gemm *g, int64_t part, int64_t parts)
{
    const int64_t runs = g->run ? g->m / g->run : g->m, unit = g->run ? g->run : 1;
    return runs * part / parts * unit;
}

/* See conv.h. */
bool conv_each(const conv *v, const ir_box *arg, conv_each_fn *do_one, void *env)
{
    problem p;
    measure(v, arg, &p);
    const int64_t groups = p.a->feature_group_count * p.a->batch_group_count;
    const int64_t o = IR_IN(v->e, 1)->dim[p.a->kernel_output_feature_dimension] / groups;
    const int64_t lo = arg[OUT].lo[p.a->output_feature_dimension], end = lo + arg[OUT].n[p.a->output_feature_dimension];
    if (!ir_box_count(&arg[OUT])) return true;
    for (int64_t f = lo; f < end;) {
        const int64_t g = f / o, stop = (g + 1) * o < end ? (g + 1) * o : end;
        int64_t r[SPATIAL] = { 0 };
        for (int d = 0; d >= 0;) {
            conv_prepare(v, &p, arg, r, g, f, stop - f);
            if (!do_one(&p, arg, env)) return false;
            for (d = p.n - 1; d >= 0 && ++r[d] == phases(&p.tap[d]); d--) r[d] = 0;
        }
        f = stop;
    }
    return true;
}

typedef struct { int64_t first, count, tiles; void *scratch; } part;

static bool run_part(problem *p, const ir_box *arg, void *env)
{
    const part *t = env;
    const int64_t lo = conv_row_at(&p->g, t->first, t->tiles), hi = conv_row_at(&p->g, t->first + t->count, t->tiles);
    (void)arg;
    p->first = lo;
    p->g.m = hi - lo;
    if (p->g.c) p->g.c = (char *)p->g.c + lo * p->g.ldc * p->size[OUT];
    if (hi > lo) gemm_run(&p->g, t->scratch);
    return true;
}

void conv_rows(const conv *v, const ir_box *arg, int64_t first, int64_t count, int64_t tiles, void *scratch)
{
    part t = { first, count, tiles, scratch };
    conv_each(v, arg, run_part, &t);
}

static bool widest_part(problem *p, const ir_box *arg, void *env)
{
    int64_t *most = env;
    (void)arg;
    if (gemm_scratch(&p->g) > *most) *most = gemm_scratch(&p->g);
    return true;
}

int64_t conv_rows_scratch(const conv *v, const ir_box *arg)
{
    int64_t most = 0;
    conv_each(v, arg, widest_part, &most);
    return most;
}
