/* bench/calls.c - what little work costs: calling a compiled function (W6), collectives of eight devices (W8), 10^8 random
 * numbers (W11), and eager calls outside any compiled function (W13).
 *
 * usage: calls [ROUNDS]. Each case is called in batches, until a batch takes a millisecond; the time is a batch's, by its
 * calls: the median over rounds, and the least.
 */
#include <math.h>
#include <string.h>
#include <tutti.h>

#include "rows.h"

enum { ROUNDS = 50, MANY = 100, D = 8, NORMALS = 100000000 };

/* ---- what is called ---- */

static tt_val more(tt_val x) { return tt_add(x, tt_f(1)); }
static tt_val more_of_all(tt_val xs) { return tt_map(more, xs); }
static tt_val total(tt_val x) { return tt_psum(x, "i"); }
static tt_val draw(tt_val key) { return tt_normal(key, TT_F32, NORMALS); }
static tt_val w;                                         /* [8, 8] of ones: what f closes over */
static tt_val f(tt_val x) { return tt_sum(tt_square(tt_tanh(tt_matmul(x, w)))); }

static tt_val twice(tt_val x) { return tt_add(x, x); }

typedef struct { const char *work; int devices; tt_val x, (*eager)(tt_val); tt_fn fn; double t[ROUNDS]; } job;

static tt_val once(const job *j) { return j->eager ? j->eager(j->x) : tt_call(j->fn, j->x); }

/* n calls, each result given back before the next, as where a name in Python is bound again. */
static double batch(const job *j, int n)
{
    const double t = limits_seconds();
    for (int i = 0; i < n; i++) {
        const tt_scope scope = tt_scope_open();
        tt_wait(once(j));
        tt_scope_close(scope);
    }
    return limits_seconds() - t;
}

/* Seconds per call, by a batch that takes long enough for the clock. */
static double timed(const job *j)
{
    for (int n = 1;; n *= 4) {
        const double t = batch(j, n);
        if (t > 1e-3 || n > 1000 || !tt_ok()) return t / n;
    }
}

static tt_val ones(tt_mesh mesh, int64_t n) { return tt_shard(tt_ones(TT_F32, n), mesh, "i"); }

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 5, rounds = asked < 1 ? 1 : asked > ROUNDS ? ROUNDS : asked;
    const tt_mesh mesh = tt_mesh("i:8");
    const tt_val x = tt_ones(TT_F32, D), xs = ones(mesh, D), rows = tt_ones(TT_F32, 32, D);
    tt_val many[MANY + 1], spread[MANY + 1];
    for (int i = 0; i < MANY; i++) many[i] = x, spread[i] = xs;
    many[MANY] = spread[MANY] = tt_end;
    w = tt_ones(TT_F32, D, D);
    const tt_fn sum = tt_shard_map(total, .mesh = mesh, .in = "i", .out = "_");
    job jobs[] = {
        { .work = "W6 x + 1", .devices = 1, .x = x, .fn = tt_jit(more) },
        { .work = "W6 x + 1", .devices = 8, .x = xs, .fn = tt_jit(more, .mesh = mesh) },
        { .work = "W6 100 arguments", .devices = 1, .x = tt_tuple_at(TT_AT("many"), many), .fn = tt_jit(more_of_all) },
        { .work = "W6 100 arguments", .devices = 8, .x = tt_tuple_at(TT_AT("spread"), spread), .fn = tt_jit(more_of_all, .mesh = mesh) },
        { .work = "W8 psum 4 B", .devices = 8, .x = ones(mesh, 8), .fn = tt_jit(sum) },
        { .work = "W8 psum 1 MB", .devices = 8, .x = ones(mesh, (int64_t)8 << 18), .fn = tt_jit(sum) },
        { .work = "W8 psum 64 MB", .devices = 8, .x = ones(mesh, (int64_t)8 << 24), .fn = tt_jit(sum) },
        { .work = "W11 normals", .devices = 1, .x = tt_key(0), .fn = tt_jit(draw) },
        { .work = "W13 x + x", .devices = 1, .x = x, .eager = twice },
        { .work = "W13 f", .devices = 1, .x = x, .eager = f },
        { .work = "W13 grad of f", .devices = 1, .x = x, .fn = tt_grad(f) },
        { .work = "W13 vmap of grad of f", .devices = 1, .x = rows, .fn = tt_vmap(tt_grad(f)) },
    };
    enum { JOBS = sizeof jobs / sizeof *jobs };
    double peak = 0, copy = 0;
    for (int i = 0; i < JOBS && tt_ok(); i++) batch(&jobs[i], 2);
    for (int r = 0; r < rounds && tt_ok(); r++) {
        peak = fmax(peak, limits_fma_gflops());
        copy = fmax(copy, rows_copy_gbs());
        for (int i = 0; i < JOBS && tt_ok(); i++) jobs[i].t[r] = timed(&jobs[i]);
    }
    if (!tt_ok()) return tt_done();
    rows_limits(peak, copy);
    printf("machine: %.0f GF/s of fused multiply-adds on one thread, copy %.1f GB/s\n", peak, copy);
    printf("%-26s %8s %12s %12s\n", "call", "devices", "median us", "least us");
    for (int i = 0; i < JOBS; i++) {
        qsort(jobs[i].t, (size_t)rounds, sizeof *jobs[i].t, limits_rising);
        printf("%-26s %8d %12.2f %12.2f\n", jobs[i].work, jobs[i].devices, 1e6 * jobs[i].t[rounds / 2], 1e6 * jobs[i].t[0]);
        rows_put(jobs[i].work, jobs[i].devices, jobs[i].t[rounds / 2]);
    }
    return tt_done();
}
