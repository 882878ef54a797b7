/* plan/lower/flat.c - lowers a partitioned function to a flat program: blocks of items over values without a memory
 * space yet.
 *
 * - Equations that only rename (constrain, barrier, to_varying, a reshard between equal layouts) give their result the
 *   operand's value.
 * - Equations that keep the order of the elements (most reshapes) give their result a view: another value of the same
 *   bytes.
 * - Calls are inlined.
 * - A layout without atoms is replicated, and is NULL here. */
#include "../inner.h"
#include "../../op/ops.h"

#include <stdatomic.h>
#include <string.h>

/* ---- values ---- */

/* Atoms of size 1 shard nothing: they are left out of every set here (layouts keep them, for their names). */
mesh_set plan_differ(const mesh *m, mesh_set s)
{
    for (int a = 0; m && a < m->natom; a++) if (m->atom[a] == 1) s &= (mesh_set)~(1u << a);
    return s;
}

mesh_set plan_layout_vary(const mesh_layout *l) { return l ? plan_differ(l->mesh, mesh_layout_vary(l)) : 0; }

plan_id plan_new(plan_flat *f, tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l, mesh_set vary)
{
    if (f->nvalue + 1 >= f->capvalue) {
        const uint32_t cap = f->capvalue ? 2 * f->capvalue : f->fn->nvalue + f->fn->nvalue / 4 + 64;
        plan_value *grown = BASE_NEW(f->a, plan_value, cap);
        if (f->nvalue) memcpy(grown, f->value, (f->nvalue + 1) * sizeof *grown);
        f->value = grown;
        f->capvalue = cap;
    }
    const plan_id id = ++f->nvalue;
    if (l && !plan_layout_vary(l)) l = NULL;
    vary = plan_differ(f->mesh, vary) | plan_layout_vary(l);
    f->value[id] = (plan_value){ .dtype = dtype, .rank = rank, .dim = BASE_COPY(f->a, dim, rank), .layout = l,
                                 .vary = vary, .base = id, .root = id, .emitted = -1,
                                 .bytes = run_bytes(dtype, rank, dim, l, NULL) };
    return id;
}

plan_id plan_halo(plan_flat *f, plan_id v, const mesh_layout *l, const run_halo *halo, mesh_set vary)
{
    const plan_value x = f->value[v];
    const plan_id id = plan_new(f, x.dtype, x.rank, x.dim, l, vary);
    f->value[id].halo = BASE_COPY(f->a, halo, x.rank);
    f->value[id].bytes = run_bytes(x.dtype, x.rank, x.dim, l, halo);
    return id;
}

plan_id plan_like(plan_flat *f, plan_id v, mesh_set vary)
{
    const plan_value x = f->value[v];
    return plan_new(f, x.dtype, x.rank, x.dim, x.layout, vary);
}

plan_id plan_view(plan_flat *f, plan_id of, int rank, const int64_t *dim, const mesh_layout *l)
{
    const plan_value x = f->value[of];
    const plan_id v = plan_new(f, x.dtype, rank, dim, l, x.vary);
    f->value[v].base = x.base;
    f->value[v].root = x.root;
    f->value[v].def = x.def;
    f->value[v].in_iteration = x.in_iteration;
    if (x.merged) f->value[v].merged = x.merged, f->value[v].bytes = x.bytes;
    if (x.slice) f->value[v].slice = x.slice, f->value[v].bytes = x.bytes;
    return plan_alike(&f->value[v], &f->value[x.base]) ? x.base : v;
}

static mesh_list significant(const mesh *m, mesh_list l)
{
    mesh_list r = 0;
    for (int i = 0; i < mesh_list_n(l); i++)
        if (m->atom[mesh_list_at(l, i)] > 1) r = mesh_list_push(r, mesh_list_at(l, i));
    return r;
}

static bool same_layout(const mesh_layout *a, const mesh_layout *b, int rank)
{
    if (a && !plan_layout_vary(a)) a = NULL;
    if (b && !plan_layout_vary(b)) b = NULL;
    if (a == b) return true;
    if (!a || !b || plan_differ(a->mesh, a->partial ^ b->partial)) return false;
    for (int d = 0; d < rank; d++)
        if (a->dim[d].atoms != b->dim[d].atoms &&
            significant(a->mesh, a->dim[d].atoms) != significant(b->mesh, b->dim[d].atoms))
            return false;
    return true;
}

bool plan_same_dims(const plan_value *x, const plan_value *y)
{
    if (x->rank != y->rank) return false;
    for (int d = 0; d < x->rank; d++) if (x->dim[d] != y->dim[d]) return false;
    return true;
}

bool plan_alike(const plan_value *x, const plan_value *y)
{
    if (x->dtype != y->dtype || x->vary != y->vary || x->halo != y->halo || x->merged != y->merged) return false;
    return plan_same_dims(x, y) && same_layout(x->layout, y->layout, x->rank);
}

/* ---- items ---- */

static _Atomic uint32_t planned;                         /* number of equations that this process has planned */

bool plan_past_ref_after(const plan_flat *f) { return atomic_load(&planned) >= f->ref_after; }

/* Numbers the equation, for TUTTI=ref-after. Equations before the limit are lowered in the same way whatever the limit
 * is; only equations after it, which the reference computes, are lowered differently. */
static void flat_count(const plan_flat *f, plan_item *t)
{
    const uint32_t number = atomic_fetch_add(&planned, 1) + 1;
    t->ref = number > f->ref_after;
    if (number == f->ref_after)
        base_log("%s: equation %u is the last before ref-after: %s", t->site ? t->site : "?", (unsigned)number,
                 ir_eqn_text(f->a, t->eqn));
}

plan_item *plan_item_new(plan_flat *f, plan_block *b, plan_kind kind, const ir_eqn *e, uint32_t nin, uint32_t nout)
{
    plan_item *t = BASE_NEW(f->a, plan_item, 1);
    t->kind = kind;
    t->eqn = e;
    t->site = e ? e->site : NULL;
    t->name = e ? e->op->name : NULL;
    if (kind == PLAN_EQN) flat_count(f, t);
    t->nin = nin;
    t->nout = nout;
    t->in = BASE_NEW(f->a, plan_id, nin);
    t->out = BASE_NEW(f->a, plan_id, nout);
    if (b->n == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 32;
        plan_item **grown = BASE_NEW(f->a, plan_item *, b->cap);
        if (b->n) memcpy(grown, b->item, b->n * sizeof *grown);
        b->item = grown;
    }
    t->block = b;
    t->index = b->n;
    b->item[b->n++] = t;
    return t;
}

plan_item *plan_control_new(plan_flat *f, plan_block *b, plan_kind kind, const ir_eqn *e, uint32_t nin, uint32_t nout,
                            uint32_t nnested)
{
    plan_item *t = plan_item_new(f, b, kind, e, nin, nout);
    t->nnested = nnested;
    t->nested = BASE_NEW(f->a, plan_block, nnested);
    return t;
}

plan_id plan_move(plan_flat *f, plan_block *b, const ir_eqn *e, plan_id from, plan_id to)
{
    plan_item *t = plan_item_new(f, b, PLAN_MOVE, e, 1, 1);
    t->in[0] = from;
    t->out[0] = to;
    t->vary = f->value[to].vary;
    f->value[to].def = t;
    return to;
}

plan_id plan_copy(plan_flat *f, plan_block *b, const ir_eqn *e, plan_id from, plan_id to)
{
    plan_move(f, b, e, from, to);
    b->item[b->n - 1]->move.copy = plan_alike(&f->value[from], &f->value[to]);
    return to;
}

/* ---- the walk ---- */

static const mesh_layout *flat_layout_of(const ir_fn *fn, ir_id id) { return fn->layout ? fn->layout[id] : NULL; }

/* Appends an equation. All its results get the same vary set, so that one task writes each of them once. */
static bool walk_compute(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    plan_id *x = BASE_COPY(f->a, in, e->nin);
    if (e->sharding && !plan_windows(f, b, e, x)) return false;
    if (!f->looked_at && plan_shared_weight(f, b, e, x, out)) return true;
    plan_item *t = plan_item_new(f, b, PLAN_EQN, e, e->nin, e->nout);
    for (uint32_t i = 0; i < e->nin; i++) {
        t->in[i] = x[i];
        t->vary |= f->value[x[i]].vary & f->manual;
    }
    for (uint32_t j = 0; j < e->nout; j++) t->vary |= plan_layout_vary(flat_layout_of(e->fn, e->out + j));
    if (plan_is_host(t)) t->vary |= plan_host_vary(f, e, x);
    for (uint32_t j = 0; j < e->nout; j++) {
        const ir_type *y = IR_OUT(e, j);
        out[j] = t->out[j] = plan_new(f, y->dtype, y->rank, y->dim, flat_layout_of(e->fn, e->out + j), t->vary);
        f->value[out[j]].def = t;
    }
    t->cheap = (e->op == &prim_iota || e->op == &prim_broadcast_in_dim) && !t->ref && !f->looked_at;
    return true;
}

/* A while over few replicated scalars is one step with a compiled kernel, like an equation; other loops become nested
 * blocks. */
static bool walk_while(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    bool whole = !f->unfused && !plan_past_ref_after(f);
    for (uint32_t i = 0; i < e->nin; i++) whole &= !f->value[in[i]].vary;
    if (whole && !gen_region.refuses(&(gen_group){ 1, &e, e->nin, e->nout, e->in, &e->out, false }))
        return walk_compute(f, b, e, in, out);
    return plan_while(f, b, e, in, out);
}

static bool walk_slice(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    return plan_slice_ptr(f, b, e, in, out) || walk_compute(f, b, e, in, out);
}

static bool walk_update(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    return plan_write_in_place(f, b, e, in, out) || walk_compute(f, b, e, in, out);
}

static bool walk_const(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    const op_const_attr *c = IR_ATTR(e, op_const_attr);
    const ir_type *y = IR_OUT(e, 0);
    if (c->splat || ir_count(y) == 1) {
        walk_compute(f, b, e, in, out);
        b->item[b->n - 1]->cheap = !b->item[b->n - 1]->ref && !f->looked_at;
        return true;
    }
    out[0] = plan_new(f, y->dtype, y->rank, y->dim, NULL, 0);
    plan_const *k = BASE_NEW(f->a, plan_const, 1);
    *k = (plan_const){ out[0], c->data.p, c->data.bytes, f->consts };
    f->consts = k;
    if (!plan_layout_vary(flat_layout_of(e->fn, e->out))) return true;
    out[0] = plan_move(f, b, e, out[0], plan_new(f, y->dtype, y->rank, y->dim, flat_layout_of(e->fn, e->out), 0));
    return true;
}

/* All parts of a value that is sharded along one dim, as a view; 0: the parts are not contiguous in order. */
static plan_id flat_all_parts(plan_flat *f, plan_id v)
{
    const mesh_layout *l = f->value[v].layout;
    int d = 0;
    while (d < l->rank && !l->dim[d].atoms) d++;
    return d < l->rank && !l->partial ? plan_gathered(f, v, d, l->dim[d].atoms) : 0;
}

/* A primitive that passes its operands: result i is operand i, possibly in another layout. An operand's partial
 * values are combined over the atoms that are no longer partial in the result. */
static bool walk_same(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    for (uint32_t i = 0; i < e->nout; i++) {
        const plan_value x = f->value[in[i]];
        const mesh_layout *to = flat_layout_of(e->fn, e->out + i);
        out[i] = in[i];
        if (same_layout(x.layout, to, x.rank)) continue;
        const mesh_set stay = to ? to->partial : 0, was = x.layout ? x.layout->partial : 0;
        if (plan_layout_vary(x.layout) && !plan_layout_vary(to) && (out[i] = flat_all_parts(f, in[i]))) continue;
        out[i] = plan_move(f, b, e, in[i], plan_new(f, x.dtype, x.rank, x.dim, to, x.vary & f->manual));
        plan_item *t = b->item[b->n - 1];
        const mesh_set over = plan_differ(f->mesh, was & (mesh_set)~stay);
        t->move.route = (run_route){ .over = over, .reduce = over ? x.layout->reduce : MESH_NONE };
        if (!plan_shares(f, x.layout, to, t)) return false;
    }
    return true;
}

static bool walk_call(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    return plan_walk(f, b, e->sub[0], in, out);
}

/* True if the elements keep their row-major order: reshape always does; broadcast and transpose do if only dims of size
 * 1 are added or moved. */
static bool keeps_order(const ir_eqn *e)
{
    const ir_type *x = IR_IN(e, 0), *y = IR_OUT(e, 0);
    if (e->op == &prim_reshape) return true;
    if (ir_count(x) != ir_count(y) || !ir_count(y)) return false;
    const ir_dims map = e->op == &prim_transpose ? IR_ATTR(e, op_transpose_attr)->permutation
                                                : IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions;
    /* the type that the map indexes: the operand for transpose, the result for broadcast */
    const ir_type *t = e->op == &prim_transpose ? x : y;
    int64_t before = -1;
    for (int d = 0; d < map.n; d++) {
        if (t->dim[map.v[d]] == 1) continue;
        if (map.v[d] < before) return false;
        before = map.v[d];
    }
    return true;
}

/* True if no instance has gaps between rows: parts are even, or only the outermost dim (of size > 1) is sharded. */
static bool flat_dense(const mesh_layout *l, int rank, const int64_t *dim)
{
    if (!l || mesh_divides(l, dim)) return true;
    for (int d = 0, outer = 1; d < rank; d++) {
        if (mesh_list_n(l->dim[d].atoms) && !outer) return false;
        if (dim[d] != 1) outer = 0;
    }
    return true;
}

static bool walk_shape(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    const plan_value x = f->value[in[0]];
    const ir_type *y = IR_OUT(e, 0);
    const mesh_layout *l = flat_layout_of(e->fn, e->out);
    const mesh_set vary = plan_layout_vary(l) | (x.vary & f->manual);
    const int64_t bytes = x.slice || x.merged ? run_bytes(x.dtype, x.rank, x.dim, x.layout, NULL) : x.bytes;
    if (!keeps_order(e) || x.vary != vary || !flat_dense(x.layout, x.rank, x.dim) || !flat_dense(l, y->rank, y->dim)
        || bytes != run_bytes(y->dtype, y->rank, y->dim, l, NULL) || (x.layout && x.layout->partial)
        || (x.merged && !plan_dense(f, in[0])))
        return walk_compute(f, b, e, in, out);
    out[0] = plan_view(f, in[0], y->rank, y->dim, l);
    return true;
}

typedef bool walk(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
static const struct { const op_prim *op; walk *walk; } walks[] = {
    { &prim_const, walk_const },    { &prim_reshape, walk_shape },
    { &prim_transpose, walk_shape }, { &prim_broadcast_in_dim, walk_shape },
    { &prim_call, walk_call },      { &prim_custom_jvp, walk_call },
    { &prim_custom_vjp, walk_call }, { &prim_manual, plan_manual },
    { &prim_while, walk_while },    { &prim_case, plan_case },
    { &prim_dynamic_slice, walk_slice }, { &prim_dynamic_update_slice, walk_update },
};

static walk *walk_of(const op_prim *op)
{
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) if (walks[i].op == op) return walks[i].walk;
    if (op->passes) return walk_same;
    return op->exchange && op->exchange != op_exchange_none ? plan_collective : walk_compute;
}

bool plan_walk(plan_flat *f, plan_block *b, const ir_fn *fn, const plan_id *in, plan_id *out)
{
    plan_id *env = BASE_NEW(f->a, plan_id, fn->nvalue + 1);
    uint32_t most = 1;
    for (uint32_t i = 0; i < fn->neqn; i++) if (fn->eqn[i].nin > most) most = fn->eqn[i].nin;
    plan_id *x = BASE_NEW(f->a, plan_id, most);
    for (uint32_t i = 0; i < fn->narg; i++) env[1 + i] = in[i];
    for (uint32_t i = 0; i < fn->neqn; i++) {
        const ir_eqn *e = &fn->eqn[i];
        for (uint32_t k = 0; k < e->nin; k++) x[k] = env[e->in[k]];
        if (!walk_of(e->op)(f, b, e, x, env + e->out)) return false;
    }
    for (uint32_t i = 0; i < fn->nret; i++) out[i] = env[fn->ret[i]];
    return true;
}
