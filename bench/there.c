/* bench/there.c - what a call on an engine of PJRT costs besides the library's own Execute, on the same calls: the
 * library's table of functions is copied, with an Execute that takes the time of the one it stands for.
 *
 * usage: there LIBRARY [ROUNDS]. Processor time of the calling thread, in microseconds, and a step with its wait beside
 * the library's Execute and wait alone, in turns; medians. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tutti.h>

#include "../src/pjrt/inner.h"
#include "../src/run/run.h"

enum { CALLS = 200, MOST = 16, DEVICES = 8 };
static int rounds = 15;

static double seconds(clockid_t c)
{
    struct timespec t;
    clock_gettime(c, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double thread_us(void) { return 1e6 * seconds(CLOCK_THREAD_CPUTIME_ID); }
static double wall_us(void) { return 1e6 * seconds(CLOCK_MONOTONIC); }

static int less(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *x, int n) { return qsort(x, (size_t)n, sizeof *x, less), x[n / 2]; }

/* ---- the library's own part ---- */

static const pjrt_api *own;
static double inside;                                    /* time in Execute since it was set to 0 */
static struct { pjrt_loaded *loaded; size_t devices, arguments; pjrt_buffer *in[DEVICES][MOST]; } last;

static pjrt_error *timed(pjrt_execute *x)
{
    last.loaded = x->loaded, last.devices = x->ndevice, last.arguments = x->nargument;
    for (size_t d = 0; d < x->ndevice; d++) memcpy(last.in[d], x->argument[d], x->nargument * sizeof **last.in);
    const double t = thread_us();
    pjrt_error *const error = own->LoadedExecutable_Execute(x);
    inside += thread_us() - t;
    return error;
}

static pjrt_engine *watched(void)
{
    static pjrt_api copy;
    pjrt_engine *const e = run_engine_now()->self;
    own = e->api, copy = *own, copy.LoadedExecutable_Execute = timed;
    e->api = &copy;
    return e;
}

/* The last launch once more, by the library alone: wall time until its results are there. */
static double alone(pjrt_engine *e, int results)
{
    pjrt_buffer *out[DEVICES][MOST], **list[DEVICES];
    pjrt_buffer *const *in[DEVICES];
    const char *why;
    for (size_t d = 0; d < last.devices; d++) list[d] = out[d], in[d] = last.in[d];
    pjrt_execute_options o = { .head = { sizeof o, NULL } };
    PJRT_CALL(pjrt_execute, x, .loaded = last.loaded, .options = &o, .argument = in, .ndevice = last.devices,
              .nargument = last.arguments, .result = list);
    const double t = wall_us();
    if (own->LoadedExecutable_Execute(&x.a)) fprintf(stderr, "there: a launch has failed\n"), exit(1);
    for (size_t d = 0; d < last.devices; d++) e->engine.wait(&e->engine, out[d][0], &why);
    const double took = wall_us() - t;
    for (size_t d = 0; d < last.devices; d++)
        for (int j = 0; j < results; j++) e->engine.drop(&e->engine, out[d][j]);
    return took;
}

/* ---- works ---- */

static tt_val few(tt_val x) { return tt_add(x, tt_f(1)); }
static tt_val many(tt_val x)                             /* a tuple of 16 */
{
    tt_val y[MOST + 1];
    for (int i = 0; i < MOST; i++) y[i] = tt_add(tt_item(x, i), tt_f(1));
    y[MOST] = tt_end;
    return tt_tuple_at("results", y);
}
static tt_val products(tt_val x)
{
    for (int i = 0; i < 8; i++) x = tt_tanh(tt_matmul(x, x));
    return x;
}

static void call(const char *name, tt_fn f, tt_val x)
{
    double all[CALLS], rest[CALLS];
    tt_wait(tt_call(f, x));
    for (int i = 0; i < CALLS; i++) {
        const tt_scope scope = tt_scope_open();
        inside = 0;
        const double t = thread_us();
        const tt_val y = tt_call(f, x);
        all[i] = thread_us() - t, rest[i] = all[i] - inside;
        tt_wait(y);
        tt_scope_close(scope);
    }
    printf("call, %-22s %8.2f us, of them Tutti's %8.2f us\n", name, median(all, CALLS), median(rest, CALLS));
}

static void step(pjrt_engine *e, const char *name, tt_fn f, tt_val x)
{
    double *const with = calloc((size_t)rounds, sizeof *with), *const without = calloc((size_t)rounds, sizeof *with);
    tt_wait(tt_call(f, x));
    for (int i = 0; i < rounds; i++) {
        const tt_scope scope = tt_scope_open();
        const double t = wall_us();
        tt_wait(tt_call(f, x));
        with[i] = wall_us() - t;
        tt_scope_close(scope);
        without[i] = alone(e, 1);
    }
    const double a = median(with, rounds), b = median(without, rounds);
    printf("step, %-22s %8.0f us, the library's alone %8.0f us: %.3f\n", name, a, b, a / b);
    free(with), free(without);
}

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: there LIBRARY [ROUNDS]\n"), 2;
    char word[4200];
    snprintf(word, sizeof word, "pjrt:%s", argv[1]);
    if (argc > 2) rounds = atoi(argv[2]) < 1 ? 1 : atoi(argv[2]);
    if (!tt_engine(word)) return fprintf(stderr, "there: %s\n", tt_error()), 1;
    pjrt_engine *const e = watched();
    for (int devices = 1; devices <= DEVICES; devices *= 8) {
        char name[40];
        const tt_mesh m = tt_mesh(devices == 1 ? "data:1" : "data:8");
        tt_val all[MOST + 1];
        for (int i = 0; i < MOST; i++) all[i] = tt_shard(tt_ones(TT_F32, 64), m, "data");
        all[MOST] = tt_end;
        snprintf(name, sizeof name, "%d devices, 1 argument", devices);
        call(name, tt_jit(few), all[0]);
        snprintf(name, sizeof name, "%d devices, 16 arguments", devices);
        call(name, tt_jit(many), tt_tuple_at("arguments", all));
        for (int n = 128; n <= 512; n *= 2) {
            snprintf(name, sizeof name, "%d devices, %d x %d", devices, n, n);
            step(e, name, tt_jit(products), tt_shard(tt_zeros(TT_F32, n, n), m, "data"));
        }
    }
    if (!tt_ok()) return fprintf(stderr, "there: %s\n", tt_error()), 1;
    return tt_done();
}
