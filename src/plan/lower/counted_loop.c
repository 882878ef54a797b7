/* plan/lower/counted_loop.c - analysis of counted loops, the form that scans are lowered to: one carry starts at 0 and
 * increases by 1 while it is less than n.
 * - If a counted loop writes one row of a carry of n rows per iteration, at the counter or counting down from the last
 *   row, the loop fills the carry: the carry's initial value is never read, so it is neither computed nor copied into
 *   place.
 * - A row that an iteration slices from a value which the loop does not change is not copied either: it is a value
 *   whose address changes per iteration (RUN_SLICE_PTR). */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

/* True if v, a value of a region of the while e or of the function around e, is the constant x in all iterations. */
static bool is_number(const ir_eqn *e, const ir_fn *f, ir_id v, int64_t x)
{
    if (v <= f->narg && f != e->fn) return op_invariant(e->sub[1], v - 1) && is_number(e, e->fn, e->in[v - 1], x);
    const ir_eqn *c = ir_definition(f, v);
    int32_t is;
    if (!c || c->op != &prim_const || IR_OUT(c, 0)->dtype != TT_I32 || IR_OUT(c, 0)->rank) return false;
    memcpy(&is, IR_ATTR(c, op_const_attr)->data.p, sizeof is);
    return is == x;
}

/* True if carry c takes the values 0 to n - 1, one per iteration. */
static bool counts(const ir_eqn *e, uint32_t c, int64_t n)
{
    const ir_fn *cond = e->sub[0], *body = e->sub[1];
    const ir_eqn *test = ir_definition(cond, cond->ret[0]), *next = ir_definition(body, body->ret[c]);
    if (!test || test->op != &prim_compare ||
        IR_ATTR(test, op_compare_attr)->comparison_direction != OP_CMP_LT) return false;
    if (!next || next->op != &prim_add || test->in[0] != 1 + c || next->in[0] != 1 + c) return false;
    return is_number(e, cond, test->in[1], n) && is_number(e, body, next->in[1], 1) && is_number(e, e->fn, e->in[c], 0);
}

/* True if v takes all values from 0 to n - 1, one per iteration, rising or falling. */
static bool sweeps(const ir_eqn *e, ir_id v, int64_t n)
{
    const ir_fn *body = e->sub[1];
    if (v <= body->narg) return counts(e, v - 1, n);
    const ir_eqn *turned = ir_definition(body, v);
    return turned && turned->op == &prim_sub && turned->in[1] <= body->narg && is_number(e, body, turned->in[0], n - 1)
           && counts(e, turned->in[1] - 1, n);
}

uint32_t plan_count_reads(const ir_fn *f, ir_id v)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nin; i++) n += f->eqn[k].in[i] == v;
    for (uint32_t j = 0; j < f->nret; j++) n += f->ret[j] == v;
    return n;
}

bool plan_overwrites_carry(const ir_eqn *e, uint32_t i)
{
    const ir_fn *body = e->sub[1];
    const ir_eqn *update = ir_definition(body, body->ret[i]);
    if (!update || update->op != &prim_dynamic_update_slice || update->in[0] != 1 + i) return false;
    const ir_type *all = IR_IN(update, 0), *row = IR_IN(update, 1);
    if (!all->rank || row->dim[0] != 1) return false;
    for (int d = 1; d < all->rank; d++) if (row->dim[d] != all->dim[d]) return false;
    if (plan_count_reads(body, update->out) != 1) return false; /* a further use may read a row before it is written */
    return plan_count_reads(body, 1 + i) == 1 && !plan_count_reads(e->sub[0], 1 + i) &&
        sweeps(e, update->in[2], all->dim[0]);
}

/* ---- rows ---- */

/* True if every instance has complete rows: only dims after the first are sharded, equally in both layouts. */
bool plan_same_rows(const plan_flat *f, const mesh_layout *x, const mesh_layout *y, int rank)
{
    if (!x && !y) return true;
    if (!x || !y || plan_differ(f->mesh, mesh_list_set(x->dim[0].atoms) | mesh_list_set(y->dim[0].atoms))) return false;
    for (int d = 1; d < rank; d++) if (x->dim[d].atoms != y->dim[d].atoms) return false;
    return x->partial == y->partial;
}

bool plan_slice_ptr(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    const plan_value x = f->value[in[0]], i = f->value[in[1]];
    const ir_type *t = IR_OUT(e, 0);
    if (!f->loop_depth || x.in_iteration || x.halo || x.merged || !t->rank || t->dim[0] != 1) return false;
    if (i.dtype != TT_I32 || i.vary) return false;
    for (int d = 1; d < t->rank; d++) if (t->dim[d] != x.dim[d]) return false;
    const mesh_layout *l = e->fn->layout ? e->fn->layout[e->out] : NULL;
    const plan_id y = plan_new(f, x.dtype, t->rank, t->dim, l, x.vary);
    plan_value *v = &f->value[y];
    if (v->vary != x.vary || !plan_same_rows(f, x.layout, v->layout, t->rank)) return f->nvalue--, false;
    plan_item *p = plan_item_new(f, b, PLAN_SLICE_PTR, e, 2, 1);
    p->in[0] = in[0], p->in[1] = in[1], p->out[0] = y;
    v->root = x.root, v->bytes = x.bytes, v->def = p, v->slice = ++f->nslice;
    out[0] = y;
    return true;
}
