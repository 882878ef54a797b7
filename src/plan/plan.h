/* plan/plan.h - a partitioned function to a plan: fusion groups, order, liveness, donation, arenas, kernels. */
#ifndef TUTTI_PLAN_H
#define TUTTI_PLAN_H

#include "../gen/gen.h"
#include "../op/op.h"
#include "../run/plan.h"

/* Requires that fn is simplified, decomposed and partitioned (every value has its layout, no partial value is
 * returned). Returns NULL with the error set. The plan and its kernels are in `keep` and point to nothing else;
 * planning allocates in the other arena. Manual regions are dissolved: lower/manual.c says how. Collectives become
 * views and one exchange step, by their primitive's .exchange. */
run_plan *plan_make(base_arena *, base_arena *keep, const ir_fn *, bool reproducible);
/* The same for one device that does the work of all of fn's devices (driver/ensemble.c): arguments and results, sharded
 * along dim 0 or replicated, are dense arrays of that device, whose parts are contiguous. */
run_plan *plan_single_device(base_arena *, base_arena *keep, const ir_fn *, bool reproducible);

#endif
