/* spmd/inner.h - what the files of this room share: a function being partitioned into another. */
#ifndef TUTTI_SPMD_INNER_H
#define TUTTI_SPMD_INNER_H

#include "spmd.h"

typedef struct {
    base_arena *a;
    const mesh *mesh;
    bool reproducible;
    const mesh_layout *whole[IR_RANK + 1];               /* by rank: on every device all of it */
    spmd_note *note; int nnote, capnote;
    struct spmd_spread *spread;                          /* what propagation remembers, for spmd_origin_of */
} spmd_all;

/* prepare.c: a copy in which every value may have a layout of its own: calls are inlined, no region is shared, and what
 * is made of nothing (constants, iotas, broadcast scalars) is made anew for each use. Arguments' layouts and donations are
 * carried over. NULL with the error set. */
ir_fn *spmd_prepare(spmd_all *, const ir_fn *);

/* propagate.c: f->layout of f and of all its regions, every value, all dims closed and no partial sums: targets. On entry
 * f->layout of arguments is what is given (NULL: open, nothing known); wanted[i] of returns, or NULL (also wanted itself).
 * What was not given at the boundary comes out with parts that divide evenly. */
bool spmd_propagate(spmd_all *, ir_fn *f, const mesh_layout *const *wanted);

/* origin.c: who put an atom on a value of f or of a region of it, after spmd_propagate: the first fact, walking back. */
spmd_origin spmd_origin_of(const spmd_all *, const ir_fn *, ir_id, int atom);

typedef struct {                                         /* one function or region */
    spmd_all *all;
    const ir_fn *from; ir_build *b;
    ir_id *map;                                          /* [old id] -> new id */
    const mesh_layout **layout; uint32_t nlayout;        /* [new id] */
    const spmd_cut **cut; uint32_t ncut;                 /* [new equation] */
} spmd_part;

/* forward.c: the cut that an equation's operands suggest. */
typedef struct {
    int nfactor;
    mesh_list atoms[OP_FACTORS];
    mesh_how leaves;                                     /* what a cut OP_SUM factor leaves; MESH_NONE: it is not cut */
} spmd_choice;
void spmd_forward(const spmd_all *, const ir_eqn *, const op_rule *, const mesh_layout *const *x, spmd_choice *);
const mesh_layout *spmd_tensor(const mesh *, const ir_eqn *, const op_rule *, const spmd_choice *, int tensor);
bool spmd_serves(const op_rule *, const spmd_choice *, int tensor, const mesh_layout *has, const mesh_layout *want);

/* partition.c */
const mesh_layout *spmd_whole(spmd_all *, int rank);
ir_fn *spmd_function(spmd_all *, const ir_fn *, const mesh_layout *const *in, const mesh_layout *const *wanted);
bool  spmd_equations(spmd_part *);                                     /* all of p->from, into p->b */
ir_id spmd_lay(spmd_part *, ir_id new_id, base_site, const mesh_layout *to, const char *why); /* reshards if it must */
ir_id spmd_finish(spmd_part *, ir_id new_id, base_site, const char *why);                     /* no partial sums left */
void  spmd_set(spmd_part *, ir_id new_id, const mesh_layout *);
ir_id spmd_emit(spmd_part *, const ir_eqn *, const ir_id *in, ir_fn *const *sub);             /* sub NULL: as they are */

/* regions.c: rows that are no plain equation; NULL: the row has a factor rule. */
typedef bool spmd_rule(spmd_part *, const ir_eqn *, ir_id *in);
spmd_rule *spmd_region_rule(const op_row *);

#endif
