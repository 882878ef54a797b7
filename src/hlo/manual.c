/* hlo/manual.c - manual computations: a region that sees one device's part, and what it asks of the others.
 *
 * The text knows no axes in collectives, only groups of devices by number: places on the mesh, row-major. A group that
 * runs over whole axes, row-major in some order of them, becomes a collective over those axes; any other is put
 * together from everybody's values by a table. Whether copies may differ is not in the text: regions are unchecked.
 * */
#include "inner.h"

#include <string.h>

static ir_names names_of(hlo_reader *r, mesh_set s)      /* axes whose atoms are in the set, in the mesh's order */
{
    base_name *const v = BASE_NEW(r->p->arena, base_name, r->mesh->naxis + 1);
    int n = 0;
    for (int i = 0; i < r->mesh->naxis; i++)
        if (mesh_named(r->mesh, 1, &r->mesh->axis[i].name) & s) v[n++] = r->mesh->axis[i].name;
    return (ir_names){ n, v };
}

static const mesh_layout *only(const mesh_layout *l, const mesh *m, int rank, mesh_set manual)
{
    mesh_list dim[IR_RANK] = { 0 };
    for (int d = 0; l && d < rank; d++)
        for (int i = 0; i < mesh_list_n(l->dim[d].atoms); i++)
            if (manual >> mesh_list_at(l->dim[d].atoms, i) & 1)
                dim[d] = mesh_list_push(dim[d], mesh_list_at(l->dim[d].atoms, i));
    return mesh_layout_dims(m, rank, dim);
}

static const mesh_layout **layouts(hlo_reader *r, const hlo_op *o, const char *key, const hlo_types *t, int more)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    const mesh_layout **const l = BASE_NEW(r->p->arena, const mesh_layout *, t->n + more + 1);
    int *const rank = BASE_NEW(r->p->arena, int, t->n + 1);
    for (int i = 0; i < t->n; i++) rank[i] = t->v[i].type ? t->v[i].type->rank : 0;
    if (!a) return hlo_refuse(r, o, TT_EARG, "%s is missing", key), NULL;
    for (int i = 0; a->form == HLO_ARRAY && i < t->n; i++)       /* the older form: made by border.c, one each */
        if (!hlo_gspmd(r, &a->item.v[i], rank[i], &l[i])) return NULL;
    if (a->form == HLO_ARRAY) return l;
    return hlo_read_shardings(r, a->text, t->n, rank, l) ? l : NULL;
}

static hlo_span named_in(const hlo_op *o)                /* a list of shardings that names a mesh */
{
    static const char *const keys[] = { "in_shardings", "out_shardings" };
    for (int i = 0; i < 2; i++) {
        const hlo_attr *const a = hlo_find(&o->attr, keys[i]);
        if (a && a->form != HLO_ARRAY && memchr(a->text.at, '@', a->text.n)) return a->text;
    }
    return (hlo_span){ "", 0 };
}

static bool manual(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_attr *const over = hlo_find(&o->attr, "manual_axes");
    const mesh_set outer = r->manual;
    mesh_set set = r->mesh ? (mesh_set)((1u << r->mesh->natom) - 1) : 0;
    hlo_caught c;
    if (!r->mesh || o->region.n != 1 || o->in.n != o->from.n)
        return hlo_refuse(r, o, TT_EARG, "a mesh, a region and types are needed");
    if (over && (set = 0, !hlo_read_axes(r, over->text, named_in(o), &set))) return false;
    if (set != mesh_named(r->mesh, names_of(r, set).n, names_of(r, set).v))
        return hlo_refuse(r, o, TT_EMESH, "manual axes that are none of the program's first mesh");
    if (!hlo_catch(r, o, &c)) return false;
    if (set & outer) return hlo_refuse(r, o, TT_EARG, "an axis that is manual already");
    r->unreduced = false;
    const mesh_layout **const in = layouts(r, o, "in_shardings", &o->from, c.n),
                      **const out = in ? layouts(r, o, "out_shardings", &o->to, 0) : NULL;
    if (!out) return false;
    if (r->unreduced) return hlo_refuse(r, o, TT_ESPEC, "unreduced axes of its operands or results, which are not supported");
    for (int i = 0; i < o->in.n; i++) in[i] = only(in[i], r->mesh, o->from.v[i].type->rank, set);
    for (int i = 0; i < c.n; i++) in[o->in.n + i] = mesh_replicated(r->mesh, ir_typeof(r->b, c.id[i])->rank);
    for (int j = 0; j < o->to.n; j++) out[j] = only(out[j], r->mesh, hlo_result(o, j)->rank, set);
    r->manual |= set;
    ir_fn *const body = hlo_body(r, o, 0, &c, false);
    r->manual = outer;
    if (!body) return false;
    const op_manual_attr a = { names_of(r, set), { o->in.n + c.n, in }, { o->to.n, out }, true };
    ir_id *const all = BASE_NEW(r->p->arena, ir_id, o->in.n + c.n + 1);
    memcpy(all, x, (size_t)o->in.n * sizeof *all);
    memcpy(all + o->in.n, c.id, (size_t)c.n * sizeof *all);
    const ir_id first = ir_emit(r->b, &row_manual, &a, (uint32_t)(o->in.n + c.n), all, 1, &body);
    for (int j = 0; j < o->to.n; j++) y[j] = first + (ir_id)j;
    return first != 0;
}

/* ---- groups ---- */

/* n processes; groups of `each` of them; ragged: of fewer, some places -1. axes: those that a group runs over; ok: it is so. */
typedef struct { int64_t n, count, each, *of; ir_names axes; bool ok, ragged; } groups;

static int64_t channel(const hlo_op *o)
{
    const hlo_attr *const a = hlo_find(&o->attr, "channel_handle");
    const hlo_attr *const h = a ? hlo_find(&a->item, "handle") : NULL;
    const hlo_attr *const id = hlo_find(&o->attr, "channel_id");
    return h ? h->i : id ? id->i : 0;
}

static bool listed(hlo_reader *r, const hlo_op *o, const char *key, int64_t *rows, int64_t *cols, const int64_t **v)
{
    const hlo_attr *const a = hlo_find(&o->attr, key);
    hlo_elements e;
    if (!a || a->form != HLO_DENSE || !a->type.type || a->type.type->rank != 2 || a->type.type->dtype != TT_I64)
        return hlo_refuse(r, o, TT_EARG, "%s is a table of i64", key);
    if (ir_count(a->type.type) > 1 << 20) return hlo_refuse(r, o, TT_EARG, "%s of so many devices", key);
    if (!hlo_literal(r->p, a, a->type.type, &e)) return false;
    if (e.splat && ir_count(a->type.type) > 1) return hlo_refuse(r, o, TT_EARG, "%s names a device twice", key);
    *rows = a->type.type->dim[0], *cols = a->type.type->dim[1];
    int64_t *const to = BASE_NEW(r->p->arena, int64_t, *rows * *cols + 1);
    for (int64_t i = 0; i < *rows * *cols; i++) to[i] = ((const int64_t *)e.data.p)[e.splat ? 0 : i];
    *v = to;
    return true;
}

static int64_t replicas(const hlo_reader *r)
{
    int64_t n = 1;
    for (int i = 0; i < r->nreplica; i++) n *= r->mesh->axis[i].size;
    return n;
}

/* Over whole axes: the members' places row-major over them, the first at 0. */
static bool along_axes(hlo_reader *r, groups *g)
{
    const mesh *const m = r->mesh;
    int order[MESH_ATOMS], n = 0;
    int64_t stride[MESH_ATOMS + 1] = { 0 }, unit = 1;
    for (int i = m->naxis - 1, s = 1; i >= 0; s *= (int)m->axis[i--].size) stride[i] = s;
    while (unit < g->each) {                             /* minor first: which axis does the next member step along? */
        const int64_t by = g->of[unit] - g->of[0];
        int i = 0;
        while (i < m->naxis && (stride[i] != by || m->axis[i].size == 1)) i++;
        if (i == m->naxis) return false;
        for (int k = 0; k < n; k++) if (order[k] == i) return false;
        order[n++] = i;
        unit *= m->axis[i].size;
    }
    if (unit != g->each || g->count * g->each != g->n) return false;
    for (int64_t k = 0; k < g->count; k++)
        for (int64_t i = 0; i < g->each; i++) {
            int64_t at = g->of[k * g->each], rest = i;
            for (int j = 0; j < n; j++) {
                if (at / stride[order[j]] % m->axis[order[j]].size) return false;
                at += rest % m->axis[order[j]].size * stride[order[j]];
                rest /= m->axis[order[j]].size;
            }
            if (g->of[k * g->each + i] != at) return false;
        }
    base_name *const v = BASE_NEW(r->p->arena, base_name, n + 1);
    for (int j = 0; j < n; j++) v[n - 1 - j] = m->axis[order[j]].name;
    g->axes = (ir_names){ n, v };
    return !(mesh_named(m, n, v) & ~r->manual);
}

/* Groups of processes, as the specification's four ways of grouping say. reduces: all_reduce and its kin. */
static bool grouped(hlo_reader *r, const hlo_op *o, bool reduces, groups *g)
{
    const int64_t *v, R = replicas(r);
    int64_t rows, cols;
    if (!r->manual) {
        hlo_refuse(r, o, TT_EARG, "a collective outside of a manual computation");
        return base_hint("print the program with shard_map, or as one for all devices");
    }
    const int64_t N = mesh_size(r->mesh), P = N / R, c = channel(o);
    if (!listed(r, o, "replica_groups", &rows, &cols, &v)) return false;
    const bool flat = hlo_flag(&o->attr, "use_global_device_ids"), by_replica = c <= 0,
               both = reduces && !flat && c > 0;
    const int64_t times = flat || both ? 1 : by_replica ? P : R, each = both ? cols * P : cols,
                  most = flat ? N : by_replica || both ? R : P;
    *g = (groups){
        .n = N, .count = rows * times, .each = each, .of = BASE_NEW(r->p->arena, int64_t, rows * times * each + 1)
    };
    for (int64_t k = 0, at = 0; k < rows; k++)
        for (int64_t t = 0; t < times; t++)
            for (int64_t i = 0; i < each; i++) {
                const int64_t id = v[k * cols + i % cols];
                if (id == -1) {
                    g->ragged = true, g->of[at++] = -1;
                    continue;
                }
                if (id < 0 || id >= most)
                    return hlo_refuse(r, o, TT_EARG, "replica_groups names %lld, of %lld", (long long)id,
                                      (long long)most);
                g->of[at++] = flat ? id : both ? id * P + i / cols : by_replica ? id * P + t : t * P + id;
            }
    if (!g->each) return hlo_refuse(r, o, TT_EARG, "a group without members");
    g->ok = !g->ragged && along_axes(r, g);
    if (!g->ok && mesh_set_size(r->mesh, r->manual) != N)
        return hlo_refuse(r, o, TT_EARG, "groups that are no axes of the mesh, where not all of it is manual");
    return true;
}

static bool grouped_evenly(hlo_reader *r, const hlo_op *o, bool reduces, groups *g)
{
    return grouped(r, o, reduces, g) && (!g->ragged || hlo_refuse(r, o, TT_EARG, "groups of different sizes"));
}

/* ---- members by a table ---- */

static ir_id place(hlo_reader *r)                        /* this process's number, as partition_id gives it */
{
    const op_axis_attr a = { names_of(r, r->manual), true };
    return op_convert(r->b, ir_emit(r->b, &row_axis_index, &a, 0, NULL, 0, NULL), TT_U32);
}

static ir_id looked_up(hlo_reader *r, const int32_t *table, int64_t n)
{
    return op_at(r->b, op_const(r->b, ir_type_of(TT_I32, 1, &n), table), place(r));
}

/* The k-th members' values of each process's own group: y[each]. In no group, and where there is no such: its own. */
static bool members(hlo_reader *r, const groups *g, ir_id x, ir_id *y)
{
    const ir_type *const t = ir_typeof(r->b, x);
    int64_t dim[IR_RANK] = { 1 };
    if (t->rank == IR_RANK) return base_fail(TT_ESHAPE, NULL, "a group of devices needs one dim more than there are");
    memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
    const op_gather_axes_attr a = { names_of(r, r->manual), 0, g->n, true };
    const ir_id row = op_reshape(r->b, x, t->rank + 1, dim), all = ir_emit(r->b, &row_all_gather, &a, 1, &row, 0, NULL);
    int32_t *const table = BASE_NEW(r->p->arena, int32_t, g->n);
    for (int64_t i = 0; i < g->each; i++) {
        for (int64_t k = 0; k < g->n; k++) table[k] = (int32_t)k;
        for (int64_t k = 0; k < g->count; k++)
            for (int64_t j = 0; j < g->each; j++) {
                const int64_t from = g->of[k * g->each + i], to = g->of[k * g->each + j];
                if (from >= 0 && to >= 0) table[to] = (int32_t)from;
            }
        if (!(y[i] = op_at(r->b, all, looked_up(r, table, g->n)))) return false;
    }
    return true;
}

static ir_id rank_in(hlo_reader *r, const groups *g)     /* which member of its group a process is */
{
    int32_t *const table = BASE_NEW(r->p->arena, int32_t, g->n);
    for (int64_t k = 0; k < g->count * g->each; k++) table[g->of[k]] = (int32_t)(k % g->each);
    return looked_up(r, table, g->n);
}

static ir_id part_of(hlo_reader *r, ir_id x, int dim, int64_t n, ir_id i)        /* the i-th of n parts along dim */
{
    const ir_type *const t = ir_typeof(r->b, x);
    ir_id start[IR_RANK];
    int64_t size[IR_RANK];
    for (int d = 0; d < t->rank; d++) start[d] = op_int(r->b, TT_I32, 0), size[d] = t->dim[d];
    size[dim] /= n;
    start[dim] = op_mul(r->b, i, op_int(r->b, TT_I32, size[dim]));
    return op_dynamic_slice(r->b, x, start, (ir_dims){ t->rank, size });
}

/* ---- collectives ---- */

/* x where this process's group has an i-th member, else y. */
static ir_id where_member(hlo_reader *r, const groups *g, int64_t i, ir_id x, ir_id y)
{
    int32_t *const in = BASE_NEW(r->p->arena, int32_t, g->n);
    for (int64_t k = 0; k < g->count; k++)
        for (int64_t j = 0; j < g->each; j++)
            if (g->of[k * g->each + j] >= 0) in[g->of[k * g->each + j]] = g->of[k * g->each + i] >= 0;
    const ir_id some = op_compare(r->b, OP_CMP_EQ, looked_up(r, in, g->n), op_int(r->b, TT_I32, 1));
    return op_select(r->b, some, x, y);
}

static ir_id combined(hlo_reader *r, const hlo_op *o, const groups *g, const ir_fn *f, ir_id x)
{
    const mesh_how how = op_monoid(f);
    const op_row *const row = how == MESH_SUM   ? &row_psum
                              : how == MESH_MAX ? &row_pmax
                              : how == MESH_MIN ? &row_pmin
                                                : NULL;
    const op_reduce_axes_attr a = { g->axes, true };
    (void)o;
    if (row && g->ok && ir_typeof(r->b, x)->dtype != TT_BOOL)
        return g->axes.n ? ir_emit(r->b, row, &a, 1, &x, 0, NULL) : x;
    ir_id *const v = BASE_NEW(r->p->arena, ir_id, g->each + 1);
    if (!members(r, g, x, v)) return 0;
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
    groups g;
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (!f || !grouped(r, o, true, &g)) return false;
    for (int i = 0; i < o->in.n; i++) if (!(y[i] = combined(r, o, &g, f, x[i]))) return false;
    return true;
}

static bool cross_replica_sum(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)  /* the old spelling */
{
    groups g;
    if (o->in.n != 1) return hlo_refuse(r, o, TT_EARG, "one operand");
    const ir_fn *const f = op_reducer(r->b, &row_add, ir_typeof(r->b, x[0])->dtype);
    return f && grouped(r, o, true, &g) && (y[0] = combined(r, o, &g, f, x[0])) != 0;
}

static bool good_dim(hlo_reader *r, const hlo_op *o, const char *key, ir_id x, int *dim)
{
    const int64_t d = hlo_int(r, o, &o->attr, key, -1);
    const ir_type *const t = ir_typeof(r->b, x);
    *dim = (int)d;
    return (d >= 0 && d < t->rank) ||
           hlo_refuse(r, o, TT_ESHAPE, "%s is %lld, the value has rank %d", key, (long long)d, t->rank);
}

static bool divides(hlo_reader *r, const hlo_op *o, const groups *g, ir_id x, int dim)
{
    const int64_t n = ir_typeof(r->b, x)->dim[dim];
    return n % g->each == 0 || hlo_refuse(r, o, TT_ESHAPE, "dim %d of size %lld does not divide into %lld parts", dim,
                                          (long long)n, (long long)g->each);
}

static bool all_gather(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    groups g;
    int dim;
    if (!grouped_evenly(r, o, true, &g)) return false;
    for (int i = 0; i < o->in.n; i++) {
        if (!good_dim(r, o, "all_gather_dim", x[i], &dim)) return false;
        const op_gather_axes_attr a = { g.axes, dim, g.each, true };
        ir_id *const v = BASE_NEW(r->p->arena, ir_id, g.each + 1);
        if (g.ok) y[i] = g.axes.n ? ir_emit(r->b, &row_all_gather, &a, 1, &x[i], 0, NULL) : x[i];
        else y[i] = members(r, &g, x[i], v) ? op_concatenate(r->b, (int)g.each, v, dim) : 0;
        if (!y[i]) return false;
    }
    return true;
}

static bool reduce_scatter(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    groups g;
    int dim;
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (!f || !grouped_evenly(r, o, true, &g) || !good_dim(r, o, "scatter_dimension", x[0], &dim) ||
        !divides(r, o, &g, x[0], dim))
        return false;
    const op_gather_axes_attr a = { g.axes, dim, g.each, true };
    if (g.ok && g.axes.n && op_monoid(f) == MESH_SUM && ir_typeof(r->b, x[0])->dtype != TT_BOOL)
        return (y[0] = ir_emit(r->b, &row_reduce_scatter, &a, 1, x, 0, NULL)) != 0;
    const ir_id all = combined(r, o, &g, f, x[0]);
    return all && (y[0] = part_of(r, all, dim, g.each, rank_in(r, &g))) != 0;
}

static bool all_to_all(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    groups g;
    int split, concat;
    if (!grouped_evenly(r, o, false, &g)) return false;
    for (int i = 0; i < o->in.n; i++) {
        if (!good_dim(r, o, "split_dimension", x[i], &split) || !good_dim(r, o, "concat_dimension", x[i], &concat) ||
            !divides(r, o, &g, x[i], split))
            return false;
        if (g.ok) y[i] = g.axes.n ? op_all_to_all(r->b, x[i], g.axes, split, concat, g.each, true) : x[i];
        else {
            ir_id *const v = BASE_NEW(r->p->arena, ir_id, g.each + 1);
            if (!members(r, &g, x[i], v)) return false;
            const ir_id me = rank_in(r, &g);
            for (int64_t k = 0; k < g.each; k++) if (!(v[k] = part_of(r, v[k], split, g.each, me))) return false;
            y[i] = op_concatenate(r->b, (int)g.each, v, concat);
        }
        if (!y[i]) return false;
    }
    return true;
}

/* v on the first `ranks` members of each group, zeros on all others. */
static ir_id for_members(hlo_reader *r, const groups *g, ir_id v, int64_t ranks)
{
    int32_t *const in = BASE_NEW(r->p->arena, int32_t, g->n);
    const ir_type *const t = ir_typeof(r->b, v);
    for (int64_t k = 0; k < g->count * g->each; k++) in[g->of[k]] = k % g->each < ranks;
    const ir_id some = op_compare(r->b, OP_CMP_EQ, looked_up(r, in, g->n), op_int(r->b, TT_I32, 1));
    const ir_id mask = op_broadcast(r->b, some, ir_type_of(TT_BOOL, t->rank, t->dim), 0, NULL);
    return op_select(r->b, mask, v, op_zeros(r->b, t));
}

/* The first member's; has_dynamic_root: that of the member whose number the last operand has, one for each result. */
static bool broadcast(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    groups g;
    const int n = o->to.n;
    const bool told = hlo_flag(&o->attr, "has_dynamic_root");
    const ir_type *const roots = told && o->in.n == n + 1 ? ir_typeof(r->b, x[n]) : NULL;
    if (told ? !roots || roots->rank != 1 || roots->dim[0] != n || roots->dtype != TT_I32 : o->in.n != n)
        return hlo_refuse(r, o, TT_EARG, "as many results as operands%s", told ? ", and a root in i32 for each" : "");
    if (!grouped_evenly(r, o, false, &g)) return false;
    ir_id *const v = BASE_NEW(r->p->arena, ir_id, g.each + 1);
    for (int i = 0; i < n; i++) {
        if (!members(r, &g, x[i], v)) return false;
        const ir_id root = told ? op_at(r->b, x[n], op_int(r->b, TT_I32, i)) : 0;
        for (int64_t k = 1; told && k < g.each; k++)
            v[0] = op_select(r->b, op_compare(r->b, OP_CMP_EQ, root, op_int(r->b, TT_I32, k)), v[k], v[0]);
        if (!(y[i] = for_members(r, &g, v[0], g.each))) return false;
    }
    return true;
}

static bool collective_reduce(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)  /* to the first; others: zeros */
{
    groups g;
    const ir_fn *const f = hlo_closed(r, o, 0);
    if (hlo_flag(&o->attr, "has_dynamic_root"))
        return hlo_refuse(r, o, TT_EARG, "a root that is only known when it runs, which is not supported");
    if (!f || !grouped_evenly(r, o, true, &g)) return false;
    for (int i = 0; i < o->in.n; i++) {
        const ir_id all = combined(r, o, &g, f, x[i]);
        if (!all || !(y[i] = for_members(r, &g, all, 1))) return false;
    }
    return true;
}

static bool permute(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t *v, R = replicas(r);
    int64_t rows, cols;
    if (!r->manual) return hlo_refuse(r, o, TT_EARG, "a collective outside of a manual computation");
    if (!listed(r, o, "source_target_pairs", &rows, &cols, &v)) return false;
    const int64_t N = mesh_size(r->mesh), P = N / R, c = channel(o), n = mesh_set_size(r->mesh, r->manual),
                  times = c > 0 ? R : P, most = c > 0 ? P : R;
    int64_t *const source = BASE_NEW(r->p->arena, int64_t, n + 1);
    uint32_t coord[2][MESH_ATOMS] = { { 0 } };
    for (int64_t k = 0; k < n; k++) source[k] = -1;
    for (int64_t k = 0; k < rows; k++)
        for (int64_t t = 0; t < times; t++) {
            int64_t at[2];
            for (int j = 0; j < 2; j++) {
                const int64_t id = v[k * cols + j];
                if (cols != 2 || id < 0 || id >= most)
                    return hlo_refuse(r, o, TT_EARG, "pairs of processes below %lld", (long long)most);
                mesh_coord(r->mesh, c > 0 ? t * P + id : id * P + t, coord[j]);
                at[j] = mesh_instance(r->mesh, r->manual, coord[j]);
            }
            for (int a = 0; a < r->mesh->natom; a++)
                if (!(r->manual >> a & 1) && coord[0][a] != coord[1][a])
                    return hlo_refuse(r, o, TT_EARG, "sends along an axis that is not manual here");
            if (source[at[1]] >= 0 && source[at[1]] != at[0])
                return hlo_refuse(r, o, TT_EARG, "two sources of one process");
            source[at[1]] = at[0];
        }
    const op_ppermute_attr a = { names_of(r, r->manual), { (int)n, source }, true };
    return (y[0] = ir_emit(r->b, &row_ppermute, &a, 1, x, 0, NULL)) != 0;
}

static bool process_id(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const bool replica = hlo_is(o->name, "stablehlo.replica_id");
    const int from = replica ? 0 : r->nreplica, to = replica ? r->nreplica : r->mesh ? r->mesh->naxis : 0;
    (void)x;
    if (!r->mesh || !r->manual) return hlo_refuse(r, o, TT_EARG, "outside of a manual computation");
    base_name *const v = BASE_NEW(r->p->arena, base_name, to + 1);
    for (int i = from; i < to; i++) v[i - from] = r->mesh->axis[i].name;
    if (mesh_named(r->mesh, to - from, v) & ~r->manual)
        return hlo_refuse(r, o, TT_EARG, "where not all axes of the mesh are manual");
    if (from == to) return (y[0] = op_int(r->b, TT_U32, 0)) != 0;
    const op_axis_attr a = { { to - from, v }, true };
    return (y[0] = op_convert(r->b, ir_emit(r->b, &row_axis_index, &a, 0, NULL, 0, NULL), TT_U32)) != 0;
}

const hlo_rule hlo_collectives[] = {
    { "sdy.manual_computation", manual },            { "stablehlo.all_reduce", all_reduce },
    { "stablehlo.all_gather", all_gather },          { "stablehlo.reduce_scatter", reduce_scatter },
    { "stablehlo.all_to_all", all_to_all },          { "stablehlo.collective_permute", permute },
    { "stablehlo.collective_reduce", collective_reduce },
    { "stablehlo.collective_broadcast", broadcast }, { "stablehlo.partition_id", process_id },
    { "stablehlo.replica_id", process_id },          { "stablehlo.cross-replica-sum", cross_replica_sum },
    { NULL, NULL },
};
