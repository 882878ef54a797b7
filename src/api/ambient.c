/* api/ambient.c - what holds for a stretch of a program on one thread: a mesh and rules in use, a name for what is
 * done; and functions over the leaves of a tree that want to know their paths. */
#include "api.h"

#include <stdlib.h>

ENTRY2(tt_used, ((tt_used){ { NULL }, NULL }), tt_use, tt_mesh, m, const tt_use_opts *, o)
{
    tt_used was = { { NULL }, NULL };
    was.mesh.p = trace_used(&was.rules);
    if (!API_OPTIONS(site, "tt_use", o)) return was;
    if (!m.p) {
        base_fail(TT_EMESH, site, "tt_use: there is no mesh");
        base_hint("make one: tt_mesh(\"data:2, model:4\")");
        return was;
    }
    trace_use(m.p, base_intern(o->rules));
    return was;
}

ENTRY1(bool, false, api_use_back, tt_used, was)
{
    trace_use(was.mesh.p, was.rules);
    return true;
}
void tt_use_back(tt_used was) { api_use_back_at(NULL, was); }

tt_mesh tt_here(void) { return (tt_mesh){ trace_used(NULL) }; }

ENTRY1(const char *, NULL, api_named, const char *, name) { return trace_named(name ? name : ""); }
const char *tt_named(const char *name) { return api_named_at(NULL, name); }

ENTRY1(bool, false, api_named_back, const char *, was)
{
    trace_named_back(was);
    return true;
}
void tt_named_back(const char *was) { api_named_back_at(NULL, was); }

VAL3(tt_map_path, tt_path_f *, f, void *, env, tt_val, tree)
{
    trace_value *x = trace_get(site, tree);
    if (!x) return trace_poison;
    if (x->type) return f(env, "", tree);
    tt_val out = tree;
    for (int i = 0; i < trace_nleaf(x); i++) {
        const char *path = base_intern(trace_leaf_path(trace_temp(), x->tree, i));
        const tt_val y = f(env, path, tt_get_at(site, tree, path));
        if (!trace_peek(y)) {
            trace_get(site, y);
            base_also(NULL, "at leaf \"%s\"", path);
            return trace_poison;
        }
        out = tt_set_at(site, out, path, y);
    }
    return out;
}
