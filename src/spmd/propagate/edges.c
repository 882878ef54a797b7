/* spmd/propagate/edges.c - builds the graph that propagation runs over: slots for values, steps for equations and for
 * edges.
 *
 * An equation with a factor rule is one step over its operands and results. An equation with regions is one edge per
 * group of the primitive's ends: the target (parameters and results) is one slot, the sources (operands and returns)
 * are others, and the rule between them is the identity. An end may have additional leading dims (a scan's xs); an end
 * inside a manual region lacks the manual atoms that are major on the dims outside. A case's parameters share the slots
 * of its operands.
 *
 * Steps are numbered in program order. The steps of a region come before the edges of the equation's results, but after
 * the edges of carries that a loop returns unchanged. Last come the steps between each result of the function and the
 * layout requested for the result. */
#include "propagation.h"
#include "../../op/ops.h"

#include <string.h>

static uint32_t count_values(const ir_fn *f)             /* of f and all regions with edges */
{
    uint32_t n = f->nvalue + 1;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op->edges && i < f->eqn[k].nsub; i++) n += count_values(f->eqn[k].sub[i]);
    return n;
}

static uint32_t count_dims(const ir_fn *f)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i <= f->nvalue; i++) n += (uint32_t)f->type[i]->rank;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op->edges && i < f->eqn[k].nsub; i++) n += count_dims(f->eqn[k].sub[i]);
    return n;
}

static uint32_t count_regions(const ir_fn *f)
{
    uint32_t n = 1;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op->edges && i < f->eqn[k].nsub; i++) n += count_regions(f->eqn[k].sub[i]);
    return n;
}

/* ---- slots ---- */

static uint32_t new_slot(spmd_propagation *s, int rank, mesh_set never)
{
    const spmd_slot *last = &s->slot[s->nslot - 1];
    s->slot[s->nslot] = (spmd_slot){ .dim = last->dim + last->rank, .rank = (uint8_t)rank, .never = never };
    return s->nslot++;
}

static const spmd_region *region_of(const spmd_propagation *s, const ir_fn *f)
{
    for (uint32_t i = 0; i < s->nregion; i++) if (s->region[i].fn == f) return &s->region[i];
    return NULL;
}

uint32_t spmd_slot_of(const spmd_propagation *s, const ir_fn *f, ir_id id)
{
    const spmd_region *r = region_of(s, f);
    return r && id && id <= f->nvalue ? s->of[r->base + id] : 0;
}

/* Creates a slot for each value that is not a target. Called before the edges of the region's equation are added, since
 * edges refer to the slots of returns. */
static void own_slots(spmd_propagation *s, const ir_fn *f, uint32_t base, mesh_set manual)
{
    for (uint32_t i = 1; i <= f->nvalue; i++)
        if (!s->of[base + i]) s->of[base + i] = new_slot(s, f->type[i]->rank, manual);
}

static uint32_t edges_enter(spmd_propagation *s, const ir_fn *f)
{
    const spmd_region *last = s->nregion ? &s->region[s->nregion - 1] : NULL;
    const uint32_t base = last ? last->base + last->fn->nvalue + 1 : 0;
    s->region[s->nregion++] = (spmd_region){ f, base };
    return base;
}

/* ---- steps ---- */

static uint32_t *new_tensors(spmd_propagation *s, uint32_t n)
{
    if (s->ntensor + n > s->captensor) {
        s->captensor = 2 * (s->ntensor + n) + 256;
        uint32_t *grown = BASE_NEW(s->a, uint32_t, s->captensor);
        if (s->ntensor) memcpy(grown, s->tensor, s->ntensor * sizeof *grown);
        s->tensor = grown;
    }
    s->ntensor += n;
    return s->tensor + s->ntensor - n;
}

static void add_step(spmd_propagation *s, spmd_step step) /* tensors: the last step.ntensor ones */
{
    if (s->nstep == s->capstep) {
        s->capstep = 2 * s->capstep + 64;
        spmd_step *grown = BASE_NEW(s->a, spmd_step, s->capstep);
        if (s->nstep) memcpy(grown, s->step, s->nstep * sizeof *grown);
        s->step = grown;
    }
    step.first = s->ntensor - step.ntensor;
    s->step[s->nstep++] = step;
}

/* The identity rule over n tensors of one rank. Factor sizes are not used, since each dim has one factor only. */
static const op_rule *identity(const spmd_propagation *s, uint32_t n, int rank)
{
    op_rule *r = BASE_NEW(s->a, op_rule, 1);
    struct op_rule_dim *dim = BASE_NEW(s->a, struct op_rule_dim, n * IR_RANK);
    op_rule_at *at = BASE_NEW(s->a, op_rule_at, rank);
    for (int d = 0; d < rank; d++) {
        at[d].factor = d;
        r->factor[d].size = 1;
        for (uint32_t t = 0; t < n; t++) dim[t * IR_RANK + (uint32_t)d] = (struct op_rule_dim){ 1, &at[d] };
    }
    r->nfactor = rank;
    r->ntensor = (int)n;
    r->dim = dim;
    return r;
}

static const ir_type *end_type(const ir_eqn *e, const op_edge_end *t)
{
    switch (t->end) {
    case OP_OPERAND: return IR_IN(e, t->index);
    case OP_RESULT: return IR_OUT(e, t->index);
    case OP_PARAM: return e->sub[t->sub]->type[t->index + 1];
    default: return e->sub[t->sub]->type[e->sub[t->sub]->ret[t->index]];
    }
}

/* An equation with regions. base: of the function; sub: [region] bases; manual: atoms that are manual in the
 * regions. */
typedef struct { uint32_t base; const uint32_t *sub; const ir_eqn *e; mesh_set manual; } place;

static uint32_t *end_slot(const spmd_propagation *s, const place *p, const op_edge_end *t)
{
    switch (t->end) {
    case OP_OPERAND: return &s->of[p->base + p->e->in[t->index]];
    case OP_RESULT: return &s->of[p->base + p->e->out + (uint32_t)t->index];
    case OP_PARAM: return &s->of[p->sub[t->sub] + (uint32_t)t->index + 1];
    default: return &s->of[p->sub[t->sub] + p->e->sub[t->sub]->ret[t->index]];
    }
}

static bool is_target(const op_edge_end *t) { return (t->end == OP_PARAM || t->end == OP_RESULT) && !t->drop; }

/* Assigns one slot to all targets (parameters and results without dropped dims) of a group; in a case with an operand
 * in the group, the operand's slot. */
static void target(spmd_propagation *s, const place *p, const op_edge_end *at, int n)
{
    uint32_t slot = 0;
    for (int i = 0; i < n && p->e->op == &prim_case; i++)
        if (at[i].end == OP_OPERAND) slot = *end_slot(s, p, &at[i]);
    for (int i = 0; i < n && !slot; i++) if (is_target(&at[i])) slot = *end_slot(s, p, &at[i]);
    for (int i = 0; i < n; i++) {
        if (!is_target(&at[i])) continue;
        if (!slot) slot = new_slot(s, end_type(p->e, &at[i])->rank, p->manual);
        s->slot[slot].edge |= p->e->op != &prim_case || at[i].end == OP_RESULT;
        *end_slot(s, p, &at[i]) = slot;
    }
}

/* The manual atoms that are major on the global dims of an end inside a manual region; NULL elsewhere. */
static const mesh_layout *prefix(const spmd_propagation *s, const ir_eqn *e, const op_edge_end *t)
{
    if (e->op != &prim_manual) return NULL;
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_layout *const l = t->end == OP_PARAM    ? a->in_shardings.v[t->index]
                                 : t->end == OP_RETURN ? a->out_shardings.v[t->index] : NULL;
    mesh_list dim[IR_RANK + 1] = { 0 };
    if (!l || !(mesh_used(l) & s->trivial)) return l;
    for (int d = 0; d < l->rank; d++) dim[d] = spmd_without(l->dim[d].atoms, s->trivial);
    return mesh_layout_dims(l->mesh, l->rank, dim);
}

static void add_edge(spmd_propagation *s, const place *p, const op_edge_end *at, int n)
{
    uint32_t *tensor = BASE_NEW(s->a, uint32_t, n), nin = 0, m = 0;
    spmd_end *end = BASE_NEW(s->a, spmd_end, n);
    for (int sources = 1; sources >= 0; sources--)
        for (int i = 0; i < n; i++) {
            const bool source = at[i].end == OP_OPERAND || at[i].end == OP_RETURN;
            const uint32_t slot = *end_slot(s, p, &at[i]);
            bool seen = false;
            for (uint32_t k = nin; !source && k < m; k++) seen |= tensor[k] == slot;  /* targets share a slot */
            if (seen || source != (sources == 1)) continue;
            end[m] = (spmd_end){ (uint8_t)at[i].drop, prefix(s, p->e, &at[i]) };
            tensor[m++] = slot;
            nin += source;
        }
    const int rank = end_type(p->e, &at[0])->rank - at[0].drop;
    if (rank <= 0 || m < 2 || tensor[0] == tensor[m - 1]) return;
    memcpy(new_tensors(s, m), tensor, m * sizeof *tensor);
    add_step(s, (spmd_step){ .rule = identity(s, m, rank), .e = p->e, .end = end, .nin = nin, .ntensor = m,
                             .class = SPMD_FLOW, .single = true });
}

/* True if the edge comes after the steps of the regions: it has a result, and is not a carry that a loop returns
 * unchanged. */
static bool follows(const spmd_propagation *s, const place *p, const op_edge_end *at, int n)
{
    uint32_t target = 0;
    for (int i = 0; i < n; i++) if (at[i].end == OP_RESULT) target = *end_slot(s, p, &at[i]);
    for (int i = 0; i < n; i++) if (at[i].end == OP_RETURN && *end_slot(s, p, &at[i]) == target) return false;
    return target;
}

/* ---- the walk ---- */

static bool walk(spmd_propagation *s, const ir_fn *f, uint32_t base, mesh_set manual);

/* Sorts ends by group: group g is r[place[g]] .. r[place[g + 1] - 1]. */
static const op_edge_end *by_group(base_arena *a, const op_edges *t, int **place, int *ngroup)
{
    int n = 0;
    for (int i = 0; i < t->n; i++) if (t->at[i].group >= n) n = t->at[i].group + 1;
    int *at = BASE_NEW(a, int, n + 2);
    op_edge_end *r = BASE_NEW(a, op_edge_end, t->n);
    for (int i = 0; i < t->n; i++) at[t->at[i].group + 2]++;
    for (int g = 2; g < n + 2; g++) at[g] += at[g - 1];
    for (int i = 0; i < t->n; i++) r[at[t->at[i].group + 1]++] = t->at[i];
    *place = at;
    *ngroup = n;
    return r;
}

static bool structural(spmd_propagation *s, const ir_eqn *e, uint32_t base, mesh_set manual)
{
    op_edges edges = { .arena = s->a };
    int ngroup, *at;
    uint32_t *sub = BASE_NEW(s->a, uint32_t, e->nsub);
    const op_manual_attr *m = e->op == &prim_manual ? IR_ATTR(e, op_manual_attr) : NULL;
    const place p = { base, sub, e, m ? manual | mesh_named(s->mesh, m->manual_axes.n, m->manual_axes.v) : manual };
    e->op->edges(e, &edges);
    const op_edge_end *end = by_group(s->a, &edges, &at, &ngroup);
    for (uint32_t i = 0; i < e->nsub; i++) sub[i] = edges_enter(s, e->sub[i]);
    for (int g = 0; g < ngroup; g++) target(s, &p, end + at[g], at[g + 1] - at[g]);
    for (uint32_t i = 0; i < e->nsub; i++) own_slots(s, e->sub[i], sub[i], p.manual);
    for (int late = 0; late <= 1; late++) {
        for (int g = 0; g < ngroup; g++)
            if (follows(s, &p, end + at[g], at[g + 1] - at[g]) == late)
                add_edge(s, &p, end + at[g], at[g + 1] - at[g]);
        for (uint32_t i = 0; i < e->nsub && !late; i++) if (!walk(s, e->sub[i], sub[i], p.manual)) return false;
    }
    return true;
}

static bool edges_plain(spmd_propagation *s, const ir_eqn *e, uint32_t base, const uint32_t *uses)
{
    const uint32_t n = e->nin + e->nout;
    uint32_t ranked = 0;
    bool single = true;
    op_rule *r;
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!IR_IN(e, i)->rank) continue;
        ranked++;
        single &= uses[e->in[i]] == 1;
    }
    for (uint32_t j = 0; j < e->nout; j++) ranked += IR_OUT(e, j)->rank != 0;
    if (ranked < 2) return true;                         /* nothing to propagate */
    if (!op_rule_of(e, &r)) return false;
    bool plain = true;
    for (uint32_t i = 0; i < n && plain; i++) {
        const ir_type *type = i < e->nin ? IR_IN(e, i) : IR_OUT(e, i - e->nin);
        plain = type->rank == r->nfactor;
        for (int d = 0; d < type->rank && plain; d++) {
            const struct op_rule_dim *x = &r->dim[i * IR_RANK + (uint32_t)d];
            plain = x->n == 1 && x->at->factor == d && !x->at->windowed;
        }
    }
    uint32_t *t = new_tensors(s, n);
    for (uint32_t i = 0; i < e->nin; i++) t[i] = s->of[base + e->in[i]];
    for (uint32_t j = 0; j < e->nout; j++) t[e->nin + j] = s->of[base + e->out + j];
    add_step(s, (spmd_step){ .rule = r, .e = e, .nin = e->nin, .ntensor = n, .class = (uint8_t)spmd_class_of(e),
                             .single = single, .plain = plain });
    return true;
}

static bool walk(spmd_propagation *s, const ir_fn *f, uint32_t base, mesh_set manual)
{
    uint32_t *uses = ir_uses(s->a, f);
    for (uint32_t i = 0; i < f->nret; i++) uses[f->ret[i]] -= f->ret[i] == i + 1;    /* returned unchanged: no use */
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (!(e->op->edges ? structural(s, e, base, manual) : edges_plain(s, e, base, uses))) return false;
    }
    return true;
}

/* Fills touch and touched: the steps of each slot, in program order. */
static void index_slots(spmd_propagation *s)
{
    s->touch = BASE_NEW(s->a, uint32_t, s->nslot + 2);
    s->touched = BASE_NEW(s->a, uint32_t, s->ntensor);
    for (uint32_t i = 0; i < s->ntensor; i++) s->touch[s->tensor[i] + 2]++;
    for (uint32_t i = 2; i < s->nslot + 2; i++) s->touch[i] += s->touch[i - 1];
    for (uint32_t k = 0; k < s->nstep; k++)
        for (uint32_t t = 0; t < s->step[k].ntensor; t++) {
            const uint32_t slot = s->tensor[s->step[k].first + t];
            s->touched[s->touch[slot + 1]++] = k;
        }
}

static void scratch(spmd_propagation *s)
{
    uint32_t cells = 1, tensors = 1;
    for (uint32_t k = 0; k < s->nstep; k++) {
        const uint32_t n = s->step[k].ntensor * (uint32_t)s->step[k].rule->nfactor;
        if (n > cells) cells = n;
        if (s->step[k].ntensor > tensors) tensors = s->step[k].ntensor;
    }
    s->cell = BASE_NEW(s->a, spmd_cell, cells);
    s->changed = BASE_NEW(s->a, bool, tensors);
    s->taken = BASE_NEW(s->a, mesh_set, tensors);
    s->dirty = BASE_NEW(s->a, uint64_t, s->nstep / 64 + 1);
}

bool spmd_steps(spmd_propagation *s, const ir_fn *f)
{
    const uint32_t nvalue = count_values(f);
    uint32_t wishes = 0;
    for (uint32_t i = 0; i < f->nret; i++) wishes += (uint32_t)f->type[f->ret[i]]->rank;
    s->top = f;
    s->region = BASE_NEW(s->a, spmd_region, count_regions(f));
    s->of = BASE_NEW(s->a, uint32_t, nvalue);
    s->slot = BASE_NEW(s->a, spmd_slot, nvalue + f->nret + 1);
    s->list = BASE_NEW(s->a, mesh_list, count_dims(f) + wishes + 1);
    s->nslot = 1;                                        /* 0: none */
    const uint32_t base = edges_enter(s, f);
    own_slots(s, f, base, 0);
    if (!walk(s, f, base, 0)) return false;
    s->nflow = s->nstep;
    s->wish = s->nslot;
    for (uint32_t i = 0; i < f->nret; i++) {
        const int rank = f->type[f->ret[i]]->rank;
        const uint32_t pair[2] = { s->of[f->ret[i]], new_slot(s, rank, 0) };
        if (!rank) continue;
        memcpy(new_tensors(s, 2), pair, sizeof pair);
        add_step(s, (spmd_step){ .rule = identity(s, 2, rank), .nin = 1, .ntensor = 2, .class = SPMD_FLOW,
                                 .single = true });
    }
    index_slots(s);
    scratch(s);
    return true;
}
