/* run/merge_instances.c - merges instances: if the parts of a batch are adjacent in one buffer, or have a constant
 * stride, and the weight is the same for all, a contraction of all parts is one task. The weight is read, and packed,
 * once for all.
 *
 * The atoms to merge are found from the step's values: some operand is the same along them. Every other value must be
 * sharded along one dim by these atoms, evenly, in the order of the instances, with parts at a constant stride. Then
 * the boxes of all parts together form one box; there is one such box per instance along the other atoms. Kernels whose
 * tasks share nothing gain nothing from merging: they do not set run_kernel.merges. */
#include "inner.h"

enum { MOST = 4096 };                                    /* most instances that are examined */

static mesh_set vary_of(const run_plan *p, uint32_t value)
{
    return p->value[value].vary & (mesh_set)~p->value[value].merged;
}

/* Sets the box of all instances along `over` together with the one at coord, where `over` is 0; returns its offset, or
 * -1. */
static int64_t merged_box(const run_plan *p, const run_value *v, mesh_set over, const uint32_t *coord, ir_box *all)
{
    run_storage w;
    int sharded = -1;
    if (v->halo || !run_storage_value(&w, p, v)) return -1;
    const int64_t first = run_storage_box(&w, coord, all), n = mesh_set_size(p->mesh, over);
    const mesh_set vary = v->vary & (mesh_set)~v->merged;
    if (!(vary & over)) return first;
    if (v->space == RUN_CONST) return -1;
    for (int64_t i = 1; i < n; i++) {
        ir_box b;
        uint32_t c[MESH_ATOMS];
        mesh_instance_coord(p->mesh, over, i, c);
        for (int k = 0; k < p->mesh->natom; k++) if (!(over >> k & 1)) c[k] = coord[k];
        const int64_t at = run_storage_box(&w, c, &b) - first;
        for (int d = 0; d < b.rank; d++) {
            if (b.n[d] != all->n[d]) return -1;
            if (b.lo[d] == all->lo[d]) continue;
            if (sharded >= 0 && sharded != d) return -1;
            sharded = d;
        }
        if (sharded < 0 || b.lo[sharded] != all->lo[sharded] + i * b.n[sharded]) return -1;
        if (b.n[sharded] == 1 && i == 1) all->step[sharded] = at / w.size; /* a part may have padding after it */
        if (at != i * b.n[sharded] * all->step[sharded] * w.size) return -1;
    }
    all->n[sharded] *= n;
    return first;
}

bool run_merged_boxes(const run_plan *p, const run_step *s, mesh_set over, int64_t instance, ir_box *box)
{
    uint32_t coord[MESH_ATOMS];
    mesh_instance_coord(p->mesh, s->vary & (mesh_set)~over, instance, coord);
    for (uint32_t i = 0; i < s->narg; i++) {
        const int64_t at = merged_box(p, &p->value[s->arg[i]], over, coord, &box[i]);
        if (at < 0) return false;
        box[i].at = (void *)(intptr_t)at;
    }
    return true;
}

mesh_set run_merged_over(const run_plan *p, const run_step *s)
{
    const int64_t n = p->mesh ? mesh_set_size(p->mesh, s->vary) : 1;
    ir_box box[RUN_STACK_BOXES];
    if (s->kind != RUN_COMPUTE || n < 2 || n > MOST || s->narg > RUN_STACK_BOXES) return 0;
    if (!p->kernel[s->compute.kernel].merges) return 0;
    const mesh_set near = p->single_device ? (mesh_set)~0u : run_near(p->mesh);
    for (uint32_t k = 0; k + s->nwritten < s->narg; k++) {
        const mesh_set over = s->vary & (mesh_set)~vary_of(p, s->arg[k]);
        bool fits = over && !(over & ~near) && mesh_set_size(p->mesh, over) > 1;
        for (uint32_t i = 0; fits && i < s->narg; i++) {
            const mesh_set vary = vary_of(p, s->arg[i]);
            fits = !(vary & ~s->vary) && (!(vary & over) || (vary & over) == over);
            fits &= i + s->nwritten < s->narg || vary == s->vary; /* every instance has its own result */
        }
        const int64_t groups = fits ? n / mesh_set_size(p->mesh, over) : 0;
        for (int64_t g = 0; fits && g < groups; g++) fits = run_merged_boxes(p, s, over, g, box);
        if (fits) return over;
    }
    return 0;
}
