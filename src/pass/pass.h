/* pass/pass.h - function to function, the same meaning: inline calls, simplify, share, drop, decompose. */
#ifndef TUTTI_PASS_H
#define TUTTI_PASS_H

#include "../op/op.h"

/* Inlines `call` (and custom rules' primal functions, barriers stay), folds constants of few elements, cancels moves
 * (transpose of transpose, reshape of reshape, broadcast of splat, x*1, x+0 where exact), shares equal equations, drops
 * dead ones. Sites survive. Regions are simplified too. The result is in the given arena, with all its regions. */
ir_fn *pass_simplify(base_arena *, const ir_fn *);
/* The same function for another mesh (regions too): what was traced without one runs where its arguments are laid
 * out. */
ir_fn *pass_on_mesh(base_arena *, const ir_fn *, const mesh *);
/* What one scan stacks only for another one to read is computed there again, where that is cheap. */
ir_fn *pass_scan_remat(base_arena *, const ir_fn *);
/* What is made element by element of what a scan stacks is made in its iterations, where the stack is gone then. in[i]:
 * how argument i is laid out; NULL: whole, as all are if in is NULL. */
ir_fn *pass_scan_sink(base_arena *, const ir_fn *, const mesh_layout *const *in);
/* Products of parts of a batch by one weight are one product, and so are sums of products; rounded otherwise. */
ir_fn *pass_merge_slices(base_arena *, const ir_fn *);
/* Rewrites what no engine has a kernel for: scan to while, primitives whose kernel is missing by their .decompose. */
ir_fn *pass_decompose(base_arena *, const ir_fn *);
/* Values to be computed once per loop leave it (invariant equations of while bodies). */
ir_fn *pass_hoist(base_arena *, const ir_fn *);

/* What a function has and does (work.c). Loops of unknown iterations count once: unknown says so. */
enum { PASS_KINDS = 256, PASS_LOOPS = 256 };
typedef struct { base_name name; int64_t n; } pass_kind;
typedef struct { base_site site; int64_t iterations; } pass_loop; /* -1: not known */
typedef struct {
    int64_t equations; double flops; bool unknown;
    int nkind, nloop; pass_kind kind[PASS_KINDS]; pass_loop loop[PASS_LOOPS];   /* nloop may be more than are listed */
} pass_work;
void pass_count(const ir_fn *, pass_work *);

#endif
