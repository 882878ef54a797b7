/* gen/matmul/gemm_tree.c - gemm.h with sums as trees over k (tree.h): for reproducible mode.
 *
 * A tile of C is computed on a stack of tiles: leaf after leaf of k is pushed, and neighbours are merged as soon as
 * both are complete. A leaf is a chain of m products, like gemm.c's sums; in long leaves, chains of LONG are merged in
 * the same way; where m is 1, eight leaves are computed at once in registers. Products are rounded before they are
 * added: a shard of one row has no sum to fuse the product into. */
#include "gemm.h"
#include "../isa/tree.h"

#include <string.h>

/* VECTORS: vectors of a tile; a stack of ten tiles stays in the first-level cache. LONG: products of a leaf in one
 * chain. */
enum { VECTORS = 2, LONG = 256 };

typedef struct { int rows, width, depth; int64_t leaf, leaves, a, b, tile; } tree_plan;  /* a, b, tile: bytes */


static tree_plan gemm_tree_plan_of(const gemm *g)
{
    const int64_t size = (int64_t)gemm_bytes(g->type);
    tree_plan p = { .rows = g->isa->rows, .width = VECTORS * g->isa->lanes[g->type], .depth = 2 };
    p.leaves = tree_leaves(g->k);
    p.leaf = g->k / p.leaves;
    if (p.leaf == 1 && p.leaves >= GEMM_EIGHT) p.leaves /= GEMM_EIGHT, p.leaf = GEMM_EIGHT;
    while ((int64_t)1 << (p.depth - 2) < p.leaves) p.depth++;
    for (int64_t n = LONG; n < p.leaf; n *= 2) p.depth++;
    p.a = gemm_padded(g->k * p.rows * size);
    p.b = gemm_padded(g->k * p.width * size);
    p.tile = gemm_padded((int64_t)p.rows * p.width * size);
    return p;
}

int64_t gemm_tree_scratch(const gemm *g)
{
    const tree_plan p = gemm_tree_plan_of(g);
    return p.a + p.b + p.depth * p.tile;
}

/* Computes a leaf, at `top`: chains, merged in pairs; the remaining ones are merged from the end on. */
static void gemm_tree_leaf(const gemm *g, const tree_plan *p, const char *a, int rows, const char *b, int64_t ldb,
    char *top)
{
    const int64_t size = (int64_t)gemm_bytes(g->type), count = (int64_t)rows * p->width;
    char *const bottom = top;
    int64_t i = 0;
    for (int64_t k = 0, n; k < p->leaf; k += n, i++, top += p->tile) {
        n = p->leaf - k < LONG ? p->leaf - k : LONG;
        g->isa->tile[g->type][VECTORS][rows](n, a + k * rows * size, b + k * ldb * size, ldb, top, p->width, false);
        for (int j = tree_joins(i); j > 0; j--, top -= p->tile) g->isa->merge[g->type](top - p->tile, top, count);
    }
    for (top -= p->tile; top > bottom; top -= p->tile) g->isa->merge[g->type](top - p->tile, top, count);
}

/* Computes a tile of `rows` rows: a packed [k][rows], b with rows ldb apart. The result is at the stack's bottom. */
static void gemm_tree_sum(const gemm *g, const tree_plan *p, const char *a, int rows, const char *b, int64_t ldb,
    char *stack)
{
    const int64_t size = (int64_t)gemm_bytes(g->type), count = (int64_t)rows * p->width;
    const bool eight = p->leaf == GEMM_EIGHT;            /* balanced: a tree of eight replaces the leaf */
    char *top = stack;
    if (!g->k) memset(stack, 0, (size_t)(count * size));
    for (int64_t i = 0; g->k && i < p->leaves; i++, top += p->tile) {
        if (eight) g->isa->eight[g->type](a, rows, b, ldb, top, p->width);
        else gemm_tree_leaf(g, p, a, rows, b, ldb, top);
        a += p->leaf * rows * size, b += p->leaf * ldb * size;
        for (int j = tree_joins(i); j > 0; j--, top -= p->tile) g->isa->merge[g->type](top - p->tile, top, count);
    }
}

static void gemm_tree_store(const gemm *g, const tree_plan *p, int64_t row, int rows, int64_t col, int cols,
    const char *tile)
{
    const int64_t size = (int64_t)gemm_bytes(g->type);
    if (!g->c) {
        g->store(g, row, rows, col, cols, tile, p->width);
        return;
    }
    for (int i = 0; i < rows; i++)
        memcpy((char *)g->c + ((row + i) * g->ldc + col) * size, tile + i * p->width * size, (size_t)(cols * size));
}

void gemm_tree(const gemm *g, void *scratch)
{
    const tree_plan p = gemm_tree_plan_of(g);
    const int64_t size = (int64_t)gemm_bytes(g->type), run = g->run > 0 && g->run < g->m ? g->run : g->m;
    char *a = scratch, *own = a + p.a, *stack = own + p.b;
    for (int64_t col = 0; col < g->n; col += p.width) {
        const int cols = (int)(g->n - col < p.width ? g->n - col : p.width);
        const bool direct = g->b && !g->b_transposed && cols == p.width;
        const char *b = direct ? (const char *)g->b + col * size : own;
        if (!direct && g->k) g->pack_b(g, own, p.width, col, cols, 0, g->k);
        for (int64_t row = 0, rows; row < g->m; row += rows) {
            rows = run - row % run < p.rows ? run - row % run : p.rows;
            if (g->k) g->pack_a(g, a, (int)rows, row, 0, g->k);
            gemm_tree_sum(g, &p, a, (int)rows, b, direct ? g->ldb : p.width, stack);
            gemm_tree_store(g, &p, row, (int)rows, col, cols, stack);
        }
    }
}
