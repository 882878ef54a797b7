/* plan/steps/prologue.c - joins the equations that compute a product's operand with the product: the product requests
 * each part of the operand before reading it, and the equations compute the part in the cache (gen/fused/prologue.c).
 * The reverse of epilogue.c; a product may have both.
 *
 * The product is the operand's only reader, so the operand is never stored; other results of the equations (a sum that
 * is read later, the scales of rows) are stored as before. The operand is laid out as [batches, kept, contracted] and
 * is large; the equations are elementwise, or over rows of the contracted dims. The product packs its other operand for
 * every part, so a part has enough rows. Not joined are plug-ins, which work on full operands, and products whose
 * instances, but not those of the equations, the runtime could merge into one task (run/merge_instances.c). */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

enum { ROW = 1 << 14 };                                  /* most bytes of the contracted dims of one row */
/* Least operand size in bytes, all instances. Below it the unfused pair stays in cache, and fusing only adds
 * repacking. */
int64_t plan_prologue_least = 1 << 25;

/* The product of step t, alone or with its epilogue; NULL: t is not a product. */
static const plan_group *product_of(const plan_item *t)
{
    if (t->kind != PLAN_EQN || t->dropped || (t->group->chain && !t->group->consumer)) return NULL;
    const plan_group *g = t->group->consumer ? t->group->producer : t->group;
    if (g->n != 1 || g->chain || g->item[0]->eqn->op != &prim_dot_general) return NULL;
    return !strcmp(g->kernel->code.name, "dot") ? g : NULL;
}

/* True if t is elementwise, or over rows of the dims from `kept` on. */
static bool is_producer(const plan_item *t, int kept)
{
    if (t->kind != PLAN_EQN || t->dropped || t->ref || t->group->chain || t->group->has_producer) return false;
    const plan_group *g = t->group;
    for (uint32_t i = 0; i < g->n; i++) if (g->item[i]->eqn->op->ordered) return false;
    if (g->kernel->code.finish) return false;
    return g->full ? g->kept >= kept && !gen_rows.refuses(&g->kernel->group) : !gen_tile.refuses(&g->kernel->group);
}

/* True if v has the first n dims of x, with the same sharding. */
static bool prologue_same_dims(const plan_value *v, const plan_value *x, int n)
{
    if (v->rank < n || v->vary != x->vary || !plan_is_complete(v) || v->slice || v->merged) return false;
    for (int d = 0; d < n; d++) if (v->dim[d] != x->dim[d] || plan_atoms(v, d) != plan_atoms(x, d)) return false;
    return true;
}

/* ---- the operand ---- */

/* Dim d of the operand corresponds to dim from[d] of the tensor like[d]: operand 0 or 1, or 2, the result. */
typedef struct { int operand, ncut, like[IR_RANK], from[IR_RANK]; } shape;

/* True if the operand is laid out as [batches, kept, contracted]. Sets s: each dim is a dim of the result or of the
 * other operand. */
static bool prologue_shape_of(const ir_eqn *e, int operand, shape *s)
{
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    const ir_dims batch = operand ? a->rhs_batching_dimensions : a->lhs_batching_dimensions;
    const ir_dims sum = operand ? a->rhs_contracting_dimensions : a->lhs_contracting_dimensions;
    const ir_dims other = operand ? a->lhs_contracting_dimensions : a->rhs_contracting_dimensions;
    const int rank = IR_IN(e, operand)->rank, rest = IR_OUT(e, 0)->rank - (rank - sum.n);
    *s = (shape){ .operand = operand, .ncut = rank - sum.n };
    for (int d = 0; d < rank; d++) {
        if (d < batch.n ? batch.v[d] != d : op_dims_has(sum, d) != (d >= s->ncut)) return false;
        s->like[d] = 2, s->from[d] = d < batch.n || !operand ? d : d + rest;
    }
    for (int i = 0; i < sum.n; i++) s->like[sum.v[i]] = 1 - operand, s->from[sum.v[i]] = (int)other.v[i];
    return s->ncut > 0 && sum.n > 0;
}

/* True if each dim of the operand is sharded as the dim that it corresponds to, and one row is small enough. */
static bool prologue_fits(const plan_flat *f, const plan_group *dot, const shape *s)
{
    const plan_value *x = &f->value[dot->in[s->operand]];
    int64_t row = (int64_t)ir_dtype_of(x->dtype)->bytes;
    for (int d = 0; d < x->rank; d++) {
        const plan_value *y = &f->value[s->like[d] == 2 ? dot->out[0] : dot->in[s->like[d]]];
        if (y->slice || y->merged || !plan_is_complete(y) || plan_atoms(x, d) != plan_atoms(y, s->from[d]))
            return false;
        if (d >= s->ncut) row *= x->dim[d];
    }
    return row <= ROW;
}

/* True if the runtime could merge the product's instances into one task (they share an operand) but not g's: fusing
 * would lose that. */
static bool parts_instances(const plan_flat *f, const plan_group *dot, const plan_group *g, const plan_value *v)
{
    bool fit = true;
    for (uint32_t k = 0; k < g->nin; k++) {
        const plan_value *x = &f->value[g->in[k]];
        fit &= !x->vary || (x->rank == v->rank && prologue_same_dims(x, v, x->rank));
    }
    return !fit && (f->value[dot->in[0]].vary != v->vary || f->value[dot->in[1]].vary != v->vary);
}

static int64_t all_bytes(const plan_flat *f, const plan_value *x) /* bytes of all instances */
{
    return x->bytes * (f->mesh ? mesh_set_size(f->mesh, x->vary) : 1);
}

/* True if every instance of the product has work. An instance without work would request no part, and the equations'
 * other results would not be computed. */
static bool every_instance_works(const plan_value *y, const shape *s)
{
    bool kept[IR_RANK] = { false };
    for (int d = 0; d < s->ncut; d++) kept[s->from[d]] = true;
    for (int d = 0; d < y->rank; d++) if (!kept[d] && (!y->dim[d] || plan_atoms(y, d))) return false;
    return true;
}

static bool prologue_worthwhile(const plan_pairs *p, const plan_item *t, const plan_group *dot, const shape *s)
{
    const plan_flat *f = p->f;
    const plan_id v = dot->in[s->operand];
    const plan_value *x = &f->value[v];
    if (p->consumers[v] != 1 || x->base != v || x->root != v ||
        f->value[dot->in[1 - s->operand]].base == v) return false;
    if (all_bytes(f, x) < plan_prologue_least || !prologue_same_dims(x, x, x->rank) || !prologue_fits(f, dot, s))
        return false;
    const uint32_t at = p->at[v];
    const plan_item *m = at ? p->b->item[at - 1] : NULL;
    if (!m || m->vary != t->vary || x->vary != t->vary || !is_producer(m, s->ncut)) return false;
    if (m->group->nout > 1 && !every_instance_works(&f->value[dot->out[0]], s)) return false;
    for (uint32_t j = 0; j < m->group->nout; j++) {
        const plan_id y = m->group->out[j];
        if (f->value[y].base != y || !prologue_same_dims(&f->value[y], x, s->ncut)) return false;
        for (uint32_t k = 0; k < t->group->nin; k++)
            if (y != v && f->value[t->group->in[k]].base == y) return false;
    }
    return !parts_instances(f, dot, m->group, x);
}

/* ---- the joined step ---- */

/* The joined group. The group's operands: those of `first`, of the product, of the epilogue. The group's results: those
 * of the epilogue, of `first` without v, of the product. */
static plan_group *both(const plan_flat *f, const plan_group *first, const plan_group *then, plan_id v)
{
    plan_group *g = BASE_NEW(f->a, plan_group, 1);
    const uint32_t nproducer = then->consumer ? then->nproducer : then->nin;
    *g = (plan_group){ .in = BASE_NEW(f->a, plan_id, first->nin + then->nin), .producer = then->producer,
        .consumer = then->consumer,
                       .chain = true, .out = BASE_NEW(f->a, plan_id, first->nout + then->nout) };
    for (uint32_t k = 0; k < first->nin; k++) plan_operand_index(g, first->in[k]);
    for (uint32_t k = 0; k < nproducer; k++) if (then->in[k] != v) plan_operand_index(g, then->in[k]);
    g->nproducer = g->nin;
    for (uint32_t k = nproducer; k < then->nin; k++) plan_operand_index(g, then->in[k]);
    for (uint32_t j = 0; j + 1 < then->nout; j++) g->out[g->nout++] = then->out[j];
    for (uint32_t j = 0; j < first->nout; j++) if (first->out[j] != v) g->out[g->nout++] = first->out[j];
    g->out[g->nout++] = then->out[then->nout - 1];
    return g;
}

static uint32_t prologue_argument(const plan_group *g, plan_id v, bool made)
{
    uint32_t i = 0;
    if (!made) while (i < g->nin && g->in[i] != v) i++;
    if (!made) return i < g->nin ? i : GEN_PART;
    while (i < g->nout && g->out[i] != v) i++;
    return i < g->nout ? g->nin + i : GEN_PART;
}

static uint32_t *arguments(const plan_flat *f, const plan_group *g, const plan_group *of)
{
    uint32_t *at = BASE_NEW(f->keep, uint32_t, of->nin + of->nout);
    for (uint32_t k = 0; k < of->nin; k++) at[k] = prologue_argument(g, of->in[k], false);
    for (uint32_t j = 0; j < of->nout; j++) at[of->nin + j] = prologue_argument(g, of->out[j], true);
    return at;
}

static void prologue_join(const plan_pairs *p, uint32_t from, uint32_t to, plan_position where, const plan_group *dot,
                          const shape *s)
{
    plan_flat *f = p->f;
    const plan_group *first = p->b->item[from]->group, *then = p->b->item[to]->group;
    const plan_value *x = &f->value[dot->in[s->operand]];
    plan_group *g = both(f, first, then, dot->in[s->operand]);
    gen_prologue e = { .producer = first->kernel->code, .nin = first->nin,
                       .nproducer = first->nin + first->nout, .nconsumer = then->nin + then->nout, .ncut = s->ncut,
                       .producer_at = arguments(f, g, first), .consumer_at = arguments(f, g, then),
                       .type = ir_type_of(x->dtype, x->rank, x->dim) };
    for (int d = 0; d < x->rank; d++) {
        e.like[d].arg = s->like[d] == 2 ? prologue_argument(g, dot->out[0], true) : prologue_argument(g,
            dot->in[s->like[d]], false);
        e.like[d].dim = s->from[d];
    }
    gen_on_demand_kernel(f->keep, &dot->kernel->group, s->operand, &e.consumer);
    if (then->consumer) {
        gen_epilogue behind = *then->epilogue;
        behind.producer = e.consumer;
        gen_epilogue_kernel(f->keep, &behind, &e.consumer);
    }
    for (uint32_t i = 0; i < first->n; i++) plan_group_add(f, g, first->item[i]);
    for (uint32_t i = 0; i < then->n; i++) plan_group_add(f, g, then->item[i]);
    g->kernel = BASE_NEW(f->a, plan_kernel, 1);
    gen_prologue_kernel(f->keep, &e, &first->kernel->group, &g->kernel->code);
    plan_pair_replace(p, from, to, where, g, p->b->item[to]);
}

/* Joins product i with the step that computes one of its operands; the larger operand first. */
static void prologue_pair(const plan_pairs *p, uint32_t i)
{
    const plan_item *t = p->b->item[i];
    const plan_group *dot = product_of(t);
    if (!dot) return;
    const bool right = p->f->value[dot->in[1]].bytes > p->f->value[dot->in[0]].bytes;
    for (int k = 0; k < 2; k++) {
        shape s;
        if (!prologue_shape_of(dot->item[0]->eqn, k ^ right, &s) || !prologue_worthwhile(p, t, dot, &s)) continue;
        const uint32_t from = p->at[dot->in[s.operand]] - 1;
        const plan_position where = plan_position_of(p, from, i);
        if (where == PLAN_NOWHERE) continue;
        prologue_join(p, from, i, where, dot, &s);
        return;
    }
}

void plan_prologue(plan_flat *f, plan_block *b)
{
    if (f->unfused || base_switch("no-prologue")) return;
    plan_pair(f, b, prologue_pair);
}
