/* mesh/mesh.h - meshes (devices on a grid with named axes), atoms and layouts. Independent of the IR. */
#ifndef TUTTI_MESH_H
#define TUTTI_MESH_H

#include "../base/base.h"

enum { MESH_ATOMS = 15, MESH_RANK = 12 };
typedef uint16_t mesh_set;                               /* a set of atoms: bit a = atom a */
typedef uint64_t mesh_list;                              /* atoms of one dim, major to minor: count in the low
                                                            nibble, then one nibble per atom; equality is == */
typedef enum { MESH_AUTO, MESH_EXPLICIT, MESH_MANUAL } mesh_mode;
typedef enum { MESH_NONE, MESH_SUM, MESH_PROD, MESH_MAX, MESH_MIN, MESH_AND, MESH_OR, MESH_XOR } mesh_reduce;

/* An axis is split into prime atoms, major first (sub-axes in Shardy). An axis of size 1 has one atom of size 1, so
 * that sets keep the axis's name. A mesh with more than 15 prime factors joins the last two atoms of the axis with the
 * most atoms, until 15 are left. */
typedef struct { base_name name; int64_t size; uint8_t first, natom, mode, link; } mesh_axis;
typedef struct mesh {                                    /* interned */
    int naxis, natom;
    const mesh_axis *axis;
    uint32_t atom[MESH_ATOMS];                           /* sizes */
    const uint32_t *order;                               /* logical to physical device, NULL = identity */
} mesh;

typedef struct { mesh_list atoms; bool open; uint8_t priority; } mesh_dim;
typedef struct {                                         /* a spec resolved on one mesh; interned */
    const struct mesh *mesh;
    int rank;
    const mesh_dim *dim;
    mesh_set partial, reduced, closed;                   /* to be summed; summed in the backward pass; forbidden */
    mesh_reduce reduce;                                  /* how partial shards combine */
} mesh_layout;                                           /* dims, partial, reduced and closed share no atom */

const mesh        *mesh_of(base_site, const char *text);                          /* "data:2, model:4"; see mesh.c */
const mesh_layout *mesh_parse(base_site, const mesh *, int rank, const char *spec); /* "data, _"; caret on error */
size_t mesh_first_name(const char *spec);                /* offset of the first axis name; length of spec: none */
const mesh_layout *mesh_intern(const mesh_layout *);
mesh_set           mesh_used(const mesh_layout *);                                /* atoms on dims and partial */
mesh_set           mesh_named(const mesh *, int n, const base_name *axes);     /* atoms; ignores unknown axes */
/* Range [*lo, *hi) of a dim on a device, by the nested balanced split: for every size, the block of list xy is inside
 * the block of list x. */
void mesh_range(const mesh *, mesh_list, int64_t size, const uint32_t *coord, int64_t *lo, int64_t *hi);

/* ---- lists and sets ---- */

int        mesh_list_n(mesh_list);                       /* number of atoms */
int        mesh_list_at(mesh_list, int i);               /* the i-th, major first */
mesh_list  mesh_list_push(mesh_list, int atom);          /* appends an atom, minor */
mesh_list  mesh_list_join(mesh_list, mesh_list);         /* the second behind the first */
mesh_list  mesh_list_beyond(mesh_list, int n);           /* without the first n atoms */
mesh_set   mesh_list_set(mesh_list);
mesh_list  mesh_set_list(mesh_set);                      /* in increasing order */
mesh_list  mesh_axis_list(const mesh *, base_name axis); /* atoms of an axis, major first; empty: unknown axis */
int64_t    mesh_list_size(const mesh *, mesh_list);      /* product of sizes: number of parts */
int64_t    mesh_set_size(const mesh *, mesh_set);        /* product of sizes: number of instances */
int64_t    mesh_size(const mesh *);                      /* devices */

/* ---- coordinates: coord[a] is a device's position along atom a ---- */

void       mesh_coord(const mesh *, int64_t device, uint32_t *coord);            /* row-major over axes */
/* Instances of a value that varies over `vary` are numbered row-major over the atoms of the set, in increasing
 * order. */
int64_t    mesh_instance(const mesh *, mesh_set vary, const uint32_t *coord);
void       mesh_instance_coord(const mesh *, mesh_set vary, int64_t instance, uint32_t *coord);  /* other atoms: 0 */
/* Places along a list are numbered row-major, its first atom the major one. */
int64_t    mesh_place(const mesh *, mesh_list, const uint32_t *coord);
void       mesh_place_coord(const mesh *, mesh_list, int64_t place, uint32_t *coord);   /* other atoms: as they are */

/* ---- layouts ---- */

const mesh_layout *mesh_replicated(const mesh *, int rank);
const mesh_layout *mesh_layout_dims(const mesh *, int rank, const mesh_list *dims);   /* no partial */
mesh_set   mesh_layout_vary(const mesh_layout *);     /* atoms over which shards differ: dims and partial; NULL: none */
const char *mesh_print(base_arena *, const mesh_layout *);                       /* "data, _"; spec notation */
const char *mesh_text(base_arena *, const mesh *);       /* "data:2, model:4" */
/* A mesh with the given order of devices; ids has mesh_size entries. NULL with the error set. */
const mesh *mesh_ordered(base_site, const char *text, const int64_t *ids);
/* The atoms along which neighbours have devices of one group: the devices [k * each, (k + 1) * each). */
mesh_set mesh_within(const mesh *, int64_t each);
bool mesh_same_devices(const mesh *, const mesh *);      /* True if both have the same devices in the same order */
/* True if the size of every dim (dim[]) is a multiple of the dim's number of parts. */
bool       mesh_divides(const mesh_layout *, const int64_t *dim);
bool       mesh_even(base_site, const mesh_layout *, const int64_t *dim);        /* mesh_divides, with an error */
/* Shards each dim over the longest prefix of its axes that divides its size; a dim without elements is not sharded. */
const mesh_layout *mesh_evened(const mesh_layout *, const int64_t *dim);
const char *mesh_set_text(base_arena *, const mesh *, mesh_set);                 /* "data+model" */
bool       mesh_set_parse(base_site, const mesh *, const char *text, mesh_set *);
extern const char *const mesh_reduce_name[];             /* "none", "sum", ...; NULL at the end */

/* ---- layouts in the notation of other compilers (sharding_text.c) ---- */

/* Number of atoms, from the i-th of the list on, that are consecutive in one axis. *before: product of the sizes of the
 * axis's atoms that are major to them; *size: product of their sizes. */
int         mesh_run(const mesh *, mesh_list, int i, const mesh_axis **, int64_t *before, int64_t *size);
const char *mesh_shardy(base_arena *, const mesh_layout *); /* [{"data", "model":(2)2, ?}, {}p1], replicated={"x"} */
/* {devices=[2,1,4]<=[8] last_tile_dim_replicate}; listed: devices enumerated instead of <=[8]. */
const char *mesh_gspmd(base_arena *, const mesh_layout *, bool listed);
/* True if both layouts give every device, by device number, the same part of any array. The meshes may differ. */
bool        mesh_same(base_arena *, const mesh_layout *, const mesh_layout *);

#endif
