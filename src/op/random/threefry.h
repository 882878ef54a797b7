/* op/random/threefry.h - Threefry-2x32 with 20 rounds, for any type with add, xor and rotate of 32-bit words: integers,
 * vectors of integers, registers of a scalar program. JAX's generator; the reference vectors are in
 * tests/op/random.c. */
#ifndef TUTTI_OP_THREEFRY_H
#define TUTTI_OP_THREEFRY_H

#include "../attrs.h"

#include <stdint.h>

/* The rotations of a group of four rounds, in even and odd groups. */
#define OP_THREEFRY_EVEN(ROUND) ROUND(13) ROUND(15) ROUND(26) ROUND(6)
#define OP_THREEFRY_ODD(ROUND) ROUND(17) ROUND(29) ROUND(16) ROUND(24)

/* Encrypts the counter in the variables x0 and x1 under the key (k0, k1). W: a type with + ^ << >> on 32-bit lanes. */
#define OP_THREEFRY(W, k0, k1)                                                                                         \
    do {                                                                                                               \
        const W ks0_ = (k0), ks1_ = (k1), ks2_ = ks0_ ^ ks1_ ^ 0x1bd11bdau;                                            \
        x0 += ks0_, x1 += ks1_;                                                                                        \
        OP_THREEFRY_EVEN(OP_ROUND_) x0 += ks1_, x1 += ks2_ + 1u;                                                       \
        OP_THREEFRY_ODD(OP_ROUND_) x0 += ks2_, x1 += ks0_ + 2u;                                                        \
        OP_THREEFRY_EVEN(OP_ROUND_) x0 += ks0_, x1 += ks1_ + 3u;                                                       \
        OP_THREEFRY_ODD(OP_ROUND_) x0 += ks1_, x1 += ks2_ + 4u;                                                        \
        OP_THREEFRY_EVEN(OP_ROUND_) x0 += ks2_, x1 += ks0_ + 5u;                                                       \
    } while (0)
#define OP_ROUND_(r) x0 += x1, x1 = (x1 << r) | (x1 >> (32 - r)), x1 ^= x0;

typedef struct { uint32_t a, b; } op_pair;
static inline op_pair op_threefry(op_pair key, uint32_t x0, uint32_t x1)
{
    OP_THREEFRY(uint32_t, key.a, key.b);
    return (op_pair){ x0, x1 };
}

/* op/random/random_bits.c: element i of n of a draw, in the low `width` bits. */
uint64_t op_random_element(const op_random_bits_attr *, op_pair key, uint64_t i, uint64_t n);

#endif
