/* run/there_launch.c - programs on an engine's devices: their ends, launches, donated arguments.
 *
 * A program has a plan without steps: the types and layouts of its arguments and results. All that is checked is
 * checked before the launch, since one that a device refuses loses all devices of its engine. The launch returns when
 * its work is in the devices' queues; an error that comes later is found when a result is read, and names the line of
 * the launch. */
#include "there.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  /* of launches: lists of a program are its own */

void run_there_launch_hold(bool hold) { hold ? pthread_mutex_lock(&lock) : pthread_mutex_unlock(&lock); }

struct run_elsewhere {
    run_engine *engine; void *program; int devices;
    const uint32_t *order;                                /* devices of the partitions; NULL: by number */
    uint32_t nconstant; run_array **constant;             /* the hidden arguments */
    void ***in, ***out; int64_t *keep; run_there **made;  /* of a launch */
};

typedef struct { run_program *p; run_engine *engine; void *program; } making;

static void make(void *env)
{
    making *const m = env;
    run_program *const p = m->p;
    const uint32_t nin = p->plan->narg, nout = p->plan->nresult;
    run_elsewhere *const x = BASE_NEW(p->arena, run_elsewhere, 1);
    x->engine = m->engine, x->program = m->program;
    x->devices = p->plan->mesh ? (int)mesh_size(p->plan->mesh) : 1;
    x->order = p->plan->mesh ? p->plan->mesh->order : NULL;
    x->in = BASE_NEW(p->arena, void **, x->devices);
    x->out = BASE_NEW(p->arena, void **, x->devices);
    x->keep = BASE_NEW(p->arena, int64_t, nin + 1);
    x->made = BASE_NEW(p->arena, run_there *, nout + 1);
    x->constant = BASE_NEW(p->arena, run_array *, p->plan->nhidden + 1);
    x->nconstant = p->plan->nhidden;
    for (int d = 0; d < x->devices; d++) {
        x->in[d] = BASE_NEW(p->arena, void *, nin + 1);
        x->out[d] = BASE_NEW(p->arena, void *, nout + 1);
    }
    p->there = x;
}

static bool bound_there(run_program *p, run_engine *e, void *program)
{
    const char *why = "";
    making m = { p, e, program };
    const int results = e->results(e, program, &why);
    if (results < 0) return run_there_failed(e, "a compilation", why);
    if (results != (int)p->plan->nresult)
        return base_bug(run_site, "a program of %u results has %d when it is compiled", p->plan->nresult, results);
    return base_catch(make, &m);
}

/* Sends the constants that are hidden arguments. */
static bool constants_there(run_program *p, const void *const *data)
{
    const run_elsewhere *const x = p->there;
    const run_port *const port = p->in_port + p->plan->narg - x->nconstant;
    for (uint32_t i = 0; i < x->nconstant; i++)
        if (!(x->constant[i] = run_constant_there(x->engine, port[i].type, port[i].layout, data[i]))) return false;
    return true;
}

bool run_compile_there(run_program *p, run_engine *e, const char *text, const void *const *constant)
{
    const mesh *const m = p->plan->mesh;
    const run_source s = { text, strlen(text), m ? (int)mesh_size(m) : 1, m ? m->order : NULL };
    const char *why = "";
    void *const program = run_there_program(e, &s, &why);
    if (!program) return run_there_failed(e, "the compilation", why);
    if (bound_there(p, e, program)) return constants_there(p, constant);
    e->forget(e, program);
    return false;
}

void run_unbind_there(run_elsewhere *x)
{
    for (uint32_t i = 0; x && i < x->nconstant; i++) run_constant_gone(x->constant[i]);
    if (x) x->engine->forget(x->engine, x->program);
}

static bool not_there(const run_elsewhere *x, const run_array *a, uint32_t i)
{
    base_fail(TT_EENGINE, run_site, "argument %u is on %s, the program on %s", i,
              a->there ? a->there->engine->platform : "the embedded engine", x->engine->platform);
    if (a->there) base_also(a->there->site, "the argument was created here");
    return base_hint("tt_shard(v, mesh, spec) moves a value to the engine in force");
}

/* Argument i in the place and layout that the program takes; moved[i]: the copy, if the argument had to be moved. */
static bool take(run_program *p, run_array *const *in, uint32_t i)
{
    const run_port *const port = &p->in_port[i];
    const run_elsewhere *const x = p->there;
    run_array *const a = p->in[i] = in[i];
    if (a->type != port->type && !run_same_type(a, port->type))
        return base_bug(run_site, "argument %u of a program has another type than its program", i);
    const bool here = a->there && a->there->engine == x->engine;
    if (here && a->there->n == x->devices && (a->storage.layout == port->layout || x->devices == 1)) return true;
    if (!here && a->type->rank) return not_there(x, a, i);
    p->in[i] = p->moved[i] = run_move_there(a, run_site, port->layout);
    return p->in[i] && ((p->in[i]->there && p->in[i]->there->n == x->devices) || not_there(x, p->in[i], i));
}

static int device_of(const run_elsewhere *x, int partition) { return x->order ? (int)x->order[partition] : partition; }

/* Lists the buffers of arguments, and the arguments that the program may take but must not now. */
static int list_arguments(run_program *p, const bool *consumed)
{
    const run_elsewhere *const x = p->there;
    const run_plan *const plan = p->plan;
    int nkeep = 0;
    for (uint32_t i = 0; i < plan->narg; i++) p->in[i]->seen = 0;
    for (uint32_t i = 0; i < plan->narg; i++) {
        p->in[i]->seen++;
        for (int d = 0; d < x->devices; d++) x->in[d][i] = p->in[i]->there->buffer[device_of(x, d)];
    }
    for (uint32_t i = 0; plan->donated && i < plan->narg; i++) {
        run_array *const a = p->in[i];
        if (i >= plan->narg - plan->nhidden) break;
        const bool owned = (a == p->moved[i] && a != NULL) || (consumed && consumed[i]);
        const bool alone = owned && a->seen == 1 && atomic_load(&a->count) == 1 && atomic_load(&a->there->count) == 1;
        if (plan->donated[i] && !alone) x->keep[nkeep++] = i;
    }
    return nkeep;
}

void *run_program_there(const run_program *p) { return p->there->program; }

static bool headers(run_program *p)                      /* of results, before anything is launched */
{
    run_elsewhere *const x = p->there;
    for (uint32_t r = 0; r < p->plan->nresult; r++) {
        const run_port *const port = &p->out_port[r];
        x->made[r] = run_there_new(x->engine, x->devices, port->storage->bytes * x->devices);
        if (!x->made[r] || !(p->out[r] = run_there_array(port->type, port->storage, x->made[r]))) return false;
    }
    return true;
}

static bool launched(run_program *p, const bool *consumed)
{
    run_elsewhere *const x = p->there;
    const char *why = "";
    const run_call c = { x->devices, (int)p->plan->narg, (int)p->plan->nresult, list_arguments(p, consumed),
                         (void *const *const *)x->in, x->out, x->keep, run_site };
    if (!x->engine->launch(x->engine, x->program, &c, &why)) {
        const int kind = x->engine->failure(x->engine);
        run_there_failed(x->engine, "a launch", why);
        if (kind == RUN_NO_MEMORY || kind == RUN_LOST_MEMORY) run_cite_needs(x->engine, x->program);
        return false;
    }
    for (uint32_t r = 0; r < p->plan->nresult; r++)
        for (int d = 0; d < x->devices; d++) x->made[r]->buffer[device_of(x, d)] = x->out[d][r];
    return true;
}

bool run_launch_there(run_program *p, run_array *const *in, const bool *consumed, run_array **out)
{
    const run_plan *const plan = p->plan;
    const uint32_t narg = plan->narg - plan->nhidden;
    pthread_mutex_lock(&lock);
    memset(p->out, 0, plan->nresult * sizeof *p->out);
    memset(p->moved, 0, plan->narg * sizeof *p->moved);
    bool done = true;
    for (uint32_t i = 0; i < narg && done; i++) done = take(p, in, i);
    for (uint32_t i = 0; i < plan->nhidden; i++) p->in[narg + i] = p->there->constant[i];
    done = done && headers(p) && launched(p, consumed);
    for (uint32_t i = 0; i < narg; i++) {
        run_drop(p->moved[i]);
        if (done && consumed && consumed[i]) run_drop(in[i]);
    }
    if (done) memcpy(out, p->out, plan->nresult * sizeof *out);
    else run_drop_all((int)plan->nresult, p->out);
    pthread_mutex_unlock(&lock);
    return done;
}
