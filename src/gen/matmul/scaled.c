/* gen/matmul/scaled.c - scaled_dot on boxes: products with packed weights that are never widened as a whole.
 *
 * - Few rows, summed over columns: codes are widened in registers and multiplied there (scaled_isa.c), so the product
 *   costs reading the packed bytes once. x is read in place if it is f32, else converted once per task.
 * - All others: gemm.c, whose panels of weights are widened while they are packed; the bits are those of dot_general
 *   on widened weights.
 * Which of the two depends on the equation's types alone. Tasks are ranges of the result's columns. Weights are codes
 * and scales, or a file's blocks of both, read where the file is mapped. */
#include "scaled.h"
#include "../../op/op.h"
#include "../../op/ops.h"
#include "../../op/prog/scalar.h"

#include <string.h>

GEN_ISA_DECLARE(const scaled_isa, scaled_kernels);

/* GRAIN, FEW_GRAIN: products that a task should have. SLICE: columns that are widened before they are packed. LONG:
 * most columns that are one chain per place of a block. */
enum { GRAIN = 1 << 20, FEW_GRAIN = 1 << 18, TASKS = 64, SLICE = 128, WIDEST = 128, LONG = 1 << 16 };
/* LARGEST: bytes of a block. OUT: with blocks, which have no scales beside them, the result takes the place SCALES. */
enum { X, CODES, SCALES, OUT, HALF = SCALED_BLOCK / 2, LARGEST = 2 + SCALED_BLOCK };

/* size: columns that have a common scale. bytes: of codes of 32 columns, of blocks with the scale. */
typedef struct { const ir_eqn *e; bool over, few, tree, blocks; int64_t size, bytes; scaled_kind kind; } scaled;

/* A box. k0, n0: the first column (over: row) that is summed over, and the first row (over: column) that the result
 * has. lead: x's dims before the last; step of x and of the result, in elements; at: the first element of both. */
typedef struct {
    const scaled *d; const scaled_isa *loops;
    gemm g; int64_t k0, n0; ir_box codes, scales;
    int rank; int64_t lead[IR_RANK], step[2][IR_RANK], last[2]; const char *at[2]; tt_dtype dtype[2]; int64_t bytes[2];
} product;

/* ---- places ---- */

static const char *row_of(const product *p, int t, int64_t row)
{
    const char *q = p->at[t];
    for (int d = p->rank - 1; d >= 0; row /= p->lead[d], d--) q += row % p->lead[d] * p->step[t][d] * p->bytes[t];
    return q;
}

static const uint8_t *code_at(const product *p, int64_t row, int64_t byte)
{
    return (const uint8_t *)p->codes.at + (row - p->codes.lo[0]) * p->codes.step[0] +
           (byte - p->codes.lo[1]) * p->codes.step[1];
}

static const char *scale_at(const product *p, int64_t row, int64_t group)
{
    return (const char *)p->scales.at + ((row - p->scales.lo[0]) * p->scales.step[0] +
                                         (group - p->scales.lo[1]) * p->scales.step[1]) *
                                            (int64_t)ir_dtype_of(p->scales.dtype)->bytes;
}

static float scale_of(const product *p, int64_t row, int64_t group)
{
    const char *const at = scale_at(p, row, group);
    uint16_t half;
    float f;
    if (p->scales.dtype == TT_F32) return memcpy(&f, at, sizeof f), f;
    memcpy(&half, at, sizeof half);
    return p->scales.dtype == TT_BF16 ? s_f32_of_bf16(half) : s_f32_of_f16(half);
}

/* Byte i of a block of 32 columns from `col` on, codes or blocks. */
static const uint8_t *block_at(const product *p, int64_t row, int64_t col, int64_t i)
{
    const int64_t block = col / SCALED_BLOCK;
    return p->d->blocks ? code_at(p, row, block) + i * p->codes.step[2] : code_at(p, row, block * p->d->bytes + i);
}

/* True if the bytes of a row are adjacent. */
static bool is_dense(const product *p)
{
    return p->d->blocks ? p->codes.step[2] == 1 && p->codes.step[1] == p->d->bytes : p->codes.step[1] == 1;
}

/* ---- weights as f32 ---- */

/* One block, whose bytes may be apart. */
static void widen_block(const product *p, int64_t row, int64_t col, float *to)
{
    uint8_t code[LARGEST];
    for (int64_t i = 0; i < p->d->bytes; i++) code[i] = *block_at(p, row, col, i);
    const float s = p->d->blocks ? 0 : scale_of(p, row, col / p->d->size);
    p->loops->widen[p->d->kind](to, code, &s, 1);
}

/* n scales beside one another. */
static void scales_as_f32(const product *p, float *to, const char *from, int64_t n)
{
    if (p->scales.dtype == TT_F16) p->loops->halves(to, (const uint16_t *)(const void *)from, n);
    else p->g.isa->from_lanes[GEMM_F32](to, (int)n, p->scales.dtype, from, 1, 1, (int)n, 1);
}

/* The scales of n blocks of a row, one each, from the block at column col on. */
static void scales_of_blocks(const product *p, int64_t row, int64_t col, int64_t n, float *to)
{
    const int64_t per = p->d->size / SCALED_BLOCK, first = col / SCALED_BLOCK;
    if (per == 1 && p->scales.step[1] == 1) {
        scales_as_f32(p, to, scale_at(p, row, first), n);
        return;
    }
    for (int64_t b = 0; b < n;) {
        const float s = scale_of(p, row, (first + b) / per);
        for (int64_t end = ((first + b) / per + 1) * per - first; b < n && b < end; b++) to[b] = s;
    }
}

/* Weights [row, col .. col + n), n at most SLICE. */
static void widen(const product *p, int64_t row, int64_t col, int64_t n, float *to)
{
    const int64_t size = p->d->size;
    const bool dense = is_dense(p), blocks = size % SCALED_BLOCK == 0;
    for (int64_t now; n > 0; n -= now, col += now, to += now) {
        const int64_t off = col % SCALED_BLOCK;
        if (!blocks) {                                   /* groups that blocks do not fill: i8 */
            const int64_t left = size - col % size;
            const float s = scale_of(p, row, col / size);
            now = left < n ? left : n;
            for (int64_t i = 0; i < now; i++) to[i] = s * (float)(int8_t)*code_at(p, row, col + i);
        } else if (!off && n >= SCALED_BLOCK && dense) {
            float s[SLICE / SCALED_BLOCK] = { 0 };
            now = n - n % SCALED_BLOCK;
            if (!p->d->blocks) scales_of_blocks(p, row, col, now / SCALED_BLOCK, s);
            p->loops->widen[p->d->kind](to, block_at(p, row, col, 0), s, now / SCALED_BLOCK);
        } else {
            float block[SCALED_BLOCK];
            now = n < SCALED_BLOCK - off ? n : SCALED_BLOCK - off;
            widen_block(p, row, col - off, block);
            memcpy(to, block + off, (size_t)now * sizeof *to);
        }
    }
}

static void scaled_pack_a(const gemm *g, void *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const product *p = g->env;
    const void *from[WIDEST];
    for (int i = 0; i < width; i++) from[i] = row_of(p, 0, row + i) + k * p->last[0] * p->bytes[0];
    g->isa->from_rows[GEMM_F32](dst, width, p->dtype[0], from, p->last[0], nk);
}

static void scaled_pack_b(const gemm *g, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk)
{
    const product *p = g->env;
    float *to = dst;
    if (p->d->over) {                                    /* rows of weights are rows of the panel */
        for (int64_t i = 0; i < nk; i++, to += width) {
            widen(p, p->k0 + k + i, p->n0 + col, cols, to);
            memset(to + cols, 0, (size_t)(width - cols) * sizeof *to);
        }
        return;
    }
    float part[WIDEST][SLICE];
    const void *row[WIDEST];
    for (int j = 0; j < width; j++) row[j] = j < cols ? part[j] : NULL;
    for (int64_t i = 0, n; i < nk; i += n, to += n * width) {
        n = SLICE - (p->k0 + k + i) % SLICE;
        n = n < nk - i ? n : nk - i;
        const int64_t later = width * p->codes.step[0];
        for (int j = 0; j < cols; j++) {
            __builtin_prefetch(block_at(p, p->n0 + col + j, p->k0 + k + i, 0) + later);  /* of the next panel */
            widen(p, p->n0 + col + j, p->k0 + k + i, n, part[j]);
        }
        g->isa->from_rows[GEMM_F32](to, width, TT_F32, row, 1, n);
    }
}

static void scaled_store(const gemm *g, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld)
{
    const product *p = g->env;
    for (int i = 0; i < rows; i++) {
        char *const to = (char *)(uintptr_t)row_of(p, 1, row + i) + col * p->last[1] * p->bytes[1];
        g->isa->narrow[GEMM_F32](to, p->dtype[1], p->last[1], (const float *)tile + i * ld, cols);
    }
}

/* ---- a box ---- */

static void scaled_measure(const scaled *d, const ir_box *arg, product *p)
{
    const ir_box *x = &arg[X], *c = &arg[CODES], *y = &arg[d->blocks ? SCALES : OUT];
    const int last = x->rank - 1;
    const int64_t each = d->over ? 1 : d->blocks ? SCALED_BLOCK : d->kind == SCALED_U4 ? 2 : 1;
    const int64_t lo = c->lo[!d->over] * each;
    const int64_t from = lo > x->lo[last] ? lo : x->lo[last], xe = x->lo[last] + x->n[last],
                  ce = lo + c->n[!d->over] * each, to = xe < ce ? xe : ce;
    *p = (product){ .d = d, .loops = GEN_ISA_PICK(scaled_kernels), .k0 = from, .n0 = y->lo[last], .codes = *c,
                    .rank = last, .last = { x->step[last], y->step[last] }, .dtype = { x->dtype, y->dtype } };
    if (!d->blocks) p->scales = arg[SCALES];
    int64_t rows = 1, at = (from - x->lo[last]) * x->step[last];
    bool one = true;                                     /* the result's rows have a common stride */
    for (int i = 0; i < last; i++) {
        p->lead[i] = y->n[i], p->step[0][i] = x->step[i], p->step[1][i] = y->step[i];
        at += (y->lo[i] - x->lo[i]) * x->step[i];
        one = one && (!i || y->step[i - 1] == y->step[i] * y->n[i]);
        rows *= y->n[i];
    }
    for (int t = 0; t < 2; t++) p->bytes[t] = (int64_t)ir_dtype_of(p->dtype[t])->bytes;
    p->at[0] = x->at ? (const char *)x->at + at * p->bytes[0] : NULL, p->at[1] = y->at;
    p->g = (gemm){ .isa = gemm_here(), .type = GEMM_F32, .tree = d->tree, .a_once = true, .pack_a = scaled_pack_a,
                   .pack_b = scaled_pack_b, .store = scaled_store, .m = rows, .n = y->n[last],
                   .k = to > from ? to - from : 0 };
    if (y->dtype == TT_F32 && one && p->last[1] == 1)
        p->g.c = y->at ? y->at : (void *)p, p->g.ldc = last ? y->step[last - 1] : y->n[last];
}

static void scaled_part(const product *p, product *q, int64_t col, int64_t cols)
{
    *q = *p;
    q->n0 += col, q->g.n = cols, q->g.env = q;
    q->at[1] = p->at[1] ? p->at[1] + col * p->last[1] * p->bytes[1] : NULL;
    if (p->g.c) q->g.c = (char *)p->g.c + col * 4;
}

/* True if the loops of few rows fit the box: complete blocks, codes beside one another. */
static bool scaled_few(const product *p)
{
    return p->d->few && p->g.m <= SCALED_FEW && p->g.k % SCALED_BLOCK == 0 && p->k0 % SCALED_BLOCK == 0 &&
           is_dense(p);
}

/* ---- few rows ---- */

static int64_t room(int64_t n) { return base_round_up(n * 4 + BASE_CACHE_LINE, BASE_CACHE_LINE) / 4; } /* floats */
static int64_t blocks_of(const product *p) { return p->g.k / SCALED_BLOCK; }

/* The scales of n rows, lds apart. */
static void scales_of_rows(const product *p, int64_t row, int n, float *to, int64_t lds)
{
    const int64_t first = p->k0 / SCALED_BLOCK;
    if (p->d->size != SCALED_BLOCK || p->scales.step[1] != 1)
        for (int i = 0; i < n; i++) scales_of_blocks(p, row + i, p->k0, blocks_of(p), to + i * lds);
    else if (lds == p->scales.step[0]) scales_as_f32(p, to, scale_at(p, row, first), (n - 1) * lds + blocks_of(p));
    else for (int i = 0; i < n; i++) scales_as_f32(p, to + i * lds, scale_at(p, row + i, first), blocks_of(p));
}

/* x as f32, in place if it is so, else in `own`; *ldx: the distance of its rows. */
static const float *x_of(const product *p, float *own, int64_t *ldx)
{
    const int64_t apart = p->g.m > 1 ? row_of(p, 0, 1) - row_of(p, 0, 0) : 0;
    bool in_place = p->dtype[0] == TT_F32 && p->last[0] == 1;
    for (int64_t i = 1; in_place && i < p->g.m; i++) in_place = row_of(p, 0, i) - row_of(p, 0, 0) == i * apart;
    if (in_place) return *ldx = apart / 4, (const float *)(const void *)row_of(p, 0, 0);
    *ldx = room(p->g.k);
    for (int64_t i = 0; i < p->g.m; i++)
        p->g.isa->from_lanes[GEMM_F32](own + i * *ldx, (int)p->g.k, p->dtype[0], row_of(p, 0, i), 1, p->last[0],
                                       (int)p->g.k, 1);
    return own;
}

static void run_few(const product *p, void *scratch)
{
    const bool blocks = p->d->blocks, adjacent = p->scales.step[0] == blocks_of(p);      /* scales of adjacent rows */
    const int64_t lds = blocks ? 0 : adjacent ? blocks_of(p) : room(blocks_of(p));
    float *const x = scratch, *const scale = x + p->g.m * room(p->g.k),
          *const y = scale + SCALED_AT_ONCE * room(blocks_of(p));
    scaled_work t = { .rows = (int)p->g.m, .blocks = blocks_of(p), .ldw = p->codes.step[0], .scale = scale, .lds = lds,
                      .y = y, .ldy = p->g.c ? p->g.ldc : SCALED_AT_ONCE };
    t.x = x_of(p, x, &t.ldx);
    if (blocks) t.scale = t.x;                           /* not used, and in bounds */
    for (int64_t j = 0; j < p->g.n; j += t.n) {
        t.n = p->g.n - j < SCALED_AT_ONCE ? (int)(p->g.n - j) : SCALED_AT_ONCE;
        if (!blocks) scales_of_rows(p, p->n0 + j, t.n, scale, lds);
        t.w = block_at(p, p->n0 + j, p->k0, 0);
        if (p->g.c) t.y = (float *)p->g.c + j;
        p->loops->few[p->d->kind](&t);
        if (!p->g.c) scaled_store(&p->g, 0, (int)p->g.m, j, t.n, y, SCALED_AT_ONCE);
    }
}

static int64_t few_scratch(const product *p)
{
    return 4 * (p->g.m * room(p->g.k) + SCALED_AT_ONCE * room(blocks_of(p)) + SCALED_FEW * SCALED_AT_ONCE);
}

/* ---- tasks ---- */

static int64_t tasks_of(const product *p)
{
    const bool few = scaled_few(p);
    const double work = (double)p->g.m * (double)p->g.n * (double)p->g.k / (few ? FEW_GRAIN : GRAIN);
    const int64_t want = work < 1 ? 1 : work > TASKS ? TASKS : (int64_t)work;
    const int64_t most = p->g.n / (few ? SCALED_AT_ONCE : 4 * p->g.isa->lanes[GEMM_F32]);
    int64_t n = 1;
    while (2 * n <= want && 2 * n <= most) n *= 2;
    return n;
}

static int64_t scaled_tiles(const void *self, const ir_box *arg)
{
    product p;
    scaled_measure(self, arg, &p);
    return p.g.m && p.g.n ? tasks_of(&p) : 1;
}

static int64_t scaled_scratch(const void *self, const ir_box *arg)
{
    product p, q;
    scaled_measure(self, arg, &p);
    if (!p.g.m || !p.g.n) return 0;
    scaled_part(&p, &q, 0, p.g.n);
    return scaled_few(&p) ? few_scratch(&p) : gemm_scratch(&q.g);
}

static void scaled_run(const void *self, const run_job *job)
{
    product p, q;
    scaled_measure(self, job->arg, &p);
    if (!p.g.m || !p.g.n) return;
    const int64_t n = tasks_of(&p), unit = scaled_few(&p) ? SCALED_AT_ONCE : 2 * p.g.isa->lanes[GEMM_F32];
    const int64_t all = p.g.n / unit, first = all * job->first / n * unit, end = job->first + job->count;
    const int64_t last = end == n ? p.g.n : all * end / n * unit;
    scaled_part(&p, &q, first, last - first);
    if (scaled_few(&p)) run_few(&q, job->scratch);
    else gemm_run(&q.g, job->scratch);
}

/* ---- the engine ---- */

static const char *scaled_refuses(const gen_group *g)
{
    return g->neqn == 1 && g->eqn[0]->op == &prim_scaled_dot ? NULL : "not scaled_dot";
}

static bool scaled_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn *e = g->eqn[0];
    const ir_type *x = IR_IN(e, X), *c = IR_IN(e, CODES);
    const bool blocks = e->nin == 2, four = blocks ? c->dim[2] < SCALED_BLOCK : c->dtype == TT_U8;
    const scaled_kind kind = blocks ? four ? SCALED_Q4_0 : SCALED_Q8_0 : four ? SCALED_U4 : SCALED_I8;
    const int64_t columns = c->dim[1] * (four ? 2 : 1), in = x->dim[x->rank - 1];
    scaled *d = BASE_NEW(a, scaled, 1);
    *d = (scaled){ e, IR_ATTR(e, op_scaled_dot_attr)->over_rows, false, g->reproducible, blocks,
                   blocks ? SCALED_BLOCK : columns / IR_IN(e, SCALES)->dim[1],
                   blocks ? c->dim[2] : four ? HALF : SCALED_BLOCK, kind };
    if (!d->size) d->size = 1;                           /* no columns */
    d->few = !d->over && !d->tree && d->size % SCALED_BLOCK == 0 && in && in <= LONG &&
             ir_count(x) / in <= SCALED_FEW;
    *k = (run_kernel){ .code = scaled_run, .self = d, .tiles = scaled_tiles, .scratch = scaled_scratch,
                       .name = base_intern("scaled_dot"), .site = e->site };
    return true;
}

const gen_engine gen_scaled = { sizeof(gen_engine), "scaled", scaled_refuses, scaled_make };
