/* gen/data/random.c - the kernel of random_bits: any box, any number of workers, the words that the primitive defines.
 *
 * - Layout partitionable: the box is walked as one line of elements; each run of consecutive indices is one loop.
 * - Layout original: a box that is the full result, dense, is computed pair by pair, so that both words of a block are
 *   used; the memory of narrow elements is the memory of the words (low bits first, on a little-endian machine). Other
 *   boxes of that layout, and draws of more than 2^32 - 1 words, are computed element by element. */
#include "random.h"
#include "../../op/ops.h"

#include "../gen.h"

#include <string.h>

typedef op_random_bits_attr bits;
typedef struct { const bits *a; int batch; uint64_t n; const gen_random_ops *ops; } random;
enum { PART = 1 << 14, STAGE = 1024 };                   /* elements of a part: some 30 microseconds */

static op_pair key_at(const ir_box *x, const int64_t *batch)
{
    int64_t i[IR_RANK], at = 0;
    const int last = x->rank - 1;
    memcpy(i, batch, (size_t)last * sizeof *i);
    for (int d = 0; d < last; d++) at += (i[d] - x->lo[d]) * x->step[d];
    const uint32_t *const k = (const uint32_t *)x->at + at - x->lo[last] * x->step[last];
    return (op_pair){ k[0], k[x->step[last]] };
}

static bool random_is_full(const random *r, const ir_box *y) /* True if draw_pairs can compute y */
{
    int64_t below = 1;
    const bool little = *(const uint8_t *)&(const uint16_t){ 1 } == 1;
    for (int d = y->rank - 1; d >= 0; d--) {
        if (y->step[d] != below && y->n[d] > 1) return false;
        if (d >= r->batch && y->n[d] != r->a->shape.v[d - r->batch]) return false;
        below *= y->n[d];
    }
    return little && r->n && r->n < ((uint64_t)UINT32_MAX * 32) / (uint64_t)r->a->bit_width;
}

/* ---- original, full ---- */

static uint64_t words_of(const random *r) { return (r->n * (uint64_t)r->a->bit_width + 31) / 32; }

/* Writes pairs [p, p + n) of one draw at `out`: words p.. and p+m.. ; the last word may be shorter than 32 bits. */
static void draw_pairs(const random *r, op_pair key, char *out, uint64_t p, int64_t n)
{
    const uint64_t w = words_of(r), m = (w + 1) / 2, bytes = r->n * (uint64_t)r->a->bit_width / 8;
    uint32_t a[STAGE], b[STAGE];
    if (r->a->bit_width == 64) {
        r->ops->wide(key, (uint32_t)p, (uint32_t)(p + r->n), n, (uint64_t *)(void *)out + p);
        return;
    }
    for (int64_t done = 0, k; done < n; done += k) {
        const uint64_t q = p + (uint64_t)done;
        k = n - done < STAGE ? n - done : STAGE;
        r->ops->pairs(key, (uint32_t)q, (uint32_t)(q + m), k, a, b);
        if (q + (uint64_t)k + m > w) {                   /* an odd number of words: the last counter has no partner */
            const op_pair odd = op_threefry(key, (uint32_t)(m - 1), 0);
            a[k - 1] = odd.a;
        }
        const uint64_t low = 4 * q, high = 4 * (q + m), size = 4 * (uint64_t)k;
        memcpy(out + low, a, low + size <= bytes ? size : bytes - low);
        if (high < bytes) memcpy(out + high, b, high + size <= bytes ? size : bytes - high);
    }
}

static void original_full(const random *r, const ir_box *x, const ir_box *y, int64_t first, int64_t count)
{
    const int64_t m = (int64_t)((words_of(r) + 1) / 2), bytes = (int64_t)r->n * r->a->bit_width / 8;
    const int64_t parts = (m + PART - 1) / PART;         /* of one draw */
    for (int64_t t = first; t < first + count; t++) {
        int64_t draw = t / parts, rest = draw, p = t % parts * PART, i[IR_RANK];
        for (int d = r->batch - 1; d >= 0; d--) i[d] = y->lo[d] + rest % y->n[d], rest /= y->n[d];
        draw_pairs(r, key_at(x, i), (char *)y->at + draw * bytes, (uint64_t)p, m - p < PART ? m - p : PART);
    }
}

/* ---- any box ---- */

/* Writes elements [p, p + n) of the box in row-major order, run by run along the last dim. */
static void draw_box(const random *r, const ir_box *x, const ir_box *y, int64_t p, int64_t n)
{
    const int last = y->rank - 1;
    const size_t size = (size_t)r->a->bit_width / 8;
    uint64_t stage[STAGE];
    while (n > 0) {
        int64_t i[IR_RANK], rest = p, at = 0, run = 1;
        uint64_t index = 0;
        for (int d = last; d >= 0; d--) i[d] = rest % y->n[d], rest /= y->n[d], at += i[d] * y->step[d];
        for (int d = 0; d <= last; d++) {
            i[d] += y->lo[d];
            if (d >= r->batch) index = index * (uint64_t)r->a->shape.v[d - r->batch] + (uint64_t)i[d];
        }
        if (last >= r->batch) run = y->lo[last] + y->n[last] - i[last];
        run = run < n ? run : n, run = run < STAGE ? run : STAGE;
        const op_pair key = key_at(x, i);
        char *const to = (char *)y->at + at * (int64_t)size;
        const bool dense = last < 0 || y->step[last] == 1;
        char *const out = dense ? to : (char *)stage;
        if (r->a->layout == OP_BITS_PARTITIONABLE) r->ops->map(key, index, run, r->a->bit_width, out);
        else for (int64_t k = 0; k < run; k++) {
            const uint64_t v = op_random_element(r->a, key, index + (uint64_t)k, r->n);
            const uint32_t v4 = (uint32_t)v; const uint16_t v2 = (uint16_t)v; const uint8_t v1 = (uint8_t)v;
            memcpy(out + k * (int64_t)size, size == 8 ? (const void *)&v : size == 4 ? (const void *)&v4 :
                   size == 2 ? (const void *)&v2 : (const void *)&v1, size);
        }
        for (int64_t k = 0; !dense && k < run; k++)
            memcpy(to + k * y->step[last] * (int64_t)size, out + k * (int64_t)size, size);
        p += run, n -= run;
    }
}

/* ---- the engine ---- */

static int64_t random_parts(const void *self, const ir_box *arg)
{
    const random *r = self;
    const ir_box *y = &arg[1];
    int64_t draws = 1;
    for (int d = 0; d < r->batch; d++) draws *= y->n[d];
    if (r->a->layout == OP_BITS_ORIGINAL && random_is_full(r, y)) {
        const int64_t m = (int64_t)((words_of(r) + 1) / 2);
        return draws > 0 ? draws * ((m + PART - 1) / PART) : 1;
    }
    const int64_t parts = (ir_box_count(y) + PART - 1) / PART;
    return parts > 0 ? parts : 1;
}

static void random_job(const void *self, const run_job *job)
{
    const random *r = self;
    const ir_box *x = &job->arg[0], *y = &job->arg[1];
    if (!ir_box_count(y)) return;
    if (r->a->layout == OP_BITS_ORIGINAL && random_is_full(r, y)) { original_full(r, x, y, job->first, job->count);
    return; }
    const int64_t total = ir_box_count(y), p = job->first * PART, end = p + job->count * PART;
    draw_box(r, x, y, p, (end < total ? end : total) - p);
}

static const char *random_refuses(const gen_group *g)
{
    return g->neqn != 1 || g->eqn[0]->op != &prim_random_bits ? "not random_bits" : NULL;
}

static bool random_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn *e = g->eqn[0];
    random *r = BASE_NEW(a, random, 1);
    *r = (random){ IR_ATTR(e, bits), IR_IN(e, 0)->rank - 1, 1, GEN_ISA_PICK(gen_random_loops) };
    for (int d = 0; d < r->a->shape.n; d++) r->n *= (uint64_t)r->a->shape.v[d];
    *k = (run_kernel){ .code = random_job, .self = r, .tiles = random_parts, .name = base_intern("random_bits"),
                       .site = e->site };
    return true;
}

const gen_engine gen_random = { sizeof(gen_engine), "random", random_refuses, random_make };
