/* jobs.h - training steps that take turns: a state goes through a step again and again, its buffers donated.
 *
 * Every round measures the machine's own limits, then each job's turn: a step that finds the caches as the limits and
 * others left them ("cold"), then steps one after another, as a training loop and the peers' timing (peers/timing.py)
 * do them. A round's time is the median of these; the row is the median over rounds. What steps ask of the system
 * after the first rounds is counted: page faults. Beside the step's time there are rows of its first call, less
 * a later one (tracing, layouts, plan, kernels), and of the memory that a device has for it. */
#ifndef TUTTI_BENCH_JOBS_H
#define TUTTI_BENCH_JOBS_H

#include <math.h>
#include <sys/resource.h>
#include <tutti.h>

#include "results.h"

enum { JOB_ROUNDS = 50, JOB_WARM = 2, JOB_STEPS = 25 };  /* most rounds; steps before them; most timed in a turn */
#define JOB_TURN 0.5                                     /* seconds, after which a turn ends, as the peers' */
/* create: (key, x) -> state; step: (state, x, y) -> (state, loss) */
typedef struct {
    const char *work;
    int devices;
    tt_fn create, step;
    tt_val key, x, y;
    double flops;
    tt_val state;
    double t[JOB_ROUNDS], cold[JOB_ROUNDS], first, loss, mib;
    long faults, steps;
    bool parts;                                          /* as rows_put_on's */
} job;

static inline int jobs_rounds(int argc, char **argv, int usual)
{
    const int asked = argc > 1 ? atoi(argv[1]) : usual;
    return asked < 1 ? 1 : asked > JOB_ROUNDS ? JOB_ROUNDS : asked;
}

static inline long jobs_faults(void)
{
    struct rusage now;
    return getrusage(RUSAGE_SELF, &now) ? 0 : now.ru_minflt;
}

static inline double job_once(job *j)
{
    const long faults = jobs_faults();
    const double t = limits_seconds();
    const tt_scope scope = tt_scope_open();
    const tt_val out = tt_call(j->step, j->state, j->x, j->y);
    tt_assign(&j->state, tt_item(out, 0));
    tt_wait(j->state);
    const double took = limits_seconds() - t;
    j->faults += jobs_faults() - faults, j->steps++;
    j->loss = tt_num(tt_mean(tt_item(out, 1)));
    tt_scope_close(scope);
    return took;
}

static inline void job_begin(job *j)
{
    j->state = tt_call(j->create, j->key, j->x);
    tt_wait(j->state);
    gen_matrix_unit_used();
    j->first = job_once(j);
    j->parts = gen_matrix_unit_used();
    for (int k = 0; k < JOB_WARM; k++) job_once(j);
    j->faults = j->steps = 0;
    const tt_scope scope = tt_scope_open();
    const tt_budget *b = tt_plan(j->step, tt_like(j->state), tt_like(j->x), tt_like(j->y));
    if (b) j->mib = (double)b->peak / (1 << 20);
    tt_scope_close(scope);
}

static inline void job_turn(job *j, int round)
{
    double t[JOB_STEPS], sum = 0;
    int n = 0;
    j->cold[round] = job_once(j);
    while (n < JOB_STEPS && (n < 1 || sum < JOB_TURN) && tt_ok()) sum += t[n++] = job_once(j);
    qsort(t, (size_t)n, sizeof *t, limits_rising);
    j->t[round] = t[n / 2];
}

static inline void job_say(job *j, int rounds)
{
    char line[128];
    qsort(j->t, (size_t)rounds, sizeof *j->t, limits_rising);
    qsort(j->cold, (size_t)rounds, sizeof *j->cold, limits_rising);
    const double m = j->t[rounds / 2];
    printf("%-26s %8d %10.2f %10.2f %10.2f %10.1f %10.1f %12.1f %10.1f %10.4f\n", j->work, j->devices, 1e3 * m,
        1e3 * j->t[0], 1e3 * j->cold[rounds / 2], 1e3 * j->first, j->flops / m * 1e-9,
        (double)j->faults / (double)(j->steps ? j->steps : 1), j->mib, j->loss);
    rows_put_on(j->work, j->devices, m, j->parts);
    snprintf(line, sizeof line, "first call of %s", j->work);
    rows_put(line, j->devices, j->first > m ? j->first - m : 0);
    snprintf(line, sizeof line, "memory of %s", j->work);
    rows_put_as("tutti", line, j->devices, j->mib, "MiB");
}

/* Those of the jobs that are wanted. */
static inline void jobs_run(job *jobs, int n, int rounds)
{
    double peak = 0, copy = 0;
    int wanted = 0;
    for (int i = 0; i < n && tt_ok(); i++) if (rows_requested(jobs[i].work)) jobs[wanted++] = jobs[i];
    for (int i = 0; i < wanted && tt_ok(); i++) job_begin(&jobs[i]);
    for (int r = 0; r < rounds && wanted && tt_ok(); r++) {
        peak = fmax(peak, limits_fma_gflops());
        copy = fmax(copy, rows_copy_gbs());
        for (int i = 0; i < wanted && tt_ok(); i++) job_turn(&jobs[i], r);
    }
    if (!tt_ok() || !wanted) return;
    rows_limits(peak, copy);
    printf("machine: %.0f GF/s of fused multiply-adds on one thread, copy %.1f GB/s\n", peak, copy);
    printf("%-26s %8s %10s %10s %10s %10s %10s %12s %10s %10s\n", "step", "devices", "median ms", "min ms", "cold ms",
        "first ms", "GF/s", "faults/step", "MiB", "loss");
    for (int i = 0; i < wanted; i++) job_say(&jobs[i], rounds);
}

#endif
