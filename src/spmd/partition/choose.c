/* spmd/partition/choose.c - the factor sharding of one equation: the cheapest of all legal assignments of atoms to
 * factors.
 *
 * Cost = moving the operands to the layouts that the sharding needs + the work of one device + moving the results to
 * their targets, unreduced sums reduced. At equal cost, an assignment is preferred that leaves results at their
 * targets, then operands in their present layouts, the largest first.
 * - If all layouts agree, nothing is enumerated.
 * - If there are more than MOST assignments, a local search improves one factor after another, starting from the
 *   targets' assignment and from each operand's.
 * The choice for a rule with the same layouts is cached. */
#include "../inner.h"
#include "../../op/local/local.h"

#include <math.h>
#include <string.h>

enum { MOST = 512 };

typedef struct {
    spmd_state *s; const spmd_problem *p;
    spmd_lists list[OP_FACTORS];
    uint64_t meets[OP_FACTORS];                          /* [factor]: factors that share a tensor with it */
    spmd_choice now, best;
    int tried;
} search;

/* ---- tensors under a choice ---- */

spmd_sharding spmd_tensor(const spmd_problem *p, const spmd_choice *c, int t)
{
    const op_rule *r = p->rule;
    spmd_sharding x;
    x.rank = spmd_rank(p->e, t);
    x.partial = t < (int)p->e->nin ? (t < 64 && c->unreduced_in >> t & 1 ? c->unreduced : 0) : c->unreduced;
    for (int d = 0; d < x.rank; d++) {
        const struct op_rule_dim *dim = &r->dim[t * IR_RANK + d];
        mesh_list l = dim->n ? c->atoms[dim->at[0].factor] : 0;
        for (int i = 1; i < dim->n; i++) l = mesh_list_join(l, c->atoms[dim->at[i].factor]);
        x.dim[d] = l;
    }
    for (int k = 0; k < r->nfactor && t >= (int)p->e->nin; k++)
        if (c->atoms[k] && r->factor[k].kind == OP_REDUCTION && mesh_list_size(p->e->fn->mesh, c->atoms[k]) > 1)
            x.partial |= mesh_list_set(c->atoms[k]);
    return x;
}

const mesh_layout *spmd_layout(const spmd_problem *p, const spmd_choice *c, int t)
{
    const spmd_sharding x = spmd_tensor(p, c, t);
    mesh_dim dim[IR_RANK + 1] = { 0 };
    for (int d = 0; d < x.rank; d++) dim[d].atoms = x.dim[d];
    return mesh_intern(&(mesh_layout){ .mesh = p->e->fn->mesh, .rank = x.rank, .dim = dim, .partial = x.partial,
                                       .reduce = !x.partial ? MESH_NONE : c->unreduced ? MESH_SUM : c->partial });
}

/* True if a kernel can read operand t laid out as `has` where the choice needs `needed`. An operand may hold more than
 * its part of a dim (`has` a prefix of `needed`), except
 * - along a reduction factor: a kernel takes the range of the sum from its operands;
 * - in a collective: the result's layout follows from the operand's. */
bool spmd_serves(const spmd_problem *p, int t, const spmd_sharding *has, const spmd_sharding *needed)
{
    const op_rule *r = p->rule;
    if (has->partial != needed->partial) return false;
    for (int d = 0; d < needed->rank; d++) {
        bool sum = false;
        if (has->dim[d] == needed->dim[d]) continue;
        for (int i = 0; i < r->dim[t * IR_RANK + d].n; i++)
            sum |= r->factor[r->dim[t * IR_RANK + d].at[i].factor].kind == OP_REDUCTION;
        if (sum || p->e->op->kernel == OP_EXCHANGE || !spmd_is_prefix(has->dim[d], needed->dim[d])) return false;
    }
    return true;
}

/* True if a windowed dim of operand t is sharded: the plan then fetches the range that each instance needs, from any
 * layout. */
bool spmd_windowed(const spmd_problem *p, const spmd_choice *c, int t)
{
    for (int d = 0; d < spmd_rank(p->e, t); d++) {
        const struct op_rule_dim *dim = &p->rule->dim[t * IR_RANK + d];
        for (int i = 0; i < dim->n; i++) if (dim->at[i].windowed && c->atoms[dim->at[i].factor]) return true;
    }
    return false;
}

/* The reduction kind of the partial results that a sharded reduction factor leaves; MESH_NONE: the factor must not be
 * sharded. In reproducible mode floating-point sums and products must not be sharded, since sharding changes their
 * order. */
static mesh_reduce sum_leaves(const spmd_state *s, const ir_eqn *e)
{
    const mesh_reduce reduce = e->op->partial ? e->op->partial(e) : MESH_NONE;
    bool rounds = reduce == MESH_SUM || reduce == MESH_PROD, inexact = false;
    for (uint32_t j = 0; j < e->nout; j++) inexact |= ir_dtype_of(IR_OUT(e, j)->dtype)->cls >= IR_FLOAT_CLASS;
    return s->reproducible && rounds && inexact ? MESH_NONE : reduce;
}

/* ---- the cost of a choice ---- */

static double choose_work(const search *w, const spmd_choice *c)
{
    const spmd_state *s = w->s;
    const ir_eqn *e = w->p->e;
    if (e->op->kernel == OP_CONTRACT) {
        double n = 2;
        for (int k = 0; k < w->p->rule->nfactor; k++) {
            const int64_t parts = c->atoms[k] ? mesh_list_size(s->mesh, c->atoms[k]) : 1;
            n *= (double)((w->p->rule->factor[k].size + parts - 1) / parts);
        }
        return n * s->machine->flop;
    }
    double bytes = 0;
    for (int t = 0; t < w->p->rule->ntensor; t++) {
        const spmd_sharding x = spmd_tensor(w->p, c, t);
        if (t >= (int)e->nin || !(w->p->use[t] & SPMD_MADE)) bytes += (double)spmd_local(s->mesh, spmd_type(e, t), &x);
    }
    return bytes * s->machine->byte;
}

/* Time of moving operand i to the layout that c needs; adds to *misplaced if the layouts differ. */
static double bring(const search *w, const spmd_choice *c, uint32_t i, double *misplaced)
{
    const spmd_problem *p = w->p;
    if (p->use[i] & SPMD_MADE) return 0;
    const spmd_sharding needed = spmd_tensor(p, c, (int)i), has = spmd_sharding_of(p->x[i]);
    if (spmd_windowed(p, c, (int)i) && !has.partial) {
        const spmd_move v = spmd_window(w->s, p, c, (int)i, &has);
        *misplaced += v.moved ? 1 : 0;
        return v.seconds;
    }
    if (spmd_serves(p, (int)i, &has, &needed)) return 0;
    spmd_move v = spmd_moving(w->s, IR_IN(p->e, i), &has, &needed);
    const bool leaves = p->use[i] & SPMD_FIXED && spmd_local(w->s->mesh, IR_IN(p->e, i), &needed) <= w->s->hoist_bytes;
    if (leaves) v.seconds /= (double)w->s->rounds;       /* hoisted: once for all iterations */
    *misplaced += v.kind == SPMD_SLICE ? 0 : (double)ir_bytes(IR_IN(p->e, i)) + 1e-3 * (double)(p->e->nin - i);
    return p->use[i] & SPMD_MANY && has.partial && !needed.partial ? v.seconds / 2 : v.seconds;
}

/* True if result j can be reduced once, after the loop: it is added to a carry that is tried as an unreduced sum, and
 * no unreduced operand is smaller than the result. */
static bool behind_loop(const spmd_problem *p, const spmd_choice *c, uint32_t j)
{
    bool open = false, larger = false;
    for (uint32_t i = 0; i < p->e->nin; i++) {
        open |= p->use[i] & SPMD_UNREDUCED;
        larger |= i < 64 && c->unreduced_in >> i & 1 && ir_bytes(IR_IN(p->e, i)) < ir_bytes(IR_OUT(p->e, j));
    }
    return open && !larger;
}

/* The time of moving result j to its target. An unreduced result counts as misplaced, so that at equal cost sums are
 * reduced early: later equations then run on the reduced value, and fuse. */
static double after(const search *w, const spmd_choice *c, uint32_t j, double *misplaced)
{
    const spmd_problem *p = w->p;
    const spmd_sharding has = spmd_tensor(p, c, (int)(p->e->nin + j));
    spmd_sharding needed = has;
    needed.partial = 0;
    if (p->target[j]) needed = spmd_sharding_of(p->target[j]);
    if (has.partial && behind_loop(p, c, j)) needed.partial = has.partial;
    if (has.partial == needed.partial && !memcmp(has.dim, needed.dim, (size_t)has.rank * sizeof *has.dim)) return 0;
    const spmd_move v = spmd_moving(w->s, IR_OUT(p->e, j), &has, &needed);
    *misplaced += v.kind == SPMD_SLICE ? 1e-6 : 1 + 1e3 * (double)ir_bytes(IR_OUT(p->e, j));
    return v.kind == SPMD_SLICE ? 0 : v.seconds;
}

/* Computes the cost of w->now and keeps w->now if it is the cheapest. Breaks ties by the bytes still misplaced, which
 * add at most a billionth of the cost. */
static double weigh(search *w)
{
    spmd_choice *c = &w->now;
    double misplaced = 0, moves = 0;
    for (uint32_t i = 0; i < w->p->e->nin; i++) moves += bring(w, c, i, &misplaced);
    for (uint32_t j = 0; j < w->p->e->nout; j++) moves += after(w, c, j, &misplaced);
    c->free = moves == 0 && misplaced < 1e-3;
    c->seconds = moves + choose_work(w, c);
    c->seconds += (c->seconds + 1e-9) * 1e-9 * misplaced / (misplaced + 1e6);
    w->tried++;
    if (c->seconds < w->best.seconds) w->best = *c;
    return c->seconds;
}

/* ---- the search ---- */

static void learn_meets(search *w)
{
    const op_rule *r = w->p->rule;
    memset(w->meets, 0, sizeof w->meets);
    for (int t = 0; t < r->ntensor; t++) {
        uint64_t all = 0;
        for (int d = 0; d < spmd_rank(w->p->e, t); d++)
            for (int i = 0; i < r->dim[t * IR_RANK + d].n; i++)
                all |= (uint64_t)1 << r->dim[t * IR_RANK + d].at[i].factor;
        for (int k = 0; k < r->nfactor; k++) if (all >> k & 1) w->meets[k] |= all & ~((uint64_t)1 << k);
    }
}

/* True if factor k may be sharded by l, given the other factors of w->now:
 * - while operands are unreduced, a permutation factor stays unsharded, and a reduction factor must leave sums;
 * - an atom shards at most one factor of each tensor. */
static bool allowed(const search *w, int k, mesh_list l)
{
    mesh_set used = w->now.unreduced;
    if (!l) return true;
    if (w->now.unreduced && w->p->rule->factor[k].kind == OP_PERMUTATION) return false;
    if (w->now.unreduced && w->p->rule->factor[k].kind == OP_REDUCTION && w->now.partial != MESH_SUM) return false;
    for (int f = 0; f < w->p->rule->nfactor; f++)
        if (w->meets[k] >> f & 1) used |= mesh_list_set(w->now.atoms[f]);
    /* every result is also partial over the atoms of all sharded reduction factors */
    for (int f = 0; f < w->p->rule->nfactor; f++)
        if (f != k && (w->p->rule->factor[f].kind == OP_REDUCTION || w->p->rule->factor[k].kind == OP_REDUCTION))
            used |= mesh_list_set(w->now.atoms[f]);
    return !(used & mesh_list_set(l));
}

/* True if every dim is sharded into contiguous blocks and, where devices compute apart, the equation has a local
 * form. */
static bool choose_fits(const search *w)
{
    const op_local_choice c = { w->s->mesh, w->p->e, w->p->rule, w->now.atoms };
    return spmd_fits(w->s->mesh, w->p, w->now.atoms) && !(w->s->apart && op_local_refuses(&c));
}

static void enumerate(search *w, int k)
{
    if (k == w->p->rule->nfactor) {
        if (choose_fits(w)) weigh(w);
        return;
    }
    w->now.atoms[k] = 0;
    for (int i = w->list[k].n - 1; i >= 0; i--) {
        if (!allowed(w, k, w->list[k].list[i])) continue;
        w->now.atoms[k] = w->list[k].list[i];
        enumerate(w, k + 1);
        w->now.atoms[k] = 0;
    }
}

/* Assigns l to factor k and removes l's atoms from the other factors. */
static void choose_assign(search *w, int k, mesh_list l)
{
    w->now.atoms[k] = 0;
    for (int f = 0; f < w->p->rule->nfactor && l; f++) {
        mesh_list *a = &w->now.atoms[f];
        while (*a && mesh_list_set(*a) & mesh_list_set(l)) *a = spmd_prefix(*a, mesh_list_n(*a) - 1);
        if (!mesh_list_n(*a)) *a = 0;
    }
    if (allowed(w, k, l)) w->now.atoms[k] = l;
}

/* Local search: changes one factor at a time until no change lowers the cost. */
static void improve(search *w)
{
    if (choose_fits(w)) weigh(w);
    for (bool better = true; better;) {
        better = false;
        for (int k = 0; k < w->p->rule->nfactor; k++)
            for (int i = 0; i < w->list[k].n; i++) {
                const double former = w->best.seconds;
                const spmd_choice kept = w->now;
                choose_assign(w, k, w->list[k].list[i]);
                if (choose_fits(w)) weigh(w);
                if (w->best.seconds < former) better = true;
                else w->now = kept;
            }
    }
}

/* True if all layouts agree: every factor takes its longest list (the others are prefixes), and nothing moves. */
static bool agreed(search *w)
{
    for (int k = 0; k < w->p->rule->nfactor; k++) w->now.atoms[k] = 0;
    for (int k = 0; k < w->p->rule->nfactor; k++) {
        mesh_list longest = 0;
        for (int i = 0; i < w->list[k].n; i++)
            if (mesh_list_n(w->list[k].list[i]) > mesh_list_n(longest)) longest = w->list[k].list[i];
        for (int i = 0; i < w->list[k].n; i++) if (!spmd_is_prefix(w->list[k].list[i], longest)) return false;
        if (!allowed(w, k, longest)) return false;
        w->now.atoms[k] = longest;
    }
    if (!choose_fits(w)) return false;
    weigh(w);
    return w->now.free;
}

static void choose_search(search *w)
{
    double all = 1;
    for (int k = 0; k < w->p->rule->nfactor; k++) all *= w->list[k].n;
    if (agreed(w)) return;
    for (int k = 0; k < w->p->rule->nfactor; k++) w->now.atoms[k] = 0;
    if (all <= MOST) {
        enumerate(w, 0);
        return;
    }
    improve(w);
    for (int t = w->p->rule->ntensor; t-- > 0;) {        /* from each result's layout, then each operand's */
        for (int k = 0; k < w->p->rule->nfactor; k++) w->now.atoms[k] = 0;
        for (int d = 0; d < spmd_rank(w->p->e, t); d++) {
            const struct op_rule_dim *dim = &w->p->rule->dim[t * IR_RANK + d];
            for (int i = 0; i < dim->n; i++) {
                const int k = dim->at[i].factor;
                if (w->list[k].n > 1) choose_assign(w, k, w->list[k].list[1]);
            }
        }
        improve(w);
        if (w->tried > 8 * MOST) break;
    }
}

/* ---- cache of choices ---- */

typedef struct spmd_chosen { const uint64_t *key; size_t n; spmd_choice choice; struct spmd_chosen *next; } known;

static size_t choose_key_of(const spmd_state *s, const spmd_problem *p, uint64_t *key)
{
    size_t n = 0;
    uint8_t any = 0;
    key[n++] = (uintptr_t)p->rule;
    for (uint32_t i = 0; i < p->e->nin; i++) key[n++] = (uintptr_t)p->x[i] << 5 | p->use[i], any |= p->use[i];
    for (uint32_t j = 0; j < p->e->nout; j++) key[n++] = (uintptr_t)p->target[j];
    if (any & SPMD_FIXED) key[n++] = (uint64_t)s->rounds, key[n++] = (uint64_t)s->hoist_bytes;
    return n;
}

const spmd_choice *spmd_choose(spmd_state *s, const spmd_problem *p)
{
    const uint32_t most = p->e->nin + p->e->nout + 3;
    uint64_t few[32], *key = most <= 32 ? few : BASE_NEW(s->a, uint64_t, most);
    const size_t n = choose_key_of(s, p, key), capacity = sizeof s->chosen / sizeof *s->chosen;
    struct spmd_chosen **head = &s->chosen[base_hash(7, key, n * sizeof *key) % capacity];
    for (const known *k = *head; k; k = k->next)
        if (k->n == n && !memcmp(k->key, key, n * sizeof *key)) return &k->choice;
    search w;                                            /* not cleared: few of its OP_FACTORS are in the rule */
    w.s = s, w.p = p, w.tried = 0;
    w.best = (spmd_choice){ .seconds = INFINITY };
    w.now = (spmd_choice){ .nfactor = p->rule->nfactor, .partial = sum_leaves(s, p->e) };
    spmd_seen(s, p, w.now.partial, w.list);
    learn_meets(&w);
    for (int way = 0; spmd_unreduced_through(p, way, &w.now.unreduced, &w.now.unreduced_in); way++) choose_search(&w);
    known *k = BASE_NEW(s->a, known, 1);
    *k = (known){ BASE_COPY(s->a, key, n), n, w.best, *head };
    *head = k;
    return &k->choice;
}
