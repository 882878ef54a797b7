/* hlo/read/groups.c - groups of devices, and values of other members by tables.
 *
 * In the text a collective has no axes, only groups of devices by number; numbers are row-major positions on the mesh.
 * Groups that run over complete axes, row-major in some order of these axes, are raised to the axes. For other groups
 * each member gathers all values and selects those of its group's members by a table. */
#include "../inner.h"
#include "groups.h"
#include "../../op/ops.h"

#include <string.h>

ir_names hlo_axes_named(hlo_reader *r, mesh_set s)      /* axes whose atoms are in the set, in the mesh's order */
{
    base_name *const v = BASE_NEW(r->p->arena, base_name, r->mesh->naxis + 1);
    int n = 0;
    for (int i = 0; i < r->mesh->naxis; i++)
        if (mesh_named(r->mesh, 1, &r->mesh->axis[i].name) & s) v[n++] = r->mesh->axis[i].name;
    return (ir_names){ n, v };
}

int64_t hlo_channel(const hlo_op *o)
{
    const hlo_attr *const a = hlo_find(&o->attr, "channel_handle");
    const hlo_attr *const h = a ? hlo_find(&a->item, "handle") : NULL;
    const hlo_attr *const id = hlo_find(&o->attr, "channel_id");
    return h ? h->i : id ? id->i : 0;
}

bool hlo_process_table(hlo_reader *r, const hlo_op *o, const char *key, int64_t *rows, int64_t *cols, const int64_t **v)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    hlo_elements e;
    if (!a || a->form != HLO_DENSE || !a->type.type || a->type.type->rank != 2 || a->type.type->dtype != TT_I64)
        return hlo_refuse(r, o, TT_EARG, "%s: expected a table of i64, dense<...> : tensor<NxMxi64>", key);
    if (ir_count(a->type.type) > 1 << 20)
        return hlo_refuse(r, o, TT_EARG, "%s has more than the limit of 2^20 numbers", key);
    if (!hlo_literal(r->p, a, a->type.type, &e)) return false;
    const bool itself = a->type.type->dim[0] == 1 && !strcmp(key, "source_target_pairs");    /* dense<0>: 0 to 0 */
    if (e.splat && ir_count(a->type.type) > 1 && !itself)
        return hlo_refuse(r, o, TT_EARG, "%s names a device twice", key);
    *rows = a->type.type->dim[0], *cols = a->type.type->dim[1];
    int64_t *const to = BASE_NEW(r->p->arena, int64_t, *rows * *cols + 1);
    for (int64_t i = 0; i < *rows * *cols; i++) to[i] = ((const int64_t *)e.data.p)[e.splat ? 0 : i];
    *v = to;
    return true;
}

int64_t hlo_replicas(const hlo_reader *r)
{
    int64_t n = 1;
    for (int i = 0; i < r->nreplica; i++) n *= r->mesh->axis[i].size;
    return n;
}

/* True if the groups run over complete axes: members row-major over the axes, the first at coordinate 0. */
static bool along_axes(hlo_reader *r, hlo_groups *g)
{
    const mesh *const m = r->mesh;
    int order[MESH_ATOMS], n = 0;
    int64_t stride[MESH_ATOMS + 1] = { 0 }, unit = 1;
    for (int i = m->naxis - 1, s = 1; i >= 0; s *= (int)m->axis[i--].size) stride[i] = s;
    /* minor axis first: finds the axis along which the next member steps */
    while (unit < g->each) {
        const int64_t by = g->of[unit] - g->of[0];
        int i = 0;
        while (i < m->naxis && (stride[i] != by || m->axis[i].size == 1)) i++;
        if (i == m->naxis) return false;
        for (int k = 0; k < n; k++) if (order[k] == i) return false;
        order[n++] = i;
        unit *= m->axis[i].size;
    }
    if (unit != g->each || g->count * g->each != g->n) return false;
    for (int64_t k = 0; k < g->count; k++)
        for (int64_t i = 0; i < g->each; i++) {
            int64_t at = g->of[k * g->each], rest = i;
            for (int j = 0; j < n; j++) {
                if (at / stride[order[j]] % m->axis[order[j]].size) return false;
                at += rest % m->axis[order[j]].size * stride[order[j]];
                rest /= m->axis[order[j]].size;
            }
            if (g->of[k * g->each + i] != at) return false;
        }
    base_name *const v = BASE_NEW(r->p->arena, base_name, n + 1);
    for (int j = 0; j < n; j++) v[n - 1 - j] = m->axis[order[j]].name;
    g->axes = (ir_names){ n, v };
    return !(mesh_named(m, n, v) & ~r->manual);
}

int64_t hlo_processes(const hlo_reader *r)
{
    const int64_t n = r->mesh ? mesh_size(r->mesh) : hlo_module_count(r, "mhlo.num_partitions");
    return n > 1 ? n : 1;
}

bool hlo_outside(hlo_reader *r, const hlo_op *o)
{
    hlo_refuse(r, o, TT_EARG, "a collective outside of a manual computation");
    return base_hint("print the program with shard_map, or as one for all devices");
}

/* Groups of processes, in the specification's four ways of grouping. reduces: all_reduce and related operations.
 * Outside of a manual computation, which JAX omits over axes of size 1, each process must be a group of its own. */
bool hlo_grouped(hlo_reader *r, const hlo_op *o, bool reduces, hlo_groups *g)
{
    const int64_t *v, R = hlo_replicas(r);
    int64_t rows, cols;
    const int64_t N = hlo_processes(r), P = N / R, c = hlo_channel(o);
    const hlo_attr *const groups = hlo_find(&o->attr, "replica_groups");
    const bool by_axes = groups && groups->form == HLO_DICT;
    if (!(by_axes ? hlo_axes_table(r, o, groups, &rows, &cols, &v)
                  : hlo_process_table(r, o, "replica_groups", &rows, &cols, &v)))
        return false;
    const bool flat = by_axes || hlo_flag(&o->attr, "use_global_device_ids"), by_replica = c <= 0,
               both = reduces && !flat && c > 0;
    const int64_t times = flat || both ? 1 : by_replica ? P : R, each = both ? cols * P : cols,
                  most = flat ? N : by_replica || both ? R : P;
    *g = (hlo_groups){
        .n = N, .count = rows * times, .each = each, .of = BASE_NEW(r->p->arena, int64_t, rows * times * each + 1)
    };
    for (int64_t k = 0, at = 0; k < rows; k++)
        for (int64_t t = 0; t < times; t++)
            for (int64_t i = 0; i < each; i++) {
                const int64_t id = v[k * cols + i % cols];
                if (id == -1) {
                    g->ragged = true, g->of[at++] = -1;
                    continue;
                }
                if (id < 0 || id >= most)
                    return hlo_refuse(r, o, TT_EARG, "replica_groups names %lld; expected 0 to %lld", (long long)id,
                                      (long long)most - 1);
                g->of[at++] = flat ? id : both ? id * P + i / cols : by_replica ? id * P + t : t * P + id;
            }
    if (!g->each) return hlo_refuse(r, o, TT_EARG, "replica_groups has a group without members");
    const bool single = !g->ragged && each == 1 && g->count == N;
    if (!r->manual && !single) return hlo_outside(r, o);
    g->ok = single || (!g->ragged && along_axes(r, g));
    if (!g->ok && mesh_set_size(r->mesh, r->manual) != N)
        return hlo_refuse(r, o, TT_EARG, "replica_groups are no axes of the mesh, where not all axes are manual");
    return true;
}

bool hlo_grouped_evenly(hlo_reader *r, const hlo_op *o, bool reduces, hlo_groups *g)
{
    return hlo_grouped(r, o, reduces, g) &&
           (!g->ragged || hlo_refuse(r, o, TT_EARG, "replica_groups of different sizes; expected one size"));
}

/* ---- members by a table ---- */

static ir_id groups_process_id(hlo_reader *r)            /* this process's number, like partition_id */
{
    const op_axis_attr a = { hlo_axes_named(r, r->manual), true };
    return op_convert(r->b, ir_emit(r->b, &prim_axis_index, &a, 0, NULL, 0, NULL), TT_U32);
}

ir_id hlo_by_process(hlo_reader *r, const int32_t *table, int64_t n)
{
    return op_at(r->b, op_const(r->b, ir_type_of(TT_I32, 1, &n), table), groups_process_id(r));
}

/* y[i]: the value of member i of each process's own group; the process's own value if it has no group or the group no
 * member i. */
bool hlo_members(hlo_reader *r, const hlo_groups *g, ir_id x, ir_id *y)
{
    const ir_type *const t = ir_typeof(r->b, x);
    int64_t dim[IR_RANK] = { 1 };
    if (t->rank == IR_RANK)
        return base_fail(TT_ESHAPE, NULL, "a group of devices over a value of %d dims, the limit, needs one dim more",
                         IR_RANK);
    memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
    const op_gather_axes_attr a = { hlo_axes_named(r, r->manual), 0, g->n, true };
    const ir_id row = op_reshape(r->b, x, t->rank + 1, dim), all = ir_emit(r->b, &prim_all_gather, &a, 1, &row, 0,
        NULL);
    int32_t *const table = BASE_NEW(r->p->arena, int32_t, g->n);
    for (int64_t i = 0; i < g->each; i++) {
        for (int64_t k = 0; k < g->n; k++) table[k] = (int32_t)k;
        for (int64_t k = 0; k < g->count; k++)
            for (int64_t j = 0; j < g->each; j++) {
                const int64_t from = g->of[k * g->each + i], to = g->of[k * g->each + j];
                if (from >= 0 && to >= 0) table[to] = (int32_t)from;
            }
        if (!(y[i] = op_at(r->b, all, hlo_by_process(r, table, g->n)))) return false;
    }
    return true;
}

ir_id hlo_rank_in(hlo_reader *r, const hlo_groups *g)     /* number of a process in its group */
{
    int32_t *const table = BASE_NEW(r->p->arena, int32_t, g->n);
    for (int64_t k = 0; k < g->count * g->each; k++) table[g->of[k]] = (int32_t)(k % g->each);
    return hlo_by_process(r, table, g->n);
}
