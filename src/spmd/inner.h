/* spmd/inner.h - what the files of this room share: a function being partitioned into another. */
#ifndef TUTTI_SPMD_INNER_H
#define TUTTI_SPMD_INNER_H

#include "spmd.h"

typedef struct spmd_state {
    base_arena *a;
    const mesh *mesh;
    bool reproducible, even;
    int64_t strict;                                      /* an unasked gather of more bytes is an error; 0: none is */
    const char *const *in_name; const base_site *in_site;   /* of arguments; see spmd_opts */
    const mesh_layout *replicated[IR_RANK + 1];          /* by rank: on every device all of it */
    spmd_note *note; int nnote, capnote;
    const spmd_machine *machine;
    uint8_t link[MESH_ATOMS];                            /* class of each atom's link */
    mesh_set first;                                      /* atoms that begin an axis */
    int64_t times;                                       /* rounds of the loops around; 0: not known */
    const ir_fn *loop; int64_t rounds, hoist_bytes;      /* the body at hand, how often, what may leave it (hoist.c) */
    struct spmd_chosen *chosen[1024];                    /* choose.c: what was chosen before */
    struct spmd_routed *routed[256]; struct spmd_paths *paths;   /* route.c: what was found before; room to search */
    const mesh_layout **result;                          /* spmd_propagate: how each result is to be laid out */
    const mesh_layout *const *requested;                 /* of these, what the caller wants; or NULL */
    struct spmd_propagation *propagation;                /* what it remembers, for spmd_origin_of */
    bool at_once;                                        /* for tests: propagation without stages */
} spmd_state;

/* prepare.c: a copy in which every value may have a layout of its own: calls are inlined, no region is shared, and what
 * is made of nothing (constants, iotas, broadcast scalars) is made anew for each use. Layouts and donations that are
 * given are carried over. NULL with the error set. */
ir_fn *spmd_prepare(spmd_state *, const ir_fn *);
/* Shares what is made of nothing and is laid out alike again, in place: for functions made by spmd_prepare, with
 * layouts. Fills now[id], the value's new id. */
void spmd_merge(spmd_state *, ir_fn *, ir_id *now);

/* propagate.c: f->layout of f and of all its regions (of primitives with ties), every value, all dims closed and no
 * partial sums: targets. On entry f->layout of arguments is what is given (NULL: open, nothing known); wanted[i] of
 * returns, or NULL (also wanted itself). f is made by spmd_prepare; its ids may change. Sets s->result. At the
 * boundary, what was not given is sharded into no more parts than it has elements. */
bool spmd_propagate(spmd_state *, ir_fn *f, const mesh_layout *const *wanted);

/* origin.c: who put an atom on a value of f or of a region of it, after spmd_propagate: the first fact, walking back.
 * .how is NULL where the atom is not. */
spmd_origin spmd_origin_of(const spmd_state *, const ir_fn *, ir_id, int atom);
spmd_origin spmd_origin_of_result(const spmd_state *, uint32_t result, int atom); /* of the layout in s->result */

/* ---- moving a value (cost.c) ---- */

/* How a value is laid out while it is thought about: not interned. */
typedef struct { int rank; mesh_list dim[IR_RANK]; mesh_set partial; } spmd_sharding;
typedef struct { spmd_kind kind; mesh_set over; int64_t moved; double seconds; } spmd_move;
spmd_sharding spmd_sharding_of(const mesh_layout *);
mesh_list spmd_common_prefix(mesh_list, mesh_list);      /* the atoms that both begin with */
bool      spmd_is_prefix(mesh_list with, mesh_list);     /* with is a prefix */
mesh_list spmd_prefix(mesh_list, int n);                 /* the first n */
void      spmd_machine_set(spmd_state *, const spmd_machine *);
/* From one way to another, in one exchange: what moves at most to a device, and how long the model says it takes. */
spmd_move spmd_moving(spmd_state *, const ir_type *, const spmd_sharding *from, const spmd_sharding *to);
int64_t   spmd_local(const mesh *, const ir_type *, const spmd_sharding *);      /* bytes of the largest part */
double    spmd_link_time(const spmd_state *, spmd_kind, mesh_set over, double bytes);  /* one collective; see cost.c */

/* route.c: the same as a sequence of collectives. */
typedef struct { spmd_kind kind; mesh_set over; spmd_sharding after; double seconds; } spmd_leg;
typedef struct { int n; spmd_leg *step; double seconds; bool searched; } spmd_route;    /* false: the fixed sequence */
const spmd_route *spmd_route_of(spmd_state *, const ir_type *, const spmd_sharding *from, const spmd_sharding *to);

/* ---- the choice for one equation (enumerate.c, choose.c, finish.c) ---- */

enum { SPMD_LISTS = 12 };
typedef struct { int n; mesh_list list[SPMD_LISTS]; } spmd_lists;        /* [0]: not sharded */

typedef struct spmd_choice {
    int nfactor;
    mesh_list atoms[OP_FACTORS];
    mesh_reduce partial; /* what a sharded OP_REDUCTION factor leaves; MESH_NONE: it is not sharded */
    mesh_set unreduced; uint64_t unreduced_in;           /* sums over these atoms stay open; in these operands */
    double seconds;    /* by the model: moves, work, and what its results need still */
    bool free;                                           /* nothing moves */
} spmd_choice;

/* An equation as the choice sees it. */
typedef struct {
    const ir_eqn *e; const op_rule *rule;
    const mesh_layout *const *x, *const *target;         /* of operands now; of results, each or NULL: as it comes */
    const uint8_t *use;                                  /* [nin]: SPMD_MADE ... */
} spmd_problem;
enum { SPMD_FIXED = 16,                                  /* a parameter that the loop around does not change */
       SPMD_MADE = 1,                                    /* of nothing: it is made again where it is wanted */
       SPMD_ZERO = 2,                                    /* all zeros: goes with any partial sum */
       SPMD_UNREDUCED = 8,                               /* a carry that is tried as an unreduced sum (zeros, too) */
       SPMD_MANY = 4 };    /* a partial sum with other readers, which will want it finished */

const spmd_choice *spmd_choose(spmd_state *, const spmd_problem *);
void      spmd_seen(const spmd_state *, const spmd_problem *, mesh_reduce leaves, spmd_lists *); /* lists per factor */
/* dims of several factors are blocks */
bool      spmd_fits(const mesh *, const spmd_problem *, const mesh_list *atoms);
spmd_sharding spmd_tensor(const spmd_problem *, const spmd_choice *, int tensor);
const mesh_layout *spmd_layout(const spmd_problem *, const spmd_choice *, int tensor);
int       spmd_rank(const ir_eqn *, int tensor);
const ir_type *spmd_type(const ir_eqn *, int tensor);
/* Can a kernel read an operand that is laid out as `has` where the choice wants `want`? */
bool      spmd_serves(const spmd_problem *, int tensor, const spmd_sharding *has, const spmd_sharding *wanted);
bool      spmd_windowed(const spmd_problem *, const spmd_choice *, int tensor);
/* cost.c: bringing a windowed operand what each device's part of the result reads of it; nothing: moved is 0. */
spmd_move spmd_window(const spmd_state *, const spmd_problem *, const spmd_choice *, int tensor,
    const spmd_sharding *has);
/* The n-th way for partial sums to go through an equation: false: there is none. The last is: finish all first. */
bool      spmd_unreduced_through(const spmd_problem *, int n, mesh_set *through, uint64_t *keeps);
bool      spmd_linear_in(const ir_eqn *, uint32_t operand);

/* ---- one function or region (partition.c) ---- */

typedef struct spmd_copy { const mesh_layout *layout; ir_id id; uint32_t at; struct spmd_copy *next; } spmd_copy;
/* adds.c: what a value is the sum of; its only use is add */
typedef struct { ir_id reduced, unreduced; bool added; } spmd_split_sum;
typedef struct {
    spmd_state *state;
    const ir_fn *from; ir_build *b;
    ir_id *map;                                          /* [old id] -> new id */
    uint32_t *uses;                                      /* [old id]: readers; returns count */
    bool *linear;                                        /* [old id]: all readers could take it as a partial sum */
    spmd_split_sum *split_sum;                           /* [old id] */
    const bool *open;                                    /* [narg]; see spmd_function */
    const mesh_layout **layout; uint32_t nlayout;        /* [new id] */
    spmd_copy **copy;                                    /* [new id]: the same elsewhere */
    const spmd_factor_sharding **sharding; uint32_t nsharding; /* [new equation] */
} spmd_part;

/* Why a value is laid out anew: for the note. */
typedef struct {
    base_site site; const char *why; bool requested;
    ir_id from_value, to_value; /* old ids: whose atoms are there, whose are wanted; 0: nobody's */
    int result;                                          /* 1 + i: result i of the program wants it so */
} spmd_reason;

const mesh_layout *spmd_replicated(spmd_state *, int rank);
/* in, wanted: layouts of parameters and returns, or NULL. open[i]: parameter i is taken for zeros and return i left as
 * it comes, to learn whether a carry can stay an unreduced sum; NULL: none is. */
ir_fn *spmd_function(spmd_state *, const ir_fn *, const mesh_layout *const *in, const mesh_layout *const *wanted,
                     const bool *open);
bool  spmd_equations(spmd_part *);                                     /* all of p->from, into p->b */
ir_id spmd_reshard(spmd_part *, ir_id new_id, const mesh_layout *to, const spmd_reason *); /* reshards if it must */
ir_id spmd_finish(spmd_part *, ir_id old_id, const spmd_reason *);     /* the sum of old_id, at its target; new id */
void  spmd_set(spmd_part *, ir_id new_id, const mesh_layout *);
void  spmd_set_cut(spmd_part *, const spmd_factor_sharding *);         /* of the last new equation */
ir_id spmd_emit(spmd_part *, const ir_eqn *, const ir_id *in, ir_fn *const *sub);    /* sub NULL: as they are */
bool  spmd_is_zero(spmd_part *, ir_id new_id);                         /* a splat of zeros, broadcast or not */
bool  spmd_target(const ir_fn *, ir_id, const mesh_layout **);         /* what propagation says; false: nothing */

/* note.c */
spmd_note *spmd_note_next(spmd_state *);
void  spmd_note_written(spmd_part *, const ir_eqn *);  /* note_collective.c: a collective, as it stands in p->b */
void  spmd_note_window(spmd_part *, ir_id new_id, const mesh_layout *to, const spmd_move *, const spmd_reason *);
bool  spmd_note_move(spmd_part *, ir_id new_id, const mesh_layout *to, const spmd_reason *);  /* false: strict */

/* explicit_regions.c: explicit mode through a primitive with regions, by its ties. */
bool spmd_infer_regions(base_arena *, const ir_eqn *, mesh_set keep, const mesh_layout *const *x, const mesh_layout **y,
                        spmd_strictness);

/* regions.c: primitives that are no plain equation; NULL: the primitive has a factor rule. */
typedef bool spmd_rule(spmd_part *, const ir_eqn *, ir_id *in);
spmd_rule *spmd_region_rule(const op_prim *);
spmd_rule spmd_plain, spmd_add;                          /* by the factor rule; adds.c: add */
void spmd_results(spmd_part *, const ir_eqn *, ir_id first, const mesh_layout *const *);
spmd_rule spmd_while;                                    /* loops.c */
/* hoist.c: what a partitioned loop lays out anew from values that do not change leaves it; for that the operands (*n of
 * them), condition and body get more carries. first: the body's first note. */
/* bytes of a device */
int64_t spmd_hoist_budget(const spmd_state *, const ir_fn *body, const mesh_layout *const *layouts);
bool spmd_hoist(spmd_part *, ir_fn **cond, ir_fn **body, int first, uint32_t *n, ir_id **in);

#endif
