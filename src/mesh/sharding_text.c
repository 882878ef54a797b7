/* mesh/sharding_text.c - layouts in the notation of Shardy and GSPMD, and equality of layouts on different meshes.
 *
 * Shardy names axes, dim by dim. GSPMD has no axes: a grid of tiles, the devices that hold the tiles in row-major
 * order, and a last grid dim over which tiles are replicated. The devices are written as a reshaped and transposed iota
 * with as few dims as possible, or enumerated. Both notations use positions on the mesh, not device numbers. */
#include "mesh.h"

/* Number of atoms, from the i-th of the list on, that are consecutive in one axis. *before: product of the sizes of the
 * axis's atoms that are major to them; *size: product of their sizes. */
int mesh_run(const mesh *m, mesh_list l, int i, const mesh_axis **axis, int64_t *before, int64_t *size)
{
    const int first = mesh_list_at(l, i);
    const mesh_axis *x = m->axis;
    int n = 1;
    while (first >= x->first + x->natom) x++;
    while (i + n < mesh_list_n(l) && mesh_list_at(l, i + n) == first + n && first + n < x->first + x->natom) n++;
    *axis = x;
    *before = *size = 1;
    for (int a = x->first; a < first; a++) *before *= m->atom[a];
    for (int a = first; a < first + n; a++) *size *= m->atom[a];
    return n;
}

/* ---- Shardy ---- */

static int put_axes(base_text *t, const mesh *m, mesh_list l)    /* "data", "model":(2)2 */
{
    const mesh_axis *x;
    int64_t before, size;
    for (int i = 0, n; i < mesh_list_n(l); i += n) {
        n = mesh_run(m, l, i, &x, &before, &size);
        base_appendf(t, "%s\"%s\"", i ? ", " : "", x->name);
        if (n != x->natom) base_appendf(t, ":(%lld)%lld", (long long)before, (long long)size);
    }
    return mesh_list_n(l);
}

static void put_state(base_text *t, const mesh *m, const char *word, mesh_set s)
{
    if (!s) return;
    base_appendf(t, ", %s={", word);
    put_axes(t, m, mesh_set_list(s));
    base_appendf(t, "}");
}

const char *mesh_shardy(base_arena *a, const mesh_layout *l)
{
    base_text t = { .arena = a };
    base_appendf(&t, "[");
    for (int d = 0; d < l->rank; d++) {
        base_appendf(&t, "%s{", d ? ", " : "");
        const int n = put_axes(&t, l->mesh, l->dim[d].atoms);
        base_appendf(&t, "%s}", !l->dim[d].open ? "" : n ? ", ?" : "?");
        if (l->dim[d].priority) base_appendf(&t, "p%d", l->dim[d].priority);
    }
    base_appendf(&t, "]");
    put_state(&t, l->mesh, "replicated", l->closed);
    put_state(&t, l->mesh, "unreduced", l->partial);
    return t.s;
}

/* ---- GSPMD ---- */

/* A transposed iota: dim i of the array has size size[i] and is dim at[i] of the mesh order. */
typedef struct { int n, at[MESH_ATOMS]; int64_t size[MESH_ATOMS]; } iota;

/* The iota for a list of atoms: merges atoms that are consecutive in the list and in the mesh; drops atoms of size
 * 1. */
static iota merged(const mesh *m, mesh_list order)
{
    iota v = { 0 };
    int start[MESH_ATOMS + 1], kept = 0, last = -2;
    uint32_t atom[MESH_ATOMS];
    int place[MESH_ATOMS];                               /* [atom]: index among atoms larger than 1 */
    for (int a = 0; a < m->natom; a++)
        if (m->atom[a] > 1) place[a] = kept, atom[kept++] = m->atom[a];
    for (int i = 0; i < mesh_list_n(order); i++) {
        const int a = mesh_list_at(order, i);
        if (m->atom[a] == 1) continue;
        if (place[a] != last + 1) start[v.n] = place[a], v.size[v.n++] = 1;
        v.size[v.n - 1] *= atom[place[a]];
        last = place[a];
    }
    for (int i = 0; i < v.n; i++)                        /* numbers runs in mesh order */
        for (int k = 0; k < v.n; k++) v.at[i] += start[k] < start[i];
    return v;
}

static void put_iota(base_text *t, const iota *v)
{
    int64_t size[MESH_ATOMS] = { 1 };
    const int n = v->n ? v->n : 1;
    for (int i = 0; i < v->n; i++) size[v->at[i]] = v->size[i];
    base_appendf(t, "<=[");
    for (int i = 0; i < n; i++) base_appendf(t, "%s%lld", i ? "," : "", (long long)size[i]);
    base_appendf(t, "]");
    for (int i = 0; n > 1 && i < n; i++) base_appendf(t, "%s%d", i ? "," : "T(", v->at[i]);
    if (n > 1) base_appendf(t, ")");
}

static void put_places(base_text *t, const mesh *m, mesh_list order)
{
    uint32_t coord[MESH_ATOMS] = { 0 };
    for (int64_t k = 0; k < mesh_size(m); k++) {
        mesh_place_coord(m, order, k, coord);
        base_appendf(t, "%s%lld", k ? "," : "", (long long)mesh_instance(m, (mesh_set)((1u << m->natom) - 1), coord));
    }
}

const char *mesh_gspmd(base_arena *a, const mesh_layout *l, bool listed)
{
    base_text t = { .arena = a };
    const mesh *const m = l->mesh;
    mesh_list order = 0;
    mesh_set used = 0;
    int64_t tiles = 1;
    for (int d = 0; d < l->rank; d++) {
        order = mesh_list_join(order, l->dim[d].atoms);
        used |= mesh_list_set(l->dim[d].atoms);
        tiles *= mesh_list_size(m, l->dim[d].atoms);
    }
    if (tiles == 1) return "{replicated}";
    for (int i = 0; i < m->natom; i++) if (!(used >> i & 1)) order = mesh_list_push(order, i);
    const int64_t copies = mesh_size(m) / tiles;
    base_appendf(&t, "{devices=[");
    for (int d = 0; d < l->rank; d++)
        base_appendf(&t, "%s%lld", d ? "," : "", (long long)mesh_list_size(m, l->dim[d].atoms));
    if (copies > 1) base_appendf(&t, ",%lld", (long long)copies);
    base_appendf(&t, "]");
    const iota v = merged(m, order);
    if (listed) put_places(&t, m, order);
    else put_iota(&t, &v);
    base_appendf(&t, copies > 1 ? " last_tile_dim_replicate}" : "}");
    return t.s;
}

/* ---- equality of layouts ---- */

/* A dim's part on a device is a number whose digits are digits of the device's place on the mesh. Digit i of `n`, major
 * first, has size[i] values, and its unit is stride[i] places. Digits of size 1 are left out, and digits that are
 * consecutive in both numbers are one: then two lists of digits give the same parts only if they are equal. */
typedef struct { int n; int64_t stride[MESH_ATOMS], size[MESH_ATOMS]; } part_digits;

static part_digits digits_of(const mesh *m, mesh_list l)
{
    part_digits d = { 0 };
    for (int i = 0; i < mesh_list_n(l); i++) {
        const int atom = mesh_list_at(l, i);
        const int64_t size = m->atom[atom];
        int64_t stride = 1;
        for (int a = atom + 1; a < m->natom; a++) stride *= m->atom[a];
        if (size == 1) continue;
        if (d.n && d.stride[d.n - 1] == stride * size) d.stride[d.n - 1] = stride, d.size[d.n - 1] *= size;
        else d.stride[d.n] = stride, d.size[d.n++] = size;
    }
    return d;
}

static bool same_digits(const mesh_layout *a, const mesh_layout *b)
{
    for (int d = 0; d < a->rank; d++) {
        const part_digits x = digits_of(a->mesh, a->dim[d].atoms), y = digits_of(b->mesh, b->dim[d].atoms);
        if (x.n != y.n) return false;
        for (int i = 0; i < x.n; i++) if (x.stride[i] != y.stride[i] || x.size[i] != y.size[i]) return false;
    }
    return true;
}

static bool same_parts(const mesh_layout *a, const mesh_layout *b, int64_t place_a, int64_t place_b)
{
    uint32_t x[MESH_ATOMS] = { 0 }, y[MESH_ATOMS] = { 0 };
    mesh_coord(a->mesh, place_a, x);
    mesh_coord(b->mesh, place_b, y);
    for (int d = 0; d < a->rank; d++)
        if (mesh_place(a->mesh, a->dim[d].atoms, x) != mesh_place(b->mesh, b->dim[d].atoms, y)) return false;
    return true;
}

bool mesh_same(base_arena *arena, const mesh_layout *a, const mesh_layout *b)
{
    const int64_t n = mesh_size(a->mesh);
    int64_t end = n;
    if (a->rank != b->rank || mesh_size(b->mesh) != n || a->partial || b->partial)
        return a == b;
    for (int d = 0; d < a->rank; d++)
        if (mesh_list_size(a->mesh, a->dim[d].atoms) != mesh_list_size(b->mesh, b->dim[d].atoms)) return false;
    if (a->mesh->order == b->mesh->order) return same_digits(a, b);      /* orders are interned */
    for (int64_t k = 0; k < n; k++) {                    /* position of each device number on b's mesh */
        if (a->mesh->order && a->mesh->order[k] >= end) end = a->mesh->order[k] + 1;
        if (b->mesh->order && b->mesh->order[k] >= end) end = b->mesh->order[k] + 1;
    }
    int64_t *const place = BASE_NEW(arena, int64_t, end);
    for (int64_t k = 0; k < n; k++) place[b->mesh->order ? b->mesh->order[k] : k] = k + 1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = place[a->mesh->order ? a->mesh->order[k] : k];
        if (!at || !same_parts(a, b, k, at - 1)) return false;
    }
    return true;
}
