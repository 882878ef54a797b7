/* hlo/write/print_mesh.c - the mesh, layouts and collectives as text: Shardy's dialect, and groups of devices by
 * number.
 *
 * The text had no axes in collectives before JAX 0.12: a group is the set of devices, row-major on the mesh, with equal
 * coordinates along all other axes. Inside a region that leaves axes to the compiler its specs are open. */
#include "print.h"
#include "../../op/ops.h"

void hlo_print_mesh(base_text *t, const mesh *m, bool by_place)
{
    base_appendf(t, "\n  sdy.mesh @mesh = <[");
    for (int i = 0; i < m->naxis; i++)
        base_appendf(t, "%s\"%s\"=%lld", i ? ", " : "", m->axis[i].name, (long long)m->axis[i].size);
    base_appendf(t, "]");
    const bool listed = m->order && !by_place;
    for (int64_t i = 0; listed && i < mesh_size(m); i++)
        base_appendf(t, "%s%u", i ? ", " : ", device_ids=[", m->order[i]);
    base_appendf(t, listed ? "]>" : ">");
}

static void put_layout(base_text *t, base_arena *a, const mesh_layout *l, bool open)
{
    mesh_dim dim[IR_RANK];
    mesh_layout c = *l;
    for (int d = 0; d < l->rank; d++) dim[d] = l->dim[d], dim[d].open |= open;
    c.dim = dim;
    base_appendf(t, "<@mesh, %s>", mesh_shardy(a, &c));
}

void hlo_print_layout(base_text *t, const mesh_layout *l)
{
    base_appendf(t, "#sdy.sharding");
    put_layout(t, t->arena, l, false);
}

static void put_list(base_text *t, base_arena *a, const char *key, ir_layouts l, bool open)
{
    base_appendf(t, "%s = #sdy.sharding_per_value<[", key);
    for (int i = 0; i < l.n; i++) {
        if (i) base_appendf(t, ", ");
        put_layout(t, a, l.v[i], open);
    }
    base_appendf(t, "]>");
}

void hlo_print_axes(base_text *t, const mesh *m, mesh_set set)
{
    int n = 0;
    base_appendf(t, "manual_axes = #sdy<manual_axes{");
    for (int i = 0; i < m->naxis; i++)
        if (mesh_named(m, 1, &m->axis[i].name) & set) base_appendf(t, "%s\"%s\"", n++ ? ", " : "", m->axis[i].name);
    base_appendf(t, "}>");
}

static void put_manual(base_text *t, const ir_eqn *e)
{
    const op_manual_attr *const a = IR_ATTR(e, op_manual_attr);
    const mesh *const m = e->fn->mesh;
    const bool open = mesh_set_size(m, mesh_named(m, a->manual_axes.n, a->manual_axes.v)) < mesh_size(m);
    put_list(t, t->arena, "in_shardings", a->in_shardings, open);
    base_appendf(t, ", manual_axes = #sdy<manual_axes{");
    for (int i = 0; i < a->manual_axes.n; i++) base_appendf(t, "%s\"%s\"", i ? ", " : "", a->manual_axes.v[i]);
    base_appendf(t, "}>, ");
    put_list(t, t->arena, "out_shardings", a->out_shardings, open);
}

/* ---- groups ---- */

static int64_t stride(const mesh *m, int axis)
{
    int64_t n = 1;
    for (int i = axis + 1; i < m->naxis; i++) n *= m->axis[i].size;
    return n;
}

static int axis_of(const mesh *m, base_name name)
{
    for (int i = 0; i < m->naxis; i++) if (m->axis[i].name == name) return i;
    return -1;
}

/* Device of member i of the axes, row-major over them; base: the device with coordinate 0 along them. */
static int64_t print_mesh_member(const mesh *m, ir_names axes, int64_t base, int64_t i)
{
    for (int k = axes.n - 1; k >= 0; k--) {
        const int x = axis_of(m, axes.v[k]);
        base += i % m->axis[x].size * stride(m, x);
        i /= m->axis[x].size;
    }
    return base;
}

static bool at_zero(const mesh *m, ir_names axes, int64_t place)
{
    for (int k = 0; k < axes.n; k++) {
        const int x = axis_of(m, axes.v[k]);
        if (place / stride(m, x) % m->axis[x].size) return false;
    }
    return true;
}

static int64_t print_mesh_members(const mesh *m, ir_names axes)
{
    int64_t n = 1;
    for (int k = 0; k < axes.n; k++) n *= m->axis[axis_of(m, axes.v[k])].size;
    return n;
}

static void put_groups(hlo_printer *p, const mesh *m, ir_names axes)
{
    base_text *const t = &p->t;
    const int64_t n = print_mesh_members(m, axes), all = mesh_size(m);
    int64_t at = 0;
    if (p->by_axes) {
        base_appendf(t, "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [");
        for (int i = 0; i < axes.n; i++)
            base_appendf(t, "%s#stablehlo.axis_ref<name = \"%s\">", i ? ", " : "", axes.v[i]);
        base_appendf(t, "]>");
        return;
    }
    base_appendf(t, "replica_groups = dense<[");
    for (int64_t place = 0; place < all; place++) {
        if (!at_zero(m, axes, place)) continue;
        base_appendf(t, at++ ? ", [" : "[");
        for (int64_t i = 0; i < n; i++) base_appendf(t, "%s%lld", i ? ", " : "",
            (long long)print_mesh_member(m, axes, place, i));
        base_appendf(t, "]");
    }
    base_appendf(t, "]> : tensor<%lldx%lldxi64>", (long long)(all / n), (long long)n);
}

static void put_pairs(base_text *t, const mesh *m, const op_ppermute_attr *a)
{
    int64_t n = 0;
    base_appendf(t, "source_target_pairs = dense<");
    for (int64_t p = 0; p < mesh_size(m); p++) {
        if (!at_zero(m, a->axes, p)) continue;
        for (int i = 0; i < a->source.n; i++)
            if (a->source.v[i] >= 0)
                base_appendf(t, "%s[%lld, %lld]", n++ ? ", " : "[",
                    (long long)print_mesh_member(m, a->axes, p, a->source.v[i]),
                             (long long)print_mesh_member(m, a->axes, p, i));
    }
    base_appendf(t, "%s> : tensor<%lldx2xi64>", n ? "]" : "", (long long)n);    /* none: dense<> */
}

static bool print_mesh_bound(const ir_eqn *e, ir_names axes)
{
    for (int i = 0; i < axes.n; i++)
        if (!e->fn->mesh || axis_of(e->fn->mesh, axes.v[i]) < 0)
            return base_fail(TT_EARG, e->site, "%s over axis \"%s\", which is no mesh's, has no form in StableHLO",
                             e->op->name, axes.v[i]);
    return true;
}

bool hlo_print_distributed(hlo_printer *p, const ir_eqn *e)
{
    base_text *const t = &p->t;
    const mesh *const m = e->fn->mesh;
    const char *const ids = ", use_global_device_ids";
    if (e->op == &prim_constrain || e->op == &prim_reshard) {
        base_appendf(t, "sharding = ");
        hlo_print_layout(t, IR_ATTR(e, op_layout_attr)->sharding.v[0]);
        return true;
    }
    if (e->op == &prim_manual) return put_manual(t, e), true;
    /* `axes` is the first member of all their attributes */
    if (!print_mesh_bound(e, *(const ir_names *)e->attr)) return false;
    if (e->op == &prim_all_gather)
        base_appendf(t, "all_gather_dim = %lld : i64, ", (long long)IR_ATTR(e, op_gather_axes_attr)->dim);
    base_appendf(t, "channel_handle = #stablehlo.channel_handle<handle = %d, type = 1>, ", p->channels);
    if (e->op == &prim_ppermute) {
        put_pairs(t, m, IR_ATTR(e, op_ppermute_attr));
        return true;
    }
    if (e->op == &prim_all_to_all)
        base_appendf(t, "concat_dimension = %lld : i64, ", (long long)IR_ATTR(e, op_all_to_all_attr)->concat_dimension);
    put_groups(p, m, *(const ir_names *)e->attr);
    if (e->op == &prim_reduce_scatter)
        base_appendf(t, ", scatter_dimension = %lld : i64", (long long)IR_ATTR(e, op_gather_axes_attr)->dim);
    if (e->op != &prim_all_to_all) base_appendf(t, "%s", ids);
    else
        base_appendf(t, ", split_count = %lld : i64, split_dimension = %lld : i64",
                     (long long)IR_ATTR(e, op_all_to_all_attr)->axis_size,
                         (long long)IR_ATTR(e, op_all_to_all_attr)->split_dimension);
    return true;
}

/* The region of a reducing collective. */
ir_fn *hlo_group_region(base_arena *a, const ir_eqn *e)
{
    const op_prim *const prim = e->op == &prim_pmax ? &prim_max : e->op == &prim_pmin ? &prim_min : &prim_add;
    return op_reducer(ir_begin(a, base_intern("reducer"), NULL), prim, IR_OUT(e, 0)->dtype);
}

/* A coordinate along axes that are consecutive in the mesh: partition_id / *below % *size. False: they are not. */
bool hlo_coordinate_along(const ir_eqn *e, int64_t *below, int64_t *size)
{
    const ir_names axes = IR_ATTR(e, op_axis_attr)->axes;
    if (!print_mesh_bound(e, axes)) return false;
    const int first = axis_of(e->fn->mesh, axes.v[0]);
    for (int k = 0; k < axes.n; k++)
        if (axis_of(e->fn->mesh, axes.v[k]) != first + k)
            return base_fail(TT_EARG, e->site,
                             "axis_index over axes that do not follow one another has no form in StableHLO");
    *below = stride(e->fn->mesh, first + axes.n - 1);
    *size = print_mesh_members(e->fn->mesh, axes);
    return true;
}
