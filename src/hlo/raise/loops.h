/* hlo/raise/loops.h - shared by count.c and loops.c: the state of one while loop that may have a constant number of
 * iterations. */
#ifndef TUTTI_HLO_LOOPS_H
#define TUTTI_HLO_LOOPS_H

#include "../hlo.h"

typedef struct {
    /* the build that contains the loop; in: the loop's operands there */
    ir_build *outer;
    const ir_id *in;
    ir_fn *cond, *body;
    ir_id counter;                                       /* the carry, as a parameter */
    int64_t start, step, n; /* the counter at iteration k is start + k step; n iterations */
} hlo_loop;
typedef struct { int64_t times, plus; } hlo_affine;      /* times * counter + plus */

bool hlo_loop_counted(hlo_loop *);
bool hlo_loop_affine(const hlo_loop *, ir_id of_body, hlo_affine *);
bool hlo_affine_at(const hlo_loop *, const hlo_affine *, int64_t iteration, int64_t *);       /* false: beyond int64 */

#endif
