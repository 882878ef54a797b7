/* gen/reduce/reduce_shape.c - the layout of a reduction's elements in its boxes: dims are kept or reduced; neighbouring
 * dims that are contiguous in memory are merged into one axis. If the fastest axis is kept, the results are columns. */
#include "reduce_shape.h"

enum { GRAIN = 1 << 16 };                                /* elements of a task */

static void reduce_shape_add(reduce_axes *a, int64_t size, int64_t x, int64_t x2, int64_t y, int64_t y2)
{
    if (size == 1) return;
    const bool joins = a->n && a->at[a->n - 1].x == x * size && a->at[a->n - 1].x2 == x2 * size &&
                       a->at[a->n - 1].y == y * size && a->at[a->n - 1].y2 == y2 * size;
    if (!joins) a->at[a->n++].size = 1;
    a->at[a->n - 1].size *= size;
    a->at[a->n - 1].x = x, a->at[a->n - 1].x2 = x2, a->at[a->n - 1].y = y, a->at[a->n - 1].y2 = y2;
}

static int64_t total(const reduce_axes *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->n; i++) n *= a->at[i].size;
    return n;
}

reduce_shape reduce_measure(const reduce_eqn *f, const ir_box *arg)
{
    const op_reduce_attr *a = IR_ATTR(f->e, op_reduce_attr);
    const int n = (int)f->e->nin / 2;
    const ir_box *x = &arg[0], *x2 = n > 1 ? &arg[1] : x, *y = &arg[2 * n], *y2 = n > 1 ? y + 1 : y;
    reduce_shape s = { .results = 1, .elements = 1, .uncut = f->uncut, .tree = f->tree,
                     .exact = !f->op || f->op->exact };
    for (int d = 0, o = 0; d < x->rank; d++) {
        if (op_dims_has(a->dimensions, d)) reduce_shape_add(&s.reduced, x->n[d], x->step[d], x2->step[d], 0, 0);
        else reduce_shape_add(&s.kept, y->n[o], x->step[d], x2->step[d], y->step[o], y2->step[o]), o++;
    }
    s.results = total(&s.kept);
    s.elements = total(&s.reduced);
    const int last = s.kept.n - 1;
    if (s.kept.n && s.kept.at[last].x == 1 && s.kept.at[last].x2 == 1 && s.kept.at[last].size >= REDUCE_COLUMNED) {
        s.columns = s.kept.at[last].size;
        s.blocks = (s.columns + REDUCE_COLUMNS - 1) / REDUCE_COLUMNS;
    }
    return s;
}

int64_t reduce_begin(const reduce_eqn *f, const ir_box *x, const ir_box *y)
{
    int64_t at = 0;
    for (int d = 0, o = 0; d < x->rank; d++) {
        if (op_dims_has(IR_ATTR(f->e, op_reduce_attr)->dimensions, d)) continue;
        at += (y->lo[o] - x->lo[d]) * x->step[d], o++;
    }
    return at;
}

reduce_offsets reduce_offset(const reduce_axes *a, int count, int64_t i)
{
    reduce_offsets o = { 0 };
    for (int d = count - 1; d >= 0; i /= a->at[d].size, d--) {
        const int64_t k = i % a->at[d].size;
        o.x += k * a->at[d].x, o.x2 += k * a->at[d].x2, o.y += k * a->at[d].y, o.y2 += k * a->at[d].y2;
    }
    return o;
}

int64_t reduce_tasks(const reduce_shape *s)
{
    const double work = (double)s->results * (double)s->elements / GRAIN;
    return work > 64 ? 64 : work < 1 ? 1 : (int64_t)work;
}

int64_t reduce_units(const reduce_shape *s)
{
    return s->columns ? s->results / s->columns * s->blocks : s->results;
}
