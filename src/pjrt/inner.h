/* pjrt/inner.h - declarations shared by the files of src/pjrt: a plug-in, linked with nothing of the core. */
#ifndef TUTTI_PJRT_INNER_H
#define TUTTI_PJRT_INNER_H

#include "../run/engine.h"
#include "api.h"

#include <pthread.h>
#include <time.h>

enum { PJRT_AHEAD = 32 };                                /* the most launches that have not ended */
enum { PJRT_PUTTING = 256 << 20 };                       /* the most bytes that transfers have yet to read */

typedef struct {
    run_engine engine;                                   /* the first member: what the host has */
    const pjrt_api *api;
    pjrt_client *client;
    pjrt_device *const *device;
    double patience;
    void *tracing;                                       /* the profiler that runs */
    pthread_mutex_t launching;                           /* launches reach all devices in one order */
    pthread_mutex_t lock; pthread_cond_t changed;        /* of what follows */
    int ahead, puts; int64_t putting;                    /* launches, transfers and bytes that have not ended */
    /* lost: a launch over several devices has failed; some of them may wait for others for ever */
    _Atomic bool lost; char reason[1024];
    bool forked;                                         /* this process has none of the library's threads */
    char untold[1024];                                   /* a failure of a launch that no call has met; empty: none */
} pjrt_engine;

/* ---- error.c: texts of failures, by thread ---- */

const char *pjrt_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* True if there is no error; else destroys it, and sets *why to its message and the thread's kind of failure. */
bool pjrt_good(const pjrt_api *, pjrt_error *, const char **why);
void pjrt_failed_as(int kind);
int  pjrt_failure(run_engine *);
/* Waits for an event, which it destroys; false: it carries an error, or the engine is lost and it does not come. */
bool pjrt_await(pjrt_engine *, pjrt_event *, const char **why);
bool pjrt_usable(pjrt_engine *, const char **why);       /* False with *why set: the engine is lost */
bool pjrt_here(pjrt_engine *, const char **why);         /* False with *why set: the process has forked since */
void pjrt_lose(pjrt_engine *, const char *why);          /* called with the lock held */
/* Calls back when the event comes, and destroys it. False: it cannot. */
bool pjrt_when(pjrt_engine *, pjrt_event *, void (*call)(pjrt_error *, void *env), void *env, const char **why);
/* Waits for a change, called with the lock held; false: the time is over. */
bool pjrt_wait_until(pjrt_engine *, const struct timespec *end);
struct timespec pjrt_in(double seconds);                 /* the end of such a wait, by CLOCK_MONOTONIC */

/* ---- open.c ---- */

run_engine *tutti_pjrt(uint32_t abi, const run_engine_host *, const char *path, int devices, const char **why);

/* ---- program.c, buffer.c: the functions of run_engine ---- */

void *pjrt_do_compile(run_engine *, const run_source *, const char **why);
void  pjrt_do_forget(run_engine *, void *program);
int   pjrt_do_results(run_engine *, void *program, const char **why);
bool  pjrt_do_launch(run_engine *, void *program, const run_call *, const char **why);
bool  pjrt_do_settle(run_engine *, const char **why);
void *pjrt_do_save(run_engine *, void *program, const char **bytes, size_t *n, const char **why);
void  pjrt_do_release(run_engine *, void *saved);
void *pjrt_do_load(run_engine *, const char *bytes, size_t n, const run_source *, const char **why);
void *pjrt_do_put(run_engine *, const run_put *, const char **why);
void *pjrt_do_copy(run_engine *, void *buffer, int device, const char **why);
bool  pjrt_do_get(run_engine *, void *buffer, tt_dtype, int rank, const int64_t *dim, void *to, int64_t bytes,
                  const char **why);
void  pjrt_do_drop(run_engine *, void *buffer);
bool  pjrt_do_wait(run_engine *, void *buffer, const char **why);
run_device_memory pjrt_do_memory(run_engine *, int device);
bool  pjrt_do_has(run_engine *, tt_dtype);
bool  pjrt_do_needs(run_engine *, void *program, run_needs *, const char **why);
/* trace.c */
bool  pjrt_do_trace(run_engine *, const char **why);
bool  pjrt_do_traced(run_engine *, bool (*take)(void *env, const void *bytes, size_t n), void *env, const char **why);

#endif
