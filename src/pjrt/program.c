/* pjrt/program.c - programs: compiling a text for several devices, launches, programs as bytes.
 *
 * Options of a compilation are a protocol buffer, xla.CompileOptionsProto, written here byte by byte; its fields are
 * named beside their numbers. A launch returns when its work is in the devices' queues; at most PJRT_AHEAD launches are
 * there at a time, since each holds memory. */
#include "inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

typedef struct { unsigned char at[16384]; size_t n; } proto;

static void put_number(proto *p, uint64_t v)             /* base 128, least first */
{
    for (; v >= 128; v >>= 7) if (p->n < sizeof p->at) p->at[p->n++] = (unsigned char)(v | 128);
    if (p->n < sizeof p->at) p->at[p->n++] = (unsigned char)v;
}

static void put_field(proto *p, int field, int64_t v)
{
    put_number(p, (uint64_t)field << 3);
    put_number(p, (uint64_t)v);
}

static void put_nested(proto *p, int field, const proto *inner)
{
    put_number(p, (uint64_t)field << 3 | 2);
    put_number(p, inner->n);
    if (p->n + inner->n <= sizeof p->at) memcpy(p->at + p->n, inner->at, inner->n), p->n += inner->n;
    else p->n = sizeof p->at;
}

static void put_text(proto *p, int field, const char *text)
{
    proto inner;
    inner.n = strlen(text);
    memcpy(inner.at, text, inner.n);
    put_nested(p, field, &inner);
}

/* env_option_overrides 7 { key 1, value 2 { bool_field 2 } }. As in JAX: XLA's own default for processors is that a
 * maximum with NaN is the other operand. */
static void put_overrides(proto *all)
{
    static _Thread_local proto entry, value;
    entry.n = value.n = 0;
    put_text(&entry, 1, "xla_cpu_enable_fast_min_max");
    put_field(&value, 2, 0);
    put_nested(&entry, 2, &value);
    put_nested(all, 7, &entry);
}

enum { LARGEST = 1024 };                                 /* devices of a program: their numbers fit into a proto */

/* executable_build_options: device_ordinal 1, num_replicas 4, num_partitions 5, use_spmd_partitioning 6,
 * device_assignment 9 { replica_count 1, computation_count 2, computation_devices 3 { replica_device_ids 1 } },
 * use_shardy_partitioner 19. */
static void options_of(int devices, const uint32_t *order, bool cpu, proto *all)
{
    static _Thread_local proto build, assigned;
    build.n = assigned.n = all->n = 0;
    put_field(&build, 1, -1);
    put_field(&build, 4, 1);
    put_field(&build, 5, devices);
    put_field(&build, 6, 1);
    put_field(&assigned, 1, 1);
    put_field(&assigned, 2, devices);
    for (int i = 0; i < devices; i++) {
        proto one;
        one.n = 0;
        put_field(&one, 1, order ? (int64_t)order[i] : i);
        put_nested(&assigned, 3, &one);
    }
    put_nested(&build, 9, &assigned);
    put_field(&build, 19, 1);
    put_nested(all, 3, &build);
    if (cpu) put_overrides(all);
}

/* ---- compiling ---- */

void *pjrt_do_compile(run_engine *engine, const run_source *s, const char **why)
{
    pjrt_engine *const e = engine->self;
    static _Thread_local proto options;
    static const char format[] = "mlir";
    if (!pjrt_usable(e, why)) return NULL;
    pjrt_failed_as(RUN_FAILED);
    if (s->devices > LARGEST) return *why = "a program for more devices than can be stated", NULL;
    options_of(s->devices, s->order, !strcmp(engine->platform, "cpu"), &options);
    const pjrt_program text = { { sizeof text, NULL }, s->text, s->bytes, format, sizeof format - 1 };
    PJRT_CALL(pjrt_compile, c, .client = e->client, .program = &text, .options = (char *)options.at,
              .noptions = options.n);
    return pjrt_good(e->api, e->api->Client_Compile(&c.a), why) ? c.a.loaded : NULL;
}

void pjrt_do_forget(run_engine *engine, void *program)
{
    pjrt_engine *const e = engine->self;
    const char *why;
    PJRT_CALL(pjrt_of_loaded, gone, .loaded = program);
    if (program && !e->lost) pjrt_good(e->api, e->api->LoadedExecutable_Destroy(&gone.a), &why);
}

static pjrt_executable *executable_of(pjrt_engine *e, void *program, const char **why)
{
    PJRT_CALL(pjrt_unloaded, u, .loaded = program);
    return pjrt_good(e->api, e->api->LoadedExecutable_GetExecutable(&u.a), why) ? u.a.executable : NULL;
}

static void executable_gone(pjrt_engine *e, pjrt_executable *x)
{
    const char *why;
    PJRT_CALL(pjrt_of_executable, gone, .executable = x);
    pjrt_good(e->api, e->api->Executable_Destroy(&gone.a), &why);
}

int pjrt_do_results(run_engine *engine, void *program, const char **why)
{
    pjrt_engine *const e = engine->self;
    pjrt_executable *const x = pjrt_here(e, why) ? executable_of(e, program, why) : NULL;
    PJRT_CALL(pjrt_outputs, o, .executable = x);
    const bool good = x && pjrt_good(e->api, e->api->Executable_NumOutputs(&o.a), why);
    if (x) executable_gone(e, x);
    return good ? (int)o.a.n : -1;
}

bool pjrt_do_needs(run_engine *engine, void *program, run_needs *n, const char **why)
{
    pjrt_engine *const e = engine->self;
    if (!pjrt_has(e->api, Executable_GetCompiledMemoryStats))
        return *why = "it lacks PJRT_Executable_GetCompiledMemoryStats", false;
    if (!pjrt_here(e, why)) return false;
    pjrt_executable *const x = executable_of(e, program, why);
    PJRT_CALL(pjrt_compiled_memory, m, .executable = x);
    const bool good = x && pjrt_good(e->api, e->api->Executable_GetCompiledMemoryStats(&m.a), why);
    if (x) executable_gone(e, x);
    *n = (run_needs){ m.a.arguments, m.a.results, m.a.aliased, m.a.temporary, m.a.code, m.a.peak > 0 ? m.a.peak : -1 };
    return good;
}

/* ---- on the disk ---- */

typedef struct { pjrt_executable *executable; void *held; void (*free)(void *); } saved;

void *pjrt_do_save(run_engine *engine, void *program, const char **bytes, size_t *n, const char **why)
{
    pjrt_engine *const e = engine->self;
    saved *const s = malloc(sizeof *s);
    pjrt_executable *const x = s ? executable_of(e, program, why) : NULL;
    PJRT_CALL(pjrt_serialize, z, .executable = x);
    if (x && pjrt_good(e->api, e->api->Executable_Serialize(&z.a), why)) {
        *s = (saved){ x, z.a.held, z.a.free };
        *bytes = z.a.bytes, *n = z.a.n;
        return s;
    }
    if (x) executable_gone(e, x);
    free(s);
    return NULL;
}

void pjrt_do_release(run_engine *engine, void *p)
{
    saved *const s = p;
    if (s->free) s->free(s->held);
    executable_gone(engine->self, s->executable);
    free(s);
}

void *pjrt_do_load(run_engine *engine, const char *bytes, size_t n, const run_source *s, const char **why)
{
    pjrt_engine *const e = engine->self;
    (void)s;
    if (!pjrt_usable(e, why)) return NULL;
    PJRT_CALL(pjrt_deserialize, d, .client = e->client, .bytes = bytes, .n = n);
    return pjrt_good(e->api, e->api->Executable_DeserializeAndLoad(&d.a), why) ? d.a.loaded : NULL;
}

/* ---- launches ---- */

/* A launch that has not ended: its devices that have not. */
typedef struct { pjrt_engine *engine; int left, devices; const char *site; } under_way;

/* A device has ended its part; why: NULL, or its failure, which among several devices loses the engine. */
static void part_ended(under_way *u, const char *why)
{
    pjrt_engine *const e = u->engine;
    if (why) why = pjrt_text("%s%s%s", why, u->site ? ", launched at " : "", u->site ? u->site : "");
    pthread_mutex_lock(&e->lock);
    if (why && !*e->untold) snprintf(e->untold, sizeof e->untold, "%s", why);
    if (why && u->devices > 1) pjrt_lose(e, why);
    const bool last = !--u->left;
    e->ahead -= last;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    if (last) free(u);
}

static void ended(pjrt_error *error, void *env)
{
    under_way *const u = env;
    const char *why = NULL;
    pjrt_good(u->engine->api, error, &why);
    part_ended(u, why);
}

bool pjrt_do_settle(run_engine *engine, const char **why)
{
    pjrt_engine *const e = engine->self;
    pthread_mutex_lock(&e->lock);
    while ((e->ahead || e->puts) && !e->lost) pthread_cond_wait(&e->changed, &e->lock);
    const bool good = !*e->untold;
    if (!good) *why = pjrt_text("%s", e->untold);
    *e->untold = '\0';
    pthread_mutex_unlock(&e->lock);
    pjrt_failed_as(e->lost ? RUN_LOST : RUN_FAILED);
    return good;
}

/* Waits until there are fewer launches under way, and counts one more. */
static bool enter(pjrt_engine *e, const char **why)
{
    pthread_mutex_lock(&e->lock);
    while (e->ahead >= PJRT_AHEAD && !e->lost) pthread_cond_wait(&e->changed, &e->lock);
    e->ahead++;
    pthread_mutex_unlock(&e->lock);
    return pjrt_usable(e, why);
}

static bool launch(pjrt_engine *e, void *program, const run_call *c, pjrt_event **event, const char **why)
{
    pjrt_execute_options o = { .head = { sizeof o, NULL }, .keep = c->keep, .nkeep = (size_t)c->nkeep };
    PJRT_CALL(pjrt_execute, x, .loaded = program, .options = &o, .argument = (pjrt_buffer *const *const *)c->in,
              .ndevice = (size_t)c->devices, .nargument = (size_t)c->nin, .result = (pjrt_buffer **const *)c->out,
              .done = event);
    if (pjrt_good(e->api, e->api->LoadedExecutable_Execute(&x.a), why)) return true;
    if (c->devices == 1) return false;
    pthread_mutex_lock(&e->lock);
    pjrt_lose(e, *why);
    pthread_mutex_unlock(&e->lock);
    pjrt_failed_as(pjrt_failure(&e->engine) == RUN_NO_MEMORY ? RUN_LOST_MEMORY : RUN_LOST);
    return false;
}

static bool launched(pjrt_engine *e, void *program, const run_call *c, under_way *u, const char **why)
{
    enum { FEW = 64 };
    pjrt_event *few[FEW], **const event = c->devices <= FEW ? few : malloc((size_t)c->devices * sizeof *event);
    bool good = event != NULL;
    if (!event) *why = "out of memory", pjrt_failed_as(RUN_NO_MEMORY);
    pthread_mutex_lock(&e->launching);
    good = good && launch(e, program, c, event, why);
    pthread_mutex_unlock(&e->launching);
    for (int d = 0; good && d < c->devices; d++)     /* one that cannot be watched has failed */
        if (!event[d]) part_ended(u, NULL);
        else if (!pjrt_when(e, event[d], ended, u, why)) part_ended(u, *why);
    if (event != few) free(event);
    return good;
}

bool pjrt_do_launch(run_engine *engine, void *program, const run_call *c, const char **why)
{
    pjrt_engine *const e = engine->self;
    if (!pjrt_usable(e, why)) return false;
    under_way *const u = malloc(sizeof *u);
    if (!u) return *why = "out of memory", pjrt_failed_as(RUN_NO_MEMORY), false;
    *u = (under_way){ e, c->devices, c->devices, c->site };
    if (enter(e, why) && launched(e, program, c, u, why)) return true;
    pthread_mutex_lock(&e->lock);
    e->ahead--;
    pthread_mutex_unlock(&e->lock);
    free(u);
    return false;
}
