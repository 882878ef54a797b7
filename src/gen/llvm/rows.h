/* gen/llvm/rows.h - between the files that write loops over rows: rows.c (passes), row_value.c, row_reduce.c. */
#ifndef TUTTI_LLVM_ROWS_H
#define TUTTI_LLVM_ROWS_H

#include "../reduce/reduce.h"
#include "llvm.h"

enum { LLVM_ROW_LANES = 32 };

typedef struct llvm_rows {
    const gen_row_prog *t;
    int lanes;                                           /* of full vectors */
    bool single;                                         /* scalars are being written, where the row begins */
    int pass, npass, *pass_of, *room, nroom;    /* [register]: its pass, or before which it is there; its room or -1 */
    const char **one, **same_one, **spread;     /* [register]: of the row; the same for all rows; in all lanes */
    const char **at, **ahead;                            /* [nreg + results]: addresses in this row; in one further
                                                            on, NULL: not fetched */
    int *fetch;                                          /* [nreg + results]: the pass that does it */
    const char *element, *mask;                          /* its number in the row; NULL: all lanes are there */
    FILE *row; char *text; int row_block;                /* what stands where this pass begins */
} llvm_rows;

/* ---- row_value.c ---- */
typedef struct { FILE *body; int lanes, block; bool single; } llvm_row_scope;
llvm_row_scope llvm_row_enter(llvm_writer *);            /* writing where the row begins */
void        llvm_row_leave(llvm_writer *, llvm_row_scope was);
const char *llvm_memory_type(tt_dtype);                  /* of an element: in memory bool is a byte */
int         llvm_memory_bytes(tt_dtype);
const char *llvm_row_one(llvm_writer *, op_reg);         /* of a row, or the same for all rows: a scalar */
const char *llvm_row_address(llvm_writer *, const char *base, tt_dtype);     /* of this element */
const char *llvm_row_load(llvm_writer *, const char *base, tt_dtype, bool masked);
void        llvm_row_store(llvm_writer *, const char *x, const char *base, tt_dtype, bool masked);
const char *llvm_row_buffer(llvm_writer *, int capacity);
void        llvm_row_forget(llvm_writer *);              /* full values: other elements come */

/* ---- row_reduce.c ---- */
/* A running value of a reduction: of some lanes. blocks: it is of the last block, `outer` of the blocks before
 * (fold.h). */
typedef struct { const char *type, *start, *phi, *now; const char *outer; mesh_reduce reduce; tt_dtype dtype;
bool blocks; }
    llvm_sum;
int  llvm_fold_sums(const llvm_writer *, const gen_row_reduce *);        /* how many it has */
int  llvm_fold_begin(llvm_writer *, const gen_row_reduce *, llvm_sum *to); /* sets them; how many */
void llvm_fold_add(llvm_writer *, const gen_row_reduce *, llvm_sum *);   /* this element */
void llvm_fold_down(llvm_writer *, op_reg, mesh_reduce, const char *base); /* this row's element to its accumulator */
/* its result, of all parts */
void llvm_fold_finish(llvm_writer *, const gen_row_reduce *, const llvm_sum *, int stride);

#endif
