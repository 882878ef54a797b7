/* plan/memory/memory.c - assigns offsets in the arenas: one arena per vary set, largest buffers first, each into the
 * smallest hole that is free for all of its spans. Independent of the number of devices. */
#include "../inner.h"

#include <stdlib.h>
#include <string.h>

typedef struct { plan_id id; const plan_buffer *b; } entry;

static int larger(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (a->b->bytes != b->b->bytes) return a->b->bytes < b->b->bytes ? 1 : -1;
    return (a->id > b->id) - (a->id < b->id);
}

static bool meet(const plan_buffer *a, const plan_buffer *b)
{
    for (uint32_t i = 0; i < a->nspan; i++)
        for (uint32_t k = 0; k < b->nspan; k++)
            if (a->span[i].first <= b->span[k].last && b->span[k].first <= a->span[i].last) return true;
    return false;
}

/* Inserts b after all buffers whose offset is no larger. */
static void insert(plan_buffer **placed, uint32_t n, plan_buffer *b)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        if (placed[mid]->at <= b->at) lo = mid + 1;
        else hi = mid;
    }
    memmove(placed + lo + 1, placed + lo, (n - lo) * sizeof *placed);
    placed[lo] = b;
}

/* The offset of the smallest sufficient hole between the n conflicting buffers, given by rising offsets; otherwise the
 * end of them all. */
static int64_t memory_best_fit(int64_t bytes, uint32_t n, plan_buffer *const *in_the_way)
{
    int64_t top = 0, best = -1, least = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t hole = in_the_way[i]->at - top;
        if (hole >= bytes && hole < least) best = top, least = hole;
        if (in_the_way[i]->at + in_the_way[i]->bytes > top) top = in_the_way[i]->at + in_the_way[i]->bytes;
    }
    return best >= 0 ? best : top;
}

void plan_memory(plan_flat *f)
{
    entry *all = BASE_NEW(f->a, entry, f->nvalue + 1);
    plan_buffer **placed = BASE_NEW(f->a, plan_buffer *, f->nvalue + 1), /* sorted by rising offsets */
                **way = BASE_NEW(f->a, plan_buffer *, f->nvalue + 1);
    uint32_t n = 0;
    for (plan_id r = 1; r <= f->nvalue; r++) {
        plan_buffer *b = &f->buffer[r];
        if (f->value[r].root == r && b->into == r && b->space == RUN_ARENA && b->nspan) all[n++] = (entry){ r, b };
    }
    qsort(all, n, sizeof *all, larger);
    for (uint32_t i = 0; i < n; i++) {
        plan_buffer *b = &f->buffer[all[i].id];
        uint32_t nw = 0;
        for (uint32_t k = 0; k < i; k++) if (placed[k]->vary == b->vary && meet(placed[k], b)) way[nw++] = placed[k];
        b->at = memory_best_fit(b->bytes, nw, way);
        insert(placed, i, b);
    }
}
