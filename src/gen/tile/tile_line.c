/* gen/tile/tile_line.c - the line along which a tile program walks its result box, and the views of its operands along
 * that line.
 *
 * Elements are walked in row-major order; dims that every view passes in step are merged. The line depends on extents
 * and strides only, not on addresses, so a bound plan computes it once per instance (run_kernel.prepare). */
#include "tile.h"

static int64_t step_of(const gen_tile_code *c, const ir_box *arg, int v, int d) /* view v: reads, then results */
{
    if (v >= c->nread) return arg[c->nin + v - c->nread].step[d];
    const gen_read *r = &c->read[v];
    if (r->in < 0) return r->step[d];
    return r->dim[d] >= 0 ? arg[r->in].step[(int)r->dim[d]] : 0;
}

int64_t gen_tile_offset(const gen_read *r, const ir_box *x, const ir_box *y)
{
    int64_t at = 0;
    for (int d = 0; d < y->rank; d++) {
        const int k = r->dim[d];
        if (k >= 0) at += (y->lo[d] - x->lo[k]) * x->step[k];
    }
    if (r->element) at += (r->element - 1 - x->lo[x->rank - 1]) * x->step[x->rank - 1];
    return at * (int64_t)ir_dtype_of(x->dtype)->bytes;
}

int64_t gen_tile_first(const gen_read *r, const ir_box *y)
{
    int64_t first = 0;
    for (int d = 0; d < y->rank; d++) first += y->lo[d] * r->step[d];
    return first;
}

/* Merges dims from the last: dim d joins the dim after it if every view passes from one to the other in step. */
static void merge_dims(const gen_tile_code *c, const ir_box *arg, gen_line *l)
{
    const ir_box *y = &arg[c->nin];
    const int views = c->nread + c->nout;
    int64_t n[IR_RANK];
    int from[IR_RANK], rank = 0; /* last dim first; the inner of merged dims gives the strides */
    l->total = 1;
    for (int d = 0; d < y->rank; d++) l->total *= y->n[d];
    for (int d = y->rank - 1; d >= 0; d--) {
        if (y->n[d] == 1) continue;
        bool joins = rank > 0;
        for (int v = 0; v < views && joins; v++)
            joins = step_of(c, arg, v, d) == step_of(c, arg, v, from[rank - 1]) * n[rank - 1];
        if (joins) n[rank - 1] *= y->n[d];
        else n[rank] = y->n[d], from[rank++] = d;
    }
    l->rank = rank;
    for (int d = 0; d < rank; d++) l->n[d] = n[rank - 1 - d];
    for (int v = 0; v < views; v++) {
        gen_view *w = &l->view[v];
        for (int d = 0; d < rank; d++) w->step[d] = step_of(c, arg, v, from[rank - 1 - d]);
        w->even = true;
        for (int d = rank - 2; d >= 0; d--) w->even &= w->step[d] == w->step[d + 1] * l->n[d + 1];
        w->dense = rank == 0 || (w->even && w->step[rank - 1] == 1);
    }
}

static bool is_few(const gen_tile_code *c, const gen_line *l)
{
    if (l->total <= 1 || l->total >= GEN_GRAIN) return false;
    for (int v = 0; v < c->nread + c->nout; v++)
        if (!l->view[v].dense && (v >= c->nread || !c->read[v].uniform)) return false;
    return true;
}

int64_t gen_tile_line(const void *code, const ir_box *arg, void *buffer)
{
    const gen_tile_code *c = code;
    if (!buffer) return gen_line_bytes(c);
    gen_line *l = buffer;
    const ir_box *y = &arg[c->nin];
    merge_dims(c, arg, l);
    for (int v = 0; v < c->nread; v++) {
        const gen_read *r = &c->read[v];
        gen_view *w = &l->view[v];
        w->first = w->offset = 0;
        if (r->in < 0) w->first = gen_tile_first(r, y), w->size = r->narrow ? 4 : 8, w->dense = false;
        else w->offset = gen_tile_offset(r, &arg[r->in], y), w->size = (int)ir_dtype_of(arg[r->in].dtype)->bytes;
    }
    for (int j = 0; j < c->nout; j++) {
        gen_view *w = &l->view[c->nread + j];
        w->first = w->offset = 0;
        w->size = (int)ir_dtype_of(arg[c->nin + j].dtype)->bytes;
    }
    l->few = is_few(c, l);
    return gen_line_bytes(c);
}
