/* base/text.c - interning: equal content gives equal pointers, forever.
 *
 * Two open-addressed tables (texts, bytes), with one lock each. Entries are in permanent blocks that are not counted as
 * live bytes. The lock is never held while an arena allocates or an unwind can start: after a failed request, the lock
 * is released before the caller is unwound. */
#include "inner.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t hash; size_t n; alignas(16) char at[]; } entry;
typedef struct {
    pthread_mutex_t lock;
    entry **slot;
    size_t nslot, used;                                  /* nslot: a power of two */
    char *unused;                                        /* free part of the newest permanent block */
    size_t left;
} table;

static table texts = { .lock = PTHREAD_MUTEX_INITIALIZER }, blobs = { .lock = PTHREAD_MUTEX_INITIALIZER };

static entry *permanent(table *t, size_t bytes)
{
    enum { BLOCK = 64 << 10 };
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > BLOCK / 4) return calloc(1, bytes);
    if (bytes > t->left) {
        char *block = calloc(1, BLOCK);
        if (!block) return NULL;
        t->unused = block;
        t->left = BLOCK;
    }
    entry *e = (entry *)t->unused;
    t->unused += bytes;
    t->left -= bytes;
    return e;
}

static bool text_widen(table *t)
{
    const size_t n = t->nslot ? 2 * t->nslot : 1024;
    entry **slot = calloc(n, sizeof *slot);
    if (!slot) return false;
    for (size_t i = 0; i < t->nslot; i++) {
        if (!t->slot[i]) continue;
        size_t k = t->slot[i]->hash & (n - 1);
        while (slot[k]) k = (k + 1) & (n - 1);
        slot[k] = t->slot[i];
    }
    free(t->slot);
    t->slot = slot;
    t->nslot = n;
    return true;
}

static entry *text_find(table *t, uint64_t hash, const void *bytes, size_t n)   /* NULL: no memory. Under the lock */
{
    if (2 * (t->used + 1) > t->nslot && !text_widen(t)) return NULL;
    size_t k = hash & (t->nslot - 1);
    for (; t->slot[k]; k = (k + 1) & (t->nslot - 1))
        if (t->slot[k]->hash == hash && t->slot[k]->n == n && (!n || !memcmp(t->slot[k]->at, bytes, n)))
            return t->slot[k];
    entry *e = n < SIZE_MAX / 2 ? permanent(t, sizeof *e + n + 1) : NULL;
    if (!e) return NULL;
    e->hash = hash;
    e->n = n;
    if (n) memcpy(e->at, bytes, n);
    t->slot[k] = e;
    t->used++;
    return e;
}

/* Hash for the tables only. Never stored, so it need not be portable and may be faster than base_hash. */
static uint64_t hash_of(const char *p, size_t n)
{
    uint64_t h = n * 0x9E3779B97F4A7C15u, w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0x9FB21C651E98DF25u;
        h ^= h >> 32;
    }
    w = 0;
    if (n) memcpy(&w, p, n);
    h = (h ^ w) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static const char *intern(table *t, const void *bytes, size_t n)
{
    const uint64_t hash = hash_of(bytes, n);
    if (base_refused()) base_unwind(n);
    pthread_mutex_lock(&t->lock);
    const entry *e = text_find(t, hash, bytes, n);
    pthread_mutex_unlock(&t->lock);
    if (!e) base_unwind(n);
    return e->at;
}

base_name base_intern_n(const char *text, size_t n) { return intern(&texts, text, n); }
base_name base_intern(const char *text) { return text ? intern(&texts, text, strlen(text)) : NULL; }
const void *base_intern_bytes(const void *bytes, size_t n) { return intern(&blobs, bytes, n); }
