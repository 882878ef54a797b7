/* spmd/spmd.h - a global function on a mesh: which layout every value has, and where it changes.
 *
 * Partitioning does not rewrite to local shapes: equations keep global types and get a cut of their factors; where an
 * operand lies otherwise than the cut wants, a reshard equation is put before it. This first form of the room goes
 * forward once: each equation takes the atoms of its operands that its factor rule admits (PASS anywhere; SUM leaves a
 * partial result, finished at once), keeps those of the larger operand where they conflict, and never cuts windows.
 * Propagation in both directions and choice by cost take its place under the same two functions.
 */
#ifndef TUTTI_SPMD_H
#define TUTTI_SPMD_H

#include "../op/op.h"

typedef struct spmd_cut { int nfactor; const mesh_list *atoms; } spmd_cut;
typedef struct {                                         /* one exchange, as explain() and strict mode see it */
    base_site site; const char *why; const mesh_layout *from, *to; mesh_set over; int64_t bytes;
} spmd_note;
/* fn->layout of arguments is given (NULL: replicated); wanted[i] of returns or NULL: as they come. Fills every layout.
 * reproducible: sums of floating point are not cut, so that their bits do not depend on the mesh. */
ir_fn *spmd_partition(base_arena *, const ir_fn *, const mesh_layout *const *wanted, bool reproducible,
                      const spmd_note **notes, int *n);

#endif
