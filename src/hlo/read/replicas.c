/* hlo/read/replicas.c - a program for one of several replicas, as jax.pmap printed up to 0.7: without a mesh, and with
 *
 *     module @pmap_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 8 : i32}
 *
 * It becomes a manual computation over an axis "replicas". pmap shards the mapped dim into parts of size 1, so the
 * mapped dim of an argument or a result is the first one of size 1. An argument with the attribute
 * mhlo.is_same_data_across_replicas, or without such a dim, is replicated; of a result without such a dim, the first
 * replica's value is taken, as pmap does. */
#include "../inner.h"
#include "../../op/ops.h"

int64_t hlo_module_count(const hlo_reader *r, const char *key)
{
    const hlo_attr *const a =
        r->module > 0 && r->module <= r->m->attr.n ? hlo_find(&r->m->attr.v[r->module - 1], key) : NULL;
    return a && a->form == HLO_INTEGER ? a->i : 1;
}

bool hlo_read_replicas(hlo_reader *r, const hlo_func *f)
{
    enum { MOST = 1 << 16 };
    const int64_t n = hlo_module_count(r, "mhlo.num_replicas"), each = hlo_module_count(r, "mhlo.num_partitions");
    if (n <= 1) return true;
    if (each > 1 || r->mesh || n > MOST)
        return hlo_fail(r->p, f->name.at, TT_EMESH, "%lld replicas of %lld partitions, which is not supported",
                        (long long)n, (long long)each);
    r->mesh = mesh_of(r->p->file, base_format(r->p->arena, "replicas:%lld", (long long)n));
    if (!r->mesh) return false;
    r->nreplica = 1;
    r->manual = (mesh_set)((1u << r->mesh->natom) - 1);
    return true;
}

/* The global type of a value of which each replica has a part, and its layout. */
static const ir_type *replicas_global_type(const hlo_reader *r, const ir_type *t, bool same, const mesh_layout **l)
{
    mesh_list cut[IR_RANK] = { 0 };
    int64_t dim[IR_RANK];
    int at = -1;
    for (int d = t->rank - 1; d >= 0; d--) {
        dim[d] = t->dim[d];
        if (dim[d] == 1) at = d;
    }
    if (!same && at >= 0) dim[at] = mesh_size(r->mesh), cut[at] = mesh_axis_list(r->mesh, r->mesh->axis[0].name);
    *l = mesh_layout_dims(r->mesh, t->rank, cut);
    return ir_type_of(t->dtype, t->rank, dim);
}

ir_fn *hlo_for_replicas(hlo_reader *r, const hlo_func *f, ir_fn *one)
{
    ir_build *const b = ir_begin(r->arena, one->name, r->mesh);
    const mesh_layout **const in = BASE_NEW(r->p->arena, const mesh_layout *, one->narg + 1),
                      **const out = BASE_NEW(r->p->arena, const mesh_layout *, one->nret + 1);
    ir_id *const arg = BASE_NEW(r->p->arena, ir_id, one->narg + 1), *const ret = BASE_NEW(r->p->arena, ir_id,
                                                                                         one->nret + 1);
    for (uint32_t i = 0; i < one->narg; i++) {
        const bool same = hlo_flag(&f->arg.v[i].attr, "mhlo.is_same_data_across_replicas");
        arg[i] = ir_arg(b, replicas_global_type(r, one->type[i + 1], same, &in[i]));
    }
    for (uint32_t j = 0; j < one->nret; j++) replicas_global_type(r, one->type[one->ret[j]], false, &out[j]);
    ir_site(b, hlo_site(r->p, f->name.at - 1, NULL));
    const op_manual_attr a = { { 1, &r->mesh->axis[0].name }, { (int)one->narg, in }, { (int)one->nret, out }, true };
    const ir_id first = ir_emit(b, &prim_manual, &a, one->narg, arg, 1, &one);
    for (uint32_t j = 0; j < one->nret; j++) ret[j] = first + j;
    return first || !one->nret ? ir_end(b, one->nret, ret) : NULL;
}
