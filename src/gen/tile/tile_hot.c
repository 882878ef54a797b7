/* gen/tile/tile_hot.c - decides when a scalar program is worth compiling: when the interpreter has run it over many
 * elements, and one of its jobs recurs. */
#include "tile.h"

#include <string.h>

gen_hot *gen_hot_new(base_arena *a)
{
    gen_hot *h = BASE_NEW(a, gen_hot, 1);
    const char *llvm = base_switch("llvm");
    if (llvm && !strcmp(llvm, "now")) atomic_store(&h->done, INT64_MAX / 2), atomic_store(&h->twice, true);
    return h;
}

/* True if one of the code's jobs has run before; a job is identified by the address of its boxes and its first tile.
 * Two are watched: the first that came of those that begin at tile 0, which recur however many workers there are, and
 * of those that do not: of a step in shares (run/shares.c), a rank may have no other. job NULL: one of many jobs, which
 * counts as a recurring one. */
static bool comes_again(gen_hot *h, const run_job *job)
{
    const uintptr_t MIX = 0x9E3779B1;                    /* odd */
    uintptr_t none = 0;
    if (!job || atomic_load_explicit(&h->twice, memory_order_relaxed)) return true;
    const uintptr_t this = (uintptr_t)job->arg ^ (uintptr_t)job->first * MIX;
    if (atomic_compare_exchange_strong(&h->job[job->first != 0], &none, this) || none != this) return false;
    atomic_store_explicit(&h->twice, true, memory_order_relaxed);
    return true;
}

/* True if compiling pays: the code has computed many elements, and a job of it recurs. Code that a program runs once,
 * such as for its first parameters, would be compiled for no later run, while the program's first step needs the
 * processors. Exception: code that takes long even once. */
static bool is_hot(const gen_tile_code *c, int64_t n, const run_job *job)
{
    enum { WORTH = 1 << 22, SOME = 5000000, LONG = 100000000 }; /* elements; ns, by gen_tile_code.cost */
    gen_hot *const h = c->hot;
    const bool again = comes_again(h, job);
    const int64_t done = atomic_load_explicit(&h->done, memory_order_relaxed);
    if (done >= WORTH && (again || (double)done * c->cost >= LONG)) return true;
    atomic_store_explicit(&h->done, done + n, memory_order_relaxed); /* an update lost to another worker does no harm */
    return again && (done + n >= WORTH || (double)(done + n) * c->cost >= SOME);
}

gen_fused_loop *gen_hot_loop(const gen_tile_code *c, int64_t n, const run_job *job)
{
    if (!c->hot || !is_hot(c, n, job)) return NULL;
    if (!atomic_load_explicit(&c->hot->requested, memory_order_relaxed) && !atomic_exchange(&c->hot->requested, true))
        atomic_store(&c->hot->fused, gen_fuse(c));
    const gen_fused *f = atomic_load_explicit(&c->hot->fused, memory_order_acquire);
    return f ? atomic_load_explicit(&f->loop, memory_order_acquire) : NULL;
}
