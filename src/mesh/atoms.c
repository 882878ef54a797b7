/* mesh/atoms.c - lists and sets of atoms, and coordinates along atoms.
 *
 * A list is one word: the length in the low nibble, then one nibble per atom, major first. A set is a bit mask. The
 * atoms of a mesh are numbered major to minor over all axes, so a logical device number is the mixed-radix number of
 * the device's coordinates in this order. Instances of a value that varies over a set are numbered likewise over the
 * atoms of the set. */
#include "mesh.h"

int       mesh_list_n(mesh_list l) { return (int)(l & 15); }
int       mesh_list_at(mesh_list l, int i) { return (int)(l >> (4 + 4 * i) & 15); }
mesh_list mesh_list_push(mesh_list l, int atom) { return (l | (mesh_list)atom << (4 + 4 * (l & 15))) + 1; }

mesh_list mesh_list_join(mesh_list l, mesh_list more)
{
    for (int i = 0; i < mesh_list_n(more); i++) l = mesh_list_push(l, mesh_list_at(more, i));
    return l;
}

mesh_list mesh_list_beyond(mesh_list l, int n)
{
    mesh_list r = 0;
    for (int i = n; i < mesh_list_n(l); i++) r = mesh_list_push(r, mesh_list_at(l, i));
    return r;
}

mesh_set mesh_list_set(mesh_list l)
{
    mesh_set s = 0;
    for (int n = mesh_list_n(l); n-- > 0;) l >>= 4, s |= (mesh_set)(1u << (l & 15));
    return s;
}

mesh_list mesh_set_list(mesh_set s)
{
    mesh_list l = 0;
    for (int a = 0; a < MESH_ATOMS; a++) if (s >> a & 1) l = mesh_list_push(l, a);
    return l;
}

static const mesh_axis *axis_named(const mesh *m, base_name name)
{
    for (int i = 0; m && i < m->naxis; i++) if (m->axis[i].name == name) return &m->axis[i];
    return NULL;
}

mesh_list mesh_axis_list(const mesh *m, base_name name)
{
    const mesh_axis *x = axis_named(m, name);
    mesh_list l = 0;
    for (int a = 0; x && a < x->natom; a++) l = mesh_list_push(l, x->first + a);
    return l;
}

mesh_set mesh_named(const mesh *m, int n, const base_name *axes)
{
    mesh_set s = 0;
    for (int i = 0; i < n; i++) s |= mesh_list_set(mesh_axis_list(m, axes[i]));
    return s;
}

int64_t mesh_list_size(const mesh *m, mesh_list l)
{
    int64_t n = 1;
    for (int i = 0; i < mesh_list_n(l); i++) n *= m->atom[mesh_list_at(l, i)];
    return n;
}

int64_t mesh_set_size(const mesh *m, mesh_set s)
{
    int64_t n = 1;
    for (int a = 0; a < MESH_ATOMS; a++) if (s >> a & 1) n *= m->atom[a];
    return n;
}

int64_t mesh_size(const mesh *m)
{
    int64_t n = 1;
    for (int i = 0; m && i < m->naxis; i++) n *= m->axis[i].size;
    return n;
}

void mesh_coord(const mesh *m, int64_t device, uint32_t *coord)
{
    mesh_instance_coord(m, (mesh_set)((1u << m->natom) - 1), device, coord);
}

int64_t mesh_instance(const mesh *m, mesh_set vary, const uint32_t *coord)
{
    int64_t n = 0;
    for (int a = 0; a < MESH_ATOMS; a++) if (vary >> a & 1) n = n * m->atom[a] + coord[a];
    return n;
}

void mesh_instance_coord(const mesh *m, mesh_set vary, int64_t instance, uint32_t *coord)
{
    for (int a = m->natom - 1; a >= 0; a--) {
        coord[a] = 0;
        if (!(vary >> a & 1)) continue;
        coord[a] = (uint32_t)(instance % m->atom[a]);
        instance /= m->atom[a];
    }
}

int64_t mesh_place(const mesh *m, mesh_list l, const uint32_t *coord)
{
    int64_t n = 0;
    for (int i = 0; i < mesh_list_n(l); i++) n = n * m->atom[mesh_list_at(l, i)] + coord[mesh_list_at(l, i)];
    return n;
}

void mesh_place_coord(const mesh *m, mesh_list l, int64_t place, uint32_t *coord)
{
    for (int i = mesh_list_n(l) - 1; i >= 0; i--) {
        const int a = mesh_list_at(l, i);
        coord[a] = (uint32_t)(place % m->atom[a]);
        place /= m->atom[a];
    }
}
