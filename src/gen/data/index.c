/* gen/data/index.c - gather and scatter for move.c: one prepared copy (or line of a monoid) per index.
 *
 * Result dims of a gather, and dims of scattered updates, are batch dims (which index) and window dims (where in the
 * window). A gather's window is clamped (without fill). Elements of a window that leaves x (with fill), or that are
 * outside x's box (x is sharded), are zeros; with nan, a window that leaves x gives NaN. Updates are applied in
 * row-major order of their batch dims; where window dims precede batch dims and the order matters, scatter is
 * refused. */
#include "index.h"

#include <string.h>

#include "../reduce/reduce.h"

static index_plan index_plan_of(ir_dims offset, ir_dims gone, ir_dims batching_x, ir_dims batching_in, ir_dims map,
                    int64_t vector_dim, int rank, const ir_box *indices)
{
    index_plan p = { .map = map, .batching_x = batching_x, .batching_in = batching_in };
    for (int d = 0; d < rank; d++)
        if (!op_dims_has(gone, d) && !op_dims_has(batching_x, d)) p.window[p.nwindow++] = d;
    for (int d = 0; d < indices->rank; d++) if (d != vector_dim) p.batch_in[p.nbatch++] = d;
    for (int d = 0, n = 0, w = 0; d < p.nbatch + p.nwindow; d++)
        if (op_dims_has(offset, d)) p.result_dim[w++] = d;
        else p.batch[n++] = d;
    p.vector = vector_dim < indices->rank ? indices->step[vector_dim] : 0;
    return p;
}

/* Starts in x of batch index i (global, per batch dim): the indices' values, not clamped. */
static void starts(const index_plan *p, const ir_box *indices, const int64_t *i, int64_t *j)
{
    int64_t at = 0;
    memset(j, 0, IR_RANK * sizeof *j);
    for (int k = 0; k < p->nbatch; k++) at += (i[k] - indices->lo[p->batch_in[k]]) * indices->step[p->batch_in[k]];
    for (int k = 0; k < p->map.n; k++)
        index_load(&j[p->map.v[k]], indices, at + k * p->vector, 0, 1);
    for (int k = 0; k < p->batching_x.n; k++)
        for (int b = 0; b < p->nbatch; b++)
            if (p->batch_in[b] == p->batching_in.v[k]) j[p->batching_x.v[k]] = i[b];
}

/* Advances i[] (global) over the batch dims of `box`; false at the end. */
static bool advance(const index_plan *p, const ir_box *box, int64_t *i)
{
    for (int k = p->nbatch - 1; k >= 0; k--) {
        if (++i[k] < box->lo[p->batch[k]] + box->n[p->batch[k]]) return true;
        i[k] = box->lo[p->batch[k]];
    }
    return false;
}

/* ---- gather ---- */

typedef struct { int64_t from, to, n[IR_RANK]; bool any, all; } clip;

/* The part of the window at start j that is inside x's box, with offsets from x and into y, in elements. */
static clip clip_window(const index_plan *p, const int64_t *j, const ir_box *x, const ir_box *y)
{
    clip c = { .any = true, .all = true };
    bool is_window[IR_RANK] = { 0 };
    for (int k = 0; k < p->nwindow; k++) {
        const int d = p->window[k], o = p->result_dim[k];
        const int64_t want = j[d] + y->lo[o], end = want + y->n[o], xe = x->lo[d] + x->n[d];
        const int64_t lo = want > x->lo[d] ? want : x->lo[d], hi = end < xe ? end : xe;
        is_window[d] = true;
        c.n[k] = hi - lo;
        c.any &= hi > lo;
        c.all &= c.n[k] == y->n[o];
        c.from += (lo - x->lo[d]) * x->step[d], c.to += (lo - want) * y->step[o];
    }
    for (int d = 0; d < x->rank; d++) {
        if (is_window[d]) continue;
        c.any &= j[d] >= x->lo[d] && j[d] < x->lo[d] + x->n[d];
        c.from += (j[d] - x->lo[d]) * x->step[d];
    }
    return c;
}

/* One element per index: no prepared copy. */
#define MOVE(T)                                                                                                        \
    for (int64_t t = 0; t < w->n; t++)                                                                                 \
        ((T *)to)[w->to[t]] = w->there[t] ? ((const T *)from)[w->at[t]] : w->out[t] ? *(const T *)none : (T){ 0 }
static void move_elements(const index_walk *w, size_t size, const void *from, const void *none, void *to)
{
    typedef struct { uint64_t v[2]; } wide;
    switch (size) {
    case 1:  MOVE(uint8_t); break;
    case 2:  MOVE(uint16_t); break;
    case 4:  MOVE(uint32_t); break;
    case 8:  MOVE(uint64_t); break;
    default: MOVE(wide);
    }
}

/* Prepared copies of a window of y's box, and of a constant into that window, for many places; none: the element for
 * windows out of range. */
typedef struct { gen_copy whole, clear; int64_t n; _Alignas(16) uint64_t none[2]; } windows;
static windows windows_of(const index_plan *p, const ir_box *x, const ir_box *y, size_t size)
{
    int64_t n[IR_RANK], fs[IR_RANK], ts[IR_RANK], zero[IR_RANK] = { 0 };
    windows w = { .n = 1 };
    for (int k = 0; k < p->nwindow; k++) {
        n[k] = y->n[p->result_dim[k]], fs[k] = x->step[p->window[k]], ts[k] = y->step[p->result_dim[k]];
        w.n *= n[k];
    }
    w.whole = gen_copy_of(p->nwindow, n, fs, ts, size), w.clear = gen_copy_of(p->nwindow, n, zero, ts, size);
    return w;
}

static const uint64_t nothing[2];

static void gather_full(const ir_eqn *e, const index_plan *p, const windows *c, index_walk *w, const ir_box *x,
                         const ir_box *y)
{
    const size_t size = ir_dtype_of(y->dtype)->bytes;
    index_begin(w, p, &x[1], x, y);
    while (index_next(w)) {
        for (int64_t t = 0; IR_ATTR(e, op_gather_attr)->checked && t < w->n; t++)
            if (w->out[t]) {
                op_index_wrong(e, IR_IN(e, 0), p->map.v[0], w->index[t]);
                return;
            }
        if (c->n == 1) {
            move_elements(w, size, x->at, c->none, y->at);
            continue;
        }
        for (int64_t t = 0; t < w->n; t++) {
            char *const to = (char *)y->at + w->to[t] * (int64_t)size;
            if (w->there[t]) gen_copy_run(&c->whole, (const char *)x->at + w->at[t] * (int64_t)size, to);
            else gen_copy_run(&c->clear, w->out[t] ? c->none : nothing, to);
        }
    }
}

/* x split along a dim of windows: each window is clipped by itself. */
static void gather_split(const ir_eqn *e, const index_plan *p, const windows *w, const ir_box *x, const ir_box *y)
{
    const op_gather_attr *a = IR_ATTR(e, op_gather_attr);
    const size_t size = ir_dtype_of(y->dtype)->bytes;
    int64_t i[IR_RANK], j[IR_RANK], fs[IR_RANK], ts[IR_RANK];
    for (int k = 0; k < p->nwindow; k++) fs[k] = x->step[p->window[k]], ts[k] = y->step[p->result_dim[k]];
    for (int k = 0; k < p->nbatch; k++) i[k] = y->lo[p->batch[k]];
    do {
        bool there = true;
        int64_t to = 0;
        starts(p, &x[1], i, j);
        for (int k = 0; k < p->map.n; k++) {
            const int64_t d = p->map.v[k], most = IR_IN(e, 0)->dim[d] - a->slice_sizes.v[d];
            there &= !a->fill || (j[d] >= 0 && j[d] <= most);
            j[d] = j[d] < 0 ? 0 : j[d] > most ? most : j[d];
        }
        for (int k = 0; k < p->nbatch; k++) to += (i[k] - y->lo[p->batch[k]]) * y->step[p->batch[k]];
        const clip c = clip_window(p, j, x, y);
        char *q = (char *)y->at + to * (int64_t)size;
        const char *from = (const char *)x->at + c.from * (int64_t)size;
        if (there && c.any && c.all) {
            gen_copy_run(&w->whole, from, q);
            continue;
        }
        gen_copy_run(&w->clear, there ? nothing : w->none, q);
        if (!there || !c.any) continue;
        const gen_copy part = gen_copy_of(p->nwindow, c.n, fs, ts, size);
        gen_copy_run(&part, from, q + c.to * (int64_t)size);
    } while (advance(p, y, i));
}

void gen_run_gather(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const op_gather_attr *a = IR_ATTR(e, op_gather_attr);
    const index_plan p = index_plan_of(a->offset_dims, a->collapsed_slice_dims, a->operand_batching_dims,
                                       a->start_indices_batching_dims, a->start_index_map, a->index_vector_dim,
                                       x->rank, &x[1]);
    index_walk w = { .clamp = !a->fill, .reports_out = a->nan || a->checked };
    if (!ir_box_count(y)) return;
    windows c = windows_of(&p, x, y, ir_dtype_of(y->dtype)->bytes);
    const ir_box none = { .at = c.none, .dtype = y->dtype };
    ir_store(&none, (const int64_t[]){ 0 }, op_gather_none(a, y->dtype));
    for (int k = 0; k < p.map.n; k++) w.most[k] = IR_IN(e, 0)->dim[p.map.v[k]] - a->slice_sizes.v[p.map.v[k]];
    if (index_full(&p, x, IR_IN(e, 0))) gather_full(e, &p, &c, &w, x, y);
    else gather_split(e, &p, &c, x, y);
}

/* ---- scatter ---- */

static bool sets(const ir_fn *f) { return f->narg == 2 && f->nret == 1 && !f->neqn && f->ret[0] == 2; }

static index_plan scatter_plan(const ir_eqn *e, const ir_box *x)
{
    const op_scatter_attr *a = IR_ATTR(e, op_scatter_attr);
    return index_plan_of(a->update_window_dims, a->inserted_window_dims, a->input_batching_dims,
                         a->scatter_indices_batching_dims, a->scatter_dims_to_operand_dims, a->index_vector_dim,
                             x[0].rank,
                         &x[1]);
}

const char *gen_refuses_gather(const ir_eqn *e)
{
    return ir_is_narrow(IR_IN(e, 1)->dtype) ? "indices of less than 8 bits" : NULL;
}

const char *gen_refuses_scatter(const ir_eqn *e)
{
    const ir_dims up = IR_ATTR(e, op_scatter_attr)->update_window_dims;
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    const tt_dtype dtype = IR_OUT(e, 0)->dtype;
    const reduce_ops *op = reduce == MESH_NONE ? NULL : reduce_here(dtype, reduce);
    if (gen_refuses_gather(e)) return gen_refuses_gather(e);
    bool behind = true;                                  /* windows come after the batch dims, or are one element */
    if (reduce == MESH_NONE ? !sets(e->sub[0]) : !op) return "a combination of its own";
    for (int k = 0; k < up.n; k++) behind &= IR_IN(e, 2)->dim[up.v[k]] == 1 || up.v[k] >= IR_IN(e, 2)->rank - up.n;
    return behind || (op && op->exact && op->acc == ir_dtype_of(dtype)->bytes) ? NULL
                                                                               : "window dims precede the update dims";
}

/* to op= from along a line. 16-bit floats are rounded at each update, as in XLA. */
static void combine_line(const reduce_ops *op, const ir_box *y, char *to, int64_t ts, const char *from, int64_t fs,
                         int64_t n)
{
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    if (!op) gen_copy_line(to, ts, from, fs, n, (size_t)size);
    else if (ts == 1 && fs == 1) op->onto(to, from, n);
    else for (int64_t i = 0; i < n; i++) op->onto(to + i * ts * size, from + i * fs * size, 1);
}

/* Sets y's initial elements: x, or the identity if another part of a sharded scatter contributes x
 * (op/index/scatter.c). */
static void index_scatter_init(const ir_eqn *e, const index_plan *p, const ir_box *x, const ir_box *y)
{
    const size_t size = ir_dtype_of(y->dtype)->bytes;
    bool first = true;
    int64_t at = 0, fs[IR_RANK] = { 0 };
    uint64_t nothing[2] = { 0 };
    for (int k = 0; k < p->nbatch; k++)
        first &= x[2].lo[p->batch[k]] == 0 || op_dims_has(p->batching_in, p->batch_in[k]);
    for (int d = 0; d < y->rank && first; d++) fs[d] = x->step[d], at += (y->lo[d] - x->lo[d]) * x->step[d];
    if (first && (const char *)x->at + at * (int64_t)size == y->at) return;      /* in place */
    const gen_copy c = gen_copy_of(y->rank, y->n, fs, y->step, size);
    const ir_box one = { .at = nothing, .dtype = y->dtype };
    if (!first) ir_store(&one, (const int64_t[]){ 0 }, op_identity_num(op_monoid(e->sub[0]), y->dtype));
    gen_copy_run(&c, first ? (const char *)x->at + at * (int64_t)size : (const char *)nothing, y->at);
}

/* Combines the window of n at offset `up` of u into the window at offset `to` of y. */
static void combine_window(const index_plan *p, const reduce_ops *op, const ir_box *u, int64_t up, const ir_box *y,
                           int64_t to, const int64_t *n)
{
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    int64_t i[IR_RANK] = { 0 };
    const int l = p->nwindow - 1;
    const int64_t us = l < 0 ? 1 : u->step[p->result_dim[l]], ys = l < 0 ? 1 : y->step[p->window[l]],
        len = l < 0 ? 1 : n[l];
    for (int d = 0; d >= 0;) {
        int64_t a = up, b = to;
        for (int k = 0; k < l; k++) a += i[k] * u->step[p->result_dim[k]], b += i[k] * y->step[p->window[k]];
        combine_line(op, y, (char *)y->at + b * size, ys, (const char *)u->at + a * size, us, len);
        for (d = l - 1; d >= 0 && ++i[d] == n[d]; d--) i[d] = 0;
    }
}

/* Combines the window of updates at offset `up` into the window of y that starts at j, clipped to y's box. */
static void update(const index_plan *p, const reduce_ops *op, const ir_box *u, int64_t up, const int64_t *j,
                   const ir_box *y)
{
    bool is_window[IR_RANK] = { 0 };
    int64_t n[IR_RANK], to = 0;
    for (int k = 0; k < p->nwindow; k++) {
        const int d = p->window[k], o = p->result_dim[k];
        const int64_t want = j[d] + u->lo[o], end = want + u->n[o], ye = y->lo[d] + y->n[d];
        const int64_t lo = want > y->lo[d] ? want : y->lo[d], hi = end < ye ? end : ye;
        if (hi <= lo) return;
        is_window[d] = true;
        n[k] = hi - lo;
        up += (lo - want) * u->step[o], to += (lo - y->lo[d]) * y->step[d];
    }
    for (int d = 0; d < y->rank; d++) {
        if (is_window[d]) continue;
        if (j[d] < y->lo[d] || j[d] >= y->lo[d] + y->n[d]) return;
        to += (j[d] - y->lo[d]) * y->step[d];
    }
    combine_window(p, op, u, up, y, to, n);
}

/* One element per index. Sums of the usual types need no call. */
#define EACH(T, HOW)                                                                                                   \
    for (int64_t t = 0; t < w->n; t++) {                                                                               \
        const T v = ((const T *)from)[w->to[t]];                                                                       \
        if (w->there[t]) ((T *)to)[w->at[t]] HOW v;                                                                    \
    }
static void combine_elements(const index_walk *w, const reduce_ops *op, mesh_reduce reduce, const ir_box *u,
    const ir_box *y)
{
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    const void *const from = u->at;
    void *const to = y->at;
    switch (reduce == MESH_SUM ? (int)y->dtype : !op ? -(int)size : 0) {
    case TT_F32: EACH(float, +=) break;
    case TT_F64: EACH(double, +=) break;
    case TT_I32: case TT_U32: EACH(uint32_t, +=) break;
    case -4: EACH(uint32_t, =) break;
    case -8: EACH(uint64_t, =) break;
    default:
        for (int64_t t = 0; t < w->n; t++)
            if (w->there[t])
                combine_line(op, y, (char *)to + w->at[t] * size, 1, (const char *)from + w->to[t] * size, 1, 1);
    }
}

static void scatter_full(const index_plan *p, index_walk *w, const reduce_ops *op, mesh_reduce reduce, const ir_box *x,
                          const ir_box *y)
{
    const ir_box *const u = &x[2];
    int64_t n[IR_RANK], count = 1;
    for (int k = 0; k < p->nwindow; k++) count *= n[k] = u->n[p->result_dim[k]];
    index_begin(w, p, &x[1], y, u);
    while (index_next(w)) {
        if (count == 1) combine_elements(w, op, reduce, u, y);
        else for (int64_t t = 0; t < w->n; t++)
            if (w->there[t]) combine_window(p, op, u, w->to[t], y, w->at[t], n);
    }
}

/* y split along a dim of windows: each window is clipped by itself. */
static void scatter_split(const index_plan *p, const int64_t *most, const reduce_ops *op, const ir_box *x,
                        const ir_box *y)
{
    const ir_box *u = &x[2];
    int64_t i[IR_RANK], j[IR_RANK];
    for (int k = 0; k < p->nbatch; k++) i[k] = u->lo[p->batch[k]];
    do {
        bool inside = true;
        int64_t up = 0;
        starts(p, &x[1], i, j);
        for (int k = 0; k < p->map.n; k++) inside &= j[p->map.v[k]] >= 0 && j[p->map.v[k]] <= most[k];
        for (int k = 0; k < p->nbatch; k++) up += (i[k] - u->lo[p->batch[k]]) * u->step[p->batch[k]];
        if (inside) update(p, op, u, up, j, y);
    } while (advance(p, u, i));
}

void gen_run_scatter(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const index_plan p = scatter_plan(e, x);
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    const reduce_ops *op = reduce == MESH_NONE ? NULL : reduce_here(y->dtype, reduce);
    index_walk w = { .clamp = false };
    index_scatter_init(e, &p, x, y);
    if (!ir_box_count(&x[2]) || !ir_box_count(y)) return;
    for (int k = 0; k < p.map.n; k++) {
        int64_t size = 1;
        for (int i = 0; i < p.nwindow; i++) if (p.window[i] == p.map.v[k]) size = IR_IN(e, 2)->dim[p.result_dim[i]];
        w.most[k] = IR_IN(e, 0)->dim[p.map.v[k]] - size;
    }
    if (index_full(&p, y, IR_OUT(e, 0))) scatter_full(&p, &w, op, reduce, x, y);
    else scatter_split(&p, w.most, op, x, y);
}
