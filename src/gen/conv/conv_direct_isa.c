/* gen/conv/conv_direct_isa.c - convolutions in f32 by register tiles that read lhs through the window: the products of
 * conv.h's im2col view without storing an im2col matrix.
 *
 * An image, or a band of its rows, is copied with the zeros around it, so that no tap is outside, and the features of
 * neighbouring taps are adjacent: a run. Forward, a tile of rows walks over all runs: one element of each row at a
 * time, broadcast to all lanes, times vectors of T's columns (packed once, in panels as wide as a tile). In the weight
 * gradient, a tile of (tap, feature) walks over the view's rows, with R packed in panels; the sums over all images are
 * in scratch. Each sum is one chain of fma: forward over (tap, feature), taps in ascending order of their places; in
 * the weight gradient over about LONG rows, after which the chain's sum is added to the total of the earlier rows. */
#include "conv.h"
#include "../isa/isa.h"
#include "../isa/isa_loop.h"

#include <string.h>

#if defined ISA_avx2 || (defined ISA_avx512 && defined __x86_64__)

#ifdef ISA_avx2
enum { N = 8 };
#define BROADCAST(p) ((lanes)_mm256_broadcast_ss(p))
#define FMA(a, b, c) ((lanes)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#else
enum { N = 16 };
#define BROADCAST(p) ((lanes)_mm512_set1_ps(*(p)))
#define FMA(a, b, c) ((lanes)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#endif

/* ROWS, VECTORS: most rows and vectors of a tile. BAND: bytes of an image's band. PANEL: rows of a panel of R. MOST_T:
 * most bytes of T. LEAST: least columns. LONG: rows of a chain. */
enum { ROWS = 6, VECTORS = 4, BAND = 96 << 10, PANEL = 256, MOST_T = 1 << 20, LEAST = 6, LONG = 4096 };

typedef float lanes __attribute__((vector_size(N * 4)));
typedef float loose __attribute__((vector_size(N * 4), aligned(1), may_alias));

typedef struct {
    conv_im2col c;                                       /* taps in ascending order */
    int64_t pitch[CONV_SPATIAL];                         /* of the copy, in elements */
    int64_t high, band, rows, k;                         /* a band's rows along dim 0, its elements, and its rows */
    int64_t nrun, run, nline, line;                      /* runs and their length, of (tap, feature); of rows */
    int64_t wide;                                        /* columns, rounded up to full vectors */
    bool empty, odd, flat;                               /* no rows; descending rows; R's rows contiguous */
    int64_t *run_at, *line_at, *k_to, *row_to; int32_t *k_at, *row_at;
    float *copy, *packed, *sums;
} plan;

/* ---- tiles ---- */

/* c[i][..] = or += (if more) the sum over runs s and e < len of a[i][off[s] + e step] b[..]. Rows of b are
 * contiguous. */
typedef struct {
    const float *const *a; const int64_t *off; int64_t runs, len, step;
    const float *b; float *const *c; int cols; bool more;
} walk;

/* Stores the first `left` lanes, or all lanes if `left` is larger. */
INLINE void store_some(float *to, int left, lanes x)
{
#ifdef ISA_avx2
    static const int32_t mask[2 * N] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    const int32_t *from = mask + N - (left < 0 ? 0 : left < N ? left : N);
    _mm256_maskstore_ps(to, _mm256_loadu_si256((const __m256i *)(const void *)from), (__m256)x);
#else
    _mm512_mask_storeu_ps(to, left <= 0 ? 0 : left < N ? (__mmask16)((1u << left) - 1) : 0xffff, (__m512)x);
#endif
}

INLINE void tile(const int nv, const int mr, const walk *w)
{
    const float *b = w->b;
    lanes acc[ROWS][VECTORS];
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < nv; j++)
            acc[i][j] = w->more ? (lanes)*(const loose *)(w->c[i] + j * N) : (lanes){ 0 };
    for (int64_t s = 0; s < w->runs; s++) {
        const float *a[ROWS];
        UNROLL for (int i = 0; i < mr; i++) a[i] = w->a[i] + w->off[s];
        const int64_t end = w->len * w->step;
        for (int64_t e = 0; e != end; e += w->step, b += nv * N) {
            lanes row[VECTORS];
            UNROLL for (int j = 0; j < nv; j++) row[j] = (lanes)*(const loose *)(b + j * N);
            UNROLL for (int i = 0; i < mr; i++) {
                const lanes one = BROADCAST(a[i] + e);
                UNROLL for (int j = 0; j < nv; j++) acc[i][j] = FMA(one, row[j], acc[i][j]);
            }
        }
    }
    if (w->cols == nv * N) {
        UNROLL for (int i = 0; i < mr; i++)
            UNROLL for (int j = 0; j < nv; j++) *(loose *)(w->c[i] + j * N) = (loose)acc[i][j];
        return;
    }
    UNROLL for (int j = 0; j < nv; j++)
        UNROLL for (int i = 0; i < mr; i++) store_some(w->c[i] + j * N, w->cols - j * N, acc[i][j]);
}

#define TILES(X) X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6) \
    X(3, 1) X(3, 2) X(3, 3) X(3, 4) X(4, 1) X(4, 2) X(4, 3)
#define TILE(nv, mr) static void tile_##nv##_##mr(const walk *w) { tile(nv, mr, w); }
TILES(TILE)
#define ENTRY(nv, mr) [nv][mr] = tile_##nv##_##mr,
static void (*const tiles[VECTORS + 1][ROWS + 1])(const walk *) = { TILES(ENTRY) };
static const int most_rows[VECTORS + 1] = { 0, 6, 6, 4, 3 };

/* Width, in vectors, of the panel that begins where `left` vectors remain. narrow: chains are short, so that one pass
 * over lhs is best. */
static int panel_of(int64_t left, bool narrow)
{
    if (left <= 3) return (int)left;
    return narrow && left == 4 ? 4 : left % 2 ? 3 : 2;
}

/* ---- memory ---- */

static void *conv_direct_take(char **at, int64_t bytes)
{
    char *p = *at;
    *at += (bytes + 127) / 64 * 64;
    return p;
}

static int64_t lay_out(plan *p, char *memory)
{
    char *at = memory;
    p->run_at = conv_direct_take(&at, p->nrun * 8), p->line_at = conv_direct_take(&at, p->nline * 8);
    p->k_to = conv_direct_take(&at, p->k * 8), p->row_to = conv_direct_take(&at, p->rows * 8);
    p->k_at = conv_direct_take(&at, p->k * 4), p->row_at = conv_direct_take(&at, p->rows * 4);
    p->copy = conv_direct_take(&at, p->band * 4);
    p->packed = conv_direct_take(&at, (p->c.back ? p->rows * VECTORS * N : p->k * p->wide) * 4);
    p->sums = conv_direct_take(&at, p->c.back ? 2 * p->k * p->wide * 4 : 0);
    return at - memory;
}

static int64_t reach(const conv_dim *q, int64_t rows)    /* places from the first to the last that rows and taps read */
{
    return (rows - 1) * q->rs + (q->taps > 1 ? (q->taps - 1) * q->ts : 0) + 1;
}

static plan conv_direct_plan_of(const conv_im2col *c)
{
    plan p = { .c = *c, .wide = base_round_up(c->cols, N), .run = c->features, .nrun = 1, .nline = 1 };
    int64_t pitch = c->features, each = 1;
    for (int d = c->n - 1; d >= 0; d--) {
        conv_dim *q = &p.c.d[d];
        if (q->ts < 0 && q->taps > 0) {                  /* ascending: neighbouring taps form one run */
            q->from += q->ts * (q->taps - 1), p.c.t += q->tap_to * (q->taps - 1);
            q->ts = -q->ts, q->tap_to = -q->tap_to;
        }
        if (q->rows < 1) p.empty = true;
        if (q->rows > 1 && q->rs < 1) p.odd = true;
        if (q->rows <= 1) q->rows = 1, q->rs = 1;
        p.pitch[d] = pitch;
        if (d) pitch *= reach(q, q->rows), each *= q->rows;
        const bool together = d == c->n - 1 && (q->ts == 1 || q->taps == 1);
        if (together) p.run *= q->taps;
        else p.nrun *= q->taps;
        if (d < c->n - 1) p.nline *= q->rows;
    }
    p.k = p.run * p.nrun;
    p.line = p.c.d[c->n - 1].rows;
    const conv_dim *first = &p.c.d[0];
    if (p.odd) return p;
    for (p.high = first->rows; p.high > 1; p.high = (p.high + 1) / 2)
        if (reach(first, p.high) * pitch * 4 <= BAND && (!c->back || p.high * each <= PANEL)) break;
    p.band = reach(first, p.high) * pitch, p.rows = p.high * each;
    if (c->n == 1) p.line = p.high;
    else p.nline = p.high * (p.nline / first->rows);
    return p;
}

static void conv_direct_next(const conv_im2col *c, int64_t *i, bool taps)
{
    for (int d = c->n - 1; d >= 0 && ++i[d] == (taps ? c->d[d].taps : c->d[d].rows); d--) i[d] = 0;
}

static void tables(plan *p)
{
    const conv_im2col *c = &p->c;
    int64_t i[CONV_SPATIAL] = { 0 };
    for (int64_t k = 0; k < p->k; k += c->features, conv_direct_next(c, i, true)) {
        int64_t at = 0, to = 0;
        for (int d = 0; d < c->n; d++) at += i[d] * c->d[d].ts * p->pitch[d], to += i[d] * c->d[d].tap_to;
        if (k % p->run == 0) p->run_at[k / p->run] = at;
        for (int64_t f = 0; f < c->features; f++)
            p->k_at[k + f] = (int32_t)(at + f), p->k_to[k + f] = to + f * c->feature_to;
    }
    memset(i, 0, sizeof i);
    p->flat = c->cols == p->wide;
    for (int64_t r = 0; r < p->rows; r++, conv_direct_next(c, i, false)) {
        int64_t at = 0, to = 0;
        for (int d = 0; d < c->n; d++) at += i[d] * c->d[d].rs * p->pitch[d], to += i[d] * c->d[d].row_to;
        if (r % p->line == 0) p->line_at[r / p->line] = at;
        p->row_at[r] = (int32_t)at, p->row_to[r] = to;
        p->flat &= to == r * p->wide;
    }
}

/* ---- the padded copy ---- */

static void conv_direct_fill(const plan *p, int d, int64_t lo, int64_t n, const float *x, float *to)
{
    const conv_dim *q = &p->c.d[d];
    const int64_t f = p->pitch[d], from = lo < 0 ? -lo : 0, end = q->size - lo < n ? q->size - lo : n;
    if (end <= from) {
        memset(to, 0, (size_t)(n * f) * sizeof *to);
        return;
    }
    memset(to, 0, (size_t)(from * f) * sizeof *to);
    if (d == p->c.n - 1 && q->x == f)
        memcpy(to + from * f, x + (lo + from) * f, (size_t)((end - from) * f) * sizeof *to);
    else if (d == p->c.n - 1)
        for (int64_t i = from; i < end; i++) memcpy(to + i * f, x + (lo + i) * q->x, (size_t)f * sizeof *to);
    else
        for (int64_t i = from; i < end; i++)
            conv_direct_fill(p, d + 1, q[1].from, reach(q + 1, q[1].rows), x + (lo + i) * q->x, to + i * f);
    memset(to + end * f, 0, (size_t)((n - end) * f) * sizeof *to);
}

/* Copies rows [row, row + n) along dim 0 of image g. */
static void copy_band(const plan *p, int64_t g, int64_t row, int64_t n)
{
    const conv_dim *q = &p->c.d[0];
    conv_direct_fill(p, 0, q->from + row * q->rs, reach(q, n), p->c.x + g * p->c.image_x, p->copy);
}

/* ---- forward ---- */

static void pack_t(const plan *p)
{
    const conv_im2col *c = &p->c;
    float *to = p->packed;
    for (int64_t j = 0, n; j < p->wide; j += n, to += p->k * n) {
        n = (int64_t)N * panel_of((p->wide - j) / N, p->k < 32);
        const int64_t cols = c->cols - j < n ? c->cols - j : n;
        if (cols < n) memset(to, 0, (size_t)(p->k * n) * sizeof *to);
        for (int64_t k = 0; k < p->k; k += c->features) {
            const float *t = c->t + p->k_to[k] + j * c->tap_col;
            if (c->tap_col == 1)
                for (int64_t f = 0; f < c->features; f++)
                    memcpy(to + (k + f) * n, t + f * c->feature_to, (size_t)cols * sizeof *to);
            else
                for (int64_t i = 0; i < cols; i++, t += c->tap_col)
                    for (int64_t f = 0; f < c->features; f++) to[(k + f) * n + i] = t[f * c->feature_to];
        }
    }
}

static void forward_band(const plan *p, float *r, int64_t rows)
{
    const float *b = p->packed, *a[ROWS];
    float *to[ROWS];
    for (int64_t j = 0, n; j < p->wide; j += n, b += p->k * n) {
        const int nv = panel_of((p->wide - j) / N, p->k < 32);
        const int64_t groups = (rows + most_rows[nv] - 1) / most_rows[nv];
        n = (int64_t)N * nv;
        walk w = { a, p->run_at, p->nrun, p->run, 1, b, to, (int)(p->c.cols - j < n ? p->c.cols - j : n), false };
        for (int64_t i = 0; i < groups; i++) {
            const int64_t from = rows * i / groups, m = rows * (i + 1) / groups - from;
            for (int64_t q = 0; q < m; q++) a[q] = p->copy + p->row_at[from + q], to[q] = r + p->row_to[from + q] + j;
            tiles[nv][m](&w);
        }
    }
}

/* ---- weight gradient ---- */

static void pack_r(const plan *p, const float *r, int64_t rows, int64_t cols, int64_t n)
{
    float *to = p->packed;
    for (int64_t i = 0; i < rows; i++, to += n) {
        memcpy(to, r + p->row_to[i], (size_t)cols * sizeof *to);
        if (cols < n) memset(to + cols, 0, (size_t)(n - cols) * sizeof *to);
    }
}

static void back_band(const plan *p, const float *r, int64_t rows)
{
    const float *a[ROWS];
    float *to[ROWS];
    const conv_dim *last = &p->c.d[p->c.n - 1];
    const int64_t line = p->c.n == 1 ? rows : p->line;
    for (int64_t j = 0, n; j < p->wide; j += n) {
        const int nv = panel_of((p->wide - j) / N, p->k < 32);
        const int64_t groups = (p->k + most_rows[nv] - 1) / most_rows[nv];
        n = (int64_t)N * nv;
        const bool there = p->flat && n == p->wide;      /* R is used in place */
        if (!there) pack_r(p, r + j, rows, p->c.cols - j < n ? p->c.cols - j : n, n);
        walk w = { a, p->line_at, rows / line, line, last->rs * p->pitch[p->c.n - 1], there ? r : p->packed, to, (int)n,
                   true };
        for (int64_t i = 0; i < groups; i++) {
            const int64_t from = p->k * i / groups, m = p->k * (i + 1) / groups - from;
            for (int64_t q = 0; q < m; q++) {
                a[q] = p->copy + p->k_at[from + q];
                to[q] = p->sums + (from + q) * p->wide + j;
            }
            tiles[nv][m](&w);
        }
    }
}

/* Adds the sums to the totals, which are the second half of `sums`, and resets them. */
static void add_up(const plan *p)
{
    const int64_t n = p->k * p->wide;
    float *restrict from = p->sums, *restrict to = p->sums + n;
    for (int64_t i = 0; i < n; i++) to[i] += from[i], from[i] = 0;
}

static void store_t(const plan *p)
{
    for (int64_t k = 0; k < p->k; k++) {
        const float *from = p->sums + (p->k + k) * p->wide;
        float *to = p->c.t + p->k_to[k];
        if (p->c.tap_col == 1) memcpy(to, from, (size_t)p->c.cols * sizeof *to);
        else for (int64_t j = 0; j < p->c.cols; j++) to[j * p->c.tap_col] = from[j];
    }
}

/* ---- the table ---- */

/* Cycles of a tile over a panel of nv vectors, per element of its chain. */
static double step_of(int64_t nv)
{
    const int64_t n = most_rows[nv] * nv;
    return n < 10 ? 4.4 : 0.55 * (double)n;
}

/* Estimated cycles: products of tiles and a constant per run; the copy; packing and storing. */
static double direct_cycles(const conv_im2col *c)
{
    const plan p = conv_direct_plan_of(c);
    if (c->cols < LEAST || c->parts || p.odd || p.k * p.wide * 4 > MOST_T) return 1e300;
    if (p.band * 4 > 4 * BAND || p.rows > 1 << 14) return 1e300;
    const double bands = (double)c->images * (double)p.c.d[0].rows / (double)p.high, k = (double)p.k;
    const double all = bands * (double)p.rows, chain = c->back ? all : k, m = c->back ? k : all;
    const double runs = c->back ? all / (double)p.line : (double)p.nrun;
    double work = 0;
    for (int64_t v = p.wide / N, nv; v > 0; v -= nv) {
        nv = panel_of(v, p.k < 32);
        work += m / most_rows[nv] * (step_of(nv) * chain + 10 * runs + 20);
    }
    return work + bands * (double)p.band / 4 + chain * (double)c->cols * (c->back ? 0.3 : 1.5) + all;
}

/* Estimated cycles of one row of many. */
static double direct_row(const conv_im2col *c)
{
    const plan p = conv_direct_plan_of(c);
    const double k = (double)p.k;
    double work = c->back ? 0.3 * (double)c->cols : 0;
    for (int64_t v = p.wide / N, nv; v > 0; v -= nv) {
        nv = panel_of(v, p.k < 32);
        work += (step_of(nv) * k + (c->back ? 0 : 10 * (double)p.nrun + 20)) / most_rows[nv];
    }
    return work + 2;
}

static int64_t direct_scratch(const conv_im2col *c)
{
    plan p = conv_direct_plan_of(c);
    return lay_out(&p, NULL) + 64;
}

static bool direct_run(const conv_im2col *c, void *scratch, uint8_t *bad)
{
    plan p = conv_direct_plan_of(c);
    (void)bad;
    lay_out(&p, base_line_up(scratch));
    tables(&p);
    if (!c->back) pack_t(&p);
    else memset(p.sums, 0, (size_t)(2 * p.k * p.wide) * sizeof *p.sums);
    const int64_t each = p.rows / p.high;
    int64_t chain = 0;
    for (int64_t g = 0; g < c->images && !p.empty; g++) {
        for (int64_t row = 0, n; row < p.c.d[0].rows; row += n) {
            n = p.c.d[0].rows - row < p.high ? p.c.d[0].rows - row : p.high;
            copy_band(&p, g, row, n);
            float *r = p.c.r + g * c->image_to + row * p.c.d[0].row_to;
            if (c->back && chain + n * each > LONG) add_up(&p), chain = 0;
            chain += n * each;
            if (c->back) back_band(&p, r, n * each);
            else forward_band(&p, r, n * each);
        }
        if (c->listener) c->listener->images(c->listener, g + 1);
    }
    if (c->back) add_up(&p), store_t(&p);
    return true;
}

const conv_matrix_unit GEN_ISA(conv_direct) = { direct_cycles, direct_row, direct_scratch, direct_run, false };

#else

const conv_matrix_unit GEN_ISA(conv_direct) = { 0 };

#endif
