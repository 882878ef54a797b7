/* pool.c - the pool under several launching threads, small and large phases, stops in between. Meant for the thread
 * sanitizer as well: every value is checked, and no step may race. */
#include "check.h"
#include "plan.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { ROWS = 64, COLS = 1000, N = ROWS * COLS };
static float x[N], want[N], small_want[8];

/* t = 2x + 1 on 8 devices, gathered, doubled on all workers by rows, cut again: y = (2 (2x + 1) + 1) + (2x + 1). */
static hand *large(void)
{
    hand *h = hand_begin("a:8");
    const int64_t dim[2] = { ROWS, COLS };
    const mesh_set all = (mesh_set)((1u << h->m->natom) - 1);
    const mesh_layout *l = hand_layout(h, 2, "a, _");
    const uint32_t in = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARG, 0),
        y = hand_value(h, TT_F32, 2, dim, l, all, RUN_RESULT, 0);
    const uint32_t t = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARENA, 0);
    const uint32_t u = hand_value(h, TT_F32, 2, dim, l, all, RUN_ARENA, h->value[t].bytes);
    const uint32_t g = hand_value(h, TT_F32, 2, dim, NULL, 0, RUN_ARENA, 0);
    const uint32_t g2 = hand_value(h, TT_F32, 2, dim, NULL, 0, RUN_ARENA, h->value[g].bytes);
    const uint32_t twice = hand_kernel(h, k_twice, NULL, rows_of, "twice"),
        add = hand_kernel(h, k_add, NULL, rows_of, "add");
    hand_step(h, COMPUTE(h, twice, all, in, t));
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .exchange = { .from = t, .to = g } });
    hand_step(h, COMPUTE(h, twice, 0, g, g2));
    hand_step(h, (run_step){ .kind = RUN_EXCHANGE, .exchange = { .from = g2, .to = u } });
    hand_step(h, COMPUTE(h, add, all, u, t, y));
    return h;
}

static hand *little(void)
{
    hand *h = hand_begin(NULL);
    const int64_t dim[1] = { 8 };
    const uint32_t in = hand_value(h, TT_F32, 1, dim, NULL, 0, RUN_ARG, 0),
        y = hand_value(h, TT_F32, 1, dim, NULL, 0, RUN_RESULT, 0);
    hand_step(h, COMPUTE(h, hand_kernel(h, k_twice, NULL, rows_of, "twice"), 0, in, y));
    return h;
}

typedef struct { run_program *big, *small; run_array *in, *in_small; int times, wrong; } job;

static void *launcher(void *arg)
{
    job *j = arg;
    float *got = malloc(N * 4), few[8];
    for (int k = 0; k < j->times; k++) {
        run_array *out = NULL;
        j->wrong += !run_launch(j->big, &j->in, NULL, &out) || !run_read(out, NULL, NULL, got) ||
            memcmp(got, want, N * 4);
        run_drop(out);
        for (int i = 0; i < 3; i++) {
            out = NULL;
            j->wrong += !run_launch(j->small, &j->in_small, NULL, &out) || !run_read(out, NULL, NULL, few) ||
                        memcmp(few, small_want, sizeof few);
            run_drop(out);
        }
        if (k % 7 == 6) run_pool_stop();
        if (k % 5 == 4) usleep(400);                     /* long enough for the workers to fall asleep */
    }
    free(got);
    return NULL;
}

/* y[tile] = the core that a worker may run on, -1: it may move about. Tiles are slow: every worker has begun some. */
static void k_core(const void *self, const run_job *j)
{
    (void)self;
    for (int64_t i = j->first; i < j->first + j->count; i++) {
        cpu_set_t may;
        int core = -1;
        sched_getaffinity(0, sizeof may, &may);
        for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&may) == 1; c++) if (CPU_ISSET(c, &may)) core = c;
        ((float *)j->arg[1].at)[i] = (float)(j->worker ? core : -2);
        usleep(2000);
    }
}

/* The launching thread's cores are left as they were; a worker's are one of them with TUTTI=pin. */
static void pinned(bool pin)
{
    cpu_set_t may, after;
    sched_getaffinity(0, sizeof may, &may);
    run_pool_stop();
    if (pin) base_switches(NULL, "pin");
    workers(3);
    hand *h = hand_begin(NULL);
    const int64_t dim[1] = { 30 };
    float x[30] = { 0 }, core[30];
    const uint32_t in = hand_value(h, TT_F32, 1, dim, NULL, 0, RUN_ARG, 0),
        y = hand_value(h, TT_F32, 1, dim, NULL, 0, RUN_RESULT, 0);
    hand_step(h, COMPUTE(h, hand_kernel(h, k_core, NULL, rows_of, "core"), 0, in, y));
    run_array *a = array_f32(h, 1, dim, NULL, x), *out = NULL;
    run_program *p = run_bind(h->a, &h->p);
    int others = 0;
    for (int k = 0; k < 5 || (!others && k < 500); k++) {    /* who computes it follows from what it cost before */
        run_drop(out);
        out = NULL;
        CHECK(p && run_launch(p, &a, NULL, &out) && run_read(out, NULL, NULL, core), "a launch of three workers");
        for (int i = 0; i < 30; i++) others += core[i] != -2;
    }
    others = 0;
    for (int i = 0; i < 30; i++) {
        if (core[i] == -2) continue;
        others++;
        if (pin) CHECK(core[i] >= 0 && CPU_ISSET((int)core[i], &may), "tile %d: a worker stays on core %g", i, core[i]);
        else CHECK(core[i] == -1 || CPU_COUNT(&may) == 1, "tile %d: a worker stays on core %g unasked", i, core[i]);
    }
    CHECK(others > 0, "no worker but the launching thread took part");
    sched_getaffinity(0, sizeof after, &after);
    CHECK(CPU_EQUAL(&may, &after), "the launching thread was bound, too");
    run_drop(a), run_drop(out);
    run_unbind(p);
    run_pool_stop();
    base_switch_off("pin");
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    for (int i = 0; i < N; i++) x[i] = (float)(i % 1000) / 8, want[i] = 2 * (2 * x[i] + 1) + 1 + (2 * x[i] + 1);
    for (int i = 0; i < 8; i++) small_want[i] = 2 * x[i] + 1;
    hand *h = large(), *s = little();
    run_program *p = run_bind(h->a, &h->p), *q = run_bind(s->a, &s->p);
    CHECK(p && q, "%s", base_failed() ? base_failed()->what : "");
    run_array *in = array_f32(h, 2, (int64_t[]){ ROWS, COLS }, "a, _", x),
        *few = array_f32(s, 1, (int64_t[]){ 8 }, NULL, x);
    for (int w = 1; w <= 9; w += 2) {
        if (!check_turn((size_t)w / 2)) continue;
        pthread_t t[3];
        job j[3];
        workers(w);
        for (int i = 0; i < 3; i++) {
            j[i] = (job){ p, q, in, few, 20, 0 };
            pthread_create(&t[i], NULL, launcher, &j[i]);
        }
        for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
        CHECK(!j[0].wrong && !j[1].wrong && !j[2].wrong, "%d workers: %d wrong", w,
              j[0].wrong + j[1].wrong + j[2].wrong);
    }
    pinned(false);
    pinned(true);
    run_drop(in);
    run_drop(few);
    run_unbind(p);
    run_unbind(q);
    run_pool_stop();
    run_trim();
    return check_done();
}
