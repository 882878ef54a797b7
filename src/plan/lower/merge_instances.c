/* plan/lower/merge_instances.c - views of the instances of several devices as one box: instances are in one arena with
 * a constant stride, so all of them are one box with a dim that counts them (run_value.merged).
 *
 * all_gather of contiguous parts is such a view. A product of few rows per device by a weight that is the same along
 * some axes gets a dim that counts the devices along these axes, so that the runtime runs the product as one task
 * (run/merge_instances.c): the weight is read once. Instances are not merged if rows are many, since nothing is gained
 * then, nor if the instances are already laid out as one array. */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

enum { FEW = 128 };                                      /* upper bound on rows per device */

/* ---- views of all instances ---- */

/* True if the atoms `over` are adjacent among those that v varies over, so that their instances have a constant
 * stride. */
static bool one_distance(const plan_flat *f, const plan_value *v, mesh_set over)
{
    const mesh_set low = over & -over, top = (mesh_set)(~(low - 1) & v->vary);
    mesh_set rest = top & (mesh_set)~over;
    return over && !(over & ~v->vary) && !(over & ~f->near) && (!rest || (rest & -rest) > over);
}

bool plan_mergeable(const plan_flat *f, const plan_value *v, mesh_set over)
{
    return !v->halo && !v->merged && one_distance(f, v, over) && !(v->layout && v->layout->partial);
}

bool plan_dense(const plan_flat *f, plan_id all)
{
    const plan_value *x = &f->value[all];
    const int behind = x->vary & ~((x->merged & -x->merged) - 1) & ~x->merged;
    int64_t bytes = (int64_t)ir_dtype_of(x->dtype)->bytes;
    for (int d = 0; d < x->rank; d++) bytes *= x->dim[d];
    return !behind && !x->layout && bytes == x->bytes * mesh_set_size(f->mesh, x->merged);
}

plan_id plan_merged(plan_flat *f, plan_id v, mesh_set over)
{
    const plan_value x = f->value[v];
    mesh_list cut[IR_RANK] = { 0 };
    int64_t dim[IR_RANK] = { f->mesh ? mesh_set_size(f->mesh, over) : 1 };
    mesh_set named = 0;
    if (x.rank == IR_RANK || !plan_mergeable(f, &x, over) || (x.layout && !mesh_divides(x.layout, x.dim))) return 0;
    for (int d = 0; d < x.rank; d++) {
        const mesh_list l = x.layout ? x.layout->dim[d].atoms : 0;
        dim[d + 1] = x.dim[d];
        for (int i = 0; i < mesh_list_n(l); i++) {
            const int a = mesh_list_at(l, i);
            if (over >> a & 1) named |= (mesh_set)(1u << a), dim[d + 1] /= f->mesh->atom[a];
            else cut[d + 1] = mesh_list_push(cut[d + 1], a);
            if (over >> a & 1 && cut[d + 1]) return 0;   /* the remaining atoms shard each part */
        }
    }
    if (named && named != over) return 0;
    const plan_id y = plan_new(f, x.dtype, x.rank + 1, dim, mesh_layout_dims(f->mesh, x.rank + 1, cut), 0);
    plan_value *z = &f->value[y];
    z->vary = x.vary & (mesh_set)~over, z->merged = over, z->bytes = x.bytes;
    z->base = x.base, z->root = x.root, z->def = x.def, z->in_iteration = x.in_iteration, z->slice = x.slice;
    return y;
}

plan_id plan_gathered(plan_flat *f, plan_id v, int d, mesh_list order)
{
    const plan_value x = f->value[v];
    mesh_list l = 0;
    for (int i = 0; i < mesh_list_n(order); i++)
        if (f->mesh->atom[mesh_list_at(order, i)] > 1) l = mesh_list_push(l, mesh_list_at(order, i));
    const mesh_set over = mesh_list_set(l);
    int64_t dim[IR_RANK];
    if (!over || l != mesh_set_list(over)) return 0;
    for (int k = 0; k < d; k++) if (x.dim[k] != 1) return 0;
    for (int k = 0; x.layout && k < x.rank; k++)         /* sharded along d only, by exactly these atoms */
        if (x.layout->dim[k].atoms != (k == d ? order : 0)) return 0;
    const uint32_t before = f->nvalue;
    const plan_id y = plan_merged(f, v, over);
    if (!y) return 0;
    plan_value *z = &f->value[y];
    memcpy(dim, x.dim, (size_t)x.rank * sizeof *dim);
    if (!x.layout) dim[d] *= mesh_set_size(f->mesh, over);
    z->rank = x.rank, z->dim = BASE_COPY(f->a, dim, x.rank), z->layout = NULL;
    if (plan_dense(f, y)) return y;
    f->nvalue = before;
    return 0;
}

/* ---- one weight ---- */

/* The dim that is sharded by the atoms of `over` first, alone or followed by others; -1: none. */
static int dim_sharded_by(const mesh_layout *l, mesh_set over)
{
    for (int d = 0; l && d < l->rank; d++) {
        mesh_set first = 0;
        for (int i = 0; i < mesh_list_n(l->dim[d].atoms) && first != over; i++)
            first |= (mesh_set)(1u << mesh_list_at(l->dim[d].atoms, i));
        if (first == over) return d;
    }
    return -1;
}

/* The layout and dims of x with an added dim at `at` that counts the parts along `over`. Dim d, which `over` shards,
 * follows with the remaining part of its size and atoms; d < 0: `over` shards no dim. */
static const mesh_layout *merge_instances_split(const plan_flat *f, const plan_value *x, mesh_set over, int d, int at,
    int64_t *dim)
{
    mesh_list cut[IR_RANK] = { 0 };
    dim[at] = mesh_set_size(f->mesh, over);
    if (d < 0) cut[at] = mesh_set_list(over);
    for (int k = 0; k < x->rank; k++) {
        const mesh_list all = x->layout ? x->layout->dim[k].atoms : 0;
        const int behind = k + (k >= at);
        dim[behind] = k == d ? x->dim[k] / dim[at] : x->dim[k];
        for (int i = 0; i < mesh_list_n(all); i++) {
            const int a = mesh_list_at(all, i), to = over >> a & 1 ? at : behind;
            cut[to] = mesh_list_push(cut[to], a);
        }
    }
    return mesh_layout_dims(f->mesh, x->rank + 1, cut);
}

/* The product of e with an added free dim at `at` in the first operand. */
static const ir_eqn *longer(plan_flat *f, const ir_eqn *e, const ir_type *lhs, int at)
{
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    const ir_type *rhs = IR_IN(e, 1);
    ir_build *b = ir_begin(f->a, base_intern("joint"), f->mesh);
    const ir_id x[2] = { ir_arg(b, lhs), ir_arg(b, ir_type_of(rhs->dtype, rhs->rank, rhs->dim)) };
    int64_t *sum = IR_NEW(b, int64_t, a->lhs_contracting_dimensions.n + 1);
    op_dot_attr w = *a;
    for (int i = 0; i < a->lhs_contracting_dimensions.n; i++) sum[i] = a->lhs_contracting_dimensions.v[i]
        + (a->lhs_contracting_dimensions.v[i] >= at);
    w.lhs_contracting_dimensions.v = sum;
    ir_site(b, e->site);
    const ir_id out = ir_emit(b, e->op, &w, 2, x, 0, NULL);
    const ir_fn *fn = out ? ir_end(b, 1, &out) : NULL;
    return fn ? &fn->eqn[0] : NULL;
}

/* True if instances are laid out as one array sharded along its outermost dim: the runtime merges such instances
 * without an added dim. */
static bool one_array(tt_dtype dtype, int rank, const int64_t *dim, const mesh_layout *l, int d)
{
    int64_t bytes = (int64_t)ir_dtype_of(dtype)->bytes;
    for (int k = 0; k < rank; k++) bytes *= dim[k] / (l ? mesh_list_size(l->mesh, l->dim[k].atoms) : 1);
    for (int k = 0; k < d; k++) if (dim[k] != 1) return false;
    return d >= 0 && bytes % RUN_CACHE_LINE == 0;
}

static bool even(const mesh_layout *l, const int64_t *dim) { return !l || mesh_divides(l, dim); }

/* True if one device has so few rows that sharing the weight is worth it. */
static bool few_rows(const plan_value *x, ir_dims sum)
{
    const mesh_layout *l = x->layout;
    int64_t rows = 1;
    for (int d = 0; d < x->rank; d++)
        if (!op_dims_has(sum, d)) rows *= x->dim[d] / (l ? mesh_list_size(l->mesh, l->dim[d].atoms) : 1);
    return rows && rows < FEW;
}

/* A product of few rows per instance along `over` by a weight that is the same along `over`, rewritten with a dim that
 * counts the instances: in x at `xat`, in the result y at `yat`. share returns false if e is not such a product. */
typedef struct { const ir_eqn *eqn; int64_t x[IR_RANK], y[IR_RANK]; const mesh_layout *lx, *ly; } shared;
static bool share(plan_flat *f, const ir_eqn *e, const plan_value *x, const plan_value *w, const plan_value *y,
                  shared *s)
{
    const op_dot_attr *a = IR_ATTR(e, op_dot_attr);
    const mesh_set over = x->vary & (mesh_set)~w->vary;
    if (!over || x->halo || x->slice || w->halo || a->lhs_batching_dimensions.n) return false;
    if (x->rank == IR_RANK || y->rank == IR_RANK || !even(x->layout, x->dim) || !even(y->layout, y->dim)) return false;
    if ((x->layout && x->layout->partial) || (y->layout && y->layout->partial & over)) return false;
    const int d = dim_sharded_by(x->layout, over), o = dim_sharded_by(y->layout, over),
        xat = d < 0 ? x->merged != 0 : d;
    int yat = 0;                                         /* free dims of x have this order in y */
    for (int k = 0; k < xat; k++) yat += !op_dims_has(a->lhs_contracting_dimensions, k);
    if (d < 0 ? over & (plan_layout_vary(x->layout) | plan_layout_vary(y->layout)) || over & ~y->vary
              : o != yat || op_dims_has(a->lhs_contracting_dimensions, d)) return false;
    if (!few_rows(x, a->lhs_contracting_dimensions)) return false;
    if (over == y->vary && !x->merged && one_array(x->dtype, x->rank, x->dim, x->layout, d)
        && one_array(y->dtype, y->rank, y->dim, y->layout, o)) return false;
    s->lx = merge_instances_split(f, x, over, d, xat, s->x);
    s->ly = merge_instances_split(f, y, over, o, yat, s->y);
    s->eqn = longer(f, e, ir_type_of(x->dtype, x->rank + 1, s->x), xat);
    return s->eqn;
}

bool plan_shared_weight(plan_flat *f, plan_block *b, const ir_eqn *e, const plan_id *in, plan_id *out)
{
    if (e->op != &prim_dot_general || f->reproducible || !f->mesh) return false;
    const plan_value x = f->value[in[0]], w = f->value[in[1]];
    const ir_type *t = IR_OUT(e, 0);
    const mesh_layout *l = e->fn->layout ? e->fn->layout[e->out] : NULL;
    const plan_value y = { .dtype = t->dtype, .rank = t->rank, .dim = t->dim, .layout = plan_layout_vary(l) ? l : NULL,
                           .vary = ((x.vary | w.vary) & f->manual) | plan_layout_vary(l) };
    shared s;
    if (x.merged || (y.layout && y.layout->partial) || !share(f, e, &x, &w, &y, &s)) return false; /* left to sums.c */
    plan_item *i = plan_item_new(f, b, PLAN_EQN, s.eqn, 2, 1);
    i->vary = y.vary;
    i->in[0] = plan_view(f, in[0], x.rank + 1, s.x, s.lx);
    i->in[1] = in[1];
    i->out[0] = plan_new(f, y.dtype, y.rank + 1, s.y, s.ly, y.vary);
    f->value[i->out[0]].def = i;
    out[0] = plan_view(f, i->out[0], y.rank, y.dim, l);
    return true;
}

/* Rewrites an existing product if its weight is the same along further atoms, for example a product over merged
 * instances, or a product whose results are summed later. The product's result becomes a view. */
void plan_merge_shared_weight(plan_flat *f, plan_item *t)
{
    const plan_id made = t->out[0];
    const plan_value x = f->value[t->in[0]], w = f->value[t->in[1]], y = f->value[made];
    shared s;
    if (!share(f, t->eqn, &x, &w, &y, &s)) return;
    t->eqn = s.eqn;
    t->in[0] = plan_view(f, t->in[0], x.rank + 1, s.x, s.lx);
    const plan_id all = t->out[0] = plan_new(f, y.dtype, y.rank + 1, s.y, s.ly, y.vary);
    for (plan_id v = 1; v < all; v++) {
        plan_value *u = &f->value[v];
        if (u->base == made) u->base = all;
        if (u->root == made) u->root = all;
    }
    f->value[all].def = t;
}
