/* ckpt/save/manager.h - shared by manager.c and retention.c: a manager, and the steps in its folder. */
#ifndef TUTTI_CKPT_MANAGER_H
#define TUTTI_CKPT_MANAGER_H

#include "../ckpt.h"

typedef struct tt_manager_s {
    char root[CKPT_PATH], best[128];                     /* the metric's name */
    bool higher, background, rooted, ocdbt;
    int64_t keep, keep_best, keep_every;
    int writer, writers; double patience;
    int64_t step; const char *site;                      /* the step being saved, and the call */
    ckpt_job *job;
    ckpt_async async;
} manager;

void manager_step_path(const manager *, int64_t step, char *to, size_t capacity);
/* The finished steps, rising, with space for one more; the caller frees them; NULL: an error. */
int64_t *manager_steps(const manager *, int *n, ckpt_err *);
/* Sets *x to the step's metric; NaN: the step has none. False with the error set: the metrics cannot be read, so
 * nothing is known of them. */
bool manager_metric(const manager *, int64_t step, double *x, ckpt_err *);
bool manager_better(const manager *, double x, double than);
/* Removes all steps that do not stay; a folder that cannot be read now is retried after a later save, and a step whose
 * metrics cannot be read now stays until then. */
void manager_retire(const manager *);
/* Removes what died saves of steps up to this one have left: only one save of a root runs at a time. */
void manager_sweep(const manager *, int64_t step);
/* True unless the step, with this metric, is one that manager_retire removes as soon as it is saved. */
bool manager_would_stay(const manager *, int64_t step, double x, ckpt_err *);

#endif
