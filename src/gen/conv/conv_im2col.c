/* gen/conv/conv_im2col.c - a convolution's problems (conv.c) as im2col views (conv.h), and the phases of base dilation
 * as one view.
 *
 * The input gradient of a strided convolution has a phase for every place within a stride. All phases read the same
 * neighbourhoods of the cotangent, each by its own taps. So they become adjacent columns of one matrix, with zeros
 * where a phase lacks a tap, and the window is read once: with 12 columns and strides of 2, four matrices of 16 columns
 * become one of 48. Whether this is less work depends on taps, features and columns alone: the order of sums, and so
 * every bit, is the same however a box is split. */
#include "conv.h"

enum { LHS = CONV_LHS, RHS = CONV_RHS, OUT = CONV_OUT };

static bool side_by_side(int64_t n, int64_t step) { return n == 1 || step == 1; }

/* Describes the problem as an im2col view. Returns false if its memory has another layout. */
static bool view_of(const conv_problem *p, const ir_box *arg, bool back, conv_im2col *c)
{
    const ir_box *x = &arg[LHS], *y = &arg[OUT];
    const int64_t batch = y->n[p->a->output_batch_dimension];
    const int64_t xb = x->step[p->a->input_batch_dimension], yb = y->step[p->a->output_batch_dimension];
    if (!p->n || !side_by_side(back ? batch : p->c, back ? xb : p->xc)) return false;
    if (!side_by_side(p->g.n, back ? p->ro : p->yo)) return false;
    *c = (conv_im2col){ .n = p->n, .images = back ? p->c : batch, .image_x = back ? p->xc : xb,
                         .image_to = back ? p->rc : yb, .features = back ? batch : p->c,
                         .feature_to = back ? yb : p->rc, .cols = p->g.n, .tap_col = back ? p->yo : p->ro,
                         .back = back };
    int64_t at = p->window;
    for (int d = 0; d < p->n; d++) {
        const conv_phase *f = &p->ph[d];
        const int64_t to = f->p * y->step[p->a->output_spatial_dimensions.v[d]], tap = f->q * p->rk[d];
        c->d[d] = back ? (conv_dim){ f->size, p->xs[d], f->c0, f->nu, f->us, f->nt, f->ts, tap, to }
                       : (conv_dim){ f->size, p->xs[d], f->c0, f->nt, f->ts, f->nu, f->us, to, tap };
        at -= f->c0 * p->xs[d];
    }
    /* if the box begins further on, place 0 is before its memory */
    c->x = p->p[LHS] ? (const float *)((uintptr_t)p->p[LHS] + (uintptr_t)(at * p->size[LHS])) : NULL;
    c->r = (float *)(uintptr_t)p->p[back ? RHS : OUT], c->t = (float *)(uintptr_t)p->p[back ? OUT : RHS];
    return true;
}

/* ---- phases ---- */

typedef struct {
    const conv_matrix_unit *u; bool back; conv_im2col_fn *f; void *env;
    int n; conv_im2col c[CONV_PHASES];                   /* of a group, so far */
} views;

static int64_t elements(const float *to, const float *from)
{
    return ((intptr_t)to - (intptr_t)from) / (int64_t)sizeof(float);
}

/* Dim d of the joined view: the window that has every phase's taps. Returns false if the phases' taps are not multiples
 * of a step apart. */
static bool join_dim(const views *s, int d, conv_im2col *all, conv_part *part)
{
    conv_dim *to = &all->d[d];
    const conv_dim *first = NULL;
    int64_t lo = 0, end = 0;
    to->taps = to->rows = 0;
    for (int i = 0; i < s->n; i++) {
        const conv_dim *q = &s->c[i].d[d];
        part[i].rows[d] = q->rows, part[i].taps[d] = q->taps, part[i].tap[d] = 0;
        to->rows = q->rows > to->rows ? q->rows : to->rows;
        if (q->taps < 1) continue;
        first = first ? first : q;
        const int64_t by = q->from - first->from;
        if (!q->ts || by % q->ts) return false;
        part[i].tap[d] = by / q->ts;
        lo = part[i].tap[d] < lo ? part[i].tap[d] : lo;
        end = part[i].tap[d] + q->taps > end ? part[i].tap[d] + q->taps : end;
    }
    if (!first) return true;
    to->from = first->from + lo * first->ts, to->taps = end - lo, to->ts = first->ts, to->tap_to = first->tap_to;
    for (int i = 0; i < s->n; i++) {
        part[i].tap[d] = part[i].taps[d] ? part[i].tap[d] - lo : 0;
        part[i].t -= part[i].tap[d] * to->tap_to;
    }
    return true;
}

/* Joins all phases to one view. Returns false if they cannot be joined, or are less work one by one. */
static bool conv_im2col_join(const views *s, conv_im2col *all, conv_part *part)
{
    double each = 0;
    *all = s->c[0];
    for (int i = 0; i < s->n; i++) {
        part[i] = (conv_part){ elements(s->c[i].r, all->r), elements(s->c[i].t, all->t), { 0 }, { 0 }, { 0 } };
        each += s->u->row(&s->c[i]);
    }
    for (int d = 0; d < all->n; d++) if (!join_dim(s, d, all, part)) return false;
    all->cols *= s->n, all->parts = s->n, all->part = part;
    return s->u->row(all) < each;
}

static bool conv_im2col_gather(conv_problem *p, const ir_box *arg, void *env)
{
    views *s = env;
    int64_t phases = 1;
    conv_part part[CONV_PHASES];
    conv_im2col all;
    for (int d = 0; d < p->n; d++) phases *= p->ph[d].p;
    if (!view_of(p, arg, s->back, &s->c[s->n])) return false;
    if (s->back || phases < 2 || phases > CONV_PHASES || !s->u->merges) return s->f(&s->c[s->n], s->env);
    if (++s->n < phases) return true;
    const int n = s->n;
    const bool joined = conv_im2col_join(s, &all, part);
    s->n = 0;
    if (joined) return s->f(&all, s->env);
    for (int i = 0; i < n; i++) if (!s->f(&s->c[i], s->env)) return false;
    return true;
}

bool conv_im2cols(const conv *v, const ir_box *arg, bool back, conv_im2col_fn *f, void *env)
{
    views s;                                             /* not cleared: most convolutions have one phase */
    s.u = v->matrix_unit, s.back = back, s.f = f, s.env = env, s.n = 0;
    return conv_each(v, arg, conv_im2col_gather, &s);
}
