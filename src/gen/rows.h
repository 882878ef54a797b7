/* gen/rows.h - row patterns: what a value is to a group of equations over rows (rows.c), and reductions that never cut a row. */
#ifndef TUTTI_GEN_ROWS_H
#define TUTTI_GEN_ROWS_H

#include "gen.h"

/* full: the dims of the rows, of which those from `kept` on are folded. A row value has an element per row. */
typedef enum { GEN_ROWS_FULL, GEN_ROWS_ROW, GEN_ROWS_OTHER } gen_rows_class;
gen_rows_class gen_rows_class_of(const ir_type *full, int kept, const ir_type *);
bool gen_fold_lines(base_arena *, const gen_group *, run_kernel *);      /* gen_fold's kernel without a second half */

#endif
