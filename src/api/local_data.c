/* api/local_data.c - the part of a mesh and of an array that this rank has: arrays made from the parts of all ranks,
 * and a rank's part of an array. */
#include "api.h"

#include <stdlib.h>
#include <string.h>

#include "../wire/wire.h"

/* The range [lo, hi) of places along something that this rank's devices have; n: how many different ones. */
typedef struct { int64_t lo, hi, n; } span;

/* True if the device at this place of the mesh is the rank's. */
static bool is_of(const mesh *m, int64_t place, int rank)
{
    return !run_job_real() || tt_device_id((tt_mesh){ m }, place) / run_job_devices() == rank;
}

/* The first and the last place that can be the rank's. */
static void places(const mesh *m, int rank, int64_t *first, int64_t *end)
{
    const int64_t size = mesh_size(m), each = run_job_real() ? run_job_devices() : size;
    *first = m->order || !run_job_real() ? 0 : rank * each;
    *end = m->order || *first + each > size ? size : *first + each;
}

/* Which of the parts of a list of atoms this rank's devices have. */
static span parts_of(const mesh *m, mesh_list atoms)
{
    const int64_t parts = mesh_list_size(m, atoms);
    bool *const has = BASE_NEW(trace_temp(), bool, parts);
    span s = { parts, 0, 0 };
    int64_t first, end;
    places(m, wire_rank(), &first, &end);
    for (int64_t p = first; p < end; p++) {
        uint32_t coord[MESH_ATOMS];
        int64_t lo, hi;
        if (!is_of(m, p, wire_rank())) continue;
        mesh_coord(m, p, coord);
        mesh_range(m, atoms, parts, coord, &lo, &hi);
        s.n += !has[lo];
        has[lo] = true;
        if (lo < s.lo) s.lo = lo;
        if (hi > s.hi) s.hi = hi;
    }
    return s;
}

/* The range of a dim of `size` elements around all blocks of the rank's devices. */
static void range_of(const mesh *m, int rank, mesh_list atoms, int64_t size, int64_t *lo, int64_t *hi)
{
    int64_t first, end;
    *lo = size, *hi = 0;
    places(m, rank, &first, &end);
    for (int64_t p = first; p < end; p++) {
        uint32_t coord[MESH_ATOMS];
        int64_t from, to;
        if (!is_of(m, p, rank)) continue;
        mesh_coord(m, p, coord);
        mesh_range(m, atoms, size, coord, &from, &to);
        if (from < *lo) *lo = from;
        if (to > *hi) *hi = to;
    }
    if (*lo > *hi) *lo = *hi = 0;
}

void api_rank_box(const ir_type *t, const mesh_layout *l, int rank, int64_t *lo, int64_t *hi)
{
    for (int d = 0; d < t->rank; d++) range_of(l->mesh, rank, l->dim[d].atoms, t->dim[d], &lo[d], &hi[d]);
}

bool api_is_local(const mesh_layout *l)
{
    if (!l || !l->mesh) return true;
    for (int64_t p = 0; p < mesh_size(l->mesh); p++) if (!is_of(l->mesh, p, wire_rank())) return false;
    return true;
}

/* ---- the mesh of this rank's devices ---- */

ENTRY1(tt_mesh, ((tt_mesh){ NULL }), tt_local_mesh, tt_mesh, mesh_)
{
    const mesh *const m = mesh_.p;
    base_text text = { .arena = trace_temp() };
    int64_t n = 1, have = 0, k = 0, first, end;
    if (!api_good_mesh(site, "tt_local_mesh", mesh_)) return (tt_mesh){ NULL };
    for (int x = 0; x < m->naxis; x++) {
        const span s = parts_of(m, mesh_axis_list(m, m->axis[x].name));
        if (!s.n || s.n != s.hi - s.lo) return (tt_mesh){ NULL };
        base_appendf(&text, "%s%s:%lld", x ? ", " : "", m->axis[x].name, (long long)s.n);
        n *= s.n;
    }
    places(m, wire_rank(), &first, &end);
    for (int64_t p = first; p < end; p++) have += is_of(m, p, wire_rank());
    if (have != n) return (tt_mesh){ NULL };
    int64_t *const ids = BASE_NEW(trace_temp(), int64_t, n);
    for (int64_t p = first; p < end; p++) if (is_of(m, p, wire_rank())) ids[k++] = tt_device_id(mesh_, p);
    return (tt_mesh){ mesh_ordered(site, text.s, ids) };
}

/* ---- an array from the parts of all ranks ---- */

typedef struct { const char *what; const mesh *mesh; const char *spec, *shape; } local_env;

/* Reads dim d of ".global_shape = "64, 784"". False with the error set: no such number. */
static bool shape_read(base_site site, const local_env *e, int rank, int64_t *dim)
{
    const char *p = e->shape;
    for (int d = 0; d < rank; d++) {
        char *end;
        p += strspn(p, " ");
        dim[d] = strtoll(p, &end, 10);
        const bool last = d == rank - 1, good = end > p && dim[d] >= 0;
        end += strspn(end, " ");
        if (good && *end == (last ? '\0' : ',')) {
            p = end + !last;
            continue;
        }
        base_fail(TT_EARG, site, good ? "%s: .global_shape = \"%s\"; expected %d sizes, one per dim"
                                      : "%s: .global_shape = \"%s\": expected a size; of %d dims", e->what, e->shape,
                                          rank);
        return base_caret(e->shape, (size_t)((good ? end : p) - e->shape));
    }
    return rank || !e->shape[strspn(e->shape, " ")] ||
           base_fail(TT_EARG, site, "%s: .global_shape = \"%s\" of a scalar; expected \"\"", e->what, e->shape);
}

/* Sets the dim of the array, and the element at which this rank's part begins. */
static bool infer_dim(base_site site, const local_env *e, const mesh_layout *l, const ir_type *t, int d, int64_t *dim,
                      int64_t *lo)
{
    const mesh *const m = l->mesh;
    const int64_t parts = mesh_list_size(m, l->dim[d].atoms), size = t->dim[d];
    if (!e->shape) {
        const span s = parts_of(m, l->dim[d].atoms);
        if (!s.n || s.n != s.hi - s.lo || parts % s.n || s.lo % s.n) {
            base_fail(TT_ESPEC, site, "%s: along dim %d the parts of this rank's devices are no range of the size that "
                                      "other ranks have", e->what, d);
            return base_hint("give .global_shape, or a mesh whose ranks are boxes");
        }
        *dim = size * (parts / s.n);
        if (size % s.n) {
            base_fail(TT_ESHAPE, site,
                      "%s: dim %d has %lld elements, which do not divide over %lld devices of this rank", e->what, d,
                          (long long)size, (long long)s.n);
            return base_hint("give .global_shape for parts of different sizes");
        }
        *lo = size / s.n * s.lo;
        return true;
    }
    int64_t hi;
    range_of(m, wire_rank(), l->dim[d].atoms, *dim, lo, &hi);
    if (size == hi - *lo) return true;
    if (size == *dim) return *lo = 0, true;
    base_fail(TT_ESHAPE, site, "%s: dim %d has %lld elements; of .global_shape's %lld this rank's devices have %lld",
              e->what, d, (long long)size, (long long)*dim, (long long)(hi - *lo));
    return false;
}

/* True if the parts of all ranks fit; else the error is set on all of them. */
static bool all_fit(base_site site, const char *what, bool good)
{
    int first;
    if (!wire_first_bad(site, good, &first, what)) return false;
    return first == wire_ranks() || base_fail(TT_ESHAPE, site,
                                              "%s: the value of rank %d does not fit its devices' parts", what, first);
}

typedef struct { int64_t lo[IR_RANK], hi[IR_RANK]; } rank_box;

/* True if the devices of two ranks have the same box of the array. */
static bool is_shared(const rank_box *box, int n, int rank)
{
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            if (!memcmp(box[a].lo, box[b].lo, (size_t)rank * sizeof *box->lo) &&
                !memcmp(box[a].hi, box[b].hi, (size_t)rank * sizeof *box->hi)) return true;
    return false;
}

typedef struct { uint64_t box, bytes; } rank_part;

/* True if the ranks whose devices have the same box of the array gave the same elements of it; else the error is set
 * on all ranks. first: where v begins in the array, which has type t. */
static bool copies_agree(base_site site, const char *what, trace_value *v, const ir_type *t, const mesh_layout *l,
                         const int64_t *first)
{
    const int n = wire_ranks(), me = wire_rank(), dims = t->rank;
    if (n == 1 || !run_job_real()) return true;
    rank_box *const box = BASE_NEW(trace_temp(), rank_box, n);
    for (int r = 0; r < n; r++) api_rank_box(t, l, r, box[r].lo, box[r].hi);
    if (!is_shared(box, n, dims)) return true;
    int64_t lo[IR_RANK] = { 0 }, size[IR_RANK] = { 0 }, bytes = ir_dtype_of(t->dtype)->bytes;
    for (int d = 0; d < dims; d++) {
        size[d] = box[me].hi[d] - box[me].lo[d], bytes *= size[d];
        if (size[d]) lo[d] = box[me].lo[d] - first[d];
    }
    const void *const at = api_host_elements(site, v, lo, size);
    const uint64_t where = base_hash(1, box[me].lo, (size_t)dims * sizeof *lo);
    const rank_part mine = { base_hash(where, box[me].hi, (size_t)dims * sizeof *lo),
                             at ? base_hash(2, at, (size_t)bytes) : 0 };
    rank_part *const all = BASE_NEW(trace_temp(), rank_part, n);
    if (!wire_gather(site, &mine, sizeof mine, all, what) || !at) return false;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            if (all[a].box != all[b].box || all[a].bytes == all[b].bytes) continue;
            base_fail(TT_ERANK, site, "%s: rank %d gives another value than rank %d for the same part of the array",
                      what, b, a);
            return base_hint("tt_broadcast_one_to_all(v) gives every rank the value of rank 0");
        }
    return true;
}

/* True if all ranks make the same array: of one type and layout; else the error is set on all ranks. */
static bool arrays_agree(base_site site, const char *what, const ir_type *t, const mesh_layout *l)
{
    if (wire_ranks() == 1 || !run_job_real()) return true;
    const char *const text = base_format(trace_temp(), "%s with \"%s\" over %s", ir_type_text(trace_temp(), t),
                                         mesh_print(trace_temp(), l), mesh_text(trace_temp(), l->mesh));
    return api_same_text(site, what, "parts of", text, "all ranks give parts of one array: of one type, with one "
                         "layout; .global_shape allows parts of different sizes");
}

static trace_value *local_leaf(base_site site, trace_value *v, const void *env)
{
    const local_env *const e = env;
    const ir_type *const t = v->type;
    const mesh_layout *const l = mesh_parse(site, e->mesh, t->rank, e->spec);
    int64_t dim[IR_RANK] = { 0 }, first[IR_RANK] = { 0 };
    bool good = l && (!e->shape || shape_read(site, e, t->rank, dim));
    for (int d = 0; good && d < t->rank; d++) good = infer_dim(site, e, l, t, d, &dim[d], &first[d]);
    good = all_fit(site, e->what, good);
    const ir_type *const whole = good ? ir_type_of(t->dtype, t->rank, dim) : NULL;
    good = good && arrays_agree(site, e->what, whole, l) && copies_agree(site, e->what, v, whole, l, first);
    const void *const part = good ? api_host_elements(site, v, NULL, NULL) : NULL;
    run_array *const made = part ? run_array_of_part(whole, l, t, first, part) : NULL;
    if (!made) trace_cite(v);
    return api_concrete_like(site, made, v);
}

static tt_val made_of_parts(base_site site, tt_val v, const local_env *e, tt_mesh m)
{
    trace_value *const x = trace_get(site, v);
    if (!x || !api_good_mesh(site, e->what, m)) return trace_poison;
    if (!e->spec) base_fail(TT_ESPEC, site, "%s: the spec is NULL", e->what), base_hint("\"\": no dim is sharded");
    return e->spec ? api_handle(trace_leafwise(site, x, local_leaf, e)) : trace_poison;
}

typedef struct { tt_mesh mesh; const char *spec; const tt_local_data_opts *o; } local_request;

VAL2(api_local_data, tt_val, v, const local_request *, q)
{
    const tt_local_data_opts *o = q->o;
    const char *const what = "tt_array_from_process_local_data";
    if (!API_OPTIONS(site, what, tt_local_data_opts, o)) return trace_poison;
    const local_env e = { what, q->mesh.p, q->spec, o->global_shape };
    return made_of_parts(site, v, &e, q->mesh);
}
tt_val tt_array_from_process_local_data_at(const char *site, tt_val v, tt_mesh mesh, const char *spec,
                                           const tt_local_data_opts *o)
{
    return api_local_data_at(site, v, &(local_request){ mesh, spec, o });
}

VAL3(tt_host_local_array_to_global_array, tt_val, v, tt_mesh, mesh, const char *, spec)
{
    const local_env e = { "tt_host_local_array_to_global_array", mesh.p, spec, NULL };
    return made_of_parts(site, v, &e, mesh);
}

/* ---- this rank's part of an array ---- */

static trace_value *host_leaf(base_site site, trace_value *v, const void *env)
{
    const mesh_layout *const l = v->layout;
    int64_t lo[IR_RANK] = { 0 }, n[IR_RANK] = { 0 };
    (void)env;
    if (!l || !l->mesh) return trace_ref(v);
    api_rank_box(v->type, l, wire_rank(), lo, n);
    for (int d = 0; d < v->type->rank; d++) n[d] -= lo[d];
    const void *const at = api_host_elements(site, v, lo, n);
    run_array *const made = at ? run_array_of(ir_type_of(v->type->dtype, v->type->rank, n), NULL, at) : NULL;
    return api_concrete_like(site, made, v);
}

VAL1(tt_global_array_to_host_local_array, tt_val, v)
{
    trace_value *const x = trace_get(site, v);
    return x ? api_handle(trace_leafwise(site, x, host_leaf, NULL)) : trace_poison;
}
