/* text/vocab.c - pieces by id and ids by text: a hash table with open addressing, and hashes that no file can know. */
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

uint64_t text_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) seed = (uint64_t)time(NULL);
    return seed | 1;
}

__extension__ typedef unsigned __int128 wide;

static uint64_t fold(uint64_t a, uint64_t b)
{
    const wide x = (wide)a * b;
    return (uint64_t)x ^ (uint64_t)(x >> 64);
}

uint64_t text_hash2(uint64_t seed, uint64_t a) { return fold(a ^ seed, 0x9e3779b97f4a7c15u ^ (seed << 1)); }

uint64_t text_hash(uint64_t seed, const void *p, size_t n)
{
    const char *q = p;
    uint64_t h = seed ^ n, x;
    for (; n >= 8; n -= 8, q += 8) memcpy(&x, q, 8), h = fold(h ^ x, 0x9e3779b97f4a7c15u ^ seed);
    x = 0;
    if (n) memcpy(&x, q, n);
    return fold(h ^ x, 0xd1b54a32d192ed03u ^ seed);
}

bool text_vocab_new(text_at at, text_vocab *v, int64_t pieces, int64_t ids)
{
    if (ids > 16 * pieces + 65536 || ids > INT32_MAX / 4)
        return text_fail(at, TT_EDATA, "ids up to %lld for %lld pieces", (long long)ids - 1, (long long)pieces);
    uint32_t slots = 16;
    while (slots < 2 * pieces) slots *= 2;
    v->n = (int32_t)ids, v->mask = slots - 1, v->seed = text_seed();
    v->piece = malloc(((size_t)ids + 1) * sizeof *v->piece);
    v->slot = malloc(slots * sizeof *v->slot);
    if (!v->piece || !v->slot) return text_no_memory(at);
    for (int64_t i = 0; i < ids; i++) v->piece[i] = (text_piece){ 0, UINT32_MAX };
    for (uint32_t i = 0; i < slots; i++) v->slot[i] = -1;
    return true;
}

/* The slot of the text, or the empty one where it would be. */
static uint32_t slot_of(const text_vocab *v, const char *p, size_t n)
{
    uint32_t i = (uint32_t)text_hash(v->seed, p, n) & v->mask;
    for (; v->slot[i] >= 0; i = (i + 1) & v->mask) {
        const text_piece *const x = &v->piece[v->slot[i]];
        if (x->n == n && !memcmp(v->bytes.p + x->at, p, n)) break;
    }
    return i;
}

bool text_vocab_set(text_at at, text_vocab *v, int64_t id, const char *p, size_t n)
{
    if (id < 0 || id >= v->n) return text_fail(at, TT_EDATA, "the piece \"%.60s\" has the id %lld", p, (long long)id);
    if (n > TEXT_PIECE)
        return text_fail(at, TT_EDATA, "the piece %lld has %zu bytes; at most %d", (long long)id, n, TEXT_PIECE);
    if (v->piece[id].n != UINT32_MAX) {
        if (v->piece[id].n == n && !memcmp(v->bytes.p + v->piece[id].at, p, n)) return true;
        return text_fail(at, TT_EDATA, "the id %lld has two pieces, \"%.*s\" and \"%.60s\"", (long long)id,
                         v->piece[id].n < 60 ? (int)v->piece[id].n : 60, v->bytes.p + v->piece[id].at, p);
    }
    const uint32_t i = slot_of(v, p, n);
    v->piece[id] = (text_piece){ (uint32_t)v->bytes.n, (uint32_t)n };
    text_put(&v->bytes, p, n ? n : 1);            /* so that bytes.p is never NULL */
    if (v->slot[i] < 0) v->slot[i] = (int32_t)id; /* of two ids with one text the first is found */
    return !v->bytes.bad || text_no_memory(at);
}

int32_t text_vocab_find(const text_vocab *v, const char *p, size_t n)
{
    return v->slot ? v->slot[slot_of(v, p, n)] : -1;
}

const char *text_vocab_at(const text_vocab *v, int32_t id, size_t *n)
{
    if (id < 0 || id >= v->n || v->piece[id].n == UINT32_MAX) return NULL;
    *n = v->piece[id].n;
    return v->bytes.p + v->piece[id].at;
}

void text_vocab_free(text_vocab *v)
{
    free(v->piece);
    free(v->slot);
    text_free(&v->bytes);
    *v = (text_vocab){ 0 };
}
