/* hlo/write/lower_algebra.h - linear algebra in operations of StableHLO, for compilers without LAPACK's routines. */
#ifndef TUTTI_HLO_LOWER_ALGEBRA_H
#define TUTTI_HLO_LOWER_ALGEBRA_H

#include "print.h"
#include "../../op/ops.h"

hlo_lowering hlo_spell_lu;                               /* lower_lu.c */
hlo_lowering hlo_spell_svd, hlo_spell_svdvals;           /* lower_svd.c */
hlo_lowering hlo_spell_hessenberg, hlo_spell_tridiagonal, hlo_spell_geqp3;     /* lower_reflect.c */
hlo_lowering hlo_spell_tridiagonal_solve;                /* lower_three.c */
hlo_lowering hlo_spell_schur, hlo_spell_eig;             /* lower_schur.c, lower_eig.c */

/* lower_algebra.c. Matrices are the last two dims, the dims before them a batch; 0: the error is set. */
/* The type of [.., m, n] with the leading dims of `like`, without its states. */
const ir_type *hlo_matrix_of(const ir_type *like, tt_dtype, int64_t m, int64_t n);
ir_id hlo_spread(ir_build *, ir_id x, const ir_type *to); /* dims of size 1, or all of a scalar, to those of `to` */
ir_id hlo_spread_as(ir_build *, ir_id x, ir_id like);     /* the same to the dims of a value */
ir_id hlo_reduced(ir_build *, const op_prim *by, ir_id x, int dim);    /* over a dim, which stays, of size 1 */
ir_id hlo_total(ir_build *, const op_prim *by, ir_id x);  /* over both dims of each matrix: [.., 1, 1] */
ir_id hlo_cut(ir_build *, ir_id x, int dim, ir_id at, int64_t n);      /* n rows or columns, from number `at` on */
ir_id hlo_put(ir_build *, ir_id x, int dim, ir_id at, ir_id part);     /* the inverse */
/* x with rows or columns k and q, [.., 1, 1], exchanged; *part: the one that is in place k then. */
ir_id hlo_exchanged(ir_build *, ir_id x, bool columns, ir_id k, ir_id q, ir_id *part);
ir_id hlo_reversed(ir_build *, ir_id x, int n);          /* the last n dims, 1 or 2 */
ir_id hlo_conjugate(ir_build *, ir_id);                  /* a real number itself */
ir_id hlo_size1(ir_build *, ir_id);                      /* |re| + |im| */
ir_id hlo_scaled_by(ir_build *, ir_id x, ir_id by);      /* x by [.., 1, 1], real or of x's type */
ir_id hlo_numbers(ir_build *, const ir_type *, bool columns);          /* i32: of rows, [.., m, 1], or columns */
ir_id hlo_compare(ir_build *, op_cmp, ir_id x, ir_id y);      /* the comparison, y spread to x's dims */
ir_id hlo_where(ir_build *, ir_id p, ir_id x, ir_id y);  /* select, p and both values spread to x's; id 0: zeros */
ir_id hlo_filled(ir_build *, ir_id like, double);        /* one number in the shape and type of a value */

/* lower_reflect.c: H = 1 - tau v v' with H' x = (beta, 0 ..) for the rows of a column [.., m, 1] from row `at` on; v is
 * 1 there and 0 above it. tau, beta: [.., 1, 1], of the column's type, though beta is real. */
typedef struct { ir_id v, tau, beta; } hlo_reflector;
bool hlo_reflector_of(ir_build *, ir_id column, ir_id at, hlo_reflector *);
ir_id hlo_reflected(ir_build *, const hlo_reflector *, ir_id x);       /* H' x */
ir_id hlo_reflected_right(ir_build *, const hlo_reflector *, ir_id x); /* x H */
bool hlo_hessenberg(ir_build *, ir_id a, ir_id *y);      /* y: H with the vectors below it, taus [.., n - 1] */

/* lower_schur.c: t, z and the eigenvalues of matrices with n > 0; where there are none: NaN. */
bool hlo_schur(ir_build *, ir_id a, ir_id *y);
/* A real t and z as complex ones, 2 x 2 blocks made triangular. */
bool hlo_schur_complex(ir_build *, ir_id t, ir_id z, ir_id *ct, ir_id *cz);

#endif
