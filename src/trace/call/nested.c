/* trace/call/nested.c - a jit that is called while another function is traced: its mesh and rules are in force inside,
 * and .in and .out lay out its arguments and results as tt_shard does. The other options of such a jit apply to
 * top-level calls only. */
#include "../trace.h"
#include "../../op/ops.h"

#include <string.h>

#include "../../spmd/spmd.h"
#include "../inner.h"

typedef struct { const mesh_layout *to; } constraint;

static bool constrain_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const constraint *c = env;
    const op_layout_attr attr = { { 1, &c->to } };
    return (out[0] = ir_emit(b, &prim_constrain, &attr, 1, in, 0, NULL)) != 0;
}

/* True if the layout uses no axis of a surrounding manual region, over which a device's block cannot be sharded;
 * else sets the error. */
bool trace_not_manual(base_site site, const mesh_layout *to, const char *spec)
{
    for (int i = 0; i < to->mesh->naxis; i++) {
        const base_name name = to->mesh->axis[i].name;
        const trace_axis *x = trace_axis_find(name, strlen(name));
        const char *at = spec ? strstr(spec, name) : NULL;
        if (!x || !x->manual || !(mesh_used(to) & mesh_named(to->mesh, 1, &name))) continue;
        base_fail(TT_ESPEC, site, "axis \"%s\" is manual here: each device has its own block already", name);
        if (at) base_caret(spec, (size_t)(at - spec));
        return base_hint("use a collective (tt_all_gather, tt_psum_scatter), or shard the value by the region's .in "
                         "and .out");
    }
    return true;
}

trace_value *trace_constrain(base_site site, trace_value *v, const mesh_layout *to, const char *spec)
{
    const constraint c = { to };
    trace_value *y = NULL;
    if (!trace_use_mesh(site, to->mesh, spec)) return NULL;
    trace_do(site, constrain_body, &c, sizeof c, 1, &v, 1, &y);
    if (!y) return NULL;
    y->weak = v->weak;
    y->tree = v->tree;
    return y;
}

/* Lays out leaves [from, from + n) of the value by one spec, into out. */
static bool constrain_leaves(base_site site, const mesh *m, trace_value *v, int from, int n, const char *spec,
                             trace_value **out)
{
    for (int l = from; l < from + n; l++) {
        trace_value *const leaf = trace_leaf_of(v, l);
        const mesh_layout *to = spec ? mesh_parse(site, m, leaf->type->rank, spec) : NULL;
        if (to && base_switch("even")) to = mesh_evened(to, leaf->type->dim);
        out[l] = to && trace_not_manual(site, to, spec) ? trace_constrain(site, leaf, to, spec) : NULL;
        if (!out[l]) return trace_cite(leaf), false;
        trace_handle(out[l]);                            /* owned by the scope */
    }
    return true;
}

static trace_value *constrain_arguments(base_site site, const fn_key *k, trace_value *x, int i, int n)
{
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, trace_nleaf(x) + 1);
    const char *const spec = fn_spec_for(site, "tt_jit: .in", k->in, i, n);
    if (!spec || !constrain_leaves(site, k->mesh, x, 0, trace_nleaf(x), spec, leaf)) return NULL;
    trace_value *const y = trace_tree_value(site, x->tree, leaf);
    return trace_handle(y), y;
}

static trace_value *constrain_results(base_site site, const fn_key *k, trace_value *y)
{
    const trace_tree *const t = y->tree;
    const int items = fn_result_items(k->out, t);
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, trace_nleaf(y) + 1);
    for (int i = 0; i < items; i++) {
        const int from = items > 1 ? trace_leaf_from(t, i) : 0;
        const int n = items > 1 ? trace_leaf_from(t, i + 1) - from : trace_nleaf(y);
        const char *const spec = fn_spec_for(site, "tt_jit: .out", k->out, i, items);
        if (!spec || !constrain_leaves(site, k->mesh, y, from, n, spec, leaf)) return NULL;
    }
    return trace_tree_value(site, t, leaf);
}

trace_value *call_nested(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    trace_frame *t = trace_top();
    const fn_key *k = f->key;
    const base_name rules = t->rules;
    const bool outermost = trace_this()->outermost == k;
    trace_value **x = BASE_NEW(trace_temp(), trace_value *, n + 1);
    trace_this()->outermost = NULL;
    if (k->mesh && !trace_use_mesh(site, k->mesh, NULL)) return NULL;
    if (k->donate && fn_numbers(site, ".donate", k->donate, n, BASE_NEW(trace_temp(), int, n), n) < 0) return NULL;
    for (int i = 0; i < n; i++)
        if (!(x[i] = k->in && !outermost ? constrain_arguments(site, k, args[i], i, n) : args[i])) return NULL;
    if (k->rules) t->rules = k->rules;
    trace_value *y = trace_call(site, k->f, n, x);
    t->rules = rules;
    if (!y || !k->out || outermost) return y;
    trace_value *const constrained = constrain_results(site, k, y);
    trace_unref(y);
    return constrained;
}
