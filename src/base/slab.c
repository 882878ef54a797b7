/* base/slab.c - blocks of some hundred kilobytes, cut from large mappings: a model has hundreds of such arrays, and
 * each page of 4 KiB that is touched first costs a fault, which takes longer than to fill the page.
 *
 * A slab is 8 MiB, with huge pages requested; blocks are whole pages of it, the first that fit. A slab without blocks
 * is unmapped. Programs that have few such arrays get none: their first bytes come from the C library. Never under the
 * address sanitizer, which must see the blocks. */
#include "inner.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 2048, FEW = 4 << 20, SMALLEST = 32 << 10 };
#define HUGE_PAGE ((size_t)2 << 20)
#define SLAB      ((size_t)PAGES * PAGE)

/* most: no more free pages lie side by side. */
typedef struct slab { struct slab *next; char *at; int used, most; bool taken[PAGES]; } slab;
static slab *slabs;
static size_t elsewhere;                                 /* bytes of such blocks that are in no slab */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Registered before the lock is first taken: a child of a fork never finds the lock taken. */
static pthread_once_t registered = PTHREAD_ONCE_INIT;
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void register_fork(void) { pthread_atfork(before_fork, after_fork, after_fork); }

bool base_slab_fits(size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    return (void)bytes, false;
#else
    return bytes >= SMALLEST && bytes < HUGE_PAGE;
#endif
}

static int pages_of(size_t bytes) { return (int)((bytes + PAGE - 1) / PAGE); }

/* The first of n free pages side by side; -1: there are none, and s->most says so. */
static int slab_find(slab *s, int n)
{
    int most = 0;
    for (int i = 0, k; i < PAGES; i += k + 1) {
        for (k = 0; i + k < PAGES && !s->taken[i + k]; k++) if (k + 1 == n) return i;
        if (k > most) most = k;
    }
    s->most = most;
    return -1;
}

static slab *slab_new(void)
{
    slab *const s = calloc(1, sizeof *s);
    if (s) s->at = base_map_huge(SLAB);
    if (!s || !s->at) return free(s), NULL;
    s->most = PAGES, s->next = slabs;
    return slabs = s;
}

static void *slab_take(size_t bytes)
{
    const int n = pages_of(bytes);
    int at = -1;
    slab *s = slabs;
    for (; s; s = s->next) if (s->most >= n && (at = slab_find(s, n)) >= 0) break;
    if (!s && (s = slab_new())) at = 0;
    if (!s) return NULL;
    memset(s->taken + at, true, (size_t)n);
    s->used += n;
    return s->at + (size_t)at * PAGE;
}

/* NULL: the block is to come from the C library. */
void *base_slab(size_t bytes)
{
    void *p = NULL;
    pthread_once(&registered, register_fork);
    pthread_mutex_lock(&lock);
    if (elsewhere + bytes > FEW) p = slab_take(bytes);
    if (!p) elsewhere += bytes;
    pthread_mutex_unlock(&lock);
    return p;
}

/* True if the block was of a slab. */
bool base_slab_free(void *p, size_t bytes)
{
    const int n = pages_of(bytes);
    pthread_mutex_lock(&lock);
    slab **at = &slabs;
    while (*at && (size_t)((uintptr_t)p - (uintptr_t)(*at)->at) >= SLAB) at = &(*at)->next;
    slab *const s = *at;
    if (s) memset(s->taken + ((char *)p - s->at) / PAGE, false, (size_t)n), s->used -= n, s->most = PAGES;
    else elsewhere -= bytes;
    const bool empty = s && !s->used;
    if (empty) *at = s->next;
    pthread_mutex_unlock(&lock);
    if (empty) munmap(s->at, SLAB), free(s);
    return s != NULL;
}
