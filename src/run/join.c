/* run/join.c - instances that are one: where the parts of a batch lie side by side in one buffer and the weight is one
 * for all devices, a contraction of all parts is one task. The weight is read, and packed, once for all of them.
 *
 * Every value that varies must be cut along its outermost dim, evenly, into whole lines of memory, in the order of the
 * instances; one operand must be the same for all. Then the boxes of all instances together are a box. Kernels whose
 * tasks share nothing gain nothing from it: they do not ask. */
#include "run.h"

enum { MOST = 4096 };                                    /* instances that are looked at */

/* The box of all instances of a value. */
static bool whole_box(const run_plan *p, const run_value *v, int64_t n, ir_box *all)
{
    run_place w;
    uint32_t coord[MESH_ATOMS] = { 0 };
    const mesh_set vary = v->vary & (mesh_set)~v->all;
    if (v->halo || (vary && v->home == RUN_CONST) || !run_place_value(&w, p->mesh, v)) return false;
    if (w.whole && v->layout) w.layout = NULL;
    run_place_box(&w, coord, all);
    all->at = NULL;
    if (!vary) return true;
    int cut = -1;
    for (int64_t i = 1; i < n; i++) {
        ir_box b;
        mesh_instance_coord(p->mesh, vary, i, coord);
        const int64_t at = run_place_box(&w, coord, &b);
        for (int d = 0; d < b.rank; d++) {
            if (b.n[d] != all->n[d]) return false;
            if (b.lo[d] == all->lo[d]) continue;
            if (cut >= 0 && cut != d) return false;
            cut = d;
        }
        if (cut < 0 || b.lo[cut] != all->lo[cut] + i * b.n[cut]) return false;
        if (b.n[cut] == 1 && i == 1) all->step[cut] = at / w.size;       /* a part may have room behind it */
        if (at != i * b.n[cut] * all->step[cut] * w.size) return false;
    }
    all->n[cut] *= n;
    return true;
}

bool run_joins(const run_plan *p, const run_step *s, ir_box *box)
{
    const int64_t n = p->mesh ? mesh_set_size(p->mesh, s->vary) : 1;
    bool shared = false;
    if (s->kind != RUN_COMPUTE || !p->kernel[s->kernel].joins || n < 2 || n > MOST || s->narg > RUN_ROOM) return false;
    for (uint32_t i = 0; i < s->narg; i++) {
        const mesh_set vary = p->value[s->arg[i]].vary & (mesh_set)~p->value[s->arg[i]].all;
        if (vary && vary != s->vary) return false;
        shared |= !vary;
        if (!vary && i + s->nwritten >= s->narg) return false;       /* a result of each */
    }
    for (uint32_t i = 0; shared && i < s->narg; i++) if (!whole_box(p, &p->value[s->arg[i]], n, &box[i])) return false;
    return shared;
}
