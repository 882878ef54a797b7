/* wire/shared.c - memory that the ranks of a host share: a file of each rank, which all ranks of the host have mapped.
 *
 * The file has no name (memfd), so nothing is left of it when its processes have ended, however they end. It is as
 * large as the machine's memory, but has pages only where memory was asked for. First in it are the rank's mailboxes,
 * one for each rank of the host: rings of SLOTS messages. A message is copied into its slot, or the slot has its
 * position in a file; the receiver writes to the slot when it has read the message.
 *
 * A rank opens another's file through /proc. If that is impossible for one rank of a host, no ranks of this host share
 * memory, and their messages go through the engine. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 16 };
#define MAPPED_MOST ((int64_t)1 << 45)                   /* bytes of all files that a rank maps */
typedef struct {
    _Alignas(BASE_CACHE_LINE) _Atomic uint64_t ready;    /* number of the message in the slot */
    int64_t bytes, at;                                   /* at: offset in the file of rank `of`, or -1: in data */
    int64_t of;
    char data[WIRE_MAIL];
    _Alignas(BASE_CACHE_LINE) _Atomic uint64_t read;     /* number of the last message that was read */
} slot;
typedef struct { slot slot[SLOTS]; } ring;
typedef struct { uint64_t mark; ring to[]; } shared_file;    /* to: by number among the ranks of the host */
typedef struct { shared_file *at; int place; uint64_t sent, received; } neighbour;

static neighbour *near;   /* [ranks]; at NULL: on another host. NULL: nothing is shared */
static int64_t size;                                     /* bytes of a shared_file */
static int own_place, own = -1;
static bool crowd, off;

bool wire_shares(int rank) { return near && !off && near[rank].at && rank != wire_rank(); }
bool wire_shares_all(void)
{
    const wire_engine *const e = wire_now();
    for (int r = 0; r < e->ranks; r++) if (r != e->me && e->host_of[r] == e->host && !wire_shares(r)) return false;
    return true;
}

void wire_share_off(void) { off = true; }
bool wire_crowded(void) { return crowd; }

/* ---- memory ---- */

typedef struct range { int64_t lo, hi; struct range *next; } range;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *unused;                                    /* rising, none touches the next */

/* Takes n bytes of the first range that has them; -1: none. spare: a range that may become free. */
static int64_t take(int64_t n, range **spare)
{
    for (range **r = &unused; *r; r = &(*r)->next) {
        const int64_t at = (*r)->lo;
        if ((*r)->hi - at < n) continue;
        (*r)->lo += n;
        if ((*r)->lo == (*r)->hi) *spare = *r, *r = (*r)->next;
        return at;
    }
    return -1;
}

static void give_range(range *fresh)
{
    range **r = &unused;
    while (*r && (*r)->lo < fresh->lo) r = &(*r)->next;
    fresh->next = *r;
    *r = fresh;
    for (range *q = unused; q && q->next;) {
        range *const next = q->next;
        if (q->hi != next->lo) {
            q = next;
            continue;
        }
        q->hi = next->hi, q->next = next->next;
        base_heap_free(next);
    }
}

/* The head of a block: so that freeing needs no memory. */
static range **heads;                                    /* [page]: the range that becomes free with the block */

static int64_t page_round_up(size_t bytes) { return base_round_up((int64_t)bytes, WIRE_PAGE); }

/* ---- huge pages ---- */

/* The kernel gives such a file pages of 4 KiB, unless the administrator has chosen others (shmem_enabled), but private
 * memory pages of 2 MiB. So wherever whole 2 MiB of the file are in use, they become one page: the first use of them
 * then takes 0.1 ms, not 0.9 ms. */
enum { HUGE = 2 << 20, PAGES = HUGE / WIRE_PAGE };
#ifndef MADV_COLLAPSE                                    /* of Linux 6.1; older headers do not have it */
enum { MADV_COLLAPSE = 25 };
#endif
static uint16_t *in_use;                                 /* [2 MiB of the file]: pages in use; under the lock */
static _Atomic bool no_huge;                             /* the kernel cannot */

/* Counts the pages of [at, at + n), which are in use from now on, or no more. Returns the range, of whole 2 MiB, that
 * shares pages with them and is all in use. */
static range count_pages(int64_t at, int64_t n, bool used)
{
    range full = { 0, 0, NULL };
    for (const int64_t end = at + n; at < end;) {
        const int64_t i = at / HUGE, border = (i + 1) * HUGE, next = border < end ? border : end;
        const int64_t pages = (next - at) / WIRE_PAGE;
        in_use[i] = (uint16_t)(used ? in_use[i] + pages : in_use[i] - pages);
        if (in_use[i] == PAGES) full = (range){ full.hi ? full.lo : i * HUGE, border, NULL };
        at = next;
    }
    return full;
}

/* The kernel joins 2 MiB that have at least one page. What it cannot join, for lack of such memory, stays as it is. */
static void join_pages(int64_t lo, int64_t hi)
{
    if (lo >= hi || no_huge) return;
    for (int64_t at = lo; at < hi; at += HUGE) if (fallocate(own, 0, at, WIRE_PAGE)) return;
    if (madvise((char *)near[wire_rank()].at + lo, (size_t)(hi - lo), MADV_COLLAPSE) && errno == EINVAL) no_huge = true;
}

void *wire_pages(size_t bytes)
{
    range *head = NULL, *spare = NULL, full = { 0, 0, NULL };
    const int64_t n = page_round_up(bytes);
    if (!near || bytes < WIRE_PAGE || bytes > (size_t)size) return base_pages(bytes);
    if (!(head = base_heap(sizeof *head))) return NULL;
    pthread_mutex_lock(&lock);
    const int64_t at = take(n, &spare);
    if (at >= 0) heads[at / WIRE_PAGE] = head, full = count_pages(at, n, true);
    pthread_mutex_unlock(&lock);
    base_heap_free(spare);
    if (at < 0) return base_heap_free(head), base_pages(bytes);
    join_pages(full.lo, full.hi);
    if (!fallocate(own, 0, at, n)) return (char *)near[wire_rank()].at + at;
    wire_pages_free((char *)near[wire_rank()].at + at, bytes);
    base_fail(TT_EMEM, NULL, "out of memory: %zu bytes that the ranks of this host share: %s", bytes, strerror(errno));
    return NULL;
}

void wire_pages_free(void *p, size_t bytes)
{
    const int64_t at = p ? wire_offset(p) : -1, n = page_round_up(bytes);
    if (at < 0) {
        base_pages_free(p, bytes);
        return;
    }
    pthread_mutex_lock(&lock);
    count_pages(at, n, false);                           /* first: nothing joins what is freed */
    pthread_mutex_unlock(&lock);
    fallocate(own, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, n);
    pthread_mutex_lock(&lock);
    range *const head = heads[at / WIRE_PAGE];
    *head = (range){ at, at + n, NULL };
    give_range(head);
    pthread_mutex_unlock(&lock);
}

int64_t wire_offset_of(int rank, const void *p)
{
    const int64_t at = near && near[rank].at ? (int64_t)((uintptr_t)p - (uintptr_t)near[rank].at) : -1;
    return at >= 0 && at < size ? at : -1;
}

int64_t wire_offset(const void *p) { return wire_offset_of(wire_rank(), p); }

/* The rank in whose file it is, with the offset; -1: in none. */
static int file_of(const void *p, int64_t *offset)
{
    for (int r = 0; near && r < wire_ranks(); r++) if ((*offset = wire_offset_of(r, p)) >= 0) return r;
    return -1;
}

bool wire_is_shared(const void *p)
{
    int64_t offset;
    return wire_offset(p) >= 0 || file_of(p, &offset) >= 0;
}

void *wire_at(int rank, int64_t offset) { return (char *)near[rank].at + offset; }

/* ---- messages ---- */

static slot *slot_of(shared_file *s, int place, uint64_t number) { return &s->to[place].slot[number % SLOTS]; }

bool wire_mail(const wire_part *p, uint64_t *number)
{
    neighbour *const to = &near[p->rank];
    slot *const s = slot_of(near[wire_rank()].at, to->place, to->sent + 1);
    if (to->sent + 1 > SLOTS && atomic_load_explicit(&s->read, memory_order_acquire) != to->sent + 1 - SLOTS)
        return false;
    *number = ++to->sent;
    s->bytes = p->bytes;
    s->at = p->in_place ? wire_offset(p->at) : -1, s->of = wire_rank();
    if (p->in_place && s->at < 0) s->of = file_of(p->at, &s->at);
    if (!p->in_place) memcpy(s->data, p->at, (size_t)p->bytes);
    atomic_store_explicit(&s->ready, *number, memory_order_release);
    return true;
}

uint64_t wire_mail_expected(int rank) { return ++near[rank].received; }

int wire_mail_come(wire_part *p, uint64_t number, int64_t *bytes)
{
    slot *const s = slot_of(near[p->rank].at, own_place, number);
    if (atomic_load_explicit(&s->ready, memory_order_acquire) != number) return 0;
    *bytes = s->bytes;
    if (p->in_place) {
        if (s->at < 0 || s->bytes != p->bytes) return -1;
        p->at = (char *)near[s->of].at + s->at;
        return 1;
    }
    const int64_t space = p->most > p->bytes ? p->most : p->bytes;
    if (s->at < 0) memcpy(p->at, s->data, (size_t)(s->bytes < space ? s->bytes : space));
    if (s->at >= 0 || s->bytes != p->bytes) return -1;
    wire_mail_read(p->rank, number);
    return 1;
}

void wire_mail_read(int rank, uint64_t number)
{
    atomic_store_explicit(&slot_of(near[rank].at, own_place, number)->read, number, memory_order_release);
}

bool wire_mail_was_read(int rank, uint64_t number)
{
    slot *const s = slot_of(near[wire_rank()].at, near[rank].place, number);
    const uint64_t read = atomic_load_explicit(&s->read, memory_order_acquire);
    return read >= number;                               /* or a later message of the slot */
}

/* ---- start and end ---- */

typedef struct { int64_t pid, file, size; uint64_t mark; } card;

/* Maps a file, at a multiple of HUGE. */
static shared_file *map(int fd)
{
    const size_t bytes = (size_t)size + HUGE;
    const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fixed = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
    char *const all = mmap(NULL, bytes, PROT_NONE, anonymous, -1, 0);
    if (all == MAP_FAILED) return NULL;
    const size_t head = (HUGE - (uintptr_t)all % HUGE) % HUGE;
    char *const at = mmap(all + head, (size_t)size, PROT_READ | PROT_WRITE, fixed, fd, 0);
    if (at == MAP_FAILED) return munmap(all, bytes), NULL;
    if (head) munmap(all, head);
    munmap(at + size, HUGE - head);
    madvise(at, (size_t)size, MADV_HUGEPAGE);
    return (shared_file *)at;
}

/* The engine may take two machines, or two containers with processes of their own, for one host: then the number of a
 * process there is that of any process here, or of none. */
static bool map_other(const card *c, neighbour *n)
{
    char path[64], is[32] = "";
    struct stat s;
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)c->pid, (long long)c->file);
    if (c->size != size || readlink(path, is, sizeof is - 1) < 0 || strncmp(is, "/memfd:tutti ", 13)) return false;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    if (fstat(fd, &s) || s.st_size != size) return close(fd), false;
    n->at = map(fd);
    close(fd);
    return n->at && n->at->mark == c->mark;
}

static bool own_file(neighbour *n, const wire_engine *e, int here, card *c)
{
    const int64_t all = sysconf(_SC_PHYS_PAGES) * (int64_t)WIRE_PAGE, first = page_round_up(sizeof(shared_file) +
        (size_t)here * sizeof(ring));
    size = all < MAPPED_MOST / here ? all : MAPPED_MOST / here;
    size -= size % WIRE_PAGE;
    *c = (card){ .pid = getpid(), .file = -1, .size = size };
    if (base_switch("no-share") || size <= first || (own = memfd_create("tutti", MFD_CLOEXEC)) < 0) return false;
    if (ftruncate(own, size) || fallocate(own, 0, 0, first) || !(n->at = map(own))) return false;
    range *const r = base_heap(sizeof *r);
    const size_t counts = (size_t)(size / HUGE + 1) * sizeof *in_use;
    in_use = base_heap(counts);
    heads = mmap(NULL, (size_t)(size / WIRE_PAGE) * sizeof *heads, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!r || !in_use || heads == MAP_FAILED) return false;
    memset(in_use, 0, counts);
    count_pages(0, first, true);
    *r = (range){ first, size, NULL };
    unused = r;
    c->file = own;
    c->mark = n->at->mark = base_hash((uint64_t)c->pid, e->name, strlen(e->name)) ^ (uint64_t)(base_seconds() * 1e9);
    return true;
}

/* Unmaps what was mapped: nothing is shared. */
static void give_up(neighbour *n, int ranks)
{
    for (int r = 0; n && r < ranks; r++) if (n[r].at) munmap(n[r].at, (size_t)size);
    if (own >= 0) close(own);
    base_heap_free(n);
    own = -1;
}

/* True in *good if all ranks of this host are. */
static bool all_here(base_site site, const wire_engine *e, bool *good)
{
    char *const all = base_heap((size_t)e->ranks);
    const char mine = *good;
    const bool came = all && wire_gather(site, &mine, 1, all, "the memory that ranks of a host share");
    for (int r = 0; came && r < e->ranks; r++) if (e->host_of[r] == e->host) *good &= all[r];
    base_heap_free(all);
    return came;
}

bool wire_share(base_site site)
{
    const wire_engine *const e = wire_now();
    neighbour *const n = base_heap((size_t)e->ranks * sizeof *n);
    card mine, *const all = base_heap((size_t)e->ranks * sizeof *all);
    int here = 0, cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;
    if (!n || !all) return false;
    memset(n, 0, (size_t)e->ranks * sizeof *n);
    for (int r = 0; r < e->ranks; r++) if (e->host_of[r] == e->host) n[r].place = here++;
    if (!sched_getaffinity(0, sizeof set, &set)) cores = CPU_COUNT(&set);
    crowd = here > cores;
    own_place = n[e->me].place;
    bool good = here > 1 && own_file(&n[e->me], e, here, &mine);
    if (here == 1) mine = (card){ .file = -1 };
    bool came = wire_gather(site, &mine, sizeof mine, all, "the memory that ranks of a host share");
    for (int r = 0; came && good && r < e->ranks; r++)
        if (r != e->me && e->host_of[r] == e->host) good = map_other(&all[r], &n[r]);
    came = came && all_here(site, e, &good);
    base_heap_free(all);
    if (came && good) near = n;
    else give_up(n, e->ranks);
    return came;
}
