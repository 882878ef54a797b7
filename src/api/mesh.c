/* api/mesh.c - meshes, layouts of values, blocks of devices. */
#include "api.h"
#include "../op/ops.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes ---- */

static _Atomic uint64_t sized;                           /* items of TUTTI=mesh that matched an axis of a mesh */

bool api_mesh_sizes_used(void)
{
    const char *p = base_switch("mesh");
    for (int item = 0; p && *p; item++, p += *p == '+') {
        const size_t n = strcspn(p, "=+");
        if (item < 64 && !(sized >> item & 1)) {
            base_fail(TT_EMESH, NULL, "no mesh of this program has an axis \"%.*s\", whose size was given", (int)n, p);
            return base_hint("sizes are for axes that the program's meshes have, by their names");
        }
        p += strcspn(p, "+");
    }
    return true;
}

/* TUTTI=mesh:data=4096+model=16: other sizes for axes of these names, with devices in default order. */
static const mesh *resized(base_site site, const mesh *m, const char *sizes)
{
    base_text t = { .arena = trace_temp() };
    bool changed = false;
    for (int i = 0; i < m->naxis; i++) {
        static const char *const mode[] = { [MESH_AUTO] = "", [MESH_EXPLICIT] = " explicit",
            [MESH_MANUAL] = " manual" };
        const char *name = m->axis[i].name, *size = NULL;
        int item = 0;
        for (const char *p = sizes; *p && !size; p += *p == '+', item++) {
            const size_t n = strcspn(p, "=+");
            if (n == strlen(name) && !memcmp(p, name, n) && p[n] == '=') size = p + n + 1;
            p += strcspn(p, "+");
        }
        if (size && item <= 64) atomic_fetch_or(&sized, (uint64_t)1 << (item - 1));
        changed |= size != NULL;
        if (size) base_appendf(&t, "%s%s:%.*s%s", i ? ", " : "", name, (int)strcspn(size, "+"), size,
                               mode[m->axis[i].mode]);
        else base_appendf(&t, "%s%s:%lld%s", i ? ", " : "", name, (long long)m->axis[i].size, mode[m->axis[i].mode]);
    }
    return changed ? mesh_of(site, t.s) : m;
}

ENTRY2(tt_mesh, ((tt_mesh){ NULL }), tt_mesh, const char *, text, const tt_mesh_opts *, o)
{
    const tt_mesh none = { NULL };
    const char *s = base_switch("devices");
    if (!API_OPTIONS(site, "tt_mesh", tt_mesh_opts, o)) return none;
    const mesh *m = o->order ? mesh_ordered(site, text ? text : "", o->order) : mesh_of(site, text ? text : "");
    if (m && base_switch("mesh") && !(m = resized(site, m, base_switch("mesh")))) return none;
    if (m && (s || run_engine_now()) && mesh_size(m) > trace_device_count()) {
        base_fail(TT_EMESH, site, "a mesh of %lld devices, where there are %lld", (long long)mesh_size(m),
                  (long long)trace_device_count());
        base_hint(run_engine_now() ? "TUTTI=devices:%lld, if the library makes its devices itself"
                  : "TUTTI=devices:%lld, or leave it away: then as many are made as the largest mesh asks",
                  (long long)mesh_size(m));
        return none;
    }
    if (m) trace_mesh_seen(m);
    return (tt_mesh){ m };
}

int64_t tt_mesh_size(tt_mesh m, const char *axis)
{
    if (!m.p) return 0;
    if (!axis) return mesh_size(m.p);
    for (int i = 0; i < m.p->naxis; i++) if (!strcmp(m.p->axis[i].name, axis)) return m.p->axis[i].size;
    return 0;
}

ENTRY1(const char *, "", api_mesh_words, tt_mesh, m) { return m.p ? base_intern(mesh_text(trace_temp(), m.p)) : ""; }
const char *tt_mesh_spec(tt_mesh m) { return api_mesh_words_at(NULL, m); }

/* ---- layouts of values ---- */

typedef struct { const mesh *mesh; const char *spec; } shard_env;

/* On an engine of PJRT a value of the same mesh is laid out anew by a program, from device to device. */
static run_array *moved_to(base_site site, run_array *a, const mesh_layout *to)
{
    const op_layout_attr attr = { { 1, &to } };
    run_array *there = NULL;
    uint32_t n;
    const mesh_layout *const has = run_layout(a);
    if (!run_is_on(a, run_engine_now()) || !has || has->mesh != to->mesh || has == to) return run_move(a, site, to);
    if (run_type(a)->rank == 0) return run_move(a, site, to);
    return driver_one(site, &prim_reshard, &attr, 1, &a, 0, NULL, &there, &n) ? there : NULL;
}

static trace_value *laid_out(base_site site, trace_value *v, const mesh_layout *to, const char *spec)
{
    trace_value *y = NULL;
    if (v->form == TRACE_ABSTRACT) y = trace_abstract(site, v->type, to, v->weak);
    else if (trace_top()) return trace_constrain(site, v, to, spec);
    else if (!v->layout && run_job_real() && !api_same_everywhere(site, "tt_shard", v, to)) return NULL;
    else {
        run_array *a = trace_pin(trace_data(site, v)), *moved = trace_pin(a ? moved_to(site, a, to) : NULL);
        trace_drop(a);
        if (moved) y = trace_concrete(site, moved, false);
    }
    if (y) {
        y->weak = v->weak;
        y->tree = v->tree;
    }
    return y;
}

static trace_value *shard_leaf(base_site site, trace_value *v, const void *env)
{
    const shard_env *e = env;
    const mesh_layout *to = mesh_parse(site, e->mesh, v->type->rank, e->spec);
    if (to && base_switch("even")) {  /* as in JAX: inside a program axes that do not divide are dropped */
        if (trace_top()) to = mesh_evened(to, v->type->dim);
        else if (!mesh_even(site, to, v->type->dim)) to = NULL;
    }
    if (to && trace_not_manual(site, to, e->spec)) return laid_out(site, v, to, e->spec);
    trace_cite(v);
    return NULL;
}

static bool good_mesh(base_site site, const char *what, tt_mesh m, const char *spec)
{
    if (m.p) return true;
    base_fail(TT_EMESH, site, "%s: the mesh is empty", what);
    if (*spec) base_caret(spec, mesh_first_name(spec));
    return base_hint("tt_mesh(\"data:2, model:4\") makes a mesh");
}

bool api_good_mesh(base_site site, const char *what, tt_mesh m) { return good_mesh(site, what, m, ""); }

/* True unless the spec is NULL, which sets the error. "" is a spec: fully replicated. */
static bool good_spec(base_site site, const char *what, const char *spec)
{
    return spec || base_fail(TT_ESPEC, site, "%s: the spec is NULL", what) || base_hint("\"\": no dim is sharded");
}

VAL3(tt_shard, tt_val, v, tt_mesh, m, const char *, spec)
{
    const shard_env e = { m.p, spec ? spec : "" };
    trace_value *x = trace_get(site, v);
    if (x && !good_spec(site, "tt_shard", spec)) return trace_poison;
    return x && good_mesh(site, "tt_shard", m, e.spec) ? api_handle(trace_leafwise(site, x, shard_leaf, &e))
        : trace_poison;
}

VAL2(tt_logical_constraint, tt_val, v, const char *, names)
{
    trace_value *x = trace_get(site, v);
    return x ? api_handle(trace_axes(site, x, names ? names : "")) : trace_poison;
}

/* ---- queries ---- */

ENTRY1(const char *, "", tt_spec, tt_val, v)
{
    trace_value *x = trace_array(site, "tt_spec", v);
    return x && x->layout ? base_intern(mesh_print(trace_temp(), x->layout)) : "";
}

ENTRY1(tt_mesh, ((tt_mesh){ NULL }), tt_mesh_of, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    for (int i = 0; x && i < trace_nleaf(x); i++)
        if (trace_leaf_of(x, i)->layout) return (tt_mesh){ trace_leaf_of(x, i)->layout->mesh };
    return (tt_mesh){ NULL };
}

ENTRY3(bool, false, tt_has_layout, tt_val, v, tt_mesh, m, const char *, spec)
{
    trace_value *x = trace_array(site, "tt_has_layout", v);
    const mesh_layout *want =
        x && api_good_mesh(site, "tt_has_layout", m) && good_spec(site, "tt_has_layout", spec)
            ? mesh_parse(site, m.p, x->type->rank, spec)
            : NULL;
    if (!want) return false;
    return x->layout && x->layout->mesh ? mesh_same(trace_temp(), x->layout, want) : mesh_used(want) == 0;
}

/* The device's block as a box of the dims. */
static bool box_of(const ir_type *t, const mesh_layout *l, int64_t device, int64_t *lo, int64_t *n)
{
    uint32_t coord[MESH_ATOMS] = { 0 };
    if (device < 0 || device >= (l && l->mesh ? mesh_size(l->mesh) : 1)) return false;
    if (l && l->mesh) mesh_coord(l->mesh, device, coord);
    for (int d = 0; d < t->rank; d++) {
        int64_t hi = t->dim[d];
        lo[d] = 0;
        if (l && l->mesh) mesh_range(l->mesh, l->dim[d].atoms, t->dim[d], coord, &lo[d], &hi);
        n[d] = hi - lo[d];
    }
    return true;
}

typedef struct {
    const char *site; tt_val v; int64_t device; int64_t *lo, *n; void *to; size_t bytes; const char *type; size_t cap;
    bool ok;
} local_request;

static void local_run(void *p)
{
    local_request *q = p;
    const base_site site = trace_site(q->site);
    trace_value *x = trace_array(site, "tt_addressable_data", q->v);
    int64_t lo[IR_RANK], n[IR_RANK];
    if (!x || !box_of(x->type, x->layout, q->device, lo, n)) return;
    if (q->lo) memcpy(q->lo, lo, (size_t)x->type->rank * sizeof *lo);
    if (q->n) memcpy(q->n, n, (size_t)x->type->rank * sizeof *n);
    q->ok = true;
    if (!q->to) return;
    size_t want = ir_dtype_of(x->type->dtype)->bytes;
    for (int d = 0; d < x->type->rank; d++) want *= (size_t)n[d];
    const char *const part = trace_text(ir_type_of(x->type->dtype, x->type->rank, n));
    q->ok = want == q->bytes || base_fail(TT_EARG, site,
                                          "tt_addressable_data: a buffer of %zu bytes; the part of device %lld has %zu",
                                              q->bytes, (long long)q->device, want);
    q->ok = q->ok && api_memory_type(site, "tt_addressable_data", q->type, x->type->dtype, part) &&
            api_check_capacity(site, "tt_addressable_data", q->cap, want, part);
    run_array *a = q->ok ? trace_data(site, x) : NULL;
    q->ok = a && run_read(a, lo, n, q->to);
    run_drop(a);
}

bool tt_addressable_data_seen(const char *site, tt_val v, int64_t device, int64_t *lo, int64_t *n, void *to,
    const char *type,
                              size_t capacity, size_t bytes)
{
    local_request q = { site, v, device, lo, n, to, bytes, type, capacity, false };
    api_enter(local_run, &q);
    return q.ok;
}
bool(tt_addressable_data)(tt_val v, int64_t device, int64_t *lo, int64_t *n, void *to, size_t bytes)
{
    return tt_addressable_data_seen(NULL, v, device, lo, n, to, NULL, 0, bytes);
}

/* ---- arrays from blocks ---- */

typedef struct { tt_dtype dtype; const int64_t *dims; tt_mesh mesh; const char *spec; } form;

typedef struct { run_filler *fill; void *env; int rank; int64_t lo[IR_RANK], n[IR_RANK]; bool silent; } filling;

static bool fill_block(void *env, const int64_t *lo, const int64_t *n, void *to)
{
    filling *f = env;
    const uint64_t before = base_failures();
    if (f->fill(f->env, lo, n, to) && base_failures() == before) return true;
    f->silent = base_failures() == before;
    for (int d = 0; d < f->rank; d++) f->lo[d] = lo[d], f->n[d] = n[d];
    return false;
}

/* For a fill that failed without setting an error. */
static void report_block(base_site site, const ir_type *t, const mesh_layout *l, const filling *f)
{
    const size_t bytes = (size_t)t->rank * sizeof *f->lo;
    const char *const part = trace_text(ir_type_of(t->dtype, t->rank, f->n));
    base_text at = { .arena = trace_temp() };
    int64_t lo[IR_RANK], n[IR_RANK], device = 0;
    while (box_of(t, l, device, lo, n) && (memcmp(lo, f->lo, bytes) || memcmp(n, f->n, bytes))) device++;
    for (int d = 0; d < t->rank; d++) base_appendf(&at, "%s%lld", d ? ", " : "", (long long)f->lo[d]);
    base_fail(TT_EIO, site, "tt_array_from_callback: the filler gave false for device %lld's block: %s at [%s] of %s",
              (long long)device, part, at.n ? at.s : "", trace_text(t));
    base_hint("a filler that knows why says so with tt_fail_at before it returns false");
}

ENTRY3(tt_val, trace_poison, api_blocks, const form *, f, run_filler *, fill, void *, env)
{
    int64_t d[IR_RANK];
    const int n = api_dims(site, "tt_array_from_callback", f->dims, d);
    if (n < 0) return trace_poison;
    const mesh_layout *l = f->mesh.p ? mesh_parse(site, f->mesh.p, n, f->spec ? f->spec : "") : NULL;
    if (f->mesh.p && !l) return trace_poison;
    if (!f->mesh.p && f->spec && f->spec[strspn(f->spec, "_, \t\n")]) {
        base_fail(TT_EMESH, site, "tt_array_from_callback: the spec \"%s\" without a mesh", f->spec);
        base_caret(f->spec, mesh_first_name(f->spec));
        base_hint("give the mesh that the spec is of; without one there is one block, and the spec is NULL");
        return trace_poison;
    }
    const ir_type *const t = ir_type_of(f->dtype, n, d);
    filling by = { .fill = fill, .env = env, .rank = n };
    run_array *a = run_array_fill(t, l, fill_block, &by);
    if (by.silent) report_block(site, t, l, &by);
    return a ? trace_handle(trace_concrete(site, a, false)) : trace_poison;
}

tt_val tt_array_from_callback_at(const char *site, tt_dtype dtype, const int64_t *dims, tt_mesh mesh, const char *spec,
                                 tt_fill *fill, void *env)
{
    TT_ENTRY(site);
    const form f = { dtype, dims, mesh, spec };
    if (!ir_dtype_of(dtype) || !fill) return tt_fail_at(site, TT_EARG,
        fill ? "tt_array_from_callback: %d is no dtype" : "tt_array_from_callback: the filler is NULL", (int)dtype);
    return api_blocks_at(site, &f, fill, env);
}

/* ---- tt_replicate, tt_unreplicate ---- */

typedef struct { const mesh *mesh; int64_t n; } copies;

static bool spread_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    return (out[0] = op_spread(b, in[0], *(const int64_t *)env)) != 0;
}

static trace_value *replicate_leaf(base_site site, trace_value *v, const void *env)
{
    const copies *c = env;
    trace_value *wide = api_piece1(site, spread_body, &c->n, sizeof c->n, v);
    if (!wide) return NULL;
    mesh_list dim[IR_RANK] = { 0 };
    for (int x = 0; x < c->mesh->naxis; x++) {
        const mesh_list atoms = mesh_axis_list(c->mesh, c->mesh->axis[x].name);
        for (int i = 0; i < mesh_list_n(atoms); i++) dim[0] = mesh_list_push(dim[0], mesh_list_at(atoms, i));
    }
    trace_value *y = laid_out(site, wide, mesh_layout_dims(c->mesh, wide->type->rank, dim), NULL);
    trace_unref(wide);
    return y;
}

VAL2(tt_replicate, tt_val, v, tt_mesh, m)
{
    trace_value *x = trace_get(site, v);
    if (!x || !api_good_mesh(site, "tt_replicate", m)) return trace_poison;
    const copies c = { m.p, mesh_size(m.p) };
    return api_handle(trace_leafwise(site, x, replicate_leaf, &c));
}

static bool first_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    (void)env;
    return (out[0] = op_at(b, in[0], op_int(b, TT_I32, 0))) != 0;
}

static trace_value *first_leaf(base_site site, trace_value *v, const void *env)
{
    (void)env;
    if (v->type->rank && v->type->dim[0]) return api_piece1(site, first_body, NULL, 0, v);
    base_fail(TT_ESHAPE, site, "tt_unreplicate: %s has no copies along dim 0", trace_type_text(trace_temp(), v));
    trace_cite(v);
    return NULL;
}

VAL1(tt_unreplicate, tt_val, v)
{
    trace_value *x = trace_get(site, v);
    return x ? api_handle(trace_leafwise(site, x, first_leaf, NULL)) : trace_poison;
}

int64_t tt_device_id(tt_mesh m, int64_t place)
{
    if (!m.p || place < 0 || place >= mesh_size(m.p)) return -1;
    return m.p->order ? (int64_t)m.p->order[place] : place;
}
