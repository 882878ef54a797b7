/* spmd/cost/route.c - a reshard as a sequence of collectives, for links between processes and for export.
 *
 * Within a process a reshard is one exchange (cost.c). Between processes, and in StableHLO, a reshard is a sequence of
 * slices, all-gathers, all-to-alls, permutes, reduce-scatters and all-reduces. The cheapest sequence is found by
 * Dijkstra's algorithm over layouts. If the mesh has more than FEW atoms, a run of atoms that are adjacent in source
 * and target is one part, which moves as one, so that the search is no longer for 65,536 devices than for 64. After
 * more than MOST layouts a fixed sequence is taken: reduce the sums that the target does not leave unreduced, gather to
 * the common prefixes, slice. */
#include "../inner.h"

#include <math.h>
#include <string.h>

enum { FEW = 6, MOST = 2000, SLOTS = 4 * MOST, HEAP = 8 * MOST };

typedef struct { mesh_set atoms; mesh_list list; double size; } part;       /* a run of atoms */
typedef struct {
    spmd_sharding sharding; double seconds; int from; bool done;
    spmd_kind kind; mesh_set over;                       /* the collective that led here */
} way;
typedef struct {
    spmd_state *s; const ir_type *t;
    int npart; part part[MESH_ATOMS];                    /* lists in `sharding` are lists of parts */
    spmd_sharding to; mesh_set needed;
    way *way; int n;
    int *slot;                                           /* hash: 1 + index */
    int *heap; int nheap;
} walk;
struct spmd_paths { way way[MOST + 1]; int slot[SLOTS], heap[HEAP + 1]; };      /* buffers of one search */
typedef struct spmd_routed { const ir_type *t; spmd_sharding from, to; spmd_route route; struct spmd_routed *next;
} routed;

/* ---- parts ---- */

static int next_of(const spmd_sharding *x, int a)        /* the atom right after a; -1: a is last; -2: on no dim */
{
    for (int d = 0; d < x->rank; d++)
        for (int i = 0; i < mesh_list_n(x->dim[d]); i++)
            if (mesh_list_at(x->dim[d], i) == a)
                return i + 1 < mesh_list_n(x->dim[d]) ? mesh_list_at(x->dim[d], i + 1) : -1;
    return -2;
}

static int before_of(const spmd_sharding *x, int a)
{
    for (int b = 0; b < MESH_ATOMS; b++) if (next_of(x, b) == a) return b;
    return -1;
}

static bool route_together(const spmd_state *s, int a, int b, const spmd_sharding *x)
{
    if (s->link[a] != s->link[b] || (x->partial >> a & 1) != (x->partial >> b & 1)) return false;
    const bool has_a = next_of(x, a) != -2, has_b = next_of(x, b) != -2;
    return has_a == has_b && (!has_a || next_of(x, a) == b);
}

static void learn_parts(walk *w, const spmd_sharding *from, const spmd_sharding *to)
{
    mesh_set done = 0;
    const bool small_mesh = w->s->mesh->natom <= FEW;
    for (int a = 0; a < w->s->mesh->natom; a++) {
        if (done >> a & 1) continue;
        int first = a;
        for (int b; !small_mesh && (b = before_of(next_of(from, a) != -2 ? from : to, first)) >= 0
                    && route_together(w->s, b, first, from) && route_together(w->s, b, first, to);)
            first = b;
        part p = { 0, 0, 1 };
        for (int c = first, b;; c = b) {
            p.atoms |= (mesh_set)(1u << c);
            p.list = mesh_list_push(p.list, c);
            p.size *= w->s->mesh->atom[c];
            b = next_of(from, c) >= 0 ? next_of(from, c) : next_of(to, c);
            if (small_mesh || b < 0 || !route_together(w->s, c, b, from) || !route_together(w->s, c, b, to)) break;
        }
        done |= p.atoms;
        w->part[w->npart++] = p;
    }
}

static spmd_sharding in_parts(const walk *w, const spmd_sharding *x)
{
    spmd_sharding y = { .rank = x->rank };
    for (int d = 0; d < x->rank; d++)
        for (int i = 0; i < mesh_list_n(x->dim[d]); i++)
            for (int k = 0; k < w->npart; k++)
                if (mesh_list_at(w->part[k].list, 0) == mesh_list_at(x->dim[d], i))
                    y.dim[d] = mesh_list_push(y.dim[d], k);
    for (int k = 0; k < w->npart; k++) if (w->part[k].atoms & x->partial) y.partial |= (mesh_set)(1u << k);
    return y;
}

static spmd_sharding in_atoms(const walk *w, const spmd_sharding *x)
{
    spmd_sharding y = { .rank = x->rank };
    for (int d = 0; d < x->rank; d++)
        for (int i = 0; i < mesh_list_n(x->dim[d]); i++) {
            const mesh_list l = w->part[mesh_list_at(x->dim[d], i)].list;
            for (int k = 0; k < mesh_list_n(l); k++) y.dim[d] = mesh_list_push(y.dim[d], mesh_list_at(l, k));
        }
    for (int k = 0; k < w->npart; k++) if (x->partial >> k & 1) y.partial |= w->part[k].atoms;
    return y;
}

static mesh_set atoms_of(const walk *w, mesh_set parts)
{
    mesh_set s = 0;
    for (int k = 0; k < w->npart; k++) if (parts >> k & 1) s |= w->part[k].atoms;
    return s;
}

static mesh_set used(const spmd_sharding *x)
{
    mesh_set s = x->partial;
    for (int d = 0; d < x->rank; d++) s |= mesh_list_set(x->dim[d]);
    return s;
}

static double local(const walk *w, const spmd_sharding *x)
{
    double n = (double)ir_dtype_of(w->t->dtype)->bytes;
    for (int d = 0; d < x->rank; d++) {
        double parts = 1;
        for (int i = 0; i < mesh_list_n(x->dim[d]); i++) parts *= w->part[mesh_list_at(x->dim[d], i)].size;
        n *= ceil((double)w->t->dim[d] / parts);
    }
    return n;
}

/* ---- layouts visited, and the heap ---- */

static bool route_same(const spmd_sharding *a, const spmd_sharding *b)
{
    return a->partial == b->partial && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim);
}

static int *route_find(walk *w, const spmd_sharding *x)
{
    uint32_t h = (uint32_t)base_hash(x->partial, x->dim, (size_t)x->rank * sizeof *x->dim) % SLOTS;
    while (w->slot[h] && !route_same(&w->way[w->slot[h] - 1].sharding, x)) h = (h + 1) % SLOTS;
    return &w->slot[h];
}

static void route_push(walk *w, int i)
{
    int k = w->nheap++;
    for (; k && w->way[w->heap[(k - 1) / 2]].seconds > w->way[i].seconds; k = (k - 1) / 2)
        w->heap[k] = w->heap[(k - 1) / 2];
    w->heap[k] = i;
}

static int pop(walk *w)
{
    const int top = w->heap[0], last = w->heap[--w->nheap];
    int k = 0;
    for (int c; (c = 2 * k + 1) < w->nheap; k = c) {
        if (c + 1 < w->nheap && w->way[w->heap[c + 1]].seconds < w->way[w->heap[c]].seconds) c++;
        if (w->way[w->heap[c]].seconds >= w->way[last].seconds) break;
        w->heap[k] = w->heap[c];
    }
    w->heap[k] = last;
    return top;
}

static void route_step(walk *w, int from, const spmd_sharding *x, spmd_kind kind, mesh_set parts)
{
    const mesh_set over = atoms_of(w, parts);
    const double bytes = local(w, &w->way[from].sharding), seconds = w->way[from].seconds +
        (kind == SPMD_SLICE ? 1e-9 + w->s->machine->byte * local(w, x) : spmd_link_time(w->s, kind, over, bytes));
    int *at = route_find(w, x);
    if (*at && w->way[*at - 1].seconds <= seconds) return;
    if (w->nheap == HEAP) return;
    if (!*at) {
        if (w->n == MOST) return;
        *at = ++w->n;
    }
    w->way[*at - 1] = (way){ *x, seconds, from, false, kind, over };
    route_push(w, *at - 1);
}

/* ---- the collectives from a layout ---- */

static void slices(walk *w, int i)
{
    const spmd_sharding x = w->way[i].sharding;
    const mesh_set idle = w->needed & (mesh_set)~used(&x);
    for (int k = 0; k < w->npart; k++)
        for (int d = 0; idle >> k & 1 && d < x.rank; d++) {
            spmd_sharding y = x;
            y.dim[d] = mesh_list_push(y.dim[d], k);
            route_step(w, i, &y, SPMD_SLICE, 0);
        }
}

/* All-gathers of the last n parts of a dim, and all-to-alls that move them to another dim. */
static void tails(walk *w, int i)
{
    const spmd_sharding x = w->way[i].sharding;
    for (int d = 0; d < x.rank; d++)
        for (int n = 1, all = mesh_list_n(x.dim[d]); n <= all; n++) {
            spmd_sharding y = x;
            mesh_set tail = 0;
            y.dim[d] = spmd_prefix(x.dim[d], all - n);
            for (int k = all - n; k < all; k++) tail |= (mesh_set)(1u << mesh_list_at(x.dim[d], k));
            route_step(w, i, &y, SPMD_GATHER, tail);
            for (int e = 0; e < x.rank; e++) {
                if (e == d) continue;
                spmd_sharding z = y;
                for (int k = all - n; k < all; k++) z.dim[e] = mesh_list_push(z.dim[e], mesh_list_at(x.dim[d], k));
                route_step(w, i, &z, SPMD_ALL_TO_ALL, tail);
            }
        }
}

static mesh_list replaced(mesh_list l, int a, int b)     /* swaps a and b; either may be absent */
{
    mesh_list r = 0;
    for (int i = 0; i < mesh_list_n(l); i++) {
        const int c = mesh_list_at(l, i);
        r = mesh_list_push(r, c == a ? b : c == b ? a : c);
    }
    return r;
}

static bool one_dim(const spmd_sharding *x, int a, int b)
{
    for (int d = 0; d < x->rank; d++)
        if ((mesh_list_set(x->dim[d]) >> a & 1) && (mesh_list_set(x->dim[d]) >> b & 1)) return true;
    return false;
}

/* Permutes: (a) two parts of equal size, or of one dim, swap positions; (b) as many parts of equal size as possible
 * move to their target positions at once. */
static void permutes(walk *w, int i)
{
    const spmd_sharding x = w->way[i].sharding;
    const mesh_set here = used(&x) & (mesh_set)~x.partial;
    spmd_sharding best = x;
    for (int a = 0; a < w->npart; a++)
        for (int b = a + 1; b < w->npart; b++) {
            if ((x.partial >> a & 1) || (x.partial >> b & 1)) continue;
            if (w->part[a].size != w->part[b].size && !one_dim(&x, a, b)) continue;
            if (!(here >> a & 1) && !(here >> b & 1)) continue;
            spmd_sharding y = x;
            for (int d = 0; d < x.rank; d++) y.dim[d] = replaced(x.dim[d], a, b);
            route_step(w, i, &y, SPMD_PERMUTE, (mesh_set)(1u << a | 1u << b));
        }
    for (int d = 0; d < x.rank; d++)
        for (int k = 0; k < mesh_list_n(best.dim[d]) && k < mesh_list_n(w->to.dim[d]); k++) {
            const int a = mesh_list_at(best.dim[d], k), b = mesh_list_at(w->to.dim[d], k);
            if (a == b || w->part[a].size != w->part[b].size || x.partial >> b & 1) continue;
            for (int e = 0; e < x.rank; e++) best.dim[e] = replaced(best.dim[e], a, b);
        }
    if (!route_same(&best, &x)) route_step(w, i, &best, SPMD_PERMUTE, here | (used(&best) & (mesh_set)~x.partial));
}

static void sums(walk *w, int i)
{
    const spmd_sharding x = w->way[i].sharding;
    const mesh_set open = x.partial & (mesh_set)~w->to.partial;
    for (int k = 0; k < w->npart; k++) {
        if (!(open >> k & 1)) continue;
        spmd_sharding y = x;
        y.partial &= (mesh_set)~(1u << k);
        route_step(w, i, &y, SPMD_REDUCE, (mesh_set)(1u << k));
        for (int d = 0; d < x.rank; d++) {
            spmd_sharding z = y;
            z.dim[d] = mesh_list_push(z.dim[d], k);
            route_step(w, i, &z, SPMD_SCATTER, (mesh_set)(1u << k));
        }
    }
    spmd_sharding y = x;
    y.partial &= (mesh_set)~open;
    if (open) route_step(w, i, &y, SPMD_REDUCE, open);
    for (int d = 0; d < x.rank; d++) {                   /* reduce-scatter to the target's next parts */
        const int n = mesh_list_n(x.dim[d]);
        mesh_set taken = 0;
        if (!spmd_is_prefix(x.dim[d], w->to.dim[d])) continue;
        spmd_sharding z = x;
        for (int k = n; k < mesh_list_n(w->to.dim[d]) && open >> mesh_list_at(w->to.dim[d], k) & 1; k++) {
            z.dim[d] = mesh_list_push(z.dim[d], mesh_list_at(w->to.dim[d], k));
            taken |= (mesh_set)(1u << mesh_list_at(w->to.dim[d], k));
        }
        z.partial &= (mesh_set)~taken;
        if (taken) route_step(w, i, &z, SPMD_SCATTER, taken);
    }
}

/* ---- the search ---- */

static int search(walk *w, const spmd_sharding *from)
{
    if (!w->s->paths) w->s->paths = BASE_NEW(w->s->a, struct spmd_paths, 1);
    w->way = w->s->paths->way, w->slot = w->s->paths->slot, w->heap = w->s->paths->heap;
    memset(w->slot, 0, SLOTS * sizeof *w->slot);
    w->way[w->n++] = (way){ .sharding = *from, .from = -1 };
    *route_find(w, from) = 1;
    route_push(w, 0);
    while (w->nheap) {
        const int i = pop(w);
        if (w->way[i].done) continue;
        w->way[i].done = true;
        if (route_same(&w->way[i].sharding, &w->to)) return i;
        slices(w, i);
        tails(w, i);
        permutes(w, i);
        sums(w, i);
    }
    return -1;
}

/* Builds the fixed sequence in w->way; returns the index of the last layout. */
static int fixed(walk *w, const spmd_sharding *from)
{
    spmd_sharding x = *from;
    w->n = 1;
    w->nheap = 0;
    memset(w->slot, 0, SLOTS * sizeof *w->slot);
    *route_find(w, from) = 1;
    int at = 0;
    for (int pass = 0; pass < 3; pass++)
        for (int d = 0; d < (pass ? x.rank : 1); d++) {
            const mesh_list c = spmd_common_prefix(x.dim[d], w->to.dim[d]);
            const spmd_sharding was = x;
            mesh_set over = 0;
            if (!pass) over = x.partial & (mesh_set)~w->to.partial, x.partial &= w->to.partial;
            else if (pass == 1)
                for (int k = mesh_list_n(c); k < mesh_list_n(was.dim[d]); k++)
                    over |= (mesh_set)(1u << mesh_list_at(was.dim[d], k));
            if (pass) x.dim[d] = pass == 1 ? c : w->to.dim[d];
            if (route_same(&was, &x)) continue;
            route_step(w, at, &x, !pass ? SPMD_REDUCE : pass == 1 ? SPMD_GATHER : SPMD_SLICE, over);
            at = *route_find(w, &x) - 1;
        }
    return at;
}

static spmd_route route_make(spmd_state *s, const ir_type *t, const spmd_sharding *from, const spmd_sharding *to)
{
    walk w = { .s = s, .t = t };
    learn_parts(&w, from, to);
    const spmd_sharding first = in_parts(&w, from);
    w.to = in_parts(&w, to);
    w.needed = used(&first) | used(&w.to);
    int i = search(&w, &first), n = 0;
    spmd_route r = { .searched = i >= 0 };
    if (i < 0) i = fixed(&w, &first);
    r.seconds = w.way[i].seconds;
    for (int k = i; w.way[k].from >= 0; k = w.way[k].from) r.n++;
    r.step = BASE_NEW(s->a, spmd_leg, r.n);
    for (int k = i; w.way[k].from >= 0; k = w.way[k].from)
        r.step[r.n - ++n] = (spmd_leg){ w.way[k].kind, w.way[k].over, in_atoms(&w, &w.way[k].sharding),
                                         w.way[k].seconds - w.way[w.way[k].from].seconds };
    return r;
}

const spmd_route *spmd_route_of(spmd_state *s, const ir_type *t, const spmd_sharding *from, const spmd_sharding *to)
{
    uint64_t h = base_hash((uintptr_t)t, from->dim, (size_t)from->rank * sizeof *from->dim);
    h = base_hash(h ^ from->partial, to->dim, (size_t)to->rank * sizeof *to->dim);
    routed **head = &s->routed[h % (sizeof s->routed / sizeof *s->routed)];
    for (const routed *r = *head; r; r = r->next)
        if (r->t == t && route_same(&r->from, from) && route_same(&r->to, to)) return &r->route;
    routed *r = BASE_NEW(s->a, routed, 1);
    *r = (routed){ t, *from, *to, route_make(s, t, from, to), *head };
    *head = r;
    return &r->route;
}
