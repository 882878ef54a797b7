/* spmd/cost/cost.c - the cost model of reshards.
 *
 * Bytes. A device receives the box that it needs minus the box that it has; no sequence of collectives can move less.
 * Boxes are products over dims and the split is nested, so the bytes follow from the lists of atoms alone, without
 * visiting devices. Per dim, with c the common prefix of source and target list:
 * - source = c: the device has all that it needs;
 * - target = c, source longer: the device has one of the parts that it needs;
 * - both longer than c: at worst the device has no element that it needs.
 * An unreduced sum, over places of which n1 are along atoms that shard the target (reduce-scatter) and n2 along other
 * atoms (all-reduce), adds (n1 - 1) U + 2 U (n2 - 1) / n2, where U is the part of the needed box that the device has.
 *
 * Windows. Of a sharded window, a device needs the range that its part of the result reads. Five parts are sampled: the
 * first two, the last two and the middle one. Ranges shift evenly with the part, so the worst part is among the five.
 *
 * Time. Latency + bytes per link class; class 0 is the process. Within a process, one exchange is one pass over memory;
 * between processes see route.c. */
#include "../inner.h"

static const spmd_link in_process[] = { { 5e-6, 1e-10 } };
const spmd_machine spmd_in_process = { 1, in_process, 0, 2e-11, 1e-10 };

void spmd_machine_set(spmd_state *s, const spmd_machine *m)
{
    s->machine = m ? m : &spmd_in_process;
    for (int i = 0; i < s->mesh->naxis; i++) {
        const mesh_axis *x = &s->mesh->axis[i];
        s->first |= (mesh_set)(1u << x->first);
        for (int a = 0; a < x->natom; a++) {
            const int link = m && m->far >> (x->first + a) & 1 ? 1 : x->link;
            s->link[x->first + a] = (uint8_t)(m && m->link && link < m->nlink ? link : 0);
        }
    }
}

/* ---- lists ---- */

mesh_list spmd_prefix(mesh_list l, int n)
{
    if (n >= mesh_list_n(l)) return l;
    return (l & (((mesh_list)1 << (4 + 4 * n)) - 1) & ~(mesh_list)15) | (mesh_list)n;
}

mesh_list spmd_common_prefix(mesh_list a, mesh_list b)
{
    const int n = mesh_list_n(a) < mesh_list_n(b) ? mesh_list_n(a) : mesh_list_n(b);
    int i = 0;
    while (i < n && mesh_list_at(a, i) == mesh_list_at(b, i)) i++;
    return spmd_prefix(a, i);
}

bool spmd_is_prefix(mesh_list with, mesh_list l) { return spmd_common_prefix(with, l) == with; }

spmd_sharding spmd_sharding_of(const mesh_layout *l)
{
    spmd_sharding x;
    x.rank = l->rank;
    x.partial = l->partial;
    for (int d = 0; d < l->rank; d++) x.dim[d] = l->dim[d].atoms;
    return x;
}

/* ---- boxes ---- */

int64_t spmd_local(const mesh *m, const ir_type *t, const spmd_sharding *x)
{
    int64_t n = (int64_t)ir_dtype_of(t->dtype)->bytes;
    for (int d = 0; d < t->rank; d++) {
        const int64_t parts = x->dim[d] ? mesh_list_size(m, x->dim[d]) : 1;
        n *= (t->dim[d] + parts - 1) / parts;
    }
    return n;
}

/* Elements of one dim that a device needs, and those that it has. n: 1, or 2 if parts have two lengths ([0] longer, [1]
 * shorter). */
typedef struct { int n; int64_t need[2], has[2]; } share;

static share share_of(const mesh *m, int64_t size, mesh_list a, mesh_list b)
{
    const mesh_list c = spmd_common_prefix(a, b);
    const int64_t parts = mesh_list_size(m, b), longest = parts ? (size + parts - 1) / parts : 0;
    if (c == a) return (share){ 1, { longest }, { longest } };
    if (c != b) return (share){ 1, { longest }, { 0 } };
    const int64_t rest = mesh_list_size(m, a) / mesh_list_size(m, c), shortest = size / parts;
    share s = { 1, { longest }, { longest / rest } };
    if (shortest != longest) s.n = 2, s.need[1] = shortest, s.has[1] = shortest / rest;
    return s;
}

/* The largest need - has over all devices, in elements. *both: the elements that a device both needs and has, averaged
 * over the owners where owners change (for the largest need). */
static int64_t missing(const mesh *m, const ir_type *t, const spmd_sharding *from, const spmd_sharding *to,
    double *both)
{
    share s[IR_RANK + 1];
    int64_t worst = 0;
    int at[IR_RANK + 1] = { 0 };
    *both = 1;
    for (int d = 0; d < t->rank; d++) {
        s[d] = share_of(m, t->dim[d], from->dim[d], to->dim[d]);
        const mesh_list c = spmd_common_prefix(from->dim[d], to->dim[d]);
        const double rest = (double)mesh_list_size(m, from->dim[d]) / (double)mesh_list_size(m, c);
        *both *= (double)s[d].need[0] / rest;
        if (c == from->dim[d]) *both *= rest;
    }
    for (;;) {
        int64_t need = 1, has = 1;
        int d = 0;
        for (int k = 0; k < t->rank; k++) need *= s[k].need[at[k]], has *= s[k].has[at[k]];
        if (need - has > worst) worst = need - has;
        while (d < t->rank && ++at[d] == s[d].n) at[d++] = 0;
        if (d == t->rank) return worst;
    }
}

/* ---- kinds ---- */

static mesh_set after(mesh_list l, int n)                /* the atoms of l after the first n */
{
    mesh_set s = 0;
    for (int i = n; i < mesh_list_n(l); i++) s |= (mesh_set)(1u << mesh_list_at(l, i));
    return s;
}

/* The kind of a reshard. *over: atoms along which data moves: those that no longer shard at their position, and those
 * of reduced sums. */
static spmd_kind kind_of(const mesh *m, const spmd_sharding *from, const spmd_sharding *to, mesh_set *over)
{
    mesh_set used = 0, ones = 0;
    bool scatter = false, reduce = false, gather = false, across = false, permute = false;
    for (int a = 0; a < m->natom; a++) if (m->atom[a] == 1) ones |= (mesh_set)(1u << a);
    for (int d = 0; d < to->rank; d++) used |= mesh_list_set(to->dim[d]);
    const mesh_set done = from->partial & (mesh_set)~to->partial & (mesh_set)~ones;
    *over = done;
    scatter = done & used;
    reduce = done & (mesh_set)~used;
    for (int d = 0; d < from->rank; d++) {
        const int c = mesh_list_n(spmd_common_prefix(from->dim[d], to->dim[d]));
        const mesh_set left = after(from->dim[d], c) & (mesh_set)~ones, come = after(to->dim[d], c) & (mesh_set)~ones;
        if (!left) continue;
        *over |= left;
        across |= left & used & (mesh_set)~mesh_list_set(to->dim[d]);
        permute |= left & (come ? (mesh_set)(~used | mesh_list_set(to->dim[d])) : 0);
        gather |= !come && left & (mesh_set)~used;
    }
    if (scatter + reduce + gather + across + permute > 1) return SPMD_MIXED;
    return scatter ? SPMD_SCATTER : reduce ? SPMD_REDUCE : gather ? SPMD_GATHER : across ? SPMD_ALL_TO_ALL
           : permute ? SPMD_PERMUTE : SPMD_SLICE;
}

/* ---- time ---- */

static double log2_of(double n)
{
    double k = 0;
    for (; n > 1; n /= 2) k++;
    return k;
}

/* Time of one collective over a group; bytes: on each device before the collective. A group that spans several link
 * classes is charged class by class: reductions start with the lower classes, where they shrink the data; all-gathers
 * end with the lower classes, where the data is largest. */
double spmd_link_time(const spmd_state *s, spmd_kind kind, mesh_set over, double bytes)
{
    double seconds = 0;
    const int n = s->machine->nlink > 0 && s->machine->link ? s->machine->nlink : 1;
    for (int k = 0; k < n; k++) {
        const int c = kind == SPMD_GATHER ? n - 1 - k : k;
        const spmd_link *l = s->machine->link ? &s->machine->link[c] : &in_process[0];
        double size = 1;
        for (int a = 0; a < s->mesh->natom; a++) if (over >> a & 1 && s->link[a] == c) size *= s->mesh->atom[a];
        if (size <= 1) continue;
        const double steps = c ? log2_of(size) : 1, part = bytes * (size - 1) / size;
        switch (kind) {
        case SPMD_GATHER:     seconds += l->latency * steps + l->per_byte * bytes * (size - 1); bytes *= size; break;
        case SPMD_SCATTER:    seconds += l->latency * steps + l->per_byte * part; bytes /= size; break;
        case SPMD_REDUCE:
            seconds += l->latency * steps * (c ? 2 : 1) + l->per_byte * 2 * part;
            bytes /= size;
            break;
        case SPMD_ALL_TO_ALL: seconds += l->latency * (c ? size - 1 : 1) + l->per_byte * part; break;
        default:              seconds += l->latency + l->per_byte * bytes; break;
        }
    }
    return seconds;
}

/* Time of one exchange in which a device receives `bytes`: within a process one latency; between processes at most one
 * message from each other member of the group, over the slowest link. */
static double exchange_time(const spmd_state *s, mesh_set over, double bytes)
{
    const spmd_link *slow = s->machine->link ? &s->machine->link[0] : &in_process[0];
    double peers = 1;
    for (int a = 0; a < s->mesh->natom; a++) {
        if (!(over >> a & 1) || !s->link[a]) continue;
        const spmd_link *l = &s->machine->link[s->link[a]];
        peers *= s->mesh->atom[a];
        if (l->per_byte > slow->per_byte) slow = l;
    }
    return slow->latency * (peers > 1 ? peers - 1 : 1) + slow->per_byte * bytes;
}

static bool crosses(const spmd_state *s, mesh_set over)  /* True if an atom of `over` links processes */
{
    for (int a = 0; a < MESH_ATOMS; a++) if (over >> a & 1 && s->link[a]) return true;
    return false;
}

/* Sets the parts that come from other hosts: the share of those devices along `over` that are on other hosts; a
 * permutation may come from another host entirely. */
void spmd_count_between(const spmd_state *s, spmd_move *v)
{
    mesh_set near = v->over;
    for (int a = 0; a < s->mesh->natom; a++) if (s->link[a]) near &= (mesh_set)~(1u << a);
    const double all = (double)mesh_set_size(s->mesh, v->over), here = (double)mesh_set_size(s->mesh, near);
    if (near == v->over || all <= here) return;
    const bool one = v->kind == SPMD_PERMUTE || v->kind == SPMD_HALO;
    v->between = one ? v->moved : (int64_t)((double)v->moved * (all - here) / (all - 1) + 0.5);
    v->between_seconds = exchange_time(s, v->over & (mesh_set)~near, (double)v->between);
    if (v->between_seconds > v->seconds) v->between_seconds = v->seconds;
}

spmd_move spmd_moving(spmd_state *s, const ir_type *t, const spmd_sharding *from, const spmd_sharding *to)
{
    const mesh *m = s->mesh;
    const double size = (double)ir_dtype_of(t->dtype)->bytes;
    mesh_set over, used = 0;
    double both;
    spmd_move v = { .kind = kind_of(m, from, to, &over) };
    v.over = over;
    if (v.kind == SPMD_SLICE) {
        v.seconds = s->machine->byte * (double)spmd_local(m, t, to);
        return v;
    }
    double bytes = size * (double)missing(m, t, from, to, &both);
    for (int d = 0; d < to->rank; d++) used |= mesh_list_set(to->dim[d]);
    const mesh_set done = from->partial & (mesh_set)~to->partial;
    if (done) {
        const double n1 = (double)mesh_set_size(m, done & used), n2 = (double)mesh_set_size(m, done & (mesh_set)~used);
        bytes += size * both * ((n1 - 1) + 2 * (n2 - 1) / n2);
    }
    v.moved = (int64_t)(bytes + 0.5);
    v.seconds = exchange_time(s, over, bytes);
    if (!crosses(s, over)) return v;
    const spmd_route *r = spmd_route_of(s, t, from, to);
    if (r->seconds < v.seconds) v.seconds = r->seconds;
    spmd_count_between(s, &v);
    return v;
}

/* ---- windows ---- */

static void cost_coordinates(const mesh *m, mesh_list l, int64_t part, uint32_t *at)
{
    for (int i = mesh_list_n(l) - 1; i >= 0; i--) {
        const uint32_t n = m->atom[mesh_list_at(l, i)];
        at[mesh_list_at(l, i)] = (uint32_t)(part % n);
        part /= n;
    }
}

/* Elements of a windowed dim of `size` that a device needs for its part of the factor (sharded by `atoms`) and has (dim
 * sharded by `has`), for the sampled device that lacks most. */
static share window_of(const mesh *m, int64_t size, const op_rule_at *w, int64_t factor, mesh_list has, mesh_list atoms)
{
    const int64_t parts = mesh_list_size(m, atoms), look[] = { 0, 1, parts / 2, parts - 2, parts - 1 };
    share s = { .n = 1 };
    for (int k = 0; k < 5; k++) {
        uint32_t at[MESH_ATOMS] = { 0 };
        int64_t a, b, lo = 0, hi = size;
        if (look[k] < 0 || look[k] >= parts) continue;
        cost_coordinates(m, atoms, look[k], at);
        mesh_range(m, atoms, factor, at, &a, &b);
        op_window_range(&w->window, a, b, size, &a, &b);
        if (mesh_list_n(has) && has != atoms) lo = hi = 0;
        else if (mesh_list_n(has)) mesh_range(m, has, size, at, &lo, &hi);
        lo = lo > a ? lo : a, hi = hi < b ? hi : b;
        const int64_t own = hi > lo ? hi - lo : 0;
        if (k && b - a - own <= s.need[0] - s.has[0]) continue;
        s.need[0] = b - a, s.has[0] = own;
    }
    return s;
}

spmd_move spmd_window(const spmd_state *s, const spmd_problem *p, const spmd_choice *c, int t, const spmd_sharding *has)
{
    const ir_type *type = spmd_type(p->e, t);
    const spmd_sharding needed = spmd_tensor(p, c, t);
    spmd_move v = { .kind = SPMD_HALO };
    const bool moves = kind_of(s->mesh, has, &needed, &v.over) != SPMD_SLICE;
    int64_t need = 1, own = 1;
    for (int d = 0; d < type->rank; d++) {
        const struct op_rule_dim *dim = &p->rule->dim[t * IR_RANK + d];
        share x = share_of(s->mesh, type->dim[d], has->dim[d], needed.dim[d]);
        if (dim->n && dim->at[0].windowed && needed.dim[d]) {
            x = window_of(s->mesh, type->dim[d], &dim->at[0], p->rule->factor[dim->at[0].factor].size, has->dim[d],
                          needed.dim[d]);
            if (x.need[0] > x.has[0]) v.over |= mesh_list_set(needed.dim[d]);
        }
        need *= x.need[0];
        own *= x.has[0];
    }
    if (moves) v.kind = SPMD_MIXED;
    v.moved = need > own ? (need - own) * (int64_t)ir_dtype_of(type->dtype)->bytes : 0;
    if (v.moved) v.seconds = exchange_time(s, v.over, (double)v.moved);
    spmd_count_between(s, &v);
    return v;
}
