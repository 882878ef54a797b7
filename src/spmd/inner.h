/* spmd/inner.h - shared by the files of this room: the state of partitioning one function into another. */
#ifndef TUTTI_SPMD_INNER_H
#define TUTTI_SPMD_INNER_H

#include "spmd.h"

typedef struct spmd_state {
    base_arena *a;
    const mesh *mesh;
    bool reproducible, even, apart;
    int64_t strict;                                      /* a gather of more bytes not requested: error; 0: no limit */
    const char *const *in_name; const base_site *in_site;   /* of arguments; see spmd_opts */
    const mesh_layout *replicated[IR_RANK + 1];          /* [rank]: the replicated layout */
    spmd_note *note; int nnote, capnote;
    const spmd_machine *machine;
    uint8_t link[MESH_ATOMS];                            /* class of each atom's link */
    mesh_set first;                                      /* first atom of each axis */
    int64_t times;                                       /* iterations of all enclosing loops; 0: not known */
    const ir_fn *loop; int64_t rounds, hoist_bytes;      /* current loop body, its trip count, hoist.c's budget */
    struct spmd_chosen *chosen[1024];                    /* choose.c: cache of choices */
    struct spmd_routed *routed[256]; struct spmd_paths *paths;   /* route.c: cache of routes; search buffers */
    const mesh_layout **result;                          /* set by spmd_propagate: target layout of each result */
    const mesh_layout *const *requested;                 /* [nret] layouts that the caller requests, each or NULL */
    struct spmd_propagation *propagation;                /* kept after propagation, for spmd_origin_of */
    bool at_once;                                        /* for tests: propagation without stages */
} spmd_state;

/* prepare.c: copies a function so that every value may have a layout of its own: calls are inlined, regions are not
 * shared, and constant expressions (constants, iotas, broadcast scalars) are cloned for each use. Keeps given layouts
 * and donations. NULL with the error set. */
ir_fn *spmd_prepare(spmd_state *, const ir_fn *);
/* Merges, in place, clones of a constant expression that have the same layout. For functions from spmd_prepare, with
 * layouts. Fills now[id], the value's new id. */
void spmd_merge(spmd_state *, ir_fn *, ir_id *now);

/* propagate.c: fills f->layout of f and of all regions of primitives with edges: one target layout per value, all dims
 * closed, no partial sums. f: from spmd_prepare; ids of f may change. On entry f->layout holds the given layouts of
 * arguments (NULL: all dims open); requested[i]: requested layout of return i, or NULL; requested may be NULL. Sets
 * s->result. An argument or result whose layout was not given is sharded into no more parts than it has elements. */
bool spmd_propagate(spmd_state *, ir_fn *f, const mesh_layout *const *requested);

/* origin.c: the seed from which an atom reached a value of f or of a region of f, after spmd_propagate. .cause is NULL
 * if the value is not sharded by the atom. */
spmd_origin spmd_origin_of(const spmd_state *, const ir_fn *, ir_id, int atom);
spmd_origin spmd_origin_of_result(const spmd_state *, uint32_t result, int atom); /* of the layout in s->result */

/* ---- cost of reshards (cost.c) ---- */

/* A layout that a search considers: not interned. */
typedef struct { int rank; mesh_list dim[IR_RANK]; mesh_set partial; } spmd_sharding;
/* between, between_seconds: the parts of moved and seconds that come from other hosts. */
typedef struct {
    spmd_kind kind; mesh_set over; int64_t moved, between; double seconds, between_seconds;
} spmd_move;
void spmd_count_between(const spmd_state *, spmd_move *);        /* sets the parts from other hosts */
spmd_sharding spmd_sharding_of(const mesh_layout *);
mesh_list spmd_common_prefix(mesh_list, mesh_list);      /* longest common prefix */
bool      spmd_is_prefix(mesh_list with, mesh_list);     /* True if `with` is a prefix of the second list */
mesh_list spmd_prefix(mesh_list, int n);                 /* the first n atoms */
void      spmd_machine_set(spmd_state *, const spmd_machine *);
/* Cost of a reshard as one exchange: most bytes received by a device, and the model's time. */
spmd_move spmd_moving(spmd_state *, const ir_type *, const spmd_sharding *from, const spmd_sharding *to);
int64_t   spmd_local(const mesh *, const ir_type *, const spmd_sharding *);      /* bytes of the largest shard */
double    spmd_link_time(const spmd_state *, spmd_kind, mesh_set over, double bytes);  /* one collective; see cost.c */

/* route.c: a reshard as a sequence of collectives. */
typedef struct { spmd_kind kind; mesh_set over; spmd_sharding after; double seconds; } spmd_leg;
/* searched: found by Dijkstra's algorithm; false: the fixed sequence. */
typedef struct { int n; spmd_leg *step; double seconds; bool searched; } spmd_route;
const spmd_route *spmd_route_of(spmd_state *, const ir_type *, const spmd_sharding *from, const spmd_sharding *to);

/* ---- the choice for one equation (enumerate.c, choose.c, finish.c) ---- */

enum { SPMD_LISTS = 12 };
typedef struct { int n; mesh_list list[SPMD_LISTS]; } spmd_lists;        /* [0]: not sharded */

typedef struct spmd_choice {
    int nfactor;
    mesh_list atoms[OP_FACTORS];
    mesh_reduce partial;                                 /* reduction kind of the partial results that a sharded
                                                            OP_REDUCTION factor leaves; MESH_NONE: never sharded */
    mesh_set unreduced; uint64_t unreduced_in;           /* sums stay unreduced over these atoms, in these operands */
    double seconds;                                      /* model: moving operands, work, moving results to targets */
    bool free;                                           /* nothing moves */
} spmd_choice;

/* Input of the choice: an equation, the layouts of its operands and the targets of its results. */
typedef struct {
    const ir_eqn *e; const op_rule *rule;
    const mesh_layout *const *x, *const *target;         /* layouts of operands; targets of results, each or NULL */
    const uint8_t *use;                                  /* [nin]: bits SPMD_MADE ... */
} spmd_problem;
enum { SPMD_FIXED = 16,                                  /* a parameter that is invariant in the enclosing loop */
       SPMD_MADE = 1,                                    /* no operands: recomputed in each layout, never moved */
       SPMD_ZERO = 2,                                    /* all zeros: may be a partial sum over any atoms */
       SPMD_UNREDUCED = 8,                               /* a carry tried as an unreduced sum (also SPMD_ZERO) */
       SPMD_MANY = 4 };                                  /* a partial sum with more readers, which need it reduced */

const spmd_choice *spmd_choose(spmd_state *, const spmd_problem *);
void      spmd_seen(const spmd_state *, const spmd_problem *, mesh_reduce leaves, spmd_lists *); /* [factor] */
/* True if each shard of a dim of several factors is one contiguous block. */
bool      spmd_fits(const mesh *, const spmd_problem *, const mesh_list *atoms);
spmd_sharding spmd_tensor(const spmd_problem *, const spmd_choice *, int tensor);
const mesh_layout *spmd_layout(const spmd_problem *, const spmd_choice *, int tensor);
int       spmd_rank(const ir_eqn *, int tensor);
const ir_type *spmd_type(const ir_eqn *, int tensor);
/* True if a kernel can read an operand laid out as `has` where the choice needs `needed`. */
bool      spmd_serves(const spmd_problem *, int tensor, const spmd_sharding *has, const spmd_sharding *needed);
bool      spmd_windowed(const spmd_problem *, const spmd_choice *, int tensor);
/* cost.c: the cost of fetching the part of a windowed operand that each device's part of the result reads; .moved is 0
 * if each device has its part. */
spmd_move spmd_window(const spmd_state *, const spmd_problem *, const spmd_choice *, int tensor,
    const spmd_sharding *has);
/* Finds the n-th way for partial sums to pass through an equation. Returns false if there are n ways or fewer. The last
 * way reduces all partial operands first (*through and *keeps are 0). */
bool      spmd_unreduced_through(const spmd_problem *, int n, mesh_set *through, uint64_t *keeps);
bool      spmd_linear_in(const ir_eqn *, uint32_t operand);

/* ---- one function or region (partition.c) ---- */

typedef struct spmd_copy { const mesh_layout *layout; ir_id id; uint32_t at; struct spmd_copy *next; } spmd_copy;
/* adds.c: a value held as the sum of a reduced and an unreduced half. added: the value's only reader is one
 * addition. */
typedef struct { ir_id reduced, unreduced; bool added; } spmd_split_sum;
typedef struct {
    spmd_state *state;
    const ir_fn *from; ir_build *b;
    ir_id *map;                                          /* [old id] -> new id */
    uint32_t *uses;                                      /* [old id]: number of readers, returns included */
    bool *linear;                                        /* [old id]: all readers are linear in the value */
    spmd_split_sum *split_sum;                           /* [old id] */
    const bool *open;                                    /* [narg]; see spmd_function */
    const mesh_layout **layout; uint32_t nlayout;        /* [new id] */
    spmd_copy **copy;                                    /* [new id]: copies of the value in other layouts */
    const spmd_factor_sharding **sharding; uint32_t nsharding; /* [new equation] */
} spmd_part;

/* The reason of a reshard, for the note. */
typedef struct {
    base_site site; const char *why; bool requested;
    ir_id from_value, to_value;                          /* old ids: values whose origins explain the source and the
                                                            target layout; 0: none */
    int result;                                          /* 1 + i: required by result i of the program */
} spmd_reason;

const mesh_layout *spmd_replicated(spmd_state *, int rank);
/* Partitions a function or region. in, requested: layouts of parameters and of returns, or NULL. open[i]: parameter i
 * is treated as zeros and return i keeps the layout of its computation, to find out whether carry i can stay an
 * unreduced sum; open NULL: no carry is tried. */
ir_fn *spmd_function(spmd_state *, const ir_fn *, const mesh_layout *const *in, const mesh_layout *const *requested,
                     const bool *open);
bool  spmd_equations(spmd_part *);                                     /* all of p->from, into p->b */
ir_id spmd_reshard(spmd_part *, ir_id new_id, const mesh_layout *to, const spmd_reason *); /* new_id if already at to */
ir_id spmd_finish(spmd_part *, ir_id old_id, const spmd_reason *);     /* reduces old_id to its target; new id */
void  spmd_set(spmd_part *, ir_id new_id, const mesh_layout *);
void  spmd_set_sharding(spmd_part *, const spmd_factor_sharding *);    /* of the last new equation */
ir_id spmd_emit(spmd_part *, const ir_eqn *, const ir_id *in, ir_fn *const *sub);    /* sub NULL: regions unchanged */
bool  spmd_is_zero(spmd_part *, ir_id new_id);                         /* True if a splat of zeros, broadcast or not */
bool  spmd_target(const ir_fn *, ir_id, const mesh_layout **);         /* propagation's layout; false: none */

/* note.c */
spmd_note *spmd_note_next(spmd_state *);
void  spmd_note_written(spmd_part *, const ir_eqn *);  /* note_collective.c: a collective of p->b */
void  spmd_note_window(spmd_part *, ir_id new_id, const mesh_layout *to, const spmd_move *, const spmd_reason *);
bool  spmd_note_move(spmd_part *, ir_id new_id, const mesh_layout *to, const spmd_reason *);  /* false: strict error */

/* explicit_regions.c: explicit mode through a primitive with regions, by the primitive's edges. */
bool spmd_infer_regions(base_arena *, const ir_eqn *, mesh_set keep, const mesh_layout *const *x, const mesh_layout **y,
                        spmd_strictness);

/* regions.c: the partitioning rule of a primitive without a factor rule; NULL: the primitive has a factor rule. */
typedef bool spmd_rule(spmd_part *, const ir_eqn *, ir_id *in);
spmd_rule *spmd_region_rule(const op_prim *);
spmd_rule spmd_plain, spmd_add;                          /* spmd_plain: by the factor rule; spmd_add: adds.c */
/* The layout of result i of a partitioned function. */
static inline const mesh_layout *spmd_ret_layout(const ir_fn *f, uint32_t i) { return f->layout[f->ret[i]]; }
void spmd_results(spmd_part *, const ir_eqn *, ir_id first, const mesh_layout *const *);
spmd_rule spmd_while;                                    /* loops.c */
/* hoist.c: bytes per device that hoisted reshards of a loop may hold. */
int64_t spmd_hoist_budget(const spmd_state *, const ir_fn *body, const mesh_layout *const *layouts);
/* hoist.c: moves reshards of loop-invariant values out of a partitioned loop; operands (*n of them), condition and body
 * get one more carry for each. first: index of the body's first note. */
bool spmd_hoist(spmd_part *, ir_fn **cond, ir_fn **body, int first, uint32_t *n, ir_id **in);

#endif
