/* gen/matmul/gemv.h - products C = A B as in gemm.c with at most GEMV_FEW rows or columns, where one operand is read
 * once and only that read costs time; and products that are small in every dim, of which a program may have many. The
 * large operand is the wide one, and the result's rows (or columns) along it are lanes.
 *
 * The order of sums is gemm.h's, one chain over rising k for each element: bits are the same with and without this
 * file, except on the matrix unit, which takes bf16. */
#ifndef TUTTI_GEN_GEMV_H
#define TUTTI_GEN_GEMV_H

#include "gemm.h"

enum { GEMV_FEW = 16, GEMV_SMALL = 32, GEMV_ROWS = 8,    /* most rows; of small products; at once */
       GEMV_DEEP = 64, GEMV_SIDE = 32,                   /* k and lanes of a packed block */
       GEMV_ACROSS = 4 };                                /* most vectors of rows, where rows are lanes */

/* The type of a wide operand in memory. */
typedef enum { GEMV_F32, GEMV_BF16, GEMV_F16, GEMV_F64, GEMV_U32, GEMV_U64, GEMV_KINDS } gemv_kind;

/* y[i][j] = or += (if more) the sum over k < nk of x[k * xk + i * xi] w[k * ldw + j], j < n. Rows of y are ldy apart
 * and, unless `exact`, hold full vectors. keep: NULL, or where w is stored, converted, in rows `ldk` apart of full
 * vectors. prefetch: NULL, or the address to prefetch from meanwhile, lanes of `lane` bytes in rows `step` bytes apart;
 * the prefetches are shared among the tiles: this call is number `turn` of `turns`. */
typedef struct {
    int64_t nk; const void *x; int64_t xk, xi; const void *w; int64_t ldw, n; void *y; int64_t ldy;
    bool more, exact; void *keep; int64_t ldk;
    const char *prefetch; int64_t step, lane, turn, turns;
} gemv_work;

typedef struct {
    int rows;                                            /* most rows at once */
    void (*add[GEMV_KINDS][GEMV_ROWS + 1])(const gemv_work *);       /* indexed by rows; NULL: kind not supported */
    /* For contiguous k: w[j * ldw + k], xi 1. n: full vectors; nk: a multiple of GEMV_TURN. */
    void (*transposed[GEMV_KINDS][GEMV_ROWS + 1])(const gemv_work *);
    /* Rows of x are lanes, in as many vectors as the index: y[j][i] = or += the sum of x[k * xk + i] w[j * ldw + k]. */
    void (*across[GEMV_KINDS][GEMV_ACROSS + 1])(const gemv_work *);
} gemv_isa;
enum { GEMV_TURN = 32 };

/* The matrix unit's loops (gemv_amx_isa.c), for bf16 and at most 16 rows; sums in float32. */
typedef struct {
    /* Packs x's tiles of 32 of k, for `along` as [i][k], or if `pairs` for `across` as [k / 2][i][2]. One of x's two
     * steps is 1. */
    void (*pack)(void *tiles, const gemm_side *x, int rows, int64_t k, int64_t nk, bool pairs);
    void (*along)(const gemv_work *);                    /* w's lanes are adjacent: 16 rows of y, full tiles */
    void (*across)(const gemv_work *);                   /* w's k are contiguous: y[j][i], 16 of i */
} gemv_unit;

bool    gemv_fits(const gemm *);
void    gemv_run(const gemm *, void *scratch);
int64_t gemv_scratch(const gemm *);                      /* for it and for any part of it */

#endif
