/* trace/call/jit_cache.c - the cache of compiled calls: entries by function and key, limited in number and bytes, of
 * which the least recently used are evicted.
 *
 * A function's entries are a list that is read without a lock (retire.c) and changed under one. Entries of all
 * functions are also in one common list. Evicted are
 * (a) if there are more than MOST entries, those that no call has found while MOST / 2 entries were created;
 * (b) if the programs take too many bytes, those that were not found for longest.
 * An entry holds a reference to its program, so that the cache of programs cannot free it. An entry without a program
 * has the result types of a branch (branches.c). */
#include "../trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../inner.h"

enum { MOST = 2048 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jit_entry *entries;                               /* linked by `other` */
static size_t nentry, bytes;
static _Atomic uint64_t tick = 1;                        /* number of entries created */

void jit_entry_free(void *p)
{
    jit_entry *e = p;
    if (!e) return;
    for (int i = 0; i < e->ncaptured; i++) pin_release(e->captured[i]);
    driver_release_program(e->program);
    base_close(e->arena);
    base_heap_free(e->captured);
    base_heap_free(e->key);
    base_heap_free(e->type);
    base_heap_free(e->weak);
    base_heap_free(e->consumed);
    base_heap_free(e);
}

jit_entry *jit_find(trace_fn *f, const void *const *key, size_t n)
{
    for (jit_entry *e = atomic_load_explicit(&f->cache, memory_order_acquire); e;
         e = atomic_load_explicit(&e->next, memory_order_acquire))
        if (e->nkey == n && !memcmp(e->key, key, n * sizeof *key)) {
            const uint64_t t = atomic_load_explicit(&tick, memory_order_relaxed);
            if (atomic_load_explicit(&e->used, memory_order_relaxed) != t)
                atomic_store_explicit(&e->used, t, memory_order_relaxed);
            return e;
        }
    return NULL;
}

static size_t most_bytes(void)                           /* an eighth of the machine's memory, but at least 1 GiB */
{
    const long page = sysconf(_SC_PAGESIZE), n = sysconf(_SC_PHYS_PAGES);
    const size_t part = page > 0 && n > 0 ? (size_t)page * (size_t)n / 8 : 0;
    return part > (size_t)1 << 30 ? part : (size_t)1 << 30;
}

/* Removes, under the lock, the entries that no call has found since tick `since`. Removed entries stay readable, and
 * are linked by `other`. */
static jit_entry *unused(uint64_t since, jit_entry *gone)
{
    for (jit_entry **o = &entries, *e; (e = *o);) {
        if (atomic_load_explicit(&e->used, memory_order_relaxed) > since) {
            o = &e->other;
            continue;
        }
        jit_entry *_Atomic *at = &e->fn->cache;
        while (atomic_load(at) != e) at = &atomic_load(at)->next;
        atomic_store(at, atomic_load(&e->next));
        *o = e->other, e->other = gone, gone = e;
        nentry--;
        bytes -= e->bytes;
    }
    return gone;
}

static jit_entry *too_many(void)                         /* under the lock */
{
    static size_t capacity;
    const uint64_t t = atomic_load(&tick);
    jit_entry *gone = NULL;
    if (!capacity) capacity = most_bytes();
    if (nentry > MOST) gone = unused(t - MOST / 2, gone);
    for (uint64_t age = MOST; bytes > capacity && age; age /= 2) if (t > age) gone = unused(t - age, gone);
    return gone;
}

static void retire(jit_entry *gone)
{
    for (jit_entry *next; gone; gone = next) {
        next = gone->other;
        trace_retire(&gone->wait, jit_entry_free);
    }
}

void jit_add(trace_fn *f, jit_entry *e)
{
    e->fn = f;
    e->bytes = (e->program ? run_program_bytes(e->program) : 0) + (e->arena ? base_arena_bytes(e->arena) : 0);
    pthread_mutex_lock(&lock);
    atomic_store(&e->used, atomic_fetch_add(&tick, 1) + 1);
    atomic_store(&e->next, atomic_load(&f->cache));
    atomic_store_explicit(&f->cache, e, memory_order_release);
    e->other = entries;
    entries = e;
    nentry++;
    bytes += e->bytes;
    jit_entry *gone = too_many();
    pthread_mutex_unlock(&lock);
    retire(gone);
}

void trace_jit_forget(void)
{
    pthread_mutex_lock(&lock);
    jit_entry *gone = unused(UINT64_MAX, NULL);
    pthread_mutex_unlock(&lock);
    retire(gone);
    trace_eager_forget();
}
