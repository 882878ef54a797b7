/* rows.h - what a benchmark found, as rows that bench/run.sh joins with the peers': program, work, devices, number,
 * unit, and of work whose products of float32 ran on a matrix unit a mark. Rows are appended to the file that
 * TUTTI_ROWS names; without it there are only the tables that programs print.
 * TUTTI_ONLY: a word; only works with it are done, by the peers too. */
#ifndef TUTTI_BENCH_ROWS_H
#define TUTTI_BENCH_ROWS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/gen/matrix_unit.h"
#include "../src/run/limits.h"

static inline int rows_requested(const char *work)
{
    const char *word = getenv("TUTTI_ONLY");
    return !word || strstr(work, word) != NULL;
}

/* True if anything is requested whose name begins with group. */
static inline int rows_requested_of(const char *group)
{
    const char *word = getenv("TUTTI_ONLY");
    return rows_requested(group) || !strncmp(word, group, strlen(group));
}

static inline double rows_copy_gbs(void)
{
    char *a = malloc(LIMITS_COPIED), *b = malloc(LIMITS_COPIED);
    const double r = a && b ? limits_copy_gbs(a, b, LIMITS_COPIED) : 0;
    free(a);
    free(b);
    return r;
}

static inline void rows_put_marked(const char *who, const char *work, int devices, double number, const char *unit,
                                   const char *mark)
{
    const char *name = getenv("TUTTI_ROWS");
    FILE *f = name && *name ? fopen(name, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s\t%s\t%d\t%.6g\t%s%s\n", who, work, devices, number, unit, mark);
    fclose(f);
}

static inline void rows_put_as(const char *who, const char *work, int devices, double number, const char *unit)
{
    rows_put_marked(who, work, devices, number, unit, "");
}

static inline void rows_put(const char *work, int devices, double seconds)
{
    rows_put_as("tutti", work, devices, 1e3 * seconds, "ms");
}

/* parts: its products of float32 were made of bfloat16 parts, on a matrix unit (tutti/array.h, precision). */
static inline void rows_put_on(const char *work, int devices, double seconds, bool parts)
{
    rows_put_marked("tutti", work, devices, 1e3 * seconds, "ms", parts ? "\tparts" : "");
}

/* The limits of the machine, measured beside the work: one thread's fused multiply-adds and copying, as ms per GF and
 * GB. */
static inline void rows_limits(double gflops, double gbs)
{
    if (gflops > 0) rows_put("machine: 1 GF of fused multiply-adds", 1, 1 / gflops);
    if (gbs > 0) rows_put("machine: 1 GB copied", 1, 1 / gbs);
}

#endif
