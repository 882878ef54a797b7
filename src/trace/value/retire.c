/* trace/value/retire.c - deferred freeing of objects that other threads may be reading without a lock.
 *
 * Calls of compiled functions search lists without a lock. A thread marks when it enters and leaves such code
 * ("inside"). An object taken off a list is freed when every thread that was inside at that time has left: a
 * process-wide counter is incremented with each retired object, and a thread that is inside publishes the counter's
 * value at its entry. Entering costs one ordered store; nested calls may enter too. */
#include "../trace.h"

#include <pthread.h>
#include <stdatomic.h>

#include "../inner.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static trace_thread *threads;                            /* under the lock, as is `list` */
static trace_waiting *list;
static _Atomic uint64_t now = 1;
static _Atomic bool some;                                /* true if `list` is not empty */

void trace_thread_in(trace_thread *t)
{
    pthread_mutex_lock(&lock);
    t->next_thread = threads;
    threads = t;
    pthread_mutex_unlock(&lock);
}

void trace_thread_out(trace_thread *t)
{
    pthread_mutex_lock(&lock);
    trace_thread **at = &threads;
    while (*at && *at != t) at = &(*at)->next_thread;
    if (*at) *at = t->next_thread;
    pthread_mutex_unlock(&lock);
}

static void sweep(void)
{
    trace_waiting *free_now = NULL;
    pthread_mutex_lock(&lock);
    uint64_t oldest = UINT64_MAX;
    for (const trace_thread *t = threads; t; t = t->next_thread) {
        const uint64_t since = atomic_load(&t->inside_since);
        if (since && since < oldest) oldest = since;
    }
    for (trace_waiting **at = &list, *w; (w = *at);)
        if (w->since < oldest) *at = w->next, w->next = free_now, free_now = w;
        else at = &w->next;
    atomic_store(&some, list != NULL);
    pthread_mutex_unlock(&lock);
    for (trace_waiting *w = free_now, *next; w; w = next) {
        next = w->next;
        w->freed(w);
    }
}

void trace_inside(trace_thread *t)
{
    if (!t->inside++) atomic_store(&t->inside_since, atomic_load_explicit(&now, memory_order_relaxed));
}

void trace_outside_to(trace_thread *t, int depth)
{
    if (t->inside == depth) return;
    if (!(t->inside = depth)) atomic_store_explicit(&t->inside_since, 0, memory_order_release);
    if (!depth && atomic_load_explicit(&some, memory_order_relaxed)) sweep();
}

void trace_retire(trace_waiting *w, void (*freed)(void *))
{
    pthread_mutex_lock(&lock);
    *w = (trace_waiting){ list, atomic_fetch_add(&now, 1), freed };
    list = w;
    atomic_store(&some, true);
    pthread_mutex_unlock(&lock);
    sweep();
}
