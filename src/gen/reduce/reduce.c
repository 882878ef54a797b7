/* gen/reduce/reduce.c - reduce on boxes: of one operand by a monoid. (argmax and argmin of pairs: arg_reduce.c.)
 *
 * If the fastest dim is kept (column sums), rows are added to a block of columns, in 32 lanes of rows for floating
 * sums; otherwise every result gathers its elements in runs. Both follow the order of reduce.h. Each task computes some
 * of the results; few and large results are split into parts, in an order that depends on sizes only. */
#include "reduce_shape.h"
#include "../isa/isa.h"
#include "../isa/tree.h"
#include "../../op/ops.h"

#include <string.h>

GEN_ISA_DECLARE(const reduce_isa, reduce_loops);

const reduce_ops *reduce_here(tt_dtype dtype, mesh_reduce reduce)
{
    if ((int)dtype >= REDUCE_KINDS || (int)reduce >= REDUCE_HOWS) return NULL;
    const reduce_ops *f = &GEN_ISA_PICK(reduce_loops)->at[dtype][reduce];
    return f->acc ? f : NULL;
}

const reduce_select *reduce_select_here(bool wide) { return &GEN_ISA_PICK(reduce_loops)->select[wide]; }

/* RUN: elements buffered. PART: least elements of a part. FEW: this many units or more are not split. CHAIN: a tree's
 * leaves of this length or more are computed in lanes. */
enum { RUN = 1024, PART = 2048, FEW = 16, CHAIN = 64 };
enum { LEVELS = 3 };                                     /* of sums of blocks of a line */

/* ---- one result from runs ---- */

/* left: elements up to the end of the block. level[j]: the sum of sums[j] sums of level j - 1; level[0]: of sums[0]
 * blocks. */
typedef struct {
    const reduce_ops *op;
    int64_t size, held, left;
    int sums[LEVELS];
    _Alignas(64) char lanes[REDUCE_LANES * 8], level[LEVELS][REDUCE_LANES * 8], buffer[RUN * 8];
} line;

static void reduce_line_begin(line *l)
{
    l->held = 0, l->left = l->op->exact ? INT64_MAX : REDUCE_BLOCK;
    memset(l->sums, 0, sizeof l->sums);
    l->op->clear(l->lanes, REDUCE_LANES);
}

/* Adds the lanes, which hold a block, to level 0, and every level that is completed by this to the next level. */
static void end_block(line *l)
{
    const size_t bytes = REDUCE_LANES * l->op->acc;
    for (int j = 0; j < LEVELS; j++) {
        if (l->sums[j]++) l->op->merge(l->level[j], l->lanes, REDUCE_LANES);
        else memcpy(l->level[j], l->lanes, bytes);
        if (l->sums[j] < REDUCE_FAN || j == LEVELS - 1) break;
        memcpy(l->lanes, l->level[j], bytes);
        l->sums[j] = 0;
    }
    l->op->clear(l->lanes, REDUCE_LANES);
    l->left = REDUCE_BLOCK;
}

static void reduce_add(line *l, const char *p, int64_t step, int64_t n)  /* n: at most l->left */
{
    l->op->along(l->lanes, p, step, n);
    if (!(l->left -= n)) end_block(l);
}

/* Adds n elements. Full groups of lanes are added at once; the remaining elements wait in the buffer, so that element i
 * always meets lane i mod 32. */
static void feed(line *l, const char *p, int64_t step, int64_t n)
{
    while (n > 0) {
        int64_t k = (n < l->left ? n : l->left) / REDUCE_LANES * REDUCE_LANES;
        if (k && !l->held) {
            reduce_add(l, p, step, k);
        } else {
            const int64_t full = RUN < l->left ? RUN : l->left;
            k = n < full - l->held ? n : full - l->held;
            for (int64_t j = 0; j < k; j++)
                memcpy(l->buffer + (l->held + j) * l->size, p + j * step * l->size, (size_t)l->size);
            l->held += k;
            if (l->held == full) reduce_add(l, l->buffer, 1, full), l->held = 0;
        }
        p += k * step * l->size, n -= k;
    }
}

void reduce_join(const reduce_ops *op, char *lanes, int64_t width)
{
    for (int s = REDUCE_LANES / 2; s; s /= 2) op->merge(lanes, lanes + (size_t)(s * width) * op->acc, s * width);
}

/* Reduces elements [lo, hi) of the line that begins at x to one accumulator, l->lanes[0]. */
static void reduce_add_line(line *l, const reduce_shape *s, const char *x, int64_t lo, int64_t hi)
{
    const int last = s->reduced.n - 1;
    const int64_t run = last < 0 ? 1 : s->reduced.at[last].size, step = last < 0 ? 1 : s->reduced.at[last].x;
    reduce_line_begin(l);
    for (int64_t i = lo, n; i < hi; i += n) {
        const int64_t at = last > 0 ? reduce_offset(&s->reduced, last, i / run).x : 0, k = last > 0 ? i % run : i;
        n = run - k < hi - i ? run - k : hi - i;
        feed(l, x + (at + k * step) * l->size, step, n);
    }
    if (l->held) l->op->along(l->lanes, l->buffer, 1, l->held);
    for (int j = 0; j < LEVELS; j++) if (l->sums[j]) l->op->merge(l->lanes, l->level[j], REDUCE_LANES);
    reduce_join(l->op, l->lanes, 1);
}

/* ---- a block of columns ---- */

/* Reduces rows [lo, hi) of n columns that begin at x to n accumulators. */
static void reduce_add_columns(const reduce_ops *op, const reduce_shape *s, const char *x, int64_t size, int64_t n,
    int64_t lo,
                         int64_t hi, char *acc)
{
    const int lanes = op->exact ? 1 : REDUCE_LANES;
    op->clear(acc, lanes * n);
    for (int64_t i = lo; i < hi; i++) {
        const int64_t at = s->reduced.n == 1 ? i * s->reduced.at[0].x : reduce_offset(&s->reduced, s->reduced.n, i).x;
        op->across(acc + (size_t)((i - lo) % lanes * n) * op->acc, x + at * size, n);
    }
    if (lanes > 1) reduce_join(op, acc, n);
}

/* ---- tasks: ranges of units (results, or blocks of columns); few units are split into parts of their elements ---- */

/* Number of parts of a unit's elements: depends on sizes only; parts begin at multiples of 32. The rows of a block of
 * columns are not divided into blocks within a part, so a part has at most REDUCE_ROWS rows. */
static int64_t reduce_parts(const reduce_shape *s)
{
    const int64_t n = reduce_units(s), want = reduce_tasks(s), most = s->elements / PART;
    const int64_t least = s->columns && !s->exact ? (s->elements + REDUCE_ROWS - 1) / REDUCE_ROWS : 1;
    if (!n || s->uncut || s->tree) return 1;
    const int64_t share = n >= FEW || want < 2 * n ? 1 : want / n < most ? want / n : most;
    return share > least ? share : least < 1 ? 1 : least;
}

int64_t reduce_part_at(int64_t elements, int64_t k, int64_t n)
{
    return k == n ? elements : elements / REDUCE_LANES * k / n * REDUCE_LANES;
}

int64_t reduce_parts_of(int64_t columns, int64_t rows)
{
    reduce_shape s = { .results = columns, .elements = rows, .columns = columns >= REDUCE_COLUMNED ? columns : 0 };
    s.blocks = (s.columns + REDUCE_COLUMNS - 1) / REDUCE_COLUMNS;
    return reduce_parts(&s);
}

static int64_t reduce_tiles(const void *self, const ir_box *arg)
{
    const reduce_shape s = reduce_measure(self, arg);
    const int64_t n = s.results ? reduce_units(&s) : 1, k = reduce_parts(&s), most = reduce_tasks(&s);
    return k > 1 ? n * k : n < most ? n : most;
}

static int64_t reduce_shared(const void *self, const ir_box *arg)
{
    const reduce_shape s = reduce_measure(self, arg);
    const int64_t k = reduce_parts(&s);
    return k > 1 ? reduce_units(&s) * k * REDUCE_COLUMNS * 8 : 0;
}

/* A unit's addresses in operand and result, its number of columns (1: a line), and their step in the result. */
typedef struct { const char *x; char *y; int64_t n, step; } unit;

static unit unit_of(const reduce_eqn *f, const reduce_shape *s, const ir_box *arg, int64_t u)
{
    const int64_t size = (int64_t)ir_dtype_of(arg[0].dtype)->bytes;
    const int last = s->kept.n - 1;
    const int64_t col = s->columns ? u % s->blocks * REDUCE_COLUMNS : 0;
    const reduce_offsets o = s->columns ? reduce_offset(&s->kept, last, u / s->blocks)
                                      : reduce_offset(&s->kept, s->kept.n, u);
    unit r = { .n = 1, .step = 1 };
    if (s->columns) {
        r.n = s->columns - col < REDUCE_COLUMNS ? s->columns - col : REDUCE_COLUMNS;
        r.step = s->kept.at[last].y;
    }
    r.x = (const char *)arg[0].at + (reduce_begin(f, &arg[0], &arg[2]) + o.x + col) * size;
    r.y = (char *)arg[2].at + (o.y + col * r.step) * size;
    return r;
}

/* Reduces elements [lo, hi) of unit u; returns the accumulators. */
static const char *reduce_add_part(const reduce_shape *s, const unit *u, line *l, char *acc, int64_t lo, int64_t hi)
{
    if (s->columns) reduce_add_columns(l->op, s, u->x, l->size, u->n, lo, hi, acc);
    else reduce_add_line(l, s, u->x, lo, hi);
    return s->columns ? acc : l->lanes;
}

/* ---- trees ---- */

/* Computes n chains of m elements each from `lo` on (n a power of two), merged in *acc. */
static void chains(line *l, const reduce_shape *s, const char *x, int64_t lo, int64_t m, int64_t n, char *acc)
{
    const int last = s->reduced.n - 1;
    const int64_t run = last < 0 ? 1 : s->reduced.at[last].size, step = last < 0 ? 1 : s->reduced.at[last].x;
    const char *from = l->buffer;
    _Alignas(64) char buffer[RUN * 8];
    for (int64_t i = 0, k; i < m * n; i += k) {
        const int64_t at = last > 0 ? reduce_offset(&s->reduced, last, (lo + i) / run).x : 0;
        const int64_t in = last > 0 ? (lo + i) % run : lo + i;
        const char *p = x + (at + in * step) * l->size;
        k = run - in < m * n - i ? run - in : m * n - i;
        if (k == m * n && step == 1) from = p;
        else for (int64_t j = 0; j < k; j++)
            memcpy(l->buffer + (i + j) * l->size, p + j * step * l->size, (size_t)l->size);
    }
    l->op->leaves(buffer, from, m, n);
    l->op->pairs(buffer, n);
    memcpy(acc, buffer, l->op->acc);
}

/* The tree of a unit's elements: u->n accumulators at the bottom of the stack. */
static const char *reduce_add_tree(line *l, const reduce_shape *s, const unit *u, char *acc, char *stack)
{
    const int64_t leaves = tree_leaves(s->elements), m = s->elements / leaves, each = REDUCE_COLUMNS * 8;
    int64_t n = 1;                                       /* leaves pushed at once, merged */
    while (!s->columns && m < CHAIN && 2 * n * m <= RUN && n < leaves) n *= 2;
    char *top = stack;
    for (int64_t i = 0; i < leaves / n; i++, top += each) {
        const int64_t lo = i * n * m;
        if (m >= CHAIN) memcpy(top, reduce_add_part(s, u, l, acc, lo, lo + m), (size_t)u->n * l->op->acc);
        else if (s->columns) {
            l->op->clear(top, u->n);
            for (int64_t j = lo; j < lo + m; j++)
                l->op->across(top, u->x + reduce_offset(&s->reduced, s->reduced.n, j).x * l->size, u->n);
        } else chains(l, s, u->x, lo, m, n, top);
        for (int j = tree_joins(i); j > 0; j--, top -= each) l->op->merge(top - each, top, u->n);
    }
    return stack;
}

static void reduce_run(const void *self, const run_job *job)
{
    const reduce_eqn *f = self;
    const ir_box *arg = job->arg;
    const reduce_shape s = reduce_measure(f, arg);
    const int64_t n = reduce_units(&s), k = reduce_parts(&s), tiles = reduce_tiles(self, arg);
    line l = { .op = f->op, .size = (int64_t)ir_dtype_of(arg[0].dtype)->bytes };
    _Alignas(64) char acc[REDUCE_LANES * REDUCE_COLUMNS * 8], stack[TREE_DEPTH * REDUCE_COLUMNS * 8];
    if (!s.results) return;
    if (k > 1) {
        for (int64_t t = job->first; t < job->first + job->count; t++) {
            const unit u = unit_of(f, &s, arg, t / k);
            const char *part = reduce_add_part(&s, &u, &l, acc, reduce_part_at(s.elements, t % k, k),
                                         reduce_part_at(s.elements, t % k + 1, k));
            memcpy((char *)job->shared + t * REDUCE_COLUMNS * 8, part, (size_t)u.n * l.op->acc);
        }
        return;
    }
    for (int64_t i = n * job->first / tiles; i < n * (job->first + job->count) / tiles; i++) {
        const unit u = unit_of(f, &s, arg, i);
        const char *sum =
            s.tree ? reduce_add_tree(&l, &s, &u, acc, stack) : reduce_add_part(&s, &u, &l, acc, 0, s.elements);
        l.op->finish(u.y, u.step, sum, arg[1].at, u.n);
    }
}

void reduce_merge_parts(const reduce_ops *op, char *acc, int64_t bytes, int64_t parts, int64_t n)
{
    for (int64_t by = 1; by < parts; by *= 2)
        for (int64_t p = 0; p + by < parts; p += 2 * by) op->merge(acc + p * bytes, acc + (p + by) * bytes, n);
}

static void reduce_finish(const void *self, const run_job *job)    /* merges the parts of every unit */
{
    const reduce_eqn *f = self;
    const reduce_shape s = reduce_measure(f, job->arg);
    const int64_t k = reduce_parts(&s);
    const reduce_ops *op = f->op;
    for (int64_t i = 0; k > 1 && i < reduce_units(&s); i++) {
        const unit u = unit_of(f, &s, job->arg, i);
        char *acc = (char *)job->shared + i * k * REDUCE_COLUMNS * 8;
        reduce_merge_parts(op, acc, REDUCE_COLUMNS * 8, k, u.n);
        op->finish(u.y, u.step, acc, job->arg[1].at, u.n);
    }
}

/* ---- the engine ---- */

static const char *reduce_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || e->op != &prim_reduce) return "not reduce";
    if (e->nin == 4) return op_arg_reducer(e->sub[0]) ? NULL : "a reducer of pairs that is not argmax";
    const mesh_reduce reduce = op_monoid(e->sub[0]);
    if (reduce == MESH_NONE || e->nin > 2) return "a reducer of its own";
    return reduce_here(IR_IN(e, 0)->dtype, reduce) ? NULL : "no loops for this data type";
}

static bool reduce_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    reduce_eqn *f = BASE_NEW(a, reduce_eqn, 1);
    const ir_eqn *e = g->eqn[0];
    f->e = e;
    if (e->nin == 4) {
        f->arg = op_arg_reducer(e->sub[0]);
        *k = (run_kernel){ .code = reduce_pick_run,
                           .self = f,
                           .tiles = reduce_pick_tiles,
                           .name = base_intern("reduce: argmax") };
    } else {
        f->op = reduce_here(IR_IN(e, 0)->dtype, op_monoid(e->sub[0]));
        f->tree = g->reproducible && !f->op->exact;
        *k = (run_kernel){ .code = reduce_run,
                           .self = f,
                           .tiles = reduce_tiles,
                           .finish = reduce_finish,
                           .shared = reduce_shared,
                           .name = base_intern("reduce: reduce") };
    }
    k->site = e->site;
    return true;
}

bool gen_reduce_lines(base_arena *a, const gen_group *g, run_kernel *k)
{
    if (!reduce_make(a, g, k)) return false;
    reduce_eqn *f = BASE_COPY(a, (const reduce_eqn *)k->self, 1);
    f->uncut = true;
    k->self = f, k->finish = NULL, k->shared = NULL;
    return true;
}

const gen_engine gen_reduce = { sizeof(gen_engine), "reduce", reduce_refuses, reduce_make };
