/* gen/matmul/dot.c - dot_general on boxes, by gemm.c: dims become [batch, m, k] x [batch, k, n] by strides, without
 * moving data (dot_box.c).
 *
 * A task is a part of the batches, or of one batch's rows or columns; the parts depend on sizes only. Completed parts
 * of the result are notified of (epilogue.c): small batches together, large products block by block. An operand may be
 * requested on demand (prologue.c): then tasks are split along this operand, and each task requests its part of the
 * operand into scratch. */
#include "dot.h"
#include "../../op/ops.h"

#include "gemv.h"

/* GRAIN: products that a task should have; FEW_GRAIN: the same with few rows or columns, where memory is the
 * bottleneck. NOTIFIED: elements notified of together. */
enum { GRAIN = 1 << 20, FEW_GRAIN = 1 << 18, NOTIFIED = 1 << 14 };
/* Of an operand on demand, REQUESTED: bytes of a part; REQUESTED_PARTS: least number of parts, if each then has at
 * least REQUESTED_LANES rows or columns. */
enum { REQUESTED = 1 << 20, REQUESTED_PARTS = 16, REQUESTED_LANES = 128 };

/* ---- tasks: the batches in ranges, or each batch split along m or n ---- */

typedef struct { int64_t batches, splits; bool rows; } grid;

static const dot_axes *on_demand_axes(const dot_problem *p) { return p->on_demand == LHS ? &p->m : &p->n; }
/* Bytes of the operand on demand, per batch. */
static int64_t on_demand_batch(const dot_problem *p)
{
    return dot_total(on_demand_axes(p)) * dot_total(&p->k) * p->size[p->on_demand];
}

static grid on_demand_grid(const dot_problem *p)
{
    const dot_axes *x = on_demand_axes(p);
    const int64_t b = dot_total(&p->batch), n = dot_total(x), each = on_demand_batch(p);
    const int64_t parts = (b * each + REQUESTED - 1) / REQUESTED;
    const int64_t want = parts < REQUESTED_PARTS ? REQUESTED_PARTS : parts;
    grid g = { b < want ? b : want, 1, p->on_demand == LHS };
    if (b >= want || x->n > 1) return g;
    const int64_t least = (each + REQUESTED - 1) / REQUESTED, splits = (want + b - 1) / b, most = n / REQUESTED_LANES;
    g.splits = splits < most ? splits : least > most ? least : most;
    if (g.splits < 1) g.splits = 1;
    return g;
}

/* The number of rows that stay together. Rows of several dims without a common stride (stacks of several devices' rows)
 * are split along the first dim alone. */
static int64_t dot_together(const dot_problem *p) { return p->m.n > 1 ? p->g.m / p->m.at[0].size : 1; }

static grid grid_of(const dot_problem *p)
{
    if (p->on_demand != NONE) return on_demand_grid(p);
    const int64_t b = dot_total(&p->batch), m = p->g.m, n = p->g.n, k = p->g.k ? p->g.k : 1;
    const double grain = m <= GEMV_FEW || n <= GEMV_FEW ? FEW_GRAIN : GRAIN;
    const double work = (double)b * (double)m * (double)n * (double)k / grain;
    const int64_t want = work < 1 ? 1 : work > 64 ? 64 : (int64_t)work;
    grid g = { b, 1, false };
    if (b >= want) {
        g.batches = b < want ? b : want;
        return g;
    }
    const int64_t splits = (want + b - 1) / b, places = m / dot_together(p);
    /* Every task packs the operand that is not split. The number of splits is a power of two, so that workers have
     * equal shares. */
    g.rows = (p->m.n <= 1 || places % 4 == 0) && m >= 4 * p->g.isa->rows && (p->n.n > 1 || m >= n);
    int64_t most = g.rows ? m / (2 * p->g.isa->rows) : p->n.n <= 1 ? n / (8 * p->g.isa->lanes[p->g.type]) : 1;
    if (g.rows && places < most) most = places & -places;
    while (2 * g.splits <= most && g.splits < splits) g.splits *= 2;
    return g;
}

/* Where part i of g->splits begins: row splits at dot_together's rows, on the unit at full tiles, else at any row;
 * column splits at full panels. */
static int64_t dot_split_at(const dot_problem *p, const grid *g, int64_t i)
{
    const int64_t wide = 2 * p->g.isa->lanes[p->g.type], all = g->rows ? p->g.m : p->g.n,
                  unit = g->rows && p->m.n > 1 ? dot_together(p) : g->rows && !p->g.matrix_unit ? 1 : wide;
    return i == g->splits ? all : all / unit * i / g->splits * unit;
}

/* Bytes of the largest part of the operand on demand, with slack for writes past the part's end. */
static int64_t on_demand_bytes(const dot_problem *p, const grid *g)
{
    if (p->on_demand == NONE) return 0;
    const int64_t b = dot_total(&p->batch), each = on_demand_batch(p), n = dot_total(on_demand_axes(p));
    int64_t most = (b + g->batches - 1) / g->batches * each;
    for (int64_t i = 0; g->splits > 1 && i < g->splits; i++) {
        const int64_t bytes = (dot_split_at(p, g, i + 1) - dot_split_at(p, g, i)) * (each / n);
        if (!i || bytes > most) most = bytes;
    }
    return gemm_padded(most);
}

static int64_t dot_tiles(const void *self, const ir_box *arg)
{
    dot_problem p;
    dot_measure(self, arg, &p);
    if (!p.g.m || !p.g.n || !dot_total(&p.batch)) return 1;
    const grid g = grid_of(&p);
    return g.batches * g.splits;
}

static int64_t dot_scratch(const void *self, const ir_box *arg)
{
    dot_problem p, q;
    dot_measure(self, arg, &p);
    if (!p.g.m || !p.g.n || !dot_total(&p.batch)) return 0;
    const gemm g = dot_part(&p, &q, 0, 0, p.g.m, 0, p.g.n);
    const grid splits = grid_of(&p);
    return on_demand_bytes(&p, &splits) + gemm_scratch(&g);
}

static void dot_notify(const dot_problem *p, int64_t batch, int64_t batches, int64_t row, int64_t rows, int64_t col,
                       int64_t cols)
{
    const gen_range r[3] = { { p->dims[0], batch, batches }, { p->dims[1], row, rows }, { p->dims[2], col, cols } };
    gen_notify(p->job, &p->job->arg[OUT], 3, r);
}

static void dot_made(const gemm *g, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
    const dot_problem *q = g->env;
    dot_notify(q, q->from[0], 1, q->from[1] + row, rows, q->from[2] + col, cols);
}

/* Requests rows or columns [lane, lane + lanes) of these batches of the operand into `buffer`, in the layout of the
 * dense full operand. */
static void dot_request(dot_problem *p, char *buffer, int64_t batch, int64_t batches, int64_t lane, int64_t lanes)
{
    const int64_t n = dot_total(on_demand_axes(p)), each = dot_total(&p->k) * p->size[p->on_demand];
    const gen_range r[2] = { { p->dims[0], batch, batches }, { p->dims[1 + p->on_demand], lane, lanes } };
    ir_box x = p->job->arg[p->on_demand];
    x.at = (void *)((uintptr_t)buffer - (uintptr_t)((batch * n + lane) * each));
    p->p[p->on_demand] = x.at;
    gen_request(p->job, &x, 2, r);
}

/* Computes batches [from, to). Small batches are notified of together. */
static void run_batches(const dot_problem *p, int64_t from, int64_t to, void *scratch)
{
    dot_problem q;
    const bool small = p->g.m * p->g.n < NOTIFIED;
    int64_t notified = from;
    for (int64_t b = from; b < to; b++) {
        if (b == from) dot_part(p, &q, b, 0, p->g.m, 0, p->g.n);
        else dot_next(p, &q, b);
        if (small) q.g.on_made = NULL;
        gemm_run(&q.g, scratch);
        if (!small || !p->g.on_made || ((b + 1 - notified) * p->g.m * p->g.n < NOTIFIED && b + 1 < to)) continue;
        dot_notify(p, notified, b + 1 - notified, 0, p->g.m, 0, p->g.n);
        notified = b + 1;
    }
}

static void dot_run(const void *self, const run_job *job)
{
    const dot *d = self;
    dot_problem p, q;
    dot_measure(d, job->arg, &p);
    const int64_t all = dot_total(&p.batch);
    if (!p.g.m || !p.g.n || !all) return;
    p.job = job;
    if (job->callbacks && job->callbacks->on_written) p.g.on_made = dot_made;
    const grid g = grid_of(&p);
    const bool requests = d->on_demand != NONE;
    char *const buffer = job->scratch, *const scratch = buffer + on_demand_bytes(&p, &g);
    for (int64_t t = job->first, end = job->first + job->count; t < end;) {
        if (g.splits == 1) {
            const int64_t from = all * t / g.batches, to = all * ++t / g.batches;
            if (requests) dot_request(&p, buffer, from, to - from, 0, dot_total(on_demand_axes(&p)));
            run_batches(&p, from, to, scratch);
            continue;
        }
        const int64_t b = t / g.splits, first = t % g.splits, left = end - b * g.splits;
        const int64_t stop = requests ? first + 1 : left < g.splits ? left : g.splits;
        /* neighbouring parts are one product */
        const int64_t lo = dot_split_at(&p, &g, first), n = dot_split_at(&p, &g, stop) - lo;
        if (requests) dot_request(&p, buffer, b, 1, lo, n);
        if (g.rows) dot_part(&p, &q, b, lo, n, 0, p.g.n);
        else dot_part(&p, &q, b, 0, p.g.m, lo, n);
        gemm_run(&q.g, scratch);
        t += stop - first;
    }
}

/* ---- the engine ---- */

/* Number of the group's operand that x is, or that a conversion in the group from float32 to bf16 makes x of; -1:
 * none. */
static int dot_operand(const gen_group *g, ir_id x)
{
    for (uint32_t k = 0; k + 1 < g->neqn; k++)
        if (g->eqn[k]->out == x && g->eqn[k]->op == &prim_convert && IR_IN(g->eqn[k], 0)->dtype == TT_F32
            && IR_OUT(g->eqn[k], 0)->dtype == TT_BF16) x = g->eqn[k]->in[0];
    for (uint32_t i = 0; i < g->nin; i++) if (g->in[i] == x) return (int)i;
    return -1;
}

/* The group's product, alone or behind conversions of its operands; NULL: another group. */
static const ir_eqn *dot_of(const gen_group *g)
{
    const ir_eqn *const e = g->eqn[g->neqn - 1];
    if (e->op != &prim_dot_general || g->neqn > 3) return NULL;
    if (g->neqn == 1) return e;
    const int x = dot_operand(g, e->in[0]), y = dot_operand(g, e->in[1]);
    return g->nin == 2 && g->nout == 1 && g->out[0] == e->out && x >= 0 && y >= 0 && x != y ? e : NULL;
}

static const char *dot_refuses(const gen_group *g)
{
    const ir_eqn *const e = dot_of(g);
    if (!e) return "not dot_general";
    if (g->neqn > 1 && gemm_isa_for(g)->depth == 1) return "products in pairs alone round their operands";
    return gemm_refuses(IR_IN(e, 0)->dtype, IR_OUT(e, 0)->dtype);
}

/* Sets the full sizes. Returns false if the group is no product in the usual order of sums, or if the product is
 * empty. */
static bool dot_sizes_of(const gen_group *g, gemm *all)
{
    const ir_eqn *const e = dot_of(g);
    if (!e || g->reproducible) return false;
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    const ir_type *x = IR_IN(e, 0), *y = IR_IN(e, 1);
    *all = (gemm){ .type = gemm_type_of(x->dtype, IR_OUT(e, 0)->dtype), .m = ir_count(x), .n = ir_count(y), .k = 1 };
    if (IR_OUT(e, 0)->dtype == TT_F32) all->c = all;     /* C can hold sums: any k is computed in blocks */
    for (int i = 0; i < a->lhs_contracting_dimensions.n; i++) all->k *= x->dim[a->lhs_contracting_dimensions.v[i]];
    int64_t shared = all->k;
    for (int i = 0; i < a->lhs_batching_dimensions.n; i++) shared *= x->dim[a->lhs_batching_dimensions.v[i]];
    if (!shared) return false;
    all->m /= shared, all->n /= shared;
    return true;
}

bool gemm_is_exact(const ir_eqn *e)
{
    const bool dot = e->op == &prim_dot_general;
    return (dot ? IR_ATTR(e, op_dot_attr)->precision : IR_ATTR(e, op_conv_attr)->precision) == OP_HIGHEST;
}

static const gemm_matrix_unit *unit_for(const gen_group *g)
{
    return g->reproducible || gemm_is_exact(dot_of(g)) ? NULL : gemm_matrix_unit_here();
}

bool gemm_on_unit(const gen_group *g)
{
    const ir_eqn *const e = dot_of(g);
    const gemm_matrix_unit *u = e ? unit_for(g) : NULL;
    gemm all;
    return u && dot_sizes_of(g, &all) && u->worth(&all, IR_IN(e, 0)->dtype, IR_IN(e, 1)->dtype);
}

bool gemm_is_few(const gen_group *g)
{
    gemm all;
    if (!dot_sizes_of(g, &all)) return false;
    if (all.m <= GEMV_SMALL && all.n <= GEMV_SMALL && all.k <= GEMV_SMALL) return true;
    return all.m <= GEMV_FEW || all.n <= GEMV_FEW;
}

const gemm_isa *gemm_isa_for(const gen_group *g)
{
    gemm all;
    const ir_eqn *const e = dot_of(g);
    if (!dot_sizes_of(g, &all) || gemm_is_exact(e) || gemm_is_few(g)) return gemm_here();
    const tt_dtype z = IR_OUT(e, 0)->dtype;
    const bool pairs = IR_IN(e, 0)->dtype == TT_BF16 && IR_IN(e, 1)->dtype == TT_BF16 && (z == TT_BF16 || z == TT_F32);
    const gemm_isa *isa = pairs ? gemm_bf16_here() : NULL;
    return isa ? isa : gemm_here();
}

bool gen_rounds_operands(const ir_eqn *e, bool reproducible)
{
    const gen_group one = { 1, &e, e->nin, 1, e->in, &e->out, reproducible };
    return e->op == &prim_dot_general && gemm_isa_for(&one)->depth > 1 && !gemm_matrix_unit_here();
}

void gen_on_demand_kernel(base_arena *a, const gen_group *g, int operand, run_kernel *k)
{
    dot *d = BASE_NEW(a, dot, 1);
    const ir_eqn *const e = dot_of(g);
    const bool alone = g->neqn == 1;
    *d = (dot){ e, gemm_type_of(IR_IN(e, 0)->dtype, IR_OUT(e, 0)->dtype), gemm_isa_for(g),
                alone ? unit_for(g) : NULL, g->reproducible && ir_is_float(IR_IN(e, 0)->dtype), operand,
                !alone && dot_operand(g, e->in[LHS]) == RHS };
    *k = (run_kernel){ .code = dot_run, .self = d, .tiles = dot_tiles, .scratch = dot_scratch, .merges = true,
                       .notifies = true, .name = base_intern("dot"), .site = e->site };
}

static bool dot_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    gen_on_demand_kernel(a, g, NONE, k);
    return true;
}

const gen_engine gen_dot = { sizeof(gen_engine), "dot", dot_refuses, dot_make };
