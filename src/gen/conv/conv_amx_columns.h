/* gen/conv/conv_amx_columns.h - part of conv_amx_isa.c, forward: packs columns of T for the unit, and stores columns of
 * R. Columns may be of several phases (conv_part). */

/* ---- tables ---- */

/* True if phase f has the tap (or the row) at index i. */
static bool part_has(const plan *p, const conv_part *f, const int64_t *i, bool tap)
{
    for (int d = 0; d < p->c.n; d++) {
        if (!tap && i[d] >= f->rows[d]) return false;
        const int64_t u = p->turned[d] ? p->c.d[d].taps - 1 - i[d] : i[d];
        if (tap && (u < f->tap[d] || u >= f->tap[d] + f->taps[d])) return false;
    }
    return true;
}

static uint16_t parts_at(const plan *p, const int64_t *i, bool tap)
{
    uint16_t all = 0;
    for (int f = 0; f < p->c.parts; f++) if (part_has(p, &p->c.part[f], i, tap)) all |= (uint16_t)(1u << f);
    return p->c.parts ? all : 1;
}

/* Fills the tables of column tiles: the place in T of a tile's first column and of the other columns; the columns that
 * exist at a tap; the runs of adjacent columns in R; the phases that have a row. */
static void column_tables(plan *p)
{
    const conv_im2col *c = &p->c;
    const int parts = c->parts ? c->parts : 1;
    const int64_t each = c->cols / parts;
    int64_t i[CONV_SPATIAL] = { 0 };
    for (int64_t j = 0; j < p->tiles * SIDE; j++) {
        const int64_t f = j < c->cols ? j / each : parts - 1;
        const int64_t to = (c->parts ? c->part[f].t : 0) + (j - f * each) * c->tap_col;
        if (j % SIDE == 0) p->tile_to[j / SIDE] = to;
        p->col_to[j] = (int32_t)(to - p->tile_to[j / SIDE]);
    }
    for (int64_t t = 0; t < p->taps; t++) {
        const uint16_t here = parts_at(p, i, true);
        memset(p->has + t * p->tiles, 0, (size_t)p->tiles * sizeof *p->has);
        for (int64_t j = 0; j < c->cols; j++)
            p->has[t * p->tiles + j / SIDE] |= (uint16_t)((here >> j / each & 1) << j % SIDE);
        for (int d = c->n - 1; d >= 0 && ++i[d] == c->d[d].taps; d--) i[d] = 0;
    }
    memset(i, 0, sizeof i);
    for (int64_t r = 0; r < p->rows; r++) {
        p->row_of[r] = parts_at(p, i, false);
        for (int d = c->n - 1; d >= 0 && ++i[d] == c->d[d].rows; d--) i[d] = 0;
    }
    for (int f = 0; f < parts; f++) {
        const int64_t to = c->parts ? c->part[f].r : 0;
        run *const last = p->runs ? &p->run[p->runs - 1] : NULL;
        const bool same = last && !memcmp(c->part[f].rows, c->part[f - 1].rows, sizeof c->part[f].rows);
        if (same && to == last->to + last->n) last->n += each;
        else p->run[p->runs++] = (run){ f * each, each, to, (uint32_t)f };
    }
}

/* ---- T ---- */

/* Row k (a tap and feature; `tap` is k's tap) of column tile t; zeros where a phase lacks the tap. */
INLINE __m512 columns_of(const plan *p, int64_t k, int64_t tap, int64_t t)
{
    const __mmask16 m = p->has[tap * p->tiles + t];
    const float *x = p->c.t + p->k_to[k] + p->tile_to[t];
    if (p->c.tap_col == 1 && !p->c.parts) return _mm512_maskz_loadu_ps(m, x);
    const __m512i at = _mm512_loadu_si512(p->col_to + t * SIDE);
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, at, x, sizeof(float));
}

/* The number of columns computed at once, with `left` columns to go: blocks of 32 by 32 load less than blocks of 16 by
 * 64; a remainder of three tiles is not split. */
static int64_t columns_at(int64_t left)
{
    return left > 2 * SIDE && left <= 3 * SIDE ? left : left < 2 * SIDE ? left : 2 * SIDE;
}

/* Packs columns [col, col + n) of T. */
static void pack_t(const plan *p, int64_t col, int64_t n, float scale)
{
    const __m512 s = _mm512_set1_ps(scale);
    char *to = p->b;
    for (int64_t j = 0, w; j < n; j += w) {
        w = columns_at(n - j);
        const int64_t tiles = (w + SIDE - 1) / SIDE;
        for (int64_t i = 0; i < p->steps * SIDE; i++) {
            char *q = to + i / SIDE * STEP * tiles + i % SIDE * 64;
            const int64_t tap[2] = { 2 * i / p->c.features, (2 * i + 1) / p->c.features };
            for (int64_t t = 0; t < tiles; t++) {
                __m512 u[2];
                for (int h = 0; h < 2; h++) {
                    u[h] = _mm512_setzero_ps();
                    if (2 * i + h < p->k) u[h] = columns_of(p, 2 * i + h, tap[h], (col + j) / SIDE + t);
                    u[h] = _mm512_mul_ps(u[h], s);
                }
                store_pairs(q + t * TILE, tiles * TILE, u[0], u[1]);
            }
        }
        to += p->steps * STEP * tiles;
    }
}

static uint32_t largest_t(const plan *p)
{
    __m512i most = _mm512_setzero_si512();
    for (int64_t k = 0; k < p->k; k++)
        for (int64_t t = 0; t < p->tiles; t++) most = size_of(most, columns_of(p, k, k / p->c.features, t));
    return _mm512_reduce_max_epu32(most);
}

/* ---- R ---- */

INLINE void store_run(const float *x, float *to, int64_t n, __m512 s, __m512 t)
{
    for (int64_t j = 0; j < n; j += SIDE)
        _mm512_mask_storeu_ps(to + j, amx_first(n - j), _mm512_mul_ps(_mm512_mul_ps(_mm512_loadu_ps(x + j), s), t));
}

/* Stores rows of the panel's products to R: from image g0 on, columns [col, col + n). */
static void store_rows(const plan *p, const float *block, int64_t g0, int64_t row, int64_t rows, int64_t col,
                       int64_t n, int power)
{
    float *const r = p->c.r + g0 * p->c.image_to;
    int64_t image = row / p->rows, own = row % p->rows;
    __m512 s = _mm512_setzero_ps(), t = s;
    for (int64_t i = 0, left = 0; i < rows; i++, left--, own++) {
        if (!left) {
            if (own == p->rows) own = 0, image++;
            const int e = -power - p->power[image], half = e / 2;       /* 2^e may be out of a float's range */
            s = _mm512_set1_ps(two_to(half)), t = _mm512_set1_ps(two_to(e - half));
            left = p->rows - own;
        }
        float *const to = r + p->row_to[row + i];
        for (const run *q = p->run; q < p->run + p->runs; q++) {
            const int64_t lo = q->from > col ? q->from : col, end = q->from + q->n < col + n ? q->from + q->n : col + n;
            if (lo < end && p->row_of[own] >> q->part & 1)
                store_run(block + i * COLUMNS + lo - col, to + q->to + lo - q->from, end - lo, s, t);
        }
    }
}
