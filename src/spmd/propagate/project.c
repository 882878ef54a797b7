/* spmd/propagate/project.c - projects the layouts of a step's tensors to factor shardings, and back.
 *
 * Tensor to factors: the atoms of a dim go to the dim's factors, major first.
 * - A factor that is not the dim's last takes atoms as long as they divide its size. The first atom that does not, and
 *   all atoms after that one, are overflow: they stay on the dim, and neither this factor nor later ones may get atoms.
 * - The dim's last factor takes all remaining atoms, evenly or not.
 * Factors to tensor: a dim gets the atoms of its factors up to the first factor that is not sharded to single elements;
 * atoms of later factors would select a strided part. Atoms are prime, so sub-axes need no special case; the joined
 * atom of size 4 of a very large mesh is never split. */
#include "propagation.h"

#include <string.h>

static void project_dim(const mesh *m, const op_rule *r, const struct op_rule_dim *dim, mesh_list l, bool closed,
                        spmd_cell *cell)
{
    bool over = false;
    for (int i = 0; i < dim->n; i++) {
        const int f = dim->at[i].factor;
        spmd_cell *c = &cell[f];
        int64_t rest = r->factor[f].size;
        int n = 0;
        if (c->has) {                                    /* twice in one tensor: not propagated */
            c->closed = true;
            continue;
        }
        *c = (spmd_cell){ .has = true, .closed = closed || over, .minor = i == dim->n - 1 };
        if (c->minor || over) n = over ? 0 : mesh_list_n(l);
        else
            for (; n < mesh_list_n(l) && rest % m->atom[mesh_list_at(l, n)] == 0 && rest > 1; n++)
                rest /= m->atom[mesh_list_at(l, n)];
        c->list = spmd_head(l, n);
        l = spmd_tail(l, n);
        if (!c->minor && rest > 1 && mesh_list_n(l)) {
            c->over = l;
            l = 0;
            over = true;
        }
        c->was = c->list;
    }
}

static mesh_list seen(const spmd_propagation *s, const spmd_step *k, uint32_t t, int d, bool *closed)
{
    const spmd_slot *slot = &s->slot[s->tensor[k->first + t]];
    const int at = d + (k->end ? k->end[t].drop : 0);
    const mesh_list l = s->list[slot->dim + (uint32_t)at];
    *closed = slot->closed >> at & 1;
    return k->end && k->end[t].prefix ? spmd_join(k->end[t].prefix->dim[d].atoms, l) : l;
}

static int seen_rank(const spmd_propagation *s, const spmd_step *k, uint32_t t)
{
    return s->slot[s->tensor[k->first + t]].rank - (k->end ? k->end[t].drop : 0);
}

/* True if every factor has the same list on all tensors of a plain step: nothing to propagate. */
static bool settled(const spmd_propagation *s, const spmd_step *k)
{
    const spmd_slot *first = &s->slot[s->tensor[k->first]];
    for (uint32_t t = 1; t < k->ntensor; t++) {
        const spmd_slot *slot = &s->slot[s->tensor[k->first + t]];
        for (int d = 0; d < first->rank; d++) if (s->list[slot->dim + d] != s->list[first->dim + d]) return false;
    }
    return true;
}

bool spmd_project(spmd_propagation *s, const spmd_step *k)
{
    const op_rule *r = k->rule;
    const int nf = r->nfactor;
    mesh_set any = 0;
    for (uint32_t t = 0; t < k->ntensor; t++) any |= s->slot[s->tensor[k->first + t]].used;
    for (uint32_t t = 0; k->end && t < k->ntensor; t++) if (k->end[t].prefix) any |= mesh_used(k->end[t].prefix);
    if (!any || (k->plain && settled(s, k))) return false;
    memset(s->cell, 0, k->ntensor * (size_t)nf * sizeof *s->cell);
    for (uint32_t t = 0; t < k->ntensor; t++) {
        s->changed[t] = false;
        s->taken[t] = 0;
        for (int d = 0; d < seen_rank(s, k, t); d++) {
            bool closed;
            const mesh_list l = seen(s, k, t, d, &closed);
            s->taken[t] |= mesh_list_set(l);
            project_dim(s->mesh, r, &r->dim[t * IR_RANK + (uint32_t)d], l, closed, s->cell + t * (uint32_t)nf);
        }
    }
    return true;
}

static mesh_list dim_of(const mesh *m, const op_rule *r, const struct op_rule_dim *dim, const spmd_cell *cell)
{
    mesh_list l = 0;
    for (int i = 0; i < dim->n; i++) {
        const spmd_cell *c = &cell[dim->at[i].factor];
        l = spmd_join(l, c->list);
        if (c->over) return spmd_join(l, c->over);
        if (mesh_list_size(m, c->list) < r->factor[dim->at[i].factor].size) break;
    }
    return l;
}

/* The slot of the first other tensor that had the atom on a factor of the dim; 0: none. */
static uint32_t source(const spmd_propagation *s, const spmd_step *k, uint32_t t, const struct op_rule_dim *dim,
    int atom)
{
    for (int i = 0; i < dim->n; i++) {
        const uint32_t f = (uint32_t)dim->at[i].factor, nf = (uint32_t)k->rule->nfactor;
        for (uint32_t u = 0; u < k->ntensor; u++)
            if (u != t && spmd_has(s->cell[u * nf + f].was, atom)) return s->tensor[k->first + u];
    }
    return 0;
}

static bool write_dim(spmd_propagation *s, uint32_t step, uint32_t t, int d)
{
    const spmd_step *k = &s->step[step];
    const op_rule *r = k->rule;
    const struct op_rule_dim *dim = &r->dim[t * IR_RANK + (uint32_t)d];
    const uint32_t id = s->tensor[k->first + t];
    spmd_slot *slot = &s->slot[id];
    mesh_list *old = &s->list[slot->dim + (uint32_t)d + (k->end ? k->end[t].drop : 0)];
    mesh_list now = dim_of(s->mesh, r, dim, s->cell + t * (uint32_t)r->nfactor);
    if (k->end && k->end[t].prefix) {
        const mesh_list before = k->end[t].prefix->dim[d].atoms;
        if (spmd_common_length(before, now) < mesh_list_n(before)) return false;
        now = spmd_tail(now, mesh_list_n(before));
    }
    if (!spmd_extends(*old, now)) return false;
    const int n = mesh_list_n(*old);
    for (int i = n; i < mesh_list_n(now); i++) {    /* a slot that occurs twice may have grown already */
        const int atom = mesh_list_at(now, i);
        if ((slot->used | slot->never) >> atom & 1) break;
        *old = mesh_list_push(*old, atom);
        slot->used |= (mesh_set)(1u << atom);
        spmd_log_origin(s, id, atom, source(s, k, t, dim, atom), step);
    }
    return mesh_list_n(*old) > n;
}

bool spmd_write(spmd_propagation *s, uint32_t step)
{
    const spmd_step *k = &s->step[step];
    bool any = false;
    for (uint32_t t = 0; t < k->ntensor; t++) {
        bool grown = false;
        if (!s->changed[t]) continue;
        for (int d = 0; d < seen_rank(s, k, t); d++) grown |= write_dim(s, step, t, d);
        if (grown) spmd_touch(s, s->tensor[k->first + t], step);
        any |= grown;
    }
    return any;
}

void spmd_touch(spmd_propagation *s, uint32_t slot, uint32_t but)
{
    for (uint32_t i = s->touch[slot]; i < s->touch[slot + 1]; i++) {
        const uint32_t k = s->touched[i];
        if (k == but) continue;
        s->dirty[k / 64] |= (uint64_t)1 << k % 64;
        if (k < s->low) s->low = k;
    }
}
