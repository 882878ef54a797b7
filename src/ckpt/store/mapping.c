/* ckpt/store/mapping.c - files of a checkpoint as memory. A file is mapped once, as a whole, and stays mapped as long
 * as the checkpoint is open or one of its arrays lives. So the file may be removed, or another one moved to its place;
 * who writes into the file itself changes the arrays.
 *
 * Where the system does not have the file in memory, a thread reads it, so that reading the disk goes on while a
 * program is compiled, in long reads rather than page by page as arrays are touched. What the thread reads is thrown
 * away. MADV_WILLNEED would do without, but has the system read into single pages, which each process that maps the
 * file afterwards enters 16 at a time, where read() makes the system take large blocks of pages. */
#include "../ckpt.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SAMPLES = 32, AHEAD = 1 << 20 };                  /* AHEAD: bytes that are read at once */
struct ckpt_mapping {
    struct ckpt_mapping *next;                           /* of the checkpoint */
    char *file; uint8_t *at; int64_t n;
    atomic_int holders;                                  /* arrays, the checkpoint, and the thread */
    int fd;                                              /* what the thread reads */
};

void ckpt_mapping_drop(ckpt_mapping *m)
{
    if (atomic_fetch_sub(&m->holders, 1) > 1) return;
    munmap(m->at, (size_t)m->n);
    free(m->file), free(m);
}

void ckpt_mappings_close(ckpt *c)
{
    for (ckpt_mapping *m = c->mapped, *next; m; m = next) {
        next = m->next;
        ckpt_mapping_drop(m);
    }
}

/* ---- reading ahead ---- */

/* True if the file's memory is there, as far as a few pages tell; the system tells it of files that one may write. */
static bool is_there(const ckpt_mapping *m, int64_t page)
{
    const int64_t pages = m->n / page;
    for (int64_t i = 0; i < SAMPLES && i < pages; i++) {
        unsigned char in = 1;
        if (!mincore(m->at + pages * i / SAMPLES * page, (size_t)page, &in) && !(in & 1)) return false;
    }
    return true;
}

static void *read_ahead(void *of)
{
    ckpt_mapping *const m = of;
    void *const block = malloc(AHEAD);
    ssize_t n = 1;
    for (int64_t at = 0; block && n > 0 && atomic_load(&m->holders) > 1; at += n)
        while ((n = pread(m->fd, block, AHEAD, at)) < 0 && errno == EINTR) ;
    free(block);
    close(m->fd);
    ckpt_mapping_drop(m);
    return NULL;
}

/* Not of files that would fill the memory with what is read later. */
static void begin_ahead(ckpt_mapping *m)
{
    const int64_t page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
    pthread_t thread;
    const bool reads = m->fd >= 0 && page > 0 && m->n / page <= pages / 2 && !is_there(m, page);
    atomic_fetch_add(&m->holders, reads);
    if (reads && !tt_thread_start(&thread, read_ahead, m)) {
        pthread_detach(thread);
        return;
    }
    atomic_fetch_sub(&m->holders, reads);
    if (m->fd >= 0) close(m->fd);
}

/* Held while a checkpoint gets a mapping: threads may read from one checkpoint. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ckpt_mapping *ckpt_mapping_hold(ckpt *c, const char *file, uint8_t **at, int64_t *n)
{
    pthread_mutex_lock(&lock);
    ckpt_mapping *m = c->mapped;
    while (m && strcmp(m->file, file)) m = m->next;
    if (!m && (m = calloc(1, sizeof *m))) {
        m->file = ckpt_text("%s", file);
        m->at = m->file ? ckpt_file_map(c->store[0], file, &m->n, &m->fd) : NULL;
        atomic_init(&m->holders, 1);
        if (m->at) m->next = c->mapped, c->mapped = m, begin_ahead(m);
        else free(m->file), free(m), m = NULL;
    }
    if (m) atomic_fetch_add(&m->holders, 1), *at = m->at, *n = m->n;
    pthread_mutex_unlock(&lock);
    return m;
}
