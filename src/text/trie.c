/* text/trie.c - texts by prefix: a trie whose edges are a hash table, (node, byte) to node. A node is a number of at
 * most 28 bits; an edge is one word: node, byte, node. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

bool text_trie_new(text_at at, text_trie *t, size_t bytes)
{
    if (bytes >= 1u << 27) return text_fail(at, TT_EDATA, "pieces of %zu bytes together", bytes);
    uint32_t slots = 16;
    while (slots < 2 * bytes) slots *= 2;
    *t = (text_trie){ .mask = slots - 1, .nodes = 1, .seed = text_seed() };
    t->edge = calloc(slots, sizeof *t->edge);
    t->id = malloc((bytes + 1) * sizeof *t->id);
    if (!t->edge || !t->id) return text_no_memory(at);
    t->id[0] = -1;
    return true;
}

static uint32_t edge_of(const text_trie *t, uint32_t node, uint8_t byte)
{
    const uint64_t key = (uint64_t)node << 8 | byte;
    uint32_t i = (uint32_t)text_hash2(t->seed, key) & t->mask;
    while (t->edge[i] && t->edge[i] >> 28 != key) i = (i + 1) & t->mask;
    return i;
}

uint32_t text_trie_next(const text_trie *t, uint32_t node, uint8_t byte)
{
    if (!node) return t->first[byte];
    return t->edge[edge_of(t, node, byte)] & 0xfffffff;
}

void text_trie_add(text_trie *t, const char *p, size_t n, int32_t id)
{
    uint32_t node = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t b = (uint8_t)p[i];
        uint32_t next = text_trie_next(t, node, b);
        if (!next) {
            next = t->nodes++;
            t->id[next] = -1;
            if (node) t->edge[edge_of(t, node, b)] = ((uint64_t)node << 8 | b) << 28 | next;
            else t->first[b] = next;
        }
        node = next;
    }
    if (t->id[node] < 0) t->id[node] = id;
}

void text_trie_free(text_trie *t)
{
    free(t->edge);
    free(t->id);
    *t = (text_trie){ 0 };
}
