/* plan/plan.h - a partitioned function to a plan: fusion groups, order, liveness, donation, arenas, kernels. */
#ifndef TUTTI_PLAN_H
#define TUTTI_PLAN_H

#include "../gen/gen.h"
#include "../op/op.h"
#include "../run/run.h"

/* fn: simplified, decomposed and partitioned (every value has its layout, no partial returned). NULL with the error
 * set. The plan and its kernels are in `keep` and point to nothing else; what planning needs, in the other arena.
 * Manual regions are flattened: their values become plan values with local dims and a `vary` set found here (never the
 * user's claim): constants none; a region's parameter: its in-layout's atoms; axis_index its axes; psum and all_gather
 * take their axes away; other collectives add theirs; anything else the union of its operands. Collectives become
 * views and one exchange step, by their primitive's `.exchange`. */
run_plan *plan_make(base_arena *, base_arena *keep, const ir_fn *, bool reproducible);
/* The same for one device that does the work of all of fn's (see driver/ensemble.c): arguments and results, cut along
 * dim 0 or whole, are dense arrays of that device, parts side by side without a gap. */
run_plan *plan_single_device(base_arena *, base_arena *keep, const ir_fn *, bool reproducible);

#endif
