/* spmd/propagate/origin.c - origins: propagation logs from where each slot got each atom; a query follows the log back
 * to a seed. */
#include "propagation.h"

#include <string.h>

void spmd_log_origin(spmd_propagation *s, uint32_t slot, int atom, uint32_t from, uint32_t by)
{
    if (s->nentry == s->capentry) {
        s->capentry = s->capentry ? 2 * s->capentry : s->nslot * (uint32_t)s->mesh->natom / 2 + 256;
        spmd_entry *grown = BASE_NEW(s->a, spmd_entry, s->capentry);
        if (s->nentry) memcpy(grown, s->entry, s->nentry * sizeof *grown);
        s->entry = grown;
    }
    s->entry[s->nentry] = (spmd_entry){ s->slot[slot].log, from, by, (uint8_t)atom };
    s->slot[slot].log = ++s->nentry;
}

static const spmd_entry *entry_of(const spmd_propagation *s, uint32_t slot, int atom)
{
    for (uint32_t i = s->slot[slot].log; i; i = s->entry[i - 1].next)
        if (s->entry[i - 1].atom == atom) return &s->entry[i - 1];
    return NULL;
}

static spmd_origin origin(const spmd_propagation *s, uint32_t slot, int atom)
{
    const spmd_step *last = NULL;
    for (const spmd_entry *x = entry_of(s, slot, atom); x; x = entry_of(s, x->from, atom)) {
        if (!x->from) return s->origin[x->by];           /* terminates: each entry is older than the last */
        last = &s->step[x->by];
    }
    if (!last || !last->e) return (spmd_origin){ 0 };
    return (spmd_origin){ last->e->site, last->e->op->name };    /* the axes of a manual region */
}

spmd_origin spmd_origin_of(const spmd_state *all, const ir_fn *f, ir_id id, int atom)
{
    const uint32_t slot = all->propagation ? spmd_slot_of(all->propagation, f, id) : 0;
    return slot ? origin(all->propagation, slot, atom) : (spmd_origin){ 0 };
}

spmd_origin spmd_origin_of_result(const spmd_state *all, uint32_t i, int atom)
{
    const spmd_propagation *s = all->propagation;
    return s && i < s->top->nret ? origin(s, s->wish + i, atom) : (spmd_origin){ 0 };
}
