/* api/ambient.c - settings of a thread for a part of a program: the mesh and rules in use, the current name; and maps
 * over the leaves of a tree together with their paths. */
#include "api.h"

#include <stdlib.h>

ENTRY2(tt_mesh_context, ((tt_mesh_context){ { NULL }, NULL }), tt_set_mesh, tt_mesh, m, const tt_set_mesh_opts *, o)
{
    tt_mesh_context was = { { NULL }, NULL };
    was.mesh.p = trace_used(&was.rules);
    if (!API_OPTIONS(site, "tt_set_mesh", tt_set_mesh_opts, o)) return was;
    if (!m.p) {
        base_fail(TT_EMESH, site, "tt_set_mesh: there is no mesh");
        base_hint("make one: tt_mesh(\"data:2, model:4\")");
        return was;
    }
    if (!o->rules || trace_rules_ok(site, m.p, o->rules)) trace_use(m.p, base_intern(o->rules));
    return was;
}

ENTRY1(bool, false, api_use_back, tt_mesh_context, was)
{
    trace_use(was.mesh.p, was.rules);
    return true;
}
void tt_restore_mesh(tt_mesh_context was) { api_use_back_at(NULL, was); }

tt_mesh tt_current_mesh(void) { return (tt_mesh){ trace_used(NULL) }; }

ENTRY1(const char *, NULL, api_named, const char *, name) { return trace_named(name ? name : ""); }
const char *tt_named_scope_enter(const char *name) { return api_named_at(NULL, name); }

ENTRY1(bool, false, api_named_back, const char *, was)
{
    trace_named_back(was);
    return true;
}
void tt_named_scope_exit(const char *was) { api_named_back_at(NULL, was); }

/* The tree of x with each leaf replaced by f's result for it. */
static tt_val grafted(base_site site, const trace_value *x, trace_value *const *y)
{
    const int n = trace_nleaf(x);
    const trace_tree **by = BASE_NEW(trace_temp(), const trace_tree *, n + 1);
    int nleaf = 0, to = 0;
    for (int i = 0; i < n; i++) by[i] = y[i]->tree, nleaf += trace_nleaf(y[i]);
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, nleaf + 1);
    for (int i = 0; i < n; i++) for (int l = 0; l < trace_nleaf(y[i]); l++) leaf[to++] = trace_leaf_of(y[i], l);
    const trace_tree *t = trace_graft(x->tree, by);
    return trace_too_deep(site, "tt_tree_map_with_path", t) ? trace_poison
        : trace_handle(trace_tree_value(site, t, leaf));
}

VAL3(tt_tree_map_with_path, tt_path_f *, f, void *, env, tt_val, tree)
{
    if (!f) {
        base_fail(TT_EARG, site, "tt_tree_map_with_path: a function that is NULL");
        return trace_poison;
    }
    trace_value *x = trace_get(site, tree);
    if (!x) return trace_poison;
    if (x->type) return f(env, "", tree);
    const int n = trace_nleaf(trace_ref(x));             /* f may drop the tree and its earlier results */
    trace_value **y = BASE_NEW(trace_temp(), trace_value *, n + 1);
    tt_val out = trace_poison;
    int i = 0;
    for (; i < n; i++) {
        const char *path = base_intern(trace_leaf_path(trace_temp(), x->tree, i));
        const tt_val made = f(env, path, trace_handle(trace_ref(x->leaf[i])));
        if (!(y[i] = trace_get(site, made))) {
            base_also(NULL, "at leaf \"%s\"", path);
            break;
        }
        trace_ref(y[i]);
    }
    if (i == n) out = grafted(site, x, y);
    while (i-- > 0) trace_unref(y[i]);
    trace_unref(x);
    return out;
}
