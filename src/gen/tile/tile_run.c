/* gen/tile/tile_run.c - runs a tile program over a box: tile by tile through all steps.
 *
 * The result box is walked in row-major order as one line of elements (tile_line.c). An operand that is dense along
 * that line is read in place; other operands are gathered into their slots, as is the last tile if it is not full. A
 * result is written in place at once, with two exceptions: an operand that is still to be read has the same memory
 * (donated buffers), or the box is strided. Such a result is written from its slot at the end of the tile. A compiled
 * scalar program is one loop instead of the steps: tile_fused.c. */
#include "tile_run.h"

#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

/* The elements of a view, relative to its first one: [low, high). */
static void extent(const gen_line *l, const gen_view *x, int64_t *low, int64_t *high)
{
    *low = 0, *high = 1;
    for (int d = 0; d < l->rank; d++) *(x->step[d] < 0 ? low : high) += x->step[d] * (l->n[d] - 1);
}

static bool same_steps(const gen_line *l, const gen_view *x, const gen_view *y)
{
    for (int d = 0; d < l->rank; d++) if (x->step[d] != y->step[d]) return false;
    return x->size == y->size;
}

/* True if result j, dense or of dense lines, may be written at once: no operand that overlaps result j is read by a
 * later step, or in another order than element by element with result j. */
static bool may_write(const gen_tile_state *s, int j)
{
    const gen_tile_code *c = s->c;
    const gen_line *l = s->line;
    const gen_view *y = gen_tile_out(s, j);
    const char *to = gen_tile_at(s, y);
    int64_t low, high;
    if (!y->dense && (l->rank == 0 || y->step[l->rank - 1] != 1)) return false;
    extent(l, y, &low, &high);
    const char *begin = to + low * y->size, *end = to + high * y->size;
    for (int v = 0; v < c->nread; v++) {
        const gen_view *x = &l->view[v];
        const char *from = s->start[v];
        if (c->read[v].in < 0 || c->read[v].uniform) continue;
        extent(l, x, &low, &high);
        const bool apart = from + high * x->size <= begin || from + low * x->size >= end;
        const bool in_step = same_steps(l, x, y) && from == to && c->read[v].last <= c->out[j].made;
        if (!apart && !in_step) return false;
    }
    return true;
}

/* ---- moving between a view and a slot ---- */

static void copy_run(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int size)
{
    if (to_step == 1 && from_step == 1) { memcpy(to, from, (size_t)(n * size)); return; }
#define CASE_(T) case sizeof(T): { \
        T *y = (T *)(void *)to; const T *x = (const T *)(const void *)from; \
        if (!from_step) { const T v = *x; for (int64_t i = 0; i < n; i++) y[i * to_step] = v; } \
        else for (int64_t i = 0; i < n; i++) y[i * to_step] = x[i * from_step]; \
        break; }
    switch (size) { CASE_(uint8_t) CASE_(uint16_t) CASE_(uint32_t) CASE_(uint64_t) default: break; }
#undef CASE_
}

/* True if the view is a row that repeats over all outer dims, such as a bias of few columns. */
static bool repeats(const gen_line *l, const gen_view *v)
{
    const int last = l->rank - 1;
    for (int d = 0; d < last; d++) if (v->step[d] && l->n[d] > 1) return false;
    return last > 0 && v->step[last] == 1;
}

/* Fills slot with such a row over and over, from its element `at` on, by doubling the elements written so far. */
static void repeat(char *slot, const char *row, int64_t at, int64_t row_n, int64_t n, int size)
{
    const int64_t end = n < row_n ? n : row_n, head = end < row_n - at ? end : row_n - at;
    memcpy(slot, row + at * size, (size_t)(head * size));
    if (end > head) memcpy(slot + head * size, row, (size_t)((end - head) * size));
    for (int64_t done = end, more; done < n; done += more) {
        more = done < n - done ? done : n - done;
        memcpy(slot + done * size, slot, (size_t)(more * size));
    }
}

/* Moves run by run along the last dim. */
void gen_tile_walk(const gen_tile_state *s, const gen_view *v, gen_tile_move how, char *slot, int64_t p, int64_t n)
{
    const gen_line *l = s->line;
    const int last = l->rank - 1;
    int64_t i[IR_RANK], at = 0, rest = p;
    char *const start = gen_tile_at(s, v);
    if (v->dense && how != GEN_INDICES) {                /* the complete line is one run */
        char *const there = start + p * v->size;
        memcpy(how == GEN_GATHER ? slot : there, how == GEN_GATHER ? there : slot, (size_t)(n * v->size));
        return;
    }
    if (how == GEN_GATHER && n > 0 && repeats(l, v)) {
        repeat(slot, start, p % l->n[last], l->n[last], n, v->size);
        return;
    }
    for (int d = last; d >= 0; d--) i[d] = rest % l->n[d], rest /= l->n[d], at += i[d] * v->step[d];
    while (n > 0) {
        const int64_t run = last < 0 ? 1 : l->n[last] - i[last] < n ? l->n[last] - i[last] : n;
        const int64_t step = last < 0 ? 1 : v->step[last];
        if (how == GEN_INDICES) s->c->ops->count(slot, v->first + at, step, run, v->size == 4);
        else if (how == GEN_GATHER) copy_run(slot, 1, start + at * v->size, step, run, v->size);
        else copy_run(start + at * v->size, step, slot, 1, run, v->size);
        slot += run * v->size, n -= run;
        for (int d = last; d >= 0 && n; d--) {           /* advances to the next run */
            const int64_t by = d == last ? run : 1;
            i[d] += by, at += by * v->step[d];
            if (i[d] < l->n[d]) break;
            i[d] = 0, at -= l->n[d] * v->step[d];
        }
    }
}

/* ---- results stored past the caches ---- */

enum { SLOW = 2 };                                       /* ns per element */

/* True if result j should be stored past the caches: a plain store reads the line first, and evicts lines that other
 * kernels need. False for results over operands, whose lines are in the cache, and where computing takes longer than
 * memory. */
static bool worth_streaming(const gen_tile_state *s, int j)
{
#if defined __SSE2__
    const gen_view *y = gen_tile_out(s, j);
    const char *to = gen_tile_at(s, y);
    if (!y->dense || s->line->total * y->size < BASE_UNCACHED || (uintptr_t)to % 16 || s->c->cost > SLOW) return false;
    for (int v = 0; v < s->c->nread; v++)
        if (s->c->read[v].in >= 0 && !s->c->read[v].uniform && s->start[v] == to) return false;
    return true;
#else
    return (void)s, (void)j, false;
#endif
}

static void stream(char *to, const char *from, int64_t bytes) /* to: a multiple of 16 */
{
    int64_t i = 0;
#if defined __SSE2__
    for (; i + 64 <= bytes; i += 64)
        for (int k = 0; k < 64; k += 16) {
            const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(from + i + k));
            _mm_stream_si128((__m128i *)(void *)(to + i + k), x);
        }
#endif
    memcpy(to + i, from + i, (size_t)(bytes - i));
}

static void streamed(void)                               /* orders the stores before the task is reported done */
{
#if defined __SSE2__
    _mm_sfence();
#endif
}

void gen_tile_store(const gen_tile_state *s, int j, char *slot, int64_t p, int64_t m)
{
    const gen_view *y = gen_tile_out(s, j);
    if (s->streams[j]) stream(gen_tile_at(s, y) + p * y->size, slot, m * y->size);
    else gen_tile_walk(s, y, GEN_SCATTER, slot, p, m);
}

/* ---- the job ---- */

static void tile_run_run_tile(gen_tile_state *s, int64_t p, int64_t m)
{
    const gen_tile_code *c = s->c;
    const int64_t n = base_round_up(m, GEN_GRAIN);
    const bool full = n == m;
    for (int j = 0; j < c->nout; j++)
        s->at[c->out[j].reg] = s->direct[j] && full ? gen_tile_result(s, j, p)
                                                    : s->slots + c->slot[c->out[j].reg] * c->tile;
    for (int i = 0; i < c->nstep; i++) {
        const gen_step *x = &c->step[i];
        switch (x->kind) {
        case GEN_RUN: x->loop(x, s->at, s->k, n); break;
        case GEN_LOAD: {
            const gen_view *v = &s->line->view[x->which];
            char *const slot = s->slots + c->slot[x->d] * c->tile;
            s->at[x->d] = v->dense && full ? gen_tile_at(s, v) + p * v->size : slot;
            if (s->at[x->d] != slot) break;
            gen_tile_walk(s, v, GEN_GATHER, slot, p, m);
            memset(slot + m * v->size, 0, (size_t)((n - m) * v->size)); /* loops run up to n */
            break;
        }
        case GEN_INDEX: gen_tile_walk(s, &s->line->view[x->which], GEN_INDICES, s->at[x->d], p, n); break;
        case GEN_STORE:
            if (!s->direct[x->which] || !full) gen_tile_store(s, x->which, s->at[x->a], p, m);
            break;
        case GEN_UNLESS_ANY: if (c->ops->same(s->at[x->a], m, false)) i += x->which; break;
        case GEN_IF_ALL: if (c->ops->same(s->at[x->a], m, true)) i += x->which; break;
        }
    }
}

/* ---- lines shorter than a grain ---- */

/* Copies n bytes, fewer than a grain's, without a call. */
static inline void copy_few(char *to, const char *from, int64_t n)
{
    typedef struct { char c[16]; } lump;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) memcpy(to + i, from + i, sizeof(lump));
    if (n & 8) memcpy(to + i, from + i, 8), i += 8;
    if (n & 4) memcpy(to + i, from + i, 4), i += 4;
    for (; i < n; i++) to[i] = from[i];
}

/* Runs all steps over a line of few elements, by way of slots. A call costs more than its work here, so conditions that
 * are known in advance are not tested. */
static __attribute__((noinline)) void run_few(const gen_tile_code *c, const gen_line *l, const ir_box *arg, char *p)
{
    void **const at = (void *)p;
    op_word *const k = (void *)(at + c->nreg);
    char *const slots = base_line_up(k + c->nreg);
    for (int v = 0; v < c->nread; v++)
        if (c->read[v].uniform)
            memcpy(&k[c->read[v].reg], (char *)arg[c->read[v].in].at + l->view[v].offset, (size_t)l->view[v].size);
    gen_uniforms(c, k);
    for (int i = 0; i < c->nstep; i++)
        if (c->step[i].kind <= GEN_INDEX) at[c->step[i].d] = slots + c->slot[c->step[i].d] * c->tile;
    for (int i = 0; i < c->nstep; i++) {
        const gen_step *x = &c->step[i];
        switch (x->kind) {
        case GEN_RUN: x->loop(x, at, k, GEN_GRAIN); break;
        case GEN_LOAD: {
            const gen_view *v = &l->view[x->which];
            c->ops->pad(at[x->d], (char *)arg[c->read[x->which].in].at + v->offset, l->total * v->size,
                        (int64_t)GEN_GRAIN * v->size);
            break;
        }
        case GEN_INDEX: break;                           /* never: an index view is not dense */
        case GEN_STORE:
            copy_few(arg[c->nin + x->which].at, at[x->a], l->total * l->view[c->nread + x->which].size);
            break;
        case GEN_UNLESS_ANY: if (c->ops->same(at[x->a], l->total, false)) i += x->which; break;
        case GEN_IF_ALL: if (c->ops->same(at[x->a], l->total, true)) i += x->which; break;
        }
    }
}

/* Elements of a part: some 20 microseconds of work, complete tiles. */
static int64_t part_size(const gen_tile_code *c)
{
    const int64_t n = (int64_t)(20000 / (c->cost > 0.01 ? c->cost : 0.01));
    return base_round_up(n < c->tile ? c->tile : n, c->tile);
}

int64_t gen_tile_parts(const void *code, const ir_box *arg)
{
    const gen_tile_code *c = code;
    const int64_t parts = base_round_up(ir_box_count(&arg[c->nin]), part_size(c)) / part_size(c);
    return parts > 0 ? parts : 1;
}

static int64_t table_bytes(const gen_tile_code *c)
{
    const size_t views = (size_t)(c->nread + c->nout), registers = (size_t)c->nreg;
    const size_t tables = views * (sizeof(char *) + 3) + registers * (sizeof(void *) + sizeof(op_word));
    return base_round_up(gen_line_bytes(c) + (int64_t)tables, BASE_CACHE_LINE);
}

int64_t gen_tile_scratch(const void *code, const ir_box *arg)
{
    const gen_tile_code *c = code;
    (void)arg;
    return table_bytes(c) + (c->width > c->own_width ? c->width : c->own_width) * c->tile + 64;
}

static inline void copy_single(void *to, const void *from, tt_dtype dtype)
{
    const size_t n = ir_dtype_of(dtype)->bytes;
    if (n == 4) memcpy(to, from, 4);                     /* the usual size, without a call */
    else memcpy(to, from, n);
}

/* Computes one element (a loss, a counter, a shard of a small value): instruction by instruction, without tiles. */
static __attribute__((noinline)) void run_single(const gen_tile_code *c, const ir_box *arg, op_word *k)
{
    static const int64_t none[2 * IR_RANK];
    const ir_box *y = &arg[c->nin];
    int64_t own[2 * IR_RANK];
    const int64_t *index = none;
    for (const gen_read *r = c->read; r < c->read + c->nread; r++) {
        if (r->in >= 0) {
            copy_single(&k[r->reg], (char *)arg[r->in].at + gen_tile_offset(r, &arg[r->in], y), arg[r->in].dtype);
            continue;
        }
        if (index == none) index = memset(own, 0, sizeof own);
        own[c->prog->inst[r->reg].a] = gen_tile_first(r, y);
    }
    for (int i = 1; i < c->prog->n; i++) op_prog_step(c->prog, i, k, index);
    for (int j = 0; j < c->nout; j++) {
        const op_reg r = c->out[j].reg;                  /* of the scalar program, or a copy of such a register */
        copy_single(y[j].at, &k[r < c->prog->n ? r : c->step[c->out[j].made].a], y[j].dtype);
    }
}

static __attribute__((noinline)) void run_tiles(const gen_tile_code *c, const run_job *job)
{
    const ir_box *arg = job->arg;
    gen_tile_state s;                                    /* not cleared: every field is set below */
    char *p = job->scratch;
    s.c = c;
    s.line = job->prepared;
    if (!s.line) gen_tile_line(c, arg, p), s.line = (void *)p, p += gen_line_bytes(c);
    s.start = (void *)p, p += (size_t)(c->nread + c->nout) * sizeof(char *);
    s.at = (void *)p, p += (size_t)c->nreg * sizeof(void *);
    s.k = (void *)p, p += (size_t)c->nreg * sizeof(op_word);
    s.direct = (void *)p, s.streams = s.direct + c->nout, s.lined = s.streams + c->nout;
    s.slots = base_line_up((char *)job->scratch + table_bytes(c));
    for (int v = 0; v < c->nread; v++)
        s.start[v] = c->read[v].in < 0 ? NULL : (char *)arg[c->read[v].in].at + s.line->view[v].offset;
    for (int j = 0; j < c->nout; j++) s.start[c->nread + j] = arg[c->nin + j].at;
    /* a line of at most one tile is one part */
    const int64_t total = s.line->total, part = total <= c->tile ? c->tile : part_size(c), begin = job->first * part;
    const int64_t end = begin + job->count * part < total ? begin + job->count * part : total;
    if (begin >= end) return;
    for (int v = 0; v < c->nread; v++)
        if (c->read[v].uniform) memcpy(&s.k[c->read[v].reg], s.start[v], (size_t)s.line->view[v].size);
    gen_uniforms(c, s.k);
    bool any = false;
    for (int j = 0; j < c->nout; j++) {
        s.lined[j] = total >= GEN_GRAIN && may_write(&s, j);
        s.direct[j] = s.lined[j] && gen_tile_out(&s, j)->dense;
        any |= s.streams[j] = s.direct[j] && worth_streaming(&s, j);
        s.direct[j] &= !s.streams[j], s.lined[j] &= !s.streams[j];
    }
    gen_fused_loop *const loop = gen_hot_loop(c, end - begin, job);
    if (loop) {
        gen_tile_fused(&s, loop, begin, end);
        if (any) streamed();
        return;
    }
    for (int i = 0; i < c->nstep; i++)
        if (c->step[i].kind <= GEN_INDEX)
            s.at[c->step[i].d] = s.slots + c->slot[c->step[i].d] * c->tile;
    for (int64_t q = begin; q < end; q += c->tile) tile_run_run_tile(&s, q, end - q < c->tile ? end - q : c->tile);
    if (any) streamed();
}

void gen_tile_job(const void *code, const run_job *job)
{
    const gen_tile_code *c = code;
    const gen_line *l = job->prepared;
    const int64_t total = l ? l->total : ir_box_count(&job->arg[c->nin]);
    if (total == 1) run_single(c, job->arg, job->scratch);
    else if (l && l->few && !gen_hot_loop(c, total, job)) run_few(c, l, job->arg, job->scratch);
    else run_tiles(c, job);
}
