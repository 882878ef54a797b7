/* base/machine.h - the machine's caches: what kernels and plans are tuned for.
 *
 * (a) Constants, the same on every machine. A size that decides a plan, the choice between kernels, the split of a sum
 *     or any other order of additions is written with them, so that plans and results do not depend on the machine.
 * (b) Facts, found once per process. Only a size that never changes an element's operations may follow them: how many
 *     columns of a product are packed at once (gen/matmul), for example. So results are equal bit by bit whatever the
 *     facts are; tests/gen/machine.c checks that. */
#ifndef TUTTI_BASE_MACHINE_H
#define TUTTI_BASE_MACHINE_H

#include "base.h"

/* (a) Bytes: a first-level data cache, a second-level cache, what the caches keep from one step to the next, what no
 * cache keeps. WAKE_NS: nanoseconds until a waiting worker runs. A cache line: BASE_CACHE_LINE. */
enum { BASE_L1 = 48 << 10, BASE_L2 = 2 << 20, BASE_CACHES = 8 << 20, BASE_UNCACHED = 32 << 20, BASE_WAKE_NS = 4000 };

/* (b) Bytes; l3: of all cores that share it. What is not found, or not plausible, is the constant: l1 BASE_L1, l2
 * BASE_L2, l3 BASE_UNCACHED, line BASE_CACHE_LINE. */
typedef struct { int64_t line, l1, l2, l3; } base_machine;
const base_machine *base_machine_facts(void);            /* by cpuid on x86-64, elsewhere from /sys */
const char *base_machine_report(base_arena *);           /* "48 KiB, 2 MiB, 260 MiB; lines of 64 bytes" */
void base_machine_use(const base_machine *);             /* test hook: other facts from now on; NULL: those found */

#endif
