/* ckpt/codec/chunks.c - visits the chunks of a grid that a box touches, on several threads, since reading waits for the
 * disk while decompression and checksums need a processor.
 *
 * Chunks are given to threads in row-major order. If several fail, the error of the first in this order is reported,
 * whichever thread was faster: all chunks before it have been given out and are complete. Threads are started for a
 * large box only, and none inside a chunk. */
#include "../ckpt.h"

#include <pthread.h>
#include <sched.h>
#include <tutti/form.h>

enum { HANDS = 8 };
static const int64_t worth = 1 << 19;                    /* bytes per thread: with fewer, starting it costs more */

typedef struct {
    ckpt_chunk_fn *f;
    void *env;
    int rank;
    const int64_t *first, *last;                         /* first and last chunk index, both included */
    pthread_mutex_t lock;
    int64_t at[CKPT_RANK + 1], next, bad;
    bool more;
    ckpt_err e;
} handing;

static bool chunks_step(const handing *h, int64_t *at)
{
    for (int i = h->rank - 1; i >= 0; i--) {
        if (++at[i] <= h->last[i]) return true;
        at[i] = h->first[i];
    }
    return false;
}

static void *hand(void *p)
{
    handing *h = p;
    for (;;) {
        int64_t at[CKPT_RANK + 1];
        ckpt_err e = { 0 };
        pthread_mutex_lock(&h->lock);
        const int64_t mine = h->more ? h->next++ : -1;
        for (int i = 0; mine >= 0 && i < h->rank; i++) at[i] = h->at[i];
        h->more = h->more && chunks_step(h, h->at);
        pthread_mutex_unlock(&h->lock);
        if (mine < 0) return NULL;
        if (h->f(h->env, at, true, &e)) continue;
        pthread_mutex_lock(&h->lock);
        h->more = false;
        if (h->bad < 0 || mine < h->bad) h->bad = mine, h->e = e;
        pthread_mutex_unlock(&h->lock);
    }
}

static int processors(void)
{
    cpu_set_t all;
    const int n = sched_getaffinity(0, sizeof all, &all) ? 1 : CPU_COUNT(&all);
    return n > HANDS ? HANDS : n;
}

bool ckpt_each_chunk(int rank, const int64_t *first, const int64_t *last, int64_t bytes, bool inside, ckpt_chunk_fn *f,
                     void *env, ckpt_err *e)
{
    handing h = { .f = f, .env = env, .rank = rank, .first = first, .last = last, .bad = -1, .more = true };
    int64_t count = 1;
    for (int i = 0; i < rank; i++) h.at[i] = first[i], count = count > 1 << 20 ? count
        : count * (last[i] - first[i] + 1);
    int hands = inside || count < 2 ? 1 : processors(), n = 0;
    if (hands > bytes / worth) hands = bytes < 2 * worth ? 1 : (int)(bytes / worth);
    if (hands > count) hands = (int)count;
    if (hands == 1) {
        for (bool more = true; more; more = chunks_step(&h, h.at)) if (!f(env, h.at, inside, e)) return false;
        return true;
    }
    pthread_t thread[HANDS];
    pthread_mutex_init(&h.lock, NULL);
    while (n < hands - 1 && !tt_thread_start(&thread[n], hand, &h)) n++;    /* fewer threads suffice */
    hand(&h);
    while (n) pthread_join(thread[--n], NULL);
    pthread_mutex_destroy(&h.lock);
    return h.bad < 0 || ckpt_fail(e, h.e.code, "%s", h.e.text);
}
