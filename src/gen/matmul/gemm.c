/* gen/matmul/gemm.c - the loops around the register tiles. If the processor has a matrix unit, that unit computes the
 * large products, and this file the rest.
 *
 * Rows are divided into groups of nearly equal size (at most the tile's), columns into panels of one tile's width.
 * - Several groups: for a block of columns and a block of k, B's panels are packed once, then groups of A; every group
 *   meets every panel. Tiles of many rows: a group stays in the first-level cache while B's panels, in the second-level
 *   cache, pass by. Tiles of few rows read more of B than of A: a panel stays, and a block of A's groups passes by.
 * - One group in all (skinny): A is packed completely and every panel of B is used once, straight from memory where its
 *   layout permits.
 * Blocks of k continue the sums stored in C, so they do not change the order. */
#include "gemv.h"

#include <string.h>

/* ONCE_BYTES: bytes of B where all rows of A meet B at once. K_UNIT: the unit of k's blocks. FLAT: below this k,
 * results are written line by line. */
enum { ONCE_BYTES = 160 << 10, K_UNIT = 8, FLAT = 64 };
/* Pairs (gemm_isa.depth): most bytes of A that are packed once for all columns; else of A packed at once. */
enum { PAIRS_ONCE = 2 << 20, PAIRS_BYTES = 256 << 10 };

typedef struct {
    int64_t run, per_run, groups;  /* rows that tiles do not leave; groups of rows: per run, in all */
    int64_t least, larger;                               /* rows of a group; how many of a run's groups have one more */
    int64_t kc, held, gc, nc;  /* most of k, groups and columns packed at once; gc: groups that meet a panel in turn */
    int rows, nv, width;                                 /* of the largest group's tile: rows, vectors, columns */
    int64_t bytes_a, bytes_b, bytes_c, a_size;
    bool direct, far;  /* direct: B is read in place; far: C exceeds the second-level cache */
} plan;

int64_t gemm_packed_bytes(void) { return base_machine_facts()->l2 / 8 * 3; }

/* Most bytes of B packed at once: decides how many columns, never an order of additions. */
static int64_t packed_b(const gemm *g) { return g->isa->b_bytes ? g->isa->b_bytes : gemm_packed_bytes(); }

/* The widest tile of `rows` rows with at most `most` vectors; at least 1. */
static int widest(const gemm *g, int rows, int most)
{
    int nv = most < GEMM_WIDE ? most : GEMM_WIDE;
    while (nv > 1 && !g->isa->tile[g->type][nv][rows]) nv--;
    return nv;
}

static int narrowest(const gemm *g, int rows, int least) /* the narrowest with at least `least` vectors */
{
    while (!g->isa->tile[g->type][least][rows]) least++;
    return least;
}

static int64_t most_k(const gemm *g) { return g->isa->k_block + g->isa->k_block / 2; }   /* in one block */

/* Distance between packed groups or panels: packing may write a vector past the end of one, and lines written at the
 * same time must not evict each other from the cache. */
static int64_t gemm_apart(int64_t nk, int lanes, int64_t size)
{
    return base_round_up(nk * lanes * size + 64, BASE_CACHE_LINE);
}

/* True if A is packed once for all columns. */
static bool a_packed_once(const gemm *g)
{
    const int64_t k = g->k < most_k(g) ? g->k : most_k(g);
    return g->a_once || (g->isa->depth > 1 && g->m * k * (int64_t)gemm_bytes(g->type) <= PAIRS_ONCE);
}

/* Sets how many groups are packed at once, and how many of them pass by a panel before the next one comes. */
static void set_groups(const gemm *g, plan *p, int64_t a_bytes)
{
    const int64_t some = a_bytes / gemm_apart(p->kc, p->rows, p->a_size);
    p->held = a_packed_once(g) ? p->groups : some < 1 || p->kc < FLAT ? 1 : some < p->groups ? some : p->groups;
    p->gc = g->isa->depth > 1 ? 1 : p->held;
}

static plan gemm_plan_of(const gemm *g)
{
    const int lanes = g->isa->lanes[g->type];
    const int64_t size = (int64_t)gemm_bytes(g->type);
    plan p = { .run = g->run > 0 && g->run < g->m ? g->run : g->m, .kc = g->k ? g->k : 1, .a_size = size };
    p.per_run = (p.run + g->isa->rows - 1) / g->isa->rows;
    p.groups = g->m / p.run * p.per_run;
    p.least = p.run / p.per_run, p.larger = p.run % p.per_run;
    p.rows = (int)((p.run + p.per_run - 1) / p.per_run);
    p.nv = widest(g, p.rows, g->n < GEMM_WIDE * lanes ? (int)((g->n + lanes - 1) / lanes) : GEMM_WIDE);
    p.width = p.nv * lanes;
    p.direct = p.groups == 1 && g->b && !g->b_transposed;
    p.far = g->isa->a_bytes && g->m * g->n * size > g->isa->a_bytes;
    if (g->k > most_k(g) && (p.groups == 1 || g->c)) {
        const int64_t few = (g->k + most_k(g) - 1) / most_k(g);      /* each block reads and writes C once more */
        const int64_t blocks = p.far ? few : (g->k + g->isa->k_block / 2) / g->isa->k_block;
        p.kc = base_round_up((g->k + blocks - 1) / blocks, K_UNIT);
    }
    const int64_t all = (g->n + p.width - 1) / p.width;
    set_groups(g, &p, g->isa->depth > 1 ? PAIRS_BYTES : g->isa->a_bytes);
    const bool at_once = g->isa->a_bytes && (p.gc == 1 || p.gc == p.groups);
    const int64_t fit = (at_once ? ONCE_BYTES : packed_b(g)) / gemm_apart(p.kc, p.width, size);
    /* parts that are reported have an even number of panels: lines of a loop over elements are multiples of 64 */
    const int64_t some = fit < all && fit > 2 && g->on_made ? fit & ~(int64_t)1 : fit;
    p.nc = (p.groups == 1 || fit < 1 ? 1 : some < all ? some : all) * p.width;
    p.bytes_a = gemm_padded(p.groups == 1 ? g->k * p.rows * size : p.held * gemm_apart(p.kc, p.rows, size));
    p.bytes_b = gemm_padded(p.nc / p.width * gemm_apart(p.kc, p.width, size));
    p.bytes_c = gemm_padded((int64_t)p.rows * GEMM_WIDE * lanes * size);
    return p;
}

/* Bytes of the flags per row and per column. */
static int64_t marks(const gemm *g) { return base_round_up(g->m + g->n, BASE_CACHE_LINE); }

static int64_t own_scratch(const gemm *g)                /* enough for every part of g: plans of fewer rows differ */
{
    if (g->tree) return gemm_tree_scratch(g);
    const int64_t size = (int64_t)gemm_bytes(g->type), wide = GEMM_WIDE * (int64_t)g->isa->lanes[g->type];
    const int64_t rows = g->m < g->isa->rows ? g->m : g->isa->rows, block = most_k(g), most = packed_b(g);
    const bool blocks = g->c || g->isa->depth > 1 || (g->m <= rows && !g->run);
    const int64_t kc = !g->k ? 1 : g->k > block && blocks ? block : g->k;
    const int64_t all_b = (g->n + wide) * kc * size + (g->n / g->isa->lanes[g->type] + 1) * 128,
                  least = gemm_apart(kc, (int)wide, size), b = most > least ? most : least;
    const int64_t all_a = 2 * g->m * (kc * size + 128), one = g->k * rows * size,
                  most_a = g->isa->depth > 1 ? 2 * PAIRS_ONCE : g->isa->a_bytes,
                  some = g->a_once || all_a < most_a ? all_a : most_a;
    return gemm_padded(some > one ? some : one) + gemm_padded(b < all_b ? b : all_b) + gemm_padded(rows * wide * size);
}

/* Bytes of float32 sums of pairs where C cannot hold sums, or 0. */
static int64_t sums_bytes(const gemm *g)
{
    const bool needed = g->isa->depth > 1 && !g->c && g->k > most_k(g) && g->m > g->isa->rows;
    return needed ? gemm_padded(g->m * g->n * (int64_t)gemm_bytes(g->type)) : 0;
}

int64_t gemm_scratch(const gemm *g)
{
    const int64_t own = own_scratch(g) + sums_bytes(g), few = gemv_scratch(g);
    const int64_t unit = g->matrix_unit ? g->matrix_unit->scratch(g) : 0;
    const int64_t most = own > unit ? own : unit;
    return (g->matrix_unit ? marks(g) : 0) + (most > few ? most : few) + gemm_long_scratch(g);
}

/* The place of a register tile in C, and its part of k. */
typedef struct { int64_t row, col, k, nk; int rows, cols, nv; } place;

static bool is_last(const gemm *g, const place *t) { return t->k + t->nk == g->k; }

static void gemm_run_tile(const gemm *g, const place *t, const void *a, const void *b, int64_t ldb, char *tmp)
{
    const int64_t size = (int64_t)gemm_bytes(g->type), width = t->nv * (int64_t)g->isa->lanes[g->type];
    char *c = g->c ? (char *)g->c + (t->row * g->ldc + t->col) * size : NULL;
    if (c && t->cols == width) {
        g->isa->tile[g->type][t->nv][t->rows](t->nk, a, b, ldb, c, g->ldc, t->k > 0);
        if (g->sums && is_last(g, t)) g->store(g, t->row, t->rows, t->col, t->cols, c, g->ldc);
        return;
    }
    for (int i = 0; c && t->k && i < t->rows; i++)
        memcpy(tmp + i * width * size, c + i * g->ldc * size, (size_t)(t->cols * size));
    g->isa->tile[g->type][t->nv][t->rows](t->nk, a, b, ldb, tmp, width, t->k > 0);
    for (int i = 0; c && i < t->rows; i++)
        memcpy(c + i * g->ldc * size, tmp + i * width * size, (size_t)(t->cols * size));
    if ((!c || g->sums) && is_last(g, t)) g->store(g, t->row, t->rows, t->col, t->cols, tmp, width);
}

/* Prefetches C for the tile below, where C is read again: memory latency is long. */
static void prefetch_c(const gemm *g, const place *t)
{
    const int64_t size = (int64_t)gemm_bytes(g->type);
    const char *c = g->c ? (char *)g->c + ((t->row + t->rows) * g->ldc + t->col) * size : NULL;
    for (int i = 0; c && i < t->rows; i++, c += g->ldc * size) __builtin_prefetch(c, 1);
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
            const place t = { row, col, 0, g->k, p->rows, cols, nv };
            gemm_run_tile(g, &t, a, (const char *)g->b + col * p->a_size, g->ldb, tmp);
            continue;
        }
        for (int64_t k = 0; k == 0 || k < g->k; k += p->kc) {
            const int64_t nk = g->k - k < p->kc ? g->k - k : p->kc;
            const place t = { row, col, k, nk, p->rows, cols, nv };
            g->pack_b(g, b, nv * lanes, col, cols, k, nk);
            gemm_run_tile(g, &t, a + k * p->rows * p->a_size, b, nv * lanes, tmp);
        }
    }
}

typedef struct { int64_t col, ncol, k, nk; } block;      /* columns and a part of k */

static int width_at(const gemm *g, const plan *p, const block *t, int64_t j, int *cols)
{
    const int lanes = g->isa->lanes[g->type];
    *cols = (int)(t->ncol - j < p->width ? t->ncol - j : p->width);
    return narrowest(g, p->rows, (*cols + lanes - 1) / lanes);
}

/* Group i of rows: of a run's groups, the larger ones come first. */
typedef struct { int64_t part, row; int rows; } group;

static int gemm_rows_of(const plan *p, int64_t part) { return (int)(p->least + (part < p->larger)); }

static group group_at(const plan *p, int64_t i)
{
    const int64_t part = i % p->per_run;
    return (group){ part, i / p->per_run * p->run + part * p->least + (part < p->larger ? part : p->larger),
                    gemm_rows_of(p, part) };
}

static void next_group(const plan *p, group *g)
{
    g->row += g->rows;
    g->part = g->part + 1 == p->per_run ? 0 : g->part + 1;
    g->rows = gemm_rows_of(p, g->part);
}

/* Packs adjacent lanes [lane, lane + n) of an operand as blocks of `width` lanes, `apart` bytes from each other. */
static void pack_runs(const gemm *g, int operand, const block *t, int64_t lane, int64_t n, int width, int64_t apart,
                      char *to)
{
    const gemm_side *s = &g->side[operand];
    const char *at = (const char *)s->at + (lane + t->k * s->k) * (int64_t)ir_dtype_of(s->dtype)->bytes;
    g->isa->from_runs[g->type](to, width, apart, s->dtype, at, s->k, n, t->nk);
}

/* True if the first tile that meets a full panel of adjacent columns packs it (gemm_isa.keep). */
static bool keeps(const gemm *g, const plan *p)
{
    return g->side[1].at && g->side[1].lane == 1 && p->nv == 2 && g->isa->keep[g->type][group_at(p, 0).rows];
}

static void pack_columns(const gemm *g, const plan *p, const block *t, char *b)
{
    const int64_t next = gemm_apart(t->nk, p->width, p->a_size);
    int64_t j = 0;
    if (g->side[1].at && g->side[1].lane == 1 && t->ncol >= p->width) {
        j = t->ncol / p->width * p->width;
        if (!keeps(g, p)) pack_runs(g, 1, t, t->col, j, p->width, next, b);
    }
    for (; j < t->ncol; j += p->width) {
        int cols;
        const int nv = width_at(g, p, t, j, &cols);
        g->pack_b(g, b + j / p->width * next, nv * g->isa->lanes[g->type], t->col + j, cols, t->k, t->nk);
    }
}

static void pack_groups(const gemm *g, const plan *p, const block *t, int64_t from, int64_t to, char *a)
{
    const int64_t next = gemm_apart(t->nk, p->rows, p->a_size);
    group r = group_at(p, from), all = r;
    for (int64_t i = from, n; i < to; i += n, a += n * next, all = r) {
        for (n = 0; i + n < to && r.rows == all.rows; n++) next_group(p, &r);
        if (g->side[0].at && g->side[0].lane == 1) {
            pack_runs(g, 0, t, all.row, n * all.rows, all.rows, next, a);
            continue;
        }
        for (int64_t q = 0; q < n; q++)
            g->pack_a(g, a + q * next, all.rows, all.row + q * all.rows, t->k, t->nk);
    }
}

/* The tile of the first group with a panel, which also packs the panel. */
static void run_first(const gemm *g, const place *t, const void *a, char *b, char *tmp)
{
    const int64_t size = (int64_t)gemm_bytes(g->type), width = 2 * (int64_t)g->isa->lanes[g->type];
    const gemm_side *s = &g->side[1];
    const char *at = (const char *)s->at + (t->col + t->k * s->k) * (int64_t)ir_dtype_of(s->dtype)->bytes;
    char *c = g->c ? (char *)g->c + (t->row * g->ldc + t->col) * size : tmp;
    g->isa->keep[g->type][t->rows](t->nk, a, s->dtype, at, s->k, b, c, g->c ? g->ldc : width, t->k > 0);
    if (!g->c && is_last(g, t)) g->store(g, t->row, t->rows, t->col, t->cols, tmp, width);
}

/* A panel of columns and `groups` groups of rows from r on; keep: the panel is not packed yet. */
static void run_panel(const gemm *g, const plan *p, const block *t, int64_t j, group r, int64_t groups, const char *a,
                      char *b, bool keep, char *tmp)
{
    const int64_t next_a = gemm_apart(t->nk, p->rows, p->a_size);
    int cols;
    const int nv = width_at(g, p, t, j, &cols);
    for (; groups > 0; groups--, next_group(p, &r), a += next_a) {
        const place c = { r.row, t->col + j, t->k, t->nk, r.rows, cols, nv };
        if (p->far && groups > 1) prefetch_c(g, &c);
        if (keep && cols == p->width) run_first(g, &c, a, b, tmp);
        else gemm_run_tile(g, &c, a, b, nv * g->isa->lanes[g->type], tmp);
        keep = false;
    }
}

static void run_block(const gemm *g, const plan *p, const block *t, char *a, char *b, char *tmp)
{
    const int64_t next_b = gemm_apart(t->nk, p->width, p->a_size), next_a = gemm_apart(t->nk, p->rows, p->a_size);
    const bool keep = keeps(g, p), packed = a_packed_once(g);
    pack_columns(g, p, t, b);
    for (int64_t from = 0, to; from < p->groups; from = to) {
        const group r = group_at(p, from);
        const int64_t place = packed ? from : from % p->held;
        to = p->groups - from < p->gc ? p->groups : from + p->gc;
        if (!packed && !place) pack_groups(g, p, t, from, p->groups - from < p->held ? p->groups : from + p->held, a);
        char *panel = b;
        for (int64_t j = 0; j < t->ncol; j += p->width, panel += next_b)
            run_panel(g, p, t, j, r, to - from, a + place * next_a, panel, keep && !from, tmp);
        const int64_t end = to < p->groups ? group_at(p, to).row : g->m;
        if (g->on_made && t->k + t->nk == g->k) g->on_made(g, r.row, end - r.row, t->col, t->ncol);
    }
}

/* A part of C, at most a tile's rows, by chains of fma. */
static void run_strip(const gemm *g, int64_t row, int64_t rows, int64_t col, int64_t cols, char *scratch)
{
    gemm strip = *g;
    strip.m = rows, strip.n = cols;
    if (g->offset) strip.b = NULL, strip.c = NULL;
    const plan p = gemm_plan_of(&strip);
    run_skinny(g, &p, row, col, col + cols, scratch, scratch + p.bytes_a, scratch + p.bytes_a + p.bytes_b);
}

/* The unit computes the product; rows and columns that the unit has marked are recomputed without the unit. */
static void run_on_unit(const gemm *g, char *scratch)
{
    uint8_t *row = (uint8_t *)scratch, *col = row + g->m;
    const int64_t most = g->isa->rows;
    scratch += marks(g);
    memset(row, 0, (size_t)(g->m + g->n));
    gemm_matrix_unit_use();
    g->matrix_unit->run(g, scratch, row, col);
    for (int64_t i = 0, n; i < g->m; i += n) {
        for (n = 0; n < most && i + n < g->m && row[i + n]; n++) ;
        if (n) run_strip(g, i, n, 0, g->n, scratch);
        else n = 1;
    }
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; col[j] && i < g->m; i += most)
            run_strip(g, i, g->m - i < most ? g->m - i : most, j, 1, scratch);
}

static void run_blocks(const gemm *g, const plan *p, char *a, char *b, char *tmp)
{
    for (int64_t col = 0; col < g->n; col += p->nc)
        for (int64_t k = 0; k == 0 || k < g->k; k += p->kc) {
            const block t = { col, g->n - col < p->nc ? g->n - col : p->nc, k, g->k - k < p->kc ? g->k - k : p->kc };
            run_block(g, p, &t, a, b, tmp);
        }
}

/* A is packed once for each part of k, and then meets all columns. */
static void run_packed_once(const gemm *g, const plan *p, char *a, char *b, char *tmp)
{
    for (int64_t k = 0; k == 0 || k < g->k; k += p->kc) {
        block t = { 0, g->n, k, g->k - k < p->kc ? g->k - k : p->kc };
        pack_groups(g, p, &t, 0, p->groups, a);
        for (; t.col < g->n; t.col += p->nc) {
            t.ncol = g->n - t.col < p->nc ? g->n - t.col : p->nc;
            run_block(g, p, &t, a, b, tmp);
        }
    }
}

static bool run_own(const gemm *g, char *a)              /* true: parts were notified of as they were computed */
{
    const plan p = gemm_plan_of(g);
    char *const b = a + p.bytes_a, *const tmp = b + p.bytes_b;
    if (p.groups > 1) return (a_packed_once(g) ? run_packed_once : run_blocks)(g, &p, a, b, tmp), true;
    run_skinny(g, &p, 0, 0, g->n, a, b, tmp);
    return false;
}

static void run_with_sums(const gemm *g, char *scratch)
{
    gemm all = *g;
    all.sums = true, all.c = scratch, all.ldc = g->n;
    gemm_run(&all, scratch + sums_bytes(g));
}

void gemm_run(const gemm *g, void *scratch)
{
    if (!g->m || !g->n) return;
    if (sums_bytes(g) && !gemm_is_long(g)) {
        run_with_sums(g, scratch);
        return;
    }
    if (gemm_is_long(g)) gemm_long(g, scratch);
    else if (g->matrix_unit) run_on_unit(g, scratch);
    else if (g->tree) gemm_tree(g, scratch);
    else if (gemv_fits(g)) gemv_run(g, scratch);
    else if (run_own(g, scratch)) return;
    if (g->on_made) g->on_made(g, 0, g->m, 0, g->n);
}
