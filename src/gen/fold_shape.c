/* gen/fold_shape.c - how the elements of a reduction lie in its boxes: dims are kept or folded; neighbours that lie in
 * memory as one are one axis. If the fastest axis is kept, the results are columns. */
#include "fold_shape.h"

enum { GRAIN = 1 << 16 };                                /* elements of a task */

static void add(fold_axes *a, int64_t size, int64_t x, int64_t x2, int64_t y, int64_t y2)
{
    if (size == 1) return;
    const bool joins = a->n && a->at[a->n - 1].x == x * size && a->at[a->n - 1].x2 == x2 * size &&
                       a->at[a->n - 1].y == y * size && a->at[a->n - 1].y2 == y2 * size;
    if (!joins) a->at[a->n++].size = 1;
    a->at[a->n - 1].size *= size;
    a->at[a->n - 1].x = x, a->at[a->n - 1].x2 = x2, a->at[a->n - 1].y = y, a->at[a->n - 1].y2 = y2;
}

static int64_t total(const fold_axes *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->n; i++) n *= a->at[i].size;
    return n;
}

fold_shape fold_measure(const fold_eqn *f, const ir_box *arg)
{
    const op_reduce_attr *a = IR_ATTR(f->e, op_reduce_attr);
    const int n = (int)f->e->nin / 2;
    const ir_box *x = &arg[0], *x2 = n > 1 ? &arg[1] : x, *y = &arg[2 * n], *y2 = n > 1 ? y + 1 : y;
    fold_shape s = { .results = 1, .elements = 1, .whole = f->whole, .tree = f->tree,
                     .exact = !f->op || f->op->exact };
    for (int d = 0, o = 0; d < x->rank; d++) {
        if (op_dims_has(a->dimensions, d)) add(&s.folded, x->n[d], x->step[d], x2->step[d], 0, 0);
        else add(&s.kept, y->n[o], x->step[d], x2->step[d], y->step[o], y2->step[o]), o++;
    }
    s.results = total(&s.kept);
    s.elements = total(&s.folded);
    const int last = s.kept.n - 1;
    if (s.kept.n && s.kept.at[last].x == 1 && s.kept.at[last].x2 == 1 && s.kept.at[last].size >= FOLD_COLUMNED) {
        s.columns = s.kept.at[last].size;
        s.blocks = (s.columns + FOLD_COLUMNS - 1) / FOLD_COLUMNS;
    }
    return s;
}

int64_t fold_begin(const fold_eqn *f, const ir_box *x, const ir_box *y)
{
    int64_t at = 0;
    for (int d = 0, o = 0; d < x->rank; d++) {
        if (op_dims_has(IR_ATTR(f->e, op_reduce_attr)->dimensions, d)) continue;
        at += (y->lo[o] - x->lo[d]) * x->step[d], o++;
    }
    return at;
}

fold_offsets fold_offset(const fold_axes *a, int count, int64_t i)
{
    fold_offsets o = { 0 };
    for (int d = count - 1; d >= 0; i /= a->at[d].size, d--) {
        const int64_t k = i % a->at[d].size;
        o.x += k * a->at[d].x, o.x2 += k * a->at[d].x2, o.y += k * a->at[d].y, o.y2 += k * a->at[d].y2;
    }
    return o;
}

int64_t fold_tasks(const fold_shape *s)
{
    const double work = (double)s->results * (double)s->elements / GRAIN;
    return work > 64 ? 64 : work < 1 ? 1 : (int64_t)work;
}

int64_t fold_units(const fold_shape *s)
{
    return s->columns ? s->results / s->columns * s->blocks : s->results;
}
