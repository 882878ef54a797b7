/* gen/fold.c - reduce on boxes: one operand by a monoid, and argmax and argmin of pairs; cumulative operations.
 *
 * Dims are kept or folded; neighbours that lie in memory as one are one. If the fastest dim is kept (column sums),
 * rows are added to a block of columns, 32 lanes of rows for floating sums; else every result gathers its elements in
 * runs. Both follow the order of fold.h. Tasks share out results, never one result's elements. A line of cum* is a
 * chain. */
#include "fold.h"

#include <math.h>
#include <string.h>

#include "isa.h"
#include "../op/scalar.h"

GEN_ISA_DECLARE(const fold_isa, fold_loops);

const fold_ops *fold_here(tt_dtype dtype, mesh_how how)
{
    if ((int)dtype >= FOLD_KINDS || (int)how >= FOLD_HOWS) return NULL;
    const fold_ops *f = &GEN_ISA_PICK(fold_loops)->at[dtype][how];
    return f->acc ? f : NULL;
}

const fold_select *fold_select_here(bool wide) { return &GEN_ISA_PICK(fold_loops)->select[wide]; }

enum { COLUMNS = 128, RUN = 1024, GRAIN = 1 << 16 };     /* columns of a block; elements buffered; elements of a task */
typedef struct { int n; struct { int64_t size, x, x2, y, y2; } at[IR_RANK]; } axes;    /* steps: operands, results */
typedef struct { const ir_eqn *e; mesh_how how; int pick; } fold;
typedef struct {
    axes kept, folded;
    int64_t results, elements, columns, blocks;          /* columns: > 0: the last kept axis is fastest; its blocks */
} shape;

static void add(axes *a, int64_t size, int64_t x, int64_t x2, int64_t y, int64_t y2)
{
    if (size == 1) return;
    const bool joins = a->n && a->at[a->n - 1].x == x * size && a->at[a->n - 1].x2 == x2 * size &&
                       a->at[a->n - 1].y == y * size && a->at[a->n - 1].y2 == y2 * size;
    if (!joins) a->at[a->n++].size = 1;
    a->at[a->n - 1].size *= size;
    a->at[a->n - 1].x = x, a->at[a->n - 1].x2 = x2, a->at[a->n - 1].y = y, a->at[a->n - 1].y2 = y2;
}

static int64_t total(const axes *a)
{
    int64_t n = 1;
    for (int i = 0; i < a->n; i++) n *= a->at[i].size;
    return n;
}

/* x [operands], init, y [results]; kept dims of x stand in y in the same order. */
static shape measure(const fold *f, const ir_box *arg)
{
    const op_reduce_attr *a = IR_ATTR(f->e, op_reduce_attr);
    const int n = (int)f->e->nin / 2;
    const ir_box *x = &arg[0], *x2 = n > 1 ? &arg[1] : x, *y = &arg[2 * n], *y2 = n > 1 ? y + 1 : y;
    shape s = { .results = 1, .elements = 1 };
    for (int d = 0, o = 0; d < x->rank; d++) {
        if (op_dims_has(a->dimensions, d)) add(&s.folded, x->n[d], x->step[d], x2->step[d], 0, 0);
        else add(&s.kept, y->n[o], x->step[d], x2->step[d], y->step[o], y2->step[o]), o++;
    }
    s.results = total(&s.kept);
    s.elements = total(&s.folded);
    const int last = s.kept.n - 1;
    if (n == 1 && s.kept.n && s.kept.at[last].x == 1 && s.kept.at[last].size >= 8) {
        s.columns = s.kept.at[last].size;
        s.blocks = (s.columns + COLUMNS - 1) / COLUMNS;
    }
    return s;
}

/* Where the operand's kept index 0 lies: its box may begin before the result's. */
static int64_t begin(const fold *f, const ir_box *x, const ir_box *y)
{
    int64_t at = 0;
    for (int d = 0, o = 0; d < x->rank; d++) {
        if (op_dims_has(IR_ATTR(f->e, op_reduce_attr)->dimensions, d)) continue;
        at += (y->lo[o] - x->lo[d]) * x->step[d], o++;
    }
    return at;
}

typedef struct { int64_t x, x2, y, y2; } offsets;
static offsets offset(const axes *a, int count, int64_t i)       /* of index i over the first `count` axes */
{
    offsets o = { 0 };
    for (int d = count - 1; d >= 0; i /= a->at[d].size, d--) {
        const int64_t k = i % a->at[d].size;
        o.x += k * a->at[d].x, o.x2 += k * a->at[d].x2, o.y += k * a->at[d].y, o.y2 += k * a->at[d].y2;
    }
    return o;
}

/* ---- one result from runs ---- */

static void fold_line(const fold_ops *op, const shape *s, const char *x, size_t size, void *lanes, char *buffer)
{
    const int last = s->folded.n - 1;
    const int64_t run = last < 0 ? 1 : s->folded.at[last].size, step = last < 0 ? 1 : s->folded.at[last].x;
    int64_t held = 0;                                    /* in the buffer; a multiple of 32 has gone before it */
    op->clear(lanes, FOLD_LANES);
    for (int64_t i = 0; i < s->elements; i += run) {
        const char *p = x + offset(&s->folded, last < 0 ? 0 : last, i / run).x * (int64_t)size;
        int64_t k = 0;
        while (k < run) {
            const bool straight = !held && run - k >= FOLD_LANES;
            if (straight || run == s->elements) {
                const int64_t n = run == s->elements ? run : (run - k) / FOLD_LANES * FOLD_LANES;
                op->along(lanes, p + k * step * (int64_t)size, step, n);
                k += n;
                continue;
            }
            const int64_t n = run - k < RUN - held ? run - k : RUN - held;
            for (int64_t j = 0; j < n; j++)
                memcpy(buffer + (held + j) * (int64_t)size, p + (k + j) * step * (int64_t)size, size);
            held += n, k += n;
            if (held == RUN) op->along(lanes, buffer, 1, held), held = 0;
        }
    }
    if (held) op->along(lanes, buffer, 1, held);
}

static void join(const fold_ops *op, char *lanes, int64_t width)
{
    for (int s = FOLD_LANES / 2; s; s /= 2) op->merge(lanes, lanes + (size_t)(s * width) * op->acc, s * width);
}

static void fold_lines(const fold *f, const fold_ops *op, const shape *s, const ir_box *arg, int64_t lo, int64_t hi)
{
    const size_t size = ir_dtype_of(arg[0].dtype)->bytes;
    const char *x = (const char *)arg[0].at + begin(f, &arg[0], &arg[2]) * (int64_t)size;
    _Alignas(64) char lanes[FOLD_LANES * 8], buffer[RUN * 8];
    for (int64_t i = lo; i < hi; i++) {
        const offsets o = offset(&s->kept, s->kept.n, i);
        fold_line(op, s, x + o.x * (int64_t)size, size, lanes, buffer);
        join(op, lanes, 1);
        op->finish((char *)arg[2].at + o.y * (int64_t)size, 1, lanes, arg[1].at, 1);
    }
}

/* ---- blocks of columns ---- */

static void fold_columns(const fold *f, const fold_ops *op, const shape *s, const ir_box *arg, int64_t lo, int64_t hi)
{
    const int64_t size = (int64_t)ir_dtype_of(arg[0].dtype)->bytes;
    const char *x = (const char *)arg[0].at + begin(f, &arg[0], &arg[2]) * size;
    const int last = s->kept.n - 1, lanes = op->exact ? 1 : FOLD_LANES;
    const int64_t ystep = s->kept.at[last].y;
    _Alignas(64) char acc[FOLD_LANES * COLUMNS * 8];
    for (int64_t b = lo; b < hi; b++) {
        const int64_t col = b % s->blocks * COLUMNS, n = s->columns - col < COLUMNS ? s->columns - col : COLUMNS;
        const offsets o = offset(&s->kept, last, b / s->blocks);
        op->clear(acc, lanes * n);
        for (int64_t i = 0; i < s->elements; i++) {
            const char *row = x + (o.x + col + offset(&s->folded, s->folded.n, i).x) * size;
            op->across(acc + (size_t)(i % lanes * n) * op->acc, row, n);
        }
        if (lanes > 1) join(op, acc, n);
        op->finish((char *)arg[2].at + (o.y + col * ystep) * size, ystep, acc, arg[1].at, n);
    }
}

static int64_t units(const shape *s)
{
    return s->columns ? s->results / s->columns * s->blocks : s->results;
}

static int64_t fold_tiles(const void *self, const ir_box *arg)
{
    const shape s = measure(self, arg);
    const int64_t n = s.results ? units(&s) : 1, work = s.results * s.elements / GRAIN, most = work > 64 ? 64 : work;
    return n < most ? n : most < 1 ? 1 : most;
}

static void fold_run(const void *self, const run_job *job)
{
    const fold *f = self;
    const shape s = measure(f, job->arg);
    if (!s.results) return;
    const int64_t tiles = fold_tiles(self, job->arg), n = units(&s);
    const fold_ops *op = fold_here(job->arg[0].dtype, f->how);
    const int64_t lo = n * job->first / tiles, hi = n * (job->first + job->count) / tiles;
    if (s.columns) fold_columns(f, op, &s, job->arg, lo, hi);
    else fold_lines(f, op, &s, job->arg, lo, hi);
}

/* ---- argmax and argmin ---- */

/* One element as an ordered integer or as a double: what comparisons need. */
static double real_at(const void *p, tt_dtype t)
{
    switch ((int)t) {
    case TT_F32:  return *(const float *)p;
    case TT_F64:  return *(const double *)p;
    case TT_BF16: return s_f32_of_bf16(*(const uint16_t *)p);
    default:      return s_f32_of_f16(*(const uint16_t *)p);
    }
}

static int64_t whole_at(const void *p, tt_dtype t)       /* u64 keeps its order: the top bit is turned */
{
    switch ((int)t) {
    case TT_I8:  return *(const int8_t *)p;
    case TT_I16: return *(const int16_t *)p;
    case TT_I32: return *(const int32_t *)p;
    case TT_I64: return *(const int64_t *)p;
    case TT_U8:  return *(const uint8_t *)p;
    case TT_U16: return *(const uint16_t *)p;
    case TT_U32: return *(const uint32_t *)p;
    default:     return (int64_t)(*(const uint64_t *)p ^ (uint64_t)1 << 63);
    }
}

typedef struct { const char *v, *i; } pick;              /* where the best value and its index lie */

static pick better(const fold *f, pick a, pick b, tt_dtype tv, tt_dtype ti)
{
    bool first, equal;
    if (ir_is_float(tv)) {
        const double p = f->pick * real_at(a.v, tv), q = f->pick * real_at(b.v, tv);
        first = p > q || isnan(p), equal = p == q;
    } else {
        const int64_t p = whole_at(a.v, tv), q = whole_at(b.v, tv);
        first = f->pick > 0 ? p > q : p < q, equal = p == q;
    }
    const bool index = first || (equal && whole_at(a.i, ti) < whole_at(b.i, ti));
    return (pick){ first ? a.v : b.v, index ? a.i : b.i };
}

static void pick_run(const void *self, const run_job *job)
{
    const fold *f = self;
    const ir_box *arg = job->arg;
    const shape s = measure(f, arg);
    const tt_dtype tv = arg[0].dtype, ti = arg[1].dtype;
    const int64_t v = (int64_t)ir_dtype_of(tv)->bytes, i = (int64_t)ir_dtype_of(ti)->bytes;
    if (!s.results) return;
    const int64_t tiles = fold_tiles(self, arg), lo = s.results * job->first / tiles;
    const char *x = (const char *)arg[0].at + begin(f, &arg[0], &arg[4]) * v;
    const char *x2 = (const char *)arg[1].at + begin(f, &arg[1], &arg[4]) * i;
    for (int64_t r = lo; r < s.results * (job->first + job->count) / tiles; r++) {
        const offsets o = offset(&s.kept, s.kept.n, r);
        pick best = { arg[2].at, arg[3].at };
        for (int64_t k = 0; k < s.elements; k++) {
            const offsets p = offset(&s.folded, s.folded.n, k);
            best = better(f, best, (pick){ x + (o.x + p.x) * v, x2 + (o.x2 + p.x2) * i }, tv, ti);
        }
        memcpy((char *)arg[4].at + o.y * v, best.v, (size_t)v);
        memcpy((char *)arg[5].at + o.y2 * i, best.i, (size_t)i);
    }
}

/* ---- cumulative: lines along one dim ---- */

static int64_t cum_tiles(const void *self, const ir_box *arg)
{
    const fold *f = self;
    const ir_box *y = &arg[1];
    const int64_t along = y->n[IR_ATTR(f->e, op_cum_attr)->dimension], all = ir_box_count(y), work = all / GRAIN;
    const int64_t lines = along ? all / along : 1, most = work > 64 ? 64 : work;
    return lines < most ? lines : most < 1 ? 1 : most;
}

static void cum_run(const void *self, const run_job *job)
{
    const fold *f = self;
    const op_cum_attr *a = IR_ATTR(f->e, op_cum_attr);
    const ir_box *x = &job->arg[0], *y = &job->arg[1];
    const int k = (int)a->dimension;
    const int64_t n = y->n[k], size = (int64_t)ir_dtype_of(y->dtype)->bytes, tiles = cum_tiles(self, job->arg);
    if (!ir_box_count(y)) return;
    const int64_t lines = ir_box_count(y) / n, hi = lines * (job->first + job->count) / tiles;
    const fold_ops *op = fold_here(y->dtype, f->how);
    for (int64_t i = lines * job->first / tiles; i < hi; i++) {
        int64_t from = (y->lo[k] - x->lo[k]) * x->step[k], to = 0, rest = i;
        for (int d = y->rank - 1; d >= 0; d--) {
            if (d == k) continue;
            const int64_t at = rest % y->n[d];
            rest /= y->n[d];
            from += (y->lo[d] + at - x->lo[d]) * x->step[d], to += at * y->step[d];
        }
        const int64_t end = a->reverse ? n - 1 : 0, turn = a->reverse ? -1 : 1;
        op->prefix((char *)y->at + (to + end * y->step[k]) * size,
                   (const char *)x->at + (from + end * x->step[k]) * size, NULL, n, turn * y->step[k],
                   turn * x->step[k]);
    }
}

/* ---- the engine ---- */

static mesh_how cumulative(const ir_eqn *e)
{
    const op_row *by = op_cum_monoid(e);
    return by ? by->monoid : MESH_NONE;
}

static const char *fold_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || (e->op != &row_reduce && !cumulative(e))) return "not reduce and not cumulative";
    if (e->op == &row_reduce && e->nin == 4)
        return op_picks(e->sub[0]) ? NULL : "a reducer of pairs that is not argmax";
    const mesh_how how = e->op == &row_reduce ? op_monoid(e->sub[0]) : cumulative(e);
    if (how == MESH_NONE || e->nin > 2) return "a reducer of its own";
    return fold_here(IR_IN(e, 0)->dtype, how) ? NULL : "no loops for this data type";
}

static bool fold_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    fold *f = BASE_NEW(a, fold, 1);
    const ir_eqn *e = g->eqn[0];
    f->e = e;
    if (e->op == &row_reduce && e->nin == 4) {
        f->pick = op_picks(e->sub[0]);
        *k = (run_kernel){ .code = pick_run, .self = f, .tiles = fold_tiles, .name = base_intern("fold: argmax") };
    } else if (e->op == &row_reduce) {
        f->how = op_monoid(e->sub[0]);
        *k = (run_kernel){ .code = fold_run, .self = f, .tiles = fold_tiles, .name = base_intern("fold: reduce") };
    } else {
        f->how = cumulative(e);
        *k = (run_kernel){ .code = cum_run, .self = f, .tiles = cum_tiles, .name = base_intern("fold: prefix") };
    }
    k->site = e->site;
    return true;
}

const gen_engine gen_fold = { sizeof(gen_engine), "fold", fold_refuses, fold_make };
