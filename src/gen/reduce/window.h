/* gen/reduce/window.h - shared by window.c, reduce_window.c and pool.c: the walk over windows, and kernels for the
 * engine's table. */
#ifndef TUTTI_GEN_WINDOW_H
#define TUTTI_GEN_WINDOW_H

#include "reduce.h"

enum { WINDOW_LINE = 256 };                              /* places of a line at once */
typedef struct {
    const ir_eqn *e;
    mesh_reduce reduce;                                  /* reduce_window */
    op_cmp keep; /* selections: the selected element stays if it `keep` the next */
    int prefix;  /* the window is the full dim: 1 + dim, < 0 from the end; or 0 */
    bool fixed;                                          /* the order of sums is the same for all boxes */
    _Alignas(8) char identity[8];                        /* of `reduce`, as stored */
} window_kernel;
typedef struct {
    int rank, v;                                         /* v: the dim of the lines */
    op_taps t[IR_RANK];
    int64_t size[IR_RANK];                               /* of the full operand */
    int64_t ntap;                                        /* taps except v's */
} window_walk;

window_walk window_walk_of(const ir_eqn *, const ir_box *x);
/* Finds the windows [*lo, *hi) along v, within [a, b), whose tap k reads an element. Returns false if there are none.
 * There must be no base dilation. */
bool    window_reach(const op_taps *, int64_t size, int64_t k, int64_t a, int64_t b, int64_t *lo, int64_t *hi);
/* Positions of all dims but v of box y: their number; position `at` as indices i (returns the position's offset in y);
 * the step to the next position. */
int64_t window_positions(const window_walk *, const ir_box *y);
int64_t window_position(const window_walk *, const ir_box *y, int64_t at, int64_t *i);
void    window_next(const window_walk *, const ir_box *y, int64_t *i, int64_t *to);
int64_t window_parts(const window_walk *, const ir_box *y, int64_t most);        /* number of tasks */

run_code window_run, window_point;                       /* reduce_window; point: of rank 0 */
int64_t window_tiles(const void *, const ir_box *), window_scratch(const void *, const ir_box *);
run_code window_gather_run, window_scatter_run;
int64_t window_gather_tiles(const void *, const ir_box *), window_gather_scratch(const void *, const ir_box *);
int64_t window_scatter_tiles(const void *, const ir_box *), window_scatter_scratch(const void *, const ir_box *);

#endif
