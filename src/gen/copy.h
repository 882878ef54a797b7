/* gen/copy.h - strided copies of elements of 1, 2, 4, 8 or 16 bytes, for kernels that move data. */
#ifndef TUTTI_GEN_COPY_H
#define TUTTI_GEN_COPY_H

#include "gen.h"

/* to[sum i[d] ts[d]] = from[sum i[d] fs[d]] for all i < n; steps in elements, any sign, fs may be 0. Prepared once, run
 * at many places. */
typedef struct {
    int rank;                                            /* number of loops, inner last */
    size_t size;
    int64_t n[IR_RANK], fs[IR_RANK], ts[IR_RANK];
    bool none, transposes; /* none: no elements; transposes: the two inner loops are a transpose */
} gen_copy;
gen_copy gen_copy_of(int rank, const int64_t *n, const int64_t *fs, const int64_t *ts, size_t size);
void     gen_copy_run(const gen_copy *, const void *from, void *to);
void     gen_copy_line(void *to, int64_t ts, const void *from, int64_t fs, int64_t n, size_t size);

#endif
