/* plan/inner.h - declarations shared by the files of src/plan; no other room includes this header.
 *
 * A partitioned function is lowered to a flat program: blocks of items over values in SSA form; the regions of loops
 * and choices become nested blocks; manual regions and calls are dissolved. The next stages are fusion groups, step
 * order, kernels, lifetimes, buffers, offsets, and the plan. Every place where data must end (a loop's carry, a
 * choice's result, a result of the program) is first filled by a copy item; live.c removes most copies by giving both
 * ends one buffer. */
#ifndef TUTTI_PLAN_INNER_H
#define TUTTI_PLAN_INNER_H

#include "plan.h"

typedef uint32_t plan_id;                                /* a value of the flat program; 0: none */

typedef struct plan_value {
    tt_dtype dtype; int rank; const int64_t *dim;        /* as run_value: global dims, local inside manual regions */
    const mesh_layout *layout;
    const run_halo *halo;
    mesh_set vary;
    int64_t bytes;
    plan_id base;                                        /* a view: the value viewed; otherwise the value itself */
    plan_id root;   /* shared by values that have the same bytes by construction: views, both ends of a carry */
    struct plan_item *def;   /* the item that computes the value; NULL: argument, constant, parameter of a loop */
    uint32_t first, last;                                /* live.c: positions of the definition and of the last use */
    uint32_t loop;                                       /* live.c: number of loops around the definition */
    uint32_t uses;                                       /* number of items that read the value, plus program results */
    int32_t emitted;                                     /* emit.c: index of the value's run_value; -1: none yet */
    uint32_t slice;   /* a row of another value: the row's own number; 0: not a row */
    mesh_set merged;   /* a view of all instances of the base along these atoms: see run_value */
    bool in_iteration;   /* a carry's content during an iteration: overwritten before the iteration ends */
} plan_value;

typedef enum { PLAN_EQN, PLAN_MOVE, PLAN_LOOP, PLAN_CHOOSE, PLAN_SLICE_PTR } plan_kind;
/* end: live.c: the position after the block's items */
typedef struct plan_block { uint32_t n, cap, end; struct plan_item **item; } plan_block;
enum { PLAN_COND, PLAN_BODY };                           /* the two blocks of a loop */

/* An item: a future step.
 * - EQN: an equation with its operands and results; after fusion the leader of a group represents the group.
 * - MOVE: in[0] -> out[0], an exchange along `route`; a copy if source and destination do not differ.
 * - SLICE_PTR: out[0] is row number in[1] of in[0], in the memory of in[0].
 * - LOOP, CHOOSE: the regions of a while and of a case as nested blocks. CHOOSE: in[0] selects the branch; the branches
 *   read the other operands. */
typedef struct plan_item {
    plan_kind kind;
    bool cheap;                                          /* EQN: inlined into each consumer: broadcast, iota, splat */
    bool ref;   /* EQN: TUTTI=ref-after: computed by itself, by the reference */
    bool common;                                         /* EQN: see run_step */
    bool dropped;   /* not emitted: a removed copy, a constant stored in the blob */
    const ir_eqn *eqn;   /* gives names and sites to items of other kinds too; may be NULL */
    base_site site; base_name name;
    uint32_t nin, nout; plan_id *in, *out;               /* LOOP: out[i] is 0 if in[i] is not a carry */
    mesh_set vary;
    uint32_t nnested; plan_block *nested;                /* LOOP: PLAN_COND, PLAN_BODY; CHOOSE: the branches */
    struct plan_group *group;                            /* the item's own group, which may have joined another */
    plan_block *block; uint32_t index;                   /* position: item `index` of `block` */
    uint32_t from, to;                                   /* live.c: positions of the start and of the end */
    union {
        /* copy: both ends may be one buffer; the item is dropped then. common: see run_step. row: if the move writes
         * into a row of a carry (write_in_place.c), the row's SLICE_PTR; else NULL */
        struct { run_route route; bool copy, common; struct plan_item *row; } move;
        struct { bool written; } slice_ptr;              /* the address of a row that a move writes in place */
        struct { plan_id test, *carry; } loop;   /* carry: [nin] the body's parameters; equal to in[i]: no carry */
    };
} plan_item;

/* Walks over the blocks nested in an item, in order; none unless it is a LOOP or a CHOOSE. */
#define PLAN_EACH_BLOCK(t, b) \
    for (plan_block *b = (t)->nested; b && b < (t)->nested + (t)->nnested; b++)

static inline bool plan_is_copy(const plan_item *t) { return t->kind == PLAN_MOVE && t->move.copy; }
/* A write into a row of a carry has two items. The SLICE_PTR of that row, if t is one of the two; else NULL. */
static inline const plan_item *plan_written_row(const plan_item *t)
{
    if (t->kind == PLAN_MOVE) return t->move.row;
    return t->kind == PLAN_SLICE_PTR && t->slice_ptr.written ? t : NULL;
}

/* A fusion group while it grows; later the arguments of its kernel. */
typedef struct plan_group {
    uint32_t n, cap; plan_item **item;                   /* members, and equations inlined into them */
    struct plan_group *into;                             /* the group that this one joined, or NULL */
    uint32_t nin, nout; plan_id *in, *out;               /* values: kernel arguments */
    struct plan_kernel *kernel;
    /* fuse.c: marks and position. has_producer: a contraction or moves have joined as producers; nmove: how many
     * moves */
    uint32_t mark, state, pos; bool has_producer; int nmove;
    /* fuse.c: the groups that this one depends on, or groups that have joined these; NULL: not listed since the last
     * item was added. found: which listing found this group last */
    struct plan_group **operand; uint32_t noperand, found;
    bool chain;                                          /* built from several steps: chain.c, epilogue.c, prologue.c */
    /* epilogue.c. producer: a contraction, whose operands (and those of its prologue, prologue.c) are the first
     * nproducer operands of the group, and whose result is the group's last result. consumer: the equations that run
     * over parts of that result; the consumer's results are the group's first results */
    const struct plan_group *producer, *consumer; uint32_t nproducer; const gen_epilogue *epilogue;
    plan_id full; int kept; /* groups over rows: a value of the rows' full shape; number of dims that are not reduced */
} plan_group;

typedef struct plan_kernel { gen_group group; run_kernel code; uint32_t number; const void *key; size_t nkey;
                             struct plan_kernel *next; } plan_kernel;

/* The operands and the results of a step; once groups have kernels, those of the group. Return the number; a result of
 * 0 is no value. */
static inline uint32_t plan_step_operands(const plan_item *t, const plan_id **in)
{
    *in = t->kind == PLAN_EQN ? t->group->in : t->in;
    return t->kind == PLAN_EQN ? t->group->nin : t->nin;
}
static inline uint32_t plan_step_results(const plan_item *t, const plan_id **out)
{
    *out = t->kind == PLAN_EQN ? t->group->out : t->out;
    return t->kind == PLAN_EQN ? t->group->nout : t->nout;
}

typedef struct plan_flat {
    base_arena *a, *keep;                                /* arenas: a for planning, keep for the plan and its kernels */
    const ir_fn *fn;
    const mesh *mesh;
    mesh_set manual;   /* atoms of the manual regions around the current position of the walk */
    mesh_set near;                                       /* see run_near */
    bool reproducible, single_device;                    /* single_device: see plan_single_device */
    /* unfused: every equation is a step (TUTTI=ref); looked_at: and also in the order of the function, each instance by
     * itself, nothing inlined (TUTTI=nan, TUTTI=inf) */
    bool unfused, looked_at;
    uint32_t ref_after;   /* TUTTI=ref-after: number of the last equation that is not left to the reference */
    /* the loop whose body is walked, for write_in_place.c; NULL: none, or devices leave the loop at different times */
    const ir_eqn *loop;
    /* number of loops around the current position; of rows with a slice pointer; of values of RUN_COMMON */
    uint32_t loop_depth, nslice, ncommon;
    uint32_t nvalue, capvalue; plan_value *value;        /* [0] is unused */
    plan_block main;
    plan_id *arg, *ret;                                  /* [narg], [nret]: ret holds the values to return */
    plan_id *result;  /* [nret]: the values through which ret's values are returned */
    struct plan_const *consts;
    plan_kernel *kernel[256]; uint32_t nkernel;
    struct plan_buffer *buffer;                          /* live.c: [nvalue], by root */
    int32_t *alias;
} plan_flat;

/* The buffer in which a root is stored. */
typedef struct plan_span { uint32_t first, last; } plan_span;
typedef struct plan_buffer {
    plan_id into;   /* the root whose buffer this one joined; otherwise the root itself */
    run_space space; int64_t at;
    mesh_set vary; int64_t bytes;
    plan_id donor;   /* space RUN_RESULT: the donated argument whose buffer the result takes, or 0 */
    uint32_t nspan; plan_span *span;                     /* position ranges in which the content is needed */
    bool joined, common;   /* another root's buffer joined this one; filled by a move that is common */
} plan_buffer;

typedef struct plan_const {
    plan_id value; const void *data; size_t bytes;
    struct plan_const *next;
} plan_const;

/* flat.c */
plan_id    plan_new(plan_flat *, tt_dtype, int rank, const int64_t *dim, const mesh_layout *, mesh_set vary);
plan_id    plan_like(plan_flat *, plan_id, mesh_set vary); /* same type; vary keeps the layout's atoms */
/* same type; each instance holds windows of the value (run_halo) */
plan_id    plan_halo(plan_flat *, plan_id, const mesh_layout *, const run_halo *, mesh_set vary);
plan_id    plan_view(plan_flat *, plan_id of, int rank, const int64_t *dim, const mesh_layout *);
plan_item *plan_item_new(plan_flat *, plan_block *, plan_kind, const ir_eqn *, uint32_t nin, uint32_t nout);
/* An item with nested blocks. */
plan_item *plan_control_new(plan_flat *, plan_block *, plan_kind, const ir_eqn *, uint32_t nin, uint32_t nout,
                            uint32_t nnested);
/* Appends an exchange; returns `to`. */
plan_id    plan_move(plan_flat *, plan_block *, const ir_eqn *, plan_id from, plan_id to);
/* Appends an exchange that may be removed; returns `to`. */
plan_id    plan_copy(plan_flat *, plan_block *, const ir_eqn *, plan_id from, plan_id to);
bool       plan_walk(plan_flat *, plan_block *, const ir_fn *, const plan_id *in, plan_id *out);
bool       plan_past_ref_after(const plan_flat *);       /* True if the next equation is left to the reference */
bool       plan_same_dims(const plan_value *, const plan_value *);
/* True if dtype, dims, layout and instances are the same */
bool       plan_alike(const plan_value *, const plan_value *);
mesh_set   plan_differ(const mesh *, mesh_set);          /* the set without atoms of size 1 */
mesh_set   plan_layout_vary(const mesh_layout *);        /* atoms over which the layout's shards differ; NULL: none */
/* window.c */
/* Replaces in[i] by a value with the elements that the sharding needs. */
bool       plan_windows(plan_flat *, plan_block *, const ir_eqn *, plan_id *in);
bool       plan_shares(plan_flat *, const mesh_layout *from, const mesh_layout *to, plan_item *move);
/* manual.c */
void       plan_vary_while(const ir_eqn *, mesh_set *in, mesh_set *out); /* vary sets of the carries; in grows */
void       plan_vary_case(const ir_eqn *, mesh_set *in, mesh_set *out);
bool       plan_manual(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
bool       plan_collective(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
mesh_set   plan_communicates(const ir_fn *);             /* atoms of all collectives inside the function */
/* host.c */
static inline bool plan_is_host(const plan_item *t) { return t->kind == PLAN_EQN && t->eqn->op->kernel == OP_HOST; }
void       plan_host(plan_flat *, const plan_item *, run_step *);      /* the step's call */
/* atoms of operands over which a call of C is one per instance */
mesh_set   plan_host_vary(const plan_flat *, const ir_eqn *, const plan_id *in);
/* False with the error set: devices that do not run the region would have its effects */
bool       plan_host_alike(const ir_eqn *, const ir_fn *region);
/* merge_instances.c */
/* A view of all of v's instances along `over`, counted by dim 0. 0: the instances have no constant stride or differ in
 * size. */
plan_id    plan_merged(plan_flat *, plan_id v, mesh_set over);
bool       plan_dense(const plan_flat *, plan_id all);   /* True if the merged instances are contiguous, without gaps */
plan_id    plan_gathered(plan_flat *, plan_id v, int d, mesh_list order); /* the parts along d as one array; or 0 */
/* A product of few rows per device by a weight that several devices share: dim 0 of the result counts these devices, so
 * that the runtime can merge their instances. Returns false if e is not such a product. */
bool       plan_shared_weight(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
/* The same for an existing item, whose result becomes a view. */
void       plan_merge_shared_weight(plan_flat *, plan_item *);
/* True if all instances along these atoms can be viewed as one box */
bool       plan_mergeable(const plan_flat *, const plan_value *, mesh_set over);
/* sums.c */
void       plan_sums(plan_flat *);                       /* computes sums over devices of products as one product */
/* rank_sums.c */
void       plan_rank_sums(plan_flat *);                  /* fewer bytes of sums over devices leave a rank */
/* loop.c */
bool       plan_while(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
bool       plan_case(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
/* counted_loop.c */
/* Lowers a slice of one full row to a slice pointer. Returns false if that is not possible. */
bool       plan_slice_ptr(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
uint32_t   plan_count_reads(const ir_fn *, ir_id);       /* number of uses as an operand or a result */
/* True if the while writes every row of the carry before the row is read */
bool       plan_overwrites_carry(const ir_eqn *loop, uint32_t carry);
/* True if rows of both layouts have the same elements in every instance */
bool       plan_same_rows(const plan_flat *, const mesh_layout *, const mesh_layout *, int rank);
/* write_in_place.c */
/* Lowers an update of a carry's row to a copy into the row. Returns false if that is not possible. */
bool       plan_write_in_place(plan_flat *, plan_block *, const ir_eqn *, const plan_id *in, plan_id *out);
/* moves the copies into rows directly after the definitions of their sources */
void       plan_hoist_writes(plan_flat *, plan_block *);
/* True if the copied value can be computed in the row itself; its root becomes the row's */
bool       plan_produce_in_place(plan_flat *, const plan_item *move);
/* rows.c */
mesh_list  plan_atoms(const plan_value *, int dim);      /* the atoms of size > 1 that shard the dim */
bool       plan_is_complete(const plan_value *);         /* True if the value has no windows and no partial sums */
/* True if the item reduces full rows (the last dims) and is worth joining */
bool       plan_reduces_rows(const plan_flat *, const plan_item *, int *kept);
/* True if the value has one element per row, in the instance that has the row */
bool       plan_row_value(const plan_flat *, plan_id full, int kept, plan_id);
/* True if the item reduces over the rows (the first `kept` dims), giving one result per element of a row */
bool       plan_reduces_columns(const plan_flat *, plan_id full, int kept, const plan_item *);
/* True if the group computes the value, or the value is a view of a row value that the group computes */
bool       plan_made_inside(const plan_flat *, const plan_group *, plan_id);
/* top_k.c */
/* joins sorts with the slices that read only the first sorted elements */
void       plan_top_k(plan_flat *, plan_block *);
/* fuse.c, recompute.c, kernel.c */
bool       plan_fuse(plan_flat *);
bool       plan_order_groups(plan_flat *);               /* group_order.c; false with the error set */
enum { PLAN_GROUP_MOST = 64, PLAN_REACH = 1 << 15 };     /* equations in a group; distance between two groups */
void       plan_group_add(plan_flat *, plan_group *, plan_item *);
plan_group *plan_find(plan_group *);                     /* the group that this one joined in the end */
bool       plan_contains(const plan_group *, const plan_item *);
/* elementwise includes random bits */
bool       plan_is_map(const plan_item *), plan_is_elementwise(const plan_item *);
bool       plan_same_boxes(const plan_value *, const plan_value *);
void       plan_fuse_producers(plan_flat *, plan_block *), plan_fuse_moves(plan_flat *, plan_block *); /* producer.c */
/* True if the item is the group's own member, not one that is inlined into or recomputed in the group */
bool       plan_owns(const plan_group *, const plan_item *);
void       plan_recompute(plan_flat *, plan_block *), plan_fuse_roundings(plan_flat *, plan_block *);
bool       plan_kernels(plan_flat *, plan_block *);
void       plan_number_kernels(plan_flat *);             /* renumbers the kernels that steps use */
/* pair.c: joins two steps of a block. at: [value] 1 + index of the step of the block that computes the value; 0: none.
 * consumers: [value] number of steps that read the value. */
typedef struct { plan_flat *f; plan_block *b; uint32_t *at, *consumers; } plan_pairs;
typedef enum { PLAN_NOWHERE, PLAN_EARLY, PLAN_LATE } plan_position;
/* The position for the joined step of `from` and its reader `to`. */
plan_position plan_position_of(const plan_pairs *, uint32_t from, uint32_t to);
/* Replaces both steps by g, named as t. */
void       plan_pair_replace(const plan_pairs *, uint32_t from, uint32_t to, plan_position, plan_group *g,
    const plan_item *t);
typedef void plan_pairing(const plan_pairs *, uint32_t i); /* tries to join step i with an earlier one */
void       plan_pair(plan_flat *, plan_block *, plan_pairing *);
/* The operand's index; the operand is appended if absent, and there is capacity for one more. */
uint32_t   plan_operand_index(plan_group *, plan_id);
void       plan_consumers(const plan_flat *, const plan_block *, uint32_t *consumers);
/* True if t may be reordered against independent steps. Copies are not: they stay where their destination may be
 * overwritten. */
bool       plan_may_reorder(const plan_flat *, const plan_item *);
/* chain.c, epilogue.c, prologue.c, order.c, live.c, memory.c, emit.c */
void       plan_chain(plan_flat *, plan_block *), plan_epilogue(plan_flat *, plan_block *);
void       plan_prologue(plan_flat *, plan_block *);
extern int64_t plan_prologue_least;                      /* bytes of an operand, all instances; tests lower it */
void       plan_order(plan_flat *);
bool       plan_live(plan_flat *);
plan_id    plan_buffer_of(const plan_flat *, plan_id value);   /* the root whose buffer the value is in */
void       plan_common(plan_flat *);                     /* common.c: buffers that the ranks of a host have in common */
void       plan_memory(plan_flat *);
run_plan  *plan_emit(plan_flat *);

#endif
