/* gen/isa/tree.h - the order of sums in reproducible mode: the same bits whether a sum is computed at once or from its
 * shards.
 *
 * n = 2^a m elements, m odd: 2^a leaves of m consecutive elements, each summed in its own order, are joined in pairs of
 * neighbours, the results in pairs of neighbours, and so on. If n is split into 2^b equal shards, b <= a, every shard
 * is a subtree, and the exchange that sums the shards continues in pairs (run/combine_isa.c): so a psum of sums is the
 * sum, and a pmean of means the mean. */
#ifndef TUTTI_GEN_TREE_H
#define TUTTI_GEN_TREE_H

#include <stdint.h>

enum { TREE_DEPTH = 44 };                                /* levels: no array has 2^43 elements */

static inline int64_t tree_leaves(int64_t n) { return n > 0 ? n & -n : 1; } /* 2^a, the number of leaves */
/* For a stack of sums, one pushed per leaf: the number of pairs at its top that are complete once leaf i is pushed. */
static inline int tree_joins(int64_t i) { return __builtin_ctzll((uint64_t)i + 1); }

#endif
