/* op/linalg/matrix.h - shared by the primitives in linalg/: dense matrices in float64, and their algorithms.
 *
 * Matrices are the last two dims; the dims before them are a batch, whose members are computed independently. */
#ifndef TUTTI_OP_MATRIX_H
#define TUTTI_OP_MATRIX_H

#include "../build.h"

/* A kit of algorithms: one for reals and one for complex numbers, from the same text compiled twice (matrix_any.h).
 * Memory is row-major and dense. */
typedef struct {
    size_t bytes;                                        /* size of one number */
    /* Copy between memory and the matrix (core 2) or vector (core 1) of a box at position `lead` of the batch. turned:
     * memory holds the transpose; bar: conjugated. width: numbers per row of memory. */
    void (*load)(const ir_box *, int core, const int64_t *lead, bool turned, bool bar, void *to);
    void (*store)(const ir_box *, int core, const int64_t *lead, bool turned, bool bar, const void *from,
                  int64_t width);
    void (*mirror)(int64_t n, void *a);                  /* copies the lower triangle to the upper; diagonal real */
    void (*spoil)(void *, int64_t n);                    /* sets n numbers to NaN */
    bool (*cholesky)(int64_t n, void *a);                /* lower triangle -> L; false: not positive definite */
    /* solves t y = x[n, k] in place */
    void (*solve)(int64_t n, int64_t k, const void *t, bool lower, bool unit, void *x);
    void (*lu)(int64_t m, int64_t n, void *a, int32_t *pivot);
    /* as LAPACK's geqrf; row: workspace of n numbers */
    void (*qr)(int64_t m, int64_t n, void *a, void *tau, void *row);
    void (*reflectors)(int64_t m, int64_t n, int64_t k, const void *a, const void *tau, void *q, void *row);
    /* a: both triangles; v: eigenvectors are rows; buffer: 5 n numbers */
    bool (*eigh)(int64_t n, void *a, double *w, void *v, void *buffer);
    /* a = Q H Q': stores H, and the vectors below its subdiagonal; row: workspace of n numbers. As LAPACK's gehrd */
    void (*hessenberg)(int64_t n, void *a, void *tau, void *row);
    /* a (both triangles) = Q T Q': stores the vectors below the subdiagonal, d and e of T; row: n numbers. As LAPACK's
     * sytrd */
    void (*tridiagonal)(int64_t n, void *a, double *d, double *e, void *tau, void *row);
    /* QR with columns in the order of their norms; pivot: counted from 1; columns whose pivot was not 0 come first. As
     * LAPACK's geqp3 */
    void (*pivoted)(int64_t m, int64_t n, void *a, int32_t *pivot, void *tau, void *row);
    /* Solves t x = b [n, k] in place, t given by its diagonals of n numbers each, which are overwritten; buffer: 2 n
     * numbers. epsilon 0: false if t is singular; else small pivots are moved by epsilon times the largest number
     * (LAPACK's lagts). */
    bool (*three)(int64_t n, int64_t k, void *low, void *mid, void *high, void *b, void *buffer, double epsilon);
    bool (*schur)(int64_t n, void *h, void *z);          /* h = s t s', h Hessenberg: stores t in h, z s in z */
    /* w [n, m]: the columns of a matrix of m >= n rows become U s; v [n, n]: columns of V; u [columns, m]: columns of
     * U. v NULL: values only. */
    bool (*svd)(int64_t m, int64_t n, int64_t columns, void *w, double *s, void *u, void *v, void *buffer);
} op_matrix_kit;
extern const op_matrix_kit op_matrix_real, op_matrix_complex;

/* Arguments of a primitive's reference for one member of the batch: boxes, the member's position, and in .workspace as
 * many numbers as the capacity passed to op_each_matrix. */
typedef struct {
    const ir_eqn *e; const op_matrix_kit *kit; const ir_box *x, *y; const int64_t *lead; void *workspace;
} op_bench;
typedef void op_one_matrix(const op_bench *);
bool op_each_matrix(const ir_eqn *, const ir_box *x, const ir_box *y, int64_t capacity, op_one_matrix *);
void *op_workspace(const op_bench *, int64_t numbers);   /* the workspace after the first `numbers` numbers */

/* The cells shared by the primitives of matrices. */
#define OP_MATRIX_CELLS .kernel = OP_MATRIX, .rules = op_matrix_rules, .partial = op_partial_none, \
    .batch = op_matrix_batch, .exchange = op_exchange_none, .prog = op_prog_none
void op_matrix_rules(const ir_eqn *, op_rule *);         /* batch dims may be sharded, matrix dims not */
void op_matrix_batch(ir_build *, const ir_eqn *, const ir_id *, const bool *, int64_t, ir_id *, bool *);
bool op_matrix_check(const ir_eqn *, const ir_type *);   /* True if rank 2 or more, f32 f64 c64 or c128 */
bool op_square_check(const ir_eqn *, const ir_type *);
/* the batch dims of `like`, then m, n */
const ir_type *op_matrix_type(const ir_type *like, tt_dtype, int core, int64_t m, int64_t n);

#endif
