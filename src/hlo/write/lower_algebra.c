/* hlo/write/lower_algebra.c - which primitives of linear algebra are spelled out for compilers without LAPACK's
 * routines. Not here: eigh, qr, Cholesky and triangular solves, which XLA expands itself; general eigenvalues and Schur
 * forms, which XLA expands on no device. */
#include "lower_algebra.h"

#include <string.h>

static const struct { const op_prim *prim; hlo_lowering *lower; } spelled[] = {
    { &prim_lu, hlo_spell_lu }, { &prim_svd, hlo_spell_svd }, { &prim_svdvals, hlo_spell_svdvals },
};

hlo_lowering *hlo_spelled_of(const ir_eqn *e)
{
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) if (spelled[i].prim == e->op) return spelled[i].lower;
    return NULL;
}

const ir_type *hlo_matrix_of(const ir_type *like, tt_dtype d, int64_t m, int64_t n)
{
    int64_t dim[IR_RANK];
    memcpy(dim, like->dim, (size_t)like->rank * sizeof *dim);
    dim[like->rank - 2] = m, dim[like->rank - 1] = n;
    return ir_type_of(d, like->rank, dim);
}
