/* ir/uses.c - which equation of a function computes a value, and how often a value is read. */
#include "ir.h"

const ir_eqn *ir_definition(const ir_fn *f, ir_id v)     /* equations are sorted by their results */
{
    uint32_t lo = 0, hi = f->neqn;
    if (v <= f->narg) return NULL;
    while (lo < hi) {                                    /* the first results of the equations before lo are <= v */
        const uint32_t mid = lo + (hi - lo) / 2;
        if (f->eqn[mid].out <= v) lo = mid + 1;
        else hi = mid;
    }
    return lo && v - f->eqn[lo - 1].out < f->eqn[lo - 1].nout ? &f->eqn[lo - 1] : NULL;
}

const ir_eqn **ir_definitions(base_arena *a, const ir_fn *f)
{
    const ir_eqn **def = BASE_NEW(a, const ir_eqn *, f->nvalue + 1);
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t j = 0; j < f->eqn[k].nout; j++) def[f->eqn[k].out + j] = &f->eqn[k];
    return def;
}

uint32_t *ir_uses(base_arena *a, const ir_fn *f)
{
    uint32_t *n = BASE_NEW(a, uint32_t, f->nvalue + 1);
    for (uint32_t k = 0; k < f->neqn; k++) for (uint32_t i = 0; i < f->eqn[k].nin; i++) n[f->eqn[k].in[i]]++;
    for (uint32_t j = 0; j < f->nret; j++) n[f->ret[j]]++;
    return n;
}
