/* gen/fold_shape.h - how the elements of a reduction lie: for fold.c and fold_pick.c. */
#ifndef TUTTI_GEN_FOLD_SHAPE_H
#define TUTTI_GEN_FOLD_SHAPE_H

#include "fold.h"

enum { FOLD_COLUMNS = 128, FOLD_COLUMNED = 8 };          /* of a block; fewer are results by themselves */
/* The kernel of an equation. pick: argmax 1, argmin -1; whole: units are not cut; tree: sums are trees. */
typedef struct { const ir_eqn *e; const fold_ops *op; int pick; bool whole, tree; } fold_eqn;
typedef struct { int n; struct { int64_t size, x, x2, y, y2; } at[IR_RANK]; } fold_axes; /* steps: operands, results */
typedef struct {
    fold_axes kept, folded;
    int64_t results, elements, columns, blocks;          /* columns: > 0: the last kept axis is fastest; its blocks */
    bool whole, tree, exact;                             /* exact: the order of folding does not matter */
} fold_shape;
typedef struct { int64_t x, x2, y, y2; } fold_offsets;

/* arg: x [operands], init, y [results]; kept dims of x stand in y in the same order. */
fold_shape   fold_measure(const fold_eqn *, const ir_box *arg);
int64_t      fold_begin(const fold_eqn *, const ir_box *x, const ir_box *y);     /* where the operand's kept index 0
                                                            lies: its box may begin before the result's */
fold_offsets fold_offset(const fold_axes *, int count, int64_t i);       /* of index i over the first `count` axes */
int64_t      fold_units(const fold_shape *);             /* results, or blocks of columns */
int64_t      fold_tasks(const fold_shape *);             /* how many the work is worth */

/* ---- fold.c: of dense rows that are added up, one sum per column ---- */
int64_t      fold_parts_of(int64_t columns, int64_t rows);       /* into how many parts the rows are cut */
int64_t      fold_part_at(int64_t rows, int64_t part, int64_t parts);    /* where one begins */
void         fold_join(const fold_ops *, char *lanes, int64_t width);    /* the tree of 32 lanes, in the first */
/* Parts of n accumulators, `bytes` from each to the next, pair by pair: in the first. */
void         fold_merge_parts(const fold_ops *, char *acc, int64_t bytes, int64_t parts, int64_t n);

/* ---- fold_pick.c: argmax and argmin of pairs ---- */
typedef struct {
    void (*across)(void *best, void *where, const void *x, const void *k, int64_t n);    /* n columns side by side */
    void (*along)(void *best, void *where, const void *x, int64_t xs, const void *k, int64_t ks, int64_t n);
} fold_pick_ops;
typedef struct { fold_pick_ops at[4][2][2]; } fold_pick_isa;     /* values f32 f64 i32 i64; indices i32 i64; argmin */
int64_t fold_pick_tiles(const void *self, const ir_box *arg);
void    fold_pick_run(const void *self, const run_job *);

#endif
