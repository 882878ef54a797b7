/* gen/rows/rows.c - the engine of row patterns: elementwise equations over rows, reductions of the rows, elementwise
 * equations over the results, and broadcasts of these over the rows. Examples: softmax, layer norm, cross-entropy and
 * their gradients.
 *
 * A value is full (the shape of the rows, whose last dims every reduction removes) or a row value (an element per row;
 * the reduced dims are removed, or of size 1). Equations form stages: no equation of a stage needs a result of a later
 * stage (rows_stages.c). Each stage is a kernel, as of any other group; all kernels run over a block of rows that stays
 * in the cache, then over the next block. So values between stages are never in memory, and the bits are those of the
 * stages run one after another: each row is summed by itself, in the order of reduce.h. */
#include "rows_stages.h"
#include "../../op/ops.h"

#include <string.h>

enum { BLOCK = 1 << 14 };                                /* elements of a block */

/* ---- classes of equations and values ---- */

static bool is_reduction(const ir_eqn *e) { return e->op == &prim_reduce && e->nin == 2; }
bool rows_is_reduce(const ir_eqn *e) /* True if e reduces the last dim; false for column reductions */
{
    return is_reduction(e) && op_dims_has(IR_ATTR(e, op_reduce_attr)->dimensions, IR_IN(e, 0)->rank - 1);
}

bool rows_is_down(const ir_eqn *e, int kept)             /* True if e reduces exactly the dims before `kept` */
{
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    if (!is_reduction(e)) return false;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) if (op_dims_has(a->dimensions, d) != (d < kept)) return false;
    return true;
}

bool rows_is_cheap(const ir_eqn *e)
{
    if (e->op == &prim_const) return IR_ATTR(e, op_const_attr)->splat;
    return e->op == &prim_broadcast_in_dim || e->op == &prim_iota;
}
bool rows_is_view(const ir_eqn *e) { return e->op == &prim_reshape; }

/* True if a reduction reduces exactly the dims from `kept` on. */
static bool reduces_last(const ir_eqn *e, int kept)
{
    const op_reduce_attr *a = IR_ATTR(e, op_reduce_attr);
    const int rank = IR_IN(e, 0)->rank;
    for (int d = 0; d < rank; d++) if (op_dims_has(a->dimensions, d) != (d >= kept)) return false;
    return true;
}

gen_rows_class gen_rows_class_of(const ir_type *full, int kept, const ir_type *t)
{
    if (ir_same_dims(full, t)) return GEN_ROWS_FULL;
    if (t->rank != kept && t->rank != full->rank) return GEN_ROWS_OTHER;
    for (int d = 0; d < t->rank; d++) if (t->dim[d] != (d < kept ? full->dim[d] : 1)) return GEN_ROWS_OTHER;
    return GEN_ROWS_ROW;
}

int rows_maker(const gen_group *g, ir_id v)
{
    for (uint32_t k = 0; k < g->neqn; k++) if (v - g->eqn[k]->out < g->eqn[k]->nout) return (int)k;
    return -1;
}

static const ir_eqn *first_reduce(const gen_group *g)
{
    for (uint32_t k = 0; k < g->neqn; k++) if (rows_is_reduce(g->eqn[k])) return g->eqn[k];
    return NULL;
}

static int rows_kept_of(const ir_eqn *e) { return IR_IN(e, 0)->rank - IR_ATTR(e, op_reduce_attr)->dimensions.n; }

/* Why e is not a column reduction that this engine takes: no equation of the group may read its result. */
static const char *refuses_column(const gen_group *g, const ir_eqn *e, const ir_type *full)
{
    const int init = rows_maker(g, e->in[1]);
    int64_t columns = 1, rows = 1;
    for (int d = 0; d < full->rank; d++)
        *(d < IR_ATTR(e, op_reduce_attr)->dimensions.n ? &rows : &columns) *= full->dim[d];
    if (g->reproducible) return "sums down the rows that are trees";
    if (columns < REDUCE_COLUMNED && rows > REDUCE_BLOCK) return "long sums of few columns, which are in blocks";
    if (!ir_same_dims(IR_IN(e, 0), full)) return "reductions of different rows";
    if (init >= 0 && g->eqn[init]->op != &prim_const) return "a reduction that begins with a value made here";
    for (uint32_t k = 0; k < g->neqn; k++)
        for (uint32_t i = 0; i < g->eqn[k]->nin; i++)
            if (g->eqn[k]->in[i] == e->out) return "a sum down the rows that they need";
    return gen_reduce.refuses(&(gen_group){ 1, &e, e->nin, 1, e->in, &e->out, false });
}

static const char *refuses_equation(const gen_group *g, const ir_eqn *e, const ir_type *full, int kept)
{
    const gen_rows_class y = gen_rows_class_of(full, kept, IR_OUT(e, 0));
    if (ir_dtype_of(IR_OUT(e, 0)->dtype)->cls == IR_COMPLEX_CLASS) return "complex numbers";
    if (rows_is_down(e, kept)) return refuses_column(g, e, full);
    if (is_reduction(e)) {
        if (!ir_same_dims(IR_IN(e, 0), full) || !reduces_last(e, kept)) return "reductions of different rows";
        const int init = rows_maker(g, e->in[1]);
        if (init >= 0 && g->eqn[init]->op != &prim_const) return "a reduction that begins with a value made here";
        return gen_reduce.refuses(&(gen_group){ 1, &e, e->nin, 1, e->in, &e->out, false });
    }
    if (rows_is_view(e)) return y == GEN_ROWS_ROW && rows_maker(g, e->in[0]) >= 0 ? NULL : "a view of another value";
    if (rows_is_cheap(e)) return NULL;
    if (gen_is_random_bits(e))
        return y == GEN_ROWS_FULL && rows_maker(g, e->in[0]) < 0 ? NULL : "random bits of another shape";
    if (e->op->kernel != OP_MAP || e->nout != 1 || e->op->prog == op_prog_none) return "not elementwise";
    return y == GEN_ROWS_OTHER ? "a value of another shape" : NULL;
}

static bool is_down(const gen_group *g, ir_id v, int kept)
{
    const int m = rows_maker(g, v);
    return m >= 0 && rows_is_down(g->eqn[m], kept);
}

/* Counts the arguments from which the rows of an instance can be derived: a result that has those rows, else all
 * operands of the full type, some of which may hold the rows of all instances. like: receives the arguments, if not
 * NULL. */
static uint32_t like_of(const gen_group *g, const ir_type *full, int kept, uint32_t *like)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < g->nout; j++) {
        if (is_down(g, g->out[j], kept)) continue;
        if (like) like[0] = g->nin + j;
        return 1;
    }
    for (uint32_t i = 0; i < g->nin; i++) {
        if (!ir_same_dims(g->eqn[0]->fn->type[g->in[i]], full)) continue;
        if (like) like[n] = i;
        n++;
    }
    return n;
}

static const char *rows_refuses(const gen_group *g)
{
    const ir_eqn *reduce = first_reduce(g);
    if (!reduce || g->neqn < 2 || !g->nout) return "no reduction among elementwise equations";
    const ir_type *full = IR_IN(reduce, 0);
    const int kept = rows_kept_of(reduce);
    if (kept < 1 || !reduces_last(reduce, kept)) return "the reduced dims are not the last ones";
    for (uint32_t k = 0; k < g->neqn; k++) {
        const char *why = refuses_equation(g, g->eqn[k], full, kept);
        if (why) return why;
    }
    for (uint32_t j = 0; j < g->nout; j++)
        if (!is_down(g, g->out[j], kept)
            && gen_rows_class_of(full, kept, reduce->fn->type[g->out[j]]) == GEN_ROWS_OTHER)
            return "a result of another shape";
    return like_of(g, full, kept, NULL) ? NULL : "nothing that has the rows of an instance";
}

/* ---- blocks ---- */

/* The argument that has the rows of this instance and no others: the smallest candidate. */
static const ir_box *rows_rows_of(const rows_self *r, const ir_box *arg)
{
    const ir_box *least = &arg[r->like[0]];
    for (uint32_t i = 1; i < r->nlike; i++)
        if (ir_box_count(&arg[r->like[i]]) < ir_box_count(least)) least = &arg[r->like[i]];
    return least;
}

static rows_blocking rows_blocking_of(const rows_self *r, const ir_box *arg)
{
    rows_blocking c = { .instance = { .rank = r->full->rank }, .count = 1 };
    ir_box *const all = &c.instance;
    const ir_box *const like = rows_rows_of(r, arg);
    int64_t inner = 1;
    for (int d = 0; d < r->kept; d++) all->lo[d] = like->lo[d], all->n[d] = like->n[d];
    for (int d = r->kept; d < all->rank; d++) all->n[d] = r->full->dim[d], inner *= all->n[d];
    c.dim = r->kept - 1;
    while (c.dim > 0 && inner * all->n[c.dim] <= BLOCK) inner *= all->n[c.dim--];
    c.rows = inner > 0 && inner < BLOCK ? BLOCK / inner : 1;
    c.along = (all->n[c.dim] + c.rows - 1) / c.rows;
    for (int d = 0; d < c.dim; d++) c.count *= all->n[d];
    c.count *= c.along;
    for (int d = 0; d < r->kept; d++) if (!all->n[d]) c.count = 0;
    if (!c.along) c.along = 1;
    return c;
}

/* The ranges of block i in the kept dims. */
static void range_of(const rows_blocking *c, int kept, int64_t i, int64_t *lo, int64_t *n)
{
    const int64_t from = i % c->along * c->rows, left = c->instance.n[c->dim] - from;
    for (int d = kept - 1; d > c->dim; d--) lo[d] = c->instance.lo[d], n[d] = c->instance.n[d];
    lo[c->dim] = c->instance.lo[c->dim] + from, n[c->dim] = left < c->rows ? left : c->rows;
    i /= c->along;
    for (int d = c->dim - 1; d >= 0; d--) {
        const int64_t size = c->instance.n[d] ? c->instance.n[d] : 1;
        lo[d] = c->instance.lo[d] + i % size, n[d] = 1;
        i /= size;
    }
}

/* The dense box, at `at`, of a value of class cls in the block. */
static ir_box made_box(const rows_self *r, const rows_blocking *c, const ir_type *t, gen_rows_class cls,
    const int64_t *lo,
                       const int64_t *n, void *at)
{
    ir_box y = { .at = at, .dtype = t->dtype, .rank = t->rank };
    int64_t step = 1;
    for (int d = t->rank - 1; d >= 0; d--) {
        y.lo[d] = d < r->kept ? lo[d] : cls == GEN_ROWS_FULL ? c->instance.lo[d] : 0;
        y.n[d] = d < r->kept ? n[d] : cls == GEN_ROWS_FULL ? c->instance.n[d] : 1;
        y.step[d] = step, step *= y.n[d];
    }
    return y;
}

/* The block's part of result y as a box of type t, which may have or lack dims of size 1 that y lacks or has. */
static ir_box rows_part_of(const rows_self *r, const ir_box *y, const ir_type *t, const int64_t *lo, const int64_t *n)
{
    ir_box x = { .at = y->at, .dtype = y->dtype, .rank = t->rank };
    int64_t at = 0;
    for (int d = 0; d < t->rank; d++) {
        const bool there = d < y->rank;
        x.lo[d] = d < r->kept ? lo[d] : there ? y->lo[d] : 0, x.n[d] = d < r->kept ? n[d] : there ? y->n[d] : 1;
        x.step[d] = there ? y->step[d] : 1;
        if (d < r->kept) at += (lo[d] - y->lo[d]) * y->step[d];
    }
    if (x.at) x.at = (char *)x.at + at * (int64_t)ir_dtype_of(y->dtype)->bytes;
    return x;
}


int64_t rows_buffer_at(const rows_self *r, const rows_blocking *c, const int64_t *lo, const int64_t *n, uint32_t which)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < which; i++) {
        const ir_box y = made_box(r, c, r->buffer[i].type, r->buffer[i].cls, lo, n, NULL);
        at += base_round_up(ir_box_count(&y) * (int64_t)ir_dtype_of(y.dtype)->bytes, BASE_CACHE_LINE);
    }
    return at;
}

ir_box rows_box_of(const rows_self *r, const rows_arg *p, const ir_box *arg, const rows_blocking *c, const int64_t *lo,
                   const int64_t *n, char *made)
{
    switch (p->space) {
    case ROWS_IN: return arg[p->at];
    case ROWS_OUT: return rows_part_of(r, &arg[r->nin + p->at], p->type, lo, n);
    case ROWS_MADE:
        return made_box(r, c, p->type, p->cls, lo, n, made ? made + rows_buffer_at(r, c, lo, n, p->at) : NULL);
    default: return (ir_box){ .at = (void *)(uintptr_t)p->data, .dtype = p->type->dtype };   /* ROWS_CONSTANT */
    }
}

char *rows_do_stages(const rows_self *r, const run_job *job, const rows_blocking *c, const int64_t *lo,
    const int64_t *n)
{
    ir_box *box = job->scratch;
    char *made = (char *)job->scratch + base_round_up((int64_t)(r->most * sizeof(ir_box)), BASE_CACHE_LINE);
    char *scratch = made + rows_buffer_at(r, c, lo, n, r->nbuffer);
    for (uint32_t s = 0; s < r->nstage; s++) {
        const run_kernel *k = &r->stage[s].k;
        for (uint32_t i = 0; i < r->stage[s].narg; i++)
            box[i] = rows_box_of(r, &r->stage[s].arg[i], job->arg, c, lo, n, made);
        const int64_t tiles = k->tiles ? k->tiles(k->self, box) : 1;
        k->code(k->self, &(run_job){ .worker = job->worker, .arg = box, .count = tiles, .scratch = scratch });
    }
    return made;
}

/* ---- a compiled loop instead of the stages ---- */

enum { LONGEST = 1 << 16 };                              /* elements of the longest row */
static int64_t row_length(const rows_self *r)
{
    int64_t n = 1;
    for (int d = r->kept; d < r->full->rank; d++) n *= r->full->dim[d];
    return n;
}

static int64_t rows_in(const rows_self *r, const int64_t *n)
{
    int64_t all = 1;
    for (int d = 0; d < r->kept; d++) all *= n[d];
    return all;
}

static gen_row_loop *compiled(const rows_self *r, const rows_blocking *c, int64_t elements, const run_job *job)
{
    gen_row_loop *loop = NULL;
    gen_fused_loop *f = r->code && c->count ? gen_hot_loop(r->code, elements, job) : NULL;
    memcpy(&loop, &f, sizeof loop);
    return loop;
}

/* ---- the kernel ---- */

static rows_lanes lanes_of(const rows_self *r, const rows_blocking *c)
{
    return rows_lanes_of(r, c->count ? rows_in(r, c->instance.n) : 0);
}

static int64_t rows_tiles(const void *self, const ir_box *arg)
{
    const rows_self *r = self;
    const rows_blocking c = rows_blocking_of(r, arg);
    const rows_lanes l = lanes_of(r, &c);
    return r->ncolumn ? l.parts * l.split : c.count > 0 ? c.count : 1;
}

static int64_t rows_shared(const void *self, const ir_box *arg)
{
    const rows_blocking c = rows_blocking_of(self, arg);
    const rows_lanes l = lanes_of(self, &c);
    return rows_lanes_bytes(self, &l);
}

static int64_t rows_scratch(const void *self, const ir_box *arg)
{
    const rows_self *r = self;
    const rows_blocking c = rows_blocking_of(r, arg);
    const rows_lanes l = lanes_of(r, &c);
    int64_t most = 0, lo[IR_RANK], n[IR_RANK];
    if (r->ncolumn) rows_lane_range(r, &c, 0, REDUCE_LANES, lo, n);
    else range_of(&c, r->kept, 0, lo, n);
    for (uint32_t s = 0; s < r->nstage && c.count > 0; s++) {
        const run_kernel *k = &r->stage[s].k;
        for (uint32_t i = 0; i < r->stage[s].narg; i++)
            r->box[i] = rows_box_of(r, &r->stage[s].arg[i], arg, &c, lo, n, NULL);
        const int64_t need = k->scratch ? k->scratch(k->self, r->box) : 0;
        if (need > most) most = need;
    }
    if (r->ncolumn && most < 8 * l.n) most = 8 * l.n;    /* copy of a row */
    most += base_round_up((int64_t)(r->most * sizeof(ir_box)), BASE_CACHE_LINE) +
            rows_buffer_at(r, &c, lo, n, r->nbuffer) + BASE_CACHE_LINE;
    const int64_t own = r->code ? gen_row_scratch(r->code, c.count ? rows_in(r, n) : 0, l.n) : 0;
    return (most > own ? most : own) + base_round_up(r->nout * (int64_t)sizeof(char *), BASE_CACHE_LINE);
}

static void rows_run(const void *self, const run_job *job)
{
    const rows_self *r = self;
    const rows_blocking c = rows_blocking_of(r, job->arg);
    const int64_t tiles = rows_tiles(self, job->arg);
    const int64_t elements = job->count * (rows_in(r, c.instance.n) * row_length(r) / tiles + 1);
    gen_row_loop *const loop = compiled(r, &c, elements, job);
    if (r->ncolumn) {
        rows_run_lanes(r, job, &c, loop);
        return;
    }
    gen_row_block b = { .kept = r->kept };
    for (int d = r->kept; d < c.instance.rank; d++) b.n[d] = c.instance.n[d];
    for (int64_t i = job->first; i < job->first + job->count && i < c.count; i++) {
        range_of(&c, r->kept, i, b.lo, b.n);
        if (loop) gen_row_run(r->code, loop, &b, job->arg, job->scratch);
        else rows_do_stages(r, job, &c, b.lo, b.n);
    }
}

static void rows_finish(const void *self, const run_job *job)
{
    const rows_self *r = self;
    const rows_blocking c = rows_blocking_of(r, job->arg);
    const rows_lanes l = lanes_of(r, &c);
    rows_store_sums(r, &l, job->arg, job->shared);
}

/* ---- the engine ---- */

static bool rows_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn *reduce = first_reduce(g);
    rows_self *r = BASE_NEW(a, rows_self, 1);
    *r = (rows_self){ .full = IR_IN(reduce, 0), .kept = rows_kept_of(reduce), .nin = g->nin, .nout = g->nout };
    if (!rows_make_stages(a, g, r)) return false;
    r->box = BASE_NEW(a, ir_box, r->most + 1);
    r->like = BASE_NEW(a, uint32_t, g->nin + 1);
    r->nlike = like_of(g, r->full, r->kept, r->like);
    base_text name = { .arena = a };
    const char *const tag = rows_tag(g);
    base_appendf(&name, "rows:%s%s%s", tag ? " " : "", tag ? tag : "", tag ? ":" : "");
    for (uint32_t i = 0; i < g->neqn && name.n < 48; i++)
        if (!rows_is_cheap(g->eqn[i]) && !rows_is_view(g->eqn[i])) base_appendf(&name, " %s", g->eqn[i]->op->name);
    if (row_length(r) <= LONGEST && !g->reproducible) r->code = gen_row_code(a, g, r->full, r->kept);
    if (r->code) r->code->name = base_intern(name.s), r->code->site = g->eqn[g->neqn - 1]->site;
    *k = (run_kernel){ .code = rows_run, .self = r, .tiles = rows_tiles, .scratch = rows_scratch,
                       .name = base_intern(name.s), .site = g->eqn[g->neqn - 1]->site };
    if (r->ncolumn) k->finish = rows_finish, k->shared = rows_shared;
    return true;
}

const gen_tile_code *gen_rows_code_of(const run_kernel *k)
{
    return k->code == rows_run ? ((const rows_self *)k->self)->code : NULL;
}

const gen_engine gen_rows = { sizeof(gen_engine), "rows", rows_refuses, rows_make };
