/* op/host/debug_callback.c - a function of C that only looks at its operands: jax.debug.callback and jax.debug.print.
 *
 * It is never removed, merged or moved past another effect. Derivatives leave it where it is, in the forward pass; what
 * computes values a second time for a derivative leaves it out. The backward pass of a remat calls it again, as in
 * JAX. */
#include "../build.h"

const op_prim prim_debug_callback = {
    .name = "debug_callback", .doc = "a function of C looks at values", .ordered = true, .watches = true,
    OP_HOST_CELLS,
};
