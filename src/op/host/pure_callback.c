/* op/host/pure_callback.c - what a function of C computes from its operands: jax.pure_callback. Without effects: it may
 * be removed, merged with an equal one, and computed again. */
#include "../build.h"

const op_prim prim_pure_callback = {
    .name = "pure_callback", .doc = "what a function of C computes", OP_HOST_CELLS,
};
