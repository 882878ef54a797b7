/* run/common.c - blocks of memory that a group of ranks of a host reads: results of exchanges and of moves that are
 * equal on these ranks. Each rank of the group computes a share of such a result, in one copy that all of them then
 * read. A process that a rank has forked comes here no more (api/process.c), so the lock is not reset in it.
 *
 * The first rank of the group owns the blocks: it allocates one for each exchange and sends its position to the other
 * ranks. A block counts the ranks that hold it; a rank releases a block when its value is dead, or when the array made
 * of it is dropped. The owner uses a block again when no rank holds it; no rank waits for a block. */
#include "inner.h"

#include <pthread.h>
#include <stddef.h>

enum { IDLE = 64 << 20, LEAST = 32 << 10 };              /* bytes of blocks that no rank holds; of a common copy */
typedef struct {
    _Alignas(BASE_CACHE_LINE) _Atomic int64_t holders;
    int64_t ranks;                                       /* for which it was taken: so many held it at first */
    _Alignas(BASE_CACHE_LINE) char data[];               /* as all arrays */
} shared_block;
typedef struct block { shared_block *at; int64_t bytes; struct block *next; } block;

int64_t run_common_bytes = LEAST;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *blocks;                                    /* this rank's */
static int64_t taken;

int64_t run_common_least(void)
{
    const wire_engine *const e = base_switch("no-common") ? NULL : wire_now();
    return e && e->ranks > 1 && e->hosts == 1 && run_job_real() && wire_shares_all() ? run_common_bytes : INT64_MAX;
}

static bool is_idle(const block *b) { return atomic_load_explicit(&b->at->holders, memory_order_acquire) == 0; }

/* Frees blocks that no rank holds, until at most `keep` bytes of them are left. */
static void free_idle(int64_t keep)
{
    int64_t idle = 0;
    for (block **p = &blocks, *b; (b = *p);) {
        if (!is_idle(b) || (idle += b->bytes) <= keep) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        wire_pages_free(b->at, (size_t)b->bytes);
        base_heap_free(b);
    }
}

static block *new_block(int64_t bytes)
{
    block *const b = base_heap(sizeof *b);
    if (!b) return NULL;
    free_idle(IDLE);
    *b = (block){ wire_pages((size_t)bytes), bytes, blocks };
    if (b->at && wire_offset(b->at) >= 0) return blocks = b;
    if (b->at) base_fail(TT_EMEM, NULL, "out of memory: %lld bytes that the ranks of this host share",
                         (long long)bytes);
    wire_pages_free(b->at, (size_t)bytes);
    base_heap_free(b);
    return NULL;
}

char *run_common_take(int64_t bytes, int ranks)
{
    const int64_t all = base_round_up(bytes + (int64_t)sizeof(shared_block), WIRE_PAGE);
    pthread_mutex_lock(&lock);
    block *b = blocks;
    while (b && (!is_idle(b) || b->bytes < all || b->bytes > all + all / 4)) b = b->next;
    if (!b) b = new_block(all);
    if (b) b->at->ranks = ranks, taken++;
    if (b) atomic_store_explicit(&b->at->holders, ranks, memory_order_relaxed);  /* told by the message that follows */
    pthread_mutex_unlock(&lock);
    return b ? b->at->data : NULL;
}

static shared_block *block_of(const void *data)
{
    return (shared_block *)((char *)data - offsetof(shared_block, data));
}

int run_common_ranks(const void *data) { return (int)block_of(data)->ranks; }

void run_common_hold(void *data) { atomic_fetch_add_explicit(&block_of(data)->holders, 1, memory_order_relaxed); }

void run_common_release(void *data)
{
    if (data) atomic_fetch_sub_explicit(&block_of(data)->holders, 1, memory_order_release);
}

void run_common_trim(void)
{
    pthread_mutex_lock(&lock);
    free_idle(0);
    pthread_mutex_unlock(&lock);
}

int64_t run_common_taken(void)
{
    pthread_mutex_lock(&lock);
    const int64_t n = taken;
    pthread_mutex_unlock(&lock);
    return n;
}

int64_t run_common_blocks(void)
{
    int64_t n = 0;
    pthread_mutex_lock(&lock);
    for (const block *b = blocks; b; b = b->next) n++;
    pthread_mutex_unlock(&lock);
    return n;
}
