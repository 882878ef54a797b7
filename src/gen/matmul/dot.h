/* gen/matmul/dot.h - shared by dot.c and dot_box.c: a product's boxes as [batch, m, k] x [batch, k, n], by strides. */
#ifndef TUTTI_GEN_DOT_H
#define TUTTI_GEN_DOT_H

#include "gemm.h"

enum { LHS, RHS, OUT, NONE };
/* Dims, major to minor; steps per tensor. */
typedef struct { int n; struct { int64_t size, step[3], lo; } at[IR_RANK]; } dot_axes;
typedef struct {
    const ir_eqn *e; gemm_type type; const gemm_isa *isa; const gemm_matrix_unit *matrix_unit;
    /* on_demand: the operand that is requested part by part, or NONE. swapped: the right operand's box is the first */
    bool tree; int on_demand; bool swapped;
} dot;
typedef struct {
    gemm g;
    dot_axes batch, m, n, k;
    const char *p[3];  /* the first element of each box that takes part, of this batch */
    tt_dtype dtype[3];
    int64_t size[3];
    int dims[3];                                         /* how many of the result's dims are batches, rows, columns */
    int on_demand;                                       /* as in dot */
    const run_job *job; int64_t from[3];                 /* the job to notify; the part's first batch, row, column */
} dot_problem;

int64_t dot_total(const dot_axes *);                     /* the product of sizes */
void    dot_measure(const dot *, const ir_box *arg, dot_problem *);
/* Rows [m0, m0+m) and columns [n0, n0+n) of one batch, with q as the product's env. If rows or columns have several
 * dims without a common stride: all of them, or multiples of a full index of the first row dim. */
gemm    dot_part(const dot_problem *, dot_problem *q, int64_t batch, int64_t m0, int64_t m, int64_t n0, int64_t n);
/* Advances q from one batch's full product to the next batch's. */
void    dot_next(const dot_problem *, dot_problem *q, int64_t batch);

#endif
