/* op/host/io_callback.c - what a function of C with effects computes: jax.experimental.io_callback. It happens as often
 * as the program says, in order. */
#include "../build.h"

const op_prim prim_io_callback = {
    .name = "io_callback", .doc = "what a function of C with effects computes", .ordered = true, OP_HOST_CELLS,
};
