/* fuzz/cuts.h - a partitioner that chooses at random among all that is legal: every factor that may be cut is, windows
 * too; operands of windows are anyhow; sums stay unreduced for a while, become scattered, or finish in two steps;
 * carries of loops are at random and may be partial sums. What it emits, the plan and the engine must execute. */
#ifndef TUTTI_TESTS_FUZZ_CUTS_H
#define TUTTI_TESTS_FUZZ_CUTS_H

#include "pass/pass.h"
#include "spmd/spmd.h"
#include "choices.h"
#include "op/ops.h"

typedef struct {
    base_arena *a; const mesh *m; bool reproducible;
    uint64_t *state; mesh_set busy;                      /* atoms of manual regions around */
    const ir_fn *from; ir_build *b; ir_id *map;
    const mesh_layout **layout; uint32_t nlayout;
    const spmd_factor_sharding **cut; uint32_t ncut;
} cutter;

static uint32_t roll(cutter *c, uint32_t n) { return (uint32_t)((fuzz_mix(c->state) >> 20) % n); }

static void cut_layout(cutter *c, ir_id id, const mesh_layout *l)
{
    if (id >= c->nlayout) {
        const mesh_layout **grown = BASE_NEW(c->a, const mesh_layout *, 2 * id + 64);
        if (c->nlayout) memcpy(grown, c->layout, c->nlayout * sizeof *grown);
        c->layout = grown;
        c->nlayout = 2 * id + 64;
    }
    c->layout[id] = l;
}

static void cut_of_last(cutter *c, const spmd_factor_sharding *sharding)
{
    const uint32_t k = ir_build_fn(c->b)->neqn - 1;
    if (k >= c->ncut) {
        const spmd_factor_sharding **grown = BASE_NEW(c->a, const spmd_factor_sharding *, 2 * k + 64);
        if (c->ncut) memcpy(grown, c->cut, c->ncut * sizeof *grown);
        c->cut = grown;
        c->ncut = 2 * k + 64;
    }
    c->cut[k] = sharding;
}

/* Any layout of free atoms; sums: some atoms may be partial sums. */
static const mesh_layout *any_layout(cutter *c, const ir_type *t, bool sums)
{
    mesh_dim dim[IR_RANK + 1] = { 0 };
    mesh_layout l = { .mesh = c->m, .rank = t->rank, .dim = dim };
    const int first = (int)roll(c, (uint32_t)c->m->natom);
    for (int i = 0; i < c->m->natom; i++) {
        const int a = (first + i) % c->m->natom;
        const uint32_t d = roll(c, (uint32_t)t->rank + 2);
        if (c->busy >> a & 1) continue;
        if (d < (uint32_t)t->rank) dim[d].atoms = mesh_list_push(dim[d].atoms, a);
        else if (sums && d == (uint32_t)t->rank) l.partial |= (mesh_set)(1u << a), l.reduce = MESH_SUM;
    }
    return mesh_intern(&l);
}

static ir_id lay(cutter *c, ir_id v, const mesh_layout *to)
{
    if (!v || c->layout[v] == to) return v;
    const ir_id y = ir_emit(c->b, &prim_reshard, &(op_layout_attr){ { 1, &to } }, 1, &v, 0, NULL);
    if (y) cut_layout(c, y, to);
    return y;
}

/* No sums left; perhaps scattered on the way, perhaps in two steps. */
static ir_id closed(cutter *c, ir_id v)
{
    if (!v || !c->layout[v]->partial) return v;
    mesh_layout l = *c->layout[v];
    if (roll(c, 3) == 0) {                               /* part of the sum first */
        l.partial &= (mesh_set)fuzz_mix(c->state);
        if (!(v = lay(c, v, mesh_intern(&l)))) return 0;
    }
    if (roll(c, 2)) return lay(c, v, any_layout(c, ir_typeof(c->b, v), false));
    l.partial = 0;
    l.reduce = MESH_NONE;
    return lay(c, v, mesh_intern(&l));
}

/* A value is one number for all who read it: its sum is finished once. */
static ir_id finished(cutter *c, ir_id old) { return c->map[old] = closed(c, c->map[old]); }

static const ir_type *tensor_of(const ir_eqn *e, int t)
{
    return t < (int)e->nin ? IR_IN(e, t) : IR_OUT(e, t - (int)e->nin);
}

/* True if dims of several factors may be cut so: a minor factor only inside single elements of the major
 * factors, evenly. */
static bool lists_fit(cutter *c, const ir_eqn *e, const op_rule *r, const mesh_list *atoms)
{
    for (int t = 0; t < r->ntensor; t++) {
        mesh_set seen = 0;
        for (int d = 0; d < tensor_of(e, t)->rank; d++) {
            const struct op_rule_dim *at = &r->dim[t * IR_RANK + d];
            bool open = true;
            for (int i = 0; i < at->n; i++) {
                const int f = at->at[i].factor;
                if (seen & mesh_list_set(atoms[f])) return false;
                seen |= mesh_list_set(atoms[f]);
                if (at->n == 1 || !mesh_list_n(atoms[f])) { open &= r->factor[f].size == 1; continue; }
                if (!open || at->at[i].windowed || r->factor[f].size % mesh_list_size(c->m, atoms[f])) return false;
                open = mesh_list_size(c->m, atoms[f]) == r->factor[f].size;
            }
        }
    }
    return true;
}

static mesh_reduce sums_leave(const cutter *c, const ir_eqn *e)
{
    const mesh_reduce reduce = e->op->partial ? e->op->partial(e) : MESH_NONE;
    bool inexact = false;
    for (uint32_t j = 0; j < e->nout; j++) inexact |= ir_dtype_of(IR_OUT(e, j)->dtype)->cls >= IR_FLOAT_CLASS;
    return c->reproducible && inexact && (reduce == MESH_SUM || reduce == MESH_PROD) ? MESH_NONE : reduce;
}

static void some_cut(cutter *c, const ir_eqn *e, const op_rule *r, mesh_reduce reduce, mesh_list *atoms)
{
    const int first = (int)roll(c, (uint32_t)c->m->natom);
    for (int i = 0; i < c->m->natom && r->nfactor; i++) {
        const int a = (first + i) % c->m->natom, f = (int)roll(c, (uint32_t)r->nfactor);
        const op_factor_kind k = r->factor[f].kind;
        if (c->busy >> a & 1 || k == OP_NEED_REPLICATION || (k == OP_REDUCTION && reduce == MESH_NONE) ||
            roll(c, 5) == 0) continue;
        const mesh_list was = atoms[f];
        atoms[f] = mesh_list_push(was, a);
        if (!lists_fit(c, e, r, atoms)) atoms[f] = was;
    }
}

static const mesh_layout *cut_tensor(cutter *c, const ir_eqn *e, const op_rule *r, const mesh_list *atoms, int t,
                                     mesh_reduce reduce)
{
    mesh_dim dim[IR_RANK + 1] = { 0 };
    mesh_layout l = { .mesh = c->m, .rank = tensor_of(e, t)->rank, .dim = dim };
    for (int d = 0; d < l.rank; d++)
        for (int i = 0; i < r->dim[t * IR_RANK + d].n; i++) {
            const mesh_list x = atoms[r->dim[t * IR_RANK + d].at[i].factor];
            for (int k = 0; k < mesh_list_n(x); k++) dim[d].atoms = mesh_list_push(dim[d].atoms, mesh_list_at(x, k));
        }
    for (int f = 0; f < r->nfactor && t >= (int)e->nin; f++)
        if (r->factor[f].kind == OP_REDUCTION && mesh_list_size(c->m, atoms[f]) > 1)
            l.partial |= mesh_list_set(atoms[f]);
    if (l.partial) l.reduce = reduce;
    return mesh_intern(&l);
}

static bool shifted_operand(const ir_eqn *e, const op_rule *r, const mesh_list *atoms, uint32_t i)
{
    for (int d = 0; d < IR_IN(e, i)->rank; d++)
        for (int k = 0; k < r->dim[i * IR_RANK + (uint32_t)d].n; k++) {
            const op_rule_at *at = &r->dim[i * IR_RANK + (uint32_t)d].at[k];
            if (at->windowed && mesh_list_n(atoms[at->factor])) return true;
        }
    return false;
}

/* Regions of reductions, on this mesh. */
static ir_fn *const *reducers(cutter *c, const ir_eqn *e)
{
    ir_fn **sub = BASE_NEW(c->a, ir_fn *, e->nsub + 1);
    for (uint32_t k = 0; k < e->nsub; k++)
        sub[k] = e->sub[k]->mesh == c->m ? e->sub[k] : pass_on_mesh(c->a, e->sub[k], c->m);
    return sub;
}

static bool cut_plain(cutter *c, const ir_eqn *e, ir_id *in)
{
    op_rule *r = NULL;
    if (!op_rule_of(e, &r)) return false;
    spmd_factor_sharding *sharding = BASE_NEW(c->a, spmd_factor_sharding, 1);
    mesh_list *atoms = BASE_NEW(c->a, mesh_list, r->nfactor + 1);
    *sharding = (spmd_factor_sharding){ r->nfactor, atoms };
    const mesh_reduce reduce = sums_leave(c, e);
    some_cut(c, e, r, reduce, atoms);
    for (uint32_t i = 0; i < e->nin; i++) {
        in[i] = finished(c, e->in[i]);
        const bool anyhow = shifted_operand(e, r, atoms, i) && roll(c, 2);       /* the plan fetches its windows */
        if (in[i] && !anyhow) in[i] = lay(c, in[i], cut_tensor(c, e, r, atoms, (int)i, reduce));
        if (!in[i]) return false;
    }
    const ir_id y = ir_emit(c->b, e->op, e->attr, e->nin, in, e->nsub, reducers(c, e));
    if (!y) return false;
    cut_of_last(c, sharding);
    for (uint32_t j = 0; j < e->nout; j++) {
        cut_layout(c, y + j, cut_tensor(c, e, r, atoms, (int)(e->nin + j), reduce));
        c->map[e->out + j] = y + j;
    }
    return true;
}

typedef const mesh_layout *const *layouts;
static ir_fn *cut_fn(const cutter *, const ir_fn *, layouts in, layouts out, mesh_set busy);

static bool cut_results(cutter *c, const ir_eqn *e, ir_id y, const mesh_layout *const *l)
{
    for (uint32_t j = 0; j < e->nout; j++) {
        if (!y) return false;
        cut_layout(c, y + j, l[j]);
        c->map[e->out + j] = y + j;
    }
    return true;
}

/* A value at one place and zeros elsewhere: summed up -0 becomes 0, in either part of a complex number too. */
static bool sums_exactly(const cutter *c, const ir_type *t)
{
    return ir_dtype_of(t->dtype)->cls != IR_BOOL_CLASS && !(c->reproducible && is_float(t));
}

static bool cut_loop(cutter *c, const ir_eqn *e, ir_id *in)
{
    const mesh_layout **l = BASE_NEW(c->a, const mesh_layout *, e->nin + 1), *one = mesh_replicated(c->m, 0);
    for (uint32_t i = 0; i < e->nin; i++) {
        const bool fixed = op_invariant(e->sub[1], i);   /* its body does not give it back anew: as it comes */
        in[i] = finished(c, e->in[i]);
        if (!in[i]) return false;
        l[i] = fixed ? c->layout[in[i]] : any_layout(c, IR_IN(e, i), sums_exactly(c, IR_IN(e, i)) && roll(c, 3) == 0);
        if (!(in[i] = lay(c, in[i], l[i]))) return false;
    }
    ir_fn *sub[2] = { cut_fn(c, e->sub[0], l, &one, c->busy), cut_fn(c, e->sub[1], l, l, c->busy) };
    const ir_id y = sub[0] && sub[1] ? ir_emit(c->b, e->op, e->attr, e->nin, in, 2, sub) : 0;
    return (y || !e->nout) && cut_results(c, e, y, l);
}

static bool cut_case(cutter *c, const ir_eqn *e, ir_id *in)
{
    const mesh_layout **l = BASE_NEW(c->a, const mesh_layout *, e->nin + 1);
    const mesh_layout **out = BASE_NEW(c->a, const mesh_layout *, e->nout + 1);
    ir_fn **sub = BASE_NEW(c->a, ir_fn *, e->nsub + 1);
    for (uint32_t i = 0; i < e->nin; i++) {
        in[i] = i ? finished(c, e->in[i]) : lay(c, finished(c, e->in[0]), mesh_replicated(c->m, 0));
        if (!in[i]) return false;
        if (i) l[i - 1] = c->layout[in[i]];
    }
    for (uint32_t j = 0; j < e->nout; j++) out[j] = any_layout(c, IR_OUT(e, j), false);
    for (uint32_t k = 0; k < e->nsub; k++) if (!(sub[k] = cut_fn(c, e->sub[k], l, out, c->busy))) return false;
    return cut_results(c, e, ir_emit(c->b, e->op, e->attr, e->nin, in, e->nsub, sub), out);
}

static bool cut_manual(cutter *c, const ir_eqn *e, ir_id *in)
{
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_layout **l = BASE_NEW(c->a, const mesh_layout *, e->nin + 1);
    const mesh_layout **out = BASE_NEW(c->a, const mesh_layout *, e->nout + 1);
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!(in[i] = lay(c, finished(c, e->in[i]), a->in_shardings.v[i]))) return false;
        l[i] = mesh_replicated(c->m, IR_IN(e, i)->rank);
    }
    for (uint32_t j = 0; j < e->nout; j++) out[j] = mesh_replicated(c->m, IR_OUT(e, j)->rank);
    ir_fn *body = cut_fn(c, e->sub[0], l, out, c->busy | mesh_named(c->m, a->manual_axes.n, a->manual_axes.v));
    return body && cut_results(c, e, ir_emit(c->b, e->op, e->attr, e->nin, in, 1, &body), a->out_shardings.v);
}

static bool cut_call(cutter *c, const ir_eqn *e, ir_id *in)
{
    const mesh_layout **l = BASE_NEW(c->a, const mesh_layout *, e->nin + 1);
    const mesh_layout **out = BASE_NEW(c->a, const mesh_layout *, e->nout + 1);
    for (uint32_t i = 0; i < e->nin; i++) if ((in[i] = finished(c, e->in[i]))) l[i] = c->layout[in[i]];
    ir_fn *body = cut_fn(c, e->sub[0], l, NULL, c->busy);
    if (!body) return false;
    for (uint32_t j = 0; j < e->nout; j++) out[j] = body->layout[body->ret[j]];
    ir_id y = ir_emit(c->b, &prim_call, NULL, e->nin, in, 1, &body);
    return cut_results(c, e, y, out);
}

static bool cut_same(cutter *c, const ir_eqn *e, ir_id *in)      /* constrain, reshard, propagation_barrier */
{
    if (!(in[0] = finished(c, e->in[0]))) return false;
    const bool free = (c->busy | e->op->ordered) != 0;
    return (c->map[e->out] = lay(c, in[0], free ? c->layout[in[0]] : any_layout(c, IR_OUT(e, 0), false))) != 0;
}

/* Collectives act on manual atoms; nothing else is cut there. */
static bool cut_whole(cutter *c, const ir_eqn *e, ir_id *in)
{
    const mesh_layout **l = BASE_NEW(c->a, const mesh_layout *, e->nout + 1);
    for (uint32_t i = 0; i < e->nin; i++) {
        if (e->op != &prim_barrier) in[i] = lay(c, finished(c, e->in[i]), mesh_replicated(c->m, IR_IN(e, i)->rank));
        if (!in[i]) return false;
    }
    for (uint32_t j = 0; j < e->nout; j++)
        l[j] = e->op == &prim_barrier ? c->layout[in[j]] : mesh_replicated(c->m, IR_OUT(e, j)->rank);
    return cut_results(c, e, ir_emit(c->b, e->op, e->attr, e->nin, in, e->nsub, reducers(c, e)), l);
}

static bool cut_eqn(cutter *c, const ir_eqn *e, ir_id *in)
{
    if (e->op == &prim_while) return cut_loop(c, e, in);
    if (e->op == &prim_case) return cut_case(c, e, in);
    if (e->op == &prim_manual) return cut_manual(c, e, in);
    if (e->op == &prim_call || e->op == &prim_custom_jvp || e->op == &prim_custom_vjp) return cut_call(c, e, in);
    if (e->op == &prim_constrain || e->op == &prim_reshard || e->op == &prim_propagation_barrier)
        return cut_same(c, e, in);
    return e->op == &prim_barrier || e->op->exchange != op_exchange_none ? cut_whole(c, e, in) : cut_plain(c, e, in);
}

static ir_fn *cut_fn(const cutter *outer, const ir_fn *f, layouts in, layouts out, mesh_set busy)
{
    cutter c = *outer;
    c.busy = busy, c.from = f, c.layout = NULL, c.nlayout = 0, c.cut = NULL, c.ncut = 0;
    c.b = ir_begin(c.a, f->name, c.m);
    c.map = BASE_NEW(c.a, ir_id, f->nvalue + 1);
    cut_layout(&c, f->nvalue, NULL);
    for (uint32_t i = 1; i <= f->narg; i++) {
        c.map[i] = ir_arg(c.b, f->type[i]);
        cut_layout(&c, i, in && in[i - 1] ? in[i - 1] : mesh_replicated(c.m, f->type[i]->rank));
    }
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        ir_id x[e->nin + 1];
        for (uint32_t i = 0; i < e->nin; i++) x[i] = c.map[e->in[i]];
        ir_site(c.b, e->site);
        if (!cut_eqn(&c, e, x)) return NULL;
    }
    ir_id ret[f->nret + 1];
    for (uint32_t j = 0; j < f->nret; j++) {
        ret[j] = finished(&c, f->ret[j]);
        if (out && out[j]) ret[j] = lay(&c, ret[j], out[j]);
    }
    ir_fn *g = ir_end(c.b, f->nret, ret);
    if (!g) return NULL;
    g->layout = c.layout;
    for (uint32_t k = 0; k < g->neqn && k < c.ncut; k++) g->eqn[k].sharding = c.cut[k];
    return g;
}

/* As spmd_partition, with cuts drawn from the seed. */
static ir_fn *fuzz_partition(base_arena *a, const ir_fn *f, layouts wanted, bool reproducible, uint32_t seed)
{
    uint64_t state = seed;
    const cutter c = { .a = a, .m = f->mesh, .reproducible = reproducible, .state = &state };
    const mesh_layout **in = BASE_NEW(a, const mesh_layout *, f->narg + 1);
    for (uint32_t i = 0; i < f->narg; i++) {             /* arguments are firm */
        const mesh_layout *l = f->layout ? f->layout[1 + i] : NULL;
        mesh_list dim[IR_RANK + 1] = { 0 };
        for (int d = 0; l && d < l->rank; d++) dim[d] = l->dim[d].atoms;
        in[i] = mesh_layout_dims(c.m, f->type[1 + i]->rank, dim);
    }
    return cut_fn(&c, f, in, wanted, 0);
}

#endif
