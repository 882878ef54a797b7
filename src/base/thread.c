/* base/thread.c - memory of a thread that is made on first use and freed with the thread.
 *
 * Caches and texts of a thread are not _Thread_local arrays: the C library takes those of every library from the stack
 * of each thread that starts, whether or not the thread ever calls it, and a small stack has no space for them. */
#include "inner.h"
#include "thread.h"

#include <stdalign.h>
#include <stdatomic.h>

typedef struct block { struct block *next; void **at; int rounds; alignas(16) char memory[]; } block;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool known;                                       /* the key exists */

/* Other rooms' destructors may use the memory: it is freed in a later round. */
static void thread_ended(void *first)
{
    enum { LATER = 2 };
    block *b = first;
    if (b->rounds++ < LATER && !pthread_setspecific(key, b)) return;
    for (block *next; b; b = next) {
        next = b->next;
        *b->at = NULL;
        base_chunk_free(b);
    }
}

static void thread_key(void) { known = !pthread_key_create(&key, thread_ended); }

void *base_thread_memory(void *at, size_t bytes)
{
    pthread_once(&once, thread_key);
    block *const b = known && !base_refused() ? base_chunk(sizeof *b + bytes) : NULL;
    if (!b) return NULL;
    *b = (block){ .next = pthread_getspecific(key), .at = at };
    if (pthread_setspecific(key, b)) return base_chunk_free(b), NULL;
    return *b->at = b->memory;
}

size_t base_thread_text(char **at, size_t bytes)
{
    enum { BUFFERS = 16, SIZE = 512 };
    static char small[BUFFERS][SIZE];
    static _Atomic(char **) owner[BUFFERS];
    int mine = 0;
    while (mine < BUFFERS && (!*at || *at != small[mine])) mine++;
    if (*at && mine == BUFFERS) return bytes;
    if (base_thread_memory(at, bytes)) {
        if (mine < BUFFERS) atomic_store(&owner[mine], NULL);
        return bytes;
    }
    if (mine < BUFFERS) return SIZE;
    for (int i = 0; i < BUFFERS; i++) {
        char **nobody = NULL;
        if (atomic_load(&owner[i]) != at && !atomic_compare_exchange_strong(&owner[i], &nobody, at)) continue;
        *at = small[i];                                  /* at's own: an ended thread's variable was there */
        return SIZE;
    }
    return 0;
}
