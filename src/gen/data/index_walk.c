/* gen/data/index_walk.c - offsets of indices, a chunk at a time: each dim's indices are read, checked and multiplied by
 * that dim's step in one loop over the chunk, so that an index costs a few instructions instead of a walk over the
 * plan. */
#include "index.h"

#include <string.h>

bool index_full(const index_plan *p, const ir_box *x, const ir_type *of)
{
    bool whole = true;
    for (int k = 0; k < p->nwindow; k++) whole &= x->lo[p->window[k]] == 0 &&
        x->n[p->window[k]] == of->dim[p->window[k]];
    return whole;
}

static bool is_window(const index_plan *p, int64_t d)
{
    bool is = false;
    for (int k = 0; k < p->nwindow; k++) is |= p->window[k] == d;
    return is;
}

void index_begin(index_walk *w, const index_plan *p, const ir_box *indices, const ir_box *x, const ir_box *box)
{
    w->p = p, w->indices = indices, w->x = x, w->box = box;
    w->ndim = 0, w->base = 0, w->done = false;
    for (int b = 0; b < p->nbatch; b++) {
        w->i[b] = box->lo[p->batch[b]];
        w->done |= box->n[p->batch[b]] == 0;
        if (box->n[p->batch[b]] > 1) w->dim[w->ndim++] = b;
    }
    for (int k = 0; k < p->nwindow; k++) w->base += box->lo[p->result_dim[k]] * x->step[p->window[k]];
    for (int d = 0; d < x->rank; d++) if (!is_window(p, d)) w->base -= x->lo[d] * x->step[d];
    w->absent = false;  /* true: element 0 of a dim without starts is outside x's box */
    for (int d = 0; d < x->rank; d++)
        w->absent |= !is_window(p, d) && !op_dims_has(p->map, d) && !op_dims_has(p->batching_x, d) &&
                     (x->lo[d] > 0 || x->n[d] == 0);
}

#define LOAD(T) for (int64_t t = 0; t < n; t++) v[t] = (int64_t)((const T *)from)[t * step]
void index_load(int64_t *v, const ir_box *b, int64_t at, int64_t step, int64_t n)
{
    const void *const from = (const char *)b->at + at * (int64_t)ir_dtype_of(b->dtype)->bytes;
    switch ((int)b->dtype) {
    case TT_I8:  LOAD(int8_t); break;
    case TT_I16: LOAD(int16_t); break;
    case TT_I32: LOAD(int32_t); break;
    case TT_I64: LOAD(int64_t); break;
    case TT_U8:  LOAD(uint8_t); break;
    case TT_U16: LOAD(uint16_t); break;
    case TT_U32: LOAD(uint32_t); break;
    default:                                             /* u64 saturates */
        for (int64_t t = 0; t < n; t++) {
            const uint64_t u = ((const uint64_t *)from)[t * step];
            v[t] = u > INT64_MAX ? INT64_MAX : (int64_t)u;
        }
    }
}

/* Adds start v[t] of x's dim d. A dim without a window may be split (`cut`): then other parts contribute the elements
 * outside the box. */
static void point(index_walk *w, int d, const int64_t *v, int64_t most, bool clamp, bool cut)
{
    const int64_t step = w->x->step[d], lo = cut ? w->x->lo[d] : 0, end = cut ? lo + w->x->n[d] : most + 1;
    for (int64_t t = 0; t < w->n; t++) {
        int64_t j = v[t];
        if (clamp) j = j < 0 ? 0 : j > most ? most : j;
        const bool in = j >= 0 && j <= most && j >= lo && j < end;
        w->there[t] &= in;
        w->at[t] += in ? j * step : 0;
    }
    for (int64_t t = 0; w->reports_out && t < w->n; t++)
        if (v[t] < 0 || v[t] > most) w->out[t] = true, w->index[t] = v[t];
}

/* Advances past the chunk: the inner dim by n, the outer ones as digits. */
static void step_on(index_walk *w)
{
    const index_plan *p = w->p;
    int k = w->ndim - 1;
    if (k < 0) w->done = true;
    for (int64_t by = w->n; k >= 0; k--, by = 1) {
        const int b = w->dim[k], o = p->batch[b];
        w->i[b] += by;
        if (w->i[b] < w->box->lo[o] + w->box->n[o]) return;
        w->i[b] = w->box->lo[o];
        w->done = k == 0;
    }
}

bool index_next(index_walk *w)
{
    const index_plan *p = w->p;
    const int inner = w->ndim ? w->dim[w->ndim - 1] : -1;
    int64_t v[INDEX_CHUNK], from = 0, to = 0, along = 0, to_along = 0;
    if (w->done) return false;
    w->n = 1;
    if (inner >= 0) {
        const int o = p->batch[inner];
        const int64_t left = w->box->lo[o] + w->box->n[o] - w->i[inner];
        w->n = left < INDEX_CHUNK ? left : INDEX_CHUNK;
        along = w->indices->step[p->batch_in[inner]], to_along = w->box->step[o];
    }
    for (int b = 0; b < p->nbatch; b++) {
        from += (w->i[b] - w->indices->lo[p->batch_in[b]]) * w->indices->step[p->batch_in[b]];
        to += (w->i[b] - w->box->lo[p->batch[b]]) * w->box->step[p->batch[b]];
    }
    for (int64_t t = 0; t < w->n; t++) w->at[t] = w->base, w->to[t] = to + t * to_along, w->there[t] = !w->absent;
    memset(w->out, 0, sizeof w->out);
    for (int k = 0; k < p->map.n; k++) {
        const int d = (int)p->map.v[k];
        index_load(v, w->indices, from + k * p->vector, along, w->n);
        point(w, d, v, w->most[k], w->clamp, !is_window(p, d));
    }
    for (int k = 0; k < p->batching_x.n; k++)
        for (int b = 0; b < p->nbatch; b++) {
            if (p->batch_in[b] != p->batching_in.v[k]) continue;
            for (int64_t t = 0; t < w->n; t++) v[t] = w->i[b] + (b == inner ? t : 0);
            point(w, (int)p->batching_x.v[k], v, INT64_MAX - 1, false, true);
        }
    step_on(w);
    return true;
}
