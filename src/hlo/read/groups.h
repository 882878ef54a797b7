/* hlo/read/groups.h - what manual.c, groups.c and collective.c share: groups of devices. */
#ifndef TUTTI_HLO_GROUPS_H
#define TUTTI_HLO_GROUPS_H

#include "../inner.h"

/* n processes; groups of `each` of them; ragged: of fewer, some places -1. axes: those that a group runs over; ok: it
 * is so. ok without axes: each process is a group, and keeps its own value. */
typedef struct { int64_t n, count, each, *of; ir_names axes; bool ok, ragged; } hlo_groups;

ir_names hlo_axes_named(hlo_reader *, mesh_set);         /* axes whose atoms are in the set, in the mesh's order */
int64_t hlo_channel(const hlo_op *), hlo_replicas(const hlo_reader *), hlo_processes(const hlo_reader *);
bool hlo_outside(hlo_reader *, const hlo_op *);          /* refuses a collective outside of a manual computation */
/* The groups that an operation names; reduces: all_reduce and its kin. Evenly: refuses groups of different sizes. */
bool hlo_grouped(hlo_reader *, const hlo_op *, bool reduces, hlo_groups *),
    hlo_grouped_evenly(hlo_reader *, const hlo_op *, bool reduces, hlo_groups *);
bool hlo_process_table(hlo_reader *, const hlo_op *, const char *key, int64_t *rows, int64_t *cols, const int64_t **);
/* The k-th members' values of each process's own group: y[each]. In no group, and where there is no such: its own. */
bool hlo_members(hlo_reader *, const hlo_groups *, ir_id x, ir_id *y);
/* The groups of #stablehlo.replica_group_mesh_axes as the table that it stands for (group_axes.c). */
bool hlo_axes_table(hlo_reader *, const hlo_op *, const hlo_attr *, int64_t *rows, int64_t *cols, const int64_t **);
ir_id hlo_rank_in(hlo_reader *, const hlo_groups *);     /* which member of its group a process is */
ir_id hlo_by_process(hlo_reader *, const int32_t *table, int64_t n);     /* the entry at this process's number */

#endif
