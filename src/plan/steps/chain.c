/* plan/steps/chain.c - joins several steps to one step that runs part by part along a dim that all of them keep
 * (gen/fused/chain.c), for example along the batches of an attention, whose scores are as large as all other values
 * together and are read only by the next step.
 *
 * A chain begins with any step and takes later steps that read large results of the chain. Steps between them that read
 * no result of the chain run before the chain, the others after it; so no step of the chain may read results of the
 * others. All results have the common dim: the factor rules of the equations give its position in each result, and
 * ensure that no equation contracts it. The chain has a contraction, and each contraction has the dim in both operands
 * (a batch dim); otherwise one operand would be packed for every part. The results of one row of the dim fit in the
 * second-level cache. chain_join.c builds the joined step. */
#include "../../base/machine.h"
#include "chain.h"
#include "../../op/ops.h"

#include <string.h>

int64_t plan_chain_least = 1 << 18;                      /* bytes of a value, all instances */
/* PARTS: least number of parts. ROW: most bytes of one row's results. SHARED_MOST: most bytes of an operand read by all
 * parts. */
enum { PARTS = 4, ROW = BASE_L2 / 4 * 3, SHARED_MOST = 1 << 18 };

/* ---- the split dim ---- */

/* The split dim of v. If v is a view: the dim with the same size as in the viewed value, and the same number of
 * elements before it. */
int plan_chain_split_dim(const chain *s, plan_id v)
{
    const plan_value *x = &s->f->value[v], *y = &s->f->value[x->base];
    int64_t before = 1, of = 1;
    if (s->made[x->base] != s->mark) return CHAIN_UNKNOWN;
    const int d = s->dim[x->base];
    if (x->base == v || x->merged) return x->merged ? CHAIN_LOST : d;
    for (int i = 0; i < d; i++) before *= y->dim[i];
    for (int i = 0; i < x->rank; of *= x->dim[i++]) if (of == before && x->dim[i] == y->dim[d]) return i;
    return CHAIN_LOST;
}

static int dim_with(const op_rule *r, int tensor, int rank, int factor)
{
    for (int d = 0; d < rank; d++) {
        const struct op_rule_dim *at = &r->dim[tensor * IR_RANK + d];
        if (at->n == 1 && !at->at->windowed && at->at->factor == factor) return d;
    }
    return CHAIN_UNKNOWN;
}

/* The factor of t's rule that is split, as far as known so far; CHAIN_LOST: none is possible. */
static int factor_of(const chain *s, const plan_item *t, const op_rule *r)
{
    int factor = CHAIN_UNKNOWN;
    for (int k = 0; k < r->ntensor; k++) {
        const int d = plan_chain_split_dim(s, k < (int)t->nin ? t->in[k] : t->out[k - (int)t->nin]);
        if (d == CHAIN_UNKNOWN) continue;
        const struct op_rule_dim *at = d < 0 ? NULL : &r->dim[k * IR_RANK + d];
        if (!at || at->n != 1 || at->at->windowed || (factor >= 0 && factor != at->at->factor)) return CHAIN_LOST;
        factor = at->at->factor;
    }
    return factor >= 0 && r->factor[factor].kind != OP_PASS_THROUGH ? CHAIN_LOST : factor;
}

static bool chain_note(chain *s, const op_rule *r, int tensor, plan_id v, int factor, bool *more)
{
    if (plan_chain_split_dim(s, v) != CHAIN_UNKNOWN) return true;
    const int d = dim_with(r, tensor, s->f->value[v].rank, factor);
    if (d < 0 || s->f->value[v].base != v) return false;
    s->made[v] = s->mark, s->dim[v] = (int8_t)d;
    return *more = true;
}

/* Propagates the split dim through t, from the operands and results where it is known to the values that t's group
 * computes. Returns false if t cannot run part by part. */
static bool chain_propagate(chain *s, const plan_group *g, const plan_item *t, bool *more)
{
    op_rule *r = s->rule[t->out[0]];
    if (!r && !op_rule_of(t->eqn, &r)) return false;
    s->rule[t->out[0]] = r;
    const int factor = r->nfactor ? factor_of(s, t, r) : CHAIN_LOST;
    if (factor < 0) return factor == CHAIN_UNKNOWN;
    for (uint32_t j = 0; j < t->nout; j++) if (!chain_note(s, r, (int)(t->nin + j), t->out[j], factor, more))
        return false;
    for (uint32_t k = 0; k < t->nin; k++) {
        const plan_value *x = &s->f->value[s->f->value[t->in[k]].base];
        const int d = dim_with(r, (int)k, s->f->value[t->in[k]].rank, factor);
        const bool here = x->def && plan_contains(g, x->def);
        if (here && d >= 0 && x->base == t->in[k] && !chain_note(s, r, (int)k, t->in[k], factor, more)) return false;
        if (d < 0 && !here && (x->bytes > SHARED_MOST || t->eqn->op == &prim_dot_general)) return false;
    }
    return true;
}

/* ---- which steps ---- */

/* True if e is a contraction, alone or as the producer of elementwise equations, that runs on our own kernel, or on
 * types for which our own kernel is as good as a plug-in. */
static bool contracts(const plan_group *g, const ir_eqn *e)
{
    if (e->op != &prim_dot_general) return false;
    if (g->n > 1) return g->has_producer;
    return !strcmp(g->kernel->code.name, "dot") || ir_dtype_of(IR_IN(e, 0)->dtype)->bytes >= 4;
}

static bool chain_takes(const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->dropped || t->ref || t->group->chain || t->group->kernel->code.finish) return false;
    const plan_group *g = t->group;
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_eqn *e = g->item[i]->eqn;
        const bool cheap = e->op == &prim_broadcast_in_dim || e->op == &prim_iota || e->op == &prim_const ||
                           e->op == &prim_reshape || (e->op == &prim_reduce && e->nin == 2);
        if (e->op->ordered || e->nout != 1) return false;
        if (e->op == &prim_transpose ? g->n > 1 : !cheap && e->op->kernel != OP_MAP && !contracts(g, e)) return false;
    }
    return true;
}

int64_t plan_chain_rows(const chain *s)
{
    const int64_t parts = s->atoms ? mesh_list_size(s->f->mesh, s->atoms) : 1;
    return (s->size + parts - 1) / parts;
}

/* True if t's results are sharded as all other results of the chain and one row's results still fit in the cache; adds
 * their bytes. */
static bool chain_fits(chain *s, const plan_item *t)
{
    int64_t bytes = 0;
    for (uint32_t j = 0; j < t->group->nout; j++) {
        const plan_id v = t->group->out[j];
        const plan_value *x = &s->f->value[v];
        const int d = plan_chain_split_dim(s, v);
        if (d < 0 || x->base != v || x->dim[d] != s->size || x->vary != s->vary || !plan_is_complete(x)) return false;
        if (plan_atoms(x, d) != s->atoms) return false;
        bytes += x->bytes / plan_chain_rows(s);
    }
    if (s->bytes + bytes > ROW) return false;
    s->bytes += bytes;
    return true;
}

static bool chain_add(chain *s, plan_item *t, uint32_t at)
{
    const plan_group *g = t->group;
    bool ok = true, more = true;
    while (ok && more) {
        more = false;
        for (uint32_t i = 0; ok && i < g->n; i++) ok = chain_propagate(s, g, g->item[i], &more);
    }
    if (ok && chain_fits(s, t)) {
        for (uint32_t j = 0; j < g->nout; j++) s->result[g->out[j]] = s->mark, s->part[g->out[j]] = 0;
        s->step[s->n] = t, s->at[s->n++] = at;
        return true;
    }
    for (uint32_t i = 0; i < g->n; i++) s->made[g->item[i]->out[0]] = 0;
    return false;
}

int64_t plan_chain_total(const plan_flat *f, plan_id v)
{
    return f->value[v].bytes * (f->mesh ? mesh_set_size(f->mesh, f->value[v].vary) : 1);
}

/* True if t reads a large result of the chain, and no result of a step placed after the chain. */
static bool follows(const chain *s, const plan_item *t)
{
    bool reads = false;
    for (uint32_t k = 0; k < t->group->nin; k++) {
        const plan_id v = t->group->in[k], base = s->f->value[v].base;
        if (s->late[base] == s->mark) return false;
        reads |= s->result[base] == s->mark && plan_chain_total(s->f, base) >= plan_chain_least;
    }
    return reads;
}

bool plan_chain_is_late(const chain *s, const plan_item *t)
{
    const plan_id *in;
    for (uint32_t k = 0, n = plan_step_operands(t, &in); k < n; k++) {
        const plan_id base = s->f->value[in[k]].base;
        if (s->result[base] == s->mark || s->late[base] == s->mark) return true;
    }
    return false;
}

static void pass(chain *s, const plan_item *t)
{
    const plan_id *out;
    for (uint32_t j = 0, n = plan_step_results(t, &out); j < n && plan_chain_is_late(s, t); j++)
        s->late[s->f->value[out[j]].base] = s->mark;
}

static void chain_grow(chain *s, uint32_t i)
{
    for (uint32_t j = i + 1; j < s->b->n && j <= i + CHAIN_REACH && s->n < CHAIN_STEPS; j++) {
        plan_item *t = s->b->item[j];
        if (!t) continue;                                /* joined to an earlier chain */
        if (!plan_may_reorder(s->f, t)) return;
        if (t->kind != PLAN_EQN || !follows(s, t) || !chain_takes(t) || !chain_add(s, t, j)) pass(s, t);
    }
}

static bool chain_begin(chain *s, uint32_t i, int d)
{
    plan_item *t = s->b->item[i];
    const plan_id v = t->group->out[0];
    const plan_value *x = &s->f->value[v];
    if (d >= x->rank || x->dim[d] < PARTS || plan_chain_total(s->f, v) < plan_chain_least || x->base != v ||
        !plan_is_complete(x)) return false;
    s->mark++;
    s->n = 0, s->bytes = 0;
    s->size = x->dim[d], s->atoms = plan_atoms(x, d), s->vary = x->vary;
    s->made[v] = s->mark, s->dim[v] = (int8_t)d;
    if (!chain_add(s, t, i)) return false;
    chain_grow(s, i);
    return plan_chain_together(s);
}

/* ---- all blocks ---- */

/* True if a nearby step reads a large result of step i; otherwise step i begins no chain. */
static bool is_followed(chain *s, uint32_t i)
{
    const plan_group *g = s->b->item[i]->group;
    s->mark++;
    for (uint32_t j = 0; j < g->nout; j++) s->result[g->out[j]] = s->mark;
    for (uint32_t j = i + 1; j < s->b->n && j <= i + CHAIN_REACH; j++)
        if (s->b->item[j] && s->b->item[j]->kind == PLAN_EQN && follows(s, s->b->item[j])) return true;
    return false;
}

static void chain_block(plan_flat *f, plan_block *b, chain *s)
{
    uint32_t n = 0;
    s->b = b;
    for (uint32_t i = 0; i < b->n; i++)
        while (b->item[i] && chain_takes(b->item[i]) && is_followed(s, i) &&
               (chain_begin(s, i, 0) || chain_begin(s, i, 1))) ;
        /* repeated, since another step may have moved to index i */
    for (uint32_t i = 0; i < b->n; i++) if (b->item[i]) b->item[n++] = b->item[i];
    b->n = n;
    for (uint32_t i = 0; i < n; i++) {
        plan_item *t = b->item[i];
        PLAN_EACH_BLOCK(t, nested) chain_block(f, nested, s);
    }
}

void plan_chain(plan_flat *f, plan_block *b)
{
    if (f->reproducible || f->unfused || base_switch("no-chain")) return;
    const size_t n = f->nvalue + 1;
    chain s = { .f = f, .reads = BASE_NEW(f->a, uint32_t, n), .made = BASE_NEW(f->a, uint32_t, n),
                .result = BASE_NEW(f->a, uint32_t, n), .late = BASE_NEW(f->a, uint32_t, n),
                .part = BASE_NEW(f->a, uint32_t, n), .rule = BASE_NEW(f->a, op_rule *, n),
                .dim = BASE_NEW(f->a, int8_t, n) };
    plan_consumers(f, b, s.reads);
    chain_block(f, b, &s);
}
