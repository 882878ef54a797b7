/* spmd/propagate/propagation.h - the data structure of propagation, shared by edges.c, seeds.c, project.c,
 * factor_propagation.c, stage.c, propagate.c and origin.c. */
#ifndef TUTTI_SPMD_PROPAGATION_H
#define TUTTI_SPMD_PROPAGATION_H

#include "../inner.h"

/* A slot is the layout of one value, or of several values that must share one: a loop's carry is one slot for its
 * parameters in condition and body and for its result. */
typedef struct {
    uint32_t dim;                                        /* index of dim 0 in spmd_propagation.list */
    uint8_t rank;
    bool edge;                                           /* target of an edge: several values, or a parameter */
    uint16_t closed;                                     /* bit per dim: no atom may be added */
    mesh_set used, never;                                /* atoms on the dims; atoms forbidden on the dims */
    const mesh_layout *seed;                             /* or NULL */
    uint32_t log;                                        /* 1 + index of the last entry; 0: none */
} spmd_slot;
/* An end of an edge. drop: leading dims ignored; prefix: manual atoms that are major on the dims, but those of size
 * 1, which no list has; or NULL. */
typedef struct { uint8_t drop; const mesh_layout *prefix; } spmd_end;
typedef enum { SPMD_FLOW, SPMD_SAME, SPMD_FORWARD_FLOW, SPMD_BROADCAST, SPMD_OTHER } spmd_class;
/* A step propagates shardings between its tensors: an equation with a factor rule, or an edge (rule: the identity). */
typedef struct {
    const op_rule *rule;
    const ir_eqn *e;                                     /* NULL: a result and the result's requested layout */
    uint32_t first; const spmd_end *end;                 /* slots: spmd_propagation.tensor[first ..]; of edges */
    uint32_t nin, ntensor;
    uint8_t class; bool single, plain;                   /* single: no operand has another reader; plain: factor d is
                                                            dim d of every tensor */
} spmd_step;
typedef struct { uint32_t slot; uint8_t dim, priority; bool open; mesh_list list; uint32_t origin; } spmd_seed;
/* Log: where a slot got an atom. from: another slot, by: the step; from 0: a seed, by: the seed's origin. */
typedef struct { uint32_t next, from, by; uint8_t atom; } spmd_entry;
/* A factor on a tensor. list, was: its atoms, now and before the step; over: overflow (project.c); minor: last of its
 * dim. */
typedef struct { mesh_list list, over, was; bool has, closed, minor; } spmd_cell;
typedef struct spmd_region { const ir_fn *fn; uint32_t base; } spmd_region;      /* value id is base + id in `of` */

typedef struct spmd_propagation {
    base_arena *a;
    const mesh *mesh;
    mesh_set trivial;                                    /* atoms of size 1 */
    const char *const *in_name; const base_site *in_site;   /* of arguments, or NULL */
    const ir_fn *top;
    spmd_region *region; uint32_t nregion;
    uint32_t *of;                                        /* [base + id] -> slot */
    spmd_slot *slot; uint32_t nslot, wish;               /* slot wish + i: the requested layout of result i */
    mesh_list *list;                                     /* [slot.dim + d] */
    spmd_step *step; uint32_t nstep, capstep, nflow;     /* in program order; from nflow: requested result layouts */
    uint32_t *tensor, ntensor, captensor;
    uint32_t *touch, *touched;                           /* steps of slot k: touched[touch[k] .. touch[k + 1]) */
    spmd_seed *seed; uint32_t nseed, capseed;
    spmd_origin *origin; uint32_t norigin, caporigin;
    spmd_entry *entry; uint32_t nentry, capentry;
    uint64_t *dirty;                                     /* bit per step */
    uint32_t low;                                        /* all dirty steps of this run have a number >= low */
    spmd_cell *cell; bool *changed; mesh_set *taken;     /* of one step: [tensor * nfactor + factor]; [tensor] */
} spmd_propagation;

typedef enum { SPMD_NONE, SPMD_FORWARD, SPMD_BACKWARD, SPMD_BOTH } spmd_way;
enum { SPMD_STAGES = 5 };

/* edges.c */
bool     spmd_steps(spmd_propagation *, const ir_fn *); /* builds slots and steps of f and its regions */
uint32_t spmd_slot_of(const spmd_propagation *, const ir_fn *, ir_id);           /* 0: function or value unknown */

/* stage.c */
spmd_class spmd_class_of(const ir_eqn *);
spmd_way spmd_way_of(const spmd_step *, int stage, int factor);
bool     spmd_opens(const spmd_step *, int stage);    /* True if the stage allows more than the stage before */
int      spmd_first_stage(const spmd_step *);

/* seeds.c */
/* Collects all seeds; applies those of priority 0. */
void     spmd_seed_all(spmd_propagation *, const ir_fn *, const mesh_layout *const *requested);
void     spmd_seed_priority(spmd_propagation *, int priority);                   /* applies seeds, marks steps dirty */
int      spmd_next_priority(const spmd_propagation *, int after);                /* -1: none */

/* project.c */
bool     spmd_project(spmd_propagation *, const spmd_step *);                    /* fills cell; false: nothing to do */
bool     spmd_write(spmd_propagation *, uint32_t step); /* writes changed tensors' dims; True if one grew */
void     spmd_touch(spmd_propagation *, uint32_t slot, uint32_t but);            /* marks the other steps dirty */

/* origin.c */
void     spmd_log_origin(spmd_propagation *, uint32_t slot, int atom, uint32_t from, uint32_t by); /* from 0: a seed */

/* factor_propagation.c */
void     spmd_propagate_factors(spmd_propagation *, const spmd_step *, int stage); /* grows cells */

static inline int spmd_common_length(mesh_list a, mesh_list b) /* length of the common prefix */
{
    const int n = (int)((a & 15) < (b & 15) ? a & 15 : b & 15);
    const uint64_t x = (a ^ b) >> 4;
    const int same = x ? __builtin_ctzll(x) / 4 : 15;
    return n < same ? n : same;
}
static inline bool spmd_has(mesh_list l, int atom)       /* True if the list contains the atom */
{
    const uint64_t ones = 0x0111111111111111, x = (l >> 4) ^ (ones * (uint64_t)atom);
    return (x - ones) & ~x & (ones << 3) & (((uint64_t)1 << 4 * (l & 15)) - 1);
}
static inline mesh_list spmd_head(mesh_list l, int n)
{
    return (l & ((((uint64_t)1 << 4 * n) - 1) << 4)) | (uint64_t)n;
}
static inline mesh_list spmd_tail(mesh_list l, int n)    /* without the first n atoms */
{
    return (l >> 4 >> 4 * n << 4) | ((l & 15) - (uint64_t)n);
}
static inline mesh_list spmd_join(mesh_list a, mesh_list b)
{
    return (a & ~(uint64_t)15) | (b >> 4 << 4 << 4 * (a & 15)) | ((a & 15) + (b & 15));
}
static inline mesh_list spmd_without(mesh_list l, mesh_set atoms)
{
    mesh_list r = 0;
    for (int i = 0; i < mesh_list_n(l); i++)
        if (!(atoms >> mesh_list_at(l, i) & 1)) r = mesh_list_push(r, mesh_list_at(l, i));
    return r;
}
static inline bool spmd_extends(mesh_list old, mesh_list now)    /* True if old is a proper prefix of now */
{
    return (now & 15) > (old & 15) && spmd_common_length(old, now) == (int)(old & 15);
}

#endif
