/* pass/pass.h - function to function, the same meaning: inline calls, simplify, share, drop, decompose. Each verified. */
#ifndef TUTTI_PASS_H
#define TUTTI_PASS_H

#include "../op/op.h"

/* Inlines `call` (and custom rules' primal functions, barriers stay), folds constants of few elements, cancels moves
 * (transpose of transpose, reshape of reshape, broadcast of splat, x*1, x+0 where exact), shares equal equations, drops
 * dead ones. Sites survive. Regions are simplified too. The result lies in the given arena, with all its regions. */
ir_fn *pass_simplify(base_arena *, const ir_fn *);
/* The same function for another mesh (regions too): what was traced without one runs where its arguments lie. */
ir_fn *pass_on_mesh(base_arena *, const ir_fn *, const mesh *);
/* Rewrites what no engine has a kernel for: scan to while, rows whose kernel is missing by their .decompose. */
ir_fn *pass_decompose(base_arena *, const ir_fn *);
/* Values to be computed once per loop leave it (invariant equations of while bodies). */
ir_fn *pass_hoist(base_arena *, const ir_fn *);

#endif
