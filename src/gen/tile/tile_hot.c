/* gen/tile/tile_hot.c - when a scalar program is worth compiling: the interpreter runs it until it has done much and
 * comes again. */
#include "tile.h"

#include <string.h>

gen_hot *gen_hot_new(base_arena *a)
{
    gen_hot *h = BASE_NEW(a, gen_hot, 1);
    const char *llvm = base_switch("llvm");
    if (llvm && !strcmp(llvm, "now")) atomic_store(&h->done, INT64_MAX / 2), atomic_store(&h->twice, true);
    return h;
}

/* Does a job come for the second time? A job is known by where its boxes stand. */
static bool comes_again(gen_hot *h, const run_job *job)
{
    const ir_box *none = NULL;
    if (!job || atomic_load_explicit(&h->twice, memory_order_relaxed)) return true;
    if (job->first || atomic_compare_exchange_strong(&h->box, &none, job->arg) || none != job->arg) return false;
    atomic_store_explicit(&h->twice, true, memory_order_relaxed);
    return true;
}

/* Is it worth a compiler's time? It has done much, and comes again: what a program computes once, as its first
 * parameters, would be compiled for nobody, while its first step wants the processors. (Or it takes long even once.) */
static bool is_hot(const gen_tile_code *c, int64_t n, const run_job *job)
{
    enum { WORTH = 1 << 22, SOME = 5000000, LONG = 100000000 };      /* elements; ns, by the guess for tasks */
    gen_hot *const h = c->hot;
    const bool again = comes_again(h, job);
    const int64_t done = atomic_load_explicit(&h->done, memory_order_relaxed);
    if (done >= WORTH && (again || (double)done * c->cost >= LONG)) return true;
    atomic_store_explicit(&h->done, done + n, memory_order_relaxed);     /* what another worker overwrites is no loss */
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
