/* gen/conv/conv_amx_split.h - part of conv_amx_isa.c: splits images of lhs into lines of three bf16, and fills the
 * tables by which the lines are read through the window. */

/* ---- splitting ---- */

/* Returns the bf16 nearest to u, as an f32's bits, and leaves the remainder in u. */
INLINE __m512i conv_amx_split_part_of(__m512 *u)
{
    const __m512i half = _mm512_set1_epi32(0x8000), top = _mm512_set1_epi32((int)0xffff0000u);
    const __m512i a = _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(*u), half), top);
    *u = _mm512_sub_ps(*u, _mm512_castsi512_ps(a));
    return a;
}

/* Stores pairs (u, v) as three lines of bf16, `part` bytes apart. */
INLINE void store_pairs(char *to, int64_t part, __m512 u, __m512 v)
{
    for (int p = 0; p < PARTS; p++) {
        const __m512i a = conv_amx_split_part_of(&u), b = conv_amx_split_part_of(&v);
        _mm512_storeu_si512(to + p * part, _mm512_or_si512(_mm512_srli_epi32(a, 16), b));
    }
}

/* Stores n elements of lhs, times a power of two, as lines of bf16. */
static void split_run(const float *x, int64_t n, float scale, char *to, int64_t part)
{
    const __m512 s = _mm512_set1_ps(scale);
    const __m512i high = _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27,
                                          25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    for (int64_t i = 0; i < n; i += DEEP) {
        __m512 u = _mm512_mul_ps(_mm512_maskz_loadu_ps(amx_first(n - i), x + i), s);
        __m512 v = _mm512_mul_ps(_mm512_maskz_loadu_ps(amx_first(n - i - SIDE), x + i + SIDE), s);
        const __mmask32 m = n - i >= DEEP ? 0xffffffffu : (1u << (n - i)) - 1;
        for (int p = 0; p < PARTS; p++) {
            const __m512i a = conv_amx_split_part_of(&u), b = conv_amx_split_part_of(&v);
            _mm512_mask_storeu_epi16(to + p * part + i * 2, m, _mm512_permutex2var_epi16(a, high, b));
        }
    }
}

static __m512i largest_run(__m512i most, const float *x, int64_t n)
{
    int64_t i = 0;
    for (; i + SIDE <= n; i += SIDE) most = size_of(most, _mm512_loadu_ps(x + i));
    return i < n ? size_of(most, _mm512_maskz_loadu_ps(amx_first(n - i), x + i)) : most;
}

/* Iterates over the contiguous runs of an image of lhs that the window reads. `to`: the offset of a run's first element
 * in the split image. */
typedef struct {
    const plan *p; const float *x;
    int64_t at[CONV_SPATIAL], lo[CONV_SPATIAL], hi[CONV_SPATIAL], n; int dims;
} runs;

static bool runs_from(runs *r, const plan *p, int64_t image)
{
    const conv_im2col *c = &p->c;
    const conv_dim *last = &c->d[c->n - 1];
    *r = (runs){ .p = p, .x = c->x + image * c->image_x, .n = c->features, .dims = c->n };
    for (int d = 0; d < c->n; d++) {
        r->lo[d] = r->at[d] = p->lo[d] > 0 ? p->lo[d] : 0;
        r->hi[d] = p->lo[d] + p->ext[d] < c->d[d].size ? p->lo[d] + p->ext[d] : c->d[d].size;
        if (r->lo[d] >= r->hi[d]) return false;
    }
    if (last->x == c->features || r->hi[c->n - 1] - r->lo[c->n - 1] == 1)
        r->dims--, r->n *= r->hi[c->n - 1] - r->lo[c->n - 1];
    return r->n > 0;
}

static const float *run_here(const runs *r, int64_t *to)
{
    const float *x = r->x;
    *to = 0;
    for (int d = 0; d < r->p->c.n; d++)
        x += r->at[d] * r->p->c.d[d].x, *to += (r->at[d] - r->p->lo[d]) * r->p->pitch[d];
    return x;
}

static bool run_next(runs *r)
{
    for (int d = r->dims - 1; d >= 0; d--) {
        if (++r->at[d] < r->hi[d]) return true;
        r->at[d] = r->lo[d];
    }
    return false;
}

static uint32_t largest_of(const plan *p, int64_t image)
{
    runs r;
    int64_t to;
    __m512i most = _mm512_setzero_si512();
    if (runs_from(&r, p, image)) do most = largest_run(most, run_here(&r, &to), r.n); while (run_next(&r));
    return _mm512_reduce_max_epu32(most);
}

static void split_image(const plan *p, int64_t image, int64_t at, float scale)
{
    runs r;
    int64_t to;
    if (!runs_from(&r, p, image)) return;
    do {
        const float *x = run_here(&r, &to);
        split_run(x, r.n, scale, p->split + (at * p->image + to) * 2, p->part);
    } while (run_next(&r));
}

enum { FINITE = 0x7f800000 };
static int power_of(uint32_t most)                       /* e such that 2^e times `most` is about 2^TOP */
{
    const int e = TOP + 127 - (int)(most >> 23);
    return e > 126 ? 126 : e < -126 ? -126 : e;
}
static float two_to(int e)
{
    const uint32_t u = (uint32_t)(e + 127) << 23;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* ---- tables ---- */

static void tables(const plan *p)
{
    const conv_im2col *c = &p->c;
    int64_t i[CONV_SPATIAL] = { 0 };
    for (int64_t r = 0; r < p->rows; r++) {
        int64_t at = 0, to = 0;
        for (int d = 0; d < c->n; d++)
            at += (c->d[d].from + i[d] * c->d[d].rs - p->lo[d]) * p->pitch[d], to += i[d] * c->d[d].row_to;
        for (int64_t g = 0; g < p->group; g++) {
            p->row_at[g * p->rows + r] = (int32_t)(2 * (g * p->image + at));
            p->row_to[g * p->rows + r] = g * c->image_to + to;
        }
        for (int d = c->n - 1; d >= 0 && ++i[d] == c->d[d].rows; d--) i[d] = 0;
    }
    for (int64_t r = 0, all = p->group * p->rows; all && r < COLUMNS; r++) p->row_at[all + r] = p->row_at[all - 1];
    int64_t t[CONV_SPATIAL] = { 0 }, before = -2;
    int32_t n = 0;
    for (int64_t k = 0; k < p->k; k += c->features) {
        int64_t at = 0, to = 0;
        for (int d = 0; d < c->n; d++) at += t[d] * c->d[d].ts * p->pitch[d], to += t[d] * c->d[d].tap_to;
        for (int64_t f = 0; f < c->features; f++, at++) {
            const int lane = (int)((k + f) % DEEP);
            if (!lane) p->first[(k + f) / DEEP] = n;
            if (!lane || at != before + 1) p->piece[n++] = (piece){ (int32_t)(2 * (at - lane)), 0 };
            p->piece[n - 1].mask |= 1u << lane;
            p->k_to[k + f] = to + f * c->feature_to;
            before = at;
        }
        for (int d = c->n - 1; d >= 0 && ++t[d] == c->d[d].taps; d--) t[d] = 0;
    }
    p->first[p->steps] = n;
}

