/* plan/memory/common.c - chooses the results of exchanges, and of other steps, of which the ranks of a host hold one
 * copy (run/common.c, run/shares.c).
 *
 * The ranks with the same coordinates on the far atoms over which a result varies are a group: each of them would
 * compute the same instances, all that the group holds. They are computed once: each rank computes a share. No other
 * step may write to the result's memory, so the result's buffer is joined with no other buffer, except that of a
 * program result with the same value; such a program result does not take a donated argument's buffer.
 *
 * Of another step of a program that has such an exchange, each rank of a group computes a share if all ranks of the
 * group would compute all of its results, and these are results of the program: the updates of parameters that all
 * ranks hold. Such a result may take a donated argument's buffer, if all ranks give that away. */
#include "../../run/run.h"
#include "../inner.h"

static void count_writers(plan_flat *f, const plan_block *b, uint32_t *writers)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const plan_item *t = b->item[i];
        const plan_id *out;
        for (uint32_t j = 0, n = t->dropped ? 0 : plan_step_results(t, &out); j < n; j++)
            if (out[j]) writers[plan_buffer_of(f, out[j])]++;
        PLAN_EACH_BLOCK(t, nested) count_writers(f, nested, writers);
    }
}

/* True if the ranks of a group need parts of each other, and the group's instances of the result are large enough to
 * share. False for copies, permutations, views, windows and rows. */
static bool is_alike(const plan_flat *f, const plan_item *t)
{
    const plan_value *x = &f->value[t->in[0]], *y = &f->value[t->out[0]];
    const mesh_set far = (mesh_set)~f->near, from = plan_differ(f->mesh, x->vary & far),
        to = plan_differ(f->mesh, y->vary & far);
    const int64_t all = y->bytes * mesh_set_size(f->mesh, y->vary & f->near);
    if (t->dropped || t->move.copy || t->move.row || mesh_list_n(t->move.route.order)) return false;
    if (x->halo || y->halo || x->merged || y->merged || x->slice || y->slice || y->base != t->out[0]) return false;
    if (to && !run_ranks_are_boxes(f->mesh)) return false;
    return from & ~to && !(to & ~from) && all >= run_common_least();
}

/* True if a step of this kind can be divided among ranks, which are more than one for each of its instances. */
static bool divides(const plan_flat *f, const plan_item *t)
{
    const mesh_set far = (mesh_set)(~f->near & ((1u << f->mesh->natom) - 1)), has = plan_differ(f->mesh, t->vary & far);
    if (t->kind != PLAN_EQN || t->dropped || plan_is_host(t)) return false;
    const run_kernel *const k = &t->group->kernel->code;
    return k->tiles && !k->finish && plan_differ(f->mesh, far & (mesh_set)~t->vary) &&
           (!has || run_ranks_are_boxes(f->mesh));
}

static void mark_step(plan_flat *f, plan_item *t, const uint32_t *writers)
{
    const plan_id *out;
    const uint32_t n = divides(f, t) ? plan_step_results(t, &out) : 0;
    int64_t bytes = 0;
    for (uint32_t j = 0; j < n; j++) {
        const plan_value *const y = &f->value[out[j]];
        const plan_id r = plan_buffer_of(f, out[j]);
        if (y->halo || y->merged || y->slice || y->base != out[j] || writers[r] != 1) return;
        if (f->buffer[r].space != RUN_RESULT || plan_differ(f->mesh, y->vary ^ t->vary)) return;
        bytes += y->bytes * mesh_set_size(f->mesh, y->vary & f->near);
    }
    if (!n || n > RUN_SHARES || bytes < run_shares_least) return;
    for (uint32_t j = 0; j < n; j++) f->buffer[plan_buffer_of(f, out[j])].common = true;
    t->common = true;
}

/* Returns the number of exchanges that were marked. */
static uint32_t mark(plan_flat *f, const plan_block *b, const uint32_t *writers)
{
    uint32_t marked = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        plan_item *const t = b->item[i];
        PLAN_EACH_BLOCK(t, nested) marked += mark(f, nested, writers);
        if (t->kind != PLAN_MOVE || !is_alike(f, t)) continue;
        const plan_id r = plan_buffer_of(f, t->out[0]);
        plan_buffer *const p = &f->buffer[r];
        if (writers[r] != 1 || p->donor) continue;
        if (p->space == RUN_ARENA && !p->joined) p->space = RUN_COMMON, p->at = f->ncommon++;
        else if (p->space != RUN_RESULT || b != &f->main) continue;
        p->common = t->move.common = true;
        marked++;
    }
    return marked;
}

void plan_common(plan_flat *f)
{
    if (run_common_least() == INT64_MAX || !f->mesh) return;
    uint32_t *const writers = BASE_NEW(f->a, uint32_t, f->nvalue + 1);
    count_writers(f, &f->main, writers);
    if (!mark(f, &f->main, writers)) return;             /* the ranks need not all launch it */
    for (uint32_t i = 0; i < f->main.n; i++) mark_step(f, f->main.item[i], writers);
}
