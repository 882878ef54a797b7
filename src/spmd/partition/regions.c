/* spmd/partition/regions.c - partitioning rules of primitives that change layouts or have regions. Loops: loops.c.
 *
 * Operands and results are laid out at their targets, if propagation gives targets. Otherwise:
 * - Case: a result has the layout in which all branches return it; if they differ, it is replicated.
 * - Manual region: operands have the in-layouts and results the out-layouts, each sharded further by the automatic
 *   atoms of the body's targets. Parameters and returns are sharded by the automatic atoms only.
 * - Constraint, reshard: the given layout. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

void spmd_results(spmd_part *p, const ir_eqn *e, ir_id first, const mesh_layout *const *l)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        spmd_set(p, first + j, l[j]);
        p->map[e->out + j] = first + j;
    }
}

static bool same_sharding(const mesh_layout *a, const mesh_layout *b)
{
    for (int d = 0; d < a->rank; d++) if (a->dim[d].atoms != b->dim[d].atoms) return false;
    return true;
}

/* Layouts of a case's results without targets: partitions every branch and takes the layout on which all agree, or
 * replicated. */
static bool agree(spmd_part *p, const ir_eqn *e, const mesh_layout *const *l, const mesh_layout **out)
{
    spmd_state *s = p->state;
    const int notes = s->nnote;
    for (uint32_t k = 0; k < e->nsub; k++) {
        const ir_fn *f = spmd_function(s, e->sub[k], l, NULL, NULL);
        if (!f) return false;
        for (uint32_t j = 0; j < e->nout; j++) {
            const mesh_layout *r = spmd_ret_layout(f, j);
            out[j] = !k || same_sharding(out[j], r) ? r : spmd_replicated(s, r->rank);
        }
    }
    s->nnote = notes;
    return true;
}

static bool case_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_state *s = p->state;
    const mesh_layout **l = BASE_NEW(s->a, const mesh_layout *, e->nin),
                      **out = BASE_NEW(s->a, const mesh_layout *, e->nout);
    ir_fn **sub = BASE_NEW(s->a, ir_fn *, e->nsub);
    bool all = true;
    for (uint32_t i = 0; i < e->nin; i++) {
        const char *what = i ? base_format(s->a, "operand %u of a case", i) : "the index of a case";
        const spmd_reason why = { e->site, what, false, e->in[i], 0, 0 };
        if (!(in[i] = spmd_finish(p, e->in[i], &why))) return false;
        if (!i && !(in[0] = spmd_reshard(p, in[0], spmd_replicated(s, 0), &why))) return false;
        if (i) l[i - 1] = p->layout[in[i]];
    }
    for (uint32_t j = 0; j < e->nout; j++) all = spmd_target(p->from, e->out + j, &out[j]) && all;
    if (!all && !agree(p, e, l, out)) return false;
    for (uint32_t k = 0; k < e->nsub; k++) if (!(sub[k] = spmd_function(s, e->sub[k], l, out, NULL))) return false;
    const ir_id y = spmd_emit(p, e, in, sub);
    if (y || !e->nout) spmd_results(p, e, y, out);
    return y || !e->nout;
}

/* The layout of a global value: on each dim the manual atoms, then the automatic atoms of the local value. */
static const mesh_layout *regions_join_layouts(const mesh_layout *manual, const mesh_layout *local)
{
    mesh_list dim[IR_RANK + 1];
    for (int d = 0; d < manual->rank; d++) {
        dim[d] = manual->dim[d].atoms;
        for (int i = 0; i < mesh_list_n(local->dim[d].atoms); i++)
            dim[d] = mesh_list_push(dim[d], mesh_list_at(local->dim[d].atoms, i));
    }
    return mesh_layout_dims(manual->mesh, manual->rank, dim);
}

static bool manual_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_state *s = p->state;
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_layout **l = BASE_NEW(s->a, const mesh_layout *, e->nin);
    const mesh_layout **ret = BASE_NEW(s->a, const mesh_layout *, e->nout);
    const mesh_layout **out = BASE_NEW(s->a, const mesh_layout *, e->nout);
    const ir_fn *body = e->sub[0];
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!spmd_target(body, 1 + i, &l[i])) l[i] = spmd_replicated(s, a->in_shardings.v[i]->rank);
        const spmd_reason why = { e->site, base_format(s->a, "operand %u of a manual region", i), true,
                                  e->in[i], 0, 0 };
        if (!(in[i] = spmd_reshard(p, in[i], regions_join_layouts(a->in_shardings.v[i], l[i]), &why))) return false;
    }
    for (uint32_t j = 0; j < e->nout; j++) {
        if (!spmd_target(body, body->ret[j], &ret[j])) ret[j] = spmd_replicated(s, a->out_shardings.v[j]->rank);
        out[j] = regions_join_layouts(a->out_shardings.v[j], ret[j]);
    }
    ir_fn *sub = spmd_function(s, body, l, ret, NULL);
    if (!sub) return false;
    const ir_id y = spmd_emit(p, e, in, &sub);
    if (y || !e->nout) spmd_results(p, e, y, out);
    return y || !e->nout;
}

/* Inlines the callee: a call has no layouts of its own. */
static bool call_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_part inner = *p;
    inner.from = e->sub[0];
    inner.map = BASE_NEW(p->state->a, ir_id, e->sub[0]->nvalue + 1);
    for (uint32_t i = 0; i < e->nin; i++) {
        const spmd_reason why = { e->site, base_format(p->state->a, "operand %u of a call", i), false, e->in[i], 0, 0 };
        if (!(in[i] = spmd_finish(p, e->in[i], &why))) return false;
    }
    memcpy(inner.map + 1, in, e->nin * sizeof *in);
    if (!spmd_equations(&inner)) return false;
    for (uint32_t j = 0; j < e->nout; j++) p->map[e->out + j] = inner.map[e->sub[0]->ret[j]];
    p->layout = inner.layout, p->copy = inner.copy, p->nlayout = inner.nlayout;
    p->sharding = inner.sharding, p->nsharding = inner.nsharding;
    return true;
}

/* Completes a constraint's layout: an open dim keeps the operand's atoms up to the first one that the constraint uses
 * or forbids. */
static const mesh_layout *wish(const mesh_layout *to, const mesh_layout *has)
{
    mesh_dim dim[IR_RANK + 1];
    mesh_layout l = *to;
    mesh_set used = mesh_used(to) | to->closed;
    if (has->rank) memcpy(dim, to->dim, (size_t)to->rank * sizeof *dim);
    for (int d = 0; d < to->rank; d++) {
        for (int i = 0; to->dim[d].open && i < mesh_list_n(has->dim[d].atoms); i++) {
            const int atom = mesh_list_at(has->dim[d].atoms, i);
            if (used >> atom & 1) break;
            dim[d].atoms = mesh_list_push(dim[d].atoms, atom);
            used |= (mesh_set)(1u << atom);
        }
        dim[d].open = false;
    }
    l.dim = dim;
    return mesh_intern(&l);
}

static bool wish_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    const mesh_layout *said = IR_ATTR(e, op_layout_attr)->sharding.v[0], *to;
    const spmd_reason why = { e->site, "laid out as required", true, e->in[0], e->out, 0 };
    if (!spmd_target(p->from, e->out, &to)) to = wish(said, p->layout[in[0]]);
    return (p->map[e->out] = spmd_reshard(p, in[0], to, &why)) != 0;
}

static bool barrier_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    const mesh_layout **l = BASE_NEW(p->state->a, const mesh_layout *, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) {
        const spmd_reason why = { e->site, "a value that a barrier holds", false, e->in[i], e->out + i, 0 };
        if (!(in[i] = spmd_finish(p, e->in[i], &why))) return false;
        l[i] = p->layout[in[i]];
    }
    const ir_id y = spmd_emit(p, e, in, NULL);
    if (y) spmd_results(p, e, y, l);
    return y != 0;
}

/* A primitive that only passes its operand, with no layout of its own. */
static bool pass_rule(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    const spmd_reason why = { e->site, "a value that is passed on", false, e->in[0], e->out, 0 };
    const mesh_layout *to;
    if (!spmd_target(p->from, e->out, &to)) return (p->map[e->out] = spmd_finish(p, e->in[0], &why)) != 0;
    return (p->map[e->out] = spmd_reshard(p, in[0], to, &why)) != 0;
}

spmd_rule *spmd_region_rule(const op_prim *op)
{
    static const struct { const op_prim *op; spmd_rule *rule; } rules[] = {
        { &prim_while, spmd_while }, { &prim_case, case_rule }, { &prim_manual, manual_rule },
            { &prim_call, call_rule },
        { &prim_custom_jvp, call_rule }, { &prim_custom_vjp, call_rule }, { &prim_constrain, wish_rule },
        { &prim_reshard, wish_rule }, { &prim_barrier, barrier_rule },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) if (rules[i].op == op) return rules[i].rule;
    return op->passes && !op->states ? pass_rule : NULL;
}
