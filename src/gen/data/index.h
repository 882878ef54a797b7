/* gen/data/index.h - gather and scatter: which dims are what, and where chunks of indices point. */
#ifndef TUTTI_GEN_INDEX_H
#define TUTTI_GEN_INDEX_H

#include "move.h"

typedef struct {
    int nbatch, nwindow;
    int window[IR_RANK], result_dim[IR_RANK];            /* window dim i: x's dim; the result's (updates') dim */
    int batch_in[IR_RANK], batch[IR_RANK];               /* batch dim i: of indices; of the result (updates) */
    int64_t vector;                                      /* step of indices along index_vector_dim */
    ir_dims map, batching_x, batching_in;                /* x's dims that indices start; paired batching dims */
} index_plan;

/* The walk over batch dims of `box` (a gather's result, a scatter's updates), in chunks of its row-major order. Here
 * `x` is what indices point into, whole along its window dims: then a window is in x's box altogether or not at all. */
enum { INDEX_CHUNK = 256 };
typedef struct {
    const index_plan *p;
    const ir_box *indices, *x, *box;
    int64_t most[IR_RANK];                               /* of map dim k: the last start whose window is in x */
    bool clamp;                                          /* starts outside: clamped; else their windows are not there */
    bool reports_out;                                    /* `out` says which of those are outside x altogether */
    int ndim, dim[IR_RANK]; /* batch dims of more than one index; the last is walked inside */
    int64_t i[IR_RANK];                                  /* of each batch dim, global: where the next chunk begins */
    int64_t base;   /* from x->at to what start 0 of every dim has for box's origin */
    int64_t n, at[INDEX_CHUNK], to[INDEX_CHUNK];         /* the chunk: from x->at, from box->at, in elements */
    int64_t index[INDEX_CHUNK];                          /* of those, the last one */
    bool there[INDEX_CHUNK], out[INDEX_CHUNK], absent, done;
} index_walk;
bool index_whole(const index_plan *, const ir_box *x, const ir_type *of);    /* x's box, along window dims */
void index_begin(index_walk *, const index_plan *, const ir_box *indices, const ir_box *x, const ir_box *box);
/* n indices of a box, from element `at` on; u64 saturates */
void index_load(int64_t *, const ir_box *, int64_t at, int64_t step, int64_t n);
bool index_next(index_walk *);                           /* the next chunk; false: there is none */

#endif
