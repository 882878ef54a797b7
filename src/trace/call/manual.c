/* trace/call/manual.c - pmap and shard_map inside a trace: manual regions.
 *
 * The body of a region is a frame with local types and the mesh's axes bound. pmap removes the mapped dim of each
 * device's block and adds it again to the results, unchecked; shard_map's body receives the block given by its spec
 * ("data, _; _"), and types track over which axes a value varies, unless .unchecked is set. */
#include "../trace.h"
#include "../../op/ops.h"

#include <ctype.h>
#include <string.h>

#include "../inner.h"

typedef struct {                                         /* the parts of a manual equation */
    const mesh *mesh;
    ir_names axes;
    bool unchecked;
    const mesh_layout **in, **out;
    const ir_type **local;                               /* types of parameters */
} region;

/* Begins the body: a frame with local types whose axes are bound. */
static trace_frame *open_body(base_site site, base_name name, const region *r, int nleaf)
{
    trace_frame *f = trace_begin(site, name, r->mesh, nleaf, r->local);
    for (int i = 0; i < r->axes.n; i++) {
        int64_t size = 1;
        for (int x = 0; x < r->mesh->naxis; x++)
            if (r->mesh->axis[x].name == r->axes.v[i]) size = r->mesh->axis[x].size;
        if (!trace_bind_axis(f, (trace_axis){ r->axes.v[i], size, true, r->unchecked })) return NULL;
    }
    f->unchecked = r->unchecked;
    f->rules = NULL;                                     /* logical axes belong to the program outside */
    return f;
}

static bool emit_region(base_site site, const region *r, const trace_closed *c, int nleaf, ir_id *in, ir_id *out)
{
    ir_build *b = trace_top()->build;
    base_arena *a = trace_top()->arena;
    const int nin = nleaf + c->ncaptured;
    const mesh_layout **lay = BASE_NEW(a, const mesh_layout *, nin + 1);
    for (int i = 0; i < nleaf; i++) lay[i] = r->in[i];
    for (int i = 0; i < c->ncaptured; i++) lay[nleaf + i] = mesh_replicated(r->mesh, c->captured[i]->type->rank);
    if (!fn_captured(site, c, in + nleaf)) return false;
    const op_manual_attr attr = { r->axes, { nin, lay }, { (int)c->fn->nret, r->out }, r->unchecked };
    ir_site(b, site);
    const ir_id y = ir_emit(b, &prim_manual, &attr, (uint32_t)nin, in, 1, &c->fn);
    for (uint32_t j = 0; j < c->fn->nret; j++) out[j] = y ? y + j : 0;
    return y || !c->fn->nret;
}

static bool axis_taken(base_site site, ir_names axes)
{
    for (int i = 0; i < axes.n; i++) {
        const trace_axis *x = trace_axis_find(axes.v[i], strlen(axes.v[i]));
        if (!x) continue;
        base_fail(TT_EMESH, site, "axis \"%s\" is in use by an outer %s", axes.v[i],
                  x->manual ? "pmap or shard_map" : "vmap");
        if (!x->manual) base_hint("a collective could mean either axis: give the vmap's .axis another name");
        return true;
    }
    return false;
}

/* ---- pmap ---- */

static const mesh *pmap_mesh(base_site site, const fn_key *k, int64_t size, base_name *axis)
{
    base_arena *a = trace_temp();
    const mesh *m = k->mesh ? k->mesh : trace_top()->mesh;
    *axis = k->axis ? k->axis : m && m->naxis == 1 ? m->axis[0].name : base_intern("i");
    if (!m && size < 0) {
        base_fail(TT_EARG, site,
                  "pmap: no argument is mapped and there is no mesh, so the number of devices is not known");
        return base_hint("give .mesh, or map an argument in .in"), NULL;
    }
    if (!m && !size) {
        base_fail(TT_ESHAPE, site, "pmap: the mapped dim has no elements, so there would be no devices");
        return base_hint("give .mesh, or use tt_vmap"), NULL;
    }
    if (!m) m = mesh_of(site, base_format(a, "%s:%lld", *axis, (long long)size));
    if (!m) return NULL;
    const mesh_list atoms = mesh_axis_list(m, *axis);
    if (!mesh_list_n(atoms)) {
        base_fail(TT_EMESH, site, "pmap: the mesh has no axis \"%s\"", *axis);
        base_hint_choices(NULL, *axis, strlen(*axis), mesh_text(a, m));
        base_hint("the mesh is %s; name one of its axes in .axis", mesh_text(a, m));
        return NULL;
    }
    const int64_t devices = mesh_list_size(m, atoms);
    if (size >= 0 && size != devices) {
        base_fail(TT_ESHAPE, site, "pmap: the mapped dim has %lld elements, but axis \"%s\" has %lld devices",
                  (long long)size, *axis, (long long)devices);
        if (size % devices) base_hint("one element per device; tt_vmap maps over any number");
        else
            base_hint("one element per device: reshape it to [%lld, %lld, ...], or use tt_vmap", (long long)devices,
                      (long long)(size / devices));
        return NULL;
    }
    trace_mesh_seen(m);
    return m;
}

static const mesh_layout *first_dim_over(const mesh *m, int rank, base_name axis)
{
    mesh_list dim[IR_RANK] = { 0 };
    dim[0] = mesh_axis_list(m, axis);
    return mesh_layout_dims(m, rank, dim);
}

/* Calls the function on one device's block: arguments [1, ...] lose their first dim, results get one where they are
 * mapped. */
static bool pmap_body(base_site site, const fn_key *k, region *r, fn_sig *s, const int *place, base_name axis,
                      int **to, trace_closed *c)
{
    const int depth = trace_depth();
    trace_frame *f = open_body(site, fn_name(k->f), r, s->nleaf);
    base_arena *a = trace_top()->arena;
    ir_id *ids = BASE_NEW(a, ir_id, s->nleaf + 1);
    for (int i = 0, at = 0; i < s->n; i++)
        for (int l = 0; l < s->tree[i]->nleaf; l++, at++) {
            const ir_type *t = r->local[at];
            ids[at] =
                place[i] == MAP_NONE ? (ir_id)at + 1 : op_reshape(f->build, (ir_id)at + 1, t->rank - 1, t->dim + 1);
        }
    trace_value *y = fn_body(site, k->f, f, s, ids), *full = NULL;
    bool ok = y != NULL;
    if (ok) {
        const int nret = trace_nleaf(y);
        trace_value **leaf = BASE_NEW(a, trace_value *, nret + 1);
        *to = BASE_NEW(a, int, nret + 1);
        r->out = BASE_NEW(a, const mesh_layout *, nret + 1);
        ok = map_result_dims(site, "tt_pmap's .out", k->out, y->tree, *to);
        ir_site(f->build, site);
        for (int j = 0; ok && j < nret; j++) {
            trace_value *v = trace_leaf_of(y, j);
            ir_id id = trace_id(f, site, v);
            const int rank = v->type->rank;
            if (!id || rank == IR_RANK || (*to)[j] > rank) {
                ok = id ? base_fail(TT_ESPEC, site, "pmap: .out puts the mapped dim at %d in a result of rank %d",
                                    (*to)[j], rank + 1)
                        : false;
                break;
            }
            int64_t dim[IR_RANK] = { 1 };
            if (rank) memcpy(dim + 1, v->type->dim, (size_t)rank * sizeof *dim);
            const bool mapped = (*to)[j] != MAP_NONE;
            if (mapped) id = op_reshape(f->build, id, rank + 1, dim);
            r->out[j] = mapped ? first_dim_over(r->mesh, rank + 1, axis) : mesh_replicated(r->mesh, rank);
            trace_handle(leaf[j] = trace_traced(v->site, id, v->weak));
        }
        full = ok ? trace_tree_value(site, y->tree, leaf) : NULL;
        ok = full && trace_end(f, site, full, c);
    }
    trace_unref(full);
    trace_unref(y);
    if (!ok) trace_chain();
    trace_abandon_to(depth);
    return ok;
}

trace_value *call_pmap(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    const fn_key *k = f->key;
    base_arena *a = trace_top()->arena;
    int *place = BASE_NEW(a, int, n + 1), *to = NULL;
    base_name axis = NULL;
    trace_closed c;
    if (!map_dims(site, "tt_pmap's .in", k->in, n, place)) return NULL;
    const int64_t size = map_size(site, "pmap", n, args, place);
    const mesh *m = size == MAP_ERROR ? NULL : pmap_mesh(site, k, size, &axis);
    if (!m || !trace_use_mesh(site, m, NULL)) return NULL;
    ir_build *b = trace_top()->build;
    fn_sig s = fn_sig_of(a, n, args);
    region r = { .mesh = m, .axes = { 1, &axis }, .unchecked = true };
    if (axis_taken(site, r.axes)) return NULL;
    ir_id *in = BASE_NEW(a, ir_id, s.nleaf + 1);
    r.in = BASE_NEW(a, const mesh_layout *, s.nleaf + 1);
    r.local = BASE_NEW(a, const ir_type *, s.nleaf + 1);
    if (!fn_operands(site, n, args, NULL, in)) return NULL;
    ir_site(b, site);
    for (int i = 0, at = 0; i < n; i++)
        for (int l = 0; l < s.tree[i]->nleaf; l++, at++) {
            r.local[at] = s.type[at];
            r.in[at] = mesh_replicated(m, s.type[at]->rank);
            if (place[i] == MAP_NONE) continue;
            int64_t dim[IR_RANK] = { 1 };
            in[at] = map_to_front(b, in[at], place[i]);
            s.type[at] = map_without(s.type[at], place[i]);
            if (s.type[at]->rank) memcpy(dim + 1, s.type[at]->dim, (size_t)s.type[at]->rank * sizeof *dim);
            r.local[at] = ir_type_as(s.type[at], s.type[at]->dtype, s.type[at]->rank + 1, dim);
            r.in[at] = first_dim_over(m, s.type[at]->rank + 1, axis);
        }
    if (!pmap_body(site, k, &r, &s, place, axis, &to, &c)) return NULL;
    ir_id *all = BASE_NEW(a, ir_id, s.nleaf + c.ncaptured + 1), *out = BASE_NEW(a, ir_id, c.fn->nret + 1);
    memcpy(all, in, (size_t)s.nleaf * sizeof *all);
    if (!emit_region(site, &r, &c, s.nleaf, all, out)) return NULL;
    for (uint32_t j = 0; j < c.fn->nret; j++) if (to[j] > 0) out[j] = op_move(b, out[j], 0, to[j]);
    return fn_opened(site, c.out, out, c.weak);
}

/* ---- shard_map ---- */

static bool manual_axes(base_site site, const fn_key *k, ir_names *out)
{
    base_name *v = BASE_NEW(trace_top()->arena, base_name, k->mesh->naxis + 1);
    *out = (ir_names){ 0, v };
    if (!k->axes) {
        for (int i = 0; i < k->mesh->naxis; i++) v[out->n++] = k->mesh->axis[i].name;
        return true;
    }
    for (const char *p = k->axes; *p;) {
        size_t n = strcspn(p, ",");
        const char *at = p;
        p += n + (p[n] == ',');
        while (n && isspace((unsigned char)*at)) at++, n--;
        while (n && isspace((unsigned char)at[n - 1])) n--;
        const base_name name = base_intern_n(at, n);
        bool twice = false;
        for (int i = 0; i < out->n; i++) twice |= v[i] == name;
        if (twice || !mesh_list_n(mesh_axis_list(k->mesh, name))) {
            if (twice) base_fail(TT_ESPEC, site, "tt_shard_map's .axes: axis \"%s\" is named twice", name);
            else
                base_fail(TT_ESPEC, site, "tt_shard_map's .axes: the mesh %s has no axis \"%s\"",
                          mesh_text(trace_temp(), k->mesh), name);
            base_caret(k->axes, (size_t)(at - k->axes));
            if (!twice) base_hint_choices(NULL, at, n, mesh_text(trace_temp(), k->mesh));
            return base_hint("list the manual axes, separated by ','; without .axes all are manual");
        }
        v[out->n++] = name;
    }
    return true;
}

static const mesh_layout *parsed(base_site site, const fn_key *k, ir_names axes, int rank, const char *spec)
{
    const mesh_layout *l = mesh_parse(site, k->mesh, rank, spec);
    for (int d = 0; l && d < rank; d++) {
        if (!l->dim[d].open && !l->dim[d].priority) continue;
        base_fail(TT_ESPEC, site, l->dim[d].open
                      ? "tt_shard_map: '?' leaves a dim to the compiler, but blocks are laid out as the spec says"
                      : "tt_shard_map: '!' is a priority for the compiler, but blocks are laid out as the spec says");
        base_caret(spec, strcspn(spec, "?!"));
        base_hint(l->dim[d].open ? "write '_' for a dim that every device has whole, or an axis"
                  : "leave the priority out");
        return NULL;
    }
    if (l && l->partial) {
        base_fail(TT_ESPEC, site, "tt_shard_map: a block is not laid out as partial sums");
        base_caret(spec, strcspn(spec, "+"));
        base_hint("combine the blocks inside with tt_psum, tt_pmax ..., and leave the axis out of the spec");
        return NULL;
    }
    if (l && mesh_used(l) & ~mesh_named(k->mesh, axes.n, axes.v)) {
        const char *at = spec;
        base_name axis = NULL;
        for (int i = 0; i < k->mesh->naxis; i++) {
            const base_name name = k->mesh->axis[i].name;
            const mesh_set own = mesh_named(k->mesh, 1, &name);
            if (axis || !(mesh_used(l) & own) || (mesh_named(k->mesh, axes.n, axes.v) & own)) continue;
            axis = name;
            at = strstr(spec, name);
        }
        base_fail(TT_ESPEC, site, "tt_shard_map: axis \"%s\" is not manual here", axis ? axis : spec);
        base_caret(spec, at ? (size_t)(at - spec) : 0);
        base_hint("list the axis in .axes, or write '_' to leave the dim to the compiler");
        return NULL;
    }
    return l;
}

/* True if every axis of "a+b" is manual here. */
static bool all_manual(ir_names axes, const char *item, size_t n)
{
    for (const char *p = item, *end = item + n; p < end;) {
        const size_t len = strcspn(p, "+, ");
        bool one = false;
        for (int i = 0; i < axes.n; i++) one |= strlen(axes.v[i]) == len && !memcmp(axes.v[i], p, len);
        if (!one) return false;
        p += len;
        p += strspn(p, "+ ");
    }
    return true;
}

/* "@": the leaf's own axes, restricted to those that are manual here; a leaf without axes is replicated. */
static const mesh_layout *laid_by_own(base_site site, const fn_key *k, ir_names axes, const ir_type *t,
                                      const trace_tree *leaf)
{
    base_text own = { .arena = trace_temp() };
    for (const char *p = leaf->axes ? leaf->axes : ""; *p;) {
        const size_t n = strcspn(p, ",");
        const bool manual = all_manual(axes, p + strspn(p, " "), n - strspn(p, " "));
        base_appendf(&own, "%s%.*s", own.n ? ", " : "", manual ? (int)n : 1, manual ? p : "_");
        p += n + (p[n] == ',');
    }
    return parsed(site, k, axes, t->rank, own.n ? own.s : "");
}

static const mesh_layout *layout_by(base_site site, const fn_key *k, ir_names axes, const ir_type *t,
                                  const trace_tree *leaf, const char *spec)
{
    return strcmp(spec, "@") ? parsed(site, k, axes, t->rank, spec) : laid_by_own(site, k, axes, t, leaf);
}

/* The type of one device's block. */
static const ir_type *manual_block(base_site site, const mesh_layout *l, const ir_type *t, int arg, bool unchecked)
{
    int64_t dim[IR_RANK];
    for (int d = 0; d < t->rank; d++) {
        const int64_t parts = mesh_list_size(l->mesh, l->dim[d].atoms);
        if (t->dim[d] % parts) {
            base_fail(
                TT_ESHAPE, site,
                "shard_map: dim %d of argument %d has %lld elements, which do not divide over %lld devices (%s)", d,
                arg, (long long)t->dim[d], (long long)parts,
                mesh_set_text(trace_temp(), l->mesh, mesh_list_set(l->dim[d].atoms)));
            base_hint("pad the dim, or use tt_jit with tt_shard, which takes uneven dims");
            return NULL;
        }
        dim[d] = t->dim[d] / parts;
    }
    const ir_type *y = ir_type_as(t, t->dtype, t->rank, dim);
    return unchecked ? y : ir_type_vary(y, (mesh_set)(t->vary | mesh_used(l)));
}

/* True if every result has a layout by .out and varies over no manual axis that its spec does not name. */
static bool results_have_layouts(base_site site, const fn_key *k, region *r, trace_value *y)
{
    const trace_tree *t = y->tree;
    const int items = fn_result_items(k->out, t);
    const mesh_set manual = mesh_named(r->mesh, r->axes.n, r->axes.v);
    r->out = BASE_NEW(trace_top()->arena, const mesh_layout *, t->nleaf + 1);
    for (int j = 0; j < t->nleaf; j++) {
        int item = 0;
        while (items > 1 && j >= trace_leaf_from(t, item + 1)) item++;
        trace_value *v = trace_leaf_of(y, j);
        const char *spec = fn_spec_for(site, "tt_shard_map's .out", k->out ? k->out : "_", item, items);
        if (!spec || !(r->out[j] = layout_by(site, k, r->axes, v->type, trace_leaf_at(t, j), spec))) return false;
        const mesh_set left = (mesh_set)(v->type->vary & manual & ~mesh_used(r->out[j]));
        if (r->unchecked || !left) continue;
        base_fail(TT_ESPEC, site, "shard_map: result %d varies over %s, which its spec \"%s\" does not name", j,
                  mesh_set_text(trace_temp(), r->mesh, left), spec);
        trace_cite(v);
        return base_hint("combine the copies (tt_psum, tt_pmean, tt_all_gather), name the axis in .out, or give "
                         ".unchecked = 1 to take one device's copy");
    }
    return true;
}

trace_value *call_shard_map(base_site site, trace_fn *f, int n, trace_value *const *args)
{
    const fn_key *k = f->key;
    base_arena *a = trace_top()->arena;
    region r = { .mesh = k->mesh, .unchecked = k->flag };
    trace_closed c;
    trace_mesh_seen(k->mesh);
    if (!trace_use_mesh(site, k->mesh, k->in)) return NULL;
    if (!manual_axes(site, k, &r.axes) || axis_taken(site, r.axes)) return NULL;
    if (!k->in && n) {
        base_fail(TT_ESPEC, site, "tt_shard_map: .in is missing; expected a spec per argument");
        base_hint("\"i, _; _\": the first argument is sharded along dim 0 over axis i, the second is replicated");
        return NULL;
    }
    fn_sig s = fn_sig_of(a, n, args);
    r.in = BASE_NEW(a, const mesh_layout *, s.nleaf + 1);
    for (int i = 0, at = 0; i < n; i++) {
        const char *spec = fn_spec_for(site, "tt_shard_map's .in", k->in, i, n);
        for (int l = 0; spec && l < s.tree[i]->nleaf; l++, at++) {
            if (!(r.in[at] = layout_by(site, k, r.axes, s.type[at], trace_leaf_at(s.tree[i], l), spec))) return NULL;
            if (!(s.type[at] = manual_block(site, r.in[at], s.type[at], i, r.unchecked))) {
                trace_cite(trace_leaf_of(args[i], l));
                return NULL;
            }
        }
        if (!spec) return NULL;
    }
    r.local = s.type;
    const int depth = trace_depth();
    trace_frame *body = open_body(site, fn_name(f), &r, s.nleaf);
    if (body) layouts_of_params(body, &s);
    trace_value *y = body ? fn_body(site, k->f, body, &s, NULL) : NULL;
    const bool ok = y && results_have_layouts(site, k, &r, y) && trace_end(body, site, y, &c);
    trace_unref(y);
    if (!ok) trace_chain();
    trace_abandon_to(depth);
    if (!ok) return NULL;
    ir_id *in = BASE_NEW(a, ir_id, s.nleaf + c.ncaptured + 1), *out = BASE_NEW(a, ir_id, c.fn->nret + 1);
    if (!fn_operands(site, n, args, NULL, in) || !emit_region(site, &r, &c, s.nleaf, in, out)) return NULL;
    return fn_opened(site, c.out, out, c.weak);
}
