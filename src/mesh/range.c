/* mesh/range.c - the part of a dim that a device holds: the nested balanced split.
 *
 * Splits atom by atom: part i of p of a length L gets floor(L/p) elements, and one more if i < L mod p. So each of n
 * parts of a dim D has floor(D/n) or ceil(D/n) elements, and each part of a finer split is inside a part of the coarser
 * split: sharding further never moves data. */
#include "mesh.h"

void mesh_range(const mesh *m, mesh_list l, int64_t size, const uint32_t *coord, int64_t *lo, int64_t *hi)
{
    int64_t at = 0, n = size;
    for (int k = 0; k < mesh_list_n(l); k++) {
        const int a = mesh_list_at(l, k);
        const int64_t p = m->atom[a], i = coord[a], each = n / p, rest = n % p;
        at += i * each + (i < rest ? i : rest);
        n = each + (i < rest);
    }
    *lo = at;
    *hi = at + n;
}

bool mesh_divides(const mesh_layout *l, const int64_t *dim)
{
    for (int d = 0; l && d < l->rank; d++)
        if (dim[d] % mesh_list_size(l->mesh, l->dim[d].atoms)) return false;
    return true;
}

bool mesh_even(base_site site, const mesh_layout *l, const int64_t *dim)
{
    for (int d = 0; d < l->rank; d++) {
        const int64_t n = mesh_list_size(l->mesh, l->dim[d].atoms);
        if (dim[d] % n == 0) continue;
        return base_fail(TT_ESPEC, site, "dim %d has %lld elements, which do not divide into %lld parts", d,
                         (long long)dim[d], (long long)n);
    }
    return true;
}

const mesh_layout *mesh_evened(const mesh_layout *l, const int64_t *size)
{
    mesh_dim dim[MESH_RANK] = { 0 };
    mesh_layout to = *l;
    to.dim = dim;
    for (int d = 0; d < l->rank; d++) {
        const mesh_axis *x;
        int64_t before, n, parts = 1;
        dim[d].open = l->dim[d].open;
        dim[d].priority = l->dim[d].priority;
        for (int i = 0, k; i < mesh_list_n(l->dim[d].atoms); i += k) {
            k = mesh_run(l->mesh, l->dim[d].atoms, i, &x, &before, &n);
            parts *= n;
            if (!size[d] || size[d] % parts) break;
            for (int j = 0; j < k; j++)
                dim[d].atoms = mesh_list_push(dim[d].atoms, mesh_list_at(l->dim[d].atoms, i + j));
        }
    }
    return mesh_intern(&to);
}
