/* op/linalg/schur_form.h - shared by eig and schur (schur_form.c): the Schur form of any square matrix, and its
 * eigenvalues and eigenvectors. */
#ifndef TUTTI_OP_SCHUR_H
#define TUTTI_OP_SCHUR_H

#include "matrix.h"

/* Computes the Schur form of the matrix w->x: t [n, n], and its vectors z [n, n]. buffer: n (n + 2) numbers. Returns
 * false if the algorithm does not converge, or if elements are infinite or NaN. */
bool op_schur(const op_bench *w, void *t, void *z, void *buffer);
/* T's eigenvalues, in its order. */
void op_schur_values(const op_matrix_kit *, int64_t n, const void *t, double _Complex *);
/* Eigenvectors in columns of v, of norm 1, whose largest number is real: of a = z t z', with triangular t; if `left`,
 * of a's adjoint. x: workspace of n numbers. */
void op_schur_vectors(int64_t n, const double _Complex *t, const double _Complex *z, bool left, double _Complex *v,
                      double _Complex *buffer);
/* A real t and z as complex ones, 2 x 2 blocks reduced to triangular form. */
void op_schur_complex(int64_t n, const double *t, const double *z, double _Complex *ct, double _Complex *cz);

#endif
