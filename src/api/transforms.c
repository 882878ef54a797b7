/* api/transforms.c - functions, transforms of functions, calls, control flow on values. */
#include "api.h"
#include "../op/ops.h"

#include <string.h>

/* ---- functions ---- */

typedef void any_fn(void);
ENTRY3(tt_fn, ((tt_fn){ 0, 0 }), api_fn_c, const char *, name, int, arity, any_fn *, f)
{
    return trace_fn_c(name, arity, f);
}
#define OF(n) tt_fn tt_fn_of##n(const char *name, tt_f##n *f) { return api_fn_c_at(NULL, name, n, (any_fn *)f); }
OF(0)
OF(1)
OF(2)
OF(3)
OF(4)
OF(5)
OF(6)
OF(7)
OF(8)

tt_fn tt_fn_wrong(const char *name, struct tt_takes_0_to_8_values_and_returns_one wrong)
{
    TT_ENTRY(NULL);
    (void)wrong;
    tt_fail_at(NULL, TT_EARG, "%s is no function of values", name);
    return (tt_fn){ 0, 0 };
}

ENTRY5(tt_fn, ((tt_fn){ 0, 0 }), api_bind, const char *, name, tt_env_f *, f, void *, env, size_t, size, int, nargs)
{
    if (nargs < -1) {
        base_fail(TT_EARG, site, "tt_bind_env: %d arguments; expected 0 or more, or -1: any number", nargs);
        return (tt_fn){ 0, 0 };
    }
    const tt_fn bound = trace_fn_env(name, f, env, size, nargs);
    base_blame(site);
    return bound;
}
tt_fn tt_bind_env_at(const char *site, const char *name, tt_env_f *f, void *env, size_t size, int nargs)
{
    return api_bind_at(site, name, f, env, size, nargs);
}

/* ---- calls ---- */

static trace_value **args_of(base_site site, int n, const tt_val *v)
{
    if (n < 0) return NULL;
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, n + 1);
    for (int i = 0; i < n; i++) if (!(x[i] = trace_get(site, v[i]))) return NULL;
    return x;
}

static tt_val transforms_call(base_site site, tt_fn fn, int n, const tt_val *args)
{
    if (n < 0 || (n && !args)) {
        base_fail(TT_EARG, site, n < 0 ? "tt_call_n: %d values; expected 0 or more"
                                     : "tt_call_n: %d values, and the list of values is NULL", n);
        return trace_poison;
    }
    trace_value *few[8], **x = n <= 8 ? few : BASE_NEW(trace_temp(), trace_value *, n);
    trace_fn *f = trace_fn_get(site, fn);
    for (int i = 0; f && i < n; i++) if (!(x[i] = trace_get(site, args[i]))) return trace_poison;
    return f ? api_handle(trace_call(site, f, n, x)) : trace_poison;
}

VAL2(tt_call, tt_fn, f, const tt_val *, args)
{
    const int n = api_list(site, "tt_call", args);
    return n < 0 ? trace_poison : transforms_call(site, f, n, args);
}
VAL3(api_call_n, tt_fn, f, int, n, const tt_val *, args) { return transforms_call(site, f, n, args); }
tt_val tt_call_n(const char *site, tt_fn f, int n, const tt_val *args) { return api_call_n_at(site, f, n, args); }

VAL2(tt_eval_shape, tt_fn, fn, const tt_val *, args)
{
    const int n = api_list(site, "tt_eval_shape", args);
    trace_fn *f = trace_fn_get(site, fn);
    trace_value **x = f ? args_of(site, n, args) : NULL;
    return x ? api_handle(trace_shapes(site, f, n, x)) : trace_poison;
}

/* ---- transforms ---- */

#define FN1(name, A, a)             ENTRY1(tt_fn, ((tt_fn){ 0, 0 }), name, A, a)
#define FN2(name, A, a, B, b)       ENTRY2(tt_fn, ((tt_fn){ 0, 0 }), name, A, a, B, b)
#define FN3(name, A, a, B, b, C, c) ENTRY3(tt_fn, ((tt_fn){ 0, 0 }), name, A, a, B, b, C, c)
static const tt_fn none = { 0, 0 };

FN2(tt_jit, tt_fn, f, const tt_jit_opts *, o)
{
    if (!API_OPTIONS(site, "tt_jit", tt_jit_opts, o)) return none;
    return trace_fn_jit(site, f, o, !o->strict && tt_given(o, "strict"));
}
FN2(tt_grad, tt_fn, f, const tt_grad_opts *, o)
{
    return API_OPTIONS(site, "tt_grad", tt_grad_opts, o) ? trace_fn_grad(site, f, o, false) : none;
}
FN2(tt_value_and_grad, tt_fn, f, const tt_grad_opts *, o)
{
    return API_OPTIONS(site, "tt_value_and_grad", tt_grad_opts, o) ? trace_fn_grad(site, f, o, true) : none;
}
FN2(tt_jacfwd, tt_fn, f, const tt_grad_opts *, o)
{
    return API_OPTIONS(site, "tt_jacfwd", tt_grad_opts, o) ? trace_fn_jacobian(site, f, o, false) : none;
}
FN2(tt_jacrev, tt_fn, f, const tt_grad_opts *, o)
{
    return API_OPTIONS(site, "tt_jacrev", tt_grad_opts, o) ? trace_fn_jacobian(site, f, o, true) : none;
}
FN1(tt_linearize, tt_fn, f) { return trace_fn_linearize(site, f); }
FN1(tt_linear, tt_fn, f) { return trace_fn_linear(site, f); }
/* .length of a map or a loop: -1 if not given, -2 with the error set. */
static int64_t length_of(base_site site, const char *what, const void *o, int64_t length)
{
    if (length > 0) return length;
    if (!length) return tt_given(o, "length") ? 0 : -1;
    base_fail(TT_EARG, site, "%s: .length = %lld; expected 0 or more", what, (long long)length);
    return -2;
}

FN1(tt_jvp, tt_fn, f) { return trace_fn_jvp(site, f); }
FN1(tt_vjp, tt_fn, f) { return trace_fn_vjp(site, f); }
FN1(tt_hessian, tt_fn, f) { return trace_fn_hessian(site, f); }
FN2(tt_remat, tt_fn, f, const tt_remat_opts *, o)
{
    base_name policy = NULL;
    if (!API_OPTIONS(site, "tt_remat", tt_remat_opts, o) || !api_remat_policy(site, o->policy, &policy)) return none;
    return trace_fn_remat(site, f, policy);
}
FN3(tt_custom_vjp, tt_fn, f, tt_fn, fwd, tt_fn, bwd) { return trace_fn_custom_vjp(site, f, fwd, bwd); }
FN2(tt_custom_jvp, tt_fn, f, tt_fn, rule) { return trace_fn_custom_jvp(site, f, rule); }
FN2(tt_custom_tangent, tt_fn, f, tt_fn, tangent) { return trace_fn_custom_tangent(site, f, tangent); }
FN2(tt_vmap, tt_fn, f, const tt_vmap_opts *, o)
{
    const int64_t length = API_OPTIONS(site, "tt_vmap", tt_vmap_opts, o) ? length_of(site, "vmap", o, o->length) : -2;
    return length < -1 ? none : trace_fn_vmap(site, f, o, length);
}
FN2(tt_pmap, tt_fn, f, const tt_pmap_opts *, o)
{
    return API_OPTIONS(site, "tt_pmap", tt_pmap_opts, o) ? trace_fn_pmap(site, f, o) : none;
}
FN2(tt_shard_map, tt_fn, f, const tt_shard_map_opts *, o)
{
    return API_OPTIONS(site, "tt_shard_map", tt_shard_map_opts, o) ? trace_fn_shard_map(site, f, o) : none;
}

VAL1(tt_stop_gradient, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    return x ? api_handle(trace_stop(site, x)) : trace_poison;
}

static bool barrier_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const int n = *(const int *)env;
    const ir_id first = ir_emit(b, &prim_barrier, NULL, (uint32_t)n, in, 0, NULL);
    for (int i = 0; i < n; i++) out[i] = first ? first + (ir_id)i : 0;
    return first != 0;
}

VAL1(tt_optimization_barrier, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    const int n = x ? trace_nleaf(x) : 0;
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, n + 1);
    trace_value **y = BASE_NEW(trace_temp(), trace_value *, n + 1);
    if (!n) return x ? v : trace_poison;
    for (int i = 0; i < n; i++) leaf[i] = trace_leaf_of(x, i);
    trace_value *out = NULL;
    if (trace_do(site, barrier_body, &n, sizeof n, n, leaf, n, y)) {
        for (int i = 0; i < n; i++) y[i]->weak = leaf[i]->weak;
        out = trace_tree_value(site, x->tree, y);
    }
    for (int i = 0; i < n; i++) trace_unref(y[i]);
    return api_handle(out);
}

/* ---- control flow on values ---- */

VAL4(tt_scan, tt_fn, fn, tt_val, carry, tt_val, xs, const tt_scan_opts *, o)
{
    trace_fn *f = trace_fn_get(site, fn);
    trace_value *c = f ? trace_get(site, carry) : NULL, *x = c ? trace_get(site, xs) : NULL;
    if (!x || !API_OPTIONS(site, "tt_scan", tt_scan_opts, o)) return trace_poison;
    const int64_t length = length_of(site, "scan", o, o->length);
    return length < -1 ? trace_poison : api_handle(trace_scan(site, f, c, x, length, o->reverse != 0));
}

VAL3(tt_while, tt_fn, cond, tt_fn, body, tt_val, state)
{
    trace_fn *c = trace_fn_get(site, cond), *f = c ? trace_fn_get(site, body) : NULL;
    trace_value *s = f ? trace_get(site, state) : NULL;
    if (s) trace_fn_named(c, site, 0), trace_fn_named(f, site, 1);
    return s ? api_handle(trace_while(site, c, f, s)) : trace_poison;
}

VAL4(tt_fori, int64_t, lo, int64_t, hi, tt_fn, body, tt_val, state)
{
    trace_fn *f = trace_fn_get(site, body);
    trace_value *s = f ? trace_get(site, state) : NULL;
    if (s) trace_fn_named(f, site, 2);
    return s ? api_handle(trace_fori(site, lo, hi, f, s)) : trace_poison;
}

/* state: (i, hi, the body's state) */
static tt_val more_iterations(void *env, int n, const tt_val *v)
{
    (void)n;
    const char *const site = *(const char **)env;
    return tt_compare_at(site, 2, tt_item_at(site, v[0], 0), tt_item_at(site, v[0], 1));
}
typedef struct { const char *site; tt_fn body; } iteration_env;
static tt_val one_iteration(void *env, int n, const tt_val *v)
{
    (void)n;
    const iteration_env *e = env;
    const tt_val i = tt_item_at(e->site, v[0], 0), hi = tt_item_at(e->site, v[0], 1);
    const tt_val next = tt_call_n(e->site, e->body, 2, (const tt_val[]){ i, tt_item_at(e->site, v[0], 2) });
    return tt_tuple_at(e->site, (const tt_val[]){ tt_add_at(e->site, i, tt_i(1)), hi, next, tt_end });
}

/* A bound that is a value: one integer of at most 32 bits; false with the error set. */
static bool good_bound(base_site site, const trace_value *v)
{
    const tt_dtype t = v->type->dtype;
    int64_t least;
    uint64_t most;
    if (!v->type->rank && ir_int_range(t, &least, &most) && (most <= INT32_MAX || v->form == TRACE_NUMBER)) return true;
    base_fail(TT_ETYPE, site, "fori: a bound is %s; expected one integer of 32 bits or less", trace_text(v->type));
    return trace_cite(v);
}

VAL4(tt_fori_between, tt_val, lo, tt_val, hi, tt_fn, body, tt_val, state)
{
    trace_value *from = trace_array(site, "tt_fori", lo), *to = from ? trace_array(site, "tt_fori", hi) : NULL;
    if (!to || !good_bound(site, from) || !good_bound(site, to)) return trace_poison;
    const bool known = from->form == TRACE_NUMBER && to->form == TRACE_NUMBER;
    if (known) return tt_fori_at(site, from->i64, to->i64, body, state);
    const iteration_env e = { site, body };
    trace_fn *f = trace_fn_get(site, body);
    if (!f) return trace_poison;
    trace_fn_named(f, site, 2);
    const tt_fn more = tt_bind_env_at(NULL, "fori", more_iterations, (void *)&site, sizeof site, 1);
    const tt_fn iteration = tt_bind_env_at(NULL, "fori", one_iteration, (void *)&e, sizeof e, 1);
    const tt_val begin = tt_tuple_at(site, (const tt_val[]){ tt_cast_at(site, lo, TT_I32), tt_cast_at(site, hi, TT_I32),
                                                             state, tt_end });
    return tt_item_at(site, tt_while_at(site, more, iteration, begin), 2);
}

VAL4(tt_cond, tt_val, pred, tt_fn, yes, tt_fn, no, const tt_val *, args)
{
    const int n = api_list(site, "tt_cond", args);
    trace_value *p = trace_array(site, "tt_cond", pred), **x = p ? args_of(site, n, args) : NULL;
    trace_fn *branch[2] = { x ? trace_fn_get(site, no) : NULL, x ? trace_fn_get(site, yes) : NULL };
    if (!branch[0] || !branch[1]) return trace_poison;
    trace_fn_named(branch[1], site, 1), trace_fn_named(branch[0], site, 2);
    if (p->type->dtype != TT_BOOL || p->type->rank) {
        base_fail(TT_ETYPE, site, "tt_cond: the test must be one bool, not %s", trace_text(p->type));
        trace_cite(p);
        base_hint(p->type->rank ? "tt_all(...) or tt_any(...) of several; tt_where chooses element by element"
                                : "a condition comes from a comparison: tt_ne(x, tt_i(0))");
        return trace_poison;
    }
    return api_handle(trace_case(site, p, 2, branch, n, x));
}

VAL3(tt_switch, tt_val, index, tt_val, v, const tt_fn *, branches)
{
    int n = 0;
    while (branches && (branches[n].slot != UINT32_MAX || branches[n].born != UINT32_MAX)) n++;
    trace_value *i = trace_array(site, "tt_switch", index), *x = i ? trace_get(site, v) : NULL;
    trace_fn **f = BASE_NEW(trace_temp(), trace_fn *, n + 1);
    for (int b = 0; x && b < n; b++) if (!(f[b] = trace_fn_get(site, branches[b]))) return trace_poison;
    if (x && !n) {
        base_fail(TT_EARG, site, "tt_switch: the list of branches is empty");
        return trace_poison;
    }
    return x ? api_handle(trace_case(site, i, n, f, 1, &x)) : trace_poison;
}
