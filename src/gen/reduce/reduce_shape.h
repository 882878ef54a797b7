/* gen/reduce/reduce_shape.h - how the elements of a reduction are: for reduce.c and arg_reduce.c. */
#ifndef TUTTI_GEN_FOLD_SHAPE_H
#define TUTTI_GEN_FOLD_SHAPE_H

#include "reduce.h"

enum { REDUCE_COLUMNS = 128, REDUCE_COLUMNED = 8 };      /* of a block; fewer are results by themselves */
/* The kernel of an equation. pick: argmax 1, argmin -1; whole: units are not split; tree: sums are trees. */
typedef struct { const ir_eqn *e; const reduce_ops *op; int arg; bool uncut, tree; } reduce_eqn;
/* steps: operands, results */
typedef struct { int n; struct { int64_t size, x, x2, y, y2; } at[IR_RANK]; } reduce_axes;
typedef struct {
    reduce_axes kept, reduced;
    int64_t results, elements, columns, blocks;          /* columns: > 0: the last kept axis is fastest; its blocks */
    bool uncut, tree, exact;                             /* exact: the order of folding does not matter */
} reduce_shape;
typedef struct { int64_t x, x2, y, y2; } reduce_offsets;

/* arg: x [operands], init, y [results]; kept dims of x stand in y in the same order. */
reduce_shape reduce_measure(const reduce_eqn *, const ir_box *arg);
int64_t      reduce_begin(const reduce_eqn *, const ir_box *x, const ir_box *y); /* where the operand's kept index 0
                                                            is: its box may begin before the result's */
reduce_offsets reduce_offset(const reduce_axes *, int count, int64_t i); /* of index i over the first `count` axes */
int64_t      reduce_units(const reduce_shape *);         /* results, or blocks of columns */
int64_t      reduce_tasks(const reduce_shape *);         /* how many the work is worth */

/* ---- reduce.c: of dense rows that are added up, one sum per column ---- */
int64_t      reduce_parts_of(int64_t columns, int64_t rows);     /* into how many parts the rows are split */
int64_t      reduce_part_at(int64_t rows, int64_t part, int64_t parts);  /* where one begins */
void         reduce_join(const reduce_ops *, char *lanes, int64_t width); /* the tree of 32 lanes, in the first */
/* Parts of n accumulators, `bytes` from each to the next, pair by pair: in the first. */
void         reduce_merge_parts(const reduce_ops *, char *acc, int64_t bytes, int64_t parts, int64_t n);

/* ---- arg_reduce.c: argmax and argmin of pairs ---- */
typedef struct {
    void (*across)(void *best, void *where, const void *x, const void *k, int64_t n);    /* n columns side by side */
    void (*along)(void *best, void *where, const void *x, int64_t xs, const void *k, int64_t ks, int64_t n);
} reduce_pick_ops;
typedef struct { reduce_pick_ops at[4][2][2]; } reduce_pick_isa; /* values f32 f64 i32 i64; indices i32 i64; argmin */
int64_t reduce_pick_tiles(const void *self, const ir_box *arg);
void    reduce_pick_run(const void *self, const run_job *);

#endif
