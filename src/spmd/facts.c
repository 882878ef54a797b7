/* spmd/facts.c - what is known before anything propagates: given layouts, wishes for results, constraints, manual
 * specs.
 *
 * A dim that is not open is closed. Dims of a later priority are hidden until their turn: closed, and their atoms are
 * forbidden on the value's other dims. A closed constraint is put on what it constrains, too, unless another constraint
 * or manual region wants the same value otherwise (as Shardy, and GSPMD before it, do): so the value is computed where
 * it is wanted, not moved there. Atoms of size 1 cut nothing and are left out. */
#include "spread.h"

#include <string.h>

static uint32_t new_origin(spmd_spread *s, base_site site, const char *how)
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

static void later(spmd_spread *s, spmd_fact fact)
{
    if (s->nfact == s->capfact) {
        s->capfact = 2 * s->capfact + 16;
        spmd_fact *grown = BASE_NEW(s->a, spmd_fact, s->capfact);
        if (s->nfact) memcpy(grown, s->fact, s->nfact * sizeof *grown);
        s->fact = grown;
    }
    s->fact[s->nfact++] = fact;
}

static mesh_list without(mesh_list l, mesh_set idle)
{
    mesh_list r = 0;
    if (!(mesh_list_set(l) & idle)) return l;
    for (int i = 0; i < mesh_list_n(l); i++)
        if (!(idle >> mesh_list_at(l, i) & 1)) r = mesh_list_push(r, mesh_list_at(l, i));
    return r;
}

static void set_dim(spmd_spread *s, const spmd_fact *f, uint32_t origin)
{
    spmd_slot *k = &s->slot[f->slot];
    const mesh_set atoms = mesh_list_set(f->list);
    s->list[k->dim + f->dim] = f->list;
    k->used |= atoms;
    k->never &= (mesh_set)~atoms;
    if (f->open) k->closed &= (uint16_t)~(1u << f->dim);
    else k->closed |= (uint16_t)(1u << f->dim);
    for (int i = 0; i < mesh_list_n(f->list); i++) spmd_log(s, f->slot, mesh_list_at(f->list, i), 0, origin);
}

/* open: more may come on every dim, whatever the layout says. */
static void fact(spmd_spread *s, uint32_t slot, const mesh_layout *l, bool open, base_site site, const char *how)
{
    spmd_slot *k = &s->slot[slot];
    if (k->given || !l || l->mesh != s->mesh || l->rank != k->rank) return;
    const uint32_t origin = new_origin(s, site, how);
    k->given = l;
    k->never |= l->partial | l->reduced | l->closed;
    for (int d = 0; d < l->rank; d++) {
        const mesh_dim *x = &l->dim[d];
        const spmd_fact f = { slot, (uint8_t)d, x->priority, x->open || open, without(x->atoms, s->idle), origin };
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

/* of a user; a demand never met: open */
static const mesh_layout *demand(const spmd_spread *s, const ir_eqn *e, uint32_t i)
{
    static const mesh_layout various;
    if (e->op == &row_constrain) return IR_ATTR(e, op_layout_attr)->to.v[0];
    if (e->op != &row_manual) return NULL;
    const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
    const mesh_set all = (mesh_set)((1u << s->mesh->natom) - 1) & (mesh_set)~s->idle;
    return all & (mesh_set)~mesh_named(s->mesh, a->axes.n, a->axes.v) ? &various : a->in.v[i];
}

static bool all_closed(const mesh_layout *l)
{
    bool closed = l->mesh != NULL;
    for (int d = 0; d < l->rank; d++) closed &= !l->dim[d].open;
    return closed;
}

static void push(spmd_spread *s, const ir_fn *f, uint32_t base)
{
    typedef struct { const mesh_layout *l; const ir_eqn *e; bool differ; } wanted;
    wanted *w = BASE_NEW(s->a, wanted, f->nvalue + 1);
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; i < f->eqn[k].nin; i++) {
            const mesh_layout *l = demand(s, &f->eqn[k], i);
            wanted *x = &w[f->eqn[k].in[i]];
            if (!l) continue;
            if (x->l && x->l != l) x->differ = true;
            else x->l = l, x->e = x->e ? x->e : &f->eqn[k];
        }
    for (uint32_t i = 1; i <= f->nvalue; i++)
        if (w[i].l && !w[i].differ && all_closed(w[i].l) && !s->slot[s->of[base + i]].edge)
            fact(s, s->of[base + i], w[i].l, false, w[i].e->site, w[i].e->op->name);
}

static void of_equations(spmd_spread *s, const ir_fn *f, uint32_t base)
{
    const mesh_set all = (mesh_set)((1u << s->mesh->natom) - 1) & (mesh_set)~s->idle;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (e->op == &row_constrain || e->op == &row_reshard)
            fact(s, s->of[base + e->out], IR_ATTR(e, op_layout_attr)->to.v[0], false, e->site, e->op->name);
        if (e->op != &row_manual) continue;
        const op_manual_attr *a = IR_ATTR(e, op_manual_attr);
        const mesh_set inside = mesh_named(s->mesh, a->axes.n, a->axes.v);
        const bool open = (all & (mesh_set)~inside) != 0;
        for (uint32_t j = 0; j < e->nout; j++) {         /* over manual atoms it lies as the spec says, and no finer */
            fact(s, s->of[base + e->out + j], a->out.v[j], open, e->site, "manual");
            s->slot[s->of[base + e->out + j]].never |= (mesh_set)(inside & ~mesh_used(a->out.v[j]));
        }
    }
}

void spmd_facts(spmd_spread *s, const ir_fn *f, const mesh_layout *const *wanted)
{
    for (uint32_t i = 1; f->layout && i <= f->narg; i++)
        if (f->layout[i])
            fact(s, s->of[i], f->layout[i], false, s->in_site ? s->in_site[i - 1] : NULL,
                 s->in_name ? s->in_name[i - 1] : base_format(s->a, "argument %u", i - 1));
    for (uint32_t i = 0; wanted && i < f->nret; i++)
        if (wanted[i]) fact(s, s->wish + i, wanted[i], false, NULL, base_format(s->a, "result %u", i));
    for (uint32_t r = 0; r < s->nregion; r++) {
        const ir_fn *g = s->region[r].fn;
        for (uint32_t i = g == f ? f->narg + 1 : 1; g->layout && i <= g->nvalue; i++)
            if (g->layout[i]) fact(s, s->of[s->region[r].base + i], g->layout[i], false, NULL, "given");
        of_equations(s, g, s->region[r].base);
    }
    for (uint32_t r = 0; r < s->nregion; r++) push(s, s->region[r].fn, s->region[r].base);
    for (uint32_t k = 1; k < s->nslot; k++) if (s->slot[k].used) spmd_touch(s, k, UINT32_MAX);
}

int spmd_next_priority(const spmd_spread *s, int after)
{
    int next = -1;
    for (uint32_t i = 0; i < s->nfact; i++)
        if (s->fact[i].priority > after && (next < 0 || s->fact[i].priority < next)) next = s->fact[i].priority;
    return next;
}

void spmd_reveal(spmd_spread *s, int priority)
{
    for (uint32_t i = 0; i < s->nfact; i++)
        if (s->fact[i].priority == priority) {
            set_dim(s, &s->fact[i], s->fact[i].origin);
            spmd_touch(s, s->fact[i].slot, UINT32_MAX);
        }
}
