/* base/heap.c - memory that outlives arenas; the only place where memory comes from the system.
 *
 * Every block is counted; profiles and leak tests read base_live_bytes and base_peak_bytes. A heap block has its size
 * in a header of 16 bytes, so that freeing needs no size. Large blocks are mapped on 2 MiB boundaries with huge pages
 * requested, those of middle size are cut from such mappings (slab.c), and small ones come from the C library. The
 * contents of pages are unspecified. base_fail_allocation makes the nth request of any kind fail, so that tests can
 * visit every failure. */
#include "inner.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = BASE_HEAD };
static const size_t huge = (size_t)2 << 20;
static _Atomic size_t live, peak;
static _Atomic int64_t fail_in;                          /* requests until one fails; 0: none fails */

static void heap_count(size_t bytes)
{
    const size_t now = atomic_fetch_add_explicit(&live, bytes, memory_order_relaxed) + bytes;
    size_t top = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > top && !atomic_compare_exchange_weak_explicit(&peak, &top, now, memory_order_relaxed,
                                                               memory_order_relaxed))
        ;
}

static void uncount(size_t bytes) { atomic_fetch_sub_explicit(&live, bytes, memory_order_relaxed); }

bool base_refused(void)
{
    if (atomic_load_explicit(&fail_in, memory_order_relaxed) == 0) return false;
    return atomic_fetch_sub(&fail_in, 1) == 1;
}

static void *no_memory(size_t bytes)
{
    base_fail(TT_EMEM, NULL, "out of memory: a block of %zu bytes was refused", bytes);
    return NULL;
}

/* Maps memory on a 2 MiB boundary: maps more and unmaps the ends. */
void *base_map_huge(size_t bytes)
{
    const size_t want = bytes + huge;
    char *p = want > bytes ? mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (p == MAP_FAILED) return NULL;
    const size_t head = (huge - (uintptr_t)p % huge) % huge, tail = want - head - bytes;
    if (head) munmap(p, head);
    if (tail) munmap(p + head + bytes, tail);
    madvise(p + head, bytes, MADV_HUGEPAGE);
    return p + head;
}

static size_t pages(size_t bytes) { return (bytes + HEAD + 4095) / 4096 * 4096; }

/* True if a chunk is mapped: large chunks, so that a plan's tens of megabytes take about twenty page faults instead of
 * ten thousand. Never under the address sanitizer, which must see chunks to find leaks. */
static bool mapped(size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    return (void)bytes, false;
#else
    return bytes + HEAD >= huge;
#endif
}

/* Zeroed. Small blocks come from malloc: glibc's calloc does not take blocks from the thread's cache, to which free
 * returns them. */
static void *chunk_small(size_t bytes)
{
    enum { SMALL = 1024 };
    if (bytes > SMALL) return calloc(1, bytes);
    void *p = malloc(bytes);
    __asm__ volatile("" : "+r"(p));                      /* else compilers make a calloc of malloc and memset */
    return p ? memset(p, 0, bytes) : NULL;
}

static bool possible(size_t bytes) { return bytes < SIZE_MAX >> 16; }    /* more exceeds the address space */

/* The chunk in memory that the system gave, or NULL; counted. */
static void *chunk_in(char *p, size_t bytes)
{
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    heap_count(bytes + HEAD);
    return p + HEAD;
}

void *base_chunk(size_t bytes)                           /* zeroed, counted; no test hook: base_new has its own */
{
    if (!possible(bytes)) return NULL;
    return chunk_in(mapped(bytes) ? base_map_huge(pages(bytes)) : chunk_small(bytes + HEAD), bytes);
}

void base_chunk_free(void *block)
{
    size_t bytes;
    if (!block) return;
    memcpy(&bytes, (char *)block - HEAD, sizeof bytes);
    uncount(bytes + HEAD);
    if (mapped(bytes)) munmap((char *)block - HEAD, pages(bytes));
    else free((char *)block - HEAD);
}

/* Kept chunks: their memory is still in the cache, and the kernel need not clear it. All have the size of an arena's
 * largest chunks. */
enum { KEPT = 16 };
static void *_Atomic kept[KEPT];

void base_chunk_keep(void *block)
{
    size_t bytes;
    void *none = NULL;
    memcpy(&bytes, (char *)block - HEAD, sizeof bytes);
    if (mapped(bytes) && pages(bytes) == huge)
        for (int i = 0; i < KEPT; i++, none = NULL)
            if (atomic_compare_exchange_strong(&kept[i], &none, block)) {
                uncount(bytes + HEAD);
                return;
            }
    base_chunk_free(block);
}

void *base_chunk_of_arena(size_t bytes, bool *zero)
{
    void *p = NULL;
    *zero = false;
    if (!possible(bytes)) return NULL;
    if (!mapped(bytes)) return chunk_in(malloc(bytes + HEAD), bytes);
    for (int i = KEPT; !p && i-- > 0 && pages(bytes) == huge;)
        if (atomic_load_explicit(&kept[i], memory_order_relaxed)) p = atomic_exchange(&kept[i], NULL);
    if (p) heap_count(bytes + HEAD);
    else *zero = true;
    return p ? p : chunk_in(base_map_huge(pages(bytes)), bytes);
}

void *base_heap(size_t bytes)
{
    void *p = base_refused() ? NULL : base_chunk(bytes);
    return p ? p : no_memory(bytes);
}

void *base_heap_grow(void *old, size_t old_bytes, size_t bytes)
{
    char *p = base_heap(bytes);
    if (!p) return NULL;
    if (old) memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
    base_heap_free(old);
    return p;
}

void base_heap_free(void *p) { base_chunk_free(p); }

static size_t rounded(size_t bytes)                      /* up to a multiple of a cache line; of a page if mapped */
{
    const size_t unit = bytes >= huge ? 4096 : BASE_CACHE_LINE;
    return bytes ? (bytes + unit - 1) / unit * unit : unit;
}

void *base_pages(size_t bytes)
{
    const size_t n = rounded(bytes);
    if (base_refused() || n < bytes) return no_memory(bytes);
    void *p = bytes >= huge ? base_map_huge(n) : base_slab_fits(n) ? base_slab(n) : NULL;
    if (!p && bytes < huge) p = aligned_alloc(BASE_CACHE_LINE, n);
    if (!p && base_slab_fits(n)) base_slab_free(NULL, n);
    if (!p) return no_memory(bytes);
    heap_count(n);
    return p;
}

void base_pages_free(void *p, size_t bytes)
{
    if (!p) return;
    const size_t n = rounded(bytes);
    uncount(n);
    if (bytes >= huge) munmap(p, n);
    else if (!base_slab_fits(n) || !base_slab_free(p, n)) free(p);
}

size_t base_live_bytes(void) { return atomic_load(&live); }
size_t base_peak_bytes(void) { return atomic_load(&peak); }

int64_t base_fail_allocation(int64_t nth)
{
    const int64_t left = atomic_exchange(&fail_in, nth > 0 ? nth : 0);
    return left > 0 ? left : 0; /* below 0: two concurrent requests, one refused */
}
