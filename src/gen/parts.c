/* gen/parts.c - the engine of a contraction that only elementwise equations read: the weights' gradient and the
 * optimizer's update of the weights.
 *
 * The result is walked in parts: the contraction fills a part in scratch that stays in the cache, and the elementwise
 * equations read it there. Both are kernels as any other group's, given smaller boxes; so the gradient is never in
 * memory. Parts do not cut what is summed. */
#include "gen.h"

#include <string.h>

enum { PART = 1 << 15, MOST = 1 << 17, PARTS = 16, LINE = 64 };      /* least and most elements of a part; how many; bytes */
static const uint32_t MADE = UINT32_MAX;                 /* the operand that is the contraction's result */

typedef struct {
    run_kernel dot, rest;
    uint32_t nin, nout, ndot, nrest;                     /* of the group; operands of each */
    const uint32_t *dot_in, *rest_in;                    /* which of the group's inputs they are, or MADE */
    tt_dtype dtype;
    ir_box *room;                                        /* for the boxes of a part while a program is bound */
} parts;

/* ---- a part ---- */

typedef struct { int dim; int64_t rows, count; } cut;    /* the dim that is cut, in so many parts of so many rows */

/* Large parts, for the contraction packs its second operand for each; but some for every worker. */
static cut cut_of(const ir_box *y)
{
    cut c = { 0, 1, 1 };
    int64_t inner = 1;
    const int64_t share = ir_box_count(y) / PARTS, part = share < PART ? PART : share > MOST ? MOST : share;
    while (c.dim < y->rank - 1 && y->n[c.dim] <= 1) c.dim++;
    for (int d = c.dim + 1; d < y->rank; d++) inner *= y->n[d];
    if (inner > 0 && inner < part) c.rows = part / inner;
    if (y->rank && y->n[c.dim] > c.rows) c.count = (y->n[c.dim] + c.rows - 1) / c.rows;
    return c;
}

static ir_box part_of(ir_box y, const cut *c, int64_t i)
{
    if (!y.rank) return y;
    const int64_t from = i * c->rows, left = y.n[c->dim] - from;
    if (y.at) y.at = (char *)y.at + from * y.step[c->dim] * (int64_t)ir_dtype_of(y.dtype)->bytes;
    y.lo[c->dim] += from;
    y.n[c->dim] = left < c->rows ? left : c->rows;
    return y;
}

/* The same part as y, dense, in scratch. */
static ir_box made_box(const parts *p, ir_box y, void *at)
{
    int64_t step = 1;
    y.at = at;
    y.dtype = p->dtype;
    for (int d = y.rank - 1; d >= 0; d--) y.step[d] = step, step *= y.n[d];
    return y;
}

static int64_t up(int64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

/* Boxes of part i for the contraction and for the rest, one list behind the other; made: where the first ends. */
static ir_box *boxes(const parts *p, const ir_box *arg, const cut *c, int64_t i, ir_box *box, void *made)
{
    const ir_box *y = &arg[p->nin], first = part_of(*y, c, i), mid = made_box(p, first, made);
    ir_box *rest = box + p->ndot + 1;
    for (uint32_t k = 0; k < p->ndot; k++) box[k] = arg[p->dot_in[k]];
    box[p->ndot] = mid;
    for (uint32_t k = 0; k < p->nrest; k++) rest[k] = p->rest_in[k] == MADE ? mid : arg[p->rest_in[k]];
    for (uint32_t j = 0; j < p->nout; j++) rest[p->nrest + j] = part_of(y[j], c, i);
    return rest;
}

static int64_t box_bytes(const parts *p) { return up((int64_t)((p->ndot + 1 + p->nrest + p->nout) * sizeof(ir_box))); }

static int64_t made_bytes(const parts *p, const ir_box *arg, const cut *c)
{
    const ir_box y = part_of(arg[p->nin], c, 0);
    return up(ir_box_count(&y) * (int64_t)ir_dtype_of(p->dtype)->bytes);
}

/* ---- the kernel ---- */

static int64_t parts_tiles(const void *self, const ir_box *arg)
{
    const parts *p = self;
    return cut_of(&arg[p->nin]).count;
}

static int64_t parts_scratch(const void *self, const ir_box *arg)
{
    const parts *p = self;
    const cut c = cut_of(&arg[p->nin]);
    const ir_box *rest = boxes(p, arg, &c, 0, p->room, NULL);
    const int64_t x = p->dot.scratch ? p->dot.scratch(p->dot.self, p->room) : 0;
    const int64_t y = p->rest.scratch ? p->rest.scratch(p->rest.self, rest) : 0;
    return box_bytes(p) + made_bytes(p, arg, &c) + (x > y ? x : y);
}

static void whole(const run_kernel *k, int worker, const ir_box *arg, void *scratch)
{
    const run_job job = { worker, arg, 0, k->tiles ? k->tiles(k->self, arg) : 1, scratch, NULL };
    k->code(k->self, &job);
}

static void parts_run(const void *self, const run_job *job)
{
    const parts *p = self;
    const cut c = cut_of(&job->arg[p->nin]);
    ir_box *box = job->scratch;
    char *made = (char *)job->scratch + box_bytes(p), *scratch = made + made_bytes(p, job->arg, &c);
    for (int64_t i = job->first; i < job->first + job->count; i++) {
        const ir_box *rest = boxes(p, job->arg, &c, i, box, made);
        whole(&p->dot, job->worker, box, scratch);
        whole(&p->rest, job->worker, rest, scratch);
    }
}

/* ---- the engine ---- */

static const ir_eqn *contraction(const gen_group *g)
{
    for (uint32_t k = 0; k < g->neqn; k++) if (g->eqn[k]->op == &row_dot_general) return g->eqn[k];
    return NULL;
}

static const char *parts_refuses(const gen_group *g)
{
    const ir_eqn *e = contraction(g);
    if (!e || g->neqn < 2) return "no contraction with equations that read it";
    for (uint32_t k = 0; k < g->neqn; k++)
        if (g->eqn[k]->op == &row_dot_general && g->eqn[k] != e) return "two contractions";
    for (uint32_t j = 0; j < g->nout; j++) if (g->out[j] == e->out) return "the contraction's result is wanted";
    return NULL;
}

static bool reads(const gen_group *g, const ir_eqn *but, ir_id v)
{
    for (uint32_t k = 0; k < g->neqn; k++)
        for (uint32_t i = 0; g->eqn[k] != but && i < g->eqn[k]->nin; i++) if (g->eqn[k]->in[i] == v) return true;
    return false;
}

static uint32_t place(const gen_group *g, ir_id v)
{
    uint32_t i = 0;
    while (g->in[i] != v) i++;
    return i;
}

static bool parts_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn *e = contraction(g), **others = BASE_NEW(a, const ir_eqn *, g->neqn);
    parts *p = BASE_NEW(a, parts, 1);
    ir_id *in = BASE_NEW(a, ir_id, g->nin + 1), *made = BASE_NEW(a, ir_id, 1);
    uint32_t *dot_in = BASE_NEW(a, uint32_t, e->nin), *rest_in = BASE_NEW(a, uint32_t, g->nin + 1), n = 0;
    *p = (parts){ .nin = g->nin, .nout = g->nout, .ndot = e->nin, .dot_in = dot_in, .rest_in = rest_in,
                  .dtype = IR_OUT(e, 0)->dtype };
    *made = e->out;
    for (uint32_t i = 0; i < e->nin; i++) dot_in[i] = place(g, e->in[i]);
    for (uint32_t i = 0; i < g->neqn; i++) if (g->eqn[i] != e) others[n++] = g->eqn[i];
    for (uint32_t i = 0; i < g->nin; i++)
        if (reads(g, e, g->in[i])) in[p->nrest] = g->in[i], rest_in[p->nrest++] = i;
    in[p->nrest] = e->out, rest_in[p->nrest++] = MADE;
    p->room = BASE_NEW(a, ir_box, p->ndot + 1 + p->nrest + p->nout);
    const ir_eqn **alone = BASE_NEW(a, const ir_eqn *, 1);
    *alone = e;
    const gen_group dot = { 1, alone, e->nin, 1, e->in, made, g->reproducible };
    const gen_group rest = { n, others, p->nrest, g->nout, in, g->out, g->reproducible };
    if (!gen_own_kernel(a, &dot, &p->dot) || !gen_own_kernel(a, &rest, &p->rest)) return false;
    if (p->dot.finish || p->rest.finish) return false;   /* needs all parts at once */
    base_text name = { .arena = a };
    base_put(&name, "%s, %s", p->dot.name, p->rest.name);
    *k = (run_kernel){ .code = parts_run, .self = p, .tiles = parts_tiles, .scratch = parts_scratch,
                       .name = base_intern(name.s), .site = others[n - 1]->site };
    return true;
}

const gen_engine gen_parts = { sizeof(gen_engine), "parts", parts_refuses, parts_make };
