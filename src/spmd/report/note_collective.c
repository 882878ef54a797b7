/* spmd/report/note_collective.c - notes on collectives that the user wrote, in shard_map, pmap and maps over named
 * axes.
 *
 * A collective is described by data (op_exchange): its operands over the axes form one global value, either sharded
 * along a dim or as partial copies; its results do the same. A collective therefore has the cost and the note of a
 * reshard of this value, and the note is marked as requested. */
#include "../inner.h"

static mesh_layout collective_replicated(const mesh *m, int rank, mesh_dim *dim)
{
    return (mesh_layout){ .mesh = m, .rank = rank, .dim = dim };
}

void spmd_note_written(spmd_part *p, const ir_eqn *e)
{
    spmd_state *s = p->state;
    op_exchange x;
    if (e->op->kernel != OP_EXCHANGE || !e->op->exchange || !e->nin || !e->op->exchange(e, &x) || x.index || !x.over)
        return;
    const ir_type *t = IR_IN(e, 0);
    int64_t dim[IR_RANK + 1] = { 0 };
    mesh_dim from_dim[IR_RANK + 1] = { 0 }, to_dim[IR_RANK + 1] = { 0 };
    mesh_layout from = collective_replicated(s->mesh, t->rank, from_dim),
        to = collective_replicated(s->mesh, t->rank, to_dim);
    for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d] * (d == x.from_dim ? mesh_set_size(s->mesh, x.over) : 1);
    const ir_type *all = ir_type_of(t->dtype, t->rank, dim);
    if (x.from_dim >= 0) from_dim[x.from_dim].atoms = x.order;
    else if (x.reduce != MESH_NONE) from.partial = x.over, from.reduce = x.reduce;
    if (x.to_dim >= 0) to_dim[x.to_dim].atoms = x.order;
    const mesh_layout *a = mesh_intern(&from), *b = mesh_intern(&to);
    const spmd_sharding has = spmd_sharding_of(a), wants = spmd_sharding_of(b);
    spmd_move v = spmd_moving(s, all, &has, &wants);
    if (x.source) v = (spmd_move){ .kind = SPMD_PERMUTE, .over = x.over, .moved = ir_bytes(t),
                                   .seconds = spmd_link_time(s, SPMD_PERMUTE, x.over, (double)ir_bytes(t)) };
    if (x.source) spmd_count_between(s, &v);
    if (!v.over) return;
    *spmd_note_next(s) = (spmd_note){ .kind = v.kind, .site = e->site, .why = e->op->name, .from = a, .to = b,
                                      .over = v.over, .bytes = ir_bytes(all), .moved = v.moved, .times = s->times,
                                      .seconds = v.seconds, .between = v.between,
                                      .between_seconds = v.between_seconds, .requested = true };
}
