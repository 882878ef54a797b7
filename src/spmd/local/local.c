/* spmd/local/local.c - a partitioned function as one manual region over all axes: what each device computes on its
 * parts, and the collectives between them.
 *
 * The result is a function of the same types, whose only equation is the region; a dim in parts of different sizes is
 * as long as all blocks together (uneven.c). The function is on a mesh with one axis for each atom, so that collectives
 * over parts of an axis have names. Each equation becomes the same equation on parts, with the attributes of the parts'
 * shapes (shapes.c, indices.c, draws.c, sums.c), each reshard a sequence of collectives (moves.c). Manual regions of
 * the program dissolve in it. What it computes is what the partitioner chose: explain's report holds for it.
 *
 * Not expressible, and an error that names the equation: what a rule refuses (spmd_local_none). */
#include "local.h"
#include "../../op/ops.h"

#include <string.h>

/* ---- the mesh of atoms ---- */

static bool local_taken(const mesh *m, base_text *text, const char *name)
{
    for (int i = 0; i < m->naxis; i++) if (!strcmp(m->axis[i].name, name)) return true;
    return text->n && strstr(text->s, base_format(text->arena, " %s:", name));
}

/* An axis of one atom keeps its name; others are data_0, data_1, ... */
static const mesh *local_mesh(base_arena *a, const mesh *m)
{
    base_text t = { .arena = a };
    for (int i = 0; i < m->naxis; i++) {
        const mesh_axis *const x = &m->axis[i];
        for (int k = 0; k < x->natom; k++) {
            const char *name = x->natom == 1 ? x->name : base_format(a, "%s_%d", x->name, k);
            while (x->natom > 1 && local_taken(m, &t, name)) name = base_format(a, "%s_", name);
            base_appendf(&t, "%s %s:%u", t.n ? "," : "", name, m->atom[x->first + k]);
        }
    }
    if (!m->order) return mesh_of(NULL, t.s);
    int64_t *const ids = BASE_NEW(a, int64_t, mesh_size(m));
    for (int64_t i = 0; i < mesh_size(m); i++) ids[i] = m->order[i];
    return mesh_ordered(NULL, t.s, ids);
}

/* ---- equations ---- */

ir_fn *spmd_local_scalars(spmd_local_part *p, const ir_fn *f)
{
    ir_build *const b = ir_region(p->b, f->name);
    spmd_local_part q = { .l = p->l, .f = f, .b = b };
    ir_id *const ret = BASE_NEW(p->l->a, ir_id, f->nret + 1), *const map = BASE_NEW(p->l->a, ir_id, f->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++)
        map[i] = ir_arg(b, ir_type_of(f->type[i]->dtype, f->type[i]->rank, f->type[i]->dim));
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        ir_id *const x = BASE_NEW(p->l->a, ir_id, e->nin + 1);
        ir_fn **const sub = BASE_NEW(p->l->a, ir_fn *, e->nsub + 1);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = map[e->in[i]];
        for (uint32_t s = 0; s < e->nsub; s++) if (!(sub[s] = spmd_local_scalars(&q, e->sub[s]))) return NULL;
        ir_site(b, e->site);
        const ir_id y = ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, sub);
        if (!y && e->nout) return NULL;
        for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    }
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    return ir_end(b, f->nret, ret);
}

bool spmd_local_emit(spmd_local_eqn *e, const void *attr, ir_id *y)
{
    spmd_local_part *const p = e->p;
    ir_fn **const sub = BASE_NEW(p->l->a, ir_fn *, e->e->nsub + 1);
    for (uint32_t s = 0; s < e->e->nsub; s++) if (!(sub[s] = spmd_local_scalars(p, e->e->sub[s]))) return false;
    const ir_id first = ir_emit(p->b, e->e->op, attr, e->e->nin, e->x, e->e->nsub, sub);
    for (uint32_t j = 0; j < e->e->nout; j++) y[j] = first + j;
    return first || (!e->e->nout && !base_failed());
}

bool spmd_local_as_is(spmd_local_eqn *e, ir_id *y) { return spmd_local_emit(e, e->e->attr, y); }

/* A collective that the program has: over the atoms of its axes, in a region whose types say nothing of variation. */
static bool local_collective(spmd_local_eqn *e, ir_id *y)
{
    const op_prim *const op = e->e->op;
    const mesh *const m = e->p->l->from;
    const ir_names axes = *(const ir_names *)e->e->attr;         /* the first member of all their attributes */
    mesh_list atoms = 0;
    char *const attr = BASE_NEW(e->p->l->a, char, op->attr);
    memcpy(attr, e->e->attr, op->attr);
    for (int i = 0; i < axes.n; i++) {
        const mesh_list l = mesh_axis_list(m, axes.v[i]);
        for (int k = 0; k < mesh_list_n(l); k++) atoms = mesh_list_push(atoms, mesh_list_at(l, k));
    }
    const ir_names now = spmd_local_axes(e->p->l, atoms);
    memcpy(attr, &now, sizeof now);
    for (const ir_field *f = op->field; f->name; f++)
        if (!strcmp(f->name, "unchecked")) *(bool *)(attr + f->at) = true;
    return spmd_local_emit(e, attr, y);
}

static const struct { const op_prim *op; spmd_local_rule *rule; bool windows; } rules[] = {
    { &prim_const, spmd_local_const, false },
    { &prim_iota, spmd_local_iota, false },
    { &prim_broadcast_in_dim, spmd_local_broadcast, false },
    { &prim_reshape, spmd_local_reshape, false },
    { &prim_slice, spmd_local_slice, true },
    { &prim_pad, spmd_local_pad, true },
    { &prim_concatenate, spmd_local_concatenate, true },
    { &prim_reverse, spmd_local_reverse, true },
    { &prim_dynamic_slice, spmd_local_dynamic_slice, false },
    { &prim_dynamic_update_slice, spmd_local_dynamic_update_slice, false },
    { &prim_gather, spmd_local_gather, false },
    { &prim_scatter, spmd_local_scatter, false },
    { &prim_scatter_together, spmd_local_scatter_together, false },
    { &prim_random_bits, spmd_local_random_bits, false },
    { &prim_reduce, spmd_local_reduce, false },
    { &prim_dot_general, spmd_local_dot_general, false },
    { &prim_reduce_window, spmd_local_reduce_window, true },
    { &prim_select_and_scatter, spmd_local_select, true },
    { &prim_select_and_gather, spmd_local_select, true },
    { &prim_convolution, spmd_local_convolution, true },
};

/* Sets the layouts that the factor sharding gives. */
static bool local_needs(spmd_local_eqn *e)
{
    const uint32_t n = e->e->nin + e->e->nout;
    op_rule *r;
    spmd_choice c = { .nfactor = e->e->sharding->nfactor };
    if (!op_rule_of(e->e, &r)) return false;
    e->rule = r;
    e->need = BASE_NEW(e->p->l->a, spmd_sharding, n + 1);
    memcpy(c.atoms, e->e->sharding->atoms, (size_t)c.nfactor * sizeof *c.atoms);
    const spmd_problem q = { .e = e->e, .rule = r };
    for (uint32_t t = 0; t < n; t++) e->need[t] = spmd_tensor(&q, &c, (int)t);
    return true;
}

/* Takes the part of an operand that the sharding needs where the device has more. */
static bool local_operand(spmd_local_eqn *e, uint32_t i)
{
    const spmd_sharding has = spmd_sharding_of(e->p->f->layout[e->e->in[i]]);
    for (int d = 0; d < has.rank; d++)
        if (!spmd_is_prefix(has.dim[d], e->need[i].dim[d]))
            return base_bug(e->e->site, "operand %u of %s is in other parts", i, e->e->op->name);
    if (!spmd_local_type(e->p, e->e->site, IR_IN(e->e, i), &e->need[i])) return false;
    return (e->x[i] = spmd_local_take(e->p, e->x[i], IR_IN(e->e, i), has.dim, e->need[i].dim)) != 0;
}

/* False with the error set: a result is no part of what the layout says. */
static bool local_checked(const spmd_local_part *p, const ir_eqn *e, const ir_id *y)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        const spmd_sharding at = spmd_sharding_of(p->f->layout[e->out + j]);
        const ir_type *const want = spmd_local_type(p, e->site, IR_OUT(e, j), &at), *const is = ir_typeof(p->b, y[j]);
        if (!want || !is) return false;
        if (want->dtype != is->dtype || !ir_same_dims(want, is))
            return spmd_local_none(e, base_format(p->l->a, "it gives %s for %s", ir_type_text(p->l->a, is),
                                                  ir_type_text(p->l->a, want)));
    }
    return true;
}

static bool local_plain(spmd_local_part *p, const ir_eqn *e)
{
    spmd_local_eqn q = { p, e, NULL, NULL, BASE_NEW(p->l->a, ir_id, e->nin + 1) };
    spmd_local_rule *rule = spmd_local_as_is;
    bool windows = false, takes = false;
    const bool made = !e->nin && e->nout == 1;           /* a constant that was made anew in a layout */
    for (size_t i = 0; i < sizeof rules / sizeof *rules && (e->sharding || made); i++)
        if (rules[i].op == e->op) rule = rules[i].rule, takes = rules[i].windows;
    if (e->op->kernel == OP_EXCHANGE) rule = local_collective;
    for (uint32_t i = 0; i < e->nin; i++) q.x[i] = p->map[e->in[i]];
    if (e->sharding && !local_needs(&q)) return false;
    if (!e->sharding && made) {
        q.need = BASE_NEW(p->l->a, spmd_sharding, 1);
        *q.need = spmd_sharding_of(p->f->layout[e->out]);
    }
    for (uint32_t i = 0; i < e->nin && e->sharding; i++) {
        bool window = false;
        for (int d = 0; d < IR_IN(e, i)->rank; d++) window |= spmd_local_windowed(&q, (int)i, d);
        windows |= window;
        if (!window && !local_operand(&q, i)) return false;
    }
    if (windows && !takes) return spmd_local_none(e, "a dim that its windows run along is in parts");
    for (int k = 0; e->sharding && k < q.rule->nfactor; k++)
        if (spmd_local_uneven(p, e->sharding->atoms[k], q.rule->factor[k].size) && !spmd_may_differ(e, q.rule, k))
            return spmd_local_none(e, "a dim that it combines along, or at indices, is in parts of different sizes");
    return rule(&q, p->map + e->out) && local_checked(p, e, p->map + e->out);
}

bool spmd_local_walk(spmd_local_part *p)
{
    for (uint32_t k = 0; k < p->f->neqn; k++) {
        const ir_eqn *const e = &p->f->eqn[k];
        bool known = false;
        ir_site(p->b, e->site);
        if (!spmd_local_region(p, e, &known)) return false;
        if (known ? !local_checked(p, e, p->map + e->out) : !local_plain(p, e)) return false;
    }
    return true;
}

/* ---- the function ---- */

static ir_fn *local_body(spmd_local_fn *l, ir_build *outer, const ir_fn *f)
{
    spmd_local_part p = { .l = l, .f = f, .b = ir_region(outer, f->name) };
    ir_id *const ret = BASE_NEW(l->a, ir_id, f->nret + 1);
    p.map = BASE_NEW(l->a, ir_id, f->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++) {
        const spmd_sharding at = spmd_sharding_of(f->layout[i]);
        const ir_type *const t = spmd_local_type(&p, NULL, f->type[i], &at);
        if (!t) return NULL;
        p.map[i] = ir_arg(p.b, t);
    }
    if (!spmd_local_walk(&p)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = p.map[f->ret[j]];
    return ir_end(p.b, f->nret, ret);
}

/* The type of all devices' blocks together. */
static const ir_type *local_padded(spmd_local_fn *l, const ir_type *t, const mesh_layout *on)
{
    const spmd_local_part p = { .l = l };
    int64_t dim[IR_RANK + 1];
    for (int d = 0; d < t->rank; d++)
        dim[d] = spmd_local_most(&p, on->dim[d].atoms, t->dim[d]) * mesh_list_size(l->from, on->dim[d].atoms);
    return ir_type_of(t->dtype, t->rank, dim);
}

ir_fn *spmd_localize(base_arena *a, const ir_fn *f)
{
    spmd_local_fn l = { a, f->mesh, NULL, BASE_NEW(a, spmd_state, 1) };
    if (!f->mesh || !f->layout) return base_bug(NULL, "%s is not partitioned", f->name), NULL;
    *l.state = (spmd_state){ .a = a, .mesh = f->mesh, .times = 1 };
    spmd_machine_set(l.state, NULL);
    if (!(l.to = local_mesh(a, f->mesh))) return NULL;
    ir_build *const b = ir_begin(a, f->name, l.to);
    ir_id *const x = BASE_NEW(a, ir_id, f->narg + 1), *const y = BASE_NEW(a, ir_id, f->nret + 1);
    base_name *const axis = BASE_NEW(a, base_name, l.to->naxis);
    const mesh_layout **const in = BASE_NEW(a, const mesh_layout *, f->narg + 1),
                      **const out = BASE_NEW(a, const mesh_layout *, f->nret + 1);
    for (int i = 0; i < l.to->naxis; i++) axis[i] = l.to->axis[i].name;
    for (uint32_t i = 0; i < f->narg; i++) {
        const ir_type *const t = local_padded(&l, f->type[1 + i], f->layout[1 + i]);
        if (!t) return NULL;
        x[i] = ir_arg(b, t);
        in[i] = spmd_local_layout(&l, f->layout[1 + i]);
    }
    for (uint32_t j = 0; j < f->nret; j++) out[j] = spmd_local_layout(&l, f->layout[f->ret[j]]);
    ir_fn *const body = local_body(&l, b, f);
    const op_manual_attr attr = { { l.to->naxis, axis }, { (int)f->narg, in }, { (int)f->nret, out }, true };
    const ir_id first = body ? ir_emit(b, &prim_manual, &attr, f->narg, x, 1, &body) : 0;
    for (uint32_t j = 0; j < f->nret; j++) y[j] = first ? first + j : 0;
    ir_fn *const g = first || (body && !f->nret) ? ir_end(b, f->nret, y) : NULL;
    if (!g) return NULL;
    g->layout = BASE_NEW(a, const mesh_layout *, g->nvalue + 1);
    for (uint32_t i = 0; i < f->narg; i++) g->layout[1 + i] = in[i];
    for (uint32_t j = 0; j < f->nret; j++) g->layout[g->ret[j]] = out[j];
    g->donate = f->donate, g->tag = f->tag;
    return g;
}
