/* api/callback.c - functions of C that a program calls: tt_debug_callback, tt_pure_callback, tt_io_callback. */
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

static tt_box public_box(const ir_box *x) { return (tt_box){ x->at, x->dtype, x->rank, x->n, x->step }; }

/* Calls the function of the program; NULL, or what it says went wrong. */
static const char *call_user(const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout, const ir_box *y)
{
    tt_callback_f *const f = (tt_callback_f *)a->user;
    tt_box in[nin + 1], out[nout + 1];
    for (uint32_t i = 0; i < nin; i++) in[i] = public_box(&x[i]);
    for (uint32_t j = 0; j < nout; j++) out[j] = public_box(&y[j]);
    return f(a->env, (int)nin, in, (int)nout, out);
}

static bool wrong(base_site site, const op_host_attr *a, const char *why)
{
    return base_fail(TT_EDATA, site, "%s: %s", a->name, *why ? why : "the function failed, and gave no reason");
}

static bool call_everywhere(base_site site, const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout,
                            const ir_box *y, bool apart)
{
    const char *const why = call_user(a, nin, x, nout, y);
    (void)apart;
    return !why || wrong(site, a, why);
}

/* Rank 0 sends what the function wrote to the others. */
static bool share_results(base_site site, const op_host_attr *a, uint32_t nout, const ir_box *y)
{
    base_arena *const t = base_open();
    bool good = true;
    for (uint32_t j = 0; j < nout && good; j++) {
        const ir_type *const type = ir_type_of(y[j].dtype, y[j].rank, y[j].n);
        ir_box dense = ir_box_dense(base_new(t, (size_t)ir_bytes(type) + 1), type), to = y[j];
        memset(to.lo, 0, sizeof to.lo);
        if (!wire_rank()) ir_copy(&to, &dense);
        good = wire_broadcast(site, 0, dense.at, ir_bytes(type), a->name) && (!wire_rank() || ir_copy(&dense, &to));
    }
    return base_close(t), good;
}

/* An effect on values that all ranks of a job have: rank 0 makes the call, and all ranks learn what came of it. */
static bool call_once(base_site site, const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout,
                      const ir_box *y, bool apart)
{
    char text[512] = "";
    if (apart || !run_job_real()) return call_everywhere(site, a, nin, x, nout, y, apart);
    const uint64_t before = base_failures();
    const char *const why = wire_rank() ? NULL : call_user(a, nin, x, nout, y);
    if (why) snprintf(text, sizeof text, "%s", *why ? why : "the function failed, and gave no reason");
    else if (base_failures() != before) snprintf(text, sizeof text, "%s", base_failed()->what);
    if (!wire_broadcast(site, 0, text, sizeof text, a->name)) return false;
    if (base_failures() != before) return false;
    return *text ? wrong(site, a, text) : share_results(site, a, nout, y);
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

/* ---- calls with results ---- */

op_host_attr api_callback_attr(bool once, tt_callback_f *f, void *env, base_name name)
{
    return (op_host_attr){ .call = once ? call_once : call_everywhere, .user = (void (*)(void))f, .env = env,
                           .name = name };
}

bool api_vmap_method(base_site site, const char *what, const char *word, int64_t *method)
{
    static const char *const words[] = { "none", "sequential", "expand_dims", "broadcast_all" };
    *method = OP_VMAP_NONE;
    for (int i = 1; word && i < 4; i++) if (!strcmp(word, words[i])) *method = i;
    if (!word || *method) return true;
    base_fail(TT_EARG, site, "%s: no .vmap_method \"%s\"", what, word);
    return base_hint_choices("the methods are", word, strlen(word), "sequential, expand_dims, broadcast_all");
}

/* The entry of a declared result; false with the error set: of a function on elements, which has another shape. */
static bool declare(base_site site, const char *what, const op_prim *op, const trace_value *x, const ir_type *t,
                    ir_dims *to, int64_t *at)
{
    const bool elements = op == &prim_elementwise_callback;
    const ir_type *const like = elements && trace_nleaf(x) ? trace_leaf_of((trace_value *)(uintptr_t)x, 0)->type : NULL;
    if (elements && (!like || !ir_same_dims(t, like)))
        return base_fail(TT_ESHAPE, site, "%s: a function on elements of %s cannot give %s", what,
                         like ? trace_text(like) : "nothing", trace_text(t));
    to->n += op_host_result(elements ? ir_type_of(t->dtype, 0, NULL) : t, at + to->n);
    return true;
}

tt_val api_callback_results(base_site site, const char *what, const op_prim *op, op_host_attr a, tt_val result,
                            tt_val v)
{
    const bool none = trace_is_end(result);
    trace_value *const x = trace_get(site, v), *const r = x && !none ? trace_get(site, result) : NULL;
    if (!x || (!r && !none)) return trace_poison;
    const trace_tree *const tree = none ? trace_tuple_of(0, NULL) : r->tree;
    const int n = tree->nleaf;
    if (!n && !op->ordered) {
        base_fail(TT_EARG, site, "%s: the call has no results and no effect, so the function would never run", what);
        return base_hint("tt_io_callback, or tt_debug_callback, is called for its effect"), trace_poison;
    }
    int64_t *const to = BASE_NEW(trace_temp(), int64_t, (size_t)n * (IR_RANK + 2) + 1);
    trace_value **const out = BASE_NEW(trace_temp(), trace_value *, n + 1);
    for (int j = 0; j < n; j++)
        if (!declare(site, what, op, x, trace_leaf_of(r, j)->type, &a.results, to)) return trace_poison;
    a.results.v = to;
    if (!api_host_call(site, op, &a, x, out)) return trace_poison;
    trace_value *y = r && r->type ? trace_ref(out[0]) : trace_tree_value(site, tree, out);
    for (int j = 0; j < n; j++) trace_unref(out[j]);
    return api_handle(y);
}

static tt_val call_with_results(base_site site, const char *what, const op_prim *op, tt_callback_f *f, void *env,
                                tt_val result, tt_val x, const tt_callback_opts *o)
{
    if (!API_OPTIONS(site, what, tt_callback_opts, o) || !has_function(site, what, f)) return trace_poison;
    op_host_attr a = api_callback_attr(op->ordered, f, env, name_of_call(site, what));
    if (!api_vmap_method(site, what, o->vmap_method, &a.vmap_method)) return trace_poison;
    return api_callback_results(site, what, op, a, result, x);
}

VAL5(tt_pure_callback, tt_callback_f *, f, void *, env, tt_val, result, tt_val, x, const tt_callback_opts *, o)
{
    return call_with_results(site, "tt_pure_callback", &prim_pure_callback, f, env, result, x, o);
}

VAL5(tt_io_callback, tt_callback_f *, f, void *, env, tt_val, result, tt_val, x, const tt_callback_opts *, o)
{
    return call_with_results(site, "tt_io_callback", &prim_io_callback, f, env, result, x, o);
}
