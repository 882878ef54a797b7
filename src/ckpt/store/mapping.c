/* ckpt/store/mapping.c - files of a checkpoint as memory. A file is mapped once, as a whole, and stays mapped as long
 * as the checkpoint is open or one of its arrays lives. So the file may be removed, or another one moved to its place;
 * who writes into the file itself changes the arrays. */
#include "../ckpt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct ckpt_mapping {
    struct ckpt_mapping *next;                           /* of the checkpoint */
    char *file; uint8_t *at; int64_t n;
    atomic_int holders;                                  /* arrays, and the checkpoint */
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

/* Held while a checkpoint gets a mapping: threads may read from one checkpoint. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

ckpt_mapping *ckpt_mapping_hold(ckpt *c, const char *file, uint8_t **at, int64_t *n)
{
    pthread_mutex_lock(&lock);
    ckpt_mapping *m = c->mapped;
    while (m && strcmp(m->file, file)) m = m->next;
    if (!m && (m = calloc(1, sizeof *m))) {
        m->file = ckpt_text("%s", file);
        m->at = m->file ? ckpt_file_map(c->store[0], file, &m->n) : NULL;
        atomic_init(&m->holders, 1);
        if (m->at) m->next = c->mapped, c->mapped = m;
        else free(m->file), free(m), m = NULL;
    }
    if (m) atomic_fetch_add(&m->holders, 1), *at = m->at, *n = m->n;
    pthread_mutex_unlock(&lock);
    return m;
}
