/* plan/lower/window.c - operands of which an instance needs more or other elements than its layout gives it.
 *
 * The sharding of a windowed factor determines which range of a result an instance computes; the rule's window
 * determines which range of the operand the instance reads for this. If an instance does not hold that range, one
 * exchange fills a value whose box per instance is the window, from any layout of the operand and however many owners a
 * box spans. All other dims of the value have the layout that the sharding needs, so such an operand needs no reshard
 * before.
 *
 * Also here: the conversion to a partial sum. A replicated value becomes partial as itself at place 0 and zeros
 * elsewhere. */
#include "../inner.h"

#include <string.h>

/* Sets the layout in which the sharding needs operand i, and the operand's windows. Returns false if no windowed dim is
 * sharded. */
static bool window_needed(const plan_flat *f, const ir_eqn *e, const op_rule *r, uint32_t i, mesh_list *dim,
    run_halo *halo)
{
    bool any = false;
    for (int d = 0; d < IR_IN(e, i)->rank; d++) {
        const struct op_rule_dim *at = &r->dim[i * IR_RANK + (uint32_t)d];
        dim[d] = 0;
        halo[d] = (run_halo){ 0 };
        for (int k = 0; k < at->n; k++) {
            const mesh_list l = e->sharding->atoms[at->at[k].factor];
            for (int a = 0; a < mesh_list_n(l); a++) dim[d] = mesh_list_push(dim[d], mesh_list_at(l, a));
            if (!at->at[k].windowed || !l) continue;
            any = true;
            if (mesh_list_size(f->mesh, l) > 1) halo[d] = (run_halo){ at->at[k].window,
                r->factor[at->at[k].factor].size };
        }
    }
    return any;
}

/* True if every part that is needed of a dim is inside the part that the instance holds: both are sharded by the same
 * atoms and the window does not leave the part, or the dim is unsharded. */
static bool window_holds(const plan_flat *f, mesh_list has, mesh_list want, int64_t size, const run_halo *h)
{
    uint32_t at[MESH_ATOMS] = { 0 };
    if (mesh_list_size(f->mesh, has) == 1) return true;
    if (!h->window.div) return has == want;
    if (has != want) return false;
    const mesh_set set = mesh_list_set(want);
    for (int64_t i = 0; i < mesh_set_size(f->mesh, set); i++) {
        int64_t lo, hi, a, b;
        mesh_instance_coord(f->mesh, set, i, at);
        mesh_range(f->mesh, want, h->size, at, &a, &b);
        op_window_range(&h->window, a, b, size, &a, &b);
        mesh_range(f->mesh, has, size, at, &lo, &hi);
        if (a < b && (a < lo || b > hi)) return false;
    }
    return true;
}

bool plan_windows(plan_flat *f, plan_block *b, const ir_eqn *e, plan_id *in)
{
    op_rule *r;
    mesh_list dim[IR_RANK + 1];
    run_halo halo[IR_RANK + 1];
    if (!op_rule_of(e, &r)) return false;
    for (uint32_t i = 0; i < e->nin; i++) {
        if (!window_needed(f, e, r, i, dim, halo)) continue;
        const plan_value x = f->value[in[i]];
        bool ok = true;
        for (int d = 0; d < x.rank; d++) ok &= window_holds(f, x.layout ? x.layout->dim[d].atoms : 0, dim[d],
                                                            x.dim[d], &halo[d]);
        if (ok) continue;
        const mesh_layout *l = mesh_layout_dims(f->mesh, x.rank, dim);
        in[i] = plan_move(f, b, e, in[i], plan_halo(f, in[i], l, halo, x.vary & f->manual));
    }
    return true;
}

/* Sets up the exchange for atoms that become partial: for most reduction kinds, combining equal copies changes nothing;
 * a sum takes the value at place 0, and zeros elsewhere. */
bool plan_shares(plan_flat *f, const mesh_layout *from, const mesh_layout *to, plan_item *t)
{
    const mesh_set fresh = plan_differ(f->mesh, to ? to->partial & (mesh_set)~(from ? from->partial : 0) : 0);
    if (!fresh || to->reduce == MESH_MAX || to->reduce == MESH_MIN || to->reduce == MESH_AND || to->reduce == MESH_OR)
        return true;
    if (to->reduce == MESH_PROD) return base_bug(t->site, "a whole value does not become a partial product");
    const int64_t n = mesh_set_size(f->mesh, fresh);
    uint32_t *source = BASE_NEW(f->a, uint32_t, n);
    memset(source, 0xFF, (size_t)n * sizeof *source);
    source[0] = 0;
    t->move.route.order = mesh_set_list(fresh);
    t->move.route.source = source;
    return true;
}
