/* gen/matmul/gemm_long.c - gemm.h where k is long: k is divided into chunks, each a product of its own; the products
 * are added up 64 at a time, the sums of 64 products 64 at a time, and so on. So no element of C is a chain of more
 * than some thousand additions, and its error does not grow with k.
 *
 * The length of a chunk follows from k and from whether C is a few numbers. The matrix unit, which rounds once per 32
 * products, gets longer chunks. A product of few rows and columns reads its operands from memory and can afford short
 * chunks; otherwise each chunk costs a pass over C. */
#include "gemm.h"

#include <string.h>

/* FEW: most rows and columns that are few; FEW_LONG: the longest k of few rows and columns that is one chunk. k of a
 * chunk: FEW_CHUNK of few rows and columns, INNER_CHUNK of an inner product of dense vectors, CHUNK of other
 * products, UNIT_CHUNK on the unit. FAN: how many sums are added up. */
enum { FEW = 16, FEW_LONG = 1024, FEW_CHUNK = 256, INNER_CHUNK = 8192, CHUNK = 4096, UNIT_CHUNK = 1 << 16,
       FAN = 64, LEVELS = 8 };

static bool gemm_long_is_float(const gemm *g) { return g->type == GEMM_F32 || g->type == GEMM_F64; }

/* True if the result is one number, the inner product of two dense vectors. */
static bool is_inner(const gemm *g)
{
    const tt_dtype own = g->type == GEMM_F32 ? TT_F32 : TT_F64;
    bool is = g->m == 1 && g->n == 1 && gemm_long_is_float(g) && g->isa->depth == 1;
    for (int t = 0; t < 2; t++) is = is && g->side[t].at && g->side[t].k == 1 && g->side[t].dtype == own;
    return is;
}

/* k of a chunk; g->k: there is only one chunk. */
static int64_t chunk_of(const gemm *g)
{
    if (!gemm_long_is_float(g) || g->tree) return g->k;
    if (g->matrix_unit) {
        const int64_t run = g->offset && g->k_run > 0 ? g->k_run : 1;
        const int64_t n = run < UNIT_CHUNK ? UNIT_CHUNK / run * run : run;
        return n < g->k ? n : g->k;
    }
    if (is_inner(g)) return g->k > FEW_LONG ? INNER_CHUNK : g->k;
    if (g->m <= FEW && g->n <= FEW) return g->k > FEW_LONG ? FEW_CHUNK : g->k;
    const int64_t most = CHUNK / g->isa->depth;
    return g->k > most ? most : g->k;
}

bool gemm_is_long(const gemm *g) { return g->k && chunk_of(g) < g->k; }

/* Levels of the tree of sums: the last one is in C. */
static int levels_of(int64_t chunks)
{
    int n = 1;
    for (int64_t i = FAN; i < chunks && n < LEVELS; i *= FAN) n++;
    return n;
}


int64_t gemm_long_scratch(const gemm *g)
{
    const int64_t size = (int64_t)gemm_bytes(g->type), few = (LEVELS + 1) * gemm_padded(FEW * FEW * size);
    gemm all = *g;
    if (!gemm_long_is_float(g) || g->tree || g->k <= FEW_LONG) return 0;
    all.m = all.m > FEW ? all.m : FEW + 1;
    const int64_t n = chunk_of(&all), sums = levels_of((g->k + n - 1) / n) + 1;
    const int64_t own = n < g->k ? sums * gemm_padded(g->m * g->n * size) : 0;
    return own > few ? own : few;
}

/* ---- a chunk ---- */

typedef struct { const gemm *g; int64_t k; } shift;

static void gemm_long_pack_a(const gemm *g, void *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const shift *s = g->env;
    s->g->pack_a(s->g, dst, width, row, s->k + k, nk);
}

static void gemm_long_pack_b(const gemm *g, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk)
{
    const shift *s = g->env;
    s->g->pack_b(s->g, dst, width, col, cols, s->k + k, nk);
}

static int64_t gemm_long_offset(const gemm *g, int tensor, int64_t i, int64_t j)
{
    const shift *s = g->env;
    return s->g->offset(s->g, tensor, i + (tensor == 1 ? s->k : 0), j + (tensor == 0 ? s->k : 0));
}

/* The product of nk of k from s->k on, with result c, rows ldc apart. */
static gemm gemm_long_part_of(const gemm *g, const shift *s, int64_t nk, void *c, int64_t ldc)
{
    const int64_t size = (int64_t)gemm_bytes(g->type);
    gemm part = *g;
    part.k = nk, part.env = s, part.c = c, part.ldc = ldc, part.on_made = NULL;
    part.pack_a = gemm_long_pack_a, part.pack_b = gemm_long_pack_b;
    if (g->offset) part.offset = gemm_long_offset;
    if (g->a && !g->offset) part.a = (const char *)g->a + s->k * (g->a_transposed ? g->lda : 1) * size;
    if (g->b && !g->offset) part.b = (const char *)g->b + s->k * (g->b_transposed ? 1 : g->ldb) * size;
    for (int t = 0; t < 2; t++)
        if (g->side[t].at)
            part.side[t].at =
                (const char *)g->side[t].at + s->k * g->side[t].k * (int64_t)ir_dtype_of(g->side[t].dtype)->bytes;
    return part;
}

/* ---- all chunks ---- */

typedef struct { char *at; int64_t ld; } sums;           /* m rows of n */

static void gemm_long_add(const gemm *g, const sums *to, const sums *from, bool first)
{
    const int64_t size = (int64_t)gemm_bytes(g->type);
    for (int64_t i = 0; i < g->m; i++) {
        char *const c = to->at + i * to->ld * size;
        const char *const d = from->at + i * from->ld * size;
        if (first) memcpy(c, d, (size_t)(g->n * size));
        else g->isa->merge[g->type](c, d, g->n);
    }
}

static void gemm_long_store(const gemm *g, const sums *from) /* in tiles no larger than gemm.c's */
{
    const int64_t size = (int64_t)gemm_bytes(g->type), run = g->run > 0 && g->run < g->m ? g->run : g->m;
    const int64_t wide = GEMM_WIDE * (int64_t)g->isa->lanes[g->type];
    for (int64_t i = 0, rows; i < g->m; i += rows) {
        rows = run - i % run < g->isa->rows ? run - i % run : g->isa->rows;
        for (int64_t j = 0; j < g->n; j += wide)
            g->store(g, i, (int)rows, j, (int)(g->n - j < wide ? g->n - j : wide), from->at + (i * from->ld + j) * size,
                     from->ld);
    }
}

void gemm_long(const gemm *g, void *scratch)
{
    const int64_t most = chunk_of(g), all = (g->k + most - 1) / most;
    const int64_t bytes = gemm_padded(g->m * g->n * (int64_t)gemm_bytes(g->type));
    const int levels = levels_of(all);
    int held[LEVELS] = { 0 };                            /* sums in each level */
    sums level[LEVELS], one = { scratch, g->n };
    char *buffer = (char *)scratch + bytes;
    for (int i = 0; i < levels; i++, buffer += bytes) level[i] = (sums){ buffer, g->n };
    if (g->c) level[levels - 1] = (sums){ g->c, g->ldc };
    for (int64_t k = 0; k < g->k; k += most) {
        const shift s = { g, k };
        const sums *to = held[0] ? &one : &level[0];
        const gemm part = gemm_long_part_of(g, &s, g->k - k < most ? g->k - k : most, to->at, to->ld);
        if (is_inner(g)) g->isa->inner[g->type](part.k, part.side[0].at, part.side[1].at, to->at);
        else gemm_run(&part, buffer);
        if (held[0]++) gemm_long_add(g, &level[0], &one, false);
        const bool last = k + most >= g->k;
        for (int j = 0; j < levels - 1 && (held[j] == FAN || last); j++) {
            if (held[j]) gemm_long_add(g, &level[j + 1], &level[j], !held[j + 1]++);
            held[j] = 0;
        }
    }
    if (!g->c) gemm_long_store(g, &level[levels - 1]);
}
