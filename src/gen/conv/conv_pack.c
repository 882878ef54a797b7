/* gen/conv/conv_pack.c - packs the operands of a convolution for gemm.c, and stores its result.
 *
 * A is read through the window while it is packed, so no im2col matrix is stored. Packing follows the memory of lhs:
 * - adjacent features (NHWC forward): rows by pointers; padding is a row of zeros;
 * - else, a dim of adjacent places (weight gradient, one input feature): lanes along that dim. */
#include "conv.h"

#include <string.h>

enum { LHS = CONV_LHS, RHS = CONV_RHS, OUT = CONV_OUT, WIDEST = 128, SPATIAL = CONV_SPATIAL };
typedef conv_problem problem;
typedef conv_phase phase;
typedef conv_row_dim place;

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

void conv_pack_a(const gemm *g, void *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const problem *p = g->env;
    if (p->lanes) pack_lanes(p, dst, width, row, k, nk);
    else pack_rows(p, dst, width, row, k, nk);
}

void conv_pack_b(const gemm *g, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk)
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

void conv_store(const gemm *g, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld)
{
    const problem *p = g->env;
    const int64_t acc = (int64_t)gemm_bytes(g->type);
    for (int i = 0; i < rows; i++) {
        char *q = (char *)p->p[OUT] + (out_at(p, row + i) + col * p->yo) * p->size[OUT];
        g->isa->narrow[g->type](q, p->dtype[OUT], p->yo, (const char *)tile + i * ld * acc, cols);
    }
}
