/* bench/inside.c - what is made where it is read: normals, dropout, rows of a table that are added to, gradients that
 * are added to rows of a table, transposes; and what only writes or copies.
 *
 * usage: inside [ROUNDS [PART OF A NAME]]. Medians of interleaved rounds, beside the time that a copy of as many bytes
 * as must be read and written once takes in the same round, by as many threads.
 */
#include <string.h>
#include <tutti.h>

#include "results.h"

enum { ROUNDS = 50, N = 1 << 24, VOCABULARY = 50257, D = 768, T = 1024, B = 4 };

static tt_val normals(tt_val key) { return tt_normal(key, TT_F32, 100000000); }
static tt_val dropout(tt_val x)
{
    const tt_val keep = tt_bernoulli(tt_key(7), tt_f(0.9), N);
    return tt_where(keep, tt_div(x, tt_f(0.9)), tt_f(0));
}
static tt_val tokens, positions;
static tt_val embed(tt_val table)
{
    return tt_add(tt_take(table, tokens, 0), positions);
}
static tt_val total(tt_val table) { return tt_sum(tt_square(embed(table))); }
static tt_val both(tt_val x) { return tt_add(x, tt_transpose(x)); }
static tt_val more(tt_val x) { return tt_add(x, tt_f(1)); }
static tt_val sum(tt_val x) { return tt_add(x, x); }
static tt_val zeros(tt_val x) { (void)x; return tt_zeros(TT_F32, N); }

typedef struct { const char *work; tt_val x; tt_fn fn; double bytes, t[ROUNDS]; } job;

static double batch(const job *j, int n)
{
    const double t = limits_seconds();
    for (int i = 0; i < n; i++) {
        const tt_scope scope = tt_scope_open();
        tt_wait(tt_call(j->fn, j->x));
        tt_scope_close(scope);
    }
    return (limits_seconds() - t) / n;
}

int main(int argc, char **argv)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 9, rounds = asked < 1 ? 1 : asked > ROUNDS ? ROUNDS : asked;
    const tt_val table = tt_normal(tt_key(1), TT_F32, VOCABULARY, D), x = tt_normal(tt_key(2), TT_F32, N);
    const tt_val square = tt_normal(tt_key(4), TT_F32, 4096, 4096);
    tokens = tt_randint(tt_key(3), TT_I32, tt_i(0), tt_i(VOCABULARY), B, T);
    positions = tt_normal(tt_key(5), TT_F32, T, D);
    const double mib = 1 << 20, rows = 4.0 * B * T * D, whole = 4.0 * VOCABULARY * D;
    job jobs[] = {
        { .work = "normals, 10^8", .x = tt_key(0), .fn = tt_jit(normals), .bytes = 4e8 },
        { .work = "dropout, 64 MiB", .x = x, .fn = tt_jit(dropout), .bytes = 128 * mib },
        { .work = "rows of a table", .x = table, .fn = tt_jit(embed), .bytes = 2 * rows },
        { .work = "their gradient", .x = table, .fn = tt_jit(tt_grad(total)), .bytes = whole + 3 * rows },
        { .work = "x + x^T, 64 MiB", .x = square, .fn = tt_jit(both), .bytes = 128 * mib },
        { .work = "x + 1, 64 MiB", .x = x, .fn = tt_jit(more), .bytes = 128 * mib },
        { .work = "x + x, 64 MiB", .x = x, .fn = tt_jit(sum), .bytes = 128 * mib },
        { .work = "zeros, 64 MiB", .x = x, .fn = tt_jit(zeros), .bytes = 64 * mib },
    };
    enum { JOBS = sizeof jobs / sizeof *jobs };
    double copy[ROUNDS];
    for (int i = 0; i < JOBS && tt_ok(); i++) batch(&jobs[i], 3);
    for (int r = 0; r < rounds && tt_ok(); r++) {
        copy[r] = rows_copy_gbs();
        for (int i = 0; i < JOBS && tt_ok(); i++)
            if (argc < 3 || strstr(jobs[i].work, argv[2])) jobs[i].t[r] = batch(&jobs[i], 1);
    }
    if (!tt_ok()) return tt_done();
    qsort(copy, (size_t)rounds, sizeof *copy, limits_rising);
    printf("copy %.1f GB/s\n%-22s %12s %14s\n", copy[rounds / 2], "", "median ms", "of copy's time");
    for (int i = 0; i < JOBS; i++) {
        qsort(jobs[i].t, (size_t)rounds, sizeof *jobs[i].t, limits_rising);
        const double t = jobs[i].t[rounds / 2];
        printf("%-22s %12.2f %14.2f\n", jobs[i].work, 1e3 * t, t * copy[rounds / 2] * 1e9 / jobs[i].bytes);
        rows_put(jobs[i].work, 1, t);
    }
    return tt_done();
}
