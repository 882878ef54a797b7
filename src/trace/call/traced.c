/* trace/call/traced.c - a call as it is compiled: the traced function, with the layouts of its arguments and results.
 *
 * A trace has no layouts, except on explicit mesh axes; so one trace serves all layouts of its arguments, on the mesh
 * on which it was traced or, if the trace names no mesh, on any. */
#include "../trace.h"

#include <stdatomic.h>
#include <string.h>

#include "../../pass/pass.h"
#include "../inner.h"

static _Atomic int64_t traces;

int64_t jit_traces(void) { return atomic_load(&traces); }

const mesh_layout *jit_layout(const trace_value *v)
{
    return v->form == TRACE_CONCRETE || v->form == TRACE_ABSTRACT ? v->layout : NULL;
}

const mesh *jit_mesh(const trace_fn *f, int n, trace_value *const *args)
{
    for (const trace_fn *g = f; g; g = g->key->f) if (g->key->mesh) return g->key->mesh;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            if (v->layout && v->layout->mesh) return v->layout->mesh;
        }
    return NULL;
}

/* Sets the layouts of arguments: from .in, else the values' own. */
static bool layouts_in(base_site site, const fn_key *k, int n, trace_value *const *args, const mesh_layout **in)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        const char *spec = NULL;
        if (k->kind == FN_JIT && k->in && !(spec = fn_spec_for(site, "tt_jit: .in", k->in, i, n))) return false;
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            const trace_value *v = trace_leaf_of(args[i], l);
            in[at] = jit_layout(v);
            if (spec && !(in[at] = mesh_parse(site, k->mesh, v->type->rank, spec))) return trace_cite(v);
            if (spec && base_switch("even") && !mesh_even(site, in[at], v->type->dim)) return trace_cite(v);
        }
    }
    return true;
}

/* The arguments' layouts, then those of the captured values. */
static const mesh_layout **layouts_of(base_arena *a, int nleaf, const mesh_layout **in, const trace_closed *c)
{
    const mesh_layout **all = BASE_NEW(a, const mesh_layout *, c->fn->narg + 1);
    for (int i = 0; i < nleaf; i++) all[i] = in[i];
    for (int i = 0; i < c->ncaptured; i++) all[nleaf + i] = jit_layout(c->captured[i]);
    return all;
}

/* Sets the layouts of results: from .out; else of a leaf with logical axes by the rules; else the partitioner
 * chooses. */
static bool layouts_out(base_site site, const fn_key *k, base_arena *a, const trace_closed *c, driver_opts *o)
{
    const mesh_layout **out = BASE_NEW(a, const mesh_layout *, c->fn->nret + 1);
    if (k->kind != FN_JIT || !k->mesh || (!k->out && !k->rules)) return true;
    const trace_tree *t = c->out;
    const int items = fn_result_items(k->out, t);
    for (int i = 0; i < (int)c->fn->nret; i++) {
        const ir_type *const type = c->fn->type[c->fn->ret[i]];
        const int rank = type->rank;
        int item = 0;
        while (items > 1 && i >= trace_leaf_from(t, item + 1)) item++;
        const char *spec = k->out ? fn_spec_for(site, "tt_jit: .out", k->out, item, items) : NULL;
        const trace_tree *leaf = trace_leaf_at(t, i);
        if (k->out && (!spec || !(out[i] = mesh_parse(site, k->mesh, rank, spec)))) return false;
        if (k->out && out[i]->partial) {
            base_fail(TT_ESPEC, site, "tt_jit: .out: an array cannot be laid out as partial sums");
            return base_caret(spec, strcspn(spec, "+"));
        }
        if (k->out && base_switch("even") && !mesh_even(site, out[i], type->dim)) return false;
        if (!k->out && leaf->axes && !axes_layout(site, k->mesh, k->rules, leaf->axes, rank, &out[i])) return false;
    }
    o->out = out;
    return true;
}

/* Sets the names for reports: "argument 0, params.up.kernel", "result 1". Names are interned, because a report outlives
 * the trace. */
static void names_of(base_arena *a, int n, trace_value *const *args, const fn_sig *s, const trace_closed *c,
                     driver_opts *o)
{
    const char **in = BASE_NEW(a, const char *, c->fn->narg + 1), **out = BASE_NEW(a, const char *, c->fn->nret + 1);
    base_site *site = BASE_NEW(a, base_site, c->fn->narg + 1);
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < trace_nleaf(args[i]); l++, at++) {
            const char *path = trace_leaf_path(a, args[i]->tree, l);
            in[at] = base_intern(base_format(a, "argument %d%s%s", i, *path ? ", " : "", path));
            site[at] = s->site[at];
        }
    for (int i = 0; i < c->ncaptured; i++, at++) in[at] = "a value from outside", site[at] = c->captured[i]->site;
    for (int j = 0; j < (int)c->fn->nret; j++) {
        const char *path = trace_leaf_path(a, c->out, j);
        out[j] = *path ? base_intern(base_format(a, "result %s", path)) : "the result";
    }
    o->in_name = in, o->out_name = out, o->in_site = site;
}

/* Completes t with everything needed to compile the trace: layouts, names, options. */
static bool prepared(base_site site, trace_fn *f, int n, trace_value *const *args, const fn_sig *s, jit_traced *t)
{
    base_arena *a = trace_this()->frame->arena;
    t->opts.in = layouts_of(a, s->nleaf, s->layout, &t->c);
    t->opts.site = f->key->site;
    names_of(a, n, args, s, &t->c, &t->opts);
    for (const trace_fn *g = f; g; g = g->key->f) {      /* tt_grad(tt_jit(loss, .reproducible = 1)) too */
        if (g->key->kind != FN_JIT) continue;
        if (!t->opts.strict) t->opts.strict = g->key->length;
        if (g->key->flag) t->opts.flags |= DRIVER_REPRODUCIBLE;
    }
    return layouts_out(site, f->key, a, &t->c, &t->opts);
}

bool jit_trace(base_site site, trace_fn *f, int n, trace_value *const *args, jit_traced *t)
{
    trace_frame *root = trace_this()->frame;
    const fn_sig s = fn_sig_of(root->arena, n, args);
    memset(t, 0, sizeof *t);
    root->mesh = jit_mesh(f, n, args);
    atomic_fetch_add(&traces, 1);
    if (!f->key->in && !trace_one_mesh(site, n, args)) return false;
    const int64_t named = trace_this()->named_axes, ruled = trace_this()->ruled_axes;
    if (!layouts_in(site, f->key, n, args, s.layout)) return false;
    trace_this()->outermost = f->key;  /* the program's layouts are its own; nested.c lays out other jits */
    const bool closed = fn_close(site, f, &s, NULL, &t->c);
    trace_this()->outermost = NULL;
    if (!closed) return false;
    if (!prepared(site, f, n, args, &s, t)) return false;
    if (trace_this()->named_axes > named && trace_this()->ruled_axes == ruled)
        base_log("note: no rule applies to %s: none is for a logical axis that it has\n  %s\n  at   %s", fn_name(f),
                 f->key->rules ? f->key->rules : "", f->key->site ? f->key->site : "(no line)");
    return true;
}

bool jit_trace_serves(const ir_fn *traced, const mesh *m)
{
    return traced && (traced->mesh == m || !traced->mesh) && !(m && spmd_explicit(m));
}

bool jit_infer_layouts(base_site site, trace_fn *f, int n, trace_value *const *args, const trace_closed *c,
                       jit_traced *t)
{
    trace_frame *root = trace_this()->frame;
    const fn_sig s = fn_sig_of(root->arena, n, args);
    memset(t, 0, sizeof *t);
    root->mesh = jit_mesh(f, n, args);
    t->c = *c;
    if (!f->key->in && !trace_one_mesh(site, n, args)) return false;
    t->c.fn = pass_on_mesh(root->arena, c->fn, root->mesh);
    return t->c.fn && layouts_in(site, f->key, n, args, s.layout) && prepared(site, f, n, args, &s, t);
}
