/* gen/fused/parts.c - the engine of producers that only elementwise equations read: a contraction (for example a
 * weight's gradient that the optimizer's update of the weight reads), gathers, scatters, transposes, reverses, pads,
 * slices, concatenations, and window sums.
 *
 * The result is walked in parts: each producer fills a part in scratch that stays in the cache, and the elementwise
 * equations read the part there. Producers and consumer are kernels as of any other group, given smaller boxes; so the
 * producers' results are never in memory. Parts do not split summed dims. A scatter's initial value may be a splat
 * constant. */
#include "../gen.h"
#include "../../op/ops.h"

#include <string.h>

/* PART, MOST: least and most elements of a part. PARTS: the number of parts aimed at. */
enum { PART = 1 << 15, MOST = 1 << 17, PARTS = 16 };
int64_t gen_parts_least = PART;
static const uint32_t SPLAT = UINT32_MAX;

/* A producer. in: the group's inputs that are its operands, or SPLAT: one number, of that type. */
typedef struct { run_kernel k; uint32_t nin, *in; const void **number; const ir_type **type; tt_dtype dtype; } producer;
typedef struct {
    producer *producer; run_kernel rest;
    /* nin, nout: of the group; nrest: operands of the consumer; nbox: boxes of all kernels. */
    uint32_t nproducer, nin, nout, nrest, nbox;
    int64_t most;                                        /* most elements of a part */
    const uint32_t *rest_in; /* the inputs that are the consumer's operands, or nin + k: the result of producer k */
    ir_box *boxes_at_bind;                               /* for the boxes of a part at bind */
} parts;

/* ---- a part ---- */

/* A part is one index of each dim before `dim`, and `rows` indices of `dim`. each: number of parts along `dim`; count:
 * number of all parts. */
typedef struct { int dim; int64_t rows, each, count; } split;

/* Parts are large, since the contraction packs its second operand for each part, but small enough for the cache, and
 * about PARTS in number, so that every worker has some. */
static split parts_split_of(const ir_box *y, int64_t most)
{
    split c = { 0, 1, 1, 1 };
    int64_t inner = y->rank ? ir_box_count(y) : 1;
    const int64_t share = inner / PARTS, least = gen_parts_least;
    const int64_t part = share < least ? least : share > most ? most : share;
    for (int64_t places = 1; y->rank && inner; places *= y->n[c.dim++]) {
        inner /= y->n[c.dim];
        c.rows = inner < part ? part / inner : 1;
        c.each = (y->n[c.dim] + c.rows - 1) / c.rows;
        c.count = places * c.each;
        if (c.dim == y->rank - 1 || (y->n[c.dim] > 1 && inner <= 2 * MOST)) break;
    }
    return c;
}

static ir_box parts_part_of(ir_box y, const split *c, int64_t i)
{
    if (!y.rank) return y;
    const int64_t from = i % c->each * c->rows, left = y.n[c->dim] - from;
    int64_t at = from * y.step[c->dim];
    i /= c->each;
    for (int d = c->dim - 1; d >= 0; i /= y.n[d], y.n[d] = 1, d--) {
        at += i % y.n[d] * y.step[d];
        y.lo[d] += i % y.n[d];
    }
    if (y.at) y.at = (char *)y.at + at * (int64_t)ir_dtype_of(y.dtype)->bytes;
    y.lo[c->dim] += from;
    y.n[c->dim] = left < c->rows ? left : c->rows;
    return y;
}

/* The dense box in scratch of part y of a value. */
static ir_box made_box(ir_box y, tt_dtype dtype, void *at)
{
    int64_t step = 1;
    y.at = at;
    y.dtype = dtype;
    for (int d = y.rank - 1; d >= 0; d--) y.step[d] = step, step *= y.n[d];
    return y;
}

static ir_box splat_box(const void *number, const ir_type *t)
{
    ir_box x = { .at = (void *)(uintptr_t)number, .dtype = t->dtype, .rank = t->rank };
    memcpy(x.n, t->dim, (size_t)t->rank * sizeof *x.n);
    return x;
}


static int64_t producer_bytes(const producer *l, const ir_box *y)
{
    return base_round_up(ir_box_count(y) * (int64_t)ir_dtype_of(l->dtype)->bytes, BASE_CACHE_LINE);
}

/* Sets the boxes of part i: those of each producer, one producer after the other, then the consumer's. made: where the
 * producers' results begin. Returns the consumer's boxes. */
static ir_box *boxes(const parts *p, const ir_box *arg, const split *c, int64_t i, ir_box *box, char *made)
{
    const ir_box *y = &arg[p->nin], whole = parts_part_of(*y, c, 0), first = parts_part_of(*y, c, i);
    ir_box *result[IR_RANK];
    for (uint32_t k = 0; k < p->nproducer; k++) {
        const producer *l = &p->producer[k];
        for (uint32_t m = 0; m < l->nin; m++)
            *box++ = l->in[m] == SPLAT ? splat_box(l->number[m], l->type[m]) : arg[l->in[m]];
        *box = made_box(first, l->dtype, made);
        result[k] = box++;
        if (made) made += producer_bytes(l, &whole);
    }
    for (uint32_t k = 0; k < p->nrest; k++)
        box[k] = p->rest_in[k] >= p->nin ? *result[p->rest_in[k] - p->nin] : arg[p->rest_in[k]];
    for (uint32_t j = 0; j < p->nout; j++) box[p->nrest + j] = parts_part_of(y[j], c, i);
    return box;
}

static int64_t parts_box_bytes(const parts *p)
{
    return base_round_up((int64_t)(p->nbox * sizeof(ir_box)), BASE_CACHE_LINE);
}

static int64_t made_bytes(const parts *p, const ir_box *arg, const split *c)
{
    const ir_box y = parts_part_of(arg[p->nin], c, 0);
    int64_t n = 0;
    for (uint32_t k = 0; k < p->nproducer; k++) n += producer_bytes(&p->producer[k], &y);
    return n;
}

/* ---- the kernel ---- */

static int64_t parts_tiles(const void *self, const ir_box *arg)
{
    const parts *p = self;
    return parts_split_of(&arg[p->nin], p->most).count;
}

static int64_t parts_scratch(const void *self, const ir_box *arg)
{
    const parts *p = self;
    const split c = parts_split_of(&arg[p->nin], p->most);
    const ir_box *rest = boxes(p, arg, &c, 0, p->boxes_at_bind, NULL), *box = p->boxes_at_bind;
    int64_t most = p->rest.scratch ? p->rest.scratch(p->rest.self, rest) : 0;
    for (uint32_t k = 0; k < p->nproducer; box += p->producer[k++].nin + 1) {
        const run_kernel *r = &p->producer[k].k;
        const int64_t n = r->scratch ? r->scratch(r->self, box) : 0;
        if (n > most) most = n;
    }
    return parts_box_bytes(p) + made_bytes(p, arg, &c) + most;
}

static void parts_run(const void *self, const run_job *job)
{
    const parts *p = self;
    const split c = parts_split_of(&job->arg[p->nin], p->most);
    ir_box *const own_boxes = job->scratch;
    char *made = (char *)job->scratch + parts_box_bytes(p), *scratch = made + made_bytes(p, job->arg, &c);
    for (int64_t i = job->first; i < job->first + job->count; i++) {
        const ir_box *rest = boxes(p, job->arg, &c, i, own_boxes, made), *box = own_boxes;
        for (uint32_t k = 0; k < p->nproducer; box += p->producer[k++].nin + 1)
            gen_run_full(&p->producer[k].k, job->worker, box, scratch);
        gen_run_full(&p->rest, job->worker, rest, scratch);
    }
}

/* ---- the engine ---- */

bool gen_is_producer(const ir_eqn *e)
{
    static const op_prim *const rows[] = { &prim_gather, &prim_scatter, &prim_transpose, &prim_reverse, &prim_pad,
        &prim_slice,
                                          &prim_dynamic_slice, &prim_concatenate };
    const gen_group one = { 1, &e, e->nin, 1, e->in, &e->out, false };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (e->op == rows[i]) return e->nout == 1 && !gen_move.refuses(&one);
    if (e->op == &prim_reduce_window) return e->nin == 2 && !gen_window.refuses(&one);
    return e->op == &prim_dot_general;
}

static int parts_index_of(const ir_id *list, uint32_t n, ir_id v)
{
    for (uint32_t i = 0; i < n; i++) if (list[i] == v) return (int)i;
    return -1;
}

/* The splat constant that defines v, or NULL. */
static const op_const_attr *number_of(const gen_group *g, ir_id v)
{
    for (uint32_t k = 0; k < g->neqn; k++) {
        const op_const_attr *c = g->eqn[k]->op == &prim_const ? IR_ATTR(g->eqn[k], op_const_attr) : NULL;
        if (c && g->eqn[k]->out == v && c->splat) return c;
    }
    return NULL;
}

static const char *parts_refuses(const gen_group *g)
{
    uint32_t n = 0, dots = 0;
    for (uint32_t k = 0; k < g->neqn; k++) {
        const ir_eqn *e = g->eqn[k];
        if (!gen_is_producer(e)) continue;
        n++, dots += e->op == &prim_dot_general;
        for (uint32_t i = 0; i < e->nin; i++)
            if (parts_index_of(g->in, g->nin, e->in[i]) < 0 && !number_of(g, e->in[i]))
                return "a producer reads a value made here";
        if (parts_index_of(g->out, g->nout, e->out) >= 0) return "a result of a producer is read elsewhere";
    }
    if (!n || n == g->neqn) return "no producer that only elementwise equations read";
    return dots > 1 ? "two contractions" : n > IR_RANK ? "too many producers" : NULL;
}

static bool parts_reads(const gen_group *g, ir_id v)
{
    for (uint32_t k = 0; k < g->neqn; k++)
        for (uint32_t i = 0; !gen_is_producer(g->eqn[k]) && i < g->eqn[k]->nin;
        i++) if (g->eqn[k]->in[i] == v) return true;
    return false;
}

static bool make_producer(base_arena *a, const gen_group *g, const ir_eqn *e, producer *l)
{
    const ir_eqn **single = BASE_NEW(a, const ir_eqn *, 1);
    ir_id *made = BASE_NEW(a, ir_id, 1);
    *l = (producer){ .nin = e->nin, .in = BASE_NEW(a, uint32_t, e->nin), .number = BASE_NEW(a, const void *, e->nin),
                 .type = BASE_NEW(a, const ir_type *, e->nin), .dtype = IR_OUT(e, 0)->dtype };
    for (uint32_t i = 0; i < e->nin; i++) {
        const int at = parts_index_of(g->in, g->nin, e->in[i]);
        l->in[i] = at < 0 ? SPLAT : (uint32_t)at;
        l->type[i] = IR_IN(e, i);
        if (at < 0) l->number[i] = number_of(g, e->in[i])->data.p;
    }
    *single = e, *made = e->out;
    const gen_group one = { 1, single, e->nin, 1, e->in, made, g->reproducible };
    return gen_own_kernel(a, &one, &l->k) && !l->k.finish; /* `finish` needs all parts at once */
}

static bool parts_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    const ir_eqn **others = BASE_NEW(a, const ir_eqn *, g->neqn);
    parts *p = BASE_NEW(a, parts, 1);
    ir_id *in = BASE_NEW(a, ir_id, g->nin + g->neqn);
    uint32_t *rest_in = BASE_NEW(a, uint32_t, g->nin + g->neqn), n = 0;
    base_text name = { .arena = a };
    *p = (parts){ .nin = g->nin, .nout = g->nout, .rest_in = rest_in, .producer = BASE_NEW(a, producer, g->neqn),
                   .most = PART };
    for (uint32_t i = 0; i < g->nin; i++)
        if (parts_reads(g, g->in[i])) in[p->nrest] = g->in[i], rest_in[p->nrest++] = i;
    for (uint32_t i = 0; i < g->neqn; i++) {
        const ir_eqn *e = g->eqn[i];
        producer *l = &p->producer[p->nproducer];
        if (!gen_is_producer(e)) { others[n++] = e; continue; }
        if (!make_producer(a, g, e, l)) return false;
        if (e->op != &prim_reduce_window) p->most = MOST;
        base_appendf(&name, "%s, ", l->k.name);
        in[p->nrest] = e->out, rest_in[p->nrest++] = g->nin + p->nproducer++;
        p->nbox += e->nin + 1;
    }
    p->nbox += p->nrest + p->nout;
    p->boxes_at_bind = BASE_NEW(a, ir_box, p->nbox);
    const gen_group rest = { n, others, p->nrest, g->nout, in, g->out, g->reproducible };
    if (!gen_own_kernel(a, &rest, &p->rest) || p->rest.finish) return false;
    base_appendf(&name, "%s", p->rest.name);
    *k = (run_kernel){ .code = parts_run, .self = p, .tiles = parts_tiles, .scratch = parts_scratch,
                       .name = base_intern(name.s), .site = others[n - 1]->site };
    return true;
}

const gen_engine gen_parts = { sizeof(gen_engine), "parts", parts_refuses, parts_make };
