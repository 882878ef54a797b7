/* gen/matmul/gemv.h - products with at most GEMV_FEW rows or columns: gemm.c's C = A B where one operand is read once
 * and nothing else costs time; and those that are small in every way, of which there are many. The large operand is the
 * wide one, its rows (or columns) of the result are lanes.
 *
 * The order of sums is gemm.h's, one chain over rising k for each element: bits are the same with and without. But on
 * the matrix unit, which takes bf16. */
#ifndef TUTTI_GEN_GEMV_H
#define TUTTI_GEN_GEMV_H

#include "gemm.h"

enum { GEMV_FEW = 16, GEMV_SMALL = 32, GEMV_ROWS = 8,    /* most rows; of small products; at once */
       GEMV_DEEP = 64, GEMV_SIDE = 32,                   /* k and lanes of a block that is packed */
       GEMV_ACROSS = 4 };                                /* most vectors of rows, where those are lanes */

/* A wide operand as it is in memory, by what a lane of it is widened to. */
typedef enum { GEMV_F32, GEMV_BF16, GEMV_F16, GEMV_F64, GEMV_U32, GEMV_U64, GEMV_KINDS } gemv_kind;

/* y[i][j] = or += (more) sum over k < nk of x[k * xk + i * xi] w[k * ldw + j]: j < n; rows of y are ldy apart and,
 * unless `exact`, hold whole vectors. keep: NULL, or where w is left as it is summed, rows `ldk` apart, in whole
 * vectors. ask: NULL, or what is asked for meanwhile, lanes of `lane` bytes in rows `step` bytes apart; by the tiles
 * whose turn it is, `turn` of `turns`. */
typedef struct {
    int64_t nk; const void *x; int64_t xk, xi; const void *w; int64_t ldw, n; void *y; int64_t ldy;
    bool more, exact; void *keep; int64_t ldk;
    const char *prefetch; int64_t step, lane, turn, turns;
} gemv_work;

typedef struct {
    int rows;                                            /* most rows at once */
    void (*add[GEMV_KINDS][GEMV_ROWS + 1])(const gemv_work *);       /* by rows; NULL: not of that kind */
    /* Where k is contiguous: w[j * ldw + k], xi 1. n: whole vectors; nk: a multiple of GEMV_TURN. */
    void (*transposed[GEMV_KINDS][GEMV_ROWS + 1])(const gemv_work *);
    /* Rows of x are lanes, in so many vectors: y[j][i] = or += the sum of x[k * xk + i] w[j * ldw + k]. */
    void (*across[GEMV_KINDS][GEMV_ACROSS + 1])(const gemv_work *);
} gemv_isa;
enum { GEMV_TURN = 32 };

/* The matrix unit's loops (gemv_amx_isa.c), of bf16 for at most 16 rows; sums in float32. */
typedef struct {
    /* x's tiles of 32 of k, [i][k], or of pairs, [k / 2][i][2]: for `along`, `across`. One of x's steps is 1. */
    void (*pack)(void *tiles, const gemm_side *x, int rows, int64_t k, int64_t nk, bool pairs);
    void (*along)(const gemv_work *);                    /* w's lanes are adjacent: 16 rows of y, whole tiles */
    void (*across)(const gemv_work *);                   /* its k do: y[j][i], 16 of i */
} gemv_unit;

bool    gemv_fits(const gemm *);
void    gemv_run(const gemm *, void *scratch);
int64_t gemv_scratch(const gemm *);                      /* for it, or any part of it */

#endif
