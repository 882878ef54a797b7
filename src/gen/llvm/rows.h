/* gen/llvm/rows.h - shared by the files that write loops over rows: rows.c (passes), row_value.c, row_reduce.c. */
#ifndef TUTTI_LLVM_ROWS_H
#define TUTTI_LLVM_ROWS_H

#include "../reduce/reduce.h"
#include "llvm.h"

enum { LLVM_ROW_LANES = 32 };

typedef struct llvm_rows {
    const gen_row_prog *t;
    int lanes;                                           /* of a full vector */
    bool single;                                         /* writing scalars, at the beginning of a row */
    /* pass_of, buffer: [register] the pass that computes the register, or the first pass that can read it; its buffer,
     * or -1 */
    int pass, npass, *pass_of, *buffer, nbuffer;
    const char **one, **same_one, **spread; /* [register]: of the row; the same for all rows; in all lanes */
    const char **at, **ahead; /* [nreg + results]: addresses in this row; in a later row, NULL: not prefetched */
    int *fetch;                                          /* [nreg + results]: the pass that prefetches it */
    const char *element, *mask; /* the element's number in the row; NULL: all lanes are in use */
    FILE *row; char *text; int row_block;                /* code at the beginning of this pass */
} llvm_rows;

/* ---- row_value.c ---- */
typedef struct { FILE *body; int lanes, block; bool single; } llvm_row_scope;
llvm_row_scope llvm_row_enter(llvm_writer *);            /* starts writing at the beginning of the row */
void        llvm_row_leave(llvm_writer *, llvm_row_scope was);
const char *llvm_memory_type(tt_dtype);                  /* of an element: in memory bool is a byte */
int         llvm_memory_bytes(tt_dtype);
const char *llvm_row_one(llvm_writer *, op_reg);         /* of the row, or the same for all rows: a scalar */
const char *llvm_row_address(llvm_writer *, const char *base, tt_dtype); /* of the current element */
const char *llvm_row_load(llvm_writer *, const char *base, tt_dtype, bool masked);
void        llvm_row_store(llvm_writer *, const char *x, const char *base, tt_dtype, bool masked);
const char *llvm_row_buffer(llvm_writer *, int capacity);
void        llvm_row_forget(llvm_writer *);              /* forgets full values: the next elements follow */

/* ---- row_reduce.c ---- */
/* A running value of a reduction, for some lanes. If `blocks`, the value is that of the last block, and `outer` that of
 * the blocks before (reduce.h). */
typedef struct { const char *type, *start, *phi, *now; const char *outer; mesh_reduce reduce; tt_dtype dtype;
bool blocks; }
    llvm_sum;
int  llvm_reduce_sums(const llvm_writer *, const gen_row_reduce *); /* number of running values of a reduction */
int  llvm_reduce_begin(llvm_writer *, const gen_row_reduce *, llvm_sum *to); /* sets `to`; returns the number of sums */
void llvm_reduce_add(llvm_writer *, const gen_row_reduce *, llvm_sum *); /* reduces the current element */
/* adds this row's element to its accumulator */
void llvm_reduce_down(llvm_writer *, op_reg, mesh_reduce, const char *base);
/* writes the reduction's result, from the running values of all parts */
void llvm_reduce_finish(llvm_writer *, const gen_row_reduce *, const llvm_sum *, int stride);

#endif
