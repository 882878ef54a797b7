/* api/tree_map.c - maps over the leaves of trees, alone or together with their paths. */
#include "api.h"

VAL2(tt_tree_map, tt_fn, fn, const tt_val *, trees)
{
    const int n = api_list(site, "tt_tree_map", trees);
    trace_fn *f = n < 0 ? NULL : trace_fn_get(site, fn);
    if (!f) return trace_poison;
    trace_value **x = api_values(site, n, trees), **arg = BASE_NEW(trace_temp(), trace_value *, n + 1);
    if (!x) return trace_poison;
    if (!n) {
        base_fail(TT_EARG, site, "tt_tree_map: the list of trees is empty");
        return trace_poison;
    }
    for (int i = 1; i < n; i++)
        if (!trace_agree(x[0]->tree, x[i]->tree)) {
            trace_tree_differ(site, "tt_tree_map", x[0]->tree, x[i]->tree);
            trace_cite(x[0]);
            trace_cite(x[i]);
            return trace_poison;
        }
    const int nleaf = trace_nleaf(x[0]);
    trace_value **y = BASE_NEW(trace_temp(), trace_value *, nleaf + 1);
    bool arrays = true;
    for (int l = 0; l < nleaf; l++) {
        for (int i = 0; i < n; i++) arg[i] = trace_leaf_of(x[i], l);
        if (!(y[l] = trace_call(site, f, n, arg))) {
            base_also(NULL, "at leaf \"%s\"", trace_leaf_path(trace_temp(), x[0]->tree, l));
            return trace_poison;
        }
        trace_handle(y[l]);                              /* owned by the scope */
        arrays &= y[l]->type != NULL;
    }
    if (arrays) return trace_handle(trace_tree_value(site, x[0]->tree, y));
    if (!trace_agree(y[0]->tree, y[nleaf - 1]->tree)) {
        trace_tree_differ(site, "what tt_tree_map's function returns", y[0]->tree, y[nleaf - 1]->tree);
        return trace_poison;
    }
    const int each = trace_nleaf(y[0]);
    trace_value **leaf = BASE_NEW(trace_temp(), trace_value *, nleaf * each + 1);
    for (int l = 0; l < nleaf; l++) {
        if (!trace_agree(y[l]->tree, y[0]->tree)) {
            trace_tree_differ(site, "what tt_tree_map's function returns", y[0]->tree, y[l]->tree);
            return trace_poison;
        }
        for (int k = 0; k < each; k++) leaf[l * each + k] = trace_leaf_of(y[l], k);
    }
    const trace_tree *t = trace_nest(x[0]->tree, y[0]->tree);
    return trace_too_deep(site, "tt_tree_map", t) ? trace_poison : trace_handle(trace_tree_value(site, t, leaf));
}

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
        base_fail(TT_EARG, site, "tt_tree_map_with_path: the function is NULL");
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
