/* op/loop/guard.h - checks (tt_check) in regions that run for more elements than the program chose: branches and loops
 * that are mapped over their predicate. */
#ifndef TUTTI_OP_LOOP_GUARD_H
#define TUTTI_OP_LOOP_GUARD_H

#include "../build.h"

bool guard_checks(const ir_fn *);                        /* True if the region, or one inside of it, has a check */
/* The region with one more parameter, a bool scalar, behind the others: where that is false, no check fails. NULL with
 * the error set: a check is in a region for which there is no rule. */
ir_fn *guard_region(ir_build *, const ir_fn *);

#endif
