/* plan/steps/chain.h - between chain.c and chain_join.c: a chain while it grows. */
#ifndef TUTTI_PLAN_CHAIN_H
#define TUTTI_PLAN_CHAIN_H

#include "../inner.h"

enum { CHAIN_STEPS = 16, CHAIN_REACH = 24 };             /* steps of a chain; how far the last one may stand */

extern int64_t plan_chain_least;                         /* bytes of a value worth it, all instances; tests want less */

typedef struct {
    plan_flat *f; plan_block *b;
    uint32_t *reads;                                     /* [value]: steps that read it */
    uint32_t turn, *made, *result, *late;   /* [value]: turn: in the chain; as its step's result; by one behind it */
    uint32_t *room;                                      /* [value]: of a result: 0, or its room + 1 */
    op_rule **rule;                                      /* [value]: of the equation whose first result it is */
    int8_t *dim;                                         /* [value]: of what is made, which dim is split */
    plan_item *step[CHAIN_STEPS]; uint32_t n, at[CHAIN_STEPS];
    int64_t size, bytes; mesh_list atoms; mesh_set vary; /* of the dim; that a row makes; that cut it */
} chain;

/* chain.c */
enum { CHAIN_UNKNOWN = -1, CHAIN_LOST = -2 };            /* the dim or factor that is split: not known yet; none */
int     plan_chain_cut_dim(const chain *, plan_id v);    /* the dim of v that is split */
int64_t plan_chain_rows(const chain *);                  /* of the largest instance */
int64_t plan_chain_total(const plan_flat *, plan_id v);  /* bytes of all instances */
bool    plan_chain_is_late(const chain *, const plan_item *);   /* a step that is not of the chain: is it behind it? */

/* chain_join.c: the first step becomes all of them; the others are gone. False: they are no chain worth it. */
bool    plan_chain_together(chain *);

#endif
