/* plan/lower/manual.c - dissolves manual regions: their values become plan values with local dims and vary sets
 * inferred here.
 *
 * A shard of a global array and the local array of the region's body are the same bytes, so entering and leaving a
 * region are views. The vary set of a local value is inferred and never taken from the user's types:
 * - a constant has none;
 * - a parameter has the atoms of its in-layout;
 * - psum and all_gather are equal on all members and remove their axes; other collectives add their axes;
 * - any other value has the union of its operands' sets.
 *
 * A collective treats its operand as the parts of one global array over its axes (op_exchange): view, one exchange,
 * view. A result that varies over an axis which its out-layout does not name is taken from place 0 of that axis (some
 * guides of JAX return such results on purpose). */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

/* ---- variation ---- */

static mesh_set vary_collective(const op_exchange *x, mesh_set in)
{
    if (x->index) return x->over;
    return x->to_dim >= 0 || x->source ? in | x->over : in & (mesh_set)~x->over;
}

static bool has_exchange(const ir_eqn *e, op_exchange *x)
{
    return e->op->exchange && e->op->exchange != op_exchange_none && e->op->exchange(e, x);
}

/* Manual atoms over which each result varies. */
static void vary_of(const ir_fn *, const mesh_set *in, mesh_set *out);

static void vary_manual(const ir_eqn *e, mesh_set *x, mesh_set *y)
{
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_set bound = mesh_named(e->fn->mesh, a->manual_axes.n, a->manual_axes.v);
    mesh_set in[e->nin + 1];
    for (uint32_t i = 0; i < e->nin; i++) in[i] = x[i] | (mesh_layout_vary(a->in_shardings.v[i]) & bound);
    vary_of(e->sub[0], in, y);
    for (uint32_t i = 0; i < e->nout; i++) y[i] &= (mesh_set)~bound;
}

/* Grows the carries' sets until the body returns no larger ones. If the loop's condition differs between devices, the
 * carries differ too. */
void plan_vary_while(const ir_eqn *e, mesh_set *x, mesh_set *y)
{
    mesh_set test;
    for (bool grew = true; grew;) {
        grew = false;
        vary_of(e->sub[0], x, &test);
        vary_of(e->sub[1], x, y);
        for (uint32_t i = 0; i < e->nout; i++) {
            const mesh_set all = x[i] | y[i] | (op_invariant(e->sub[1], i) ? 0 : test);
            grew |= all != x[i];
            x[i] = all;
        }
    }
    memcpy(y, x, e->nout * sizeof *y);
}

void plan_vary_case(const ir_eqn *e, mesh_set *x, mesh_set *y)
{
    mesh_set one[e->nout + 1];
    for (uint32_t j = 0; j < e->nout; j++) y[j] = x[0];
    for (uint32_t s = 0; s < e->nsub; s++) {
        vary_of(e->sub[s], x + 1, one);
        for (uint32_t j = 0; j < e->nout; j++) y[j] |= one[j];
    }
}

static void vary_call(const ir_eqn *e, mesh_set *x, mesh_set *y) { vary_of(e->sub[0], x, y); }

static void vary_each(const ir_eqn *e, mesh_set *x, mesh_set *y)
{
    for (uint32_t j = 0; j < e->nout; j++) y[j] = x[j];
}

static void vary_other(const ir_eqn *e, mesh_set *x, mesh_set *y)
{
    op_exchange o = { 0 };
    mesh_set all = 0;
    for (uint32_t i = 0; i < e->nin; i++) all |= x[i];
    if (has_exchange(e, &o)) all = vary_collective(&o, all);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = all;
}

typedef void vary_rule(const ir_eqn *, mesh_set *x, mesh_set *y);
static const struct { const op_prim *op; vary_rule *rule; } rules[] = {
    { &prim_manual, vary_manual }, { &prim_while, plan_vary_while }, { &prim_case, plan_vary_case },
    { &prim_call, vary_call },    { &prim_custom_jvp, vary_call }, { &prim_custom_vjp, vary_call },
};

static void vary_of(const ir_fn *fn, const mesh_set *in, mesh_set *out)
{
    mesh_set env[fn->nvalue + 2];
    for (uint32_t i = 0; i < fn->narg; i++) env[1 + i] = in[i];
    for (uint32_t i = 0; i < fn->neqn; i++) {
        const ir_eqn *e = &fn->eqn[i];
        vary_rule *rule = e->op->passes ? vary_each : vary_other;
        mesh_set x[e->nin + 1];
        for (uint32_t k = 0; k < e->nin; k++) x[k] = env[e->in[k]];
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) if (rules[r].op == e->op) rule = rules[r].rule;
        rule(e, x, env + e->out);
    }
    for (uint32_t i = 0; i < fn->nret; i++) out[i] = env[fn->ret[i]];
}

mesh_set plan_communicates(const ir_fn *fn)
{
    mesh_set all = 0;
    for (uint32_t i = 0; i < fn->neqn; i++) {
        const ir_eqn *e = &fn->eqn[i];
        op_exchange x = { 0 };
        if (has_exchange(e, &x) && !x.index) all |= x.over;
        for (uint32_t s = 0; s < e->nsub; s++) all |= plan_communicates(e->sub[s]);
    }
    return all;
}

/* ---- regions ---- */

static const mesh_layout *manual_layout_of(const ir_fn *fn, ir_id id) { return fn->layout ? fn->layout[id] : NULL; }

/* A view of v's bytes with other dims; v itself if nothing changes. */
static plan_id view(plan_flat *f, plan_id v, int rank, const int64_t *dim, const mesh_layout *l)
{
    const plan_value *x = &f->value[v];
    bool same = x->rank == rank && x->layout == (l && plan_differ(f->mesh, mesh_layout_vary(l)) ? l : NULL);
    for (int d = 0; same && d < rank; d++) same = x->dim[d] == dim[d];
    return same ? v : plan_view(f, v, rank, dim, l);
}

bool plan_manual(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const ir_fn *body = e->sub[0];
    const mesh_set outer = f->manual;
    plan_id *x = BASE_NEW(f->a, plan_id, e->nin), *y = BASE_NEW(f->a, plan_id, e->nout);
    f->manual |= plan_differ(f->mesh, mesh_named(f->mesh, a->manual_axes.n, a->manual_axes.v));
    for (uint32_t i = 0; i < e->nin; i++) {
        const ir_type *t = body->type[1 + i];
        x[i] = view(f, in[i], t->rank, t->dim, manual_layout_of(body, 1 + i));
    }
    if (!plan_walk(f, b, body, x, y)) return false;
    f->manual = outer;
    for (uint32_t i = 0; i < e->nout; i++) {
        const ir_type *t = IR_OUT(e, i);
        const mesh_layout *l = manual_layout_of(e->fn, e->out + i);
        const mesh_set vary = plan_differ(f->mesh, mesh_layout_vary(l)) | (f->value[y[i]].vary & outer);
        if (f->value[y[i]].vary != vary) y[i] = plan_move(f, b, e, y[i], plan_like(f, y[i], vary));
        out[i] = view(f, y[i], t->rank, t->dim, l);
    }
    return true;
}

/* ---- collectives ---- */

/* The layout of the global array of which v is a part over the atoms of `order`: dim d is sharded first by the atoms of
 * `order`. */
static const mesh_layout *shard_further(plan_flat *f, const plan_value *v, int d, mesh_list order)
{
    mesh_list list[IR_RANK] = { 0 };
    for (int k = 0; k < v->rank; k++) list[k] = v->layout ? v->layout->dim[k].atoms : 0;
    list[d] = mesh_list_join(order, list[d]);
    return mesh_layout_dims(f->mesh, v->rank, list);
}

/* axis_index: the position along the axes, which is this device's part of the array 0, 1, ..., n-1. */
static plan_id manual_axis_index(plan_flat *f, plan_block *b, const ir_eqn *e, const op_exchange *x)
{
    const int64_t n = mesh_list_size(f->mesh, x->order);
    const mesh_list cut[1] = { x->order };
    int32_t *row = BASE_NEW(f->a, int32_t, n);
    for (int64_t i = 0; i < n; i++) row[i] = (int32_t)i;
    const plan_id all = plan_new(f, TT_I32, 1, &n, NULL, 0);
    plan_const *k = BASE_NEW(f->a, plan_const, 1);
    *k = (plan_const){ all, row, (size_t)n * sizeof *row, f->consts };
    f->consts = k;
    return view(f, plan_move(f, b, e, all, plan_new(f, TT_I32, 1, &n, mesh_layout_dims(f->mesh, 1, cut), 0)), 0, NULL,
                NULL);
}

bool plan_collective(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    op_exchange x = { .from_dim = -1, .to_dim = -1 };
    if (!e->op->exchange(e, &x)) return base_bug(e->site, "%s says no exchange", e->op->name);
    x.over = plan_differ(f->mesh, x.over);
    if (x.index) return out[0] = manual_axis_index(f, b, e, &x), true;

    plan_id from = in[0];
    if (!x.over && !x.source && !f->value[from].layout) return out[0] = from, true; /* one device: nothing moves */
    /* a change of layout over atoms that are not manual */
    const mesh_layout *const layouts = e->fn->layout ? e->fn->layout[e->out] : NULL;
    const plan_value *const o = &f->value[from];
    const mesh_layout *const whole = mesh_replicated(f->mesh, o->rank);
    if (!run_same_storage(layouts ? layouts : whole, o->layout ? o->layout : whole))
        from = plan_move(f, b, e, from, plan_new(f, o->dtype, o->rank, o->dim, layouts, o->vary & f->manual));
    if (x.from_dim >= 0 && x.to_dim < 0 && !x.source && (out[0] = plan_gathered(f, from, x.from_dim, x.order)))
        return true;
    if (x.from_dim >= 0 && (x.over & (mesh_set)~f->value[from].vary)) /* every member needs its own part */
        from = plan_move(f, b, e, from, plan_like(f, from, f->value[from].vary | x.over));
    const plan_value v = f->value[from];
    int64_t dim[IR_RANK];
    memcpy(dim, v.dim, (size_t)v.rank * sizeof *dim);
    if (x.from_dim >= 0) {
        dim[x.from_dim] *= mesh_list_size(f->mesh, x.order);
        from = view(f, from, v.rank, dim, shard_further(f, &v, x.from_dim, x.order));
    }
    const mesh_layout *to = x.to_dim >= 0 ? shard_further(f, &v, x.to_dim, x.order) : v.layout;
    plan_id y = plan_new(f, v.dtype, v.rank, dim, to, vary_collective(&x, v.vary));
    plan_move(f, b, e, from, y);
    plan_item *t = b->item[b->n - 1];
    const mesh_set over = x.from_dim < 0 && x.reduce != MESH_NONE ? x.over : 0;
    t->move.route = (run_route){ over, over ? x.reduce : MESH_NONE, x.source ? x.order : 0,
                                 x.source ? BASE_COPY(f->a, x.source, x.nsource) : NULL };
    t->move.copy = !over && !x.source && plan_alike(&f->value[from], &f->value[y]);
    const ir_type *r = IR_OUT(e, 0);
    out[0] = view(f, y, r->rank, r->dim, v.layout);
    return true;
}
