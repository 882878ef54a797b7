/* spmd/local/moves.c - a reshard as collectives between the devices' parts.
 *
 * The sequence is that of route.c: slices, all-gathers, all-to-alls, permutes, reduce-scatters and all-reduces, each as
 * one equation. Parts of different sizes are set apart before a collective that splits a dim, and closed up behind one
 * that joins parts (op/local/uneven.c). A fixed sequence (reduce, gather to the common prefixes, slice) is taken if a
 * layout on the way would have parts of different sizes and the ends have not, or if a permute would move such parts. A
 * complete value becomes a partial sum as itself at place 0 and zeros elsewhere. */
#include "local.h"
#include "../../op/ops.h"

/* ---- one collective each ---- */

static ir_id moves_reduce_by(spmd_local_part *p, const op_prim *op, ir_id x, mesh_list over)
{
    const op_reduce_axes_attr a = { op_local_axes(&p->on, over), true };
    return ir_emit(p->on.b, op, &a, 1, &x, 0, NULL);
}

static const op_prim *moves_monoid(mesh_reduce kind)
{
    switch (kind) {
    case MESH_PROD: return &prim_mul;
    case MESH_AND:  return &prim_and;
    case MESH_OR:   return &prim_or;
    case MESH_XOR:  return &prim_xor;
    default:        return NULL;
    }
}

/* The parts combined on every device. Reductions that no collective has combine gathered parts. */
static ir_id moves_reduce(spmd_local_part *p, ir_id x, mesh_list over, mesh_reduce kind)
{
    const ir_type *const t = ir_typeof(p->on.b, x);
    if (!t || mesh_list_size(p->on.from, over) == 1) return x;
    if (kind == MESH_SUM) return moves_reduce_by(p, &prim_psum, x, over);
    if (kind == MESH_MAX || kind == MESH_MIN)
        return moves_reduce_by(p, kind == MESH_MAX ? &prim_pmax : &prim_pmin, x, over);
    if (t->dtype == TT_BOOL && (kind == MESH_OR || kind == MESH_AND)) {
        const op_prim *const op = kind == MESH_OR ? &prim_pmax : &prim_pmin;
        return op_convert(p->on.b, moves_reduce_by(p, op, op_convert(p->on.b, x, TT_I32), over), TT_BOOL);
    }
    const op_prim *const monoid = moves_monoid(kind);
    if (!monoid) return base_bug(NULL, "a partial value without a reduction"), 0;
    int64_t dim[IR_RANK + 1] = { 1 };
    if (t->rank == IR_RANK) return base_fail(TT_EENGINE, NULL, "no dim is left to gather a partial value"), 0;
    for (int d = 0; d < t->rank; d++) dim[d + 1] = t->dim[d];
    const ir_id all = op_local_all_gather(&p->on, op_reshape(p->on.b, x, t->rank + 1, dim), over, 0);
    return op_reduce_dims(p->on.b, monoid, all, 1, (const int64_t[]){ 0 });
}

static ir_id moves_scatter(spmd_local_part *p, ir_id x, const ir_type *whole, const spmd_sharding *from,
                           const spmd_sharding *to, int d, mesh_list over, mesh_reduce kind)
{
    if (kind != MESH_SUM) return op_local_take(&p->on, moves_reduce(p, x, over, kind), whole, from->dim, to->dim);
    const op_gather_axes_attr a = { op_local_axes(&p->on, over), d, mesh_list_size(p->on.from, over), true };
    x = op_local_set_apart(&p->on, x, d, whole->dim[d], from->dim[d], to->dim[d]);
    return x ? ir_emit(p->on.b, &prim_reduce_scatter, &a, 1, &x, 0, NULL) : 0;
}

/* ---- permutes ---- */

static mesh_set moves_on_dims(const spmd_sharding *x)
{
    mesh_set s = 0;
    for (int d = 0; d < x->rank; d++) s |= mesh_list_set(x->dim[d]);
    return s;
}

/* Each device receives the part that it has in the new layout from a device that has it in the old one. Atoms that
 * shard in only one of the layouts tell copies apart: copy i of the old layout goes to copy i of the new one, so that
 * each device sends once. */
static ir_id moves_permute(spmd_local_part *p, base_site site, ir_id x, const spmd_sharding *from,
                           const spmd_sharding *to)
{
    const mesh *const m = p->on.from;
    const mesh_set was = moves_on_dims(from), is = moves_on_dims(to), over = was | is;
    const mesh_list axes = mesh_set_list(over), idle = mesh_set_list(is & (mesh_set)~was),
                    left = mesh_set_list(was & (mesh_set)~is);
    const int64_t n = mesh_list_size(m, axes);
    int64_t *const source = BASE_NEW(p->on.a, int64_t, n);
    bool *const sends = BASE_NEW(p->on.a, bool, n);
    if (mesh_list_size(m, idle) != mesh_list_size(m, left))
        return base_bug(site, "a permute between layouts with another number of copies"), 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t at[MESH_ATOMS] = { 0 }, of[MESH_ATOMS] = { 0 };
        mesh_place_coord(m, axes, i, at);
        for (int d = 0; d < from->rank; d++) mesh_place_coord(m, from->dim[d], mesh_place(m, to->dim[d], at), of);
        mesh_place_coord(m, idle, mesh_place(m, left, at), of);
        source[i] = mesh_place(m, axes, of);
        if (sends[source[i]]) return base_bug(site, "a permute in which a device sends twice"), 0;
        sends[source[i]] = true;
    }
    const op_ppermute_attr a = { op_local_axes(&p->on, axes), { (int)n, source }, true };
    return ir_emit(p->on.b, &prim_ppermute, &a, 1, &x, 0, NULL);
}

/* ---- sequences ---- */

static ir_id moves_leg(spmd_local_part *p, base_site site, ir_id x, const ir_type *t, const spmd_leg *leg,
                       const spmd_sharding *from, mesh_reduce kind)
{
    const spmd_sharding *const to = &leg->after;
    int grows = -1, shrinks = -1;
    for (int d = 0; d < from->rank; d++) {
        if (mesh_list_n(to->dim[d]) > mesh_list_n(from->dim[d])) grows = d;
        if (mesh_list_n(to->dim[d]) < mesh_list_n(from->dim[d])) shrinks = d;
    }
    const mesh_list more = grows < 0 ? 0 : mesh_list_beyond(to->dim[grows], mesh_list_n(from->dim[grows])),
                    less = shrinks < 0 ? 0 : mesh_list_beyond(from->dim[shrinks], mesh_list_n(to->dim[shrinks]));
    const int64_t joined = shrinks < 0 ? 0 : t->dim[shrinks];
    switch (leg->kind) {
    case SPMD_SLICE:   return op_local_take(&p->on, x, t, from->dim, to->dim);
    case SPMD_GATHER:
        x = op_local_all_gather(&p->on, x, less, shrinks);
        return op_local_close_up(&p->on, x, shrinks, joined, from->dim[shrinks], to->dim[shrinks]);
    case SPMD_REDUCE:  return moves_reduce(p, x, mesh_set_list(from->partial & (mesh_set)~to->partial), kind);
    case SPMD_SCATTER: return moves_scatter(p, x, t, from, to, grows, more, kind);
    case SPMD_ALL_TO_ALL:
        x = op_local_set_apart(&p->on, x, grows, t->dim[grows], from->dim[grows], to->dim[grows]);
        x = op_all_to_all(p->on.b, x, op_local_axes(&p->on, less), grows, shrinks, mesh_list_size(p->on.from, less),
                          true);
        return op_local_close_up(&p->on, x, shrinks, joined, from->dim[shrinks], to->dim[shrinks]);
    case SPMD_PERMUTE: return moves_permute(p, site, x, from, to);
    default:           return base_bug(site, "a reshard by %s", spmd_kind_name[leg->kind]), 0;
    }
}

static bool moves_even(const spmd_local_part *p, const ir_type *t, const spmd_sharding *x)
{
    for (int d = 0; d < t->rank; d++) if (op_local_uneven(p->on.from, x->dim[d], t->dim[d])) return false;
    return true;
}

/* True if the route's collectives move what the layouts say. */
static bool moves_directly(const spmd_local_part *p, const ir_type *t, const spmd_route *r, const spmd_sharding *from,
                           const spmd_sharding *to)
{
    const bool ends = moves_even(p, t, from) && moves_even(p, t, to);
    for (int k = 0; k < r->n; k++) {
        const spmd_sharding *const before = k ? &r->step[k - 1].after : from, *const after = &r->step[k].after;
        const bool even = moves_even(p, t, before) && moves_even(p, t, after);
        if (!even && (ends || r->step[k].kind == SPMD_PERMUTE)) return false;
    }
    return true;
}

static ir_id moves_fixed(spmd_local_part *p, base_site site, ir_id x, const ir_type *t, spmd_sharding at,
                         const spmd_sharding *to, mesh_reduce kind)
{
    spmd_leg leg = { .kind = SPMD_REDUCE, .after = at };
    leg.after.partial = at.partial & to->partial;
    if (leg.after.partial != at.partial) x = moves_leg(p, site, x, t, &leg, &at, kind), at = leg.after;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < at.rank && x; d++) {
            leg = (spmd_leg){ .kind = pass ? SPMD_SLICE : SPMD_GATHER, .after = at };
            leg.after.dim[d] = pass ? to->dim[d] : spmd_common_prefix(at.dim[d], to->dim[d]);
            if (leg.after.dim[d] != at.dim[d]) x = moves_leg(p, site, x, t, &leg, &at, kind), at = leg.after;
        }
    return x;
}

static spmd_sharding moves_differing(const mesh *m, const spmd_sharding *x)      /* without atoms of size 1 */
{
    spmd_sharding y = { .rank = x->rank };
    for (int d = 0; d < x->rank; d++)
        for (int i = 0; i < mesh_list_n(x->dim[d]); i++) {
            const int a = mesh_list_at(x->dim[d], i);
            if (m->atom[a] > 1) y.dim[d] = mesh_list_push(y.dim[d], a);
        }
    for (int a = 0; a < m->natom; a++) if (m->atom[a] > 1) y.partial |= x->partial & (mesh_set)(1u << a);
    return y;
}

ir_id spmd_local_move(spmd_local_part *p, base_site site, ir_id x, const ir_type *t, const spmd_sharding *from,
                      const spmd_sharding *to, mesh_reduce kind, mesh_reduce to_kind)
{
    spmd_sharding at = moves_differing(p->on.from, from), end = moves_differing(p->on.from, to);
    const mesh_set fresh = end.partial & (mesh_set)~at.partial;
    bool same = true;
    end.partial &= (mesh_set)~fresh;
    if (x && !ir_count(t)) {                             /* compilers refuse collectives of no element */
        const ir_type *const part = op_local_type(&p->on, site, t, to->dim);
        return part ? op_zeros(p->on.b, part) : 0;
    }
    for (int d = 0; d < t->rank; d++) same &= at.dim[d] == end.dim[d];
    if (!same || at.partial != end.partial) {
        const spmd_route *const r = spmd_route_of(p->state, t, &at, &end);
        const bool directly = moves_directly(p, t, r, &at, &end);
        if (!directly) x = moves_fixed(p, site, x, t, at, &end, kind);
        for (int k = 0; k < r->n && directly && x; k++) {
            x = moves_leg(p, site, x, t, &r->step[k], &at, kind);
            at = r->step[k].after;
        }
    }
    return fresh && x ? op_local_once(&p->on, x, fresh, to_kind) : x;
}
