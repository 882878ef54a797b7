/* spmd/propagate/factor_propagation.c - propagates the atoms of each factor of a step to all tensors.
 *
 * For each factor, finds the longest list of atoms on which all tensors with the factor agree. Each tensor then takes
 * the longest prefix of the list without
 * - an atom that shards another factor of the tensor;
 * - an atom that is forbidden on the tensor's slot;
 * - a new atom on a closed dim;
 * - an atom that does not divide the factor's remaining size (except on a dim's last factor).
 * If factors conflict over an atom, the order is: the factor whose list comes from the largest tensor; in elementwise
 * equations the finer sharding; then the first tensor that has the list. Results take atoms before operands; an operand
 * of an elementwise equation takes no more than every result has.
 *
 * Follows Shardy (aggressive_factor_propagation), in the configuration that XLA uses: a batch that is sharded over an
 * axis keeps the axis, whichever dims of the weights are sharded over it. */
#include "propagation.h"

/* Combines two lists of one factor. If one is a prefix of the other: `now` if it is longer and *grows, else `old`. Else
 * the common prefix, and clears *grows. */
static mesh_list agree(mesh_list old, mesh_list now, bool *grows)
{
    const int c = spmd_common_length(old, now), no = mesh_list_n(old), nn = mesh_list_n(now);
    if (c < no && c < nn) {
        *grows = false;
        return spmd_head(old, c);
    }
    return nn > no && *grows ? now : old;
}

static mesh_list agreed(const spmd_propagation *s, const spmd_step *k, int f, spmd_way way)
{
    const uint32_t nf = (uint32_t)k->rule->nfactor, n = k->ntensor;
    const uint32_t first = way == SPMD_BACKWARD ? k->nin : 0;
    mesh_list l = 0;
    bool grows = true;
    for (uint32_t i = 0; i < n; i++) {                   /* operands, then results; backward: reverse */
        const uint32_t t = first ? (i + k->nin) % n : i;
        if (way == SPMD_FORWARD && i == k->nin) grows = false;
        if (way == SPMD_BACKWARD && i == n - k->nin) grows = false;
        const spmd_cell *c = &s->cell[t * nf + (uint32_t)f];
        if (c->has) l = agree(l, c->list, &grows);
    }
    return l;
}

/* True if tensor t may take the atom as the next one of factor f, which is sharded into `parts` parts so far. */
static bool factor_propagation_fits(const spmd_propagation *s, const spmd_step *k, uint32_t t, int f, int atom,
    int64_t parts)
{
    const spmd_cell *c = &s->cell[t * (uint32_t)k->rule->nfactor + (uint32_t)f];
    if (!c->has) return true;
    if (spmd_has(c->list, atom)) return true;
    if (c->closed || c->over || s->slot[s->tensor[k->first + t]].never >> atom & 1) return false;
    const int64_t size = k->rule->factor[f].size;
    return c->minor || (size % parts == 0 && size / parts % s->mesh->atom[atom] == 0);
}

/* True if the atom shards another factor of tensor t. */
static bool elsewhere(const spmd_propagation *s, const spmd_step *k, uint32_t t, int f, int atom)
{
    const spmd_cell *c = &s->cell[t * (uint32_t)k->rule->nfactor + (uint32_t)f];
    return (s->taken[t] >> atom & 1) && !(c->has && spmd_has(c->list, atom));
}

static void expand(spmd_propagation *s, const spmd_step *k, uint32_t t, int f, mesh_list l)
{
    spmd_cell *c = &s->cell[t * (uint32_t)k->rule->nfactor + (uint32_t)f];
    if (!c->has || !spmd_extends(c->list, l)) return;
    c->list = l;
    s->taken[t] |= mesh_list_set(l);
    s->changed[t] = true;
}

typedef struct { mesh_list l; int64_t weight, parts; uint32_t from; int factor; } candidate;

static bool elementwise(const spmd_step *k)
{
    return k->class == SPMD_SAME
           && (k->e->op->kernel == OP_MAP || (k->e->op->passes && !k->e->op->states));
}

static int64_t tensor_size(const spmd_propagation *s, const spmd_step *k, uint32_t t)    /* product of factor sizes */
{
    int64_t n = 1;
    for (int f = 0; f < k->rule->nfactor; f++)
        if (s->cell[t * (uint32_t)k->rule->nfactor + (uint32_t)f].has) n *= k->rule->factor[f].size;
    return n;
}

static bool factor_propagation_before(const candidate *a, const candidate *b)
{
    if (a->weight != b->weight) return a->weight > b->weight;
    if (a->parts != b->parts) return a->parts > b->parts;
    if (a->from != b->from) return a->from < b->from;
    return a->factor < b->factor;
}

static int candidates(const spmd_propagation *s, const spmd_step *k, int stage, candidate *c)
{
    const uint32_t nf = (uint32_t)k->rule->nfactor;
    int n = 0;
    for (int f = 0; f < k->rule->nfactor; f++) {
        const spmd_way way = spmd_way_of(k, stage, f);
        candidate x = { way ? agreed(s, k, f, way) : 0, -1, 0, UINT32_MAX, f };
        if (!x.l) continue;
        if (elementwise(k)) x.parts = mesh_list_size(s->mesh, x.l);
        for (uint32_t t = 0; t < k->ntensor; t++) {
            const spmd_cell *cell = &s->cell[t * nf + (uint32_t)f];
            if (!cell->has || spmd_common_length(x.l, cell->list) < mesh_list_n(x.l)) continue;
            const int64_t size = tensor_size(s, k, t);
            if (size > x.weight) x.weight = size, x.from = t;
        }
        int at = n++;
        for (; at > 0 && factor_propagation_before(&x, &c[at - 1]); at--) c[at] = c[at - 1];
        c[at] = x;
    }
    return n;
}

/* The prefix of a factor's list that tensor t takes; 0: none. */
static mesh_list factor_propagation_taken(const spmd_propagation *s, const spmd_step *k, uint32_t t, const candidate *x)
{
    const spmd_cell *c = &s->cell[t * (uint32_t)k->rule->nfactor + (uint32_t)x->factor];
    int64_t parts = 1;
    int n = 0, m = 0;
    if (!c->has) return 0;
    for (; n < mesh_list_n(x->l) && factor_propagation_fits(s, k, t, x->factor, mesh_list_at(x->l, n), parts); n++)
        parts *= s->mesh->atom[mesh_list_at(x->l, n)];
    if (!spmd_extends(c->list, spmd_head(x->l, n))) return 0;
    while (m < n && !elsewhere(s, k, t, x->factor, mesh_list_at(x->l, m))) m++;
    return spmd_head(x->l, m);
}

void spmd_propagate_factors(spmd_propagation *s, const spmd_step *k, int stage)
{
    candidate c[OP_FACTORS];
    const uint32_t nf = (uint32_t)k->rule->nfactor;
    const int n = candidates(s, k, stage, c);
    for (uint32_t i = 0; n && i < k->ntensor; i++) {
        const uint32_t t = (i + k->nin) % k->ntensor;    /* results, then operands */
        for (int j = 0; j < n; j++) {
            mesh_list l = factor_propagation_taken(s, k, t, &c[j]);
            for (uint32_t u = k->nin; t < k->nin && u < k->ntensor && elementwise(k); u++) {
                const spmd_cell *y = &s->cell[u * nf + (uint32_t)c[j].factor];
                if (y->has && spmd_extends(y->list, l)) l = y->list;
            }
            expand(s, k, t, c[j].factor, l);
        }
    }
}
