/* bench/engine.c - what the engine itself costs: calling a program, arguments, phases, exchanges; no compiler in
 * between.
 *
 * usage: engine [ROUNDS]. Plans are written by hand. The best of rounds; copies are memcpy's in the same round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/run/plan.h"

static int rounds = 15;

static void nothing(const void *self, const run_job *j) { (void)self, (void)j; }

static double best_call(run_program *p, run_array *const *in, run_array **out, uint32_t nout)
{
    double best = 1e9;
    for (int r = 0; r < rounds; r++) {
        int n = 0;
        const double t = base_seconds();
        double now;
        do {
            run_launch(p, in, NULL, out);
            for (uint32_t i = 0; i < nout; i++) run_drop(out[i]);
            n++;
            now = base_seconds() - t;
        } while (now < 3e-3);
        if (now / n < best) best = now / n;
    }
    return best;
}

/* A step that does nothing, on so many devices, with so many arguments. */
static void calls(const char *mesh, int nargs)
{
    hand *h = hand_begin(mesh);
    const int64_t dim[1] = { 64 };
    const mesh_layout *l = mesh ? hand_layout(h, 1, "a") : NULL;
    const mesh_set v = mesh_layout_vary(l);
    uint32_t arg[MOST];
    run_array *in[MOST], *out[1];
    for (int i = 0; i < nargs; i++) {
        arg[i] = hand_value(h, TT_F32, 1, dim, l, v, RUN_ARG, i);
        in[i] = run_array_of(ir_type_of(TT_F32, 1, dim), l, NULL);
    }
    arg[nargs] = hand_value(h, TT_F32, 1, dim, l, v, RUN_RESULT, 0);
    hand_step(h, hand_compute(h, hand_kernel(h, nothing, NULL, NULL, "nothing"), v, (uint32_t)nargs + 1, arg));
    run_program *p = run_bind(h->a, &h->p);
    printf("call, %-4s %2d arguments      %8.3f us\n", mesh ? mesh : "1", nargs, 1e6 * best_call(p, in, out, 1));
    for (int i = 0; i < nargs; i++) run_drop(in[i]);
    run_unbind(p);
}

/* So many steps that touch the same few bytes: what one step costs, alone and with the pool. */
static void steps(const char *mesh, int64_t n, const char *what)
{
    hand *h = hand_begin(mesh);
    const mesh_layout *l = hand_layout(h, 1, "a");
    const mesh_set v = mesh_layout_vary(l);
    const uint32_t x = hand_value(h, TT_F32, 1, &n, l, v, RUN_ARG, 0),
        t = hand_value(h, TT_F32, 1, &n, l, v, RUN_ARENA, 0);
    const uint32_t k = hand_kernel(h, nothing, NULL, NULL, "nothing");
    for (int i = 0; i < 60; i++) hand_step(h, COMPUTE(h, k, v, i ? t : x, t));
    h->result[h->p.nresult++] = x;
    run_program *p = run_bind(h->a, &h->p);
    run_array *in[1] = { run_array_of(ir_type_of(TT_F32, 1, &n), l, NULL) }, *out[1];
    printf("a step, %-4s %-16s %8.3f us\n", mesh, what, 1e6 * best_call(p, in, out, 1) / 60);
    run_drop(in[0]);
    run_unbind(p);
}

/* Sums of `bytes` over 8 devices to one, or to eight parts. */
static void reduce(int64_t bytes, bool scatter)
{
    hand *h = hand_begin("a:8");
    const int64_t all[1] = { bytes / 4 * 8 }, one[1] = { bytes / 4 };
    const mesh_layout *l = hand_layout(h, 1, "a");
    const mesh_set v = mesh_layout_vary(l);
    hand_value(h, TT_F32, 1, all, l, v, RUN_ARG, 0);
    const uint32_t local = hand_value(h, TT_F32, 1, one, NULL, v, RUN_ARG, 0);
    const uint32_t y = scatter ? hand_value(h, TT_F32, 1, one, l, v, RUN_RESULT, 0) : hand_value(h, TT_F32, 1, one,
        NULL, 0, RUN_RESULT, 0);
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE,
                             .exchange = { local, y, { .over = v, .reduce = MESH_SUM }, false } });
    run_program *p = run_bind(h->a, &h->p);
    run_array *in[1] = { run_array_of(ir_type_of(TT_F32, 1, all), l, NULL) }, *out[1];
    double copy = 1e9;
    char *from = base_pages((size_t)bytes * 8), *to = base_pages((size_t)bytes * 8);
    memset(from, 1, (size_t)bytes * 8);
    for (int r = 0; r < rounds; r++) {
        const double t = base_seconds();
        memcpy(to, from, (size_t)bytes * 8);
        const double now = base_seconds() - t;
        if (now < copy) copy = now;
    }
    const double t = best_call(p, in, out, 1);
    printf("%-14s of 8 x %8lld B %10.1f us %7.1f GB/s read; memcpy of as much %10.1f us, one thread\n",
           scatter ? "reduce_scatter" : "all_reduce", (long long)bytes, t * 1e6, (double)bytes * 8 / t * 1e-9,
           copy * 1e6);
    base_pages_free(from, (size_t)bytes * 8);
    base_pages_free(to, (size_t)bytes * 8);
    run_drop(in[0]);
    run_unbind(p);
}

int main(int argc, char **argv)
{
    if (argc > 1) rounds = atoi(argv[1]) < 1 ? 1 : atoi(argv[1]);
    base_switches_env();
    printf("%d workers\n", run_workers());
    calls(NULL, 1), calls(NULL, 50), calls("a:8", 1), calls("a:8", 50);
    steps("a:1", 16, "tiny"), steps("a:8", 16, "tiny"), steps("a:8", 1 << 20, "worth the pool");
    static const int64_t bytes[] = { 4, 1024, 65536, 1 << 20, 16 << 20 };
    for (int i = 0; i < 5; i++) reduce(bytes[i], false), reduce(bytes[i] < 64 ? 64 : bytes[i], true);
    run_pool_stop();
    return 0;
}
