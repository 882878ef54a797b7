/* spmd/local/local.h - shared by the files of this folder: a partitioned function as what one device computes.
 *
 * Names: a *place* is a device's position along a list of atoms, major first; a *part* is what a device has of a dim
 * that is sharded by the list. All blocks of a dim have one size, that of its largest part (uneven.c). */
#ifndef TUTTI_SPMD_LOCAL_H
#define TUTTI_SPMD_LOCAL_H

#include "../inner.h"

/* to: the same devices as `from`, in the same order, with one axis for each atom, so that every set of atoms has names.
 * Atom i of one mesh is atom i of the other. */
typedef struct { base_arena *a; const mesh *from, *to; spmd_state *state; } spmd_local_fn;

enum { SPMD_LOCAL_PLACES = 24 };
/* One function or region being lowered. */
typedef struct {
    spmd_local_fn *l; const ir_fn *f; ir_build *b;
    ir_id *map;                                          /* [id of f]: the local value */
    int nplace; struct { mesh_list atoms; ir_id id; } place[SPMD_LOCAL_PLACES];    /* places computed before */
} spmd_local_part;

/* An equation with a factor sharding. */
typedef struct {
    spmd_local_part *p; const ir_eqn *e; const op_rule *rule;
    spmd_sharding *need;                                 /* [operands, then results]: layouts by the factor sharding */
    ir_id *x;                                            /* local operands, at `need` unless they are windows */
} spmd_local_eqn;
/* Emits the equation on local values. y: its results. False with the error set. */
typedef bool spmd_local_rule(spmd_local_eqn *, ir_id *y);

/* ---- parts.c ---- */

ir_names spmd_local_axes(const spmd_local_fn *, mesh_list);         /* one name for each atom */
const mesh_layout *spmd_local_layout(const spmd_local_fn *, const mesh_layout *);  /* the same on the mesh of atoms */
ir_id spmd_local_place(spmd_local_part *, mesh_list);            /* i32 scalar */
ir_id spmd_local_affine(spmd_local_part *, mesh_list, int64_t first, int64_t by);  /* first + by * place */
ir_id spmd_local_table(spmd_local_part *, mesh_list, const int64_t *v);            /* v[place] */
/* The type of a device's block. NULL with the error set: a dim is too long for indices. */
const ir_type *spmd_local_type(const spmd_local_part *, base_site, const ir_type *global, const spmd_sharding *);
void  spmd_local_place_at(const mesh *, mesh_list, int64_t place, uint32_t *at);   /* coordinates along the list */
/* x where the device is at place 0 of the atoms, else the identity of the reduction. x itself if it is known to be the
 * identity, or if copies do not change the result. */
ir_id spmd_local_once(spmd_local_part *, ir_id x, mesh_set, mesh_reduce);
/* i32 in the shape of t: first, an i32 scalar, plus the position along dim d. */
ir_id spmd_local_positions(spmd_local_part *, const ir_type *t, int d, ir_id first);
ir_id spmd_local_inside(spmd_local_part *, ir_id v, int64_t n);  /* 0 <= v < n */
bool  spmd_local_none(const ir_eqn *, const char *why);          /* false, with the error: it has no local form */

/* ---- uneven.c: sizes are those of the complete dim ---- */

bool    spmd_local_uneven(const spmd_local_part *, mesh_list, int64_t size);   /* True if the parts differ in size */
int64_t spmd_local_most(const spmd_local_part *, mesh_list, int64_t size);     /* elements of the largest part */
ir_id   spmd_local_begin(spmd_local_part *, mesh_list, int64_t size);  /* i32: the part's first element in the dim */
/* A local value by the layout `at` with `fill`, a scalar, in place of the rests of its parts. */
ir_id   spmd_local_masked(spmd_local_part *, ir_id, const ir_type *whole, const mesh_list *at, ir_id fill);
/* The blocks of the parts by `from`, one after the other along dim d, as the block of the part by `to`, a prefix. */
ir_id   spmd_local_close_up(spmd_local_part *, ir_id, int d, int64_t size, mesh_list from, mesh_list to);
/* The inverse: from a prefix `from` to `to`. */
ir_id   spmd_local_set_apart(spmd_local_part *, ir_id, int d, int64_t size, mesh_list from, mesh_list to);
/* This device's part by `to` of a value that it has by `has`, prefixes of `to`; NULL: completely. */
ir_id   spmd_local_take(spmd_local_part *, ir_id, const ir_type *whole, const mesh_list *has, const mesh_list *to);

/* ---- moves.c ---- */

/* A reshard as collectives. global: the type of the complete value. 0 with the error set. */
ir_id spmd_local_move(spmd_local_part *, base_site, ir_id, const ir_type *global, const spmd_sharding *from,
                      const spmd_sharding *to, mesh_reduce from_kind, mesh_reduce to_kind);
ir_id spmd_local_all_gather(spmd_local_part *, ir_id, mesh_list, int dim);

/* ---- windows.c ---- */

/* What a device reads of a windowed dim: elements first + by * place + [0, n), some of them perhaps outside of it. */
typedef struct { int64_t first, by, n; } spmd_local_span;
bool spmd_local_span_of(const spmd_local_eqn *, int operand, int dim, spmd_local_span *);  /* false: an error */
/* True if parts begin between the elements of a dilated operand: windows are then dilated already, and padded. */
bool spmd_local_dilates(const spmd_local_eqn *, int operand, int dim);
bool spmd_local_windowed(const spmd_local_eqn *, int operand, int dim);        /* True if the dim is a sharded window */
/* Replaces e->x[operand] by the windows that this device reads. fill: what elements outside of the value are, a local
 * scalar; 0: zeros. */
bool spmd_local_windows(spmd_local_eqn *, int operand, ir_id fill);

/* ---- rules: shapes.c, indices.c, draws.c, sums.c ---- */

spmd_local_rule spmd_local_const, spmd_local_iota, spmd_local_broadcast, spmd_local_reshape, spmd_local_slice,
    spmd_local_pad, spmd_local_concatenate, spmd_local_reverse;
spmd_local_rule spmd_local_dynamic_slice, spmd_local_dynamic_update_slice, spmd_local_gather, spmd_local_scatter,
    spmd_local_scatter_together;
spmd_local_rule spmd_local_random_bits;
spmd_local_rule spmd_local_reduce, spmd_local_dot_general, spmd_local_reduce_window, spmd_local_select,
    spmd_local_convolution;
/* Emits the equation with another attribute on e->x. */
bool spmd_local_emit(spmd_local_eqn *, const void *attr, ir_id *y);
bool spmd_local_as_is(spmd_local_eqn *, ir_id *y);

/* ---- local.c ---- */

/* Regions of scalars, on the mesh of atoms. */
ir_fn *spmd_local_scalars(spmd_local_part *, const ir_fn *);
/* regions.c: equations without a factor rule; *known: there is a rule for them. */
bool spmd_local_region(spmd_local_part *, const ir_eqn *, bool *known);
bool spmd_local_walk(spmd_local_part *);                 /* all of p->f */

#endif
