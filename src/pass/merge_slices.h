/* pass/merge_slices.h - shared by merge_slices.c and merge_slices_sums.c: families of equations that compute the same
 * function of different slices of a batch. */
#ifndef TUTTI_PASS_MERGE_SLICES_H
#define TUTTI_PASS_MERGE_SLICES_H

#include "inner.h"

enum { MERGE_MOST = 64 };                                /* most slices of a batch, most terms of a sum */

/* A family: the result of equation k[i] is slice [lo[i], lo[i + 1]) along `dim` of one merged result. most: greatest
 * bytes of all results; y: the merged result, 0 until it is emitted. */
typedef struct { uint32_t n, k[MERGE_MOST]; int dim; int64_t lo[MERGE_MOST + 1], most; ir_id y; } merge_family;
typedef struct { ir_id of; const ir_eqn *cast; int dim; int64_t lo, hi; } merge_part;    /* a slice, cast or NULL */
typedef struct {
    base_arena *a; const ir_fn *f; ir_build *b;
    const ir_eqn **def; uint32_t *uses; ir_id *map;      /* [value] */
    bool *inner, *free;                                  /* [value]: read by one addition only; independent of
                                                            all families */
    merge_family **of;                                   /* [equation] */
    bool *done;                                          /* [equation]: emitted into the new function */
} merge_state;

/* merge_slices.c */
bool  merge_part_of(const merge_state *, ir_id v, merge_part *);
/* True if the values are adjacent slices of one value, or all members of one family, in order along *dim (-1: any; set
 * on return). */
bool  merge_is_all(const merge_state *, uint32_t n, const ir_id *v, int *dim);
ir_id merge_value(merge_state *, ir_id v);               /* v in the new function; 0 with the error set */
ir_id merge_value_of_all(merge_state *, uint32_t n, const ir_id *v); /* the merged value, after merge_is_all */
ir_id merge_joined(merge_state *, uint32_t n, const ir_id *v, int dim);  /* concatenated along dim */

/* merge_slices_sums.c: merges a sum of contractions or reductions of slices. */
bool  merge_is_sum(const merge_state *, const ir_eqn *);
ir_id merge_sum(merge_state *, const ir_eqn *);          /* 0 with the error set */
bool  merge_adds(const ir_eqn *);                        /* True if an addition of floats of 32 bits or more */

#endif
