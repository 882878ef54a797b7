/* gen/conv/conv_amx_isa.c - convolutions on the matrix unit (AMX): the products of conv.h's im2col view, each f32 as
 * three bf16, six of nine products (gemm_amx_isa.c; the same error bounds hold).
 *
 * Images are split into three bf16 parts once, with the zeros around them and features adjacent. A row of 32 (tap,
 * feature) is then read through the window by one masked load per contiguous run, so only a panel of 32 rows is
 * unfolded in memory, and no element is converted twice. Forward, the panel is the left operand. In the weight
 * gradient, two rows of the panel are interleaved and the panel is the right operand; R transposed is the left.
 *
 * Operands are scaled by powers of two, images one by one, so that their largest element is about 2^40: products of
 * elements 2^-90 of the largest are still normal numbers. The unit does not take infinities and NaNs. */
#include "conv.h"
#include "../isa/isa.h"

#include <string.h>

#if defined ISA_avx512 && defined __x86_64__ && defined __linux__

#include <immintrin.h>

#include "../matmul/amx.h"

enum { WIDE = GEMM_BLOCK, STEP = PARTS * TILE, COLUMNS = 4 * SIDE };
/* SPLIT: bytes of images split at once. ROWS: rows of those images. PACKED: bytes of packed T. BLOCK: bytes of a block
 * of R and X in the weight gradient; LEAST: fewest rows of such a block. As powers of two, TOP: the largest element
 * after scaling; HEADROOM: how much larger a later element may be before the sums are scaled anew. */
enum { SLOTS = 3 };                                      /* slots of rows read through the window: conv_amx_steps.h */
enum { SPLIT = BASE_L2 / 4, ROWS = 8 << 10, PACKED = BASE_L2 / 8 * 3, BLOCK = BASE_L2 / 16 * 5, LEAST = 128 };
enum { TOP = 40, HEADROOM = 20 };
/* Limits; the unit does not take larger views. */
enum { PANEL = BASE_L2 / 4, IMAGE = BASE_L2, TABLE = 1 << 16, SUMS = 4 << 20 };
enum { LONG = 1 << 16 };                                 /* weight gradient: rows summed in one chain */

typedef struct { int32_t at; uint32_t mask; } piece;     /* bytes from a row's first place, for lane 0; its lanes */
typedef struct { int64_t from, n, to; uint32_t part; } run;  /* adjacent columns of R: first, count, offset, phase */
typedef struct {
    conv_im2col c;                                       /* taps in ascending order */
    /* of the split region: places; pitch in elements */
    int64_t lo[CONV_SPATIAL], ext[CONV_SPATIAL], pitch[CONV_SPATIAL];
    int64_t image, part, group;                          /* elements of an image; bytes of a part; images at once */
    int64_t rows, taps, k, steps, nc;  /* rows of an image; (tap, feature), in steps of 32; columns at once */
    int64_t block;                                       /* weight gradient: rows at once */
    int64_t span; bool lines; int64_t *line_to;          /* conv_amx_lines.h */
    int64_t tiles; int runs; bool turned[CONV_SPATIAL];  /* of columns; dims whose taps were reversed to ascend */
    int64_t *tile_to; int32_t *col_to; uint16_t *has, *row_of; run *run;    /* forward: conv_amx_columns.h */
    int32_t *row_at; int64_t *row_to, *k_to; int32_t *first; piece *piece; int *power;
    char *split, *a, *b, *ring; float *c_tmp;
} plan;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void *conv_amx_take(char **at, int64_t bytes)
{
    char *p = *at;
    *at += base_round_up(bytes + 64, 64);
    return p;
}

/* Floats of the weights' sums. c_tmp holds twice as many: these, and the totals of the rows before the last LONG. */
static int64_t sums_of(const plan *p) { return base_round_up(base_round_up(p->c.cols, SIDE),
    WIDE) * p->steps * DEEP; }

/* Sets every table's and buffer's address, from `memory` on (NULL: none), and returns the bytes that they need. */
static int64_t lay_out(plan *p, char *memory)
{
    const int64_t all = p->group * p->rows, cols = base_round_up(p->c.cols, SIDE);
    char *at = memory;
    p->row_at = conv_amx_take(&at, (all + COLUMNS) * (int64_t)sizeof *p->row_at);
    p->row_to = conv_amx_take(&at, all * (int64_t)sizeof *p->row_to);
    p->k_to = conv_amx_take(&at, p->k * (int64_t)sizeof *p->k_to);
    p->first = conv_amx_take(&at, (p->steps + 1) * (int64_t)sizeof *p->first);
    p->piece = conv_amx_take(&at, p->k * (int64_t)sizeof *p->piece);
    p->power = conv_amx_take(&at, p->group * (int64_t)sizeof *p->power);
    p->split = conv_amx_take(&at, p->part * PARTS + 64 + 2 * WIDE * p->c.features);
    p->line_to = conv_amx_take(&at, p->span * (int64_t)sizeof *p->line_to);
    p->ring = conv_amx_take(&at, SLOTS * PARTS * 4 * TILE);
    p->tile_to = conv_amx_take(&at, p->tiles * (int64_t)sizeof *p->tile_to);
    p->col_to = conv_amx_take(&at, p->tiles * SIDE * (int64_t)sizeof *p->col_to);
    p->has = conv_amx_take(&at, p->taps * p->tiles * (int64_t)sizeof *p->has);
    p->row_of = conv_amx_take(&at, p->rows * (int64_t)sizeof *p->row_of);
    p->run = conv_amx_take(&at, CONV_PHASES * (int64_t)sizeof *p->run);
    p->a = conv_amx_take(&at, p->c.back ? base_round_up(cols, WIDE) * p->block * PARTS * 2 : 0);
    p->b = conv_amx_take(&at, p->c.back ? 0 : p->nc * p->steps * DEEP * PARTS * 2);
    p->c_tmp = conv_amx_take(&at, (int64_t)sizeof(float) * (p->c.back ? 2 * sums_of(p) : 2 * COLUMNS * COLUMNS));
    return at - memory;
}

/* Places from the first row to the last, rounded up to full blocks. */
static int64_t span_of(const plan *p)
{
    int64_t last = 0;
    for (int d = 0; d < p->c.n; d++) last += (p->c.d[d].rows - 1) * p->pitch[d];
    return base_round_up(last / (p->c.features ? p->c.features : 1) + 1, WIDE);
}

/* True if rows can be all places of a split image (conv_amx_lines.h: forward, one phase, no strides, features a
 * multiple of 32), there is an even number of column tiles, and those places are at most 5/4 of R's rows. */
static bool in_lines(const plan *p)
{
    const conv_im2col *c = &p->c;
    if (c->back || c->parts || c->features % DEEP || p->tiles % 2) return false;
    for (int d = 0; d < c->n; d++) if (c->d[d].rs != 1 || c->d[d].rows < 1 || c->d[d].taps < 1) return false;
    return p->span * 4 <= p->rows * 5;
}

static plan conv_amx_plan_of(const conv_im2col *c)
{
    plan p = { .c = *c, .image = c->features, .rows = 1, .taps = 1, .tiles = (c->cols + SIDE - 1) / SIDE };
    for (int d = c->n - 1; d >= 0; d--) {
        conv_dim *q = &p.c.d[d];
        if (q->ts < 0 && q->taps > 0) {                  /* ascending: runs of several taps become one */
            q->from += q->ts * (q->taps - 1), p.c.t += q->tap_to * (q->taps - 1);
            q->ts = -q->ts, q->tap_to = -q->tap_to, p.turned[d] = true;
        }
        const int64_t r = q->rows > 0 ? q->rs * (q->rows - 1) : 0, t = q->taps > 0 ? q->ts * (q->taps - 1) : 0;
        p.lo[d] = q->from + (r < 0 ? r : 0);
        p.ext[d] = q->from + (r > 0 ? r : 0) + t - p.lo[d] + 1;
        p.pitch[d] = p.image;
        p.image *= p.ext[d], p.rows *= q->rows, p.taps *= q->taps;
    }
    p.k = p.taps * c->features;
    p.steps = (p.k + DEEP - 1) / DEEP;
    p.group = SPLIT / (p.image * PARTS * 2);
    if (p.rows && p.group > ROWS / p.rows) p.group = ROWS / p.rows;
    p.group = p.group > c->images ? c->images : p.group;
    const int64_t bytes = p.rows * c->cols * (int64_t)sizeof(float);
    if (c->listener && p.group * bytes > CONV_NOTIFY_BYTES) p.group = CONV_NOTIFY_BYTES / bytes;
    if (p.group < 1) p.group = 1;
    p.part = base_round_up(p.group * p.image * 2 + 64, 64);
    const int64_t cols = base_round_up(c->cols, SIDE), each = (p.steps ? p.steps : 1) * DEEP * PARTS * 2;
    p.nc = PACKED / each / COLUMNS * COLUMNS;
    p.nc = p.nc < COLUMNS ? COLUMNS : p.nc > cols ? base_round_up(cols, COLUMNS) : p.nc;
    p.block = BLOCK / ((base_round_up(cols, WIDE) + WIDE) * PARTS * 2) / DEEP * DEEP;
    if (p.block < LEAST) p.block = LEAST;
    if (p.block > p.group * p.rows) p.block = base_round_up(p.group * p.rows, DEEP);
    p.span = span_of(&p), p.lines = in_lines(&p);
    return p;
}

#include "conv_amx_split.h"
#include "conv_amx_columns.h"
#include "conv_amx_steps.h"
#include "conv_amx_lines.h"

/* ---- R = X T ---- */

static void split_group(const plan *p, int64_t g0, int64_t n, uint8_t *bad)
{
    for (int64_t g = 0; g < n; g++) {
        const uint32_t most = largest_of(p, g0 + g);
        const int e = p->power[g] = power_of(most);
        if (most < FINITE) split_image(p, g0 + g, g, two_to(e));
        else bad[g0 + g] = 1;                            /* the stale split data there is finite */
    }
}

/* Rows of images [g, g + images); columns [col + j, col + j + n), at most COLUMNS, of the nc columns of packed T. */
static void forward_rows(const plan *p, int64_t g, int64_t images, int64_t col, int64_t j, int64_t n, int64_t nc,
                         int power)
{
    const int tiles = (int)((n + SIDE - 1) / SIDE), tall = forwards[tiles].tall;
    const int64_t rows = images * p->rows, high = tall * SIDE;
    const char *t = p->b + j * p->steps * DEEP * PARTS * 2;
    queue q = queue_of(p, 0, rows, tall, 1);
    for (int i = 1; i < SLOTS; i++) fetch_rows(&q, tall * SIDE), turn_over(&q, false);
    q.prefetch = images_behind(p, g, images, j, j + n, nc, (rows + high - 1) / high * p->steps);
    float *block = p->c_tmp, *before = p->c_tmp + COLUMNS * COLUMNS;
    for (int64_t r = 0; r < rows + high; r += high) {    /* stores the last block while the unit works on the next */
        if (r < rows) {
            rows_behind(p, &q.prefetch, g, r, rows - r < high ? rows - r : high, col + j, n, p->steps);
            forwards[tiles].f(p->steps, &q, t, block, COLUMNS);
        }
        if (r) store_rows(p, before, g, r - high, rows - r + high < high ? rows - r + high : high, col + j, n, power);
        float *const other = block;
        block = before, before = other;
    }
}

static bool forward(const plan *p, uint8_t *bad)
{
    const uint32_t most = largest_t(p);
    const int e = power_of(most);
    if (most >= FINITE) return false;
    for (int64_t col = 0; col < p->c.cols; col += p->nc) {
        const int64_t n = p->c.cols - col < p->nc ? p->c.cols - col : p->nc;
        pack_t(p, col, n, two_to(e));
        for (int64_t g = 0; g < p->c.images; g += p->group) {
            const int64_t images = p->c.images - g < p->group ? p->c.images - g : p->group;
            split_group(p, g, images, bad);
            for (int64_t j = 0, w; j < n; j += w) {
                w = columns_at(n - j);
                (p->lines ? forward_lines : forward_rows)(p, g, images, col, j, w, n, e);
            }
            if (p->c.listener && col + n == p->c.cols) p->c.listener->images(p->c.listener, g + images);
        }
    }
    return true;
}

/* ---- T = X^T R: the weight gradient ---- */

/* Packs R's rows [row, row + n) of the group, transposed: panels of 32 columns, k and k + 16 in pairs. */
static void pack_r(const plan *p, int64_t g0, int64_t row, int64_t n, float scale)
{
    const float *r = p->c.r + g0 * p->c.image_to;
    const int64_t steps = (n + DEEP - 1) / DEEP;
    const __m512 s = _mm512_set1_ps(scale);
    for (int64_t k = 0; k < steps; k++)
        for (int64_t j = 0; j < p->c.cols; j += SIDE) {
            const int tiles = p->c.cols - j / WIDE * WIDE > SIDE ? 2 : 1;
            char *to = p->a + j / WIDE * WIDE * p->block * PARTS * 2 + k * STEP * tiles + j % WIDE / SIDE * TILE;
            __m512 half[2][SIDE];
            for (int h = 0; h < 2; h++) {
                for (int i = 0; i < SIDE; i++) {
                    const int64_t at = k * DEEP + h * SIDE + i;
                    half[h][i] = at < n ? _mm512_maskz_loadu_ps(amx_first(p->c.cols - j), r + p->row_to[row + at] + j)
                                        : _mm512_setzero_ps();
                    half[h][i] = _mm512_mul_ps(half[h][i], s);
                }
                amx_turn(half[h]);
            }
            for (int i = 0; i < SIDE; i++) store_pairs(to + i * 64, tiles * TILE, half[0][i], half[1][i]);
        }
}

static int64_t column_of(int64_t k) { return k / DEEP * DEEP + k % 8 / 4 * SIDE + k % DEEP / 8 * 4 + k % 4; }

static uint32_t largest_r(const plan *p, int64_t g0, int64_t row, int64_t n)
{
    __m512i most = _mm512_setzero_si512();
    for (int64_t i = 0; i < n; i++)
        most = largest_run(most, p->c.r + g0 * p->c.image_to + p->row_to[row + i], p->c.cols);
    return _mm512_reduce_max_epu32(most);
}

/* Updates the scaling power for a block whose largest element is `most`: keeps the present power unless `most` would
 * then be too large; else takes a new power and rescales the sums so far. */
static void keep_low(const plan *p, uint32_t most, int *power, bool begun)
{
    const int64_t n = 2 * sums_of(p);
    const int e = power_of(most);
    if (begun && e >= *power - HEADROOM) return;
    const int half = (e - *power) / 2;                   /* the full factor may be out of a float's range */
    const float f = two_to(half), g = two_to(e - *power - half);
    for (int64_t i = 0; begun && i < n; i++) p->c_tmp[i] = p->c_tmp[i] * f * g;
    *power = e;
}

static void store_t(const plan *p, int x, int r)
{
    const int e = -x - r, half = e / 2;
    const float f = two_to(half), g = two_to(e - half);
    for (int64_t k = 0; k < p->k; k++) {
        const float *from = p->c_tmp + sums_of(p) + column_of(k);
        float *to = p->c.t + p->k_to[k];
        for (int64_t j = 0; j < p->c.cols; j++) to[j * p->c.tap_col] = from[j * p->steps * DEEP] * f * g;
    }
}

/* Adds rows [row, row + n) of the group of images from g on to all sums. The rows that pad a block after row n are rows
 * of other data, and R has zeros there. */
static void add_block(const plan *p, int64_t g, int64_t images, int64_t row, int64_t n)
{
    const int64_t ld = p->steps * DEEP, blocks = (p->c.cols + WIDE - 1) / WIDE;
    queue q = queue_of(p, row, n, 2, blocks);
    for (int i = 1; i < SLOTS; i++) fetch_pairs(&q, SIDE), turn_over(&q, true);
    const int64_t rows = images * p->rows, left = rows - row - n, steps = (n + DEEP - 1) / DEEP * p->steps * blocks;
    const int64_t more = p->c.images - g - images;       /* after the group's last rows come those of the next */
    q.prefetch = images_behind(p, g, images, row, row + n, rows, steps);
    if (left > 0) rows_behind(p, &q.prefetch, g, row + n, left < p->block ? left : p->block, 0, p->c.cols, steps);
    else if (more > 0)
        rows_behind(p, &q.prefetch, g + images, 0, least(p->block, least(more, images) * p->rows), 0, p->c.cols, steps);
    for (int64_t s = 0; s < p->steps; s++)
        for (int64_t j = 0; j < p->c.cols; j += WIDE)
            backs[p->c.cols - j > SIDE ? 2 : 1]((n + DEEP - 1) / DEEP, &q, p->a + j * p->block * PARTS * 2,
                                                p->c_tmp + j * ld + s * DEEP, ld);
}

static void add_up(const plan *p)                        /* adds the sums to the totals, and resets them */
{
    const int64_t n = sums_of(p);
    float *restrict from = p->c_tmp, *restrict to = p->c_tmp + n;
    for (int64_t i = 0; i < n; i++) to[i] += from[i], from[i] = 0;
}

static bool back(const plan *p)
{
    int x = 0, r = 0;
    bool begun_x = false, begun_r = false;
    int64_t chain = 0;
    memset(p->c_tmp, 0, (size_t)(2 * sums_of(p)) * sizeof(float));
    for (int64_t g = 0; g < p->c.images; g += p->group) {
        const int64_t images = p->c.images - g < p->group ? p->c.images - g : p->group, rows = images * p->rows;
        uint32_t most = 0, one;
        for (int64_t i = 0; i < images; i++) most = (one = largest_of(p, g + i)) > most ? one : most;
        if (most >= FINITE) return false;
        if (most) keep_low(p, most, &x, begun_x), begun_x = true;
        for (int64_t i = 0; i < images; i++) split_image(p, g + i, i, two_to(x));
        for (int64_t row = 0; row < rows; row += p->block) {
            const int64_t n = rows - row < p->block ? rows - row : p->block;
            const uint32_t here = largest_r(p, g, row, n);
            if (here >= FINITE) return false;
            if (!here || !most) continue;
            keep_low(p, here, &r, begun_r), begun_r = true;
            if (chain + n > LONG) add_up(p), chain = 0;
            chain += n;
            pack_r(p, g, row, n, two_to(r));
            add_block(p, g, images, row, n);
        }
    }
    add_up(p);
    store_t(p, x, r);
    return true;
}

/* ---- the table ---- */

/* Cycles of one row: products, and loads through the window; forward, the loads are repeated for every block of
 * columns. */
static double row_cycles(const plan *p)
{
    const conv_im2col *c = &p->c;
    const double cols = (double)base_round_up(c->cols, SIDE),
        blocks = c->back ? 1 : (double)base_round_up(c->cols, COLUMNS) / COLUMNS;
    int64_t run = c->features;                           /* features of taps that are contiguous */
    for (int d = c->n - 1; d >= 0 && c->d[d].ts == 1; d--) {
        run *= c->d[d].taps;
        if (c->d[d].taps != p->ext[d]) break;
    }
    const double pieces = (double)p->steps + (double)p->k / (double)(run ? run : 1);
    return (double)p->steps * DEEP * cols / 50 + blocks * pieces * PARTS * 1.6 + cols * (c->back ? 2.3 : 1);
}

static double unit_row(const conv_im2col *c)
{
    const plan p = conv_amx_plan_of(c);
    return row_cycles(&p);
}

static double unit_cycles(const conv_im2col *c)
{
    const plan p = conv_amx_plan_of(c);
    const int64_t step = p.steps * DEEP;
    const double rows = (double)base_round_up(c->images * p.rows, WIDE),
        cols = (double)base_round_up(c->cols, SIDE);
    if (p.image * PARTS * 2 > IMAGE || p.rows > TABLE) return 1e300;
    if (c->back ? step * base_round_up(c->cols, WIDE) > SUMS : p.steps * 2 * STEP > PANEL) return 1e300;
    return rows * row_cycles(&p) + (double)(c->images * p.image) + (double)step * cols * (c->back ? 1.6 : 3.2);
}

static int64_t unit_scratch(const conv_im2col *c)
{
    plan p = conv_amx_plan_of(c);
    return lay_out(&p, NULL) + 64;
}

static bool unit_run(const conv_im2col *c, void *scratch, uint8_t *bad)
{
    plan p = conv_amx_plan_of(c);
    lay_out(&p, base_line_up(scratch));
    memset(p.split, 0, (size_t)(p.part * PARTS));
    tables(&p);
    if (p.lines) line_table(&p);
    if (!c->back) column_tables(&p);
    else p.run[0] = (run){ 0, c->cols, 0, 0 }, p.runs = 1;
    configure();
    const bool good = c->back ? back(&p) : forward(&p, bad);
    RELEASE;
    return good;
}

const conv_matrix_unit GEN_ISA(conv_amx) = { unit_cycles, unit_row, unit_scratch, unit_run, true };

#else

const conv_matrix_unit GEN_ISA(conv_amx) = { 0 };

#endif
