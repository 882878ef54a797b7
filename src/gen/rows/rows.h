/* gen/rows/rows.h - row patterns: what a value is to a group of equations over rows (rows.c), and reductions that never
 * split a row. */
#ifndef TUTTI_GEN_ROWS_H
#define TUTTI_GEN_ROWS_H

#include "../tile/tile.h"

/* full: the dims of the rows, of which those from `kept` on are folded. A row value has an element per row. */
typedef enum { GEN_ROWS_FULL, GEN_ROWS_ROW, GEN_ROWS_OTHER } gen_rows_class;
gen_rows_class gen_rows_class_of(const ir_type *full, int kept, const ir_type *);
bool gen_reduce_lines(base_arena *, const gen_group *, run_kernel *);    /* gen_reduce's kernel without a second half */

/* what a kernel of gen_rows may be compiled from, or NULL */
const gen_tile_code *gen_rows_code_of(const run_kernel *);

/* ---- rows_code.c ---- */
/* of the rows' dims; the folded ones whole. every > 0: of these rows only number `first`, first + every, .., so many;
 * sum: [result] accumulators for sums down the rows, one lane of them; lanes: each row has the next lane. */
typedef struct {
    int kept; int64_t lo[IR_RANK], n[IR_RANK], first, count, every;
    char *const *sum; bool lanes;
} gen_row_block;
gen_tile_code *gen_row_code(base_arena *, const gen_group *, const ir_type *full, int kept);     /* NULL: none */
int64_t gen_row_scratch(const gen_tile_code *, int64_t rows, int64_t n);
/* False: rows that are apart are not evenly spaced. */
bool    gen_row_run(const gen_tile_code *, gen_row_loop *, const gen_row_block *, const ir_box *arg, char *scratch);

#endif
