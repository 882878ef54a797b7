/* plan/lower/sums.c - computes sums over devices of products as one product.
 *
 * A sum over devices of products, each over the device's rows, is one product over all rows: sum_i x_i^T y_i = X^T Y,
 * and all devices' rows are one box (merge_instances.c). This product replaces the products, through linear equations
 * between them and the sum (sums of minibatches, a mean's division, casts between floats, transposes), so that neither
 * a product per device nor the exchange remains; a reduce_scatter becomes a product that is sharded. Each result is a
 * sum of the same terms in another order, rounded once instead of once per device. Sums are not replaced
 * - in reproducible mode;
 * - for products of few elements: one product is split along rows and columns only, so devices would be idle;
 * - if few rows meet a weight whose parts are not contiguous: such a product reads the weight fastest part by part, as
 *   each device has it. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

enum { LEAST = 1 << 12, CHAIN = 256, FEW = 16 };         /* elements of a product; values of one sum; rows */

typedef struct {
    plan_flat *f; const plan_item *move;
    const uint32_t *uses;                                /* [base] */
    uint32_t most;                                       /* number of values before the pass */
    /* the sum's atoms and result; shards_further: the result is sharded further than the operand */
    mesh_set over; const plan_value *to; bool shards_further;
    uint32_t n, products; plan_id v[CHAIN];              /* values that become sums */
} chain;

/* True if t multiplies few rows by a weight that is not contiguous: each device has a part of every row, or the weight
 * is a row of a stack. */
static bool scattered(const chain *s, const plan_item *t, const ir_dims *const *sum)
{
    const int64_t elements[2] = { ir_count(IR_IN(t->eqn, 0)), ir_count(IR_IN(t->eqn, 1)) };
    const int w = elements[1] > elements[0];
    const plan_value *x = &s->f->value[t->in[w]];
    int64_t rows = elements[!w];
    if (!elements[0] || !elements[1]) return false;
    for (int i = 0; i < sum[w]->n; i++) rows /= x->dim[sum[w]->v[i]];
    if (rows > FEW || IR_ATTR(t->eqn, op_dot_attr)->lhs_batching_dimensions.n) return false;
    if (x->slice) return true;
    for (int d = 0; x->layout && d < x->rank; d++) {
        if (mesh_list_set(x->layout->dim[d].atoms) & s->over) return false;
        if (x->dim[d] > 1) return plan_layout_vary(x->layout) & s->over;
    }
    return false;
}

static bool sums_product(const chain *s, const plan_item *t)
{
    const op_dot_attr *a = IR_ATTR(t->eqn, op_dot_attr);
    const ir_dims *sum[2] = { &a->lhs_contracting_dimensions, &a->rhs_contracting_dimensions };
    if (ir_count(IR_OUT(t->eqn, 0)) < LEAST || scattered(s, t, sum)) return false;
    for (int k = 0; k < 2; k++) {
        const plan_value *x = &s->f->value[t->in[k]];
        if (x->rank == IR_RANK || !plan_mergeable(s->f, x, s->over)) return false;
        if (x->layout && !mesh_divides(x->layout, x->dim)) return false;
        mesh_set named = 0;
        for (int d = 0; x->layout && d < x->rank; d++) {
            const mesh_list l = x->layout->dim[d].atoms;
            const mesh_set here = mesh_list_set(l) & s->over;
            if (here && !op_dims_has(*sum[k], d)) return false;
            if (s->shards_further && l && !op_dims_has(*sum[k], d)) return false;
            for (int i = 1; i < mesh_list_n(l); i++)
                if (here >> mesh_list_at(l, i) & 1 && !(here >> mesh_list_at(l, i - 1) & 1)) return false;
            named |= here;
        }
        if (named && named != s->over) return false;
    }
    return true;
}

static bool linear(chain *s, plan_id v);

static bool fixed(const chain *s, plan_id v) { return !(s->f->value[v].vary & s->over); }

/* True if the sum of t's result over the devices can be computed from the sums of its operands. */
static bool passes(chain *s, const plan_item *t)
{
    const op_prim *op = t->eqn->op;
    if (op == &prim_add || op == &prim_sub) return linear(s, t->in[0]) && linear(s, t->in[1]);
    if (op == &prim_neg) return linear(s, t->in[0]);
    if (op == &prim_div) return fixed(s, t->in[1]) && linear(s, t->in[0]);
    if (op == &prim_mul) return fixed(s, t->in[1]) ? linear(s, t->in[0]) : fixed(s, t->in[0]) && linear(s, t->in[1]);
    if (op == &prim_transpose) return !s->shards_further && !s->to->layout && linear(s, t->in[0]);
    if (op != &prim_convert) return false;
    const tt_dtype x = s->f->value[t->in[0]].dtype;
    return ir_is_float(x) && ir_dtype_of(x)->bytes <= 4 && ir_dtype_of(s->f->value[t->out[0]].dtype)->bytes <= 4
           && linear(s, t->in[0]);
}

/* True if v can be computed as its sum over the devices where it is defined; collects the values that become sums. */
static bool linear(chain *s, plan_id v)
{
    const plan_value *x = &s->f->value[v];
    const plan_item *t = x->def;
    const bool view = x->base != v;
    if (s->n == CHAIN || !ir_is_float(x->dtype) || s->over & ~x->vary || x->slice || x->halo || x->in_iteration ||
        x->merged)
        return false;
    if (x->base > s->most || s->uses[x->base] != 1 || !t) return false;
    if (t->kind != PLAN_EQN || t->nout != 1 || t->block != s->move->block) return false;
    s->v[s->n++] = v;
    if (view && (s->shards_further || x->layout || s->n == CHAIN)) return false;
    if (view) s->v[s->n++] = x->base, x = &s->f->value[x->base];
    /* v is sharded along `over` */
    if (x->layout && s->over & ~x->layout->partial & plan_layout_vary(x->layout)) return false;
    if (s->shards_further && !plan_same_dims(x, s->to)) return false;
    if (t->eqn->op == &prim_dot_general) return s->products++, sums_product(s, t);
    return !t->cheap && passes(s, t);
}

/* The product of e with an added dim 0 in both operands, which is contracted. */
static const ir_eqn *wider(plan_flat *f, const ir_eqn *e, const ir_type *lhs, const ir_type *rhs)
{
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    ir_build *b = ir_begin(f->a, base_intern("joint"), f->mesh);
    const ir_id x[2] = { ir_arg(b, lhs), ir_arg(b, rhs) };
    const op_dot_attr w = { op_dims_shifted(b, a->lhs_batching_dimensions, 1, 0, 0),
                            op_dims_shifted(b, a->rhs_batching_dimensions, 1, 0, 0),
                            op_dims_shifted(b, a->lhs_contracting_dimensions, 1, 1, 0),
                            op_dims_shifted(b, a->rhs_contracting_dimensions, 1, 1, 0), a->preferred_element_type,
                                a->precision };
    ir_site(b, e->site);
    const ir_id out = ir_emit(b, e->op, &w, 2, x, 0, NULL);
    const ir_fn *fn = out ? ir_end(b, 1, &out) : NULL;
    return fn ? &fn->eqn[0] : NULL;
}

/* Makes v its sum over the devices: the atoms `over` leave its vary set and partial set. */
static void sums_summed(const chain *s, plan_id v)
{
    plan_flat *f = s->f;
    plan_value *x = &f->value[v];
    const mesh_layout *l = s->shards_further ? s->to->layout : x->layout;
    if (l && l->partial) {
        mesh_layout less = *l;
        less.partial &= (mesh_set)~s->over;
        if (!less.partial) less.reduce = MESH_NONE;
        l = mesh_intern(&less);
    }
    x->layout = plan_layout_vary(l) ? l : NULL;
    x->vary = (x->vary & (mesh_set)~s->over) | plan_layout_vary(l);
    if (s->shards_further) x->bytes = run_bytes(x->dtype, x->rank, x->dim, x->layout, NULL);
    if (x->base == v) x->def->vary = x->vary;
}

/* Replaces the product's operands by views of all the operands' instances along `over`. */
static bool sums_join(const chain *s, plan_item *t)
{
    const plan_id x = plan_merged(s->f, t->in[0], s->over), y = plan_merged(s->f, t->in[1], s->over);
    if (!x || !y) return base_bug(t->site, "a product's devices are not together");
    const plan_value *l = &s->f->value[x], *r = &s->f->value[y];
    const ir_eqn *e = wider(s->f, t->eqn, ir_type_of(l->dtype, l->rank, l->dim), ir_type_of(r->dtype, r->rank, r->dim));
    if (e) t->in[0] = x, t->in[1] = y, t->eqn = e;
    return e;
}

/* True if the exchange's result is laid out as its operand, or is only sharded further, along dims that are unsharded
 * in the operand (sets shards_further). */
static bool layout_extends(chain *s, const plan_value *x)
{
    const mesh_layout *l = s->to->layout;
    for (int d = 0; d < x->rank; d++) {
        const mesh_list from = x->layout ? x->layout->dim[d].atoms : 0, to = l ? l->dim[d].atoms : 0;
        if (from == to) continue;
        if (from) return false;
        s->shards_further = true;
    }
    return plan_same_dims(x, s->to) && (l ? !l->partial : true);
}

static bool sums_as_product(plan_flat *f, plan_item *t, const uint32_t *uses, uint32_t most)
{
    const plan_value *x = &f->value[t->in[0]];
    chain s = { .f = f, .move = t, .uses = uses, .most = most, .over = t->move.route.over,
                .to = &f->value[t->out[0]] };
    if (t->move.route.reduce != MESH_SUM || mesh_list_n(t->move.route.order) || !layout_extends(&s, x)) return false;
    if (s.to->in_iteration || s.to->base != t->out[0]) return false;
    const mesh_set was = x->layout ? x->layout->partial : 0;
    if (was & (mesh_set)~s.over || s.to->root != t->out[0] || !linear(&s, t->in[0]) || !s.products) return false;
    for (uint32_t i = 0; i < s.n; i++) {
        plan_item *d = f->value[s.v[i]].def;
        if (f->value[s.v[i]].base == s.v[i] && d->eqn->op == &prim_dot_general && !sums_join(&s, d)) return false;
        s.to = &f->value[t->out[0]];                     /* the table of values may have moved */
    }
    for (uint32_t i = 0; i < s.n; i++) sums_summed(&s, s.v[i]);
    for (uint32_t i = 0; i < s.n && !s.shards_further; i++) {
        plan_item *d = f->value[s.v[i]].def;
        if (d->out[0] == s.v[i] && d->eqn->op == &prim_dot_general) plan_merge_shared_weight(f, d);
    }
    return true;
}

/* ---- all sums ---- */

static void sums_count(const plan_flat *f, const plan_block *b, uint32_t *uses)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        for (uint32_t k = 0; k < t->nin; k++) uses[f->value[t->in[k]].base]++;
        if (t->kind == PLAN_LOOP) uses[f->value[t->loop.test].base]++;
        PLAN_EACH_BLOCK(t, nested) sums_count(f, nested, uses);
    }
}

/* Removes the exchanges that became products: is[result] is the exchange's operand. */
static bool sums_find(plan_flat *f, plan_block *b, const uint32_t *uses, uint32_t most, plan_id *is)
{
    bool any = false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        PLAN_EACH_BLOCK(t, nested) any |= sums_find(f, nested, uses, most, is);
        const bool gone = t->kind == PLAN_MOVE && t->move.route.over && sums_as_product(f, t, uses, most);
        if (gone) is[t->out[0]] = t->in[0], any = true;
        else (b->item[n] = t)->index = n, n++;
    }
    b->n = n;
    return any;
}

static void rename_in(const plan_block *b, const plan_id *is)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        for (uint32_t k = 0; k < t->nin; k++) t->in[k] = is[t->in[k]];
        if (t->kind == PLAN_LOOP) t->loop.test = is[t->loop.test];
        PLAN_EACH_BLOCK(t, nested) rename_in(nested, is);
    }
}

static void renamed(plan_flat *f, uint32_t most, const plan_id *is)
{
    plan_id *now = BASE_NEW(f->a, plan_id, f->nvalue + 1);
    for (plan_id v = 1; v <= f->nvalue; v++) {
        plan_value *x = &f->value[v];
        now[v] = v <= most && is[v] ? is[v] : v;
        if (x->root <= most && is[x->root]) x->root = f->value[is[x->root]].root;
        if (x->base > most || !is[x->base]) continue;
        const plan_value y = f->value[is[x->base]];      /* a view of a sum */
        x->base = y.base, x->def = y.def;
    }
    rename_in(&f->main, now);
    for (uint32_t i = 0; i < f->fn->nret; i++) f->ret[i] = now[f->ret[i]];
}

/* Shares the weight of products whose sums remain exchanges. */
static void share_weights(plan_flat *f, const plan_block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        const bool dot = t->kind == PLAN_EQN && t->eqn->op == &prim_dot_general;
        const mesh_layout *l = dot ? f->value[t->out[0]].layout : NULL;
        if (l && l->partial) plan_merge_shared_weight(f, t);
        PLAN_EACH_BLOCK(t, nested) share_weights(f, nested);
    }
}

void plan_sums(plan_flat *f)
{
    const uint32_t most = f->nvalue;
    uint32_t *uses = BASE_NEW(f->a, uint32_t, most + 1);
    plan_id *is = BASE_NEW(f->a, plan_id, most + 1);
    sums_count(f, &f->main, uses);
    for (uint32_t i = 0; i < f->fn->nret; i++) uses[f->value[f->ret[i]].base]++;
    const bool any = sums_find(f, &f->main, uses, most, is);
    if (any) renamed(f, most, is);
    share_weights(f, &f->main);
}
