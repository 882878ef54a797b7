/* gen/region/region.h - regions of scalars as scalar programs over lanes: shared by reductions, windows, scatters,
 * sorts and loops with a region of their own (region.c compiles; region_reduce.c, region_select.c, region_scatter.c,
 * region_sort.c and region_while.c run).
 *
 * A lane is one of many independent applications of the region. */
#ifndef TUTTI_GEN_REGION_H
#define TUTTI_GEN_REGION_H

#include "../tile/tile.h"

enum { REGION_MOST = 8 };                                /* most operands, as in the references */
typedef struct { gen_tile_code code; int narg, nret; op_reg *param; tt_dtype *arg, *ret; } region_code;

const char  *region_refuses(const ir_fn *);              /* NULL: only elementwise equations of scalars */
region_code *region_of(base_arena *, const ir_fn *); /* NULL with or without an error: the scalar program is too long */
static inline int64_t region_lanes(const region_code *r) { return r->code.tile; }        /* most at once */

/* A region ready to run in a worker's scratch. in and out: one dense line per parameter and result, with memory for n
 * rounded up to GEN_GRAIN; no result may overlap a parameter. work: expected lanes of the job, which decide whether the
 * region is worth compiling. */
typedef struct { const region_code *r; gen_fused_loop *loop; void **at; op_word *k; char *slots; } region_run;
int64_t    region_scratch(const region_code *);
region_run region_begin(const region_code *, void *scratch, double work);
void       region_do(region_run *, void *const *in, void *const *out, int64_t n);
static inline int64_t region_padded(int64_t n) { return base_round_up(n, GEN_GRAIN); }

/* Updates in order, applied together as long as their destinations differ: y[to] = region(y[to], u[from]). Offsets in
 * elements. */
typedef struct region_stream region_stream;
int64_t        region_stream_bytes(const region_code *);
region_stream *region_stream_begin(const region_code *, void *scratch, const ir_box *y, const void *u, double work);
void           region_stream_push(region_stream *, int64_t to, int64_t from);
void           region_stream_line(region_stream *, int64_t to, int64_t ts, int64_t from, int64_t fs, int64_t n);
void           region_stream_end(region_stream *);

/* Kernels of one primitive each, for the engine. refuses: NULL if the kernel can compute the equation. */
typedef struct {
    const op_prim *prim;
    const char *(*refuses)(const ir_eqn *);
    bool (*make)(base_arena *, const ir_eqn *, run_kernel *);
} region_kind;
extern const region_kind region_reduce, region_window, region_scatter, region_select_scatter, region_select_gather,
    region_sort, region_while;

#endif
