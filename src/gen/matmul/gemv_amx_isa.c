/* gen/matmul/gemv_amx_isa.c - gemv.h's products of bf16 on the matrix unit (AMX), sums in float32: such a product waits
 * for W alone, however many of the 16 rows there are.
 *
 * Tiles of x are packed once, 32 of k each. If k is contiguous in W, W's rows are tiles as stored: the layout of the
 * unit's left operand. If lanes are adjacent, two rows of W are shuffled into one row of pairs. A sum is a chain over
 * 32 of k at a time: its bits depend on its own row and column only, and differ from those without the unit. */
#include "gemv.h"
#include "../isa/isa.h"

#if defined ISA_avx512 && defined __x86_64__ && defined __linux__

#include <immintrin.h>
#include <string.h>

#include "amx.h"

enum { STRIP = 4 * SIDE, K_ONCE = 64 };                  /* lanes of four tiles of sums; k before the next lanes */

static __mmask32 words(int64_t n) { return n >= DEEP ? ~(__mmask32)0 : n > 0 ? ((__mmask32)1 << n) - 1 : 0; }

/* ---- x ---- */

/* One tile of x: rows with contiguous k, [i][k]; or pairs, [k / 2][i][2]. */
static void line_up(__m512 *r, const gemm_side *x, int rows, int64_t k, int64_t nk)
{
    const uint16_t *at = (const uint16_t *)x->at + k * x->k;
    for (int i = 0; i < SIDE && x->k == 1; i++)
        r[i] = i < rows ? _mm512_castsi512_ps(_mm512_maskz_loadu_epi16(words(nk), at + i * x->lane))
                        : _mm512_setzero_ps();
    for (int i = 0; i < SIDE && x->k != 1; i++) {
        const __mmask16 u = amx_first(2 * i < nk ? rows : 0), v = amx_first(2 * i + 1 < nk ? rows : 0);
        const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(u, at + 2 * i * x->k));
        const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(v, at + (2 * i + 1) * x->k));
        r[i] = _mm512_castsi512_ps(_mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
    }
}

static void unit_pack(void *to, const gemm_side *x, int rows, int64_t k, int64_t nk, bool pairs)
{
    __m512 r[SIDE];
    for (int64_t i = 0; i < nk; i += DEEP) {
        line_up(r, x, rows, k + i, nk - i);
        if (pairs == (x->k == 1)) amx_turn(r);
        for (int j = 0; j < SIDE; j++) _mm512_storeu_ps((float *)to + (i / DEEP * SIDE + j) * SIDE, r[j]);
    }
}

/* ---- sums: tiles 0 to 3 ---- */

static void load_sums(const char *y, int64_t step, int64_t next, int tiles, bool more)
{
    ZERO(0); ZERO(1); ZERO(2); ZERO(3);
    if (!more) return;
    LOAD(0, y, step);
    if (tiles > 1) LOAD(1, y + next, step);
    if (tiles > 2) LOAD(2, y + 2 * next, step);
    if (tiles > 3) LOAD(3, y + 3 * next, step);
}

static void save_sums(char *y, int64_t step, int64_t next, int tiles)
{
    SAVE(0, y, step);
    if (tiles > 1) SAVE(1, y + next, step);
    if (tiles > 2) SAVE(2, y + 2 * next, step);
    if (tiles > 3) SAVE(3, y + 3 * next, step);
}

/* ---- W with adjacent lanes ---- */

/* Packs `nk` rows of W, at most 32, their first `lanes` of 64, as tiles of pairs. Prefetches the data that is read
 * next. */
static void pair_up(const uint16_t *w, int64_t ldw, int64_t nk, int64_t lanes, char *to, const uint16_t *fetch)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i at = _mm512_or_si512(lane, _mm512_slli_epi32(_mm512_add_epi32(lane, _mm512_set1_epi32(DEEP)), 16));
    const __m512i later = _mm512_add_epi16(at, _mm512_set1_epi16(SIDE));
    for (int h = 0; h < 2 && h * DEEP < lanes; h++) {
        const __mmask32 m = words(lanes - h * DEEP);
        for (int i = 0; i < SIDE; i++) {
            const uint16_t *row = w + 2 * i * ldw + h * DEEP;
            const __m512i u = _mm512_maskz_loadu_epi16(2 * i < nk ? m : 0, row);
            const __m512i v = _mm512_maskz_loadu_epi16(2 * i + 1 < nk ? m : 0, row + ldw);
            _mm_prefetch(fetch + 2 * i * ldw + h * DEEP, _MM_HINT_T1);
            _mm_prefetch(fetch + (2 * i + 1) * ldw + h * DEEP, _MM_HINT_T1);
            _mm512_storeu_si512(to + 2 * h * TILE + i * 64, _mm512_permutex2var_epi16(u, at, v));
            _mm512_storeu_si512(to + (2 * h + 1) * TILE + i * 64, _mm512_permutex2var_epi16(u, later, v));
        }
    }
}

/* Sums of 64 lanes from j on over nk of k from `from` on. */
static void strip_along(const gemv_work *job, int64_t j, int64_t from, int64_t nk)
{
    _Alignas(64) char block[2][4 * TILE];
    const uint16_t *w = (const uint16_t *)job->w + from * job->ldw + j;
    const int64_t lanes = job->n - j, step = job->ldy * (int64_t)sizeof(float);
    const int64_t ahead = lanes > STRIP ? STRIP : K_ONCE * job->ldw - j;     /* distance to the next read */
    const int tiles = lanes >= STRIP ? 4 : (int)((lanes + SIDE - 1) / SIDE);
    char *y = (char *)job->y + j * (int64_t)sizeof(float);
    load_sums(y, step, 64, tiles, from || job->more);
    for (int64_t k = 0; k < nk; k += DEEP) {
        char *const b = block[k / DEEP % 2];
        const uint16_t *row = w + k * job->ldw;
        pair_up(row, job->ldw, nk - k, lanes, b, row + ahead);
        LOAD(4, (const char *)job->x + (from + k) / DEEP * TILE, 64);
        LOAD(5, b, 64); DOT(0, 4, 5);
        if (tiles > 1) { LOAD(6, b + TILE, 64); DOT(1, 4, 6); }
        if (tiles > 2) { LOAD(7, b + 2 * TILE, 64); DOT(2, 4, 7); }
        if (tiles > 3) { LOAD(5, b + 3 * TILE, 64); DOT(3, 4, 5); }
    }
    save_sums(y, step, 64, tiles);
}

static void unit_along(const gemv_work *job)
{
    configure();
    for (int64_t k = 0; k < job->nk; k += K_ONCE)
        for (int64_t j = 0; j < job->n; j += STRIP)
            strip_along(job, j, k, job->nk - k < K_ONCE ? job->nk - k : K_ONCE);
    RELEASE;
}

/* ---- W with contiguous k ---- */

/* A tile of at most 16 rows of W and at most 32 of k, padded with zeros. */
static const char *gemv_amx_pad_tile(const uint16_t *w, int64_t ldw, int64_t rows, int64_t nk, char *to)
{
    for (int i = 0; i < SIDE; i++, w += i < rows ? ldw : 0)
        _mm512_storeu_si512(to + i * 64, _mm512_maskz_loadu_epi16(i < rows ? words(nk) : 0, w));
    return to;
}

/* Sums of 64 lanes from j on. */
static void strip_across(const gemv_work *job, int64_t j)
{
    _Alignas(64) char block[4][TILE];
    const uint16_t *w = (const uint16_t *)job->w + j * job->ldw;
    const int64_t lanes = job->n - j, own = job->ldw * (int64_t)sizeof *w, step = job->ldy * (int64_t)sizeof(float);
    const int tiles = lanes >= STRIP ? 4 : (int)((lanes + SIDE - 1) / SIDE);
    char *y = (char *)job->y + j * step;
    load_sums(y, step, SIDE * step, tiles, job->more);
    for (int64_t k = 0; k < job->nk; k += DEEP) {
        const char *at[4];
        int64_t ld[4];
        for (int t = 0; t < tiles; t++) {
            const uint16_t *row = w + t * SIDE * job->ldw + k;
            const int64_t rows = lanes - t * SIDE;
            const bool straight = rows >= SIDE && job->nk - k >= DEEP;
            at[t] = straight ? (const char *)row : gemv_amx_pad_tile(row, job->ldw, rows, job->nk - k, block[t]);
            ld[t] = straight ? own : 64;
            for (int i = 0; i < SIDE && i < rows; i++) _mm_prefetch(row + i * job->ldw + 8 * DEEP, _MM_HINT_T0);
        }
        LOAD(4, (const char *)job->x + k / DEEP * TILE, 64);
        LOAD(5, at[0], ld[0]); DOT(0, 5, 4);
        if (tiles > 1) { LOAD(6, at[1], ld[1]); DOT(1, 6, 4); }
        if (tiles > 2) { LOAD(7, at[2], ld[2]); DOT(2, 7, 4); }
        if (tiles > 3) { LOAD(5, at[3], ld[3]); DOT(3, 5, 4); }
    }
    save_sums(y, step, SIDE * step, tiles);
}

static void unit_across(const gemv_work *job)
{
    configure();
    for (int64_t j = 0; j < job->n; j += STRIP) strip_across(job, j);
    RELEASE;
}

const gemv_unit GEN_ISA(gemv_amx) = { unit_pack, unit_along, unit_across };

#else

const gemv_unit GEN_ISA(gemv_amx) = { 0 };

#endif
