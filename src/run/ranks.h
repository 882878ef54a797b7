/* run/ranks.h - which rank holds which instances. */
#ifndef TUTTI_RUN_RANKS_H
#define TUTTI_RUN_RANKS_H

#include "../mesh/mesh.h"

/* The instances of a value that varies over `vary`, by the ranks that hold them. Permanent. A rank holds an instance if
 * one of its devices has the instance's coordinates on the atoms of vary.
 *
 * Example: mesh "data:2, model:2", two ranks of two devices. Over data, rank 0 holds instance 0 and rank 1 instance 1;
 * over model, both ranks hold both instances. */
typedef struct run_ranks {
    int64_t all, n;                                      /* instances; instances here */
    const int64_t *list;                                 /* [n]: here, rising */
    const int64_t *slot;                                 /* [all]: place in list; -1: not here */
    const int64_t *holder_at; const int *holder;         /* instance i: holder[holder_at[i] .. holder_at[i + 1]), rising */
} run_ranks;

/* How ranks divide the devices: rank k has the devices [k * devices, (k + 1) * devices). */
typedef struct { int me, ranks; int64_t devices; } run_job_shape;
void run_job_set(run_job_shape);                         /* before the first mesh; 1 rank at the start */
run_job_shape run_job_now(void);
int  run_device_rank(int64_t device);

/* The holders of a class. NULL with the error set: no memory. */
const run_ranks *run_ranks_of(const mesh *, mesh_set vary);
/* The rank that sends an instance to rank `to`, which does not hold it: one of to's host if there is one, else the holder
 * number (to mod number of holders), so that holders share the work. host_of NULL: one host. */
int run_sender(const run_ranks *, int64_t instance, int to, const int *host_of);
/* The atoms along which no exchange leaves a rank: for each device, all devices that differ from it in this atom alone
 * are of its rank. The same on all ranks, and part of what a plan depends on. */
mesh_set run_near(const mesh *);

#endif
