/* gen/region/region_while.c - a while whose carries are few scalars: an iteration is one scalar program, and the loop
 * is one step of a plan.
 *
 * The scalar program is a region: (carries) -> (next carries, whether there is another iteration), so cond(start) is
 * evaluated separately, once. The program runs over one lane with two lines per carry, used alternately. A compiled
 * loop takes over as soon as it is ready, also between two iterations. */
#include "region.h"
#include "../../op/ops.h"

#include <string.h>

enum { LOOK = 512 };                                     /* iterations from one look for a compiled loop to the next */

typedef struct { int n; region_code *begin, *iteration; } scalar_while;

/* The region (carries) -> (next carries, whether there is another iteration). */
static ir_fn *iteration_of(base_arena *a, const ir_eqn *e)
{
    const ir_fn *body = e->sub[1];
    ir_build *b = ir_begin(a, body->name, body->mesh);
    ir_id x[REGION_MOST], y[REGION_MOST];
    for (uint32_t i = 0; i < e->nin; i++) x[i] = ir_arg(b, body->type[1 + i]);
    if (!ir_inline(b, body, x, y) || !ir_inline(b, e->sub[0], y, &y[e->nin])) return NULL;
    return ir_end(b, e->nin + 1, y);
}

typedef struct { base_arena *a; const ir_eqn *e; bool fits; } trial;

static void try_programs(void *env)
{
    trial *t = env;
    const ir_fn *iteration = iteration_of(t->a, t->e);
    t->fits = iteration && region_of(t->a, iteration) && region_of(t->a, t->e->sub[0]);
}

static const char *scalar_while_refuses(const ir_eqn *e)
{
    if (e->nin >= REGION_MOST) return "a loop of many carries";
    const char *why = region_refuses(e->sub[0]);
    if (!why) why = region_refuses(e->sub[1]);
    if (why) return why;
    trial t = { base_open(), e, false };
    const uint64_t before = base_failures();
    const bool done = base_catch(try_programs, &t);
    base_close(t.a);
    if (!done) base_unwind(sizeof t);                    /* out of memory: not a refusal */
    if (base_failures() != before) base_clear_error();
    return t.fits ? NULL : "a loop of many equations";
}

static int64_t line_bytes(void) { return GEN_GRAIN * 8; }

static int64_t scalar_while_scratch(const void *self, const ir_box *arg)
{
    const scalar_while *t = self;
    const int64_t begin = region_scratch(t->begin), iteration = region_scratch(t->iteration);
    (void)arg;
    return (2 * t->n + 1) * line_bytes() + 128 + region_padded(begin > iteration ? begin : iteration);
}

static void scalar_while_run(const void *self, const run_job *job)
{
    const scalar_while *t = self;
    char *p = base_line_up(job->scratch);
    void *line[2][REGION_MOST], *out[REGION_MOST];
    bool *more = (bool *)p;
    p += line_bytes();
    memset(p, 0, (size_t)(2 * t->n * line_bytes()));
    for (int i = 0; i < t->n; i++, p += 2 * line_bytes()) {
        line[0][i] = p, line[1][i] = p + line_bytes();
        memcpy(line[0][i], job->arg[i].at, ir_dtype_of(job->arg[i].dtype)->bytes);
    }
    int now = 0;
    region_run run = region_begin(t->begin, p, 1);
    region_do(&run, line[0], (void *[]){ more }, 1);
    if (*more) run = region_begin(t->iteration, p, LOOK);
    for (int64_t k = 1; *more; k++, now = 1 - now) {
        if (!run.loop && k % LOOK == 0) run.loop = gen_hot_loop(&t->iteration->code, LOOK, NULL);
        memcpy(out, line[1 - now], (size_t)t->n * sizeof *out);
        out[t->n] = more;
        region_do(&run, line[now], out, 1);
    }
    for (int i = 0; i < t->n; i++)
        memcpy(job->arg[t->n + i].at, line[now][i], ir_dtype_of(job->arg[i].dtype)->bytes);
}

static bool scalar_while_make(base_arena *a, const ir_eqn *e, run_kernel *k)
{
    scalar_while *t = BASE_NEW(a, scalar_while, 1);
    const ir_fn *iteration = iteration_of(a, e);
    t->n = (int)e->nin;
    t->begin = region_of(a, e->sub[0]);
    t->iteration = iteration ? region_of(a, iteration) : NULL;
    if (!t->begin || !t->iteration) return false;
    *k = (run_kernel){ .code = scalar_while_run, .self = t, .scratch = scalar_while_scratch };
    return true;
}

const region_kind region_while = { &prim_while, scalar_while_refuses, scalar_while_make };
