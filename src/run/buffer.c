/* run/buffer.c - memory of arrays: free lists by size, so that a warm process requests no memory from the system.
 *
 * Sizes are classes, eight between two powers of two: at most one eighth is lost. A freed buffer goes to the front of
 * its class's list and is reused first, while it is still in the cache; a training loop reuses the same buffers. The
 * free bytes are bounded: when a request finds its list empty, the largest free buffers are returned to the system
 * until at most 64 MiB or half of the bytes in use are free. */
#include "inner.h"

#include <sched.h>

enum { STEPS = 8, CLASSES = 64 * STEPS };
typedef struct free_buffer { struct free_buffer *next; } free_buffer;
run_lock run_free_lists;
static free_buffer *list[CLASSES];
static int64_t free_bytes, used;                         /* bytes in the lists, bytes in use */

void run_lock_wait(run_lock *l)
{
    enum { LOOKS = 64 };
    do {
        for (int i = 0; i < LOOKS && atomic_load_explicit(&l->held, memory_order_relaxed); i++) ;
        if (atomic_load_explicit(&l->held, memory_order_relaxed)) sched_yield();
    } while (atomic_exchange_explicit(&l->held, true, memory_order_acquire));
}

static int64_t size_of(int c)
{
    const int64_t base = (int64_t)1 << (c / STEPS), n = base + c % STEPS * (base / STEPS);
    return base_round_up(n, RUN_CACHE_LINE);
}

static int class_of(int64_t bytes)
{
    if (bytes <= RUN_CACHE_LINE) return 6 * STEPS;
    const int k = 63 - __builtin_clzll((unsigned long long)bytes);
    const int64_t base = (int64_t)1 << k, step = base / STEPS;
    return k * STEPS + (int)((bytes - base + step - 1) / step);  /* STEPS: the next power of two */
}

static void release(int64_t keep)   /* frees the largest first, until at most `keep` bytes are free */
{
    for (int c = CLASSES - 1; c >= 0; c--)
        while (list[c] && free_bytes > keep) {
            free_buffer *s = list[c];
            list[c] = s->next;
            free_bytes -= size_of(c);
            wire_pages_free(s, (size_t)size_of(c));
        }
}

static void *buffer_fresh(int64_t bytes)
{
    const int64_t spares = (int64_t)64 << 20, most = used / 2 > spares ? used / 2 : spares;
    const bool clean = !base_failed();
    if (free_bytes > most) release(most);
    void *p = wire_pages((size_t)bytes);
    if (p || !free_bytes) return p;
    release(0);
    p = wire_pages((size_t)bytes);
    if (p && clean) base_clear_error();
    return p;
}

void *run_buffer_locked(int64_t bytes)
{
    if (bytes > (int64_t)1 << 56) {
        base_fail(TT_EMEM, NULL, "out of memory: an array of %lld bytes was requested", (long long)bytes);
        return NULL;
    }
    const int c = class_of(bytes);
    free_buffer *s = list[c];
    if (s) {
        list[c] = s->next;
        free_bytes -= size_of(c);
    } else {
        s = buffer_fresh(size_of(c));
    }
    if (s) used += size_of(c);
    return s;
}

void run_buffer_drop_locked(void *p, int64_t bytes)
{
    if (!p) return;
    const int c = class_of(bytes);
    free_buffer *s = p;
    s->next = list[c];
    list[c] = s;
    free_bytes += size_of(c);
    used -= size_of(c);
}

void *run_buffer(int64_t bytes)
{
    run_locked(&run_free_lists);
    void *p = run_buffer_locked(bytes);
    run_unlocked(&run_free_lists);
    return p;
}

void run_buffer_drop(void *p, int64_t bytes)
{
    run_locked(&run_free_lists);
    run_buffer_drop_locked(p, bytes);
    run_unlocked(&run_free_lists);
}

void run_buffer_trim(void)
{
    run_locked(&run_free_lists);
    release(0);
    run_unlocked(&run_free_lists);
}

void run_buffer_forked(void) { run_unlocked(&run_free_lists); }
