/* hlo/write/lower_algebra.c - which primitives of linear algebra are spelled out for compilers without LAPACK's
 * routines. Not here: eigh, qr, Cholesky and triangular solves, which XLA expands itself; general eigenvalues and Schur
 * forms, which it does not have on any device but processors, nor JAX. */
#include "lower_algebra.h"

static const struct { const op_prim *prim; hlo_lowering *lower; } spelled[] = {
    { &prim_lu, hlo_spell_lu }, { &prim_svd, hlo_spell_svd }, { &prim_svdvals, hlo_spell_svdvals },
};

hlo_lowering *hlo_spelled_of(const ir_eqn *e)
{
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) if (spelled[i].prim == e->op) return spelled[i].lower;
    return NULL;
}
