/* hlo/write/lower_algebra.h - linear algebra in operations of StableHLO, for compilers without LAPACK's routines. */
#ifndef TUTTI_HLO_LOWER_ALGEBRA_H
#define TUTTI_HLO_LOWER_ALGEBRA_H

#include "print.h"
#include "../../op/ops.h"

hlo_lowering hlo_spell_lu;                               /* lower_lu.c */
hlo_lowering hlo_spell_svd, hlo_spell_svdvals;           /* lower_svd.c */
/* The type of [.., m, n] with the leading dims of `like`, without its states. */
const ir_type *hlo_matrix_of(const ir_type *like, tt_dtype, int64_t m, int64_t n);

#endif
