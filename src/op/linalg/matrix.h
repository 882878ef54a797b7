/* op/linalg/matrix.h - what the rows in linalg/ share: dense matrices in float64, and their algorithms.
 *
 * Matrices are the last two dims; the dims before them are a batch, each of whose members is computed alone. */
#ifndef TUTTI_OP_MATRIX_H
#define TUTTI_OP_MATRIX_H

#include "../op.h"

/* One kit for reals, one for complex numbers: the same text, compiled twice (matrix_any.h). Memory is row-major and
 * dense. */
typedef struct {
    size_t bytes;                                        /* of a number */
    /* Between memory and the matrix (core 2) or vector (1) of a box at the batch's place `lead`; turned: memory holds
     * its transpose; bar: conjugated. width: numbers from row to row of memory. */
    void (*load)(const ir_box *, int core, const int64_t *lead, bool turned, bool bar, void *to);
    void (*store)(const ir_box *, int core, const int64_t *lead, bool turned, bool bar, const void *from,
                  int64_t width);
    void (*mirror)(int64_t n, void *a);                  /* the upper triangle from the lower one; the diagonal real */
    void (*spoil)(void *, int64_t n);                    /* n numbers become NaN */
    bool (*cholesky)(int64_t n, void *a);                /* the lower triangle -> L; false: not positive definite */
    void (*solve)(int64_t n, int64_t k, const void *t, bool lower, bool unit, void *x);   /* t y = x[n, k] in place */
    void (*lu)(int64_t m, int64_t n, void *a, int32_t *pivot);
    void (*qr)(int64_t m, int64_t n, void *a, void *tau, void *row);     /* as LAPACK's geqrf; row: n numbers of room */
    void (*reflectors)(int64_t m, int64_t n, int64_t k, const void *a, const void *tau, void *q, void *row);
    /* a: both triangles; v: rows are vectors; room: 5 n */
    bool (*eigh)(int64_t n, void *a, double *w, void *v, void *buffer);
    /* a = Q H Q': H and the vectors below its subdiagonal; row: n numbers of room. As LAPACK's gehrd */
    void (*hessenberg)(int64_t n, void *a, void *tau, void *row);
    /* a (both triangles) = Q T Q': the vectors below the subdiagonal, d and e of T; row: n numbers. As LAPACK's
     * sytrd */
    void (*tridiagonal)(int64_t n, void *a, double *d, double *e, void *tau, void *row);
    /* columns in the order of their norms; pivot: from 1; which were not 0 come first. As LAPACK's geqp3 */
    void (*pivoted)(int64_t m, int64_t n, void *a, int32_t *pivot, void *tau, void *row);
    /* t x = b [n, k] in place, t by its diagonals, each of n; they are spoiled, and 2 n numbers of room. epsilon 0:
     * false where t is singular; else small pivots are moved by so much of the largest (LAPACK's lagts). */
    bool (*three)(int64_t n, int64_t k, void *low, void *mid, void *high, void *b, void *buffer, double epsilon);
    bool (*schur)(int64_t n, void *h, void *z);          /* h = z t z' of a Hessenberg h: t in h; z: times z */
    /* w [n, m]: the columns of a matrix of m >= n rows become U s; v [n, n]: columns of V; u [columns, m]: of U. v
     * NULL: values only. */
    bool (*svd)(int64_t m, int64_t n, int64_t columns, void *w, double *s, void *u, void *v, void *buffer);
} op_matrix_kit;
extern const op_matrix_kit op_matrix_real, op_matrix_complex;

/* A row's reference for one member of the batch: boxes, their place, so many numbers of memory as .room says. */
typedef struct {
    const ir_eqn *e; const op_matrix_kit *kit; const ir_box *x, *y; const int64_t *lead; void *room;
} op_bench;
typedef void op_one_matrix(const op_bench *);
bool op_each_matrix(const ir_eqn *, const ir_box *x, const ir_box *y, int64_t capacity, op_one_matrix *);
void *op_room(const op_bench *, int64_t numbers);        /* the room behind so many numbers */

/* Cells */
#define OP_MATRIX_CELLS .kernel = OP_MATRIX, .rules = op_matrix_rules, .partial = op_partial_none, \
    .batch = op_matrix_batch, .exchange = op_exchange_none, .prog = op_prog_none
void op_matrix_rules(const ir_eqn *, op_rule *);         /* batch dims may be split, matrices are whole */
void op_matrix_batch(ir_build *, const ir_eqn *, const ir_id *, const bool *, int64_t, ir_id *, bool *);
bool op_matrix_check(const ir_eqn *, const ir_type *);   /* of rank 2 or more, f32 f64 c64 c128 */
bool op_square_check(const ir_eqn *, const ir_type *);
/* its batch dims, then m, n */
const ir_type *op_matrix_type(const ir_type *like, tt_dtype, int core, int64_t m, int64_t n);

#endif
