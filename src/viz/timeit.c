/* viz/timeit.c - the time of a call, measured and printed as by IPython's %timeit.
 *
 * The call runs once before the measurement, so that it is compiled; the number of loops is multiplied by ten until one
 * run takes 0.2 s, or the milliseconds of TUTTI=timeit:N; every call is waited for. Mean and standard deviation are
 * over the runs. The processes of a job must make the same calls, so process 0's clock decides the number of loops. */
#include <tutti/form.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);                  /* the time of day may be set meanwhile */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double timeit_run(const char *site, tt_fn f, const tt_val *args, int64_t loops)
{
    const double start = seconds();
    for (int64_t i = 0; i < loops && tt_ok(); i++) {
        const tt_scope scope = tt_scope_open();
        tt_wait_at(site, tt_call_at(site, f, args));
        tt_scope_close(scope);
    }
    return seconds() - start;
}

/* True if a run that took `took` seconds is long enough, by process 0's clock. */
static bool is_enough(const char *site, double took, double least)
{
    if (tt_process_count() == 1) return took >= least;
    return tt_num_at(site, tt_broadcast_one_to_all_at(site, tt_b(took >= least), NULL)) != 0;
}

/* Writes 0.0576 as "57.6 ms". */
static void put_time(double t, char to[32])
{
    static const char *const unit[] = { "s", "ms", "\u03bcs", "ns" };
    static const double scale[] = { 1, 1e3, 1e6, 1e9 };
    const int order = t > 0 ? -(int)floor(floor(log10(t)) / 3) : 3, i = order < 0 ? 0 : order > 3 ? 3 : order;
    tt_snprintf(to, 32, "%.3g %s", t * scale[i], unit[i]);
}

const char *tt_timeit_at(const char *site, tt_fn f, const tt_val *args)
{
    TT_ENTRY(site);
    enum { RUNS = 7 };
    static _Thread_local char text[160];
    double each[RUNS], mean = 0, spread = 0;
    char average[32], deviation[32];
    const char *const word = tt_config_value("timeit");
    const double least = word && *word ? 1e-3 * tt_strtod(word, NULL) : 0.2;
    int64_t loops = 1;
    for (const tt_val *v = args; args && tt_ok() && v->slot != tt_end.slot; v++)
        if (tt_is_traced_at(site, *v)) {
            tt_fail_at(site, TT_ETRACE, "timeit: an argument is traced: there is nothing to run yet");
            tt_hint("time the function outside of the function that is traced");
        }
    timeit_run(site, f, args, 1);
    while (loops < 1000000000 && tt_ok() && !is_enough(site, timeit_run(site, f, args, loops), least)) loops *= 10;
    for (int i = 0; i < RUNS; i++) mean += (each[i] = timeit_run(site, f, args, loops) / (double)loops) / RUNS;
    for (int i = 0; i < RUNS; i++) spread += (each[i] - mean) * (each[i] - mean) / RUNS;
    if (!tt_ok()) return "";
    put_time(mean, average);
    put_time(sqrt(spread), deviation);
    snprintf(text, sizeof text, "%s \u00b1 %s per loop (mean \u00b1 std. dev. of %d runs, %lld loop%s each)", average,
             deviation, RUNS, (long long)loops, loops > 1 ? "s" : "");
    return text;
}
