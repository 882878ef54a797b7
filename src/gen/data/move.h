/* gen/data/move.h - shared by move.c and index.c: gather and scatter on any part of the result's box. */
#ifndef TUTTI_GEN_MOVE_H
#define TUTTI_GEN_MOVE_H

#include "../copy.h"

void        gen_run_gather(const ir_eqn *, const ir_box *x, const ir_box *y);
void        gen_run_scatter(const ir_eqn *, const ir_box *x, const ir_box *y);
const char *gen_refuses_gather(const ir_eqn *), *gen_refuses_scatter(const ir_eqn *);

#endif
