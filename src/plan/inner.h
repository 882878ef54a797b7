/* plan/inner.h - what the files of this room share; no other room includes it.
 *
 * A partitioned function becomes a flat program: blocks of items over values in single assignment, regions of loops and
 * choices as nested blocks, manual regions and calls dissolved. Then: fusion groups, an order, kernels, lifetimes,
 * buffers, offsets, and the plan. Every place where data must end (a loop's carry, a choice's result, a result of the
 * program) is first reached by a copy item; live.c makes most copies vanish by giving both ends one buffer.
 */
#ifndef TUTTI_PLAN_INNER_H
#define TUTTI_PLAN_INNER_H

#include "plan.h"

typedef uint32_t plan_id;                                /* a value of the flat program; 0 = none */

typedef struct plan_value {
    tt_dtype dtype; int rank; const int64_t *dim;        /* as run_value: global dims, local inside manual regions */
    const mesh_layout *layout;
    const run_halo *halo;
    mesh_set vary;
    int64_t bytes;
    plan_id base;                                        /* a view: the value that it is a view of; else itself */
    plan_id root;   /* values of the same bytes by construction: views, a carry's ends */
    struct plan_item *def;                               /* NULL: argument, constant, parameter of a loop */
    uint32_t first, last;                                /* live.c: position of its definition and of its last use */
    uint32_t loop;                                       /* live.c: how many loops it is born in */
    uint32_t uses;                                       /* items that read it, program results */
    int32_t emitted;                                     /* emit.c: its run_value, -1: none yet */
    uint32_t slice;                                      /* a row of another value, by a number of its own; 0: none */
    mesh_set merged;                                     /* a view of all its base's instances along these: run_value */
    bool in_iteration; /* a carry's content during an iteration: written before it is over */
} plan_value;

typedef enum { PLAN_EQN, PLAN_MOVE, PLAN_LOOP, PLAN_CHOOSE, PLAN_SLICE_PTR } plan_kind;
typedef struct plan_block { uint32_t n, cap, end; struct plan_item **item; } plan_block;   /* end: its last position */

/* One step to be. EQN: eqn with operands in, results out; after fusion the leader of a group holds all of it.
 * MOVE: in[0] -> out[0], an exchange as run_step describes it; a copy when nothing differs. POINT: out[0] is row number
 * in[1] of in[0], where that is. */
typedef struct plan_item {
    plan_kind kind;
    const ir_eqn *eqn;                                   /* also for names and sites of other kinds; may be NULL */
    base_site site; base_name name;
    uint32_t nin, nout; plan_id *in, *out;               /* LOOP: out[i] is 0 where in[i] is no carry */
    mesh_set vary;
    mesh_set over; mesh_reduce reduce; mesh_list order; const uint32_t *source; /* MOVE */
    struct plan_item *slice_ptr; /* write_in_place.c: MOVE to a row of a carry; the POINT to it: itself */
    bool copy;                                           /* MOVE: both ends may be one buffer, then it is dropped */
    bool dropped;                                        /* no step: a copy that vanished, a constant in the blob */
    plan_block cond, body; plan_id test; uint32_t tested;   /* LOOP; tested: position of the test */
    plan_block *branch; uint32_t nbranch;                /* CHOOSE */
    plan_id *carry;                                      /* LOOP: [nin] the body's parameters; in[i] itself: no carry */
    struct plan_group *group;                            /* its own, or one that joined another */
    plan_block *block; uint32_t index;                   /* where it stands */
    uint32_t from, to;                                   /* live.c: positions of start and end */
    bool cheap;                                          /* EQN: inlined into each consumer: broadcast, iota, splat */
} plan_item;

/* A fusion group while it grows, then the kernel's arguments. */
typedef struct plan_group {
    uint32_t n, cap; plan_item **item;                   /* members, and what is inlined into them */
    struct plan_group *into;                             /* joined another group */
    uint32_t nin, nout; plan_id *in, *out;               /* values: kernel arguments */
    struct plan_kernel *kernel;
    /* fuse.c; led: a contraction, or so many moves, have joined it */
    uint32_t mark, state, pos; bool has_producer; int nmove;
    bool chain;                                          /* of several steps: chain.c, epilogue.c, prologue.c */
    /* epilogue.c: a contraction, whose operands (and theirs, prologue.c) are the first nlead and whose result is the
     * last, and what runs behind it, whose results are the first */
    const struct plan_group *producer, *consumer; uint32_t nproducer; const gen_epilogue *epilogue;
    plan_id full; int kept; /* of rows: a value of their shape, how many dims are not folded */
} plan_group;

typedef struct plan_kernel { gen_group group; run_kernel code; uint32_t number; const void *key; size_t nkey;
                             struct plan_kernel *next; } plan_kernel;

typedef struct plan_flat {
    base_arena *a, *keep;                                /* of the work; of the plan and its kernels */
    const ir_fn *fn;
    const mesh *mesh;
    mesh_set manual;                                     /* atoms of the manual regions around the walk */
    bool reproducible, single_device;                    /* alone: see plan_single_device */
    const ir_eqn *loop;                                  /* the loop whose body is walked; NULL: see write_in_place.c */
    uint32_t loop_depth, nslice;                         /* how many loops the walk is in; rows that are pointed to */
    uint32_t nvalue, capvalue; plan_value *value;        /* [0] is none */
    plan_block main;
    plan_id *arg, *ret;                                  /* [narg], [nret]: ret are the values to return */
    plan_id *result;                                     /* [nret]: where they are returned */
    struct plan_const *consts;
    plan_kernel *kernel[256]; uint32_t nkernel;
    struct plan_buffer *buffer;                          /* live.c: [nvalue], by root */
    int32_t *alias;
} plan_flat;

/* What a root is stored in. */
typedef struct plan_span { uint32_t first, last; } plan_span;
typedef struct plan_buffer {
    plan_id into;                                        /* joined another root's buffer; itself otherwise */
    run_space space; int64_t at;
    mesh_set vary; int64_t bytes;
    plan_id donor;                                       /* RESULT: the donated argument whose buffer it takes, or 0 */
    uint32_t nspan; plan_span *span;                     /* when its content is wanted */
    bool joined;                                         /* by another root's buffer */
} plan_buffer;

typedef struct plan_const {
    plan_id value; const void *data; size_t bytes;
    struct plan_const *next;
} plan_const;

/* flat.c */
plan_id    plan_new(plan_flat *, tt_dtype, int rank, const int64_t *dim, const mesh_layout *, mesh_set vary);
plan_id    plan_like(plan_flat *, plan_id, mesh_set vary);               /* same type; layout's atoms stay in vary */
/* same type: windows of it */
plan_id    plan_halo(plan_flat *, plan_id, const mesh_layout *, const run_halo *, mesh_set vary);
plan_id    plan_view(plan_flat *, plan_id of, int rank, const int64_t *dim, const mesh_layout *);
plan_item *plan_item_new(plan_flat *, plan_block *, plan_kind, const ir_eqn *, uint32_t nin, uint32_t nout);
plan_id    plan_move(plan_flat *, plan_block *, const ir_eqn *, plan_id from, plan_id to); /* an exchange; returns to */
plan_id    plan_copy(plan_flat *, plan_block *, const ir_eqn *, plan_id from, plan_id to);  /* one that may vanish */
bool       plan_walk(plan_flat *, plan_block *, const ir_fn *, const plan_id *in, plan_id *out);
bool       plan_same_dims(const plan_value *, const plan_value *);
bool       plan_alike(const plan_value *, const plan_value *);           /* same type, layout and instances */
mesh_set   plan_differ(const mesh *, mesh_set);                          /* without atoms of size 1 */
mesh_set   plan_layout_vary(const mesh_layout *);        /* over which its shards differ; NULL: none */
/* window.c */
/* in[i] becomes what the sharding needs of it */
bool       plan_windows(plan_flat *, plan_block *, const ir_eqn *, plan_id *in);
bool       plan_shares(plan_flat *, const mesh_layout *from, const mesh_layout *to, plan_item *move);
/* manual.c */
void       plan_vary_while(const ir_eqn *, mesh_set *in, mesh_set *out); /* the carries'; in grows */
void       plan_vary_case(const ir_eqn *, mesh_set *in, mesh_set *out);
bool       plan_manual(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
bool       plan_collective(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
mesh_set   plan_communicates(const ir_fn *);                             /* atoms of the collectives in it */
/* merge_instances.c */
/* a view of all of v's instances along `over`, which dim 0 counts; 0: they have no one distance, or are not alike */
plan_id    plan_merged(plan_flat *, plan_id v, mesh_set over);
bool       plan_dense(const plan_flat *, plan_id all);      /* do its instances follow each other without room? */
plan_id    plan_gathered(plan_flat *, plan_id v, int d, mesh_list order);   /* one behind the other along d; or 0 */
/* a product of few rows of each of several devices by one weight: dim 0 counts them, so that the engine can join them;
 * false: no such one */
bool       plan_shared_weight(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
/* likewise of one that stands: its result is a view then */
void       plan_merge_shared_weight(plan_flat *, plan_item *);
bool       plan_mergeable(const plan_value *, mesh_set over); /* can all its instances along these be a view? */
/* sums.c */
void       plan_sums(plan_flat *);                       /* sums over devices of products, as one product */
/* loop.c */
bool       plan_while(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
bool       plan_case(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
/* counted_loop.c */
/* a slice that is a row: pointed to */
bool       plan_slice_ptr(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
uint32_t   plan_count_reads(const ir_fn *, ir_id);        /* how often it is an operand or a result */
/* does the while write all of it before it is read? */
bool       plan_overwrites_carry(const ir_eqn *loop, uint32_t carry);
/* are rows of the one as rows of the other, in every instance? */
bool       plan_same_rows(const plan_flat *, const mesh_layout *, const mesh_layout *, int rank);
/* write_in_place.c */
/* an update of a carry's row: a copy into it */
bool       plan_write_in_place(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
void       plan_hoist_writes(plan_flat *, plan_block *);     /* such copies stand right behind what they copy */
/* what is copied is made in the row, if that can be */
bool       plan_produce_in_place(plan_flat *, const plan_item *move);
/* rows.c */
mesh_list  plan_atoms(const plan_value *, int dim);      /* of size > 1 that cut it */
bool       plan_is_complete(const plan_value *);         /* no windows, no partial sums */
/* a reduction of whole rows, one worth joining */
bool       plan_reduces_rows(const plan_flat *, const plan_item *, int *kept);
/* has an element per row, where the row is */
bool       plan_row_value(const plan_flat *, plan_id full, int kept, plan_id);
/* does it add up, or the like, what is there per row, one result per element of a row? */
bool       plan_reduces_columns(const plan_flat *, plan_id full, int kept, const plan_item *);
/* is it made in the group, or a view of such a row value? */
bool       plan_made_inside(const plan_flat *, const plan_group *, plan_id);
/* top_k.c */
void       plan_top_k(plan_flat *, plan_block *);        /* sorts join the slices that read only their first places */
/* fuse.c, recompute.c, kernel.c */
bool       plan_fuse(plan_flat *);
enum { PLAN_GROUP_MOST = 64, PLAN_REACH = 1 << 15 };     /* equations in a group; how far apart two may stand */
void       plan_group_add(plan_flat *, plan_group *, plan_item *);
plan_group *plan_find(plan_group *);                     /* the one that it joined in the end */
bool       plan_contains(const plan_group *, const plan_item *);
bool       plan_is_map(const plan_item *), plan_is_elementwise(const plan_item *);   /* random bits too */
bool       plan_same_boxes(const plan_value *, const plan_value *);
void       plan_fuse_producers(plan_flat *, plan_block *), plan_fuse_moves(plan_flat *, plan_block *); /* producer.c */
/* its own member: not one folded into it or done again in it */
bool       plan_owns(const plan_group *, const plan_item *);
void       plan_recompute(plan_flat *, plan_block *);
bool       plan_kernels(plan_flat *, plan_block *);
void       plan_number_kernels(plan_flat *);             /* kernels of steps, anew */
/* pair.c: two steps of a block become one. at, readers: [value]: 1 + which step of the block makes it, 0: none; how
 * many steps read it */
typedef struct { plan_flat *f; plan_block *b; uint32_t *at, *readers; } plan_pairs;
typedef enum { PLAN_NOWHERE, PLAN_EARLY, PLAN_LATE } plan_position;
plan_position plan_position_of(const plan_pairs *, uint32_t from, uint32_t to); /* of a step and one that reads it */
/* they are g now, named as t */
void       plan_pair_replace(const plan_pairs *, uint32_t from, uint32_t to, plan_position, plan_group *g,
    const plan_item *t);
typedef void plan_pairing(const plan_pairs *, uint32_t i);       /* step i, with one that is before it */
void       plan_pair(plan_flat *, plan_block *, plan_pairing *);
uint32_t   plan_operand_index(plan_group *, plan_id);    /* its place among the operands; there is space for one more */
void       plan_readers(const plan_flat *, const plan_block *, uint32_t *readers);
/* chain.c, epilogue.c, prologue.c, order.c, live.c, memory.c, emit.c */
void       plan_chain(plan_flat *, plan_block *), plan_epilogue(plan_flat *, plan_block *);
void       plan_prologue(plan_flat *, plan_block *);
extern int64_t plan_prologue_least;                      /* bytes of an operand, all instances; tests want less */
void       plan_order(plan_flat *);
bool       plan_live(plan_flat *);
void       plan_memory(plan_flat *);
run_plan  *plan_emit(plan_flat *);

#endif
