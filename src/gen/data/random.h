/* gen/data/random.h - the interface of random_bits' loops (random_isa.c) for its kernel (random.c). */
#ifndef TUTTI_GEN_RANDOM_H
#define TUTTI_GEN_RANDOM_H

#include "../../op/random/threefry.h"
#include "../isa/isa.h"

typedef struct {
    /* Elements [first, first + n) of the partitionable layout, dense. */
    void (*map)(op_pair key, uint64_t first, int64_t n, int64_t width, void *out);
    /* Both words of the blocks of the counters (x0 + i, x1 + i). */
    void (*pairs)(op_pair key, uint32_t x0, uint32_t x1, int64_t n, uint32_t *a, uint32_t *b);
    void (*wide)(op_pair key, uint32_t x0, uint32_t x1, int64_t n, uint64_t *ab);    /* the two as one word, a high */
} gen_random_ops;
GEN_ISA_DECLARE(const gen_random_ops, gen_random_loops);

#endif
