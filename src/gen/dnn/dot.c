/* gen/dnn/dot.c - dot_general on boxes as oneDNN's matmul: [batch.., m, k] x [batch.., k, n] by strides, without moving
 * data.
 *
 * Neighbouring dims that are one dim in memory are merged; a product that still has several dims, other than batch
 * dims, is left to the core's kernels. Large products are split into blocks of batches, rows or columns, whose sizes
 * depend on the box alone: workers share blocks, and the bits do not depend on how many workers there are. */
#include "dnn.h"

#include <string.h>

typedef struct { int64_t n, step[3]; } axis;             /* steps in a, b, c */
typedef struct { int n; axis at[IR_RANK]; } axes;
typedef struct { axes batch, m, n, k; int64_t base[3]; } shape;

size_t dnn_bytes(int dtype) { return dtype == TT_BF16 ? 2 : 4; }

bool dnn_part(const ir_box *from, int d, int64_t lo, int64_t n, int64_t *elements)
{
    *elements += (lo - from->lo[d]) * from->step[d];
    return lo >= from->lo[d] && lo + n <= from->lo[d] + from->n[d];
}

static void dnn_dot_add(axes *x, int64_t n, int64_t a, int64_t b, int64_t c)
{
    const int64_t step[3] = { a, b, c };
    bool joins = x->n > 0;
    if (n == 1) return;
    for (int t = 0; t < 3 && joins; t++) joins = x->at[x->n - 1].step[t] == step[t] * n;
    if (joins) n *= x->at[--x->n].n;
    x->at[x->n].n = n;
    memcpy(x->at[x->n++].step, step, sizeof step);
}

static bool dnn_dot_listed(ir_dims l, int d)
{
    for (int i = 0; i < l.n; i++) if (l.v[i] == d) return true;
    return false;
}

/* Free dims of operand t (0 or 1) and their places in the result. */
static bool free_dims(axes *x, const ir_box *arg, int t, ir_dims batch, ir_dims sum, int *out, int64_t *base)
{
    const ir_box *c = &arg[2];
    bool held = true;
    for (int d = 0; d < arg[t].rank; d++) {
        if (dnn_dot_listed(batch, d) || dnn_dot_listed(sum, d)) continue;
        held &= dnn_part(&arg[t], d, c->lo[*out], c->n[*out], &base[t]);
        dnn_dot_add(x, c->n[*out], t ? 0 : arg[t].step[d], t ? arg[t].step[d] : 0, c->step[*out]);
        ++*out;
    }
    return held;
}

static bool dnn_dot_shape_of(const op_dot_attr *d, const ir_box *arg, shape *s)
{
    const ir_box *a = &arg[0], *b = &arg[1], *c = &arg[2];
    int out = 0;
    bool held = true;
    for (; out < d->lhs_batching_dimensions.n; out++) {
        const int i = (int)d->lhs_batching_dimensions.v[out], j = (int)d->rhs_batching_dimensions.v[out];
        held &= dnn_part(a, i, c->lo[out], c->n[out], &s->base[0]) && dnn_part(b, j, c->lo[out], c->n[out],
            &s->base[1]);
        dnn_dot_add(&s->batch, c->n[out], a->step[i], b->step[j], c->step[out]);
    }
    held &= free_dims(&s->m, arg, 0, d->lhs_batching_dimensions, d->lhs_contracting_dimensions, &out, s->base);
    held &= free_dims(&s->n, arg, 1, d->rhs_batching_dimensions, d->rhs_contracting_dimensions, &out, s->base);
    /* the part of the sum that both boxes hold: one of the boxes may hold more */
    for (int q = 0; q < d->lhs_contracting_dimensions.n; q++) {
        const int i = (int)d->lhs_contracting_dimensions.v[q], j = (int)d->rhs_contracting_dimensions.v[q];
        const int64_t lo = a->lo[i] > b->lo[j] ? a->lo[i] : b->lo[j];
        const int64_t p_end = a->lo[i] + a->n[i], q_end = b->lo[j] + b->n[j], n = (p_end < q_end ? p_end : q_end) - lo;
        held &= n > 0 && dnn_part(a, i, lo, n, &s->base[0]) && dnn_part(b, j, lo, n, &s->base[1]);
        dnn_dot_add(&s->k, n, a->step[i], b->step[j], 0);
    }
    return held;
}

static axis one(const axes *x) { return x->n ? x->at[0] : (axis){ .n = 1 }; }

/* A matrix of r rows and q columns after its batch dims. A dim of size 1 may claim any stride. */
static dnn_tensor matrix(int dtype, const axes *batch, int t, int64_t r, int64_t r_step, int64_t q, int64_t q_step)
{
    dnn_tensor x = { .dtype = dtype, .rank = batch->n + 2 };
    for (int i = 0; i < batch->n; i++) x.n[i] = batch->at[i].n, x.step[i] = batch->at[i].step[t];
    if (r == 1) r_step = q_step == 1 ? q : 1;
    if (q == 1) q_step = r_step == 1 ? r : 1;
    x.n[batch->n] = r, x.step[batch->n] = r_step;
    x.n[batch->n + 1] = q, x.step[batch->n + 1] = q_step;
    return x;
}

static bool dnn_dot_is_dense(const dnn_tensor *x)
{
    const int64_t *n = x->n + x->rank - 2, *step = x->step + x->rank - 2;
    return (step[1] == 1 && step[0] >= n[1]) || (step[0] == 1 && step[1] >= n[0]);
}

/* Chooses the dim that is split into blocks, and the blocks' size. */
typedef enum { BATCH, ROWS, COLUMNS } side;
static int64_t dnn_dot_block(const shape *s, int64_t m, int64_t n, int64_t k, side *by)
{
    enum { MOST = 8, LEAST = 64, PACKED = 128 };         /* rows per block when every worker reorders b for itself */
    int64_t batch = 1;
    for (int i = 0; i < s->batch.n; i++) batch *= s->batch.at[i].n;
    const double work = 2.0 * (double)batch * (double)m * (double)n * (double)k / 2e7;       /* some 100 us each */
    const int64_t want = work < 1 ? 1 : work > MOST ? MOST : (int64_t)work;
    *by = s->batch.n == 1 && batch > 1 ? BATCH : m >= n ? ROWS : COLUMNS;
    const int64_t size = *by == BATCH ? batch : *by == ROWS ? m : n;
    int64_t each = (size + want - 1) / want;
    const int64_t unit = *by == ROWS && m >= 2 * PACKED ? PACKED : LEAST;
    if (*by != BATCH) each = base_round_up(each, unit);
    return s->batch.n > 1 || each > size ? size : each;
}

static dnn_spec spec_of(const dnn_self *self, const shape *s, int64_t batch, axis m, axis n, axis k, bool pack)
{
    dnn_spec p;
    axes b = s->batch;
    memset(&p, 0, sizeof p);                             /* compared as bytes */
    if (b.n == 1) b.at[0].n = batch;
    p.kind = DNN_MATMUL;
    p.a = matrix(self->x->dtype, &b, 0, m.n, m.step[0], k.n, k.step[0]);
    p.b = matrix(self->y->dtype, &b, 1, k.n, k.step[1], n.n, n.step[1]);
    p.c = matrix(self->z->dtype, &b, 2, m.n, m.step[2], n.n, n.step[2]);
    p.pack = pack;
    return p;
}

static void dnn_dot_transpose(shape *s)                  /* c^T = b^T a^T */
{
    const axes m = s->m;
    s->m = s->n;
    s->n = m;
    axes *all[] = { &s->batch, &s->m, &s->n, &s->k };
    for (int x = 0; x < 4; x++)
        for (int i = 0; i < all[x]->n; i++) {
            int64_t *t = all[x]->at[i].step, swap = t[0];
            t[0] = t[1], t[1] = swap;
        }
    const int64_t base = s->base[0];
    s->base[0] = s->base[1], s->base[1] = base;
}

/* True if the core's kernels are preferable without AVX-512 (measured by bench/contract): they are as fast for large
 * products, and much faster where a is transposed or rows of the result are multiples of 2 KiB apart. */
static bool ours_is_faster(axis m, axis n, axis k)
{
    const double work = (double)m.n * (double)n.n * (double)k.n;
    return work > 1.1e8 || m.step[2] % 512 == 0 || (m.step[0] == 1 && k.step[0] >= 256);
}

bool dnn_dot(const dnn_self *self, const ir_box *arg, dnn_problem *p, const char **why)
{
    shape s = { 0 };
    side by;
    if (!dnn_holds(&arg[2]) || !dnn_dot_shape_of(self->attr, arg, &s)) return *why = "empty, or boxes that do not fit",
        false;
    if (s.m.n > 1 || s.n.n > 1 || s.k.n > 1 || s.batch.n > DNN_RANK - 2) return *why =
        "dims that are not one dim in memory", false;
    memset(p, 0, sizeof *p);
    if (s.n.n && s.n.at[0].step[2] != 1) dnn_dot_transpose(&s), p->swap = 1;
    const axis m = one(&s.m), n = one(&s.n), k = one(&s.k);
    /* measured by bench/contract: below these sizes the core's kernels are as fast */
    const int64_t least = self->x->dtype == TT_BF16 ? 8 : 32;
    if (m.n < least || n.n < least || k.n < least) return *why = "skinny: our own kernels are faster", false;
    if (self->x->dtype == TT_F32 && !dnn_is_wide() && ours_is_faster(m, n, k))
        return *why = "without AVX-512 our own kernels are faster", false;
    int64_t batch = s.batch.n == 1 ? s.batch.at[0].n : 1, size[3] = { batch, m.n, n.n };
    const int64_t each = dnn_dot_block(&s, m.n, n.n, k.n, &by), last = size[by] % each ? size[by] % each : each;
    p->parts = (size[by] + each - 1) / each;
    for (int i = 0; i < 2; i++) {
        axis mm = m, nn = n;
        const int64_t q = i ? last : each;
        if (by == ROWS) mm.n = q;
        if (by == COLUMNS) nn.n = q;
        p->spec[i] = spec_of(self, &s, by == BATCH ? q : batch, mm, nn, k, by == ROWS && m.n >= 256);
        if (!dnn_dot_is_dense(&p->spec[i].a) || !dnn_dot_is_dense(&p->spec[i].b) || !dnn_dot_is_dense(&p->spec[i].c))
            return *why = "strides that no matrix product takes", false;
    }
    p->nspec = last == each ? 1 : 2;
    const axis *cut = by == BATCH ? &s.batch.at[0] : by == ROWS ? &m : &n;
    for (int t = 0; t < 3; t++) {
        const int64_t bytes = (int64_t)dnn_bytes(t == 2 ? self->z->dtype : self->x->dtype);
        p->base[t] = s.base[t] * bytes;
        p->step[t] = (s.batch.n == 1 || by != BATCH ? cut->step[t] : 0) * each * bytes;
    }
    const op_dot_attr *d = self->attr;
    const int nb = d->lhs_batching_dimensions.n, nm = arg[0].rank - nb - d->lhs_contracting_dimensions.n;
    const bool first = (by == ROWS) != (p->swap != 0);   /* the dims that are split are the first operand's */
    p->before = by == BATCH ? 0 : first ? nb : nb + nm;
    p->dims = by == BATCH ? nb : first ? nm : arg[2].rank - nb - nm;
    p->each = each;
    return true;
}
