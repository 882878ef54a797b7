/* run/ranks.h - which rank holds which instances, and in which order. */
#ifndef TUTTI_RUN_RANKS_H
#define TUTTI_RUN_RANKS_H

#include "run.h"

/* The instances of a value that varies over `vary`, by the ranks that hold them. Permanent. A rank holds an instance if
 * one of its devices has the instance's coordinates on the atoms of vary; all ranks hold what has one instance.
 * Instances in the memory of a rank are ordered by their coordinates on the far atoms first, then by those on the near
 * atoms; so where all ranks' devices are boxes of the mesh, near instances have the same distances in every rank's
 * memory, and in one process under TUTTI=ranks:N.
 *
 * Example: mesh "data:2, model:2", two ranks of two devices. Over data, rank 0 holds instance 0 and rank 1 instance 1;
 * over model, both ranks hold both instances. */
typedef struct run_ranks {
    int64_t all, n;                                      /* number of instances; number of instances here */
    const int64_t *list;                                 /* [n]: the instances here, in the order in memory */
    /* [all]: place in the list of any rank that holds the instance, if that is the same for all of these ranks, or if
     * this rank is one of them; else -1 */
    const int64_t *slot;
    const bool *here;                                    /* [all] */
    const int64_t *holder_at; const int *holder;         /* of instance i: [holder_at[i], holder_at[i + 1]), rising */
    mesh_set near;                                       /* of the mesh: run_near */
    bool alike;                                          /* slot is set for all instances */
} run_ranks;

/* Sets *ranks to the holders of a class; NULL: all instances are here, in the order of their numbers, or the mesh is
 * too large to compute on. False with the error set: the mesh is larger than the job, or memory is missing. */
bool run_ranks_of(const mesh *, mesh_set vary, const run_ranks **);
bool run_holds(const run_ranks *, int64_t instance, int rank);    /* True if the rank holds the instance */
/* Place of an instance in the list of a rank that holds it. */
int64_t run_index_in(const run_ranks *, int64_t instance, int rank);
/* The rank that sends an instance to rank `to`, which does not hold the instance: a holder on the host of `to` if there
 * is one, else the holder number (to mod number of holders), so that holders share the work. host_of NULL: one host. */
int run_sender(const run_ranks *, int64_t instance, int to, const int *host_of);

#endif
