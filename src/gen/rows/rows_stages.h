/* gen/rows/rows_stages.h - a group over rows as stages, each a kernel: rows_stages.c makes them, rows.c runs them. */
#ifndef TUTTI_GEN_ROWS_STAGES_H
#define TUTTI_GEN_ROWS_STAGES_H

#include "../reduce/reduce_shape.h"
#include "rows.h"

/* Where an argument of a stage is: an operand or a result of the group, a buffer in scratch, or a constant. */
typedef enum { ROWS_IN, ROWS_OUT, ROWS_MADE, ROWS_CONSTANT } rows_space;
typedef struct { rows_space space; uint32_t at; const void *data; const ir_type *type; gen_rows_class cls; } rows_arg;
typedef struct { run_kernel k; uint32_t narg; rows_arg *arg; } rows_stage;
typedef struct { const ir_type *type; gen_rows_class cls; } rows_buffer; /* a value in scratch */
/* A column sum: reduces over the rows, one result per element of a row. x: the summands. */
typedef struct { const reduce_ops *op; uint32_t out; rows_arg x, init; } rows_column;
typedef struct {
    const ir_type *full; int kept;
    uint32_t nin, nout, nstage, nbuffer, most;           /* most: the largest number of arguments of a stage */
    rows_stage *stage; rows_buffer *buffer;
    /* like: arguments, at least one of which has exactly the rows of an instance. */
    uint32_t ncolumn, nlike, *like; rows_column *column;
    ir_box *box;                                         /* for the boxes of a stage at bind */
    /* The scalar program of a compiled loop that replaces the stages; NULL: there is none, for example where sums are
     * trees (tree.h). */
    gen_tile_code *code;
} rows_self;

/* ---- rows.c: classes of equations ---- */
bool rows_is_reduce(const ir_eqn *), rows_is_down(const ir_eqn *, int kept);
bool rows_is_cheap(const ir_eqn *), rows_is_view(const ir_eqn *);
int  rows_maker(const gen_group *, ir_id); /* the equation that computes a value; -1: an operand of the group */

/* ---- rows_stages.c ---- */
bool rows_make_stages(base_arena *, const gen_group *, rows_self *);

/* ---- rows.c: blocks ---- */
/* instance: the rows of an instance, each of them complete. A block is `rows` indices of kept dim `dim`, at one index
 * of each kept dim before `dim`. along: blocks along `dim`; count: all blocks. */
typedef struct { ir_box instance; int dim; int64_t rows, along, count; } rows_blocking;
/* Of the block [lo, lo + n) of the kept dims: the offset in bytes of buffer `which` (nbuffer: of the end of all
 * buffers); the box of a value. */
int64_t rows_buffer_at(const rows_self *, const rows_blocking *, const int64_t *lo, const int64_t *n, uint32_t which);
ir_box  rows_box_of(const rows_self *, const rows_arg *, const ir_box *arg, const rows_blocking *, const int64_t *lo,
                    const int64_t *n, char *made);
/* Runs all stages over a block. Returns where the block's buffers begin. */
char   *rows_do_stages(const rows_self *, const run_job *, const rows_blocking *, const int64_t *lo, const int64_t *n);

/* ---- rows_column.c: column sums ---- */
/* The rows of an instance are split into parts as gen_reduce splits them; row i of a part is added in lane i mod 32. A
 * tile has 32 / split lanes of a part. n: elements of a row. */
typedef struct { int64_t rows, n, parts, split; } rows_lanes;
rows_lanes rows_lanes_of(const rows_self *, int64_t rows);
int64_t    rows_lanes_bytes(const rows_self *, const rows_lanes *); /* bytes that tiles share */
int64_t    rows_sum_bytes(tt_dtype);                     /* bytes of an accumulator */
/* Sets the block lo, n to the rows from number i on that are done at once: at most `most`, within one line of the last
 * kept dim. */
void       rows_lane_range(const rows_self *, const rows_blocking *, int64_t i, int64_t most, int64_t *lo, int64_t *n);
void       rows_run_lanes(const rows_self *, const run_job *, const rows_blocking *, gen_row_loop *);
void       rows_store_sums(const rows_self *, const rows_lanes *, const ir_box *arg, char *shared);

/* ---- rows_tag.c ---- */
const char *rows_tag(const gen_group *);                 /* "softmax" ...; NULL: has no name */

#endif
