/* hlo/read/collective.c - reads collectives. Where groups.c finds axes for the groups of devices, a collective becomes
 * the primitive over these axes; else it becomes a gather of all members' values, from which each member selects. */
#include "../inner.h"
#include "groups.h"
#include "../../op/ops.h"

static ir_id collective_part_of(hlo_reader *r, ir_id x, int dim, int64_t n, ir_id i) /* part i of n along dim */
{
    const ir_type *const t = ir_typeof(r->b, x);
    ir_id start[IR_RANK];
    int64_t size[IR_RANK];
    for (int d = 0; d < t->rank; d++) start[d] = op_int(r->b, TT_I32, 0), size[d] = t->dim[d];
    size[dim] /= n;
    start[dim] = op_mul(r->b, i, op_int(r->b, TT_I32, size[dim]));
    return op_dynamic_slice(r->b, x, start, (ir_dims){ t->rank, size });
}

/* x where this process's group has a member i, else y. */
static ir_id where_member(hlo_reader *r, const hlo_groups *g, int64_t i, ir_id x, ir_id y)
{
    int32_t *const in = BASE_NEW(r->p->arena, int32_t, g->n);
    for (int64_t k = 0; k < g->count; k++)
        for (int64_t j = 0; j < g->each; j++)
            if (g->of[k * g->each + j] >= 0) in[g->of[k * g->each + j]] = g->of[k * g->each + i] >= 0;
    const ir_id some = op_compare(r->b, OP_CMP_EQ, hlo_by_process(r, in, g->n), op_int(r->b, TT_I32, 1));
    return op_select(r->b, some, x, y);
}

static bool is_single(const hlo_groups *g) { return g->ok && !g->axes.n; }

static ir_id combined(hlo_reader *r, const hlo_groups *g, const ir_fn *f, ir_id x)
{
    const mesh_reduce reduce = op_monoid(f);
    const op_prim *const prim = reduce == MESH_SUM ? &prim_psum
                              : reduce == MESH_MAX ? &prim_pmax
                              : reduce == MESH_MIN ? &prim_pmin
                                                : NULL;
    const op_reduce_axes_attr a = { g->axes, true };
    if (is_single(g)) return x;
    if (prim && g->ok && ir_typeof(r->b, x)->dtype != TT_BOOL) return ir_emit(r->b, prim, &a, 1, &x, 0, NULL);
    ir_id *const v = BASE_NEW(r->p->arena, ir_id, g->each + 1);
    if (!hlo_members(r, g, x, v)) return 0;
    const ir_type *const t = ir_typeof(r->b, x);
    for (int64_t i = 1; i < g->each; i++) {
        const ir_id pair[] = { v[0], v[i] };
        if (!hlo_apply(r, f, t, pair, v)) return 0;
        if (g->ragged && !(v[0] = where_member(r, g, i, v[0], pair[0]))) return 0;
    }
    return v[0];
}

static bool all_reduce(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (!f || !hlo_grouped(r, o, true, &g)) return false;
    for (int i = 0; i < o->in.n; i++) if (!(y[i] = combined(r, &g, f, x[i]))) return false;
    return true;
}

/* an older name of all_reduce */
static bool cross_replica_sum(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "expected one operand, not %d", o->in.n);
    const ir_fn *const f = op_reducer(r->b, &prim_add, ir_typeof(r->b, x[0])->dtype);
    return f && hlo_grouped(r, o, true, &g) && (y[0] = combined(r, &g, f, x[0])) != 0;
}

static bool good_dim(hlo_reader *r, const hlo_op *o, const char *key, ir_id x, int *dim)
{
    const int64_t d = hlo_int(r, o, &o->attr, key, -1);
    const ir_type *const t = ir_typeof(r->b, x);
    *dim = (int)d;
    return (d >= 0 && d < t->rank) ||
           hlo_refuse(r, o, TT_ESHAPE, "%s is %lld; expected a dim of a value of rank %d", key, (long long)d, t->rank);
}

static bool divides(hlo_reader *r, const hlo_op *o, const hlo_groups *g, ir_id x, int dim)
{
    const int64_t n = ir_typeof(r->b, x)->dim[dim];
    return n % g->each == 0 || hlo_refuse(r, o, TT_ESHAPE, "dim %d of size %lld does not divide into %lld parts", dim,
                                          (long long)n, (long long)g->each);
}

static bool all_gather(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    int dim;
    if (!hlo_grouped_evenly(r, o, true, &g)) return false;
    for (int i = 0; i < o->in.n; i++) {
        if (!good_dim(r, o, "all_gather_dim", x[i], &dim)) return false;
        const op_gather_axes_attr a = { g.axes, dim, g.each, true };
        ir_id *const v = BASE_NEW(r->p->arena, ir_id, g.each + 1);
        if (g.ok) y[i] = is_single(&g) ? x[i] : ir_emit(r->b, &prim_all_gather, &a, 1, &x[i], 0, NULL);
        else y[i] = hlo_members(r, &g, x[i], v) ? op_concatenate(r->b, (int)g.each, v, dim) : 0;
        if (!y[i]) return false;
    }
    return true;
}

static bool reduce_scatter(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    int dim;
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (!f || !hlo_grouped_evenly(r, o, true, &g) || !good_dim(r, o, "scatter_dimension", x[0], &dim) ||
        !divides(r, o, &g, x[0], dim))
        return false;
    const op_gather_axes_attr a = { g.axes, dim, g.each, true };
    if (is_single(&g)) return (y[0] = x[0]) != 0;
    if (g.ok && op_monoid(f) == MESH_SUM && ir_typeof(r->b, x[0])->dtype != TT_BOOL)
        return (y[0] = ir_emit(r->b, &prim_reduce_scatter, &a, 1, x, 0, NULL)) != 0;
    const ir_id all = combined(r, &g, f, x[0]);
    return all && (y[0] = collective_part_of(r, all, dim, g.each, hlo_rank_in(r, &g))) != 0;
}

static bool all_to_all(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    int split, concat;
    if (!hlo_grouped_evenly(r, o, false, &g)) return false;
    for (int i = 0; i < o->in.n; i++) {
        if (!good_dim(r, o, "split_dimension", x[i], &split) || !good_dim(r, o, "concat_dimension", x[i], &concat) ||
            !divides(r, o, &g, x[i], split))
            return false;
        if (g.ok) y[i] = is_single(&g) ? x[i] : op_all_to_all(r->b, x[i], g.axes, split, concat, g.each, true);
        else {
            ir_id *const v = BASE_NEW(r->p->arena, ir_id, g.each + 1);
            if (!hlo_members(r, &g, x[i], v)) return false;
            const ir_id me = hlo_rank_in(r, &g);
            for (int64_t k = 0; k < g.each; k++) if (!(v[k] = collective_part_of(r, v[k], split, g.each, me)))
                return false;
            y[i] = op_concatenate(r->b, (int)g.each, v, concat);
        }
        if (!y[i]) return false;
    }
    return true;
}

/* v on the first `ranks` members of each group, zeros on all others. */
static ir_id for_members(hlo_reader *r, const hlo_groups *g, ir_id v, int64_t ranks)
{
    int32_t *const in = BASE_NEW(r->p->arena, int32_t, g->n);
    const ir_type *const t = ir_typeof(r->b, v);
    for (int64_t k = 0; k < g->count * g->each; k++) in[g->of[k]] = k % g->each < ranks;
    const ir_id some = op_compare(r->b, OP_CMP_EQ, hlo_by_process(r, in, g->n), op_int(r->b, TT_I32, 1));
    const ir_id mask = op_broadcast(r->b, some, ir_type_of(TT_BOOL, t->rank, t->dim), 0, NULL);
    return op_select(r->b, mask, v, op_zeros(r->b, t));
}

/* The value of the first member; has_dynamic_root: of the member whose number the last operand gives, one per
 * result. */
static bool collective_broadcast(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    const int n = o->to.n;
    const bool dynamic_root = hlo_flag(&o->attr, "has_dynamic_root");
    const ir_type *const roots = dynamic_root && o->in.n == n + 1 ? ir_typeof(r->b, x[n]) : NULL;
    if (dynamic_root ? !roots || roots->rank != 1 || roots->dim[0] != n || roots->dtype != TT_I32 : o->in.n != n)
        return hlo_refuse(r, o, TT_EARG, "%d operands for %d results; expected as many%s", o->in.n, n,
                          dynamic_root ? ", and a root in i32 for each" : "");
    if (!hlo_grouped_evenly(r, o, false, &g)) return false;
    ir_id *const v = BASE_NEW(r->p->arena, ir_id, g.each + 1);
    for (int i = 0; i < n; i++) {
        if (is_single(&g)) {
            y[i] = x[i];
            continue;
        }
        if (!hlo_members(r, &g, x[i], v)) return false;
        const ir_id root = dynamic_root ? op_at(r->b, x[n], op_int(r->b, TT_I32, i)) : 0;
        for (int64_t k = 1; dynamic_root && k < g.each; k++)
            v[0] = op_select(r->b, op_compare(r->b, OP_CMP_EQ, root, op_int(r->b, TT_I32, k)), v[k], v[0]);
        if (!(y[i] = for_members(r, &g, v[0], g.each))) return false;
    }
    return true;
}

/* result on the first member; others: zeros */
static bool collective_reduce(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    hlo_groups g;
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (hlo_flag(&o->attr, "has_dynamic_root"))
        return hlo_refuse(r, o, TT_EARG, "a root that is known only when the program runs is not supported");
    if (!f || !hlo_grouped_evenly(r, o, true, &g)) return false;
    for (int i = 0; i < o->in.n; i++) {
        const ir_id all = combined(r, &g, f, x[i]);
        if (!all || !(y[i] = is_single(&g) ? all : for_members(r, &g, all, 1))) return false;
    }
    return true;
}

/* True if every position along an axis, of m positions `step` apart, is sent in the same way and keeps its
 * coordinate. */
static bool idle(const int64_t *source, int64_t n, int64_t step, int64_t m)
{
    for (int64_t t = 0; t < n; t++) {
        const int64_t at = t / step % m, first = source[t - at * step];
        if (source[t] != (first < 0 ? -1 : first + at * step)) return false;
        if (first >= 0 && first / step % m) return false;
    }
    return true;
}

/* x from source[t] at each position t of the manual axes, as a ppermute over those axes along which values move. */
static ir_id permuted(hlo_reader *r, ir_id x, int64_t n, const int64_t *source)
{
    const ir_names all = hlo_axes_named(r, r->manual);
    base_name *const axis = BASE_NEW(r->p->arena, base_name, all.n + 1);
    int64_t *const place = BASE_NEW(r->p->arena, int64_t, n + 1), *const of = BASE_NEW(r->p->arena, int64_t, n + 1);
    int64_t step = n, some = 1;
    int kept = 0;
    for (int i = 0; i < all.n; i++) {                    /* place[t]: t's position among the axes that are kept */
        const int64_t m = mesh_set_size(r->mesh, mesh_named(r->mesh, 1, &all.v[i]));
        step /= m;
        if (idle(source, n, step, m)) continue;
        for (int64_t t = 0; t < n; t++) place[t] = place[t] * m + t / step % m;
        axis[kept++] = all.v[i];
        some *= m;
    }
    if (!kept) return source[0] < 0 ? op_zeros(r->b, ir_typeof(r->b, x)) : x;
    for (int64_t t = 0; t < n; t++) of[place[t]] = source[t] < 0 ? -1 : place[source[t]];
    const op_ppermute_attr a = { { kept, axis }, { (int)some, of }, true };
    return ir_emit(r->b, &prim_ppermute, &a, 1, &x, 0, NULL);
}

/* Outside of a manual computation: accepts only a permutation from each process to itself, or an empty one. */
static bool permute_alone(hlo_reader *r, const hlo_op *o, const ir_id *x, int64_t rows, const int64_t *v, int64_t most,
                          ir_id *y)
{
    bool all = rows == most;
    bool *const seen = BASE_NEW(r->p->arena, bool, all ? most + 1 : 1);
    for (int64_t k = 0; all && k < rows; k++) {
        all = v[2 * k] == v[2 * k + 1] && v[2 * k] >= 0 && v[2 * k] < most && !seen[v[2 * k]];
        if (all) seen[v[2 * k]] = true;
    }
    if (!all && rows) return hlo_outside(r, o);
    return (y[0] = all ? x[0] : op_zeros(r->b, ir_typeof(r->b, x[0]))) != 0;
}

static bool permute(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t *v, R = hlo_replicas(r);
    int64_t rows, cols;
    if (!hlo_process_table(r, o, "source_target_pairs", &rows, &cols, &v)) return false;
    const int64_t P = hlo_processes(r) / R, c = hlo_channel(o), times = c > 0 ? R : P, most = c > 0 ? P : R;
    if (!r->manual && cols == 2) return permute_alone(r, o, x, rows, v, most, y);
    const int64_t n = r->manual ? mesh_set_size(r->mesh, r->manual) : 0;
    int64_t *const source = BASE_NEW(r->p->arena, int64_t, n + 1);
    uint32_t coord[2][MESH_ATOMS] = { { 0 } };
    for (int64_t k = 0; k < n; k++) source[k] = -1;
    for (int64_t k = 0; k < rows; k++)
        for (int64_t t = 0; t < times; t++) {
            int64_t at[2];
            for (int j = 0; j < 2; j++) {
                const int64_t id = v[k * cols + j];
                if (cols != 2 || id < 0 || id >= most)
                    return hlo_refuse(r, o, TT_EARG,
                                      "source_target_pairs names process %lld; expected pairs of 0 to %lld",
                                          (long long)id, (long long)most - 1);
                mesh_coord(r->mesh, c > 0 ? t * P + id : id * P + t, coord[j]);
                at[j] = mesh_instance(r->mesh, r->manual, coord[j]);
            }
            for (int a = 0; a < r->mesh->natom; a++)
                if (!(r->manual >> a & 1) && coord[0][a] != coord[1][a])
                    return hlo_refuse(r, o, TT_EARG, "source_target_pairs sends along an axis that is not manual here");
            if (source[at[1]] >= 0 && source[at[1]] != at[0])
                return hlo_refuse(r, o, TT_EARG, "source_target_pairs has two sources of one process");
            source[at[1]] = at[0];
        }
    return (y[0] = permuted(r, x[0], n, source)) != 0;
}

const hlo_rule hlo_collectives[] = {
    { "stablehlo.all_reduce", all_reduce },
    { "stablehlo.all_gather", all_gather },
    { "stablehlo.reduce_scatter", reduce_scatter },
    { "stablehlo.all_to_all", all_to_all },
    { "stablehlo.collective_permute", permute },
    { "stablehlo.collective_reduce", collective_reduce },
    { "stablehlo.collective_broadcast", collective_broadcast },
    { "stablehlo.cross-replica-sum", cross_replica_sum },
    { NULL, NULL },
};
