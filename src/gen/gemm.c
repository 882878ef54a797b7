/* gen/gemm.c - the loops around the register tiles: blocks of k stay in the first cache, packed panels of B in the
 * second. Where the processor has a unit for matrices it does what is large; only what is not for it is done here.
 *
 * Rows go in groups of nearly equal size (at most the tile's), columns in panels of one tile's width. Several groups:
 * for a block of columns and a block of k, B's panels are packed once and every group of A runs over them. One group
 * (skinny): A is packed whole and every panel of B is used once, straight from memory where it lies right. Blocks of
 * k continue the sums that stand in C, so they do not change the order. */
#include "gemv.h"

#include <string.h>

#include "isa.h"

enum { K_BLOCK = 384, B_BYTES = 768 << 10 };

GEN_ISA_DECLARE(const gemm_isa, gemm_kernels);
GEN_ISA_DECLARE(const gemm_unit, gemm_amx);
const gemm_isa *gemm_here(void) { return GEN_ISA_PICK(gemm_kernels); }

const gemm_unit *gemm_unit_here(void)
{
    const gemm_unit *u = GEN_ISA_PICK(gemm_amx);
    return u->here() && !base_switch("no-amx") ? u : NULL;
}

size_t gemm_bytes(gemm_type t) { return t == GEMM_F32 || t == GEMM_U32 ? 4 : 8; }

gemm_type gemm_type_of(tt_dtype x, tt_dtype y)
{
    const ir_dtype *dx = ir_dtype_of(x), *dy = ir_dtype_of(y);
    const bool wide = dx->bytes == 8 || dy->bytes == 8;
    if (dx->cls == IR_FLOAT_CLASS) return wide ? GEMM_F64 : GEMM_F32;
    return wide ? GEMM_U64 : GEMM_U32;
}

const char *gemm_refuses(tt_dtype x, tt_dtype y)
{
    const ir_class cx = ir_dtype_of(x)->cls, cy = ir_dtype_of(y)->cls;
    const bool integers = cx == IR_INT_CLASS || cx == IR_UINT_CLASS, to = cy == IR_INT_CLASS || cy == IR_UINT_CLASS;
    if (cx == IR_FLOAT_CLASS && cy == IR_FLOAT_CLASS) return NULL;
    return integers && to ? NULL : "only floats and integers are contracted";
}

typedef struct {
    int64_t run, per_run, groups;                        /* rows that tiles stay in; groups of rows: in one, in all */
    int64_t kc, nc;                                      /* most of k and of columns that are packed at once */
    int rows, nv, width;                                 /* of the largest group's tile: vectors, columns */
    int64_t bytes_a, bytes_b, bytes_c, a_size;
    bool direct;
} plan;

static int64_t round_up(int64_t x) { return (x + GEMM_SLACK + 63) & ~(int64_t)63; }

/* The widest tile of that many rows with no more vectors than `most`; at least 1. */
static int widest(const gemm *g, int rows, int most)
{
    int nv = most < GEMM_WIDE ? most : GEMM_WIDE;
    while (nv > 1 && !g->isa->tile[g->type][nv][rows]) nv--;
    return nv;
}

static int narrowest(const gemm *g, int rows, int least) /* the narrowest with `least` vectors or more */
{
    while (!g->isa->tile[g->type][least][rows]) least++;
    return least;
}

static plan plan_of(const gemm *g)
{
    const int lanes = g->isa->lanes[g->type];
    const int64_t size = (int64_t)gemm_bytes(g->type);
    plan p = { .run = g->run > 0 && g->run < g->m ? g->run : g->m, .kc = g->k ? g->k : 1, .a_size = size };
    p.per_run = (p.run + g->isa->rows - 1) / g->isa->rows;
    p.groups = g->m / p.run * p.per_run;
    p.rows = (int)((p.run + p.per_run - 1) / p.per_run);
    p.nv = widest(g, p.rows, g->n < GEMM_WIDE * lanes ? (int)((g->n + lanes - 1) / lanes) : GEMM_WIDE);
    p.width = p.nv * lanes;
    p.direct = p.groups == 1 && g->b && !g->b_turned;
    if (g->k > K_BLOCK + K_BLOCK / 2 && (p.groups == 1 || g->c)) {
        const int64_t blocks = (g->k + K_BLOCK - 1) / K_BLOCK;
        p.kc = (g->k + blocks - 1) / blocks;
    }
    const int64_t fit = B_BYTES / (p.kc * size) / p.width * p.width,
                  all = (g->n + p.width - 1) / p.width * p.width;
    p.nc = p.groups == 1 || fit < p.width ? p.width : fit < all ? fit : all;
    p.bytes_a = round_up((p.groups == 1 ? g->k : p.kc) * p.rows * size);
    p.bytes_b = round_up(p.kc * p.nc * size);
    p.bytes_c = round_up((int64_t)p.rows * GEMM_WIDE * lanes * size);
    return p;
}

/* bytes: a flag per row, per column */
static int64_t marks(const gemm *g) { return (g->m + g->n + 63) & ~(int64_t)63; }

static int64_t own_scratch(const gemm *g)                /* enough for every part of it: plans of fewer rows differ */
{
    if (g->tree) return gemm_tree_scratch(g);
    const int64_t size = (int64_t)gemm_bytes(g->type), wide = GEMM_WIDE * (int64_t)g->isa->lanes[g->type];
    const int64_t rows = g->m < g->isa->rows ? g->m : g->isa->rows, block = K_BLOCK + K_BLOCK / 2;
    const int64_t kc = !g->k ? 1 : g->k > block && (g->c || (g->m <= rows && !g->run)) ? block : g->k;
    const int64_t all = kc * ((g->n + wide - 1) / wide) * wide * size, least = kc * wide * size;
    const int64_t b = all < B_BYTES ? all : least > B_BYTES ? least : B_BYTES;
    return round_up(g->k * rows * size) + round_up(b) + round_up(rows * wide * size);
}

int64_t gemm_scratch(const gemm *g)
{
    const int64_t own = own_scratch(g), unit = g->unit ? g->unit->scratch(g) : 0, few = gemv_scratch(g);
    const int64_t most = own > unit ? own : unit;
    return (g->unit ? marks(g) : 0) + (most > few ? most : few);
}

typedef struct {                                         /* one register tile's place in C, and its part of k */
    int64_t row, col, k; int rows, cols, nv; bool more, last;
} place;

static void run_tile(const gemm *g, const place *t, const void *a, const void *b, int64_t ldb, char *tmp)
{
    const int64_t size = (int64_t)gemm_bytes(g->type), width = t->nv * (int64_t)g->isa->lanes[g->type];
    char *c = g->c ? (char *)g->c + (t->row * g->ldc + t->col) * size : NULL;
    if (c && t->cols == width) {
        g->isa->tile[g->type][t->nv][t->rows](t->k, a, b, ldb, c, g->ldc, t->more);
        return;
    }
    for (int i = 0; c && t->more && i < t->rows; i++)
        memcpy(tmp + i * width * size, c + i * g->ldc * size, (size_t)(t->cols * size));
    g->isa->tile[g->type][t->nv][t->rows](t->k, a, b, ldb, tmp, width, t->more);
    for (int i = 0; c && i < t->rows; i++)
        memcpy(c + i * g->ldc * size, tmp + i * width * size, (size_t)(t->cols * size));
    if (!c && t->last) g->store(g, t->row, t->rows, t->col, t->cols, tmp, width);
}

/* Rows from `row` on, one group, and columns [from, end). */
static void run_skinny(const gemm *g, const plan *p, int64_t row, int64_t from, int64_t end, char *a,
                       char *b, char *tmp)
{
    const int lanes = g->isa->lanes[g->type];
    g->pack_a(g, a, p->rows, row, 0, g->k);
    for (int64_t col = from; col < end; col += p->width) {
        const int cols = (int)(end - col < p->width ? end - col : p->width);
        const int nv = narrowest(g, p->rows, (cols + lanes - 1) / lanes);
        if (p->direct && cols == nv * lanes) {
            const place t = { row, col, g->k, p->rows, cols, nv, false, true };
            run_tile(g, &t, a, (const char *)g->b + col * p->a_size, g->ldb, tmp);
            continue;
        }
        for (int64_t k = 0; k == 0 || k < g->k; k += p->kc) {
            const int64_t nk = g->k - k < p->kc ? g->k - k : p->kc;
            const place t = { row, col, nk, p->rows, cols, nv, k > 0, k + nk == g->k };
            g->pack_b(g, b, nv * lanes, col, cols, k, nk);
            run_tile(g, &t, a + k * p->rows * p->a_size, b, nv * lanes, tmp);
        }
    }
}

static void run_block(const gemm *g, const plan *p, int64_t col, int64_t ncol, int64_t k, int64_t nk, char *a, char *b,
                      char *tmp)
{
    const int lanes = g->isa->lanes[g->type];
    for (int64_t j = 0; j < ncol; j += p->width) {
        const int cols = (int)(ncol - j < p->width ? ncol - j : p->width),
                  nv = narrowest(g, p->rows, (cols + lanes - 1) / lanes);
        g->pack_b(g, b + j * nk * p->a_size, nv * lanes, col + j, cols, k, nk);
    }
    for (int64_t i = 0; i < p->groups; i++) {
        const int64_t part = i % p->per_run, from = p->run * part / p->per_run, row = i / p->per_run * p->run + from;
        const int rows = (int)(p->run * (part + 1) / p->per_run - from);
        g->pack_a(g, a, rows, row, k, nk);
        for (int64_t j = 0; j < ncol; j += p->width) {
            const int cols = (int)(ncol - j < p->width ? ncol - j : p->width);
            const int nv = narrowest(g, p->rows, (cols + lanes - 1) / lanes);
            const place t = { row, col + j, nk, rows, cols, nv, k > 0, k + nk == g->k };
            run_tile(g, &t, a, b + j * nk * p->a_size, nv * lanes, tmp);
        }
    }
}

/* A part of C, at most a tile's rows, by chains of fma. */
static void run_strip(const gemm *g, int64_t row, int64_t rows, int64_t col, int64_t cols, char *scratch)
{
    gemm strip = *g;
    strip.m = rows, strip.n = cols;
    if (g->place) strip.b = NULL, strip.c = NULL;
    const plan p = plan_of(&strip);
    run_skinny(g, &p, row, col, col + cols, scratch, scratch + p.bytes_a, scratch + p.bytes_a + p.bytes_b);
}

/* The unit does most of it; the rows and columns that it marks are done again without. */
static void run_on_unit(const gemm *g, char *scratch)
{
    uint8_t *row = (uint8_t *)scratch, *col = row + g->m;
    const int64_t most = g->isa->rows;
    scratch += marks(g);
    memset(row, 0, (size_t)(g->m + g->n));
    g->unit->run(g, scratch, row, col);
    for (int64_t i = 0, n; i < g->m; i += n) {
        for (n = 0; n < most && i + n < g->m && row[i + n]; n++) ;
        if (n) run_strip(g, i, n, 0, g->n, scratch);
        else n = 1;
    }
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; col[j] && i < g->m; i += most)
            run_strip(g, i, g->m - i < most ? g->m - i : most, j, 1, scratch);
}

void gemm_run(const gemm *g, void *scratch)
{
    if (!g->m || !g->n) return;
    if (g->unit) {
        run_on_unit(g, scratch);
        return;
    }
    if (g->tree) {
        gemm_tree(g, scratch);
        return;
    }
    if (gemv_fits(g)) {
        gemv_run(g, scratch);
        return;
    }
    const plan p = plan_of(g);
    char *a = scratch, *b = a + p.bytes_a, *tmp = b + p.bytes_b;
    if (p.groups == 1) {
        run_skinny(g, &p, 0, 0, g->n, a, b, tmp);
        return;
    }
    for (int64_t col = 0; col < g->n; col += p.nc)
        for (int64_t k = 0; k == 0 || k < g->k; k += p.kc)
            run_block(g, &p, col, g->n - col < p.nc ? g->n - col : p.nc, k, g->k - k < p.kc ? g->k - k : p.kc, a, b,
                      tmp);
}
