/* gen/region/region_scatter.c - scatter by a region of its own, or with window dims before the other dims of updates:
 * elements of updates in row-major order, as a stream (region_stream.c).
 *
 * As in the reference, a window that is not inside x is dropped, and if another part of a sharded scatter contributes
 * x, elements start from the monoid's identity. Workers divide the result's box among them; each worker reads all
 * indices. */
#include "region.h"
#include "../../op/ops.h"

#include <string.h>

#include "../copy.h"

enum { GRAIN = 1 << 16 };                                /* elements of a task */
typedef struct { const ir_eqn *e; region_code *r; } scatter;

/* The places to which the dims of updates are written. */
typedef struct {
    int rank;                                            /* of updates */
    int x[IR_RANK];                                      /* updates' dim d: x's dim, or -1: a batch dim */
    int in[IR_RANK];                                     /* of a batch dim: the dim of indices */
    int64_t most[IR_RANK];                               /* x's dim d: the last start of a window */
    int64_t vector;                                      /* step of indices along index_vector_dim */
    bool last;                                           /* the last dim of updates is a window dim */
} places;

static places places_of(const ir_eqn *e, const ir_box *x)
{
    const op_scatter_attr *a = IR_ATTR(e, op_scatter_attr);
    places p = { .rank = x[2].rank };
    int in = 0, window = 0;
    for (int d = 0; d < x[0].rank; d++) p.most[d] = IR_IN(e, 0)->dim[d] - 1;
    for (int d = 0; d < p.rank; d++) {
        if (op_dims_has(a->update_window_dims, d)) {
            while (op_dims_has(a->inserted_window_dims, window) || op_dims_has(a->input_batching_dims, window))
                window++;
            p.most[window] = IR_IN(e, 0)->dim[window] - IR_IN(e, 2)->dim[d];
            p.x[d] = window++;
        } else {
            in += in == a->index_vector_dim;
            p.x[d] = -1, p.in[d] = in++;
        }
    }
    p.vector = a->index_vector_dim < x[1].rank ? x[1].step[a->index_vector_dim] : 0;
    p.last = p.rank && p.x[p.rank - 1] >= 0;
    return p;
}

/* Computes the start in x of the update at i, of which only the batch dims matter. Returns false if the update is
 * dropped. */
static bool start_of(const ir_eqn *e, const places *p, const ir_box *indices, const int64_t *i, int64_t *j)
{
    const op_scatter_attr *a = IR_ATTR(e, op_scatter_attr);
    const int64_t size = (int64_t)ir_dtype_of(indices->dtype)->bytes;
    int64_t at = 0;
    bool inside = true;
    ir_box one = { .dtype = indices->dtype };
    memset(j, 0, IR_RANK * sizeof *j);
    for (int d = 0; d < p->rank; d++) {
        if (p->x[d] >= 0) continue;
        at += (i[d] - indices->lo[p->in[d]]) * indices->step[p->in[d]];
        for (int k = 0; k < a->input_batching_dims.n; k++)
            if (a->scatter_indices_batching_dims.v[k] == p->in[d]) j[a->input_batching_dims.v[k]] = i[d];
    }
    for (int k = 0; k < a->scatter_dims_to_operand_dims.n; k++) {
        const int64_t d = a->scatter_dims_to_operand_dims.v[k];
        one.at = (char *)indices->at + (at + k * p->vector) * size;
        j[d] = op_load_index(&one, NULL);
        inside &= j[d] >= 0 && j[d] <= p->most[d];
    }
    return inside;
}

/* Pushes the line of updates from i on along the last dim if that is a window dim, else one element. */
static void region_scatter_line(const places *p, const ir_box *u, const ir_box *y, const int64_t *i, const int64_t *j,
    region_stream *s)
{
    int64_t at[IR_RANK], to = 0, from = 0;
    const int l = p->rank - 1, v = p->last ? p->x[l] : -1;
    memcpy(at, j, sizeof at);
    for (int d = 0; d < p->rank; d++) {
        from += (i[d] - u->lo[d]) * u->step[d];
        if (p->x[d] >= 0) at[p->x[d]] += i[d];
    }
    for (int d = 0; d < y->rank; d++) {
        if (d != v && (at[d] < y->lo[d] || at[d] >= y->lo[d] + y->n[d])) return;
        to += (at[d] - y->lo[d]) * y->step[d];
    }
    if (v < 0) {
        region_stream_push(s, to, from);
        return;
    }
    const int64_t skip = at[v] < y->lo[v] ? y->lo[v] - at[v] : 0, left = y->lo[v] + y->n[v] - at[v];
    const int64_t end = left < u->n[l] ? left : u->n[l];
    if (end > skip)
        region_stream_line(s, to + skip * y->step[v], y->step[v], from + skip * u->step[l], u->step[l], end - skip);
}

static void region_scatter_begin(const ir_eqn *e, const places *p, const ir_box *x, const ir_box *y)
{
    const op_scatter_attr *a = IR_ATTR(e, op_scatter_attr);
    const int64_t size = (int64_t)ir_dtype_of(y->dtype)->bytes;
    bool first = true;
    int64_t at = 0, fs[IR_RANK] = { 0 };
    uint64_t nothing[2] = { 0 };
    for (int d = 0; d < p->rank; d++)
        first &= p->x[d] >= 0 || x[2].lo[d] == 0 || op_dims_has(a->scatter_indices_batching_dims, p->in[d]);
    for (int d = 0; d < y->rank && first; d++) fs[d] = x->step[d], at += (y->lo[d] - x->lo[d]) * x->step[d];
    const ir_box one = { .at = nothing, .dtype = y->dtype };
    if (!first) ir_store(&one, NULL, op_identity_num(op_monoid(e->sub[0]), y->dtype));
    const gen_copy c = gen_copy_of(y->rank, y->n, fs, y->step, (size_t)size);
    gen_copy_run(&c, first ? (const char *)x->at + at * size : (const char *)nothing, y->at);
}

static int64_t scatter_tiles(const void *self, const ir_box *arg)
{
    const ir_box *y = &arg[3];
    const int64_t want = ir_box_count(y) / GRAIN, most = y->rank ? y->n[0] : 1;
    (void)self;
    return want < 1 || most < 1 ? 1 : want > 64 ? (most < 64 ? most : 64) : want < most ? want : most;
}

static int64_t scatter_scratch(const void *self, const ir_box *arg)
{
    (void)arg;
    return region_stream_bytes(((const scatter *)self)->r);
}

static void scatter_run(const void *self, const run_job *job)
{
    const scatter *f = self;
    const ir_box *x = job->arg, *u = &x[2];
    const int64_t tiles = scatter_tiles(self, x);
    ir_box y = x[3];
    if (tiles > 1) {
        const int64_t lo = y.n[0] * job->first / tiles, hi = y.n[0] * (job->first + job->count) / tiles;
        y.at = (char *)y.at + lo * y.step[0] * (int64_t)ir_dtype_of(y.dtype)->bytes;
        y.lo[0] += lo, y.n[0] = hi - lo;
    }
    const places p = places_of(f->e, x);
    int64_t i[IR_RANK], j[IR_RANK];
    region_scatter_begin(f->e, &p, x, &y);
    if (!ir_box_count(u) || !ir_box_count(&y)) return;
    region_stream *s = region_stream_begin(f->r, job->scratch, &y, u->at, (double)ir_box_count(u));
    for (int d = 0; d < p.rank; d++) i[d] = u->lo[d];
    bool fresh = true, inside = false;
    for (int d = 0; d >= 0;) {
        if (fresh) inside = start_of(f->e, &p, &x[1], i, j);
        if (inside) region_scatter_line(&p, u, &y, i, j, s);
        fresh = false;
        for (d = p.rank - 1 - p.last; d >= 0; d--) {
            fresh |= p.x[d] < 0;
            if (++i[d] < u->lo[d] + u->n[d]) break;
            i[d] = u->lo[d];
        }
    }
    region_stream_end(s);
}

static const char *scatter_refuses(const ir_eqn *e)
{
    if (ir_is_narrow(IR_IN(e, 1)->dtype)) return "indices of less than 8 bits";
    return region_refuses(e->sub[0]);
}

static bool scatter_make(base_arena *a, const ir_eqn *e, run_kernel *k)
{
    scatter *f = BASE_NEW(a, scatter, 1);
    f->e = e;
    if (!(f->r = region_of(a, e->sub[0]))) return false;
    *k = (run_kernel){ .code = scatter_run, .self = f, .tiles = scatter_tiles, .scratch = scatter_scratch };
    return true;
}

const region_kind region_scatter = { &prim_scatter, scatter_refuses, scatter_make };
