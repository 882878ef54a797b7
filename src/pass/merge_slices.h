/* pass/merge_slices.h - between merge_slices.c and merge_slices_sums.c: families, equations that do the same to parts
 * of a batch. */
#ifndef TUTTI_PASS_BATCHES_H
#define TUTTI_PASS_BATCHES_H

#include "inner.h"

enum { MERGE_MOST = 64 };                                /* parts of a batch, terms of a sum */

/* Results of equations k are parts [lo[i], lo[i + 1]) of one along `dim`, in order; y: that one, once it is made. */
typedef struct { uint32_t n, k[MERGE_MOST]; int dim; int64_t lo[MERGE_MOST + 1], most; ir_id y; } merge_family;
typedef struct { ir_id of; const ir_eqn *cast; int dim; int64_t lo, hi; } merge_part;    /* a slice, cast or not */
typedef struct {
    base_arena *a; const ir_fn *f; ir_build *b;
    const ir_eqn **def; uint32_t *uses; ir_id *map;      /* [value] */
    bool *inner, *free;                                  /* [value]: an addend of another sum alone; of no family */
    merge_family **of;                                   /* [equation] */
    bool *done;                                          /* [equation]: it is in the new function */
} merge_state;

/* merge_slices.c */
bool  merge_part_of(const merge_state *, ir_id v, merge_part *);
/* Are these values all parts of one, side by side along *dim (-1: any), in order? */
bool  merge_whole(const merge_state *, uint32_t n, const ir_id *v, int *dim);
ir_id merge_want(merge_state *, ir_id v);                /* v in the new function; 0: an error is set */
ir_id merge_want_whole(merge_state *, uint32_t n, const ir_id *v); /* that one, of merge_whole */
ir_id merge_joined(merge_state *, uint32_t n, const ir_id *v, int dim);  /* copied, one behind the other along dim */

/* merge_slices_sums.c: a sum of contractions or reductions of parts as those of the whole. */
bool  merge_is_sum(const merge_state *, const ir_eqn *);
ir_id merge_sum(merge_state *, const ir_eqn *);          /* 0: an error is set */
bool  merge_adds(const ir_eqn *);                        /* of floats, 32 bits or more */

#endif
