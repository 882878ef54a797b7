/* gen/conv/conv_amx_lines.h - part of conv_amx_isa.c, forward without strides, features a multiple of 32: the unit
 * loads the split image directly.
 *
 * Rows are all places of a split image, its padding included: any 16 of them then have one constant stride for every
 * tap, a tile is loaded from the split image, and no vector reads through the window. Places that are no rows of R are
 * computed but not stored: for 14 x 14 places an eighth more are computed, in 0.7 of the time each. */

/* Table: the offset in R of the row at each place of an image, or -1. */
static void line_table(const plan *p)
{
    for (int64_t q = 0; q < p->span; q++) {
        int64_t left = q * p->c.features, to = 0;
        bool row = true;
        for (int d = 0; d < p->c.n; d++) {
            row &= left / p->pitch[d] < p->c.d[d].rows;
            to += left / p->pitch[d] * p->c.d[d].row_to, left %= p->pitch[d];
        }
        p->line_to[q] = row ? to : -1;
    }
}

#define L2(p)                                                                                                          \
    LOAD(4, at + (p) * part, line); LOAD(5, at + SIDE * line + (p) * part, line);
/* 32 places from x on, by 32 columns. */
static void line_block(const plan *p, const char *x, const char *z, float *c, ahead *next)
{
    const int64_t part = p->part, line = p->c.features * 2, step = COLUMNS * (int64_t)sizeof(float);
    __m512 awake = _mm512_setzero_ps();
    ZERO4;
    for (int64_t s = 0; s < p->steps; s++, z += PARTS * 2 * TILE) {
        const char *const at = x + p->piece[s].at;
        SIX(L2, Z2, conv_amx_steps_prefetch(p, next));
        AWAKE
    }
    SAVE(0, c, step); SAVE(1, c + SIDE, step); SAVE(2, c + SIDE * COLUMNS, step);
    SAVE(3, c + SIDE * COLUMNS + SIDE, step);
}

/* Stores columns [col, col + n) of places [q, q + 32) of image g + i, image i of its group. */
static void store_lines(const plan *p, const float *block, int64_t g, int64_t i, int64_t q, int64_t col, int64_t n,
                        int power)
{
    const int e = -power - p->power[i], half = e / 2;
    const __m512 s = _mm512_set1_ps(two_to(half)), t = _mm512_set1_ps(two_to(e - half));
    float *const r = p->c.r + (g + i) * p->c.image_to + col;
    for (const int64_t *to = p->line_to + q; to < p->line_to + q + WIDE; to++, block += COLUMNS)
        if (*to >= 0) store_run(block, r + *to, n, s, t);
}

/* The counterpart of forward_rows. */
static void forward_lines(const plan *p, int64_t g, int64_t images, int64_t col, int64_t j, int64_t n, int64_t nc,
                          int power)
{
    const char *const t = p->b + j * p->steps * DEEP * PARTS * 2;
    ahead next = images_behind(p, g, images, j, j + n, nc, images * p->span / WIDE * p->steps * 3);
    float *block = p->c_tmp, *before = p->c_tmp + COLUMNS * COLUMNS;
    const int64_t each = p->span / WIDE, all = images * each;
    for (int64_t b = 0; b <= all; b++) {                 /* stores the last block while the unit works on the next */
        if (b < all) {
            const char *x = p->split + b / each * p->image * 2 + b % each * WIDE * p->c.features * 2;
            next.r = p->c.r + (g + b / each) * p->c.image_to, next.col = col + j, next.n = n;
            next.to = p->line_to + b % each * WIDE, next.to_end = next.to + WIDE;
            next.rows = (int)((WIDE + 3 * p->steps - 1) / (3 * p->steps));
            line_block(p, x, t, block, &next);
        }
        if (b) store_lines(p, before, g, (b - 1) / each, (b - 1) % each * WIDE, col + j, n, power);
        float *const other = block;
        block = before, before = other;
    }
}
