/* spmd/local/regions.c - local forms of equations with regions, of manual regions, and of those that only change
 * layouts. */
#include "local.h"
#include "../../op/ops.h"

#include <string.h>

static const mesh_layout *regions_layout(const spmd_local_part *p, ir_id id) { return p->f->layout[id]; }

/* Results are operands, in other layouts. */
static bool regions_pass(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        const spmd_sharding a = spmd_sharding_of(regions_layout(p, e->in[j])),
                            b = spmd_sharding_of(regions_layout(p, e->out + j));
        const mesh_layout *const from = regions_layout(p, e->in[j]), *const to = regions_layout(p, e->out + j);
        y[j] = spmd_local_move(p, e->site, x[j], IR_OUT(e, j), &a, &b, from->reduce, to->reduce);
        if (!y[j]) return false;
    }
    return true;
}

/* A region whose parameters are local values of the given types. */
static ir_fn *regions_inner(spmd_local_part *p, const ir_fn *f, uint32_t n, const ir_id *like)
{
    spmd_local_part q = { p->on, p->state, f, BASE_NEW(p->on.a, ir_id, f->nvalue + 1) };
    ir_id *const ret = BASE_NEW(p->on.a, ir_id, f->nret + 1);
    q.on.b = ir_region(p->on.b, f->name), q.on.nplace = 0;
    for (uint32_t i = 0; i < n; i++) q.map[1 + i] = ir_arg(q.on.b, ir_typeof(p->on.b, like[i]));
    if (!spmd_local_walk(&q)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = q.map[f->ret[j]];
    return ir_end(q.on.b, f->nret, ret);
}

static bool regions_emit(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_fn *const *sub, ir_id *y)
{
    const ir_id first = ir_emit(p->on.b, e->op, e->attr, e->nin, x, e->nsub, sub);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
    return first || (!e->nout && !base_failed());
}

static bool regions_while(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    ir_fn *sub[2];
    for (int k = 0; k < 2; k++) if (!(sub[k] = regions_inner(p, e->sub[k], e->nin, x))) return false;
    return regions_emit(p, e, x, sub, y);
}

static bool regions_case(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    ir_fn **const sub = BASE_NEW(p->on.a, ir_fn *, e->nsub + 1);
    for (uint32_t k = 0; k < e->nsub; k++)
        if (!(sub[k] = regions_inner(p, e->sub[k], e->nin - 1, x + 1))) return false;
    return regions_emit(p, e, x, sub, y);
}

static bool regions_barrier(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return regions_emit(p, e, x, NULL, y);
}

/* A manual region's body is already of parts along its axes: its equations follow here, with parts of these parts along
 * the other axes. */
static bool regions_manual(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const ir_fn *const f = e->sub[0];
    spmd_local_part q = *p;
    q.f = f;
    q.map = BASE_NEW(p->on.a, ir_id, f->nvalue + 1);
    for (uint32_t i = 0; i < f->narg; i++) q.map[1 + i] = x[i];
    const bool good = spmd_local_walk(&q);
    for (uint32_t j = 0; good && j < e->nout; j++) y[j] = q.map[f->ret[j]];
    q.f = p->f, q.map = p->map;
    *p = q;                                              /* places that were computed there are of use further on */
    return good;
}

static bool regions_call(spmd_local_part *p, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    (void)x, (void)y, (void)p;
    return op_local_none(e, "a call that is not part of its caller");
}

typedef bool rule(spmd_local_part *, const ir_eqn *, const ir_id *x, ir_id *y);
static const struct { const op_prim *op; rule *rule; } rules[] = {
    { &prim_while, regions_while }, { &prim_case, regions_case }, { &prim_barrier, regions_barrier },
    { &prim_manual, regions_manual }, { &prim_call, regions_call }, { &prim_custom_jvp, regions_call },
    { &prim_custom_vjp, regions_call },
};

bool spmd_local_region(spmd_local_part *p, const ir_eqn *e, bool *known)
{
    ir_id *const x = BASE_NEW(p->on.a, ir_id, e->nin + 1);
    rule *r = e->op->passes ? regions_pass : NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) if (rules[i].op == e->op) r = rules[i].rule;
    *known = r;
    if (!r) return true;
    for (uint32_t i = 0; i < e->nin; i++) x[i] = p->map[e->in[i]];
    return r(p, e, x, p->map + e->out);
}
