/* op/linalg/schur_form.h - what eig and schur share (schur_form.c): Schur's form of any square matrix, and what is read
 * from it. */
#ifndef TUTTI_OP_SCHUR_H
#define TUTTI_OP_SCHUR_H

#include "matrix.h"

/* The matrix w->x as t [n, n], its vectors z [n, n]; room: n (n + 2) numbers; false: it has none. */
bool op_schur(const op_bench *w, void *t, void *z, void *buffer);
/* T's eigenvalues, in its order. */
void op_schur_values(const op_matrix_kit *, int64_t n, const void *t, double _Complex *);
/* Eigenvectors in columns of v, of norm 1, their largest number real: of a = z t z', t triangular and of eigenvalues w;
 * left: of a's adjoint. room: n numbers. */
void op_schur_vectors(int64_t n, const double _Complex *t, const double _Complex *z, bool left, double _Complex *v,
                      double _Complex *buffer);
/* A real t and z as complex ones, blocks of two made triangular. */
void op_schur_complex(int64_t n, const double *t, const double *z, double _Complex *ct, double _Complex *cz);

#endif
