/* plan/lower/rank_sums.c - sums over devices of several ranks, as exchanges of which fewer bytes leave a rank:
 *
 *       parts --(1)--> nodes --(2)--> pieces --(3)--> sum
 *
 * (1) A rank first combines the parts that it holds. The order of combining (run/combine_isa.c) is a tree over the
 *     places along the combined atoms, so the aligned blocks of 2^k places are subtrees: those along the near atoms of
 *     size 2 that are minor to all other combined atoms. Sums of narrow floats are rounded once, at the end, so their
 *     nodes are f32; blocks whose parts are no more bytes than such a node stay parts.
 * (2) With more than two ranks, each rank owns a piece of a larger result: the nodes of the piece come to its owner.
 * (3) The owner sends the piece's sum to all ranks.
 *
 * Every element is combined in the same tree as in one step, so the bits are the same. */
#include "../inner.h"

#include <string.h>

/* PIECES: least bytes that are worth owners. OWNERS: least owners. SPARE: least elements of an owner along a dim that
 * the owners share unevenly. */
enum { PIECES = 8 << 10, OWNERS = 3, SPARE = 4 };

static tt_dtype node_dtype(const plan_value *x, mesh_reduce reduce)
{
    const bool rounds = ir_is_float(x->dtype) && (reduce == MESH_SUM || reduce == MESH_PROD);
    return rounds ? ir_widened(x->dtype) : x->dtype;
}

/* The near atoms of size 2 that are minor to all other combined atoms, if nodes along them are fewer bytes. */
static mesh_set node_atoms(const plan_flat *f, const plan_value *x, const run_route *r)
{
    mesh_set s = 0;
    for (int a = f->mesh->natom - 1; a >= 0; a--) {
        if (!(r->over >> a & 1)) continue;
        if (!(f->near >> a & 1) || f->mesh->atom[a] != 2) break;
        s |= (mesh_set)(1u << a);
    }
    const tt_dtype node = node_dtype(x, r->reduce);
    const int64_t parts = mesh_set_size(f->mesh, s) * (int64_t)ir_dtype_of(x->dtype)->bytes;
    return parts > (int64_t)ir_dtype_of(node)->bytes ? s : 0;
}

/* The dim along which `parts` owners share an instance: the first whose extent is a multiple of it; else the longest,
 * if each owner has some elements of it; -1: none. */
static int dim_of_owners(const plan_flat *f, const plan_value *y, int64_t parts)
{
    int best = -1;
    int64_t most = SPARE * parts - 1;
    for (int d = 0; d < y->rank; d++) {
        const int64_t split = y->layout ? mesh_list_size(f->mesh, y->layout->dim[d].atoms) : 1;
        const int64_t n = y->dim[d] / split;
        if (n && y->dim[d] % (split * parts) == 0) return d;
        if (n > most) most = n, best = d;
    }
    return best;
}

/* The layout of y's dims, with dim d divided further along the atoms; d < 0: y's layout. */
static const mesh_layout *divided(const plan_flat *f, const plan_value *y, int d, mesh_set atoms)
{
    mesh_list dims[IR_RANK] = { 0 };
    for (int k = 0; y->layout && k < y->rank; k++) dims[k] = y->layout->dim[k].atoms;
    for (int a = 0; d >= 0 && a < f->mesh->natom; a++) if (atoms >> a & 1) dims[d] = mesh_list_push(dims[d], a);
    return mesh_layout_dims(f->mesh, y->rank, dims);
}

/* Combines over `over` into a new value, before t, which then reads the value. */
static void combine_first(plan_flat *f, plan_block *b, plan_item *t, tt_dtype dtype, const mesh_layout *l,
                          mesh_set vary, mesh_set over)
{
    const plan_value x = f->value[t->in[0]];
    t->in[0] = plan_move(f, b, t->eqn, t->in[0], plan_new(f, dtype, x.rank, x.dim, l, vary));
    plan_item *const made = b->item[b->n - 1];
    made->site = t->site, made->name = t->name;
    made->move.route = (run_route){ .over = over, .reduce = t->move.route.reduce };
    t->move.route.over &= (mesh_set)~over;
    if (!t->move.route.over) t->move.route.reduce = MESH_NONE;
}

/* Appends to the block the exchanges into which t's sum is split and that come before t; t becomes the last one. */
static void split_sum(plan_flat *f, plan_block *b, plan_item *t)
{
    const plan_value x = f->value[t->in[0]], y = f->value[t->out[0]];
    const run_route r = t->move.route;
    const mesh_set far = plan_differ(f->mesh, r.over & x.vary & (mesh_set)~f->near), all = r.over;
    if (!far || r.reduce == MESH_NONE || mesh_list_n(r.order) || x.halo || y.halo || x.merged || y.merged) return;
    const mesh_set nodes = node_atoms(f, &x, &r);
    if (nodes)
        combine_first(f, b, t, node_dtype(&x, r.reduce), divided(f, &x, -1, 0), x.vary & (mesh_set)~nodes, nodes);
    const int64_t owners = mesh_set_size(f->mesh, far);
    const int d = owners >= OWNERS && y.bytes > PIECES && !(y.vary & all) ? dim_of_owners(f, &y, owners) : -1;
    if (d >= 0) combine_first(f, b, t, y.dtype, divided(f, &y, d, far), y.vary | far, t->move.route.over);
}

static void rank_sums_in(plan_flat *f, plan_block *b)
{
    const plan_block old = *b;
    b->n = 0, b->cap = 3 * old.n;
    b->item = BASE_NEW(f->a, plan_item *, b->cap);
    for (uint32_t i = 0; i < old.n; i++) {
        plan_item *const t = old.item[i];
        PLAN_EACH_BLOCK(t, nested) rank_sums_in(f, nested);
        if (t->kind == PLAN_MOVE && t->move.route.over) split_sum(f, b, t);
        (b->item[b->n] = t)->index = b->n, b->n++;
    }
}

void plan_rank_sums(plan_flat *f)
{
    const mesh_set all = f->mesh ? (mesh_set)((1u << f->mesh->natom) - 1) : 0;
    if (plan_differ(f->mesh, all & (mesh_set)~f->near)) rank_sums_in(f, &f->main);
}
