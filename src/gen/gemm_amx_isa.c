/* gen/gemm_amx_isa.c - float32 products on the matrix unit (AMX), which multiplies bf16: C[m, n] = A[m, k] B[k, n].
 *
 * An element is the sum of three bf16, x = x0 + x1 + x2, each the nearest to what is left: 24 bits, exactly. Of the
 * nine products of parts the three smallest are left out, at most 2^-23 |x y| together; the other six are summed by
 * tdpbf16ps in float32, 32 of k at once. So the error is a float32 sum's: fewer roundings of large sums make up for
 * what is left out.
 *
 * The unit takes denormals for zeros, and parts of infinities are not what they should be. So rows of A and columns
 * of B whose largest element (in a block of k) is not between 2^-50 and 2^100, or zero, are marked, and gemm.c
 * computes what they meet as it would without this file. Every element of C is one chain over rising k, as there:
 * its bits depend on its own row and column only. */
#include "gemm.h"
#include "isa.h"

#include <string.h>

#if defined ISA_avx512 && defined __x86_64__ && defined __linux__

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIDE = 16, DEEP = 32, PARTS = 3, TILE = 1024, WIDE = 2 * SIDE };      /* rows, k of a tile; its bytes; of a block */
/* Most of k packed at once, but where C cannot hold sums meanwhile; of k at once in the first cache; bytes of packed
 * B. */
enum { K_BLOCK = 512, K_MOST = 2048, K_NEAR = 128, B_BYTES = 1 << 20 };

/* ---- may we? ---- */

static bool usable;

static void ask(void)
{
    enum { REQUEST = 0x1023, TILE_DATA = 18, TILES = 3 << 17 };      /* arch_prctl's word; state of the unit */
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 22 & 1) || !(d >> 24 & 1)) return;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    usable = (a & TILES) == TILES && !syscall(SYS_arch_prctl, REQUEST, TILE_DATA);
}

static bool here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask);
    return usable;
}

/* ---- packing: per 32 of k, parts 0, 1, 2, each of one or two tiles ---- */

typedef struct { __m512i part[PARTS]; } parts;

static inline __attribute__((always_inline)) parts split(__m512 x)
{
    const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32((int)0xffff0000u);
    parts p;
    for (int i = 0; i < PARTS - 1; i++) {
        p.part[i] = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), top);
        x = _mm512_sub_ps(x, _mm512_castsi512_ps(p.part[i]));
    }
    p.part[PARTS - 1] = _mm512_and_si512(_mm512_castps_si512(x), top);   /* 8 bits are left, of a denormal perhaps more */
    return p;
}

static inline __attribute__((always_inline)) __m512i size_of(__m512i most, __m512 x)
{
    return _mm512_max_epu32(most, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
}

enum { LEAST = (127 - 50) << 23, MOST = (127 + 100) << 23 };

static inline __attribute__((always_inline)) void mark(__m512i most, int n, uint8_t *bad)
{
    const __mmask16 small = _mm512_cmplt_epu32_mask(most, _mm512_set1_epi32(LEAST)) & _mm512_test_epi32_mask(most, most);
    const __mmask16 out = _mm512_cmpgt_epu32_mask(most, _mm512_set1_epi32(MOST)) | small;
    for (int i = 0; out && i < n; i++) bad[i] |= out >> i & 1;
}

/* At most 32 rows of B, ldb apart, its first `cols` columns: a step of a panel, `tiles` tiles side by side. */
static void pack_columns(const float *x, int64_t ldb, int cols, int64_t nk, int tiles, char *to, uint32_t *most)
{
    for (int j = 0; j < tiles; j++) {
        const int n = cols - j * SIDE < SIDE ? cols - j * SIDE : SIDE;
        const __mmask16 m = (__mmask16)((1u << n) - 1);
        __m512i size = _mm512_loadu_si512(most + j * SIDE);
        for (int i = 0; i < SIDE; i++) {
            const float *row = x + 2 * i * ldb + j * SIDE;
            const __m512 u = 2 * i < nk ? _mm512_maskz_loadu_ps(m, row) : _mm512_setzero_ps();
            const __m512 v = 2 * i + 1 < nk ? _mm512_maskz_loadu_ps(m, row + ldb) : _mm512_setzero_ps();
            const parts a = split(u), b = split(v);
            size = size_of(size_of(size, u), v);
            for (int p = 0; p < PARTS; p++)
                _mm512_storeu_si512(to + (p * tiles + j) * TILE + i * 64,
                                    _mm512_or_si512(_mm512_srli_epi32(a.part[p], 16), b.part[p]));
        }
        _mm512_storeu_si512(most + j * SIDE, size);
    }
}

/* `rows` rows of A, nk of k side by side, lda apart; rows behind them up to the tiles' are zeros. */
static void pack_rows(const float *x, int64_t lda, int rows, int64_t nk, int tiles, char *to, uint8_t *bad)
{
    _Alignas(64) static const uint16_t high[32] = { 1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                                    33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63 };
    const __m512i pick = _mm512_load_si512(high);
    for (int i = 0; i < tiles * SIDE; i++) {
        __m512i most = _mm512_setzero_si512();
        char *q = to + i / SIDE * TILE + i % SIDE * 64;
        for (int64_t k = 0; k < nk; k += DEEP, q += PARTS * tiles * TILE) {
            const int64_t left = i < rows ? nk - k : 0;
            const __mmask32 m = left >= DEEP ? ~(__mmask32)0 : (((__mmask32)1 << left) - 1);
            const __m512 u = _mm512_maskz_loadu_ps((__mmask16)m, x + i * lda + k);
            const __m512 v = _mm512_maskz_loadu_ps((__mmask16)(m >> 16), x + i * lda + k + SIDE);
            const parts a = split(u), b = split(v);
            most = size_of(size_of(most, u), v);
            for (int p = 0; p < PARTS; p++)
                _mm512_storeu_si512(q + p * tiles * TILE, _mm512_permutex2var_epi16(a.part[p], pick, b.part[p]));
        }
        const uint32_t size = _mm512_reduce_max_epu32(most);
        if (i < rows) bad[i] |= size > MOST || (size && size < LEAST);
    }
}

/* 16 rows of 16 change places: log2 16 rounds of a perfect shuffle. */
static inline __attribute__((always_inline)) void turn(__m512i *r)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    __m512i s[SIDE];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < SIDE / 2; i++) {
            s[2 * i] = _mm512_permutex2var_epi32(r[i], low, r[i + SIDE / 2]);
            s[2 * i + 1] = _mm512_permutex2var_epi32(r[i], high, r[i + SIDE / 2]);
        }
        for (int i = 0; i < SIDE / 2; i++) {
            r[2 * i] = _mm512_permutex2var_epi32(s[i], low, s[i + SIDE / 2]);
            r[2 * i + 1] = _mm512_permutex2var_epi32(s[i], high, s[i + SIDE / 2]);
        }
    }
}

/* The same from A's columns, lda apart, rows side by side. */
static void pack_turned(const float *x, int64_t lda, int rows, int64_t nk, int tiles, char *to, uint8_t *bad)
{
    _Alignas(64) __m512i pair[PARTS][SIDE];
    for (int j = 0; j < tiles; j++) {
        const int n = rows - j * SIDE < SIDE ? rows - j * SIDE : SIDE;
        const __mmask16 m = (__mmask16)((1u << n) - 1);
        __m512i most = _mm512_setzero_si512();
        char *q = to + j * TILE;
        for (int64_t k = 0; k < nk; k += DEEP, q += PARTS * tiles * TILE) {
            for (int i = 0; i < SIDE; i++) {
                const float *line = x + (k + 2 * i) * lda + j * SIDE;
                _mm_prefetch(line + WIDE, _MM_HINT_T1);  /* the next panel's */
                _mm_prefetch(line + lda + WIDE, _MM_HINT_T1);
                const __m512 u = k + 2 * i < nk ? _mm512_maskz_loadu_ps(m, line) : _mm512_setzero_ps();
                const __m512 v = k + 2 * i + 1 < nk ? _mm512_maskz_loadu_ps(m, line + lda) : _mm512_setzero_ps();
                const parts a = split(u), b = split(v);
                most = size_of(size_of(most, u), v);
                for (int p = 0; p < PARTS; p++)
                    pair[p][i] = _mm512_or_si512(_mm512_srli_epi32(a.part[p], 16), b.part[p]);
            }
            for (int p = 0; p < PARTS; p++) {
                turn(pair[p]);
                for (int i = 0; i < SIDE; i++) _mm512_storeu_si512(q + p * tiles * TILE + i * 64, pair[p][i]);
            }
        }
        mark(most, n, bad + j * SIDE);
    }
}

/* ---- the unit: tiles 0 to 3 are C, 4 and 5 of A, 6 and 7 of B ---- */

#define LOAD(t, p, step) __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(p), "r"((int64_t)(step)) : "memory")
#define SAVE(t, p, step) __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(p), "r"((int64_t)(step)) : "memory")
#define ZERO(t) __asm__ volatile("tilezero %%tmm" #t ::)
#define DOT(c, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c ::)

static void configure(void)
{
    struct { uint8_t palette, start, zero[14]; uint16_t bytes[16]; uint8_t rows[16]; } c = { .palette = 1 };
    for (int t = 0; t < 8; t++) c.bytes[t] = 64, c.rows[t] = SIDE;
    __asm__ volatile("ldtilecfg %0" ::"m"(c));
}

/* A block of C, ni x nj tiles, from packed panels. step: bytes between rows of C. */
#define BLOCK(ni, nj)                                                                                                  \
    static void block_##ni##_##nj(int64_t nk, const char *a, const char *b, char *c, int64_t step, bool more)          \
    {                                                                                                                  \
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
            A(0, ni) B(0, nj) DOTS(ni, nj)                                                                             \
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
typedef void block(int64_t nk, const char *a, const char *b, char *c, int64_t step, bool more);
static block *const blocks[2][2] = { { block_1_1, block_1_2 }, { block_2_1, block_2_2 } };

/* ---- loops ---- */

typedef struct { int64_t kc, nc, a, b, staged, c; } plan;       /* most of k and columns at once; bytes of the scratch's parts */

static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static int64_t staged(int64_t nk) { return nk * WIDE + GEMM_SLACK; }     /* numbers of a panel on its way */

static plan plan_of(const gemm *g)
{
    plan p = { .kc = up(g->k, DEEP) };
    if (g->c && g->k > K_BLOCK + K_BLOCK / 2) {
        const int64_t blocks = (g->k + K_BLOCK - 1) / K_BLOCK;
        p.kc = up((g->k + blocks - 1) / blocks, DEEP);
    }
    const int64_t each = p.kc * PARTS * 2, fit = B_BYTES / each / WIDE * WIDE, all = up(g->n, WIDE);
    const int64_t pieces = fit < WIDE ? all / WIDE : (all + fit - 1) / fit;
    p.nc = up((all + pieces - 1) / pieces, WIDE);
    p.a = WIDE * each;
    p.b = p.nc * each;
    p.staged = 2 * staged(p.kc) * (int64_t)sizeof(float);
    p.c = WIDE * WIDE * (int64_t)sizeof(float);
    return p;
}

static int64_t amx_scratch(const gemm *g)
{
    const plan p = plan_of(g);
    return p.a + p.b + p.staged + p.c + p.nc * (int64_t)sizeof(uint32_t) + 64;
}

static bool amx_worth(const gemm *g, tt_dtype x, tt_dtype y)
{
    if (g->type != GEMM_F32 || x != TT_F32 || y != TT_F32 || g->run || (!g->c && g->k > K_MOST)) return false;
    const double m = (double)g->m, n = (double)g->n, k = (double)g->k;
    const double padded = (double)up(g->m, SIDE) * (double)up(g->n, SIDE) * (double)up(g->k, DEEP);
    const double unit = padded / 64 + (m + n) * k * 0.5, fma = m * n * k / 26 + (m + n) * k * 0.15;       /* cycles */
    return here() && unit < 0.9 * fma;
}

static const float *staged_rows(const gemm *g, int rows, int64_t row, int64_t k, int64_t nk, float *stage, float *turned)
{
    const void *line[K_MOST];
    g->pack_a(g, stage, rows, row, k, nk);
    for (int64_t i = 0; i < nk; i++) line[i] = stage + i * rows;
    g->isa->from_rows[GEMM_F32](turned, (int)nk, TT_F32, line, 1, rows);
    return turned;
}

static void pack_a(const gemm *g, int rows, int64_t row, int64_t k, int64_t nk, char *to, float *stage, uint8_t *bad)
{
    const int tiles = rows > SIDE ? 2 : 1;
    const float *a = g->a;
    if (g->a_turned) pack_turned(a + k * g->lda + row, g->lda, rows, nk, tiles, to, bad);
    else if (a) pack_rows(a + row * g->lda + k, g->lda, rows, nk, tiles, to, bad);
    else pack_rows(staged_rows(g, rows, row, k, nk, stage, stage + staged(nk)), nk, rows, nk, tiles, to, bad);
}

/* Columns [col, col + nc) of B. Where it lies right, rows are read as they lie, 32 by 32. */
static void pack_b(const gemm *g, int64_t col, int64_t nc, int64_t k, int64_t nk, char *b, float *stage, uint32_t *most,
                   uint8_t *bad)
{
    const int64_t each = up(nk, DEEP) * PARTS * 2;
    memset(most, 0, (size_t)up(nc, WIDE) * sizeof *most);
    for (int64_t i = 0; g->b && i < nk; i += DEEP)
        for (int64_t j = 0; j < nc; j += WIDE) {
            const int cols = (int)(nc - j < WIDE ? nc - j : WIDE), tiles = cols > SIDE ? 2 : 1;
            pack_columns((const float *)g->b + (k + i) * g->ldb + col + j, g->ldb, cols, nk - i, tiles,
                         b + j * each + i / DEEP * PARTS * tiles * TILE, most + j);
        }
    for (int64_t j = 0; !g->b && j < nc; j += WIDE) {
        const int cols = (int)(nc - j < WIDE ? nc - j : WIDE), tiles = cols > SIDE ? 2 : 1;
        g->pack_b(g, stage, WIDE, col + j, cols, k, nk);
        for (int64_t i = 0; i < nk; i += DEEP)
            pack_columns(stage + i * WIDE, WIDE, cols, nk - i, tiles, b + j * each + i / DEEP * PARTS * tiles * TILE, most + j);
    }
    for (int64_t j = 0; j < nc; j += SIDE)
        mark(_mm512_loadu_si512(most + j), (int)(nc - j < SIDE ? nc - j : SIDE), bad + col + j);
}

/* A block of C at `row`, `col`: nk of k from k on, of panels. C without a place of its own is kept in tmp meanwhile. */
static void run_one(const gemm *g, int64_t row, int rows, int64_t col, int cols, int64_t k, int64_t nk, const char *a,
                    const char *b, float *tmp)
{
    float *c = g->c ? (float *)g->c + row * g->ldc + col : NULL;
    block *const f = blocks[rows > SIDE][cols > SIDE];
    if (c && rows % SIDE == 0 && cols % SIDE == 0) {
        f(nk, a, b, (char *)c, g->ldc * (int64_t)sizeof *c, k > 0);
        return;
    }
    for (int i = 0; c && k && i < rows; i++) memcpy(tmp + i * WIDE, c + i * g->ldc, (size_t)cols * sizeof *c);
    f(nk, a, b, (char *)tmp, WIDE * (int64_t)sizeof *tmp, k > 0);
    for (int i = 0; c && i < rows; i++) memcpy(c + i * g->ldc, tmp + i * WIDE, (size_t)cols * sizeof *c);
    if (!c && k + nk == g->k) g->store(g, row, rows, col, cols, tmp, WIDE);
}

/* Asks for the part of A that is packed next, share i of n, and for the next block of C: memory answers late. */
static void ask_for_a(const gemm *g, int64_t row, int64_t k, int64_t nk, int64_t i, int64_t n)
{
    const float *a = g->a;
    const int64_t rows = g->m - row < WIDE ? g->m - row : WIDE;
    for (int64_t r = rows * i / n; a && !g->a_turned && r < rows * (i + 1) / n; r++)
        for (int64_t c = 0; c < nk; c += SIDE) _mm_prefetch(a + (row + r) * g->lda + k + c, _MM_HINT_T1);
}

static void ask_for_c(const gemm *g, int64_t row, int rows, int64_t col)
{
    const char *c = (const char *)((const float *)g->c + row * g->ldc + col);
    for (int r = 0; r < rows; r++, c += g->ldc * (int64_t)sizeof(float)) __builtin_prefetch(c, 1), __builtin_prefetch(c + 64, 1);
}

/* Rows of C over packed columns: the part of A's panel that is at work stays in the first cache. */
static void run_rows(const gemm *g, int64_t row, int rows, int64_t col, int64_t nc, int64_t k, int64_t nk, const char *a,
                     const char *b, float *tmp)
{
    const int64_t each = up(nk, DEEP) * PARTS * 2, near = g->c ? K_NEAR : nk;
    const int64_t blocks = (nc + WIDE - 1) / WIDE, n = blocks * ((nk + near - 1) / near);
    for (int64_t i = 0, t = 0; i < nk; i += near)
        for (int64_t j = 0; j < nc; j += WIDE, t++) {
            const int cols = (int)(nc - j < WIDE ? nc - j : WIDE);
            if (row + WIDE < g->m) ask_for_a(g, row + WIDE, k, nk, t, n);
            if (g->c && !i && j + 2 * WIDE <= nc) ask_for_c(g, row, rows, col + j + WIDE);
            run_one(g, row, rows, col + j, cols, k + i, nk - i < near ? nk - i : near,
                    a + i * PARTS * 2 * up(rows, SIDE), b + j * each + i * PARTS * 2 * up(cols, SIDE), tmp);
        }
}

static void amx_run(const gemm *g, void *scratch, uint8_t *bad_row, uint8_t *bad_col)
{
    const plan p = plan_of(g);
    char *a = (char *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63), *b = a + p.a;
    float *stage = (float *)(void *)(b + p.b), *tmp = stage + p.staged / (int64_t)sizeof *stage;
    uint32_t *const most = (uint32_t *)(void *)((char *)tmp + p.c);
    configure();
    for (int64_t col = 0; col < g->n; col += p.nc)
        for (int64_t k = 0; k < g->k; k += p.kc) {
            const int64_t nk = g->k - k < p.kc ? g->k - k : p.kc, nc = g->n - col < p.nc ? g->n - col : p.nc;
            pack_b(g, col, nc, k, nk, b, stage, most, bad_col);
            for (int64_t row = 0; row < g->m; row += WIDE) {
                const int rows = (int)(g->m - row < WIDE ? g->m - row : WIDE);
                pack_a(g, rows, row, k, nk, a, stage, bad_row + row);
                run_rows(g, row, rows, col, nc, k, nk, a, b, tmp);
            }
        }
    __asm__ volatile("tilerelease" ::);
}

const gemm_unit GEN_ISA(gemm_amx) = { here, amx_worth, amx_scratch, amx_run };

#else

static bool here(void) { return false; }
const gemm_unit GEN_ISA(gemm_amx) = { .here = here };

#endif
