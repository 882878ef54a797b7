/* gen/matmul/gemv_isa.c - the loops of gemv.h for one instruction set.
 *
 * The file includes itself once per kind of the wide operand: W in memory, T in the sum, vectors V of N lanes. A few
 * vectors of the result stay in registers while k rows of w pass; rows are read in runs as long as the result's part.
 * With contiguous k, rows of w are transposed instead, four words of each at once, or a line with AVX-512. */
#ifndef W
#include "gemv.h"
#include "../isa/isa_fma.h"
#include "../isa/isa_loop.h"
#include "../isa/isa_pointer.h"
#include "../../op/prog/scalar.h"

#include <string.h>

/* X(rows, vectors): accumulators in registers, at most 24 of 32 or 12 of 16. PAIRED: most rows of x for which two
 * vectors of w's rows are transposed at once: the chain of one vector alone takes longer than memory takes to deliver
 * that vector's line. */
#if defined ISA_avx512
enum { ROWS = 8, BYTES = 64, PAIRED = 1 };
#define SHAPES(X) X(1, 4) X(2, 4) X(3, 4) X(4, 4) X(5, 4) X(6, 4) X(7, 3) X(8, 3)
#else
#if defined ISA_avx2
enum { ROWS = 6, BYTES = 32, PAIRED = 2 };
#else
enum { ROWS = 6, BYTES = 16, PAIRED = 2 };
#endif
#define SHAPES(X) X(1, 4) X(2, 4) X(3, 3) X(4, 2) X(5, 2) X(6, 2)
#endif
/* AHEAD: prefetch distance in bytes of a row. CROWDED: rows so far apart, or a multiple, meet in the same few sets of
 * the first-level cache, which then has no place for lines of twice as many rows. */
enum { QUARTERS = BYTES / 16, AHEAD = 256, CROWDED = 2048 };
/* X(vectors, rows of w): x is read from memory, and one element of w is broadcast. */
#define ACROSSES(X) X(1, 8) X(2, 6) X(3, 4) X(4, 3)

typedef float v_f32 __attribute__((vector_size(BYTES)));
typedef double v_f64 __attribute__((vector_size(BYTES)));
typedef uint32_t v_u32 __attribute__((vector_size(BYTES)));
typedef uint64_t v_u64 __attribute__((vector_size(BYTES)));

#include "gemv_transpose.h"

/* ---- sums, by kind ---- */

#define SUFFIX f32
#define PER_WORD 1
#define W float
#define SAME 1
#define T float
#define FMA FMA_f32
#include "gemv_isa.c"
#define SUFFIX bf16
#define PER_WORD 2
#define W uint16_t
#define SAME 0
#define T float
#define FMA FMA_f32
#include "gemv_isa.c"
#ifdef HAS_F16
#define SUFFIX f16
#define PER_WORD 2
#define W uint16_t
#define SAME 0
#define T float
#define FMA FMA_f32
#include "gemv_isa.c"
#endif
#define SUFFIX f64
#define PER_WORD 0
#define W double
#define SAME 1
#define T double
#define FMA FMA_f64
#include "gemv_isa.c"
#define SUFFIX u32
#define PER_WORD 1
#define W uint32_t
#define SAME 1
#define T uint32_t
#define FMA FMA_u32
#include "gemv_isa.c"
#define SUFFIX u64
#define PER_WORD 0
#define W uint64_t
#define SAME 1
#define T uint64_t
#define FMA FMA_u64
#include "gemv_isa.c"

#define ADD_F32(rows, vectors) [rows] = add_##rows##_f32,
#define ADD_BF16(rows, vectors) [rows] = add_##rows##_bf16,
#define ADD_F16(rows, vectors) [rows] = add_##rows##_f16,
#define ADD_F64(rows, vectors) [rows] = add_##rows##_f64,
#define ADD_U32(rows, vectors) [rows] = add_##rows##_u32,
#define ADD_U64(rows, vectors) [rows] = add_##rows##_u64,
#define TURNED_F32(rows, vectors) [rows] = turned_##rows##_f32,
#define TURNED_BF16(rows, vectors) [rows] = turned_##rows##_bf16,
#define TURNED_F16(rows, vectors) [rows] = turned_##rows##_f16,
#define TURNED_U32(rows, vectors) [rows] = turned_##rows##_u32,
#define ACROSS_F32(nv, mr) [nv] = across_##nv##_f32,
#define ACROSS_BF16(nv, mr) [nv] = across_##nv##_bf16,
#define ACROSS_F16(nv, mr) [nv] = across_##nv##_f16,
#define ACROSS_F64(nv, mr) [nv] = across_##nv##_f64,
#define ACROSS_U32(nv, mr) [nv] = across_##nv##_u32,
#define ACROSS_U64(nv, mr) [nv] = across_##nv##_u64,
const gemv_isa GEN_ISA(gemv_kernels) = {
    ROWS,
    { [GEMV_F32] = { SHAPES(ADD_F32) }, [GEMV_BF16] = { SHAPES(ADD_BF16) },
#ifdef HAS_F16
      [GEMV_F16] = { SHAPES(ADD_F16) },
#endif
      [GEMV_F64] = { SHAPES(ADD_F64) }, [GEMV_U32] = { SHAPES(ADD_U32) }, [GEMV_U64] = { SHAPES(ADD_U64) } },
    { [GEMV_F32] = { SHAPES(TURNED_F32) }, [GEMV_BF16] = { SHAPES(TURNED_BF16) },
#ifdef HAS_F16
      [GEMV_F16] = { SHAPES(TURNED_F16) },
#endif
      [GEMV_U32] = { SHAPES(TURNED_U32) } },
    { [GEMV_F32] = { ACROSSES(ACROSS_F32) }, [GEMV_BF16] = { ACROSSES(ACROSS_BF16) },
#ifdef HAS_F16
      [GEMV_F16] = { ACROSSES(ACROSS_F16) },
#endif
      [GEMV_F64] = { ACROSSES(ACROSS_F64) }, [GEMV_U32] = { ACROSSES(ACROSS_U32) },
      [GEMV_U64] = { ACROSSES(ACROSS_U64) } },
};

#else /* ---- one kind ---- */

#define N ((int)(BYTES / sizeof(T)))
#define V NAME(sums)
typedef T V __attribute__((vector_size(BYTES)));

INLINE V NAME(few)(const W *p, int n)                    /* the first n lanes, zeros after */
{
#if defined ISA_avx512
    const uint32_t m = (1u << n) - 1;
    if (sizeof(W) == 4) return (V)_mm512_maskz_loadu_epi32((__mmask16)m, p);
    if (sizeof(W) == 8) return (V)_mm512_maskz_loadu_epi64((__mmask8)m, p);
#endif
    W part[N];
    memset(part, 0, sizeof part);
    memcpy(part, p, (size_t)n * sizeof *p);
    return (V)NAME(load)(part);
}

INLINE V NAME(sums_at)(const T *y, int n)                /* n 0: a full vector */
{
    V v = { 0 };
    memcpy(&v, y, n ? (size_t)n * sizeof *y : sizeof v);
    return v;
}

INLINE void NAME(put)(T *y, V v, int n)
{
#if defined ISA_avx512
    if (n && sizeof(T) == 4) _mm512_mask_storeu_epi32(y, (__mmask16)((1u << n) - 1), (__m512i)v);
    else if (n) _mm512_mask_storeu_epi64(y, (__mmask8)((1u << n) - 1), (__m512i)v);
    else memcpy(y, &v, sizeof v);
#else
    memcpy(y, &v, n ? (size_t)n * sizeof *y : sizeof v);
#endif
}

/* Columns [j, j + nv vectors) of y. last > 0: the last vector has that many lanes. packed: x's rows are adjacent; else
 * w is small, and no element is kept or prefetched. asks: prefetches. */
INLINE void NAME(tile)(const gemv_work *job, const int rows, const int nv, const bool packed, int64_t j, int last,
                       bool asks)
{
    const gemv_work own = *job, *const g = &own;         /* a copy: stores to y cannot alias it */
    const int64_t xi = packed ? 1 : g->xi, xk = g->xk, ldw = g->ldw, ldk = g->ldk, step = g->step;
    const T *x = g->x;
    const W *w = (const W *)g->w + j;
    T *y = (T *)g->y + j, *keep = packed && g->keep ? (T *)g->keep + j : NULL;
    const char *ask = packed && asks ? g->prefetch + j * g->lane : NULL;
    V acc[GEMV_ROWS][4];
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < nv; v++) {
            acc[i][v] = (V){ 0 };
            if (g->more) acc[i][v] = NAME(sums_at)(y + i * g->ldy + v * N, g->exact ? last : 0);
        }
    for (int64_t k = g->nk; k > 0; k--, w += ldw, x += xk) {
        V row[4];
        if (ask) {
            UNROLL for (int v = 0; v < nv; v++) __builtin_prefetch(ask + v * N * sizeof(W), 0, 2);
            ask += step;
        }
        UNROLL for (int v = 0; v < nv; v++) row[v] = last ? NAME(few)(w, last) : (V)NAME(load)(w + v * N);
        if (keep) {
            UNROLL for (int v = 0; v < nv; v++) memcpy(keep + v * N, &row[v], sizeof row[v]);
            keep += ldk;
        }
        UNROLL for (int i = 0; i < rows; i++) {
            const V one = x[i * xi] - (V){ 0 };          /* broadcast */
            UNROLL for (int v = 0; v < nv; v++) acc[i][v] = (V)FMA(one, row[v], acc[i][v]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < nv; v++) NAME(put)(y + i * g->ldy + v * N, acc[i][v], g->exact ? last : 0);
}

INLINE void NAME(tiles)(const gemv_work *g, const int rows, const int nv, const bool packed)
{
    int64_t j = 0, turn = 0;
    for (; j + nv * N <= g->n; j += nv * N) {
        NAME(tile)(g, rows, nv, packed, j, 0, g->prefetch && turn == g->turn);
        turn = turn + 1 == g->turns ? 0 : turn + 1;
    }
    if (nv > 2) for (; j + 2 * N <= g->n; j += 2 * N) NAME(tile)(g, rows, 2, packed, j, 0, g->prefetch &&
        g->turns == 1);
    for (; j + N <= g->n; j += N) NAME(tile)(g, rows, 1, packed, j, 0, g->prefetch && g->turns == 1);
    if (j < g->n) NAME(tile)(g, rows, 1, packed, j, (int)(g->n - j), false);
}

#define ADD(rows, vectors)                                                                                             \
    static void NAME(add_##rows)(const gemv_work *g)                                                                   \
    {                                                                                                                  \
        if (g->xi == 1) NAME(tiles)(g, rows, vectors, true);                                                           \
        else NAME(tiles)(g, rows, vectors, false);                                                                     \
    }
SHAPES(ADD)
#undef ADD

#if PER_WORD
/* Rows [j, j + nv LANES) of w, transposed in registers: a line of each at a time. Prefetches the lines `ahead` bytes
 * later; at the rows' ends the first lines of the next rows, where there are any. */
INLINE void NAME(turned)(const gemv_work *job, const int rows, const int nv, const int64_t xk, int64_t j)
{
    enum { EARLY = 8 << 10 };
    const gemv_work own = *job, *const g = &own;
    const int64_t step = g->ldw * (int64_t)sizeof(W), whole = g->nk * (int64_t)sizeof(W);
    const int64_t near = EARLY / (nv * LANES) < 512 ? EARLY / (nv * LANES) : 512;
    const char *at[2][QUARTERS];
    const T *x = g->x;
    T *const y = (T *)g->y + j;
    V acc[GEMV_ROWS][2];
    UNROLL for (int v = 0; v < nv; v++)
        UNROLL for (int r = 0; r < QUARTERS; r++) at[v][r] = (const char *)g->w + (j + v * LANES + 4 * r) * step;
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < nv; v++) {
            acc[i][v] = (V){ 0 };
            if (g->more) acc[i][v] = NAME(sums_at)(y + i * g->ldy + v * N, 0);
        }
    int64_t ahead = near;
    for (int64_t left = whole; left > 0; left -= 64) {
        if (left == near) ahead = j + nv * LANES < g->n ? near + nv * LANES * step - whole : 0;
        UNROLL for (int v = 0; v < nv; v++)
            UNROLL for (int r = 0; r < QUARTERS; r++) {
                const char *later = at[v][r] + ahead;
                KEEP_POINTER(later);
                UNROLL for (int i = 0; i < 4; i++) __builtin_prefetch(later + i * step, 0, 3);
            }
        UNROLL for (int q = 0; q < 64; q += 4 * WORDS, x += WORDS * PER_WORD * xk)
            UNROLL for (int v0 = 0; v0 < nv; v0 += TOGETHER) {
                const int some = nv - v0 < TOGETHER ? nv - v0 : TOGETHER;
                const T *one = x;
                v_u32 t[TOGETHER][WORDS];
                UNROLL for (int v = 0; v < some; v++) turn(t[v], at[v0 + v], step, q);
                UNROLL for (int c = 0; c < WORDS; c++)
                    UNROLL for (int h = 0; h < PER_WORD; h++, one += xk)
                        UNROLL for (int i = 0; i < rows; i++) {
                            const V all = one[i] - (V){ 0 };
                            UNROLL for (int v = 0; v < some; v++)
                                acc[i][v0 + v] = (V)FMA(all, NAME(word)(t[v][c], h), acc[i][v0 + v]);
                        }
            }
        UNROLL for (int v = 0; v < nv; v++)
            UNROLL for (int r = 0; r < QUARTERS; r++) {
                at[v][r] += 64;
                KEEP_POINTER(at[v][r]);
            }
    }
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int v = 0; v < nv; v++) NAME(put)(y + i * g->ldy + v * N, acc[i][v], 0);
}

INLINE void NAME(all_turned)(const gemv_work *g, const int rows, const int64_t xk)
{
    int64_t j = 0;
    if (rows <= PAIRED && g->ldw * sizeof(W) % CROWDED)
        for (; j + 2 * N <= g->n; j += 2 * N) NAME(turned)(g, rows, 2, xk, j);
    for (; j < g->n; j += N) NAME(turned)(g, rows, 1, xk, j);
}

/* One row whose numbers are adjacent is read at constant places. */
#define TURNED(rows, vectors)                                                                                          \
    static void NAME(turned_##rows)(const gemv_work *g)                                                                \
    {                                                                                                                  \
        if (rows == 1 && g->xk == 1) NAME(all_turned)(g, rows, 1);                                                     \
        else NAME(all_turned)(g, rows, g->xk);                                                                         \
    }
SHAPES(TURNED)
#undef TURNED
#endif

/* Rows [j, j + mr) of w: elements of another type than the sums' are converted a line at a time. */
INLINE void NAME(lines)(const gemv_work *job, const int nv, const int mr, int64_t j)
{
    enum { LINE = 16 };
    const gemv_work own = *job, *const g = &own;
    const W *w = (const W *)g->w + j * g->ldw;
    const T *x = g->x;
    T *const y = (T *)g->y + j * g->ldy;
    V acc[8][GEMV_ACROSS];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int v = 0; v < nv; v++) {
            acc[i][v] = (V){ 0 };
            if (g->more) acc[i][v] = NAME(sums_at)(y + i * g->ldy + v * N, 0);
        }
    for (int64_t k = 0; k < g->nk; k += LINE, w += LINE) {
        const int now = g->nk - k < LINE ? (int)(g->nk - k) : LINE;
        T part[8][LINE];
        UNROLL for (int i = 0; i < mr; i++)
            __builtin_prefetch(w + i * g->ldw + AHEAD / (int)sizeof(W), 0, 3);
        UNROLL for (int i = 0; i < mr; i++)
            for (int c = 0; c < now && (!SAME || now < LINE); c += N) {
                const W *const p = w + i * g->ldw + c;
                const V lifted = now - c < N ? NAME(few)(p, now - c) : (V)NAME(load)(p);
                memcpy(part[i] + c, &lifted, sizeof lifted);
            }
        const T *const from = SAME && now == LINE ? (const T *)(const void *)w : part[0];
        const int64_t apart = SAME && now == LINE ? g->ldw : LINE;
        for (int c = 0; c < now; c++, x += g->xk) {
            V row[GEMV_ACROSS];
            UNROLL for (int v = 0; v < nv; v++) row[v] = NAME(sums_at)(x + v * N, 0);
            UNROLL for (int i = 0; i < mr; i++) {
                const V one = from[i * apart + c] - (V){ 0 };
                UNROLL for (int v = 0; v < nv; v++) acc[i][v] = (V)FMA(one, row[v], acc[i][v]);
            }
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int v = 0; v < nv; v++) NAME(put)(y + i * g->ldy + v * N, acc[i][v], 0);
}

#define ACROSS(nv, mr)                                                                                                 \
    static void NAME(across_##nv)(const gemv_work *g)                                                                  \
    {                                                                                                                  \
        int64_t j = 0;                                                                                                 \
        for (; j + mr <= g->n; j += mr) NAME(lines)(g, nv, mr, j);                                                     \
        for (; j < g->n; j++) NAME(lines)(g, nv, 1, j);                                                                \
    }
ACROSSES(ACROSS)
#undef ACROSS

#undef N
#undef V
#undef FMA
#undef SAME
#undef PER_WORD
#undef T
#undef W
#undef SUFFIX
#endif
