/* mesh/layout.c - layouts of values on a mesh. Interned, so equal layouts are one pointer.
 *
 * A layout is printed in the notation of specs, which mesh_parse reads: one item per dim, then the states:
 *     "data, _"   "a+b, model.2.2?, ?"   "_ +sum(model) +reduced(data) +closed(x)"   "data!1, _" (priority 1)
 * An item names axes; name.m.k is a sub-axis of size k, after the major atoms with product m (Shardy's "name":(m)k). */
#include "mesh.h"

#include <string.h>

const mesh_layout *mesh_intern(const mesh_layout *l)
{
    mesh_layout c;
    mesh_dim dim[MESH_RANK];
    memset(&c, 0, sizeof c);                             /* padding too: interned as bytes */
    memset(dim, 0, sizeof dim);
    for (int d = 0; d < l->rank; d++) {
        dim[d].atoms = l->dim[d].atoms;
        dim[d].open = l->dim[d].open;
        dim[d].priority = l->dim[d].priority;
    }
    c.mesh = l->mesh;
    c.rank = l->rank;
    c.dim = base_intern_bytes(dim, (size_t)l->rank * sizeof *dim);
    c.partial = l->partial;
    c.reduced = l->reduced;
    c.closed = l->closed;
    c.reduce = l->partial ? l->reduce : MESH_NONE;
    return base_intern_bytes(&c, sizeof c);
}

const mesh_layout *mesh_layout_dims(const mesh *m, int rank, const mesh_list *dims)
{
    mesh_dim dim[MESH_RANK] = { 0 };
    for (int d = 0; d < rank; d++) dim[d].atoms = dims[d];
    return mesh_intern(&(mesh_layout){ .mesh = m, .rank = rank, .dim = dim });
}

const mesh_layout *mesh_replicated(const mesh *m, int rank)
{
    return mesh_layout_dims(m, rank, (mesh_list[MESH_RANK]){ 0 });
}

mesh_set mesh_used(const mesh_layout *l)
{
    mesh_set s = l->partial;
    for (int d = 0; d < l->rank; d++) s |= mesh_list_set(l->dim[d].atoms);
    return s;
}

mesh_set mesh_layout_vary(const mesh_layout *l) { return l ? mesh_used(l) : 0; }

static void put_list(base_text *t, const mesh *m, mesh_list l)
{
    const mesh_axis *x;
    int64_t before, size;
    for (int i = 0, n; i < mesh_list_n(l); i += n) {
        n = mesh_run(m, l, i, &x, &before, &size);
        base_appendf(t, "%s%s", i ? "+" : "", x->name);
        if (n != x->natom) base_appendf(t, ".%lld.%lld", (long long)before, (long long)size);
    }
}

static void put_state(base_text *t, const mesh *m, const char *word, mesh_set s)
{
    if (!s) return;
    base_appendf(t, "%s+%s(", t->n ? " " : "", word);
    put_list(t, m, mesh_set_list(s));
    base_appendf(t, ")");
}

const char *const mesh_reduce_name[] = { "none", "sum", "prod", "max", "min", "and", "or", "xor", NULL };

const char *mesh_set_text(base_arena *a, const mesh *m, mesh_set s)
{
    base_text t = { .arena = a };
    base_appendf(&t, "%s", "");
    put_list(&t, m, mesh_set_list(s));
    return t.s;
}

const char *mesh_print(base_arena *a, const mesh_layout *l)
{
    base_text t = { .arena = a };
    base_appendf(&t, "%s", "");
    for (int d = 0; l && d < l->rank; d++) {
        const mesh_dim *x = &l->dim[d];
        if (d) base_appendf(&t, ", ");
        if (!mesh_list_n(x->atoms) && !x->open) base_appendf(&t, "_");
        put_list(&t, l->mesh, x->atoms);
        if (x->open) base_appendf(&t, "?");
        if (x->priority) base_appendf(&t, "!%d", x->priority);
    }
    if (!l) return t.s;
    put_state(&t, l->mesh, mesh_reduce_name[l->reduce], l->partial);
    put_state(&t, l->mesh, "reduced", l->reduced);
    put_state(&t, l->mesh, "closed", l->closed);
    return t.s;
}
