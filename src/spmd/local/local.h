/* spmd/local/local.h - shared by the files of this folder: a partitioned function as what one device computes, of local
 * forms of equations (op/local/local.h), reshards and regions. */
#ifndef TUTTI_SPMD_LOCAL_H
#define TUTTI_SPMD_LOCAL_H

#include "../inner.h"
#include "../../op/local/local.h"

/* One function or region being lowered. map: [id of f] the local value. */
typedef struct { op_local_fn on; spmd_state *state; const ir_fn *f; ir_id *map; } spmd_local_part;

/* moves.c: a reshard as collectives. global: the type of the complete value. 0 with the error set. */
ir_id spmd_local_move(spmd_local_part *, base_site, ir_id, const ir_type *global, const spmd_sharding *from,
                      const spmd_sharding *to, mesh_reduce from_kind, mesh_reduce to_kind);
/* regions.c: equations without a factor rule; *known: there is a rule for them. */
bool spmd_local_region(spmd_local_part *, const ir_eqn *, bool *known);
bool spmd_local_walk(spmd_local_part *);                 /* local.c: all of p->f */

#endif
