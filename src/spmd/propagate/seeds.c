/* spmd/propagate/seeds.c - initial shardings: given layouts, requested results, constraints, specs of manual regions.
 *
 * - A dim of a seed that is not open is closed.
 * - A dim of a later priority is closed and its atoms are forbidden on the value's other dims until that priority.
 * - A closed constraint is also applied to the constrained operand, unless another constraint or manual region requires
 *   a different layout of this operand (as in Shardy and GSPMD): the operand is then computed in the layout, not moved.
 * - Atoms of size 1 are left out. */
#include "propagation.h"
#include "../../op/ops.h"

#include <string.h>

static uint32_t new_origin(spmd_propagation *s, base_site site, const char *how)
{
    if (s->norigin == s->caporigin) {
        s->caporigin = 2 * s->caporigin + 16;
        spmd_origin *grown = BASE_NEW(s->a, spmd_origin, s->caporigin);
        if (s->norigin) memcpy(grown, s->origin, s->norigin * sizeof *grown);
        s->origin = grown;
    }
    s->origin[s->norigin] = (spmd_origin){ site, how };
    return s->norigin++;
}

static void later(spmd_propagation *s, spmd_seed fact)
{
    if (s->nseed == s->capseed) {
        s->capseed = 2 * s->capseed + 16;
        spmd_seed *grown = BASE_NEW(s->a, spmd_seed, s->capseed);
        if (s->nseed) memcpy(grown, s->seed, s->nseed * sizeof *grown);
        s->seed = grown;
    }
    s->seed[s->nseed++] = fact;
}

static void set_dim(spmd_propagation *s, const spmd_seed *f, uint32_t origin)
{
    spmd_slot *k = &s->slot[f->slot];
    const mesh_set atoms = mesh_list_set(f->list);
    s->list[k->dim + f->dim] = f->list;
    k->used |= atoms;
    k->never &= (mesh_set)~atoms;
    if (f->open) k->closed &= (uint16_t)~(1u << f->dim);
    else k->closed |= (uint16_t)(1u << f->dim);
    for (int i = 0; i < mesh_list_n(f->list); i++) spmd_log_origin(s, f->slot, mesh_list_at(f->list, i), 0, origin);
}

/* Records l as the seed of a slot that has none. open: all dims may be sharded further, even those that l closes. */
static void fact(spmd_propagation *s, uint32_t slot, const mesh_layout *l, bool open, base_site site, const char *how)
{
    spmd_slot *k = &s->slot[slot];
    if (k->seed || !l || l->mesh != s->mesh || l->rank != k->rank) return;
    const uint32_t origin = new_origin(s, site, how);
    k->seed = l;
    k->never |= l->partial | l->reduced | l->closed;
    for (int d = 0; d < l->rank; d++) {
        const mesh_dim *x = &l->dim[d];
        const spmd_seed f = { slot, (uint8_t)d, x->priority, x->open || open, spmd_without(x->atoms, s->trivial),
                              origin };
        if (!x->priority) {
            set_dim(s, &f, origin);
            continue;
        }
        k->closed |= (uint16_t)(1u << d);
        k->never |= mesh_list_set(f.list);
        later(s, f);
    }
}

/* ---- constraints ---- */

/* The layout that equation e, a constraint or a manual region, requires of operand i; NULL: none. Operands of a manual
 * region with automatic axes get `various`, which differs from every layout and is never applied. */
static const mesh_layout *demand(const spmd_propagation *s, const ir_eqn *e, uint32_t i)
{
    static const mesh_layout various;
    if (e->op == &prim_constrain) return IR_ATTR(e, op_layout_attr)->sharding.v[0];
    if (e->op != &prim_manual) return NULL;
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_set all = (mesh_set)((1u << s->mesh->natom) - 1) & (mesh_set)~s->trivial;
    return all & (mesh_set)~mesh_named(s->mesh, a->manual_axes.n, a->manual_axes.v) ? &various : a->in_shardings.v[i];
}

static bool all_closed(const mesh_layout *l)
{
    bool closed = l->mesh != NULL;
    for (int d = 0; d < l->rank; d++) closed &= !l->dim[d].open;
    return closed;
}

static void seeds_push(spmd_propagation *s, const ir_fn *f, uint32_t base)
{
    typedef struct { const mesh_layout *l; const ir_eqn *e; bool differ; } demanded;
    demanded *w = BASE_NEW(s->a, demanded, f->nvalue + 1);
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nin; i++) {
            const mesh_layout *l = demand(s, &f->eqn[k], i);
            demanded *x = &w[f->eqn[k].in[i]];
            if (!l) continue;
            if (x->l && x->l != l) x->differ = true;
            else x->l = l, x->e = x->e ? x->e : &f->eqn[k];
        }
    for (uint32_t i = 1; i <= f->nvalue; i++)
        if (w[i].l && !w[i].differ && all_closed(w[i].l) && !s->slot[s->of[base + i]].edge)
            fact(s, s->of[base + i], w[i].l, false, w[i].e->site, w[i].e->op->name);
}

static void of_equations(spmd_propagation *s, const ir_fn *f, uint32_t base)
{
    const mesh_set all = (mesh_set)((1u << s->mesh->natom) - 1) & (mesh_set)~s->trivial;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (e->op == &prim_constrain || e->op == &prim_reshard)
            fact(s, s->of[base + e->out], IR_ATTR(e, op_layout_attr)->sharding.v[0], false, e->site, e->op->name);
        if (e->op != &prim_manual) continue;
        const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
        const mesh_set inside = mesh_named(s->mesh, a->manual_axes.n, a->manual_axes.v);
        const bool open = (all & (mesh_set)~inside) != 0;
        for (uint32_t j = 0; j < e->nout; j++) { /* manual atoms: exactly as in the spec */
            fact(s, s->of[base + e->out + j], a->out_shardings.v[j], open, e->site, "manual");
            s->slot[s->of[base + e->out + j]].never |= (mesh_set)(inside & ~mesh_used(a->out_shardings.v[j]));
        }
    }
}

void spmd_seed_all(spmd_propagation *s, const ir_fn *f, const mesh_layout *const *requested)
{
    for (uint32_t i = 1; f->layout && i <= f->narg; i++)
        if (f->layout[i])
            fact(s, s->of[i], f->layout[i], false, s->in_site ? s->in_site[i - 1] : NULL,
                 s->in_name ? s->in_name[i - 1] : base_format(s->a, "argument %u", i - 1));
    for (uint32_t i = 0; requested && i < f->nret; i++)
        if (requested[i]) fact(s, s->wish + i, requested[i], false, NULL, base_format(s->a, "result %u", i));
    for (uint32_t r = 0; r < s->nregion; r++) {
        const ir_fn *g = s->region[r].fn;
        for (uint32_t i = g == f ? f->narg + 1 : 1; g->layout && i <= g->nvalue; i++)
            if (g->layout[i]) fact(s, s->of[s->region[r].base + i], g->layout[i], false, NULL, "given");
        of_equations(s, g, s->region[r].base);
    }
    for (uint32_t r = 0; r < s->nregion; r++) seeds_push(s, s->region[r].fn, s->region[r].base);
    for (uint32_t k = 1; k < s->nslot; k++) if (s->slot[k].used) spmd_touch(s, k, UINT32_MAX);
}

int spmd_next_priority(const spmd_propagation *s, int after)
{
    int next = -1;
    for (uint32_t i = 0; i < s->nseed; i++)
        if (s->seed[i].priority > after && (next < 0 || s->seed[i].priority < next)) next = s->seed[i].priority;
    return next;
}

void spmd_seed_priority(spmd_propagation *s, int priority)
{
    for (uint32_t i = 0; i < s->nseed; i++)
        if (s->seed[i].priority == priority) {
            set_dim(s, &s->seed[i], s->seed[i].origin);
            spmd_touch(s, s->seed[i].slot, UINT32_MAX);
        }
}
