/* api/ambient.c - settings of a thread for a part of a program: the mesh and rules in use, the current name. */
#include "api.h"

ENTRY2(tt_mesh_context, ((tt_mesh_context){ { NULL }, NULL }), tt_set_mesh, tt_mesh, m, const tt_set_mesh_opts *, o)
{
    tt_mesh_context was = { { NULL }, NULL };
    was.mesh.p = trace_used(&was.rules);
    if (!API_OPTIONS(site, "tt_set_mesh", tt_set_mesh_opts, o)) return was;
    if (!m.p) {
        base_fail(TT_EMESH, site, "tt_set_mesh: the mesh is empty");
        base_hint("tt_mesh(\"data:2, model:4\") makes a mesh");
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
