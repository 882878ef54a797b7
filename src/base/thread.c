/* base/thread.c - memory of a thread that is made on first use and freed with the thread.
 *
 * Caches and texts of a thread are not _Thread_local arrays: the C library takes those of every library from the stack
 * of each thread that starts, whether or not the thread ever calls it, and a small stack has no space for them. */
#include "inner.h"
#include "thread.h"

#include <stdalign.h>

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
    block *const b = known ? base_chunk(sizeof *b + bytes) : NULL;
    if (!b) return NULL;
    *b = (block){ .next = pthread_getspecific(key), .at = at };
    if (pthread_setspecific(key, b)) return base_chunk_free(b), NULL;
    return *b->at = b->memory;
}
