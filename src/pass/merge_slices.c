/* pass/merge_slices.c - merges equations on slices of a batch into one equation on the complete batch.
 *
 * A training step over minibatches multiplies each minibatch by the same weight, x_m W, and sums the gradients x_m^T
 * y_m over m. If the x_m are adjacent slices of X,
 * - the products x_m W are slices of X W: the weight is read once;
 * - the sum is X^T Y, with Y the concatenation of the y_m: the gradient is written once instead of being added up, and
 *   rounded once (merge_slices_sums.c).
 *
 * Products of slices by one weight form a family. Equations that compute the same function of each member of a family,
 * separately for each index of the merged dim, form a family too: elementwise equations, reductions of other dims,
 * products by a weight. Their other operands are members of families, slices, the same for all members, or independent
 * of all families (dropout masks); the last ones are concatenated. Readers of a single member read a slice of the
 * merged result.
 *
 * Merging makes no cycle: a merged equation takes its first member's position, where all operands are either defined or
 * members of an already merged family, or depend on no family.
 *
 * Equations are merged only where the extra storage is no more than the traffic saved: results no larger than the
 * weight, copies no larger than the gradient. Two cases are excluded: dims that may be sharded (dims in a region that
 * is manual over all axes are not), and reproducible mode, since merging changes the order of sums.
 *
 * Longer than 400 lines: the search for families and their rewriting share the helpers on parts. */
#include "merge_slices.h"
#include "../op/ops.h"

#include <string.h>

enum { FEW = 128 };                                      /* most rows of a slice */

/* ---- parts ---- */

bool merge_part_of(const merge_state *s, ir_id v, merge_part *p)
{
    const ir_eqn *d = s->def[v];
    *p = (merge_part){ .dim = -1 };
    if (d && d->op == &prim_convert) p->cast = d, d = s->def[d->in[0]];
    if (!d || d->op != &prim_slice) return false;
    const op_slice_attr *a = IR_ATTR(d, op_slice_attr);
    const ir_type *x = IR_IN(d, 0);
    for (int i = 0; i < x->rank; i++) {
        const bool whole = !a->start_indices.v[i] && a->limit_indices.v[i] == x->dim[i];
        if (a->strides.v[i] != 1 || (!whole && p->dim >= 0)) return false;
        if (!whole) p->dim = i, p->lo = a->start_indices.v[i], p->hi = a->limit_indices.v[i];
    }
    p->of = d->in[0];
    return p->dim >= 0;
}

static bool same_source(const merge_part *x, const merge_part *y)
{
    const bool cast = x->cast && y->cast ? x->cast->attr == y->cast->attr : !x->cast && !y->cast;
    return x->of == y->of && x->dim == y->dim && cast;
}

static merge_family *family_of(const merge_state *s, ir_id v)
{
    return s->def[v] ? s->of[s->def[v] - s->f->eqn] : NULL;
}

static bool merge_member(const merge_state *s, ir_id v, const merge_family *g, uint32_t i)
{
    return g && i < g->n && s->def[v] == &s->f->eqn[g->k[i]];
}

bool merge_is_all(const merge_state *s, uint32_t n, const ir_id *v, int *dim)
{
    const merge_family *const g = family_of(s, v[0]);
    merge_part p, last;
    bool all = g && g->n == n && (*dim < 0 || g->dim == *dim);
    for (uint32_t i = 0; all && i < n; i++) all = merge_member(s, v[i], g, i);
    if (all) *dim = g->dim;
    for (uint32_t i = 0; !all && i < n; i++, last = p) {
        if (!merge_part_of(s, v[i], &p) || (*dim >= 0 && p.dim != *dim)) return false;
        if (i && (!same_source(&last, &p) || last.hi != p.lo)) return false;
        *dim = p.dim;
    }
    return true;
}

static ir_id merge_slice_of(merge_state *s, ir_id x, int dim, int64_t lo, int64_t hi)
{
    const ir_type *t = ir_typeof(s->b, x);
    int64_t from[IR_RANK], to[IR_RANK], one[IR_RANK];
    if (!x || (!lo && hi == t->dim[dim])) return x;
    for (int d = 0; d < t->rank; d++) from[d] = d == dim ? lo : 0, to[d] = d == dim ? hi : t->dim[d], one[d] = 1;
    return op_slice(s->b, x, (ir_dims){ t->rank, from }, (ir_dims){ t->rank, to }, (ir_dims){ t->rank, one });
}

/* ---- families ---- */

static bool merge_is_unbatched_dot(const ir_eqn *e) { return e->op == &prim_dot_general &&
    !IR_ATTR(e, op_dot_attr)->lhs_batching_dimensions.n; }

/* Number of dims before `dim` that are not in `gone`. */
static int without(ir_dims gone, int dim)
{
    int n = 0;
    for (int d = 0; d < dim; d++) n += !op_dims_has(gone, d);
    return n;
}

static bool each(const ir_eqn *e)                        /* True if elementwise on scalars and operands of e's dims */
{
    bool same = e->op->kernel == OP_MAP && e->op->prog != op_prog_none && !e->nsub && !e->op->states && !e->op->edges;
    for (uint32_t i = 0; same && i < e->nin; i++) {
        const ir_type *x = IR_IN(e, i);
        same = !x->rank || ir_same_dims(x, IR_OUT(e, 0));
    }
    return same;
}

/* The dim of the result that corresponds to dim `dim` of operand q: each index of the result's dim depends only on the
 * same index of the operand's. -1: none. */
static int dim_of(const ir_eqn *e, uint32_t q, int dim)
{
    if (e->nout != 1 || e->op->ordered) return -1;
    if (each(e)) return dim;
    if (q) return -1;
    const ir_type *x = IR_IN(e, 0), *y = IR_OUT(e, 0);
    if (e->op == &prim_broadcast_in_dim) {
        const int to = (int)IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions.v[dim];
        return y->dim[to] == x->dim[dim] ? to : -1;
    }
    if (e->op == &prim_reshape) return !dim && y->rank && y->dim[0] == x->dim[0] ? 0 : -1;
    const ir_dims gone = e->op == &prim_reduce && e->nin == 2 ? IR_ATTR(e, op_reduce_attr)->dimensions
                       : merge_is_unbatched_dot(e)
                           ? IR_ATTR(e, op_dot_attr)->lhs_contracting_dimensions : (ir_dims){ -1, NULL };
    return gone.n < 0 || op_dims_has(gone, dim) ? -1 : without(gone, dim);
}

static bool like(const ir_eqn *x, const ir_eqn *y)
{
    if (x->op != y->op || x->attr != y->attr || x->nin != y->nin || x->nsub != y->nsub) return false;
    for (uint32_t i = 0; i < x->nsub; i++) if (ir_hash(x->sub[i]) != ir_hash(y->sub[i])) return false;
    return true;
}

typedef enum { NOT, SAME, ALL, APART } reading;          /* how a family reads an operand: not mergeable, one value
                                                            for all, one merged value, separate values to concatenate */

/* True if v is constant along the dim: a scalar, a splat, or broadcast along the dim. */
static bool merge_is_constant_along(const merge_state *s, ir_id v, int dim)
{
    const ir_eqn *d = s->def[v];
    if (!s->f->type[v]->rank) return true;
    if (d && d->op == &prim_const) return IR_ATTR(d, op_const_attr)->splat;
    if (!d || d->op != &prim_broadcast_in_dim) return false;
    return !op_dims_has(IR_ATTR(d, op_broadcast_attr)->broadcast_dimensions, dim);
}

static void merge_operands(const merge_state *s, const merge_family *g, uint32_t q, ir_id *v)
{
    for (uint32_t i = 0; i < g->n; i++) v[i] = s->f->eqn[g->k[i]].in[q];
}

static reading merge_reads(const merge_state *s, const merge_family *g, uint32_t q)
{
    const ir_eqn *e = &s->f->eqn[g->k[0]];
    ir_id v[MERGE_MOST] = { 0 };
    int dim = each(e) ? g->dim : -1;
    bool same = true, apart = each(e);
    merge_operands(s, g, q, v);
    if (merge_is_all(s, g->n, v, &dim)) {
        for (uint32_t i = 0; i < g->n; i++) if (s->f->type[v[i]]->dim[dim] != g->lo[i + 1] - g->lo[i]) return NOT;
        return dim_of(e, q, dim) == g->dim ? ALL : NOT;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_type *t = s->f->type[v[i]];
        same &= v[i] == v[0];
        apart &= s->free[v[i]] && t->rank && t->dim[g->dim] == g->lo[i + 1] - g->lo[i];
    }
    if (same && (!each(e) || merge_is_constant_along(s, v[0], g->dim)) && !family_of(s, v[0])) return SAME;
    return apart ? APART : NOT;
}

/* True if a family is worth merging: each operand can be merged, at least one already is one value, and the results are
 * no larger than g->most. */
static bool stays(const merge_state *s, const merge_family *g)
{
    int64_t bytes = 0;
    bool any = false;
    for (uint32_t i = 0; i < g->n; i++) bytes += ir_bytes(IR_OUT(&s->f->eqn[g->k[i]], 0));
    for (uint32_t q = 0; q < s->f->eqn[g->k[0]].nin; q++) {
        const reading r = merge_reads(s, g, q);
        if (r == NOT) return false;
        any |= r == ALL;
    }
    return any && g->n > 1 && bytes <= g->most;
}

static bool merge_settle(merge_state *s, merge_family *g)
{
    const bool is = stays(s, g);
    for (uint32_t i = 0; is && i < g->n; i++) s->of[g->k[i]] = g;
    return is;
}

/* Makes a family of the products that multiply slices of one value by the weight of equation k. */
static bool seed(merge_state *s, uint32_t k)
{
    const ir_eqn *e = &s->f->eqn[k];
    merge_part p, q, at[MERGE_MOST];
    if (s->of[k] || !merge_is_unbatched_dot(e) || !merge_part_of(s, e->in[0], &p) || dim_of(e, 0, p.dim) < 0)
        return false;
    merge_family *g = BASE_NEW(s->a, merge_family, 1);
    int64_t rows = 1;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++)
        if (!op_dims_has(IR_ATTR(e, op_dot_attr)->lhs_contracting_dimensions, d)) rows *= IR_IN(e, 0)->dim[d];
    for (uint32_t j = k; rows <= FEW && j < s->f->neqn && g->n < MERGE_MOST; j++) {
        const ir_eqn *d = &s->f->eqn[j];
        if (!like(e, d) || d->in[1] != e->in[1] || !merge_part_of(s, d->in[0], &q) || !same_source(&p, &q)) continue;
        uint32_t i = g->n++;
        for (; i && at[i - 1].lo > q.lo; i--) at[i] = at[i - 1], g->k[i] = g->k[i - 1];
        at[i] = q, g->k[i] = j;
    }
    for (uint32_t i = 0; i < g->n; i++) g->lo[i + 1] = g->lo[i] + at[i].hi - at[i].lo;
    g->dim = dim_of(e, 0, p.dim), g->most = ir_bytes(IR_IN(e, 1));
    return merge_settle(s, g);
}

/* The first equation after e that differs from e only in its operands: operand q is v, and the other operands are equal
 * to e's, members of the same families, or independent of all families. 0: none. */
static uint32_t same_of(const merge_state *s, const ir_eqn *e, uint32_t q, const ir_id v)
{
    for (const ir_eqn *d = e + 1; d < s->f->eqn + s->f->neqn; d++) {
        bool fits = like(e, d) && d->in[q] == v && !s->of[d - s->f->eqn];
        for (uint32_t i = 0; fits && i < e->nin; i++) {
            const merge_family *const g = family_of(s, e->in[i]), *const h = family_of(s, d->in[i]);
            fits = g == h && (g || e->in[i] == d->in[i] || (s->free[e->in[i]] && s->free[d->in[i]]));
        }
        if (fits) return (uint32_t)(d - s->f->eqn);
    }
    return 0;
}

static void merge_grow(merge_state *s, uint32_t k)
{
    const ir_eqn *e = &s->f->eqn[k];
    uint32_t q = 0;
    while (q < e->nin && !merge_member(s, e->in[q], family_of(s, e->in[q]), 0)) q++;
    if (s->of[k] || q == e->nin) return;
    const merge_family *const from = family_of(s, e->in[q]);
    const int dim = dim_of(e, q, from->dim);
    if (dim < 0) return;
    merge_family *g = BASE_NEW(s->a, merge_family, 1);
    *g = *from, g->dim = dim, g->y = 0;
    g->k[0] = k;
    for (uint32_t i = 1; i < g->n; i++)
        if (!(g->k[i] = same_of(s, e, q, s->f->eqn[from->k[i]].out))) return;
    merge_settle(s, g);
}

/* Marks the values that depend on no member of a family. */
static void free_values(merge_state *s)
{
    for (ir_id v = 1; v <= s->f->narg; v++) s->free[v] = true;
    for (uint32_t k = 0; k < s->f->neqn; k++) {
        const ir_eqn *e = &s->f->eqn[k];
        bool all = !s->of[k] && !e->op->ordered;
        for (uint32_t i = 0; i < e->nin; i++) all &= s->free[e->in[i]];
        for (uint32_t j = 0; j < e->nout; j++) s->free[e->out + j] = all;
    }
}

/* ---- rewriting ---- */

static bool merge_emit(merge_state *s, uint32_t k)
{
    const ir_eqn *e = &s->f->eqn[k];
    ir_id *x = IR_NEW(s->b, ir_id, e->nin + 1), y;
    s->done[k] = true;
    if (merge_is_sum(s, e)) y = merge_sum(s, e);
    else {
        for (uint32_t i = 0; i < e->nin; i++) if (!(x[i] = merge_value(s, e->in[i]))) return false;
        ir_site(s->b, e->site);
        y = ir_clone(s->b, e, x);
    }
    for (uint32_t j = 0; j < e->nout; j++) s->map[e->out + j] = y + j;
    return y || !e->nout;
}

/* Value v, constant along `dim`, with size n along `dim`. */
static ir_id wider(merge_state *s, ir_id v, int dim, int64_t n)
{
    const ir_type *t = s->f->type[v];
    const ir_eqn *d = s->def[v];
    int64_t dims[IR_RANK];
    if (!t->rank) return merge_value(s, v);
    for (int i = 0; i < t->rank; i++) dims[i] = i == dim ? n : t->dim[i];
    if (d->op == &prim_const) {
        op_const_attr a = *IR_ATTR(d, op_const_attr);
        a.shape = (ir_dims){ t->rank, dims };
        return ir_emit(s->b, &prim_const, &a, 0, NULL, 0, NULL);
    }
    const ir_dims at = IR_ATTR(d, op_broadcast_attr)->broadcast_dimensions;
    return op_broadcast(s->b, merge_value(s, d->in[0]), ir_type_of(t->dtype, t->rank, dims), at.n, at.v);
}

ir_id merge_joined(merge_state *s, uint32_t n, const ir_id *v, int dim)
{
    ir_id x[MERGE_MOST];
    for (uint32_t i = 0; i < n; i++) if (!(x[i] = merge_value(s, v[i]))) return 0;
    return op_concatenate(s->b, (int)n, x, dim);
}

static ir_id merge_operand(merge_state *s, const merge_family *g, uint32_t q)
{
    ir_id v[MERGE_MOST] = { 0 };
    merge_operands(s, g, q, v);
    switch (merge_reads(s, g, q)) {
    case ALL: return merge_value_of_all(s, g->n, v);
    case APART: return merge_joined(s, g->n, v, g->dim);
    default:    return each(&s->f->eqn[g->k[0]]) ? wider(s, v[0], g->dim, g->lo[g->n]) : merge_value(s, v[0]);
    }
}

static ir_id emit_family(merge_state *s, merge_family *g)
{
    const ir_eqn *e = &s->f->eqn[g->k[0]];
    const ir_type *t = IR_OUT(e, 0);
    ir_id *x = IR_NEW(s->b, ir_id, e->nin);
    int64_t dims[IR_RANK];
    if (g->y) return g->y;
    for (uint32_t q = 0; q < e->nin; q++) if (!(x[q] = merge_operand(s, g, q))) return 0;
    for (int d = 0; d < t->rank; d++) dims[d] = d == g->dim ? g->lo[g->n] : t->dim[d];
    ir_site(s->b, e->site);
    if (e->op == &prim_reshape) return g->y = op_reshape(s->b, x[0], t->rank, dims);
    if (e->op != &prim_broadcast_in_dim) return g->y = ir_clone(s->b, e, x);
    const ir_dims at = IR_ATTR(e, op_broadcast_attr)->broadcast_dimensions;
    return g->y = op_broadcast(s->b, x[0], ir_type_of(t->dtype, t->rank, dims), at.n, at.v);
}

ir_id merge_value_of_all(merge_state *s, uint32_t n, const ir_id *v)
{
    merge_family *const g = family_of(s, v[0]);
    merge_part p, last;
    if (g && g->n == n && merge_member(s, v[n - 1], g, n - 1)) return emit_family(s, g);
    merge_part_of(s, v[0], &p), merge_part_of(s, v[n - 1], &last);
    const ir_id x = merge_slice_of(s, merge_value(s, p.of), p.dim, p.lo, last.hi);
    return x && p.cast ? ir_emit(s->b, &prim_convert, p.cast->attr, 1, &x, 0, NULL) : x;
}

ir_id merge_value(merge_state *s, ir_id v)
{
    merge_family *const g = family_of(s, v);
    uint32_t i = 0;
    if (s->map[v]) return s->map[v];
    if (!g) return merge_emit(s, (uint32_t)(s->def[v] - s->f->eqn)) ? s->map[v] : 0;
    while (!merge_member(s, v, g, i)) i++;
    return s->map[v] = merge_slice_of(s, emit_family(s, g), g->dim, g->lo[i], g->lo[i + 1]);
}

static ir_fn *merge_rewrite(merge_state *s)
{
    const ir_fn *f = s->f;
    ir_build *b = s->b = ir_begin(s->a, f->name, f->mesh);
    ir_id *ret = IR_NEW(b, ir_id, f->nret + 1);
    s->map = IR_NEW(b, ir_id, f->nvalue + 1), s->done = IR_NEW(b, bool, f->neqn + 1);
    for (uint32_t i = 1; i <= f->narg; i++) s->map[i] = ir_arg(b, f->type[i]);
    for (uint32_t k = 0; k < f->neqn; k++)               /* members are emitted when read */
        if (!s->of[k] && !s->done[k] && !merge_emit(s, k)) return NULL;
    for (uint32_t j = 0; j < f->nret; j++) {
        if (!(ret[j] = merge_value(s, f->ret[j]))) return NULL;
        if (ir_typeof(b, ret[j]) != f->type[f->ret[j]]) return (ir_fn *)(uintptr_t)f;
    }
    ir_fn *g = ir_end(b, f->nret, ret);
    return g ? pass_like(g, f), g : NULL;
}

static ir_fn *all_at_once(base_arena *a, const ir_fn *f)
{
    const uint32_t n = f->nvalue + 1;
    merge_state s = { .a = a, .f = f, .uses = ir_uses(a, f), .def = ir_definitions(a, f),
                  .inner = BASE_NEW(a, bool, n), .free = BASE_NEW(a, bool, n),
                  .of = BASE_NEW(a, merge_family *, f->neqn + 1) };
    bool any = false, sums = false;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        for (uint32_t i = 0; merge_adds(e) && i < e->nin; i++) s.inner[e->in[i]] = s.uses[e->in[i]] == 1;
    }
    for (uint32_t k = 0; k < f->neqn; k++) any |= seed(&s, k);
    if (any) free_values(&s);
    for (uint32_t k = 0; any && k < f->neqn; k++) merge_grow(&s, k);
    for (uint32_t k = 0; !any && !sums && k < f->neqn; k++) sums = merge_is_sum(&s, &f->eqn[k]);
    return any || sums ? merge_rewrite(&s) : (ir_fn *)(uintptr_t)f;
}

/* ---- where dims are not sharded ---- */

static bool merge_is_unsharded(const ir_eqn *e, const mesh *m)
{
    if (e->op != &prim_manual) return false;
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_set all = (mesh_set)((1u << m->natom) - 1);
    return mesh_set_size(m, all & (mesh_set)~mesh_named(m, a->manual_axes.n, a->manual_axes.v)) == 1;
}

static ir_fn *merge_region(base_arena *a, const ir_eqn *e, uint32_t i, const mesh *m)
{
    return merge_is_unsharded(e, m) ? all_at_once(a, e->sub[i]) : e->sub[i];
}

ir_fn *pass_merge_slices(base_arena *a, const ir_fn *f)
{
    const mesh *m = f->mesh;
    bool any = false;
    if (!m || mesh_set_size(m, (mesh_set)((1u << m->natom) - 1)) == 1) f = all_at_once(a, f);
    for (uint32_t k = 0; f && m && k < f->neqn; k++) any |= merge_is_unsharded(&f->eqn[k], m);
    return any ? pass_regions(a, f, m, merge_region) : (ir_fn *)(uintptr_t)f;
}
