/* rounding.h - how this machine's loops of products round, for tests that compute the same bits in C. */
#ifndef TUTTI_TESTS_GEN_ROUNDING_H
#define TUTTI_TESTS_GEN_ROUNDING_H

#include "gen/gen.h"

/* True if the loops multiply and add with one rounding. */
static inline bool rounds_once(void)
{
#if defined __x86_64__
    return gen_isa_now() != GEN_BASE;
#elif defined __aarch64__
    return true;
#else
    return false;
#endif
}

#endif
