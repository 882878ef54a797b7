/* spmd/explicit/explicit_regions.c - explicit mode through regions: the ends of one edge have one layout.
 *
 * - A parameter has the layout of its operand, a result the layout that the region returns.
 * - A carry keeps its initial layout; a body that returns another one is an error, as are branches that differ.
 * - A scan's xs and ys lose the leading dim in the body; explicit axes must not shard it.
 * - Inside a manual region, only the atoms of the other axes are inferred. */
#include "../inner.h"
#include "../../op/ops.h"

typedef struct {
    base_arena *a; const ir_eqn *e; const mesh *m; mesh_set keep, inner;     /* inner: without manual atoms */
    const mesh_layout *const *x;
    spmd_strictness how;
    const op_edge_end *end; int nend;
    const mesh_layout ***param, ***ret;                  /* [nsub][narg], [nsub][nret] */
} asking;

static const mesh_layout *dropped(const mesh *m, const mesh_layout *l, int drop)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int d = drop; d < l->rank; d++) dim[d - drop] = l->dim[d].atoms;
    return mesh_layout_dims(m, l->rank - drop, dim);
}

static const mesh_layout *explicit_regions_raised(const mesh *m, const mesh_layout *l, int drop)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int d = 0; d < l->rank; d++) dim[d + drop] = l->dim[d].atoms;
    return mesh_layout_dims(m, l->rank + drop, dim);
}

static bool leading_is_sharded(const asking *q, const op_edge_end *t)
{
    base_fail(TT_ESPEC, q->e->site, "%s goes over dim 0 of operand %d, which %s shards", q->e->op->name, t->index,
              mesh_set_text(q->a, q->m, mesh_list_set(q->x[t->index]->dim[0].atoms)));
    return base_hint("gather that dim before: tt_shard(v, mesh, \"_, ...\")");
}

static bool differs(const asking *q, const op_edge_end *t, const mesh_layout *want, const mesh_layout *got)
{
    const bool carry = q->e->nsub == 1 || q->e->op == &prim_while;
    base_fail(TT_ESPEC, q->e->site, carry ? "%s: carry %d begins as \"%s\" and is returned as \"%s\""
                                          : "%s: result %d is laid out as \"%s\" in one branch and as \"%s\" in "
                                              "another",
              q->e->op->name, t->index, mesh_print(q->a, want), mesh_print(q->a, got));
    if (!carry) return base_hint("give the result one layout with tt_shard in each branch, before it is returned");
    return base_hint("give the carry one layout with tt_shard: in the body, before it is returned, or before the %s",
                     q->e->op->name);
}

/* Sets *l to the layout of the group's operand, without dropped dims; NULL: the group has no operand. Returns false on
 * an error. */
static bool of_operand(const asking *q, int group, const mesh_layout **l)
{
    *l = NULL;
    for (int i = 0; i < q->nend; i++) {
        const op_edge_end *t = &q->end[i];
        if (t->group != group || t->end != OP_OPERAND || *l) continue;
        const mesh_layout *x = spmd_only(q->m, q->x[t->index]->rank, q->x[t->index], q->inner);
        if (t->drop && x->dim[0].atoms && q->how != SPMD_SETTLE)
            return q->how == SPMD_REPORT && leading_is_sharded(q, t);
        *l = dropped(q->m, x, t->drop);
    }
    return true;
}

static bool give(asking *q)                              /* gives parameters their operands' layouts */
{
    for (int i = 0; i < q->nend; i++) {
        const op_edge_end *t = &q->end[i];
        const mesh_layout *l = NULL;
        if (t->end != OP_PARAM) continue;
        if (!of_operand(q, t->group, &l)) return false;
        q->param[t->sub][t->index] = l;
    }
    return true;
}

static bool walk(asking *q)                              /* infers regions with returns on an edge */
{
    for (uint32_t s = 0; s < q->e->nsub; s++) {
        bool on_edge = false;
        const ir_fn *f = q->e->sub[s];
        for (int i = 0; i < q->nend; i++) on_edge |= q->end[i].end == OP_RETURN && q->end[i].sub == (int)s;
        if (on_edge && !spmd_infer_fn(q->a, f, q->inner, q->param[s], q->ret[s], q->how)) return false;
        for (uint32_t i = 0; !on_edge && i < f->nret; i++)
            q->ret[s][i] = spmd_only(q->m, f->type[f->ret[i]]->rank, NULL, 0);
    }
    return true;
}

/* The layout of a group's results: the operand's, else the first return's. Returns with another layout are an error. */
static bool settled(const asking *q, int group, const mesh_layout **l)
{
    if (!of_operand(q, group, l)) return false;
    for (int i = 0; i < q->nend; i++) {
        const op_edge_end *t = &q->end[i];
        if (t->group != group || t->end != OP_RETURN) continue;
        const mesh_layout *r = q->ret[t->sub][t->index];
        if (!*l) *l = r;
        if (*l != r && q->how != SPMD_SETTLE) return q->how == SPMD_REPORT && differs(q, t, *l, r);
    }
    return true;
}

static const mesh_layout *outside(const asking *q, uint32_t j, const mesh_layout *l)     /* adds manual atoms, major */
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    if (q->e->op != &prim_manual) return l;
    const mesh_layout *to = spmd_only(q->m, l->rank, IR_ATTR(q->e, op_manual_attr)->out_shardings.v[j], q->keep);
    for (int d = 0; d < l->rank; d++) {
        dim[d] = to->dim[d].atoms;
        for (int k = 0; k < mesh_list_n(l->dim[d].atoms); k++)
            dim[d] = mesh_list_push(dim[d], mesh_list_at(l->dim[d].atoms, k));
    }
    return mesh_layout_dims(q->m, l->rank, dim);
}

bool spmd_infer_regions(base_arena *a, const ir_eqn *e, mesh_set keep, const mesh_layout *const *x,
                        const mesh_layout **y,
                        spmd_strictness how)
{
    op_edges edges = { .arena = a };
    e->op->edges(e, &edges);
    asking q = { .a = a, .e = e, .m = e->fn->mesh, .keep = keep, .inner = keep, .x = x, .how = how, .end = edges.at,
                 .nend = edges.n, .param = BASE_NEW(a, const mesh_layout **, e->nsub + 1),
                 .ret = BASE_NEW(a, const mesh_layout **, e->nsub + 1) };
    if (e->op == &prim_manual) {
        const op_manual_attr *m = IR_ATTR(e, op_manual_attr);
        q.inner &= (mesh_set)~mesh_named(q.m, m->manual_axes.n, m->manual_axes.v);
    }
    for (uint32_t s = 0; s < e->nsub; s++) {
        q.param[s] = BASE_NEW(a, const mesh_layout *, e->sub[s]->narg + 1);
        q.ret[s] = BASE_NEW(a, const mesh_layout *, e->sub[s]->nret + 1);
    }
    for (uint32_t j = 0; j < e->nout; j++) y[j] = spmd_only(q.m, IR_OUT(e, j)->rank, NULL, 0);
    if (!give(&q) || !walk(&q)) return false;
    for (int i = 0; i < q.nend; i++) {
        const op_edge_end *t = &q.end[i];
        const mesh_layout *l = NULL;
        if (t->end != OP_RESULT) continue;
        if (!settled(&q, t->group, &l)) return false;
        if (l) y[t->index] = outside(&q, (uint32_t)t->index, explicit_regions_raised(q.m, l, t->drop));
    }
    return true;
}
