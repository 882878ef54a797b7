/* gen/dot.c - dot_general on boxes, by gemm.c: dims become [batch, m, k] x [batch, k, n] by strides, nothing is moved.
 *
 * Neighbouring dims that lie in memory as one dim are one; what remains several is walked by pointers while packing. A
 * task is a part of the batches, or of one batch's rows or columns; parts depend on sizes only. What stands is told of
 * (epilogue.c): small batches together, large products block by block. An operand may be asked for (prologue.c): then
 * tasks are cut along it, and each has its part of it made in scratch. */
#include "gemv.h"

#include <string.h>

/* Products a task should have, where there are few rows: those wait for memory; columns of the widest tile. */
enum { LHS, RHS, OUT, NONE, GRAIN = 1 << 20, FEW_GRAIN = 1 << 18, WIDEST = 128, TOLD = 1 << 14 };
/* Of an operand that is asked for: bytes of a part; how many parts there are, if they have so many rows or columns. */
enum { ASKED = 1 << 20, ASKED_PARTS = 16, ASKED_LANES = 128 };
typedef struct {
    int n;
    struct {
        int64_t size, step[3], lo;
    } at[IR_RANK];
} axes; /* major to minor; steps per tensor */
typedef struct {
    const ir_eqn *e; gemm_type type; const gemm_isa *isa; const gemm_unit *unit;
    bool tree; int asks;                                 /* for this operand, or NONE */
} dot;
typedef struct {
    gemm g;
    axes batch, m, n, k;
    const char *p[3];                                    /* the box's first element that counts, of this batch */
    tt_dtype dtype[3];
    int64_t size[3];
    int dims[3];                                         /* of the result that are batches, rows, columns */
    int asks;                                            /* as dot's */
    const run_job *job; int64_t from[3];                 /* who is told; the part's first batch, row, column */
} problem;

/* ---- dims ---- */

static void add(axes *x, int64_t size, int64_t lhs, int64_t rhs, int64_t out)
{
    const int64_t step[3] = { lhs, rhs, out };
    bool joins = x->n > 0;
    if (size == 1) return;
    for (int t = 0; joins && t < 3; t++) joins = x->at[x->n - 1].step[t] == step[t] * size;
    if (!joins) x->n++, x->at[x->n - 1].size = 1;
    x->at[x->n - 1].size *= size;
    memcpy(x->at[x->n - 1].step, step, sizeof step);
}

static int64_t total(const axes *x)
{
    int64_t n = 1;
    for (int i = 0; i < x->n; i++) n *= x->at[i].size;
    return n;
}

static int64_t offset(const axes *x, int tensor, int64_t i)      /* elements, of index i in row-major order */
{
    int64_t at = 0;
    if (x->n == 1) return i * x->at[0].step[tensor];
    for (int d = x->n - 1; d >= 0; i /= x->at[d].size, d--) at += i % x->at[d].size * x->at[d].step[tensor];
    return at;
}

static int64_t inner(const axes *x) { return x->n ? x->at[x->n - 1].size : 1; }
static int64_t step(const axes *x, int tensor) { return x->n ? x->at[x->n - 1].step[tensor] : 1; }
static bool as_one(const axes *x, int t)                 /* do they lie as one dim in this tensor? */
{
    for (int d = 1; d < x->n; d++) if (x->at[d - 1].step[t] != x->at[d].step[t] * x->at[d].size) return false;
    return true;
}
static int64_t run(const axes *x, int64_t i, int64_t n)  /* how many from i on lie `step` apart, at most n */
{
    const int64_t left = inner(x) - i % inner(x);
    return left < n ? left : n;
}

/* ---- packing ---- */

/* width lanes from `lane` on of axis l, and nk of k from `from` on: dst[k][lane]. */
static void pack(const problem *p, int t, const axes *l, char *dst, int width, int64_t lane, int lanes, int64_t from,
                 int64_t nk)
{
    const gemm_isa *isa = p->g.isa;
    const gemm_type type = p->g.type;
    const int64_t acc = (int64_t)gemm_bytes(type), ls = step(l, t), ks = step(&p->k, t);
    const bool straight = run(l, lane, lanes) == lanes && (ls == 1 || ks != 1);
    const void *row[WIDEST];
    for (int64_t i = 0; i < nk;) {
        const int64_t n = run(&p->k, from + i, nk - i), at = offset(&p->k, t, from + i);
        if (straight) {
            const char *src = p->p[t] + (at + offset(l, t, lane)) * p->size[t];
            isa->from_lanes[type](dst + i * width * acc, width, p->dtype[t], src, ks, ls, lanes, n);
        } else {
            for (int j = 0; j < width; j++)
                row[j] = j < lanes ? p->p[t] + (at + offset(l, t, lane + j)) * p->size[t] : NULL;
            isa->from_rows[type](dst + i * width * acc, width, p->dtype[t], row, ks, n);
        }
        i += n;
    }
}

static void pack_a(const gemm *g, void *dst, int width, int64_t row, int64_t k, int64_t nk)
{
    const problem *p = g->env;
    pack(p, LHS, &p->m, dst, width, row, width, k, nk);
}

static void pack_b(const gemm *g, void *dst, int width, int64_t col, int cols, int64_t k, int64_t nk)
{
    const problem *p = g->env;
    pack(p, RHS, &p->n, dst, width, col, cols, k, nk);
}

static void store(const gemm *g, int64_t row, int rows, int64_t col, int cols, const void *tile, int64_t ld)
{
    const problem *p = g->env;
    const int64_t acc = (int64_t)gemm_bytes(g->type), s = step(&p->n, OUT);
    for (int i = 0; i < rows; i++) {
        const int64_t to = offset(&p->m, OUT, row + i);
        for (int64_t j = 0; j < cols;) {
            const int64_t n = run(&p->n, col + j, cols - j);
            char *q = (char *)p->p[OUT] + (to + offset(&p->n, OUT, col + j)) * p->size[OUT];
            g->isa->narrow[g->type](q, p->dtype[OUT], s, (const char *)tile + (i * ld + j) * acc, n);
            j += n;
        }
    }
}

/* ---- a box ---- */

static int free_dims(int rank, ir_dims batch, ir_dims sum, int *out)
{
    int n = 0;
    for (int d = 0; d < rank; d++) if (!op_dims_has(batch, d) && !op_dims_has(sum, d)) out[n++] = d;
    return n;
}

/* For boxes without addresses, while a program is bound: NULL means that an operand does not lie as it should, and what
 * is chosen then must be what is chosen when it runs. */
static const char nowhere[64];

static void shape(const dot *d, const ir_box *arg, problem *p)
{
    const op_dot_attr *a = IR_ATTR(d->e, op_dot_attr);
    const ir_box *x = &arg[LHS], *y = &arg[RHS], *z = &arg[OUT];
    int64_t from[2] = { 0, 0 };
    int free[2][IR_RANK], o = 0;
    *p = (problem){ .g = { .isa = d->isa, .type = d->type, .tree = d->tree, .pack_a = pack_a, .pack_b = pack_b,
                           .store = store }, .asks = d->asks };
    for (int i = 0; i < a->lhs_batching.n; i++, o++) {
        const int l = (int)a->lhs_batching.v[i], r = (int)a->rhs_batching.v[i];
        add(&p->batch, z->n[o], x->step[l], y->step[r], z->step[o]);
        from[0] += (z->lo[o] - x->lo[l]) * x->step[l], from[1] += (z->lo[o] - y->lo[r]) * y->step[r];
    }
    const int nm = free_dims(x->rank, a->lhs_batching, a->lhs_contracting, free[0]);
    const int nn = free_dims(y->rank, a->rhs_batching, a->rhs_contracting, free[1]);
    memcpy(p->dims, (int[3]){ o, nm, nn }, sizeof p->dims);
    for (int i = 0; i < nm; i++, o++) {
        add(&p->m, z->n[o], x->step[free[0][i]], 0, z->step[o]);
        from[0] += (z->lo[o] - x->lo[free[0][i]]) * x->step[free[0][i]];
    }
    for (int i = 0; i < nn; i++, o++) {
        add(&p->n, z->n[o], 0, y->step[free[1][i]], z->step[o]);
        from[1] += (z->lo[o] - y->lo[free[1][i]]) * y->step[free[1][i]];
    }
    for (int i = 0; i < a->lhs_contracting.n; i++) {     /* both boxes hold the same part of the sum, or more */
        const int l = (int)a->lhs_contracting.v[i], r = (int)a->rhs_contracting.v[i];
        const int64_t lo = x->lo[l] > y->lo[r] ? x->lo[l] : y->lo[r], xe = x->lo[l] + x->n[l], ye = y->lo[r] + y->n[r];
        const int64_t n = (xe < ye ? xe : ye) - lo;
        add(&p->k, n < 0 ? 0 : n, x->step[l], y->step[r], 0);
        from[0] += (lo - x->lo[l]) * x->step[l], from[1] += (lo - y->lo[r]) * y->step[r];
    }
    for (int t = 0; t < 3; t++) {
        p->dtype[t] = arg[t].dtype;
        p->size[t] = (int64_t)ir_dtype_of(arg[t].dtype)->bytes;
        p->p[t] = arg[t].at ? (const char *)arg[t].at + (t < 2 ? from[t] * p->size[t] : 0) : nowhere;
    }
    p->g.m = total(&p->m), p->g.n = total(&p->n), p->g.k = total(&p->k);
}

static bool in_blocks(const axes *x) { return x->n <= 1 || inner(x) % GEMM_BLOCK == 0; }

static int64_t place(const gemm *g, int t, int64_t i, int64_t j)
{
    const problem *p = g->env;
    return t == RHS ? offset(&p->k, t, i) + offset(&p->n, t, j) : offset(&p->m, t, i) + offset(t ? &p->n : &p->k, t, j);
}

/* Several dims that do not lie as one: heads between rows and what is summed, say. The unit takes them block by
 * block. */
static void set_places(problem *q)
{
    const int64_t am = step(&q->m, LHS), ak = step(&q->k, LHS), bk = step(&q->k, RHS), bn = step(&q->n, RHS);
    gemm *g = &q->g;
    if (!g->unit || (q->m.n <= 1 && q->n.n <= 1 && q->k.n <= 1)) return;
    if (q->dtype[LHS] != TT_F32 || q->dtype[RHS] != TT_F32 || q->dtype[OUT] != TT_F32) return;
    if (!in_blocks(&q->m) || !in_blocks(&q->n) || !in_blocks(&q->k)) return;
    if ((am != 1 && ak != 1) || (bk != 1 && bn != 1) || step(&q->n, OUT) != 1) return;
    g->place = place, g->k_run = inner(&q->k);
    g->a_turned = ak != 1, g->b_turned = bn != 1;
    g->a = q->p[LHS], g->b = q->p[RHS], g->c = (void *)(uintptr_t)q->p[OUT];
    g->lda = g->a_turned ? ak : am, g->ldb = g->b_turned ? bn : bk, g->ldc = step(&q->m, OUT);
}

/* Rows [m0, m0+m), columns [n0, n0+n) of one batch: of several dims that do not lie as one, all. */
static gemm part(const problem *p, problem *q, int64_t batch, int64_t m0, int64_t m, int64_t n0, int64_t n)
{
    static const tt_dtype native[GEMM_TYPES][2] = {
        { TT_F32, TT_F32 }, { TT_F64, TT_F64 }, { TT_I32, TT_U32 }, { TT_I64, TT_U64 }
    };
    const tt_dtype *own = native[p->g.type];
    const bool is[3] = { false, p->dtype[RHS] == own[0] || p->dtype[RHS] == own[1],
                         p->dtype[OUT] == own[0] || p->dtype[OUT] == own[1] };
    *q = *p;
    for (int t = 0; t < 3; t++) q->p[t] += offset(&p->batch, t, batch) * p->size[t];
    gemm *g = &q->g;
    g->env = q, g->m = m, g->n = n;
    memcpy(q->from, (int64_t[3]){ batch, m0, n0 }, sizeof q->from);
    q->p[LHS] += m0 ? offset(&p->m, LHS, m0) * p->size[LHS] : 0;
    q->p[RHS] += n0 ? offset(&p->n, RHS, n0) * p->size[RHS] : 0;
    q->p[OUT] += ((m0 ? offset(&p->m, OUT, m0) : 0) + (n0 ? offset(&p->n, OUT, n0) : 0)) * p->size[OUT];
    if (is[OUT] && p->m.n <= 1 && p->n.n <= 1 && step(&p->n, OUT) == 1)
        g->c = (void *)(uintptr_t)q->p[OUT], g->ldc = p->m.n ? step(&p->m, OUT) : n;
    if (is[RHS] && p->n.n <= 1 && p->k.n <= 1) {
        g->b_turned = step(&p->n, RHS) != 1 && step(&p->k, RHS) == 1;
        if (g->b_turned || step(&p->n, RHS) == 1) g->b = q->p[RHS];
        g->ldb = g->b_turned ? step(&p->n, RHS) : p->k.n ? step(&p->k, RHS) : n;
    }
    if (p->dtype[LHS] == own[0] && p->m.n <= 1 && p->k.n <= 1) {
        g->a_turned = step(&p->k, LHS) != 1 && step(&p->m, LHS) == 1;
        if (g->a_turned || step(&p->k, LHS) == 1) g->a = q->p[LHS];
        g->lda = step(g->a_turned ? &p->k : &p->m, LHS);
    }
    for (int t = 0; t < 2; t++) {
        const axes *lanes = t ? &p->n : &p->m;
        if (lanes->n > 1 || !as_one(&p->k, t)) continue;
        g->side[t] = (gemm_side){ q->p[t], p->dtype[t], lanes->n ? step(lanes, t) : 0, p->k.n ? step(&p->k, t) : 0 };
    }
    set_places(q);
    return *g;
}

/* From a batch's whole product to the next one's: only where things lie is another place. */
static void next(const problem *p, problem *q, int64_t batch)
{
    gemm *g = &q->g;
    int64_t by[3];
    q->from[0] = batch;
    for (int t = 0; t < 3; t++) {
        by[t] = (offset(&p->batch, t, batch) - offset(&p->batch, t, batch - 1)) * p->size[t];
        q->p[t] += by[t];
        if (t < 2 && g->side[t].at) g->side[t].at = (const char *)g->side[t].at + by[t];
    }
    if (g->a) g->a = (const char *)g->a + by[LHS];
    if (g->b) g->b = (const char *)g->b + by[RHS];
    if (g->c) g->c = (char *)g->c + by[OUT];
}

static void measure(const dot *d, const ir_box *arg, problem *p)
{
    problem q;
    shape(d, arg, p);
    if (!d->unit || !p->g.m || !p->g.n || !p->g.k || !total(&p->batch)) return;
    p->g.unit = d->unit;
    const gemm g = part(p, &q, 0, 0, p->g.m, 0, p->g.n);
    if (!d->unit->worth(&g, p->dtype[LHS], p->dtype[RHS])) p->g.unit = NULL;
}

/* ---- tasks: the batches in ranges, or each batch cut along m or n ---- */

typedef struct { int64_t batches, cuts; bool rows; } grid;

static const axes *asked_axes(const problem *p) { return p->asks == LHS ? &p->m : &p->n; }
/* Bytes of what is asked for, of a batch. */
static int64_t asked_batch(const problem *p) { return total(asked_axes(p)) * p->g.k * p->size[p->asks]; }

static grid asked_grid(const problem *p)
{
    const axes *x = asked_axes(p);
    const int64_t b = total(&p->batch), n = total(x), each = asked_batch(p), parts = (b * each + ASKED - 1) / ASKED;
    const int64_t want = parts < ASKED_PARTS ? ASKED_PARTS : parts;
    grid g = { b < want ? b : want, 1, p->asks == LHS };
    if (b >= want || x->n > 1) return g;
    const int64_t least = (each + ASKED - 1) / ASKED, cuts = (want + b - 1) / b, most = n / ASKED_LANES;
    g.cuts = cuts < most ? cuts : least > most ? least : most;
    if (g.cuts < 1) g.cuts = 1;
    return g;
}

static grid grid_of(const problem *p)
{
    if (p->asks != NONE) return asked_grid(p);
    const int64_t b = total(&p->batch), m = p->g.m, n = p->g.n, k = p->g.k ? p->g.k : 1;
    const double grain = m <= GEMV_FEW || n <= GEMV_FEW ? FEW_GRAIN : GRAIN;
    const double work = (double)b * (double)m * (double)n * (double)k / grain;
    const int64_t want = work < 1 ? 1 : work > 64 ? 64 : (int64_t)work;
    grid g = { b, 1, false };
    if (b >= want) {
        g.batches = b < want ? b : want;
        return g;
    }
    const int64_t cuts = (want + b - 1) / b;
    /* what is not cut is packed by each; a power of two, so that each worker has as many */
    g.rows = p->m.n <= 1 && m >= 4 * p->g.isa->rows && (p->n.n > 1 || m >= n);
    const int64_t most = g.rows ? m / (2 * p->g.isa->rows) : p->n.n <= 1 ? n / (8 * p->g.isa->lanes[p->g.type]) : 1;
    while (2 * g.cuts <= most && g.cuts < cuts) g.cuts *= 2;
    return g;
}

/* Cut i of n: rows in whole tiles are not needed but by the unit, columns are cut at whole panels. */
static int64_t cut(const problem *p, const grid *g, int64_t i)
{
    const int64_t wide = 2 * p->g.isa->lanes[p->g.type], unit = g->rows && !p->g.unit ? 1 : wide,
                  all = g->rows ? p->g.m : p->g.n;
    return i == g->cuts ? all : all / unit * i / g->cuts * unit;
}

/* Bytes of the largest part of what is asked for; what is written may reach a little over it. */
static int64_t asked_bytes(const problem *p, const grid *g)
{
    if (p->asks == NONE) return 0;
    const int64_t b = total(&p->batch), each = asked_batch(p), n = total(asked_axes(p));
    int64_t most = (b + g->batches - 1) / g->batches * each;
    for (int64_t i = 0; g->cuts > 1 && i < g->cuts; i++) {
        const int64_t bytes = (cut(p, g, i + 1) - cut(p, g, i)) * (each / n);
        if (!i || bytes > most) most = bytes;
    }
    return (most + GEMM_SLACK + 63) / 64 * 64;
}

static int64_t dot_tiles(const void *self, const ir_box *arg)
{
    problem p;
    measure(self, arg, &p);
    if (!p.g.m || !p.g.n || !total(&p.batch)) return 1;
    const grid g = grid_of(&p);
    return g.batches * g.cuts;
}

static int64_t dot_scratch(const void *self, const ir_box *arg)
{
    problem p, q;
    measure(self, arg, &p);
    if (!p.g.m || !p.g.n || !total(&p.batch)) return 0;
    const gemm g = part(&p, &q, 0, 0, p.g.m, 0, p.g.n);
    const grid cuts = grid_of(&p);
    return asked_bytes(&p, &cuts) + gemm_scratch(&g);
}

static void tell(const problem *p, int64_t batch, int64_t batches, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const gen_range r[3] = { { p->dims[0], batch, batches }, { p->dims[1], row, rows }, { p->dims[2], col, cols } };
    gen_tell(p->job, &p->job->arg[OUT], 3, r);
}

static void made(const gemm *g, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const problem *q = g->env;
    tell(q, q->from[0], 1, q->from[1] + row, rows, q->from[2] + col, cols);
}

/* Rows or columns [lane, lane + lanes) of these batches of the operand, to `room`, where all of it would lie so. */
static void ask(problem *p, char *room, int64_t batch, int64_t batches, int64_t lane, int64_t lanes)
{
    const int64_t n = total(asked_axes(p)), each = p->g.k * p->size[p->asks];
    const gen_range r[2] = { { p->dims[0], batch, batches }, { p->dims[1 + p->asks], lane, lanes } };
    ir_box x = p->job->arg[p->asks];
    x.at = (void *)((uintptr_t)room - (uintptr_t)((batch * n + lane) * each));
    p->p[p->asks] = x.at;
    gen_ask(p->job, &x, 2, r);
}

/* Batches [from, to). Small ones are told of together. */
static void run_batches(const problem *p, int64_t from, int64_t to, void *scratch)
{
    problem q;
    const bool small = p->g.m * p->g.n < TOLD;
    int64_t told = from;
    for (int64_t b = from; b < to; b++) {
        if (b == from) part(p, &q, b, 0, p->g.m, 0, p->g.n);
        else next(p, &q, b);
        if (small) q.g.made = NULL;
        gemm_run(&q.g, scratch);
        if (!small || !p->g.made || ((b + 1 - told) * p->g.m * p->g.n < TOLD && b + 1 < to)) continue;
        tell(p, told, b + 1 - told, 0, p->g.m, 0, p->g.n);
        told = b + 1;
    }
}

static void dot_run(const void *self, const run_job *job)
{
    const dot *d = self;
    problem p, q;
    measure(d, job->arg, &p);
    const int64_t all = total(&p.batch);
    if (!p.g.m || !p.g.n || !all) return;
    p.job = job;
    if (job->told && job->told->part) p.g.made = made;
    const grid g = grid_of(&p);
    const bool asks = d->asks != NONE;
    char *const room = job->scratch, *const scratch = room + asked_bytes(&p, &g);
    for (int64_t t = job->first, end = job->first + job->count; t < end;) {
        if (g.cuts == 1) {
            const int64_t from = all * t / g.batches, to = all * ++t / g.batches;
            if (asks) ask(&p, room, from, to - from, 0, total(asked_axes(&p)));
            run_batches(&p, from, to, scratch);
            continue;
        }
        const int64_t b = t / g.cuts, first = t % g.cuts, left = end - b * g.cuts;
        const int64_t stop = asks ? first + 1 : left < g.cuts ? left : g.cuts;
        const int64_t lo = cut(&p, &g, first), n = cut(&p, &g, stop) - lo;      /* neighbouring cuts are one product */
        if (asks) ask(&p, room, b, 1, lo, n);
        if (g.rows) part(&p, &q, b, lo, n, 0, p.g.n);
        else part(&p, &q, b, 0, p.g.m, lo, n);
        gemm_run(&q.g, scratch);
        t += stop - first;
    }
}

/* ---- the engine ---- */

static const char *dot_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || e->op != &row_dot_general) return "not dot_general";
    return gemm_refuses(IR_IN(e, 0)->dtype, IR_OUT(e, 0)->dtype);
}

/* The whole sizes; false: the group is no product in the usual order, or one of nothing. */
static bool sizes_of(const gen_group *g, gemm *all)
{
    const ir_eqn *e = g->eqn[0];
    if (g->neqn != 1 || e->op != &row_dot_general || g->reproducible) return false;
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    const ir_type *x = IR_IN(e, 0), *y = IR_IN(e, 1);
    *all = (gemm){ .type = gemm_type_of(x->dtype, IR_OUT(e, 0)->dtype), .m = ir_count(x), .n = ir_count(y), .k = 1 };
    if (IR_OUT(e, 0)->dtype == TT_F32) all->c = all;     /* C will hold sums: any k is done in blocks */
    for (int i = 0; i < a->lhs_contracting.n; i++) all->k *= x->dim[a->lhs_contracting.v[i]];
    int64_t shared = all->k;
    for (int i = 0; i < a->lhs_batching.n; i++) shared *= x->dim[a->lhs_batching.v[i]];
    if (!shared) return false;
    all->m /= shared, all->n /= shared;
    return true;
}

bool gemm_on_unit(const gen_group *g)
{
    const gemm_unit *u = gemm_unit_here();
    gemm all;
    return u && sizes_of(g, &all) && u->worth(&all, IR_IN(g->eqn[0], 0)->dtype, IR_IN(g->eqn[0], 1)->dtype);
}

bool gemm_is_few(const gen_group *g)
{
    gemm all;
    if (!sizes_of(g, &all)) return false;
    if (all.m <= GEMV_SMALL && all.n <= GEMV_SMALL && all.k <= GEMV_SMALL) return true;
    return all.m <= GEMV_FEW || all.n <= GEMV_FEW;
}

void gen_asking_kernel(base_arena *a, const gen_group *g, int operand, run_kernel *k)
{
    dot *d = BASE_NEW(a, dot, 1);
    const ir_eqn *e = g->eqn[0];
    *d = (dot){ e, gemm_type_of(IR_IN(e, 0)->dtype, IR_OUT(e, 0)->dtype), gemm_here(),
                g->reproducible ? NULL : gemm_unit_here(), g->reproducible && ir_is_float(IR_IN(e, 0)->dtype),
                operand };
    *k = (run_kernel){ .code = dot_run, .self = d, .tiles = dot_tiles, .scratch = dot_scratch, .joins = true,
                       .tells = true, .name = base_intern("dot"), .site = e->site };
}

static bool dot_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    gen_asking_kernel(a, g, NONE, k);
    return true;
}

const gen_engine gen_dot = { sizeof(gen_engine), "dot", dot_refuses, dot_make };
