/* ckpt/codec/copy.c - copies a box of elements between two buffers, each with its strides. */
#include "../ckpt.h"

#include <string.h>

void ckpt_copy(size_t unit, int rank, const int64_t *n, char *to, const int64_t *to_step, const char *from,
               const int64_t *from_step)
{
    size_t run = unit;
    while (rank && to_step[rank - 1] == (int64_t)run && from_step[rank - 1] == (int64_t)run) run *= (size_t)n[--rank];
    if (!rank) {
        memcpy(to, from, run);
        return;
    }
    int64_t at[CKPT_RANK] = { 0 };
    for (int i = 0; i < rank; i++) if (!n[i]) return;
    for (;;) {
        const int last = rank - 1;
        char *t = to;
        const char *f = from;
        for (int i = 0; i < last; i++) t += at[i] * to_step[i], f += at[i] * from_step[i];
        for (int64_t k = 0; k < n[last]; k++, t += to_step[last], f += from_step[last]) memcpy(t, f, run);
        int i = last - 1;
        while (i >= 0 && ++at[i] == n[i]) at[i--] = 0;
        if (i < 0) return;
    }
}
