/* data/ahead.c - assembles batches in a thread before they are requested: a ring buffer with one producer and one
 * consumer, in order. On an engine of PJRT the thread also begins their transfers to the devices, which then run beside
 * the steps; otherwise it calls no function of the library. It ends with the epoch, or when another epoch is requested
 * or the data set is closed.
 */
#include "data.h"

#include <pthread.h>
#include <stdlib.h>
#include <tutti/form.h>

typedef struct { data_batch batch; bool ok; } entry;
struct data_ahead {
    const data_set *set;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int64_t n, filled, taken;                            /* of the epoch */
    bool stop;
    int cap; entry *ring;
};

static void *fill_all(void *p)
{
    struct data_ahead *a = p;
    pthread_mutex_lock(&a->lock);
    while (a->filled < a->n && !a->stop) {
        if (a->filled - a->taken == a->cap) {
            pthread_cond_wait(&a->moved, &a->lock);
            continue;
        }
        entry *e = &a->ring[a->filled % a->cap];
        const int64_t i = a->filled;
        pthread_mutex_unlock(&a->lock);
        e->ok = data_fill(a->set, i, &e->batch);
        if (e->ok && a->set->there) data_batch_send(a->set, &e->batch);
        pthread_mutex_lock(&a->lock);
        a->filled++;
        pthread_cond_broadcast(&a->moved);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

bool data_ahead_start(data_set *s, int64_t n)
{
    struct data_ahead *a = calloc(1, sizeof *a);
    if (a) a->ring = calloc((size_t)s->ahead, sizeof *a->ring);
    if (!a || !a->ring) return free(a), false;
    a->set = s, a->n = n, a->cap = s->ahead;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->moved, NULL);
    if (!tt_thread_start(&a->thread, fill_all, a)) {
        s->thread = a;
        return true;
    }
    pthread_cond_destroy(&a->moved);
    pthread_mutex_destroy(&a->lock);
    free(a->ring);
    free(a);
    return false;
}

int64_t data_ahead_next(const data_set *s)
{
    return s->thread && s->thread->taken < s->thread->n ? s->thread->taken : -1;
}

bool data_ahead_take(data_set *s, data_batch *out)
{
    struct data_ahead *a = s->thread;
    pthread_mutex_lock(&a->lock);
    while (a->filled == a->taken) pthread_cond_wait(&a->moved, &a->lock);
    const entry *e = &a->ring[a->taken++ % a->cap];
    const bool ok = e->ok;
    *out = e->batch;
    pthread_cond_broadcast(&a->moved);
    pthread_mutex_unlock(&a->lock);
    return ok;
}

void data_ahead_stop(data_set *s)
{
    struct data_ahead *a = s->thread;
    if (!a) return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->moved);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    for (; a->taken < a->filled; a->taken++) data_batch_free(&a->ring[a->taken % a->cap].batch);
    pthread_cond_destroy(&a->moved);
    pthread_mutex_destroy(&a->lock);
    free(a->ring);
    free(a);
    s->thread = NULL;
}
