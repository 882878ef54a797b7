/* op/core/varying.c - the same function for arguments that vary over axes of a checked manual region. A function that
 * was imported, or traced without knowing of the region, has types without states.
 *
 * Equations without regions follow their operands (op_unify). Of an equation with regions, what must share a layout
 * (.edges) shares its state: a loop's carry varies as soon as what its body returns does, so its regions are rebuilt
 * until no state grows. Where what chooses varies (op_chosen_by: the branch that is taken, the end of a loop), so does
 * all that comes out, except what the regions pass on as it is.
 * Functions are rebuilt once for each list of argument types, however many calls there are. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef struct rebuilt { const ir_fn *from; const ir_type *const *arg; ir_fn *to; struct rebuilt *next; } rebuilt;
typedef struct { base_arena *a; rebuilt *done; } varying;

static ir_fn *rebuilt_for(varying *, const ir_fn *, const ir_type *const *arg);

/* f with results that vary over at least the set of each. */
static ir_fn *returning(const varying *v, ir_fn *f, const mesh_set *vary)
{
    bool enough = true;
    for (uint32_t j = 0; j < f->nret; j++) enough &= !(vary[j] & ~f->type[f->ret[j]]->vary);
    if (enough) return f;
    ir_build *const b = ir_begin(v->a, f->name, f->mesh);
    ir_id *const in = IR_NEW(b, ir_id, f->narg + 1), *const out = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 0; i < f->narg; i++) in[i] = ir_arg(b, f->type[i + 1]);
    if (!ir_inline(b, f, in, out)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) out[j] = op_as(b, out[j], ir_type_vary(ir_typeof(b, out[j]), vary[j]));
    ir_fn *const g = ir_end(b, f->nret, out);
    if (g) g->tag = f->tag;
    return g;
}

/* ---- one equation with regions: the states of its groups of edges ---- */

typedef struct { const ir_eqn *e; op_edges t; mesh_set *vary; ir_fn **sub; } grouped;

/* Adds a set to the state of a group. True if the state has grown. */
static bool widen(grouped *g, int group, mesh_set by)
{
    const mesh_set before = g->vary[group];
    g->vary[group] |= by;
    return g->vary[group] != before;
}

/* True if the group's value is returned, and each region that returns it returns its parameter of that group, as a
 * loop's body does with an invariant. */
static bool passed_on(const grouped *g, int group)
{
    bool is = false;
    for (int k = 0; k < g->t.n; k++) {
        const op_edge_end *const at = &g->t.at[k];
        if (at->group != group || at->end != OP_RETURN) continue;
        const ir_id ret = g->e->sub[at->sub]->ret[at->index];
        is = false;
        for (int i = 0; i < g->t.n && !is; i++) {
            const op_edge_end *const p = &g->t.at[i];
            is = p->group == group && p->end == OP_PARAM && p->sub == at->sub && ret == (ir_id)p->index + 1;
        }
        if (!is) return false;
    }
    return is;
}

/* What chooses varies over `by`: so does what it chooses. True if a state has grown. */
static bool decided(grouped *g, mesh_set by)
{
    bool grew = false;
    for (int k = 0; by && k < g->t.n; k++)
        if (!passed_on(g, g->t.at[k].group)) grew |= widen(g, g->t.at[k].group, by);
    return grew;
}

/* Region s for the states that its parameters have now. */
static bool rebuild(varying *v, grouped *g, int s)
{
    const ir_fn *const f = g->e->sub[s];
    const ir_type **const arg = BASE_NEW(v->a, const ir_type *, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) arg[i] = f->type[i + 1];
    for (int k = 0; k < g->t.n; k++) {
        const op_edge_end *const at = &g->t.at[k];
        if (at->end != OP_PARAM || at->sub != s) continue;
        arg[at->index] = ir_type_vary(arg[at->index], (mesh_set)(arg[at->index]->vary | g->vary[at->group]));
    }
    return (g->sub[s] = rebuilt_for(v, f, arg)) != NULL;
}

/* True if what the regions return has widened the state of a group. */
static bool returned(grouped *g)
{
    bool grew = false;
    for (int k = 0; k < g->t.n; k++) {
        const op_edge_end *const at = &g->t.at[k];
        const ir_fn *const f = at->end == OP_RETURN ? g->sub[at->sub] : NULL;
        if (f) grew |= widen(g, at->group, f->type[f->ret[at->index]]->vary);
    }
    if (g->t.chosen && g->t.by.end == OP_RETURN) {
        const ir_fn *const f = g->sub[g->t.by.sub];
        grew |= decided(g, f->type[f->ret[g->t.by.index]]->vary);
    }
    return grew;
}

static bool regions(varying *v, ir_build *b, grouped *g, const ir_id *x)
{
    for (int k = 0; k < g->t.n; k++)
        if (g->t.at[k].end == OP_OPERAND) widen(g, g->t.at[k].group, ir_typeof(b, x[g->t.at[k].index])->vary);
    if (g->t.chosen && g->t.by.end == OP_OPERAND) decided(g, ir_typeof(b, x[g->t.by.index])->vary);
    do {
        for (uint32_t s = 0; s < g->e->nsub; s++) if (!rebuild(v, g, (int)s)) return false;
    } while (returned(g));
    for (uint32_t s = 0; s < g->e->nsub; s++) {
        mesh_set *const vary = BASE_NEW(v->a, mesh_set, g->sub[s]->nret + 1);
        for (int k = 0; k < g->t.n; k++)
            if (g->t.at[k].end == OP_RETURN && g->t.at[k].sub == (int)s)
                vary[g->t.at[k].index] = g->vary[g->t.at[k].group];
        if (!(g->sub[s] = returning(v, g->sub[s], vary))) return false;
    }
    return true;
}

/* The ends that share a state: edges, but all are one group where edges do not list all of them. */
static void ends_of(const ir_eqn *e, op_edges *t)
{
    e->op->edges(e, t);
    if (!t->unlisted) return;
    t->n = 0;
    for (uint32_t i = 0; i < e->nin; i++) op_edge(t, 0, OP_OPERAND, 0, (int)i, 0);
    for (uint32_t s = 0; s < e->nsub; s++) {
        for (uint32_t i = 0; i < e->sub[s]->narg; i++) op_edge(t, 0, OP_PARAM, (int)s, (int)i, 0);
        for (uint32_t j = 0; j < e->sub[s]->nret; j++) op_edge(t, 0, OP_RETURN, (int)s, (int)j, 0);
    }
}

static ir_id with_regions(varying *v, ir_build *b, const ir_eqn *e, ir_id *x)
{
    grouped g = { .e = e, .t = { .arena = v->a }, .sub = IR_NEW(b, ir_fn *, e->nsub + 1) };
    int most = 0;
    ends_of(e, &g.t);
    for (int k = 0; k < g.t.n; k++) if (g.t.at[k].group > most) most = g.t.at[k].group;
    g.vary = IR_NEW(b, mesh_set, most + 1);
    if (!regions(v, b, &g, x)) return 0;
    for (int k = 0; k < g.t.n; k++) {
        const op_edge_end *const at = &g.t.at[k];
        if (at->end == OP_OPERAND)
            x[at->index] = op_as(b, x[at->index], ir_type_vary(ir_typeof(b, x[at->index]), g.vary[at->group]));
    }
    return ir_emit(b, e->op, e->attr, e->nin, x, e->nsub, g.sub);
}

static bool follow(varying *v, ir_build *b, const ir_eqn *e, ir_id *map)
{
    ir_id *const x = IR_NEW(b, ir_id, e->nin + 1);
    bool same = true;
    for (uint32_t i = 0; i < e->nin; i++) {
        x[i] = map[e->in[i]];
        same &= ir_typeof(b, x[i]) == IR_IN(e, i);
    }
    ir_site(b, e->site);
    if (e->op == &prim_to_varying) return (map[e->out] = op_as(b, x[0], IR_OUT(e, 0))) != 0;     /* if not by now */
    const ir_id y = same || !e->nsub || !e->op->edges ? ir_clone(b, e, x) : with_regions(v, b, e, x);
    for (uint32_t j = 0; j < e->nout; j++) map[e->out + j] = y + j;
    return y || !e->nout;
}

static ir_fn *rebuilt_for(varying *v, const ir_fn *f, const ir_type *const *arg)
{
    for (const rebuilt *r = v->done; r; r = r->next)
        if (r->from == f && !memcmp(r->arg, arg, f->narg * sizeof(const ir_type *))) return r->to;
    ir_build *const b = ir_begin(v->a, f->name, f->mesh);
    ir_id *const map = IR_NEW(b, ir_id, f->nvalue + 1), *const ret = IR_NEW(b, ir_id, f->nret + 1);
    for (uint32_t i = 0; i < f->narg; i++) map[i + 1] = ir_arg(b, arg[i]);
    for (uint32_t k = 0; k < f->neqn; k++) if (!follow(v, b, &f->eqn[k], map)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) ret[j] = map[f->ret[j]];
    rebuilt *const r = BASE_NEW(v->a, rebuilt, 1);
    *r = (rebuilt){ f, arg, ir_end(b, f->nret, ret), v->done };
    if (!r->to) return NULL;
    r->to->tag = f->tag;
    v->done = r;
    return r->to;
}

ir_fn *op_varying(base_arena *a, const ir_fn *f, const ir_type *const *arg)
{
    varying v = { a, NULL };
    for (uint32_t i = 0; i < f->narg; i++) if (arg[i] != f->type[i + 1]) return rebuilt_for(&v, f, arg);
    return (ir_fn *)(uintptr_t)f;
}
