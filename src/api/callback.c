/* api/callback.c - functions of C that a program calls: tt_debug_callback. */
#include "api.h"
#include "../op/ops.h"
#include "../wire/wire.h"

#include <stdio.h>
#include <string.h>

/* ---- emitting, or running ---- */

typedef struct { const op_prim *op; const op_host_attr *attr; int nin, nout; } call;

static bool call_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const call *const c = env;
    const ir_id first = ir_emit(b, c->op, c->attr, (uint32_t)c->nin, in, 0, NULL);
    for (int j = 0; first && j < c->nout; j++) out[j] = first + (ir_id)j;
    return first != 0;
}

bool api_host_call(base_site site, const op_prim *op, const op_host_attr *attr, trace_value *x, trace_value **out)
{
    const int n = trace_nleaf(x);
    trace_value **const leaf = BASE_NEW(trace_temp(), trace_value *, n + 1);
    call c;
    memset(&c, 0, sizeof c);                             /* its bytes are a key of the cache */
    c.op = op, c.attr = ir_attr_intern(op, attr), c.nin = n;
    for (int i = 0; i + 1 < c.attr->results.n; i += 2 + (int)c.attr->results.v[i + 1]) c.nout++;
    for (int i = 0; i < n; i++) leaf[i] = trace_leaf_of(x, i);
    return trace_do(site, call_body, &c, sizeof c, n, leaf, c.nout, out);
}

/* ---- the calls ---- */

static tt_box box_of(const ir_box *x) { return (tt_box){ x->at, x->dtype, x->rank, x->n, x->step }; }

/* Calls the function of the program; NULL, or what it says went wrong. */
static const char *call_user(const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout, const ir_box *y)
{
    tt_callback_f *const f = (tt_callback_f *)a->user;
    tt_box in[nin + 1], out[nout + 1];
    for (uint32_t i = 0; i < nin; i++) in[i] = box_of(&x[i]);
    for (uint32_t j = 0; j < nout; j++) out[j] = box_of(&y[j]);
    return f(a->env, (int)nin, in, (int)nout, out);
}

static bool wrong(base_site site, const op_host_attr *a, const char *why)
{
    return base_fail(TT_EDATA, site, "%s: %s", a->name, *why ? why : "it failed");
}

static bool call_everywhere(base_site site, const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout,
                            const ir_box *y, bool apart)
{
    const char *const why = call_user(a, nin, x, nout, y);
    (void)apart;
    return !why || wrong(site, a, why);
}

/* An effect on values that all ranks of a job have: rank 0 makes the call, and all ranks learn what came of it. */
static bool call_once(base_site site, const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout,
                      const ir_box *y, bool apart)
{
    char text[512] = "";
    if (apart || !run_job_real()) return call_everywhere(site, a, nin, x, nout, y, apart);
    const uint64_t before = base_failures();
    const char *const why = wire_rank() ? NULL : call_user(a, nin, x, nout, y);
    if (why) snprintf(text, sizeof text, "%s", *why ? why : "it failed");
    else if (base_failures() != before) snprintf(text, sizeof text, "%s", base_failed()->what);
    if (!wire_broadcast(site, 0, text, sizeof text, a->name)) return false;
    if (base_failures() != before) return false;
    return !*text || wrong(site, a, text);
}

/* "tt_pure_callback", of the call at this site; for messages. */
static base_name name_of_call(base_site site, const char *otherwise)
{
    return base_intern(api_call_name(site, otherwise));
}

static bool has_function(base_site site, const char *what, tt_callback_f *f)
{
    return f || base_fail(TT_EARG, site, "%s: the function is NULL", what);
}

ENTRY4(int, 0, api_debug_callback, tt_callback_f *, f, void *, env, tt_val, v, const tt_debug_opts *, o)
{
    const char *const what = "tt_debug_callback";
    trace_value *const x = API_OPTIONS(site, what, tt_debug_opts, o) && has_function(site, what, f)
                               ? trace_get(site, v) : NULL;
    if (!x) return 0;
    const op_host_attr a = { .call = call_once, .user = (void (*)(void))f, .env = env,
                             .name = name_of_call(site, what), .partitioned = o->partitioned != 0 };
    return api_host_call(site, &prim_debug_callback, &a, x, NULL);
}
void tt_debug_callback_at(const char *site, tt_callback_f *f, void *env, tt_val x, const tt_debug_opts *o)
{
    api_debug_callback_at(site, f, env, x, o);
}
