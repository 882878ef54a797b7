/* layouts.h - every layout that a small mesh offers, one after the other. */
#ifndef TUTTI_TESTS_SPMD_LAYOUTS_H
#define TUTTI_TESTS_SPMD_LAYOUTS_H

#include "api/pipeline.h"

/* The n-th layout of a rank over a mesh: dims over axes, each axis on at most one dim. NULL: no more. */
static inline const mesh_layout *layouts_nth(const mesh *m, int rank, int n)
{
    mesh_list dim[IR_RANK + 1] = { 0 };
    for (int axis = 0; axis < m->naxis; axis++, n /= rank + 1) {
        const int d = n % (rank + 1) - 1;
        if (d < 0) continue;
        dim[d] = mesh_list_join(dim[d], mesh_axis_list(m, m->axis[axis].name));
    }
    return n ? NULL : mesh_layout_dims(m, rank, dim);
}

/* Sets in[i] to the n-th layout of argument i over the mesh, or to the first if the argument has fewer. True if an
 * argument has an n-th one. */
static inline bool layouts_of_arguments(const ir_fn *f, const mesh *m, int n, const mesh_layout **in)
{
    bool some = false;
    for (uint32_t i = 0; i < f->narg; i++) {
        in[i] = layouts_nth(m, f->type[1 + i]->rank, n);
        some |= in[i] != NULL;
        if (!in[i]) in[i] = layouts_nth(m, f->type[1 + i]->rank, 0);
    }
    return some;
}

#endif
