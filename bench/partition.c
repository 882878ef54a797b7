/* bench/partition.c - how long it takes to lay out a training step over a mesh: 12 transformer layers, one after
 * another and in a scan, on 8 and on 4,096 devices.
 *
 * usage: partition [ROUNDS]. Best and median over rounds, one core, milliseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../src/spmd/inner.h"
#include "train_step.h"

enum { ROUNDS = 21, PHASES = 3 };
static const char *const phase[PHASES] = { "prepare", "propagate", "choose" };

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t equations(const ir_fn *f)
{
    uint32_t n = f->neqn;
    for (uint32_t k = 0; k < f->neqn; k++)
        for (uint32_t i = 0; f->eqn[k].op->edges && i < f->eqn[k].nsub; i++) n += equations(f->eqn[k].sub[i]);
    return n;
}

static bool round_of(const ir_fn *f, double *t)
{
    base_arena *a = base_open();
    spmd_state s = { .a = a, .mesh = f->mesh, .times = 1 };
    double at[PHASES + 1] = { base_seconds() };
    ir_fn *g = spmd_prepare(&s, f);
    at[1] = base_seconds();
    const bool done = g && spmd_propagate(&s, g, NULL);
    at[2] = base_seconds();
    spmd_machine_set(&s, NULL);
    const bool chosen = done && spmd_function(&s, g, g->layout + 1, s.result, NULL);
    at[3] = base_seconds();
    for (int i = 0; i < PHASES; i++) t[i] = 1e3 * (at[i + 1] - at[i]);
    base_close(a);
    return chosen;
}

static bool one(const char *mesh, const train_shape *s, int rounds)
{
    base_arena *a = base_open();
    double *t = BASE_NEW(a, double, PHASES * rounds);
    const double start = base_seconds();
    const ir_fn *f = train_step(a, mesh, s);
    if (!f) return false;
    printf("%s, %d layers%s: %u equations, made in %.0f ms\n", mesh, s->layers, s->scanned ? " in a scan" : "",
           equations(f),
           1e3 * (base_seconds() - start));
    for (int i = 0; i < rounds; i++) {
        double x[PHASES];
        if (!round_of(f, x)) return false;
        for (int k = 0; k < PHASES; k++) t[k * rounds + i] = x[k];
    }
    for (int k = 0; k < PHASES; k++) {
        qsort(t + k * rounds, (size_t)rounds, sizeof *t, rising);
        printf("    %-10s best %6.2f ms, median %6.2f ms\n", phase[k], t[k * rounds], t[k * rounds + rounds / 2]);
    }
    base_close(a);
    return true;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : ROUNDS;
    static const char *const meshes[] = { "data:2, model:4", "data:256, model:16" };
    for (int scanned = 0; scanned <= 1; scanned++)
        for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
            const train_shape s = { 12, 256, 128, 1024, 16, 4096, 32768, scanned };
            if (one(meshes[m], &s, rounds)) continue;
            printf("failed: %s\n", base_failed() ? base_failed()->what : "no error");
            return 1;
        }
    return 0;
}
