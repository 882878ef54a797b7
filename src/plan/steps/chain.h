/* plan/steps/chain.h - a chain under construction: state shared by chain.c and chain_join.c. */
#ifndef TUTTI_PLAN_CHAIN_H
#define TUTTI_PLAN_CHAIN_H

#include "../inner.h"

enum { CHAIN_STEPS = 16, CHAIN_REACH = 24 };             /* steps of a chain; distance of the last from the first */

extern int64_t plan_chain_least;                         /* least bytes of a value, all instances; tests lower it */

typedef struct {
    plan_flat *f; plan_block *b;
    uint32_t *reads;                                     /* [value]: number of steps that read it */
    /* [value], each true if equal to mark. made: the value has a split dim. result: it is a result of a step of the
     * chain. late: a step that runs after the chain computes it */
    uint32_t mark, *made, *result, *late;
    uint32_t *part;                                      /* [value]: of a result: 0, or 1 + index of its part buffer */
    op_rule **rule;   /* [value]: factor rule of the equation whose first result it is */
    int8_t *dim;                                         /* [value]: the dim that is split */
    plan_item *step[CHAIN_STEPS]; uint32_t n, at[CHAIN_STEPS];
    /* size: of the dim; bytes: results of one row; atoms: those that shard the dim */
    int64_t size, bytes; mesh_list atoms; mesh_set vary;
} chain;

/* chain.c */
enum { CHAIN_UNKNOWN = -1, CHAIN_LOST = -2 };            /* the split dim or factor: not known yet; impossible */
int     plan_chain_split_dim(const chain *, plan_id v);  /* the split dim of v */
int64_t plan_chain_rows(const chain *);                  /* rows of the largest instance */
int64_t plan_chain_total(const plan_flat *, plan_id v);  /* bytes of all instances */
bool    plan_chain_is_late(const chain *, const plan_item *); /* True if a step outside the chain must run after it */

/* chain_join.c: replaces the first step by the joined step and removes the others. Returns false if that is not
 * possible, or not worth it. */
bool    plan_chain_together(chain *);

#endif
