/* plan/fuse/top_k.c - fuses a sort with the slices that read it, if only the first elements of each sorted line are
 * read, as in top_k: the group's kernel (gen/data/sort.c) selects only these elements, and the sorted lines are never
 * stored.
 *
 * The slices read nothing but the sort, so no path leads out of the group and back into it. */
#include "../inner.h"
#include "../../op/ops.h"

enum { MOST = 8 };                                       /* slices */
typedef struct { const plan_item *sort; uint32_t n; plan_item *slice[MOST]; bool other; } consumers;

static bool of_sort(const plan_flat *f, const plan_item *sort, plan_id v)
{
    for (uint32_t j = 0; j < sort->nout; j++) if (f->value[v].base == sort->out[j]) return true;
    return false;
}

/* True if the lines of both values are unsharded and in the same instances. */
static bool same_lines(const plan_flat *f, plan_id sorted, plan_id slice, int dim)
{
    const plan_value *x = &f->value[sorted], *y = &f->value[slice];
    if (x->vary != y->vary || !plan_is_complete(x) || !plan_is_complete(y) || x->base != sorted || y->base != slice)
        return false;
    for (int d = 0; d < x->rank; d++)
        if (plan_atoms(x, d) != (d == dim ? 0 : plan_atoms(y, d)) || (d == dim && plan_atoms(y, d))) return false;
    return true;
}

static bool is_top_slice(const plan_flat *f, const plan_item *sort, const plan_item *t)
{
    const ir_eqn *const both[] = { sort->eqn, t->eqn };
    if (t->kind != PLAN_EQN || t->eqn->op != &prim_slice || t->block != sort->block || t->group->n != 1 || t->ref)
        return false;
    return !t->group->into && same_lines(f, t->in[0], t->out[0], (int)IR_ATTR(sort->eqn, op_sort_attr)->dimension) &&
           !gen_sort.refuses(&(gen_group){ 2, both, sort->nin, 1, sort->eqn->in, &t->eqn->out, f->reproducible });
}

static void collect_consumers(const plan_flat *f, const plan_block *b, consumers *r)
{
    for (uint32_t i = 0; i < b->n && !r->other; i++) {
        plan_item *t = b->item[i];
        bool reads = t->kind == PLAN_LOOP && of_sort(f, r->sort, t->loop.test);
        for (uint32_t k = 0; k < t->nin; k++) reads |= of_sort(f, r->sort, t->in[k]);
        if (reads && (r->n == MOST || !is_top_slice(f, r->sort, t))) r->other = true;
        else if (reads) r->slice[r->n++] = t;
        PLAN_EACH_BLOCK(t, nested) collect_consumers(f, nested, r);
    }
}

void plan_top_k(plan_flat *f, plan_block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *t = b->item[i];
        if (t->kind != PLAN_EQN || t->eqn->op != &prim_sort || t->ref) continue;
        consumers r = { .sort = t };
        collect_consumers(f, b, &r);
        const ir_eqn *all[1 + MOST] = { t->eqn };
        for (uint32_t k = 0; k < r.n; k++) all[1 + k] = r.slice[k]->eqn;
        const gen_group whole = { 1 + r.n, all, t->nin, 0, t->eqn->in, NULL, f->reproducible };
        if (r.other || !r.n || gen_sort.refuses(&whole)) continue;
        for (uint32_t k = 0; k < r.n; k++) {
            r.slice[k]->group->into = t->group;
            plan_group_add(f, t->group, r.slice[k]);
        }
    }
}
