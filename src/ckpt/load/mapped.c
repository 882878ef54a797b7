/* ckpt/load/mapped.c - arrays that are the memory of a file: no byte is copied, and pages come from the system's cache
 * of the file when they are read first.
 *
 * A file is mapped once, as a whole, and stays mapped as long as the checkpoint is open or one of its arrays lives. So
 * the file may be removed, or another one moved to its place; who writes into the file itself changes the arrays.
 *
 * What is not stored as an array is kept in memory is read: blocks of codes, big-endian numbers, bools (whose bytes
 * have to be examined), elements that begin at odd places, and arrays that are smaller than reading a few pages. */
#include "../ckpt.h"
#include <tutti/dlpack.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LEAST = 1 << 16, PLACE = 16, FLOAT = 2, BFLOAT = 4 };

struct ckpt_mapping {
    struct ckpt_mapping *next;                           /* of a checkpoint */
    char *file;
    uint8_t *at;
    int64_t n;
    atomic_int holders;                                  /* arrays, and the checkpoint */
};

static void mapping_drop(ckpt_mapping *m)
{
    if (atomic_fetch_sub(&m->holders, 1) > 1) return;
    munmap(m->at, (size_t)m->n);
    free(m->file), free(m);
}

void ckpt_mappings_close(ckpt *c)
{
    for (ckpt_mapping *m = c->mapped, *next; m; m = next) {
        next = m->next;
        mapping_drop(m);
    }
}

/* Held while a checkpoint gets a mapping: threads may read from one checkpoint. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The mapping of a file of the checkpoint; NULL: it cannot be mapped, and is read instead. */
static ckpt_mapping *mapping_of(ckpt *c, const char *file)
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
    pthread_mutex_unlock(&lock);
    return m;
}

typedef struct { tt_dlpack t; ckpt_mapping *of; int64_t shape[CKPT_RANK]; } lent;

static void lent_deleted(struct DLManagedTensorVersioned *t)
{
    lent *const l = ((tt_dlpack *)(void *)t)->manager;
    mapping_drop(l->of);
    free(l);
}

/* The bytes of the array in the file; -1: it is not stored as it is in memory, or is small. */
static int64_t bytes_in_place(const ckpt *c, const ckpt_leaf *l)
{
    const bool dense = c->read == ckpt_read_dense || (c->read == ckpt_read_blocks && !l->block->unpack);
    const tt_dtype d = l->array.dtype;
    if (!dense || l->big || l->at % PLACE || (d != TT_F32 && d != TT_BF16 && d != TT_F16)) return -1;
    const int64_t n = ckpt_box_bytes(d, l->array.rank, l->array.dim);
    return n < LEAST ? -1 : n;
}

bool ckpt_mapped_value(const char *site, ckpt *c, const ckpt_leaf *l, tt_val *v)
{
    const int64_t bytes = bytes_in_place(c, l);
    const tt_dlpack_opts none = { .size = sizeof none };
    ckpt_mapping *const m = bytes < 0 ? NULL : mapping_of(c, l->text);
    if (!m || l->at > m->n || bytes > m->n - l->at) return false;
    lent *const t = calloc(1, sizeof *t);
    if (!t) return false;
    memcpy(t->shape, l->array.dim, (size_t)l->array.rank * sizeof *t->shape);
    t->of = m;
    t->t = (tt_dlpack){ .major = 1, .manager = t, .deleter = lent_deleted, .flags = 1 };
    t->t.tensor = (tt_dlpack_tensor){ .data = m->at + l->at, .device_type = 1, .ndim = l->array.rank,
                                      .code = l->array.dtype == TT_BF16 ? BFLOAT : FLOAT,
                                      .bits = (uint8_t)(8 * ckpt_unit(l->array.dtype)), .lanes = 1,
                                      .shape = t->shape };
    atomic_fetch_add(&m->holders, 1);
    *v = tt_from_dlpack_at(site, (void *)&t->t, &none);
    if (!tt_ok()) lent_deleted((void *)&t->t);
    return true;
}
