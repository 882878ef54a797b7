/* plan/plan.h - a partitioned function to a plan: fusion groups, order, liveness, donation, arenas, kernels. */
#ifndef TUTTI_PLAN_H
#define TUTTI_PLAN_H

#include "../gen/gen.h"
#include "../op/op.h"
#include "../run/plan.h"

/* fn is simplified, decomposed and partitioned (every value has its layout, no partial value is returned). NULL with
 * the error set. The plan and its kernels are in `keep` and point to nothing else; planning allocates in the other
 * arena. Manual regions are flattened: their values become plan values with local dims and a `vary` set inferred here
 * (never taken from the user's types): a constant has none; a region's parameter has the atoms of its in-layout;
 * axis_index has its axes; psum and all_gather remove their axes; other collectives add theirs; any other value has the
 * union of its operands. Collectives become views and one exchange step, by their primitive's `.exchange`. */
run_plan *plan_make(base_arena *, base_arena *keep, const ir_fn *, bool reproducible);
/* The same for one device that does the work of all of fn's devices (see driver/ensemble.c): arguments and results,
 * sharded along dim 0 or replicated, are dense arrays of that device, with the parts contiguous. */
run_plan *plan_single_device(base_arena *, base_arena *keep, const ir_fn *, bool reproducible);

#endif
