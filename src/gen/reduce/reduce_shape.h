/* gen/reduce/reduce_shape.h - the layout of a reduction's elements, for reduce.c and arg_reduce.c. */
#ifndef TUTTI_GEN_REDUCE_SHAPE_H
#define TUTTI_GEN_REDUCE_SHAPE_H

#include "reduce.h"

/* REDUCE_COLUMNS: columns of a block; fewer than REDUCE_COLUMNED columns are separate results. */
enum { REDUCE_COLUMNS = 128, REDUCE_COLUMNED = 8 };
/* The kernel of an equation. arg: 1 for argmax, -1 for argmin, 0 for reduce. uncut: units are not split. tree: sums are
 * trees. */
typedef struct { const ir_eqn *e; const reduce_ops *op; int arg; bool uncut, tree; } reduce_eqn;
/* Axes, with their steps in operands and results. */
typedef struct { int n; struct { int64_t size, x, x2, y, y2; } at[IR_RANK]; } reduce_axes;
typedef struct {
    reduce_axes kept, reduced;
    int64_t results, elements, columns, blocks;  /* columns > 0: the last kept axis is fastest; blocks of columns */
    bool uncut, tree, exact;                             /* exact: the order of reducing does not matter */
} reduce_shape;
typedef struct { int64_t x, x2, y, y2; } reduce_offsets;

/* arg: x [operands], init, y [results]. The kept dims of x are in y in the same order. */
reduce_shape reduce_measure(const reduce_eqn *, const ir_box *arg);
/* The offset of the operand at the kept index 0 of the result's box: the operand's box may begin before the
 * result's. */
int64_t      reduce_begin(const reduce_eqn *, const ir_box *x, const ir_box *y);
reduce_offsets reduce_offset(const reduce_axes *, int count, int64_t i); /* at index i over the first `count` axes */
int64_t      reduce_units(const reduce_shape *);         /* results, or blocks of columns */
int64_t      reduce_tasks(const reduce_shape *);         /* how many tasks the work is worth */

/* ---- reduce.c: sums of dense rows, one per column ---- */
int64_t      reduce_parts_of(int64_t columns, int64_t rows);     /* number of parts that the rows are split into */
int64_t      reduce_part_at(int64_t rows, int64_t part, int64_t parts);  /* the first row of a part */
/* the tree of 32 lanes, left in the first lane */
void         reduce_join(const reduce_ops *, char *lanes, int64_t width);
/* Merges parts of n accumulators, `bytes` apart, pair by pair into the first part. */
void         reduce_merge_parts(const reduce_ops *, char *acc, int64_t bytes, int64_t parts, int64_t n);

/* ---- arg_reduce.c: argmax and argmin of pairs ---- */
typedef struct {
    void (*across)(void *best, void *where, const void *x, const void *k, int64_t n);    /* n adjacent columns */
    void (*along)(void *best, void *where, const void *x, int64_t xs, const void *k, int64_t ks, int64_t n);
} reduce_pick_ops;
typedef struct { reduce_pick_ops at[4][2][2]; } reduce_pick_isa; /* values f32 f64 i32 i64; indices i32 i64; argmin */
int64_t reduce_pick_tiles(const void *self, const ir_box *arg);
void    reduce_pick_run(const void *self, const run_job *);

#endif
