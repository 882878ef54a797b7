/* pass/pass.h - transformations of a function into an equivalent one: simplification, rematerialisation, sinking,
 * merging, decomposition, hoisting. */
#ifndef TUTTI_PASS_H
#define TUTTI_PASS_H

#include "../op/op.h"

/* Simplifies a function and its regions: inlines calls (also remat and the primal functions of custom rules), folds
 * constants with few elements, cancels moves and identities (transpose of transpose, reshape of reshape, broadcast of
 * splat, x*1, x+0 where exact), merges equal equations, removes dead ones. Barriers and sites are kept. The result and
 * its regions are in the given arena. */
ir_fn *pass_simplify(base_arena *, const ir_fn *);
/* Copies a function and its regions to another mesh, so that a function traced without a mesh runs on the mesh of its
 * arguments. */
ir_fn *pass_on_mesh(base_arena *, const ir_fn *, const mesh *);
/* Rematerialises, where cheap, values that one scan stacks only for another scan to read. */
ir_fn *pass_scan_remat(base_arena *, const ir_fn *);
/* Sinks elementwise equations on the stacked results of a scan into the scan's body, where this removes a stack. in[i]:
 * layout of argument i, NULL: replicated; in NULL: all are replicated. */
ir_fn *pass_scan_sink(base_arena *, const ir_fn *, const mesh_layout *const *in);
/* Merges products of slices of a batch by one weight into one product, and sums of such products into one contraction.
 * Changes the rounding of sums. */
ir_fn *pass_merge_slices(base_arena *, const ir_fn *);
/* Rewrites equations for which no engine has a kernel: scan to while, other primitives by their .decompose. */
ir_fn *pass_decompose(base_arena *, const ir_fn *);
/* Hoists loop-invariant equations out of the bodies of while loops. */
ir_fn *pass_hoist(base_arena *, const ir_fn *);
/* Large constants, of at least so many bytes, become arguments behind the function's own. *constant, [*n]: the
 * equations that had them. The function itself if it has none. */
ir_fn *pass_constants_out(base_arena *, const ir_fn *, int64_t least, uint32_t *n, const ir_eqn *const **constant);

/* Counts of equations, operations and loops of a function (work.c). A loop with unknown trip count counts as one
 * iteration and sets `unknown`. */
enum { PASS_KINDS = 256, PASS_LOOPS = 256 };
typedef struct { base_name name; int64_t n; } pass_kind;
typedef struct { base_site site; int64_t iterations; } pass_loop; /* -1: not known */
typedef struct {
    int64_t equations; double flops; bool unknown;
    int nkind, nloop; pass_kind kind[PASS_KINDS]; pass_loop loop[PASS_LOOPS];   /* nloop may exceed PASS_LOOPS */
} pass_work;
void pass_count(const ir_fn *, pass_work *);

#endif
