/* gen/data/index.h - gather and scatter: the roles of dims, and the offsets that chunks of indices give. */
#ifndef TUTTI_GEN_INDEX_H
#define TUTTI_GEN_INDEX_H

#include "move.h"

typedef struct {
    int nbatch, nwindow;
    int window[IR_RANK], result_dim[IR_RANK];            /* window dim i: x's dim; the result's (updates') dim */
    int batch_in[IR_RANK], batch[IR_RANK];  /* batch dim i: the indices' dim; the result's (updates') dim */
    int64_t vector;                                      /* step of indices along index_vector_dim */
    ir_dims map, batching_x, batching_in;  /* x's dims whose starts the indices give; paired batching dims */
} index_plan;

/* A walk over the batch dims of `box` (a gather's result, a scatter's updates), in chunks of box's row-major order. `x`
 * is the indexed tensor, and is complete along its window dims, so a window is either completely inside x's box or not
 * at all. */
enum { INDEX_CHUNK = 256 };
typedef struct {
    const index_plan *p;
    const ir_box *indices, *x, *box;
    int64_t most[IR_RANK];                               /* of map dim k: the last start whose window is inside x */
    bool clamp;  /* starts out of range: clamped; else their windows are absent */
    bool reports_out;                                    /* `out` marks the starts out of x's range */
    int ndim, dim[IR_RANK]; /* batch dims of more than one index; the last is the inner loop */
    int64_t i[IR_RANK];                                  /* of each batch dim, global: where the next chunk begins */
    int64_t base;                                        /* from x->at to start 0 of every dim, for box's origin */
    int64_t n, at[INDEX_CHUNK], to[INDEX_CHUNK];  /* the chunk: offsets from x->at and from box->at, in elements */
    int64_t index[INDEX_CHUNK];                          /* of each entry of `out`, the last index out of range */
    bool there[INDEX_CHUNK], out[INDEX_CHUNK], absent, done;
} index_walk;
/* True if x's box is complete along window dims */
bool index_full(const index_plan *, const ir_box *x, const ir_type *of);
void index_begin(index_walk *, const index_plan *, const ir_box *indices, const ir_box *x, const ir_box *box);
/* n indices of a box, from element `at` on; u64 saturates */
void index_load(int64_t *, const ir_box *, int64_t at, int64_t step, int64_t n);
bool index_next(index_walk *);                           /* the next chunk; false: there is none */

#endif
