/* op/index/scatter_common.h - what scatter and scatter_together share: where windows are, and whether sizes go together
 * (scatter_common.c). */
#ifndef TUTTI_OP_SCATTER_H
#define TUTTI_OP_SCATTER_H

#include "../op.h"

/* Where things are, from attributes and types. */
typedef struct {
    int rank, nbatch, nwindow;                /* of x; batch dims and window dims of updates */
    int window[IR_RANK];                      /* update window dim i walks x's dim window[i] */
    int batch_up[IR_RANK], batch_in[IR_RANK]; /* batch dim i: where in updates, where in indices */
} op_scatter_plan;

op_scatter_plan op_scatter_plan_of(const op_scatter_attr *, const ir_type *x, const ir_type *indices);
/* of x's dim d; 1 for those that updates do not have */
int64_t op_scatter_window(const op_scatter_attr *, const op_scatter_plan *, const ir_type *updates, int d);
bool op_scatter_check(const ir_eqn *, const ir_type *x, const ir_type *indices, const ir_type *updates);
/* Where the update at i goes, j; false: it is dropped, its window is not inside x. */
bool op_scatter_target(const ir_eqn *, const op_scatter_plan *, const ir_type *x, const ir_type *updates,
                       const ir_box *indices, const int64_t *i, int64_t *j);
/* The attributes of a scatter of which each operand has a new leading dim; indices: they do too. */
op_scatter_attr op_scatter_batched(ir_build *, const op_scatter_attr *, bool indices);

#endif
