/* spmd/local/local.c - a partitioned function as one manual region over all axes: what each device computes on its
 * parts, and the collectives between them.
 *
 * The result is a function of the same types, whose only equation is the region; a dim in parts of different sizes is
 * as long as all blocks together (op/local/uneven.c). The function is on a mesh with one axis for each atom, so that
 * collectives over parts of an axis have names. Each equation becomes the same equation on parts, by its primitive's
 * .local (op/local/local.h), each reshard a sequence of collectives (moves.c). Manual regions of the program dissolve
 * in it. What it computes is what the partitioner chose: explain's report holds for it. A choice that has no local form
 * (op_local_refuses), which the option .apart of the partitioner avoids, is an error that names the equation. */
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

/* A collective that the program has: over the atoms of its axes, in a region whose types say nothing of variation. */
static bool local_collective(op_local *e, ir_id *y)
{
    const op_prim *const op = e->e->op;
    const mesh *const m = e->p->from;
    const ir_names axes = *(const ir_names *)e->e->attr;         /* the first member of all their attributes */
    mesh_list atoms = 0;
    char *const attr = BASE_NEW(e->p->a, char, op->attr);
    memcpy(attr, e->e->attr, op->attr);
    for (int i = 0; i < axes.n; i++) atoms = mesh_list_join(atoms, mesh_axis_list(m, axes.v[i]));
    const ir_names now = op_local_axes(e->p, atoms);
    memcpy(attr, &now, sizeof now);
    for (const ir_field *f = op->field; f->name; f++)
        if (!strcmp(f->name, "unchecked")) *(bool *)(attr + f->at) = true;
    return op_local_emit(e, attr, y);
}

typedef struct { op_local of; spmd_local_part *p; } local_eqn;   /* of: the first member */

/* Moves an operand from the layout that it has. */
static bool local_bring(op_local *of, int i, const mesh_list *dim)
{
    const local_eqn *const e = (const local_eqn *)of;
    const mesh_layout *const l = e->p->f->layout[of->e->in[i]];
    const spmd_sharding has = spmd_sharding_of(l);
    spmd_sharding to = has;
    memcpy(to.dim, dim, (size_t)has.rank * sizeof *dim);
    of->x[i] = spmd_local_move(e->p, of->e->site, of->x[i], IR_IN(of->e, i), &has, &to, l->reduce, l->reduce);
    return of->x[i] != 0;
}

/* Sets the layouts that the factor sharding gives, and those that the operands have. */
static bool local_needs(local_eqn *e)
{
    const ir_eqn *const eqn = e->of.e;
    base_arena *const a = e->p->on.a;
    const uint32_t n = eqn->nin + eqn->nout;
    op_rule *r;
    spmd_choice c = { .nfactor = eqn->sharding->nfactor };
    if (!op_rule_of(eqn, &r)) return false;
    e->of.c.rule = r, e->of.c.atoms = eqn->sharding->atoms;
    e->of.need = base_new(a, (n + 1) * sizeof *e->of.need);
    e->of.has = base_new(a, (n + 1) * sizeof *e->of.has);
    memcpy(c.atoms, eqn->sharding->atoms, (size_t)c.nfactor * sizeof *c.atoms);
    const spmd_problem q = { .e = eqn, .rule = r };
    for (uint32_t t = 0; t < n; t++) {
        const spmd_sharding need = spmd_tensor(&q, &c, (int)t),
                            has = spmd_sharding_of(e->p->f->layout[t < eqn->nin ? eqn->in[t]
                                                                               : eqn->out + t - eqn->nin]);
        memcpy(e->of.need[t], need.dim, sizeof need.dim);
        memcpy(e->of.has[t], has.dim, sizeof has.dim);
    }
    const char *const why = op_local_refuses(&e->of.c);
    return !why || op_local_none(eqn, why);
}

/* Takes the part of an operand that the sharding needs where the device has more. */
static bool local_operand(op_local *e, uint32_t i)
{
    const ir_type *const t = IR_IN(e->e, i);
    for (int d = 0; d < t->rank; d++)
        if (!spmd_is_prefix(e->has[i][d], e->need[i][d]))
            return base_bug(e->e->site, "operand %u of %s is in other parts", i, e->e->op->name);
    if (!op_local_type(e->p, e->e->site, t, e->need[i])) return false;
    return (e->x[i] = op_local_take(e->p, e->x[i], t, e->has[i], e->need[i])) != 0;
}

/* False with the error set: a result is no part of what the layout says. */
static bool local_checked(const spmd_local_part *p, const ir_eqn *e, const ir_id *y)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        const spmd_sharding at = spmd_sharding_of(p->f->layout[e->out + j]);
        const ir_type *const want = op_local_type(&p->on, e->site, IR_OUT(e, j), at.dim),
                      *const is = ir_typeof(p->on.b, y[j]);
        if (!want || !is) return false;
        if (want->dtype != is->dtype || !ir_same_dims(want, is))
            return op_local_none(e, base_format(p->on.a, "it gives %s for %s", ir_type_text(p->on.a, is),
                                                ir_type_text(p->on.a, want)));
    }
    return true;
}

static bool local_plain(spmd_local_part *p, const ir_eqn *e)
{
    local_eqn q = { { { p->on.from, e, NULL, NULL }, e, &p->on, NULL, NULL, BASE_NEW(p->on.a, ir_id, e->nin + 1),
                      local_bring }, p };
    const op_local_form *const form = e->op->local;
    const bool made = !e->nin && e->nout == 1;           /* a constant that was made anew in a layout */
    for (uint32_t i = 0; i < e->nin; i++) q.of.x[i] = p->map[e->in[i]];
    if (e->sharding && !local_needs(&q)) return false;
    if (!e->sharding && made) {
        const spmd_sharding at = spmd_sharding_of(p->f->layout[e->out]);
        q.of.need = base_new(p->on.a, sizeof *q.of.need);
        memcpy(q.of.need[0], at.dim, sizeof at.dim);
    }
    for (uint32_t i = 0; i < e->nin && e->sharding; i++) {
        bool window = false;
        for (int d = 0; d < IR_IN(e, i)->rank; d++) window |= op_local_windowed(&q.of.c, (int)i, d);
        if (!window && !local_operand(&q.of, i)) return false;
    }
    ir_id *const y = p->map + e->out;
    const bool done = e->op->kernel == OP_EXCHANGE              ? local_collective(&q.of, y)
                      : form && (e->sharding || made)           ? form->rule(&q.of, y)
                                                                : op_local_as_is(&q.of, y);
    return done && local_checked(p, e, y);
}

bool spmd_local_walk(spmd_local_part *p)
{
    for (uint32_t k = 0; k < p->f->neqn; k++) {
        const ir_eqn *const e = &p->f->eqn[k];
        bool known = false;
        ir_site(p->on.b, e->site);
        if (!spmd_local_region(p, e, &known)) return false;
        if (known ? !local_checked(p, e, p->map + e->out) : !local_plain(p, e)) return false;
    }
    return true;
}

/* ---- the function ---- */

static ir_fn *local_body(spmd_local_part p, const ir_fn *f)      /* p: of the caller */
{
    ir_id *const ret = BASE_NEW(p.on.a, ir_id, f->nret + 1);
    p.on.b = ir_region(p.on.b, f->name), p.f = f;
    p.map = BASE_NEW(p.on.a, ir_id, f->nvalue + 1);
    for (uint32_t i = 1; i <= f->narg; i++) {
        const spmd_sharding at = spmd_sharding_of(f->layout[i]);
        const ir_type *const t = op_local_type(&p.on, NULL, f->type[i], at.dim);
        if (!t) return NULL;
        p.map[i] = ir_arg(p.on.b, t);
    }
    if (!spmd_local_walk(&p)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = p.map[f->ret[j]];
    return ir_end(p.on.b, f->nret, ret);
}

/* The type of all devices' blocks together. */
static const ir_type *local_padded(const mesh *m, const ir_type *t, const mesh_layout *on)
{
    int64_t dim[IR_RANK + 1];
    for (int d = 0; d < t->rank; d++)
        dim[d] = op_local_most(m, on->dim[d].atoms, t->dim[d]) * mesh_list_size(m, on->dim[d].atoms);
    return ir_type_of(t->dtype, t->rank, dim);
}

static const mesh_layout *local_layout(const mesh *to, const mesh_layout *from)  /* the same on the mesh of atoms */
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int d = 0; d < from->rank; d++) dim[d] = from->dim[d].atoms;
    return mesh_layout_dims(to, from->rank, dim);
}

ir_fn *spmd_localize(base_arena *a, const ir_fn *f)
{
    if (!f->mesh || !f->layout) return base_bug(NULL, "%s is not partitioned", f->name), NULL;
    spmd_local_part p = { .on = { .a = a, .from = f->mesh, .to = local_mesh(a, f->mesh) },
                          .state = BASE_NEW(a, spmd_state, 1) };
    *p.state = (spmd_state){ .a = a, .mesh = f->mesh, .times = 1 };
    spmd_machine_set(p.state, NULL);
    const mesh *const to = p.on.to;
    if (!to) return NULL;
    ir_build *const b = p.on.b = ir_begin(a, f->name, to);
    ir_id *const x = BASE_NEW(a, ir_id, f->narg + 1), *const y = BASE_NEW(a, ir_id, f->nret + 1);
    base_name *const axis = BASE_NEW(a, base_name, to->naxis);
    const mesh_layout **const in = BASE_NEW(a, const mesh_layout *, f->narg + 1),
                      **const out = BASE_NEW(a, const mesh_layout *, f->nret + 1);
    for (int i = 0; i < to->naxis; i++) axis[i] = to->axis[i].name;
    for (uint32_t i = 0; i < f->narg; i++) {
        const ir_type *const t = local_padded(f->mesh, f->type[1 + i], f->layout[1 + i]);
        if (!t) return NULL;
        x[i] = ir_arg(b, t);
        in[i] = local_layout(to, f->layout[1 + i]);
    }
    for (uint32_t j = 0; j < f->nret; j++) out[j] = local_layout(to, f->layout[f->ret[j]]);
    ir_fn *const body = local_body(p, f);
    const op_manual_attr attr = { { to->naxis, axis }, { (int)f->narg, in }, { (int)f->nret, out }, true };
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
