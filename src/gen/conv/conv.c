/* gen/conv/conv.c - convolution on boxes, all attributes, as products of matrices by gemm.c: rows are places of the
 * window, k is (taps, features), columns are output features. conv_pack.c packs the operands.
 *
 * Base dilation (gradients of strided convolutions) inserts zeros between elements. Result places therefore form
 * phases: within one phase the taps that meet elements are every Q-th, and the element's place is linear in the
 * result's place and the tap:
 *   o = o0 + P t, tap = j0 + Q u, element = c0 + ts t + us u, with P = b/gcd(s,b), Q = b/gcd(w,b)
 * for stride s, window dilation w and base dilation b. */
#include "conv.h"

enum { LHS = CONV_LHS, RHS = CONV_RHS, OUT = CONV_OUT, GRAIN = 1 << 20, SPATIAL = CONV_SPATIAL };
typedef conv_problem problem;
typedef conv_phase phase;
typedef conv_row_dim place;

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
