/* spmd/partition/partition.c - rewrites a function with layouts into one with factor shardings and reshards.
 *
 * One forward pass over the equations:
 * - Each equation gets the cheapest factor sharding (choose.c); its operands are resharded to the layouts that this
 *   sharding needs.
 * - Sums may stay unreduced from one equation to the next (finish.c). The first reader that needs the reduced sum
 *   reduces it: to the layout that this reader needs if it is the only reader, else to the value's target, for all.
 * - Constants and iotas are not moved but cloned in each layout in which they are read.
 * - A copy of a value in another layout is reused by later equations. A copy larger than the value's own shard is
 *   reused only within NEAR equations of its last use: a weight gathered in the forward pass is gathered again in the
 *   backward pass. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

enum { NEAR = 16 };                                      /* equations over which a larger copy is reused */

const mesh_layout *spmd_replicated(spmd_state *s, int rank)
{
    if (!s->replicated[rank]) s->replicated[rank] = mesh_replicated(s->mesh, rank);
    return s->replicated[rank];
}

bool spmd_target(const ir_fn *f, ir_id id, const mesh_layout **to)
{
    *to = f->layout ? f->layout[id] : NULL;
    return *to;
}

void spmd_set(spmd_part *p, ir_id id, const mesh_layout *l)
{
    if (id >= p->nlayout) {
        const uint32_t n = 2 * id + 64;
        const mesh_layout **grown = BASE_NEW(p->state->a, const mesh_layout *, n);
        spmd_copy **copy = BASE_NEW(p->state->a, spmd_copy *, n);
        if (p->nlayout) {
            memcpy(grown, p->layout, p->nlayout * sizeof *grown);
            memcpy(copy, p->copy, p->nlayout * sizeof *copy);
        }
        p->layout = grown;
        p->copy = copy;
        p->nlayout = n;
    }
    p->layout[id] = l;
}

void spmd_set_sharding(spmd_part *p, const spmd_factor_sharding *sharding) /* of the equation emitted last */
{
    const uint32_t k = ir_build_fn(p->b)->neqn - 1;
    if (k >= p->nsharding) {
        const uint32_t n = 2 * k + 64;
        const spmd_factor_sharding **grown = BASE_NEW(p->state->a, const spmd_factor_sharding *, n);
        if (p->nsharding) memcpy(grown, p->sharding, p->nsharding * sizeof *grown);
        p->sharding = grown;
        p->nsharding = n;
    }
    p->sharding[k] = sharding;
}

static const spmd_factor_sharding *partition_sharding_of(spmd_part *p, const op_rule *r, const spmd_choice *c)
{
    spmd_factor_sharding *sharding = BASE_NEW(p->state->a, spmd_factor_sharding, 1);
    *sharding = (spmd_factor_sharding){ r->nfactor, BASE_COPY(p->state->a, c->atoms, r->nfactor) };
    return sharding;
}

/* ---- reshards ---- */

static bool same_atoms(const mesh_layout *a, const mesh_layout *b)
{
    if (a->partial != b->partial) return false;
    for (int d = 0; d < a->rank; d++) if (a->dim[d].atoms != b->dim[d].atoms) return false;
    return true;
}

static bool made_of_nothing(const ir_eqn *d)
{
    return d && !d->nin && !d->nsub && !d->op->ordered && !d->op->states && d->nout == 1;
}

static bool larger(spmd_part *p, ir_id id, const mesh_layout *to)
{
    const spmd_sharding a = spmd_sharding_of(p->layout[id]), b = spmd_sharding_of(to);
    return spmd_local(p->state->mesh, ir_typeof(p->b, id), &b) > spmd_local(p->state->mesh, ir_typeof(p->b, id), &a);
}

static ir_id copy_of(spmd_part *p, ir_id id, const mesh_layout *to)
{
    const uint32_t now = ir_build_fn(p->b)->neqn;
    for (spmd_copy *c = p->copy[id]; c; c = c->next)
        if (same_atoms(c->layout, to) && (now - c->at <= NEAR || !larger(p, id, to))) {
            c->at = now;
            return c->id;
        }
    return 0;
}

ir_id spmd_reshard(spmd_part *p, ir_id id, const mesh_layout *to, const spmd_reason *why)
{
    if (!id || same_atoms(p->layout[id], to)) return id;
    const ir_id had = copy_of(p, id, to);
    if (had) return had;
    const ir_eqn *d = ir_def(p->b, id);
    const base_site former = ir_site(p->b, why->site);
    const bool made = made_of_nothing(d) && !to->partial;
    const ir_id y = made ? ir_emit(p->b, d->op, d->attr, 0, NULL, 0, NULL)
                         : ir_emit(p->b, &prim_reshard, &(op_layout_attr){ { 1, &to } }, 1, &id, 0, NULL);
    ir_site(p->b, former);
    if (!y) return 0;
    spmd_set(p, y, to);
    spmd_copy *c = BASE_NEW(p->state->a, spmd_copy, 1);
    *c = (spmd_copy){ to, y, ir_build_fn(p->b)->neqn, p->copy[id] };
    p->copy[id] = c;
    return made || spmd_note_move(p, id, to, why) ? y : 0;
}

ir_id spmd_finish(spmd_part *p, ir_id old, const spmd_reason *why)
{
    const ir_id id = p->map[old];
    const mesh_layout *to;
    if (!id || !p->layout[id]->partial) return id;
    if (!spmd_target(p->from, old, &to) || to->partial) {
        mesh_layout l = *p->layout[id];
        l.partial = 0;
        l.reduce = MESH_NONE;
        to = mesh_intern(&l);
    }
    return p->map[old] = spmd_reshard(p, id, to, why);
}

/* ---- equations ---- */

ir_id spmd_emit(spmd_part *p, const ir_eqn *e, const ir_id *in, ir_fn *const *sub)
{
    ir_site(p->b, e->site);
    return sub ? ir_emit(p->b, e->op, e->attr, e->nin, in, e->nsub, sub) : ir_clone(p->b, e, in);
}

bool spmd_is_zero(spmd_part *p, ir_id id)
{
    const ir_eqn *d = ir_def(p->b, id);
    while (d && (d->op == &prim_broadcast_in_dim || d->op == &prim_reshard)) d = ir_def(p->b, d->in[0]);
    if (!d || d->op != &prim_const) return false;
    const op_const_attr *c = IR_ATTR(d, op_const_attr);
    const uint8_t *at = c->data.p;
    if (!c->splat && ir_count(IR_OUT(d, 0)) != 1) return false;
    for (size_t i = 0; i < c->data.bytes; i++) if (at[i]) return false;
    return true;
}

/* Fills the operand part of the choice's input: layouts x, bits use. Reduces a sum at once if one of several readers is
 * not linear in it. shared[i]: operand i is the complete value (not one half of a deferred addition, adds.c) and has
 * other readers. */
static bool look_at(spmd_part *p, const ir_eqn *e, ir_id *in, const mesh_layout **x, uint8_t *use, bool *shared)
{
    bool partial = false;
    for (uint32_t i = 0; i < e->nin; i++) shared[i] = p->uses[e->in[i]] > 1 && in[i] == p->map[e->in[i]];
    for (uint32_t i = 0; i < e->nin; i++) {
        const spmd_reason why = { e->site, "a sum with several readers", false, e->in[i], e->out, 0 };
        if (p->layout[in[i]]->partial && shared[i] && !p->linear[e->in[i]])
            if (!(in[i] = spmd_finish(p, e->in[i], &why))) return false;
        x[i] = p->layout[in[i]];
        use[i] = made_of_nothing(ir_def(p->b, in[i])) ? SPMD_MADE : 0;
        if (p->from == p->state->loop && in[i] <= p->from->narg && op_invariant(p->from, in[i] - 1))
            use[i] |= SPMD_FIXED;
        if (x[i]->partial && shared[i]) use[i] |= SPMD_MANY;
        partial |= x[i]->partial != 0;
    }
    for (uint32_t i = 0; partial && i < e->nin; i++) {
        const bool open = p->open && in[i] <= p->from->narg && p->open[in[i] - 1];
        if (open || spmd_is_zero(p, in[i])) use[i] |= open ? SPMD_ZERO | SPMD_UNREDUCED : SPMD_ZERO;
    }
    return true;
}

static bool bring(spmd_part *p, const spmd_problem *q, const spmd_choice *c, const bool *shared, ir_id *in)
{
    const ir_eqn *e = q->e;
    for (uint32_t i = 0; i < e->nin; i++) {
        const spmd_sharding needed = spmd_tensor(q, c, (int)i);
        spmd_sharding has = spmd_sharding_of(p->layout[in[i]]);
        const bool window = spmd_windowed(q, c, (int)i);
        if (!window && spmd_serves(q, (int)i, &has, &needed)) continue;
        const spmd_reason why = { e->site, base_format(p->state->a, has.partial ? "the sum that operand %u of %s is"
                                                                              : "operand %u of %s", i, e->op->name),
                                  false, e->in[i], e->out, 0 };
        if (has.partial && !needed.partial && shared[i]) {
            if (!(in[i] = spmd_finish(p, e->in[i], &why))) return false;
            has = spmd_sharding_of(p->layout[in[i]]);
            if (!window && spmd_serves(q, (int)i, &has, &needed)) continue;
        }
        if (window && has.partial == needed.partial) {
            const spmd_move v = spmd_window(p->state, q, c, (int)i, &has);
            spmd_note_window(p, in[i], spmd_layout(q, c, (int)i), &v, &why);
            continue;
        }
        if (!(in[i] = spmd_reshard(p, in[i], spmd_layout(q, c, (int)i), &why))) return false;
    }
    return true;
}

bool spmd_plain(spmd_part *p, const ir_eqn *e, ir_id *in)
{
    spmd_state *s = p->state;
    const mesh_layout *x[e->nin + 1], *target[e->nout + 1];
    uint8_t use[e->nin + 1];
    op_rule *r = NULL;
    bool cut = false, shared[e->nin + 1];
    if (!look_at(p, e, in, x, use, shared)) return false;
    for (uint32_t i = 0; i < e->nin; i++) cut |= mesh_layout_vary(x[i]) != 0;
    for (uint32_t j = 0; j < e->nout; j++)
        if (spmd_target(p->from, e->out + j, &target[j])) cut |= mesh_used(target[j]) != 0;
    spmd_problem q = { e, NULL, x, target, use };
    const spmd_choice *c = NULL;
    if (cut) {
        if (!op_rule_of(e, &r)) return false;
        q.rule = r;
        c = spmd_choose(s, &q);
        if (!bring(p, &q, c, shared, in)) return false;
    }
    const ir_id y = spmd_emit(p, e, in, NULL);
    if (!y) return false;
    if (cut) spmd_set_sharding(p, partition_sharding_of(p, r, c));
    if (e->nout) spmd_note_written(p, ir_def(p->b, y));
    for (uint32_t j = 0; j < e->nout; j++) {
        spmd_set(p, y + j, cut ? spmd_layout(&q, c, (int)(e->nin + j)) : spmd_replicated(s, IR_OUT(e, j)->rank));
        p->map[e->out + j] = y + j;
    }
    return true;
}

/* True if a result without a requested layout may keep its layout although the target `to` is coarser: each dim extends
 * the target's atoms and is split evenly. False if a donated argument of the same type has the target layout, since the
 * result can then reuse the argument's storage. */
static bool may_keep_layout(spmd_part *p, ir_id id, const mesh_layout *to)
{
    const mesh_layout *has = p->layout[id];
    const ir_type *t = ir_typeof(p->b, id);
    if (has->partial || p->state->even) return false;
    for (uint32_t i = 1; p->from->donate && i <= p->from->narg; i++)
        if (p->from->donate[i - 1] && p->from->type[i] == t && same_atoms(p->from->layout[i], to)) return false;
    for (int d = 0; d < has->rank; d++) {
        const mesh_list l = has->dim[d].atoms;
        if (!spmd_is_prefix(to->dim[d].atoms, l)) return false;
        if (l != to->dim[d].atoms && t->dim[d] % mesh_list_size(p->state->mesh, l)) return false;
    }
    return true;
}

static ir_fn *partition_finish(spmd_part *p, const mesh_layout *const *requested)
{
    const ir_fn *f = p->from;
    ir_id *ret = IR_NEW(p->b, ir_id, f->nret + 1);
    for (uint32_t i = 0; i < f->nret; i++) {
        const mesh_layout *to = requested ? requested[i] : NULL;
        const ir_eqn *d = ir_def(p->b, p->map[f->ret[i]]);
        const bool is_requested = requested && requested == p->state->result && p->state->requested &&
                                  p->state->requested[i];
        const bool last = requested && requested == p->state->result; /* of the program, not of a region */
        const char *what = base_format(p->state->a, last ? "result %u" : "what a region returns, %u", i);
        const spmd_reason why = { d ? d->site : NULL, what, is_requested, f->ret[i], f->ret[i],
                                  requested && requested == p->state->result ? (int)i + 1 : 0 };
        ret[i] = p->map[f->ret[i]];
        if (p->open && p->open[i]) continue;
        if (last && !is_requested && may_keep_layout(p, ret[i], to)) continue;
        if (to || spmd_target(f, f->ret[i], &to)) ret[i] = spmd_reshard(p, ret[i], to, &why);
        else ret[i] = spmd_finish(p, f->ret[i], &why);
        if (!ret[i]) return NULL;
    }
    ir_fn *g = ir_end(p->b, f->nret, ret);
    if (!g) return NULL;
    g->tag = f->tag;
    g->layout = p->layout;
    for (uint32_t k = 0; k < g->neqn && k < p->nsharding; k++) g->eqn[k].sharding = p->sharding[k];
    return g;
}

/* Counts the readers of each value (p->uses), marks values in which all readers are linear (p->linear) and those whose
 * only reader is an addition (split_sum.added). */
static void count_uses(spmd_part *p)
{
    const ir_fn *f = p->from;
    p->uses = ir_uses(p->state->a, f);
    p->linear = BASE_NEW(p->state->a, bool, f->nvalue + 1);
    for (ir_id i = 1; i <= f->nvalue; i++) p->linear[i] = true;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        for (uint32_t i = 0; i < e->nin; i++) p->linear[e->in[i]] &= spmd_linear_in(e, i);
    }
    for (uint32_t i = 0; i < f->nret; i++) p->linear[f->ret[i]] = false;
    p->split_sum = BASE_NEW(p->state->a, spmd_split_sum, f->nvalue + 1);
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op == &prim_add && i < 2; i++)
            p->split_sum[f->eqn[k].in[i]].added = p->uses[f->eqn[k].in[i]] == 1;
}

bool spmd_equations(spmd_part *p)
{
    const ir_fn *f = p->from;
    uint32_t most = 1;
    count_uses(p);
    for (uint32_t k = 0; k < f->neqn; k++) if (f->eqn[k].nin > most) most = f->eqn[k].nin;
    ir_id *x = BASE_NEW(p->state->a, ir_id, most);
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        spmd_rule *rule = spmd_region_rule(e->op);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = p->map[e->in[i]];
        if (!rule) rule = e->op == &prim_add ? spmd_add : spmd_plain;
        if (!rule(p, e, x)) return false;
    }
    return true;
}

ir_fn *spmd_function(spmd_state *s, const ir_fn *f, const mesh_layout *const *in, const mesh_layout *const *requested,
                     const bool *open)
{
    spmd_part p = { .state = s, .from = f, .open = open, .b = ir_begin(s->a, f->name, s->mesh) };
    p.map = BASE_NEW(s->a, ir_id, f->nvalue + 1);
    spmd_set(&p, f->nvalue, NULL);
    for (uint32_t i = 1; i <= f->narg; i++) {
        p.map[i] = ir_arg(p.b, f->type[i]);
        spmd_set(&p, p.map[i], in && in[i - 1] ? in[i - 1] : spmd_replicated(s, f->type[i]->rank));
    }
    return spmd_equations(&p) ? partition_finish(&p, requested) : NULL;
}

ir_fn *spmd_partition(base_arena *a, const ir_fn *f, const mesh_layout *const *requested, const spmd_opts *opts,
                      spmd_report *report)
{
    spmd_state *s = BASE_NEW(a, spmd_state, 1);
    if (report) *report = (spmd_report){ 0 };
    if (!f->mesh) return (ir_fn *)(uintptr_t)f;          /* no mesh: nothing is sharded */
    *s = (spmd_state){ .a = a, .mesh = f->mesh, .reproducible = opts && opts->reproducible,
                     .strict = opts ? opts->strict : 0, .even = opts && opts->even,
                     .apart = opts && opts->apart, .times = 1 };
    if (opts) s->in_name = opts->in_name, s->in_site = opts->in_site;
    spmd_machine_set(s, opts ? opts->machine : NULL);
    const double start = base_seconds();
    s->requested = requested;
    ir_fn *open = spmd_prepare(s, f);
    if (!open || !spmd_propagate(s, open, requested)) return NULL;
    const double spread = base_seconds();
    ir_fn *g = spmd_function(s, open, open->layout + 1, s->result, NULL);
    if (!g) return NULL;
    memcpy((bool *)(uintptr_t)g->donate, f->donate, f->narg * sizeof *f->donate);
    if (report) *report = (spmd_report){ s->nnote, s->note, spread - start, base_seconds() - spread };
    return g;
}
