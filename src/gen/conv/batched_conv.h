/* gen/conv/batched_conv.h - batched convolutions: boxes whose first dims (op_conv_attr.batching of them) count
 * independent convolutions, computed one by one.
 *
 * The functions are inline because two engines use them: the core's, and oneDNN's, a plug-in that links nothing of the
 * core. */
#ifndef TUTTI_GEN_BATCHED_CONV_H
#define TUTTI_GEN_BATCHED_CONV_H

#include "../gen.h"

static inline int64_t batched_conv_count(const op_conv_attr *a, const ir_box *arg)
{
    int64_t n = 1;
    for (int d = 0; d < a->batching; d++) n *= arg[2].n[d];
    return n;
}

/* The boxes of convolution s of the batch. at[t]: where box t begins, in elements from the address of the full box. */
static inline void batched_conv_one(const op_conv_attr *a, const ir_box *arg, int64_t s, ir_box *one, int64_t *at)
{
    for (int t = 0; t < 3; t++) one[t] = arg[t], at[t] = 0;
    for (int d = (int)a->batching - 1; d >= 0; s /= arg[2].n[d], d--) {
        const int64_t i = arg[2].lo[d] + s % arg[2].n[d];
        for (int t = 0; t < 3; t++) {
            at[t] += (i - arg[t].lo[d]) * arg[t].step[d];
            one[t].lo[d] = i, one[t].n[d] = 1;
        }
    }
}

#endif
