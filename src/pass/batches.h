/* pass/batches.h - between batches.c and batches_sums.c: families, equations that do the same to parts of a batch. */
#ifndef TUTTI_PASS_BATCHES_H
#define TUTTI_PASS_BATCHES_H

#include "inner.h"

enum { BATCHES_MOST = 64 };                              /* parts of a batch, terms of a sum */

/* Results of equations k are parts [lo[i], lo[i + 1]) of one along `dim`, in order; y: that one, once it is made. */
typedef struct { uint32_t n, k[BATCHES_MOST]; int dim; int64_t lo[BATCHES_MOST + 1], most; ir_id y; } batches_family;
typedef struct { ir_id of; const ir_eqn *cast; int dim; int64_t lo, hi; } batches_part;  /* a slice, cast or not */
typedef struct {
    base_arena *a; const ir_fn *f; ir_build *b;
    const ir_eqn **def; uint32_t *uses; ir_id *map;      /* [value] */
    bool *inner, *free;                                  /* [value]: an addend of another sum alone; of no family */
    batches_family **of;                                 /* [equation] */
    bool *done;                                          /* [equation]: it is in the new function */
} batches;

/* batches.c */
bool  batches_part_of(const batches *, ir_id v, batches_part *);
/* Are these values all parts of one, side by side along *dim (-1: any), in order? */
bool  batches_whole(const batches *, uint32_t n, const ir_id *v, int *dim);
ir_id batches_want(batches *, ir_id v);                  /* v in the new function; 0: an error is set */
ir_id batches_want_whole(batches *, uint32_t n, const ir_id *v); /* that one, of batches_whole */
ir_id batches_joined(batches *, uint32_t n, const ir_id *v, int dim);    /* copied, one behind the other along dim */

/* batches_sums.c: a sum of contractions or reductions of parts as those of the whole. */
bool  batches_is_sum(const batches *, const ir_eqn *);
ir_id batches_sum(batches *, const ir_eqn *);            /* 0: an error is set */
bool  batches_adds(const ir_eqn *);                      /* of floats, 32 bits or more */

#endif
