/* gen/rows/rows.h - row patterns: the class of a value in a group over rows (rows.c), and compiled loops over
 * rows. */
#ifndef TUTTI_GEN_ROWS_H
#define TUTTI_GEN_ROWS_H

#include "../tile/tile.h"

/* full: the shape of the rows, whose dims from `kept` on are reduced. FULL: a value of that shape. ROW: a value with
 * one element per row. */
typedef enum { GEN_ROWS_FULL, GEN_ROWS_ROW, GEN_ROWS_OTHER } gen_rows_class;
gen_rows_class gen_rows_class_of(const ir_type *full, int kept, const ir_type *);

/* The scalar program that a kernel of gen_rows may be compiled from, or NULL. */
const gen_tile_code *gen_rows_code_of(const run_kernel *);

/* ---- rows_code.c ---- */
/* A block of rows: the ranges [lo, lo + n) of the dims of the full shape; reduced dims are complete. every > 0: only
 * the rows number first, first + every, .., `count` of them. sum: [result] accumulators of column sums, of one lane.
 * lanes: each row is added in the next lane; else all rows are added in one lane. */
typedef struct {
    int kept; int64_t lo[IR_RANK], n[IR_RANK], first, count, every;
    char *const *sum; bool lanes;
} gen_row_block;
gen_tile_code *gen_row_code(base_arena *, const gen_group *, const ir_type *full, int kept);     /* NULL: none */
int64_t gen_row_scratch(const gen_tile_code *, int64_t rows, int64_t n);
/* Runs the loop over a block. Returns false if rows selected by `every` are not evenly spaced in memory. */
bool    gen_row_run(const gen_tile_code *, gen_row_loop *, const gen_row_block *, const ir_box *arg, char *scratch);

#endif
