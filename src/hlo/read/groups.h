/* hlo/read/groups.h - shared by manual.c, groups.c, group_axes.c and collective.c: groups of devices. */
#ifndef TUTTI_HLO_GROUPS_H
#define TUTTI_HLO_GROUPS_H

#include "../inner.h"

/* n processes; `count` groups of `each` members in `of`; ragged: some groups are smaller, with entries -1. ok: each
 * group runs over the axes `axes`; ok without axes: each process is a group of its own and keeps its value. */
typedef struct { int64_t n, count, each, *of; ir_names axes; bool ok, ragged; } hlo_groups;

ir_names hlo_axes_named(hlo_reader *, mesh_set);         /* axes whose atoms are in the set, in the mesh's order */
int64_t hlo_channel(const hlo_op *), hlo_replicas(const hlo_reader *), hlo_processes(const hlo_reader *);
/* False with the error that a collective is outside of a manual computation */
bool hlo_outside(hlo_reader *, const hlo_op *);
/* The groups that an operation names; reduces: all_reduce and related operations. hlo_grouped_evenly: groups of
 * different sizes are an error. */
bool hlo_grouped(hlo_reader *, const hlo_op *, bool reduces, hlo_groups *),
    hlo_grouped_evenly(hlo_reader *, const hlo_op *, bool reduces, hlo_groups *);
bool hlo_process_table(hlo_reader *, const hlo_op *, const char *key, int64_t *rows, int64_t *cols, const int64_t **);
/* y[i]: the value of member i of each process's own group; the process's own value if it has no group or the group no
 * member i. */
bool hlo_members(hlo_reader *, const hlo_groups *, ir_id x, ir_id *y);
/* The groups of #stablehlo.replica_group_mesh_axes as a table (group_axes.c). */
bool hlo_axes_table(hlo_reader *, const hlo_op *, const hlo_attr *, int64_t *rows, int64_t *cols, const int64_t **);
ir_id hlo_rank_in(hlo_reader *, const hlo_groups *);     /* number of a process in its group */
ir_id hlo_by_process(hlo_reader *, const int32_t *table, int64_t n);     /* table[this process's number] */

#endif
