/* ckpt/format/gguf_blocks.c - the block types of GGUF files: how many elements a block has, and its elements as f32, by
 * the formulas of ggml's reference (docs of GGUF, ggml-quants.c), one rounding for each operation.
 *
 * A row's blocks stand one behind the other; a box of a row reads the blocks that it touches, in parts on several
 * threads. */
#include "../ckpt.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 256, PART = 1 << 16 }; /* elements of a block; bytes that are read at once */

static float half(const uint8_t *p)
{
    const uint32_t h = p[0] | (uint32_t)p[1] << 8, sign = (h & 0x8000) << 16;
    uint32_t e = h >> 10 & 31, m = h & 0x3ff, bits;
    if (e == 31) bits = sign | 0x7f800000 | m << 13;
    else if (e) bits = sign | (e + 112) << 23 | m << 13;
    else if (!m) bits = sign;
    else {
        for (e = 113; !(m & 0x400); e--) m <<= 1; /* a subnormal */
        bits = sign | e << 23 | (m & 0x3ff) << 13;
    }
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void q4_0(const uint8_t *p, float *to)
{
    const float d = half(p);
    for (int i = 0; i < 16; i++) {
        to[i] = d * (float)((p[2 + i] & 15) - 8);
        to[i + 16] = d * (float)((p[2 + i] >> 4) - 8);
    }
}

static void q4_1(const uint8_t *p, float *to)
{
    const float d = half(p), m = half(p + 2);
    for (int i = 0; i < 16; i++) {
        to[i] = d * (float)(p[4 + i] & 15) + m;
        to[i + 16] = d * (float)(p[4 + i] >> 4) + m;
    }
}

static int fifth(const uint8_t *bits, int i) { return (bits[i / 8] >> i % 8 & 1) << 4; }

static void q5_0(const uint8_t *p, float *to)
{
    const float d = half(p);
    for (int i = 0; i < 16; i++) {
        to[i] = d * (float)(((p[6 + i] & 15) | fifth(p + 2, i)) - 16);
        to[i + 16] = d * (float)(((p[6 + i] >> 4) | fifth(p + 2, i + 16)) - 16);
    }
}

static void q5_1(const uint8_t *p, float *to)
{
    const float d = half(p), m = half(p + 2);
    for (int i = 0; i < 16; i++) {
        to[i] = d * (float)((p[8 + i] & 15) | fifth(p + 4, i)) + m;
        to[i + 16] = d * (float)((p[8 + i] >> 4) | fifth(p + 4, i + 16)) + m;
    }
}

static void q8_0(const uint8_t *p, float *to)
{
    const float d = half(p);
    for (int i = 0; i < 32; i++) to[i] = (float)(int8_t)p[2 + i] * d;
}

/* The scale and the minimum, six bits each, of the k-th 32 elements. */
static void scale_of(const uint8_t *s, int k, float *scale, float *least)
{
    const int sc = k < 4 ? s[k] & 63 : (s[k + 4] & 15) | (s[k - 4] >> 6) << 4;
    const int m = k < 4 ? s[k + 4] & 63 : s[k + 4] >> 4 | (s[k] >> 6) << 4;
    *scale = (float)sc, *least = (float)m;
}

static void k_blocks(const uint8_t *s, const uint8_t *high, const uint8_t *low, float d, float dmin, float *to)
{
    for (int k = 0; k < 8; k++) {
        float scale, least;
        scale_of(s, k, &scale, &least);
        scale = d * scale, least = dmin * least;
        for (int i = 0; i < 32; i++) {
            const int four = low[k / 2 * 32 + i] >> 4 * (k & 1) & 15, one = high ? (high[i] >> k & 1) << 4 : 0;
            to[32 * k + i] = scale * (float)(four | one) - least;
        }
    }
}

static void q4_k(const uint8_t *p, float *to) { k_blocks(p + 4, NULL, p + 16, half(p), half(p + 2), to); }
static void q5_k(const uint8_t *p, float *to) { k_blocks(p + 4, p + 16, p + 48, half(p), half(p + 2), to); }

static void q6_k(const uint8_t *p, float *to)
{
    const float d = half(p + 208);
    const int8_t *const scale = (const int8_t *)p + 192;
    for (int i = 0; i < LARGEST; i++) {
        const int part = i / 128, within = i % 128, quarter = within / 32, at = within % 32;
        const int low = p[64 * part + 32 * (quarter & 1) + at] >> 4 * (quarter >> 1) & 15;
        const int high = p[128 + 32 * part + at] >> 2 * quarter & 3;
        to[i] = d * (float)scale[i / 16] * (float)((low | high << 4) - 32);
    }
}

enum { I8 = 24 };
/* By the type's number in the file. bytes 0: it is not read. */
static const ckpt_block blocks[] = {
    [0] = { "F32", TT_F32, 1, 4, NULL },
    [1] = { "F16", TT_F16, 1, 2, NULL },
    [2] = { "Q4_0", TT_F32, 32, 18, q4_0 },
    [3] = { "Q4_1", TT_F32, 32, 20, q4_1 },
    [6] = { "Q5_0", TT_F32, 32, 22, q5_0 },
    [7] = { "Q5_1", TT_F32, 32, 24, q5_1 },
    [8] = { "Q8_0", TT_F32, 32, 34, q8_0 },
    [12] = { "Q4_K", TT_F32, 256, 144, q4_k },
    [13] = { "Q5_K", TT_F32, 256, 176, q5_k },
    [14] = { "Q6_K", TT_F32, 256, 210, q6_k },
    [I8] = { "I8", TT_I8, 1, 1, NULL },
    [25] = { "I16", TT_I16, 1, 2, NULL },
    [26] = { "I32", TT_I32, 1, 4, NULL },
    [27] = { "I64", TT_I64, 1, 8, NULL },
    [28] = { "F64", TT_F64, 1, 8, NULL },
    [30] = { "BF16", TT_BF16, 1, 2, NULL },
    [9] = { .name = "Q8_1" },
    [10] = { .name = "Q2_K" },
    [11] = { .name = "Q3_K" },
    [15] = { .name = "Q8_K" },
    [16] = { .name = "IQ2_XXS" },
    [17] = { .name = "IQ2_XS" },
    [18] = { .name = "IQ3_XXS" },
    [19] = { .name = "IQ1_S" },
    [20] = { .name = "IQ4_NL" },
    [21] = { .name = "IQ3_S" },
    [22] = { .name = "IQ2_S" },
    [23] = { .name = "IQ4_XS" },
    [29] = { .name = "IQ1_M" },
    [34] = { .name = "TQ1_0" },
    [35] = { .name = "TQ2_0" },
    [39] = { .name = "MXFP4" },
    [40] = { .name = "NVFP4" },
    [41] = { .name = "Q1_0" },
};

const ckpt_block *ckpt_block_of(uint32_t type) { return type < sizeof blocks / sizeof *blocks ? &blocks[type] : NULL; }

const ckpt_block *ckpt_bytes_block(void) { return &blocks[I8]; }

/* ---- reading a box ---- */

/* One block as what is asked for: elements, codes or the scale. */
static void unpack(const ckpt_leaf *l, const uint8_t *p, uint8_t *to)
{
    if (l->part == CKPT_SCALES) memcpy(to, p, 2);
    else if (l->part == CKPT_WHOLE) l->block->unpack(p, (float *)(void *)to);
    else if (l->block->bytes == 34) memcpy(to, p + 2, 32);
    else if (l->part == CKPT_BYTES) memcpy(to, p + 2, 16);
    else
        for (int i = 0; i < 32; i++) to[i] = (uint8_t)((p[2 + i % 16] >> 4 * (i / 16) & 15) - 8);
}

/* n complete blocks: a copy of constant length for each of those that are many. */
static void unpack_blocks(const ckpt_leaf *l, const uint8_t *p, int64_t n, uint8_t *to)
{
    const int64_t size = l->block->bytes;
    if (l->part == CKPT_SCALES) for (int64_t i = 0; i < n; i++) memcpy(to + 2 * i, p + i * size, 2);
    else if (l->part == CKPT_CODES && size == 34)
        for (int64_t i = 0; i < n; i++) memcpy(to + 32 * i, p + 34 * i + 2, 32);
    else if (l->part == CKPT_BYTES) for (int64_t i = 0; i < n; i++) memcpy(to + 16 * i, p + 18 * i + 2, 16);
    else {
        const int64_t bytes = l->block->n * (int64_t)ckpt_unit(l->array.dtype);
        for (int64_t i = 0; i < n; i++) unpack(l, p + i * size, to + i * bytes);
    }
}

/* `count` elements of what is asked for, from the first-th on, of a run of blocks: `each` of a block. */
typedef struct { const ckpt *c; const ckpt_leaf *l; int64_t first, count, each, at_once; uint8_t *to; } run;

/* The blocks of part part[0], at_once in each, from the first that is touched on. */
static bool run_part(void *env, const int64_t *part, bool inside, ckpt_err *e)
{
    const run *const r = env;
    const ckpt_leaf *const l = r->l;
    const int64_t size = l->block->bytes, unit = (int64_t)ckpt_unit(l->array.dtype), each = r->each;
    const int64_t last = r->first + r->count, end = (last + each - 1) / each;
    const int64_t k = r->first / each + part[0] * r->at_once;
    const int64_t some = end - k < r->at_once ? end - k : r->at_once;
    float element[LARGEST];
    ckpt_bytes b;
    (void)inside;
    if (!ckpt_alloc(e, &b, (size_t)(some * size))) return false;
    const bool ok = r->c->store[0]->read(r->c->store[0], l->text, l->at + k * size, some * size, b.p, e);
    for (int64_t i = 0; ok && i < some;) {
        const int64_t from = (k + i) * each;
        const int64_t whole = from < r->first ? 0 : (last - from) / each;
        if (whole) {
            const int64_t n = whole < some - i ? whole : some - i;
            unpack_blocks(l, b.p + i * size, n, r->to + (from - r->first) * unit);
            for (int64_t j = 0; l->scales && j < n; j++)
                memcpy(l->scales + 2 * (k + i + j), b.p + (i + j) * size, 2);
            i += n;
            continue;
        }
        const int64_t lo = from < r->first ? r->first - from : 0, hi = from + each > last ? last - from : each;
        if (hi > lo) {
            unpack(l, b.p + i * size, (uint8_t *)(void *)element);
            memcpy(r->to + (from + lo - r->first) * unit, (uint8_t *)(void *)element + lo * unit,
                   (size_t)((hi - lo) * unit));
        }
        i++;
    }
    ckpt_free(&b);
    return ok;
}

static bool read_run(const ckpt *c, const ckpt_leaf *l, int64_t first, int64_t count, uint8_t *to, ckpt_err *e)
{
    run r = { c, l, first, count, .to = to };
    r.each = l->part == CKPT_SCALES ? 1 : l->part == CKPT_BYTES ? l->block->n / 2 : l->block->n;
    r.at_once = PART / l->block->bytes;
    const int64_t blocks = (first + count + r.each - 1) / r.each - first / r.each;
    const int64_t from = 0, last = (blocks - 1) / r.at_once, bytes = blocks * l->block->bytes;
    return !count || ckpt_each_chunk(1, &from, &last, bytes, false, run_part, &r, e);
}

bool ckpt_read_blocks(const ckpt *c, const ckpt_leaf *l, const int64_t *lo, const int64_t *n, void *to, ckpt_err *e)
{
    const int rank = l->array.rank;
    int64_t at[CKPT_RANK] = { 0 }, count = 1, done = 0;
    int whole = rank; /* dims from here on are complete, and so are read in one run */
    if (!l->block->unpack) return ckpt_read_dense(c, l, lo, n, to, e);
    for (int i = 0; i < rank; i++)
        if (!n[i]) return true;
    while (whole > 0 && !lo[whole - 1] && n[whole - 1] == l->array.dim[whole - 1]) count *= n[--whole];
    if (whole > 0) count *= n[whole - 1], whole--;
    for (;;) {
        int64_t first = 0;
        for (int i = 0; i < rank; i++) first = first * l->array.dim[i] + lo[i] + (i < whole ? at[i] : 0);
        if (!read_run(c, l, first, count, (uint8_t *)to + done * (int64_t)ckpt_unit(l->array.dtype), e)) return false;
        done += count;
        int d = whole - 1;
        while (d >= 0 && ++at[d] == n[d]) at[d--] = 0;
        if (d < 0) return true;
    }
}
