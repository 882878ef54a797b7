/* calls.h - calls without a state, that take turns: each in batches, until a batch takes 20 milliseconds; the time is a
 * batch's, by its calls: the median over rounds, and the least. So a call finds in the caches what its like has left
 * there, as where the peers are measured. Every round measures the machine's own limits first.
 */
#ifndef TUTTI_BENCH_CALLS_H
#define TUTTI_BENCH_CALLS_H

#include <math.h>
#include <tutti.h>

#include "results.h"

enum { CALL_ROUNDS = 50 };
/* fn or eager is called on x; two: on x and y */
typedef struct {
    const char *work;
    int devices;
    tt_val x, y, (*eager)(tt_val);
    tt_fn fn;
    int two;
    double flops, bytes, t[CALL_ROUNDS];
    bool parts;                                          /* as rows_put_on's */
} call_job;

static inline tt_val call_once(const call_job *j)
{
    return j->eager ? j->eager(j->x) : j->two ? tt_call(j->fn, j->x, j->y) : tt_call(j->fn, j->x);
}

/* n calls, each result given back before the next, as where a name in Python is bound again. */
static inline double call_batch(const call_job *j, int n)
{
    const double t = limits_seconds();
    for (int i = 0; i < n; i++) {
        const tt_scope scope = tt_scope_open();
        tt_wait(call_once(j));
        tt_scope_close(scope);
    }
    return limits_seconds() - t;
}

/* Seconds per call, by a batch that takes long enough for the clock. */
static inline double call_timed(const call_job *j)
{
    call_batch(j, 1);                                    /* what another work left in the caches */
    for (int n = 1;; n *= 4) {
        const double t = call_batch(j, n);
        if (t > 2e-2 || n > 1000 || !tt_ok()) return t / n;
    }
}

/* Those of the calls that are wanted. */
static inline void calls_run(call_job *jobs, int n, int rounds)
{
    double peak = 0, copy = 0;
    int wanted = 0;
    for (int i = 0; i < n; i++) if (rows_requested(jobs[i].work)) jobs[wanted++] = jobs[i];
    for (int i = 0; i < wanted && tt_ok(); i++) {
        gen_matrix_unit_used();
        call_batch(&jobs[i], 2);
        jobs[i].parts = gen_matrix_unit_used();
    }
    for (int r = 0; r < rounds && wanted && tt_ok(); r++) {
        peak = fmax(peak, limits_fma_gflops());
        copy = fmax(copy, rows_copy_gbs());
        for (int i = 0; i < wanted && tt_ok(); i++) jobs[i].t[r] = call_timed(&jobs[i]);
    }
    if (!tt_ok() || !wanted) return;
    rows_limits(peak, copy);
    printf("machine: %.0f GF/s of fused multiply-adds on one thread, copy %.1f GB/s\n", peak, copy);
    printf("%-32s %8s %12s %12s %8s %8s\n", "call", "devices", "median us", "least us", "GF/s", "GB/s");
    for (int i = 0; i < wanted; i++) {
        qsort(jobs[i].t, (size_t)rounds, sizeof *jobs[i].t, limits_rising);
        const double m = jobs[i].t[rounds / 2];
        printf("%-32s %8d %12.2f %12.2f", jobs[i].work, jobs[i].devices, 1e6 * m, 1e6 * jobs[i].t[0]);
        if (jobs[i].flops > 0) printf(" %8.0f", jobs[i].flops / m * 1e-9);
        if (jobs[i].bytes > 0) printf(" %8s %8.1f", "", jobs[i].bytes / m * 1e-9);
        printf("\n");
        rows_put_on(jobs[i].work, jobs[i].devices, m, jobs[i].parts);
    }
}

static inline int calls_rounds(int argc, char **argv, int usual)
{
    const int asked = argc > 1 ? atoi(argv[1]) : usual;
    return asked < 1 ? 1 : asked > CALL_ROUNDS ? CALL_ROUNDS : asked;
}

#endif
