/* pass/merge_slices_sums.c - merges sums over slices of a batch: of contractions over the slices' rows, and of
 * reductions of the rows.
 *
 * Only sums of floats of 32 bits or more are merged, and no terms converted from 16 bits: where the sum of every slice
 * is rounded to 16 bits, rounding once changes the result by much more than the order of additions does. */
#include "merge_slices.h"
#include "../op/ops.h"

/* An addend. e: the contraction or reduction that defines v, if v has no other reader; NULL: any other value. */
typedef struct { ir_id v; const ir_eqn *e; } term;
/* Addends of a sum, in order. head[i]: the first addend that is merged with addend i, or i. */
typedef struct { uint32_t n, adds, head[MERGE_MOST]; term t[MERGE_MOST]; } sum;

static bool floats(const ir_type *t) { return ir_is_float(t->dtype) && ir_dtype_of(t->dtype)->bytes >= 4; }
bool merge_adds(const ir_eqn *e) { return e && e->op == &prim_add && floats(IR_OUT(e, 0)); }

/* The only contracted dim of operand `side` of an unbatched contraction; -1: several, or another equation. */
static int sum_dim(const ir_eqn *e, uint32_t side)
{
    const op_dot_attr *a = e->attr;
    if (e->op == &prim_dot_general && !a->lhs_batching_dimensions.n && a->lhs_contracting_dimensions.n == 1)
        return (int)(side ? a->rhs_contracting_dimensions : a->lhs_contracting_dimensions).v[0];
    return -1;
}

static uint32_t sides(const ir_eqn *e) { return e->op == &prim_reduce ? 1 : 2; }

/* True if e is a reduction by addition with initial value zero. */
static bool adds_up(const merge_state *s, const ir_eqn *e)
{
    const ir_eqn *z = e->nin == 2 ? s->def[e->in[1]] : NULL;
    const op_const_attr *c = z && z->op == &prim_const ? z->attr : NULL;
    const ir_fn *r = e->nsub ? e->sub[0] : NULL;
    bool zero = c != NULL;
    for (size_t i = 0; zero && i < c->data.bytes; i++) zero = !((const char *)c->data.p)[i];
    return zero && r && r->neqn == 1 && r->eqn[0].op == &prim_add && r->nret == 1 && r->ret[0] == r->eqn[0].out;
}

static term term_of(const merge_state *s, ir_id v)
{
    const ir_eqn *d = s->def[v];
    const bool own = d && s->uses[v] == 1 && floats(IR_OUT(d, 0));
    const bool is = own && (d->op == &prim_reduce ? d->nout == 1 && adds_up(s, d) : sum_dim(d, 0) >= 0);
    return (term){ v, is ? d : NULL };
}

/* True if two addends apply the same contraction or reduction to operands that differ only in the reduced sizes. */
static bool merge_sums_alike(const term *x, const term *y)
{
    if (!x->e || !y->e || x->e->op != y->e->op || x->e->attr != y->e->attr) return false;
    for (uint32_t k = 0; k < sides(x->e); k++) {
        const ir_type *t = IR_IN(x->e, k), *u = IR_IN(y->e, k);
        if (t->dtype != u->dtype || t->rank != u->rank) return false;
        for (int d = 0; d < t->rank; d++)
            if (t->dim[d] != u->dim[d] && d != sum_dim(x->e, k) && x->e->op != &prim_reduce) return false;
    }
    return true;
}

static void merge_sums_operands(uint32_t n, const term *t, uint32_t side, ir_id *v)
{
    for (uint32_t i = 0; i < n; i++) v[i] = t[i].e->in[side];
}

/* True if merging these addends pays: contractions, if their operands are one value each or can be concatenated by
 * copying no more bytes than the result has; reductions, if their operands are one value, sliced along a reduced
 * dim. */
static bool saves(const merge_state *s, uint32_t n, const term *t)
{
    int64_t copied = 0;
    ir_id v[MERGE_MOST] = { 0 };
    for (uint32_t side = 0; side < sides(t->e); side++) {
        int dim = sum_dim(t->e, side);
        merge_sums_operands(n, t, side, v);
        const bool whole = merge_is_all(s, n, v, &dim);
        if (t->e->op == &prim_reduce)
            return n > 1 && whole && op_dims_has(IR_ATTR(t->e, op_reduce_attr)->dimensions, dim);
        for (uint32_t i = 0; !whole && i < n; i++) copied += ir_bytes(IR_IN(t[i].e, side));
    }
    return n > 1 && copied <= ir_bytes(IR_OUT(t->e, 0));
}

/* Collects the addends of v in u. Returns false if there are more than MERGE_MOST, which also bounds the recursion. */
static bool terms(const merge_state *s, ir_id v, bool root, sum *u)
{
    const ir_eqn *d = s->def[v];
    const bool inside = merge_adds(d) && (root || (s->inner[v] && !s->of[d - s->f->eqn]));
    if (inside) return ++u->adds < MERGE_MOST && terms(s, d->in[0], false, u) && terms(s, d->in[1], false, u);
    u->head[u->n] = u->n;
    u->t[u->n++] = term_of(s, v);
    return true;
}

static uint32_t those(const sum *u, uint32_t head, term *t)
{
    uint32_t n = 0;
    for (uint32_t k = head; k < u->n; k++) if (u->head[k] == head) t[n++] = u->t[k];
    return n;
}

/* Fills u with the addends of e's sum. Returns true if some of them can be merged. */
static bool sum_of(const merge_state *s, const ir_eqn *e, sum *u)
{
    bool any = false;
    term t[MERGE_MOST];
    u->n = u->adds = 0;
    if (!merge_adds(e) || s->inner[e->out] || s->of[e - s->f->eqn] || !terms(s, e->out, true, u)) return false;
    for (uint32_t i = 0; i < u->n; i++) {
        if (u->head[i] != i) continue;
        for (uint32_t k = i + 1; k < u->n; k++) if (u->head[k] == k && merge_sums_alike(&u->t[i], &u->t[k]))
            u->head[k] = i;
        const bool one = u->t[i].e && saves(s, those(u, i, t), t);
        for (uint32_t k = i + 1; !one && k < u->n; k++) if (u->head[k] == i) u->head[k] = k;
        any |= one;
    }
    return any;
}

static ir_id in_one(merge_state *s, uint32_t n, const term *t)
{
    const ir_eqn *e = t->e;
    ir_id x[2], v[MERGE_MOST] = { 0 };
    for (uint32_t side = 0; side < 2; side++) {
        int dim = side < sides(e) ? sum_dim(e, side) : -1;
        merge_sums_operands(n, t, side, v);
        if (side >= sides(e)) x[side] = merge_value(s, v[0]);
        else if (merge_is_all(s, n, v, &dim)) x[side] = merge_value_of_all(s, n, v);
        else x[side] = merge_joined(s, n, v, dim);
        if (!x[side]) return 0;
    }
    ir_site(s->b, e->site);
    return ir_clone(s->b, e, x);
}

bool merge_is_sum(const merge_state *s, const ir_eqn *e)
{
    sum u;
    return sum_of(s, e, &u);
}

ir_id merge_sum(merge_state *s, const ir_eqn *e)
{
    sum u;
    term t[MERGE_MOST];
    ir_id y = 0;
    sum_of(s, e, &u);
    for (uint32_t i = 0; i < u.n; i++) {
        if (u.head[i] != i) continue;
        const uint32_t n = those(&u, i, t);
        const ir_id x = n > 1 ? in_one(s, n, t) : merge_value(s, u.t[i].v);
        ir_site(s->b, e->site);
        if (!x || (y && !(y = ir_emit(s->b, &prim_add, NULL, 2, (ir_id[]){ y, x }, 0, NULL)))) return 0;
        if (!y) y = x;
    }
    return y;
}
