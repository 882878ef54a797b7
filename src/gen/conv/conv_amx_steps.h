/* gen/conv/conv_amx_steps.h - part of conv_amx_isa.c: the unit's products, and the reads through the window, which are
 * interleaved with them. */

/* ---- reading through the window ---- */

/* Loads 32 (tap, feature) of a row. n: pieces, a constant if they are few; 0: one piece of all 32 lanes. */
INLINE __m512i through(const char *row, const piece *q, int n)
{
    if (!n) return _mm512_loadu_si512(row + q->at);
    __m512i v = _mm512_maskz_loadu_epi16(q->mask, row + q->at);
    for (int i = 1; i < n; i++) v = _mm512_mask_loadu_epi16(v, q[i].mask, row + q[i].at);
    return v;
}
/* Calls f(.., q, n), with copies of the pieces that stay in registers if there are at most three. */
#define BY_PIECES(f, q, n, ...)                                                                                        \
    do {                                                                                                               \
        const piece few_[3] = { (q)[0], (q)[(n) > 1], (q)[(n) > 2 ? 2 : 0] };                                          \
        if ((n) == 0) f(__VA_ARGS__, few_, 0);                                                                         \
        else if ((n) == 1) f(__VA_ARGS__, few_, 1);                                                                    \
        else if ((n) == 2) f(__VA_ARGS__, few_, 2);                                                                    \
        else if ((n) == 3) f(__VA_ARGS__, few_, 3);                                                                    \
        else f(__VA_ARGS__, q, n);                                                                                     \
    } while (0)

/* Data to prefetch, some of it in each step: the images to be split next, rows of R to be read or written next. */
typedef struct { const char *at, *end; int lines, rows; float *r; const int64_t *to, *to_end; int64_t col, n; } ahead;

INLINE void prefetch_rows(const plan *p, ahead *a)
{
    for (int i = 0; i < a->rows && a->to < a->to_end; i++, a->to++)
        for (const run *q = p->run; q < p->run + p->runs && *a->to >= 0; q++) {
            const int64_t lo = q->from > a->col ? q->from : a->col;
            const int64_t hi = q->from + q->n < a->col + a->n ? q->from + q->n : a->col + a->n;
            for (int64_t j = lo; j < hi; j += SIDE) {
                const float *x = a->r + *a->to + q->to + j - q->from;
                if (p->c.back) _mm_prefetch(x, _MM_HINT_T1);
                else __builtin_prefetch(x, 1);
            }
        }
}

INLINE void conv_amx_steps_prefetch(const plan *p, ahead *a)
{
    for (int i = 0; i < a->lines && a->at < a->end; i++, a->at += 64) _mm_prefetch(a->at, _MM_HINT_T1);
    if (a->to < a->to_end) prefetch_rows(p, a);
}

/* Data to prefetch of the images that follow the group of n images from g on: the same share of their bytes as [lo, hi)
 * is of `all`, spread over `steps` steps. */
static ahead images_behind(const plan *p, int64_t g, int64_t n, int64_t lo, int64_t hi, int64_t all, int64_t steps)
{
    const conv_im2col *c = &p->c;
    const int64_t left = c->images - g - n, next = least(left, n), bytes = next * c->image_x * (int64_t)sizeof *c->x;
    if (next <= 0 || c->image_x != c->d[0].size * c->d[0].x || !steps) return (ahead){ 0 };
    const char *const x = (const char *)(const void *)(c->x + (g + n) * c->image_x);
    ahead a = { .at = x + bytes * lo / all, .end = x + bytes * hi / all };
    a.lines = (int)((a.end - a.at) / 64 / steps + 1);
    return a;
}

/* Adds rows [row, row + rows) of R from image g on, columns [col, col + n), to the data to prefetch. */
static void rows_behind(const plan *p, ahead *a, int64_t g, int64_t row, int64_t rows, int64_t col, int64_t n,
                        int64_t steps)
{
    a->r = p->c.r + g * p->c.image_to, a->to = p->row_to + row, a->to_end = a->to + rows, a->col = col, a->n = n;
    a->rows = (int)((rows + steps - 1) / steps);
}

/* A queue of slots of rows read through the window. Slots stay in the first-level cache: the vectors fill later slots
 * while the unit works on one. A store must have reached the cache before the unit loads the data, so there are three
 * slots. A slot is 32 of k:
 * - forward: 32 (tap, feature) for `tall` tiles of rows. Order: the steps of all (tap, feature), then the next rows.
 * - weight gradient: 16 pairs of rows k and k + 16, for 32 (tap, feature), of which the first of 8 columns are in the
 *   first tile, the others in the second (column_of). Order: all pairs, repeated for every block of columns of R, then
 *   the next 32 (tap, feature). */
typedef struct {
    const plan *p; const int32_t *row_at; const piece *piece; int pieces;
    int64_t s, row, rows, from, block, blocks;
    int tall, i; bool done;
    char *slot, *other, *end; int64_t each;
    ahead prefetch;
} queue;

static void enter_step(queue *q)
{
    q->piece = q->p->piece + q->p->first[q->s], q->pieces = q->p->first[q->s + 1] - q->p->first[q->s];
    if (q->pieces == 1 && q->piece->mask == 0xffffffffu) q->pieces = 0;
}

static queue queue_of(const plan *p, int64_t row, int64_t rows, int tall, int64_t blocks)
{
    queue q = { .p = p, .row_at = p->row_at + row, .from = row, .rows = rows, .tall = tall, .blocks = blocks,
                .slot = p->ring, .other = p->ring, .each = PARTS * tall * TILE, .done = !p->steps || !rows };
    q.end = p->ring + SLOTS * q.each, q.slot += q.each;
    if (!q.done) enter_step(&q);
    return q;
}

/* Advances to the contents of the next slot. */
static void next_rows(queue *q)
{
    q->i = 0;
    if (++q->s == q->p->steps) {
        q->s = 0, q->row += q->tall * SIDE, q->row_at += q->tall * SIDE;
        q->done = q->row >= q->rows;
    }
    enter_step(q);
}

static void next_pairs(queue *q)
{
    q->i = 0, q->row += DEEP, q->row_at += DEEP;
    if (q->row < q->rows) return;
    q->row = 0, q->row_at = q->p->row_at + q->from;
    if (++q->block < q->blocks) return;
    q->block = 0;
    q->done = ++q->s == q->p->steps;
    if (!q->done) enter_step(q);
}

INLINE void some_rows(const char *x, int64_t part, const int32_t *row_at, char *at, int64_t step, int n, const piece *q,
                      int pieces)
{
    for (int i = 0; i < n; i++, at += 64) {
        const char *row = x + row_at[i];
        const __m512i a = through(row, q, pieces), b = through(row + part, q, pieces),
                      c = through(row + 2 * part, q, pieces);
        _mm512_store_si512(at, a);
        _mm512_store_si512(at + step, b);
        _mm512_store_si512(at + 2 * step, c);
    }
}

INLINE void fetch_rows(queue *q, int most)
{
    const int end = q->i + most < q->tall * SIDE ? q->i + most : q->tall * SIDE, n = end - q->i;
    if (q->done || n <= 0) return;
    BY_PIECES(some_rows, q->piece, q->pieces, q->p->split, q->p->part, q->row_at + q->i, q->other + q->i * 64,
              q->tall * TILE, n);
    q->i = end;
}

INLINE void some_pairs(const char *x, int64_t part, const int32_t *row_at, char *at, int n, const piece *q, int pieces)
{
    for (int i = 0; i < n; i++, at += 64) {
        const char *u = x + row_at[i], *v = x + row_at[i + SIDE];
        for (int t = 0; t < PARTS; t++) {
            const __m512i a = through(u + t * part, q, pieces), b = through(v + t * part, q, pieces);
            _mm512_store_si512(at + 2 * t * TILE, _mm512_unpacklo_epi16(a, b));
            _mm512_store_si512(at + (2 * t + 1) * TILE, _mm512_unpackhi_epi16(a, b));
        }
    }
}

INLINE void fetch_pairs(queue *q, int most)
{
    const int end = q->i + most < SIDE ? q->i + most : SIDE, n = end - q->i;
    if (q->done || n <= 0) return;
    BY_PIECES(some_pairs, q->piece, q->pieces, q->p->split, q->p->part, q->row_at + q->i, q->other + q->i * 64, n);
    q->i = end;
}

INLINE void turn_over(queue *q, bool pairs)              /* the slot is full: rotates to the next */
{
    if ((q->slot += q->each) == q->end) q->slot -= SLOTS * q->each;
    if ((q->other += q->each) == q->end) q->other -= SLOTS * q->each;
    if (q->done) return;
    if (pairs) next_pairs(q);
    else next_rows(q);
}

/* A block of C of `steps` times 32 products; ld: floats between its rows. One operand is in the queue's slot: forward
 * the left one, in the weight gradient the right one. AWAKE: without an occasional float addition each store of a tile
 * takes some 200 ns longer (gemm_amx_isa.c). */
#define AWAKE __asm__ volatile("vaddps %0, %0, %0" : "+v"(awake));
#define STEPS(name, fetch, most, pairs, other, begin, body, finish)                                                    \
    static void name(int64_t steps, queue *q, const char *z, float *c, int64_t ld)                                     \
    {                                                                                                                  \
        const int64_t step = ld * (int64_t)sizeof(float);                                                              \
        __m512 awake = _mm512_setzero_ps();                                                                            \
        begin;                                                                                                         \
        for (; steps > 0; steps--, z += PARTS * other * TILE) {                                                        \
            const char *const x = q->slot;                                                                             \
            body(fetch(q, most));                                                                                      \
            conv_amx_steps_prefetch(q->p, &q->prefetch);                                                               \
            AWAKE                                                                                                      \
            turn_over(q, pairs);                                                                                       \
        }                                                                                                              \
        finish;                                                                                                        \
    }
#define ZERO4 ZERO(0); ZERO(1); ZERO(2); ZERO(3)
#define WIDE3 SAVE(0, c, step); SAVE(1, c + SIDE, step); SAVE(2, c + 2 * SIDE, step)
#define TALL4                                                                                                          \
    SAVE(0, c, step); SAVE(1, c + SIDE * ld, step); SAVE(2, c + 2 * SIDE * ld, step); SAVE(3, c + 3 * SIDE * ld, step)
#define BOTH4                                                                                                          \
    SAVE(0, c, step); SAVE(1, c + SIDE, step); SAVE(2, c + SIDE * ld, step); SAVE(3, c + SIDE * ld + SIDE, step)
#define LOAD4                                                                                                          \
    LOAD(0, c, step); LOAD(1, c + SIDE, step); LOAD(2, c + SIDE * ld, step); LOAD(3, c + SIDE * ld + SIDE, step)
/* Six products of parts. Operand `one` stays in tile 4, or in tiles 4 and 5. */
#define SIX(one, many, f)                                                                                              \
    one(0) many(0) f; many(1) many(2) f;                                                                               \
    one(1) many(1) f; many(0)                                                                                          \
    one(2) many(0)
#define X1(p) LOAD(4, x + (p) * TILE, 64);
#define Z3(p)                                                                                                          \
    LOAD(5, z + ((p) * 3) * TILE, 64); DOT(0, 4, 5); LOAD(6, z + ((p) * 3 + 1) * TILE, 64); DOT(1, 4, 6);              \
    LOAD(7, z + ((p) * 3 + 2) * TILE, 64); DOT(2, 4, 7);
#define Z1(p) LOAD(4, z + (p) * TILE, 64);
#define X4(p)                                                                                                          \
    LOAD(5, x + ((p) * 4) * TILE, 64); DOT(0, 5, 4); LOAD(6, x + ((p) * 4 + 1) * TILE, 64); DOT(1, 6, 4);              \
    LOAD(7, x + ((p) * 4 + 2) * TILE, 64); DOT(2, 7, 4); LOAD(5, x + ((p) * 4 + 3) * TILE, 64); DOT(3, 5, 4);
#define X2(p) LOAD(4, x + (p) * 2 * TILE, 64); LOAD(5, x + ((p) * 2 + 1) * TILE, 64);
#define Z2(p)                                                                                                          \
    LOAD(6, z + (p) * 2 * TILE, 64); DOT(0, 4, 6); DOT(2, 5, 6);                                                       \
    LOAD(7, z + ((p) * 2 + 1) * TILE, 64); DOT(1, 4, 7); DOT(3, 5, 7);
#define R2(p)                                           /* weight gradient: R is the left operand */                   \
    LOAD(6, z + (p) * 2 * TILE, 64); DOT(0, 6, 4); DOT(1, 6, 5);                                                       \
    LOAD(7, z + ((p) * 2 + 1) * TILE, 64); DOT(2, 7, 4); DOT(3, 7, 5);
#define R1(p) LOAD(6, z + (p) * TILE, 64); DOT(0, 6, 4); DOT(1, 6, 5);
#define WIDE_BY_3(f) SIX(X1, Z3, f)
#define TALL_BY_4(f) SIX(Z1, X4, f)
#define BOTH_BY_2(f) SIX(X2, Z2, f)
#define BACK_BY_2(f) SIX(X2, R2, f)
#define BACK_BY_1(f) SIX(X2, R1, f)
STEPS(rows_1x3, fetch_rows, 6, false, 3, ZERO4, WIDE_BY_3, WIDE3)
STEPS(rows_2x2, fetch_rows, 11, false, 2, ZERO4, BOTH_BY_2, BOTH4)
STEPS(rows_4x1, fetch_rows, 22, false, 1, ZERO4, TALL_BY_4, TALL4)
STEPS(back_2x2, fetch_pairs, 6, true, 2, LOAD4, BACK_BY_2, BOTH4)
STEPS(back_1x2, fetch_pairs, 6, true, 1, LOAD(0, c, step); LOAD(1, c + SIDE, step), BACK_BY_1,
      SAVE(0, c, step); SAVE(1, c + SIDE, step))
typedef void product(int64_t steps, queue *q, const char *z, float *c, int64_t ld);
static const struct { product *f; int tall; } forwards[4] = {    /* indexed by tiles of columns */
    { NULL, 0 }, { rows_4x1, 4 }, { rows_2x2, 2 }, { rows_1x3, 1 }
};
static product *const backs[3] = { NULL, back_1x2, back_2x2 };

