/* spmd/propagate/propagate.c - propagates shardings over a function and its regions to a fixed point.
 *
 * For each user priority, for each stage (stage.c): visits dirty steps, lowest number first, until none is left
 * (factor_propagation.c). A step is dirty if one of its tensors has changed, or if the stage allows more than the stage
 * before.
 * - Terminates, since lists only grow and atoms are few.
 * - Deterministic, since steps are visited in program order.
 * - A step whose tensors are all replicated costs almost nothing; no cost depends on the number of devices.
 * Requested result layouts are visited before and after each run, as Shardy does with a function's results. Arguments
 * and results without a given layout may be sharded unevenly, but no part is empty. */
#include "propagation.h"

#include <string.h>

/* ---- the runs ---- */

static bool is_dirty(const spmd_propagation *s, uint32_t step) { return s->dirty[step / 64] >> step % 64 & 1; }

static bool visit(spmd_propagation *s, uint32_t step, int stage)
{
    const spmd_step *k = &s->step[step];
    s->dirty[step / 64] &= ~((uint64_t)1 << step % 64);
    if (!spmd_project(s, k)) return false;
    spmd_propagate_factors(s, k, stage);
    return spmd_write(s, step);
}

static uint32_t next_dirty(const uint64_t *dirty, uint32_t from, uint32_t n)     /* n: none */
{
    for (uint32_t w = from / 64; w * 64 < n; w++) {
        const uint64_t bits = w == from / 64 ? dirty[w] >> from % 64 << from % 64 : dirty[w];
        if (bits) return w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return n;
}

static void wishes(spmd_propagation *s, int stage)
{
    for (uint32_t k = s->nflow; k < s->nstep; k++) if (is_dirty(s, k)) visit(s, k, stage);
}

static void propagate_run(spmd_propagation *s, int stage)
{
    wishes(s, stage);
    for (uint32_t k = next_dirty(s->dirty, 0, s->nflow); k < s->nflow; k = next_dirty(s->dirty, s->low, s->nflow)) {
        s->low = k + 1;
        if (stage >= spmd_first_stage(&s->step[k])) visit(s, k, stage);
    }
    wishes(s, stage);
}

static void stages(spmd_propagation *s, bool only_last)
{
    for (int stage = only_last ? SPMD_STAGES - 1 : 0; stage < SPMD_STAGES; stage++) {
        for (uint32_t k = 0; k < s->nflow; k++)
            if (only_last || spmd_opens(&s->step[k], stage)) s->dirty[k / 64] |= (uint64_t)1 << k % 64;
        propagate_run(s, stage);
    }
}

/* ---- final layouts ---- */

typedef struct { const mesh_layout **at; uint32_t cap; } known;          /* hash table of layouts */

static const mesh_layout *propagate_layout_of(spmd_propagation *s, const known *all, int rank, const mesh_list *l)
{
    uint64_t h = base_hash((uint64_t)rank, l, (size_t)rank * sizeof *l);
    for (;; h++) {
        const mesh_layout **x = &all->at[h & (all->cap - 1)];
        bool same = *x && (*x)->rank == rank;
        if (!*x) return *x = mesh_layout_dims(s->mesh, rank, l);
        for (int d = 0; d < rank && same; d++) same = (*x)->dim[d].atoms == l[d];
        if (same) return *x;
    }
}

static int given_atoms(const spmd_propagation *s, const spmd_slot *k, int d) /* of dim d, without atoms of size 1 */
{
    const mesh_list l = k->seed ? k->seed->dim[d].atoms : 0;
    int n = 0;
    for (int i = 0; i < mesh_list_n(l); i++) n += !(s->trivial >> mesh_list_at(l, i) & 1);
    return n;
}

/* Shortens the list of each dim until the dim has no more parts than elements. Atoms of the seed stay: of the slot's
 * seed, or of slot `as`'s if the slot has none. */
static void propagate_fill(spmd_propagation *s, uint32_t slot, const ir_type *t, uint32_t as)
{
    const spmd_slot *k = &s->slot[slot];
    for (int d = 0; d < k->rank; d++) {
        mesh_list *l = &s->list[k->dim + (uint32_t)d];
        int n = mesh_list_n(*l);
        while (n > given_atoms(s, k->seed ? k : &s->slot[as], d)
               && t->dim[d] < mesh_list_size(s->mesh, spmd_head(*l, n))) n--;
        *l = spmd_head(*l, n);
    }
}

/* Shortens the lists of a result as JAX does: a dim is sharded by complete axes only, into equal parts. */
static void truncate_even(spmd_propagation *s, uint32_t slot, const ir_type *t)
{
    const spmd_slot *const k = &s->slot[slot];
    for (int d = 0; d < k->rank && !k->seed; d++) {
        mesh_list *const l = &s->list[k->dim + (uint32_t)d];
        const mesh_axis *x;
        int64_t before, size, parts = 1;
        int n = 0;
        for (int run; n < mesh_list_n(*l); n += run) {
            run = mesh_run(s->mesh, *l, n, &x, &before, &size);
            parts *= size;
            if (run != x->natom || !t->dim[d] || t->dim[d] % parts) break;
        }
        *l = spmd_head(*l, n);
    }
}

static const mesh_layout *final(spmd_propagation *s, const known *all, uint32_t slot)
{
    const spmd_slot *k = &s->slot[slot];
    mesh_list l[IR_RANK];
    for (int d = 0; d < k->rank; d++) {
        l[d] = s->list[k->dim + (uint32_t)d];
        if (k->seed && s->trivial) l[d] = spmd_join(k->seed->dim[d].atoms, spmd_tail(l[d], given_atoms(s, k, d)));
    }
    return propagate_layout_of(s, all, k->rank, l);
}

/* Layout l with the partial and reduced states of an argument's given layout. */
static const mesh_layout *with_states(const mesh_layout *l, const mesh_layout *given)
{
    if (!given || !(given->partial | given->reduced)) return l;
    mesh_layout r = *l;
    r.partial = given->partial;
    r.reduced = given->reduced;
    r.reduce = given->reduce;
    return mesh_intern(&r);
}

static void merge(spmd_state *all, ir_fn *f, uint32_t base)
{
    spmd_propagation *s = all->propagation;
    const uint32_t n = f->nvalue;
    ir_id *now = BASE_NEW(s->a, ir_id, n + 1);
    const uint32_t *of = BASE_COPY(s->a, s->of + base, n + 1);
    spmd_merge(all, f, now);
    for (uint32_t i = n; i > 0; i--) s->of[base + now[i]] = of[i];
}

static void propagate_finish(spmd_state *all, ir_fn *f)
{
    spmd_propagation *s = all->propagation;
    known memo = { .cap = 256 };
    while (memo.cap < 2 * s->nslot) memo.cap *= 2;       /* never full: at most one layout per slot */
    memo.at = BASE_NEW(s->a, const mesh_layout *, memo.cap);
    for (uint32_t i = 1; i <= f->narg; i++) propagate_fill(s, s->of[i], f->type[i], s->of[i]);
    for (uint32_t i = 0; i < f->nret; i++) propagate_fill(s, s->wish + i, f->type[f->ret[i]], s->of[f->ret[i]]);
    for (uint32_t i = 0; all->even && i < f->nret; i++) truncate_even(s, s->wish + i, f->type[f->ret[i]]);
    const mesh_layout **l = BASE_NEW(s->a, const mesh_layout *, s->nslot);
    for (uint32_t k = 1; k < s->nslot; k++) l[k] = final(s, &memo, k);
    all->result = BASE_NEW(s->a, const mesh_layout *, f->nret);
    for (uint32_t i = 0; i < f->nret; i++) all->result[i] = l[s->wish + i];
    for (uint32_t r = 0; r < s->nregion; r++) {
        ir_fn *g = (ir_fn *)(uintptr_t)s->region[r].fn;  /* not const: from spmd_prepare */
        g->layout = BASE_NEW(s->a, const mesh_layout *, g->nvalue + 1);
        for (uint32_t i = 1; i <= g->nvalue; i++) g->layout[i] = l[s->of[s->region[r].base + i]];
        merge(all, g, s->region[r].base);
    }
    for (uint32_t i = 1; i <= f->narg; i++) f->layout[i] = with_states(f->layout[i], s->slot[s->of[i]].seed);
}

bool spmd_propagate(spmd_state *all, ir_fn *f, const mesh_layout *const *requested)
{
    spmd_propagation *s = BASE_NEW(all->a, spmd_propagation, 1);
    *s = (spmd_propagation){ .a = all->a, .mesh = f->mesh, .in_name = all->in_name, .in_site = all->in_site };
    for (int a = 0; a < f->mesh->natom; a++) if (f->mesh->atom[a] == 1) s->trivial |= (mesh_set)(1u << a);
    if (!spmd_steps(s, f)) return false;
    spmd_seed_all(s, f, requested);
    stages(s, all->at_once);
    for (int p = 0; (p = spmd_next_priority(s, p)) > 0;) {
        spmd_seed_priority(s, p);
        stages(s, all->at_once);
    }
    all->propagation = s;
    propagate_finish(all, f);
    return true;
}
