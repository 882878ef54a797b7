/* gen/fused/epilogue.c - a contraction and the elementwise equations that read its result, as one kernel.
 *
 * The contraction runs as it would alone: the same tasks, the same packing, the same bits. The contraction notifies of
 * each part of its result that is complete (run_job.callbacks), and the elementwise equations run over that part at
 * once, while it is in the cache. The contraction's own result is an argument like any other: another step reads it, or
 * it shares the memory of an elementwise result, which overwrites it. A result that is complete only when all tasks are
 * done (sums of parts) is read in `finish`. */
#include "../gen.h"

#include <string.h>

typedef struct { gen_epilogue e; ir_box *boxes_at_bind; uint32_t nbox; } epilogue;

/* ---- the kernel ---- */

static void producer_boxes(const gen_epilogue *e, const ir_box *arg, ir_box *box)
{
    for (uint32_t k = 0; k < e->nproducer; k++) box[k] = arg[e->producer_at[k]];
    box[e->nproducer] = arg[e->nin + e->nout];
}

/* The box within x, which has the shape of the contraction's result, at the place of part y of that result. */
static ir_box same_part(ir_box x, const ir_box *y)
{
    for (int d = 0; d < x.rank; d++) gen_narrow(&x, d, y->lo[d] - x.lo[d], y->n[d]);
    return x;
}

/* The consumer's boxes for part y of the producer's result. */
static void rest_boxes(const gen_epilogue *e, const ir_box *arg, const ir_box *y, ir_box *box)
{
    for (uint32_t k = 0; k < e->nconsumer; k++) box[k] = e->consumer_at[k] < e->nin ? arg[e->consumer_at[k]] : *y;
    for (uint32_t j = 0; j < e->nout; j++) box[e->nconsumer + j] = same_part(arg[e->nin + j], y);
}

typedef struct {
    run_callbacks callbacks; const gen_epilogue *e; const run_job *job; ir_box *box; void *scratch;
} listener;

static void run_rest(const run_callbacks *callbacks, const ir_box *y)
{
    const listener *s = (const listener *)(const void *)callbacks;
    rest_boxes(s->e, s->job->arg, y, s->box);
    gen_run_full(&s->e->consumer, s->job->worker, s->box, s->scratch);
}

/* Passes a request of the contraction on to the kernel around this one, which computes the part: prologue.c. */
static void pass_on(const run_callbacks *callbacks, const ir_box *x)
{
    const listener *s = (const listener *)(const void *)callbacks;
    s->job->callbacks->on_needed(s->job->callbacks, x);
}

static int64_t epilogue_box_bytes(const epilogue *p)
{
    return base_round_up((int64_t)(p->nbox * sizeof(ir_box)), BASE_CACHE_LINE);
}

static int64_t rest_bytes(const epilogue *p, const ir_box *arg, ir_box *box)
{
    const run_kernel *k = &p->e.consumer;
    rest_boxes(&p->e, arg, &arg[p->e.nin + p->e.nout], box);
    return base_round_up(k->scratch ? k->scratch(k->self, box) : 0, BASE_CACHE_LINE);
}

static int64_t epilogue_tiles(const void *self, const ir_box *arg)
{
    const epilogue *p = self;
    const run_kernel *k = &p->e.producer;
    producer_boxes(&p->e, arg, p->boxes_at_bind);
    return k->tiles ? k->tiles(k->self, p->boxes_at_bind) : 1;
}

static int64_t epilogue_scratch(const void *self, const ir_box *arg)
{
    const epilogue *p = self;
    const run_kernel *k = &p->e.producer;
    const int64_t bytes = epilogue_box_bytes(p) + rest_bytes(p, arg, p->boxes_at_bind);
    producer_boxes(&p->e, arg, p->boxes_at_bind);
    return bytes + (k->scratch ? k->scratch(k->self, p->boxes_at_bind) : 0);
}

static int64_t epilogue_shared(const void *self, const ir_box *arg)
{
    const epilogue *p = self;
    const run_kernel *k = &p->e.producer;
    producer_boxes(&p->e, arg, p->boxes_at_bind);
    return k->shared ? k->shared(k->self, p->boxes_at_bind) : 0;
}

/* True if the producer's tiles leave partial results in shared bytes, which `finish` combines. */
static bool is_late(const gen_epilogue *e, const ir_box *lead)
{
    return e->producer.finish && e->producer.shared && e->producer.shared(e->producer.self, lead) > 0;
}

static void epilogue_run_both(const epilogue *p, const run_job *job, bool finish)
{
    const gen_epilogue *e = &p->e;
    ir_box *const box = job->scratch;
    char *const own = (char *)job->scratch + epilogue_box_bytes(p), *other = own + rest_bytes(p, job->arg, box);
    producer_boxes(e, job->arg, box);
    const bool late = is_late(e, box);
    const listener s = { { run_rest, pass_on }, e, job, box + e->nproducer + 1, own };
    const run_job inner = { job->worker, box, job->first, job->count, other, job->shared, NULL,
                            late ? NULL : &s.callbacks };
    if (!finish) e->producer.code(e->producer.self, &inner);
    if (finish && late) e->producer.finish(e->producer.self, &inner), run_rest(&s.callbacks, &box[e->nproducer]);
}

static void epilogue_run(const void *self, const run_job *job) { epilogue_run_both(self, job, false); }
static void epilogue_finish(const void *self, const run_job *job) { epilogue_run_both(self, job, true); }

void gen_epilogue_kernel(base_arena *a, const gen_epilogue *e, run_kernel *k)
{
    epilogue *p = BASE_NEW(a, epilogue, 1);
    base_text name = { .arena = a };
    *p = (epilogue){ .e = *e, .nbox = e->nproducer + 1 + e->nconsumer + e->nout };
    p->boxes_at_bind = BASE_NEW(a, ir_box, p->nbox);
    base_appendf(&name, "%s, %s", e->producer.name, e->consumer.name);
    *k = (run_kernel){ .code = epilogue_run, .self = p, .tiles = epilogue_tiles, .scratch = epilogue_scratch,
                       .merges = e->producer.merges, .name = base_intern(name.s), .site = e->consumer.site };
    if (e->producer.finish) k->finish = epilogue_finish, k->shared = epilogue_shared;
}
