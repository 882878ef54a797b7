/* op/index/scatter_common.h - shared by scatter and scatter_together: positions of windows, and checks of sizes
 * (scatter_common.c). */
#ifndef TUTTI_OP_SCATTER_H
#define TUTTI_OP_SCATTER_H

#include "../build.h"

/* Positions of dims, from attributes and types. */
typedef struct {
    int rank, nbatch, nwindow;                /* rank of x; numbers of batch dims and window dims of updates */
    int window[IR_RANK];                      /* update window dim i runs along x's dim window[i] */
    int batch_up[IR_RANK], batch_in[IR_RANK]; /* batch dim i: its position in updates, in indices */
} op_scatter_plan;

op_scatter_plan op_scatter_plan_of(const op_scatter_attr *, const ir_type *x, const ir_type *indices);
/* window size along x's dim d; 1 for dims that updates do not have */
int64_t op_scatter_window(const op_scatter_attr *, const op_scatter_plan *, const ir_type *updates, int d);
bool op_scatter_check(const ir_eqn *, const ir_type *x, const ir_type *indices, const ir_type *updates);
/* Computes the position j of the update at i. Returns false if the update is dropped, because its window is not inside
 * x. */
bool op_scatter_target(const ir_eqn *, const op_scatter_plan *, const ir_type *x, const ir_type *updates,
                       const ir_box *indices, const int64_t *i, int64_t *j);
/* The attributes of a scatter whose operands x and updates have a new leading dim. indices: the indices have the new
 * dim too. */
op_scatter_attr op_scatter_batched(ir_build *, const op_scatter_attr *, bool indices);

#endif
