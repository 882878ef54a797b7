/* gen/fused/prologue.c - the equations that compute a product's operand, and the product, as one kernel: the mirror
 * image of epilogue.c.
 *
 * The product runs its tasks as it would alone, or with an epilogue. The product requests each part of the operand
 * before reading the part (run_callbacks.on_needed), and the equations compute the part in the product's scratch, which
 * stays in the cache. Every part is requested once, so no element is computed twice, and the operand has no memory.
 * Other results of the equations are written to their places. */
#include "../gen.h"

/* bytes: scratch of the producer. */
typedef struct { gen_prologue p; ir_box *boxes_at_bind; uint32_t nbox; int64_t bytes; } prologue;
typedef struct {
    run_callbacks callbacks;
    const gen_prologue *p;
    const run_job *job;
    ir_box *box;
    void *scratch;
} request;

/* The box of the complete operand, without an address. */
static ir_box prologue_operand(const gen_prologue *p, const ir_box *arg)
{
    ir_box x = { .dtype = p->type->dtype, .rank = p->type->rank };
    int64_t step = 1;
    for (int d = x.rank - 1; d >= 0; d--) {
        const ir_box *y = &arg[p->like[d].arg];
        x.lo[d] = y->lo[p->like[d].dim], x.n[d] = y->n[p->like[d].dim];
        x.step[d] = step, step *= x.n[d];
    }
    return x;
}

static void then_boxes(const gen_prologue *p, const ir_box *arg, ir_box *box)
{
    for (uint32_t k = 0; k < p->nconsumer; k++) box[k] = p->consumer_at[k] == GEN_PART ? prologue_operand(p, arg)
        : arg[p->consumer_at[k]];
}

/* The producer's boxes for part x of the operand. */
static void first_boxes(const gen_prologue *p, const ir_box *arg, const ir_box *x, ir_box *box)
{
    for (uint32_t k = 0; k < p->nproducer; k++) {
        box[k] = p->producer_at[k] == GEN_PART ? *x : arg[p->producer_at[k]];
        if (k < p->nin || p->producer_at[k] == GEN_PART) continue;
        for (int d = 0; d < p->ncut; d++) gen_narrow(&box[k], d, x->lo[d] - box[k].lo[d], x->n[d]);
    }
}

static void run_first(const run_callbacks *callbacks, const ir_box *x)
{
    const request *s = (const request *)(const void *)callbacks;
    first_boxes(s->p, s->job->arg, x, s->box);
    gen_run_full(&s->p->producer, s->job->worker, s->box, s->scratch);
}

static int64_t prologue_box_bytes(const prologue *h)
{
    return base_round_up((int64_t)(h->nbox * sizeof(ir_box)), BASE_CACHE_LINE);
}

/* Scratch of the producer for any part. A block of rows of a smaller box may have nearly twice as many elements
 * (rows.c). */
static int64_t first_bytes(const gen_group *g, const run_kernel *k, ir_box *box)
{
    const ir_fn *f = g->eqn[0]->fn;
    for (uint32_t i = 0; i < g->nin; i++) box[i] = ir_box_dense(NULL, f->type[g->in[i]]);
    for (uint32_t j = 0; j < g->nout; j++) box[g->nin + j] = ir_box_dense(NULL, f->type[g->out[j]]);
    return base_round_up(k->scratch ? 2 * k->scratch(k->self, box) : 0, BASE_CACHE_LINE);
}

static int64_t prologue_tiles(const void *self, const ir_box *arg)
{
    const prologue *h = self;
    const run_kernel *k = &h->p.consumer;
    then_boxes(&h->p, arg, h->boxes_at_bind);
    return k->tiles ? k->tiles(k->self, h->boxes_at_bind) : 1;
}

static int64_t prologue_scratch(const void *self, const ir_box *arg)
{
    const prologue *h = self;
    const run_kernel *k = &h->p.consumer;
    then_boxes(&h->p, arg, h->boxes_at_bind);
    return prologue_box_bytes(h) + h->bytes + (k->scratch ? k->scratch(k->self, h->boxes_at_bind) : 0);
}

static void prologue_run(const void *self, const run_job *job)
{
    const prologue *h = self;
    const gen_prologue *p = &h->p;
    ir_box *const then = job->scratch, *const first = then + p->nconsumer;
    char *const own = (char *)job->scratch + prologue_box_bytes(h), *const other = own + h->bytes;
    const request s = { { NULL, run_first }, p, job, first, own };
    then_boxes(p, job->arg, then);
    p->consumer.code(p->consumer.self, &(run_job){ job->worker, then, job->first, job->count, other, NULL, NULL,
        &s.callbacks });
}

void gen_prologue_kernel(base_arena *a, const gen_prologue *p, const gen_group *first, run_kernel *k)
{
    prologue *h = BASE_NEW(a, prologue, 1);
    base_text name = { .arena = a };
    *h = (prologue){ .p = *p, .nbox = p->nconsumer + p->nproducer };
    h->boxes_at_bind = BASE_NEW(a, ir_box, h->nbox);
    h->bytes = first_bytes(first, &p->producer, h->boxes_at_bind);
    base_appendf(&name, "%s, %s", p->producer.name, p->consumer.name);
    *k = (run_kernel){ .code = prologue_run, .self = h, .tiles = prologue_tiles, .scratch = prologue_scratch,
                       .merges = p->consumer.merges, .name = base_intern(name.s), .site = p->consumer.site };
}
