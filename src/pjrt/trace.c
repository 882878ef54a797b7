/* pjrt/trace.c - the library's own profiler, if it has PJRT's extension for one: what its devices computed and when, as
 * an XSpace, the protocol buffer that XProf, TensorBoard's profile page and Perfetto's converters read.
 *
 * The layout is documented in OpenXLA's pjrt_c_api_profiler_extension.h and profiler_c_api.h (Apache 2.0): a table of
 * functions of its own, with errors of its own. */
#include "inner.h"

#include <stdlib.h>

typedef struct profiler profiler;
typedef struct profiler_error profiler_error;
typedef struct { size_t bytes; void *held; profiler_error *error; } of_error;
typedef struct { size_t bytes; void *held; const profiler_error *error; const char *text; size_t n; } message;
typedef struct { size_t bytes; const char *options; size_t noptions; profiler *made; } create;   /* out: made */
typedef struct { size_t bytes; profiler *of; } one;
/* at NULL: out: n; else the data are written there */
typedef struct { size_t bytes; profiler *of; uint8_t *at; size_t n; } collect;
typedef struct {
    size_t bytes; void *held;
    void (*error_destroy)(of_error *), (*error_message)(message *);
    profiler_error *(*error_code)(void *);
    profiler_error *(*create)(create *), *(*destroy)(one *), *(*start)(one *), *(*stop)(one *);
    profiler_error *(*collect)(collect *);
} profiler_api;
typedef struct extension { size_t bytes; int type; const struct extension *next; const profiler_api *api; } extension;
enum { PROFILER = 1 };                                   /* type of the extension */

static const profiler_api *profiler_of(const pjrt_engine *e)
{
    const extension *x = e->api->head.extension;
    while (x && x->type != PROFILER) x = x->next;
    const profiler_api *const p = x ? x->api : NULL;
    return p && p->create && p->destroy && p->start && p->stop && p->collect && p->error_message ? p : NULL;
}

static bool well(const profiler_api *p, profiler_error *error, const char **why)
{
    message m = { sizeof m, NULL, error, NULL, 0 };
    of_error gone = { sizeof gone, NULL, error };
    if (!error) return true;
    p->error_message(&m);
    *why = pjrt_text("%.*s", m.n < 1000 ? (int)m.n : 1000, m.text ? m.text : "");
    if (p->error_destroy) p->error_destroy(&gone);
    return false;
}

bool pjrt_do_trace(run_engine *engine, const char **why)
{
    pjrt_engine *const e = engine->self;
    const profiler_api *const p = profiler_of(e);
    /* ProfileOptions: host_tracer_level 2, device_tracer_level 3, version 5, enable_hlo_proto 7 */
    static const char options[] = { 2 << 3, 2, 3 << 3, 1, 5 << 3, 1, 7 << 3, 1 };
    create c = { sizeof c, options, sizeof options, NULL };
    if (!p) return *why = "it has no profiler extension", false;
    if (!well(p, p->create(&c), why)) return false;
    one s = { sizeof s, c.made };
    e->tracing = c.made;
    const char *other;
    if (well(p, p->start(&s), why)) return true;
    well(p, p->destroy(&s), &other);
    return e->tracing = NULL, false;
}

bool pjrt_do_traced(run_engine *engine, bool (*take)(void *env, const void *bytes, size_t n), void *env,
                    const char **why)
{
    pjrt_engine *const e = engine->self;
    const profiler_api *const p = profiler_of(e);
    one s = { sizeof s, e->tracing };
    collect c = { sizeof c, e->tracing, NULL, 0 };
    const char *other;
    if (!pjrt_here(e, why)) return false;
    e->tracing = NULL;
    bool good = well(p, p->stop(&s), why) && well(p, p->collect(&c), why);
    if (good && !c.at && !(c.at = malloc(c.n + 1))) *why = "out of memory", good = false;
    uint8_t *const own = c.at;
    good = good && well(p, p->collect(&c), why);
    good = good && take(env, c.at, c.n);
    well(p, p->destroy(&s), &other);
    free(own);
    return good;
}
