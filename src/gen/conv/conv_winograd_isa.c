/* gen/conv/conv_winograd_isa.c - 3x3 convolutions without strides in f32 by 16 products instead of 36 (Winograd's
 * F(2x2, 3x3)), AVX2: forward, input gradient and weight gradient.
 *
 * A tile is 2x2 places of R and the 4x4 places of lhs that their windows read; per feature and column
 *     y = A'[(G t G') * (B' x B)]A,   dt = G'[sum over tiles of (A y A') * (B' x B)]G
 * where * is elementwise, so that each of 16 points is a matrix product over features (or over tiles). Places outside a
 * window add nothing to its sum, not even rounding, and elements of B, A are 0 and +-1: errors are those of sums of a
 * few more terms. An element that is infinite, or overflows on the way, becomes NaN: such an image is marked bad. A few
 * images, or a band of one, are processed at a time, so that their points stay in the second-level cache. */
#include "conv.h"
#include "../isa/isa.h"

#include <string.h>

#if defined ISA_avx2

#include "../isa/isa_loop.h"

/* N: lanes. ROWS, PANEL: most rows and columns of a register tile. CACHE: bytes of all points of the tiles in work.
 * APART: padding in elements that keeps points apart in caches. LEAST: least features and columns; MOST: most of their
 * product. FEWEST: fewest places of a row; WIDEST: most tiles of a row. */
enum { N = 8, ROWS = 6, PANEL = 3 * N, POINTS = 16, CACHE = BASE_L2 / 32 * 5, APART = 16 };
enum { LEAST = 16, MOST = 1 << 15, FEWEST = 4, WIDEST = 64 };

typedef float v8 __attribute__((vector_size(32)));
typedef float loose __attribute__((vector_size(32), aligned(1), may_alias));
typedef struct {
    conv_im2col c;                                       /* taps in ascending order */
    int64_t features, cols, high, wide;                  /* tiles: in a column of an image, in a row */
    int64_t most, band, images;                          /* at a time: tiles, rows of tiles, images */
    int64_t xs, ys;                                      /* from point to point, in x and y */
    /* t: [panel][POINTS][features][columns of the panel]; x: [POINTS][tile][features]; y: [POINTS][tile][columns], one
     * panel */
    float *copy, *t, *x, *y;
} plan;
typedef struct { int64_t from, cols; float *t; } panel;  /* some columns, full vectors */

static bool conv_winograd_fits(const conv_im2col *c)
{
    if (c->n != 2 || c->features < LEAST || c->cols < LEAST || c->features % N || c->cols % N) return false;
    for (int d = 0; d < 2; d++)
        if (c->d[d].taps != 3 || c->d[d].ts * c->d[d].ts != 1 || c->d[d].rs != 1) return false;
    return c->features * c->cols <= MOST && c->d[1].rows >= FEWEST && c->d[1].rows <= 2 * WIDEST;
}

static plan conv_winograd_plan_of(const conv_im2col *c)
{
    plan p = { .c = *c, .features = c->features, .cols = c->cols };
    for (int d = 0; d < 2; d++) {
        conv_dim *q = &p.c.d[d];
        if (q->ts > 0) continue;
        q->from -= 2, p.c.t += 2 * q->tap_to, q->tap_to = -q->tap_to;
    }
    p.high = (p.c.d[0].rows + 1) / 2, p.wide = (p.c.d[1].rows + 1) / 2;
    const int64_t left = CACHE / 4 / POINTS - p.features * p.cols, each = p.features + PANEL;
    p.most = left / each < 24 ? 24 : left / each;
    if (p.most < p.wide) p.most = p.wide;
    p.band = p.most / p.wide;
    if (p.band >= p.high) {
        p.band = p.high > 0 ? p.high : 1, p.images = p.most / (p.band * p.wide);
    } else {
        const int64_t bands = (p.high + p.band - 1) / p.band;
        p.band = (p.high + bands - 1) / bands, p.images = 1;
    }
    p.xs = p.most * p.features + APART, p.ys = p.most * PANEL + APART;
    return p;
}

static float *conv_winograd_take(char **at, int64_t n)
{
    char *p = *at;
    *at += (n * 4 + 127) / 64 * 64;
    return (float *)(void *)p;
}

static int64_t lay_out(plan *p, char *memory)
{
    char *at = memory;
    p->t = conv_winograd_take(&at, POINTS * p->features * p->cols);
    p->x = conv_winograd_take(&at, POINTS * p->xs), p->y = conv_winograd_take(&at, POINTS * p->ys);
    p->copy = conv_winograd_take(&at, (2 * (p->most / p->wide) + 2) * (2 * p->wide + 2) * p->features);
    return at - memory;
}

static v8 conv_winograd_load(const float *p) { return (v8)*(const loose *)p; }
static void conv_winograd_store(float *p, v8 x) { *(loose *)p = (loose)x; }

/* ---- to points and back: a 4x4 matrix in d, [4 i + j] ---- */

INLINE void along(v8 *d, const int s)                    /* B' of four, s apart */
{
    const v8 a = d[0] - d[2 * s], b = d[s] + d[2 * s], c = d[2 * s] - d[s], e = d[s] - d[3 * s];
    d[0] = a, d[s] = b, d[2 * s] = c, d[3 * s] = e;
}

/* Copies tile rows [row, row + n) of image g: with the zeros around it, and zeros for the places that no window
 * reads. */
static void copy_band(const plan *p, int64_t g, int64_t row, int64_t n)
{
    const conv_dim *q = p->c.d;
    const int64_t f = p->features, width = 2 * p->wide + 2;
    const int64_t left = q[1].from < 0 ? -q[1].from : 0, reach = q[1].rows + 2;
    int64_t end = q[1].size - q[1].from < reach ? q[1].size - q[1].from : reach;
    if (end < left) end = left;
    float *to = p->copy;
    for (int64_t i = 2 * row; i < 2 * (row + n) + 2; i++, to += width * f) {
        const int64_t at = q[0].from + i;
        const bool none = at < 0 || at >= q[0].size || i >= q[0].rows + 2 || left >= width;
        const float *x = p->c.x + g * p->c.image_x + at * q[0].x + (q[1].from + left) * q[1].x;
        if (none) {
            memset(to, 0, (size_t)(width * f) * sizeof *to);
            continue;
        }
        memset(to, 0, (size_t)(left * f) * sizeof *to);
        if (q[1].x == f) memcpy(to + left * f, x, (size_t)((end - left) * f) * sizeof *to);
        else for (int64_t j = left; j < end; j++, x += q[1].x) memcpy(to + j * f, x, (size_t)f * sizeof *to);
        memset(to + end * f, 0, (size_t)((width - end) * f) * sizeof *to);
    }
}

/* Computes x[point][first + tile][feature] for n tile rows. */
static void points_of_x(const plan *p, int64_t first, int64_t n)
{
    const int64_t f = p->features, line = (2 * p->wide + 2) * f;
    float *to = p->x + first * f;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p->wide; j++, to += f)
            for (int64_t k = 0; k < f; k += N) {
                const float *from = p->copy + 2 * i * line + 2 * j * f + k;
                v8 d[POINTS];
                UNROLL for (int q = 0; q < POINTS; q++) d[q] = conv_winograd_load(from + q / 4 * line + q % 4 * f);
                UNROLL for (int q = 0; q < 4; q++) along(d + 4 * q, 1);
                UNROLL for (int q = 0; q < 4; q++) along(d + q, 4);
                UNROLL for (int q = 0; q < POINTS; q++) conv_winograd_store(to + q * p->xs + k, d[q]);
            }
}

/* Stores columns of R of image g from the points of the image's tiles. Returns true if all are finite. */
static bool winograd_outputs(const plan *p, const panel *t, int64_t g, int64_t row, int64_t n, int64_t first)
{
    const conv_dim *q = p->c.d;
    const float *from = p->y + first * t->cols;
    v8 odd = { 0 };
    for (int64_t i = row; i < row + n; i++)
        for (int64_t j = 0; j < p->wide; j++, from += t->cols) {
            float *to = p->c.r + t->from + g * p->c.image_to + 2 * i * q[0].row_to + 2 * j * q[1].row_to;
            const bool below = 2 * i + 1 < q[0].rows, right = 2 * j + 1 < q[1].rows;
            for (int64_t k = 0; k < t->cols; k += N) {
                v8 s[4][2];
                UNROLL for (int e = 0; e < 4; e++) {
                    const float *m = from + 4 * e * p->ys + k;
                    const v8 a = conv_winograd_load(m), b = conv_winograd_load(m + p->ys),
                        c = conv_winograd_load(m + 2 * p->ys), d = conv_winograd_load(m + 3 * p->ys);
                    s[e][0] = a + (b + c), s[e][1] = (b - c) - d;
                }
                v8 z[2][2];
                UNROLL for (int e = 0; e < 2; e++) {
                    z[0][e] = s[0][e] + (s[1][e] + s[2][e]), z[1][e] = (s[1][e] - s[2][e]) - s[3][e];
                    odd += z[0][e] * 0.0f + z[1][e] * 0.0f;
                }
                conv_winograd_store(to + k, z[0][0]);
                if (right) conv_winograd_store(to + q[1].row_to + k, z[0][1]);
                if (below) conv_winograd_store(to + q[0].row_to + k, z[1][0]);
                if (below && right) conv_winograd_store(to + q[0].row_to + q[1].row_to + k, z[1][1]);
            }
        }
    float sum = 0;
    for (int k = 0; k < N; k++) sum += odd[k];
    return sum == 0;
}

/* Computes y[point][first + tile][column] from R. */
static void points_of_y(const plan *p, const panel *t, int64_t g, int64_t row, int64_t n, int64_t first)
{
    const conv_dim *q = p->c.d;
    float *to = p->y + first * t->cols;
    for (int64_t i = row; i < row + n; i++)
        for (int64_t j = 0; j < p->wide; j++, to += t->cols) {
            const float *from = p->c.r + t->from + g * p->c.image_to + 2 * i * q[0].row_to + 2 * j * q[1].row_to;
            const bool below = 2 * i + 1 < q[0].rows, right = 2 * j + 1 < q[1].rows;
            for (int64_t k = 0; k < t->cols; k += N) {
                const float *r = from + k;
                const v8 none = { 0 }, a = conv_winograd_load(r),
                    b = right ? conv_winograd_load(r + q[1].row_to) : none;
                const v8 c = below ? conv_winograd_load(r + q[0].row_to) : none;
                const v8 d = below && right ? conv_winograd_load(r + q[0].row_to + q[1].row_to) : none;
                const v8 s[4][2] = { { a, b }, { a + c, b + d }, { a - c, b - d }, { -c, -d } };
                UNROLL for (int e = 0; e < 4; e++) {
                    float *at = to + 4 * e * p->ys + k;
                    conv_winograd_store(at, s[e][0]), conv_winograd_store(at + p->ys, s[e][0] + s[e][1]);
                    conv_winograd_store(at + 2 * p->ys, s[e][0] - s[e][1]),
                        conv_winograd_store(at + 3 * p->ys, -s[e][1]);
                }
            }
        }
}

/* ---- weights ---- */

INLINE void conv_winograd_widen(const v8 a, const v8 b, const v8 c, v8 *to, const int s) /* G of three */
{
    const v8 sum = (a + c) * 0.5f, half = b * 0.5f;
    to[0] = a, to[s] = sum + half, to[2 * s] = sum - half, to[3 * s] = c;
}

/* Computes the points of T for one panel. */
static void points_of_t(const plan *p, const panel *q)
{
    const conv_im2col *c = &p->c;
    for (int64_t f = 0; f < p->features; f++)
        for (int64_t l = 0; l < q->cols; l += N) {
            const float *from = c->t + f * c->feature_to + (q->from + l) * c->tap_col;
            float *to = q->t + f * q->cols + l;
            v8 g[9], h[12], d[POINTS];
            for (int e = 0; e < 9; e++) {
                const float *t = from + e / 3 * c->d[0].tap_to + e % 3 * c->d[1].tap_to;
                if (c->tap_col == 1) g[e] = conv_winograd_load(t);
                else for (int o = 0; o < N; o++) g[e][o] = t[o * c->tap_col];
            }
            UNROLL for (int e = 0; e < 3; e++) conv_winograd_widen(g[e], g[3 + e], g[6 + e], h + e, 3);
            UNROLL for (int e = 0; e < 4; e++) conv_winograd_widen(h[3 * e], h[3 * e + 1], h[3 * e + 2], d + 4 * e, 1);
            UNROLL for (int e = 0; e < POINTS; e++) conv_winograd_store(to + e * p->features * q->cols, d[e]);
        }
}

INLINE void conv_winograd_narrow(const v8 *d, const int s, v8 *to, const int t) /* G' of four */
{
    const v8 sum = (d[s] + d[2 * s]) * 0.5f;
    to[0] = d[0] + sum, to[t] = (d[s] - d[2 * s]) * 0.5f, to[2 * t] = sum + d[3 * s];
}

/* Stores columns of T from the sums of T's points. Returns true if all are finite. */
static bool taps(const plan *p, const panel *q)
{
    const conv_im2col *c = &p->c;
    v8 odd = { 0 };
    for (int64_t f = 0; f < p->features; f++)
        for (int64_t k = 0; k < q->cols; k += N) {
            v8 d[POINTS], h[12], g[9];
            float *to = c->t + f * c->feature_to + (q->from + k) * c->tap_col;
            UNROLL for (int e = 0; e < POINTS; e++) d[e] = conv_winograd_load(q->t + (e * p->features + f) * q->cols
                + k);
            UNROLL for (int e = 0; e < 4; e++) conv_winograd_narrow(d + e, 4, h + e, 4);
            UNROLL for (int e = 0; e < 3; e++) conv_winograd_narrow(h + 4 * e, 1, g + 3 * e, 1);
            for (int e = 0; e < 9; e++) {
                float *t = to + e / 3 * c->d[0].tap_to + e % 3 * c->d[1].tap_to;
                odd += g[e] * 0.0f;
                if (c->tap_col == 1) conv_winograd_store(t, g[e]);
                else for (int o = 0; o < N; o++) t[o * c->tap_col] = g[e][o];
            }
        }
    float sum = 0;
    for (int k = 0; k < N; k++) sum += odd[k];
    return sum == 0;
}

/* ---- products ---- */

/* c[i][..] = or += (more) the sum over e < len of a[i row + e step] b[e][..]: mr rows, nv vectors. */
typedef struct { const float *a; int64_t row, step; const float *b; float *c; int64_t pitch, len; } product;

INLINE void some_rows(const int nv, const int mr, const bool more, const product *w)
{
    const float *a = w->a, *b = w->b, *const end = b + w->len * nv * N;
    const int64_t row = w->row, step = w->step;
    v8 acc[ROWS][3];
    UNROLL for (int i = 0; i < mr; i++) {
        if (!more) __builtin_prefetch(w->c + i * w->pitch, 1);
        UNROLL for (int j = 0; j < nv; j++) acc[i][j] = more ? conv_winograd_load(w->c + i * w->pitch + j * N)
            : (v8){ 0 };
    }
    const float *a3 = a + 3 * row;
    for (; b != end; b += nv * N, a += step, a3 += step) {
        v8 r[3];
        UNROLL for (int j = 0; j < nv; j++) r[j] = conv_winograd_load(b + j * N);
        UNROLL for (int i = 0; i < mr; i++) {
            const v8 one = (v8)_mm256_broadcast_ss(i < 3 ? a + i * row : a3 + (i - 3) * row);
            UNROLL for (int j = 0; j < nv; j++)
                acc[i][j] = (v8)_mm256_fmadd_ps((__m256)one, (__m256)r[j], (__m256)acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < mr; i++)
        UNROLL for (int j = 0; j < nv; j++) conv_winograd_store(w->c + i * w->pitch + j * N, acc[i][j]);
}

#define TILES(X) X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(1, 5) X(1, 6) X(2, 1) X(2, 2) X(2, 3) X(2, 4) X(2, 5) X(2, 6) \
    X(3, 1) X(3, 2) X(3, 3) X(3, 4)
#define TILE(nv, mr) \
    static void new_##nv##_##mr(const product *w) { some_rows(nv, mr, false, w); } \
    static void more_##nv##_##mr(const product *w) { some_rows(nv, mr, true, w); }
TILES(TILE)
#define ENTRY(nv, mr) [nv][mr] = { new_##nv##_##mr, more_##nv##_##mr },
static void (*const tiles[4][ROWS + 1][2])(const product *) = { TILES(ENTRY) };

static void all_rows(product w, int nv, int64_t rows, bool more)
{
    const int64_t most = nv == 3 ? 4 : 6, groups = (rows + most - 1) / most;
    const float *a = w.a;
    float *c = w.c;
    for (int64_t i = 0; i < groups; i++) {
        const int64_t lo = rows * i / groups;
        w.a = a + lo * w.row, w.c = c + lo * w.pitch;
        tiles[nv][rows * (i + 1) / groups - lo][more](&w);
    }
}

/* y[point] = x[point] t[point], or t[point] += x[point]' y[point], for n tiles. */
static void products(const plan *p, const panel *q, int64_t n)
{
    const int64_t f = p->features, w = q->cols;
    for (int e = 0; e < POINTS; e++) {
        float *x = p->x + e * p->xs, *y = p->y + e * p->ys, *t = q->t + e * f * w;
        if (p->c.back) all_rows((product){ x, 1, f, y, t, w, n }, (int)(w / N), f, true);
        else all_rows((product){ x, f, 1, t, y, w, f }, (int)(w / N), n, false);
    }
}

/* ---- the table ---- */

static double winograd_cycles(const conv_im2col *c)
{
    if (!conv_winograd_fits(c)) return 1e300;
    const double tiles = (double)(c->images * ((c->d[0].rows + 1) / 2) * ((c->d[1].rows + 1) / 2));
    const double f = (double)c->features, n = (double)c->cols;
    return tiles * (1.2 * f * n + 5 * f + 4 * n) + 12 * f * n;
}

static int64_t winograd_scratch(const conv_im2col *c)
{
    plan p = conv_winograd_plan_of(c);
    return lay_out(&p, NULL) + 64;
}

/* The panel from column `from` on: two vectors wide, or the last one or three. */
static panel panel_at(const plan *p, int64_t from)
{
    const int64_t left = (p->cols - from) / N, n = left == 1 || left == 3 ? left : 2;
    return (panel){ from, n * N, p->t + from * POINTS * p->features };
}

/* Processes images [g, g + n), tile rows [row, row + high) of each. */
static void some(const plan *p, int64_t g, int64_t n, int64_t row, int64_t high, uint8_t *bad)
{
    const int64_t each = high * p->wide;
    for (int64_t i = 0; i < n; i++) copy_band(p, g + i, row, high), points_of_x(p, i * each, high);
    for (int64_t k = 0; k < p->cols;) {
        const panel q = panel_at(p, k);
        for (int64_t i = 0; p->c.back && i < n; i++) points_of_y(p, &q, g + i, row, high, i * each);
        products(p, &q, n * each);
        for (int64_t i = 0; !p->c.back && i < n; i++) if (!winograd_outputs(p, &q, g + i, row, high, i * each))
            bad[g + i] = 1;
        k += q.cols;
    }
}

static bool winograd_run(const conv_im2col *c, void *scratch, uint8_t *bad)
{
    plan p = conv_winograd_plan_of(c);
    bool finite = true;
    lay_out(&p, base_line_up(scratch));
    if (c->back) memset(p.t, 0, (size_t)(POINTS * p.features * p.cols) * sizeof *p.t);
    for (int64_t k = 0; !c->back && k < p.cols;) {
        const panel q = panel_at(&p, k);
        points_of_t(&p, &q);
        k += q.cols;
    }
    for (int64_t g = 0, n; g < c->images; g += n) {
        n = c->images - g < p.images ? c->images - g : p.images;
        for (int64_t row = 0; row < p.high; row += p.band)
            some(&p, g, n, row, p.high - row < p.band ? p.high - row : p.band, bad);
        if (c->listener) c->listener->images(c->listener, g + n);
    }
    for (int64_t k = 0; c->back && k < p.cols;) {
        const panel q = panel_at(&p, k);
        finite &= taps(&p, &q);
        k += q.cols;
    }
    return finite;
}

const conv_matrix_unit GEN_ISA(conv_winograd) = { winograd_cycles, NULL, winograd_scratch, winograd_run, false };

#else

const conv_matrix_unit GEN_ISA(conv_winograd) = { 0 };

#endif
