/* hlo/raise/raise.c - runs all raising passes, in order. */
#include "../hlo.h"

ir_fn *hlo_raise(base_arena *a, const ir_fn *f)
{
    hlo_raising *const pass[] = { hlo_axis_index, hlo_threefry, hlo_random_bits, hlo_row_sums, hlo_one_hot,
                                 hlo_log_sums, hlo_loops };
    ir_fn *g = (ir_fn *)(uintptr_t)f;
    for (size_t i = 0; g && i < sizeof pass / sizeof *pass; i++) g = pass[i](a, g, NULL);
    return g;
}
