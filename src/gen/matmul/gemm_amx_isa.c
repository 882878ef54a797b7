/* gen/matmul/gemm_amx_isa.c - float32 products on the matrix unit (AMX), which multiplies bf16: C[m, n] = A[m, k] B[k,
 * n].
 *
 * An element is the sum of three bf16, x = x0 + x1 + x2, each the bf16 nearest to the remainder: 24 bits, exactly. Of
 * the nine products of parts the three smallest, at most 2^-23 |x y| together, are left out; tdpbf16ps sums the other
 * six in float32, 32 of k at once. So the error is that of a float32 sum: fewer roundings of large sums make up for the
 * omitted products.
 *
 * The unit flushes denormals to zero, and the parts of infinities are wrong. So rows of A and columns of B whose
 * largest element (in a block of k) is neither zero nor between 2^-50 and 2^100 are marked, and gemm.c computes the
 * elements of C in marked rows and columns without the unit. Next to larger elements, elements below 2^-110 have an
 * error of up to 2^-125. Every element of C is one chain over rising k, as in gemm.c: its bits depend on its own row
 * and column only. */
#include "gemm.h"
#include "../isa/isa.h"

#include <string.h>

#if defined ISA_avx512 && defined __x86_64__ && defined __linux__

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WIDE = GEMM_BLOCK };
/* K_BLOCK: most of k packed at once; K_MOST: the same where C cannot hold sums. PACKED: bytes of packed columns, which
 * stay in the second-level cache. ROWS_PACKED: bytes of packed rows; a panel of 32 of these is in the second-level
 * cache too, and the next one is prefetched meanwhile. */
enum { K_BLOCK = 512, K_MOST = 2048, PACKED = BASE_L2 / 8 * 3, ROWS_PACKED = 4 << 20 };

#include "amx.h"
#include "gemm_amx_pack.h"

/* ---- availability ---- */

static bool usable;

static void amx_request_permission(void)
{
#ifdef AMX_SOFTWARE
    usable = true;
#else
    enum { REQUEST = 0x1023, TILE_DATA = 18, TILES = 3 << 17 };  /* arch_prctl's request; the unit's state components */
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 22 & 1) || !(d >> 24 & 1)) return;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    usable = (a & TILES) == TILES && !syscall(SYS_arch_prctl, REQUEST, TILE_DATA);
#endif
}

static bool here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, amx_request_permission);
    return usable;
}

/* ---- blocks of 32 by 32: tiles 0 to 3 are C, 4 and 5 of A, 6 and 7 of B ---- */

/* Work interleaved with the products of each 32 of k: a share of a panel is packed, lines of the next panel are
 * prefetched. */
typedef struct { pack_queue *q; int share, lines; const char *ahead; } interleaved;

INLINE void interleaved_step(interleaved *w)
{
    for (int i = 0; i < w->share; i++) pack_next(w->q);
    for (int i = 0; i < w->lines; i++, w->ahead += 64) _mm_prefetch(w->ahead, _MM_HINT_T1);
}

/* Computes a block of C, ni x nj tiles, from packed panels. step: bytes between rows of C. */
#define BLOCK(ni, nj)                                                                                                  \
    static void block_##ni##_##nj(int64_t nk, const char *a, const char *b, char *c, int64_t step, bool more,          \
                                  interleaved *w)                                                                      \
    {                                                                                                                  \
        const char *line = more ? c + ni * SIDE * step : c;      /* of C: prefetched early, memory latency is long */  \
        __m512 awake = _mm512_setzero_ps();                                                                            \
        if (more) {                                                                                                    \
            LOAD(0, c, step);                                                                                          \
            if (nj > 1) LOAD(1, c + 64, step);                                                                         \
            if (ni > 1) LOAD(2, c + SIDE * step, step);                                                                \
            if (ni * nj > 3) LOAD(3, c + SIDE * step + 64, step);                                                      \
        } else {                                                                                                       \
            ZERO(0);                                                                                                   \
            if (nj > 1) ZERO(1);                                                                                       \
            if (ni > 1) ZERO(2);                                                                                       \
            if (ni * nj > 3) ZERO(3);                                                                                  \
        }                                                                                                              \
        for (int64_t k = 0; k < nk; k += DEEP, a += PARTS * ni * TILE, b += PARTS * nj * TILE) {                       \
            for (int i = 0; i < FETCHED && line < c + ni * SIDE * step; i++, line += step) PREFETCHW(line, nj);   \
            AWAKE A(0, ni) B(0, nj) DOTS(ni, nj)                                                                       \
            interleaved_step(w);                                                                                       \
            B(1, nj) DOTS(ni, nj)                                                                                      \
            B(2, nj) DOTS(ni, nj)                                                                                      \
            A(1, ni) B(1, nj) DOTS(ni, nj)                                                                             \
            B(0, nj) DOTS(ni, nj)                                                                                      \
            A(2, ni) DOTS(ni, nj)                                                                                      \
        }                                                                                                              \
        SAVE(0, c, step);                                                                                              \
        if (nj > 1) SAVE(1, c + 64, step);                                                                             \
        if (ni > 1) SAVE(2, c + SIDE * step, step);                                                                    \
        if (ni * nj > 3) SAVE(3, c + SIDE * step + 64, step);                                                          \
    }
/* An occasional float addition: without one, every store of a tile stalls the unit for some 200 ns (measured; integer
 * instructions do not help). */
#define AWAKE __asm__ volatile("vaddps %0, %0, %0" : "+v"(awake));
enum { FETCHED = 4, FETCHED_MOST = 16 }; /* rows of C per step: a block's in eight; lines of A */
#define PREFETCHW(line, nj) __asm__ volatile("prefetchw %0\n prefetchw %1" ::"m"(*(line)), "m"((line)[64 * (nj - 1)]))
#define A(p, ni)                                                                                                       \
    LOAD(4, a + p * ni * TILE, 64);                                                                                    \
    if (ni > 1) LOAD(5, a + (p * ni + 1) * TILE, 64);
#define B(p, nj)                                                                                                       \
    LOAD(6, b + p * nj * TILE, 64);                                                                                    \
    if (nj > 1) LOAD(7, b + (p * nj + 1) * TILE, 64);
#define DOTS(ni, nj)                                                                                                   \
    DOT(0, 4, 6);                                                                                                      \
    if (nj > 1) DOT(1, 4, 7);                                                                                          \
    if (ni > 1) DOT(2, 5, 6);                                                                                          \
    if (ni * nj > 3) DOT(3, 5, 7);
BLOCK(1, 1)
BLOCK(1, 2)
BLOCK(2, 1)
BLOCK(2, 2)
typedef void block(int64_t nk, const char *a, const char *b, char *c, int64_t step, bool more, interleaved *);
static block *const blocks[2][2] = { { block_1_1, block_1_2 }, { block_2_1, block_2_2 } };

/* ---- loops ---- */

/* Most of k, rows and columns at once; bytes of the scratch's parts. */
typedef struct { int64_t kc, mc, nc, a, b, staged, c; } plan;


/* The size of a piece when n is divided into the fewest pieces of at most `most`, rounded up to `to`. */
static int64_t piece(int64_t n, int64_t most, int64_t to)
{
    const int64_t pieces = most < to ? base_round_up(n, to) / to : (n + most - 1) / most;
    return base_round_up((n + pieces - 1) / pieces, to);
}

static plan amx_plan_of(const gemm *g)
{
    plan p = { .kc = base_round_up(g->k, DEEP) };
    if (g->c && g->k > K_BLOCK + K_BLOCK / 2) p.kc = piece(g->k, K_BLOCK, DEEP);
    const int64_t each = p.kc * PARTS * 2, fit = PACKED / each / WIDE * WIDE;
    p.mc = piece(g->m, ROWS_PACKED / each / WIDE * WIDE, WIDE);
    p.nc = piece(g->n, fit, WIDE);
    p.a = p.mc * each;
    p.b = p.nc * each;
    p.staged = (p.kc * WIDE + GEMM_SLACK) * (int64_t)sizeof(float);      /* a panel being packed */
    p.c = WIDE * WIDE * (int64_t)sizeof(float);
    return p;
}

/* Enough for g and any part of it: fewer rows may give larger pieces. */
static int64_t amx_scratch(const gemm *g)
{
    const plan p = amx_plan_of(g);
    const int64_t each = p.kc * PARTS * 2, least = WIDE * each, most = PACKED > least ? PACKED : least;
    const int64_t a = base_round_up(g->m, WIDE) * each, b = base_round_up(g->n, WIDE) * each,
        lanes = base_round_up(g->n > g->m ? g->n : g->m, WIDE);
    return (a < ROWS_PACKED ? a : ROWS_PACKED) + (b < most ? b : most) + p.staged + p.c +
           lanes * (int64_t)sizeof(uint32_t) + 64;
}

static bool amx_worth(const gemm *g, tt_dtype x, tt_dtype y)
{
    if (g->type != GEMM_F32 || x != TT_F32 || y != TT_F32 || g->run || (!g->c && g->k > K_MOST)) return false;
    const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
    const double padded = (double)base_round_up(g->m, SIDE) * (double)base_round_up(g->n,
        SIDE) * (double)base_round_up(g->k, DEEP);
    const double unit = padded / 64 + (m + n) * k * 0.5, fma = m * n * k / 26 + (m + n) * k * 0.15;       /* cycles */
    return here() && unit < 0.9 * fma;
}

/* Addresses: of A's row i at k; of B's column j at k; of element (i, j) of C. */
static const float *a_at(const gemm *g, int64_t i, int64_t k)
{
    return (const float *)g->a + (g->offset         ? g->offset(g, 0, i, k)
                                  : g->a_transposed ? k * g->lda + i
                                                    : i * g->lda + k);
}
static const float *b_at(const gemm *g, int64_t k, int64_t j)
{
    return (const float *)g->b + (g->offset         ? g->offset(g, 1, k, j)
                                  : g->b_transposed ? j * g->ldb + k
                                                    : k * g->ldb + j);
}
static float *c_at(const gemm *g, int64_t i, int64_t j)
{
    return (float *)g->c + (g->offset ? g->offset(g, 2, i, j) : i * g->ldc + j);
}

/* Packs all panels of n rows of A, or columns of B, whose k are `ld` apart, step by step, so that memory is read in
 * long lines. x NULL: A's or B's own from (row or column, k) on. */
typedef void pack_step(const float *, int64_t ld, int lanes, int64_t nk, int tiles, char *to, uint32_t *most);
static void pack_steps(const gemm *g, pack_step *f, const float *x, int64_t ld, int64_t from, int64_t n, int64_t k,
                       int64_t nk, char *to, uint32_t *most)
{
    const int64_t each = base_round_up(nk, DEEP) * PARTS * 2;
    for (int64_t i = 0; i < nk; i += DEEP)
        for (int64_t j = 0; j < n; j += WIDE) {
            const int lanes = (int)(n - j < WIDE ? n - j : WIDE), tiles = lanes > SIDE ? 2 : 1;
            const float *at = x ? x + i * ld + j : f == pack_transposed ? a_at(g, from + j, k + i)
                : b_at(g, k + i, from + j);
            f(at, ld, lanes, nk - i, tiles, to + j * each + i / DEEP * PARTS * tiles * TILE, most + j);
        }
}

static void marks(const uint32_t *most, int64_t n, uint8_t *bad)
{
    for (int64_t j = 0; j < n; j += SIDE) amx_pack_mark(_mm512_loadu_si512(most + j),
        (int)(n - j < SIDE ? n - j : SIDE),
                                                        bad + j);
}

/* Packs rows [row, row + rows) of A, except rows with contiguous k, which are packed when they are first used
 * (run_piece). */
static void amx_pack_a(const gemm *g, int64_t row, int64_t rows, int64_t k, int64_t nk, char *to, float *stage,
                       uint32_t *most, uint8_t *bad)
{
    const float *a = g->a;
    const int64_t each = base_round_up(nk, DEEP) * PARTS * 2;
    if (a && !g->a_transposed) return;
    memset(most, 0, (size_t)base_round_up(rows, WIDE) * sizeof *most);
    if (a) pack_steps(g, pack_transposed, NULL, g->lda, row, rows, k, nk, to, most);
    for (int64_t i = 0; !a && i < rows; i += WIDE) {
        const int lanes = (int)(rows - i < WIDE ? rows - i : WIDE);
        g->pack_a(g, stage, lanes, row + i, k, nk);
        pack_steps(g, pack_transposed, stage, lanes, 0, lanes, 0, nk, to + i * each, most + i);
    }
    marks(most, rows, bad + row);
}

/* Packs columns [col, col + nc) of B. Adjacent columns: rows are read in place, 32 by 32. */
static void amx_pack_b(const gemm *g, int64_t col, int64_t nc, int64_t k, int64_t nk, char *to, float *stage,
                       uint32_t *most, uint8_t *bad)
{
    const float *b = g->b;
    const int64_t each = base_round_up(nk, DEEP) * PARTS * 2;
    memset(most, 0, (size_t)base_round_up(nc, WIDE) * sizeof *most);
    if (b && !g->b_transposed) pack_steps(g, pack_columns, NULL, g->ldb, col, nc, k, nk, to, most);
    for (int64_t j = 0; (!b || g->b_transposed) && j < nc; j += WIDE) {
        const int cols = (int)(nc - j < WIDE ? nc - j : WIDE), tiles = cols > SIDE ? 2 : 1;
        if (!b) {
            g->pack_b(g, stage, WIDE, col + j, cols, k, nk);
            pack_steps(g, pack_columns, stage, WIDE, 0, cols, 0, nk, to + j * each, most + j);
        }
        for (int64_t i = 0; b && i < nk; i += DEEP)
            pack_lines(b_at(g, k + i, col + j), g->ldb, cols, nk - i, tiles,
                       to + j * each + i / DEEP * PARTS * tiles * TILE, most + j);
    }
    marks(most, nc, bad + col);
}

/* A block of C at `row`, `col`: nk of k from k on, from panels. If C has no memory for partial sums, or the block is no
 * full tiles, tmp holds the block. */
static void run_one(const gemm *g, int64_t row, int rows, int64_t col, int cols, int64_t k, int64_t nk, const char *a,
                    const char *b, float *tmp, interleaved *w)
{
    float *c = g->c ? c_at(g, row, col) : NULL;
    block *const f = blocks[rows > SIDE][cols > SIDE];
    if (c && rows % SIDE == 0 && cols % SIDE == 0) {
        f(nk, a, b, (char *)c, g->ldc * (int64_t)sizeof *c, k > 0, w);
        return;
    }
    for (int i = 0; c && k && i < rows; i++) memcpy(tmp + i * WIDE, c + i * g->ldc, (size_t)cols * sizeof *c);
    f(nk, a, b, (char *)tmp, WIDE * (int64_t)sizeof *tmp, k > 0, w);
    for (int i = 0; c && i < rows; i++) memcpy(c + i * g->ldc, tmp + i * WIDE, (size_t)cols * sizeof *c);
    if (!c && k + nk == g->k) g->store(g, row, rows, col, cols, tmp, WIDE);
}

/* Prefetches the next block of C: memory latency is long. */
static void prefetch_c(const gemm *g, int64_t row, int rows, int64_t col)
{
    const char *c = (const char *)c_at(g, row, col);
    for (int r = 0; r < rows; r++, c += g->ldc * (int64_t)sizeof(float)) PREFETCHW(c, 2);
}

/* Computes rows of C over packed columns; meanwhile packs the queue's panel, or prefetches the next panel, `ahead`. */
static void run_rows(const gemm *g, int64_t row, int rows, int64_t col, int64_t nc, int64_t k, int64_t nk,
                     const char *a, const char *b, float *tmp, pack_queue *q, const char *ahead)
{
    const int64_t each = base_round_up(nk, DEEP) * PARTS * 2, blocks = (nc + WIDE - 1) / WIDE;
    const int64_t lines = (PARTS * 2 * WIDE * DEEP / 64 + blocks - 1) / blocks;
    interleaved w = { q, q ? (int)((WIDE + blocks - 1) / blocks) : 0,
                 ahead ? (int)(lines < FETCHED_MOST ? lines : FETCHED_MOST) : 0, ahead };
    for (int64_t j = 0; j < nc; j += WIDE) {
        const int cols = (int)(nc - j < WIDE ? nc - j : WIDE);
        if (g->c && k && j + 2 * WIDE <= nc) prefetch_c(g, row, rows, col + j + WIDE);
        run_one(g, row, rows, col + j, cols, k, nk, a, b + j * each, tmp, &w);
    }
    while (q && pack_next(q)) ;
}

/* Begins to pack a panel of A. All runs of k but the last are packed at once; the last (the only one, if all k are
 * adjacent) is left to the queue. */
static void begin_rows(const gemm *g, pack_queue *q, int64_t row, int rows, int64_t k, int64_t nk, char *to,
                       uint8_t *bad)
{
    for (int64_t end = k + nk, n; k < end; k += n) {
        n = g->offset && g->k_run - k % g->k_run < end - k ? g->k_run - k % g->k_run : end - k;
        pack_begin(q, a_at(g, row, k), g->lda, rows, n, to, bad);
        if (k + n < end) while (pack_next(q)) ;
        to += base_round_up(n, DEEP) * PARTS * 2 * base_round_up(rows, SIDE);
    }
}

/* Computes all rows of a piece over packed columns. Where k is contiguous, a panel of A is packed for the first
 * columns, while the unit works on the panel before it. */
static void run_piece(const gemm *g, int64_t from, int64_t end, int64_t col, int64_t nc, int64_t k, int64_t nk, char *a,
                      const char *b, float *tmp, uint8_t *bad_row)
{
    const int64_t each = base_round_up(nk, DEEP) * PARTS * 2;
    const bool packs = !col && g->a && !g->a_transposed;
    pack_queue q;
    for (int64_t row = packs ? from - WIDE : from; row < end; row += WIDE) {
        const int64_t next = row + WIDE, rows = end - row < WIDE ? end - row : WIDE;
        const bool more = packs && next < end;
        if (more) begin_rows(g, &q, next, (int)(end - next < WIDE ? end - next : WIDE), k, nk, a + (next - from) * each,
                             bad_row + next);
        const char *const now = a + (row - from) * each, *const ahead = !packs && next < end ? now + WIDE * each : NULL;
        if (row >= from) run_rows(g, row, (int)rows, col, nc, k, nk, now, b, tmp, more ? &q : NULL, ahead);
        else while (pack_next(&q)) ;
    }
}

/* Rows are packed once, for the first columns; columns are packed for every piece of the rows, or once if there is one
 * piece. */
static void amx_run(const gemm *g, void *scratch, uint8_t *bad_row, uint8_t *bad_col)
{
    const plan p = amx_plan_of(g);
    char *const a = base_line_up(scratch), *const b = a + p.a;
    float *const stage = (float *)(void *)(b + p.b), *const tmp = stage + p.staged / (int64_t)sizeof *stage;
    uint32_t *const most = (uint32_t *)(void *)((char *)tmp + p.c);
    configure();
    for (int64_t k = 0, nk; k < g->k; k += nk) {
        nk = g->k - k < p.kc ? g->k - k : p.kc;
        for (int64_t from = 0; from < g->m; from += p.mc)
            for (int64_t col = 0; col < g->n; col += p.nc) {
                const int64_t nc = g->n - col < p.nc ? g->n - col : p.nc, end = from + p.mc < g->m ? from + p.mc : g->m;
                if (!from || p.nc < g->n) amx_pack_b(g, col, nc, k, nk, b, stage, most, bad_col);
                if (!col) amx_pack_a(g, from, end - from, k, nk, a, stage, most, bad_row);
                run_piece(g, from, end, col, nc, k, nk, a, b, tmp, bad_row);
            }
    }
    RELEASE;
}

const gemm_matrix_unit GEN_ISA(gemm_amx) = { here, amx_worth, amx_scratch, amx_run };

#else

static bool here(void) { return false; }
const gemm_matrix_unit GEN_ISA(gemm_amx) = { .here = here };

#endif
