/* gen/fused/chain.c - kernels run one after the other over a part of a dim, then over the next part: an attention's
 * scores, their softmax and the product with the values, one batch after another.
 *
 * Kernels compute boxes, so a part is a kernel given smaller boxes of its results. A value that only later kernels of
 * the chain read has a buffer in scratch, which stays in the cache; a value that other steps read too is written to its
 * place, and read while it is still in the cache. Over all parts every kernel does the same work as without the chain,
 * so the bits are the same. plan/steps/chain.c decides what may be chained, and what pays. */
#include "../gen.h"

#include <string.h>

enum { PARTS = 16 };                                     /* least number of parts */
int64_t gen_chain_part = 1 << 18;                        /* least bytes that a part produces */
typedef struct { gen_chain c; ir_box *box; uint32_t most; } chain;
/* lo, n: the dim's range of an instance; rows: of a part; count: number of parts. */
typedef struct { int64_t lo, n, rows, count; } split;

static split chain_split_of(const gen_chain *c, const ir_box *arg)
{
    const ir_box *y = &arg[c->nin];
    split x = { y->lo[c->dim], y->n[c->dim], 1, 0 };
    if (c->bytes > 0 && c->bytes < gen_chain_part) x.rows = gen_chain_part / c->bytes;
    if (x.rows > x.n / PARTS) x.rows = x.n < PARTS ? 1 : x.n / PARTS;
    x.count = (x.n + x.rows - 1) / x.rows;
    return x;
}

/* The part of y that begins at index `at` of the dim. */
static ir_box chain_part_of(ir_box y, int dim, int64_t at, int64_t rows)
{
    gen_narrow(&y, dim, at - y.lo[dim], rows);
    return y;
}

static ir_box buffer_of(const gen_chain_arg *a, int64_t at, int64_t rows, char *to)
{
    ir_box y = { .at = to, .dtype = a->type->dtype, .rank = a->type->rank };
    int64_t step = 1;
    for (int d = y.rank - 1; d >= 0; d--) {
        y.lo[d] = d == a->dim ? at : 0, y.n[d] = d == a->dim ? rows : a->type->dim[d];
        y.step[d] = step, step *= y.n[d];
    }
    return y;
}

static void boxes(const gen_chain *c, const gen_chain_stage *s, const ir_box *arg, int64_t at, int64_t rows,
                  int64_t most, char *buffers, ir_box *box)
{
    for (uint32_t k = 0; k < s->narg; k++) {
        const gen_chain_arg *a = &s->arg[k];
        if (!a->inner) box[k] = a->at < c->nin ? arg[a->at] : chain_part_of(arg[a->at], a->dim, at, rows);
        else box[k] = buffer_of(a, at, rows, buffers ? buffers + c->buffer[a->at] * most : NULL);
    }
}

/* Buffers are adjacent. A buffer begins at the bytes per row of all buffers before it, times the rows of a part. */
static int64_t buffers_bytes(const gen_chain *c, const split *x)
{
    return base_round_up(c->buffer[c->nbuffer] * x->rows, BASE_CACHE_LINE);
}

static int64_t chain_tiles(const void *self, const ir_box *arg)
{
    const chain *h = self;
    const split x = chain_split_of(&h->c, arg);
    return x.count > 0 ? x.count : 1;
}

static int64_t chain_scratch(const void *self, const ir_box *arg)
{
    const chain *h = self;
    const gen_chain *c = &h->c;
    const split x = chain_split_of(c, arg);
    int64_t most = 0;
    for (uint32_t s = 0; s < c->nstage && x.count; s++) {
        const run_kernel *k = &c->stage[s].k;
        boxes(c, &c->stage[s], arg, x.lo, x.rows, x.rows, NULL, h->box);
        const int64_t n = k->scratch ? k->scratch(k->self, h->box) : 0;
        if (n > most) most = n;
    }
    return base_round_up((int64_t)(h->most * sizeof(ir_box)), BASE_CACHE_LINE) + buffers_bytes(c, &x) + most +
           BASE_CACHE_LINE;
}

static void chain_run(const void *self, const run_job *job)
{
    const chain *h = self;
    const gen_chain *c = &h->c;
    const split x = chain_split_of(c, job->arg);
    ir_box *const box = job->scratch;
    char *const buffers = (char *)job->scratch + base_round_up((int64_t)(h->most * sizeof(ir_box)), BASE_CACHE_LINE);
    for (int64_t i = job->first; i < job->first + job->count && i < x.count; i++) {
        const int64_t at = x.lo + i * x.rows, left = x.lo + x.n - at, rows = left < x.rows ? left : x.rows;
        for (uint32_t s = 0; s < c->nstage; s++) {
            boxes(c, &c->stage[s], job->arg, at, rows, x.rows, buffers, box);
            gen_run_full(&c->stage[s].k, job->worker, box, buffers + buffers_bytes(c, &x));
        }
    }
}

void gen_chain_kernel(base_arena *a, const gen_chain *c, run_kernel *k)
{
    chain *h = BASE_NEW(a, chain, 1);
    base_text name = { .arena = a };
    *h = (chain){ .c = *c };
    for (uint32_t s = 0; s < c->nstage; s++) {
        if (c->stage[s].narg > h->most) h->most = c->stage[s].narg;
        base_appendf(&name, "%s%s", s ? ", " : "", c->stage[s].k.name);
    }
    h->box = BASE_NEW(a, ir_box, h->most + 1);
    *k = (run_kernel){ .code = chain_run, .self = h, .tiles = chain_tiles, .scratch = chain_scratch,
                       .name = base_intern(name.s), .site = c->stage[c->nstage - 1].k.site };
}
